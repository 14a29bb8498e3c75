"""A box of a value as an expression of its own, made from boxes of its operands.

The one idea: the cells that a box demands of the operands are known (see `demand`), so a tile of a large expression is
the same expression over tiles.  Values that cannot be made again over parts (routines, memory, files) get a slice on
top.  No bit changes: the order of sums follows from the reduced axes, and those are whole.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import partial

from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, broadcast_domains, make, mark_replacement, result
from weft.ir.graph.ops import IN_PLACE, OPS, POINTWISE
from weft.ir.pieces import block_operator
from weft.ir.pieces.box import Box, bounding
from weft.ir.pieces.demand import demand, line_axis
from weft.ir.pieces.request import MustStore, Request, dense_parts
from weft.passes.fuse import is_stored
from weft.passes.narrowing.needs import better_row_runs, demand_of_box, put_together
from weft.passes.views import composed, joining

Asked = tuple[Node, Box]
Parts = Callable[[Node, Box], Node]  # the cells of a box of a file, as a node
Build = Callable[[Sequence[Node]], Node]
BoxRecipe = tuple[list[Asked], Build] | None
Rule = Callable[[Node, Box], BoxRecipe]  # the boxes of operands that a box is made of, and its builder
_FILE, _LEAF = OPS["file"], OPS["leaf"]


def restricted(n: Node, box: Box) -> Node:
    """Return a node that computes the cells of a box of n.

    >>> from weft.ir.graph.node import apply, iota
    >>> restricted(apply("square", iota((100,))), Box((10,), (1,), (5,))).inputs[0].op
    slice
    """
    return restricted_together([(n, box)])[0]


def restricted_together(
    wanted: Sequence[Asked], parts: Parts | None = None, rebuilt_ids: Container[int] = (), continued: Rule | None = None
) -> list[Node]:
    """Return nodes for boxes of several nodes, sharing the parts of their common inputs.

    `parts` gives the boxes of files; without it they are views of the files. A node of which all cells are wanted stays
    as it is, unless its id is in `rebuilt_ids`. `continued` is a rule tried before all others, for boxes that continue
    earlier ones.
    """
    made: dict[tuple[int, Box], Node] = {}
    rules: dict[tuple[int, Box], tuple[list[Asked], Build]] = {}
    stack = list(wanted)
    while stack:
        node, part = stack[-1]
        key = (id(node), part)
        if key in made:
            stack.pop()
            continue
        if key not in rules:
            rules[key] = _rule(node, part, parts, rebuilt_ids, continued)
        asked, build = rules[key]
        waiting = [a for a in asked if (id(a[0]), a[1]) not in made]
        if waiting:
            stack.extend(waiting)
            continue
        fresh = build([made[id(i), b] for i, b in asked])
        if fresh is not node and fresh.code is None:
            mark_replacement(fresh, node)
        made[key] = fresh
        stack.pop()
    return [made[id(n), box] for n, box in wanted]


def _rule(
    n: Node, box: Box, parts: Parts | None, rebuilt_ids: Container[int], continued: Rule | None
) -> tuple[list[Asked], Build]:
    """Return the operand boxes for a box of n, and a function that builds the box from their nodes.

    `parts`, `rebuilt_ids` and `continued` are those of `restricted_together`.
    """
    if continued is not None and (made := continued(n, box)) is not None:
        return made
    if parts is not None and n.op is _FILE:
        return [], lambda _: parts(n, box)
    if box.size == n.desc.shape and id(n) not in rebuilt_ids:
        return [], lambda _: n
    rule = _linewise if line_axis(n) is not None else _RULES.get(n.op.name) or _RULES.get(n.op.kind, _no_rule)
    found = None if is_stored(n) else rule(n, box)
    return found or ([], lambda _: n if box.size == n.desc.shape else se.slice_(n, box.runs))


def _no_rule(n: Node, box: Box) -> BoxRecipe:
    return None


def _demanded(n: Node, box: Box) -> list[Asked]:
    return [(n.inputs[k], part) for k, part in demand_of_box(n, box)]


def _elementwise(n: Node, box: Box) -> BoxRecipe:
    def build(parts: Sequence[Node]) -> Node:
        shape, origin = broadcast_domains(n.op.name, [p.desc for p in parts])
        return make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, shape, origin))

    return _demanded(n, box), build


def _take_boxes(n: Node, box: Box) -> BoxRecipe:
    """Return the input boxes for a box of a take, and a function that makes the box from their nodes.

    None unless the array that is looked up is in memory.
    """
    if n.inputs[0].op is not _LEAF:
        return None
    return _demanded(n, box), lambda parts: make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, box.size))


def _search(n: Node, box: Box) -> BoxRecipe:
    """Return the sorted vector and a box of the values searched for, and a function that makes the search."""
    return _demanded(n, box), lambda parts: make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, box.size))


def _reduce(n: Node, box: Box) -> BoxRecipe:
    if not n.inputs[0].desc.size:
        return None
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


def _linewise(n: Node, box: Box) -> BoxRecipe:
    """Return the whole lines for a box of a scan, sort or transform, and a function that makes the box.

    It computes the lines and cuts the result to the box.
    """
    asked, axis = _demanded(n, box), line_axis(n)
    if not asked or axis is None:
        return None
    length = asked[0][1].size[axis] + bool(n.attrs[1]) if n.op.kind == "scan" else n.desc.shape[axis]
    made = box.along(axis, (0, 1, length))
    cut = [box.runs[a] if a == axis else (0, 1, m) for a, m in enumerate(box.size)]

    def build(parts: Sequence[Node]) -> Node:
        lines = make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, made.size))
        return lines if made.size == box.size else se.slice_(lines, cut)

    return asked, build


def _selection(n: Node, box: Box) -> BoxRecipe:
    """Return the input boxes for a box of a selection, and a function that makes the box from their nodes.

    None if no composite of them is the box.
    """
    requests: Sequence[tuple[int, Request]] | None
    try:
        requests = demand(n, box.request)
        dense = [(k, part) for k, r in requests for part in dense_parts(r)]
    except MustStore:
        requests = None
    if n.op.name == "reshape" and (runs := better_row_runs(n, box, None if requests is None else len(requests))):
        return [(n.inputs[0], b) for b in runs.boxes], partial(put_together, box, runs)
    if requests is None:
        return None
    way = joining(box.size, [r for _, r in dense], True)
    if way is not None:
        requests = dense
    elif (way := joining(box.size, [r for _, r in requests], True)) is None:
        return None
    asked = [(n.inputs[k], bounding(r)) for k, r in requests]
    within = [_relative(r, part) for (_, r), (_, part) in zip(requests, asked, strict=True)]
    return asked, partial(composed, way, within)


def _relative(request: Request, box: Box) -> Request:
    """Return a request to a node as a request to `box`, a box of the node that holds its cells."""
    rows = tuple(
        [
            ((o - first) // step, tuple([(p, a // step) for p, a in terms]))
            for (o, terms), (first, step, _) in zip(request.rows, box.runs, strict=True)
        ]
    )
    return request._replace(rows=rows)


def _blocks(n: Node, box: Box) -> BoxRecipe:
    """Return the input boxes for a block operator's box, and a function that makes the box from their nodes."""
    whole = block_operator.output_box(n, box)
    cut = [(a - b, s, m) for (a, s, m), b in zip(box.runs, whole.start, strict=True)]

    def build(parts: Sequence[Node]) -> Node:
        made = block_operator.rebased(block_operator.part(n, box, parts))
        return made if box == whole else se.slice_(made, cut)

    return [(n.inputs[k], needed) for k, needed in block_operator.demanded(n, box)], build


_RULES: dict[str, Rule] = {
    **dict.fromkeys((*POINTWISE, *IN_PLACE, "random"), _elementwise),
    "searchsorted": _search,
    "take": _take_boxes,
    "reduce": _reduce,
    "blocks": _blocks,
    "selection": _selection,
}
