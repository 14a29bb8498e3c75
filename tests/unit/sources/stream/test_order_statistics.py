"""Single cells of sorted large files: the bits of those in memory, in few sweeps, within the limit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples, in_turn
from tests.unit.sources.stream.large_files import REAL, drawn_file, flat, is_as_in_memory, same, tough, written
from weft import dtypes as dt
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.stream.kept_cells import LeadingCells
from weft.sources.stream.order_statistics import CellsOfRanges, EqualCells, KeyTotals
from weft.sources.stream.sort_keys import Keys
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor, wrap

CONSUMERS = (KeyTotals, CellsOfRanges, EqualCells, LeadingCells)


def consumers_of(sweeps: list[Sweep[Any]]) -> list[str]:
    """Return the classes of the consumers for order statistics, in the order of the sweeps."""
    return [type(t).__name__ for s in sweeps for t in s.consumers if isinstance(t, CONSUMERS)]


VALUES: dict[str, Callable[[Tensor], Any]] = {
    "quantile": lambda x: weft.quantile(x, [0.0, 0.1, 0.5, 0.999, 1.0]),
    "nearest": lambda x: weft.quantile(x, 0.3, method="nearest", keepdims=True),
    "percentile": lambda x: weft.percentile(x, np.linspace(0, 100, 30), method="hazen"),
    "median": lambda x: weft.median(x),
    "of axes": lambda x: weft.median(x[None], axis=(1, 2), keepdims=True),
    "nanmedian": lambda x: weft.nanmedian(x),
    "nanquantile": lambda x: weft.nanquantile(x, [0.0, 0.3, 1.0]),
    "less its median": lambda x: weft.max(weft.abs(x - weft.median(x))),
    "deviation": lambda x: weft.median(weft.abs(x - weft.median(x))),
    "less its mean": lambda x: weft.median(x - weft.astype(weft.mean(x), x.dtype)),
    "view": lambda x: weft.sort(flat(x))[3:40:7][::-1],
    "falling": lambda x: weft.sort(flat(x), descending=True)[:50],
    "positions": lambda x: weft.argsort(flat(x))[100:120],
    "falling positions": lambda x: weft.argsort(flat(x), descending=True)[-20:],
    "turned": lambda x: weft.argsort(flat(x.T))[[0, 70, 5]],
    "first and last": lambda x: weft.sort(flat(x))[[0, -1]],
    "topk": lambda x: weft.topk(flat(x), 9).values,
    "topk, positions": lambda x: weft.topk(flat(x), 9, largest=False).indices,
}


@pytest.mark.parametrize("limit", [230_000, pytest.param(210_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "order"), in_turn(VALUES, "CF", every=2))
def test_same_bits_as_the_whole(tmp_path: Path, name: str, order: str, limit: int, sweeps: list[Sweep[Any]]) -> None:
    array = tough((300, 200), dt.float32)
    assert is_as_in_memory(VALUES[name], array, written(tmp_path / "x.npy", array, order), limit)
    assert max(s.tiling.count for s in sweeps if consumers_of([s])) > 3


OF_DTYPES = ("quantile", "median", "view", "falling", "positions", "falling positions", "topk")


@pytest.mark.parametrize(("dtype", "name"), in_turn(REAL, OF_DTYPES, every=7), ids=str)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, name: str, sweeps: list[Sweep[Any]]) -> None:
    array = tough((300, 250), dtype)
    assert is_as_in_memory(VALUES[name], array, written(tmp_path / "x.npy", array, big=True), 120_000)
    assert consumers_of(sweeps)


def test_equal_cells_keep_their_order_and_bits(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = np.zeros((900, 20), np.float32)
    array[::3] = -0.0
    array[200:, 7] = np.nan
    array.view(np.uint32)[850, 7] |= 5  # another NaN
    path = written(tmp_path / "x.npy", array)
    x = weft.asarray(array)
    for at in (slice(0, 9000, 1000), slice(2990, 3010), slice(-60, None)):
        with limited(30_000):
            got = weft.sort(flat(open_file(path)))[at].numpy()
            positions = weft.argsort(flat(open_file(path)))[at].numpy()
        assert np.array_equal(got.view("u4"), weft.sort(flat(x))[at].numpy().view("u4"))
        assert np.array_equal(positions, weft.argsort(flat(x))[at].numpy())
    assert "EqualCells" in consumers_of(sweeps)


@settings(max_examples=examples(20, quick=6))
@given(data=st.data())
def test_any_shape_and_limit(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("any")
    array, path = drawn_file(data, folder, [dt.float32, dt.float64, dt.float16, dt.int8])
    name = data.draw(st.sampled_from(["quantile", "nanquantile", "percentile", "falling", "topk, positions"]))
    if array.size < 9:
        return
    assert is_as_in_memory(VALUES[name], array, path, data.draw(st.integers(3000, 20_000)))


def test_two_sweeps_find_float32(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    path = written(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(1100, 1000)).astype("f4"))
    with limited(8 << 20):
        weft.quantile(open_file(path), [0.1, 0.5]).numpy()
    assert consumers_of(sweeps) == ["KeyTotals", "CellsOfRanges"]


@pytest.mark.parametrize(
    ("dtype", "turned"), in_turn([dt.float32, dt.int16, dt.bool, dt.float64], [False, True], every=2), ids=str
)
def test_one_sweep_finds_the_first_cells(
    tmp_path: Path, dtype: dt.DType, turned: bool, sweeps: list[Sweep[Any]]
) -> None:
    array = tough((300, 250), dtype)  # with equal cells on all sides of a tile's border
    weft.save(tmp_path / "x.zarr", weft.asarray(array), chunks=(70, 60))
    for descending in (False, True):
        for function in (weft.sort, weft.argsort):

            def first(x: Tensor) -> Tensor:
                return function(flat(x.T if turned else x), descending=descending)[2:40:3]  # noqa: B023

            sweeps.clear()
            assert is_as_in_memory(first, array, tmp_path / "x.zarr", array.nbytes * 3 // 4), (function, descending)
            assert consumers_of(sweeps) == ["LeadingCells"] and sweeps[0].tiling.count > 3
    with limited(array.nbytes * 3 // 4):
        assert len(weft.explain(first(weft.open(tmp_path / "x.zarr"))).sweeps) == 1


def test_what_fits_is_sorted_at_once(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    path = written(tmp_path / "x.npy", np.arange(1000.0))
    with limited(100_000):
        assert weft.median(open_file(path)).item() == 499.5
    assert not consumers_of(sweeps)


def test_a_saved_value_is_found_too(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = tough((200, 100), dt.float32)
    x = weft.open(written(tmp_path / "x.npy", array))
    with limited(40_000):
        weft.save(tmp_path / "y.npy", x - weft.nanmedian(x))
    want = weft.asarray(array) - weft.nanmedian(weft.asarray(array))
    assert same(np.load(tmp_path / "y.npy"), want.numpy())
    assert consumers_of(sweeps)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_keys_have_the_order_of_the_cells(dtype: dt.DType) -> None:
    cells = tough((500,), dtype).reshape(-1)
    keys = wrap(Keys(dtype)(cells)).numpy()
    order = np.argsort(keys, kind="stable")
    assert np.array_equal(order, np.argsort(dt.widened(cells), kind="stable"))
    assert np.array_equal(dt.widened(Keys(dtype).cells(keys)), dt.widened(cells), equal_nan=dtype.kind == "float")


def test_explain_says_the_sweeps(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    x = weft.open(written(tmp_path / "x.npy", tough((300, 200), dt.float32)))
    with limited(100_000):
        few = weft.explain(weft.median(x)).sweeps
        many = weft.explain(weft.sort(flat(x))).sweeps
        weft.sort(flat(x)).numpy()
    assert [s.round for s in few] == [1, 2, 3, 4] and all("sort" in str(s) for s in (*few, *many[:-1]))
    assert len(many) == len(sweeps) > 3 and all(s.bytes == 240_000 for s in (*few, *many[:-1]))


def test_cells_that_are_not_nan_are_counted_in_tiles(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    x = weft.open(written(tmp_path / "x.npy", tough((300, 200), dt.float32)))
    with limited(100_000):
        weft.nanmedian(x).numpy()
    assert len(sweeps) > 1 and min(s.tiling.count for s in sweeps) > 1
