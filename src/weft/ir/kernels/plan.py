"""Plans: loop nests over boxes, as plain data between the passes and the backends.

The one idea: a row is a box, a straight-line body, and for every leaf a base address and one stride per axis.  Sizes,
strides and offsets are data, so one compiled body serves all of them; whether the backend has to compile depends only
on the structure (instructions, dtypes, byte orders, class of the innermost strides).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from weft.dtypes import DType


class Instr(NamedTuple):
    """One step of a body; `args` are indices of earlier steps.

    op "load" (attr = operand number), "coord" (attr = operand number: the operand's start + Σ stride·loop index, an
    int64, nothing is read), "scalar" (attr = scalar slot, counted from the row's first), "const" (attr = Python
    number), "gather" (attr = operand number; args = one int64 byte offset added to the operand's address), or the name
    of an elementwise op in `weft.ir.graph.ops` (attr = the op's parameter, such as the distribution of "philox"; None
    for most).
    """

    op: str
    dtype: DType
    args: tuple[int, ...] = ()
    attr: object = None


Body = tuple[Instr, ...]  # the last instruction is the value


class Operand(NamedTuple):
    """A leaf of a row: the byte offset of cell (0, ..., 0), and a byte stride per loop axis.

    `arg` numbers the arrays that a program is called with; -1 is a coordinate: `offset` is its start, strides its
    steps.  A routine sees the operand in the shape `merged`, in which neighbouring axes are one.
    """

    arg: int
    offset: int
    strides: tuple[int, ...]
    dtype: DType
    swapped: bool = False  # stored in the byte order that is not the machine's
    merged: tuple[int, ...] = ()  # of a routine's operand; () if its axes are those that the routine sees


def touched_bytes(operand: Operand, sizes: Sequence[int]) -> int:
    """Return the bytes of the cells of an operand that loops of these sizes touch, each counted once.

    Coordinates have none. A result of a reduction has strides for the kept axes alone, which are the first.
    """
    cells = prod([n for n, s in zip(sizes, operand.strides, strict=False) if s])
    return cells * operand.dtype.itemsize if operand.arg >= 0 else 0


class Row(NamedTuple):
    """A body over a box of cells.

    For a map the operand `out` is the destination (placement folded into its strides); for reductions and scans `start`
    is the box's first index in the launch's shape (placement step 1 on every axis).
    """

    body: Body
    sizes: tuple[int, ...]
    operands: tuple[Operand, ...]
    out: Operand | None = None
    start: tuple[int, ...] = ()
    scalars: int = 0  # the slot that the body counts from: rows with numbers of their own then share a kernel


@dataclass(frozen=True, slots=True)
class MapLaunch:
    """Rows that together fill the cells of one or more arrays.

    No two rows write the same cell, so they run in any order.
    """

    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ReduceLaunch:
    """A reduction; rows tile `shape`, whose first `kept` axes stay and whose others are reduced, in logical order.

    The order of floating additions is a function of the logical index alone (design section 5): with k the row-major
    index over the reduced axes, lane = k mod 8, block = k div 1024; in a block each lane adds in rising k, starting
    from the exact identity (-0.0 for sum, 1 for prod); lanes fold as l[i] + l[i+4], then +2, then +1; blocks fold as
    a binary counter does.  The row's value has the accumulation dtype `acc`; `out` has one stride per kept axis.
    """

    op: str  # sum prod min max nanmin nanmax any all count_nonzero argmin argmax mean var
    kept: int
    shape: tuple[int, ...]
    rows: tuple[Row, ...]
    acc: DType
    out: Operand
    correction: float = 0.0  # of var


@dataclass(frozen=True, slots=True)
class ScanLaunch:
    """A scan along the last axis of `shape`, of one row: running sums, products or extremes.

    Blocks of 1024 cells are scanned one by one, then each is combined with the prefix of the block totals before it, in
    order.
    """

    op: str  # one of ops.SCANS
    shape: tuple[int, ...]
    rows: tuple[Row, ...]
    acc: DType
    out: Operand
    include_initial: bool = False


@dataclass(frozen=True, slots=True)
class BinLaunch:
    """The counts of cells in each bin, or the sums of their weights; a cell outside the bins counts nowhere.

    The rows `numbers` tile `shape` with the numbers of bins, `weights` with their weights (none: each is 1).  Integers
    add in any order.  Floats add to each bin one by one, from +0.0, in the row-major order of the cells.
    """

    op: str  # bin_counts bin_sums
    bins: int
    shape: tuple[int, ...]
    numbers: tuple[Row, ...]
    weights: tuple[Row, ...]
    out: Operand

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.numbers + self.weights


@dataclass(frozen=True, slots=True)
class BlockLaunch:
    """Launches run in turn for one block of rows after another, so that intermediate values stay in cache.

    `steps` are made for a block's rows, `tail` for the remaining rows.  From block to block an argument's address moves
    by its shift; temporaries lie, at the same place for every block, in scratch memory of the worker.
    """

    steps: tuple[MapLaunch | ReduceLaunch, ...]
    tail: tuple[MapLaunch | ReduceLaunch, ...]
    blocks: int
    shifts: tuple[int, ...]  # bytes, one per program argument
    temporaries: tuple[tuple[int, int], ...]  # (argument, byte offset in the scratch)
    scratch: int


@dataclass(frozen=True, slots=True)
class CallStep:
    """A call of a library routine on whole arrays, found in the device's function table."""

    name: str
    args: tuple[Operand, ...]  # strides here follow `shapes`
    shapes: tuple[tuple[int, ...], ...]
    out: Operand
    out_shape: tuple[int, ...]
    attrs: tuple[object, ...] = ()


Step = MapLaunch | ReduceLaunch | ScanLaunch | BinLaunch | CallStep


@dataclass(frozen=True, slots=True)
class Buffer:
    """An array that a plan allocates.

    It is an output, a temporary in the arena, or scratch memory of blocks.
    """

    dtype: DType
    shape: tuple[int, ...]
    arena: int = -1  # byte offset in the arena; -1 for an output, -2 for a buffer that exists a block of rows at a time


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order over arguments: first `inputs` arrays, then the buffers (argument inputs + j is buffer j)."""

    inputs: int
    scalars: tuple[DType, ...]
    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]  # buffer numbers, in the order of the requested nodes
    arena_bytes: int = 0
    blocks: tuple[tuple[int, int, BlockLaunch], ...] = ()  # steps [first, end) that run a block of rows at a time
    slots: tuple[int, ...] = ()  # the number of the scalar in each slot; (): each has the slot of its number

    def slot_dtypes(self) -> Sequence[DType]:
        """Return the dtype of the scalar in each slot."""
        return [self.scalars[k] for k in self.slots] or self.scalars
