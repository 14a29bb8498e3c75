"""Folds: reductions over tiles, and what they carry from one tile to the next, with the bits of the whole.

The one idea: the order of sums is a function of the index alone (`ir.kernels.sum_order`), so the state between tiles is
one of four: nothing, where a tile holds the reduced axes; a value, where no order shows; the cells of blocks of 1024
that are not full yet, for few kept cells (`row_fold`); or the block's eight lanes, for many.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType, narrowed
from weft.ir.atoms import selections as se
from weft.ir.atoms.selections import reshaped
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node, apply, astype, make, result, stored
from weft.ir.graph.ops import OPS, resolve
from weft.ir.kernels.partial_reductions import Free, Ordered, PartialPosition, is_ordered
from weft.ir.kernels.sum_order import BLOCK, LANES, mean_of
from weft.ir.pieces.box import Box, box_of, box_of_runs
from weft.passes.planning.split import accumulation
from weft.runtime.compute import stages

Array = NDArray[Any]
DECISIVE = {"any": True, "all": False}  # reductions that one cell may settle
EXTREME = {"argmin": "min", "argmax": "max"}
FEW_KEPT = 64  # kept cells from which lanes are cheaper than cells that wait


class Reduced:
    """The axes of a reduction: kept and reduced ones of the shape of its input."""

    def __init__(self, shape: Shape, axes: Sequence[int], is_anyhow: bool = False) -> None:
        self.shape, self.axes = shape, tuple(sorted(axes))
        self.is_anyhow = is_anyhow  # tiles may come in another order than that of the reduced cells
        self.kept = tuple([a for a in range(len(shape)) if a not in self.axes])
        self.cells = prod([shape[a] for a in self.axes])
        self._strides = c_strides(tuple([shape[a] for a in self.axes]), 1)

    def is_whole(self, size: Shape) -> bool:
        """True if boxes of a size hold all cells along the reduced axes."""
        return all(size[a] == self.shape[a] for a in self.axes)

    def counts(self, size: Shape) -> tuple[int, int]:
        """Return the numbers of kept and of reduced cells of a box of this size."""
        return prod([size[a] for a in self.kept]), prod([size[a] for a in self.axes])

    def blocks(self, size: Shape) -> int:
        """Return the number of blocks that a tile of this size starts in."""
        return len(np.unique(self.run_starts(box_of(size)) // BLOCK))

    def run_starts(self, box: Box) -> Array:
        """Return the index of the first cell of each run: a range of cells of the box that are neighbours in the whole.

        Indices count the reduced cells of one kept cell in row-major order.
        """
        size = [box.size[a] for a in self.axes]
        inner = next((k for k in range(len(size), 0, -1) if size[k - 1] != self.shape[self.axes[k - 1]]), 1) - 1
        found = np.array([sum([box.start[a] * s for a, s in zip(self.axes, self._strides, strict=True)])])
        for n, stride in zip(size[:inner], self._strides, strict=False):
            found = (found[:, None] + np.arange(n) * stride).reshape(-1)
        return found

    def numbers(self, box: Box, local: Array) -> Array:
        """Convert indices of reduced cells within a box to their indices in the whole."""
        size = tuple([box.size[a] for a in self.axes])
        at = np.unravel_index(local, size)
        moved = [(i + box.start[a]) * s for i, a, s in zip(at, self.axes, self._strides, strict=True)]
        return np.asarray(sum(moved, np.int64(0)))

    def kept_box(self, box: Box) -> Box:
        """Return the part of a box along the kept axes."""
        return box_of_runs([box.runs[a] for a in self.kept])

    def inner_axes(self) -> frozenset[int]:
        """Return all reduced axes except the outermost with more than one cell; tiles that hold these come in order."""
        outermost = next((a for a in self.axes if self.shape[a] > 1), None)
        return frozenset(self.axes) - {outermost}


def acc_of(n: Node) -> DType:
    """Return the dtype in which a reduction accumulates."""
    return accumulation(n.op.name, n.inputs[0].desc.dtype, n.desc.dtype)


def is_in_order(n: Node) -> bool:
    """True if the bits of a reduction depend on the order of its cells, as a sum's do."""
    return is_ordered(n.op.name, acc_of(n))


def reduced(op: str, x: Node, axes: Sequence[int], *attrs: Any) -> Node:
    """Return a node that reduces x over axes, which it loses."""
    shape = tuple([size for a, size in enumerate(x.desc.shape) if a not in axes])
    origin = None if x.desc.origin is None else tuple([o for a, o in enumerate(x.desc.origin) if a not in axes])
    return make(OPS[op], (x,), (tuple(axes), False, *attrs), result(resolve(OPS[op], x.desc.dtype)[1], shape, origin))


def reduced_group(group: Sequence[Node], inputs: Sequence[Node], axes: Reduced) -> list[Node]:
    """Return the reductions of a group over other inputs."""
    return [reduced(n.op.name, x, axes.axes, *n.attrs[2:]) for n, x in zip(group, inputs, strict=True)]


def computed(roots: Sequence[Node]) -> list[Array]:
    """Return the values of nodes, computed if they are not yet."""
    stages.compute(roots)
    return [r.value for r in roots]


class Fold(Protocol):
    """Reductions of the same axes for one box of kept cells; its tiles come in the order of reduced cells.

    One that is `apart` may see some of the tiles: `state` gives what it knows as data, and `join` takes that.
    """

    apart: bool

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Add the cells of a tile, given as a node for each reduction."""

    def values(self) -> list[Array]:
        """Return an array for each reduction: its value at the kept cells, in row-major order."""


class WholeFold:
    """Reductions of a tile that holds the reduced axes: they are computed as they are."""

    apart = True  # a tile is all that it sees

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        self.group, self.axes, self.made = group, axes, list[Array]()

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Reduce the tile."""
        self.made = computed(reduced_group(self.group, inputs, self.axes))

    def values(self) -> list[Array]:
        """Return what the tile gave."""
        return self.made


class FreeFold:
    """Reductions whose bits do not depend on the order of cells; tiles may come in any order."""

    apart = True

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        self.group, self.axes = group, axes
        self.states = [
            PartialPosition(n.op.name) if n.op.name in EXTREME else Free(n.op.name, acc_of(n)) for n in group
        ]

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Reduce a tile and combine the result with that of earlier tiles; of equal extremes the first position
        counts."""
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
                state.take(self.axes.numbers(box, value), next(found).reshape(-1))
            else:
                state.take(value)

    def is_settled(self) -> bool:
        """True if no further cell changes a value: `any` of a true one, `all` of a false one."""
        pairs = zip(self.group, self.states, strict=True)
        return all(n.op.name in DECISIVE and bool((s.result() == DECISIVE[n.op.name]).all()) for n, s in pairs)

    def values(self) -> list[Array]:
        """Return the joined values."""
        return [s.result() for s in self.states]

    def state(self) -> list[list[Array]]:
        """Return the partial results of the tiles added so far, as data that `join` accepts."""
        return [s.state() for s in self.states]

    def join(self, state: Sequence[Sequence[Array]]) -> None:
        """Add what another fold knows of other tiles."""
        for own, found in zip(self.states, state, strict=True):
            own.take(*found)


# ---- where the order shows


def ordered_states(group: Sequence[Node], axes: Reduced) -> list[Ordered]:
    """Return the states of reductions whose blocks come in order."""
    return [Ordered(n.op.name, acc_of(n), axes.cells, *n.attrs[2:]) for n in group]


class LanesFold:
    """Sums, products and means of many kept cells: the eight lanes of the block that is not full yet.

    Lanes are chains: what a lane has so far comes before its next cells.  They are rotated, so that the next cell goes
    to the first one: programs are then the same for all tiles.
    """

    apart = False

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        self.group, self.axes, self.states = group, axes, ordered_states(group, axes)
        self.lanes: list[list[Node]] = [[] for _ in group]  # those of a reduction, put together along axis 0
        self.filled = 0  # cells of the open block
        self.done = 0

    def cells(self, k: int, x: Node) -> Node:
        """Return the values that reduction k sums up, for some cells of the open block."""
        return x

    def block(self, k: int, total: Array) -> None:
        """Combine the total of a finished block with the state of reduction k."""
        self.states[k].take((total,), self.filled)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Add the cells of a tile to the lanes; full blocks are folded."""
        turned = [_rows(astype(x, s.acc), self.axes) for x, s in zip(inputs, self.states, strict=True)]
        rows, first = turned[0].desc.shape[0], 0
        while first < rows:
            size = min(rows - first, BLOCK - self.filled)
            part = [self.cells(k, _slice(x, first, size)) for k, x in enumerate(turned)]
            self.lanes = [_lanes(s.op, lanes, x) for s, lanes, x in zip(self.states, self.lanes, part, strict=True)]
            stages.compute([n for lanes in self.lanes for n in lanes])
            first += size
            self.filled += size
            self.done += size
            if self.filled == BLOCK or self.done == self.axes.cells:
                self._fold()

    def _fold(self) -> None:
        """Combine the lanes of a finished block, full or the last one, with the states."""
        for k, s in enumerate(self.states):
            lanes = np.concatenate([n.value.reshape(n.desc.shape) for n in self.lanes[k]])
            turned = np.roll(lanes.reshape(LANES, -1), self.filled % LANES, axis=0)
            with np.errstate(all="ignore"):
                for half in (4, 2, 1):
                    turned = s.combine(turned[:half], turned[half : 2 * half])
            self.block(k, turned.reshape(-1, 1))
        self.lanes, self.filled = [[] for _ in self.group], 0

    def values(self) -> list[Array]:
        """Return the values of all blocks."""
        return [s.result() for s in self.states]


class MeansFold(LanesFold):
    """The first round of variances: the mean of every block."""

    def __init__(self, group: Sequence[Node], axes: Reduced) -> None:
        super().__init__(group, axes)
        self.means: list[list[Array]] = [[] for _ in group]

    def block(self, k: int, total: Array) -> None:
        """Keep the mean of a block."""
        with np.errstate(all="ignore"):
            self.means[k].append(mean_of(total, self.filled, self.states[k].acc))

    def values(self) -> list[Array]:
        """Return the means, (kept, blocks) for every reduction."""
        return [np.concatenate(m, axis=1) for m in self.means]


class DeviationsFold(LanesFold):
    """The second round of variances: the sums of squared deviations from the mean of every block."""

    def __init__(self, group: Sequence[Node], axes: Reduced, means: Sequence[Array]) -> None:
        super().__init__(group, axes)
        self.means = means

    def _mean(self, k: int, block: int) -> Array:
        return self.means[k][:, [block]]

    def cells(self, k: int, x: Node) -> Node:
        """Return the squares of the deviations."""
        mean = np.ascontiguousarray(self._mean(k, self.done // BLOCK)).reshape(1, *x.desc.shape[1:])
        d = apply("subtract", x, stored(result(x.desc.dtype, mean.shape), mean))
        return apply("multiply", d, d)

    def block(self, k: int, total: Array) -> None:
        """Take the mean of a block and its sum of squares."""
        self.states[k].take((self._mean(k, (self.done - 1) // BLOCK), total), self.filled)


def _lanes(op: str, lanes: Sequence[Node], x: Node) -> list[Node]:
    """Return the lanes with the rows of x added, rotated on by them: the first `rows % 8` of the old ones come last."""
    chained, kept = ("chained_prod" if op == "prod" else "chained_sum"), x.desc.shape[1:]
    full, more = divmod(x.desc.shape[0], LANES)
    rounds = [reshaped(_slice(x, 0, full * LANES), (full, LANES, *kept))]
    if lanes:
        rounds.insert(0, reshaped(se.concat(lanes, 0), (1, LANES, *kept)))
    last = reshaped(_slice(x, full * LANES, more), (1, more, *kept))

    def chain(first: int, stop: int, *behind: Node) -> Node:
        parts = [*[_slice(r, first, stop - first, 1) for r in rounds], *behind]
        found = [n for n in parts if n.desc.size]
        return reduced(chained, se.concat(found, 0), (0,)) if found else identity(op, x, (stop - first, *kept))

    return [chain(more, LANES), *([chain(0, more, last)] if more else [])]


def identity(op: str, x: Node, shape: Shape) -> Node:
    """Return lanes to which no cell was added yet."""
    acc = x.desc.dtype  # -0.0 + x has the bits of x, for a zero of any sign
    value = 1 if op == "prod" else complex(-0.0, -0.0) if acc.kind == "complex" else -0.0
    return stored(result(acc, shape), np.full(shape, value, acc.np))


def _slice(x: Node, first: int, size: int, axis: int = 0) -> Node:
    """Return some neighbouring cells along an axis."""
    return se.slice_(x, [(first, 1, size) if a == axis else (0, 1, n) for a, n in enumerate(x.desc.shape)])


def _rows(x: Node, axes: Reduced) -> Node:
    """Return the cells of a tile with the reduced axes as one axis, before the kept ones."""
    turned = se.permute(x, [*axes.axes, *axes.kept])
    return se.reshaped(turned, (-1, *turned.desc.shape[len(axes.axes) :])) if len(axes.axes) > 1 else turned


@np.errstate(over="ignore")
def as_cells(value: Array, dtype: DType, shape: Shape) -> Array:
    """Return the value of a reduction in its dtype and shape."""
    return (value if value.dtype == dtype.np else narrowed(value, dtype)).reshape(shape)
