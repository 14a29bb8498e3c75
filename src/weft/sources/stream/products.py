"""Products of matrices in files, tile by tile: rows of one by columns of the other, inner axis whole.

The one idea: a box of a product is the product of two boxes, so tiles work as for any other value.  A library may add
in another order for other sizes, so this is done only if operands and product take a quarter of the memory limit: a
whole product holds them beside what they are computed of, and a copy that is written.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import prod

from weft.ir.graph.node import Node, make, result
from weft.ir.pieces.box import Box, bounding
from weft.ir.pieces.demand import product_demand
from weft.passes.fuse import below, is_stored
from weft.passes.narrowing.restrict import BoxRecipe
from weft.runtime.memory.limits import limit_of_sweeps

SHARE = 4  # products whose operands and cells take at most 1 / SHARE of the limit are computed as a whole


def large_products(roots: Sequence[Node], over_files: Container[int]) -> list[Node]:
    """Return the matrix products that take more than 1 / SHARE of the memory granted.

    `over_files` has the ids of nodes over files.
    """
    return [n for n in _products(roots, over_files) if _taken(n) > limit_of_sweeps() // SHARE]


def tiled_products(roots: Sequence[Node], over_files: Container[int]) -> set[int]:
    """Return the ids of the matrix products that are computed tile by tile.

    `over_files` has the ids of nodes over files. A product of another large product is not among them: each of its
    tiles would compute many of the other again. But a stack of small products is, with the products below it: each part
    of the stack needs a part of those. So is a chain of products by small matrices: rows of it need rows of those.
    """
    found = set[int]()
    large = set(map(id, large_products(roots, over_files)))
    for n in _products(roots, over_files):
        inner = _products(n.inputs, over_files)
        large_inner = [i for i in inner if id(i) in large]
        if id(n) in large and _is_stack(n):
            found |= {id(n), *map(id, inner)}
        elif all(map(_has_small_factor, [n, *large_inner])) if large_inner else id(n) in large:
            found.add(id(n))
    return found


def _products(roots: Sequence[Node], over_files: Container[int]) -> list[Node]:
    return [n for n in below(roots) if n.op.name == "matmul" and id(n) in over_files and not is_stored(n)]


def _taken(n: Node) -> int:
    return n.desc.nbytes + sum([i.desc.nbytes for i in n.inputs])


def _has_small_factor(n: Node) -> bool:
    """True if one operand of a product is small beside the memory granted, and the product with both is not."""
    small = limit_of_sweeps() // 8
    return min([i.desc.nbytes for i in n.inputs]) <= small < _taken(n)


def _is_stack(n: Node) -> bool:
    """True if a product is a stack of matrices that are small beside the memory granted."""
    matrix = prod(n.desc.shape[-2:]) * n.desc.dtype.itemsize
    shared = [i.desc.nbytes for i in n.inputs if i.desc.ndim < n.desc.ndim]  # operands of all products of the stack
    return n.desc.ndim > 2 and max([matrix, *shared]) <= limit_of_sweeps() // 8


def product_rule(n: Node, box: Box) -> BoxRecipe:
    """Return the boxes of rows and columns that a box of a product needs, and a function that multiplies them."""
    asked = [(n.inputs[k], bounding(r)) for k, r in product_demand(n, box.request)]
    return asked, lambda parts: make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, box.size))
