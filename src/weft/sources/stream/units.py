"""Units of reading: the boxes of a source that are read and decoded at a time.

The one idea: where a source has chunks, a chunk is decoded as a whole, so tiles share chunks; where cells have
addresses, any box is read as it is; what has neither is read as a whole, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, sub
from typing import Any, NamedTuple

from numpy.typing import NDArray

from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, stored
from weft.ir.pieces.box import Box, box_of
from weft.runtime.memory import allocator
from weft.sources.read.touched_boxes import by_chunk, chunk_box, inside
from weft.sources.source import AnySource, as_bits, storage_dtype

Cells = NDArray[Any]


class ReadUnit(NamedTuple):
    """A box of a file leaf that is read at a time."""

    file: Node
    box: Box

    @property
    def source(self) -> AnySource:
        """The source of the file."""
        found: AnySource = self.file.attrs[0]
        return found

    @property
    def itemsize(self) -> int:
        """The bytes of a cell."""
        return self.file.desc.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of its cells in memory; a chunk at an end takes as many as others."""
        chunk = chunks_of(self.source)
        cells = self.box.cells if chunk is None else box_of(chunk).cells
        return cells * self.itemsize

    def read(self) -> Cells:
        """Return the cells of the box as they are stored; a chunk at an end comes whole.  Raises FileFormatError."""
        source: Any = self.source
        chunk = chunks_of(source)
        if chunk is not None:
            return source.block(tuple([a // c for a, c in zip(self.box.start, chunk, strict=True)]))
        if hasattr(source, "read_box"):
            return source.read_box(self.box)
        target = allocator.empty(storage_dtype(source), source.shape)
        source.gather([self.box], target)
        return target


def chunks_of(source: Any) -> Shape | None:
    """Return the shape of the chunks in which a source is decoded; None if it has none."""
    return source.chunks if hasattr(source, "block") else None


def units_of(file: Node, box: Box) -> dict[ReadUnit, Box]:
    """Return the units that hold a box of a file, each with its part of the box."""
    source, shape = file.attrs[0], file.desc.shape
    chunk = chunks_of(source)
    if chunk is None:
        return {ReadUnit(file, box if hasattr(source, "read_box") else box_of(shape)): box}
    parts = by_chunk([box], chunk).items()
    return {ReadUnit(file, chunk_box(index, chunk, shape)): part for index, (part,) in parts}


def window(file: Node, box: Box, held: Sequence[tuple[Box, Cells]]) -> Node:
    """Return a box of a file as a stored node; `held` are arrays of boxes that hold it together.

    An array may go on behind its box.
    """
    if len(held) == 1:
        start, cells = held[0][0].start, held[0][1]
        whole = stored_cells(file, cells)
        return whole if box.size == cells.shape else se.slice_(whole, inside(box, start).runs)
    target = allocator.empty(held[0][1].dtype, box.size)
    words = as_bits(target)
    for of, cells in held:
        part = _common(box, of)
        words[inside(part, box.start).slices] = as_bits(cells)[inside(part, of.start).slices]
    return stored_cells(file, target)


def _common(a: Box, b: Box) -> Box:
    """Return the cells of two boxes of neighbouring cells that lie in both."""
    low = tuple(map(max, a.start, b.start))
    ends = tuple(map(min, map(add, a.start, a.size), map(add, b.start, b.size)))
    return box_of(tuple(map(sub, ends, low)), low)


def stored_cells(file: Node, cells: Cells) -> Node:
    """Return an array of a file's cells as a stored node."""
    d = file.desc
    return stored(describe(d.dtype, cells.shape, cells.strides, d.big, None, True), cells)
