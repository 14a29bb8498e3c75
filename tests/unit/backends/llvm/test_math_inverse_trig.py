"""Inverse trigonometric functions: error against mpmath, the tables of special cases, equal bits everywhere."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from float_sweep import worst_error
from math_harness import assert_same_bits, kernel, ulp_errors

from tests.cases import for_each
from weft.backends.llvm.math.inverse_trig import REAL_INVERSE_TRIG, atan2_f32, atan2_f64

ORACLE = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}
EXACT = {"asin": mpmath.asin, "acos": mpmath.acos, "atan": mpmath.atan}
PARITY = {"asin": "odd", "acos": "", "atan": "odd"}
ATAN2 = {"float": (atan2_f32, np.float32, 24, -149), "double": (atan2_f64, np.float64, 53, -1074)}
PI = np.pi


def rng():
    return np.random.default_rng(11)


def spread(count, low, high):
    return np.exp(rng().uniform(np.log(low), np.log(high), count)) * rng().choice([-1, 1], count)


def errors_of_double(name, x):
    with mpmath.workprec(200):
        exact = [EXACT[name](mpmath.mpf(float(v))) for v in x]
        return ulp_errors(kernel(REAL_INVERSE_TRIG[name, "double"], "double")(x), exact, 53, -1074)


@pytest.mark.parametrize("name", ORACLE)
def test_float_error(name):
    assert worst_error(REAL_INVERSE_TRIG[name, "float"], ORACLE[name], EXACT[name], PARITY[name], step=4099) < 0.502


@pytest.mark.slow
@pytest.mark.parametrize("name", ORACLE)
def test_float_error_everywhere(name):
    assert worst_error(REAL_INVERSE_TRIG[name, "float"], ORACLE[name], EXACT[name], PARITY[name]) < 0.502


@pytest.mark.parametrize("name", ["asin", "acos"])
def test_arc_sine_and_cosine_in_double(name):
    x = np.concatenate(
        [
            rng().uniform(-1, 1, 3000),
            1 - spread(600, 1e-16, 0.1).__abs__(),
            spread(600, 5e-324, 1.0),
            0.5 + rng().uniform(-0.01, 0.01, 600),
            [1.0, -1.0, 0.5, -0.5],
        ]
    )
    assert errors_of_double(name, x).max() < 0.7


def test_arc_tangent_in_double():
    edges = (np.arange(0, 33) + 0.5) / 32
    near_edges = (edges[:, None] * (1 + np.array([-1e-9, 0, 1e-9, 1e-3]))).ravel()
    x = np.concatenate(
        [
            rng().uniform(-1.5, 1.5, 2000),
            rng().uniform(1 / 64, 3 / 64, 2000),
            spread(2000, 5e-324, 1.7e308),
            spread(600, 1e-3, 1e3),
            near_edges,
            1 / near_edges,
        ]
    )
    assert errors_of_double("atan", x).max() < 1.0


@pytest.mark.parametrize("elem", ATAN2)
def test_arc_tangent_of_two(elem):
    emit, dtype, digits, smallest = ATAN2[elem]
    tiny, huge = np.finfo(dtype).tiny, float(np.finfo(dtype).max) / 2
    normal = rng().normal(size=(2, 1500))
    anywhere = rng().permutation(spread(3000, tiny / 1e4, huge)).reshape(2, 1500)
    both_small = spread(600, float(tiny) / 1e5, float(tiny) * 4).reshape(2, 300)
    both_large = spread(600, huge / 1e3, huge).reshape(2, 300)
    small_quotient = np.stack([spread(300, float(tiny) / 1e5, tiny), np.abs(rng().normal(size=300)) + 0.01])
    y, x = np.concatenate([normal, anywhere, both_small, both_large, small_quotient], axis=1).astype(dtype)
    with mpmath.workprec(200):
        exact = [mpmath.atan2(mpmath.mpf(float(v)), mpmath.mpf(float(w))) for v, w in zip(y, x, strict=True)]
        got = kernel(emit, elem, elem, results=(elem,))(y, x)
        assert ulp_errors(got, exact, digits, smallest).max() < (0.502 if elem == "float" else 1.0)


@for_each("elem", ["float", "double"])
@for_each(
    "name, x, want",
    [
        *[(name, np.nan, np.nan) for name in ORACLE],
        *[(name, x, np.nan) for name in ("asin", "acos") for x in (1.0000002, -1.0000002, 3e38, np.inf, -np.inf)],
        *[(name, x, x) for name in ("asin", "atan") for x in (0.0, -0.0)],
        ("asin", 1.0, PI / 2),
        ("asin", -1.0, -PI / 2),
        ("acos", 1.0, 0.0),
        ("acos", -1.0, PI),
        ("acos", 0.0, PI / 2),
        ("acos", -0.0, PI / 2),
        ("atan", np.inf, PI / 2),
        ("atan", -np.inf, -PI / 2),
        ("atan", 1.0, PI / 4),
        ("atan", -3e38, -PI / 2),
    ],
)
def test_special_cases(name, elem, x, want):
    got = kernel(REAL_INVERSE_TRIG[name, elem], elem)([x])
    np.testing.assert_array_equal(got, np.array([want], got.dtype))
    assert np.isnan(want) or np.signbit(got[0]) == np.signbit(want)


ATAN2_TABLE = [  # y, x, atan2(y, x) for y with the sign bit clear
    (np.nan, 1.0, np.nan),
    (1.0, np.nan, np.nan),
    (np.nan, np.nan, np.nan),
    (np.nan, np.inf, np.nan),
    (0.0, np.nan, np.nan),
    (1.0, 0.0, PI / 2),
    (1.0, -0.0, PI / 2),
    (0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, -0.0, PI),
    (0.0, -1.0, PI),
    (2.0, np.inf, 0.0),
    (2.0, -np.inf, PI),
    (0.0, np.inf, 0.0),
    (0.0, -np.inf, PI),
    (np.inf, 3.0, PI / 2),
    (np.inf, -3.0, PI / 2),
    (np.inf, 0.0, PI / 2),
    (np.inf, -0.0, PI / 2),
    (np.inf, np.inf, PI / 4),
    (np.inf, -np.inf, 3 * PI / 4),
    (3e38, 3e38, PI / 4),
    (1e-45, 1e-45, PI / 4),
    (1e-45, 1e38, 0.0),
    (1e-45, -1e38, PI),
    (1.0, 1.0, PI / 4),
]


@pytest.mark.parametrize("elem", ATAN2)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_special_cases_of_two_arguments(elem, sign):
    emit, dtype, _, _ = ATAN2[elem]
    y, x, want = np.array([row for row in ATAN2_TABLE if elem == "float" or row[1] != 1e38], np.float64).T
    y, want = sign * y, sign * want
    got = kernel(emit, elem, elem, results=(elem,))(y.astype(dtype), x.astype(dtype))
    np.testing.assert_array_equal(got, want.astype(dtype))
    np.testing.assert_array_equal(np.signbit(got)[~np.isnan(got)], np.signbit(want)[~np.isnan(got)])


def mixed(dtype):
    with np.errstate(over="ignore"):
        x = np.concatenate([rng().uniform(-1.2, 1.2, 3000), spread(2000, 5e-324, 1.7e308)]).astype(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5], dtype)
    return rng().permutation(np.concatenate([x, np.repeat(special, 9)]))


@pytest.mark.parametrize("name", ORACLE)
@pytest.mark.parametrize(("elem", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_same_bits_at_every_width(name, elem, dtype):
    assert_same_bits(REAL_INVERSE_TRIG[name, elem], (elem,), mixed(dtype))


@pytest.mark.parametrize("elem", ATAN2)
def test_same_bits_of_two_arguments(elem):
    emit, dtype, _, _ = ATAN2[elem]
    y = mixed(dtype)
    assert_same_bits(emit, (elem, elem), y, np.roll(y, 1234), results=(elem,))
