"""Where values are written: a row for every format, and the sinks of .npy and of raw bytes.

The one idea: a sink takes boxes of cells in any order.  Each format says how one is opened at a temporary name;
syncing, renaming and cleaning up are done once, here and in `write`, for all of them.
"""

from __future__ import annotations

import errno
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import FileFormatError, ValueRangeError
from weft.ir.description import Shape, c_strides
from weft.sources.write import BLOCK, NEW, Path, atomic_path, npy_header, write_errors


class Sink(Protocol):
    """One array being written.

    `tile` is the box of cells best written together (a chunk): boxes written are made of whole tiles, counted from cell
    0 and clipped at the end, wherever memory allows; None where any will do.  `order` says along which axis neighbours
    lie side by side: "C" the last, "F" the first.  Calls come one at a time, perhaps from another thread than the
    one that opened the sink.
    """

    @property
    def tile(self) -> Shape | None:
        """Cells per axis of a chunk."""

    @property
    def order(self) -> str:
        """ "C" or "F"."""

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Take the box of cells from `start` with the shape of `values` (native byte order, any strides)."""

    def close(self) -> None:
        """Write what is left and let go of the file; after a failure too: the file is thrown away then."""


@dataclass(frozen=True, slots=True)
class Field:
    """An array of a file: its dtype, whether cells are to be stored big-endian, its shape."""

    dtype: DType
    big: bool
    shape: Shape


@dataclass(frozen=True, slots=True)
class Writer:
    """How a format is written.

    `open(path, dtype, big, shape, **options)` makes the file, or the folder if `marks` are given, and gives its Sink;
    `path` does not exist yet.  Options are keyword arguments with defaults; their names are what users may pass.
    `marks`: a folder that holds one of these names is a store of the format and may be replaced.
    `group(path, {name: Field}, **options)`, for formats that hold several arrays, gives a sink for every name; they are
    closed in that order, and the file is complete when the last one is.
    """

    open: Callable[..., Sink]
    marks: tuple[str, ...] = ()
    group: Callable[..., Mapping[str, Sink]] | None = None


def stored_cells(values: NDArray[Any], dtype: DType, big: bool) -> NDArray[np.uint8]:
    """The bytes of cells in row-major order, as they are stored; a view of `values` where that is how they lie.

    >>> stored_cells(np.array([1, 2]), dt.int16, True).tolist()
    [0, 1, 0, 2]
    """
    native = np.ascontiguousarray(values, dtype.np).reshape(-1)
    if big and dtype.itemsize > 1:
        word = dtype.real.itemsize if dtype.kind == "complex" else dtype.itemsize
        native = native.view(f"u{word}").byteswap()
    return native.view(np.uint8)


class FileSink:
    """Cells in C or F order from some byte of a file."""

    tile = None

    def __init__(self, path: str, head: bytes, dtype: DType, big: bool, shape: Shape, order: str) -> None:
        self.dtype, self.big, self.order, self.offset = dtype, big, order, len(head)
        self.sizes = shape if order == "C" else shape[::-1]  # outer to inner
        self.strides = c_strides(self.sizes, dtype.itemsize)
        self.fd = os.open(path, NEW, 0o666)
        try:
            _reserve(self.fd, len(head) + prod(shape) * dtype.itemsize)
            _write_at(self.fd, memoryview(head), 0)
        except BaseException:
            os.close(self.fd)
            raise

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """A box of cells, a run of neighbours at a time."""
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
        """Neighbouring cells, a block at a time where they must be gathered first."""
        rows = max(1, BLOCK // stride) if stride else 1
        for first in range(0, len(cells) if stride else 1, rows):
            part = stored_cells(cells[first : first + rows] if stride else cells, self.dtype, self.big)
            _write_at(self.fd, memoryview(part), at + first * stride)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self.fd)


def _reserve(fd: int, nbytes: int) -> None:
    """Have the disk set the bytes aside, so that a full one is known at once."""
    try:
        if nbytes:
            os.posix_fallocate(fd, 0, nbytes)
    except OSError as e:
        if e.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise
        os.ftruncate(fd, nbytes)


def _write_at(fd: int, part: memoryview, at: int) -> None:
    done = 0
    while done < len(part):
        done += os.pwrite(fd, part[done : done + BLOCK], at + done)


def checked_order(path: str, order: str) -> str:
    """ "C" or "F", as given."""
    if order not in ("C", "F"):
        raise ValueRangeError(f"save: {path}: order {order!r}; cells lie in 'C' or 'F' order; pass one of them")
    return order


def open_npy(path: str, dtype: DType, big: bool, shape: Shape, *, order: str = "C") -> Sink:
    """A .npy file."""
    head = npy_header(dt.to_numpy(dtype, "big" if big else "little"), shape, checked_order(path, order) == "F")
    return FileSink(path, head, dtype, big, shape, order)


def open_raw(path: str, dtype: DType, big: bool, shape: Shape, *, order: str = "C") -> Sink:
    """The cells alone."""
    return FileSink(path, b"", dtype, big, shape, checked_order(path, order))


WRITERS: dict[str, Writer] = {".npy": Writer(open_npy), ".bin": Writer(open_raw), ".raw": Writer(open_raw)}


def writer_of(path: Path, options: Mapping[str, Any], several: bool = False) -> Writer:
    """The row of a name's ending, if it takes the options."""
    name = os.fspath(path).rstrip("/")
    ending = os.path.splitext(name)[1].lower()
    if ending not in WRITERS:
        known = ", ".join(WRITERS)
        raise FileFormatError(
            f"save: {name}: the ending {ending!r} names no known format; known are {known}; give another name"
        )
    writer = WRITERS[ending]
    if several and writer.group is None:
        groups = ", ".join(e for e, w in WRITERS.items() if w.group is not None) or "none"
        raise FileFormatError(f"save: {name}: {ending} holds one array; several fit in {groups}; save each on its own")
    opener = writer.group if several and writer.group is not None else writer.open
    taken = [p.name for p in inspect.signature(opener).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for option in options:
        if option not in taken:
            takes = ", ".join(taken) or "none"
            raise ValueRangeError(f"save: {name}: option {option!r} is unknown; {ending} takes {takes}; leave it out")
    return writer


@contextmanager
def opened_sinks(path: Path, fields: Mapping[str, Field], options: Mapping[str, Any]) -> Iterator[Mapping[str, Sink]]:
    """The sinks of a new file; it takes its name when the block ends without an error.  One field is named ""."""
    several = "" not in fields
    writer = writer_of(path, options, several)
    with atomic_path(path, writer.marks) as temporary:
        with write_errors(path):
            if several:
                assert writer.group is not None
                sinks = writer.group(temporary, fields, **options)
            else:
                only = fields[""]
                sinks = {"": writer.open(temporary, only.dtype, only.big, only.shape, **options)}
        try:
            yield sinks
        except BaseException:
            for sink in sinks.values():
                with suppress(Exception):
                    sink.close()
            raise
        with write_errors(path):
            for sink in sinks.values():
                sink.close()
