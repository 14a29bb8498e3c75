"""Complex quotients, reciprocals, norms, signs and square roots.

The one idea: (z·conj w)/|w|^2 with inner products as pairs of doubles and quotients corrected by their remainders,
after bringing both operands near 1 by powers of two (Baudin and Smith, A Robust Complex Division in Scilab, 2012).
A divisor without imaginary part divides part by part.  float is worked out in double, where products are exact and no
square can leave the range.  Infinities follow C99 Annex G.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from weft.backends.llvm.complex_math.complex_exact import (
    HUGE,
    TINY,
    any_infinite,
    both_finite,
    both_nan,
    boxed,
    infinite_norm,
    narrow,
    plain_norm,
    scaling,
    size_of,
    times_twice,
    widen,
)
from weft.backends.llvm.complex_math.complex_outline import calling, complex_routine, complexes, outlined
from weft.backends.llvm.emit import Builder, Complex, Value, routine
from weft.backends.llvm.math.pairs import Pair, two_product, two_sum


# ---- quotients
def _plain_quotient(b: Builder, z: Complex, w: Complex) -> Complex:
    """Return z/w by inner products in double, whose terms are exact for operands converted from floats."""
    real = w.im.eq(0.0)
    size = b.select(real, w.re, w.re * w.re + w.im * w.im)
    re = b.select(real, z.re, z.re * w.re + z.im * w.im)
    im = b.select(real, z.im, z.im * w.re - z.re * w.im)
    return Complex(re / size, im / size)


def _paired_inner_product(b: Builder, x: Value, y: Value, u: Value, v: Value) -> Pair:
    p, q = two_product(b, x, y), two_product(b, u, v)
    s = two_sum(p.head, q.head)
    return Pair(s.head, s.tail + (p.tail + q.tail))


def _paired_quotient(b: Builder, z: Complex, w: Complex) -> Complex:
    """Return z/w within 1 ulp for each part, provided that no product overflows or underflows.

    Quotients are corrected by their remainders.
    """
    real = w.im.eq(0.0)
    size = _paired_inner_product(b, w.re, w.re, w.im, w.im)
    under = b.select(real, w.re, size.head)
    inverse = 1.0 / size.head

    def quotient_part(x: Value, over: Pair) -> Value:
        q = b.select(real, x, over.head) / under
        rest = b.fma(-q, size.head, over.head) + b.fma(-q, size.tail, over.tail)
        return b.select(real | rest.eq(0.0), q, b.fma(rest, inverse, q))

    re = quotient_part(z.re, _paired_inner_product(b, z.re, w.re, z.im, w.im))
    return Complex(re, quotient_part(z.im, _paired_inner_product(b, z.im, w.re, -z.re, w.im)))


def _recovered(b: Builder, z: Complex, w: Complex, quotient: Complex) -> Complex:
    """Return `quotient` = z/w, mended by C99 Annex G where both of its parts are NaN.

    Infinite over finite is infinite, finite over infinite is zero.
    """
    z_infinite, w_infinite = any_infinite(b, z), any_infinite(b, w)
    direction = boxed(b, z, z_infinite) * boxed(b, w, w_infinite).conj()
    lost = both_nan(quotient)
    grown = lost & z_infinite & both_finite(b, w)
    gone = lost & w_infinite & both_finite(b, z)
    quotient = b.select(grown, direction.map_parts(lambda p: p * math.inf), quotient)
    return b.select(gone, direction.map_parts(lambda p: p * 0.0), quotient)


def _scaled_quotient(b: Builder, z: Complex, w: Complex) -> Complex:
    """Return z/w for doubles of any size, by operands scaled by powers of two.

    Lanes with infinities use the uncorrected quotient, since a correction would make NaN.
    """
    up_z, down_z = scaling(b, size_of(b, z))
    up_w, _ = scaling(b, size_of(b, w))
    near_z, near_w = times_twice(z, up_z), times_twice(w, up_w)
    finite = both_finite(b, z) & both_finite(b, w)
    q = b.select(finite, _paired_quotient(b, near_z, near_w), _plain_quotient(b, near_z, near_w))
    q = b.select(w.im.eq(0.0), z.map_parts(lambda p: p / w.re), times_twice(q, up_w * down_z))
    return _recovered(b, z, w, q)


def _recovered_quotient(b: Builder, z: Complex, w: Complex) -> Complex:
    """Return z/w for doubles converted from floats, with infinities by C99 Annex G."""
    return _recovered(b, z, w, _plain_quotient(b, z, w))


RARE_QUOTIENT = {
    "float": complex_routine("cdivide_rare", _recovered_quotient, "float", 2),
    "double": complex_routine("cdivide_rare", _scaled_quotient, "double", 2),
}


@routine("weft_cdivide_f64", ["double"] * 4, ["double"] * 2)
def QUOTIENT(b: Builder, *parts: Value) -> Complex:
    z, w = complexes(parts)
    fast = _paired_quotient(b, z, w)
    z_size, w_size = size_of(b, z), size_of(b, w)
    usual = (w_size >= TINY) & (w_size <= HUGE) & (z_size <= HUGE) & ((z_size >= TINY) | z_size.eq(0.0))
    return Complex(*b.rare(~(usual | w.im.eq(0.0)), RARE_QUOTIENT["double"], parts, fast))


@routine("weft_cdivide_f32", ["float"] * 4, ["float"] * 2)
def QUOTIENT_F32(b: Builder, *parts: Value) -> Complex:
    z, w = complexes(parts)
    fast = narrow(b, _plain_quotient(b, widen(b, z), widen(b, w)))
    return Complex(*b.rare(both_nan(fast), RARE_QUOTIENT["float"], parts, fast))


# ---- reciprocals
def _reciprocal(b: Builder, z: Complex) -> Complex:
    """Return 1/z as conj(z)/|z|².

    It is 1/re where z is real, signed zeros where a part is infinite; 1/conj(z) always is the conjugate of 1/z.
    """
    up, _ = scaling(b, size_of(b, z))
    w = times_twice(z, up)
    real = z.im.eq(0.0)
    square = w.im * w.im
    size = b.fma(w.re, w.re, square) + b.fma(w.im, w.im, -square)
    q = times_twice(Complex(w.re / size, -w.im / size), up)
    q = b.select(real, Complex(1.0 / z.re, -z.im / b.abs(z.re)), q)
    zero = Complex(b.copysign(0.0, z.re), b.copysign(0.0, -z.im))
    return b.select(any_infinite(b, z), zero, q)


# ---- norms
@routine("weft_cabs_rare_f64", ["double"] * 2, ["double"])
def RARE_NORM(b: Builder, re: Value, im: Value) -> Value:
    """Return |re + i·im| for parts of any size, scaled by a power of two."""
    z = Complex(re, im)
    up, down = scaling(b, size_of(b, z))
    w = times_twice(z, up)
    return infinite_norm(b, z, plain_norm(b, w.re, w.im) * down * down)


def abs_f64(b: Builder, z: Complex) -> Value:
    """Return |z|, infinite where a part is infinite."""
    size = size_of(b, z)
    usual = ((size >= TINY) & (size <= HUGE)) | size.eq(0.0)
    return b.rare(~usual, RARE_NORM, [*z], [plain_norm(b, z.re, z.im)])[0]


def abs_f32(b: Builder, z: Complex) -> Value:
    """Return |z| of a complex float, computed in double; infinite where a part is infinite."""
    w = widen(b, z)
    return infinite_norm(b, z, b.cast("fptrunc", b.sqrt(b.fma(w.re, w.re, w.im * w.im)), "float"))


# ---- signs
def _sign(b: Builder, z: Complex) -> Complex:
    """Return z/|z|: 0 for zeros, NaN where a part is NaN or both are infinite.

    Where just one part is infinite, the result is ±1 or ±i.
    """
    one_infinite = (b.is_infinite(z.re) & b.is_finite(z.im)) | (b.is_finite(z.re) & b.is_infinite(z.im))
    up, _ = scaling(b, size_of(b, z))
    w = boxed(b, times_twice(z, up), one_infinite)
    norm = plain_norm(b, w.re, w.im)
    zero = norm.eq(0.0)
    return w.map_parts(lambda p: b.select(zero, 0.0, p / norm))


# ---- roots
def _sqrt(b: Builder, z: Complex) -> Complex:
    """Return the square root with real part >= 0; im takes the sign of z.im.

    The branch cut is the negative real axis. t = sqrt((|re| + |z|)/2) has no cancellation, and the other part is
    im/(2t) (Kahan, Branch Cuts for Complex Elementary Functions, 1987); the sign of re decides which of the two is the
    real part.
    """
    up, down = scaling(b, size_of(b, z))
    w = times_twice(z, up)
    norm = infinite_norm(b, z, plain_norm(b, w.re, w.im))
    t = b.sqrt((b.abs(w.re) + norm) * 0.5) * down
    other = b.select(t.eq(0.0), b.abs(z.im), b.abs(z.im) / (t + t))
    right = z.re >= 0.0
    re, im = b.select(right, t, other), b.select(right, other, t)
    infinite = b.is_infinite(z.im)
    return Complex(b.select(infinite, math.inf, re), b.copysign(b.select(infinite, math.inf, im), z.im))


COMPLEX_QUOTIENT: dict[tuple[str, str], Callable[..., Complex] | Callable[..., Value]] = {
    ("divide", "float"): calling(QUOTIENT_F32),
    ("divide", "double"): calling(QUOTIENT),
    **outlined("reciprocal", _reciprocal),
    ("abs", "float"): abs_f32,
    ("abs", "double"): abs_f64,
    **outlined("sign", _sign),
    **outlined("sqrt", _sqrt),
}
