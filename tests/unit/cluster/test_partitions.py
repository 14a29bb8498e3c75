"""Cuts of values and tiles: for all workers, into more parts only where no chunk is read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")

import weft
from weft.cluster.answers import worker_threads
from weft.cluster.distribution import Distribution
from weft.cluster.partitions import Partitioner
from weft.runtime.memory import limits
from weft.sources.stream.footprints import Footprint
from weft.sources.stream.forecast import planned
from weft.sources.stream.reduction_sweeps import reduction_sweeps
from weft.sources.stream.remote_executor import REMOTE_EXECUTOR, TaskShare
from weft.tensors.tensor import node_of

LIMIT = 64 << 20


class Addresses:
    """A stand-in for a client of a cluster, with the addresses of the workers alone."""

    def __init__(self, workers: int) -> None:
        self.workers = {f"tcp://worker-{k}:1": 1 for k in range(workers)}

    def sync(self, question: Any, *given: Any) -> dict[str, int]:
        assert question is worker_threads
        return self.workers


def zeros(path: Path, shape: tuple[int, ...], chunks: tuple[int, ...]) -> weft.Tensor:
    """An array over a store without chunks: all cells are the fill value, and only plans are made."""
    weft.save(path, weft.zeros((0, *shape[1:]), dtype="float32"), chunks=(1, *chunks[1:]))
    metadata = json.loads((path / "zarr.json").read_text())
    metadata["shape"] = shape
    metadata["chunk_grid"]["configuration"]["chunk_shape"] = chunks
    (path / "zarr.json").write_text(json.dumps(metadata))
    return weft.open(path)


def shares(x: weft.Tensor, workers: int) -> list[TaskShare]:
    """The first tasks of a program on a cluster that is not there."""
    others = Distribution(Addresses(workers), None, LIMIT, 1.0)  # type: ignore[arg-type]
    with limits.limited(LIMIT), REMOTE_EXECUTOR.block(others):
        return planned([node_of(x)], lambda sweep: None)


def test_boxes_are_cut_inside_of_chunks_only_if_workers_would_wait(tmp_path: Path) -> None:
    weft.save(tmp_path / "x.zarr", weft.zeros((40, 20, 20)), chunks=(5, 10, 10))
    values = Partitioner([node_of(weft.quantile(weft.open(tmp_path / "x.zarr"), 0.5, axis=0))], (1, 1))
    read = {}
    for workers in (2, 8):
        grid = values.grid(16, 4.0, workers)
        assert grid is not None
        read[workers] = grid.count, values.read(grid.boxes) / values.whole_bytes
    assert read == {2: (4, 1.0), 8: (8, 2.0)}


@pytest.mark.parametrize(("workers", "read"), [(2, 1.5), (4, 1.75)])
def test_tiles_that_share_chunks_are_not_spread_more_than_needed(tmp_path: Path, workers: int, read: float) -> None:
    a = zeros(tmp_path / "a.zarr", (8000, 8000), (1000, 1000))
    (share,) = shares((a + a.T).sum(axis=0), workers)
    assert (share.tasks, share.read) == (workers, read * a.nbytes)


def test_tiles_of_a_stencil_are_cut_in_the_middle_of_its_borders(tmp_path: Path) -> None:
    weft.save(tmp_path / "x.zarr", weft.zeros((8, 40, 40)), chunks=(8, 20, 20))
    u, v = weft.open(tmp_path / "x.zarr"), weft.open(tmp_path / "x.zarr")
    z = weft.roll(u, -1, 1) - weft.roll(u, 1, 1) + weft.roll(v, 1, 2) - weft.roll(v, -1, 2)
    along = Footprint([node_of(z)], LIMIT).cuts((8, 40, 40))[1:]
    assert [set(range(15, 26)).intersection(cuts) for cuts in along] == [{20}, {20}]
    assert 23 in Footprint([node_of(weft.roll(u, 3, 1))], LIMIT).cuts((8, 40, 40))[1]


def test_a_program_is_planned_while_there_are_no_workers(tmp_path: Path) -> None:
    a = zeros(tmp_path / "a.zarr", (8000, 8000), (1000, 1000))
    assert [share.tasks for share in shares((a + a.T).sum(axis=0), 0)] == [1]


def test_the_tiles_of_tasks_are_listed_without_what_they_read(tmp_path: Path) -> None:
    x = zeros(tmp_path / "x.zarr", (2000, 400, 400), (20, 100, 100))
    with limits.limited(LIMIT):
        (sweep,) = reduction_sweeps([node_of(x.mean(axis=0))], LIMIT)
        assert len(sweep.boxes) > 1 and "steps" not in vars(sweep)
        assert sweep.boxes == sweep.steps.boxes


def test_values_beyond_the_addresses_of_a_process_are_planned(tmp_path: Path) -> None:
    x = zeros(tmp_path / "x.zarr", (1 << 28, 1 << 10, 1 << 10), (1 << 12, 1 << 9, 1 << 9))  # 2^50 bytes
    (share,) = shares(weft.cumsum(x, axis=0), 4)
    assert (share.what, share.tasks, share.read) == ("cumulative_sum", 4, 1 << 50)
