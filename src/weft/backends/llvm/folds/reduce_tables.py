"""From a reduction's rows to tasks: one task for each kind of plan, with the table that its driver reads."""

from __future__ import annotations

from math import prod

import numpy as np

from weft.backends.llvm.folds import columns_driver, partials
from weft.backends.llvm.folds.columns_driver import PANEL, SLOTS
from weft.backends.llvm.folds.group_words import GroupWords, task_of
from weft.backends.llvm.folds.laws import BLOCK, LANES, Law, law_of
from weft.backends.llvm.folds.reduce_abreast import abreast_kernel, short_rows_kernel
from weft.backends.llvm.folds.reduce_columns import cols_kernel
from weft.backends.llvm.folds.reduce_frame import HEAD
from weft.backends.llvm.folds.reduce_plan import ReducePlan
from weft.backends.llvm.folds.reduce_plans import cheapest
from weft.backends.llvm.folds.reduce_rows import SLACK, rows_kernel, tile_rows_kernel
from weft.backends.llvm.folds.reduce_runs import WIDTH, close_runs_routine, runs_kernel
from weft.backends.llvm.folds.row_groups import GroupRow, boxes_of
from weft.backends.llvm.folds.rows_driver import ENTRIES, rows_driver, rows_finish
from weft.backends.llvm.folds.staggered_driver import staggered_driver
from weft.backends.llvm.jit.kernel_task import KernelTask
from weft.backends.llvm.nest.map_tables import lower_constant
from weft.backends.llvm.nest.structure import Structure
from weft.ir.kernels.plan import ReduceLaunch
from weft.ir.kernels.sum_order import reduce_rows

UNIT = 60_000.0  # nanoseconds of work in a unit, about
CELLS = (1 << 15, 1 << 18)  # cells in a unit, at least and at most
COLUMNS = 2048  # most columns of a panel
RUNS = 24 << 10  # bytes of accumulators of columns whose lanes lie side by side
TWICE = 256 << 10  # bytes of cells that a panel of such columns reads twice, for a variance
WIDEST = 192  # bytes: more than a kernel writes beyond its last column
LEAST_COLUMNS, SHARE = 512, 8  # a reduction that threads share is cut into SHARE panels of LEAST_COLUMNS at least
MANY = 64  # units from which the reduced axis need not be cut for threads to have work
NARROW = 64  # bytes: kept cells that share cache lines stay in one unit


def lower_reduce(launch: ReduceLaunch) -> list[KernelTask]:
    """Return the tasks that compute a reduction, one for each kind of plan; none if no cell is kept."""
    if 0 in launch.shape[: launch.kept]:
        return []
    if 0 in launch.shape[launch.kept :]:
        return _of_nothing(launch)
    law = law_of(launch.op, launch.acc)
    free = not law.ordered and not law.indexed and not law.chained
    boxes = boxes_of(launch.rows, launch.shape, launch.kept, launch.out, free)
    ways: dict[str, list[ReducePlan]] = {}
    for box in boxes:
        plan = cheapest(law, box)
        ways.setdefault(plan.kind, []).append(plan)
    return [lower_plans(launch, law, kind, ways[kind]) for kind in DRIVERS if kind in ways]


def _of_nothing(launch: ReduceLaunch) -> list[KernelTask]:
    """Return the tasks of a reduction of no cells: its identity is written to every kept cell."""
    value = reduce_rows(launch.op, np.empty((1, 0), launch.acc.np), launch.acc, launch.correction)[0].item()
    return lower_constant(value, launch.shape[: launch.kept], launch.out)


def lower_plans(launch: ReduceLaunch, law: Law, kind: str, plans: list[ReducePlan]) -> KernelTask:
    """Return the task that computes some groups of a reduction by their plans, all of driver `kind`."""
    driver, finish, words = DRIVERS[kind]
    groups: list[GroupWords] = []
    for plan in plans:
        groups.append(words(law, plan, launch.out, sum([g.scratch for g in groups]), launch.correction))
    return task_of(
        groups,
        HEAD,
        _routines(launch, law, kind, groups),
        run=driver(),
        finish=finish() if any(g.scratch for g in groups) else 0,
        bytes_written=prod(launch.shape[: launch.kept]) * launch.out.dtype.itemsize,
        name=f"{launch.op} {kind}",
    )


def _routines(launch: ReduceLaunch, law: Law, kind: str, groups: list[GroupWords]) -> dict[str, int]:
    """Return the addresses of the law's routines that the driver `kind` calls, by their names in the table's head.

    Routines that no group needs are left out.
    """
    head = {"finish": partials.finish_routine(law, launch.out.dtype, launch.out.swapped)}
    if kind in ("columns", "runs"):
        head["merge"] = partials.merge_routine(law)
    elif kind != "rows" or any(g.numbers["blocks"] > 1 for g in groups):
        head["fold"] = partials.fold_routine(law)
    if kind == "rows":
        return head if all(g.plan.direct for g in groups) else head | {"tile": tile_rows_kernel(law)}
    if law.op == "var":
        head["divide"] = partials.divide_routine(law)
    if kind == "staggered":
        head["event"] = partials.event_routine(law)
    close = close_runs_routine if kind == "runs" else partials.close_routine
    return head | {"clear": partials.clear_routine(law), "close": close(law)}


def _pitch(nbytes: int) -> int:
    """Return `nbytes`, the size of a plane, rounded up to whole cache lines of 64 bytes."""
    return -(-nbytes // 64) * 64


class _RowWords(GroupWords):
    """The table entries of groups that are reduced along the lanes.

    A unit is a range of kept cells and one group of their blocks.
    """

    def cut(self) -> dict[str, int]:
        plan, n, c, groups, size = self.plan, self.plan.n, self.plan.c, 1, 1
        block, outer_cells = self._block(), self.numbers["outer_cells"]
        blocks = -(-n // block)
        wanted = int(min(max(UNIT / plan.cost, CELLS[0]), CELLS[1]))
        width = plan.width
        per = max(width, min(c, wanted // n // width * width))
        many = outer_cells * c >= MANY and blocks <= ENTRIES
        if blocks > 1 and not many:
            size = min(1 << max((wanted // block).bit_length() - 1, 0), ENTRIES)
            groups = -(-blocks // size)
            if groups > 1 and self._is_narrow():
                per = min(c, NARROW)
        size = blocks if groups == 1 else size
        uniform = n <= block or (groups == 1 and n % block == 0 and self._can_run_on())
        pitch = _pitch((outer_cells * c * groups + 16) * 8) if groups > 1 else 0
        self.scratch = pitch * self.numbers["planes"]
        batch = max(1, ENTRIES // min(size, blocks)) // width * width
        step = width if plan.abreast >= 0 else 0 if n <= block else block
        return {
            "boxes": 1, "per": per, "panels": -(-c // per), "batch": batch, "groups": groups, "group_blocks": size,
            "blocks": blocks, "block": block, "uniform": uniform, "step": step, "pitch": pitch,
            "kept": c, "covered": size * block, "cap": max(1, plan.tile // self.law.acc.itemsize // min(n, block)),
        }  # fmt: skip

    def _block(self) -> int:
        """Return the number of cells in a block: the law's, or any that suits where the order does not matter."""
        if self.law.ordered or self.law.indexed:
            return self.law.block
        if self.plan.direct:
            return CELLS[0]
        return min(self.law.block, self.plan.tile // self.law.acc.itemsize)

    def _is_narrow(self) -> bool:
        """True if neighbouring kept cells share cache lines, so that one unit should reduce them together."""
        steps = [abs(s[0]) for p in self.plan.box.group_rows for s in self.plan.inner_strides(p)]
        return not self.plan.merged and 0 < max(steps, default=0) < NARROW and self.plan.c <= NARROW

    def _can_run_on(self) -> bool:
        """True if the blocks of a kept cell are followed, at one constant stride, by those of the next."""
        return not self.law.indexed and (not self.plan.direct or self.plan.merged or self.plan.c == 1)

    def direct_kernel(self, group_row: GroupRow) -> int:
        plan, leaves = self.plan, self.plan.leaves(group_row)
        if plan.short:
            lanes = group_row.body.lanes >> (plan.n > LANES)
            structure = Structure(group_row.body.steps, plan.segment_leaves(group_row), lanes)
            return short_rows_kernel(self.law, structure, plan.n)
        if plan.abreast < 0:
            return rows_kernel(self.law, self.structure(group_row, leaves))
        leaves = plan.leaves(group_row, plan.packing(group_row, leaves).buffers)
        return abreast_kernel(self.law, self.structure(group_row, leaves, narrow=True))

    def second_strides(self, group_row: GroupRow) -> list[int]:
        plan = self.plan
        if plan.abreast >= 0:
            return [s[0] for s in plan.inner_strides(group_row)]
        if not plan.direct and not plan.mixed:
            return plan.across_strides(group_row)
        strides, block = plan.inner_strides(group_row), self._block()
        if plan.n > block:
            return [s[-1] * block for s in strides]
        return [s[0] * plan.n if plan.merged else s[0] for s in strides]


class _ColumnWords(GroupWords):
    """The table entries of groups that are reduced across the lanes.

    A unit is a panel of columns and one group of their blocks.
    """

    def cut(self) -> dict[str, int]:
        plan, law, outer_cells = self.plan, self.law, self.numbers["outer_cells"]
        columns = plan.c if plan.folded else self._columns()
        panel = self._panel(columns, law.block)
        waiting = SLOTS // (panel["step"] * len(law.part_types)) - 2
        wanted = int(min(max(UNIT / plan.cost, CELLS[0]), CELLS[1]))
        fitting = (wanted // (min(columns, plan.c) * law.block)).bit_length() - 1
        if outer_cells * panel["panels"] >= MANY:
            fitting = waiting
        size = 1 << max(min(waiting, 20, fitting), 0)
        groups = -(-panel["blocks"] // size)
        pitch = _pitch(plan.c * 8 + 256) if groups > 1 else 0
        self.scratch = outer_cells * groups * len(law.part_types) * pitch
        return panel | {"groups": groups, "group_blocks": size, "pitch": pitch}

    def _panel(self, columns: int, block: int) -> dict[str, int]:
        """Return the words of a table entry about panels of `columns` columns and blocks of `block` cells.

        Among them `step` is the number of bytes between planes of a panel's results.
        """
        plan, law = self.plan, self.law
        lane = columns * max(law.lane_bytes) + (0 if plan.folded else WIDEST)
        used = plan.folded or (1 << (min(plan.n, block, LANES) - 1).bit_length() if law.ordered else 1)
        return {
            "per": columns, "panels": -(-plan.c // columns), "blocks": -(-plan.n // block), "block": block,
            "step": columns * max(law.part_bytes) + 256, "lanes": used, "lane": lane,
            "plane": lane * (plan.folded or (LANES if law.ordered else 1)) + SLACK, "batch": plan.folded,
        }  # fmt: skip

    def _columns(self) -> int:
        """Return the number of columns of a panel: a multiple of the lanes that fits the driver's stack."""
        law, lanes = self.law, max([p.body.lanes for p in self.plan.box.group_rows] + [16])
        width = sum(law.lane_bytes) * (8 if law.ordered else 1)
        most = min(COLUMNS, PANEL // 2 // width, SLOTS // 4 // (8 * len(law.part_types)))
        wanted = -(-self.plan.c // lanes) * lanes
        return max(lanes, min(most // lanes * lanes, wanted))

    def direct_kernel(self, group_row: GroupRow) -> int:
        return cols_kernel(self.law, self.structure(group_row, self.plan.leaves(group_row), narrow=True), "squares")

    def second_strides(self, group_row: GroupRow) -> list[int]:
        return [(s[-1] if s else 0) * (self.plan.folded or 1) for s in group_row.reduced]


class _RunWords(_ColumnWords):
    """The table entries of groups whose columns are reduced a run at a time, with their lanes side by side."""

    def _panel(self, columns: int, block: int) -> dict[str, int]:
        lane = WIDTH * max(self.law.lane_bytes)
        # the first run of a block begins with the identity, so no accumulator rows are cleared
        return super()._panel(columns, block) | {"lanes": 0, "lane": lane, "plane": lane * columns + SLACK}

    def _columns(self) -> int:
        """Return the number of columns of a panel: their accumulators, and cells that are read twice, stay near."""
        law, plan = self.law, self.plan
        most = RUNS // (WIDTH * sum(law.lane_bytes))
        return min(most, TWICE // (BLOCK * law.acc.itemsize) if plan.mixed else most, plan.c)

    def direct_kernel(self, group_row: GroupRow) -> int:
        return runs_kernel(self.law, self.structure(group_row, self.plan.leaves(group_row), narrow=True), "squares")

    def second_strides(self, group_row: GroupRow) -> list[int]:
        return [k[self.plan.axis] for k in group_row.kept]


class _CrossedWords(_ColumnWords):
    """The table entries of groups reduced across the lanes whose columns are reduced as well.

    `outer_cells` is the number of results; each is reduced from `prefix` · `c` columns.
    """

    def cut(self) -> dict[str, int]:
        plan, law = self.plan, self.law
        block = plan.n if law.indexed else BLOCK
        lanes = max([p.body.lanes for p in plan.box.group_rows])
        columns = min(self._columns(), max(-(-plan.c // SHARE // lanes) * lanes, LEAST_COLUMNS))
        cells = plan.cells // plan.crossed
        groups = -(-plan.crossed // block) if plan.staggered else plan.crossed // block
        pitch = _pitch((groups * cells + 16) * 8)
        self.scratch = pitch * len(law.part_types)
        return self._panel(columns, block) | {
            "outer_cells": cells, "prefix": self.numbers["outer_cells"] // cells, "groups": groups,
            "kept": 1, "covered": block, "uniform": law.indexed, "pitch": pitch,
        }  # fmt: skip

    @property
    def units(self) -> int:
        return self.numbers["outer_cells"] * self.numbers["prefix"] * self.numbers["panels"]


DRIVERS = {
    "rows": (rows_driver, rows_finish, _RowWords),
    "columns": (columns_driver.columns_driver, columns_driver.columns_finish, _ColumnWords),
    "runs": (columns_driver.columns_driver, columns_driver.columns_finish, _RunWords),
    "crossed": (columns_driver.crossed_driver, rows_finish, _CrossedWords),
    "staggered": (staggered_driver, rows_finish, _CrossedWords),
}
