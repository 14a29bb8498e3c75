"""Reshaped files in tiles: the bits of the whole, within the limit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples, in_turn
from tests.unit.sources.stream.test_lines import tough
from tests.unit.sources.stream.test_rounds import same
from weft import dtypes as dt
from weft.runtime.memory.limits import limited
from weft.sources.read import byte_ranges
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

RESHAPED: dict[str, Callable[[Tensor], Any]] = {
    "sum": lambda x: x.reshape(-1).sum(),
    "mean": lambda x: weft.mean(x.flatten() * 2 + 1),
    "greatest": lambda x: weft.abs(x.reshape(-1)).max(),
    "place": lambda x: weft.nanargmax(x.reshape(-1)),
    "spread": lambda x: x.reshape((1, -1)).std(),
    "rows": lambda x: x.reshape((x.shape[0], -1)).var(axis=1),
    "columns": lambda x: x.reshape((-1, x.shape[2])).sum(axis=0, keepdims=True),
    "both": lambda x: (x.reshape(-1) * x.reshape(-1)).sum(),
    "means of groups": lambda x: x.reshape((2, -1)).mean(axis=0),
    "means of months": lambda x: (x.reshape((x.shape[0] // 2, 2, -1)) - 1).mean(axis=0),
    "spreads of parts": lambda x: weft.std(x.reshape((2, -1, 2 * x.shape[2])), axis=(0, 2)),
    "differences": lambda x: weft.diff(x.reshape(-1)),
    "less the mean": lambda x: x.reshape(-1) - weft.nanmean(x.reshape(-1)),
    "flat": lambda x: x.reshape(-1),
    "backwards": lambda x: weft.flip(x.reshape(-1))[1::2],
    "another shape": lambda x: x.reshape((x.shape[2], -1, 2)) + 1,
    "turned": lambda x: weft.permute_dims(x, (2, 0, 1)).reshape(-1),
    "joined": lambda x: weft.concat([x, x[:1]], axis=None),
    "rolled": lambda x: weft.roll(x, 5),
    "running": lambda x: weft.cumulative_sum(x.reshape(-1)),
    "searched": lambda x: weft.searchsorted(weft.arange(9.0) - 4, x),
    "interpolated": lambda x: weft.interp(x.reshape(-1), [-2.0, 0.0, 2.0], [0.0, 3.0, 5.0]),
    "sorted, flat": lambda x: weft.sort(x, axis=1).reshape(-1),
}


@pytest.fixture
def tiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of tiles of all sweeps."""
    found: list[int] = []
    run = Sweep.run

    def noted(self: Sweep[Any]) -> None:
        found.append(len(self.steps.boxes))
        run(self)

    monkeypatch.setattr(Sweep, "run", noted)
    return found


@pytest.mark.parametrize(
    ("name", "chunks"), in_turn(RESHAPED, [(4, 10, 20), (40, 7, 3), (3, 30, 20)], every=3), ids=str
)
def test_same_bits_as_the_whole(tmp_path: Path, name: str, chunks: tuple[int, ...], tiles: list[int]) -> None:
    array = tough((40, 30, 20), dt.float32)
    want = RESHAPED[name](weft.asarray(array)).numpy()
    weft.save(tmp_path / "x.zarr", array, chunks=chunks)
    tiles.clear()
    with limited(40_000):
        assert same(RESHAPED[name](weft.open(tmp_path / "x.zarr")).numpy(), want)
    assert max(tiles) > 1


@settings(max_examples=examples(30, quick=8))
@given(data=st.data())
def test_any_shape_and_limit(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("any")
    shape = tuple(2 * data.draw(st.integers(1, 9)) for _ in range(3))
    array = tough(shape, data.draw(st.sampled_from([dt.float32, dt.int8])))
    parts = tuple(data.draw(st.integers(1, n)) for n in shape)
    weft.save(folder / "x.zarr", array, chunks=parts)
    name = data.draw(st.sampled_from(sorted(RESHAPED)))
    with limited(data.draw(st.integers(1000, 20_000))):
        got = RESHAPED[name](weft.open(folder / "x.zarr")).numpy()
    assert same(got, RESHAPED[name](weft.asarray(array)).numpy())


def test_a_flat_sum_reads_each_chunk_once(tmp_path: Path) -> None:
    weft.save(tmp_path / "x.zarr", np.ones((40, 30, 20), np.float32), chunks=(40, 7, 3))
    with limited(40_000):
        (sweep,) = weft.explain(weft.open(tmp_path / "x.zarr").reshape(-1).sum()).sweeps
    assert sweep.reads == sweep.units == 35


def test_means_over_years_of_joined_places_keep_the_limit(tmp_path: Path) -> None:
    array = tough((240, 30, 20), dt.float32)
    weft.save(tmp_path / "x.zarr", array, chunks=(20, 10, 10))
    years = weft.open(tmp_path / "x.zarr").reshape((20, -1))  # of 12 months
    with limited(100_000), warnings.catch_warnings():
        warnings.simplefilter("error")
        (sweep,) = weft.explain(years.mean(axis=0)).sweeps
        got = years.mean(axis=0).numpy()
    assert sweep.peak <= sweep.limit and sweep.reads == sweep.units == 72
    assert same(got, weft.asarray(array).reshape((20, -1)).mean(axis=0).numpy())


@pytest.mark.parametrize("shape", [(40, 3000), (500, 100)])
def test_rows_across_rows_of_the_file_are_read_once(
    tmp_path: Path, shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tile of few long rows reads boxes apart from each other. One of many short rows would ask for each row."""
    array = tough(shape, dt.float32)
    np.save(tmp_path / "x.npy", array)
    x = weft.open(tmp_path / "x.npy")
    monkeypatch.setattr(byte_ranges, "METERS", [meter := byte_ranges.Meter()])
    with limited(array.nbytes // 8):
        weft.save(tmp_path / "y.npy", weft.roll(x, 5))
    assert meter.done == array.nbytes
    assert same(np.load(tmp_path / "y.npy"), np.roll(array, 5))
