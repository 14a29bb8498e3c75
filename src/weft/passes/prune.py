"""Leave out what no cell asked for comes from, before a graph is looked at as a whole: ten cells of a join of thousands
of parts touch one part.

The one idea: boxes of cells that are needed travel down from the roots; a composite of many inputs answers for a box by
arithmetic on its borders, so inputs outside are never visited.  They are replaced by cells that nobody reads; shapes
and everything above stay as they are.  The cost follows what is touched.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from weft.dtypes import DType
from weft.ir.atoms.affine import broadcast_to
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, make, scalar
from weft.ir.pieces.layers import Extent, Layers, meet
from weft.ir.pieces.request import NotAView, Request, TooManyPieces, row_range
from weft.ir.pieces.routing import AFFINE, COMPOSITE
from weft.passes.fuse import is_stored
from weft.passes.switches import enabled

MANY = 64  # nodes from which a graph is worth looking at twice
FEW = 8  # untouched inputs that are not worth a composite of its own
BOXES = 16  # boxes of one node told apart; beyond them all of it counts as needed

Box = Extent | None  # the cells low <= position < high; None is all of them
_UNREAD: dict[DType, Node] = {}


@dataclass(slots=True)
class Need:
    """What is needed of a node, and the inputs, by number, that it comes from."""

    boxes: list[Box] = field(default_factory=list)
    inputs: dict[int, Node] = field(default_factory=dict)


Needs = dict[int, Need]


def pruned(roots: Sequence[Node]) -> list[Node]:
    """The roots over composites without the inputs that no cell of theirs comes from (themselves where there are none).

    >>> import weft
    >>> from weft.tensors.tensor import node_of
    >>> parts = [weft.asarray([float(k)] * 10) for k in range(1000)]
    >>> (n,) = pruned([node_of(weft.concat(parts)[42:45])])
    >>> n.op.name, n.shape, len(n.inputs[0].inputs)
    ('slice', (3,), 3)
    """
    return _rebuilt(roots, _needs(roots)) if enabled("prune") else list(roots)


# ---- down: which cells of which nodes are needed


def _needs(roots: Sequence[Node]) -> Needs:
    """The boxes needed of every node that is met."""
    needs: Needs = {}
    pending: list[tuple[Node, Box]] = [(r, None) for r in roots if r.desc.size and not is_stored(r)]
    while pending:
        n, box = pending.pop()
        need = needs.get(id(n))
        if need is None:
            need = needs[id(n)] = Need()
        elif box in need.boxes or None in need.boxes:
            continue
        if len(need.boxes) >= BOXES:
            box = None
        need.boxes.append(box)
        for k, asked in _asked(n, box):
            i = need.inputs[k] = n.inputs[k]
            if i.inputs and i.desc.size and not is_stored(i):
                pending.append((i, asked))
    return needs


def _asked(n: Node, box: Box) -> list[tuple[int, Box]]:
    """What a box of a node asks of its inputs."""
    name = n.op.name
    if n.op.kind == "elementwise" and name != "gather" and box is not None:
        return [(k, _operand(box, i.desc.shape)) for k, i in enumerate(n.inputs)]
    if n.op.kind != "selection" or (box is None and name not in AFFINE):
        return [(k, None) for k in range(len(n.inputs))]
    if box is not None and name in _BY_BORDERS:
        return _BY_BORDERS[name](n, box)
    request = _request(n, box)
    if name in AFFINE:
        return [(0, _hull(AFFINE[name](n, request.rows), request.sizes, n.inputs[0].desc.shape))]
    try:
        parts = COMPOSITE[name](n, request)
    except (NotAView, TooManyPieces):
        return [(k, None) for k in range(len(n.inputs))]
    return [(k, _hull(part.rows, part.sizes, n.inputs[k].desc.shape)) for k, part in parts]


def _operand(box: Extent, shape: Shape) -> Box:
    """The box in an operand that broadcasts."""
    skipped = len(box.low) - len(shape)
    low = tuple([0 if n == 1 else a for n, a in zip(shape, box.low[skipped:], strict=True)])
    return _or_all(low, tuple([1 if n == 1 else b for n, b in zip(shape, box.high[skipped:], strict=True)]), shape)


def _or_all(low: Shape, high: Shape, shape: Shape) -> Box:
    return None if not any(low) and high == shape else Extent(low, high)


def _request(n: Node, box: Box) -> Request:
    low, high = box if box is not None else ((0,) * n.desc.ndim, n.desc.shape)
    sizes = tuple([b - a for a, b in zip(low, high, strict=True)])
    rows = tuple([(a, ((d, 1),)) if size > 1 else (a, ()) for d, (a, size) in enumerate(zip(low, sizes, strict=True))])
    return Request(sizes, low, (1,) * len(sizes), rows)


def _hull(rows: Sequence[tuple[int, tuple[tuple[int, int], ...]]], sizes: Shape, shape: Shape) -> Box:
    ranges = [row_range(row, sizes) for row in rows]
    return _or_all(tuple([a for a, _ in ranges]), tuple([b + 1 for _, b in ranges]), shape)


def _concat(n: Node, box: Extent) -> list[tuple[int, Box]]:
    axis, offsets = n.attrs
    first, last = bisect_right(offsets, box.low[axis]) - 1, bisect_right(offsets, box.high[axis] - 1) - 1
    asked = []
    for k in range(first, last + 1):
        low, high = max(box.low[axis] - offsets[k], 0), min(box.high[axis], offsets[k + 1]) - offsets[k]
        if low < high:
            low_, high_ = (*box.low[:axis], low, *box.low[axis + 1 :]), (*box.high[:axis], high, *box.high[axis + 1 :])
            asked.append((k, _or_all(low_, high_, n.inputs[k].desc.shape)))
    return asked


def _overlay(n: Node, box: Extent) -> list[tuple[int, Box]]:
    layers, filled = n.attrs
    asked: list[tuple[int, Box]] = [(len(n.inputs) - 1, None)] if filled else []
    for k in layers.touching(box):
        common, start = meet(layers.boxes[k], box), layers.boxes[k].low
        assert common is not None
        low, high = (tuple([y - o for y, o in zip(end, start, strict=True)]) for end in common)
        asked.append((k, _or_all(low, high, n.inputs[k].desc.shape)))
    return asked


_BY_BORDERS = {"concat": _concat, "overlay": _overlay}


# ---- up: the same nodes over fewer inputs


def _rebuilt(roots: Sequence[Node], needs: Needs) -> list[Node]:
    """The roots over what is touched."""
    image = {id(r): r for r in roots if id(r) not in needs}
    stack = list(roots)
    while stack:
        n = stack[-1]
        waiting = [] if id(n) in image else [i for i in needs[id(n)].inputs.values() if id(i) in needs]
        waiting = [i for i in waiting if id(i) not in image]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if id(n) not in image:
            image[id(n)] = _over(n, needs[id(n)], image)
    return [image[id(r)] for r in roots]


def _over(n: Node, need: Need, image: dict[int, Node]) -> Node:
    """The node over the images of its inputs, without those that are not touched where these are many."""
    if len(n.inputs) - len(need.inputs) >= FEW and n.op.name in _FEWER:
        return _FEWER[n.op.name](n, sorted(need.inputs), image)
    inputs = tuple([image.get(id(i), i) for i in n.inputs])
    if all(a is b for a, b in zip(inputs, n.inputs, strict=True)):
        return n
    made = make(n.op, inputs, n.attrs, n.desc)
    if n.alias is not None:  # shapes are as they were, so offsets are too
        made.alias = (inputs[0].alias[0] if inputs[0].alias is not None else inputs[0], n.alias[1])
    made.code, made.lasti = n.code, n.lasti
    return made


def _few_parts(n: Node, touched: Sequence[int], image: dict[int, Node]) -> Node:
    """A join of the parts touched, and of cells that nobody reads between them."""
    axis, offsets = n.attrs
    inputs, borders, at = [], [0], 0
    for k in [*touched, len(n.inputs)]:
        if offsets[at] < offsets[k]:
            inputs.append(_unread(n, axis, offsets[k] - offsets[at]))
            borders.append(offsets[k])
        if k < len(n.inputs):
            inputs.append(image.get(id(n.inputs[k]), n.inputs[k]))
            borders.append(offsets[k + 1])
            at = k + 1
    return make(n.op, tuple(inputs), (axis, tuple(borders)), n.desc)


def _few_layers(n: Node, touched: Sequence[int], image: dict[int, Node]) -> Node:
    """An overlay of the boxes touched over a fill."""
    layers, filled = n.attrs
    kept = [k for k in touched if k < len(layers.boxes)]
    fill = n.inputs[-1] if filled else _scalar(n.desc.dtype)
    inputs = [image.get(id(n.inputs[k]), n.inputs[k]) for k in kept]
    return make(n.op, (*inputs, fill), (Layers([layers.boxes[k] for k in kept]), True), n.desc)


_FEWER = {"concat": _few_parts, "overlay": _few_layers}


def _unread(n: Node, axis: int, size: int) -> Node:
    shape = n.desc.shape
    return broadcast_to(_scalar(n.desc.dtype), (*shape[:axis], size, *shape[axis + 1 :]))


def _scalar(dtype: DType) -> Node:
    if dtype not in _UNREAD:
        _UNREAD[dtype] = scalar(False if dtype.kind == "bool" else 0, dtype)
    return _UNREAD[dtype]
