"""Sorts by vectorised routines that are not stable, with the bits of stable ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases import for_each
from tests.shares import in_turn
from weft.backends.calls import sorting
from weft.backends.calls.partial_sorting import LONG
from weft.backends.calls.sorting import FEW, FEW_INDICES, PART, argsort, sort

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "F", "D"]
SHAPES = [(0,), (1,), (FEW - 1,), (FEW,), (5000,), (4, 300), (300, 4), (3, 50, 7), (2, 0, 3), (PART + 5, 2)]
SHAPES += [(FEW_INDICES - 1,), (FEW_INDICES,), (20, 300), (300, 20)]


def cells(dtype: str, shape: tuple[int, ...], many: bool) -> np.ndarray:
    """Return any bits, or many equal cells: among floats zeros, infinities and NaNs of both signs."""
    rng = np.random.default_rng(sum(shape))
    size = int(np.prod(shape))
    if dtype == "?":
        return (rng.random(shape) < 0.5).astype(dtype)
    if not many:
        return rng.integers(0, 256, size * np.dtype(dtype).itemsize, np.uint8).view(dtype).reshape(shape)
    values = (
        [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan] if np.dtype(dtype).kind in "fc" else [0, 1, 2, 100]
    )
    return rng.choice(np.array(values, dtype), shape)


@pytest.mark.parametrize(("dtype", "many", "part"), in_turn(DTYPES, [False, True], range(2), every=4))
def test_the_bits_of_a_stable_sort(dtype: str, many: bool, part: int) -> None:
    for x in [cells(dtype, shape, many) for shape in SHAPES[part::2]]:
        for axis in range(x.ndim):
            for laid in (x, np.asfortranarray(x)[::-1]):
                order = np.argsort(laid, axis=axis, kind="stable")
                falling = laid.shape[axis] - 1 - np.flip(np.argsort(np.flip(laid, axis), axis, kind="stable"), axis)
                for descending, places in ((False, order), (True, falling)):
                    found, at = np.empty_like(laid, order="C"), np.empty(laid.shape, np.int64)
                    sort(found, [laid], (axis, descending, ()))
                    argsort(at, [laid], (axis, descending, ()))
                    assert found.tobytes() == np.take_along_axis(laid, places, axis).tobytes(), (
                        x.shape,
                        axis,
                        descending,
                    )
                    np.testing.assert_array_equal(at, places, err_msg=str((x.shape, axis, descending)))


RANGES = [((0, 1),), ((3, 20), (70, 90)), ((LONG // 2, LONG // 2 + 2), (LONG - 1, LONG)), ((0, LONG // 8),)]


@pytest.mark.parametrize(("dtype", "kind"), in_turn(DTYPES, ["any", "many equal", "periodic", "equal"], every=2))
def test_ranges_of_ranks_have_the_bits_of_a_stable_sort(dtype: str, kind: str) -> None:
    x = cells(dtype, (2, LONG), kind == "many equal")
    if kind == "periodic":  # the sample sees one of many values
        x[:, ::2] = x[0, 0]
    if kind == "equal":
        x[:] = x[0, 0]
    order = np.argsort(x, axis=1, kind="stable")
    falling = LONG - 1 - np.flip(np.argsort(np.flip(x, 1), 1, kind="stable"), 1)
    for descending, places in ((False, order), (True, falling)):
        for ranges in RANGES:
            found, at = np.empty((LONG, 2), x.dtype).T, np.empty(x.shape, np.int64)
            sort(found, [x], (1, descending, ranges))
            argsort(at, [x], (1, descending, ranges))
            for part in (slice(a, b) for a, b in ranges):
                np.testing.assert_array_equal(at[:, part], places[:, part])
                wanted = np.take_along_axis(x, places[:, part], 1)
                assert found[:, part].tobytes() == wanted.tobytes(), (ranges, descending)


@pytest.mark.parametrize("span", [999, 2**32 - 1, 2**32])
@pytest.mark.parametrize("low", [-(2**63), -5, 2**62])
def test_the_order_of_integers_of_any_span(span: int, low: int) -> None:
    offsets = np.random.default_rng(0).integers(0, 1000, FEW_INDICES)
    x = np.where(offsets == 999, span, offsets) + np.int64(low)
    at = np.empty(x.shape, np.int64)
    argsort(at, [x], (0, False, ()))
    np.testing.assert_array_equal(at, np.argsort(x, kind="stable"))


@for_each("dtype", ["int8", "float16", "float32", "float64", "complex64"])
@for_each("shape", [(), (1,), (3,), (2, 5), (0,)])
def test_rows_are_added_in_their_order(dtype: str, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "ADDED", 7)
    rng = np.random.default_rng(0)
    rows, at = (rng.normal(size=(60, *shape)) * 9).astype(dtype), rng.integers(0, 6, 60)
    wide = np.float32 if dtype == "float16" else rows.dtype
    wanted = np.zeros((6, *shape), wide)
    for row, k in zip(rows, at, strict=True):
        wanted[k] += row
    for out in (np.empty(wanted.shape, dtype), np.empty(wanted.shape[::-1], dtype).T):
        sorting.scatter_add(out, (rows, at), (6,))
        assert np.array_equal(out, wanted.astype(dtype))


@pytest.mark.parametrize("at", [-1, 6])
def test_positions_outside_are_refused(at: int) -> None:
    out = np.empty((6, 2))
    with pytest.raises(IndexError, match=r"scatter_add: positions lie outside 0\.\.5"):
        sorting.scatter_add(out, (np.ones((2, 2)), np.array([0, at])), (6,))


@pytest.mark.parametrize("width", [1, 15, 16, 17, 40])
def test_rows_of_any_width_and_layout_are_added(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "ADDED", 256)  # bytes: many parts
    rows = np.arange(60 * width, dtype=">i4").reshape(60, width)[::-2]
    at = np.arange(30)[::-1] % 7
    wanted, out = np.zeros((7, width), np.int32), np.empty((7, width), np.int32)
    np.add.at(wanted, at, rows)
    sorting.scatter_add(out, (rows, at), (7,))
    assert np.array_equal(out, wanted)


@for_each("dtype", ["int16", "float16", "float32", "complex128", ">f4"])
@for_each("width", [(), (1,), (3,), (2, 20)])
def test_values_are_added_as_numpy_adds_them(dtype: str, width: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    cells = (rng.normal(size=(7, *width)) * 9).astype(dtype)
    indices = [rng.integers(-7, 7, 50), rng.integers(0, 7, (5, 10)).astype(np.int8), rng.integers(0, 7, 7) > 3, 2]
    for at in indices:
        for shape in (width, cells[at].shape):
            values = (rng.normal(size=shape) * 9).astype(dtype)
            got, wanted = cells.copy(), cells.copy()
            sorting.add_at(got, at, values)
            np.add.at(wanted, at, values)
            assert got.tobytes() == wanted.tobytes()
    with pytest.raises(IndexError, match="out of bounds"):
        sorting.add_at(cells, np.array([0, 7]), cells[:2])
