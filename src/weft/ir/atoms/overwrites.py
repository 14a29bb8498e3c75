"""Overwrites: a value with new cells at a view of it, as an expression.

The one idea: the result is a `where` between new and old cells; the adjoints of the views between the value and the
overwritten view place the mask and the new cells.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft import dtypes as dt
from weft.ir.atoms.adjoints import RULES, adjoint
from weft.ir.atoms.selections import broadcast_to
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS


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
