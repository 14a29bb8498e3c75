"""Small values of long loops and wide joins are computed after few steps, by programs that serve other lengths, too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from weft.errors import LinAlgError, MathError
from weft.ir.graph.node import Node, root_of, walk
from weft.tensors import pending_limits
from weft.tensors.pending_limits import APART_BYTES, MANY_PARTS, SMALL_BYTES, SMALL_DEPTH
from weft.tensors.tensor import node_of

CELLS, MORE = SMALL_BYTES // 8, APART_BYTES // 8


def _steps(x: weft.Tensor, n: int) -> weft.Tensor:
    for _ in range(n):
        x = x * 0.5 + 1
    return x


def test_small_values_are_computed_after_few_steps() -> None:
    x = _steps(weft.asarray(np.ones(CELLS)), 100)
    assert node_of(x).depth <= SMALL_DEPTH
    expected = np.ones(CELLS)
    for _ in range(100):
        expected = expected * 0.5 + 1
    assert np.array_equal(x.numpy(), expected)


@pytest.mark.parametrize(
    "start",
    [
        lambda: weft.asarray(np.ones(CELLS + 1)),
        lambda: weft.asarray(np.ones((MORE + 1, 2))).sum(axis=1)[1:] * weft.asarray(np.ones(MORE + 1))[1:].sum(),
        lambda: (weft.asarray(np.ones(4 * CELLS)) * 2).sum(),
        lambda: weft.asarray(np.ones(3)).requires_grad_(),
    ],
    ids=["large", "of large parts", "above a large value", "recorded"],
)
def test_other_values_wait_as_long_as_before(start: Callable[[], weft.Tensor]) -> None:
    assert node_of(_steps(start(), 3 * SMALL_DEPTH)).depth > 2 * SMALL_DEPTH


def test_larger_values_whose_steps_read_neighbours_are_computed_after_few_steps() -> None:
    x = weft.asarray(np.random.default_rng(5).random(MORE))
    waiting, expected = _steps(x, 3 * SMALL_DEPTH), x.numpy().copy()
    for _ in range(2 * SMALL_DEPTH):
        x = x * 0.5 + weft.roll(x, 1, 0)
        expected = expected * 0.5 + np.roll(expected, 1)
    assert node_of(x).depth <= SMALL_DEPTH < node_of(waiting).depth
    assert np.array_equal(x.numpy(), expected)


def test_a_gradient_flows_through_many_steps_of_few_cells() -> None:
    x = weft.asarray([1.0, 2.0]).requires_grad_()
    _steps(x, 60).sum().backward()
    assert x.grad is not None and np.array_equal(x.grad.numpy(), [0.5**60] * 2)


@pytest.mark.parametrize("join", [weft.stack, weft.asarray, lambda parts: weft.concat([p.reshape(1) for p in parts])])
def test_parts_of_wide_joins_share_one_program(join: Callable[[list[weft.Tensor]], weft.Tensor]) -> None:
    m = np.random.default_rng(3).random((MANY_PARTS + 1, 1000))
    x = weft.asarray(m)
    joined = join([x[k].mean() for k in range(len(m))])
    assert not any(n.op.kind == "reduce" for n in walk([node_of(joined)]) if n.value is None)
    np.testing.assert_allclose(joined.numpy(), m.mean(axis=1), rtol=1e-14)


def test_few_parts_wait_for_the_join() -> None:
    x = weft.asarray(np.ones((MANY_PARTS, 10)))
    joined = weft.stack([x[k].mean() for k in range(MANY_PARTS)])
    assert any(n.value is None and n.inputs for n in node_of(joined).inputs)


def test_parts_of_many_structures_wait_for_the_join() -> None:
    x, steps = weft.asarray([1.0, 2.0]), (weft.sin, weft.cos, weft.exp, weft.tanh)
    parts = [steps[k % 4](steps[k // 4 % 4](steps[k // 16 % 4](x))) + k for k in range(MANY_PARTS + 1)]
    joined = weft.stack(parts)
    assert all(node_of(part).value is None for part in parts)
    assert joined[5, 0].item() == parts[5][0].item()


@pytest.mark.parametrize(
    ("error", "build"),
    [
        (MathError, lambda: weft.log(weft.asarray([-1.0, 1.0]), mode="error")),
        (LinAlgError, lambda: weft.linalg.inv(weft.zeros((2, 2)))),
    ],
)
def test_an_error_of_a_value_waits_for_its_reader(error: type[Exception], build: Callable[[], weft.Tensor]) -> None:
    wrong = build()
    steps = _steps(wrong, 2 * SMALL_DEPTH)
    joined = weft.stack([wrong + k for k in range(MANY_PARTS + 1)])
    for x in (steps, joined):
        with pytest.raises(error):
            x.numpy()


def test_searches_cost_one_step_of_each_new_node(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Node] = []
    monkeypatch.setattr(pending_limits, "root_of", lambda n: looked.append(n) or root_of(n))
    xs, wide, steps = [weft.asarray(float(k)) for k in range(20)], 20, 50
    for _ in range(steps):
        xs = [xs[k] * 0.5 + xs[k - 1] * 0.25 for k in range(wide)]
    assert node_of(xs[0]).depth > SMALL_DEPTH
    assert len(looked) <= 3 * wide * steps + pending_limits.SMALL_NODES
