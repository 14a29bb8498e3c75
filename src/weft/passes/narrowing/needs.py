"""Needs: the cells of every node that some roots read, found by following demand from the roots down.

The one idea: the requests of several readers are kept as a few strided boxes, which are asked of the node's inputs in
turn.  Cells that follow each other in row-major order, as reshapes read them, are a few boxes of any shape of as many
cells: the end of a row, whole rows, the start of a row.  A request has one order of its cells and cannot say that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import product
from math import prod
from typing import NamedTuple

from weft.ir.atoms import selections as se
from weft.ir.atoms.reshape import reshape_groups
from weft.ir.atoms.table import AFFINE
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node
from weft.ir.pieces import block_operator
from weft.ir.pieces.box import Box, bounding, box_of, box_of_runs
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import MustStore, Request
from weft.passes.fuse import is_stored

Span = tuple[int, int]  # (first, cells)
MAX_ROW_RUNS = 64


class RowRuns(NamedTuple):
    """The boxes of a reshape's input that hold a box of the reshape."""

    boxes: list[Box]  # of the input, in row-major order of the parts
    counts: list[list[int]]  # for each run of axes the cells of its parts
    around: Box  # the cells of the reshape that they make: without gaps


def row_runs(n: Node, box: Box) -> RowRuns | None:
    """Return the input boxes that hold a box of a reshape; None if its cells are not row-major runs.

    >>> from weft.ir.graph.node import iota
    >>> [b.slices[:2] for b in row_runs(se.reshape(iota((5, 4)), (20,)), Box((6,), (1,), (7,))).boxes]
    [(slice(1, 2, 1), slice(2, 4, 1)), (slice(2, 3, 1), slice(0, 4, 1)), (slice(3, 4, 1), slice(0, 1, 1))]
    """
    old, new = n.inputs[0].desc.shape, n.desc.shape
    around = box_of_runs([(a, 1, s * (m - 1) + 1) for a, s, m in box.runs])
    cut: list[list[list[tuple[int, Span]]]] = []  # for each run of axes the parts: spans along old axes
    counts: list[list[int]] = []
    for olds, news in reshape_groups(old, new):
        sizes = tuple([new[a] for a in news])
        run = _run([(around.start[a], around.size[a]) for a in news], sizes)
        if run is None:
            return None
        parts = list(_boxes_of_run(tuple([old[a] for a in olds]), *run))
        cut.append([list(zip(olds, spans, strict=True)) for spans in parts])
        counts.append([prod([m for _, m in spans]) for spans in parts])
    if prod(map(len, cut)) > MAX_ROW_RUNS:
        return None
    boxes = []
    for chosen in product(*cut):
        spans = dict([span for part in chosen for span in part])
        boxes.append(
            box_of_runs([(spans[a][0], 1, spans[a][1]) if a in spans else (0, 1, m) for a, m in enumerate(old)])
        )
    return RowRuns(boxes, counts, around)


def better_row_runs(n: Node, box: Box, count: int | None) -> RowRuns | None:
    """Return the row runs of a box of a reshape; None if there are none, or at least as many as `count` boxes."""
    if count is not None and any(s > 1 for s in box.step):
        return None
    runs = row_runs(n, box)
    return runs if runs is None or count is None or len(runs.boxes) < count else None


def _run(spans: Sequence[Span], shape: Shape) -> Span | None:
    """Return the row-major positions of a box in `shape` as (first, count); None if they are not consecutive.

    `spans` are (first, size) of each axis.
    """
    moving = next((k for k, (_, m) in enumerate(spans) if m > 1), len(spans))
    if any(m != n for (_, m), n in zip(spans[moving + 1 :], shape[moving + 1 :], strict=True)):
        return None
    first = sum([a * s for (a, _), s in zip(spans, c_strides(shape, 1), strict=True)])
    return first, prod([m for _, m in spans])


def _boxes_of_run(shape: Shape, start: int, count: int) -> list[list[Span]]:
    """Return boxes, in row-major order, that hold `count` consecutive positions of a shape.

    These are row-major positions from `start` on.
    """
    if len(shape) == 1:
        return [[(start, count)]]
    row, inner = prod(shape[1:]), [(0, n) for n in shape[1:]]
    (a, begin), (b, end) = divmod(start, row), divmod(start + count, row)
    if a == b:
        return [[(a, 1), *rest] for rest in _boxes_of_run(shape[1:], begin, count)]
    found = [[(a, 1), *rest] for rest in _boxes_of_run(shape[1:], begin, row - begin)] if begin else []
    a += bool(begin)
    found += [[(a, b - a), *inner]] if a < b else []
    return found + ([[(b, 1), *rest] for rest in _boxes_of_run(shape[1:], 0, end)] if end else [])


def put_together(box: Box, runs: RowRuns, parts: Sequence[Node]) -> Node:
    """Return the cells of a reshape's box, given nodes `parts` for its input's boxes in `runs`."""
    shaped = [se.reshaped(p, c) for p, c in zip(parts, product(*runs.counts), strict=True)]
    for axis in range(len(runs.counts) - 1, -1, -1):
        m = len(runs.counts[axis])
        shaped = [se.concat(shaped[k : k + m], axis) if m > 1 else shaped[k] for k in range(0, len(shaped), m)]
    made = se.reshaped(shaped[0], runs.around.size)
    if box == runs.around:
        return made
    return se.slice_(made, [(0, s, m) for _, s, m in box.runs])


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
    asked: Sequence[tuple[int, Request]] | None
    try:
        asked = demand(n, request)
    except MustStore:
        asked = None
    if n.op.name == "reshape" and (runs := better_row_runs(n, box, None if asked is None else len(asked))):
        return [(0, b) for b in runs.boxes]
    if asked is None:
        return [(k, box_of(i.desc.shape)) for k, i in enumerate(n.inputs)]
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
    most: int | None = None,
) -> dict[int, Need]:
    """Return by node id the cells that boxes of the roots (None: all cells) read of every node below.

    Nodes outside are not visited: the cost follows the number of nodes read. Stored nodes and sources are ends.
    `input_boxes` gives the boxes of the inputs of nodes that read others than `demand_of_box` says, and None for all
    others. The result is empty if more than `most` nodes with inputs are visited.
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
        if most is not None and count > most:
            return {}
        n = heappop(pending)[2]
        need = found[id(n)]
        fresh, need.done = need.boxes[need.done :], len(need.boxes)
        for box in fresh:
            parts = None if input_boxes is None else input_boxes(n, box)
            for k, part in demand_of_box(n, box) if parts is None else parts:
                need.inputs.add(k)
                ask(n.inputs[k], part)
    return found
