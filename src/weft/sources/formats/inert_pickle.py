"""Pickles read as plain data: nothing is imported and nothing is called.

The one idea: a pickle is a program for a stack machine, and Python's own machine asks `find_class` for every name.
Here it gets a `Global`, which records calls instead of making them (`Made`); steps that reach other objects are left
out.
"""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

MOST = 50_000_000  # steps of a program


class Global(NamedTuple):
    """The name of a function or class; calling it records the call, or makes a dict if it names a type of these."""

    module: str
    name: str

    def __call__(self, *arguments: Any) -> Any:
        if self not in DICTS:
            return Made(self, arguments)
        return PlainDict(*[a for a in arguments if isinstance(a, list)][:1])


class Reference(NamedTuple):
    """A persistent reference to an object outside the pickle; `words` is its persistent id."""

    words: Any


class PlainDict(dict[Any, Any]):
    """A dict in the place of one of DICTS, without the attributes that the pickle gives it."""

    def __setstate__(self, state: Any) -> None:
        pass


@dataclass(slots=True, eq=False)
class Made:
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
    Made(function=Global(module='os', name='system'), arguments=('ls',), state=None, items=[])
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

    def load_call_with_names(self) -> None:
        """Record a call with the dictionary of its keyword arguments as the last argument."""
        function, arguments, names = self.stack[-3:]
        self.stack[-3:] = [function(*arguments, names)]

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


# Without the steps that push objects of this process: types by registered numbers, and buffers.
_OUTSIDE = (pickle.EXT1, pickle.EXT2, pickle.EXT4, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER)
STEPS = {opcode: step for opcode, step in Machine.dispatch.items() if bytes([opcode]) not in _OUTSIDE}
STEPS[pickle.NEWOBJ[0]] = Machine.load_reduce  # a new object is recorded like a call
STEPS[pickle.NEWOBJ_EX[0]] = Machine.load_call_with_names
STEPS[pickle.BYTEARRAY8[0]] = Machine.load_bytearray
