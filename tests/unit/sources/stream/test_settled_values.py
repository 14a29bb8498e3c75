"""Values over files that are computed before tiles: small ones needed whole, scans read out of order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from tests.unit.sources.stream.large_files import cells, same
from weft import dtypes as dt
from weft.errors import MemoryLimitWarning
from weft.runtime.memory.limits import limited
from weft.sources.stream.appended_cells import AppendedScan
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

MONTHS = np.arange(60) % 12

VALUES: dict[str, Callable[[Tensor], Any]] = {
    "anomalies by month": lambda x: x - weft.reshape(x, (5, 12, 30, 20)).max(axis=0)[MONTHS],
    "from a median": lambda x: x - weft.median(x.max(axis=(1, 2))),
    "by an inverse": lambda x: x * weft.linalg.det(x[:, :3, :3].max(axis=0) + weft.eye(3, dtype=x.dtype)),
    "divisors": lambda x: weft.gcd(weft.astype(x, weft.int32), 6),
    "sum of multiples": lambda x: weft.sum(weft.lcm(weft.astype(x, weft.int32), 4), axis=0),
    "largest divisor": lambda x: weft.gcd(weft.reshape(weft.astype(x, weft.int32), (-1,)), 12).max(),
    "chosen": lambda x: weft.choose(weft.astype(weft.abs(x), weft.int32) % 3, [x, 2 * x, -x]),
    "choice by number": lambda x: weft.choose(weft.clip(weft.astype(x, weft.int64), 0, 1), [x, -x]).max(axis=0),
    "pieces": lambda x: weft.piecewise(x, [x < 0, x > 1], [lambda v: -v, 3.0]),
    "without zeros": lambda x: weft.trim_zeros(weft.reshape(weft.where(weft.abs(x) > 9, x, 0), (-1,))),
}
SCANS: dict[str, Callable[[Tensor], Any]] = {
    "last": lambda x: weft.cumulative_sum(weft.reshape(x, (-1,)))[-1],
    "backwards": lambda x: weft.flip(weft.cumulative_sum(weft.reshape(x, (-1,)))) * 2,
    "steps": lambda x: weft.diff(weft.cumulative_sum(weft.reshape(x, (-1,)))),
    "twice": lambda x: (lambda s: (s[1:] * s[:-1]).mean())(weft.cumulative_sum(weft.reshape(x, (-1,)))),
    "some": lambda x: weft.cumulative_sum(weft.reshape(x, (-1,)))[::7],
    "products": lambda x: weft.cumulative_prod(1 + weft.reshape(x, (-1,)) / 1e5)[[5, 35_000, 3]],
    "of one line": lambda x: weft.cumulative_sum(weft.reshape(x, (1, -1)), axis=1)[0, 35_000:3:-9000],
}


FORMS = ("zarr", "npy")


def saved(folder: Path) -> Any:
    array = cells((60, 30, 20), dt.float32)
    weft.save(folder / "x.zarr", array, chunks=(12, 10, 20))
    np.save(folder / "x.npy", array)
    return array


@pytest.mark.parametrize(("name", "form"), in_turn(VALUES, FORMS, every=2))
def test_values_behind_small_ones(tmp_path: Path, name: str, form: str, sweeps: list[Sweep[Any]]) -> None:
    want = VALUES[name](weft.asarray(saved(tmp_path))).numpy()
    sweeps.clear()
    with limited(100_000):
        assert same(VALUES[name](weft.open(tmp_path / f"x.{form}")).numpy(), want)
    assert sweeps and sweeps[-1].tiling.count > 1 and all(s.fits for s in sweeps)


@pytest.mark.parametrize("limit", [120_000, pytest.param(60_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "form"), in_turn(SCANS, FORMS, every=2))
def test_scans_that_are_read_in_another_order(
    tmp_path: Path, name: str, form: str, limit: int, sweeps: list[Sweep[Any]]
) -> None:
    want = SCANS[name](weft.asarray(saved(tmp_path))).numpy()
    sweeps.clear()
    with limited(limit):
        assert same(SCANS[name](weft.open(tmp_path / f"x.{form}")).numpy(), want)
    assert any(isinstance(s.consumers[0], AppendedScan) and s.tiling.count > 1 for s in sweeps)


def test_the_sweeps_are_foreseen(tmp_path: Path) -> None:
    saved(tmp_path)
    with limited(60_000):
        x = weft.open(tmp_path / "x.npy")
        for value in (SCANS["steps"](x), VALUES["from a median"](x), weft.vdot(x, x)):
            assert "tiles" in str(weft.explain(value))


def test_conditions_of_pieces_are_not_looked_at(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    saved(tmp_path)
    sweeps.clear()
    with limited(100_000):
        x = weft.open(tmp_path / "x.npy")
        made = weft.piecewise(x, [x < 0, x > 1], [lambda v: -v, 3.0])
        assert made.shape == x.shape and not sweeps


TOO_LARGE: dict[str, Callable[[Tensor], Any]] = {
    "unique": lambda x: weft.unique(x, axis=0),
    "svdvals": lambda x: weft.linalg.svdvals(weft.reshape(x[:100], (-1, 20))),
    "sort": lambda x: weft.sort(weft.reshape(x, (2, -1)), axis=1),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_takes_more_than_the_limit_says_so(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    array = saved(tmp_path)
    monkeypatch.setattr("weft.runtime.memory.limits.SLACK", 0)
    monkeypatch.setattr("weft.sources.read.loading.SMALL_READ", 0)
    with limited(60_000), pytest.warns(MemoryLimitWarning, match=rf"^{name}: \d{{6,7}} bytes .* limit of 60000;"):
        got = TOO_LARGE[name](weft.open(tmp_path / "x.zarr")).numpy()
    assert same(got, TOO_LARGE[name](weft.asarray(array)).numpy())


def test_a_routine_of_fewer_axes_than_its_value_is_saved(tmp_path: Path) -> None:
    array = saved(tmp_path)
    table = np.sort(cells((60_000,), dt.float32))
    np.save(tmp_path / "table.npy", table)
    for form in FORMS:
        with limited("64KiB"):
            found = weft.searchsorted(weft.open(tmp_path / "table.npy"), weft.open(tmp_path / f"x.{form}"))
            weft.save(tmp_path / "found.npy", found)
        assert np.array_equal(np.load(tmp_path / "found.npy"), np.searchsorted(table, array))
