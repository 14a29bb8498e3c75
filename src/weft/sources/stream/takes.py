"""Takes (gathers) from files at positions in index arrays, tile by tile.

The one idea: along the axes looked up, a tile holds all cells, if these take little memory and the positions name many
of them.  Few positions of many are read singly.  If each cell is looked up in its own line, as a median is in sorted
lines, tiles hold whole lines.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from math import prod

from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, broadcast_shapes, iota, make, result
from weft.ir.pieces.box import Box, bounding
from weft.ir.pieces.demand import looked_up_axis, looked_up_demand
from weft.passes.fuse import below, is_stored
from weft.passes.narrowing.needs import demand_of_box
from weft.passes.narrowing.restrict import BoxRecipe

SHARE = 8  # cells along the axes looked up may take 1 / SHARE of the limit
ROWS, PLACES = 2, 16  # cells for each position beyond which positions are read singly: along one axis, along several


def tiled_takes(roots: Sequence[Node], over_files: Container[int], limit: int) -> set[int]:
    """Return the ids of the takes that are computed tile by tile below a memory limit in bytes.

    `over_files` are the ids of nodes over files.
    """
    takes = [n for n in below(roots) if n.op.name == "gather" and not is_stored(n)]
    return {id(n) for n in takes if not any(id(i) in over_files for i in n.inputs[1:]) and _is_short(n, limit)}


def _is_short(n: Node, limit: int) -> bool:
    """True if the cells along the axes looked up take little memory, and the positions name many of them."""
    x, *tables = [i.desc for i in n.inputs]
    cells = prod([x.shape[a] for a in n.attrs[0]])
    named = prod(broadcast_shapes("gather", *[t.shape for t in tables]))
    dense = ROWS if len(tables) == 1 else PLACES
    return cells * x.dtype.itemsize <= limit // SHARE and cells <= dense * named and cells < x.size


def take_rule(n: Node, box: Box) -> BoxRecipe:
    """Return the boxes of operands that `box` of a take reads, and a function that builds the take."""
    asked = [(n.inputs[k], part) for k, part in demand_of_box(n, box)]
    return asked, lambda parts: make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, box.size))


def takes_along(roots: Sequence[Node], over_files: Container[int]) -> set[int]:
    """Return the ids of takes that look up cells within lines of a file.

    `over_files` are the ids of nodes over files.
    """
    takes = [n for n in below(roots) if n.op.name == "gather" and id(n) in over_files and not is_stored(n)]
    return {id(n) for n in takes if looked_up_axis(n) is not None}


def along_rule(n: Node, box: Box) -> BoxRecipe:
    """Return the lines and positions that `box` of a take along an axis reads, and its builder."""
    asked = [(n.inputs[k], bounding(r)) for k, r in looked_up_demand(n, box.request)]

    def build(parts: Sequence[Node]) -> Node:
        x, table = parts
        axis = looked_up_axis(n)
        tables = [table if a == axis else _places(a, box.size) for a in range(len(box.size))]
        return make(n.op, (x, *tables), n.attrs, result(n.desc.dtype, box.size))

    return asked, build


def _places(axis: int, shape: Sequence[int]) -> Node:
    """Return a node of the positions along an axis of `shape`, broadcastable to it."""
    n = iota((shape[axis],))
    return se.reshape(n, [m if a == axis else 1 for a, m in enumerate(shape)])
