"""Surroundings of compiled functions: the names, attributes and containers that their code spells.

The one idea: a trace fixes what the function finds there, so a call that finds something else has it traced anew; and
nothing there may hold a tensor of the trace when it ends, as calls would not put one there again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, MethodWrapperType, ModuleType
from typing import Any
from weakref import ref

from weft.errors import ArgumentError, TracingError
from weft.ir.graph.node import WAITING, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import TracedNumber
from weft.programs.found_values import CONTAINERS, MOST, NamedValue, is_compared, pinned
from weft.programs.pytrees import taken_apart
from weft.tensors.tensor import Tensor, known_node
from weft.tensors.tracing import Trace

_CODE = (FunctionType, MethodType, ModuleType, type)
_PLACEHOLDER = OPS["placeholder"]
_INSIDE = ("__wrapped__", "__func__", "func", "__call__")  # where the function of a callable is
Lookup = tuple[str, Callable[[], Any]]


class Surroundings:
    """The values that a function's code reaches by name, and its arguments, before and after a trace.

    `arguments` are the stand-ins that the function is given, with their names.
    """

    def __init__(self, name: str, f: Callable[..., Any], arguments: Sequence[tuple[str, Any]], trace: Trace) -> None:
        self._name, self._arguments, self._trace = name, arguments, trace
        self._before = [_structure(x) for _, x in arguments]
        self._functions: dict[FunctionType, set[str]] = {}  # with the names that each spells
        self._shared: dict[type, set[str]] = {}  # attributes of the instances of each class
        self._objects = [(name, v) for name, x in arguments for v in _structure(x)[1] if _is_object(v)]
        self._visit(f)
        for _ in range(2):  # methods that are found spell more attributes
            attributes = list(self._attributes())
        lookups = [(where, get) for where, get in self._lookups() if not isinstance(get(), _CODE)]
        found = [NamedValue(where, get, pinned(get())) for where, get in [*lookups, *attributes]]
        self.found = [at for at in found if is_compared(at)]  # at each call

    def _visit(self, f: Any) -> None:
        """Note the functions that a callable is made of."""
        while f is not None and not isinstance(f, MethodWrapperType):
            if isinstance(f, FunctionType):
                self._note(f)
            elif isinstance(f, (MethodType, partial)):
                given = (f.__self__,) if isinstance(f, MethodType) else f.args
                self._objects += [("self", x) for x in given if _is_object(x)]
            elif not hasattr(f, "__wrapped__") and _is_object(f):
                self._objects.append((self._name, f))
            f = next((g for way in _INSIDE if (g := getattr(f, way, None)) is not None), None)

    def _note(self, f: FunctionType) -> None:
        """Note a function with the names that it spells, the functions that it names, and the objects."""
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
        """Iterate over the values that a function reaches by name, in enclosing functions and its module."""
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            yield name, partial(_content, cell)
        defaults = f.__defaults__ or ()
        by_place = zip(f.__code__.co_varnames[f.__code__.co_argcount - len(defaults) :], defaults, strict=False)
        for name, x in [*by_place, *(f.__kwdefaults__ or {}).items()]:
            yield name, partial(_itself, x)
        for name in sorted(self._functions[f] & f.__globals__.keys()) if self._is_near(f) else ():
            yield name, partial(f.__globals__.get, name)

    def _is_near(self, f: FunctionType) -> bool:
        """True for functions of the package of the function that is compiled."""
        first = next(iter(self._functions))
        return str(f.__module__).partition(".")[0] == str(first.__module__).partition(".")[0]

    def _attributes(self) -> Iterator[Lookup]:
        """Iterate over the attributes that the code names, of objects and of objects in these."""
        known: set[int] = set()
        for name, x in self._objects:  # it grows meanwhile
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
        """Iterate over the methods that the code spells, as one class has them, which `super()` may reach."""
        named = {"__call__"}.union(*self._functions.values())
        for f in [f for name, f in vars(kind).items() if name in named]:
            f = f.fget if isinstance(f, property) else getattr(f, "__func__", f)
            if isinstance(f, FunctionType) or hasattr(f, "__wrapped__"):
                yield f

    def _named_in(self, x: Any) -> set[str]:
        """Return the names of the attributes of a value: its own, and those that its classes give it."""
        if isinstance(x, (ModuleType, FunctionType)):
            return {*vars(x)}
        kind = x if isinstance(x, type) else type(x)
        if kind not in self._shared:
            found = {name: v for k in reversed(kind.__mro__) for name, v in vars(k).items()}
            self._shared[kind] = {name for name, v in found.items() if _is_value(v)}
        return self._shared[kind].union(getattr(x, "__dict__", ()))

    def checked(self, x: Any) -> Any:
        """Return a fixed part of a result; raises ArgumentError if it holds tensors of the trace."""
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
    """Return what a value is or, as a container, has, where that has attributes."""
    if _is_object(x) or (isinstance(x, (FunctionType, ModuleType, type)) and not _is_own(x)):
        return [(name, x)]
    if not isinstance(x, CONTAINERS) or len(x) > MOST:
        return []
    pairs = x.items() if isinstance(x, dict) else enumerate(x)
    return [(f"{name}[{k!r}]", v) for k, v in pairs if _is_object(v)]


def _is_object(x: Any) -> bool:
    """True for an instance of a class of the user's, with attributes."""
    return (
        (hasattr(x, "__dict__") or any("__slots__" in vars(k) for k in type(x).__mro__))
        and not isinstance(x, _CODE)
        and not _is_own(x)
    )


def _is_own(x: Any) -> bool:
    """True for weft's modules, functions, classes and instances of these."""
    if isinstance(x, ModuleType):
        home = x.__name__
    else:
        home = (x if isinstance(x, (FunctionType, type)) else type(x)).__module__
    return f"{home}.".startswith("weft.")


def _is_value(x: Any) -> bool:
    """True for what a class says is a value of its instances: one that is in a slot, or that they share."""
    return isinstance(x, MemberDescriptorType) or not hasattr(type(x), "__get__")


def _spelled(code: CodeType) -> set[str]:
    """Return the names that some code spells, also in texts, as for `getattr`, and in functions inside it."""
    inner = [_spelled(c) for c in code.co_consts if type(c) is CodeType]
    return {*code.co_names, *[c for c in code.co_consts if type(c) is str]}.union(*inner)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is not bound
        return None


def _itself(x: Any) -> Any:
    return x


def _attribute_of(x: Any, name: str) -> Callable[[], Any]:
    """Return what gives an attribute of a value, which is kept alive only if nothing can refer to it weakly."""
    try:
        return partial(_attribute, ref(x), name)
    except TypeError:
        return partial(getattr, x, name, None)


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
    """Return (name, value) pairs: the last items of a container, the closure of a function, or attributes of an
    object."""
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
