"""Inputs of the workloads, the same for every library.

The one idea: `small` makes everything a thousandth of its size, so that libraries are loaded and code is compiled
before memory is watched.
"""

from __future__ import annotations

import numpy as np

MEGABYTES_64 = 1 << 24  # float32 cells


def cells(n: int, seed: int = 0) -> np.ndarray:
    """Small whole numbers as float32: sums of a few of them are exact."""
    return np.random.default_rng(seed).integers(0, 64, n, dtype=np.uint8).astype(np.float32)


def uniform(n: int, seed: int = 0) -> np.ndarray:
    """float32 in [0, 1)."""
    return np.random.default_rng(seed).random(n, dtype=np.float32)


def large(count: int, small: bool) -> list[np.ndarray]:
    """`count` vectors of 64 MB."""
    return [uniform(MEGABYTES_64 // (1024 if small else 1), k) for k in range(count)]


def pieces(small: bool) -> list[np.ndarray]:
    """10 000 vectors of 100."""
    return [np.arange(100 * k, 100 * k + 100, dtype=np.float32) for k in range(100 if small else 10_000)]


def position(k: int, total: int) -> int:
    """Return where round k reads 10 cells of `total`: another place every round, inside one part of 100."""
    return (k * 7919 % (total // 100)) * 100 + 45


BOX, CUBE = 32, 96  # layers are cubes of half the hull's size or so


def boxes(count: int) -> list[tuple[tuple[int, int, int], np.ndarray]]:
    """Random boxes in three dimensions: (start, cells)."""
    rng = np.random.default_rng(3)
    starts = rng.integers(0, CUBE - BOX, (count, 3))
    sizes = rng.integers(BOX // 2, BOX + BOX // 2, (count, 3))
    return [
        (tuple(map(int, s)), np.full(tuple(map(int, n)), k + 1, np.float32))  # type: ignore[misc]
        for k, (s, n) in enumerate(zip(starts, sizes, strict=True))
    ]


def corner(k: int) -> int:
    """Return where round k reads 10³ cells of the overlay."""
    return 30 + k % 7


def tree(small: bool) -> list[list[np.ndarray]]:
    """Leaves of a tree of 10⁵ nodes: every branch joins parts that are each sliced and flipped."""
    return [
        [np.arange(20, dtype=np.float32) + 20 * (b * 333 + k) for k in range(333)] for b in range(2 if small else 100)
    ]


def targets(small: bool) -> tuple[list[np.ndarray], np.ndarray]:
    """Four vectors of 16 MB to be written, and 64 MB of values."""
    n = MEGABYTES_64 // (1024 if small else 1)
    return [np.zeros(n // 4, np.float32) for _ in range(4)], uniform(n, 9)


def sample(arrays: list[np.ndarray]) -> np.ndarray:
    """Some cells of all of them."""
    return np.concatenate([a[::997] for a in arrays])
