"""Partial results: blocks fold as a tree by their numbers, panels fold their lanes, results are written.

The one idea: a partial result is an entry in planes of memory, one plane for each element of its state, so the same
routines serve one number and a panel of columns.  They know the law and the output's dtype and nothing of the input.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.laws import LANES, Law, Planes, Weights, encoded, panel_of, parts_of, spread
from weft.backends.llvm.jit.compiled import compiled
from weft.backends.llvm.nest.evaluator import join_parts
from weft.dtypes import DType

VECTOR = 16  # entries at a time; planes are padded to a multiple of it
PANEL = "ptr acc, i64 lane, i64 plane"


# ---- the tree of blocks
@compiled("fold", "ptr part, i64 pitch, i64 first, i64 count, i64 times, i64 start, i64 size, i64 n")
def fold_routine(b: Builder, law: Law) -> None:
    """Fold `times` runs of `count` entries from `first` on into one entry each, which follow each other.

    Entry j of a run holds `size` cells from cell start + j·size on, the last one fewer: n cells in all.  The entries
    fold level by level, neighbours in pairs; an odd last entry passes up.
    """
    parts, first, count = parts_of(b, law), b["first"], b["count"]
    with b.loop(0, b["times"]) as t:
        here = first + t * count
        with b.carrying([count, b["size"]], 0, _levels(b, count)) as level:
            left, size = level.values
            _level(b, law, parts, here, left, size)
            level.values = [(left + 1).lshr(1), size << 1]
        parts.store(parts.load(here, 1), first + t)


def _levels(b: Builder, count: Value) -> Value:
    """Return how often `count` must be halved, rounding up, to give 1."""
    return 64 - b.zeros("ctlz", count - 1)


def _level(b: Builder, law: Law, parts: Planes, here: Value, count: Value, size: Value) -> None:
    pairs = count.lshr(1)
    with b.loop(0, pairs) as i:
        weights = _weights(b, i << 1, size) if law.op == "var" else None
        merged = law.merge(b, parts.load(here + (i << 1), 1), parts.load(here + (i << 1) + 1, 1), weights)
        parts.store(merged, here + i)
    with b.when((count & 1).ne(0)):
        parts.store(parts.load(here + count - 1, 1), here + pairs)


def _weights(b: Builder, entry: Value, size: Value) -> Weights:
    """Return how many cells an entry and the next hold; the last one of all holds fewer."""
    start, n = b["start"], b["n"]
    left, right = (b.cast("sitofp", b.smin(n - (start + j * size), size), "double") for j in (entry, entry + 1))
    return Weights(left, right)


@compiled("merge", "ptr part, ptr right, i64 pitch, i64 count, double na, double nb")
def merge_routine(b: Builder, law: Law) -> None:
    """Merge right[i] into part[i] for count entries, or some more; the sides hold na and nb cells."""
    left, right, weights = parts_of(b, law), parts_of(b, law, "right"), Weights(b["na"], b["nb"])
    with b.loop(0, b["count"], VECTOR) as i:
        left.store(law.merge(b, left.load(i, VECTOR), right.load(i, VECTOR), weights), i)


@compiled("divide", "ptr part, i64 pitch, i64 count, double n")
def divide_routine(b: Builder, law: Law) -> None:
    """Divide count entries of the first plane by n."""
    parts = parts_of(b, law)
    with b.loop(0, b["count"], VECTOR) as i:
        v = parts.load(i, VECTOR)[0]
        parts.store((v / spread(b, b["n"], v.type),), i)


# ---- panels of columns
@compiled("clear", f"{PANEL}, i64 lanes, i64 n")
def clear_routine(b: Builder, law: Law) -> None:
    """Write the identity to `lanes` accumulator rows of n columns."""
    panel = panel_of(b, law)
    with b.loop(0, b["lanes"]) as lane, b.loop(0, b["n"], VECTOR) as i:
        panel.store(law.start(b, VECTOR), i, lane)


@compiled("close", f"{PANEL}, i64 lanes, i64 n, i64 tight, i64 base, ptr part, i64 pitch")
def close_routine(b: Builder, law: Law) -> None:
    """Fold `lanes` accumulator rows (a power of two) into the first and that into partial results.

    `tight` says that the rows follow each other without a gap.
    """
    panel, parts, n, lanes = panel_of(b, law), parts_of(b, law), b["n"], b["lanes"]
    with b.carrying([lanes.lshr(1)], 0, _levels(b, lanes)) as level:
        (rows,), tight = level.values, b["tight"].ne(0)
        with b.loop(0, b.select(tight, 1, rows)) as lane, b.loop(0, b.select(tight, rows * n, n), VECTOR) as i:
            low, high = panel.load(i, VECTOR, lane), panel.load(i, VECTOR, lane + rows)
            panel.store(law.join(b, low, high), i, lane)
        level.values = [rows.lshr(1)]
    with b.loop(0, n, VECTOR) as i:
        parts.store(law.widen(b, panel.load(i, VECTOR, b.const("i64", 0)), b["base"]), i)


@compiled("event", f"{PANEL}, i64 column, i64 turn, ptr part, i64 pitch, i64 number")
def event_routine(b: Builder, law: Law) -> None:
    """Fold a column whose block is complete, store that unless number < 0, and clear it.

    Cell k of the column went to accumulator row k - turn mod 8.
    """
    panel, parts, column, entry = panel_of(b, law), parts_of(b, law), b["column"], b["number"]
    rows = [(k - b["turn"]) & (LANES - 1) for k in range(LANES)]
    with b.when(entry >= 0):
        lanes = [panel.load(column, 1, row) for row in rows]
        for half in (4, 2, 1):
            lanes = [law.join(b, low, high) for low, high in zip(lanes[:half], lanes[half:], strict=True)]
        parts.store(lanes[0], entry)
    for row in rows:
        panel.store(law.start(b, 1), column, row)


# ---- results
@compiled("finish", "ptr part, i64 pitch, i64 first, i64 count, ptr out, i64 stride, double n, double divisor")
def finish_routine(b: Builder, law: Law, out: DType, swapped: bool) -> None:
    """Write the results of count entries from `first` on, in the output's dtype and byte order.

    Whole vectors go to memory at once where the output is contiguous, else cell by cell.
    """
    parts, count, target, stride = parts_of(b, law), b["count"], b["out"], b["stride"]
    item = out.itemsize
    buffer = b.alloca("i8", VECTOR * item)
    with b.loop(0, count, VECTOR) as i:
        reg = law.finish(b, parts.load(b["first"] + i, VECTOR), b["n"], b["divisor"])
        joined = join_parts(b, encoded(b, reg, law.result, out, swapped))
        whole = (i + VECTOR <= count) & stride.eq(item)
        b.store(joined, b.select(whole, b.gep(target, i * item), buffer))
        with b.when(~whole), b.loop(0, b.smin(count - i, VECTOR)) as j:
            b.copy(b.gep(target, (i + j) * stride), b.gep(buffer, j * item), item)
