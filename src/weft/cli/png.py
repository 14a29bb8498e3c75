"""Grey pictures as PNG files, with nothing but zlib.

The one idea: a PNG is a signature and three chunks; rows need no filter for small pictures.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return the bytes of an 8-bit grey picture.

    >>> len(png(np.zeros((2, 3), np.uint8)))
    68
    """
    height, width = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter, 0
    rows[:, 1:] = pixels
    return (
        SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def contact_sheet(pictures: NDArray[Any], columns: int, scale: int, margin: int = 8) -> NDArray[np.uint8]:
    """Place pictures (n, height, width) with values 0..1 side by side, each cell `scale` pixels wide, dark on white."""
    n, height, width = pictures.shape
    rows = -(-n // columns)
    step_y, step_x = height * scale + margin, width * scale + margin
    sheet = np.full((rows * step_y + margin, columns * step_x + margin), 255, np.uint8)
    grey = np.rint(255 * (1 - np.clip(pictures, 0, 1))).astype(np.uint8)
    for i, picture in enumerate(grey):
        y, x = i // columns * step_y + margin, i % columns * step_x + margin
        sheet[y : y + height * scale, x : x + width * scale] = picture.repeat(scale, 0).repeat(scale, 1)
    return sheet
