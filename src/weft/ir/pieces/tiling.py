"""Tilings: whether the boxes of a projection cover every cell of a shape exactly once.

The one idea: index cell and position in its box form one index of a strided box of addresses, so the lattice solver
finds two that overlap.  Disjoint boxes hold the sum of their cells; if the shape has more, one cell is missing.  All
faults are reported, each with a cell.
"""

from __future__ import annotations

import itertools
from math import prod

from weft.ir.graph.description import Shape, c_strides
from weft.ir.pieces.box import Box, box_of
from weft.ir.pieces.lattice import ByteBox, Undecided, overlap, self_overlap
from weft.ir.pieces.projection import Projection

SEARCHED = 4096  # cells examined to find a missing one, where boxes do not lie in rows


def faults(projection: Projection, index_shape: Shape, shape: Shape) -> list[str]:
    """Return the reasons why the boxes of all index cells do not tile a shape, each naming a cell.

    `index_shape` is the shape of the index space. Blocks of index cells must also have boxes for their results: an
    index axis moves along one axis of the shape, by the length of a box.

    >>> faults(Projection([[3]], shape=(4,)), (2,), (8,))
    ['cell (3,) is written twice, by index cells (0,) and (1,)', 'cell (7,) is not written']
    """
    if 0 in index_shape:
        said = f"cell {(0,) * len(shape)} is not written, as the index space {index_shape} has no cells"
        return [] if 0 in shape else [said]
    apart = [
        said
        for said in (outside(projection, index_shape, shape, "writes"), _overlap_fault(projection, index_shape))
        if said
    ]
    found = [*apart, *_missing(projection, index_shape, shape, not apart)]
    return found or _scattered(projection, index_shape)


def outside(projection: Projection, index_shape: Shape, shape: Shape, verb: str) -> str:
    """Return a text that names an index cell whose box leaves the shape; "" if none does.

    `index_shape` is the shape of the index space, `verb` that of the text.
    """
    box = projection.of(box_of(index_shape))
    for axis, (first, size, n, row) in enumerate(zip(box.start, box.size, shape, projection.matrix, strict=True)):
        if size and (first < 0 or first + size > n):
            upwards = first >= 0
            cell = tuple([m - 1 if (a > 0) == upwards and a else 0 for a, m in zip(row, index_shape, strict=True)])
            at = first + size - 1 if upwards else first
            return f"index cell {cell} {verb} position {at} of axis {axis}, which has {n} cells"
    return ""


def _address(projection: Projection, index_shape: Shape) -> tuple[ByteBox, Shape]:
    """Return the addresses of all (index cell, position in its box) as a byte box, and the shape's strides."""
    size = projection.of(box_of(index_shape)).size
    strides = c_strides(size, 1)
    steps = [sum(map(int.__mul__, column, strides)) for column in zip(*projection.matrix, strict=True)] or [0] * len(
        index_shape
    )
    axes = [*zip(steps, index_shape, strict=True), *zip(strides, projection.shape, strict=True)]
    return ByteBox(0, tuple(axes), 1), strides


def _cell(projection: Projection, index_shape: Shape, combined: Shape) -> Shape:
    """Return the cell of the shape for the index `combined`: an index cell followed by a position in its box."""
    return tuple(map(int.__add__, projection.first(combined[: len(index_shape)]), combined[len(index_shape) :]))


def _overlap_fault(p: Projection, index: Shape) -> str:
    found = self_overlap(_address(p, index)[0])
    if isinstance(found, Undecided):
        return "cells may be written twice, which is too long a search to decide"
    if found is None:
        return ""
    d = len(index)
    return f"cell {_cell(p, index, found[0])} is written twice, by index cells {found[0][:d]} and {found[1][:d]}"


def _missing(projection: Projection, index_shape: Shape, shape: Shape, are_disjoint: bool) -> list[str]:
    """Return a list of at most one text, which names a cell in no box.

    With `are_disjoint`, boxes are disjoint and inside the shape. If they are not, only some cells are examined.
    """
    lacking = prod(shape) - prod(index_shape) * prod(projection.shape)
    if (are_disjoint and not lacking) or 0 in shape:
        return []
    cell = _cell_outside(projection.of(box_of(index_shape)), shape) or _between(projection, index_shape, shape)
    if not are_disjoint:
        return [f"cell {cell} is not written"] if cell else []
    of = f"; {lacking} of {prod(shape)} are not" if lacking > 1 else ""
    return [f"cell {cell} is not written{of}" if cell else f"{lacking} of {prod(shape)} cells are not written"]


def _cell_outside(box: Box, shape: Shape) -> Shape | None:
    """Return a cell of a shape outside a box; None if there is none."""
    for axis, (first, size, n) in enumerate(zip(box.start, box.size, shape, strict=True)):
        if first > 0 or first + size < n:
            return (*[0] * axis, 0 if first > 0 else max(first + size, 0), *[0] * (len(shape) - axis - 1))
    return None


def _between(projection: Projection, index_shape: Shape, shape: Shape) -> Shape | None:
    """Return a cell of a shape in no index cell's box; None if there is none among the first cells."""
    box = projection.of(box_of(index_shape))
    held, strides = _address(projection, index_shape)
    low = sum(map(int.__mul__, map(int.__sub__, projection.first((0,) * len(index_shape)), box.start), strides))
    held = held._replace(offset=low)
    inside = [range(max(a, 0), min(a + m, n)) for a, m, n in zip(box.start, box.size, shape, strict=True)]
    for cell in itertools.islice(itertools.product(*inside), SEARCHED):
        at = sum([(c - a) * s for c, a, s in zip(cell, box.start, strides, strict=True)])
        if overlap(held, ByteBox(at, (), 1)) is None:
            return cell
    return None


def axis_movements(projection: Projection, index_shape: Shape) -> list[tuple[int, int] | None]:
    """Return, for each axis of a tensor, (index axis, step) by which its boxes move; None for axes without movement.

    The projection must tile a shape, so that an axis moves with at most one index axis.
    """
    found: list[tuple[int, int] | None] = []
    for row in projection.matrix:
        found.append(next(((j, a) for j, a in enumerate(row) if a and index_shape[j] > 1), None))
    return found


def _scattered(projection: Projection, index_shape: Shape) -> list[str]:
    """Return a list of at most one fault: an index axis along which neighbouring results do not make a box.

    `projection` maps a cell of the index space to its box of the result; `index_shape` is the shape of that space.
    """
    for j, n in enumerate(index_shape):
        column = [row[j] for row in projection.matrix]
        if n > 1 and [abs(a) for a in column if a] != [projection.shape[r] for r, a in enumerate(column) if a][:1]:
            steps = {r: a for r, a in enumerate(column) if a}
            return [
                f"index axis {j} steps by {steps} along the axes of the result, whose boxes have shape "
                f"{projection.shape}, so that neighbours do not make a box"
            ]
    return []
