"""Kernels of running sums, products and extremes, along the lanes of a tile or across those of a panel.

Terms: a *segment* is one block of a kept cell; its *prefix* is the result of all blocks before it.  The one idea:
inside a block cells follow each other strictly, so speed comes from scanning several segments (or columns) side by
side.  Then each cell is combined with the prefix, rounded to the output's dtype and written.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.folds.laws import Law, State, chosen, encoded
from weft.backends.llvm.folds.reduce_rows import tile_load
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest.cell_vectors import interleaved
from weft.backends.llvm.nest.evaluator import Evaluator
from weft.backends.llvm.nest.pack_routines import transposed
from weft.backends.llvm.nest.structure import Structure
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import encode
from weft.dtypes import DType

ABREAST = 8
TURNED = 64  # bytes of a vector with one cell of each segment
VECTOR = 16  # cells written at a time
PAGE = 4096  # bytes of a row beyond which hardware foresees its cells
SEGMENTS = "ptr tile, i64 n, i64 m"  # m segments of n cells each


def _store(b: Builder, law: Law, state: State, at: Value) -> None:
    """Emit a store of a state at `at`, as cells of the law's accumulation dtype."""
    b.store(interleaved(b, encode(b, law.cell(b, state), law.acc)), at)


def _load(b: Builder, law: Law, at: Value, lanes: int) -> State:
    """Return a state loaded from `lanes` cells of the law's accumulation dtype at `at`."""
    return law.lift(b, tile_load(b, law, at, lanes))


# ---- tiles
def segments_abreast(acc: DType) -> int:
    """Return the number of segments of a tile that are scanned side by side.

    It is the lanes of a vector if the cells are real and have at least 4 bytes, else the number of separate chains.
    """
    return TURNED // acc.itemsize if acc.kind != "complex" and acc.itemsize >= 4 else ABREAST


@compiled("scan_local", SEGMENTS)
def local_routine(b: Builder, law: Law, turned: bool) -> None:
    """Emit the routine that replaces the cells of each of m segments in a tile by their running results.

    If `turned`, as many segments as a vector has cells are transposed in registers, which suits many of them.
    """
    side, first = segments_abreast(law.acc), b.const("i64", 0)
    turned = turned and turns(law.acc)
    for width in sorted({side, ABREAST, 1} if turned else {ABREAST, 1}, reverse=True):
        end = b["m"] & -width
        with b.loop(first, end, width) as s:
            begin = _scan_turned(b, law, s, width) if width == side and turned else b.const("i64", 0)
            _scan_segments(b, law, s, width, begin)
        first = end


def _scan_turned(b: Builder, law: Law, s: Value, side: int) -> Value:
    """Emit code that scans `side` segments from segment s on, and return the number of cells scanned of each.

    It is n rounded down to a multiple of `side`. Squares of `side` segments by `side` cells are transposed, so that
    each vector has one cell of every segment, and transposed back.
    """
    n, item = b["n"], law.acc.itemsize
    starts = [b.gep(b["tile"], (s + k) * n * item) for k in range(side)]
    whole = n & -side
    with b.carrying(law.start(b, side), 0, whole, side, opaque=True) as turn:
        places = [b.gep(p, turn.i * item) for p in starts]
        made = _scanned(b, law, turn.values[0], transposed(b, [_load(b, law, at, side)[0] for at in places]))
        for row, at in zip(transposed(b, made), places, strict=True):
            _store(b, law, (row,), at)
        turn.values = made[-1:]
    return whole


def _scanned(b: Builder, law: Law, state: Value, cells: Sequence[Value]) -> list[Value]:
    """Return the states after each of `cells`, vectors with a cell of every segment, from the one before them."""
    return [state := law.step(b, (state,), (x,))[0] for x in cells]


def _scan_segments(b: Builder, law: Law, s: Value, count: int, begin: Value) -> None:
    """Emit code that scans `count` segments side by side, from segment s and their cell `begin` on."""
    n, item = b["n"], law.acc.itemsize
    starts = [b.gep(b["tile"], (s + k) * n * item) for k in range(count)]
    begin = b.smax(begin, 1)
    first = [_load(b, law, b.gep(p, (begin - 1) * item), 1) for p in starts]
    parts = len(first[0])
    with b.carrying([v for state in first for v in state], begin, n, opaque=True) as turn:
        places = [b.gep(p, turn.i * item) for p in starts]
        cells = [_load(b, law, at, 1) for at in places]  # all before a store: segments may lie whole pages apart
        states = [law.step(b, tuple(turn.values[k * parts : (k + 1) * parts]), x) for k, x in enumerate(cells)]
        for state, at in zip(states, places, strict=True):
            _store(b, law, state, at)
        turn.values = [v for state in states for v in state]


def turns(acc: DType) -> bool:
    """True if segments of such cells are scanned as squares that are transposed in registers."""
    return acc.kind != "complex" and segments_abreast(acc) * acc.itemsize == TURNED


@compiled("scan_abreast", "ptr at, i64 pitch, i64 n, i64 m, ptr prefix, i64 has, ptr out, i64 row, i64 past")
def abreast_routine(b: Builder, law: Law, out: DType, swapped: bool) -> None:
    """Emit the routine that scans m segments side by side and writes them, each combined with its prefix.

    m is a multiple of `segments_abreast`.  The segments' n cells lie at `at`, `pitch` bytes apart, their results at
    `out`, `row` bytes apart; `prefix` is set to the prefixes of the next blocks.  `has` = 0: there is none yet.  `out`
    is the results' dtype, in the other byte order if `swapped`.  If `past` is not 0, rows of whole cache lines are
    written past the caches.
    """
    side, n, item, wide = segments_abreast(law.acc), b["n"], law.acc.itemsize, out.itemsize
    whole, alone = n & -side, b.splat(b["has"].eq(0), side)
    edges = b.cast("ptrtoint", b["out"], "i64") | b["row"] | (n * wide)
    past = b["past"].ne(0) & (edges & (PROCESSOR.line - 1)).eq(0) if side * wide % PROCESSOR.line == 0 else None

    # short rows are not foreseen: those that are scanned next are asked for meanwhile
    later = b.select(n * item <= PAGE, b["pitch"] * side, 0)

    def result(before: State, v: Value) -> Value:
        return b.select(alone, v, law.step(b, before, (v,))[0])

    with b.loop(0, b["m"], side) as s:
        sources = [b.gep(b["at"], (s + k) * b["pitch"]) for k in range(side)]
        targets = [b.gep(b["out"], (s + k) * b["row"]) for k in range(side)]
        known = b.gep(b["prefix"], s * item)
        before = _load(b, law, known, side)
        with b.carrying(law.start(b, side), 0, whole, side, opaque=True) as turn:
            for p in sources:
                b.prefetch(b.gep(p, turn.i * item + later))
            rows = [_load(b, law, b.gep(p, turn.i * item), side)[0] for p in sources]
            made = _scanned(b, law, turn.values[0], transposed(b, rows))
            for x, p in zip(transposed(b, [result(before, v) for v in made]), targets, strict=True):
                (raw,), there = encoded(b, law.cell(b, (x,)), law.acc, out, swapped), b.gep(p, turn.i * wide)
                _store_line(b, raw, there, past)
            turn.values = made[-1:]
        with b.carrying(turn.values, whole, n) as last:
            cells = [_load(b, law, b.gep(p, last.i * item), 1)[0] for p in sources]
            last.values = _scanned(b, law, last.values[0], [_joined(b, cells)])
            x = result(before, last.values[0])
            (raw,) = encoded(b, law.cell(b, (x,)), law.acc, out, swapped)
            for k, p in enumerate(targets):
                b.store(b.extract(raw, k), b.gep(p, last.i * wide))
        _store(b, law, (result(before, last.values[0]),), known)
    if past is not None:
        with b.when(past):
            b.emit(PROCESSOR.after_past_caches)


def _joined(b: Builder, cells: Sequence[Value]) -> Value:
    """Return vectors of one lane as one vector."""
    made = b.shuffle(cells[0], [0] * len(cells))
    for k, cell in enumerate(cells[1:], 1):
        made = b.insert(made, b.extract(cell, 0), k)
    return made


def _store_line(b: Builder, raw: Value, there: Value, past: Value | None) -> None:
    """Emit a store of a vector at `there`; past the caches where the flag `past` holds."""
    if past is None:
        b.store(raw, there)
        return
    with b.when(past):
        b.store(raw, there, PROCESSOR.line, past_caches=True)
    with b.otherwise():
        b.store(raw, there)


@compiled("scan_carry", f"{SEGMENTS}, ptr prefix, i64 has", brief=True)
def carry_routine(b: Builder, law: Law) -> None:
    """Emit the routine that makes prefixes, the results of all cells before a segment.

    prefix[s + 1] = prefix[s] ∘ the last cell of segment s.  If `has` is 0, the first segment has no prefix, and that of
    the second is the last cell alone.
    """
    n, item, tile, prefix = b["n"], law.acc.itemsize, b["tile"], b["prefix"]
    with b.loop(0, b["m"]) as s:
        total = _load(b, law, b.gep(tile, ((s + 1) * n - 1) * item), 1)
        before = _load(b, law, b.gep(prefix, s * item), 1)
        alone = b.splat((s + b["has"]).eq(0), 1)
        _store(b, law, chosen(b, alone, total, law.step(b, before, total)), b.gep(prefix, (s + 1) * item))


@compiled("scan_write", f"{SEGMENTS}, ptr prefix, i64 has, ptr out, i64 row, i64 past")
def write_routine(b: Builder, law: Law, out: DType, swapped: bool) -> None:
    """Emit the routine that writes m segments, each combined with the result of all cells before it.

    `law` combines them; `out` is the dtype of the output, in the other byte order if `swapped`.  `tile` holds m
    segments of n cells, `prefix` a result for each segment.  Rows of the output lie `row` bytes apart.  `has` = 0: the
    first segment has no such prefix. 1: all have one. 2: none has.  If `past` is not 0, rows of whole cache
    lines are written past the caches.
    """
    lines = VECTOR * out.itemsize % PROCESSOR.line == 0
    n, item, has, prefix = b["n"], law.acc.itemsize, b["has"], b["prefix"]
    buffer = b.alloca("i8", VECTOR * out.itemsize)
    with b.loop(0, b["m"]) as s:
        alone = b.splat(has.eq(2) | (s + has).eq(0), VECTOR)
        mine = b.select(has.eq(2), b.const("i64", 0), s)
        before = tuple(b.shuffle(v, [0] * VECTOR) for v in _load(b, law, b.gep(prefix, mine * item), 1))
        row = b.gep(b["out"], s * b["row"])
        edges = b.cast("ptrtoint", row, "i64") | (n * out.itemsize)
        past = b["past"].ne(0) & (edges & (PROCESSOR.line - 1)).eq(0)
        with b.loop(0, n, VECTOR) as i:
            x = _load(b, law, b.gep(b["tile"], (s * n + i) * item), VECTOR)
            state = chosen(b, alone, x, law.step(b, before, x))
            raw = interleaved(b, encoded(b, law.cell(b, state), law.acc, out, swapped))
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
            b.emit(PROCESSOR.after_past_caches)


def _store_some(b: Builder, raw: Value, there: Value, buffer: Value, size: Value, whole: Value) -> None:
    """Emit a store of a vector at `there`, of its first `size` bytes only unless `whole` is true.

    The bytes then pass through `buffer`.
    """
    b.store(raw, b.select(whole, there, buffer))
    with b.when(~whole):
        b.copy(there, buffer, size)


# ---- columns
@compiled("scan_cols", "ptr L, ptr S, i64 n, i64 k, ptr state, ptr prefix, i64 first, i64 has, i64 last")
def scan_cols_kernel(b: Builder, law: Law, structure: Structure) -> None:
    """Emit the kernel that scans k rows of n columns and writes the running results to the last leaf.

    The running values of the block lie at `state`.  These parameters are true: `first` if the block begins here; `last`
    if it ends here, so that the prefixes of the next block are stored; `has` if its prefixes lie at `prefix`.
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
            evaluator.store(out, convert(b, law.cell(b, result), law.acc, leaves[out].dtype), chunk)
