"""Norms and least squares beside NumPy's."""

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import ShapeError

A = np.arange(24.0).reshape(2, 3, 4) - 7


def near(made, wanted, tolerance=1e-9):
    assert made.shape == np.shape(wanted)
    np.testing.assert_allclose(made.numpy(), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("dtype", "keepdims", "part"),
    in_turn(["?", "i1", ">u2", "f2", "f4", ">f8", "c8", "c16"], [False, True], range(3), every=6),
)
def test_norms_like_numpy(dtype, keepdims, part):
    a = A.astype(dtype) * (1 + 1j if dtype[0] == "c" else 1)
    tolerance = 2e-3 if dtype == "f2" else 1e-5
    for cells in (a, a.T, a[:, ::-1, ::2], a[0, 0], a[0, 0, 0]):
        near(weft.linalg.norm(weft.asarray(cells)), np.linalg.norm(cells), tolerance)
    for order in (None, 0, 1, 2, 3, -1, np.inf, -np.inf)[part::3]:
        for axis in (0, -1):
            how = {"ord": order, "axis": axis, "keepdims": keepdims}
            with np.errstate(divide="ignore"):
                wanted = np.linalg.norm(a.astype(complex), **how)
            near(weft.linalg.norm(weft.asarray(a), **how), wanted, tolerance)
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)[part::3]:
        for axis in ((0, 1), (2, 0), (-1, -2)):
            how = {"ord": order, "axis": axis, "keepdims": keepdims}
            near(weft.linalg.norm(weft.asarray(a), **how), np.linalg.norm(a.astype("c16"), **how), tolerance)


def systems():
    rng = np.random.default_rng(0)
    for m, n in ((5, 3), (3, 5), (4, 4), (0, 2), (2, 0), (1, 1)):
        yield rng.normal(size=(m, n)), rng.normal(size=(m, 2))
    low = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 4))
    yield low, rng.normal(size=(6, 3))


@pytest.mark.parametrize("dtype", ["f4", ">f8", "c8", "c16"])
def test_solutions_like_numpy(dtype):
    for a, b in systems():
        a = a.astype(dtype) * (1 - 2j if dtype[0] == "c" else 1)
        for right in (b.astype(dtype), b[:, 0].astype(dtype)[::-1]):
            made = weft.linalg.lstsq(weft.asarray(a.T.copy().T), right, 1e-4)
            for m, w in zip(made, np.linalg.lstsq(a, right, 1e-4), strict=True):
                near(m, w, 2e-4 if dtype in ("f4", "c8") else 1e-9)
    a, b = np.array([[1, 0], [0, 1e-3], [1, 1]]), [1, 2, 3]
    for rcond in (None, -1, 0.1, 1e-9):
        for m, w in zip(weft.linalg.lstsq(a, b, rcond), np.linalg.lstsq(a, b, rcond), strict=True):
            near(m, w)


def test_solutions_have_gradients():
    b = weft.asarray([1.0, 2.0, 4.0]).requires_grad_()
    a = np.array([[0.0, 1], [1, 1], [2, 1]])
    weft.linalg.lstsq(a, b).solution[0].backward()
    np.testing.assert_allclose(b.grad.numpy(), np.linalg.pinv(a)[0], atol=1e-12)


def test_conditions_like_numpy():
    a = np.stack([np.eye(3), np.ones((3, 3)), np.arange(9.0).reshape(3, 3) ** 2 - 7])
    for p in (None, 2, -2):
        near(weft.linalg.cond(weft.asarray(a[[0, 2]]), p), np.linalg.cond(a[[0, 2]], p))
    for p in (1, -1, np.inf, -np.inf, "fro"):
        near(weft.linalg.cond(weft.asarray(a), p), np.linalg.cond(a, p))
    near(weft.linalg.cond(weft.asarray(a[2, :2].astype("f2"))), np.linalg.cond(a[2, :2]), 1e-2)
    with pytest.raises(ShapeError, match=r"cond: shape \(0, 3\); matrices without cells have no condition"):
        weft.linalg.cond(np.ones((0, 3)))


def test_tensors_as_maps_like_numpy():
    a = np.random.default_rng(3).normal(size=(2, 3, 6))
    near(weft.linalg.tensorinv(weft.asarray(a)), np.linalg.tensorinv(a))
    near(weft.linalg.tensorinv(a.transpose(2, 0, 1), ind=1), np.linalg.tensorinv(a.transpose(2, 0, 1), ind=1))
    near(weft.linalg.tensorsolve(a, np.ones((2, 3))), np.linalg.tensorsolve(a, np.ones((2, 3))))
    turned = a.transpose(2, 0, 1)[:, :, None]
    near(
        weft.linalg.tensorsolve(turned, A[0, 0, :1] * np.ones(6), (1,)),
        np.linalg.tensorsolve(turned, -7 * np.ones(6), (1,)),
    )
    with pytest.raises(ShapeError, match=r"tensorinv: \(2,\) and \(3, 6\) of shape"):
        weft.linalg.tensorinv(a, 1)
    with pytest.raises(ShapeError, match=r"tensorsolve: shapes \(2, 3, 6\) and \(2,\); there is an equation"):
        weft.linalg.tensorsolve(a, np.ones(2))


def test_cross_products_along_axes_like_numpy():
    a, b = np.arange(24.0).reshape(2, 3, 4) ** 2, np.arange(24.0).reshape(4, 2, 3)
    for how in ({"axisa": 1, "axisb": 2, "axisc": 0}, {"axisa": -2}):
        right = b.transpose(1, 0, 2)
        near(weft.cross(weft.asarray(a), right, **how), np.cross(a, right, **how))
    near(weft.cross(a, a[::-1], axis=1), np.cross(a, a[::-1], axis=1))
    with pytest.raises(ShapeError, match="cross: axis -1 of shapes"):
        weft.cross([1, 2], [3, 4])
