"""Float ops that are exact by definition: bit for bit against NumPy or exact rational arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scalar_oracle as oracle
from scalar_harness import assert_same, run

import weft
from tests.shares import in_turn
from weft import dtypes as dt

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
reals = pytest.mark.parametrize("dtype", oracle.REALS, ids=repr)
halves = pytest.mark.parametrize(("dtype", "part"), in_turn(oracle.REALS, range(2), every=2), ids=str)


def wide(x: np.ndarray) -> np.ndarray:
    """float16 and bfloat16 as float32: one operation there and one rounding is the correctly rounded result."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def zeros_and_pairs(dtype: dt.DType) -> tuple[np.ndarray, np.ndarray]:
    x, y = oracle.pairs(dtype, 4000)
    special = oracle.array([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 3.0, -0.5], dtype)
    return np.concatenate([np.repeat(special, 9), x]), np.concatenate([np.tile(special, 9), y])


@reals
@pytest.mark.parametrize("op", ("add", "subtract", "multiply", "divide"))
def test_arithmetic_is_correctly_rounded(op: str, dtype: dt.DType) -> None:
    x, y = zeros_and_pairs(dtype)
    assert_same(run(op, x, y), getattr(np, op)(wide(x), wide(y)).astype(dtype.np), [x, y])


@halves
def test_unary_ops(dtype: dt.DType, part: int) -> None:
    x = oracle.samples(dtype, 4000)
    w = wide(x)
    exact = {
        "negative": -w,
        "positive": w,
        "conj": w,
        "real": w,
        "abs": np.abs(w),
        "square": w * w,
        "sqrt": np.sqrt(w),
        "reciprocal": 1 / w,
        "floor": np.floor(w),
        "ceil": np.ceil(w),
        "trunc": np.trunc(w),
        "round": np.rint(w),
        "sign": np.where(np.isnan(w), w, (w > 0) * 1.0 - (w < 0)),
    }
    for op, want in list(exact.items())[part::2]:
        assert_same(run(op, x), want.astype(dtype.np), [x])


@reals
def test_questions(dtype: dt.DType) -> None:
    x = oracle.samples(dtype)
    for op in ("isfinite", "isinf", "isnan", "signbit"):
        assert_same(run(op, x), getattr(np, op)(x), [x])


@halves
def test_comparisons(dtype: dt.DType, part: int) -> None:
    x, y = zeros_and_pairs(dtype)
    y = np.where(np.arange(len(x)) % 5 == 0, x, y)
    for op in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")[part::2]:
        assert_same(run(op, x, y), getattr(np, op)(wide(x), wide(y)), [x, y])


@reals
def test_nan_wins_and_minus_zero_is_below_zero(dtype: dt.DType) -> None:
    x, y = zeros_and_pairs(dtype)
    x_above = (x > y) | ((x == y) & ~np.signbit(x))
    nan = np.isnan(x) | np.isnan(y)
    nans = oracle.array([math.nan] * len(x), dtype)
    assert_same(run("maximum", x, y), np.where(nan, nans, np.where(x_above, x, y)), [x, y])
    assert_same(run("minimum", x, y), np.where(nan, nans, np.where(x_above, y, x)), [x, y])


@reals
def test_numbers_are_preferred_to_nan(dtype: dt.DType) -> None:
    x, y = zeros_and_pairs(dtype)
    for op, wins in (("fmax", "maximum"), ("fmin", "minimum")):
        want = np.where(np.isnan(x), y, np.where(np.isnan(y), x, run(wins, x, y)))
        assert_same(run(op, x, y), want, [x, y])


@reals
def test_copysign(dtype: dt.DType) -> None:
    x, y = zeros_and_pairs(dtype)
    assert_same(run("copysign", x, y), np.copysign(wide(x), wide(y)).astype(dtype.np), [x, y])


@reals
def test_nextafter_steps_in_the_dtypes_own_lattice(dtype: dt.DType) -> None:
    x, y = zeros_and_pairs(dtype)
    y = np.where(np.arange(len(x)) % 7 == 0, x, y)
    want = np.where(x == y, y, np.nextafter(x, y))  # NumPy's float16 leaves the first of two zeros
    assert_same(run("nextafter", x, y), want, [x, y])


def quotients(dtype: dt.DType) -> tuple[np.ndarray, np.ndarray]:
    """All the specials, random pairs, near multiples and far apart sizes."""
    x, y = zeros_and_pairs(dtype)
    rng = np.random.default_rng(2)
    divisor = np.abs(rng.standard_normal(1500)).astype(dtype.np) + dtype.np.type(0.01)
    multiple = (divisor.astype("f8") * rng.integers(-300, 300, 1500)).astype(dtype.np)
    nudge = np.nextafter(multiple, np.where(rng.integers(0, 2, 1500), math.inf, -math.inf).astype(dtype.np))
    small = (rng.integers(1, 40, 600) / 4).astype(dtype.np)
    count = (rng.integers(-40, 40, 600) / 4).astype(dtype.np)
    x = np.concatenate([x, multiple, nudge, count])
    return x, np.concatenate([y, divisor, -divisor, small])


@halves
def test_remainder_is_pythons(dtype: dt.DType, part: int) -> None:
    x, y = (a[part::2] for a in quotients(dtype))
    want = [oracle.remainder(float(a), float(b), dtype) for a, b in zip(x, y, strict=True)]
    assert_same(run("remainder", x, y), oracle.array(want, dtype), [x, y])


@halves
def test_floor_divide_is_the_floor_of_the_exact_quotient(dtype: dt.DType, part: int) -> None:
    x, y = (a[part::2] for a in quotients(dtype))
    want = [oracle.floor_divide(float(a), float(b), dtype) for a, b in zip(x, y, strict=True)]
    assert_same(run("floor_divide", x, y), oracle.array(want, dtype), [x, y])


@pytest.mark.parametrize(("dtype", "op"), in_turn(oracle.REALS, ("fmod", "trunc_divide"), every=2), ids=str)
def test_fmod_and_trunc_divide_are_of_the_exact_quotient(dtype: dt.DType, op: str) -> None:
    x, y = quotients(dtype)
    want = [getattr(oracle, op)(float(a), float(b), dtype) for a, b in zip(x, y, strict=True)]
    assert_same(run(op, x, y), oracle.array(want, dtype), [x, y])


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
def test_great_quotients_are_exact_and_from_2_to_the_53_on_rounded_once(transformer: str) -> None:
    x, y = weft.asarray([-32739698893350377.0, 19585132057360691.0]), weft.asarray([2.5, -2.6866341103434617])
    with weft.transformer(transformer):
        assert weft.floor_divide(x, y).tolist() == weft.divide(x, y).tolist() == [-13095879557340150, -7289839722483428]


def test_floor_divide_of_infinities_follows_the_standard() -> None:
    x = np.array([math.inf, -math.inf, math.inf, 1.0, -1.0, 1.0, math.inf, 0.0, -0.0, 3.0])
    y = np.array([3.0, 3.0, -3.0, -math.inf, math.inf, math.inf, math.inf, 0.0, 2.0, 0.0])
    want = np.array([math.inf, -math.inf, -math.inf, -0.0, -0.0, 0.0, math.nan, math.nan, -0.0, math.inf])
    assert_same(run("floor_divide", x, y), want, [x, y])


@pytest.mark.parametrize("dtype", dt.COMMON, ids=repr)
def test_where_takes_either_side_untouched(dtype: dt.DType) -> None:
    x, y = oracle.pairs(dtype)
    c = np.random.default_rng(1).integers(0, 2, len(x)).astype(bool)
    assert_same(run("where", c, x, y, result=dtype), np.where(c, x, y), [c, x, y])
