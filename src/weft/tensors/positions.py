"""Positions along an axis: checked against its bounds, and counted from 0.

The one idea: negative positions count from the end, and what lies outside is named in an error; many positions are
checked in a copy of their own, a part at a time.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from weft.errors import IndexOutOfBounds
from weft.ir.atoms import position_tables

PART = 1 << 15  # positions that are checked and narrowed at a time


def positions_of(array: np.ndarray) -> np.ndarray:
    """Return integers as an int64 array; those beyond int64 become its largest value, which is out of any bounds."""
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        array = np.minimum(array, np.uint64(np.iinfo(np.int64).max))
    return array.astype(np.int64)


def position_at(position: int, n: int, axis: int) -> int:
    """Return a position along an axis of size `n` counted from 0; raises IndexOutOfBounds if it lies outside."""
    if not -n <= position < n:
        _out_of_bounds(position, n, axis)
    return position + n if position < 0 else position


def _out_of_bounds(position: int, n: int, axis: int) -> NoReturn:
    """Raise IndexOutOfBounds for a position along an axis of size `n`; always raises."""
    valid = f"positions run from {-n} to {n - 1}" if n else "the axis is empty"
    raise IndexOutOfBounds(f"index: position {position} along axis {axis} of size {n}; {valid}; give one inside")


def table_of(array: np.ndarray, n: int, axis: int) -> np.ndarray:
    """Return integers as a new table of positions along an axis of size `n`, counted from 0, in its stored dtype.

    Raises IndexOutOfBounds for the first position out of bounds.
    """
    from weft.backends.llvm.folds.narrow_positions import narrow

    dtype = position_tables.stored_dtype(array.size, n).np
    if dtype == np.int64:
        return wrapped(positions_of(array), n, axis)
    table = np.empty(array.shape, dtype)
    if narrow(table, array, n):
        return table
    cells = array.reshape(-1)
    line = table.reshape(-1)
    for first in range(0, len(line), PART):  # while the int64 copy, which others do not write, is in the cache
        part = slice(first, first + PART)
        line[part] = wrapped(positions_of(cells[part]), n, axis)
    return table


def wrapped(positions: np.ndarray, n: int, axis: int) -> np.ndarray:
    """Return positions along an axis of size `n` counted from 0.

    Raises IndexOutOfBounds, which names the first position out of bounds.
    """
    huge = positions.view(np.uint64)  # where negative
    if not huge.size or huge.item(huge.argmax()) < n:
        return positions
    low, high = int(np.minimum.reduce(positions, None)), int(np.maximum.reduce(positions, None))
    if low < -n or high >= n:
        wrong = (positions < -n) | (positions >= n)
        _out_of_bounds(int(positions[wrong].flat[0]), n, axis)
    return np.where(positions < 0, positions + n, positions) if low < 0 else positions
