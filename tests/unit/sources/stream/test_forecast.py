"""What a forecast lists is what runs: the same sweeps in the same order, over the same tiles and chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.sources.stream.large_files import cells, flat
from weft import dtypes as dt
from weft.ir.graph.node import walk
from weft.runtime.memory.limits import limited
from weft.sources.stream import interleaved_sweeps, sweep
from weft.sources.stream.forecast import planned
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor, node_of

LIMIT = 60_000
PROGRAMS: dict[str, Callable[[Tensor], Sequence[Tensor]]] = {
    "histogram": lambda x: [weft.histogram(x, bins=20, range=(-5.0, 5.0))[0]],
    "histogram of an anomaly": lambda x: [weft.histogram(x - x.mean(), bins=20, range=(-5.0, 5.0))[0]],
    "values of two shapes": lambda x: [x + 1, (x - x.mean(axis=0))[:100]],
    "one is made of the other": lambda x: [y := weft.exp(x), y[:150] * 2],
    "variance and values behind": lambda x: [(x - x.mean(axis=0)) / x.std(axis=0)],
    "reductions of reductions": lambda x: [weft.max(x - weft.max(x, axis=0)), x.sum(axis=1)],
    "product of few cells": lambda x: [x.T @ x, x.mean(axis=0)],
    "behind a small routine": lambda x: [x * weft.linalg.det(x[:40, :40])],
    "lines that are broadcast": lambda x: [weft.clip(x, *weft.quantile(x, weft.asarray([0.1, 0.9]), axis=0))],
    "looked up in what was found": lambda x: [weft.take(x.sum(axis=0), weft.argmax(x, axis=1))],
    "scan that is read twice": lambda x: [(lambda s: (s[1:] * s[:-1]).mean())(weft.cumulative_sum(flat(x)))],
    "few cells of a scan": lambda x: [x[1:] - weft.diff(weft.cumulative_sum(x.mean(axis=1)))[:, None]],
    "first rows": lambda x: list(weft.topk(x, 3, axis=0)),
    "first cells": lambda x: [weft.sort(flat(x))[:7]],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_forecast_is_what_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weft.save(tmp_path / "x.zarr", cells((300, 80), dt.float32), chunks=(50, 20))
    found: list[Any] = []
    run_tiles = sweep.run_tiles

    def noted(tiles: Sequence[tuple[Sweep[Any], int]], *more: Any) -> None:
        found.extend(map(facts, dict.fromkeys([s for s, _ in tiles])))
        run_tiles(tiles, *more)

    with limited(LIMIT):
        values = PROGRAMS[name](weft.open(tmp_path / "x.zarr"))
        said = forecast(values)
        for module in (sweep, interleaved_sweeps):
            monkeypatch.setattr(module, "run_tiles", noted)
        weft.compute(*values)
    assert said == found != []


def test_a_forecast_leaves_the_graph_as_it_is(tmp_path: Path) -> None:
    weft.save(tmp_path / "x.zarr", cells((300, 80), dt.float32), chunks=(50, 20))
    with limited(LIMIT):
        for program in PROGRAMS.values():
            values = program(weft.open(tmp_path / "x.zarr"))
            before = [(n, n.op, n.inputs, n.value) for n in walk(map(node_of, values))]
            forecast(values)
            assert all((n.op, n.inputs) == (op, inputs) and n.value is value for n, op, inputs, value in before)


def test_a_sort_is_read_from_its_scratch_file(tmp_path: Path) -> None:
    weft.save(tmp_path / "x.zarr", cells((300, 80), dt.float32), chunks=(50, 20))
    with limited(LIMIT):
        *counts, buckets, values = forecast([weft.sort(flat(weft.open(tmp_path / "x.zarr")))])
    assert {kinds[0] for kinds, *_ in counts} == {"KeyTotals"}
    assert [kinds for kinds, *_ in (buckets, values)] == [["Buckets"], ["MemoryWriter"]]


def test_positions_that_follow_from_cells_are_taken_to_be_in_the_middle(tmp_path: Path) -> None:
    x = cells((300, 80), dt.float32)
    np.save(tmp_path / "x.npy", x)
    with limited(x.nbytes // 2):
        said = forecast([weft.nanmedian(weft.open(tmp_path / "x.npy"))])
    assert [kinds for kinds, *_ in said][:: len(said) - 1] == [["Reductions"], ["CellsOfRanges"]]


def forecast(values: Sequence[Tensor]) -> list[Any]:
    said: list[Any] = []
    planned([node_of(v) for v in values], lambda s: said.append(facts(s)))
    return said


def facts(s: Sweep[Any]) -> Any:
    """The consumers of a sweep, its tiles, and the boxes that are read for each."""
    boxes = [[u.box for u in step.read] for step in s.steps.units]
    return [type(t).__name__ for t in s.consumers], s.steps.boxes, boxes
