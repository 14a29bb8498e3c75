"""Running sums and products of blocks: along the lanes from a tile, and across them for whole panels of columns.

The one idea: inside a block cells follow each other strictly, so speed comes from scanning several blocks (or columns)
side by side.  A block's cells are then combined with the prefix before it, rounded to the output's dtype and written.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.folds.laws import Law, State, chosen, encoded
from weft.backends.llvm.folds.reduce_rows import tile_load
from weft.backends.llvm.jit.compiled import compiled
from weft.backends.llvm.nest.evaluator import Evaluator, join_parts
from weft.backends.llvm.nest.structure import Structure
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import Reg, encode
from weft.dtypes import DType

ABREAST = 8
VECTOR = 16  # cells written at a time
SEGMENTS = "ptr tile, i64 n, i64 m"  # m segments of n cells each


def _as_reg(state: State) -> Reg:
    """Return a state of a sum or product as a register."""
    return Complex(*state) if len(state) == 2 else state[0]


def _store(b: Builder, law: Law, state: State, at: Value) -> None:
    """Store cells of the accumulation dtype."""
    b.store(join_parts(b, encode(b, _as_reg(state), law.acc)), at)


def _load(b: Builder, law: Law, at: Value, lanes: int) -> State:
    """Load cells of the accumulation dtype."""
    return law.lift(b, tile_load(b, law, at, lanes))


# ---- tiles
@compiled("scan_local", SEGMENTS)
def local_routine(b: Builder, law: Law) -> None:
    """Scan each segment of a tile in place."""
    together = b["m"] & -ABREAST
    with b.loop(0, together, ABREAST) as s:
        _scan_segments(b, law, s, ABREAST)
    with b.loop(together, b["m"]) as s:
        _scan_segments(b, law, s, 1)


def _scan_segments(b: Builder, law: Law, s: Value, count: int) -> None:
    """Scan some segments cell by cell, in step."""
    n, item = b["n"], law.acc.itemsize
    starts = [b.gep(b["tile"], (s + k) * n * item) for k in range(count)]
    first = [_load(b, law, p, 1) for p in starts]
    parts = len(first[0])
    with b.carrying([v for state in first for v in state], 1, n) as turn:
        made: list[Value] = []
        for k, p in enumerate(starts):
            at = b.gep(p, turn.i * item)
            state = law.step(b, tuple(turn.values[k * parts : (k + 1) * parts]), _load(b, law, at, 1))
            _store(b, law, state, at)
            made += state
        turn.values = made


@compiled("scan_carry", f"{SEGMENTS}, ptr prefix, i64 has")
def carry_routine(b: Builder, law: Law) -> None:
    """Write prefix[s + 1] = prefix[s] ∘ the last cell of segment s; without `has` there is no prefix[0]."""
    n, item, tile, prefix = b["n"], law.acc.itemsize, b["tile"], b["prefix"]
    with b.loop(0, b["m"]) as s:
        total = _load(b, law, b.gep(tile, ((s + 1) * n - 1) * item), 1)
        before = _load(b, law, b.gep(prefix, s * item), 1)
        alone = b.splat((s + b["has"]).eq(0), 1)
        _store(b, law, chosen(b, alone, total, law.step(b, before, total)), b.gep(prefix, (s + 1) * item))


@compiled("scan_write", f"{SEGMENTS}, ptr prefix, i64 has, ptr out, i64 row")
def write_routine(b: Builder, law: Law, out: DType, swapped: bool) -> None:
    """Write segments, each combined with its prefix, as rows of the output's cells `row` bytes apart.

    With `has` = 0 the first segment is written as it is, with 1 none is, with 2 all are.
    """
    n, item, has, prefix = b["n"], law.acc.itemsize, b["has"], b["prefix"]
    buffer = b.alloca("i8", VECTOR * out.itemsize)
    with b.loop(0, b["m"]) as s:
        alone = b.splat(has.eq(2) | (s + has).eq(0), VECTOR)
        mine = b.select(has.eq(2), b.const("i64", 0), s)
        before = tuple(b.shuffle(v, [0] * VECTOR) for v in _load(b, law, b.gep(prefix, mine * item), 1))
        row = b.gep(b["out"], s * b["row"])
        with b.loop(0, n, VECTOR) as i:
            x = _load(b, law, b.gep(b["tile"], (s * n + i) * item), VECTOR)
            state = chosen(b, alone, x, law.step(b, before, x))
            raw = join_parts(b, encoded(b, _as_reg(state), law.acc, out, swapped))
            whole = i + VECTOR <= n
            there = b.gep(row, i * out.itemsize)
            b.store(raw, b.select(whole, there, buffer))
            with b.when(~whole):
                b.copy(there, buffer, (n - i) * out.itemsize)


# ---- columns
@compiled("scan_cols", "ptr L, ptr S, i64 n, i64 k, ptr state, ptr prefix, i64 first, i64 has, i64 last")
def scan_cols_kernel(b: Builder, law: Law, structure: Structure) -> None:
    """Add k rows of n columns to the running values at `state` and write them; the output's leaf follows the operands'.

    Flags: `first` says that a block begins here, whose prefixes, if it `has` any, lie at `prefix`; `last` that it ends
    here, so that the next prefixes are made.
    """
    leaves, lanes, item = structure.leaves, structure.lanes, law.acc.itemsize
    n, k, out = b["n"], b["k"], len(leaves) - 1
    evaluator = Evaluator(b, structure, targets=(out,))
    alone, last = b.splat(b["has"].eq(0), lanes), b["last"]
    with b.loop(0, k) as row:
        evaluator.start(row)
        begins = b.splat((row.eq(0)) & b["first"].ne(0), lanes)
        ends = last.ne(0) & (row + 1).eq(k)
        with b.loop(0, n, lanes) as i:
            chunk = evaluator.chunk(i, n)
            x, here = law.lift(b, chunk.reg), b.gep(b["state"], i * item)
            state = chosen(b, begins, x, law.step(b, _load(b, law, here, lanes), x))
            _store(b, law, state, here)
            before = b.gep(b["prefix"], i * item)
            result = chosen(b, alone, state, law.step(b, _load(b, law, before, lanes), state))
            with b.when(ends):
                _store(b, law, result, before)
            evaluator.store(out, convert(b, _as_reg(result), law.acc, leaves[out].dtype), chunk)
