"""Sums, products, quotients and the other ops that are one or a few instructions, by kind of dtype.

The one idea: float16 and bfloat16 compute in float and round once at the end, which for + - * / and sqrt gives the
correctly rounded result (float has more than twice their digits and two).  Complex ops come from
the math package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft.backends.llvm.complex_math import complex_arithmetic as of_complex
from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import Reg, rounded
from weft.dtypes import DType

# emit(b, arguments, their dtypes, result dtype, attribute) -> register
Emitter = Callable[[Builder, Sequence[Any], Sequence[DType], DType, object], Reg]
Real = Callable[..., Value]  # real(b, *values) -> value


def each_float(emit: Real) -> Emitter:
    """Return an op on floats that rounds to its dtype afterwards."""
    return lambda b, args, dtypes, dtype, attr: rounded(b, emit(b, *args), dtype)


def each_part(emit: Real) -> Emitter:
    """Return an op that acts on both parts of a complex number alike."""
    return lambda b, args, dtypes, dtype, attr: Complex(emit(b, args[0].re), emit(b, args[0].im))


def plain(emit: Callable[..., Reg]) -> Emitter:
    """Return an op that needs to know nothing of dtypes."""
    return lambda b, args, dtypes, dtype, attr: emit(b, *args)


def by_kind(**emitters: Emitter) -> Emitter:
    """Choose by the kind of the first argument's dtype; int stands for uint where uint is not given."""
    emitters.setdefault("uint", emitters.get("int"))  # type: ignore[arg-type]
    return lambda b, args, dtypes, dtype, attr: emitters[dtypes[0].kind](b, args, dtypes, dtype, attr)


def identity(b: Builder, x: Reg) -> Reg:
    return x


# ---- signs
def sign_float(b: Builder, x: Value) -> Value:
    """Return -1, 0 or 1; both zeros give 0, NaN stays."""
    one = b.copysign(1.0, x)
    return b.select(x.eq(0.0), b.const(x.type, 0.0), b.select(x.is_nan(), x, one))


def sign_signed(b: Builder, x: Value) -> Value:
    return b.select(x > 0, b.const(x.type, 1), x >> (x.type.bits - 1))


def sign_unsigned(b: Builder, x: Value) -> Value:
    return b.cast("zext", x.ne(0), x.type.elem)


def absolute_signed(b: Builder, x: Value) -> Value:
    """Return the absolute value; that of the least integer wraps to itself."""
    return b.select(x < 0, -x, x)


# ---- one for all dtypes
def either(b: Builder, c: Value, x: Reg, y: Reg) -> Reg:
    """Return x where c holds, else y."""
    if isinstance(x, Complex) and isinstance(y, Complex):
        return Complex(b.select(c, x.re, y.re), b.select(c, x.im, y.im))
    assert isinstance(x, Value) and isinstance(y, Value)
    return b.select(c, x, y)


def where(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    c, x, y = args
    return either(b, c, convert(b, x, dtypes[1], dtype), convert(b, y, dtypes[2], dtype))


def astype(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    return convert(b, args[0], dtypes[0], dtype)


def make_complex(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    parts: list[Any] = [convert(b, x, d, dtype.real) for x, d in zip(args, dtypes, strict=True)]
    return Complex(*parts)


SAME = plain(identity)


def _arithmetic(real: Real, complex_: Callable[..., Reg]) -> Emitter:
    return by_kind(int=plain(real), float=each_float(real), complex=plain(complex_))


def _rounding(emit: Real) -> Emitter:
    """Return a whole number no larger than the narrow dtype holds: nothing is left to round."""
    return by_kind(int=SAME, float=plain(emit), complex=each_part(emit))


ARITHMETIC: dict[str, Emitter] = {
    "add": _arithmetic(lambda b, x, y: x + y, of_complex.add),
    "subtract": _arithmetic(lambda b, x, y: x - y, of_complex.subtract),
    "multiply": _arithmetic(lambda b, x, y: x * y, of_complex.multiply),
    "square": _arithmetic(lambda b, x: x * x, of_complex.square),
    "negative": _arithmetic(lambda b, x: -x, of_complex.negative),
    "positive": SAME,
    "conj": by_kind(int=SAME, float=SAME, complex=plain(of_complex.conj)),
    "real": by_kind(int=SAME, float=SAME, complex=plain(lambda b, z: z.re)),
    "imag": plain(lambda b, z: z.im),
    "floor": _rounding(Builder.floor),
    "ceil": _rounding(Builder.ceil),
    "trunc": _rounding(Builder.trunc),
    "round": _rounding(Builder.rint),
    "where": where,
    "astype": astype,
    "complex": make_complex,
    "checked": lambda b, args, dtypes, dtype, attr: args[0],
}
