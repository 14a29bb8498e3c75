"""Steps with an operand that many cells share, such as a divisor: work on this operand is done once.

The one idea: such a step is emitted in two parts, with the bits of its emitter for two operands: `prepare` is evaluated
as often as the shared operand, `apply` for every cell.  An integer quotient is floor(x·r + |r|/2) with r = 1/y rounded:
x/y is at least 1/|y| below the next integer, so half of that is more than all roundings of doubles (of floats for 8 and
16 bits) put together.  The floor of a signed v is the integer nearest to v - 1/2, which adding the magic number of
`formats` gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.math.formats import F32, F64
from weft.dtypes import DType

Parts = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SharedOperand:
    """The two emitters of a binary step whose second operand is shared; if `symmetric`, either may be."""

    prepare: Callable[[Builder, Value], Parts]
    apply: Callable[[Builder, Value, Parts], Value]
    symmetric: bool = False


def shared_operand(op: str, dtype: DType) -> SharedOperand | None:
    """Return the two emitters of a binary op whose second operand is shared; None if sharing saves nothing."""
    if dtype.storage or (dtype.is_integer and dtype.bits == 64):
        return None
    return _BY_KIND.get(dtype.kind, {}).get(op)


# ---- extremes
def _summand(b: Builder, y: Value) -> Parts:
    """Return y and what corrects a maximum: NaN where y is, +0 where y is +0, else -0.

    Adding +0 makes -0 a +0; adding -0 changes nothing.
    """
    zero = b.bitcast(y, f"i{y.type.bits}").eq(0)
    return y, b.select(y.is_nan(), y, b.select(zero, b.const(y.type, 0.0), -0.0))


def _maximum(b: Builder, x: Value, parts: Parts) -> Value:
    y, summand = parts
    return b.select(y > x, y, x) + summand  # x where they are equal, and where x is NaN


def _sign(b: Builder, y: Value) -> Parts:
    """Return y and the bits that a minimum with y always has.

    They are those of y where it is NaN or -0, else none. A minimum with -0 has a sign: it is negative, -0 or NaN.
    """
    bits = b.bitcast(y, f"i{y.type.bits}")
    return y, b.select(y.is_nan() | bits.eq(1 << (y.type.bits - 1)), bits, 0)


def _minimum(b: Builder, x: Value, parts: Parts) -> Value:
    y, bits = parts
    return b.bitcast(b.bitcast(b.select(y < x, y, x), bits.type.elem) | bits, x.type.elem)


EXTREMES = {
    "maximum": SharedOperand(_summand, _maximum, symmetric=True),
    "minimum": SharedOperand(_sign, _minimum, symmetric=True),
}


# ---- integer quotients
def _inverse(signed: bool, floor: bool, b: Builder, y: Value) -> Parts:
    """Return (y, 1/y, what is added to x/y, an integer with all bits set) of integers; where y is 0, no bit is set.

    1/y is 0 there, too.  What is added is 1/(2·y), or its magnitude minus 1/2 for the `floor` of signed integers.
    """
    nothing = y.eq(0)
    inverse = 1.0 / _number(b, b.select(nothing, b.const(y.type, 1), y), signed)
    inverse = b.select(nothing, b.const(inverse.type, 0.0), inverse)
    half = inverse * 0.5
    added = b.abs(half) - 0.5 if signed and floor else half
    return y, inverse, added, b.select(nothing, b.const(y.type, 0), -1)


def _number(b: Builder, x: Value, signed: bool) -> Value:
    """Return integers as floating-point numbers: doubles for 32 bits, else floats."""
    wide = b.cast("sext" if signed else "zext", x, "i32")
    return b.cast("sitofp" if signed else "uitofp", wide, "double" if x.type.bits == 32 else "float")


def _quotient(signed: bool, floor: bool, left: bool, b: Builder, x: Value, parts: Parts) -> Value:
    """Return x / y, rounded down with `floor`, else to zero; with `left`, the remainder of x.

    `parts` are those of `_inverse`; `signed` says whether the integers are signed.
    """
    y, inverse, added, known = parts
    number = _number(b, x, signed)
    if not signed:
        q = b.cast("fptoui", b.fma(number, inverse, added), "i32")
    elif floor:
        fmt = F64 if x.type.bits == 32 else F32
        # Where y is 0, -1/2 is halfway between two integers, and becomes 0. The one quotient out of range wraps.
        q = fmt.bits(b, b.fma(number, inverse, added) + fmt.magic)
    else:
        q = b.fma(number, inverse, b.select(x < 0, -added, added))
        if x.type.bits == 32:
            q = b.select(q >= 2.0**31, -(2.0**31), q)  # it wraps here, too
        q = b.cast("fptosi", q, "i32")
    q = b.cast("trunc", q, x.type.elem)
    return (x - q * y) & known if left else q


def _divisions(signed: bool) -> dict[str, SharedOperand]:
    rows = {"floor_divide": (True, False), "remainder": (True, True)}
    rows |= {"trunc_divide": (False, False), "fmod": (False, True)}
    return {
        op: SharedOperand(partial(_inverse, signed, floor), partial(_quotient, signed, floor, left))
        for op, (floor, left) in rows.items()
    }


_BY_KIND = {"float": EXTREMES, "int": _divisions(True), "uint": _divisions(False)}
