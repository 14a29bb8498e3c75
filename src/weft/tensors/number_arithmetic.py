"""Arithmetic of numbers: operators on cells that were read, computed at once.

The one idea: Python's integers are exact and its floats are float64, so its operators give the bits of the kernels: of
integers as long as none overflows, of float32 once the result is rounded.  A node, a program and a run for one number
would take ten times as long.  Other functions of numbers have a program each, which is looked up at once.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from ctypes import c_float
from typing import Any, NamedTuple

import numpy as np

from weft import callbacks
from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.ops import OPS, Op, resolve
from weft.passes.switches import OPEN
from weft.runtime.compute import stages
from weft.tensors.pending_limits import Limits
from weft.tensors.place import NumberPlace
from weft.tensors.tensor import Tensor, of_number
from weft.tensors.tracing import Trace

EXACT = 1 << 53  # integers up to which float64 holds each
_Functions = dict[str, Callable[..., Any]]
_COMPARING: _Functions = {
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
_BITS: _Functions = {"bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor}
_SUMS: _Functions = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul}
_SIGNS: _Functions = {"abs": abs, "negative": operator.neg}


def _maximum(x: Any, y: Any) -> Any:
    """Return the greater of two numbers; raises ValueError for NaNs and zeros, whose signs count."""
    if x == y == 0 or x != x or y != y:
        raise ValueError
    return max(x, y)


def _minimum(x: Any, y: Any) -> Any:
    """Return the smaller of two numbers; raises ValueError for NaNs and zeros, whose signs count."""
    return -_maximum(-x, -y)


_BOUNDS: _Functions = {"maximum": _maximum, "minimum": _minimum}
_WHOLE: _Functions = {"floor_divide": operator.floordiv, "remainder": operator.mod, **_BITS, **_SIGNS}
_OF_INTEGERS: _Functions = {**_COMPARING, **_SUMS, **_BOUNDS, **_WHOLE}
_OF_FLOATS: _Functions = {**_COMPARING, **_SUMS, **_BOUNDS, **_SIGNS, "divide": operator.truediv, "sqrt": math.sqrt}
_TABLES: dict[str, tuple[type, _Functions]] = {
    "bool": (bool, {**_COMPARING, **_BITS}), "int": (int, _OF_INTEGERS), "uint": (int, _OF_INTEGERS),
    "float": (float, _OF_FLOATS),
}  # fmt: skip
_MULTIPLY, _POW, _SCALAR, _SQRT = OPS["multiply"], OPS["pow"], OPS["scalar"], OPS["sqrt"]
ROUNDED = (2, 0.5, -1)  # exponents of powers that are products, roots and quotients: correctly rounded
_WEAK = frozenset([bool, int, float])
_OF_NUMPY: dict[type, tuple[DType, type]] = {np.int64: (dt.int64, int), np.float64: (dt.float64, float)}


class _Rule(NamedTuple):
    """Python's function for an op, the type of its operands, and the range of its result, if limited.

    `converts`: the operands may be of another type.  `is_rounded`: the result is rounded to float32.
    """

    function: Callable[..., Any]
    kind: type
    converts: bool
    desc: TensorDescription
    least: Any
    most: Any
    is_rounded: bool


_Key = tuple[Any, ...]  # an op and the dtypes of its operands
_RULES: dict[_Key, _Rule | None] = {}
_DIRECT: dict[_Key, TensorDescription] = {}  # of the results of ops without a rule that convert no operand


def of_numbers(op: Op, p: NumberPlace, other: Any, swapped: bool = False) -> Tensor | None:
    """Return the result of an operation on the number of a place and another number, which `swapped` comes first.

    None for other operands, integers that are out of range, some powers, and while modes or observers see operations.
    Raises DTypeError for operands that the op does not accept.
    """
    x, d, kind = p.number, p.desc.dtype, type(other)
    if kind is Tensor:
        q = other._place
        if type(q) is not NumberPlace or other._view is not None:
            return None
        y, e = q.number, q.desc.dtype
    elif kind in _WEAK:
        y, e = other, dt.weak(kind, d)
        if kind is int and not _is_held(y, e):
            return None
        if op is _POW and not swapped and y in ROUNDED:
            if y == 0.5 and e.kind == "float" and x > 0 and not _is_watched():
                return _made((_SQRT, e), (float(x),))
            if y != 2 or d.kind == "bool":
                return None
            op, x = _MULTIPLY, float(x) if e is not d else x
            y, d = x, e
        elif e is dt.float32:
            y = c_float(y).value
    elif kind in _OF_NUMPY:
        e, of = _OF_NUMPY[kind]
        y = of(other)
    else:
        return None
    if _is_watched():
        return None
    return _made((op, e, d), (y, x)) if swapped else _made((op, d, e), (x, y))


def of_number_alone(op: Op, p: NumberPlace) -> Tensor | None:
    """Return the result of an operation on the number of a place; None while modes or observers see operations.

    Raises DTypeError for a dtype that the op does not accept.
    """
    return None if _is_watched() else _made((op, p.desc.dtype), (p.number,))


def _made(key: _Key, numbers: tuple[Any, ...]) -> Tensor | None:
    """Return the result of an operation on numbers: by Python if that gives the kernel's bits, else by a program.

    `key` is the op and the numbers' dtypes. None for dtypes that NumPy lacks.
    """
    rule = _RULES.get(key)
    if rule is None and key not in _RULES:
        rule = _RULES[key] = _rule_of(*key)
    if rule is not None:
        try:
            made = rule.function(*(map(rule.kind, numbers) if rule.converts else numbers))
        except (ZeroDivisionError, ValueError):
            pass  # the program gives what is not finite
        else:
            made = c_float(made).value if rule.is_rounded else made
            if rule.least is None or rule.least <= made <= rule.most:
                return of_number(made, rule.desc)
    elif (desc := _DIRECT.get(key)) is not None:
        made = stages.made_of_numbers(key[0], desc, key[1:], numbers)
        if made is not None:
            return of_number(made, desc)
    n = ir.elementwise(key[0], *map(ir.scalar, numbers, key[1:]))
    if n.desc.dtype.np.isbuiltin != 1:
        return None
    if all(i.op is _SCALAR for i in n.inputs):
        _DIRECT[key] = n.desc
    stages.compute([n])
    return of_number(n.value.item(), n.desc)


def _rule_of(op: Op, *dtypes: DType) -> _Rule | None:
    """Return the rule by which Python computes an op on numbers of the given dtypes; None if there is none.

    Raises DTypeError for operands that the op does not accept.
    """
    compute, out = resolve(op, *dtypes)
    kind, functions = _TABLES.get(compute.kind, (float, {}))
    if op.name not in functions or (kind is float and compute not in (dt.float32, dt.float64)):
        return None
    least, most = dt.limits_of(out) if out.is_integer else (None, None)
    converts = any(d is not compute for d in dtypes)
    return _Rule(functions[op.name], kind, converts, ir.result(out, ()), least, most, out is dt.float32)


def _is_held(x: int, dtype: DType) -> bool:
    """True if a dtype has an integer as it is."""
    least, most = dt.limits_of(dtype) if dtype.is_integer else (-EXACT, EXACT)
    return bool(least <= x <= most)


def _is_watched() -> bool:
    """True if modes or observers watch every operation."""
    return bool(OPEN or Trace.active) or callbacks.MODED is not None or Limits.depth < 0
