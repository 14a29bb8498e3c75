"""Arrays stored in a file as one run of plain cells: opened safely, checked against the file, read by ranges.

The one idea: whatever a format's header says comes down to an offset, a dtype, a shape and an order.  Those are held
against the bytes that exist before anything is allocated; then the bytes of any selection are read where they lie.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType
from weft.errors import FileFormatError, IndexOutOfBounds
from weft.ir.graph.description import c_strides
from weft.sources.read.byte_ranges import read_box, read_exactly
from weft.sources.source import Source, storage_dtype

MAX_NDIM = 64
MAX_BYTES = 2**62  # sizes and offsets stay far inside a signed 64-bit integer
Identity = tuple[int, ...]


class NoSuchArray(KeyError):
    """Raised where a container has no array of that name; the caller lists the names that it has."""


def failure(form: str, path: str, fact: str, advice: str) -> FileFormatError:
    """Return the error of a file that cannot be read as that format."""
    return FileFormatError(f"{form}: {path}: {fact}; {advice}")


def open_regular(path: str, form: str = "open") -> tuple[int, os.stat_result]:
    """Open a regular file for reading and return it with its status; pipes and folders are refused, since ranges are
    read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise failure(form, path, f"cannot be opened: {reason.lower()}", "check the path") from e
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise failure(form, path, "is not a regular file", "give a file that ranges can be read from")
    return fd, status


def identity_of(status: os.stat_result) -> Identity:
    """Return a file's identity, which differs for another file of the same name or other bytes in it."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def opened(path: str, form: str, identity: Identity | None = None) -> Iterator[tuple[int, Identity]]:
    """Yield a file's descriptor and identity; with `identity`, raise unless it is still that file."""
    fd, status = open_regular(path, form)
    try:
        found = identity_of(status)
        if identity is not None and found != identity:
            raise failure(form, path, "has changed since it was opened", "open it again")
        yield fd, found
    finally:
        os.close(fd)


def checked_shape(form: str, path: str, shape: object, itemsize: int) -> tuple[int, ...]:
    """Return the shape if bytes could exist for it; raises otherwise."""
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


def box_of(
    form: str,
    name: str,
    shape: tuple[int, ...],
    start: tuple[int, ...] | None,
    step: tuple[int, ...] | None,
    size: tuple[int, ...] | None,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return a strided box with defaults filled in; raises where it does not lie inside the shape."""
    ndim = len(shape)
    start, step = start or (0,) * ndim, step or (1,) * ndim
    size = shape if size is None else size
    if not len(start) == len(step) == len(size) == ndim:
        raise failure(form, name, f"a box of {len(size)} axes of a file of {ndim}", "name every axis")
    if 0 in size:
        return start, step, size
    for axis, (o, s, n, limit) in enumerate(zip(start, step, size, shape, strict=True)):
        last = o + s * (n - 1)
        if not (0 <= o < limit and 0 <= last < limit):
            raise IndexOutOfBounds(
                f"{form}: {name}: cells {o} to {last} of axis {axis}; it has {limit}; ask for cells inside"
            )
    return start, step, size


def target_for(
    form: str, source: Source, size: tuple[int, ...], out: NDArray[Any] | None, order: Literal["C", "F"] = "C"
) -> NDArray[Any]:
    """Return the memory for a box of that size: new, or the caller's if it fits."""
    if out is None:
        return np.empty(size, storage_dtype(source), order=order)
    if out.shape != size or out.dtype.newbyteorder("=") != source.dtype.np:
        fact = f"cannot read {size} of {source.dtype.name} into {out.shape} of {out.dtype}"
        raise failure(form, source.name, fact, "match")
    return out


class Strided:
    """Cells at fixed byte steps in a file; any strided box of them is read (`weft.sources.source.Source`).

    Without `strides` they lie side by side, in C or Fortran order.  The file is opened anew for each read, so any
    number may exist.  `form` is the format's name in messages.
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
        strides: tuple[int, ...] | None = None,
        order: str = "C",
        big: bool = False,
        name: str | None = None,
    ) -> None:
        if strides is None:
            strides = strides_of(shape, dtype.itemsize, order)
        elif len(shape) > 1 and list(strides) == sorted(strides):
            order = "F"
        self.form, self.path, self.name = form, path, path if name is None else f"{path}::{name}"
        self.dtype, self.big, self.shape = dtype, big and dtype.itemsize > 1, shape
        self.offset, self.identity, self.strides = offset, identity, strides
        self.order = order
        span = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + dtype.itemsize if 0 not in shape else 0
        found = max(identity[2] - offset, 0)
        if span > found:
            fact = f"shape {shape} of {dtype.name} needs {span} bytes, {found} follow the header"
            raise failure(form, self.name, fact, "the file is truncated or its header is wrong; write it again")

    def __repr__(self) -> str:
        order = " big-endian" if self.big else ""
        return f"<{self.form} {self.name}: {self.dtype.name}{list(self.shape)}{order}, {self.order} order>"

    @property
    def storage(self) -> np.dtype[Any]:
        """The NumPy dtype of the cells as they lie in the file."""
        return storage_dtype(self)

    def read(
        self,
        start: tuple[int, ...] | None = None,
        step: tuple[int, ...] | None = None,
        size: tuple[int, ...] | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Read a strided box of the file (see `Source.read`)."""
        start, step, size = box_of(self.form, self.name, self.shape, start, step, size)
        out = target_for(self.form, self, size, out, "F" if self.order == "F" else "C")
        if prod(size):
            with opened(self.path, self.form, self.identity) as (fd, _):
                self._fill(fd, out, start, step)
        return out

    def _fill(self, fd: int, out: NDArray[Any], start: tuple[int, ...], step: tuple[int, ...]) -> None:
        """Read the box into out, its axes in the order of the file, all steps upward."""
        offset, steps = self.offset, []
        for axis, (o, s, stride) in enumerate(zip(start, step, self.strides, strict=True)):
            n = out.shape[axis]
            if n == 1:
                s = 1
            elif s < 0:
                out = np.flip(out, axis)
                o, s = o + s * (n - 1), -s
            offset += o * stride
            steps.append(s * stride)
        if self.order == "F":
            out, steps = out.T, steps[::-1]
        read_box(self.name, fd, offset, tuple(steps), out, self.storage)


class CellRun(Strided):
    """Cells without gaps: bytes are read straight to their places (`loading.Addressed`)."""

    __slots__ = ()

    def part(self, first: int, size: int) -> CellRun:
        """Return positions of the outermost axis as a run of its own, no larger in memory than its bytes."""
        axis = 0 if self.order == "C" else len(self.shape) - 1
        shape = (*self.shape[:axis], size, *self.shape[axis + 1 :])
        offset = self.offset + first * self.strides[axis]
        made = CellRun(self.form, self.path, self.dtype, shape, offset, self.identity, big=self.big, order=self.order)
        made.name = self.name
        return made

    def load(self, extents: NDArray[np.int64], memory: NDArray[np.uint8]) -> None:
        """Read bytes [first, end) of the cells into the same places of `memory`."""
        view = memoryview(memory)
        with opened(self.path, self.form, self.identity) as (fd, _):
            for first, end in extents.tolist():
                read_exactly(self.name, fd, self.offset + first, view[first:end])


def strides_of(shape: tuple[int, ...], itemsize: int, order: str) -> tuple[int, ...]:
    """Return byte strides without gaps in C or Fortran order.

    >>> strides_of((2, 3), 4, "C"), strides_of((2, 3), 4, "F")
    ((12, 4), (4, 8))
    """
    return c_strides(shape, itemsize) if order == "C" else c_strides(shape[::-1], itemsize)[::-1]
