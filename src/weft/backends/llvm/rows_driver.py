"""The loop over the units of a reduction along the lanes.

The one idea: partial results of blocks are made in batches, by a kernel that reads the operands where they lie in one
stride, else from a tile that is filled in logical order first; then they fold, and go out or wait for `finish`.
"""

from __future__ import annotations

from weft.backends.llvm.body import copy
from weft.backends.llvm.fill import fill_functions
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.reduce_driver import (
    HEAD,
    UNIT,
    Table,
    call_finish,
    call_fold,
    finish_function,
    module_of,
    run_function,
)
from weft.backends.llvm.reduce_plans import LARGE_TILE
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
from weft.backends.llvm.words import divided

ENTRIES = 1024  # partial results of a unit at a time
PART_PITCH = 8 * (ENTRIES + 16)
PRODUCE = (
    "ptr %table, ptr %group, ptr %bases, ptr %scalars, ptr %L, ptr %idx, ptr %box, ptr %tile, ptr %part, "
    "i64 %g, i64 %m, i64 %n, i64 %first, i64 %base, i64 %step"
)


def rows_driver() -> tuple[int, int]:
    """Addresses of `run` and `finish`."""
    made = code("reduce rows driver", emit_rows)
    return made["run"], made["finish"]


def emit_rows() -> Text:
    """The module: walk, fill, produce, and the two entries."""
    parts = [
        walk_function(),
        *fill_functions(),
        _produce_function(),
        _rows_unit(),
        run_function("rows_unit", HEAD),
        finish_function(_finish_rows),
    ]
    return module_of(parts, ("run", "finish"))


def _produce_function() -> tuple[Builder, str]:
    """`produce`: m partial results from entry `first` on, of segments of n cells that begin at g, g + n, ..."""
    b = Builder()
    group = Group(b, b.named("ptr", "%group"))
    g, m, n = (b.named("i64", f"%{name}") for name in ("g", "m", "n"))
    direct, other, mixed, tiled, done = (b.fresh(s) for s in ("direct", "other", "mixed", "tiled", "done"))
    zero = b.const("i64", 0)
    b.branch_if(group["direct"].ne(0), direct, other)
    b.label(direct)
    call_walk(b, g, g + 1)
    _read_in_place(b, m, zero)
    b.branch(done)
    b.label(other)
    b.branch_if(group["mixed"].ne(0), mixed, tiled)
    b.label(mixed)
    _mixed(b, g, m, n)
    b.branch(done)
    b.label(tiled)
    cap = group["cap"]
    with b.loop(0, m, cap) as s:
        _through_tile(b, s, smaller(b, m - s, cap))
    b.branch(done)
    b.label(done)
    b.do("ret void")
    return b, b.function("produce", PRODUCE)


def _read_in_place(b: Builder, m: Value, s: Value) -> None:
    """m segments from the s-th on, whose operands have one stride each, from where the last walk came to."""
    first, base = (b.named("i64", f"%{name}") for name in ("first", "base"))
    kernel = of_row(b, b.named("ptr", "%box"), "rows", "ptr")
    scalars = scalars_of(b, b.named("ptr", "%box"))
    b.do(
        f"call void {kernel.name}(ptr %L, ptr {scalars.name}, i64 %n, i64 {m.name}, ptr %part, i64 {PART_PITCH}, "
        f"i64 {(first + s).name}, i64 {(base + s * b.named('i64', '%step')).name}, i64 %step)"
    )


def _through_tile(b: Builder, s: Value, m: Value) -> None:
    """m segments from the s-th on, by way of the tile."""
    g, n, first, base, step = (b.named("i64", f"%{name}") for name in ("g", "n", "first", "base", "step"))
    start, end, routine = g + s * n, g + (s + m) * n, Table(b, HEAD).address("tile")
    b.do(
        f"call void @fill(ptr %group, ptr %bases, ptr %scalars, ptr %L, ptr %idx, ptr %box, ptr %tile, "
        f"i64 {start.name}, i64 {end.name})"
    )
    b.do(
        f"call void {routine.name}(ptr %tile, i64 %n, i64 {m.name}, ptr %part, i64 {PART_PITCH}, "
        f"i64 {(first + s).name}, i64 {(base + s * step).name}, i64 %step)"
    )


def _mixed(b: Builder, g: Value, m: Value, n: Value) -> None:
    """Segments inside one piece in place, those that reach into the next by way of the tile."""
    at = b.alloca(Type("i64"))
    b.store(b.const("i64", 0), at)
    again, inside, across, following, done = (b.fresh(s) for s in ("again", "inside", "across", "following", "done"))
    b.branch(again)
    b.label(again)
    s = b.load("i64", at)
    call_walk(b, g + s * n, g + m * n)
    whole, _ = divided(b, of_box(b, b.named("ptr", "%box"), "n"), n)
    b.branch_if(whole > 0, inside, across)
    b.label(inside)
    _read_in_place(b, whole, s)
    b.store(s + whole, at)
    b.branch(following)
    b.label(across)
    _through_tile(b, s, b.const("i64", 1))
    b.store(s + 1, at)
    b.branch(following)
    b.label(following)
    b.branch_if(b.load("i64", at) < m, again, done)
    b.label(done)


def _rows_unit() -> tuple[Builder, str]:
    """`rows_unit`: a range of kept cells, in batches, and a group of their blocks."""
    b = Builder()
    for name, size in (("tile", LARGE_TILE + SLACK), ("part", 2 * PART_PITCH)):
        b.allocas.append(f"  %{name} = alloca i8, i64 {size}, align 64")
    group, table, unit = Group(b, b.named("ptr", "%group")), Table(b, HEAD), _RowsUnit(b)
    rest, j = divided(b, b.named("i64", "%u"), group["panels"])
    o, gi = divided(b, rest, group["groups"])
    out = decode_outer(b, group, o, b.named("ptr", "%idx"))
    c0 = j * group["per"]
    c1, b0 = smaller(b, c0 + group["per"], group["c"]), gi * group["group_blocks"]
    count = smaller(b, group["blocks"] - b0, group["group_blocks"])
    with b.loop(c0, c1, group["batch"]) as c:
        cells = smaller(b, c1 - c, group["batch"])
        unit.blocks(c, cells, b0, count)
        with b.when(count > 1):
            call_fold(b, table, "%part", b.const("i64", PART_PITCH), 0, count, cells, b0 * group["block"], group)
        unit.deliver(table, out, o, gi, c, cells)
    b.do("ret void")
    return b, b.function("rows_unit", UNIT)


class _RowsUnit:
    """Pieces of `rows_unit`."""

    def __init__(self, b: Builder) -> None:
        self.b, self.group = b, Group(b, b.named("ptr", "%group"))

    def blocks(self, c: Value, cells: Value, b0: Value, count: Value) -> None:
        """Partial results of `count` blocks from block b0 on, for each of some kept cells."""
        b, group = self.b, self.group
        n, block = group["n"], group["block"]
        once, each, done = b.fresh("once"), b.fresh("each"), b.fresh("done")
        b.branch_if(group["uniform"].ne(0), once, each)
        b.label(once)
        length = smaller(b, n, block)
        self._produce(c * n, cells * count, length, b.const("i64", 0), b.const("i64", 0), group["step"])
        b.branch(done)
        b.label(each)
        start = b0 * block
        left = smaller(b, n - start, count * block)
        whole, tail = divided(b, left, block)
        with b.loop(0, cells) as k:
            g, entry = (c + k) * n + start, k * count
            with b.when(whole > 0):
                self._produce(g, whole, block, entry, start, block)
            with b.when(tail > 0):
                done_cells = whole * block
                self._produce(g + done_cells, b.const("i64", 1), tail, entry + whole, start + done_cells, block)
        b.branch(done)
        b.label(done)

    def _produce(self, g: Value, m: Value, n: Value, first: Value, base: Value, step: Value) -> None:
        numbers = ", ".join(f"i64 {v.name}" for v in (g, m, n, first, base, step))
        self.b.do(
            "call void @produce(ptr %table, ptr %group, ptr %bases, ptr %scalars, ptr %L, ptr %idx, ptr %box, "
            f"ptr %tile, ptr %part, {numbers})"
        )

    def deliver(self, table: Table, out: Value, o: Value, gi: Value, c: Value, cells: Value) -> None:
        """Results to the output, or partial ones to where `finish` finds them."""
        b, group = self.b, self.group
        alone, together, done = b.fresh("alone"), b.fresh("together"), b.fresh("done")
        b.branch_if(group["groups"].eq(1), alone, together)
        b.label(alone)
        target = b.gep(out, c * group["stride"])
        call_finish(b, table, group, "%part", b.const("i64", PART_PITCH), b.const("i64", 0), cells, target)
        b.branch(done)
        b.label(together)
        first = (o * group["c"] + c) * group["groups"] + gi
        for plane in range(2):
            with b.when(group["planes"] > plane):
                self._keep(plane, first, cells)
        b.branch(done)
        b.label(done)

    def _keep(self, plane: int, first: Value, cells: Value) -> None:
        b, group = self.b, self.group
        size = group[f"size{plane}"]
        base = b.gep(b.named("ptr", "%scratch"), group["scratch"] + group["pitch"] * plane)
        with b.loop(0, cells) as k:
            source = b.gep(b.named("ptr", "%part"), k * size + PART_PITCH * plane)
            copy(b, b.gep(base, (first + k * group["groups"]) * size), source, size)


def _finish_rows(b: Builder, table: Table, group: Group, o: Value, out: Value) -> None:
    part = b.gep(b.named("ptr", "%scratch"), group["scratch"])
    first, groups, zero = o * group["c"] * group["groups"], group["groups"], b.const("i64", 0)
    size = group["group_blocks"] * group["block"]
    call_fold(b, table, part.name, group["pitch"], first, groups, group["c"], zero, group, size)
    call_finish(b, table, group, part.name, group["pitch"], first, group["c"], out)
