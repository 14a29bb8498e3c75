"""Functions of separate + - * / sqrt and integer operations alone, which give the same bits in every transformer.

The one idea: elementary functions may differ in their last place between transformers; random values must not.  These
are float64 only, exact to a few units in the last place, and native code shares their constants.  The ops:

    exact_log        of normal numbers above 0
    exact_exp        of any number; below -745.2 it is 0
    normal_cdf       the probability that a standard normal number lies below, by Cody's rational approximations of the
                     error function (Mathematics of Computation 23, 1969); relative error 2**-50 down to 1e-300
    normal_quantile  the inverse of normal_cdf, by AS 241 (`weft.ir.fields.quantile`); of 0 it is -37.6, of 1 infinity
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from weft.ir.fields.quantile import LN2_HIGH, LN2_LOW, logarithm, polynomial, quantile, ratio

LOG2_E = 1 / math.log(2)
MAGIC = 1.5 * 2.0**52  # adding it leaves the nearest integer in the low bits
EXP_SERIES = tuple(1 / math.factorial(k) for k in range(14))  # for |x| <= log(2) / 2
EXP_LIMITS = (-746.0, 710.0)  # beyond, the result is 0 or infinity
SMALLEST_NORMAL = 2.0**-1022

ROOT_HALF = 0.7071067811865476
NEAR, MIDDLE, FAR = 0.46875, 4.0, 40.0  # of |x|/sqrt(2), |x|/sqrt(2), |x|
# numerator and denominator by rising power: erf(t)/t in t², exp(t²)·erfc(t) in t, and the asymptotic one in 1/t²
ERF = (
    (3.20937758913846947e03, 3.77485237685302021e02, 1.13864154151050156e02, 3.16112374387056560e00,
     1.85777706184603153e-1),
    (2.84423683343917062e03, 1.28261652607737228e03, 2.44024637934444173e02, 2.36012909523441209e01, 1.0),
)  # fmt: skip
ERFC = (
    (1.23033935479799725e03, 2.05107837782607147e03, 1.71204761263407058e03, 8.81952221241769090e02,
     2.98635138197400131e02, 6.61191906371416295e01, 8.88314979438837594e00, 5.64188496988670089e-1,
     2.15311535474403846e-8),
    (1.23033935480374942e03, 3.43936767414372164e03, 4.36261909014324716e03, 3.29079923573345963e03,
     1.62138957456669019e03, 5.37181101862009858e02, 1.17693950891312499e02, 1.57449261107098347e01, 1.0),
)  # fmt: skip
ERFC_FAR = (
    (6.58749161529837803e-4, 1.60837851487422766e-2, 1.25781726111229246e-1, 3.60344899949804439e-1,
     3.05326634961232344e-1, 1.63153871373020978e-2),
    (2.33520497626869185e-3, 6.05183413124413191e-2, 5.27905102951428412e-1, 1.87295284992346725e00,
     2.56852019228982242e00, 1.0),
)  # fmt: skip
ROOT_PI_INVERSE = 0.5641895835477563


def exp(x: Any) -> Any:
    """Return exp(x) as 2**n times a Taylor series of the remainder x - n·log 2, which is at most log(2)/2."""
    low, high = EXP_LIMITS
    x = np.where(x < low, low, np.where(x > high, high, np.asarray(x, np.float64)))
    shifted = x * LOG2_E + MAGIC
    n = shifted - MAGIC
    r = x - n * LN2_HIGH - n * LN2_LOW
    count = shifted.view(np.int64) - np.float64(MAGIC).view(np.int64)
    half = count >> 1
    return polynomial(EXP_SERIES, r) * _power_of_two(half) * _power_of_two(count - half)


def _power_of_two(n: Any) -> Any:
    return ((n + 1023) << 52).view(np.float64)


def normal_cdf(x: Any) -> Any:
    """Return the standard normal distribution function of x, as half of erfc(-x/sqrt(2)).

    For exp(-x²/2), x² is computed as an exact square and a small remainder.
    """
    x = np.asarray(x, np.float64)
    size = np.minimum(np.abs(x), FAR)
    t = size * ROOT_HALF
    z = 1.0 / (t * t)
    centre = 0.5 + 0.5 * (t * ratio(ERF, t * t))
    far = (ROOT_PI_INVERSE - z * ratio(ERFC_FAR, z)) / t
    cut = np.trunc(size * 16.0) * 0.0625
    scale = exp(cut * cut * -0.5) * exp((size - cut) * (size + cut) * -0.5)
    tail = 0.5 * (scale * np.where(t <= MIDDLE, ratio(ERFC, t), far))
    tail = np.where(t <= NEAR, 1.0 - centre, tail)
    return np.where(x > 0, 1.0 - tail, tail)


def normal_quantile(p: Any) -> Any:
    """Return the standard normal quantile of p; p below the least normal number counts as that number."""
    return quantile(np.where(p < SMALLEST_NORMAL, SMALLEST_NORMAL, np.asarray(p, np.float64)))


EXACT = {"exact_exp": exp, "exact_log": logarithm, "normal_cdf": normal_cdf, "normal_quantile": normal_quantile}


def evaluate(name: str, x: Any) -> Any:
    """Return op `name`, a key of `EXACT`, of float64 numbers x.

    >>> float(evaluate("exact_exp", np.float64(0.0)))
    1.0
    """
    with np.errstate(all="ignore"):
        return EXACT[name](np.asarray(x, np.float64))
