"""Sweeps a one-argument float function over bit patterns, against NumPy in double, in seconds per 2^26 arguments.

The one idea: double functions are good to a few of their own last places, 2^-27 of a float's, so they find the worst
arguments; mpmath then says exactly how wrong the function is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
from math_harness import kernel, ulp_errors

BLOCK = 1 << 22
KEPT = 8  # worst arguments of a block that are worked out exactly


def worst_error(
    emit: Callable[..., object], oracle: Callable[..., Any], exact: Callable[..., Any], parity: str = "", step: int = 1
) -> float:
    """The largest error in ulp over every step-th bit pattern. An "odd" or "even" function must be so to the bit."""
    run = kernel(emit, "float")
    worst = 0.0
    for x in _arguments(1 << 31 if parity else 1 << 32, step):
        got = run(x)
        if parity:
            _assert_parity(x, got, run(-x), parity)
        with np.errstate(all="ignore"):
            errors = _errors(got, oracle(x.astype(np.float64)))
        assert not np.isinf(errors).any(), f"nan or inf at {x[np.isinf(errors)][:5]}"
        at = np.argsort(errors)[-KEPT:]
        with mpmath.workprec(320):
            wants = [
                exact(mpmath.mpf(float(v))) if np.isfinite(g) else mpmath.mpf(float(g))
                for v, g in zip(x[at], got[at], strict=True)
            ]
            worst = max(worst, ulp_errors(got[at], wants).max())
    return worst


def _arguments(stop: int, step: int) -> Iterator[Any]:
    for start in range(0, stop, BLOCK * step):
        yield np.arange(start, min(start + BLOCK * step, stop), step, dtype=np.uint32).view(np.float32)


def _errors(got: Any, exact: Any) -> Any:
    """|got - exact| in ulp of exact, inf where one is nan or infinite and the other is not."""
    exponent = np.maximum(np.frexp(exact)[1] - 24, -149)
    errors = np.ldexp(np.abs(got - exact), -exponent)
    same = (np.isnan(got) & np.isnan(exact)) | (got == exact)
    return np.where(same, 0.0, np.where(np.isnan(errors), np.inf, errors))


def _assert_parity(x: Any, at_x: Any, at_minus_x: Any, parity: str) -> None:
    mirrored = -at_x if parity == "odd" else at_x
    bad = (mirrored.view(np.int32) != at_minus_x.view(np.int32)) & ~(np.isnan(at_x) & np.isnan(at_minus_x))
    assert not bad.any(), f"not {parity} at {x[bad][:5]}"
