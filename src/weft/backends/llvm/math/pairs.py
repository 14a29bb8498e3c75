"""Error-free sums and products: pairs of doubles.

The one idea: a rounded sum or product and its rounding error are both doubles, so a pair (head, tail) carries twice the
digits (Dekker 1971; Knuth, The Art of Computer Programming 2, 4.2.2).
"""

from __future__ import annotations

from typing import NamedTuple

from weft.backends.llvm.emit import Builder, Value


class Pair(NamedTuple):
    """The unevaluated sum head + tail, with |tail| <= ulp(head) / 2."""

    head: Value
    tail: Value


def larger_first(b: Builder, x: Value, y: Value) -> Pair:
    """Return the larger and the smaller of x and y, lane by lane."""
    swap = x < y
    return Pair(b.select(swap, y, x), b.select(swap, x, y))


def two_sum(a: Value, b: Value | float) -> Pair:
    """Return a + b exactly, as a pair, unless it overflows."""
    s = a + b
    t = s - a
    return Pair(s, (a - (s - t)) + (b - t))


def fast_two_sum(a: Value, b: Value | float) -> Pair:
    """Return a + b exactly, as a pair, where |a| >= |b|."""
    s = a + b
    return Pair(s, b - (s - a))


def two_product(b: Builder, x: Value, y: Value) -> Pair:
    """Return x·y exactly, as a pair, unless a part underflows."""
    p = x * y
    return Pair(p, b.fma(x, y, -p))


def pair_sum(x: Pair, y: Pair) -> Pair:
    """Return the sum of two pairs, with a relative error of about 2^-104 even where they cancel."""
    s = two_sum(x.head, y.head)
    t = two_sum(x.tail, y.tail)
    s = fast_two_sum(s.head, s.tail + t.head)
    return fast_two_sum(s.head, s.tail + t.tail)


def positive_sum(x: Pair, y: Pair) -> Pair:
    """Return the sum of two pairs of the same sign, with a relative error of about 2^-104."""
    s = two_sum(x.head, y.head)
    return fast_two_sum(s.head, s.tail + (x.tail + y.tail))


def pair_product(b: Builder, x: Pair, y: Pair) -> Pair:
    """Return the product of two pairs, with a relative error of about 2^-102."""
    p = two_product(b, x.head, y.head)
    return Pair(p.head, b.fma(x.head, y.tail, b.fma(x.tail, y.head, p.tail)))


def pair_quotient(b: Builder, x: Pair, y: Pair, inverse: Value) -> Value:
    """Return x/y as a double, nearly correctly rounded; `inverse` is 1/y.head."""
    q = x.head * inverse
    rest = b.fma(-q, y.head, x.head) + b.fma(-q, y.tail, x.tail)
    return b.fma(rest, inverse, q)
