"""Sums, products, quotients and the other ops that are one or a few instructions, by kind of dtype.

The one idea: float16 and bfloat16 compute in float and round once at the end.  For + - * / and sqrt this gives the
correctly rounded result, as float has at least two more than twice their digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import Reg, rounded
from weft.dtypes import DType

# emit(b, arguments, their dtypes, result dtype, attribute) -> register
Emitter = Callable[[Builder, Sequence[Any], Sequence[DType], DType, object], Reg]
Real = Callable[..., Value]  # real(b, *values) -> value


def each_float(emit: Real) -> Emitter:
    """Return the emitter of an op on floats, from a function of registers; results are rounded to the op's dtype."""
    return lambda b, args, dtypes, dtype, attr: rounded(b, emit(b, *args), dtype)


def part_emitter(emit: Real) -> Emitter:
    """Return the emitter of an op that applies `emit` to the real and to the imaginary part of its argument."""
    return lambda b, args, dtypes, dtype, attr: args[0].map_parts(partial(emit, b))


def register_emitter(emit: Callable[..., Reg]) -> Emitter:
    """Return the emitter of an op that needs only its arguments' registers, not their dtypes."""
    return lambda b, args, dtypes, dtype, attr: emit(b, *args)


def by_kind(**emitters: Emitter) -> Emitter:
    """Return an emitter that picks one of `emitters` by the kind of the first argument's dtype.

    The emitter for "int" also serves "uint" if none is given for it.
    """
    emitters.setdefault("uint", emitters.get("int"))  # type: ignore[arg-type]
    return lambda b, args, dtypes, dtype, attr: emitters[dtypes[0].kind](b, args, dtypes, dtype, attr)


# ---- one for all dtypes
def where(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    c, x, y = args
    return b.select(c, convert(b, x, dtypes[1], dtype), convert(b, y, dtypes[2], dtype))  # type: ignore[no-any-return]


def astype(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    return convert(b, args[0], dtypes[0], dtype)


def make_complex(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    parts: list[Any] = [convert(b, x, d, dtype.real) for x, d in zip(args, dtypes, strict=True)]
    return Complex(*parts)


SAME = register_emitter(lambda b, x: x)


def _arithmetic(emit: Callable[..., Any]) -> Emitter:
    """Return the emitter of an op on integers, floats and complex numbers, all by `emit`."""
    return by_kind(int=register_emitter(emit), float=each_float(emit), complex=register_emitter(emit))


def _rounding(emit: Real) -> Emitter:
    """Return the emitter of a rounding to whole numbers, such as floor; integers stay as they are."""
    return by_kind(int=SAME, float=register_emitter(emit), complex=part_emitter(emit))


ARITHMETIC: dict[str, Emitter] = {
    "add": _arithmetic(lambda b, x, y: x + y),
    "subtract": _arithmetic(lambda b, x, y: x - y),
    "multiply": _arithmetic(lambda b, x, y: x * y),
    "square": _arithmetic(lambda b, x: x * x),
    "negative": _arithmetic(lambda b, x: -x),
    "positive": SAME,
    "conj": by_kind(int=SAME, float=SAME, complex=register_emitter(lambda b, z: z.conj())),
    "real": by_kind(int=SAME, float=SAME, complex=register_emitter(lambda b, z: z.re)),
    "imag": register_emitter(lambda b, z: z.im),
    "floor": _rounding(Builder.floor),
    "ceil": _rounding(Builder.ceil),
    "trunc": _rounding(Builder.trunc),
    "round": _rounding(Builder.rint),
    "where": where,
    "astype": astype,
    "complex": make_complex,
    "checked": lambda b, args, dtypes, dtype, attr: args[0],
}
