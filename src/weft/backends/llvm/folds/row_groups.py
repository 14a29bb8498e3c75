"""Groups: a reduction's rows, cut so that all rows of a group share one box of kept cells.

Terms: *kept* axes are those of the result, *reduced* axes the others; a *group* (`RowGroup`) is a box of kept cells
with the rows (`GroupRow`) whose cells are reduced to it.  The one idea: rows may cut kept and reduced axes anywhere;
cutting the kept axes at every border leaves groups whose rows divide only the reduced axes between them, and that are
independent.  Axes of one cell are dropped, axes that continue each other merged, and where no order matters the reduced
axes are sorted by stride.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple

from weft.backends.llvm.nest.structure import compacted
from weft.ir.kernels.plan import Body, Operand, Row


@dataclass(slots=True)
class GroupRow:
    """A row of a group: its operands with their byte strides along the kept and the reduced axes, and its box.

    `start` and `size` are the box along the reduced axes.  `offsets` are those of the cell with index 0 along every
    axis, whether or not the box holds it.
    """

    body: Body
    operands: tuple[Operand, ...]
    offsets: list[int]
    kept: list[list[int]]  # [operand][axis]
    reduced: list[list[int]]
    start: list[int]
    size: list[int]
    scalars: int = 0  # the slot that the body counts from


@dataclass(slots=True)
class RowGroup:
    """A box of kept cells with the rows that are reduced to it: sizes of the axes, and the output's strides."""

    kept: list[int]
    reduced: list[int]
    out_offset: int
    out_strides: list[int]
    pieces: list[GroupRow]


def boxes_of(rows: Sequence[Row], shape: Sequence[int], kept: int, out: Operand, sorted_axes: bool) -> list[RowGroup]:
    """Return the groups of a reduction.

    `shape` has the `kept` axes first; `out` is the output.  `sorted_axes`: reduced cells may be visited in any order.
    """
    groups: dict[tuple[tuple[int, int], ...], list[Row]] = {}
    cuts = [_cuts(rows, a) for a in range(kept)]
    for row in rows:
        if 0 in row.sizes:
            continue
        spans = [_spans(cuts[a], row.start[a], row.start[a] + row.sizes[a]) for a in range(kept)]
        for cell in product(*spans):
            groups.setdefault(cell, []).append(row)
    compact: dict[int, tuple[Body, tuple[int, ...]]] = {}
    made = []
    for spans_of_box, members in groups.items():
        for row in members:
            if id(row.body) not in compact:
                compact[id(row.body)] = compacted(row.body)
        pieces = [_piece(row, spans_of_box, kept, *compact[id(row.body)]) for row in members]
        offset = out.offset + sum(lo * s for (lo, _), s in zip(spans_of_box, out.strides, strict=True))
        sizes = [hi - lo for lo, hi in spans_of_box]
        box = RowGroup(sizes, list(shape[kept:]), offset, list(out.strides), pieces)
        _arrange(box, sorted_axes)
        made.append(box)
    return made


def _cuts(rows: Sequence[Row], axis: int) -> list[int]:
    ends = {row.start[axis] for row in rows} | {row.start[axis] + row.sizes[axis] for row in rows}
    return sorted(ends)


def _spans(cuts: list[int], lo: int, hi: int) -> list[tuple[int, int]]:
    return [(a, b) for a, b in pairwise(cuts) if lo <= a and b <= hi]


def _piece(row: Row, box: Sequence[tuple[int, int]], kept: int, body: Body, picks: tuple[int, ...]) -> GroupRow:
    operands = tuple(row.operands[k] for k in picks)
    moved = [*(lo - at for (lo, _), at in zip(box, row.start, strict=False)), *(-a for a in row.start[kept:])]
    axes = [a for a, m in enumerate(moved) if m]
    offsets = [o.offset + sum([moved[a] * o.strides[a] for a in axes]) for o in operands]
    return GroupRow(
        body, operands, offsets, [list(o.strides[:kept]) for o in operands], [list(o.strides[kept:]) for o in operands],
        list(row.start[kept:]), list(row.sizes[kept:]), row.scalars,
    )  # fmt: skip


# ---- axes
def _arrange(box: RowGroup, sorted_axes: bool) -> None:
    """Simplify the axes of a group in place: drop those of one cell, sort by stride, merge what continues."""
    pieces = box.pieces
    kept = _Side(box.kept, [], [], [p.kept for p in pieces], [box.out_strides])
    reduced = _Side(box.reduced, [p.start for p in pieces], [p.size for p in pieces], [p.reduced for p in pieces], [])
    kept.drop_single()
    reduced.drop_single()
    kept.put_far_first()
    if sorted_axes:
        reduced.put_far_first()
    reduced.merge()
    kept.merge()


class _Side(NamedTuple):
    """The kept or the reduced axes of a group: lists with one number for each axis."""

    sizes: list[int]
    starts: list[list[int]]  # of the boxes of the rows; kept axes are not cut
    spans: list[list[int]]
    strides: list[list[list[int]]]  # [row][operand]
    out: list[list[int]]  # the output's strides, for kept axes

    @property
    def all_strides(self) -> list[list[int]]:
        return [*self.out, *(s for row in self.strides for s in row)]

    def drop_single(self) -> None:
        """Drop all axes of one cell."""
        for a in reversed(range(len(self.sizes))):
            if self.sizes[a] == 1:
                for numbers in (self.sizes, *self.starts, *self.spans, *self.all_strides):
                    del numbers[a]

    def put_far_first(self) -> None:
        """Sort the axes by stride, the largest first: by the first row's operands, then by the output."""

        def steps(a: int) -> list[int]:
            return [max((abs(s[a]) for s in strides), default=0) for strides in (self.strides[0], self.out)]

        order = sorted(range(len(self.sizes)), key=steps, reverse=True)
        for numbers in (self.sizes, *self.starts, *self.spans, *self.all_strides):
            numbers[:] = [numbers[a] for a in order]

    def merge(self) -> None:
        """Merge each axis into the axis before it, if it continues that for every operand and no row cuts it."""
        for a in reversed(range(1, len(self.sizes))):
            n = self.sizes[a]
            whole = not any(s[a] for s in self.starts) and all(s[a] == n for s in self.spans)
            if whole and all(s[a - 1] == s[a] * n for s in self.all_strides):
                for numbers in (self.sizes, *self.starts, *self.spans):
                    numbers[a - 1 : a + 1] = [numbers[a - 1] * n]
                for strides in self.all_strides:
                    del strides[a - 1]
