"""Conversions, integer ops and float quotients in exact Python arithmetic, and values to test them with."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType

MANTISSA = {dt.float16: 10, dt.bfloat16: 7, dt.float32: 23, dt.float64: 52}
EXPONENT = {dt.float16: 5, dt.bfloat16: 8, dt.float32: 8, dt.float64: 11}
REALS = tuple(MANTISSA)
INTEGERS = tuple(d for d in dt.COMMON if d.is_integer)
COMPLEXES = (dt.complex64, dt.complex128)


@cache
def samples(dtype: DType, n: int = 600, seed: int = 0) -> Any:
    """Edges and random values of many sizes; treat as read-only."""
    rng = np.random.default_rng(seed)
    if dtype is dt.bool:
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind == "complex":
        re, im = (rng.permutation(samples(dtype.real, n, seed + k)) for k in (1, 2))
        size = min(len(re), len(im))
        return dt.complex_array(dtype, re[:size], im[:size])
    return _integers(dtype, n, rng) if dtype.is_integer else _floats(dtype, n, rng)


def _integers(dtype: DType, n: int, rng: Any) -> Any:
    low, high = limits(dtype)
    edges = [low, low + 1, -1, 0, 1, 2, 3, 7, high - 1, high, high // 2, high // 2 + 1]
    powers = [s * (2**k + d) for k in range(dtype.bits) for d in (-1, 0, 1) for s in (1, -1)]
    shifts = rng.integers(0, dtype.bits, n)
    wide = [int.from_bytes(rng.bytes(8), "little") % (high - low + 1) + low >> int(s) for s in shifts]
    return np.array([v for v in edges + powers + wide if low <= v <= high], dtype.np)


def _floats(dtype: DType, n: int, rng: Any) -> Any:
    """Edges, short integers and halves, random bit patterns, and values near the limits of other dtypes."""
    info = dt.float_limits(dtype)
    if dtype.storage:
        return np.arange(256, dtype=np.uint8).view(dtype.np)
    tiny = np.array([1], f"u{dtype.itemsize}").view(dtype.np)[0]
    edges = [0.0, math.inf, math.nan, info.max, info.smallest_normal, float(tiny), 3 * float(tiny), 1 + info.eps]
    near = [2.0**k + d for k in (7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64) for d in (-1.5, -1, -0.5, 0, 0.5, 1, 2)]
    near += [2.0**k * (1 - 2.0**-d) for k in (8, 16, 31, 32, 63, 64, 128) for d in (9, 12, 25, 53)]
    ties = [65519.0, 65520.0, 65520.0000001, 2.0**-25, 2.0**-25 * (1 + 2.0**-40), 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11]
    ties += [1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 1 + 3 * 2.0**-8, 2.0**-134, 2.0**-134 * 1.0000001]
    with np.errstate(over="ignore"):
        fixed = np.array(edges + near + ties + [0.1, 0.5, 1.5, 2.5, 3.0, 1e-3, 7e-5], "f8").astype(dtype.np)
        small = (rng.integers(-64, 64, n // 4) / 2.0).astype(dtype.np)
    bits = rng.integers(0, 1 << dtype.bits, n, dtype=np.uint64, endpoint=False) if dtype.bits < 64 else None
    wild = rng.bytes(8 * n) if bits is None else bits.astype(f"u{dtype.itemsize}").tobytes()
    middle = (rng.standard_normal(n // 2) * 2.0 ** rng.integers(-6, 6, n // 2)).astype(dtype.np)
    return np.concatenate([fixed, -fixed, small, np.frombuffer(wild, dtype.np), middle])


def limits(dtype: DType) -> tuple[int, int]:
    info = np.iinfo(dtype.np)
    return int(info.min), int(info.max)


def pairs(dtype: DType, n: int = 1500, seed: int = 0) -> tuple[Any, Any]:
    """Two arrays of samples: every edge meets many others."""
    rng = np.random.default_rng(seed + 99)
    pool = samples(dtype, 300, seed)
    return rng.choice(pool, n), rng.choice(pool, n)


def python(value: Any) -> Any:
    """A NumPy scalar as an exact Python number."""
    kind = getattr(value, "dtype", np.dtype(bool)).kind
    if value.dtype.names:
        return complex(*value.item())
    if kind == "b":
        return bool(value)
    if kind in "iu":
        return int(value)
    return complex(value) if kind == "c" else float(value)


def array(numbers: Any, dtype: DType) -> Any:
    """Python numbers that the dtype holds exactly as an array of it."""
    if dtype is dt.bfloat16 or dtype.storage:
        return np.array(numbers, "f4").astype(dtype.np)
    if dtype is dt.complex32:
        return dt.complex_array(dtype, [z.real for z in numbers], [z.imag for z in numbers])
    return np.array(numbers, dtype.np)


def wrap(n: int, dtype: DType) -> int:
    """n modulo the dtype's range."""
    low, high = limits(dtype)
    return (n - low) % (high - low + 1) + low


def round_fraction(x: Fraction, dtype: DType, negative_zero: bool = False) -> float:
    """The nearest number of a float dtype, ties to even, by exact rational arithmetic."""
    if x == 0:
        return -0.0 if negative_zero else 0.0
    size, sign = abs(x), -1.0 if x < 0 else 1.0
    least = 1 - (1 << (EXPONENT[dtype] - 1)) + 1  # exponent of the smallest normal number
    e = size.numerator.bit_length() - size.denominator.bit_length()
    e -= size < Fraction(2) ** e
    unit = Fraction(2) ** (max(e, least) - MANTISSA[dtype])
    result = round(size / unit) * unit
    return sign * (math.inf if result >= Fraction(2) ** (1 << (EXPONENT[dtype] - 1)) else float(result))


def round_number(x: float, dtype: DType) -> float:
    """`round_fraction` of an int or any float."""
    if dtype.storage:
        return round_to_code(x, dtype)
    if isinstance(x, float) and not math.isfinite(x):
        return x
    return round_fraction(Fraction(x), dtype, isinstance(x, float) and math.copysign(1, x) < 0)


@cache
def _magnitudes(dtype: DType) -> tuple[list[Fraction], float]:
    """The magnitudes of a float8 kind by code, then what the next code would be, and what stands for it."""
    codes = np.arange(256, dtype=np.uint8).view(dtype.np).astype(np.float64)
    powers = dtype is dt.float8_e8m0fnu
    sizes = [Fraction(float(v)) for v in (codes if powers else codes[:128]) if np.isfinite(v)]
    return [*sizes, 2 * sizes[-1] - (0 if powers else sizes[-2])], math.inf if np.isinf(codes).any() else math.nan


def round_to_code(x: float, dtype: DType) -> float:
    """The nearest value of a float8 kind: of ties the even code, and the greater power of two."""
    powers = dtype is dt.float8_e8m0fnu
    sizes, endless = _magnitudes(dtype)
    if math.isnan(x) or (powers and x <= 0):
        return math.nan
    size = abs(Fraction(x)) if math.isfinite(x) else sizes[-1]
    above = min(bisect_left(sizes, size), len(sizes) - 1)
    near = [k for k in (above - 1, above) if k >= 0]
    code = min(near, key=lambda k: (abs(sizes[k] - size), -k if powers else k % 2))
    found = endless if code == len(sizes) - 1 else float(sizes[code])
    signed = powers or (found == 0 and dtype.name.endswith("fnuz"))
    return found if signed else math.copysign(found, x)


def convert(x: Any, target: DType) -> Any:
    """astype of a Python number."""
    if target.kind == "complex":
        z = complex(x) if isinstance(x, complex) else None
        re, im = (z.real, z.imag) if z is not None else (x, 0.0)
        return complex(round_number(re, target.real), round_number(im, target.real))
    if target is dt.bool:
        return x != 0
    if isinstance(x, complex):
        x = x.real
    if target.kind == "float":
        return round_number(x, target)
    if isinstance(x, float):
        return saturate(x, target)
    return wrap(int(x), target)


def saturate(x: float, target: DType) -> int:
    low, high = limits(target)
    if math.isnan(x):
        return 0
    return min(max(int(x), low), high) if math.isfinite(x) else (high if x > 0 else low)


def floor_divide(x: float, y: float, dtype: DType) -> float:
    """The floor of the exact quotient rounded to the dtype; from 2**53 on the rounded quotient itself."""
    with np.errstate(all="ignore"):
        q = float(np.float64(x) / np.float64(y))
    if not (math.isfinite(x) and math.isfinite(y)) or y == 0 or x == 0:
        return float(math.floor(q)) if math.isfinite(q) and q != 0 else q
    exact = Fraction(x) / Fraction(y)
    if abs(q) >= 2.0**53:
        return round_fraction(exact, dtype)
    return round_fraction(Fraction(math.floor(exact)), dtype)


def trunc_divide(x: float, y: float, dtype: DType) -> float:
    """The integer part of the exact quotient: the floor of the magnitudes', with the quotient's sign."""
    with np.errstate(all="ignore"):
        sign = float(np.float64(x) / np.float64(y))
    return math.copysign(floor_divide(abs(x), abs(y), dtype), sign)


def fmod(x: float, y: float, dtype: DType) -> float:
    """C's, and NaN where Python raises."""
    if math.isinf(x) or y == 0 or math.isnan(x) or math.isnan(y):
        return math.nan
    return math.fmod(x, y)


def remainder(x: float, y: float, dtype: DType) -> float:
    """Python's %, and NaN where Python raises."""
    if math.isinf(x) or y == 0 or math.isnan(x) or math.isnan(y):
        return math.nan
    if math.isinf(y):
        return math.copysign(0.0, y) if x == 0 else (x if (x > 0) == (y > 0) else y)
    exact = abs(Fraction(x)) % abs(Fraction(y))
    exact = -exact if x < 0 else exact
    if exact and (exact < 0) != (y < 0):
        exact += Fraction(y)
    return math.copysign(round_fraction(exact, dtype), y) if exact == 0 else round_fraction(exact, dtype)


def integer_op(op: str, x: int, y: int, dtype: DType) -> int:
    """Exact integer arithmetic, wrapped."""
    bits = dtype.bits
    count = y % (1 << bits)  # shift counts are read as unsigned
    if op in ("floor_divide", "trunc_divide", "remainder", "fmod") and y == 0:
        return 0
    if op == "pow" and y < 0:
        return {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)
    if op == "pow":
        return wrap(pow(x, y, 1 << bits), dtype)
    truncated = (abs(x) // abs(y) if (x < 0) == (y < 0) else -(abs(x) // abs(y))) if y else 0
    exact = {
        "add": lambda: x + y,
        "subtract": lambda: x - y,
        "multiply": lambda: x * y,
        "floor_divide": lambda: x // y,
        "trunc_divide": lambda: truncated,
        "remainder": lambda: x % y,
        "fmod": lambda: x - truncated * y,
        "bitwise_left_shift": lambda: x << min(count, bits),
        "bitwise_right_shift": lambda: x >> min(count, bits),
        "bitwise_and": lambda: x & y,
        "bitwise_or": lambda: x | y,
        "bitwise_xor": lambda: x ^ y,
        "maximum": lambda: max(x, y),
        "minimum": lambda: min(x, y),
        "fmax": lambda: max(x, y),
        "fmin": lambda: min(x, y),
    }
    return wrap(exact[op](), dtype)
