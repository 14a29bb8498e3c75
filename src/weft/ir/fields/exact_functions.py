"""Functions of separate + - * / sqrt and integer operations alone, which give the same bits in every transformer.

The one idea: elementary functions may differ in their last place between transformers; random values must not.  These
are float64 only, exact to a few units in the last place, and native code shares their constants.  The ops:

    exact_log        of normal numbers above 0
    exact_exp        of any number; below -745.2 it is 0
    normal_cdf       the probability that a standard normal number lies below, by Cody's rational approximations of the
                     error function (Mathematics of Computation 23, 1969); relative error 2**-50 down to 1e-300
    normal_quantile  the inverse of normal_cdf, by AS 241 (Wichura, Applied Statistics 37, 1988), three quotients
                     of polynomials; of 0 it is -37.6, of 1 infinity

A random word becomes the odd multiple (2k + 1)/2**53 in (0, 1), never 0 nor 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

# PPND16: numerator and denominator by rising power; the centre in 0.180625 - q², two tails in
# sqrt(-log p) less 1.6 and 5.
CENTRE = (
    (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
    (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3),
)  # fmt: skip
TAIL = (
    (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
)  # fmt: skip
FAR_TAIL = (
    (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
)  # fmt: skip
CENTRE_HALF_WIDTH, CENTRE_SHIFT, TAIL_SHIFT, FAR_TAIL_SHIFT = 0.425, 0.180625, 1.6, 5.0
# (log((1+s)/(1-s)) - 2s) / s³ by rising power of s², for |s| <= 3 - sqrt(8): relative error of the logarithm 2^-57.5
LOGARITHM = (0.666666666666667, 0.39999999999899505, 0.28571428625975487, 0.2222221113479508,
             0.18182889125261723, 0.15331721600556042, 0.14616449685043406)  # fmt: skip
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD  # of sqrt(1/2): mantissas are taken from there to sqrt(2)
LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42fefa38p-1"), float.fromhex("0x1.ef35793c7673p-45")


def open_unit(word: Any) -> Any:
    """Return (2k + 1)/2**53, where k is the word's top 52 bits.

    These numbers are evenly spread over the open interval (0, 1).
    """
    k = np.asarray(word) >> np.uint64(12)
    return (np.uint64(0x3FF) << np.uint64(52) | k).view(np.float64) - (1 - 2.0**-53)


def standard_normal(word: Any) -> Any:
    """Return the normal quantile of `open_unit(word)`."""
    return quantile(open_unit(word))


def quantile(u: Any) -> Any:
    """Return the standard normal quantile of probability u, for u in [2**-1022, 1)."""
    q = u - 0.5
    r = np.sqrt(-logarithm(np.minimum(u, 1.0 - u)))
    tail = np.where(r <= 5.0, ratio(TAIL, r - TAIL_SHIFT), ratio(FAR_TAIL, r - FAR_TAIL_SHIFT))
    centre = q * ratio(CENTRE, CENTRE_SHIFT - q * q)
    return np.where(np.abs(q) <= CENTRE_HALF_WIDTH, centre, np.copysign(tail, q))


def logarithm(x: Any) -> Any:
    """Return log x of normal numbers x > 0, by the exponent and an odd series.

    log m = 2s + s³·P(s²) with s = (m - 1)/(m + 1).
    """
    bits = x.view(np.int64)
    e = (bits - ROOT_HALF_BITS) >> 52
    m = (bits - (e << 52)).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    scale = e.astype(np.float64)
    return scale * LN2_HIGH + (2.0 * s + (s * z * polynomial(LOGARITHM, z) + scale * LN2_LOW))


def ratio(polynomials: tuple[Sequence[float], Sequence[float]], x: Any) -> Any:
    """Return the quotient of two polynomials at x, numerator first; each has its coefficients by rising power."""
    return polynomial(polynomials[0], x) / polynomial(polynomials[1], x)


def polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Return the value of a polynomial with coefficients by rising power, by Horner's rule."""
    p = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        p = p * x + c
    return p


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
