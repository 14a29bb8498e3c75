"""Rewriting of reductions and bin counts over a reshape to those over its input, whose chunks tiles follow.

The one idea: a reduction sees its cells in row-major order, which a reshape keeps.  Where each run of axes that the
reshape joins or cuts is reduced as a whole, or not at all, the order of cells is the same without it.  Where a reshape
cuts and joins, what it joins is joined after the reduction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from operator import mul

from weft.ir.atoms import selections as se
from weft.ir.atoms.reshape import reshape_groups
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import IN_PLACE, POINTWISE
from weft.passes.fuse import below, is_stored, over_files
from weft.runtime.compute import engine
from weft.sources.stream.folds import reduced


def unreshape(nodes: Sequence[Node]) -> None:
    """Replace, in the graph, reductions and bin counts over reshapes of files by the same over unreshaped inputs."""
    over, order = over_files(nodes), below(nodes)
    changed = False
    for n in order:
        if id(n) in over and (made := unreshaped(n)) is not None:
            engine.redefine(n, made)
            changed = True
        if changed and not is_stored(n):  # the replacement may be deeper
            n.depth = max([n.depth, *[1 + i.depth for i in n.inputs]])


def unreshaped(n: Node) -> Node | None:
    """Return a reduction or bin count of a reshape as one of the reshape's input.

    None if n is no such node, or if the order of cells would change.
    """
    if n.op.kind == "bins" and not is_stored(n):
        return _counted(n)
    if n.op.kind != "reduce" or is_stored(n):
        return None
    x = n.inputs[0]
    old = _source_shape(x)
    if old is None or not x.desc.size:
        return None
    for shape in (old, _refined(old, x.desc.shape)):
        if shape is None or shape == x.desc.shape or (axes := _reduced_axes(n, shape)) is None:
            continue
        if (source := _over(x, shape)) is not None:
            made = reduced(n.op.name, source, axes, *n.attrs[2:])
            return made if made.desc.shape == n.desc.shape else se.reshape(made, n.desc.shape)
    return None


def _reduced_axes(n: Node, shape: Shape) -> list[int] | None:
    """Return the axes of `shape` that reduction n takes, if its input has that shape. None if it cuts one of them."""
    axes: list[int] = []
    for olds, news in reshape_groups(shape, n.inputs[0].desc.shape):
        gone = [a in n.attrs[0] for a in news]
        if any(gone) != all(gone):
            return None
        axes += olds if gone[0] else ()
    return axes


def _refined(first: Shape, second: Shape) -> Shape | None:
    """Return the coarsest shape from which both shapes, of as many cells, follow by joining axes.

    It has no axes of one cell; None if there is no such shape.

    >>> _refined((720, 500), (48, 7500))
    (48, 15, 500)
    """
    ends = sorted({*accumulate(reversed(first), mul, initial=1), *accumulate(reversed(second), mul, initial=1)})
    along = [b // a for a, b in pairwise(ends)]
    return None if any(b % a for a, b in pairwise(ends)) else tuple(reversed(along))


def _counted(n: Node) -> Node | None:
    """Return a bin count of a reshape as one of the reshape's input, whose cells have the same order.

    None if there is no reshape, or if the order of cells would change.
    """
    old = _source_shape(n.inputs[0])
    sources = [] if old is None else [_over(x, old) for x in n.inputs]
    found = [x for x in sources if x is not None]
    return make(n.op, tuple(found), n.attrs, n.desc) if found and len(found) == len(n.inputs) else None


def _source_shape(x: Node) -> Shape | None:
    """Return the input shape of a reshape below cell-wise operations; None if there is no reshape."""
    while not is_stored(x) and x.traits is None:
        if x.op.name == "reshape":
            return x.inputs[0].desc.shape
        wide = [i for i in _cellwise(x) if i.desc.shape == x.desc.shape]
        if not wide:
            return None
        x = wide[0]
    return None


def _over(x: Node, input_shape: Shape) -> Node | None:
    """Return cell-wise operations on reshapes as the same on the inputs, of `input_shape`; None if shapes differ."""
    made: dict[int, Node] = {}
    for n in below([x]):
        if n.desc.shape == x.desc.shape and (found := _image(n, input_shape, made)) is not None:
            made[id(n)] = found
    return made.get(id(x))


def _image(n: Node, input_shape: Shape, images: Mapping[int, Node]) -> Node | None:
    """Return node n rebuilt over the inputs of reshapes, which have `input_shape`, or axes that are cut to give it.

    `images` maps ids of its inputs to their rebuilt nodes; None if shapes differ.
    """
    if is_stored(n):
        return se.reshape_view(n, input_shape)
    if n.traits is not None:
        return None
    if n.op.name == "reshape":
        inner = n.inputs[0]
        if inner.desc.shape == input_shape:
            return inner
        return se.reshape(inner, input_shape) if _refined(inner.desc.shape, input_shape) == input_shape else None
    if n.op.name == "broadcast_to" and not n.inputs[0].desc.shape:
        return se.broadcast_to(n.inputs[0], input_shape)
    cellwise = _cellwise(n)
    parts = [i if not i.desc.shape else images.get(id(i)) for i in cellwise]
    if not parts or None in parts:
        return None
    others = n.inputs[: len(n.inputs) - len(parts)]
    return make(n.op, (*others, *[p for p in parts if p is not None]), n.attrs, result(n.desc.dtype, input_shape))


def _cellwise(x: Node) -> tuple[Node, ...]:
    """Return the inputs that are read cell by cell: all, except the vector that a look-up searches."""
    if x.op.kind in POINTWISE or x.op.name in IN_PLACE:
        return x.inputs
    looks_up = x.op.name in ("gather", "searchsorted") and x.inputs[0].desc.ndim == 1
    return x.inputs[1:] if looks_up else ()
