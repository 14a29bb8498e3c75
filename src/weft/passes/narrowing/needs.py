"""Needs: the cells of every node that some roots read, found by following demand from the roots down.

The one idea: the requests of several readers are kept as a few strided boxes, which are asked of the node's inputs in
turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from weft.ir.atoms.table import AFFINE
from weft.ir.graph.node import Node
from weft.ir.pieces import block_operator
from weft.ir.pieces.box import Box, bounding, box_of
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import MustStore
from weft.passes.fuse import is_stored
from weft.passes.narrowing.reshaped_boxes import row_runs

Asked = list[tuple[int, Box]]  # boxes of inputs, by their number
MAX_BOXES = 16  # boxes of one node told apart; more are joined into one


def demand_of_box(n: Node, box: Box) -> Asked:
    """Return the input boxes that a box of a pending node reads, as (input number, box).

    An input may come several times.  Inputs of a selection that would be cut too fine are read whole.
    """
    if not box.cells:
        return []
    if n.op.kind == "selection" and n.op.name not in AFFINE and box.size == n.desc.shape:
        return [(k, box_of(i.desc.shape)) for k, i in enumerate(n.inputs) if i.desc.size]
    if n.op.kind == "blocks":  # functions get boxes without gaps
        return [(k, part) for k, part in block_operator.demanded(n, box) if part.cells]
    request = box.request
    try:
        asked = demand(n, request)
    except MustStore:
        runs = row_runs(n, box) if n.op.name == "reshape" else None
        return [(k, b) for k, i in enumerate(n.inputs) for b in (runs.boxes if runs else [box_of(i.desc.shape)])]
    return [(k, box if r is request else bounding(r)) for k, r in asked if 0 not in r.sizes]


@dataclass(slots=True)
class Need:
    """The boxes of a node that are read, and the numbers of the inputs that these boxes read."""

    node: Node
    boxes: list[Box] = field(default_factory=list)
    inputs: set[int] = field(default_factory=set)
    done: int = 0  # boxes already asked of the inputs

    @property
    def box(self) -> Box:
        """The least box that holds all boxes that are read."""
        found = self.boxes[0]
        for other in self.boxes[1:]:
            found = found.joined(other)
        return found

    def separate_boxes(self, tolerance: int) -> list[Box]:
        """Return the boxes, or only the box around them if it has fewer than `tolerance` cells more per box."""
        whole = self.box
        saved = whole.cells - sum([b.cells for b in self.boxes])
        strided = any(s > 1 for b in self.boxes for s in b.step)
        return [whole] if strided or saved < tolerance * (len(self.boxes) - 1) else self.boxes

    def add(self, box: Box) -> bool:
        """Add a box, and return True; return False if a known box holds it already."""
        for known in self.boxes:
            if known.holds(box):
                return False
        self.boxes.append(box)
        if len(self.boxes) > MAX_BOXES:
            self.boxes, self.done = [self.box], 0
        return True


def needs(
    roots: Sequence[Node],
    boxes: Sequence[Box] | None = None,
    input_boxes: Callable[[Node, Box], Asked | None] | None = None,
) -> dict[int, Need]:
    """Return by node id the cells that boxes of the roots (None: all cells) read of every node below.

    Nodes outside are not visited: the cost follows the number of nodes read. Stored nodes and sources are ends.
    `input_boxes` gives the boxes of the inputs of nodes that read others than `demand_of_box` says, and None for all
    others.
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
            parts = None if input_boxes is None else input_boxes(n, box)
            for k, part in demand_of_box(n, box) if parts is None else parts:
                need.inputs.add(k)
                ask(n.inputs[k], part)
    return found
