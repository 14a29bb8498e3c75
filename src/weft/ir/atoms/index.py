"""One position of some axes, which the result lacks.

Attributes: (((axis, position), ...),), sorted by axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import IndexOutOfBounds
from weft.ir.atoms.atom import Array, Atom, Parts, axes_of, strides_of, view
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row


def index(x: Node, positions: Sequence[tuple[int, int]]) -> Node:
    """Return a view of x at one position of each named axis, without these axes.

    `positions` are (axis, position); negative positions count from the end.  Raises AxisError or ShapeError if axes do
    not exist or repeat, IndexOutOfBounds if a position lies outside.
    """
    d = x.desc
    axes = axes_of("index", [a for a, _ in positions], d.ndim)
    found, offset, strides = [], 0, strides_of(x)
    for a, (_, p) in zip(axes, positions, strict=True):
        n = d.shape[a]
        if not -n <= p < n:
            valid = f"positions run from {-n} to {n - 1}" if n else "the axis is empty"
            raise IndexOutOfBounds(f"index: position {p} along axis {a} of size {n}; {valid}; give one inside")
        found.append((a, p + n if p < 0 else p))
        offset += found[-1][1] * strides[a]
    kept = [a for a in range(d.ndim) if a not in axes]
    shape, kept_strides = tuple([d.shape[a] for a in kept]), tuple([strides[a] for a in kept])
    origin = None if d.origin is None else tuple([d.origin[a] for a in kept])
    return view("index", x, (tuple(sorted(found)),), shape, kept_strides, offset if 0 not in shape else 0, origin)


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    out = list(rows)
    for a, p in node.attrs[0]:
        out.insert(a, (p, ()))
    return tuple(out)


def _numpy(parts: Parts, n: Node) -> Array:
    x = parts[0]
    for axis, position in reversed(n.attrs[0]):
        x = np.take(x, position, axis=axis)
    return x


ATOM = Atom(
    "index", index, rows=_rows, numpy=_numpy, batched=lambda n, xs, _: index(xs[0], [(a + 1, p) for a, p in n.attrs[0]])
)
