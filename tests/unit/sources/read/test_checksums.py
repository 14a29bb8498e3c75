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
from weft.sources.read.checksums import CRC32, ONES, WORDS, StoredSum, Sum, joined_crc32, sum_of_words


@given(st.binary(max_size=70), st.binary(max_size=70))
def test_sums_are_joined(a: bytes, b: bytes) -> None:
    assert joined_crc32(zlib.crc32(a), zlib.crc32(b), len(b)) == zlib.crc32(a + b)
    assert (sum_of_words(a) + sum_of_words(b, len(a))) % ONES == sum_of_words(a + b)


def test_words_are_big_endian_and_wrap() -> None:
    words = np.array([2**32 - 2, 5, 7], ">u4")
    assert sum_of_words(words.tobytes()) == (2**32 - 2 + 12) % (2**32 - 1)


@pytest.mark.parametrize(("kind", "of"), [(CRC32, zlib.crc32), (WORDS, sum_of_words)])
@pytest.mark.parametrize("wrong", [0, 1])
def test_pieces_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Sum, of: object, wrong: int
) -> None:
    monkeypatch.setattr(checksums, "LEAST", 1)
    data = random.Random(0).randbytes(1003)
    (tmp_path / "x").write_bytes(data)
    run = (10, 1000)
    sums = StoredSum("npz", "x::a", kind, run, (31, 990), {"its card": of(data[10:1000]) ^ wrong}, "restore it")  # type: ignore[operator]
    with open(tmp_path / "x", "rb") as file:

        def read(first: int, end: int) -> None:
            memory = bytearray(end - first)
            sums.read(file.fileno(), first, memoryview(memory))
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
            assert not sums.pieces


def test_small_pieces_of_a_large_run_are_not_noted(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(bytes(1 << 20))
    sums = StoredSum("npz", "x::a", CRC32, (0, 1 << 20), (0, 1 << 20), {}, "")
    with open(tmp_path / "x", "rb") as file:
        sums.read(file.fileno(), 0, memoryview(bytearray(100)))
        assert not sums.pieces
        sums.read(file.fileno(), 0, memoryview(bytearray(1 << 16)))
        assert list(sums.pieces) == [0]
