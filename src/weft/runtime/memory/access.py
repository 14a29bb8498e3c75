"""Access: the bytes that running programs read and write, which they pin.

The one idea: a program that releases the interpreter's lock while it runs registers the address ranges it reads and
writes; a conflicting program waits.  All ranges are pinned in one step, so two programs never wait for each other.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

import numpy as np

from weft.runtime.fork_safety import held_over_forks
from weft.runtime.handover import Waiters
from weft.runtime.references import LooseSet

SMALL = 1 << 16  # bytes below which a program keeps the interpreter to itself and needs no pins

Range = tuple[int, int]
_ACTIVE: LooseSet[pinned] = LooseSet()  # weak: pins that an exception cut short go with their frame
_MUTEX = held_over_forks(threading.RLock())  # reentrant, as finalizers may take it
_CHANGED = Waiters(_MUTEX)  # told whenever pins are released
_PATIENCE = 0.05  # seconds after which a waiting thread looks again


class Writers:
    """The epoch of writes: None while a program writes existing memory, and a new object after every such write.

    A reader that finds the same `epoch` before and after reading, without pins, has read no memory that was being
    written.
    """

    __slots__ = ("epoch",)

    def __init__(self) -> None:
        self.epoch: object = object()


WRITERS = Writers()  # an attribute of an object: one of a class costs ten times as much to change


class pinned:
    """Context manager that stops other threads' programs from writing the arrays read, or touching the arrays written.

    Entering waits until no program of another thread conflicts.
    """

    __slots__ = ("__weakref__", "ranges", "thread", "writes")

    def __init__(self, reads: Sequence[np.ndarray], writes: Sequence[np.ndarray] = ()) -> None:
        self.thread = threading.get_ident()
        self.ranges = [(*byte_range(a), False) for a in reads]
        self.ranges += [(*byte_range(a), True) for a in writes]
        self.writes = len(writes) > 0

    def __enter__(self) -> None:
        queue: SimpleQueue[None] = SimpleQueue()
        while not self._is_taken(queue):
            _CHANGED.wait(queue, _PATIENCE)

    def _is_taken(self, queue: SimpleQueue[None]) -> bool:
        """Pin the ranges and return True.

        On a conflict with another thread, register `queue`, which gets an item at its end, and return False.
        """
        with _MUTEX:
            if any(self._conflicts(other) for other in _ACTIVE):
                _CHANGED.add(queue)
                return False
            _ACTIVE.add(self)
            if self.writes:
                _note_writers()
            return True

    def __exit__(self, *exception: object) -> None:
        with _MUTEX:
            _ACTIVE.discard(self)
            if self.writes:
                _note_writers()
            _CHANGED.tell()

    def _conflicts(self, other: pinned) -> bool:
        """True if another thread's pinned ranges and these share bytes that at least one of the two writes."""
        return self.thread != other.thread and any(_conflict(a, b) for a in self.ranges for b in other.ranges)


def read_unwritten(n: Any, read: Callable[[], Any]) -> Any:
    """Return `read()`, which reads the cells of stored node `n`, while no other thread writes them.

    `read` may be called twice, and must read the node's value anew each time, as its memory may be replaced meanwhile.
    """
    epoch = WRITERS.epoch
    if epoch is not None:
        taken = read()
        if WRITERS.epoch is epoch:
            return taken
    while True:
        root = n if n.alias is None or n.alias[0].value is None else n.alias[0]
        memory = root.value
        with pinned((memory,)):
            if root.value is memory:
                return read()


def write_alone(run: Callable[..., object], arguments: Sequence[Any], epoch: object) -> bool:
    """Call a brief function that writes existing memory while no other program runs; True if called.

    It is not called if another program runs, or memory was written since `epoch`.
    """
    with _MUTEX:
        if _ACTIVE.refs or epoch is None or WRITERS.epoch is not epoch:
            return False
        WRITERS.epoch = None
        try:
            run(*arguments)
        finally:
            WRITERS.epoch = object()
    return True


def _note_writers() -> None:
    """Renew `WRITERS.epoch`: None while a pinned program writes, else a new object."""
    writing = any(written for p in _ACTIVE for _, _, written in p.ranges)
    WRITERS.epoch = None if writing else object()


def _conflict(a: tuple[int, int, bool], b: tuple[int, int, bool]) -> bool:
    """True if two ranges (low, high, written) share bytes and at least one of them is written."""
    return (a[2] or b[2]) and a[0] < b[1] and b[0] < a[1]


def _place_of_data() -> int:
    """Return the byte offset of the data pointer within an array object.

    It is found by search, since it differs between builds of NumPy.
    """
    a = np.empty(3)
    words = (ctypes.c_size_t * 8).from_address(id(a))
    return 8 * next(k for k in range(8) if words[k] == a.ctypes.data)


PLACE_OF_DATA = _place_of_data()
_word = ctypes.c_size_t.from_address


def address_of(array: np.ndarray) -> int:
    """Return the address of an array's first cell, in a tenth of the time of `array.ctypes.data`."""
    return _word(id(array) + PLACE_OF_DATA).value


def is_mapped(low: int, high: int) -> bool:
    """True if this process can read all of an address range, or if the system does not list its mappings."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                first, last = (int(address, 16) for address in line.split(" ", 1)[0].split("-"))
                if first <= low < last and line.split(" ", 2)[1].startswith("r"):
                    low = last
                    if low >= high:
                        return True
    except OSError:
        return True
    return False


def byte_range(array: np.ndarray) -> Range:
    """Return the half-open range (low, high) of addresses that an array's cells span."""
    low = high = address_of(array)
    if array.size == 0:
        return low, low
    if array.flags.c_contiguous:
        return low, low + array.nbytes
    for n, s in zip(array.shape, array.strides, strict=True):
        if s < 0:
            low += (n - 1) * s
        else:
            high += (n - 1) * s
    return low, high + array.itemsize


def _after_fork() -> None:
    """Remove, in a forked child, the pins of the parent's other threads."""
    for p in _ACTIVE:
        if p.thread != threading.get_ident():
            _ACTIVE.discard(p)
    _note_writers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
