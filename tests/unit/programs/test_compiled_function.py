"""Compiled functions: what they give, what they write, what they refuse, and how often they are traced."""

from __future__ import annotations

import functools
import gc
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import ArgumentError, GradientError, TracingError
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


def test_one_program_runs_for_a_tensor_that_is_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    f, x, y = weft.compile(body), weft.asarray(np.arange(5.0)), weft.asarray(np.ones(5))
    expected = body(x, x).tolist()
    assert f(x, x).tolist() == expected
    monkeypatch.setattr("weft.runtime.compute.stages.perform", None)  # no stage is needed from here on
    assert f(x, x).tolist() == expected and f(x, y).tolist() != expected


def test_another_shape_is_planned_and_compiles_nothing() -> None:
    f = weft.compile(body)
    f(weft.asarray(np.ones(100)), weft.asarray(np.ones(100)))
    with weft.profile() as p:
        assert f(weft.asarray(np.ones(200)), weft.asarray(np.ones(200))).shape == (200,)
    assert (p.kernels_compiled, f.traces) == (0, 2)


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
    with pytest.raises(TracingError, match=r"argument x of <lambda>.*test_compiled_function.py:\d+"):
        weft.compile(lambda x: x if x.sum() > 0 else -x)(weft.asarray([1.0]))


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
def test_values_read_beside_writes_are_read_again(looks: Any, size: int) -> None:
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
def test_values_computed_in_a_trace_are_computed_again(computed: Any) -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.compile(lambda x: x * computed(w * 2))
    for k in range(3):
        w[0] = k
        assert f(weft.ones(2)).tolist() == computed(w * 2).tolist()


def test_values_read_in_a_trace_are_read_again() -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.compile(lambda x: x * float(w.sum()))
    assert f(weft.asarray([1.0])).item() == 3.0 and f(weft.asarray([2.0])).item() == 6.0
    w[0] = 5
    assert f(weft.asarray([1.0])).item() == 7.0


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


def test_coroutines_and_generators_are_refused() -> None:
    async def waits(x: Any) -> Any:
        return x

    def gives(x: Any) -> Any:
        yield x

    for f in (waits, gives):
        with pytest.raises(ArgumentError, match="coroutine or generator"):
            weft.compile(f)


def _again_by_program(f, monkeypatch):
    """Let calls of the compiled function f fail that plan a graph anew."""
    graph = f.calls()[0][1].graph

    def anew(*_):
        raise AssertionError("planned anew")

    monkeypatch.setattr(type(graph), "computed_anew", anew)


def test_positions_are_checked_at_each_call_of_one_program(monkeypatch):
    f = weft.compile(lambda x, i: weft.take(x, i) * 2)
    x = weft.arange(5.0)
    assert f(x, weft.asarray([0, 1])).tolist() == [0.0, 2.0]
    with pytest.raises(weft.errors.IndexOutOfBounds, match="position 7 along an axis of size 5"):
        f(x, weft.asarray([0, 7]))
    _again_by_program(f, monkeypatch)
    assert f(x, weft.asarray([2, -1])).tolist() == [4.0, 8.0]
    with pytest.raises(AssertionError, match="planned anew"):  # where a check fails, the stages say which
        f(x, weft.asarray([5, 0]))


@pytest.mark.parametrize("checked", [False, True])
def test_batches_of_files_and_pending_arguments_are_made_ready_for_one_program(tmp_path, monkeypatch, checked):
    cells = np.arange(600).reshape(100, 6)
    np.savez(tmp_path / "x.npz", x=cells)

    def step(x, weights, n):
        return weft.take(weights, x % 5, axis=0).sum(axis=1) * n if checked else (x * weights[0]).sum(axis=1) * n

    f, x = weft.compile(step), weft.open(tmp_path / "x.npz")
    for k in range(4):
        rows = cells[10 * k : 10 * k + 10]
        for part, want in ((x[10 * k : 10 * k + 10], rows), (x[10 * k : 10 * k + 10, ::2], rows[:, ::2])):
            found = f(part, weft.arange(1.0, 6.0), 2.0)
            assert found.tolist() == step(weft.asarray(want.copy()), weft.arange(1.0, 6.0), 2.0).tolist()
            if k == 1 and want.shape == (10, 6):
                _again_by_program(f, monkeypatch)
                assert f(x[50:60], weft.arange(2.0, 7.0), 3.0).shape == (10,)
                monkeypatch.undo()


@pytest.mark.parametrize("fixed", [0.1, 0.5])
def test_equal_numbers_of_a_call_are_not_taken_for_one(monkeypatch, fixed):
    def step(x, rate, decay):  # twins: two operations that are one where their numbers are equal
        y = x * fixed
        return weft.sum(y) + weft.sum(x * fixed)[None] * rate, x - rate * y, x + decay * y, x * (1 - decay**2)

    f, x = weft.compile(step), weft.asarray([1.0, 2.0, 3.0, 4.0])
    f(x, 0.5, 0.5)
    _again_by_program(f, monkeypatch)
    for rate, decay in ((0.5, 0.5), (0.25, 0.5), (2.0, 4.0), (0.1, 0.5)):
        for a, b in zip(f(x, rate, decay), step(x, rate, decay), strict=True):
            assert a.tolist() == b.tolist()


def test_dear_positions_are_computed_once_for_their_check_and_their_use():
    f = weft.compile(lambda x: weft.take(x, weft.argsort(x)))
    x = weft.asarray(np.arange(20_000.0)[::-1].copy())
    for _ in range(3):
        with weft.profile() as p:
            assert f(x).tolist() == sorted(x.tolist())
        assert p.calls == 1


def test_positions_found_at_positions_are_checked_too():
    f = weft.compile(lambda t, u, i: weft.take(t, weft.take(u, i)))
    t = weft.arange(5.0)
    assert f(t, weft.asarray([0, 4, 2]), weft.asarray([1, 1])).tolist() == [4.0, 4.0]
    with pytest.raises(weft.errors.IndexOutOfBounds, match="position 9 along an axis of size 5"):
        f(t, weft.asarray([0, 9, 2]), weft.asarray([1, 0]))
    with pytest.raises(weft.errors.IndexOutOfBounds, match="position 3 along an axis of size 3"):
        f(t, weft.asarray([0, 4, 2]), weft.asarray([3, 0]))
    assert f(t, weft.asarray([0, 4, 2]), weft.asarray([2, 0])).tolist() == [2.0, 0.0]


def test_pending_arguments_are_computed_for_the_known_program(monkeypatch):
    f = weft.compile(lambda x, i: weft.take(x, i) * 2)
    x, i = weft.arange(5.0), weft.asarray([0, 1])
    assert f(x, i).tolist() == [0.0, 2.0]
    _again_by_program(f, monkeypatch)
    assert f(x + 1, i + 1).tolist() == [4.0, 6.0]


def test_files_stay_unread_in_pending_arguments(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6.0))
    f = weft.compile(lambda x: x.sum() * 2)
    assert f(weft.arange(6.0)).item() == 30.0
    pending = weft.open(tmp_path / "x.npy") * 1.5
    assert f(pending).item() == 45.0
    assert pending._place.node.value is None


def test_functions_of_the_library_are_compiled_without_their_surroundings(monkeypatch) -> None:
    x, scale = weft.asarray(np.ones((5, 4))), [2.0]
    g = weft.compile(weft.value_and_grad(lambda x: (x * scale[0]).sum()))
    assert g(x)[0].item() == 40.0
    scale[0] = 3.0
    assert g(x)[0].item() == 60.0
    f = weft.compile(weft.nn.softmax)
    assert f(x).tolist() == [[0.25] * 4] * 5
    _again_by_program(f, monkeypatch)
    assert f(x).tolist() == [[0.25] * 4] * 5


WRAPPED_SCALE = [2.0]


@pytest.mark.parametrize("outside", [weft.sum, np.sum], ids=["weft", "numpy"])
def test_functions_that_wrap_those_of_libraries_are_the_users(outside) -> None:
    @functools.wraps(outside)
    def scaled(x):
        return x * WRAPPED_SCALE[0]

    del scaled.__wrapped__
    x = weft.asarray([1.0, 2.0])
    for f in (weft.compile(scaled), weft.compile(lambda x: scaled(x) + 0.0)):
        for WRAPPED_SCALE[0] in (2.0, 3.0):
            assert f(x).tolist() == [WRAPPED_SCALE[0], 2 * WRAPPED_SCALE[0]]


def test_what_arguments_of_partials_and_compiled_functions_find_is_compared() -> None:
    x, scale, named = weft.asarray([1.0, 2.0]), [2.0], SimpleNamespace(scale=[2.0])

    def call(f, x):
        return f(x)

    class Scaled:
        def scaled(self, x):
            return x * self.scale

    thing = Scaled()
    method, inner = thing.scaled, weft.compile(lambda x: x * scale[0])
    part = functools.partial(call, lambda x: x * scale[0])
    for f in (
        weft.compile(functools.partial(call, lambda x: x * scale[0])),
        weft.compile(functools.partial(lambda x, s: x * s[0], s=scale)),
        weft.compile(functools.partial(lambda s, x: x * s[0], scale)),
        weft.compile(functools.partial(lambda x, o: x * o.scale[0], o=named)),
        weft.compile(functools.partial(weft.scan, lambda c, v: (c, v * scale[0]), 0.0)),
        weft.compile(lambda x: inner(x) + 0.0),
        weft.compile(lambda x: part(x) + 0.0),
        weft.compile(lambda x: method(x) + 0.0),
        weft.compile(functools.partial(call, thing.scaled)),
    ):
        for scale[0] in (2.0, 3.0):
            named.scale[0] = thing.scale = scale[0]
            made = f(x)
            assert (made[1] if type(made) is tuple else made).tolist() == [scale[0], 2 * scale[0]]
