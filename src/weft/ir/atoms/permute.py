"""Axes in another order.

Attributes: (axes,); axis d of the view is axis axes[d].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import Atom, batch_axes
from weft.ir.atoms.construction import axes_of, strides_of, view
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row


def permute(x: Node, axes: Sequence[int]) -> Node:
    """Return a view of x with its axes in another order: axis d of the result is axis `axes[d]`.

    Raises ShapeError unless every axis is named once, AxisError if there is no such axis.
    """
    d = x.desc
    if len(axes) != d.ndim:
        raise ShapeError(
            f"permute: {len(axes)} axes for a tensor of rank {d.ndim}; every axis is named once; give {d.ndim} axes"
        )
    order = axes_of("permute", axes, d.ndim)
    shape, s, o = d.shape, strides_of(x), d.origin
    origin = None if o is None else tuple([o[a] for a in order])
    return view("permute", x, (order,), tuple([shape[a] for a in order]), tuple([s[a] for a in order]), 0, origin)


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    out = list(rows)
    for row, a in zip(rows, node.attrs[0], strict=True):
        out[a] = row
    return tuple(out)


ATOM = Atom(
    "permute",
    permute,
    rows=_rows,
    numpy=lambda parts, n: np.transpose(parts[0], n.attrs[0]),
    batched=lambda n, xs, _: permute(xs[0], (0, *batch_axes(n.attrs[0]))),
)
