"""Prefetches: of cells that lie in order, of cells at computed places, and of rows at computed places.

The one idea: hardware foresees only long runs of cells in order, and only so much a core has on its way at a time; what
later chunks and rows read is known, so it is asked for ahead. A prefetch never faults, whatever its address.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.jit.toolchain import cpu
from weft.backends.llvm.nest.cell_vectors import WINDOWS
from weft.backends.llvm.nest.evaluator import Evaluator
from weft.backends.llvm.nest.structure import Structure, operand_number

CELLS = 64  # cells between a gather and the prefetches for a later one
NEAR = 2  # bytes of a position up to which the cells named lie near: 2**15 positions at most
ROWS = 8  # rows between the current one and the prefetched one
LINES = 2  # cache lines prefetched at the start of such a row; hardware foresees the others
NEXT = 3 << 9  # bytes between a chunk of a long run and the prefetches of a map for a later one
LONG = 1 << 15  # least bytes of such a run: cells behind its end are asked for in vain
STREAMS = 3  # most operands that a map reads ahead (docs/design/055): more are mostly neighbours, on the same lines
# CPUs that reductions hinder by asking ahead (docs/design/009)
FORESEEING = frozenset({"znver1", "znver2", "znver3", "znver4"})


def prefetch(b: Builder, evaluator: Evaluator, i: Value, distance: Value | int) -> None:
    """Emit prefetches of the cells that the lanes will read `distance` bytes after cell i; none on some CPUs."""
    if cpu()[0] in FORESEEING:
        return
    for k in evaluator.loads:
        leaf = evaluator.leaves[k]
        if leaf.kind not in WINDOWS:
            continue
        step = int(leaf.kind) * leaf.itemsize
        at = b.gep(evaluator.pointers[k], i * step)
        for line in range(0, abs(step) * evaluator.lanes, 64):
            ahead = distance + line
            b.prefetch(b.gep(at, ahead if step > 0 else -ahead))


def prefetch_distance(b: Builder, evaluator: Evaluator, n: Value, item: int) -> Value | None:
    """Return the bytes between a chunk and what a map prefetches for a later one, in runs of n results of `item` bytes.

    0 asks for the chunk itself, which costs next to nothing; None: the body reads no cells in order, or too many.
    """
    streams = sum([evaluator.leaves[k].kind in WINDOWS for k in evaluator.loads])
    return b.select(n >= LONG // item, b.const("i64", NEXT), 0) if 0 < streams <= STREAMS else None


def prefetch_gathers(b: Builder, evaluator: Evaluator, i: Value, n: Value) -> None:
    """Emit prefetches of the cells that the chunk CELLS after cell i gathers at simple offsets.

    They run only if that chunk lies in the run of n cells, and go to the second-level cache: a core waits for only so
    many lines of the first. Positions of NEAR bytes, beside those that a run has in common, name few enough lines for
    that cache to hold all of them.
    """
    far = {k: e for k, e in evaluator.offsets.items() if sum([e.leaves[j].itemsize for j in e.buffers]) > NEAR}
    if not far:
        return
    with b.when(i + (CELLS + evaluator.lanes) <= n):
        for k, offset in far.items():
            base = evaluator.pointers[operand_number(evaluator.body[k])]
            for t in range(evaluator.lanes):
                b.prefetch(b.gep(base, offset.single(offset.places(i + (CELLS + t)))), cache=2)


class RowPrefetch:
    """The emitter of prefetches for the operands whose address a step computes for each row."""

    def __init__(self, b: Builder, structure: Structure, evaluator: Evaluator) -> None:
        self.b = b
        self.later: list[tuple[int, int, Evaluator]] = []  # operands, the steps that move them, evaluators of these
        for leaf, step in evaluator.moved.items():
            below = Structure(structure.body[: step + 1], structure.leaves, structure.lanes)
            self.later.append((leaf, step, Evaluator(b, below, table=evaluator.table)))

    def emit(self, row: Value, rows: Value) -> None:
        """Emit prefetches for the row ROWS after `row`, if there are so many rows."""
        b = self.b
        if not self.later:
            return
        with b.when(row + ROWS < rows):
            for leaf, step, evaluator in self.later:
                evaluator.start(row + ROWS)
                place = b.gep(evaluator.pointers[leaf], b.extract(evaluator.regs[step], 0))
                for line in range(LINES):
                    b.prefetch(b.gep(place, line * PROCESSOR.line))
