"""Sorts of one line larger than memory: a scratch file of cells in buckets, each sorted when it is read.

The one idea: counts of sort keys tell where the cells of a rank lie (`KeyRanges`), so one sweep can write every cell
close to its sorted place in the file.  A chunk of the result is then a range of the file, sorted in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.backends.calls.sorting import order_bytes, order_of_lines
from weft.dtypes import DType
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box
from weft.runtime.memory import allocator
from weft.sources.read.touched_boxes import hull
from weft.sources.source import Gathering
from weft.sources.stream.folds import Array, Reduced, computed
from weft.sources.stream.kept_cells import Positions, tile_of
from weft.sources.stream.order_statistics import KeyRanges
from weft.sources.stream.sort_keys import Keys
from weft.sources.stream.sweep import TileConsumer
from weft.sources.write.scratch_file import ScratchFile

NUMBER = 2  # bytes of a bucket's number
MOST_CHUNKS = 1 << 14  # most chunks of a scratch file; bucket numbers have 16 bits


class ScratchCells:
    """Cells of one dtype in a scratch file of `nbytes` bytes, which is made when it is first written to."""

    def __init__(self, dtype: np.dtype[Any], size: int) -> None:
        self.dtype, self.size, self.nbytes = dtype, size, size * dtype.itemsize

    @cached_property
    def file(self) -> ScratchFile:
        """The file; raises WriteError if the disk has too little space."""
        file = ScratchFile(self.nbytes, "cells that are sorted")
        file.reserve()
        return file

    def write(self, first: int, cells: Array) -> None:
        """Write cells at positions from `first` on; raises WriteError if writing fails."""
        self.file.write(first * self.dtype.itemsize, cells)

    def read(self, first: int, stop: int) -> Array:
        """Return the cells from `first` to `stop`; raises WriteError if reading fails."""
        cells = allocator.empty(self.dtype, (stop - first,))
        self.file.read(first * self.dtype.itemsize, cells)
        return cells


class Buckets(TileConsumer):
    """The consumer that writes the cells of a value, and their positions if wanted, to scratch files in buckets.

    The key ranges, and the gaps between them, are the buckets.  Their keys rise; cells within one keep row-major order,
    in which tiles come.
    """

    what = "sort"

    def __init__(self, x: Node, keys: Keys, ranges: KeyRanges, positions: bool) -> None:
        super().__init__([x])
        self.keys, self.ranges = keys, ranges
        self.axes = Reduced(x.desc.shape, range(x.desc.ndim))
        self.uncut = self.axes.inner_axes()
        starts = np.stack([ranges.before, ranges.before + ranges.counts], axis=1).reshape(-1)
        self.filled = np.concatenate([[0], starts])  # the next free position of each bucket
        self.cells = ScratchCells(x.desc.dtype.np, x.desc.size)
        self.positions = ScratchCells(np.dtype(np.int64), x.desc.size) if positions else None

    def needed(self, size: Shape) -> int:
        """Return the bytes for grouping a tile of `size` by bucket: its cells twice, their order, and the search."""
        return (order_bytes(NUMBER) + 2 * self.cells.dtype.itemsize) * prod(size) + self.ranges.search_bytes(prod(size))

    def scratch(self, tiles: Sequence[Box]) -> int:
        """Return the bytes of the scratch files."""
        return self.cells.nbytes + (0 if self.positions is None else self.positions.nbytes)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Append each cell of a tile to its bucket in the file; raises WriteError if writing fails."""
        cells = tile_of(inputs[0]).reshape(-1)
        (buckets,) = computed([self.ranges.bucket(self.keys(cells))])
        order = np.argsort(buckets, kind="stable")
        ends = np.cumsum(np.bincount(buckets, minlength=len(self.filled)))
        files = [(self.cells, np.take(cells, order, out=allocator.empty(cells.dtype, cells.shape)))]
        if self.positions is not None:
            files.append((self.positions, self.axes.numbers(box, order)))
        first = 0
        for k, stop in enumerate(ends.tolist()):
            for file, values in files if stop > first else ():
                file.write(int(self.filled[k]), values[first:stop])
            self.filled[k] += stop - first
            first = stop


class SortedCells(Gathering):
    """The source of a large sorted value in chunks: its cells, or the positions that sort it.

    Chunk j holds the ranks from `cuts[j]` to `cuts[j + 1]`.
    """

    def __init__(self, buckets: Buckets, cuts: Positions, dtype: DType, chunk: int) -> None:
        self.buckets, self.cuts, self.dtype = buckets, cuts, dtype
        self.name, self.shape, self.chunks = "sorted cells", (buckets.cells.size,), (chunk,)

    @property
    def decode_bytes(self) -> int:
        """Return the bytes that sorting a chunk takes, beside the result."""
        itemsize = self.buckets.cells.dtype.itemsize
        if self.buckets.positions is None:
            return self.chunks[0] * (5 * itemsize + 1)
        return self.chunks[0] * (order_bytes(itemsize) + 2 * itemsize + self.dtype.itemsize)

    def block(self, index: tuple[int, ...]) -> Array:
        """Return the sorted cells (or positions) of a chunk; raises WriteError if the file cannot be read."""
        first, stop = self.cuts[index[0] : index[0] + 2].tolist()
        low, high = self._outer(first)[0], self._outer(stop)[1]
        cells = self.buckets.cells.read(low, high)
        if self.buckets.positions is None:
            found = sorted_cells(cells, self.buckets.keys)[first - low : stop - low]
        else:
            order = order_of_lines(computed([self.buckets.keys(cells)])[0], False)[first - low : stop - low]
            del cells
            found = self.buckets.positions.read(low, high)[order]
        return found

    def _outer(self, cut: int) -> tuple[int, int]:
        """Return the (first, stop) of the bucket around a cut, or (cut, cut) if no bucket crosses it."""
        ranges = self.buckets.ranges
        at = int(np.searchsorted(ranges.before, cut, side="right")) - 1
        if not ranges.shift or at < 0 or (end := int(ranges.before[at] + ranges.counts[at])) <= cut:
            return cut, cut
        return int(ranges.before[at]), end

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of each box into the same positions of `target`.

        Raises WriteError if the file cannot be read.
        """
        (chunk,), (box,) = self.chunks, (hull(boxes),)
        for k in range(box.start[0] // chunk, -(-(box.start[0] + box.size[0]) // chunk)):
            target[k * chunk : (k + 1) * chunk] = self.block((k,))


def sorted_cells(cells: Array, keys: Keys) -> Array:
    """Return cells in sorted order; cells that share a key but differ in bits keep their order.

    May reuse the memory of `cells`.
    """
    (found,) = computed([keys(cells)])
    shared = [(k, cells[found == k]) for k in keys.shared]
    found.sort()  # may sort `cells` in place, if they are their own keys
    made = keys.cells(found)
    for k, equal in shared:
        first = int(np.searchsorted(found, found.dtype.type(k)))
        made[first : first + len(equal)] = equal
    return made
