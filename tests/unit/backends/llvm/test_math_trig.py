"""Sine, cosine and tangent: error against mpmath, hard and huge arguments, special cases, equal bits everywhere."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from float_sweep import worst_error
from math_harness import assert_same_bits, kernel, ulp_errors

from tests.cases import for_each
from tests.shares import in_turn
from weft.backends.llvm.math import trig

NAMES = ["sin", "cos", "tan"]
FLOAT = {name: trig.REAL_TRIG[name, "float"] for name in NAMES}
DOUBLE = {name: trig.REAL_TRIG[name, "double"] for name in NAMES}
EXACT = {"sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan}
PARITY = {"sin": "odd", "cos": "even", "tan": "odd"}
BOUND = 1.0  # ulp, double; the promise is 2


def errors_of_double(name, x):
    with mpmath.workprec(1300):
        exact = [EXACT[name](mpmath.mpf(float(v))) for v in x]
        return ulp_errors(kernel(DOUBLE[name], "double")(x), exact, 53, -1074)


def near_multiples(exponents):
    """The doubles m * 2^e that come closest to multiples of pi/2: m from the convergents of 2^e * 2/pi."""
    found = []
    with mpmath.workprec(1300):
        for e in exponents:
            rest, k, before = mpmath.ldexp(2 / mpmath.pi, e), 1, 0
            while k < 1 << 53:
                scale = ((1 << 53) - 1) // k
                found.append(np.ldexp(float(k * scale), e))
                rest = 1 / (rest - mpmath.floor(rest))
                k, before = int(mpmath.floor(rest)) * k + before, k
    return np.array(found)


def wide(count, high):
    rng = np.random.default_rng(7)
    return np.exp(rng.uniform(-740, np.log(high), count)) * rng.choice([-1, 1], count)


@pytest.mark.parametrize("name", NAMES)
def test_float_error(name):
    assert worst_error(FLOAT[name], getattr(np, name), EXACT[name], PARITY[name], step=4099) < 0.79


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_float_error_everywhere(name):
    assert worst_error(FLOAT[name], getattr(np, name), EXACT[name], PARITY[name]) < 0.79


@pytest.mark.parametrize(("name", "span"), in_turn(NAMES, [0.8, 10.0, 3e6], every=2))
def test_double_error(name, span):
    x = np.random.default_rng(1).uniform(-span, span, 1500)
    assert errors_of_double(name, x).max() < BOUND


@pytest.mark.parametrize("name", NAMES)
def test_double_error_over_all_exponents(name):
    assert errors_of_double(name, wide(1200, 1.7e308)).max() < BOUND


@pytest.mark.parametrize("name", NAMES)
def test_double_error_next_to_multiples_of_half_pi(name):
    x = np.concatenate([near_multiples([*range(-52, -30), *range(-30, 970, 23)]), [np.ldexp(6381956970095103.0, 797)]])
    assert errors_of_double(name, x).max() < BOUND


def test_next_to_multiples_there_is_little_left():
    x = near_multiples(range(-52, 970, 5))
    with mpmath.workprec(1300):
        left = [abs(mpmath.mpf(float(v)) - mpmath.nint(v * 2 / mpmath.pi) * mpmath.pi / 2) for v in x]
    assert min(left) < 2.0**-58


@pytest.mark.parametrize("name", NAMES)
def test_at_the_limit_of_the_fast_path(name):
    for emits, elem, digits, smallest in ((FLOAT, "float", 24, -149), (DOUBLE, "double", 53, -1074)):
        limit = np.dtype(f"f{4 if elem == 'float' else 8}").type(trig.limit_of(elem))
        x = np.array([limit, np.nextafter(limit, np.inf), np.nextafter(limit, 0), -limit], limit.dtype)
        with mpmath.workprec(200):
            exact = [EXACT[name](mpmath.mpf(float(v))) for v in x]
            assert ulp_errors(kernel(emits[name], elem)(x), exact, digits, smallest).max() < 0.79


@for_each("elem", ["float", "double"])
@for_each(
    "name, x, want",
    [
        *[(name, x, np.nan) for name in NAMES for x in (np.inf, -np.inf, np.nan, -np.nan)],
        *[(name, x, x) for name in ("sin", "tan") for x in (0.0, -0.0)],
        ("cos", 0.0, 1.0),
        ("cos", -0.0, 1.0),
    ],
)
def test_special_cases(name, elem, x, want):
    got = kernel(trig.REAL_TRIG[name, elem], elem)([x])
    np.testing.assert_array_equal(got, np.array([want], got.dtype))
    assert np.isnan(want) or np.signbit(got[0]) == np.signbit(want)


@pytest.mark.parametrize("elem", ["float", "double"])
@pytest.mark.parametrize("name", ["sin", "tan"])
def test_subnormal_arguments_are_their_own_result(name, elem):
    dtype = np.float32 if elem == "float" else np.float64
    least = np.finfo(dtype).smallest_subnormal
    x = np.array([least, -least, 5 * least, np.finfo(dtype).tiny, -np.finfo(dtype).tiny * 1.5], dtype)
    np.testing.assert_array_equal(kernel(trig.REAL_TRIG[name, elem], elem)(x), x)


def mixed(dtype):
    """Small, large, special and subnormal arguments side by side."""
    rng = np.random.default_rng(5)
    with np.errstate(over="ignore"):
        x = np.concatenate([rng.uniform(-20, 20, 3000), wide(3000, 1.7e308), wide(1000, 1e38)]).astype(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(dtype).smallest_subnormal] * 10, dtype)
    return rng.permutation(np.concatenate([x, special]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("elem", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_same_bits_at_every_width(name, elem, dtype):
    assert_same_bits(trig.REAL_TRIG[name, elem], (elem,), mixed(dtype))


@pytest.mark.parametrize(("elem", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_sincos_gives_the_bits_of_sin_and_cos(elem, dtype):
    x = mixed(dtype)
    sine, cosine = kernel(trig.sincos, elem, results=(elem, elem))(x)
    np.testing.assert_array_equal(sine, kernel(trig.REAL_TRIG["sin", elem], elem)(x))
    np.testing.assert_array_equal(cosine, kernel(trig.REAL_TRIG["cos", elem], elem)(x))
    assert_same_bits(trig.sincos, (elem,), x, results=(elem, elem))
