"""Small chunks: several are read at a time, each once, and none that no value needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.unit.sources.stream.large_files import same, units_read
from weft.ir.pieces.box import box_of
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.formats.hdf5 import open_hdf5
from weft.sources.stream.sweep import Sweep
from weft.sources.stream.units import units_of
from weft.sources.zarr.chunk_source import TouchedChunk
from weft.sources.zarr.zarr_array import ZarrArray, open_zarr
from weft.tensors.tensor import Tensor

CELLS = np.random.default_rng(5).random((400, 700))
CHUNK, LIMIT = (10, 20), 800 << 10  # chunks of 1600 bytes, of which two are read at a time


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "x.zarr"
    weft.save(path, CELLS, chunks=CHUNK, compressor="zstd")
    return path


@pytest.fixture
def chunks_read(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[int, ...]]:
    """Return the number of times each chunk is read, by its index in the grid."""
    found: Counter[tuple[int, ...]] = Counter()
    read = ZarrArray.read_chunk

    def noted(x: ZarrArray, held: Any, reader: Any, chunk: TouchedChunk, target: Any) -> None:
        found[chunk.index] += 1
        read(x, held, reader, chunk, target)

    monkeypatch.setattr(ZarrArray, "read_chunk", noted)
    return found


VALUES: dict[str, Callable[[Tensor], Tensor]] = {
    "mean": lambda x: x.mean(),
    "rows": lambda x: x.std(axis=0),
    "columns": lambda x: weft.cumulative_sum(x, axis=1).max(axis=1),
    "anomaly": lambda x: (x - x.mean(axis=0)).max(),
    "part": lambda x: x[17:211, 33:419].sum(axis=1),
    "rolled": lambda x: weft.roll(x, (7, 11), axis=(0, 1)).mean(axis=0),
    "steps": lambda x: x[::3, ::7].sum(),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_in_memory(store: Path, name: str, sweeps: list[Sweep[Any]]) -> None:
    want = VALUES[name](weft.asarray(CELLS)).numpy()
    with limited(LIMIT):
        assert same(VALUES[name](open_file(store)).numpy(), want)


def test_chunks_are_read_several_at_a_time_and_each_once(
    store: Path, sweeps: list[Sweep[Any]], chunks_read: Counter[tuple[int, ...]]
) -> None:
    with limited(LIMIT):
        x = open_file(store)
        (line,) = weft.explain(x.mean()).sweeps
        assert x.mean().item() == weft.asarray(CELLS).mean().item()
    units = units_read(sweeps)
    assert len(chunks_read) == 40 * 35 == line.reads == line.units == sum(u.chunks for u in units)
    assert set(chunks_read.values()) == {1} and len(units) <= 40 * 35 / 2 + 40


def test_chunks_that_no_value_needs_are_not_read(
    store: Path, chunks_read: Counter[tuple[int, ...]], sweeps: list[Sweep[Any]]
) -> None:
    with limited(LIMIT):
        assert open_file(store)[:, 205:545].mean().item() == weft.asarray(CELLS)[:, 205:545].mean().item()
    assert len(chunks_read) == 40 * 18 and set(chunks_read.values()) == {1}
    assert len(units_read(sweeps)) < len(chunks_read)


def test_anomalies_read_groups_once(store: Path, chunks_read: Counter[tuple[int, ...]], tmp_path: Path) -> None:
    with limited(LIMIT):
        x = open_file(store)
        weft.save(tmp_path / "y.npy", x - x.mean(axis=0))
    want = weft.asarray(CELLS) - weft.asarray(CELLS).mean(axis=0)
    assert np.array_equal(np.load(tmp_path / "y.npy"), want.numpy()) and set(chunks_read.values()) == {1}


def test_groups_are_no_larger_than_tiles(store: Path, sweeps: list[Sweep[Any]]) -> None:
    """Lines need all of one axis, so groups go along it, and a tile reads nothing beside it."""
    with limited(200 << 10):
        weft.sort(open_file(store), axis=0).sum(axis=1).numpy()
    with limited(LIMIT):
        weft.sort(open_file(store), axis=0).max(axis=0).numpy()
    for sweep in sweeps:
        for asked, step in zip(sweep.steps.read, sweep.steps.units, strict=True):
            wanted = sum([u.nbytes for u in step.wanted])
            plain = sum([n.nbytes for f, b in asked for n in units_of(f, b)])
            assert wanted <= 1.5 * plain


SHAPE = (23, 17)
SMALL = np.random.default_rng(3).integers(-(2**15), 2**15, SHAPE).astype("i4")
SOURCES: dict[str, Callable[[Path], Any]] = {
    "zarr": lambda p: made_zarr(p, compressor="gzip"),
    "plain zarr": lambda p: made_zarr(p),
    "shards": lambda p: made_zarr(p, shards=(10, 8)),
    "columns": lambda p: made_zarr(p, order="F", compressor="zstd"),
    "hdf5": lambda p: made_hdf5(p, compression="gzip", shuffle=True),
    "plain hdf5": lambda p: made_hdf5(p),
    "library": lambda p: made_hdf5(p, compression="lzf"),
}


def made_zarr(folder: Path, **options: Any) -> Any:
    weft.save(folder / "a.zarr", SMALL, chunks=(5, 4), **options)
    for part in sorted((folder / "a.zarr").rglob("*"))[-3:-1]:  # one that is not stored
        if part.is_file() and part.name != "zarr.json":
            part.unlink()
    return open_zarr(str(folder / "a.zarr"))


def made_hdf5(folder: Path, **options: Any) -> Any:
    with h5py.File(folder / "a.h5", "w") as file:
        d = file.create_dataset("a", SHAPE, "i4", chunks=(5, 4), fillvalue=7, **options)
        d[:15] = SMALL[:15]
    return open_hdf5(str(folder / "a.h5"), "a")


@pytest.mark.parametrize("kind", SOURCES)
@given(st.data())
@settings(max_examples=10)
def test_boxes_of_chunks_are_what_is_gathered(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    source = SOURCES[kind](tmp_path_factory.mktemp("chunks"))
    first = [data.draw(st.integers(0, -(-n // c) - 1)) for n, c in zip(SHAPE, source.chunks, strict=True)]
    last = [data.draw(st.integers(a, -(-n // c) - 1)) for a, n, c in zip(first, SHAPE, source.chunks, strict=True)]
    start = tuple([a * c for a, c in zip(first, source.chunks, strict=True)])
    ends = [min((b + 1) * c, n) for b, c, n in zip(last, source.chunks, SHAPE, strict=True)]
    box = box_of(tuple([e - a for e, a in zip(ends, start, strict=True)]), start)
    target = np.zeros(SHAPE, "i4")
    source.gather([box], target)
    found = source.blocks(box)
    assert found.shape == box.size and np.array_equal(found, target[box.slices])
