"""Reductions over files larger than memory: computed a tile at a time, with the bits of the whole.

The one idea: tiles follow the row-major order of the reduced axes, and what is kept between them is the state of the
one order of sums (`ir.portions`).  Blocks of 1024 cells are reduced where they lie if tiles are made of whole ones;
else tiles are computed one after the other into a buffer, from which whole blocks are taken and the rest carried on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType, narrowed
from weft.ir.atoms import selections as se
from weft.ir.graph import node
from weft.ir.graph.description import Shape, c_strides, describe
from weft.ir.graph.node import Node, make, result, stored, walk
from weft.ir.graph.ops import OPS, resolve
from weft.ir.kernels.partial_reductions import Free, Ordered, PartialPosition, is_ordered
from weft.ir.kernels.sum_order import BLOCK
from weft.ir.pieces.box import Box, box_of, box_of_runs
from weft.passes.restrict import restricted, restricted_together
from weft.passes.split import accumulation
from weft.runtime.compute import engine, stages
from weft.runtime.compute.signature import Work
from weft.runtime.memory import allocator
from weft.runtime.memory.limits import granted, memory_limit
from weft.sources.read import tiles
from weft.sources.read.byte_ranges import METERS
from weft.sources.read.fetching import file_of
from weft.sources.read.tiles import Growth

SMALL = 16 << 20  # bytes of files, as many as any limit that nobody set
Array = NDArray[Any]


class _Active(threading.local):
    """The streaming state of a thread: values of tiles are not streamed again."""

    on: bool = False


_ACTIVE = _Active()


def needed(work: Work) -> bool:
    """True if work has reductions and reads more bytes of files than the memory limit allows."""
    files = sum([f.desc.nbytes for f in {file_of(work.leaves[k]) for k in work.sources}])
    if _ACTIVE.on or files <= min(SMALL, granted() or SMALL) or not any(n.op.kind == "reduce" for n in work.order):
        return False
    limit = memory_limit()
    return 2 * files > limit and tiles.cost_of_work(work).total > limit


def stream(nodes: Sequence[Node]) -> None:
    """Compute the reductions below nodes that read more than the memory limit, inner ones first, tile by tile.

    Their nodes keep the values.  Raises OutOfMemory if even the smallest tile does not fit.
    """
    limit, _ACTIVE.on = memory_limit(), True
    try:
        for room in (limit // 4, None):  # results that are large are rather made part by part, for who reduces them
            for n in [n for n in walk(nodes) if n.op.kind == "reduce" and n.value is None]:
                waits = room is not None and n.desc.nbytes > room and _is_reduced(n, nodes)
                if n.value is None and n.desc.size and not waits and _reads_files(n) and _takes(n) > limit:
                    group = [m for m in _alike(n, nodes) if m is n or _takes(m) > limit]
                    for m, value in zip(group, TileStream(group, limit).values(), strict=True):
                        engine.publish(m, value)
    finally:
        _ACTIVE.on = False


def _takes(n: Node) -> int:
    """Return the bytes of memory that computing a node takes, with its value."""
    return tiles.cost_of([n]).total


def _is_reduced(n: Node, nodes: Sequence[Node]) -> bool:
    """True if n is below another reduction that is to be computed."""
    others = [m for m in walk(nodes) if m.op.kind == "reduce" and m.value is None and m is not n]
    return any(i is n for i in walk([i for m in others for i in m.inputs]))


def _reads_files(n: Node) -> bool:
    return any(i.op.name == "file" for i in walk([n]))


def _alike(n: Node, nodes: Sequence[Node]) -> list[Node]:
    """Return the reductions that can share a pass with n: of the same axes and input shape, with inputs ready."""

    def kind(m: Node) -> object:
        return m.attrs[0], m.inputs[0].desc.shape, _is_ordered(m)

    found = [m for m in walk(nodes) if m.op.kind == "reduce" and m.value is None and kind(m) == kind(n)]
    return [m for m in found if m is n or not any(i.op.kind == "reduce" and i.value is None for i in walk(m.inputs))]


def _acc(n: Node) -> DType:
    """Return the dtype in which a reduction accumulates."""
    return accumulation(n.op.name, n.inputs[0].desc.dtype, n.desc.dtype)


def _is_ordered(n: Node) -> bool:
    """True if the bits of a reduction depend on the order of its cells, as a sum's do."""
    return is_ordered(n.op.name, _acc(n))


# ---- nodes over a tile


def _reduced(op: str, x: Node, axes: Sequence[int], *attrs: Any) -> Node:
    """Return a node that reduces x over axes, which it loses."""
    axes = tuple(sorted(axes))
    shape = tuple([size for a, size in enumerate(x.desc.shape) if a not in axes])
    origin = None if x.desc.origin is None else tuple([o for a, o in enumerate(x.desc.origin) if a not in axes])
    return make(OPS[op], (x,), (axes, False, *attrs), result(resolve(OPS[op], x.desc.dtype)[1], shape, origin))


def _reshaped(x: Node, shape: Shape) -> Node:
    return se.reshape_view(x, shape) or se.reshape(x, shape)


def _parts(op: str, x: Node, axis: int, cells: int) -> list[Node]:
    """Return the nodes whose values `Ordered.take` takes for runs of `cells` cells along an axis of x.

    A variance needs the means and the sums of squared deviations (divisor 1), other reductions one node.
    """
    if op == "var":
        return [_reduced("mean", x, (axis,)), _reduced("var", x, (axis,), float(cells - 1))]
    return [_reduced("prod" if op == "prod" else "sum", x, (axis,))]


# ---- one pass over a group of reductions


class TileStream:
    """Reductions (`group`) over the same axes of inputs of one shape, computed in tiles under a memory limit."""

    def __init__(self, group: Sequence[Node], limit: int) -> None:
        self.group, self.limit = group, limit
        self.axes: tuple[int, ...] = group[0].attrs[0]
        self.shape = group[0].inputs[0].desc.shape
        self.kept = tuple([a for a in range(len(self.shape)) if a not in self.axes])
        self.originals = {id(m) for m in walk([n.inputs[0] for n in group])}
        self.costs: dict[Shape, tiles.TileCost] = {}

    def values(self) -> list[Array]:
        """Return the value of every reduction, in the order of the group."""
        half = box_of(tuple([max(1, size // 2) for size in self.shape]))
        tiles.compute_shared([x for _, x in self._inputs(half)], self.originals)
        tile = self.tile()
        for meter in METERS:
            meter.planned = meter.done + tiles.count(self.shape, tile) * self.cost(tile).fetched
        outs = [np.empty([self.shape[a] for a in self.kept], n.desc.dtype.np) for n in self.group]
        kept_shape, kept_tile = ([s[a] for a in self.kept] for s in (self.shape, tile))
        for box in tiles.boxes(tuple(kept_shape), tuple(kept_tile)):
            got = self.portion(box, tile)
            for n, out, value in zip(self.group, outs, got, strict=True):
                cells = value.reshape(box.size)
                out[box.slices] = cells if cells.dtype == out.dtype else narrowed(cells, n.desc.dtype)
        return [out.reshape(n.desc.shape) for n, out in zip(self.group, outs, strict=True)]

    def portion(self, kept: Box, tile: Shape) -> list[Array]:
        """Return the value of every reduction for a box of kept cells."""
        if all(tile[a] == self.shape[a] for a in self.axes):
            whole = self.box(kept, box_of(tuple([self.shape[a] for a in self.axes])))
            self.make_room(whole, tile)
            return self.computed(self._whole(whole))
        n = prod(self.shape[a] for a in self.axes)
        if not _is_ordered(self.group[0]):
            return self.free(kept, tile)
        states = [Ordered(m.op.name, _acc(m), n, *m.attrs[2:]) for m in self.group]
        if self.in_blocks(tile):
            self.in_place(kept, tile, states)
        else:
            self.buffered(kept, tile, states)
        return [s.result() for s in states]

    def box(self, kept: Box, reduced: Box) -> Box:
        """Return the box of the input from a box over the kept axes and one over the reduced axes."""
        found = dict(zip(self.kept, kept.runs, strict=True)) | dict(zip(self.axes, reduced.runs, strict=True))
        return box_of_runs([found[a] for a in range(len(self.shape))])

    def runs(self, tile: Shape) -> Iterator[Box]:
        """Iterate over the tiles of the reduced axes, as boxes in the order of their cells."""
        yield from tiles.boxes(tuple([self.shape[a] for a in self.axes]), tuple([tile[a] for a in self.axes]))

    def make_room(self, box: Box, tile: Shape) -> None:
        """Drop the allocator's spare memory that the next tile does not take."""
        tiles.spare(0 if tiles.is_clipped(box, tile) else self.memory(tile))

    def computed(self, roots: Sequence[Node]) -> list[Array]:
        """Return the values of nodes over one tile."""
        tiles.compute_shared(roots, self.originals)
        return _computed(roots)

    def _whole(self, box: Box) -> list[Node]:
        """Return the nodes that reduce a box along whole axes."""
        return [_reduced(n.op.name, x, self.axes, *n.attrs[2:]) for n, x in self._inputs(box)]

    def _inputs(self, box: Box) -> list[tuple[Node, Node]]:
        """Return (reduction, its input restricted to a box) for every reduction."""
        return list(zip(self.group, restricted_together([(n.inputs[0], box) for n in self.group]), strict=True))

    # ---- where no order shows
    def free(self, kept: Box, tile: Shape) -> list[Array]:
        """Return the values for a box of kept cells, for reductions whose bits do not depend on order.

        Positions (argmin, argmax) also take the number of the tile's first cell: of equal extremes the first counts.
        """
        states = [PartialPosition(n.op.name) if n.op.name in EXTREME else Free(n.op.name, _acc(n)) for n in self.group]
        strides = c_strides(tuple([self.shape[a] for a in self.axes]), 1)
        for run in self.runs(tile):
            box = self.box(kept, run)
            self.make_room(box, tile)
            first = sum(start * s for start, s in zip(run.start, strides, strict=True))
            found = iter([v.reshape(-1) for v in self.computed(self.free_roots(box))])
            for state in states:
                if isinstance(state, PartialPosition):
                    state.take(next(found), next(found), first)
                else:
                    state.take(next(found))
        return [s.result() for s in states]

    def free_roots(self, box: Box) -> list[Node]:
        """Return the nodes of all reductions over a box; for the position of an extreme also the extreme."""
        ops = [(x, op) for n, x in self._inputs(box) for op in (n.op.name, *EXTREME.get(n.op.name, ()))]
        return [_reduced(op, x, self.axes) for x, op in ops]

    # ---- whole blocks where they lie
    def in_blocks(self, tile: Shape) -> bool:
        """True if tiles are made of whole blocks of 1024 cells; a single line may end with a part of one."""
        inner = self.innermost()
        return tile[inner] % BLOCK == 0 and (self.shape[inner] % BLOCK == 0 or self.is_line())

    def innermost(self) -> int:
        """Return the last reduced axis that has more than one cell."""
        return max([a for a in self.axes if self.shape[a] > 1], default=self.axes[-1])

    def is_line(self) -> bool:
        """True if just one reduced axis has more than one cell."""
        return sum(self.shape[a] > 1 for a in self.axes) == 1

    def in_place(self, kept: Box, tile: Shape, states: Sequence[Ordered]) -> None:
        """Add every tile to the states, its blocks reduced by one kernel where they lie."""
        for run in self.runs(tile):
            self.make_room(self.box(kept, run), tile)
            for box, size in self.cut(kept, run) if run.cells % BLOCK else [(self.box(kept, run), BLOCK)]:
                values = self.computed(self.block_roots(box, size))
                take(states, values, kept.cells, size)

    def cut(self, kept: Box, run: Box) -> Iterator[tuple[Box, int]]:
        """Split the end of a line; iterate over (box, cells of a block): its whole blocks, then the last cells."""
        at = self.axes.index(self.innermost())
        start, size = run.start[at], run.size[at]
        for first, cells, block in (
            (start, size // BLOCK * BLOCK, BLOCK),
            (start + size // BLOCK * BLOCK, size % BLOCK, 0),
        ):
            if cells:
                yield self.box(kept, run.along(at, (first, 1, cells))), block or cells

    def block_roots(self, box: Box, block: int) -> list[Node]:
        """Return the nodes that reduce every block of a box."""
        shape = box.size
        inner = self.innermost()
        order = [*self.kept, *self.axes]
        split = [shape[a] for a in order if a != inner]
        roots = []
        for n, part in self._inputs(box):
            x = node.astype(part, _acc(n))
            x = se.permute(x, [*self.kept, *[a for a in self.axes if a != inner], inner])
            x = _reshaped(x, (*split, shape[inner] // block, block))
            roots += _parts(n.op.name, x, x.desc.ndim - 1, block)
        return roots

    # ---- any other cut
    def buffered(self, kept: Box, tile: Shape, states: Sequence[Ordered]) -> None:
        """Add every tile to the states through a buffer, out of which whole blocks are reduced."""
        room = BLOCK - 1 + prod(tile[a] for a in self.axes)
        buffers: dict[tuple[int, DType], PortionBuffer] = {}  # by input and dtype of accumulation
        for n, s in zip(self.group, states, strict=True):
            key = id(n.inputs[0]), _acc(n)
            if key not in buffers:
                buffers[key] = PortionBuffer(n.inputs[0], key[1], kept.size, room, self.across())
            buffers[key].states.append(s)
        for run in self.runs(tile):
            self.make_room(self.box(kept, run), tile)
            for b in buffers.values():
                part = self.turned(b.tile(self.box(kept, run)))
                tiles.compute_shared([part], self.originals)
                b.fill(part, run.cells)
                b.drain(BLOCK)
        for b in buffers.values():
            b.drain(b.filled)

    def across(self) -> bool:
        """True if the kept cells lie side by side: the last axis with more than one cell is a kept one."""
        return bool(self.kept) and self.kept[-1] > self.innermost() and self.shape[self.kept[-1]] > 1

    def turned(self, x: Node) -> Node:
        """Return x with its axes in the order of a buffer."""
        return se.permute(x, [*self.axes, *self.kept] if self.across() else [*self.kept, *self.axes])

    # ---- the choice of tiles
    def tile(self) -> Shape:
        """Return the shape of the tile with which reading takes the least time, of a few that fit the limit."""
        unit, limit = self.unit(), 3 * self.limit // 4
        fitted = [tiles.fitted(self.shape, g, unit, self.limit // 8, self.memory, limit) for g in self.growths()]
        least = tiles.grown(self.shape, [*self._blocks_first()], (1,) * len(self.shape), BLOCK)
        return min([tile for tile in fitted if tile is not None], key=self.seconds, default=least)

    def seconds(self, tile: Shape) -> float:
        """Return the estimated seconds for all tiles of that shape."""
        return tiles.count(self.shape, tile) * (self.cost(tile).seconds + tiles.TILE)

    def unit(self) -> Shape:
        """Return the smallest tile: one cell, or one block along the innermost reduced axis if the order of sums
        counts.
        """
        inner = self.innermost()
        return tuple([BLOCK if a == inner and _is_ordered(self.group[0]) else 1 for a in range(len(self.shape))])

    def growths(self) -> list[Growth]:
        """Return the orders in which tiles may grow, each a list of (axis, most cells)."""
        s, reduced, kept = self.shape, self.axes[::-1], self.kept[::-1]
        whole = partial(map, lambda a: (a, s[a]))
        found: list[Growth] = [
            [*whole(range(len(s) - 1, -1, -1))],
            [*whole(reduced), *whole(kept)],
            [*whole(kept), *whole(reduced)],
            [*whole(self.kept), *whole(reduced)],
            [*self._blocks_first(), *whole(kept), *whole(reduced)],
        ]
        if not _is_ordered(self.group[0]) and not any(n.op.name in EXTREME for n in self.group):
            found.append([*whole(range(len(s)))])
        return found

    def _blocks_first(self) -> Iterator[tuple[int, int]]:
        """Iterate over (reduced axis, cells) from the innermost outward, until they hold a block."""
        cells = 1
        for a in self.axes[::-1]:
            yield a, -(-BLOCK // cells)
            cells *= self.shape[a]
            if cells >= BLOCK:
                return

    def cost(self, tile: Shape) -> tiles.TileCost:
        """Return the cost of a tile in the middle."""
        if tile not in self.costs:
            self.costs[tile] = tiles.cost_of(self.roots(tiles.middle(self.shape, tile), tile))
        return self.costs[tile]

    def memory(self, tile: Shape) -> int:
        """Return the bytes that computing a tile takes, its buffer included."""
        cost = self.cost(tile)
        carried = 0
        if self._is_buffered(tile):
            cells = prod(tile[a] for a in self.kept)
            carried = (BLOCK + 64) * cells * sum(_acc(n).itemsize for n in self.group)
        return cost.total + carried

    def _is_buffered(self, tile: Shape) -> bool:
        """True if tiles of that shape go through a buffer."""
        whole = all(tile[a] == self.shape[a] for a in self.axes)
        return not whole and _is_ordered(self.group[0]) and not self.in_blocks(tile)

    def roots(self, box: Box, tile: Shape) -> list[Node]:
        """Return the nodes that are computed for a tile at a box."""
        if all(tile[a] == self.shape[a] for a in self.axes):
            return self._whole(box)
        if not _is_ordered(self.group[0]):
            return self.free_roots(box)
        if self.in_blocks(tile) and box.size[self.innermost()] % BLOCK == 0:
            return self.block_roots(box, BLOCK)
        return [self.turned(node.astype(x, _acc(n))) for n, x in self._inputs(box)]


EXTREME = {"argmin": ("min",), "argmax": ("max",)}


def _computed(roots: Sequence[Node]) -> list[Array]:
    """Compute new nodes and return their values."""
    stages.compute(roots)
    return [r.value for r in roots]


def take(states: Sequence[Ordered], values: Sequence[Array], kept: int, cells: int, across: bool = False) -> None:
    """Add reduced blocks of `cells` cells each to the states, every state taking its own values in turn.

    Values are (kept, blocks), or (blocks, kept) if `across`.
    """
    found = iter(values)
    for s in states:
        planes = [next(found) for _ in range(2 if s.op == "var" else 1)]
        s.take(tuple([p.reshape(-1, kept).T if across else p.reshape(kept, -1) for p in planes]), cells)


@dataclass(slots=True)
class PortionBuffer:
    """A buffer of computed cells that are not reduced yet: (room, kept) if `across`, else (kept, room)."""

    x: Node
    acc: DType
    kept: Shape
    room: int
    across: bool
    filled: int = 0
    states: list[Ordered] = field(default_factory=list)
    memory: Array = field(init=False)

    def __post_init__(self) -> None:
        cells = prod(self.kept)
        shape = (self.room, cells) if self.across else (cells, self.room)
        self.memory = allocator.empty(self.acc.np, shape)

    def tile(self, box: Box) -> Node:
        """Return a box of the input as a node in the dtype of accumulation."""
        return node.astype(restricted(self.x, box), self.acc)

    def cells(self, first: int, stop: int) -> Node:
        """Return the columns [first, stop) of the buffer as a node over its memory."""
        shape = self.memory.shape
        leaf = stored(describe(self.acc, shape, c_strides(shape, self.acc.itemsize)), self.memory)
        part, all_kept = (first, 1, stop - first), (0, 1, prod(self.kept))
        return se.slice_(leaf, [part, all_kept] if self.across else [all_kept, part])

    def fill(self, tile: Node, cells: int) -> None:
        """Compute a tile of `cells` cells for each kept one into the buffer, behind its contents."""
        target = self.cells(self.filled, self.filled + cells)
        view = se.reshape_view(target, tile.desc.shape)
        assert view is not None
        stages.store(tile, view)
        self.filled += cells

    def drain(self, block: int) -> None:
        """Add the whole blocks in the buffer to the states, and move the rest to the front."""
        blocks = self.filled // block if block else 0
        if not blocks:
            return
        x, kept = self.cells(0, blocks * block), prod(self.kept)
        shape = (blocks, block, kept) if self.across else (kept, blocks, block)
        x = _reshaped(x, shape)
        axis = 1 if self.across else 2
        roots = [r for s in self.states for r in _parts(s.op, x, axis, block)]
        take(self.states, _computed(roots), kept, block, self.across)
        done, left = blocks * block, self.filled - blocks * block
        m = self.memory if self.across else self.memory.T
        m[:left] = m[done : self.filled]
        self.filled = left
