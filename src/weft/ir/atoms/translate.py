"""The same cells at other coordinates.

Attributes: (offset,), one number per axis, added to the origin.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import ShapeError
from weft.ir.atoms.atom import Atom, strides_of, view
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row


def translate(x: Node, offset: Sequence[int]) -> Node:
    """Return a view of the same cells on a domain whose origin is moved by an offset per axis.

    Raises ShapeError unless there is one offset for every axis.
    """
    d = x.desc
    if len(offset) != d.ndim:
        raise ShapeError(
            f"translate: {len(offset)} offsets for a tensor of rank {d.ndim}; one per axis is needed; add it"
        )
    origin = tuple([o + v for o, v in zip(d.domain.origin, offset, strict=True)])
    return view("translate", x, (tuple(offset),), d.shape, strides_of(x), 0, origin)


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return rows


ATOM = Atom(
    "translate",
    translate,
    rows=_rows,
    numpy=lambda parts, n: parts[0],
    batched=lambda n, xs, _: translate(xs[0], (0, *n.attrs[0])),
)
