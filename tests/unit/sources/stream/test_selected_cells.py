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
from tests.shares import examples, in_turn
from tests.unit.sources.stream.large_files import (
    drawn_file,
    flat,
    is_as_in_memory,
    is_saved_as_in_memory,
    same,
    tiles_of,
    tough,
    written,
)
from weft import dtypes as dt
from weft.errors import WriteError
from weft.runtime.memory.limits import limited
from weft.sources.stream.appending import SelectedCells
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
    "by an array": lambda x: x[np.arange(x.size).reshape(x.shape) % 3 == 0],
    "by a tensor": lambda x: (x * 2)[weft.asarray(np.arange(x.size).reshape(x.shape) % 5 < 2)],
    "mean by an array": lambda x: x[np.arange(x.size).reshape(x.shape) % 2 == 0].mean(),
    "nonzero": lambda x: weft.stack(weft.nonzero(x > 1)),
    "argwhere": weft.argwhere,
    "flatnonzero": weft.flatnonzero,
    "compress": lambda x: weft.compress(flat(x > 1), flat(x)),
    "distinct": lambda x: weft.unique(x[x > 1]),
}


@pytest.mark.parametrize(("name", "order"), in_turn(SELECTED, "CF", every=2))
def test_same_bits_as_the_whole(tmp_path: Path, name: str, order: str, sweeps: list[Sweep[Any]]) -> None:
    array = tough((300, 200), dt.float32)
    path = written(tmp_path / "x.npy", array, order, big=True)
    assert is_as_in_memory(SELECTED[name], array, path, 170_000)
    assert min(tiles_of(sweeps, SelectedCells)) > 3


@settings(max_examples=examples(20, quick=6))
@given(data=st.data())
def test_any_shape_and_limit(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("any")
    array, path = drawn_file(data, folder, [dt.float32, dt.float16, dt.int8])
    name = data.draw(st.sampled_from(sorted(SELECTED.keys() - {"median", "mean", "mean by an array", "spread"})))
    assert is_saved_as_in_memory(SELECTED[name], array, path, data.draw(st.integers(3000, 20_000)))


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
