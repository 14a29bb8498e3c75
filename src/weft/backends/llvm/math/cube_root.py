"""cbrt for float and double, without libm.

The one idea: |x| = 2^(3q)·a with a in [1/3, 8/3), a polynomial gives a root y, and one step of a series in
v = (a - y³)/a makes it exact to far beyond the last place: a^(1/3) = y·(1 - v)^(-1/3).  y is cut to half the digits, so
that y² is exact and the difference a - y³ is rounded once, after nearly everything has cancelled.
"""

from __future__ import annotations

from functools import partial

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.math.exp_log import exponent_float, not_between, split_exponent
from weft.backends.llvm.math.formats import F32, F64, INFINITY, FloatFormat, routines, rows

# m^(1/3) on [0.6669, 1.3341], error 2^-16.7 and 2^-19.6 of it.
ROOT = {
    "float": (-0.04681373381222657, 0.25350630565866816, -0.5904083092000868, 0.9407574945366207, 0.44295489709285085),
    "double": (
        0.035401881348784525, -0.22244736345047675, 0.5971054864853466, -0.921578504550424, 1.0979617053376731,
        0.41355564968754294,
    ),
}  # fmt: skip
SERIES = {"float": (2 / 9, 1 / 3), "double": (14 / 81, 2 / 9, 1 / 3)}  # of ((1 - v)^(-1/3) - 1)/v; |v| < 2^-9, 2^-17
CUBE_ROOT_2 = 1.2599210498948732
LIFT = {"float": 24, "double": 54}  # powers of two that make a subnormal normal; multiples of 3
HALF = {"float": 12, "double": 26}  # digits that y keeps


def _root(b: Builder, x: Value, fmt: FloatFormat) -> Value:
    """Return the cube root of a positive normal number, within 0.51 ulp."""
    biased, m = split_exponent(b, x, fmt)
    k = exponent_float(b, biased, fmt)
    shifted = k * (1 / 3) + (fmt.magic + fmt.bias)  # no k/3 is half-way between integers
    r = k - (shifted - (fmt.magic + fmt.bias)) * 3.0  # -1, 0 or 1
    factor = b.select(r > 0.0, b.const(x.type, CUBE_ROOT_2), b.select(r < 0.0, b.const(x.type, 1 / CUBE_ROOT_2), 1.0))
    a = m * b.select(r > 0.0, b.const(x.type, 2.0), b.select(r < 0.0, b.const(x.type, 0.5), 1.0))
    y = b.horner(m, *ROOT[fmt.elem]) * factor
    y = fmt.of_bits(b, fmt.bits(b, y) & -(1 << (fmt.fraction + 1 - HALF[fmt.elem])))
    v = b.fma(-(y * y), y, a) / a
    y = b.fma(y, b.horner(v, *SERIES[fmt.elem]) * v, y)
    return y * fmt.of_bits(b, fmt.bits(b, shifted) << fmt.fraction)


def _wide(fmt: FloatFormat, b: Builder, x: Value) -> Value:
    """Return the cube root of any number.

    Subnormal numbers are scaled up; zeros, infinities and NaN are returned as they are.
    """
    lift, size = LIFT[fmt.elem], b.abs(x)
    tiny = size < fmt.least_normal
    y = _root(b, b.select(tiny, size * 2.0**lift, size), fmt)
    y = b.select(tiny, y * 2.0 ** -(lift // 3), y)
    return b.select(size.compare("olt", "", INFINITY) & x.ne(0.0), b.copysign(y, x), x + x)


WIDE = routines("cbrt_wide", float=partial(_wide, F32), double=partial(_wide, F64))


def _cbrt(fmt: FloatFormat, b: Builder, x: Value) -> Value:
    size = b.abs(x)
    outside = not_between(b, size, fmt.least_normal, INFINITY, fmt)
    return b.rare(outside, WIDE[fmt.elem], [x], [b.copysign(_root(b, size, fmt), x)])[0]


CUBE_ROOT = rows(cbrt={"float": partial(_cbrt, F32), "double": partial(_cbrt, F64)})
