"""From the bytes that a program touches to a fetch: ranges of bytes, boxes, or chunks.

The one idea: a fetch is computed before anything is read, so it can be counted, announced, refused or explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from weft.ir.graph.node import Node, root_of
from weft.runtime.compute.engine import SourceRead
from weft.runtime.compute.footprint import Touch, joined, touched
from weft.runtime.compute.signature import Work
from weft.runtime.memory import allocator
from weft.sources.formats.cell_run import strides_of
from weft.sources.read.address_space import addresses, pages_of_box, pages_of_ranges
from weft.sources.read.extents import LOCAL, Extents, bytes_in, extents_of
from weft.sources.read.touched_boxes import Box, Grid, cells
from weft.sources.source import Addressed, AnySource, Gathering


def fetches_of(work: Work) -> list[tuple[Node, Fetch]]:
    """Return (file leaf, fetch) for every file from which the program of `work` reads cells."""
    found: dict[Node, list[tuple[Touch, ...] | None]] = {}

    def at_hand(arg: int) -> Node | None:
        return work.leaves[arg] if arg < len(work.leaves) and arg not in work.sources else None

    for k in work.sources:
        touches = work.program.footprint(k)
        if touches is None:  # it depends on index arrays among the arguments
            touches = touched(work.program.plan, k, at_hand)
        leaf = work.leaves[k]
        by = 0 if leaf.alias is None else leaf.alias[1]
        if touches is not None and by:
            touches = tuple([t.moved(by) for t in touches])
        found.setdefault(root_of(leaf), []).append(touches)
    together = [(f, parts[0] if len(parts) == 1 else _together(parts)) for f, parts in found.items()]
    return [(f, fetch_of(f.attrs[0], t, f.desc.nbytes)) for f, t in together if t is None or t]


def _together(parts: list[tuple[Touch, ...] | None]) -> tuple[Touch, ...] | None:
    """Return the joined touches of several views of a file; None (all cells) if one of them is None."""
    return None if None in parts else joined([t for p in parts if p is not None for t in p])


def fetch_of(source: AnySource, touches: Sequence[Touch] | None, nbytes: int) -> Fetch:
    """Return the fetch that reads the touched bytes of a source (None: all cells, which take `nbytes`)."""
    if hasattr(source, "load"):  # Addressed; an isinstance check of the protocol would take as long as the rest
        run = cast(Addressed, source)
        if touches is None:
            return ByRanges(run, np.array([[0, nbytes]], np.int64))
        return ByRanges(run, np.clip(extents_of(touches, getattr(source, "cost", LOCAL)), 0, nbytes))
    gathering = cast(Gathering, source)
    return ByBoxes(gathering, Grid(source.shape, source.dtype.itemsize, gathering.order).boxes(touches))


def _memory(source: AnySource, read_bytes: int, nbytes: int) -> NDArray[np.uint8]:
    """Return `nbytes` of memory for a source.

    It is allocated if over half of it, `read_bytes`, is read, else reserved addresses.
    """
    if 2 * read_bytes > nbytes:
        return allocator.empty(np.dtype(np.uint8), (nbytes,))
    return addresses(nbytes, source.name)


@dataclass(frozen=True, slots=True)
class ByRanges:
    """The fetch of byte ranges from a source whose cells have addresses.

    For a mapped file (a source with `map`) nothing is read: programs use its pages.
    """

    source: Addressed
    extents: Extents

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the ranges take, in pages: 0 for a mapped file."""
        if hasattr(self.source, "map") or not len(self.extents):
            return 0
        is_small = int(self.extents[-1, 1]) < allocator.LARGE
        return bytes_in(self.extents) if is_small else pages_of_ranges(self.extents)

    def memory(self, nbytes: int) -> NDArray[np.uint8]:
        """Return memory for all cells of the source, as the file has them, or a mapped file's pages.

        `nbytes` are the bytes of all cells. Raises FileFormatError if a mapped file has changed, OutOfMemory if memory
        is refused.
        """
        pages: NDArray[np.uint8] | None = self.source.map() if hasattr(self.source, "map") else None
        return _memory(self.source, bytes_in(self.extents), nbytes) if pages is None else pages

    def into(self, memory: NDArray[np.uint8], target: NDArray[Any]) -> None:
        """Read the ranges to the same offsets of `memory`, unless the file is mapped.

        Raises FileFormatError if the file is damaged or changed.
        """
        if memory.flags.writeable:
            self.source.load(self.extents, memory)

    def account(self) -> SourceRead:
        """Return a SourceRead: the ranges by their offsets in the file, their bytes and their number."""
        ranges = self.extents + getattr(self.source, "offset", 0)
        return SourceRead(self.source.name, bytes_in(ranges), len(ranges), ranges)


@dataclass(frozen=True, slots=True)
class ByBoxes:
    """The fetch of boxes from a source that locates cells itself."""

    source: Gathering
    boxes: Sequence[Box]

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the cells of all boxes take, in pages."""
        source = self.source
        nbytes = prod(source.shape) * source.dtype.itemsize
        if nbytes < allocator.LARGE:
            return cells(self.boxes) * source.dtype.itemsize
        strides = strides_of(source.shape, source.dtype.itemsize, source.order)
        return min(nbytes, sum([pages_of_box(b, strides, source.dtype.itemsize) for b in self.boxes]))

    def memory(self, nbytes: int) -> NDArray[np.uint8]:
        """Return memory of `nbytes` for all cells of the source, laid out in its order.

        Raises OutOfMemory if memory is refused.
        """
        return _memory(self.source, self.nbytes, nbytes)

    def into(self, memory: NDArray[np.uint8], target: NDArray[Any]) -> None:
        """Read the boxes to the same positions of `target`; raises FileFormatError if the file is damaged."""
        if self.boxes:
            self.source.gather(self.boxes, target)

    def account(self) -> SourceRead:
        """Return a SourceRead with the bytes, reads and ranges of the fetch, as the source reports them."""
        return self.source.fetched(self.boxes)


Fetch = ByRanges | ByBoxes  # the read of one source for a program
