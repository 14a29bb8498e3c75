"""The .npy format: headers read without trusting them, strided boxes read by ranges, files written as a whole or not.

The one idea: the header is a claim; it is parsed as a literal of bounded size and held against the bytes that exist
before anything is allocated.  Versions 1.0, 2.0 and 3.0 are read, plain dtypes in both byte orders and layouts.

bfloat16 has no spelling in the format: NumPy writes such arrays as two-byte voids, descr '<V2'.  weft writes and reads
that spelling ('>V2' for big-endian cells); np.load(path).view(ml_dtypes.bfloat16) gives the array back.
"""

from __future__ import annotations

import ast
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType, from_numpy
from weft.errors import DTypeError, FileFormatError, IndexOutOfBounds
from weft.sources.ranges import read_box, read_exactly

MAGIC = b"\x93NUMPY"
MAX_HEADER = 10_000  # characters; a plain dtype and 64 sizes need under 2 000
MAX_NDIM = 64
MAX_BYTES = 2**62  # sizes and offsets stay far inside a signed 64-bit integer
FIELDS = {"descr", "fortran_order", "shape"}
VERSIONS = {(1, 0): (2, "latin1"), (2, 0): (4, "latin1"), (3, 0): (4, "utf-8")}  # width of the length, encoding
PLAIN = re.compile(r"[<>|=]?([?biufcV])(\d{0,2})")
REFUSED = {
    "O": "Python objects; reading them would run code from the file",
    "S": "byte strings, which are no numbers",
    "U": "text, which is no number",
    "M": "dates; store them as int64 (their view('int64'))",
    "m": "durations; store them as int64 (their view('int64'))",
}


@dataclass(frozen=True, slots=True)
class NpyHeader:
    """What a .npy file says of itself, checked against the file; `identity` tells a changed file from the same one."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    data_offset: int
    file_size: int
    identity: tuple[int, ...]


def _fail(path: str, fact: str, advice: str) -> FileFormatError:
    return FileFormatError(f"npy: {path}: {fact}; {advice}")


def open_regular(path: str) -> tuple[int, os.stat_result]:
    """A file opened for reading, and its status; pipes and folders are refused (ranges cannot be read from them)."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as e:
        raise _fail(path, f"cannot be opened: {(e.strerror or str(e)).lower()}", "check the path") from e
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise _fail(path, "is not a regular file", "give a file that ranges can be read from")
    return fd, status


def identity_of(status: os.stat_result) -> tuple[int, ...]:
    """Another file under the same name, or other bytes in it, has another identity."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def read_header(path: str | os.PathLike[str]) -> NpyHeader:
    """The header of a file, or FileFormatError where it is missing, damaged or claims more than the file holds."""
    path = os.fspath(path)
    fd, status = open_regular(path)
    try:
        text, offset = _header_text(path, fd, status.st_size)
    finally:
        os.close(fd)
    fields = _literal(path, text)
    dtype = _dtype(path, fields["descr"])
    shape = _shape(path, fields["shape"], dtype.itemsize)
    if not isinstance(fields["fortran_order"], bool):
        raise _fail(path, f"fortran_order is {fields['fortran_order']!r:.60}", "it must be True or False")
    wanted, found = prod(shape) * dtype.itemsize, status.st_size - offset
    if wanted > found:
        fact = f"shape {shape} of {dtype} needs {wanted} bytes, {found} follow the header"
        raise _fail(path, fact, "the file is truncated or its header is wrong; write it again")
    return NpyHeader(dtype, shape, fields["fortran_order"], offset, status.st_size, identity_of(status))


def _header_text(path: str, fd: int, file_size: int) -> tuple[str, int]:
    """The header's text and where the data begins."""
    head = os.pread(fd, 12, 0)
    if not head.startswith(MAGIC):
        raise _fail(path, f"begins with {head[:6]!r}, not with {MAGIC!r}", "it is no .npy file")
    if len(head) < 10:
        raise _fail(path, f"ends after {file_size} bytes, inside its header", "the file is truncated; write it again")
    version = head[6], head[7]
    if version not in VERSIONS:
        raise _fail(path, f"has format version {version[0]}.{version[1]}", "versions 1.0, 2.0 and 3.0 are known")
    width, encoding = VERSIONS[version]
    length = int.from_bytes(head[8 : 8 + width], "little")
    start = 8 + width
    if length > MAX_HEADER:
        raise _fail(path, f"claims a header of {length} bytes", f"at most {MAX_HEADER} are read")
    raw = os.pread(fd, length, start)
    if len(raw) < length:
        fact = f"claims a header of {length} bytes, {max(file_size - start, 0)} follow"
        raise _fail(path, fact, "the file is truncated; write it again")
    try:
        return raw.decode(encoding), start + length
    except UnicodeDecodeError as e:
        raise _fail(path, "has a header that is not text", "the file is damaged; write it again") from e


def _literal(path: str, text: str) -> dict[str, Any]:
    """The header's dictionary, read as a literal; old files write integers as 10L."""
    try:
        fields = _parsed(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError) as e:
        raise _fail(path, f"has an unreadable header {text.strip()!r:.80}", "it must be a literal dictionary") from e
    if not isinstance(fields, dict) or set(fields) != FIELDS:
        names = sorted(map(str, fields)) if isinstance(fields, dict) else type(fields).__name__
        raise _fail(path, f"has a header with {names!s:.120}", "wanted are descr, fortran_order and shape")
    return fields


@lru_cache(maxsize=256)
def _parsed(text: str) -> Any:
    return ast.literal_eval(re.sub(r"(?<=\d)L(?=[,) ])", "", text).strip())


def _dtype(path: str, descr: object) -> np.dtype[Any]:
    """The dtype that descr spells; only plain numbers pass, and two-byte voids as bfloat16."""
    if not isinstance(descr, str):
        raise _fail(path, f"holds records: {descr!r:.80}", "weft reads plain numbers; write one file for each field")
    kind = descr.lstrip("<>|=")[:1]
    if kind in REFUSED:
        raise _fail(path, f"has dtype {descr!r:.40}, which is {REFUSED[kind]}", "weft reads bool, integers and floats")
    found = PLAIN.fullmatch(descr)
    try:
        if not found:
            raise TypeError(descr)
        if found[1] == "V" and found[2] == "2":
            plain = np.dtype(ml_dtypes.bfloat16)
            return plain.newbyteorder(">") if descr[0] == ">" else plain
        dtype = np.dtype(descr)
        from_numpy(dtype)
    except (TypeError, DTypeError) as e:
        advice = "weft reads bool, integers, floats to 64 bits and complex numbers of those"
        raise _fail(path, f"has dtype {descr!r:.40}", advice) from e
    return dtype


def _shape(path: str, shape: object, itemsize: int) -> tuple[int, ...]:
    """The shape, where it is one that bytes could exist for."""
    if not isinstance(shape, tuple) or not all(type(n) is int for n in shape):
        raise _fail(path, f"has shape {shape!r:.80}", "a shape is a tuple of integers")
    if len(shape) > MAX_NDIM:
        raise _fail(path, f"has {len(shape)} axes", f"at most {MAX_NDIM} are possible")
    if any(n < 0 for n in shape):
        raise _fail(path, f"has shape {shape!r:.80} with a negative size", "the file is damaged; write it again")
    if prod(max(n, 1) for n in shape) * itemsize > MAX_BYTES:
        raise _fail(path, f"has shape {shape!r:.80}, more than any memory holds", "the file is damaged")
    return shape


class NpyFile:
    """A .npy file as a source (`weft.sources.source.Source`); opened anew for each read, so any number may exist."""

    __slots__ = ("big", "dtype", "header", "name", "order", "shape")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name: str = os.fspath(path)
        self.header = read_header(self.name)
        self.dtype: DType
        self.dtype, byteorder = from_numpy(self.header.dtype)
        self.big = byteorder == "big"
        self.shape = self.header.shape
        self.order = "F" if self.header.fortran else "C"

    def __repr__(self) -> str:
        order = " big-endian" if self.big else ""
        return f"<NpyFile {self.name}: {self.dtype.name}{list(self.shape)}{order}, {self.order} order>"

    @property
    def strides(self) -> tuple[int, ...]:
        """Byte steps between neighbours along each axis of the file."""
        sizes = self.shape if self.header.fortran else self.shape[::-1]
        steps, step = [], self.header.dtype.itemsize
        for n in sizes:
            steps.append(step)
            step *= max(n, 1)
        return tuple(steps if self.header.fortran else steps[::-1])

    def read(
        self,
        start: tuple[int, ...] | None = None,
        step: tuple[int, ...] | None = None,
        size: tuple[int, ...] | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """A strided box of the file (see `Source.read`)."""
        ndim = len(self.shape)
        start, step = start or (0,) * ndim, step or (1,) * ndim
        size = self.shape if size is None else size
        self._check_box(start, step, size)
        if out is None:
            out = np.empty(size, self.header.dtype, order="F" if self.header.fortran else "C")
        elif out.shape != size or out.dtype.newbyteorder("=") != self.dtype.np:
            raise _fail(self.name, f"cannot read {size} of {self.dtype.name} into {out.shape} of {out.dtype}", "match")
        if prod(size):
            self._fill(out, start, step)
        return out

    def _check_box(self, start: tuple[int, ...], step: tuple[int, ...], size: tuple[int, ...]) -> None:
        if not len(start) == len(step) == len(size) == len(self.shape):
            raise _fail(self.name, f"a box of {len(size)} axes of a file of {len(self.shape)}", "name every axis")
        if 0 in size:
            return
        for axis, (o, s, n, limit) in enumerate(zip(start, step, size, self.shape, strict=True)):
            last = o + s * (n - 1)
            if not (0 <= o < limit and 0 <= last < limit):
                raise IndexOutOfBounds(
                    f"npy: {self.name}: cells {o} to {last} of axis {axis}; it has {limit}; ask for cells inside"
                )

    def _fill(self, out: NDArray[Any], start: tuple[int, ...], step: tuple[int, ...]) -> None:
        """Read the box into out, its axes put in the order of the file, all steps upward."""
        offset, steps = self.header.data_offset, []
        for axis, (o, s, stride) in enumerate(zip(start, step, self.strides, strict=True)):
            n = out.shape[axis]
            if n == 1:
                s = 1
            elif s < 0:
                out = np.flip(out, axis)
                o, s = o + s * (n - 1), -s
            offset += o * stride
            steps.append(s * stride)
        if self.header.fortran:
            out, steps = out.T, steps[::-1]
        with self._opened() as fd:
            read_box(self.name, fd, offset, tuple(steps), out, self.header.dtype)

    def load(self, extents: NDArray[np.int64], memory: NDArray[np.uint8]) -> None:
        """Bytes [first, end) of the cells, read into the same places of `memory`."""
        view, begin = memoryview(memory), self.header.data_offset
        with self._opened() as fd:
            for first, end in extents.tolist():
                read_exactly(self.name, fd, begin + first, view[first:end])

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The file's descriptor, if it is still the file whose header was read."""
        fd, status = open_regular(self.name)
        try:
            if identity_of(status) != self.header.identity:
                raise _fail(self.name, "has changed since it was opened", "open it again")
            yield fd
        finally:
            os.close(fd)
