"""Metadata of Zarr arrays, versions 2 and 3, parsed from untrusted JSON.

The one idea: in both versions, an array has a dtype, a shape, a shape of chunks, a name for each chunk, one cell's fill
value and a chain of codecs.  Everything is checked here, so that reading needs no checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError, FileFormatError, MissingFileError, UnsupportedTypeError
from weft.sources.formats.cell_run import Identity, checked_shape, failure, identity_at, opened
from weft.sources.remote.remote_file import fetched_with_identity
from weft.sources.remote.remote_path import RemotePath, joined
from weft.sources.zarr.codecs import DECODERS, ON_ARRAYS, Chain, DamagedChunk, Decoder, Shard

FORM = "zarr"
MAX_METADATA = 16 << 20  # bytes of a metadata file
MAX_STAGES = 16
V2_DTYPE = re.compile(r"[<>|][biufc]\d{1,2}")
HEX = re.compile(r"0x[0-9a-fA-F]{1,32}")
WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}


@dataclass(frozen=True, slots=True)
class ArrayMetadata:
    """The checked metadata of a Zarr array.

    A chunk's file below the array's folder has the name `prefix`, then the chunk's index, joined by `separator`.
    """

    path: str
    version: int
    dtype: DType
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    chain: Chain
    fill: NDArray[Any]  # one cell, native
    prefix: tuple[str, ...]
    separator: str
    file: str  # the metadata's own
    identity: Identity

    def key(self, index: Sequence[int]) -> str:
        """Return the name of a chunk's file by the chunk's index in the grid; "0" for a chunk without axes."""
        return self.separator.join([*self.prefix, *map(str, index)]) or "0"


def _fail(path: str, fact: str, advice: str = "the file is damaged or of a newer kind; write it again") -> Exception:
    return failure(FORM, path, fact, advice)


def read_json(path: str) -> tuple[dict[str, Any], Identity]:
    """Return (the object in a metadata file, the file's identity); raises FileFormatError if it is no JSON object."""
    text, identity = _text_of(path)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise _fail(path, f"is no JSON: {e!s:.100}") from e
    if not isinstance(found, dict):
        raise _fail(path, f"holds {type(found).__name__}, wanted is an object")
    return found, identity


def _text_of(path: str) -> tuple[bytes, Identity]:
    """Return (the bytes of a metadata file, its identity). Raises FileFormatError if it is too long to be metadata."""
    if isinstance(path, RemotePath):
        return fetched_with_identity(path, FORM)
    with opened(path, FORM) as (fd, identity):
        if identity[2] > MAX_METADATA:
            raise _fail(path, f"has {identity[2]} bytes", f"metadata of at most {MAX_METADATA} bytes is read")
        return fd.some(identity[2], 0), identity


def check_metadata(file: str, identity: Identity) -> None:
    """Raise FileFormatError if the identity of a metadata file has changed."""
    if not isinstance(file, RemotePath):
        identity_at(file, FORM, identity)
    elif fetched_with_identity(file, FORM)[1] != identity:
        raise _fail(file, "has changed since it was opened", "open it again")


def read_metadata(folder: str) -> ArrayMetadata | None:
    """Return the metadata of the array in a folder; None for a group, or a folder without metadata.

    Raises FileFormatError for metadata that are damaged or use features that weft does not support.
    """
    for name, version, parse in (("zarr.json", 3, _version3), (".zarray", 2, _version2)):
        file = joined(folder, name)
        try:
            found, identity = read_json(file)
        except MissingFileError:
            continue
        if found.get("zarr_format") != version:
            fact = f"has zarr_format {found.get('zarr_format')!r:.40}"
            raise _fail(file, fact, f"version {version} is wanted in {name}")
        if version == 3 and found.get("node_type") != "array":
            return None
        try:
            return parse(folder, file, found, identity)
        except FileFormatError:
            raise
        except (DamagedChunk, KeyError, TypeError, OverflowError, ValueError) as e:
            fact = f"has no {e.args[0]!r:.60}" if isinstance(e, KeyError) else f"cannot be read: {e!s:.200}"
            raise _fail(file, fact) from e
    return None


def consolidated_names(folder: str) -> list[str] | None:
    """Return the sorted names of all arrays below a group from its consolidated metadata; None without these.

    Raises FileFormatError if the metadata are damaged.
    """
    for name, key in ((".zmetadata", "metadata"), ("zarr.json", "consolidated_metadata")):
        try:
            found, _ = read_json(joined(folder, name))
        except MissingFileError:
            continue
        listed = found.get(key)
        if name == "zarr.json":
            listed = listed.get("metadata") if isinstance(listed, dict) else None
        if isinstance(listed, dict):
            return sorted(_array_names(listed))
    return None


def _array_names(listed: Mapping[str, Any]) -> list[str]:
    """Return the names of arrays in consolidated metadata: of nodes (version 3) or metadata files (version 2)."""
    nodes = [name for name, node in listed.items() if isinstance(node, dict) and node.get("node_type") == "array"]
    return [*nodes, *[name.removesuffix("/.zarray") for name in listed if name.endswith("/.zarray")]]


def _sizes(file: str, found: object, what: str, ndim: int) -> tuple[int, ...]:
    """Return a list from the metadata as a tuple; raises FileFormatError unless it is `ndim` positive sizes.

    `what` names the list in messages.
    """
    good = isinstance(found, list) and len(found) == ndim and all(type(n) is int and n > 0 for n in found)
    if not isinstance(found, list) or not good:
        raise _fail(file, f"has {what} {found!r:.80}, wanted are {ndim} sizes above 0")
    return tuple(found)


def _common(file: str, shape: object, chunks: object, what: str, dtype: DType) -> tuple[Any, Any]:
    """Return (shape, shape of a chunk) of an array; raises FileFormatError if either is no valid shape.

    `what` names the chunks in messages.
    """
    shape = checked_shape(FORM, file, tuple(shape) if isinstance(shape, list) else shape, dtype.itemsize)
    sizes = _sizes(file, chunks, what, len(shape))
    checked_shape(FORM, file, sizes, dtype.itemsize)
    return shape, sizes


# ---- version 3


def _version3(folder: str, file: str, found: dict[str, Any], identity: Identity) -> ArrayMetadata:
    """Return the metadata in an object of version 3.

    Raises FileFormatError if it is damaged or unsupported, KeyError for a missing field.
    """
    name = found["data_type"]
    if isinstance(name, dict) and not name.get("configuration"):
        name = name.get("name")
    if not isinstance(name, str) or name not in dt.BY_NAME:
        fact, advice = f"has data_type {found['data_type']!r:.80}", f"read are {', '.join(dt.BY_NAME)}"
        raise failure(FORM, file, fact, advice, UnsupportedTypeError)
    dtype = dt.named(name)
    if found.get("storage_transformers"):
        raise _fail(file, f"has storage_transformers {found['storage_transformers']!r:.80}", "none is known")
    for extra in set(found) - V3_KEYS:
        if not (isinstance(found[extra], dict) and found[extra].get("must_understand") is False):
            raise _fail(file, f"has the unknown key {extra!r:.40}", "it must be understood, and is not")
    grid, parameters = _named(file, found["chunk_grid"], "chunk_grid")
    if grid != "regular":
        raise _fail(file, f"has the chunk_grid {grid!r:.40}", "regular ones are read; write it again with one")
    shape, chunks = _common(file, found["shape"], parameters.get("chunk_shape"), "chunk_shape", dtype)
    chain = _chain(file, found["codecs"], chunks, dtype)
    fill = _fill(file, found["fill_value"], dtype)
    name3 = _key3(file, found.get("chunk_key_encoding", {"name": "default"}))
    return ArrayMetadata(folder, 3, dtype, shape, chunks, chain, fill, *name3, file, identity)


V3_KEYS = {
    "zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs",
    "attributes", "storage_transformers", "dimension_names", "consolidated_metadata",
}  # fmt: skip


def _named(file: str, found: object, what: str) -> tuple[str, Mapping[str, Any]]:
    """Return (name, parameters) of an extension point `what`, which is a name or an object.

    Raises FileFormatError for anything else.
    """
    if isinstance(found, str):
        return found, {}
    if isinstance(found, dict) and isinstance(found.get("name"), str):
        parameters = found.get("configuration") or {}
        if isinstance(parameters, dict):
            return found["name"], parameters
    raise _fail(file, f"has {what} {found!r:.80}, wanted is a name with its configuration")


def _key3(file: str, found: object) -> tuple[tuple[str, ...], str]:
    """Return (prefix, separator) of the names of chunks' files; raises FileFormatError for unknown encodings."""
    name, parameters = _named(file, found, "chunk_key_encoding")
    separator = parameters.get("separator", {"default": "/", "v2": "."}.get(name))
    if name not in ("default", "v2") or separator not in ("/", "."):
        raise _fail(file, f"has chunk_key_encoding {found!r:.80}", "default and v2 with / or . are read")
    return ("c",) if name == "default" else (), separator


def _chain(file: str, found: object, chunk: tuple[int, ...], dtype: DType, depth: int = 0) -> Chain:
    """Return the encoding that a list of codecs describes, for blocks of shape `chunk`.

    Raises FileFormatError for unknown codecs, or codecs in a wrong order.
    """
    if not isinstance(found, list) or not 0 < len(found) <= MAX_STAGES or depth > 3:
        raise _fail(file, f"has codecs {found!r:.80}, wanted is a list of 1 to {MAX_STAGES}, shards 3 deep at most")
    axes, stages, middle = tuple(range(len(chunk))), [], None
    filtered = False
    for codec in found:
        name, parameters = _named(file, codec, "a codec")
        name = name.removeprefix("numcodecs.") if name.startswith("numcodecs.") else name
        if name == "transpose" and middle is None and not filtered:
            order = parameters.get("order")
            if not isinstance(order, list) or sorted(order) != list(range(len(chunk))):
                raise _fail(file, f"transposes by {order!r:.80}, wanted is an order of {len(chunk)} axes")
            axes = tuple([axes[k] for k in order])
        elif name in ("bytes", "sharding_indexed") and middle is None:
            middle = name, parameters
        elif name in DECODERS and (middle is None) == (name in ON_ARRAYS):
            filtered = filtered or middle is None
            stages.append(_decoder(file, name, parameters))
        elif name in DECODERS or name in ("transpose", "bytes", "sharding_indexed"):
            raise _fail(file, f"has the codec {name!r} out of place in {[c for c, _ in _names(file, found)]}")
        else:
            raise _fail(file, f"has the codec {name!r:.60}", f"known are bytes, transpose, {', '.join(DECODERS)}")
    if middle is None:
        raise _fail(file, f"has no codec that makes bytes among {[c for c, _ in _names(file, found)]}")
    if middle[0] == "bytes":
        big = _endian(file, middle[1], dtype)
        if filtered and big:
            raise _fail(file, "has filters before big-endian bytes", "filters of little-endian cells are read")
        return Chain(axes, big, tuple(stages))
    if filtered or axes != tuple(range(len(chunk))):
        raise _fail(file, "has a codec before sharding_indexed", "transpose and filter inside the shards instead")
    return Chain(axes, False, tuple(stages), _shard(file, middle[1], chunk, dtype, depth))


def _names(file: str, found: list[object]) -> list[tuple[str, Mapping[str, Any]]]:
    return [_named(file, codec, "a codec") for codec in found]


def _decoder(file: str, name: str, parameters: Mapping[str, Any]) -> Decoder:
    try:
        return replace(DECODERS[name](parameters), parameters=parameters)
    except DamagedChunk as e:
        raise _fail(file, str(e), "write it again without") from e


def _endian(file: str, parameters: Mapping[str, Any], dtype: DType) -> bool:
    """True if the codec "bytes" stores cells big-endian; raises FileFormatError for other values."""
    endian = parameters.get("endian", "little" if dtype.itemsize == 1 else None)
    if endian not in ("little", "big"):
        raise _fail(file, f"has bytes of endian {endian!r:.40}, wanted is little or big")
    return endian == "big" and dtype.itemsize > 1


def _shard(file: str, parameters: Mapping[str, Any], chunk: tuple[int, ...], dtype: DType, depth: int) -> Shard:
    """Return the division of shards of shape `chunk` that a codec's parameters describe.

    Raises FileFormatError if they are damaged or unsupported.
    """
    inner = _sizes(file, parameters.get("chunk_shape"), "shards of chunk_shape", len(chunk))
    if any(n % m for n, m in zip(chunk, inner, strict=True)):
        raise _fail(file, f"has shards of {chunk} in chunks of {inner}, wanted is a divisor")
    grid = tuple([n // m for n, m in zip(chunk, inner, strict=True)])
    location = parameters.get("index_location", "end")
    if location not in ("start", "end"):
        raise _fail(file, f"has the index of shards at {location!r:.40}, wanted is start or end")
    index = _chain(file, parameters["index_codecs"], (*grid, 2), dt.uint64, depth + 1)
    if index.shard is not None or any(stage.added is None for stage in index.stages):
        raise _fail(file, "has an index of shards of no fixed size", "bytes and checksums are read")
    return Shard(inner, _chain(file, parameters["codecs"], inner, dtype, depth + 1), index, location == "start", grid)


# ---- version 2


def _version2(folder: str, file: str, found: dict[str, Any], identity: Identity) -> ArrayMetadata:
    """Return the metadata in an object of version 2.

    Raises FileFormatError if it is damaged or unsupported, KeyError for a missing field.
    """
    dtype, big = _dtype2(file, found["dtype"])
    shape, chunks = _common(file, found["shape"], found["chunks"], "chunks", dtype)
    order, separator = found.get("order", "C"), found.get("dimension_separator", ".")
    if order not in ("C", "F") or separator not in (".", "/"):
        raise _fail(file, f"has order {order!r:.20} and dimension_separator {separator!r:.20}")
    configurations = [*(found.get("filters") or ()), *([found["compressor"]] if found.get("compressor") else ())]
    if len(configurations) > MAX_STAGES:
        raise _fail(file, f"has {len(configurations)} codecs, at most {MAX_STAGES} are read")
    stages = []
    for c in configurations:
        if not isinstance(c, dict) or c.get("id") not in DECODERS:
            name = c.get("id") if isinstance(c, dict) else c
            raise _fail(file, f"has the codec {name!r:.60}", f"known are {', '.join(DECODERS)}")
        stages.append(_decoder(file, c["id"], {k: v for k, v in c.items() if k != "id"}))
    axes = tuple(range(len(shape)))
    chain = Chain(axes if order == "C" else axes[::-1], big, tuple(stages))
    fill = _fill(file, 0 if found.get("fill_value") is None else found["fill_value"], dtype)
    return ArrayMetadata(folder, 2, dtype, shape, chunks, chain, fill, (), separator, file, identity)


def _dtype2(file: str, found: object) -> tuple[DType, bool]:
    """Return (dtype, True if big-endian) of a version 2 dtype text.

    Raises UnsupportedTypeError for dtypes that weft lacks.
    """
    if isinstance(found, str) and found in dt.BY_NAME and dt.named(found).extended:
        return dt.named(found), False
    try:
        if not isinstance(found, str) or not V2_DTYPE.fullmatch(found):
            raise TypeError(found)
        plain = np.dtype(found)
        return dt.from_numpy(plain)[0], found[0] == ">" and plain.itemsize > 1
    except (TypeError, DTypeError) as e:
        advice = "weft reads bool, integers, floats to 64 bits and complex numbers of those"
        raise failure(FORM, file, f"has dtype {found!r:.60}", advice, UnsupportedTypeError) from e


# ---- fill values


def _fill(file: str, found: object, dtype: DType) -> NDArray[Any]:
    """Return an array of one cell with the fill value; raises FileFormatError if the dtype cannot hold it."""
    cell = np.zeros((), dtype.np)
    try:
        if dtype.kind == "complex" and isinstance(found, list) and len(found) == 2:
            parts = cell.reshape(1).view(dtype.real.np)
            parts[:] = [_fill(file, part, dtype.real)[()] for part in found]
        elif isinstance(found, str) and dtype.is_inexact and HEX.fullmatch(found):
            bits = int(found, 16).to_bytes(dtype.itemsize, "little")
            cell = np.frombuffer(bits, np.dtype(dtype.np).newbyteorder("<")).reshape(()).astype(dtype.np)
        elif isinstance(found, str) and dtype.is_inexact:
            cell[...] = WORDS[found]
        elif dtype.kind == "bool" and (type(found) is bool or found in (0, 1)):
            cell[...] = bool(found)
        elif dtype.is_integer and type(found) is float and found.is_integer():
            cell[...] = int(found)
        elif type(found) in (int, float) and (dtype.is_inexact or (dtype.is_integer and type(found) is int)):
            with np.errstate(over="ignore"):
                cell[...] = found
        else:
            raise TypeError(found)
    except (TypeError, KeyError, OverflowError, ValueError) as e:
        raise _fail(file, f"has fill_value {found!r:.60}, which is no {dtype.name}") from e
    return cell
