"""Ordered reductions of few kept cells, over tiles that hold parts of rows: a block waits for all its cells.

The one idea: a block of 1024 cells is reduced as a whole, and its value joins those of the blocks before it in turn
(`partial_reductions`).  So tiles may come in any order: cells of incomplete blocks wait for the rest of their block,
and block values wait for those of the blocks before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from weft.dtypes import DType
from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, astype, stored
from weft.ir.kernels.partial_reductions import OrderedReduction
from weft.ir.kernels.sum_order import BLOCK
from weft.ir.pieces.box import Box
from weft.runtime.compute import stages
from weft.runtime.memory import allocator
from weft.sources.stream.folds import Array, Reduced, cells_in_memory, computed, ordered_states, reduced


class RowFold:
    """Ordered reductions whose tiles hold runs of reduced cells (a `Fold`); reductions of one input share its cells."""

    apart = True

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        self.axes, self.states = axes, ordered_states(group, axes)
        sharing: dict[tuple[int, DType], list[int]] = {}  # numbers of reductions by input and dtype of accumulation
        for k, (n, s) in enumerate(zip(group, self.states, strict=True)):
            sharing.setdefault((id(n.inputs[0]), s.acc), []).append(k)
        self.parts = [(ks[0], BlockCells([self.states[k] for k in ks], axes.cells)) for ks in sharing.values()]

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Compute the cells of a tile, and reduce the blocks that are complete; raises the errors of computing."""
        starts = self.axes.run_starts(box)
        kept = prod([box.size[a] for a in self.axes.kept])
        for k, cells in self.parts:
            order, x = [*self.axes.kept, *self.axes.axes], astype(inputs[k], cells.acc)
            turned = x if order == sorted(order) else se.permute(x, order)
            cells.add(turned, kept, starts, box.cells // (kept * len(starts)))

    def values(self) -> list[Array]:
        """Return the value of each reduction over all blocks."""
        for _, cells in self.parts:
            cells.values.settle()
        return [s.result() for s in self.states]

    def state(self) -> tuple[list[Any], list[Any]]:
        """Return the cells of incomplete blocks, and the partial results of complete blocks, as data for `join`."""
        return [cells.state() for _, cells in self.parts], [s.state() for s in self.states]

    def join(self, state: tuple[Sequence[Any], Sequence[Any]]) -> None:
        """Add the `state` of another fold over other tiles."""
        waiting, known = state
        for s, found in zip(self.states, known, strict=True):
            s.join(found)
        for (_, cells), found in zip(self.parts, waiting, strict=True):
            cells.join(found)


class BlockCells:
    """The cells of one input in blocks; each block is reduced for all `states` once it is complete.

    `total` is the number of reduced cells of a kept cell.
    """

    def __init__(self, states: Sequence[OrderedReduction], total: int) -> None:
        self.states, self.acc, self.total = states, states[0].acc, total
        self.memory = np.empty(0, self.acc.np)
        self.waiting: dict[int, tuple[Array, Array]] = {}  # by block number: cells (kept, 1024), mask of those present
        self.values = BlockValues(states, total)

    def add(self, tile: Node, row_count: int, starts: Array, run_length: int) -> None:
        """Add the cells of a tile: for each of `row_count` rows, runs of `run_length` cells at the indices `starts`."""
        memory = self._cells(tile, (row_count, len(starts), run_length))
        heads = np.minimum(-starts % BLOCK, run_length)
        blocks = (run_length - heads) // BLOCK
        if blocks.any():
            self._reduce(memory, starts, heads, blocks)
        ready: list[tuple[int, Array]] = []
        for r, (start, head, tail) in enumerate(zip(starts, heads, heads + blocks * BLOCK, strict=True)):
            for first, stop in ((0, head), (tail, run_length)):
                number = int(start + first) // BLOCK
                block = self._with_waiting(memory[:, r, first:stop], int(start + first)) if first < stop else None
                if block is not None:
                    ready.append((number, block))
        self._take_blocks(ready)

    def _cells(self, tile: Node, shape: Shape) -> Array:
        """Return the cells of a tile in row-major order: where they lie already, or computed to the fold's memory."""
        known = cells_in_memory(tile)
        if known is not None and known.flags.c_contiguous:
            return known.reshape(shape)
        if self.memory.size < prod(shape):  # else reuse the memory of the tile before, whose pages exist
            self.memory = allocator.empty(self.acc.np, (prod(shape),))
        memory = self.memory[: prod(shape)].reshape(shape)
        view = se.reshape_view(_leaf(self.acc, memory), tile.desc.shape)
        assert view is not None
        stages.store(tile, view)
        return memory

    def _take_blocks(self, ready: Iterable[tuple[int, Array]]) -> None:
        """Reduce complete blocks, given as (block number, cells)."""
        by_length: dict[int, list[tuple[int, Array]]] = {}
        for number, block in ready:
            by_length.setdefault(block.shape[1], []).append((number, block))
        for found in by_length.values():
            first = found[0][1]
            x = _leaf(self.acc, first[:, None] if len(found) == 1 else np.stack([block for _, block in found], axis=1))
            self.values.put(np.array([number for number, _ in found]), self._planes(x))

    def _reduce(self, memory: Array, starts: Array, heads: Array, blocks: Array) -> None:
        """Reduce the complete blocks within the runs of a tile.

        Run r starts at index `starts[r]`; its first complete block follows `heads[r]` cells, and it has `blocks[r]` of
        them.
        """
        kept, most = len(memory), int(blocks.max())
        if (heads == heads[0]).all():
            first = int(heads[0])
            runs = [(0, 1, kept), (0, 1, len(heads)), (first, 1, most * BLOCK)]
            cells = se.slice_(_leaf(self.acc, memory), runs)
        else:  # runs begin at different places of their first block
            moved = allocator.empty(self.acc.np, (kept, len(heads), most * BLOCK))
            for r, (head, n) in enumerate(zip(heads, blocks, strict=True)):
                moved[:, r, : n * BLOCK] = memory[:, r, head : head + n * BLOCK]
            cells = _leaf(self.acc, moved)
        whole = np.arange(most) < blocks[:, None]
        numbers = -(-starts // BLOCK)[:, None] + np.arange(most)
        planes = self._planes(se.reshaped(cells, (kept, len(heads), most, BLOCK)))
        self.values.put(numbers[whole], [p[:, whole] for p in planes])

    def _with_waiting(self, cells: Array, start: int) -> Array | None:
        """Add cells at index `start` to an incomplete block; return its cells if complete, else None."""
        n, number = cells.shape[1], start // BLOCK
        length = min(BLOCK, self.total - number * BLOCK)
        memory, came = self.waiting.pop(number, None) or (
            allocator.empty(self.acc.np, (len(cells), length)),
            np.zeros(length, bool),
        )
        first = start % BLOCK
        memory[:, first : first + n] = cells
        came[first : first + n] = True
        if came.all():
            return memory
        self.waiting[number] = memory, came
        return None

    def state(self) -> list[tuple[int, Array, Array]]:
        """Return the cells of incomplete blocks: (number of the block, cells, mask of those present)."""
        self.values.settle()
        return [(number, memory[:, came], came) for number, (memory, came) in self.waiting.items()]

    def join(self, state: Iterable[tuple[int, Array, Array]]) -> None:
        """Add the `state` of another object, and reduce the blocks that become complete."""
        ready = []
        for number, cells, which in state:
            at = 0
            for first, stop in _runs(which):
                run = cells[:, at : at + stop - first]
                block = self._with_waiting(run, number * BLOCK + first)
                at += stop - first
                if block is not None:
                    ready.append((number, block))
        self._take_blocks(ready)
        self.values.settle()

    def _planes(self, x: Node) -> list[Array]:
        """Return the partial results of all reductions for blocks along the last axis of x."""
        return computed([r for s in self.states for r in _parts(s.op, x)])


class BlockValues:
    """The values of blocks that wait for the values of blocks before them."""

    def __init__(self, states: Sequence[OrderedReduction], total: int) -> None:
        self.states, self.total, self.first = states, total, -1
        self.known = np.zeros(0, bool)
        self.planes: list[Array] = []

    def put(self, numbers: Array, planes: Sequence[Array]) -> None:
        """Add block values, each plane of shape (kept, blocks), and pass on those with no block missing before."""
        least = int(numbers.min())
        if self.first < 0:
            self.first = least
        if least < self.first:  # a part of the cells may begin anywhere
            self._put_front(self.first - least)
        more = int(numbers.max()) + 1 - self.first - len(self.known)
        if more > 0:
            self.known = np.append(self.known, np.zeros(more, bool))
            wider = self.planes or [p[:, :0] for p in planes]
            self.planes = [np.concatenate([w, np.empty((len(w), more), w.dtype)], axis=1) for w in wider]
        at = numbers - self.first
        self.known[at] = True
        for own, new in zip(self.planes, planes, strict=True):
            own[:, at] = new
        if self.known[0]:
            self._hand_on(len(self.known) if self.known.all() else int(np.argmin(self.known)))

    def _put_front(self, count: int) -> None:
        """Make room for the values of `count` blocks before the first one."""
        self.first -= count
        self.known = np.append(np.zeros(count, bool), self.known)
        self.planes = [np.concatenate([np.empty((len(p), count), p.dtype), p], axis=1) for p in self.planes]

    def settle(self) -> None:
        """Pass all waiting values to the states, even if blocks before them are missing."""
        while len(self.known):
            start = int(np.argmax(self.known))
            if not self.known[start]:
                self.known, self.planes, self.first = self.known[:0], [], -1
                return
            self.first += start
            self.known, self.planes = self.known[start:], [p[:, start:] for p in self.planes]
            self._hand_on(len(self.known) if self.known.all() else int(np.argmin(self.known)))
        self.first = -1

    def _hand_on(self, count: int) -> None:
        """Pass the first `count` values to the states; the last block of all may be shorter."""
        short = self.total % BLOCK if (self.first + count) * BLOCK > self.total else 0
        for first, stop, cells in ((0, count - bool(short), BLOCK), (count - bool(short), count, short)):
            planes = iter([p[:, first:stop] for p in self.planes])
            for s in self.states:
                found = tuple([next(planes) for _ in range(2 if s.op == "var" else 1)])
                if first < stop:
                    s.add(found, cells, self.first + first)
        self.first += count
        self.known, self.planes = self.known[count:], [p[:, count:].copy() for p in self.planes]


def _runs(mask: Array) -> list[tuple[int, int]]:
    """Return (first, stop) of each run of true cells in a mask.

    >>> _runs(np.array([True, False, True, True]))
    [(0, 1), (2, 4)]
    """
    ends = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    return list(zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True))


def _leaf(acc: DType, memory: Array) -> Node:
    """Return memory as a stored node of dtype `acc`."""
    return stored(describe(acc, memory.shape, memory.strides), memory)


def _parts(op: str, x: Node) -> list[Node]:
    """Return the nodes of partial results, as `OrderedReduction.take` accepts them, for blocks along x's last axis.

    A variance needs the means and the sums of squared deviations (divisor 1), other reductions one node.
    """
    axis, cells = x.desc.ndim - 1, x.desc.shape[-1]
    if op == "var":
        return [reduced("mean", x, (axis,)), reduced("var", x, (axis,), float(cells - 1))]
    return [reduced("prod" if op == "prod" else "sum", x, (axis,))]
