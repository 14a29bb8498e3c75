"""Values whose tiles are appended to an array in turn: cells that a mask selects, and changed cells.

The one idea: tiles come in row-major order and are appended to an array (`appended_cells`), which is a scratch file
where it is large; the number of selected cells need not be known before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, copied
from weft.ir.pieces.box import Box
from weft.runtime.compute import stages
from weft.runtime.memory.limits import limit_of_sweeps
from weft.sources.stream.appended_cells import SHARE, AppendedCells
from weft.sources.stream.folds import Array, Reduced
from weft.sources.stream.kept_cells import tile_of
from weft.sources.stream.rounds import consume_tiles
from weft.sources.stream.sorts import row_major
from weft.sources.stream.sweep import TileConsumer

NUMBERS = 16  # bytes for each cell while the positions of true cells are found
PART = 1 << 16  # cells whose positions are found at a time, so that they stay in the processor's cache
Put = Callable[..., None]  # changes the cells of a tile: (cells, box), and the cells of a mask where there is one


class Appending(TileConsumer):
    """A consumer that appends cells of each tile, of `dtype`, to an array; up to `room` bytes stay in memory."""

    def __init__(self, roots: Sequence[Node], dtype: DType, room: int) -> None:
        super().__init__(roots)
        self.axes = Reduced(roots[0].desc.shape, range(roots[0].desc.ndim))
        self.uncut = self.axes.inner_axes()
        self.cells = AppendedCells(dtype, room)


class SelectedCells(Appending):
    """The consumer of the cells of x at which a mask of the same shape is true, in row-major order.

    Without x, it takes the row-major positions of true cells (int64). `found` is a leaf of cells that other processes
    found and hold.
    """

    found: Node | None = None

    def __init__(self, mask: Node, x: Node | None, limit: int) -> None:
        dtype = dt.int64 if x is None else x.desc.dtype
        super().__init__([mask] if x is None else [mask, x], dtype, limit // SHARE)

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

    def result(self) -> Node:
        """Return a node of the selected cells: stored if they are few."""
        if self.found is None:
            return self.cells.node()
        held = copied(self.found)
        if held.desc.nbytes <= self.cells.room:
            stages.compute([held])
        return held


class RewrittenCells(Appending):
    """The consumer of a value, and perhaps of a mask, that appends the value's tiles, changed by `put`."""

    def __init__(self, roots: Sequence[Node], put: Put, limit: int) -> None:
        d, room = roots[0].desc, limit // SHARE
        super().__init__(roots, d.dtype, room if d.nbytes <= room else 0)
        self.put = put

    def needed(self, size: Shape) -> int:
        """Return the bytes held while a tile of `size` is changed: cells in memory, and a copy of the tile."""
        return self.cells.room // 2 + (self.cells.dtype.itemsize + NUMBERS) * prod(size)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Change a tile and append its cells; raises WriteError if the scratch folder is full."""
        cells, *mask = [tile_of(i) for i in inputs]
        changed: Array = cells.copy()
        self.put(changed, box, *mask)
        self.cells.append(changed.reshape(-1))


def selected_cells(mask: Node, x: Node | None) -> Node:
    """Return the cells of x at which a mask over files is true; without x, their positions.

    Raises WriteError if the scratch folder is full, and the errors of reading and computing.
    """
    rows, values = row_major(mask), x and row_major(x)
    if values is None or values.desc.shape == rows.desc.shape:
        mask, x = rows, values
    consumer = SelectedCells(mask, x, limit_of_sweeps())
    consume_tiles(consumer)
    return consumer.result()


def rewritten_cells(roots: Sequence[Node], put: Put) -> Node:
    """Return the cells of a value over files after `put` has changed its tiles, one after another in row-major order.

    `roots` is the value, and perhaps a mask; `put` is given the same tile of both. Raises WriteError if the scratch
    folder is full, and the errors of reading and computing.
    """
    consumer = RewrittenCells(roots, put, limit_of_sweeps())
    consume_tiles(consumer)
    return se.reshape(consumer.cells.node(), roots[0].desc.shape)
