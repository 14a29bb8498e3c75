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
from weft.sources.zarr.metadata import ArrayMetadata
from weft.sources.zarr.write_options import refuse

Bytes = NDArray[np.uint8] | bytes
SHUFFLES = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}
INDEX = [("crc32c", {})]  # the stages of a shard's index that is written: names and parameters


def _gzip(parameters: Mapping[str, Any], itemsize: int, data: Bytes) -> bytes:
    stream = zlib.compressobj(parameters.get("level", 5), zlib.DEFLATED, 31)
    return stream.compress(data) + stream.flush()


def _zstd(parameters: Mapping[str, Any], itemsize: int, data: Bytes) -> bytes:
    checked = {"checksum": True} if parameters.get("checksum") else {}
    return bytes(numcodecs("zstd").compress(data, parameters.get("level", 0), **checked))


def _blosc(parameters: Mapping[str, Any], itemsize: int, data: Bytes) -> bytes:
    shuffle = parameters.get("shuffle", 1)
    codec = numcodecs("blosc").Blosc(
        parameters.get("cname", "lz4"),
        parameters.get("clevel", 5),
        SHUFFLES.get(shuffle, shuffle),
        parameters.get("blocksize", 0),
        typesize=parameters.get("typesize", itemsize),
    )
    return bytes(codec.encode(data))


def _crc32c(parameters: Mapping[str, Any], itemsize: int, data: Bytes) -> bytes:
    parts = [bytes(data), crc32c(data).to_bytes(4, "little")]
    return b"".join(parts[::-1] if parameters.get("location") == "start" else parts)


STAGES: dict[str, Callable[[Mapping[str, Any], int, Bytes], bytes]] = {
    "blosc": _blosc,
    "bz2": lambda parameters, itemsize, data: bz2.compress(data, parameters.get("level", 1)),
    "crc32c": _crc32c,
    "gzip": _gzip,
    "zlib": lambda parameters, itemsize, data: zlib.compress(data, parameters.get("level", 1)),
    "zstd": _zstd,
}


def recorded_encode(metadata: ArrayMetadata) -> Callable[[NDArray[np.uint8]], Any]:
    """Return a function that encodes a block's bytes according to the metadata of an array.

    For an array in shards, these are the bytes of an inner block.  Raises ValueRangeError for codecs that cannot be
    written.
    """
    chain, shard = metadata.chain, metadata.chain.shard
    if shard is not None:
        index = shard.index
        plain = not index.big and index.axes == tuple(range(len(index.axes)))
        summed = [(s.name, s.parameters) for s in index.stages] == INDEX
        if chain.stages or shard.at_start or shard.inner.shard is not None or not (plain and summed):
            fact = "the array has shards in shards, or with an index that is not at their end or without crc32c"
            raise refuse(metadata.path, fact, "they are read and not written; save a new array")
        chain = shard.inner
    for stage in chain.stages:
        if stage.name not in STAGES:
            fact = f"the array is encoded by {stage.name}, which is read and not written"
            raise refuse(metadata.path, fact, f"written are {', '.join(STAGES)}; save a new array")

    def encode(data: NDArray[np.uint8]) -> Any:
        found: Any = data
        for stage in chain.stages:
            found = STAGES[stage.name](stage.parameters, metadata.dtype.itemsize, found)
        return memoryview(found)

    return encode
