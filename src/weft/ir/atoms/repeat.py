"""Every cell repeated along an axis.

Attributes: (count, axis).
"""

from __future__ import annotations

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import Atom, Moved, axis_of, check_size, select, total, zeros
from weft.ir.atoms.position_tables import Table
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Request, by_blocks, by_residues, periodic_is_finer, with_row


def repeat(x: Node, count: int, axis: int) -> Node:
    """Return x with every cell repeated `count` times along an axis.

    Raises ShapeError if the count is negative, AxisError if there is no such axis.
    """
    d = x.desc
    axis = axis_of("repeat", axis, d.ndim)
    if count < 0:
        raise ShapeError(f"repeat: count {count}; a cell cannot come fewer than 0 times; give a count >= 0")
    shape = (*d.shape[:axis], d.shape[axis] * count, *d.shape[axis + 1 :])
    check_size("repeat", shape)
    return make(OPS["repeat"], (x,), (count, axis), result(d.dtype, shape, d.origin))


def _cut(node: Node, request: Request) -> list[tuple[int, Request]]:
    count, axis = node.attrs
    if not periodic_is_finer(request, axis, count, count):
        return by_blocks(node, request, axis, lambda y: (y - y % count, y - y % count + count, 0, 0, y // count))
    parts = []
    for r in by_residues(node, request, axis, count):
        o, terms = r.rows[axis]
        parts.append((0, with_row(r, axis, (o // count, tuple([(p, a // count) for p, a in terms])))))
    return parts


def _adjoint(node: Node, gradient: Node) -> tuple[Node]:
    count, axis = node.attrs
    shape = node.inputs[0].desc.shape
    if not gradient.desc.size:
        return (zeros(shape, gradient.desc.dtype),)
    return (total(select("reshape", gradient, (*shape[: axis + 1], count, *shape[axis + 1 :])), (axis + 1,)),)


def _take(n: Node, axis: int, table: Table) -> Moved | None:
    count, along = n.attrs
    return (n.inputs[0], table // count) if along == axis else None


ATOM = Atom(
    "repeat",
    repeat,
    cut=_cut,
    adjoint=_adjoint,
    take=_take,
    numpy=lambda parts, n: np.repeat(parts[0], *n.attrs),
    batched=lambda n, xs, _: repeat(xs[0], n.attrs[0], n.attrs[1] + 1),
)
