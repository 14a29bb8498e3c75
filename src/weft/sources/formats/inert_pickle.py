"""Pickles read as plain data: nothing is imported and nothing is called.

The one idea: a pickle is a program for a stack machine.  Here the machine builds numbers, texts, lists and
dictionaries; a function call is only recorded, as the function's name and the arguments (`Made`).
"""

from __future__ import annotations

import pickletools
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

MOST = 50_000_000  # steps of a program


class Global(NamedTuple):
    """The name of a function or class."""

    module: str
    name: str


class Reference(NamedTuple):
    """A persistent reference to an object outside the pickle; `words` is its persistent id."""

    words: Any


@dataclass(slots=True, eq=False)
class Made:
    """A recorded call: its function and arguments, and the state and items given to its result."""

    function: Any
    arguments: Any
    state: Any = None
    items: list[Any] = field(default_factory=list)


DICTS = {Global("collections", "OrderedDict"), Global("collections", "defaultdict"), Global("builtins", "dict")}


class PickleError(ValueError):
    """Raised for a pickle that is damaged or has an opcode that weft does not know."""


def read_pickle(file: BinaryIO) -> Any:
    """Return the data of the pickle at the file's position, and leave the position after it.

    Functions are not called but recorded.  Raises PickleError if the pickle is damaged, or has more than MOST opcodes
    or an unknown one.

    >>> import io, pickle
    >>> read_pickle(io.BytesIO(pickle.dumps({"a": [1, 2.5, None]}, 2)))
    {'a': [1, 2.5, None]}
    >>> read_pickle(io.BytesIO(b"cos\\nsystem\\n(S'ls'\\ntR."))
    Made(function=Global(module='os', name='system'), arguments=('ls',), state=None, items=[])
    """
    machine = Machine()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about escapes in the texts of damaged files
            for count, (op, argument, _) in enumerate(pickletools.genops(file)):
                if op.name == "STOP":
                    if machine.marks:
                        raise PickleError("ends inside a list")
                    return machine.stack.pop()
                if count > MOST:
                    raise PickleError(f"has more than {MOST} steps")
                machine.step(op.name, argument)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as e:
        raise PickleError(f"{e!s:.100}") from e
    raise PickleError("has no end")


class Machine:
    """The stacks and the memo of a pickle in progress."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}

    def step(self, name: str, argument: Any) -> None:
        """Run one opcode of the pickle, by its name in `pickletools`; raises PickleError for an unknown one."""
        if name in STEPS:
            STEPS[name](self, argument)
        elif name in PUSHED:
            self.stack.append(argument)
        elif name not in SKIPPED:
            raise PickleError(f"has the step {name}, which is not read")

    def since_mark(self) -> list[Any]:
        """Remove and return the values above the last mark, and remove the mark."""
        found, self.stack = self.stack, self.marks.pop()
        return found

    def taken(self, n: int) -> list[Any]:
        """Remove and return the n topmost values; raises PickleError if there are fewer."""
        if n > len(self.stack):
            raise PickleError("takes values that are not there")
        found = self.stack[len(self.stack) - n :]
        del self.stack[len(self.stack) - n :]
        return found

    def called(self, function: Any, arguments: Any) -> None:
        """Push the record of a call with these arguments; for a dictionary type, push a dict instead."""
        if function in DICTS:
            pairs = [a for a in arguments if isinstance(a, list)]
            self.stack.append(dict(*pairs[:1]))
        else:
            self.stack.append(Made(function, arguments))


def _add(target: Any, values: list[Any]) -> None:
    if isinstance(target, Made):
        target.items.extend(values)
    elif isinstance(target, set):
        target.update(values)
    else:
        target.extend(values)


def _set(target: Any, values: list[Any]) -> None:
    pairs = list(zip(values[::2], values[1::2], strict=True))
    if isinstance(target, Made):
        target.items.extend(pairs)
    else:
        target.update(pairs)


def _build(machine: Machine, _: Any) -> None:
    (state,) = machine.taken(1)
    if isinstance(machine.stack[-1], Made):
        machine.stack[-1].state = state


def _push(make: Callable[[Machine], Any]) -> Callable[[Machine, Any], None]:
    def step(machine: Machine, _: Any) -> None:
        value = make(machine)  # may replace the stack
        machine.stack.append(value)

    return step


def _call(machine: Machine, _: Any) -> None:
    function, arguments = machine.taken(2)
    machine.called(function, arguments)


def _call_with_names(machine: Machine, _: Any) -> None:
    function, arguments, names = machine.taken(3)
    machine.called(function, (*arguments, names))


def _marked_call(machine: Machine, name: Any) -> None:
    values = machine.since_mark()
    function = Global(*name.split(" ", 1)) if isinstance(name, str) else values.pop(0)
    machine.called(function, tuple(values))


def _memoize(machine: Machine, at: Any) -> None:
    machine.memo[len(machine.memo) if at is None else at] = machine.stack[-1]


def _mark(machine: Machine, _: Any) -> None:
    machine.marks.append(machine.stack)
    machine.stack = []


def _marked(use: Callable[[Any, list[Any]], None]) -> Callable[[Machine, Any], None]:
    def step(machine: Machine, _: Any) -> None:
        values = machine.since_mark()
        use(machine.stack[-1], values)

    return step


def _counted(use: Callable[[Any, list[Any]], None], n: int) -> Callable[[Machine, Any], None]:
    def step(machine: Machine, _: Any) -> None:
        values = machine.taken(n)
        use(machine.stack[-1], values)

    return step


def _dict(values: list[Any]) -> dict[Any, Any]:
    return dict(zip(values[::2], values[1::2], strict=True))


SKIPPED = {"PROTO", "FRAME"}
PUSHED = {
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING", "BINSTRING",
    "SHORT_BINSTRING", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES",
    "BINBYTES8", "BYTEARRAY8",
}  # fmt: skip
STEPS: dict[str, Callable[[Machine, Any], None]] = {
    "NONE": _push(lambda m: None),
    "NEWTRUE": _push(lambda m: True),
    "NEWFALSE": _push(lambda m: False),
    "MARK": _mark,
    "POP": lambda m, _: m.taken(1) and None,
    "POP_MARK": lambda m, _: m.since_mark() and None,
    "DUP": _push(lambda m: m.stack[-1]),
    "EMPTY_LIST": _push(lambda m: []),
    "EMPTY_TUPLE": _push(lambda m: ()),
    "EMPTY_DICT": _push(lambda m: {}),
    "EMPTY_SET": _push(lambda m: set()),
    "LIST": _push(lambda m: m.since_mark()),
    "TUPLE": _push(lambda m: tuple(m.since_mark())),
    "DICT": _push(lambda m: _dict(m.since_mark())),
    "FROZENSET": _push(lambda m: frozenset(m.since_mark())),
    "TUPLE1": _push(lambda m: tuple(m.taken(1))),
    "TUPLE2": _push(lambda m: tuple(m.taken(2))),
    "TUPLE3": _push(lambda m: tuple(m.taken(3))),
    "APPEND": _counted(_add, 1),
    "APPENDS": _marked(_add),
    "ADDITEMS": _marked(_add),
    "SETITEM": _counted(_set, 2),
    "SETITEMS": _marked(_set),
    "GLOBAL": lambda m, name: m.stack.append(Global(*name.split(" ", 1))),
    "STACK_GLOBAL": _push(lambda m: Global(*m.taken(2))),
    "REDUCE": _call,
    "NEWOBJ": _call,
    "NEWOBJ_EX": _call_with_names,
    "INST": _marked_call,
    "OBJ": _marked_call,
    "BUILD": _build,
    "PERSID": lambda m, words: m.stack.append(Reference(words)),
    "BINPERSID": _push(lambda m: Reference(*m.taken(1))),
    **dict.fromkeys(["PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"], _memoize),
    **dict.fromkeys(["GET", "BINGET", "LONG_BINGET"], lambda m, at: m.stack.append(m.memo[at])),
}
