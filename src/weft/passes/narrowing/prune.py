"""Leave inputs that no requested cell reads out of a graph.

Ten cells of a join of thousands of parts touch one part.  The one idea: the needed cells of every node are found from
the roots down (see `needs`), and inputs outside are never visited.  They are replaced by cells that are never read;
shapes and all nodes above stay as they are.  Where a part of a reduction or scan is read, only that part is computed,
and padded with unread cells to the place where readers look for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.dtypes import DType
from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import placed
from weft.ir.atoms.pad import zero_of
from weft.ir.graph.description import Shape
from weft.ir.graph.domain import Domain
from weft.ir.graph.node import Node, make, mark_replacement, result, walk
from weft.ir.graph.ops import BARRIERS, SORTS
from weft.ir.pieces import block_operator
from weft.ir.pieces.box import Box
from weft.passes.fuse import is_any_below, is_stored
from weft.passes.narrowing.needs import Need, demand_of_box, needs
from weft.passes.views import rebuilt

MANY = 64  # nodes of a graph with a wide composite that is worth a second look
MANY_NARROW = 1024  # likewise, if composites have up to FEW inputs: mostly all of them are read
MOST_READ = 128  # nodes that may be read: to find those of more takes longer than their keys, and plans narrow anyway
FEW = 8  # unread parts that are not worth a concat of its own


def pruned(roots: Sequence[Node]) -> list[Node]:
    """Return the roots over fewer inputs: composites keep only the parts that are read.

    The same roots come back if nothing changes, or more than MOST_READ nodes are read.

    >>> import weft
    >>> from weft.tensors.tensor import node_of
    >>> parts = [weft.asarray([float(k)] * 10) for k in range(1000)]
    >>> (n,) = pruned([node_of(weft.concat(parts)[42:45])])
    >>> n.op.name, n.shape, len(n.inputs[0].inputs)
    ('slice', (3,), 3)
    """
    read = needs(roots, most=MOST_READ) if is_any_below(roots, _may_skip_cells) else {}
    return over_needs(roots, read) if read else list(roots)


def _may_skip_cells(n: Node) -> bool:
    """True if all cells of a pending node may be computed without reading all cells of its inputs."""
    if n.op.kind != "selection" or is_stored(n):
        return n.op.kind in ("take", "blocks")
    return n.op.name == "overlay" or any(i.desc.size > n.desc.size for i in n.inputs)


def over_needs(
    roots: Sequence[Node], needs_by_id: dict[int, Need], change: Callable[[Node, Need], Node] | None = None
) -> list[Node]:
    """Return the roots rebuilt without the inputs that `needs_by_id`, a result of `needs`, shows to be unread.

    `change`, if given, maps each rebuilt node and its need to the node that replaces it.
    """
    image: dict[int, Node] = {}

    def read(n: Node) -> list[Node]:
        need = needs_by_id.get(id(n))
        return [] if need is None else [n.inputs[k] for k in need.inputs]

    for n in walk(roots, read):
        need = needs_by_id.get(id(n))
        made = n if need is None or is_stored(n) or not n.inputs else _without_unread(n, need, image)
        image[id(n)] = made if need is None or change is None else change(made, need)
    return [image[id(r)] for r in roots]


def _without_unread(n: Node, need: Need, images: dict[int, Node]) -> Node:
    """Return node n over the images of its inputs, by id, leaving out unread inputs if there are many."""
    if n.op.name == "concat" and len(n.inputs) - len(need.inputs) >= FEW:
        made = _few_parts(n, sorted(need.inputs), images)
        made.traits = n.traits
        return made
    inputs = tuple([images[id(i)] if k in need.inputs else unread(i) for k, i in enumerate(n.inputs)])
    return rebuilt(n, inputs)


def _few_parts(n: Node, touched: Sequence[int], images: dict[int, Node]) -> Node:
    """Return concat n of only the parts numbered in `touched`, with unread cells between them.

    `images` has the images of its inputs by id.
    """
    axis, offsets = n.attrs
    inputs, borders, at = [], [0], 0
    for k in [*touched, len(n.inputs)]:
        if offsets[at] < offsets[k]:
            shape = n.desc.shape
            inputs.append(_cells(n.desc.dtype, (*shape[:axis], offsets[k] - offsets[at], *shape[axis + 1 :])))
            borders.append(offsets[k])
        if k < len(n.inputs):
            inputs.append(images[id(n.inputs[k])])
            borders.append(offsets[k + 1])
            at = k + 1
    return make(n.op, tuple(inputs), (axis, tuple(borders)), n.desc)


# ---- cells that are not read


def unread(n: Node) -> Node:
    """Return cells that are never read, in n's dtype, shape and origin; n itself if stored or a source."""
    return n if is_stored(n) or not n.inputs else placed(_cells(n.desc.dtype, n.desc.shape), n.desc.origin)


def _cells(dtype: DType, shape: Shape) -> Node:
    return se.broadcast_to(zero_of(dtype), shape)


def spread(parts: Sequence[Node], boxes: Sequence[Box], n: Node) -> Node:
    """Return `parts` of n at their boxes, in the shape of n; the cells between and around are never read."""
    shape = n.desc.shape
    if len(boxes) > 1:
        laid = [placed(x, b.start) for x, b in zip(parts, boxes, strict=True)]
        return placed(se.overlay(laid, Domain((0,) * len(shape), shape), zero_of(n.desc.dtype)), n.desc.origin)
    (x,), (box,) = parts, boxes
    for d, (_, step, size) in enumerate(box.runs):
        if step > 1:
            x = se.repeat(x, step, d)
            extent = [(0, 1, step * (size - 1) + 1 if a == d else m) for a, m in enumerate(x.desc.shape)]
            x = se.slice_(x, extent)
    x = se.pad(x, [(s, m - s - k * (c - 1) - 1) for (s, k, c), m in zip(box.runs, shape, strict=True)])
    return placed(x, n.desc.origin)


# ---- reductions, scans and block operators of the cells that are read


def narrowed(n: Node, made: Node, need: Need | None) -> Node | None:
    """Return a reduction, scan or block operator of only the cells read, padded to n's shape; None if all are.

    `made` is n over its simplified inputs; `need` is None if no cell is read.
    """
    if n.op.kind not in BARRIERS or not n.desc.size:
        return None
    if need is None:
        return unread(n)
    box = need.box
    if n.op.kind == "blocks":
        return _part_of_blocks(n, made, box)
    if n.op.name in SORTS:
        return _part_of_sort(n, made, need)
    if n.op.kind in ("bins", "call") or box.size == n.desc.shape:
        return None
    asked = demand_of_box(made, box)
    if not asked:
        return None
    ((_, inner),) = asked
    if made.op.kind == "scan":  # up to the last position asked for, from the first
        axis, initial = made.attrs
        box = box.along(axis, (0, 1, inner.size[axis] + bool(initial)))
        if box.size == n.desc.shape:
            return None
    part = se.slice_(made.inputs[0], inner.runs)
    small = make(made.op, (part,), made.attrs, result(n.desc.dtype, box.size))
    return spread([mark_replacement(small, n)], [box], n)


def _part_of_blocks(n: Node, made: Node, box: Box) -> Node | None:
    """Return block operator n for the cells of a box, padded to n's shape.

    None if its blocks cover all of n. `made` is n over its simplified inputs.
    """
    whole = block_operator.output_box(made, box)
    if whole.size == n.desc.shape:
        return None
    inputs = [se.slice_(made.inputs[k], needed.runs) for k, needed in block_operator.demanded(made, box)]
    return spread([block_operator.part(made, box, inputs)], [whole], n)


def _part_of_sort(n: Node, made: Node, need: Need) -> Node | None:
    """Return a sort that puts only the cells at the ranks in `need` in their places.

    None if these are over half of the axis. `made` is n over its simplified inputs.
    """
    axis, descending, ranges = made.attrs
    ranks = sorted([(b.start[axis], b.start[axis] + b.step[axis] * (b.size[axis] - 1) + 1) for b in need.boxes])
    joined: list[tuple[int, int]] = []
    for first, stop in ranks:
        if joined and first <= joined[-1][1]:
            first, last = joined.pop()
            stop = max(stop, last)
        joined.append((first, stop))
    if ranges or 2 * sum([b - a for a, b in joined]) > n.desc.shape[axis]:
        return None
    return mark_replacement(make(made.op, made.inputs, (axis, descending, tuple(joined)), made.desc), n)


def certificate(n: Node, made: Node, need: Need | None) -> tuple[Node, Node]:
    """Return the cells that are read, of n and of the narrowed `made`: two values that must be equal.

    Without a need no cell is read, not even the one of a node without axes.
    """
    if need is None:
        none = [se.slice_(se.reshape(x, (x.desc.size,)), ((0, 1, 0),)) for x in (n, made)]
        return none[0], none[1]
    before, after = ([se.reshape(se.slice_(x, b.runs), (b.cells,)) for b in need.boxes] for x in (n, made))
    return se.concat(before, 0), se.concat(after, 0)
