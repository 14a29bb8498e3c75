"""What happens to partial results: blocks fold as a tree by their numbers, panels fold their lanes, results go out.

The one idea: a partial result is an entry in planes of memory, one plane for each element of its state, so the same
routines serve one number and a panel of columns.  They know the law and the output's dtype and nothing of the input.
"""

from __future__ import annotations

from weft.backends.llvm.body import copy, join_parts
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.order import LANES, Law, Weights, encoded, spread
from weft.backends.llvm.reduce_columns import Panel
from weft.backends.llvm.reduce_rows import Parts
from weft.backends.llvm.text import Builder, Type, Value
from weft.dtypes import DType

VECTOR = 16  # entries at a time; planes are padded to a multiple of it
FOLD = "ptr %part, i64 %pitch, i64 %first, i64 %count, i64 %times, i64 %start, i64 %size, i64 %n"
MERGE = "ptr %part, ptr %right, i64 %pitch, i64 %count, double %na, double %nb"
DIVIDE = "ptr %part, i64 %pitch, i64 %count, double %n"
EVENT = "ptr %acc, i64 %lane, i64 %plane, i64 %column, i64 %turn, ptr %part, i64 %pitch, i64 %number"
CLEAR = "ptr %acc, i64 %lane, i64 %plane, i64 %lanes, i64 %n"
CLOSE = "ptr %acc, i64 %lane, i64 %plane, i64 %lanes, i64 %n, i64 %tight, i64 %base, ptr %part, i64 %pitch"
FINISH = "ptr %part, i64 %pitch, i64 %first, i64 %count, ptr %out, i64 %stride, double %n, double %divisor"


def fold_routine(law: Law) -> int:
    """`fold`: `times` runs of `count` entries from `first` on become one entry each, which follow each other.

    Entry j of a run holds `size` cells from cell start + j·size on, the last one fewer: n cells in all.
    """
    return code(f"fold {law.op} {law.acc.name}", lambda: emit_fold(law))["fold"]


def merge_routine(law: Law) -> int:
    """`merge`: part[i] = part[i] ∘ right[i] for count entries; the sides hold na and nb cells."""
    return code(f"merge {law.op} {law.acc.name}", lambda: emit_merge(law))["merge"]


def divide_routine(law: Law) -> int:
    """`divide`: part[i] / n for count entries of the first plane."""
    return code(f"divide {law.acc.name}", lambda: emit_divide(law))["divide"]


def event_routine(law: Law) -> int:
    """`event`: one column's block is complete."""
    return code(f"event {law.op} {law.acc.name}", lambda: emit_event(law))["event"]


def clear_routine(law: Law) -> int:
    """`clear`: the identity in `lanes` accumulator rows of n columns."""
    return code(f"clear {law.op} {law.acc.name}", lambda: emit_clear(law))["clear"]


def close_routine(law: Law) -> int:
    """`close`: fold `lanes` accumulator rows (a power of two) into the first and that into partial results.

    `tight` says that the rows follow each other without a gap.
    """
    return code(f"close {law.op} {law.acc.name}", lambda: emit_close(law))["close"]


def finish_routine(law: Law, out: DType, swapped: bool) -> int:
    """`finish`: the results of count entries from `first` on, in the output's dtype and byte order."""
    key = f"finish {law.op} {law.acc.name} {out.name} {swapped}"
    return code(key, lambda: emit_finish(law, out, swapped))["finish"]


# ---- the tree of blocks
def emit_fold(law: Law) -> Text:
    """Level by level, neighbours in pairs; an odd last entry passes up."""
    b = Builder()
    parts, first, count = Parts(b, law), b.named("i64", "%first"), b.named("i64", "%count")
    with b.loop(0, b.named("i64", "%times")) as t:
        here = first + t * count
        left, size = b.alloca(Type("i64")), b.alloca(Type("i64"))
        b.store(count, left)
        b.store(b.named("i64", "%size"), size)
        levels = _levels(b, count)
        with b.loop(0, levels):
            _level(b, law, parts, here, b.load("i64", left), b.load("i64", size))
            entries = b.load("i64", left)
            b.store((entries + 1).lshr(1), left)
            b.store(b.load("i64", size) << 1, size)
        parts.store(parts.load(here, 1), first + t)
    b.do("ret void")
    return Text(b.module(b.function("fold", FOLD)), ("fold",))


def _levels(b: Builder, count: Value) -> Value:
    """Bits of count - 1: how often count must be halved, rounding up, to give 1."""
    b.declarations.add("declare i64 @llvm.ctlz.i64(i64, i1)")
    below = count - 1
    return 64 - b.value(Type("i64"), f"call i64 @llvm.ctlz.i64(i64 {below.name}, i1 false)")


def _level(b: Builder, law: Law, parts: Parts, here: Value, count: Value, size: Value) -> None:
    pairs = count.lshr(1)
    with b.loop(0, pairs) as i:
        weights = _weights(b, i << 1, size) if law.op == "var" else None
        merged = law.merge(b, parts.load(here + (i << 1), 1), parts.load(here + (i << 1) + 1, 1), weights)
        parts.store(merged, here + i)
    with b.when((count & 1).ne(0)):
        parts.store(parts.load(here + count - 1, 1), here + pairs)


def _weights(b: Builder, entry: Value, size: Value) -> Weights:
    """Cells of an entry and the next, the last one of all holding fewer."""
    start, n = b.named("i64", "%start"), b.named("i64", "%n")

    def cells(j: Value) -> Value:
        number = b.intrinsic("smin", n - (start + j * size), size)
        return b.value(Type("double"), f"sitofp i64 {number.name} to double")

    return Weights(cells(entry), cells(entry + 1))


def emit_merge(law: Law) -> Text:
    """Entry by entry; entries up to the next multiple of VECTOR are computed too."""
    b = Builder()
    left = Parts(b, law)
    right = Parts(b, law)
    right.base = b.named("ptr", "%right")
    weights = Weights(b.named("double", "%na"), b.named("double", "%nb"))
    with b.loop(0, b.named("i64", "%count"), VECTOR) as i:
        left.store(law.merge(b, left.load(i, VECTOR), right.load(i, VECTOR), weights), i)
    b.do("ret void")
    return Text(b.module(b.function("merge", MERGE)), ("merge",))


def emit_divide(law: Law) -> Text:
    b = Builder()
    parts = Parts(b, law)
    with b.loop(0, b.named("i64", "%count"), VECTOR) as i:
        v = parts.load(i, VECTOR)[0]
        parts.store((v / spread(b, b.named("double", "%n"), v.type),), i)
    b.do("ret void")
    return Text(b.module(b.function("divide", DIVIDE)), ("divide",))


# ---- panels of columns
def emit_clear(law: Law) -> Text:
    b = Builder()
    panel = Panel(b, law)
    with b.loop(0, b.named("i64", "%lanes")) as lane, b.loop(0, b.named("i64", "%n"), VECTOR) as i:
        panel.store(law.start(b, VECTOR), lane, i)
    b.do("ret void")
    return Text(b.module(b.function("clear", CLEAR)), ("clear",))


def emit_close(law: Law) -> Text:
    b = Builder()
    panel, parts, n = Panel(b, law), Parts(b, law), b.named("i64", "%n")
    zero = b.const("i64", 0)
    half = b.alloca(Type("i64"))
    lanes = b.named("i64", "%lanes")
    b.store(lanes.lshr(1), half)
    with b.loop(0, _levels(b, lanes)):
        rows = b.load("i64", half)
        tight = b.named("i64", "%tight").ne(0)
        with b.loop(0, b.select(tight, 1, rows)) as lane, b.loop(0, b.select(tight, rows * n, n), VECTOR) as i:
            low, high = panel.load(lane, i, VECTOR), panel.load(lane + rows, i, VECTOR)
            panel.store(law.join(b, low, high), lane, i)
        b.store(rows.lshr(1), half)
    with b.loop(0, n, VECTOR) as i:
        parts.store(law.widen(b, panel.load(zero, i, VECTOR), b.named("i64", "%base")), i)
    b.do("ret void")
    return Text(b.module(b.function("close", CLOSE)), ("close",))


def emit_event(law: Law) -> Text:
    """Fold a column whose cell k went to accumulator row k - turn mod 8, store that unless number < 0, and clear."""
    b = Builder()
    panel, parts = Panel(b, law), Parts(b, law)
    column, turn, entry = (b.named("i64", f"%{name}") for name in ("column", "turn", "number"))
    rows = [(lane - turn) & (LANES - 1) for lane in (b.const("i64", k) for k in range(LANES))]
    with b.when(entry >= 0):
        lanes = [panel.load(row, column, 1) for row in rows]
        for half in (4, 2, 1):
            lanes = [law.join(b, low, high) for low, high in zip(lanes[:half], lanes[half:], strict=True)]
        parts.store(lanes[0], entry)
    for row in rows:
        panel.store(law.start(b, 1), row, column)
    b.do("ret void")
    return Text(b.module(b.function("event", EVENT)), ("event",))


# ---- results
def emit_finish(law: Law, out: DType, swapped: bool) -> Text:
    """Whole vectors go to memory at once where the output is contiguous, else cell by cell."""
    b = Builder()
    parts, count = Parts(b, law), b.named("i64", "%count")
    target, stride = b.named("ptr", "%out"), b.named("i64", "%stride")
    item, first = out.itemsize, b.named("i64", "%first")
    buffer = b.alloca(Type("i8"), VECTOR * item)
    n, divisor = b.named("double", "%n"), b.named("double", "%divisor")
    with b.loop(0, count, VECTOR) as i:
        reg = law.finish(b, parts.load(first + i, VECTOR), n, divisor)
        joined = join_parts(b, encoded(b, reg, law.result, out, swapped))
        whole = (i + VECTOR <= count) & stride.eq(item)
        b.store(joined, b.select(whole, b.gep(target, i * item), buffer))
        with b.when(~whole):
            left = b.intrinsic("smin", count - i, VECTOR)
            with b.loop(0, left) as j:
                copy(b, b.gep(target, (i + j) * stride), b.gep(buffer, j * item), b.const("i64", item))
    b.do("ret void")
    return Text(b.module(b.function("finish", FINISH)), ("finish",))
