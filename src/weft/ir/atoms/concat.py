"""Parts one after another along an axis.

Attributes: (axis, offsets); part i holds the positions offsets[i] to offsets[i + 1].
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from weft.ir.atoms.atom import Atom, check_parts, check_size, unshared
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Block, Request, by_blocks


def concat(xs: Sequence[Node], axis: int) -> Node:
    """Return the parts one after another along an axis, on a domain that starts at the first part's origin.

    Raises ShapeError if there are no parts or sizes differ along another axis, AxisError if the parts lack the axis,
    DTypeError if dtypes differ.
    """
    axis = check_parts("concat", xs, axis)
    offsets = tuple(accumulate([x.desc.shape[axis] for x in xs], initial=0))
    d = xs[0].desc
    shape = (*d.shape[:axis], offsets[-1], *d.shape[axis + 1 :])
    check_size("concat", shape)
    return make(OPS["concat"], tuple(xs), (axis, offsets), result(d.dtype, shape, d.origin))


def _cut(node: Node, request: Request) -> list[tuple[int, Request]]:
    axis, offsets = node.attrs

    def find(y: int) -> Block:
        i = bisect_right(offsets, y) - 1
        return offsets[i], offsets[i + 1], i, 1, -offsets[i]

    return by_blocks(node, request, axis, find)


ATOM = Atom(
    "concat",
    concat,
    rebuild=lambda n: concat(n.inputs, n.attrs[0]),
    cut=_cut,
    numpy=lambda parts, n: np.concatenate(list(parts), axis=n.attrs[0]),
    batched=lambda n, xs, size: concat(unshared(n, xs, size), n.attrs[0] + 1),
)
