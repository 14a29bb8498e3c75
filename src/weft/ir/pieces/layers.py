"""Boxes laid over each other: the topmost box at a position, found without visiting the others.

The one idea: a query compares all borders at once, in one array for each axis, and visits only the boxes it touches;
the space not covered by the boxes above is kept as a list of boxes, and that list is cut, never a grid of all borders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.ir.graph.description import Shape

FEW = 16  # boxes of which the topmost is cut off; a region that meets more is halved
SINGLY = 4  # boxes up to which they are compared one by one: that takes less than calls of NumPy
SWEPT = 64  # boxes compared at once with those before them


class LayerBox(NamedTuple):
    """A box: the positions with low <= position < high along every axis."""

    low: Shape
    high: Shape


def intersection(a: LayerBox, b: LayerBox) -> LayerBox | None:
    """Return the intersection of two boxes; None if it is empty."""
    low = tuple([x if x > y else y for x, y in zip(a.low, b.low, strict=True)])
    high = tuple([x if x < y else y for x, y in zip(a.high, b.high, strict=True)])
    return None if any(x >= y for x, y in zip(low, high, strict=True)) else LayerBox(low, high)


def difference(a: LayerBox, b: LayerBox) -> list[LayerBox]:
    """Return the cells of box a outside box b, as boxes before and after b along each axis in turn.

    >>> [d.low + d.high for d in difference(LayerBox((0, 0), (4, 4)), LayerBox((1, 1), (3, 4)))]
    [(0, 0, 1, 4), (3, 0, 4, 4), (1, 0, 3, 1)]
    """
    common = intersection(a, b)
    if common is None:
        return [a]
    rest, low, high = [], list(a.low), list(a.high)
    for d, (first, stop) in enumerate(zip(common.low, common.high, strict=True)):
        if low[d] < first:
            rest.append(LayerBox(tuple(low), (*high[:d], first, *high[d + 1 :])))
            low[d] = first
        if stop < high[d]:
            rest.append(LayerBox((*low[:d], stop, *low[d + 1 :]), tuple(high)))
            high[d] = stop
    return rest


class Layers:
    """Boxes in an order, later boxes on top. `borders` are their lows and highs by axis, built at the first query."""

    __slots__ = ("borders", "boxes")

    def __init__(self, boxes: Sequence[LayerBox]) -> None:
        self.boxes = tuple(boxes)
        self.borders: NDArray[Any] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layers) and self.boxes == other.boxes

    def __hash__(self) -> int:
        return hash(self.boxes)

    def __repr__(self) -> str:
        return f"Layers({len(self.boxes)})"

    def touching(self, box: LayerBox) -> list[int]:
        """Return the numbers of the boxes that share a cell with `box`, the topmost first."""
        if len(self.boxes) <= SINGLY:
            return [i for i in range(len(self.boxes) - 1, -1, -1) if intersection(self.boxes[i], box) is not None]
        if self.borders is None:
            shape = (len(self.boxes), 2, len(box.low))
            try:
                borders = np.array(self.boxes, np.int64).reshape(shape)
            except OverflowError:  # of parts and a domain that lie about 2**63 apart
                borders = np.array(self.boxes, object).reshape(shape)
            self.borders = np.ascontiguousarray(borders.transpose(1, 2, 0))
        met = np.ones(len(self.boxes), np.bool_)
        for low, high, first, stop in zip(*self.borders, *box, strict=True):
            met &= np.maximum(low, first) < np.minimum(high, stop)
        return np.flatnonzero(met)[::-1].tolist()

    def hole(self, domain: LayerBox) -> Shape | None:
        """Return a position of the domain that no box covers; None if all are covered."""
        pending = [(domain, self.touching(domain))] if _intersects(domain, domain) else []
        while pending:
            part, near = pending.pop()
            if not near:
                return part.low
            if any(_contains(self.boxes[i], part) for i in near):
                continue
            if len(near) > FEW and (halves := _halved(part, [self.boxes[i] for i in near])):
                rests = list(halves)
            else:
                rests = difference(part, self.boxes[near[0]])
            pending.extend([(rest, [i for i in near if _intersects(self.boxes[i], rest)]) for rest in rests])
        return None

    def clash(self) -> tuple[int, int, Shape] | None:
        """Return (i, j, position) of two boxes that cover one position; None if no two do."""
        full = [i for i, b in enumerate(self.boxes) if all(x < y for x, y in zip(b.low, b.high, strict=True))]
        if len(full) < 2:
            return None
        if not self.boxes[full[0]].low:
            return full[0], full[1], ()
        low = np.array([self.boxes[i].low for i in full], np.int64)
        high = np.array([self.boxes[i].high for i in full], np.int64)
        for i, j in _pairs_along(low, high):
            i, j = sorted((full[i], full[j]))
            common = intersection(self.boxes[i], self.boxes[j])
            assert common is not None
            return i, j, common.low
        return None


def _pairs_along(low: NDArray[np.int64], high: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of two boxes that intersect, for all such pairs, by a sweep along the first axis."""
    order = np.argsort(low[:, 0], kind="stable")
    still = order[:0]
    for first in range(0, len(order), SWEPT):
        some = order[first : first + SWEPT]
        still = np.concatenate([still[high[still, 0] > low[some[0], 0]], some])
        met = np.ones((len(some), len(still)), np.bool_)
        for d in range(low.shape[1]):
            met &= (low[some, None, d] < high[None, still, d]) & (low[None, still, d] < high[some, None, d])
        met[:, len(still) - len(some) :] &= ~np.eye(len(some), dtype=np.bool_)
        for a, b in np.argwhere(met):
            yield int(some[a]), int(still[b])


def _intersects(a: LayerBox, b: LayerBox) -> bool:
    return all(x < y and u < v for x, y, u, v in zip(a.low, b.high, b.low, a.high, strict=True))


def _contains(outer: LayerBox, inner: LayerBox) -> bool:
    return all(x <= y and v <= u for x, y, u, v in zip(outer.low, inner.low, outer.high, inner.high, strict=True))


def _halved(region: LayerBox, boxes: list[LayerBox]) -> tuple[LayerBox, LayerBox] | None:
    """Return `region` cut in two at the middle border of the boxes inside it.

    The cut is along the axis with the most borders. None if no border lies inside.
    """
    borders: list[int] = []
    axis = 0
    for d, (low, high) in enumerate(zip(region.low, region.high, strict=True)):
        inside = [y for b in boxes for y in (b.low[d], b.high[d]) if low < y < high]
        if len(inside) > len(borders):
            borders, axis = inside, d
    if not borders:
        return None
    middle = sorted(borders)[len(borders) // 2]
    first = LayerBox(region.low, (*region.high[:axis], middle, *region.high[axis + 1 :]))
    return first, LayerBox((*region.low[:axis], middle, *region.low[axis + 1 :]), region.high)
