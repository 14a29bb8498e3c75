"""From a reduction's rows to tasks: the tables that the drivers read.

The one idea: a plan (`reduce_plans`) says how a group of rows is walked; here it becomes words, kernels and a number of
units.  How the work is cut is free to depend on anything, since it never shows in a result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np

from weft.backends.llvm.emit.words import filled
from weft.backends.llvm.folds.columns_driver import (
    PANEL,
    SLOTS,
    columns_driver,
    columns_finish,
    crossed_driver,
    crossed_finish,
)
from weft.backends.llvm.folds.laws import BLOCK, LANES, Law, cell_bytes, law_of
from weft.backends.llvm.folds.partials import (
    clear_routine,
    close_routine,
    divide_routine,
    event_routine,
    finish_routine,
    fold_routine,
    merge_routine,
)
from weft.backends.llvm.folds.reduce_columns import cols_kernel
from weft.backends.llvm.folds.reduce_frame import HEAD
from weft.backends.llvm.folds.reduce_plans import (
    Packing,
    ReducePlan,
    across_strides,
    cheapest,
    column_lanes,
    inner_axes,
    inner_box,
    inner_strides,
    is_copy,
    lane_strides,
    lanes_of_piece,
    leaves_along,
    packing,
)
from weft.backends.llvm.folds.reduce_rows import SLACK, rows_kernel, tile_rows_kernel
from weft.backends.llvm.folds.row_groups import GroupRow, boxes_of
from weft.backends.llvm.folds.rows_driver import ENTRIES, rows_driver, rows_finish
from weft.backends.llvm.folds.staggered_driver import staggered_driver
from weft.backends.llvm.jit.kernel_task import KernelTask
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.evaluator import SLOT
from weft.backends.llvm.nest.fill_tile import fill_kernel
from weft.backends.llvm.nest.frame import table_of
from weft.backends.llvm.nest.map_tables import lower_map
from weft.backends.llvm.nest.pack_routines import move_routine, ramp_routine, rows_routine
from weft.backends.llvm.nest.structure import Leaf, Structure
from weft.backends.llvm.nest.walk import AXES, GROUP, OPERAND, OPERANDS, ROW
from weft.errors import InternalError
from weft.ir.kernels.plan import Instr, MapLaunch, Operand, ReduceLaunch, Row
from weft.ir.kernels.sum_order import reduce_rows

UNIT = 60_000.0  # nanoseconds of work in a unit, about
CELLS = (1 << 15, 1 << 18)  # cells in a unit, at least and at most
COLUMNS = 2048  # at most in a panel
WIDEST = 192  # bytes: more than a kernel writes behind its last column
LEAST_COLUMNS, SHARE = 512, 8  # of panels that share one reduction between threads
MANY = 64  # units without cutting the reduced axis
NARROW = 64  # bytes: kept cells that share cache lines stay in one unit


def lower_reduce(launch: ReduceLaunch) -> list[KernelTask]:
    """Return the tasks that compute a reduction; none where no cell is kept."""
    if 0 in launch.shape[: launch.kept]:
        return []
    if 0 in launch.shape[launch.kept :]:
        return _of_nothing(launch)
    law = law_of(launch.op, launch.acc)
    free = not law.ordered and not law.indexed
    boxes = boxes_of(launch.rows, launch.shape, launch.kept, launch.out, free)
    plans = [cheapest(law, box) for box in boxes]
    ways = ([p for p in plans if p.kind == kind] for kind in DRIVERS)
    return [lower_plans(launch, law, way) for way in ways if way]


def _of_nothing(launch: ReduceLaunch) -> list[KernelTask]:
    """Return the task that writes the reduction of no cells, a constant, to every kept cell."""
    value = reduce_rows(launch.op, np.empty((1, 0), launch.acc.np), launch.acc, launch.correction)[0].item()
    body = (Instr("const", launch.out.dtype, attr=value),)
    return lower_map(MapLaunch((Row(body, launch.shape[: launch.kept], (), launch.out),)))


def lower_plans(launch: ReduceLaunch, law: Law, plans: list[ReducePlan]) -> KernelTask:
    """Return one task for plans of one kind."""
    kind = plans[0].kind
    driver, finish, words = DRIVERS[kind]
    scratch, units, groups = 0, [], []
    for plan in plans:
        made = words(law, plan, launch.out, scratch, launch.correction)
        groups.append(made.words())
        units.append(made.units)
        scratch += made.scratch
    nanoseconds = sum(p.cost * p.n * prod(p.box.kept) for p in plans)
    reads = sum(bytes_read(p, piece) for p in plans for piece in p.box.pieces)
    return KernelTask(
        driver(),
        table_of(HEAD, _head(launch, law, kind), units, groups),
        sum(units),
        cost=(nanoseconds + reads * cost.BYTE) / sum(units),
        finish=finish() if scratch else 0,
        scratch=scratch,
        bytes_read=reads,
        bytes_written=prod(launch.shape[: launch.kept]) * launch.out.dtype.itemsize,
        name=f"{launch.op} {kind}",
    )


def bytes_read(plan: ReducePlan, piece: GroupRow) -> int:
    """Return the bytes of the different cells that a row's operands touch."""
    total = 0
    for k, o in enumerate(piece.operands):
        kept = prod(n for n, s in zip(plan.box.kept, piece.kept[k], strict=True) if s)
        cells = kept * prod(n for n, s in zip(piece.size, piece.reduced[k], strict=True) if s)
        total += cells * o.dtype.itemsize if o.arg >= 0 else 0
    return total


def _head(launch: ReduceLaunch, law: Law, kind: str) -> dict[str, int]:
    """Return the routines of the law."""
    head = {"finish": finish_routine(law, launch.out.dtype, launch.out.swapped)}
    if kind == "columns":
        head["merge"] = merge_routine(law)
    else:
        head["fold"] = fold_routine(law)
    if kind == "rows":
        return head | {"tile": tile_rows_kernel(law)}
    if law.op == "var":
        head["divide"] = divide_routine(law)
    if kind == "staggered":
        head["event"] = event_routine(law)
    return head | {"clear": clear_routine(law), "close": close_routine(law)}


def of_double(x: float) -> int:
    """Return the bits of a double as a word."""
    return int(np.float64(x).view(np.int64))


def _pack_routine(o: Operand, along: int) -> int:
    if o.arg < 0:
        return ramp_routine()
    return rows_routine() if along == o.dtype.itemsize else move_routine(o.dtype.itemsize)


@dataclass(slots=True)
class GroupWords:
    """The words of a group; `units` and `scratch` bytes are known after `words`."""

    law: Law
    plan: ReducePlan
    out: Operand
    at: int = 0  # its part of the scratch memory
    correction: float = 0.0
    units: int = 0
    scratch: int = 0
    templates: dict[object, list[int]] = field(default_factory=dict)  # words of rows that differ in addresses alone

    def words(self) -> list[int]:
        """Return the words, and set `units` and `scratch`."""
        raise NotImplementedError

    def common(self) -> dict[str, int]:
        plan, law, n = self.plan, self.law, self.plan.n
        axes = len(plan.outer) + len(inner_axes(plan)) + plan.columns
        most = max(len(p.operands) for p in plan.box.pieces)
        if axes > AXES or most > OPERANDS:
            raise InternalError(f"{law.op}: internal: {axes} axes, {most} operands; please report this")
        row_words = len(ROW) + 2 * len(inner_axes(plan)) + most * (len(OPERAND) + axes)
        return {
            "rows": len(plan.box.pieces), "row_words": row_words, "outer": len(plan.outer) + plan.columns, "axes": axes,
            "outer_cells": prod(plan.box.kept[a] for a in plan.outer), "prefix": 1, "item": law.acc.itemsize,
            "direct": plan.direct, "mixed": plan.mixed, "n": n, "c": plan.c, "arg": self.out.arg,
            "offset": plan.box.out_offset, "scratch": self.at,
            "stride": plan.box.out_strides[plan.axis] if plan.axis >= 0 else 0, "count": of_double(plan.crossed or n),
            "divisor": of_double(max((plan.crossed or n) - self.correction, 0.0)), "planes": len(law.part),
            "size0": cell_bytes(law.part[0]), "size1": cell_bytes(law.part[-1]),
        }  # fmt: skip

    def finished(self, numbers: dict[str, int]) -> list[int]:
        plan, outer = self.plan, self.plan.outer
        own = [1] if plan.columns else []  # the columns' axis: its index is set by the driver
        sizes = [*(plan.box.kept[a] for a in outer), *own, *inner_axes(plan)]
        strides = [*(plan.box.out_strides[a] for a in outer), *(0 for _ in own)]
        words = [*filled(GROUP, **numbers), *sizes, *strides]
        for piece in plan.box.pieces:
            words += self.filled_row(piece, numbers["axes"], numbers["row_words"])
        return words

    def filled_row(self, piece: GroupRow, axes: int, length: int) -> list[int]:
        """Return the words of a row, from those of an earlier one with the same structure and strides if possible."""
        operands = tuple((o.dtype, o.swapped, o.arg < 0) for o in piece.operands)
        strides = tuple(tuple(s) for s in (*piece.kept, *piece.reduced))
        key = (id(piece.body), operands, strides)
        if key not in self.templates:
            row = self.row(piece)
            self.templates[key] = row + [0] * (length - len(row))
        words, (starts, sizes) = self.templates[key].copy(), inner_box(self.plan, piece)
        at = len(ROW) + 2 * len(starts)
        words[len(ROW) : at] = [*starts, *sizes]
        words[ROW["scalars"]] = SLOT * piece.scalars
        for o, offset in zip(piece.operands, piece.offsets, strict=True):
            words[at + OPERAND["arg"]], words[at + OPERAND["offset"]] = o.arg, offset
            at += len(OPERAND) + axes
        return words

    def row(self, piece: GroupRow) -> list[int]:
        plan = self.plan
        starts, sizes = inner_box(plan, piece)
        packs = packing(plan, piece) if plan.packed else None
        is_plain = packs is not None and is_copy(plan, piece, packs, self.law.acc)
        numbers = {"kernel": 0 if is_plain else self.kernel(piece, packs), "operands": len(piece.operands)}
        if plan.mixed or (plan.direct and not plan.columns):
            numbers["rows"] = self.in_place(piece)
        if packs is not None:
            numbers |= {"flat": packs.flat, "sub": packs.sub, "cells": packs.cells, "tall": packs.tall}
        words = [*filled(ROW, **numbers), *starts, *sizes]
        along, second = lane_strides(plan, piece), self.across(piece)
        for k, (o, offset) in enumerate(zip(piece.operands, piece.offsets, strict=True)):
            numbers = {"arg": o.arg, "offset": offset, "along": along[k], "second": second[k]}
            if packs is not None and k in packs.buffers:
                routine = _pack_routine(o, along[k])
                numbers |= {"pack": routine, "width": o.dtype.itemsize, "buffer": packs.buffers[k]}
            words += filled(OPERAND, **numbers)
            words += [piece.kept[k][a] for a in plan.outer]
            words += [piece.kept[k][plan.axis]] if plan.columns else []
            words += inner_strides(plan, piece, k)
        return words

    def kernel(self, piece: GroupRow, packs: Packing | None) -> int:
        """Return the machine code for a row."""
        plan, lanes = self.plan, lanes_of_piece(piece)
        leaves = leaves_along(piece, lane_strides(plan, piece), packs.buffers if packs else ())
        if plan.folded:
            return cols_kernel(self.law, Structure(piece.body, leaves, lanes), "folded")
        if plan.columns:
            return cols_kernel(self.law, Structure(piece.body, leaves, column_lanes(piece, plan.c)))
        tile = Leaf(self.law.acc, False, "1")
        return 0 if plan.direct else fill_kernel(Structure(piece.body, [*leaves, tile], lanes))

    def in_place(self, piece: GroupRow) -> int:
        """Return the machine code for segments of one stride, or for the second pass of a variance by columns."""
        leaves = leaves_along(piece, lane_strides(self.plan, piece))
        if self.plan.columns:
            structure = Structure(piece.body, leaves, column_lanes(piece, self.plan.c))
            return cols_kernel(self.law, structure, "squares")
        return rows_kernel(self.law, Structure(piece.body, leaves, lanes_of_piece(piece)))

    def across(self, piece: GroupRow) -> list[int]:
        """Return the second stride of each operand's leaf."""
        raise NotImplementedError


class _RowWords(GroupWords):
    """Reductions along the lanes."""

    def words(self) -> list[int]:
        plan, numbers = self.plan, self.common()
        n, c, groups, size = plan.n, plan.c, 1, 1
        block = self._block()
        blocks = -(-n // block)
        wanted = int(min(max(UNIT / plan.cost, CELLS[0]), CELLS[1]))
        per = max(1, min(c, wanted // n))
        many = numbers["outer_cells"] * c >= MANY and blocks <= ENTRIES
        if blocks > 1 and not many:
            size = min(1 << max((wanted // block).bit_length() - 1, 0), ENTRIES)
            groups = -(-blocks // size)
            if groups > 1 and self._is_narrow():
                per = min(c, NARROW)
        size = blocks if groups == 1 else size
        uniform = n <= block or (groups == 1 and n % block == 0 and self._can_run_on())
        numbers |= {
            "boxes": 1, "per": per, "panels": -(-c // per), "batch": max(1, ENTRIES // min(size, blocks)),
            "groups": groups, "group_blocks": size, "blocks": blocks, "block": block, "uniform": uniform,
            "cap": max(1, plan.tile // self.law.acc.itemsize // min(n, block)), "step": 0 if n <= block else block,
        }  # fmt: skip
        self.units = numbers["outer_cells"] * numbers["panels"] * groups
        if groups > 1:
            entries = numbers["outer_cells"] * c * groups
            numbers["pitch"] = -(-(entries + 16) * 8 // 64) * 64
            self.scratch = numbers["pitch"] * numbers["planes"]
        return self.finished(numbers)

    def _block(self) -> int:
        """Return the cells of a block: the law's, or for a free law in a tile what the tile holds."""
        if self.law.ordered or self.law.indexed:
            return self.law.block
        if self.plan.direct:
            return CELLS[0]
        return min(self.law.block, self.plan.tile // self.law.acc.itemsize)

    def _is_narrow(self) -> bool:
        """True if neighbours along the kept axis lie in the same cache lines, so that lines serve all of them."""
        steps = [abs(inner_strides(self.plan, p, k)[0]) for p in self.plan.box.pieces for k in range(len(p.operands))]
        return not self.plan.merged and 0 < max(steps, default=0) < NARROW and self.plan.c <= NARROW

    def _can_run_on(self) -> bool:
        """True if one constant stride leads through the blocks of a kept cell and on into those of the next."""
        return not self.law.indexed and (not self.plan.direct or self.plan.merged or self.plan.c == 1)

    def across(self, piece: GroupRow) -> list[int]:
        plan = self.plan
        if not plan.direct and not plan.mixed:
            return across_strides(plan, piece)
        strides = [inner_strides(plan, piece, k) for k in range(len(piece.operands))]
        block = self._block()
        if plan.n > block:
            return [s[-1] * block for s in strides]
        return [s[0] * plan.n if plan.merged else s[0] for s in strides]


class _ColumnWords(GroupWords):
    """Reductions across the lanes."""

    def words(self) -> list[int]:
        plan, law, numbers = self.plan, self.law, self.common()
        columns = plan.c if plan.folded else self._columns()
        numbers |= self._panel(columns, law.block)
        waiting = SLOTS // (numbers["step"] * len(law.part)) - 2
        wanted = int(min(max(UNIT / plan.cost, CELLS[0]), CELLS[1]))
        fitting = (wanted // (min(columns, plan.c) * law.block)).bit_length() - 1
        if numbers["outer_cells"] * numbers["panels"] >= MANY:
            fitting = waiting
        size = 1 << max(min(waiting, 20, fitting), 0)
        groups = -(-numbers["blocks"] // size)
        numbers |= {"groups": groups, "group_blocks": size}
        self.units = numbers["outer_cells"] * numbers["panels"] * groups
        if groups > 1:
            numbers["pitch"] = -(-(plan.c * 8 + 256) // 64) * 64
            self.scratch = numbers["outer_cells"] * groups * numbers["planes"] * numbers["pitch"]
        return self.finished(numbers)

    def _panel(self, columns: int, block: int) -> dict[str, int]:
        """Return the words about a panel: `step` is the pitch of its results' planes."""
        plan, law = self.plan, self.law
        lane = columns * max(map(cell_bytes, law.lane)) + (0 if plan.folded else WIDEST)
        used = plan.folded or (1 << (min(plan.n, block, LANES) - 1).bit_length() if law.ordered else 1)
        return {
            "per": columns, "panels": -(-plan.c // columns), "blocks": -(-plan.n // block), "block": block,
            "step": columns * max(map(cell_bytes, law.part)) + 256, "lanes": used, "lane": lane,
            "plane": lane * (plan.folded or (LANES if law.ordered else 1)) + SLACK, "batch": plan.folded,
        }  # fmt: skip

    def _columns(self) -> int:
        """Return how many columns a panel has: a multiple of the lanes that fits the stack."""
        law, lanes = self.law, max(max(map(lanes_of_piece, self.plan.box.pieces)), 16)
        width = sum(map(cell_bytes, law.lane)) * (8 if law.ordered else 1)
        most = min(COLUMNS, PANEL // 2 // width, SLOTS // 4 // (8 * len(law.part)))
        wanted = -(-self.plan.c // lanes) * lanes
        return max(lanes, min(most // lanes * lanes, wanted))

    def across(self, piece: GroupRow) -> list[int]:
        return [(s[-1] if s else 0) * (self.plan.folded or 1) for s in piece.reduced]


class _CrossedWords(_ColumnWords):
    """Columns that are reduced too.  `outer_cells` are what `finish` gives, each of `prefix` times `c` columns."""

    def words(self) -> list[int]:
        plan, law, numbers = self.plan, self.law, self.common()
        block = plan.n if law.indexed else BLOCK
        columns = self._columns()
        lanes = max(map(lanes_of_piece, plan.box.pieces))
        columns = min(columns, max(-(-plan.c // SHARE // lanes) * lanes, LEAST_COLUMNS))
        rows = numbers["outer_cells"]
        numbers |= self._panel(columns, block)
        numbers["outer_cells"] = prod(plan.box.kept) * plan.n // plan.crossed
        numbers["prefix"] = rows // numbers["outer_cells"]
        numbers["groups"] = -(-plan.crossed // block) if plan.staggered else plan.crossed // block
        numbers |= {"cap": plan.crossed, "uniform": law.indexed}
        entries = numbers["groups"] * numbers["outer_cells"]
        numbers["pitch"] = -(-(entries + 16) * 8 // 64) * 64
        self.scratch = numbers["pitch"] * numbers["planes"]
        self.units = rows * numbers["panels"]
        return self.finished(numbers)


DRIVERS = {
    "rows": (rows_driver, rows_finish, _RowWords),
    "columns": (columns_driver, columns_finish, _ColumnWords),
    "crossed": (crossed_driver, crossed_finish, _CrossedWords),
    "staggered": (staggered_driver, crossed_finish, _CrossedWords),
}
