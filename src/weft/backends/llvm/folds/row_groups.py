"""A reduction's rows, brought into the shape the drivers want: groups of rows over one box of kept cells.

The one idea: pieces may cut kept and reduced axes anywhere; cutting the kept axes at every border leaves groups whose
rows only divide the reduced axes between them, and which have nothing to do with each other.  Axes of one cell go,
axes that every operand walks evenly merge, and where no order matters reduced axes are sorted by their strides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from weft.backends.llvm.nest.structure import compacted
from weft.ir.kernels.plan import Body, Operand, Row


@dataclass(slots=True)
class GroupRow:
    """A row of a group: strides of each operand along (kept axes, reduced axes); its box along the reduced ones.

    `offsets` are those of the cell with index 0 along every axis, inside the box or not.
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
    """A group: sizes of its axes, the output's strides along the kept ones, the rows."""

    kept: list[int]
    reduced: list[int]
    out_offset: int
    out_strides: list[int]
    pieces: list[GroupRow]


def boxes_of(rows: Sequence[Row], shape: Sequence[int], kept: int, out: Operand, sorted_axes: bool) -> list[RowGroup]:
    """Return the groups; `sorted_axes` says that reduced cells may be visited in any order."""
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
    for a in reversed(range(len(box.reduced))):
        if box.reduced[a] == 1:
            _drop_reduced(box, a)
    for a in reversed(range(len(box.kept))):
        if box.kept[a] == 1:
            _drop_kept(box, a)
    _permute_kept(box, _by_strides([p.kept for p in box.pieces], len(box.kept), box.out_strides))
    if sorted_axes:
        _permute_reduced(box, _by_strides([p.reduced for p in box.pieces], len(box.reduced), None))
    for a in reversed(range(1, len(box.reduced))):
        if all(_is_even(p, a, box.reduced[a]) for p in box.pieces):
            _merge_reduced(box, a)
    for a in reversed(range(1, len(box.kept))):
        if all(s[a - 1] == s[a] * box.kept[a] for s in [box.out_strides, *(s for p in box.pieces for s in p.kept)]):
            _merge_kept(box, a)


def _by_strides(strides: list[list[list[int]]], axes: int, out: list[int] | None) -> list[int]:
    """Return the axes, farthest steps first, by the first row's operands, then by the output."""

    def steps(a: int) -> tuple[int, int]:
        return max((abs(s[a]) for s in strides[0]), default=0), abs(out[a]) if out is not None else 0

    return sorted(range(axes), key=steps, reverse=True)


def _is_even(p: GroupRow, a: int, size: int) -> bool:
    """True if axis a continues axis a - 1, for every operand, and the row covers all of it."""
    return p.start[a] == 0 and p.size[a] == size and all(s[a - 1] == s[a] * size for s in p.reduced)


def _drop_reduced(box: RowGroup, a: int) -> None:
    del box.reduced[a]
    for p in box.pieces:
        del p.start[a], p.size[a]
        for s in p.reduced:
            del s[a]


def _drop_kept(box: RowGroup, a: int) -> None:
    del box.kept[a], box.out_strides[a]
    for p in box.pieces:
        for s in p.kept:
            del s[a]


def _permute_kept(box: RowGroup, order: list[int]) -> None:
    box.kept, box.out_strides = [box.kept[a] for a in order], [box.out_strides[a] for a in order]
    for p in box.pieces:
        p.kept = [[s[a] for a in order] for s in p.kept]


def _permute_reduced(box: RowGroup, order: list[int]) -> None:
    box.reduced = [box.reduced[a] for a in order]
    for p in box.pieces:
        p.reduced = [[s[a] for a in order] for s in p.reduced]
        p.start, p.size = [p.start[a] for a in order], [p.size[a] for a in order]


def _merge_reduced(box: RowGroup, a: int) -> None:
    """Merge axis a into a - 1."""
    n = box.reduced[a]
    box.reduced[a - 1 : a + 1] = [box.reduced[a - 1] * n]
    for p in box.pieces:
        p.start[a - 1 : a + 1] = [p.start[a - 1] * n]
        p.size[a - 1 : a + 1] = [p.size[a - 1] * n]
        for s in p.reduced:
            del s[a - 1]


def _merge_kept(box: RowGroup, a: int) -> None:
    box.kept[a - 1 : a + 1] = [box.kept[a - 1] * box.kept[a]]
    del box.out_strides[a - 1]
    for p in box.pieces:
        for s in p.kept:
            del s[a - 1]
