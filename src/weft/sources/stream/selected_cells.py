"""The cells of a value at which a mask is true, or their positions, tile by tile.

The one idea: their number is known only after reading, so the selected cells of each tile are appended to an array
(`appended_cells`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from weft import dtypes as dt
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box
from weft.runtime.memory.limits import limit_of_sweeps
from weft.sources.stream.appended_cells import SHARE, AppendedCells
from weft.sources.stream.folds import Reduced
from weft.sources.stream.kept_cells import tile_of
from weft.sources.stream.rounds import consume_tiles
from weft.sources.stream.sorts import row_major
from weft.sources.stream.sweep import TileConsumer

NUMBERS = 16  # bytes for each cell while the positions of true cells are found
PART = 1 << 16  # cells whose positions are found at a time, so that they stay in the processor's cache


class SelectedCells(TileConsumer):
    """The consumer of the cells of x at which a mask of the same shape is true, in row-major order.

    Without x, it takes the row-major positions of true cells (int64).
    """

    def __init__(self, mask: Node, x: Node | None, limit: int) -> None:
        super().__init__([mask] if x is None else [mask, x])
        self.axes = Reduced(mask.desc.shape, range(mask.desc.ndim))
        self.uncut = self.axes.inner_axes()
        self.cells = AppendedCells(dt.int64 if x is None else x.desc.dtype, limit // SHARE)

    def needed(self, size: Shape) -> int:
        """Return the bytes held while a tile of `size` is added: selected cells, twice while written, and a part."""
        return self.cells.room + (NUMBERS + 2 * self.cells.dtype.itemsize) * min(prod(size), PART)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Append the selected cells of a tile; raises WriteError if the scratch folder is full."""
        mask, *cells = [tile_of(i).reshape(-1) for i in inputs]
        for first in range(0, mask.size, PART):
            at = np.flatnonzero(mask[first : first + PART])
            if not cells:
                self.cells.append(self.axes.numbers(box, at + first))
            elif len(at):
                self.cells.append(cells[0][first : first + PART][at])


def selected_cells(mask: Node, x: Node | None) -> Node:
    """Return the cells of x at which a mask over files is true; without x, their positions.

    Raises WriteError if the scratch folder is full, and the errors of reading and computing.
    """
    rows, values = row_major(mask), x and row_major(x)
    if values is None or values.desc.shape == rows.desc.shape:
        mask, x = rows, values
    consumer = SelectedCells(mask, x, limit_of_sweeps())
    consume_tiles(consumer)
    return consumer.cells.node()
