"""The loop over the units of a reduction across the lanes.

The one idea: a panel of columns is taken through all rows of a block; block results wait on a stack for the neighbour
they merge with, as in a binary counter.
"""

from __future__ import annotations

from weft.backends.llvm.body import copy
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.reduce_driver import (
    HEAD,
    UNIT,
    Table,
    as_double,
    call_finish,
    call_fold,
    finish_function,
    module_of,
    run_function,
)
from weft.backends.llvm.reduce_rows import SLACK
from weft.backends.llvm.text import Builder, Type, Value
from weft.backends.llvm.walk import (
    Group,
    call_walk,
    decode_outer,
    of_box,
    of_row,
    scalars_of,
    smaller,
    walk_function,
)
from weft.backends.llvm.words import call, divided, put

PANEL = 128 << 10  # bytes of stack for accumulators
SLOTS = 64 << 10  # bytes of stack for the blocks that wait for their neighbour
DEPTH = 64


def columns_driver() -> tuple[int, int]:
    """Addresses of `run` and `finish`."""
    made = code("reduce columns driver", emit_columns)
    return made["run"], made["finish"]


def emit_columns() -> Text:
    """The module: walk and the two entries."""
    parts = [walk_function(), _columns_unit(), run_function("columns_unit", HEAD), finish_function(_finish_columns)]
    return module_of(parts, ("run", "finish"))


def crossed_driver() -> tuple[int, int]:
    """Addresses of `run` and `finish` where the columns themselves are reduced afterwards."""
    made = code("reduce crossed driver", emit_crossed)
    return made["run"], made["finish"]


def emit_crossed() -> Text:
    """The module: walk and the two entries."""
    parts = [walk_function(), _crossed_unit(), run_function("crossed_unit", HEAD), finish_function(finish_crossed)]
    return module_of(parts, ("run", "finish"))


class _Stack:
    """Partial panels that wait for their neighbour: pointers, cells in each, and how many there are."""

    def __init__(self, b: Builder, table: Table, pitch: Value, columns: Value) -> None:
        self.b, self.table, self.pitch, self.columns = b, table, pitch, columns
        self.pointers, self.cells = b.alloca(Type("ptr"), DEPTH), b.alloca(Type("double"), DEPTH)
        self.depth = b.alloca(Type("i64"))
        b.store(b.const("i64", 0), self.depth)

    def push(self, pointer: Value, cells: Value, number: Value) -> None:
        """Add the panel of block `number` and merge what is complete: as often as the number ends in ones."""
        b = self.b
        depth = b.load("i64", self.depth)
        b.store(pointer, b.gep(self.pointers, depth, "ptr"))
        b.store(cells, b.gep(self.cells, depth, "double"))
        b.store(depth + 1, self.depth)
        b.declarations.add("declare i64 @llvm.cttz.i64(i64, i1)")
        ones = b.value(Type("i64"), f"call i64 @llvm.cttz.i64(i64 {(~number).name}, i1 false)")
        with b.loop(0, ones):
            self.merge()

    def close(self) -> None:
        """Merge what is left, from the last."""
        b = self.b
        with b.loop(1, b.load("i64", self.depth)):
            self.merge()

    def merge(self) -> None:
        b = self.b
        top = b.load("i64", self.depth) - 1
        left, right = (b.load("ptr", b.gep(self.pointers, k, "ptr")) for k in (top - 1, top))
        na, nb = (b.load("double", b.gep(self.cells, k, "double")) for k in (top - 1, top))
        b.do(
            f"call void {self.table.address('merge').name}(ptr {left.name}, ptr {right.name}, i64 {self.pitch.name}, "
            f"i64 {self.columns.name}, double {na.name}, double {nb.name})"
        )
        b.store(na + nb, b.gep(self.cells, top - 1, "double"))
        b.store(top, self.depth)


def _columns_unit() -> tuple[Builder, str]:
    """`columns_unit`: a panel of columns and a group of their blocks."""
    b = Builder()
    for name, size in (("acc", PANEL + SLACK), ("slots", SLOTS + SLACK)):
        b.allocas.append(f"  %{name} = alloca i8, i64 {size}, align 64")
    group, table = Group(b, b.named("ptr", "%group")), Table(b, HEAD)
    rest, panel = divided(b, b.named("i64", "%u"), group["panels"])
    o, gi = divided(b, rest, group["groups"])
    out = decode_outer(b, group, o, b.named("ptr", "%idx"))
    v0 = panel * group["per"]
    columns, b0 = smaller(b, group["c"] - v0, group["per"]), gi * group["group_blocks"]
    put(b, v0, b.named("ptr", "%idx"), group.outer - 1)
    count = smaller(b, group["blocks"] - b0, group["group_blocks"])
    pitch = group["step"]
    stack = _Stack(b, table, pitch, columns)
    with b.loop(0, count) as k:
        slot = b.gep(b.named("ptr", "%slots"), b.load("i64", stack.depth) * pitch * group["planes"])
        start = (b0 + k) * group["block"]
        end = smaller(b, start + group["block"], group["n"])
        _panel(b, group, table, start, end, columns, slot, pitch)
        stack.push(slot, as_double(b, end - start), k)
    stack.close()
    _deliver_panel(b, group, table, out, (o, gi, v0, columns), pitch)
    b.do("ret void")
    return b, b.function("columns_unit", UNIT)


def _crossed_unit() -> tuple[Builder, str]:
    """`crossed_unit`: a panel of columns that are part of the reduction; all its blocks go to the scratch memory."""
    b = Builder()
    for name, size in (("acc", PANEL + SLACK), ("slots", SLOTS + SLACK)):
        b.allocas.append(f"  %{name} = alloca i8, i64 {size}, align 64")
    group, table = Group(b, b.named("ptr", "%group")), Table(b, HEAD)
    o, panel = divided(b, b.named("i64", "%u"), group["panels"])
    decode_outer(b, group, o, b.named("ptr", "%idx"))
    v0, slots = panel * group["per"], b.named("ptr", "%slots")
    columns = smaller(b, group["c"] - v0, group["per"])
    put(b, v0, b.named("ptr", "%idx"), group.outer - 1)
    with b.loop(0, group["blocks"]) as k:
        start = k * group["block"]
        _panel(b, group, table, start, start + group["block"], columns, slots, group["step"])
        with b.when(group["uniform"].ne(0)):
            _count_on(b, group, divided(b, o, group["prefix"])[1] * group["c"] + v0, columns)
        _spread(b, group, ((o * group["c"] + v0) * group["blocks"] + k), columns)
    b.do("ret void")
    return b, b.function("crossed_unit", UNIT)


def _count_on(b: Builder, group: Group, row: Value, columns: Value) -> None:
    """Indices inside a column's rows become those among all reduced cells."""
    plane = b.gep(b.named("ptr", "%slots"), group["step"])
    with b.loop(0, columns) as i:
        at = b.gep(plane, i, "i64")
        b.store(b.load("i64", at) + (row + i) * group["n"], at)


def _spread(b: Builder, group: Group, first: Value, columns: Value) -> None:
    """One block of every column to the entries it has in the logical order of blocks."""
    for plane in range(2):
        with b.when(group["planes"] > plane):
            size = group[f"size{plane}"]
            base = b.gep(b.named("ptr", "%scratch"), group["scratch"] + group["pitch"] * plane)
            source = b.gep(b.named("ptr", "%slots"), group["step"] * plane)
            with b.loop(0, columns) as i:
                copy(b, b.gep(base, (first + i * group["blocks"]) * size), b.gep(source, i * size), size)


def finish_crossed(b: Builder, table: Table, group: Group, o: Value, out: Value) -> None:
    """Fold the blocks of all columns of a kept cell."""
    entries, one, zero = group["groups"], b.const("i64", 1), b.const("i64", 0)
    part = b.gep(b.named("ptr", "%scratch"), group["scratch"])
    first, pitch = o * entries, group["pitch"]
    call_fold(b, table, part.name, pitch, first, entries, one, zero, group, group["block"], group["cap"])
    call_finish(b, table, group, part.name, pitch, first, one, out)


def _panel(
    b: Builder, group: Group, table: Table, start: Value, end: Value, columns: Value, slot: Value, pitch: Value
) -> None:
    """The partial results of one block of a panel; for a variance in two passes, the second around the means."""
    _pass(b, group, table, (start, end), columns, slot, (pitch, "kernel"))
    with b.when(group["mixed"].ne(0)):
        cells = as_double(b, end - start)
        call(b, "void", table.address("divide").name, slot, pitch, columns, cells)
        _pass(b, group, table, (start, end), columns, b.gep(slot, pitch), (pitch, "rows"))


def _pass(
    b: Builder, group: Group, table: Table, rows: tuple[Value, Value], columns: Value, slot: Value,
    form: tuple[Value, str],
) -> None:  # fmt: skip
    """Clear the accumulators, add the rows by that kernel, fold."""
    (start, end), (pitch, kernel), lanes = rows, form, group["lanes"]
    acc, lane, plane = b.named("ptr", "%acc"), group["lane"], group["plane"]
    call(b, "void", table.address("clear").name, acc, lane, plane, lanes, columns)
    at = b.alloca(Type("i64"))
    b.store(start, at)
    again, done = b.fresh("again"), b.fresh("done")
    b.branch(again)
    b.label(again)
    here = b.load("i64", at)
    call_walk(b, here, end)
    n = of_box(b, b.named("ptr", "%box"), "n")
    mean = b.gep(slot, 0 - pitch)
    _add(b, group, (here, n), columns, (here - start, mean), kernel)
    following = here + n
    b.store(following, at)
    b.branch_if(following < end, again, done)
    b.label(done)
    tight = group["batch"]
    call(b, "void", table.address("close").name, acc, lane, plane, lanes, columns, tight, start, slot, pitch)


def _add(
    b: Builder, group: Group, at: tuple[Value, Value], columns: Value, more: tuple[Value, Value], kernel: str
) -> None:
    """Add the run of rows that the last walk found; `batch` of them as one where they follow each other in memory."""
    (here, n), together = at, group["batch"]

    def run(width: Value, rows: Value) -> None:
        code_of = of_row(b, b.named("ptr", "%box"), kernel, "ptr").name
        table, scalars, acc = b.named("ptr", "%L"), scalars_of(b, b.named("ptr", "%box")), b.named("ptr", "%acc")
        call(b, "void", code_of, table, scalars, width, rows, acc, group["lane"], group["plane"], *more)

    single, folded, done = b.fresh("single"), b.fresh("folded"), b.fresh("done")
    b.branch_if(together.eq(0), single, folded)
    b.label(single)
    run(columns, n)
    b.branch(done)
    b.label(folded)
    whole, tail = divided(b, n, together)
    with b.when(whole > 0):
        run(columns * together, whole)
    with b.when(tail > 0):
        call_walk(b, here + whole * together, here + n)
        run(columns * tail, b.const("i64", 1))
    b.branch(done)
    b.label(done)


def _deliver_panel(
    b: Builder, group: Group, table: Table, out: Value, where: tuple[Value, Value, Value, Value], pitch: Value
) -> None:
    o, gi, v0, columns = where
    alone, together, done = b.fresh("alone"), b.fresh("together"), b.fresh("done")
    zero, slots = b.const("i64", 0), b.named("ptr", "%slots")
    b.branch_if(group["groups"].eq(1), alone, together)
    b.label(alone)
    call_finish(b, table, group, "%slots", pitch, zero, columns, b.gep(out, v0 * group["stride"]))
    b.branch(done)
    b.label(together)
    base = _kept_panel(b, group, o, gi)
    for plane in range(2):
        with b.when(group["planes"] > plane):
            size = group[f"size{plane}"]
            copy(b, b.gep(base, group["pitch"] * plane + v0 * size), b.gep(slots, pitch * plane), columns * size)
    b.branch(done)
    b.label(done)


def _kept_panel(b: Builder, group: Group, o: Value, gi: Value) -> Value:
    """Where the partial results of a group of blocks lie in the scratch memory, for all columns."""
    number = o * group["groups"] + gi
    return b.gep(b.named("ptr", "%scratch"), group["scratch"] + number * group["planes"] * group["pitch"])


def _finish_columns(b: Builder, table: Table, group: Group, o: Value, out: Value) -> None:
    stack = _Stack(b, table, group["pitch"], group["c"])
    size = group["group_blocks"] * group["block"]
    with b.loop(0, group["groups"]) as gi:
        cells = smaller(b, group["n"] - gi * size, size)
        stack.push(_kept_panel(b, group, o, gi), as_double(b, cells), gi)
    stack.close()
    first = _kept_panel(b, group, o, b.const("i64", 0))
    call_finish(b, table, group, first.name, group["pitch"], b.const("i64", 0), group["c"], out)
