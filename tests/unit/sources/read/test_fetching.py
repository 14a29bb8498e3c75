"""Sources that read boxes: right values, each chunk once, and what is fetched told beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_files import reads

import weft
from weft import dtypes as dt
from weft.errors import FileFormatError
from weft.runtime.compute.engine import SourceRead
from weft.runtime.compute.footprint import touch
from weft.sources.formats.npy import NpyFile
from weft.sources.read.extents import EXACT, LOCAL, ReadCost, extents_of
from weft.sources.read.loading import open_source
from weft.sources.read.touched_boxes import cells
from weft.sources.source import Addressed, Gathering, storage_dtype, unplaced
from weft.tensors.tensor import Tensor


class Kept:
    """An array in memory as a source of boxes; `asked` are the boxes read, in one list for each program."""

    def __init__(self, array: Any, order: str = "C") -> None:
        self.array, self.name, self.order, self.shape = array, "kept", order, array.shape
        self.dtype, byteorder = dt.from_numpy(array.dtype)
        self.big = byteorder == "big"
        self.asked: list[Any] = []

    def gather(self, boxes: Any, target: Any) -> None:
        self.asked.append(list(boxes))
        assert target.dtype == self.array.dtype
        for box in boxes:
            target[box.slices] = self.array[box.slices]

    def fetched(self, boxes: Any) -> SourceRead:
        return unplaced(self, cells(boxes), len(boxes))


def fetched(x: Tensor) -> Any:
    (told,) = reads(x)
    return told


def test_what_sources_are(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3))
    file, kept = NpyFile(tmp_path / "a.npy"), Kept(np.zeros(3, ">f4"))
    assert isinstance(file, Addressed)
    assert not isinstance(kept, Addressed)
    assert isinstance(kept, Gathering)
    assert storage_dtype(kept) == ">f4"


@pytest.mark.usefixtures("_transformer")
@pytest.mark.parametrize("dtype", ["?", "<i2", ">i4", "<f2", ">f4", "<f8", ">c16", "u1", dt.bfloat16.np])
@pytest.mark.parametrize("order", ["C", "F"])
def test_values(dtype: Any, order: str) -> None:
    array = np.arange(60).reshape(3, 4, 5).astype(dtype)
    for key in (..., 1, (slice(1, None), slice(None, None, -2), 3), (slice(None), slice(1, 3), slice(None, None, 2))):
        x = open_source(Kept(array, order))[key]
        np.testing.assert_array_equal(x.numpy(), array[key])
        assert x.numpy().dtype == array.dtype.newbyteorder("=")


@pytest.mark.usefixtures("_transformer")
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1)])
def test_empty_and_single(shape: tuple[int, ...]) -> None:
    assert open_source(Kept(np.full(shape, 7.0))).numpy().tolist() == np.full(shape, 7.0).tolist()


PARTS: list[Any] = [
    lambda x, m: m.flip(x),
    lambda x, m: x[::3, 1:],
    lambda x, m: x[1::2, ::-2],
    lambda x, m: x.T if x.ndim == 2 else x,
    lambda x, m: m.roll(x, 3, axis=0),
    lambda x, m: m.concat([x, m.flip(x, axis=0)], axis=0),
    lambda x, m: m.stack([x, x + 1], axis=0)[1],
    lambda x, m: m.reshape(x, (-1,))[2::3][None],
    lambda x, m: m.reshape(x, (-1,))[None, 1:],
    lambda x, m: m.repeat(x, 2, axis=1),
    lambda x, m: m.sum(x, axis=1, keepdims=True),
]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_programs_over_boxes(data: Any) -> None:
    shape = data.draw(st.tuples(st.integers(3, 9), st.integers(3, 9)))
    array = np.arange(float(shape[0] * shape[1])).reshape(shape)
    source = Kept(array, data.draw(st.sampled_from("CF")))
    x: Any = open_source(source)
    for part in data.draw(st.lists(st.sampled_from(PARTS), max_size=4)):
        if min(array.shape) < 3:
            break
        x, array = part(x, weft), part(array, np)
    np.testing.assert_array_equal(x.numpy(), array)


def test_all_boxes_of_a_program_come_at_once() -> None:
    array = np.arange(144.0).reshape(12, 12)
    source = Kept(array)
    x = open_source(source)
    got = weft.concat([x[0:8:3], x[1:8:3], x[2:8:3, ::-1]]).numpy()
    np.testing.assert_array_equal(got, np.concat([array[0:8:3], array[1:8:3], array[2:8:3, ::-1]]))
    (asked,) = source.asked
    assert cells(asked) == 8 * 12
    source.asked.clear()
    assert open_source(source)[5, 7].item() == array[5, 7]
    assert source.asked == [[((5, 7), (1, 1), (1, 1))]]


def test_a_diagonal_reads_its_cells() -> None:
    source = Kept(np.arange(10_000.0).reshape(100, 100))
    x = weft.diagonal(open_source(source))
    assert fetched(x).bytes == 800


# ---- what is told beforehand


def test_reads_of_a_file_are_listed_with_their_ranges(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(1_000_000, dtype="f4").reshape(1000, 1000))
    x = weft.open(tmp_path / "a.npy")
    told = fetched(weft.flip(x)[:2, :10] + 1)
    begin = (tmp_path / "a.npy").stat().st_size - 4_000_000
    assert told.name == str(tmp_path / "a.npy")
    assert (told.bytes, told.reads) == (80, 2)
    assert told.ranges == tuple((begin + 4 * (1000 * r + 990), begin + 4 * (1000 * r + 1000)) for r in (998, 999))
    assert reads(x)[0].bytes == 4_000_000


def test_reads_of_boxes_of_several_sources_and_of_none_are_listed() -> None:
    a, b = open_source(Kept(np.zeros((4, 4)))), open_source(Kept(np.zeros((4, 4), "i1")))
    told = reads(weft.sum(a[:2] + b[:2]))
    assert sorted((t.bytes, t.reads) for t in told) == [(8, 1), (64, 1)]
    assert reads(weft.asarray([1.0]) + 1) == []
    assert fetched(a).ranges == ()


def test_files_that_are_not_read_are_not_opened(tmp_path: Path) -> None:
    for k in range(3):
        np.save(tmp_path / f"{k}.npy", np.full((4, 4), k))
    x = weft.open(tmp_path / "*.npy")
    (tmp_path / "0.npy").unlink()
    (tmp_path / "2.npy").write_bytes(b"")
    assert [t.bytes for t in reads(x[4:8] * 2)] == [128]
    assert (x[4:8] * 2)[0].tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("rows", [EXACT, EXACT + 1])
def test_few_reads_are_exact_many_are_joined(rows: int) -> None:
    t = touch(0, [2000], [rows], 4)
    assert t is not None
    assert len(extents_of([t])) == (rows if rows <= EXACT else 1)
    far = touch(0, [16_384], [rows], 4)
    assert far is not None
    assert len(extents_of([far])) == rows
    assert len(extents_of([far], ReadCost(1e-3, 1e9))) == (rows if rows <= EXACT else 1)
    assert LOCAL.gap == 6000


@pytest.mark.parametrize("rows", [10, 1000])
def test_a_source_may_say_what_its_reads_cost(rows: int) -> None:
    class Far:
        name, dtype, big, shape, offset = "far", dt.float32, False, (1000, 8192), 5
        strides, cost = (32768, 4), ReadCost(0.01, 1e8)

        def load(self, extents: Any, memory: Any) -> None:
            raise AssertionError

    told = fetched(open_source(Far())[:rows, 0])
    assert told.reads == (10 if rows == 10 else 1)
    assert told.ranges[0][0] == 5


# ---- files as memory


def test_mapped_files(tmp_path: Path, reads: list[int]) -> None:
    for order in "CF":
        for dtype in ("<f4", ">i8", "?", "c16"):
            array = np.arange(40_000).reshape(100, 400).astype(dtype, order=order)  # type: ignore[call-overload]
            np.save(tmp_path / "a.npy", array)
            x = weft.open(tmp_path / "a.npy", mmap=True)
            np.testing.assert_array_equal(x.numpy(), array)
            np.testing.assert_array_equal((x[::3, 5] != 0).numpy(), array[::3, 5] != 0)
            told = fetched(weft.open(tmp_path / "a.npy", mmap=True)[5:7])
            assert told.bytes == 800 * array.itemsize or order == "F"
    assert reads == []
    x[0] = 0
    assert np.load(tmp_path / "a.npy")[0, 1] == 1


def test_mapped_files_between_boundaries_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"abc" + np.arange(5, dtype="<i8").tobytes())
    x = weft.open(tmp_path / "a.bin", dtype="<i8", offset=3, mmap=True)
    assert (x + 1).tolist() == [1, 2, 3, 4, 5]
    (tmp_path / "b.bin").write_bytes(b"")
    assert weft.open(tmp_path / "b.bin", dtype="<i8", mmap=True).tolist() == []


def test_a_mapped_file_that_changed_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(5000.0))
    x = weft.open(tmp_path / "a.npy", mmap=True)
    with (tmp_path / "a.npy").open("r+b") as file:
        file.truncate(100)
    with pytest.raises(FileFormatError, match="has changed since it was opened"):
        weft.sum(x).item()


def test_what_cannot_be_mapped(tmp_path: Path) -> None:
    weft.save(tmp_path / "a.zarr", weft.arange(3))
    with pytest.raises(FileFormatError, match=r"a\.zarr: mmap=True, and its cells are no plain run of the file"):
        weft.open(tmp_path / "a.zarr", mmap=True)
