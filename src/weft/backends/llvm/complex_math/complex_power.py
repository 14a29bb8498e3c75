"""Complex powers: z^w = e^(w·log z).

The one idea: w·log z must be known to 2^-53 absolutely, so for double the logarithm and the product are pairs of
doubles; with them the error stays within the bound while |w·log z| is below 2^44 (beyond, the angle means little).  For
float everything is plain double, up to 2^26.  Zeros, infinities and NaN go by the formula itself, except that z^0 = 1.
"""

from __future__ import annotations

import math

from weft.backends.llvm.complex_math.complex_arithmetic import multiply, textbook_product
from weft.backends.llvm.complex_math.complex_exact import both_finite
from weft.backends.llvm.complex_math.complex_exponential import exp, exponential, scaled
from weft.backends.llvm.complex_math.complex_log_pair import ComplexPair, log_pair, pair_times
from weft.backends.llvm.complex_math.complex_logarithm import log
from weft.backends.llvm.complex_math.complex_outline import Emitter, calling, complex_routine, complexes, outlined
from weft.backends.llvm.emit import Builder, Complex, Value, routine
from weft.backends.llvm.math.exp_log import LN2, LN10
from weft.backends.llvm.math.pairs import Pair, pair_sum
from weft.backends.llvm.math.trig import sincos

LEGIBLE = math.ldexp(1, -7)  # a tail of the angle beyond this comes from an angle that no longer counts


def _product(b: Builder, w: Complex, x: ComplexPair) -> ComplexPair:
    re = pair_sum(pair_times(b, x.re, w.re), pair_times(b, x.im, -w.im))
    return ComplexPair(re, pair_sum(pair_times(b, x.im, w.re), pair_times(b, x.re, w.im)))


def _small_or_zero(b: Builder, x: Value) -> Value:
    return b.select(b.abs(x) < LEGIBLE, x, 0.0)


def _turned(b: Builder, angle: Pair) -> Complex:
    """Return cos + i·sin of a pair."""
    sine, cosine = sincos(b, angle.head)
    t = _small_or_zero(b, angle.tail)
    square = t * t
    s = b.fma(t * square, b.horner(square, 1 / 120, -1 / 6), t)
    v = square * b.horner(square, 1 / 24, -0.5)  # cos(t) - 1
    return Complex(cosine + b.fma(cosine, v, -(sine * s)), sine + b.fma(sine, v, cosine * s))


def _exp_pair(b: Builder, x: ComplexPair) -> Complex:
    e = exponential(b, x.re.head)
    power = b.fma(e.power, _small_or_zero(b, x.re.tail), e.power)
    direction = _turned(b, x.im)
    return direction.each(lambda p: scaled(e, power * p))


def _simple(b: Builder, z: Complex, w: Complex, result: Complex) -> Complex:
    """Return z^0, z^1 and z^2 without rounding that their products would not have."""
    one = Complex(b.const(z.re.type, 1.0), b.const(z.re.type, 0.0))
    real = w.im.eq(0.0)
    result = b.select(real & w.re.eq(2.0), textbook_product(z, z), result)
    result = b.select(real & w.re.eq(1.0), z, result)
    return b.select(real & w.re.eq(0.0), one, result)


def _by_formula(b: Builder, z: Complex, w: Complex) -> Complex:
    """Return exp(w·log z) in double as it stands, with the infinities of `multiply`."""
    return _simple(b, z, w, exp(b, multiply(b, w, log(b, z))))


ODD_POWER = complex_routine("cpow_odd", _by_formula, "double", 2)


@routine("weft_cpow_f64", ["double"] * 4, ["double"] * 2)
def POWER(b: Builder, *parts: Value) -> Complex:
    z, w = complexes(parts)
    result = _simple(b, z, w, _exp_pair(b, _product(b, w, log_pair(b, z))))
    zero, lost = z.re.eq(0.0) & z.im.eq(0.0), result.re.is_nan() | result.im.is_nan()
    odd = ~(both_finite(b, z) & both_finite(b, w)) | zero | lost
    return Complex(*b.rare(odd, ODD_POWER, parts, result))


POWER_F32 = complex_routine("cpow", _by_formula, "float", 2)


def _of_base(op: str, log: tuple[float, float]) -> dict[tuple[str, str], Emitter]:
    """Return base^z = e^(z·log base), the logarithm and the product as pairs; NaN and infinities as in exp."""
    odd = complex_routine(f"c{op}_odd", lambda b, z: exp(b, z.each(lambda p: p * log[0])), "double")

    def emit(b: Builder, z: Complex) -> Complex:
        pair = Pair(b.const(z.re.type, log[0]), b.const(z.re.type, log[1]))
        result = _exp_pair(b, ComplexPair(*(pair_times(b, pair, p) for p in z)))
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
