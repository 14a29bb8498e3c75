"""sinh, cosh, tanh and their inverses: error against mpmath, special cases, the same bits on every CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from math_harness import assert_same_bits, assert_special, floats, kernel, ulp_errors, worst_float

from tests.shares import in_turn
from weft.backends.llvm.math.hyperbolic import REAL_HYPERBOLIC

INF, NAN = np.inf, np.nan
ORACLES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sinh": (np.sinh, mpmath.sinh),
    "cosh": (np.cosh, mpmath.cosh),
    "tanh": (np.tanh, mpmath.tanh),
    "asinh": (np.arcsinh, mpmath.asinh),
    "acosh": (np.arccosh, mpmath.acosh),
    "atanh": (np.arctanh, mpmath.atanh),
}
SPECIAL = {
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (1e4, INF), (-1e4, -INF)],
    "cosh": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, INF), (NAN, NAN), (1e4, INF), (-1e4, INF)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN), (100.0, 1), (-100.0, -1)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)],
    "acosh": [(1.0, 0.0), (INF, INF), (-INF, NAN), (NAN, NAN), (0.5, NAN), (-3.0, NAN), (0.0, NAN)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (2.0, NAN), (-2.0, NAN), (INF, NAN), (NAN, NAN)],
}


def doubles(name: str, n: int = 250) -> Any:
    """Arguments spread over the domain, dense where methods change and at its ends."""
    r = np.random.default_rng(11)
    u, signs = r.uniform, r.choice([-1, 1], n)
    small = signs * 10 ** u(-320, 0, n)
    if name in ("sinh", "cosh"):
        return np.concatenate([u(-1, 1, n), u(-5, 5, n), u(-40, 40, n), u(-710.4, 710.4, n), u(708, 710.47, n), small])
    if name == "tanh":
        return np.concatenate([u(-1, 1, n), u(0.7, 0.8, n), u(-3, 3, n), u(-25, 25, n), small])
    if name == "asinh":
        return np.concatenate([u(-1, 1, n), u(-3, 3, n), small, signs * 10 ** u(0, 308.2, n)])
    if name == "acosh":
        return np.concatenate([u(1, 2, n), u(1, 10, n), 1 + 10 ** u(-15.5, 0, n), 10 ** u(0, 308.2, n)])
    return np.concatenate([u(-1, 1, n), u(-0.4, 0.4, n), small, signs * (1 - 10 ** u(-15.5, 0, n))])


@pytest.mark.parametrize("name", ORACLES)
def test_double_within_two_ulp(name: str) -> None:
    x = doubles(name)
    got = kernel(REAL_HYPERBOLIC[name, "double"], "double")(x)
    with mpmath.workprec(200):
        errors = ulp_errors(got, [_exact(name, float(v)) for v in x], 53, -1074)
    assert errors.max() <= 2.0, f"{errors.max():.3f} ulp at {x[errors.argmax()]!r}"


def _exact(name: str, v: float) -> Any:
    x = mpmath.mpf(v)
    if name in ("tanh", "asinh", "atanh") and abs(v) < 1e-50:
        return x  # x - x³/3 and the like; working it out would need a thousand digits
    return ORACLES[name][1](x)


@pytest.mark.parametrize("name", ORACLES)
def test_float_within_one_ulp_sampled(name: str) -> None:
    error, x = worst_float(REAL_HYPERBOLIC[name, "float"], ORACLES[name][0], step=40009)
    assert error <= 1.0, f"{error:.3f} ulp at {x!r}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ORACLES)
def test_float_within_one_ulp_everywhere(name: str) -> None:
    error, x = worst_float(REAL_HYPERBOLIC[name, "float"], ORACLES[name][0])
    assert error <= 1.0, f"{error:.3f} ulp at {x!r}"


@pytest.mark.parametrize("elem", ["float", "double"])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_cases(name: str, elem: str) -> None:
    assert_special(REAL_HYPERBOLIC[name, elem], elem, SPECIAL[name])


@pytest.mark.parametrize(("name", "elem"), in_turn(ORACLES, ["float", "double"], every=2))
def test_same_bits_on_every_cpu(name: str, elem: str) -> None:
    assert_same_bits(REAL_HYPERBOLIC[name, elem], (elem,), floats(step=400009) if elem == "float" else doubles(name))


@pytest.mark.parametrize("name", ["sinh", "tanh", "asinh", "atanh"])
def test_odd(name: str) -> None:
    x = doubles(name)
    run = kernel(REAL_HYPERBOLIC[name, "double"], "double")
    assert np.array_equal(run(-x), -run(x))
