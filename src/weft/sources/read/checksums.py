"""Checksums that files store of their bytes, verified once all of these were read, in pieces of any order.

The one idea: sums of neighbouring pieces can be joined without their bytes, so a piece is summed when it is read, and
the sum over the whole is known when the last piece came.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from weft.backends.thread_sharing import share
from weft.errors import FileFormatError
from weft.runtime.fork_safety import held_over_forks
from weft.sources.read.byte_ranges import Descriptor, read_exactly, read_some

Bytes = bytes | memoryview | NDArray[np.uint8]
LEAST = 1 << 16  # bytes of a piece that is summed, if it is not the whole
PIECE = 1 << 20  # bytes that are summed while they are in the cache
FLETCHER_WORDS = 1 << 15  # words whose weighted sum is exact in float64
FALLING = np.arange(FLETCHER_WORDS, 0.0, -1.0)
MOST = 4096  # pieces that are kept
_NOTING = held_over_forks(RLock())  # files are read by several threads
REFLECTED = 0xEDB88320  # the polynomial of CRC-32, its highest power in the lowest bit


def fletcher32(data: Bytes) -> int:
    """Return the Fletcher-32 checksum of bytes as HDF5 stores it, over words of two bytes, the first one the higher.

    >>> hex(fletcher32(b"abcdef"))
    '0x50562a2d'
    """
    view = memoryview(data)
    words = np.frombuffer(view[: len(view) // 2 * 2], ">u2")
    low = high = 0
    for first in range(0, len(words), FLETCHER_WORDS):
        part = words[first : first + FLETCHER_WORDS].astype(np.float64)
        total = int(part.sum())
        high += len(part) * low + int(np.dot(part, FALLING[-len(part) :]))  # exact: below 2**53
        low += total
    if len(view) % 2:
        low += view[-1] << 8
        high += low
    return _ones_complement(high) << 16 | _ones_complement(low)


def _ones_complement(total: int) -> int:
    """Return a sum of words, each carry of which was added to it: 0 only if all words are."""
    return (total - 1) % 0xFFFF + 1 if total else 0


# ---- CRC-32, whose joining is a product of polynomials


def _product(a: int, b: int) -> int:
    """Return the product of two polynomials over bits, modulo that of CRC-32."""
    found, bit = 0, 1 << 31
    while bit:
        if a & bit:
            found ^= b
        b = b >> 1 ^ (REFLECTED if b & 1 else 0)
        bit >>= 1
    return found


@lru_cache(maxsize=256)
def _shifted(nbytes: int) -> int:
    """Return the polynomial that a sum is multiplied by when `nbytes` bytes follow."""
    found, square, bits = 1 << 31, 1 << 30, 8 * nbytes
    while bits:
        if bits & 1:
            found = _product(square, found)
        square, bits = _product(square, square), bits >> 1
    return found


def joined_crc32(first: int, second: int, nbytes: int) -> int:
    """Return the CRC-32 of two runs, one behind the other, from theirs; `nbytes` is the length of the second.

    >>> joined_crc32(zlib.crc32(b"ab"), zlib.crc32(b"cde"), 3) == zlib.crc32(b"abcde")
    True
    """
    return _product(_shifted(nbytes), first) ^ second


# ---- the sum of FITS: words of 32 bits, most significant byte first, modulo 2**32 - 1

ONES = 2**32 - 1


def sum_of_words(data: Bytes, at: int = 0) -> int:
    """Return the sum of words modulo 2**32 - 1 of bytes that begin at byte `at` of a run.

    >>> sum_of_words(bytes([0, 0, 1, 2])), sum_of_words(bytes([1, 2]), 2)
    (258, 258)
    """
    whole = len(data) // 4 * 4
    words = int(np.frombuffer(data, ">u4", whole // 4).sum(dtype=np.uint64))
    rest = int.from_bytes(bytes(data[whole:]).ljust(4, b"\0"), "big")
    return (words + rest << 8 * (-at % 4)) % ONES


@dataclass(frozen=True, slots=True)
class Sum:
    """A kind of checksum: that of bytes from byte `at` of the run, and that of two pieces, the second of `nbytes`."""

    of: Callable[[Bytes, int], int]
    joined: Callable[[int, int, int], int]


CRC32 = Sum(lambda data, at: zlib.crc32(data), joined_crc32)
WORDS = Sum(sum_of_words, lambda first, second, nbytes: (first + second) % ONES)


class StoredSum:
    """The checksum of bytes `first` to `end` of a file, of which `cells` (first, end) are read as cells.

    `wanted` gives the right sum by what says it in the file.
    """

    def __init__(
        self, form: str, name: str, kind: Sum, run: tuple[int, int], cells: tuple[int, int], wanted: Mapping[str, int],
        advice: str,
    ) -> None:  # fmt: skip
        self.form, self.name, self.kind, self.wanted, self.advice = form, name, kind, wanted, advice
        self.first, self.end = run
        self.cells = cells
        self.pieces: dict[int, tuple[int, int]] = {}  # where a piece begins → where it ends, its sum
        self.noted = 0  # bytes of pieces, some perhaps twice

    def read(self, fd: Descriptor, at: int, target: memoryview, is_filled: bool = False) -> None:
        """Fill `target` with the cells at byte `at`, unless it `is_filled`, on several threads where they are many.

        Raises FileFormatError if the file ends before, or if these were the last cells and the sum is wrong.
        """
        begin, end = self.cells
        if len(target) < min(end - begin, max(LEAST, (end - begin) // MOST)):
            if not is_filled:
                read_exactly(self.name, fd, at, target)
            return

        def piece(first: int) -> None:
            part = target[first : first + PIECE]
            if not is_filled:
                read_exactly(self.name, fd, at + first, part)
            self._note(at + first, part)

        share(range(0, len(target), PIECE), piece, len(target))
        if self.noted >= end - begin and self._chain(begin, end):
            self._note(self.first, read_some(fd, begin - self.first, self.first))
            self._note(end, read_some(fd, self.end - end, end))
            self._verify()

    def verify(self, fd: Descriptor) -> None:
        """Read all of the bytes; raises FileFormatError if their sum is wrong."""
        for at in range(self.first, self.end, PIECE):
            self._note(at, read_some(fd, min(PIECE, self.end - at), at))
        self._verify()

    def _note(self, at: int, data: Bytes) -> None:
        value = self.kind.of(data, at - self.first)
        with _NOTING:
            if len(data):
                self.pieces[at] = at + len(data), value
                self.noted += len(data)

    def _chain(self, at: int, end: int) -> list[tuple[int, int]]:
        """Return (bytes, sum) of the pieces that follow one another from `at` to `end`; none if they do not."""
        found = []
        with _NOTING:
            while at < end:
                if at not in self.pieces:
                    return []
                until, value = self.pieces[at]
                found.append((until - at, value))
                at = until
        return found

    def _verify(self) -> None:
        """Raise FileFormatError if all pieces are there and their sum is not the one wanted; forget them."""
        chain = self._chain(self.first, self.end)
        with _NOTING:
            self.pieces.clear()
            self.noted = 0
        found = reduce(lambda whole, piece: self.kind.joined(whole, piece[1], piece[0]), chain, 0)
        for source, wanted in self.wanted.items() if chain else ():
            if found != wanted:
                fact = f"has checksum {found:08x}, {source} says {wanted:08x}"
                raise FileFormatError(f"{self.form}: {self.name}: {fact}; {self.advice}")
