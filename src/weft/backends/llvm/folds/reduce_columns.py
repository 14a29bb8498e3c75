"""Kernels that reduce across the lanes: rows are added to a panel of accumulators, one per column.

The one idea: the panel holds a block's eight lanes for every column, as eight rows of memory close to the processor,
and row k of the block goes to accumulator row k mod 8; so cells are read in long runs, whichever axis is reduced, and
every column still adds in rising k.  Rows that share an accumulator row are added some at a time, which saves its loads
and stores and reads several streams of memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.laws import LANES, Law, State, panel_of
from weft.backends.llvm.folds.reduce_rows import is_simple, whole_or_identity
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest.evaluator import Chunk, Evaluator, LeafTable
from weft.backends.llvm.nest.prefetches import prefetch
from weft.backends.llvm.nest.structure import Structure

TOGETHER = 4  # rows of a simple body added at a time
COLUMNS = "ptr L, ptr S, i64 n, i64 k, ptr acc, i64 lane, i64 plane, i64 phase, ptr mean"
AHEAD, AHEAD_ALONE = 1024, 4096  # bytes to the prefetched cell if several rows are added at a time, and if one is


class _Columns:
    """The emitter of the kernel `cols`: its parameters, and an evaluator for each row that is added at a time."""

    def __init__(self, b: Builder, law: Law, structure: Structure, form: str) -> None:
        self.b, self.law, self.lanes, self.form = b, law, structure.lanes, form
        table = LeafTable(b, structure.leaves)
        # eight lanes fill the nearest cache, so they are met less often where nothing but memory is waited for
        most = (
            2 * TOGETHER if law.ordered and len(structure.body) == 1 else TOGETHER if is_simple(structure.body) else 1
        )
        self.evaluators = [Evaluator(b, structure, table=table) for _ in range(most)]
        self.panel = panel_of(b, law)
        self.n, self.phase = b["n"], b["phase"]
        self.opaque = law.op != "var"  # a variance reads rows from a near cache; addresses as LLVM makes them save 5 %
        self.apart = LANES if law.ordered and form != "folded" else 1  # distance of rows that share an accumulator

    def group(self, first: Value, count: int) -> None:
        """Emit code that adds `count` rows that share an accumulator row: first, first + apart, first + 2·apart, ...

        Whole chunks are evaluated for all rows side by side; then the last columns are added row by row.
        """
        b, whole = self.b, self.n & -self.lanes
        for k, e in enumerate(self.evaluators[:count]):
            e.start(first + k * self.apart)
        with b.loop(0, whole, self.lanes, self.opaque) as i:
            for e in self.evaluators[:count]:
                prefetch(b, e, i, AHEAD)
            self._add([e.full_chunk(i) for e in self.evaluators[:count]], first, i)
        with b.when(whole < self.n), b.loop(0, count) as j:
            self.row(first + j * self.apart, whole)

    def row(self, row: Value, begin: Value) -> None:
        """Emit code that adds row number `row` to its accumulators, from column `begin` on."""
        self.evaluators[0].start(row)
        with self.b.loop(begin, self.n, self.lanes, self.opaque) as i:
            prefetch(self.b, self.evaluators[0], i, AHEAD_ALONE)
            self._add([self.evaluators[0].chunk(i, self.n)], row, i)

    def _add(self, chunks: Sequence[Chunk], first: Value, i: Value) -> None:
        """Emit code that adds one chunk of each row, at column i, to the accumulators that the rows share."""
        b, law, number = self.b, self.law, self.phase + first
        lane = number & (LANES - 1) if self.apart == LANES else b.const("i64", 0)
        state = self.panel.load(i, self.lanes, lane)
        for j, chunk in enumerate(chunks):
            x = whole_or_identity(b, law, chunk, chunk.reg) if self.form == "folded" else law.lift(b, chunk.reg)
            if self.form == "squares":
                x = self._square(x, i)
            state = law.step(b, state, x, self._index(number + j * self.apart))
        self.panel.store(state, i, lane)

    def _square(self, x: State, i: Value) -> State:
        d = x[0] - self.b.load(x[0].type, self.b.gep(self.b["mean"], i, x[0].type.elem))
        return (d * d,)

    def _index(self, number: Value) -> Value | None:
        b = self.b
        return b.splat(b.cast("trunc", number, "i32"), self.lanes) if self.law.indexed else None


@compiled("cols", COLUMNS)
def cols_kernel(b: Builder, law: Law, structure: Structure, form: str = "") -> None:
    """Emit the kernel that adds k rows of n columns to the accumulators of a panel.

    Row r goes to accumulator row (phase + r) mod 8, so that `phase` is the number of the first row within its block.
    Accumulator rows lie `lane` bytes apart, planes `plane` bytes; the third word of a leaf is its stride from row to
    row.

    Forms: "folded", where a row is several logical ones that follow each other in memory and all go to one accumulator
    row; "squares", which adds squared distances from the columns' means, which lie at `mean`.
    """
    emitter, k, done = _Columns(b, law, structure, form), b["k"], b.const("i64", 0)
    together = len(emitter.evaluators)
    for count in sorted({together, min(together, TOGETHER)} - {1}, reverse=True):
        begin, step = done, emitter.apart * count
        done = k & -step
        with b.loop(begin, done, step) as at, b.loop(0, emitter.apart) as lane:
            emitter.group(at + lane, count)
    with b.loop(done, k) as row:
        emitter.row(row, b.const("i64", 0))
