"""Distinct cells of arrays in memory: their values in order, first positions, numbers and counts.

The one idea: in sorted cells a value begins where a cell differs from the one before; integers of a small range are
counted instead of sorted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.backends.calls.sorting import order_of_lines, sorted_lines

WIDTH = 2  # cells are counted by value if their range spans at most WIDTH times as many integers as there are cells
Positions = NDArray[np.int64]


class DistinctValues(NamedTuple):
    """Distinct values in order, and the requested columns about them, None for columns not requested.

    `first` has the position of the first cell of each value, `inverse` the number of each cell's value, `counts` the
    cells of each value.
    """

    values: NDArray[np.generic]
    first: Positions | None
    inverse: Positions | None
    counts: Positions | None


def distinct_values(
    cells: NDArray[np.generic], first: bool, inverse: bool, counts: bool, equal_nan: bool
) -> DistinctValues:
    """Return the distinct values of a vector in rising order, with the columns requested by the flags.

    `first`, `inverse` and `counts` request the columns of `DistinctValues` with these names. A value has the bits of
    its first cell. NaNs come last: as one value with `equal_nan`, else each as a value of its own.
    """
    if cells.size and cells.dtype.kind in "biu":
        low = cells.min()
        if int(cells.max()) - int(low) < WIDTH * cells.size:
            return _by_counting(cells, low, first, inverse, counts)
    order = order_of_lines(cells, False) if first or inverse else None
    lines = sorted_lines(cells, False) if order is None else cells[order]
    begins = np.ones(cells.size, np.bool_)
    np.not_equal(lines[1:], lines[:-1], out=begins[1:])
    if equal_nan and cells.dtype.kind in "fc":
        begins[1:] &= ~np.isnan(lines[:-1])
    at = np.flatnonzero(begins)
    numbers = np.empty(cells.size, np.int64) if inverse else None
    if numbers is not None:
        numbers[order] = np.cumsum(begins) - 1
    return DistinctValues(
        lines[at],
        order[at] if first and order is not None else None,
        numbers,
        np.diff(at, append=cells.size) if counts else None,
    )


def _by_counting(
    cells: NDArray[np.generic], low: np.generic, first: bool, inverse: bool, counts: bool
) -> DistinctValues:
    """Return the distinct values of integers or bools by counting the cells of every number in their range.

    `low` is the least of them; the range must not be much larger than the number of cells. Flags are those of
    `distinct_values`.
    """
    unsigned = np.dtype(f"u{cells.itemsize}")
    at = (cells.view(unsigned) - low.view(unsigned)).astype(np.intp)  # wraps to the distance from the least one
    many = np.bincount(at)
    found = np.flatnonzero(many)
    values = (found.astype(unsigned) + low.view(unsigned)).view(cells.dtype)
    table = np.empty(many.size, np.int64) if first or inverse else many
    of = where = None
    if inverse:
        table[found] = np.arange(found.size)
        of = table[at]
    if first:
        table[at[::-1]] = np.arange(cells.size - 1, -1, -1)  # of equal positions the last one counts
        where = table[found]
    return DistinctValues(values, where, of, many[found] if counts else None)
