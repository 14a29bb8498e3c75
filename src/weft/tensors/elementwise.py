"""Element-wise operations of users: from operands to the tensor of a new node.

The one idea: the description of a result follows from the op and the descriptions of its operands, so it is worked out
once; later operations of that kind only make a node.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf
from typing import Any

from weft import callbacks
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS, Op
from weft.ir.graph.weak_scalars import COMPARISONS, MIRRORED, compare_beyond
from weft.tensors.number_arithmetic import ROUNDED, of_number_alone, of_numbers
from weft.tensors.place import NumberPlace
from weft.tensors.tensor import Tensor, moded, node_of, operand, wrap, wrap_result

_RESULTS = ir.RESULTS  # empty while each operation is built in full
_POW, _MULTIPLY, _DIVIDE = OPS["pow"], OPS["multiply"], OPS["divide"]
_PLAIN = (int, float)
_frame = sys._getframe


def set_moded(rule: Callable[[Node], Node] | None) -> None:
    """Install `rule`, by whose result each new elementwise node is replaced; None removes it."""
    global _RESULTS
    callbacks.MODED, _RESULTS = rule, ir.RESULTS if rule is None else {}


def binary(op: Op, a: Any, b: Any) -> Tensor:
    """Return the tensor of an elementwise operation on two operands; raises ShapeError if they do not broadcast."""
    if type(a) is Tensor:
        p = a._place
        if type(p) is NumberPlace and a._view is None and (found := of_numbers(op, p, b)) is not None:
            return found
        na = p.node
        if a._view is not None or na.fingerprint is not None:
            na = node_of(a)
        if type(b) is Tensor:
            nb = b._place.node
            if b._view is not None or nb.fingerprint is not None:
                nb = node_of(b)
        elif type(b) is int and op in COMPARISONS and (n := compare_beyond(op, na, b)) is not None:
            return wrap(ir.locate(n))
        else:
            nb = operand(b, na.desc.dtype, op.name)
            if op is _POW and type(b) in _PLAIN and b in ROUNDED:  # these are correctly rounded, a power need not be
                to = nb.desc.dtype
                if b == 2:
                    nb = na = ir.astype(na, to)
                    op = _MULTIPLY
                elif to.kind == "float" and callbacks.MODED is None:
                    if b == 0.5:
                        return wrap_result(ir.locate(_root(ir.astype(na, to))))
                    na, nb, op = ir.scalar_like(1.0, nb), ir.astype(na, to), _DIVIDE
    else:
        p = b._place
        if type(p) is NumberPlace and b._view is None and (found := of_numbers(op, p, a, True)) is not None:
            return found
        nb = node_of(b)
        if type(a) is int and op in COMPARISONS and (n := compare_beyond(OPS[MIRRORED[op.name]], nb, a)) is not None:
            return wrap(ir.locate(n))
        na = operand(a, nb.desc.dtype, op.name)
    d = _RESULTS.get((op, na.desc, nb.desc))
    if d is None or na.traits is not None or nb.traits is not None:
        n = ir.elementwise(op, na, nb)
        if callbacks.MODED is not None:
            return wrap(ir.locate(moded(n)))
    else:
        n = Node()
        n.op, n.inputs, n.attrs, n.desc = op, (na, nb), (), d
        n.value = n.alias = n.traits = n.fingerprint = None
        n.depth = (na.depth if na.depth > nb.depth else nb.depth) + 1
    f = _frame(2)
    n.code, n.lasti = f.f_code, f.f_lasti
    return wrap(n)


def _root(n: Node) -> Node:
    """Return floats to the power 0.5: square roots, but 0 of -0 and inf of -inf."""
    root = ir.apply("add", ir.apply("sqrt", n), ir.scalar_like(0.0, n))
    return ir.where(ir.apply("equal", n, ir.scalar_like(-inf, n)), ir.scalar_like(inf, n), root)


def unary(op: Op, a: Tensor) -> Tensor:
    """Return the tensor of an elementwise operation on one operand; raises DTypeError for a dtype that it lacks."""
    p = a._place
    if type(p) is NumberPlace and a._view is None and (found := of_number_alone(op, p)) is not None:
        return found
    na = node_of(a)
    d = _RESULTS.get((op, na.desc))
    if d is None:
        n = ir.elementwise(op, na)
        if callbacks.MODED is not None:
            return wrap(ir.locate(moded(n)))
    else:
        n = ir.make(op, (na,), (), d)
    f = _frame(2)
    n.code, n.lasti = f.f_code, f.f_lasti
    return wrap_result(n)  # also of +x, whose node is that of a copy
