"""One way through a group: which axis lies in the lanes, and how the operands of its rows are read.

Terms: a *group* is a set of rows over one box of kept cells (`RowGroup`), a *group row* one of these (`GroupRow`).
*Row* plans reduce along the lanes, *column* plans across them.  A row plan is *direct* where a kernel reads the
operands in place, else *tiled*: the cells of some blocks are first laid into a buffer, the *tile*, in their logical
order. *Packing* copies operands with large strides, block by block, so that their cells touch along the lanes.
*Abreast* plans are direct rows with several results in the lanes: those along a short kept axis.  In *short* plans,
too, a lane holds another result, but the few cells of a row touch: they are dealt out to the lanes in registers. *Runs*
plans are columns whose cells lie along the lanes, a stretch of the last reduced axis at a time.  The *inner axes* are
those that a driver's walk goes through: the kept axis `axis`, that of the lanes of abreast plans, then the reduced
axes.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from math import prod

from weft.backends.llvm.folds.laws import LANES
from weft.backends.llvm.folds.row_groups import GroupRow, RowGroup
from weft.backends.llvm.nest.fill_tile import PACKS, PAD
from weft.backends.llvm.nest.structure import ROWS, Leaf, leaf_of
from weft.dtypes import DType

TILE = 32 << 10  # bytes of a tile, which holds cells in logical order
LARGE_TILE = 256 << 10  # bytes of a tile whose cells are read across cache lines
TABLES = 16 << 10  # bytes for operands that are copied once for all results
BLOCK_BYTES = 512  # bytes of a row of packed cells: with PAD between them, rows lie in different cache sets
TALL = 64  # rows of a packed block whose cache lines lie across the rows
NO_FLAT = 256  # cells of a row from which partial chunks at its end cost little


@dataclass(slots=True)
class Packing:
    """The operands of a row that are packed, and the sizes of the blocks that are copied."""

    buffers: dict[int, int]  # packed operand: the byte in the buffer at which its copy begins
    flat: bool  # whether whole rows of a block lie next to each other in the buffer, for every operand
    sub: int  # columns of a block
    cells: int  # cells of a block
    tall: int  # most rows of a block
    cost: float  # nanoseconds per cell


@dataclass(slots=True)
class ReducePlan:
    """One way to reduce a group: the axis in the lanes, how operands are read, and the estimated cost.

    `axis` is the kept axis that lies in the lanes (column plans), or along which several results are computed at a
    time.
    """

    box: RowGroup
    columns: bool
    direct: bool
    axis: int  # -1 for none
    cost: float = 0.0  # nanoseconds per cell
    merged: bool = False  # rows: the batched axis and the first reduced one are walked as one
    packed: bool = False  # tiled rows: operands are copied first to lie along the lanes
    tile: int = TILE
    mixed: bool = False  # tiled rows: blocks inside one row are read in place; columns: a variance, in two passes
    runs: bool = False  # columns: the last reduced axis lies in the lanes
    folded: int = 0  # columns: how many rows are added as one longer row
    abreast: int = -1  # direct rows: the kept axis whose results lie in the lanes; -1 for none
    staggered: bool = False  # crossed: blocks end in the middle of columns
    crossed: int = 0  # columns: how many cells are reduced for each kept one, if columns are then reduced to one
    short: bool = False  # direct rows of a few cells, which lie beside each other
    width: int = 1  # abreast: the number of results that lie side by side
    results: int = field(init=False)  # the kept axis along which results are computed one after the other, -1 for none
    n: int = field(init=False)  # the number of cells that are reduced to one
    c: int = field(init=False)  # the size of `axis`, 1 if there is none
    outer: list[int] = field(init=False)  # the kept axes other than `axis`, by number
    inner_axes: list[int] = field(init=False)  # sizes of the reduced axes

    def __post_init__(self) -> None:
        kept, reduced, axis = self.box.kept, self.box.reduced, self.axis
        self.n = prod(reduced)
        self.c = kept[axis] if axis >= 0 else 1
        self.outer = [a for a in range(len(kept)) if a not in (axis, self.abreast)]
        if self.columns:
            self.inner_axes = reduced or [1]
        else:
            self.inner_axes = [self.c * reduced[0], *reduced[1:]] if self.merged else [self.c, *reduced]
        self.results = axis
        if self.abreast >= 0:
            self.results, self.width = self.abreast, kept[self.abreast]
            self.inner_axes = [self.c, self.width, *reduced]
            self.c *= self.width

    @property
    def kind(self) -> str:
        """Return the name of the plan's driver: rows, columns, runs, crossed or staggered."""
        if self.crossed:
            return "staggered" if self.staggered else "crossed"
        return "runs" if self.runs else "columns" if self.columns else "rows"

    @property
    def cells(self) -> int:
        """Return the number of cells that are read in all."""
        return self.n * prod(self.box.kept)

    # ---- the axes inside
    def inner_box(self, group_row: GroupRow) -> tuple[list[int], list[int]]:
        """Return the first index and the size of a group's row along each axis that a driver walks."""
        if self.columns:
            return (group_row.start, group_row.size) if group_row.size else ([0], [1])
        if self.merged:
            return [0, *group_row.start[1:]], [self.c * group_row.size[0], *group_row.size[1:]]
        before = len(self.inner_axes) - len(group_row.size)
        return [*[0] * before, *group_row.start], [*self.inner_axes[:before], *group_row.size]

    def inner_strides(self, group_row: GroupRow) -> list[list[int]]:
        """Return for each operand of a row its byte strides along the axes that a driver walks."""
        if self.columns:
            return [r or [0] for r in group_row.reduced]
        if self.merged:
            return group_row.reduced
        rows = [k[self.axis] for k in group_row.kept] if self.axis >= 0 else [0] * len(group_row.kept)
        if self.abreast < 0:
            return [[k, *r] for k, r in zip(rows, group_row.reduced, strict=True)]
        lanes = self.lane_strides(group_row)
        return [[k, lane, *r] for k, lane, r in zip(rows, lanes, group_row.reduced, strict=True)]

    def lane_strides(self, group_row: GroupRow) -> list[int]:
        """Return for each operand of a row the bytes between the cells of neighbouring lanes."""
        if self.abreast >= 0:
            return [s[self.abreast] for s in group_row.kept]
        if group_row.size and (self.runs or not self.columns):
            return [s[-1] for s in group_row.reduced]
        return [s[self.axis] if self.axis >= 0 else 0 for s in group_row.kept]

    def across_strides(self, group_row: GroupRow) -> list[int]:
        """Return for each operand of a row its byte stride along the second-last axis that a driver walks.

        The strides are 0 if it walks one axis.
        """
        return [s[-2] if len(s) > 1 else 0 for s in self.inner_strides(group_row)]

    # ---- evaluation
    def panel_lanes(self, group_row: GroupRow) -> int:
        """Return the number of lanes in which a row's body is evaluated for a panel.

        It is at most the panel's number of columns, or the length of its runs, rounded down to a power of two.
        """
        columns = group_row.size[-1] if self.runs else self.width if self.abreast >= 0 else self.c
        return min(group_row.body.lanes, max(1 << (columns.bit_length() - 1), LANES))

    def leaves(self, group_row: GroupRow, packed: Container[int] = ()) -> list[Leaf]:
        """Return the operands of a row as kernels see them; those numbered in `packed` are read from buffers."""
        gathered = group_row.body.gathered
        given = enumerate(zip(group_row.operands, self.lane_strides(group_row), strict=True))
        return [leaf_of(o, stride, k in gathered, k in packed) for k, (o, stride) in given]

    def segment_leaves(self, group_row: GroupRow) -> list[Leaf]:
        """Return the operands of a row for the kernel of a short plan, with a segment in each lane."""
        made = []
        for k, (o, (near,)) in enumerate(zip(group_row.operands, group_row.reduced, strict=True)):
            step = near * self.n if self.merged else group_row.kept[k][self.axis]
            leaf = leaf_of(o, step)
            touches = near == o.dtype.itemsize and step == near * self.n
            made.append(leaf._replace(kind=ROWS) if touches else leaf)
        return made

    # ---- packing
    def packing(self, group_row: GroupRow, leaves: Sequence[Leaf]) -> Packing:
        """Return the packing of a row: operands with large strides along the lanes are first copied to buffers.

        `leaves` are its operands as kernels see them.  Where the cells come in short runs, operands that do not go on
        from the end of one run to the start of the next are packed too.
        """
        if self.abreast >= 0:
            return self._tables(group_row, leaves)
        sizes = self.inner_axes
        near, across = self.lane_strides(group_row), self.across_strides(group_row)
        rows = sizes[-2] if len(sizes) > 1 else 1
        short = sizes[-1] < NO_FLAT and rows > 1
        chosen, price, flat = {}, 0.0, short
        place = 0
        for k, (leaf, o) in enumerate(zip(leaves, group_row.operands, strict=True)):
            runs_on = across[k] == near[k] * sizes[-1]
            in_place = leaf.kind != "s" and (runs_on or not short)
            if k in group_row.body.gathered or in_place or (leaf.coordinate and not short):
                flat = flat and runs_on
            else:
                chosen[k] = place
                place += o.dtype.itemsize
                price += _pack_cost(leaf, across[k], sizes[-1])
        pad = 0 if flat else TALL * PAD
        cells = max((PACKS - pad * len(chosen)) // place, 1) if place else 1 << 40
        widest = max([o.dtype.itemsize for o in group_row.operands], default=1)
        sub = sizes[-1] if short else min(sizes[-1], BLOCK_BYTES // widest)
        buffers = {k: p * cells + pad * i for i, (k, p) in enumerate(chosen.items())}
        return Packing(buffers, flat, min(sub, cells), cells, 1 << 40 if flat else TALL, price)

    def _tables(self, group_row: GroupRow, leaves: Sequence[Leaf]) -> Packing:
        """Return the packing of a plan that computes several results at a time.

        Each operand with large strides is copied as a whole, since every row of results reads it again.
        """
        chosen, place = {}, 0
        for k, leaf in enumerate(leaves):
            if leaf.kind == "s":
                chosen[k] = place
                place += -(-leaf.itemsize * self.width * self.n // PAD) * PAD
        return Packing(chosen, False, len(chosen), place, 0, 0.0)

    def is_copy(self, group_row: GroupRow, packs: Packing, acc: DType) -> bool:
        """True if the copy of a packed operand already is the row's value: no conversion, no arithmetic.

        False also for rows whose copies would share cache sets (multiples of 1024 bytes).
        """
        if self.abreast >= 0:
            return False
        (first, *more), o = group_row.body.steps, group_row.operands
        plain = first.op == "load" and not more and first.dtype is acc and not self.leaves(group_row)[0].swapped
        return plain and 0 in packs.buffers and self.inner_axes[-1] * o[0].dtype.itemsize % 1024 != 0


def _pack_cost(leaf: Leaf, across: int, n: int) -> float:
    """Return the nanoseconds per cell of packing an operand, in rows of n cells that lie `across` bytes apart."""
    item = leaf.itemsize
    if leaf.kind == "1":
        return 0.01 * item + 3.0 / n
    return 0.03 * item if abs(across) == item and not leaf.coordinate else 0.8
