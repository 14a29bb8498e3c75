"""Units of reading: the boxes of a source that are read and decoded at a time.

The one idea: a chunk is decoded as a whole, so tiles share chunks, and small chunks are read several at a time; where
cells have addresses, any box is read directly; a source with neither is read as a whole, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import add, gt, methodcaller, sub
from typing import Any, NamedTuple, cast

from numpy.typing import NDArray

from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, stored
from weft.ir.pieces.box import Box, box_of
from weft.runtime.memory import allocator
from weft.sources.read.extents import LOCAL, ReadCost
from weft.sources.read.touched_boxes import by_chunk, chunk_box, inside
from weft.sources.source import AnySource, as_bits, storage_dtype

Cells = NDArray[Any]


class ChunkGroups(NamedTuple):
    """Groups of chunks of a file that are read together: of `size` cells, within the box `inside` of whole chunks."""

    size: Shape
    inside: Box


class ReadUnit(NamedTuple):
    """A box of a file leaf that is read at once."""

    file: Node
    box: Box

    @property
    def source(self) -> AnySource:
        """Return the source of the file."""
        found: AnySource = self.file.attrs[0]
        return found

    @property
    def itemsize(self) -> int:
        """Return the bytes of a cell."""
        return self.file.desc.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Return the bytes of its cells in memory. A partial chunk at an end takes as many as a whole one."""
        chunk = chunks_of(self.source)
        return max(self.box.cells, 0 if chunk is None else prod(chunk)) * self.itemsize

    @property
    def chunks(self) -> int:
        """Return the number of chunks in the box; 1 for a source without chunks."""
        chunk = chunks_of(self.source)
        return 1 if chunk is None else prod(map(_parts, self.box.size, chunk))

    @property
    def is_decoded(self) -> bool:
        """True if cells are stored in encoded form, so that reading takes much longer than a copy."""
        return chunks_of(self.source) is not None and not getattr(self.source, "plain", False)

    def read(self) -> Cells:
        """Return the cells of the box in the file's byte order; a partial chunk at an end comes whole.

        Raises FileFormatError if the bytes are damaged.
        """
        source: Any = self.source
        chunk = chunks_of(source)
        if chunk is not None and any(map(gt, self.box.size, chunk)):
            return source.blocks(self.box)
        if chunk is not None:
            return source.block(tuple([a // c for a, c in zip(self.box.start, chunk, strict=True)]))
        if hasattr(source, "read_box"):
            return source.read_box(self.box)
        target = allocator.empty(storage_dtype(source), source.shape)
        source.gather([self.box], target)
        return target


UnitReader = Callable[[ReadUnit], Cells]
READ: UnitReader = methodcaller("read")  # from the source itself


def chunks_of(source: Any) -> Shape | None:
    """Return the shape of the chunks in which a source is decoded; None if it has no chunks."""
    return source.chunks if hasattr(source, "block") else None


def cost_of(file: Node) -> ReadCost:
    """Return the cost of reading a file whose cells have addresses; LOCAL if its source gives none."""
    found: ReadCost = getattr(file.attrs[0], "cost", LOCAL)
    return found


def run_bytes(box_size: Shape, file_shape: Shape, order: str, itemsize: int) -> int:
    """Return the bytes of a contiguous run of a box of `box_size` in a file of `file_shape` and `order`.

    >>> run_bytes((2, 3), (10, 10), "C", 4), run_bytes((2, 10), (10, 10), "C", 4)
    (12, 80)
    """
    axes = range(len(box_size))
    for a in reversed(axes) if order == "C" else axes:
        itemsize *= box_size[a]
        if box_size[a] < file_shape[a]:
            break
    return itemsize


def run_share(file: Node, box: Box) -> float:
    """Return the useful share of time in reading one contiguous run of `box`: at most 1, and 1 for chunks."""
    source: Any = file.attrs[0]
    if chunks_of(source) is not None or not hasattr(source, "read_box"):
        return 1.0
    return cost_of(file).run_share(run_bytes(box.size, source.shape, source.order, file.desc.dtype.itemsize))


def units_of(file: Node, box: Box, groups: ChunkGroups | None = None) -> dict[ReadUnit, Box]:
    """Return the units that contain `box` of a file, each with its part of the box.

    With `groups`, units are groups of chunks, or parts of a plain file, else chunks.
    """
    source, shape = file.attrs[0], file.desc.shape
    chunk = chunks_of(source)
    if chunk is None and groups is None:
        return {ReadUnit(file, box if hasattr(source, "read_box") else box_of(shape)): box}
    size = groups.size if groups is not None else cast(Shape, chunk)
    parts = by_chunk([box], size).items()
    whole = [(chunk_box(index, size, shape), part) for index, (part,) in parts]
    return {ReadUnit(file, of if groups is None else _common(of, groups.inside)): part for of, part in whole}


def unit_count(file: Node, box: Box) -> int:
    """Return the number of units that contain a box of neighbouring cells of a file."""
    chunk = chunks_of(file.attrs[0])
    along = zip(box.start, box.size, chunk or (), strict=False)
    return prod([_parts(a + n, c) - a // c for a, n, c in along])


def unit_bytes(pairs: Sequence[tuple[Node, Box]]) -> int:
    """Return the bytes of the units that contain boxes, given as pairs (file, box); shared units count once."""
    files = [file for file, _ in pairs]
    if len(set(files)) < len(files):  # two boxes may have units in common
        return sum([u.nbytes for u in {u for f, b in pairs for u in units_of(f, b)}])
    chunked = [(f, b, chunk) for f, b in pairs if (chunk := chunks_of(f.attrs[0])) is not None]
    others = [u for f, b in pairs if chunks_of(f.attrs[0]) is None for u in units_of(f, b)]
    cells = [unit_count(f, b) * prod(chunk) * f.desc.dtype.itemsize for f, b, chunk in chunked]
    return sum(cells) + sum([u.nbytes for u in others])


def groups_of(file: Node, tile_box: Box, read_boxes: Sequence[Box], limit: int) -> ChunkGroups | None:
    """Return the groups in which chunks of a file are read; None if they are read singly.

    `tile_box` is the box that one tile reads, `read_boxes` are the boxes that all tiles read. Chunks are doubled along
    the last axes first, up to the size of the tile. A group has at most 1/256 of `limit` bytes, or its source's
    `at_least`, up to 1/16. A tile must read at most a quarter more bytes by groups than by chunks.
    """
    source = file.attrs[0]
    chunk = chunks_of(source)
    if chunk is None or not hasattr(source, "blocks") or len(read_boxes) != 1:
        return None
    size, most = list(chunk), max(limit // 256, min(limit // 16, getattr(source, "at_least", 0)))
    for a in range(len(size) - 1, -1, -1):
        while 2 * size[a] <= tile_box.size[a] and 2 * prod(size) * file.desc.dtype.itemsize <= most:
            size[a] *= 2
    groups = ChunkGroups(tuple(size), parts_around(file, chunk, read_boxes[0]))
    together = sum([u.nbytes for u in units_of(file, tile_box, groups)])
    return groups if groups.size != chunk and 4 * together <= 5 * unit_bytes([(file, tile_box)]) else None


def parts_around(file: Node, size: Shape, box: Box) -> Box:
    """Return the box of the parts of `size` that contain `box`; parts are counted from the first cell of a file."""
    low = [n // c * c for n, c in zip(box.start, size, strict=True)]
    ends = [_parts(a + n, c) * c for a, n, c in zip(box.start, box.size, size, strict=True)]
    return box_of(tuple([min(e, n) - a for e, n, a in zip(ends, file.desc.shape, low, strict=True)]), tuple(low))


def _parts(count: int, part_size: int) -> int:
    """Return the number of parts of `part_size` cells that cover `count` cells."""
    return -(-count // part_size)


def window(file: Node, box: Box, arrays: Sequence[tuple[Box, Cells]]) -> Node:
    """Return `box` of a file as a stored node; `arrays` are (box, array) pairs that cover it together.

    An array may extend beyond its box at the end.
    """
    if len(arrays) == 1:
        start, cells = arrays[0][0].start, arrays[0][1]
        whole = stored_cells(file, cells)
        return whole if box.size == cells.shape else se.slice_(whole, inside(box, start).runs)
    target = allocator.empty(arrays[0][1].dtype, box.size)
    words = as_bits(target)
    for of, cells in arrays:
        part = _common(box, of)
        words[inside(part, box.start).slices] = as_bits(cells)[inside(part, of.start).slices]
    return stored_cells(file, target)


def covering(box: Box, arrays: Sequence[tuple[Box, Cells]]) -> list[tuple[Box, Cells]] | None:
    """Return the (box, array) pairs that meet a box, of pairs apart from each other. None if they do not cover it."""
    met = [(common, pair) for pair in arrays if min((common := _common(box, pair[0])).size, default=1) > 0]
    return [pair for _, pair in met] if sum([common.cells for common, _ in met]) == box.cells else None


def _common(first: Box, second: Box) -> Box:
    """Return the intersection of two boxes of neighbouring cells."""
    low = tuple(map(max, first.start, second.start))
    ends = tuple(map(min, map(add, first.start, first.size), map(add, second.start, second.size)))
    return box_of(tuple(map(sub, ends, low)), low)


def stored_cells(file: Node, cells: Cells) -> Node:
    """Return an array of cells of `file`, in its byte order, as a stored node."""
    d = file.desc
    return stored(describe(d.dtype, cells.shape, cells.strides, d.big, None, True), cells)
