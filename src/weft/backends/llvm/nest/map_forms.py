"""The form of a row's loops: axes in the lanes, the axis around them, and their blocks.

Terms: a kernel runs *n* cells along the lanes for each of *m* rows; a *block* is a range of both; the *outer* axes turn
around the blocks; a *packed* leaf is copied block by block through a buffer, so that its cells touch along the lanes.
The one idea: kernels see only cells that lie close along their lanes; everything else is packed, results at odd strides
too.  A few forms are weighed: *plain*, the axis closest in memory in the lanes; and, where that axis is short, *flat*
ones, which run it and some others as one through the lanes.  A map may visit its cells in any order, so axes are only
numbers to sort: by the output's strides first, for writes cost most, then by the operands'.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.structure import CompactBody, Leaf, Turn, leaf_of
from weft.backends.llvm.nest.tile_moves import NEAR, TileMove, block_axes, cheapest_move, flat_axes, row_cost
from weft.ir.kernels.plan import Operand

UNIT = 20_000.0  # nanoseconds of work in a unit, about
CELLS = (1 << 12, 1 << 16)  # cells in a unit, at least and at most
ACROSS = 128  # rows of a block that is read along another axis: cells of some cache lines
FLAT_CELLS = 512  # a flat form merges axes until its blocks have so many cells, at least
TILES = 96 << 10  # bytes of stack that the driver has for buffers
BUFFERED = (6 << 10, 64 << 10)  # bytes of buffered cells: part of the first cache; if read across, of the second
CACHE = 512 << 10  # bytes of cache lines that stay near until their other cells are read
PAD = 64  # bytes between the rows of a buffer, so that they do not share cache sets


@dataclass(slots=True)
class Form:
    """One way to loop over a row: the axes in the lanes and around them, sizes of blocks, packed leaves.

    Axes are given by number, -1 for none.
    """

    leaves: list[Leaf]
    lanes: tuple[int, ...]  # the axes that run through the lanes, the fastest last
    rows: int = -1
    outer: tuple[int, ...] = ()
    n: int = 1
    m: int = 1
    inner: int = 1  # cells of the axes in the lanes but the first: blocks are multiples of it
    block_n: int = 1
    block_m: int = 1
    packed: dict[int, TileMove] = field(default_factory=dict)
    buffers: dict[int, tuple[int, int]] = field(default_factory=dict)  # packed leaf: first byte, bytes between rows
    cost: float = 0.0  # nanoseconds per cell, without moving bytes

    @property
    def units(self) -> int:
        """The number of blocks at one index of the outer axes."""
        return -(-self.n // self.block_n) * -(-self.m // self.block_m)


def choose(axes: Axes, body: CompactBody, operands: Sequence[Operand], turns: dict[int, Turn]) -> Form:
    """Return the form of loops with the least estimated cost for a row; the last operand is the output.

    `turns` are those of operands that share rows.
    """
    problem = _Problem(axes, operands, body, [_closest(strides) for strides in axes.strides], turns)
    return min(problem.forms(), key=lambda f: f.cost)


def _closest(strides: Sequence[int]) -> int:
    """Return the axis with the smallest of `strides`, or -1 if that is larger than 32 bytes.

    Along such an axis neighbouring cells share cache lines.
    """
    best, least = -1, NEAR + 1
    for a, s in enumerate(strides):
        if 0 < abs(s) < least:
            best, least = a, abs(s)
    return best


@dataclass(slots=True)
class _Problem:
    axes: Axes
    operands: Sequence[Operand]
    body: CompactBody
    closest: list[int]  # of each leaf the axis along which cells share cache lines, or -1
    turns: dict[int, Turn]  # of leaves that share rows

    # ---- leaves
    def _leaves(self, strides: Sequence[int]) -> list[Leaf]:
        """Return the leaves as a kernel sees them with these byte strides along the lanes."""
        gathered = self.body.gathered
        given = enumerate(zip(self.operands, strides, strict=True))
        leaves = [leaf_of(o, stride, k in gathered, turn=self.turns.get(k)) for k, (o, stride) in given]
        item = self.operands[-1].dtype.itemsize
        if strides[-1] > item and strides[-1] == item * (width := self.body.width):
            leaves[-1] = leaves[-1]._replace(kind=str(width))
        return leaves

    def _buffered(self, leaves: Sequence[Leaf]) -> list[int]:
        """Return the numbers of the leaves that have to go through a buffer; the output does unless its cells touch."""
        gathered, out, touching = self.body.gathered, len(leaves) - 1, str(self.body.width)
        return [
            k
            for k, leaf in enumerate(leaves)
            if not (leaf.coordinate or k in gathered) and (leaf.kind == "s" or (k == out and leaf.kind != touching))
        ]

    def _scattered_pack_cost(self, k: int) -> float:
        """Return the extra nanoseconds per cell of packing leaf k if cells of a block share no cache line."""
        a, sizes = self.closest[k], self.axes.sizes
        if a < 0:
            return 0.0
        lines = prod(n for n, s in zip(sizes[a + 1 :], self.axes.strides[k][a + 1 :], strict=True) if s)
        collide = any(s and s % 4096 == 0 for s in self.axes.strides[k][a + 1 :])
        return cost.PACK_LATER if lines * 64 <= CACHE and not collide else cost.PACK_FAR

    # ---- candidates
    def forms(self) -> Iterator[Form]:
        """Yield the candidate forms of the loops, from which the cheapest is taken."""
        sizes = self.axes.sizes
        if not sizes:  # one cell, as a contiguous run of one: no kernel of its own
            gathered = self.body.gathered
            steps = [0 if k in gathered else o.dtype.itemsize for k, o in enumerate(self.operands)]
            yield Form(self._leaves(steps), ())
            return
        last = len(sizes) - 1
        yield self._row_form(last)
        if last == 0 or sizes[last] >= 8 * self.body.lanes or self.body.width > 1:
            return
        if self.body.gathered and sizes[last] < self.body.lanes:  # short rows at computed places fill no lanes
            yield self._row_form(max(range(last), key=sizes.__getitem__))
        sets = {tuple(range(first, last + 1)) for first in self._first_axes()}
        sets |= {tuple(sorted({a, *s})) for s in sets | {(last,)} for a in {*self.closest} - {-1}}
        for lanes in sorted(sets - {(last,)}):
            form = self._flat(lanes)
            if form is not None:
                yield form

    def _first_axes(self) -> list[int]:
        """Return the axes at which flat forms may begin, which take all axes from there on as one.

        They are the last axis from which on the cells fill a block, and the one before it.
        """
        sizes = self.axes.sizes
        first = len(sizes) - 1
        while first > 0 and prod(sizes[first:]) < FLAT_CELLS:
            first -= 1
        return sorted({first, max(first - 1, 0)})

    def _row_form(self, lane: int) -> Form:
        """Return the form with axis `lane` in the lanes and rows of another axis around it."""
        sizes = self.axes.sizes
        leaves = self._leaves([s[lane] for s in self.axes.strides])
        packed = self._buffered(leaves)
        votes = [a for k in packed if (a := self.closest[k]) not in (-1, lane)]
        rows = max(sorted(set(votes)), key=votes.count) if votes else lane - 1
        if not votes and lane and sizes[lane] * sizes[rows] < CELLS[0] // 4:
            rows = max(range(lane), key=sizes.__getitem__)
        form = Form(leaves, (lane,), rows, n=sizes[lane], m=sizes[rows] if rows >= 0 else 1)
        form.packed = dict.fromkeys(packed)  # type: ignore[assignment]
        return self._finished(form)

    def _flat(self, lanes: tuple[int, ...]) -> Form | None:
        """Return the form with the axes `lanes` as one in the lanes; None if a leaf cannot be packed."""
        sizes = [self.axes.sizes[a] for a in lanes]
        strides = [[s[a] for a in lanes] for s in self.axes.strides]
        leaves = self._leaves([s[-1] for s in strides])
        apart = {k for k, s in enumerate(strides) if any(s[a - 1] != s[a] * sizes[a] for a in range(1, len(lanes)))}
        if apart & self.body.gathered:
            return None
        packed = sorted(apart.union(self._buffered(leaves)))
        inner = prod(sizes[1:])
        if inner * sum([self.operands[k].dtype.itemsize for k in packed]) > BUFFERED[1]:
            return None
        form = Form(leaves, lanes, n=prod(sizes), inner=inner)
        form.packed = dict.fromkeys(packed)  # type: ignore[assignment]
        return self._finished(form)

    # ---- blocks and cost
    def _finished(self, form: Form) -> Form:
        """Return a form after filling in its outer axes, blocks, buffers, moves and cost."""
        sizes = self.axes.sizes
        form.outer = tuple([a for a in range(len(sizes)) if a != form.rows and a not in form.lanes])
        for k in form.packed:
            form.leaves[k] = leaf_of(self.operands[k], 0, packed=True)
        lane_cost = self.body.cost + sum([leaf.cost for leaf in form.leaves])
        self._cut(form, lane_cost)
        self._place_buffers(form)
        for k in form.packed:
            form.packed[k] = self._tile_move(form, k)
        form.cost = self._cost(form, lane_cost)
        return form

    def _cut(self, form: Form, lane_cost: float) -> None:
        """Set the sizes of a form's blocks: about a unit's work, but no more than its buffers hold.

        `lane_cost` is the nanoseconds of a cell in its lane.
        """
        moved = cost.BYTE * sum([f.dtype.itemsize for f in form.leaves if f.kind != "0"])
        cells = int(min(max(UNIT / (lane_cost + moved), CELLS[0]), CELLS[1]))
        first = form.lanes[0] if len(form.lanes) > 1 else form.rows
        across = first >= 0 and first in [self.closest[k] for k in form.packed]
        if form.packed:
            goal = BUFFERED[across and self.axes.sizes[first] >= 16]
            cells = min(cells, max(1, goal // sum([form.leaves[k].dtype.itemsize for k in form.packed])))
        form.block_m = min(form.m, ACROSS, cells) if across else 1
        whole = form.inner if len(form.lanes) > 1 else self.body.lanes
        columns = max(1, cells // form.block_m)
        form.block_n = min(form.n, columns // whole * whole or (whole if len(form.lanes) > 1 else columns))
        form.block_m = min(form.m, max(1, cells // form.block_n))

    def _place_buffers(self, form: Form) -> None:
        place = 0
        for k in form.packed:
            item = form.leaves[k].itemsize
            pitch = form.block_n * item
            pitch += PAD if form.block_m > 1 and pitch >= 4 * PAD else 0
            form.buffers[k] = (place, pitch)
            place += form.block_m * pitch + 63 & -64
        assert place <= TILES, f"internal: {place} bytes of buffers"

    def _tile_move(self, form: Form, k: int) -> TileMove:
        strides, item = self.axes.strides[k], form.leaves[k].itemsize
        if len(form.lanes) > 1:
            sizes = [self.axes.sizes[a] for a in form.lanes]
            blocks = flat_axes(sizes, [strides[a] for a in form.lanes], item, form.block_n // form.inner)
        else:
            rows = strides[form.rows] if form.rows >= 0 else 0
            blocks = block_axes(form.block_n, form.block_m, strides[form.lanes[0]], rows, item, form.buffers[k][1])
        return cheapest_move(blocks, item, self._scattered_pack_cost(k))

    def _cost(self, form: Form, lane_cost: float) -> float:
        """Return a form's nanoseconds per cell: evaluating, packing, and beginning rows and units.

        `lane_cost` is the nanoseconds of a cell in its lane.
        """
        run = form.block_n
        whole = -(-run // self.body.lanes) * self.body.lanes
        partial = sum([f.partial_cost for f in form.leaves]) if run % self.body.lanes else 0.0
        begin = cost.ROW + (self._row_cost(form) if form.block_m > 1 else 0.0)
        chunks = (lane_cost * whole + partial + begin) / run
        unit = cost.UNIT + cost.UNIT_OPERAND * len(form.leaves)
        return chunks + sum([m.cost for m in form.packed.values()]) + unit / (form.block_n * form.block_m)

    def _row_cost(self, form: Form) -> float:
        unpacked = [s for k, s in enumerate(self.axes.strides) if k not in form.packed]
        return sum([row_cost(s[form.rows]) for s in unpacked])


@dataclass(slots=True)
class Axes:
    """Sizes of axes (all above 1), strides [leaf][axis] in bytes, and the shift of each leaf's first cell."""

    sizes: list[int]
    strides: list[list[int]]
    shifts: list[int]


def arranged(sizes: Sequence[int], strides: Sequence[Sequence[int]]) -> Axes:
    """Return the axes of a box of `sizes`, sorted and merged, for leaves with these byte strides.

    The last leaf is the output. Axes along which its address falls are walked backwards: `shifts` has the bytes to
    their end for each leaf.

    >>> arranged((4, 1, 3), [(12, 99, 4), (24, 7, 4)])
    Axes(sizes=[4, 3], strides=[[12, 4], [24, 4]], shifts=[0, 0])
    >>> arranged((4, 3), [(12, 4), (-24, -8)])
    Axes(sizes=[12], strides=[[-4], [8]], shifts=[44, -88])
    """
    shifts = [0] * len(strides)
    columns: list[tuple[int, list[int]]] = []  # size and strides of each axis
    for a, n in enumerate(sizes):
        steps = [s[a] for s in strides]
        if n != 1 and steps[-1] < 0:
            shifts = [shift + s * (n - 1) for shift, s in zip(shifts, steps, strict=True)]
            steps = [-s for s in steps]
        if n != 1:
            columns.append((n, steps))
    columns.sort(key=lambda c: [abs(s) for s in (c[1][-1], *c[1][:-1])], reverse=True)
    merged = columns[:1]
    for n, steps in columns[1:]:
        size, far = merged[-1]
        if far == [s * n for s in steps]:
            merged[-1] = (size * n, steps)
        else:
            merged.append((n, steps))
    return Axes([n for n, _ in merged], [[steps[k] for _, steps in merged] for k in range(len(strides))], shifts)
