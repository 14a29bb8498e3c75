"""Moves of an operand's block between memory and a contiguous buffer, two axes at a time.

The one idea: seen from one operand, the axes of a block merge further than for all of them, and of what is left the
routines of `pack` want the two best: contiguous rows, a contiguous axis across the lanes, or the two longest.  The
others are turns of a small loop.
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
    """An axis of a block: `size` cells (or VARYING, ROWS), about `about` of them, byte strides in memory and buffer."""

    size: int
    about: int
    below: int  # cells of the buffer between two of its steps
    far: int
    tile: int


@dataclass(slots=True)
class TileMove:
    """The axes that a routine takes, the others, and the cost per cell."""

    n: Axis
    m: Axis
    turns: list[Axis]
    is_rows: bool
    cost: float


NONE = Axis(1, 1, 1, 0, 0)


def flat_axes(sizes: Sequence[int], strides: Sequence[int], item: int, outermost: int) -> list[Axis]:
    """Return a block over axes that follow each other in the buffer, about `outermost` steps of the first."""
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
    """Return a block of rows in the buffer."""
    return [Axis(VARYING, n, 1, along, item), Axis(ROWS, m, 1, rows, pitch)]


def move(axes: Sequence[Axis], item: int, apart: float) -> TileMove:
    """Return the cheapest way to move a block; `apart` is the cost per cell where no axis of it shares cache lines."""
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
    """Return what rows that lie so many bytes apart cost more."""
    return cost.FAR_ROW if abs(stride) >= PAGE else 0.0
