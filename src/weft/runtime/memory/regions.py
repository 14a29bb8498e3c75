"""Regions: memory shared with code outside weft, registered by address.

The one idea: aliasing is decided on addresses.  Imported arrays are registered with the range of bytes they span;
overlapping ranges are one Region, so a write through any of them finds every place that it changes.  Memory that weft
allocated needs no entry: its reference count tells whether an export exists.  Only if an export is imported again must
both be known, so exports are noted, and registered at the next import.
"""

from __future__ import annotations

import sys
import threading
from bisect import bisect_left, bisect_right
from typing import Any
from weakref import ref

import numpy as np

from weft import dtypes as dt
from weft.errors import ShapeError
from weft.ir.graph.description import TensorDescription
from weft.runtime.devices.stream import Cells
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.memory.access import byte_range
from weft.runtime.memory.fingerprints import references
from weft.runtime.references import LooseSet, extra_references

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
_LOCK = held_over_forks(threading.RLock())


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
