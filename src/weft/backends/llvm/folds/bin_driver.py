"""The driver of counts of bins, and the loop that adds cells to their bins.

Terms: a *table* has an int64 or a double for each bin.  The one idea: a unit fills a tile with bin numbers, and a
second one with weights if there are any, and adds their cells to its tables; the finish driver adds all tables to the
output.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.emit.words import word
from weft.backends.llvm.folds.reduce_plan import LARGE_TILE
from weft.backends.llvm.folds.reduce_rows import SLACK
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import FINISH, RUN
from weft.backends.llvm.nest.fill_tile import FILL, fill_functions
from weft.backends.llvm.nest.frame import Table, head
from weft.backends.llvm.nest.walk import Group, WalkPosition, group_units, walk_function
from weft.dtypes import DType

# `apart`: bytes from table to table, `turn`: from the table of a cell to that of the next, `all`: the tables of all
# units; 0: the one unit adds to the output.
HEAD = head("add* bins tables apart turn all")
ABREAST = 4  # cells in turn, each of which has a table if there are so many


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
