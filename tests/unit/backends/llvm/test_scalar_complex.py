"""Complex numbers: parts, equality, questions, rounding, construction, and that functions find their table."""

from __future__ import annotations

import numpy as np
import pytest
import scalar_oracle as oracle
from scalar_harness import assert_same, run

from tests.shares import in_turn
from weft import dtypes as dt

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
complexes = pytest.mark.parametrize("dtype", oracle.COMPLEXES, ids=repr)
FUNCTIONS = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "sqrt": np.sqrt, "square": np.square, "reciprocal": np.reciprocal, "sign": np.sign,
}  # fmt: skip


def of(re: np.ndarray, im: np.ndarray, dtype: dt.DType) -> np.ndarray:
    z = np.empty(len(re), dtype.np)
    z.real, z.imag = re, im
    return z


def parted(function: object, z: np.ndarray, dtype: dt.DType) -> np.ndarray:
    return of(function(z.real), function(z.imag), dtype)  # type: ignore[operator]


@complexes
def test_ops_on_parts(dtype: dt.DType) -> None:
    z = oracle.samples(dtype)
    exact = {
        "positive": z,
        "negative": parted(np.negative, z, dtype),
        "conj": of(z.real, -z.imag, dtype),
        "real": z.real,
        "imag": z.imag,
        "round": parted(np.rint, z, dtype),
        "isfinite": np.isfinite(z.real) & np.isfinite(z.imag),
        "isinf": np.isinf(z.real) | np.isinf(z.imag),
        "isnan": np.isnan(z.real) | np.isnan(z.imag),
    }
    for op, want in exact.items():
        assert_same(run(op, z), np.ascontiguousarray(want), [z])


@complexes
def test_sums_and_equality(dtype: dt.DType) -> None:
    x, y = oracle.pairs(dtype)
    y = np.where(np.arange(len(x)) % 4 == 0, x, y)
    y.imag[::8] = 1
    assert_same(run("add", x, y), of(x.real + y.real, x.imag + y.imag, dtype), [x, y])
    assert_same(run("subtract", x, y), of(x.real - y.real, x.imag - y.imag, dtype), [x, y])
    equal = (x.real == y.real) & (x.imag == y.imag)
    assert equal.any()
    assert_same(run("equal", x, y), equal, [x, y])
    assert_same(run("not_equal", x, y), ~equal, [x, y])


@complexes
def test_parts_make_a_complex_number(dtype: dt.DType) -> None:
    re, im = oracle.pairs(dtype.real)
    assert_same(run("complex", re, im, result=dtype), of(re, im, dtype), [re, im])


@complexes
def test_finite_products_are_the_textbook_ones(dtype: dt.DType) -> None:
    rng = np.random.default_rng(0)
    a, b, c, d = (rng.standard_normal(800).astype(dtype.real.np) for _ in range(4))
    x, y = of(a, b, dtype), of(c, d, dtype)
    assert_same(run("multiply", x, y), of(a * c - b * d, a * d + b * c, dtype), [x, y])
    assert_same(run("square", x), of(a * a - b * b, a * b + b * a, dtype), [x])


@pytest.mark.parametrize(("op", "dtype"), in_turn(FUNCTIONS, oracle.COMPLEXES, every=2), ids=str)
def test_functions_find_their_table(op: str, dtype: dt.DType) -> None:
    rng = np.random.default_rng(1)
    z = of(*rng.uniform(0.1, 0.9, (2, 300)), dtype)  # NumPy's log1p is poor where |1 + z| is near 1
    want = FUNCTIONS[op](z.astype(np.complex128))
    got = run(op, z)
    assert got.dtype == dtype.np
    assert (np.abs(got - want) <= 8 * np.finfo(dtype.np).eps * np.abs(want)).all()


@complexes
@pytest.mark.parametrize("op", ("divide", "multiply", "pow"))
def test_binary_functions_find_their_table(op: str, dtype: dt.DType) -> None:
    rng = np.random.default_rng(2)
    x, y = of(*rng.uniform(-2, 2, (2, 300)), dtype), of(*rng.uniform(-2, 2, (2, 300)), dtype)
    want = {"divide": np.divide, "multiply": np.multiply, "pow": np.power}[op](x.astype("c16"), y.astype("c16"))
    assert (np.abs(run(op, x, y) - want) <= 8 * np.finfo(dtype.np).eps * np.abs(want)).all()


@complexes
def test_abs_is_real(dtype: dt.DType) -> None:
    z = of(*np.random.default_rng(3).standard_normal((2, 300)), dtype)
    got = run("abs", z)
    assert got.dtype == dtype.real.np
    np.testing.assert_allclose(got, np.abs(z.astype("c16")), rtol=2 * np.finfo(dtype.np).eps)
