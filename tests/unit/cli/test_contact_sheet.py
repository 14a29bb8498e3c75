"""The sheet on which the demonstration shows its class means."""

from __future__ import annotations

import numpy as np

from weft.cli.demo import contact_sheet


def test_contact_sheet() -> None:
    pictures = np.stack([np.full((2, 2), k / 2) for k in range(3)])
    sheet = contact_sheet(pictures, columns=2, scale=3, margin=1)
    assert sheet.shape == (2 * 7 + 1, 2 * 7 + 1)
    assert (sheet[1, 1], sheet[1, 8], sheet[8, 1], sheet[0, 0], sheet[8, 8]) == (255, 128, 0, 255, 255)
