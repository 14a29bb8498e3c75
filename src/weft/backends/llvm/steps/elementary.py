"""Elementary functions: which emitter of `weft.backends.llvm.math` serves an op and dtype.

The one idea: float16 and bfloat16 use the float emitters and round once more; complex numbers have a table of
their own.
"""

from __future__ import annotations

from weft.backends.llvm.complex_math import COMPLEX
from weft.backends.llvm.emit import Builder
from weft.backends.llvm.math import MATH
from weft.backends.llvm.steps.arithmetic import (
    Emitter,
    absolute_signed,
    by_kind,
    each_float,
    identity,
    plain,
    sign_float,
    sign_signed,
    sign_unsigned,
)
from weft.backends.llvm.steps.registers import elem, rounded


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
        int=plain(absolute_signed),
        uint=plain(identity),
        float=each_float(Builder.abs),
        complex=_from_complex_table("abs"),
    ),
    "sign": by_kind(
        int=plain(sign_signed),
        uint=plain(sign_unsigned),
        float=plain(sign_float),
        complex=_from_complex_table("sign"),
    ),
}
