"""Classes of complex numbers, their norm and its scaling, for the complex functions.

The one idea: norms are scaled by exact powers of two where their squares would leave the range.
"""

from __future__ import annotations

import math

from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.math.pairs import larger_first

HUGE = math.ldexp(1, 500)  # beyond this, numbers to be squared are scaled down, by DOWN twice
TINY = math.ldexp(1, -400)  # below this, they are scaled up, by UP twice
UP, DOWN = math.ldexp(1, 300), math.ldexp(1, -300)


# ---- classes of numbers
def both_finite(b: Builder, z: Complex) -> Value:
    return b.is_finite(z.re) & b.is_finite(z.im)


def both_nan(z: Complex) -> Value:
    return z.re.is_nan() & z.im.is_nan()


def any_infinite(b: Builder, z: Complex) -> Value:
    return b.is_infinite(z.re) | b.is_infinite(z.im)


# ---- scaling and norms
def scaling(b: Builder, size: Value) -> tuple[Value, Value]:
    """Return (factor, inverse), powers of two that bring numbers of magnitude `size` within [TINY, HUGE].

    A number is multiplied by the factor twice; the inverse undoes one multiplication.  Both are 1 within the range.
    """
    small, large = size < TINY, size > HUGE
    one = b.const(size.type, 1.0)
    return b.select(small, UP, b.select(large, DOWN, one)), b.select(small, DOWN, b.select(large, UP, one))


def times_twice(z: Complex, factor: Value) -> Complex:
    """Return z·factor², by two products; it rounds at most once.

    If the first product is inexact, the second underflows to zero.
    """
    return z.map_parts(lambda p: p * factor * factor)


def size_of(b: Builder, z: Complex) -> Value:
    """Return the larger of |re| and |im|; infinite or NaN if a part is infinite."""
    return larger_first(b, b.abs(z.re), b.abs(z.im)).head


def plain_norm(b: Builder, x: Value, y: Value) -> Value:
    """Return sqrt(x² + y²) within 1 ulp, provided that no square overflows or underflows.

    Symmetric in x and y; |x| where y is 0.
    """
    large, small = larger_first(b, b.abs(x), b.abs(y))
    return b.sqrt(b.fma(large, large, small * small))


def infinite_norm(b: Builder, z: Complex, norm: Value) -> Value:
    """Return `norm`, or infinity where a part of z is infinite, even if the other is NaN."""
    return b.select(any_infinite(b, z), math.inf, norm)


# ---- complex64 through double
def widen(b: Builder, z: Complex) -> Complex:
    """Return a complex float as a complex double."""
    return z.map_parts(lambda p: b.cast("fpext", p, "double"))


def narrow(b: Builder, z: Complex) -> Complex:
    """Return a complex double rounded to a complex float."""
    return z.map_parts(lambda p: b.cast("fptrunc", p, "float"))


def boxed(b: Builder, z: Complex, where: Value) -> Complex:
    """Return z, in lanes of `where` with infinite parts replaced by ±1, and other parts by ±0.

    Signs are kept (C99 Annex G).
    """
    one, zero = b.const(z.re.type, 1.0), b.const(z.re.type, 0.0)
    return b.select(where, z.map_parts(lambda p: b.copysign(b.select(b.is_infinite(p), one, zero), p)), z)
