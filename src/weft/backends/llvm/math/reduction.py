"""Argument reduction by pi/2: x = quadrant * pi/2 + (head + tail), |head| <= pi/4, for sine, cosine and tangent.

Two methods, chosen by the size of x.  Cody and Waite (1980): subtract k times pi/2 in three parts, exact where it
matters because the first part's product is fused and the second part is so short that its product with k is exact.
Payne and Hanek (1983): multiply the significand of x by the 192 (96 for float) bits of 2/pi that matter for its
exponent, in integers modulo one turn; exact enough for every finite x.  Muller et al., Handbook of Floating-Point
Arithmetic, 2nd ed., section 11.4, describes both and the search for the worst cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from weft.backends.llvm.emit import Builder, Type, Value


@dataclass(frozen=True, slots=True)
class ReducedAngle:
    """An argument modulo pi/2: the quadrant, and the angle head + tail, |head| <= pi/4.

    The quadrant has integer lanes as wide as the argument; only its two low bits matter.
    """

    quadrant: Value
    head: Value
    tail: Value


@dataclass(frozen=True, slots=True)
class _Split:
    """The number pi/2 as first + second + third, for arguments of one type up to `limit`."""

    magic: float  # adding it rounds to an integer, in the low bits of the sum
    first: float
    second: float
    third: float
    limit: float


# float: 24 + 11 + 24 bits.  double: 53 + 32 + 53 bits.  k * second is exact for k below 2^13 and 2^21.
_FLOAT = _Split(
    magic=math.ldexp(1.5, 23),
    first=float.fromhex("0x1.921fb4p+0"),
    second=float.fromhex("0x1.444p-24"),
    third=float.fromhex("0x1.68c234p-39"),
    limit=12800.0,
)
_DOUBLE = _Split(
    magic=math.ldexp(1.5, 52),
    first=float.fromhex("0x1.921fb54442d18p+0"),
    second=float.fromhex("0x1.1a62633p-54"),
    third=float.fromhex("0x1.45c06e0e68948p-86"),
    limit=3.0e6,
)
SPLITS = {"float": _FLOAT, "double": _DOUBLE}

# pi/2 as the nearest double and what that leaves.
HALF_PI = float.fromhex("0x1.921fb54442d18p+0")
HALF_PI_TAIL = float.fromhex("0x1.1a62633145c07p-54")

# The bits of 2/pi after the point.
_TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1d"
    "eb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b"
    "5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046",
    16,
)
_BITS = 1184
_PAD = 64  # zero bits in front, for arguments below 2^53 that have no whole turns to drop
_LOW = 0xFFFFFFFF
_WORDS = [0] * (_PAD // 32) + [(_TWO_OVER_PI >> low) & _LOW for low in range(_BITS - 32, -1, -32)]
_PAIRS = [((left << 32) | right) - ((left >> 31) << 64) for left, right in pairwise(_WORDS)]  # each as a signed i64


def limit_of(elem: str) -> float:
    """Return the largest |x| that `cody_waite` supports, for the element type "float" or "double"."""
    return SPLITS[elem].limit


def cody_waite(b: Builder, x: Value) -> ReducedAngle:
    """Return x modulo pi/2 for 0 <= x <= limit, with an absolute error of about 2^-120 (float: 2^-46).

    x - k*first is exact (a multiple of the last place of `first`, below 1), k*second is exact, and their difference is
    either exact or has |x - k*first| >= |k*second|, where a fast two-sum gives its error.
    """
    s = SPLITS[x.type.elem]
    shifted = b.fma(x, 2 / math.pi, b.const(x.type, s.magic))
    k = shifted - s.magic
    a = b.fma(k, -s.first, x)
    product = k * s.second
    head = a - product
    tail = b.fma(k, -s.third, (a - head) - product)
    return ReducedAngle(b.bitcast(shifted, f"i{x.type.bits}"), head, tail)


def reduce_float(b: Builder, x: Value) -> tuple[Value, Value]:
    """Return (quadrant as i64, angle) of a float widened to double, |x| <= 2^28.

    The relative error is below 2^-52: the worst cancellation for floats leaves 2^-30, and two parts of pi/2 reach
    2^-107 * 2^28.
    """
    shifted = b.fma(x, 2 / math.pi, b.const(x.type, _DOUBLE.magic))
    k = shifted - _DOUBLE.magic
    angle = b.fma(k, -HALF_PI_TAIL, b.fma(k, -HALF_PI, x))
    return b.bitcast(shifted, "i64"), angle


def payne_hanek_float(b: Builder, x: Value) -> tuple[Value, Value]:
    """Return (quadrant as i64, angle as double) of a finite float x >= 1, by 96 bits of 2/pi.

    The absolute error is below 2^-60.  No float comes closer to a multiple of pi/2 than about 2^-31, so the relative
    error is below 2^-29.
    """
    bits = b.cast("zext", b.bitcast(x, "i32"), "i64")
    significand = (bits & 0x7FFFFF) | 0x800000
    v = _window(b, bits.lshr(23) & 0xFF, 150, 3)
    b.cut()
    turn = ((significand * v[0]) << 32) + significand * v[1] + (significand * v[2]).lshr(32)
    fraction = turn << 2
    high = b.cast("sitofp", b.cast("trunc", fraction.lshr(32), "i32"), "double")
    low = _exact_double(b, fraction & _LOW)
    angle = b.fma(high, math.ldexp(math.pi / 2, -32), low * math.ldexp(math.pi / 2, -64))
    return _rounded_quadrant(turn), angle


def payne_hanek_double(b: Builder, x: Value) -> ReducedAngle:
    """Return a finite double x >= 1 modulo pi/2, by 192 bits of 2/pi.

    The absolute error is below 2^-116, the relative error below 2^-54: no double comes closer to a multiple of pi/2
    than about 2^-61.
    """
    bits = b.bitcast(x, "i64")
    significand = (bits & ((1 << 52) - 1)) | (1 << 52)
    v = _window(b, bits.lshr(52) & 0x7FF, 1075, 6)
    b.cut()
    turn, rest = _product_high(significand, v)
    b.cut()
    fraction = (turn << 2) | rest.lshr(62)
    negative = fraction >> 63
    high, low = fraction ^ negative, (rest << 2) ^ negative
    head, tail = _sum_of_parts(b, high, low)
    sign = negative & (-(1 << 63))
    first = head * HALF_PI
    second = b.fma(head, HALF_PI, -first) + b.fma(head, HALF_PI_TAIL, tail * HALF_PI)
    return ReducedAngle(_rounded_quadrant(turn), flip(b, first, sign), flip(b, second, sign))


def flip(b: Builder, x: Value, sign: Value) -> Value:
    """Return x with its sign changed in lanes where `sign` is not 0; `sign` is integers with only sign bits."""
    return b.bitcast(b.bitcast(x, sign.type.elem) ^ sign, x.type.elem)


def sign_of(b: Builder, x: Value) -> Value:
    """Return the sign bits of floats, as integers whose other bits are 0."""
    i = b.bitcast(x, f"i{x.type.bits}")
    return i & (-1 << (x.type.bits - 1))


def _rounded_quadrant(turn: Value) -> Value:
    """Return the number of quarter turns nearest to `turn`, a 64-bit fraction of a full turn."""
    return turn.lshr(62) + (turn.lshr(61) & 1)


def _window(b: Builder, exponent: Value, bias: int, count: int) -> list[Value]:
    """Return `count` 32-bit pieces of 2/pi, as i64 lanes, that matter for numbers of this biased exponent.

    The first bit is that which significand * 2^(exponent - bias) makes worth 2; all earlier bits add whole multiples of
    4 quadrants.  Exponents below 1.0, in lanes of other methods, are clamped.
    """
    table = b.table("two_over_pi", "i64", _PAIRS)
    start = exponent - (bias + 2 - _PAD)
    start = b.select(start < 0, 0, start)
    index = b.select(start > 32 * 32 + 31, 0, start).lshr(5)
    shift = start & 31
    type = Type("i64", index.type.lanes)
    pairs = [b.gather(type, b.gep(table, index + i, "i64")) for i in range(count)]
    return [(pair << shift).lshr(32) for pair in pairs]


def _product_high(significand: Value, v: list[Value]) -> tuple[Value, Value]:
    """Return the top 128 bits, as two i64, of significand * 0.v modulo 1 (53 bits by 192).

    `v` are the 32-bit pieces after the point.  Columns of 32 bits: the low halves of m0*v[i] and of m1*v[i+1], the high
    halves of m0*v[i+1] and of m1*v[i+2].
    """
    m0, m1 = significand & _LOW, significand.lshr(32)
    p0 = [m0 * w for w in v]
    p1 = [m1 * w for w in v]
    carry: Value | None = None
    columns = []
    for i in reversed(range(5)):
        total = (p0[i] & _LOW) + (p1[i + 1] & _LOW) + p0[i + 1].lshr(32)
        if i + 2 < 6:
            total = total + p1[i + 2].lshr(32)
        if carry is not None:
            total = total + carry
        columns.append(total & _LOW)
        carry = total.lshr(32)
    top = columns[::-1]
    return (top[0] << 32) | top[1], (top[2] << 32) | top[3]


def _sum_of_parts(b: Builder, high: Value, low: Value) -> tuple[Value, Value]:
    """Return (head, tail), doubles whose sum is the 128-bit fraction with the words high and low.

    Some of its first 62 bits must not be 0.
    """
    parts = [high.lshr(32), high & _LOW, low.lshr(32), low & _LOW]
    a, c, d, e = (_exact_double(b, p) * math.ldexp(1, -32 * (i + 1)) for i, p in enumerate(parts))
    head = a + c
    tail = (c - (head - a)) + (d + e)
    total = head + tail
    return total, tail - (total - head)


def _exact_double(b: Builder, n: Value) -> Value:
    """Return integers of [0, 2^32) in i64 lanes as doubles, by bit operations that every CPU has."""
    return b.bitcast(n | 0x4330000000000000, "double") - math.ldexp(1, 52)
