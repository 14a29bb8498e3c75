"""Chunks of HDF5 datasets, read and decoded without the library, by any number of threads.

The one idea: the library holds one lock during all its calls, so it is asked once for the places of the chunks; each
chunk is then a range of bytes with known filters.  Chunks that cannot be decoded here are left to the library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.ir.graph.description import c_strides
from weft.sources.zarr.codecs import DECODERS, Bytes, DamagedChunk, Decoder, Target

DEFLATE, SHUFFLE, FLETCHER32 = 1, 2, 3  # codes of filters in files
Index = tuple[int, ...]


class ChunkPlace(NamedTuple):
    """The first byte of a chunk in the file, its size, and a bit for each skipped filter."""

    first: int
    nbytes: int
    mask: int


@dataclass(frozen=True, slots=True)
class ChunkPlaces:
    """The places of a dataset's stored chunks, by their row-major numbers in the grid."""

    strides: tuple[int, ...]
    numbers: NDArray[np.int64]
    places: NDArray[np.int64]

    def find(self, index: Index) -> ChunkPlace | None:
        """Return the place of a chunk by its index in the grid; None if it was never written."""
        number = sum(map(mul, index, self.strides))
        at = int(np.searchsorted(self.numbers, number))
        if at == len(self.numbers) or self.numbers[at] != number:
            return None
        return ChunkPlace(*self.places[at].tolist())


def places_of(dataset: Any) -> ChunkPlaces:
    """Return the places of all stored chunks of an h5py dataset."""
    chunks = dataset.chunks
    strides = c_strides(tuple([-(-n // c) for n, c in zip(dataset.shape, chunks, strict=True)]), 1)
    found = [info for info in _stored(dataset) if info.byte_offset is not None]
    corners = np.array([info.chunk_offset for info in found], np.int64).reshape(-1, len(chunks))
    numbers = (corners // chunks) @ np.array(strides, np.int64)
    places = np.array([place_of(info) for info in found], np.int64).reshape(-1, 3)
    order = np.argsort(numbers)
    return ChunkPlaces(strides, numbers[order], places[order])


def place_of(info: Any) -> ChunkPlace | None:
    """Return the place of a chunk from the library's facts about it; None if it was never written."""
    return None if info.byte_offset is None else ChunkPlace(info.byte_offset, info.size, info.filter_mask)


def _stored(dataset: Any) -> Sequence[Any]:
    """Return the library's facts about every stored chunk."""
    if not hasattr(dataset.id, "chunk_iter"):  # of HDF5 before 1.12.3
        return [dataset.id.get_chunk_info(k) for k in range(dataset.id.get_num_chunks())]
    found: list[Any] = []
    dataset.id.chunk_iter(found.append)
    return found


# ---- filters


def stages_of(dataset: Any) -> tuple[Decoder, ...] | None:
    """Return the filters of an h5py dataset in the order of encoding; None if the library must decode.

    It must if a filter is unknown here; if no filter would detect a chunk to which it was not applied; and if the only
    unlimited axis is not the first, since the library then gives wrong places for chunks in the index.
    """
    if dataset.maxshape[0] is not None and dataset.maxshape.count(None) == 1:
        return None
    plist = dataset.id.get_create_plist()
    filters = [plist.get_filter(k) for k in range(plist.get_nfilters())]
    stages = [_stage(code, values, dataset.dtype.itemsize) for code, _, values, _ in filters]
    if filters and DEFLATE not in [f[0] for f in filters]:
        return None
    known = tuple([s for s in stages if s is not None])
    return known if len(known) == len(stages) else None


def _stage(code: int, values: Sequence[int], itemsize: int) -> Decoder | None:
    """Return the decoder of a filter, by its code and parameters; None if it is unknown."""
    if code == DEFLATE:
        return DECODERS["zlib"]({})
    if code == FLETCHER32:
        return DECODERS["fletcher32"]({})
    if code == SHUFFLE and tuple(values[:1]) == (itemsize,):
        return Decoder("shuffle", partial(unshuffle, itemsize), 0)
    return None


def unshuffle(itemsize: int, data: Bytes, size: int | None = None, limit: int = 0, target: Target = None) -> Bytes:
    """Return bytes, sorted by their place within a cell, in the order of cells: undo HDF5's byte shuffle.

    Bytes after the last whole cell are copied.  Raises DamagedChunk if `data` and `target` differ in length.

    >>> unshuffle(2, bytes([1, 3, 2, 4, 5])).tolist()
    [1, 2, 3, 4, 5]
    """
    target = np.empty(len(data), np.uint8) if target is None else target
    source = np.frombuffer(data, np.uint8)
    if len(source) != len(target):
        raise DamagedChunk(f"shuffle has {len(source)} bytes, wanted are {len(target)}")
    cells = len(target) // itemsize
    whole = cells * itemsize
    for k, plane in enumerate(source[:whole].reshape(itemsize, cells)):
        target[k:whole:itemsize] = plane
    target[whole:] = source[whole:]
    return target
