"""cbrt for float and double, without libm.

The one idea: |x| = 2^(3q)·a with a in [1/3, 8/3), a polynomial gives a root y good to 2^-19, and one step of a series
in v = (a - y³)/a makes it exact to far beyond the last place: a^(1/3) = y·(1 - v)^(-1/3).  For double y is cut to 26
bits, so that y² is exact and the difference a - y³ is rounded once, after nearly everything has cancelled.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.backends.llvm.math.exp_log import INFINITY, exponent_float, not_between, split_exponent
from weft.backends.llvm.math.formats import F64
from weft.backends.llvm.text import Builder, Value, routine

Emitter = Callable[[Builder, Value], Value]

# m^(1/3) on [0.6669, 1.3341], error 2^-19.6 of it.
ROOT = (
    0.035401881348784525, -0.22244736345047675, 0.5971054864853466, -0.921578504550424, 1.0979617053376731,
    0.41355564968754294,
)  # fmt: skip
SERIES = (14 / 81, 2 / 9, 1 / 3)  # of ((1 - v)^(-1/3) - 1)/v, |v| < 2^-17
CUBE_ROOT_2 = 1.2599210498948732
LIFT = 54  # powers of two that make a subnormal normal; a multiple of 3
UPPER_26 = -(1 << 27)


def _root(b: Builder, x: Value, fine: bool) -> Value:
    """The cube root of a positive normal double: to about 2^-50, or rounded (0.51 ulp) where `fine`."""
    biased, m = split_exponent(b, x, F64)
    k = exponent_float(b, biased, F64)
    shifted = k * (1 / 3) + (F64.magic + F64.bias)  # no k/3 is half-way between integers
    r = k - (shifted - (F64.magic + F64.bias)) * 3.0  # -1, 0 or 1
    factor = b.select(r > 0.0, b.const(x.type, CUBE_ROOT_2), b.select(r < 0.0, b.const(x.type, 1 / CUBE_ROOT_2), 1.0))
    a = m * b.select(r > 0.0, b.const(x.type, 2.0), b.select(r < 0.0, b.const(x.type, 0.5), 1.0))
    y = b.horner(m, *ROOT) * factor
    if fine:
        y = F64.of_bits(b, F64.bits(b, y) & UPPER_26)
    v = b.fma(-(y * y), y, a) / a
    y = b.fma(y, b.horner(v, *(SERIES if fine else SERIES[1:])) * v, y)
    return y * F64.of_bits(b, F64.bits(b, shifted) << F64.fraction)


@routine("weft_cbrt_wide_f64", ["double"], ["double"])
def CBRT_WIDE(b: Builder, x: Value) -> Value:
    size = b.abs(x)
    tiny = size < F64.least_normal
    y = _root(b, b.select(tiny, size * 2.0**LIFT, size), True)
    y = b.select(tiny, y * 2.0 ** (-LIFT // 3), y)
    return b.select(size.compare("olt", "", INFINITY) & x.ne(0.0), b.copysign(y, x), x + x)


def cbrt_f64(b: Builder, x: Value) -> Value:
    size = b.abs(x)
    outside = not_between(b, size, F64.least_normal, INFINITY, F64)
    return b.rare(outside, CBRT_WIDE, [x], [b.copysign(_root(b, size, True), x)])[0]


def cbrt_f32(b: Builder, x: Value) -> Value:
    """In double, where every float is normal."""
    size = b.abs(x)
    y = b.cast("fptrunc", _root(b, b.cast("fpext", size, "double"), False), "float")
    return b.select(size.compare("olt", "", INFINITY) & x.ne(0.0), b.copysign(y, x), x + x)


CUBE_ROOT: dict[tuple[str, str], Emitter] = {("cbrt", "float"): cbrt_f32, ("cbrt", "double"): cbrt_f64}
