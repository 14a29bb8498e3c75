"""The PNG writer: what it writes is read back by an independent reader that goes pixel by pixel."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.errors import DTypeError, FileFormatError, ShapeError
from weft.sources.formats.png import SIGNATURE


def read(data: bytes) -> tuple[np.ndarray, set[int]]:
    """The pixels of a PNG and the filters of its lines; every checksum is checked."""
    assert data[:8] == SIGNATURE
    at, chunks = 8, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        chunks.append((kind, body))
        at += 12 + length
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert rest == [0, 0, 0]
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    size = -(-width * channels * depth // 8)
    step = max(1, channels * depth // 8)
    lines = np.frombuffer(zlib.decompress(chunks[1][1]), np.uint8).reshape(height, 1 + size)
    above, done = [0] * size, []
    for line in lines.tolist():
        kind, found = line[0], [0] * size
        for i, byte in enumerate(line[1:]):
            a, b, c = (found[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            found[i] = (byte + (0, a, b, (a + b) // 2, paeth)[kind]) % 256
        above = found
        done.append(found)
    raw = np.array(done, np.uint8)
    if depth == 1:
        return np.unpackbits(raw, axis=1)[:, :width].astype(bool), set(lines[:, 0].tolist())
    pixels = raw.view(f">u{depth // 8}").reshape(height, width, channels)
    return (pixels[:, :, 0] if channels == 1 else pixels), set(lines[:, 0].tolist())


@pytest.mark.parametrize("channels", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["bool", "u1", "u2", ">u2"])
def test_round_trip(tmp_path: Path, dtype: str, channels: int | None) -> None:
    shape = (23, 37) if channels is None else (23, 37, channels)
    y, x = np.mgrid[:23, :37]
    smooth = (x * 3 + y * 5)[..., None] + np.arange(channels or 1) * 9
    noise = np.random.default_rng(1).integers(0, 256, smooth.shape)
    pixels = np.where(y[..., None] < 15, smooth, noise).astype(dtype).reshape(shape)
    if dtype == "bool" and (channels or 1) > 1:
        with pytest.raises(DTypeError, match=r"bool with . channels; a PNG has one"):
            weft.save(tmp_path / "a.png", pixels)
        return
    weft.save(tmp_path / "a.png", weft.asarray(pixels))
    found, filters = read((tmp_path / "a.png").read_bytes())
    np.testing.assert_array_equal(found, pixels[:, :, 0] if channels == 1 else pixels)
    assert len(filters) > 1 or dtype == "bool"


def test_lines_wider_than_a_block(tmp_path: Path) -> None:
    pixels = np.arange(300_000 * 3).reshape(3, -1).astype(np.uint8)
    weft.save(tmp_path / "a.png", pixels)
    np.testing.assert_array_equal(read((tmp_path / "a.png").read_bytes())[0], pixels)


def test_a_picture_in_tiles(tmp_path: Path) -> None:
    x = weft.astype(weft.reshape(weft.arange(3_000_000), (1000, 1000, 3)) % 251, weft.uint8)
    weft.save(tmp_path / "a.png", x, memory="4MiB")
    weft.save(tmp_path / "b.png", x)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_what_is_no_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    with pytest.raises(DTypeError, match=r"float64 cells; a PNG has bool, uint8 and uint16; scale it"):
        weft.save(path, np.zeros((2, 3)))
    for shape in [(), (3,), (2, 3, 5), (0, 3), (1, 2, 3, 4)]:
        with pytest.raises(ShapeError, match=r"a PNG is \(height, width\) or \(height, width, 1 to 4 channels\)"):
            weft.save(path, np.zeros(shape, np.uint8))
    with pytest.raises(FileFormatError, match=r".png holds one array; several fit in"):
        weft.save(path, {"a": np.zeros((2, 2), np.uint8)})
    assert not path.exists()
