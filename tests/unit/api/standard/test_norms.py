"""Norms of vectors: every order and dtype against NumPy in double, without overflow on the way."""

import numpy as np
import pytest

import weft
from weft import dtypes as dt

ORDERS = (0, 1, 2, 3, 0.5, np.inf, -np.inf, -1)
INEXACT = [d for d in dt.COMMON if d.is_inexact]


CASES = [(p, d) for p in ORDERS for d in INEXACT if p in (0, 1, 2, np.inf) or d is dt.float32]


@pytest.mark.parametrize(("order", "dtype"), CASES, ids=str)
def test_like_numpy(order, dtype):
    rng = np.random.default_rng(1)
    a = rng.normal(size=(3, 40)) + (1j * rng.normal(size=(3, 40)) if dtype.kind == "complex" else 0)
    x = weft.asarray(a).astype(dtype)
    wide = x.numpy().astype(np.complex128 if dtype.kind == "complex" else np.float64)
    got = weft.linalg.vector_norm(x, axis=1, ord=order)
    assert got.dtype is dtype.real
    expected = np.linalg.norm(wide, axis=1, ord=order)
    assert np.allclose(got.numpy().astype("f8"), expected, rtol=4 * dt.float_limits(dtype.real).eps)
    assert weft.linalg.vector_norm(x, ord=order, keepdims=True).shape == (1, 1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "complex64"])
@pytest.mark.parametrize("order", (2, 3))
def test_powers_do_not_leave_the_range(order, dtype):
    limits = dt.float_limits(dt.spelled(dtype)[0].real)
    for size in (limits.max / 16, limits.smallest_normal * 4):
        x = weft.asarray([3 * size, 4 * size]).astype(dtype)
        expected = np.linalg.norm(x.numpy().astype("c16"), ord=order)
        assert np.isclose(float(weft.linalg.vector_norm(x, ord=order).item()), expected, rtol=2 * limits.eps, atol=0)


def test_nan_as_zero():
    x = weft.asarray([3.0, np.nan, 4.0])
    assert np.isnan(weft.linalg.vector_norm(x).item())
    assert weft.linalg.vector_norm(weft.fill_nan(x, 0)).item() == 5
