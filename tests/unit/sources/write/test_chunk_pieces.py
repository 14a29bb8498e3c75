"""Tiles that lie across chunks: every chunk is written once, and the scratch file leaves nothing behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import weft
from weft import dtypes as dt
from weft.errors import WriteError
from weft.ir.pieces.box import box_of
from weft.sources.stream import tiling
from weft.sources.write.chunk_pieces import ChunkPieces
from weft.sources.write.scratch_file import ScratchFile
from weft.sources.write.sink import Field, Sink
from weft.sources.zarr.zarr_write import ZarrSink

SHAPE = (60, 40, 40)
NBYTES = 60 * 40 * 40 * 4
MAPS, SERIES = (5, 40, 40), (60, 8, 8)


class Whole(Sink):
    """A sink that takes whole chunks alone, each once."""

    def __init__(self, shape: tuple[int, ...], tile: tuple[int, ...] | None) -> None:
        self.tile, self.cells, self.times = tile, np.zeros(shape, "f4"), np.zeros(shape, int)

    def write(self, start: tuple[int, ...], values: NDArray[Any]) -> None:
        box = box_of(values.shape, start)
        if self.tile is not None:
            ends = zip(start, values.shape, self.tile, self.cells.shape, strict=True)
            assert all(a % c == 0 and ((a + n) % c == 0 or a + n == m) for a, n, c, m in ends)
        self.cells[box.slices] = values
        self.times[box.slices] += 1


@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple),
    sizes=st.lists(st.integers(1, 5), min_size=6, max_size=6),
    random=st.randoms(use_true_random=False),
    chunked=st.booleans(),
)
@settings(max_examples=50)
def test_chunks_come_whole_and_once(shape: Any, sizes: list[int], random: Any, chunked: bool) -> None:
    chunk, tile = tuple(sizes[: len(shape)]), tuple(sizes[3 : 3 + len(shape)])
    cells = np.arange(np.prod(shape), dtype="f4").reshape(shape)
    sink = Whole(shape, chunk if chunked else None)
    pieces = ChunkPieces(Field(dt.float32, False, shape), sink)
    starts = [tuple(i * n for i, n in zip(at, tile, strict=True)) for at in np.ndindex(shape)]
    starts = [a for a in starts if all(x < n for x, n in zip(a, shape, strict=True))]
    random.shuffle(starts)
    for start in starts:
        pieces.write(start, cells[tuple(slice(a, a + n) for a, n in zip(start, tile, strict=True))])
    pieces.close()
    np.testing.assert_array_equal(sink.cells, cells)
    assert (sink.times == 1).all()


@pytest.fixture
def _small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "LEAST_TILE", 1)


def saved_again(tmp_path: Path, of: tuple[int, ...], to: tuple[int, ...], **options: Any) -> Path:
    array = np.random.default_rng(0).standard_normal(SHAPE, np.float32)
    weft.save(tmp_path / "in.zarr", array, chunks=of)
    out = tmp_path / "out.zarr"
    weft.save(out, weft.open(tmp_path / "in.zarr"), chunks=to, **options)
    np.testing.assert_array_equal(weft.open(out).numpy(), array)
    return out


@pytest.mark.usefixtures("_small_tiles")
@pytest.mark.parametrize("compressor", [None, "gzip"])
@pytest.mark.parametrize(("of", "to"), [(MAPS, SERIES), (SERIES, MAPS)], ids=["to series", "to maps"])
def test_rechunking_writes_each_chunk_once(
    tmp_path: Path, of: Any, to: Any, compressor: str | None, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Any] = []
    write = ZarrSink._write_chunk

    def noted(self: ZarrSink, index: Any, *arguments: Any) -> None:
        written.append((self.path, index))
        write(self, index, *arguments)

    monkeypatch.setattr(ZarrSink, "_write_chunk", noted)
    saved_again(tmp_path, of, to, memory=NBYTES // 4, compressor=compressor)
    assert len(written) == len(set(written))
    assert not os.listdir(scratch)


@pytest.mark.usefixtures("_small_tiles", "full_scratch")
def test_a_scratch_folder_that_is_full(tmp_path: Path) -> None:
    with pytest.raises(
        WriteError, match=rf"{NBYTES} bytes for parts of chunks; 1000 bytes are free; raise the memory limit"
    ):
        saved_again(tmp_path, MAPS, SERIES, memory=NBYTES // 4)
    assert sorted(os.listdir(tmp_path)) == ["in.zarr", "scratch"]


@pytest.mark.usefixtures("_small_tiles")
@pytest.mark.parametrize(("call", "fact"), [("pwrite", "written to"), ("preadv", "read")])
def test_a_disk_that_fails_later(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch, call: str, fact: str
) -> None:
    files: list[ScratchFile] = []
    made, real = ScratchFile.__init__, getattr(os, call)

    def noted(self: ScratchFile, *arguments: Any) -> None:
        files.append(self)
        made(self, *arguments)

    def failing(fd: int, *arguments: Any) -> int:
        if fd in [f.fd for f in files]:
            raise OSError(errno.EIO, "Input/output error")
        return int(real(fd, *arguments))

    monkeypatch.setattr(ScratchFile, "__init__", noted)
    monkeypatch.setattr(os, call, failing)
    with pytest.raises(WriteError, match=f"scratch: {scratch}: cannot be {fact}; input/output error; raise the memory"):
        saved_again(tmp_path, MAPS, SERIES, memory=NBYTES // 4)
    assert sorted(os.listdir(tmp_path)) == ["in.zarr", "scratch"] and not os.listdir(scratch)
    assert files and all(f.fd < 0 for f in files)


def test_chunks_that_a_tile_completes_are_encoded_by_two_threads() -> None:
    both = Barrier(2, timeout=60.0)

    class Concurrent(Whole):
        concurrent = True

        def write(self, start: tuple[int, ...], values: NDArray[Any]) -> None:
            both.wait()  # raises BrokenBarrierError if no other thread comes
            super().write(start, values)

    sink = Concurrent((512, 1024), (256, 512))
    array = np.arange(512 * 1024, dtype="f4").reshape(512, 1024)
    pieces = ChunkPieces(Field(dt.float32, False, array.shape), sink)
    before = weft.get_num_threads()
    weft.set_num_threads(2)
    try:
        pieces.write((0, 0), array[:, :64])
        pieces.write((0, 64), array[:, 64:])
    finally:
        weft.set_num_threads(before)
        pieces.close()
    assert (sink.times == 1).all() and np.array_equal(sink.cells, array)
