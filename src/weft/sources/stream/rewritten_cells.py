"""The cells of a large value with some of them replaced, tile by tile.

The one idea: the tiles come in row-major order, are changed by the writer, and are appended to an array
(`appended_cells`), which is a scratch file where it is large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box
from weft.runtime.memory.limits import limit_of_sweeps
from weft.sources.stream.appended_cells import SHARE, AppendedCells
from weft.sources.stream.folds import Array, Reduced
from weft.sources.stream.kept_cells import tile_of
from weft.sources.stream.rounds import consume_tiles
from weft.sources.stream.selected_cells import NUMBERS
from weft.sources.stream.sweep import TileConsumer

Put = Callable[..., None]  # changes the cells of a tile: (cells, box), and the cells of a mask where there is one


class RewrittenCells(TileConsumer):
    """The consumer of a value, and perhaps a mask of its shape: it appends the tiles of the value, changed by `put`."""

    def __init__(self, roots: Sequence[Node], put: Put, limit: int) -> None:
        super().__init__(roots)
        d = roots[0].desc
        self.put = put
        self.uncut = Reduced(d.shape, range(d.ndim)).inner_axes()
        self.cells = AppendedCells(d.dtype, limit // SHARE if d.nbytes <= limit // SHARE else 0)

    def needed(self, size: Shape) -> int:
        """Return the bytes held while a tile of `size` is changed: cells in memory, and a copy of the tile."""
        return self.cells.room // 2 + (self.cells.dtype.itemsize + NUMBERS) * prod(size)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Change a tile and append its cells; raises WriteError if the scratch folder is full."""
        cells, *mask = [tile_of(i) for i in inputs]
        changed: Array = cells.copy()
        self.put(changed, box, *mask)
        self.cells.append(changed.reshape(-1))


def rewritten_cells(roots: Sequence[Node], put: Put) -> Node:
    """Return the cells of a value over files after `put` has changed its tiles, one after another in row-major order.

    `roots` is the value, and perhaps a mask; `put` is given the same tile of both. Raises WriteError if the scratch
    folder is full, and the errors of reading and computing.
    """
    consumer = RewrittenCells(roots, put, limit_of_sweeps())
    consume_tiles(consumer)
    return se.reshape(consumer.cells.node(), roots[0].desc.shape)
