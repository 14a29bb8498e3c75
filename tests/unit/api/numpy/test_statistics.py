"""Weighted means and covariances: NumPy's, for every dtype, byte order and layout."""

import numpy as np
import pytest

import weft
from tests.refusals import refusals
from tests.shares import in_turn
from tests.unit.api.numpy.measurements import WEIGHTS, layouts
from weft.errors import ShapeError

pytestmark = pytest.mark.usefixtures("transformer")

TOLERANCE = {"f4": 1e-5, "c8": 1e-5}


def near(got, expected, dtype, times=1):
    tolerance = times * TOLERANCE.get(dtype, 1e-12)
    assert got.shape == np.shape(expected)
    assert np.allclose(got.numpy(), expected, rtol=tolerance, atol=tolerance)


AVERAGED = ["f8", "f4", ">f8", "i4", "u1", ">i8", "c16", "c8", "?"]


@pytest.mark.parametrize(("dtype", "part"), in_turn(AVERAGED, range(4), every=4))
def test_averages_and_covariances_like_numpy(dtype, part):
    for a in layouts(dtype)[part::4]:
        w = WEIGHTS[:, : a.shape[1]]
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


def test_weights_that_add_up_to_nothing():
    assert np.isnan(weft.average([1.0, 2.0], weights=[0, 0]).item())


def test_work_on_a_device_stays_there():
    x = weft.arange(5).to("thread:0")
    assert weft.cov(x * 1.0).device == "thread:0"


CASES = {
    "weights": (lambda: weft.average([1, 2], weights=[1]), ShapeError, "average: weights of shape .1,. for shape .2,."),
    "observations": (lambda: weft.cov([1.0, 2.0], [1.0]), ShapeError, "cov: 2 and 1 observations; x and y"),
    "variables": (lambda: weft.cov(weft.zeros((2, 2, 2))), ShapeError, "cov: shape .2, 2, 2.; variables and obs"),
}  # fmt: skip

test_message = refusals(CASES)


@pytest.mark.parametrize("axis", [(0, 1), (1, 0), (2, 0), 1])
def test_weights_of_several_axes(axis):
    a = np.arange(8.0).reshape(2, 2, 2)
    w = np.array([[0.25, 0.75], [1.0, 0.5]]) if isinstance(axis, tuple) else np.array([1.0, 3.0])
    for keepdims in (False, True):
        expected = np.average(a, axis=axis, weights=w, keepdims=keepdims)
        np.testing.assert_allclose(weft.average(a, axis=axis, weights=w, keepdims=keepdims).numpy(), expected)
