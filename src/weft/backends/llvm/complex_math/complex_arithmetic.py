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

from weft.backends.llvm.complex_math.complex_exact import any_infinite, both_finite, both_nan, boxed, narrow, widen
from weft.backends.llvm.emit import Builder, Complex, Value, routine
from weft.backends.llvm.math.formats import SHORT

HALVING = math.ldexp(1, -520)  # makes any partial product of two scaled operands finite


def textbook_product(z: Complex, w: Complex) -> Complex:
    """Return z·w by the textbook formula: NaN for products of infinities with zeros or with each other."""
    return Complex(z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re)


def times_infinity(z: Complex) -> Complex:
    """Return z with both parts multiplied by infinity; zero parts give NaN."""
    return z.map_parts(lambda p: p * math.inf)


def _zero_for_nan(b: Builder, z: Complex) -> Complex:
    return z.map_parts(lambda p: b.select(p.is_nan(), b.copysign(0.0, p), p))


def _recovered(b: Builder, z: Complex, w: Complex, product: Complex) -> Complex:
    """Return `product`, the textbook z·w, with NaN mended to an infinity by C99 Annex G.

    It is replaced where an operand is infinite and both parts of the product are NaN.
    """
    z_infinite, w_infinite = any_infinite(b, z), any_infinite(b, w)
    v, u = _zero_for_nan(b, boxed(b, z, z_infinite)), _zero_for_nan(b, boxed(b, w, w_infinite))
    lost = (z_infinite | w_infinite) & both_nan(product)
    return b.select(lost, times_infinity(textbook_product(v, u)), product)


def _rare_double(b: Builder, *parts: Value) -> Complex:
    """Return z·w for doubles whose textbook product is not finite.

    `parts` are z.re, z.im, w.re, w.im.  Finite operands are scaled and multiplied again; others follow C99 Annex G.
    """
    z, w = Complex(*parts[:2]), Complex(*parts[2:])
    plain = textbook_product(z, w)
    v = textbook_product(*[x.map_parts(lambda p: p * HALVING) for x in (z, w)])
    scaled = v.map_parts(lambda p: p / HALVING / HALVING)
    kept = [b.select(b.is_finite(p), p, s) for p, s in zip(plain, scaled, strict=True)]
    return b.select(both_finite(b, z) & both_finite(b, w), Complex(*kept), _recovered(b, z, w, plain))


def _rare_float(b: Builder, *parts: Value) -> Complex:
    """Return z·w for floats whose product is not finite, computed in double.

    `parts` are z.re, z.im, w.re, w.im.  The partial products are exact in double.
    """
    z, w = widen(b, Complex(*parts[:2])), widen(b, Complex(*parts[2:]))
    return narrow(b, _recovered(b, z, w, textbook_product(z, w)))


RARE_PRODUCT = {
    elem: routine(f"weft_cmul_rare_{SHORT[elem]}", [elem] * 4, [elem] * 2)(emit)
    for elem, emit in (("float", _rare_float), ("double", _rare_double))
}


def multiply(b: Builder, z: Complex, w: Complex) -> Complex:
    """Return z·w."""
    fast = textbook_product(z, w)
    odd = ~both_finite(b, fast)
    return Complex(*b.rare(odd, RARE_PRODUCT[z.re.type.elem], [*z, *w], [*fast]))


COMPLEX_ARITHMETIC: dict[tuple[str, str], Callable[..., Complex]] = {
    (name, elem): emit
    for name, emit in {
        "add": lambda b, z, w: z + w,
        "subtract": lambda b, z, w: z - w,
        "positive": lambda b, z: z,
        "negative": lambda b, z: -z,
        "conj": lambda b, z: z.conj(),
        "multiply": multiply,
        "square": lambda b, z: multiply(b, z, z),
    }.items()
    for elem in RARE_PRODUCT
}
