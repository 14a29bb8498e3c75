"""Touched bytes as boxes of coordinates, for sources whose cells have no address of their own.

The one idea: such a source gets a virtual dense layout, under which plans are made like any other; afterwards each
pattern of addresses is turned back into strided boxes.  A run over the ends of rows is cut into head, rows and tail; a
pattern that fits no boxes, such as a diagonal, is cut into its cells, or, if these are many, covered by enclosing
boxes.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import prod
from operator import mul, sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.ir.graph.description import Shape
from weft.ir.pieces.box import Box, box_of
from weft.runtime.compute.footprint import Touch, touch

MAX_BOXES = 4096  # most boxes of one pattern; beyond, boxes may enclose other cells
MANY = 4  # most parts of a chunk that are copied one by one
SPARSE = 4  # the hull of more parts is copied if it has at most so many times their cells
Axis = tuple[int, int]  # (step, count), in cells


class Grid:
    """A dense layout of a shape in C or F order, for converting byte addresses to boxes of coordinates."""

    def __init__(self, shape: Sequence[int], itemsize: int, order: str = "C") -> None:
        self.shape, self.itemsize = tuple(shape), itemsize
        axes = range(len(self.shape))
        inward = list(axes) if order == "C" else list(reversed(axes))
        self.axes = [a for a in inward if self.shape[a] > 1]  # from outer to inner
        self.steps = [prod(self.shape[a] for a in self.axes[k + 1 :]) for k in range(len(self.axes))]

    def boxes(self, touches: Sequence[Touch] | None) -> list[Box]:
        """Return boxes that contain all touched cells (None: all cells); boxes may overlap.

        >>> from weft.runtime.compute.footprint import touch
        >>> Grid((4, 6), 8).boxes([touch(16, (8,), (8,), 8)])  # a run over the end of a row
        [Box(start=(0, 2), step=(1, 1), size=(1, 4)), Box(start=(1, 0), step=(1, 1), size=(1, 4))]
        """
        if 0 in self.shape:
            return []
        if touches is None:
            return [Box((0,) * len(self.shape), (1,) * len(self.shape), self.shape)]
        found: dict[Box, None] = {}
        for t in touches:
            for offset, count, step in _in_runs(t.offsets):
                first, axes = _in_cells(offset, t.axes if count == 1 else (*t.axes, (step, count)), t, self.itemsize)
                found.update(dict.fromkeys(self._fitted(first, _united(axes), MAX_BOXES)))
        return list(found)

    def _fitted(self, first: int, axes: list[Axis], budget: int) -> Iterator[Box]:
        """Yield the boxes of a pattern of cells; beyond about `budget` of them, boxes may enclose other cells.

        The pattern starts at cell `first`; `axes` are its (step, count), in cells.
        """
        place: dict[int, Axis] = {}
        at = self._coordinates(first)
        for step, n in axes:
            if n == 1:
                continue
            k = next((k for k, s in enumerate(self.steps) if step % s == 0 and step >= s), None)
            if k is None:
                break
            stride = step // self.steps[k]
            if k in place or at[k] + stride * (n - 1) >= self.shape[self.axes[k]]:
                break
            place[k] = stride, n
        else:
            yield self._box(at, place)
            return
        rest = list(axes)
        rest.remove((step, n))  # remove one: a pattern may have two equal axes
        if k and k not in place and self.shape[self.axes[k]] % stride == 0:
            yield from self._wrapped(first, rest, k, stride, n, at[k], budget)
        elif budget >= n:
            for i in range(n):
                yield from self._fitted(first + step * i, rest, budget // n)
        else:
            per = -(-n // max(budget, 1))
            for i in range(0, n, per):
                last = first + step * (min(i + per, n) - 1) + sum(s * (c - 1) for s, c in rest)
                yield self._enclosing(first + step * i, last)

    def _wrapped(
        self, first: int, other_axes: list[Axis], axis: int, stride: int, count: int, position: int, budget: int
    ) -> Iterator[Box]:
        """Yield the boxes of a run along an axis that wraps over rows: its head, whole rows, and its tail.

        It has `count` cells, `stride` apart, from `position` of the axis on. `first` is its first cell, `other_axes`
        those of the pattern besides; beyond about `budget` boxes, boxes may enclose other cells.
        """
        row, step = self.shape[self.axes[axis]] // stride, self.steps[axis] * stride
        head = min(count, row - position // stride) if position >= stride else 0
        rows, tail = divmod(count - head, row)
        parts = ((0, [(step, head)]), (head, [(step, row), (step * row, rows)]), (head + rows * row, [(step, tail)]))
        for skipped, axes in parts:
            if all(c for _, c in axes):
                yield from self._fitted(first + step * skipped, [*other_axes, *axes], budget // 3)

    def _coordinates(self, cell: int) -> list[int]:
        at = []
        for s in self.steps:
            c, cell = divmod(cell, s)
            at.append(c)
        return at

    def _box(self, at: list[int], place: dict[int, Axis]) -> Box:
        start, step, size = [0] * len(self.shape), [1] * len(self.shape), [1] * len(self.shape)
        for k, axis in enumerate(self.axes):
            start[axis] = at[k]
            step[axis], size[axis] = place.get(k, (1, 1))
        return Box(tuple(start), tuple(step), tuple(size))

    def _enclosing(self, first: int, last: int) -> Box:
        """Return a box with all cells from `first` to `last`, whole along the axes after the first that differs."""
        low, high = self._coordinates(first), self._coordinates(last)
        apart = next((k for k, (a, b) in enumerate(zip(low, high, strict=True)) if a != b), len(low))
        low[apart + 1 :] = [0] * len(low[apart + 1 :])
        whole = {k: (1, self.shape[self.axes[k]]) for k in range(apart + 1, len(low))}
        return self._box(low, {k: (1, high[k] - low[k] + 1) for k in range(len(low))} | whole)


def _in_runs(offsets: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Return ascending offsets as runs (first, count, step) of neighbours at the smallest distance.

    >>> _in_runs(np.array([0, 8, 16, 40, 64, 72]))
    [(0, 3, 8), (40, 1, 8), (64, 2, 8)]
    """
    if len(offsets) < 2:
        return [(first, 1, 0) for first in offsets.tolist()]
    apart = np.diff(offsets)
    step = int(apart.min())
    begin = np.concatenate([[0], np.flatnonzero(apart != step) + 1])
    counts = np.diff(np.append(begin, len(offsets)))
    return [(first, count, step) for first, count in zip(offsets[begin].tolist(), counts.tolist(), strict=True)]


def _in_cells(offset: int, along: Sequence[Axis], t: Touch, itemsize: int) -> tuple[int, list[Axis]]:
    """Convert a touch at `offset` with axes `along`, in bytes, to (first cell, axes (step, count) in cells).

    Cells of `itemsize` bytes count if they are touched in part.
    """
    first, inside = divmod(offset, itemsize)
    span, axes = inside + t.itemsize, []
    for step, n in along:
        if step % itemsize:
            span += step * (n - 1)
        else:
            axes.append((step // itemsize, n))
    return first, [(1, -(-span // itemsize)), *axes]


def _united(axes: list[Axis]) -> list[Axis]:
    """Return the axes sorted by step; an axis that continues the axis before is merged with it."""
    done: list[Axis] = []
    for step, n in sorted(a for a in axes if a[1] > 1):
        if done and step % done[-1][0] == 0 and step // done[-1][0] <= done[-1][1]:
            inner, m = done[-1]
            done[-1] = inner, m + step // inner * (n - 1)
        else:
            done.append((step, n))
    return done


# ---- chunks


def by_chunk(boxes: Sequence[Box], chunks: Sequence[int]) -> dict[tuple[int, ...], list[Box]]:
    """Return a dict from each touched chunk of a regular grid, by index, to the boxes' parts inside it.

    >>> by_chunk([Box((3,), (2,), (4,))], (5,))
    {(0,): [Box(start=(3,), step=(2,), size=(1,))], (1,): [Box(start=(5,), step=(2,), size=(3,))]}
    """
    found: dict[tuple[int, ...], list[Box]] = {}
    for box in boxes:
        along = [list(_cut(*axis)) for axis in zip(*box, chunks, strict=True)]
        for parts in itertools.product(*along):
            index, start, size = zip(*parts, strict=True) if parts else ((), (), ())
            found.setdefault(index, []).append(Box(start, box.step, size))
    return found


def chunk_box(index: Sequence[int], chunks: Shape, shape: Shape) -> Box:
    """Return the box of a chunk of a regular grid, by its index. At the edge of the array it is smaller.

    >>> chunk_box((2,), (5,), (12,))
    Box(start=(10,), step=(1,), size=(2,))
    """
    corner = tuple(map(mul, index, chunks))
    return box_of(tuple(map(min, chunks, map(sub, shape, corner))), corner)


def _cut(start: int, step: int, size: int, chunk: int) -> Iterator[tuple[int, int, int]]:
    """Yield (chunk, first cell, number of cells) for the chunks of a strided run along one axis.

    `chunk` is the length of a chunk.
    """
    done = 0
    while done < size:
        at = start + done * step
        index = at // chunk
        count = min(size - done, ((index + 1) * chunk - 1 - at) // step + 1)
        yield index, at, count
        done += count


def spans(
    run: tuple[int, int, int], ends: Sequence[int]
) -> Iterator[tuple[int, tuple[int, int, int], tuple[int, int, int]]]:
    """Yield the parts of a strided run: index of the interval, the part within it, and within the whole.

    `run` is (start, step, size); `ends` are the ends of adjacent intervals, in rising order.

    >>> list(spans((1, 4, 3), (0, 4, 6, 10)))
    [(0, (1, 1, 1), (1, 1, 1)), (1, (1, 1, 1), (5, 1, 1)), (2, (3, 1, 1), (9, 1, 1))]
    """
    start, step, size = run
    k = 0
    while k < size:
        at = start + k * step
        index = bisect_right(ends, at) - 1
        n = min(size - k, (ends[index + 1] - 1 - at) // step + 1)
        by = step if n > 1 else 1
        yield index, (at - ends[index], by, n), (at, by, n)
        k += n


def hull(boxes: Sequence[Box]) -> Box:
    """Return the smallest box with step 1 that holds all boxes."""
    start, stop = boxes[0].start, boxes[0].stop
    for b in boxes[1:]:
        start, stop = tuple(map(min, start, b.start)), tuple(map(max, stop, b.stop))
    return Box(start, (1,) * len(start), tuple(map(sub, stop, start)))


def overlap(a: Box, b: Box) -> bool:
    """True if two boxes of neighbouring cells have cells in common."""
    return all(p < q + m and q < p + n for p, n, q, m in zip(a.start, a.size, b.start, b.size, strict=True))


def copied(boxes: Sequence[Box], block: NDArray[Any], corner: Sequence[int], target: NDArray[Any]) -> None:
    """Copy the cells of boxes from a block, whose first cell is at `corner`, to the same positions of `target`."""
    if len(boxes) > MANY and all(b.cells == 1 for b in boxes):  # their hull may be the whole block
        at = np.array([b.start for b in boxes]).T
        target[tuple(at)] = block[tuple(at - np.array(corner)[:, None])]
        return
    around = hull(boxes)
    is_dense = len(boxes) > MANY and around.cells <= SPARSE * cells(boxes)
    for b in [around] if is_dense else boxes:
        target[b.slices] = block[inside(b, corner).slices]


def inside(box: Box, corner: Sequence[int]) -> Box:
    """Return the box with its start counted from `corner`.

    >>> inside(Box((5, 2), (1, 1), (3, 4)), (4, 0)).start
    (1, 2)
    """
    return Box(tuple(map(sub, box.start, corner)), box.step, box.size)


def byte_patterns(boxes: Sequence[Box], strides: Sequence[int], itemsize: int) -> list[Touch]:
    """Return the touched byte pattern of each non-empty box, for cells with these byte strides."""
    found = []
    for start, step, size in boxes:
        found.append(touch(sum(map(mul, start, strides)), tuple(map(mul, step, strides)), size, itemsize))
    return [t for t in found if t is not None]


def cells(boxes: Sequence[Box]) -> int:
    """Return the number of cells of all boxes."""
    return sum(prod(b.size) for b in boxes)


def runs(boxes: Sequence[Box], order: str) -> int:
    """Return the number of runs of adjacent cells in the boxes, for memory in `order` ("C" or "F").

    >>> runs([Box((0, 0), (1, 1), (3, 5)), Box((0, 0), (1, 2), (3, 5))], "C")
    18
    """
    axis = -1 if order == "C" else 0
    return sum(prod(b.size) // (b.size[axis] if b.size and b.step[axis] == 1 else 1) for b in boxes)
