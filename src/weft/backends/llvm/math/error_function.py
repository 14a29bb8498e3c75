"""erf and erfc for float and double, without libm.

The one idea: near zero erf(x) = x + x·P(x²); elsewhere erfc(x) = e^(-x²)·Q(u)/(1 + 2x) with u = (x - k)/(x + k), where
Q stays between 1.1 and 1.3.  The square x² is kept as a pair, since its error enters the exponential whole.  Floats are
computed in double by shorter polynomials.  Every polynomial interpolates at Chebyshev points; its error is stated.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.math.exp_log import EXP_MIDDLE, ReducedExponent, reduce_exp_parts, scaled_twice, two_factors
from weft.backends.llvm.math.formats import F64, Emitter, clamp, in_double, rows

# erf(x)/x - 1 as a polynomial in x², |x| < 1: error 2^-62.7, and 2^-34.7 for float results.
NEAR = (
    5.957176147748911e-11, -1.1372848856791674e-09, 1.4659775274047436e-08, -1.6350312701054695e-07,
    1.6461000484121368e-06, -1.4925595266831182e-05, 0.0001205533111164271, -0.000854832698083379,
    0.0052239776248180145, -0.026866170645076792, 0.11283791670954879, -0.3761263890318375, 0.1283791670955126,
)  # fmt: skip
NEAR_FLOAT = (
    -9.667044571486996e-06, 0.00011265959025606609, -0.0008484080405535107, 0.005221031807858023,
    -0.026865430727670243, 0.11283782495236845, -0.3761263846802871, 0.12837916706154343,
)  # fmt: skip
# (1 + 2x)·e^(x²)·erfc(x) in u, from x = 0.5 to 28 with k = 4: error 2^-57.8; to 11 with k = 2: 2^-32.7.
FAR = (
    -1.0476718674668371e-08, -1.2224048303152388e-08, 1.0568025135820959e-07, 6.702452833728971e-08,
    -8.22559563206072e-07, 2.9955790685567077e-07, 5.7086428044048145e-06, -1.12247322473501e-05,
    -2.4398983809134553e-05, 0.00015062249512264785, -0.00019925671345040716, -0.0007577734486762808,
    0.0050319699756138135, -0.01619773403826592, 0.03716751553818893, -0.06633036581360713, 0.09373283499828751,
    -0.10103906603625375, 0.0680970542546948, 0.015379652102619027, -0.13962111684056253, 1.2329951186255526,
)  # fmt: skip
FAR_FLOAT = (
    9.643162512568362e-05, 0.00019445740827948358, -0.000421591348275135, -0.0014496912540174173,
    0.001261990340358151, 0.008720884477840913, -0.008032736717444209, -0.054219805354503825, 0.16405120635462292,
    -0.1660304055516161, -0.09276382539749893, 1.2769783816050655,
)  # fmt: skip
LEAST, GREATEST = 0.6875, 28.0  # below, erfc = 1 - erf loses less; erfc(28) is less than any double


def _tail_value(b: Builder, x: Value, fine: bool) -> Value:
    """Return erfc(x) for x >= LEAST; with `fine`, to double precision, else exact enough for a float result."""
    x = clamp(b, x, LEAST, GREATEST)
    k, (*rest_of_q, constant) = (4.0, FAR) if fine else (2.0, FAR_FLOAT)
    u = (x - k) / (x + k)
    small = u * b.horner(u, *rest_of_q)
    q = small + constant
    square = x * x
    n_bits, high, low = reduce_exp_parts(b, -square, F64, () if fine else EXP_MIDDLE)
    if not fine:
        return scaled_twice(b, ReducedExponent(n_bits, high + low), F64) * (q / b.fma(x, 2.0, 1.0))
    rest = b.fma(x, x, -square)
    t = high + (low - b.fma(high + low, rest, rest))  # times 1 - rest
    d = b.fma(x, 2.0, 1.0)
    inverse = 1.0 / d
    y = q * inverse
    left = b.fma(-y, 1.0 - (d - (x + x)), b.fma(-y, d, q)) + (constant - q + small)
    t = b.fma(t, y, left * inverse)
    first, second = two_factors(b, n_bits, y.type, F64)
    return (y + t) * first * second


def _central_value(b: Builder, x: Value, fine: bool) -> Value:
    """Return erf(x)/x - 1 for |x| < 1; with `fine`, to double precision, else exact enough for a float result."""
    return b.horner(x * x, *(NEAR if fine else NEAR_FLOAT))


def _erf(b: Builder, x: Value, fine: bool) -> Value:
    size = b.abs(x)
    small = b.fma(x, _central_value(b, x, fine), x)
    return b.select(size < 1.0, small, b.copysign(1.0 - _tail_value(b, size, fine), x))


def _erfc(b: Builder, x: Value, fine: bool) -> Value:
    size = b.abs(x)
    first = 1.0 - x
    small = first + ((1.0 - first) - x - x * _central_value(b, x, fine))
    far = _tail_value(b, size, fine)
    return b.select(size < LEAST, small, b.select(x < 0.0, 2.0 - far, far))


def _rows(function: Callable[[Builder, Value, bool], Value]) -> dict[str, Emitter]:
    """Return the emitters of `function` by element type; floats are computed in double with fine=False."""
    return {"float": in_double(lambda b, x: function(b, x, False)), "double": lambda b, x: function(b, x, True)}


ERROR_FUNCTION = rows(erf=_rows(_erf), erfc=_rows(_erfc))
