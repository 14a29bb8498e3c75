"""Adjoints of selections: the gradient of a view, mapped back to the tensors that it selects from.

The one idea: a selection copies cells, so its adjoint adds up, for every cell, the gradients of its copies.  Where each
cell has one copy, its coordinates place the gradient: the adjoint is a selection again and costs nothing until it is
read.  Other atoms have a rule in their file.  Laws test ⟨Lu, g⟩ = ⟨u, Lᵀg⟩ on integers.
"""

from __future__ import annotations

from weft.errors import InternalError
from weft.ir.atoms.adjoint_steps import plus, spread, total, zeros
from weft.ir.atoms.atom import select
from weft.ir.atoms.table import ATOMS
from weft.ir.graph.node import Node
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
            None if x.op.name == "scalar" or g is None else _placed(g, x)
            for x, g in zip(node.inputs, RULES[node.op.name](node, gradient), strict=True)
        ]
    )


def _placed(g: Node, x: Node) -> Node:
    """Return the gradient `g` translated to the domain of the input `x`."""
    if g.desc.shape != x.desc.shape:
        raise InternalError(f"adjoint: {g!r} for an input {x!r}; please report this")
    start, wanted = g.desc.domain.origin, x.desc.domain.origin
    return g if start == wanted else select("translate", g, [w - s for w, s in zip(wanted, start, strict=True)])


def from_coordinates(node: Node, g: Node) -> tuple[Node | None, ...]:
    """Return the gradients of a selection that reads no cell twice.

    They are g in the cells that were read of an input, and zeros elsewhere.
    """
    shape = node.desc.shape
    rows = tuple([(0, ((d, 1),)) for d in range(len(shape))])
    found: list[list[Node]] = [[] for _ in node.inputs]
    for i, part in demand(node, Request(shape, (0,) * len(shape), (1,) * len(shape), rows)):
        found[i].append(_put_back(_part(g, part), part, node.inputs[i]))
    return tuple([plus(f) if f else zeros(x.desc.shape, g.desc.dtype) for f, x in zip(found, node.inputs, strict=True)])


def _part(g: Node, part: Request) -> Node:
    """Return the cells of g that belong to `part`, a part of a request for all of them."""
    if part.sizes == g.desc.shape:
        return g
    return select("slice", g, list(zip(part.start, part.step, part.sizes, strict=True)))


def _put_back(g: Node, part: Request, x: Node) -> Node:
    """Return zeros of x's shape with g in the cells that a request reads.

    The axes of g are the request's parameters.
    """
    moving = {p for _, terms in part.rows for p, _ in terms}
    spare = [p for p in range(len(part.sizes)) if p not in moving]  # of size 1; one for each row that does not move
    order = [terms[0][0] if terms else spare.pop(0) if spare else None for _, terms in part.rows]
    if spare:
        g = select("squeeze", g, spare)
    kept = [p for p in order if p is not None]
    rank = {p: i for i, p in enumerate(sorted(kept))}
    if kept != sorted(kept):
        g = select("permute", g, [rank[p] for p in kept])
    if None in order:
        g = select("expand_dims", g, [axis for axis, p in enumerate(order) if p is None])
    for axis, ((start, terms), n) in enumerate(zip(part.rows, x.desc.shape, strict=True)):
        g = spread(g, axis, start, terms[0][1] if terms else 1, n)
    return g


RULES = {name: atom.adjoint or from_coordinates for name, atom in ATOMS.items()}
