"""Cells of files that masks select, and positions of true cells: those in memory, within the limit."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.unit.sources.stream.test_lines import tough
from tests.unit.sources.stream.test_order_statistics import flat
from tests.unit.sources.stream.test_rounds import same, written
from weft import dtypes as dt
from weft.errors import WriteError
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.stream.selected_cells import SelectedCells
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

SELECTED: dict[str, Callable[[Tensor], Any]] = {
    "cells": lambda x: x[x > 1],
    "few": lambda x: x[x == 0],
    "none": lambda x: x[x > 1e9],
    "mean": lambda x: x[x > 1].mean(),
    "spread": lambda x: weft.std(x[x < 2] * 3),
    "median": lambda x: weft.median(x[~weft.isnan(x)]),
    "flat": lambda x: flat(x)[flat(x > 1)],
    "turned": lambda x: x.T[x.T > 1],
    "deviations": lambda x: x[x > weft.nanmean(x)],
    "of another": lambda x: weft.arange(x.size).reshape(x.shape)[x > 1],
    "nonzero": lambda x: weft.stack(weft.nonzero(x > 1)),
    "argwhere": weft.argwhere,
    "flatnonzero": weft.flatnonzero,
    "compress": lambda x: weft.compress(flat(x > 1), flat(x)),
    "distinct": lambda x: weft.unique(x[x > 1]),
}


@pytest.fixture
def tiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of tiles in which cells were selected."""
    found: list[int] = []
    run = Sweep.run

    def noted(self: Sweep[Any]) -> None:
        found.extend(len(self.steps.boxes) for t in self.takers if isinstance(t, SelectedCells))
        run(self)

    monkeypatch.setattr(Sweep, "run", noted)
    return found


@pytest.mark.parametrize("name", SELECTED)
def test_same_bits_as_the_whole(tmp_path: Path, name: str, tiles: list[int]) -> None:
    for order in "CF":
        array = tough((300, 200), dt.float32)
        path = written(tmp_path / f"{order}.npy", array, order, big=True)
        want = SELECTED[name](weft.asarray(array)).numpy()
        with limited(100_000):
            assert same(SELECTED[name](open_file(path)).numpy(), want), order
    assert min(tiles) > 3


@settings(max_examples=20)
@given(data=st.data())
def test_any_shape_and_limit(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=2, max_size=2)))
    array = tough(shape, data.draw(st.sampled_from([dt.float32, dt.float16, dt.int8])))
    parts = tuple(data.draw(st.integers(1, n)) for n in shape)
    folder = tmp_path_factory.mktemp("any")
    weft.save(folder / "x.zarr", weft.asarray(array), chunks=parts)
    name = data.draw(st.sampled_from(sorted(SELECTED.keys() - {"median", "mean", "spread"})))
    with limited(data.draw(st.integers(3000, 20_000))):
        weft.save(folder / "y.npy", SELECTED[name](weft.open(folder / "x.zarr")))
    assert same(np.load(folder / "y.npy"), SELECTED[name](weft.asarray(array)).numpy())


def test_cells_that_take_more_than_the_limit_are_read_again_from_a_scratch_file(tmp_path: Path) -> None:
    array = tough((300, 200), dt.float32)
    with limited(40_000):
        x = weft.open(written(tmp_path / "x.npy", array))
        selected, at = x[x > 0], weft.nonzero(x > 0)
        (tmp_path / "x.npy").unlink()
        weft.save(tmp_path / "y.npy", selected)
        weft.save(tmp_path / "z.npy", at[1][::-7])
        assert same(selected.sum().numpy(), weft.asarray(array[array > 0]).sum().numpy())
    assert same(np.load(tmp_path / "y.npy"), array[array > 0])
    assert same(np.load(tmp_path / "z.npy"), np.nonzero(array > 0)[1][::-7])


def test_gradients_flow_to_the_selected_cells(tmp_path: Path) -> None:
    array = tough((60, 50), dt.float32)
    with limited(6000):
        x = weft.open(written(tmp_path / "x.npy", array))
        x.requires_grad_()
        (x[x > 1] * 2).sum().backward()
    assert same(x.grad.numpy(), np.where(array > 1, np.float32(2), np.float32(0)))


def test_no_scratch_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    x = weft.open(written(tmp_path / "x.npy", tough((50_000,), dt.float32)))
    monkeypatch.setattr(os, "pwrite", full)
    with (
        limited(10_000),
        pytest.raises(WriteError, match=r"^scratch: .*cannot be written to; no space left"),
    ):
        x[x > 0]
