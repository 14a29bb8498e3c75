"""Atomic writing: files and folders that appear as a whole or not at all, and .npy on top of them.

The one idea: bytes go to a temporary name in the same folder, reach the disk, and only then take the final name; a
reader sees the old file or the new one, never a mixture, and a failure leaves nothing behind.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

import numpy as np

from weft.dtypes import from_numpy
from weft.errors import DTypeError, MissingFolderError, WeftError, WriteError

BLOCK = 8 << 20  # bytes of a strided array gathered at a time
EXCHANGE = 2  # of renameat2: both names change places in one step
HERE = -100  # AT_FDCWD
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)

Path = str | os.PathLike[str]


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn every OSError of the block into a WriteError that names the file."""
    try:
        yield
    except WeftError:
        raise
    except OSError as e:
        reason = (e.strerror or str(e)).lower()
        error = MissingFolderError if isinstance(e, FileNotFoundError) else WriteError
        raise error(f"write: {path}: {reason}; nothing was changed; check the folder and its free space") from e


@contextmanager
def atomic_path(path: Path, marks: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield a temporary path next to `path`, which replaces it when the block ends without an error.

    With `marks` it is a folder: an existing one is replaced only if it is empty or holds one of these names, which show
    that it is a store of the format.  Raises WriteError; after any error nothing is left of the temporary.
    """
    target = os.path.realpath(os.fspath(path))
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.partial")
    _check_target(path, target, marks)
    try:
        yield temporary
        with write_errors(path):
            _sync(temporary)
            _take_place(temporary, target)
    except BaseException:
        _remove(temporary)
        raise
    with write_errors(path):
        _sync_one(folder)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file opened for writing bytes, which takes its name when the block ends without an error.

    Raises WriteError where the system refuses.
    """
    with atomic_path(path) as temporary, write_errors(path), os.fdopen(os.open(temporary, NEW, 0o666), "wb") as file:
        yield file


def _check_target(path: Path, target: str, marks: tuple[str, ...]) -> None:
    """Raise WriteError if the target exists and is not of the kind to be written.

    That is a regular file, or with `marks` a folder that is empty or holds one of them.
    """
    if not os.path.lexists(target):
        return
    if not marks:
        if not os.path.isfile(target):
            raise WriteError(f"write: {path}: it is not a regular file; weft replaces whole files; give a file name")
        return
    if not os.path.isdir(target):
        raise WriteError(f"write: {path}: it is a file; a folder is to be written there; give another name")
    if os.listdir(target) and not any(os.path.exists(os.path.join(target, mark)) for mark in marks):
        raise WriteError(
            f"write: {path}: the folder has none of {', '.join(marks)}; it is no store that may be replaced; "
            "give another name"
        )


def _sync(path: str) -> None:
    """Flush a file, or a folder with all its files, to the disk."""
    if os.path.isdir(path):
        for folder, _, names in os.walk(path, topdown=False):
            for name in names:
                _sync_one(os.path.join(folder, name))
            _sync_one(folder)
    else:
        _sync_one(path)


def _sync_one(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _take_place(temporary: str, target: str) -> None:
    """Rename the temporary to its final name, in one step if the system can; on failure the old one stays."""
    if not (os.path.isdir(temporary) and os.path.isdir(target)):
        os.replace(temporary, target)
        return
    if not _exchanged(temporary, target):
        aside = f"{temporary}.old"
        os.rename(target, aside)
        try:
            os.rename(temporary, target)
        except BaseException:
            os.rename(aside, target)
            raise
        temporary = aside
    _remove_folder(temporary)


def _exchanged(a: str, b: str) -> bool:
    """Exchange two names in one step; return False if the system cannot."""
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    return bool(renameat2(HERE, os.fsencode(a), HERE, os.fsencode(b), EXCHANGE) == 0)


def _remove(temporary: str) -> None:
    if os.path.isdir(temporary):
        _remove_folder(temporary)
    else:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _remove_folder(path: str) -> None:
    """Remove a folder as far as the system permits; raises what a signal handler raised meanwhile."""
    try:
        shutil.rmtree(path, ignore_errors=True)
    except OSError as error:  # rmtree closes a second time what it had closed when the handler came
        if error.__context__ is not None:
            raise error.__context__ from None


def npy_header(dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool = False) -> bytes:
    """Return the bytes of a .npy file before its cells, padded to a multiple of 64.

    Raises DTypeError for dtypes that the format cannot spell.

    >>> npy_header(np.dtype("<f4"), (2, 3))[10:70]
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } "
    """
    found = from_numpy(dtype)[0]  # raises for what weft does not hold
    if found.storage:
        raise DTypeError(
            f"npy: {found.name} cells; the format has no word for them; save astype(weft.float32), or to .safetensors "
            "or .zarr"
        )
    descr = dtype.descr if dtype.names else dtype.str
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    version, width = (1, 2) if len(text) < 65_000 else (2, 4)
    pad = -(8 + width + len(text) + 1) % 64
    length = len(text) + pad + 1
    head = b"\x93NUMPY" + bytes([version, 0]) + length.to_bytes(width, "little")
    return head + text.encode("latin1") + b" " * pad + b"\n"
