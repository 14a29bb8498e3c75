"""A box of a value as an expression of its own: the box is asked of the operands, down to what cannot be cut.

The one idea: what a box demands of the operands is known (see `demand`), so a tile of a large expression is the same
expression over tiles.  Whatever cannot be made again over parts (routines, memory, files) gets a slice on top.  No bit
changes: the order of sums follows from the reduced axes, and those are whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, broadcast_domains, file_leaf, make, result, walk
from weft.ir.graph.ops import POINTWISE
from weft.ir.pieces.box import Box, bounding
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import NotAView, Request, TooManyPieces
from weft.passes.fuse import is_stored
from weft.passes.needs import demand_of_box
from weft.passes.views import joined, joining

Asked = tuple[Node, Box]
Windows = dict[int, tuple[int, Node]]  # by the id of a file: first position, and the part as a node
Build = Callable[[Sequence[Node]], Node]


def restricted(n: Node, box: Box) -> Node:
    """Return a node for the cells of a box of n.

    >>> from weft import dtypes
    >>> from weft.ir.graph.node import OPS, elementwise, make, result, scalar
    >>> x = make(OPS["iota"], (), (0,), result(dtypes.int64, (100,)))
    >>> restricted(elementwise(OPS["add"], x, scalar(1, dtypes.int64)), Box((10,), (1,), (5,))).inputs[0].op
    slice
    """
    return restricted_together([(n, box)])[0]


def restricted_together(wanted: Sequence[Asked]) -> list[Node]:
    """Return nodes for boxes of several nodes, over the same parts of what these have in common."""
    windows = _windows(wanted)
    made: dict[tuple[int, Box], Node] = {}
    stack = list(wanted)
    while stack:
        node, part = stack[-1]
        key = (id(node), part)
        if key in made:
            stack.pop()
            continue
        asked, build = _rule(node, part, windows)
        waiting = [a for a in asked if (id(a[0]), a[1]) not in made]
        if waiting:
            stack.extend(waiting)
            continue
        fresh = build([made[id(i), b] for i, b in asked])
        if fresh is not node and fresh.code is None:
            fresh.code, fresh.lasti = node.code, node.lasti
        made[key] = fresh
        stack.pop()
    return [made[id(n), box] for n, box in wanted]


def _windows(wanted: Sequence[Asked]) -> Windows:
    """Return for every file read in part the first position needed of its outermost axis, and that part."""
    spans: dict[int, tuple[Node, int, int]] = {}
    as_a_whole: list[Node] = []
    seen: set[tuple[int, Box]] = set()
    stack = list(wanted)
    while stack:
        n, box = stack.pop()
        if (id(n), box) in seen:
            continue
        seen.add((id(n), box))
        if _gives_parts(n) and box.size != n.desc.shape:
            first, step, size = box.runs[_outermost(n)]
            end = first + step * (size - 1) + 1
            _, low, high = spans.get(id(n), (n, first, end))
            spans[id(n)] = n, min(low, first), max(high, end)
            continue
        asked, _ = _rule(n, box, {})
        if not asked:
            as_a_whole.append(n)
        stack.extend(asked)
    for n in walk(as_a_whole):
        spans.pop(id(n), None)
    return {key: (low, _part(n, low, high - low)) for key, (n, low, high) in spans.items()}


def _rule(n: Node, box: Box, windows: Windows) -> tuple[list[Asked], Build]:
    """Return the boxes of operands that a box of n is made of, and the function that makes it."""
    if box.size == n.desc.shape:
        return [], lambda _: n
    if id(n) in windows:
        low, part = windows[id(n)]
        axis = _outermost(n)
        inside = box.moved(axis, -low)
        return [], lambda _: part if inside.size == part.desc.shape else se.slice_(part, inside.runs)
    found = None if is_stored(n) or n.op.kind == "take" else _RULES.get(n.op.kind, _none)(n, box)
    return found or ([], lambda _: se.slice_(n, box.runs))


def _gives_parts(n: Node) -> bool:
    """True if n is a file whose source gives parts of its outermost axis: memory is taken for a part alone."""
    source = n.attrs[0] if n.op.name == "file" and n.desc.ndim else None
    return hasattr(source, "part") and not hasattr(source, "map")


def _outermost(n: Node) -> int:
    return 0 if n.attrs[0].order == "C" else n.desc.ndim - 1


def _part(n: Node, first: int, size: int) -> Node:
    """Return `size` positions of a file's outermost axis from `first`, as a file."""
    if size == n.desc.shape[_outermost(n)]:
        return n
    part, d = n.attrs[0].part(first, size), n.desc
    return file_leaf(part, describe(d.dtype, part.shape, part.strides, d.big, None, d.read_only))


Made = tuple[list[Asked], Build] | None


def _none(n: Node, box: Box) -> Made:
    return None


def _demanded(n: Node, box: Box) -> list[Asked]:
    return [(n.inputs[k], part) for k, part in demand_of_box(n, box)]


def _elementwise(n: Node, box: Box) -> Made:
    def build(parts: Sequence[Node]) -> Node:
        shape, origin = broadcast_domains(n.op.name, [p.desc for p in parts])
        return make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, shape, origin))

    return _demanded(n, box), build


def _reduce(n: Node, box: Box) -> Made:
    axes, keepdims = n.attrs[:2]

    def build(parts: Sequence[Node]) -> Node:
        origin = _kept_origin(parts[0], axes, keepdims)
        return make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, box.size, origin))

    return _demanded(n, box), build


def _kept_origin(x: Node, axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...] | None:
    origin = x.desc.origin
    if origin is None:
        return None
    if keepdims:
        return tuple([0 if a in axes else o for a, o in enumerate(origin)])
    return tuple([o for a, o in enumerate(origin) if a not in axes])


def _scan(n: Node, box: Box) -> Made:
    if box.size[n.attrs[0]] != n.desc.shape[n.attrs[0]]:
        return None
    return _demanded(n, box), lambda parts: make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, box.size))


def _selection(n: Node, box: Box) -> Made:
    """Return the parts and how they are joined, if views of the inputs lie side by side or in turn; else None."""
    try:
        requests = demand(n, box.request)
    except (NotAView, TooManyPieces):
        return None
    if joining(box.size, [r for _, r in requests]) is None:
        return None
    asked = [(n.inputs[k], bounding(r)) for k, r in requests]
    within = [_within(r, part) for (_, r), (_, part) in zip(requests, asked, strict=True)]
    return asked, partial(_joined, box.size, within)


def _joined(shape: Shape, requests: Sequence[Request], parts: Sequence[Node]) -> Node:
    """Return the parts of a node joined as the requests lie in its shape; there must be a way to join them."""
    made = joined(shape, requests, parts)
    assert made is not None
    return made


def _within(request: Request, box: Box) -> Request:
    """Return a request to a node as a request to a box of the node that holds its cells."""
    rows = tuple(
        [
            ((o - first) // step, tuple([(p, a // step) for p, a in terms]))
            for (o, terms), (first, step, _) in zip(request.rows, box.runs, strict=True)
        ]
    )
    return request._replace(rows=rows)


_RULES: dict[str, Callable[[Node, Box], Made]] = {
    **dict.fromkeys((*POINTWISE, "random"), _elementwise),
    "reduce": _reduce,
    "scan": _scan,
    "selection": _selection,
}
