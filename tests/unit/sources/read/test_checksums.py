"""Sums over pieces are those of the whole, in any order."""

from __future__ import annotations

import itertools
import random
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import FileFormatError
from weft.sources.read import checksums
from weft.sources.read.byte_ranges import LocalFile
from weft.sources.read.checksums import CRC32, ONES, WORDS, SeenBytes, StoredSum, Sum, joined_crc32, sum_of_words


@given(st.binary(max_size=70), st.binary(max_size=70))
def test_sums_are_joined(a: bytes, b: bytes) -> None:
    assert joined_crc32(np.array([zlib.crc32(b), zlib.crc32(a)]), np.array([0, len(b)])) == zlib.crc32(a + b)
    assert (sum_of_words(a) + sum_of_words(b, len(a))) % ONES == sum_of_words(a + b)


@pytest.mark.parametrize("behind", [255, 256, 70_000, 2**24 + 3])
def test_many_bytes_behind_a_piece(behind: int) -> None:
    sums = np.array([zlib.crc32(b"weft"), zlib.crc32(bytes(behind))])
    assert joined_crc32(sums, np.array([behind, 0])) == zlib.crc32(b"weft" + bytes(behind))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12))))
def test_ranges_that_were_seen(ranges: list[tuple[int, int]]) -> None:
    seen, known = SeenBytes(), set[int]()
    for first, size in ranges:
        new = [at for a, b in seen.add(first, first + size) for at in range(a, b)]
        assert new == [at for at in range(first, first + size) if at not in known]
        known |= set(new)
        kept = list(zip(seen.starts, seen.ends, strict=True))
        assert {at for a, b in kept for at in range(a, b)} == known
        assert all(b < a for (_, b), (a, _) in itertools.pairwise(kept))  # neighbours are one
        assert seen.covers(3, 9) == (known >= set(range(3, 9)))


def test_words_are_big_endian_and_wrap() -> None:
    words = np.array([2**32 - 2, 5, 7], ">u4")
    assert sum_of_words(words.tobytes()) == (2**32 - 2 + 12) % (2**32 - 1)


@pytest.mark.parametrize(("kind", "of"), [(CRC32, zlib.crc32), (WORDS, sum_of_words)])
@pytest.mark.parametrize("wrong", [0, 1])
def test_pieces_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Sum, of: object, wrong: int
) -> None:
    monkeypatch.setattr(checksums, "TOGETHER", 7)
    data = random.Random(0).randbytes(1003)
    (tmp_path / "x").write_bytes(data)
    run = (10, 1000)
    sums = StoredSum("npz", "x::a", kind, run, (31, 990), {"its card": of(data[10:1000]) ^ wrong}, "restore it")  # type: ignore[operator]
    with open(tmp_path / "x", "rb") as file:

        def read(first: int, end: int) -> None:
            memory = bytearray(end - first)
            sums.read(LocalFile(file.fileno()), first, memoryview(memory))
            assert memory == data[first:end]

        for seed in range(3):
            cuts = [31, *sorted(random.Random(seed).sample(range(32, 990), 20)), 990]
            pieces = list(itertools.pairwise(cuts))
            random.Random(seed).shuffle(pieces)
            pieces.insert(9, pieces[3])  # read twice
            *most, last = pieces
            read(500, 800)  # by what was given up then
            for piece in most:
                read(*piece)
            if wrong:
                with pytest.raises(FileFormatError, match=r"npz: x::a: has checksum \w+, its card says \w+; restore"):
                    read(*last)
            else:
                read(*last)
            assert not sums.sums
            sums.begin()
            assert not sums.seen.starts


@pytest.mark.parametrize("wrong", [0, 1])
def test_more_ranges_than_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: int) -> None:
    monkeypatch.setattr(checksums, "MOST", 4)
    data = random.Random(0).randbytes(100)
    (tmp_path / "x").write_bytes(data)
    sums = StoredSum("npz", "x::a", CRC32, (0, 100), (0, 100), {"its card": zlib.crc32(data) ^ wrong}, "restore it")
    with open(tmp_path / "x", "rb") as file:
        for parts in (range(0, 100, 10), range(0, 90, 10)):
            for first in (*parts[::2], *parts[1::2]):
                sums.read(LocalFile(file.fileno()), first, memoryview(bytearray(10)))
            if wrong and len(parts) == 10:
                with pytest.raises(FileFormatError, match="has checksum"):
                    sums.end_of_sweep(LocalFile(file.fileno()))
            else:
                sums.end_of_sweep(LocalFile(file.fileno()))
