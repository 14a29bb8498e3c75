"""The driver of reductions along the lanes.

Terms: a unit is a range of kept cells and one *group of blocks*; a *segment* is one block of one kept cell; a *tile* is
a buffer of cells in logical order.  The one idea: a batch of segments becomes partial results, by a kernel that reads
the operands in place where they have one stride, else from a tile that is filled first; then the partial results are
folded, and written or left for the finish driver.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value, signature
from weft.backends.llvm.emit.words import Words, store_word, word
from weft.backends.llvm.folds.partials import fold_routine
from weft.backends.llvm.folds.reduce_frame import HEAD, call_finish, keep_entries, unfinished
from weft.backends.llvm.folds.reduce_plan import LARGE_TILE, TABLES
from weft.backends.llvm.folds.reduce_rows import SLACK, rows_kernel, tile_rows_kernel
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import FINISH, RUN, Table
from weft.backends.llvm.nest.evaluator import WORDS
from weft.backends.llvm.nest.fill_tile import FILL, fill_functions
from weft.backends.llvm.nest.walk import (
    CONTEXT,
    OPERAND,
    OPERANDS,
    WALK,
    Group,
    WalkPosition,
    decode_outer,
    group_units,
    set_leaf,
    walk_function,
)

ENTRIES = 1024  # partial results that a unit computes at a time
PART_PITCH = 8 * (ENTRIES + 16)
PRODUCE = signature(
    "produce",
    f"ptr table, {CONTEXT}, ptr tile, ptr tables, ptr known, "
    "ptr part, i64 g, i64 m, i64 n, i64 first, i64 base, i64 step",
)


@compiled("rows_run", RUN, brief=True)
def rows_driver(b: Builder) -> list[Builder]:
    """Emit the driver whose units each reduce one group of blocks for a range of kept cells.

    Results go to the output if the group holds all blocks, else to the scratch memory.  Returns the functions that the
    driver calls.
    """
    b.stack_buffer("tile", "i8", LARGE_TILE + SLACK)
    b.stack_buffer("part", "i8", 2 * PART_PITCH)
    b.stack_buffer("tables", "i8", TABLES)
    store_word(b, 0, b.stack_buffer("known", "i64", OPERANDS + 1), OPERANDS)
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


@compiled("rows_finish", FINISH, brief=True)
def rows_finish(b: Builder) -> None:
    """Emit the driver that folds the partial results that units have kept of each kept cell, and writes the results."""
    table = Table(b, HEAD)
    with unfinished(b, table) as (group, o, out):
        part, pitch = b.gep(b["scratch"], group["scratch"]), group["pitch"]
        kept, groups = group["kept"], group["groups"]
        first, start = o * kept * groups, b.const("i64", 0)
        _fold(b, table, group, part, pitch, first, groups, kept, start, group["covered"])
        call_finish(b, table, group, part, pitch, first, kept, out)


def _fold(
    b: Builder, table: Table, group: Group, part: Value, pitch: Value | int, first: Value | int, count: Value,
    times: Value, start: Value, size: Value,
) -> None:  # fmt: skip
    """Emit a call of the law's `fold`, which makes one partial result of each of `times` runs of `count`.

    The other arguments are parameters of `fold_routine`.
    """
    fold_routine.signature.call(
        b, table["fold"], part=part, pitch=pitch, first=first, count=count, times=times, start=start, size=size,
        n=group["whole"],
    )  # fmt: skip


def _blocks(b: Builder, group: Group, kept: tuple[Value, Value], blocks: tuple[Value, Value]) -> None:
    """Emit code that makes partial results for some blocks of some kept cells.

    kept = (first cell, number of cells), blocks = (first block, number of blocks).
    """
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
    """Return the function `produce`, which makes m partial results of n cells each, from cell g on.

    They are stored as partial results first, first + 1, ...
    """
    b = Builder(PRODUCE)
    group, g, m, n = Group(b), b["g"], b["m"], b["n"]
    with b.when(group["direct"].ne(0)):
        WALK.call(b, end=g + 1)
        with b.when(WalkPosition(b).row["sub"].ne(0)):
            _pack(b, group)
        _read_in_place(b, b.const("i64", 0), m)
    with b.otherwise():
        with b.when(group["mixed"].ne(0)), b.until(0, m) as turn:
            s = turn.i
            WALK.call(b, g=g + s * n, end=g + m * n)
            whole = WalkPosition(b)["n"] // n

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


def _pack(b: Builder, group: Group) -> None:
    """Emit code that copies the packed operands to buffers, unless the buffers hold the same cells already.

    The words at `known` are the addresses that were copied last, and behind them that of their group.
    """
    found, width, known = WalkPosition(b), b["step"], b["known"]
    count, here = found.row["operands"], b.cast("ptrtoint", b["group"], "i64")
    with b.when(word(b, known, OPERANDS).ne(here)):
        store_word(b, here, known, OPERANDS)
        with b.loop(0, count) as k:
            store_word(b, 0, known, k)
    with b.loop(0, count) as k:
        record, leaf = b.gep(found["first"], k * (len(OPERAND) + found["axes"]), "i64"), b.gep(b["L"], k * WORDS, "i64")
        operand = Words(b, record, OPERAND)
        with b.when(operand["pack"].ne(0)):
            cell, buffer, source = operand["width"], b.gep(b["tables"], operand["buffer"]), word(b, leaf, 0)
            with b.when(word(b, known, k).ne(source)):
                store_word(b, source, known, k)
                of = (word(b, leaf, 0, "ptr"), word(b, record, group.outer + (len(OPERAND) + 1)), word(b, leaf, 1))
                b.call("void", operand["pack"], buffer, cell, cell * width, *of, width, b["n"])
            set_leaf(b, b["L"], k, b.cast("ptrtoint", buffer, "i64"), cell * width, b.const("i64", 0))


def _read_in_place(b: Builder, s: Value, m: Value) -> None:
    """Emit code that reduces m segments from number s on where they lie.

    The last walk has found their row.
    """
    found, first, base = WalkPosition(b), b["first"] + s, b["base"] + s * b["step"]
    rows_kernel.signature.call(
        b, found.row["rows"], S=found.scalars, m=m, pitch=PART_PITCH, first=first, base=base
    )  # fmt: skip


def _through_tile(b: Builder, s: Value, m: Value) -> None:
    """Emit code that fills the tile with m segments from number s on and reduces them there."""
    g, n, first, base = b["g"], b["n"], b["first"] + s, b["base"] + s * b["step"]
    FILL.call(b, g=g + s * n, end=g + (s + m) * n)
    tile_rows_kernel.signature.call(b, Table(b, HEAD)["tile"], m=m, pitch=PART_PITCH, first=first, base=base)
