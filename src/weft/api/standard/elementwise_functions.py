"""The array API's elementwise functions, made from the op table.

The one idea: a function is a line: what it says, and an example that the tests run.  Names, signatures and dtype
checks follow from the op table, so an op that has a line here needs no code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.conversions import converted
from weft.api.destination import into
from weft.errors import DTypeError, ValueRangeError
from weft.interop.device_moves import placed
from weft.interop.imports import asarray, check_conversion, copied
from weft.ir.atoms import affine
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS, PARTIAL, resolve
from weft.runtime.default_dtype import default_of
from weft.runtime.fork_safety import late
from weft.tensors import tensor
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, binary, handle, node_of, unary, wrap

_KINDS = {
    "all": "any dtype", "numeric": "numbers", "real": "real numbers", "integer": "integers",
    "bits": "bools and integers", "float": "floats", "complex": "complex numbers", "bool": "bools",
    "ordered": "bools and real numbers",
}  # fmt: skip
_NUMBERS = (bool, int, float, complex)  # each holds those before it


_modes = partial(late, "weft.modes.math_modes")  # loaded when a mode is first asked for


def _document(function: Callable[..., Any], name: str, what: str, call: str, shown: str, operands: str = "") -> None:
    function.__name__ = function.__qualname__ = name
    moded = "    `mode` is one of those of `weft.math_mode`.\n\n" if name in PARTIAL else ""
    function.__doc__ = (
        f"{what[0].upper()}{what[1:]}, cell by cell.  Operands: {operands or _KINDS[OPS[name].accepts]}.\n\n{moded}"
        "    With out=, a tensor or array of the result's shape, the result is written there, and that is given.\n\n"
        f"    >>> import weft\n    >>> weft.{name}({call}).tolist()\n    {shown}\n    "
    )


def _unary(name: str, what: str, example: str, shown: str) -> Callable[..., Tensor]:
    op = OPS[name]

    def function(x: Any, /, *, out: Any = None) -> Tensor:
        made = unary(op, x if type(x) is Tensor else tensor.IMPORT(x))
        return made if out is None else into(out, made, name)

    def moded(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor:
        x = x if type(x) is Tensor else tensor.IMPORT(x)
        if mode is None:
            made = unary(op, x)
        else:
            with _modes().math_mode(mode):
                made = unary(op, x)
        return made if out is None else into(out, _modes().with_room(out, made, name, x), name)

    function = moded if name in PARTIAL else function
    _document(function, name, what, f"weft.asarray({example})", shown)
    return function


def _first(x1: Any, x2: Any) -> Tensor:
    """Return x1 as a tensor, where neither operand is one; two Python numbers take the dtype that holds both."""
    if type(x1) in _NUMBERS and type(x2) in _NUMBERS[_NUMBERS.index(type(x1)) + 1 :]:
        return asarray(x1, dtype=default_of(type(x2)))
    return tensor.IMPORT(x1)


def _binary(name: str, what: str, example: str, shown: str) -> Callable[..., Tensor]:
    op = OPS[name]

    def function(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor:
        if type(x1) is not Tensor and type(x2) is not Tensor:
            x1 = _first(x1, x2)
        made = binary(op, x1, x2)
        return made if out is None else into(out, made, name)

    def moded(x1: Any, x2: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor:
        if type(x1) is not Tensor and type(x2) is not Tensor:
            x1 = _first(x1, x2)
        if mode is None:
            made = binary(op, x1, x2)
        else:
            with _modes().math_mode(mode):
                made = binary(op, x1, x2)
        return made if out is None else into(out, _modes().with_room(out, made, name, x1, x2), name)

    function = moded if name in PARTIAL else function
    _document(function, name, what + ", with broadcasting", _call(example), shown)
    return function


def _call(example: str) -> str:
    first, _, second = example.partition("; ")
    return f"weft.asarray({first}), {second}" if "[" not in second else f"weft.asarray({first}), weft.asarray({second})"


def _truth(x: Any, name: str) -> Any:
    """Return an operand of a logical function as bools: True where a cell is not zero."""
    if type(x) in (bool, int, float, complex):
        return bool(x)
    x = x if type(x) is Tensor else tensor.IMPORT(x)
    if x.dtype is dt.bool:
        return x
    if Limits.watcher is not None:
        Limits.watcher.taken(name, [node_of(x)], dt.bool)
    return wrap(ir.locate(ir.astype(node_of(x), dt.bool), 4))


def _logical(name: str, what: str, example: str, shown: str) -> Callable[..., Tensor]:
    op = OPS[name]

    def function(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor:
        x1, x2 = _truth(x1, name), _truth(x2, name)
        made = binary(op, x1 if type(x2) is Tensor else _as_tensor(x1), x2)
        return made if out is None else into(out, made, name)

    _document(function, name, what + ", with broadcasting", _call(example), shown, "any dtype; what is not 0 is true")
    return function


def _as_tensor(x: Any) -> Tensor:
    return x if type(x) is Tensor else tensor.IMPORT(x)


def logical_not(x: Any, /, *, out: Any = None) -> Tensor:
    """Return NOT x, cell by cell.  Operands: any dtype; cells that are not 0 count as true.

    >>> import weft
    >>> weft.logical_not(weft.asarray([True, False])).tolist(), weft.logical_not(weft.asarray([0.0, 2.0])).tolist()
    ([False, True], [True, False])
    """
    made = unary(OPS["logical_not"], _as_tensor(_truth(x, "logical_not")))
    return made if out is None else into(out, made, "logical_not")


def real(x: Any, /) -> Tensor:
    """Return the real part, cell by cell, as a view: a write to it shows in x.

    Operands: numbers; real ones give x itself.

    >>> import weft
    >>> z = weft.asarray([1 + 2j])
    >>> weft.real(z)[0] = 5
    >>> z.tolist()
    [(5+2j)]
    """
    x = x if type(x) is Tensor else tensor.IMPORT(x)
    n = node_of(x)
    if n.desc.dtype.kind == "complex":
        return handle(x, affine.part(n, "real"))
    resolve(OPS["real"], n.desc.dtype)
    return handle(x, affine.permute(n, range(n.desc.ndim)))


def imag(x: Any, /) -> Tensor:
    """Return the imaginary part, cell by cell, as a view: a write to it shows in x.

    Operands: numbers; real ones give zeros that cannot be written.

    >>> import weft
    >>> weft.imag(weft.asarray([1 + 2j])).tolist(), weft.imag(weft.asarray([3.0])).tolist()
    ([2.0], [0.0])
    """
    x = x if type(x) is Tensor else tensor.IMPORT(x)
    n = node_of(x)
    if n.desc.dtype.kind == "complex":
        return handle(x, affine.part(n, "imag"))
    dtype = resolve(OPS["real"], n.desc.dtype)[1]
    zero = wrap(ir.stored(ir.describe(dtype, (), (), False, None, True), np.zeros((), dtype.np)))
    zero = placed(zero, x.device)
    zeros = affine.broadcast_to(node_of(zero), n.desc.shape)
    return handle(zero, zeros if n.desc.origin is None else affine.translate(zeros, n.desc.origin))


def fabs(x: Any, /, *, out: Any = None) -> Tensor:
    """Return the absolute value in x's own dtype, cell by cell; complex numbers give (modulus, 0).

    >>> import weft
    >>> weft.fabs(weft.asarray([3 - 4j])).tolist(), weft.fabs(weft.asarray([-2])).tolist()
    ([(5+0j)], [2])
    """
    x = _as_tensor(x)
    made = wrap(ir.locate(ir.astype(ir.elementwise(OPS["abs"], node_of(x)), x.dtype)))
    return made if out is None else into(out, made, "fabs")


def _infinite(name: str, bound: float, shown: str) -> Callable[..., Tensor]:
    def function(x: Any, /, *, out: Any = None) -> Tensor:
        x = _as_tensor(x)
        if x.dtype.kind == "complex":
            raise DTypeError(
                f"{name}: {x.dtype.name} operands; complex numbers have no sign; ask real(x) and imag(x), or isinf(x)"
            )
        resolve(OPS["isinf"], x.dtype)
        made = binary(OPS["equal"], x, bound) if x.dtype.kind == "float" else unary(OPS["isinf"], x)
        return made if out is None else into(out, made, name)

    what = f"whether {'positive' if bound > 0 else 'negative'} infinity"
    _document(function, name, what, "weft.asarray([weft.inf, -weft.inf, weft.nan])", shown, "bools and real numbers")
    return function


isposinf = _infinite("isposinf", float("inf"), "[True, False, False]")
isneginf = _infinite("isneginf", float("-inf"), "[False, True, False]")

abs = _unary("abs", "the absolute value (of a complex number, its modulus)", "[-1.5, 2.0]", "[1.5, 2.0]")
acos = _unary("acos", "the inverse cosine", "[1.0]", "[0.0]")
acosh = _unary("acosh", "the inverse hyperbolic cosine", "[1.0]", "[0.0]")
asin = _unary("asin", "the inverse sine", "[0.0]", "[0.0]")
asinh = _unary("asinh", "the inverse hyperbolic sine", "[0.0]", "[0.0]")
atan = _unary("atan", "the inverse tangent", "[0.0]", "[0.0]")
atanh = _unary("atanh", "the inverse hyperbolic tangent", "[0.0]", "[0.0]")
bitwise_invert = _unary("bitwise_invert", "every bit inverted", "[0, 5]", "[-1, -6]")
cbrt = _unary("cbrt", "the cube root", "[27.0, -8.0]", "[3.0, -2.0]")
ceil = _unary("ceil", "the least integer not below", "[1.2, -1.2]", "[2.0, -1.0]")
erf = _unary("erf", "the error function", "[0.0, 6.0]", "[0.0, 1.0]")
erfc = _unary("erfc", "1 - erf(x), also where that is small", "[0.0, 30.0]", "[1.0, 0.0]")
conj = _unary("conj", "the complex conjugate", "[1 + 2j]", "[(1-2j)]")
cos = _unary("cos", "the cosine", "[0.0]", "[1.0]")
cosh = _unary("cosh", "the hyperbolic cosine", "[0.0]", "[1.0]")
exp = _unary("exp", "e to the power of the operand", "[0.0]", "[1.0]")
exp10 = _unary("exp10", "10 to the power of the operand", "[0.0, 2.0]", "[1.0, 100.0]")
exp2 = _unary("exp2", "2 to the power of the operand", "[0.0, 3.0]", "[1.0, 8.0]")
expm1 = _unary("expm1", "e to the power of the operand, minus 1, accurate near 0", "[0.0]", "[0.0]")
floor = _unary("floor", "the greatest integer not above", "[1.2, -1.2]", "[1.0, -2.0]")
isfinite = _unary("isfinite", "whether neither infinite nor NaN", "[1.0, weft.inf, weft.nan]", "[True, False, False]")
isinf = _unary("isinf", "whether infinite", "[1.0, weft.inf, weft.nan]", "[False, True, False]")
isnan = _unary("isnan", "whether NaN", "[1.0, weft.inf, weft.nan]", "[False, False, True]")
log = _unary("log", "the natural logarithm", "[1.0]", "[0.0]")
log10 = _unary("log10", "the logarithm to base 10", "[1.0, 1000.0]", "[0.0, 3.0]")
log1p = _unary("log1p", "the natural logarithm of 1 plus the operand, accurate near 0", "[0.0]", "[0.0]")
log2 = _unary("log2", "the logarithm to base 2", "[1.0, 8.0]", "[0.0, 3.0]")
negative = _unary("negative", "the negative", "[1, -2]", "[-1, 2]")
positive = _unary("positive", "the operand, as a value of its own", "[1, -2]", "[1, -2]")
reciprocal = _unary("reciprocal", "1 divided by the operand", "[2.0, 4.0]", "[0.5, 0.25]")
round = _unary("round", "the nearest integer, ties to even", "[0.5, 1.5, 2.4]", "[0.0, 2.0, 2.0]")
sign = _unary("sign", "the sign: -1, 0 or 1 (z / |z| for complex numbers)", "[-3, 0, 7]", "[-1, 0, 1]")
signbit = _unary("signbit", "whether the sign bit is set", "[-0.0, 0.0]", "[True, False]")
sin = _unary("sin", "the sine", "[0.0]", "[0.0]")
sinh = _unary("sinh", "the hyperbolic sine", "[0.0]", "[0.0]")
sqrt = _unary("sqrt", "the square root", "[4.0, 9.0]", "[2.0, 3.0]")
square = _unary("square", "the square", "[2, -3]", "[4, 9]")
tan = _unary("tan", "the tangent", "[0.0]", "[0.0]")
tanh = _unary("tanh", "the hyperbolic tangent", "[0.0]", "[0.0]")
trunc = _unary("trunc", "the integer nearest towards zero", "[1.7, -1.7]", "[1.0, -1.0]")

add = _binary("add", "x1 + x2", "[1, 2]; 10", "[11, 12]")
atan2 = _binary("atan2", "the angle of the point (x2, x1)", "[0.0]; 1.0", "[0.0]")
bitwise_and = _binary("bitwise_and", "bitwise and", "[6, 3]; 2", "[2, 2]")
bitwise_left_shift = _binary("bitwise_left_shift", "bits shifted left (0 from the width on)", "[1, 3]; 4", "[16, 48]")
bitwise_or = _binary("bitwise_or", "bitwise or", "[6, 3]; 8", "[14, 11]")
bitwise_right_shift = _binary("bitwise_right_shift", "bits shifted right, keeping the sign", "[16, -16]; 2", "[4, -4]")
bitwise_xor = _binary("bitwise_xor", "bitwise exclusive or", "[6, 3]; 2", "[4, 1]")
copysign = _binary("copysign", "the magnitude of x1 with the sign of x2", "[1.0, -2.0]; -0.0", "[-1.0, -2.0]")
divide = _binary("divide", "x1 / x2", "[1, 2]; 4", "[0.25, 0.5]")
equal = _binary("equal", "whether x1 == x2", "[1, 2]; 2", "[False, True]")
floor_divide = _binary("floor_divide", "the floor of x1 / x2 (0 where integers divide by 0)", "[7, -7]; 2", "[3, -4]")
fmax = _binary("fmax", "the greater (NaN only where both are)", "[weft.nan, 5.0]; 3.0", "[3.0, 5.0]")
fmin = _binary("fmin", "the lesser (NaN only where both are)", "[weft.nan, 5.0]; 3.0", "[3.0, 3.0]")
fmod = _binary(
    "fmod", "the remainder of x1 / x2, with the sign of x1 (0 where integers divide by 0)", "[7, -7]; 4", "[3, -3]"
)
greater = _binary("greater", "whether x1 > x2", "[1, 2, 3]; 2", "[False, False, True]")
greater_equal = _binary("greater_equal", "whether x1 >= x2", "[1, 2, 3]; 2", "[False, True, True]")
hypot = _binary("hypot", "the square root of x1² + x2², without overflow", "[3.0]; 4.0", "[5.0]")
less = _binary("less", "whether x1 < x2", "[1, 2, 3]; 2", "[True, False, False]")
less_equal = _binary("less_equal", "whether x1 <= x2", "[1, 2, 3]; 2", "[True, True, False]")
logaddexp = _binary("logaddexp", "log(exp(x1) + exp(x2)), without overflow", "[2.0]; -weft.inf", "[2.0]")
maximum = _binary("maximum", "the greater (NaN wins, and +0 over -0)", "[1, 5]; 3", "[3, 5]")
minimum = _binary("minimum", "the lesser (NaN wins, and -0 over +0)", "[1, 5]; 3", "[1, 3]")
multiply = _binary("multiply", "x1 · x2", "[1, 2]; 10", "[10, 20]")
nextafter = _binary("nextafter", "the next value after x1 towards x2", "[1.0]; 2.0", "[1.0000000000000002]")
not_equal = _binary("not_equal", "whether x1 != x2", "[1, 2]; 2", "[True, False]")
pow = _binary("pow", "x1 to the power of x2", "[2, 3]; 2", "[4, 9]")
remainder = _binary(
    "remainder", "the remainder of x1 / x2, with the sign of x2 (0 where integers divide by 0)", "[7, -7]; 4", "[3, 1]"
)
subtract = _binary("subtract", "x1 - x2", "[1, 2]; 10", "[-9, -8]")
trunc_divide = _binary(
    "trunc_divide", "the integer part of x1 / x2 (0 where integers divide by 0)", "[7, -7]; 2", "[3, -3]"
)

logical_and = _logical("logical_and", "and", "[True, False]; True", "[True, False]")
logical_or = _logical("logical_or", "or", "[True, False]; True", "[True, True]")
logical_xor = _logical("logical_xor", "exclusive or", "[0, 2]; [0.5, 0.5]", "[True, False]")


def clip(x: Any, /, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    """Limit x to [min, max], cell by cell; bounds broadcast, NaN stays NaN, and where min > max the result is max.

    Raises ShapeError where shapes do not broadcast, DTypeError for bounds that are no numbers.

    >>> import weft
    >>> weft.clip(weft.asarray([1, 5, 9]), 2, 8).tolist()
    [2, 5, 8]
    """
    x = x if type(x) is Tensor else tensor.IMPORT(x)
    kept = x.dtype
    made = x
    for bound, op in ((min, OPS["maximum"]), (max, OPS["minimum"])):
        if bound is not None:
            bound = bound if type(bound) is Tensor else _held(bound, kept)
            made = binary(op, made, bound)
    if made is x:
        made = copied(x)
    made = made if made.dtype is kept else wrap(ir.locate(ir.astype(node_of(made), kept)))
    return made if out is None else into(out, made, "clip")


def _held(bound: Any, dtype: dt.DType) -> Any:
    """Return a Python bound limited to the range of a dtype; an integer beyond it bounds nothing."""
    if type(bound) is int and dtype.is_integer:
        limits = dt.integer_limits(dtype)
        return limits.max if bound > limits.max else limits.min if bound < limits.min else bound
    return bound


def length(squared: Tensor, root: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the root of a sum of squares (or other powers); its gradient is 0 where the sum is 0.

    Of the subgradients of a length at 0 that is the shortest, as for `abs`.
    """
    traits = node_of(squared).traits
    if traits is None or traits.record is None:
        return root(squared)
    none = binary(OPS["equal"], squared, 0)
    return where(none, squared, root(where(none, 1, squared)))


def fill_nan(x: Any, value: Any, /, *, out: Any = None) -> Tensor:
    """Replace every NaN by a value (a number or a tensor that broadcasts); `out=x` replaces them in x itself.

    >>> import weft
    >>> x = weft.asarray([weft.nan, 3.0])
    >>> weft.fill_nan(x, 0).tolist(), weft.fill_nan(x, weft.inf, out=x) is x, x.tolist()
    ([0.0, 3.0], True, [inf, 3.0])
    """
    x = _as_tensor(x)
    made = where(unary(OPS["isnan"], x), value, x) if x.dtype.is_inexact else copied(x)
    return made if out is None else into(out, made, "fill_nan")


def where(condition: Any, x1: Any, x2: Any, /, *, out: Any = None) -> Tensor:
    """Return x1 where the condition is true, else x2; all three broadcast.

    Raises DTypeError for a condition that is not bool, ShapeError where shapes do not broadcast.

    >>> import weft
    >>> weft.where(weft.asarray([True, False]), 1, 2).tolist()
    [1, 2]
    """
    c = condition if type(condition) is Tensor else tensor.IMPORT(condition)
    if c.dtype is not dt.bool:
        raise DTypeError(f"where: a condition of dtype {c.dtype.name}; it must be bool; compare it, as in x != 0")
    if type(x1) is not Tensor and type(x2) is not Tensor:
        x1 = _first(x1, x2)
    like = x1.dtype if type(x1) is Tensor else x2.dtype
    a, b = tensor.operand(x1, like, "where"), tensor.operand(x2, like, "where")
    joined = dt.promote(a.desc.dtype, b.desc.dtype)
    a, b = ir.astype(a, joined), ir.astype(b, joined)
    inputs = (node_of(c), a, b)
    shape, origin = ir.broadcast_domains("where", [i.desc for i in inputs])
    made = wrap(ir.locate(ir.make(OPS["where"], inputs, (), ir.result(joined, shape, origin))))
    return made if out is None else into(out, made, "where")


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None, mode: str | None = None) -> Tensor:
    """Convert x to a dtype: floats to integers truncate and saturate (NaN gives 0), integers wrap, bool is != 0.

    With copy=False and the same dtype the result is x itself.  `mode` says what else is to become of values that the
    dtype does not hold: "saturate", "wrap", "warn", "error" (when the value is looked at), or "exact" (at once).

    >>> import weft
    >>> weft.astype(weft.asarray([1.7, -1.7]), weft.int8).tolist()
    [1, -1]
    """
    x = placed(x if type(x) is Tensor else tensor.IMPORT(x), device)
    wanted, order = dt.spelled(dtype)
    if order == "big" and wanted.itemsize > 1:
        raise ValueRangeError(
            f"astype: {dtype!r} names a byte order; results are native; pass weft.{wanted.name}, or asarray(dtype=)"
        )
    check_conversion("astype", x.dtype, wanted)
    node = node_of(x)
    made = ir.astype(node, wanted) if mode is None else converted(node, wanted, mode)
    if made is node:
        return copied(x) if copy else x
    return wrap(ir.locate(made if tensor.MODED is None or mode is not None else tensor.MODED(made)))


__all__ = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert",
    "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "cbrt", "ceil", "clip", "conj",
    "copysign", "cos", "cosh", "divide", "equal", "erf", "erfc", "exp", "exp2", "exp10", "expm1", "fabs", "fill_nan",
    "floor", "floor_divide", "fmax", "fmin", "fmod", "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf",
    "isnan", "isneginf", "isposinf", "less", "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "nextafter", "not_equal",
    "positive", "pow", "real", "reciprocal", "remainder", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square",
    "subtract", "tan", "tanh", "trunc", "trunc_divide", "where",
]  # fmt: skip
