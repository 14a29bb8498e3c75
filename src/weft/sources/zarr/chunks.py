"""Cells of a Zarr chunk: exact ranges if its bytes are the cells, whole blocks if they are encoded.

The one idea: a chunk, a shard and a block inside a shard are each a range of a file with a chain of codecs, so one
function reads them, and a shard is a step into smaller ranges.  Cells are moved as bits, whatever their dtype.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.ir.graph.description import c_strides
from weft.runtime.compute.footprint import joined
from weft.runtime.memory import allocator
from weft.sources.read.address_space import addresses
from weft.sources.read.byte_ranges import RangedFile
from weft.sources.read.extents import LOCAL, Extents, ReadCost, bytes_in, extents_of, merged
from weft.sources.read.touched_boxes import Box, by_chunk, byte_patterns, copied, inside
from weft.sources.zarr.codecs import Bytes, Chain, DamagedChunk, Shard, decoded

MISSING = 2**64 - 1  # offset and bytes of a block that is not in the shard
KEPT_SCRATCH = 16 << 20  # bytes of memory a thread keeps for the next chunk
_SCRATCH = threading.local()


class Blob(NamedTuple):
    """Bytes `first` to `first + size` of a file, or of `memory` with bytes decoded from it."""

    name: str
    fd: RangedFile
    first: int
    size: int
    memory: NDArray[np.uint8] | None = None

    def part(self, first: int, size: int) -> Blob:
        """Return the blob of `size` bytes from byte `first` on."""
        return Blob(self.name, self.fd, self.first + first, size, self.memory)

    def read(self, first: int, target: NDArray[np.uint8]) -> None:
        """Fill `target` with the bytes from `first` on; raises FileFormatError if the file is shorter."""
        if self.memory is None:
            self.fd.exactly(self.name, self.first + first, memoryview(target))
        else:
            target[:] = self.memory[self.first + first : self.first + first + len(target)]

    def all(self) -> NDArray[np.uint8]:
        """Return all bytes of the blob; raises FileFormatError if the file is shorter."""
        if self.memory is not None:
            return self.memory[self.first : self.first + self.size]
        target = allocator.scratch(self.size)
        self.read(0, target)
        return target


class ChunkBlock(NamedTuple):
    """A block of cells: its first cell in the array (`corner`), and its size along each axis (`shape`)."""

    corner: tuple[int, ...]
    shape: tuple[int, ...]

    def inner(self, index: tuple[int, ...], shape: tuple[int, ...]) -> ChunkBlock:
        """Return the block at `index` of a grid of blocks of `shape`, counted from the array's cell 0."""
        return ChunkBlock(tuple([i * n for i, n in zip(index, shape, strict=True)]), shape)


class Reader:
    """A reader of the blocks of one array.

    `cell` is the fill value as bits; up to `most` ranges of a block are read exactly, and `cost` is the cost of reads.
    """

    def __init__(self, cell: NDArray[Any], most: int, cost: ReadCost = LOCAL) -> None:
        self.cell, self.itemsize, self.most, self.cost = cell, cell.dtype.itemsize, most, cost
        self.known: dict[Any, Extents] = {}  # by parts within a block: blocks in a row mostly have the same touched

    def fill(self, parts: Sequence[Box], target: NDArray[Any]) -> None:
        """Set the cells of the parts to the fill value."""
        for b in parts:
            target[b.slices] = self.cell

    def read(self, blob: Blob, chain: Chain, block: ChunkBlock, parts: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of `parts`, within the block that the blob encodes, into the same positions of `target`.

        `chain` is the encoding. Raises DamagedChunk for bytes that do not decode, FileFormatError for a file that is
        too short.
        """
        if chain.shard is not None:
            for held, inner, some in self._inner(blob, chain, block, parts):
                if held is None:
                    self.fill(some, target)
                else:
                    self.read(held, chain.shard.inner, inner, some, target)
            return
        nbytes = prod(block.shape) * self.itemsize
        only = target[parts[0].slices] if len(parts) == 1 else None
        whole = only is not None and parts[0].size == block.shape
        plain = only is not None and only.flags.c_contiguous and _is_in_order(chain, only)  # laid out as in the file
        direct = only.reshape(-1).view(np.uint8) if only is not None and plain else None
        if chain.stages:
            place = direct if whole else None
            if place is None and nbytes <= KEPT_SCRATCH:  # a larger size may be a lie
                place = allocator.scratch(nbytes)
            data: Bytes = decoded(chain.stages, blob.all(), nbytes, 0, place)
            if whole and data is direct:
                return
            memory = np.frombuffer(data, np.uint8)
        elif whole:
            _check_size(blob, nbytes)
            memory = self._memory(nbytes, nbytes) if direct is None else direct
            blob.read(0, memory)
            if direct is not None:
                return
        else:
            extents = self._plain(blob, chain, block, parts)
            if direct is not None and len(extents) == 1 and direct.nbytes == int(extents[0, 1] - extents[0, 0]):
                blob.read(int(extents[0, 0]), direct)
                return
            memory = self._memory(nbytes, bytes_in(extents))
            for first, end in extents.tolist():
                blob.read(first, memory[first:end])
        cells = self._cells(memory, chain, block)
        if whole:
            only[...] = cells
        else:
            copied(parts, cells, block.corner, target)

    def fetched(self, blob: Blob, chain: Chain, block: ChunkBlock, parts: Sequence[Box]) -> Extents:
        """Return the byte ranges of the file that `read` would fetch; reads only the indexes of shards.

        Raises DamagedChunk for a blob of a wrong size, or an index that points outside the shard.
        """
        if chain.shard is None or chain.stages:
            extents = np.array([[0, blob.size]]) if chain.stages else self._plain(blob, chain, block, parts)
            return extents + blob.first
        found = [self._index_range(blob, chain.shard) + blob.first]
        for held, inner, some in self._inner(blob, chain, block, parts):
            if held is not None:
                found.append(self.fetched(held, chain.shard.inner, inner, some))
        return merged(found, -1)

    def _plain(self, blob: Blob, chain: Chain, block: ChunkBlock, parts: Sequence[Box]) -> Extents:
        """Return the byte ranges of an unencoded blob with the cells of `parts`.

        Raises DamagedChunk for a blob of a wrong size.
        """
        _check_size(blob, prod(block.shape) * self.itemsize)
        key = chain.axes, block.shape, tuple([inside(b, block.corner) for b in parts])
        if key not in self.known:
            steps = c_strides(tuple([block.shape[a] for a in chain.axes]), self.itemsize)
            strides = [steps[chain.axes.index(a)] for a in range(len(steps))]
            self.known[key] = extents_of(joined(byte_patterns(key[2], strides, self.itemsize)), self.cost, self.most)
        return self.known[key]

    def _cells(self, data: NDArray[np.uint8], chain: Chain, block: ChunkBlock) -> NDArray[Any]:
        """Return decoded bytes as the cells of a block, with axes in the order of the array."""
        stored = np.ndarray([block.shape[a] for a in chain.axes], self.cell.dtype, data)
        return stored if chain.axes == tuple(range(stored.ndim)) else stored.transpose(np.argsort(chain.axes))

    def _memory(self, nbytes: int, wanted: int) -> NDArray[np.uint8]:
        """Return `nbytes` of memory: this thread's scratch, or reserved addresses if few, `wanted`, are read.

        Raises OutOfMemory if memory is refused.
        """
        if 2 * wanted <= nbytes and nbytes >= allocator.LARGE:
            return addresses(nbytes, "a chunk")
        if nbytes > KEPT_SCRATCH:
            return np.empty(nbytes, np.uint8)
        kept = getattr(_SCRATCH, "memory", None)
        if kept is None or len(kept) < nbytes:
            kept = _SCRATCH.memory = np.empty(nbytes, np.uint8)
        found: NDArray[np.uint8] = kept[:nbytes]
        return found

    # ---- shards

    def _inner(
        self, blob: Blob, chain: Chain, block: ChunkBlock, parts: Sequence[Box]
    ) -> Iterator[tuple[Blob | None, ChunkBlock, list[Box]]]:
        """Yield (blob, block, the parts inside it) for the blocks inside a shard that the parts touch.

        `chain` is the shard's encoding. The blob is None for a block that is not stored. Raises DamagedChunk for an
        index that points outside the shard.
        """
        shard = chain.shard
        assert shard is not None
        if chain.stages:  # the shard as a whole is encoded
            nbytes = prod(block.shape) * self.itemsize
            data = np.frombuffer(decoded(chain.stages, blob.all(), None, nbytes + prod(shard.grid) * 16), np.uint8)
            blob = Blob(blob.name, blob.fd, 0, len(data), data)
        index = self._index(blob, shard)
        for at, some in by_chunk(parts, shard.chunk).items():
            inner = block.inner(at, shard.chunk)
            local = tuple([(a - c) // n for a, c, n in zip(inner.corner, block.corner, shard.chunk, strict=True)])
            first, size = index[local].tolist()
            if first == size == MISSING:
                yield None, inner, some
                continue
            if first + size > blob.size:
                raise DamagedChunk(f"has {blob.size} bytes; its index says {size} bytes at {first} for block {local}")
            yield blob.part(first, size), inner, some

    def _index_range(self, blob: Blob, shard: Shard) -> Extents:
        """Return the byte range of a shard's index, as one row (first, end).

        Raises DamagedChunk if the blob is shorter.
        """
        size = prod(shard.grid) * 16 + sum(stage.added or 0 for stage in shard.index.stages)
        if size > blob.size:
            raise DamagedChunk(f"has {blob.size} bytes; the index of its {prod(shard.grid)} blocks alone takes {size}")
        first = 0 if shard.at_start else blob.size - size
        return np.array([[first, first + size]])

    def _index(self, blob: Blob, shard: Shard) -> NDArray[np.uint64]:
        """Return the index of a shard: (offset, bytes) for every inner block, of shape (*grid, 2).

        Raises DamagedChunk if the blob is shorter, or the index does not decode.
        """
        ((first, end),) = self._index_range(blob, shard).tolist()
        raw = blob.part(first, end - first).all()
        data = decoded(shard.index.stages, raw, prod(shard.grid) * 16)
        axes, sizes = shard.index.axes, (*shard.grid, 2)
        stored = np.frombuffer(data, ">u8" if shard.index.big else "<u8")
        return stored.reshape([sizes[a] for a in axes]).transpose(np.argsort(axes))


def _check_size(blob: Blob, nbytes: int) -> None:
    """Raise DamagedChunk if a blob is not `nbytes` long."""
    if blob.size != nbytes:
        raise DamagedChunk(f"has {blob.size} bytes, wanted are {nbytes}")


def _is_in_order(chain: Chain, part: NDArray[Any]) -> bool:
    """True if the cells of `part` are stored in row-major order."""
    return chain.axes == tuple(range(part.ndim)) or sum(n > 1 for n in part.shape) <= 1
