"""Counts of bins: from a launch to a task, and the driver that runs it.

The one idea: bin numbers, and weights, are planned like cells that are reduced to one, only that they end in a tile: a
second loop adds the cells of the tile to a table of bins, one by one.  Where the order of the additions does not show,
several units add to tables of their own, with an int64 or a double for each bin, which the finish driver adds up.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.emit.words import word
from weft.backends.llvm.folds.group_words import GroupWords, task_of
from weft.backends.llvm.folds.laws import law_of
from weft.backends.llvm.folds.reduce_plan import LARGE_TILE, ReducePlan
from weft.backends.llvm.folds.reduce_plans import row_plans
from weft.backends.llvm.folds.reduce_rows import SLACK
from weft.backends.llvm.folds.row_groups import boxes_of
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import FINISH, RUN, KernelTask, Table, head
from weft.backends.llvm.nest.fill_tile import FILL, fill_functions
from weft.backends.llvm.nest.map_tables import lower_constant
from weft.backends.llvm.nest.walk import Group, WalkPosition, group_units, walk_function
from weft.dtypes import DType
from weft.ir.kernels.plan import BinLaunch, Row

ADD = 1.0  # nanoseconds to add a cell to its bin
CELLS = 1 << 16  # least cells of a unit
UNITS = 64  # most units
SCRATCH = 32 << 20  # bytes of all units' tables, about
FEW = 1024  # bins up to which a unit has TABLES tables, so that adding to one bin twice in a row need not wait
TABLES = 4


def lower_bins(launch: BinLaunch) -> list[KernelTask]:
    """Return the tasks of a count of bins: one, or none if there are no bins."""
    if not launch.bins:
        return []
    if 0 in launch.shape:
        return lower_constant(0, (launch.bins,), launch.out)
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

    `cut` says how the cells are cut into units. With `sort`, cells may be added in any order.
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
        cells = self.plan.tile // 8  # as many as fit: for each a bin number and a weight
        return {"boxes": 1, "per": self.tile_cut.per, "panels": self.tile_cut.units if self.first else 0, "cap": cells}


# `apart`: bytes from table to table, `turn`: from the table of a cell to that of the next, `all`: the tables of all
# units; 0: the one unit adds to the output.
HEAD = head("add* bins tables apart turn all")
ABREAST = 4  # cells added one after another, each to another table if there are several


@compiled("bin_add", "ptr tile, ptr weights, i64 n, ptr at, i64 bins, i64 turn")
def add_routine(b: Builder, numbers: DType, weights: DType | None) -> None:
    """Emit the routine that adds n cells to the tables of their bins.

    Cell k is added to the table at + turn · (k mod 4).  `tile` holds the bin number of each cell; each cell adds 1, or
    its weight.  Cells whose number is in no bin are added to a word that is never read.
    """
    nowhere = b.alloca("i64")
    b.store(b.const("i64", 0), nowhere)

    def add(cell: Value, table: int) -> None:
        raw = b.load(f"i{numbers.itemsize * 8}", b.gep(b["tile"], cell * numbers.itemsize))
        number = b.cast("sext" if numbers.kind == "int" else "zext", raw, "i64")
        inside = number.compare("", "ult", b["bins"])
        there = b.select(inside, b.gep(b["at"], number * 8 + b["turn"] * table), nowhere)
        elem = "double" if weights is not None and weights.is_inexact else "i64"
        by: Value | int = b.load(elem, b.gep(b["weights"], cell * 8)) if weights is not None else 1
        b.store(b.load(elem, there, 8) + by, there, 8)

    whole = b["n"] & -ABREAST
    with b.loop(0, whole, ABREAST) as i:
        for k in range(ABREAST):
            add(i + k, k)
    with b.loop(whole, b["n"]) as i:
        add(i, 0)


@compiled("bins_run", RUN, brief=True)
def bins_driver(b: Builder) -> list[Builder]:
    """Emit the driver whose units each add a range of cells to tables of their own.

    Returns the functions that the driver calls.
    """
    for name in ("tile", "weights"):
        b.stack_buffer(name, "i8", LARGE_TILE + SLACK)
    table = Table(b, HEAD)
    with group_units(b, table) as (group, unit):
        mine, size = _tables(b, table, group, unit)
        b.call("void", "llvm.memset.p0.i64", mine, b.const("i8", 0), size, b.const("i1", 0))
        first = unit * group["per"]
        stop = b.smin(first + group["per"], group["n"])
        with b.loop(first, stop, group["cap"]) as g:
            end = b.smin(g + group["cap"], stop)
            FILL.call(b, g=g, end=end)
            with b.when(table.count > 1):
                WalkPosition(b)["row"] = 0
                FILL.call(b, group=table.entry(b.const("i64", 1)), tile=b["weights"], g=g, end=end)
                WalkPosition(b)["row"] = 0
            add_routine.signature.call(b, table["add"], n=end - g, at=mine, bins=table["bins"], turn=table["turn"])
    return [walk_function(), *fill_functions()]


def _tables(b: Builder, table: Table, group: Group, unit: Value) -> tuple[Value, Value]:
    """Return the address and the size in bytes of the tables that a unit fills.

    It is the output itself where the table's word `all` is 0.
    """
    size, out = table["tables"] * table["apart"], _output(b, group)
    own = b.gep(b["scratch"], group["scratch"] + unit * size)
    direct = table["all"].eq(0)
    return b.select(direct, out, own), b.select(direct, table["bins"] * 8, size)


def _output(b: Builder, group: Group) -> Value:
    return b.gep(word(b, b["bases"], group["arg"], "ptr"), group["offset"])


@compiled("bins_finish", FINISH, brief=True)
def bins_finish(b: Builder) -> None:
    """Emit the driver that adds the tables of all units to the output."""
    table = Table(b, HEAD)
    b.scope["group"] = table.entry(b.const("i64", 0))
    group = Group(b)
    out, tables = _output(b, group), b.gep(b["scratch"], group["scratch"])
    lanes, bins = 8, table["bins"]

    def add(k: Value, lanes: int) -> None:
        type = Type("i64", lanes)
        with b.carrying([b.const(type, 0)], 0, table["all"]) as turn:
            there = b.gep(tables, turn.i * table["apart"] + k * 8)
            turn.values = [turn.values[0] + b.load(type, there, 8)]
        b.store(turn.values[0], b.gep(out, k * 8), 8)

    with b.loop(0, bins & -lanes, lanes) as k:
        add(k, lanes)
    with b.loop(bins & -lanes, bins) as k:
        add(k, 0)
