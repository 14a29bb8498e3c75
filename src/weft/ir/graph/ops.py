"""The op table: one row per operation, and everything that is a fact of the operation alone.

The one idea: names, kinds, arities and dtype rules stand here once; API functions, the reference, the emitters and
the tests are all driven by these rows.  Names are those of the array API where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError

ACCEPTS = {
    "all": ("bool", "int", "uint", "float", "complex"),
    "numeric": ("int", "uint", "float", "complex"),
    "real": ("int", "uint", "float"),
    "integer": ("int", "uint"),
    "bits": ("bool", "int", "uint"),
    "float": ("float",),
    "complex": ("complex",),
    "inexact": ("float", "complex"),
    "bool": ("bool",),
    "ordered": ("bool", "int", "uint", "float"),
}


STORED = frozenset(
    {"all", "any", "count_nonzero", "equal", "not_equal", "positive", "where"}
)  # what the float8 kinds have


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """A row.  `accepts` names the kinds of dtype; `rule` says how the result's dtype follows.

    Rules: "same" (the join of the operands), "float" (the join, integers give float64), "bool", "real" (the real part's
    dtype), "complex" (the dtype that the join and a Python complex have), "index" (int64), "sum" (integers and bools
    widen to 64 bits, floats stay), "given" (an attribute says it).
    """

    name: str
    kind: str  # "source" | "selection" | "elementwise" | "reduce" | "scan" | "call"
    arity: int = 1
    accepts: str = "all"
    rule: str = "same"

    def __repr__(self) -> str:
        return self.name


def _rows(kind: str, arity: int, accepts: str, rule: str, names: str) -> list[Op]:
    return [Op(name, kind, arity, accepts, rule) for name in names.split()]


ROWS: list[Op] = [
    # ---- values that come from nowhere else
    Op("leaf", "source", 0, rule="given"),  # a stored value
    Op("scalar", "source", 0, rule="given"),  # attrs (python number,): a run-time argument of kernels
    Op("file", "source", 0, rule="given"),  # attrs (source,): bytes elsewhere, loaded before a program runs
    Op("placeholder", "source", 0, rule="given"),  # attrs (name,): a value that a computation will be given
    Op("iota", "source", 0, rule="given"),  # attrs (axis,): the coordinate along an axis (int64)
    Op("freed", "source", 0, rule="given"),  # cells of a storage that was deallocated: reading them is an error
    # ---- elementwise, operands of one dtype
    *_rows("elementwise", 2, "numeric", "same", "add subtract multiply"),
    *_rows("elementwise", 2, "numeric", "float", "divide"),
    *_rows("elementwise", 2, "numeric", "same", "pow"),
    *_rows("elementwise", 2, "real", "same", "floor_divide trunc_divide remainder fmod"),
    *_rows("elementwise", 2, "all", "same", "maximum minimum fmax fmin"),
    *_rows("elementwise", 2, "real", "float", "atan2 hypot logaddexp copysign nextafter"),
    *_rows("elementwise", 2, "bits", "same", "bitwise_and bitwise_or bitwise_xor"),
    *_rows("elementwise", 2, "integer", "same", "bitwise_left_shift bitwise_right_shift"),
    *_rows("elementwise", 2, "all", "bool", "less less_equal greater greater_equal equal not_equal"),
    *_rows("elementwise", 2, "bool", "bool", "logical_and logical_or logical_xor"),
    *_rows("elementwise", 1, "bool", "bool", "logical_not"),
    *_rows("elementwise", 1, "bits", "same", "bitwise_invert"),
    *_rows("elementwise", 1, "numeric", "same", "negative positive square sign"),
    *_rows("elementwise", 1, "numeric", "real", "abs"),
    *_rows("elementwise", 1, "numeric", "same", "conj"),
    *_rows("elementwise", 1, "numeric", "real", "real"),
    *_rows("elementwise", 1, "complex", "real", "imag"),
    *_rows("elementwise", 1, "numeric", "same", "floor ceil trunc round"),
    *_rows("elementwise", 1, "all", "bool", "isfinite isinf isnan"),
    *_rows("elementwise", 1, "real", "bool", "signbit"),
    *_rows("elementwise", 1, "numeric", "float", "sqrt reciprocal exp exp2 exp10 expm1 log log1p log2 log10"),
    *_rows("elementwise", 1, "numeric", "float", "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"),
    *_rows("elementwise", 1, "real", "float", "cbrt erf erfc"),
    Op("where", "elementwise", 3),  # (bool condition, a, b)
    Op("astype", "elementwise", 1, rule="given"),  # attrs (dtype,)
    Op("complex", "elementwise", 2, "float", "given"),  # (re, im) -> complex
    Op("philox", "elementwise", -1, rule="given"),  # attrs (distribution, rank): coordinates, keys -> values
    Op("checked", "elementwise", 2, rule="given"),  # attrs (mode,): (value, whether any cell is bad) -> value
    Op(
        "plain", "elementwise", 1, "float", "given"
    ),  # attrs (name,): float64 functions of weft.ir.fields.exact_functions
    Op("gather", "elementwise", -1, rule="given"),  # attrs (axes,): (stored x, int64 index per axis...) -> values
    # ---- selections: every one moves values, none computes one
    *_rows("selection", 1, "all", "same", "permute flip slice index expand_dims squeeze broadcast_to"),
    *_rows("selection", 1, "all", "same", "window diagonal reshape roll tile repeat translate"),
    *_rows("selection", -1, "all", "same", "concat interleave overlay"),
    Op("pad", "selection", 2),  # (x, fill scalar); the fill is used by mode "constant" only
    # ---- reductions over attrs (axes, keepdims, ...)
    *_rows("reduce", 1, "numeric", "sum", "sum prod"),
    *_rows("reduce", 1, "numeric", "float", "mean"),
    *_rows("reduce", 1, "real", "float", "var"),
    *_rows("reduce", 1, "ordered", "same", "min max"),
    *_rows("reduce", 1, "float", "same", "nanmin nanmax"),
    *_rows("reduce", 1, "all", "bool", "any all"),
    *_rows("reduce", 1, "all", "index", "count_nonzero"),
    *_rows("reduce", 1, "ordered", "index", "argmin argmax"),
    *_rows("scan", 1, "numeric", "sum", "cumulative_sum cumulative_prod"),
    # ---- library routines
    *_rows("call", 2, "all", "same", "matmul"),  # attrs: "C" or "F" per operand, how it is to lie
    *_rows("call", 1, "ordered", "same", "sort"),
    *_rows("call", 1, "ordered", "index", "argsort"),
    Op("searchsorted", "call", 2, "ordered", "index"),
    Op("transfer", "call", 1),  # attrs (name of a device,): the same values there
    Op("scatter_add", "call", 2, "numeric", "given"),  # (rows, int64 position of each) -> sums by position
    *_rows("call", 1, "inexact", "same", "cholesky det inv"),  # attrs of cholesky: (upper,)
    *_rows("call", 2, "inexact", "same", "solve"),
    *_rows("call", 1, "inexact", "real", "eigvalsh svdvals"),
    *_rows("call", 1, "inexact", "complex", "eigvals"),
    *_rows("call", 1, "inexact", "same", "slogdet qr eigh svd"),  # several results side by side, views are taken of it
    *_rows("call", 1, "inexact", "complex", "eig"),  # likewise
    *_rows("call", 1, "complex", "same", "fft"),  # attrs (cells, axis, norm, whether backwards)
    *_rows("call", 1, "float", "complex", "rfft"),  # attrs (cells, axis, norm)
    *_rows("call", 1, "complex", "real", "irfft"),  # attrs (cells, axis, norm)
]

OPS: dict[str, Op] = {row.name: row for row in ROWS}
PARTIAL = frozenset({  # functions that are not defined for every number: those that have math modes
    *("sqrt", "log", "log2", "log10", "log1p", "asin", "acos", "acosh", "atanh", "pow"),
    *("reciprocal", "divide", "floor_divide", "remainder", "trunc_divide", "fmod"),
})  # fmt: skip


def _compute_dtype(op: Op, joined: DType) -> DType:
    """The dtype the operands are brought to before the op computes."""
    if joined.storage and op.name not in STORED and op.kind != "selection":
        raise DTypeError(f"{op.name}: {joined.name} operands; the float8 kinds are for storage; convert with astype()")
    if joined.kind in ACCEPTS[op.accepts]:
        return dt.float64 if op.rule == "float" and joined.kind in ("int", "uint") else joined
    wanted = ", ".join(ACCEPTS[op.accepts])
    hint = "convert it first, with astype()"
    raise DTypeError(f"{op.name}: {joined.name} operands; the operation is defined for {wanted}; {hint}")


def _result_dtype(op: Op, compute: DType) -> DType:
    if op.rule in ("same", "float"):
        return compute
    if op.rule == "bool":
        return dt.bool
    if op.rule == "real":
        return compute.real
    if op.rule == "complex":
        return dt.weak(complex, compute)
    if op.rule == "index":
        return dt.int64
    if op.rule == "sum":
        wide = {"bool": dt.int64, "int": dt.int64, "uint": dt.uint64}
        return wide.get(compute.kind, compute)
    raise DTypeError(f"{op.name}: internal: the result dtype must be given; please report this")


@cache
def resolve(op: Op, *operands: DType) -> tuple[DType, DType]:
    """(dtype the operands are cast to, dtype of the result).

    >>> resolve(OPS["divide"], dt.int8, dt.int8), resolve(OPS["less"], dt.int8, dt.float32)
    ((weft.float64, weft.float64), (weft.float32, weft.bool))
    """
    compute = _compute_dtype(op, dt.promote_all(operands))
    return compute, _result_dtype(op, compute)
