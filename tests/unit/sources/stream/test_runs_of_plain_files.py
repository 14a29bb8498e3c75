"""Tiles of plain files: long runs, the next tile read meanwhile, one thread for short runs."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.ir.graph.node import walk
from weft.ir.pieces.box import box_of
from weft.sources.read import byte_ranges
from weft.sources.stream.forecast import planned
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import node_of

SHAPE = (10_000, 20_000)


@pytest.fixture
def x(tmp_path: Path) -> weft.Tensor:
    """800 MB of float32 without blocks on the disk, which are planned and not read."""
    np.lib.format.open_memmap(tmp_path / "x.npy", "w+", "f4", SHAPE)
    return weft.open(tmp_path / "x.npy")


def tiles(value: weft.Tensor) -> list[Any]:
    return [r.tile for r in weft.explain(value).sweeps]


@pytest.mark.parametrize("limit", [None, "64MiB", "32MiB"])
def test_means_of_columns_read_whole_rows(x, limit):
    weft.set_memory_limit(limit)
    try:
        (tile,) = tiles(weft.mean(x, axis=0))
    finally:
        weft.set_memory_limit(None)
    assert tile[0] < SHAPE[0] and tile[1] == SHAPE[1]


def test_deviations_of_columns_go_twice_through_rows_where_columns_would_be_narrow(x):
    weft.set_memory_limit("32MiB")
    try:
        found = tiles(weft.std(x, axis=0))
    finally:
        weft.set_memory_limit(None)
    assert len(found) == 2 and all(tile[1] == SHAPE[1] for tile in found)


def test_there_is_room_for_the_next_tile(x):
    sweeps = list[Sweep[Any]]()
    planned([node_of(weft.mean(x, axis=1))], sweeps.append)
    (sweep,) = sweeps
    assert sweep.tiling.count > 2
    assert 2 * sweep.unit_bytes(sweep.tiling) <= sweep.room <= sweep.limit


def test_one_thread_at_a_time_reads_short_runs(tmp_path, monkeypatch):
    cells = np.arange(64 * 4096, dtype="i4").reshape(64, 4096)
    np.save(tmp_path / "y.npy", cells)
    inside, most, lock = [0], [0], threading.Lock()
    plain = byte_ranges._read_runs

    def watched(*args: Any) -> None:
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        time.sleep(0.01)
        plain(*args)
        with lock:
            inside[0] -= 1

    monkeypatch.setattr(byte_ranges, "_read_runs", watched)
    (source,) = [n.attrs[0] for n in walk([node_of(weft.open(tmp_path / "y.npy"))]) if n.op.name == "file"]
    found: dict[int, np.ndarray] = {}

    def read(k: int, width: int) -> None:
        found[k] = source.read_box(box_of((64, width), (0, width * (k % 2))))

    for width, at_once in ((8, 1), (2048, 1), (4096, 2)):  # the last ones are runs of 16 KB without gaps: one read
        most[0] = 0
        threads = [threading.Thread(target=read, args=(k if width < 4096 else 0, width)) for k in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert most[0] == at_once, width
        assert (found[0] == cells[:, :width]).all()


def test_few_cells_of_many_chunks_are_written_without_copies_of_the_chunks(tmp_path):
    weft.save(tmp_path / "x.zarr", np.ones((60, 400, 500), "f4"), chunks=(5, 100, 250))
    x = weft.open(tmp_path / "x.zarr")
    weft.set_memory_limit("8MiB")
    try:
        product = weft.explain(x @ np.ones(500, "f4"), path=tmp_path / "y.npy")
    finally:
        weft.set_memory_limit(None)
    assert [r.scratch for r in product.sweeps] == [0] and product.sweeps[0].tile[0] == 5


def test_products_of_neighbours_are_summed_over_whole_columns_where_runs_are_half_as_long(tmp_path):
    np.lib.format.open_memmap(tmp_path / "x.npy", "w+", "f4", (1200, 300, 360))
    x = weft.open(tmp_path / "x.npy")
    a, b = x[:-1], x[1:]
    weft.set_memory_limit("64MiB")
    try:
        found = tiles(weft.mean((a - weft.mean(a, axis=0)) * (b - weft.mean(b, axis=0)), axis=0))
    finally:
        weft.set_memory_limit(None)
    assert all(tile[0] == 1199 for tile in found)  # in tiles of one row, each row costs all lanes of its cells


@pytest.mark.parametrize("limit", [None, "64MiB"])
def test_products_of_columns_by_a_vector_read_whole_rows(tmp_path, limit):
    np.lib.format.open_memmap(tmp_path / "x.npy", "w+", "f4", (1_000_000, 128))
    np.lib.format.open_memmap(tmp_path / "y.npy", "w+", "f4", (1_000_000,))
    x, y = weft.open(tmp_path / "x.npy"), weft.open(tmp_path / "y.npy")
    weft.set_memory_limit(limit)
    try:
        found = weft.explain(x.T @ y).sweeps
    finally:
        weft.set_memory_limit(None)
    assert sum(r.bytes for r in found) <= 1.1 * (x.nbytes + y.nbytes)
    assert all(x.shape[1] in r.tile for r in found)
