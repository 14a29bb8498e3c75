"""Boxes of reshapes: the input's boxes with the cells of a box, and the box put together from them.

The one idea: cells that follow each other in row-major order are a few boxes of any shape of as many cells: the end of
a row, whole rows, the start of a row.  A request has one order of its cells and cannot say that; boxes can.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from weft.ir.atoms import selections as se
from weft.ir.atoms.reshape import reshape_groups
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box, box_of_runs

Span = tuple[int, int]  # (first, cells)
MAX_BOXES = 64


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
    if prod(map(len, cut)) > MAX_BOXES:
        return None
    boxes = []
    for chosen in product(*cut):
        spans = dict([span for part in chosen for span in part])
        boxes.append(
            box_of_runs([(spans[a][0], 1, spans[a][1]) if a in spans else (0, 1, m) for a, m in enumerate(old)])
        )
    return RowRuns(boxes, counts, around)


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
    """Return the cells of a box of a reshape, given the nodes `parts` for the boxes of its input in `runs`."""
    shaped = [se.reshaped(p, c) for p, c in zip(parts, product(*runs.counts), strict=True)]
    for axis in range(len(runs.counts) - 1, -1, -1):
        m = len(runs.counts[axis])
        shaped = [se.concat(shaped[k : k + m], axis) if m > 1 else shaped[k] for k in range(0, len(shaped), m)]
    made = se.reshaped(shaped[0], runs.around.size)
    if box == runs.around:
        return made
    return se.slice_(made, [(0, s, m) for _, s, m in box.runs])
