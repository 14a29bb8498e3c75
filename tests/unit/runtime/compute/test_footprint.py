"""Takes over files: exactly the cells that tables name are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.runtime.compute import footprint
from weft.sources.read import byte_ranges, loading

N, M = 400, 50
RNG = np.random.default_rng(3)
ROWS, COLUMNS, AGAIN = RNG.permutation(N)[:20], RNG.permutation(M)[:20], RNG.permutation(20)[:6]


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> byte_ranges.Meter:
    """Counts the bytes of every read."""
    found = byte_ranges.Meter()
    monkeypatch.setattr(byte_ranges, "METERS", [found])
    monkeypatch.setattr(loading, "METERS", [found])
    return found


TAKES = {
    "rows": (lambda x: x[ROWS], 20 * M),
    "columns": (lambda x: x[:10, COLUMNS], 20 * 10),
    "a few columns of a row": (lambda x: x[7][COLUMNS], 20),
    "cells": (lambda x: x[ROWS, COLUMNS], 20),
    "a mesh": (lambda x: x[ROWS[:3, None], COLUMNS[:4]], 12),
    "a part of a take": (lambda x: x[ROWS][2:5, ::7] + 0, 3 * 8),
    "a take of a take": (lambda x: x[ROWS][AGAIN], 6 * M),
    "a take of a part": (lambda x: x[::-2][ROWS // 2, 3:9], len(set(ROWS // 2)) * 6),
    "repetitions once": (lambda x: x[np.repeat(ROWS[:3], 4)], 3 * M),
    "runs": (lambda x: x[np.r_[0:8, 100:120]], 28 * M),
    "after arithmetic": (lambda x: (x * 2 + 1)[ROWS], 20 * M),
    "nothing": (lambda x: x[ROWS[:0]], 0),
}


@pytest.mark.parametrize("dtype", ["<f8", ">i2"])
@pytest.mark.parametrize("name", TAKES)
def test_only_what_tables_name_is_read(name: str, dtype: str, tmp_path: Path, meter: byte_ranges.Meter) -> None:
    take, cells = TAKES[name]
    a = np.arange(N * M).reshape(N, M).astype(dtype)
    np.save(tmp_path / "a.npy", a)
    found = take(weft.open(tmp_path / "a.npy")).numpy()
    assert np.array_equal(found, take(a))
    assert sum(meter.sizes) == cells * a.itemsize


def test_a_table_over_many_files_reads_those_it_meets(tmp_path: Path, meter: byte_ranges.Meter) -> None:
    parts = [np.arange(100.0) + 100 * k for k in range(8)]
    for k, p in enumerate(parts):
        np.save(tmp_path / f"{k}.npy", p)
    x = weft.concat([weft.open(tmp_path / f"{k}.npy") for k in range(8)])
    table = np.array([705, 3, 9, 4, 702, 2])
    assert x[table].tolist() == table.tolist()
    assert sum(meter.sizes) == 6 * 8


def test_a_second_table_of_the_same_form_reads_its_own_rows(tmp_path: Path, meter: byte_ranges.Meter) -> None:
    np.save(tmp_path / "a.npy", np.arange(1000.0))
    for table in ([3, 900, 5, 4], [7, 2, 500, 999]):
        x = weft.open(tmp_path / "a.npy")
        assert x[table].tolist() == table
    assert sum(meter.sizes) == 2 * 4 * 8


def test_addresses_that_are_not_at_hand_read_the_whole(
    tmp_path: Path, meter: byte_ranges.Meter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(footprint, "MAX_ADDRESSES", 3)
    np.save(tmp_path / "a.npy", np.arange(10.0))
    assert weft.open(tmp_path / "a.npy")[[3, 9, 5, 4]].tolist() == [3, 9, 5, 4]
    assert sum(meter.sizes) == 80


def test_index_objects_read_what_they_name(tmp_path: Path, meter: byte_ranges.Meter) -> None:
    a = np.arange(N * M).reshape(N, M)
    np.save(tmp_path / "a.npy", a)
    x: Any = weft.open(tmp_path / "a.npy")
    found = weft.find(weft.asarray(a % 1999 == 0))
    assert np.array_equal(x[found].numpy(), a[a % 1999 == 0])
    assert sum(meter.sizes) == np.count_nonzero(a % 1999 == 0) * 8


COMPOSITES = {
    "concat": (lambda f, g: weft.concat([f, g]), lambda a, b: np.concatenate([a, b])),
    "interleave": (lambda f, g: weft.interleave([f, g]), lambda a, b: np.stack([a, b], 1).reshape(2 * N, M)),
    "pad": (lambda f, g: weft.pad(f, ((3, 3), (3, 3))), lambda a, b: np.pad(a, 3)),
    "overlay": (lambda f, g: weft.overlay([f, g.translate((N, 0))]), lambda a, b: np.concatenate([a, b])),
    "a view": (lambda f, g: weft.concat([f, g])[1:, ::-1], lambda a, b: np.concatenate([a, b])[1:, ::-1]),
}
PLACES = [([5, N - 9], [7, 8]), ([[1, 2], [3, 1]], [4]), ([5, 5], [7, 7])]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", COMPOSITES)
def test_few_cells_of_a_composite_do_not_have_it_read(
    name: str, place: tuple[Any, ...], tmp_path: Path, meter: byte_ranges.Meter
) -> None:
    made, wanted = COMPOSITES[name]
    a = np.arange(N * M, dtype="f4").reshape(N, M)
    for path, part in (("a.npy", a), ("b.npy", a + 0.5)):
        np.save(tmp_path / path, part)
    found = made(weft.open(tmp_path / "a.npy"), weft.open(tmp_path / "b.npy"))[place].numpy()
    assert np.array_equal(found, wanted(a, a + 0.5)[place])
    assert sum(meter.sizes) <= 4 * 4 * len(np.unique(place[0])) * len(np.unique(place[1]))
