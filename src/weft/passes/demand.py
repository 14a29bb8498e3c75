"""Which cells of its inputs a request to a node reads, and from there which cells of a graph its roots need.

The one idea: one step says for a request to a node what it asks of every input; all that cuts, prunes, narrows or
moves follows these steps.  On the walk, what several readers ask of a node is kept as a few strided boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box, bounding, box_of
from weft.ir.pieces.request import NotAView, Request, Row, TooManyPieces, operand, row_range, whole
from weft.ir.pieces.routing import AFFINE, step
from weft.passes.fuse import is_stored

MAX_BOXES = 16  # boxes of one node told apart; more are joined into one

Asked = list[tuple[int, Request]]


def demand(n: Node, request: Request) -> Asked:
    """Return what a request to a pending node reads, as (input number, request to that input).

    Parameters that the request lacks are added at its end: a reduction's own axes, an axis that is read whole.
    """
    rule = _BY_OP.get(n.op.name) or _BY_KIND[n.op.kind]
    return rule(n, request)


def _selection(n: Node, request: Request) -> Asked:
    return step(n, request)


def _elementwise(n: Node, request: Request) -> Asked:
    shape = n.desc.shape
    return [(k, request if i.desc.shape == shape else operand(request, i.desc.shape)) for k, i in enumerate(n.inputs)]


def _everything(n: Node, request: Request) -> Asked:
    return [(k, whole(i)) for k, i in enumerate(n.inputs)]


def _same(n: Node, request: Request) -> Asked:
    return [(0, request)]


def _gather(n: Node, request: Request) -> Asked:
    """A gather reads every position along the axes it looks up, of the others what is asked for."""
    axes, at = n.attrs
    x, *tables = n.inputs
    width = max([i.desc.ndim for i in tables])
    inner = request._replace(rows=request.rows[at : at + width])
    others = iter(request.rows[:at] + request.rows[at + width :])
    found = _with_ranges(request, [None if d in axes else next(others) for d in range(x.desc.ndim)], x.desc.shape)
    return [(0, found), *[(k, operand(inner, i.desc.shape)) for k, i in enumerate(tables, 1)]]


def _reduce(n: Node, request: Request) -> Asked:
    """A reduction reads its own axes whole, of the others what is asked for."""
    shape, (axes, keepdims) = n.inputs[0].desc.shape, n.attrs[:2]
    kept = iter([row for a, row in enumerate(request.rows) if not keepdims or a not in axes])
    return [(0, _with_ranges(request, [None if a in axes else next(kept) for a in range(len(shape))], shape))]


def _scan(n: Node, request: Request) -> Asked:
    """A scan reads every cell up to the last one asked for."""
    axis, initial = n.attrs
    shape = n.inputs[0].desc.shape
    needed = min(row_range(request.rows[axis], request.sizes)[1] + 1 - bool(initial), shape[axis])
    if needed <= 0:
        return []
    rows = [None if a == axis else row for a, row in enumerate(request.rows)]
    return [(0, _with_ranges(request, rows, (*shape[:axis], needed, *shape[axis + 1 :])))]


def _with_ranges(request: Request, rows: Sequence[Row | None], shape: Shape) -> Request:
    """The rows as a request; one that is None reads the positions 0, 1, ... of its axis by a parameter of its own."""
    sizes, made = list(request.sizes), []
    for row, n in zip(rows, shape, strict=True):
        if row is None:
            row = (0, ((len(sizes), 1),)) if n > 1 else (0, ())
            sizes.append(n)
        made.append(row)
    new = len(sizes) - len(request.sizes)
    return Request(tuple(sizes), request.start + (0,) * new, request.step + (1,) * new, tuple(made))


_BY_KIND: dict[str, Callable[[Node, Request], Asked]] = {
    "selection": _selection,
    "elementwise": _elementwise,
    "reduce": _reduce,
    "scan": _scan,
    "call": _everything,
    "source": _everything,
}
_BY_OP = {"gather": _gather, "transfer": _same}


# ---- sets of cells


def demand_of_box(n: Node, box: Box) -> list[tuple[int, Box]]:
    """Return what a box of a pending node reads, as (input number, box); an input may come several times."""
    if not box.cells:
        return []
    if n.op.kind == "selection" and n.op.name not in AFFINE and box.size == n.desc.shape:
        return [(k, box_of(i.desc.shape)) for k, i in enumerate(n.inputs) if i.desc.size]
    try:
        asked = demand(n, box.request)
    except (NotAView, TooManyPieces):
        return [(k, box_of(i.desc.shape)) for k, i in enumerate(n.inputs)]
    return [(k, bounding(r)) for k, r in asked if 0 not in r.sizes]


@dataclass(slots=True)
class Need:
    """The boxes of a node that are read, and the numbers of the inputs that they come from."""

    node: Node
    boxes: list[Box] = field(default_factory=list)
    inputs: set[int] = field(default_factory=set)
    done: int = 0  # boxes already asked of the inputs

    @property
    def box(self) -> Box:
        """One box that holds all."""
        found = self.boxes[0]
        for other in self.boxes[1:]:
            found = found.joined(other)
        return found

    def apart(self, cells: int) -> list[Box]:
        """The boxes; the one that holds all, where that has fewer than so many cells too many for each box."""
        whole = self.box
        saved = whole.cells - sum([b.cells for b in self.boxes])
        strided = any(s > 1 for b in self.boxes for s in b.step)
        return [whole] if strided or saved < cells * (len(self.boxes) - 1) else self.boxes

    def add(self, box: Box) -> bool:
        """Note a box; True if something new is read."""
        if any(known.holds(box) for known in self.boxes):
            return False
        self.boxes.append(box)
        if len(self.boxes) > MAX_BOXES:
            self.boxes, self.done = [self.box], 0
        return True


def needs(roots: Sequence[Node], boxes: Sequence[Box] | None = None) -> dict[int, Need]:
    """Return for every node that some boxes of the roots (None: all cells) come from what is read of it, by its id.

    Nothing outside is visited: the cost follows what is read.  Stored nodes and sources are ends.
    """
    found: dict[int, Need] = {}
    pending: list[tuple[int, int, Node]] = []  # readers first, so that a node is mostly visited once
    count = 0

    def ask(n: Node, box: Box) -> None:
        nonlocal count
        need = found.get(id(n))
        if need is None:
            need = found[id(n)] = Need(n)
        if need.add(box) and n.inputs and not is_stored(n):
            count += 1
            heappush(pending, (-n.depth, count, n))

    for k, r in enumerate(roots):
        if r.desc.size:
            ask(r, box_of(r.desc.shape) if boxes is None else boxes[k])
    while pending:
        n = heappop(pending)[2]
        need = found[id(n)]
        fresh, need.done = need.boxes[need.done :], len(need.boxes)
        for box in fresh:
            for k, part in demand_of_box(n, box):
                need.inputs.add(k)
                ask(n.inputs[k], part)
    return found
