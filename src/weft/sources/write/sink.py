"""The protocol of a target of writing: one array, taken box by box in any order; and the run of a file.

The one idea: where cells lie at fixed places, every box of them can be written at once, wherever it is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType, to_numpy
from weft.errors import InternalError, ValueRangeError
from weft.ir.graph.description import Shape, c_strides
from weft.sources.write.atomic_write import BLOCK, NEW, begin_sync

EARLY = 1 << 18  # bytes of a part that the system is to write to the disk while others are computed


class Sink(Protocol):
    """The target of one array, which takes boxes of cells in any order.

    `tile` is the shape of a chunk: boxes are made of whole tiles, counted from cell 0 and clipped at the end, wherever
    memory allows; None if any box will do.  `order` says along which axis neighbours lie side by side: "C" the last,
    "F" the first. Calls come one at a time, perhaps from another thread than the one that opened the sink; where
    `concurrent` is set, several come at once for boxes of whole tiles.  `own_bytes`, if a sink has them, are what it
    takes beside these while it writes.
    """

    @property
    def tile(self) -> Shape | None:
        """Return the shape of a chunk; None if the target has none."""

    @property
    def order(self) -> str:
        """Return "C" or "F", the order of the cells in the file."""

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write `values`, in native byte order with any strides, to the box of their shape from `start`; raises
        OSError.
        """

    def close(self) -> None:
        """Write what is left and close the file; also called after a failure, when the file is thrown away."""


@dataclass(frozen=True, slots=True)
class Field:
    """The description of an array in a file: dtype, shape, `big` for big-endian cells, and the order of the tensor."""

    dtype: DType
    big: bool
    shape: Shape
    order: str = "C"

    @property
    def nbytes(self) -> int:
        """Return the bytes of all cells."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def numpy(self) -> np.dtype[Any]:
        """Return the NumPy dtype of the cells as they are stored."""
        return to_numpy(self.dtype, "big" if self.big else "little")


@dataclass(frozen=True, slots=True)
class ExistingArray:
    """An array of a file that is written into: its source, and its shape behind that, longer along `axis` if given."""

    source: Any
    shape: Shape
    axis: int | None = None


@dataclass(frozen=True, slots=True)
class Writer:
    """A format's row for writing.

    `open(path, {name: Field}, **options)` makes the file, or the folder if `marks` are given, and gives a Sink for
    every name; `path` does not exist yet.  The sinks are closed in that order, and the file is complete when the last
    one is.  Options are keyword arguments with defaults; their names are what users may pass.
    `marks`: a folder that holds one of these names is a store of the format and may be replaced.
    `lone`: the name of an array that is saved alone, "" where it needs none, in a format that holds several; None: the
    format holds one, named "".
    `update(path, {name: ExistingArray})` yields sinks of arrays that a file has, and takes back what it can after an
    error; None: cells of the format cannot be written in place.
    `chunked`: sinks may have chunks, and making a file takes no room for its cells.
    """

    open: Callable[..., Mapping[str, Sink]]
    marks: tuple[str, ...] = ()
    lone: str | None = None
    update: Callable[[str, Mapping[str, ExistingArray]], AbstractContextManager[Mapping[str, Sink]]] | None = None
    chunked: bool = False


@dataclass(frozen=True, slots=True)
class ForeseenSink:
    """Stand-in for a sink while a save is explained: its chunks, and whether it takes several calls at once."""

    tile: Shape | None
    concurrent: bool
    order: str = "C"
    own_bytes: int = 0

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Raise InternalError: nothing is written."""
        raise InternalError("save: a tile for a sink that is only foreseen; please report this")

    def close(self) -> None:
        """Do nothing."""


def stored_cells(values: NDArray[Any], dtype: DType, big: bool) -> NDArray[np.uint8]:
    """Return the bytes of cells in row-major order and that byte order, as uint8; a view of `values` if they lie so.

    >>> from weft.dtypes import int16
    >>> stored_cells(np.array([1, 2]), int16, True).tolist()
    [0, 1, 0, 2]
    """
    native = np.ascontiguousarray(values, dtype.np).reshape(-1)
    if big and dtype.itemsize > 1:
        word = dtype.real.itemsize if dtype.kind == "complex" else dtype.itemsize
        native = native.view(f"u{word}").byteswap()
    return native.view(np.uint8)


class FileSink:
    """The sink of cells in C or F order from byte `offset` of an existing file, extended as needed if it `is_new`."""

    tile = None

    def __init__(
        self, path: str, offset: int, dtype: DType, big: bool, shape: Shape, order: str = "C", is_new: bool = True
    ) -> None:
        self.path = path
        self.dtype, self.big, self.order, self.offset = dtype, big, order, offset
        self.sizes = shape if order == "C" else shape[::-1]  # outer to inner
        self.strides = c_strides(self.sizes, dtype.itemsize)
        self.nbytes = prod(shape) * dtype.itemsize
        self.fd = -1
        self.fd = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
        if is_new:
            reserve(self.fd, offset, self.nbytes)

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write the cells of `values` to the box from `start`, a run of neighbours at a time; raises OSError."""
        if self.order == "F":
            start, values = start[::-1], values.T
        if not values.size:
            return
        offset = self.offset + sum(i * s for i, s in zip(start, self.strides, strict=True))
        axis = values.ndim  # the axes from here on are whole: their cells lie side by side
        while axis and values.shape[axis - 1] == self.sizes[axis - 1]:
            axis -= 1
        for index in np.ndindex(values.shape[: max(axis - 1, 0)]):
            at = offset + sum(i * s for i, s in zip(index, self.strides, strict=False))
            self._write_run(at, values[index], self.strides[axis - 1] if axis else 0)

    def _write_run(self, at: int, cells: NDArray[Any], stride: int) -> None:
        """Write cells that are neighbours in the file, `stride` bytes apart, at byte `at`."""
        rows = max(1, BLOCK // stride) if stride else 1
        for first in range(0, len(cells) if stride else 1, rows):
            part = stored_cells(cells[first : first + rows] if stride else cells, self.dtype, self.big)
            write_at(self.fd, memoryview(part), at + first * stride)

    def close(self) -> None:
        """Close the file."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    __del__ = close  # where the sinks of other arrays could not be opened


def reserve(fd: int, offset: int, nbytes: int) -> None:
    """Reserve bytes on the disk, so that a full disk is noticed at once; raises OSError."""
    try:
        if nbytes:
            os.posix_fallocate(fd, offset, nbytes)
    except OSError as e:
        if e.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise
        os.ftruncate(fd, offset + nbytes)


def new_file(path: str, head: bytes = b"") -> None:
    """Create a file that begins with these bytes; raises FileExistsError if it exists."""
    fd = os.open(path, NEW, 0o666)
    try:
        write_at(fd, memoryview(head), 0)
    finally:
        os.close(fd)


def replace_file(path: str, data: Any, durable: bool = False) -> None:
    """Write a file that holds these bytes alone, in the place of one of that name if there is one; raises OSError.

    The bytes of a `durable` one are on the disk when it returns.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        write_at(fd, memoryview(data).cast("B"), 0)
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def write_at(fd: int, part: memoryview, at: int, is_kept: bool = True) -> None:
    """Write all bytes at a position of a file, which will be synced if it `is_kept`; raises OSError."""
    done = 0
    while done < len(part):
        done += os.pwrite(fd, part[done : done + BLOCK], at + done)
    if is_kept and done >= EARLY:
        begin_sync(fd, at, done)


def checked_order(path: str, order: str) -> str:
    """Return `order` if it is "C" or "F"; raises ValueRangeError otherwise."""
    if order not in ("C", "F"):
        raise ValueRangeError(f"save: {path}: order {order!r}; cells lie in 'C' or 'F' order; pass one of them")
    return order
