"""Pickles read as plain data: nothing is imported and nothing is called.

The one idea: a pickle is a program for a stack machine, and Python's own machine asks `find_class` for every name.
Here it gets a `Global`.  Steps that call a function push a `RecordedCall`; steps for other objects raise.
"""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

MOST = 50_000_000  # steps of a program
MOST_PARTS = 100  # values in a key, however deep; Python hashes tuples without a limit of time and depth


class Global(NamedTuple):
    """The name of a function or class, which is not imported."""

    module: str
    name: str


class Reference(NamedTuple):
    """A persistent reference to an object outside the pickle; `words` is its persistent id."""

    words: Any


class PlainDict(dict[Any, Any]):
    """A dict in the place of one of DICTS, without the attributes that the pickle gives it."""

    def __setstate__(self, state: Any) -> None:
        pass


@dataclass(slots=True, eq=False)
class RecordedCall:
    """A recorded call: its function and arguments, and the state and items given to its result."""

    function: Any
    arguments: Any
    state: Any = None
    items: list[Any] = field(default_factory=list)

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def __setitem__(self, key: Any, value: Any) -> None:
        self.items.append((key, value))

    def append(self, item: Any) -> None:
        """Record an item, as of a list or a set."""
        self.items.append(item)

    add = append


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
    RecordedCall(function=Global(module='os', name='system'), arguments=('ls',), state=None, items=[])
    """
    machine = Machine(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about escapes in the texts of damaged files
            found = machine.load()
    except PickleError:
        raise
    except Exception as e:  # damaged pickles raise errors of many kinds
        raise PickleError(f"{e!s:.100}" or "has no end") from e
    if machine.metastack:
        raise PickleError("ends inside a list")
    return found


class Machine(pickle._Unpickler):  # type: ignore[name-defined, misc]
    """Python's reader of pickles, its version in Python, whose steps are a table that a subclass may change."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, encoding="latin1")
        self.dispatch = PickleSteps(STEPS)

    def find_class(self, module: str, name: str) -> Global:
        """Return the record of a name, which is not imported."""
        return Global(module, name)

    def persistent_load(self, pid: Any) -> Reference:
        """Return the record of a reference to an object outside the pickle."""
        return Reference(pid)

    def load_call(self) -> None:
        """Replace a function and the tuple of its arguments by the record of the call."""
        arguments = self.stack.pop()
        if not isinstance(arguments, tuple):
            raise PickleError("calls a function with what is no tuple")
        self._instantiate(self.stack.pop(), arguments)

    def load_call_with_names(self) -> None:
        """Replace a function, the tuple and the dict of its arguments by the record of a call with these two."""
        function, *both = self.stack[-3:]
        del self.stack[-3:]
        self._instantiate(function, both)

    def _instantiate(self, function: Any, arguments: tuple[Any, ...] | list[Any]) -> None:
        """Push the record of a call; a dict if the function is one of DICTS."""
        if not isinstance(function, Global) or function not in DICTS:
            self.append(RecordedCall(function, tuple(arguments)))
            return
        pairs = next((a for a in arguments if isinstance(a, list)), [])
        self.check_keys([key for key, _ in pairs])
        self.dispatch.left -= len(pairs)  # a copy of each costs a step
        self.append(PlainDict(pairs))

    def check_keys(self, keys: list[Any]) -> None:
        """Raise PickleError if one of the keys of a dict or set holds more than MOST_PARTS values."""
        for key in keys:
            parts = [key]
            for part in parts:  # which grows
                parts.extend(part if isinstance(part, tuple) else ())
                if len(parts) > MOST_PARTS:
                    raise PickleError(f"has a key of more than {MOST_PARTS} values")
            self.dispatch.left -= len(parts)

    def load_bytearray(self) -> None:
        """Push a bytearray of the bytes that are there, however many the pickle claims."""
        self.append(bytearray(self.read(int.from_bytes(self.read(8), "little"))))


class PickleSteps(dict[int, Any]):
    """A table of steps by opcode, which raises PickleError once more than MOST steps were taken from it."""

    left = MOST

    def __getitem__(self, opcode: int) -> Any:
        self.left -= 1
        if self.left < 0:
            raise PickleError(f"has more than {MOST} steps")
        if opcode not in self:
            raise PickleError(f"has the step {bytes([opcode])!r}, which is not read")
        return super().__getitem__(opcode)


def checked(opcode: bytes, keys: slice) -> Any:
    """Return Python's step for an opcode, after a check of the `keys` among the topmost values."""
    step = Machine.dispatch[opcode[0]]

    def checked_step(machine: Machine) -> None:
        machine.check_keys(machine.stack[keys])
        step(machine)

    return checked_step


# Steps that push objects of this process (types by registered numbers, buffers), or integers too long to print.
_LEFT_OUT = (pickle.EXT1, pickle.EXT2, pickle.EXT4, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER, pickle.LONG4)
STEPS = {opcode: step for opcode, step in Machine.dispatch.items() if bytes([opcode]) not in _LEFT_OUT}
STEPS[pickle.REDUCE[0]] = STEPS[pickle.NEWOBJ[0]] = Machine.load_call  # a new object is recorded like a call
STEPS[pickle.NEWOBJ_EX[0]] = Machine.load_call_with_names
STEPS[pickle.BYTEARRAY8[0]] = Machine.load_bytearray
STEPS[pickle.SETITEM[0]] = checked(pickle.SETITEM, slice(-2, -1))
STEPS[pickle.SETITEMS[0]] = checked(pickle.SETITEMS, slice(0, None, 2))
STEPS[pickle.DICT[0]] = checked(pickle.DICT, slice(0, None, 2))
STEPS[pickle.ADDITEMS[0]] = checked(pickle.ADDITEMS, slice(None))
STEPS[pickle.FROZENSET[0]] = checked(pickle.FROZENSET, slice(None))
