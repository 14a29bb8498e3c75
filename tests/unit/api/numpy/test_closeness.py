"""Equality and closeness, and numbers in place of none: NumPy's answers, for every dtype, byte order and layout."""

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import DTypeError, ShapeError

pytestmark = pytest.mark.usefixtures("transformer")

VALUES = [0.0, 1.0, np.nan, np.inf, -np.inf, 1 + 1e-6, 1e-9, -2.0]
RNG = np.random.default_rng(0)


def pairs(dtype):
    if np.dtype(dtype).kind in "fc":
        a = RNG.choice(VALUES, size=(12, 20)).astype(dtype)
        a = a + 1j * RNG.choice(VALUES[:2], size=a.shape).astype(dtype) if np.dtype(dtype).kind == "c" else a
    else:
        a = RNG.integers(0, 2 if dtype == "?" else 120, size=(12, 20)).astype(dtype)
    b = np.where(RNG.random(a.shape) < 0.5, a, RNG.permutation(a.ravel()).reshape(a.shape)).astype(dtype)
    return [(a, b), (a[::-1], b.T.copy().T), (a[:, ::3], b[:, ::3]), (a[0], b), (a[:0], b[:0]), (a[0, 0], b[1, 1])]


@pytest.mark.parametrize(
    ("dtype", "equal_nan", "part"),
    in_turn(["?", "i1", "u1", "i4", ">i8", "f4", "f8", ">f8", "c8", "c16"], [False, True], range(3), every=6),
)
def test_like_numpy(dtype, equal_nan, part):
    for a, b in pairs(dtype)[part::3]:
        with np.errstate(all="ignore"):
            expected = np.isclose(a, b, equal_nan=equal_nan)
            assert np.array_equal(weft.isclose(a, b, equal_nan=equal_nan).numpy(), expected)
            assert np.array_equal(weft.isclose(a, b, rtol=0.5, atol=1).numpy(), np.isclose(a, b, rtol=0.5, atol=1))
        for x, y in ((a, b), (a, a)):
            assert weft.allclose(x, y, equal_nan=equal_nan).item() == np.allclose(x, y, equal_nan=equal_nan)
            assert weft.array_equal(x, y, equal_nan=equal_nan).item() == np.array_equal(x, y, equal_nan=equal_nan)


@pytest.mark.parametrize("how", [{}, {"nan": 3.0, "posinf": 5, "neginf": -7.0}, {"nan": weft.inf}])
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", ">f4", "f8", "c8", ">c16"])
def test_numbers_for_none_like_numpy(dtype, how):
    for a, _ in pairs(dtype):
        got = weft.nan_to_num(a, **how)
        assert np.array_equal(got.numpy(), np.nan_to_num(a, **how))
        assert got.dtype == weft.asarray(a).dtype


def test_narrow_dtypes_are_measured_in_wider_ones():
    x = weft.asarray([1.0, 2.0, np.inf, np.nan], dtype=weft.bfloat16)
    assert weft.isclose(x, weft.float16([1.001, 2.1, np.inf, np.nan]), rtol=1e-2).tolist() == [True, False, True, False]
    assert weft.nan_to_num(x).tolist() == [1.0, 2.0, weft.finfo(weft.bfloat16).max, 0.0]
    assert weft.nan_to_num(weft.complex32([complex(np.nan, 1)])).tolist() == [1j]
    assert weft.array_equal(weft.float8_e4m3fn([1.0, 2.0]), [1.0, 2.0]).item()
    with pytest.raises(DTypeError, match="isclose: float8_e4m3fn operands; the float8 kinds are for storage"):
        weft.isclose(weft.float8_e4m3fn([1.0]), 1.0)


def test_shapes():
    assert weft.isclose(weft.zeros((2, 1)), weft.zeros(3)).shape == (2, 3)
    assert not weft.array_equal(weft.zeros(3), weft.zeros((1, 3)))
    with pytest.raises(ShapeError, match=r"shapes .2,. and .3,. do not broadcast"):
        weft.allclose(weft.zeros(2), weft.zeros(3))
