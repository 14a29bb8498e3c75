"""Groups of tiles: which tiles of a sweep, or of a chain of sweeps, one task computes.

The one idea: tiles of one group read units that no other group reads, as far as there are such groups, and go to the
worker that holds most of what they read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from weft.cluster.halos import TaskHalos
from weft.cluster.partitions import main_holder
from weft.ir.graph.node import Node, walk
from weft.ir.pieces.box import Box
from weft.sources.stream.sweep import Sweep
from weft.sources.stream.sweep_chain import SweepChain
from weft.sources.stream.units import unit_bytes


class TileGroup(NamedTuple):
    """The tiles of one task by number, its preferred worker, and the cells that other tasks send it.

    `behind` are those of the sweep behind, in a chain.
    """

    holder: str | None
    numbers: list[int]
    halos: TaskHalos = TaskHalos({}, {})
    behind: Sequence[int] = ()


def grouped(sweep: Sweep[Any], units: Sequence[list[int]], count: int) -> list[TileGroup]:
    """Return about `count` groups of tiles; `units` lists the numbers of tiles that stay in one group."""
    share, found = len(sweep.boxes) / min(count, len(units)), list[TileGroup]()
    is_held = reads_held(sweep.roots)
    by_holder: dict[str | None, list[list[int]]] = {}
    for unit in units:
        by_holder.setdefault(main_holder(boxes_read(sweep, unit)) if is_held else None, []).append(unit)
    for holder, near in by_holder.items():
        found.append(TileGroup(holder, []))
        for unit in near:
            if len(found[-1].numbers) >= share:
                found.append(TileGroup(holder, []))
            found[-1].numbers.extend(unit)
    return [g._replace(numbers=sorted(g.numbers)) for g in found]


def reads_held(roots: Sequence[Node]) -> bool:
    """True if a value below `roots` is a source whose cells workers hold."""
    return any(hasattr(n.attrs[0], "holders") for n in walk(roots) if n.op.name == "file")


def boxes_of_chain(chain: SweepChain, groups: Sequence[TileGroup]) -> list[tuple[Node, Box]]:
    """Return the (file, box) pairs that groups of tiles of a chain read."""
    first, behind = chain.sweeps
    return [b for g in groups for b in (*boxes_read(first, g.numbers), *boxes_read(behind, g.behind))]


def bytes_of(sweep: Sweep[Any], groups: Sequence[TileGroup]) -> int:
    """Return the bytes of the units that groups of tiles read; what tiles of one group share counts once."""
    return sum([unit_bytes(boxes_read(sweep, g.numbers)) for g in groups])


def boxes_read(sweep: Sweep[Any], numbers: Sequence[int]) -> list[tuple[Node, Box]]:
    """Return the (file, box) pairs that the tiles with these numbers read."""
    if sweep.reads_disjointly:  # then nothing lists what each tile reads
        return [asked for k in numbers for asked in sweep.footprint.boxes(sweep.boxes[k])]
    return [asked for k in numbers for asked in sweep.steps.read[k]]
