"""Axes of size 1 repeated, and new leading axes.

Attributes: (shape,).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import Atom, aligned, check_axes, strides_of, total, view
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row


def broadcast_to(x: Node, shape: Sequence[int]) -> Node:
    """Return a view of x in a larger shape: axes of size 1 repeat, new leading axes too.

    Raises ShapeError if a trailing size of x is neither 1 nor that of the shape, or if an axis has 2**63 positions.
    """
    d, wide = x.desc, tuple(shape)
    lead = len(wide) - d.ndim
    if not d.ndim and d.strides is not None and min(wide, default=0) >= 0:
        check_axes("broadcast_to", wide)
        return view("broadcast_to", x, (wide,), wide, (0,) * lead, 0, None)
    if lead < 0 or min(wide, default=0) < 0 or any(n not in (1, w) for n, w in zip(d.shape, wide[lead:], strict=True)):
        raise ShapeError(
            f"broadcast_to: shape {d.shape} does not broadcast to {wide}; trailing sizes must agree or be 1 in the "
            "input; reshape or expand_dims it first"
        )
    check_axes("broadcast_to", wide)
    same = [n == w for n, w in zip(d.shape, wide[lead:], strict=True)]
    strides = (0,) * lead + tuple([s if k else 0 for s, k in zip(strides_of(x), same, strict=True)])
    origin = d.origin
    if origin is not None:
        origin = (0,) * lead + tuple([o if k else 0 for o, k in zip(origin, same, strict=True)])
    return view("broadcast_to", x, (wide,), wide, strides, 0, origin)


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    shape = node.inputs[0].desc.shape
    return tuple([(0, ()) if n == 1 else r for n, r in zip(shape, rows[len(rows) - len(shape) :], strict=True)])


def _adjoint(node: Node, gradient: Node) -> tuple[Node]:
    shape = node.inputs[0].desc.shape
    lead = gradient.desc.ndim - len(shape)
    if lead:
        gradient = total(gradient, range(lead))
    wide = [d for d, (n, m) in enumerate(zip(shape, gradient.desc.shape, strict=True)) if n != m]
    return (total(gradient, wide, keepdims=True) if wide else gradient,)


def _batched(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    return broadcast_to(aligned(batched_inputs[0], n.inputs[0], n.desc.ndim), (batch_size, *n.attrs[0]))


ATOM = Atom(
    "broadcast_to",
    broadcast_to,
    rows=_rows,
    adjoint=_adjoint,
    numpy=lambda parts, n: np.broadcast_to(parts[0], n.attrs[0]),
    batched=_batched,
)
