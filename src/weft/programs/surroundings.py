"""Surroundings of compiled functions: the names, attributes and containers that their code names.

The one idea: a trace fixes the values that the function finds there, so a call that finds other values is traced anew;
and none of them may hold a tensor of the trace when it ends, as calls would not store one there again.  Numbers and
texts are compared by value, containers by their items, arrays by their cells, and objects by identity.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, MethodWrapperType, ModuleType
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from weft.errors import ArgumentError, TracingError
from weft.ir.graph.node import WAITING, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import TracedNumber
from weft.programs.pytrees import flattened
from weft.runtime.memory import fingerprints
from weft.tensors.tensor import COPIED, Tensor, known_node
from weft.tensors.tracing import Trace

MOST = 1000  # most items of a container that are compared, and most objects that are visited
DEEP = 4  # levels of nested containers that are compared
CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_SHOWN = (int, float, complex, str, bytes, type(None))  # types whose values a reason shows
_PLAIN = (*_SHOWN, Tensor, np.generic)
_ANY = object()  # stands for values that are not compared


class ContainerItems(NamedTuple):
    """The type and items of a container as it was found."""

    kind: type
    items: tuple[Any, ...]


class ArrayCells(NamedTuple):
    """An array as it was found, with a function that returns its cells, and the cells seen.

    Small arrays are compared whole, larger ones by samples.
    """

    array: np.ndarray
    cells: Callable[[], Any]
    seen: Any


class NamedValue(NamedTuple):
    """A name with the value that a trace found under it; objects are held weakly."""

    name: str
    get: Callable[[], Any]
    was: Any

    def difference(self, now: Any) -> str:
        """Return the difference between the current value `now` and the recorded one as text."""
        if isinstance(now, _SHOWN) and isinstance(self.was, _SHOWN):
            return f"{self.name}: {now!r:.40}, was {self.was!r:.40}"
        if type(self.was) is ArrayCells and now is self.was.array:
            return f"{self.name} has other cells"
        return f"{self.name} is another one"


def is_compared(x: NamedValue) -> bool:
    """True if a recorded value can be compared with the current one."""
    return x.was is not _ANY


def is_same(x: Any, was: Any) -> bool:
    """True if the current value `x` equals the recorded value `was`."""
    if x is was or was is _ANY:
        return True
    if type(was) is ref:
        return was() is x
    if type(was) is ContainerItems:
        items = _items(x) if type(x) is was.kind else ()
        return len(items) == len(was.items) and all(map(is_same, items, was.items))
    if type(was) is ArrayCells:
        return x is was.array and was.cells() == was.seen
    return type(x) is type(was) and isinstance(x, _SHOWN[:-1]) and repr(x) == repr(was)


def pinned(x: Any, depth: int = DEEP) -> Any:
    """Return the record of a value for `is_same`: plain values themselves, weak references to objects.

    Containers are recorded to `depth` levels; what is deeper or too large counts as always equal.
    """
    if isinstance(x, _PLAIN):
        return x
    if isinstance(x, np.ndarray):
        return _cells(x)
    if isinstance(x, CONTAINERS):
        if not depth or len(x) > MOST:
            return _ANY
        return ContainerItems(type(x), tuple([pinned(v, depth - 1) for v in _items(x)]))
    try:
        return ref(x)
    except TypeError:
        return _ANY


def _cells(x: np.ndarray) -> ArrayCells:
    """Return the record of an array with its current cells."""
    if x.nbytes <= COPIED or x.dtype.isbuiltin != 1:
        cells = x.tolist if x.dtype.hasobject else x.tobytes
        return ArrayCells(x, cells, cells())
    found = fingerprints.fingerprint_of(x)
    return ArrayCells(x, lambda: found.cells, found.samples)


def _items(x: Any) -> Sequence[Any]:
    return (*x, *x.values()) if isinstance(x, dict) else tuple(x)


_CODE = (FunctionType, MethodType, ModuleType, type)
_PLACEHOLDER = OPS["placeholder"]
_INSIDE = ("__wrapped__", "__func__", "func", "__call__")  # attributes that lead to the function of a callable
Lookup = tuple[str, Callable[[], Any]]


class Surroundings:
    """The values that a function's code reaches by name, and its arguments, before and after a trace.

    `arguments` are the stand-ins passed to the function, with their names.
    """

    def __init__(self, name: str, f: Callable[..., Any], arguments: Sequence[tuple[str, Any]], trace: Trace) -> None:
        self._name, self._arguments, self._trace = name, arguments, trace
        self._before = [_structure(x) for _, x in arguments]
        self._functions: dict[FunctionType, set[str]] = {}  # functions, with the names in their code
        self._bound: list[Lookup] = []  # arguments of partials
        self._shared: dict[type, set[str]] = {}  # attributes of the instances of each class
        self._objects = [(name, v) for name, x in arguments for v in _structure(x)[1] if _is_object(v)]
        self._visit(f)
        for _ in range(2):  # methods found first name more attributes
            attributes = list(self._attributes())
        lookups = [(where, get) for where, get in self._lookups() if not isinstance(get(), _CODE)]
        found = [NamedValue(where, get, pinned(get())) for where, get in [*lookups, *attributes]]
        self.found = [at for at in found if is_compared(at)]  # compared at each call

    def _visit(self, f: Any) -> None:
        """Record the functions that make up a callable."""
        while f is not None and not isinstance(f, MethodWrapperType):
            if isinstance(f, FunctionType):
                self._note(f)
            elif isinstance(f, MethodType):
                self._objects += [("self", f.__self__)] if _is_object(f.__self__) else []
            elif isinstance(f, partial):
                for name, x in [*enumerate(f.args), *f.keywords.items()]:
                    self._bound.append((f"argument {name}", partial(_itself, x)))
                    self._objects += _objects(f"argument {name}", x)
                    if _function_of(x) is not None:
                        self._visit(x)
            elif not hasattr(f, "__wrapped__") and _is_object(f):
                self._objects.append((self._name, f))
            f = next((g for way in _INSIDE if (g := getattr(f, way, None)) is not None), None)

    def _note(self, f: FunctionType) -> None:
        """Record a function of the user with the names in its code, and the functions and objects that it names."""
        if f in self._functions or len(self._functions) > MOST or _is_own(f):
            return
        self._functions[f] = _spelled(f.__code__)
        for name, get in self._lookups_of(f):
            x = get()
            called = _function_of(x)
            if called and (isinstance(x, partial) or name in f.__code__.co_freevars or self._is_near(called)):
                self._visit(x)
            self._objects += _objects(name, x)

    def _lookups(self) -> list[Lookup]:
        return [*self._bound, *[found for f in self._functions for found in self._lookups_of(f)]]

    def _lookups_of(self, f: FunctionType) -> Iterator[Lookup]:
        """Iterate over (name, getter) of values that a function reaches in enclosing functions and its module."""
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            yield name, partial(_content, cell)
        defaults = f.__defaults__ or ()
        by_place = zip(f.__code__.co_varnames[f.__code__.co_argcount - len(defaults) :], defaults, strict=False)
        for name, x in [*by_place, *(f.__kwdefaults__ or {}).items()]:
            yield name, partial(_itself, x)
        for name in sorted(self._functions[f] & f.__globals__.keys()) if self._is_near(f) else ():
            yield name, partial(f.__globals__.get, name)

    def _is_near(self, f: FunctionType) -> bool:
        """True if a function is of the same package as the compiled function."""
        first = next(iter(self._functions))
        return _home(f).partition(".")[0] == _home(first).partition(".")[0]

    def _attributes(self) -> Iterator[Lookup]:
        """Iterate over (name, getter) of attributes named in the code, of objects and of objects inside them."""
        known: set[int] = set()
        for name, x in self._objects:  # the list grows meanwhile
            if id(x) in known or len(known) > MOST:
                continue
            known.add(id(x))
            for f in [f for k in type(x).__mro__ for f in self._methods_in(k)]:
                self._visit(f)
            for attribute in sorted(self._named_in(x) & set().union(*self._functions.values())):
                get = _attribute_of(x, attribute)
                value = get()
                if not (isinstance(x, (ModuleType, type)) and (isinstance(value, ModuleType) or callable(value))):
                    yield f"{name}.{attribute}", get
                self._objects += _objects(f"{name}.{attribute}", value)

    def _methods_in(self, kind: type) -> Iterator[Any]:
        """Iterate over the methods of class `kind` that the code names, including those that `super()` may reach."""
        named = {"__call__"}.union(*self._functions.values())
        for f in [f for name, f in vars(kind).items() if name in named]:
            f = f.fget if isinstance(f, property) else getattr(f, "__func__", f)
            if isinstance(f, FunctionType) or hasattr(f, "__wrapped__"):
                yield f

    def _named_in(self, x: Any) -> set[str]:
        """Return the names of the attributes of a value: its own, and values of its classes."""
        if isinstance(x, (ModuleType, FunctionType)):
            return {*vars(x)}
        kind = x if isinstance(x, type) else type(x)
        if kind not in self._shared:
            found = {name: v for k in reversed(kind.__mro__) for name, v in vars(k).items()}
            self._shared[kind] = {name for name, v in found.items() if _is_value(v)}
        return self._shared[kind].union(getattr(x, "__dict__", ()))

    def checked(self, x: Any) -> Any:
        """Return a result's part that is no tensor; raises ArgumentError if it holds tensors of the trace."""
        if type(x) is TracedNumber:
            return x
        is_sealed = isinstance(x, Iterator) or (isinstance(x, AbstractSet) and any(isinstance(e, Tensor) for e in x))
        if is_sealed or any(self._is_traced(v) for _, v in _reachable([("", x)])):
            raise ArgumentError(
                f"compile: a {type(x).__name__} is returned; its tensors would be those of the traced call; return a "
                "list, tuple, dictionary or dataclass, or register its type with register_pytree"
            )
        return x

    def refuse_changes(self) -> None:
        """Raise TracingError if the trace changed containers in arguments, or left tensors in the surroundings."""
        for (name, x), before in zip(self._arguments, self._before, strict=True):
            if _structure(x)[0] != before[0]:
                raise TracingError(
                    f"compile: {self._name} changes argument {name}, a {type(x).__name__}; what is put there would be "
                    "of the traced call only; change a copy and return it"
                )
        values = [(name, get()) for name, get in [*self._lookups(), *self._attributes()]]
        for where, x in _reachable([*values, *self._objects]):
            if self._is_traced(x):
                raise TracingError(
                    f"compile: {self._name} keeps a value of the trace in {where}; later calls would not, and it "
                    "stands for the values of all of them; return it and keep it outside, or write a weft.variable "
                    "with weft.assign"
                )

    def _is_traced(self, x: Any) -> bool:
        """True if a value depends on the arguments of the traced call."""
        if type(x) is TracedNumber:
            return True
        if type(x) is not Tensor or (n := known_node(x)).depth < WAITING:
            return False
        given = [b for b in walk([n], lambda b: () if b.value is not None else b.inputs) if b.op is _PLACEHOLDER]
        return any(b.attrs[1:] or any(b.attrs[0] is name for name in self._trace.names) for b in given)


def _objects(name: str, x: Any) -> list[tuple[str, Any]]:
    """Return (name, object) of a value with attributes, or of the items with attributes of a container."""
    if _is_object(x) or (isinstance(x, (FunctionType, ModuleType, type)) and not _is_own(x)):
        return [(name, x)]
    if not isinstance(x, CONTAINERS) or len(x) > MOST:
        return []
    pairs = x.items() if isinstance(x, dict) else enumerate(x)
    return [(f"{name}[{k!r}]", v) for k, v in pairs if _is_object(v)]


def _function_of(x: Any) -> FunctionType | None:
    """Return the function that a call of a function, method, partial or compiled function runs; None for others."""
    while isinstance(x, (partial, MethodType)) or (_is_own(x) and hasattr(x, "__wrapped__")):
        x = next(g for way in ("func", "__func__", "__wrapped__") if (g := getattr(x, way, None)) is not None)
    return x if isinstance(x, FunctionType) else None


def _is_object(x: Any) -> bool:
    """True if an object is an instance, with attributes, of a user's class."""
    return (
        (hasattr(x, "__dict__") or any("__slots__" in vars(k) for k in type(x).__mro__))
        and not isinstance(x, _CODE)
        and not _is_own(x)
    )


def _is_own(x: Any) -> bool:
    """True if an object is a module, function or class of weft, or an instance of one."""
    if isinstance(x, (FunctionType, ModuleType)):
        home = _home(x)
    else:
        home = (x if isinstance(x, type) else type(x)).__module__
    return f"{home}.".startswith("weft.")


def _home(x: FunctionType | ModuleType) -> str:
    """Return the name of a module, or of that of a function's code: `functools.wraps` sets `__module__` to another."""
    return str((x.__globals__ if isinstance(x, FunctionType) else vars(x)).get("__name__"))


def _is_value(x: Any) -> bool:
    """True if a class attribute is a value of instances: a slot, or a value that they share."""
    return isinstance(x, MemberDescriptorType) or not hasattr(type(x), "__get__")


def _spelled(code: CodeType) -> set[str]:
    """Return the names in some code: also its texts, as used by `getattr`, and those of inner functions."""
    inner = [_spelled(c) for c in code.co_consts if type(c) is CodeType]
    return {*code.co_names, *[c for c in code.co_consts if type(c) is str]}.union(*inner)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the cell is empty
        return None


def _itself(x: Any) -> Any:
    return x


def _attribute_of(x: Any, name: str) -> Callable[[], Any]:
    """Return a function that returns an attribute of a value; refers to the value weakly if possible."""
    try:
        return partial(_attribute, ref(x), name)
    except TypeError:
        return partial(getattr, x, name, None)


def _attribute(weak: ref[Any], name: str) -> Any:
    return getattr(weak(), name, None)


def _structure(x: Any) -> tuple[Any, list[Any]]:
    """Return (structure of an argument with the ids of its leaves, the leaves)."""
    structure, leaves = flattened(x)
    return (structure, [*map(id, leaves)]), leaves


def _reachable(roots: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Iterate over (name, value) of all plain values below `roots`: items of containers, attributes of objects.

    At most 20·MOST values are looked at.
    """
    waiting, seen = deque(roots), set()
    for _ in range(20 * MOST):
        if not waiting:
            return
        name, x = waiting.popleft()
        if isinstance(x, (dict, list, tuple, set, frozenset, deque, FunctionType, partial)) or _is_object(x):
            if id(x) in seen:
                continue
            seen.add(id(x))
            waiting += _children(name, x)
        else:
            yield name, x


def _children(name: str, x: Any) -> list[tuple[str, Any]]:
    """Return (name, value) of a container's last MOST items, a function's closure, or an object's attributes."""
    if isinstance(x, dict):
        return [(f"{name}[{k!r:.40}]", v) for k, v in list(x.items())[-MOST:]]
    if isinstance(x, (list, tuple, set, frozenset, deque)):
        return [(f"{name}[{len(x) - k}]", v) for k, v in enumerate(list(x)[: -MOST - 1 : -1], 1)]
    if isinstance(x, FunctionType):
        return [(f"{name}.{k}", _content(c)) for k, c in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True)]
    if isinstance(x, partial):
        return [(f"{name}.args", x.args), (f"{name}.keywords", x.keywords), (f"{name}.func", x.func)]
    slots = [k for kind in type(x).__mro__ for k, v in vars(kind).items() if isinstance(v, MemberDescriptorType)]
    return [(f"{name}.{k}", getattr(x, k, None)) for k in [*getattr(x, "__dict__", ()), *slots]]
