"""Grids of coordinates beside NumPy's, and what is refused."""

import numpy as np
import pytest

import weft
from tests.refusals import refusals
from weft.errors import DTypeError, ShapeError, ValueRangeError

BRACKETS = [
    np.s_[0:5], np.s_[:3], np.s_[2:9:3], np.s_[5:0:-2], np.s_[3:3], np.s_[-1:1:5j], np.s_[0:1:0.25], np.s_[0.5:3],
    np.s_[0:1:1j], np.s_[0:3,], np.s_[0:2, 0:3], np.s_[-1:1:3j, 0:4], np.s_[0:1:0.5, 2:0:-1, 0:2], np.s_[0:0, 0:3],
    np.s_[1:2:-3j, 0:np.int64(2)],
]  # fmt: skip


@pytest.mark.parametrize("key", BRACKETS, ids=str)
def test_brackets_like_numpy(key):
    made, wanted = weft.mgrid[key], np.mgrid[key]
    assert made.shape == wanted.shape and made.dtype == wanted.dtype
    np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-15)
    made, wanted = weft.ogrid[key], np.ogrid[key]
    for m, w in zip(*((made, wanted) if isinstance(key, tuple) else ([made], [wanted])), strict=True):
        assert m.shape == w.shape and m.dtype == w.dtype
        np.testing.assert_allclose(m.numpy(), w, rtol=1e-15)


@pytest.mark.parametrize("shape", [3, (3,), (2, 3), (2, 0, 3), (2, 3, 4)])
@pytest.mark.parametrize("dtype", [int, "f4", np.uint8])
def test_indices_like_numpy(shape, dtype):
    if shape != 3:
        made, wanted = weft.indices(shape, dtype), np.indices(shape, dtype)
        assert made.dtype == wanted.dtype and made.shape == wanted.shape and (made.numpy() == wanted).all()
        for m, w in zip(weft.indices(shape, dtype, sparse=True), np.indices(shape, dtype, sparse=True), strict=True):
            assert m.dtype == w.dtype and m.shape == w.shape and (m.numpy() == w).all()
    else:
        assert weft.indices(3).tolist() == [[0, 1, 2]]


def test_grids_are_pending_and_functions_of_coordinates():
    grid = weft.indices((1 << 20, 1 << 20))
    assert grid[:, -1, 5].tolist() == [(1 << 20) - 1, 5]
    assert weft.fromfunction(lambda i, j, k: i * k + j, (2, 3), k=10).tolist() == [[0, 1, 2], [10, 11, 12]]
    assert weft.fromfunction(function=lambda i, j: i - j, shape=(2, 2)).tolist() == [[0, -1], [1, 0]]
    assert repr(weft.mgrid) == "weft.mgrid" and repr(weft.ogrid) == "weft.ogrid"


CASES = {
    "no end": (lambda: weft.mgrid[1:], ValueRangeError, "mgrid: a slice without an end"),
    "no step": (lambda: weft.ogrid[0:3:0], ValueRangeError, "ogrid: step 0; it would never end"),
    "no slice": (lambda: weft.mgrid[0:3, 1], DTypeError, "mgrid: 1 in the brackets; axes are slices; write mgrid"),
    "no number": (lambda: weft.mgrid["a":3], DTypeError, "mgrid: 'a' is no number"),
    "negative": (lambda: weft.indices((2, -1)), ShapeError, "indices: shape .2, -1. has a negative size"),
}  # fmt: skip

test_message = refusals(CASES)


A, M = np.arange(3.0), np.arange(6).reshape(3, 2)
JOINED = [
    "r_[1, 2, 3]", "r_[A, 0, 5]", "r_[0:4, 9]", "r_[0:1:5j, A]", "r_[M, M]", "r_[A.astype('f4'), 1, 2.5]", "r_[2]",
    "r_[M[0], 2j]", "c_[A, A]", "c_[M, A]", "c_[1, 2]", "c_[0:3, A]", "c_[M, M]", "c_[A[None], M[None, 0]]", "c_[A]",
]  # fmt: skip


@pytest.mark.parametrize("text", JOINED)
def test_joins_like_numpy(text):
    made, wanted = eval(f"weft.{text}"), eval(f"np.{text}")
    assert made.shape == wanted.shape and made.dtype == wanted.dtype and made.tolist() == wanted.tolist()
    made = eval(
        f"weft.{text}", {"weft": weft, "A": weft.asarray(A), "M": weft.asarray(M)} if "'f4'" not in text else None
    )
    assert made.tolist() == wanted.tolist()


def test_joins_refuse_texts():
    with pytest.raises(DTypeError, match="r_: a text in the brackets; axes are not named so here; use concat"):
        weft.r_["0,2", A]
    assert repr(weft.r_) == "weft.r_" and repr(weft.c_) == "weft.c_"


def test_positions_of_a_tensors_diagonal_and_triangles():
    for name in ("tril_indices_from", "triu_indices_from"):
        for k in (-1, 0, 1):
            for m, w in zip(getattr(weft, name)(weft.asarray(M), k), getattr(np, name)(M, k), strict=True):
                assert m.tolist() == w.tolist()
        with pytest.raises(ShapeError, match=rf"{name}: shape \(3,\); triangles are those of a matrix"):
            getattr(weft, name)(A)
    assert [i.tolist() for i in weft.diag_indices_from(np.ones((3, 3, 3)))] == [[0, 1, 2]] * 3
    with pytest.raises(ShapeError, match=r"diag_indices_from: shape \(3, 2\); sizes of a diagonal are equal"):
        weft.diag_indices_from(M)
