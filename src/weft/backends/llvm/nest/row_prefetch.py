"""Prefetches of rows at computed places.

The one idea: hardware foresees only cells in order, and of short rows a core has too few on their way at a time; so the
places of later rows are computed ahead, once more.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.nest.evaluator import Evaluator
from weft.backends.llvm.nest.structure import Structure

AHEAD = 8  # rows
LINES = 2  # of a row that are asked for; what follows them is foreseen


class RowPrefetch:
    """The emitter of prefetches for the operands whose address a step computes for each row."""

    def __init__(self, b: Builder, structure: Structure, evaluator: Evaluator) -> None:
        self.b, self.later = b, []  # the operands with the steps that move them, and evaluators of these
        for leaf, step in evaluator.moved.items():
            below = Structure(structure.body[: step + 1], structure.leaves, structure.lanes)
            self.later.append((leaf, step, Evaluator(b, below, table=evaluator.table)))

    def emit(self, row: Value, rows: Value) -> None:
        """Emit prefetches for the row AHEAD of `row`, if there are so many rows."""
        b = self.b
        if not self.later:
            return
        with b.when(row + AHEAD < rows):
            for leaf, step, evaluator in self.later:
                evaluator.start(row + AHEAD)
                place = b.gep(evaluator.pointers[leaf], b.extract(evaluator.regs[step], 0))
                for line in range(LINES):
                    b.prefetch(b.gep(place, line * PROCESSOR.line))
