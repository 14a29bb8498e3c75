"""Powers of floats by 0.5, -1 and 2: correctly rounded, with the special values of `pow`, in the time of a root."""

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import dtypes as dt

VALUES = [0.0, -0.0, 1.0, 4.0, 3.0, np.inf, -np.inf, np.nan, -3.0, 5e-324, 1e-310, 1.7e308, -1.0]
pytestmark = pytest.mark.usefixtures("transformer")


@for_each("dtype", ["f2", "f4", ">f4", "f8"])
@for_each("power", [0.5, -1, -1.0, 2])
@np.errstate(all="ignore")
def test_powers_have_the_values_of_power(dtype, power):
    a = np.asarray(VALUES).astype(dtype)
    exact = {0.5: np.sqrt, -1: np.reciprocal, 2: np.square}[power](a)
    exact = np.where(np.isneginf(a), np.float16(np.inf), exact + 0) if power == 0.5 else exact
    for found in (weft.asarray(a) ** power, weft.pow(weft.asarray(a), power), weft.asarray(a[::-1])[::-1] ** power):
        assert found.dtype == weft.asarray(a).dtype
        np.testing.assert_array_equal(found.numpy(), exact)
        cells = ~np.isnan(exact)
        np.testing.assert_array_equal(np.signbit(found.numpy())[cells], np.signbit(exact)[cells])
        np.testing.assert_allclose(found.numpy(), np.power(a, np.full_like(a, power)), rtol=1e-6)


def test_powers_of_other_numbers_are_what_they_were():
    n = weft.asarray([1, 4, -1])
    assert (n**-1).tolist() == [1, 0, -1] and (n[:2] ** 0.5).tolist() == [1.0, 2.0]
    assert (weft.asarray([2j]) ** -1).tolist() == [-0.5j] and (weft.asarray(4.0) ** 0.5).item() == 2.0
    assert (weft.ones(2, dtype=dt.bfloat16) ** 0.5).dtype is dt.bfloat16
    x = weft.translate(weft.asarray([4.0, 9.0]), 3)
    assert (x**0.5).domain == x.domain == (x**-1).domain
    x **= 0.5
    assert x.tolist() == [2.0, 3.0]


def test_math_modes_judge_powers_as_powers():
    with weft.math_mode("error"), pytest.raises(weft.errors.WeftError, match=r"pow: 0\.0 and -1\.0"):
        (weft.asarray([0.0]) ** -1).realize()
    with weft.math_mode("complex"):
        assert abs((weft.asarray([-4.0]) ** 0.5)[0].item() - 2j) < 1e-14


def test_gradients_of_powers():
    w = weft.asarray([4.0, 1.0]).requires_grad_()
    (w**0.5 + w**-1).sum().backward()
    assert w.grad.tolist() == [0.25 - 0.0625, 0.5 - 1.0]
