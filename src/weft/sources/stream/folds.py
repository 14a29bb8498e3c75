"""Folds: reductions over tiles, and the state that they carry between tiles; bits are those of one reduction.

The one idea: the order of sums is a function of the index alone (`ir.kernels.sum_order`), so the state between tiles is
one of four: nothing, if a tile holds all reduced cells; a value, if the order does not matter; the cells of incomplete
blocks of 1024, for few kept cells (`row_fold`); or the eight lanes of the incomplete block, for many.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType, limits_of, narrowed
from weft.ir.atoms import selections as se
from weft.ir.atoms.selections import reshaped
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node, apply, astype, make, result, stored
from weft.ir.graph.ops import OPS, resolve
from weft.ir.kernels.partial_reductions import OrderedReduction, PartialPosition, UnorderedReduction, is_ordered
from weft.ir.kernels.sum_order import BLOCK, LANES, mean_of
from weft.ir.pieces.box import Box, box_of_runs
from weft.passes.planning.split import accumulation
from weft.runtime.compute import stages
from weft.sources.stream.tiling import Tiling
from weft.tensors.place import cells as cells_of

Array = NDArray[Any]
DECISIVE = {"any": True, "all": False}  # reductions that one cell may settle
EXTREME = {"argmin": "min", "argmax": "max"}
FEW_KEPT = 64  # kept cells from which lanes are cheaper than cells that wait


class Reduced:
    """The axes of a reduction over an input of `shape`: the reduced `axes`, and the `kept` others."""

    def __init__(self, shape: Shape, axes: Sequence[int], any_order: bool = False) -> None:
        self.shape, self.axes = shape, tuple(sorted(axes))
        self.any_order = any_order  # tiles may come in another order than that of the reduced cells
        self.kept = tuple([a for a in range(len(shape)) if a not in self.axes])
        self.cells = prod([shape[a] for a in self.axes])
        self._strides = c_strides(tuple([shape[a] for a in self.axes]), 1)

    def is_whole(self, size: Shape) -> bool:
        """True if boxes of `size` span all reduced axes."""
        return all(size[a] == self.shape[a] for a in self.axes)

    def counts(self, size: Shape) -> tuple[int, int]:
        """Return the numbers of kept cells and of reduced cells for each of them in a box of `size`."""
        return prod([size[a] for a in self.kept]), prod([size[a] for a in self.axes])

    def run_length(self, size: Shape) -> int:
        """Return the number of cells of a run in boxes of `size`, which are neighbours in row-major order."""
        return self.counts(size)[1] // max(1, prod([n for n, _ in self._outer_runs(size)]))

    def blocks(self, size: Shape) -> int:
        """Return about how many 1024-cell blocks the runs of a tile of `size` start in."""
        moves = [((n - 1) * stride, n, stride) for n, stride in self._outer_runs(size)]
        lines = prod([n for _, n, stride in moves if stride >= BLOCK])  # apart; each meets all blocks of its span
        span = sum([far for far, _, stride in moves if stride < BLOCK])
        return min(sum([far for far, *_ in moves]) // BLOCK + 1, lines + lines * span // BLOCK)

    def part_size(self, tiling: Tiling) -> Shape:
        """Return the size of boxes whose tiles all begin before any continues along a later reduced axis.

        That is a tile, but along axes before a reduced one with several parts it is a part.
        """
        order, size = [*self.kept, *self.axes], list(tiling.size)
        last = max([k for k, a in enumerate(order) if a in self.axes and len(tiling.spans[a]) > 1], default=0)
        for a in order[:last]:
            size[a] = max(n for _, n in tiling.spans[a])
        return tuple(size)

    def run_starts(self, box: Box) -> Array:
        """Return the index of the first cell of each run of the box along the reduced axes.

        A run is a range of cells in the box that are neighbours in the whole.  Indices count the reduced cells of one
        kept cell in row-major order.
        """
        found = np.array([sum([box.start[a] * s for a, s in zip(self.axes, self._strides, strict=True)])])
        for n, stride in self._outer_runs(box.size):
            found = (found[:, None] + np.arange(n) * stride).reshape(-1)
        return found

    def _outer_runs(self, size: Shape) -> list[tuple[int, int]]:
        """Return the number and distance of a box's runs along each reduced axis before those that runs go over."""
        along = [size[a] for a in self.axes]
        inner = next((k for k in range(len(along), 0, -1) if along[k - 1] != self.shape[self.axes[k - 1]]), 1) - 1
        return list(zip(along[:inner], self._strides, strict=False))

    def numbers(self, box: Box, indices: Array) -> Array:
        """Convert flat `indices` of reduced cells within `box` to flat indices in the whole."""
        size = tuple([box.size[a] for a in self.axes])
        at = np.unravel_index(indices, size)
        moved = [(i + box.start[a]) * s for i, a, s in zip(at, self.axes, self._strides, strict=True)]
        return np.asarray(sum(moved, np.int64(0)))

    def kept_box(self, box: Box) -> Box:
        """Return the box along the kept axes only."""
        return box_of_runs([box.runs[a] for a in self.kept])

    def inner_axes(self) -> frozenset[int]:
        """Return the reduced axes except the outermost with more than one cell.

        Tiles that are not cut along these axes come in the order of the reduced cells.
        """
        outermost = next((a for a in self.axes if self.shape[a] > 1), None)
        return frozenset(self.axes) - {outermost}


def acc_of(n: Node) -> DType:
    """Return the dtype in which a reduction accumulates."""
    return accumulation(n.op.name, n.inputs[0].desc.dtype, n.desc.dtype)


def is_in_order(n: Node) -> bool:
    """True if the bits of a reduction depend on the order of its cells, as a sum's do."""
    return is_ordered(n.op.name, acc_of(n))


def reduced(op: str, x: Node, axes: Sequence[int], *attrs: Any) -> Node:
    """Return a node that reduces x over `axes` by the op named `op`, without these axes in its shape.

    `attrs` are further attributes of the op.
    """
    shape = tuple([size for a, size in enumerate(x.desc.shape) if a not in axes])
    origin = None if x.desc.origin is None else tuple([o for a, o in enumerate(x.desc.origin) if a not in axes])
    return make(OPS[op], (x,), (tuple(axes), False, *attrs), result(resolve(OPS[op], x.desc.dtype)[1], shape, origin))


def reduced_group(group: Sequence[Node], inputs: Sequence[Node], axes: Reduced) -> list[Node]:
    """Return the reductions of a group applied to `inputs` over `axes`."""
    return [reduced(n.op.name, x, axes.axes, *n.attrs[2:]) for n, x in zip(group, inputs, strict=True)]


def computed(roots: Sequence[Node]) -> list[Array]:
    """Return the values of nodes, and compute those that are pending; raises the errors of computing."""
    stages.compute(roots)
    return [r.value for r in roots]


def cells_in_memory(n: Node) -> Array | None:
    """Return the cells of a stored node, or of a copy of one as files have it, where they lie. None if there are none.

    They are read only, and in native byte order.
    """
    found = cells_of(n.inputs[0] if n.op.name == "positive" else n)
    return found if found is not None and found.dtype == n.desc.dtype.np and not n.desc.big else None


class Fold(Protocol):
    """Reductions over the same axes for one box of kept cells; tiles come in the order of reduced cells.

    A fold that is `apart` can be split over processes: each sees some of the tiles, `state` returns its partial results
    as data, and `join` adds such data to another fold.
    """

    apart: bool

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Add the cells of the tile at `box`; `inputs` holds a node for each reduction.

        Raises the errors of computing them.
        """

    def values(self) -> list[Array]:
        """Return an array for each reduction: its values at the kept cells, in row-major order."""


class WholeFold:
    """Reductions of one tile that holds all reduced cells: computed directly."""

    apart = True  # it sees a single tile

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        self.group, self.axes, self.made = group, axes, list[Array]()

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Reduce the tile, which `inputs` holds for each reduction; raises the errors of computing."""
        self.made = computed(reduced_group(self.group, inputs, self.axes))

    def values(self) -> list[Array]:
        """Return the values that `add` computed."""
        return self.made


class FreeFold:
    """Reductions whose bits do not depend on the order of cells; tiles may come in any order."""

    apart = True

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        self.group, self.axes = group, axes
        self.states = [
            PartialPosition(n.op.name) if n.op.name in EXTREME else UnorderedReduction(n.op.name, acc_of(n))
            for n in group
        ]

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Reduce the tile at `box` and combine the results with the states.

        `inputs` has the operand of each reduction. Of equal extremes the first position wins. Raises the errors of
        computing.
        """
        asked = [
            (x, op)
            for n, x in zip(self.group, inputs, strict=True)
            for op in (n.op.name, EXTREME.get(n.op.name))
            if op is not None
        ]
        found = iter(computed([reduced(op, x, self.axes.axes) for x, op in asked]))
        for state in self.states:
            value = next(found).reshape(-1)
            if isinstance(state, PartialPosition):
                state.add(self.axes.numbers(box, value), next(found).reshape(-1))
            else:
                state.add(value)

    def is_settled(self) -> bool:
        """True if no further cell changes a value: every `any` is true, every `all` false."""
        pairs = zip(self.group, self.states, strict=True)
        return all(n.op.name in DECISIVE and bool((s.result() == DECISIVE[n.op.name]).all()) for n, s in pairs)

    def values(self) -> list[Array]:
        """Return the values of the reductions over all tiles added."""
        return [s.result() for s in self.states]

    def state(self) -> list[list[Array]]:
        """Return the partial results of the tiles added so far, as data that `join` accepts."""
        return [s.state() for s in self.states]

    def join(self, state: Sequence[Sequence[Array]]) -> None:
        """Add the `state` of another fold over other tiles."""
        for own, found in zip(self.states, state, strict=True):
            own.add(*found)


# ---- reductions whose bits depend on the order


def ordered_states(group: Sequence[Node], axes: Reduced) -> list[OrderedReduction]:
    """Return the initial states of reductions that take their blocks in order."""
    return [OrderedReduction(n.op.name, acc_of(n), axes.cells, *n.attrs[2:]) for n in group]


class LanesFold:
    """Sums, products and means of many kept cells: holds the eight lanes of the incomplete block.

    Each lane is a chain: its value so far is added before its next cells.  Lanes are rotated so that the next cell goes
    to the first one; then all tiles run the same programs.
    """

    apart = False

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        self.group, self.axes, self.states = group, axes, ordered_states(group, axes)
        self.lanes: list[list[Node]] = [[] for _ in group]  # for each reduction, nodes that concatenate along axis 0
        self.filled = 0  # reduced cells so far in the incomplete block
        self.done = 0

    def cells(self, number: int, cells: Node) -> Node:
        """Return the values that reduction `number` adds up, given cells of the incomplete block."""
        return cells

    def block(self, number: int, total: Array) -> None:
        """Combine the total of a complete block with the state of reduction `number`."""
        self.states[number].add((total,), self.filled)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Add the cells of a tile to the lanes, and combine complete blocks with the states.

        `inputs` has the operand of each reduction. Raises the errors of computing.
        """
        turned = [_rows(astype(x, s.acc), self.axes) for x, s in zip(inputs, self.states, strict=True)]
        rows, first = turned[0].desc.shape[0], 0
        while first < rows:
            size = min(rows - first, BLOCK - self.filled)
            part = [self.cells(k, part_along(x, 0, first, size)) for k, x in enumerate(turned)]
            self.lanes = [_lanes(s.op, lanes, x) for s, lanes, x in zip(self.states, self.lanes, part, strict=True)]
            stages.compute([n for lanes in self.lanes for n in lanes])
            first += size
            self.filled += size
            self.done += size
            if self.filled == BLOCK or self.done == self.axes.cells:
                self._fold()

    def _fold(self) -> None:
        """Combine the lanes of a complete block (full, or the last one) with the states."""
        for k, s in enumerate(self.states):
            lanes = np.concatenate([n.value.reshape(n.desc.shape) for n in self.lanes[k]])
            turned = np.roll(lanes.reshape(LANES, -1), self.filled % LANES, axis=0)
            with np.errstate(all="ignore"):
                for half in (4, 2, 1):
                    turned = s.combine(turned[:half], turned[half : 2 * half])
            self.block(k, turned.reshape(-1, 1))
        self.lanes, self.filled = [[] for _ in self.group], 0

    def values(self) -> list[Array]:
        """Return the value of each reduction over all blocks."""
        return [s.result() for s in self.states]


class MeansFold(LanesFold):
    """The first pass of variances: collects the mean of every block."""

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        super().__init__(group, axes)
        self.means: list[list[Array]] = [[] for _ in group]

    def block(self, number: int, total: Array) -> None:
        """Keep the mean of a block with this total, for reduction `number`."""
        with np.errstate(all="ignore"):
            self.means[number].append(mean_of(total, self.filled, self.states[number].acc))

    def values(self) -> list[Array]:
        """Return the block means of each reduction, of shape (kept cells, blocks)."""
        return [np.concatenate(m, axis=1) for m in self.means]


class DeviationsFold(LanesFold):
    """The second pass of variances: sums squared deviations from the mean of every block."""

    def __init__(self, group: Sequence[Node], axes: Reduced, means: Sequence[Array]) -> None:
        super().__init__(group, axes)
        self.means = means

    def _mean(self, k: int, block: int) -> Array:
        return self.means[k][:, [block]]

    def cells(self, number: int, cells: Node) -> Node:
        """Return the squared deviations of cells from the mean of the incomplete block, for reduction `number`."""
        mean = np.ascontiguousarray(self._mean(number, self.done // BLOCK)).reshape(1, *cells.desc.shape[1:])
        d = apply("subtract", cells, stored(result(cells.desc.dtype, mean.shape), mean))
        return apply("multiply", d, d)

    def block(self, number: int, total: Array) -> None:
        """Combine a complete block with the state of reduction `number`.

        `total` is its sum of squared deviations from its mean.
        """
        self.states[number].add((self._mean(number, (self.done - 1) // BLOCK), total), self.filled)


def _lanes(op_name: str, lanes: Sequence[Node], x: Node) -> list[Node]:
    """Return one or two nodes that hold the 8 lanes after adding the rows of x, rotated left by `rows % 8`.

    Row i goes to lane `i % 8`; `lanes` is empty at the start of a block. `op_name` is "sum", "prod" or another
    reduction that adds.
    """
    chained, kept = ("chained_prod" if op_name == "prod" else "chained_sum"), x.desc.shape[1:]
    full, more = divmod(x.desc.shape[0], LANES)
    rounds = [reshaped(part_along(x, 0, 0, full * LANES), (full, LANES, *kept))]
    if lanes:
        rounds.insert(0, reshaped(se.concat(lanes, 0), (1, LANES, *kept)))
    last = reshaped(part_along(x, 0, full * LANES, more), (1, more, *kept))

    def chain(first: int, stop: int, *behind: Node) -> Node:
        parts = [*[part_along(r, 1, first, stop - first) for r in rounds], *behind]
        found = [n for n in parts if n.desc.size]
        return reduced(chained, se.concat(found, 0), (0,)) if found else identity(op_name, x, (stop - first, *kept))

    return [chain(more, LANES), *([chain(0, more, last)] if more else [])]


def identity(op: str, x: Node, shape: Shape) -> Node:
    """Return cells of the neutral element of the sum, product or extreme `op`, in the dtype of x."""
    acc = x.desc.dtype
    if op in ("min", "max"):
        value = limits_of(acc)[op == "min"] if acc.kind != "float" else inf if op == "min" else -inf
    else:  # -0.0 + x has the bits of x, for a zero of any sign
        value = 1 if op == "prod" else complex(-0.0, -0.0) if acc.kind == "complex" else -0.0
    return stored(result(acc, shape), np.full(shape, value, acc.np))


def part_along(x: Node, axis: int, first: int, size: int) -> Node:
    """Return `size` neighbouring cells of x along an axis, from `first` on."""
    return se.slice_(x, [(first, 1, size) if a == axis else (0, 1, n) for a, n in enumerate(x.desc.shape)])


def _rows(x: Node, axes: Reduced) -> Node:
    """Return the cells of a tile with all reduced axes joined into one leading axis."""
    turned = se.permute(x, [*axes.axes, *axes.kept])
    return se.reshaped(turned, (-1, *turned.desc.shape[len(axes.axes) :])) if len(axes.axes) > 1 else turned


@np.errstate(over="ignore")
def as_cells(value: Array, dtype: DType, shape: Shape) -> Array:
    """Return the value of a reduction rounded to `dtype` and reshaped to `shape`."""
    return (value if value.dtype == dtype.np else narrowed(value, dtype)).reshape(shape)
