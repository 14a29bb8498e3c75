"""Decoded chunks in a scratch file, for lines across more chunks than memory can hold.

The one idea: a chunk is decoded once and written in its own layout; tiles then read the part that they need of each
chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import floordiv, mul
from typing import Any

from numpy.typing import NDArray

from weft.backends.thread_sharing import share
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node, file_leaf
from weft.ir.pieces.box import Box, box_of
from weft.passes.views import replaced
from weft.runtime.memory import allocator
from weft.runtime.memory.limits import is_beyond
from weft.settings import get_num_threads
from weft.sources.read.touched_boxes import by_chunk, hull, inside
from weft.sources.source import SourceRead, as_bits, storage_dtype, unplaced
from weft.sources.stream.sweep import SHORT, Sweep, T
from weft.sources.stream.units import ReadUnit, chunks_of, units_of
from weft.sources.write.scratch_file import ScratchFile


class ScratchChunks:
    """A source with the cells of another one, whose chunks `fill` decodes to an unnamed file."""

    order = "C"

    def __init__(self, source: Any) -> None:
        self.source, self.name = source, f"scratch of {source.name}"
        self.dtype, self.big, self.shape, self.chunk = source.dtype, source.big, source.shape, source.chunks
        self.nbytes = prod(self.chunk) * self.dtype.itemsize
        self.grid = tuple([-(-n // c) for n, c in zip(self.shape, self.chunk, strict=True)])
        self.steps = c_strides(self.grid, self.nbytes)
        self.file: ScratchFile | None = None

    def fill(self, units: Sequence[ReadUnit], limit: int) -> None:
        """Decode chunks of the source to the file; in parallel if `limit` bytes hold one chunk for each thread.

        Tiles read boxes, which take in cells between those that are used, also of chunks that are not decoded.
        Raises WriteError if the disk is full, FileFormatError if a chunk is damaged.
        """
        self.file = file = ScratchFile(prod(self.grid) * self.nbytes, "decoded chunks")
        file.extend()

        def one(unit: ReadUnit) -> None:
            file.write(self._at(tuple(map(floordiv, unit.box.start, self.chunk))), unit.read())

        share(units, one, len(units) * self.nbytes if get_num_threads() * self.nbytes <= limit else 0)
        if hasattr(self.source, "check"):
            self.source.check()

    def _at(self, index: Shape) -> int:
        """Return the byte offset of the chunk at `index` of the grid."""
        return sum(map(mul, index, self.steps))

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a contiguous box in the source's byte order.

        Raises WriteError if the file cannot be read.
        """
        assert self.file is not None
        cells = allocator.empty(storage_dtype(self), box.size)
        strides = c_strides(self.chunk, self.dtype.itemsize)
        for index, (part,) in by_chunk([box], self.chunk).items():
            local = inside(part, tuple(map(mul, index, self.chunk)))
            at = self._at(index) + sum(map(mul, local.start, strides))
            self.file.read(at, cells[inside(part, box.start).slices], strides)
        return cells

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of each box into the same positions of `target`.

        Raises WriteError if the file cannot be read.
        """
        bits = as_bits(target)
        for part in [part for parts in by_chunk(boxes, self.chunk).values() for part in parts]:
            around = hull([part])
            bits[part.slices] = as_bits(self.read_box(around))[inside(part, around.start).slices]

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the bytes that `gather` would read; their places in the file are not given."""
        return unplaced(self, sum([b.cells for b in boxes]), len(boxes))

    def close(self) -> None:
        """Close the file, which deletes it."""
        if self.file is not None:
            self.file.close()


class ScratchSweep(Sweep[T]):
    """A sweep over decoded copies of chunked files; the copies exist only while it runs."""

    def __init__(self, over: Sweep[T]) -> None:
        self.copies: dict[ScratchChunks, list[ReadUnit]] = {}
        leaves: dict[int, Node] = {}
        for file, box in over.footprint.boxes(box_of(over.shape)):
            if chunks_of(file.attrs[0]) is not None:
                if id(file) not in leaves:
                    leaves[id(file)] = file_leaf(ScratchChunks(file.attrs[0]), file.desc)
                units = self.copies.setdefault(leaves[id(file)].attrs[0], [])
                units += [u for u in units_of(file, box) if u not in units]
        roots = replaced(over.roots, lambda n: leaves.get(id(n)))
        super().__init__(over.consumers, over.shape, over.order, over.limit, roots)

    def run(self) -> None:
        """Decode the chunks to scratch files and compute all tiles; the files are deleted at the end.

        Raises WriteError if the disk is full, and the errors of reading, computing and consumers.
        """
        try:
            for copy, units in self.copies.items():
                copy.fill(units, self.limit)
            super().run()
        finally:
            for copy in self.copies:
                copy.close()


def fitting(sweep: Sweep[T], may_exceed: bool = False) -> Sweep[T]:
    """Return `sweep`, or a sweep over decoded copies of its chunks if it does not fit its memory limit.

    Copies are also used if they save many short writes. With `may_exceed`, the sweep may exceed the limit slightly, as
    long as no warning would be given.
    """
    share = sweep.run_share(sweep.tiling)
    is_small = sweep.fits or (may_exceed and not is_beyond(sum(sweep.taken(sweep.tiling))))
    if is_small and share >= SHORT:
        return sweep
    copied = ScratchSweep(sweep)
    if not copied.copies or not copied.fits:
        return sweep
    return sweep if is_small and copied.run_share(copied.tiling) < 2 * share else copied
