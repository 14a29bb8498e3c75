"""Kernels of running sums and products, along the lanes in a tile and across them for a panel of columns.

Terms: a *segment* is one block of a kept cell; its *prefix* is the result of all blocks before it.  The one idea:
inside a block cells follow each other strictly, so speed comes from scanning several segments (or columns) side by
side.  Then each cell is combined with the prefix, rounded to the output's dtype and written.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.folds.laws import Law, State, chosen, encoded
from weft.backends.llvm.folds.reduce_rows import tile_load
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest.evaluator import Evaluator, join_parts
from weft.backends.llvm.nest.structure import Structure
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import Reg, encode
from weft.dtypes import DType

ABREAST = 8
VECTOR = 16  # cells written at a time
SEGMENTS = "ptr tile, i64 n, i64 m"  # m segments of n cells each


def _as_reg(state: State) -> Reg:
    """Return the state of a sum or product as a register: of two parts for complex numbers."""
    return Complex(*state) if len(state) == 2 else state[0]


def _store(b: Builder, law: Law, state: State, at: Value) -> None:
    """Emit code that stores a state as cells of the accumulation dtype."""
    b.store(join_parts(b, encode(b, _as_reg(state), law.acc)), at)


def _load(b: Builder, law: Law, at: Value, lanes: int) -> State:
    """Return the state that `lanes` cells of the accumulation dtype hold in memory."""
    return law.lift(b, tile_load(b, law, at, lanes))


# ---- tiles
@compiled("scan_local", SEGMENTS)
def local_routine(b: Builder, law: Law) -> None:
    """Emit the routine that replaces the cells of each of m segments in a tile by their running results."""
    together = b["m"] & -ABREAST
    with b.loop(0, together, ABREAST) as s:
        _scan_segments(b, law, s, ABREAST)
    with b.loop(together, b["m"]) as s:
        _scan_segments(b, law, s, 1)


def _scan_segments(b: Builder, law: Law, s: Value, count: int) -> None:
    """Emit code that scans segments s to s + count - 1 cell by cell, side by side."""
    n, item = b["n"], law.acc.itemsize
    starts = [b.gep(b["tile"], (s + k) * n * item) for k in range(count)]
    first = [_load(b, law, p, 1) for p in starts]
    parts = len(first[0])
    with b.carrying([v for state in first for v in state], 1, n) as turn:
        places = [b.gep(p, turn.i * item) for p in starts]
        cells = [_load(b, law, at, 1) for at in places]  # all before a store: segments may lie whole pages apart
        states = [law.step(b, tuple(turn.values[k * parts : (k + 1) * parts]), x) for k, x in enumerate(cells)]
        for state, at in zip(states, places, strict=True):
            _store(b, law, state, at)
        turn.values = [v for state in states for v in state]


@compiled("scan_carry", f"{SEGMENTS}, ptr prefix, i64 has", brief=True)
def carry_routine(b: Builder, law: Law) -> None:
    """Emit the routine that writes the prefix of each segment: prefix[s + 1] = prefix[s] ∘ the last cell of segment s.

    If `has` is 0 there is no prefix[0], and prefix[1] is the last cell of segment 0.
    """
    n, item, tile, prefix = b["n"], law.acc.itemsize, b["tile"], b["prefix"]
    with b.loop(0, b["m"]) as s:
        total = _load(b, law, b.gep(tile, ((s + 1) * n - 1) * item), 1)
        before = _load(b, law, b.gep(prefix, s * item), 1)
        alone = b.splat((s + b["has"]).eq(0), 1)
        _store(b, law, chosen(b, alone, total, law.step(b, before, total)), b.gep(prefix, (s + 1) * item))


@compiled("scan_write", f"{SEGMENTS}, ptr prefix, i64 has, ptr out, i64 row, i64 past")
def write_routine(b: Builder, law: Law, out: DType, swapped: bool) -> None:
    """Emit the routine that writes m segments, each combined with its prefix, to rows of the output `row` bytes apart.

    `has` = 0: the first segment has no prefix.  1: all have one.  2: none has.  If `past` is not 0, rows that begin
    with a cache line are written past the caches.
    """
    lines = VECTOR * out.itemsize % PROCESSOR.line == 0
    n, item, has, prefix = b["n"], law.acc.itemsize, b["has"], b["prefix"]
    buffer = b.alloca("i8", VECTOR * out.itemsize)
    with b.loop(0, b["m"]) as s:
        alone = b.splat(has.eq(2) | (s + has).eq(0), VECTOR)
        mine = b.select(has.eq(2), b.const("i64", 0), s)
        before = tuple(b.shuffle(v, [0] * VECTOR) for v in _load(b, law, b.gep(prefix, mine * item), 1))
        row = b.gep(b["out"], s * b["row"])
        past = b["past"].ne(0) & (b.cast("ptrtoint", row, "i64") & (PROCESSOR.line - 1)).eq(0)
        with b.loop(0, n, VECTOR) as i:
            x = _load(b, law, b.gep(b["tile"], (s * n + i) * item), VECTOR)
            state = chosen(b, alone, x, law.step(b, before, x))
            raw = join_parts(b, encoded(b, _as_reg(state), law.acc, out, swapped))
            whole = i + VECTOR <= n
            there = b.gep(row, i * out.itemsize)
            if lines:
                with b.when(whole & past):
                    b.store(raw, there, PROCESSOR.line, past_caches=True)
                with b.otherwise():
                    _store_some(b, raw, there, buffer, (n - i) * out.itemsize, whole)
            else:
                _store_some(b, raw, there, buffer, (n - i) * out.itemsize, whole)
    if lines:
        with b.when(b["past"].ne(0)):
            b.do(PROCESSOR.after_past_caches)


def _store_some(b: Builder, raw: Value, there: Value, buffer: Value, size: Value, whole: Value) -> None:
    """Emit code that stores a vector, or its first `size` bytes where not the whole of it is wanted."""
    b.store(raw, b.select(whole, there, buffer))
    with b.when(~whole):
        b.copy(there, buffer, size)


# ---- columns
@compiled("scan_cols", "ptr L, ptr S, i64 n, i64 k, ptr state, ptr prefix, i64 first, i64 has, i64 last")
def scan_cols_kernel(b: Builder, law: Law, structure: Structure) -> None:
    """Emit the kernel that scans k rows of n columns and writes the running results to the last leaf.

    The running values of the block lie at `state`.  `first`: the block begins here.  `has`: its prefixes lie at
    `prefix`. `last`: it ends here, so the prefixes of the next block are stored.
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
