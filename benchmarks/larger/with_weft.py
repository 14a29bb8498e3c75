"""The programs in weft."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

import weft
from benchmarks.larger.with_numpy import neighbours

xp = weft


def set_up(threads: int, limit: str) -> None:
    """Set threads and a memory limit ("64MiB", or "none" for the first one), and load LLVM and modules.

    Its pages are loaded by compiling a kernel that no process compiled before: otherwise they would count as left
    behind by the first program of a size whose kernels are not on disk.
    """
    weft.set_num_threads(threads)
    x = weft.asarray([0.5, 0.25, 0.125])
    for function in random.choices([weft.sin, weft.tanh, weft.exp, weft.abs, weft.floor, weft.square], k=16):
        x = function(x)
    (x.sum() + x).numpy()
    if limit != "none":
        weft.set_memory_limit(limit)


def opened(paths: list[Path]) -> weft.Tensor:
    """The array of the files, joined along axis 0."""
    return weft.open(paths)


def values(xs: tuple[Any, ...]) -> list[np.ndarray]:
    """The cells of expressions, computed together."""
    if len(xs) > 1:
        weft.compute(*xs)
    return [np.asarray(x) for x in xs]


OPTIONS: dict[str, dict[str, Any]] = {
    ".npy": {},
    ".zarr": {"compressor": "zstd", "level": 0},
    ".h5": {"compression": "lzf"},
}


def saved(path: Path, x: Any, chunks: tuple[int, ...]) -> None:
    """Write an expression to a new file."""
    where = {} if path.suffix == ".npy" else {"chunks": chunks}
    weft.save(path, x, **where, **OPTIONS[path.suffix])


def topk(x: Any, k: int) -> Any:
    """The k greatest along axis 0, in falling order."""
    return weft.topk(x, k, axis=0).values


def stencil(x: Any) -> Any:
    """Means of the four neighbours on a torus."""
    return neighbours(weft.pad(x, 1, mode="wrap"))
