"""Values that the code of a compiled function finds by name, and whether a later call finds the same.

The one idea: a value is pinned as it was found, and compared with what is there now: numbers and texts by what they
are, containers by their items, arrays by their cells, and objects by which they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from weft.runtime.memory import fingerprints
from weft.tensors.tensor import COPIED, Tensor

MOST = 1000  # items of a container that are compared, and things that are looked at
DEEP = 4  # containers in containers that are compared
CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_SHOWN = (int, float, complex, str, bytes, type(None))  # what a reason spells
_PLAIN = (*_SHOWN, Tensor, np.generic)
_ANY = object()  # stands for what is not compared


class ContainerItems(NamedTuple):
    """A container as it was found."""

    kind: type
    items: tuple[Any, ...]


class ArrayCells(NamedTuple):
    """An array as it was found, with its cells: all of one that operations copy, samples of a larger one."""

    array: np.ndarray
    cells: Callable[[], Any]
    seen: Any


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
        if isinstance(now, _SHOWN) and isinstance(self.was, _SHOWN):
            return f"{self.name}: {now!r:.40}, was {self.was!r:.40}"
        if type(self.was) is ArrayCells and now is self.was.array:
            return f"{self.name} has other cells"
        return f"{self.name} is another one"


def is_compared(x: NamedValue) -> bool:
    """True if a value says whether it is the same."""
    return x.was is not _ANY


def is_same(x: Any, was: Any) -> bool:
    """True if what is found under a name is what was found there."""
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
    """Return what a later value is compared with: plain values themselves, weak references to objects."""
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
    """Return an array as it is, to be compared."""
    if x.nbytes <= COPIED or x.dtype.isbuiltin != 1:
        cells = x.tolist if x.dtype.hasobject else x.tobytes
        return ArrayCells(x, cells, cells())
    samples = fingerprints.taken(x)
    return ArrayCells(x, lambda: samples.cells, samples.seen)


def _items(x: Any) -> Sequence[Any]:
    return (*x, *x.values()) if isinstance(x, dict) else tuple(x)
