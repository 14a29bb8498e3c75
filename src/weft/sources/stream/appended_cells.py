"""A growing row of cells, appended tile by tile: in memory while it is short, then in a scratch file.

The one idea: what reads the file again does so tile by tile, as of any other.  So it holds what tiles cannot give where
they are: cells whose number is not known, and those of a scan that readers ask for twice, or in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType
from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, copied, file_leaf, result, stored
from weft.ir.pieces.box import Box
from weft.runtime.compute import engine
from weft.runtime.compute.engine import SourceRead
from weft.runtime.memory import allocator
from weft.sources.source import unplaced
from weft.sources.stream.folds import Array
from weft.sources.stream.kept_cells import tile_of
from weft.sources.stream.sweep import Taker
from weft.sources.write.scratch_file import ScratchFile

SHARE = 4  # of the limit that cells whose number is not known may take in memory
FEW = 8  # of the limit up to which a scan stays in memory


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
        """Return an estimate of the bytes and calls that reading some boxes takes."""
        return unplaced(self, sum([b.cells for b in boxes]), len(boxes))


class AppendedScan(Taker):
    """A scan of one line, whose tiles come in order."""

    def __init__(self, n: Node, limit: int) -> None:
        super().__init__([n])
        few = n.desc.nbytes <= limit // FEW
        self.cells = AppendedCells(n.desc.dtype, n.desc.nbytes if few else 0)

    def needed(self, size: Shape) -> int:
        """Return the bytes of the cells in memory, twice while they are put together, and of those of a tile."""
        return self.cells.room + self.cells.dtype.itemsize * prod(size)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Append the cells of a tile; raises WriteError."""
        self.cells.append(tile_of(inputs[0]).reshape(-1))

    def publish(self) -> None:
        """Make the scan a copy of its cells."""
        (n,) = self.roots
        found = self.cells.node()
        engine.stand_for(n, copied(found) if n.desc.ndim == 1 else se.reshape(found, n.desc.shape))
