"""Cells of HDF5 datasets that have no common address: chunked, converted, or never written.

The one idea: chunks with the usual filters are decoded in threads, without the library, which runs in one at a time;
chunks with others, and types that have no form in memory, are read through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from math import prod
from operator import add, mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import from_numpy
from weft.ir.pieces.box import box_of
from weft.runtime.compute.engine import SourceRead
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.sources.formats.cell_run import Identity, failure
from weft.sources.formats.hdf5_chunks import ChunkPlaces, place_of, places_of, stages_of
from weft.sources.formats.hdf5_file import FORM, Hdf5File, cells_of, opened_hdf5
from weft.sources.read.byte_ranges import METERS, count
from weft.sources.read.extents import bytes_in, merged
from weft.sources.read.kept_chunks import parts_to_keep
from weft.sources.read.touched_boxes import Box, by_chunk, chunk_box, copied, hull, inside
from weft.sources.remote.remote_file import RemoteFile
from weft.sources.remote.remote_path import RemotePath
from weft.sources.source import BoxSource, as_bits, storage_dtype
from weft.sources.zarr.chunk_source import ChunkSource, EncodedChunk, Index, TouchedChunk
from weft.sources.zarr.chunks import Blob, Reader
from weft.sources.zarr.codecs import Chain, DamagedChunk, Decoder

TOGETHER = 64  # most chunks that are located one by one
LIBRARY = Decoder("h5py", lambda data, size, limit, target: data)  # stands for filters that are not decoded here
_LIBRARY = held_over_forks(ReentrantLock())  # several threads may ask for the places of chunks, or for the dataset


class Hdf5Array(BoxSource):
    """A dataset that is read through the library."""

    chunks: Any = None

    def __init__(self, path: str, inner: str, dataset: Any, dtype: np.dtype[Any], identity: Identity) -> None:
        self.path, self.inner, self.name, self.identity = path, inner, f"{path}::{inner}", identity
        self.dtype, byteorder = from_numpy(dtype)
        self.big, self.shape = byteorder == "big", dataset.shape

    def __repr__(self) -> str:
        order = " big-endian" if self.big else ""
        return f"<hdf5 {self.name}: {self.dtype.name}{list(self.shape)}{order}, chunks {self.chunks}>"

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes to the same positions of `target`.

        Raises FileFormatError if the file is damaged or changed.
        """
        with opened_hdf5(self.path, self.identity) as file:
            for b in boxes:
                target[b.slices] = self._cells(file, b)

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box; raises FileFormatError as `gather` does."""
        with opened_hdf5(self.path, self.identity) as file:
            return self._cells(file, box)

    def _cells(self, file: Hdf5File, box: Box) -> NDArray[Any]:
        """Return the cells of a box of an opened file; raises OSError if the library cannot read them."""
        with _LIBRARY:
            dataset = file.dataset(self.inner)
        return cells_of(dataset[box.slices[:-1]])


class LocatedChunks(NamedTuple):
    """An opened file, and chunks of a dataset by their index in the grid; None if one was never written."""

    file: Hdf5File
    chunks: dict[Index, EncodedChunk | None]


class Hdf5Chunks(ChunkSource, Hdf5Array):
    """A dataset in chunks."""

    def __init__(
        self, path: str, inner: str, dataset: Any, dtype: np.dtype[Any], plain: bool, identity: Identity
    ) -> None:
        Hdf5Array.__init__(self, path, inner, dataset, dtype, identity)
        self.chunks: Index = dataset.chunks
        self.stages = stages_of(dataset) if plain else None  # None if the library decodes
        self.chain = Chain(tuple(range(len(self.shape))), self.big, (LIBRARY,) if self.stages is None else self.stages)
        self.cell = as_bits(np.asarray(cells_of(dataset.fillvalue), storage_dtype(self)))
        self.plain = self.stages == ()  # chunks are runs of cells
        self.comes_whole, self.is_kept = not self.plain, not self.plain and not isinstance(path, RemotePath)
        self._places: ChunkPlaces | None = None

    @property
    def _chunk_bytes(self) -> int:
        return prod(self.chunks) * self.dtype.itemsize

    def mark(self, index: Index) -> Identity:
        """Return the identity of the file, which is compared whenever the file is opened."""
        return self.identity

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes as every `ChunkSource` does; one that only the library decodes by one call."""
        cells = None
        if self.stages is None and len(boxes) == 1 and set(boxes[0].step) <= {1}:
            touched = by_chunk(boxes, self.chunks)
            is_kept = self.is_kept and parts_to_keep(self, touched)
            cells = None if is_kept else self._at_once(boxes[0], touched)
        if cells is None:
            super().gather(boxes, target)
        else:
            target[boxes[0].slices] = cells

    def _at_once(self, box: Box, touched: Mapping[Index, Sequence[Box]]) -> NDArray[Any] | None:
        """Return the cells of a box, read through the library by one call; None if it cannot decode them.

        `touched` has the chunks in the box.
        """
        with self.opened(self.touched(touched)) as held:
            try:
                cells = self._cells(held.file, box)
            except OSError:  # reading chunk by chunk finds the damaged one
                return None
            for chunk in held.chunks.values():
                _count(chunk)
        return cells

    def block(self, index: Index) -> NDArray[Any]:
        """Return the cells of a chunk, by its index in the grid; raises FileFormatError as `gather` does."""
        return self.blocks(chunk_box(index, self.chunks, self.shape))

    def blocks(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box of whole chunks; raises FileFormatError as `gather` does."""
        self._locate()
        cells = None if self.stages is not None else self._at_once(box, by_chunk([box], self.chunks))
        return super().blocks(box) if cells is None else cells

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the byte ranges that `gather` would read; raises FileFormatError as it does."""
        found = super().fetched(boxes)
        extents = merged([found.extents], 0 if self.plain else -1)
        return replace(found, bytes=bytes_in(extents), reads=len(extents), extents=extents, files=())

    def _locate(self) -> None:
        """Ask the library for the places of all chunks, once."""
        if self._places is None:
            with _LIBRARY, opened_hdf5(self.path, self.identity) as file:
                self._places = self._places or places_of(file.dataset(self.inner))

    @contextmanager
    def opened(self, chunks: Sequence[TouchedChunk], reader: Reader | None = None) -> Iterator[LocatedChunks]:
        """Yield the opened file with the chunks; those of a remote file are fetched together for `reader` if given.

        Raises FileFormatError for an unencoded chunk that is shorter than its cells, and if the file has changed.
        """
        if len(chunks) > TOGETHER:  # the library searches for each chunk anew
            self._locate()
        with opened_hdf5(self.path, self.identity) as file:
            held = LocatedChunks(file, {chunk.index: self._located(file, chunk.index) for chunk in chunks})
            if reader is not None and isinstance(file.fd, RemoteFile):
                stored = [(found, c) for c in chunks if (found := held.chunks[c.index]) is not None]
                ranges = [reader.fetched(*found, c.block, c.parts).tolist() for found, c in stored]
                file.fd.prefetch([tuple(r) for of in ranges for r in of])
            yield held

    def _located(self, file: Hdf5File, index: Index) -> EncodedChunk | None:
        """Return a chunk of an opened file; None if it was never written.

        Raises FileFormatError if it is not encoded, and shorter than its cells.
        """
        corner = tuple(map(mul, index, self.chunks))
        if self._places is not None:
            place = self._places.find(index)
        else:
            place = place_of(file.dataset(self.inner).id.get_chunk_info_by_coord(corner))
        if place is None:
            return None
        if self.plain and place.nbytes < self._chunk_bytes:
            fact = f"the chunk at {corner} has {place.nbytes} bytes, {self._chunk_bytes} are wanted"
            raise failure(FORM, self.name, fact, "the file is damaged")
        chain, nbytes = self.chain, self._chunk_bytes if self.plain else place.nbytes
        if place.mask:  # some stages were not applied
            chain = replace(chain, stages=tuple([s for k, s in enumerate(chain.stages) if not place.mask >> k & 1]))
        return EncodedChunk(Blob(self.name, file.fd, place.first, nbytes), chain)

    def encoded(self, held: LocatedChunks, index: Index) -> AbstractContextManager[EncodedChunk | None]:
        """Return a block with a chunk; None if it was never written."""
        return nullcontext(held.chunks[index])

    def read_chunk(self, held: LocatedChunks, reader: Reader, chunk: TouchedChunk, target: NDArray[Any]) -> None:
        """Read the parts of a chunk into the same positions of `target`.

        Raises FileFormatError if neither weft nor the library can decode it.
        """
        found = held.chunks[chunk.index]
        if found is None and self.stages is not None:
            reader.fill(chunk.parts, target)
            return
        if found is not None and self.stages is not None:
            with suppress(DamagedChunk):
                if self.plain or found.blob.first + found.blob.size <= self.identity[2]:
                    reader.read(*found, chunk.block, chunk.parts, target)
                    return
        around = hull(chunk.parts)
        cells = self._through_library(held.file, chunk.index, inside(around, chunk.block.corner))
        copied(chunk.parts, as_bits(cells), around.start, target)
        _count(found)

    def _through_library(self, file: Hdf5File, index: Index, part: Box) -> NDArray[Any]:
        """Return the cells of a part of the chunk at `index`, counted from its corner, decoded by the library.

        Raises FileFormatError if that fails.
        """
        corner = tuple(map(mul, index, self.chunks))
        try:
            return self._cells(file, box_of(part.size, tuple(map(add, corner, part.start))))
        except OSError as e:
            checked = ", or its checksum (Fletcher-32) is wrong" if file.dataset(self.inner).fletcher32 else ""
            fact = f"the chunk at {corner} cannot be decoded{checked}"
            advice = "the file is damaged; take it from a copy, or read around the chunk"
            raise failure(FORM, self.name, f"{fact}: h5py cannot read it: {e!s:.150}", advice) from e


def _count(chunk: EncodedChunk | None) -> None:
    """Add the bytes of a chunk that the library read to the meters; a remote file counts its own."""
    if METERS and chunk is not None and isinstance(chunk.blob.fd, int):
        count(chunk.blob.size)
