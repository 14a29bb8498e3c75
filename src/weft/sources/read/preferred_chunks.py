"""The block shape that suits reading a value, from the chunks of its source.

The one idea: a request for all cells is followed down to the source; a chunk of c positions along a source axis is c
divided by the step positions along the corresponding axis of the value.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir.atoms.table import AFFINE
from weft.ir.graph.node import Node
from weft.ir.graph.ops import POINTWISE
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import MustStore, Request, whole
from weft.passes.fuse import is_stored

Chunk = tuple[int, ...]


def preferred_chunks(root: Node) -> Chunk | None:
    """Return the block shape of a node that its source prefers; None without chunks, or with several shapes.

    Views, element-wise operations and block functions are followed; operands in memory are ignored.
    """
    found: set[Chunk] = set()
    seen: set[tuple[int, Request]] = set()
    waiting = [(root, whole(root))]
    while waiting:
        n, request = waiting.pop()
        if (id(n), request) in seen:
            continue
        seen.add((id(n), request))
        if n.op.name == "file":
            if (chunk := _projected(n, request, root.desc.ndim)) is not None:
                found.add(chunk)
        elif n.inputs and not is_stored(n):
            if n.op.name not in AFFINE and n.op.kind not in (*POINTWISE, "blocks"):
                return None
            try:
                waiting += [(n.inputs[k], inner) for k, inner in demand(n, request)]
            except MustStore:
                return None
    return found.pop() if len(found) == 1 else None


def _projected(leaf: Node, request: Request, ndim: int) -> Chunk | None:
    """Return the chunk shape of a file's source along the first `ndim` axes of a request; None if not unique."""
    chunks: Sequence[int] | None = getattr(leaf.attrs[0], "chunks", None)
    if not chunks:
        return None
    along = [max(n, 1) for n in request.sizes[:ndim]]
    for (_, terms), chunk in zip(request.rows, chunks, strict=True):
        moving = [(axis, step) for axis, step in terms if axis < ndim]  # other axes are those of windows
        if len(moving) > 1:
            return None
        for axis, step in moving:
            along[axis] = min(along[axis], max(chunk // abs(step), 1))
    return tuple(along)
