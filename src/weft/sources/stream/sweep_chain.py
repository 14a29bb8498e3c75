"""Chains: sweeps of reductions and a sweep that reads them, as one walk in which chunks are decoded once.

The one idea: a tile follows as soon as the kept cells that it reads are reduced, while the units are still in memory.
So `x - mean(x, axis=0)` is written column by column of chunks, if one column fits the limit; and a sum of such values
reads units that are still held, or in a scratch file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box, box_of_runs
from weft.passes.fuse import below
from weft.passes.narrowing.needs import needs
from weft.sources.read.touched_boxes import hull, overlap
from weft.sources.stream.consumers import Reductions
from weft.sources.stream.folds import Reduced
from weft.sources.stream.interleaved_sweeps import WORTH, InterleavedSweeps, Tile
from weft.sources.stream.sweep import Sweep

MOST_PAIRS = 1 << 20  # most pairs of a tile and a box of kept cells that are compared


class SweepChain(InterleavedSweeps):
    """Sweeps of reductions over the same tiles, and one sweep behind, whose tiles follow as soon as possible.

    The roots of the sweep behind are over the memory of the reductions, those of its consumers over the reductions.
    """

    def __init__(self, reductions: Sequence[Sweep[Reductions]], dependent: Sweep[Any] | None = None) -> None:
        self.reductions, self.dependent = reductions, dependent
        sweeps: list[Sweep[Any]] = [*reductions, *([] if dependent is None else [dependent])]
        super().__init__(sweeps, self._in_order(), min([s.room for s in sweeps]))

    def _in_order(self) -> list[Tile]:
        """Return the tiles of all sweeps as (sweep, number), or an empty list if there are too many to compare.

        Tiles of values alternate with the first reductions of the next kept cells: threads can write values while cells
        are reduced.  Reductions come at once, while the units that they read are held.
        """
        # Steps are times: reductions of part k come at 2 k, second passes at 2 k + 1, and what reads part k last at
        # 2 k + 2.  A walk over two columns of chunks with values behind: mean of column 0 (step 0), its values and the
        # mean of column 1 in turn (step 2), values of column 1 (step 4).
        axes = self.reductions[0].consumers[0].axes
        boxes = self.reductions[0].steps.boxes
        groups = self._parts(axes, boxes)
        first, *later = self.reductions
        found: list[tuple[float, Sweep[Any], int]] = []
        if self.dependent is not None:
            values = self.dependent.steps.boxes
            if len(groups) * len(values) > MOST_PAIRS:
                return []
            ready = self._ready(self.dependent, values, groups)
            found = _spread(self.dependent, ready)
            if isinstance(self.dependent.consumers[0], Reductions):
                found = [(step - 0.5, self.dependent, i) for i, step in enumerate(ready)]
        found += _spread(first, [2 * groups[axes.kept_box(b)] for b in boxes])
        for sweep in later:
            found += [(2 * groups[axes.kept_box(b)] + 1, sweep, i) for i, b in enumerate(boxes)]
        return [(s, i) for _, s, i in sorted(found, key=lambda tile: tile[0])]  # stable within a sweep

    def _parts(self, axes: Reduced, boxes: Sequence[Box]) -> dict[Box, int]:
        """Return a number for each box of kept cells. Boxes of one number are one part, and read the same units.

        Parts come in the order of the tiles.
        """
        spans = self.reductions[0].tiling.spans
        ends = [[first + n for first, n in spans[a]] for a in axes.kept]
        numbers: dict[Shape, int] = {}
        found: dict[Box, int] = {}
        for kept in dict.fromkeys([axes.kept_box(b) for b in boxes]):
            part = tuple(map(bisect_right, ends, kept.start))
            found[kept] = numbers.setdefault(part, len(numbers))
        return found

    def _ready(self, dependent: Sweep[Any], boxes: Sequence[Box], kept_numbers: dict[Box, int]) -> list[int]:
        """Return, for each tile of the dependent sweep, the step from which it may come.

        `boxes` are its tiles; `kept_numbers` has the number of each box of kept cells. Step 2 k + 2 follows the
        reduction of box k, the last one that the tile reads.
        """
        return [2 * max(read, default=0) + 2 for read in self._read_parts(dependent, boxes, kept_numbers)]

    def _read_parts(
        self, dependent: Sweep[Any], boxes: Sequence[Box], kept_numbers: dict[Box, int]
    ) -> Iterator[set[int]]:
        """Yield, for each tile of the dependent sweep, the numbers of the boxes of kept cells that it reads."""
        roots, consumers = [r for t in dependent.consumers for r in t.roots], self.reductions[0].consumers
        dependants = _dependants(roots, {id(n) for t in consumers for n in t.group})
        for box in boxes:
            asked = needs(roots, [box] * len(roots), lambda n, b: None if id(n) in dependants else [])
            read = set[int]()
            for consumer, n in [(t, n) for t in consumers for n in t.group if id(n) in asked]:
                around, keepdims = hull(asked[id(n)].boxes), n.attrs[1]
                dropped = consumer.axes.axes if keepdims else ()
                kept = box_of_runs([run for a, run in enumerate(around.runs) if a not in dropped])
                read |= {k for b, k in kept_numbers.items() if overlap(b, kept)}
            yield read

    def apart(self) -> list[tuple[list[int], list[int]]]:
        """Return the tiles of both sweeps in groups, each of which reads just the kept cells that it reduces.

        A group has the numbers of tiles of the first reductions, and of the sweep behind.
        """
        first, dependent = self.reductions[0], self.dependent
        assert dependent is not None
        axes, boxes = first.consumers[0].axes, first.steps.boxes
        numbers = self._parts(axes, boxes)
        group = list(range(max(numbers.values(), default=-1) + 1))  # by part; parts that one tile reads get the same
        read = list(self._read_parts(dependent, dependent.steps.boxes, numbers))
        for parts in read:
            joined = {group[k] for k in parts}
            group = [min(joined) if g in joined else g for g in group] if len(joined) > 1 else group
        found: dict[int, tuple[list[int], list[int]]] = {g: ([], []) for g in group}
        for i, box in enumerate(boxes):
            found[group[numbers[axes.kept_box(box)]]][0].append(i)
        for i, parts in enumerate(read):
            found[group[min(parts, default=0)]][1].append(i)
        return list(found.values())


def best_chain(chains: Iterable[SweepChain], parts: int = 0) -> SweepChain | None:
    """Return the chain that reads least, with its reads stored in its sweeps. None if it reads about as much as sweeps.

    `chains` are alternatives, those of at least `parts` groups `apart`. None is taken after one that reads no unit
    again.
    """
    found: list[SweepChain] = []
    for chain in chains:
        found += [chain] if chain.tiles and not (parts and len(chain.apart()) < parts) else []
        if found and found[-1].reads_singly:
            break
    best = min(found, key=lambda chain: chain.nbytes + chain.scratch, default=None)
    if best is None or best.nbytes > WORTH * min([chain.nbytes_apart for chain in found]):
        return None
    best.take_steps()
    return best


def _dependants(roots: Sequence[Node], sources: set[int]) -> set[int]:
    """Return the ids of the nodes in the graph of `roots` that depend on nodes with ids in `sources`."""
    found: set[int] = set()
    for n in below(roots):
        if id(n) not in sources and any(id(i) in sources or id(i) in found for i in n.inputs):
            found.add(id(n))
    return found


def _spread(sweep: Sweep[Any], steps: Sequence[int]) -> list[tuple[float, Sweep[Any], int]]:
    """Return the tiles of a sweep with their times; tiles of one step are spread evenly until the next.

    >>> [time for time, _, _ in _spread(Sweep.__new__(Sweep), [0, 0, 2, 2, 2, 2])]
    [0.0, 0.5, 2.0, 2.25, 2.5, 2.75]
    """
    count, seen, found = Counter(steps), Counter[int](), list[tuple[float, Sweep[Any], int]]()
    for i, step in enumerate(steps):
        found.append((step + seen[step] / count[step], sweep, i))
        seen[step] += 1
    return found
