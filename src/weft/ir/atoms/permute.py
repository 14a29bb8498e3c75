"""Axes in another order.

Attributes: (axes,); axis d of the view is axis axes[d].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import Atom, axes_of, batch_axes
from weft.ir.graph.description import TensorDescription, describe
from weft.ir.graph.node import Node, make, make_view
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Row

_PERMUTE = OPS["permute"]


def permute(x: Node, axes: Sequence[int]) -> Node:
    """Return a view of x with its axes in another order: axis d of the result is axis `axes[d]`.

    Raises ShapeError unless every axis is named once, AxisError if there is no such axis.
    """
    order, made_as = _permuted(x.desc, tuple(axes))
    if made_as.strides is None:
        return make(_PERMUTE, (x,), (order,), made_as)
    return make_view(_PERMUTE, x, (order,), made_as, 0)


@lru_cache(maxsize=4096)
def _permuted(d: TensorDescription, axes: tuple[int, ...]) -> tuple[tuple[int, ...], TensorDescription]:
    """Return the axes counted from 0, and the description of the view.

    Raises ShapeError unless every axis is named once, AxisError if there is no such axis.
    """
    if len(axes) != d.ndim:
        raise ShapeError(
            f"permute: {len(axes)} axes for a tensor of rank {d.ndim}; every axis is named once; give {d.ndim} axes"
        )
    order = axes_of("permute", axes, d.ndim)
    shape, strides, origin = [
        None if p is None else tuple([p[a] for a in order]) for p in (d.shape, d.strides, d.origin)
    ]
    return order, describe(d.dtype, shape or (), strides, d.big, origin, d.read_only)


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
