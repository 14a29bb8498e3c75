"""Effects in computations: steps in order, what they write, and the life of a computation."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import ClosedError, DTypeError, TracingError, ValueRangeError


def numbers(made: Any) -> list[Any]:
    return [None if t is None else t.tolist() for t in made]


@pytest.mark.parametrize("name", ["reference", "cpu"])
def test_steps_are_done_in_their_order_each_once(name: str) -> None:
    x = weft.persistent(0)
    x0, x1 = x + x, x + x
    done: list[str] = []

    def write() -> None:
        done.append("write")
        weft.assign(x, 2)

    steps = weft.sequential([x0, write, x1, write, x0])
    with weft.transformer(name):
        f = weft.computation([x0, x1, steps, x])
        assert done == ["write"]
        assert numbers(f()) == [0, 4, 0, 2] and x.item() == 2
        assert numbers(f()) == [4, 4, 4, 2] and done == ["write"]


def test_steps_are_called_without_a_computation() -> None:
    x = weft.persistent([1.0, 2.0])
    y = x * 10
    steps = weft.sequential([y, lambda: weft.assign(x, x + 1), y + x, x])
    assert steps().tolist() == [2.0, 3.0] == x.tolist()
    compiled = weft.compile(lambda: weft.sequential([lambda: weft.assign(x, x * 2), x + 1])())
    assert [compiled().tolist() for _ in range(2)] == [[5.0, 7.0], [9.0, 13.0]]


def test_all_are_done_and_give_nothing() -> None:
    x, y = weft.persistent(0), weft.variable([1.0, 2.0])
    f = weft.computation(weft.doall([lambda: weft.assign(x, x + 1), lambda: weft.assign(y[1:], y[:1])]))
    assert f() is None and f() is None and x.item() == 2 and y.tolist() == [1.0, 1.0]
    assert weft.computation(None)() is None and weft.computation(())() == ()


def test_values_of_before() -> None:
    x = weft.variable(np.array([1.0, 2.0, 3.0]))
    x1, x2, b = weft.persistent(2.0), weft.persistent(3.0), weft.persistent(1.0)
    first, second = weft.value_of(x1), weft.value_of(x2)
    steps = weft.sequential([
        first, second, lambda: weft.assign(x1, weft.sum(x) + x1 * b + (1 - b)),
        lambda: weft.assign(x2, weft.mean(x) + x2 * b + (1 - b)), x * 2,
    ])  # fmt: skip
    f = weft.computation((steps, first, second, x1, x2))
    assert numbers(f()) == [[2.0, 4.0, 6.0], 2.0, 3.0, 8.0, 5.0]
    assert numbers(f()) == [[2.0, 4.0, 6.0], 8.0, 5.0, 14.0, 7.0]


def test_each_step_is_evaluated_once() -> None:
    x = weft.persistent(1)
    y = x * 10
    z = y + x  # y as it was read, x as it is
    f = weft.computation([weft.sequential([y, lambda: weft.assign(x, 5), z]), z, y])
    assert numbers(f()) == [15, 15, 10]
    assert numbers(f()) == [55, 55, 50]


def test_outputs_are_read_in_their_order() -> None:
    w = weft.variable(1.0)
    f = weft.computation([w * 1, lambda: weft.assign(w, w + 1), w * 1, w])
    for k in (1.0, 2.0):
        assert numbers(f()) == [k, None, k + 1, k + 1]


@pytest.mark.parametrize("size", [1, 20_000])
def test_several_writes_are_each_done_once(size: int) -> None:
    w, now = weft.variable(np.ones(size)), np.ones(size)

    def twice() -> None:
        weft.assign(w, w + 1)
        weft.assign(w[:1], w[:1] * 2)

    def tripled() -> None:
        weft.assign(w, w * 3)

    f = weft.computation([twice, w, w[:1], tripled, w + 1, weft.sequential([twice, tripled, lambda: None, w])])
    for _ in range(3):
        found = f()
        now += 1
        now[0] *= 2
        assert np.array_equal(found[1].numpy(), now) and found[2].tolist() == now[:1].tolist()
        now *= 3
        assert np.array_equal(found[4].numpy(), now + 1)
        assert np.array_equal(found[5].numpy(), now) and np.array_equal(w.numpy(), now)


@pytest.mark.parametrize("role", [weft.persistent, weft.variable, lambda values: weft.asarray(values) * 1])
def test_functions_give_the_values_of_their_turn(role: Any) -> None:
    w = role([1.0, 2.0])
    f = weft.computation([
        lambda: w, lambda: weft.assign(w, w + 1), lambda: (w, {"w": w[::-1]}), lambda: weft.assign(w[:1], 7), lambda: w,
        weft.sequential([lambda: w, lambda: weft.assign(w, w * 2), lambda: w[:1]]),
    ])  # fmt: skip
    for _ in range(3):
        was = w.numpy().copy()
        first, _, (second, named), _, third, last = f()
        assert first.tolist() == was.tolist() and second.tolist() == (was + 1).tolist()
        assert named["w"].tolist() == (was + 1).tolist()[::-1] and third.tolist() == [7.0, was[1] + 1]
        assert last.tolist() == [14.0] and w.tolist() == [14.0, 2 * was[1] + 2]


def test_steps_that_are_done_at_once_give_the_values_of_their_turn() -> None:
    w = weft.variable([1.0])

    def read() -> Any:
        return w

    assert weft.sequential([read, lambda: weft.assign(w, w + 1), read])().tolist() == [1.0] and w.tolist() == [2.0]


def test_graphs_of_before_read_the_versions_of_each_call() -> None:
    w, x = weft.variable(1.0), weft.placeholder(name="x")
    g = x - w
    f = weft.computation([g, lambda: weft.assign(w, w + g)], x)
    f(3.0)
    h = weft.computation(lambda: weft.assign(w, w + g), x)
    for _ in range(2):
        h(5.0)
    assert w.item() == 5.0
    w[...] = 0.0
    assert f(2.0)[0].item() == 2.0 and w.item() == 2.0


def test_training_by_hand_is_one_computation() -> None:
    rng = np.random.default_rng(0)
    start = rng.standard_normal(3)
    x, y = weft.placeholder((4, 3), name="x"), weft.placeholder((4,), name="y")

    def made() -> Any:
        w, m, v, t = weft.variable(start), weft.variable(np.zeros(3)), weft.variable(np.zeros(3)), weft.persistent(0.0)
        w.requires_grad_()
        return w, m, v, t

    def adam(w: Any, m: Any, v: Any, t: Any, loss: Any) -> None:
        (g,) = weft.autograd.grad(loss, w)
        with weft.no_grad():
            t += 1
            m[...] = 0.9 * m + 0.1 * g
            weft.assign(v, 0.999 * v + 0.001 * g * g)
            w -= 0.1 * (m / (1 - 0.9**t)) / (weft.sqrt(v / (1 - 0.999**t)) + 1e-8)

    state, plain = made(), made()
    loss = ((x @ state[0] - y) ** 2).mean()
    f = weft.computation([loss, lambda: adam(*state, loss)], x, y)
    for k in range(4):
        a, b = rng.standard_normal((4, 3)), rng.standard_normal(4)
        expected = ((weft.asarray(a) @ plain[0] - weft.asarray(b)) ** 2).mean()
        shown = expected.item()
        adam(*plain, expected)
        assert f(a, b)[0].item() == shown
        assert [t.tolist() for t in state] == [t.tolist() for t in plain], k


def test_all_placeholders() -> None:
    x, y = weft.placeholder((2,), name="x"), weft.placeholder((), name="y")
    w = weft.variable([0.0, 0.0])
    f = weft.computation({"sum": x + y, "w": lambda: weft.assign(w, x)}, "all")
    made = f(x=[1.0, 2.0], y=3.0)
    assert made["sum"].tolist() == [4.0, 5.0] and made["w"] is None and w.tolist() == [1.0, 2.0]
    with pytest.raises(ValueRangeError, match="placeholder 'y'"):
        weft.computation(lambda: weft.assign(w, x + y), x)


def test_a_variable_that_is_given_is_no_captured_one() -> None:
    w, v = weft.variable([1.0, 2.0]), weft.variable([0.0, 0.0])
    old = w * 3
    f = weft.computation([lambda: weft.assign(v, w + old), old], w)
    w[...] = 9.0
    assert f([1.0, 1.0])[1].tolist() == [3.0, 3.0] and v.tolist() == [4.0, 4.0] and w.tolist() == [9.0, 9.0]
    with pytest.raises(TracingError, match="computation: an input is written"):
        weft.computation(lambda: weft.assign(w, v), w)
    p = weft.placeholder((2,))
    with pytest.raises(TracingError, match="computation: an input is written"):
        weft.computation(lambda: weft.assign(p, v), p)


def test_errors_leave_all_as_it_was() -> None:
    x, w = weft.placeholder((3,)), weft.variable([1.0, 2.0])
    with pytest.raises(weft.errors.ShapeError):
        weft.computation([lambda: weft.assign(w, 0.0), lambda: w + x], x)
    assert w.tolist() == [1.0, 2.0]
    with pytest.raises(DTypeError, match="doall: step 1 is 3"):
        weft.doall([w, 3])  # type: ignore[list-item]


def test_functions_that_look_at_values() -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.computation(lambda: w * float(w.sum()))
    assert f().tolist() == [3.0, 6.0]
    w[0] = 2.0
    with pytest.raises(TracingError, match="make the computation anew"):
        f()


def test_random_numbers_are_new_at_each_call() -> None:
    here, there = weft.random.default_rng(3), weft.random.default_rng(3)
    w = weft.variable(np.zeros(2))
    f = weft.computation(lambda: weft.assign(w, here.normal(size=(2,))))
    for _ in range(3):
        f()
        assert w.tolist() == there.normal(size=(2,)).tolist()


def test_life() -> None:
    w = weft.variable(np.zeros(100))
    x = weft.placeholder((100,))
    with weft.computation([(w + x).sum(), lambda: weft.assign(w, x)], x) as f:
        f(np.ones(100))
        memory = f.memory()
        assert memory is not None and memory.peak >= 808
        other = weft.computation(w * 2)
        assert [t._place for t in f.persistent] == [w._place] == [t._place for t in other.persistent]
    for use in (lambda: f(np.ones(100)), f.memory, lambda: f.persistent, lambda: pickle.dumps(f)):
        with pytest.raises(ClosedError, match="computation: it was closed"):
            use()
    assert "closed" in repr(f) and other().tolist() == [2.0] * 100


def test_copies_write_variables_of_their_own() -> None:
    w, x = weft.variable([1.0, 2.0]), weft.placeholder((2,), name="x")
    f = weft.computation([w * x, lambda: weft.assign(w, x)], x)
    g = copy.deepcopy(f)
    assert numbers(g(x=[3.0, 4.0])) == [[3.0, 8.0], None] and w.tolist() == [1.0, 2.0]
    assert numbers(g([1.0, 1.0])) == [[3.0, 4.0], None] and g.persistent[0].tolist() == [1.0, 1.0]
    assert pickle.loads(pickle.dumps(weft.computation(None)))() is None
    drawing = weft.computation(lambda: weft.random.default_rng(1).normal(size=(2,)))
    with pytest.raises(DTypeError, match="draws from a generator"):
        pickle.dumps(drawing)


def test_devices() -> None:
    w = weft.variable([1.0, 2.0])
    x = weft.placeholder((2,))
    f = weft.computation([w * x, lambda: weft.assign(w, w + x)], x)
    made = f(weft.asarray([1.0, 1.0]).to("thread:0"))
    assert made[0].tolist() == [1.0, 2.0] and w.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "bfloat16", "complex64", "float8_e5m2", ">f4"])
def test_dtypes(dtype: str) -> None:
    w = weft.persistent(weft.constant(np.ones((2, 0, 3))), dtype=dtype.strip(">"))
    v = weft.persistent(weft.constant([1, 0, 1]), dtype=dtype.strip(">"))
    x = weft.placeholder((3,), dtype=dtype.strip(">"))
    f = weft.computation([lambda: weft.assign(v, x), lambda: weft.assign(w, v), v, w], x)
    given = weft.asarray([0, 1, 1]).astype(weft.bool).astype(v.dtype)
    for _ in range(2):
        made = f(given)
        assert made[2].tolist() == given.tolist() == v.tolist() and made[3].shape == (2, 0, 3)


def test_computations_are_parts_of_compiled_functions() -> None:
    x, w = weft.placeholder((2,), name="x"), weft.variable([1.0, 2.0])
    inner = weft.computation([w * x, lambda: weft.assign(w, w + x)], x)

    @weft.compile
    def f(y: Any) -> Any:
        first = inner(y)[0]
        second = inner(x=y * 2)[0]
        return first, second, w.sum()

    for start in ([1.0, 2.0], [4.0, 5.0], [0.0, 0.0]):
        w[...] = weft.asarray(start)
        found = [t.tolist() for t in f(weft.asarray([1.0, 1.0]))]
        after = [s + 3.0 for s in start]
        assert found == [start, [2 * s + 2.0 for s in start], sum(after)] and w.tolist() == after
    assert f.traces == 1


def test_memory_that_is_shared_with_what_is_written() -> None:
    base = np.zeros(4)
    a, b = weft.asarray(base), weft.asarray(base)
    f = weft.computation([lambda: weft.assign(a[:1], 9.0), lambda: b * 1])
    with pytest.raises(TracingError, match="share memory with one that it writes"):
        f()
    assert base.tolist() == [0.0] * 4


def test_random_numbers_of_parts_are_new_at_each_call() -> None:
    here, there = weft.random.default_rng(3), weft.random.default_rng(3)
    inner = weft.computation(lambda: here.normal(size=(2,)))
    there.normal(size=(2,))  # that of the trace
    f = weft.compile(lambda x: inner() + x)
    for _ in range(3):
        assert f(weft.zeros(2)).tolist() == there.normal(size=(2,)).tolist()
