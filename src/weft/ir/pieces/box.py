"""Strided boxes: sets of positions of a domain, an arithmetic progression along every axis.

The one idea: a request has an order of cells, a box is only the set of them.  Boxes of several readers are joined into
the smallest progressions that hold both, so the cells needed of a node always have a description as short as a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import Any, NamedTuple

from weft.ir.graph.description import Shape
from weft.ir.pieces.request import Request, Row, row_range


class Box(NamedTuple):
    """The positions start + k·step, 0 <= k < size, along every axis.

    Steps are at least 1, and 1 where the size is 1.
    """

    start: Shape
    step: Shape
    size: Shape

    @property
    def stop(self) -> Shape:
        """The position after the last, along every axis."""
        return tuple([a + s * (n - 1) + 1 for a, s, n in zip(self.start, self.step, self.size, strict=True)])

    @property
    def slices(self) -> tuple[Any, ...]:
        """The index key that selects the box; its Ellipsis makes the result an array even for rank 0."""
        return (*map(slice, self.start, self.stop, self.step), ...)

    @property
    def cells(self) -> int:
        """The number of positions in the box."""
        return prod(self.size)

    @property
    def runs(self) -> list[tuple[int, int, int]]:
        """The (start, step, size) of every axis."""
        return list(zip(self.start, self.step, self.size, strict=True))

    @property
    def request(self) -> Request:
        """The box as a request, with its cells in row-major order."""
        start, step, size = self
        rows = tuple([(a, ((d, step[d]),)) if size[d] > 1 else (a, ()) for d, a in enumerate(start)])
        return Request(size, (0,) * len(rows), (1,) * len(rows), rows)

    def moved(self, axis: int, offset: int) -> Box:
        """Return the box shifted by `offset` positions along an axis."""
        return self._replace(start=(*self.start[:axis], self.start[axis] + offset, *self.start[axis + 1 :]))

    def along(self, axis: int, run: tuple[int, int, int]) -> Box:
        """Return the box with (start, step, size) = `run` along an axis."""
        return box_of_runs([*self.runs[:axis], run, *self.runs[axis + 1 :]])

    def holds(self, other: Box) -> bool:
        """True if every position of the other box is in this box."""
        for a, b, s, t, n, m in zip(self.start, other.start, self.step, other.step, self.size, other.size, strict=True):
            if m and (b < a or b + t * (m - 1) > a + s * (n - 1) or (b - a) % s or (m > 1 and t % s)):
                return False
        return True

    def joined(self, other: Box) -> Box:
        """Return the smallest box that holds the positions of both boxes."""
        return box_of_runs([_join(a, b) for a, b in zip(self.runs, other.runs, strict=True)])


def box_of(shape: Shape, start: Shape | None = None) -> Box:
    """Return the contiguous box of a shape, from `start` or from the origin."""
    return Box(start or (0,) * len(shape), (1,) * len(shape), shape)


def box_of_runs(runs: Sequence[tuple[int, int, int]]) -> Box:
    """Return the box with the given (start, step, size) for every axis."""
    return Box(*zip(*runs, strict=True)) if runs else Box((), (), ())


def bounding(request: Request) -> Box:
    """Return the smallest box that holds every position that a request reads.

    >>> bounding(Request((3, 2), (0, 0), (1, 1), ((9, ((0, -4),)), (5, ()))))
    Box(start=(1, 5), step=(4, 1), size=(3, 1))
    """
    return box_of_runs([_span(row, request.sizes) for row in request.rows])


def around(request: Request) -> Box:
    """Return the smallest contiguous box that holds every position that a request reads."""
    ends = [row_range(row, request.sizes) for row in request.rows]
    return box_of(tuple([high - low + 1 for low, high in ends]), tuple([low for low, _ in ends]))


def _span(row: Row, sizes: Shape) -> tuple[int, int, int]:
    first, terms = row
    if not terms:
        return first, 1, 1
    if len(terms) == 1 and terms[0][1] > 0:
        return first, terms[0][1], sizes[terms[0][0]]
    low, high = row_range(row, sizes)
    by = gcd(*[a for _, a in terms])
    return low, by, (high - low) // by + 1


def _join(a: tuple[int, int, int], b: tuple[int, int, int]) -> tuple[int, int, int]:
    (first, s, n), (other, t, m) = a, b
    low, high = min(first, other), max(first + s * (n - 1), other + t * (m - 1))
    if low == high:
        return low, 1, 1
    by = gcd(s if n > 1 else 0, t if m > 1 else 0, first - other)
    return low, by, (high - low) // by + 1
