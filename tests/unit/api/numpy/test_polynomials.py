"""Polynomials beside NumPy's, over dtypes and layouts."""

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import ValueRangeError

X = np.linspace(-2, 3, 9)
Y = np.cos(X) + X**2


def near(made, wanted, tolerance=1e-9):
    wanted = np.asarray(wanted)
    assert made.shape == wanted.shape and made.dtype == wanted.dtype
    np.testing.assert_allclose(made.numpy(), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("dtype", "p"),
    in_turn(
        ["i1", "u2", ">i4", "f2", "f4", ">f8", "c8", "c16"], [[3], [1, -2, 4], [0, 0, 2, 1], [0.5, 1], []], every=4
    ),
)
def test_values_like_numpy(dtype, p):
    for x in (np.arange(6).astype(dtype), np.arange(12).astype(dtype).reshape(3, 4).T[::-1], np.asarray(2, dtype)):
        for q in (np.asarray(p), np.asarray(p)[::-1]):
            made, wanted = weft.polyval(weft.asarray(q), weft.asarray(x)), np.polyval(q, x)
            assert made.shape == wanted.shape
            np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-6)
    assert np.isnan(weft.polyval([1, 2], weft.asarray([np.nan, np.inf])).numpy()).all()


def test_values_have_gradients():
    x = weft.asarray([1.0, 2.0]).requires_grad_()
    weft.polyval([3.0, 0.0, 1.0], x).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


@pytest.mark.parametrize("degree", [0, 1, 4])
@pytest.mark.parametrize("columns", [False, True])
def test_fits_like_numpy(degree, columns):
    y = np.stack([Y, np.sin(X)]).T if columns else Y
    w = np.arange(1.0, 10.0)
    for how in ({}, {"w": w}, {"rcond": 1e-3}):
        near(weft.polyfit(weft.asarray(X), weft.asarray(y), degree, **how), np.polyfit(X, y, degree, **how))
    for made, wanted in zip(weft.polyfit(X, y, degree, full=True), np.polyfit(X, y, degree, full=True), strict=True):
        np.testing.assert_allclose(np.asarray(made), wanted, rtol=1e-9, atol=1e-9)
    for cov in (True, "unscaled"):
        for made, wanted in zip(weft.polyfit(X, y, degree, cov=cov), np.polyfit(X, y, degree, cov=cov), strict=True):
            near(made, wanted)


def test_fits_of_other_cells_like_numpy():
    for x, y in ((np.arange(6), np.arange(6) ** 2), (X[::-2].astype(">f4"), Y[::-2]), (X, Y + 1j * X)):
        near(weft.polyfit(weft.asarray(x), y, 2), np.polyfit(x, y, 2), 1e-5)
    assert weft.polyfit(weft.ones(4), weft.ones(4), 0).tolist() == pytest.approx([1.0])


def test_messages():
    with pytest.raises(ValueRangeError, match="polyfit: cov= of 2 points for 2 coefficients; squares are divided"):
        weft.polyfit(X[:2], Y[:2], 1, cov=True)


@pytest.mark.parametrize("u", [[2.0], [1, 5, 6, 1], [1, 0, 0, -1], [3, 1j, 2]])
@pytest.mark.parametrize("v", [[1.0, 2], [4.0], [2, 0, -3.0], [1j, 1]])
def test_quotients_like_numpy(u, v):
    for made, wanted in zip(weft.polydiv(u, v), np.polydiv(u, v), strict=True):
        near(made, wanted)


@pytest.mark.parametrize("p", [[1, -3, 2], [1, 0, 1], [0, 0, 2, -4, 0, 0], [3], [0], [], [1j, 2], [2.5, 1, -8]])
def test_roots_like_numpy(p):
    made, wanted = weft.roots(p), np.roots(p)
    assert made.dtype == wanted.dtype
    np.testing.assert_allclose(np.sort_complex(made.numpy()), np.sort_complex(wanted), atol=1e-9)


@pytest.mark.parametrize("a", [[1, 2], [0, 0, 3, 0], [0, 0], [2.5], [0, 1j]])
@pytest.mark.parametrize("b", [[1, -2, 0], [0, 4], [0]])
def test_products_have_no_zeros_in_front(a, b):
    near(weft.polymul(a, weft.asarray(b)), np.polymul(a, b))
