"""Tilings: every cell of a shape lies in one tile."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.ir.graph.description import Shape
from weft.ir.kernels.sum_order import BLOCK
from weft.ir.pieces.box import box_of
from weft.sources.stream.folds import Reduced
from weft.sources.stream.tiling import Tiling, tiling


@dataclass
class CountedCells:
    """Costs of tiles that take their cells, of which `most` fit; `enough` along axis `runs` are a long run."""

    uncut: frozenset[int]
    order: list[int]
    most: int
    runs: int = 0
    enough: int = 1
    idle: frozenset[int] = frozenset()

    def cell_bytes(self, size: Shape) -> int:
        """Return the cells of a tile."""
        return prod(size)

    def unit_bytes(self, tiles: Tiling) -> int:
        """Return the cells that are read for a tile."""
        return prod(tiles.size)

    def share(self, tiles: Tiling) -> float:
        """Return the part of the cells that fit."""
        return prod(tiles.size) / self.most

    def exceeds(self, tiles: Tiling, share: float) -> bool:
        """True if tiles take more than this part."""
        return self.share(tiles) > share

    def run_share(self, tiles: Tiling) -> float:
        """Return the length of runs by what is enough."""
        return min(1.0, tiles.size[self.runs] / self.enough)


@given(data=st.data())
def test_tiles_cover_each_cell_once(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=3)))
    unit = [data.draw(st.integers(1, 7)) for _ in shape]
    cuts = [sorted({0, n, *data.draw(st.sets(st.integers(0, n)))}) for n in shape]
    uncut = frozenset(data.draw(st.sets(st.sampled_from(range(len(shape))))))
    most = data.draw(st.integers(1, prod(shape)))
    order = list(data.draw(st.permutations(range(len(shape)))))
    runs, enough = data.draw(st.sampled_from(range(len(shape)))), data.draw(st.integers(1, 30))
    found = tiling(shape, cuts, unit, CountedCells(uncut, order, most, runs, enough))
    times = np.zeros(shape, int)
    for box in found.tiles(order):
        times[box.slices] += 1
    assert (times == 1).all()


@pytest.mark.parametrize(("runs", "size"), [(0, (512, 7)), (1, (4, 1000))])
def test_tiles_are_long_where_cells_lie_together(runs: int, size: Shape) -> None:
    found = tiling((1000, 1000), [[0, 1000]] * 2, (1, 1), CountedCells(frozenset(), [0, 1], 8000, runs, 500))
    assert found.size == size


def test_neighbours_are_joined_for_longer_runs() -> None:
    cuts = [[0, 8 << 20], [*range(0, 1001, 100)]]
    costs = CountedCells(frozenset(), [0, 1], 5000 << 20, 1, 500)
    assert tiling((8 << 20, 1000), cuts, (1, 1), costs).size == (8 << 20, 400)


def test_chunks_of_a_million_floats_are_tiles_of_their_own() -> None:
    cuts = [[*range(0, 8001, 2000)]] * 2
    costs = CountedCells(frozenset(), [0, 1], 1 << 30)
    assert tiling((8000, 8000), cuts, (1, 1), costs).size == (2000, 2000)


@pytest.mark.parametrize("chunks", [(1, 2), (2, 2), (2, 4), (1, 5)])
def test_a_last_chunk_of_less_than_half_is_written(tmp_path: Path, chunks: tuple[int, int]) -> None:
    x = np.arange(10.0).reshape(2, 5) + 1
    weft.save(tmp_path / "x.zarr", x, chunks=chunks)
    assert weft.open(tmp_path / "x.zarr").tolist() == x.tolist()


class RowsOfChunks(CountedCells):
    """Costs of tiles that read a row of chunks, of 700 000 bytes, or half of one if they are short."""

    def unit_bytes(self, tiles: Tiling) -> int:
        """Return the bytes of the chunks."""
        return 700_000 if prod(tiles.size) > 5000 else 350_000

    def share(self, tiles: Tiling) -> float:
        """Return the part of the memory that chunks and twice the cells take."""
        return (self.unit_bytes(tiles) + 2 * prod(tiles.size)) / self.most


def test_tiles_that_fit_are_not_cut_to_little_of_what_they_read() -> None:
    costs = RowsOfChunks(frozenset(), [0], 1_000_000)
    found = tiling((1 << 24,), [[0, 1 << 24]], [1], costs)
    assert found.size == (16384,)
    assert costs.share(found) < 0.8


def test_axes_along_which_all_is_read_again_are_cut_last() -> None:
    costs = CountedCells(frozenset(), [0, 1], 2000, idle=frozenset([0]))
    assert tiling((100, 300), [[0, 100], [0, 300]], [1, 1], costs).size == (100, 10)


def test_arrays_larger_than_address_space_are_planned(tmp_path: Path) -> None:
    """2^50 bytes; no chunk is there, so all cells are the fill value."""
    weft.save(tmp_path / "x.zarr", weft.zeros((0, 1 << 10, 1 << 10), dtype=weft.float32), chunks=(1, 1 << 10, 1 << 10))
    metadata = json.loads((tmp_path / "x.zarr" / "zarr.json").read_text())
    metadata["shape"][0] = 1 << 28
    metadata["chunk_grid"]["configuration"]["chunk_shape"][0] = 1 << 22
    (tmp_path / "x.zarr" / "zarr.json").write_text(json.dumps(metadata))
    x = weft.open(tmp_path / "x.zarr")
    assert x.nbytes == 1 << 50 and f"{1 << 50} bytes read" in str(weft.explain(x.mean(axis=0)))


@pytest.mark.parametrize("size", [(8, 30, 100), (3, 30, 100), (8, 7, 100), (8, 30, 50), (3, 7, 50), (1, 1, 1)])
@pytest.mark.parametrize("shape", [(8, 30, 100), (20, 40, 1500), (9, 200, 300)])
def test_blocks_in_which_runs_start_are_estimated_without_a_list(shape: Shape, size: Shape) -> None:
    axes = Reduced(shape, (0, 1, 2))
    listed = len(np.unique(axes.run_starts(box_of(size)) // BLOCK))
    assert 0.5 <= axes.blocks(size) / listed <= 2
