"""Sorting, searching in sorted cells, and sums by position.

The one idea: NaN counts as the greatest value, sorts are stable, and rows that meet are added in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.backends.calls.cells import put, wide


def sort(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Sort along an axis; NaN counts as the greatest value.

    `attrs` are (axis, descending, stable).
    """
    axis, descending, _ = attrs
    cells = wide(args[0])
    values = np.sort(cells, axis=axis)
    if _may_differ(cells, values, axis):
        values = np.sort(cells, axis=axis, kind="stable")
    if descending:
        values = np.flip(values, axis=axis)
    put(out, values)


def _may_differ(cells: np.ndarray, values: np.ndarray, axis: int) -> bool:
    """True if a stable sort may give other bits than `values`, the cells in an order that is not stable.

    Equal numbers have the same bits, but for -0.0 beside 0.0, and NaN.
    """
    if values.dtype.kind != "f" or not values.size:
        return False
    last = values.take(-1, axis)
    if (last != last).any():
        return True
    least = cells.view(f"i{cells.itemsize}").min()
    return bool(least == -1 << 8 * cells.itemsize - 1)  # the bits of -0.0


def argsort(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Compute the indices that sort along an axis; equal values keep their order.

    `attrs` are (axis, descending, stable).
    """
    axis, descending, _ = attrs
    values = wide(args[0])
    if not descending:
        out[...] = np.argsort(values, axis=axis, kind="stable")
        return
    n = values.shape[axis]
    backwards = np.argsort(np.flip(values, axis=axis), axis=axis, kind="stable")
    out[...] = n - 1 - np.flip(backwards, axis=axis)


def searchsorted(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Compute the positions at which values are to be inserted into sorted x; attrs (side,)."""
    x, values = (wide(a) for a in args)
    out[...] = np.searchsorted(x, values, side=attrs[0])


def scatter_add(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Compute out[i] = the sum of the rows whose position is i, added in the order of the rows.

    `args` are the rows and their positions.
    """
    rows, at = args
    values = wide(rows)
    total = out if out.dtype == values.dtype else np.empty(out.shape, values.dtype)
    total[...] = 0
    np.add.at(total, at, values)
    if total is not out:
        put(out, total)
