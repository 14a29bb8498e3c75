"""The kernel of a chain of passes over a row, and its task, which the driver of maps runs.

The one idea: all passes go over one row, then over the next.  Cells that a pass reduces are folded in registers at the
end of each block of a row, and the result becomes a register that later passes read; only results that leave the chain,
and cells that a later pass needs, are stored.
"""

from __future__ import annotations

from collections.abc import Container

from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.folds.laws import BLOCK, Law, Planes, State, encoded, law_of
from weft.backends.llvm.folds.partials import Cover, fold_entries
from weft.backends.llvm.folds.reduce_rows import folded, over_chunks, stepped, whole_or_identity
from weft.backends.llvm.folds.row_chain import ENTRIES, NO_LEAF, PassFold, RowChain, RowPass
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import KernelTask, table_of
from weft.backends.llvm.nest import map_tables
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.evaluator import Chunk, Evaluator, LeafTable
from weft.backends.llvm.nest.map_driver import HEAD, map_driver
from weft.backends.llvm.nest.map_kernel import PARAMETERS, PAST_CACHES, SHORT
from weft.backends.llvm.nest.structure import Structure
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import Reg, encode, swap

AHEAD = 4096  # bytes between a load of the first pass and the prefetch beside it
PITCH = 8 * ENTRIES


@compiled("chain", PARAMETERS)
def chain_kernel(b: Builder, chain: RowChain) -> None:
    """Emit the kernel that computes m rows of n cells, all passes of the chain for each row.

    In its table, the third word of a leaf is the bytes from row to row.
    """
    table, values = LeafTable(b, chain.leaves), dict[int, Reg]()
    passes = [_PassEmitter(b, chain, p, table, values) for p in chain.passes]
    with b.loop(0, b["m"]) as row:
        for p in passes:
            p.emit(row)
    for past in [past for p in passes for past in p.past.values()]:
        with b.when(past):  # the stores must be visible before the end of the kernel is announced
            b.emit(PROCESSOR.after_past_caches)


class _PassEmitter:
    """The emitter of one pass over a row.

    Its constructor emits code that runs once in each call of the kernel.
    """

    def __init__(self, b: Builder, chain: RowChain, p: RowPass, table: LeafTable, values: dict[int, Reg]) -> None:
        self.b, self.chain, self.here, self.values = b, chain, p, values
        self.maps = [s for s in p.stored if s.value < 0]
        targets = [s.leaf for s in self.maps]
        structure = Structure(tuple(p.body), chain.leaves, chain.lanes)
        results = [x.step for x in (*p.folds, *p.stored)]
        self.evaluator = Evaluator(b, structure, targets, table, results)
        self.sums = {(f.step, _lane_law(f.law)): f.step for f in p.folds}  # of a mean and a variance, one
        self.spreads = [f for f in p.folds if f.law.op == "var"]
        self.squares = Evaluator(b, structure, (), table, [f.step for f in self.spreads]) if self.spreads else None
        for e in (self.evaluator, self.squares):
            if e is not None:
                e.row_values = values
        self.past = {k: table.along[k].eq(PAST_CACHES) for k in targets if self._can_bypass_cache(k)}
        self.parts = {
            f.value: Planes(b, f.law.part_types, b.alloca("i8", 2 * PITCH), b.const("i64", PITCH)) for f in p.folds
        }
        self.simple = cost.of_body(tuple(p.body)) <= SHORT * cost.CELL

    def _can_bypass_cache(self, k: int) -> bool:
        return self.chain.lanes * self.chain.leaves[k].itemsize % PROCESSOR.line == 0

    def emit(self, row: Value) -> None:
        """Emit the code of the pass for one row, whose number is `row`."""
        b, n = self.b, self.b["n"]
        self.evaluator.start(row)
        for s in self.here.stored:
            if s.value >= 0:
                self.values[s.value] = self.evaluator.regs[s.step]
                if s.leaf != NO_LEAF:
                    leaf = self.chain.leaves[s.leaf]
                    self._write(s.leaf, swap(b, encode(b, self.values[s.value], leaf.dtype), leaf.swapped))
        if not (self.maps or self.here.folds):
            return
        aligned = {k: past & self._has_whole_lines(k) for k, past in self.past.items()}
        if not self.here.folds:
            self._cell_loop(self.evaluator, (b.const("i64", 0), n), [], aligned)
            return
        with b.loop(0, n, BLOCK) as start:
            self._block(row, start, b.smin(start + BLOCK, n), aligned)
        for f in self.here.folds:
            self._finish(f, n)

    def _has_whole_lines(self, k: int) -> Value:
        """Return an i1, true if the current row of leaf k begins and ends with a cache line."""
        size, address = self.b["n"] * self.chain.leaves[k].itemsize, self.evaluator.pointers[k]
        return ((self.b.cast("ptrtoint", address, "i64") | size) & (PROCESSOR.line - 1)).eq(0)

    # ---- blocks
    def _block(self, row: Value, start: Value, end: Value, aligned: dict[int, Value]) -> None:
        """Emit the reductions and maps of cells `start` to `end` of a row; stores partial results for the block.

        `aligned` holds, for each leaf that may be written past the caches, an i1 that is true if it is.
        """
        b, entry = self.b, start.lshr(BLOCK.bit_length() - 1)
        first = [law.start(b, law.lanes(self.chain.lanes), law.numbered(self.chain.lanes)) for _, law in self.sums]
        values = self._cell_loop(self.evaluator, (start, end), [v for s in first for v in s], aligned)
        states = dict(zip(self.sums, _split(values, first), strict=True))
        means: dict[int, State] = {}
        for f in self.here.folds:
            law, state = _lane_law(f.law), states[f.step, _lane_law(f.law)]
            one = law.widen(b, folded(b, law, state), start)
            if f.law.op == "var":
                size = b.cast("fptrunc", b.cast("sitofp", end - start, "double"), one[0].type.elem)
                means[f.value] = (one[0] / b.splat(size, 1),)
            else:
                self.parts[f.value].store(one, entry)
        if self.squares is None:
            return
        self.squares.start(row)
        zeros = [f.law.start(b, f.law.lanes(self.chain.lanes)) for f in self.spreads]

        def turn(values: list[Value], chunk: Chunk) -> list[Value]:
            made: list[Value] = []
            for f, state in zip(self.spreads, _split(values, zeros), strict=True):
                x = self.squares.regs[f.step]
                d = x - b.splat(b.extract(means[f.value][0], 0), x.type.lanes)
                made += stepped(b, f.law, state, whole_or_identity(b, f.law, chunk, d * d), chunk.i)
            return made

        values = over_chunks(b, self.squares, (start, end), [v for s in zeros for v in s], turn, self.simple)
        for f, state in zip(self.spreads, _split(values, zeros), strict=True):
            self.parts[f.value].store((*means[f.value], *f.law.fold(b, state)), entry)

    def _cell_loop(
        self, evaluator: Evaluator, run: tuple[Value, Value], values: list[Value], aligned: dict[int, Value]
    ) -> list[Value]:
        """Emit a loop over the cells from run[0] to run[1] that maps and reduces them.

        Returns the values of the reductions' states after the loop; `values` are those before it.  `aligned` holds, for
        each leaf that may be written past the caches, an i1 that is true if it is.
        """
        b, widths = self.b, [(step, law, len(law.lane)) for step, law in self.sums]

        def turn(values: list[Value], chunk: Chunk) -> list[Value]:
            made: list[Value] = []
            for step, law, width in widths:
                x = whole_or_identity(b, law, chunk, evaluator.regs[step])
                state = tuple(values[len(made) : len(made) + width])
                made += stepped(b, law, state, x, chunk.i - run[0] if law.indexed else chunk.i)
            for s in self.maps:
                evaluator.store(s.leaf, evaluator.regs[s.step], chunk, aligned.get(s.leaf))
            return made

        ahead = AHEAD if self.here is self.chain.passes[0] else 0
        return over_chunks(b, evaluator, run, values, turn, self.simple, ahead)

    # ---- row values
    def _finish(self, f: PassFold, n: Value) -> None:
        """Emit code that folds the partial results of a reduction over a row of n cells.

        The result becomes a row value for later passes, and is written if it has a leaf.
        """
        b, parts, law = self.b, self.parts[f.value], f.law
        cover = Cover(b.const("i64", 0), b.const("i64", BLOCK), n)
        fold_entries(b, law, parts, b.const("i64", 0), (n + (BLOCK - 1)).lshr(BLOCK.bit_length() - 1), cover)
        count = b.cast("sitofp", n, "double")
        left = count - f.correction
        made = law.finish(b, parts.load(b.const("i64", 0), 1), count, b.select(left < 0.0, 0.0, left))
        if f.leaf != NO_LEAF:
            leaf = self.chain.leaves[f.leaf]
            self._write(f.leaf, encoded(b, made, law.result, f.dtype, leaf.swapped))
        self.values[f.value] = _everywhere(b, convert(b, made, law.result, f.dtype), self.chain.lanes)

    def _write(self, k: int, raw: tuple[Value, ...]) -> None:
        """Emit a store of one cell at the beginning of the current row of leaf k.

        The cell is lane 0 of the raw parts `raw`.
        """
        at, item = self.evaluator.pointers[k], self.chain.leaves[k].itemsize // len(raw)
        for part, v in enumerate(raw):
            self.b.store(self.b.extract(v, 0), self.b.gep(at, part * item))


def _lane_law(law: Law) -> Law:
    """Return the law by which a block is reduced: the sum for means and variances, else the law itself."""
    return law_of("sum", law.acc) if law.op in ("mean", "var") else law


def _split(values: list[Value], states: list[State]) -> list[State]:
    """Return the flat list `values` cut into tuples of the same lengths as `states`."""
    made, at = [], 0
    for s in states:
        made.append(tuple(values[at : at + len(s)]))
        at += len(s)
    return made


def _everywhere(b: Builder, reg: Reg, lanes: int) -> Reg:
    """Return a register of `lanes` lanes, all holding lane 0 of `reg`."""
    if isinstance(reg, Complex):
        return reg.map_parts(lambda part: b.splat(b.extract(part, 0), lanes))
    return b.splat(b.extract(reg, 0), lanes)


# ---- the task
def lower_chain(chain: RowChain, near: Container[int], times: int) -> KernelTask:
    """Return the task of a chain that runs `times` times, each time for other rows.

    Cells of the arguments `near` are read again soon, so they are not written past the caches.
    """
    targets = {s.leaf for p in chain.passes for s in p.stored if s.value < 0}
    leaves, read, written = [], 0, 0
    for k, (place, leaf) in enumerate(zip(chain.places, chain.leaves, strict=True)):
        nbytes = leaf.itemsize * (chain.cells if place.along else 1) * (chain.rows if place.across else 1)
        streams = k in targets and place.arg not in near and times * nbytes >= max(map_tables.STREAM, 1)
        leaves.append((place.arg, place.offset, PAST_CACHES if streams else place.along, place.across))
        read, written = (read, written + nbytes) if k in chain.written else (read + nbytes, written)
    steps = sum([cost.of_body(tuple(p.body)) for p in chain.passes]) + len(chain.passes) * cost.CELL
    words = map_tables.one_block(chain_kernel(chain), chain.cells, chain.rows, leaves)
    return KernelTask(
        map_driver(), table_of(HEAD, {}, [1], [words]), 1,
        cost=chain.rows * (chain.cells * steps + cost.ROW * len(chain.passes)) + cost.of_bytes(read + written),
        bytes_read=read, bytes_written=written, name=" + ".join(chain.names),
    )  # fmt: skip
