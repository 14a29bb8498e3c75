"""Values between points, slopes, areas, foldings: NumPy's, for every dtype, byte order and layout."""

import numpy as np
import pytest

import weft
from tests.refusals import refusals
from tests.shares import in_turn
from weft.errors import AxisError, ShapeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")

RNG = np.random.default_rng(3)


def near(got, expected, tolerance=1e-11):
    assert got.shape == np.shape(expected)
    assert np.allclose(got.numpy(), expected, rtol=tolerance, atol=tolerance, equal_nan=True)


FOLDED = ["f8", ">f4", "i2", "u1", "c16", "?"]


@pytest.mark.parametrize(("dtype", "mode", "part"), in_turn(FOLDED, ["full", "same", "valid"], range(2), every=6))
def test_foldings_like_numpy(dtype, mode, part, transformer):
    for n in range(1, 7) if transformer == "cpu" else (1, 4):
        for m in (1, 2, 3, 6)[part::2]:
            a, b = ((RNG.normal(size=2 * size) * 9).astype(dtype)[::-2] for size in (n, m))
            a, b = (a + 1j * b[0], b - 2j * b) if dtype == "c16" else (a, b)
            near(weft.convolve(a, b, mode=mode), np.convolve(a, b, mode), 1e-4 if dtype == ">f4" else 1e-11)
            near(weft.correlate(a, b, mode=mode), np.correlate(a, b, mode), 1e-4 if dtype == ">f4" else 1e-11)
            assert weft.convolve(a, b).dtype == weft.asarray(np.convolve(a, b)).dtype


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_of_infinities_skip_cells_beyond_the_ends(mode):
    a, b = np.array([1.0, -2.0, 0.0, 3.0, 5.0]), np.array([np.inf, 1.0, np.nan])
    with np.errstate(invalid="ignore"):
        for x, y in ((a, b), (b, a), (a, b[:2]), (b[:1], a)):
            near(weft.convolve(x, y, mode=mode), np.convolve(x, y, mode))
            near(weft.correlate(x, y, mode=mode), np.correlate(x, y, mode))


@pytest.mark.parametrize(
    ("dtype", "order", "part"), in_turn(["f8", ">f4", "i4", "u1", "c16"], [1, 2], range(3), every=6)
)
def test_slopes_and_areas_like_numpy(dtype, order, part):
    whole = (RNG.random(size=(5, 6, 7)) * 90).astype(dtype)
    tolerance = 1e-3 if dtype == ">f4" else 1e-10
    laid = [whole, whole[::-1], whole.transpose(0, 2, 1).copy().transpose(0, 2, 1)]
    for f in laid[part::3]:
        wide = f.astype("f8") if dtype == "u1" else f  # NumPy's differences of uint8 wrap
        at = np.cumsum(RNG.random(6) + 0.5)
        for spacing in ((), (2.0,), (0.5, at, 3)):
            for got, expected in zip(
                weft.gradient(f, *spacing, edge_order=order), np.gradient(wide, *spacing, edge_order=order), strict=True
            ):
                near(got, expected, tolerance)
        near(weft.gradient(f, at, axis=1, edge_order=order), np.gradient(wide, at, axis=1, edge_order=order), tolerance)
        for axis in (0, 1, -1):
            near(weft.trapezoid(f, axis=axis), np.trapezoid(wide, axis=axis), tolerance)
        near(weft.trapezoid(f, at, axis=1), np.trapezoid(wide, at, axis=1), tolerance)
        near(weft.trapezoid(f, f, dx=3, axis=1), np.trapezoid(wide, wide, axis=1), 100 * tolerance)
        near(weft.trapezoid(f, dx=0.3), np.trapezoid(wide, dx=0.3), tolerance)


def test_values_between_points_like_numpy():
    xp, fp = np.cumsum(RNG.random(9)), RNG.normal(size=9)
    x = np.concatenate([RNG.normal(size=50) * 3, xp, [np.inf, -np.inf]])
    for points in (fp, fp * 1j, fp.astype(">f4")):
        near(weft.interp(x, xp, points), np.interp(x, xp, points))
        near(weft.interp(x[::-2], xp, points, -5, 7.5), np.interp(x[::-2], xp, points, -5, 7.5))
    near(weft.interp(x, [0.5], [3.0], 1, 2), np.interp(x, [0.5], [3.0], 1, 2))
    near(weft.interp(1, [0, 5], [2, 9]), np.interp(1, [0, 5], [2, 9]))
    near(weft.interp([0.0, 1.0], [0.0, 1.0], [1.0, np.inf]), np.interp([0.0, 1.0], [0.0, 1.0], [1.0, np.inf]))
    assert weft.interp([0.0, 1.0, 2.0], [0, 1, 1, 2], [0, 1, 5, 6]).tolist() == [0.0, 5.0, 6.0]
    assert np.isnan(weft.interp([np.nan], [0.0, 1.0], [0.0, 1.0]).numpy()).all()


CASES = {
    "points": (lambda: weft.interp(1, [1, 2], [1]), ShapeError, "interp: points of shapes .2,. and .1,."),
    "spacings": (lambda: weft.gradient([1, 2], 1, 2), ShapeError, "gradient: 2 spacings for 1 axes"),
    "short": (lambda: weft.gradient([1, 2], edge_order=2), ShapeError, "gradient: axis 0 of size 2; order 2 takes 3"),
    "order": (lambda: weft.gradient([1, 2], edge_order=3), ValueRangeError, "gradient: edge_order 3; ends are of"),
    "coordinates": (lambda: weft.gradient([1, 2], [1, 2, 3]), ShapeError, "gradient: coordinates of shape .3,. for"),
    "mode": (lambda: weft.convolve([1], [1], mode="all"), ValueRangeError, "convolve: mode 'all'; modes are full"),
    "empty": (lambda: weft.correlate([], [1]), ShapeError, "correlate: shapes .0,. and .1,.; both are vectors"),
    "matrix": (lambda: weft.convolve([[1]], [1]), ShapeError, "convolve: shapes .1, 1. and .1,."),
}  # fmt: skip

test_message = refusals(CASES)


def test_positions_that_are_angles_turn():
    xp, fp = [190, -190, 350, -350], [5, 10, 3, 4]
    for x in ([-180, -170, -185, 185, -10, -5, 0, 365], [[0.5], [720.0]]):
        expected = np.interp(x, xp, fp, period=360)
        np.testing.assert_allclose(weft.interp(x, xp, fp, period=360).numpy(), expected, rtol=1e-14)
        np.testing.assert_allclose(np.interp(weft.asarray(x), xp, fp, period=-360).numpy(), expected, rtol=1e-14)
    with pytest.raises(ValueRangeError, match="interp: period 0; angles turn by more"):
        weft.interp(1, xp, fp, period=0)
    with pytest.raises(ShapeError, match="interp: points of shapes"):
        weft.interp(1, xp, [1], period=3)


@pytest.mark.parametrize("widths", [{1: (1, 2)}, {-1: 2}, {0: (3, 0), 1: 2}, {}])
def test_widths_of_some_axes(widths):
    a = np.arange(6).reshape(2, 3)
    for mode in ("constant", "edge"):
        np.testing.assert_array_equal(weft.pad(a, widths, mode).numpy(), np.pad(a, widths, mode))
    with pytest.raises(AxisError, match="pad: axis 5"):
        weft.pad(a, widths | {5: 1})
