"""Tilings: whether the boxes of a projection cover every cell of a shape exactly once.

The one idea: index cell and position in its box form one index of a strided box of addresses, so the lattice solver
finds two that overlap.  Disjoint boxes hold the sum of their cells; if the shape has more, one cell is missing.
"""

from __future__ import annotations

import itertools
from math import prod

from weft.ir.graph.description import Shape, c_strides
from weft.ir.pieces.box import Box, box_of
from weft.ir.pieces.lattice import ByteBox, Undecided, overlap, self_overlap
from weft.ir.pieces.projection import Projection

SEARCHED = 4096  # cells looked at for one that is missing, where boxes do not lie in rows


def fault(p: Projection, index: Shape, shape: Shape) -> str:
    """Return why the boxes of all index cells do not tile a shape, naming a cell; "" if they do.

    Blocks of index cells must also have boxes for their results: an index axis moves along one axis of the shape, by
    the length of a box.
    """
    if 0 in index:
        return f"cell {(0,) * len(shape)} is not written, as the index space {index} has no cells" * (0 not in shape)
    return _outside(p, index, shape) or _twice(p, index) or _missing(p, index, shape) or _scattered(p, index)


def _outside(p: Projection, index: Shape, shape: Shape) -> str:
    return outside(p, index, shape, "writes")


def outside(p: Projection, index: Shape, shape: Shape, does: str) -> str:
    """Return a text that names an index cell whose box leaves the shape; "" if none does."""
    box = p.of(box_of(index))
    for axis, (first, size, n, row) in enumerate(zip(box.start, box.size, shape, p.matrix, strict=True)):
        if size and (first < 0 or first + size > n):
            upwards = first >= 0
            cell = tuple([m - 1 if (a > 0) == upwards and a else 0 for a, m in zip(row, index, strict=True)])
            at = first + size - 1 if upwards else first
            return f"index cell {cell} {does} position {at} of axis {axis}, which has {n} cells"
    return ""


def _address(p: Projection, index: Shape) -> tuple[ByteBox, Shape]:
    """Return the addresses of all (index cell, position in its box) as a byte box, and the strides of the
    shape's cells.
    """
    size = p.of(box_of(index)).size
    strides = c_strides(size, 1)
    steps = [sum(map(int.__mul__, column, strides)) for column in zip(*p.matrix, strict=True)] or [0] * len(index)
    axes = [*zip(steps, index, strict=True), *zip(strides, p.shape, strict=True)]
    return ByteBox(0, tuple(axes), 1), strides


def _cell(p: Projection, index: Shape, at: Shape) -> Shape:
    """Return the cell of the shape for index `at`: an index cell followed by a position in its box."""
    return tuple(map(int.__add__, p.first(at[: len(index)]), at[len(index) :]))


def _twice(p: Projection, index: Shape) -> str:
    found = self_overlap(_address(p, index)[0])
    if isinstance(found, Undecided):
        return "cells may be written twice, which is too long a search to decide"
    if found is None:
        return ""
    d = len(index)
    return f"cell {_cell(p, index, found[0])} is written twice, by index cells {found[0][:d]} and {found[1][:d]}"


def _missing(p: Projection, index: Shape, shape: Shape) -> str:
    """Return a text that names a cell in no box; the boxes must be disjoint."""
    lacking = prod(shape) - prod(index) * prod(p.shape)
    if not lacking:
        return ""
    box = p.of(box_of(index))
    cell = _beside(box, shape) or _between(p, index, box)
    of = f"; {lacking} of {prod(shape)} are not" if lacking > 1 else ""
    return f"cell {cell} is not written{of}" if cell else f"{lacking} of {prod(shape)} cells are not written"


def _beside(box: Box, shape: Shape) -> Shape | None:
    """Return a cell of a shape outside a box; None if there is none."""
    for axis, (first, size, n) in enumerate(zip(box.start, box.size, shape, strict=True)):
        if first > 0 or first + size < n:
            return (*[0] * axis, 0 if first > 0 else first + size, *[0] * (len(shape) - axis - 1))
    return None


def _between(p: Projection, index: Shape, box: Box) -> Shape | None:
    """Return a cell of `box` that lies in no index cell's box; None if none was found among its first cells."""
    held, strides = _address(p, index)
    low = sum(map(int.__mul__, map(int.__sub__, p.first((0,) * len(index)), box.start), strides))
    held = held._replace(offset=low)
    for at in itertools.islice(itertools.product(*map(range, box.size)), SEARCHED):
        if overlap(held, ByteBox(sum(map(int.__mul__, at, strides)), (), 1)) is None:
            return tuple(map(int.__add__, box.start, at))
    return None


def moves(p: Projection, index: Shape) -> list[tuple[int, int] | None]:
    """Return, for each axis of a tensor, (index axis, step) by which its boxes move; None for axes without movement.

    The projection must tile a shape, so that an axis moves with at most one index axis.
    """
    found: list[tuple[int, int] | None] = []
    for row in p.matrix:
        found.append(next(((j, a) for j, a in enumerate(row) if a and index[j] > 1), None))
    return found


def _scattered(p: Projection, index: Shape) -> str:
    """Return a text that names an index axis whose blocks have results that are no boxes; "" if there is none."""
    for j, n in enumerate(index):
        column = [row[j] for row in p.matrix]
        if n > 1 and [abs(a) for a in column if a] != [p.shape[r] for r, a in enumerate(column) if a][:1]:
            steps = {r: a for r, a in enumerate(column) if a}
            return (
                f"index axis {j} steps by {steps} along the axes of the result, whose boxes have shape {p.shape}, so "
                "that neighbours do not make a box"
            )
    return ""
