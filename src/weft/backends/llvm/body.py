"""Evaluates a body for a chunk of lanes: the part of a kernel that maps, reductions and scans share.

The one idea: a loop has one body for whole chunks and for the partial ones at its ends.  Before it, a seldom taken
block copies what a partial chunk may read into stack buffers, and `phi` picks the pointers; cells at other strides are
collected one by one.  So nothing outside the run is ever read, and the arithmetic is compiled once.

What does not change along the lanes is evaluated outside the loop: once a call (`enter`) or once a run (`start`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weft.backends.llvm import scalar
from weft.backends.llvm.registers import Reg, constant, decode, encode, parts, raw_elem
from weft.backends.llvm.registers import scalar as slot_scalar
from weft.backends.llvm.structure import READS, Leaf, needed_steps, operand_number
from weft.backends.llvm.text import Builder, Type, Value
from weft.dtypes import DType
from weft.ir.kernels.plan import Body, Instr

WINDOWS = {str(s): abs(s) for s in (1, -1, 2, -2, 3, -3, 4, -4)}  # kinds read as one stretch of memory; cells a lane
SLOT = 16  # bytes of a run-time scalar
LINE = 64  # bytes of a cache line
CALL, RUN, CHUNK = 0, 1, 2  # how often a step is evaluated


@dataclass(slots=True)
class Chunk:
    """Where a chunk stands: lanes [lo, hi) are inside the run; `whole` (i1) says that all are."""

    i: Value
    lo: Value
    hi: Value
    whole: Value
    lanes: int
    reg: Reg | None = None  # the body's value
    sure: bool = False  # `whole` is known to hold

    def inside(self, b: Builder) -> Value:
        """i1 per lane: inside the run."""
        number = b.iota("i32", self.lanes)
        low, high = (b.splat(b.cast("trunc", v, "i32"), self.lanes) for v in (self.lo, self.hi))
        return (number >= low) & (number < high)


class Evaluator:
    """Emits a body: `enter` once at the function's start, `start` for each run, `chunk` inside the loop.

    >>> e = Evaluator(b, body, leaves, lanes)            # doctest: +SKIP
    >>> e.enter(scalars)                                 # doctest: +SKIP
    >>> e.start(pointers, strides)                       # doctest: +SKIP
    >>> with b.loop(0, n, lanes) as i: reg = e.chunk(i, n).reg   # doctest: +SKIP
    """

    def __init__(self, b: Builder, body: Body, leaves: Sequence[Leaf], lanes: int, targets: Sequence[int] = ()) -> None:
        """`targets` are the leaves that `store` will write; the body must not load them."""
        self.b, self.body, self.leaves, self.lanes = b, body, leaves, lanes
        self.needed = needed_steps(body)
        self.level = _levels(body, leaves)
        self.regs: dict[int, Reg] = {}
        self.loads = sorted({operand_number(i) for k, i in enumerate(body) if k in self.needed and self._is_load(i)})
        self.targets = tuple(targets)
        self.buffers: dict[int, Value] = {}

    def _is_load(self, i: Instr) -> bool:
        """Coordinates may have been written to memory, to be loaded like anything else."""
        return i.op == "load" or (i.op == "coord" and not self.leaves[operand_number(i)].coordinate)

    # ---- outside the loop
    def enter(self, scalars: Value | None) -> None:
        """Once, at the start of the function: stack buffers, run-time scalars, constants and what follows from them."""
        for k in (*self.loads, *self.targets):
            leaf = self.leaves[k]
            if leaf.kind in WINDOWS:
                cells = self.lanes * WINDOWS[leaf.kind] * parts(leaf.dtype)
                self.buffers[k] = self.b.alloca(Type(raw_elem(leaf.dtype), cells))
        self.scalars = scalars
        self._evaluate(CALL, None)

    def start(self, pointers: Sequence[Value], strides: Sequence[Value]) -> None:
        """Once a run: where each leaf's lane 0 lies (an i64 for coordinates), and its byte stride along the lanes."""
        self.pointers, self.strides = pointers, strides
        self._evaluate(RUN, None)

    # ---- inside the loop
    def chunk(self, i: Value, n: Value, head: bool = False) -> Chunk:
        """Evaluate lanes i .. i + lanes - 1 of a run of n; with `head`, i may be negative (lanes before the run)."""
        b = self.b
        end = i + self.lanes
        whole = end <= n
        if head:
            whole = whole & (i >= 0)
        fast, slow, body = b.fresh("whole"), b.fresh("part"), b.fresh("body")
        b.branch_if(whole, fast, slow, "no")
        b.label(fast)
        at = {k: self._window(k, i) for k in self.buffers}
        b.branch(body)
        b.label(slow)
        lo = b.intrinsic("smax", 0 - i, 0) if head else b.const("i64", 0)
        hi = b.intrinsic("smin", n - i, self.lanes)
        for k in self.loads:
            if k in self.buffers:
                self._fill(k, i, lo, hi)
        end_of_slow = b.block
        b.branch(body)
        b.label(body)
        windows = {k: b.phi(Type("ptr"), (at[k], fast), (self.buffers[k], end_of_slow)) for k in at}
        lo = b.phi(Type("i64"), (0, fast), (lo, end_of_slow))
        hi = b.phi(Type("i64"), (self.lanes, fast), (hi, end_of_slow))
        made = Chunk(i, lo, hi, whole, self.lanes)
        self.windows = windows
        self._evaluate(CHUNK, made)
        made.reg = self.regs[len(self.body) - 1]
        return made

    def whole(self, i: Value) -> Chunk:
        """The same where all lanes are known to be inside the run: nothing is asked."""
        b = self.b
        self.windows = {k: self._window(k, i) for k in self.buffers}
        made = Chunk(i, b.const("i64", 0), b.const("i64", self.lanes), b.const("i1", 1), self.lanes, sure=True)
        self._evaluate(CHUNK, made)
        made.reg = self.regs[len(self.body) - 1]
        return made

    def _window(self, k: int, i: Value) -> Value:
        """Where the stretch of memory behind a whole chunk begins."""
        step = int(self.leaves[k].kind)
        first = i if step > 0 else i + (self.lanes - 1)
        return self.b.gep(self.pointers[k], first * (step * self.leaves[k].itemsize))

    def _fill(self, k: int, i: Value, lo: Value, hi: Value) -> None:
        """Copy what lanes [lo, hi) read to where a whole chunk would have it in the buffer."""
        b, leaf = self.b, self.leaves[k]
        step, cells = int(leaf.kind), WINDOWS[leaf.kind]
        item = leaf.itemsize
        b.store(b.const(Type(raw_elem(leaf.dtype), self.lanes * cells * parts(leaf.dtype)), 0), self.buffers[k], 64)
        first = i + lo if step > 0 else i + (hi - 1)
        place = lo if step > 0 else self.lanes - hi
        size = (hi - lo) * (cells * item) - (cells - 1) * item
        copy(b, b.gep(self.buffers[k], place * (cells * item)), b.gep(self.pointers[k], first * (step * item)), size)

    def store(self, k: int, reg: Reg, chunk: Chunk, past_caches: Value | None = None) -> None:
        """Write a chunk's value to the target leaf k, of kind "1", the lanes inside the run only; where the run-time
        flag `past_caches` says so (of runs aligned to LINE), without reading the cache lines that are overwritten."""
        b, leaf = self.b, self.leaves[k]
        cells = join_parts(b, swap(b, encode(b, reg, leaf.dtype), leaf))
        if past_caches is None:
            b.store(cells, self.windows[k])
        else:
            far, near, done = b.fresh("far"), b.fresh("near"), b.fresh("stored")
            b.branch_if(past_caches & chunk.whole, far, near)
            b.label(far)
            b.store(cells, self.windows[k], LINE, past_caches=True)
            b.branch(done)
            b.label(near)
            b.store(cells, self.windows[k])
            b.branch(done)
            b.label(done)
        with b.when(~chunk.whole, rare=True):
            item = leaf.itemsize
            inside = b.gep(self.buffers[k], chunk.lo * item)
            copy(b, b.gep(self.pointers[k], (chunk.i + chunk.lo) * item), inside, (chunk.hi - chunk.lo) * item)

    # ---- steps
    def _evaluate(self, level: int, chunk: Chunk | None) -> None:
        for k, instr in enumerate(self.body):
            if k in self.needed and self.level[k] == level:
                self.regs[k] = self._step(instr, chunk)

    def _step(self, instr: Instr, chunk: Chunk | None) -> Reg:
        b = self.b
        if instr.op == "const":
            return constant(b, instr.attr, instr.dtype, self.lanes)
        if instr.op == "scalar":
            assert self.scalars is not None and isinstance(instr.attr, int)
            return slot_scalar(b, b.gep(self.scalars, SLOT * instr.attr), instr.dtype, self.lanes)
        if instr.op in READS:
            operand = operand_number(instr)
            if self._is_load(instr):
                return self._load(operand, chunk)
            if instr.op == "coord":
                return self._index(operand, chunk)
            return self._gather(operand, self.regs[instr.args[0]], chunk)
        kinds = [self.body[j].dtype for j in instr.args]
        return scalar.apply(b, instr.op, instr.attr, [self.regs[j] for j in instr.args], kinds, instr.dtype)

    def _index(self, k: int, chunk: Chunk | None) -> Value:
        """pointer + stride · index as an i64 per lane (of a coordinate, the pointer is its start)."""
        b = self.b
        base = b.splat(self.pointers[k], self.lanes)
        return base if chunk is None or self.leaves[k].kind == "0" else base + self._far(k, chunk)

    def _far(self, k: int, chunk: Chunk) -> Value:
        """Byte offsets from the run's first cell, as i64 lanes."""
        b = self.b
        stride = self.strides[k]
        return b.splat(chunk.i * stride, self.lanes) + b.iota("i64", self.lanes) * b.splat(stride, self.lanes)

    def _load(self, k: int, chunk: Chunk | None) -> Reg:
        leaf, b = self.leaves[k], self.b
        if chunk is None or leaf.kind == "0":
            raw = uniform_cell(b, self.pointers[k], leaf.dtype, self.lanes)
        elif leaf.kind in WINDOWS:
            raw = load_window(b, self.windows[k], leaf, self.lanes)
        else:
            raw = self._strided(k, leaf, chunk)
        return decode(b, swap(b, raw, leaf), leaf.dtype)

    def _strided(self, k: int, leaf: Leaf, chunk: Chunk) -> tuple[Value, ...]:
        """Cells at any stride, collected one by one: no slower than gather instructions, and little code."""
        b, stride = self.b, self.strides[k]
        first = b.gep(self.pointers[k], chunk.i * stride)
        return collect(b, lambda t: b.gep(first, t * stride), leaf.dtype, self.lanes, chunk.lo, chunk.hi)

    def _gather(self, k: int, offset: Reg, chunk: Chunk | None) -> Reg:
        b, leaf = self.b, self.leaves[k]
        assert isinstance(offset, Value)
        if chunk is None:
            raw = uniform_cell(b, b.gep(self.pointers[k], b.extract(offset, 0)), leaf.dtype, self.lanes)
            return decode(b, swap(b, raw, leaf), leaf.dtype)
        if leaf.kind != "0":
            offset = offset + self._far(k, chunk)
        offsets = b.alloca(offset.type)
        b.store(offset, offsets, 64)

        def place(t: Value) -> Value:
            return b.gep(self.pointers[k], b.load("i64", b.gep(offsets, t, "i64"), 8))

        raw = collect(b, place, leaf.dtype, self.lanes, chunk.lo, chunk.hi)
        return decode(b, swap(b, raw, leaf), leaf.dtype)


def _levels(body: Body, leaves: Sequence[Leaf]) -> list[int]:
    """How often each step must be evaluated: once a CALL, once a RUN or for every CHUNK."""
    levels: list[int] = []
    for instr in body:
        level = max((levels[j] for j in instr.args), default=CALL)
        if instr.op in READS:
            level = max(level, RUN if leaves[operand_number(instr)].kind == "0" else CHUNK)
        levels.append(level)
    return levels


# ---- cells of memory
def copy(b: Builder, target: Value, source: Value, size: Value) -> None:
    """memcpy of a run-time number of bytes."""
    b.declarations.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    b.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target.name}, ptr {source.name}, i64 {size.name}, i1 false)")


def move(b: Builder, target: Value, source: Value, size: Value) -> None:
    """memmove of a run-time number of bytes."""
    b.declarations.add("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)")
    b.do(f"call void @llvm.memmove.p0.p0.i64(ptr {target.name}, ptr {source.name}, i64 {size.name}, i1 false)")


def swap(b: Builder, raw: tuple[Value, ...], leaf: Leaf) -> tuple[Value, ...]:
    """Raw integers between the leaf's byte order and the machine's."""
    if not leaf.swapped or raw[0].type.elem == "i8":
        return raw
    return tuple(b.intrinsic("bswap", r) for r in raw)


def part_bytes(dtype: DType) -> int:
    return dtype.itemsize // parts(dtype)


def uniform_cell(b: Builder, pointer: Value, dtype: DType, lanes: int) -> tuple[Value, ...]:
    """One cell in every lane."""
    where = [b.gep(pointer, p * part_bytes(dtype)) if p else pointer for p in range(parts(dtype))]
    return tuple(b.splat(b.load(raw_elem(dtype), w), lanes) for w in where)


def load_window(b: Builder, window: Value, leaf: Leaf, lanes: int) -> tuple[Value, ...]:
    """A whole chunk of a leaf that is read as one stretch of memory, whose lowest cell lies at `window`."""
    order = range(lanes) if int(leaf.kind) > 0 else range(lanes - 1, -1, -1)
    raw = raw_elem(leaf.dtype)
    if parts(leaf.dtype) == 2:
        both = b.load(Type(raw, 2 * lanes), window)
        return tuple(b.shuffle(both, [2 * t + p for t in order]) for p in (0, 1))
    step = WINDOWS[leaf.kind]
    # whole vectors, the last of which ends with the last cell used
    starts = [min(k * lanes, (lanes - 1) * step + 1 - lanes) for k in range(step)]
    vectors = [b.load(Type(raw, lanes), b.gep(window, start * leaf.itemsize)) for start in starts]
    if leaf.kind == "1":
        return (vectors[0],)
    cells = [t * step for t in order]
    made = vectors[0]
    picks = cells  # for each lane, where it is in `made`, or once the vectors so far do not reach it, anything
    for start, vector in zip(starts, vectors, strict=True):
        here = [lanes + c - start if 0 <= c - start < lanes else p for c, p in zip(cells, picks, strict=True)]
        made = b.shuffle(made, [min(p, 2 * lanes - 1) for p in here], vector)
        picks = list(range(lanes))
    return (made,)


def collect(
    b: Builder, place: Callable[[Value], Value], dtype: DType, lanes: int, lo: Value, hi: Value
) -> tuple[Value, ...]:
    """Lanes [lo, hi) from one cell each, at place(lane); the other lanes hold anything."""
    raw = raw_elem(dtype)
    cells = [b.alloca(Type(raw, lanes)) for _ in range(parts(dtype))]
    with b.loop(lo, hi) as t:
        at = place(t)
        for p, held in enumerate(cells):
            part = b.gep(at, p * part_bytes(dtype)) if p else at
            b.store(b.load(raw, part), b.gep(held, t, raw))
    return tuple(b.load(Type(raw, lanes), held, 64) for held in cells)


def join_parts(b: Builder, raw: Sequence[Value]) -> Value:
    """(re, im) vectors as one vector of cells in memory order; a single part as it is."""
    if len(raw) == 1:
        return raw[0]
    lanes = raw[0].type.lanes
    return b.shuffle(raw[0], [x for t in range(lanes) for x in (t, lanes + t)], raw[1])
