"""A diagonal of two axes, as the last axis.

Attributes: (offset, axis1, axis2); its cells have a position on axis2 that is offset more than on axis1.
"""

from __future__ import annotations

import numpy as np

from weft import dtypes as dt
from weft.ir.atoms.atom import Atom, axes_of, batch_axes, margined, select, strides_of, view, zeros
from weft.ir.graph.node import Node, apply, iota, make, result, scalar
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Row


def diagonal(x: Node, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Node:
    """Return a view of the cells whose position on axis2 is `offset` more than on axis1.

    They lie along the last axis; the other axes come before it.  Raises AxisError if there is no such axis, ShapeError
    if axis1 and axis2 are the same axis.
    """
    d = x.desc
    a, b = axes_of("diagonal", (axis1, axis2), d.ndim)
    first, second = max(-offset, 0), max(offset, 0)
    size = max(min(d.shape[a] - first, d.shape[b] - second), 0)
    kept, strides = [i for i in range(d.ndim) if i not in (a, b)], strides_of(x)
    shape = (*tuple([d.shape[i] for i in kept]), size)
    steps = (*tuple([strides[i] for i in kept]), strides[a] + strides[b])
    begin = first * strides[a] + second * strides[b] if 0 not in shape else 0
    origin = None if d.origin is None else (*tuple([d.origin[i] for i in kept]), 0)
    return view("diagonal", x, (offset, a, b), shape, steps, begin, origin)


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    offset, a, b = node.attrs
    o, terms = rows[-1]
    out = list(rows[:-1])
    placed = [(a, (o + max(-offset, 0), terms)), (b, (o + max(offset, 0), terms))]
    for axis, row in sorted(placed):
        out.insert(axis, row)
    return tuple(out)


def _adjoint(node: Node, gradient: Node) -> tuple[Node]:
    """Return zeros of the input's shape with the gradient on the diagonal, as a tuple of one."""
    offset, a, b = node.attrs
    shape = node.inputs[0].desc.shape
    if not gradient.desc.size:
        return (zeros(shape, gradient.desc.dtype),)
    first, n = max(-offset, 0), shape[a]
    gradient = margined(gradient, gradient.desc.ndim - 1, first, max(n - first - gradient.desc.shape[-1], 0))
    order = list(range(gradient.desc.ndim - 1))
    order.insert(a if a < b else a - 1, gradient.desc.ndim - 1)
    gradient = select("broadcast_to", select("expand_dims", select("permute", gradient, order), (b,)), shape)
    row = iota(shape, a)
    column = iota(shape, b)
    on = apply("equal", column, apply("add", row, scalar(offset, dt.int64)))
    return (
        make(OPS["where"], (on, gradient, zeros(shape, gradient.desc.dtype)), (), result(gradient.desc.dtype, shape)),
    )


ATOM = Atom(
    "diagonal",
    diagonal,
    rows=_rows,
    adjoint=_adjoint,
    numpy=lambda parts, n: np.diagonal(parts[0], *n.attrs),
    batched=lambda n, xs, _: diagonal(xs[0], n.attrs[0], *batch_axes(n.attrs[1:])),
)
