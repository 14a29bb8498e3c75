"""Arrays stored in a file as one run of plain cells: opened safely, checked against the file, read by ranges.

The one idea: whatever a format's header says comes down to an offset, a dtype, a shape and an order.  Those are held
against the bytes that exist before anything is allocated; then the bytes of any selection are read where they lie.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType
from weft.errors import FileFormatError, MissingFileError
from weft.ir.graph.description import c_strides
from weft.runtime.fork_safety import importing
from weft.sources.read.byte_ranges import read_exactly

MAX_NDIM = 64
MAX_BYTES = 2**62  # sizes and offsets stay far inside a signed 64-bit integer
Identity = tuple[int, ...]


class NoSuchArray(KeyError):
    """Raised where a container has no array of that name; the caller lists the names that it has."""


def failure(form: str, path: str, fact: str, advice: str) -> FileFormatError:
    """Return the error of a file that cannot be read as that format."""
    return FileFormatError(f"{form}: {path}: {fact}; {advice}")


def open_regular(path: str, form: str = "open") -> tuple[int, os.stat_result]:
    """Open a regular file for reading; return (descriptor, `os.stat` result).

    Raises FileFormatError for what cannot be opened (MissingFileError where nothing is there), and for pipes and
    folders, of which no ranges can be read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        kind = MissingFileError if isinstance(e, (FileNotFoundError, NotADirectoryError)) else FileFormatError
        raise kind(f"{form}: {path}: cannot be opened: {reason.lower()}; check the path") from e
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise failure(form, path, "is not a regular file", "give a file that ranges can be read from")
    return fd, status


def identity_of(status: os.stat_result) -> Identity:
    """Return (device, inode, size, time of change): another file of the same name, or other bytes in it, has another
    one.
    """
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def opened(path: str, form: str, identity: Identity | None = None) -> Iterator[tuple[int, Identity]]:
    """Yield (descriptor, identity) of a file, which is closed behind the block.

    Raises FileFormatError if it cannot be opened, or is not the file of `identity`, where that is given.
    """
    fd, status = open_regular(path, form)
    try:
        found = identity_of(status)
        if identity is not None and found != identity:
            raise failure(form, path, "has changed since it was opened", "open it again")
        yield fd, found
    finally:
        os.close(fd)


def identity_at(path: str, form: str, wanted: Identity | None = None) -> Identity:
    """Return the identity of the file at a path; raises FileFormatError if it is not `wanted`, where that is given."""
    with opened(path, form, wanted) as (_, identity):
        return identity


def needed(module: str, extra: str, form: str, path: str, use: str) -> Any:
    """Return a module of an optional package; raises FileFormatError that names weft's extra which installs it."""
    try:
        with importing():
            return import_module(module)
    except ImportError as e:
        fact = f"{module.partition('.')[0]} {use} and is not installed"
        raise failure(form, path, fact, f"pip install 'weft[{extra}]'") from e


def checked_shape(form: str, path: str, shape: object, itemsize: int) -> tuple[int, ...]:
    """Return `shape`; raises FileFormatError unless it is a tuple of at most 64 integers from 0 for fewer than 2**62
    bytes.
    """
    if not isinstance(shape, tuple) or not all(type(n) is int for n in shape):
        raise failure(form, path, f"has shape {shape!r:.80}", "a shape is a tuple of integers")
    if len(shape) > MAX_NDIM:
        raise failure(form, path, f"has {len(shape)} axes", f"at most {MAX_NDIM} are possible")
    if any(n < 0 for n in shape):
        fact = f"has shape {shape!r:.80} with a negative size"
        raise failure(form, path, fact, "the file is damaged; write it again")
    if prod(max(n, 1) for n in shape) * itemsize > MAX_BYTES:
        fact = f"has shape {shape!r:.80}, more than any memory holds"
        raise failure(form, path, fact, "the file is damaged")
    return shape


def check_size(form: str, name: str, shape: tuple[int, ...], dtype: str, wanted: int, found: int) -> None:
    """Raise FileFormatError if the `found` bytes behind a header are fewer than the `wanted` ones of its array."""
    if wanted > found:
        fact = f"shape {shape} of {dtype} needs {wanted} bytes, {max(found, 0)} follow the header"
        raise failure(form, name, fact, "the file is truncated or its header is wrong; write it again")


class CellRun:
    """Cells side by side in a file, in C or Fortran order (`Addressed`); the file is opened anew for each read.

    `form` is the format's name in messages.  Raises FileFormatError if the file ends before the last cell.
    """

    __slots__ = ("big", "dtype", "form", "identity", "name", "offset", "order", "path", "shape", "strides")

    def __init__(
        self,
        form: str,
        path: str,
        dtype: DType,
        shape: tuple[int, ...],
        offset: int,
        identity: Identity,
        *,
        order: str = "C",
        big: bool = False,
        name: str | None = None,
    ) -> None:
        self.form, self.path, self.name = form, path, path if name is None else f"{path}::{name}"
        self.dtype, self.big, self.shape = dtype, big and dtype.itemsize > 1, shape
        self.offset, self.identity, self.order = offset, identity, order
        self.strides = strides_of(shape, dtype.itemsize, order)
        check_size(form, self.name, shape, dtype.name, prod(shape) * dtype.itemsize, identity[2] - offset)

    def __repr__(self) -> str:
        order = " big-endian" if self.big else ""
        return f"<{self.form} {self.name}: {self.dtype.name}{list(self.shape)}{order}, {self.order} order>"

    def part(self, first: int, size: int) -> CellRun:
        """Return a source of `size` positions of the outermost axis in the file, from position `first` on."""
        axis = 0 if self.order == "C" else len(self.shape) - 1
        shape = (*self.shape[:axis], size, *self.shape[axis + 1 :])
        offset = self.offset + first * self.strides[axis]
        made = CellRun(self.form, self.path, self.dtype, shape, offset, self.identity, big=self.big, order=self.order)
        made.name = self.name
        return made

    def load(self, extents: NDArray[np.int64], memory: NDArray[np.uint8]) -> None:
        """Read byte ranges, rows (first, end) counted from cell 0, to the same places of `memory`.

        Raises FileFormatError if the file has changed or became shorter.
        """
        view = memoryview(memory)
        with opened(self.path, self.form, self.identity) as (fd, _):
            for first, end in extents.tolist():
                read_exactly(self.name, fd, self.offset + first, view[first:end])


def strides_of(shape: tuple[int, ...], itemsize: int, order: str) -> tuple[int, ...]:
    """Return the byte strides of cells side by side in C or Fortran order.

    >>> strides_of((2, 3), 4, "C"), strides_of((2, 3), 4, "F")
    ((12, 4), (4, 8))
    """
    return c_strides(shape, itemsize) if order == "C" else c_strides(shape[::-1], itemsize)[::-1]
