"""Compiled code on disk, so that a second process compiles nothing.

The one idea: an entry is a file named by the digest of everything that it depends on; it holds that digest, a checksum
and the object code.  Native code is run, so the folder must be private (`private_folder`), else the cache is off, with
one warning; it is opened once and used by its descriptor.  Damaged or foreign entries count as missing.
"""

from __future__ import annotations

import json
import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import randbelow, token_hex

from weft.backends.llvm.jit.private_folder import is_private, open_private
from weft.errors import CacheWarning

MAGIC = b"weft object 1\n"
LIMIT = 256 << 20  # most bytes kept on disk
SHARE = 64  # scans of the whole folder, on average, while LIMIT bytes are stored
EMITTERS = ("dtypes.py", "ir", "backends/llvm")  # files and folders of the package that determine LLVM text
COMPILER = ("backends/llvm/jit",)  # files and folders that determine the code compiled from a text


@dataclass(frozen=True, slots=True)
class ObjectCode:
    """Object code, the symbols it defines and the routines it needs."""

    code: bytes
    symbols: tuple[str, ...]
    needs: tuple[str, ...]


class DiskCache:
    """One folder of cached object code; a failure of the file system counts as a missing entry."""

    def __init__(self, folder: str, limit: int = LIMIT) -> None:
        self.folder, self.limit = os.path.abspath(folder), limit
        self.reason = ""  # why the cache is off
        try:
            self._open()
        except OSError as error:
            self.reason = str(error)
            text = f"cache: {self.folder} is not used; {self.reason}; compiled kernels are not kept between processes"
            warnings.warn(f"{text}; name a private folder in WEFT_CACHE_DIR", CacheWarning, stacklevel=2)

    def load(self, digest: str) -> ObjectCode | None:
        """Return the entry stored under `digest`, or None if it is missing or damaged."""
        if self.reason:
            return None
        try:
            data = self._read(digest)
        except OSError:
            return None
        return unpack(data, digest)

    def store(self, digest: str, entry: ObjectCode) -> None:
        """Write `entry` under `digest`, so that other processes see all of it or nothing.

        Does nothing if the cache is off; errors of the file system are ignored.
        """
        if self.reason:
            return
        with suppress(OSError):
            data = pack(digest, entry)
            self._write(digest, data)
            if randbelow(max(self.limit, 1)) < SHARE * len(data):  # by chance: short processes store little each
                self.sweep()

    def sweep(self) -> None:
        """Remove the least recently used entries until the folder is within its limit.

        Raises OSError if the folder cannot be opened again.
        """
        folder = self._descriptor()
        files = sorted(_regular_files(folder))
        excess = sum(size for _, size, _ in files) - self.limit
        for _, size, name in files:
            if excess <= 0:
                return
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
            excess -= size

    def _read(self, digest: str) -> bytes:
        """Return the bytes of an entry's file, and mark it as recently used.

        Returns b"" if it is not a regular file that only this user may write; raises OSError if there is no such file.
        """
        fd = os.open(digest, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self._descriptor())
        try:
            if not is_private(os.fstat(fd)):
                return b""
            os.utime(fd)  # the least recently used go first
            with open(fd, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(fd)

    def _write(self, digest: str, data: bytes) -> None:
        folder, name = self._descriptor(), f".new-{token_hex(8)}"
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        try:
            with open(fd, "wb") as file:
                file.write(data)
            os.replace(name, digest, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            os.unlink(name, dir_fd=folder)
            raise

    def _open(self) -> None:
        self._fd = open_private(self.folder)
        self._opened = os.fstat(self._fd)

    def _descriptor(self) -> int:
        """Return the folder's descriptor; open the folder again if the process has closed it, as daemons do.

        Raises OSError if that fails.
        """
        try:
            is_open = os.path.samestat(os.fstat(self._fd), self._opened)
        except OSError:
            is_open = False
        if not is_open:
            self._open()
        return self._fd


def _regular_files(folder: int) -> Iterator[tuple[float, int, str]]:
    """Yield (time of last change, bytes, name) of each regular file in the folder of this descriptor."""
    fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)  # of its own: reading moves it on
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                with suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(found.st_mode):
                        yield found.st_mtime, found.st_size, entry.name
    finally:
        os.close(fd)


def pack(digest: str, entry: ObjectCode) -> bytes:
    """Return an entry as bytes: magic, checksum of the rest, length of the header, header, object code.

    The header has the digest.
    """
    header = json.dumps({"digest": digest, "symbols": entry.symbols, "needs": entry.needs}).encode()
    rest = len(header).to_bytes(8, "little") + header + entry.code
    return MAGIC + sha256(rest).digest() + rest


def unpack(data: bytes, digest: str) -> ObjectCode | None:
    """Return the entry that `pack` made `data` of; None if it is damaged, or of another digest."""
    start = len(MAGIC) + 32
    rest = memoryview(data)[start:]
    if data[: len(MAGIC)] != MAGIC or sha256(rest).digest() != data[len(MAGIC) : start]:
        return None
    size = int.from_bytes(rest[:8], "little")
    try:
        header = json.loads(bytes(rest[8 : 8 + size]))
        if header["digest"] != digest:
            return None
        return ObjectCode(bytes(rest[8 + size :]), tuple(header["symbols"]), tuple(header["needs"]))
    except (ValueError, KeyError, TypeError):
        return None


@cache
def disk_cache(folder: str | None = None) -> DiskCache:
    """Return the cache in `folder`, by default that of WEFT_CACHE_DIR or ~/.cache/weft.

    Each folder is opened once in a process.
    """
    return DiskCache(folder or os.environ.get("WEFT_CACHE_DIR") or os.path.expanduser("~/.cache/weft"))


@cache
def source_digest(names: tuple[str, ...]) -> str:
    """Return a digest of the source files among the files and folders `names` of the package.

    If they cannot be read it is random, so that no entries of other processes are used.
    """
    package = Path(__file__).parents[3]
    total = sha256()
    try:
        for path in (package / name for name in names):
            for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
                total.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    except OSError:
        return token_hex(32)  # without its sources, a process knows no other's entries
    return total.hexdigest()


for _names in (EMITTERS, COMPILER):
    source_digest(_names)  # of what this process imports, not of what stands there at the first compilation
