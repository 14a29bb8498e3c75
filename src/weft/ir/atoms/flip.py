"""Axes in reverse.

Attributes: (axes,), sorted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.ir.atoms.atom import Atom, Moved, axes_of, batch_axes, select, strides_of, view
from weft.ir.atoms.position_tables import Table
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row, scaled


def flip(x: Node, axes: Sequence[int]) -> Node:
    """Return a view of x with axes reversed, on the same domain.

    Raises AxisError if there is no such axis, ShapeError if an axis is named twice.
    """
    d = x.desc
    flipped = tuple(sorted(axes_of("flip", axes, d.ndim)))
    strides, offset = list(strides_of(x)), 0
    for a in flipped:
        offset += max(d.shape[a] - 1, 0) * strides[a]
        strides[a] = -strides[a]
    return view("flip", x, (flipped,), d.shape, tuple(strides), offset if d.size else 0, d.origin)


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    out = list(rows)
    for a in node.attrs[0]:
        out[a] = scaled(rows[a], node.desc.shape[a] - 1, -1)
    return tuple(out)


def _take(n: Node, axis: int, table: Table) -> Moved | None:
    (x,), (axes,) = n.inputs, n.attrs
    if axis not in axes:
        return None
    rest = [a for a in axes if a != axis]
    return select("flip", x, rest) if rest else x, x.desc.shape[axis] - 1 - table


ATOM = Atom(
    "flip",
    flip,
    rows=_rows,
    take=_take,
    numpy=lambda parts, n: np.flip(parts[0], n.attrs[0]),
    batched=lambda n, xs, _: flip(xs[0], batch_axes(n.attrs[0])),
)
