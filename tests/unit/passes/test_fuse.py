"""Which nodes are stored on the way: those that a reader repeats, also through a view of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import weft
from weft.ir.kernels.plan import MapLaunch
from weft.passes import fuse
from weft.runtime.compute.stages import planned_work
from weft.tensors.tensor import node_of

X, Y = weft.ones((8, 30)), weft.ones((8, 20))
REPEATED: dict[str, Callable[[Any], Any]] = {
    "at once": lambda y: y * weft.ones((9, 8, 20)),
    "new axes": lambda y: X[:, :, None] * y[:, None, :],
    "a view of a view": lambda y: X[:, :, None] + y[::-1].T[None].mT[0][:, None],
    "broadcast": lambda y: weft.broadcast_to(y[:, None, :], (8, 9, 20)) + 1,
}


@pytest.mark.parametrize("name", sorted(REPEATED))
def test_what_a_reader_repeats_is_computed_once(name: str) -> None:
    made = REPEATED[name](weft.tanh(Y + 1))
    assert weft.explain(made).kernels == 2
    assert weft.explain(REPEATED[name](Y + 1)).kernels == 1  # cheap steps are repeated


@pytest.mark.parametrize("dear", [True, False])
def test_a_dear_value_that_several_kernels_read_is_computed_once(dear: bool) -> None:
    x = weft.asarray(numpy.ones((8, 20)))

    def made() -> weft.Tensor:
        shared = weft.tanh(x + 1) if dear else x + 1
        return (shared * 2).sum() + (shared - 1).max()

    assert weft.explain(made()).kernels == 3 + dear
    shared = numpy.tanh(numpy.full((8, 20), 2.0)) if dear else numpy.full((8, 20), 2.0)
    assert made().item() == pytest.approx((shared * 2).sum() + (shared - 1).max())


@pytest.mark.parametrize("n", [100, 1000, 2000])
def test_values_of_several_kernels_take_little_beside_inputs_and_outputs(n: int) -> None:
    """Up to 8 MB they are stored; beyond, the two kernels compute 16 and 32 MB again for vectors of 16 KB."""
    x = weft.asarray(numpy.linspace(0, 1, n))
    shared = weft.sin(x[:, None] + x)
    down, across = (shared * 2).sum(axis=0), (shared + 1).max(axis=1)
    del shared  # else it would be stored for its tensor
    found = weft.explain(down, across)
    assert found.peak_bytes <= 2 * 8 * n + fuse.SPARE
    assert found.kernels == 2 + (8 * n * n <= fuse.SPARE)
    wanted = numpy.sin(numpy.linspace(0, 1, n)[:, None] + numpy.linspace(0, 1, n))
    numpy.testing.assert_allclose(down.numpy(), (wanted * 2).sum(axis=0))
    numpy.testing.assert_allclose(across.numpy(), (wanted + 1).max(axis=1))


def test_large_states_of_a_recurrence_are_stored_where_it_reads_more() -> None:
    """Each of the eight states of 2.4 MB takes less than an eighth of the inputs."""
    inputs = [weft.asarray(numpy.linspace(0, 1, 300_000) + i) for i in range(9)]
    state, sums = inputs[0], []
    for x in inputs[1:]:
        state = weft.tanh(state) * x
        sums.append((state + 1).sum())
    del state  # else the last one would be stored for its tensor
    assert weft.explain(*sums).kernels == len(sums) + 7


@pytest.mark.usefixtures("_small_values_wait")
def test_steps_of_a_recurrence_have_bodies_of_one_length() -> None:
    def lengths(steps: int) -> set[int]:
        state, total = weft.zeros((4, 4)), weft.zeros((4, 4))
        for _ in range(steps):
            state = weft.tanh(state) * 0.5 + X[:4, :4]
            total = total + (state + 1) @ X[:4, :4]
        program = planned_work([node_of(total)]).program
        assert program is not None
        return {len(r.body) for step in program.plan.steps[:-1] if isinstance(step, MapLaunch) for r in step.rows}

    assert lengths(12) == lengths(6)


@pytest.mark.parametrize("dear", [True, False])
def test_what_several_parts_of_a_join_compute_is_stored(dear: bool) -> None:
    """A part has a body of its own, so `shared` would be computed once for each."""
    x = weft.asarray(numpy.linspace(0, 1, 200))

    def made() -> weft.Tensor:
        shared = weft.tanh(x + 1) if dear else x + 1
        return weft.stack([shared * 2, shared - 1, x])

    assert weft.explain(made()).kernels == 1 + dear
    shared = numpy.tanh(numpy.linspace(1, 2, 200)) if dear else numpy.linspace(1, 2, 200)
    numpy.testing.assert_allclose(made().numpy(), [shared * 2, shared - 1, numpy.linspace(0, 1, 200)])


def _solutions(np: Any, a: Any, b: Any, d: Any) -> Any:
    """Return the solutions of systems of equations with three diagonals, of which the outer two are equal."""
    above, right = [a[0] / b[0]], [d[0] / b[0]]
    for i in range(1, a.shape[0]):
        m = 1 / (b[i] - a[i] * above[-1])
        above.append(a[i] * m)
        right.append((d[i] - a[i] * right[-1]) * m)
    found = right[-1:]
    for i in range(a.shape[0] - 2, -1, -1):
        found.append(right[i] - above[i] * found[-1])
    return np.stack(found[::-1])


@pytest.mark.usefixtures("_small_values_wait")
def test_work_of_a_recurrence_that_is_joined_grows_with_its_steps() -> None:
    def steps(rows: int) -> int:
        work = planned_work([node_of(_solutions(weft, *[weft.ones((rows, 50)) * (k + 1) for k in (1, 4, 2)]))])
        assert work.program is not None
        return sum(len(r.body) for step in work.program.plan.steps if isinstance(step, MapLaunch) for r in step.rows)

    assert steps(40) < 5 * steps(10)
    a, b, d = numpy.random.default_rng(1).uniform(1, 2, (3, 40, 50))
    found = _solutions(weft, weft.asarray(a), weft.asarray(b + 4), weft.asarray(d))
    assert (found.numpy() == _solutions(numpy, a, b + 4, d)).all()


def _escapes(np: Any, re: Any, im: Any, rounds: int) -> Any:
    """Return in how many rounds z = z*z + c stays small: values of several readers, all of which reach far back."""
    x, y, count = re, im, re * 0
    for _ in range(rounds):
        small = x * x + y * y < 4
        x, y = np.where(small, x * x - y * y + re, x), np.where(small, 2 * x * y + im, y)
        count = count + np.where(small, re * 0 + 1, re * 0)
    return count


@pytest.mark.parametrize(("rounds", "kernels"), [(20, 1), (45, 4)])
def test_steps_of_several_readers_count_once(rounds: int, kernels: int) -> None:
    re, im = numpy.random.default_rng(1).uniform(-2, 2, (2, 600, 500))
    made = _escapes(weft, weft.asarray(re), weft.asarray(im), rounds)
    assert weft.explain(made).kernels <= kernels
    assert (made.numpy() == _escapes(numpy, re, im, rounds)).all()


@pytest.mark.usefixtures("_small_values_wait")
def test_long_graphs_are_cut_where_they_are_narrow() -> None:
    y = x = numpy.linspace(0.1, 0.9, 1000)
    made = weft.asarray(x)
    for _ in range(60):
        y, made = numpy.sin(y) * numpy.exp(-y), weft.sin(made) * weft.exp(-made)  # read by both operands
    kernels = weft.explain(made).kernels
    assert 4 <= kernels <= 6 and numpy.allclose(made.numpy(), y)
    with weft.profile() as profile:
        for _ in range(60):
            made = weft.sin(made) * weft.exp(-made)
        made.realize()
    assert sum(kernel.name.count("sin") for kernel in profile.kernels) == 60  # none is computed again


def test_operands_of_a_kernel_are_counted_for_every_view() -> None:
    parts = numpy.random.default_rng(1).random((6, 100))

    def moving(x: Any) -> Any:
        total = x[0] + x[1] + x[2] + x[3] + x[4] + x[5]
        return sum(total[k : k + 60] for k in range(40))

    assert numpy.allclose(moving([weft.asarray(p) for p in parts]).numpy(), moving(parts))


def test_a_shared_value_over_a_join_is_cut_once() -> None:
    x = y = numpy.linspace(0, 1, 10)
    y = weft.concat([weft.asarray(x[:4]), weft.asarray(x[4:])])
    for _ in range(60):  # 2**60 ways lead down
        x, y = x * x - x / 2, y * y - y / 2
    assert numpy.allclose(y.numpy(), x)


def test_a_deep_graph_is_planned_at_once() -> None:
    x = numpy.linspace(0, 1, 10)
    deep = weft.compile(lambda v: _far(v, 600))
    assert (_far(weft.asarray(x), 600).numpy() == _far(x, 600)).all()
    assert (deep(weft.asarray(x)).numpy() == _far(x, 600)).all()


def _far(x: Any, steps: int) -> Any:
    for k in range(steps):
        x = x + k
    return x


def test_a_table_looks_up_several_slices_of_one_value() -> None:
    x, at = numpy.arange(45.0).reshape(9, 5), numpy.array([0, 2, 1, 0])
    padded, wanted = weft.pad(weft.asarray(x), [(0, 0), (0, 3)]), numpy.pad(x, [(0, 0), (0, 3)])
    found = weft.take(padded[:3] + padded[3:6], weft.asarray(at), axis=0)[:, 2:7]
    assert (found.numpy() == (wanted[:3] + wanted[3:6])[at, 2:7]).all()


SLICES: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x[3:],
    "columns": lambda x: x[:, 1:],
    "strided": lambda x: x[::3, 2:],
    "backwards": lambda x: x[:4:-1],
    "one column": lambda x: x[5:, 2:3],
    "one row": lambda x: x[7:8],
    "stack": lambda x: x[4:][None],
    "join": lambda x: weft.concat([x, x + 1])[5:60],
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "int32"])
@pytest.mark.parametrize("name", SLICES)
def test_a_slice_and_its_transpose_are_one_array(name: str, dtype: str) -> None:
    cells = numpy.arange(40 * 6).reshape(40, 6).astype(dtype)

    def product(x: Any) -> Any:
        v = SLICES[name](x)
        return v.mT @ v

    made = product(weft.asarray(cells) * 2 - 7)
    assert weft.explain(made).kernels == 1
    with weft.without("fuse"):
        plain = product(weft.asarray(cells) * 2 - 7).numpy()
    assert numpy.array_equal(made.numpy(), plain) and made.dtype == plain.dtype


def test_a_routine_reads_the_transpose_of_a_slice_where_the_slice_lies() -> None:
    x = (weft.asarray(numpy.arange(60.0).reshape(10, 6) % 7) + 1)[2:8]
    made = weft.linalg.solve((x + 9 * weft.eye(6)).T, x.T[:, :2])
    found = numpy.linalg.solve((x.numpy() + 9 * numpy.eye(6)).T, x.numpy().T[:, :2])
    assert numpy.allclose(made.numpy(), found)
