"""Surroundings of compiled functions: names that change cause a new trace, values of a trace are not kept."""

from __future__ import annotations

import gc
import sys
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from queue import SimpleQueue
from types import ModuleType, SimpleNamespace
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


QUEUE: SimpleQueue[Any] = SimpleQueue()  # Python does not tell what is in it


def _keeps_where_nobody_looks(x: Any) -> None:
    QUEUE.put(x * 2)


def test_a_leaked_tensor_says_so() -> None:
    weft.compile(_keeps_where_nobody_looks)(weft.asarray([1.0]))
    with pytest.raises(
        TracingError, match=r"argument x of _keeps.* is read at .*test_pure_functions.py:\d+ after it was"
    ):
        QUEUE.get().tolist()


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
def test_code_that_keeps_a_value_of_the_trace_is_refused(f: Any, where: str | None) -> None:
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


class Defaults:
    """Something whose attributes are the class's until they are set."""

    by: Any = 2.0


class Slotted:
    """Something whose attribute lies in a slot, which nothing can refer to weakly."""

    __slots__ = ("by",)

    def __init__(self, by: Any) -> None:
        self.by = by


@dataclass(slots=True)
class Settings:
    by: float = 2.0


def _tagged() -> None:
    """A function with an attribute."""


_tagged.by = 2.0  # type: ignore[attr-defined]
HOLDERS: dict[str, Callable[[], Any]] = {
    "an instance of a class with defaults": Defaults, "a class": lambda: type("Own", (Defaults,), {}),
    "slots": lambda: Slotted(2.0), "a dataclass with slots": Settings, "a function": lambda: _tagged,
    "a module": lambda: vars(module := ModuleType("a_module")).update(by=2.0) or module,
    "a name space": lambda: SimpleNamespace(by=2.0),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLDERS)
def test_attributes_are_read_anew_wherever_they_lie(name: str) -> None:
    holder, x = HOLDERS[name](), weft.asarray([1.0])
    by_code, by_text = weft.compile(lambda x: x * holder.by), weft.compile(lambda x: x * getattr(holder, "by"))  # noqa: B009
    for by in (2.0, 3.0, 3.0, 5.0):
        holder.by = by
        assert by_code(x).tolist() == by_text(x).tolist() == [by]
    assert by_code.explain().splitlines()[1:] == [
        "trace 2: holder.by: 3.0, was 2.0",
        "trace 3: holder.by: 5.0, was 3.0",
    ]
    keeps = weft.compile(lambda x: (setattr(holder, "by", x), x)[1])
    with pytest.raises(TracingError, match=r"keeps a value of the trace in holder\.by"):
        keeps(x)
    holder.by = 2.0


def test_defaults_of_a_class_are_read_anew() -> None:
    class Own(Defaults):
        @weft.compile
        def times(self, x: Any) -> Any:
            return x * self.by

    own, x = Own(), weft.asarray([1.0])
    assert own.times(x).tolist() == [2.0]
    Own.by = 3.0
    assert own.times(x).tolist() == [3.0]
    own.by = 4.0
    assert own.times(x).tolist() == [4.0]
    del own.by
    assert own.times(x).tolist() == [3.0]


class Derived(Defaults):
    """A class whose methods are those of another one, of a descriptor, or of the class."""

    def times(self, x: Any) -> Any:
        return x * self.by

    @staticmethod
    def tripled(x: Any) -> Any:
        return x * TABLE["w"]

    @classmethod
    def by_class(cls, x: Any) -> Any:
        return x * cls.by


class Farther(Derived):
    """A class with a method that goes on to the one it hides."""

    @weft.compile
    def times(self, x: Any) -> Any:
        return super().times(x)

    @weft.compile
    def all(self, x: Any) -> Any:
        return self.tripled(x) + self.by_class(x)


def test_methods_that_are_reached_otherwise_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    farther, x = Farther(), weft.asarray([1.0])
    assert farther.times(x).tolist() == [2.0] and farther.all(x).tolist() == [3.0]
    farther.by = 3.0
    monkeypatch.setitem(TABLE, "w", 9)
    monkeypatch.setattr(Defaults, "by", 10.0)
    assert farther.times(x).tolist() == [3.0] and farther.all(x).tolist() == [19.0]


def _scaled(f: Callable[[Any], Any], by: dict[str, float]) -> Callable[[Any], Any]:
    @wraps(f)
    def scaled(x: Any, *, kept: list[float] = [1.0]) -> Any:  # noqa: B006
        return f(x) * by["by"] * kept[0]

    return scaled


def test_decorators_and_defaults_by_name_are_read_anew() -> None:
    by, x = {"by": 2.0}, weft.asarray([1.0])
    scaled = _scaled(lambda x: x + 1, by)
    f = weft.compile(scaled)
    assert f(x).tolist() == [4.0]
    by["by"] = 3.0
    assert f(x).tolist() == [6.0]
    scaled.__kwdefaults__["kept"][0] = 10.0  # type: ignore[attr-defined]
    assert f(x).tolist() == [60.0]


CONTAINERS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "list": (lambda: [1.0], sum, lambda c: c.append(2.0)),
    "set": (lambda: {1.0}, sum, lambda c: c.add(2.0)),
    "deque": (lambda: deque([1.0]), sum, lambda c: c.append(2.0)),
    "OrderedDict": (lambda: OrderedDict(a=1.0), lambda c: c["a"], lambda c: c.update(a=2.0)),
    "defaultdict": (lambda: defaultdict(float, a=1.0), lambda c: c["a"], lambda c: c.update(a=2.0)),
    "Counter": (lambda: Counter(a=1), lambda c: c["a"], lambda c: c.update(a=2)),
    "nested": (lambda: {"a": deque([1.0])}, lambda c: sum(c["a"]), lambda c: c["a"].append(2.0)),
    "an array": (lambda: np.ones(3), lambda c: c, lambda c: c.__setitem__(1, 2.0)),
    "an array that NumPy reads": (lambda: np.ones(3), lambda c: float(c.sum()), lambda c: c.__setitem__(1, 2.0)),
    "an array as a tensor": (lambda: np.ones(3), weft.asarray, lambda c: c.__setitem__(1, 2.0)),
    "an array in a list": (lambda: [np.ones(3)], lambda c: c[0], lambda c: c[0].__setitem__(1, 2.0)),
    "a big-endian array": (lambda: np.ones(3, ">f4")[::-1], lambda c: c, lambda c: c.__setitem__(1, 2.0)),
    "a large array": (lambda: np.ones((100, 3000)), lambda c: c[0, :3], lambda c: c.fill(2.0)),
    "an array of objects": (lambda: np.array([1.0, "a"], object), lambda c: c[0], lambda c: c.__setitem__(0, 2.0)),
    "an array of texts": (lambda: np.array(["a"]), lambda c: ord(str(c[0])), lambda c: c.__setitem__(0, "b")),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_and_arrays_that_change_are_read_anew(name: str) -> None:
    new, read, change = CONTAINERS[name]
    found, x = new(), weft.asarray([1.0, 2.0, 3.0])
    f = weft.compile(lambda x: x * read(found))
    for traces in (1, 2):
        for _ in range(2):
            assert f(x).tolist() == (x * read(found)).tolist()
        assert len(f.explain().splitlines()) == traces
        change(found)


def test_names_that_change_at_each_call_warn_once() -> None:
    counter, x = SimpleNamespace(n=0, unread=0), weft.asarray(1.0)

    @weft.compile
    def counted(x: Any) -> Any:
        counter.n += 1
        return x * counter.n

    @weft.compile
    def scheduled(x: Any) -> Any:
        return x * counter.unread

    with pytest.warns(
        weft.errors.RetracingWarning, match=r"compile: counted is traced .* as counter\.n: 8, was 7; "
    ) as told:
        assert [counted(x).item() for _ in range(20)] == [*range(1, 21)]
    assert len(told) == 1 and told[0].filename == __file__
    for n in range(40):  # each trace serves a call
        counter.unread = n // 2
        assert scheduled(x).item() == n // 2


def test_values_of_a_trace_that_read_no_argument_may_be_kept() -> None:
    model, x = Model(), weft.asarray([1.0])
    for _ in range(3):
        assert model.lazily(x).tolist() == [6.0]
    model.kept = weft.asarray([0.5])  # type: ignore[assignment]
    assert model.lazily(x).tolist() == [1.5]


def test_counters_of_a_function_count_each_call() -> None:
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
