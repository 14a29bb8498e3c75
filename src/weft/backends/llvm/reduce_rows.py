"""Kernels that reduce along the lanes: each of `m` segments of `n` cells becomes one partial result.

The one idea: a segment is at most a block, so its lanes live in registers from its first cell to its last and the
order of additions is that of `weft.ir.kernels.sum_order` without further care.  One segment at a time is enough: the
processor begins the next one while the last additions of this one are still under way.

`rows` evaluates a body; `tile_rows` reads cells of the accumulation dtype that lie in a buffer in their logical order,
which is how everything arrives that has no single stride.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm import cost
from weft.backends.llvm.body import WINDOWS, Chunk, Evaluator, load_window
from weft.backends.llvm.carried import Carried
from weft.backends.llvm.inner import WORDS
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.order import LANES, Law, State, cell_bytes, memory_lanes
from weft.backends.llvm.registers import Reg, decode
from weft.backends.llvm.structure import Leaf, key_text
from weft.backends.llvm.text import Builder, Type, Value
from weft.ir.kernels.plan import Body

AHEAD = 8192  # bytes between a load and the prefetch beside it
SIMPLE = 10  # steps such as an addition in float32 that a simple body takes at most
ABREAST = 4  # segments of a tile at a time: their chains of additions overlap
SLACK = 512  # bytes after a tile that may be read
# part: partial results, plane p at part + p·pitch; the first is entry `first`.  base: index of the first segment's
# first cell, step: from segment to segment (for argmin and argmax).
ROWS = "ptr %L, ptr %S, i64 %n, i64 %m, ptr %part, i64 %pitch, i64 %first, i64 %base, i64 %step"
TILE_ROWS = "ptr %tile, i64 %n, i64 %m, ptr %part, i64 %pitch, i64 %first, i64 %base, i64 %step"


def is_simple(body: Body) -> bool:
    """Whether evaluating a body takes so little that reading memory is what a reduction waits for."""
    return sum(map(cost.of_step, body)) <= SIMPLE * cost.CELL


def rows_kernel(law: Law, body: Body, leaves: Sequence[Leaf], lanes: int) -> int:
    """The address of `rows`: leaf tables as for maps, the third word being the stride from segment to segment."""
    key = key_text(f"rows {law.op} {law.acc.name}", body, leaves, lanes)
    return code(key, lambda: emit_rows(law, body, leaves, lanes))["rows"]


def tile_rows_kernel(law: Law) -> int:
    """The address of `tile_rows`: segments of n cells follow each other without a gap."""
    return code(f"tile rows {law.op} {law.acc.name}", lambda: emit_tile_rows(law))["rows"]


class Parts:
    """The planes that partial results go to."""

    def __init__(self, b: Builder, law: Law) -> None:
        self.b, self.law = b, law
        self.base, self.pitch = b.named("ptr", "%part"), b.named("i64", "%pitch")

    def place(self, plane: int, entry: Value) -> Value:
        """Where a plane's entry lies."""
        b = self.b
        start = b.gep(self.base, self.pitch * plane) if plane else self.base
        return b.gep(start, entry * cell_bytes(self.law.part[plane]))

    def store(self, state: State, entry: Value) -> None:
        for plane, v in enumerate(state):
            self.b.store(v, self.place(plane, entry))

    def load(self, entry: Value, lanes: int) -> State:
        return tuple(self.b.load(Type(e, lanes), self.place(p, entry)) for p, e in enumerate(self.law.part))


def emit_rows(law: Law, body: Body, leaves: Sequence[Leaf], lanes: int) -> Text:
    """One segment after the other."""
    b = Builder(lanes)
    table, n = b.named("ptr", "%L"), b.named("i64", "%n")
    bases, along, rows = leaf_words(b, table, leaves)
    parts, step = Parts(b, law), b.named("i64", "%step")
    evaluator = Evaluator(b, body, leaves, lanes)
    evaluator.enter(b.named("ptr", "%S"))
    with b.loop(0, b.named("i64", "%m")) as s:
        evaluator.start([moved(b, p, s * r) for p, r in zip(bases, rows, strict=True)], along)
        state = _segment(b, law, evaluator, n)
        base = b.named("i64", "%base") + s * step
        parts.store(law.widen(b, folded(b, law, state), base), b.named("i64", "%first") + s)
    b.do("ret void")
    return Text(b.module(b.function("rows", ROWS)), ("rows",), tuple(sorted(b.routines)))


def _segment(b: Builder, law: Law, evaluator: Evaluator, n: Value) -> State:
    """The lanes after a segment.  Simple bodies have a loop of whole chunks of their own: where it is short enough for
    the processor to hold a whole segment of it at once, one chain of additions is as fast as memory."""
    lanes, done, simple = evaluator.lanes, b.const("i64", 0), is_simple(evaluator.body)
    state = law.start(b, law.lanes(lanes), law.numbered(lanes))
    if simple:
        whole = n & -lanes
        with Carried(b, done, whole, lanes, state) as loop:
            prefetch(b, evaluator, loop.i, AHEAD)
            x = whole_or_identity(b, law, evaluator.whole(loop.i))
            loop.values = list(stepped(b, law, tuple(loop.values), x, loop.i))
        done, state = whole, tuple(loop.values)
    with Carried(b, done, n, lanes, state) as last:
        if not simple:
            prefetch(b, evaluator, last.i, AHEAD)
        chunk = evaluator.chunk(last.i, n)
        x = whole_or_identity(b, law, chunk)
        last.values = list(stepped(b, law, tuple(last.values), x, last.i))
    return tuple(last.values)


def leaf_words(b: Builder, table: Value, leaves: Sequence[Leaf]) -> tuple[list[Value], list[Value], list[Value]]:
    """Addresses, strides along the lanes and strides across, from a kernel's table of leaves."""

    def word(k: int, at: int, elem: str = "i64") -> Value:
        return b.load(elem, b.gep(table, WORDS * k + at, "i64"), 8)

    bases = [word(k, 0, "i64" if leaf.coordinate else "ptr") for k, leaf in enumerate(leaves)]
    return bases, [word(k, 1) for k in range(len(leaves))], [word(k, 2) for k in range(len(leaves))]


def moved(b: Builder, base: Value, step: Value) -> Value:
    """An address, or the start of a coordinate, further by a number of bytes."""
    return base + step if base.type.elem == "i64" else b.gep(base, step)


def prefetch(b: Builder, evaluator: Evaluator, i: Value, distance: int, far: Sequence[Value] = ()) -> None:
    """Ask for what the lanes will read a little later, or `far` bytes further on; a prefetch never faults."""
    b.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    for k in evaluator.loads:
        leaf = evaluator.leaves[k]
        if leaf.kind not in WINDOWS:
            continue
        step = int(leaf.kind) * leaf.itemsize
        at = b.gep(evaluator.pointers[k], i * step)
        for line in range(0, abs(step) * evaluator.lanes, 64):
            way = 1 if step > 0 else -1
            ahead = b.gep(at, far[k] + line * way if far else (distance + line) * way)
            b.do(f"call void @llvm.prefetch.p0(ptr {ahead.name}, i32 0, i32 3, i32 1)")


def whole_or_identity(b: Builder, law: Law, chunk: Chunk) -> State:
    """The chunk's values as the law's steps take them; lanes outside the run become the identity."""
    assert chunk.reg is not None
    x = law.lift(b, chunk.reg)
    if chunk.sure:
        return x
    part, join = b.fresh("part"), b.fresh("join")
    before = b.block
    b.branch_if(chunk.whole, join, part, "no")
    b.label(part)
    masked = masked_by(b, law, x, chunk.inside(b))
    end = b.block
    b.branch(join)
    b.label(join)
    return tuple(b.phi(v.type, (v, before), (w, end)) for v, w in zip(x, masked, strict=True))


def masked_by(b: Builder, law: Law, x: State, mask: Value) -> State:
    """The values where the mask holds, elsewhere the identity."""
    identity = law.start(b, mask.type.lanes, [v.type.elem for v in x])
    return tuple(b.select(mask, v, w) for v, w in zip(x, identity, strict=True))


def stepped(b: Builder, law: Law, state: State, x: State, i: Value) -> State:
    """The state after a chunk of values, taken as many at a time as the state has lanes, in order."""
    lanes, width = state[0].type.lanes, x[0].type.lanes
    for at in range(0, width, lanes):
        piece = x if lanes == width else tuple(b.shuffle(v, range(at, at + lanes)) for v in x)
        index = None
        if law.indexed:
            chunk = i.lshr(lanes.bit_length() - 1)
            index = b.splat(b.cast("trunc", chunk, state[1].type.elem), lanes)
        state = law.step(b, state, piece, index)
    return state


def folded(b: Builder, law: Law, state: State) -> State:
    """All lanes as one; an index, until here that of its chunk, becomes that of the cell."""
    if law.indexed:
        chunk, lanes = state[1], state[1].type.lanes
        number = b.cast("sext" if chunk.type.bits < 32 else "trunc", chunk, "i32")
        state = state[0], number * lanes + b.iota("i32", lanes)
    return law.fold(b, state)


# ---- cells in a buffer
def emit_tile_rows(law: Law) -> Text:
    """Some segments abreast, then the rest one by one."""
    b = Builder()
    m = b.named("i64", "%m")
    together = m & -ABREAST if law.ordered else b.const("i64", 0)
    if law.ordered:
        with b.loop(0, together, ABREAST) as s:
            _tile_segments(b, law, s, ABREAST)
    with b.loop(together, m) as s:
        _tile_segments(b, law, s, 1)
    b.do("ret void")
    return Text(b.module(b.function("rows", TILE_ROWS)), ("rows",))


def _tile_segments(b: Builder, law: Law, s: Value, count: int) -> None:
    parts, n, item = Parts(b, law), b.named("i64", "%n"), law.acc.itemsize
    tile, step = b.named("ptr", "%tile"), b.named("i64", "%step")
    starts = [b.gep(tile, (s + k) * n * item) for k in range(count)]
    states = _tile_pass(b, law, starts, n, None)
    if law.op == "var":
        size = b.cast("fptrunc", b.value(Type("double"), f"sitofp i64 {n.name} to double"), law.lane[0])
        means = [law.fold(b, state)[0] / b.splat(size, 1) for state in states]
        states = _tile_pass(b, law, starts, n, means)
        results = [(mean, *law.fold(b, state)) for mean, state in zip(means, states, strict=True)]
    else:
        base = b.named("i64", "%base")
        results = [law.widen(b, folded(b, law, x), base + (s + k) * step) for k, x in enumerate(states)]
    for k, state in enumerate(results):
        parts.store(state, b.named("i64", "%first") + (s + k))


def _tile_pass(b: Builder, law: Law, starts: list[Value], n: Value, means: list[Value] | None) -> list[State]:
    """The lanes of some segments after all their cells; with `means`, of the squared distances from these."""
    lanes = LANES if law.ordered else memory_lanes(law.acc)
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
    with Carried(b, b.const("i64", 0), whole, lanes, [v for _ in starts for v in first]) as loop:
        loop.values = turn(loop.values, loop.i, None)
    with Carried(b, whole, n, lanes, loop.values) as last:
        left = b.splat(b.cast("trunc", n - whole, "i32"), lanes)
        last.values = turn(last.values, last.i, b.iota("i32", lanes) < left)
    return [tuple(last.values[k : k + len(first)]) for k in range(0, len(last.values), len(first))]


def tile_load(b: Builder, law: Law, at: Value, lanes: int) -> Reg:
    """Cells of the accumulation dtype from memory."""
    leaf = Leaf(law.acc, False, "1")
    return decode(b, load_window(b, at, leaf, lanes), law.acc)
