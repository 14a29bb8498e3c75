"""Functions of plain arithmetic: accurate, right at the ends, and the same bits in kernels."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import weft
from weft import dtypes as dt
from weft.errors import InternalError
from weft.ir.fields import exact_functions
from weft.ir.graph import node as ir
from weft.ir.graph import spec
from weft.ir.graph.ops import OPS
from weft.tensors.tensor import node_of, wrap

RNG = np.random.default_rng(0)
RANGES = {
    "exact_exp": np.concatenate([RNG.uniform(-700, 709, 100), RNG.uniform(-1, 1, 100)]),
    "exact_log": np.concatenate([np.exp(RNG.uniform(-700, 700, 100)), RNG.uniform(0.5, 2, 100)]),
    "normal_cdf": np.concatenate([RNG.uniform(-37, 8, 150), RNG.uniform(-1, 1, 100), RNG.uniform(-6, -5, 50)]),
    "normal_quantile": np.concatenate([RNG.uniform(0, 1, 100), 10.0 ** RNG.uniform(-300, -1, 100)]),
}
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 5e-324, 1e-310, 0.5, 1e308, -1e308, -745.0, -746.0]


EXACT = {"exact_exp": mpmath.exp, "exact_log": mpmath.log, "normal_cdf": mpmath.ncdf}


@pytest.mark.parametrize("name", EXACT)
def test_the_relative_error_is_a_few_units(name: str) -> None:
    with mpmath.workprec(160):
        for x, y in zip(RANGES[name].tolist(), exact_functions.evaluate(name, RANGES[name]).tolist(), strict=True):
            exact = EXACT[name](mpmath.mpf(x))
            assert abs((mpmath.mpf(y) - exact) / exact) < 2.0**-50


def test_the_quantile_undoes_the_distribution_function() -> None:
    with mpmath.workprec(160):
        p = RANGES["normal_quantile"]
        for u, z in zip(p.tolist(), exact_functions.evaluate("normal_quantile", p).tolist(), strict=True):
            below = mpmath.ncdf(z) - u if u < 0.5 else (1 - mpmath.mpf(u)) - mpmath.ncdf(-z)
            assert abs(below / mpmath.npdf(z)) < 1e-15 * max(abs(z), 1)


def test_the_ends() -> None:
    assert exact_functions.evaluate("exact_exp", [-math.inf, -746.0, 0.0, 711.0, math.inf]).tolist() == [
        0,
        0,
        1,
        math.inf,
        math.inf,
    ]
    assert exact_functions.evaluate("normal_cdf", [-math.inf, -40.0, 0.0, 9.0, math.inf]).tolist() == [0, 0, 0.5, 1, 1]
    assert (
        -37.6
        < exact_functions.evaluate("normal_quantile", 0.0)
        < -37.5
        < 37.5
        < exact_functions.evaluate("normal_quantile", 1.0)
        < 37.6
    )
    assert all(
        math.isnan(exact_functions.evaluate(name, math.nan)) for name in ("exact_exp", "normal_cdf", "normal_quantile")
    )


@pytest.mark.parametrize("name", exact_functions.EXACT)
@pytest.mark.parametrize("transformer", ["cpu", "reference"])
def test_every_transformer_gives_these_bits(name: str, transformer: str) -> None:
    x = RANGES[name] if name == "exact_log" else np.concatenate([RANGES[name], SPECIAL])
    n = node_of(weft.asarray(x))
    with weft.transformer(transformer):
        found = wrap(ir.elementwise(OPS[name], n)).numpy()
    exact = exact_functions.evaluate(name, x)
    assert (np.isnan(exact) == np.isnan(found)).all()
    assert exact[~np.isnan(exact)].tobytes() == found[~np.isnan(found)].tobytes()


@pytest.mark.parametrize("name", exact_functions.EXACT)
def test_other_dtypes_are_computed_as_float64(name: str) -> None:
    x = np.linspace(0.1, 0.9, 5, dtype=np.float32)
    made = ir.elementwise(OPS[name], node_of(weft.asarray(x)))
    assert made.dtype is dt.float64
    assert wrap(made).tolist() == exact_functions.evaluate(name, x.astype(np.float64)).tolist()
    with pytest.raises(InternalError, match="all are to be float64"):
        spec.check([ir.make(OPS[name], (node_of(weft.asarray(x)),), (), ir.result(dt.float32, (5,)))])
