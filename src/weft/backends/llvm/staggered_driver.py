"""The loop over the units of a reduction whose blocks begin somewhere else in every column.

The one idea: columns that are themselves reduced follow each other in the logical order, T cells each, so where T is
no multiple of 1024 column i reaches the ends of its blocks at rows of its own.  The panel is added row by row all the
same; between two rows those columns whose block ends there are folded and cleared.  A cell's lane is its row mod 8
rather than its index mod 8, which a rotation at the fold puts right.  The block that runs on into the next column is
finished by a second sweep, over the first rows of the columns one further on.
"""

from __future__ import annotations

from weft.backends.llvm.columns_driver import PANEL, finish_crossed
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.order import BLOCK, LANES
from weft.backends.llvm.reduce_driver import HEAD, UNIT, Table, finish_function, module_of, run_function
from weft.backends.llvm.reduce_rows import SLACK
from weft.backends.llvm.text import Builder, Type, Value
from weft.backends.llvm.walk import Group, call_walk, decode_outer, of_box, of_row, scalars_of, smaller, walk_function
from weft.backends.llvm.words import call, divided, put

COLUMNS = 2048  # at most in a panel
SWEEP = (
    "ptr %table, ptr %group, ptr %bases, ptr %scalars, ptr %scratch, ptr %L, ptr %idx, ptr %box, ptr %acc, ptr %heads, "
    "ptr %nexts, i64 %k0, i64 %entry0, i64 %columns, i64 %rows, i64 %phase, i64 %later"
)


def staggered_driver() -> tuple[int, int]:
    """Addresses of `run` and `finish`."""
    made = code("reduce staggered driver", emit)
    return made["run"], made["finish"]


def emit() -> Text:
    """The module: walk, one sweep over a panel, and the two entries."""
    parts = [walk_function(), _add_function(), _sweep_function(), _unit_function()]
    parts += [run_function("staggered_unit", HEAD), finish_function(finish_crossed)]
    return module_of(parts, ("run", "finish"))


def _unit_function() -> tuple[Builder, str]:
    """`staggered_unit`: all rows of a panel, then the first rows of the columns behind its own."""
    b = Builder()
    b.allocas.append(f"  %acc = alloca i8, i64 {PANEL + SLACK}, align 64")
    b.allocas.append(f"  %heads = alloca i64, i64 {BLOCK}, align 64")
    b.allocas.append(f"  %nexts = alloca i64, i64 {COLUMNS}, align 64")
    group, table, idx = Group(b, b.named("ptr", "%group")), Table(b, HEAD), b.named("ptr", "%idx")
    o, panel = divided(b, b.named("i64", "%u"), group["panels"])
    cell, inside = divided(b, o, group["prefix"])
    v0, t = panel * group["per"], group["n"]
    columns = smaller(b, group["c"] - v0, group["per"])
    first = inside * group["c"] + v0  # number of the first column among those of the kept cell
    k0, entry0 = first * t, cell * group["groups"]
    decode_outer(b, group, o, idx)
    put(b, v0, idx, group.outer - 1)
    acc, lane, plane = b.named("ptr", "%acc"), group["lane"], group["plane"]
    call(b, "void", table.address("clear").name, acc, lane, plane, b.const("i64", LANES), columns)
    zero = b.const("i64", 0)
    _call_sweep(b, acc, k0, entry0, columns, t, zero, zero)
    behind = first + columns  # the column behind the panel
    inner = (v0 + columns).eq(group["c"])
    here = b.select(inner, columns - 1, columns)  # columns whose successor lies along the same axis
    with b.when(inner):  # before the others, whose kernels write what they like behind their last column
        _last_column(b, group, table, (o, behind, columns), (acc, k0, entry0))
    with b.when(here > 0):
        decode_outer(b, group, o, idx)
        put(b, v0 + 1, idx, group.outer - 1)
        _call_sweep(b, acc, k0, entry0, here, b.const("i64", BLOCK), t, b.const("i64", 1))
    b.do("ret void")
    return b, b.function("staggered_unit", UNIT)


def _last_column(
    b: Builder, group: Group, table: Table, at: tuple[Value, Value, Value], state: tuple[Value, Value, Value]
) -> None:
    """The column at the end of its axis: it goes on in the first of the next, or ends the reduction."""
    (o, behind, columns), (acc, k0, entry0), t, idx = at, state, group["n"], b.named("ptr", "%idx")
    k = k0 + (columns - 1) * t
    mine = b.gep(acc, (columns - 1) * group["size0"])
    total = group["prefix"] * group["c"]
    ends, goes_on, done = b.fresh("ends"), b.fresh("goes_on"), b.fresh("done")
    b.branch_if(behind.eq(total), ends, goes_on)
    b.label(ends)
    _call_event(b, table, group, mine, b.const("i64", 0), k, entry0 + divided(b, k + t - 1, b.const("i64", BLOCK))[0])
    b.branch(done)
    b.label(goes_on)
    decode_outer(b, group, o + 1, idx)
    put(b, b.const("i64", 0), idx, group.outer - 1)
    one = b.const("i64", 1)
    _call_sweep(b, mine, k, entry0, one, b.const("i64", BLOCK), t, one)
    b.branch(done)
    b.label(done)


def _call_sweep(
    b: Builder, acc: Value, k0: Value, entry0: Value, columns: Value, rows: Value, phase: Value, later: Value
) -> None:
    numbers = ", ".join(f"i64 {v.name}" for v in (k0, entry0, columns, rows, phase, later))
    b.do(
        "call void @sweep(ptr %table, ptr %group, ptr %bases, ptr %scalars, ptr %scratch, ptr %L, ptr %idx, ptr %box, "
        f"ptr {acc.name}, ptr %heads, ptr %nexts, {numbers})"
    )


def _sweep_function() -> tuple[Builder, str]:
    """`sweep`: add `rows` rows to the panel and fold every column where a block of it ends.

    `phase` is how many rows of the column were added before; a first sweep (`later` = 0) clears what belongs to the
    block that the column before has begun.
    """
    b = Builder()
    group, table = Group(b, b.named("ptr", "%group")), Table(b, HEAD)
    names = ("k0", "entry0", "columns", "rows", "phase", "later")
    k0, entry0, columns, rows, phase, later = (b.named("i64", f"%{name}") for name in names)
    heads, nexts, t = b.named("ptr", "%heads"), b.named("ptr", "%nexts"), group["n"]
    _sort(b, k0 + phase, columns, heads, nexts, t)
    position, at = b.alloca(Type("i64")), b.alloca(Type("i64"))
    b.store(b.const("i64", 0), position)
    with b.loop(0, rows, BLOCK) as start, b.loop(0, smaller(b, rows - start, b.const("i64", BLOCK))) as h:
        row = start + h
        b.store(b.load("i64", b.gep(heads, h, "i64")), at)
        with b.when(b.load("i64", at) >= 0):
            _call_add(b, columns, b.load("i64", position), row, phase)
            b.store(row, position)
            again, done = b.fresh("again"), b.fresh("done")
            b.branch(again)
            b.label(again)
            i = b.load("i64", at)
            k = k0 + i * t  # of the column's first cell
            ended = divided(b, k + phase + row, b.const("i64", BLOCK))[0] - 1
            begun = b.cast("zext", (start + later).eq(0), "i64")
            entry = b.select(begun.ne(0), b.const("i64", -1), entry0 + ended)
            place = b.gep(b.named("ptr", "%acc"), i * group["size0"])
            _call_event(b, table, group, place, b.const("i64", 0), k, entry)
            b.store(b.load("i64", b.gep(nexts, i, "i64")), at)
            b.branch_if(b.load("i64", at) >= 0, again, done)
            b.label(done)
    with b.when(later.eq(0)):
        _call_add(b, columns, b.load("i64", position), rows, phase)
    b.do("ret void")
    return b, b.function("sweep", SWEEP)


def _sort(b: Builder, k: Value, columns: Value, heads: Value, nexts: Value, t: Value) -> None:
    """Lists of the columns by the row, below 1024, at which a block of theirs ends."""
    none = b.const("i64", -1)
    with b.loop(0, b.const("i64", BLOCK)) as h:
        b.store(none, b.gep(heads, h, "i64"))
    with b.loop(0, columns) as i:
        head = b.gep(heads, (0 - (k + i * t)) & (BLOCK - 1), "i64")
        b.store(b.load("i64", head), b.gep(nexts, i, "i64"))
        b.store(i, head)


def _call_event(b: Builder, table: Table, group: Group, acc: Value, column: Value, k: Value, entry: Value) -> None:
    scratch = b.gep(b.named("ptr", "%scratch"), group["scratch"])
    turn = k & (LANES - 1)
    event = table.address("event").name
    call(b, "void", event, acc, group["lane"], group["plane"], column, turn, scratch, group["pitch"], entry)


def _call_add(b: Builder, columns: Value, first: Value, end: Value, phase: Value) -> None:
    b.do(
        "call void @add(ptr %group, ptr %bases, ptr %scalars, ptr %L, ptr %idx, ptr %box, ptr %acc, "
        f"i64 {columns.name}, i64 {first.name}, i64 {end.name}, i64 {phase.name})"
    )


def _add_function() -> tuple[Builder, str]:
    """`add`: rows [first, end) to the panel."""
    b = Builder()
    group, box = Group(b, b.named("ptr", "%group")), b.named("ptr", "%box")
    columns, first, end, phase = (b.named("i64", f"%{name}") for name in ("columns", "first", "end", "phase"))
    at = b.alloca(Type("i64"))
    b.store(first, at)
    again, more, done = b.fresh("again"), b.fresh("more"), b.fresh("done")
    b.branch(again)
    b.label(again)
    here = b.load("i64", at)
    b.branch_if(here < end, more, done)
    b.label(more)
    call_walk(b, here, end)
    n, kernel = of_box(b, box, "n"), of_row(b, box, "kernel", "ptr").name
    table, scalars, acc = b.named("ptr", "%L"), scalars_of(b, box), b.named("ptr", "%acc")
    lane, plane = group["lane"], group["plane"]
    call(b, "void", kernel, table, scalars, columns, n, acc, lane, plane, phase + here, acc)
    b.store(here + n, at)
    b.branch(again)
    b.label(done)
    b.do("ret void")
    arguments = (
        "ptr %group, ptr %bases, ptr %scalars, ptr %L, ptr %idx, ptr %box, ptr %acc, i64 %columns, i64 %first, "
        "i64 %end, i64 %phase"
    )
    return b, b.function("add", arguments)
