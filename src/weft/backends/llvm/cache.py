"""Compiled code on disk, so that a second process compiles nothing.

The one idea: an entry is a file named by the digest of everything it depends on, holding that digest, a checksum and
the object code.  Native code is run, so the folder must be private: owned by the user, mode 0700, reached without a
link; otherwise the cache is off, with one warning.  Damaged or foreign entries are misses.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from weft.errors import CacheWarning

MAGIC = b"weft object 1\n"
LIMIT = 256 << 20  # bytes kept
SWEEP = 64  # stores between looks at the folder's size
NAMES = ("fields", "kernel", "order", "permutation", "philox", "plain", "quantile")
SHARED = ("dtypes", *[f"ir/{name}" for name in NAMES])  # of weft, what stands in kernels


@dataclass(frozen=True, slots=True)
class Entry:
    """Object code, the symbols it defines and the routines it needs."""

    code: bytes
    symbols: tuple[str, ...]
    needs: tuple[str, ...]


class DiskCache:
    """One folder of entries; every failure of the file system is a miss."""

    def __init__(self, folder: str, limit: int = LIMIT) -> None:
        folder = os.path.abspath(folder)  # the folder that was looked at, wherever the process goes
        self.folder, self.limit = folder, limit
        self.reason = _why_not(folder)
        self.stores = 0
        if self.reason:
            text = f"cache: {folder} is not used; {self.reason}; compiled kernels are not kept between processes"
            warnings.warn(f"{text}; name a private folder in WEFT_CACHE_DIR", CacheWarning, stacklevel=2)

    def load(self, digest: str) -> Entry | None:
        """The entry of that digest, if it is there and sound."""
        if self.reason:
            return None
        path = os.path.join(self.folder, digest)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            with open(fd, "rb") as file:
                if not _is_private(os.fstat(fd), stat.S_ISREG):
                    return None
                data = file.read()
            entry = unpack(data, digest)
            if entry is not None:
                os.utime(path)  # the least recently used go first
            return entry
        except OSError:
            return None

    def store(self, digest: str, entry: Entry) -> None:
        """Write an entry; readers see all of it or nothing."""
        if self.reason:
            return
        try:
            fd, name = tempfile.mkstemp(prefix=".new-", dir=self.folder)  # mode 0600
            try:
                with open(fd, "wb") as file:
                    file.write(pack(digest, entry))
                os.replace(name, os.path.join(self.folder, digest))
            except OSError:
                os.unlink(name)
                raise
        except OSError:
            return
        if self.stores % SWEEP == 0:
            self.sweep()
        self.stores += 1

    def sweep(self) -> None:
        """Remove the entries longest unused until the folder is within its limit."""
        files = sorted(_regular_files(self.folder))
        excess = sum(size for _, size, _ in files) - self.limit
        for _, size, path in files:
            if excess <= 0:
                return
            try:
                os.unlink(path)
            except OSError:
                pass
            excess -= size


def _regular_files(folder: str) -> Iterator[tuple[float, int, str]]:
    """Time of last change, bytes and path of each; a file that another process removes meanwhile is left out."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    yield found.st_mtime, found.st_size, entry.path


def pack(digest: str, entry: Entry) -> bytes:
    """Magic, checksum of the rest, length of the header, header, object code."""
    header = json.dumps({"digest": digest, "symbols": entry.symbols, "needs": entry.needs}).encode()
    rest = len(header).to_bytes(8, "little") + header + entry.code
    return MAGIC + sha256(rest).digest() + rest


def unpack(data: bytes, digest: str) -> Entry | None:
    """The entry, or None where the data is not one, is damaged, or belongs to another digest."""
    start = len(MAGIC) + 32
    rest = memoryview(data)[start:]
    if data[: len(MAGIC)] != MAGIC or sha256(rest).digest() != data[len(MAGIC) : start]:
        return None
    size = int.from_bytes(rest[:8], "little")
    try:
        header = json.loads(bytes(rest[8 : 8 + size]))
        if header["digest"] != digest:
            return None
        return Entry(bytes(rest[8 + size :]), tuple(header["symbols"]), tuple(header["needs"]))
    except (ValueError, KeyError, TypeError):
        return None


def _why_not(folder: str) -> str:
    """Make the folder if need be; the reason why code from it must not be run, or ""."""
    if not hasattr(os, "getuid"):
        return "this system has no owners and modes of folders to check"
    path = Path(os.path.abspath(folder))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in (path, *path.parents):
            if stat.S_ISLNK(os.lstat(part).st_mode):
                return f"{part} is a symbolic link"
        found = os.lstat(path)
    except FileExistsError as error:
        return f"{error.filename} is no folder"
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    if found.st_uid != os.getuid():
        return f"it belongs to user {found.st_uid}, not to {os.getuid()}"
    if not stat.S_ISDIR(found.st_mode) or stat.S_IMODE(found.st_mode) != 0o700:
        return f"its mode is {stat.S_IMODE(found.st_mode):04o}, not 0700"
    return ""


def _is_private(found: os.stat_result, is_kind: object) -> bool:
    return bool(is_kind(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022)  # type: ignore[operator]


@cache
def disk_cache(folder: str | None = None) -> DiskCache:
    """The cache of `WEFT_CACHE_DIR` (~/.cache/weft without it), opened once."""
    return DiskCache(folder or os.environ.get("WEFT_CACHE_DIR") or os.path.expanduser("~/.cache/weft"))


@cache
def emitter_digest() -> str:
    """A digest of the code generator's source and of what it shares, so that no entry outlives a change of these."""
    here = Path(__file__).parent
    total = sha256()
    try:
        shared = [here.parents[1] / f"{name}.py" for name in SHARED]
        for path in (*sorted(here.rglob("*.py")), *shared):
            total.update(path.relative_to(here.parents[1]).as_posix().encode() + b"\0" + path.read_bytes())
    except OSError:
        return ""
    return total.hexdigest()


emitter_digest()  # of the source that this process imports, not of what stands there at the first compilation
