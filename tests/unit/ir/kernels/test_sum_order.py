"""The order of sums and scans against a cell-by-cell transcription of its law, and special cases of every reduction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from weft import dtypes as dt
from weft.ir.kernels import sum_order

SIZES = (0, 1, 2, 7, 8, 9, 100, 1023, 1024, 1025, 2048, 2049, 3 * 1024 + 5, 5 * 1024, 7 * 1024 + 1)


def random(kept: int, n: int, dtype: dt.DType, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype.is_integer:
        limits = np.iinfo(dtype.np)
        return rng.integers(limits.min, limits.max, (kept, n), dtype.np, endpoint=True)
    x = rng.standard_normal((kept, n)) * 2.0 ** rng.integers(-12, 12, (kept, n))
    if dtype.kind == "complex":
        x = x + 1j * rng.standard_normal((kept, n))
    return x.astype(dtype.np)


def binary_counter(values, combine):
    slots = []  # (level, value), highest level first
    for value in values:
        level = 0
        while slots and slots[-1][0] == level:
            value, level = combine(slots.pop()[1], value), level + 1
        slots.append((level, value))
    result = slots.pop()[1]
    while slots:
        result = combine(slots.pop()[1], result)
    return result


def lanes_of(cells, combine, identity):
    lanes = [identity] * 8
    for k, cell in enumerate(cells):
        lanes[k % 8] = combine(lanes[k % 8], cell)
    for half in (4, 2, 1):
        lanes = [combine(lanes[i], lanes[i + half]) for i in range(half)]
    return lanes[0]


def transcribed(cells, combine, identity):
    blocks = [lanes_of(cells[i : i + 1024], combine, identity) for i in range(0, len(cells), 1024)]
    return binary_counter(blocks, combine)


@pytest.mark.parametrize("n", SIZES[1:])
def test_sum_and_prod_follow_the_law(n):
    x = random(2, n, dt.float32)
    near_one = (1 + x / 2**13).astype(np.float32)
    for row in range(2):
        want = transcribed(list(x[row]), lambda a, b: a + b, np.float32(-0.0))
        assert sum_order.ordered_sum(x, dt.float32)[row] == want
        want = transcribed(list(near_one[row]), lambda a, b: a * b, np.float32(1))
        assert sum_order.ordered_prod(near_one, dt.float32)[row] == want


@pytest.mark.parametrize("n", (1, 9, 1025, 3077))
def test_complex_products_multiply_in_the_plain_way(n):
    x = (random(1, n, dt.complex64) / 2**13 + 1).astype(np.complex64)
    f = np.float32

    def times(p, q):
        (a, b), (c, d) = p, q
        return f(f(a * c) - f(b * d)), f(f(a * d) + f(b * c))

    cells = [(f(z.real), f(z.imag)) for z in x[0]]
    got = sum_order.ordered_prod(x, dt.complex64)[0]
    assert (got.real, got.imag) == transcribed(cells, times, (f(1), f(0)))


def moments(cells):
    f, c = np.float64, len(cells)
    mean = lanes_of(cells, lambda a, b: a + b, f(-0.0)) / f(c)
    return c, mean, lanes_of([(x - mean) * (x - mean) for x in cells], lambda a, b: a + b, f(-0.0))


def chan(a, b):
    n = a[0] + b[0]
    r = b[0] / n
    w, d = a[0] * r, b[1] - a[1]
    return n, a[1] + d * r, (a[2] + b[2]) + (d * d) * w


@for_each("n", SIZES[1:])
@for_each("correction", (0, 1, 0.5))
def test_variance_follows_the_law(n, correction):
    x = random(1, n, dt.float64) + 1000
    blocks = [moments(list(x[0, i : i + 1024])) for i in range(0, n, 1024)]
    got = sum_order.ordered_var(x, dt.float64, correction)[0]
    if n <= correction:
        assert not math.isfinite(got)
        return
    assert got == binary_counter(blocks, chan)[2] / (n - correction)
    assert math.isclose(got, np.var(x[0], ddof=correction), rel_tol=1e-12)


@for_each("dtype", [d for d in dt.COMMON if d.kind in ("float", "complex") and d.bits > 16])
@for_each("n", SIZES)
def test_scans_follow_the_law(n, dtype):
    x = random(3, n, dtype)
    got = sum_order.scan_rows("cumulative_sum", x, dtype, include_initial=True)
    assert got.dtype == dtype.np
    assert got.shape == (3, n + 1)
    prefix, local = dtype.np.type(0), dtype.np.type(0)
    for i in range(n):
        if i % 1024 == 0:
            prefix, local = (got[0, i] if i else None), x[0, i]
        else:
            local = local + x[0, i]
        assert got[0, i + 1] == (local if prefix is None else prefix + local)


def test_integer_scans_and_sums_wrap():
    x = random(2, 3000, dt.int32)
    assert (sum_order.scan_rows("cumulative_sum", x, dt.int32) == np.cumsum(x, axis=1, dtype=np.int32)).all()
    assert (sum_order.scan_rows("cumulative_prod", x, dt.int32) == np.cumprod(x, axis=1, dtype=np.int32)).all()
    assert (sum_order.ordered_sum(x, dt.int64) == x.sum(axis=1, dtype=np.int64)).all()
    assert (sum_order.ordered_prod(x, dt.uint64) == x.astype(np.uint64).prod(axis=1)).all()


def test_signed_zero_and_emptiness():
    minus = np.full((1, 3), -0.0)
    assert np.signbit(sum_order.ordered_sum(minus, dt.float32))[0]
    assert not np.signbit(sum_order.ordered_sum(minus[:, :0], dt.float32))[0]
    assert not np.signbit(sum_order.ordered_sum(np.array([[-0.0, 0.0]]), dt.float32))[0]
    assert sum_order.ordered_prod(minus[:, :0], dt.float64)[0] == 1
    assert np.isnan(sum_order.ordered_mean(minus[:, :0], dt.float64)[0])
    assert np.isnan(sum_order.ordered_var(minus[:, :0], dt.float64)[0])
    z = sum_order.ordered_sum(np.array([[complex(-0.0, -0.0)]]), dt.complex64)
    assert np.signbit(z.real)[0]
    assert np.signbit(z.imag)[0]


@for_each("op", [*sum_order.REDUCTIONS, "var"])
@for_each("kept", (0, 4))
def test_shapes(op, kept):
    assert sum_order.reduce_rows(op, np.ones((kept, 5)), dt.float64).shape == (kept,)


def test_minimum_and_maximum_order_zeros_and_let_nan_win():
    x = np.array([[0.0, -0.0, 1.0], [-0.0, 0.0, -1.0], [1.0, np.nan, -np.inf]])
    low, high = sum_order.minima(x, dt.float32), sum_order.maxima(x, dt.float32)
    assert low[0] == 0
    assert np.signbit(low[0])
    assert high[1] == 0
    assert not np.signbit(high[1])
    assert np.isnan(low[2])
    assert np.isnan(high[2])


def test_positions_are_the_first():
    x = np.array([[3.0, 1.0, 1.0], [0.0, -0.0, 5.0], [1.0, np.nan, -np.nan], [-np.inf, -np.inf, np.inf]])
    for acc in (dt.float16, dt.bfloat16, dt.float32, dt.float64):
        assert sum_order.arg_least(x, acc).tolist() == [1, 0, 1, 0]
        assert sum_order.arg_greatest(x, acc).tolist() == [0, 2, 1, 2]


@pytest.mark.parametrize("dtype", [d for d in dt.COMMON if d.kind != "complex"])
def test_extremes_agree_with_numpy(dtype):
    x = (np.arange(60).reshape(4, 15) * 37 % 23 % 7).astype(dtype.np)
    assert (sum_order.minima(x, dtype) == x.min(axis=1)).all()
    assert (sum_order.maxima(x, dtype) == x.max(axis=1)).all()
    assert (sum_order.arg_least(x, dtype) == x.astype(float).argmin(axis=1)).all()
    assert (sum_order.arg_greatest(x, dtype) == x.astype(float).argmax(axis=1)).all()
    assert sum_order.count_nonzero(x, dtype).tolist() == np.count_nonzero(x, axis=1).tolist()


def test_nan_is_not_zero():
    x = np.array([[np.nan, 0], [0, 0]])
    assert sum_order.any_nonzero(x, dt.float64).tolist() == [True, False]
    assert sum_order.all_nonzero(x[:, :1], dt.float64).tolist() == [True, False]
    assert sum_order.count_nonzero(x.astype(complex), dt.complex128).tolist() == [1, 0]


@given(st.integers(1, 4000), st.integers(0, 2**32))
def test_short_floats_accumulate_in_float32(n, seed):
    x = random(1, n, dt.float16, seed)
    got = sum_order.ordered_sum(x, dt.float32)
    assert got.dtype == np.float32
    assert got == sum_order.ordered_sum(x.astype(np.float32), dt.float32)
