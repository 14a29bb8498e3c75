"""The inner kernel of a map: two nested loops over a body, the only part that is compiled for its structure.

The one idea: sizes, strides and addresses come in a small table, three words for each operand and the output last:
address, byte stride along the lanes, byte stride from row to row.  Where the output's stride along the lanes is
PAST_CACHES, whole cache lines are written without reading them first: more is written than a cache holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm.body import LINE, Evaluator, move
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.structure import Leaf, key_text
from weft.backends.llvm.text import Builder, Type, Value
from weft.dtypes import bool as bool_
from weft.ir.kernels.plan import Body

LONG = 1 << 12  # bytes of a run from which the C library copies it: without reading what it overwrites
PAST_CACHES = -1
WORDS = 3  # of the table per operand
SIGNATURE = "ptr %L, ptr %S, i64 %n, i64 %m"


def map_kernel(body: Body, leaves: Sequence[Leaf], lanes: int) -> int:
    """The address of `void kernel(ptr L, ptr S, i64 n, i64 m)`; the last leaf is the output."""
    key = key_text("map", body, leaves, lanes)
    return code(key, lambda: emit(body, leaves, lanes))["kernel"]


def emit(body: Body, leaves: Sequence[Leaf], lanes: int) -> Text:
    """out[r, i] = body at (r, i) for r < m and i < n, both at least 1."""
    b = Builder(lanes)
    table, n, m = b.named("ptr", "%L"), b.named("i64", "%n"), b.named("i64", "%m")
    bases = [_word(b, table, k, 0, leaf) for k, leaf in enumerate(leaves)]
    along = [_word(b, table, k, 1) for k in range(len(leaves))]
    rows = [_word(b, table, k, 2) for k in range(len(leaves))]
    out = len(leaves) - 1
    evaluator = Evaluator(b, body, leaves, lanes, targets=(out,))
    evaluator.enter(b.named("ptr", "%S"))
    streams = along[out].eq(PAST_CACHES) if lanes * leaves[out].itemsize % LINE == 0 else None
    with b.loop(0, m) as r:
        here = [_moved(b, base, r * step) for base, step in zip(bases, rows, strict=True)]
        left = n
        past = (
            streams & (b.value(Type("i64"), f"ptrtoint ptr {here[out].name} to i64") & (LINE - 1)).eq(0)
            if streams is not None
            else None
        )
        if _is_move(body, leaves):
            size = n * leaves[out].itemsize
            far = size >= LONG
            if past is not None:
                far = far & ~past
            left = b.select(far, 0, n)
            with b.when(far):
                move(b, here[out], here[0], size)
        evaluator.start(here, along)
        with b.loop(0, left, lanes) as i:
            chunk = evaluator.chunk(i, n)
            assert chunk.reg is not None
            evaluator.store(out, chunk.reg, chunk, past)
    if streams is not None:
        with b.when(streams):  # such stores are ordered with no others: who is told of the end must see them
            b.do("fence seq_cst")
    b.do("ret void")
    return Text(b.module(b.function("kernel", SIGNATURE)), ("kernel",), tuple(sorted(b.routines)))


def _is_move(body: Body, leaves: Sequence[Leaf]) -> bool:
    """Whether a run's bytes are taken as they are: bools are made 0 or 1, and integers wrap."""
    if len(leaves) != 2 or leaves[0].dtype is bool_ or {leaf.kind for leaf in leaves} != {"1"}:
        return False
    read, written = leaves
    same = {read.dtype}
    if read.dtype.is_integer and written.dtype.is_integer and read.itemsize == written.itemsize:
        same.add(written.dtype)
    ops = body[0].op == "load" and all(i.op in ("positive", "astype") and i.dtype in same for i in body[1:])
    return ops and written.dtype in same and (read.swapped == written.swapped or read.itemsize == 1)


def _word(b: Builder, table: Value, k: int, word: int, leaf: Leaf | None = None) -> Value:
    kind = "ptr" if leaf is not None and not leaf.coordinate else "i64"
    return b.load(kind, b.gep(table, WORDS * k + word, "i64"), 8)


def _moved(b: Builder, base: Value, step: Value) -> Value:
    return base + step if base.type.elem == "i64" else b.gep(base, step)
