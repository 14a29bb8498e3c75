"""Zarr stores written, of versions 3 and 2: chunk by chunk, each a file, or in shards of many chunks.

The one idea: a chunk is written when all of its cells are there, and read back and merged where they come in parts, so
any box may be written in any order.  Chunks of zeros are not stored: zero is the fill value.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType, to_numpy
from weft.ir.graph.description import Shape
from weft.ir.pieces.box import box_of
from weft.sources.read.address_space import addresses
from weft.sources.read.thread_sharing import share
from weft.sources.read.touched_boxes import Box, by_chunk, inside
from weft.sources.source import storage_dtype
from weft.sources.write.sink import Field, Sink, Writer, stored_cells
from weft.sources.zarr.chunks import MISSING
from weft.sources.zarr.codecs import crc32c
from weft.sources.zarr.metadata import read_metadata
from weft.sources.zarr.write_options import ENCODERS, Layout, checked_layout, metadata2, metadata3, refuse
from weft.sources.zarr.zarr_array import MARKS, ZarrArray, is_name


class ZarrSink:
    """The sink of one array of a Zarr store."""

    def __init__(self, path: str, field: Field, layout: Layout) -> None:
        self.path, self.field, self.layout, self.order = path, field, layout, layout.order
        self.tile: Shape = layout.shards or layout.chunks
        os.makedirs(path, exist_ok=True)
        file, metadata = metadata3(field, layout) if layout.version == 3 else metadata2(field, layout)
        _write_json(os.path.join(path, file), metadata)
        found = read_metadata(path)
        assert found is not None
        self.array, self.folders = ZarrArray(found), {path}

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write the cells of `values` to the box from `start`; chunks covered in part are read back and merged."""
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

    def close(self) -> None:
        """Do nothing: every box is written at once."""

    def _file(self, index: tuple[int, ...]) -> str:
        return os.path.join(self.path, self.array.metadata.key(index))

    def _make_folder(self, folder: str) -> None:
        if folder not in self.folders:
            os.makedirs(folder, exist_ok=True)
            self.folders.add(folder)

    def _write_chunk(self, index: tuple[int, ...], part: Box, cells: NDArray[Any]) -> None:
        """Write the cells of a box inside one chunk, merged with its other cells; chunks of zeros are removed."""
        corner = tuple([i * n for i, n in zip(index, self.tile, strict=True)])
        size = tuple([min(n, m - c) for n, m, c in zip(self.tile, self.field.shape, corner, strict=True)])
        file = self._file(index)
        if part.size != size:
            merged = np.zeros(size, to_numpy(self.field.dtype))
            if os.path.exists(file):
                merged[...] = self._stored(box_of(size, corner))
            merged[inside(part, corner).slices] = cells
            cells = merged
        data = self._block(cells) if self.layout.shards is None else self._shard(cells)
        if data is not None:
            with open(file, "wb") as target:
                target.write(data)
        elif os.path.exists(file):
            os.unlink(file)

    def _stored(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box that were written before."""
        cells = np.ndarray(self.field.shape, storage_dtype(self.array), addresses(self.field.nbytes, self.path))
        self.array.gather([box], cells)
        return cells[box.slices]

    def _block(self, cells: NDArray[Any]) -> Any:
        """Return the encoded bytes of one chunk, None if all its cells are zero."""
        layout, chunks = self.layout, self.layout.chunks
        if cells.shape != chunks:
            whole = np.zeros(chunks, cells.dtype)
            whole[box_of(cells.shape).slices] = cells
            cells = whole
        data = stored_cells(cells.T if layout.order == "F" else cells, self.field.dtype, self.field.big)
        if not data.any():
            return None
        if layout.compressor is None:
            return memoryview(data)
        return ENCODERS[layout.compressor].encode(data, layout.level, self.field.dtype.itemsize)

    def _shard(self, cells: NDArray[Any]) -> bytes | None:
        """Return the bytes of a shard, its encoded chunks and then their index; None if all its cells are zero."""
        assert self.layout.shards is not None
        grid = [n // m for n, m in zip(self.layout.shards, self.layout.chunks, strict=True)]
        index, parts, at = np.full((*grid, 2), MISSING, "<u8"), [], 0
        for where in itertools.product(*map(range, grid)):
            some = cells[(*[slice(i * n, (i + 1) * n) for i, n in zip(where, self.layout.chunks, strict=True)], ...)]
            data = self._block(some) if some.size else None
            if data is not None:
                index[where], at = (at, len(data)), at + len(data)
                parts.append(bytes(data))
        if not parts:
            return None
        table = index.tobytes()
        return b"".join([*parts, table, crc32c(table).to_bytes(4, "little")])


def _write_json(path: str, found: dict[str, Any]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)


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
    """Create a store of one array, named "", or of several ("a/b" is in group "a"); return the sinks by name.

    `chunks` and `shards` are cells along every axis, or one number for all; without them, chunks take about a megabyte.
    `compressor` is "zstd", "gzip" or "blosc"; without one, any cells can be read by their range.  Raises
    ValueRangeError for options that do not fit the array.
    """
    if "" not in fields:
        _make_groups(path, fields, version)
    found: dict[str, Sink] = {}
    for name, f in fields.items():
        field = Field(f.dtype, _is_big(f.dtype, f.big, version), f.shape)
        layout = checked_layout(path, field, Layout(chunks, shards, compressor, level, order, version))
        found[name] = ZarrSink(os.path.join(path, name) if name else path, field, layout)
    return found


def _make_groups(path: str, names: Collection[str], version: int) -> None:
    """Create the folder of the store and those of the groups in names; raises ValueRangeError for names that are no
    paths.
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


ZARR = Writer(open_store, MARKS, lone="")
