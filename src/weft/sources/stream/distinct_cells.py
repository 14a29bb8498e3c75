"""The distinct cells of files, tile by tile: sorted keys without duplicates, merged with those of earlier tiles.

The one idea: the number of distinct cells is known only after reading.  So tiles are folded as long as the keys take
little memory; if they take more, `FoundTooMany` ends the sweep, and the caller sorts in a scratch file instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from weft.backends.calls.sorting import order_bytes, order_of_lines
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box
from weft.runtime.memory.limits import limit_of_sweeps
from weft.sources.stream.consumers import Mergeable
from weft.sources.stream.folds import Array, Reduced, computed
from weft.sources.stream.kept_cells import Positions, tile_of
from weft.sources.stream.rounds import consume_tiles
from weft.sources.stream.sort_keys import Keys
from weft.sources.stream.sorts import row_major

SHARE = 16  # of the limit that distinct keys may take; merging takes about four times as much


def share_of(limit: int) -> int:
    """Return the most bytes that distinct cells may take under a memory limit, with counts and positions."""
    return limit // SHARE


class FoundTooMany(Exception):
    """The distinct cells take more memory than `share_of` allows."""


class KeyTable(NamedTuple):
    """Distinct sort keys in rising order; for each, the number of its cells and their least position."""

    keys: Array
    counts: Positions
    first: Positions

    @property
    def nbytes(self) -> int:
        """Return the bytes of the table."""
        return sum([column.nbytes for column in self])


DistinctState = tuple[Sequence[KeyTable], Mapping[int, tuple[int, Any]], Sequence[tuple[Positions, Array]]]


class DistinctCells(Mergeable):
    """The consumer that finds the distinct cells of a value; equal keys are represented by their first cell.

    With `equal_nan` all NaNs count as one value, else every NaN is distinct.
    """

    kind = "distinct"

    def __init__(self, x: Node, equal_nan: bool, limit: int) -> None:
        super().__init__([x])
        self.group, self.parameters = self.roots, [equal_nan]
        self.dtype, self.limit = x.desc.dtype, limit
        self.keys, self.axes = Keys(x.desc.dtype), Reduced(x.desc.shape, range(x.desc.ndim))
        self.tables: list[KeyTable] = []  # each at least twice as long as the next
        self.shared = self.keys.shared
        self.apart = self.shared[-1] if self.shared and not equal_nan else None  # the key of NaNs that stay apart
        self.first: dict[int, tuple[int, Any]] = {}  # by shared key: its first cell, and the position of that
        self.nans: list[tuple[Positions, Array]] = []

    def needed(self, size: Shape) -> int:
        """Return the bytes of the tables, of merging them, and of sorting the keys of a tile of `size`."""
        return self.limit // 8 + (order_bytes(self.dtype.itemsize) + 2 * self.dtype.itemsize) * prod(size)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Merge the distinct cells of a tile; raises FoundTooMany if all take more than their share of memory."""
        cells = tile_of(inputs[0]).reshape(-1)
        keys = computed([self.keys(cells)])[0]
        if self.apart is not None:
            at = np.flatnonzero(keys == self.apart)
            self.nans.append((self.axes.numbers(box, at), cells[at]))
        order = order_of_lines(keys, False)
        keys = keys[order]
        starts = np.flatnonzero(np.append([True], keys[1:] != keys[:-1]))
        at = order[starts]
        table = KeyTable(keys[starts], np.diff(starts, append=len(keys)), self.axes.numbers(box, at))
        for n in np.flatnonzero(np.isin(table.keys, self.shared)).tolist():
            found = int(table.first[n]), cells[at[n]]
            self._note_first(int(table.keys[n]), found)
        del order, keys, cells
        self._keep(table)
        self._check_room()

    def state(self) -> DistinctState:
        """Return the tables, the cells of shared keys with their positions, and the NaNs that stay apart."""
        return self.tables, self.first, self.nans

    def join(self, state: DistinctState) -> None:
        """Merge the distinct cells of other tiles; raises FoundTooMany if all take more than their share of memory."""
        tables, first, nans = state
        for table in tables:
            self._keep(table)
        for key, found in first.items():
            self._note_first(key, found)
        self.nans += nans
        self._check_room()

    def _note_first(self, key: int, found: tuple[int, Any]) -> None:
        """Note a cell of a shared key and its position, unless one before it is known."""
        self.first[key] = min(self.first.get(key, found), found, key=lambda known: known[0])

    def _check_room(self) -> None:
        held = sum([t.nbytes for t in self.tables]) + sum([p.nbytes + c.nbytes for p, c in self.nans])
        if held > share_of(self.limit):
            raise FoundTooMany

    def _keep(self, table: KeyTable) -> None:
        """Add a table after merging it with the last ones, while these are less than twice as long."""
        while self.tables and len(self.tables[-1].keys) < 2 * len(table.keys):
            table = merged(self.tables.pop(), table)
        self.tables.append(table)

    def result(self) -> tuple[Array, Positions, Positions]:
        """Return the distinct cells in order, the number of cells equal to each, and their first positions."""
        while len(self.tables) > 1:
            self.tables.append(merged(self.tables.pop(), self.tables.pop()))
        keys, counts, first = self.tables[0]
        cells = self.keys.cells(keys)
        for k, (_, cell) in self.first.items():
            cells[np.searchsorted(keys, keys.dtype.type(k))] = cell
        if self.apart not in self.first:
            return cells, counts, first
        at = np.concatenate([p for p, _ in self.nans])
        order = np.argsort(at)
        nans = np.concatenate([c for _, c in self.nans])[order]
        ones = np.ones(len(at), np.int64)
        return np.append(cells[:-1], nans), np.append(counts[:-1], ones), np.append(first[:-1], at[order])


def merged(left: KeyTable, right: KeyTable) -> KeyTable:
    """Return one table of the keys of two, with added counts and the lesser positions."""
    keys = np.concatenate([left.keys, right.keys])
    order = np.argsort(keys, kind="stable")  # of two rising runs: as long as they are
    keys = keys[order]
    starts = np.flatnonzero(np.append([True], keys[1:] != keys[:-1]))
    counts = np.add.reduceat(np.concatenate([left.counts, right.counts])[order], starts)
    first = np.minimum.reduceat(np.concatenate([left.first, right.first])[order], starts)
    return KeyTable(keys[starts], counts, first)


def distinct_cells(x: Node, equal_nan: bool) -> tuple[Array, Positions, Positions] | None:
    """Return the distinct cells of a value over files, their counts and first positions.

    With `equal_nan`, all NaNs are one cell. None if they take more memory than their share. Raises the errors of
    reading and computing.
    """
    consumer = DistinctCells(row_major(x), equal_nan, limit_of_sweeps())
    try:
        consume_tiles(consumer)
    except FoundTooMany:
        return None
    return consumer.result()
