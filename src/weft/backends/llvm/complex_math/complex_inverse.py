"""Complex inverse circular and hyperbolic functions.

asin and acos (Hull, Fairgrieve, Tang, Implementing the Complex Arcsine and Arccosine Functions Using Exception
Handling, 1997): with x = |re|, y = |im|, r = |z + 1|, s = |z - 1| and A = (r + s)/2, the imaginary part is
log(A + sqrt(A^2 - 1)) and the real part has tangent x/sqrt(A^2 - x^2).  The one idea: A - 1 and A - x are both sums of
r - (x + 1) and s +- (x - 1), each difference being y^2 over the sum: nothing cancels, the only case is x against 1.
atanh (Kahan 1987): log1p(4x/((1 - x)^2 + y^2))/4 and atan2(2y, (1 - x)(1 + x) - y^2)/2.
acosh and the functions of i·z follow by exchanging parts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from weft.backends.llvm.complex_math.complex_exact import (
    HUGE,
    any_infinite,
    infinite_norm,
    plain_norm,
    size_of,
)
from weft.backends.llvm.complex_math.complex_outline import Emitter, outlined, swapped
from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.math.exp_log import log1p_f64
from weft.backends.llvm.math.inverse_trig import atan2_f64
from weft.backends.llvm.math.pairs import larger_first

LIFT = math.ldexp(1, 600)  # times y below 2^-500, makes products with y representable
SHRINK = math.ldexp(1, -600)  # numbers beyond 2^500 are squared after this
LN2 = math.log(2)


class Arcs(NamedTuple):
    """The operands of the inverse functions: tangent parts and the size of the imaginary part."""

    opposite: Value  # x, or its like for large z: the sine's side
    adjacent: Value  # sqrt(A^2 - x^2): the cosine's side
    area: Value  # log(A + sqrt(A^2 - 1)) >= 0


def _arcs(b: Builder, z: Complex) -> Arcs:
    """Return the operands of asin and acos for |re| and |im|, by Hull's method."""
    x, y = b.abs(z.re), b.abs(z.im)
    large = ~(size_of(b, z) <= HUGE)
    inner = x <= 1.0
    one = b.const(x.type, 1.0)
    far = b.abs(x - 1.0)
    small_y = b.select(large, y * SHRINK, y)
    r = plain_norm(b, b.select(large, x * SHRINK, x + 1.0), small_y)
    tiny = y < 1 / HUGE
    s = b.select(tiny, larger_first(b, far, y).head, plain_norm(b, far, y))  # far is 0 or at least 2^-53
    f_under, g = r + (x + 1.0), s + far  # r - (x + 1) = y^2/f_under, s - far = y^2/g
    lift, lower = b.select(tiny, LIFT, one), b.select(tiny, 1 / LIFT, one)
    lifted = y * lift
    slope = lifted / f_under + b.select(g.eq(0.0), 0.0, lifted / g)  # 2(A - 1 or A - x)/y, lifted
    close = y * slope * lower
    wide = b.fma(y, y / f_under, g)
    root_close = b.sqrt(lifted * slope * (close + b.select(inner, 4.0, 4.0 * x))) * 0.5 * lower
    root_wide = b.sqrt(wide * (wide + b.select(inner, 4.0 * x, b.const(x.type, 4.0)))) * 0.5
    grown = b.fma(b.select(inner, close, wide), 0.5, b.select(inner, root_close, root_wide))
    norm = infinite_norm(b, z, r) * math.ldexp(1, 161)
    area = log1p_f64(b, b.select(large, norm, grown)) + b.select(large, 440 * LN2, b.const(x.type, 0.0))
    adjacent = b.select(inner, root_wide, root_close)
    return Arcs(x, b.select(large, y, adjacent), area)


def acos(b: Builder, z: Complex) -> Complex:
    arcs = _arcs(b, z)
    angle = atan2_f64(b, arcs.adjacent, z.re)
    angle = b.select(z.re.eq(0.0) & z.im.is_nan(), math.pi / 2, angle)
    return Complex(angle, -b.copysign(arcs.area, z.im))


def asin(b: Builder, z: Complex) -> Complex:
    arcs = _arcs(b, z)
    angle = atan2_f64(b, arcs.opposite, arcs.adjacent)
    angle = b.select(z.re.eq(0.0), 0.0, angle)
    return Complex(b.copysign(angle, z.re), b.copysign(arcs.area, z.im))


def _atanh_real(b: Builder, x: Value, y: Value, large: Value) -> Value:
    """Return the real part of atanh(x + iy) for x, y >= 0.

    `large` marks lanes where a square would overflow.
    """
    far = 1.0 - x
    ratio = 4.0 * x / b.fma(far, far, y * y)
    # At x = 1 the square of a tiny y would vanish: log(2/y)/2, y lifted by 2^300.
    pole = x.eq(1.0) & (y < 1 / HUGE)
    ratio = b.select(pole, 2.0 / (y * math.ldexp(1, 300)), ratio)
    usual = log1p_f64(b, ratio)
    usual = b.select(pole, (usual + 300 * LN2) * 0.5, usual * 0.25)
    u, v = x * SHRINK, y * SHRINK
    return b.select(large, u / b.fma(u, u, v * v) * SHRINK, usual)


def atanh(b: Builder, z: Complex) -> Complex:
    x, y = b.abs(z.re), b.abs(z.im)
    large = ~(size_of(b, z) <= HUGE)
    infinite = any_infinite(b, z)
    re = b.select(infinite | (x.eq(0.0) & y.is_nan()), 0.0, _atanh_real(b, x, y, large))
    cosine = b.fma(-y, y, (1.0 - x) * (x + 1.0))
    angle = atan2_f64(b, y + y, cosine) * 0.5
    angle = b.select(b.is_infinite(y) | (large & ~(x.is_nan() | y.is_nan())), math.pi / 2, angle)
    return Complex(b.copysign(re, z.re), b.copysign(angle, z.im))


def _acosh(acos: Emitter) -> Emitter:
    """Return the emitter of acosh, given the emitter of acos: acosh(z) = ±i·acos(z), with a real part >= 0."""

    def acosh(b: Builder, z: Complex) -> Complex:
        w = acos(b, z)
        return Complex(b.abs(w.im), b.copysign(w.re, z.im))

    return acosh


ACOS, ASIN, ATANH = outlined("acos", acos), outlined("asin", asin), outlined("atanh", atanh)

COMPLEX_INVERSE: dict[tuple[str, str], Emitter] = {
    **ACOS,
    **ASIN,
    **ATANH,
    **{("acosh", elem): _acosh(emit) for (_, elem), emit in ACOS.items()},
    **{("asinh", elem): swapped(emit) for (_, elem), emit in ASIN.items()},
    **{("atan", elem): swapped(emit) for (_, elem), emit in ATANH.items()},
}
