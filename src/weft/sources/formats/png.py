"""Pictures written as PNG files, with no library but zlib.

The one idea: a PNG is a signature and three chunks.  A row is stored as its difference from the pixels to the left,
above, or both; each row uses the filter that leaves the smallest differences.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.errors import DTypeError, ShapeError
from weft.sources.write.held_sinks import held_sinks
from weft.sources.write.sink import Field, Sink, Writer, new_file

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}  # channels → the format's number: grey, grey and alpha, RGB, RGBA
DEPTHS = {dt.bool: 1, dt.uint8: 8, dt.uint16: 16}
MOST = 2**31 - 1  # pixels along an axis


def open_png(path: str, fields: Mapping[str, Field]) -> Mapping[str, Sink]:
    """Create a PNG file of shape (height, width) or (height, width, 1 to 4 channels); return its sink.

    Raises DTypeError unless cells are bool, uint8 or uint16, ShapeError for other shapes.
    """
    f = fields[""]
    if f.dtype not in DEPTHS:
        advice = "scale it and convert it, as in weft.astype(weft.round(x * 255), weft.uint8)"
        raise DTypeError(f"save: {path}: {f.dtype.name} cells; a PNG has bool, uint8 and uint16; {advice}")
    channels = f.shape[2] if len(f.shape) == 3 else 1
    if len(f.shape) not in (2, 3) or channels not in COLOURS or not all(0 < n <= MOST for n in f.shape):
        fact = f"shape {f.shape}; a PNG is (height, width) or (height, width, 1 to 4 channels)"
        raise ShapeError(f"save: {path}: {fact}; reshape or permute it")
    if f.dtype is dt.bool and channels > 1:
        raise DTypeError(f"save: {path}: bool with {channels} channels; a PNG has one; convert it to uint8")
    return held_sinks(fields, lambda values: new_file(path, png(values[""])))


def png(pixels: NDArray[Any]) -> bytes:
    """Return the bytes of a PNG file with the pixels (height, width) or (height, width, 1 to 4 channels).

    Pixels are uint8 or uint16, of one channel also bool.

    >>> len(png(np.zeros((2, 3), np.uint8)))
    68
    """
    height, width, channels = (*pixels.shape, 1)[:3]
    depth = 1 if pixels.dtype == bool else 8 * pixels.itemsize
    header = struct.pack(">IIBBBBB", width, height, depth, COLOURS[channels], 0, 0, 0)
    rows = np.packbits(pixels.reshape(height, width), axis=1) if depth == 1 else pixels.astype(f">u{depth // 8}")
    lines = np.ascontiguousarray(rows).view(np.uint8).reshape(height, -1)
    data = zlib.compress(_filtered(lines, max(1, channels * depth // 8)).tobytes(), 6)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _filtered(lines: NDArray[np.uint8], pixel: int) -> NDArray[np.uint8]:
    """Return each line of bytes with the filter that fits it best, after the filter's number.

    The filters are none, left, above, mean of both, and Paeth's choice; `pixel` is the bytes of a pixel.
    """
    done = np.empty((len(lines), lines.shape[1] + 1), np.uint8)
    above = np.zeros(lines.shape[1], np.uint8)
    step = max(1, (1 << 18) // max(lines.shape[1], 1))
    for first in range(0, len(lines), step):
        part = lines[first : first + step]
        up = np.vstack([above[None], part[:-1]])
        left, corner = np.zeros_like(part), np.zeros_like(part)
        left[:, pixel:], corner[:, pixel:] = part[:, :-pixel], up[:, :-pixel]
        mean = ((left.astype(np.uint16) + up) // 2).astype(np.uint8)
        found = np.stack([part, part - left, part - up, part - mean, part - _paeth(left, up, corner)])
        best = np.abs(found.view(np.int8).astype(np.int16)).sum(2, dtype=np.int64).argmin(0)
        done[first : first + step, 0] = best
        done[first : first + step, 1:] = found[best, np.arange(len(part))]
        above = part[-1]
    return done


def _paeth(left: NDArray[np.uint8], up: NDArray[np.uint8], corner: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return, for each byte, the neighbour closest to left + up - corner."""
    a, b, c = (x.astype(np.int16) for x in (left, up, corner))
    to_a, to_b, to_c = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    return np.where((to_a <= to_b) & (to_a <= to_c), left, np.where(to_b <= to_c, up, corner))


WRITERS = {".png": Writer(open_png)}
