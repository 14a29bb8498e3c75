"""Tensors turned, widened, set beside each other: NumPy's cells, and views where only places change."""

import numpy as np
import pytest

import weft
from tests.refusals import refusals
from weft.errors import ShapeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")

A = np.arange(24).reshape(2, 3, 4)
DTYPES = ["?", "u1", ">i4", "f2", "f8", "c16"]


def same(got, expected):
    assert got.shape == expected.shape and np.array_equal(got.numpy(), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_places_like_numpy(dtype):
    a = A.astype(dtype)
    for k in range(-5, 6):
        for axes in ((0, 1), (1, 0), (2, 0), (-1, 1)):
            same(weft.rot90(a, k, axes), np.rot90(a, k, axes))
    v, m = a[0, 0], a[:, :, 0].T
    for parts in ([v, v], [m, a[0, :, :1]], [v, v.astype("c8")]):
        same(weft.column_stack(parts), np.column_stack(parts))
    for parts in ([v, v[::-1]], [m, m], [a, a[::-1]], [1, 2], [m, m[:, :, None]]):
        same(weft.dstack(parts), np.dstack(parts))
    for x in (a[0, 0, 0], v, m, a):
        same(weft.atleast_1d(x), np.atleast_1d(x))
        same(weft.atleast_2d(x), np.atleast_2d(x))
    same(weft.argwhere(a % 3 if dtype[0] not in "?c" else a), np.argwhere(a % 3 if dtype[0] not in "?c" else a))


def test_turns_and_widenings_are_views():
    x = weft.zeros((2, 3))
    for view in (weft.rot90(x), weft.rot90(x, 2), weft.rot90(x, 3), weft.rot90(x, 4), weft.atleast_2d(x[0])):
        view += 1
    assert x.tolist() == [[5.0] * 3, [4.0] * 3]


@pytest.mark.parametrize("dtype", ["u1", ">f4", "c16"])
def test_kronecker_products_like_numpy(dtype):
    for s in ((), (2,), (2, 3), (0,), (2, 1, 3)):
        for t in ((), (3,), (2, 2), (4, 1, 2)):
            a, b = (np.arange(np.prod(shape)).reshape(shape).astype(dtype) for shape in (s, t))
            same(weft.kron(a, b), np.kron(a, b))


def test_angles_and_spaces_like_numpy():
    x = np.array([1.0, -1, 0, -0.0, np.nan, np.inf, -np.inf])
    for values in (x, x.astype(">f4"), np.array([1, -2]), np.array([1 + 2j, -1 - 1e-3j, -1j])):
        assert np.allclose(weft.angle(values).numpy(), np.angle(values), equal_nan=True)
    for name in ("rad2deg", "deg2rad"):
        assert np.allclose(getattr(weft, name)(x).numpy(), getattr(np, name)(x), rtol=1e-15, equal_nan=True)
    assert np.allclose(weft.logspace(-1, 3, 7, base=2.0).numpy(), np.logspace(-1, 3, 7, base=2.0), rtol=1e-15)
    for ends in ((1, 256), (-2, -50), (1000, 1e-3)):
        for n, endpoint in ((9, True), (5, False), (1, True), (0, True)):
            got = weft.geomspace(*ends, n, endpoint=endpoint).numpy()
            assert np.allclose(got, np.geomspace(*ends, n, endpoint=endpoint), rtol=1e-14)
    assert weft.geomspace(0.3, 7.7, 5).tolist()[::4] == [0.3, 7.7]


CASES = {
    "plane": (lambda: weft.rot90(A, axes=(0, 1, 2)), ShapeError, "rot90: axes .0, 1, 2.; a plane has two"),
    "one axis": (lambda: weft.rot90(A, axes=(0, -3)), ShapeError, "rot90: axes .0, -3. of rank 3 are one"),
    "columns of one": (lambda: weft.column_stack(weft.zeros(3)), ShapeError, "column_stack: no sequence of tensors"),
    "layers of one": (lambda: weft.dstack(3), ShapeError, "dstack: no sequence of tensors"),
    "signs": (lambda: weft.geomspace(-1, 1), ValueRangeError, "geomspace: from -1.0 to 1.0; a factor leads from one"),
}  # fmt: skip

test_message = refusals(CASES)
