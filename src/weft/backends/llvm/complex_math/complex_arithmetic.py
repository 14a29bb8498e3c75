"""Complex sums and products.

The one idea: the textbook formulas inline, and a branch to an out-of-line routine where a product is not finite.  The
routine scales, so that no partial product overflows on its own, and then follows C99 Annex G: an operand with an
infinite part is an infinity, whatever its other part.  Each of the four real products is rounded (no fma), so
z·w = w·z and z·conj(z) is real; the error stays below sqrt(5) units of rounding (Brent, Percival, Zimmermann, Error
Bounds on Complex Floating-Point Multiplication, 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from weft.backends.llvm.complex_math.complex_exact import (
    any_infinite,
    both_finite,
    both_nan,
    boxed,
    choose,
    is_finite,
    narrow,
    widen,
)
from weft.backends.llvm.emit import Builder, Complex, Value, routine

HALVING = math.ldexp(1, -520)  # makes any partial product of two scaled operands finite


def add(b: Builder, z: Complex, w: Complex) -> Complex:
    return Complex(z.re + w.re, z.im + w.im)


def subtract(b: Builder, z: Complex, w: Complex) -> Complex:
    return Complex(z.re - w.re, z.im - w.im)


def positive(b: Builder, z: Complex) -> Complex:
    return z


def negative(b: Builder, z: Complex) -> Complex:
    return Complex(-z.re, -z.im)


def conj(b: Builder, z: Complex) -> Complex:
    return Complex(z.re, -z.im)


def textbook_product(z: Complex, w: Complex) -> Complex:
    """Return z·w, NaN where infinities meet zeros or each other."""
    return Complex(z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re)


def times_infinity(z: Complex) -> Complex:
    return Complex(z.re * math.inf, z.im * math.inf)


def _zero_for_nan(b: Builder, z: Complex) -> Complex:
    return Complex(*[b.select(p.is_nan(), b.copysign(0.0, p), p) for p in (z.re, z.im)])


def _recovered(b: Builder, z: Complex, w: Complex, product: Complex) -> Complex:
    """Return the infinite product that the textbook formula turned into NaN (C99 Annex G)."""
    z_infinite, w_infinite = any_infinite(b, z), any_infinite(b, w)
    v, u = _zero_for_nan(b, boxed(b, z, z_infinite)), _zero_for_nan(b, boxed(b, w, w_infinite))
    lost = (z_infinite | w_infinite) & both_nan(product)
    return choose(b, lost, times_infinity(textbook_product(v, u)), product)


def _rare_double(b: Builder, *parts: Value) -> Complex:
    """Return a product whose parts that are not finite are made anew, from scaled operands if these are finite."""
    z, w = Complex(*parts[:2]), Complex(*parts[2:])
    plain = textbook_product(z, w)
    v = textbook_product(*[Complex(x.re * HALVING, x.im * HALVING) for x in (z, w)])
    scaled = [x / HALVING / HALVING for x in (v.re, v.im)]
    kept = [b.select(is_finite(b, p), p, s) for p, s in zip((plain.re, plain.im), scaled, strict=True)]
    return choose(b, both_finite(b, z) & both_finite(b, w), Complex(*kept), _recovered(b, z, w, plain))


def _rare_float(b: Builder, *parts: Value) -> Complex:
    """Return the same in double, where the partial products of floats are exact."""
    z, w = widen(b, Complex(*parts[:2])), widen(b, Complex(*parts[2:]))
    return narrow(b, _recovered(b, z, w, textbook_product(z, w)))


RARE_PRODUCT = {
    "float": routine("weft_cmul_rare_f32", ["float"] * 4, ["float"] * 2)(_rare_float),
    "double": routine("weft_cmul_rare_f64", ["double"] * 4, ["double"] * 2)(_rare_double),
}


def multiply(b: Builder, z: Complex, w: Complex) -> Complex:
    """Return z·w."""
    fast = textbook_product(z, w)
    odd = ~both_finite(b, fast)
    return Complex(*b.rare(odd, RARE_PRODUCT[z.re.type.elem], [z.re, z.im, w.re, w.im], [fast.re, fast.im]))


def square(b: Builder, z: Complex) -> Complex:
    """Return z·z, with the bits of `multiply(z, z)`."""
    return multiply(b, z, z)


COMPLEX_ARITHMETIC: dict[tuple[str, str], Callable[..., Complex]] = {
    (name, elem): emit
    for name, emit in (
        ("add", add),
        ("subtract", subtract),
        ("positive", positive),
        ("negative", negative),
        ("conj", conj),
        ("multiply", multiply),
        ("square", square),
    )
    for elem in ("float", "double")
}
