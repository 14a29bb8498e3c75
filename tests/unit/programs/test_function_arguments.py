"""Arguments of compiled functions: containers, numbers, arrays of other libraries, static values, and results."""

from __future__ import annotations

import math
import numbers
import re
from array import array
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import ArgumentError, DTypeError, TracingError


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
    with pytest.raises(ArgumentError, match=r"argument s is a set;.*register_pytree"):
        weft.compile(lambda x, s: x)(x, {1, 2})
    with pytest.raises(ArgumentError, match=r"static argument s is a list;.*pass a tuple"):
        weft.compile(lambda x, s: x, static="s")(x, [1, 2])


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


@pytest.mark.parametrize("text", [str, lambda k: f"{k}", lambda k: f"{k:.2f}", "{}".format])
def test_texts_of_numbers_are_refused(text: Any) -> None:
    with pytest.raises(TracingError, match=r"a text of it.*static="):
        weft.compile(lambda x, k: (x * k, text(k)))(weft.zeros(2), 3)


@pytest.mark.parametrize("make", [lambda x: {x}, lambda x: map(abs, [x]), lambda x: (e for e in [x])])
def test_results_that_would_hold_tensors_of_the_trace_are_refused(make: Any) -> None:
    with pytest.raises(ArgumentError, match=r"is returned.*return a list"):
        weft.compile(lambda x: make(x * 2))(weft.zeros(2))


@pytest.mark.parametrize("k", [2, 2.5, 2j])
def test_numbers_have_their_types(k: Any) -> None:
    def chosen(x: weft.Tensor, k: Any) -> Any:
        exact = isinstance(k, int), isinstance(k, (int, float)), isinstance(k, numbers.Number), np.isscalar(k)
        return x * k, exact

    x = weft.asarray([1.0, 2.0])
    value, types = weft.compile(chosen)(x, k)
    wanted, eager = chosen(x, k)
    assert types == eager and value.tolist() == wanted.tolist()


@pytest.mark.parametrize("make", [
    lambda x: OrderedDict(b=x, a=2 * x), lambda x: deque([x, 2 * x], 5),
    lambda x: defaultdict(list, {1: x, "a": 2 * x}),
])  # fmt: skip
def test_other_containers_go_in_and_out(make: Any) -> None:
    f = weft.compile(lambda given: make(sum(given.values() if isinstance(given, dict) else given)))
    for k in (1.0, 2.0):
        given = make(weft.asarray([k]))
        found, expected = f(given), make(3 * k)
        assert type(found) is type(given) and getattr(found, "maxlen", 5) == 5
        assert getattr(found, "default_factory", list) is list
        if isinstance(found, dict):
            assert {key: t.item() for key, t in found.items()} == expected
        else:
            assert [t.item() for t in found] == [*expected]
    assert f.traces == 1


class ArrayOfItsOwn:
    """An object of another library that gives its cells as an array."""

    def __init__(self, values: list[float]) -> None:
        self.values = np.array(values)

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        return self.values


@pytest.mark.parametrize("make", [
    np.array, ArrayOfItsOwn, lambda v: memoryview(np.array(v)), lambda v: array("d", v), lambda v: np.array(v)[::-1],
    lambda v: np.array(v, dtype=">f8"), lambda v: np.array(v).astype("f2"), lambda v: np.float32(v[0]),
])  # fmt: skip
def test_arrays_of_other_libraries_are_inputs(make: Any) -> None:
    f = weft.compile(lambda x, given: (given["a"] + x, weft.sum(given["a"])))
    x = weft.asarray([10.0])
    for values in ([1.0, 2.0], [3.0, 5.0], [-1.0, 0.5]):
        expected = weft.asarray(make(values))
        total, reduced = f(x, {"a": make(values)})
        assert total.tolist() == (expected + x).tolist() and reduced.tolist() == weft.sum(expected).tolist()
    assert f.traces == 1


@pytest.mark.parametrize("module, make", [
    ("torch", lambda m, v: m.tensor(v)), ("torch", lambda m, v: m.tensor(v[0])),
    ("torch", lambda m, v: m.tensor(v[:1])), ("jax.numpy", lambda m, v: m.asarray(v)),
    ("xarray", lambda m, v: m.DataArray(v)), ("pandas", lambda m, v: m.Series(v)),
])  # fmt: skip
def test_arrays_of_installed_libraries_are_inputs(module: str, make: Any) -> None:
    found = pytest.importorskip(module)
    f, x = weft.compile(lambda x, y: x + y), weft.asarray([10.0])
    for values in ([1.0, 2.0], [3.0, 5.0]):
        expected = x + weft.asarray(make(found, values))
        assert f(x, make(found, values)).tolist() == expected.tolist()
    assert f.traces == 1


def test_arrays_without_cells_to_read_are_refused() -> None:
    f = weft.compile(lambda x: x)
    for given, error in ((np.array(["a"]), "no weft counterpart"), (np.ma.array([1.0], mask=[1]), "masked array")):
        with pytest.raises(DTypeError, match=error):
            f(given)


class Mode(IntEnum):
    PLUS = 1
    MINUS = -1


def test_members_of_enumerations_are_fixed_values() -> None:
    f = weft.compile(lambda x, mode: x if mode is Mode.PLUS else -x)
    x = weft.asarray([1.0])
    assert [f(x, mode).item() for mode in (Mode.PLUS, Mode.MINUS, Mode.PLUS)] == [1.0, -1.0, 1.0] and f.traces == 2


class Layer:
    def __init__(self, w: Any, rate: float = 1.0) -> None:
        self.w, self.rate = w, rate


def test_objects_have_their_attributes_of_each_call() -> None:
    f, x = weft.compile(lambda x, layer: x * layer.w * layer.rate), weft.asarray([1.0, 2.0])
    layer = Layer(x * 1)
    assert f(x, layer).tolist() == [1.0, 4.0]
    layer.w[0] = 10
    assert f(x, layer).tolist() == [10.0, 4.0]
    layer.w = weft.asarray([3.0, 3.0])
    assert f(x, layer).tolist() == [3.0, 6.0]
    layer.rate = 2.0
    assert f(x, layer).tolist() == [6.0, 12.0]
    assert f(x, Layer(x)).tolist() == [1.0, 4.0]


def test_objects_with_tensors_of_the_trace_are_no_results() -> None:
    with pytest.raises(ArgumentError, match=r"a Layer is returned.*register_pytree"):
        weft.compile(lambda x: {"a": Layer(x * 2)})(weft.zeros(2))
    with pytest.raises(ArgumentError, match="a Layer is returned"):
        weft.compile(lambda x, k: Layer(None, k))(weft.zeros(2), 3)
    for make in (lambda x: lambda: x, lambda x: partial(max, [x])):
        with pytest.raises(ArgumentError, match=r"a (function|partial) is returned"):
            weft.compile(make)(weft.zeros(2))
    kept = Layer(weft.asarray([1.0]))
    assert weft.compile(lambda x: kept)(weft.zeros(2)) is kept


@pytest.mark.parametrize("f, what, instead", [
    (lambda x, n: x[n], "a position", "weft.take()"), (lambda x, n: x[None, n], "a position", "weft.take()"),
    (lambda x, n: x[:n], "an integer", "weft.take()"), (lambda x, n: weft.zeros((n, 2)), "an integer", "static="),
    (lambda x, n: x.reshape(n, 1), "an integer", "static="), (lambda x, n: x.sum(axis=n), "an integer", "static="),
    (lambda x, n: weft.arange(n), r"a plain number for arange\(\)", "static="),
    (lambda x, n: [x for _ in range(2 * n - 1)], "an integer", "weft.scan()"),
    (lambda x, n: x if n > 1 else -x, "a comparison", "weft.where()"),
    (lambda x, n: x * math.sqrt(n), r"float\(\)", r"x\*\*0.5"),
])  # fmt: skip
def test_numbers_where_the_first_call_would_decide(f: Any, what: str, instead: str) -> None:
    with pytest.raises(TracingError, match=rf"compile: {what}.*, of argument n of <lambda>,.*static=.*"):
        weft.compile(f)(weft.zeros(3), 3)
    with pytest.raises(TracingError, match=re.escape(instead) if "\\" not in instead else instead):
        weft.compile(f)(weft.zeros(3), n=3)


def test_numbers_are_positions_of_take() -> None:
    f, x = weft.compile(lambda x, n: weft.take(x, n, axis=0)), weft.asarray([1.0, 2.0, 3.0])
    assert [f(x, n).item() for n in (0, 2, -1)] == [1.0, 3.0, 3.0] and f.traces == 1
    with pytest.raises(weft.errors.IndexOutOfBounds, match="position 3"):
        f(x, 3)
