"""Adjoints of selections: the gradient of a view, mapped back to the tensors that it selects from.

The one idea: a selection copies cells, so its adjoint adds up, for every cell, the gradients of its copies.  Where each
cell has one copy, its coordinates place the gradient: the adjoint is a selection again and costs nothing until it is
read.  Other atoms have a rule in their file.  A value with new cells at a view of it is a `where` between new and old
cells, which the adjoints of the views between place.  Laws test ⟨Lu, g⟩ = ⟨u, Lᵀg⟩ on integers.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft import dtypes as dt
from weft.errors import InternalError
from weft.ir.atoms.atom import placed, plus, select, spread, total, zeros
from weft.ir.atoms.selections import broadcast_to
from weft.ir.atoms.table import ATOMS
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import Request

__all__ = ["RULES", "adjoint", "total", "zeros"]


def adjoint(node: Node, gradient: Node) -> tuple[Node | None, ...]:
    """Return the gradients of a selection's inputs, given the gradient of its value.

    None stands for scalars and index tables.  Raises InternalError if a rule returns a gradient whose shape differs
    from its input's.
    """
    return tuple(
        [
            None if x.op.name == "scalar" or g is None else _at_input(g, x)
            for x, g in zip(node.inputs, RULES[node.op.name](node, gradient), strict=True)
        ]
    )


def _at_input(gradient: Node, x: Node) -> Node:
    """Return the gradient `gradient` translated to the domain of the input `x`."""
    if gradient.desc.shape != x.desc.shape:
        raise InternalError(f"adjoint: {gradient!r} for an input {x!r}; please report this")
    return placed(gradient, x.desc.origin)


def from_coordinates(node: Node, gradient: Node) -> tuple[Node | None, ...]:
    """Return the gradients of the inputs of `node`, a selection that reads no cell twice, given its own gradient.

    They have that gradient in the cells of an input that were read, and zeros elsewhere.
    """
    shape = node.desc.shape
    rows = tuple([(0, ((d, 1),)) for d in range(len(shape))])
    found: list[list[Node]] = [[] for _ in node.inputs]
    for i, part in demand(node, Request(shape, (0,) * len(shape), (1,) * len(shape), rows)):
        found[i].append(_scattered(_part(gradient, part), part, node.inputs[i]))
    return tuple(
        [plus(f) if f else zeros(x.desc.shape, gradient.desc.dtype) for f, x in zip(found, node.inputs, strict=True)]
    )


def _part(gradient: Node, part: Request) -> Node:
    """Return the cells of a gradient that belong to `part`, a part of a request for all of them."""
    if part.sizes == gradient.desc.shape:
        return gradient
    return select("slice", gradient, list(zip(part.start, part.step, part.sizes, strict=True)))


def _scattered(gradient: Node, part: Request, x: Node) -> Node:
    """Return zeros of x's shape with the gradient in the cells that a request reads.

    The axes of `gradient` are the parameters of the request to x.
    """
    moving = {p for _, terms in part.rows for p, _ in terms}
    spare = [p for p in range(len(part.sizes)) if p not in moving]  # of size 1; one for each row that does not move
    order = [terms[0][0] if terms else spare.pop(0) if spare else None for _, terms in part.rows]
    if spare:
        gradient = select("squeeze", gradient, spare)
    kept = [p for p in order if p is not None]
    rank = {p: i for i, p in enumerate(sorted(kept))}
    if kept != sorted(kept):
        gradient = select("permute", gradient, [rank[p] for p in kept])
    if None in order:
        gradient = select("expand_dims", gradient, [axis for axis, p in enumerate(order) if p is None])
    for axis, ((start, terms), n) in enumerate(zip(part.rows, x.desc.shape, strict=True)):
        gradient = spread(gradient, axis, start, terms[0][1] if terms else 1, n)
    return gradient


RULES = {name: atom.adjoint or from_coordinates for name, atom in ATOMS.items()}


def is_followed(n: Node, root: Node) -> bool:
    """True if every view between `root` and its view `n` has an adjoint rule, so that gradients can follow it."""
    return all(v.op.name in RULES for v in views_of(n) if v is not root)


def views_of(n: Node) -> Iterator[Node]:
    """Yield a view, its input, and so on, down to the first node that is not a view."""
    while n.alias is not None and n.inputs:
        yield n
        n = n.inputs[0]


def mask_of(n: Node) -> Node:
    """Return int64 ones in the shape of view n, as a mask of all its cells."""
    return broadcast_to(ir.scalar(1, dt.int64), n.desc.shape)


def overwritten(n: Node, root: Node, value: Node, mask: Node, background: Node) -> Node:
    """Return `background` with the cells of view `n` replaced by those of `value`, where `mask` is 1.

    `n` is a view of `root`, whose description `background` has.  Value and mask have the shape of the view.
    """
    while n is not root:
        there, chosen = adjoint(n, value)[0], adjoint(n, mask)[0]
        assert there is not None and chosen is not None
        value, mask, n = there, chosen, n.inputs[0]
    chosen = ir.apply("not_equal", mask, ir.scalar(0, dt.int64))
    parts, d = (chosen, ir.astype(value, root.desc.dtype), background), root.desc
    return ir.make(OPS["where"], parts, (), ir.result(d.dtype, d.shape, d.origin))
