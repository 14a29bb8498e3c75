"""Pictures beside each other on one sheet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def contact_sheet(pictures: NDArray[Any], columns: int, scale: int, margin: int = 8) -> NDArray[np.uint8]:
    """Return one picture (height, width) of many, placed in rows of `columns`, dark on white.

    `pictures` are (n, height, width) with values 0 to 1; each cell becomes `scale` × `scale` pixels.
    """
    n, height, width = pictures.shape
    rows = -(-n // columns)
    step_y, step_x = height * scale + margin, width * scale + margin
    sheet = np.full((rows * step_y + margin, columns * step_x + margin), 255, np.uint8)
    grey = np.rint(255 * (1 - np.clip(pictures, 0, 1))).astype(np.uint8)
    for i, picture in enumerate(grey):
        y, x = i // columns * step_y + margin, i % columns * step_x + margin
        sheet[y : y + height * scale, x : x + width * scale] = picture.repeat(scale, 0).repeat(scale, 1)
    return sheet
