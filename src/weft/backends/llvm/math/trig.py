"""Sine, cosine and tangent of float and double, with every finite argument reduced exactly.

The one idea: |x| is reduced to a quadrant and an angle head + tail within pi/4 (`reduction.py`: Cody and Waite inline,
Payne and Hanek in the out-of-line routines), both kernels are evaluated and the quadrant picks one; signs are put on
last, which keeps -0.  The kernels are minimax polynomials (Remez) in z = head^2, in the compensated forms of Muller et
al., Handbook of Floating-Point Arithmetic, section 11:

sin = head + (tail + head*z*S(z)), relative error of the approximation 2^-27.9 (float), 2^-57.3 (double);

cos = h + (1 - h - z/2 - head*tail + z^2*C(z)), h = 1 - z/2 rounded, 2^-33.0 (float), 2^-63.9 (double).

Large float arguments and the float tangent are computed in double with shorter polynomials (2^-37.5 and 2^-43.6).
"""

from __future__ import annotations

import math

from weft.backends.llvm.emit import Builder, Value, routine
from weft.backends.llvm.math.formats import SHORT, Emitter, exceeds_limit, guarded, routines, rows
from weft.backends.llvm.math.reduction import (
    ReducedAngle,
    cody_waite,
    flip,
    limit_of,
    payne_hanek_double,
    payne_hanek_float,
    reduce_float,
    sign_of,
)

# Highest power first, for |head| <= pi/4.
SINE = {
    "float": (-0.0001951809972524643, 0.008332188241183758, -0.16666655242443085),
    "double": (
        1.590529457350209e-10, -2.5050922583885465e-08, 2.75573148947252e-06, -0.00019841269833895749,
        0.00833333333332871, -0.16666666666666666,
    ),
}  # fmt: skip
COSINE = {
    "float": (2.4432323698420078e-05, -0.0013887309469282627, 0.04166664555668831),
    "double": (
        -1.135868337849376e-11, 2.087570427312508e-09, -2.755731421009377e-07, 2.4801587288983726e-05,
        -0.0013888888888873325, 0.041666666666666595,
    ),
}  # fmt: skip
SHORT_SINE = (2.7180846646335024e-06, -0.00019839308433702429, 0.008333329293073758, -0.1666666664069668)
SHORT_COSINE = (
    -2.7174394981403715e-07, 2.4798955324310482e-05, -0.0013888880634146832, 0.04166666655296688,
    -0.4999999999948679,
)  # fmt: skip
WIDENED_LIMIT = math.ldexp(1, 28)  # the largest |x| that `reduce_float` takes


# ---- kernels on the reduced angle
def _kernels(b: Builder, r: ReducedAngle) -> tuple[Value, Value, Value, Value]:
    """Return (sin, sin rest, cos, cos rest) of an angle: its sine and cosine, each as a sum of two."""
    z = r.head * r.head
    h = b.fma(z, -0.5, b.const(z.type, 1.0))
    sine_rest = b.fma(r.head * z, b.horner(z, *SINE[z.type.elem]), r.tail * h)
    lost = b.fma(z, -0.5, 1.0 - h) - r.head * r.tail
    cosine_rest = b.fma(z * z, b.horner(z, *COSINE[z.type.elem]), lost)
    return r.head, sine_rest, h, cosine_rest


def _sine_cosine(b: Builder, r: ReducedAngle) -> tuple[Value, Value]:
    s, s_rest, c, c_rest = _kernels(b, r)
    return s + s_rest, c + c_rest


def _short_sine_cosine(b: Builder, angle: Value) -> tuple[Value, Value]:
    """Return the sine and cosine of an angle within pi/4 in double, exact enough for a float result."""
    z = angle * angle
    sine = b.fma(angle * z, b.horner(z, *SHORT_SINE), angle)
    return sine, b.fma(z, b.horner(z, *SHORT_COSINE), b.const(z.type, 1.0))


# ---- quadrants and signs
def _is_odd(quadrant: Value) -> Value:
    return (quadrant & 1).ne(0)


def _second_bit(n: Value) -> Value:
    """Return bit 1 of n, shifted to the position of the sign bit."""
    return (n & 2) << (n.type.bits - 2)


def _pick_sine(b: Builder, x: Value, quadrant: Value, sine: Value, cosine: Value) -> Value:
    """Return sin(x) from the sine and cosine of the reduced angle of |x|."""
    return flip(b, b.select(_is_odd(quadrant), cosine, sine), _second_bit(quadrant) ^ sign_of(b, x))


def _pick_cosine(b: Builder, quadrant: Value, sine: Value, cosine: Value) -> Value:
    return flip(b, b.select(_is_odd(quadrant), sine, cosine), _second_bit(quadrant + 1))


def _finite_or_nan(b: Builder, x: Value, *results: Value) -> tuple[Value, ...]:
    finite = b.abs(x) < math.inf
    return tuple(b.select(finite, r, math.nan) for r in results)


# ---- large arguments
def _large_float(b: Builder, x: Value) -> tuple[Value, Value]:
    wide = b.cast("fpext", x, "double")
    quadrant, angle = payne_hanek_float(b, b.abs(x))
    s, c = _short_sine_cosine(b, angle)
    pair = _pick_sine(b, wide, quadrant, s, c), _pick_cosine(b, quadrant, s, c)
    sine, cosine = _finite_or_nan(b, x, *(b.cast("fptrunc", v, "float") for v in pair))
    return sine, cosine


def _large_double(b: Builder, x: Value) -> tuple[Value, Value]:
    r = payne_hanek_double(b, b.abs(x))
    s, c = _sine_cosine(b, r)
    sine, cosine = _finite_or_nan(b, x, _pick_sine(b, x, r.quadrant, s, c), _pick_cosine(b, r.quadrant, s, c))
    return sine, cosine


_LANES = 8  # lanes of these routines: each takes 200 steps of code that seldom runs
_LARGE = {"float": _large_float, "double": _large_double}
SINCOS_LARGE = {e: routine(f"weft_sincos_large_{SHORT[e]}", [e], [e, e], _LANES)(pair) for e, pair in _LARGE.items()}


def _large_tangent_float(b: Builder, x: Value) -> Value:
    quadrant, angle = payne_hanek_float(b, b.abs(x))
    return _finite_or_nan(b, x, _short_tangent(b, b.cast("fpext", x, "double"), quadrant, angle))[0]


def _large_tangent_double(b: Builder, x: Value) -> Value:
    return _finite_or_nan(b, x, _tangent(b, x, payne_hanek_double(b, b.abs(x))))[0]


TAN_LARGE = routines("tan_large", _LANES, float=_large_tangent_float, double=_large_tangent_double)


# ---- the functions
def sincos(b: Builder, x: Value) -> tuple[Value, Value]:
    """Return the sine and cosine of float or double; large arguments go through an out-of-line routine.

    Code for a result that nothing reads is not compiled.
    """
    r = cody_waite(b, b.abs(x))
    s, c = _sine_cosine(b, r)
    fast = [_pick_sine(b, x, r.quadrant, s, c), _pick_cosine(b, r.quadrant, s, c)]
    sine, cosine = b.rare(exceeds_limit(b, x, limit_of(x.type.elem)), SINCOS_LARGE[x.type.elem], [x], fast)
    return sine, cosine


def _tangent(b: Builder, x: Value, r: ReducedAngle) -> Value:
    """Return the tangent of double x, given its reduced angle.

    It is a quotient of two-term sine and cosine, corrected by its remainder.
    """
    s, s_rest, c, c_rest = _kernels(b, r)
    sine, cosine = s + s_rest, c + c_rest
    sine_low, cosine_low = s_rest - (sine - s), c_rest - (cosine - c)
    odd = _is_odd(r.quadrant)
    over, over_low = b.select(odd, cosine, sine), b.select(odd, cosine_low, sine_low)
    under, under_low = b.select(odd, sine, cosine), b.select(odd, sine_low, cosine_low)
    inverse = 1.0 / under
    q = over * inverse
    remainder = b.fma(-q, under, over) + b.fma(-q, under_low, over_low)
    return flip(b, b.fma(remainder, inverse, q), (r.quadrant << 63) ^ sign_of(b, x))


def _short_tangent(b: Builder, wide: Value, quadrant: Value, angle: Value) -> Value:
    """Return the tangent of a float, computed in double from its reduced angle; `wide` has the float's sign."""
    s, c = _short_sine_cosine(b, angle)
    odd = _is_odd(quadrant)
    q = b.select(odd, c, s) / b.select(odd, s, c)
    return b.cast("fptrunc", flip(b, q, (quadrant << 63) ^ sign_of(b, wide)), "float")


def tan_f32(b: Builder, x: Value) -> Value:
    """Return the tangent of float, computed in double; beyond 2^28 by an out-of-line routine."""
    wide = b.cast("fpext", x, "double")
    fast = _short_tangent(b, wide, *reduce_float(b, b.abs(wide)))
    return guarded(b, x, exceeds_limit(b, x, WIDENED_LIMIT), TAN_LARGE, fast)


def tan_f64(b: Builder, x: Value) -> Value:
    """Return the tangent of double; large arguments go through an out-of-line routine."""
    fast = _tangent(b, x, cody_waite(b, b.abs(x)))
    return guarded(b, x, exceeds_limit(b, x, limit_of("double")), TAN_LARGE, fast)


def _one_of_sincos(number: int) -> dict[str, Emitter]:
    """Return the emitters, by element type, of the sine (0) or the cosine (1)."""
    return dict.fromkeys(SHORT, lambda b, x: sincos(b, x)[number])


REAL_TRIG = rows(sin=_one_of_sincos(0), cos=_one_of_sincos(1), tan={"float": tan_f32, "double": tan_f64})
