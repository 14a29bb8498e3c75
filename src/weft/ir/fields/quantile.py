"""The quantile of the normal distribution in float64, with separate + - * / sqrt only: the same bits everywhere.

The one idea: a random word becomes the odd multiple (2k + 1)/2**53 in (0, 1), never 0 nor 1, and Wichura's algorithm
AS 241 (Applied Statistics 37, 1988) inverts the distribution there by three quotients of polynomials.  Native code
shares the constants.
"""

from __future__ import annotations

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
