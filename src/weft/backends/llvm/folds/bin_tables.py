"""From a count of bins to a task.

The one idea: bin numbers, and weights, are planned like cells that are reduced to one, only that they end in a tile: a
second loop adds the cells of the tile to a table of bins, one by one.  Where the order of the additions does not show,
several units add to tables of their own, which the finish driver adds up.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from weft.backends.llvm.folds.bin_driver import HEAD, add_routine, bins_driver, bins_finish
from weft.backends.llvm.folds.group_words import GroupWords, task_of
from weft.backends.llvm.folds.laws import law_of
from weft.backends.llvm.folds.reduce_plan import ReducePlan
from weft.backends.llvm.folds.reduce_plans import row_plans
from weft.backends.llvm.folds.row_groups import boxes_of
from weft.backends.llvm.jit.kernel_task import KernelTask
from weft.backends.llvm.nest.map_tables import lower_map
from weft.dtypes import DType
from weft.ir.kernels.plan import BinLaunch, Instr, MapLaunch, Row

ADD = 1.0  # nanoseconds to add a cell to its bin
CELLS = 1 << 16  # of a unit, at least
UNITS = 64  # at most
SCRATCH = 32 << 20  # bytes of tables, about
FEW = 1024  # bins of which a unit has several tables: then neighbours in one bin need not wait for each other
TABLES = 4


def lower_bins(launch: BinLaunch) -> list[KernelTask]:
    """Return the tasks of a count of bins: one, or none if there are no bins."""
    if not launch.bins:
        return []
    if 0 in launch.shape:
        body = (Instr("const", launch.out.dtype, attr=0),)
        return lower_map(MapLaunch((Row(body, (launch.bins,), (), launch.out),)))
    ordered = launch.out.dtype.is_inexact
    sides = [rows for rows in (launch.numbers, launch.weights) if rows]
    cut = _cut(launch, ordered)
    groups = [_group(launch, rows, first=k == 0, cut=cut, sort=len(sides) == 1) for k, rows in enumerate(sides)]
    numbers, weights = launch.numbers[0].body[-1].dtype, launch.out.dtype if launch.weights else None
    task = task_of(
        groups,
        HEAD,
        {"add": add_routine(numbers, weights), "bins": launch.bins, **cut.words},
        run=bins_driver(),
        finish=bins_finish() if cut.tables else 0,
        bytes_written=launch.bins * 8,
        name=launch.op,
    )
    return [task]


@dataclass(frozen=True, slots=True)
class Cut:
    """The division of a count into units of `per` cells with `tables` tables each.

    With 0 tables the only unit adds to the output itself.
    """

    units: int
    per: int
    tables: int
    apart: int  # bytes from table to table

    @property
    def words(self) -> dict[str, int]:
        turn = self.apart if self.tables == TABLES else 0
        return {"tables": self.tables, "apart": self.apart, "turn": turn, "all": self.units * self.tables}

    @property
    def scratch(self) -> int:
        """The bytes of scratch memory for the tables of all units."""
        return self.units * self.tables * self.apart


def _cut(launch: BinLaunch, ordered: bool) -> Cut:
    n, bins = prod(launch.shape), launch.bins
    apart = -(-bins * 8 // 64) * 64
    tables = TABLES if bins <= FEW and n >= 64 * bins else 1
    units = max(min(n // max(CELLS, 8 * bins), UNITS, SCRATCH // (apart * tables)), 1)
    if ordered or units * tables == 1:
        return Cut(1, n, 0, 0)
    per = -(-n // units)
    return Cut(-(-n // per), per, tables, apart)


def _group(launch: BinLaunch, rows: tuple[Row, ...], first: bool, cut: Cut, sort: bool) -> _BinWords:
    """Return the table words of the bin numbers (`first`) or of the weights, planned from their rows.

    With `sort`, cells may be added in any order.
    """
    dtype: DType = rows[0].body[-1].dtype
    law = law_of("sum", dtype)
    (box,) = boxes_of(rows, launch.shape, 0, launch.out._replace(strides=()), sort)
    plan: ReducePlan = min(row_plans(law, box, direct=False), key=lambda p: p.cost)
    plan.cost += ADD
    return _BinWords(law, plan, launch.out, tile_cut=cut, first=first)


@dataclass(slots=True)
class _BinWords(GroupWords):
    """The table entry of bin numbers or of weights; a unit is a range of cells.

    The entry of the weights follows that of the bin numbers, and has no units.
    """

    tile_cut: Cut | None = None
    first: bool = True

    def cut(self) -> dict[str, int]:
        assert self.tile_cut is not None
        self.scratch = self.tile_cut.scratch if self.first else 0
        cells = self.plan.tile // 8  # as many as fit, of numbers and of weights
        return {"boxes": 1, "per": self.tile_cut.per, "panels": self.tile_cut.units if self.first else 0, "cap": cells}
