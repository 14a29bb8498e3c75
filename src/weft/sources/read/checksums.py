"""Checksums stored in files, verified once all bytes were read, in pieces of any order.

The one idea: the checksum of a run combines the checksums of its pieces, each shifted by the number of bytes after the
piece.  So each piece is summed when it is read, bytes read again are skipped, and the sum is complete with the last
piece.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from weft.backends.thread_sharing import share
from weft.errors import FileFormatError
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.sources.read.byte_ranges import RangedFile

Bytes = bytes | memoryview | NDArray[np.uint8]
LEAST = 1 << 16  # a read of fewer bytes is summed only if it reads all cells
PIECE = 1 << 20  # bytes that are summed while they are in the cache
MOST = 1 << 20  # most ranges of bytes read that are recorded; beyond, the file is read once more at the end
TOGETHER = 1024  # sums of pieces are joined after so many
Ints = NDArray[np.int64]
_NOTING = held_over_forks(ReentrantLock())  # files are read by several threads
REFLECTED = 0xEDB88320  # the polynomial of CRC-32, its highest power in the lowest bit


# ---- CRC-32: a polynomial over bits; bytes after a piece multiply the piece's checksum


def _product(left: Ints, right: Ints) -> Ints:
    """Return the products, one by one, of polynomials over bits, modulo the polynomial of CRC-32."""
    found = np.zeros_like(left)
    for bit in range(31, -1, -1):
        found ^= right * (left >> bit & 1)
        right = right >> 1 ^ REFLECTED * (right & 1)
    return found


@lru_cache(maxsize=1)
def _factors() -> Ints:
    """Return a table f[k, n] of factors for the CRC-32 of a piece before n·256**k further bytes.

    The table has shape (8, 256).  A factor is a polynomial over bits, modulo that of CRC-32.
    """
    found = np.full((8, 256), 1 << 31, np.int64)
    square = np.array([1 << 23])  # of one byte
    for k in range(8):
        for bit in range(8):
            found[k, 1 << bit : 2 << bit] = _product(found[k, : 1 << bit], square)
            square = _product(square, square)
    return found


def joined_crc32(checksums: Ints, bytes_after: Ints) -> int:
    """Return the CRC-32 of a run from those of its pieces, in any order.

    `bytes_after` are the numbers of bytes after each piece.

    >>> pieces = np.array([zlib.crc32(b"cde"), zlib.crc32(b"ab")])
    >>> joined_crc32(pieces, np.array([0, 3])) == zlib.crc32(b"abcde")
    True
    """
    for k, factors in enumerate(_factors()):
        if (bytes_after >> 8 * k).any():
            checksums = _product(factors[bytes_after >> 8 * k & 255], checksums)
    return int(np.bitwise_xor.reduce(checksums))


# ---- the sum of FITS: words of 32 bits, most significant byte first, modulo 2**32 - 1

ONES = 2**32 - 1


def sum_of_words(data: Bytes, at: int = 0) -> int:
    """Return the FITS checksum, modulo 2**32 - 1, of bytes that begin at byte `at` of a run.

    >>> sum_of_words(bytes([0, 0, 1, 2])), sum_of_words(bytes([1, 2]), 2)
    (258, 258)
    """
    whole = len(data) // 4 * 4
    words = int(np.frombuffer(data, ">u4", whole // 4).sum(dtype=np.uint64))
    rest = int.from_bytes(bytes(data[whole:]).ljust(4, b"\0"), "big")
    return (words + rest << 8 * (-at % 4)) % ONES


@dataclass(frozen=True, slots=True)
class Sum:
    """A kind of checksum: `of(data, at)` sums bytes at byte `at` of a run; `joined` combines pieces.

    `joined` takes the sums of the pieces and the number of bytes after each.
    """

    of: Callable[[Bytes, int], int]
    joined: Callable[[Ints, Ints], int]


CRC32 = Sum(lambda data, at: zlib.crc32(data), joined_crc32)
WORDS = Sum(sum_of_words, lambda values, behind: int(values.sum() % ONES))


class SeenBytes:
    """The byte ranges of a file that were read, sorted and disjoint."""

    def __init__(self) -> None:
        self.starts, self.ends = array("q"), array("q")

    def add(self, first: int, end: int) -> list[tuple[int, int]]:
        """Add a range, and return the parts of it that were not read before.

        >>> seen = SeenBytes()
        >>> seen.add(2, 5), seen.add(0, 7), seen.add(1, 7)
        ([(2, 5)], [(0, 2), (5, 7)], [])
        """
        i, j = bisect_left(self.ends, first), bisect_right(self.starts, end)  # ranges that the new one touches
        new, at = [], first
        for begin, until in zip(self.starts[i:j], self.ends[i:j], strict=True):
            if at < begin:
                new.append((at, begin))
            at = max(at, until)
        if at < end:
            new.append((at, end))
        self.starts[i:j] = array("q", [min([first, *self.starts[i:j][:1]])])
        self.ends[i:j] = array("q", [max([end, *self.ends[i:j][-1:]])])
        return new

    def covers(self, first: int, end: int) -> bool:
        """True if all bytes from `first` to `end` were read."""
        i = bisect_right(self.starts, first) - 1
        return first == end or (i >= 0 and self.ends[i] >= end)


class StoredSum:
    """The checksum of a file's bytes in the range `run`, part of which, the range `cells`, is read as cells.

    `wanted` maps the place of each stored checksum, for messages, to its value.
    """

    def __init__(
        self, form: str, name: str, kind: Sum, run: tuple[int, int], cells: tuple[int, int], wanted: Mapping[str, int],
        advice: str,
    ) -> None:  # fmt: skip
        self.form, self.name, self.kind, self.wanted, self.advice = form, name, kind, wanted, advice
        self.first, self.end = run
        self.cells = cells
        self.under_way = 0  # pieces that threads are summing
        self._forget()

    def _forget(self) -> None:
        self.seen = SeenBytes()
        self.sums: list[tuple[int, int]] = []  # the checksum of each piece, and the number of bytes after it
        self.unnoted = 0  # bytes read beyond MOST ranges
        self.is_verified = False

    @property
    def least(self) -> int:
        """Return the bytes from which a read outside of a tiled computation is summed."""
        return min(LEAST, self.cells[1] - self.cells[0])

    def begin(self) -> None:
        """Restart if all bytes were verified; call this before the reads of another computation."""
        with _NOTING:
            if self.is_verified:
                self._forget()

    def read(self, fd: RangedFile, at: int, target: memoryview, is_filled: bool = False) -> None:
        """Fill `target` with the bytes of cells at byte `at`, unless it `is_filled`, and add their checksum.

        Several threads share long reads.  Raises FileFormatError if the file is too short, or if these were the last
        cells and the checksum is wrong.
        """

        def piece(first: int) -> None:
            part = target[first : first + PIECE]
            if not is_filled:
                fd.exactly(self.name, at + first, part)
            self._note(at + first, part)

        share(range(0, len(target), PIECE), piece, len(target))
        with _NOTING:
            if self.is_verified or self.under_way or not self.seen.covers(*self.cells):
                return
            self.is_verified = True
        begin, end = self.cells
        for first, stop in ((self.first, begin), (end, self.end)):
            if first < stop:
                self._note(first, fd.some(stop - first, first))
        self._verify()

    def end_of_sweep(self, fd: RangedFile) -> None:
        """End a tiled read: verify the file if too many ranges were read to record them, and restart.

        Raises FileFormatError if the checksum is wrong.
        """
        if self.unnoted >= self.cells[1] - self.cells[0]:
            self.verify(fd)
        if self.unnoted or self.is_verified:
            with _NOTING:
                self._forget()

    def verify(self, fd: RangedFile) -> None:
        """Read all bytes of the run; raises FileFormatError if their checksum is wrong."""
        with _NOTING:
            self._forget()
        for at in range(self.first, self.end, PIECE):
            self._note(at, fd.some(min(PIECE, self.end - at), at))
        self._verify()

    def _note(self, at: int, data: Bytes) -> None:
        """Add the checksums of the parts of `data`, at byte `at`, that were not read before."""
        end = at + len(data)
        with _NOTING:
            if len(self.seen.starts) >= MOST:
                read = sum(self.seen.ends) - sum(self.seen.starts)
                self._forget()
                self.unnoted = read
            if self.unnoted:
                self.unnoted += len(data)
            new = [] if self.unnoted or at == end else self.seen.add(at, end)
            self.under_way += 1
            sums = self.sums
        found = [(self.kind.of(data[a - at : b - at], a - self.first), self.end - b) for a, b in new]
        with _NOTING:
            sums += found  # a discarded list if another thread restarted meanwhile
            self.under_way -= 1
            if len(self.sums) >= TOGETHER:
                self.sums[:] = [(self._joined(), 0)]

    def _joined(self) -> int:
        """Return the checksum of all pieces joined."""
        values, behind = np.array(self.sums, np.int64).T
        return self.kind.joined(values, behind)

    def _verify(self) -> None:
        """Raise FileFormatError and restart if the checksum of all pieces is wrong; else record the success."""
        with _NOTING:
            found = self._joined() if self.sums else 0
            self.sums, self.is_verified = [], True
        for source, wanted in self.wanted.items():
            if found != wanted:
                with _NOTING:
                    self._forget()
                fact = f"has checksum {found:08x}, {source} says {wanted:08x}"
                raise FileFormatError(f"{self.form}: {self.name}: {fact}; {self.advice}")
