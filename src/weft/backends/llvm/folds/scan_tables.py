"""From a scan to tasks.

The one idea: a scan is planned like a reduction of its last axis (`row_groups`, `reduce_plans`), only that every cell
gives a result.  Columns are taken where both the cells and the results lie along a kept axis.
"""

from __future__ import annotations

from math import prod

from weft.backends.llvm.folds.columns_driver import PANEL
from weft.backends.llvm.folds.group_words import GroupWords, task_of
from weft.backends.llvm.folds.laws import BLOCK, Law, law_of
from weft.backends.llvm.folds.reduce_plan import LARGE_TILE, Packing, ReducePlan
from weft.backends.llvm.folds.reduce_plans import column_plan, row_plans
from weft.backends.llvm.folds.row_groups import GroupRow, RowGroup, boxes_of
from weft.backends.llvm.folds.scan_driver import HEAD, scan_columns_driver, scan_rows_driver
from weft.backends.llvm.folds.scan_kernels import (
    carry_routine,
    local_routine,
    scan_cols_kernel,
    segments_abreast,
    write_routine,
)
from weft.backends.llvm.jit.kernel_task import KernelTask
from weft.backends.llvm.nest import map_tables
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.map_tables import lower_map
from weft.backends.llvm.nest.pack_routines import move_routine
from weft.backends.llvm.nest.structure import Leaf
from weft.ir.kernels.plan import Instr, MapLaunch, Operand, Row, ScanLaunch

UNIT = 1 << 16  # cells of a unit, about
COLUMNS = 1024
STEP = 0.25  # nanoseconds a cell of a chain


def lower_scan(launch: ScanLaunch) -> list[KernelTask]:
    """Return the tasks that compute a scan, and first the task of the initial values if they are wanted."""
    tasks, out = [], launch.out
    kept = len(launch.shape) - 1
    if 0 in launch.shape[:kept]:
        return []
    if launch.include_initial:
        tasks += _initial(launch)
        out = out._replace(offset=out.offset + out.strides[-1])
    if launch.shape[-1] == 0:
        return tasks
    law = law_of("sum" if launch.op == "cumulative_sum" else "prod", launch.acc)
    kept_out = out._replace(strides=out.strides[:-1])
    boxes = boxes_of(launch.rows, launch.shape, kept, kept_out, False)
    plans = [_cheapest(law, box, out) for box in boxes]
    ways = ([p for p in plans if p.columns is columns] for columns in (False, True))
    return tasks + [_task(launch, law, out, way) for way in ways if way]


def _initial(launch: ScanLaunch) -> list[KernelTask]:
    kept = len(launch.shape) - 1
    body = (Instr("const", launch.out.dtype, attr=0 if launch.op == "cumulative_sum" else 1),)
    out = launch.out._replace(strides=launch.out.strides[:kept])
    return lower_map(MapLaunch((Row(body, launch.shape[:kept], (), out),)))


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
    if not columns:
        routines |= {"local": local_routine(law), "write": write_routine(law, out.dtype, out.swapped)}
        if launch.shape[-1] > BLOCK:
            routines["carry"] = carry_routine(law)
        if out.strides[-1] != out.dtype.itemsize:
            routines["move"] = move_routine(out.dtype.itemsize)
    return task_of(
        [(_ScanColumnWords if columns else _ScanRowWords)(law, plan, out) for plan in plans],
        HEAD,
        routines,
        written,
        run=scan_columns_driver() if columns else scan_rows_driver(),
        bytes_written=written,
        name=f"{launch.op} {'columns' if columns else 'rows'}",
    )


class _ScanRowWords(GroupWords):
    """The table entries of scans along the lanes.

    `step` is the output's stride in bytes along the scan, `size0` the bytes of its cells.
    """

    def cut(self) -> dict[str, int]:
        n, c, item = self.plan.n, self.plan.c, self.law.acc.itemsize
        side = segments_abreast(self.law.acc)
        per = max(1, min(c, max(UNIT // n, side if n < side * BLOCK else 1)))
        widest = max(item, self.out.dtype.itemsize)
        cells = min(
            max(self.plan.tile // item, side * BLOCK), LARGE_TILE // widest
        )  # so many blocks are scanned abreast
        return {
            "boxes": 1, "per": per, "panels": -(-c // per), "block": BLOCK, "step": self.out.strides[-1],
            "size0": self.out.dtype.itemsize, "cap": max(1, cells // min(n, BLOCK)),
        }  # fmt: skip


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
