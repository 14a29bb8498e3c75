"""BinTotals and sums by bin of files, in tiles: the bits of the whole, within the memory granted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.sources.stream.large_files import tiles_of
from weft.runtime.memory.limits import limited
from weft.sources.stream.consumers import BinTotals
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

RNG = np.random.default_rng(4)


COUNTS: dict[str, Callable[[Tensor], Any]] = {
    "even": lambda x: weft.histogram(x, 20, range=(-2, 2))[0],
    "unknown ends": lambda x: weft.histogram(x * x, 20)[0],
    "given": lambda x: weft.histogram(x, np.sort(np.random.default_rng(1).normal(size=40)))[0],
    "weights": lambda x: weft.histogram(x + 1, 9, range=(-2, 2), weights=x)[0],
    "integer weights": lambda x: weft.histogram(x, 9, range=(-2, 2), weights=weft.astype(x * 100, int))[0],
    "deviations": lambda x: weft.histogram(x - weft.mean(x), 9, range=(-2, 2))[0],
    "points": lambda x: weft.histogram2d(x[0], x[1], 5, range=[(-1, 1)] * 2)[0],
    "numbers": lambda x: weft.bincount(weft.reshape(weft.astype(weft.abs(x) * 9, int), (-1,))),
    "shares": lambda x: weft.histogram(x, 20, range=(-2, 2), density=True)[0] + 1,
}


@pytest.mark.parametrize("name", COUNTS)
def test_the_bits_of_the_whole(name: str, tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    a = RNG.normal(size=(60, 500)).astype("f4")
    np.save(tmp_path / "x.npy", a)
    with limited(30_000):
        got = COUNTS[name](weft.open(tmp_path / "x.npy")).numpy()
    assert np.array_equal(got, COUNTS[name](weft.asarray(a)).numpy())
    assert max(tiles_of(sweeps, BinTotals), default=0) > 3 or name == "points"
