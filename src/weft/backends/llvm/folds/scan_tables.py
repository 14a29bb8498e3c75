"""Scans (running sums, products and extremes): from a launch to tasks, and the drivers that run them.

Terms: a *prefix* is the result of all blocks before a block; a *segment* is one block of one kept cell.
The one idea: a scan is planned like a reduction of its last axis (`row_groups`, `reduce_plans`), only that every cell
gives a result.  Columns are taken where both the cells and the results lie along a kept axis.  A unit
is a range of kept cells (or a panel of columns) with all their blocks, one after the other, so the prefix of a block is
known when it is reached.
"""

from __future__ import annotations

from math import prod

from weft.backends.llvm.emit import Builder, Value, signature
from weft.backends.llvm.emit.words import word
from weft.backends.llvm.folds.columns_driver import PANEL, begin_panel
from weft.backends.llvm.folds.group_words import GroupWords, task_of
from weft.backends.llvm.folds.laws import BLOCK, Law, law_of
from weft.backends.llvm.folds.reduce_plan import LARGE_TILE, Packing, ReducePlan
from weft.backends.llvm.folds.reduce_plans import column_plan, row_plans
from weft.backends.llvm.folds.reduce_rows import SLACK
from weft.backends.llvm.folds.row_groups import GroupRow, RowGroup, boxes_of
from weft.backends.llvm.folds.scan_kernels import (
    abreast_routine,
    carry_routine,
    local_routine,
    scan_cols_kernel,
    segments_abreast,
    turns,
    write_routine,
)
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import RUN, KernelTask, Table, head
from weft.backends.llvm.nest import map_tables
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.fill_tile import FILL, fill_functions
from weft.backends.llvm.nest.map_tables import lower_constant
from weft.backends.llvm.nest.pack_routines import move_routine
from weft.backends.llvm.nest.structure import Leaf
from weft.backends.llvm.nest.walk import WALK, Group, WalkPosition, decode_outer, group_units, set_leaf, walk_function
from weft.ir.graph.ops import SCANS
from weft.ir.kernels.plan import Operand, ScanLaunch

UNIT = 1 << 16  # cells of a unit, about
COLUMNS = 1024
SHARES = 8  # units into which scans of long rows side by side are cut at least, for threads to have work
STEP = 0.25  # nanoseconds per cell of a chain


def lower_scan(launch: ScanLaunch) -> list[KernelTask]:
    """Return the tasks that compute a scan, and first the task of the initial values if they are wanted."""
    tasks, out = [], launch.out
    kept = len(launch.shape) - 1
    if 0 in launch.shape[:kept]:
        return []
    if launch.include_initial:
        first = out._replace(strides=out.strides[:kept])
        tasks += lower_constant(SCANS[launch.op][2], launch.shape[:kept], first)
        out = out._replace(offset=out.offset + out.strides[-1])
    if launch.shape[-1] == 0:
        return tasks
    law = law_of(SCANS[launch.op][0], launch.acc)
    kept_out = out._replace(strides=out.strides[:-1])
    boxes = boxes_of(launch.rows, launch.shape, kept, kept_out, False)
    plans = [_cheapest(law, box, out) for box in boxes]
    ways = ([p for p in plans if p.columns is columns] for columns in (False, True))
    return tasks + [_task(launch, law, out, way) for way in ways if way]


def _cheapest(law: Law, box: RowGroup, out: Operand) -> ReducePlan:
    plans = row_plans(law, box, direct=False)
    for p in plans:
        p.cost += STEP * (1 if p.cells >= 4 * BLOCK else 3)
        p.cost += 0.0 if out.strides[-1] == out.dtype.itemsize else cost.PACK_CELL
    contiguous = (a for a in range(len(box.kept)) if box.out_strides[a] == out.dtype.itemsize)
    return min([*plans, *(column_plan(law, box, a) for a in contiguous)], key=lambda p: p.cost)


def _task(launch: ScanLaunch, law: Law, out: Operand, plans: list[ReducePlan]) -> KernelTask:
    """Return the task for some groups of a scan, whose plans are all row plans or all column plans."""
    written = prod(launch.shape) * out.dtype.itemsize
    columns, routines = plans[0].columns, {"item": law.acc.itemsize, "past": written >= map_tables.STREAM}
    groups = [(_ScanColumnWords if columns else _ScanRowWords)(law, plan, out) for plan in plans]
    return task_of(
        groups,
        HEAD,
        routines if columns else routines | _row_routines(law, out, [g.numbers for g in groups]),
        written,
        run=scan_columns_driver() if columns else scan_rows_driver(),
        bytes_written=written,
        name=f"{launch.op} {'columns' if columns else 'rows'}",
    )


def _row_routines(law: Law, out: Operand, groups: list[dict[str, int]]) -> dict[str, int]:
    """Return the addresses of the routines that scans along the lanes call, by their names in the head.

    Each takes a while to compile, so those of kept cells that are written at once are left out where there are none,
    and likewise those of the others.
    """
    routines, longest = {}, max([g["n"] for g in groups])
    if any(g["batch"] and g["per"] >= g["batch"] for g in groups):
        routines["abreast"] = abreast_routine(law, out.dtype, out.swapped)
    others = [g for g in groups if not g["batch"] or g["per"] % g["batch"] or g["c"] % g["batch"]]
    if others:
        turned = any(not g["batch"] or g["n"] >= g["batch"] * BLOCK for g in others)
        routines |= {"local": local_routine(law, turned), "write": write_routine(law, out.dtype, out.swapped)}
        if longest > BLOCK:
            routines["carry"] = carry_routine(law)
        if out.strides[-1] != out.dtype.itemsize:
            routines["move"] = move_routine(out.dtype.itemsize)
    return routines


class _ScanRowWords(GroupWords):
    """The table entries of scans along the lanes.

    `step` is the output's stride in bytes along the scan, `size0` the bytes of its cells, `batch` the number of kept
    cells that are scanned side by side and written at once, `pitch` the bytes between kept cells, if read in place.
    """

    def cut(self) -> dict[str, int]:
        plan, n, c, item = self.plan, self.plan.n, self.plan.c, self.law.acc.itemsize
        side = segments_abreast(self.law.acc)
        per = max(1, min(c, max(UNIT // n, side if n < side * BLOCK or c >= SHARES * side else 1)))
        per -= per % side if per > side else 0
        widest = max(item, self.out.dtype.itemsize)
        cells = min(max(plan.tile // item, side * BLOCK), LARGE_TILE // widest)  # so many blocks are scanned abreast
        first, touch = plan.box.group_rows[0], self.out.strides[-1] == self.out.dtype.itemsize
        direct = self._is_in_place(first)
        return {
            "boxes": 1, "per": per, "panels": -(-c // per), "block": BLOCK, "step": self.out.strides[-1],
            "size0": self.out.dtype.itemsize, "cap": max(1, cells // min(n, BLOCK)),
            "batch": side * (touch and turns(self.law.acc)), "direct": direct,
            "pitch": (n * item if plan.merged else first.kept[0][plan.axis]) if direct else 0,
        }  # fmt: skip

    def _is_in_place(self, group_row: GroupRow) -> bool:
        """True if all cells lie in memory as they are scanned: one row, without conversion or arithmetic."""
        plan, (step, *more) = self.plan, group_row.body.steps
        if len(plan.box.group_rows) > 1 or more or step.op != "load" or plan.axis < 0:
            return False
        (leaf,) = plan.leaves(group_row)
        return leaf == Leaf(self.law.acc, False, "1")


class _ScanColumnWords(GroupWords):
    """The table entries of scans across the lanes; `step` is the output's stride in bytes along the scan."""

    def cut(self) -> dict[str, int]:
        lanes, c = max([p.body.lanes for p in self.plan.box.group_rows]), self.plan.c
        most = min(COLUMNS, PANEL // 2 // self.law.acc.itemsize)
        columns = max(lanes, min(most // lanes * lanes, -(-c // lanes) * lanes))
        return {"per": columns, "panels": -(-c // columns), "block": BLOCK, "step": self.out.strides[-1]}

    def kernel(self, group_row: GroupRow, packs: Packing | None) -> int:
        out = Leaf(self.out.dtype, self.out.swapped and self.out.dtype.bits > 8, "1")
        return scan_cols_kernel(self.law, self.structure(group_row, [*self.plan.leaves(group_row), out]))

    def second_strides(self, group_row: GroupRow) -> list[int]:
        return [s[-1] if s else 0 for s in group_row.reduced]


HEAD = head("abreast* local* carry* write* move* item past")
PREFIXES = 32 << 10  # bytes of stack
DELIVER = signature("deliver", "ptr table, ptr group, ptr tile, i64 n, i64 m, ptr prefix, i64 has, ptr out, i64 row")


# ---- along the lanes
@compiled("scan_rows_run", RUN, brief=True)
def scan_rows_driver(b: Builder) -> list[Builder]:
    """Emit the driver whose units scan a range of kept cells along the lanes; return the functions it calls."""
    b.stack_buffer("tile", "i8", LARGE_TILE + SLACK)
    b.stack_buffer("prefix", "i8", PREFIXES + SLACK)
    table = Table(b, HEAD)
    with group_units(b, table) as (group, unit):
        o, j = divmod(unit, group["panels"])
        out = decode_outer(b, group, o)
        c0 = j * group["per"]
        c1, n, cap, stride = b.smin(c0 + group["per"], group["c"]), group["n"], group["cap"], group["stride"]
        multiple = -group["batch"]
        at_once, most = c0 + ((c1 - c0) & multiple), cap & multiple
        with b.loop(c0, at_once, most) as c:
            _rows_at_once(b, group, table, (c, b.smin(at_once - c, most)), b.gep(out, c * stride))
        with b.when(n <= group["block"]), b.loop(at_once, c1, cap) as c:
            cells = b.smin(c1 - c, cap)
            _scan_range(b, table, c * n, n, cells)
            DELIVER.call(b, n=n, m=cells, has=2, out=b.gep(out, c * stride), row=stride)
        with b.otherwise(), b.loop(at_once, c1) as c:
            _long_row(b, group, table, c, b.gep(out, c * stride))
    return [walk_function(), *fill_functions(), _deliver_function()]


def _scan_range(b: Builder, table: Table, g: Value, n: Value, m: Value) -> None:
    """Emit code that fills the tile with m segments of n cells and scans each by itself.

    The first cell has index g.
    """
    FILL.call(b, g=g, end=g + n * m)
    local_routine.signature.call(b, table["local"], n=n, m=m)


def _rows_at_once(b: Builder, group: Group, table: Table, kept: tuple[Value, Value], out: Value) -> None:
    """Emit code that scans kept cells side by side and writes each block as it is scanned.

    kept = (first cell, number of cells); `out` is the address of the first result.
    """
    (c, cells), n, block = kept, group["n"], group["block"]
    with b.loop(0, n, block) as start:
        size, g = b.smin(n - start, block), c * n + start

        def in_place(g: Value = g) -> list[Value]:
            WALK.call(b, g=g, end=g + 1)
            return [word(b, b["L"], 0, "ptr"), group["pitch"]]

        def in_tile(g: Value = g, size: Value = size) -> list[Value]:
            with b.when(size.eq(n)):
                FILL.call(b, g=g, end=g + cells * n)
            with b.otherwise(), b.loop(0, cells) as k:
                FILL.call(b, tile=b.gep(b["tile"], k * size * table["item"]), g=g + k * n, end=g + k * n + size)
            return [b["tile"], size * table["item"]]

        at, pitch = b.choose(group["direct"].ne(0), in_place, in_tile)
        abreast_routine.signature.call(
            b, table["abreast"], at=at, pitch=pitch, n=size, m=cells, has=b.cast("zext", start.ne(0), "i64"),
            out=b.gep(out, start * group["step"]), row=group["stride"], past=table["past"],
        )  # fmt: skip


def _long_row(b: Builder, group: Group, table: Table, c: Value, out: Value) -> None:
    """Emit code that scans kept cell c, which is longer than one block.

    As many blocks are scanned at a time as the tile holds; `out` is the address of the cell's first result.
    """
    n, block, cap = group["n"], group["block"], group["cap"]
    whole, tail = divmod(n, block)
    with b.loop(0, whole, cap) as s:
        _blocks(b, group, table, (c * n, s * block), (block, b.smin(whole - s, cap)), out)
    with b.when(tail > 0):
        _blocks(b, group, table, (c * n, whole * block), (tail, b.const("i64", 1)), out)


def _blocks(
    b: Builder, group: Group, table: Table, at: tuple[Value, Value], size: tuple[Value, Value], row: Value
) -> None:
    """Emit code that scans m segments of n cells of a kept cell and keeps the next prefix.

    at = (index of the kept cell's first cell, number of its cells before these segments), size = (n, m); `row` is the
    address of the kept cell's first result.
    """
    (first, start), (n, m), prefix = at, size, b["prefix"]
    has, along = b.cast("zext", start.ne(0), "i64"), group["step"]
    _scan_range(b, table, first + start, n, m)
    carry_routine.signature.call(b, table["carry"], n=n, m=m, has=has)
    DELIVER.call(b, n=n, m=m, has=has, out=b.gep(row, start * along), row=n * along)
    b.copy(prefix, b.gep(prefix, m * table["item"]), 16, overlapping=True)  # as many bytes as a cell has at most


def _deliver_function() -> Builder:
    """Return the function `deliver`, which writes the tile's m segments to the output.

    Each is combined with its prefix, the result of all cells before it.  An output whose cells do not touch is written
    by way of a buffer.
    """
    b = Builder(DELIVER)
    group, table, n = Group(b), Table(b, HEAD), b["n"]
    write, along, cell = table["write"], group["step"], group["size0"]
    with b.when(along.eq(cell)):
        write_routine.signature.call(b, write, past=table["past"])
    with b.otherwise():
        staging = b.alloca("i8", LARGE_TILE + SLACK)  # for results on their way to strided outputs
        write_routine.signature.call(b, write, out=staging, row=n * cell, past=0)
        b.call("void", table["move"], b["out"], along, b["row"], staging, cell, n * cell, n, b["m"])
    return b


# ---- across the lanes
@compiled("scan_columns_run", RUN, brief=True)
def scan_columns_driver(b: Builder) -> list[Builder]:
    """Emit the driver whose units scan a panel of columns, block by block; return the functions it calls."""
    for name in ("state", "prefix"):
        b.stack_buffer(name, "i8", PANEL // 2 + SLACK)
    with group_units(b, Table(b, HEAD)) as (group, unit):
        o, panel = divmod(unit, group["panels"])
        out, n = decode_outer(b, group, o), group["n"]
        v0, columns = begin_panel(b, group, panel)
        out = b.gep(out, v0 * group["stride"])
        with b.loop(0, n, group["block"]) as start:
            end = b.smin(start + group["block"], n)
            with b.until(start, end) as turn:
                WALK.call(b, g=turn.i, end=end)
                turn.next = turn.i + WalkPosition(b)["n"]
                _run(b, group, (turn.i, turn.next), (start, end), columns, out)
    return [walk_function()]


def _run(
    b: Builder, group: Group, rows: tuple[Value, Value], block: tuple[Value, Value], columns: Value, out: Value
) -> None:
    """Emit code that scans the rows that the last walk found, for all columns of the panel.

    rows = (first, end) lie in the block (start, end).
    """
    (here, following), (start, end), found, step = rows, block, WalkPosition(b), group["step"]
    set_leaf(b, b["L"], found.row["operands"], b.gep(out, here * step), group["stride"], step)
    first, has, last = (b.cast("zext", v, "i64") for v in (here.eq(start), start > 0, following.eq(end)))
    scan_cols_kernel.signature.call(
        b, found.row["kernel"], S=found.scalars, n=columns, k=following - here, first=first, has=has, last=last
    )
