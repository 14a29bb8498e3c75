"""logaddexp for float and double: max + log1p(e^-|x - y|), every step as a pair of doubles.

Where the result is near zero the two terms cancel, and a relative bound needs the sum e^x + e^y - 1 itself to about
2^-100; such lanes go to a second routine, which sums the exponential series in pair arithmetic (Dekker 1971).
"""

from __future__ import annotations

import math
from fractions import Fraction

from weft.backends.llvm.emit import Builder, Value, routine
from weft.backends.llvm.math.exp_log import LOG2_E, log1p_pair, reduce_exp_parts, sum_of, two_factors
from weft.backends.llvm.math.formats import F64, INFINITY, clamp, in_double
from weft.backends.llvm.math.pairs import (
    Pair,
    fast_two_sum,
    larger_first,
    pair_product,
    pair_sum,
    two_product,
    two_sum,
)

NEAR_ZERO = 0.0625
LN2_THREE = (0.6931471805598903, 5.497923018708371e-14, 1.94704509238075e-31)  # the first has 42 bits
PAIR_TERMS, TERMS = 13, 23  # r^14/14! < 2^-57 needs one word; the series ends below 2^-105 for |r| <= ln2/2


def _log1p_exp(b: Builder, d: Pair) -> Pair:
    """Return log(1 + e^(d.head + d.tail)) for d.head <= 0, as a pair."""
    n_bits, high, rest = reduce_exp_parts(b, clamp(b, d.head, -800.0, 0.0), F64, tail=d.tail)
    first, second = two_factors(b, n_bits, high.type, F64)
    e = b.fma(first, high, first)
    e, e_low = fast_two_sum(e, b.fma(first, rest, b.fma(first, high, first - e)))
    return Pair(*log1p_pair(b, e * second, F64, e_low * second))


def _logaddexp(b: Builder, x: Value, y: Value) -> Value:
    large, small = larger_first(b, x, y)
    tail = _log1p_exp(b, two_sum(small, -large))
    total = two_sum(large, tail.head)
    z = total.head + (total.tail + tail.tail)
    cancels = (large < 0.0) & (b.abs(z) < NEAR_ZERO)
    (z,) = b.rare(cancels, LOGADDEXP_NEAR_ZERO, [large, small], [z])
    z = b.select(small.eq(-INFINITY) | large.eq(INFINITY), large, z)
    return b.select(x.is_nan() | y.is_nan(), math.nan, z)


# ---- near zero
def _inverse_factorial(k: int) -> tuple[float, float]:
    exact = Fraction(1, math.factorial(k))
    head = float(exact)
    return head, float(exact - Fraction(head))


def _expm1_series(b: Builder, r: Pair) -> Pair:
    """Return e^r - 1 for |r| <= ln2/2 as a pair, with a relative error of about 2^-102."""
    words = [_inverse_factorial(k) for k in range(2, TERMS + 1)]
    p = Pair(b.horner(r.head, *[w[0] for w in words[: PAIR_TERMS - 2 : -1]]), b.const(r.head.type, 0.0))
    for head, low in words[PAIR_TERMS - 2 :: -1]:
        p = pair_product(b, p, r)
        total = fast_two_sum(b.const(r.head.type, head), p.head)
        p = Pair(total.head, total.tail + (p.tail + low))
    p = pair_product(b, pair_product(b, r, r), p)
    total = fast_two_sum(r.head, p.head)
    return fast_two_sum(total.head, total.tail + (r.tail + p.tail))


def _exp_minus(b: Builder, x: Value, less: float) -> Pair:
    """Return e^x - less as a pair, for x <= 0, where `less` is 0 or 1.

    Its error is at most 2^-100 of the larger of e^x and `less`.
    """
    biased = b.fma(x, LOG2_E, F64.magic + F64.bias)
    n = biased - (F64.magic + F64.bias)
    middle = two_product(b, n, b.const(x.type, -LN2_THREE[1]))
    r = two_sum(b.fma(n, -LN2_THREE[0], x), middle.head)
    e = _expm1_series(b, fast_two_sum(r.head, r.tail + b.fma(n, -LN2_THREE[2], middle.tail)))
    first, second = two_factors(b, F64.bits(b, biased), x.type, F64)
    series = Pair(e.head * first * second, e.tail * first * second)
    return pair_sum(Pair(first * second - less, b.const(x.type, 0.0)), series)


@routine("weft_logaddexp_near_zero_f64", ["double", "double"], ["double"])
def LOGADDEXP_NEAR_ZERO(b: Builder, large: Value, small: Value) -> Value:
    """Return log(e^large + e^small), as log1p((e^large - 1) + e^small), where the result is near 0."""
    first = _exp_minus(b, clamp(b, large, -2.0, 0.0), 1.0)
    second = _exp_minus(b, clamp(b, small, -800.0, 0.0), 0.0)
    total = pair_sum(first, second)
    return sum_of(log1p_pair(b, clamp(b, total.head, -0.5, 1.0), F64, total.tail))


logaddexp_f64 = routine("weft_logaddexp_f64", ["double", "double"], ["double"])(_logaddexp)
logaddexp_f32 = routine("weft_logaddexp_f32", ["float", "float"], ["float"])(in_double(_logaddexp))
