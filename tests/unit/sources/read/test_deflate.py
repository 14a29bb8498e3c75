"""Deflated bytes: the same values and the same refusals by ISA-L and by zlib."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from isal import isal_zlib

from weft.runtime.fork_safety import late_import
from weft.sources.read.deflate import deflate_library
from weft.sources.zarr.codecs import DECODERS, DamagedChunk

CELLS = np.arange(100_000, dtype=np.uint32).tobytes()
WINDOWS = {"zlib": 15, "gzip": 31}


@pytest.fixture(params=["isal", "zlib"])
def _library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "zlib":
        monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)  # as if it were not installed
    for known in (deflate_library, late_import):
        known.cache_clear()
    assert deflate_library() is (zlib if request.param == "zlib" else isal_zlib)
    yield
    deflate_library.cache_clear()


def packed(codec: str) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, WINDOWS[codec])
    return stream.compress(CELLS) + stream.flush()


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize("codec", WINDOWS)
def test_bytes_come_back(codec: str) -> None:
    decoder, target = DECODERS[codec]({}), np.empty(len(CELLS), np.uint8)
    assert bytes(decoder.decode(packed(codec), len(CELLS), len(CELLS), None)) == CELLS
    assert bytes(decoder.decode(packed(codec) + b"more", len(CELLS), len(CELLS), target)) == CELLS


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize("codec", WINDOWS)
def test_damaged_bytes_are_refused(codec: str) -> None:
    decode, whole = DECODERS[codec]({}).decode, packed(codec)
    half = len(whole) // 2
    wrong = [whole[:-2], whole[:half], b"", b"\0" + whole[1:], whole[:half] + b"\x55\xaa" + whole[half + 2 :]]
    wrong.append(
        whole[:-6] + bytes([whole[-6] ^ 1]) + whole[-5:] if codec == "gzip" else whole[:-1] + b"\0"
    )  # checksum
    for data in wrong:
        with pytest.raises((DamagedChunk, deflate_library().error)):
            decode(data, len(CELLS), len(CELLS), None)
    with pytest.raises(DamagedChunk, match="holds more than"):
        decode(whole, len(CELLS) - 1, len(CELLS) - 1, None)
