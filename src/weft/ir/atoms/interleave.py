"""Cells of several parts, interleaved along an axis.

Attributes: (axis,); position p is position p // k of part p % k, of k parts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import Array, Atom, Parts, check_parts, check_size, unshared
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Request, by_residues, with_row


def interleave(xs: Sequence[Node], axis: int) -> Node:
    """Return the cells of k parts interleaved along an axis.

    Position p is position p // k of part p % k.  Raises ShapeError if there are no parts or they differ in shape (only
    the first parts may be longer, by one), AxisError if they lack the axis, DTypeError if dtypes differ.
    """
    axis = check_parts("interleave", xs, axis)
    sizes = [x.desc.shape[axis] for x in xs]
    total, k = sum(sizes), len(xs)
    for i, n in enumerate(sizes):
        if n != (total - i + k - 1) // k:
            raise ShapeError(
                f"interleave: part {i} has size {n} along axis {axis} where turns over {total} positions need "
                f"{(total - i + k - 1) // k}; only a tail may be missing from the last parts; pad or slice the parts"
            )
    d = xs[0].desc
    shape = (*d.shape[:axis], total, *d.shape[axis + 1 :])
    check_size("interleave", shape)
    return make(OPS["interleave"], tuple(xs), (axis,), result(d.dtype, shape, d.origin))


def _cut(node: Node, request: Request) -> list[tuple[int, Request]]:
    axis, k = node.attrs[0], len(node.inputs)
    parts = []
    for r in by_residues(node, request, axis, k):
        o, terms = r.rows[axis]
        parts.append((o % k, with_row(r, axis, (o // k, tuple([(p, a // k) for p, a in terms])))))
    return parts


def _numpy(parts: Parts, n: Node) -> Array:
    axis = n.attrs[0]
    out = np.empty(n.desc.shape, parts[0].dtype)
    moved = np.moveaxis(out, axis, 0)
    for i, part in enumerate(parts):
        moved[i :: len(parts)] = np.moveaxis(part, axis, 0)
    return out


ATOM = Atom(
    "interleave",
    interleave,
    rebuild=lambda n: interleave(n.inputs, *n.attrs),
    cut=_cut,
    numpy=_numpy,
    batched=lambda n, xs, size: interleave(unshared(n, xs, size), n.attrs[0] + 1),
)
