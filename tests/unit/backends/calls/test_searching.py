"""Positions among sorted cells are NumPy's, however many values are searched for."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.backends.calls import searching
from weft.backends.calls.searching import FEW, searchsorted

RNG = np.random.default_rng(0)
KINDS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")


def found(x: np.ndarray, values: np.ndarray, side: str) -> np.ndarray:
    out = np.empty(values.shape, np.int64)
    searchsorted(out, (x, values), (side,))
    return out


def cells(n: int, dtype: str) -> np.ndarray:
    return (RNG.normal(size=n) * 40).astype(dtype)


@for_each("dtype", KINDS)
@for_each("side", ["left", "right"])
@for_each("size", [0, 1, 100, 3 * FEW])
def test_many_values(dtype: str, side: str, size: int) -> None:
    x, values = np.sort(cells(size, dtype)), cells(2 * FEW, dtype)
    assert np.array_equal(found(x, values, side), np.searchsorted(x, values, side=side))


@for_each("side", ["left", "right"])
@for_each("size", [*range(1, 10), 31, 32, 33])
def test_every_level_and_values_left_over(size: int, side: str) -> None:
    x, values = np.sort(cells(size, "int16")), cells(FEW + 5, "int16")[::-1]
    swapped = x.astype(">i2"), values.astype(">i2")
    assert np.array_equal(found(x, values, side), np.searchsorted(x, values, side=side))
    assert np.array_equal(found(*swapped, side), np.searchsorted(x, values, side=side))


@pytest.mark.parametrize("side", ["left", "right"])
def test_zeros_infinities_and_nan(side: str) -> None:
    special = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan, np.nan])
    values = RNG.choice(special, FEW)
    for x in (special, special[:6], special[6:]):
        assert np.array_equal(found(x, values, side), np.searchsorted(x, values, side=side))


def test_cells_out_of_order_are_searched_as_numpy_does() -> None:
    values = cells(FEW, "float64")
    for x in (cells(50, "float64"), np.array([np.nan, 1.0, 2.0]), np.array([1.0, np.nan, 2.0])):
        assert np.array_equal(found(x, values, "left"), np.searchsorted(x, values))


@pytest.mark.parametrize("threads", [1, 2])
def test_parts_on_threads_and_any_layout(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "PART", 1 << 10)
    x, values = np.sort(cells(500, "float32")), cells(1 << 19, "float32").reshape(512, 1024).T
    before = weft.get_num_threads()
    weft.set_num_threads(threads)
    try:
        assert np.array_equal(found(x, values, "left"), np.searchsorted(x, values))
    finally:
        weft.set_num_threads(before)
    out = np.empty((512, 1024), np.int64).T
    searchsorted(out, (x, values), ("left",))
    assert np.array_equal(out, np.searchsorted(x, values))


def test_halves_are_searched_in_wider_numbers() -> None:
    x, values = np.sort(cells(100, "float16")), cells(FEW, "float16")
    got = weft.searchsorted(weft.asarray(x), weft.asarray(values))
    assert np.array_equal(got.numpy(), np.searchsorted(x, values))


def test_any_byte_but_0_is_true() -> None:
    values = np.array([0, 1, 2, 255, 0, 3], np.uint8).view(bool)
    got = weft.searchsorted(weft.asarray([False, True]), weft.asarray(values))
    assert got.tolist() == [0, 1, 1, 1, 0, 1]
