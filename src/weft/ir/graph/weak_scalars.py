"""Weak scalars: the dtype of a Python number beside a tensor.

The one idea: the number's kind decides, not its value; an integer that the dtype cannot hold is an error in arithmetic,
while comparisons with it are still exact.
"""

from __future__ import annotations

from functools import cache

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ValueRangeError
from weft.ir.graph.node import Node, apply, elementwise, number, scalar
from weft.ir.graph.ops import OPS, Op
from weft.ir.graph.traced import TracedNumber, of_traced

Scalar = bool | int | float | complex | TracedNumber
SCALARS = (bool, int, float, complex, TracedNumber)
COMPARISONS = frozenset(OPS[n] for n in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"))
MIRRORED = {
    "less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal",
    "equal": "equal", "not_equal": "not_equal",
}  # fmt: skip
_ABOVE = {  # x op v where v is over the greatest integer: a comparison with the greatest that says the same
    "less": "less_equal", "less_equal": "less_equal", "not_equal": "less_equal",
    "greater": "greater", "greater_equal": "greater", "equal": "greater",
}  # fmt: skip
_BELOW = {name: MIRRORED[_ABOVE[MIRRORED[name]]] for name in MIRRORED}  # the same for v under the least
_OVER_ALL = {"less_equal": "less", "greater": "greater_equal"}  # x op v for finite x: a comparison with infinity
_UNDER_ALL = {MIRRORED[name]: MIRRORED[other] for name, other in _OVER_ALL.items()}


def weak_scalar(x: Scalar, like: DType, name: str) -> Node:
    """Return a Python number as a scalar node of the dtype that it has beside `like`.

    Raises ValueRangeError if this dtype cannot hold an integer x; `name` is for the message.
    """
    if type(x) is TracedNumber:
        dtype = weak_scalar(x.sample, like, name).desc.dtype
        return number(weak_number(x, like, name), dtype)
    d, least, greatest = _weak_dtype(type(x), like)  # type: ignore[arg-type]
    if type(x) is int:
        if least is None:
            x = _as_float(x)
        elif not least <= x <= greatest:
            raise ValueRangeError(
                f"{name}: {x} beside {like.name}; {d.name} holds {least} to {greatest}; "
                "convert the tensor to a wider dtype first, with astype()"
            )
    return scalar(x, d)  # type: ignore[arg-type]  # it is no traced one


@of_traced
def weak_number(x: Scalar, like: DType, name: str) -> Scalar:
    """Return the number of the node weak_scalar(x, like, name); raises ValueRangeError if its dtype cannot hold x."""
    return weak_scalar(x, like, name).attrs[0]


@cache
def _weak_dtype(kind: type, like: DType) -> tuple[DType, int | None, int]:
    """Return (dtype, least, greatest) of a number of type `kind` beside `like`.

    Unless the dtype is an integer one, least is None.
    """
    d = dt.weak(kind, like)
    return (d, dt.integer_limits(d).min, dt.integer_limits(d).max) if d.is_integer else (d, None, 0)


def _as_float(x: int) -> float:
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def compare_beyond(op: Op, x: Node, value: int) -> Node | None:
    """Return the node of `x op value` for an integer `value` that x's dtype cannot hold; None if it can."""
    d = dt.weak(int, x.desc.dtype)
    if d.is_integer:
        limits = dt.integer_limits(d)
        if limits.min <= value <= limits.max:
            return None
        kept, bound = (_ABOVE, limits.max) if value > 0 else (_BELOW, limits.min)
        return apply(kept[op.name], x, scalar(bound, d))
    if abs(value) <= dt.float_limits(d.real).max:
        return None
    if op.name in ("equal", "not_equal"):
        return elementwise(op, x, scalar(float("nan"), d))
    if d.kind == "complex":  # v lies beside the greatest finite real part with whatever imaginary part
        kept, sign = (_ABOVE, 1.0) if value > 0 else (_BELOW, -1.0)
        beside = complex(sign * float(dt.float_limits(d.real).max), sign * float("inf"))
        return apply(kept[op.name], x, scalar(beside, d))
    # finite numbers lie on one side of v, the infinity of its sign on the other
    strict = _OVER_ALL if value > 0 else _UNDER_ALL
    return apply(strict.get(op.name, op.name), x, scalar(_as_float(value) * float("inf"), d))
