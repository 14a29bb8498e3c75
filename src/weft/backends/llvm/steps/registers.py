"""Registers: the form of each dtype's values inside a kernel, and their loads and stores.

The one idea: in registers bool is i1, integers are themselves, float16 and bfloat16 are floats that hold a number of
the narrow type exactly, complex numbers are two floats or doubles (complex32: floats that float16 holds), the float8
kinds, which compute nothing, are their codes; in memory every part is raw bits, an integer of its width.  Every
instruction rounds to its own dtype at once (`rounded`), so fusion never changes a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.backends.llvm.emit import Builder, Complex, Type, Value
from weft.backends.llvm.steps.float8 import encode8
from weft.dtypes import DType
from weft.errors import InternalError

Reg = Value | Complex

PARTS = {dt.float16: "float", dt.bfloat16: "float", dt.float32: "float", dt.float64: "double"}
PARTS |= {dt.complex32: "float", dt.complex64: "float", dt.complex128: "double", dt.bool: "i1"}
LEAST = {dt.float16: -24, dt.bfloat16: -133, dt.float32: -149, dt.float64: -1074}  # exponent of the least subnormal
TOP = {dt.float16: 16, dt.bfloat16: 128, dt.float32: 128, dt.float64: 1024}  # every number is below 2**top


def elem(dtype: DType) -> str:
    """Return the LLVM element type of a dtype's registers, for complex dtypes of each part.

    Raises InternalError if the dtype is not one of this package.
    """
    found = PARTS.get(dtype)
    if found is None and not (dtype.is_integer or dtype.storage):  # it would be computed as an integer, and kept
        raise InternalError(f"registers: {dtype!r} is none of this package's data types; please report this")
    return found or f"i{dtype.bits}"


def raw_elem(dtype: DType) -> str:
    """Return the LLVM integer type of a cell in memory; for complex dtypes, of each part."""
    return f"i{8 * dtype.real.itemsize}"


def part_count(dtype: DType) -> int:
    """Return the number of real parts of a dtype's cell: 2 for complex dtypes, else 1."""
    return dtype.itemsize // dtype.real.itemsize


def lanes_for(dtypes: Sequence[DType]) -> int:
    """Return the number of lanes for kernels of these dtypes: 16, 32 or 64.

    A vector of the widest part of a cell then has about 128 bytes.
    """
    widest = max([4 if d is dt.complex32 else d.real.itemsize for d in dtypes])
    return {8: 16, 4: 32}.get(widest, 64)


def real_parts(*regs: Reg) -> list[Value]:
    """Return the registers as a flat list of real values: re and im for a complex one."""
    return [v for r in regs for v in (r if isinstance(r, Complex) else (r,))]


def decode(b: Builder, raw: Sequence[Value], dtype: DType) -> Reg:
    """Return a register from cells as raw integers: one vector, or two for complex dtypes."""
    if dtype.kind == "complex":
        return Complex(*(_decode(b, r, dtype.real) for r in raw))
    return _decode(b, raw[0], dtype)


def _decode(b: Builder, r: Value, dtype: DType) -> Value:
    if dtype is dt.bool:
        return r.ne(0)
    if dtype is dt.float16:
        return b.cast("fpext", b.bitcast(r, "half"), "float")
    if dtype is dt.bfloat16:
        return b.bitcast(b.cast("zext", r, "i32") << 16, "float")
    return b.bitcast(r, elem(dtype)) if dtype.kind == "float" else r  # a code has its element already


def encode(b: Builder, reg: Reg, dtype: DType) -> tuple[Value, ...]:
    """Return a register's cells as raw integers in the machine's byte order: one vector, or two for complex dtypes."""
    return tuple([_encode(b, part, dtype.real) for part in real_parts(reg)])


def _encode(b: Builder, v: Value, dtype: DType) -> Value:
    if dtype is dt.bool:
        return b.cast("zext", v, "i8")
    if dtype is dt.float16:
        return b.bitcast(b.cast("fptrunc", v, "half"), "i16")
    if dtype is dt.bfloat16:
        return b.cast("trunc", b.bitcast(v, "i32").lshr(16), "i16")
    return b.bitcast(v, raw_elem(dtype)) if dtype.kind == "float" else v


def swap(b: Builder, raw: tuple[Value, ...], swapped: bool) -> tuple[Value, ...]:
    """Return raw integers, with the bytes of each in reverse order if `swapped`."""
    return tuple(b.intrinsic("bswap", r) for r in raw) if swapped and raw[0].type.bits > 8 else raw


def rounded(b: Builder, v: Value, dtype: DType) -> Value:
    """Return v rounded to float16 or bfloat16, ties to even; v itself for other dtypes."""
    if dtype is dt.float16:
        return b.cast("fpext", b.cast("fptrunc", v, "half"), "float")
    if dtype is not dt.bfloat16:
        return v
    bits = b.bitcast(v, "i32")
    nearest = bits + (bits.lshr(16) & 1) + 0x7FFF
    kept = b.select(v.is_nan(), bits | 0x400000, nearest) & -0x10000
    return b.bitcast(kept, "float")


def settled(b: Builder, reg: Reg, dtype: DType) -> Reg:
    """Return a register, real or complex, with every part rounded to the dtype."""
    return (
        reg.map_parts(lambda part: rounded(b, part, dtype.real)) if isinstance(reg, Complex) else rounded(b, reg, dtype)
    )


def round_to_odd(b: Builder, x: Value) -> Value:
    """Return a double as a float, rounded to odd: of two neighbours the one whose last bit is 1."""
    y = b.cast("fptrunc", x, "float")
    back = b.cast("fpext", y, "double")
    bits = b.bitcast(y, "i32")
    toward_zero = b.select(b.abs(back) > b.abs(x), b.const(bits.type, -1), 1)
    wrong = back.compare("one", "", x) & (bits & 1).eq(0)
    return b.bitcast(bits + b.select(wrong, toward_zero, 0), "float")


def constant(b: Builder, number: Any, dtype: DType, lanes: int) -> Reg:
    """Return a register with a Python number, rounded to `dtype`, in every lane."""
    t = Type(elem(dtype), lanes)
    if dtype.kind == "complex":
        z = complex(number)
        return Complex(*(b.const(t, nearest(x, dtype.real)) for x in (z.real, z.imag)))
    assert not isinstance(number, complex), f"internal: {number} as {dtype.name}"
    if dtype.storage:
        return b.const(t, code8(float(number), dtype))
    if dtype.kind == "float":
        return b.const(t, nearest(number, dtype))
    if dtype is dt.bool:
        return b.const(t, bool(number))
    half = 1 << (dtype.bits - 1)
    return b.const(t, (int(number) + half) % (2 * half) - half)


def scalar(b: Builder, slot: Value, dtype: DType, lanes: int) -> Reg:
    """Return a register with a run-time scalar in every lane, read from its 16-byte slot (see `KernelTask`)."""
    if dtype.kind == "complex":
        return Complex(*(_slot_float(b, b.gep(slot, at), dtype.real, lanes) for at in (0, 8)))
    if dtype.storage:
        return encode8(b, b.splat(round_to_odd(b, b.load("double", slot, align=8)), lanes), dtype)
    if dtype.kind == "float":
        return _slot_float(b, slot, dtype, lanes)
    number = b.load("i64", slot, align=8)
    return b.splat(number.ne(0) if dtype is dt.bool else b.cast("trunc", number, elem(dtype)), lanes)


def _slot_float(b: Builder, slot: Value, dtype: DType, lanes: int) -> Value:
    """Return the double in a slot, rounded once to a float dtype, in every lane."""
    x = b.load("double", slot, align=8)
    narrow = dtype.compute is not dtype
    return b.splat(rounded(b, round_to_odd(b, x), dtype) if narrow else b.cast("fptrunc", x, elem(dtype)), lanes)


def code8(number: float, dtype: DType) -> int:
    """Return the 8-bit code of the float8 value nearest to a number.

    >>> code8(1.0, dt.float8_e4m3fn), code8(1e300, dt.float8_e5m2)
    (56, 124)
    """
    single = nearest(number, dt.float32)
    bits = np.float32(single).view(np.int32)
    if single != number and not bits & 1 and math.isfinite(number):  # round to odd
        bits += -1 if abs(single) > abs(number) else 1
    with np.errstate(all="ignore"):
        return int(bits.view(np.float32).astype(dtype.np).view(np.int8))


def nearest(number: float, dtype: DType) -> float:
    """Return a Python number rounded to a float dtype, ties to even, in one rounding.

    >>> nearest(1 / 3, dt.bfloat16), nearest(2**24 + 1, dt.float32), nearest(70000, dt.float16)
    (0.333984375, 16777216.0, inf)
    """
    if isinstance(number, float) and (number == 0 or not math.isfinite(number)):
        return number
    top = math.frexp(number)[1] if isinstance(number, float) else int(number).bit_length()
    shift = max(top - dtype.digits, LEAST[dtype])
    steps = round(math.ldexp(number, -shift)) if isinstance(number, float) else _divide_to_even(int(number), shift)
    if abs(steps) >> max(TOP[dtype] - shift, 0):
        return math.copysign(math.inf, steps)
    return math.copysign(math.ldexp(abs(steps), shift), number)


def _divide_to_even(n: int, shift: int) -> int:
    """Return n / 2**shift rounded to the nearest integer, ties to even."""
    if shift <= 0:
        return n << -shift
    below = n >> shift
    left, half = n - (below << shift), 1 << (shift - 1)
    return below + (left > half or (left == half and below & 1))
