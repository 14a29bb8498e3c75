"""Views of files: the view is computed and kept, unless it is all of the value or that is small."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import weft

WAYS: dict[str, Callable[[weft.Tensor], object]] = {"compute": weft.compute, "realize": weft.Tensor.realize}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    np.save(tmp_path / "x.npy", np.arange(100_000.0).reshape(100, 10, 100))
    return tmp_path / "x.npy"


@pytest.mark.parametrize("way", WAYS)
def test_a_view_is_computed_without_its_root(path: Path, reads: list[int], way: str) -> None:
    x = weft.open(path) * 2
    view = x[7, :, 5]
    before = sum(reads)
    WAYS[way](view)
    assert 80 <= sum(reads) - before <= 8000
    once = len(reads)
    assert view.tolist() == (np.arange(7000.0, 8000.0, 100) * 2 + 10).tolist()
    assert len(reads) == once
    view[0] = -1
    assert x[7, 0, 5].item() == view[0].item() == -1
    assert (x[7, 1, 5].item(), x[99, 9, 99].item()) == (14210.0, 199998.0)


@pytest.mark.parametrize("way", WAYS)
def test_views_of_all_and_of_little_compute_the_root(path: Path, reads: list[int], way: str) -> None:
    x, y = weft.open(path), weft.open(path)[0, :8] * 2
    for value, view in ((x, x.transpose((2, 0, 1))), (y, y[3])):
        WAYS[way](view)
        once = len(reads)
        assert value.sum().item() > 0
        assert len(reads) == once


def test_views_are_computed_together(path: Path, reads: list[int]) -> None:
    x = weft.open(path) * 2
    low, high = x[0], x[99]
    weft.compute(low, high)
    once = len(reads)
    assert (low.sum().item(), high.sum().item()) == (999_000.0, 198_999_000.0)
    assert len(reads) == once
