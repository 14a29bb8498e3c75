"""Searching in sorted cells.

The one idea: a search for one of many values mispredicts every other branch, so many values are sorted first; then
few searches for the cells among the values tell how many cells are below each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from weft.backends.calls.cells import wide
from weft.backends.calls.sorting import order_of_lines
from weft.backends.thread_sharing import share

PART = 1 << 16  # values that are sorted at a time, but no fewer than there are cells
FEW = 1 << 13  # values that are searched for one by one
OTHER: dict[str, Literal["left", "right"]] = {"left": "right", "right": "left"}


def searchsorted(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write to `out` the positions at which values are to be inserted into sorted x; args = (x, values).

    `attrs` is (side,): "left" or "right" of equal cells.
    """
    (x, values), (side,) = (wide(a) for a in args), attrs
    if values.size < FEW or x.size > 4 * values.size or x.dtype.kind not in "iuf" or not _rises(x):
        out[...] = np.searchsorted(x, values, side=side)
        return
    flat, size = values.reshape(-1), max(PART, x.size)
    found = out.reshape(-1) if out.flags.c_contiguous else np.empty(flat.size, np.int64)
    parts = [slice(first, first + size) for first in range(0, flat.size, size)]
    share(parts, lambda part: _search(found[part], x, flat[part], side), flat.nbytes)
    if not out.flags.c_contiguous:
        out[...] = found.reshape(out.shape)


def _rises(x: np.ndarray) -> bool:
    """True if cells are in rising order, with NaN last."""
    last = np.count_nonzero(np.isnan(x)) if x.dtype.kind == "f" else 0
    numbers = x[: x.size - last]
    return not (numbers[1:] < numbers[:-1]).any() and not (numbers != numbers).any()


def _search(out: np.ndarray, x: np.ndarray, values: np.ndarray, side: str) -> None:
    """Write to `out` the number of cells of x below each value; for the side "right", of cells not above it."""
    order = order_of_lines(values, False) if values.itemsize < 8 else np.argsort(values)
    ends = np.searchsorted(values[order], x, side=OTHER[side])  # for each cell, the first value that counts it
    counts = np.diff(ends, prepend=0, append=values.size)
    out[order] = np.repeat(np.arange(x.size + 1), counts)
