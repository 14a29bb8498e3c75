"""New axes of size 1.

Attributes: (axes,), sorted, those of the view.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir.atoms.atom import Atom, axes_of, batch_axes, strides_of, view
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row


def expand_dims(x: Node, axes: Sequence[int]) -> Node:
    """Return a view of x with new axes of size 1; `axes` are their numbers in the result.

    Raises AxisError if the result has no such axis, ShapeError if an axis is named twice.
    """
    d = x.desc
    new = tuple(sorted(axes_of("expand_dims", axes, d.ndim + len(axes))))
    shape, strides, origin = list(d.shape), list(strides_of(x)), None if d.origin is None else list(d.origin)
    for a in new:
        shape.insert(a, 1)
        strides.insert(a, 0)
        if origin is not None:
            origin.insert(a, 0)
    return view("expand_dims", x, (new,), tuple(shape), tuple(strides), 0, None if origin is None else tuple(origin))


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple([row for a, row in enumerate(rows) if a not in node.attrs[0]])


ATOM = Atom(
    "expand_dims",
    expand_dims,
    rows=_rows,
    numpy=lambda parts, n: parts[0].reshape(n.desc.shape),
    batched=lambda n, xs, _: expand_dims(xs[0], batch_axes(n.attrs[0])),
)
