"""HDF5 datasets (netCDF-4 files too): h5py locates cells; unencoded ones are read by ranges, others through h5py.

The one idea: a contiguous dataset is a run of bytes, and a chunk without filters is a smaller run at its own offset.
Compressed chunks, and types that have no form in memory, are read through the library, chunk by chunk; whole chunks
with the usual filters are decoded without it.
"""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
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
from weft.ir.graph.description import c_strides
from weft.ir.pieces.box import box_of
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
from weft.sources.formats.hdf5_chunks import ChunkPlaces, places_of, read_chunk, stages_of
from weft.sources.paths import HeldPath
from weft.sources.read.byte_ranges import Descriptor, count, prefetch, read_exactly
from weft.sources.read.extents import EXACT, LOCAL, Extents, bytes_in, extents_of, merged
from weft.sources.read.kept_chunks import keep_chunk, kept_chunk, parts_to_keep
from weft.sources.read.touched_boxes import Box, by_chunk, byte_patterns, cells, chunk_box, copied, hull, inside, runs
from weft.sources.source import storage_dtype, unplaced
from weft.sources.zarr.codecs import Damaged

FORM = "hdf5"
BFLOAT16 = np.dtype("V2")  # as in .npy: neither format has a name for it
INFLATE_MOST = 1032  # most bytes that one byte of a compressed chunk can decode to
SMALL_CHUNK = 64 << 20  # bytes of a chunk that are allowed in a file of any size
OF_NETCDF = b"This is a netCDF dimension but not a netCDF variable"  # begins the attribute NAME of such a dataset
TOGETHER = 64  # chunks of a remote file that are fetched together
Chunk = tuple[int, ...]
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
        "_places", "big", "chunks", "dtype", "identity", "inner", "name", "order", "path", "plain", "shape", "stages",
    )  # fmt: skip

    def __init__(
        self, path: str, inner: str, dataset: Any, dtype: np.dtype[Any], plain: bool, identity: Identity
    ) -> None:
        self.path, self.inner, self.name, self.identity = path, inner, f"{path}::{inner}", identity
        self.dtype, byteorder = from_numpy(dtype)
        self.big, self.shape, self.order = byteorder == "big", dataset.shape, "C"
        self.chunks: Chunk | None = dataset.chunks
        self.stages = stages_of(dataset) if plain and self.chunks is not None else None  # None if the library decodes
        self.plain = self.stages == ()  # chunks are runs of cells
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
            cells = found if box.size == self.chunks else allocator.empty(found.dtype, self.chunks)
            with opened(self.path, FORM, self.identity) as (fd, _):
                for index, part in list(left.items()):
                    if self._is_decoded(fd, index, cells):
                        if cells is not found:
                            found[inside(part, box.start).slices] = cells[box_of(part.size).slices]
                        del left[index]
        if left:
            with _file(self.path, self.identity) as (file, _):
                dataset = _dataset(self.path, file, self.inner)
                for index, part in left.items():
                    found[inside(part, box.start).slices] = self._through_library(dataset, index, part)
        return found

    def _is_decoded(self, fd: Descriptor, index: Chunk, cells: NDArray[Any]) -> bool:
        """Read and decode a chunk to `cells`; False if only the library can decode it.

        Raises FileFormatError for an unencoded chunk that is too short.
        """
        assert self.chunks is not None and self.stages is not None
        place = self._located().find(index)
        if place is None:
            cells[...] = self._located().fill
            return True
        if self.plain and place.nbytes < cells.nbytes:
            raise self._short(tuple(map(mul, index, self.chunks)), place.nbytes)
        with suppress(Damaged):
            if self.plain or place.first + place.nbytes <= self.identity[2]:
                read_chunk(self.name, fd, place, self.stages, cells.reshape(-1).view(np.uint8))
                return True
        return False

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
                        fill = np.asarray(_cells(dataset.fillvalue), storage_dtype(self))
                        self._places = places_of(dataset, fill)
        return self._places

    def _through_library(self, dataset: Any, index: Chunk, part: Box) -> NDArray[Any]:
        """Return the cells of a box in the chunk at `index`, decoded by the library.

        Raises FileFormatError if that fails.
        """
        try:
            return _cells(dataset[part.slices[:-1]])
        except OSError as e:
            checked = ", or its checksum (Fletcher-32) is wrong" if dataset.fletcher32 else ""
            fact = (
                f"the chunk at {tuple(map(mul, index, dataset.chunks))} cannot be decoded{checked}: h5py cannot read it"
            )
            advice = "the file is damaged; take it from a copy, or read around the chunk"
            raise failure(FORM, self.name, f"{fact}: h5py cannot read it: {e!s:.150}", advice) from e

    def _short(self, first: Chunk, nbytes: int) -> Exception:
        """Return the FileFormatError for an unencoded chunk that has fewer bytes than its cells need."""
        assert self.chunks is not None
        wanted = prod(self.chunks) * self.dtype.itemsize
        fact = f"the chunk at {first} has {nbytes} bytes, {wanted} are wanted"
        return failure(FORM, self.name, fact, "the file is damaged")

    def _gather_plain(self, dataset: Any, fd: Descriptor, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the touched byte ranges of unencoded chunks from the file `fd` to the same positions of `target`.

        Raises FileFormatError if the file is too short.
        """
        assert self.chunks is not None
        chunk = np.empty(self.chunks, target.dtype)
        memory = memoryview(chunk.reshape(-1).view(np.uint8))
        runs = self._runs(dataset, boxes)
        while batch := list(itertools.islice(runs, TOGETHER)):
            prefetch(fd, [tuple(r) for _, at, _, extents in batch if at is not None for r in (at + extents).tolist()])
            for corner, at, parts, extents in batch:
                if at is None:
                    for b in parts:
                        target[b.slices] = _cells(dataset.fillvalue)
                    continue
                for first, end in extents.tolist():
                    read_exactly(self.name, fd, at + first, memory[first:end])
                copied(parts, chunk, corner, target)

    def _gather_decoded(self, dataset: Any, fd: Descriptor, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read encoded chunks through the library to the same positions of `target`, each decoded once.

        Raises FileFormatError for a damaged chunk.
        """
        assert self.chunks is not None
        touched = by_chunk(boxes, self.chunks)
        if (kept := parts_to_keep(self, touched)) and isinstance(fd, int):
            self._gather_kept({index: touched.pop(index) for index in kept}, target)
            boxes = [part for parts in touched.values() for part in parts]
        stored = self._decoded(dataset, boxes)
        if isinstance(fd, int):
            for _, nbytes in stored:
                count(nbytes)
        prefetch(fd, [(at, at + nbytes) for at, nbytes in stored])
        if len(boxes) == 1 and set(boxes[0].step) <= {1}:
            try:
                _through(dataset, boxes[0], target)
                return
            except OSError:  # reading chunk by chunk finds the damaged one
                pass
        for index, parts in by_chunk(boxes, self.chunks).items():
            around = hull(parts)
            copied(parts, self._through_library(dataset, index, around), around.start, target)

    def _gather_kept(self, touched: Mapping[Chunk, list[Box]], target: NDArray[Any]) -> None:
        """Copy the boxes `touched` of each chunk to `target`, as `gather` does, from chunks kept decoded in memory."""
        assert self.chunks is not None

        def read(item: tuple[Chunk, list[Box]]) -> None:
            index, parts = item
            found = kept_chunk(self, index, None)  # no mark: the file's identity was checked
            if found is None:
                found = self.block(index)
                keep_chunk(self, index, None, found)
            copied(parts, found, tuple(map(mul, index, self.chunks or ())), target)

        share(touched.items(), read, len(touched) * prod(self.chunks) * self.dtype.itemsize)

    def _runs(self, dataset: Any, boxes: Sequence[Box]) -> Iterator[tuple[Chunk, int | None, list[Box], Extents]]:
        """Yield (first cell, byte in the file, the boxes' parts, byte ranges inside) of each touched chunk.

        The byte is None for a chunk that was never written.  Raises FileFormatError for a chunk shorter than its cells.
        """
        assert self.chunks is not None
        nbytes = prod(self.chunks) * self.dtype.itemsize
        most = EXACT if runs(boxes, self.order) <= EXACT else 0
        known: dict[tuple[Box, ...], Extents] = {}  # chunks in a row mostly have the same parts touched
        for corner, info, parts in self._touched(dataset, boxes):
            if info.byte_offset is not None and info.size < nbytes:
                raise self._short(corner, info.size)
            relative = tuple([inside(b, corner) for b in parts])
            if relative not in known:
                patterns = byte_patterns(relative, c_strides(self.chunks, self.dtype.itemsize), self.dtype.itemsize)
                known[relative] = extents_of(patterns, LOCAL, most)
            yield corner, info.byte_offset, parts, known[relative]

    def _decoded(self, dataset: Any, boxes: Sequence[Box]) -> list[tuple[int, int]]:
        """Return (byte in the file, number of bytes) of every stored chunk that the boxes touch, sorted."""
        found = [info for _, info, _ in self._touched(dataset, boxes)]
        return sorted([(info.byte_offset, info.size) for info in found if info.byte_offset is not None])

    def _touched(self, dataset: Any, boxes: Sequence[Box]) -> Iterator[tuple[Chunk, Any, list[Box]]]:
        """Yield (first cell, h5py's StoreInfo, the boxes' parts in the chunk) for each touched chunk."""
        assert self.chunks is not None
        for index, parts in by_chunk(boxes, self.chunks).items():
            corner = tuple(map(mul, index, self.chunks))
            yield corner, dataset.id.get_chunk_info_by_coord(corner), parts

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the byte ranges that `gather` would read; raises FileFormatError if the file is damaged or changed."""
        if self.chunks is None:
            return unplaced(self, cells(boxes), len(boxes))
        touched = by_chunk(boxes, self.chunks)
        kept = [index for index in touched if kept_chunk(self, index, None) is not None]
        boxes = [part for index, parts in touched.items() if index not in kept for part in parts] if kept else boxes
        with _file(self.path, self.identity) as (file, _):
            dataset = _dataset(self.path, file, self.inner)
            if self.plain:
                parts = [at + extents for _, at, _, extents in self._runs(dataset, boxes) if at is not None]
                extents = merged(parts)
            else:
                extents = np.array([(a, a + n) for a, n in self._decoded(dataset, boxes)], np.int64).reshape(-1, 2)
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
