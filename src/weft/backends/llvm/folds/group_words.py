"""The tables that the drivers of reductions and scans read: one entry of words for each group.

Terms: a *group* is a set of rows over one box of kept cells; a *group row* is one of these rows; an *entry* is the
group's record in the table (layout `GROUP` of `walk`), which ends with a record for each group row (`ROW`) and operand
(`OPERAND`). The one idea: a plan says how a group is walked; here it becomes words, kernels and a number of units.  How
the work is cut into units is free to depend on anything, since it never shows in a result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from weft.backends.llvm.emit.words import WordLayout, double_bits, filled
from weft.backends.llvm.folds.laws import Law
from weft.backends.llvm.folds.reduce_columns import cols_kernel
from weft.backends.llvm.folds.reduce_plan import Packing, ReducePlan
from weft.backends.llvm.folds.reduce_runs import runs_kernel
from weft.backends.llvm.folds.row_groups import GroupRow
from weft.backends.llvm.jit.kernel_task import KernelTask, table_of
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.evaluator import SLOT
from weft.backends.llvm.nest.map_kernel import map_kernel
from weft.backends.llvm.nest.pack_routines import pack_routine
from weft.backends.llvm.nest.structure import Leaf, Structure
from weft.backends.llvm.nest.walk import AXES, GROUP, OPERAND, OPERANDS, ROW
from weft.errors import InternalError
from weft.ir.kernels.plan import Operand, touched_bytes


@dataclass(slots=True)
class GroupWords(ABC):
    """The table entry, as words, of a group: the rows that are reduced to one box of kept cells.

    Each kind of driver has a subclass that cuts the work into units.
    """

    law: Law
    plan: ReducePlan
    out: Operand
    at: int = 0  # first byte of this entry's part of the scratch memory
    correction: float = 0.0  # of a variance: subtracted from the divisor
    scratch: int = 0  # bytes of this entry's part of the scratch memory
    numbers: dict[str, int] = field(default_factory=dict)  # the words `GROUP`, by name
    templates: dict[object, list[int]] = field(
        default_factory=dict
    )  # words of group rows that differ in addresses alone

    def __post_init__(self) -> None:
        self.numbers = self._common()
        self.numbers |= self.cut()

    @abstractmethod
    def cut(self) -> dict[str, int]:
        """Return the words of `GROUP` that say how the group is cut into units.

        Also sets `scratch`, the bytes of scratch memory that it needs.
        """

    def second_strides(self, group_row: GroupRow) -> list[int]:
        """Return for each operand of `group_row` the bytes between the rows or segments of a kernel call."""
        return self.plan.across_strides(group_row)

    @property
    def units(self) -> int:
        """Return the number of units that the group is cut into."""
        return self.numbers["outer_cells"] * self.numbers["panels"] * self.numbers.get("groups", 1)

    def words(self) -> list[int]:
        """Return the table entry of the group: its words, then a record for each of its rows."""
        plan, outer = self.plan, self.plan.outer
        own = [1] if plan.columns else []  # the columns' axis: its index is set by the driver
        sizes = [*[plan.box.kept[a] for a in outer], *own, *plan.inner_axes]
        strides = [*[plan.box.out_strides[a] for a in outer], *[0 for _ in own]]
        words = [*filled(GROUP, **self.numbers), *sizes, *strides]
        for group_row in plan.box.group_rows:
            words += self._row(group_row)
        return words

    def _common(self) -> dict[str, int]:
        """Return the words of `GROUP` that mean the same for every driver.

        Raises InternalError if there are more axes or operands than drivers have room for.
        """
        plan, law, n = self.plan, self.law, self.plan.n
        axes = len(plan.outer) + len(plan.inner_axes) + plan.columns
        most = max([len(p.operands) for p in plan.box.group_rows])
        if axes > AXES or most > OPERANDS:
            raise InternalError(f"{law.op}: internal: {axes} axes, {most} operands; please report this")
        return {
            "rows": len(plan.box.group_rows), "outer": len(plan.outer) + plan.columns, "axes": axes,
            "row_words": len(ROW) + 2 * len(plan.inner_axes) + most * (len(OPERAND) + axes),
            "outer_cells": prod([plan.box.kept[a] for a in plan.outer]), "prefix": 1, "item": law.acc.itemsize,
            "direct": plan.direct, "mixed": plan.mixed, "n": n, "whole": plan.crossed or n, "c": plan.c,
            "arg": self.out.arg, "offset": plan.box.out_offset, "scratch": self.at,
            "stride": plan.box.out_strides[plan.results] if plan.results >= 0 else 0,
            "count": double_bits(plan.crossed or n),
            "divisor": double_bits(max((plan.crossed or n) - self.correction, 0.0)), "planes": len(law.part_types),
            "size0": law.part_bytes[0], "size1": law.part_bytes[-1],
        }  # fmt: skip

    # ---- rows of the group
    def _row(self, group_row: GroupRow) -> list[int]:
        """Return the table record of `group_row`, one row of the group.

        Rows that differ only in addresses and boxes share one template.
        """
        operands = tuple([(o.dtype, o.swapped, o.arg < 0) for o in group_row.operands])
        strides = tuple([tuple(s) for s in (*group_row.kept, *group_row.reduced)])
        key = (id(group_row.body), operands, strides)
        template = self.templates.get(key)
        if template is None:
            row = self._template(group_row)
            template = self.templates[key] = row + [0] * (self.numbers["row_words"] - len(row))
        words, (starts, sizes) = template.copy(), self.plan.inner_box(group_row)
        at = len(ROW) + 2 * len(starts)
        words[len(ROW) : at] = [*starts, *sizes]
        words[ROW["scalars"]] = SLOT * group_row.scalars
        for o, offset in zip(group_row.operands, group_row.offsets, strict=True):
            words[at + OPERAND["arg"]], words[at + OPERAND["offset"]] = o.arg, offset
            at += len(OPERAND) + self.numbers["axes"]
        return words

    def _template(self, group_row: GroupRow) -> list[int]:
        """Return the table record of `group_row`, one row of the group, with 0 for its box, addresses and scalars."""
        plan = self.plan
        packs = plan.packing(group_row, plan.leaves(group_row)) if plan.packed else None
        is_plain = packs is not None and plan.is_copy(group_row, packs, self.law.acc)
        numbers = {"kernel": 0 if is_plain else self.kernel(group_row, packs), "operands": len(group_row.operands)}
        if plan.mixed or (plan.direct and not plan.columns):
            numbers["rows"] = self.direct_kernel(group_row)
        if packs is not None:
            numbers |= {"flat": packs.flat, "sub": packs.sub, "cells": packs.cells, "tall": packs.tall}
        words = filled(ROW, **numbers) + [0] * (2 * len(plan.inner_axes))
        inner, second = plan.inner_strides(group_row), self.second_strides(group_row)
        along = (
            plan.lane_strides(group_row) if plan.abreast < 0 else [s[-1] for s in group_row.reduced]
        )  # from cell to cell
        for k, o in enumerate(group_row.operands):
            numbers = {"along": along[k], "second": second[k]}
            if packs is not None and k in packs.buffers:
                numbers |= {
                    "pack": pack_routine(o, plan.abreast < 0 and along[k] == o.dtype.itemsize),
                    "width": o.dtype.itemsize,
                    "buffer": packs.buffers[k],
                }
            own = [group_row.kept[k][plan.axis]] if plan.columns else []
            words += [*filled(OPERAND, **numbers), *[group_row.kept[k][a] for a in plan.outer], *own, *inner[k]]
        return words

    def kernel(self, group_row: GroupRow, packs: Packing | None) -> int:
        """Return the address of a row's kernel, which adds it to a panel or writes it to a tile.

        It is 0 where the cells are read in place.  `packs` says which operands are packed.
        """
        plan, leaves = self.plan, self.plan.leaves(group_row, packs.buffers if packs else ())
        if plan.runs:
            return runs_kernel(self.law, self.structure(group_row, leaves, narrow=True))
        if plan.columns and not plan.folded:
            return cols_kernel(self.law, self.structure(group_row, leaves, narrow=True))
        if plan.columns:
            return cols_kernel(self.law, self.structure(group_row, leaves), "folded")
        tile = Leaf(self.law.acc, False, "1")
        return 0 if plan.direct else map_kernel(self.structure(group_row, [*leaves, tile]))

    def direct_kernel(self, group_row: GroupRow) -> int:
        """Return the address of a kernel that reads operands of `group_row`, a row of the group, where they lie.

        It reduces segments (row plans), or sums squared distances from means (column plans).
        """
        raise InternalError(f"kernels: {type(self).__name__} reads no operands where they lie; please report this")

    def structure(self, group_row: GroupRow, leaves: Sequence[Leaf], narrow: bool = False) -> Structure:
        """Return the structure of a row's body over the given leaves.

        With `narrow`, it has at most as many lanes as a panel has columns.
        """
        return Structure(
            group_row.body.steps, leaves, self.plan.panel_lanes(group_row) if narrow else group_row.body.lanes
        )


def task_of(
    groups: Sequence[GroupWords], places: WordLayout, routines: dict[str, int], moved: int = 0, **fields: Any
) -> KernelTask:
    """Return the task of some groups that share one driver.

    `routines` are the words of the table's head, laid out by `places`.  `moved` bytes are added to the bytes read when
    the cost is estimated; `fields` are the remaining fields of the `KernelTask`.
    """
    units = [g.units for g in groups]
    reads = sum([_bytes_read(g.plan, group_row) for g in groups for group_row in g.plan.box.group_rows])
    nanoseconds = sum([g.plan.cost * g.plan.cells for g in groups]) + (reads + moved) * cost.BYTE
    return KernelTask(
        table=table_of(places, routines, units, [g.words() for g in groups]),
        units=sum(units),
        cost=nanoseconds / sum(units),
        scratch=sum([g.scratch for g in groups]),
        bytes_read=reads,
        **fields,
    )


def _bytes_read(plan: ReducePlan, group_row: GroupRow) -> int:
    """Return the bytes that the operands of `group_row`, a row of a group, occupy; repeated cells count once."""
    sizes = [*plan.box.kept, *group_row.size]
    placed = zip(group_row.operands, group_row.kept, group_row.reduced, strict=True)
    return sum([touched_bytes(o._replace(strides=(*kept, *reduced)), sizes) for o, kept, reduced in placed])
