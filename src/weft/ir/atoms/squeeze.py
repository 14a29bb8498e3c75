"""Removal of axes of size 1.

Attributes: (axes,), sorted, those of the input.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import ShapeError
from weft.ir.atoms.atom import Atom, axes_of, batch_axes, strides_of, view
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row


def squeeze(x: Node, axes: Sequence[int]) -> Node:
    """Return a view of x without the given axes, each of size 1.

    Raises ShapeError if an axis has another size or is named twice, AxisError if there is no such axis.
    """
    d = x.desc
    gone = tuple(sorted(axes_of("squeeze", axes, d.ndim)))
    for a in gone:
        if d.shape[a] != 1:
            raise ShapeError(
                f"squeeze: axis {a} has size {d.shape[a]}; only axes of size 1 can go; index it or name another axis"
            )
    kept, strides = [a for a in range(d.ndim) if a not in gone], strides_of(x)
    origin = None if d.origin is None else tuple([d.origin[a] for a in kept])
    return view("squeeze", x, (gone,), tuple([d.shape[a] for a in kept]), tuple([strides[a] for a in kept]), 0, origin)


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    out = list(rows)
    for a in node.attrs[0]:
        out.insert(a, (0, ()))
    return tuple(out)


ATOM = Atom(
    "squeeze",
    squeeze,
    rows=_rows,
    numpy=lambda parts, n: parts[0].reshape(n.desc.shape),
    batched=lambda n, xs, _: squeeze(xs[0], batch_axes(n.attrs[0])),
)
