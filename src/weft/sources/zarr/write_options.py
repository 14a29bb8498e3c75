"""Options of writing a Zarr array, checked, and the metadata that record them.

The one idea: options become a layout (chunks, shards, compressor, order, version), and each version has one function
from a layout to its metadata.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod
from operator import index
from typing import Any

import numpy as np

from weft.api.arguments import is_among, is_one
from weft.dtypes import DType
from weft.errors import ValueRangeError
from weft.ir.graph.description import Shape
from weft.runtime.memory.limits import available_memory
from weft.sources.formats.cell_run import MAX_BYTES
from weft.sources.write.sink import Field, checked_order
from weft.sources.zarr.codecs import DamagedChunk, numcodecs

CHUNK = 1 << 20  # most bytes of a chunk of default shape


@dataclass(frozen=True, slots=True)
class Compressor:
    """A compressor: its levels, its default level, and its metadata.

    `version3` and `version2` are functions of level and itemsize that return the metadata of that version.
    """

    levels: range
    usual: int
    version3: Callable[[int, int], dict[str, Any]]
    version2: Callable[[int, int], dict[str, Any]]


def _blosc3(level: int, itemsize: int) -> dict[str, Any]:
    return {"cname": "lz4", "clevel": level, "shuffle": "shuffle", "typesize": itemsize, "blocksize": 0}


COMPRESSORS = {
    "zstd": Compressor(
        range(-7, 23), 3, lambda n, i: {"level": n, "checksum": False}, lambda n, i: {"id": "zstd", "level": n}
    ),
    "gzip": Compressor(range(10), 5, lambda n, i: {"level": n}, lambda n, i: {"id": "gzip", "level": n}),
    "blosc": Compressor(range(10), 5, _blosc3, lambda n, i: {"id": "blosc", "cname": "lz4", "clevel": n, "shuffle": 1}),
}


def refuse(path: str, fact: str, advice: str) -> ValueRangeError:
    """Return the ValueRangeError for an option of `path` that cannot be used, from the fact and the advice."""
    return ValueRangeError(f"save: {path}: {fact}; {advice}")


@dataclass(frozen=True, slots=True)
class Layout:
    """The division of an array into chunks and their encoding.

    Options are as the user gave them (None: default) until `checked_layout` fills them in.
    """

    chunks: Any
    shards: Any
    compressor: str | None
    level: Any
    order: str
    version: int


def checked_layout(path: str, field: Field, asked: Layout) -> Layout:
    """Return the layout of an array, with defaults filled in; raises ValueRangeError for impossible options."""
    level, version = [int(n) if isinstance(n, np.integer) else n for n in (asked.level, asked.version)]
    compressor, shards = asked.compressor, asked.shards
    if not is_among(version, (2, 3)):
        raise refuse(path, f"version {version!r}", "versions 2 and 3 are written")
    if not is_among(compressor, (None, *COMPRESSORS)):
        raise refuse(path, f"compressor {compressor!r}", f"{', '.join(COMPRESSORS)} and None are known")
    if compressor in ("zstd", "blosc"):
        try:
            numcodecs(compressor)
        except DamagedChunk as e:
            raise refuse(path, str(e), e.advice) from e
    if level is not None and (compressor is None or not is_among(level, COMPRESSORS[compressor].levels)):
        levels = COMPRESSORS[compressor].levels if compressor else None
        advice = f"{compressor} takes {levels.start} to {levels.stop - 1}" if levels else "it needs a compressor"
        raise refuse(path, f"level {level!r}", advice)
    if version == 2 and shards is not None:
        raise refuse(path, "shards in version 2", "shards are written in version 3")
    outer = None if shards is None else _sizes(path, "shards", shards, field)
    inner = (outer or _usual(field)) if asked.chunks is None else _sizes(path, "chunks", asked.chunks, field)
    if outer is not None and any(n % m for n, m in zip(outer, inner, strict=True)):
        raise refuse(path, f"shards {outer} of chunks {inner}", "chunks must divide shards along every axis")
    usual = COMPRESSORS[compressor].usual if compressor else 0
    checked_order(path, asked.order)
    return replace(asked, chunks=inner, shards=outer, level=usual if level is None else level, version=version)


def _sizes(path: str, what: str, found: Any, field: Field) -> Shape:
    """Return one size above 0 for each axis, from one number or a sequence of them.

    Raises ValueRangeError for other values, and for sizes of more bytes than there is memory.
    """
    shape, sizes = field.shape, ()
    with suppress(TypeError):
        sizes = (index(found),) * len(shape) if is_one(found) else tuple(map(index, found))
    if len(sizes) != len(shape) or isinstance(found, bool) or not all(n > 0 for n in sizes):
        raise refuse(path, f"{what} {found!r:.60} for shape {shape}", "give a size above 0, or one for every axis")
    if prod(sizes) * field.dtype.itemsize > MAX_BYTES:
        fact = f"{what} {sizes} of {field.dtype.name}"
        raise refuse(path, fact, "they have more bytes than any memory holds; give smaller sizes")
    nbytes, free = prod(sizes) * field.dtype.itemsize, available_memory()
    if free is not None and nbytes > free:
        fact = f"{what} {sizes} of {field.dtype.name} have {nbytes} bytes, of memory {free} are free"
        raise refuse(path, fact, f"a {what[:-1]} is encoded as a whole; give smaller sizes")
    return sizes


def _usual(field: Field) -> Shape:
    """Return the default shape of chunks, at most about a megabyte, by repeatedly halving the longest axis.

    >>> from weft.dtypes import float32
    >>> _usual(Field(float32, False, (4096, 1024)))
    (512, 512)
    """
    sizes = [max(n, 1) for n in field.shape]
    while prod(sizes) * field.dtype.itemsize > CHUNK:
        axis = sizes.index(max(sizes))
        sizes[axis] = -(-sizes[axis] // 2)
    return tuple(sizes)


# ---- metadata


def _zero(dtype: DType) -> Any:
    return False if dtype.kind == "bool" else 0 if dtype.is_integer else [0.0, 0.0] if dtype.kind == "complex" else 0.0


def metadata3(field: Field, layout: Layout) -> tuple[str, dict[str, Any]]:
    """Return (file name, object) of an array's metadata in version 3."""
    dtype, ndim = field.dtype, len(field.shape)
    cells = {"endian": "big" if field.big else "little"} if dtype.itemsize > 1 else {}
    codecs: list[dict[str, Any]] = []
    if layout.order == "F" and ndim > 1:
        codecs.append(_named("transpose", {"order": list(range(ndim))[::-1]}))
    codecs.append(_named("bytes", cells))
    if layout.compressor is not None:
        parameters = COMPRESSORS[layout.compressor].version3(layout.level, dtype.itemsize)
        codecs.append(_named(layout.compressor, parameters))
    if layout.shards is not None:
        index = [_named("bytes", {"endian": "little"}), {"name": "crc32c"}]
        shard = {"chunk_shape": layout.chunks, "codecs": codecs, "index_codecs": index, "index_location": "end"}
        codecs = [_named("sharding_indexed", shard)]
    return "zarr.json", {
        "zarr_format": 3,
        "node_type": "array",
        "shape": field.shape,
        "data_type": dtype.name,
        "chunk_grid": _named("regular", {"chunk_shape": layout.shards or layout.chunks}),
        "chunk_key_encoding": _named("default", {"separator": "/"}),
        "fill_value": _zero(dtype),
        "codecs": codecs,
        "attributes": {},
    }


def _named(name: str, configuration: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


def metadata2(field: Field, layout: Layout) -> tuple[str, dict[str, Any]]:
    """Return (file name, object) of an array's metadata in version 2."""
    dtype = field.dtype
    compressor = None
    if layout.compressor is not None:
        compressor = COMPRESSORS[layout.compressor].version2(layout.level, dtype.itemsize)
    return ".zarray", {
        "zarr_format": 2,
        "shape": field.shape,
        "chunks": layout.chunks,
        "dtype": dtype.name if dtype.extended else field.numpy.str,
        "compressor": compressor,
        "fill_value": _zero(dtype),
        "order": layout.order,
        "filters": None,
        "dimension_separator": ".",
    }
