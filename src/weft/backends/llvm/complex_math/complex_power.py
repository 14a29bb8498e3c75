"""Complex powers: z^w = e^(w·log z).

The one idea: w·log z must be known to 2^-53 absolutely, so for double the logarithm and the product are pairs of
doubles; with them the error stays within the bound while |w·log z| is below 2^44 (beyond, the angle means little).  For
float everything is plain double, up to 2^26.  Zeros, infinities and NaN go by the formula itself, except that z^0 = 1.

The logarithm in pairs is one step of Newton's method in twice the digits.  z = 2^n·i^q·(1 + u + iv) with exact u and v;
a first logarithm l in double; 1 + t = (1 + u + iv)·e^(-l), with e^(-l) - 1 from its power series in pairs (Dekker
1971), so that t keeps its own digits even near z = 1; log z = n·ln2 + i·q·pi/2 + l + t, as t^2 is below 2^-103.  The
series are those of exp, sin and 1 - cos up to |l| <= 0.8: 2^-104 of the result.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from weft.backends.llvm.complex_math.complex_exact import HUGE, TINY, both_finite, scaling
from weft.backends.llvm.complex_math.complex_exponential import exp, exponential, scaled
from weft.backends.llvm.complex_math.complex_logarithm import log, log_norm
from weft.backends.llvm.complex_math.complex_outline import Emitter, calling, complex_routine, complexes, outlined
from weft.backends.llvm.emit import Builder, Complex, Value, routine
from weft.backends.llvm.math.exp_log import E_BASE, LN2, LN10, exponent_float, split_exponent
from weft.backends.llvm.math.formats import F64
from weft.backends.llvm.math.inverse_trig import atan2_f64
from weft.backends.llvm.math.log_sum import LN2_THREE
from weft.backends.llvm.math.pairs import Pair, fast_two_sum, pair_product, pair_sum, two_product, two_sum
from weft.backends.llvm.math.reduction import HALF_PI, HALF_PI_TAIL
from weft.backends.llvm.math.trig import sincos

LEGIBLE = math.ldexp(1, -7)  # a tail of the angle beyond this comes from an angle that no longer counts


class ComplexPair(NamedTuple):
    re: Pair
    im: Pair


# ---- pairs
def _times(b: Builder, x: Pair, y: Value) -> Pair:
    """Return x·y, a pair times a double, as a pair."""
    p = two_product(b, x.head, y)
    return fast_two_sum(p.head, b.fma(x.tail, y, p.tail))


def _negative(x: Pair) -> Pair:
    return Pair(-x.head, -x.tail)


def _pair(b: Builder, x: Value) -> Pair:
    return Pair(x, b.const(x.type, 0.0))


def _series(b: Builder, x: Pair, terms: list[Fraction], words: int) -> Pair:
    """Return the sum of terms[k]·x^k by Horner's rule.

    Terms from index `words` on are added in doubles, the others in pairs of doubles.
    """
    p = _pair(b, b.horner(x.head, *[float(c) for c in terms[words:][::-1]]))
    for c in terms[:words][::-1]:
        head = float(c)
        product = pair_product(b, x, p)
        s = fast_two_sum(b.const(x.head.type, head), product.head)
        p = Pair(s.head, s.tail + (product.tail + float(c - Fraction(head))))
    return fast_two_sum(p.head, p.tail)


EXP_TERMS = [Fraction(1, math.factorial(k + 1)) for k in range(27)]
SINE_TERMS = [Fraction((-1) ** k, math.factorial(2 * k + 1)) for k in range(15)]
VERSINE_TERMS = [Fraction((-1) ** k, math.factorial(2 * k + 2)) for k in range(15)]


def _expm1_of_minus(b: Builder, log: Value, angle: Value) -> ComplexPair:
    """Return e^(-log - i·angle) - 1 in pairs of doubles.

    It is (1 + e)(1 - v - i·s) - 1 with e = e^-log - 1, v = 1 - cos(angle), s = sin(angle).
    """
    x = _pair(b, -log)
    e = pair_product(b, x, _series(b, x, EXP_TERMS, 16))
    square = Pair(*two_product(b, angle, angle))
    s = pair_product(b, _pair(b, angle), _series(b, square, SINE_TERMS, 9))
    v = pair_product(b, square, _series(b, square, VERSINE_TERMS, 9))
    re = pair_sum(pair_sum(e, _negative(v)), _negative(pair_product(b, e, v)))
    return ComplexPair(re, _negative(pair_sum(s, pair_product(b, s, e))))


# ---- the logarithm
def _rest(b: Builder, u: Value, v: Value, h: ComplexPair) -> Complex:
    """Return (1 + u + iv)(1 + h) - 1 as two doubles, computed in pairs."""
    re = pair_sum(pair_sum(_pair(b, u), h.re), pair_sum(_times(b, h.re, u), _times(b, h.im, -v)))
    im = pair_sum(pair_sum(_pair(b, v), h.im), pair_sum(_times(b, h.im, u), _times(b, h.re, v)))
    return Complex(re.head + re.tail, im.head + im.tail)


def _quartered(b: Builder, z: Complex) -> tuple[Value, Complex]:
    """Return (q, w) with z = i^q·w and w.re >= |w.im|.

    q is -1, 0, 1 or 2; it is -2 where z has a negative real part and im is negative or -0.
    """
    steep = b.abs(z.im) > b.abs(z.re)
    side = b.copysign(1.0, z.im)
    back = z.re < 0.0
    q = b.select(steep, side, b.select(back, side * 2.0, b.const(side.type, 0.0)))
    flat = Complex(b.abs(z.re), b.select(back, -z.im, z.im))
    return q, Complex(b.select(steep, b.abs(z.im), flat.re), b.select(steep, -(side * z.re), flat.im))


def _times_ln2(b: Builder, n: Value) -> Pair:
    """Return n·ln2 as a pair of doubles, for a small integer n."""
    rest = two_product(b, n, b.const(n.type, LN2_THREE[1]))
    return fast_two_sum(n * LN2_THREE[0], rest.head + b.fma(n, LN2_THREE[2], rest.tail))


def _log_pair(b: Builder, z: Complex) -> ComplexPair:
    """Return log z in pairs of doubles, for finite z that is not 0, to about 2^-100 of its norm."""
    quarters, w = _quartered(b, z)
    up, _ = scaling(b, w.re)
    lifted = w.re * up * up
    biased, m = split_exponent(b, lifted, F64)
    down = F64.of_bits(b, (2 * F64.bias - biased) << F64.fraction)
    lift = b.select(w.re < TINY, -600.0, b.select(w.re > HUGE, 600.0, b.const(m.type, 0.0)))
    v = w.im * up * up * down
    log, angle = log_norm(b, Complex(m, v), E_BASE["double"]), atan2_f64(b, v, m)
    t = _rest(b, m - 1.0, v, _expm1_of_minus(b, log, angle))
    n = exponent_float(b, biased, F64) + lift
    turn = _times(b, Pair(b.const(n.type, HALF_PI), b.const(n.type, HALF_PI_TAIL)), quarters)
    re = pair_sum(_times_ln2(b, n), two_sum(log, t.re))
    return ComplexPair(re, pair_sum(turn, two_sum(angle, t.im)))


# ---- powers
def _product(b: Builder, w: Complex, x: ComplexPair) -> ComplexPair:
    re = pair_sum(_times(b, x.re, w.re), _times(b, x.im, -w.im))
    return ComplexPair(re, pair_sum(_times(b, x.im, w.re), _times(b, x.re, w.im)))


def _small_or_zero(b: Builder, x: Value) -> Value:
    return b.select(b.abs(x) < LEGIBLE, x, 0.0)


def _cis(b: Builder, angle: Pair) -> Complex:
    """Return cos(angle) + i·sin(angle) for an angle given as a pair of doubles."""
    sine, cosine = sincos(b, angle.head)
    t = _small_or_zero(b, angle.tail)
    square = t * t
    s = b.fma(t * square, b.horner(square, 1 / 120, -1 / 6), t)
    v = square * b.horner(square, 1 / 24, -0.5)  # cos(t) - 1
    return Complex(cosine + b.fma(cosine, v, -(sine * s)), sine + b.fma(sine, v, cosine * s))


def _exp_pair(b: Builder, x: ComplexPair) -> Complex:
    e = exponential(b, x.re.head)
    power = b.fma(e.power, _small_or_zero(b, x.re.tail), e.power)
    direction = _cis(b, x.im)
    return direction.map_parts(lambda p: scaled(e, power * p))


def _simple(b: Builder, z: Complex, w: Complex, result: Complex) -> Complex:
    """Return `result`, replaced where w is 0, 1 or 2 by z^w computed with products alone."""
    one = Complex(b.const(z.re.type, 1.0), b.const(z.re.type, 0.0))
    real = w.im.eq(0.0)
    result = b.select(real & w.re.eq(2.0), z * z, result)
    result = b.select(real & w.re.eq(1.0), z, result)
    return b.select(real & w.re.eq(0.0), one, result)


def _by_formula(b: Builder, z: Complex, w: Complex) -> Complex:
    """Return z^w as exp(w·log z) in doubles, infinities as in products, and exact w = 0, 1, 2."""
    return _simple(b, z, w, exp(b, w * log(b, z)))


ODD_POWER = complex_routine("cpow_odd", _by_formula, "double", 2)


@routine("weft_cpow_f64", ["double"] * 4, ["double"] * 2)
def POWER(b: Builder, *parts: Value) -> Complex:
    z, w = complexes(parts)
    result = _simple(b, z, w, _exp_pair(b, _product(b, w, _log_pair(b, z))))
    zero, lost = z.re.eq(0.0) & z.im.eq(0.0), result.re.is_nan() | result.im.is_nan()
    odd = ~(both_finite(b, z) & both_finite(b, w)) | zero | lost
    return Complex(*b.rare(odd, ODD_POWER, parts, result))


POWER_F32 = complex_routine("cpow", _by_formula, "float", 2)


def _of_base(op: str, log: tuple[float, float]) -> dict[tuple[str, str], Emitter]:
    """Return the emitters of base^z for an op, by (op, element type), given log(base) as a pair.

    base^z is e^(z·log base), with the product as a pair; NaN and infinities are treated as by exp.
    """
    odd = complex_routine(f"c{op}_odd", lambda b, z: exp(b, z.map_parts(lambda p: p * log[0])), "double")

    def emit(b: Builder, z: Complex) -> Complex:
        pair = Pair(b.const(z.re.type, log[0]), b.const(z.re.type, log[1]))
        result = _exp_pair(b, ComplexPair(*(_times(b, pair, p) for p in z)))
        result = Complex(result.re, b.select(z.im.eq(0.0), z.im, result.im))
        lost = ~both_finite(b, z) | result.re.is_nan() | result.im.is_nan()
        return Complex(*b.rare(lost, odd, [*z], result))

    return outlined(op, emit)


COMPLEX_POWER: dict[tuple[str, str], Emitter] = {
    ("pow", "float"): calling(POWER_F32),
    ("pow", "double"): calling(POWER),
    **_of_base("exp2", LN2["double"]),
    **_of_base("exp10", LN10),
}
