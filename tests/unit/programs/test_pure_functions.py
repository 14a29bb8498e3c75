"""What is around a compiled function: names that change are traced anew, values of a trace are not kept."""

from __future__ import annotations

import gc
import sys
import weakref
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import weft
import weft.programs.compiled_function
from weft.errors import TracingError

KEPT: Any = None
RATE = 2.0
TABLE: dict[str, Any] = {"w": 1.0}


class Model:
    """Something with attributes; methods that are compiled change or read them."""

    def __init__(self) -> None:
        self.rate, self.layers, self.kept = 1.0, [Inner(2.0)], None

    @weft.compile
    def keeps(self, x: Any) -> Any:
        self.kept = x * 2
        return x

    @weft.compile
    def keeps_a_number(self, x: Any, n: int) -> Any:
        self.kept = {"n": n}
        return x

    @weft.compile
    def keeps_deep(self, x: Any) -> Any:
        self.layers[0].by = [x]
        return x

    @weft.compile
    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return self.scaled(x)

    def scaled(self, x: Any) -> Any:
        return x * self.rate

    @weft.compile
    def lazily(self, x: Any) -> Any:
        if self.kept is None:
            self.kept = weft.asarray([5.0])
        return x + self.kept


class Inner:
    def __init__(self, by: float) -> None:
        self.by = by

    def __call__(self, x: Any) -> Any:
        return x + self.by


def _keeps_a_global(x: Any) -> Any:
    global KEPT
    KEPT = x + 1
    return x


def _helper(x: Any) -> Any:
    return x * RATE


class Registry:
    """An object without attributes that Python tells of."""

    __slots__ = ("last",)


REGISTRY = Registry()


def _keeps_where_nobody_looks(x: Any) -> None:
    REGISTRY.last = x * 2


def test_a_leaked_tensor_says_so() -> None:
    weft.compile(_keeps_where_nobody_looks)(weft.asarray([1.0]))
    with pytest.raises(
        TracingError, match=r"argument x of _keeps.* is read at .*test_pure_functions.py:\d+ after it was"
    ):
        REGISTRY.last.tolist()


def _appending() -> Any:
    kept: list[Any] = []
    return lambda x, n: kept.append(x * 2)


def _counting() -> Any:
    total = None

    def f(x: Any, n: int) -> Any:
        nonlocal total
        total = n + 1
        return x

    return f


@pytest.mark.parametrize("f, where", [
    (lambda x, n: Model().keeps(x), None), (lambda x, n: _keeps_a_global(x), "KEPT"), (_appending(), r"kept\[\d\]"),
    (_counting(), "total"), (lambda x, n, kept=[]: kept.append(x), r"kept\[\d\]"),
    (partial(_appending()), r"kept\[\d\]"), (Model().keeps, r"self\.kept"),
    (Model().keeps_deep, r"self\.layers\[0\]\.by\[0\]"), (Model().keeps_a_number, r"self\.kept\['n'\]"),
])  # fmt: skip
def test_what_keeps_a_value_of_the_trace_is_refused(f: Any, where: str | None) -> None:
    x = weft.asarray([1.0])
    called = f if isinstance(f, weft.programs.compiled_function.BoundFunction) else weft.compile(f)
    given = (x,) if "n" not in getattr(called, "parameters", ("n",)) else (x, 3)
    if where is None:
        assert called(*given).tolist() == [1.0]  # nobody has that object
        return
    for _ in range(2):
        with pytest.raises(TracingError, match=rf"keeps a value of the trace in {where};.*weft.assign"):
            called(*given)


@pytest.mark.parametrize("change", [
    lambda a, x: a.append(x), lambda a, x: a.pop(), lambda a, x: a.__setitem__(0, x), lambda a, x: a.append(1),
    lambda a, x: a[1].update(k=x), lambda a, x: a[1].__setitem__("w", 3.0), lambda a, x: setattr(a[2], "slope", x),
])  # fmt: skip
def test_changes_of_containers_in_arguments_are_refused(change: Any) -> None:
    x = weft.asarray([1.0])
    given: list[Any] = [x, {"w": x}, Line(x)]
    f = weft.compile(lambda a, x: (change(a, x), x)[1])
    with pytest.raises(TracingError, match=r"<lambda> changes argument a, a list;.*change a copy and return it"):
        f(given, x)
    assert len(given) == 3 and given[0] is x and given[1]["w"] is x and given[2].slope is x


@dataclass
class Line:
    slope: Any


def test_copies_of_arguments_may_be_changed() -> None:
    def f(params: dict[str, Any], **more: Any) -> Any:
        new = dict(params)
        new["w"] = new.pop("w") - more.pop("rate")
        return new

    assert weft.compile(f)({"w": weft.asarray([3.0])}, rate=1.0)["w"].tolist() == [2.0]


def test_names_that_are_bound_anew_are_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    scale, named = 3.0, {"w": weft.asarray([1.0])}

    def f(x: Any) -> Any:
        return _helper(x) * scale + named["w"] + TABLE["w"]

    compiled, x = weft.compile(f), weft.asarray([1.0])

    def check(traces: int) -> None:
        for _ in range(2):
            assert compiled(x).tolist() == f(x).tolist()
        assert len(compiled.explain().splitlines()) == traces

    check(1)
    monkeypatch.setattr(sys.modules[__name__], "RATE", 5.0)
    check(2)
    assert compiled.explain().endswith("RATE: 5.0, was 2.0")
    scale = 4.0
    check(3)
    named["w"] = weft.asarray([7.0])
    check(4)
    monkeypatch.setitem(TABLE, "w", 9)
    check(5)
    scale = float("4")  # equal, and of one type
    check(5)
    scale = 4
    check(6)


def test_attributes_that_change_are_read_anew() -> None:
    model, x = Model(), weft.asarray([1.0])
    before = Model.__call__.traces  # type: ignore[attr-defined]
    assert model(x).tolist() == [3.0] == model(x).tolist()
    model.rate = 2.0
    assert model(x).tolist() == [6.0]
    model.layers[0].by = 4.0
    assert model(x).tolist() == [10.0]
    model.layers = [Inner(1.0), Inner(1.0)]
    assert model(x).tolist() == [6.0]
    model.unread = 3  # type: ignore[attr-defined]
    assert model(x).tolist() == [6.0] and Model.__call__.traces == before + 1  # type: ignore[attr-defined]


def test_what_is_made_in_a_trace_of_no_argument_may_be_kept() -> None:
    model, x = Model(), weft.asarray([1.0])
    for _ in range(3):
        assert model.lazily(x).tolist() == [6.0]
    model.kept = weft.asarray([0.5])  # type: ignore[assignment]
    assert model.lazily(x).tolist() == [1.5]


def test_what_a_function_counts_is_counted_at_each_call() -> None:
    count, lines = 0, []

    @weft.compile
    def f(x: Any) -> Any:
        nonlocal count
        count += 1
        lines.append("called")
        return x * count

    assert [f(weft.asarray(1)).item() for _ in range(3)] == [1, 2, 3] and len(lines) == 3


def test_functions_in_attributes_and_what_methods_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Net:
        def __init__(self) -> None:
            self.act: Any = weft.exp

        @weft.compile
        def __call__(self, x: Any) -> Any:
            return self.act(x) + self.more(x)

        def more(self, x: Any) -> Any:
            return _helper(x)

    net, x = Net(), weft.asarray([0.0])
    assert net(x).tolist() == [1.0]
    net.act = weft.sin
    assert net(x).tolist() == [0.0]
    monkeypatch.setattr(sys.modules[__name__], "RATE", 5.0)
    assert net(x + 1).tolist() == (weft.sin(x + 1) + 5.0).tolist()


def test_properties_read_what_is_there_at_each_call() -> None:
    class Holder:
        def __init__(self) -> None:
            self._w = 2.0

        @property
        def w(self) -> float:
            return self._w

        @weft.compile
        def times(self, x: Any) -> Any:
            return x * self.w

    holder, x = Holder(), weft.asarray([1.0])
    assert holder.times(x).tolist() == [2.0]
    holder._w = 3.0
    assert holder.times(x).tolist() == [3.0]


def test_large_containers_in_scope_are_looked_at_in_part() -> None:
    large: list[Any] = [0.0] * 1_000_000
    kept = {k: k for k in range(100_000)}
    f = weft.compile(lambda x: x * large[0] + len(kept))
    assert f(weft.asarray([1.0])).tolist() == [100_000.0]
    keeps = weft.compile(lambda x: (large.append(x), x)[1])
    with pytest.raises(TracingError, match=r"keeps a value of the trace in large\[1000000\]"):
        keeps(weft.asarray([1.0]))


@pytest.mark.parametrize("f", [np.sin, weft.exp, partial(weft.sum, axis=0), Inner(1.0), weft.vmap(weft.exp)])
def test_any_callable_is_compiled(f: Any) -> None:
    x = weft.asarray([1.0, 2.0])
    assert weft.compile(f)(x).tolist() == f(x).tolist()


def test_a_pure_function_looks_nothing_up() -> None:
    f = weft.compile(lambda x: weft.exp(x) * 2)
    f(weft.zeros(2))
    ((_, call),) = f.calls()
    assert call.found == []


def test_nothing_is_kept_alive() -> None:
    f = weft.compile(lambda x: x + 1)
    x = weft.asarray(np.zeros(10))
    f(x), f(x)
    gone = weakref.ref(x._place)
    del x
    gc.collect()
    assert gone() is None
