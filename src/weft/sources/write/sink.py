"""A target of writing: one array received box by box in any order; and its sink for plain cells.

The one idea: where cells have fixed offsets, every box of them can be written at once, wherever it is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.api.arguments import is_among
from weft.backends.thread_sharing import BRIEF, one_at_a_time
from weft.dtypes import DType, to_numpy
from weft.errors import InternalError, ValueRangeError
from weft.ir.graph.description import Shape, c_strides
from weft.ir.pieces.box import box_of
from weft.runtime.memory import allocator
from weft.sources.read.byte_ranges import LocalFile, run_starts
from weft.sources.write.atomic_write import BLOCK, NEW, begin_sync

EARLY = 1 << 18  # bytes of a part from which writing to the disk begins at once


class Sink:
    """The target of one array, which receives boxes of cells in any order; itself one that is only foreseen.

    `tile` is the shape of a chunk: boxes consist of whole tiles, counted from cell 0 and clipped at the end, if memory
    allows; None if any box will do.  `order` tells along which axis neighbours are adjacent: "C" the last, "F" the
    first.  Calls come one at a time, perhaps from another thread than the one that opened the sink; with `concurrent`,
    several come at once for boxes of whole tiles.  `own_bytes` is the memory that the sink needs for itself while it
    writes.
    """

    tile: Shape | None = None
    order: str = "C"
    concurrent: bool = False
    own_bytes: int = 0

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write `values`, in native byte order with any strides, to the box that begins at `start`.

        Raises OSError if the system refuses.
        """
        raise InternalError("save: a tile for a sink that is only foreseen; please report this")

    def close(self) -> None:
        """Write what remains and close the file; raises OSError if the system refuses."""

    def abandon(self) -> None:
        """Close the file, which is discarded, after a failure; raises OSError if the system refuses."""
        self.close()


@dataclass(frozen=True, slots=True)
class Field:
    """The description of an array in a file: dtype, shape, `big` for big-endian cells, and the order of the tensor."""

    dtype: DType
    big: bool
    shape: Shape
    order: str = "C"

    @property
    def nbytes(self) -> int:
        """The bytes of all cells."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype of the cells in their byte order."""
        return to_numpy(self.dtype, "big" if self.big else "little")


@dataclass(frozen=True, slots=True)
class ExistingArray:
    """An existing array of a file to write into: its source, and its shape afterwards.

    The array grows along `axis` if that is given.
    """

    source: Any
    shape: Shape
    axis: int | None = None


@dataclass(frozen=True, slots=True)
class Writer:
    """A format's row in the table of writers.

    `open(path, {name: Field}, **options)` creates the file (a folder for formats with `marks`) and returns a Sink for
    every name; `path` does not exist yet.  The sinks are closed in that order, and the file is complete when the last
    one is.  Options are keyword arguments with defaults; their names are what users may pass.

    `marks`: a folder that holds one of these names is a store of the format and may be replaced.

    `lone`: the name of an array that is saved alone in a format that holds several ("" if it needs none); None: the
    format holds a single array, named "".

    `update(path, {name: ExistingArray})` yields sinks of existing arrays, and restores what it can after an error;
    None: cells of the format cannot be written in place.

    `chunked`: sinks may have chunks, and creating a file reserves no room for its cells.
    """

    open: Callable[..., Mapping[str, Sink]]
    marks: tuple[str, ...] = ()
    lone: str | None = None
    update: Callable[[str, Mapping[str, ExistingArray]], AbstractContextManager[Mapping[str, Sink]]] | None = None
    chunked: bool = False


def stored_cells(values: NDArray[Any], dtype: DType, big: bool) -> NDArray[np.uint8]:
    """Return the bytes of cells in row-major order, big-endian if `big`, as uint8; a view if possible.

    >>> from weft.dtypes import int16
    >>> stored_cells(np.array([1, 2]), int16, True).tolist()
    [0, 1, 0, 2]
    """
    is_swapped = big and dtype.itemsize > 1
    native = allocator.contiguous(values, dtype.np, copy=is_swapped).reshape(-1)
    if is_swapped:
        word = dtype.real.itemsize if dtype.kind == "complex" else dtype.itemsize
        native.view(f"u{word}").byteswap(inplace=True)
    return native.view(np.uint8)


def whole_chunk(cells: NDArray[Any], chunk: Shape) -> NDArray[Any]:
    """Return cells as a whole chunk: themselves if they fill it, otherwise a copy followed by zeros along each axis.

    Raises OutOfMemory if memory is refused.

    >>> whole_chunk(np.array([[1, 2]]), (2, 3)).tolist()
    [[1, 2, 0], [0, 0, 0]]
    """
    if cells.shape == chunk:
        return cells
    whole = allocator.empty(cells.dtype, chunk)
    whole[...] = 0
    whole[box_of(cells.shape).slices] = cells
    return whole


class FileSink(Sink):
    """The sink of cells in C or F order from byte `offset` of a file, extended if `is_new`."""

    def __init__(
        self, path: str, offset: int, dtype: DType, big: bool, shape: Shape, order: str = "C", is_new: bool = True
    ) -> None:
        self.path = path
        self.dtype, self.big, self.order, self.offset = dtype, big, order, offset
        self.sizes = shape if order == "C" else shape[::-1]  # outer to inner
        self.strides = c_strides(self.sizes, dtype.itemsize)
        self.nbytes = prod(shape) * dtype.itemsize
        self.fd = LocalFile(-1)
        self.fd = LocalFile(os.open(path, os.O_RDWR))
        if is_new:
            reserve(self.fd, offset, self.nbytes)

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write `values` to the box that begins at `start`, run by run; raises OSError if the system refuses."""
        if self.order == "F":
            start, values = start[::-1], values.T
        if not values.size:
            return
        offset = self.offset + sum(i * s for i, s in zip(start, self.strides, strict=True))
        axis = values.ndim  # axes from here on are whole, so their cells are adjacent
        while axis and values.shape[axis - 1] == self.sizes[axis - 1]:
            axis -= 1
        outer, stride = values.shape[: max(axis - 1, 0)], self.strides[axis - 1] if axis else 0
        with one_at_a_time(values.nbytes < BRIEF * prod(outer)):
            for index, at in zip(np.ndindex(outer), run_starts(offset, outer, self.strides), strict=True):
                self._write_run(at, values[index], stride)

    def _write_run(self, offset: int, cells: NDArray[Any], stride: int) -> None:
        """Write cells along their first axis, `stride` bytes apart, from byte `offset` on; with stride 0, one cell.

        Raises OSError if the system refuses.
        """
        rows = max(1, BLOCK // stride) if stride else 1
        for first in range(0, len(cells) if stride else 1, rows):
            part = stored_cells(cells[first : first + rows] if stride else cells, self.dtype, self.big)
            write_at(self.fd, memoryview(part), offset + first * stride)

    def close(self) -> None:
        """Close the file."""
        fd, self.fd = self.fd, LocalFile(-1)
        if fd >= 0:
            os.close(fd)

    __del__ = close  # needed if the sinks of other arrays cannot be opened


def reserve(fd: int, offset: int, nbytes: int) -> None:
    """Reserve `nbytes` bytes from `offset` on for an opened file, so that a full disk is noticed at once.

    Raises OSError if the disk is full.
    """
    try:
        if nbytes:
            os.posix_fallocate(fd, offset, nbytes)
    except OSError as e:
        if e.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise
        os.ftruncate(fd, offset + nbytes)


def new_file(path: str, head: bytes = b"") -> None:
    """Create a file with the given first bytes; raises FileExistsError if it exists, OSError if the system refuses."""
    fd = os.open(path, NEW, 0o666)
    try:
        write_at(fd, memoryview(head), 0)
    finally:
        os.close(fd)


def replace_file(path: str, data: Any, durable: bool = False) -> None:
    """Write a file that holds exactly the given bytes, truncating an existing file; raises OSError if that fails.

    With `durable` the bytes are synced to disk before the return.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        write_at(fd, memoryview(data).cast("B"), 0)
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def write_at(fd: int, data: memoryview, offset: int, will_be_synced: bool = True) -> None:
    """Write all bytes at an offset of the opened file `fd`; raises OSError if that fails.

    With `will_be_synced`, the system begins to write large parts to the disk.
    """
    done = 0
    while done < len(data):
        done += os.pwrite(fd, data[done : done + BLOCK], offset + done)
    if will_be_synced and done >= EARLY:
        begin_sync(fd, offset, done)


def checked_order(path: str, order: str) -> str:
    """Return `order` if it is "C" or "F"; raises ValueRangeError otherwise."""
    if not is_among(order, ("C", "F")):
        raise ValueRangeError(f"save: {path}: order {order!r}; cells lie in 'C' or 'F' order; pass one of them")
    return order
