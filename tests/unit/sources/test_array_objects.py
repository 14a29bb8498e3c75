"""Arrays of other libraries as tensors: sliced when values are needed, and no earlier."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import DTypeError, FileFormatError, ShapeError, ValueRangeError
from weft.sources.read.byte_ranges import Meter

VALUES = np.arange(600.0).reshape(20, 30)


class Chunked:
    """An array that is read by slicing, and counts the cells that it gives."""

    def __init__(self, values: np.ndarray, chunks: Any = (5, 10)) -> None:
        self.values, self.shape, self.dtype, self.chunks = values, values.shape, values.dtype, chunks
        self.slices: list[Any] = []
        self.given = 0

    def __getitem__(self, key: Any) -> Any:
        self.slices.append(key)
        found = self.values[key]
        self.given += found.size
        return found


class Iterated(Chunked):
    def __iter__(self) -> Any:
        raise AssertionError("it is sliced")


@pytest.mark.parametrize("kind", [Chunked, Iterated])
@pytest.mark.parametrize("make", [weft.asarray, weft.open])
def test_nothing_is_read_before_values_are_needed(make: Any, kind: Any) -> None:
    obj = kind(VALUES)
    x = make(obj)
    assert isinstance(x, weft.Tensor) and x.chunks == (5, 10) and x.dtype is weft.float64
    part = x[3:5, 7] * 2
    assert obj.given == 0
    assert part.tolist() == (VALUES[3:5, 7] * 2).tolist()
    assert obj.given == 2
    np.testing.assert_array_equal(x.numpy(), VALUES)


@pytest.mark.parametrize("chunks", [(5, 10), (7, 30), ((3, 17), (10, 11, 9)), None, "by rows"])
@pytest.mark.parametrize(
    "key", [np.s_[::3, ::7], np.s_[::-1, 2], np.s_[4:4], np.s_[19, 29], np.s_[:, 29:0:-9]], ids=str
)
def test_any_selection_has_its_values(chunks: Any, key: Any) -> None:
    x = weft.asarray(Chunked(VALUES, chunks))
    np.testing.assert_array_equal(x[key].numpy(), VALUES[key])
    np.testing.assert_array_equal((x[key] + x[0, 0]).numpy(), VALUES[key])


class Variable(Chunked):
    """A variable of xarray before it is loaded: it has dask's protocol, but no chunks and no graph."""

    __module__ = "xarray.core.variable"
    chunks = None
    _in_memory = False

    def __init__(self, values: np.ndarray, encoding: dict[str, Any]) -> None:
        super().__init__(values, None)
        self.encoding, self.ndim, self.size = encoding, values.ndim, values.size

    def __getitem__(self, key: Any) -> Any:
        return Variable(self.values[key], {})

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.values

    def __dask_graph__(self) -> None:
        return None


@pytest.mark.parametrize("encoding", [{}, {"chunksizes": (50, 30)}])
@pytest.mark.parametrize("length", [20, 75_000])  # cells of 4.8 kB and of 18 MB
def test_variables_of_xarray_need_no_dask(
    encoding: dict[str, Any], length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    values = np.arange(30.0 * length).reshape(length, 30)
    x = weft.asarray(Variable(values, encoding))
    np.testing.assert_array_equal(weft.mean(x, axis=0).numpy(), values.mean(axis=0))
    assert x[[3, 17, 5], 7].tolist() == values[[3, 17, 5], 7].tolist()


def test_chunks_are_the_greatest_of_each_axis() -> None:
    assert weft.asarray(Chunked(VALUES, ((3, 17), (10, 11, 9)))).chunks == (17, 11)
    assert weft.asarray(Chunked(VALUES, None)).chunks is None


def test_a_step_reads_touched_chunks_alone_and_each_once() -> None:
    obj = Chunked(VALUES)
    assert weft.asarray(obj)[::10, ::10].tolist() == VALUES[::10, ::10].tolist()
    assert obj.given == 6 and len(obj.slices) == 6


def test_scattered_cells_are_united_by_chunk() -> None:
    obj = Chunked(VALUES)
    rows, columns = np.arange(100) % 20, np.arange(100) * 7 % 30
    np.testing.assert_array_equal(weft.asarray(obj)[rows, columns].numpy(), VALUES[rows, columns])
    assert len(obj.slices) <= 12


@pytest.mark.parametrize("dtype", ["bool", "int8", ">i4", "uint64", "float16", ">f8", "complex64"])
def test_dtypes_and_byte_orders(dtype: str) -> None:
    values = (VALUES % 7).astype(dtype)
    x = weft.asarray(Chunked(values))
    assert x.dtype.name == np.dtype(dtype).name
    np.testing.assert_array_equal(x.numpy(), values)


def test_bits_of_nans_are_kept() -> None:
    values = np.array([0x7FF8000000000123, 0xFFF0000000000001], np.uint64).view(np.float64)
    assert weft.asarray(Chunked(values, (1,))).numpy().view(np.uint64).tolist() == values.view(np.uint64).tolist()


def test_operators_take_them() -> None:
    made = weft.ones(30) + Chunked(VALUES)
    assert isinstance(made, weft.Tensor)
    np.testing.assert_array_equal(made.numpy(), VALUES + 1)


def test_copies_and_dtypes_of_asarray() -> None:
    obj = Chunked(VALUES)
    x = weft.array(obj)
    assert obj.given == VALUES.size and x.chunks is None
    assert weft.asarray(obj, dtype="float32").dtype is weft.float32 and obj.given == VALUES.size
    with pytest.raises(ValueRangeError, match="asarray: a Chunked has no memory to share and need a copy; copy=False"):
        weft.asarray(obj, copy=False)


def test_several_are_joined() -> None:
    made = weft.open([Chunked(VALUES), Chunked(VALUES + 1)])
    np.testing.assert_array_equal(made[18:22, 0].numpy(), [540.0, 570.0, 1.0, 31.0])


def test_options_are_refused() -> None:
    with pytest.raises(FileFormatError, match=r"open: a Chunked is an array, and takes no name=; .*; leave it out"):
        weft.open(Chunked(VALUES), name="a")
    with pytest.raises(FileFormatError, match="takes no format="):
        weft.open(Chunked(VALUES), format="npy")
    with pytest.raises(FileFormatError, match=r"open: array.* is a ndarray; a file is named by text"):
        weft.open(VALUES)


# ---- objects that break their word


class Broken(Chunked):
    def __init__(self, gives: Any) -> None:
        super().__init__(VALUES)
        self.gives = gives

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return self.gives(found)


def refuse(found: Any) -> Any:
    raise OSError("the disk is gone")


FAULTS = {
    "an error": (refuse, r"read: .*Broken: slicing raises OSError: the disk is gone; .*; keep what it reads open"),
    "another shape": (lambda a: a[:1], r"a slice of shape \(20, 30\) is float64\[1, 30\]; float64\[20, 30\] was"),
    "another dtype": (lambda a: a.astype("f4"), r"is float32\[20, 30\]; float64\[20, 30\] was promised; mend"),
    "no array": (lambda a: None, r"read: .*; mend"),
    "masked cells": (lambda a: np.ma.array(a, mask=a < 2), "2 cells are masked; they have no value; give an array"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_slices_are_held_against_what_was_promised(name: str) -> None:
    gives, message = FAULTS[name]
    x = weft.asarray(Broken(gives))
    with pytest.raises(FileFormatError, match=message):
        x.sum().item()


def test_a_mask_without_masked_cells_is_no_fault() -> None:
    assert weft.asarray(Broken(lambda a: np.ma.array(a, mask=a < 0))).sum().item() == VALUES.sum()


def test_sizes_and_dtypes_that_weft_has_not() -> None:
    obj = Chunked(VALUES)
    obj.shape = (float("nan"), 30)
    with pytest.raises(ShapeError, match=r"asarray: .*Chunked: has shape \(nan, 30\); its sizes are unknown"):
        weft.asarray(obj)
    obj.shape = (1 << 40, 1 << 40)
    with pytest.raises(ShapeError, match="no memory holds so many cells; give a part of it"):
        weft.asarray(obj)
    with pytest.raises(DTypeError):
        weft.asarray(Chunked(VALUES.astype("U5")))
    obj = Chunked(VALUES)
    obj.dtype = "of mine"
    with pytest.raises(DTypeError, match=r"asarray: .*Chunked: has dtype of mine; weft holds"):
        weft.asarray(obj)


# ---- zarr and h5py


def test_arrays_of_zarr_in_folders_are_read_by_weft(tmp_path: Path, meter: Meter) -> None:
    zarr = pytest.importorskip("zarr")
    group = zarr.create_group(tmp_path / "a.zarr")
    array = group.create_array("b/c", shape=(20, 30), chunks=(5, 10), dtype="f8", compressors=None)
    array[:] = VALUES
    for obj in (array, zarr.open_array(tmp_path / "a.zarr", path="b/c", mode="r")):
        x = weft.asarray(obj)
        meter.done = 0
        assert x[3, 7].item() == 97 and x.chunks == (5, 10)
        assert meter.done == 8  # not the chunk
        np.testing.assert_array_equal(x.numpy(), VALUES)


def test_arrays_of_zarr_in_memory_are_sliced() -> None:
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(zarr.storage.MemoryStore(), shape=(20, 30), chunks=(5, 10), dtype=">f4")
    array[:] = VALUES
    x = weft.asarray(array)
    assert x.chunks == (5, 10) and x.dtype is weft.float32
    np.testing.assert_array_equal(x[::3, ::-7].numpy(), VALUES[::3, ::-7])


def test_a_codec_that_weft_lacks_is_left_to_zarr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(tmp_path / "a.zarr", shape=(20, 30), chunks=(5, 10), dtype="f8")
    array[:] = VALUES

    def refuse(folder: str) -> Any:
        raise FileFormatError("zarr: the codec is unknown")

    monkeypatch.setattr("weft.sources.array_objects.open_zarr", refuse)
    np.testing.assert_array_equal(weft.asarray(array)[2:9].numpy(), VALUES[2:9])


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("b/c", data=VALUES, chunks=(5, 10), compression="gzip")
    return tmp_path / "a.h5"


def test_datasets_of_files_opened_for_reading_outlive_them(dataset: Path) -> None:
    import h5py

    with h5py.File(dataset, "r") as file:
        x, y = weft.asarray(file["b/c"]), weft.open(file["b"]["c"])
    assert x.chunks == y.chunks == (5, 10)
    np.testing.assert_array_equal((x + y).numpy(), 2 * VALUES)


def test_datasets_of_files_opened_for_writing_are_sliced(dataset: Path) -> None:
    import h5py

    with h5py.File(dataset, "r+") as file:
        x = weft.asarray(file["b/c"])
        file["b/c"][0, 0] = 77
        assert x[0, :2].tolist() == [77.0, 1.0]
        rest = x[1:]
    with pytest.raises(FileFormatError, match=r"read: h5py.Dataset /b/c: slicing raises .*; keep what it reads open"):
        rest.sum().item()
