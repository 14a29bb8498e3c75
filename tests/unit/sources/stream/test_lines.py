"""Scans and sorts in tiles, of whole lines or with states between them: the bits of the whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples, in_turn
from tests.unit.sources.stream.large_files import REAL, drawn_file, is_as_in_memory, same, tough, units_read, written
from weft import dtypes as dt
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.stream.appended_cells import AppendedScan
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

VALUES: dict[str, Callable[[Tensor, int], Tensor]] = {
    "sort": lambda x, a: weft.sort(x, axis=a, descending=True),
    "argsort": lambda x, a: weft.argsort(x, axis=a),
    "cumulative_sum": lambda x, a: weft.cumulative_sum(x, axis=a),
    "cumulative_prod": lambda x, a: weft.cumulative_prod(x, axis=a, include_initial=True),
    "cumulative_max": lambda x, a: weft.cumulative_max(x, axis=a),
    "quantile": lambda x, a: weft.quantile(x, [0.1, 0.5, 0.95], axis=a),
    "median": lambda x, a: weft.median(x, axis=a, keepdims=True),
    "part": lambda x, a: weft.flip(weft.cumulative_sum(x, axis=a))[1::2, :7],
    "sums of sorted": lambda x, a: weft.sum(weft.sort(x + x, axis=a), axis=1 - a),
    "less its median": lambda x, a: x - weft.median(x, axis=a, keepdims=True),
    "transform": lambda x, a: weft.fft.fft(x, axis=a),
    "half a transform": lambda x, a: weft.abs(weft.fft.rfft(x, n=40, axis=a)),
    "filtered": lambda x, a: weft.fft.irfft(weft.fft.rfft(x, axis=a)[:9, :9], axis=a),
    "of both axes": lambda x, a: weft.sum(weft.fft.fft2(x), axis=a),
    "both": lambda x, a: weft.cumulative_sum(weft.cumulative_sum(x, axis=a), axis=1 - a),
}


@pytest.mark.parametrize(("name", "way"), in_turn(VALUES, [(0, "C"), (1, "C"), (0, "F")], every=3), ids=str)
def test_same_bits_as_the_whole(tmp_path: Path, name: str, way: tuple[int, str], sweeps: list[Any]) -> None:
    axis, order = way
    array = tough((90, 70), dt.float32, axis)
    path = written(tmp_path / "x.npy", array, order)
    assert is_as_in_memory(lambda x: VALUES[name](x, axis), array, path, 15_000)
    assert sweeps


OF_DTYPES = ("sort", "argsort", "cumulative_sum", "median")


@pytest.mark.parametrize(("dtype", "name"), in_turn(REAL, OF_DTYPES, every=4), ids=str)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, name: str, sweeps: list[Any]) -> None:
    array = tough((60, 50), dtype)
    path = written(tmp_path / "x.npy", array, big=True)
    assert is_as_in_memory(lambda x: VALUES[name](x, 0), array, path, array.nbytes * 2 // 3)
    assert sweeps


@settings(max_examples=examples(40, quick=10))
@given(data=st.data())
def test_any_shape_and_limit(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("any")
    array, path = drawn_file(data, folder, [dt.float32, dt.float16, dt.int8])
    name, axis = data.draw(st.sampled_from(sorted(VALUES))), data.draw(st.integers(0, 1))
    assert is_as_in_memory(lambda x: VALUES[name](x, axis), array, path, data.draw(st.integers(1000, 20_000)))


def test_tiles_hold_some_of_the_lines(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    path = written(tmp_path / "x.npy", tough((100, 400), dt.float64))
    with limited(80_000):
        weft.sort(open_file(path), axis=0).numpy()
    size = sweeps[0].tiling.size
    assert size[0] == 100 and size[1] < 100


def test_a_chunk_is_read_once(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    path = tmp_path / "x.zarr"
    weft.save(path, weft.asarray(tough((60, 80), dt.float64)), chunks=(20, 20))
    with limited(30_000):
        weft.median(weft.open(path), axis=0).numpy()
    reads = units_read(sweeps)
    assert len(reads) == len(set(reads)) == 12


SCANS: dict[str, Callable[[Tensor, int], Tensor]] = {
    "sums": lambda x, a: weft.cumulative_sum(x, axis=a),
    "products": lambda x, a: weft.cumulative_prod(x, axis=a),
    "minima": lambda x, a: weft.cumulative_min(x, axis=a),
    "of other axes": lambda x, a: weft.cumulative_sum(x.T * 2, axis=1 - a) + 1,
    "reduced": lambda x, a: weft.std(weft.cumulative_sum(x, axis=a), axis=a),
    "twice": lambda x, a: weft.cumulative_prod(weft.cumulative_sum(x, axis=a), axis=a),
    "differences": lambda x, a: weft.diff(weft.cumulative_sum(x, axis=a), axis=a),
    "backwards": lambda x, a: weft.flip(weft.cumulative_sum(x, axis=a), axis=a),
}


@pytest.mark.parametrize(("name", "shape"), in_turn(SCANS, [(2500, 3), (3, 2500), (1, 5000)], every=3), ids=str)
def test_tiles_cut_scanned_axes(tmp_path: Path, name: str, shape: tuple[int, int], sweeps: list[Any]) -> None:
    for axis, chunks in ((0, (17, 2)), (1, (2, 700))):
        array = tough(shape, dt.float32, axis)
        path = tmp_path / f"{axis}.zarr"
        weft.save(path, array, chunks=tuple(map(min, chunks, shape)))
        assert is_as_in_memory(lambda x, axis=axis: SCANS[name](x, axis), array, path, 12_000), axis
    assert sweeps or (name == "differences" and 1 in shape)


NUMBERS = [d for d in dt.COMMON if d.kind != "bool"]


@pytest.mark.parametrize(("dtype", "name"), in_turn(NUMBERS, ("sums", "products"), every=2), ids=str)
def test_scans_of_every_dtype_are_cut(tmp_path: Path, dtype: dt.DType, name: str, sweeps: list[Any]) -> None:
    array = tough((1500, 4), dtype)
    weft.save(tmp_path / "x.zarr", array, chunks=(100, 4))
    assert is_as_in_memory(lambda x: SCANS[name](x, 0), array, tmp_path / "x.zarr", 8000)
    assert sweeps


def test_a_scan_reads_each_chunk_once(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = tough((3000, 8), dt.float32)
    weft.save(tmp_path / "x.zarr", array, chunks=(100, 4))
    with limited(30_000):
        weft.save(tmp_path / "y.zarr", weft.cumulative_sum(weft.open(tmp_path / "x.zarr"), axis=0), chunks=(100, 4))
    reads = units_read(sweeps)
    assert len(reads) == len(set(reads)) == 60 and all(s.fits for s in sweeps)
    assert same(weft.open(tmp_path / "y.zarr").numpy(), weft.cumulative_sum(weft.asarray(array), axis=0).numpy())


def test_a_scan_of_one_line_is_appended_where_cells_are_asked_for_twice(
    tmp_path: Path, sweeps: list[Sweep[Any]]
) -> None:
    array = tough((30_000,), dt.float64)
    weft.save(tmp_path / "x.zarr", array, chunks=(1000,))
    assert is_as_in_memory(weft.cumulative_sum, array, tmp_path / "x.zarr", 100_000)
    assert sweeps and max(s.tiling.size[0] for s in sweeps) <= 4000
    sweeps.clear()
    assert is_as_in_memory(lambda x: weft.diff(weft.cumulative_sum(x)), array, tmp_path / "x.zarr", 100_000)
    assert isinstance(sweeps[0].consumers[0], AppendedScan) and sweeps[0].tiling.count > 1


def test_lines_that_are_broadcast_are_computed_once(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = tough((120, 40, 40), dt.float32)
    weft.save(tmp_path / "x.zarr", weft.asarray(array), chunks=(10, 20, 20))

    def value(x: Tensor) -> Tensor:
        low, high = [weft.quantile(x, q, axis=0) for q in (0.1, 0.9)]
        return weft.clip(x, low, high)

    assert is_as_in_memory(value, array, tmp_path / "x.zarr", 60_000)
    *rounds, last = sweeps
    assert [s.shape for s in rounds] == [(40, 40)] and last.shape == array.shape
    assert len(set(units_read([last]))) == len(units_read([last]))
