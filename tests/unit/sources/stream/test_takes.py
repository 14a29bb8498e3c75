"""Takes from files at positions that tables name, in tiles: the bits of the whole, within the limit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from tests.unit.sources.stream.test_lines import tough
from tests.unit.sources.stream.test_rounds import same
from weft import dtypes as dt
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box
from weft.runtime.memory.limits import limited
from weft.sources.stream.sweep import Sweep
from weft.sources.stream.takes import along_rule
from weft.tensors.tensor import Tensor

RANDOM = np.random.default_rng(3)
ROWS, COLUMNS = RANDOM.integers(0, 40, 50), RANDOM.permutation(30)
LAND = RANDOM.random((30, 20)) > 0.4

TAKES: dict[str, Callable[[Tensor], Any]] = {
    "rows": lambda x: x[ROWS],
    "mean of rows": lambda x: x[ROWS].mean(axis=0),
    "columns": lambda x: weft.take(x * 2, COLUMNS, axis=1),
    "all": lambda x: x[:, COLUMNS].sum(),
    "places": lambda x: x[:, LAND],
    "mean of places": lambda x: weft.nanmean(x[:, weft.asarray(LAND)], axis=1),
    "differences": lambda x: x[ROWS[1:]] - x[ROWS[:-1]],
    "of a part": lambda x: x[::2][RANDOM.permutation(20) * 0 + np.arange(20)[::-1] // 2 * 2, 3:],
}


@pytest.mark.parametrize(("name", "chunks"), in_turn(TAKES, [(4, 30, 20), (40, 7, 5)], every=2), ids=str)
def test_same_bits_as_the_whole(tmp_path: Path, name: str, chunks: tuple[int, ...], sweeps: list[Sweep[Any]]) -> None:
    array = tough((40, 30, 20), dt.float32)
    want = TAKES[name](weft.asarray(array)).numpy()
    weft.save(tmp_path / "x.zarr", array, chunks=chunks)
    sweeps.clear()
    with limited(40_000):
        assert same(TAKES[name](weft.open(tmp_path / "x.zarr")).numpy(), want)
    assert any(s.takes for s in sweeps)


@pytest.mark.parametrize("joined", [lambda means: means, lambda means: means * 1], ids=["stack", "computed"])
def test_means_of_groups_are_looked_up_when_all_are_there(
    tmp_path: Path, joined: Callable[[Tensor], Tensor], sweeps: list[Sweep[Any]]
) -> None:
    array = RANDOM.random((1460, 12, 24)).astype("f4")
    months = np.arange("2000-01-01", "2004-01-01", dtype="M8[D]")[:1460].astype("M8[M]").astype(int) % 12
    weft.save(tmp_path / "x.zarr", array, chunks=(100, 6, 12), compressor="gzip")
    sweeps.clear()
    with limited(520_000):
        x = weft.open(tmp_path / "x.zarr")
        means = weft.stack([weft.mean(x[np.flatnonzero(months == m)], axis=0) for m in range(12)])
        weft.save(tmp_path / "y.npy", x - weft.take(joined(means), months, axis=0))
    want = np.stack([array[months == m].mean(axis=0) for m in range(12)])
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), array - want[months], atol=1e-5)
    assert all(s.fits and min(s.tiling.size[1:]) >= 6 for s in sweeps)


def _check_saved_anomalies(tmp_path: Path, array: np.ndarray, groups: int, limit: int) -> None:
    """Save an array's differences to the means of every `groups`-th row within a limit, and check the cells."""
    numbers = np.arange(len(array)) % groups
    np.save(tmp_path / "x.npy", array)
    with limited(limit):
        x = weft.open(tmp_path / "x.npy")
        means = weft.stack([weft.mean(x[g::groups], axis=0) for g in range(groups)])
        weft.save(tmp_path / "y.npy", x - means[numbers])
    want = np.stack([array[g::groups].mean(axis=0) for g in range(groups)])
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), array - want[numbers], atol=1e-5)


def test_means_that_take_a_third_of_the_limit_leave_tiles_of_many_rows(
    tmp_path: Path, sweeps: list[Sweep[Any]]
) -> None:
    _check_saved_anomalies(tmp_path, RANDOM.random((260, 150, 80)).astype("f4"), 12, 1_800_000)
    assert all(s.fits for s in sweeps) and sweeps[-1].tiling.count <= 2 * 260


def test_means_of_few_cells_are_saved_by_tiles_that_hold_all_of_them(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = RANDOM.random((240, 60, 80)).astype("f4")
    _check_saved_anomalies(tmp_path, array, 24, 1_500_000)
    assert all(s.fits for s in sweeps) and sum([s.nbytes for s in sweeps]) <= 1.1 * array.nbytes


def test_few_positions_are_read_alone(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = tough((40, 30, 20), dt.float32)
    np.save(tmp_path / "x.npy", array)
    with limited(20_000):
        x = weft.open(tmp_path / "x.npy")[[3, 22]]
        assert same(x.numpy(), array[[3, 22]])
    assert not any(s.takes for s in sweeps)


PLACES = RANDOM.integers(0, 40, (30, 90, 60))
ALONG: dict[str, Callable[[Tensor], Any]] = {
    "median": lambda x: weft.nanmedian(x, axis=0),
    "along rows": lambda x: weft.nanpercentile(x, [10.0, 75.0], axis=-1),
    "over two axes": lambda x: weft.nanmedian(x * 2, axis=(1, 2)),
    "nearest": lambda x: weft.nanquantile(x, 0.3, axis=1, method="nearest").max(axis=0),
    "at positions": lambda x: weft.take_along_axis(x, weft.asarray(PLACES), axis=0),
    "at the least": lambda x: weft.take_along_axis(x, weft.argsort(x, axis=0)[:25], axis=0),
    "in order": lambda x: weft.take_along_axis(x, weft.argsort(x, axis=1), axis=1),
}


@pytest.mark.parametrize(("name", "chunks"), in_turn(ALONG, [(4, 90, 60), (40, 20, 15)], every=2), ids=str)
def test_lines_are_looked_up_in_tiles(
    tmp_path: Path, name: str, chunks: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes = set()

    def noted(n: Node, box: Box) -> Any:
        boxes.add(box)
        return along_rule(n, box)

    monkeypatch.setattr("weft.sources.stream.sweep.along_rule", noted)
    array = tough((40, 90, 60), dt.float32)
    want = ALONG[name](weft.asarray(array)).numpy()
    weft.save(tmp_path / "x.zarr", array, chunks=chunks)
    boxes.clear()
    with limited(300_000):
        assert same(ALONG[name](weft.open(tmp_path / "x.zarr")).numpy(), want)
    assert len({box.start for box in boxes}) > 1


def test_days_of_two_years(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = tough((96, 30, 20), dt.float32)
    weft.save(tmp_path / "x.zarr", array, chunks=(8, 15, 20))

    def days(x: Tensor) -> Tensor:
        return weft.concat([weft.mean(x[[i, i + 48]], axis=0, keepdims=True) for i in range(48)], axis=0)

    with limited(60_000):
        assert same(days(weft.open(tmp_path / "x.zarr")).numpy(), days(weft.asarray(array)).numpy())
    (sweep,) = sweeps
    units = [u for step in sweep.steps.units for u in step.read]
    assert len(units) == len(set(units)) == 24  # and nothing of what lies between the years
    assert all(sum(box.cells for _, box in asked) == 2 * tile.cells for tile, asked in zip(
        sweep.steps.boxes, sweep.steps.read, strict=True
    ))  # fmt: skip
    assert sweep.tiling.size[0] < 48  # a tile has some of the days
