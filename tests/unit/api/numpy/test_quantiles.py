"""Medians, quantiles, percentiles and ranges: NumPy's values over every axis, for every dtype and layout."""

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import DTypeError, ShapeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")

RNG = np.random.default_rng(1)
METHODS = [
    "linear", "lower", "higher", "midpoint", "nearest", "hazen", "weibull", "median_unbiased", "normal_unbiased",
    "interpolated_inverted_cdf", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
]  # fmt: skip
DTYPES = ["f8", ">f4", "f2", "i1", ">i8", "u1", "?"]
TOLERANCE = {"f2": 2e-3, ">f4": 1e-6}


def layouts(dtype, shape=(3, 4, 6)):
    a = (RNG.normal(size=shape) * 50).astype(dtype)
    return [a, a[::-1], a.T, a[..., ::2], a[:1, :1, :1]]


@pytest.mark.parametrize(("dtype", "part"), in_turn(DTYPES, range(5), every=5))
def test_medians_and_ranges_like_numpy(dtype, part):
    for a in layouts(dtype)[part::5]:
        for axis in (None, 0, -1, (0, 2), ()):
            for keepdims in (False, True):
                got = weft.median(a, axis=axis, keepdims=keepdims)
                wide = a.astype("f8") if dtype in ("f2", "?") else a
                expected = np.median(wide, axis=axis, keepdims=keepdims) if axis != () else wide
                assert got.shape == expected.shape
                assert np.array_equal(got.numpy(), expected.astype(got.numpy().dtype))
                if dtype != "?" and axis != ():
                    ranges = weft.ptp(a, axis=axis, keepdims=keepdims)
                    assert np.array_equal(ranges.numpy(), np.ptp(a, axis=axis, keepdims=keepdims))
                    assert ranges.dtype == weft.asarray(a).dtype


@pytest.mark.parametrize(
    ("dtype", "method", "part"), in_turn(["f8", ">f4", "f2", ">i2", "u1"], METHODS, range(3), every=15)
)
def test_quantiles_like_numpy(dtype, method, part, transformer):
    tolerance = TOLERANCE.get(dtype, 1e-13)
    for a in layouts(dtype)[:: 2 if transformer == "cpu" else 3]:
        taken = method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
        for axis, keepdims in ((None, True), (1, False), ((0, -1), True))[part::3]:
            for q in (0.3, [0, 0.25, 1.0], [[0.1, 0.9]]):
                nan_skipped = weft.nanquantile(a, q, axis, method=method, keepdims=keepdims)
                got = weft.quantile(a, q, axis, method=method, keepdims=keepdims)
                expected = np.quantile(a if taken else a.astype("f8"), q, axis, method=method, keepdims=keepdims)
                assert got.shape == expected.shape == nan_skipped.shape
                for found in (got, nan_skipped):
                    assert np.allclose(found.numpy().astype("f8"), expected, rtol=tolerance, atol=50 * tolerance)
                assert got.dtype == (weft.asarray(a).dtype if taken or a.dtype.kind == "f" else weft.float64)
    assert weft.percentile([1, 2, 4], [50, 100]).tolist() == [2.0, 4.0]


def test_nan_and_infinities():
    x = weft.asarray([[1.0, np.nan, 3.0], [np.inf, np.inf, 1.0], [-np.inf, 0.0, np.inf]])
    assert np.array_equal(weft.median(x, axis=1).numpy(), [np.nan, np.inf, 0.0], equal_nan=True)
    assert np.array_equal(weft.quantile(x, 0.75, axis=1).numpy(), [np.nan, np.inf, np.inf], equal_nan=True)
    assert weft.median([1.7e308, 1.5e308]).item() == 1.6e308
    assert weft.median(weft.bfloat16([3, 1, 2])).dtype is weft.bfloat16
    assert weft.median([True, False]).item() == 0.5


def test_they_are_lazy_and_write_into_destinations():
    x = weft.arange(6.0)
    m = weft.median(x)
    x[...] = 0
    assert m.item() == 2.5
    out = np.zeros(2, ">f4")
    weft.quantile([[1, 2], [3, 4]], 0.5, axis=1, out=out)
    assert out.tolist() == [1.5, 3.5]


def test_messages():
    with pytest.raises(ValueRangeError, match=r"quantile: q 1.5; parts lie in \[0, 1\]"):
        weft.quantile([1, 2], 1.5)
    with pytest.raises(ValueRangeError, match=r"percentile: q \[nan\]; parts lie in \[0, 100\]"):
        weft.percentile([1, 2], [np.nan])
    with pytest.raises(ValueRangeError, match="quantile: method 'best'; methods are midpoint, linear"):
        weft.quantile([1, 2], 0.5, method="best")
    with pytest.raises(DTypeError, match=r"median: complex128 cells; .* take real.. or abs.. first"):
        weft.median([1j])
    with pytest.raises(ShapeError, match=r"median: axes .0,. of shape .0, 2. are empty"):
        weft.median(weft.zeros((0, 2)), axis=0)
    with pytest.raises(DTypeError, match="median: float8_e5m2 operands; the float8 kinds are for storage"):
        weft.median(weft.float8_e5m2([1.0]))


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_the_probabilities_by_name(name: str) -> None:
    x = np.array([1.0, 4.0, 2.0, 8.0])
    assert getattr(weft, name)(weft.asarray(x), q=0.5).item() == getattr(np, name)(x, q=0.5)


def test_those_of_cells_that_are_not_nan_are_lazy_too():
    x = weft.asarray([[1.0, np.nan, 3.0], [5.0, 2.0, np.nan]]).requires_grad_()
    made = weft.nanquantile(x * 1, [0.25, 1.0], axis=1)
    assert made._place.node.value is None
    with weft.no_grad():
        x[...] = 0
    assert made.tolist() == [[1.5, 2.75], [3.0, 5.0]]
    made.sum().backward()
    assert x.grad.tolist() == [[0.75, 0.0, 1.25], [1.25, 0.75, 0.0]]
