"""exp, exp2, exp10, expm1, log, log2, log10, log1p, cbrt: error against mpmath, special cases, bits of all CPUs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from math_harness import NUMPY, assert_same_bits, assert_special, float_ulps, floats, kernel, ulp_errors, worst_float

from tests.cases import for_each
from tests.shares import in_turn
from weft.backends.llvm.math.cube_root import CUBE_ROOT
from weft.backends.llvm.math.exp_log import REAL_EXP_LOG

FUNCTIONS = {**REAL_EXP_LOG, **CUBE_ROOT}

INF, NAN = np.inf, np.nan
ORACLES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "exp": (np.exp, mpmath.exp),
    "exp2": (np.exp2, lambda x: mpmath.mpf(2) ** x),
    "exp10": (lambda x: np.power(10.0, x), lambda x: mpmath.mpf(10) ** x),
    "expm1": (np.expm1, mpmath.expm1),
    "cbrt": (np.cbrt, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))),
    "log": (np.log, mpmath.log),
    "log2": (np.log2, lambda x: mpmath.log(x, 2)),
    "log10": (np.log10, mpmath.log10),
    "log1p": (np.log1p, mpmath.log1p),
}
OF_LOGS = [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (-INF, NAN), (NAN, NAN)]
SPECIAL = {
    "exp": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0), (NAN, NAN), (1e4, INF), (-1e4, 0.0)],
    "exp2": [
        (0.0, 1),
        (-0.0, 1),
        (INF, INF),
        (-INF, 0),
        (NAN, NAN),
        (1e4, INF),
        (-1e4, 0.0),
        (10.0, 1024),
        (-3.0, 0.125),
    ],
    "exp10": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0), (NAN, NAN), (1e4, INF), (-1e4, 0.0), (2.0, 100)],
    "cbrt": [
        (0.0, 0.0),
        (-0.0, -0.0),
        (INF, INF),
        (-INF, -INF),
        (NAN, NAN),
        (27.0, 3),
        (-8.0, -2),
        (2.0**-147, 2.0**-49),
    ],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1), (NAN, NAN), (1e4, INF), (-1e4, -1), (-60.0, -1)],
    "log": OF_LOGS,
    "log2": [*OF_LOGS, (1024.0, 10), (2.0**-140, -140)],
    "log10": [*OF_LOGS, (1000.0, 3), (1e10, 10)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (INF, INF), (-1.5, NAN), (-INF, NAN), (NAN, NAN)],
}


def doubles(name: str, n: int = 300) -> Any:
    """Arguments spread over the domain, dense where methods change: near 0 or 1, at the ends, subnormals."""
    r = np.random.default_rng(7)
    u, signs = r.uniform, r.choice([-1, 1], n)
    if name.startswith("exp"):
        low, top = {"exp2": (-1074.0, 1024.0), "exp10": (-323.3, 308.25)}.get(name, (-745.1, 709.78))
        ranges = [(-1, 1), (-5, 5), (low, top), (low, low + 40), (top - 4, top)]
        return np.concatenate([u(a, b, n) for a, b in ranges] + [signs * 10 ** u(-320, 0, n)])
    scales = 10 ** u(-323, 308, n)
    if name == "cbrt":
        return np.concatenate([u(0.3, 3, n), u(-9, 9, n), signs * scales, signs * 10 ** u(-323, -307, n)])
    if name == "log1p":
        return np.concatenate(
            [u(-1, 3, n), u(-0.5, 0.5, n), signs * 10 ** u(-320, 0, n), scales, -1 + 10 ** u(-15, 0, n)]
        )
    return np.concatenate(
        [u(0.5, 2, n), u(0.9, 1.1, n), 1 + signs * 10 ** u(-15, -1, n), scales, 10 ** u(-323, -307, n)]
    )


@pytest.mark.parametrize("name", ORACLES)
def test_double_within_one_ulp(name: str) -> None:
    x = doubles(name)
    got = kernel(FUNCTIONS[name, "double"], "double")(x)
    with mpmath.workprec(160):
        errors = ulp_errors(got, [ORACLES[name][1](mpmath.mpf(float(v))) for v in x], 53, -1074)
    assert errors.max() <= 1.0, f"{errors.max():.3f} ulp at {x[errors.argmax()]!r}"


@pytest.mark.parametrize("name", ["cbrt", "exp2", "exp10"])
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=32, max_size=32))
def test_double_within_one_ulp_of_any_number(name: str, numbers: list[float]) -> None:
    x = np.array(numbers)
    x = x if name == "cbrt" else np.clip(x, -300.0, 300.0)
    got = kernel(FUNCTIONS[name, "double"], "double")(x)
    with mpmath.workprec(160):
        errors = ulp_errors(got, [ORACLES[name][1](mpmath.mpf(float(v))) for v in x], 53, -1074)
    assert errors.max() <= 1.0, f"{errors.max():.3f} ulp at {x[errors.argmax()]!r}"


@pytest.mark.parametrize("name", ORACLES)
def test_float_within_one_ulp_sampled(name: str) -> None:
    error, x = worst_float(FUNCTIONS[name, "float"], ORACLES[name][0], step=40009)
    assert error <= 1.0, f"{error:.3f} ulp at {x!r}"


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["log", "log2", "log10", "log1p"])
def test_float_logarithms_where_terms_cancel(name: str, step: int) -> None:
    """Floats in the worst binades."""
    low, high = np.array([0.25, 0.5] if name == "log1p" else [1, 2], np.float32).view(np.uint32).tolist()
    x = floats(low, high, step)
    got = kernel(FUNCTIONS[name, "float"], "float")(x)
    assert float_ulps(got, ORACLES[name][0](x.astype(np.float64))).max() <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ORACLES)
def test_float_within_one_ulp_everywhere(name: str) -> None:
    error, x = worst_float(FUNCTIONS[name, "float"], ORACLES[name][0])
    assert error <= 1.0, f"{error:.3f} ulp at {x!r}"


@for_each("elem", ["float", "double"])
@for_each("name", SPECIAL)
def test_special_cases(name: str, elem: str) -> None:
    assert_special(FUNCTIONS[name, elem], elem, SPECIAL[name])


@pytest.mark.parametrize(("name", "elem"), in_turn(ORACLES, ["float", "double"], every=2))
def test_same_bits_on_every_cpu(name: str, elem: str) -> None:
    assert_same_bits(FUNCTIONS[name, elem], (elem,), floats(step=400009) if elem == "float" else doubles(name))


def test_lanes_do_not_depend_on_neighbours() -> None:
    x = np.linspace(-80, 80, 320).astype(np.float32)
    alone = kernel(REAL_EXP_LOG["exp", "float"], "float")(x)
    x[::7] = np.inf
    beside = kernel(REAL_EXP_LOG["exp", "float"], "float")(x)
    kept = np.isfinite(x)
    assert np.array_equal(alone[kept].view(np.int32), beside[kept].view(np.int32))


@pytest.mark.parametrize("elem", ["float", "double"])
def test_exact_powers_have_exact_results(elem: str) -> None:
    dtype, (low, high, tens) = NUMPY[elem], {"float": (-149, 128, 11), "double": (-1074, 1024, 23)}[elem]
    k = np.arange(low, high).astype(dtype)
    two = np.ldexp(dtype(1), k.astype(int))
    ten = np.array([10**i for i in range(tens)], dtype)
    assert np.array_equal(kernel(REAL_EXP_LOG["exp2", elem], elem)(k), two)
    assert np.array_equal(kernel(REAL_EXP_LOG["log2", elem], elem)(two), k)
    assert np.array_equal(kernel(REAL_EXP_LOG["log10", elem], elem)(ten), np.arange(tens))
    assert np.array_equal(kernel(REAL_EXP_LOG["exp10", elem], elem)(np.arange(tens).astype(dtype)), ten)


@pytest.mark.parametrize("elem", ["float", "double"])
def test_cubes_have_exact_roots(elem: str) -> None:
    k = np.arange(-255 if elem == "float" else -200_000, 256 if elem == "float" else 200_000).astype(NUMPY[elem])
    assert np.array_equal(kernel(CUBE_ROOT["cbrt", elem], elem)(k * k * k), k)
