"""Evaluates a body for some lanes at a time: the part of a kernel that maps, reductions and scans share.

Terms: a *run* is a row of cells that the lanes go along; a *chunk* is as many of its cells as there are lanes, a last
one perhaps *partial*; a *window* is the stretch of memory that a chunk reads of a leaf.  The one idea: a loop has one
body for whole chunks and for partial ones.  Before it, a seldom taken block moves what a partial chunk may read into
stack buffers, and `phi` picks the pointers; cells at other strides are collected one by one.  So nothing outside the
run is ever read, and the arithmetic is compiled once.

What does not change along the lanes is evaluated outside the loop: once a call (`_enter`) or once a run (`start`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field

from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.nest.cell_vectors import (
    WINDOWS,
    collect,
    interleaved,
    load_rows,
    load_window,
    part_bytes,
    picked,
    uniform_cell,
)
from weft.backends.llvm.nest.structure import READS, Leaf, Structure, needed_steps, operand_number
from weft.backends.llvm.steps.emitters import apply
from weft.backends.llvm.steps.registers import Reg, constant, decode, encode, part_count, raw_elem, swap
from weft.backends.llvm.steps.registers import scalar as slot_scalar
from weft.backends.llvm.steps.shared_operands import SharedOperand, shared_operand
from weft.ir.kernels.plan import Body, Instr

SLOT = 16  # bytes of the slot of a run-time scalar
WORDS = 3  # words of a leaf in a kernel's table: address, byte stride along the lanes, byte stride from row to row
OFFSETS = frozenset(["load", "coord", "scalar", "const", "astype", "multiply", "add"])  # ops of simple offsets
SIMPLE = 12  # most steps of a simple offset
CALL, RUN, CHUNK = 0, 1, 2  # whether a step is evaluated once a call, once a run or once a chunk


@dataclass(slots=True)
class Chunk:
    """A chunk of a run: cells i to i + lanes - 1, of which the first `count` exist.

    `full_chunk` is an i1, true if all exist.
    """

    i: Value
    count: Value
    full_chunk: Value
    lanes: int
    sure: bool = False  # `full_chunk` is known to hold
    partial: bool = False  # `full_chunk` is known not to hold
    reg: Reg = field(init=False)  # the body's value

    def inside(self, b: Builder) -> Value:
        """Return an i1 for each lane, true if its cell is inside the run."""
        return inside(b, self.lanes, self.count)


def inside(b: Builder, lanes: int, count: Value, at_end: bool = False) -> Value:
    """Return an i1 for each of `lanes` lanes, true in the first `count`, or in the last if `at_end`."""
    number = b.iota("i32", lanes, lanes - 1, -1) if at_end else b.iota("i32", lanes)
    return number < b.splat(b.cast("trunc", count, "i32"), lanes)


class LeafTable:
    """The table that a kernel is called with: for each leaf an address and two byte strides.

    They are the strides along the lanes and from row to row.
    """

    def __init__(self, b: Builder, leaves: Sequence[Leaf]) -> None:
        self.b = b
        self.bases = [self._word(k, 0, "i64" if leaf.coordinate else "ptr") for k, leaf in enumerate(leaves)]
        self.along, self.across = ([self._word(k, at) for k in range(len(leaves))] for at in (1, 2))

    def _word(self, k: int, at: int, elem: str = "i64") -> Value:
        return self.b.load(elem, self.b.gep(self.b["L"], WORDS * k + at, "i64"), 8)

    def row(self, r: Value) -> list[Value]:
        """Return the start of row r for each leaf: an address, or for a coordinate its first number."""
        steps = zip(self.bases, self.across, strict=True)
        return [p + r * s if p.type.elem == "i64" else self.b.gep(p, r * s) for p, s in steps]


class Evaluator:
    """The emitter of a body for a kernel: code per call, per run and per chunk of a run.

    >>> e = Evaluator(b, structure)                      # doctest: +SKIP
    >>> e.start(row)                                     # doctest: +SKIP
    >>> with b.loop(0, n, lanes) as i: reg = e.chunk(i, n).reg   # doctest: +SKIP
    """

    def __init__(
        self, b: Builder, structure: Structure, targets: Sequence[int] = (), table: LeafTable | None = None,
        results: Sequence[int] = (),
    ) -> None:  # fmt: skip
        """Emit code that runs once per call of the kernel.

        `targets` are the leaves that `store` will write; `table` may be shared with other evaluators of the function.
        `results` are the steps whose values are wanted, by default the last.
        """
        self.b, self.body, self.leaves, self.lanes = b, structure.body, structure.leaves, structure.lanes
        self.table = table or LeafTable(b, self.leaves)
        self.strides = self.table.along
        self.needed = needed_steps(self.body, results)
        self.level = _levels(self.body, self.leaves)
        self.shared = _shared(self.body, self.level)
        self.moved = _table_steps(self.body, self.leaves, self.level, self.needed)
        self.regs: dict[int, Reg] = {}
        self.row_values: dict[int, Reg] = {}  # set before `start`, by number
        self.given: dict[int, tuple[Value, ...]] = {}  # the raw cells of leaves that are loaded elsewhere
        self.loads = sorted(
            {operand_number(i) for k, i in enumerate(self.body) if k in self.needed and self._is_load(i)}
        )
        self.buffers: dict[int, Value] = {}
        self.offsets = self._lane_offsets() if self.lanes > 1 else {}
        gathered = {k for offset in self.offsets.values() for k in offset.loads}  # are read cell by cell
        self.masked = {k for k in self.loads if self.leaves[k].is_masked} - gathered
        self._enter(targets)

    @property
    def repeated(self) -> Body:
        """The steps that are evaluated for every chunk; a gather that reads cells that touch is a load."""
        steps = [(i, self._is_load(i)) for i, level in zip(self.body, self.level, strict=True) if level == CHUNK]
        return tuple([i._replace(op="load") if is_load else i for i, is_load in steps])

    def _is_load(self, i: Instr) -> bool:
        """True if a step loads cells from memory; a coordinate does if it was written to a buffer before."""
        if i.op == "gather":
            return operand_number(i) in self.moved
        return i.op == "load" or (i.op == "coord" and not self.leaves[operand_number(i)].coordinate)

    def _lane_offsets(self) -> dict[int, Evaluator]:
        """Return {step: evaluator of one lane}, for the gathers whose offsets a few plain steps compute from loads.

        Numbers that are loaded one by one become addresses without being taken out of a vector.
        """
        found = {}
        for k, instr in enumerate(self.body):
            gathers = instr.op == "gather" and self.level[k] == CHUNK and self.leaves[operand_number(instr)].kind == "0"
            if gathers and k in self.needed and _is_simple(body := self.body[: instr.args[0] + 1], self.leaves):
                found[k] = Evaluator(self.b, Structure(body, self.leaves, 1), table=self.table)
        return found

    # ---- outside the loop
    def _enter(self, targets: Sequence[int]) -> None:
        """Emit the stack buffers, and the steps that depend only on constants and run-time scalars.

        `targets` are the leaves that are written.
        """
        for k in (*self.loads, *targets):
            leaf = self.leaves[k]
            if leaf.kind in WINDOWS or k in targets or (leaf.turn and leaf.turn.first == k):
                cells = self.lanes * abs(leaf.turn.count if leaf.turn else int(leaf.kind)) * part_count(leaf.dtype)
                self.buffers[k] = self.b.alloca(Type(raw_elem(leaf.dtype), cells))
        self._evaluate(CALL, None)

    def start(self, row: Value) -> None:
        """Emit code that runs once per row: addresses of row `row`, and steps that are constant along it."""
        self.pointers = self.table.row(row)
        for offset in self.offsets.values():
            offset.start(row)
        self._evaluate(RUN, None)
        for k, offset in self.moved.items():
            self.pointers[k] = self.b.gep(self.pointers[k], self.b.extract(self.regs[offset], 0))

    # ---- inside the loop
    def chunk(self, i: Value, n: Value) -> Chunk:
        """Return the chunk at cell i of a run of n cells, with the body's value in `reg`.

        Cells outside the run are not read.
        """
        b, lanes = self.b, self.b.const("i64", self.lanes)
        whole = i + self.lanes <= n

        def windows() -> list[Value]:
            return [*(self._window(k, i) for k in self.buffers), lanes]

        def copies() -> list[Value]:
            left = b.smin(n - i, lanes)
            self._fill_buffers(i, left)
            return [*self.buffers.values(), left]

        *places, count = b.choose(whole, windows, copies, "no")
        self.windows = dict(zip(self.buffers, places, strict=True))
        return self._evaluated(Chunk(i, count, whole, self.lanes))

    def full_chunk(self, i: Value) -> Chunk:
        """Return the chunk at cell i, all of whose cells must exist, with the body's value in `reg`."""
        b = self.b
        self.windows = self.places(i)
        return self._evaluated(Chunk(i, b.const("i64", self.lanes), b.const("i1", 1), self.lanes, sure=True))

    def partial_chunk(self, i: Value, n: Value) -> Chunk:
        """Return the value in `reg` as the chunk at cell i of a run that ends inside, at cell n."""
        b, left = self.b, n - i
        self._fill_buffers(i, left, self.masked)
        self.windows = self.buffers | {k: self._window(k, i) for k in self.masked}
        return self._evaluated(Chunk(i, left, b.const("i1", 0), self.lanes, partial=True))

    def _evaluated(self, chunk: Chunk) -> Chunk:
        """Return the chunk with the body's value for it in `reg`."""
        if any(self.leaves[k].turn for k in self.loads):
            self._load_shared_rows()
        self._evaluate(CHUNK, chunk)
        chunk.reg = self.regs[len(self.body) - 1]
        return chunk

    def _load_shared_rows(self) -> None:
        """Emit loads of the rows that several leaves share, whose cells are then dealt out to these."""
        dealt = {}
        for k in self.loads:
            if turn := self.leaves[k].turn:
                if turn.first not in dealt:
                    leaf = self.leaves[k]
                    dealt[turn.first] = load_rows(self.b, self.windows[turn.first], leaf.dtype, self.lanes, turn.count)
                self.given[k] = dealt[turn.first][turn.number]

    def places(self, i: Value) -> dict[int, Value]:
        """Return, by leaf that has a buffer, the lowest address that the whole chunk at cell i reads or writes."""
        return {k: self._window(k, i) for k in self.buffers}

    def _window(self, k: int, i: Value) -> Value:
        """Return the lowest address that the whole chunk at cell i reads of leaf k."""
        leaf = self.leaves[k]
        step = leaf.turn.count if leaf.turn else int(leaf.kind)
        first = i if step > 0 else i + (self.lanes - 1)
        return self.b.gep(self.pointers[k], first * (step * leaf.itemsize))

    def _fill_buffers(self, i: Value, count: Value, without: Container[int] = ()) -> None:
        """Emit code that copies all cells that the chunk at cell i reads, `count` of which exist, to stack buffers.

        The leaves `without` are left out.
        """
        for k in self.loads:
            if k in self.buffers and k not in without:
                self._fill(k, i, count)

    def _fill(self, k: int, i: Value, count: Value) -> None:
        """Emit code that copies the cells that a partial chunk reads of leaf k to its stack buffer.

        The chunk has `count` cells from cell i on.
        """
        b, leaf = self.b, self.leaves[k]
        step = leaf.turn.count if leaf.turn else int(leaf.kind)
        cells = abs(step)
        item = leaf.itemsize
        line = Type(raw_elem(leaf.dtype), self.lanes * cells * part_count(leaf.dtype))
        rest = b.const(line, 0)
        gathers = any(k in offset.loads for offset in self.offsets.values())
        if gathers:  # lanes outside the run gather what the first one does
            rest = b.splat(b.load(line.elem, b.gep(self.pointers[k], i * item)), line.lanes)
        if leaf.is_masked:
            mask = inside(b, line.lanes, count * part_count(leaf.dtype), at_end=step < 0)
            found = b.masked_load(line, self._window(k, i), mask)
            b.store(b.select(mask, found, rest) if gathers else found, self.buffers[k], 64)
            return
        b.store(rest, self.buffers[k], 64)
        first = i if step > 0 else i + (count - 1)
        place = 0 if step > 0 else (self.lanes - count) * (cells * item)
        size = count * (cells * item) - (0 if leaf.turn else (cells - 1) * item)
        b.copy(b.gep(self.buffers[k], place), b.gep(self.pointers[k], first * (step * item)), size)

    def store(self, k: int, reg: Reg, chunk: Chunk, past_caches: Value | None = None) -> None:
        """Emit code that writes a chunk's value to target leaf k, in the lanes inside the run.

        The leaf has kind "1", or that of the number of cells that the body interleaves.  Where the run-time flag
        `past_caches` holds, aligned whole cache lines are written without reading them first.
        """
        b, leaf = self.b, self.leaves[k]
        cells = interleaved(b, swap(b, encode(b, reg, leaf.dtype), leaf.swapped))
        if chunk.partial:
            self._store_partial(k, cells, chunk, past_caches)
            return
        if past_caches is None:
            self._put(k, cells)
        else:
            with b.when(past_caches if chunk.sure else past_caches & chunk.full_chunk):
                self._put(k, cells, PROCESSOR.line, past_caches=True)
            with b.otherwise():
                self._put(k, cells)
        if not chunk.sure:
            with b.when(~chunk.full_chunk, rare=True):
                self._store_partial(k, cells, chunk, past_caches)

    def _store_partial(self, k: int, cells: Value, chunk: Chunk, past_caches: Value | None = None) -> None:
        """Emit code that writes the cells of a partial chunk, which lie in the leaf's stack buffer if not masked.

        Where the run-time flag `past_caches` holds they are copied, as masked stores wait for those past the caches.
        """
        b, leaf = self.b, self.leaves[k]
        item = leaf.itemsize * int(leaf.kind)
        to = b.gep(self.pointers[k], chunk.i * item)

        def copy() -> None:
            if chunk.partial:
                self._put(k, cells)
            b.copy(to, self.buffers[k], chunk.count * item)

        if not leaf.is_masked:
            copy()
        elif past_caches is None:
            b.masked_store(cells, to, inside(b, cells.type.lanes, chunk.count * part_count(leaf.dtype)))
        else:
            with b.when(past_caches, rare=True):
                copy()
            with b.otherwise():
                self._store_partial(k, cells, chunk)

    def _put(self, k: int, cells: Value, align: int = 1, past_caches: bool = False) -> None:
        """Emit stores of a vector's first cells, as many as leaf k owns, to the window of the leaf.

        `align` is the alignment of the address; with `past_caches` whole lines are written past the caches.
        """
        b, leaf, width = self.b, self.leaves[k], int(self.leaves[k].kind)
        size = self.lanes * part_count(leaf.dtype)
        if cells.type.lanes == width * size:
            b.store(cells, self.windows[k], align, past_caches=past_caches)
            return
        for first in range(0, width * size, size):
            place = b.gep(self.windows[k], first * part_bytes(leaf.dtype))
            b.store(b.shuffle(cells, range(first, first + size)), place, align, past_caches=past_caches)

    # ---- steps
    def _evaluate(self, level: int, chunk: Chunk | None) -> None:
        for k, instr in enumerate(self.body):
            if k not in self.needed:
                continue
            if self.level[k] == level:
                self.regs[k] = self._step(k, instr, chunk)
            elif k in self.shared and self.level[self.shared[k].operand] == level:
                shared = self.shared[k]
                shared.prepared = shared.emitters.prepare(self.b, self.regs[shared.operand])

    def _step(self, k: int, instr: Instr, chunk: Chunk | None) -> Reg:
        b = self.b
        if k in self.shared:
            shared = self.shared[k]
            (x,) = [self.regs[j] for j in instr.args if j != shared.operand]
            return shared.emitters.apply(b, x, shared.prepared)
        if instr.op == "const":
            return constant(b, instr.attr, instr.dtype, self.lanes)
        if instr.op == "scalar":
            assert isinstance(instr.attr, int)
            return slot_scalar(b, b.gep(b["S"], SLOT * instr.attr), instr.dtype, self.lanes)
        if instr.op == "row_value":
            assert isinstance(instr.attr, int)
            return self.row_values[instr.attr]
        if instr.op in READS:
            operand = operand_number(instr)
            if self._is_load(instr):
                return self._load(operand, chunk)
            if instr.op == "coord":
                return self._index(operand, chunk)
            if k in self.offsets:
                return self._gather_lanes(operand, self.offsets[k])
            return self._gather(operand, self.regs[instr.args[0]], chunk)
        if instr.op == "interleave":
            return interleaved(b, [self.regs[j] for j in instr.args])
        kinds = [self.body[j].dtype for j in instr.args]
        return apply(b, instr.op, instr.attr, [self.regs[j] for j in instr.args], kinds, instr.dtype)

    def _index(self, k: int, chunk: Chunk | None) -> Value:
        """Return the address of leaf k's cell (of a coordinate, its number) in each lane, as i64."""
        b = self.b
        base = b.splat(self.pointers[k], self.lanes)
        return base if chunk is None or self.leaves[k].kind == "0" else base + self._table_offsets(k, chunk)

    def _table_offsets(self, k: int, chunk: Chunk) -> Value:
        """Return for each lane the byte offset of leaf k's cell from the run's first cell, as i64."""
        b = self.b
        stride = self.strides[k]
        return b.splat(chunk.i * stride, self.lanes) + b.iota("i64", self.lanes) * b.splat(stride, self.lanes)

    def _load(self, k: int, chunk: Chunk | None) -> Reg:
        leaf, b = self.leaves[k], self.b
        if chunk is None or leaf.kind == "0":
            raw = uniform_cell(b, self.pointers[k], leaf.dtype, self.lanes)
        elif k in self.given:
            raw = self.given[k]
        elif leaf.kind in WINDOWS:
            raw = load_window(b, self.windows[k], leaf, self.lanes, self._inside(k, chunk))
        else:
            raw = self._strided(k, leaf, chunk)
        return decode(b, swap(b, raw, leaf.swapped), leaf.dtype)

    def _inside(self, k: int, chunk: Chunk) -> Callable[[Type, Value], Value] | None:
        """Return what loads the cells of a masked leaf that are inside a partial chunk; None for other loads."""
        if not chunk.partial or k not in self.masked:
            return None
        b, leaf = self.b, self.leaves[k]
        count, at_end = chunk.count * part_count(leaf.dtype), int(leaf.kind) < 0
        return lambda type, at: b.masked_load(type, at, inside(b, type.lanes, count, at_end))

    def _strided(self, k: int, leaf: Leaf, chunk: Chunk) -> tuple[Value, ...]:
        """Return the cells of leaf k, at any stride, loaded one by one.

        That is no slower than gather instructions, and less code.
        """
        b, stride = self.b, self.strides[k]
        first = b.gep(self.pointers[k], chunk.i * stride)
        return collect(b, lambda t: b.gep(first, t * stride), leaf.dtype, self.lanes, chunk.count)

    def _gather_lanes(self, k: int, offset: Evaluator) -> Reg:
        """Return the cells of leaf k at the offsets that an evaluator of one lane gives."""
        b, leaf = self.b, self.leaves[k]
        windows = [
            {j: b.gep(self.windows[j], t * self.leaves[j].itemsize) for j in offset.buffers} for t in range(self.lanes)
        ]
        raw = picked(b, self.pointers[k], [offset.single(at) for at in windows], leaf.dtype)
        return decode(b, swap(b, raw, leaf.swapped), leaf.dtype)

    def single(self, windows: dict[int, Value]) -> Value:
        """Return the body's value in the only lane, for leaves that lie at `windows`."""
        self.windows = windows
        b = self.b
        reg = self._evaluated(Chunk(b.const("i64", 0), b.const("i64", 1), b.const("i1", 1), 1, sure=True)).reg
        assert isinstance(reg, Value)
        return b.extract(reg, 0)

    def _gather(self, k: int, offset: Reg, chunk: Chunk | None) -> Reg:
        b, leaf = self.b, self.leaves[k]
        assert isinstance(offset, Value)
        if chunk is None:
            raw = uniform_cell(b, b.gep(self.pointers[k], b.extract(offset, 0)), leaf.dtype, self.lanes)
            return decode(b, swap(b, raw, leaf.swapped), leaf.dtype)
        if leaf.kind != "0":
            offset = offset + self._table_offsets(k, chunk)
        if not chunk.sure:  # lanes outside the run read what the first one does
            offset = b.select(chunk.inside(b), offset, b.splat(b.extract(offset, 0), self.lanes))
        raw = picked(b, self.pointers[k], [b.extract(offset, t) for t in range(self.lanes)], leaf.dtype)
        return decode(b, swap(b, raw, leaf.swapped), leaf.dtype)


def _is_simple(body: Body, leaves: Sequence[Leaf]) -> bool:
    """True if a body is a few steps on integers that touch along the lanes or are constant along them."""
    steps = [body[k] for k in needed_steps(body)]
    reads = [(i.op, leaves[operand_number(i)]) for i in steps if i.op in READS]
    near = all(leaf.kind == "0" or (op == "load" and leaf.kind == "1") for op, leaf in reads)
    return near and len(steps) <= SIMPLE and all(i.op in OFFSETS for i in steps)


def _levels(body: Body, leaves: Sequence[Leaf]) -> list[int]:
    """Return for each step how often it is evaluated: CALL (once a call), RUN (once a run) or CHUNK."""
    levels: list[int] = []
    for instr in body:
        level = max((levels[j] for j in instr.args), default=RUN if instr.op == "row_value" else CALL)
        if instr.op in READS:
            level = max(level, RUN if leaves[operand_number(instr)].kind == "0" else CHUNK)
        levels.append(level)
    return levels


@dataclass(slots=True)
class _Shared:
    """A step with an operand that is evaluated less often: its emitters, that operand's step, the prepared values."""

    emitters: SharedOperand
    operand: int
    prepared: tuple[Value, ...] = ()


def _shared(body: Body, levels: Sequence[int]) -> dict[int, _Shared]:
    """Return, by number, the steps of a body with an operand that is evaluated less often than they are."""
    found = {}
    for k, instr in enumerate(body):
        alike = len(instr.args) == 2 and all(body[j].dtype is instr.dtype for j in instr.args)
        if alike and (how := shared_operand(instr.op, instr.dtype)) is not None:
            x, y = instr.args
            if levels[y] < levels[x]:
                found[k] = _Shared(how, y)
            elif levels[x] < levels[y] and how.symmetric:
                found[k] = _Shared(how, x)
    return found


def _table_steps(body: Body, leaves: Sequence[Leaf], levels: Sequence[int], needed: Container[int]) -> dict[int, int]:
    """Return {leaf: step} for leaves that one needed step alone reads, at a computed offset, constant along a run.

    The step given is that which computes the offset.  In a run, such a leaf is read like any other, from its address
    plus the offset.
    """
    readers: dict[int, list[Instr]] = {}
    for k, instr in enumerate(body):
        if k in needed and instr.op in READS:
            readers.setdefault(operand_number(instr), []).append(instr)
    return {
        k: found[0].args[0]
        for k, found in readers.items()
        if len(found) == 1 and found[0].op == "gather" and leaves[k].kind == "1" and levels[found[0].args[0]] < CHUNK
    }
