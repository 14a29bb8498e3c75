"""Comparisons, logic, choice of the larger or smaller, and questions about a number.

The one idea: NaN compares false (not_equal: true) and wins maximum and minimum, which order -0 below +0; complex
numbers are ordered by their real parts, then by their imaginary ones.  fmax and fmin prefer numbers to NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.steps.arithmetic import Emitter, Real, by_kind, each_float, register_emitter
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import LEAST, Reg, decode, encode, real_parts
from weft.dtypes import DType, float32


def _equality(compare: Callable[[Value, Value], Value], join: Callable[[Value, Value], Value]) -> Emitter:
    """Return the emitter of == or !=: `compare` for real parts, whose results `join` combines.

    float8 operands are compared as numbers, since different codes may mean the same number.
    """

    def run(b: Builder, args: Sequence[Reg], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
        x, y = (real_parts(convert(b, v, d, float32) if d.storage else v) for v, d in zip(args, dtypes, strict=True))
        return reduce(join, map(compare, x, y))

    return run


def _ordering(name: str) -> Emitter:
    """Return the emitter of an ordering: "lt", "le", "gt" or "ge", as in LLVM's predicates."""
    unsigned = register_emitter(lambda b, x, y: x.compare("", "u" + name, y))
    either = register_emitter(lambda b, x, y: x.compare("o" + name, "s" + name, y))
    return by_kind(
        bool=unsigned, uint=unsigned, int=either, float=either, complex=register_emitter(_lexicographic(name))
    )


def _lexicographic(name: str) -> Callable[..., Value]:
    """Return a function that compares complex numbers by real part, then by imaginary part.

    `name` is "lt", "le", "gt" or "ge"; a comparison with NaN is false.
    """

    def emit(b: Builder, x: Complex, y: Complex) -> Value:
        decided = x.re.compare("o" + name[0] + "t", "", y.re) & x.im.compare("ord", "", y.im)
        return decided | (x.re.eq(y.re) & x.im.compare("o" + name, "", y.im))

    return emit


def _numbers_first(choice: Callable[..., Reg]) -> Callable[..., Reg]:
    """Return fmax or fmin, given maximum or minimum as `choice`: NaN only where both operands are NaN."""

    def emit(b: Builder, x: Reg, y: Reg) -> Reg:
        return b.select(is_nan_of(b, x), y, b.select(is_nan_of(b, y), x, choice(b, x, y)))

    return emit


def is_nan_of(b: Builder, x: Reg) -> Value:
    return x.re.is_nan() | x.im.is_nan() if isinstance(x, Complex) else x.is_nan()


def _choice(name: str, bools: Real, numbers: bool = False) -> Emitter:
    """Return the emitter of `name`, "maximum" or "minimum"; with numbers=True, of fmax or fmin.

    `bools` makes the result for operands that are bools.
    """
    of_floats: Callable[..., Reg] = lambda b, x, y: b.intrinsic(name, x, y)  # noqa: E731
    of_complex = _complex_choice(name)
    return by_kind(
        bool=register_emitter(bools),
        uint=register_emitter(lambda b, x, y: b.intrinsic("u" + name[:3], x, y)),
        int=register_emitter(lambda b, x, y: b.intrinsic("s" + name[:3], x, y)),
        float=register_emitter(_numbers_first(of_floats) if numbers else of_floats),
        complex=register_emitter(_numbers_first(of_complex) if numbers else of_complex),
    )


def _complex_choice(name: str) -> Callable[..., Reg]:
    """Return a function that chooses the larger ("maximum") or smaller ("minimum") of two complex numbers.

    NaN wins.  Of equal numbers, the result takes +0 (for "minimum" -0) in each part that is zero.
    """
    gives_way = _lexicographic("lt" if name == "maximum" else "gt")

    def emit(b: Builder, x: Complex, y: Complex) -> Reg:
        tie = Complex(*(b.intrinsic(name, p, q) for p, q in zip(x, y, strict=True)))
        ordered = b.select(gives_way(b, x, y), y, b.select(gives_way(b, y, x), x, tie))
        return b.select(is_nan_of(b, x), x, b.select(is_nan_of(b, y), y, ordered))

    return emit


def _question(real: Real, every: bool = False, integers: bool = False) -> Emitter:
    """Return the emitter of isfinite, isinf or isnan, given `real`, its function of one real part.

    A complex number satisfies it if either part does; with every=True, if both do.  Integers and bools give the
    constant `integers`.
    """

    def pair(b: Builder, z: Complex) -> Value:
        re, im = z.map_parts(partial(real, b))
        return re & im if every else re | im

    constant = register_emitter(lambda b, x: b.const(x.type.with_element("i1"), integers))
    return by_kind(bool=constant, int=constant, float=register_emitter(real), complex=register_emitter(pair))


def next_after(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    """Return the next number of `dtype` after x in the direction of y; args are x and y.

    It is y where they are equal, and NaN where either is NaN.
    """
    x, y = args
    (bits,) = encode(b, x, dtype)
    away = (x < y).eq(x > 0.0)  # from zero
    stepped = bits + b.select(away, b.const(bits.type, 1), -1)
    moved = decode(b, (stepped,), dtype)
    least = b.copysign(math.ldexp(1.0, LEAST[dtype]), y)
    unordered = x.compare("uno", "", y)
    result = b.select(x.eq(0.0), least, moved)  # type: ignore[arg-type]
    return b.select(unordered, x + y, b.select(x.eq(y), y, result))


COMPARE: dict[str, Emitter] = {
    "less": _ordering("lt"),
    "less_equal": _ordering("le"),
    "greater": _ordering("gt"),
    "greater_equal": _ordering("ge"),
    "equal": _equality(Value.eq, Value.__and__),
    "not_equal": _equality(Value.ne, Value.__or__),
    "maximum": _choice("maximum", lambda b, x, y: x | y),
    "minimum": _choice("minimum", lambda b, x, y: x & y),
    "fmax": _choice("maximum", lambda b, x, y: x | y, numbers=True),
    "fmin": _choice("minimum", lambda b, x, y: x & y, numbers=True),
    "isfinite": _question(Builder.is_finite, every=True, integers=True),
    "isinf": _question(Builder.is_infinite),
    "isnan": _question(lambda b, x: x.is_nan()),
    "signbit": by_kind(
        int=register_emitter(lambda b, x: x < 0),
        uint=register_emitter(lambda b, x: b.const(x.type.with_element("i1"), 0)),
        float=register_emitter(Builder.is_signed),
    ),
    "copysign": each_float(lambda b, x, y: b.copysign(x, y)),
    "nextafter": next_after,
    **dict.fromkeys(("logical_and", "bitwise_and"), register_emitter(lambda b, x, y: x & y)),
    **dict.fromkeys(("logical_or", "bitwise_or"), register_emitter(lambda b, x, y: x | y)),
    **dict.fromkeys(("logical_xor", "bitwise_xor"), register_emitter(lambda b, x, y: x ^ y)),
    **dict.fromkeys(("logical_not", "bitwise_invert"), register_emitter(lambda b, x: ~x)),
}
