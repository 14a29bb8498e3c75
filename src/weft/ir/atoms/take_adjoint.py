"""The adjoint of a take: where a table names every cell once it is a take again, else rows added in order.

The one idea: a table that names no cell twice has an inverse, a table too; cells that it does not name are zero.
"""

from __future__ import annotations

from math import prod

import numpy as np

from weft import dtypes as dt
from weft.ir.atoms import affine as se
from weft.ir.atoms import composites as co
from weft.ir.atoms import position_tables
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, broadcast_shapes, elementwise, make, result, scalar, stored
from weft.ir.graph.ops import OPS


def gather(node: Node, g: Node) -> tuple[Node | None, ...]:
    """The gradient of what a gather reads; its tables have none."""
    axes, at = node.attrs
    x = node.inputs[0].desc
    rest = [d for d in range(x.ndim) if d not in axes]
    width = len(broadcast_shapes("gather", *[i.desc.shape for i in node.inputs[1:]]))
    order = [*range(at, at + width), *range(at), *range(at + width, g.desc.ndim)]
    sizes, kept = tuple([x.shape[a] for a in axes]), tuple([x.shape[d] for d in rest])
    count = prod([g.desc.shape[d] for d in order[:width]])
    rows = _reshaped(se.permute(g, order), (count, *kept))
    cells = _reshaped(_summed(node, rows, sizes), (*sizes, *kept))
    back = [*axes, *rest]
    return se.permute(cells, [back.index(d) for d in range(x.ndim)]), *[None] * len(axes)


def _reshaped(x: Node, shape: Shape) -> Node:
    return se.reshape_view(x, shape) or co.reshape(x, shape)


def _summed(node: Node, rows: Node, sizes: Shape) -> Node:
    """For every cell of the axes taken, the sum of the rows of its positions."""
    count, known = prod(sizes), position_tables.known(node)
    shape = (count, *rows.desc.shape[1:])
    if known is None or position_tables.repeated(known, sizes) is not None:
        at = _reshaped(_linear(node, sizes), rows.desc.shape[:1])
        return make(OPS["scatter_add"], (rows, at), (count,), result(rows.desc.dtype, shape))
    cells = np.ravel_multi_index([t.ravel() for t in np.broadcast_arrays(*known)], sizes)
    named = np.zeros(count, bool)
    named[cells] = True
    zeros = se.broadcast_to(scalar(0, rows.desc.dtype), shape)
    if not len(cells):
        return zeros
    inverse = np.zeros(count, np.int64)
    inverse[cells] = np.arange(len(cells))
    found = make(
        OPS["gather"], (rows, position_tables.leaf(inverse, len(cells))), ((0,), 0), result(rows.desc.dtype, shape)
    )
    if named.all():
        return found
    mask = stored(describe(dt.bool, named.shape, named.strides), named)
    wide = se.broadcast_to(se.expand_dims(mask, range(1, len(shape))), shape)
    return make(OPS["where"], (wide, found, zeros), (), result(rows.desc.dtype, shape))


def _linear(node: Node, sizes: Shape) -> Node:
    """The row-major positions that the tables name together."""
    total: Node = scalar(0, dt.int64)
    for i, n in zip(node.inputs[1:], sizes, strict=True):
        total = elementwise(OPS["add"], elementwise(OPS["multiply"], total, scalar(n, dt.int64)), i)
    return total
