"""Arrays stored in a file as one run of plain cells: opened safely, checked against the file, read by ranges.

The one idea: every such format's header gives an offset, a dtype, a shape and an order.  These are checked against the
size of the file before anything is allocated; then the bytes of any selection are read from their places.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from math import prod
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType
from weft.errors import FileFormatError, MissingFileError, WeftError
from weft.ir.graph.description import c_strides
from weft.runtime.fork_safety import importing
from weft.runtime.memory import allocator
from weft.sources.read.byte_ranges import LocalFile, RangedFile, read_box
from weft.sources.read.checksums import StoredSum, Sum
from weft.sources.read.extents import LOCAL, REMOTE, ReadCost, bytes_in
from weft.sources.read.touched_boxes import Box
from weft.sources.remote.remote_file import opened_remote, remote_identity
from weft.sources.remote.remote_path import RemotePath
from weft.sources.source import BoxSource, storage_dtype

MAX_NDIM = 64
MAX_BYTES = 2**62  # sizes and offsets stay far inside a signed 64-bit integer
Identity = tuple[int, ...]


class NoSuchArray(KeyError):
    """Raised if a container has no array of the given name; the caller lists the names that exist."""


def failure(
    form: str, path: str, fact: str, advice: str, kind: type[FileFormatError] = FileFormatError
) -> FileFormatError:
    """Return the error for a file that cannot be read as the format `form`, from the fact and the advice.

    It is of class `kind`.
    """
    return kind(f"{form}: {path}: {fact}; {advice}")


def _descriptor(path: str, form: str) -> LocalFile:
    """Open a file for reading, and return its descriptor; `form` names the format in errors.

    Raises FileFormatError for a file that cannot be opened, MissingFileError for a missing one.
    """
    try:
        return LocalFile(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)))
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        text = f"{form}: {path}: cannot be opened: {reason.lower()}; check the path"
        missing = isinstance(e, (FileNotFoundError, NotADirectoryError))
        raise (MissingFileError(text, path) if missing else FileFormatError(text)) from e


def identity_of(status: os.stat_result) -> Identity:
    """Return (device, inode, size, time of change) of a file's status.

    It differs for another file and for changed bytes.
    """
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def opened(path: str, form: str, identity: Identity | None = None) -> Iterator[tuple[RangedFile, Identity]]:
    """Yield (descriptor, identity) of a regular file, which is closed after the block.

    For a remote file, a `RangedFile` replaces the descriptor. Raises FileFormatError, which names the format `form`, if
    the file cannot be opened or read, if its identity differs from `identity` (if given), or if it changed during the
    block.
    """
    if isinstance(path, RemotePath):
        with opened_remote(path, form, identity) as found_file:
            yield found_file
        return
    fd = _descriptor(path, form)
    try:
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise failure(form, path, "is not a regular file", "give a file that ranges can be read from")
            found = identity_of(status)
            if identity is not None and found != identity:
                raise failure(form, path, "has changed since it was opened", "open it again")
            yield fd, found
            if identity_of(os.stat(path)) != found:  # by its path, as libraries open it
                raise failure(form, path, "has changed while it was read", "open it again when nothing writes to it")
        finally:
            os.close(fd)
    except OSError as e:
        if isinstance(e, WeftError):
            raise
        reason = (e.strerror or str(e)).lower()
        raise failure(form, path, f"cannot be read: {reason}", "check the disk, and read it again") from e


def identity_at(path: str, form: str, wanted: Identity | None = None) -> Identity:
    """Return the identity of the file at a path; raises FileFormatError if it differs from `wanted` (if given)."""
    if isinstance(path, RemotePath):
        return remote_identity(path, form, wanted)
    with opened(path, form, wanted) as (_, identity):
        return identity


def needed(module: str, extra: str, form: str, path: str, use: str, package: str | None = None) -> Any:
    """Return an optional module, imported; raises FileFormatError with the extra to install if it is missing.

    `use` tells what the package does, for the message; `package` is its name there, if it differs from the module's.
    """
    try:
        with importing():
            return import_module(module)
    except ImportError as e:
        fact = f"{package or module.partition('.')[0]} {use} and is not installed"
        raise failure(form, path, fact, f"pip install 'weft[{extra}]'") from e


@contextmanager
def library_errors(form: str, path: str, library: str, advice: str = "it is truncated or damaged") -> Iterator[None]:
    """Convert errors of a library that reads a file within the block to FileFormatError.

    `form`, `path`, `library` and `advice` are for the message.
    """
    try:
        yield
    except (WeftError, NoSuchArray, MemoryError):
        raise
    except Exception as e:  # whatever decoding damaged files raises
        raise failure(form, path, f"{library} cannot read it: {e!s:.200}", advice) from e


def checked_shape(form: str, path: str, shape: object, itemsize: int) -> tuple[int, ...]:
    """Return `shape`; raises FileFormatError unless it is a tuple of at most 64 sizes for fewer than 2**62 bytes.

    `itemsize` is the bytes of a cell; `form` and `path` are named in the message.
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
    """Raise FileFormatError if an array needs `wanted` bytes and only `found` follow the header.

    `form`, `name`, `shape` and `dtype` are for the message.
    """
    if wanted > found:
        fact = f"shape {shape} of {dtype} needs {wanted} bytes, {max(found, 0)} follow the header"
        raise failure(form, name, fact, "the file is truncated or its header is wrong; write it again")


class SteppedCells(BoxSource):
    """Cells of a file at byte strides, which may leave gaps between them; the first cell lies at `offset`.

    The file is opened anew for each read.  `form` is the format's name in messages;
    `order` is "C" if strides fall from the first axis to the last, "F" if they rise; without strides, cells are
    contiguous.  `checksum` is the file's checksum of the cells, None without one.  Raises FileFormatError if the file
    ends before the last cell.
    """

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
        self.form, self.path, self.name = form, path, path if name is None else f"{path}::{name}"
        self.dtype, self.big, self.shape = dtype, big and dtype.itemsize > 1, shape
        strides = strides_of(shape, dtype.itemsize, order) if strides is None else strides
        self.offset, self.identity, self.order, self.strides = offset, identity, order, strides
        self.checksum: StoredSum | None = None
        span = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + dtype.itemsize
        check_size(form, self.name, shape, dtype.name, 0 if 0 in shape else span, identity[2] - offset)

    def __repr__(self) -> str:
        order = " big-endian" if self.big else ""
        return f"<{self.form} {self.name}: {self.dtype.name}{list(self.shape)}{order}, {self.order} order>"

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box in the file's byte order, laid out in its order.

        Raises FileFormatError if the file has changed, or if its checksum is wrong once all bytes were read.
        """
        turned = slice(None, None, 1 if self.order == "C" else -1)  # from the outer to the inner axis
        found = allocator.empty(storage_dtype(self), box.size[turned])
        with opened(self.path, self.form, self.identity) as (fd, _):
            if found.size:
                summing = None if self.checksum is None else partial(self.checksum.read, fd)
                read_box(self.name, fd, self._place(box), self.strides[turned], found, found.dtype, summing)
        return found if self.order == "C" else found.T

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes to the same positions of `target`.

        Raises FileFormatError if the file has changed.
        """
        with opened(self.path, self.form, self.identity) as (fd, _):
            for b in boxes:
                steps = tuple(map(mul, b.step, self.strides))
                read_box(self.name, fd, self._place(b), steps, target[b.slices], storage_dtype(self))

    def _place(self, box: Box) -> int:
        return self.offset + sum(map(mul, box.start, self.strides))


class CellRun(SteppedCells):
    """Contiguous cells in a file, in C or Fortran order (a source by protocol `Addressed`)."""

    @property
    def cost(self) -> ReadCost:
        """The cost of reads: that of a local or a remote file."""
        return REMOTE if isinstance(self.path, RemotePath) else LOCAL

    def load(self, extents: NDArray[np.int64], memory: NDArray[np.uint8]) -> None:
        """Read byte ranges, rows (first, end) counted from cell 0, to the same offsets of `memory`.

        Raises FileFormatError if the file has changed or is too short, or if its checksum is wrong once all bytes were
        read.
        """
        view = memoryview(memory)
        with opened(self.path, self.form, self.identity) as (fd, _):
            summing = self.checksum if self.checksum and bytes_in(extents) >= self.checksum.least else None
            together = summing is None or not isinstance(fd, int)
            if together:
                fd.fill(self.name, self.offset, extents, view)
            if summing is not None:
                summing.begin()
                for first, end in extents.tolist():
                    summing.read(fd, self.offset + first, view[first:end], together)

    def check(self) -> None:
        """End a read in parts: verify a checksum whose bytes were read in too many parts to be verified before.

        Raises FileFormatError if it is wrong.
        """
        if self.checksum is not None:
            with opened(self.path, self.form, self.identity) as (fd, _):
                self.checksum.end_of_sweep(fd)

    def check_by(self, kind: Sum, first: int, end: int, wanted: Mapping[str, int], advice: str) -> None:
        """Set the checksum of bytes `first` to `end` of the file, verified once all of them were read.

        `wanted` maps the name of each stored sum to its value, `advice` is for the message if it is wrong.
        """
        cells = self.offset, self.offset + prod(self.shape) * self.dtype.itemsize
        self.checksum = StoredSum(self.form, self.name, kind, (first, end), cells, wanted, advice)


def strides_of(shape: tuple[int, ...], itemsize: int, order: str) -> tuple[int, ...]:
    """Return the byte strides of contiguous cells in C or Fortran order.

    >>> strides_of((2, 3), 4, "C"), strides_of((2, 3), 4, "F")
    ((12, 4), (4, 8))
    """
    return c_strides(shape, itemsize) if order == "C" else c_strides(shape[::-1], itemsize)[::-1]
