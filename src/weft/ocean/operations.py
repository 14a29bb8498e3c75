"""Ocean's element-wise operations and products: f(A, B, destination, mode).

The one idea: a destination follows the operands, and the call then returns None; a mode is "-", "w", "e" or "c".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import weft
from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph.ops import PARTIAL
from weft.tensors.tensor import Tensor

MODES = {"-": "standard", "w": "warn", "e": "error", "c": "complex"}
_ONE = (
    "negative reciprocal fabs absolute sign ceil floor trunc round conj square sin cos tan sinh cosh tanh arcsin "
    "arccos arctan arcsinh arccosh arctanh exp exp2 exp10 expm1 log log2 log10 log1p sqrt cbrt isinf isnan isfinite "
    "isposinf isneginf logicalNot bitwiseNot"
)
_TWO = (
    "add subtract scale trueDivide floorDivide mod fmod power min max fmin fmax logicalAnd logicalOr logicalXor "
    "bitwiseAnd bitwiseOr bitwiseXor bitshiftLeft bitshiftRight"
)
_OPERANDS = dict.fromkeys(_ONE.split(), 1) | dict.fromkeys(_TWO.split(), 2)
_WEFT = {
    "absolute": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "logicalNot": "logical_not", "bitwiseNot": "bitwise_invert", "scale": "multiply",
    "trueDivide": "trunc_divide", "floorDivide": "floor_divide", "mod": "remainder", "power": "pow", "min": "minimum",
    "max": "maximum", "logicalAnd": "logical_and", "logicalOr": "logical_or", "logicalXor": "logical_xor",
    "bitwiseAnd": "bitwise_and", "bitwiseOr": "bitwise_or", "bitwiseXor": "bitwise_xor",
    "bitshiftLeft": "bitwise_left_shift", "bitshiftRight": "bitwise_right_shift",
}  # fmt: skip


def rest(name: str, more: tuple[Any, ...]) -> dict[str, Any]:
    """Return the arguments after the operands as keywords: `out` for the destination, `mode` for a text.

    None is skipped. Raises ValueRangeError for two destinations or modes, and a mode that operation `name` lacks.
    """
    keywords: dict[str, Any] = {}
    for given in more:
        if given is None:
            continue
        what, value = ("mode", _mode(name, given)) if isinstance(given, str) else ("out", given)
        if what in keywords:
            raise ValueRangeError(f"{name}: two of destination or mode; there is one of each; leave one out")
        keywords[what] = value
    return keywords


def _mode(name: str, given: str) -> str:
    """Return weft's name of the math mode `given` as one character.

    Raises ValueRangeError if there is no such mode, or operation `name` is defined for every number and has none.
    """
    if given not in MODES:
        raise ValueRangeError(f"{name}: mode {given!r}; modes are '-', 'w', 'e' and 'c'; give one of these")
    if name != "divide" and _WEFT.get(name, name) not in PARTIAL:
        raise ValueRangeError(f"{name}: mode {given!r}; it is defined for every number; leave the mode out")
    return MODES[given]


def called(function: Callable[..., Any], operands: tuple[Any, ...], keywords: dict[str, Any]) -> Tensor | None:
    """Return function(*operands, **keywords), or None if `keywords` names a destination `out`."""
    made = function(*operands, **keywords)
    return None if "out" in keywords else made


def _operation(name: str, arity: int) -> Callable[..., Tensor | None]:
    """Return Ocean's function `name`, which takes `arity` operands, then a destination and a mode.

    It raises ValueRangeError for arguments after the operands that are neither, and what weft's function raises.
    """
    function = getattr(weft, _WEFT.get(name, name))

    def operation(*operands: Any) -> Tensor | None:
        return called(function, operands[:arity], rest(name, operands[arity:]))

    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = (
        f"Return `weft.{_WEFT.get(name, name)}` of {'an operand' if arity == 1 else f'{arity} operands'}.\n\n"
        "    A destination and a math mode may follow the operands; with a destination, the result is written there\n"
        "    and None is returned. Raises ValueRangeError for another argument, and the errors of the function.\n    "
    )
    return operation


def divide(A: Any, B: Any, *more: Any) -> Tensor | None:
    """Return the quotient A / B: of integers its floor; divide(A, B[, destination][, mode]).

    With a destination, writes the result there and returns None. Raises ShapeError if A and B do not broadcast,
    ValueRangeError for an unknown mode.

    >>> from weft import ocean
    >>> ocean.divide([4, 5], [-3, 2]).tolist(), ocean.divide([1.0], [2.0]).tolist()
    ([-2, 2], [0.5])
    """
    a, b = (x if isinstance(x, (bool, int, float, complex)) else weft.asarray(x) for x in (A, B))
    function = weft.divide if weft.result_type(a, b).is_inexact else weft.floor_divide
    return called(function, (a, b), rest("divide", more))


def fill(A: Tensor, value: Any) -> None:
    """Set every cell of A to a value; raises DTypeError if A is no tensor."""
    if not isinstance(A, Tensor):
        raise DTypeError(f"fill: a {type(A).__name__}; only tensors are filled; use asTensor()")
    A[...] = value


def zero(A: Tensor) -> None:
    """Set every cell of A to 0; raises DTypeError if A is no tensor."""
    fill(A, 0)


def fillNaN(A: Tensor, value: Any) -> None:
    """Replace every NaN of the tensor A by `value`, in place.

    Raises WriteError if A is no tensor or cannot be written, DTypeError for a value that A cannot hold.
    """
    weft.fill_nan(A, value, out=A)


def gemm(alpha: Any, A: Any, *more: Any) -> Tensor | None:
    """Return alpha·op(A)·op(B) + beta·C: gemm(alpha, A[, opA], B[, opB][, beta, C]).

    op is "N" (the matrix), "T" (transposed) or "C" (conjugated, too). If C is given, writes the result there and
    returns None. Raises ValueRangeError for another op or number of operands, ShapeError for shapes that do not fit.

    >>> from weft import ocean
    >>> ocean.gemm(2, [[1, 2], [3, 4]], "T", [[1], [1]]).tolist()
    [[8], [12]]
    """
    (b, *scaled), flags = _flagged("gemm", more, (1, 3))
    beta, c = scaled or (0, None)
    made = weft.linalg.gemm(alpha, A, b, beta, c, transpose_a=flags[0], transpose_b=flags[1], out=c)
    return made if c is None else None


def multiply(A: Any, *more: Any) -> Tensor | None:
    """Return the matrix product op(A)·op(B): multiply(A[, opA], B[, opB][, C]).

    op is "N" (the matrix), "T" (transposed) or "C" (conjugated, too). If C is given, writes the result there and
    returns None. Raises ValueRangeError for another op or number of operands, ShapeError for shapes that do not fit.
    """
    (b, *into), flags = _flagged("multiply", more, (1, 2))
    return gemm(1, A, flags[0], b, flags[1], *((0, *into) if into else ()))


def _flagged(name: str, more: tuple[Any, ...], counts: tuple[int, int]) -> tuple[list[Any], list[str]]:
    """Return (operands after the first, the flags of both factors). A flag is a text after its matrix, "N" by default.

    Raises ValueRangeError for a third flag, or a number of operands that is not in `counts`.
    """
    flags, others = ["N", "N"], []
    for given in more:
        if not isinstance(given, str):
            others.append(given)
        elif len(others) < 2:
            flags[len(others)] = given
        else:
            raise ValueRangeError(f"{name}: flag {given!r} after the factors; it follows the matrix that it is for")
    if len(others) not in counts:
        raise ValueRangeError(
            f"{name}: {len(others)} operands after the first; there are {counts[0]} or {counts[1]}; see its description"
        )
    return others, flags


def transpose(x: Any) -> Tensor:
    """Return a view with the first two axes exchanged; missing axes count as 1, trailing axes of size 1 are dropped.

    Of three axes or more none is dropped. Raises DTypeError for an object without numbers.

    >>> from weft import ocean
    >>> v = ocean.asTensor([1, 2, 3])
    >>> ocean.transpose(v).shape, ocean.transpose(ocean.transpose(v)).shape
    ((1, 3), (3,))
    """
    x = weft.asarray(x)
    if x.ndim > 2:
        return weft.swapaxes(x, 0, 1)
    wide = x[(..., *[None] * (2 - x.ndim))]
    turned = weft.swapaxes(wide, 0, 1)
    while turned.ndim and turned.shape[-1] == 1:
        turned = weft.squeeze(turned, turned.ndim - 1)
    return turned


def ctranspose(x: Any) -> Tensor:
    """Return the conjugate of `transpose(x)`; of real numbers it is a view.

    Raises DTypeError for an object without numbers.
    """
    turned = transpose(x)
    return weft.conj(turned) if turned.dtype.kind == "complex" else turned


globals().update({name: _operation(name, arity) for name, arity in _OPERANDS.items()})

__all__ = [  # noqa: PLE0604
    *_OPERANDS, "ctranspose", "divide", "fill", "fillNaN", "gemm", "multiply", "transpose", "zero",
]  # fmt: skip
