"""Consumers of tiles: reductions and counts that fold them, and values that are computed into memory.

The one idea: a consumer knows which axes it needs whole, what it holds between tiles, and how it adds a tile.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from itertools import accumulate
from math import prod
from operator import mul
from typing import Any, ClassVar

import numpy as np

from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, copied, make, result, stored
from weft.ir.kernels.sum_order import BLOCK, LANES, bin_sums
from weft.ir.pieces.box import Box, box_of
from weft.runtime.compute import engine, stages
from weft.runtime.memory import allocator
from weft.sources.stream.folds import (
    FEW_KEPT,
    Array,
    DeviationsFold,
    Fold,
    FreeFold,
    LanesFold,
    MeansFold,
    Reduced,
    WholeFold,
    acc_of,
    as_cells,
    is_in_order,
    reduced_group,
)
from weft.sources.stream.row_fold import RowFold
from weft.sources.stream.sweep import TileConsumer, stand_in
from weft.sources.stream.tiling import Tiling
from weft.tensors.place import cells as cells_of


def fold_class(
    group: Sequence[Node], axes: Reduced, tile_size: Shape
) -> type[WholeFold | FreeFold | RowFold | LanesFold]:
    """Return the class of folds for tiles of `tile_size`; for variances in two passes, the class of the first.

    `group` are the reductions, over `axes`.
    """
    if axes.is_whole(tile_size):
        return WholeFold
    if not is_in_order(group[0]):
        return FreeFold
    if not _in_lanes(axes, tile_size):
        return RowFold
    return MeansFold if group[0].op.name == "var" else LanesFold


def _in_lanes(axes: Reduced, size: Shape) -> bool:
    """True if tiles of `size`, cut along reduced axes, are best folded in lanes rather than rows."""
    kept, rows = axes.counts(size)
    return kept >= FEW_KEPT and rows <= BLOCK // 2 and not axes.any_order


def carried_bytes(group: Sequence[Node], axes: Reduced, tile_size: Shape) -> int:
    """Return about how many bytes the state of the reductions `group` takes between tiles of `tile_size`."""
    kept, rows = axes.counts(tile_size)
    fold = fold_class(group, axes, tile_size)
    if fold is RowFold:
        copies = 2 * rows + axes.blocks(tile_size) * BLOCK
    else:
        copies = {WholeFold: 0, FreeFold: 2}.get(fold, 3 * LANES)
    return copies * kept * sum([acc_of(n).itemsize for n in group])


def waiting_bytes(group: Sequence[Node], axes: Reduced, tiling: Tiling) -> int:
    """Return the bytes of states, and of cells and block values that wait, between the tiles of parts cut further.

    Such tiles come part by part: those of all kept cells of a part are open together, and in any order a run of cells
    waits for the next part at both of its ends.
    """
    fold, itemsize = fold_class(group, axes, tiling.size), sum([acc_of(n).itemsize for n in group])
    kept, _ = axes.counts(tiling.size)
    part = axes.part_size(tiling)
    all_kept, rows = axes.counts(part)
    if fold is not RowFold or not axes.any_order:
        cells = {WholeFold: 0, FreeFold: 1, RowFold: BLOCK}.get(fold, LANES)
        return (all_kept - kept) * cells * itemsize
    # Rows of 10 000 cells in tiles of 500: cells 0 to 499 are less than a block of 1024, so they wait for 500 to 999
    # and the first 24 of the next tile; in any order, up to a block waits at each end of a run of tiles.
    cut = [a for a in axes.axes[1:] if tiling.size[a] < axes.shape[a]]
    blocks = 2 * (axes.blocks(part) + sum(accumulate([part[a] for a in axes.axes[:-2]], mul)))
    values = rows // max(1, prod([part[a] for a in axes.axes[1:]])) * prod([axes.shape[a] for a in axes.axes[1:]])
    copies = 4 if group[0].op.name == "var" else 2  # planes, and those that are replaced by longer ones
    waiting = blocks * BLOCK + copies * bool(cut) * (values // BLOCK)
    return all_kept * itemsize * waiting + -(-all_kept // kept) * blocks * BLOCK  # each fold has a mask of its cells


class AxisCut(Enum):
    """The reduced axes along which tiles may be cut."""

    NONE = "none"
    IN_ORDER = "the outermost one where the order of cells shows, else any"
    ANY_ORDER = "any"
    ANY_ROWS = "any but the innermost one, so that few cells wait for the rest of their block"


class Mergeable(TileConsumer):
    """A consumer whose partial results over some tiles can be sent, and merged with those over others.

    `group` are the nodes that it is made from, `kind` names its class, and `parameters` are its other arguments.
    """

    kind: ClassVar[str]
    group: Sequence[Node]
    parameters: Sequence[Any] = ()

    def serial_label(self, box: Box) -> object:
        """Return a label shared by the tiles that one process must add in order; None if a tile is independent.

        `box` is the box of the tile.
        """
        return None

    @abstractmethod
    def state(self) -> Any:
        """Return the partial results so far, as data that `join` accepts."""

    @abstractmethod
    def join(self, state: Any) -> None:
        """Merge the partial results of another consumer for other tiles."""


class Reductions(Mergeable):
    """The consumer of reductions over the same axes of values of one shape, with the same kind of state.

    Variances may need a second pass, once the block means are known.  With `turning`, tiles of all kept cells come
    before the next reduced cells, so that all states are held at once.
    """

    kind = "reductions"

    def __init__(self, group: Sequence[Node], cut: AxisCut, turning: bool = False) -> None:
        super().__init__([n.inputs[0] for n in group])
        self.group, self.values, self.cut, self.turning = group, group, cut, turning
        self.parameters = cut.value, turning
        any_order = cut in (AxisCut.ANY_ORDER, AxisCut.ANY_ROWS)
        self.axes = Reduced(self.roots[0].desc.shape, group[0].attrs[0], any_order)
        inner = self.axes.inner_axes() if is_in_order(group[0]) else ()
        uncut = {AxisCut.NONE: self.axes.axes, AxisCut.IN_ORDER: inner, AxisCut.ANY_ROWS: self.axes.axes[-1:]}
        self.uncut = frozenset(uncut.get(cut, ()))
        self.means: dict[Box, Sequence[Array]] = {}  # block means of a first pass of variances, by box of kept cells
        self.open: dict[Box, tuple[Any, int]] = {}  # by box of kept cells: fold, and number of cells to come
        self.stored_boxes: set[Box] = set()  # boxes of kept cells whose values are computed
        self._apart: dict[Shape, bool] = {}  # by size of tiles: whether processes may fold them apart
        self.cells_left = prod([self.axes.shape[a] for a in self.axes.kept])  # kept cells without a value

    @cached_property
    def outs(self) -> list[Array]:
        """Return the memory of the values, an array for each reduction, without the reduced axes."""
        shape = tuple([self.axes.shape[a] for a in self.axes.kept])
        return [allocator.empty(n.desc.dtype.np, shape) for n in self.group]

    def needs_two_passes(self, size: Shape) -> bool:
        """True if tiles of `size` are read twice: variances that need block means first."""
        return fold_class(self.group, self.axes, size) is MeansFold

    def is_costly(self, size: Shape) -> bool:
        """True if tiles of `size` cost about twice as much as uncut ones.

        These are tiles that are read in two passes, and tiles of lanes with fewer than eight reduced cells.
        """
        fold = fold_class(self.group, self.axes, size)
        return fold is MeansFold or (fold is LanesFold and prod([size[a] for a in self.axes.axes]) < LANES)

    def needed(self, size: Shape) -> int:
        """Return the bytes of the state between tiles of `size`."""
        carried = carried_bytes(self.group, self.axes, size)
        if self.turning:
            shape = [size[a] if a in self.axes.axes else n for a, n in enumerate(self.axes.shape)]
            carried += carried_bytes(self.group, self.axes, tuple(shape))
        return carried

    def waiting(self, tiling: Tiling) -> int:
        """Return the bytes of states and cells that wait between tiles; `needed` has them if all states are held."""
        return 0 if self.turning else waiting_bytes(self.group, self.axes, tiling)

    def planned(self, inputs: Sequence[Node]) -> list[Node]:
        """Return the reductions of one tile, as nodes over `inputs`."""
        return reduced_group(self.group, inputs, self.axes)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Fold the tile at `box`, and store the values of its kept cells if it completes them.

        `inputs` has the tile's node for each reduction. Raises the errors of computing them.
        """
        kept = self.axes.kept_box(box)
        if kept in self.stored_boxes:
            return
        fold, left = self.open.pop(kept, None) or (self._fold(kept, box), self.axes.cells)
        fold.add(inputs, box)
        left -= box.cells // max(1, kept.cells)
        if left and not (isinstance(fold, FreeFold) and fold.is_settled()):
            self.open[kept] = fold, left
            return
        self._finish(kept, fold)

    def _finish(self, kept: Box, fold: Fold) -> None:
        """Store the values, or block means, of the box `kept` of kept cells, whose tiles `fold` has all added."""
        if isinstance(fold, MeansFold):
            self.means[kept] = fold.values()
            return
        self.means.pop(kept, None)
        values = zip(self.group, fold.values(), strict=True)
        self._store(kept, [as_cells(value, n.desc.dtype, kept.size) for n, value in values])

    def _store(self, kept: Box, values: Sequence[Array]) -> None:
        """Store the values of a box of kept cells, if they are not stored yet."""
        if kept not in self.stored_boxes:
            self.stored_boxes.add(kept)
            self.cells_left -= max(1, kept.cells)
            for out, value in zip(self.outs, values, strict=True):
                out[kept.slices] = value

    def may_pair(self, axes: tuple[int, int]) -> bool:
        """True if all states are held at once, and the two `axes` are not both reduced."""
        return self.turning and not set(axes) <= set(self.axes.axes)

    def serial_label(self, box: Box) -> object:
        """Return where the kept cells of a tile begin if one process must fold their tiles in order, else None."""
        if box.size not in self._apart:
            self._apart[box.size] = fold_class(self.group, self.axes, box.size).apart
        return None if self._apart[box.size] else tuple([box.start[a] for a in self.axes.kept])

    def state(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the partial results so far as data that `join` accepts: values, means, and open folds."""
        known = [(tuple(kept), [np.asarray(out[kept.slices]) for out in self.outs]) for kept in self.stored_boxes]
        opened = [(tuple(kept), left, fold.state()) for kept, (fold, left) in self.open.items()]
        return known, [(tuple(kept), list(found)) for kept, found in self.means.items()], opened

    def join(self, state: tuple[Sequence[Any], Sequence[Any], Sequence[Any]]) -> None:
        """Merge the partial results of another consumer for other tiles of the same size."""
        known, means, opened = state
        for kept, values in known:
            self.open.pop(Box(*kept), None)
            self._store(Box(*kept), values)
        self.means.update([(Box(*kept), found) for kept, found in means])
        for at, missing, found in opened:
            if (kept := Box(*at)) in self.stored_boxes:
                continue
            fold, left = self.open.pop(kept, None) or (self._fold_of_parts(), self.axes.cells)
            fold.join(found)
            left -= self.axes.cells - missing
            if left:
                self.open[kept] = fold, left
            else:
                self._finish(kept, fold)

    def _fold_of_parts(self) -> FreeFold | RowFold:
        return (RowFold if is_in_order(self.group[0]) else FreeFold)(self.group, self.axes)

    @property
    def is_known(self) -> bool:
        """True if all values are computed; `any` and `all` may be before all cells are seen."""
        return not self.cells_left

    def _fold(self, kept: Box, box: Box) -> Fold:
        if kept in self.means:
            return DeviationsFold(self.group, self.axes, self.means[kept])
        return fold_class(self.group, self.axes, box.size)(self.group, self.axes)

    def publish(self) -> None:
        """Attach the values to the reductions."""
        for n, out in zip(self.group, self.outs, strict=True):
            engine.publish(n, out.reshape(n.desc.shape))


COPIES = 33  # bytes for each cell while it is added to its bin: number and weight, twice, and a mask


class BinTotals(Mergeable):
    """The consumer of a count of bins, or of the sums of weights by bin.

    Counts and integer sums of tiles are added up; floats are added one by one in row-major order.
    """

    kind = "bins"

    def __init__(self, n: Node) -> None:
        super().__init__(n.inputs)
        self.node, self.in_order = n, n.desc.dtype.is_inexact
        self.group = self.values = [n]
        self.uncut = frozenset(range(1, n.inputs[0].desc.ndim) if self.in_order else ())
        self.sums = np.zeros(n.desc.shape, n.desc.dtype.np)

    def needed(self, size: Shape) -> int:
        """Return the bytes of the sums, of a tile's sums, and of a tile's cells if added one by one."""
        return 2 * self.sums.nbytes + (COPIES * prod(size) if self.in_order else 0)

    def planned(self, inputs: Sequence[Node]) -> list[Node]:
        """Return the bin count of a tile as a node, or its cells if they are added one by one."""
        return list(inputs) if self.in_order else [make(self.node.op, tuple(inputs), self.node.attrs, self.node.desc)]

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Add the cells of the tile at `box`, given as nodes, to the sums; raises the errors of computing them."""
        made = self.planned(inputs)
        stages.compute(made)
        if self.in_order:
            self.sums = bin_sums(*[cells_of(n) for n in made], bins=self.sums.size, onto=self.sums)
        else:
            self.sums += cells_of(made[0])

    def serial_label(self, box: Box) -> object:
        """Return the node if one process must count all tiles in order, else None."""
        return self.node if self.in_order else None

    def state(self) -> Array:
        """Return the sums so far."""
        return self.sums

    def join(self, state: Array) -> None:
        """Add the `state` of another consumer over other tiles."""
        self.sums += state

    def publish(self) -> None:
        """Attach the sums to the node."""
        engine.publish(self.node, self.sums)


class MemoryWriter(TileConsumer):
    """The consumer that computes values tile by tile into memory of their own.

    `remote_leaves` are leaves of values that other processes computed and hold; with `may_stay` values may stay there.
    """

    remote_leaves: Sequence[Node] = ()

    def __init__(self, roots: Sequence[Node], may_stay: bool = False) -> None:
        super().__init__(roots)
        self.values, self.may_stay = roots, may_stay

    @cached_property
    def targets(self) -> list[Node]:
        """Return the memory of the values, as stored nodes."""
        described = [result(n.desc.dtype, n.desc.shape) for n in self.roots]
        return [stored(d, allocator.empty(d.dtype.np, d.shape)) for d in described]

    def may_pair(self, axes: tuple[int, int]) -> bool:
        """True: values are computed in any order."""
        return True

    def needed(self, size: Shape) -> int:
        """Return 0: the memory of the results is not counted."""
        return 0

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Compute the tile at `box`, given as nodes, into its place in the target memory.

        Raises the errors of computing.
        """
        for x, target in zip(inputs, self.targets, strict=True):
            stages.store(x, se.slice_(target, box.runs))

    def publish(self) -> None:
        """Attach the values to their nodes, if they were computed here or elsewhere."""
        for n, leaf in self._leave():
            engine.publish(n, leaf.attrs[0].read_box(box_of(n.desc.shape)))
        if "targets" not in self.__dict__:
            return
        for n, target in zip(self.roots, self.targets, strict=True):
            engine.publish(n, target.value)

    def assume(self) -> None:
        """Act for a forecast as if values were computed here, or held by other processes."""
        for n in self.roots if not self.remote_leaves else [n for n, _ in self._leave()]:
            stand_in(n)

    def _leave(self) -> list[tuple[Node, Node]]:
        """Leave values where they are held, but for views: return these with the leaves of their cells."""
        held = list(zip(self.roots, self.remote_leaves, strict=False))
        for n, leaf in held:
            if n.alias is None:
                engine.redefine(n, copied(leaf))
        return [(n, leaf) for n, leaf in held if n.alias is not None]  # only its cells were computed, not its root
