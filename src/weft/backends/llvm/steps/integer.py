"""Integer quotients, remainders, powers and shifts.

The one idea: nothing here can trap.  Vector division does not exist in hardware, so quotients come from floating-point
division: for 8 and 16 bits the quotient of two floats, for 32 bits of two doubles is close enough that its floor is
exact; for 64 bits an estimate from below is corrected twice.  x // 0 = x % 0 = 0 and the least integer // -1 wraps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from weft.backends.llvm.emit import Builder, Type, Value, routine
from weft.backends.llvm.steps.arithmetic import Emitter, by_kind, register_emitter
from weft.backends.llvm.steps.registers import Reg
from weft.dtypes import DType

# ---- quotients
Rounding = Callable[[Builder, Value], Value]


def _signed_quotient(b: Builder, x: Value, y: Value, rounding: Rounding) -> Value:
    """Return x / y for signed integers, rounded by `rounding`; no y may be 0.

    `rounding` is Builder.floor or Builder.trunc.
    """
    elem = x.type.elem
    if x.type.bits == 64:
        return _from_magnitudes(b, x, y, rounding is Builder.floor)
    floats = "double" if x.type.bits == 32 else "float"
    wide_x, wide_y = (b.cast("sext", v, "i32") for v in (x, y))
    q = rounding(b, b.cast("sitofp", wide_x, floats) / b.cast("sitofp", wide_y, floats))
    if x.type.bits == 32:
        q = b.select(q.eq(2.0**31), -q, q)  # the one quotient out of range wraps
    return b.cast("trunc", b.cast("fptosi", q, "i32"), elem)


def _unsigned_quotient(b: Builder, x: Value, y: Value) -> Value:
    if x.type.bits == 64:
        return _quotient64(b, x, y)
    if x.type.bits == 32:
        return b.cast("fptoui", b.cast("uitofp", x, "double") / b.cast("uitofp", y, "double"), "i32")
    wide_x, wide_y = (b.cast("sitofp", b.cast("zext", v, "i32"), "float") for v in (x, y))
    return b.cast("trunc", b.cast("fptosi", wide_x / wide_y, "i32"), x.type.elem)


def _quotient64(b: Builder, x: Value, y: Value) -> Value:
    """Return x // y of unsigned 64-bit integers, for y != 0, by an estimate that is corrected twice.

    The factor makes up for six roundings, so an estimate never exceeds the quotient; the first misses at most 2**15 +
    1, the second then at most 1.
    """
    inverse = (1 - 2.0**-50) / b.cast("uitofp", y, "double")
    first = b.cast("fptoui", b.cast("uitofp", x, "double") * inverse, "i64")
    left = x - first * y
    second = b.cast("fptoui", b.cast("uitofp", left, "double") * inverse, "i64")
    left = left - second * y
    return first + second + b.cast("zext", left.compare("", "uge", y), "i64")


def _from_magnitudes(b: Builder, x: Value, y: Value, floor: bool) -> Value:
    size_x, size_y = (b.select(v < 0, -v, v) for v in (x, y))
    q = _quotient64(b, size_x, size_y)
    opposite = (x ^ y) < 0
    if not floor:
        return b.select(opposite, -q, q)
    exact = (q * size_y).eq(size_x)
    return b.select(opposite, -q - b.cast("zext", ~exact, "i64"), q)


def _division(rounding: Rounding, left: bool = False) -> Emitter:
    """Return the emitter of integer division, or of its remainder with left=True.

    The quotient is rounded by Builder.floor or Builder.trunc.  Where the divisor is 0, quotient and remainder are 0.
    """

    def run(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
        x, y = args
        zero = y.eq(0)
        divisor = b.select(zero, b.const(y.type, 1), y)
        signed = dtypes[0].kind == "int"
        q = _signed_quotient(b, x, divisor, rounding) if signed else _unsigned_quotient(b, x, divisor)
        return b.select(zero, b.const(x.type, 0), x - q * y if left else q)

    return run


floor_divide, trunc_divide = _division(Builder.floor), _division(Builder.trunc)
# of the divisor's sign (Python); of the dividend's (C)
remainder, fmod = _division(Builder.floor, left=True), _division(Builder.trunc, left=True)


# ---- shifts
def _shifted_out(shift: Callable[[Value, Value], Value], b: Builder, x: Value, n: Value) -> Value:
    """Return x shifted by n bits; 0 where n is negative, or at least the number of bits."""
    inside = n.compare("", "ult", x.type.bits)
    return b.select(inside, shift(x, b.select(inside, n, 0)), 0)


def _right_shift_signed(b: Builder, x: Value, n: Value) -> Value:
    return x >> b.intrinsic("umin", n, x.type.bits - 1)


# ---- powers
def _by_squaring(b: Builder, x: Value, n: Value) -> Value:
    """Return x**n modulo 2**bits by repeated squaring, with n read as unsigned.

    It takes as many steps as the largest exponent of all lanes has bits.
    """
    t = x.type
    largest = b.intrinsic("vector.reduce.umax", n, result=Type(t.elem))
    steps = b.cast("zext", t.bits - b.zeros("ctlz", largest), "i64")
    with b.carrying([b.const(t, 1), x, n], 0, steps) as turn:
        result, power, rest = turn.values
        turn.values = [b.select((rest & 1).ne(0), result * power, result), power * power, rest.lshr(1)]
    return turn.values[0]


POWERS = {i: routine(f"weft_pow_{i}", [i, i], [i])(_by_squaring) for i in ("i32", "i64")}


def power(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    """Return x**n of integers, modulo 2**bits; args are x and n.

    For n < 0 it is the exact value cut to an integer: 1 for x = 1, ±1 for x = -1, else 0 (so 0 for 0).
    """
    x, n = args
    wide = "i64" if dtype.bits == 64 else "i32"
    kind = "sext" if dtype.kind == "int" else "zext"
    p = b.cast("trunc", POWERS[wide](b, *(b.cast(kind, v, wide) for v in (x, n))), x.type.elem)
    if dtype.kind == "uint":
        return p
    unit = b.select((n & 1).ne(0), x, x * x)  # x is 1 or -1 wherever this is used
    small = (x + 1).compare("", "ule", 2) & x.ne(0)
    return b.select(n < 0, b.select(small, unit, 0), p)


INTEGER: dict[str, Emitter] = {
    "floor_divide": floor_divide,
    "remainder": remainder,
    "pow": power,
    "bitwise_left_shift": register_emitter(partial(_shifted_out, Value.__lshift__)),
    "bitwise_right_shift": by_kind(
        int=register_emitter(_right_shift_signed), uint=register_emitter(partial(_shifted_out, Value.lshr))
    ),
}
