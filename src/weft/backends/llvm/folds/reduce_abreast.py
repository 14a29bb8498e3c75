"""The kernels that reduce short rows side by side: each lane holds another result.

The one idea: where few cells are reduced and many results lie beside each other, lane k mod 8 of the order of sums is a
vector of its own, with a result in each of its lanes.  So cells are added, and the eight folded, by whole vectors, and
the bits are those of the other ways.  The cells of a lane lie in rows of memory (`abreast`), or, a few of them, beside
each other (`short_rows`).
"""

from __future__ import annotations

from dataclasses import replace

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.laws import LANES, Law, State, parts_of
from weft.backends.llvm.folds.reduce_rows import PARTS
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest.cell_vectors import load_rows
from weft.backends.llvm.nest.evaluator import Evaluator, LeafTable
from weft.backends.llvm.nest.prefetches import prefetch
from weft.backends.llvm.nest.structure import ROWS, Structure

AHEAD = 4096  # bytes between a load and the prefetch beside it


class _Cells(LeafTable):
    """The addresses of a kernel's leaves, with the bytes per reduced cell and per row of results."""

    def begin(self, row: Value) -> None:
        """Emit code that finds the first reduced cells of a row of results."""
        self.here = super().row(row)

    def row(self, r: Value) -> list[Value]:
        return [self.b.gep(p, r * s) for p, s in zip(self.here, self.along, strict=True)]


@compiled("abreast", f"ptr L, ptr S, i64 n, i64 m, {PARTS}")
def abreast_kernel(b: Builder, law: Law, structure: Structure) -> None:
    """Emit the kernel that makes m results of n cells each, with a result in each lane.

    Results lie in rows of `step`, at least as many as lanes.  The last vector of a row begins early enough to be whole;
    it computes some results again.
    """
    table, parts = _Cells(b, structure.leaves), parts_of(b, law)
    evaluator = Evaluator(b, structure, table=table)
    width, lanes = b["step"], structure.lanes
    with b.loop(0, b["m"] // width) as row:
        table.begin(row)
        with b.loop(0, width, lanes) as at:
            i = b.smin(at, width - lanes)
            made = law.widen(b, _reduced(b, law, evaluator, i), b["base"])
            parts.store(made, b["first"] + row * width + i)


def _reduced(b: Builder, law: Law, evaluator: Evaluator, i: Value) -> State:
    """Return the states of results i, i + 1, ... of a row, one in each lane, after emitting their reduction."""
    n, first = b["n"], law.start(b, evaluator.lanes)
    size, apart = len(first), LANES if law.ordered else 1

    def added(state: State, k: Value) -> State:
        evaluator.start(k)
        prefetch(b, evaluator, i, AHEAD)
        return law.step(b, state, law.lift(b, evaluator.full_chunk(i).reg))

    with b.carrying([*first * apart], 0, n & -apart, apart) as turn:
        states = [tuple(turn.values[size * j : size * (j + 1)]) for j in range(apart)]
        turn.values = [v for j, state in enumerate(states) for v in added(state, turn.i + j)]
    states = [tuple(turn.values[size * j : size * (j + 1)]) for j in range(apart)]
    for j in range(apart - 1):
        k = (n & -apart) + j
        states[j] = b.choose(k < n, lambda j=j, k=k: added(states[j], k), states[j])
    return law.join_all(b, states)


class _Rows(LeafTable):
    """The addresses of a kernel's leaves, with the bytes per reduced cell, for lanes of one row each."""

    def row(self, r: Value) -> list[Value]:
        return [self.b.gep(p, r * s) for p, s in zip(self.bases, self.along, strict=True)]


@compiled("short_rows", f"ptr L, ptr S, i64 n, i64 m, {PARTS}")
def short_rows_kernel(b: Builder, law: Law, structure: Structure, count: int) -> None:
    """Emit the kernel that reduces m segments of `count` cells to partial results, with a segment in each lane.

    Leaves of kind "rows" hold the cells of neighbouring segments one after the other: whole vectors of them are loaded
    and their cells dealt out in registers.
    """
    table, parts = _Rows(b, structure.leaves), parts_of(b, law)
    done = b.const("i64", 0)
    for lanes in (structure.lanes, 1):
        evaluator = Evaluator(b, replace(structure, lanes=lanes), table=table)
        end = b["m"] & -lanes
        with b.loop(done, end, lanes) as s:
            parts.store(law.widen(b, _dealt(b, law, evaluator, s, count), b["base"]), b["first"] + s)
        done = end


def _dealt(b: Builder, law: Law, evaluator: Evaluator, s: Value, count: int) -> State:
    """Return the states of segments s, s + 1, ..., one in each lane, after emitting their reduction."""
    states = [law.start(b, evaluator.lanes)] * (LANES if law.ordered else 1)
    rows = {}
    for k in evaluator.loads:
        leaf, base = evaluator.leaves[k], evaluator.table.bases[k]
        if leaf.kind == ROWS:
            rows[k] = load_rows(b, b.gep(base, s * (count * leaf.itemsize)), leaf.dtype, evaluator.lanes, count)
    for k in range(count):
        evaluator.given = {leaf: cells[k] for leaf, cells in rows.items()}
        evaluator.start(b.const("i64", k))
        x = law.lift(b, evaluator.full_chunk(s).reg)
        states[k % len(states)] = law.step(b, states[k % len(states)], x)
    return law.join_all(b, states)
