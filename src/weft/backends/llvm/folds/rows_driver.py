"""The driver of reductions along the lanes.

The one idea: partial results of blocks are made in batches, by a kernel that reads the operands where they lie in one
stride, else from a tile that is filled in logical order first; then they fold, and go out or wait for `finish`.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value, signature
from weft.backends.llvm.folds.partials import fold_routine
from weft.backends.llvm.folds.reduce_frame import HEAD, call_finish, keep_entries, unfinished
from weft.backends.llvm.folds.reduce_plan import LARGE_TILE
from weft.backends.llvm.folds.reduce_rows import SLACK, rows_kernel, tile_rows_kernel
from weft.backends.llvm.jit.compiled import compiled
from weft.backends.llvm.jit.kernel_task import FINISH, RUN
from weft.backends.llvm.nest.fill_tile import FILL, fill_functions
from weft.backends.llvm.nest.frame import Table
from weft.backends.llvm.nest.walk import CONTEXT, WALK, Found, Group, decode_outer, group_units, walk_function

ENTRIES = 1024  # partial results of a unit at a time
PART_PITCH = 8 * (ENTRIES + 16)
PRODUCE = signature(
    "produce", f"ptr table, {CONTEXT}, ptr tile, ptr part, i64 g, i64 m, i64 n, i64 first, i64 base, i64 step"
)


@compiled("rows_run", RUN)
def rows_driver(b: Builder) -> list[Builder]:
    """Run units: a range of kept cells, in batches, and a group of their blocks each."""
    b.own("tile", "i8", LARGE_TILE + SLACK)
    b.own("part", "i8", 2 * PART_PITCH)
    table = Table(b, HEAD)
    with group_units(b, table) as (group, unit):
        rest, j = divmod(unit, group["panels"])
        o, gi = divmod(rest, group["groups"])
        out = decode_outer(b, group, o)
        c0 = j * group["per"]
        c1, b0 = b.smin(c0 + group["per"], group["c"]), gi * group["group_blocks"]
        count = b.smin(group["blocks"] - b0, group["group_blocks"])
        with b.loop(c0, c1, group["batch"]) as c:
            cells = b.smin(c1 - c, group["batch"])
            _blocks(b, group, (c, cells), (b0, count))
            with b.when(count > 1):
                _fold(b, table, group, b["part"], PART_PITCH, 0, count, cells, b0 * group["block"], group["block"])
            with b.when(group["groups"].eq(1)):
                call_finish(b, table, group, b["part"], PART_PITCH, 0, cells, b.gep(out, c * group["stride"]))
            with b.otherwise():
                first = (o * group["c"] + c) * group["groups"] + gi
                keep_entries(b, group, b["part"], PART_PITCH, cells, (first, group["groups"]))
    return [walk_function(), *fill_functions(), _produce_function()]


@compiled("rows_finish", FINISH)
def rows_finish(b: Builder) -> None:
    """Fold what the groups of each kept cell left behind, and write it."""
    table = Table(b, HEAD)
    with unfinished(b, table) as (group, o, out):
        part, pitch = b.gep(b["scratch"], group["scratch"]), group["pitch"]
        first, groups = o * group["c"] * group["groups"], group["groups"]
        size = group["group_blocks"] * group["block"]
        _fold(b, table, group, part, pitch, first, groups, group["c"], b.const("i64", 0), size)
        call_finish(b, table, group, part, pitch, first, group["c"], out)


def _fold(
    b: Builder, table: Table, group: Group, part: Value, pitch: Value | int, first: Value | int, count: Value,
    times: Value, start: Value, size: Value,
) -> None:  # fmt: skip
    """Fold runs of entries of `size` cells each, as `fold` says."""
    fold_routine.signature.call(
        b, table["fold"], part=part, pitch=pitch, first=first, count=count, times=times, start=start, size=size,
        n=group["n"],
    )  # fmt: skip


def _blocks(b: Builder, group: Group, kept: tuple[Value, Value], blocks: tuple[Value, Value]) -> None:
    """Make partial results of `count` blocks from block b0 on, for each of some kept cells."""
    (c, cells), (b0, count), n, block = kept, blocks, group["n"], group["block"]
    with b.when(group["uniform"].ne(0)):
        PRODUCE.call(b, g=c * n, m=cells * count, n=b.smin(n, block), first=0, base=0, step=group["step"])
    with b.otherwise():
        start = b0 * block
        whole, tail = divmod(b.smin(n - start, count * block), block)
        with b.loop(0, cells) as k:
            g, entry = (c + k) * n + start, k * count
            with b.when(whole > 0):
                PRODUCE.call(b, g=g, m=whole, n=block, first=entry, base=start, step=block)
            with b.when(tail > 0):
                done = whole * block
                PRODUCE.call(b, g=g + done, m=1, n=tail, first=entry + whole, base=start + done, step=block)


def _produce_function() -> Builder:
    """Define `produce`: m partial results from entry `first` on, of segments of n cells at g, g + n, ..."""
    b = Builder(PRODUCE)
    group, g, m, n = Group(b), b["g"], b["m"], b["n"]
    with b.when(group["direct"].ne(0)):
        WALK.call(b, end=g + 1)
        _read_in_place(b, b.const("i64", 0), m)
    with b.otherwise():
        with b.when(group["mixed"].ne(0)), b.until(0, m) as turn:
            s = turn.i
            WALK.call(b, g=g + s * n, end=g + m * n)
            whole = Found(b)["n"] // n

            def inside(s: Value = s, whole: Value = whole) -> list[Value]:
                _read_in_place(b, s, whole)
                return [s + whole]

            def across(s: Value = s) -> list[Value]:
                _through_tile(b, s, b.const("i64", 1))
                return [s + 1]

            (turn.next,) = b.choose(whole > 0, inside, across)
        with b.otherwise():
            cap = group["cap"]
            with b.loop(0, m, cap) as s:
                _through_tile(b, s, b.smin(m - s, cap))
    return b


def _read_in_place(b: Builder, s: Value, m: Value) -> None:
    """Reduce m segments from the s-th on, whose operands have one stride each, from where the last walk came to."""
    found, first, base = Found(b), b["first"] + s, b["base"] + s * b["step"]
    rows_kernel.signature.call(
        b, found.row["rows"], S=found.scalars, m=m, pitch=PART_PITCH, first=first, base=base
    )  # fmt: skip


def _through_tile(b: Builder, s: Value, m: Value) -> None:
    """Reduce m segments from the s-th on, by way of the tile."""
    g, n, first, base = b["g"], b["n"], b["first"] + s, b["base"] + s * b["step"]
    FILL.call(b, g=g + s * n, end=g + (s + m) * n)
    tile_rows_kernel.signature.call(b, Table(b, HEAD)["tile"], m=m, pitch=PART_PITCH, first=first, base=base)
