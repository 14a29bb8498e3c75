"""Tiling: how the shape that values share is cut into tiles, and in which order these come.

The one idea: cuts lie where chunks of files begin, so a chunk is decoded for one tile, or for consecutive tiles.  Tiles
are joined where chunks are small, and cut inside a chunk where memory is short.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Protocol

from weft.ir.graph.description import Shape
from weft.ir.pieces.box import Box, box_of

LEAST_CELLS = 1024  # of a tile at least, however little memory there is
MOST_TILES = 4096  # most tiles of fewer cells, for cells computed from long lines
MUCH = 1 << 18  # bytes that a tile of few cells reads at least to be cut further
LEAST_TILE = 3 << 20  # bytes of a tile below which neighbours are joined: their cells are copied together
COMFORT = 0.5  # share of the memory for a tile, so that the next ones can be read meanwhile
SNUG = 0.8  # share below which tiles are cut only if they then read less
LEAST_PART = 64  # tiles that fit are not cut once their cells take 1 / LEAST_PART of the bytes read for them
Spans = list[tuple[int, int]]  # (first, cells) of the parts of an axis
TileKey = tuple[Shape, Shape, tuple[int, ...]]


@dataclass(slots=True)
class Tiling:
    """The parts (first, cells) of every axis; each is cut further into parts of at most `most` cells."""

    spans: list[Spans]
    most: list[int]

    @property
    def size(self) -> Shape:
        """Return the largest size of a tile."""
        return tuple([min(m, max(n for _, n in s)) for s, m in zip(self.spans, self.most, strict=True)])

    @property
    def key(self) -> TileKey:
        """Return what the costs of a tile depend on."""
        box = self.middle()
        return box.start, box.size, tuple(map(len, self.spans))

    @property
    def count(self) -> int:
        """Return the number of tiles."""
        return prod([sum([-(-n // m) for _, n in s]) for s, m in zip(self.spans, self.most, strict=True)])

    @property
    def parts(self) -> list[Spans]:
        """Return the parts of every axis into which tiles are cut."""
        return [[p for a, n in s for p in _parts(a, n, m)] for s, m in zip(self.spans, self.most, strict=True)]

    def tiles(self, order: Sequence[int], pair: tuple[int, int] | None = None) -> list[Box]:
        """Return the tiles; the last axis of `order` moves fastest, and the pieces of one part come together.

        The parts of the axes in `pair` come by the greater of their numbers: each beside the one across the diagonal.

        >>> [b.start for b in Tiling([[(0, 4)], [(0, 2), (2, 2)]], [2, 2]).tiles((0, 1))]
        [(0, 0), (2, 0), (0, 2), (2, 2)]
        >>> halves = [(0, 1), (1, 1)]
        >>> [b.start for b in Tiling([halves, halves], [1, 1]).tiles((0, 1), pair=(0, 1))]
        [(0, 0), (0, 1), (1, 0), (1, 1)]
        """
        found = []
        outer = itertools.product(*[range(len(self.spans[a])) for a in order])
        if pair is not None:
            outer = sorted(outer, key=lambda numbers: _by_pair(dict(zip(order, numbers, strict=True)), pair))
        parts = [[_parts(*span, m) for span in spans] for spans, m in zip(self.spans, self.most, strict=True)]
        places = [list(order).index(a) for a in range(len(order))]
        for numbers in outer:
            for at in itertools.product(*[parts[a][k] for a, k in zip(order, numbers, strict=True)]):
                runs = [at[p] for p in places]
                found.append(box_of(tuple([n for _, n in runs]), tuple([first for first, _ in runs])))
        return found

    def middle(self) -> Box:
        """Return a tile of the largest size, about in the middle."""
        start, size = [], []
        for spans, most in zip(self.spans, self.most, strict=True):
            largest = max(n for _, n in spans)
            of_size = [s for s in spans if s[1] == largest]
            first, n = of_size[len(of_size) // 2]
            start.append(first)
            size.append(min(n, most))
        return box_of(tuple(size), tuple(start))


def _parts(first: int, count: int, part_size: int) -> Spans:
    """Cut a span of `count` cells, from `first` on, into parts of `part_size` cells; the last one may be shorter."""
    return [(at, min(part_size, first + count - at)) for at in range(first, first + count, part_size)]


class TileCosts(Protocol):
    """The costs of tiles: axes in `uncut` stay whole, and tiles are joined along the last axes of `order`.

    Tiles need the same cells whatever their part of the axes in `idle`, so these are cut last, anywhere.
    """

    uncut: frozenset[int]
    idle: frozenset[int]
    order: Sequence[int]

    def cell_bytes(self, size: Shape) -> int:
        """Return the bytes of the cells of a tile of `size`."""

    def unit_bytes(self, tiles: Tiling) -> int:
        """Return the bytes of the units that are read for a tile."""

    def share(self, tiles: Tiling) -> float:
        """Return the share of the memory limit that a tile takes; a tile is planned to find it."""

    def exceeds(self, tiles: Tiling, share: float) -> bool:
        """True if a tile takes more than this share of the memory limit; often known without a plan."""

    def run_share(self, tiles: Tiling) -> float:
        """Return the useful share of time in reading and writing the runs of a tile: 1 if long enough."""


def _by_pair(numbers: Mapping[int, int], pair: tuple[int, int]) -> tuple[list[int], int, int]:
    """Return the key by which parts with these numbers, by axis, come beside those across the diagonal of a pair."""
    first, second = [numbers[a] for a in pair]
    return [k for a, k in numbers.items() if a not in pair], max(first, second), min(first, second)


def tiling(shape: Shape, cuts: Sequence[Sequence[int]], unit: Sequence[int], costs: TileCosts) -> Tiling:
    """Return a tiling cut at `cuts`, at multiples of `unit`; the smallest tiles if none fit `costs`.

    Tiles that take less than COMFORT of the memory are joined along the last axes; larger ones are cut along the first
    axes.
    """
    spans: list[Spans] = []
    for a, (n, c, u) in enumerate(zip(shape, cuts, unit, strict=True)):
        ends = [*[min(n, round(p / u) * u) for p in c[:-1]], n]
        whole = [0, n] if a in costs.uncut or a in costs.idle or n == 0 else dict.fromkeys(ends)
        spans.append([(p, q - p) for p, q in pairwise(whole)])
    found = Tiling(spans, [max(n, 1) for n in shape])
    if not costs.exceeds(found, COMFORT):
        return _joined(found, costs)
    for a in sorted([a for a in costs.order if a not in costs.uncut], key=lambda a: a in costs.idle):
        tried = found
        while costs.exceeds(found, COMFORT) and tried.size[a] > unit[a] and _may_be_cut(tried, costs):
            size = -(-tried.size[a] // (2 * unit[a])) * unit[a]
            tried = Tiling(spans, [*found.most[:a], size, *found.most[a + 1 :]])
            if _takes_less(tried, found, costs):
                found = tried
            elif tried.count > 4 * found.count:
                break  # reads take the memory and do not shrink; those of a + a.T shrink from the second cut on
    return _turned(found, unit, costs)


def _takes_less(candidate: Tiling, tiling: Tiling, costs: TileCosts) -> bool:
    """True if tiles of `candidate` take, or read, at most 9/10 of the bytes of tiles of `tiling`.

    Memory taken counts only if a tile of `tiling` takes more than SNUG of the limit.
    """
    if costs.unit_bytes(candidate) <= 0.9 * costs.unit_bytes(tiling):
        return True
    return costs.exceeds(tiling, SNUG) and costs.share(candidate) <= 0.9 * costs.share(tiling)


def _turned(tiling: Tiling, unit: Sequence[int], costs: TileCosts) -> Tiling:
    """Return a tiling with equally many cells in a tile, but longer contiguous runs in files.

    Sizes are multiples of `unit`; `costs` measures the runs. In a row-major matrix of 4-byte cells, 100 whole columns
    may be 400 bytes in each row; 100 rows are one run.
    """
    run, room = costs.run_share(tiling), 0.0
    while run < 1:
        room = room or max(COMFORT, costs.share(tiling))
        axes = itertools.permutations(costs.order, 2)
        tried = [t for a, b in axes if b not in costs.uncut and (t := _reshaped(tiling, unit, a, b)) is not None]
        better = sorted([t for t in tried if costs.run_share(t) > run], key=costs.run_share, reverse=True)
        fitting = next((t for t in better if not costs.exceeds(t, room)), None)
        if fitting is None:
            break
        run, tiling = costs.run_share(fitting), fitting
    return tiling


def _reshaped(tiling: Tiling, unit: Sequence[int], longer: int, shorter: int) -> Tiling | None:
    """Return a tiling with tiles twice as long along axis `longer` and half as long along `shorter`.

    None if tiles have just one unit along `shorter`, or all of axis `longer`.
    """
    size, most, spans = tiling.size, list(tiling.most), list(tiling.spans)
    if size[shorter] <= unit[shorter]:
        return None
    if size[longer] == max(n for _, n in spans[longer]):
        if len(spans[longer]) == 1:
            return None
        spans[longer] = _paired(spans[longer])
    most[longer] = 2 * size[longer]
    most[shorter] = max(size[shorter] // (2 * unit[shorter]), 1) * unit[shorter]
    return Tiling(spans, most)


def _may_be_cut(tiling: Tiling, costs: TileCosts) -> bool:
    """True if tiles have enough cells to be cut; tiny tiles only if each reads much and does not fit."""
    cells, units = costs.cell_bytes(tiling.size), costs.unit_bytes(tiling)
    if (LEAST_PART * cells < units or cells < LEAST_TILE < units) and not costs.exceeds(tiling, 1):
        return False
    if prod(tiling.size) > LEAST_CELLS:
        return True
    of_much = bool(costs.uncut) or costs.unit_bytes(tiling) >= MUCH
    return of_much and tiling.count < MOST_TILES and costs.exceeds(tiling, 1)


def _paired(spans: Spans) -> Spans:
    """Return the spans of an axis with each two neighbours joined."""
    pairs = [spans[k : k + 2] for k in range(0, len(spans), 2)]
    return [(p[0][0], sum([n for _, n in p])) for p in pairs]


def _joined(tiling: Tiling, costs: TileCosts) -> Tiling:
    """Return a tiling with neighbours joined, along the last axes first, while tiles are small or their runs short."""
    for a in reversed(costs.order):
        while len(tiling.spans[a]) > 1:
            joined = Tiling([*tiling.spans[:a], _paired(tiling.spans[a]), *tiling.spans[a + 1 :]], tiling.most)
            small = costs.cell_bytes(tiling.size) < LEAST_TILE
            if not small and costs.run_share(joined) <= costs.run_share(tiling):
                break
            if costs.exceeds(joined, COMFORT if small else 1):
                return tiling
            tiling = joined
    return tiling
