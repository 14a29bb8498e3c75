"""Writing of Zarr stores, versions 3 and 2: chunk by chunk, each a file, or in shards of many chunks.

The one idea: a chunk is written once all of its cells are given, and read back and merged if they come in parts, so any
box may be written in any order.  Chunks of zeros are not stored: zero is the fill value.
"""

from __future__ import annotations

import itertools
import json
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.backends.thread_sharing import share
from weft.dtypes import DType
from weft.ir.graph.description import Shape
from weft.ir.pieces.box import box_of
from weft.sources.read.touched_boxes import Box, by_chunk, inside
from weft.sources.write.sink import ExistingArray, Field, Sink, Writer, replace_file, stored_cells, whole_chunk
from weft.sources.write.unfinished import unfinished
from weft.sources.zarr.chunks import MISSING
from weft.sources.zarr.codecs import Shard, crc32c
from weft.sources.zarr.metadata import read_json, read_metadata
from weft.sources.zarr.recorded_codecs import recorded_encode
from weft.sources.zarr.write_options import Layout, checked_layout, metadata2, metadata3, refuse
from weft.sources.zarr.zarr_array import MARKS, ZarrArray, innermost, is_name

Encode = Callable[[NDArray[np.uint8]], Any]


class ZarrSink(Sink):
    """The sink of one array of a Zarr store whose metadata exist; `encode` returns the encoded bytes of a block.

    `shape` is the array's shape once all is written.  With `beside`, a folder on the same disk, a chunk's file is
    written there and then renamed.
    """

    concurrent = True

    def __init__(self, array: ZarrArray, encode: Encode, shape: Shape, beside: str | None = None) -> None:
        self.array, self.encode, self.shape, self.beside = array, encode, shape, beside
        self.path, self.order, self.tile = array.metadata.path, array.order, array.chunks
        self.shard, self.axes = array.metadata.chain.shard, innermost(array.metadata.chain).axes
        self.zero_fill = not any(array.metadata.fill.tobytes())
        self.folders = {self.path}

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write `values` to the box that begins at `start`; partly covered chunks are read back and merged.

        Raises OSError if the system refuses, FileFormatError if a chunk that is read back is damaged.
        """
        if not values.size:
            return
        box = box_of(values.shape, tuple(start))
        chunks = [(index, parts[0]) for index, parts in by_chunk([box], self.tile).items()]

        def one(item: tuple[tuple[int, ...], Box]) -> None:
            index, part = item
            self._write_chunk(index, part, values[inside(part, start).slices])

        for index, _ in chunks:
            self._make_folder(os.path.dirname(self._file(index)))
        share(chunks, one, values.nbytes)

    def remove_added(self) -> None:
        """Remove the files of the chunks beyond the array's former end, whoever wrote them."""
        former, grid = [
            [-(-n // m) for n, m in zip(shape, self.tile, strict=True)] for shape in (self.array.shape, self.shape)
        ]
        beyond = [range(m, n) if m < n else range(n) for m, n in zip(former, grid, strict=True)]  # one axis grew
        for index in itertools.product(*beyond) if former != grid else ():
            with suppress(OSError):
                os.unlink(self._file(index))

    def _file(self, index: tuple[int, ...]) -> str:
        return os.path.join(self.path, self.array.metadata.key(index))

    def _make_folder(self, folder: str) -> None:
        if folder not in self.folders:  # that of the store is there, unless the store was given up
            self._make_folder(os.path.dirname(folder))
            with suppress(FileExistsError):
                os.mkdir(folder)
            self.folders.add(folder)

    def _write_chunk(self, index: tuple[int, ...], part: Box, cells: NDArray[Any]) -> None:
        """Write the cells of box `part` inside one chunk, merged with its other cells; remove chunks of zeros.

        Raises OSError if the system refuses, FileFormatError if the other cells cannot be read.
        """
        corner = tuple([i * n for i, n in zip(index, self.tile, strict=True)])
        size = tuple([min(n, m - c) for n, m, c in zip(self.tile, self.shape, corner, strict=True)])
        file = self._file(index)
        if part.size != size:
            merged = self.array.block(index)
            merged[inside(part, corner).slices] = cells
            cells = merged[box_of(size).slices]
        data = self._block(cells, self.tile) if self.shard is None else self._shard(cells, self.shard)
        if data is not None:
            self.replace(file, data)
        elif os.path.exists(file):
            os.unlink(file)

    def replace(self, file: str, data: Any) -> None:
        """Write a file of the store, through the folder beside the store if there is one."""
        if self.beside is None:
            replace_file(file, data)
            return
        temporary = os.path.join(self.beside, secrets.token_hex(8))
        replace_file(temporary, data, durable=True)
        os.replace(temporary, file)

    def _block(self, cells: NDArray[Any], chunks: Shape) -> Any:
        """Return the encoded bytes of one chunk; None if all its cells are zero and zero is the fill value.

        Raises OutOfMemory if memory is refused.
        """
        cells = whole_chunk(cells, chunks).transpose(self.axes)
        data = stored_cells(cells, self.array.dtype, self.array.big)
        return self.encode(data) if data.any() or not self.zero_fill else None

    def _shard(self, cells: NDArray[Any], shard: Shard) -> bytes | None:
        """Return the bytes of a shard: encoded chunks, then their index; None if all cells are zero."""
        index, parts, at = np.full((*shard.grid, 2), MISSING, "<u8"), [], 0
        for where in itertools.product(*map(range, shard.grid)):
            some = cells[(*[slice(i * n, (i + 1) * n) for i, n in zip(where, shard.chunk, strict=True)], ...)]
            data = self._block(some, shard.chunk) if some.size else None
            if data is not None:
                index[where], at = (at, len(data)), at + len(data)
                parts.append(bytes(data))
        if not parts:
            return None
        table = index.tobytes()
        return b"".join([*parts, table, crc32c(table).to_bytes(4, "little")])


def _new_array(path: str, field: Field, layout: Layout) -> ZarrSink:
    """Write the metadata of a new array without chunks, and return its sink; raises OSError if the system refuses."""
    os.makedirs(path, exist_ok=True)
    file, metadata = metadata3(field, layout) if layout.version == 3 else metadata2(field, layout)
    _write_json(os.path.join(path, file), metadata)
    found = read_metadata(path)
    assert found is not None
    sink = ZarrSink(ZarrArray(found), recorded_encode(found), field.shape)
    sink.order = layout.order  # also of an array of one axis
    return sink


def _write_json(path: str, found: dict[str, Any]) -> None:
    replace_file(path, json.dumps(found, indent=2).encode())


# ---- the row of the table of writers


def open_store(
    path: str,
    fields: Mapping[str, Field],
    *,
    chunks: Any = None,
    shards: Any = None,
    compressor: str | None = None,
    level: int | None = None,
    order: str = "C",
    version: int = 3,
) -> Mapping[str, Sink]:
    """Create a store of one array, named "", or of several ("a/b" is in group "a"); return sinks by name.

    `chunks` and `shards` are cells along every axis, or one number for all; by default, chunks take about a megabyte.
    `compressor` is "zstd", "gzip" or "blosc", with an optional `level`; without one, cells can be read by byte ranges.
    `version` is 2 or 3. Raises ValueRangeError for options that do not fit the array, OSError if the system refuses.
    """
    if "" not in fields:
        _make_groups(path, fields, version)
    found: dict[str, Sink] = {}
    for name, f in fields.items():
        field = Field(f.dtype, _is_big(f.dtype, f.big, version), f.shape)
        layout = checked_layout(path, field, Layout(chunks, shards, compressor, level, order, version))
        found[name] = _new_array(os.path.join(path, name) if name else path, field, layout)
    return found


def _make_groups(path: str, names: Collection[str], version: int) -> None:
    """Create the folder of the store and the folders of the groups above the arrays `names`, with their metadata.

    `version` is that of the format, 2 or 3. Raises ValueRangeError for names that are no paths of arrays, OSError if
    the system refuses.
    """
    taken = {p for name in names for p in _parents(name)}
    for name in names:
        if not is_name(name) or name in taken or any(part.startswith((".", "__")) for part in name.split("/")):
            what = "is a group of another name" if name in taken else "is no name of an array"
            fact = f"{name!r:.60} {what}"
            raise refuse(path, fact, "names are folders, joined by /, that begin with no . and no __")
    for group in sorted({""} | taken):
        folder = os.path.join(path, group)
        os.makedirs(folder, exist_ok=True)
        if version == 3:
            _write_json(os.path.join(folder, "zarr.json"), {"zarr_format": 3, "node_type": "group", "attributes": {}})
        else:
            _write_json(os.path.join(folder, ".zgroup"), {"zarr_format": 2})


def _is_big(dtype: DType, big: bool, version: int) -> bool:
    """True if cells are to be stored big-endian: never for dtypes beyond NumPy's in version 2."""
    return big and not (version == 2 and dtype.extended)


def _parents(name: str) -> list[str]:
    """Return the names of the groups above an array: "a/b/c" is below "a" and "a/b"."""
    parts = name.split("/")
    return ["/".join(parts[:k]) for k in range(1, len(parts))]


# ---- arrays that exist


@contextmanager
def updated_store(path: str, arrays: Mapping[str, ExistingArray]) -> Iterator[Mapping[str, Sink]]:
    """Yield sinks of arrays of a store by name. Chunks are replaced one at a time, the shape at the end.

    After an error the chunks beyond the former end of an array are removed. Raises ValueRangeError for codecs that
    cannot be written, FileFormatError for damaged metadata, WriteError if another program keeps the folder locked.
    """
    with unfinished(os.path.dirname(os.path.realpath(path))) as beside:
        os.mkdir(beside)
        sinks = {n: ZarrSink(a.source, recorded_encode(a.source.metadata), a.shape, beside) for n, a in arrays.items()}
        try:
            yield dict(sinks)
            for name, sink in sinks.items():
                _record_shape(path, name, sink)
        except BaseException:
            for sink in sinks.values():
                sink.remove_added()
            raise


def _record_shape(path: str, name: str, sink: ZarrSink) -> None:
    """Write the shape into the metadata of an array, and into consolidated metadata of its store.

    If the shape did not change the files get a new time, so that tensors opened before are refused as changed. Raises
    FileFormatError if a metadata file is damaged.
    """
    file = sink.array.metadata.file
    if sink.shape == sink.array.shape:
        os.utime(file)
        return
    _replace_shape(file, sink, [])
    _replace_shape(os.path.join(path, ".zmetadata"), sink, ["metadata", f"{name}/.zarray"])
    _replace_shape(os.path.join(path, "zarr.json"), sink, ["consolidated_metadata", "metadata", name])


def _replace_shape(file: str, sink: ZarrSink, keys: Sequence[str]) -> None:
    """Set the shape of the object below `keys` in a metadata file, if it exists, to the sink's.

    Raises FileFormatError if the file is damaged.
    """
    assert sink.beside is not None
    if not os.path.exists(file):
        return
    found, _ = read_json(file)
    inner: Any = found
    for key in keys:
        inner = inner.get(key) if isinstance(inner, dict) else None
    if isinstance(inner, dict) and "shape" in inner:
        inner["shape"] = list(sink.shape)
        sink.replace(file, json.dumps(found, indent=2).encode())


ZARR = Writer(open_store, MARKS, lone="", update=updated_store, chunked=True)
