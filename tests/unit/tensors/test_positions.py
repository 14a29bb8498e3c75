"""Tables of positions: counted from 0, checked against bounds, for any number of positions and any layout."""

import numpy as np
import pytest

from tests.cases import for_each
from weft.backends.llvm.folds.narrow_positions import LANES, UNITS, narrow
from weft.errors import IndexOutOfBounds
from weft.ir.atoms.position_tables import SMALL_TABLE
from weft.tensors.positions import table_of

SIZES = (1000, 1 << 15, (1 << 15) + 1, 1 << 20)
COUNTS = (SMALL_TABLE - 1, SMALL_TABLE, SMALL_TABLE + 1, SMALL_TABLE + LANES * UNITS + 3)


@for_each("dtype", ["i1", "i2", "i4", "u4", "i8", ">i8", ">i4"])
@for_each("size", SIZES)
@for_each("count", COUNTS)
def test_tables_count_from_0(dtype, size, count):
    limits = np.iinfo(dtype)
    low, high = max(-size, limits.min), min(size - 1, limits.max)
    positions = np.random.default_rng(count).integers(low, high, count, endpoint=True).astype(dtype)
    positions[[0, -1]] = low, high
    wanted = np.where(positions < 0, positions.astype("i8") + size, positions)
    for given in (positions, np.repeat(positions, 2)[::2], positions.reshape(1, -1).T):
        table = table_of(given, size, 0)
        assert table.shape == given.shape and np.array_equal(table.reshape(-1), wanted)
        assert table.dtype == ("i8" if count < SMALL_TABLE else "i2" if size <= 1 << 15 else "i4")


@for_each("dtype", ["i4", "i8"])
@for_each("size", SIZES)
@for_each("place", [0, 1, LANES - 1, LANES, 4000, SMALL_TABLE, -1])
@for_each("beyond", ["low", "high", "far"])
def test_the_first_position_out_of_bounds_is_named(dtype, size, place, beyond):
    wrong = {"low": -size - 1, "high": size, "far": np.iinfo(dtype).max}[beyond]
    positions = np.zeros(COUNTS[-1], dtype)
    positions[place] = wrong
    assert not narrow(np.empty(len(positions), "i4"), positions, size)
    with pytest.raises(IndexOutOfBounds, match=rf"position {wrong} along axis 3 of size {size};"):
        table_of(positions, size, 3)


def test_no_position_is_inside_an_empty_axis():
    with pytest.raises(IndexOutOfBounds, match="the axis is empty"):
        table_of(np.zeros(SMALL_TABLE, "i8"), 0, 0)
