"""The cells of a value at which a mask is true, or their positions, tile by tile.

The one idea: how many there are is known only by reading, so cells are appended to memory, and to a scratch file once
they take more than a part of the limit.  What reads that file again does so tile by tile, as of any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, copied, file_leaf, result, stored
from weft.ir.pieces.box import Box
from weft.runtime.compute.engine import SourceRead
from weft.runtime.memory import allocator
from weft.sources.source import unplaced
from weft.sources.stream.folds import Array, Reduced
from weft.sources.stream.kept_cells import tile_of
from weft.sources.stream.rounds import limit_of_sweeps, take_tiles
from weft.sources.stream.sorts import row_major
from weft.sources.stream.sweep import Taker
from weft.sources.write.scratch_file import ScratchFile

SHARE = 4  # of the limit that selected cells may take in memory
NUMBERS = 16  # bytes of a cell while positions of true cells are found


class AppendedCells:
    """A row of cells that grows: in memory while they take little, then in a scratch file.

    It is the source (`Gathering`) of those in the file.
    """

    order, big, name = "C", False, "selected cells"

    def __init__(self, dtype: DType, room: int) -> None:
        self.dtype, self.room, self.size = dtype, room, 0
        self.held: list[Array] = []
        self.file: ScratchFile | None = None

    def append(self, cells: Array) -> None:
        """Add cells; raises WriteError where the scratch folder has no room."""
        self.held.append(cells)
        self.size += cells.size
        if self.file is None and self.size * self.dtype.itemsize > self.room:
            self.file = ScratchFile(0, "selected cells")
        if self.file is not None:
            first = self.size - sum(map(len, self.held))
            for part in self.held:
                self.file.write(first * self.dtype.itemsize, part)
                first += len(part)
            self.held.clear()

    def node(self) -> Node:
        """Return the cells as a node."""
        d = result(self.dtype, (self.size,))
        if self.file is None:
            cells = allocator.empty(self.dtype.np, (self.size,))
            np.concatenate([cells[:0], *self.held], out=cells)
            self.held.clear()
            return stored(d, cells)
        return copied(file_leaf(self, describe(d.dtype, d.shape, d.strides, False, None, True)))

    @property
    def shape(self) -> tuple[int]:
        """The number of cells."""
        return (self.size,)

    def read_box(self, box: Box) -> Array:
        """Return the cells of a box; raises WriteError where the scratch file cannot be read."""
        assert self.file is not None
        cells = allocator.empty(self.dtype.np, box.size)
        self.file.read(box.start[0] * self.dtype.itemsize, cells)
        return cells

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of boxes into the same cells of `target`."""
        for box in boxes:
            first, step, n = box.runs[0]
            target[box.slices] = self.read_box(Box((first,), (1,), (step * (n - 1) + 1,)))[::step]

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return about what reading some boxes takes."""
        return unplaced(self, sum([b.cells for b in boxes]), len(boxes))


class SelectedCells(Taker):
    """The cells of a value at which a mask of its shape is true, in row-major order.

    Without a value, the row-major positions of true cells (int64).
    """

    def __init__(self, mask: Node, x: Node | None, limit: int) -> None:
        super().__init__([mask] if x is None else [mask, x])
        self.axes = Reduced(mask.desc.shape, range(mask.desc.ndim))
        self.uncut = self.axes.inner_axes()
        self.cells = AppendedCells(dt.int64 if x is None else x.desc.dtype, limit // SHARE)

    def needed(self, size: Shape) -> int:
        """Return the bytes of the cells in memory, twice while they are put together, and of those of a tile."""
        return self.cells.room + (NUMBERS + 2 * self.cells.dtype.itemsize) * prod(size)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Append the selected cells of a tile; raises WriteError."""
        at = np.flatnonzero(tile_of(inputs[0]))
        if len(inputs) == 1:
            self.cells.append(self.axes.numbers(box, at))
        elif len(at):
            self.cells.append(tile_of(inputs[1]).reshape(-1)[at])


def selected_cells(mask: Node, x: Node | None) -> Node:
    """Return the cells of a value at which a mask over files is true, or without a value their positions."""
    rows, values = row_major(mask), x and row_major(x)
    if values is None or values.desc.shape == rows.desc.shape:
        mask, x = rows, values
    taker = SelectedCells(mask, x, limit_of_sweeps())
    take_tiles(taker)
    return taker.cells.node()
