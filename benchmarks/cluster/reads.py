"""Reads of cells that workers hold: strided, transposed and repeated ones, which a task for each would make slow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import weft


@dataclass(frozen=True)
class Row:
    """A read: what is made before, the read itself, and how often it is timed."""

    name: str
    prepared: Callable[[], Callable[[], Any]]
    times: int = 51


def _strided() -> Callable[[], Any]:
    x = weft.cluster.shard(weft.random.uniform((4096, 4096), seed=1, dtype=weft.float32), chunks=4096)
    return lambda: x[::64, ::64].numpy()


def _with_transpose() -> Callable[[], Any]:
    x = weft.cluster.shard(weft.random.uniform((8192, 8192), seed=1))
    return lambda: (x.T + x)[::64, ::64].numpy()


def _repeated() -> Callable[[], Any]:
    x = weft.cluster.shard(weft.random.uniform((8192, 8192), seed=1))
    return lambda: weft.broadcast_to(x[7], (2048, 8192)).numpy()


def _sum() -> Callable[[], Any]:
    x = weft.cluster.shard(weft.random.uniform((8192, 8192), seed=1))
    return lambda: x.sum().item()


READS = (
    Row("strided cells of one holder (B6)", _strided, 101),
    Row("x.T + x of two holders, strided (B7)", _with_transpose),
    Row("a row, repeated 2048 times (B8)", _repeated, 5),
    Row("sum of 512 MB where it lies", _sum, 5),
)
