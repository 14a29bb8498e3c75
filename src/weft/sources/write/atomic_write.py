"""Atomic writing: files and folders that appear as a whole or not at all; and headers of .npy files.

The one idea: bytes go to a temporary name in the same folder, reach the disk, and only then take the final name; a
reader sees the old file or the new one, never a mixture, and a failure leaves nothing behind.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import stat
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import Any, BinaryIO

import numpy as np

from weft.dtypes import from_numpy
from weft.errors import DTypeError, DurabilityWarning, FileFormatError, MissingFolderError, WeftError, WriteError
from weft.sources.write.unfinished import remove, unfinished

BLOCK = 8 << 20  # bytes of a strided array gathered at a time
EXCHANGE = 2  # flag of renameat2: exchange two names in one step
HERE = -100  # AT_FDCWD
MANY = 32  # files in a folder from which the whole file system is synced
BEGIN = 2  # SYNC_FILE_RANGE_WRITE: begin writing, without waiting
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL

Path = str | os.PathLike[str]


@contextmanager
def write_errors(path: Path, remaining: str = "nothing was changed") -> Iterator[None]:
    """Convert every OSError of the block to a WriteError that names the file, also one behind a FileFormatError.

    `remaining` tells what remains of the file, for the message.
    """
    try:
        yield
    except FileFormatError as e:
        if not isinstance(e.__cause__, OSError):
            raise
        reason = (e.__cause__.strerror or str(e.__cause__)).lower()
        fact = f"what was written cannot be read back: {reason}; {remaining}"
        raise WriteError(f"write: {path}: {fact}; check the disk") from e
    except WeftError:
        raise
    except OSError as e:
        reason = (e.strerror or str(e)).lower()
        error = MissingFolderError if isinstance(e, FileNotFoundError) else WriteError
        raise error(f"write: {path}: {reason}; {remaining}; check the folder and its free space") from e


@contextmanager
def atomic_path(path: Path, marks: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield a temporary path, which replaces `path` if the block ends without an error.

    With `marks` it is a folder, and an existing one is replaced only if it is empty or holds one of these names, which
    identify a store of the format.  The mode of a replaced file is kept, and its owner if permitted.  Raises WriteError
    if the system refuses; after any error the temporary is removed.  Warns (DurabilityWarning) if the folder cannot be
    synced.
    """
    target = os.path.realpath(os.fspath(path))
    folder = os.path.dirname(target)
    with ExitStack() as stack:
        with write_errors(path):
            _check_target(path, target, marks)
            temporary = stack.enter_context(unfinished(folder))
        yield temporary
        with write_errors(path):
            _sync(temporary)
            _keep_owner(temporary, target)
            _take_place(temporary, target)
    try:
        _sync_one(folder)
    except OSError as e:
        fact = f"written, but not known to be durable: its folder cannot be synced: {(e.strerror or str(e)).lower()}"
        advice = "a loss of power may bring back what was there before; check the disk"
        warnings.warn(f"write: {path}: {fact}; {advice}", DurabilityWarning, stacklevel=3)


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file opened for writing bytes, which takes its name if the block ends without an error.

    Raises WriteError if the system refuses.
    """
    with atomic_path(path) as temporary, write_errors(path), os.fdopen(os.open(temporary, NEW, 0o666), "wb") as file:
        yield file


def _check_target(path: Path, target: str, marks: tuple[str, ...]) -> None:
    """Raise WriteError if the target exists and must not be replaced.

    A regular file may be; with `marks`, a folder that is empty or holds one of these names.
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
    """Flush a file, or a folder with all its files, to the disk; raises OSError if that fails.

    For many files the whole file system is flushed at once, as each separate flush would wait for the disk.
    """
    if not os.path.isdir(path):
        _sync_one(path)
        return
    inside = list(os.walk(path, topdown=False))
    if sum([len(names) for _, _, names in inside]) > MANY and (call := _sync_file_system()) is not None:
        _with_descriptor(path, call)
        return
    for folder, _, names in inside:
        for name in names:
            _sync_one(os.path.join(folder, name))
        _sync_one(folder)


def _sync_one(path: str) -> None:
    _with_descriptor(path, os.fsync)


def _with_descriptor(path: str, call: Callable[[int], object]) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        call(fd)
    finally:
        os.close(fd)


def begin_sync(fd: int, first: int, nbytes: int) -> None:
    """Ask the system to begin writing `nbytes` bytes, from byte `first` of a file, to the disk.

    A later sync then waits less; errors of the disk are left for that sync to raise.
    """
    if (call := _sync_file_range()) is not None:
        call(fd, first, nbytes, BEGIN)


@cache
def _sync_file_range() -> Any:
    """Return the function of the C library that writes a range of a file; None if the system has none."""
    try:
        found = ctypes.CDLL(None).sync_file_range
    except (OSError, AttributeError):
        return None
    found.argtypes = (ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint)
    return found


@cache
def _sync_file_system() -> Callable[[int], None] | None:
    """Return a function that flushes the file system of a descriptor, or None.

    None if the system has no such call that reports errors; Linux reports them from 5.8 on (syncfs(2)).
    """
    try:
        found = ctypes.CDLL(None, use_errno=True).syncfs
        version = tuple([int(n) for n in os.uname().release.split("-")[0].split(".")[:2]])
    except (OSError, AttributeError, ValueError):
        return None

    def sync(fd: int) -> None:
        if found(fd):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    return sync if version >= (5, 8) else None


def _keep_owner(temporary: str, target: str) -> None:
    """Give the temporary the mode of the target that it replaces, if there is one, and its owner if permitted."""
    if not os.path.exists(target):
        return
    old, new = os.stat(target), os.stat(temporary)
    mode = stat.S_IMODE(old.st_mode)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        for owner in (old.st_uid, -1):  # the group alone may be permitted
            try:
                os.chown(temporary, owner, old.st_gid)
                break
            except PermissionError:
                mode &= ~(stat.S_ISUID | stat.S_ISGID)
    with suppress(PermissionError):  # file systems without modes
        os.chmod(temporary, mode)


def _take_place(temporary: str, target: str) -> None:
    """Rename the temporary to its final name, in one step if the system can; on failure the target stays.

    Raises OSError if the system refuses.
    """
    if not (os.path.isdir(temporary) and os.path.isdir(target)):
        os.replace(temporary, target)
    elif not _exchanged(temporary, target):
        aside = os.path.join(os.path.dirname(target), f".weft-{secrets.token_hex(6)}.old")  # a name that is never swept
        os.rename(target, aside)
        try:
            os.rename(temporary, target)
        except BaseException:
            os.rename(aside, target)
            raise
        remove(aside)


def _exchanged(first_path: str, second_path: str) -> bool:
    """Exchange two names in one step; True if the system did."""
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    return bool(renameat2(HERE, os.fsencode(first_path), HERE, os.fsencode(second_path), EXCHANGE) == 0)


def npy_header(dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool = False) -> bytes:
    """Return the header of a .npy file, padded to a multiple of 64 bytes.

    Raises DTypeError for dtypes that the format cannot spell.

    >>> npy_header(np.dtype("<f4"), (2, 3))[10:70]
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } "
    """
    text = npy_description(dtype, shape, fortran)
    version, width = (1, 2) if len(text) < 65_000 else (2, 4)
    pad = -(8 + width + len(text) + 1) % 64
    length = len(text) + pad + 1
    head = b"\x93NUMPY" + bytes([version, 0]) + length.to_bytes(width, "little")
    return head + text.encode("latin1") + b" " * pad + b"\n"


def npy_description(dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool) -> str:
    """Return the text in the header of a .npy file, which lists its dtype, order (`fortran`) and shape.

    Raises DTypeError for dtypes that the format cannot spell.
    """
    found = from_numpy(dtype)[0]  # raises for dtypes that weft lacks
    if found.storage:
        raise DTypeError(
            f"npy: {found.name} cells; the format has no word for them; save astype(weft.float32), or to .safetensors "
            "or .zarr"
        )
    descr = dtype.descr if dtype.names else dtype.str
    return f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
