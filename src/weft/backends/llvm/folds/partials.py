"""Routines on partial results: folding blocks, merging and clearing panels, writing results.

Terms: an *entry* is one partial result in planes of memory (`laws.Planes`); a *panel* is a set of accumulator rows with
a column for each of n kept cells.  The one idea: the same routines serve one number and a panel of columns; they depend
on the law and the output's dtype, never on the input.
"""

from __future__ import annotations

from typing import NamedTuple

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.laws import LANES, Law, Planes, Weights, encoded, panel_of, parts_of, spread
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest.cell_vectors import interleaved
from weft.dtypes import DType

VECTOR = 16  # entries at a time; planes are padded to a multiple of it
PANEL = "ptr acc, i64 lane, i64 plane"
CLOSE = f"{PANEL}, i64 lanes, i64 n, i64 tight, i64 base, ptr part, i64 pitch"


# ---- the tree of blocks
@compiled("fold", "ptr part, i64 pitch, i64 first, i64 count, i64 times, i64 start, i64 size, i64 n", brief=True)
def fold_routine(b: Builder, law: Law) -> None:
    """Emit the routine that folds each of `times` runs of `count` partial results into one.

    The runs begin at partial result `first`, one behind the other; the results replace numbers first, first + 1, ...
    Number j of a run stands for `size` cells from cell start + j·size on (the last may have fewer: there are n cells in
    all).  Neighbours are merged in pairs, level by level; an odd last one passes up unchanged.
    """
    parts, first, count = parts_of(b, law), b["first"], b["count"]
    with b.loop(0, b["times"]) as t:
        here = first + t * count
        fold_entries(b, law, parts, here, count, Cover(b["start"], b["size"], b["n"]))
        parts.store(parts.load(here, 1), first + t)


class Cover(NamedTuple):
    """The cells that some partial results stand for: `size` for each, from cell `start` on, of n."""

    start: Value
    size: Value
    n: Value


def fold_entries(b: Builder, law: Law, parts: Planes, here: Value, count: Value, cover: Cover) -> None:
    """Emit code that folds `count` partial results into the first of them, number `here`.

    `cover` says which cells they stand for.
    """
    with b.carrying([count, cover.size], 0, _levels(b, count)) as level:
        left, size = level.values
        _level(b, law, parts, here, left, cover._replace(size=size))
        level.values = [(left + 1).lshr(1), size << 1]


def _levels(b: Builder, count: Value) -> Value:
    """Return the number of levels in which `count` partial results fold in pairs into one: 5 take 3."""
    return 64 - b.zeros("ctlz", count - 1)


def _level(b: Builder, law: Law, parts: Planes, here: Value, count: Value, cover: Cover) -> None:
    pairs = count.lshr(1)
    with b.loop(0, pairs) as i:
        weights = _weights(b, i << 1, cover) if law.op == "var" else None
        merged = law.merge(b, parts.load(here + (i << 1), 1), parts.load(here + (i << 1) + 1, 1), weights)
        parts.store(merged, here + i)
    with b.when((count & 1).ne(0)):
        parts.store(parts.load(here + count - 1, 1), here + pairs)


def _weights(b: Builder, entry: Value, cover: Cover) -> Weights:
    """Return the numbers of cells behind partial results `entry` and `entry` + 1.

    Only the last of `cover` may have fewer than `size`.
    """
    left, right = (
        b.cast("sitofp", b.smin(cover.n - (cover.start + j * cover.size), cover.size), "double")
        for j in (entry, entry + 1)
    )
    return Weights(left, right)


@compiled("merge", "ptr part, ptr right, i64 pitch, i64 count, double na, double nb", brief=True)
def merge_routine(b: Builder, law: Law) -> None:
    """Emit the routine that merges `count` partial results at `right` into those at `part`.

    Each stands for na cells at `part` and nb cells at `right`.  It works on whole vectors, so up to 15 behind the last
    are merged too.
    """
    left, right, weights = parts_of(b, law), parts_of(b, law, "right"), Weights(b["na"], b["nb"])
    with b.loop(0, b["count"], VECTOR) as i:
        left.store(law.merge(b, left.load(i, VECTOR), right.load(i, VECTOR), weights), i)


@compiled("divide", "ptr part, i64 pitch, i64 count, double n")
def divide_routine(b: Builder, law: Law) -> None:
    """Emit the routine that divides the first number of each of `count` partial results by n."""
    parts = parts_of(b, law)
    with b.loop(0, b["count"], VECTOR) as i:
        v = parts.load(i, VECTOR)[0]
        parts.store((v / spread(b, b["n"], v.type),), i)


# ---- panels of columns
@compiled("clear", f"{PANEL}, i64 lanes, i64 n")
def clear_routine(b: Builder, law: Law) -> None:
    """Emit the routine that writes the identity to `lanes` accumulator rows of n columns."""
    panel = panel_of(b, law)
    with b.loop(0, b["lanes"]) as lane, b.loop(0, b["n"], VECTOR) as i:
        panel.store(law.start(b, VECTOR), i, lane)


@compiled("close", CLOSE)
def close_routine(b: Builder, law: Law) -> None:
    """Emit the routine that folds the accumulator rows of a panel and stores them as partial results.

    The number of rows, `lanes`, is a power of two.  If `tight` is not 0, rows follow each other without a gap.
    """
    panel, parts, n, lanes = panel_of(b, law), parts_of(b, law), b["n"], b["lanes"]
    # 8 rows: 4 to 7 are joined to 0 to 3, then 2 and 3 to 0 and 1; without gaps all rows of a level are one run
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
    """Emit the routine that folds one column at the end of its block, stores the result and clears the column.

    It is stored as partial result `number`, unless that is negative.  Cell k of the column was added to accumulator row
    (k - turn) mod 8.
    """
    panel, parts, column, entry = panel_of(b, law), parts_of(b, law), b["column"], b["number"]
    rows = [(k - b["turn"]) & (LANES - 1) for k in range(LANES)]
    with b.when(entry >= 0):
        lanes = [panel.load(column, 1, row) for row in rows]
        parts.store(law.join_all(b, lanes), entry)
    for row in rows:
        panel.store(law.start(b, 1), column, row)


# ---- results
@compiled("finish", "ptr part, i64 pitch, i64 first, i64 count, ptr out, i64 stride, double n, double divisor")
def finish_routine(b: Builder, law: Law, out: DType, swapped: bool) -> None:
    """Emit the routine that computes results from `count` partial results and writes them to the output.

    The first is number `first`. Results are rounded to the dtype `out`, with bytes exchanged if `swapped`; `stride` is
    in bytes. Contiguous outputs get whole vectors.
    """
    parts, count, target, stride = parts_of(b, law), b["count"], b["out"], b["stride"]
    item = out.itemsize
    buffer = b.alloca("i8", VECTOR * item)
    with b.loop(0, count, VECTOR) as i:
        reg = law.finish(b, parts.load(b["first"] + i, VECTOR), b["n"], b["divisor"])
        joined = interleaved(b, encoded(b, reg, law.result, out, swapped))
        whole = (i + VECTOR <= count) & stride.eq(item)
        b.store(joined, b.select(whole, b.gep(target, i * item), buffer))
        with b.when(~whole), b.loop(0, b.smin(count - i, VECTOR)) as j:
            b.copy(b.gep(target, (i + j) * stride), b.gep(buffer, j * item), item)
