"""Sorting by digits: the order and the bits of a stable sort, for every dtype, length and direction."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shares import in_turn
from weft.backends.calls import sorting
from weft.backends.llvm.folds.radix_sort import sort_lines

DTYPES = ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
SHAPES = [(1,), (2,), (300,), (4096,), (3, 70), (2, 5000), (200_000,)]


def cells(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Random cells; of floats also zeros, infinities and NaNs of both signs and several payloads."""
    made = (np.random.default_rng(1).standard_normal(shape) * 100).astype(dtype)
    flat = made.reshape(-1)
    if dtype[0] == "f":
        for first, (step, value) in enumerate([(7, 0.0), (11, np.nan), (13, np.inf), (17, -1e-40)]):
            flat[first::step] = value
        words = flat.view(f"u{made.itemsize}")
        words[5::19] ^= np.array(1 << (8 * made.itemsize - 1), words.dtype)
        words[np.isnan(flat)] |= np.arange(np.isnan(flat).sum(), dtype=words.dtype) & 1
    return made


def order_of(a: np.ndarray, descending: bool) -> np.ndarray:
    if not descending:
        return np.argsort(a, -1, kind="stable")
    return a.shape[-1] - 1 - np.flip(np.argsort(np.flip(a, -1), -1, kind="stable"), -1)


@pytest.mark.parametrize(("dtype", "descending"), in_turn(DTYPES, [False, True], every=2))
def test_as_a_stable_sort(dtype: str, descending: bool) -> None:
    for shape in SHAPES:
        a = cells(shape, dtype)
        expected = order_of(a, descending)
        at, found = np.empty(shape, np.int64), np.empty_like(a)
        sort_lines(a, at, descending, indices=True)
        sort_lines(a, found, descending)
        assert np.array_equal(at, expected), shape
        assert found.tobytes() == np.take_along_axis(a, expected, -1).tobytes(), shape


@pytest.mark.parametrize("digits", [0, 1, 2, 3])
def test_digits_that_are_the_same_move_nothing(digits: int) -> None:
    """Any number of passes, and none, ends in the right memory."""
    a = np.random.default_rng(digits).integers(0, 256, (3, 600)).astype("u4")
    a = sum([a << np.uint32(8 * k) for k in range(digits)], np.zeros_like(a))
    found, at = np.empty_like(a), np.empty(a.shape, np.int64)
    sort_lines(a, found, False)
    sort_lines(a, at, False, indices=True)
    assert np.array_equal(found, np.sort(a)) and np.array_equal(at, np.argsort(a, kind="stable"))


@pytest.mark.parametrize("by_digits", [False, True])
@pytest.mark.parametrize("dtype", ["i2", "i8", "f4", "f8"])
def test_the_faster_sort_has_the_same_bits(dtype: str, by_digits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "_is_sooner_by_digits", lambda dtype: by_digits)
    for shape in ((20_000,), (20, 1000), (300, 100)):
        for descending in (False, True):
            a = cells(shape, dtype)
            expected = np.take_along_axis(a, order_of(a, descending), -1)
            assert sorting.sorted_lines(a, descending).tobytes() == expected.tobytes()
            assert sorting.sorted_lines(a.T.copy().T, descending).tobytes() == expected.tobytes()


@pytest.mark.parametrize("size", [100, 127, 128, 511, 512])
def test_lines_on_both_sides_of_a_threshold(size: int) -> None:
    for dtype in DTYPES:
        a = cells((60, size), dtype)
        assert np.array_equal(sorting.order_of_lines(a, True), order_of(a, True))
        assert np.array_equal(sorting.order_of_lines(a, False), order_of(a, False))
