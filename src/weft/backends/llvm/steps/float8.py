"""The float8 dtypes inside a kernel: conversion of their 8-bit codes to floats and back.

The one idea: a float holds every value of every float8 dtype exactly, so a conversion is arithmetic on the float's
bits: normal numbers move their exponent, numbers below the normal ones are whole multiples of the smallest, and what
lies beyond the greatest, rounding included, shows as a code that is too large.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.backends.llvm.emit import Builder, Value
from weft.dtypes import DType

SIGN = 0x80
BIAS, FRACTION = 127, 23  # of float32: bias of the exponent, bits of the fraction


@dataclass(frozen=True, slots=True)
class Format8:
    """The format of a float8 dtype: exponent bias, stored fraction bits, and special values."""

    bias: int
    fraction: int
    over: int
    infinite: bool = False
    zero: str = "-0"


FORMATS8: dict[str, Format8] = {
    "float8_e8m0fnu": Format8(127, 0, 0xFF, zero=""),  # powers of two, neither sign nor zero
    "float8_e5m2": Format8(15, 2, 0x7C, infinite=True),
    "float8_e5m2fnuz": Format8(16, 2, 0x80, zero="nan"),
    "float8_e4m3": Format8(7, 3, 0x78, infinite=True),
    "float8_e4m3fn": Format8(7, 3, 0x7F),
    "float8_e4m3fnuz": Format8(8, 3, 0x80, zero="nan"),
    "float8_e4m3b11fnuz": Format8(11, 3, 0x80, zero="nan"),
    "float8_e3m4": Format8(3, 4, 0x70, infinite=True),
}


def decode8(b: Builder, code: Value, dtype: DType) -> Value:
    """Return 8-bit codes of a float8 dtype as floats, which hold them exactly."""
    f = FORMATS8[dtype.name]
    bits = b.cast("zext", code, "i32")
    if not f.fraction:
        powers = b.select(bits.eq(0), b.const(bits.type, 1 << FRACTION - 1), bits << FRACTION)
        return b.bitcast(b.select(bits.eq(f.over), b.const(bits.type, 0x7FC00000), powers), "float")
    size = bits & (SIGN - 1)
    normal = (size << (FRACTION - f.fraction)) + ((BIAS - f.bias) << FRACTION)
    small = b.bitcast(b.cast("sitofp", size, "float") * 2.0 ** (1 - f.bias - f.fraction), "i32")
    found = b.select(size < (1 << f.fraction), small, normal)
    found = found | ((bits & SIGN) << 24)
    if f.infinite:
        found = b.select(size.eq(f.over), found & -0x80000000 | 0x7F800000, found)
    special = bits.eq(SIGN) if f.zero == "nan" else size > (f.over - (not f.infinite))
    return b.bitcast(b.select(special, found & -0x80000000 | 0x7FC00000, found), "float")


def encode8(b: Builder, x: Value, dtype: DType) -> Value:
    """Return the 8-bit codes of the float8 values nearest to floats, ties to even.

    Values beyond the greatest become infinite, or NaN in dtypes without infinity.
    """
    f = FORMATS8[dtype.name]
    bits = b.bitcast(x, "i32")
    size = bits & 0x7FFFFFFF
    if not f.fraction:
        return b.cast("trunc", _power(b, bits, f), "i8")
    lost = FRACTION - f.fraction
    nearest = size + (size.lshr(lost) & 1) + ((1 << lost - 1) - 1 - ((BIAS - f.bias) << FRACTION))
    normal = nearest >> lost
    magic = 2.0 ** (1 - f.bias - f.fraction + FRACTION)  # a sum with it counts multiples of the smallest number
    counted = b.bitcast(b.bitcast(size, "float") + magic, "i32")
    small = counted - _power_bits(1 - f.bias - f.fraction + FRACTION)
    least = (BIAS + 1 - f.bias) << FRACTION
    code = b.select(size < least, small, normal)
    sign = bits.lshr(24) & SIGN
    if f.zero == "nan":
        signed = b.select(code.eq(0), b.const(code.type, 0), code | sign)
        return b.cast("trunc", b.select(code >= f.over, b.const(code.type, SIGN), signed), "i8")
    nan = f.over | 1 << f.fraction - 1 if f.infinite else f.over
    code = b.select(code >= f.over, b.const(code.type, f.over), code)
    code = b.select(size > 0x7F800000, b.const(code.type, nan), code)
    return b.cast("trunc", code | sign, "i8")


def _power(b: Builder, bits: Value, f: Format8) -> Value:
    """Return the code of the power of two nearest to the float with these bits, ties to the greater.

    NaN, infinity and numbers not above 0 give the code of NaN.
    """
    code = (bits + (1 << FRACTION - 1)).lshr(FRACTION)
    code = b.select(bits <= 1 << FRACTION - 1, b.const(code.type, 0), code)
    return b.select((bits <= 0) | (bits >= 0x7F800000), b.const(code.type, f.over), code)


def _power_bits(exponent: int) -> int:
    """Return the bits of the float 2**exponent."""
    return (BIAS + exponent) << FRACTION
