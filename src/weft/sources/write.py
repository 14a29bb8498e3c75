"""Files that appear as a whole or not at all, and .npy on top of them.

The one idea: bytes go to a temporary name in the same folder, reach the disk, and only then take the final name; a
reader sees the old file or the new one, never a mixture, and a failure leaves nothing behind.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import from_numpy
from weft.errors import ShapeError, WriteError

BLOCK = 8 << 20  # bytes of a strided array gathered at a time


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to; takes its name when the block ends without an error."""
    target = os.path.realpath(os.fspath(path))
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.partial")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            raise WriteError(f"write: {path}: it is not a regular file; weft replaces whole files; give a file name")
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            with os.fdopen(fd, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
        _sync_folder(folder)
    except OSError as e:
        reason = (e.strerror or str(e)).lower()
        raise WriteError(f"write: {path}: {reason}; nothing was changed; check the folder and its free space") from e


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def npy_header(dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool = False) -> bytes:
    """The bytes before the data, padded to a multiple of 64 as the format asks.

    >>> npy_header(np.dtype("<f4"), (2, 3))[10:70]
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } "
    """
    from_numpy(dtype)  # raises for what weft does not hold
    text = f"{{'descr': {dtype.str!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    version, width = (1, 2) if len(text) < 65_000 else (2, 4)
    pad = -(8 + width + len(text) + 1) % 64
    length = len(text) + pad + 1
    head = b"\x93NUMPY" + bytes([version, 0]) + length.to_bytes(width, "little")
    return head + text.encode("latin1") + b" " * pad + b"\n"


def write_npy(
    path: str | os.PathLike[str],
    parts: Iterable[NDArray[Any]],
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    fortran: bool = False,
) -> None:
    """Write consecutive parts of an array (in file order: rows, or columns where `fortran`) as one .npy file."""
    wanted, done = prod(shape), 0
    with atomic_file(path) as file:
        file.write(npy_header(dtype, shape, fortran))
        for part in parts:
            done += part.size
            _write_cells(file, part, dtype, fortran)
        if done != wanted:
            raise ShapeError(f"write: {path}: {done} cells for shape {shape}; it has {wanted}; nothing was changed")


def _write_cells(file: BinaryIO, part: NDArray[Any], dtype: np.dtype[Any], fortran: bool) -> None:
    """The cells of a part, a block of rows at a time where they must be gathered first."""
    if fortran:
        part = part.T
    if part.size == 0:
        return
    if part.dtype == dtype and part.flags.c_contiguous:
        file.write(memoryview(part.reshape(-1).view(np.uint8)))
        return
    if part.ndim == 0:
        file.write(part.astype(dtype).tobytes())
        return
    rows = max(1, BLOCK * len(part) // (part.size * dtype.itemsize))
    for first in range(0, len(part), rows):
        file.write(part[first : first + rows].astype(dtype, order="C").tobytes())


def save_npy(path: str | os.PathLike[str], array: NDArray[Any]) -> None:
    """Write one array as a .npy file, keeping its byte order, and its layout where that is Fortran's."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    write_npy(path, [array], array.dtype, array.shape, fortran)
