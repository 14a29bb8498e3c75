"""A one-dimensional array of cells, appended tile by tile: in memory while small, then in a scratch file.

The one idea: the array is read back tile by tile, like any other file.  So it can hold results that do not fit the
usual tiling: cells whose number is not known beforehand, and scans whose readers need them twice or in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any
from weakref import ref

import numpy as np

from weft.dtypes import DType
from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, copied, file_leaf, result, stored
from weft.ir.pieces.box import Box
from weft.runtime.compute import engine
from weft.runtime.memory import allocator
from weft.runtime.signal_safe_threads import Background
from weft.sources.source import BoxSource
from weft.sources.stream.folds import Array
from weft.sources.stream.kept_cells import tile_of
from weft.sources.stream.sweep import TileConsumer
from weft.sources.write.scratch_file import ScratchFile

SHARE = 16  # the part 1 / SHARE of the memory limit that cells of unknown number may take
PIECE = 1 << 20  # bytes that are written to the file at a time, if `room` holds as many
FEW = 8  # a scan of at most 1 / FEW of the memory limit stays in memory


class AppendedCells(BoxSource):
    """A one-dimensional array of appended cells: in memory up to `room` bytes, then in a scratch file.

    Once it is in the file, the object is the source from which the cells are read back.
    """

    name = "selected cells"

    def __init__(self, dtype: DType, room: int) -> None:
        self.dtype, self.room, self.size, self.shape = dtype, room, 0, (0,)
        self.held: list[Array] = []
        self.file: ScratchFile | None = None
        self.owner: tuple[ref[Any], int] | None = None  # the place that alone writes to it, and `Forks.count` then
        self.writing: Background[None] | None = None  # writes the cells before the held ones

    def append(self, cells: Array) -> None:
        """Append cells; more than `room` bytes in all move to a scratch file, on a thread of its own.

        Raises WriteError if the scratch folder is full.
        """
        self.held.append(cells)
        self.size += cells.size
        if self.file is None and self.size * self.dtype.itemsize > self.room:
            self.file = ScratchFile(0, "selected cells")
        if self.file is not None and sum([part.nbytes for part in self.held]) >= min(PIECE, self.room):
            self._write(self.file)

    def _write(self, file: ScratchFile) -> None:
        """Begin to write the held cells, once those before them are written; raises WriteError if that failed."""
        self._wait()
        held, self.held = self.held, []
        first = self.size - sum(map(len, held))

        def write() -> None:
            at = first
            for part in held:
                file.write(at * self.dtype.itemsize, part)
                at += len(part)

        self.writing = Background(write)
        self.writing.start()

    def _wait(self) -> None:
        writing, self.writing = self.writing, None
        if writing is not None:
            writing.result()

    def node(self) -> Node:
        """Return a node of all cells appended so far: stored, or a leaf that reads the scratch file."""
        self.shape = (self.size,)
        d = result(self.dtype, self.shape)
        if self.file is not None:
            self._write(self.file)
            self._wait()
        else:
            cells = allocator.empty(self.dtype.np, self.shape)
            np.concatenate([cells[:0], *self.held], out=cells)
            self.held.clear()
            return stored(d, cells)
        return self.leaf()

    def leaf(self) -> Node:
        """Return a leaf that reads the cells, of `shape`, from the scratch file."""
        d = result(self.dtype, self.shape)
        return copied(file_leaf(self, describe(d.dtype, d.shape, d.strides, False, None, True)))

    def overwrite(self, first: int, cells: Array) -> None:
        """Write cells over those from number `first` on; raises WriteError if the file cannot be written to."""
        assert self.file is not None
        self.file.write(first * self.dtype.itemsize, cells)

    def read_box(self, box: Box) -> Array:
        """Return the cells of a box from the scratch file; raises WriteError if it cannot be read."""
        assert self.file is not None
        cells = allocator.empty(self.dtype.np, box.size)
        self.file.read(box.start[0] * self.dtype.itemsize, cells)
        return cells


class AppendedScan(TileConsumer):
    """The consumer of a scan along a single line; its tiles come in order and are appended to an array."""

    def __init__(self, n: Node, limit: int) -> None:
        super().__init__([n])
        self.values = self.roots
        few = n.desc.nbytes <= limit // FEW
        self.cells = AppendedCells(n.desc.dtype, n.desc.nbytes if few else 0)

    def needed(self, size: Shape) -> int:
        """Return the bytes held while a tile of `size` cells is added: the cells in memory, and the tile."""
        return self.cells.room + self.cells.dtype.itemsize * prod(size)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Append the cells of a tile; raises WriteError if the scratch folder is full."""
        self.cells.append(tile_of(inputs[0]).reshape(-1))

    def publish(self) -> None:
        """Replace the scan in the graph by a copy of the appended cells."""
        self._replace_by(self.cells.node())

    def assume(self) -> None:
        """Replace the scan by memory without pages, or a large one by a leaf of an unmade scratch file."""
        if self.cells.room:
            return super().assume()
        self.cells.shape = (self.roots[0].desc.size,)
        return self._replace_by(self.cells.leaf())

    def _replace_by(self, found: Node) -> None:
        (n,) = self.roots
        engine.redefine(n, copied(found) if n.desc.ndim == 1 else se.reshape(found, n.desc.shape))
