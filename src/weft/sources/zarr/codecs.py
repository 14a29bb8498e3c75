"""Decoding of Zarr chunks: checksums here, compressors and filters through numcodecs, ISA-L or the standard library.

The one idea: the decoded size of a chunk is known beforehand, so no decoder trusts a size in the encoded bytes: a
header's size is compared with the expected one, and nothing larger is allocated.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.runtime.fork_safety import importing, late_import
from weft.sources.read.deflate import deflate_library

Bytes = bytes | bytearray | memoryview | NDArray[np.uint8]
Target = NDArray[np.uint8] | None
PIECE = 1 << 16  # encoded bytes that a stream decodes at a time, so that the results stay in the cache
SPARE = 4096  # bytes that an inner stage may add to a chunk, beside FACTOR
FACTOR = 16  # most times by which an inner stage may lengthen a chunk (a filter from int8 to complex128)
PLAIN = re.compile(r"[<>|=]?[?biufc]\d{0,2}|bool|u?int\d{1,2}|float\d{2}|complex\d{2,3}")


class DamagedChunk(ValueError):
    """Raised for wrong bytes of a chunk; the reader converts it to a FileFormatError with the file's name."""

    def __init__(self, fact: str, advice: str = "the chunk is truncated or damaged; write it again") -> None:
        super().__init__(fact)
        self.advice = advice


@dataclass(frozen=True, slots=True)
class Decoder:
    """One stage of a codec chain: `decode(bytes, size, limit, target)` returns the bytes before encoding.

    They must be `size` bytes (None: only a later stage knows the number), and at most `limit`, else DamagedChunk is
    raised. They are in `target`, memory of `size` bytes, if that is given and the stage can write there.  `added` is
    the number of bytes that encoding adds, None if that depends on the values; `parameters` are those of the codec.
    """

    name: str
    decode: Callable[[Bytes, int | None, int, Target], Bytes]
    added: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def decoded(stages: tuple[Decoder, ...], data: Bytes, size: int | None, most: int = 0, target: Target = None) -> Bytes:
    """Return the bytes of `data` before encoding, which must be `size` bytes (None: at most `most`).

    The stages are in the order of encoding. `target` may be memory of `size` bytes, which receives the bytes if the
    last stage can write there. Raises DamagedChunk for other sizes, and for bytes that a stage cannot decode.
    """
    sizes: list[int | None] = [size]
    for stage in stages[:-1]:
        before = sizes[-1]
        sizes.append(None if before is None or stage.added is None else before + stage.added)
    for stage, wanted in zip(reversed(stages), reversed(sizes), strict=True):
        limit = wanted if wanted is not None else FACTOR * (size or most) + SPARE
        try:
            data = stage.decode(data, wanted, limit, target if stage is stages[0] else None)
        except DamagedChunk:
            raise
        except Exception as e:  # libraries raise errors of many kinds for damaged bytes
            raise DamagedChunk(f"{stage.name} cannot decode {len(data)} bytes: {type(e).__name__}: {e!s:.120}") from e
        if wanted is not None and len(data) != wanted:
            raise DamagedChunk(f"{stage.name} gave {len(data)} bytes, wanted are {wanted}")
    if size is not None and len(data) != size:
        raise DamagedChunk(f"{len(data)} bytes, wanted are {size}")
    return data


# ---- checksums


@cache
def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return tuple(table)


def crc32c(data: Bytes) -> int:
    """Return the CRC-32C (Castagnoli) checksum of bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    try:
        return int(late_import("google_crc32c").value(np.asarray(memoryview(data))))  # without a copy
    except ImportError:
        return _crc32c(data)


def _crc32c(data: Bytes) -> int:
    table, crc = _crc_table(), 0xFFFFFFFF
    for byte in bytes(data):
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def verified(name: str, checksum: Callable[[Bytes], int], at_start: bool) -> Decoder:
    """Return a stage that verifies and removes a little-endian checksum of four bytes.

    The checksum lies at the start of the bytes if `at_start`, else at the end. The stage raises DamagedChunk, with
    `name`, if it is wrong.
    """

    def decode(data: Bytes, size: int | None, limit: int, target: Target) -> Bytes:
        view = memoryview(data)
        if len(view) < 4:
            raise DamagedChunk(f"{name} takes 4 bytes, found {len(view)}")
        rest, told = (view[4:], view[:4]) if at_start else (view[:-4], view[-4:])
        wanted, found = int.from_bytes(told, "little"), checksum(rest)
        if wanted != found:
            raise DamagedChunk(f"{name} is {found:08x} of {len(rest)} bytes, wanted is {wanted:08x}")
        return rest

    return Decoder(name, decode, 4)


# ---- compressors


def _refuse(name: str, claimed: int, size: int | None, limit: int) -> None:
    """Raise DamagedChunk, with `name`, if a header claims more than `limit` bytes, or other than `size`, if given."""
    if claimed > limit or (size is not None and claimed != size):
        raise DamagedChunk(f"{name} claims {claimed} bytes, wanted are {f'at most {limit}' if size is None else size}")


def _zstd_claim(data: Bytes, size: int | None, limit: int) -> int:
    """Return the decoded size in a zstd frame's header; raises DamagedChunk if it is not `size` or beyond `limit`."""
    claimed = _zstd_size(bytes(memoryview(data)[:18]))
    if claimed is None:
        claimed = size
    if claimed is None:
        raise DamagedChunk("zstd says no size and another stage follows")
    _refuse("zstd", claimed, size, limit)
    return claimed


def _zstd_size(head: bytes) -> int | None:
    """Return the decoded size in a zstd frame's header, None if it has none; raises DamagedChunk for other bytes."""
    if len(head) < 6 or head[:4] != b"\x28\xb5\x2f\xfd":
        raise DamagedChunk(f"zstd begins with {head[:4].hex()}, wanted is 28b52ffd")
    kind, single = head[4] >> 6, head[4] >> 5 & 1
    at = 5 + (1 - single) + (0, 1, 2, 4)[head[4] & 3]
    width = (single, 2, 4, 8)[kind]
    if not width:
        return None
    return int.from_bytes(head[at : at + width], "little") + (256 if width == 2 else 0)


def _blosc_claim(data: Bytes, size: int | None, limit: int) -> int:
    """Return the decoded size in a blosc frame's header; raises DamagedChunk if it is not `size` or beyond `limit`."""
    head = bytes(memoryview(data)[:16])
    if len(head) < 16:
        raise DamagedChunk(f"blosc has a header of 16 bytes, found {len(head)}")
    _refuse("blosc", int.from_bytes(head[4:8], "little"), size, limit)
    stored = int.from_bytes(head[12:16], "little")
    if stored != len(data):
        raise DamagedChunk(f"blosc claims {stored} compressed bytes, found {len(data)}")
    return int.from_bytes(head[4:8], "little")


def _lz4_claim(data: Bytes, size: int | None, limit: int) -> int:
    """Return the decoded size before lz4's bytes; raises DamagedChunk if it is not `size` or beyond `limit`."""
    claimed = int.from_bytes(bytes(memoryview(data)[:4]), "little")
    _refuse("lz4", claimed, size, limit)
    return claimed


def _framed(name: str, claim: Callable[[Bytes, int | None, int], int]) -> Decoder:
    """Return a stage that numcodecs decodes once `claim(bytes, size, limit)` has checked the size in the header.

    The stage raises DamagedChunk for bytes that codec `name` cannot decode.
    """

    def decode(data: Bytes, size: int | None, limit: int, target: Target) -> Bytes:
        claimed = claim(data, size, limit)
        found = np.empty(claimed, np.uint8) if target is None else target
        if claimed:
            numcodecs(name).decompress(data, found)
        return found

    return Decoder(name, decode)


@cache
def numcodecs(name: str) -> Any:
    """Return the module numcodecs.`name` ("": the package); raises DamagedChunk with advice if it is not installed."""
    try:
        with importing():
            return import_module(f"numcodecs.{name}" if name else "numcodecs")
    except ImportError as e:
        raise DamagedChunk(
            f"the codec {name or 'numcodecs'} needs the package numcodecs, which is not installed", "install weft[zarr]"
        ) from e


def _streamed(name: str, start: Callable[[], Any]) -> Decoder:
    """Return a stage that decodes by a stream, made by `start()`, never beyond the limit.

    The stage raises DamagedChunk for bytes that codec `name` cannot decode.
    """

    def decode(data: Bytes, size: int | None, limit: int, target: Target) -> Bytes:
        stream, view, done = start(), memoryview(data), 0
        parts: list[bytes] = []
        for first in range(0, len(view), PIECE):
            out = stream.decompress(view[first : first + PIECE], limit - done + 1)
            if len(out) > limit - done:
                raise DamagedChunk(f"{name} holds more than {limit} bytes")
            if target is None:
                parts.append(out)
            else:
                target[done : done + len(out)] = np.frombuffer(out, np.uint8)
            done += len(out)
            if stream.eof:
                break
        if not stream.eof:
            raise DamagedChunk(f"{name} ends after {done} bytes, wanted are {limit if size is None else size}")
        if target is None:
            return b"".join(parts)
        return target if done == len(target) else target[:done]

    return Decoder(name, decode)


def _lzma(configuration: Mapping[str, Any]) -> Decoder:
    if configuration.get("filters") is not None or configuration.get("format", 1) not in (0, 1, 2):
        raise DamagedChunk(f"lzma of format {configuration.get('format')!r} with filters is not read")
    return _streamed("lzma", lzma.LZMADecompressor)


# ---- filters


def _filter(name: str) -> Callable[[Mapping[str, Any]], Decoder]:
    """Return a function from a filter's configuration to its stage, which numcodecs decodes.

    It raises DamagedChunk for dtypes that are not plain numbers.
    """

    def made(configuration: Mapping[str, Any]) -> Decoder:
        for key, value in configuration.items():
            if key.endswith("dtype") and not (isinstance(value, str) and PLAIN.fullmatch(value)):
                raise DamagedChunk(f"the filter {name} has {key} {value!r:.40}; plain numbers are read")
            if not isinstance(value, (str, int, float, type(None))):
                raise DamagedChunk(f"the filter {name} has {key} {value!r:.40}")
        codec: list[Any] = []

        def decode(data: Bytes, size: int | None, limit: int, target: Target) -> Bytes:
            if not codec:
                codec.append(numcodecs("").get_codec({**configuration, "id": name}))
            out = np.ascontiguousarray(codec[0].decode(np.frombuffer(data, np.uint8)))
            return out.reshape(-1).view(np.uint8)

        kept = name == "shuffle" or (name in ("delta", "quantize") and "astype" not in configuration)
        return Decoder(name, decode, 0 if kept or name == "bitround" else None)

    return made


DecoderFactory = Callable[[Mapping[str, Any]], Decoder]
DECODERS: dict[str, DecoderFactory] = {
    "zstd": lambda c: _framed("zstd", _zstd_claim),
    "blosc": lambda c: _framed("blosc", _blosc_claim),
    "lz4": lambda c: _framed("lz4", _lz4_claim),
    "gzip": lambda c: _streamed("gzip", lambda: deflate_library().decompressobj(31)),
    "zlib": lambda c: _streamed("zlib", lambda: deflate_library().decompressobj(15)),
    "bz2": lambda c: _streamed("bz2", bz2.BZ2Decompressor),
    "lzma": _lzma,
    "crc32c": lambda c: verified("crc32c", crc32c, c.get("location", "end") == "start"),
    "crc32": lambda c: verified("crc32", zlib.crc32, c.get("location", "start") == "start"),
    "adler32": lambda c: verified("adler32", zlib.adler32, c.get("location", "start") == "start"),
    "bitround": lambda c: Decoder("bitround", lambda data, size, limit, target: data, 0),
    **{
        name: _filter(name)
        for name in ("shuffle", "delta", "fixedscaleoffset", "quantize", "astype", "packbits", "fletcher32")
    },
}
ON_ARRAYS = ("delta", "fixedscaleoffset", "quantize", "astype", "packbits", "bitround")  # before bytes, not after


@dataclass(frozen=True, slots=True)
class Chain:
    """The encoding of a block: `axes` from outer to inner as stored, `big` for big-endian cells, then the stages.

    `shard` is set if the block is a shard of smaller blocks.
    """

    axes: tuple[int, ...]
    big: bool
    stages: tuple[Decoder, ...] = ()
    shard: Shard | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """The division of a shard: shape and encoding of its inner blocks, encoding and place of their index."""

    chunk: tuple[int, ...]
    inner: Chain
    index: Chain
    at_start: bool
    grid: tuple[int, ...] = field(default=())  # inner blocks along each axis
