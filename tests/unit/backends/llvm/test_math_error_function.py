"""erf and erfc: error against mpmath, special cases, the same bits on every CPU."""

from __future__ import annotations

from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from math_harness import assert_same_bits, assert_special, kernel, ulp_errors

from tests.shares import in_turn
from weft.backends.llvm.math.error_function import ERROR_FUNCTION

INF, NAN = np.inf, np.nan
ORACLES = {"erf": mpmath.erf, "erfc": mpmath.erfc}
SPECIAL = {
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN), (7.0, 1), (-7.0, -1), (5e-324, 5e-324)],
    "erfc": [(0.0, 1), (-0.0, 1), (INF, 0.0), (-INF, 2), (NAN, NAN), (30.0, 0.0), (-7.0, 2), (1e300, 0.0)],
}


def arguments(dtype: Any, n: int = 600) -> Any:
    """Over all that matters, dense where methods change and where the result is subnormal."""
    u = np.random.default_rng(3).uniform
    far = 27.3 if dtype == np.float64 else 10.1
    parts = [u(-1.2, 1.2, n), u(-7, 7, n), u(0.65, 0.7, n), u(0.9, 1.1, n), u(0, far, n), u(far - 2, far, n)]
    return np.concatenate([*parts, u(-1, 1, n) * 10 ** u(-300, 0, n)]).astype(dtype)


LIMITS = {"double": (np.float64, 53, -1074, 2.0), "float": (np.float32, 24, -149, 1.0)}


@pytest.mark.parametrize(("of", "part"), in_turn(product(ORACLES, LIMITS), range(3), every=3))
def test_error(of: tuple[str, str], part: int) -> None:
    name, elem = of
    dtype, digits, least, bound = LIMITS[elem]
    x = arguments(dtype)[part::3]
    got = kernel(ERROR_FUNCTION[name, elem], elem)(x)
    with mpmath.workprec(200):
        errors = ulp_errors(got, [ORACLES[name](mpmath.mpf(float(v))) for v in x], digits, least)
    assert errors.max() <= bound, f"{errors.max():.3f} ulp at {x[errors.argmax()]!r}"


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("elem", ["float", "double"])
def test_special_cases(name: str, elem: str) -> None:
    cases = [c for c in SPECIAL[name] if elem == "double" or abs(c[0]) < 1e30 or c[0] in (INF, -INF)]
    assert_special(ERROR_FUNCTION[name, elem], elem, [c for c in cases if elem == "double" or c[0] != 5e-324])


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("elem", ["float", "double"])
def test_same_bits_everywhere(name: str, elem: str) -> None:
    dtype = np.float32 if elem == "float" else np.float64
    assert_same_bits(ERROR_FUNCTION[name, elem], (elem,), arguments(dtype, 100))
