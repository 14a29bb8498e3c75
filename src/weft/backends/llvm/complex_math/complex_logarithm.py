"""Complex logarithms.

The one idea: log|z| = log(re^2 + im^2)/2 with the sum of squares kept as a pair of doubles, so that nothing is lost
where |z| is near 1; the real kernel (`exp_log.log_pair_of_parts`) takes the pair, and powers of two that scale the
squares enter its exponent.  log1p forms the pair from 2·re + re^2 + im^2 near 0 and from 1 + re elsewhere.
"""

from __future__ import annotations

import math

from weft.backends.llvm.complex_math.complex_exact import HUGE, TINY, any_infinite, scaling, size_of
from weft.backends.llvm.complex_math.complex_outline import Emitter, outlined
from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.math.exp_log import (
    E_BASE,
    TEN_BASE,
    TWO_BASE,
    Base,
    exponent_float,
    log_pair_of_parts,
    split_exponent,
    sum_of,
)
from weft.backends.llvm.math.formats import F64
from weft.backends.llvm.math.inverse_trig import atan2_f64
from weft.backends.llvm.math.pairs import Pair, fast_two_sum, pair_sum, two_product, two_sum

NEAR = 0.5  # both parts below this: 1 + z is taken as 1 and a small rest


def _squared(b: Builder, re: Pair, im: Value) -> Pair:
    """Return re² + im² as a pair of doubles, with a relative error of 2^-104."""
    x, y = two_product(b, re.head, re.head), two_product(b, im, im)
    s = two_sum(x.head, y.head)
    rest = b.fma(re.head + re.head, re.tail, x.tail) + y.tail
    return fast_two_sum(s.head, s.tail + rest)


def _half_log(b: Builder, s: Pair, exponent: Value, base: Base) -> Value:
    """Return log(s·2^exponent)/2 to the given base, for positive normal s."""
    biased, m = split_exponent(b, s.head, F64)
    shrink = F64.of_bits(b, (2 * F64.bias - biased) << F64.fraction)
    k = exponent_float(b, biased, F64) + exponent
    return 0.5 * sum_of(log_pair_of_parts(b, k, m - 1.0, F64, base, s.tail * shrink))


def _scaled_square(b: Builder, re: Pair, im: Value) -> tuple[Pair, Value]:
    """Return (pair, exponent) with re² + im² = pair·2^exponent, scaled so that no square leaves the range."""
    size = size_of(b, Complex(re.head, im))
    up, _ = scaling(b, size)
    square = _squared(b, Pair(re.head * up * up, re.tail * up * up), im * up * up)
    return square, b.select(size < TINY, -1200.0, b.select(size > HUGE, 1200.0, b.const(size.type, 0.0)))


def _edges(b: Builder, z: Complex, square: Value, result: Value) -> Value:
    """Return `result`, the logarithm of |z|, corrected where |z| is 0, NaN or infinite.

    `square` is the head of |z|².
    """
    result = b.select(square.eq(0.0), -math.inf, b.select(square.is_nan(), math.nan, result))
    return b.select(any_infinite(b, z), math.inf, result)


def log_norm(b: Builder, z: Complex, base: Base) -> Value:
    """Return log|z| to the given base, for z of any size."""
    square, exponent = _scaled_square(b, Pair(z.re, b.const(z.re.type, 0.0)), z.im)
    return _edges(b, z, square.head, _half_log(b, square, exponent, base))


def _logarithm(base: Base) -> Emitter:
    def log(b: Builder, z: Complex) -> Complex:
        angle = atan2_f64(b, z.im, z.re)
        if base.of_e != (1.0, 0.0):
            angle = b.fma(angle, base.of_e[0], angle * base.of_e[1])
        return Complex(log_norm(b, z, base), angle)

    return log


log = _logarithm(E_BASE["double"])


def _square_of_successor(b: Builder, z: Complex) -> Pair:
    """Return |1 + z|² as a pair of doubles, accurate even for small z.

    It is 1 + (2·re + re² + im²); the small part is kept to its own last place.
    """
    x, y = two_product(b, z.re, z.re), two_product(b, z.im, z.im)
    s = two_sum(z.re + z.re, x.head)
    rest = pair_sum(fast_two_sum(s.head, s.tail + x.tail), y)
    s = two_sum(rest.head, 1.0)
    return Pair(s.head, s.tail + rest.tail)


def log1p(b: Builder, z: Complex) -> Complex:
    """Return log(1 + z)."""
    near = size_of(b, z) < NEAR
    real = two_sum(z.re, 1.0)
    far, exponent = _scaled_square(b, Pair(real.head, b.select(any_infinite(b, z), 0.0, real.tail)), z.im)
    close = _square_of_successor(b, z)
    square = Pair(b.select(near, close.head, far.head), b.select(near, close.tail, far.tail))
    re = _half_log(b, square, b.select(near, 0.0, exponent), E_BASE["double"])
    return Complex(_edges(b, z, square.head, re), atan2_f64(b, z.im, real.head))


COMPLEX_LOGARITHM = {
    **outlined("log", log),
    **outlined("log1p", log1p),
    **outlined("log2", _logarithm(TWO_BASE["double"])),
    **outlined("log10", _logarithm(TEN_BASE["double"])),
}
