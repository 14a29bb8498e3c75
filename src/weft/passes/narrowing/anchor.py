"""A small box of a large value that is computed cell by cell, as an expression whose positions are arguments.

The one idea: a plan has the positions of slices in it, so reading another box means planning again.  Here the box is
asked of the operands down to sources: stored values are read through a view, and a coordinate becomes an argument plus
a multiple of the index in the box.  All boxes of one shape are then one program, whichever generator they are cut from.
Slices of a file are views of its cells, so that batches of its rows are one program, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.atoms import selections as se
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.node import Node, make, mark_replacement
from weft.ir.graph.ops import CELLWISE, OPS
from weft.ir.pieces.demand import below_views, demand
from weft.ir.pieces.request import Request, whole
from weft.passes.fuse import is_stored
from weft.passes.views import replaced, view_without_repeats, with_inputs

MAX_CELLS = 1 << 12  # boxes for which planning would cost more than computing
MAX_NODES = 64
LARGER = 4  # of a value this many times larger
_IOTA, _SCALAR, _ADD, _MULTIPLY = OPS["iota"], OPS["scalar"], OPS["add"], OPS["multiply"]
_FILE, _COPY = OPS["file"], OPS["positive"]
_INT64 = ir.result(dt.int64, ())


def may_be_anchored(n: Node, max_cells: int = MAX_CELLS) -> bool:
    """True if n is a pending view of few cells of a much larger value, computed cell by cell.

    Few are `max_cells` at most.
    """
    if n.alias is None or n.value is not None or not 0 < n.desc.size <= max_cells:
        return False
    root = n.alias[0]
    if root.value is not None or root.desc.size <= LARGER * n.desc.size:
        return False
    return root.op.kind in CELLWISE or root.op is _IOTA


def anchored(n: Node, max_cells: int = MAX_CELLS) -> Node:
    """Return a small view of a large pending value as element-wise operations with its position as scalar arguments.

    Returns n itself if it is no such view, or if planning it as it is costs less. A small view has at most `max_cells`
    cells.

    >>> from weft.ir.atoms.selections import slice_
    >>> x = make(_IOTA, (), (0,), ir.result(dt.int64, (10**6,)))
    >>> y = ir.elementwise(OPS["negative"], x)
    >>> anchored(slice_(y, [(500, 2, 3)])).inputs[0].op
    add
    """
    if not may_be_anchored(n, max_cells):
        return n
    made = _Anchored(n.desc.shape).node(n, whole(n))
    if made is None:
        return n
    if made.desc.shape != n.desc.shape or made.op.kind not in CELLWISE:  # some axes only repeat
        made = make(OPS["positive"], (se.broadcast_to(made, n.desc.shape),), (), ir.result(n.desc.dtype, n.desc.shape))
    return mark_replacement(made, n)


def is_sliced_file(n: Node, reader: Node) -> bool:
    """True if n is a file tensor, a pending copy of a file's cells, and `reader` a view of it."""
    return reader.alias is not None and reader.alias[0] is n and _is_file_tensor(n)


def over_file_views(roots: Sequence[Node]) -> list[Node]:
    """Return the roots with views of file tensors replaced by copies of such views of the files themselves.

    Keys hold the position of a pending view, but not that of a view of a leaf.
    """

    def replacement(n: Node) -> Node | None:
        is_view = n.value is None and n.alias is not None and _is_file_tensor(n.alias[0])
        return ir.copied(_on_file(n)) if is_view else None

    return replaced(roots, replacement)


def _is_file_tensor(n: Node) -> bool:
    """True if n is a pending copy of a file's cells."""
    return n.op is _COPY and n.value is None and n.inputs[0].op is _FILE


def _on_file(n: Node) -> Node:
    """Return the file below a file tensor, or a view like n of it."""
    return n.inputs[0] if _is_file_tensor(n) else with_inputs(n, (_on_file(n.inputs[0]),))


@lru_cache(maxsize=256)
def _index(size: int, trailing_axes: int) -> Node:
    """Return 0, 1, ..., size - 1 along an axis with `trailing_axes` axes behind it, as a stored array.

    It is an array because plans contain the numbers of coordinates.
    """
    array = np.arange(size).reshape((size,) + (1,) * trailing_axes)
    return ir.stored(ir.result(dt.int64, array.shape), array)


@lru_cache(maxsize=1024)
def _described(dtype: DType, shape: Shape) -> TensorDescription:
    return ir.result(dtype, shape)


class _Anchored:
    """A rebuilder of nodes for the cells of one box, with the box's position as scalar arguments."""

    __slots__ = ("known", "shape")

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.known: dict[tuple[int, Request], Node | None] = {}

    def node(self, n: Node, request: Request) -> Node | None:
        """Return a node for the requested cells of n; None if n is not computed cell by cell."""
        n, request = below_views(n, request, is_stored)
        if n.op is _SCALAR:
            return n
        key = (id(n), request)
        if key not in self.known:
            self.known[key] = None if len(self.known) >= MAX_NODES else self._rebuild(n, request)
        return self.known[key]

    def _rebuild(self, n: Node, request: Request) -> Node | None:
        """Return n rebuilt for the requested cells, over rebuilt inputs; None if n is not computed cell by cell."""
        if is_stored(n):
            return view_without_repeats(n, request)
        if n.op is _IOTA:
            return self._coordinate(n, request)
        if n.op.kind not in CELLWISE:
            return None
        asked, inputs = demand(n, request), list(n.inputs)
        if n.op.name == "gather":  # of single cells: what is read from stays as it is
            if len(n.attrs[0]) != n.inputs[0].desc.ndim:
                return None
            del asked[0]
        shape: Shape = ()
        for k, part in asked:
            if inputs[k].op is _SCALAR:
                continue
            made = self.node(inputs[k], part)
            if made is None:
                return None
            inputs[k] = made
            if made.desc.shape != shape:
                shape = ir.broadcast_shapes(n.op.name, shape, made.desc.shape)
        return make(n.op, tuple(inputs), n.attrs, _described(n.desc.dtype, shape))

    def _coordinate(self, n: Node, request: Request) -> Node:
        """Return the requested coordinates as a node, always in the form origin + start + step · index.

        So slices, flips and strides are one program.
        """
        axis = n.attrs[0]
        start, terms = request.rows[axis]
        found = _integer(start + (n.desc.origin[axis] if n.desc.origin else 0))
        for p, a in terms:
            index = _index(self.shape[p], len(self.shape) - p - 1)
            moved = make(_MULTIPLY, (index, _integer(a)), (), index.desc)
            shape = ir.broadcast_shapes("add", index.desc.shape, found.desc.shape) if found.desc.ndim else ()
            found = make(_ADD, (moved, found), (), _described(dt.int64, shape) if shape else index.desc)
        return found


def _integer(x: int) -> Node:
    return make(_SCALAR, (), (x,), _INT64)
