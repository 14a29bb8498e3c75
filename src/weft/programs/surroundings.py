"""Surroundings of compiled functions: the names, attributes and containers that their code spells.

The one idea: a trace fixes what the function finds there, so a call that finds something else has it traced anew; and
nothing there may hold a tensor of the trace when it ends, as calls would not put one there again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from weft.errors import ArgumentError, TracingError
from weft.ir.graph.node import WAITING, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import TracedNumber
from weft.programs.pytrees import taken_apart
from weft.tensors.tensor import Tensor, known_node
from weft.tensors.tracing import Trace

MOST = 1000  # items of a container that are compared, and things that are looked at
DEEP = 4  # containers in containers that are compared
_PLAIN = (int, float, complex, str, bytes, type(None), Tensor, np.ndarray, np.generic)
_CODE = (FunctionType, MethodType, ModuleType, type)
_PLACEHOLDER = OPS["placeholder"]
_INSIDE = ("__wrapped__", "__func__", "func", "__call__")  # where the function of a callable is
_ANY = object()  # stands for what is not compared
Lookup = tuple[str, Callable[[], Any]]


class ContainerItems(NamedTuple):
    """A container as it was found."""

    kind: type
    items: tuple[Any, ...]


class NamedValue(NamedTuple):
    """A name with the value that a trace found under it; objects are held weakly."""

    name: str
    get: Callable[[], Any]
    was: Any

    def what_changed(self) -> str:
        """Return what is there now, and what was; "" if it is the same."""
        now = self.get()
        if is_same(now, self.was):
            return ""
        if isinstance(now, _PLAIN[:6]) and isinstance(self.was, _PLAIN[:6]):
            return f"{self.name}: {now!r:.40}, was {self.was!r:.40}"
        return f"{self.name} is another one"


class Surroundings:
    """All that the code of a function finds by name, and its arguments, before and after a trace.

    `arguments` are the stand-ins that the function is given, with their names.
    """

    def __init__(self, name: str, f: Callable[..., Any], arguments: Sequence[tuple[str, Any]], trace: Trace) -> None:
        self._name, self._arguments, self._trace = name, arguments, trace
        self._before = [_structure(x) for _, x in arguments]
        self._functions: dict[FunctionType, set[str]] = {}  # with the names that each spells
        self._objects = [(name, v) for name, x in arguments for v in _structure(x)[1] if _is_object(v)]
        self._visit(f)
        for _ in range(2):  # methods that are found spell more attributes
            attributes = list(self._attributes())
        lookups = [(where, get) for where, get in self._lookups() if not isinstance(get(), _CODE)]
        found = [NamedValue(where, get, _pinned(get())) for where, get in [*lookups, *attributes]]
        self.found = [at for at in found if at.was is not _ANY]  # what is compared at each call

    def _visit(self, f: Any) -> None:
        """Note a function with the names that it spells, the functions that it names, and the objects."""
        while not isinstance(f, FunctionType) or hasattr(f, "__wrapped__"):
            if isinstance(f, (MethodType, partial)):
                given = (f.__self__,) if isinstance(f, MethodType) else f.args
                self._objects += [("self", x) for x in given if _is_object(x)]
            elif not hasattr(f, "__wrapped__") and _is_object(f):
                self._objects.append((self._name, f))
            f = next((g for way in _INSIDE if (g := getattr(f, way, None)) is not None), None)
            if f is None or isinstance(f, MethodWrapperType):
                return
        if f in self._functions or len(self._functions) > MOST:
            return
        self._functions[f] = _spelled(f.__code__)
        for name, get in self._lookups_of(f):
            x = get()
            if isinstance(x, FunctionType) and (name in f.__code__.co_freevars or self._is_near(x)):
                self._visit(x)
            self._objects += _objects(name, x)

    def _lookups(self) -> list[Lookup]:
        return [found for f in self._functions for found in self._lookups_of(f)]

    def _lookups_of(self, f: FunctionType) -> Iterator[Lookup]:
        """Iterate over what a function finds by name: in the functions around it, and in its module."""
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            yield name, partial(_content, cell)
        defaults = f.__defaults__ or ()
        for name, x in zip(f.__code__.co_varnames[f.__code__.co_argcount - len(defaults) :], defaults, strict=False):
            yield name, partial(_itself, x)
        for name in sorted(self._functions[f] & f.__globals__.keys()) if self._is_near(f) else ():
            yield name, partial(f.__globals__.get, name)

    def _is_near(self, f: FunctionType) -> bool:
        """True for functions of the package of the function that is compiled."""
        first = next(iter(self._functions))
        return str(f.__module__).partition(".")[0] == str(first.__module__).partition(".")[0]

    def _attributes(self) -> Iterator[Lookup]:
        """Iterate over the attributes of objects that the code spells, and of objects in these."""
        known: set[int] = set()
        for name, x in self._objects:  # it grows meanwhile
            if id(x) in known or len(known) > MOST:
                continue
            known.add(id(x))
            for method in {"__call__"}.union(*self._functions.values()) & set(dir(type(x))):
                f = getattr(type(x), method, None)
                f = f.fget if isinstance(f, property) else f
                if isinstance(f, FunctionType) or hasattr(f, "__wrapped__"):
                    self._visit(f)
            with suppress(TypeError):  # of what has no weak references
                weak = ref(x)
                for attribute in sorted(vars(x).keys() & set().union(*self._functions.values())):
                    yield f"{name}.{attribute}", partial(_attribute, weak, attribute)
                    self._objects += _objects(f"{name}.{attribute}", vars(x)[attribute])

    def checked(self, x: Any) -> Any:
        """Return a fixed part of a result; raises ArgumentError for what would hold tensors of the trace."""
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
        """Raise TracingError if the trace changed containers in arguments, or left tensors in what is around."""
        for (name, x), before in zip(self._arguments, self._before, strict=True):
            if _structure(x)[0] != before[0]:
                raise TracingError(
                    f"compile: {self._name} changes argument {name}, a {type(x).__name__}; what is put there would be "
                    "of the traced call only; change a copy and return it"
                )
        for where, x in _reachable([*[(name, get()) for name, get in self._lookups()], *self._objects]):
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


def is_same(x: Any, was: Any) -> bool:
    """True if what is found under a name is what was found there."""
    if x is was or was is _ANY:
        return True
    if type(was) is ref:
        return was() is x
    if type(was) is ContainerItems:
        items = _items(x) if type(x) is was.kind else ()
        return len(items) == len(was.items) and all(map(is_same, items, was.items))
    return type(x) is type(was) and isinstance(x, _PLAIN[:5]) and repr(x) == repr(was)


def _pinned(x: Any, depth: int = DEEP) -> Any:
    """Return what a later value is compared with: plain values themselves, weak references to objects."""
    if isinstance(x, _PLAIN):
        return x
    if type(x) in (list, tuple, dict):
        return (
            ContainerItems(type(x), tuple([_pinned(v, depth - 1) for v in _items(x)]))
            if depth and len(x) <= MOST
            else _ANY
        )
    try:
        return ref(x)
    except TypeError:
        return _ANY


def _items(x: Any) -> Sequence[Any]:
    return (*x, *x.values()) if type(x) is dict else x


def _objects(name: str, x: Any) -> list[tuple[str, Any]]:
    """Return the objects that a value is or, as a container, has."""
    if _is_object(x):
        return [(name, x)]
    if type(x) not in (list, tuple, dict) or len(x) > MOST:
        return []
    pairs = x.items() if type(x) is dict else enumerate(x)
    return [(f"{name}[{k!r}]", v) for k, v in pairs if _is_object(v)]


def _is_object(x: Any) -> bool:
    """True for an instance of a class of the user's, with attributes."""
    return hasattr(x, "__dict__") and not isinstance(x, _CODE) and not type(x).__module__.startswith("weft.")


def _spelled(code: CodeType) -> set[str]:
    """Return the names that some code spells, also in functions inside it."""
    inner = [_spelled(c) for c in code.co_consts if type(c) is CodeType]
    return set(code.co_names).union(*inner)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is not bound
        return None


def _itself(x: Any) -> Any:
    return x


def _attribute(weak: ref[Any], name: str) -> Any:
    return getattr(weak(), name, None)


def _structure(x: Any) -> tuple[Any, list[Any]]:
    """Return the structure of an argument with the ids of its leaves, and these."""
    leaves: list[Any] = []
    return taken_apart(x, lambda v: leaves.append(v) or id(v)), leaves  # type: ignore[func-returns-value]


def _reachable(roots: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Iterate over values, the items of containers and the attributes of objects in them, with what reaches each."""
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
    """Return the last items of a container, what a function holds, or the attributes of an object, with their names."""
    if isinstance(x, dict):
        return [(f"{name}[{k!r:.40}]", v) for k, v in list(x.items())[-MOST:]]
    if isinstance(x, (list, tuple, set, frozenset, deque)):
        return [(f"{name}[{len(x) - k}]", v) for k, v in enumerate(list(x)[: -MOST - 1 : -1], 1)]
    if isinstance(x, FunctionType):
        return [(f"{name}.{k}", _content(c)) for k, c in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True)]
    if isinstance(x, partial):
        return [(f"{name}.args", x.args), (f"{name}.keywords", x.keywords), (f"{name}.func", x.func)]
    return [(f"{name}.{k}", v) for k, v in list(vars(x).items())]
