"""Reductions and scans of just the cells that somebody reads.

The one idea: where a part of what is stored on the way is read (see `demand`), just that part is made, and put where
readers look for it by a padding that nobody reads.
"""

from __future__ import annotations

from weft.ir.atoms import affine as se
from weft.ir.graph.node import Node, make, result
from weft.ir.pieces.box import box_of
from weft.passes.cost import BARRIERS
from weft.passes.needs import Need, demand_of_box
from weft.passes.prune import spread, unread


def narrowed(n: Node, made: Node, need: Need | None) -> Node | None:
    """Return what stands for a reduction, scan or routine of which some cells are read; None where all are made.

    `made` is the node over its simpler inputs.
    """
    if n.op.kind not in BARRIERS or not n.desc.size:
        return None
    if need is None:
        return unread(n)
    box = need.box
    if n.op.kind == "call" or box.size == n.desc.shape:
        return None
    asked = demand_of_box(made, box)
    if not asked:
        return None
    ((_, inner),) = asked
    if made.op.kind == "scan":  # up to the last position asked for, from the first
        axis, initial = made.attrs
        box = box.along(axis, (0, 1, inner.size[axis] + bool(initial)))
        if box.size == n.desc.shape:
            return None
    part = se.slice_(made.inputs[0], inner.runs)
    small = make(made.op, (part,), made.attrs, result(n.desc.dtype, box.size))
    small.code, small.lasti = n.code, n.lasti
    return spread([small], [box], n)


def certificate(n: Node, made: Node, need: Need | None) -> tuple[Node, Node]:
    """Return the cells asked for before and after: two nodes of the same value."""
    box = box_of((0,) * n.desc.ndim) if need is None else need.box
    return se.slice_(n, box.runs), se.slice_(made, box.runs)
