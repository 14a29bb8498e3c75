"""The plans that are weighed for a group of a reduction, and their estimated costs.

The one idea: there are three ways, and the one with the least estimated cost per cell is taken.  Direct rows run along
the reduced axis and keep a block's lanes in registers; columns run along a kept axis and keep the lanes of many results
in a panel, or there along a stretch of a reduced axis; tiled rows lay the cells into a small buffer in their logical
order first, which serves all groups that have no single stride (several rows, several axes, short rows).  All give the
same bits.  `reduce_plan` defines the terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from operator import attrgetter

from weft.backends.llvm.folds.laws import BLOCK, LANES, Law
from weft.backends.llvm.folds.reduce_plan import LARGE_TILE, TABLES, TALL, Packing, ReducePlan
from weft.backends.llvm.folds.reduce_rows import SIMPLE, is_simple
from weft.backends.llvm.folds.row_groups import RowGroup
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.structure import MOST_TURNS, ROWS, Leaf

WALK = 25.0  # nanoseconds: finding a row and its addresses
SEGMENT = 8.0  # nanoseconds: folding the lanes of a segment, unless the next segment begins meanwhile
SUMMED = 2.0  # nanoseconds: beginning a segment of a sum while the few lanes of the last one are folded
RUN = 1.0  # nanoseconds: beginning a run of a column, whose lanes wait in the panel
LINE, PAGE_PART = 64, 256  # bytes of stride: from LINE on a cell has its own cache line, beyond PAGE_PART no prefetch
PAGE, JUMP = 4096, 25.0  # bytes beyond which the next run is not foreseen, and nanoseconds of beginning it
NEARBY, FAR = 1.0, 5.0  # nanoseconds per cell with a stride of at least LINE, and beyond PAGE_PART
MOST_ENTRIES = 1 << 23  # partial results that may wait in scratch memory
WIDE = 256  # columns of a panel beyond which width brings nothing more
ABREAST = 128  # most results side by side: beyond, reading would jump between too many streams of memory
PANEL = 0.012  # nanoseconds per byte: adding to, clearing or folding an accumulator


def cheapest(law: Law, box: RowGroup) -> ReducePlan:
    """Return the plan of least estimated cost for reducing the group `box` by a law."""
    if law.chained:  # the results of columns do not share lanes
        box = box if box.kept else _with_kept_axis(box)
        return min([column_plan(law, box, a) for a in range(len(box.kept))], key=attrgetter("cost"))
    plans = row_plans(law, box)
    plans += [column_plan(law, box, a) for a in range(len(box.kept))]
    plans += crossed_plans(law, box) + folded_plans(law, box)
    if box.kept:
        plans += abreast_plans(law, box) + run_plans(law, box)
    if box.kept and len(box.reduced) == 1 and box.reduced[0] <= MOST_TURNS:
        plans += short_plans(law, box)
    return min(plans, key=attrgetter("cost"))


def _with_kept_axis(box: RowGroup) -> RowGroup:
    """Return the group `box` without kept axes as a group with one kept axis of one cell."""
    group_rows = [replace(p, kept=[[0] for _ in p.operands]) for p in box.group_rows]
    return replace(box, kept=[1], out_strides=[0], group_rows=group_rows)


def _evaluation(plan: ReducePlan, leaves: Sequence[Leaf], run: int, lanes: int, begin: float = cost.ROW) -> float:
    """Return the nanoseconds per cell of evaluating the first row of a group in runs of `run` cells.

    `leaves` are its operands; `lanes` cells are evaluated at a time, and beginning a run takes `begin`.
    """
    group_row = plan.box.group_rows[0]
    per_lane = group_row.body.cost + sum([leaf.cost for leaf in leaves]) + cost.CELL
    for k, leaf in enumerate(leaves):
        if leaf.kind == "s" and not leaf.coordinate:
            stride = abs(plan.lane_strides(group_row)[k])
            per_lane += FAR if stride > PAGE_PART else NEARBY if stride >= LINE else 0.0
    chunks = -(-run // lanes)
    partial = sum([f.partial_cost for f in leaves]) if run % lanes else 0.0
    return (per_lane * chunks * lanes + partial + begin) / run


def _overlaps(plan: ReducePlan, leaves: Sequence[Leaf], run: int, lanes: int) -> bool:
    """True if a run of `run` cells of the first row may begin while the last one is still added."""
    whole = run % lanes == 0 or all(f.partial_cost < cost.PARTIAL for f in leaves)
    return whole and plan.box.group_rows[0].body.cost <= SIMPLE * cost.CELL


# ---- along the lanes
def row_plans(law: Law, box: RowGroup, direct: bool = True) -> list[ReducePlan]:
    """Return the possible plans that reduce along the lanes: direct, tiled, and tiled with packed operands.

    Without `direct`, all cells go through a tile (a buffer in their logical order).
    """
    axis = max(range(len(box.kept)), key=box.kept.__getitem__, default=-1)
    joined = [a for a in range(len(box.kept)) if _continues(box, a)]
    if joined:
        axis = max(joined, key=box.kept.__getitem__)
    tiled = ReducePlan(box, False, False, axis, merged=bool(joined))
    group_row = box.group_rows[0]
    leaves, plans = tiled.leaves(group_row), []
    one_run, direct = len(box.group_rows) == 1 and len(box.reduced) <= 1, direct and law.op != "var"
    if direct and one_run and box.reduced:
        plan = ReducePlan(box, False, True, axis, merged=bool(joined))
        run, quick = min(plan.n, law.block), SUMMED if law.op in ("sum", "mean", "prod") else cost.ROW
        begin = quick if _overlaps(plan, leaves, run, group_row.body.lanes) else cost.ROW + SEGMENT
        plan.cost = _evaluation(plan, leaves, run, group_row.body.lanes, begin)
        plan.cost += (0 if plan.n <= law.block else WALK) / run
        plans.append(plan)
    plans.append(_tiled(law, tiled, leaves, direct and not one_run))
    packs = tiled.packing(group_row, leaves)
    if packs.buffers:
        plans.append(_packed(law, ReducePlan(box, False, False, axis, merged=bool(joined), packed=True), packs))
    return plans


def _continues(box: RowGroup, a: int) -> bool:
    """True if kept axis `a` and the first reduced axis of group `box` are one axis in all operands."""
    if not box.reduced:
        return False
    n = box.reduced[0]
    whole = all(p.start[0] == 0 and p.size[0] == n for p in box.group_rows)
    return whole and all(k[a] == r[0] * n for p in box.group_rows for k, r in zip(p.kept, p.reduced, strict=True))


def _tiled(law: Law, plan: ReducePlan, leaves: Sequence[Leaf], direct: bool) -> ReducePlan:
    """Return `plan` with tile size and cost filled in, for a plan whose cells first go into a tile.

    With `direct`, blocks inside one row, on its last axis, are read in place where most are.
    """
    if len(plan.box.group_rows) > 1 and len(plan.box.reduced) > 1:
        plan.tile = LARGE_TILE
    near = min([plan.inner_box(p)[1][-1] for p in plan.box.group_rows])
    cells = min(prod(plan.inner_axes), plan.tile // law.acc.itemsize)
    run = min(near, cells)
    evaluation = _evaluation(plan, leaves, run, plan.box.group_rows[0].body.lanes)
    plan.mixed = direct and near >= 4 * law.block
    plan.cost = evaluation + _tile_cost(law, plan, cells, run) * (law.block / near if plan.mixed else 1.0)
    return plan


def _tile_cost(law: Law, plan: ReducePlan, cells: int, run: int) -> float:
    """Return the nanoseconds per cell of a tile and of folding.

    `cells` fit into the tile at a time, and are evaluated in runs of `run` cells.
    """
    together = cells if len(plan.box.group_rows) == 1 else run
    segment = min(plan.n, law.block)
    rounded = -(-segment // LANES) * LANES / segment
    twice = 0.01 * law.acc.itemsize if law.op == "var" else 0.0
    return 0.02 * law.acc.itemsize * rounded + WALK / together + 0.7 * SEGMENT / segment + twice


def _packed(law: Law, plan: ReducePlan, packs: Packing) -> ReducePlan:
    """Return `plan` with tile size and cost filled in, for a plan that packs operands and fills a tile."""
    group_row, sizes = plan.box.group_rows[0], plan.inner_axes
    if any(abs(plan.across_strides(group_row)[k]) < TALL for k in packs.buffers):
        plan.tile = LARGE_TILE
    cells = min(prod(sizes), plan.tile // law.acc.itemsize)
    run = cells if packs.flat else min(plan.inner_box(group_row)[1][-1], packs.sub)
    plan.cost = _evaluation(plan, plan.leaves(group_row, packs.buffers), run, group_row.body.lanes) + packs.cost
    if sizes[-1] >= cells:  # no line is met twice while it is near
        plan.cost += NEARBY * sum(abs(plan.lane_strides(group_row)[k]) >= LINE for k in packs.buffers)
    plan.cost += _tile_cost(law, plan, cells, cells)
    return plan


def abreast_plans(law: Law, box: RowGroup) -> list[ReducePlan]:
    """Return row plans that compute the results along a short kept axis side by side in the lanes.

    The list is empty unless the operands lie close along that axis, or are small tables that all other results read
    too.
    """
    plans: list[ReducePlan] = []
    if len(box.group_rows) > 1 or len(box.reduced) != 1 or box.reduced[0] > BLOCK or law.op == "var" or law.indexed:
        return plans
    group_row = box.group_rows[0]
    if group_row.body.gathered or any(o.arg < 0 for o in group_row.operands) or not is_simple(group_row.body.steps):
        return plans
    for a, width in enumerate(box.kept):
        if not LANES <= width <= ABREAST:
            continue
        rows = [r for r, s in enumerate(box.out_strides) if r != a and s == width * box.out_strides[a]]
        plan = ReducePlan(box, False, True, rows[0] if rows else -1, packed=True, abreast=a)
        leaves = plan.leaves(group_row)
        packs = plan.packing(group_row, leaves)
        if packs.cells > TABLES or any(
            any(s for r, s in enumerate(group_row.kept[k]) if r != a) for k in packs.buffers
        ):
            continue
        lanes = plan.panel_lanes(group_row)
        per_lane = group_row.body.cost + sum([leaf.cost for leaf in plan.leaves(group_row, packs.buffers)]) + cost.CELL
        filled = -(-width // lanes) * lanes / width
        plan.cost = per_lane * filled + SEGMENT * (filled / lanes + 1 / width) / plan.n + WALK / (plan.n * plan.c)
        plans.append(plan)
    return plans


def short_plans(law: Law, box: RowGroup) -> list[ReducePlan]:
    """Return the row plan with a result of a few neighbouring cells in each lane, or an empty list."""
    if len(box.group_rows) > 1 or law.op == "var" or law.indexed:
        return []
    (group_row,) = box.group_rows
    if group_row.body.gathered or any(o.arg < 0 for o in group_row.operands) or not is_simple(group_row.body.steps):
        return []
    plan = replace(row_plans(law, box)[0], short=True)
    leaves = plan.segment_leaves(group_row)
    kinds = {leaf.kind for leaf in leaves}
    if ROWS not in kinds or "s" in kinds or box.out_strides[plan.axis] > min(box.out_strides):
        return []
    plan.cost = (
        group_row.body.cost + sum([leaf.cost for leaf in leaves]) + cost.CELL + PANEL * law.acc.itemsize / plan.n
    )
    return [plan]


# ---- across the lanes
def column_plan(law: Law, box: RowGroup, axis: int) -> ReducePlan:
    """Return the plan that reduces across the lanes, with kept axis number `axis` in them, and its cost."""
    group_row, n, item = box.group_rows[0], prod(box.reduced), law.acc.itemsize
    plan = ReducePlan(box, True, True, axis, mixed=law.op == "var")
    run = min(plan.c, 2048)
    plan.cost = _evaluation(plan, plan.leaves(group_row), run, plan.panel_lanes(group_row))
    rows = min(min(p.size[-1] for p in box.group_rows) if group_row.size else 1, law.block)
    used = min(n, LANES) if law.ordered else 1
    plan.cost += PANEL * item + WALK / (run * rows)
    plan.cost *= 1 + plan.mixed
    plan.cost += 3 * PANEL * item * used / min(n, law.block)
    return plan


def run_plans(law: Law, box: RowGroup) -> list[ReducePlan]:
    """Return column plans that add a run of the last reduced axis at a time. Groups have several runs a kept cell.

    The list is empty for positions of extremes, whose chunks are numbered from the first cell of a block.
    """
    plans: list[ReducePlan] = []
    if law.indexed or (len(box.group_rows) == 1 and len(box.reduced) <= 1):
        return plans
    group_row, run = box.group_rows[0], min([p.size[-1] for p in box.group_rows] + [law.block])
    for a in range(len(box.kept)):
        plan = ReducePlan(box, True, True, a, runs=True, mixed=law.op == "var")
        leaves, lanes = plan.leaves(group_row), plan.panel_lanes(group_row)
        begin = RUN if _overlaps(plan, leaves, run, lanes) else cost.ROW + SEGMENT
        # from the end of a column's run to the next column
        jumps = [abs(k[a] - run * r[-1]) for k, r in zip(group_row.kept, group_row.reduced, strict=True)]
        begin += JUMP * (max(jumps, default=0) > PAGE)
        plan.cost = _evaluation(plan, leaves, run, lanes, begin)
        plan.cost += WALK / (run * min(plan.c, WIDE)) + SEGMENT / min(plan.n, law.block)
        plan.cost *= 1 + plan.mixed
        plans.append(plan)
    return plans


def folded_plans(law: Law, box: RowGroup) -> list[ReducePlan]:
    """Return column plans for narrow kept axes, where several rows of memory are added as one wide row.

    The list is empty unless the group has one row whose kept cells, at most 256, follow each other in memory without a
    gap.
    """
    plans: list[ReducePlan] = []
    if len(box.group_rows) > 1 or len(box.reduced) != 1 or law.op == "var" or law.indexed:
        return plans
    group_row = box.group_rows[0]
    for a, c in enumerate(box.kept):
        rows = LANES if law.ordered else max(LANES, 1 << (WIDE // c).bit_length())
        if 4 <= c <= WIDE and all(k[a] * c == r[0] for k, r in zip(group_row.kept, group_row.reduced, strict=True)):
            plan = ReducePlan(box, True, True, a, folded=rows)
            plan.cost = _evaluation(plan, plan.leaves(group_row), c * rows, group_row.body.lanes)
            plan.cost += PANEL * law.acc.itemsize + WALK / law.block
            plans.append(plan)
    return plans


def crossed_plans(law: Law, box: RowGroup) -> list[ReducePlan]:
    """Return plans with a reduced axis in the lanes, for groups with long reduced axes behind it.

    The axes up to that one are treated as kept, and the results along them are reduced afterwards.
    """
    plans: list[ReducePlan] = []
    if len(box.group_rows) > 1:
        return plans
    (group_row,) = box.group_rows
    for a in range(len(box.reduced) - 1):
        rest = prod(box.reduced[a + 1 :])
        staggered = rest % BLOCK != 0 and not law.indexed
        if law.indexed and rest >= 1 << 30:
            continue
        if prod(box.reduced) * prod(box.kept) // BLOCK > MOST_ENTRIES:
            continue
        if staggered and (rest < BLOCK or law.op == "var" or not law.ordered):
            continue
        moved = [[*k, *r[: a + 1]] for k, r in zip(group_row.kept, group_row.reduced, strict=True)]
        left = [r[a + 1 :] for r in group_row.reduced]
        inner = replace(
            group_row, kept=moved, reduced=left, start=group_row.start[a + 1 :], size=group_row.size[a + 1 :]
        )
        sizes = [*box.kept, *box.reduced[: a + 1]]
        strides = [*box.out_strides, *(0 for _ in range(a + 1))]
        columns = replace(box, kept=sizes, reduced=box.reduced[a + 1 :], out_strides=strides, group_rows=[inner])
        plan = column_plan(law, columns, len(sizes) - 1)
        plan.crossed = prod(box.reduced)
        plan.staggered = staggered
        plan.cost = plan.cost * (1.5 + BLOCK / rest) if staggered else plan.cost + 4.0 / BLOCK
        plans.append(plan)
    return plans
