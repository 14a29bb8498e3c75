"""HDF5 datasets (netCDF-4 files too): h5py locates cells, which are read by ranges and decoded here where possible.

The one idea: a contiguous dataset is a run of bytes, and a chunk without filters is a smaller run at its own offset.
Chunks with the usual filters are decoded in threads, without the library, which runs in one at a time; chunks with
others, and types that have no form in memory, are read through it.
"""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from math import prod
from operator import mul
from threading import RLock
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from weft.backends.thread_sharing import share
from weft.dtypes import from_numpy
from weft.errors import DTypeError, FileFormatError, UnsupportedTypeError
from weft.runtime.compute.engine import SourceRead
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.memory import allocator
from weft.sources.formats.cell_run import (
    CellRun,
    Identity,
    NoSuchArray,
    checked_shape,
    failure,
    identity_of,
    needed,
    opened,
)
from weft.sources.formats.hdf5_chunks import (
    ChunkPlace,
    ChunkPlaces,
    EncodedChunk,
    TouchedChunk,
    place_of,
    places_of,
    stages_of,
)
from weft.sources.paths import HeldPath
from weft.sources.read.byte_ranges import Descriptor, count, prefetch
from weft.sources.read.extents import EXACT, bytes_in, merged
from weft.sources.read.kept_chunks import cells_of_chunk, kept_chunk, parts_to_keep
from weft.sources.read.touched_boxes import Box, by_chunk, cells, chunk_box, copied, hull, inside, runs
from weft.sources.source import as_bits, storage_dtype, unplaced
from weft.sources.zarr.chunks import Blob, ChunkBlock, Reader
from weft.sources.zarr.codecs import Chain, Damaged, Decoder

FORM = "hdf5"
BFLOAT16 = np.dtype("V2")  # as in .npy: neither format has a name for it
INFLATE_MOST = 1032  # most bytes that one byte of a compressed chunk can decode to
SMALL_CHUNK = 64 << 20  # bytes of a chunk that are allowed in a file of any size
OF_NETCDF = b"This is a netCDF dimension but not a netCDF variable"  # begins the attribute NAME of such a dataset
DECODED = 32 << 10  # bytes of a chunk from which the library decodes no quicker than is done here
TOGETHER = 64  # chunks of a remote file that are fetched together, and of any that are located one by one
Chunk = tuple[int, ...]
LIBRARY = Decoder("h5py", lambda data, size, limit, target: data)  # stands for filters that are not decoded here
_LOCATING = held_over_forks(RLock())  # several threads may ask for the places of the same chunks


def open_hdf5(path: str, name: str) -> CellRun | Hdf5Array:
    """Return one dataset of the file as a source: a run of cells if it is contiguous, else an `Hdf5Array`.

    Raises NoSuchArray if there is no such dataset, FileFormatError if the file is damaged or weft lacks its type.
    """
    with _file(path) as (file, identity):
        dataset = _dataset(path, file, name)
        dtype = _stored_dtype(path, name, dataset)
        kind, byteorder = from_numpy(dtype)
        shape = checked_shape(FORM, path, dataset.shape, kind.itemsize)
        big, plain = byteorder == "big", _lies_as(dataset, dtype)
        if plain and dataset.chunks is None:
            at, found = dataset.id.get_offset(), dataset.id.get_storage_size()
            if at is not None and found and found >= prod(shape) * kind.itemsize and _is_contiguous(dataset):
                return CellRun(FORM, path, kind, shape, at, identity, big=big, name=name)
        _check_chunks(path, name, dataset, identity)
        return Hdf5Array(path, name, dataset, dtype, plain, identity)


def hdf5_names(path: str) -> list[str]:
    """Return the paths of the datasets that weft can read; raises FileFormatError if it is no HDF5 file."""
    names: list[str] = []

    def visit(name: str, item: Any) -> None:
        if (
            isinstance(name, str)
            and hasattr(item, "shape")
            and item.shape is not None
            and not _is_only_a_dimension(item)
        ):
            try:
                _stored_dtype(path, name, item)
            except UnsupportedTypeError:
                return
            names.append(name)

    with _file(path) as (file, _):
        file.visititems(visit)
    return names


def hdf5_attributes(path: str, name: str | None) -> dict[str, Any]:
    """Return the attributes of a dataset (None: of the file), without references to other objects.

    Raises NoSuchArray if there is no such dataset, FileFormatError if the file is damaged.
    """
    with _file(path) as (file, _):
        item = file if name is None else _dataset(path, file, name)
        found = {key: _attribute(item.attrs, key) for key in item.attrs}
        return {key: value for key, value in found.items() if value is not None}


def _attribute(attributes: Any, key: str) -> Any:
    """Return an attribute if it is text, a number, or an array of either; else None."""
    try:
        value = attributes[key]
    except (TypeError, ValueError, OSError, RuntimeError):  # the library has no counterpart of its type
        return None
    if isinstance(value, (str, bytes, np.generic)):
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if not isinstance(value, np.ndarray) or value.dtype.names:
        return None
    if value.dtype.kind in "OS":
        texts = [part.decode("utf-8", "replace") if isinstance(part, bytes) else part for part in value.reshape(-1)]
        return texts if all(isinstance(part, str) for part in texts) else None
    return value.reshape(-1)[0] if value.size == 1 else value


@contextmanager
def _file(path: str, identity: Identity | None = None) -> Iterator[tuple[Any, Identity]]:
    """Yield (the h5py.File, its identity); errors of the library become FileFormatError.

    Raises FileFormatError if the identity differs from `identity` (if given).
    """
    with _file_and_bytes(path, identity) as (file, _, found):
        yield file, found


@contextmanager
def _file_and_bytes(path: str, identity: Identity | None = None) -> Iterator[tuple[Any, Descriptor, Identity]]:
    """Yield (the h5py.File, a descriptor for reading its bytes, its identity); h5py's errors become FileFormatError.

    Raises FileFormatError if the file changes while it is opened, or its identity differs from `identity` (if given).
    """
    h5py = needed("h5py", "hdf5", FORM, path, "reads this format")
    with opened(path, FORM, identity) as (fd, found):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with _for_library(path, fd) as target, h5py.File(target, "r", locking="best-effort") as file:
                    if target is path and identity_of(os.fstat(file.id.get_vfd_handle())) != found:
                        raise failure(FORM, path, "has changed since it was opened", "open it again")
                    yield file, fd, found
        except (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError, OverflowError) as e:
            if isinstance(e, (FileFormatError, NoSuchArray)):
                raise
            raise failure(FORM, path, f"h5py cannot read it: {e!s:.200}", "it is truncated, damaged or no HDF5") from e


def _for_library(path: str, fd: Descriptor) -> Any:
    """Return the argument for h5py.File: a path that resolves, or an opened file."""
    if not isinstance(fd, int):
        return fd.file()
    return open(path, "rb") if isinstance(path, HeldPath) else nullcontext(path)


def _dataset(path: str, file: Any, name: str) -> Any:
    """Return the h5py dataset `name`, if all of its cells lie in this file.

    Raises NoSuchArray if there is none, FileFormatError for links, external and virtual datasets.
    """
    item = file.get(name) if isinstance(name, str) and "\0" not in name else None  # the library stops at a NUL
    if not hasattr(item, "shape"):
        raise NoSuchArray(name)
    if item.shape is None:
        raise failure(FORM, path, f"dataset {name!r} has no cells, not even a shape", "open another one")
    if item.file.filename != file.filename:
        raise failure(FORM, path, f"dataset {name!r} is a link to {item.file.filename!r}", "open that file")
    if item.external:
        others = ", ".join(sorted({str(e[0]) for e in item.external}))
        raise failure(FORM, path, f"the cells of dataset {name!r} lie in {others}", "open that as raw bytes")
    if item.is_virtual:
        raise failure(
            FORM, path, f"dataset {name!r} is put together from others", "open those and concat or overlay them"
        )
    return item


def _is_only_a_dimension(item: Any) -> bool:
    """True if the dataset is a length without values, as netCDF-4 stores its dimensions."""
    return bytes(item.attrs["NAME"]).startswith(OF_NETCDF) if "NAME" in item.attrs else False


def _stored_dtype(path: str, name: str, dataset: Any) -> np.dtype[Any]:
    """Return the NumPy dtype of the stored cells with their byte order; raises UnsupportedTypeError for other types."""
    dtype = dataset.dtype
    if dtype == BFLOAT16:
        return np.dtype(ml_dtypes.bfloat16)
    try:
        if dtype.kind not in "biufc":
            raise DTypeError(str(dtype))
        from_numpy(np.dtype(dtype.str))
    except DTypeError as e:
        fact = f"dataset {name!r} has type {dtype!s:.80}"
        advice = "weft reads bool, integers, floats and complex numbers"
        raise failure(FORM, path, fact, advice, UnsupportedTypeError) from e
    return np.dtype(dtype.str)


def _lies_as(dataset: Any, dtype: np.dtype[Any]) -> bool:
    """True if the stored cells have the memory layout of `dtype`."""
    import h5py

    if dtype == ml_dtypes.bfloat16:
        return dataset.id.get_type().get_size() == 2
    return bool(h5py.h5t.py_create(dtype, logical=True) == dataset.id.get_type())


def _is_contiguous(dataset: Any) -> bool:
    import h5py

    return bool(dataset.id.get_create_plist().get_layout() == h5py.h5d.CONTIGUOUS)


def _check_chunks(path: str, name: str, dataset: Any, identity: Identity) -> None:
    """Raise FileFormatError if the dataset's decoded chunks are larger than the file's bytes can decode to."""
    nbytes = prod(dataset.chunks or (0,)) * dataset.dtype.itemsize
    if nbytes > max(SMALL_CHUNK, INFLATE_MOST * identity[2]):
        fact = f"dataset {name!r} has chunks of {nbytes} bytes, the file has {identity[2]}"
        raise failure(FORM, path, fact, "the file is damaged")


class Hdf5Array:
    """A dataset whose cells have no common address: chunked, converted, or never written.

    It is a source by the protocol `Gathering`.
    """

    __slots__ = (
        "__weakref__",
        "_chunk_bytes", "_places", "big", "chain", "chunks", "dtype", "identity", "inner", "name", "order", "path",
        "plain", "shape", "stages",
    )  # fmt: skip

    def __init__(
        self, path: str, inner: str, dataset: Any, dtype: np.dtype[Any], plain: bool, identity: Identity
    ) -> None:
        self.path, self.inner, self.name, self.identity = path, inner, f"{path}::{inner}", identity
        self.dtype, byteorder = from_numpy(dtype)
        self.big, self.shape, self.order = byteorder == "big", dataset.shape, "C"
        self.chunks: Chunk | None = dataset.chunks
        self._chunk_bytes = prod(self.chunks or ()) * self.dtype.itemsize
        self.stages = stages_of(dataset) if plain and self.chunks is not None else None  # None if the library decodes
        self.plain = self.stages == ()  # chunks are runs of cells
        axes = tuple(range(len(self.shape)))
        self.chain = Chain(axes, self.big, (LIBRARY,) if self.stages is None else self.stages)
        self._places: ChunkPlaces | None = None

    def __repr__(self) -> str:
        order = " big-endian" if self.big else ""
        return f"<hdf5 {self.name}: {self.dtype.name}{list(self.shape)}{order}, chunks {self.chunks}>"

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes to the same positions of `target`.

        Raises FileFormatError if the file is damaged or changed.
        """
        with _file_and_bytes(self.path, self.identity) as (file, fd, _):
            dataset = _dataset(self.path, file, self.inner)
            if self.chunks is None:
                for b in boxes:
                    _through(dataset, b, target)
            elif self.plain:
                self._gather_plain(dataset, fd, boxes, target)
            else:
                self._gather_decoded(dataset, fd, boxes, target)

    def block(self, index: Chunk) -> NDArray[Any]:
        """Return the cells of a chunk, by its index in the grid; the fill value if it was never written.

        Raises FileFormatError if the chunk is damaged or the file changed.
        """
        assert self.chunks is not None
        return self.blocks(chunk_box(index, self.chunks, self.shape))

    def blocks(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box of whole chunks; raises FileFormatError as `block` does."""
        assert self.chunks is not None
        found = allocator.empty(storage_dtype(self), box.size)
        left = {index: part for index, (part,) in by_chunk([box], self.chunks).items()}
        if self.stages is not None:
            reader, bits = Reader(self._located().fill, EXACT), as_bits(found)
            with opened(self.path, FORM, self.identity) as (fd, _):
                for index, part in list(left.items()):
                    chunk = self._chunk(fd, self._located().find(index))
                    here = inside(part, box.start)
                    if self._is_read(reader, chunk, ChunkBlock(here.start, self.chunks), [here], bits):
                        del left[index]
        if left:
            with _file(self.path, self.identity) as (file, _):
                dataset = _dataset(self.path, file, self.inner)
                for index, part in left.items():
                    found[inside(part, box.start).slices] = self._through_library(dataset, index, part)
        return found

    def _chunk(self, fd: Descriptor, place: ChunkPlace | None) -> EncodedChunk | None:
        """Return the chunk at a place of the file `fd`; None for no place."""
        if place is None:
            return None
        chain, blob = self.chain, Blob(self.name, fd, place.first, self._size(place.nbytes))
        if place.mask:  # some stages were not applied
            chain = replace(chain, stages=tuple([s for k, s in enumerate(chain.stages) if not place.mask >> k & 1]))
        return EncodedChunk(blob, chain)

    def _is_read(
        self, reader: Reader, chunk: EncodedChunk | None, block: ChunkBlock, parts: list[Box], target: NDArray[Any]
    ) -> bool:
        """Read and decode the boxes `parts` of a chunk into `target`; False if only the library can decode it.

        None stands for a chunk that was never written. Raises FileFormatError for an unencoded chunk that is too short.
        """
        if chunk is None:
            reader.fill(parts, target)
            return True
        blob, chain = chunk
        if not self.plain and blob.first + blob.size > self.identity[2]:
            return False
        try:
            reader.read(blob, chain, block, parts, target)
        except Damaged as e:
            if self.plain:
                raise self._short(block.corner, blob.size) from e
            return False
        return True

    def _reader(self, dataset: Any, boxes: Sequence[Box]) -> Reader:
        """Return a reader of chunks; it reads exactly if the boxes are few runs, else gaps between runs as well."""
        return Reader(self._fill(dataset), EXACT if runs(boxes, self.order) <= EXACT else 0)

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box of a dataset without chunks; raises FileFormatError as `gather` does."""
        with _file(self.path, self.identity) as (file, _):
            return _cells(_dataset(self.path, file, self.inner)[box.slices[:-1]])

    def _located(self) -> ChunkPlaces:
        """Return the places of all chunks, asked of the library once; raises FileFormatError as `gather` does."""
        if self._places is None:
            with _LOCATING:
                if self._places is None:
                    with _file(self.path, self.identity) as (file, _):
                        dataset = _dataset(self.path, file, self.inner)
                        self._places = places_of(dataset, self._fill(dataset))
        return self._places

    def _fill(self, dataset: Any) -> NDArray[Any]:
        """Return the value of cells that were never written, as bits."""
        return as_bits(np.asarray(_cells(dataset.fillvalue), storage_dtype(self)))

    def _through_library(self, dataset: Any, index: Chunk, part: Box) -> NDArray[Any]:
        """Return the cells of a box in the chunk at `index`, decoded by the library.

        Raises FileFormatError if that fails.
        """
        try:
            return _cells(dataset[part.slices[:-1]])
        except OSError as e:
            checked = ", or its checksum (Fletcher-32) is wrong" if dataset.fletcher32 else ""
            fact = f"the chunk at {tuple(map(mul, index, dataset.chunks))} cannot be decoded{checked}"
            advice = "the file is damaged; take it from a copy, or read around the chunk"
            raise failure(FORM, self.name, f"{fact}: h5py cannot read it: {e!s:.150}", advice) from e

    def _size(self, nbytes: int) -> int:
        """Return the bytes to read of a chunk of `nbytes`: of an unencoded one at most those of its cells."""
        assert self.chunks is not None
        return min(nbytes, self._chunk_bytes) if self.plain else nbytes

    def _short(self, first: Chunk, nbytes: int) -> Exception:
        """Return the FileFormatError for an unencoded chunk that has fewer bytes than its cells need."""
        fact = f"the chunk at {first} has {nbytes} bytes, {self._chunk_bytes} are wanted"
        return failure(FORM, self.name, fact, "the file is damaged")

    def _gather_plain(self, dataset: Any, fd: Descriptor, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the touched byte ranges of unencoded chunks from the file `fd` to the same positions of `target`.

        Raises FileFormatError if the file is too short.
        """
        reader, bits, touched = self._reader(dataset, boxes), as_bits(target), self._touched(dataset, fd, boxes)
        while batch := list(itertools.islice(touched, TOGETHER)):
            if not isinstance(fd, int):
                ranges = [reader.fetched(*chunk, block, parts) for chunk, block, parts in batch if chunk is not None]
                prefetch(fd, [tuple(r) for extents in ranges for r in extents.tolist()])
            for found in batch:
                self._is_read(reader, *found, bits)

    def _gather_decoded(self, dataset: Any, fd: Descriptor, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read encoded chunks to the same positions of `target`, each decoded once, by the library where it must be.

        Raises FileFormatError for a damaged chunk.
        """
        assert self.chunks is not None
        touched = by_chunk(boxes, self.chunks)
        if (kept := parts_to_keep(self, touched)) and isinstance(fd, int):
            self._gather_kept({index: touched.pop(index) for index in kept}, target)
            boxes = [part for parts in touched.values() for part in parts]
        chunks = list(self._touched(dataset, fd, boxes))
        stored = [chunk.blob for chunk, _, _ in chunks if chunk is not None]
        if isinstance(fd, int):
            for blob in stored:
                count(blob.size)
        prefetch(fd, [(blob.first, blob.first + blob.size) for blob in stored])
        dense = len(boxes) == 1 and set(boxes[0].step) <= {1}
        if self.stages is not None and (not dense or self._chunk_bytes >= DECODED):
            boxes, dense = self._undecoded(self._fill(dataset), chunks, target), False
        if dense:
            try:
                _through(dataset, boxes[0], target)
                return
            except OSError:  # reading chunk by chunk finds the damaged one
                pass
        for index, parts in by_chunk(boxes, self.chunks).items():
            around = hull(parts)
            copied(parts, self._through_library(dataset, index, around), around.start, target)

    def _undecoded(self, fill: NDArray[Any], chunks: Sequence[TouchedChunk], target: NDArray[Any]) -> list[Box]:
        """Read the parts of chunks as `gather` does, in threads; return those that only the library can read."""
        reader, bits, left = Reader(fill, EXACT), as_bits(target), list[Box]()

        def read(touched: TouchedChunk) -> None:
            if not self._is_read(reader, *touched, bits):
                left.extend(touched[-1])

        share(chunks, read, len(chunks) * self._chunk_bytes)
        return left

    def _gather_kept(self, touched: Mapping[Chunk, list[Box]], target: NDArray[Any]) -> None:
        """Copy the boxes `touched` of each chunk to `target`, as `gather` does, from chunks kept decoded in memory."""
        assert self.chunks is not None

        def read(item: tuple[Chunk, list[Box]]) -> None:
            index, parts = item
            found = cells_of_chunk(self, index, None)  # no mark: the file's identity was checked
            copied(parts, found, tuple(map(mul, index, self.chunks or ())), target)

        share(touched.items(), read, len(touched) * self._chunk_bytes)

    def _touched(self, dataset: Any, fd: Descriptor, boxes: Sequence[Box]) -> Iterator[TouchedChunk]:
        """Yield each touched chunk; raises FileFormatError for an unencoded one shorter than its cells."""
        assert self.chunks is not None
        touched = by_chunk(boxes, self.chunks)
        located = self._located() if len(touched) > TOGETHER else None  # the library searches for each chunk anew
        for index, parts in touched.items():
            block = ChunkBlock(tuple(map(mul, index, self.chunks)), self.chunks)
            found = located.find(index) if located else place_of(dataset.id.get_chunk_info_by_coord(block.corner))
            chunk = self._chunk(fd, found)
            if chunk and self.plain and chunk.blob.size < self._chunk_bytes:
                raise self._short(block.corner, chunk.blob.size)
            yield chunk, block, parts

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the byte ranges that `gather` would read; raises FileFormatError if the file is damaged or changed."""
        if self.chunks is None:
            return unplaced(self, cells(boxes), len(boxes))
        touched = by_chunk(boxes, self.chunks)
        kept = [index for index in touched if kept_chunk(self, index, None) is not None]
        boxes = [part for index, parts in touched.items() if index not in kept for part in parts] if kept else boxes
        with _file_and_bytes(self.path, self.identity) as (file, fd, _):
            dataset = _dataset(self.path, file, self.inner)
            reader = self._reader(dataset, boxes)
            chunks = self._touched(dataset, fd, boxes)
            found = [reader.fetched(*chunk, block, parts) for chunk, block, parts in chunks if chunk is not None]
        extents = merged(found, 0 if self.plain else -1)
        return SourceRead(self.name, bytes_in(extents), len(extents), extents, (), len(kept))


def _through(dataset: Any, box: Box, target: NDArray[Any]) -> None:
    """Read one box of a dataset through h5py, to the same positions of `target`; raises OSError if h5py fails."""
    if not dataset.shape:
        target[...] = _cells(dataset[()])
    elif target.flags.c_contiguous:
        key = box.slices[:-1]
        dataset.read_direct(target, key, key)
    else:
        target[box.slices] = _cells(dataset[box.slices[:-1]])


def _cells(values: Any) -> NDArray[Any]:
    """Return values read by h5py as an array; two-byte opaque cells are bfloat16."""
    array = np.asarray(values)
    return array.view(ml_dtypes.bfloat16) if array.dtype == BFLOAT16 else array
