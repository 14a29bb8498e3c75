"""Values that the code of a compiled function finds by name, and whether a later call finds the same.

The one idea: a value is recorded as it was found, and compared with the current one: numbers and texts by value,
containers by their items, arrays by their cells, and objects by identity.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from weft.runtime.memory import fingerprints
from weft.tensors.tensor import COPIED, Tensor

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

    def what_changed(self) -> str:
        """Return the difference between the current value and the recorded one as text; "" if equal."""
        now = self.get()
        if is_same(now, self.was):
            return ""
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
