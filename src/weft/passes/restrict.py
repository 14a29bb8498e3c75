"""A box of a value as an expression of its own: the box is asked of the operands, down to what cannot be cut.

The one idea: a cell of an elementwise operation needs one cell of each operand, a kept cell of a reduction the cells it
reduces, a cell of a concat one part; so a tile of a large expression is the same expression over tiles.  Whatever else
stands there (routines, other selections, memory, files) gets a slice on top.  No bit changes: the order of sums follows
from the reduced axes, and those are whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.ir.atoms import affine as se
from weft.ir.atoms import composites as co
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, broadcast_domains, make, result, walk
from weft.passes.fuse import is_stored

Box = tuple[tuple[int, int], ...]  # (start, size) of every axis
Asked = tuple[Node, Box]
Windows = dict[int, tuple[int, Node]]  # by the id of a file: first position, and the part as a node
Build = Callable[[Sequence[Node]], Node]


def restricted(n: Node, box: Box) -> Node:
    """The cells of a box of a node, as a node.

    >>> from weft import dtypes
    >>> from weft.ir.graph.node import OPS, elementwise, make, result, scalar
    >>> x = make(OPS["iota"], (), (0,), result(dtypes.int64, (100,)))
    >>> restricted(elementwise(OPS["add"], x, scalar(1, dtypes.int64)), ((10, 5),)).inputs[0].op
    slice
    """
    return restricted_together([(n, box)])[0]


def restricted_together(wanted: Sequence[Asked]) -> list[Node]:
    """Boxes of several nodes, over the same parts of what they have in common."""
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
    """For every file that is read in part: the positions of its outermost axis that hold all parts, as a node."""
    spans: dict[int, tuple[Node, int, int]] = {}
    as_a_whole: list[Node] = []
    seen: set[tuple[int, Box]] = set()
    stack = list(wanted)
    while stack:
        n, box = stack.pop()
        if (id(n), box) in seen:
            continue
        seen.add((id(n), box))
        if _gives_parts(n) and box != whole(n):
            axis = _outermost(n)
            first, size = box[axis]
            _, low, high = spans.get(id(n), (n, first, first + size))
            spans[id(n)] = n, min(low, first), max(high, first + size)
            continue
        asked, _ = _rule(n, box, {})
        if not asked:
            as_a_whole.append(n)
        stack.extend(asked)
    for n in walk(as_a_whole):
        spans.pop(id(n), None)
    return {key: (low, _part(n, low, high - low)) for key, (n, low, high) in spans.items()}


def whole(n: Node) -> Box:
    """All cells."""
    return tuple([(0, size) for size in n.desc.shape])


def _rule(n: Node, box: Box, windows: Windows) -> tuple[list[Asked], Build]:
    """What a box of n needs of n's operands, and how it is made of that."""
    if box == whole(n):
        return [], lambda _: n
    if id(n) in windows:
        low, part = windows[id(n)]
        axis = _outermost(n)
        inside = tuple([(first - low, size) if a == axis else (first, size) for a, (first, size) in enumerate(box)])
        return [], lambda _: part if inside == whole(part) else _sliced(part, inside)
    rule = None if is_stored(n) else RULES.get(n.op.name) or KINDS.get(n.op.kind)
    found = rule(n, box) if rule is not None else None
    return found or ([], lambda _: _sliced(n, box))


def _sliced(n: Node, box: Box) -> Node:
    return se.slice_(n, [(first, 1, size) for first, size in box])


def _gives_parts(n: Node) -> bool:
    """Whether n is a file whose source gives parts along its outermost axis: memory is then taken for a part alone."""
    source = n.attrs[0] if n.op.name == "file" and n.value is None and n.desc.ndim else None
    return hasattr(source, "part") and not hasattr(source, "map")


def _outermost(n: Node) -> int:
    return 0 if n.attrs[0].order == "C" else n.desc.ndim - 1


def _part(n: Node, first: int, size: int) -> Node:
    """Positions of the outermost axis of a file, as a file."""
    if size == n.desc.shape[_outermost(n)]:
        return n
    part, d = n.attrs[0].part(first, size), n.desc
    return make(n.op, (), (part,), describe(d.dtype, part.shape, part.strides, d.big, None, d.read_only))


Rule = Callable[[Node, Box], tuple[list[Asked], Build] | None]


def _operand(i: Node, box: Box) -> Asked:
    """The part of an operand that is broadcast to the box."""
    lead = len(box) - i.desc.ndim
    return i, tuple([(0, 1) if size == 1 else part for size, part in zip(i.desc.shape, box[lead:], strict=True)])


def _elementwise(n: Node, box: Box) -> tuple[list[Asked], Build]:
    def build(parts: Sequence[Node]) -> Node:
        shape, origin = broadcast_domains(n.op.name, [p.desc for p in parts])
        return make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, shape, origin))

    return [_operand(i, box) for i in n.inputs], build


def _reduce(n: Node, box: Box) -> tuple[list[Asked], Build]:
    x, axes, keepdims = n.inputs[0], n.attrs[0], n.attrs[1]
    kept = iter(box if not keepdims else [b for a, b in enumerate(box) if a not in axes])
    inner = tuple([(0, size) if a in axes else next(kept) for a, size in enumerate(x.desc.shape)])

    def build(parts: Sequence[Node]) -> Node:
        shape = tuple([size for _, size in box])
        return make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, shape, _kept_origin(parts[0], axes, keepdims)))

    return [(x, inner)], build


def _kept_origin(x: Node, axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...] | None:
    origin = x.desc.origin
    if origin is None:
        return None
    if keepdims:
        return tuple([0 if a in axes else o for a, o in enumerate(origin)])
    return tuple([o for a, o in enumerate(origin) if a not in axes])


def _scan(n: Node, box: Box) -> tuple[list[Asked], Build] | None:
    axis = n.attrs[0]
    if box[axis] != (0, n.desc.shape[axis]):
        return None
    x = n.inputs[0]
    inner = tuple([(0, x.desc.shape[axis]) if a == axis else part for a, part in enumerate(box)])
    shape = tuple([size for _, size in box])
    return [(x, inner)], lambda parts: make(n.op, tuple(parts), n.attrs, result(n.desc.dtype, shape))


def _permute(n: Node, box: Box) -> tuple[list[Asked], Build]:
    order = n.attrs[0]
    inner = tuple([box[order.index(a)] for a in range(len(order))])
    return [(n.inputs[0], inner)], lambda parts: se.permute(parts[0], order)


def _expand_dims(n: Node, box: Box) -> tuple[list[Asked], Build] | None:
    axes = n.attrs[0]
    if any(box[a] != (0, 1) for a in axes):
        return None
    inner = tuple([part for a, part in enumerate(box) if a not in axes])
    return [(n.inputs[0], inner)], lambda parts: se.expand_dims(parts[0], axes)


def _squeeze(n: Node, box: Box) -> tuple[list[Asked], Build]:
    axes, kept = n.attrs[0], iter(box)
    inner = tuple([(0, 1) if a in axes else next(kept) for a in range(n.inputs[0].desc.ndim)])
    return [(n.inputs[0], inner)], lambda parts: se.squeeze(parts[0], axes)


def _broadcast_to(n: Node, box: Box) -> tuple[list[Asked], Build]:
    shape = tuple([size for _, size in box])
    return [_operand(n.inputs[0], box)], lambda parts: se.broadcast_to(parts[0], shape)


def _slice(n: Node, box: Box) -> tuple[list[Asked], Build] | None:
    slices = n.attrs[0]
    if any(step != 1 for _, step, _ in slices):
        return None
    inner = tuple([(first + start, size) for (first, _, _), (start, size) in zip(slices, box, strict=True)])
    return [(n.inputs[0], inner)], lambda parts: parts[0]


def _concat(n: Node, box: Box) -> tuple[list[Asked], Build] | None:
    axis, offsets = n.attrs
    start, size = box[axis]
    asked: list[Asked] = []
    for i, first, end in zip(n.inputs, offsets, offsets[1:], strict=False):
        low, high = max(start, first), min(start + size, end)
        if low < high:
            asked.append((i, (*box[:axis], (low - first, high - low), *box[axis + 1 :])))
    if not asked:
        return None
    return asked, lambda parts: co.concat(parts, axis)


KINDS: dict[str, Rule] = {"elementwise": _elementwise, "reduce": _reduce, "scan": _scan}
RULES: dict[str, Rule] = {
    "gather": lambda n, box: None,
    "permute": _permute,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "broadcast_to": _broadcast_to,
    "slice": _slice,
    "concat": _concat,
}
