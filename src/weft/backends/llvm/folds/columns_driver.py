"""The drivers of reductions across the lanes.

The one idea: a panel of columns is taken through all rows of a block; block results wait on a stack for the neighbour
they merge with, as in a binary counter.  Where the columns themselves are reduced ("crossed"), all their blocks go to
the scratch memory instead and meet in `finish`.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.words import put
from weft.backends.llvm.folds.partials import clear_routine, close_routine, divide_routine, fold_routine, merge_routine
from weft.backends.llvm.folds.reduce_columns import cols_kernel
from weft.backends.llvm.folds.reduce_frame import HEAD, call_finish, keep_entries, planes, unfinished
from weft.backends.llvm.folds.reduce_rows import SLACK
from weft.backends.llvm.jit.compiled import compiled
from weft.backends.llvm.jit.kernel_task import FINISH, RUN
from weft.backends.llvm.nest.frame import Table
from weft.backends.llvm.nest.walk import WALK, Found, Group, decode_outer, group_units, walk_function

PANEL = 128 << 10  # bytes of stack for accumulators
SLOTS = 64 << 10  # bytes of stack for the blocks that wait for their neighbour
DEPTH = 64


@compiled("columns_run", RUN)
def columns_driver(b: Builder) -> list[Builder]:
    """Return the functions that run units: a unit is a panel of columns and a group of their blocks."""
    table = _table(b)
    with group_units(b, table) as (group, unit):
        rest, panel = divmod(unit, group["panels"])
        o, gi = divmod(rest, group["groups"])
        out = decode_outer(b, group, o)
        v0, columns = begin_panel(b, group, panel)
        b0, pitch = gi * group["group_blocks"], group["step"]
        count = b.smin(group["blocks"] - b0, group["group_blocks"])
        stack = _Stack(b, table, pitch, columns)
        with b.loop(0, count) as k:
            slot = b.gep(b["slots"], b.load("i64", stack.depth) * pitch * group["planes"])
            start = (b0 + k) * group["block"]
            end = b.smin(start + group["block"], group["n"])
            _panel(b, group, table, (start, end), columns, slot)
            stack.push(slot, end - start, k)
        stack.close()
        with b.when(group["groups"].eq(1)):
            call_finish(b, table, group, b["slots"], pitch, 0, columns, b.gep(out, v0 * group["stride"]))
        with b.otherwise():
            base = _kept_panel(b, group, o, gi)
            for plane, size in planes(b, group):
                target = b.gep(base, group["pitch"] * plane + v0 * size)
                b.copy(target, b.gep(b["slots"], pitch * plane), columns * size)
    return [walk_function()]


@compiled("columns_finish", FINISH)
def columns_finish(b: Builder) -> None:
    """Merge what the groups of each kept cell left behind, and write it."""
    table = Table(b, HEAD)
    with unfinished(b, table) as (group, o, out):
        stack = _Stack(b, table, group["pitch"], group["c"])
        size = group["group_blocks"] * group["block"]
        with b.loop(0, group["groups"]) as gi:
            stack.push(_kept_panel(b, group, o, gi), b.smin(group["n"] - gi * size, size), gi)
        stack.close()
        first = _kept_panel(b, group, o, b.const("i64", 0))
        call_finish(b, table, group, first, group["pitch"], 0, group["c"], out)


@compiled("crossed_run", RUN)
def crossed_driver(b: Builder) -> list[Builder]:
    """Run units: a panel of columns that are part of the reduction each."""
    table = _table(b)
    with group_units(b, table) as (group, unit):
        o, panel = divmod(unit, group["panels"])
        decode_outer(b, group, o)
        v0, columns = begin_panel(b, group, panel)
        with b.loop(0, group["blocks"]) as k:
            start = k * group["block"]
            _panel(b, group, table, (start, start + group["block"]), columns, b["slots"])
            with b.when(group["uniform"].ne(0)):
                _count_on(b, group, o % group["prefix"] * group["c"] + v0, columns)
            first = (o * group["c"] + v0) * group["blocks"] + k
            keep_entries(b, group, b["slots"], group["step"], columns, (first, group["blocks"]))
    return [walk_function()]


@compiled("crossed_finish", FINISH)
def crossed_finish(b: Builder) -> None:
    """Fold the blocks of all columns of each kept cell, and write it."""
    table = Table(b, HEAD)
    with unfinished(b, table) as (group, o, out):
        entries, pitch = group["groups"], group["pitch"]
        part, first = b.gep(b["scratch"], group["scratch"]), o * entries
        fold_routine.signature.call(
            b, table["fold"], part=part, pitch=pitch, first=first, count=entries, times=1, start=0, size=group["block"],
            n=group["cap"],
        )  # fmt: skip
        call_finish(b, table, group, part, pitch, first, 1, out)


def _table(b: Builder) -> Table:
    """Return the table of a driver that has a panel's accumulators and results on its stack."""
    b.own("acc", "i8", PANEL + SLACK)
    b.own("slots", "i8", SLOTS + SLACK)
    return Table(b, HEAD)


def begin_panel(b: Builder, group: Group, panel: Value) -> tuple[Value, Value]:
    """Write the index of a panel's first column for the walk; return it and the number of columns."""
    v0 = panel * group["per"]
    columns = b.smin(group["c"] - v0, group["per"])
    put(b, v0, b["idx"], group.outer - 1)
    return v0, columns


class _Stack:
    """Partial panels that wait for their neighbour: pointers, cells in each, and how many there are."""

    def __init__(self, b: Builder, table: Table, pitch: Value, columns: Value) -> None:
        self.b, self.table, self.pitch, self.columns = b, table, pitch, columns
        self.pointers, self.cells = b.alloca("ptr", DEPTH), b.alloca("double", DEPTH)
        self.depth = b.alloca("i64")
        b.store(b.const("i64", 0), self.depth)

    def push(self, pointer: Value, cells: Value, number: Value) -> None:
        """Add the panel of block `number` and merge what is complete: as often as the number ends in ones."""
        b = self.b
        depth = b.load("i64", self.depth)
        b.store(pointer, b.gep(self.pointers, depth, "ptr"))
        b.store(b.cast("sitofp", cells, "double"), b.gep(self.cells, depth, "double"))
        b.store(depth + 1, self.depth)
        with b.loop(0, b.zeros("cttz", ~number)):
            self.merge()

    def close(self) -> None:
        """Merge what is left, from the last."""
        with self.b.loop(1, self.b.load("i64", self.depth)):
            self.merge()

    def merge(self) -> None:
        """Merge the two panels on top."""
        b = self.b
        top = b.load("i64", self.depth) - 1
        left, right = (b.load("ptr", b.gep(self.pointers, k, "ptr")) for k in (top - 1, top))
        na, nb = (b.load("double", b.gep(self.cells, k, "double")) for k in (top - 1, top))
        merge_routine.signature.call(
            b, self.table["merge"], part=left, right=right, pitch=self.pitch, count=self.columns, na=na, nb=nb
        )
        b.store(na + nb, b.gep(self.cells, top - 1, "double"))
        b.store(top, self.depth)


def _count_on(b: Builder, group: Group, row: Value, columns: Value) -> None:
    """Turn indices inside a column's rows into those among all reduced cells."""
    plane = b.gep(b["slots"], group["step"])
    with b.loop(0, columns) as i:
        at = b.gep(plane, i, "i64")
        b.store(b.load("i64", at) + (row + i) * group["n"], at)


def _panel(b: Builder, group: Group, table: Table, rows: tuple[Value, Value], columns: Value, slot: Value) -> None:
    """Make the partial results of one block of a panel; for a variance in two passes, the second around the means."""
    pitch = group["step"]
    _pass(b, group, table, rows, columns, slot, "kernel")
    with b.when(group["mixed"].ne(0)):
        cells = b.cast("sitofp", rows[1] - rows[0], "double")
        divide_routine.signature.call(b, table["divide"], part=slot, pitch=pitch, count=columns, n=cells)
        _pass(b, group, table, rows, columns, b.gep(slot, pitch), "rows")


def _pass(
    b: Builder, group: Group, table: Table, rows: tuple[Value, Value], columns: Value, slot: Value, kernel: str
) -> None:
    """Clear the accumulators, add the rows by that kernel, fold."""
    (start, end), pitch = rows, group["step"]
    panel = {"lane": group["lane"], "plane": group["plane"]}
    clear_routine.signature.call(b, table["clear"], **panel, lanes=group["lanes"], n=columns)
    with b.until(start, end) as turn:
        WALK.call(b, g=turn.i, end=end)
        n = Found(b)["n"]
        more = {**panel, "phase": turn.i - start, "mean": b.gep(slot, 0 - pitch)}
        _add(b, group, (turn.i, n), columns, more, kernel)
        turn.next = turn.i + n
    close_routine.signature.call(
        b, table["close"], **panel, lanes=group["lanes"], n=columns, tight=group["batch"], base=start, part=slot,
        pitch=pitch,
    )  # fmt: skip


def _add(
    b: Builder, group: Group, rows: tuple[Value, Value], columns: Value, more: dict[str, Value], kernel: str
) -> None:
    """Add the run of rows that the last walk found; `batch` of them as one where they follow each other in memory."""
    (here, n), together, found = rows, group["batch"], Found(b)

    def run(width: Value, k: Value | int) -> None:
        cols_kernel.signature.call(b, found.row[kernel], S=found.scalars, n=width, k=k, **more)

    with b.when(together.eq(0)):
        run(columns, n)
    with b.otherwise():
        whole, tail = divmod(n, together)
        with b.when(whole > 0):
            run(columns * together, whole)
        with b.when(tail > 0):
            WALK.call(b, g=here + whole * together, end=here + n)
            run(columns * tail, 1)


def _kept_panel(b: Builder, group: Group, o: Value, gi: Value) -> Value:
    """Return where the partial results of a group of blocks lie in the scratch memory, for all columns."""
    number = o * group["groups"] + gi
    return b.gep(b["scratch"], group["scratch"] + number * group["planes"] * group["pitch"])
