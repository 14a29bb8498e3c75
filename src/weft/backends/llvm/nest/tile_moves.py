"""Moves of an operand's block between memory and its buffer, two axes at a time.

Terms: a *move* is a loop of calls of one packing routine, which takes two axes; its *turns* are the other axes of the
block.  The one idea: the axes of a block merge further for one operand than for all of them, and of the merged axes a
routine takes the best two: contiguous rows, a contiguous axis across the lanes, or the two longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.pack_routines import SIDES

NEAR = 32  # bytes: cells of an axis with smaller steps share cache lines
PAGE = 2048  # bytes: rows further apart begin with a miss
VARYING, ROWS = 0, -1  # sizes that a block decides: its cells in the lanes over `below`, its rows


@dataclass(slots=True)
class Axis:
    """An axis of a block that is copied between memory and a buffer.

    `far` is its byte stride in memory, `tile` the one in the buffer.  `size` may be VARYING (the block's cells along
    the lanes, divided by `below`) or ROWS (its rows); `about` estimates it.
    """

    size: int
    about: int
    below: int  # cells of the buffer between two of its steps
    far: int
    tile: int


@dataclass(slots=True)
class TileMove:
    """One way to move a block to or from its buffer, by calls of one routine, each for two axes.

    `turns` are the other axes, which the calls run over; the cost is in nanoseconds per cell.
    """

    n: Axis
    m: Axis
    turns: list[Axis]
    is_rows: bool
    cost: float


NONE = Axis(1, 1, 1, 0, 0)


def flat_axes(sizes: Sequence[int], strides: Sequence[int], item: int, outermost: int) -> list[Axis]:
    """Return the axes of a block that runs over several axes as one; the first has about `outermost` steps.

    `sizes` are those of the axes; axes that continue each other in memory are merged. `strides` and `item`, the width
    of a cell, are in bytes.
    """
    found: list[Axis] = []
    below = 1
    for k in range(len(sizes) - 1, -1, -1):
        size, about = (VARYING, outermost) if k == 0 else (sizes[k], sizes[k])
        last = found[-1] if found else None
        if last is not None and strides[k] == last.far * last.size:
            last.size, last.about = size and last.size * size, last.about * about
        else:
            found.append(Axis(size, about, below, strides[k], below * item))
        below *= sizes[k]
    return [a for a in found if a.size != 1] or [found[0]]


def block_axes(n: int, m: int, along: int, rows: int, item: int, pitch: int) -> list[Axis]:
    """Return the two axes of a block of m rows of n cells.

    `along` and `rows` are its strides in memory; `item` and `pitch` those in the buffer, all in bytes.
    """
    return [Axis(VARYING, n, 1, along, item), Axis(ROWS, m, 1, rows, pitch)]


def cheapest_move(axes: Sequence[Axis], item: int, apart: float) -> TileMove:
    """Return the cheapest way to move a block of cells of `item` bytes.

    `apart` is added to the nanoseconds per cell if no axis of the block has several cells in a cache line.
    """
    first, rest = axes[0], sorted(axes[1:], key=lambda a: a.about, reverse=True)
    across = [a for a in rest if abs(a.far) == item and a.about >= 8]
    if first.far == item or not rest:
        n, m = first, rest[0] if rest else NONE
    elif across and first.about >= 8:
        n, m = first, across[0]
    else:
        n, m = sorted(axes, key=lambda a: a.about, reverse=True)[:2]
    turns = [a for a in axes if a is not n and a is not m]
    is_rows = n is first and first.far == item
    calls = prod(a.about for a in turns)
    each = _routine_cost(n, m, item, is_rows) + cost.TURN + cost.TURN_AXIS * len(turns)
    per_cell = calls * each / prod(a.about for a in axes)
    shares = any(abs(a.far) <= NEAR and a.about >= 4 for a in axes if a.far)
    return TileMove(n, m, turns, is_rows, per_cell + (0.0 if shares else apart))


def _routine_cost(n: Axis, m: Axis, item: int, is_rows: bool) -> float:
    cells = n.about * m.about
    if is_rows:
        return m.about * (cost.PACK_ROW + row_cost(m.far)) + cells * cost.PACK_BYTE * item
    side = SIDES.get(item, 1 << 62)
    if abs(m.far) == item and n.tile == item and n.about >= side and m.about >= side:
        return cells * (cost.PACK_BYTE * item + cost.PACK_TURNED)
    return cells * cost.PACK_CELL + min(n.about, m.about) * cost.PACK_ROW


def row_cost(stride: int) -> float:
    """Return the extra nanoseconds per row start if `stride` bytes reach another memory page, else 0."""
    return cost.FAR_ROW if abs(stride) >= PAGE else 0.0
