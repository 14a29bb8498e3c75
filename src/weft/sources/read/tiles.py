"""Tiles of large values: how boxes are cut so that a tile fits a bound and little is read twice.

The one idea: what computing a tile fetches and takes is known from its plan before anything is read, so a few ways to
cut (rows, columns, chunks) are laid out, each with tiles as large as the bound allows, and the cheapest is taken.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, walk
from weft.ir.pieces.box import Box, box_of
from weft.runtime.compute import stages
from weft.runtime.compute.signature import Work
from weft.runtime.memory import allocator
from weft.sources.read.fetching import fetches_of

WHOLE = ("reduce", "scan", "call")
TILE, READ, BYTE = 4e-3, 20e-6, 0.5e-9  # seconds, about: of a tile, of a read or write call, of a byte fetched
Growth = Sequence[tuple[int, int]]  # (axis, cells up to which it grows), in turn


@dataclass(frozen=True, slots=True)
class TileCost:
    """The cost of computing nodes: bytes fetched, number of reads, bytes of memory, and bytes of results.

    Memory counts what is loaded and the temporaries.
    """

    fetched: int
    reads: int
    memory: int
    results: int

    @property
    def total(self) -> int:
        """Return the bytes of memory and results together."""
        return self.memory + self.results

    @property
    def seconds(self) -> float:
        """Return the estimated seconds of reading."""
        return self.reads * READ + self.fetched * BYTE


def cost_of(nodes: Sequence[Node]) -> TileCost:
    """Return the cost of computing nodes together; they are planned, nothing is read."""
    pending = [n for n in nodes if n.value is None]
    return cost_of_work(stages.foreseen(pending)) if pending else TileCost(0, 0, 0, 0)


def cost_of_work(work: Work) -> TileCost:
    """Return the cost of work that has its program."""
    reads = [(f.desc.nbytes, fetch.account()) for f, fetch in fetches_of(work)]
    loads = sum([nbytes if 2 * r.bytes > nbytes else r.bytes for nbytes, r in reads])
    program = work.program
    return TileCost(
        sum([r.bytes for _, r in reads]), sum([r.reads for _, r in reads]), loads + program.arena, program.results
    )


def grown(shape: Shape, growth: Growth, unit: Shape, cells: int) -> Shape:
    """Return the shape of a tile of at most `cells` cells, or of one unit where that is more.

    The axes of `growth`, pairs (axis, most cells), grow in turn, each to its end before the next; the last one grows to
    a power of two of units, as chunks often have.

    >>> grown((10, 100), [(1, 100), (0, 10)], (1, 1), 350)
    (2, 100)
    >>> grown((10, 100), [(1, 100), (0, 10)], (4, 8), 350)
    (4, 64)
    """
    tile = [min(u, n) for u, n in zip(unit, shape, strict=True)]
    for axis, most in growth:
        others = prod(n for a, n in enumerate(tile) if a != axis)
        wanted, room = min(shape[axis], most), cells // max(others, 1)
        units = room // unit[axis]
        size = wanted if room >= wanted else (1 << units.bit_length() >> 1) * unit[axis]
        tile[axis] = max(tile[axis], size)
        if tile[axis] < wanted:
            break
    return tuple(tile)


def fitted(
    shape: Shape, growth: Growth, unit: Shape, cells: int, memory: Callable[[Shape], int], limit: int
) -> Shape | None:
    """Return the tile of a growth whose `memory(tile)` is about as large as fits the limit; None if even a unit does
    not.
    """
    best, low, high = None, 0, prod(shape) + 1
    cells = min(cells, prod(shape))
    for _ in range(12):
        tile = grown(shape, growth, unit, cells)
        need = memory(tile)
        if need <= limit:
            best, low = tile, max(low, prod(tile))
            if need > limit // 2 or tile == shape:
                break
        else:
            high = min(high, prod(tile))
        wanted = int(0.75 * prod(tile) * limit / max(need, 1))
        cells = min(wanted, high - 1) if wanted > low else (low + high) // 2
        if cells <= low or cells >= high or grown(shape, growth, unit, cells) in (tile, best):
            break
    if best is None:
        least = grown(shape, (), unit, 0)
        best = least if memory(least) <= limit else None
    return best


def count(shape: Shape, tile: Shape) -> int:
    """Count the tiles of a shape."""
    return prod(-(-n // t) if t else 0 for n, t in zip(shape, tile, strict=True))


def boxes(shape: Shape, tile: Shape) -> Iterator[Box]:
    """Iterate over the tiles in row-major order, clipped at the ends.

    >>> [(box.start, box.size) for box in boxes((3,), (2,))]
    [((0,), (2,)), ((2,), (1,))]
    """
    if 0 not in shape:
        for start in itertools.product(*[range(0, n, t) for n, t in zip(shape, tile, strict=True)]):
            yield _at(start, shape, tile)


def _at(start: Shape, shape: Shape, tile: Shape) -> Box:
    """Return the tile that starts at a cell, clipped to the shape."""
    return box_of(tuple([min(t, n - a) for a, n, t in zip(start, shape, tile, strict=True)]), start)


def middle(shape: Shape, tile: Shape) -> Box:
    """Return the box of the tile in the middle of a shape, which stands for all in estimates."""
    return _at(tuple([(n // t // 2) * t for n, t in zip(shape, tile, strict=True)]), shape, tile)


def compute_shared(nodes: Sequence[Node], originals: set[int]) -> None:
    """Compute and store the reductions, scans and routine calls that are part of the whole value.

    They are the nodes below `nodes` whose ids are in `originals`: every tile reads the same ones, so they are computed
    once.
    """
    shared = [n for n in walk(nodes) if id(n) in originals and n.op.kind in WHOLE and n.value is None]
    if shared:
        stages.compute(shared)


def spare(need: int = 0) -> None:
    """Drop the allocator's spare memory if it is more than a tile takes (`need` bytes): its blocks have other sizes."""
    if 4 * allocator.POOL.kept > 5 * need:
        allocator.POOL.drop()


def is_clipped(box: Box, tile: Shape) -> bool:
    """True if a box is smaller than a whole tile because it lies at an end."""
    return any(size < n for size, n in zip(box.size, tile, strict=True))
