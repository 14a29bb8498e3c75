"""Emitters: the instructions for one step of a kernel's body on vectors.

The one idea: `apply` is a table look-up.  Each op of `weft.ir.graph.ops` has one emitter, which picks the
instructions by the dtype of its arguments and leaves a register that holds a value of the result's dtype exactly.
Elementary functions of float16 and bfloat16 use the float emitters and round once more.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm.complex_math import COMPLEX
from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.math import MATH
from weft.backends.llvm.steps import integer, remainder
from weft.backends.llvm.steps.arithmetic import ARITHMETIC, SAME, Emitter, by_kind, each_float, register_emitter
from weft.backends.llvm.steps.comparisons import COMPARE
from weft.backends.llvm.steps.field_emitters import emit_field
from weft.backends.llvm.steps.plain_functions import EXACT_FUNCTIONS
from weft.backends.llvm.steps.registers import Reg, elem, rounded, settled
from weft.dtypes import DType, complex32


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


EXACT = frozenset({"astype", "conj", "imag", "negative", "positive", "real", "round"})  # nothing is left to round

EMITTERS: dict[str, Emitter] = {
    **ARITHMETIC,
    **COMPARE,
    **ELEMENTARY,
    **integer.INTEGER,
    "floor_divide": by_kind(int=integer.floor_divide, float=remainder.floor_divide),
    "remainder": by_kind(int=integer.remainder, float=remainder.remainder),
    "trunc_divide": by_kind(int=integer.trunc_divide, float=remainder.trunc_divide),
    "fmod": by_kind(int=integer.fmod, float=remainder.fmod),
    "pow": by_kind(int=integer.power, float=ELEMENTARY["pow"], complex=ELEMENTARY["pow"]),
    "philox": emit_field,
    **EXACT_FUNCTIONS,
}


def apply(b: Builder, op: str, attr: object, args: Sequence[Reg], arg_dtypes: Sequence[DType], dtype: DType) -> Reg:
    """Emit an op for arguments of the dtypes `arg_dtypes`; return the result as a register of `dtype`.

    `attr` is the op's attribute, None for most ops.
    """
    made = EMITTERS[op](b, args, arg_dtypes, dtype, attr)
    if complex32 in arg_dtypes[:1] and op not in EXACT:  # computed as complex64 is; floats round where they are made
        return settled(b, made, dtype)
    return made
