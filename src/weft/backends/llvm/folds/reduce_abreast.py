"""The kernel that reduces short rows side by side: each lane holds another result.

The one idea: where few cells are reduced and many results lie beside each other, lane k mod 8 of the order of sums is a
vector of its own, with a result in each of its lanes.  So cells are added, and the eight folded, by whole vectors, and
the bits are those of the other ways.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.folds.laws import LANES, Law, State, parts_of
from weft.backends.llvm.folds.reduce_rows import PARTS
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.nest.evaluator import Evaluator, LeafTable
from weft.backends.llvm.nest.prefetches import prefetch
from weft.backends.llvm.nest.structure import Structure

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
    while len(states) > 1:
        half = len(states) // 2
        states = [law.join(b, low, high) for low, high in zip(states[:half], states[half:], strict=True)]
    return states[0]
