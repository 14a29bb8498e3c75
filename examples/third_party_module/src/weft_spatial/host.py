"""The tables for devices whose memory is the host's.

An entry is `f(out, args, attrs)`: NumPy arrays in weft's memory, `out` to be filled, `args` read-only, in native byte
order and with any strides; `attrs` are the values of the operation's options, in their order.  Entries may be called
from several threads at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import weft


class Workspace:
    """The state kept for one device: here, a count of the calls it served."""

    def __init__(self, device: str) -> None:
        self.device, self.calls = device, 0


def hypot3(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Compute the length of (x, y, z)."""
    x, y, z = args
    out[...] = np.hypot(np.hypot(x, y), z)
    _count()


def nearest(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """The number of the nearest row."""
    points, to = (a.astype(np.float64) for a in args)
    away = points[:, None, :] - to[None, :, :]
    out[...] = np.argmin(np.linalg.norm(away, ord=attrs[0], axis=2), axis=1)
    _count()


def _count() -> None:
    weft.modules.spatial.context().calls += 1


TABLE = {"hypot3": hypot3, "nearest": nearest}
