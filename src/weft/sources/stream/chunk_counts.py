"""Counts of the bytes that all tiles read, without a list of the tiles.

The one idea: where each axis of a file moves with one axis of the values at most, the units that a tile reads are a
product over the axes, and so is the sum over all tiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row
from weft.sources.stream.footprints import Footprint, Reach
from weft.sources.stream.tiling import Spans
from weft.sources.stream.units import ChunkGroups, chunks_of


class ReadBytes(NamedTuple):
    """Bytes of units that tiles read: counted for each tile, and each unit once."""

    by_tile: int
    distinct: int


def read_bytes(
    footprint: Footprint, parts: Sequence[Spans], groups: Mapping[Node, ChunkGroups | None]
) -> ReadBytes | None:
    """Return the bytes of units that tiles read, given the parts of each axis.

    `groups` has the groups of chunks of each file. None if the units of a file are no product of units along each axis.
    """
    reaches = footprint.reaches
    if not reaches or len({r.file for r in reaches}) < len(reaches):
        return None
    found = [_of_file(r, parts, groups.get(r.file)) for r in reaches]
    known = [f for f in found if f is not None]
    return None if len(known) < len(found) else ReadBytes(*map(sum, zip(*known, strict=True)))


def _of_file(reach: Reach, parts: Sequence[Spans], group: ChunkGroups | None) -> ReadBytes | None:
    sizes, start, step, rows = reach.request
    ndim, unit = len(parts), chunks_of(reach.file.attrs[0]) if group is None else group.size
    axes = [[p for p, _ in terms if p < ndim] for _, terms in rows]
    moved = [p for along in axes for p in along]
    covers = all((start[p], step[p]) == (0, 1) and sizes[p] == sum([n for _, n in parts[p]]) for p in range(ndim))
    is_strided = any(abs(k) > 1 for _, terms in rows for _, k in terms)
    if unit is None or is_strided or not covers or len({*moved}) < len(moved) or any(len(a) > 1 for a in axes):
        return None
    by_tile = distinct = prod(unit) * reach.file.desc.dtype.itemsize
    by_tile *= prod([len(parts[p]) for p in range(ndim) if p not in moved])  # which read the same cells
    for row, along, c in zip(rows, axes, unit, strict=True):
        spans = parts[along[0]] if along else [(0, 1)]
        touched = [_touched(row, along[0] if along else -1, span, c, sizes) for span in spans]
        by_tile *= sum([last - first + 1 for first, last in touched])
        distinct *= _union(touched)
    return ReadBytes(by_tile, distinct)


def _touched(row: Row, axis: int, span: tuple[int, int], unit: int, sizes: Sequence[int]) -> tuple[int, int]:
    """Return the first and last unit along a file axis that a part of one axis of the values reads.

    `span` is the part, `unit` the length of a unit, `sizes` are those of the file.
    """
    low = high = row[0]
    for p, k in row[1]:
        ends = [k * t for t in ((span[0], span[0] + span[1] - 1) if p == axis else (0, sizes[p] - 1))]
        low, high = low + min(ends), high + max(ends)
    return low // unit, high // unit


def _union(touched: Sequence[tuple[int, int]]) -> int:
    """Return the number of units in ranges, each given by its first and its last unit."""
    count, end = 0, -1
    for first, last in sorted(touched):
        count += max(0, last - max(first, end + 1) + 1)
        end = max(end, last)
    return count
