"""Order statistics of files: single cells of the sorted order, without sorting.

The one idea: cells are counted by the high bits of their keys (`sort_keys`), then by the next bits among those whose
high bits are those of a wanted cell, until the cells that are left fit in memory or all bits are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.api.numpy.bin_numbers import bounds_below, looked_up
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, apply, astype, make, result, scalar, where
from weft.ir.graph.ops import OPS
from weft.ir.pieces.box import Box
from weft.sources.stream.folds import Array, computed
from weft.sources.stream.kept_cells import POSITION, KeptCells, LeadingCells, Positions, tile_of
from weft.sources.stream.sort_keys import Keys, leaf_of, word_of
from weft.sources.stream.sweep import Taker
from weft.tensors.tensor import wrap

BITS = 16  # of keys that a sweep looks at
COUNT = 32  # bytes of a bin in which cells are counted: of all tiles, of one, and of the units of a program
SEARCH = 16  # bytes of a key while its range is searched for
LEADING = 4096  # cells at the start of the order that one sweep finds


class KeyRanges(NamedTuple):
    """Ranges of keys, each of those that agree in all bits but the lowest `shift`.

    For each, in rising order: these bits, the number of cells with smaller keys, and the number of cells in it.
    """

    shift: int
    prefixes: NDArray[np.uint64]
    before: Positions
    counts: Positions

    def refined(self, totals: Positions, ranks: Positions) -> KeyRanges:
        """Return the parts of the ranges that hold the cells of these ranks.

        `totals` has a row for each range: the numbers of cells in its parts.
        """
        bits = totals.shape[1].bit_length() - 1
        first = (self.before[:, None] + np.cumsum(totals, axis=1) - totals).reshape(-1)
        held = np.unique(np.searchsorted(first, ranks, side="right") - 1)
        row, low = (held >> bits), (held & (totals.shape[1] - 1)).astype(np.uint64)
        prefixes = (self.prefixes[row] << np.uint64(bits)) | low
        return KeyRanges(self.shift - bits, prefixes, first[held], totals.reshape(-1)[held])

    def nbytes(self, x: Node) -> int:
        """Return the bytes of the cells in the ranges, and of their positions."""
        return int(self.counts.sum()) * (x.desc.dtype.itemsize + POSITION)

    def search_bytes(self, cells: int) -> int:
        """Return the bytes that kernels store while they search for the ranges of the keys of cells."""
        return SEARCH * cells if len(self.prefixes) > 1 else 0

    def holding(self, ranks: Positions) -> NDArray[np.intp]:
        """Return the number of the range that holds each rank."""
        return np.searchsorted(self.before, ranks, side="right") - 1

    def number(self, keys: Node) -> tuple[Node, Node]:
        """Return the number of the range of each key, and whether it lies in that range, as expressions."""
        high, prefixes = self._high(keys), self.prefixes.astype(keys.desc.dtype.np)
        if len(prefixes) == 1:
            return scalar(0, dt.int64), apply("equal", high, scalar(prefixes[0].item(), keys.desc.dtype))
        found = bounds_below(wrap(high), prefixes[1:], False)
        return found, apply("equal", high, looked_up(leaf_of(prefixes), found))

    def bucket(self, keys: Node) -> Node:
        """Return the number of the bucket of each key, as an expression.

        That is 2 k + 1 in range k, and 2 k between range k - 1 and range k.
        """
        high, prefixes = self._high(keys), self.prefixes.astype(keys.desc.dtype.np)
        above = bounds_below(wrap(high), prefixes, False)  # how many ranges begin at or below the key
        last = apply("maximum", apply("subtract", above, scalar(1, dt.int64)), scalar(0, dt.int64))
        inside = astype(apply("equal", high, looked_up(leaf_of(prefixes), last)), dt.int64)
        return astype(apply("subtract", apply("add", above, above), inside), dt.uint16)

    def _high(self, keys: Node) -> Node:
        """Return the bits of keys that the prefixes have."""
        return keys if not self.shift else apply("bitwise_right_shift", keys, scalar(self.shift, keys.desc.dtype))


class KeyTotals(Taker):
    """Counts of cells by the next bits of their keys, for each of some ranges."""

    def __init__(self, x: Node, keys: Keys, ranges: KeyRanges, bits: int, group: Sequence[Node] = ()) -> None:
        super().__init__([x])
        self.group = group  # the sorts that it is for
        self.keys, self.ranges, self.bits = keys, ranges, bits
        self.totals = np.zeros((len(ranges.prefixes), 1 << bits), np.int64)

    def needed(self, size: Shape) -> int:
        """Return the bytes of the counts so far and of a tile, and of the search for its ranges."""
        return 2 * self.totals.nbytes + self.ranges.search_bytes(prod(size))

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Count the cells of a tile."""
        keys = self.keys(tile_of(inputs[0]))
        word, ranges = keys.desc.dtype, self.ranges
        low = ranges.shift - self.bits
        part = keys if not low else apply("bitwise_right_shift", keys, scalar(low, word))
        if low + self.bits < word.bits:
            number, inside = ranges.number(keys)
            mask = (1 << self.bits) - 1
            part = astype(apply("bitwise_and", part, scalar(mask, word)), dt.int64)
            row = apply("bitwise_left_shift", number, scalar(self.bits, dt.int64))
            part = where(inside, apply("bitwise_or", part, row), scalar(-1, dt.int64))
        bins = self.totals.size
        (counts,) = computed([make(OPS["bin_counts"], (part,), (bins,), result(dt.int64, (bins,)))])
        self.totals += counts.reshape(self.totals.shape)


class CellsOfRanges(KeptCells):
    """The cells whose keys lie in some ranges."""

    def __init__(self, x: Node, keys: Keys, ranges: KeyRanges) -> None:
        super().__init__(x, keys)
        self.ranges = ranges

    def needed(self, size: Shape) -> int:
        """Return the bytes of the cells, and of a tile's positions."""
        cells = prod(size)
        return self.ranges.nbytes(self.roots[0]) + (1 + POSITION) * cells + self.ranges.search_bytes(cells)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Keep the cells of a tile that lie in the ranges."""
        cells = tile_of(inputs[0])
        (inside,) = computed([self.ranges.number(self.keys(cells))[1]])
        self.keep(cells.reshape(-1), np.flatnonzero(inside), box)


class EqualCells(CellsOfRanges):
    """Collector of the cells of some ranks among those with equal keys; tiles come in row-major order.

    `wanted` are for each key the numbers of its cells, counted in row-major order.
    """

    def __init__(self, x: Node, keys: Keys, ranges: KeyRanges, wanted: Sequence[Positions]) -> None:
        super().__init__(x, keys, ranges)
        self.uncut = self.axes.inner_axes()
        self.wanted, self.seen = wanted, [0] * len(wanted)

    def needed(self, size: Shape) -> int:
        """Return the bytes of the wanted cells, and of a tile's positions."""
        return (1 + 2 * POSITION) * prod(size) + 2 * POSITION * sum(map(len, self.wanted))

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Keep the wanted cells of a tile."""
        cells = tile_of(inputs[0])
        keys = self.keys(cells)
        for k, (prefix, wanted) in enumerate(zip(self.ranges.prefixes, self.wanted, strict=True)):
            (equal,) = computed([apply("equal", keys, scalar(int(prefix), keys.desc.dtype))])
            at, first = np.flatnonzero(equal), self.seen[k]
            self.seen[k] += len(at)
            self.keep(cells.reshape(-1), at[wanted[(wanted >= first) & (wanted < self.seen[k])] - first], box)


Run = Callable[[KeyTotals | KeptCells], None]  # sweeps over the tiles of a taker's root


def cells_at_ranks(x: Node, ranks: Positions, descending: bool, room: int, run: Run) -> Array:
    """Return the cells of x at rising ranks of the stable order.

    Cells close to them are held in `room` bytes.  `run` sweeps over x for a taker: once for the first ones, two or
    three times for others where few cells are equal.
    """
    keys = Keys(x.desc.dtype, descending)
    if len(ranks) and ranks[-1] < LEADING:
        return _leading(x, keys, ranks, run)[0]
    ranges = ranges_of(x, keys, ranks, room, run, lambda r: r.nbytes(x) <= room)
    if not ranges.shift and not set(keys.shared) & set(ranges.prefixes.tolist()):
        return keys.cells(ranges.prefixes[ranges.holding(ranks)])
    return _found(x, keys, ranges, ranks, room, run)[0]


def positions_at_ranks(x: Node, ranks: Positions, descending: bool, room: int, run: Run) -> Positions:
    """Return the row-major positions of the cells of x at rising ranks of the stable order, as `cells_at_ranks` does.

    Equal cells have the order of their positions, in descending order, too.
    """
    keys = Keys(x.desc.dtype, descending)
    if len(ranks) and ranks[-1] < LEADING:
        return _leading(x, keys, ranks, run)[1]
    ranges = ranges_of(x, keys, ranks, room, run, lambda r: r.nbytes(x) <= room)
    return _found(x, keys, ranges, ranks, room, run)[1]


def _leading(x: Node, keys: Keys, ranks: Positions, run: Run) -> tuple[Array, Positions]:
    """Return the cells of some ranks close to the first one, and their positions."""
    run(found := LeadingCells(x, keys, int(ranks[-1]) + 1))
    cells, positions = found.in_order()
    return cells[ranks], positions[ranks]


def ranges_of(
    x: Node, keys: Keys, ranks: Positions, room: int, run: Run, are_narrow: Callable[[KeyRanges], bool]
) -> KeyRanges:
    """Return ranges of keys that hold the cells of some ranks, refined until narrow or single keys."""
    ranges = whole_range(x)
    while ranges.shift and not are_narrow(ranges):
        run(totals := KeyTotals(x, keys, ranges, bits_of_sweep(ranges, room)))
        ranges = ranges.refined(totals.totals, ranks)
    return ranges


def whole_range(x: Node) -> KeyRanges:
    """Return the range of all keys."""
    bits = word_of(x.desc.dtype).bits
    return KeyRanges(bits, np.zeros(1, np.uint64), np.zeros(1, np.int64), np.array([x.desc.size]))


def _found(x: Node, keys: Keys, ranges: KeyRanges, ranks: Positions, room: int, run: Run) -> tuple[Array, Positions]:
    """Return the cells of some ranks, which lie in the ranges, and their positions."""
    at = ranges.holding(ranks)
    local = ranks - ranges.before[at]
    if ranges.nbytes(x) <= room:
        run(found := CellsOfRanges(x, keys, ranges))
        index = local + (np.cumsum(ranges.counts) - ranges.counts)[at]
    else:
        run(found := EqualCells(x, keys, ranges, [local[at == k] for k in range(len(ranges.prefixes))]))
        index = np.arange(len(ranks))
    cells, positions = found.in_order()
    return cells[index], positions[index]


def bits_of_sweep(ranges: KeyRanges, room: int) -> int:
    """Return the number of key bits that the next sweep can count for these ranges in `room` bytes."""
    most = (max(room // COUNT, 1) // len(ranges.prefixes)).bit_length() - 1
    return max(1, min(BITS, ranges.shift, most))
