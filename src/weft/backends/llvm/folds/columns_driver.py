"""The drivers of reductions across the lanes: every lane holds another kept cell.

Terms: a *panel* is a range of neighbouring columns (cells along the kept axis in the lanes), with accumulators on the
stack; a *group of blocks* is a run of blocks that one unit reduces; the *finish* driver merges the groups afterwards.

The one idea: a panel of columns is taken through all rows of a block; the results of a block wait on a stack for the
neighbouring block's, as in a binary counter.  In *crossed* reductions the columns themselves are reduced too, so the
results of all their blocks go to the scratch memory and are folded by the finish driver.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.words import store_word
from weft.backends.llvm.folds.partials import clear_routine, close_routine, divide_routine, merge_routine
from weft.backends.llvm.folds.reduce_columns import cols_kernel
from weft.backends.llvm.folds.reduce_frame import HEAD, call_finish, keep_entries, planes, unfinished
from weft.backends.llvm.folds.reduce_rows import SLACK
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import FINISH, RUN, Table
from weft.backends.llvm.nest.walk import WALK, Group, WalkPosition, decode_outer, group_units, walk_function

PANEL = 128 << 10  # bytes of stack for accumulators
SLOTS = 64 << 10  # bytes of stack for the blocks that wait for their neighbour
DEPTH = 64


@compiled("columns_run", RUN, brief=True)
def columns_driver(b: Builder) -> list[Builder]:
    """Emit the driver whose units each reduce one group of blocks of one panel.

    A unit writes its results to the output if the group holds all blocks, else to the scratch memory.  Returns the
    functions that the driver calls.
    """
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


@compiled("columns_finish", FINISH, brief=True)
def columns_finish(b: Builder) -> None:
    """Emit the driver that merges the groups of blocks of each kept cell and writes the results."""
    table = Table(b, HEAD)
    with unfinished(b, table) as (group, o, out):
        stack = _Stack(b, table, group["pitch"], group["c"])
        size = group["group_blocks"] * group["block"]
        with b.loop(0, group["groups"]) as gi:
            stack.push(_kept_panel(b, group, o, gi), b.smin(group["n"] - gi * size, size), gi)
        stack.close()
        first = _kept_panel(b, group, o, b.const("i64", 0))
        call_finish(b, table, group, first, group["pitch"], 0, group["c"], out)


@compiled("crossed_run", RUN, brief=True)
def crossed_driver(b: Builder) -> list[Builder]:
    """Emit the driver of reductions that also reduce the columns; a unit reduces the blocks of one panel.

    The block results go to the scratch memory.  Returns the functions that the driver calls.
    """
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


def _table(b: Builder) -> Table:
    """Return the task's table, after reserving stack memory for a panel's accumulators and results."""
    b.stack_buffer("acc", "i8", PANEL + SLACK)
    b.stack_buffer("slots", "i8", SLOTS + SLACK)
    return Table(b, HEAD)


def begin_panel(b: Builder, group: Group, panel: Value) -> tuple[Value, Value]:
    """Return (first column, number of columns) of panel number `panel`.

    The index of that column is also written to `idx`, from which the walk starts.
    """
    v0 = panel * group["per"]
    columns = b.smin(group["c"] - v0, group["per"])
    store_word(b, v0, b["idx"], group.outer - 1)
    return v0, columns


class _Stack:
    """A stack, in emitted code, of block results of a panel that wait for merging.

    Each has an address and the number of cells that were reduced.
    """

    def __init__(self, b: Builder, table: Table, pitch: Value, columns: Value) -> None:
        self.b, self.table, self.pitch, self.columns = b, table, pitch, columns
        self.pointers, self.cells = b.alloca("ptr", DEPTH), b.alloca("double", DEPTH)
        self.depth = b.alloca("i64")
        b.store(b.const("i64", 0), self.depth)

    def push(self, pointer: Value, cells: Value, number: Value) -> None:
        """Emit code that pushes the results of block `number`, at `pointer`, and merges all pairs that are complete.

        As in a binary counter, block 0b0111 completes three pairs: as many as its number has trailing ones.
        """
        b = self.b
        depth = b.load("i64", self.depth)
        b.store(pointer, b.gep(self.pointers, depth, "ptr"))
        b.store(b.cast("sitofp", cells, "double"), b.gep(self.cells, depth, "double"))
        b.store(depth + 1, self.depth)
        with b.loop(0, b.zeros("cttz", ~number)):
            self.merge()

    def close(self) -> None:
        """Emit code that merges all results left on the stack, the top two at a time."""
        with self.b.loop(1, self.b.load("i64", self.depth)):
            self.merge()

    def merge(self) -> None:
        """Emit code that replaces the top two results by their merged result."""
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
    """Emit code that turns positions within each column into positions among all reduced cells (argmin, argmax).

    `row` is the number of the first column; each holds `n` cells.
    """
    plane = b.gep(b["slots"], group["step"])
    with b.loop(0, columns) as i:
        at = b.gep(plane, i, "i64")
        b.store(b.load("i64", at) + (row + i) * group["n"], at)


def _panel(b: Builder, group: Group, table: Table, rows: tuple[Value, Value], columns: Value, slot: Value) -> None:
    """Emit code that writes the partial results of one block (rows start to end) of a panel to `slot`.

    A variance takes two passes, the second over squared distances from the means of the first.
    """
    pitch = group["step"]
    _fold_block(b, group, table, rows, columns, slot, "kernel")
    with b.when(group["mixed"].ne(0)):
        cells = b.cast("sitofp", rows[1] - rows[0], "double")
        divide_routine.signature.call(b, table["divide"], part=slot, pitch=pitch, count=columns, n=cells)
        _fold_block(b, group, table, rows, columns, b.gep(slot, pitch), "rows")


def _fold_block(
    b: Builder, group: Group, table: Table, rows: tuple[Value, Value], columns: Value, slot: Value, kernel: str
) -> None:
    """Emit code that clears the accumulators, adds the rows of a block to them, and folds them into `slot`.

    `rows` is (first row, end).  `kernel` names the word of a `ROW` record that holds the kernel's address.
    """
    (start, end), pitch, panel = rows, group["step"], group.panel()
    clear_routine.signature.call(b, table["clear"], **panel, lanes=group["lanes"], n=columns)
    with b.until(start, end) as turn:
        WALK.call(b, g=turn.i, end=end)
        n = WalkPosition(b)["n"]
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
    """Emit code that adds the rows found by the last walk to the accumulators; rows = (first, count).

    Where the group's word `batch` is not 0, that many rows, which follow each other in memory, are added as one wide
    row.
    """
    (here, n), together, found = rows, group["batch"], WalkPosition(b)

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
    """Return the address in the scratch memory of the partial results of group of blocks `gi` of outer cell `o`."""
    number = o * group["groups"] + gi
    return b.gep(b["scratch"], group["scratch"] + number * group["planes"] * group["pitch"])
