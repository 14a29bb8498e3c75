"""Streams of the standard library, decoded in pieces into memory of the wanted size."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable

import numpy as np
import pytest

from weft.sources.zarr.codecs import DECODERS, DamagedChunk, decoded

CELLS = np.random.default_rng(0).integers(0, 9, 300_000).astype(np.uint8)
ENCODERS = {"gzip": gzip.compress, "zlib": zlib.compress, "bz2": bz2.compress, "lzma": lzma.compress}


@pytest.mark.parametrize(("name", "encode"), ENCODERS.items())
def test_streams_into_memory(name: str, encode: Callable[[bytes], bytes]) -> None:
    stages, data = (DECODERS[name]({}),), encode(CELLS.tobytes())
    target = np.empty_like(CELLS)
    assert decoded(stages, data, CELLS.size, 0, target) is target
    np.testing.assert_array_equal(target, CELLS)
    np.testing.assert_array_equal(np.frombuffer(decoded(stages, data, CELLS.size), np.uint8), CELLS)


@pytest.mark.parametrize(("name", "encode"), ENCODERS.items())
def test_streams_of_another_size_or_damaged(name: str, encode: Callable[[bytes], bytes]) -> None:
    stages, data = (DECODERS[name]({}),), encode(CELLS.tobytes())

    def refused(data: bytes, size: int) -> str:
        with pytest.raises(DamagedChunk) as caught:
            decoded(stages, data, size, 0, np.empty(size, np.uint8))
        with pytest.raises(DamagedChunk) as whole:
            decoded(stages, data, size)
        assert str(caught.value) == str(whole.value)
        return str(caught.value)

    assert refused(data, 299_999) == f"{name} holds more than 299999 bytes"
    assert refused(data, 300_001) == f"{name} gave 300000 bytes, wanted are 300001"
    assert f"{name} ends after " in refused(data[:-9], 300_000)
    assert f"{name} ends after 0 bytes, wanted are 7" in refused(b"", 7)
    assert f"{name} cannot decode" in refused(b"\xff" * 100, 300_000)
