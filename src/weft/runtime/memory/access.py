"""Access: the bytes that running programs read and write, which they pin, and memory shared with code outside weft.

The one idea: a program that releases the interpreter's lock while it runs registers the address ranges it reads and
writes; a conflicting program waits.  All ranges are pinned in one step, so two programs never wait for each other.

Aliasing is decided on addresses, too.  Imported arrays are registered with the range of bytes they span; overlapping
ranges are one Region, so a write through any of them finds every place that it changes.  Memory that weft allocated
needs no entry: its reference count tells whether an export exists.  Only if an export is imported again must both be
known, so exports are noted, and registered at the next import.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any
from weakref import ref

import numpy as np

from weft import dtypes as dt
from weft.errors import ShapeError
from weft.ir.graph.description import TensorDescription
from weft.runtime.devices.stream import Cells
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.memory.fingerprints import references
from weft.runtime.references import LooseSet, extra_references
from weft.runtime.signal_safe_threads import ReentrantLock, Waiters

SMALL = 1 << 16  # bytes below which a program keeps the interpreter to itself and needs no pins

Range = tuple[int, int]
_ACTIVE: LooseSet[pinned] = LooseSet()  # weak: pins that an exception cut short go with their frame
_MUTEX = held_over_forks(ReentrantLock())  # reentrant, as finalizers may take it
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


MAX_NOTED = 4096  # exports noted before freed ones are removed


class Region:
    """A joined range of bytes [low, high), with the stored nodes and the places whose memory lies there.

    A place is listed while its current version lies in the region.
    """

    __slots__ = ("high", "low", "nodes", "places")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.nodes: LooseSet[Any] = LooseSet()
        self.places: LooseSet[Any] = LooseSet()

    def is_shared(self) -> bool:
        """True if cells of more than one node, or of more than one place, lie in this region."""
        return len(self.nodes) > 1 or len(self.places) > 1


class _Registry:
    """Regions sorted by address, none overlapping another; regions without nodes and places are removed now and then.

    The region of an export has no link from its place, since most exports are never imported again.
    """

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.lows: list[int] = []  # the `low` of each region
        self.limit = MAX_NOTED

    def meeting(self, low: int, high: int) -> slice:
        """Return the slice of `regions` that share bytes with [low, high)."""
        first = bisect_right(self.lows, low)
        if first and self.regions[first - 1].high > low:
            first -= 1
        return slice(first, max(first, bisect_left(self.lows, high)))

    def add(self, region: Region) -> None:
        """Replace all regions that share bytes with `region` by it."""
        if region.low == region.high:
            return
        at = self.meeting(region.low, region.high)
        self.regions[at], self.lows[at] = [region], [region.low]
        if len(self.regions) > self.limit:
            self.regions = [s for s in self.regions if _is_alive(s)]
            self.lows = [s.low for s in self.regions]
            self.limit = 2 * len(self.regions) + MAX_NOTED


_REGISTRY = _Registry()
NOTED: list[ref[Any]] = []  # nodes with exported memory, which may be imported again
_LOCK = held_over_forks(ReentrantLock())


def register(array: np.ndarray, place: Any) -> Region:
    """Register the memory of an imported array, the value of `place`; return its region.

    The region is joined with all regions that share bytes with it.
    """
    with _LOCK:
        if NOTED:
            enter_exports()
        region = _covering(*byte_range(array))
        region.nodes.add(place.node)
        region.places.add(place)
        place.region = region
        for tenant in region.places if len(region.places) > 1 else ():
            tenant.region = region
            region.nodes.add(tenant.node)
    return region


def tenants(place: Any) -> tuple[list[Any], list[Any]]:
    """Return the nodes and the places whose cells lie in the region of a place now.

    Two empty lists without a region.
    """
    with _LOCK:
        region = place.region
        return ([], []) if region is None else (list(region.nodes), list(region.places))


def exchange(place: Any, old: Any, new: Any) -> None:
    """Replace node `old` by node `new` in the region of a place, if it has one.

    If `old` is None, `new` is added; if `new` is None, `old` is removed. The region is read under the lock, since an
    import may join it with another at any time.
    """
    with _LOCK:
        if place.region is None:
            return
        if old is not None:
            place.region.nodes.discard(old)
        if new is not None:
            place.region.nodes.add(new)


def remove_place(place: Any) -> None:
    """Remove a place and its node from its region, if it has one, as its memory was replaced or freed."""
    with _LOCK:
        if place.region is not None:
            place.region.places.discard(place)
            place.region.nodes.discard(place.node)


def _covering(low: int, high: int) -> Region:
    """Return a region that covers the bytes [low, high), joined from the regions that share bytes with it."""
    meeting = _REGISTRY.regions[_REGISTRY.meeting(low, high)]
    if len(meeting) == 1 and (s := meeting[0]).low == low and s.high == high and not (len(s.nodes) or len(s.places)):
        return s
    meeting = [s for s in meeting if _is_alive(s)]
    if len(meeting) == 1 and meeting[0].low <= low and high <= meeting[0].high:
        return meeting[0]
    region = Region(min([low, *(s.low for s in meeting)]), max([high, *(s.high for s in meeting)]))
    for old in meeting:
        region.nodes.update(old.nodes)
        region.places.update(old.places)
    for tenant in region.places:
        if tenant.region is not None:
            tenant.region = region
    _REGISTRY.add(region)
    return region


def enter_exports() -> None:
    """Register the memory of exported nodes to which something outside weft still refers."""
    with _LOCK:
        while NOTED:
            node = NOTED.pop()()
            place = None if node is None or node.place is None else node.place()
            if place is not None and place.node is node:
                if place.region is not None or not _is_referenced_outside(place):
                    continue
            elif node is None or node.value is None or not exported(node):  # otherwise pending expressions read it
                continue
            region = _covering(*byte_range(node.value))
            region.nodes.add(node)
            if place is not None and place.node is node:
                region.places.add(place)


def _is_alive(region: Region) -> bool:
    """True if a region is still shared with the outside, or has a node that is no place's current version."""
    current = set()
    for place in region.places:
        if place.region is not None or (
            _is_referenced_outside(place) and byte_range(place.node.value)[0] == region.low
        ):
            return True
        current.add(place.node)
    return any(n not in current for n in region.nodes)


def _is_referenced_outside(place: Any) -> bool:
    """True if an array outside weft refers to a place's memory; the answer is also stored in `place.noted`."""
    place.noted = place.node.value is not None and exported(place.node)
    return bool(place.noted)


def exported(holder: Any) -> bool:
    """True if any object but `holder` refers to the array `holder.value`."""
    return (
        extra_references(holder.value) > references(holder) and type(holder.value) is not Cells
    )  # only copies of other devices' memory are exported


def strided_array(base: np.ndarray, offset: int, desc: TensorDescription, writeable: bool) -> np.ndarray:
    """Return an array over `base` with the shape, strides and dtype of `desc`, starting at byte `offset`.

    It can be written if `writeable`. Raises ShapeError for more bytes than NumPy can count.
    """
    np_dtype = dt.to_numpy(desc.dtype, "big") if desc.big else desc.dtype.np
    if offset == 0 and base.dtype is np_dtype and base.shape == desc.shape and base.strides == desc.strides:
        array = base.view()
    else:
        try:  # twice as fast as by address, if the base is contiguous with a buffer's dtype
            array = np.ndarray(desc.shape, np_dtype, base, offset, desc.strides)
        except (ValueError, TypeError, BufferError):
            array = _by_address(base, offset, desc, np_dtype)
    if not writeable and array.flags.writeable:
        array.flags.writeable = False
    return array


def _by_address(base: np.ndarray, offset: int, desc: TensorDescription, np_dtype: np.dtype) -> np.ndarray:
    """Return the array of `strided_array`, built from an address.

    Raises ShapeError for more bytes than NumPy can count.
    """
    try:
        return np.asarray(_Interface(base, offset, desc, np_dtype)).view(np_dtype)
    except ValueError as error:
        if desc.nbytes <= sys.maxsize:
            raise
        raise ShapeError(
            f"numpy: cells of shape {desc.shape} count {desc.nbytes} bytes; NumPy's arrays have {sys.maxsize} at "
            "most, even where cells repeat; slice it first"
        ) from error


class _Interface:
    """An object with NumPy's array interface over an address, which keeps the memory alive."""

    __slots__ = ("__array_interface__", "base")

    def __init__(self, base: np.ndarray, offset: int, desc: TensorDescription, np_dtype: np.dtype) -> None:
        self.base = base
        text = f"|V{np_dtype.itemsize}" if desc.dtype.extended else np_dtype.str
        self.__array_interface__ = {
            "version": 3,
            "data": (base.ctypes.data + offset, not base.flags.writeable),
            "shape": desc.shape,
            "strides": desc.strides,
            "typestr": text,
        }
