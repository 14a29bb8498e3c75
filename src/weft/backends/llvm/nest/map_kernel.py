"""The inner kernel of a map: two loops over a body, which alone is compiled for its structure.

The one idea: sizes, strides and addresses come in a small table, three words for each operand and the output last:
address, byte stride along the lanes, byte stride from row to row.  Where the output's stride along the lanes is
PAST_CACHES, whole cache lines are written without reading them first: more is written than a cache holds.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.evaluator import Evaluator
from weft.backends.llvm.nest.prefetches import RowPrefetch, prefetch, prefetch_distance, prefetch_gathers
from weft.backends.llvm.nest.structure import Structure
from weft.dtypes import bool as bool_

LONG = 1 << 12  # bytes of a run from which the C library copies it, without first reading the target
SHORT = 40  # most cost of a body that is emitted twice, for whole and for partial chunks; an addition in float32 is 1
ENDS = 3 << 10  # bytes of a run written past the caches from which its ends, written through them, cost less than that
PAST_CACHES = -1
PARAMETERS = "ptr L, ptr S, i64 n, i64 m"


@compiled("map", PARAMETERS)
def map_kernel(b: Builder, structure: Structure) -> None:
    """Emit the kernel that writes out[r, i] = the body's value, for all r < m and i < n.

    The last leaf is the output; n and m are at least 1.
    """
    leaves, lanes, n = structure.leaves, structure.lanes, b["n"]
    out = len(leaves) - 1
    item = leaves[out].itemsize * int(leaves[out].kind)  # bytes of a lane's cells
    evaluator = Evaluator(b, structure, targets=(out,))
    streams = evaluator.strides[out].eq(PAST_CACHES) if lanes * item % PROCESSOR.line == 0 else None
    short = cost.of_body(evaluator.repeated) <= SHORT * cost.CELL
    later = RowPrefetch(b, structure, evaluator)
    with b.loop(0, b["m"]) as r:
        later.emit(r, b["m"])
        evaluator.start(r)
        target, left, past, begin = evaluator.pointers[out], n, None, b.const("i64", 0)
        if streams is not None:
            gap, size = -b.cast("ptrtoint", target, "i64") & (PROCESSOR.line - 1), n * item
            past = streams & ((gap | size) & (PROCESSOR.line - 1)).eq(0)
            if short and item.bit_count() == 1:
                past = past | (streams & (size >= ENDS) & (gap & (item - 1)).eq(0))
            begin = b.smin(b.select(past, gap, 0).lshr(item.bit_length() - 1), n)
        if _is_move(structure):
            size = n * item
            far = size >= LONG if past is None else (size >= LONG) & ~past
            left = b.select(far, 0, n)
            with b.when(far):
                b.copy(target, evaluator.pointers[0], size, overlapping=True)
        ahead = prefetch_distance(b, evaluator, n, item)
        if short:
            _aligned_loop(b, evaluator, (begin, left), past, ahead)
        else:
            with b.loop(0, left, lanes, opaque=True) as i:
                _prefetch(b, evaluator, i, n, ahead)
                chunk = evaluator.chunk(i, n)
                evaluator.store(out, chunk.reg, chunk, past)
    if streams is not None:
        with b.when(streams):  # the stores must be visible before the end of the kernel is announced
            b.emit(PROCESSOR.after_past_caches)


def _prefetch(b: Builder, evaluator: Evaluator, i: Value, n: Value, ahead: Value | None) -> None:
    """Emit prefetches for chunks after that of cell i: of gathers, and of cells in order `ahead` bytes further on."""
    prefetch_gathers(b, evaluator, i, n)
    if ahead is not None:
        prefetch(b, evaluator, i, ahead)


def _aligned_loop(
    b: Builder, evaluator: Evaluator, cells: tuple[Value, Value], past: Value | None, ahead: Value | None
) -> None:
    """Emit a loop over the whole chunks of a run, then code for the cells at its two ends.

    cells = (begin, n): the loop starts with cell `begin`, so that its stores begin with a cache line.  It has no check
    for the end of the run.
    """
    (begin, n), lanes, out = cells, evaluator.lanes, len(evaluator.leaves) - 1
    end = begin + ((n - begin) & -lanes)
    with b.loop(begin, end, lanes, opaque=True) as i:
        _prefetch(b, evaluator, i, n, ahead)
        chunk = evaluator.full_chunk(i)
        evaluator.store(out, chunk.reg, chunk, past)
    ragged = (begin | (n - end)).ne(0)
    with b.when(ragged, rare=True), b.loop(0, 2) as side:
        first, last = b.select(side.eq(0), 0, end), b.select(side.eq(0), begin, n)
        with b.when(first < last):
            chunk = evaluator.partial_chunk(first, last)
            evaluator.store(out, chunk.reg, chunk, past)


def _is_move(structure: Structure) -> bool:
    """True if computing the output only copies bytes: those of the single operand.

    Bools are excluded (any byte but 0 becomes 1); integers of one size are included, as their conversion wraps.
    """
    body, leaves = structure.body, structure.leaves
    if len(leaves) != 2 or leaves[0].dtype is bool_ or {leaf.kind for leaf in leaves} != {"1"}:
        return False
    read, written = leaves
    same = {read.dtype}
    if read.dtype.is_integer and written.dtype.is_integer and read.itemsize == written.itemsize:
        same.add(written.dtype)
    ops = body[0].op == "load" and all(i.op in ("positive", "astype") and i.dtype in same for i in body[1:])
    return ops and written.dtype in same and (read.swapped == written.swapped or read.itemsize == 1)
