"""Plans of reductions: the path through a group's cells.

The one idea: there are three ways, and the one with the least estimated cost per cell is taken.  Direct rows run along
the reduced axis and keep a block's lanes in registers; columns run along a kept axis and keep the lanes of many
results in a panel; tiled rows lay the cells into a small buffer in their logical order first, which serves whatever has
no single stride (pieces, several axes, short rows).  All give the same bits.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from math import prod

from weft.backends.llvm.folds.laws import BLOCK, LANES, Law
from weft.backends.llvm.folds.row_groups import GroupRow, RowGroup
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.fill_tile import PACKS, PAD
from weft.backends.llvm.nest.structure import Leaf, gathered, lanes_of, stride_kind
from weft.dtypes import DType

TILE = 32 << 10  # bytes for cells in logical order
LARGE_TILE = 256 << 10  # where cache lines lie across them
BLOCK_BYTES = 512  # of a row of packed cells: with PAD, rows then lie in different cache sets
TALL = 64  # rows of a block that cache lines lie across
NO_FLAT = 256  # cells of rows from which their ends do not matter
WALK = 25.0  # nanoseconds: finding a row and its addresses
SEGMENT = 8.0  # folding the lanes of a segment
LINE, PAGE_PART = 64, 256  # bytes from cell to cell: every one in a cache line of its own; out of any stream
WINDOW = 4  # cells from lane to lane that are still read as one stretch of memory
NEARBY, FAR = 1.0, 5.0  # nanoseconds that such a cell costs
MOST_ENTRIES = 1 << 23  # partial results that may wait in scratch memory
WIDE = 256  # columns: broader panels are wide enough
PANEL = 0.012  # per byte: adding to, clearing or folding an accumulator


@dataclass(slots=True)
class ReducePlan:
    """A way through a group.  `axis` is the kept axis in the lanes (columns) or along which rows are batched."""

    box: RowGroup
    columns: bool
    direct: bool
    axis: int  # -1 for none
    cost: float  # nanoseconds per cell
    merged: bool = False  # rows: the batched axis and the first reduced one are one
    packed: bool = False  # tiled rows: operands are copied first to lie along the lanes
    tile: int = TILE
    mixed: bool = False  # tiled rows: blocks inside one row are read in place; columns: a variance, in two passes
    folded: int = 0  # columns: how many rows are added as one, which is wider
    staggered: bool = False  # crossed: blocks end in the midst of columns
    crossed: int = 0  # columns: how many cells are reduced for each one kept, if the columns are reduced afterwards

    @property
    def kind(self) -> str:
        """The driver's name."""
        if self.crossed:
            return "staggered" if self.staggered else "crossed"
        return "columns" if self.columns else "rows"

    @property
    def n(self) -> int:
        """Reduced cells of each kept one."""
        return prod(self.box.reduced)

    @property
    def c(self) -> int:
        """Cells of the axis."""
        return self.box.kept[self.axis] if self.axis >= 0 else 1

    @property
    def outer(self) -> list[int]:
        """The other kept axes."""
        return [a for a in range(len(self.box.kept)) if a != self.axis]


def cheapest(law: Law, box: RowGroup) -> ReducePlan:
    """Return the plan for a group."""
    plans = row_plans(law, box)
    plans += [column_plan(law, box, a) for a in range(len(box.kept))]
    plans += crossed_plans(law, box) + folded_plans(law, box)
    return min(plans, key=lambda p: p.cost)


def lanes_of_piece(piece: GroupRow) -> int:
    """Return the lanes that a piece's body is evaluated in."""
    return lanes_of(piece.body, piece.operands)


def column_lanes(piece: GroupRow, c: int) -> int:
    """Return the lanes for panels of c columns: fewer where these do not fill them."""
    lanes = lanes_of_piece(piece)
    return min(lanes, max(1 << (c.bit_length() - 1), LANES))


def leaves_along(piece: GroupRow, strides: list[int], packed: Container[int] = ()) -> list[Leaf]:
    """Return the leaves of a piece for lanes that step by these strides; packed operands are contiguous."""
    computed, leaves = gathered(piece.body), []
    for k, (o, stride) in enumerate(zip(piece.operands, strides, strict=True)):
        coordinate = o.arg < 0 and k not in packed
        if coordinate or k in computed:
            kind = "s" if stride else "0"
        else:
            kind = "1" if k in packed else stride_kind(stride, o.dtype)
        swapped = o.swapped and o.arg >= 0 and o.dtype.bits > 8
        leaves.append(Leaf(o.dtype, swapped, kind, coordinate))
    return leaves


def lane_strides(plan: ReducePlan, piece: GroupRow) -> list[int]:
    """Return the bytes from lane to lane, for each operand."""
    if plan.columns:
        return [s[plan.axis] for s in piece.kept]
    if piece.size:
        return [s[-1] for s in piece.reduced]
    return [s[plan.axis] if plan.axis >= 0 else 0 for s in piece.kept]


def _evaluation(
    piece: GroupRow, strides: list[int], run: int, packed: Container[int] = (), lanes: int | None = None
) -> float:
    """Return the nanoseconds per cell, in runs of that many whose lanes step by these strides."""
    lanes, leaves = lanes or lanes_of_piece(piece), leaves_along(piece, strides, packed)
    per_lane = sum(map(cost.of_step, piece.body)) + sum(cost.of_leaf(leaf) for leaf in leaves) + cost.CELL
    for leaf, stride in zip(leaves, strides, strict=True):
        if leaf.kind == "s" and not leaf.coordinate:
            per_lane += FAR if abs(stride) > PAGE_PART else NEARBY if abs(stride) >= LINE else 0.0
    chunks = -(-run // lanes)
    partial = cost.PARTIAL * sum(f.kind in ("1", "-1", "2", "-2") for f in leaves) if run % lanes else 0.0
    return (per_lane * chunks * lanes + partial + cost.ROW) / run


# ---- along the lanes
def row_plans(law: Law, box: RowGroup, direct: bool = True) -> list[ReducePlan]:
    """Return the direct and tiled rows, whichever are possible."""
    axis = max(range(len(box.kept)), key=box.kept.__getitem__, default=-1)
    joined = [a for a in range(len(box.kept)) if _continues(box, a)]
    if joined:
        axis = max(joined, key=box.kept.__getitem__)
    n, plans = prod(box.reduced), []
    if direct and len(box.pieces) == 1 and len(box.reduced) == 1 and law.op != "var":
        plan = ReducePlan(box, False, True, axis, 0.0, bool(joined))
        run = min(n, law.block)
        plan.cost = _evaluation(box.pieces[0], lane_strides(plan, box.pieces[0]), run)
        plan.cost += (SEGMENT + (0 if n <= law.block else WALK)) / run
        plans.append(plan)
    plan = ReducePlan(box, False, False, axis, 0.0, bool(joined))
    if len(box.pieces) > 1 and len(box.reduced) > 1:
        plan.tile = LARGE_TILE
    plan = _tiled(law, plan)
    plan.mixed = direct and _is_mostly_whole(law, plan)
    plan.cost /= 1 + plan.mixed
    plans.append(plan)
    packed = ReducePlan(box, False, False, axis, 0.0, bool(joined), True)
    return [*plans, _packed(law, packed)] if packing(packed, box.pieces[0]).buffers else plans


def _is_mostly_whole(law: Law, plan: ReducePlan) -> bool:
    """True if most blocks lie inside one row of a single stride."""
    least = min(p.size[0] if p.size else 1 for p in plan.box.pieces)
    return len(plan.box.reduced) == 1 and law.op != "var" and least >= 4 * law.block and plan.c == 1


def _continues(box: RowGroup, a: int) -> bool:
    """True if the first reduced axis continues kept axis a, for all rows: then both are one axis."""
    if not box.reduced:
        return False
    n = box.reduced[0]
    whole = all(p.start[0] == 0 and p.size[0] == n for p in box.pieces)
    return whole and all(k[a] == r[0] * n for p in box.pieces for k, r in zip(p.kept, p.reduced, strict=True))


def inner_axes(plan: ReducePlan) -> list[int]:
    """Return the sizes of the axes that the logical index runs over."""
    if plan.columns:
        return plan.box.reduced or [1]
    if plan.merged:
        return [plan.c * plan.box.reduced[0], *plan.box.reduced[1:]]
    return [plan.c, *plan.box.reduced]


def inner_box(plan: ReducePlan, piece: GroupRow) -> tuple[list[int], list[int]]:
    """Return the first index and size of a row along the inner axes."""
    if plan.columns:
        return (piece.start, piece.size) if piece.size else ([0], [1])
    if plan.merged:
        return [0, *piece.start[1:]], [plan.c * piece.size[0], *piece.size[1:]]
    return [0, *piece.start], [plan.c, *piece.size]


def inner_strides(plan: ReducePlan, piece: GroupRow, k: int) -> list[int]:
    """Return the byte strides of operand k along the inner axes."""
    if plan.columns:
        return piece.reduced[k] or [0]
    if plan.merged:
        return piece.reduced[k]
    return [piece.kept[k][plan.axis] if plan.axis >= 0 else 0, *piece.reduced[k]]


def _tiled(law: Law, plan: ReducePlan) -> ReducePlan:
    """Return the plan with its cost: evaluation, the buffer, walks, folding."""
    piece, sizes = plan.box.pieces[0], inner_axes(plan)
    near = min(inner_box(plan, p)[1][-1] for p in plan.box.pieces)
    cells = min(prod(sizes), plan.tile // law.acc.itemsize)
    run = min(near, cells)
    plan.cost = _evaluation(piece, lane_strides(plan, piece), run)
    return _with_tile(law, plan, cells, run)


def _with_tile(law: Law, plan: ReducePlan, cells: int, run: int) -> ReducePlan:
    together = cells if len(plan.box.pieces) == 1 else run
    segment = min(plan.n, law.block)
    rounded = -(-segment // LANES) * LANES / segment
    plan.cost += 0.02 * law.acc.itemsize * rounded + WALK / together + 0.7 * SEGMENT / segment
    if law.op == "var":
        plan.cost += 0.01 * law.acc.itemsize
    return plan


@dataclass(slots=True)
class Packing:
    """The operands of a row that are copied, their places in the buffer, and the blocks."""

    buffers: dict[int, int]
    flat: bool  # whether whole rows of a block then follow each other, for every operand
    sub: int  # columns of a block
    cells: int  # of a block
    tall: int  # rows of a block, at most
    cost: float  # nanoseconds per cell


def packing(plan: ReducePlan, piece: GroupRow) -> Packing:
    """Copy what is strided; where rows are short, also what does not run on from row to row."""
    sizes = inner_axes(plan)
    near, across = lane_strides(plan, piece), across_strides(plan, piece)
    rows = sizes[-2] if len(sizes) > 1 else 1
    short = sizes[-1] < NO_FLAT and rows > 1
    computed, chosen, price = gathered(piece.body), {}, 0.0
    leaves, flat = leaves_along(piece, near), short
    place = 0
    for k, (leaf, o) in enumerate(zip(leaves, piece.operands, strict=True)):
        runs_on = across[k] == near[k] * sizes[-1]
        if k in computed or (leaf.kind != "s" and (runs_on or not short)) or (leaf.coordinate and not short):
            flat = flat and runs_on
        else:
            chosen[k] = place
            place += o.dtype.itemsize
            price += _pack_cost(leaf, near[k], across[k], sizes[-1])
    pad = 0 if flat else TALL * PAD
    cells = max((PACKS - pad * len(chosen)) // place, 1) if place else 1 << 40
    widest = max((o.dtype.itemsize for o in piece.operands), default=1)
    sub = sizes[-1] if short else min(sizes[-1], BLOCK_BYTES // widest)
    buffers = {k: p * cells + pad * i for i, (k, p) in enumerate(chosen.items())}
    return Packing(buffers, flat, min(sub, cells), cells, 1 << 40 if flat else TALL, price)


def is_copy(plan: ReducePlan, piece: GroupRow, packs: Packing, acc: DType) -> bool:
    """True if the packed operand is already the value, and its rows in the tile do not share cache sets."""
    (first, *more), o = piece.body, piece.operands
    plain = first.op == "load" and not more and first.dtype is acc and not leaves_along(piece, [0])[0].swapped
    return plain and 0 in packs.buffers and inner_axes(plan)[-1] * o[0].dtype.itemsize % 1024 != 0


def _pack_cost(leaf: Leaf, near: int, across: int, n: int) -> float:
    item = leaf.itemsize
    if leaf.kind == "1":
        return 0.01 * item + 3.0 / n
    return 0.03 * item if abs(across) == item and not leaf.coordinate else 0.8


def across_strides(plan: ReducePlan, piece: GroupRow) -> list[int]:
    """Return the bytes from row to row of the last two inner axes, for each operand."""
    strides = [inner_strides(plan, piece, k) for k in range(len(piece.operands))]
    return [s[-2] if len(s) > 1 else 0 for s in strides]


def _packed(law: Law, plan: ReducePlan) -> ReducePlan:
    """Return the tiled rows with packed operands, with the cost."""
    piece, sizes = plan.box.pieces[0], inner_axes(plan)
    packs = packing(plan, piece)
    if any(abs(across_strides(plan, piece)[k]) < TALL for k in packs.buffers):
        plan.tile = LARGE_TILE
    cells = min(prod(sizes), plan.tile // law.acc.itemsize)
    run = cells if packs.flat else min(inner_box(plan, piece)[1][-1], packs.sub)
    plan.cost = _evaluation(piece, lane_strides(plan, piece), run, packs.buffers) + packs.cost
    if sizes[-1] >= cells:  # no line is met twice while it is near
        plan.cost += NEARBY * sum(abs(lane_strides(plan, piece)[k]) >= LINE for k in packs.buffers)
    return _with_tile(law, plan, cells, cells)


# ---- across the lanes
def column_plan(law: Law, box: RowGroup, axis: int) -> ReducePlan:
    piece, n, item = box.pieces[0], prod(box.reduced), law.acc.itemsize
    plan = ReducePlan(box, True, True, axis, 0.0, mixed=law.op == "var")
    run = min(plan.c, 2048)
    plan.cost = _evaluation(piece, lane_strides(plan, piece), run, (), column_lanes(piece, plan.c))
    rows = min(min(p.size[-1] for p in box.pieces) if piece.size else 1, law.block)
    used = min(n, LANES) if law.ordered else 1
    plan.cost += PANEL * item + WALK / (run * rows)
    plan.cost *= 1 + plan.mixed
    plan.cost += 3 * PANEL * item * used / min(n, law.block)
    return plan


def folded_plans(law: Law, box: RowGroup) -> list[ReducePlan]:
    """Return a narrow kept axis whose cells for one row are followed by those for the next."""
    plans = []
    for a, c in enumerate(box.kept):
        rows = LANES if law.ordered else max(LANES, 1 << (WIDE // c).bit_length())
        if len(box.pieces) > 1 or len(box.reduced) != 1 or law.op == "var" or law.indexed or not 4 <= c <= WIDE:
            continue
        piece = box.pieces[0]
        if all(k[a] * c == r[0] for k, r in zip(piece.kept, piece.reduced, strict=True)):
            plan = ReducePlan(box, True, True, a, 0.0, folded=rows)
            plan.cost = _evaluation(piece, lane_strides(plan, piece), c * rows)
            plan.cost += PANEL * law.acc.itemsize + WALK / law.block
            plans.append(plan)
    return plans


def _crossings(law: Law, box: RowGroup) -> Iterator[tuple[RowGroup, int]]:
    """Iterate over the box and the axis in the lanes.

    A block that is some indices of an axis long makes these an axis of their own, so that every column holds a block.
    """
    for a, n in enumerate(box.reduced[:-1]):
        yield box, a
        few, more = divmod(law.block, prod(box.reduced[a + 1 :]))
        if 1 < few <= WINDOW and not more and n % few == 0 and len(box.pieces) == 1:
            yield _parted(box, a, few), a


def _parted(box: RowGroup, a: int, few: int) -> RowGroup:
    """Return the box of one piece with reduced axis a as two, the second of `few` indices."""
    (piece,) = box.pieces
    start, size = piece.start, piece.size
    strides = [[*r[:a], r[a] * few, *r[a:]] for r in piece.reduced]
    piece = replace(piece, reduced=strides, start=[*start[:a], 0, *start[a:]],
                    size=[*size[:a], size[a] // few, few, *size[a + 1 :]])  # fmt: skip
    reduced = [*box.reduced[:a], box.reduced[a] // few, few, *box.reduced[a + 1 :]]
    return replace(box, reduced=reduced, pieces=[piece])


def crossed_plans(law: Law, whole: RowGroup) -> list[ReducePlan]:
    """Return a reduced axis in the lanes, where what lies behind it in logical order is long.

    The axes up to that one are taken for kept; what they keep is reduced afterwards.
    """
    plans = []
    for box, a in _crossings(law, whole):
        rest = prod(box.reduced[a + 1 :])
        staggered = rest % BLOCK != 0 and not law.indexed
        if len(box.pieces) > 1 or (law.indexed and rest >= 1 << 30):
            continue
        if prod(box.reduced) * prod(box.kept) // BLOCK > MOST_ENTRIES:
            continue
        if staggered and (rest < BLOCK or law.op == "var" or not law.ordered):
            continue
        piece = box.pieces[0]
        moved = [[*k, *r[: a + 1]] for k, r in zip(piece.kept, piece.reduced, strict=True)]
        left = [r[a + 1 :] for r in piece.reduced]
        inner = replace(piece, kept=moved, reduced=left, start=piece.start[a + 1 :], size=piece.size[a + 1 :])
        sizes = [*box.kept, *box.reduced[: a + 1]]
        strides = [*box.out_strides, *(0 for _ in range(a + 1))]
        columns = replace(box, kept=sizes, reduced=box.reduced[a + 1 :], out_strides=strides, pieces=[inner])
        plan = column_plan(law, columns, len(sizes) - 1)
        plan.crossed = prod(box.reduced)
        plan.staggered = staggered
        plan.cost = plan.cost * (1.5 + BLOCK / rest) if staggered else plan.cost + 4.0 / BLOCK
        plans.append(plan)
    return plans
