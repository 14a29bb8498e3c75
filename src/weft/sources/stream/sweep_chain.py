"""Chains: a sweep behind those of the reductions that it reads, as one walk in which chunks are decoded once.

The one idea: tiles follow as soon as the kept cells that they read are reduced, while the units are still held.  So
`x - mean(x, axis=0)` is written column by column of chunks, if a column of them fits the limit; and what is held of
them when the last mean is known is not read again for a sum of such values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box, box_of_runs
from weft.passes.fuse import below
from weft.passes.narrowing.needs import needs
from weft.runtime.compute import engine
from weft.settings import get_num_threads
from weft.sources.read.touched_boxes import hull
from weft.sources.stream.reading_ahead import steps_of
from weft.sources.stream.sweep import Sweep, run_tiles
from weft.sources.stream.takers import Reductions

WORTH = 0.9  # share of the bytes that the sweeps read one by one, up to which they are chained
MOST_PAIRS = 1 << 20  # of tiles and boxes of kept cells that are compared


class SweepBehind(NamedTuple):
    """A sweep over the memory of reductions, which is not filled yet.

    `roots` are the values of its tiles, over these reductions; `pairs` are pending reductions, and those of the sweep
    that get their values.
    """

    sweep: Sweep[Any]
    roots: Sequence[Node]
    pairs: Sequence[tuple[Node, Node]]


class SweepChain:
    """Sweeps of reductions over the same tiles, and one behind, whose tiles come as soon as these are ready."""

    def __init__(self, reductions: Sequence[Sweep[Reductions]], behind: SweepBehind | None = None) -> None:
        self.reductions, self.behind = reductions, behind
        self.sweeps: list[Sweep[Any]] = [*reductions, *([] if behind is None else [behind.sweep])]
        self.room = min([s.room for s in self.sweeps])
        self.tiles = self._in_order()
        self.is_worth_it = self.tiles != [] and self._saves()

    def _in_order(self) -> list[tuple[Sweep[Any], int]]:
        """Return the tiles of all sweeps as (sweep, number); an empty list if a chain reads no less than separate
        sweeps.

        Those of values come in turn with the first reductions of the next kept cells: threads that write the ones have
        work while the others are reduced.
        """
        axes = self.reductions[0].takers[0].axes
        boxes = self.reductions[0].steps.boxes
        groups = {kept: k for k, kept in enumerate(dict.fromkeys([axes.kept_box(b) for b in boxes]))}
        first, *again = self.reductions
        found: list[tuple[float, Sweep[Any], int]] = []
        if self.behind is not None:
            values = self.behind.sweep.steps.boxes
            if len(groups) * len(values) > MOST_PAIRS:
                return []
            found = _spread(self.behind.sweep, self._ready(self.behind, values, groups))
        found += _spread(first, [2 * groups[axes.kept_box(b)] for b in boxes])
        for sweep in again:
            found += [(2 * groups[axes.kept_box(b)] + 1, sweep, i) for i, b in enumerate(boxes)]
        return [(s, i) for _, s, i in sorted(found, key=lambda tile: tile[0])]  # which keeps the order of a sweep

    def _ready(self, behind: SweepBehind, boxes: Sequence[Box], groups: dict[Box, int]) -> list[int]:
        """Return when the tiles of the values may come: behind the last group of kept cells that each reads."""
        roots, takers = behind.roots, self.reductions[0].takers
        above = _above(roots, {id(n) for t in takers for n in t.group})
        found = []
        for box in boxes:
            asked = needs(roots, [box] * len(roots), lambda n, b: None if id(n) in above else [])
            last = 0
            for taker, n in [(t, n) for t in takers for n in t.group if id(n) in asked]:
                around, keepdims = hull(asked[id(n)].boxes), n.attrs[1]
                dropped = taker.axes.axes if keepdims else ()
                kept = box_of_runs([run for a, run in enumerate(around.runs) if a not in dropped])
                last = max([last, *[k for b, k in groups.items() if _meet(b, kept)]])
            found.append(2 * last + 2)
        return found

    def _saves(self) -> bool:
        """Plan what is read for all tiles; True if that is less than what the sweeps read one by one."""
        alone = sum([s.steps.nbytes for s in self.sweeps])
        wanted = [s.steps.units[i].wanted for s, i in self.tiles]
        ahead = 2 * get_num_threads() * max([u.nbytes for w in wanted for u in w], default=0)
        steps = steps_of(wanted, max(self.room - ahead, self.room // 4))
        if sum([s.nbytes for s in steps]) > WORTH * alone:
            return False
        for (sweep, i), step in zip(self.tiles, steps, strict=True):
            sweep.steps.units[i] = step
        return True

    def run(self) -> None:
        """Compute all tiles, and attach the values to the reductions."""
        run_tiles(self.tiles, self.room)
        behind = self.behind if self.behind is not None and self.behind.pairs else None
        for taker in [*self.sweeps[0].takers, *(behind.sweep.takers if behind is not None else [])]:
            taker.publish()
        for n, known in behind.pairs if behind is not None else ():
            engine.publish(n, known.value)


def _above(roots: Sequence[Node], ends: set[int]) -> set[int]:
    """Return the ids of the nodes below roots, themselves included, that read nodes given by their ids."""
    found: set[int] = set()
    for n in below(roots):
        if id(n) not in ends and any(id(i) in ends or id(i) in found for i in n.inputs):
            found.add(id(n))
    return found


def _spread(sweep: Sweep[Any], steps: Sequence[int]) -> list[tuple[float, Sweep[Any], int]]:
    """Return the tiles of a sweep with their times: those of one step are spread evenly up to the next one.

    >>> [time for time, _, _ in _spread(Sweep.__new__(Sweep), [0, 0, 2, 2, 2, 2])]
    [0.0, 0.5, 2.0, 2.25, 2.5, 2.75]
    """
    count, seen, found = Counter(steps), Counter[int](), list[tuple[float, Sweep[Any], int]]()
    for i, step in enumerate(steps):
        found.append((step + seen[step] / count[step], sweep, i))
        seen[step] += 1
    return found


def _meet(a: Box, b: Box) -> bool:
    """True if two boxes of neighbouring cells have cells in common."""
    return all(p < q + m and q < p + n for p, n, q, m in zip(a.start, a.size, b.start, b.size, strict=True))
