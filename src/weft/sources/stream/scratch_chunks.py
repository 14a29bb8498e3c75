"""Decoded chunks in a scratch file, for lines across more chunks than memory can hold.

The one idea: a chunk is decoded for the first tile that reads it, and written in its own layout; tiles then read the
part that they need of each chunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import lcm, prod
from operator import floordiv, mul
from typing import Any

from numpy.typing import NDArray

from weft.backends.thread_sharing import share
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, file_leaf
from weft.ir.pieces.box import Box, box_of
from weft.passes.views import replaced
from weft.runtime.memory import allocator
from weft.runtime.memory.limits import is_beyond
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.settings import get_num_threads
from weft.sources.read.touched_boxes import by_chunk, inside
from weft.sources.source import BoxSource, storage_dtype
from weft.sources.stream.spilled_units import SpilledUnits
from weft.sources.stream.sweep import SHORT, Sweep, T
from weft.sources.stream.tiling import Tiling
from weft.sources.stream.units import ReadUnit, chunks_of, units_of
from weft.sources.write.scratch_file import ScratchFile


class ScratchChunks(BoxSource):
    """A source with another one's cells, whose chunks are decoded to a scratch file at their first read.

    A chunk's place in the file is used again once no later tile reads it.
    """

    def __init__(self, source: Any) -> None:
        self.source, self.name = source, f"scratch of {source.name}"
        self.dtype, self.big, self.shape, self.chunk = source.dtype, source.big, source.shape, source.chunks
        self.nbytes = self.decode_bytes = prod(self.chunk) * self.dtype.itemsize
        self.units: dict[Shape, ReadUnit] = {}  # the chunks with cells that are used, by index in the grid
        self.spilled = SpilledUnits((), None)

    def most_at_once(self, boxes: Sequence[Sequence[Box]]) -> int:
        """Return the bytes of the chunks in the file at once, given the boxes that each tile reads, in turn.

        Chunks that are read once are not written.
        """
        found = [self._indices(of) for of in boxes]
        reads = Counter([index for indices in found for index in indices])
        touched = [{index for index in indices if reads[index] > 1} for indices in found]
        first, last = Counter[int](), dict[Shape, int]()
        for k, indices in enumerate(touched):
            first[k] = len(indices - last.keys())
            last.update(dict.fromkeys(indices, k))
        gone = Counter(last.values())
        held = accumulate([first[k] - gone[k - 1] for k in range(len(touched))])
        return max(held, default=0) * self.nbytes

    def _indices(self, boxes: Sequence[Box]) -> list[Shape]:
        """Return the chunks that each of the boxes reads, if they have cells that are used."""
        return [index for b in boxes for index in by_chunk([b], self.chunk) if index in self.units]

    def open(self, boxes: Sequence[Sequence[Box]], limit: int) -> None:
        """Create the file, given the boxes that each tile reads, in turn.

        Chunks are decoded in parallel if `limit` bytes hold one for each thread. Raises WriteError if the disk is full.
        """
        self.in_parallel, self.lock = get_num_threads() * self.nbytes <= limit, ReentrantLock()
        again = Counter([self.units[index] for of in boxes for index in self._indices(of)])
        again.subtract([*again])
        self.spilled = SpilledUnits(again.elements(), ScratchFile(self.most_at_once(boxes), "decoded chunks"))

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a contiguous box in the source's byte order, 0 in chunks without cells that are used.

        Raises FileFormatError if a chunk is damaged.
        """
        parts, cells = by_chunk([box], self.chunk), allocator.empty(storage_dtype(self), box.size)

        def one(item: tuple[Shape, Sequence[Box]]) -> None:
            index, (part,) = item
            target, local = cells[inside(part, box.start).slices], inside(part, tuple(map(mul, index, self.chunk)))
            if (unit := self.units.get(index)) is None:
                target[...] = 0
            elif not self.spilled.read_back(unit, target, local.start):
                target[...] = self.spilled.decoded(unit)[local.slices]

        with self.lock:
            missing = [
                u for index in parts if (u := self.units.get(index)) is not None and u not in self.spilled.written
            ]
            to_decode = len(missing) * self.nbytes if self.in_parallel else 0
            share(parts.items(), one, to_decode if missing else cells.nbytes)
        return cells

    def close(self) -> None:
        """Close the file, which deletes it."""
        self.spilled.close()


class ScratchSweep(Sweep[T]):
    """A sweep over decoded copies of chunked files; the copies exist only while it runs."""

    def __init__(self, over: Sweep[T]) -> None:
        leaves: dict[int, Node] = {}
        for file, box in over.footprint.boxes(box_of(over.shape)):
            if chunks_of(file.attrs[0]) is not None:
                if id(file) not in leaves:
                    leaves[id(file)] = file_leaf(ScratchChunks(file.attrs[0]), file.desc)
                copy: ScratchChunks = leaves[id(file)].attrs[0]
                copy.units.update([(tuple(map(floordiv, u.box.start, copy.chunk)), u) for u in units_of(file, box)])
        self.copies: list[ScratchChunks] = [leaf.attrs[0] for leaf in leaves.values()]
        roots = replaced(over.roots, lambda n: leaves.get(id(n)))
        super().__init__(over.consumers, over.shape, over.order, over.limit, roots)
        self.cuts = over.footprint.cuts(over.shape)

    @cached_property
    def tiling(self) -> Tiling:
        """Return the tiling, whose tiles end where chunks do, if they are shorter: few chunks are then read at once."""
        found = super().tiling
        units = [lcm(*of) for of in zip(*[t.unit for t in self.consumers], strict=True)]
        for a, (cuts, unit) in enumerate(zip(self.cuts, units, strict=True)):
            spans = [(p, q - p) for p, q in pairwise(cuts)]
            if unit == 1 and len(found.spans[a]) == 1 and found.most[a] <= min([n for _, n in spans], default=0):
                found.spans[a] = spans
        return found

    @property
    def scratch(self) -> int:
        """Return the bytes of the scratch files."""
        return sum([copy.most_at_once(self._boxes(copy)) for copy in self.copies])

    def _boxes(self, copy: ScratchChunks) -> list[list[Box]]:
        """Return the boxes of a copy that are read for each tile, in turn."""
        return [[u.box for u in step.read if u.source is copy] for step in self.steps.units]

    def run(self) -> None:
        """Compute all tiles over copies that are decoded for the first tile that reads them, and deleted at the end.

        Raises WriteError if the disk is full, and the errors of reading, computing and consumers.
        """
        try:
            for copy in self.copies:
                copy.open(self._boxes(copy), self.limit)
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
