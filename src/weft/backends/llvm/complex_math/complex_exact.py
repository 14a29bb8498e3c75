"""Classes of complex numbers, their norm and its scaling, for the complex functions.

The one idea: norms are scaled by exact powers of two where their squares would leave the range.
"""

from __future__ import annotations

import math

from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.math.pairs import Pair

HUGE = math.ldexp(1, 500)  # beyond this, numbers to be squared are scaled down, by DOWN twice
TINY = math.ldexp(1, -400)  # below this, they are scaled up, by UP twice
UP, DOWN = math.ldexp(1, 300), math.ldexp(1, -300)


# ---- classes of numbers
def is_infinite(b: Builder, x: Value) -> Value:
    return b.abs(x).eq(math.inf)


def is_finite(b: Builder, x: Value) -> Value:
    """Return whether numbers are neither infinite nor NaN."""
    return b.abs(x) < math.inf


def both_finite(b: Builder, z: Complex) -> Value:
    return is_finite(b, z.re) & is_finite(b, z.im)


def both_nan(z: Complex) -> Value:
    return z.re.is_nan() & z.im.is_nan()


def any_infinite(b: Builder, z: Complex) -> Value:
    return is_infinite(b, z.re) | is_infinite(b, z.im)


def ordered(b: Builder, x: Value, y: Value) -> Pair:
    """Return (larger, smaller)."""
    swap = x < y
    return Pair(b.select(swap, y, x), b.select(swap, x, y))


# ---- scaling and norms
def scaling(b: Builder, size: Value) -> tuple[Value, Value]:
    """Return a power of two that, multiplied by twice, brings numbers of this size within [TINY, HUGE]; its inverse."""
    small, large = size < TINY, size > HUGE
    one = b.const(size.type, 1.0)
    return b.select(small, UP, b.select(large, DOWN, one)), b.select(small, DOWN, b.select(large, UP, one))


def times_twice(z: Complex, factor: Value) -> Complex:
    """Return z·factor^2; rounds once at most, as an inexact first product means that the second underflows."""
    return Complex(z.re * factor * factor, z.im * factor * factor)


def size_of(b: Builder, z: Complex) -> Value:
    """Return the larger of |re| and |im|; infinite or NaN if a part is infinite."""
    return ordered(b, b.abs(z.re), b.abs(z.im)).head


def plain_norm(b: Builder, x: Value, y: Value) -> Value:
    """Return sqrt(x^2 + y^2) within 1 ulp, where the squares keep within the range; symmetric; |x| where y is 0."""
    large, small = ordered(b, b.abs(x), b.abs(y))
    return b.sqrt(b.fma(large, large, small * small))


def infinite_norm(b: Builder, z: Complex, norm: Value) -> Value:
    """Return the norm, made infinite where a part is, even beside NaN."""
    return b.select(any_infinite(b, z), math.inf, norm)


# ---- complex64 through double
def widen(b: Builder, z: Complex) -> Complex:
    return Complex(b.cast("fpext", z.re, "double"), b.cast("fpext", z.im, "double"))


def narrow(b: Builder, z: Complex) -> Complex:
    return Complex(b.cast("fptrunc", z.re, "float"), b.cast("fptrunc", z.im, "float"))


def choose(b: Builder, condition: Value, yes: Complex, no: Complex) -> Complex:
    """Return a select of both parts."""
    return Complex(b.select(condition, yes.re, no.re), b.select(condition, yes.im, no.im))


def boxed(b: Builder, z: Complex, where: Value) -> Complex:
    """Return z, or where asked 1 for an infinite part and 0 for another, with their signs (C99 Annex G)."""
    one, zero = b.const(z.re.type, 1.0), b.const(z.re.type, 0.0)
    parts = [b.copysign(b.select(is_infinite(b, p), one, zero), p) for p in (z.re, z.im)]
    return choose(b, where, Complex(*parts), z)
