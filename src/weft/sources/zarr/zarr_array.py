"""Zarr arrays of versions 2 and 3 in a folder: chunks decoded once for each program, exact byte ranges where possible.

The one idea: the boxes that a program reads are grouped by chunk, and each chunk file is opened once, by one thread.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import FileFormatError, MissingFileError, UnsupportedTypeError
from weft.ir.pieces.box import box_of
from weft.runtime.compute.engine import SourceRead
from weft.sources.formats.cell_run import Identity, NoSuchArray, failure, identity_of, opened
from weft.sources.read.byte_ranges import LocalFile
from weft.sources.read.extents import LOCAL, REMOTE
from weft.sources.read.touched_boxes import Box
from weft.sources.remote.remote_file import PIECE, exists, fetched_whole
from weft.sources.remote.remote_path import RemotePath, joined, translated_errors
from weft.sources.source import as_bits, storage_dtype
from weft.sources.zarr.chunk_source import ChunkSource, EncodedChunk, Index, TouchedChunk
from weft.sources.zarr.chunks import Blob, Reader
from weft.sources.zarr.codecs import Chain, DamagedChunk
from weft.sources.zarr.metadata import FORM, ArrayMetadata, check_metadata, consolidated_names, read_json, read_metadata

NO_FILE = LocalFile(-1)
MARKS = ("zarr.json", ".zarray", ".zgroup")  # names that make a folder an array or a group
MAX_NAMES = 100_000  # most folders that are searched for arrays
MAX_DEPTH = 32  # most levels of groups that are searched


class ZarrArray(ChunkSource):
    """A Zarr array as a source: each chunk is a file."""

    def __init__(self, metadata: ArrayMetadata) -> None:
        self.metadata, self.name = metadata, metadata.path
        self.dtype, self.shape, self.chunks = metadata.dtype, metadata.shape, metadata.chunks
        cells_of = innermost(metadata.chain)
        self.big, ndim = cells_of.big, len(metadata.shape)
        self.order = "F" if ndim > 1 and cells_of.axes == tuple(range(ndim))[::-1] else "C"
        self.cell = as_bits(metadata.fill.astype(storage_dtype(self)))
        remote, is_encoded = isinstance(self.name, RemotePath), bool(metadata.chain.stages)
        small = remote and prod(self.chunks) * self.dtype.itemsize <= PIECE
        # all bytes of a chunk are read at once: it is encoded as a whole, or small and remote
        self.comes_whole = metadata.chain.shard is None and (is_encoded or small)
        self.is_kept = metadata.chain.shard is None and is_encoded and not remote
        self.read_cost, self.requests = (REMOTE, self.name.requests) if remote else (LOCAL, 0)

    def __repr__(self) -> str:
        order = " big-endian" if self.big else ""
        return f"<zarr {self.name}: {self.dtype.name}{list(self.shape)}{order}, chunks {list(self.chunks)}>"

    @property
    def plain(self) -> bool:
        """True if chunks are runs of cells in local files."""
        return not innermost(self.metadata.chain).stages and not isinstance(self.name, RemotePath)

    def mark(self, index: Index) -> Identity | None:
        """Return the identity of a chunk's file; None if the chunk is not stored."""
        try:
            return identity_of(os.stat(self._path(index)))
        except OSError:
            return None

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes as every `ChunkSource` does; raises FileFormatError for replaced stores."""
        if not isinstance(self.name, RemotePath):  # a remote check is a request, so only the last one is made
            self.check()
        super().gather(boxes, target)
        self.check()  # chunks missing since the store was replaced or removed are no fill values

    def block(self, index: Index) -> NDArray[Any]:
        """Return the cells of a chunk, by its index in the grid; raises FileFormatError if it is damaged.

        A chunk at the edge is returned whole; a chunk that is not stored has the fill value.  Call `check` after the
        last one.
        """
        return self.joined(self.chunks, [(index, box_of(self.chunks))])

    def read_chunk(self, held: None, reader: Reader, chunk: TouchedChunk, target: NDArray[Any]) -> None:
        """Read the parts of a chunk into the same positions of `target`; raises FileFormatError if it is damaged."""
        with self.encoded(held, chunk.index, self.comes_whole) as found:
            if found is None:
                reader.fill(chunk.parts, target)
            else:
                reader.read(*found, chunk.block, chunk.parts, target)

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the byte ranges that `gather` would read; raises FileFormatError for replaced stores."""
        self.check()
        return super().fetched(boxes)

    def check(self) -> None:
        """Raise FileFormatError if the array's metadata file has changed since it was read."""
        check_metadata(self.metadata.file, self.metadata.identity)

    def _path(self, index: Index) -> str:
        return joined(self.name, self.metadata.key(index))

    @contextmanager
    def encoded(self, held: None, index: Index, at_once: bool = False) -> Iterator[EncodedChunk | None]:
        """Yield a chunk, or None if it is not stored; a remote file is fetched first if `at_once`.

        Raises FileFormatError if the file is damaged.
        """
        path, blob = self._path(index), None
        with ExitStack() as stack:
            try:
                if at_once and isinstance(path, RemotePath):
                    data = np.frombuffer(fetched_whole(path, FORM), np.uint8)
                    blob = Blob(path, NO_FILE, 0, len(data), data)
                else:
                    fd, identity = stack.enter_context(opened(path, FORM))
                    blob = Blob(path, fd, 0, identity[2])
            except MissingFileError as e:
                if not isinstance(e.__cause__, FileNotFoundError):
                    raise
            try:
                yield None if blob is None else EncodedChunk(blob, self.metadata.chain)
            except DamagedChunk as e:
                raise failure(FORM, path, str(e), e.advice) from e


def innermost(chain: Chain) -> Chain:
    """Return the encoding of the blocks that hold cells, inside all shards."""
    while chain.shard is not None:
        chain = chain.shard.inner
    return chain


# ---- arrays of a store


def open_zarr(path: str, name: str = "") -> ZarrArray:
    """Return an array of a store as a source: of the folder itself, or of a folder below it ("group/array").

    Raises NoSuchArray if there is none, FileFormatError if it is no store or its metadata are damaged.

    >>> import json, tempfile, weft
    >>> codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
    >>> grid = {"name": "regular", "configuration": {"chunk_shape": [2]}}
    >>> metadata = {"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": "int16", "chunk_grid": grid}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/zarr.json", "w") as file:
    ...         json.dump({**metadata, "codecs": codecs, "fill_value": 7}, file)
    ...     weft.open(folder).tolist()  # no chunk is stored
    [7, 7, 7]
    """
    if name and not is_name(name):
        fact = f"{name!r:.80} is no name inside the store"
        raise failure(FORM, path, fact, "names are folders below it, joined by /")
    if not isinstance(path, RemotePath):
        _check_store(path)
    metadata = read_metadata(joined(path, name) if name else path)
    if metadata is None:
        _check_store(path)
        raise NoSuchArray(name)
    return ZarrArray(metadata)


def zarr_attributes(path: str, name: str | None) -> dict[str, Any]:
    """Return the attributes of the store's folder, or of the array or group `name` below it.

    Raises NoSuchArray if there is none, FileFormatError if `path` is no store or the metadata are damaged.
    """
    if name and not is_name(name):
        raise NoSuchArray(name)
    _check_store(path)
    folder = joined(path, name) if name else path
    if not is_marked(folder):
        raise NoSuchArray(name)
    if exists(joined(folder, "zarr.json")):
        found = read_json(joined(folder, "zarr.json"))[0].get("attributes")
        return found if isinstance(found, dict) else {}
    file = joined(folder, ".zattrs")
    return read_json(file)[0] if exists(file) else {}


def is_name(name: object) -> bool:
    """True if the name is a relative path of folder names joined by "/" that stays below the store."""
    return isinstance(name, str) and all(
        part not in ("", ".", "..") and "\\" not in part and "\0" not in part for part in name.split("/")
    )


def zarr_names(path: str) -> list[str]:
    """Return the sorted names of the arrays of a store; "" is the folder itself.

    Raises FileFormatError if it is no store or cannot be listed.
    """
    _check_store(path)
    if isinstance(path, RemotePath) and (listed := consolidated_names(path)) is not None:
        return listed
    found: list[str] = []
    waiting, looked = [""], 0
    while waiting:
        name = waiting.pop()
        folder = joined(path, name) if name else path
        looked += 1
        if looked > MAX_NAMES:
            raise failure(FORM, path, f"has more than {MAX_NAMES} folders", "open an array by its name")
        try:
            if _is_array(folder):
                found.append(name)
                continue
            below = [name for name in _folders(folder) if not name.startswith(".")]
        except OSError as e:
            raise failure(FORM, folder, f"cannot be listed: {(e.strerror or str(e)).lower()}", "check it") from e
        if name.count("/") < MAX_DEPTH:
            waiting.extend(f"{name}/{b}" if name else b for b in sorted(below, reverse=True))
    return found


def is_marked(folder: str) -> bool:
    """True if a folder, local or remote, holds a metadata file of Zarr.

    Raises FileFormatError if a remote folder cannot be looked into.
    """
    return any(exists(joined(folder, mark)) for mark in MARKS)


def _is_array(folder: str) -> bool:
    """True if a folder holds an array, of a type that weft has or not; raises FileFormatError for damaged metadata."""
    try:
        return read_metadata(folder) is not None
    except UnsupportedTypeError:
        return True


def _folders(folder: str) -> list[str]:
    """Return the names of the subfolders of a folder.

    Raises OSError if it cannot be listed, FileFormatError if it is remote.
    """
    if not isinstance(folder, RemotePath):
        return [e.name for e in os.scandir(folder) if e.is_dir()]
    try:
        with translated_errors(FORM, folder):
            found = folder.system.ls(folder.inside, detail=True)
    except FileFormatError as e:
        raise failure(FORM, folder, "has no list of its files", "open an array by its name") from e
    return [e["name"].rstrip("/").rpartition("/")[2] for e in found if e["type"] == "directory"]


def _check_store(path: str) -> None:
    """Raise FileFormatError unless the path is a folder with a metadata file of Zarr."""
    if isinstance(path, RemotePath):
        if not is_marked(path):
            raise MissingFileError(
                f"{FORM}: {path}: holds none of {', '.join(MARKS)}; it is no Zarr store; check the URL", str(path)
            )
        return
    if not os.path.isdir(path):
        if not os.path.exists(path):
            fact = "cannot be opened: no such file or folder"
            raise MissingFileError(f"{FORM}: {path}: {fact}; a Zarr store is a folder", path)
        raise failure(FORM, path, "is a file", "a Zarr store is a folder")
    if not is_marked(path):
        raise failure(FORM, path, f"holds none of {', '.join(MARKS)}", "it is no Zarr store")
