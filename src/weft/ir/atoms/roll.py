"""Cells shifted cyclically along axes.

Attributes: (shifts, axes); axes are sorted, each once, and 0 <= shift < size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import Atom, Moved, axis_of, batch_axes
from weft.ir.atoms.position_tables import Table
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Request, axis_by_axis, by_blocks


def roll(x: Node, shifts: Sequence[int], axes: Sequence[int]) -> Node:
    """Return x with cells shifted cyclically along axes.

    Shifts of an axis named twice add up.  Raises ShapeError if there are more or fewer shifts than axes, AxisError if
    there is no such axis.
    """
    d = x.desc
    if len(shifts) != len(axes):
        raise ShapeError(f"roll: {len(shifts)} shifts for {len(axes)} axes; one shift per axis is needed; add it")
    total: dict[int, int] = {}
    for s, a in zip(shifts, axes, strict=True):
        a = axis_of("roll", a, d.ndim)
        total[a] = total.get(a, 0) + s
    along = tuple(sorted(total))
    moved = tuple([total[a] % (d.shape[a] or 1) for a in along])
    return make(OPS["roll"], (x,), (moved, along), result(d.dtype, d.shape, d.origin))


def _cut(node: Node, request: Request) -> list[tuple[int, Request]]:
    shifts = dict(zip(node.attrs[1], node.attrs[0], strict=True))

    def cut(request: Request, axis: int) -> list[tuple[int, Request]]:
        s, n = shifts[axis], node.desc.shape[axis]
        return by_blocks(node, request, axis, lambda y: (0, s, 0, 1, n - s) if y < s else (s, n, 0, 1, -s))

    return axis_by_axis(node.attrs[1], request, cut)


def _adjoint(node: Node, gradient: Node) -> tuple[Node]:
    return (roll(gradient, [-s for s in node.attrs[0]], node.attrs[1]),)


def _take(n: Node, axis: int, table: Table) -> Moved | None:
    (x,), (shifts, axes) = n.inputs, n.attrs
    if axis not in axes:
        return None
    rest = [(s, a) for s, a in zip(shifts, axes, strict=True) if a != axis]
    rolled = roll(x, [s for s, _ in rest], [a for _, a in rest]) if rest else x
    return rolled, (table - shifts[axes.index(axis)]) % x.desc.shape[axis]


ATOM = Atom(
    "roll",
    roll,
    cut=_cut,
    adjoint=_adjoint,
    take=_take,
    numpy=lambda parts, n: np.roll(parts[0], *n.attrs) if n.attrs[1] else parts[0],
    batched=lambda n, xs, _: roll(xs[0], n.attrs[0], batch_axes(n.attrs[1])),
)
