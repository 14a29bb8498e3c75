"""The source of one cell: `route(x, coordinate)` follows an expression to the tensor that the cell is read from.

The one idea: a selection maps the coordinate to one input; where, maximum and minimum do too, once the cells that
decide are computed.  A node that computes or stores the value is a source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft.api.arguments import as_tensor, integers
from weft.errors import IndexOutOfBounds
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node, current_place
from weft.ir.graph.outline import is_tree
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import Request
from weft.tensors.tensor import Tensor, handle_on, node_of, values_of, view, wrap

Position = tuple[int, ...]


def route(x: Tensor, coordinate: Any, /) -> tuple[Tensor, tuple[int, ...]]:
    """Return the tensor that a cell of x is read from, and the coordinate of the cell there.

    A source is a stored tensor, a computed value or a number; a source that a live tensor holds is returned as a tensor
    on the same cells. For where, maximum and minimum the deciding cells are computed; of equal ones the first is taken.
    Raises IndexOutOfBounds for a coordinate outside of x, DTypeError for one that is no integer.

    >>> import weft
    >>> a, b = weft.asarray([1, 2, 3]), weft.asarray([4, 5])
    >>> source, at = weft.route(weft.concat([a, b])[::-1], (1,))
    >>> source.tolist(), at
    ([4, 5], (0,))
    """
    n = node_of(as_tensor(x))
    d = n.desc.domain
    at = integers("route", "coordinate", coordinate)
    if at not in d:
        raise IndexOutOfBounds(f"route: coordinate {at} of {d}; it lies outside; give one of its coordinates")
    n, position = _source(n, tuple([c - o for c, o in zip(at, d.origin, strict=True)]))
    return _tensor(n), tuple([p + o for p, o in zip(position, n.desc.domain.origin, strict=True)])


def _source(n: Node, at: Position) -> tuple[Node, Position]:
    """Return (node that holds or computes the cell at a position of `n`, its position there)."""
    while True:
        following = _through_stored(n, at) if n.value is not None and n.alias is None else _next(n, at)
        if following is None:
            return n, at
        n, at = following


def _through_stored(n: Node, at: Position) -> tuple[Node, Position] | None:
    """Return (node from which a stored composite took a cell, position there); None if it was overwritten."""
    end = getattr(n, "tree", None)
    if end is None:
        return None
    while is_tree(end):
        following = _next(end, at)
        assert following is not None
        end, at = following
    if end.op.name == "scalar":
        return end, at
    version = end.attrs[0]() if end.attrs[0] is not None else None
    return (version, at) if version is not None and current_place(version) is not None else None


def _next(n: Node, at: Position) -> tuple[Node, Position] | None:
    """Return (input from which a node copies a cell, position there); None if the node computes the cell."""
    if n.op.kind == "selection" or n.op.name in ("gather", "transfer", *DECIDED):
        asked = demand(n, Request((), (), (), tuple([(p, ()) for p in at])))
        where = [(n.inputs[k], tuple([o for o, _ in part.rows])) for k, part in asked]
        if n.op.name == "gather":
            return n.inputs[0], _gathered(n, at, where[1:])
        return where[DECIDED[n.op.name](n, where) if n.op.name in DECIDED else 0]
    return None


def _gathered(n: Node, at: Position, tables: Sequence[tuple[Node, Position]]) -> Position:
    """Return the position in its first input that a gather reads, given the positions in its index tables."""
    axes, first = n.attrs
    width = max([t.desc.ndim for t, _ in tables])
    found = {axis: int(_cell(*table)) for axis, table in zip(axes, tables, strict=True)}
    rest = iter((*at[:first], *at[first + width :]))
    return tuple([found[d] if d in found else next(rest) for d in range(n.inputs[0].desc.ndim)])


def _cell(n: Node, at: Position) -> Any:
    """Return the value of the cell at a position."""
    return values_of(selections.index(n, list(enumerate(at))))[()]


def _tensor(n: Node) -> Tensor:
    """Return a source node as a tensor: its place's tensor if it is the current version, else a new one."""
    if (place := current_place(n)) is not None:
        return handle_on(place)
    if n.alias is not None and (place := current_place(n.alias[0])) is not None:  # a part of complex cells
        return view(handle_on(place), n)
    if n.op.name == "scalar":
        return wrap(ir.scalar(n.attrs[0], n.desc.dtype))
    if n.alias is None and (n.place is None or n.place() is None):
        return wrap(n)
    return wrap(ir.copied(n))


def _of_where(n: Node, where: Sequence[tuple[Node, Position]]) -> int:
    """Return the number of the input that a where selects: 1 if its condition is true at the cell, else 2.

    `where` has the (node, position) that each input is read at.
    """
    return 1 if _cell(*where[0]) else 2


def _of_extreme(n: Node, where: Sequence[tuple[Node, Position]]) -> int:
    """Return 0 if a maximum or minimum selects the cell of its first operand, else 1; a NaN is selected.

    `where` has the (node, position) that each operand is read at.
    """
    a, b = (selections.index(i, list(enumerate(at))) for i, at in where)
    first, result = values_of(a)[()], values_of(ir.make(n.op, (a, b), (), ir.result(n.desc.dtype, ())))[()]
    return 0 if first != first or first.astype(result.dtype).tobytes() == result.tobytes() else 1


DECIDED: dict[str, Callable[[Node, Sequence[tuple[Node, Position]]], int]] = {
    "where": _of_where,
    "maximum": _of_extreme,
    "minimum": _of_extreme,
}
