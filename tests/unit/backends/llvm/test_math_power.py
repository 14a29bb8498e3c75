"""pow, hypot, logaddexp: error against mpmath, special cases of the array API, the same bits on every CPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from math_harness import NUMPY, SPECIALS, assert_same_bits, assert_special, kernel, ulp_errors

from tests.shares import in_turn
from weft.backends.llvm.math.power import REAL_POWER

INF, NAN = np.inf, np.nan
ORACLES: dict[str, Callable[..., Any]] = {
    "pow": mpmath.power,
    "hypot": lambda x, y: mpmath.sqrt(x * x + y * y),
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
}
LIMIT = {"float": 1.0, "double": 2.0}
BIG = {"float": (88.0, 37.0, 24, -149), "double": (709.0, 300.0, 53, -1074)}


def arguments(name: str, elem: str, n: int = 200) -> tuple[Any, Any]:
    """Pairs spread over the whole range of results, dense near 1, near overflow and where terms cancel."""
    r = np.random.default_rng(5)
    u, (top, decades, _, _) = r.uniform, BIG[elem]
    if name == "pow":
        near = [10 ** u(-decades, decades, n), u(0.5, 1.5, n), 1 + r.choice([-1, 1], n) * 10 ** u(-6, -1, n)]
        pairs = [(x, u(-top * 1.04, top, n) / np.log(x)) for x in near]
        pairs += [(u(0, 20, n), np.round(u(-10, 10, n))), (-u(0, 20, n), np.round(u(-10, 10, n)))]
    elif name == "hypot":
        x = 10 ** u(-decades, decades, n)
        small = 10 ** u(-decades - 15, -decades, n)
        pairs = [(x, x * u(0.3, 3, n)), (u(-3, 3, n), u(-3, 3, n)), (small, small * u(0.3, 3, n)), (x, x[::-1])]
    else:
        x = -u(0, 0.69, n)
        pairs = [(x, np.log(-np.expm1(x)) + u(-s, s, n)) for s in (0.1, 1e-4, 1e-9)]
        pairs += [(u(-s, s, n), u(-s, s, n)) for s in (5, 50, 900)]
    x, y = (np.concatenate(side).astype(NUMPY[elem]) for side in zip(*pairs, strict=True))
    return x, y


@pytest.mark.parametrize(("of", "part"), in_turn(product(ORACLES, ["float", "double"]), range(3), every=3))
def test_error(of: tuple[str, str], part: int) -> None:
    name, elem = of
    x, y = (a[part::3] for a in arguments(name, elem))
    got = kernel(REAL_POWER[name, elem], elem, elem)(x, y)
    with mpmath.workprec(1400 if name == "logaddexp" else 200):
        exact = [
            mpmath.re(ORACLES[name](mpmath.mpf(float(a)), mpmath.mpf(float(b)))) for a, b in zip(x, y, strict=True)
        ]
        errors = ulp_errors(got, exact, *BIG[elem][2:])
    at = errors.argmax()
    assert errors.max() <= LIMIT[elem], f"{errors.max():.3f} ulp at {x[at]!r}, {y[at]!r}"


def _grid() -> tuple[Any, Any]:
    numbers = [*SPECIALS, 3.0, -3.0, 4.0, 2.5, -2.5, 1e30, -1e30, 2.0**23 + 1, 2.0**24 + 2, 1e-30, 1e38, -1e38]
    x, y = np.meshgrid(numbers, numbers)
    return x.ravel(), y.ravel()


@pytest.mark.parametrize("elem", ["float", "double"])
def test_pow_special_cases_as_c99(elem: str) -> None:
    x, y = (a.astype(NUMPY[elem]) for a in _grid())
    with np.errstate(over="ignore"):
        want = np.array([_c_pow(float(a), float(b)) for a, b in zip(x, y, strict=True)]).astype(NUMPY[elem])
    got = kernel(REAL_POWER["pow", elem], elem, elem)(x, y)
    close = np.isclose(got, want, rtol=1e-6, atol=0, equal_nan=True) & (np.signbit(got) == np.signbit(want))
    bad = ~close & ~(np.isnan(got) & np.isnan(want))
    assert not bad.any(), [(x[i], y[i], got[i], want[i]) for i in np.flatnonzero(bad)[:5]]


def _c_pow(x: float, y: float) -> float:
    """math.pow is C99's but raises where that gives an infinity or NaN."""
    negative = math.copysign(1.0, x) < 0 and math.isfinite(y) and y % 2 == 1
    try:
        return math.pow(x, y)
    except OverflowError:
        return -INF if negative else INF
    except ValueError:
        return NAN if x else (-INF if negative else INF)


@pytest.mark.parametrize("elem", ["float", "double"])
def test_pow_rows_of_the_standard(elem: str) -> None:
    rows = [((1, y), 1) for y in (NAN, INF, -INF, 3.5)] + [
        ((x, z), 1) for x in (NAN, INF, 0.0, -2) for z in (0.0, -0.0)
    ]
    rows += [((NAN, 1), NAN), ((2, NAN), NAN), ((-1, NAN), NAN), ((-1, INF), 1), ((-1, -INF), 1)]
    rows += [((2, INF), INF), ((2, -INF), 0.0), ((0.5, INF), 0.0), ((0.5, -INF), INF), ((-0.5, INF), 0.0)]
    rows += [((INF, 2), INF), ((INF, -2), 0.0), ((-INF, 3), -INF), ((-INF, 2), INF), ((-INF, -3), -0.0)]
    rows += [((-INF, -2), 0.0), ((-INF, 2.5), INF), ((-INF, -2.5), 0.0), ((0.0, 3), 0.0), ((-0.0, 3), -0.0)]
    rows += [((-0.0, 2), 0.0), ((-0.0, -3), -INF), ((-0.0, -2), INF), ((0.0, -0.5), INF), ((-0.0, 0.5), 0.0)]
    rows += [((-8, 1 / 3), NAN), ((-2, 3), -8), ((-2, -2), 0.25), ((10, 3), 1000), ((3, 4), 81)]
    assert_special(REAL_POWER["pow", elem], elem, rows)


@pytest.mark.parametrize("elem", ["float", "double"])
def test_hypot_special_cases(elem: str) -> None:
    rows = [((INF, NAN), INF), ((NAN, -INF), INF), ((-INF, 1), INF), ((NAN, 1), NAN), ((1, NAN), NAN)]
    rows += [((0.0, -0.0), 0.0), ((-3, 4), 5), ((0.0, -7), 7), ((NAN, 0.0), NAN), ((0.0, NAN), NAN)]
    assert_special(REAL_POWER["hypot", elem], elem, rows)


@pytest.mark.parametrize("elem", ["float", "double"])
def test_logaddexp_special_cases(elem: str) -> None:
    rows = [((INF, NAN), NAN), ((NAN, -INF), NAN), ((INF, INF), INF), ((INF, 1), INF), ((-INF, INF), INF)]
    rows += [((-INF, -INF), -INF), ((-INF, 2.5), 2.5), ((-1.5, -INF), -1.5), ((0.0, -INF), 0.0), ((1, NAN), NAN)]
    rows += [((0.0, 0.0), np.log(2.0)), ((1e30, 1e30), 1e30), ((-1e30, 1), 1)]
    assert_special(REAL_POWER["logaddexp", elem], elem, rows)


@pytest.mark.parametrize("elem", ["float", "double"])
@pytest.mark.parametrize("name", ORACLES)
def test_same_bits_on_every_cpu(name: str, elem: str) -> None:
    grid = _grid()
    x, y = (np.concatenate([a, g.astype(a.dtype)]) for a, g in zip(arguments(name, elem, 60), grid, strict=True))
    assert_same_bits(REAL_POWER[name, elem], (elem, elem), x, y, results=(elem,))


def test_whole_powers_of_whole_numbers_are_exact() -> None:
    pairs = [(a, n) for a in range(1, 1000) for n in range(54) if a**n < 2**53]
    x, y = np.array(pairs, np.float64).T
    assert np.array_equal(
        kernel(REAL_POWER["pow", "double"], "double", "double")(x, y), [float(a**n) for a, n in pairs]
    )
