"""Arithmetic of numbers: operators on cells that were read, computed by Python at once.

The one idea: Python's floats and integers are float64 and int64 as long as no integer overflows, so its operators give
the bits of the kernels; a node, a program and a run for one number would take ten times as long.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from weft import callbacks
from weft import dtypes as dt
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.ops import OPS, Op
from weft.passes.switches import OPEN
from weft.tensors.pending_limits import Limits
from weft.tensors.place import NumberPlace
from weft.tensors.tensor import Tensor, of_number
from weft.tensors.tracing import Trace

EXACT = 1 << 53  # integers up to which float64 holds each
LEAST, MOST = dt.integer_limits(dt.int64).min, dt.integer_limits(dt.int64).max
_FLOAT, _INT, _BOOL = [ir.result(d, ()) for d in (dt.float64, dt.int64, dt.bool)]
_COMPARING = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne",
}  # fmt: skip
_OF_FLOATS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv"}
_OF_INTS = {"add": "add", "subtract": "sub", "multiply": "mul", "floor_divide": "floordiv", "remainder": "mod"}
_FUNCTIONS = {  # (op, description of the operands) → Python's function, and the description of its result
    (OPS[name], d): (getattr(operator, theirs), made)
    for names, d, made in (
        (_OF_FLOATS, _FLOAT, _FLOAT), (_OF_INTS, _INT, _INT), (_COMPARING, _FLOAT, _BOOL), (_COMPARING, _INT, _BOOL)
    )
    for name, theirs in names.items()
}  # fmt: skip
_FUNCTIONS[OPS["divide"], _INT] = lambda x, y: float(x) / float(y), _FLOAT
_ALONE = {
    **{(OPS[name], d): f for name, f in (("abs", abs), ("negative", operator.neg)) for d in (_FLOAT, _INT)},
    (OPS["sqrt"], _FLOAT): math.sqrt,
}
_MULTIPLY, _POW = OPS["multiply"], OPS["pow"]
_MIXED = _FLOAT, _INT
_READ: dict[type, tuple[TensorDescription, type]] = {  # of numbers that are no tensors
    int: (_INT, int), bool: (_INT, int), np.int64: (_INT, int), np.float64: (_FLOAT, float),
}  # fmt: skip


def of_numbers(op: Op, p: NumberPlace, other: Any, swapped: bool = False) -> Tensor | None:
    """Return the result of an operation on the number of a place and another number, which `swapped` comes first.

    None for other operands, where a kernel gives other bits, and while modes or observers see each operation.
    """
    d, x = p.desc, p.number
    if _is_seen():
        return None
    if type(other) is Tensor:
        q = other._place
        if type(q) is not NumberPlace or other._view is not None:
            return None
        e, y = q.desc, q.number
    elif type(other) is float:
        e, y = _FLOAT, other
    elif op is _POW and type(other) is int:
        if other != 2 or swapped:
            return None
        op, e, y = _MULTIPLY, d, x
    elif (read := _READ.get(type(other))) is not None and (read[0] is _FLOAT or LEAST <= other <= MOST):
        e, y = read[0], read[1](other)
    else:
        return None
    if e is not d:
        if not (d in _MIXED and e in _MIXED and -EXACT <= (x if d is _INT else y) <= EXACT):
            return None
        d, x, y = _FLOAT, float(x), float(y)
    known = _FUNCTIONS.get((op, d))
    if known is None:
        return None
    try:
        made = known[0](y, x) if swapped else known[0](x, y)
    except ZeroDivisionError:
        return None
    desc = known[1]
    return of_number(made, desc) if desc is not _INT or LEAST <= made <= MOST else None


def of_number_alone(op: Op, p: NumberPlace) -> Tensor | None:
    """Return the result of an operation on the number of a place; None where `of_numbers` gives it."""
    known = _ALONE.get((op, p.desc))
    if known is None or _is_seen() or (known is math.sqrt and not p.number >= 0):
        return None
    made = known(p.number)
    return of_number(made, p.desc) if p.desc is _FLOAT or made <= MOST else None


def _is_seen() -> bool:
    """True while modes or observers see each operation."""
    return bool(OPEN or Trace.active) or callbacks.MODED is not None or Limits.depth < 0
