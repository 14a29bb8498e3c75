"""The first few cells in sorted order of every line along an axis of a file, as `topk` reads them.

The one idea: rows of the axis come in order, and only the first cells of each line so far are remembered.  A row
without NaN or zeros of both signs is merged by maxima and minima; any other rows are sorted stably with the cells so
far, so that cells have the bits and positions of the whole sort.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import numpy as np

from weft import dtypes as dt
from weft.backends.calls.sorting import has_negative_zero, order_of_lines
from weft.backends.thread_sharing import share
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, result, stored
from weft.ir.graph.ops import SORTS
from weft.ir.pieces.box import Box, box_of
from weft.passes.fuse import below, is_stored
from weft.passes.narrowing.needs import needs
from weft.passes.narrowing.prune import spread
from weft.passes.views import replaced
from weft.runtime.compute import engine, stages
from weft.runtime.memory import allocator
from weft.sources.stream.folds import Array, Reduced
from weft.sources.stream.kept_cells import POSITION, tile_of
from weft.sources.stream.sorts import parts_read_of
from weft.sources.stream.sweep import TileConsumer
from weft.tensors.place import cells as cells_of

MOST_ROWS = 16  # most first cells of a line
LONG = 8  # lines of at least LONG times the wanted cells are not sorted whole
PART = 1 << 14  # lines processed together: their first cells stay in the processor's cache


class LeadingRows(TileConsumer):
    """The consumer of the first `most` cells in order of every line, for sorts and argsorts of the same lines.

    `readers` are the nodes that read these cells, and get values.
    """

    def __init__(self, group: Sequence[Node], most: int, readers: Sequence[Node] = ()) -> None:
        super().__init__([group[0].inputs[0]])
        self.group, self.most, self.values = group, most, readers
        self.what = ", ".join([n.op.name for n in group])
        axis, self.descending = group[0].attrs[:2]
        self.axes = Reduced(self.roots[0].desc.shape, (axis,))
        self.positioned = any(n.op.name == "argsort" for n in group)
        self.seen: dict[Box, int] = {}  # for each box of lines: how many cells of each line were added
        self.found: list[Array] = []  # the values, and for an argsort the positions

    def needed(self, size: Shape) -> int:
        """Return the bytes of the results of all lines, and of the rows of a tile of `size`."""
        return leading_bytes(self.group, self.most) + self.roots[0].desc.dtype.itemsize * prod(size)

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Merge the next rows of the lines in `box`; raises the errors of computing them."""
        (axis,), kept = self.axes.axes, self.axes.kept_box(box)
        lines = [n for a, n in enumerate(self.axes.shape) if a != axis]
        if not self.found:
            kinds = [self.roots[0].desc.dtype.np, *[np.dtype(np.int64)] * self.positioned]
            self.found = [allocator.empty(kind, (self.most, *lines)) for kind in kinds]
        cells = np.moveaxis(tile_of(inputs[0]), axis, 0)
        rows = cells.reshape(len(cells), -1)
        seen = self.seen.get(kept, 0)
        self.seen[kept] = seen + len(rows)
        here = (slice(None), *kept.slices)
        before = [f[here].reshape(self.most, -1)[: min(seen, self.most)] for f in self.found]
        after = [np.empty((min(seen + len(rows), self.most), rows.shape[1]), f.dtype) for f in self.found]

        def take(positions: slice) -> None:
            made = self._taken(rows[:, positions], [b[:, positions] for b in before], seen)
            for target, value in zip(after, made, strict=True):
                target[:, positions] = value

        ends = [*range(0, rows.shape[1], PART), rows.shape[1]]
        share([slice(a, b) for a, b in pairwise(ends)], take, rows.nbytes)
        for f, a in zip(self.found, after, strict=True):
            f[here][: len(a)] = a.reshape(len(a), *kept.size)

    def _taken(self, rows: Array, before: list[Array], seen_rows: int) -> list[Array]:
        """Return the first cells of lines after merging `rows`; with positions if these are held.

        `before` holds the first cells so far, out of the `seen_rows` rows before.
        """
        if len(before) > 1 or len(before[0]) < self.most or _has_twins(rows) or _has_twins(before[0]):
            return self._merged(rows, before, seen_rows)
        first, last = (np.maximum, np.minimum) if self.descending else (np.minimum, np.maximum)
        kept, workspace = list(np.array(before[0])), np.empty_like(before[0][0])
        going, other = np.empty_like(workspace), np.empty_like(workspace)
        for row in rows:
            cells = row
            for k, known in enumerate(kept):
                kept[k] = first(known, cells, out=workspace)
                if k < len(kept) - 1:
                    cells = last(known, cells, out=other)
                    going, other = other, going
                workspace = known
        return [np.stack(kept)]

    def _merged(self, rows: Array, before: list[Array], seen_rows: int) -> list[Array]:
        """Return the first cells, and positions if held, of a stable sort of `before` and `rows`.

        `seen_rows` rows came before.
        """
        cells = np.concatenate([before[0], rows])
        order = np.ascontiguousarray(order_of_lines(cells.T, self.descending)[:, : self.most].T)
        found = [np.take_along_axis(cells, order, 0)]
        if self.positioned:
            later = np.broadcast_to(np.arange(seen_rows, seen_rows + len(rows))[:, None], rows.shape)
            found.append(np.take_along_axis(np.concatenate([before[1], later]), order, 0))
        return found

    def publish(self) -> None:
        """Compute the readers of the sorts, and attach their values."""
        (axis,) = self.axes.axes
        made: dict[int, Node] = {}
        for n in self.group:
            value = np.moveaxis(self.found[n.op.name == "argsort"], 0, axis)
            rows = stored(result(n.desc.dtype, value.shape), np.ascontiguousarray(value))
            made[id(n)] = spread([rows], [box_of(value.shape)], n)
        values = replaced(self.values, lambda n: made.get(id(n)))
        stages.compute(values)
        for reader, value in zip(self.values, values, strict=True):
            engine.publish(reader, np.asarray(cells_of(value)))


def _has_twins(cells: Array) -> bool:
    """True if cells may contain -0.0 or NaN, which compare by other rules than their bits."""
    if cells.dtype.kind != "f":
        return False
    return has_negative_zero(cells) or bool(np.isnan(cells.min()))


def leading_rows(n: Node, nodes: Sequence[Node], limit: int) -> LeadingRows | None:
    """Return the consumer for the first cells of a sort along an axis that nodes read.

    A sort and an argsort of the same lines are taken together.  None if readers need more than MOST_ROWS cells of a
    line, a large part of it, or more memory than `limit` allows.
    """
    if not _can_lead(n):
        return None
    group = [m for m in below(nodes) if _can_lead(m) and m.inputs == n.inputs and m.attrs == n.attrs]
    readers = [parts_read_of(m, nodes) for m in group]
    if any(r is None for r in readers):
        return None
    known = [r for found in readers for r in found or ()]
    if not known:
        return None
    boxes = [need.box for m in group if (need := needs(known).get(id(m))) is not None]
    most = max([b.start[n.attrs[0]] + b.step[n.attrs[0]] * (b.size[n.attrs[0]] - 1) + 1 for b in boxes], default=0)
    if not 0 < most <= MOST_ROWS or LONG * most > n.desc.shape[n.attrs[0]] or 4 * leading_bytes(group, most) > limit:
        return None
    return LeadingRows(group, most, known)


def leading_bytes(group: Sequence[Node], count: int) -> int:
    """Return the bytes of the first `count` cells of all lines, with positions if the group has an argsort."""
    (x,) = group[0].inputs
    position = POSITION * any(n.op.name == "argsort" for n in group)
    return count * (x.desc.size // x.desc.shape[group[0].attrs[0]]) * (x.desc.dtype.itemsize + position)


def _can_lead(n: Node) -> bool:
    """True if a node is a pending sort or argsort of several lines, in a dtype of NumPy's."""
    if n.op.name not in SORTS or is_stored(n) or n.traits is not None or not n.desc.size:
        return False
    dtype = n.inputs[0].desc.dtype
    return dtype in dt.COMMON and dtype.np.kind in "iuf" and n.desc.size > n.desc.shape[n.attrs[0]]
