"""The loops over the units of a scan.

The one idea: a unit is a range of kept cells (or a panel of columns) and all their blocks, one after the other, so the
prefix of a block is at hand when it is reached.  Tables are those of reductions, with the words of `SCAN` in front.
"""

from __future__ import annotations

from weft.backends.llvm.columns_driver import PANEL
from weft.backends.llvm.fill import fill_functions
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.reduce_driver import RUN, UNIT, Table, module_of, run_function
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
    set_leaf,
    smaller,
    walk_function,
)
from weft.backends.llvm.words import call, divided, layout, put

HEAD = layout("groups bits local carry write move item")
BLOCK = 1024
PREFIXES = 32 << 10  # bytes of stack
STAGING = LARGE_TILE  # bytes of stack for results on their way to strided outputs

__all__ = ["HEAD", "PANEL", "PREFIXES", "RUN", "STAGING", "columns_driver", "rows_driver"]


def rows_driver() -> int:
    """The address of `run` for scans along the lanes."""
    return code("scan rows driver", emit_rows)["run"]


def columns_driver() -> int:
    """The address of `run` for scans across the lanes."""
    return code("scan columns driver", emit_columns)["run"]


def emit_rows() -> Text:
    parts = [walk_function(), *fill_functions(), _deliver_function(), _rows_unit(), run_function("rows_unit", HEAD)]
    return module_of(parts, ("run",))


def emit_columns() -> Text:
    return module_of([walk_function(), _columns_unit(), run_function("columns_unit", HEAD)], ("run",))


# ---- along the lanes
def _rows_unit() -> tuple[Builder, str]:
    """Batches of short kept cells, or the blocks of long ones."""
    b = Builder()
    for name, size in (("tile", LARGE_TILE + SLACK), ("prefix", PREFIXES + SLACK)):
        b.allocas.append(f"  %{name} = alloca i8, i64 {size}, align 64")
    group, table = Group(b, b.named("ptr", "%group")), Table(b, HEAD)
    o, j = divided(b, b.named("i64", "%u"), group["panels"])
    out = decode_outer(b, group, o, b.named("ptr", "%idx"))
    c0 = j * group["per"]
    c1, n, cap = smaller(b, c0 + group["per"], group["c"]), group["n"], group["cap"]
    short, long, done = b.fresh("short"), b.fresh("long"), b.fresh("done")
    two = b.const("i64", 2)
    b.branch_if(n <= group["block"], short, long)
    b.label(short)
    with b.loop(c0, c1, cap) as c:
        cells = smaller(b, c1 - c, cap)
        _scan_range(b, table, c * n, n, cells)
        _deliver(b, n, cells, two, b.gep(out, c * group["stride"]), group["stride"])
    b.branch(done)
    b.label(long)
    with b.loop(c0, c1) as c:
        _long_row(b, group, table, c, b.gep(out, c * group["stride"]))
    b.branch(done)
    b.label(done)
    b.do("ret void")
    return b, b.function("rows_unit", UNIT)


def _scan_range(b: Builder, table: Table, g: Value, n: Value, m: Value) -> None:
    """Fill the tile with m segments of n cells from g on and scan each."""
    end = g + n * m
    b.do(
        "call void @fill(ptr %group, ptr %bases, ptr %scalars, ptr %L, ptr %idx, ptr %box, ptr %tile, "
        f"i64 {g.name}, i64 {end.name})"
    )
    call(b, "void", table.address("local").name, b.named("ptr", "%tile"), n, m)


def _deliver(b: Builder, n: Value, m: Value, has: Value, out: Value, row: Value) -> None:
    b.do(
        f"call void @deliver(ptr %table, ptr %group, ptr %tile, i64 {n.name}, i64 {m.name}, ptr %prefix, "
        f"i64 {has.name}, ptr {out.name}, i64 {row.name})"
    )


def _long_row(b: Builder, group: Group, table: Table, c: Value, out: Value) -> None:
    """Blocks in order, as many at a time as the tile holds, the last one perhaps shorter."""
    n, block, cap = group["n"], group["block"], group["cap"]
    whole, tail = divided(b, n, block)
    along = group["step"]
    with b.loop(0, whole, cap) as s:
        blocks = smaller(b, whole - s, cap)
        _blocks(b, group, table, (c * n, s * block), (block, blocks), s.ne(0), b.gep(out, s * block * along))
    with b.when(tail > 0):
        start = whole * block
        one = b.const("i64", 1)
        _blocks(b, group, table, (c * n, start), (tail, one), whole.ne(0), b.gep(out, start * along))


def _blocks(
    b: Builder, group: Group, table: Table, at: tuple[Value, Value], size: tuple[Value, Value], later: Value, out: Value
) -> None:
    """Some blocks after each other; prefix[0] is theirs, and becomes that of the block behind them."""
    (first, start), (n, m), has = at, size, b.cast("zext", later, "i64")
    tile, prefix, item = b.named("ptr", "%tile"), b.named("ptr", "%prefix"), table["item"]
    _scan_range(b, table, first + start, n, m)
    call(b, "void", table.address("carry").name, tile, n, m, prefix, has)
    _deliver(b, n, m, has, out, n * group["step"])
    following = b.gep(prefix, m * item)
    for at_byte in (0, 8):
        b.store(b.load("i64", b.gep(following, at_byte)), b.gep(prefix, at_byte))


def _deliver_function() -> tuple[Builder, str]:
    """`deliver`: rows of results to the output, directly where its cells are contiguous, else through a buffer."""
    b = Builder()
    group, table = Group(b, b.named("ptr", "%group")), Table(b, HEAD)
    names = ("tile", "n", "m", "prefix", "has", "out", "row")
    tile, n, m, prefix, has, out, row = (
        b.named("ptr" if name in ("tile", "prefix", "out") else "i64", f"%{name}") for name in names
    )
    along = group["step"]
    straight, around, done = b.fresh("straight"), b.fresh("around"), b.fresh("done")
    write = table.address("write").name
    b.branch_if(along.eq(group["size0"]), straight, around)
    b.label(straight)
    call(b, "void", write, tile, n, m, prefix, has, out, row)
    b.branch(done)
    b.label(around)
    staging, cell = b.alloca(Type("i8"), STAGING + SLACK), group["size0"]
    call(b, "void", write, tile, n, m, prefix, has, staging, n * cell)
    call(b, "void", table.address("move").name, out, along, row, staging, cell, n * cell, n, m)
    b.branch(done)
    b.label(done)
    b.do("ret void")
    signature = "ptr %table, ptr %group, ptr %tile, i64 %n, i64 %m, ptr %prefix, i64 %has, ptr %out, i64 %row"
    return b, b.function("deliver", signature)


# ---- across the lanes
def _columns_unit() -> tuple[Builder, str]:
    """A panel of columns: blocks in order, every run of rows by the kernel of its row."""
    b = Builder()
    for name in ("state", "prefix"):
        b.allocas.append(f"  %{name} = alloca i8, i64 {PANEL // 2 + SLACK}, align 64")
    group = Group(b, b.named("ptr", "%group"))
    o, panel = divided(b, b.named("i64", "%u"), group["panels"])
    v0 = panel * group["per"]
    out = b.gep(decode_outer(b, group, o, b.named("ptr", "%idx")), v0 * group["stride"])
    columns, n = smaller(b, group["c"] - v0, group["per"]), group["n"]
    put(b, v0, b.named("ptr", "%idx"), group.outer - 1)
    with b.loop(0, n, group["block"]) as start:
        end = smaller(b, start + group["block"], n)
        _runs(b, group, start, end, columns, out)
    b.do("ret void")
    return b, b.function("columns_unit", UNIT)


def _runs(b: Builder, group: Group, start: Value, end: Value, columns: Value, out: Value) -> None:
    at, box = b.alloca(Type("i64")), b.named("ptr", "%box")
    b.store(start, at)
    again, done = b.fresh("again"), b.fresh("done")
    b.branch(again)
    b.label(again)
    here = b.load("i64", at)
    call_walk(b, here, end)
    rows, step = of_box(b, box, "n"), group["step"]
    following = here + rows
    table = b.named("ptr", "%L")
    set_leaf(b, table, of_row(b, box, "operands"), b.gep(out, here * step), group["stride"], step)
    first, has, last = (b.cast("zext", v, "i64") for v in (here.eq(start), start > 0, following.eq(end)))
    state, prefix = b.named("ptr", "%state"), b.named("ptr", "%prefix")
    kernel = of_row(b, box, "kernel", "ptr").name
    call(b, "void", kernel, table, scalars_of(b, box), columns, rows, state, prefix, first, has, last)
    b.store(following, at)
    b.branch_if(following < end, again, done)
    b.label(done)
