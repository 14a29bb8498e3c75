"""Distinct values of arrays, held against NumPy's."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.cases import for_each
from weft.backends.calls.distinct import distinct_values

KINDS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
ODD = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf]


def cells_of(kind: str, size: int, width: int) -> np.ndarray:
    """Return cells of a kind, about `width` different ones, with the ends of its range and special values."""
    rng = np.random.default_rng(size + width)
    dtype = np.dtype(kind)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        low = [ends.min, 0, ends.max - min(width, ends.max)][rng.integers(3)]
        made = rng.integers(0, min(width, ends.max - low), size, endpoint=True).astype(dtype) + dtype.type(low)
        if size > 2 and width > size:
            made[:2] = ends.min, ends.max
        return made
    made = rng.integers(-min(width, 9000) // 2, min(width, 9000), size).astype(dtype)
    if dtype.kind in "fc" and size > 20:
        for at, x in zip(rng.integers(0, size, 2 * len(ODD)), ODD * 2, strict=True):
            made[at] = x
    if dtype.kind == "c" and size > 20:
        made.imag[rng.integers(0, size, 9)] = np.resize([np.nan, -0.0, 1], 9)
    return made


@for_each("size, width", [(0, 3), (1, 3), (40, 5), (700, 90), (700, 4000), (9000, 60), (9000, 1 << 30)])
@for_each("kind", KINDS)
@for_each("equal_nan", [False, True])
def test_distinct_values_are_those_of_numpy(kind: str, size: int, width: int, equal_nan: bool) -> None:
    cells = cells_of(kind, size, width)
    values, *columns = np.unique(cells, return_index=True, return_inverse=True, return_counts=True, equal_nan=equal_nan)
    for asked in product([False, True], repeat=3):
        made = distinct_values(cells, *asked, equal_nan)
        assert made.values.dtype == cells.dtype and made.values.tobytes() == cells[columns[0]].tobytes()
        for found, wanted, is_asked in zip(made[1:], columns, asked, strict=True):
            assert (found is not None) == is_asked
            assert found is None or (found.dtype == np.int64 and np.array_equal(found, wanted))
    assert np.array_equal(values, made.values, equal_nan=cells.dtype.kind in "fc")


def test_integers_at_both_ends_of_their_range() -> None:
    for kind in ("i1", "i8", "u8"):
        ends = np.iinfo(kind)
        cells = np.array([ends.max, ends.min, ends.max, 0], kind)
        made = distinct_values(cells, True, True, True, False)
        wanted = np.unique(cells, return_index=True, return_inverse=True, return_counts=True)
        assert all(np.array_equal(a, b) for a, b in zip(made, wanted, strict=True))
