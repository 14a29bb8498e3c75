"""Order statistics of files: single cells of the sorted order, found without sorting.

The one idea: cells are counted by the high bits of their sort keys (`sort_keys`); then, among cells that share these
bits with a wanted cell, by the next bits, until the cells left fit in memory or all bits are known.
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
from weft.sources.stream.sweep import TileConsumer
from weft.tensors.tensor import wrap

BITS = 16  # most bits of the keys that one sweep counts
COUNT = 32  # bytes for each bin: counts of all tiles, of one tile, and of the units of a program
SEARCH = 16  # bytes for each key while its range is searched
LEADING = 4096  # most cells at the start of the order that one sweep finds


class KeyRanges(NamedTuple):
    """Ranges of sort keys; keys of a range agree in all bits but the lowest `shift`.

    For each range, in rising order: its common bits, the number of cells with smaller keys, and its number of cells.
    """

    shift: int
    prefixes: NDArray[np.uint64]
    before: Positions
    counts: Positions

    def refined(self, totals: Positions, ranks: Positions) -> KeyRanges:
        """Return the parts of the ranges that hold the cells of the given ranks.

        `totals` has a row for each range: the number of cells in each of its parts.

        >>> whole = KeyRanges(8, np.zeros(1, np.uint64), np.zeros(1, np.int64), np.array([10]))
        >>> halves = whole.refined(np.array([[4, 6]]), np.array([5]))  # 4 keys below 128, 6 above; which holds rank 5?
        >>> halves.shift, halves.prefixes.tolist(), halves.before.tolist(), halves.counts.tolist()
        (7, [1], [4], [6])
        """
        bits = totals.shape[1].bit_length() - 1
        first = (self.before[:, None] + np.cumsum(totals, axis=1) - totals).reshape(-1)
        held = np.unique(np.searchsorted(first, ranks, side="right") - 1)
        row, low = (held >> bits), (held & (totals.shape[1] - 1)).astype(np.uint64)
        prefixes = (self.prefixes[row] << np.uint64(bits)) | low
        return KeyRanges(self.shift - bits, prefixes, first[held], totals.reshape(-1)[held])

    def nbytes(self, x: Node) -> int:
        """Return the bytes of all cells of `x` in the ranges, with their positions."""
        return int(self.counts.sum()) * (x.desc.dtype.itemsize + POSITION)

    def search_bytes(self, cells: int) -> int:
        """Return the bytes that kernels store while they search the ranges of the keys of `cells` cells."""
        return SEARCH * cells if len(self.prefixes) > 1 else 0

    def holding(self, ranks: Positions) -> NDArray[np.intp]:
        """Return, for each rank, the index of the range that holds it."""
        return np.searchsorted(self.before, ranks, side="right") - 1

    def number(self, keys: Node) -> tuple[Node, Node]:
        """Return a node of the index of a candidate range for each key, and a node of bools.

        A bool is true if the key lies in that range.
        """
        high, prefixes = self._high(keys), self.prefixes.astype(keys.desc.dtype.np)
        if len(prefixes) == 1:
            return scalar(0, dt.int64), apply("equal", high, scalar(prefixes[0].item(), keys.desc.dtype))
        found = bounds_below(wrap(high), prefixes[1:], False)
        return found, apply("equal", high, looked_up(leaf_of(prefixes), found))

    def bucket(self, keys: Node) -> Node:
        """Return a node of the bucket index of each key.

        It is 2 k + 1 for keys in range k, and 2 k for keys between range k - 1 and range k.
        """
        high, prefixes = self._high(keys), self.prefixes.astype(keys.desc.dtype.np)
        above = bounds_below(wrap(high), prefixes, False)  # how many ranges begin at or below the key
        last = apply("maximum", apply("subtract", above, scalar(1, dt.int64)), scalar(0, dt.int64))
        inside = astype(apply("equal", high, looked_up(leaf_of(prefixes), last)), dt.int64)
        return astype(apply("subtract", apply("add", above, above), inside), dt.uint16)

    def _high(self, keys: Node) -> Node:
        """Return the high bits of keys, without the lowest `shift`."""
        return keys if not self.shift else apply("bitwise_right_shift", keys, scalar(self.shift, keys.desc.dtype))


class KeyTotals(TileConsumer):
    """The consumer that counts the cells of each range by the next `bits` bits of their keys."""

    what = "sort"

    def __init__(self, x: Node, keys: Keys, ranges: KeyRanges, bits: int) -> None:
        super().__init__([x])
        self.keys, self.ranges, self.bits = keys, ranges, bits
        self.totals = np.zeros((len(ranges.prefixes), 1 << bits), np.int64)

    def needed(self, size: Shape) -> int:
        """Return the bytes of the counts so far and of a tile's, and of searching the ranges."""
        return 2 * self.totals.nbytes + self.ranges.search_bytes(prod(size))

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Add the counts of a tile's cells; raises the errors of computing them."""
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

    def assume(self) -> None:
        """Act for a forecast as if half of the bits told cells apart: 16 bits spread them over 255 parts."""
        parts = max(1, (1 << self.bits // 2) - 1)  # an odd number: a median does not lie between two
        self.totals[:, :parts] = -(-self.ranges.counts[:, None] // parts)


class CellsOfRanges(KeptCells):
    """The consumer that keeps the cells whose keys lie in the ranges."""

    def __init__(self, x: Node, keys: Keys, ranges: KeyRanges) -> None:
        super().__init__(x, keys)
        self.ranges = ranges

    def needed(self, size: Shape) -> int:
        """Return the bytes of the kept cells, and of the mask and positions of a tile of `size`."""
        cells = prod(size)
        return self.ranges.nbytes(self.roots[0]) + (1 + POSITION) * cells + self.ranges.search_bytes(cells)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Keep the cells of a tile that lie in the ranges; raises the errors of computing them."""
        cells = tile_of(inputs[0])
        (inside,) = computed([self.ranges.number(self.keys(cells))[1]])
        self.keep(cells.reshape(-1), np.flatnonzero(inside), box)


class EqualCells(CellsOfRanges):
    """The consumer that keeps chosen cells among those with equal keys; tiles come in row-major order.

    For each key, `wanted` lists which of its cells are kept, counted in row-major order from 0.
    """

    def __init__(self, x: Node, keys: Keys, ranges: KeyRanges, wanted: Sequence[Positions]) -> None:
        super().__init__(x, keys, ranges)
        self.uncut = self.axes.inner_axes()
        self.wanted, self.seen = wanted, [0] * len(wanted)

    def needed(self, size: Shape) -> int:
        """Return the bytes of the wanted cells, and of the mask and positions of a tile of `size`."""
        return (1 + 2 * POSITION) * prod(size) + 2 * POSITION * sum(map(len, self.wanted))

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Keep the wanted cells of a tile; raises the errors of computing them."""
        cells = tile_of(inputs[0])
        keys = self.keys(cells)
        for k, (prefix, wanted) in enumerate(zip(self.ranges.prefixes, self.wanted, strict=True)):
            (equal,) = computed([apply("equal", keys, scalar(int(prefix), keys.desc.dtype))])
            at, first = np.flatnonzero(equal), self.seen[k]
            self.seen[k] += len(at)
            self.keep(cells.reshape(-1), at[wanted[(wanted >= first) & (wanted < self.seen[k])] - first], box)


Run = Callable[[KeyTotals | KeptCells], None]  # runs a sweep over the tiles of a consumer's root


def at_ranks(x: Node, ranks: Positions, descending: bool, positions: bool, room: int, run: Run) -> Array:
    """Return the cells of x at rising `ranks` of the stable order, or their row-major positions.

    The greatest come first if `descending`, equal cells in the order of their positions in any case. Candidate cells
    are held in up to `room` bytes. `run` sweeps over x for a consumer: once for ranks near the start, else two or three
    times if few cells are equal. Raises the errors of `run`, of reading and computing.
    """
    keys = Keys(x.desc.dtype, descending)
    if len(ranks) and ranks[-1] < LEADING:
        return _leading(x, keys, ranks, run)[positions]
    ranges = ranges_of(x, keys, ranks, room, run, lambda r: r.nbytes(x) <= room)
    if not positions and not ranges.shift and not set(keys.shared) & set(ranges.prefixes.tolist()):
        return keys.cells(ranges.prefixes[ranges.holding(ranks)])
    return _found(x, keys, ranges, ranks, room, run)[positions]


def _leading(x: Node, keys: Keys, ranks: Positions, run: Run) -> tuple[Array, Positions]:
    """Return the cells, and their positions, at ranks near the start of `keys` in order, by one sweep."""
    run(found := LeadingCells(x, keys, int(ranks[-1]) + 1))
    cells, positions = found.in_order()
    return cells[ranks], positions[ranks]


def ranges_of(
    x: Node, keys: Keys, ranks: Positions, room: int, run: Run, are_narrow: Callable[[KeyRanges], bool]
) -> KeyRanges:
    """Return ranges of keys that hold the cells of the ranks, refined until `are_narrow` or single keys.

    Each sweep by `run` counts cells in up to `room` bytes.
    """
    ranges = whole_range(x)
    while ranges.shift and not are_narrow(ranges):
        run(totals := KeyTotals(x, keys, ranges, bits_of_sweep(ranges, room)))
        ranges = ranges.refined(totals.totals, ranks)
    return ranges


def whole_range(x: Node) -> KeyRanges:
    """Return the single range of all keys of x."""
    bits = word_of(x.desc.dtype).bits
    return KeyRanges(bits, np.zeros(1, np.uint64), np.zeros(1, np.int64), np.array([x.desc.size]))


def _found(x: Node, keys: Keys, ranges: KeyRanges, ranks: Positions, room: int, run: Run) -> tuple[Array, Positions]:
    """Return the cells of the ranks, which lie in the ranges, and their positions, in one more sweep.

    `keys` gives the keys of cells; `run` runs the sweep, which holds up to `room` bytes.
    """
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
    """Return how many further key bits the next sweep can count for the ranges in `room` bytes."""
    most = (max(room // COUNT, 1) // len(ranges.prefixes)).bit_length() - 1
    return max(1, min(BITS, ranges.shift, most))
