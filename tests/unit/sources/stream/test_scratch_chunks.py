"""Lines across more chunks than memory holds: chunks are decoded once to scratch, and nothing of it stays."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import weft
from tests.shares import in_turn
from weft.errors import WriteError
from weft.ir.pieces.box import Box
from weft.runtime.memory.limits import limited
from weft.sources.stream.scratch_chunks import ScratchChunks
from weft.sources.stream.units import ReadUnit
from weft.sources.write.scratch_file import ScratchFile
from weft.sources.zarr.zarr_array import ZarrArray
from weft.tensors.tensor import Tensor

SHAPE, CHUNK = (150, 70, 70), (20, 64, 32)
CHUNKS = 8 * 2 * 3
LIMIT = 500_000  # bytes: two columns of chunks take 2 600 000

PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "sorted": lambda x: weft.sort(x, axis=0),
    "reversed and sorted": lambda x: weft.sort(x[::-1], axis=0),
    "of a part": lambda x: weft.sort(x[7:140, 3:, ::2] * 2, axis=0),
}


def opened(tmp_path: Path, dtype: str = "f4") -> tuple[NDArray[Any], Tensor]:
    array = (np.random.default_rng(0).standard_normal(SHAPE) * 100).astype(dtype)
    weft.save(tmp_path / "x.zarr", array, chunks=CHUNK, dtype=dtype)
    return array, weft.open(tmp_path / "x.zarr")


@pytest.mark.parametrize(("name", "dtype"), in_turn(PROGRAMS, ["f4", ">f8", "i2"], every=3))
def test_bits_of_the_whole_with_each_chunk_decoded_once(
    tmp_path: Path, name: str, dtype: str, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    array, x = opened(tmp_path, dtype)
    blocks: list[Any] = []
    block = ZarrArray.block

    def noted(self: Any, index: Any) -> Any:
        blocks.append(index)
        return block(self, index)

    monkeypatch.setattr(ZarrArray, "block", noted)
    limit = LIMIT * array.itemsize // 4
    with limited(limit):
        said = weft.explain(PROGRAMS[name](x)).sweeps
    assert len(said) == 1 and said[0].peak <= limit and "bytes of chunks decoded to scratch" in said[0].what
    weft.save(tmp_path / "out.zarr", PROGRAMS[name](x), memory=limit)
    assert len(blocks) == len(set(blocks)) <= CHUNKS
    want = PROGRAMS[name](weft.asarray(array)).numpy()
    np.testing.assert_array_equal(weft.open(tmp_path / "out.zarr").numpy(), want)
    assert not os.listdir(scratch)


def test_quantiles_over_time(tmp_path: Path, scratch: Path) -> None:
    array, x = opened(tmp_path)
    with limited(LIMIT):
        got = weft.quantile(x, 0.9, axis=0).numpy()
    np.testing.assert_array_equal(got, weft.quantile(weft.asarray(array), 0.9, axis=0).numpy())


def test_places_are_used_again_behind_the_last_tile_that_reads_them(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sort over time of two bands of chunks: the file has places for one of them."""
    array, x = opened(tmp_path)
    places: set[int] = set()
    place = ScratchFile.place

    def noted(self: ScratchFile, nbytes: int) -> int:
        places.add(found := place(self, nbytes))
        return found

    monkeypatch.setattr(ScratchFile, "place", noted)
    with limited(LIMIT):
        (said,) = weft.explain(weft.sort(x[:, :, :32], axis=0)).sweeps
        got = weft.sort(x[:, :, :32], axis=0).numpy()
    np.testing.assert_array_equal(got, np.sort(array[:, :, :32], axis=0))
    assert said.scratch == len(places) * prod(CHUNK) * 4 < said.units * prod(CHUNK) * 4


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sums_over_all_of_narrow_chunks_read_rows_of_copies(tmp_path: Path, dtype: str, decoded: Counter[Any]) -> None:
    """Nearly all cells of a chunk of 8 columns would wait for others of their block of 1024."""
    array = (np.random.default_rng(0).standard_normal((60, 80, 80)) * 100).astype(dtype)
    weft.save(tmp_path / "x.zarr", array, chunks=(60, 8, 8), compressor="zstd")
    x = weft.open(tmp_path / "x.zarr")
    limit = 75_000 * array.itemsize
    with limited(limit):
        (said,) = weft.explain(x.sum()).sweeps
        got = x.sum().item()
    assert "decoded to scratch" in said.what and said.peak <= limit
    assert got == weft.asarray(array).sum().item()
    assert set(decoded.values()) == {1} and len(decoded) == 100


@pytest.mark.usefixtures("full_scratch")
def test_scratch_without_room(tmp_path: Path) -> None:
    _, x = opened(tmp_path)
    with pytest.raises(WriteError, match=r"scratch: \d+ bytes for decoded chunks; 1000 bytes are free"):
        weft.save(tmp_path / "out.zarr", PROGRAMS["sorted"](x), memory=LIMIT)
    assert sorted(os.listdir(tmp_path)) == ["scratch", "x.zarr"]


def test_chunks_are_decoded_again_where_the_disk_takes_them_no_longer(
    tmp_path: Path, decoded: Counter[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    array, x = opened(tmp_path)
    left, write = iter(range(5)), ScratchFile.write

    def until_full(self: ScratchFile, at: int, cells: Any) -> None:
        if next(left, None) is None:
            raise WriteError("the disk is full")
        write(self, at, cells)

    monkeypatch.setattr(ScratchFile, "write", until_full)
    with limited(LIMIT):
        got = weft.sort(x[:, :16, :16], axis=0).numpy(), weft.sort(x, axis=0)[:, ::9, ::9].numpy()
    assert max(decoded.values()) > 1
    for found, want in zip(
        got, (np.sort(array, axis=0)[:, :16, :16], np.sort(array, axis=0)[:, ::9, ::9]), strict=True
    ):
        np.testing.assert_array_equal(found, want)


def test_a_fault_of_a_chunk_closes_the_scratch_file(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, x = opened(tmp_path)
    copies: list[ScratchChunks] = []
    read_box, turns, read = ScratchChunks.read_box, iter(range(1000)), ReadUnit.read

    def noted(self: ScratchChunks, box: Box) -> Any:
        copies.extend([self] if self not in copies else [])
        return read_box(self, box)

    def damaged(self: ReadUnit) -> Any:
        if next(turns) == 20:
            raise KeyboardInterrupt
        return read(self)

    monkeypatch.setattr(ScratchChunks, "read_box", noted)
    monkeypatch.setattr(ReadUnit, "read", damaged)
    with pytest.raises(KeyboardInterrupt):
        weft.save(tmp_path / "out.zarr", PROGRAMS["sorted"](x), memory=LIMIT)
    assert [c.spilled.file.fd for c in copies if c.spilled.file is not None] == [-1]
    assert sorted(os.listdir(tmp_path)) == ["scratch", "x.zarr"] and not os.listdir(scratch)


def test_products_read_their_copies_as_a_whole(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    x, y = [random.integers(0, 9, shape).astype("u1") for shape in ((120, 70), (70, 90))]
    weft.save(tmp_path / "x.zarr", x, chunks=(40, 30))
    weft.save(tmp_path / "y.zarr", y, chunks=(25, 40))
    with limited(30_000):
        weft.save(tmp_path / "z.zarr", weft.open(tmp_path / "x.zarr")[::-1] @ weft.open(tmp_path / "y.zarr"))
    assert weft.open(tmp_path / "z.zarr").numpy().tobytes() == (x[::-1] @ y).tobytes()


def test_cells_between_those_used_may_lie_in_chunks_that_are_not_decoded(tmp_path: Path, scratch: Path) -> None:
    """Every ninth cell of all in a row: the last chunk, of two cells, has none of them."""
    array = np.arange(301 * 257.0, dtype="f4").reshape(301, 257)
    weft.save(tmp_path / "x.zarr", array, chunks=(100, 85), compressor="gzip")
    with limited(65_536):
        got = (weft.open(tmp_path / "x.zarr") * 2).reshape(-1)[5::9].numpy()
    np.testing.assert_array_equal(got, (array * 2).reshape(-1)[5::9])
    assert not os.listdir(scratch)


def test_short_runs_are_written_as_long_ones(tmp_path: Path, scratch: Path) -> None:
    """Chunks of whole series become maps, in a file whose cells have addresses: 64 bytes of a chunk lie together."""
    array = np.random.default_rng(0).standard_normal((400, 64, 64)).astype("f4")
    weft.save(tmp_path / "x.zarr", array, chunks=(400, 16, 16))
    x = weft.open(tmp_path / "x.zarr")
    for limit in ("2MiB", "4MiB"):
        (said,) = weft.explain(x, path=tmp_path / "out.npy", memory=limit).sweeps
        assert said.scratch == array.nbytes and said.tile[1:] == (64, 64)
        assert said.reads == said.units == 16
        weft.save(tmp_path / "out.npy", x, memory=limit)
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), array)
    (said,) = weft.explain(x[:, :, :16], path=tmp_path / "one.npy", memory="4MiB").sweeps
    assert said.scratch == 0  # whose rows chunks hold
    assert not os.listdir(scratch)
