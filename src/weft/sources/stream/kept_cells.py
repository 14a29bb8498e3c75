"""Cells of files that are kept with their positions until their sorted order is known.

The one idea: positions decide the order of equal cells, so tiles may come in any order.  To find the first few cells in
sorted order, a tile contributes only cells that come before the last one kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, apply, scalar
from weft.ir.pieces.box import Box
from weft.runtime.compute import stages
from weft.runtime.memory import allocator
from weft.sources.stream.folds import Array, Reduced, cells_in_memory, computed
from weft.sources.stream.sort_keys import Keys
from weft.sources.stream.sweep import TileConsumer
from weft.tensors.place import cells as cells_of

POSITION = 8  # bytes of the position of a kept cell
Positions = NDArray[np.int64]


class FoundCells(Exception):
    """The forecast of a search for cells of a sort is complete."""


class KeptCells(TileConsumer):
    """A consumer that keeps some cells of a value and their row-major positions, for sorting by `keys`."""

    what = "sort"

    def __init__(self, x: Node, keys: Keys) -> None:
        super().__init__([x])
        self.keys = keys
        self.axes = Reduced(x.desc.shape, range(x.desc.ndim))
        self.cells: list[Array] = []
        self.positions: list[Positions] = []

    def keep(self, cells: Array, indices: NDArray[np.intp], box: Box) -> None:
        """Keep the cells at these flat `indices` of the tile at `box`."""
        self.cells.append(cells[indices])
        self.positions.append(self.axes.numbers(box, indices))

    def assume(self) -> None:
        """End the forecast of a search, of which this is the last sweep: raises FoundCells."""
        raise FoundCells

    def in_order(self) -> tuple[Array, Positions]:
        """Return the kept cells in sorted order (equal cells by position), and their row-major positions."""
        cells, positions = np.concatenate(self.cells), np.concatenate(self.positions)
        (keys,) = computed([self.keys(cells)])
        order = np.lexsort((positions, keys))
        return cells[order], positions[order]


class LeadingCells(KeptCells):
    """The consumer of the first `most` cells in sorted order, found in one sweep."""

    def __init__(self, x: Node, keys: Keys, most: int) -> None:
        super().__init__(x, keys)
        self.most = most
        self.last: int | None = None  # the sort key of the last kept cell, once there are `most` cells

    def needed(self, size: Shape) -> int:
        """Return the bytes of the kept cells, and of the keys and positions of a tile of `size`."""
        itemsize = self.roots[0].desc.dtype.itemsize
        return (1 + 2 * itemsize + POSITION) * prod(size) + 2 * (itemsize + POSITION) * self.most

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Keep the cells of a tile that are among the first `most` so far; raises the errors of computing it."""
        cells = tile_of(inputs[0]).reshape(-1)
        self.keep(cells, self._leading(cells), box)
        if len(self.cells[-1]):
            found, positions = self.in_order()
            self.cells, self.positions = [found[: self.most]], [positions[: self.most]]
            if len(found) >= self.most:
                self.last = int(computed([self.keys(found[self.most - 1 : self.most])])[0][0])

    def _leading(self, cells: Array) -> NDArray[np.intp]:
        """Return flat indices of a tile's cells that may be among the first `most`: at most 2 `most`."""
        if self.last is None:
            return self._first(cells)
        keys = self.keys(cells)
        (inside,) = computed([apply("less_equal", keys, scalar(self.last, keys.desc.dtype))])
        at = np.flatnonzero(inside)
        return at if len(at) <= self.most else at[self._first(cells[at])]

    def _first(self, cells: Array) -> NDArray[np.intp]:
        """Return the flat indices of the first `most` cells in sorted order; of equal cells, the earliest."""
        if len(cells) <= self.most:
            return np.arange(len(cells))
        (keys,) = computed([self.keys(cells)])
        last = np.partition(keys, self.most - 1)[self.most - 1]
        return np.concatenate([np.flatnonzero(keys < last), np.flatnonzero(keys == last)[: self.most]])


def tile_of(n: Node) -> Array:
    """Return the cells of a tile as a contiguous array, which is read only; computed if pending.

    Raises the errors of computing.
    """
    if (known := cells_in_memory(n)) is None:
        stages.compute([n])
        known = cells_of(n)
    return allocator.contiguous(known)
