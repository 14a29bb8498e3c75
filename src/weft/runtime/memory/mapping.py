"""Memory that lies in files: shared between processes by name, scratch larger than memory, and files of the user.

The one idea: a mapping is memory whose pages a file holds.  Its blocks are reserved before it is mapped, so that a full
disk raises an error instead of ending the process, and its size is checked when it is opened.
"""

from __future__ import annotations

import atexit
import mmap
import os
import secrets
import stat
import tempfile
from typing import Any

import numpy as np

from weft.errors import DTypeError, FileFormatError, ValueRangeError
from weft.runtime.memory.allocator import Allocator, MemoryBlock, Raw

SHARED_DIRECTORY = "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()
PREFIX = "weft-"
_FLAGS = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_MADE: dict[str, int] = {}  # path of existing shared memory → process that created it


class FileMemory(Allocator):
    """Memory whose pages lie in unnamed files of a directory: room for values larger than the machine's memory.

    >>> import weft
    >>> with weft.using_allocator(weft.FileMemory()) as scratch:
    ...     x = (weft.arange(1000) + 1).realize()
    >>> scratch.in_use, x[-1].item()
    (8000, 1000)
    """

    def __init__(self, directory: Any = None, name: str = "files", limit: int | None = None) -> None:
        super().__init__(name, limit)
        if directory is not None and not isinstance(directory, (str, bytes, os.PathLike)):
            raise DTypeError(
                f"FileMemory: directory {directory!r:.60}; a folder is named by text or pathlib.Path; give it"
            )
        self.directory = tempfile.gettempdir() if directory is None else os.fsdecode(directory)

    def _new_block(self, nbytes: int) -> MemoryBlock:
        path = _fresh_path(self.directory)
        block = _block(path, nbytes)
        os.unlink(path)
        return block


class SharedMemory(Allocator):
    """Memory that other processes of the user open by the `name` of its storage: `weft.storage_of(shared=name)`.

    The name is removed when the memory's last user in this process goes, or at its exit; processes that have it open
    keep it.

    >>> import weft
    >>> s = weft.storage(4, weft.int32, allocator=weft.SharedMemory())
    >>> there = weft.storage_of(shared=s.name, dtype=weft.int32)
    >>> s[1] = 7
    >>> there.tolist()
    [0, 7, 0, 0]
    """

    def __init__(self, name: str = "shared", limit: int | None = None) -> None:
        super().__init__(name, limit)

    def _new_block(self, nbytes: int) -> MemoryBlock:
        """Return a block that lies in a new file of the shared folder; raises MemoryError if there is no room."""
        path = _fresh_path(SHARED_DIRECTORY)
        block = _block(path, nbytes).view(_Named)
        _MADE[path] = os.getpid()
        block.kept = path
        return block


class _Named(MemoryBlock):
    """Shared memory whose name is removed when it is freed."""

    def __del__(self) -> None:
        if self.kept is not None:
            _forget(self.kept)


def _fresh_path(directory: str) -> str:
    """Return a path in a directory that no file has yet."""
    return os.path.join(directory, f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}")


def _block(path: str, nbytes: int) -> MemoryBlock:
    """Return the mapped pages of a new file as memory; raises MemoryError if there is no room for them."""
    fd = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _reserve(fd, max(nbytes, 1))
        return np.frombuffer(mmap.mmap(fd, max(nbytes, 1)), np.uint8).view(Raw).view(MemoryBlock)
    except OSError as error:
        os.unlink(path)
        raise MemoryError(str(error)) from error
    finally:
        os.close(fd)


def _reserve(fd: int, nbytes: int) -> None:
    """Set a file's size and reserve all its blocks if the system can, so that writing pages never fails.

    Raises OSError if the disk is too full.
    """
    os.ftruncate(fd, nbytes)
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, nbytes)


def _forget(path: str) -> None:
    """Unlink a file of shared memory that this process created; a forked child leaves its parent's files."""
    if _MADE.get(path) == os.getpid():
        del _MADE[path]
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass


def _forget_all() -> None:
    for path in list(_MADE):
        _forget(path)


atexit.register(_forget_all)


def opened_shared(name: str, read_only: bool) -> np.ndarray:
    """Return the bytes of the shared memory `name`, created by a process of this user.

    With `read_only` they cannot be written. Raises ValueRangeError if there is no such memory.
    """
    if not isinstance(name, str) or not name.startswith(PREFIX) or os.path.basename(name) != name:
        raise ValueRangeError(f"storage_of: {name!r} is no name of shared memory; give storage.name")
    path = os.path.join(SHARED_DIRECTORY, name)
    try:
        return _mapped(path, "r" if read_only else "r+", None)
    except FileFormatError as error:
        raise ValueRangeError(
            f"storage_of: shared memory {name!r} is not there or not this user's ({error}); it goes with the process "
            "that made it; keep its storage alive there"
        ) from None


def mapped_file(path: Any, mode: str, nbytes: int | None) -> np.ndarray:
    """Return a file's bytes mapped for reading ("r"), reading and writing ("r+"), or as a new file ("w+").

    `nbytes` is their number, None for all.  Raises ValueRangeError for a bad argument, FileFormatError for a bad file.
    """
    if mode not in ("r", "r+", "w+"):
        raise ValueRangeError(f"storage_of: mode {mode!r}; a file is mapped by 'r', 'r+' or 'w+'; give one of them")
    if (mode == "w+" or nbytes is not None) and (type(nbytes) is not int or nbytes < 0):
        raise ValueRangeError(f"storage_of: {nbytes!r} bytes of a file; a number is needed; give nbytes= from 0 on")
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise ValueRangeError(f"storage_of: {type(path).__name__} as a file; a path names it; give a str or Path")
    return _mapped(os.fsdecode(path), mode, nbytes)


def _mapped(path: str, mode: str, nbytes: int | None) -> np.ndarray:
    """Return the mapped bytes of a file; raises FileFormatError if it cannot be opened or is too short."""
    flags = _FLAGS & ~os.O_RDWR | (os.O_RDONLY if mode == "r" else os.O_RDWR)
    try:
        fd = os.open(path, flags | (os.O_CREAT | os.O_TRUNC if mode == "w+" else 0), 0o666)
    except OSError as error:
        raise FileFormatError(f"storage_of: {path}: {error.strerror}; name a file that can be opened") from error
    try:
        if mode == "w+" and nbytes:
            _reserve(fd, nbytes)
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise FileFormatError(f"storage_of: {path} is no regular file; only such files are mapped; name one")
        if nbytes is not None and nbytes > found.st_size:
            raise FileFormatError(
                f"storage_of: {path} has {found.st_size} bytes, and {nbytes} were asked for; there is no memory beyond "
                "a file's end; ask for fewer"
            )
        size = found.st_size if nbytes is None else nbytes
        if not size:
            return np.empty(0, np.uint8)
        access = mmap.ACCESS_READ if mode == "r" else mmap.ACCESS_WRITE
        return np.frombuffer(mmap.mmap(fd, size, access=access), np.uint8)
    except OSError as error:
        raise FileFormatError(f"storage_of: {path}: {error.strerror}; make room, or name another file") from error
    finally:
        os.close(fd)
