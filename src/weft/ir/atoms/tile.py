"""The whole tensor repeated along each axis.

Attributes: (repetitions,), one number per axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import Atom, Moved, check_size, select, total, zeros
from weft.ir.atoms.position_tables import Table
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Request, axis_by_axis, periodic


def tile(x: Node, reps: Sequence[int]) -> Node:
    """Return x repeated as a whole reps[d] times along each axis d.

    Raises ShapeError unless there is one count of 0 or more for every axis.
    """
    d, times = x.desc, tuple(reps)
    if len(times) != d.ndim or min(times, default=0) < 0:
        raise ShapeError(f"tile: repetitions {times} for shape {d.shape}; one count >= 0 per axis is needed; give them")
    shape = tuple([n * m for n, m in zip(d.shape, times, strict=True)])
    check_size("tile", shape)
    return make(OPS["tile"], (x,), (times,), result(d.dtype, shape, d.origin))


def _cut(node: Node, request: Request) -> list[tuple[int, Request]]:
    shape, reps = node.inputs[0].desc.shape, node.attrs[0]

    def cut(request: Request, axis: int) -> list[tuple[int, Request]]:
        return periodic(node, request, axis, 0, 0, shape[axis])

    return axis_by_axis([axis for axis, count in enumerate(reps) if count != 1], request, cut)


def _adjoint(node: Node, gradient: Node) -> tuple[Node]:
    """Return the sum of the gradient over the repetitions, as a tuple of one."""
    reps, shape = node.attrs[0], node.inputs[0].desc.shape
    if 0 in reps:
        return (zeros(shape, gradient.desc.dtype),)
    if gradient.desc.size:
        gradient = select("reshape", gradient, [n for pair in zip(reps, shape, strict=True) for n in pair])
        return (total(gradient, range(0, 2 * len(reps), 2)) if reps else gradient,)
    return (zeros(shape, gradient.desc.dtype),)


def _take(n: Node, axis: int, table: Table) -> Moved | None:
    (x,), (reps,) = n.inputs, n.attrs
    if reps[axis] == 1:
        return None
    rest = [1 if d == axis else m for d, m in enumerate(reps)]
    return x if max(rest) == min(rest) == 1 else tile(x, rest), table % x.desc.shape[axis]


ATOM = Atom(
    "tile",
    tile,
    cut=_cut,
    adjoint=_adjoint,
    take=_take,
    numpy=lambda parts, n: np.tile(parts[0], n.attrs[0]),
    batched=lambda n, xs, _: tile(xs[0], (1, *n.attrs[0])),
)
