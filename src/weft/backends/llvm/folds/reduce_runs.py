"""Kernels that reduce short runs along the lanes, for columns whose lanes are kept from one run to the next.

Terms: a *run* is a stretch of the last reduced axis; a *column* is a kept cell.  The one idea: where a block consists
of runs that lie apart, one run of each column is added at a time, in the order of memory, and the eight lanes of every
column wait in the panel for its next run.  A run may begin in any lane: lanes are stored turned, so that the lane of
the next cell is the first.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.laws import LANES, Law, chosen, panel_of, parts_of
from weft.backends.llvm.folds.partials import CLOSE
from weft.backends.llvm.folds.reduce_columns import COLUMNS
from weft.backends.llvm.folds.reduce_rows import AHEAD, is_simple, over_chunks, stepped, whole_or_identity
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest.evaluator import Chunk, Evaluator
from weft.backends.llvm.nest.structure import Structure
from weft.backends.llvm.steps.registers import real_parts

WIDTH = 3 * LANES  # cells of a column's accumulators: the eight that count are in the middle, others are written too


@compiled("runs", COLUMNS)
def runs_kernel(b: Builder, law: Law, structure: Structure, form: str = "") -> None:
    """Emit the kernel that adds a run of k cells to the accumulators of each of n columns.

    `phase` is the number of cells of the block before the run; the third word of a leaf is its stride from column to
    column.  Accumulators of a column lie `lane` bytes behind those of the last.  In the form "squares", squared
    distances from the columns' means, which lie at `mean`, are added.
    """
    evaluator, panel, cells = Evaluator(b, structure), panel_of(b, law), b["k"]
    lanes, middle, turned = law.lanes(structure.lanes), b.const("i64", LANES), cells & (LANES - 1)
    with b.loop(0, b["n"]) as column:
        evaluator.start(column)
        mean = b.load(law.lane[0], b.gep(b["mean"], column, law.lane[0])) if form == "squares" else None

        def turn(values: list[Value], chunk: Chunk, mean: Value | None = mean) -> list[Value]:
            reg = chunk.reg
            if mean is not None:
                (d,) = (x - b.splat(mean, structure.lanes) for x in real_parts(reg))
                reg = d * d
            return [*stepped(b, law, tuple(values), whole_or_identity(b, law, chunk, reg), chunk.i)]

        identity = law.start(b, LANES)
        before = chosen(b, b["phase"].eq(0), identity, panel.load(middle, LANES, column))
        first = [b.shuffle(v, [min(k, LANES) for k in range(lanes)], w) for v, w in zip(before, identity, strict=True)]
        run = b.const("i64", 0), cells
        state = tuple(over_chunks(b, evaluator, run, first, turn, is_simple(evaluator.body), AHEAD))
        state = law.fold(b, state, LANES)  # an ordered law has no more lanes
        panel.store(state, LANES - turned, column)
        panel.store(state, 2 * LANES - turned, column)


@compiled("close_runs", CLOSE)
def close_runs_routine(b: Builder, law: Law) -> None:
    """Emit the routine that folds the accumulators of n columns and stores them as partial results.

    However far lanes are turned, the same ones are joined.
    """
    panel, parts = panel_of(b, law), parts_of(b, law)
    with b.loop(0, b["n"]) as column:
        state = law.fold(b, panel.load(b.const("i64", LANES), LANES, column))
        parts.store(law.widen(b, state, b["base"]), column)
