"""Sources of encoded chunks: what programs and tiles read of them, chunk by chunk.

The one idea: boxes that are read together are grouped by chunk, and each chunk is decoded once, by one of several
threads, or taken from those that are kept decoded; a format tells where the bytes of a chunk lie.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import prod
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.backends.thread_sharing import BRIEF, one_at_a_time, share
from weft.ir.graph.description import Shape
from weft.runtime.compute.engine import SourceRead
from weft.runtime.memory import allocator
from weft.sources.read.extents import LOCAL, ReadCost, bytes_in
from weft.sources.read.kept_chunks import cells_of_chunk, kept_chunk, parts_to_keep
from weft.sources.read.touched_boxes import Box, by_chunk, cells, copied, inside, runs
from weft.sources.source import Gathering, as_bits, storage_dtype
from weft.sources.zarr.chunks import Blob, ChunkBlock, Reader
from weft.sources.zarr.codecs import Chain

Index = tuple[int, ...]


class EncodedChunk(NamedTuple):
    """The bytes of a chunk, and their encoding."""

    blob: Blob
    chain: Chain


class TouchedChunk(NamedTuple):
    """A chunk that is read: its index in the grid, its place in the target, the parts read."""

    index: Index
    block: ChunkBlock
    parts: Sequence[Box]


class ChunkSource(Gathering):
    """The base of sources in chunks of one shape.

    `cell` is the fill value as bits.  With `comes_whole`, all bytes of a chunk are read even for a part of it; with
    `is_kept`, chunks that are read in part are kept decoded.  At least `requests` threads are used, as they wait for a
    server.
    """

    chunks: Index
    cell: NDArray[Any]
    comes_whole: bool
    is_kept: bool
    requests: int = 0
    read_cost: ReadCost = LOCAL

    @property
    def are_brief(self) -> bool:
        """True if chunks are read and decoded so soon that threads would wait for each other."""
        return not self.requests and prod(self.chunks) * self.dtype.itemsize < BRIEF

    def opened(self, chunks: Sequence[TouchedChunk], reader: Reader | None = None) -> AbstractContextManager[Any]:
        """Return a block with what is open while the chunks are read, fetched ahead for `reader` if given.

        Its exit raises FileFormatError if the source has changed.  By default nothing is open.
        """
        return nullcontext()

    @abstractmethod
    def encoded(self, held: Any, index: Index) -> AbstractContextManager[EncodedChunk | None]:
        """Return a block with a chunk, by its index in the grid; None if it is not stored.

        `held` is what `opened` gave.
        """

    @abstractmethod
    def mark(self, index: Index) -> object:
        """Return a mark of the stored bytes of a chunk, which other bytes do not have. None if it is not stored."""

    @abstractmethod
    def read_chunk(self, held: Any, reader: Reader, chunk: TouchedChunk, target: NDArray[Any]) -> None:
        """Read the parts of a chunk into the same positions of `target`; raises FileFormatError if it is damaged.

        `held` is what `opened` gave.
        """

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes into the same positions of `target`; each chunk is decoded once.

        Cells of chunks that are not stored get the fill value.  Raises FileFormatError if the source is damaged or has
        changed.
        """
        touched, reader, bits = by_chunk(boxes, self.chunks), self.reader(boxes), as_bits(target)
        kept = parts_to_keep(self, touched) if self.is_kept else set()
        chunks = self.touched(touched)

        def read(chunk: TouchedChunk) -> None:
            mark = self.mark(chunk.index) if chunk.index in kept else None
            if mark is None:
                self.read_chunk(held, reader, chunk, bits)
            else:
                copied(chunk.parts, as_bits(cells_of_chunk(self, chunk.index, mark)), chunk.block.corner, bits)

        with self.opened([chunk for chunk in chunks if chunk.index not in kept], reader) as held:
            decoded = len(chunks) * prod(self.chunks) if self.comes_whole else cells(boxes)
            share(chunks, read, 0 if self.are_brief else decoded * self.dtype.itemsize, self.requests)

    def blocks(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box of whole chunks; raises FileFormatError as `gather` does."""
        parts = [(index, inside(part, box.start)) for index, (part,) in by_chunk([box], self.chunks).items()]
        return self.joined(box.size, parts)

    def joined(self, size: Shape, parts: Sequence[tuple[Index, Box]]) -> NDArray[Any]:
        """Return an array of chunks, given by their index and their place in it; raises FileFormatError as `gather`."""
        found = allocator.empty(storage_dtype(self), size)
        reader, bits = self.reader([]), as_bits(found)
        chunks = [TouchedChunk(index, ChunkBlock(part.start, self.chunks), [part]) for index, part in parts]
        with self.opened(chunks, reader) as held, one_at_a_time(self.are_brief):
            for chunk in chunks:
                self.read_chunk(held, reader, chunk, bits)
        return found

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the byte ranges that `gather` would read, with their files; reads only the indexes of shards.

        Raises FileFormatError if the source is damaged or has changed.
        """
        chunks, reader = self.touched(by_chunk(boxes, self.chunks)), self.reader(boxes)
        left = [c for c in chunks if not self.is_kept or kept_chunk(self, c.index, self.mark(c.index)) is None]
        found, files = [np.empty((0, 2), np.int64)], list[str]()
        with self.opened(left) as held:
            for chunk in left:
                with self.encoded(held, chunk.index) as stored:
                    if stored is not None:
                        found.append(reader.fetched(*stored, chunk.block, chunk.parts))
                        files += [stored.blob.name] * len(found[-1])
        extents = np.concatenate(found)
        return SourceRead(self.name, bytes_in(extents), len(extents), extents, tuple(files), len(chunks) - len(left))

    def reader(self, boxes: Sequence[Box]) -> Reader:
        """Return a reader; it reads exactly if the boxes are few runs, else gaps between runs as well."""
        exact = self.read_cost.exact
        return Reader(self.cell, exact if runs(boxes, self.order) <= exact else 0, self.read_cost)

    def touched(self, parts: Mapping[Index, Sequence[Box]]) -> list[TouchedChunk]:
        """Return the chunks of which parts are read, by their index in the grid."""
        return [TouchedChunk(i, ChunkBlock(tuple(map(mul, i, self.chunks)), self.chunks), p) for i, p in parts.items()]
