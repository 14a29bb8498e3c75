"""The op table: one row per operation, with every fact of the operation alone.

The one idea: names, kinds, arities and dtype rules are defined here once; API functions, the reference, the emitters
and the tests are all driven by these rows.  Names are those of the array API where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

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
)  # ops that the float8 dtypes have


class Undefined(NamedTuple):
    """A part of the operands' range in which a function has no value: math modes warn or fail there.

    `says` states the allowed range in words; `bad` is a formula (`weft.ir.graph.formulas`) for the cells outside of it.
    It applies to operands of the dtype kinds named.
    """

    says: str
    bad: str
    kinds: tuple[str, ...] = ("float",)
    zero: bool = False  # a zero divisor, for which complex numbers have no result either


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """A row.  `accepts` names the kinds of dtype; `rule` says how the result's dtype follows.

    `attrs`: names and types of the attributes of a node, "axes: ints, keepdims: bool" (`weft.ir.graph.attributes`).

    Rules: "same" (the join of the operands), "float" (the join, integers give float64), "double" (float64), "bool",
    "real" (the real part's dtype), "complex" (the dtype that the join and a Python complex have), "index" (int64),
    "sum" (integers and bools widen to 64 bits, floats stay), "given" (an attribute says it).

    `cost`: the work of one cell, in additions.  `error`: the bound of a kernel, as docs/ops.md explains it.
    `gradient`: formulas (`weft.ir.graph.formulas`) of the operands' gradients, joined by "; "; or "none: " and why;
    or "", where a function in `weft.passes` or the file of the atom has it.  `batched`: how a routine computes for many
    entries: "stacks" (it takes more leading axes), "axis k" (attribute k is the axis that it works along), or "" if a
    rule is in `weft.passes.batching_rules`.  `refuses`: computing it may raise.  `says`, `example` ("operands → value")
    and `theirs` (other names of it in NumPy and PyTorch, same meaning) make the public function of this name.
    """

    name: str
    kind: str  # source, selection, take, elementwise, check, random, reduce, scan, bins, call, or blocks
    arity: int = 1
    accepts: str = "all"
    rule: str = "same"
    attrs: str = ""
    cost: int = 1
    error: str = "0"
    gradient: str = ""
    undefined: tuple[Undefined, ...] = ()
    batched: str = ""
    refuses: bool = False
    says: str = ""
    example: str = ""
    theirs: str = ""

    def __repr__(self) -> str:
        return self.name


def _rows(kind: str, arity: int, accepts: str, rule: str, names: str, **facts: Any) -> list[Op]:
    return [Op(name, kind, arity, accepts, rule, **facts) for name in names.split()]


def _factorisations(rule: str, names: str, arity: int = 1, **facts: Any) -> list[Op]:
    return _rows("call", arity, "inexact", rule, names, error="library", batched="stacks", refuses=True, **facts)


_EVERY = ("bool", "int", "uint", "float", "complex")
_NOT_NEGATIVE = (Undefined("x >= 0", "x < 0"),)
_WITHIN_ONE = (Undefined("-1 <= x <= 1", "abs(x) > 1"),)
_DIVISOR = (Undefined("x2 != 0", "x2 == 0", _EVERY, zero=True),)
_SOURCE = "none: it has no operands"
_TRUTH = "none: bools have no slope"
_POSITIONS = "none: positions have no slope"
_SAVED = "path: text, form: text, offset: int"  # in data, for the source
_REDUCED = "axes: ints, keepdims: bool"
_SORTED = "axis: int, descending: bool, ranges: rows"  # of ranks; other cells are anything, if there are any
_FOURIER = "cells: int, axis: int, norm: text"

_unary = partial(Op, kind="elementwise", arity=1)
_binary = partial(Op, kind="elementwise", arity=2)
_float = partial(_unary, accepts="numeric", rule="float", error="1 / 2, c 4")
_exact = partial(_unary, accepts="real", rule="double", cost=30)
_quotient = partial(_binary, accepts="real", cost=20, undefined=_DIVISOR)
_extreme = partial(_binary, accepts="all")
_bits = partial(_binary, accepts="bits", gradient="none: bits have no slope")
_compare = partial(_binary, accepts="all", rule="bool", gradient=_TRUTH)
_logic = partial(_binary, accepts="bool", rule="bool", gradient=_TRUTH)
_step = partial(_unary, accepts="numeric", gradient="0")
_question = partial(_unary, accepts="all", rule="bool", gradient=_TRUTH)

ROWS: list[Op] = [
    # ---- values that come from nowhere else
    *_rows("source", 0, "all", "given", "leaf", gradient=_SOURCE),  # a stored value
    *_rows("source", 0, "all", "given", "scalar", attrs="value: number", gradient=_SOURCE),  # an argument of kernels
    *_rows("source", 0, "all", "given", "file", attrs=_SAVED, gradient=_SOURCE),  # loaded before programs run
    *_rows("source", 0, "all", "given", "placeholder", attrs="name: text", gradient=_SOURCE),  # given to a computation
    *_rows("source", 0, "all", "given", "iota", attrs="axis: int", gradient=_SOURCE),  # the coordinate along it (int64)
    *_rows("source", 0, "all", "given", "freed", gradient=_SOURCE),  # a deallocated storage's: reading it is an error
    # ---- arithmetic
    _binary("add", accepts="numeric", gradient="g; g", says="x1 + x2", example="[1, 2]; 10 → [11, 12]"),
    _binary("subtract", accepts="numeric", gradient="g; -g", says="x1 - x2", example="[1, 2]; 10 → [-9, -8]"),
    _binary("multiply", accepts="numeric", gradient="x2; x1", says="x1 · x2", example="[1, 2]; 10 → [10, 20]"),
    _binary("divide", accepts="numeric", rule="float", cost=5, error="0, c 4", undefined=_DIVISOR,
            gradient="g / conj(x2); -(g * (conj(y) / conj(x2)))",
            says="x1 / x2", example="[1, 2]; 4 → [0.25, 0.5]", theirs="true_divide div"),
    _binary("pow", accepts="numeric", cost=100, error="1 / 2, c 4",
            gradient="g * conj(where(x2 == 0, 0, x2 * pow(x1, x2 - 1))); "
                     "g * conj(where(x1 == 0, 0, y * log(where(x1 == 0, 1, x1))))",
            undefined=(
                Undefined("x1 >= 0 where x2 is no integer", "(x1 < 0) & (isfinite(x2) & (x2 != floor(x2)))"),
                Undefined("x1 != 0 where x2 < 0", "(x1 == 0) & (real(x2) < 0)", ("int", "float", "complex"), zero=True),
            ),
            says="x1 to the power of x2", example="[2, 3]; 2 → [4, 9]", theirs="power"),
    _quotient("floor_divide", gradient="0; 0", says="the floor of x1 / x2 (0 where integers divide by 0)",
              example="[7, -7]; 2 → [3, -4]"),
    _quotient("trunc_divide", gradient="0; 0", says="the integer part of x1 / x2 (0 where integers divide by 0)",
              example="[7, -7]; 2 → [3, -3]"),
    _quotient("remainder", gradient="g; -(g * floor_divide(x1, x2))",
              says="the remainder of x1 / x2, with the sign of x2 (0 where integers divide by 0)",
              example="[7, -7]; 4 → [3, 1]", theirs="mod"),
    _quotient("fmod", gradient="g; -(g * trunc_divide(x1, x2))",
              says="the remainder of x1 / x2, with the sign of x1 (0 where integers divide by 0)",
              example="[7, -7]; 4 → [3, -3]"),
    # of equal operands the first has the gradient
    _extreme("maximum", gradient="where((x1 >= x2) | isnan(x1), g, 0); where((x1 >= x2) | isnan(x1), 0, g)",
             says="the greater operand (NaN wins, and +0 over -0)", example="[1, 5]; 3 → [3, 5]"),
    _extreme("minimum", gradient="where((x1 <= x2) | isnan(x1), g, 0); where((x1 <= x2) | isnan(x1), 0, g)",
             says="the lesser operand (NaN wins, and -0 over +0)", example="[1, 5]; 3 → [1, 3]"),
    _extreme("fmax", gradient="where((x1 >= x2) | isnan(x2), g, 0); where((x1 >= x2) | isnan(x2), 0, g)",
             says="the greater operand (NaN only where both are)", example="[weft.nan, 5.0]; 3.0 → [3.0, 5.0]"),
    _extreme("fmin", gradient="where((x1 <= x2) | isnan(x2), g, 0); where((x1 <= x2) | isnan(x2), 0, g)",
             says="the lesser operand (NaN only where both are)", example="[weft.nan, 5.0]; 3.0 → [3.0, 3.0]"),
    _binary("atan2", accepts="real", rule="float", cost=50, error="1 / 2",
            gradient="x2 / (square(x2) + square(x1)); -(g * (x1 / (square(x2) + square(x1))))",
            says="the angle of the point (x2, x1) in radians, from -π to π", example="[0.0]; 1.0 → [0.0]",
            theirs="arctan2"),
    # at (0, 0) the shortest of its subgradients, as of abs
    _binary("hypot", accepts="real", rule="float", cost=20, error="1 / 2",
            gradient="x1 / where(y == 0, 1, y); x2 / where(y == 0, 1, y)",
            says="the square root of x1² + x2², without overflow", example="[3.0]; 4.0 → [5.0]"),
    _binary("logaddexp", accepts="real", rule="float", cost=50, error="1 / 2", gradient="exp(x1 - y); exp(x2 - y)",
            says="log(exp(x1) + exp(x2)), without overflow", example="[2.0]; -weft.inf → [2.0]"),
    _binary("copysign", accepts="real", rule="float", gradient="copysign(1, x1) * copysign(1, x2); none",
            says="the magnitude of x1 with the sign of x2", example="[1.0, -2.0]; -0.0 → [-1.0, -2.0]"),
    _binary("nextafter", accepts="real", rule="float", cost=6, gradient="g; none",
            says="the next value after x1 towards x2", example="[1.0]; 2.0 → [1.0000000000000002]"),
    # ---- bits and truth
    _bits("bitwise_and", says="the bitwise AND", example="[6, 3]; 2 → [2, 2]"),
    _bits("bitwise_or", says="the bitwise OR", example="[6, 3]; 8 → [14, 11]"),
    _bits("bitwise_xor", says="the bitwise XOR", example="[6, 3]; 2 → [4, 1]"),
    _bits("bitwise_left_shift", accepts="integer", says="x1 with its bits shifted left by x2 (0 from the width on)",
          example="[1, 3]; 4 → [16, 48]", theirs="left_shift"),
    _bits("bitwise_right_shift", accepts="integer", says="x1 with its bits shifted right by x2, keeping the sign",
          example="[16, -16]; 2 → [4, -4]", theirs="right_shift"),
    _bits("bitwise_invert", arity=1, says="x with every bit inverted", example="[0, 5] → [-1, -6]",
          theirs="bitwise_not invert"),
    _compare("less", says="True where x1 < x2", example="[1, 2, 3]; 2 → [True, False, False]"),
    _compare("less_equal", says="True where x1 <= x2", example="[1, 2, 3]; 2 → [True, True, False]"),
    _compare("greater", says="True where x1 > x2", example="[1, 2, 3]; 2 → [False, False, True]"),
    _compare("greater_equal", says="True where x1 >= x2", example="[1, 2, 3]; 2 → [False, True, True]"),
    _compare("equal", says="True where x1 == x2", example="[1, 2]; 2 → [False, True]"),
    _compare("not_equal", says="True where x1 != x2", example="[1, 2]; 2 → [True, False]"),
    _logic("logical_and", says="x1 AND x2", example="[True, False]; True → [True, False]"),
    _logic("logical_or", says="x1 OR x2", example="[True, False]; True → [True, True]"),
    _logic("logical_xor", says="x1 XOR x2", example="[0, 2]; [0.5, 0.5] → [True, False]"),
    _logic("logical_not", arity=1, says="NOT x", example="[0.0, 2.0] → [True, False]"),
    # ---- numbers of the same kind
    _unary("negative", accepts="numeric", gradient="-g", says="the negative", example="[1, -2] → [-1, 2]"),
    _unary("positive", accepts="numeric", gradient="g", says="x as a value of its own",
           example="[1, -2] → [1, -2]"),
    _unary("square", accepts="numeric", gradient="x * 2", says="the square", example="[2, -3] → [4, 9]"),
    _unary("sign", accepts="numeric", error="0, c 4", says="the sign: -1, 0 or 1 (z / |z| for complex numbers)",
           example="[-3, 0, 7] → [-1, 0, 1]"),
    _unary("abs", accepts="numeric", rule="real", error="0, c 4", gradient="sign(x) * g",
           says="the absolute value (of a complex number, its modulus)", example="[-1.5, 2.0] → [1.5, 2.0]",
           theirs="absolute"),
    _unary("conj", accepts="numeric", gradient="conj(g)", says="the complex conjugate",
           example="[1 + 2j] → [(1-2j)]", theirs="conjugate"),
    _unary("real", accepts="numeric", rule="real"),
    _unary("imag", accepts="complex", rule="real"),
    _step("floor", says="the greatest integer not above x", example="[1.2, -1.2] → [1.0, -2.0]"),
    _step("ceil", says="the least integer not below x", example="[1.2, -1.2] → [2.0, -1.0]"),
    _step("trunc", says="the integer nearest towards zero", example="[1.7, -1.7] → [1.0, -1.0]", theirs="fix"),
    _step("round", says="the nearest integer, ties to even", example="[0.5, 1.5, 2.4] → [0.0, 2.0, 2.0]",
          theirs="around"),
    _question("isfinite", says="True where x is neither infinite nor NaN",
              example="[1.0, weft.inf, weft.nan] → [True, False, False]"),
    _question("isinf", says="True where x is infinite", example="[1.0, weft.inf, weft.nan] → [False, True, False]"),
    _question("isnan", says="True where x is NaN", example="[1.0, weft.inf, weft.nan] → [False, False, True]"),
    _question("signbit", accepts="real", says="True where the sign bit is set", example="[-0.0, 0.0] → [True, False]"),
    # ---- elementary functions
    _float("sqrt", cost=5, error="0, c 4", gradient="0.5 / y", undefined=_NOT_NEGATIVE,
           says="the square root", example="[4.0, 9.0] → [2.0, 3.0]"),
    _float("reciprocal", cost=6, error="0, c 4", gradient="-square(y)",
           undefined=(Undefined("x != 0", "x == 0", _EVERY, zero=True),),
           says="1 divided by x", example="[2.0, 4.0] → [0.5, 0.25]"),
    _float("exp", cost=15, gradient="y", says="e to the power of x", example="[0.0] → [1.0]"),
    _float("exp2", cost=15, gradient="y * log(2)", says="2 to the power of x",
           example="[0.0, 3.0] → [1.0, 8.0]"),
    _float("exp10", cost=25, gradient="y * log(10)", says="10 to the power of x",
           example="[0.0, 2.0] → [1.0, 100.0]"),
    _float("expm1", cost=20, gradient="y + 1", says="e to the power of x, minus 1, accurate near 0",
           example="[0.0] → [0.0]"),
    _float("log", cost=20, gradient="reciprocal(x)", undefined=_NOT_NEGATIVE, says="the natural logarithm",
           example="[1.0] → [0.0]"),
    _float("log1p", cost=25, gradient="reciprocal(x + 1)", undefined=(Undefined("x >= -1", "x < -1"),),
           says="the natural logarithm of 1 plus x, accurate near 0", example="[0.0] → [0.0]"),
    _float("log2", cost=25, gradient="reciprocal(x * log(2))", undefined=_NOT_NEGATIVE,
           says="the logarithm to base 2", example="[1.0, 8.0] → [0.0, 3.0]"),
    _float("log10", cost=25, gradient="reciprocal(x * log(10))", undefined=_NOT_NEGATIVE,
           says="the logarithm to base 10", example="[1.0, 1000.0] → [0.0, 3.0]"),
    _float("sin", cost=20, gradient="cos(x)", says="the sine of an angle in radians", example="[0.0] → [0.0]"),
    _float("cos", cost=20, gradient="-sin(x)", says="the cosine of an angle in radians", example="[0.0] → [1.0]"),
    _float("tan", cost=30, gradient="square(y) + 1", says="the tangent of an angle in radians",
           example="[0.0] → [0.0]"),
    _float("asin", cost=30, gradient="reciprocal(sqrt(1 - square(x)))", undefined=_WITHIN_ONE,
           says="the inverse sine, in radians", example="[0.0] → [0.0]", theirs="arcsin"),
    _float("acos", cost=30, gradient="-reciprocal(sqrt(1 - square(x)))", undefined=_WITHIN_ONE,
           says="the inverse cosine, in radians", example="[1.0] → [0.0]", theirs="arccos"),
    _float("atan", cost=30, gradient="reciprocal(square(x) + 1)", says="the inverse tangent, in radians",
           example="[0.0] → [0.0]", theirs="arctan"),
    _float("sinh", cost=30, gradient="cosh(x)", says="the hyperbolic sine", example="[0.0] → [0.0]"),
    _float("cosh", cost=30, gradient="sinh(x)", says="the hyperbolic cosine", example="[0.0] → [1.0]"),
    _float("tanh", cost=25, gradient="1 - square(y)", says="the hyperbolic tangent", example="[0.0] → [0.0]"),
    _float("asinh", cost=60, gradient="reciprocal(sqrt(square(x) + 1))", says="the inverse hyperbolic sine",
           example="[0.0] → [0.0]", theirs="arcsinh"),
    # sqrt(x - 1) · sqrt(x + 1) has the branches of acosh
    _float("acosh", cost=60, gradient="reciprocal(sqrt(x + -1) * sqrt(x + 1))",
           undefined=(Undefined("x >= 1", "x < 1"),), says="the inverse hyperbolic cosine",
           example="[1.0] → [0.0]", theirs="arccosh"),
    _float("atanh", cost=40, gradient="reciprocal(1 - square(x))", undefined=_WITHIN_ONE,
           says="the inverse hyperbolic tangent", example="[0.0] → [0.0]", theirs="arctanh"),
    _float("cbrt", accepts="real", cost=30, error="1 / 2", gradient="1 / (square(y) * 3)", says="the cube root",
           example="[27.0, -8.0] → [3.0, -2.0]"),
    _float("erf", accepts="real", cost=40, error="1 / 2", gradient="exp(-square(x)) * (2 / sqrt(pi))",
           says="the error function", example="[0.0, 6.0] → [0.0, 1.0]"),
    _float("erfc", accepts="real", cost=40, error="1 / 2", gradient="exp(-square(x)) * (-2 / sqrt(pi))",
           says="1 - erf(x), also where that is small", example="[0.0, 30.0] → [1.0, 0.0]"),
    # ---- the same bits from every transformer, for random fields (`weft.ir.fields.exact_functions`)
    _exact("exact_log", gradient="reciprocal(x)", undefined=_NOT_NEGATIVE),
    _exact("exact_exp", gradient="y"),
    _exact("normal_cdf", gradient="exp(square(x) * -0.5) * (1 / sqrt(2 * pi))"),
    _exact("normal_quantile", gradient="reciprocal(exp(square(y) * -0.5) * (1 / sqrt(2 * pi)))",
           undefined=(Undefined("0 <= x <= 1", "abs(x - 0.5) > 0.5"),)),
    # ---- choices, conversions, and building blocks of functions of the API
    Op("where", "elementwise", 3, gradient="none; where(x1, g, 0); where(x1, 0, g)"),  # (bool condition, a, b)
    Op("astype", "elementwise", 1, rule="given", attrs="dtype: dtype", gradient="g"),
    Op("complex", "elementwise", 2, "float", "given", gradient="real(g); imag(g)"),  # (re, im) -> complex
    Op("philox", "random", -1, rule="given", attrs="distribution: text, rank: int", cost=40),  # (coordinates, keys)
    Op("checked", "check", 2, rule="given", attrs="mode: text, number: int", gradient="g; none"),  # (value, any bad?)
    Op("gather", "take", -1, rule="given", attrs="axes: ints, at: int", cost=8),  # (x, int64 index per axis...)
    # ---- selections: every one moves values, none computes one
    *_rows("selection", 1, "all", "same", "permute flip expand_dims squeeze", attrs="axes: ints"),
    *_rows("selection", 1, "all", "same", "reshape broadcast_to", attrs="shape: ints"),
    *_rows("selection", 1, "all", "same", "slice", attrs="runs: rows"),  # (start, step, size) for each axis
    *_rows("selection", 1, "all", "same", "index", attrs="at: rows"),  # (axis, position) pairs
    *_rows("selection", 1, "all", "same", "window", attrs="shape: ints, axes: ints"),
    *_rows("selection", 1, "all", "same", "diagonal", attrs="offset: int, axis1: int, axis2: int"),
    *_rows("selection", 1, "all", "same", "roll", attrs="shifts: ints, axes: ints"),
    *_rows("selection", 1, "all", "same", "tile", attrs="copies: ints"),
    *_rows("selection", 1, "all", "same", "repeat", attrs="count: int, axis: int"),
    *_rows("selection", 1, "all", "same", "translate", attrs="offset: ints"),
    *_rows("selection", -1, "all", "same", "concat", attrs="axis: int, starts: ints"),
    *_rows("selection", -1, "all", "same", "interleave", attrs="axis: int"),
    *_rows("selection", -1, "all", "same", "overlay", attrs="boxes: nest, filled: bool"),
    Op("pad", "selection", 2, attrs="widths: rows, mode: text"),  # (x, fill scalar), the fill for "constant" only
    # ---- reductions
    *_rows("reduce", 1, "numeric", "sum", "sum prod", attrs=_REDUCED, error="order"),
    *_rows("reduce", 1, "numeric", "sum", "chained_sum chained_prod", attrs=_REDUCED, error="order",
           gradient="none: tiles alone are chained, of values that are there"),
    *_rows("reduce", 1, "numeric", "float", "mean", attrs=_REDUCED, error="order"),
    *_rows("reduce", 1, "real", "float", "var", attrs=f"{_REDUCED}, correction: number", error="order"),
    *_rows("reduce", 1, "ordered", "same", "min max", attrs=_REDUCED),
    *_rows("reduce", 1, "float", "same", "nanmin nanmax", attrs=_REDUCED),
    *_rows("reduce", 1, "all", "bool", "any all", attrs=_REDUCED, gradient=_TRUTH),
    *_rows("reduce", 1, "all", "index", "count_nonzero", attrs=_REDUCED, gradient="none: counts have no slope"),
    *_rows("reduce", 1, "ordered", "index", "argmin argmax", attrs=_REDUCED, gradient=_POSITIONS),
    *_rows("scan", 1, "numeric", "sum", "cumulative_sum cumulative_prod", attrs="axis: int, include_initial: bool",
           error="order"),
    *_rows("scan", 1, "ordered", "same", "cumulative_max cumulative_min", attrs="axis: int, include_initial: bool"),
    # ---- cells by the number of their bin; a number outside counts nowhere
    Op("bin_counts", "bins", 1, "integer", "index", attrs="bins: int", gradient="none: counts have no slope"),
    Op("bin_sums", "bins", 2, "numeric", "given", attrs="bins: int", error="order"),  # (numbers, 64-bit weights)
    # ---- library routines
    *_rows("call", 2, "all", "same", "matmul", attrs="order1: text, order2: text", error="library"),  # see blas
    *_rows("call", 1, "ordered", "same", "sort", attrs=_SORTED, batched="axis 0"),
    *_rows("call", 1, "ordered", "index", "argsort", attrs=_SORTED, batched="axis 0", gradient=_POSITIONS),
    Op("searchsorted", "call", 2, "ordered", "index", attrs="side: text", gradient=_POSITIONS),
    *_rows("call", 2, "integer", "same", "gcd lcm", batched="stacks", gradient="none: divisors have no slope"),
    Op("transfer", "call", 1, attrs="device: text", batched="stacks"),  # the same values there
    Op("scatter_add", "call", 2, "numeric", "given", attrs="size: int", error="library"),  # (rows, positions)
    *_factorisations("same", "cholesky", attrs="upper: bool"),
    *_factorisations("same", "det inv"),
    *_factorisations("same", "solve", 2),
    *_factorisations("real", "eigvalsh svdvals"),
    *_factorisations("complex", "eigvals"),
    # several results side by side, views are taken of it
    *_factorisations("same", "slogdet eigh"),
    *_factorisations("same", "qr", attrs="mode: text"),
    *_factorisations("same", "svd", attrs="full_matrices: bool"),
    *_factorisations("complex", "eig"),
    *_rows("call", 1, "complex", "same", "fft", attrs=f"{_FOURIER}, backwards: bool", error="library",
           batched="axis 1"),
    *_rows("call", 1, "float", "complex", "rfft", attrs=_FOURIER, error="library", batched="axis 1"),
    *_rows("call", 1, "complex", "real", "irfft", attrs=_FOURIER, error="library", batched="axis 1"),
    # ---- functions of users over boxes
    Op("map_blocks", "blocks", -1, rule="given", attrs="operator: nest, output: int", error="library", refuses=True),
]  # fmt: skip

OPS: dict[str, Op] = {row.name: row for row in ROWS}
POINTWISE = ("elementwise", "check")  # kinds that read their operands at the position of each cell
SORTS = frozenset({"sort", "argsort"})
SCANS = {  # name: (reduction, elementwise op of two neighbours, initial value if it may have one)
    "cumulative_sum": ("sum", "add", 0),
    "cumulative_prod": ("prod", "multiply", 1),
    "cumulative_max": ("max", "maximum", None),
    "cumulative_min": ("min", "minimum", None),
}
IN_PLACE = frozenset({"gcd", "lcm"})  # routines that do so, too
ARRAYWISE = ("call", "blocks")  # kinds that functions of the host compute, on arrays
CELLWISE = (*POINTWISE, "random", "take")  # kinds whose single cells kernels compute
BARRIERS = ("reduce", "scan", "bins", *ARRAYWISE)  # kinds that are stored as a whole even if only a part is read
PARTIAL = frozenset([row.name for row in ROWS if row.undefined and row.says])  # those that have math modes
RANDOM = frozenset([row.name for row in ROWS if row.rule == "double" or row.name == "philox"])  # steps of random fields


def _compute_dtype(op: Op, common: DType) -> DType:
    """Return the dtype that operands of the dtype `common` are converted to before the op computes.

    Raises DTypeError if the op does not accept it.
    """
    if common.storage and op.name not in STORED and op.kind != "selection":
        raise DTypeError(f"{op.name}: {common.name} operands; the float8 kinds are for storage; convert with astype()")
    if common.kind in ACCEPTS[op.accepts]:
        wide = op.rule == "double" or (op.rule == "float" and common.kind in ("int", "uint"))
        return dt.float64 if wide else common
    wanted = ", ".join(ACCEPTS[op.accepts])
    hint = "convert it first, with astype()"
    raise DTypeError(f"{op.name}: {common.name} operands; the operation is defined for {wanted}; {hint}")


def _result_dtype(op: Op, compute: DType) -> DType:
    if op.rule in ("same", "float", "double"):
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
    """Return the dtype that operands are cast to, and the dtype of the result.

    Raises DTypeError if the op does not accept an operand's dtype.

    >>> resolve(OPS["divide"], dt.int8, dt.int8), resolve(OPS["less"], dt.int8, dt.float32)
    ((weft.float64, weft.float64), (weft.float32, weft.bool))
    """
    compute = _compute_dtype(op, dt.promote_all(operands))
    return compute, _result_dtype(op, compute)
