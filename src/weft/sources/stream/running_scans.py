"""Scans over tiles that cut the scanned axis: the state carried between tiles, with the bits of the whole scan.

The one idea: a cell is `before ∘ s`, where `before` is the finished cell before its block of 1024 and `s` the running
value in the block (`ir.kernels.sum_order.scan_rows`).  So a tile needs these two values of the last cell before it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

import numpy as np

from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, apply, astype, make, result, stored
from weft.ir.graph.ops import SCANS
from weft.ir.kernels.sum_order import BLOCK
from weft.ir.pieces.box import Box
from weft.passes.narrowing.restrict import BoxRecipe
from weft.sources.stream.folds import acc_of, identity, part_along


def is_carried(n: Node) -> bool:
    """True if tiles may cut the scanned axis of n, with state for each kept cell between them.

    False for nodes that are no scans.
    """
    if n.op.kind != "scan" or n.attrs[1]:
        return False
    return n.op.name != "cumulative_prod" or acc_of(n).kind != "complex"  # multiplying by 1 changes complex bits


def state_bytes(n: Node) -> int:
    """Return the bytes of a scan's state for all kept cells."""
    return 2 * acc_of(n).itemsize * (n.desc.size // max(1, n.desc.shape[n.attrs[0]]))


@dataclass(slots=True, frozen=True)
class ScanState:
    """The state of a scan after `cells` cells: the finished cell before the incomplete block, and its running value."""

    cells: int = 0
    before: Node | None = None
    running: Node | None = None


class RunningScans:
    """The states of the scans in a sweep, by scan and box of kept cells.

    Tiles come in order along the scanned axis.  Without `compute` nothing is computed: each tile is planned as one that
    follows others.
    """

    def __init__(self, carried: Container[int], compute: Callable[[Sequence[Node]], None] | None = None) -> None:
        self.carried, self.compute = carried, compute
        self.states: dict[tuple[int, Box], ScanState] = {}

    def rule(self, n: Node, box: Box) -> BoxRecipe:
        """Return the input box that `box` of a scan needs, and a function that builds its cells from it.

        None if the scan is not carried, or the box does not continue it.
        """
        if id(n) not in self.carried or box.size[n.attrs[0]] == n.desc.shape[n.attrs[0]]:
            return None
        key = id(n), box.along(n.attrs[0], (0, 1, 1))
        state = self.states.get(key, ScanState()) if self.compute else _assumed(n, box)
        if box.runs[n.attrs[0]][:2] != (state.cells, 1):
            return None

        def build(parts: Sequence[Node]) -> Node:
            tile, scans, after = _continued(n, parts[0], state)
            if self.compute is not None:
                own = [None if s is None else apply("positive", s) for s in (after.before, after.running)]
                self.compute([*scans, *[s for s in own if s is not None]])
                self.states[key] = ScanState(after.cells, *own)
            return astype(tile, n.desc.dtype)

        return [(n.inputs[0], box)], build


def _assumed(n: Node, box: Box) -> ScanState:
    """Return the state of scan n before `box`, of the right shapes with arbitrary values, for planning only."""
    desc = result(acc_of(n), box.along(n.attrs[0], (0, 1, 1)).size)
    return ScanState(box.start[n.attrs[0]], *[stored(desc, np.zeros(desc.shape, desc.dtype.np)) for _ in range(2)])


def _continued(n: Node, x: Node, state: ScanState) -> tuple[Node, list[Node], ScanState]:
    """Return the next cells of a scan, the scans they are made of, and the state after them.

    x holds the input cells that follow `state`.
    """
    axis, x = n.attrs[0], astype(x, acc_of(n))
    before, running = state.before, state.running
    scans, finished = list[Node](), list[Node]()
    for first, cells in _in_blocks(state.cells, x.desc.shape[axis]):
        part = part_along(x, axis, first, cells)
        ahead = [] if running is None else [running]
        if cells > BLOCK and before is not None:  # start with a block whose total is the cell before
            rest = tuple([BLOCK - 1 if a == axis else m for a, m in enumerate(part.desc.shape)])
            ahead = [before, identity(SCANS[n.op.name][0], x, rest)]
        behind = se.concat([*ahead, part], axis) if ahead else part
        scans.append(make(n.op, (behind,), n.attrs, result(x.desc.dtype, behind.desc.shape)))
        running = made = part_along(scans[-1], axis, behind.desc.shape[axis] - cells, cells)
        if before is not None and cells <= BLOCK:
            made = apply(SCANS[n.op.name][1], before, made)
        finished.append(made)
        running = part_along(running, axis, cells - 1, 1)
        if (state.cells + first + cells) % BLOCK == 0:
            before, running = part_along(made, axis, cells - 1, 1), None
    after = ScanState(state.cells + x.desc.shape[axis], before, running)
    return finished[0] if len(finished) == 1 else se.concat(finished, axis), scans, after


def _in_blocks(begin: int, count: int) -> list[tuple[int, int]]:
    """Return `count` cells from cell number `begin` on as parts (first, cells).

    These are the rest of a block, whole blocks, and a remainder.

    >>> _in_blocks(1000, 3000), _in_blocks(2048, 10)
    ([(0, 24), (24, 2048), (2072, 928)], [(0, 10)])
    """
    head = min(-begin % BLOCK, count)
    whole = (count - head) // BLOCK * BLOCK
    found = [(0, head), (head, whole), (head + whole, count - head - whole)]
    return [(first, size) for first, size in found if size]
