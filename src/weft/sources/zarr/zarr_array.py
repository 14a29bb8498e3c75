"""Zarr arrays of versions 2 and 3 in a folder: chunks decoded once for each program, exact bytes where they can be.

The one idea: the boxes that a program reads are united by chunk, and each chunk file is opened once, by one thread.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import FileFormatError, MissingFileError
from weft.runtime.compute.engine import SourceRead
from weft.sources.formats.cell_run import NoSuchArray, failure, identity_at, open_regular
from weft.sources.read.extents import EXACT
from weft.sources.read.thread_sharing import share
from weft.sources.read.touched_boxes import Box, by_chunk, cells, runs
from weft.sources.source import storage_dtype
from weft.sources.zarr.chunks import Blob, ChunkBlock, Reader
from weft.sources.zarr.codecs import Chain, Damaged
from weft.sources.zarr.metadata import FORM, ArrayMetadata, read_json, read_metadata

MARKS = ("zarr.json", ".zarray", ".zgroup")  # one of them makes a folder an array or a group
MAX_NAMES = 100_000  # folders looked at for arrays
MAX_DEPTH = 32  # groups in groups


class ZarrArray:
    """A Zarr array as a source (`weft.sources.source.Gathering`)."""

    __slots__ = ("_cell", "big", "chunks", "dtype", "metadata", "name", "order", "shape")

    def __init__(self, metadata: ArrayMetadata) -> None:
        self.metadata, self.name = metadata, metadata.path
        self.dtype, self.shape, self.chunks = metadata.dtype, metadata.shape, metadata.chunks
        cells_of = _innermost(metadata.chain)
        self.big, ndim = cells_of.big, len(metadata.shape)
        self.order = "F" if ndim > 1 and cells_of.axes == tuple(range(ndim))[::-1] else "C"
        self._cell = _as_bits(metadata.fill.astype(storage_dtype(self)))

    def __repr__(self) -> str:
        order = " big-endian" if self.big else ""
        return f"<zarr {self.name}: {self.dtype.name}{list(self.shape)}{order}, chunks {list(self.chunks)}>"

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes into the same cells of `target`, each chunk opened and decoded once.

        Cells of chunks that are not stored get the fill value.  Raises FileFormatError for damaged or replaced stores.
        """
        self._check()
        reader, bits = self._reader(boxes), _as_bits(target)

        def read(item: tuple[tuple[int, ...], list[Box]]) -> None:
            index, parts = item
            with self._chunk(index) as blob:
                if blob is None:
                    reader.fill(parts, bits)
                else:
                    reader.read(blob, self.metadata.chain, self._block(index), parts, bits)

        share(by_chunk(boxes, self.chunks).items(), read, cells(boxes) * self.dtype.itemsize)
        self._check()  # chunks of a store that took the place of this one, or that went with it, were no fill values

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the byte ranges that `gather` would read, with their files; the indexes of shards are read to know
        them.
        """
        self._check()
        reader = self._reader(boxes)
        found, files = [np.empty((0, 2), np.int64)], []
        for index, parts in by_chunk(boxes, self.chunks).items():
            with self._chunk(index) as blob:
                if blob is not None:
                    found.append(reader.fetched(blob, self.metadata.chain, self._block(index), parts))
                    files += [blob.name] * len(found[-1])
        extents = np.concatenate(found)
        nbytes = int((extents[:, 1] - extents[:, 0]).sum())
        return SourceRead(self.name, nbytes, len(extents), extents, tuple(files))

    def _reader(self, boxes: Sequence[Box]) -> Reader:
        """Return a reader that reads few runs exactly, and many with the gaps between them."""
        return Reader(self._cell, EXACT if runs(boxes, self.order) <= EXACT else 0)

    def _check(self) -> None:
        """Raise FileFormatError if the array's metadata file has changed since it was read."""
        identity_at(self.metadata.file, FORM, self.metadata.identity)

    def _block(self, index: tuple[int, ...]) -> ChunkBlock:
        """Return the first cell and the shape of a chunk, by its index in the grid."""
        return ChunkBlock(tuple(map(mul, index, self.chunks)), self.chunks)

    @contextmanager
    def _chunk(self, index: tuple[int, ...]) -> Iterator[Blob | None]:
        """Yield the bytes of a chunk's file, or None if it is not stored; FileFormatError for damage names the file."""
        path = os.path.join(self.metadata.path, self.metadata.key(index))
        try:
            fd, status = open_regular(path, FORM)
        except FileFormatError as e:
            if not isinstance(e.__cause__, FileNotFoundError):
                raise
            fd = None
        try:
            yield None if fd is None else Blob(path, fd, 0, status.st_size)
        except Damaged as e:
            raise failure(FORM, path, str(e), e.advice) from e
        finally:
            if fd is not None:
                os.close(fd)


def _innermost(chain: Chain) -> Chain:
    """Return the encoding of the blocks that hold cells, inside all shards."""
    while chain.shard is not None:
        chain = chain.shard.inner
    return chain


def _as_bits(cells_of: NDArray[Any]) -> NDArray[Any]:
    """Return a view of cells as unsigned integers of their size, so that copies keep every bit."""
    itemsize = cells_of.dtype.itemsize
    bits = np.dtype(f"u{itemsize}" if itemsize <= 8 else "c16")
    return np.ndarray(cells_of.shape, bits, cells_of, 0, cells_of.strides)


# ---- which arrays


def open_zarr(path: str, name: str = "") -> ZarrArray:
    """Return an array of a store as a source: that of the folder itself, or of a folder below it ("group/array").

    Raises NoSuchArray if there is none, FileFormatError for what is no store and for damaged metadata.

    >>> import json, tempfile, weft
    >>> codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
    >>> grid = {"name": "regular", "configuration": {"chunk_shape": [2]}}
    >>> metadata = {"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": "int16", "chunk_grid": grid}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/zarr.json", "w") as file:
    ...         json.dump({**metadata, "codecs": codecs, "fill_value": 7}, file)
    ...     weft.open(folder).tolist()  # no chunk is there
    [7, 7, 7]
    """
    if name and not is_name(name):
        fact = f"{name!r:.80} is no name inside the store"
        raise failure(FORM, path, fact, "names are folders below it, joined by /")
    _check_store(path)
    metadata = read_metadata(os.path.join(path, name) if name else path)
    if metadata is None:
        raise NoSuchArray(name)
    return ZarrArray(metadata)


def zarr_attributes(path: str, name: str | None) -> dict[str, Any]:
    """Return the attributes of the store's folder, or of an array or group below it."""
    if name and not is_name(name):
        raise NoSuchArray(name)
    _check_store(path)
    folder = os.path.join(path, name) if name else path
    if not any(os.path.exists(os.path.join(folder, mark)) for mark in MARKS):
        raise NoSuchArray(name)
    if os.path.exists(os.path.join(folder, "zarr.json")):
        found = read_json(os.path.join(folder, "zarr.json"))[0].get("attributes")
        return found if isinstance(found, dict) else {}
    file = os.path.join(folder, ".zattrs")
    return read_json(file)[0] if os.path.exists(file) else {}


def is_name(name: object) -> bool:
    """True if the name is folder names joined by "/" that stay below the store."""
    return isinstance(name, str) and all(
        part not in ("", ".", "..") and "\\" not in part and "\0" not in part for part in name.split("/")
    )


def zarr_names(path: str) -> list[str]:
    """Return the names of the arrays of a store, sorted; "" is the folder itself.  Raises FileFormatError."""
    _check_store(path)
    found: list[str] = []
    waiting, looked = [""], 0
    while waiting:
        name = waiting.pop()
        folder = os.path.join(path, name) if name else path
        looked += 1
        if looked > MAX_NAMES:
            raise failure(FORM, path, f"has more than {MAX_NAMES} folders", "open an array by its name")
        try:
            if read_metadata(folder) is not None:
                found.append(name)
                continue
            below = [e.name for e in os.scandir(folder) if e.is_dir() and not e.name.startswith(".")]
        except OSError as e:
            raise failure(FORM, folder, f"cannot be listed: {(e.strerror or str(e)).lower()}", "check it") from e
        if name.count("/") < MAX_DEPTH:
            waiting.extend(f"{name}/{b}" if name else b for b in sorted(below, reverse=True))
    return found


def _check_store(path: str) -> None:
    """Raise FileFormatError unless the path is a folder with a mark of Zarr."""
    if not os.path.isdir(path):
        if not os.path.exists(path):
            fact = "cannot be opened: no such file or folder"
            raise MissingFileError(f"{FORM}: {path}: {fact}; a Zarr store is a folder")
        raise failure(FORM, path, "is a file", "a Zarr store is a folder")
    if not any(os.path.exists(os.path.join(path, mark)) for mark in MARKS):
        raise failure(FORM, path, f"holds none of {', '.join(MARKS)}", "it is no Zarr store")
