"""Units of reading: chunks and boxes of every source, against what it gathers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.unit.sources.netcdf_classic import classic
from weft.errors import FileFormatError
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box, box_of
from weft.runtime.memory.limits import limited
from weft.sources.formats.hdf5 import open_hdf5
from weft.sources.formats.hdf5_array import Hdf5Chunks
from weft.sources.formats.netcdf import open_netcdf
from weft.sources.read.loading import open_source
from weft.sources.source import as_bits, storage_dtype
from weft.sources.stream.units import chunks_of, units_of, window
from weft.tensors.tensor import node_of

SHAPE = (23, 17)
CELLS = np.random.default_rng(3).integers(-(2**40), 2**40, SHAPE)


def file_of(source: Any) -> Node:
    return node_of(open_source(source)).inputs[0]


def read(source: Any, box: Box) -> np.ndarray:
    file = file_of(source)
    found = window(file, box, [(u.box, u.read()) for u in units_of(file, box)])
    if found.alias is None:
        return found.value
    whole = found.alias[0].value
    return np.ndarray(found.desc.shape, whole.dtype, whole, found.alias[1], found.desc.strides)


def gathered(source: Any, box: Box) -> np.ndarray:
    target = np.zeros(source.shape, storage_dtype(source))
    source.gather([box], target)
    return np.ascontiguousarray(target[box.slices])


def same(source: Any, box: Box) -> None:
    found, wanted = read(source, box), gathered(source, box)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(as_bits(np.ascontiguousarray(found)), as_bits(wanted))


def boxes_of(shape: tuple[int, ...]) -> st.SearchStrategy[Box]:
    runs = [st.integers(0, n - 1).flatmap(lambda a, n=n: st.tuples(st.just(a), st.integers(1, n - a))) for n in shape]
    return st.tuples(*runs).map(lambda along: box_of(tuple([n for _, n in along]), tuple([a for a, _ in along])))


def made(path: Path, **how: Any) -> Hdf5Chunks:
    with h5py.File(path, "w") as file:
        file.create_dataset("a", **how)
    source = open_hdf5(str(path), "a")
    assert isinstance(source, Hdf5Chunks)
    return source


GZIP = {"compression": "gzip", "compression_opts": 1}
HOW: dict[str, dict[str, Any]] = {
    "plain": {},
    "gzip": GZIP,
    "shuffled": {**GZIP, "shuffle": True},
    "all three": {**GZIP, "shuffle": True, "fletcher32": True},
    "lzf": {"compression": "lzf", "shuffle": True},
    "sums alone": {"fletcher32": True},
    "shuffle alone": {"shuffle": True},
    "scaled": {"scaleoffset": 0},
}
NATIVE = {"plain", "gzip", "shuffled", "all three"}
TYPES = ["<i2", ">i4", "<f8", ">c16", "u1", "?", "V2", "<c8"]


@pytest.mark.parametrize("how", HOW)
@given(st.data())
@settings(max_examples=3)
def test_chunks_of_hdf5(tmp_path_factory: pytest.TempPathFactory, how: str, data: st.DataObject) -> None:
    check_chunks(tmp_path_factory.mktemp("chunks") / "a.h5", how, data)


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW)
@given(st.data())
@settings(max_examples=8)
def test_many_chunks_of_hdf5(tmp_path_factory: pytest.TempPathFactory, how: str, data: st.DataObject) -> None:
    check_chunks(tmp_path_factory.mktemp("chunks") / "a.h5", how, data)


def check_chunks(path: Path, how: str, data: st.DataObject) -> None:
    """Units of a drawn file of chunks with these filters hold what it gathers."""
    chunks = data.draw(st.tuples(*[st.integers(1, n) for n in SHAPE]))
    kind = np.dtype(data.draw(st.sampled_from(TYPES if how != "scaled" else TYPES[:2])))
    cells = (CELLS & 0x7FFF).astype("u2").view("V2") if kind == "V2" else CELLS.astype(kind)
    source = made(path, data=cells, chunks=chunks, **HOW[how])
    assert chunks_of(source) == chunks
    assert (source.stages is not None) == (how in NATIVE)
    same(source, data.draw(boxes_of(SHAPE)))
    same(source, box_of(SHAPE))


@pytest.mark.parametrize("how", ["plain", "gzip", "lzf"])
def test_chunks_never_written_have_the_fill_value(tmp_path: Path, how: str) -> None:
    with h5py.File(tmp_path / "a.h5", "w", userblock_size=512) as file:
        a = file.create_dataset("a", (7, 9), ">f4", chunks=(2, 4), fillvalue=2.5, **HOW[how])
        a[2:4, 4:8] = np.arange(8).reshape(2, 4)
        file.create_dataset("none", (7,), "V2", chunks=(2,), **HOW[how])
    for name in ("a", "none"):
        source: Any = open_hdf5(str(tmp_path / "a.h5"), name)
        same(source, box_of(source.shape))


def test_filters_left_out_of_a_chunk(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        a = file.create_dataset("a", (20,), "<i4", chunks=(5,), **HOW["shuffled"])
        a[:] = np.arange(20)
        a.id.write_direct_chunk((5,), np.arange(5, dtype="<i4").tobytes(), 3)
    source: Any = open_hdf5(str(tmp_path / "a.h5"), "a")
    assert source.block((1,)).tolist() == [0, 1, 2, 3, 4]
    same(source, box_of((20,)))


def test_converted_types_and_cells_without_chunks(tmp_path: Path) -> None:
    kind = h5py.h5t.STD_I32LE.copy()
    kind.set_precision(24)
    chunked = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    chunked.set_chunk((3, 2))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        space = h5py.h5s.create_simple((7, 5))
        for name, plist in ((b"run", None), (b"chunked", chunked)):
            h5py.h5d.create(file.id, name, kind, space, plist)
            file[name][...] = np.arange(-10, 25).reshape(7, 5)
        file.create_dataset("unwritten", (4, 3), "<f8", fillvalue=7)
    for name, chunks in (("run", None), ("chunked", (3, 2)), ("unwritten", None)):
        source: Any = open_hdf5(str(tmp_path / "a.h5"), name)
        assert chunks_of(source) == chunks
        same(source, box_of(source.shape))
        same(source, box_of((2, 2), (1, 1)))


def test_a_place_is_asked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = made(tmp_path / "a.h5", data=CELLS, chunks=(4, 4), **GZIP)
    opens, opened = h5py.File, []
    monkeypatch.setattr(h5py, "File", lambda *a, **k: opened.append(a) or opens(*a, **k))
    grid = list(itertools.product(range(6), range(5)))
    with ThreadPoolExecutor(4) as pool:
        blocks = list(pool.map(source.block, grid))
    assert len(opened) == 1
    for (i, j), block in zip(grid, blocks, strict=True):
        part = CELLS[4 * i : 4 * i + 4, 4 * j : 4 * j + 4]
        np.testing.assert_array_equal(block[: part.shape[0], : part.shape[1]], part)


def damaged(path: Path, at: int, change: Callable[[bytearray, Any], None]) -> None:
    with h5py.File(path) as file:
        info = file["a"].id.get_chunk_info(at)
    raw = bytearray(path.read_bytes())
    change(raw, info)
    path.write_bytes(raw)


def flipped(raw: bytearray, info: Any) -> None:
    raw[info.byte_offset + info.size // 2] ^= 255


def overwritten(raw: bytearray, info: Any) -> None:
    raw[info.byte_offset : info.byte_offset + info.size] = np.random.default_rng(1).bytes(info.size)


def cut(raw: bytearray, info: Any) -> None:
    del raw[info.byte_offset + info.size // 2 :]


SUMMED = [(how, flipped) for how in ("gzip", "shuffled", "all three", "sums alone")]  # lzf has no sum


@pytest.mark.parametrize(("how", "change"), [*SUMMED, *itertools.product([*HOW][1:6], [overwritten, cut])])
def test_damaged_chunks(tmp_path: Path, how: str, change: Callable[[bytearray, Any], None]) -> None:
    path = tmp_path / "a.h5"
    cells = np.random.default_rng(0).random(1000)
    made(path, data=cells, chunks=(100,), **HOW[how])
    damaged(path, 9, change)
    try:
        source: Any = open_hdf5(str(path), "a")
    except FileFormatError as e:
        assert change is cut and "h5py cannot read it" in str(e)
        return
    assert source.block((0,)).tolist() == cells[:100].tolist()
    with pytest.raises(FileFormatError, match=r"the chunk at \(900,\) cannot be decoded"):
        source.block((9,))


def test_a_chunk_shorter_than_its_cells(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, how in (("a", {}), ("b", GZIP)):
            a = file.create_dataset(name, shape=(20,), dtype="i4", chunks=(10,), **how)
            a.id.write_direct_chunk((0,), b"1234")
    plain: Any = open_hdf5(str(tmp_path / "a.h5"), "a")
    with pytest.raises(FileFormatError, match=r"the chunk at \(0,\) has 4 bytes, 40 are wanted; the file is damaged"):
        plain.block((0,))
    packed: Any = open_hdf5(str(tmp_path / "a.h5"), "b")
    with pytest.raises(FileFormatError, match=r"the chunk at \(0,\) cannot be decoded: h5py cannot read it"):
        packed.block((0,))


@pytest.mark.parametrize("how", ["plain", "gzip", "lzf"])
def test_a_file_that_was_replaced(tmp_path: Path, how: str) -> None:
    source = made(tmp_path / "a.h5", data=CELLS, chunks=(4, 4), **HOW[how])
    source.block((0, 0))
    made(tmp_path / "b.h5", data=CELLS + 1, chunks=(4, 4), **HOW[how])
    (tmp_path / "b.h5").rename(tmp_path / "a.h5")
    with pytest.raises(FileFormatError, match="has changed since it was opened"):
        source.block((1, 1))


@pytest.mark.parametrize("records", [True, False])
@given(st.data())
@settings(max_examples=10)
def test_records_and_runs(tmp_path_factory: pytest.TempPathFactory, records: bool, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("records") / "a.nc"
    classic(path, {"a": CELLS.astype("i2"), "b": CELLS.astype("f8")}, records=records)
    for name in ("a", "b"):
        source: Any = open_netcdf(str(path), name)
        box = data.draw(boxes_of(SHAPE))
        np.testing.assert_array_equal(read(source, box), CELLS.astype("i2" if name == "a" else "f8")[box.slices])
        if records:
            same(source, box)


class Sliced:
    """An object in memory, of which slices are counted."""

    def __init__(self, cells: np.ndarray, chunks: Any) -> None:
        self.cells, self.chunks, self.shape, self.dtype = cells, chunks, cells.shape, cells.dtype
        self.keys: list[Any] = []

    def __getitem__(self, key: Any) -> Any:
        self.keys.append(key)
        return self.cells[key]


@given(st.data())
@settings(max_examples=20)
def test_objects_of_other_libraries(data: st.DataObject) -> None:
    kind, order = data.draw(st.sampled_from(["<f4", ">i8", "?"])), data.draw(st.sampled_from("CF"))
    chunks = data.draw(st.sampled_from([None, (5, 4), (23, 1), ((3, 20), (10, 7)), (40, 40)]))
    obj = Sliced(CELLS.astype(kind).copy(order), chunks)
    source: Any = node_of(weft.asarray(obj)).inputs[0].attrs[0]
    assert chunks_of(source) == {((3, 20), (10, 7)): (20, 10)}.get(chunks, chunks)
    box = data.draw(boxes_of(SHAPE))
    units = units_of(file_of(source), box)
    read(source, box)
    assert len(obj.keys) == len(units)
    same(source, box)


def test_objects_that_break_their_word_in_a_chunk() -> None:
    obj = Sliced(CELLS, (5, 4))
    source: Any = node_of(weft.asarray(obj)).inputs[0].attrs[0]
    obj.cells = CELLS[:21]
    assert source.block((3, 1)).tolist() == CELLS[15:20, 4:8].tolist()
    with pytest.raises(
        FileFormatError, match=r"a slice of shape \(3, 4\) is int64\[1, 4\]; int64\[3, 4\] was promised"
    ):
        source.block((4, 1))
    obj.cells = None
    with pytest.raises(FileFormatError, match=r"Sliced: slicing raises TypeError"):
        source.block((0, 0))


@pytest.mark.parametrize("chunks", [None, (50, 100)])
def test_a_large_object_is_never_sliced_as_a_whole(chunks: Any) -> None:
    cells = np.random.default_rng(0).random((1000, 200))
    obj = Sliced(cells, chunks)
    with limited(256 << 10):
        assert weft.asarray(obj).mean().item() == weft.asarray(cells).mean().item()
    assert len(obj.keys) > 3
