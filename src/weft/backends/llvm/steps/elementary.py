"""Elementary functions: which emitter of `weft.backends.llvm.math` serves an op and dtype.

The one idea: float16 and bfloat16 use the float emitters and round once more; complex numbers have a table of
their own.
"""

from __future__ import annotations

from weft.backends.llvm.complex_math import COMPLEX
from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.math import MATH
from weft.backends.llvm.steps.arithmetic import SAME, Emitter, by_kind, each_float, register_emitter
from weft.backends.llvm.steps.registers import elem, rounded


def _sign_float(b: Builder, x: Value) -> Value:
    """Return -1, 0 or 1 as a float; 0 for both zeros, NaN for NaN."""
    one = b.copysign(1.0, x)
    return b.select(x.eq(0.0), b.const(x.type, 0.0), b.select(x.is_nan(), x, one))


def _sign_signed(b: Builder, x: Value) -> Value:
    return b.select(x > 0, b.const(x.type, 1), x >> (x.type.bits - 1))


def _sign_unsigned(b: Builder, x: Value) -> Value:
    return b.cast("zext", x.ne(0), x.type.elem)


def _absolute_signed(b: Builder, x: Value) -> Value:
    """Return |x| of signed integers; the least integer stays as it is."""
    return b.select(x < 0, -x, x)


# ---- tables
def _from_table(op: str) -> Emitter:
    return lambda b, args, dtypes, dtype, attr: rounded(b, MATH[op, elem(dtypes[0])](b, *args), dtype)


def _from_complex_table(op: str) -> Emitter:
    return lambda b, args, dtypes, dtype, attr: COMPLEX[op, elem(dtypes[0])](b, *args)


ELEMENTARY: dict[str, Emitter] = {
    **{op: by_kind(float=_from_table(op), complex=_from_complex_table(op)) for op, _ in MATH},
    "divide": by_kind(float=each_float(lambda b, x, y: x / y), complex=_from_complex_table("divide")),
    "reciprocal": by_kind(float=each_float(lambda b, x: 1.0 / x), complex=_from_complex_table("reciprocal")),
    "sqrt": by_kind(float=each_float(Builder.sqrt), complex=_from_complex_table("sqrt")),
    "abs": by_kind(
        int=register_emitter(_absolute_signed),
        uint=SAME,
        float=each_float(Builder.abs),
        complex=_from_complex_table("abs"),
    ),
    "sign": by_kind(
        int=register_emitter(_sign_signed),
        uint=register_emitter(_sign_unsigned),
        float=register_emitter(_sign_float),
        complex=_from_complex_table("sign"),
    ),
}
