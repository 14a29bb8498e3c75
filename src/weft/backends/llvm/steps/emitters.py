"""Emitters: the instructions for one step of a kernel's body on vectors.

The one idea: `apply` is a table look-up.  Each op of `weft.ir.graph.ops` has one emitter, which picks the
instructions by the dtype of its arguments and leaves a register that holds a value of the result's dtype exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm.emit import Builder
from weft.backends.llvm.steps import integer, remainder
from weft.backends.llvm.steps.arithmetic import ARITHMETIC, Emitter, by_kind
from weft.backends.llvm.steps.comparisons import COMPARE
from weft.backends.llvm.steps.elementary import ELEMENTARY
from weft.backends.llvm.steps.field_emitters import emit_field
from weft.backends.llvm.steps.plain_functions import EXACT_FUNCTIONS
from weft.backends.llvm.steps.registers import Reg, settled
from weft.dtypes import DType, complex32

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
