"""Tiling: how the box that some values share is cut, and in which order its tiles come.

The one idea: cuts lie where chunks of files begin, so a chunk is decoded for one tile, or for tiles that follow each
other.  Tiles are made larger where chunks are small, and smaller inside a chunk where memory is.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Protocol

from weft.ir.graph.description import Shape
from weft.ir.pieces.box import Box, box_of

LEAST_CELLS = 1024  # of a tile, where memory allows for nothing
MOST_TILES = 4096  # of fewer cells, where each is made of long lines
MUCH = 1 << 18  # bytes of what a tile of few cells reads
LEAST_TILE = 4 << 20  # bytes of a tile below which neighbours are joined
COMFORT = 0.5  # share of the memory up to which the next tiles are read while one is computed
SNUG = 0.8  # share below which tiles are cut only if they then read less
LEAST_PART = 64  # tiles that fit are not cut to fewer cells than one in so many of what is read for them
Spans = list[tuple[int, int]]  # (first, cells) of the parts of an axis


@dataclass(slots=True)
class Tiling:
    """The parts of every axis; each is cut into further parts of at most `most` cells."""

    spans: list[Spans]
    most: list[int]

    @property
    def size(self) -> Shape:
        """The largest size of a tile."""
        return tuple([min(m, max(n for _, n in s)) for s, m in zip(self.spans, self.most, strict=True)])

    @property
    def count(self) -> int:
        """The number of tiles."""
        return prod([sum([-(-n // m) for _, n in s]) for s, m in zip(self.spans, self.most, strict=True)])

    def tiles(self, order: Sequence[int]) -> list[Box]:
        """Return the tiles, the last axis of `order` moving first; the parts of a part come together.

        >>> [b.start for b in Tiling([[(0, 4)], [(0, 2), (2, 2)]], [2, 2]).tiles((0, 1))]
        [(0, 0), (2, 0), (0, 2), (2, 2)]
        """
        found = []
        for outer in itertools.product(*[self.spans[a] for a in order]):
            inner = [_parts(first, n, self.most[a]) for a, (first, n) in zip(order, outer, strict=True)]
            for at in itertools.product(*inner):
                runs = dict(zip(order, at, strict=True))
                axes = range(len(order))
                found.append(box_of(tuple([runs[a][1] for a in axes]), tuple([runs[a][0] for a in axes])))
        return found

    def middle(self) -> Box:
        """Return a tile about in the middle, of the largest size where it can be."""
        start, size = [], []
        for spans, most in zip(self.spans, self.most, strict=True):
            largest = max(n for _, n in spans)
            of_size = [s for s in spans if s[1] == largest]
            first, n = of_size[len(of_size) // 2]
            start.append(first)
            size.append(min(n, most))
        return box_of(tuple(size), tuple(start))


def _parts(first: int, n: int, most: int) -> Spans:
    """Return a span in equal parts, but for the last, of at most `most` cells."""
    return [(at, min(most, first + n - at)) for at in range(first, first + n, most)]


class TileCosts(Protocol):
    """The costs of tiles: axes in `uncut` stay whole, and tiles are joined along the last axes of `order`.

    Tiles read the same whatever their part of the axes in `idle` is, so these are cut last.
    """

    uncut: frozenset[int]
    idle: frozenset[int]
    order: Sequence[int]

    def cell_bytes(self, size: Shape) -> int:
        """Return the bytes of the cells of a tile of a size."""

    def unit_bytes(self, tiles: Tiling) -> int:
        """Return the bytes of what is read for a tile."""

    def share(self, tiles: Tiling) -> float:
        """Return the part of the memory that a tile takes."""

    def run_share(self, tiles: Tiling) -> float:
        """Return how long the runs are that a tile reads and writes by address: 1 for those that are long enough."""


def tiling(shape: Shape, cuts: Sequence[Sequence[int]], unit: Sequence[int], costs: TileCosts) -> Tiling:
    """Return a tiling at the cuts, at multiples of `unit`; the smallest one if none fits.

    Tiles that take less than COMFORT are joined along the last axes of the order; others are cut along the first ones.
    """
    spans: list[Spans] = []
    for a, (n, c, u) in enumerate(zip(shape, cuts, unit, strict=True)):
        ends = [*[min(n, round(p / u) * u) for p in c[:-1]], n]
        whole = [0, n] if a in costs.uncut or n == 0 else dict.fromkeys(ends)
        spans.append([(p, q - p) for p, q in pairwise(whole)])
    found = Tiling(spans, [max(n, 1) for n in shape])
    if costs.share(found) <= COMFORT:
        return _joined(found, costs)
    for a in sorted([a for a in costs.order if a not in costs.uncut], key=lambda a: a in costs.idle):
        tried = found
        while costs.share(found) > COMFORT and tried.size[a] > unit[a] and _may_be_cut(tried, costs):
            size = -(-tried.size[a] // (2 * unit[a])) * unit[a]
            tried = Tiling(spans, [*found.most[:a], size, *found.most[a + 1 :]])
            if _takes_less(tried, found, costs):
                found = tried
            elif tried.count > 4 * found.count:
                break  # what is read takes it, and stays; that of a + a.T falls from the second cut on
    return _turned(found, unit, costs)


def _takes_less(tried: Tiling, found: Tiling, costs: TileCosts) -> bool:
    """True if a tile of one tiling takes notably less memory, or reads notably less, than one of another."""
    share = costs.share(found)
    is_smaller = share > SNUG and costs.share(tried) <= 0.9 * share
    return is_smaller or costs.unit_bytes(tried) <= 0.9 * costs.unit_bytes(found)


def _turned(found: Tiling, unit: Sequence[int], costs: TileCosts) -> Tiling:
    """Return a tiling whose tiles have as many cells, longer along one axis and shorter along another, for longer runs.

    Of a matrix whose rows lie together, 100 whole columns are 376 bytes in each row; 100 rows are one run.
    """
    run, room = costs.run_share(found), max(COMFORT, costs.share(found))
    while run < 1:
        axes = itertools.permutations(costs.order, 2)
        tried = [t for a, b in axes if b not in costs.uncut and (t := _reshaped(found, unit, a, b)) is not None]
        better = sorted([t for t in tried if costs.run_share(t) > run], key=costs.run_share, reverse=True)
        fitting = next((t for t in better if costs.share(t) <= room), None)
        if fitting is None:
            break
        run, found = costs.run_share(fitting), fitting
    return found


def _reshaped(found: Tiling, unit: Sequence[int], longer: int, shorter: int) -> Tiling | None:
    """Return a tiling of tiles twice as long along one axis and half as long along another; None if there is none."""
    size, most = found.size, list(found.most)
    if size[longer] == max(n for _, n in found.spans[longer]) or size[shorter] <= unit[shorter]:
        return None
    most[longer] = 2 * size[longer]
    most[shorter] = max(size[shorter] // (2 * unit[shorter]), 1) * unit[shorter]
    return Tiling(found.spans, most)


def _may_be_cut(found: Tiling, costs: TileCosts) -> bool:
    """True if tiles have cells enough to be cut; those of few cells, each made of much, are where they do not fit."""
    if costs.share(found) <= 1 and LEAST_PART * costs.cell_bytes(found.size) < costs.unit_bytes(found):
        return False
    if prod(found.size) > LEAST_CELLS:
        return True
    of_much = bool(costs.uncut) or costs.unit_bytes(found) >= MUCH
    return of_much and found.count < MOST_TILES and costs.share(found) > 1


def _joined(found: Tiling, costs: TileCosts) -> Tiling:
    """Return a tiling with neighbours joined, along the last axes first, while tiles are small or their runs short."""
    for a in reversed(costs.order):
        while len(found.spans[a]) > 1:
            spans = found.spans[a]
            pairs = [spans[k : k + 2] for k in range(0, len(spans), 2)]
            wider = [(p[0][0], sum([n for _, n in p])) for p in pairs]
            joined = Tiling([*found.spans[:a], wider, *found.spans[a + 1 :]], found.most)
            small = costs.cell_bytes(found.size) < LEAST_TILE
            if not small and costs.run_share(joined) <= costs.run_share(found):
                break
            if costs.share(joined) > (COMFORT if small else 1):
                return found
            found = joined
    return found
