"""Kernels that reduce along the lanes: each of `m` segments of `n` cells becomes one partial result.

Terms: a *segment* is at most one block of one kept cell; a *chunk* is as many cells as there are lanes; a *tile* is a
buffer of cells in their logical order.  The one idea: a segment's lanes live in registers from its first cell to its
last, which gives the order of additions of `weft.ir.kernels.sum_order`.  One segment at a time is enough: the processor
begins the next one while the last additions of this one are still under way.

The kernel `rows` evaluates a body; `tile_rows` reads cells of the accumulation dtype from a tile, to which all operands
without a single stride are copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.laws import LANES, Law, State, chosen, parts_of
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.cell_vectors import load_window
from weft.backends.llvm.nest.evaluator import Chunk, Evaluator, inside
from weft.backends.llvm.nest.prefetches import prefetch
from weft.backends.llvm.nest.structure import Leaf, Structure
from weft.backends.llvm.steps.registers import Reg, decode, lanes_for
from weft.ir.kernels.plan import Body

AHEAD = 8192  # bytes between a load and the prefetch beside it
SIMPLE = 10  # most cost of a simple body; an addition in float32 is 1
ABREAST = 4  # segments of a tile reduced at a time, so that their chains of additions overlap
SLACK = 512  # bytes after a tile that may be read
# part: partial results, plane p at part + p·pitch; the first is entry `first`.  base: index of the first segment's
# first cell, step: from segment to segment (for argmin and argmax).
PARTS = "ptr part, i64 pitch, i64 first, i64 base, i64 step"


def is_simple(body: Body) -> bool:
    """True if a body is so cheap to evaluate that a reduction of its values waits for memory only."""
    return cost.of_body(body) <= SIMPLE * cost.CELL


@compiled("rows", f"ptr L, ptr S, i64 n, i64 m, {PARTS}")
def rows_kernel(b: Builder, law: Law, structure: Structure) -> None:
    """Emit the kernel that reduces m segments of n cells by a law to partial results.

    `structure` describes the body that computes the cells.  In the table of leaves, L, the third word of a leaf is the
    bytes from segment to segment.
    """
    evaluator, parts = Evaluator(b, structure), parts_of(b, law)
    with b.loop(0, b["m"]) as s:
        evaluator.start(s)
        state = _segment(b, law, evaluator, b["n"])
        parts.store(law.widen(b, folded(b, law, state), b["base"] + s * b["step"]), b["first"] + s)


def _segment(b: Builder, law: Law, evaluator: Evaluator, n: Value) -> State:
    """Return the state after a segment of n cells, with its lanes not yet folded."""
    lanes = evaluator.lanes

    def turn(state: list[Value], chunk: Chunk) -> list[Value]:
        return [*stepped(b, law, tuple(state), whole_or_identity(b, law, chunk, chunk.reg), chunk.i)]

    first, run = law.start(b, law.lanes(lanes), law.numbered(lanes)), (b.const("i64", 0), n)
    return tuple(over_chunks(b, evaluator, run, first, turn, is_simple(evaluator.body), AHEAD))


def over_chunks(
    b: Builder, evaluator: Evaluator, run: tuple[Value, Value], values: Sequence[Value],
    turn: Callable[[list[Value], Chunk], list[Value]], simple: bool, ahead: int = 0,
) -> list[Value]:  # fmt: skip
    """Emit a loop over the chunks of a run of cells. Return the values that it carries, after the last chunk.

    run = (first cell, end).  `turn` gives the values after a chunk from those before it; `values` are the first.  With
    `simple`, whole chunks get a loop of their own: it is small enough that the processor works on several runs at once.
    Cells that are read `ahead` bytes further on are prefetched, unless that is 0.
    """
    (begin, end), lanes = run, evaluator.lanes
    if simple:
        whole = begin + ((end - begin) & -lanes)
        with b.carrying(values, begin, whole, lanes, opaque=True) as loop:
            if ahead:
                prefetch(b, evaluator, loop.i, ahead)
            loop.values = turn(loop.values, evaluator.full_chunk(loop.i))
        rest = loop.values
        return list(b.choose(whole < end, lambda: turn(rest, evaluator.partial_chunk(whole, end)), rest))
    with b.carrying(values, begin, end, lanes, opaque=True) as last:
        if ahead:
            prefetch(b, evaluator, last.i, ahead)
        last.values = turn(last.values, evaluator.chunk(last.i, end))
    return last.values


def whole_or_identity(b: Builder, law: Law, chunk: Chunk, reg: Reg) -> State:
    """Return the cells of a chunk as `law.lift` gives them, with the identity in lanes outside the run."""
    x = law.lift(b, reg)
    if chunk.partial:
        return masked_by(b, law, x, chunk.inside(b))
    return x if chunk.sure else b.choose(chunk.full_chunk, x, lambda: masked_by(b, law, x, chunk.inside(b)), "no")


def masked_by(b: Builder, law: Law, x: State, mask: Value) -> State:
    """Return the state x in the lanes where `mask` is true, and the law's identity in the others."""
    identity = law.start(b, mask.type.lanes, [v.type.elem for v in x])
    return chosen(b, mask, x, identity)


def stepped(b: Builder, law: Law, state: State, x: State, i: Value) -> State:
    """Return the state after taking a chunk's cells `x`, as many at a time as the state has lanes.

    `i` is the position of the chunk's first cell in the segment, from which argmin and argmax number the chunks.
    """
    lanes, width = state[0].type.lanes, x[0].type.lanes
    for at in range(0, width, lanes):
        group_row = x if lanes == width else tuple(b.shuffle(v, range(at, at + lanes)) for v in x)
        index = None
        if law.indexed:
            chunk = i.lshr(lanes.bit_length() - 1)
            index = b.splat(b.cast("trunc", chunk, state[1].type.elem), lanes)
        state = law.step(b, state, group_row, index)
    return state


def folded(b: Builder, law: Law, state: State) -> State:
    """Return the state with all lanes folded into one.

    Chunk numbers of argmin and argmax become positions in the segment.
    """
    if law.indexed:
        chunk, lanes = state[1], state[1].type.lanes
        number = b.cast("sext" if chunk.type.bits < 32 else "trunc", chunk, "i32")
        state = state[0], number * lanes + b.iota("i32", lanes)
    return law.fold(b, state)


# ---- cells in a buffer
@compiled("tile_rows", f"ptr tile, i64 n, i64 m, {PARTS}")
def tile_rows_kernel(b: Builder, law: Law) -> None:
    """Emit the kernel that reduces m segments of n cells in a tile, four of them side by side."""
    together = b["m"] & -ABREAST if law.ordered else b.const("i64", 0)
    if law.ordered:
        with b.loop(0, together, ABREAST) as s:
            _tile_segments(b, law, s, ABREAST)
    with b.loop(together, b["m"]) as s:
        _tile_segments(b, law, s, 1)


def _tile_segments(b: Builder, law: Law, s: Value, count: int) -> None:
    """Emit code that reduces `count` segments of a tile side by side, from segment s on, and stores the results."""
    parts, n, item = parts_of(b, law), b["n"], law.acc.itemsize
    starts = [b.gep(b["tile"], (s + k) * n * item) for k in range(count)]
    states = _tile_pass(b, law, starts, n, None)
    if law.op == "var":
        size = b.cast("fptrunc", b.cast("sitofp", n, "double"), law.lane[0])
        means = [law.fold(b, state)[0] / b.splat(size, 1) for state in states]
        states = _tile_pass(b, law, starts, n, means)
        results = [(mean, *law.fold(b, state)) for mean, state in zip(means, states, strict=True)]
    else:
        results = [law.widen(b, folded(b, law, x), b["base"] + (s + k) * b["step"]) for k, x in enumerate(states)]
    for k, state in enumerate(results):
        parts.store(state, b["first"] + (s + k))


def _tile_pass(b: Builder, law: Law, starts: list[Value], n: Value, means: list[Value] | None) -> list[State]:
    """Return the states of some segments of n cells at the addresses `starts`, before their lanes are folded.

    With `means`, one for each segment, squared distances from the mean are summed.
    """
    lanes = LANES if law.ordered else lanes_for([law.acc])
    first = law.start(b, lanes, law.numbered(lanes))
    centres = [b.shuffle(v, [0] * lanes) for v in means] if means else None

    def turn(values: Sequence[Value], i: Value, mask: Value | None) -> list[Value]:
        made: list[Value] = []
        for k, start in enumerate(starts):
            x = law.lift(b, tile_load(b, law, b.gep(start, i * law.acc.itemsize), lanes))
            if centres is not None:
                d = x[0] - centres[k]
                x = (d * d,)
            x = x if mask is None else masked_by(b, law, x, mask)
            state = tuple(values[k * len(first) : (k + 1) * len(first)])
            made += stepped(b, law, state, x, i)
        return made

    whole = n & -lanes
    with b.carrying([v for _ in starts for v in first], 0, whole, lanes, opaque=True) as loop:
        loop.values = turn(loop.values, loop.i, None)
    rest = loop.values
    values = b.choose(whole < n, lambda: turn(rest, whole, inside(b, lanes, n - whole)), rest)
    return [values[k : k + len(first)] for k in range(0, len(values), len(first))]


def tile_load(b: Builder, law: Law, at: Value, lanes: int) -> Reg:
    """Return `lanes` cells of the law's accumulation dtype, loaded from address `at`."""
    leaf = Leaf(law.acc, False, "1")
    return decode(b, load_window(b, at, leaf, lanes), law.acc)
