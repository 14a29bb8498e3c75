"""pow and hypot for float and double, without libm.

pow: |x|^y = e^(y·log|x|); for double the logarithm is a pair of doubles good to about 2^-65, so that the product with y
still leaves the exponent exact enough (Muller et al., Handbook of Floating-Point Arithmetic): s = (m - 1)/(m + 1),
log m = 2s + 2s³·(1/3 + z·Q(z)), z = s², the first terms in pair arithmetic.  For float, plain double does.
The sign and the special cases of C99 F.9.4.4 (those of the array API) are selected afterwards.
pow of doubles is an out-of-line routine, as are the special cases of floats; the rest is short enough to stand in the
kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from weft.backends.llvm.emit import Builder, Value, routine
from weft.backends.llvm.math.exp_log import (
    exp_middle,
    exponent_float,
    log_middle,
    not_between,
    reduce_exp,
    scaled_twice,
    split_exponent,
)
from weft.backends.llvm.math.formats import F64, INFINITY, clamp, in_double, rows
from weft.backends.llvm.math.log_sum import logaddexp_f32, logaddexp_f64
from weft.backends.llvm.math.pairs import Pair, fast_two_sum, larger_first, pair_product, two_product, two_sum

# ((atanh s - s)/s³ - 1/3)/z in z = s², |s| <= 1/5: error 2^-75.6 of s.
ATANH = (
    0.057901549478543354, 0.051668733206315834, 0.058872931484665096, 0.06666513119282733, 0.07692310669459194,
    0.0909090905537599, 0.11111111111357537, 0.14285714285713416, 0.2,
)  # fmt: skip
THIRD = (1 / 3, 1.850371707708594e-17)
LN2_42 = (0.6931471805598903, 5.497923018708371e-14)  # 42 bits, so that a product with an exponent is exact; the rest


# ---- pow
def _log_of_mantissa(b: Builder, m: Value) -> Pair:
    """Return log m for m in [0.667, 1.334) as a pair, with a relative error of about 2^-65."""
    f = m - 1.0
    d = two_sum(m, b.const(m.type, 1.0))
    inverse = 1.0 / d.head
    s_head = f * inverse
    s = Pair(s_head, b.fma(-s_head, d.tail, b.fma(-s_head, d.head, f)) * inverse)
    z = pair_product(b, s, s)
    w = fast_two_sum(b.const(m.type, THIRD[0]), z.head * b.horner(z.head, *ATANH))
    w = Pair(w.head, w.tail + b.fma(z.tail, ATANH[-1], b.const(m.type, THIRD[1])))
    cubic = pair_product(b, s, pair_product(b, z, w))
    total = fast_two_sum(s.head, cubic.head)
    return Pair(total.head * 2.0, (total.tail + (s.tail + cubic.tail)) * 2.0)


def _log_pair(b: Builder, x: Value) -> Pair:
    """Return log x of a positive finite double, subnormal numbers included, as a pair."""
    tiny = x < F64.least_normal
    biased, m = split_exponent(b, b.select(tiny, x * 2.0**54, x), F64)
    k = exponent_float(b, biased, F64) - b.select(tiny, b.const(x.type, 54.0), 0.0)
    log_m = _log_of_mantissa(b, m)
    total = fast_two_sum(k * LN2_42[0], log_m.head)  # the first is 0 or the larger
    return Pair(total.head, total.tail + b.fma(k, LN2_42[1], log_m.tail))


def _magnitude_double(b: Builder, a: Value, y: Value) -> Value:
    """Return a^y of doubles, for finite a > 0 and finite y."""
    log = _log_pair(b, a)
    p = two_product(b, y, log.head)
    inside = b.abs(p.head) < 800.0
    tail = b.select(inside, b.fma(y, log.tail, p.tail), 0.0)
    return scaled_twice(b, reduce_exp(b, clamp(b, p.head, -800.0, 800.0), F64, tail=tail), F64)


def _magnitude_float(b: Builder, a: Value, y: Value) -> Value:
    wide = b.cast("fpext", y, "double") * log_middle(b, b.cast("fpext", a, "double"))
    return b.cast("fptrunc", exp_middle(b, clamp(b, wide, -200.0, 200.0)), "float")


def _with_cases(b: Builder, x: Value, y: Value, size: Value) -> Value:
    """Return x^y with signs and special cases, given |x|^y as `size`.

    `size` need be right only for finite nonzero x and finite y.
    """
    a = b.abs(x)
    negative = b.is_signed(x)
    whole = b.floor(y).eq(y)
    half = y * 0.5
    odd = whole & b.floor(half).ne(half)
    at_end = b.select(a < 1.0, b.const(x.type, 0.0), INFINITY)  # of |x| in {0, infinity} for y > 0, of |y| infinite
    other_end = b.select(a < 1.0, b.const(x.type, INFINITY), 0.0)
    ends = a.eq(0.0) | a.eq(INFINITY) | b.abs(y).eq(INFINITY)
    size = b.select(ends, b.select(y < 0.0, other_end, at_end), size)
    size = b.select(a.eq(1.0), 1.0, size)
    z = b.select(negative & odd, -size, size)
    domain = (x < 0.0) & (a < INFINITY) & ~whole
    z = b.select(domain | x.is_nan() | y.is_nan(), math.nan, z)
    return b.select(y.eq(0.0) | x.eq(1.0), 1.0, z)


def _power(magnitude: Callable[[Builder, Value, Value], Value], b: Builder, x: Value, y: Value) -> Value:
    return _with_cases(b, x, y, magnitude(b, b.abs(x), y))


pow_f64 = routine("weft_pow_f64", ["double"] * 2, ["double"])(partial(_power, _magnitude_double))
POW_F32 = routine("weft_pow_f32", ["float"] * 2, ["float"])(partial(_power, _magnitude_float))


def pow_f32(b: Builder, x: Value, y: Value) -> Value:
    """Return x^y of floats; other than finite x > 0 and finite y go through an out-of-line routine."""
    special = ~((x > 0.0) & (x < INFINITY) & b.is_finite(y))
    return b.rare(special, POW_F32, [x, y], [_magnitude_float(b, x, y)])[0]


# ---- hypot
def _root_of_squares(b: Builder, large: Value, small: Value) -> Value:
    square = two_product(b, large, large)
    return b.sqrt(square.head + b.fma(small, small, square.tail))


@routine("weft_hypot_wide_f64", ["double", "double"], ["double"])
def HYPOT_WIDE(b: Builder, x: Value, y: Value) -> Value:
    large, small = larger_first(b, b.abs(x), b.abs(y))
    big = large > 1.0
    scale = b.select(big, b.const(x.type, 2.0**-600), 2.0**600)
    back = b.select(big, b.const(x.type, 2.0**600), 2.0**-600)
    root = _root_of_squares(b, large * scale, small * scale) * back
    return b.select(b.abs(x).eq(INFINITY) | b.abs(y).eq(INFINITY), INFINITY, root)


def hypot_f64(b: Builder, x: Value, y: Value) -> Value:
    """Return √(x² + y²) of doubles.

    Outside of 2^-480 to 2^500, x and y are scaled by a power of two.
    """
    large, small = larger_first(b, b.abs(x), b.abs(y))
    outside = not_between(b, large, 2.0**-480, 2.0**500, F64)
    return b.rare(outside, HYPOT_WIDE, [x, y], [_root_of_squares(b, large, small)])[0]


def hypot_f32(b: Builder, x: Value, y: Value) -> Value:
    """Return √(x² + y²) of floats, computed in double, where the squares are exact and do not overflow."""
    root = in_double(lambda b, u, v: b.sqrt(b.fma(u, u, v * v)))(b, x, y)
    return b.select(b.abs(x).eq(INFINITY) | b.abs(y).eq(INFINITY), INFINITY, root)


REAL_POWER = rows(
    pow={"float": pow_f32, "double": pow_f64},
    hypot={"float": hypot_f32, "double": hypot_f64},
    logaddexp={"float": logaddexp_f32, "double": logaddexp_f64},
)
