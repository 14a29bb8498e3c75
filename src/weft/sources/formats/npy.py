"""The .npy format: headers read without trusting them.

The one idea: the header is not trusted; it is parsed as a literal of bounded size and checked against the size of the
file before anything is allocated.  Versions 1.0, 2.0 and 3.0 are read, plain dtypes in both byte orders and layouts.

bfloat16 has no spelling in the format: NumPy writes such arrays as two-byte voids, descr '<V2'.  weft writes and reads
that spelling ('>V2' for big-endian cells); np.load(path).view(ml_dtypes.bfloat16) gives the array back.  complex32 is
written as NumPy holds it, as records of the float16 fields real and imag; the float8 kinds are refused.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from weft.dtypes import complex32, from_numpy, to_numpy
from weft.errors import DTypeError, UnsupportedTypeError
from weft.sources.formats.cell_run import CellRun, check_size, checked_shape, failure, opened

MAGIC = b"\x93NUMPY"
MAX_HEADER = 10_000  # characters; a plain dtype and 64 sizes need under 2 000
FIELDS = {"descr", "fortran_order", "shape"}
VERSIONS = {(1, 0): (2, "latin1"), (2, 0): (4, "latin1"), (3, 0): (4, "utf-8")}  # width of the length, encoding
_fail = partial(failure, "npy")
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
    """The checked header of a .npy file: dtype, shape, order, first byte of the cells, and the file's identity."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    data_offset: int
    identity: tuple[int, ...]


def parsed_header(
    path: str, pread: Callable[[int, int], bytes], size: int, at: int, identity: tuple[int, ...]
) -> NpyHeader:
    """Return the checked header of a .npy file of `size` bytes, read through `pread(count, offset)`.

    `at` is the offset of the .npy file within the file of that identity.  Raises FileFormatError if the header is
    damaged.
    """
    text, offset = _header_text(path, pread, size)
    fields = _literal(path, text)
    dtype = _dtype(path, fields["descr"])
    shape = checked_shape("npy", path, fields["shape"], dtype.itemsize)
    if not isinstance(fields["fortran_order"], bool):
        raise _fail(path, f"fortran_order is {fields['fortran_order']!r:.60}", "it must be True or False")
    check_size("npy", path, shape, str(dtype), prod(shape) * dtype.itemsize, size - offset)
    return NpyHeader(dtype, shape, fields["fortran_order"], at + offset, identity)


def _header_text(path: str, pread: Callable[[int, int], bytes], size: int) -> tuple[str, int]:
    """Return (text of the header, byte at which the cells begin) of a .npy file of `size` bytes.

    The file is read through `pread(count, offset)`. Raises FileFormatError for a damaged header.
    """
    head = pread(min(12, size), 0)
    if not head.startswith(MAGIC):
        raise _fail(path, f"begins with {head[:6]!r}, not with {MAGIC!r}", "it is no .npy file")
    if len(head) < 10:
        raise _fail(path, f"ends after {size} bytes, inside its header", "the file is truncated; write it again")
    version = head[6], head[7]
    if version not in VERSIONS:
        raise _fail(path, f"has format version {version[0]}.{version[1]}", "versions 1.0, 2.0 and 3.0 are known")
    width, encoding = VERSIONS[version]
    length = int.from_bytes(head[8 : 8 + width], "little")
    start = 8 + width
    if length > MAX_HEADER:
        raise _fail(path, f"claims a header of {length} bytes", f"at most {MAX_HEADER} are read")
    raw = pread(length, start) if start + length <= size else b""
    if len(raw) < length:
        fact = f"claims a header of {length} bytes, {max(size - start, 0)} follow"
        raise _fail(path, fact, "the file is truncated; write it again")
    try:
        return raw.decode(encoding), start + length
    except UnicodeDecodeError as e:
        raise _fail(path, "has a header that is not text", "the file is damaged; write it again") from e


def _literal(path: str, text: str) -> dict[str, Any]:
    """Return the header's dictionary; raises FileFormatError unless its keys are descr, fortran_order and shape.

    It is parsed as a literal, so no code of a file runs; old files write integers as 10L.
    """
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
    """Return the NumPy dtype of `descr`; raises UnsupportedTypeError for dtypes that weft lacks.

    Two-byte voids are bfloat16, pairs of float16 named real and imag complex32.
    """
    if not isinstance(descr, str):
        for order in ("little", "big"):
            pair = to_numpy(complex32, order)
            if descr == pair.descr:
                return pair
        advice = "weft reads plain numbers; write one file for each field"
        raise _fail(path, f"holds records: {descr!r:.80}", advice, UnsupportedTypeError)
    kind = descr.lstrip("<>|=")[:1]
    if kind in REFUSED:
        fact = f"has dtype {descr!r:.40}, which is {REFUSED[kind]}"
        raise _fail(path, fact, "weft reads bool, integers and floats", UnsupportedTypeError)
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
        raise _fail(path, f"has dtype {descr!r:.40}", advice, UnsupportedTypeError) from e
    return dtype


class NpyFile(CellRun):
    """A .npy file as a source, alone or as `size` bytes from byte `at` of another file.

    `name` is that of the member of an archive, for errors. Raises FileFormatError if the header is damaged, or if its
    shape needs more bytes than follow it, UnsupportedTypeError if weft lacks the dtype.
    """

    def __init__(
        self, path: str | os.PathLike[str], at: int = 0, size: int | None = None, name: str | None = None
    ) -> None:
        path = os.fspath(path)
        with opened(path, "npy") as (fd, identity):
            size = identity[2] - at if size is None else size
            label = path if name is None else f"{path}::{name}"
            self.header = h = parsed_header(label, lambda n, offset: fd.some(n, at + offset), size, at, identity)
        dtype, byteorder = from_numpy(h.dtype)
        order = "F" if h.fortran else "C"
        super().__init__(
            "npy", path, dtype, h.shape, h.data_offset, h.identity, big=byteorder == "big", order=order, name=name
        )
