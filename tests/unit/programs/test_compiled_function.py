"""Compiled functions: what they give, what they write, what they refuse, and how often they are traced."""

from __future__ import annotations

import gc
import numbers
import threading
import weakref
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import ArgumentError, GradientError, ShapeError, TracingError
from weft.ir.graph.node import MAX_DEPTH
from weft.tensors.tracing import Trace


def body(a: Any, b: Any) -> Any:
    x = a * b + a
    x = weft.exp(-x * 0.5) + weft.abs(b)
    return x / 2


def test_values_are_those_of_the_function() -> None:
    f = weft.compile(body)
    for k in range(3):
        a, b = np.arange(5.0) + k, np.arange(5.0)[::-1] - k
        assert f(weft.asarray(a), weft.asarray(b)).tolist() == body(weft.asarray(a), weft.asarray(b)).tolist()
    assert f.traces == 1 and f.__name__ == "body"


def test_one_program_runs_at_each_call() -> None:
    f, a, b = weft.compile(body), weft.asarray(np.ones(100)), weft.asarray(np.ones(100))
    f(a, b)
    with weft.profile() as p:
        f(b, a)
    assert (p.kernels_compiled, p.kernels_run) == (0, 1)


def test_another_shape_is_planned_and_compiles_nothing() -> None:
    f = weft.compile(body)
    f(weft.asarray(np.ones(100)), weft.asarray(np.ones(100)))
    with weft.profile() as p:
        assert f(weft.asarray(np.ones(200)), weft.asarray(np.ones(200))).shape == (200,)
    assert (p.kernels_compiled, f.traces) == (0, 2)


@pytest.mark.parametrize("make", [
    lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(2, 5).T, lambda a: a.astype(">f8"),
    lambda a: a.astype("i2"), lambda a: a.astype("c8"), lambda a: a.astype("f2"), lambda a: a[3], lambda a: a[:0],
])  # fmt: skip
def test_arguments_of_any_layout(make: Any) -> None:
    f = weft.compile(lambda x: [x + x, x[..., ::-1] if x.ndim else x, (x == x).sum(), x])
    for k in range(3):
        x = weft.asarray(make(np.arange(10.0) + k))
        for found, expected in zip(f(x), f.__wrapped__(x), strict=True):
            assert found.dtype is expected.dtype and np.array_equal(found.numpy(), expected.numpy())


def test_pending_arguments_and_arrays() -> None:
    f = weft.compile(lambda x, y: x @ y)
    x = weft.asarray([1.0, 2.0])
    assert f(x * 2, np.array([1.0, 3.0])).item() == 14.0
    assert f(x, x).item() == 5.0 and f(x, x * 1).item() == 5.0 and f(x, x).item() == 5.0
    assert f.traces == 1


Pair = namedtuple("Pair", "first second")


@dataclass
class Line:
    slope: Any
    at_zero: Any


def test_containers_go_in_and_out() -> None:
    @weft.compile
    def f(pair: Pair, line: Line, named: dict[str, Any], *more: Any) -> Any:
        y = line.slope * pair.first + line.at_zero
        return Pair(y, [named["a"] + m for m in more]), {"line": Line(y.sum(), None), "text": named["text"]}

    x = weft.asarray([1.0, 2.0])
    for k in (1.0, 2.0):
        pair, rest = f(Pair(x * k, None), Line(2.0, x), {"a": x, "text": "t"}, 1, x)
        assert pair.first.tolist() == [2 * k + 1, 4 * k + 2] and [t.tolist() for t in pair.second] == [[2, 3], [2, 4]]
        assert rest["line"].slope.item() == 6 * k + 3 and rest["line"].at_zero is None and rest["text"] == "t"
    assert f.traces == 1


def test_registered_types() -> None:
    class Box:
        def __init__(self, inside: Any) -> None:
            self.inside = inside

    weft.register_pytree(Box, lambda b: ((b.inside,), "extra"), lambda extra, parts: Box(*parts))
    assert weft.compile(lambda b: Box(b.inside + 1))(Box(weft.asarray([1]))).inside.tolist() == [2]
    for known in (Box, list, 3):
        with pytest.raises(ArgumentError, match="register_pytree"):
            weft.register_pytree(known, None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "complex64", "bool"])
def test_numbers_have_the_dtypes_of_numbers(dtype: str) -> None:
    def g(x: Any, n: Any, r: Any) -> Any:
        return [x * n, n - x, x * r, x ** (n + 0), (r * 2 - 1) / n * x, weft.where(x > n, x, r), x < r, weft.asarray(r)]

    f, x = weft.compile(g), weft.asarray(np.arange(4)).astype(dtype)
    if dtype == "bool":
        g = f.__wrapped__ = lambda x, n, r: [x * n, x * r]  # type: ignore[assignment]
        f = weft.compile(g)
    if dtype == "complex64":
        g = lambda x, n, r: [x * n, n - x, x * r, (r * 2 - 1) / n * x, weft.asarray(r)]  # noqa: E731
        f = weft.compile(g)
    for n, r in ((2, 0.5), (3, 1.5), (1, -2.0)):
        for found, expected in zip(f(x, n, r), g(x, n, r), strict=True):
            assert found.dtype is expected.dtype and found.tolist() == expected.tolist()
    assert f.traces == 1


def test_numbers_are_checked_at_each_call() -> None:
    f, x = weft.compile(lambda x, n: x + n), weft.asarray([1], dtype="int8")
    assert f(x, 100).tolist() == [101]
    with pytest.raises(weft.errors.ValueRangeError, match="300 beside int8"):
        f(x, 300)


@pytest.mark.parametrize("f", [
    lambda x, n: x if n > 1 else -x, lambda x, n: x[int(n)], lambda x, n: x if n else -x, lambda x, n: x[n],
    lambda x, n: weft.zeros(n), lambda x, n: {n: 1}, lambda x, n: x * np.sqrt(n), lambda x, n: range(n),
    lambda x, n: x if x.sum() > 0 else -x, lambda x, n: x.tolist(), lambda x, n: x.numpy(), lambda x, n: float(x[0]),
    lambda x, n: np.asarray(x), lambda x, n: x[x > 0], lambda x, n: [v for v in x if v],
])  # fmt: skip
def test_control_flow_on_values_is_refused(f: Any) -> None:
    with pytest.raises(TracingError, match=r"compile: .*static|compile: .*where"):
        weft.compile(f)(weft.asarray([1.0, 2.0]), 1)
    assert not Trace.active


def test_the_message_names_the_line() -> None:
    with pytest.raises(TracingError, match=r"tensor 0 of the arguments of <lambda>.*test_compiled_function.py:\d+"):
        weft.compile(lambda x: x if x.sum() > 0 else -x)(weft.asarray([1.0]))


def test_static_arguments() -> None:
    @weft.compile(static=("n", "kind"))
    def f(x: Any, n: int, *, kind: str = "a") -> Any:
        return x[n] if kind == "a" else weft.zeros(n)

    x = weft.asarray([1.0, 2.0, 3.0])
    assert [f(x, k).item() for k in (0, 2, 0)] == [1.0, 3.0, 1.0] and f(x, n=1).item() == 2.0
    assert f(x, 2, kind="b").shape == (2,) and f.traces == 4
    assert weft.compile(lambda x, flag: -x if flag else x)(x, True).tolist() == [-1.0, -2.0, -3.0]
    with pytest.raises(ArgumentError, match="static="):
        weft.compile(lambda x: x, static="y")
    with pytest.raises(ArgumentError, match="cannot be compared"):
        weft.compile(lambda x, s: x)(x, {1, 2})


def test_captured_tensors_are_read_at_each_call() -> None:
    w, plain = weft.variable([1.0, 2.0]), weft.asarray([10.0, 20.0])
    f = weft.compile(lambda x: x * w[::-1] + plain)
    one = weft.asarray([1.0, 1.0])
    assert f(one).tolist() == [12.0, 21.0]
    w[0] = 5
    plain += 1
    assert f(one).tolist() == [13.0, 26.0]
    w -= one
    assert f(one).tolist() == [12.0, 25.0] and f.traces == 1


def _looks_behind_a_write(w: Any, v: Any) -> float:
    was = w * 1
    weft.assign(w, w + v)
    return float(was.sum())


def _looks_between_writes(w: Any, v: Any) -> float:
    weft.assign(w, w + v)
    was = w * 1
    weft.assign(w, w * 2)
    return float(was.sum())


def _looks_behind_two_writes(w: Any, v: Any) -> float:
    weft.assign(w, w + v)
    weft.assign(w, w * 2)
    return float(w.sum())


@pytest.mark.parametrize("looks", [_looks_behind_a_write, _looks_between_writes, _looks_behind_two_writes])
@pytest.mark.parametrize("size", [2, 20_000])
def test_what_was_looked_at_beside_writes_is_looked_at_again(looks: Any, size: int) -> None:
    def made() -> tuple[Any, Any]:
        w, v = weft.variable(np.ones(size)), weft.variable(np.arange(size))
        return w, lambda x: x * looks(w, v)

    (w, f), (expected, plain) = made(), made()
    compiled, x = weft.compile(f), weft.ones(2)
    for k in range(4):
        assert compiled(x).tolist() == plain(x).tolist() and np.array_equal(w.numpy(), expected.numpy()), k


def _deep(x: Any) -> Any:
    for _ in range(MAX_DEPTH + 10):
        x = x + 1
    return x


def _with_storage(x: Any) -> Any:
    assert x.storage is not None
    return x


def test_deep_graphs_are_parts_of_programs() -> None:
    w = weft.variable([1.0, 2.0])
    f, g = weft.compile(lambda: _deep(w * 2)), weft.computation(lambda: weft.assign(w, _deep(w * 2)))
    for k in range(3):
        w[...] = k
        assert f().tolist() == [2.0 * k + MAX_DEPTH + 10] * 2 and len(f.explain().splitlines()) == 1
        g()
        assert w.tolist() == [2.0 * k + MAX_DEPTH + 10] * 2


@pytest.mark.parametrize("computed", [lambda x: x.realize(), lambda x: weft.compute(x)[0], _deep, _with_storage])
def test_what_was_computed_in_a_trace_is_computed_again(computed: Any) -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.compile(lambda x: x * computed(w * 2))
    for k in range(3):
        w[0] = k
        assert f(weft.ones(2)).tolist() == computed(w * 2).tolist()


def test_what_was_looked_at_is_looked_at_again() -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.compile(lambda x: x * float(w.sum()))
    assert f(weft.asarray([1.0])).item() == 3.0 and f(weft.asarray([2.0])).item() == 6.0
    w[0] = 5
    assert f(weft.asarray([1.0])).item() == 7.0


def test_writes_are_done_in_their_order_at_each_call() -> None:
    w = weft.variable([1.0, 2.0, 3.0])

    @weft.compile
    def f(x: Any) -> Any:
        before = w * 1
        w[1:] = x
        w[0] += w[2]
        weft.assign(w[1], 7)
        return before, w.sum()

    expected = np.array([1.0, 2.0, 3.0])
    for k in range(4):
        shown = expected.copy()
        expected[1:] = [k, k + 1]
        expected[0] += expected[2]
        expected[1] = 7
        before, total = f(weft.asarray([k, k + 1.0]))
        assert before.tolist() == shown.tolist() and total.item() == expected.sum()
        assert w.tolist() == expected.tolist()
    assert f.traces == 1


def test_arguments_are_written() -> None:
    @weft.compile
    def f(x: Any, y: Any) -> None:
        x += y
        y[...] = 0

    for _ in range(3):
        base = np.arange(6.0)
        x, y = weft.asarray(base)[1:4], weft.asarray([1.0, 2.0, 3.0])
        f(x, y)
        assert base.tolist() == [0.0, 2.0, 4.0, 6.0, 4.0, 5.0] and y.tolist() == [0.0] * 3


def test_arguments_of_any_layout_are_written() -> None:
    @weft.compile
    def f(x: Any) -> Any:
        row = x[1]
        x[:, 0] += 1
        total = row + x.T[:, 1]
        x[::-1, 1:] = x[:, 1:] * 2
        row[0] = 5
        for k, r in enumerate(x):
            r[-1] = k
        return total, x[1:], x.T

    layouts = [lambda a: a[:, ::2], lambda a: a[::-1, 1:4], lambda a: a.T[:, :2], lambda a: a.astype(">f8")[:, ::-1],
               lambda a: a[:, :3].astype(">f4"), lambda a: np.asfortranarray(a[:, :3])]  # fmt: skip
    for layout in layouts:
        for k in range(3):
            first, second = (layout(np.arange(20.0).reshape(4, 5) + k) for _ in range(2))
            for a, b in zip(f(weft.asarray(first)), f.__wrapped__(weft.asarray(second)), strict=True):
                assert a.tolist() == b.tolist()
            assert first.tolist() == second.tolist()


def test_several_tensors_are_assigned_at_once() -> None:
    a, b = weft.variable([1.0, 2.0, -0.0]), weft.variable([[4.0], [5.0]])

    @weft.compile
    def f(v: Any) -> Any:
        weft.assign(weft.concat([a, weft.reshape(b, (2,))])[::2], v)
        weft.assign(weft.interleave([a[:2], b[:, 0]])[1:3], a[:2] * 10)
        return a + 0, b + 0

    g = f.__wrapped__
    for k in range(3):
        made = [t.tolist() for t in f(weft.asarray([k, -0.0, 3.0]))]
        assert [a.tolist(), b.tolist()] == made
        after = made
    weft.assign(a, [1.0, 2.0, -0.0])
    weft.assign(b, [[4.0], [5.0]])
    for k in range(3):
        expected = [t.tolist() for t in g(weft.asarray([k, -0.0, 3.0]))]
    assert after == expected and f.traces == 1
    with pytest.raises(weft.errors.WriteError, match="is generated"):
        weft.compile(lambda: weft.assign(weft.pad(a, 1), 0.0))()
    with pytest.raises(weft.errors.WriteError, match="one cell"):
        weft.compile(lambda: weft.assign(weft.concat([a, a]), 0.0))()
    weft.compile(lambda: weft.assign(weft.concat([a, a]), weft.iota((6,)), last_wins=True))()
    assert a.tolist() == [3.0, 4.0, 5.0]


def test_writes_through_windows() -> None:
    a = weft.variable(np.arange(6.0))

    @weft.compile
    def f(v: Any) -> None:
        weft.sliding_window_view(a, 2)[2::2] = v

    for k in (1.0, -0.0):
        f(weft.asarray([k, 2.0]))
        assert a.tolist() == [0.0, 1.0, k, 2.0, k, 2.0] and np.signbit(a[2].item()) == (k == 0)
    z = weft.variable(np.zeros(2, complex))
    with pytest.raises(TracingError, match="real or imaginary part"):
        weft.compile(lambda: weft.assign(weft.real(z), 1.0))()


def test_arguments_that_share_memory_are_written_as_without() -> None:
    @weft.compile
    def f(x: Any, y: Any) -> Any:
        x[0] = 9
        return y + 0

    for _ in range(3):
        x = weft.asarray([1.0, 2.0])
        assert f(x, x).tolist() == [9.0, 2.0]
        x = weft.asarray([1.0, 2.0])
        assert f(x, x[:1]).tolist() == [9.0]
        assert f(weft.asarray([1.0, 2.0]), weft.asarray([1.0, 2.0])).tolist() == [1.0, 2.0]


def test_results_are_values_of_their_own() -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.compile(lambda x: (x, x, w, w[:1], weft.zeros(2)))
    for _ in range(3):
        x = weft.asarray([3.0, 4.0])
        made = f(x)
        for t in made:
            t[0] = 100
        assert (x.tolist(), w.tolist()) == ([3.0, 4.0], [1.0, 2.0])
        assert [t.tolist() for t in made[1:2]] == [[100.0, 4.0]]


def test_random_numbers_are_new_at_each_call() -> None:
    here, there = weft.random.default_rng(3), weft.random.default_rng(3)
    f = weft.compile(lambda x: x + here.normal(size=(3,)) + here.permutation(5000)[:3])
    x = weft.zeros(3)
    for _ in range(4):
        assert f(x).tolist() == (there.normal(size=(3,)) + there.permutation(5000)[:3]).tolist()
    same = weft.compile(lambda x: x + here.normal(size=(3,)), repeat_random=True)
    assert same(x).tolist() == same(x).tolist()


def test_keys_are_arguments() -> None:
    f = weft.compile(lambda key, step: weft.random.uniform((2,), seed=weft.random.fold(key, step)))
    for key, step in ((1, 2), (1, 3), (7, 3)):
        assert f(key, step).tolist() == weft.random.uniform((2,), seed=weft.random.fold(key, step)).tolist()
    assert f.traces == 1
    with pytest.raises(weft.errors.ValueRangeError, match="seed -1"):
        f(-1, 2)


def make_training(compiled: bool, backward: bool) -> Any:
    rng = np.random.default_rng(0)
    w, b = (weft.variable(rng.standard_normal(s)).requires_grad_() for s in ((3, 2), (2,)))

    def step(x: Any, rate: Any) -> Any:
        loss = (weft.tanh(x @ w + b) ** 2).sum()
        if backward:
            loss.backward()
            gradients = [w.grad, b.grad]
        else:
            gradients = weft.autograd.grad(loss, [w, b])
        with weft.no_grad():
            for p, g in zip((w, b), gradients, strict=True):
                p -= rate * g
        if backward:
            w.grad = b.grad = None
        return loss

    return weft.compile(step) if compiled else step, w, b


@pytest.mark.parametrize("backward", [False, True])
def test_training_steps(backward: bool) -> None:
    (plain, *expected), (compiled, *found) = (make_training(c, backward) for c in (False, True))
    for k in range(5):
        x = weft.asarray(np.random.default_rng(k).standard_normal((4, 3)))
        assert plain(x, 0.1).item() == compiled(x, 0.1).item()
        for p, q in zip(expected, found, strict=True):
            assert p.tolist() == q.tolist() and q.requires_grad and q.grad is None
    assert compiled.traces == 1


def test_gradients_add_up() -> None:
    w = weft.variable([1.0, 2.0]).requires_grad_()
    f = weft.compile(lambda x: (x * w).sum().backward())
    x = weft.asarray([3.0, 4.0])
    for k in range(1, 4):
        f(x)
        assert w.grad.tolist() == [3.0 * k, 4.0 * k]
    w.grad = None
    f(x)
    assert w.grad.tolist() == [3.0, 4.0]


def test_gradients_through_compiled_functions() -> None:
    w = weft.variable([1.0, 2.0]).requires_grad_()
    f = weft.compile(lambda x, n: (x * w * w).sum() * n)
    for k in range(3):
        x = weft.asarray([3.0, 4.0 + k]).requires_grad_()
        y = f(x, 2.0)
        assert y.requires_grad
        gx, gw = weft.autograd.grad(y, [x, w])
        assert gx.tolist() == [2.0, 8.0] and gw.tolist() == [12.0, 8.0 * (4 + k)]
    with weft.no_grad():
        y = f(x, 2.0)
    with pytest.raises(GradientError):
        y.backward()


def test_errors_leave_all_as_it_was() -> None:
    w = weft.variable([1.0, 2.0])

    @weft.compile
    def f(x: Any) -> Any:
        w[0] = 5
        return w + x

    with pytest.raises(ShapeError):
        f(weft.zeros(3))
    assert w.tolist() == [1.0, 2.0] and f.traces == 0
    assert f(weft.zeros(2)).tolist() == [5.0, 2.0]


def test_a_leaked_tensor_says_so() -> None:
    kept: list[Any] = []
    weft.compile(lambda x: kept.append(x * 2))(weft.asarray([1.0]))
    with pytest.raises(TracingError, match="read after it was traced"):
        kept[0].tolist()


def test_compiled_functions_inside_others() -> None:
    inner = weft.compile(lambda x, n: x * n)
    outer = weft.compile(lambda x: inner(x, 2) + 1)
    assert outer(weft.asarray([1.0])).tolist() == [3.0] == outer(weft.asarray([1.0])).tolist()


def test_methods() -> None:
    class Model:
        def __init__(self) -> None:
            self.w = weft.variable(2.0)

        @weft.compile
        def __call__(self, x: Any) -> Any:
            return x * self.w

    one, other = Model(), Model()
    other.w[...] = 3
    assert one(weft.asarray([1.0])).tolist() == [2.0] and other(weft.asarray([1.0])).tolist() == [3.0]


class Scale:
    """A model that is equal to all others."""

    def __init__(self, by: float) -> None:
        self.by, self.w = by, weft.variable(by)

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1

    @weft.compile
    def of(self, x: Any) -> Any:
        return x * self.by + self.w


def test_methods_of_equal_objects_are_traced_for_each() -> None:
    one, five, x = Scale(1.0), Scale(5.0), weft.asarray([1.0])
    for _ in range(2):
        assert one.of(x).tolist() == [2.0] and five.of(x).tolist() == [10.0]
        assert Scale.of(five, x).tolist() == [10.0]


def test_methods_do_not_keep_their_objects() -> None:
    kept, x, before = Scale(2.0), weft.asarray([1.0]), Scale.of.traces
    kept.of(x)
    gone = []
    for k in range(5):
        model = Scale(k)
        assert model.of(x).tolist() == [2.0 * k] == model.of(x).tolist()
        gone += [weakref.ref(model), weakref.ref(model.w._place)]
    del model
    gc.collect()
    assert [r() for r in gone] == [None] * 10
    gc.collect()
    assert Scale.of.traces <= before + 1 and kept.of(x).tolist() == [4.0]


def test_methods_of_what_cannot_be_weakly_referenced_are_traced_by_its_value() -> None:
    class Text(str):
        __slots__ = ()

        @weft.compile
        def count(self, x: Any) -> Any:
            return x * len(self)

    x = weft.asarray([1.0])
    for text in ("ab", "abc", "ab"):
        assert Text(text).count(x).tolist() == [len(text)]
    assert Text.count.traces == 2


def test_long_bodies_are_one_program() -> None:
    def f(x: Any) -> Any:
        for k in range(150):
            x = x * 0.5 + k
        return x

    compiled = weft.compile(f)
    x = weft.asarray([1.0, 2.0])
    assert compiled(x).tolist() == f(x).tolist() == compiled(x).tolist()


def test_nothing_is_kept_alive() -> None:
    f = weft.compile(lambda x: x + 1)
    x = weft.asarray(np.zeros(10))
    f(x), f(x)
    gone = weakref.ref(x._place)
    del x
    gc.collect()
    assert gone() is None


def test_threads() -> None:
    f = weft.compile(lambda x, n: weft.exp(x * n).sum())
    expected = [weft.exp(weft.asarray(np.arange(50.0) / k) * 0.5).sum().item() for k in range(1, 5)]
    wrong: list[Any] = []

    def work(k: int) -> None:
        x = weft.asarray(np.arange(50.0) / k)
        for _ in range(200):
            if f(x, 0.5).item() != expected[k - 1]:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_first_calls_from_many_threads_lose_no_write() -> None:
    w, v, start = weft.variable(0.0), weft.variable(np.zeros(3)), threading.Barrier(6)
    values: list[float] = []

    @weft.compile
    def count(x: Any) -> Any:
        weft.assign(w, w + 1)
        weft.assign(x, x + 1)
        return w * 1

    def work() -> None:
        start.wait()
        values.extend([count(v).item() for _ in range(60)])

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert w.item() == 360 and v.tolist() == [360.0] * 3
    assert sorted(values) == list(range(1, 361)) and len(count.explain().splitlines()) == 1


def _in_a_thread(f: Any, *args: Any) -> None:
    thread = threading.Thread(target=f, args=args)
    thread.start()
    thread.join()


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("writes", [False, True])
def test_what_other_threads_write_during_a_trace_is_read_at_later_calls(is_compiled: bool, writes: bool) -> None:
    w, x = weft.variable([1.0, 2.0]), weft.asarray([1.0, 1.0])

    def change() -> None:
        weft.assign(w, w * 0 + 10.0)

    change_in_thread = weft.compile(change) if is_compiled else change

    @weft.compile
    def f(x: Any) -> Any:
        y = w + x
        _in_a_thread(change_in_thread)
        if writes:
            weft.assign(w, y)
        return y * 1

    assert f(x).tolist() in ([2.0, 3.0], [11.0, 11.0])
    weft.assign(w, [20.0, 30.0])
    assert f(x).tolist() == [21.0, 31.0]
    assert w.tolist() == ([21.0, 31.0] if writes else [20.0, 30.0])


def test_traces_that_write_in_opposite_orders_do_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.tensors.tracing.PATIENCE", 0.05)
    v, w, met = weft.variable(0.0), weft.variable(0.0), threading.Barrier(2)
    traced: list[Any] = []

    def both(first: Any, second: Any) -> Any:
        def step() -> None:
            weft.assign(first, first + 1)
            if len(traced) < 2:
                traced.append(first)
                met.wait()
            second.__iadd__(1)

        return weft.compile(step)

    def work(f: Any) -> None:
        for _ in range(20):
            f()

    threads = [threading.Thread(target=work, args=(both(*pair),), daemon=True) for pair in ((v, w), (w, v))]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
        assert not t.is_alive()
    assert v.item() == w.item() == 40


def test_a_trace_waits_for_the_writes_of_another_one() -> None:
    w, x = weft.variable([0.0, 0.0]), weft.asarray(1.0)
    threads: list[threading.Thread] = []
    second = weft.compile(lambda x: weft.assign(w, w + x))

    @weft.compile
    def first(x: Any) -> Any:
        weft.assign(w, w + x)
        if not threads:
            threads.append(threading.Thread(target=second, args=(x_given,)))
            threads[0].start()
            threads[0].join(0.1)

    x_given = x * 2
    first(x)
    threads[0].join()
    assert w.tolist() == [3.0, 3.0]
    first(x), second(x_given)
    assert w.tolist() == [6.0, 6.0]


@pytest.mark.parametrize("name", ["reference", "cpu"])
def test_transformers(name: str) -> None:
    f = weft.compile(lambda x: (x * 3).sum())
    assert f(weft.asarray([1.0])).item() == 3.0
    with weft.transformer(name):
        assert f(weft.asarray([2.0])).item() == 6.0
    assert f(weft.asarray([3.0])).item() == 9.0


def test_on_another_device() -> None:
    f = weft.compile(lambda x: (x * 3).sum())
    x = weft.asarray([1.0, 2.0])
    for _ in range(3):
        assert f(x).item() == 9.0
        made = f(x.to("thread:0"))
        assert made.device == "thread:0" and made.item() == 9.0
    assert f.traces == 2


def test_variables_whose_memory_others_see_are_written_where_they_lie() -> None:
    w = weft.variable([1.0, 2.0]).requires_grad_()
    seen = w.numpy()

    @weft.compile
    def step(x: Any) -> Any:
        (g,) = weft.autograd.grad((w * x).sum(), w)
        with weft.no_grad():
            weft.assign(w, w - g)
        return w.sum()

    for k in range(1, 4):
        assert step(weft.asarray([1.0, 1.0])).item() == 3.0 - 2 * k
        assert seen.tolist() == w.tolist() == [1.0 - k, 2.0 - k] and w.requires_grad


def test_views_of_pending_values_are_those_of_each_call() -> None:
    f = weft.compile(lambda x: x + 1)
    for k in range(3):
        x = weft.asarray(np.arange(4.0) + 10 * k)
        assert f((x * 2)[1:]).tolist() == [20.0 * k + 3, 20.0 * k + 5, 20.0 * k + 7]
        assert f((x + 5)[::-1]).tolist() == [10.0 * k + j + 6 for j in (3, 2, 1, 0)]
    p = weft.placeholder((3,))
    g = weft.computation(p * 2, p)
    for k in range(3):
        x = weft.asarray(np.arange(4.0) + k)
        assert g((x + 0)[1:]).tolist() == [2.0 * (j + k) for j in range(1, 4)]


def test_captured_expressions_are_those_of_each_call() -> None:
    w = weft.variable([1.0, 2.0])
    doubled = w * 2
    f = weft.compile(lambda x: x + doubled)
    x = weft.asarray([1.0, 1.0])
    assert f(x).tolist() == [3.0, 5.0]
    w[0] = 100  # what was built before keeps its meaning
    assert f(x).tolist() == [3.0, 5.0]


def test_files_are_read_at_each_call(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(10.0))
    f = weft.compile(lambda x, n: (x * n).sum())
    for n in (1, 2, 3):
        assert f(weft.open(tmp_path / "x.npy"), n).item() == 45.0 * n


def test_other_threads_see_the_versions_of_before_while_writes_are_traced() -> None:
    w, tail = weft.variable([1.0, 2.0]), weft.variable([5.0])
    view, row = w[1:], next(iter(w))
    seen: list[Any] = []
    writers: list[threading.Thread] = []

    def read() -> None:
        seen.extend([w.tolist(), (w * 2).tolist(), view.tolist(), (view + 1).tolist(), w.numpy().tolist(), row.item()])
        seen.append(weft.concat([w, tail]).tolist())
        view.realize()

    def write() -> None:
        w[0] = 100.0

    @weft.compile
    def f(x: Any) -> Any:
        weft.assign(w, w + x)
        reader = threading.Thread(target=read)
        reader.start()
        reader.join()
        writers.append(threading.Thread(target=write))
        writers[-1].start()
        view[...] = 7.0
        return w * 1

    assert f(weft.asarray([10.0, 10.0])).tolist() in ([11.0, 7.0], [110.0, 7.0])
    writers[0].join()
    assert seen == [[1.0, 2.0], [2.0, 4.0], [2.0], [3.0], [1.0, 2.0], 1.0, [1.0, 2.0, 5.0]]
    assert w[0].item() in (100.0, 11.0, 110.0) and w[1].item() == 7.0


@pytest.mark.parametrize("text", [str, lambda k: f"{k}", lambda k: f"{k:.2f}", "{}".format])
def test_texts_of_numbers_are_refused(text: Any) -> None:
    with pytest.raises(TracingError, match=r"a text of it.*static="):
        weft.compile(lambda x, k: (x * k, text(k)))(weft.zeros(2), 3)


@pytest.mark.parametrize("make", [lambda x: {x}, lambda x: map(abs, [x]), lambda x: (e for e in [x])])
def test_results_that_would_hold_tensors_of_the_trace_are_refused(make: Any) -> None:
    with pytest.raises(ArgumentError, match=r"is returned.*return a list"):
        weft.compile(lambda x: make(x * 2))(weft.zeros(2))


def test_coroutines_and_generators_are_refused() -> None:
    async def waits(x: Any) -> Any:
        return x

    def gives(x: Any) -> Any:
        yield x

    for f in (waits, gives):
        with pytest.raises(ArgumentError, match="coroutine or generator"):
            weft.compile(f)


@pytest.mark.parametrize("k", [2, 2.5, 2j])
def test_numbers_have_their_types(k: Any) -> None:
    def chosen(x: weft.Tensor, k: Any) -> Any:
        exact = isinstance(k, int), isinstance(k, (int, float)), isinstance(k, numbers.Number), np.isscalar(k)
        return x * k, exact

    x = weft.asarray([1.0, 2.0])
    value, types = weft.compile(chosen)(x, k)
    wanted, eager = chosen(x, k)
    assert types == eager and value.tolist() == wanted.tolist()
