"""Arc sine, arc cosine and arc tangent (of one and two arguments) of float and double.

The one idea: the result is a multiple of pi/2 plus or minus an angle small enough for one odd minimax polynomial
(Remez), added as base + rest with the base's tail and the rounding of that sum (a fast two-sum) kept.

asin, acos: pi/2 - 2 asin(sqrt((1 - |x|)/2)) beyond 1/2; polynomial on |s| <= 1/2, error 2^-58.4; the root's own
rounding is recovered by an fma (as in Markstein, IA-64 and Elementary Functions, 2000).

atan of n/d in double: atan(c) + atan((n - c d)/(d + c n)) with c the nearest 32nd, from a table (Tang 1991); polynomial
on |t| <= 1/64, error 2^-57.9.

The float functions are computed in double, inline: polynomials of error 2^-35.8 (asin) and 2^-33.9 (atan on [0, 1]).
"""

from __future__ import annotations

import math

from weft.backends.llvm.emit import Builder, Type, Value, routine
from weft.backends.llvm.math.formats import rows
from weft.backends.llvm.math.reduction import HALF_PI, HALF_PI_TAIL, flip, sign_of

# Highest power first, of z = s^2 with asin(s) = s + s*z*P(z) and so on.
ARCSINE = (
    0.032635827942301264, -0.021010372093660884, 0.021715289470025923, 0.0037032471933895477, 0.010781073416389475,
    0.011398768731506756, 0.01398083772909824, 0.017351610610241968, 0.022372215064081054, 0.03038194270513251,
    0.04464285717466582, 0.07499999999970744, 0.1666666666666676,
)  # fmt: skip
SHORT_ARCSINE = (
    0.03464965140736652, 0.007506837807254986, 0.0246055233233129, 0.030112403586656657, 0.04465998130489088,
    0.07499948866654657, 0.16666667180591319,
)  # fmt: skip
ARCTANGENT = (-0.14280453059448148, 0.19999999248095895, -0.3333333333330279)
SHORT_ARCTANGENT = (
    -0.0006977302052974982, 0.004925171591602618, -0.016296789368052206, 0.034472514862344365, -0.054513348862530696,
    0.07259308318662572, -0.08985398310840588, 0.11094495842773208, -0.14284166383931307, 0.1999992719946458,
    -0.33333332133003785,
)  # fmt: skip
# atan(i/32) for i = 0..32, and what its rounding to double leaves; zeros up to 64 so that no index is outside.
# fmt: off
ARCTANGENT_TABLE = (
    0.0, 0.031239833430268277, 0.06241880999595735, 0.09347678115858947, 0.12435499454676144, 0.15499674192394097,
    0.18534794999569476, 0.21535769969773805, 0.24497866312686414, 0.2741674511196588, 0.3028848683749714,
    0.3310960767041321, 0.35877067027057225, 0.38588266939807375, 0.4124104415973873, 0.43833655985795783,
    0.4636476090008061, 0.48833395105640554, 0.5123894603107377, 0.5358112379604637, 0.5585993153435624,
    0.5807563535676704, 0.6022873461349642, 0.6231993299340659, 0.6435011087932844, 0.6632029927060933,
    0.6823165548747481, 0.7008544078844502, 0.7188299996216245, 0.7362574289814281, 0.7531512809621944,
    0.7695264804056583, 0.7853981633974483,
)
ARCTANGENT_TABLE_TAIL = (
    0.0, -1.188442711587748e-18, -1.5490756308295046e-18, -6.2844725995420954e-18, -3.1253241424539383e-18,
    9.585415594114324e-18, 4.180692268843079e-18, 4.738160130078733e-19, 1.0698755618734451e-17, 8.261353575163773e-18,
    -1.1010827903001369e-17, -7.952610375793799e-18, -2.4623815582638635e-17, 2.378822732491941e-17,
    -1.587652227770689e-17, -2.494277030626541e-17, 2.2698777452961687e-17, -1.1373236189329585e-17,
    -2.5462781472855804e-17, -4.0637956834825575e-18, -5.4556305485916264e-18, -1.441464378193067e-17,
    2.950430737228402e-17, 2.672403885140095e-17, 1.5834785051444286e-17, -3.076054864429649e-17,
    6.943223671560008e-18, -1.987626234335816e-17, -2.1478388444456983e-17, 3.473937648299457e-17,
    -2.4256934659182068e-17, -3.704991905602721e-17, 3.061616997868383e-17,
)
# fmt: on


# ---- pieces
def _sum_of_pairs(base: Value, base_tail: Value, rest: Value, rest_tail: Value) -> Value:
    """Return (base + base_tail) + (rest + rest_tail), nearly rounded once; |base| >= |rest| or base = 0."""
    total = base + rest
    return total + ((rest - (total - base)) + base_tail + rest_tail)


def _narrowed(b: Builder, valid: Value, result: Value) -> Value:
    """Return `result` as a float, with NaN in the lanes where `valid` is false."""
    return b.select(valid, b.cast("fptrunc", result, "float"), math.nan)


# ---- asin, acos in double
def _folded(b: Builder, a: Value) -> tuple[Value, Value, Value, Value, Value]:
    """Return (outer, half, root, z, s) for 0 <= a <= 1: the polynomial's argument s, and z = s².

    Where outer (a > 1/2), s = 2·root with root = √half and half = (1 - a)/2; else s = a.
    """
    outer = a > 0.5
    half = b.fma(a, -0.5, b.const(a.type, 0.5))
    root = b.sqrt(half)
    return outer, half, root, b.select(outer, half, a * a), b.select(outer, root + root, a)


def _arcsine_parts(b: Builder, a: Value) -> tuple[Value, Value, Value]:
    """Return (outer, w, tail) with asin(a) = w + tail, for 0 <= a <= 1.

    Where outer (a > 1/2) it is π/2 - (w + tail).
    """
    outer, half, root, z, s = _folded(b, a)
    lost = b.fma(-root, root, half) / b.select(root > 0, root, 1.0)
    return outer, s, b.fma(s * z, b.horner(z, *ARCSINE), b.select(outer, lost, 0.0))


@routine("weft_asin_f64", ["double"], ["double"])
def asin_f64(b: Builder, x: Value) -> Value:
    a = b.abs(x)
    outer, w, tail = _arcsine_parts(b, a)
    base, base_tail = (b.select(outer, b.const(x.type, word), 0.0) for word in (HALF_PI, HALF_PI_TAIL))
    result = _sum_of_pairs(base, base_tail, b.select(outer, -w, w), b.select(outer, -tail, tail))
    return b.select(a <= 1.0, flip(b, result, sign_of(b, x)), math.nan)


@routine("weft_acos_f64", ["double"], ["double"])
def acos_f64(b: Builder, x: Value) -> Value:
    """Return the arc cosine of a double; NaN outside [-1, 1].

    For |x| <= 1/2 it is pi/2 - asin(x); beyond, twice the arc sine of √((1 - |x|)/2), or pi minus this for negative x.
    """
    outer, w, tail = _arcsine_parts(b, b.abs(x))
    quarters = b.select(outer, b.select(x < 0, b.const(x.type, 2.0), 0.0), 1.0)
    # -asin(x) inside, plus or minus the angle outside: the sign is that of x outside, the other inside.
    sign = sign_of(b, x) ^ b.select(outer, b.const(x.type.with_element("i64"), 0), -(1 << 63))
    result = _sum_of_pairs(quarters * HALF_PI, quarters * HALF_PI_TAIL, flip(b, w, sign), flip(b, tail, sign))
    return b.select(b.abs(x) <= 1.0, result, math.nan)


# ---- asin, acos of float
def _short_arcsine(b: Builder, a: Value) -> tuple[Value, Value]:
    """Return (outer, angle) in double, from which asin(a) follows, for 0 <= a <= 1.

    It is π/2 - angle where outer (a > 1/2), else angle.  Exact enough for a float result.
    """
    outer, _, _, z, s = _folded(b, a)
    return outer, b.fma(s * z, b.horner(z, *SHORT_ARCSINE), s)


def asin_f32(b: Builder, x: Value) -> Value:
    wide = b.cast("fpext", x, "double")
    outer, angle = _short_arcsine(b, b.abs(wide))
    result = flip(b, b.select(outer, HALF_PI - angle, angle), sign_of(b, wide))
    return _narrowed(b, b.abs(x) <= 1.0, result)


def acos_f32(b: Builder, x: Value) -> Value:
    wide = b.cast("fpext", x, "double")
    outer, angle = _short_arcsine(b, b.abs(wide))
    inner = HALF_PI - flip(b, angle, sign_of(b, wide))
    outside = b.select(wide < 0, math.pi - angle, angle)
    return _narrowed(b, b.abs(x) <= 1.0, b.select(outer, outside, inner))


# ---- atan, atan2 in double
def _arctangent(b: Builder, n: Value, d: Value) -> tuple[Value, Value, Value]:
    """Return (head, head_tail, rest), three doubles whose sum is atan(n/d).

    0 <= n <= d, and d is within float's range.  The head is the angle of the nearest 32nd, from a table.
    """
    ratio = b.cast("fptrunc", n, "float") / b.cast("fptrunc", d, "float")
    shifted = b.fma(ratio, 32.0, b.const(ratio.type, math.ldexp(1.5, 23)))
    c = b.cast("fpext", (shifted - math.ldexp(1.5, 23)) * (1 / 32), "double")
    index = b.cast("zext", b.bitcast(shifted, "i32") & 63, "i64")
    head, head_tail = (_looked_up(b, name, numbers, index) for name, numbers in TABLES.items())
    over, under = b.fma(-c, d, n), b.fma(c, n, d)
    inverse = 1.0 / under
    t = over * inverse
    # What is lost: the quotient's remainder, and the rounding of `under` (that of `over` is 0 for c > 0, d = 1).
    lost = b.fma(-t, b.fma(c, n, d - under), b.fma(-t, under, over)) * inverse
    z = t * t
    return head, head_tail, t + b.fma(t * z, b.horner(z, *ARCTANGENT), lost)


TABLES = {"atan_32nds": ARCTANGENT_TABLE, "atan_32nds_tail": ARCTANGENT_TABLE_TAIL}


def _looked_up(b: Builder, name: str, numbers: tuple[float, ...], index: Value) -> Value:
    table = b.table(name, "double", numbers + (0.0,) * (64 - len(numbers)))
    return b.gather(Type("double", index.type.lanes), b.gep(table, index, "double"))


def _quarters_and(b: Builder, quarters: Value, minus: Value, angle: tuple[Value, Value, Value]) -> Value:
    """Return quarters·pi/2 + angle, or quarters·pi/2 - angle where `minus` is true.

    The angle is (head, head_tail, rest), to be summed.
    """
    sign = b.select(minus, b.const(quarters.type.with_element("i64"), -(1 << 63)), 0)
    head, head_tail, rest = (flip(b, v, sign) for v in angle)
    return _sum_of_pairs(quarters * HALF_PI, b.fma(quarters, HALF_PI_TAIL, head_tail), head, rest)


@routine("weft_atan_f64", ["double"], ["double"])
def atan_f64(b: Builder, x: Value) -> Value:
    """Return the arc tangent of a double, as pi/2 - atan(1/|x|) beyond 1."""
    a = b.abs(x)
    a = b.select(a < math.ldexp(1, 100), a, math.ldexp(1, 100))
    steep = a > 1.0
    n, d = b.select(steep, b.const(x.type, 1.0), a), b.select(steep, a, 1.0)
    quarters = b.select(steep, b.const(x.type, 1.0), 0.0)
    result = flip(b, _quarters_and(b, quarters, steep, _arctangent(b, n, d)), sign_of(b, x))
    return b.select(x.is_nan(), b.const(x.type, math.nan), result)


def _ordered(b: Builder, y: Value, x: Value) -> tuple[Value, Value, Value]:
    """Return (steep, n, d): true where |y| > |x|, and the smaller quotient of |y| and |x| as n/d.

    0 <= n <= d; n/d is 1/1 for inf/inf, 0/1 for a finite number over inf and for 0/0.
    """
    ay, ax = b.abs(y), b.abs(x)
    steep = ay > ax
    n, d = b.select(steep, ax, ay), b.select(steep, ay, ax)
    infinite = d.eq(math.inf)
    n = b.select(infinite, b.select(n.eq(math.inf), b.const(n.type, 1.0), 0.0), n)
    return steep, n, b.select(infinite, 1.0, b.select(d.eq(0.0), 1.0, d))


def _quadrant(b: Builder, steep: Value, x: Value) -> tuple[Value, Value]:
    """Return (quarters, minus): the multiple of pi/2 to add the angle to, or subtract it from where minus is true.

    `steep` is that of `_ordered`, x the first coordinate.
    """
    back = b.is_signed(x)
    quarters = b.select(steep, 1.0, b.select(back, b.const(x.type, 2.0), 0.0))
    return quarters, steep ^ back


@routine("weft_atan2_f64", ["double", "double"], ["double"])
def atan2_f64(b: Builder, y: Value, x: Value) -> Value:
    steep, n, d = _ordered(b, y, x)
    # A power of two brings d near 2^60 (subnormals above 2^-52): no digit of n is lost that could matter.
    scale = 2106 - (b.bitcast(d, "i64").lshr(52) & 0x7FF)
    by = b.bitcast(b.select(scale > 2046, 2046, scale) << 52, "double")
    quarters, minus = _quadrant(b, steep, x)
    result = _quarters_and(b, quarters, minus, _arctangent(b, n * by, d * by))
    valid = y.compare("ord", "", x)
    return b.select(valid, flip(b, result, sign_of(b, y)), math.nan)


# ---- atan, atan2 of float
def _short_arctangent(b: Builder, t: Value) -> Value:
    z = t * t
    return b.fma(t * z, b.horner(z, *SHORT_ARCTANGENT), t)


def atan_f32(b: Builder, x: Value) -> Value:
    a = b.abs(b.cast("fpext", x, "double"))
    steep = a > 1.0
    one = b.const(a.type, 1.0)
    angle = _short_arctangent(b, b.select(steep, -one, a) / b.select(steep, a, one))
    result = b.select(steep, b.const(a.type, HALF_PI), 0.0) + angle
    return b.copysign(_narrowed(b, x.eq(x), result), x)


def atan2_f32(b: Builder, y: Value, x: Value) -> Value:
    wide_y, wide_x = (b.cast("fpext", v, "double") for v in (y, x))
    steep, n, d = _ordered(b, wide_y, wide_x)
    quarters, minus = _quadrant(b, steep, wide_x)
    angle = _short_arctangent(b, n / d)
    result = b.fma(quarters, HALF_PI, b.select(minus, -angle, angle))
    return _narrowed(b, y.compare("ord", "", x), flip(b, result, sign_of(b, wide_y)))


REAL_INVERSE_TRIG = rows(
    asin={"float": asin_f32, "double": asin_f64},
    acos={"float": acos_f32, "double": acos_f64},
    atan={"float": atan_f32, "double": atan_f64},
    atan2={"float": atan2_f32, "double": atan2_f64},
)
