"""A median filter and block maxima over a file: functions of NumPy arrays, called for the blocks that are needed.

The one idea: a function of blocks is declared by what each cell needs, and the result is a lazy tensor; a window of it
reads a window of the file, and saving it goes tile by tile.  Run `python examples/blocks.py`.
"""

# ruff: noqa: T201  (what is found is printed)

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import weft


def median(block: np.ndarray) -> np.ndarray:
    """Return the median of the 3 x 3 cells around each cell, of those that have them."""
    return np.median(sliding_window_view(block, (3, 3)), axis=(-2, -1))


def summary(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the greatest value of every 8 x 8 cells, and how many of them are above 1."""
    squares = block.reshape(block.shape[0] // 8, 8, block.shape[1] // 8, 8)
    return squares.max(axis=(1, 3)), (squares > 1).sum(axis=(1, 3))


def main(folder: Path, size: int = 512) -> tuple[weft.Tensor, weft.Tensor, weft.Tensor]:
    """Filter a noisy picture in a file, save it, and print what is found."""
    noise = np.random.default_rng(7).standard_normal((size, size))
    np.save(folder / "noise.npy", noise)

    picture = weft.pad(weft.open(folder / "noise.npy"), 1, mode="reflect")
    smooth = weft.map_blocks(median, picture, windows=1, check=True)
    print(f"a window reads {weft.explain(smooth[100:110, 100:110]).sources[0].bytes} of {noise.nbytes} bytes")
    weft.save(folder / "smooth.npy", smooth, memory="2MiB")

    eighths = weft.Projection([[8, 0], [0, 8]], shape=(8, 8))
    greatest, above = weft.map_blocks(
        summary, weft.open(folder / "smooth.npy"), windows=eighths, index=(size // 8, size // 8)
    )
    weft.compute(greatest, above)
    print(f"greatest {greatest.max().item():.3f}, {above.sum().item()} cells above 1")
    return smooth, greatest, above


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
