"""Remote files, read by ranges of bytes.

The one idea: a remote file is used in place of a local file's descriptor.  Headers are read through cached pages, cells
straight into their memory, many ranges at a time.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import FileFormatError
from weft.runtime.no_collection import no_collection
from weft.sources.read import byte_ranges
from weft.sources.read.extents import REMOTE
from weft.sources.remote.remote_path import RemotePath, translated_errors

PAGE = 64 << 10  # bytes of a page
MAX_PAGES = 64  # pages kept for a file
PIECE = 4 << 20  # bytes of one request
AT_ONCE = 64 << 20  # bytes requested at a time
MARKS = ("ETag", "etag", "e_tag", "Content-MD5", "md5Hash", "generation", "Digest")  # marks of contents, best first
TIMES = ("LastModified", "last_modified", "Last-Modified", "updated", "mtime", "modified", "created")
Range = tuple[int, int]


class RemoteFile:
    """A remote file of `size` bytes, used in place of a descriptor."""

    def __init__(self, path: RemotePath, form: str, size: int) -> None:
        self.path, self.form, self.size = path, form, size
        self.ahead: dict[Range, bytes] = {}  # ranges fetched in advance
        self.has_read = False  # true once bytes were fetched or read into cells

    def some(self, size: int, offset: int) -> bytes:
        """Return `size` bytes from `offset` on, or fewer at the end of the file.

        Raises FileFormatError if they cannot be read.
        """
        end = min(offset + size, self.size)
        if offset >= end:
            return b""
        if end - offset > MAX_PAGES * PAGE // 4:
            return self._fetched([(offset, end)])[0]
        if (found := self._from_ahead(offset, end)) is not None:
            return found
        pages = _pages(offset, end)
        return _cut(self._paged(pages), pages, offset, end)

    def exactly(self, name: str, offset: int, target: memoryview) -> None:
        """Fill `target` with the bytes at `offset`; raises FileFormatError, naming `name`, if the file ends before."""
        self.fill(name, offset, np.array([[0, len(target)]]), target)

    def fill(self, name: str, offset: int, extents: NDArray[np.int64], target: memoryview) -> None:
        """Read byte ranges, rows (first, end) counted from `offset`, to the same offsets of `target`.

        Several are fetched at once.  Raises FileFormatError if the file is too short or cannot be read.
        """
        self.has_read = True
        if len(extents) and offset + int(extents[:, 1].max()) > self.size:
            fact = f"read: {name}: wanted bytes up to {offset + int(extents[:, 1].max())}, the file has {self.size}"
            raise FileFormatError(f"{fact}; it became shorter; write it again")
        wanted = [(first, end) for first, end in extents.tolist() if end > first]
        for batch in _batches([part for each in wanted for part in _pieces(*each)]):
            held = [
                self._from_ahead(offset + a, offset + b) or self._from_pages(offset + a, offset + b) for a, b in batch
            ]
            missing = [(offset + a, offset + b) for (a, b), text in zip(batch, held, strict=True) if text is None]
            fetched = iter(self._fetched(missing) if missing else ())
            for (a, b), text in zip(batch, held, strict=True):
                target[a:b] = next(fetched) if text is None else text

    def prefetch(self, ranges: Sequence[Range]) -> None:
        """Fetch byte ranges that will be read later, as many as the limit allows.

        Ranges fetched by an earlier call are dropped. Raises FileFormatError if they cannot be read.
        """
        self.ahead = {}
        first = next(_batches(_neighbours([r for r in ranges if r[0] < r[1]])), [])
        self.ahead = dict(zip(first, self._fetched(first), strict=True)) if first else {}

    def file(self) -> io.BufferedReader:
        """Return the file as an object with `read` and `seek`."""
        return io.BufferedReader(RangeReader(self))

    def _from_ahead(self, first: int, end: int) -> bytes | None:
        """Return a byte range from the ranges fetched in advance; None if they do not hold it."""
        if (found := self.ahead.get((first, end))) is not None:
            return found
        for (a, b), text in self.ahead.items():
            if a <= first and end <= b:
                return text[first - a : end - a]
        return None

    def _from_pages(self, first: int, end: int) -> bytes | None:
        """Return a byte range from the cached pages; None if one of them is missing."""
        pages = _pages(first, end)
        texts = [self.path.pages.get(k) for k in pages] if len(pages) <= MAX_PAGES else [None]
        return None if None in texts else _cut([text for text in texts if text is not None], pages, first, end)

    def _paged(self, pages: range) -> list[bytes]:
        """Return the bytes of pages; fetched ones are cached, and the oldest beyond MAX_PAGES dropped.

        Raises FileFormatError if they cannot be read.
        """
        kept = self.path.pages  # other threads may change it meanwhile
        found = {k: kept.get(k) for k in pages}
        missing = [k for k, text in found.items() if text is None]
        if missing:
            texts = self._fetched([(k * PAGE, min((k + 1) * PAGE, self.size)) for k in missing])
            found.update(zip(missing, texts, strict=True))
            kept.update(zip(missing, texts, strict=True))
            for k in [k for k in list(kept) if k not in found][: max(len(kept) - MAX_PAGES, 0)]:
                kept.pop(k, None)
        return [text for text in found.values() if text is not None]

    def _fetched(self, ranges: Sequence[Range]) -> list[bytes]:
        """Fetch byte ranges; raises FileFormatError if one cannot be read or has another size."""
        self.has_read, system, inside = True, self.path.system, self.path.inside
        starts, ends = [a for a, _ in ranges], [b for _, b in ranges]
        with translated_errors(self.form, self.path):
            if len(ranges) == 1:
                found = [system.cat_file(inside, start=starts[0], end=ends[0])]
            else:
                found = system.cat_ranges([inside] * len(ranges), starts, ends, on_error="return")
            for text in found:
                if isinstance(text, Exception):
                    raise text
        for (first, end), text in zip(ranges, found, strict=True):
            self._check(first, end, len(text))
        return found

    def _check(self, first: int, end: int, found: int) -> None:
        """Count a received range in the meters; raises FileFormatError if its size is wrong."""
        if byte_ranges.METERS:
            byte_ranges.count(found)
        if found > end - first:
            fact = f"{self.form}: {self.path}: sent {found} bytes for the range {first} to {end}"
            advice = f'its server has no ranges; fetch it as a whole, as "simplecache::{self.path}"'
            raise FileFormatError(f"{fact}; {advice}")
        if found < end - first:
            fact = f"{self.form}: {self.path}: sent {found} bytes for the range {first} to {end}"
            raise FileFormatError(f"{fact}; it became shorter, or the connection broke; open it again")


def fetched_whole(path: RemotePath, form: str) -> bytes:
    """Return all bytes of a remote file; raises MissingFileError if there is none, else FileFormatError if it fails."""
    with translated_errors(form, path):
        found: bytes = path.system.cat_file(path.inside)
    if byte_ranges.METERS:
        byte_ranges.count(len(found))
    return found


def fetched_with_identity(path: RemotePath, form: str) -> tuple[bytes, tuple[int, ...]]:
    """Return (all bytes of a small remote file, an identity hashed from them), by one request.

    `form` is named in errors. Raises MissingFileError if there is no such file, FileFormatError if it cannot be read.
    """
    text = fetched_whole(path, form)
    return text, _identity(text, len(text))


def _identity(mark: bytes, size: int) -> tuple[int, ...]:
    return (-1, int.from_bytes(sha256(mark).digest()[:7], "big"), size, 0)


class RangeReader(io.RawIOBase):
    """A remote file as an object of Python's `io`, for libraries."""

    def __init__(self, source: RemoteFile) -> None:
        self.source, self.at = source, 0

    def readable(self) -> bool:
        """True: the file can be read."""
        return True

    def seekable(self) -> bool:
        """True: the position can be set."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position of the next byte, and return it; `whence` is SEEK_SET, SEEK_CUR or SEEK_END."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.source.size}[whence]
        self.at = max(base + offset, 0)
        return self.at

    def readinto(self, target: Any) -> int:
        """Fill a buffer with the next bytes, and return their number; raises FileFormatError if they cannot be read."""
        self.source.has_read = True  # libraries read cells, not only headers
        view = memoryview(target).cast("B")
        # HDF5's library holds its lock while it reads bytes, and takes it to free an object: a fetching thread that
        # collects such garbage would wait for the thread that waits for it.
        with no_collection():
            text = self.source.some(len(view), self.at)
        view[: len(text)] = text
        self.at += len(text)
        return len(text)


def _pages(first: int, end: int) -> range:
    """Return the numbers of the pages that contain the bytes from `first` to `end`."""
    return range(first // PAGE, -(-end // PAGE))


def _cut(texts: list[bytes], pages: range, first: int, end: int) -> bytes:
    """Return the bytes from `first` to `end`, cut from the texts of the pages that contain them."""
    text, start = b"".join(texts), pages.start * PAGE
    return text[first - start : end - start]


def _pieces(first: int, end: int) -> Iterator[Range]:
    """Yield the parts of a range, each of the size of one request."""
    return ((a, min(a + PIECE, end)) for a in range(first, end, PIECE))


def _neighbours(ranges: Sequence[Range]) -> list[Range]:
    """Return the ranges sorted, with nearby ones joined as long as they make one request.

    >>> _neighbours([(100, 200), (0, 100), (9 << 20, 10 << 20)])
    [(0, 200), (9437184, 10485760)]
    """
    found: list[Range] = []
    for first, end in sorted(ranges):
        if found and first - found[-1][1] <= REMOTE.gap and end - found[-1][0] <= PIECE:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((first, end))
    return found


def _batches(ranges: Sequence[Range]) -> Iterator[list[Range]]:
    """Yield lists of ranges that are fetched at once: up to AT_ONCE bytes each."""
    batch: list[Range] = []
    size = 0
    for first, end in ranges:
        if batch and size + end - first > AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append((first, end))
        size += end - first
    if batch:
        yield batch


# ---- identity


@contextmanager
def opened_remote(path: RemotePath, form: str, identity: tuple[int, ...] | None) -> Iterator[Any]:
    """Yield (remote file, identity) of a path; `form` is named in errors.

    Raises FileFormatError if the file cannot be read, if its identity differs from `identity` (if given), or changes in
    the block.
    """
    if identity is not None:
        if path.identity != identity:
            path.pages.clear()
            path.identity = identity
        file = RemoteFile(path, form, identity[2])
        yield file, identity
        if file.has_read:
            remote_identity(path, form, identity)
        return
    found = remote_identity(path, form)
    yield RemoteFile(path, form, found[2]), found


def remote_identity(path: RemotePath, form: str, wanted: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Return the identity of a file and its contents: (-1, a number from its ETag or time, its size, 0).

    Raises FileFormatError if there is no such file, if its size is not known, or if the identity differs from `wanted`
    (if given).
    """
    with translated_errors(form, path):
        info = path.system.info(path.inside)
    if info.get("type") == "directory":
        raise FileFormatError(f"{form}: {path}: is a folder; a file is wanted; give the URL of a file in it")
    if not isinstance(info.get("size"), int) or info.get("partial") is False:
        what = "has no ranges" if info.get("partial") is False else "does not say its size"
        fact = f"{form}: {path}: its server {what}, so it cannot be read in parts"
        raise FileFormatError(f'{fact}; fetch it as a whole, as "simplecache::{path}"')
    mark = next((str(info[key]) for key in (*MARKS, *TIMES) if info.get(key) is not None), "")
    found = _identity(mark.encode(), info["size"])
    if path.identity != found:
        path.pages.clear()
        path.identity = found
    if wanted is not None and found != wanted:
        raise FileFormatError(f"{form}: {path}: has changed since it was opened; open it again")
    return found


def exists(path: str) -> bool:
    """True if a file or folder exists, local or remote; raises FileFormatError if that cannot be determined."""
    if not isinstance(path, RemotePath):
        return os.path.exists(path)
    with translated_errors("open", path):
        return bool(path.system.exists(path.inside))
