"""Encoding by the metadata of a Zarr array, so that new chunks are encoded like the others.

The one idea: of the supported codecs, those from bytes to bytes that need only their parameters can also be written;
any other codec is refused by name before a chunk is changed.
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.sources.zarr.codecs import crc32c, numcodecs
from weft.sources.zarr.metadata import ArrayMetadata, codecs2, read_json
from weft.sources.zarr.write_options import refuse

Bytes = NDArray[np.uint8] | bytes
Stage = Callable[[Bytes], bytes]
SHUFFLES = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}
INDEX = [["bytes", {"endian": "little"}], ["crc32c", {}]]


def _gzip(parameters: Mapping[str, Any], itemsize: int) -> Stage:
    def encode(data: Bytes) -> bytes:
        stream = zlib.compressobj(parameters.get("level", 5), zlib.DEFLATED, 31)
        return stream.compress(data) + stream.flush()

    return encode


def _zstd(parameters: Mapping[str, Any], itemsize: int) -> Stage:
    level, checked = parameters.get("level", 0), {"checksum": True} if parameters.get("checksum") else {}
    return lambda data: bytes(numcodecs("zstd").compress(data, level, **checked))


def _blosc(parameters: Mapping[str, Any], itemsize: int) -> Stage:
    shuffle = parameters.get("shuffle", 1)
    codec = numcodecs("blosc").Blosc(
        parameters.get("cname", "lz4"),
        parameters.get("clevel", 5),
        SHUFFLES.get(shuffle, shuffle),
        parameters.get("blocksize", 0),
        typesize=parameters.get("typesize", itemsize),
    )
    return lambda data: bytes(codec.encode(data))


STAGES: dict[str, Callable[[Mapping[str, Any], int], Stage]] = {
    "blosc": _blosc,
    "bz2": lambda p, i: lambda data: bz2.compress(data, p.get("level", 1)),
    "crc32c": lambda p, i: lambda data: bytes(data) + crc32c(data).to_bytes(4, "little"),
    "gzip": _gzip,
    "zlib": lambda p, i: lambda data: zlib.compress(data, p.get("level", 1)),
    "zstd": _zstd,
}


def recorded_encode(metadata: ArrayMetadata) -> Callable[[NDArray[np.uint8]], Any]:
    """Return a function that encodes a block's bytes according to the metadata of an array.

    Raises ValueRangeError for codecs that cannot be written, FileFormatError if the metadata file is damaged.
    """
    stages = [_stage(metadata, name, parameters) for name, parameters in _codecs(metadata)]

    def encode(data: NDArray[np.uint8]) -> Any:
        found: Any = data
        for stage in stages:
            found = stage(found)
        return memoryview(found)

    return encode


def _stage(metadata: ArrayMetadata, name: str, parameters: Mapping[str, Any]) -> Stage:
    if name not in STAGES:
        fact = f"the array is encoded by {name}, which is read and not written"
        raise refuse(metadata.path, fact, f"written are {', '.join(STAGES)}; save a new array")
    return STAGES[name](parameters, metadata.dtype.itemsize)


def _codecs(metadata: ArrayMetadata) -> list[tuple[str, Mapping[str, Any]]]:
    """Return (name, parameters) of the codecs from bytes to bytes; for shards, those of the inner blocks.

    Raises ValueRangeError for codecs that cannot be written, FileFormatError if the metadata file is damaged.
    """
    found, _ = read_json(metadata.file)
    if metadata.version == 2:
        return [(c["id"], c) for c in codecs2(found)]
    codecs = _named(found["codecs"])
    if metadata.chain.shard is not None:
        shard = dict(codecs)["sharding_indexed"]
        inner = _named(shard["codecs"])
        index = [[name, dict(parameters)] for name, parameters in _named(shard["index_codecs"])]
        if len(codecs) > 1 or index != INDEX or metadata.chain.shard.at_start or "sharding_indexed" in dict(inner):
            fact = "the array has shards in shards, or with an index that is not at their end or without crc32c"
            raise refuse(metadata.path, fact, "they are read and not written; save a new array")
        codecs = inner
    return [(name, parameters) for name, parameters in codecs if name not in ("bytes", "transpose")]


def _named(codecs: list[Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return (name, parameters) of codecs of version 3, which are names or objects; without "numcodecs."."""
    pairs = [(c, {}) if isinstance(c, str) else (c["name"], c.get("configuration") or {}) for c in codecs]
    return [(name.removeprefix("numcodecs."), parameters) for name, parameters in pairs]
