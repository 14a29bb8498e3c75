"""Weighted means, covariances, counts of values and bins: NumPy's, for every dtype, byte order and layout."""

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import DTypeError, ShapeError, ValueRangeError

RNG = np.random.default_rng(2)
W = RNG.random((4, 30))
TOLERANCE = {"f4": 1e-5, "c8": 1e-5}


@pytest.fixture(params=["cpu", "reference"], autouse=True)
def transformer(request):
    with weft.transformer(request.param):
        yield request.param


def layouts(dtype):
    a = (RNG.normal(size=(4, 30)) * 20 + 30).clip(0, 120).astype(dtype)
    a = a + 1j * a[::-1] if np.dtype(dtype).kind == "c" else a
    return [a, a[::-1], a.T.copy().T, a[:, ::-3]]


def near(got, expected, dtype, times=1):
    tolerance = times * TOLERANCE.get(dtype, 1e-12)
    assert got.shape == np.shape(expected)
    assert np.allclose(got.numpy(), expected, rtol=tolerance, atol=tolerance)


AVERAGED = ["f8", "f4", ">f8", "i4", "u1", ">i8", "c16", "c8", "?"]


@pytest.mark.parametrize(("dtype", "part"), in_turn(AVERAGED, range(2), every=2))
def test_averages_and_covariances_like_numpy(dtype, part, transformer):
    for a in layouts(dtype)[part :: 2 if transformer == "cpu" else 3]:
        w = W[:, : a.shape[1]]
        near(weft.average(a, weights=w), np.average(a, weights=w), dtype)
        near(weft.average(a, axis=1, weights=w[0]), np.average(a, axis=1, weights=w[0]), dtype)
        near(weft.average(a, 0, keepdims=True), np.average(a, axis=0, keepdims=True), dtype)
        for got, expected in zip(
            weft.average(a, 0, weights=w, returned=True), np.average(a, 0, weights=w, returned=True), strict=True
        ):
            near(got, expected, dtype)
        if dtype == "?":
            continue
        near(weft.cov(a), np.cov(a), dtype, 100)
        near(weft.cov(a, rowvar=False, correction=0), np.cov(a, rowvar=False, ddof=0), dtype, 100)
        near(weft.cov(a[0]), np.cov(a[0]), dtype, 100)
        near(weft.corrcoef(a), np.corrcoef(a), dtype, 10)
        near(weft.cov(a[0], a[1:]), np.cov(a[0], a[1:]), dtype, 100)
        near(weft.corrcoef(a[0], a[1]), np.corrcoef(a[0], a[1]), dtype, 10)


def test_as_few_observations_as_are_corrected_for_have_no_covariance():
    for correction in (2, 5):
        assert weft.cov(weft.asarray([[1.0, 2.0], [3.0, 1.0]]), correction=correction).tolist() == [
            [weft.inf, -weft.inf], [-weft.inf, weft.inf],
        ]  # fmt: skip
    assert weft.isnan(weft.cov(weft.zeros((2, 0)))).all()


@pytest.mark.parametrize("dtype", ["f8", "f4", ">f8", "i4", "u1", ">i8"])
def test_histograms_like_numpy(dtype, transformer):
    for a in layouts(dtype)[:: 1 if transformer == "cpu" else 3]:
        for bins in (7, [0, 20, 30, 50], [30, 30, 31]):
            for how in ({}, {"range": (0, 50)}, {"weights": W[:, : a.shape[1]]}):
                counts, bounds = weft.histogram(a, bins, **how)
                expected, edges = np.histogram(a, bins, **how)
                near(counts, expected, dtype)
                near(bounds, edges, dtype)
                assert counts.dtype is (weft.float64 if "weights" in how else weft.int64)
        near(weft.histogram(a, 5, density=True)[0], np.histogram(a, 5, density=True)[0], dtype)
        for bounds in ([10, 20, 30], [30, 20, 20, 1], [5]):
            for right in (False, True):
                got = weft.digitize(a, bounds, right=right)
                assert np.array_equal(got.numpy(), np.digitize(a, bounds, right))


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i4", "i8", "u8", "?"])
def test_counts_like_numpy(dtype):
    values = RNG.integers(0, 2 if dtype == "?" else 90, 200).astype(dtype)
    for a in (values, values[::-3], values[:0], values[5:6]):
        plain = a.astype("i8")  # NumPy counts what is safely an intp
        assert np.array_equal(weft.bincount(a).numpy(), np.bincount(plain))
        assert np.array_equal(weft.bincount(a, minlength=100).numpy(), np.bincount(plain, minlength=100))
        w = RNG.random(a.size)
        near(weft.bincount(a, w, minlength=7), np.bincount(plain, w, minlength=7), "f8")
    assert weft.bincount([1, 1], weights=[2, 3]).dtype is weft.int64  # exact, where NumPy's are floats


def test_nothing_to_count():
    assert weft.histogram(weft.zeros(0))[0].tolist() == [0] * 10
    assert [t.tolist() for t in weft.histogram([2.0, 2.0], 2)] == [[0, 2], [1.5, 2.0, 2.5]]
    assert weft.histogram([1.0, np.nan], 2, range=(0, 2))[0].tolist() == [0, 1]
    assert np.isnan(weft.average([1.0, 2.0], weights=[0, 0]).item())


def test_work_on_a_device_stays_there():
    x = weft.arange(5).to("thread:0")
    assert weft.bincount(x).device == weft.histogram(x * 1.0)[0].device == weft.cov(x * 1.0).device == "thread:0"


CASES = {
    "weights": (lambda: weft.average([1, 2], weights=[1]), ShapeError, "average: weights of shape .1,. for shape .2,."),
    "observations": (lambda: weft.cov([1.0, 2.0], [1.0]), ShapeError, "cov: 2 and 1 observations; x and y"),
    "rules": (lambda: weft.histogram([1.0], bins="auto"), ValueRangeError, "histogram: bins 'auto'; rules for"),
    "variables": (lambda: weft.cov(weft.zeros((2, 2, 2))), ShapeError, "cov: shape .2, 2, 2.; variables and obs"),
    "floats": (lambda: weft.bincount([1.5]), DTypeError, "bincount: float64 of shape .1,.; a vector of integers"),
    "negative": (lambda: weft.bincount([3, -2]), ValueRangeError, "bincount: a value of -2; values from 0 on"),
    "bin weights": (lambda: weft.bincount([1], [1, 2]), ShapeError, "bincount: weights of shape .2,. for .1,. values"),
    "order": (lambda: weft.digitize([1], [1, 3, 2]), ValueRangeError, "digitize: bins that neither rise nor fall"),
    "bounds": (lambda: weft.digitize([1], [[1]]), ShapeError, "digitize: bins of shape .1, 1.; bounds are a vector"),
    "no bins": (lambda: weft.histogram([1], 0), ValueRangeError, "histogram: 0 bins; there is one at least"),
    "falling": (lambda: weft.histogram([1], [2, 1]), ValueRangeError, "histogram: bins of shape .2,.; bounds are a ri"),
    "nan": (lambda: weft.histogram([1, np.nan]), ValueRangeError, "histogram: bins from nan to nan; both ends are fin"),
    "complex": (lambda: weft.histogram([1j]), DTypeError, "histogram: complex128 cells; bins are of real numbers"),
    "counts": (lambda: weft.histogram([1], weights=[1, 2]), ShapeError, "histogram: 2 weights for 1 cells"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_message(name):
    wrong, kind, says = CASES[name]
    with pytest.raises(kind, match=says):
        wrong()
