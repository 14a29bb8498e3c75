"""The driver of crossed reductions whose blocks begin at a different row in every column.

Terms: columns that are themselves reduced follow each other in logical order, T cells each; a *sweep* adds rows of a
panel; an *event* is the end of a block inside a column.  The one idea: where T is no multiple of 1024, column i reaches
the ends of its blocks at rows of its own.  The panel is added row by row all the same; between two rows the columns
whose block ends there are folded and cleared.  A cell's lane is its row mod 8 rather than its index mod 8, which a
rotation at the fold puts right.  The block that runs on into the next column is finished by a second sweep, over the
first rows of the columns one further on.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value, signature
from weft.backends.llvm.emit.words import store_word, word
from weft.backends.llvm.folds.columns_driver import PANEL, begin_panel
from weft.backends.llvm.folds.laws import BLOCK, LANES
from weft.backends.llvm.folds.partials import clear_routine, event_routine
from weft.backends.llvm.folds.reduce_columns import cols_kernel
from weft.backends.llvm.folds.reduce_frame import HEAD
from weft.backends.llvm.folds.reduce_rows import SLACK
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import RUN, Table
from weft.backends.llvm.nest.walk import CONTEXT, WALK, Group, WalkPosition, decode_outer, group_units, walk_function

COLUMNS = 2048  # most columns of a panel
PANEL_OF = f"ptr table, {CONTEXT}, ptr scratch, ptr acc"
ADD = signature("add", f"{PANEL_OF}, i64 columns, i64 first, i64 end, i64 phase")
SWEEP = signature(
    "sweep",
    f"{PANEL_OF}, ptr heads, ptr nexts, i64 k0, i64 entry0, i64 columns, i64 rows, i64 phase, i64 later",
)


@compiled("staggered_run", RUN, brief=True)
def staggered_driver(b: Builder) -> list[Builder]:
    """Emit the driver whose units each reduce one panel: all its rows, then the rest of unfinished blocks.

    Returns the functions that the driver calls.
    """
    b.stack_buffer("acc", "i8", PANEL + SLACK)
    b.stack_buffer("heads", "i64", BLOCK)
    b.stack_buffer("nexts", "i64", COLUMNS)
    table = Table(b, HEAD)
    with group_units(b, table) as (group, unit):
        o, panel = divmod(unit, group["panels"])
        cell, inside = divmod(o, group["prefix"])
        decode_outer(b, group, o)
        v0, columns = begin_panel(b, group, panel)
        t, first = group["n"], inside * group["c"] + v0  # number of the first column among those of the kept cell
        at = {"k0": first * t, "entry0": cell * group["groups"]}
        clear_routine.signature.call(b, table["clear"], **group.panel(), lanes=LANES, n=columns)
        SWEEP.call(b, **at, columns=columns, rows=t, phase=0, later=0)
        inner = (v0 + columns).eq(group["c"])
        here = b.select(inner, columns - 1, columns)  # columns whose successor lies along the same axis
        with b.when(inner):  # this one first: the kernels of the others also write beyond their last column
            _last_column(b, table, group, o, (first + columns, columns), **at)
        with b.when(here > 0):
            decode_outer(b, group, o)
            store_word(b, v0 + 1, b["idx"], group.outer - 1)
            SWEEP.call(b, **at, columns=here, rows=BLOCK, phase=t, later=1)
    return [walk_function(), _add_function(), _sweep_function()]


def _last_column(
    b: Builder, table: Table, group: Group, o: Value, panel: tuple[Value, Value], k0: Value, entry0: Value
) -> None:
    """Emit code that finishes the last block of the last column of an axis.

    The block runs on into the first column of the next outer index, or ends with the reduction. panel = (number of
    columns up to and with this panel, columns of the panel); k0 is the index of the panel's first cell, entry0 the
    number of its first partial result.
    """
    (behind, columns), t = panel, group["n"]
    k = k0 + (columns - 1) * t
    mine = b.gep(b["acc"], (columns - 1) * group["size0"])
    with b.when(behind.eq(group["prefix"] * group["c"])):
        _call_event(b, table, group, mine, k, entry0 + (k + t - 1) // BLOCK)
    with b.otherwise():
        decode_outer(b, group, o + 1)
        store_word(b, 0, b["idx"], group.outer - 1)
        SWEEP.call(b, acc=mine, k0=k, entry0=entry0, columns=1, rows=BLOCK, phase=t, later=1)


def _sweep_function() -> Builder:
    """Return the function `sweep`, which adds `rows` rows to the panel and folds each column at its ends of blocks.

    `phase` is the number of rows that the columns had before.  In the first sweep (`later` = 0) the cells before a
    column's first block end are only cleared: they belong to the block that the column before has begun.
    """
    b = Builder(SWEEP)
    group, table, t = Group(b), Table(b, HEAD), Group(b)["n"]
    rows, phase = b["rows"], b["phase"]
    _sort(b, b["k0"] + phase, t)
    position = b.alloca("i64")
    store_word(b, 0, position, 0)
    with b.loop(0, rows, BLOCK) as start, b.loop(0, b.smin(rows - start, BLOCK)) as h:
        row, first = start + h, word(b, b["heads"], h)
        with b.when(first >= 0):
            ADD.call(b, first=word(b, position, 0), end=row)
            store_word(b, row, position, 0)
            i = b.alloca("i64")
            store_word(b, first, i, 0)
            with b.repeat() as leave_if:
                _column_ends(b, table, group, word(b, i, 0), row, (start + b["later"]).eq(0))
                store_word(b, word(b, b["nexts"], word(b, i, 0)), i, 0)
                leave_if(word(b, i, 0) < 0)
    with b.when(b["later"].eq(0)):
        ADD.call(b, first=word(b, position, 0), end=rows)
    return b


def _column_ends(b: Builder, table: Table, group: Group, i: Value, row: Value, begun: Value) -> None:
    """Emit code that folds column i, where a block ends just before row `row`, and clears it.

    Where `begun` is true, the column before has begun that block, so nothing is stored.
    """
    k = b["k0"] + i * group["n"]  # of the column's first cell
    ended = (k + b["phase"] + row) // BLOCK - 1
    entry = b.select(begun, b.const("i64", -1), b["entry0"] + ended)
    _call_event(b, table, group, b.gep(b["acc"], i * group["size0"]), k, entry)


def _sort(b: Builder, k: Value, t: Value) -> None:
    """Emit code that lists, for each of 1024 rows, the columns where a block ends before that row.

    Column i has k + i·t cells before these rows. heads[row] is the first column of a row's list and nexts[column] the
    next one; -1 ends a list.
    """
    heads, nexts = b["heads"], b["nexts"]
    with b.loop(0, BLOCK) as h:
        store_word(b, -1, heads, h)
    with b.loop(0, b["columns"]) as i:
        head = (0 - (k + i * t)) & (BLOCK - 1)  # a column that has had 1000 cells ends its block before row 24
        store_word(b, word(b, heads, head), nexts, i)
        store_word(b, i, heads, head)


def _call_event(b: Builder, table: Table, group: Group, acc: Value, k: Value, entry: Value) -> None:
    """Emit a call of the law's `event`, which folds the column at `acc` and stores it as partial result `entry`.

    The column's first cell has index k.
    """
    event_routine.signature.call(
        b, table["event"], acc=acc, **group.panel(), column=0, turn=k & (LANES - 1), number=entry,
        part=b.gep(b["scratch"], group["scratch"]), pitch=group["pitch"],
    )  # fmt: skip


def _add_function() -> Builder:
    """Return the function `add`, which adds the rows from `first` to `end` - 1 to the panel."""
    b = Builder(ADD)
    group, found, end = Group(b), WalkPosition(b), b["end"]
    with b.when(b["first"] < end), b.until(b["first"], end) as turn:
        WALK.call(b, g=turn.i)
        n = found["n"]
        cols_kernel.signature.call(
            b, found.row["kernel"], S=found.scalars, n=b["columns"], k=n, **group.panel(),
            phase=b["phase"] + turn.i, mean=b["acc"],
        )  # fmt: skip
        turn.next = turn.i + n
    return b
