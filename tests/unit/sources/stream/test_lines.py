"""Scans and sorts in tiles, of whole lines or with states between them: the bits of the whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.unit.sources.stream.test_rounds import cells, same, streamed, written
from weft import dtypes as dt
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

__all__ = ["streamed"]  # a fixture

VALUES: dict[str, Callable[[Tensor, int], Tensor]] = {
    "sort": lambda x, a: weft.sort(x, axis=a, descending=True),
    "argsort": lambda x, a: weft.argsort(x, axis=a),
    "cumulative_sum": lambda x, a: weft.cumulative_sum(x, axis=a),
    "cumulative_prod": lambda x, a: weft.cumulative_prod(x, axis=a, include_initial=True),
    "quantile": lambda x, a: weft.quantile(x, [0.1, 0.5, 0.95], axis=a),
    "median": lambda x, a: weft.median(x, axis=a, keepdims=True),
    "part": lambda x, a: weft.flip(weft.cumulative_sum(x, axis=a))[1::2, :7],
    "sums of sorted": lambda x, a: weft.sum(weft.sort(x + x, axis=a), axis=1 - a),
    "less its median": lambda x, a: x - weft.median(x, axis=a, keepdims=True),
    "both": lambda x, a: weft.cumulative_sum(weft.cumulative_sum(x, axis=a), axis=1 - a),
}


def tough(shape: tuple[int, ...], dtype: dt.DType, seed: int = 0) -> Any:
    """Return cells with equal ones, NaN and -0."""
    array = cells(shape, dtype, seed)
    if dtype.kind == "float":
        array[np.abs(array) < 0.3] = -0.0
        array[array > 5] = np.nan
    return array


@pytest.mark.parametrize("name", VALUES)
def test_same_bits_as_the_whole(tmp_path: Path, name: str, streamed: list[Any]) -> None:
    for axis, order in ((0, "C"), (1, "C"), (0, "F")):
        array = tough((90, 70), dt.float32, axis)
        path = written(tmp_path / f"{axis}{order}.npy", array, order)
        want = VALUES[name](weft.asarray(array), axis).numpy()
        with limited(9000):
            assert same(VALUES[name](open_file(path), axis).numpy(), want), (axis, order)
    assert streamed


@pytest.mark.parametrize("dtype", [d for d in dt.COMMON if d.kind != "complex"], ids=str)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, streamed: list[Any]) -> None:
    array = tough((60, 50), dtype)
    path = written(tmp_path / "x.npy", array, big=True)
    for name in ("sort", "argsort", "cumulative_sum", "median"):
        want = VALUES[name](weft.asarray(array), 0).numpy()
        with limited(2000):
            assert same(VALUES[name](open_file(path), 0).numpy(), want), name
    assert streamed


@settings(max_examples=40)
@given(data=st.data())
def test_any_shape_and_limit(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=2, max_size=2)))
    array = tough(shape, data.draw(st.sampled_from([dt.float32, dt.float16, dt.int8])))
    chunks = tuple(data.draw(st.integers(1, n)) for n in shape)
    path = tmp_path_factory.mktemp("any") / "x.zarr"
    weft.save(path, weft.asarray(array), chunks=chunks)
    name, axis = data.draw(st.sampled_from(sorted(VALUES))), data.draw(st.integers(0, 1))
    want = VALUES[name](weft.asarray(array), axis).numpy()
    with limited(data.draw(st.integers(1000, 20_000))):
        assert same(VALUES[name](weft.open(path), axis).numpy(), want)


def test_tiles_hold_some_of_the_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, run = [], Sweep.run

    def noted(self: Sweep[Any]) -> None:
        sizes.append(self.tiling.size)
        run(self)

    monkeypatch.setattr(Sweep, "run", noted)
    path = written(tmp_path / "x.npy", tough((100, 400), dt.float64))
    with limited(80_000):
        weft.sort(open_file(path), axis=0).numpy()
    assert sizes[0][0] == 100 and sizes[0][1] < 100


def test_a_chunk_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    weft.save(path, weft.asarray(tough((60, 80), dt.float64)), chunks=(20, 20))
    x = weft.median(weft.open(path), axis=0)
    reads = []
    with limited(30_000):
        sweep = Sweep.run

        def noted(self: Sweep[Any]) -> None:
            reads.extend([u for s in self.steps.units for u in s.read])
            sweep(self)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Sweep, "run", noted)
            x.numpy()
    assert len(reads) == len(set(reads)) == 12


SCANS: dict[str, Callable[[Tensor, int], Tensor]] = {
    "sums": lambda x, a: weft.cumulative_sum(x, axis=a),
    "products": lambda x, a: weft.cumulative_prod(x, axis=a),
    "of other axes": lambda x, a: weft.cumulative_sum(x.T * 2, axis=1 - a) + 1,
    "reduced": lambda x, a: weft.std(weft.cumulative_sum(x, axis=a), axis=a),
    "twice": lambda x, a: weft.cumulative_prod(weft.cumulative_sum(x, axis=a), axis=a),
    "differences": lambda x, a: weft.diff(weft.cumulative_sum(x, axis=a), axis=a),
    "backwards": lambda x, a: weft.flip(weft.cumulative_sum(x, axis=a), axis=a),
}


@pytest.mark.parametrize("shape", [(2500, 3), (3, 2500), (1, 5000)], ids=str)
@pytest.mark.parametrize("name", SCANS)
def test_tiles_cut_scanned_axes(tmp_path: Path, name: str, shape: tuple[int, int], streamed: list[Any]) -> None:
    for axis, chunks in ((0, (17, 2)), (1, (2, 700))):
        array = tough(shape, dt.float32, axis)
        path = tmp_path / f"{axis}.zarr"
        weft.save(path, array, chunks=tuple(map(min, chunks, shape)))
        want = SCANS[name](weft.asarray(array), axis).numpy()
        with limited(6000):
            assert same(SCANS[name](weft.open(path), axis).numpy(), want), axis
    assert streamed


@pytest.mark.parametrize("dtype", [d for d in dt.COMMON if d.kind != "bool"], ids=str)
def test_scans_of_every_dtype_are_cut(tmp_path: Path, dtype: dt.DType, streamed: list[Any]) -> None:
    array = tough((1500, 4), dtype)
    weft.save(tmp_path / "x.zarr", array, chunks=(100, 4))
    for scan in (weft.cumulative_sum, weft.cumulative_prod):
        want = scan(weft.asarray(array), axis=0).numpy()
        with limited(8000):
            assert same(scan(weft.open(tmp_path / "x.zarr"), axis=0).numpy(), want)
    assert streamed


def test_a_scan_reads_each_chunk_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = tough((3000, 8), dt.float32)
    weft.save(tmp_path / "x.zarr", array, chunks=(100, 4))
    reads, run = list[Any](), Sweep.run

    def noted(self: Sweep[Any]) -> None:
        reads.extend([u for s in self.steps.units for u in s.read])
        assert self.fits
        run(self)

    monkeypatch.setattr(Sweep, "run", noted)
    with limited(30_000):
        weft.save(tmp_path / "y.zarr", weft.cumulative_sum(weft.open(tmp_path / "x.zarr"), axis=0), chunks=(100, 4))
    assert len(reads) == len(set(reads)) == 60
    assert same(weft.open(tmp_path / "y.zarr").numpy(), weft.cumulative_sum(weft.asarray(array), axis=0).numpy())


def test_a_scan_of_one_line_is_cut_unless_cells_are_asked_for_twice(tmp_path: Path) -> None:
    array = tough((30_000,), dt.float64)
    weft.save(tmp_path / "x.zarr", array, chunks=(1000,))
    sizes, run = list[int](), Sweep.run

    def noted(self: Sweep[Any]) -> None:
        sizes.append(self.tiling.size[0])
        run(self)

    with pytest.MonkeyPatch.context() as patch, limited(100_000):
        patch.setattr(Sweep, "run", noted)
        x = weft.open(tmp_path / "x.zarr")
        assert same(weft.cumulative_sum(x).numpy(), weft.cumulative_sum(weft.asarray(array)).numpy())
        assert sizes and max(sizes) <= 4000
        sizes.clear()
        assert same(
            weft.diff(weft.cumulative_sum(x)).numpy(), weft.diff(weft.cumulative_sum(weft.asarray(array))).numpy()
        )
        assert not sizes
