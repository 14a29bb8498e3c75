"""Reductions of reshapes: the same reductions of what was reshaped, so that tiles follow its chunks.

The one idea: a reduction sees its cells in row-major order, which a reshape keeps.  Where each run of axes that the
reshape joins or cuts is reduced as a whole, or not at all, the order of cells is the same without it.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir.atoms import selections as se
from weft.ir.atoms.reshape import reshape_groups
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import IN_PLACE, POINTWISE
from weft.passes.fuse import below, is_stored
from weft.runtime.compute import engine
from weft.sources.stream.folds import reduced
from weft.sources.stream.sweep import over_files


def unreshape(nodes: Sequence[Node]) -> None:
    """Make the reductions of reshapes that nodes need of files reductions of what was reshaped."""
    over = over_files(nodes)
    for n in below(nodes):
        if id(n) in over and (made := unreshaped(n)) is not None:
            engine.stand_for(n, made)


def unreshaped(n: Node) -> Node | None:
    """Return a reduction of a reshape as one of what was reshaped; None for others, and where cells come otherwise."""
    if n.op.kind != "reduce" or is_stored(n):
        return None
    x = n.inputs[0]
    old = _source_shape(x)
    if old is None or not x.desc.size or (source := _over(x, old)) is None:
        return None
    axes: list[int] = []
    for olds, news in reshape_groups(old, x.desc.shape):
        gone = [a in n.attrs[0] for a in news]
        if any(gone) != all(gone):
            return None
        axes += olds if gone[0] else ()
    made = reduced(n.op.name, source, axes, *n.attrs[2:])
    return made if made.desc.shape == n.desc.shape else se.reshape(made, n.desc.shape)


def _source_shape(x: Node) -> Shape | None:
    """Return the shape of what is reshaped below element-wise work; None if nothing is."""
    while not is_stored(x) and x.traits is None:
        if x.op.name == "reshape":
            return x.inputs[0].desc.shape
        wide = [i for i in x.inputs if i.desc.shape == x.desc.shape]
        if not _is_pointwise(x) or not wide:
            return None
        x = wide[0]
    return None


def _over(x: Node, old: Shape) -> Node | None:
    """Return element-wise work on reshapes as the same on what was reshaped; None where that had several shapes."""
    if is_stored(x) or x.traits is not None:
        return None
    if x.op.name == "reshape":
        return x.inputs[0] if x.inputs[0].desc.shape == old else None
    if not _is_pointwise(x):
        return None
    parts = [i if not i.desc.shape else _over(i, old) if i.desc.shape == x.desc.shape else None for i in x.inputs]
    if None in parts:
        return None
    return make(x.op, tuple([p for p in parts if p is not None]), x.attrs, result(x.desc.dtype, old))


def _is_pointwise(x: Node) -> bool:
    return x.op.kind in POINTWISE or x.op.name in IN_PLACE
