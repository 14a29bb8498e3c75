"""Footprints: which boxes of files a box of values reads, and where to cut values so that chunks stay whole.

The one idea: demand is affine, so one walk from the values to the files gives, for every file, positions as offsets and
steps along the axes of the values.  The box of a file that a box of values reads then follows by a few additions.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from math import gcd, prod
from typing import NamedTuple

from weft.ir.atoms.reshape import reshape_groups
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box, around, bounding, box_of
from weft.ir.pieces.demand import demand, line_axis, part_demand
from weft.ir.pieces.request import (
    MustStore,
    Request,
    Row,
    added,
    dense_parts,
    narrowed,
    scaled,
    whole,
)
from weft.passes.fuse import below, is_stored, over_files
from weft.passes.narrowing.needs import needs
from weft.sources.read.touched_boxes import hull
from weft.sources.stream.running_scans import is_carried, state_bytes
from weft.sources.stream.units import chunks_of

MAX_REACHES = 1024  # most requests that a footprint holds
MAX_SEEN = 1 << 15  # most requests that the walk may pass through
Cuts = list[int]  # rising positions at which an axis may be cut, including both ends


class Reach(NamedTuple):
    """The cells of one file that values read; the first parameters of `request` are the axes of the values."""

    file: Node
    request: Request

    def of(self, box: Box) -> list[Box]:
        """Return the boxes of the file that `box` of the values reads."""
        sizes, starts, steps, _ = self.request
        runs = [(0, n) for n in sizes]
        for p, (a, n) in enumerate(zip(box.start, box.size, strict=True)):
            low = max(0, -((starts[p] - a) // steps[p]))
            high = min(sizes[p] - 1, (a + n - 1 - starts[p]) // steps[p])
            if high < low:
                return []
            runs[p] = low, high - low + 1
        return [around(part) for part in dense_parts(narrowed(self.request, runs))]


class _Pattern(NamedTuple):
    """Borders of chunks along an axis of values: at (offset + period · m) / by for all m, backwards or not."""

    offset: int
    period: int
    by: int
    is_backward: bool

    def shift_to_middle(self, others: Iterable[_Pattern]) -> int:
        """Return by how many cells to move the borders to be in the middle of equal patterns that lie close.

        Neighbours of a cell in all directions read such: a cut in the middle has the least of them in other chunks.
        """
        half = self.period // 2
        apart = [(o.offset - self.offset + half) % self.period - half for o in others if o[1:] == self[1:]]
        close = sorted([a for a in apart if 4 * abs(a) < self.period])
        return close[(len(close) - 1) // 2] // self.by if close else 0

    def borders(self, cells: range) -> list[int]:
        """Return the positions within some cells of the values that lie just after a border, but for the first cell.

        >>> _Pattern(-2, 5, 1, False).borders(range(9)), _Pattern(7, 5, 1, True).borders(range(9))
        ([3, 8], [3, 8])
        """
        if self.by * cells.step >= self.period:  # every cell is in another chunk
            every = self.period // gcd(self.by * cells.step, self.period)
            return list(cells[every::every])
        low, high, more = cells.start * self.by, cells[-1] * self.by, int(not self.is_backward)
        found = range(low + more + (self.offset - low - more) % self.period, high + more, self.period)
        return [at // self.by + 1 if self.is_backward else -(-at // self.by) for at in found]


def _pattern(offset: int, file_step: int, chunk: int, start: int, step: int) -> _Pattern:
    """Return where values enter another chunk of a file; position start + step · t reads offset + file_step · t."""
    by = abs(file_step)
    forward = start * by + (offset if file_step < 0 else -offset) * step
    return _Pattern(forward, chunk * step, by, file_step < 0)


class Footprint:
    """The cells of files that values (`roots`, of one shape) read."""

    def __init__(
        self, roots: Sequence[Node], limit: int, waited: Container[int] = (), parts: Container[int] = ()
    ) -> None:
        self.roots, self.waited = roots, waited  # ids of nodes whose values are computed before
        self.parts = parts  # ids of products and takes that tiles compute in parts
        self.room = limit // 8  # for the state of each scan
        self.carried: dict[int, Request] = {}  # by id of a scan with state between tiles: the request for it
        self.uncarried: set[int] = set()  # ids of scans whose tiles hold whole lines
        self.grids: Mapping[Node, Shape] = {}  # sizes of parts of files without chunks, at whose borders tiles begin
        self.reshapes: list[tuple[Node, Request]] = []  # reshapes that copy, and the requests for them
        self.reaches = self._reaches()

    def _unknown(self) -> None:
        """Clear the affine positions; boxes are then computed one by one (`needs`)."""
        self.carried.clear()
        self.reshapes.clear()

    def _reaches(self) -> list[Reach] | None:
        """Return the cells of each file that the whole values read, or None if no few strided boxes describe them.

        Also records carried scans, reshapes that copy, `whole_axes` and `repeated_axes`.
        """
        ndim = self.roots[0].desc.ndim
        self._unknown()
        self.whole_axes: frozenset[int] = frozenset()  # axes of the values of which tiles need all cells
        self.repeated_axes: frozenset[int] = frozenset()  # axes along which all need the same of products' operands
        pending = [(r, whole(r)) for r in self.roots]
        seen = set(pending)
        found: dict[Reach, None] = {}
        while pending:
            n, request = pending.pop()
            if n.op.name == "file":
                found[Reach(n, request)] = None
                continue
            if id(n) in self.waited:
                continue
            if is_stored(n):
                n_root = n.alias[0] if n.alias is not None else n
                if n_root.op.name == "file":
                    return self._unknown()
                continue
            axis = line_axis(n)
            carried = axis is not None and self._is_carried(n, request)
            # A scan asked for in two ways, as in cumsum(x) - flip(cumsum(x)), is not carried after all: its lines stay
            # whole, so the walk starts again with that known.
            if self.carried.get(id(n), request) != request:
                self.uncarried.add(id(n))
                return self._reaches()
            if carried:
                self.carried[id(n)] = request
            elif axis is not None:
                self.uncarried.add(id(n))
                self.whole_axes |= {p for p, _ in request.rows[axis][1] if p < ndim}
            try:
                asked = [(n.inputs[0], request)] if carried else [(n.inputs[k], r) for k, r in self._demand(n, request)]
            except MustStore:
                if n.op.name != "reshape" or any(
                    line_axis(i) is not None and not is_stored(i) for i in below(n.inputs)
                ):
                    return self._unknown()
                self.reshapes.append((n, request))
                continue
            if id(n) in self.parts:
                self.whole_axes |= {p for _, r in asked for row in r.rows for p in _inner(row) if p < ndim}
                self.repeated_axes |= {p for row in self._repeated(n, request) for p, _ in row[1] if p < ndim}
            fresh = [a for a in asked if a not in seen]
            seen.update(fresh)
            pending += fresh
            if len(found) > MAX_REACHES or len(seen) > MAX_SEEN:
                return self._unknown()
        return None if self.reshapes else list(found)

    def _asked(self, n: Node, box: Box) -> list[tuple[int, Box]] | None:
        """Return the (input index, box) pairs that `box` of a carried scan, product or take reads.

        None for other nodes.
        """
        if id(n) in self.carried:
            return [(0, box)]
        return [(k, bounding(r)) for k, r in part_demand(n, box.request)] if id(n) in self.parts else None

    def _demand(self, n: Node, request: Request) -> list[tuple[int, Request]]:
        return part_demand(n, request) if id(n) in self.parts else demand(n, request)

    def _repeated(self, n: Node, request: Request) -> list[Row]:
        """Return the rows of a request for product n along which all cells need the same cells of one operand.

        These are the columns where the first operand has an inner product, or alone is over files, and likewise rows.
        """
        if n.op.name != "matmul":
            return []
        has_inner = [any(id(i) in self.parts for i in below([x])) for x in n.inputs]
        is_alone = [id(n.inputs[1 - k]) not in over_files([n.inputs[1 - k]]) for k in (0, 1)]
        is_matrix = [x.desc.ndim > 1 for x in n.inputs]
        own = dict(zip([k for k in (0, 1) if is_matrix[k]], request.rows[-sum(is_matrix) or None :], strict=False))
        return [own[1 - k] for k in (0, 1) if (has_inner[k] or is_alone[k]) and 1 - k in own]

    def _is_carried(self, n: Node, request: Request) -> bool:
        """True if tiles read every cell of a scan once and in order, and its state fits into `room`."""
        if id(n) in self.uncarried or not is_carried(n) or state_bytes(n) > self.room:
            return False
        rows, axis = list(request.rows), n.attrs[0]
        offset, along = rows.pop(axis)
        if offset != 0 or [a for _, a in along] != [1]:
            return False
        # the parameter along the scanned axis, and those of the other axes
        p, others = along[0][0], {q for _, terms in rows for q, _ in terms}
        moving = {q for q, m in enumerate(request.sizes[: self.roots[0].desc.ndim]) if m > 1}
        return request.sizes[p] == n.desc.shape[axis] and p not in others and p in moving and moving <= {p, *others}

    def boxes(self, box: Box) -> list[tuple[Node, Box]]:
        """Return the (file, box) pairs that `box` of the values reads; overlapping boxes of a file are joined."""
        if self.reaches is None:
            found = needs(self.roots, [box] * len(self.roots), self._asked).values()
            return _joined([(n.node, hull([b])) for n in found if n.node.op.name == "file" for b in n.boxes])
        return _joined([(r.file, b) for r in self.reaches for b in r.of(box)])

    def reduced_axes(self) -> frozenset[int]:
        """Return the axes of the values that run along file axes which a reduction also reads whole.

        For x - mean(x, axis=0) that is axis 0.  Where positions are not affine, these are the axes along which one cell
        reads over half of what all cells read.
        """
        shape = self.roots[0].desc.shape
        if self.reaches is None:
            whole_box = box_of(shape)
            most = self._bytes(whole_box) // 2
            return frozenset(
                [a for a, n in enumerate(shape) if n > 1 and self._bytes(whole_box.along(a, (n // 2, 1, 1))) > most]
            )
        moved: dict[tuple[Node, int], set[int]] = {}
        whole: set[tuple[Node, int]] = set()
        for file, request in self.reaches:
            for axis, (_, terms) in enumerate(request.rows):
                moved.setdefault((file, axis), set()).update([p for p, _ in terms if p < len(shape)])
                if any(p >= len(shape) for p, _ in terms):
                    whole.add((file, axis))
        return frozenset([p for key in whole for p in moved[key]])

    def _bytes(self, box: Box) -> int:
        """Return the bytes of files that `box` of the values reads."""
        return sum([b.cells * file.desc.dtype.itemsize for file, b in self.boxes(box)])

    def idle_axes(self) -> frozenset[int]:
        """Return the axes of the values along which every cell reads the same cells of the files, or inner products."""
        reads = [(r.request.sizes, {p for _, terms in r.request.rows for p, _ in terms}) for r in self.reaches or ()]
        shape = self.roots[0].desc.shape
        same = [a for a, n in enumerate(shape) if all(sizes[a] == n and a not in moved for sizes, moved in reads)]
        return self.repeated_axes.union(same if reads else ())

    def cuts(self, shape: Shape) -> list[Cuts]:
        """Return, for each axis of the values, the positions where chunks of the files begin.

        Where files differ, the largest decide.  Both ends of an axis are cuts; so are the ends of parts that come from
        different files.
        """
        return [self._along(axis, n) for axis, n in enumerate(shape)]

    def _along(self, axis: int, axis_size: int) -> Cuts:
        """Return the cuts of `axis`, which has `axis_size` cells."""
        taken: list[range] = []
        found = {0, axis_size}
        patterns: list[tuple[_Pattern, list[int]]] = []  # of files that decide, with their borders
        every: list[_Pattern] = []
        for r in sorted(self.reaches or (), key=lambda r: -r.file.desc.nbytes):
            size, start, step = r.request.sizes[axis], r.request.start[axis], r.request.step[axis]
            cells = range(start, start + step * (size - 1) + 1, step)
            span = range(start, cells.stop)
            parts = self.grids.get(r.file) or chunks_of(r.file.attrs[0]) or ()
            rows = zip(r.request.rows, parts, strict=False)
            moved = [(offset, _step(terms, axis), c) for (offset, terms), c in rows if c > 0]
            alike = [_pattern(offset, k, c, start, step) for offset, k, c in moved if k]
            every += alike
            if size < 2 or any(2 * _common(span, t) > len(span) for t in taken):
                continue
            if alike or len(span) < axis_size:
                taken.append(span)
            if len(span) < axis_size:
                found |= {span.start, span.stop}
            patterns += [(pattern, pattern.borders(cells)) for pattern in alike]
        for pattern, borders in patterns:
            shift = pattern.shift_to_middle(every)
            found.update([b + shift for b in borders if 0 < b + shift < axis_size])
        for reshape, request in self.reshapes:
            found.update(self._row_cuts(reshape, request, axis))
        return _spread(sorted(found))

    def _row_cuts(self, n: Node, request: Request, axis: int) -> Iterable[int]:
        """Return the positions along `axis` of the values at which reshape `n` enters another chunk."""
        (old, new), x = (n.inputs[0].desc.shape, n.desc.shape), n.inputs[0]
        start, step, size = request.start[axis], request.step[axis], request.sizes[axis]
        for olds, news in reshape_groups(old, new):
            linear: Row = (0, ())
            for a, stride in zip(news, c_strides(tuple([new[a] for a in news]), 1), strict=True):
                linear = added(linear, scaled(request.rows[a], 0, stride))
            if (by := _step(linear[1], axis)) > 0:
                row = prod([old[a] for a in olds[1:]])
                for cut in Footprint([x], 8 * self.room, self.waited, self.parts)._along(olds[0], old[olds[0]]):
                    t = -((linear[0] - cut * row) // by)
                    if 0 < t < size:
                        yield start + step * t


def _joined(pairs: Iterable[tuple[Node, Box]]) -> list[tuple[Node, Box]]:
    """Merge boxes of a file whose bounding box has no more cells than they have together. `pairs` are (file, box)."""
    by_file: dict[Node, list[Box]] = {}
    for file, box in dict.fromkeys(pairs):
        boxes = by_file.setdefault(file, [])
        k = len(boxes) if hasattr(file.attrs[0], "holders") else 0  # of shards, no cell between boxes is to travel
        while k < len(boxes):
            both = boxes[k].joined(box) if _may_touch(boxes[k], box) else None
            if both is not None and set(both.step) <= {1} and both.cells <= boxes[k].cells + box.cells:
                box = both
                del boxes[k]
                k = 0
            else:
                k += 1
        boxes.append(box)
    return [(file, box) for file, boxes in by_file.items() for box in boxes]


def _may_touch(a: Box, b: Box) -> bool:
    """True if no cells between two boxes, along any axis, are in neither."""
    for first, end, other, other_end in zip(a.start, a.stop, b.start, b.stop, strict=True):
        if other > end or first > other_end:
            return False
    return True


def _inner(row: Row) -> list[int]:
    """Return the parameters of a row but the outermost. Positions cut along these, as rows of a reshape, are no box."""
    return [p for p, _ in sorted(row[1], key=lambda term: abs(term[1]))[:-1]]


def _step(terms: Sequence[tuple[int, int]], axis: int) -> int:
    return next((k for p, k in terms if p == axis), 0)


def _common(a: range, b: range) -> int:
    return max(0, min(a.stop, b.stop) - max(a.start, b.start))


def _spread(cuts: Cuts) -> Cuts:
    """Return the first and last cut, and those well behind the one kept before.

    Well is a quarter of the median distance.
    """
    gaps = sorted(b - a for a, b in pairwise(cuts))
    usual = gaps[len(gaps) // 2] if gaps else 0
    kept = cuts[:1]
    for c in cuts[1:-1]:
        if 4 * (c - kept[-1]) >= usual:
            kept.append(c)
    return [*kept, *cuts[-1:]] if len(cuts) > 1 else kept
