"""Partitions: how values are cut into boxes that processes compute one by one, each as a program of its own.

The one idea: the cells that a box of a value reads are known beforehand.  So an axis is halved as long as the boxes
together read hardly more than the whole value; if every box would read the same cells, there is no partition.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from weft.ir.atoms import selections as se
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, copied
from weft.ir.pieces.box import Box, box_of
from weft.passes.narrowing.restrict import BoxRecipe, restricted_together
from weft.sources.stream.footprints import Footprint
from weft.sources.stream.products import product_rule, tiled_products
from weft.sources.stream.sweep import over_files
from weft.sources.stream.units import unit_bytes

BALANCE = 1.05  # times the bytes that more boxes than workers may read
Ends = tuple[int, ...]  # rising positions, including 0 and the size of the axis


class BoxGrid(NamedTuple):
    """A partition of a shape: the positions at which parts of every axis begin and end."""

    ends: tuple[Ends, ...]

    @property
    def boxes(self) -> list[Box]:
        """Return the boxes; the last axis moves fastest."""
        spans = [[(a, b - a) for a, b in pairwise(e)] for e in self.ends]
        return [box_of(tuple([n for _, n in at]), tuple([a for a, _ in at])) for at in product(*spans)]

    @property
    def count(self) -> int:
        """Return the number of boxes."""
        return prod([len(e) - 1 for e in self.ends])


class Partitioner:
    """Values of one shape to be cut, and the cells that their boxes read; boxes begin at multiples of `unit`."""

    def __init__(self, roots: Sequence[Node], unit: Shape) -> None:
        self.roots, self.unit, self.shape = roots, unit, roots[0].desc.shape
        products = tiled_products(roots, over_files(roots))
        self.footprint = Footprint(roots, 0, parts=products)  # no state is carried from box to box
        cuts = [c + _ends_of_shards(self.footprint, a) for a, c in enumerate(self.footprint.cuts(self.shape))]
        self.cuts = [_rounded_cuts(c, u, n) for c, u, n in zip(cuts, unit, self.shape, strict=True)]

    def read(self, boxes: Sequence[Box]) -> int:
        """Return the bytes that computing the boxes reads, in whole chunks of files."""
        return sum([unit_bytes(self.footprint.boxes(b)) for b in boxes])

    def holders(self, boxes: Sequence[Box]) -> list[str | None]:
        """Return for each box the worker that holds most of the cells it reads; None if no worker holds any."""
        return [main_holder(self.footprint.boxes(b)) for b in boxes]

    @property
    def whole_bytes(self) -> int:
        """Return the bytes that computing the whole values at once reads."""
        return self.read([box_of(self.shape)])

    def grid(self, box_count: int, read_factor: float, workers: int) -> BoxGrid | None:
        """Return a partition in about `box_count` boxes; None if none reads little enough.

        Together the boxes read at most `read_factor` times the bytes that the whole values read. There are more boxes
        than `workers` only if these read hardly more: they serve to balance the work.
        """
        parts, limit = [1] * len(self.shape), read_factor * self.whole_bytes
        found = BoxGrid(tuple([(0, n) for n in self.shape])) if box_count == 1 else None
        while prod(parts) < box_count:
            tried = []
            for a in range(len(parts)):
                more = [min(2 * p, box_count) if a == b else p for b, p in enumerate(parts)]
                grid = BoxGrid(tuple([self._ends(b, p) for b, p in enumerate(more)]))
                if grid.count > (found.count if found else 1):
                    tried.append((self.read(grid.boxes), a, grid, more))
            if not tried or min(tried)[0] > limit:
                break
            read, _, found, parts = min(tried)
            if found.count >= workers:
                limit = min(limit, BALANCE * read)
        return found

    def _ends(self, axis: int, parts: int) -> Ends:
        """Return the ends of about `parts` parts of an axis, at cuts if there are enough."""
        n, cuts = self.shape[axis], self.cuts[axis]
        if len(cuts) - 1 < parts:
            cuts = _even_cuts(n, parts, self.unit[axis])
        wanted = [_nearest(cuts, k * n / parts) for k in range(parts + 1)]
        return tuple(dict.fromkeys([0, *wanted, n])) if n else (0, 0)


def box_nodes(roots: Sequence[Node], box: Box) -> list[Node]:
    """Return the nodes `roots` cut down to a box, over the parts of files that the box needs."""
    large = tiled_products(roots, over_files(roots))

    def rule(n: Node, b: Box) -> BoxRecipe:
        return product_rule(n, b) if id(n) in large else None

    return restricted_together([(r, box) for r in roots], _file_part, (), rule)


def _file_part(file: Node, box: Box) -> Node:
    """Return a box of a file as a node: a slice that reads only these cells."""
    whole = copied(file)
    return whole if box.size == file.desc.shape else se.slice_(whole, box.runs)


def main_holder(boxes: Sequence[tuple[Node, Box]]) -> str | None:
    """Return the worker that holds most bytes of boxes of sources, given as (file, box).

    None if no worker holds any.
    """
    taken: Counter[str] = Counter()
    for file, box in boxes:
        if hasattr(file.attrs[0], "holders"):
            taken.update(file.attrs[0].bytes_by_holder([box]))
    return max(taken, key=lambda address: taken[address]) if taken else None


def _ends_of_shards(footprint: Footprint, axis: int) -> list[int]:
    """Return the positions along an axis of values at which they enter another shard."""
    found = []
    for file, request in footprint.reaches or ():
        if hasattr(file.attrs[0], "holders"):
            for (offset, terms), ends in zip(request.rows, file.attrs[0].grid.ends, strict=True):
                by = next((k for p, k in terms if p == axis), 0)
                at = [-((offset - e) // by) for e in ends[1:-1]] if by > 0 else []
                found += [request.start[axis] + request.step[axis] * t for t in at if 0 < t < request.sizes[axis]]
    return found


def _rounded_cuts(cuts: Sequence[int], unit: int, axis_size: int) -> list[int]:
    """Return cuts moved to multiples of `unit`, including 0 and `axis_size`."""
    return sorted({min(axis_size, round(c / unit) * unit) for c in cuts} | {0, axis_size})


def _nearest(cuts: Sequence[int], position: float) -> int:
    """Return the cut nearest to a position, the lower of two as near; `cuts` rise."""
    k = bisect_left(cuts, position)
    return min(cuts[max(0, k - 1) : k + 1], key=lambda c: abs(c - position))


def _even_cuts(axis_size: int, parts: int, unit: int) -> list[int]:
    """Return about equally spaced cuts of `axis_size` cells, into `parts` parts, at multiples of `unit`."""
    return _rounded_cuts([k * axis_size // parts for k in range(parts + 1)], unit, axis_size)
