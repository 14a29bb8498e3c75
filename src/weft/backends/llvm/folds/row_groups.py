"""Groups: a reduction's rows, cut so that all rows of a group share one box of kept cells.

Terms: *kept* axes are those of the result, *reduced* axes the others; a *group* (`RowGroup`) is a box of kept cells
with the rows (`GroupRow`) whose cells are reduced to it.  The one idea: rows may cut kept and reduced axes anywhere;
cutting the kept axes at every border leaves groups whose rows divide only the reduced axes between them, and that are
independent.  Axes of one cell are dropped, axes that continue each other merged, and where no order matters the reduced
axes are sorted by stride.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from operator import mul
from typing import NamedTuple

from weft.backends.llvm.nest.structure import CompactBody, compacted
from weft.ir.kernels.plan import Operand, Row


@dataclass(slots=True)
class GroupRow:
    """A row of a group: its operands with their byte strides along kept and reduced axes, and its box.

    `start` and `size` are the box along the reduced axes.  `offsets` are those of the cell with index 0 along every
    axis, whether or not the box holds it.
    """

    body: CompactBody
    operands: tuple[Operand, ...]
    offsets: list[int]
    kept: list[list[int]]  # [operand][axis]
    reduced: list[list[int]]
    start: list[int]
    size: list[int]
    scalars: int = 0  # the slot that the body counts from


@dataclass(slots=True)
class RowGroup:
    """A box of kept cells with the rows that are reduced to it.

    `kept` and `reduced` are the sizes of the axes, and `group_rows` the rows with their extents.
    """

    kept: list[int]
    reduced: list[int]
    out_offset: int
    out_strides: list[int]
    group_rows: list[GroupRow]


def boxes_of(rows: Sequence[Row], shape: Sequence[int], kept: int, out: Operand, sorted_axes: bool) -> list[RowGroup]:
    """Return the groups of a reduction: boxes of kept cells with the rows that are reduced to them.

    `shape` has the `kept` axes first; `out` is the output.  With `sorted_axes`, reduced cells may be visited in any
    order.
    """
    groups: dict[tuple[tuple[int, int], ...], list[Row]] = {}
    cuts = [_cuts(rows, a) for a in range(kept)]
    bodies: dict[int, CompactBody] = {}
    for row in rows:
        if 0 in row.sizes:
            continue
        if id(row.body) not in bodies:
            bodies[id(row.body)] = compacted(row.body)
        spans = [_spans(cuts[a], row.start[a], row.start[a] + row.sizes[a]) for a in range(kept)]
        for cell in product(*spans):
            groups.setdefault(cell, []).append(row)
    made = []
    for spans_of_box, members in groups.items():
        group_rows = [_group_row(row, spans_of_box, kept, bodies[id(row.body)]) for row in members]
        offset = out.offset + sum([lo * s for (lo, _), s in zip(spans_of_box, out.strides, strict=True)])
        sizes = [hi - lo for lo, hi in spans_of_box]
        box = RowGroup(sizes, list(shape[kept:]), offset, list(out.strides), group_rows)
        _arrange(box, sorted_axes)
        made.append(box)
    return made


def _cuts(rows: Sequence[Row], axis: int) -> list[int]:
    ends = {row.start[axis] for row in rows} | {row.start[axis] + row.sizes[axis] for row in rows}
    return sorted(ends)


def _spans(cuts: list[int], lo: int, hi: int) -> list[tuple[int, int]]:
    return [(a, b) for a, b in pairwise(cuts) if lo <= a and b <= hi]


def _group_row(row: Row, box: Sequence[tuple[int, int]], kept: int, body: CompactBody) -> GroupRow:
    operands = tuple([row.operands[k] for k in body.picks])
    moved = [lo - at for (lo, _), at in zip(box, row.start, strict=False)] + [-a for a in row.start[kept:]]
    offsets = [o.offset + sum(map(mul, moved, o.strides)) for o in operands]
    return GroupRow(
        body, operands, offsets, [list(o.strides[:kept]) for o in operands], [list(o.strides[kept:]) for o in operands],
        list(row.start[kept:]), list(row.sizes[kept:]), row.scalars,
    )  # fmt: skip


# ---- axes
def _arrange(box: RowGroup, sorted_axes: bool) -> None:
    """Simplify the axes of a group in place: drop axes of one cell, sort by stride, largest first, and merge.

    Axes are merged where one continues the other; reduced axes are sorted only with `sorted_axes`.
    """
    group_rows, out = box.group_rows, box.out_strides
    starts, spans = [p.start for p in group_rows], [p.size for p in group_rows]
    kept = _AxisLists(box.kept, [], [], [out, *[s for p in group_rows for s in p.kept]])
    kept.choose_axes(lambda a: [max([abs(s[a]) for s in group_rows[0].kept], default=0), abs(out[a])])
    kept.merge()
    reduced = _AxisLists(box.reduced, starts, spans, [s for p in group_rows for s in p.reduced])
    reduced.choose_axes(
        (lambda a: [max([abs(s[a]) for s in group_rows[0].reduced], default=0)]) if sorted_axes else None
    )
    reduced.merge()


class _AxisLists(NamedTuple):
    """The kept or the reduced axes of a group: lists with one number for each axis."""

    sizes: list[int]
    starts: list[list[int]]  # of the boxes of the rows; kept axes are not cut
    spans: list[list[int]]
    strides: list[list[int]]  # of every operand of every row, and of the output for kept axes

    def choose_axes(self, far: Callable[[int], list[int]] | None) -> None:
        """Drop all axes of one cell; sort the others by the steps that `far` gives for each, the largest first.

        The order is kept if `far` is None.
        """
        order = [a for a, n in enumerate(self.sizes) if n != 1]
        if far is not None:
            order.sort(key=far, reverse=True)
        if order != list(range(len(self.sizes))):
            for numbers in (self.sizes, *self.starts, *self.spans, *self.strides):
                numbers[:] = [numbers[a] for a in order]

    def merge(self) -> None:
        """Merge each axis into the axis before it, where its strides continue that axis.

        They must do so for every operand, and no row may cut the axis.
        """
        for a in reversed(range(1, len(self.sizes))):
            n = self.sizes[a]
            whole = not any(s[a] for s in self.starts) and all(s[a] == n for s in self.spans)
            if whole and all(s[a - 1] == s[a] * n for s in self.strides):
                for numbers in (self.sizes, *self.starts, *self.spans):
                    numbers[a - 1 : a + 1] = [numbers[a - 1] * n]
                for strides in self.strides:
                    del strides[a - 1]
