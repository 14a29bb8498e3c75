"""Running sums and products of blocks: along the lanes from a tile, and across them for whole panels of columns.

The one idea: inside a block cells follow each other strictly, so speed comes from scanning several blocks (or columns)
side by side.  A block's cells are then combined with the prefix before it, rounded to the output's dtype and written.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm.body import Evaluator, copy, join_parts
from weft.backends.llvm.carried import Carried
from weft.backends.llvm.convert import convert
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.order import Law, State, encoded
from weft.backends.llvm.reduce_rows import leaf_words, moved, tile_load
from weft.backends.llvm.registers import Reg, encode
from weft.backends.llvm.structure import Leaf, key_text
from weft.backends.llvm.text import Builder, Complex, Type, Value
from weft.dtypes import DType
from weft.ir.kernels.plan import Body

ABREAST = 8
VECTOR = 16  # cells written at a time
LOCAL = "ptr %tile, i64 %n, i64 %m"
CARRY = "ptr %tile, i64 %n, i64 %m, ptr %prefix, i64 %has"
WRITE = "ptr %tile, i64 %n, i64 %m, ptr %prefix, i64 %has, ptr %out, i64 %row"
# state: running values, prefixes behind them at `prefix`; flags: first row of a block, a prefix, last row of a block
COLS = "ptr %L, ptr %S, i64 %n, i64 %k, ptr %state, ptr %prefix, i64 %first, i64 %has, i64 %last"


def tile_routines(law: Law) -> dict[str, int]:
    """`local` scans m segments of n cells of a tile in place; `carry` finds the prefix of each from the ones before."""
    key = f"scan tile {law.op} {law.acc.name}"
    return dict(code(key, lambda: emit_tile(law)))


def write_routine(law: Law, out: DType, swapped: bool) -> int:
    """`write`: segments, each combined with its prefix, as rows of the output's cells `row` bytes apart."""
    key = f"scan write {law.op} {law.acc.name} {out.name} {swapped}"
    return code(key, lambda: emit_write(law, out, swapped))["write"]


def cols_kernel(law: Law, body: Body, leaves: Sequence[Leaf], lanes: int) -> int:
    """`cols`: k rows of n columns, added to running values and written; the output's leaf follows the operands'."""
    key = key_text(f"scan cols {law.op} {law.acc.name}", body, leaves, lanes)
    return code(key, lambda: emit_cols(law, body, leaves, lanes))["cols"]


def as_reg(state: State) -> Reg:
    """A state of a sum or product as a register."""
    return Complex(*state) if len(state) == 2 else state[0]


def _store(b: Builder, law: Law, state: State, at: Value) -> None:
    """Cells of the accumulation dtype to memory."""
    b.store(join_parts(b, encode(b, as_reg(state), law.acc)), at)


def _load(b: Builder, law: Law, at: Value, lanes: int) -> State:
    return law.lift(b, tile_load(b, law, at, lanes))


# ---- tiles
def emit_tile(law: Law) -> Text:
    local = Builder()
    m = local.named("i64", "%m")
    together = m & -ABREAST
    with local.loop(0, together, ABREAST) as s:
        _scan_segments(local, law, s, ABREAST)
    with local.loop(together, m) as s:
        _scan_segments(local, law, s, 1)
    local.do("ret void")
    carry = _emit_carry(law)
    local.declarations |= carry.declarations
    text = local.module(local.function("local", LOCAL), carry.function("carry", CARRY))
    return Text(text, ("local", "carry"))


def _scan_segments(b: Builder, law: Law, s: Value, count: int) -> None:
    """Some segments cell by cell, in step."""
    n, item, tile = b.named("i64", "%n"), law.acc.itemsize, b.named("ptr", "%tile")
    starts = [b.gep(tile, (s + k) * n * item) for k in range(count)]
    first = [_load(b, law, p, 1) for p in starts]
    with Carried(b, b.const("i64", 1), n, 1, [v for state in first for v in state]) as loop:
        made: list[Value] = []
        for k, p in enumerate(starts):
            parts = len(first[0])
            at = b.gep(p, loop.i * item)
            state = law.step(b, tuple(loop.values[k * parts : (k + 1) * parts]), _load(b, law, at, 1))
            _store(b, law, state, at)
            made += state
        loop.values = made


def _emit_carry(law: Law) -> Builder:
    """prefix[s + 1] = prefix[s] ∘ the last cell of segment s; without `has` there is no prefix[0]."""
    b = Builder()
    n, item, tile = b.named("i64", "%n"), law.acc.itemsize, b.named("ptr", "%tile")
    prefix, has = b.named("ptr", "%prefix"), b.named("i64", "%has")
    with b.loop(0, b.named("i64", "%m")) as s:
        total = _load(b, law, b.gep(tile, ((s + 1) * n - 1) * item), 1)
        before = _load(b, law, b.gep(prefix, s * item), 1)
        alone = b.splat((s + has).eq(0), 1)
        joined = law.step(b, before, total)
        state = tuple(b.select(alone, t, j) for t, j in zip(total, joined, strict=True))
        _store(b, law, state, b.gep(prefix, (s + 1) * item))
    b.do("ret void")
    return b


def emit_write(law: Law, out: DType, swapped: bool) -> Text:
    """With `has` = 0 the first segment is written as it is, with 1 none is, with 2 all are."""
    b = Builder()
    n, item, has = b.named("i64", "%n"), law.acc.itemsize, b.named("i64", "%has")
    tile, prefix, target = b.named("ptr", "%tile"), b.named("ptr", "%prefix"), b.named("ptr", "%out")
    buffer = b.alloca(Type("i8"), VECTOR * out.itemsize)
    with b.loop(0, b.named("i64", "%m")) as s:
        alone = b.splat(has.eq(2) | (s + has).eq(0), VECTOR)
        mine = b.select(has.eq(2), b.const("i64", 0), s)
        before = tuple(b.shuffle(v, [0] * VECTOR) for v in _load(b, law, b.gep(prefix, mine * item), 1))
        row = b.gep(target, s * b.named("i64", "%row"))
        with b.loop(0, n, VECTOR) as i:
            x = _load(b, law, b.gep(tile, (s * n + i) * item), VECTOR)
            state = tuple(b.select(alone, v, j) for v, j in zip(x, law.step(b, before, x), strict=True))
            raw = join_parts(b, encoded(b, as_reg(state), law.acc, out, swapped))
            whole = i + VECTOR <= n
            there = b.gep(row, i * out.itemsize)
            b.store(raw, b.select(whole, there, buffer))
            with b.when(~whole):
                copy(b, there, buffer, (n - i) * out.itemsize)
    b.do("ret void")
    return Text(b.module(b.function("write", WRITE)), ("write",))


# ---- columns
def emit_cols(law: Law, body: Body, leaves: Sequence[Leaf], lanes: int) -> Text:
    """Row by row; the first of a block starts the running values, the last makes the next prefixes."""
    b = Builder(lanes)
    bases, along, rows = leaf_words(b, b.named("ptr", "%L"), leaves)
    n, out, item = b.named("i64", "%n"), len(leaves) - 1, law.acc.itemsize
    running, prefixes = b.named("ptr", "%state"), b.named("ptr", "%prefix")
    evaluator = Evaluator(b, body, leaves, lanes, targets=(out,))
    evaluator.enter(b.named("ptr", "%S"))
    alone = b.splat(b.named("i64", "%has").eq(0), lanes)
    last = b.named("i64", "%last")
    with b.loop(0, b.named("i64", "%k")) as row:
        evaluator.start([moved(b, p, row * r) for p, r in zip(bases, rows, strict=True)], along)
        fresh = b.splat((row.eq(0)) & b.named("i64", "%first").ne(0), lanes)
        ends = last.ne(0) & (row + 1).eq(b.named("i64", "%k"))
        with b.loop(0, n, lanes) as i:
            chunk = evaluator.chunk(i, n)
            assert chunk.reg is not None
            x, here = law.lift(b, chunk.reg), b.gep(running, i * item)
            state = _chosen(b, fresh, x, law.step(b, _load(b, law, here, lanes), x))
            _store(b, law, state, here)
            before = b.gep(prefixes, i * item)
            result = _chosen(b, alone, state, law.step(b, _load(b, law, before, lanes), state))
            with b.when(ends):
                _store(b, law, result, before)
            evaluator.store(out, convert(b, as_reg(result), law.acc, leaves[out].dtype), chunk)
    b.do("ret void")
    return Text(b.module(b.function("cols", COLS)), ("cols",), tuple(sorted(b.routines)))


def _chosen(b: Builder, condition: Value, x: State, y: State) -> State:
    return tuple(b.select(condition, v, w) for v, w in zip(x, y, strict=True))
