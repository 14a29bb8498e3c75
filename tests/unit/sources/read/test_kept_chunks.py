"""Chunks kept for the next program: decoded once in a loop, within a share of the limit, never stale."""

from __future__ import annotations

import gc
import os
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.runtime.memory.limits import limited
from weft.sources.formats.hdf5_array import Hdf5Chunks
from weft.sources.read import kept_chunks
from weft.sources.read.kept_chunks import keep_at_most, kept_room
from weft.sources.zarr.zarr_array import ZarrArray
from weft.tensors.tensor import node_of

VALUES = np.random.default_rng(0).random((40, 60, 50))  # chunks of 10 x 30 x 50, of 120 000 bytes each
MAKE: dict[str, Callable[[Path, Any], Path]] = {
    "zarr": lambda folder, x: saved(folder / "x.zarr", x, compressor="zstd"),
    "hdf5": lambda folder, x: saved(folder / "x.h5", x, compression="gzip"),
}


def saved(path: Path, x: Any, **options: Any) -> Path:
    weft.save(path, x, chunks=(10, 30, 50), **options)
    return path


def held() -> int:
    return sum([chunks.nbytes for chunks in kept_chunks._KEPT.values()])


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    keep_at_most(0)
    yield
    keep_at_most(0)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[int, ...]]:
    """Return the number of times each chunk is decoded as a whole."""
    found: Counter[tuple[int, ...]] = Counter()
    for kind in (ZarrArray, Hdf5Chunks):
        block = kind.block

        def noted(self: Any, index: tuple[int, ...], block: Any = block) -> Any:
            found[index] += 1
            return block(self, index)

        monkeypatch.setattr(kind, "block", noted)
    return found


@pytest.mark.parametrize("kind", MAKE)
def test_a_loop_decodes_each_chunk_once(kind: str, tmp_path: Path, decoded: Counter[tuple[int, ...]]) -> None:
    x = weft.open(MAKE[kind](tmp_path, VALUES))
    for t in range(0, 40, 3):
        assert x[t].max().item() == VALUES[t].max()
        np.testing.assert_array_equal(x[t, ::7, 3].numpy(), VALUES[t, ::7, 3])
    assert decoded == {(i, j, 0): 1 for i in range(4) for j in range(2)}
    assert held() == VALUES.nbytes


@pytest.mark.parametrize("kind", MAKE)
def test_explain_counts_what_need_not_be_read(kind: str, tmp_path: Path) -> None:
    x = weft.open(MAKE[kind](tmp_path, VALUES))
    before = weft.explain(x[3].max()).sources[0]
    assert before.kept == 0 and before.bytes > 0
    x[3, 31:].max().item()
    between = weft.explain(x[4].max())
    assert between.sources[0].kept == 1 and 0 < between.sources[0].bytes < before.bytes
    assert "; 1 chunk decoded before" in str(between)
    x[3].max().item()
    after = weft.explain(x[4].max())
    assert after.sources[0].kept == 2 and after.sources[0].bytes == 0 == after.sources[0].reads
    assert "0 bytes in 0 reads; 2 chunks decoded before" in str(after) and "2 chunks decoded before" in after.html()


@pytest.mark.parametrize("kind", MAKE)
def test_whole_chunks_are_not_kept(kind: str, tmp_path: Path) -> None:
    x = weft.open(MAKE[kind](tmp_path, VALUES))
    assert x[10:20].max().item() == VALUES[10:20].max() and held() == 0


def test_chunks_that_were_used_longest_ago_go_first(
    tmp_path: Path, decoded: Counter[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_chunks, "UNSET", 5 * 120_000)
    x = weft.open(MAKE["zarr"](tmp_path, VALUES))
    for t in (0, 10, 0, 20, 0):
        x[t].max().item()
        assert held() <= 5 * 120_000
    assert decoded[0, 0, 0] == 1  # used in between
    x[10].max().item()
    assert decoded[1, 0, 0] == 2


def test_more_than_is_kept_is_read_as_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_chunks, "UNSET", 3 * 120_000)
    x = weft.open(MAKE["zarr"](tmp_path, VALUES))
    assert x[::2, 5].max().item() == VALUES[::2, 5].max() and held() == 0


def test_the_room_is_half_of_a_limit_or_what_programs_leave_of_it() -> None:
    assert kept_room() == 64 << 20
    for limit, room in (("64MiB", 32), ("1GiB", 512), ("24MiB", 8), ("16MiB", 0), ("1MiB", 0)):
        with limited(limit):
            assert kept_room() == room << 20


def test_work_tile_by_tile_has_the_limit_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = weft.open(MAKE["zarr"](tmp_path, VALUES))
    x[3].max().item()
    assert held() == 240_000
    with limited(300_000):
        assert x.max().item() == VALUES.max()
    assert held() == 0


def test_a_chunk_whose_file_was_written_is_read_again(tmp_path: Path) -> None:
    path = MAKE["zarr"](tmp_path, VALUES)
    x = weft.open(path)
    assert x[3].max().item() == VALUES[3].max()
    other = saved(tmp_path / "other.zarr", VALUES + 1, compressor="zstd")
    os.replace(other / "c" / "0" / "0" / "0", path / "c" / "0" / "0" / "0")  # as others write into a store
    assert x[3, 2, 1].item() == VALUES[3, 2, 1] + 1 and x[3, 40, 1].item() == VALUES[3, 40, 1]
    os.unlink(path / "c" / "0" / "1" / "0")
    assert x[3, 40, 1].item() == 0.0  # the fill value


@pytest.mark.parametrize("kind", MAKE)
def test_a_file_in_the_place_of_another_is_refused(kind: str, tmp_path: Path) -> None:
    x = weft.open(MAKE[kind](tmp_path, VALUES))
    x[3].max().item()
    MAKE[kind](tmp_path, VALUES + 1)
    with pytest.raises(weft.errors.FileFormatError, match="changed"):
        x[3].max().item()


@pytest.mark.parametrize("kind", MAKE)
def test_chunks_go_with_the_last_tensor_over_their_file(kind: str, tmp_path: Path) -> None:
    x = weft.open(MAKE[kind](tmp_path, VALUES))
    x[3].max().item()
    source = weakref.ref(node_of(x).inputs[0].attrs[0])
    assert held() == 240_000
    del x
    gc.collect()
    assert source() is None and held() == 0
