"""The PNG writer: what it writes is read back by an independent, minimal reader."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from weft.cli.png import SIGNATURE, contact_sheet, png


def read(data: bytes) -> np.ndarray:
    """The pixels of an unfiltered 8-bit grey PNG; every checksum is checked."""
    assert data[:8] == SIGNATURE
    at, chunks = 8, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        chunks.append((kind, body))
        at += 12 + length
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *form = struct.unpack(">IIBBBBB", chunks[0][1])
    assert form == [8, 0, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(chunks[1][1]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:]


def test_round_trip() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (7, 13)).astype(np.uint8)
    np.testing.assert_array_equal(read(png(pixels)), pixels)


def test_contact_sheet() -> None:
    pictures = np.stack([np.full((2, 2), k / 2) for k in range(3)])
    sheet = contact_sheet(pictures, columns=2, scale=3, margin=1)
    assert sheet.shape == (2 * 7 + 1, 2 * 7 + 1)
    assert (sheet[1, 1], sheet[1, 8], sheet[8, 1], sheet[0, 0], sheet[8, 8]) == (255, 128, 0, 255, 255)
