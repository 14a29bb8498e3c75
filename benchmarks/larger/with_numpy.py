"""The programs in NumPy over mapped files: what the results have to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

xp = np


def set_up(threads: int, limit: str) -> None:
    """NumPy has neither setting."""


def opened(paths: list[Path]) -> np.ndarray:
    """The array of the .npy files, joined along axis 0."""
    parts = [np.load(path, mmap_mode="r") for path in paths]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def values(xs: tuple[Any, ...]) -> list[np.ndarray]:
    """The values are there already."""
    return [np.asarray(x) for x in xs]


def topk(x: np.ndarray, k: int) -> np.ndarray:
    """The k greatest along axis 0, in falling order."""
    return -np.sort(np.partition(-x, k - 1, axis=0)[:k], axis=0)


def neighbours(x: Any) -> Any:
    """Means of the four neighbours of the cells that have them all."""
    return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * np.float32(0.25)


def stencil(x: np.ndarray) -> np.ndarray:
    """Means of the four neighbours on a torus."""
    return neighbours(np.pad(x, 1, mode="wrap"))
