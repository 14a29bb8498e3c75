"""Products of matrices in files, tile by tile: rows of one by columns of the other, inner axis whole.

The one idea: a box of a product is the product of two boxes, so tiles work as for any other value.  A library may add
in another order for other sizes, so this is done only if operands and product take more than the memory limit.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from weft.ir.graph.node import Node, make, result
from weft.ir.pieces.box import Box, bounding
from weft.ir.pieces.demand import product_demand
from weft.passes.fuse import below, is_stored
from weft.passes.narrowing.restrict import Made
from weft.runtime.memory.limits import limit_of_sweeps


def tiled_products(roots: Sequence[Node], over: Container[int]) -> set[int]:
    """Return the ids of the matrix products that are computed tile by tile; `over` are the ids over files.

    A product of another such product is not among them: each of its tiles would compute many of the other again.
    """
    products = [n for n in below(roots) if n.op.name == "matmul" and id(n) in over and not is_stored(n)]
    large = [n for n in products if _is_large(n)]
    ids = set(map(id, large))
    return {id(n) for n in large if not any(id(i) in ids for i in below(n.inputs))}


def _is_large(n: Node) -> bool:
    """True if a product and its operands together take more than the memory limit."""
    return n.desc.nbytes + sum([i.desc.nbytes for i in n.inputs]) > limit_of_sweeps()


def product_rule(n: Node, box: Box) -> Made:
    """Return the boxes of rows and columns that a box of a product needs, and a function that multiplies them."""
    asked = [(n.inputs[k], bounding(r)) for k, r in product_demand(n, box.request)]
    return asked, lambda parts: make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, box.size))
