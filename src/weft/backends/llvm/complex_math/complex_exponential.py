"""Complex exponentials and hyperbolic functions; sine, cosine and tangent are these of i·z.

The one idea: one reduction of re gives e^x and e^x - 1 together, from which sinh and cosh follow with one division;
beyond 700 the exponential keeps a power of two apart, so that e^x·cos(y) overflows only when the product does.
tanh = (sinh·cosh + i sin·cos)/(sinh^2 + cos^2) has no cancellation (Kahan 1987 divides the same through by cos^2), here
with e^2|re| - 1 for the hyperbolic functions; its limit serves beyond 22.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from weft.backends.llvm.complex_math.complex_outline import Emitter, outlined, swapped
from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.math.exp_log import reduce_exp_parts
from weft.backends.llvm.math.formats import F64, clamp
from weft.backends.llvm.math.pairs import (
    Pair,
    fast_two_sum,
    pair_product,
    pair_quotient,
    positive_sum,
    two_product,
    two_sum,
)
from weft.backends.llvm.math.trig import sincos

LARGE = 700.0  # e^x beyond this is scaled
SHIFT = float.fromhex("0x1.62e42fefa39efp+9")  # 1024·ln2 and what its rounding leaves
SHIFT_TAIL = float.fromhex("0x1.abc9e3b39803fp-46")
STEP = math.ldexp(1, 512)  # two of them make 2^1024
NEAR = 0.5  # |re| below this: e^z - 1 goes by e^x - 1
ONE_REACHED = 22.0  # tanh(x) rounds to 1


class Exponential(NamedTuple):
    """e^x = power·step^2, and e^x - 1 = less_one where |x| <= 700."""

    power: Value
    step: Value
    less_one: Pair


def exponential(b: Builder, x: Value) -> Exponential:
    """Return e^x for every double x, with a power of two kept apart; NaN stays NaN.

    x is limited to ±1400, where e^x times any sine overflows or underflows.
    """
    x = clamp(b, x, -2 * LARGE, 2 * LARGE)
    above, below = x > LARGE, x < -LARGE
    one = b.const(x.type, 1.0)
    y = b.select(above, x - SHIFT, b.select(below, x + SHIFT, x))
    lost = b.select(above, -SHIFT_TAIL, b.select(below, SHIFT_TAIL, b.const(x.type, 0.0)))
    n_bits, high, low = reduce_exp_parts(b, y, F64)
    s = F64.of_bits(b, n_bits << F64.fraction)
    power = b.fma(s, high + (low + b.fma(lost, high + low, lost)), s)
    less = s - 1.0
    first = b.fma(s, high, less)
    less_one = fast_two_sum(first, b.fma(s, low, b.fma(s, high, less - first)))
    return Exponential(power, b.select(above, STEP, b.select(below, 1 / STEP, one)), less_one)


def scaled(e: Exponential, x: Value) -> Value:
    """Return a product with the exponential, given `x`, the product with its factor `e.power` alone.

    It is x·step².
    """
    return x * e.step * e.step


def _zero_keeps(b: Builder, y: Value, part: Value) -> Value:
    """Return `part`, but y itself where y is 0, so that infinity or NaN times this zero gives 0."""
    return b.select(y.eq(0.0), y, part)


# ---- exponentials
def _at_infinity(b: Builder, z: Complex, result: Complex, low: float) -> Complex:
    """Return `result`, corrected where re is infinite and im is infinite or NaN.

    It is `low` + 0i for re = -inf, and inf + NaN·i for re = inf.
    """
    lost = ~b.is_finite(z.im)
    re = b.select(lost & z.re.eq(math.inf), math.inf, result.re)
    gone = lost & z.re.eq(-math.inf)
    return Complex(b.select(gone, low, re), b.select(gone, 0.0, result.im))


def exp(b: Builder, z: Complex) -> Complex:
    e, (sine, cosine) = exponential(b, z.re), sincos(b, z.im)
    result = Complex(scaled(e, e.power * cosine), _zero_keeps(b, z.im, scaled(e, e.power * sine)))
    return _at_infinity(b, z, result, 0.0)


def expm1(b: Builder, z: Complex) -> Complex:
    """Return e^z - 1.

    Near re = 0 it is (e^x - 1)·cos(y) - (1 - cos(y)), the last as sin^2/(1 + cos) where cos > 0.
    """
    e, (sine, cosine) = exponential(b, z.re), sincos(b, z.im)
    versine = b.select(cosine > 0.0, sine * sine / (cosine + 1.0), 1.0 - cosine)
    near = b.fma(e.less_one.head, cosine, b.fma(e.less_one.tail, cosine, 0.0 - versine))
    far = scaled(e, e.power * cosine) - 1.0
    re = b.select(b.abs(z.re) < NEAR, near, far)
    return _at_infinity(b, z, Complex(re, _zero_keeps(b, z.im, scaled(e, e.power * sine))), -1.0)


# ---- hyperbolic functions
def _sinh_cosh(b: Builder, x: Value) -> tuple[Value, Value, Exponential]:
    """Return (sinh |x|, cosh |x|, exponential of |x|).

    sinh and cosh lack the factor step² that the exponential keeps apart.
    """
    e = exponential(b, x)
    large = e.step > 1.0
    head, tail = e.less_one
    part = head / e.power  # 1 - e^-x
    half = e.power * 0.5
    sinh = b.select(large, half, (head + (part + tail)) * 0.5)
    return sinh, b.select(large, half, b.fma(1.0 - part, 0.5, half)), e


def sinh(b: Builder, z: Complex) -> Complex:
    sh, ch, e = _sinh_cosh(b, b.abs(z.re))
    sine, cosine = sincos(b, z.im)
    re, im = scaled(e, b.copysign(sh, z.re) * cosine), _zero_keeps(b, z.im, scaled(e, ch * sine))
    lost = ~b.is_finite(z.im) & (z.re.eq(0.0) | b.is_infinite(z.re))
    return Complex(b.select(lost, z.re, re), im)


def cosh(b: Builder, z: Complex) -> Complex:
    sh, ch, e = _sinh_cosh(b, b.abs(z.re))
    sine, cosine = sincos(b, z.im)
    re, im = scaled(e, ch * cosine), scaled(e, b.copysign(sh, z.re) * sine)
    lost = ~b.is_finite(z.im)
    re = b.select(lost & b.is_infinite(z.re), math.inf, re)
    zero = (lost & z.re.eq(0.0)) | (z.re.is_nan() & z.im.eq(0.0))
    return Complex(re, b.select(zero, 0.0, im))


def _tanh_near(b: Builder, e: Exponential, sine: Value, cosine: Value) -> Complex:
    """Return tanh(|re| + i·im) for |re| <= 22.

    `e` is the exponential of 2|re|; `sine` and `cosine` are those of im.  With E = e^2|re| - 1 it is (E² + 2E +
    4i·sin·cos·(1 + E))/(E² + 4·cos²·(1 + E)), with all terms as pairs of doubles.
    """
    less = e.less_one
    square = pair_product(b, less, less)
    one = two_sum(less.head, 1.0)
    power = Pair(one.head * 4.0, (one.tail + less.tail) * 4.0)
    over = positive_sum(square, Pair(less.head + less.head, less.tail + less.tail))
    turn = pair_product(b, two_product(b, sine, cosine), power)
    under = positive_sum(square, pair_product(b, two_product(b, cosine, cosine), power))
    inverse = 1.0 / under.head
    return Complex(pair_quotient(b, over, under, inverse), pair_quotient(b, turn, under, inverse))


def tanh(b: Builder, z: Complex) -> Complex:
    x = b.abs(z.re)
    e, (sine, cosine) = exponential(b, x + x), sincos(b, z.im)
    turns = b.is_finite(z.im)
    limit = b.select(turns | b.is_infinite(z.re), b.const(x.type, 1.0), math.nan)
    far = Complex(limit, 4.0 * (sine * cosine) / e.power / e.step / e.step)
    result = b.select(x > ONE_REACHED, far, _tanh_near(b, e, sine, cosine))
    re = b.select(z.re.eq(0.0) & ~turns, 0.0, result.re)
    im = b.select(b.is_infinite(z.re), b.copysign(0.0, z.im), _zero_keeps(b, z.im, result.im))
    return Complex(b.copysign(re, z.re), im)


# ---- circular functions
def _of_i_times(emit: Emitter) -> Emitter:
    """Return the emitter of f(i·z), given the emitter of f."""
    return lambda b, z: emit(b, Complex(-z.im, z.re))


SINH, COSH, TANH = outlined("sinh", sinh), outlined("cosh", cosh), outlined("tanh", tanh)

COMPLEX_EXPONENTIAL: dict[tuple[str, str], Emitter] = {
    **outlined("exp", exp),
    **outlined("expm1", expm1),
    **SINH,
    **COSH,
    **TANH,
    **{("sin", elem): swapped(emit) for (_, elem), emit in SINH.items()},
    **{("cos", elem): _of_i_times(emit) for (_, elem), emit in COSH.items()},
    **{("tan", elem): swapped(emit) for (_, elem), emit in TANH.items()},
}
