"""Projections: affine maps from the cells of an index space to boxes of a tensor.

The one idea: cell i of the index space has the box of `shape` cells from `matrix · i + offset`.  Neighbours have
neighbouring boxes, so the box of a whole range of cells follows from its corners.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from weft.errors import DTypeError, ShapeError
from weft.ir.graph.description import Shape
from weft.ir.graph.domain import integers
from weft.ir.pieces.box import Box, box_of


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Projection:
    """An affine map from cells of an index space to boxes of a tensor.

    The box of cell i has `shape` cells and begins at matrix · i + offset.

    `matrix` has a row for each axis of the tensor and a column for each axis of the index space; `offset` (zeros) and
    `shape` (ones) have an entry for each axis of the tensor.  All are integers.  Raises ShapeError if their lengths
    differ or a size is negative, DTypeError for entries that are no integers.

    >>> import weft
    >>> p = weft.Projection([[1, 0], [0, 1], [1, 1]], offset=(10, 20, 30), shape=(4, 4, 1))
    >>> p.box((5, 6), (7, 8))
    ((15, 26, 41), (5, 5, 3))
    """

    matrix: tuple[Shape, ...]
    offset: Shape
    shape: Shape

    def __init__(self, matrix: Any, offset: Any = None, shape: Any = None) -> None:
        rows = tuple(_rows(matrix))
        found = {
            "matrix": rows,
            "offset": (0,) * len(rows) if offset is None else integers("Projection", "offset", offset),
            "shape": (1,) * len(rows) if shape is None else integers("Projection", "shape", shape),
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)
        self._check()

    def _check(self) -> None:
        if len({len(row) for row in self.matrix}) > 1:
            raise ShapeError(
                f"Projection: matrix {self.matrix} has rows of different lengths; a column is an axis of the index "
                "space; give each row as many entries"
            )
        for name in ("offset", "shape"):
            found = getattr(self, name)
            if len(found) != len(self.matrix):
                raise ShapeError(
                    f"Projection: {name} {found} for a matrix of {len(self.matrix)} rows; an axis of the tensor has "
                    "one of each; give as many entries as rows"
                )
        if min(self.shape, default=0) < 0:
            raise ShapeError(f"Projection: shape {self.shape}; a box has 0 or more cells; give sizes from 0 on")

    @property
    def ndim(self) -> int:
        """The number of axes of the tensor."""
        return len(self.matrix)

    @property
    def index_ndim(self) -> int:
        """The number of axes of the index space; 0 for a matrix without rows."""
        return len(self.matrix[0]) if self.matrix else 0

    def box(self, start: Sequence[int], stop: Sequence[int]) -> tuple[Shape, Shape]:
        """Return (first cell, shape) of the smallest box that holds the boxes of the index cells in [start, stop).

        The shape is zeros if the range is empty.  Raises ShapeError for a range of another rank.

        >>> import weft
        >>> weft.Projection([[2]], shape=(3,)).box((4,), (6,))
        ((8,), (5,))
        """
        lengths = {len(start), len(stop), *([self.index_ndim] if self.matrix else [])}
        if len(lengths) > 1:
            raise ShapeError(
                f"Projection: range {tuple(start)} to {tuple(stop)} for {self.index_ndim} axes of the index space; "
                "each has a start and a stop; give as many of both"
            )
        found = self.of(box_of(tuple([max(b - a, 0) for a, b in zip(start, stop, strict=True)]), tuple(start)))
        return found.start, found.size

    def first(self, cell: Sequence[int]) -> Shape:
        """Return the first cell of the box that an index cell has."""
        return tuple([sum(map(int.__mul__, r, cell)) + o for r, o in zip(self.matrix, self.offset, strict=True)])

    def of(self, cells: Box) -> Box:
        """Return the smallest box that holds the boxes of all index cells in `cells`, a contiguous box."""
        first = self.first(cells.start)
        if 0 in cells.size:
            return box_of((0,) * self.ndim, first)
        spans = [[a * (n - 1) for a, n in zip(row, cells.size, strict=True)] for row in self.matrix]
        starts = [at + sum([s for s in span if s < 0]) for at, span in zip(first, spans, strict=True)]
        sizes = [n + sum(map(abs, span)) for n, span in zip(self.shape, spans, strict=True)]
        return box_of(tuple(sizes), tuple(starts))

    def rebased(self, cells: Box, origin: Shape) -> Projection:
        """Return the projection with other origins.

        Index cells are counted from the start of `cells`, and tensor positions from `origin`.
        """
        return Projection(self.matrix, tuple(map(int.__sub__, self.first(cells.start), origin)), self.shape)

    def translate(self, offset: Sequence[int]) -> Projection:
        """Return the projection with every box moved by `offset` cells along each axis.

        Raises ShapeError unless there is one number for each axis, DTypeError unless they are integers.

        >>> import weft
        >>> weft.Projection([[1], [0]], (4, 5)).translate((1, 2)).offset
        (5, 7)
        """
        steps = integers("Projection", "translate", offset)
        if len(steps) != self.ndim:
            raise ShapeError(
                f"Projection: translation {steps} of {self.ndim} axes; each is moved by a number of cells; give "
                f"{self.ndim} integers"
            )
        return Projection(self.matrix, tuple(map(int.__add__, self.offset, steps)), self.shape)

    def permute(self, axes: Sequence[int]) -> Projection:
        """Return the projection into the tensor with its axes in another order.

        Raises ShapeError unless `axes` has every axis once, DTypeError unless they are integers.

        >>> import weft
        >>> weft.Projection([[1, 0], [0, 2]], (4, 5), (1, 3)).permute((1, 0))
        Projection([[0, 2], [1, 0]], offset=(5, 4), shape=(3, 1))
        """
        order = _order("axes of the tensor", axes, self.ndim)
        return Projection(*[[part[a] for a in order] for part in (self.matrix, self.offset, self.shape)])

    def permute_index(self, axes: Sequence[int]) -> Projection:
        """Return the projection from the index space with its axes in another order.

        Raises ShapeError unless `axes` has every axis once, DTypeError unless they are integers.

        >>> import weft
        >>> weft.Projection([[1, 0], [0, 2]]).permute_index((1, 0))
        Projection([[0, 1], [2, 0]], offset=(0, 0), shape=(1, 1))
        """
        order = _order("axes of the index space", axes, self.index_ndim)
        return Projection([[row[j] for j in order] for row in self.matrix], self.offset, self.shape)

    def widened(self, leading: int) -> Projection:
        """Return the projection with `leading` more axes of index space and tensor in front.

        Index cell i of such an axis has position i of the tensor's alone.

        >>> import weft
        >>> weft.Projection([[2]], (1,), (3,)).widened(1)
        Projection([[1, 0], [0, 2]], offset=(0, 1), shape=(1, 3))
        """
        own = [tuple([int(a == b) for b in range(leading)]) + (0,) * self.index_ndim for a in range(leading)]
        rows = own + [(0,) * leading + row for row in self.matrix]
        return Projection(rows, (0,) * leading + self.offset, (1,) * leading + self.shape)

    def __repr__(self) -> str:
        rows = [list(row) for row in self.matrix]
        return f"Projection({rows}, offset={self.offset}, shape={self.shape})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Projection, (self.matrix, self.offset, self.shape)


def _rows(matrix: Any) -> list[Shape]:
    if not isinstance(matrix, Iterable):
        raise DTypeError(f"Projection: matrix {matrix!r:.60}; it has a row for each axis; give a list of rows")
    return [integers("Projection", "matrix", row) for row in matrix]


def _order(name: str, axes: Any, count: int) -> Shape:
    """Return `axes` as a tuple. Raises ShapeError, naming `name`, unless it has each of 0 to count - 1 once."""
    order = integers("Projection", "order", axes)
    if sorted(order) != list(range(count)):
        raise ShapeError(f"Projection: order {order} of {count} {name}; it has each of 0 to {count - 1} once")
    return order
