"""Chains: a sweep of values behind those of the reductions that it reads, as one walk in which chunks are read once.

The one idea: tiles of values follow as soon as the kept cells that they read are reduced, while the units are still
held.  So `x - mean(x, axis=0)` is written column by column of chunks, if a column of them fits the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.ir.pieces.box import Box, box_of_runs
from weft.passes.needs import needs
from weft.settings import get_num_threads
from weft.sources.read.touched_boxes import hull
from weft.sources.stream.reading_ahead import steps_of
from weft.sources.stream.sweep import Sweep, run_tiles
from weft.sources.stream.takers import Reductions

WORTH = 0.9  # share of the bytes that the sweeps read one by one, up to which they are chained
MOST_PAIRS = 1 << 20  # of tiles and boxes of kept cells that are compared


class SweepChain:
    """Sweeps of reductions over the same tiles, and one of values whose tiles come as soon as these are ready.

    `values` is a sweep over the memory of the reductions, which is not filled yet.
    """

    def __init__(self, reductions: Sequence[Sweep[Reductions]], values: Sweep[Any]) -> None:
        self.reductions, self.values = reductions, values
        self.sweeps: list[Sweep[Any]] = [*reductions, values]
        self.room = min([s.room for s in self.sweeps])
        self.tiles = self._in_order()
        self.is_worth_it = self.tiles != [] and self._saves()

    def _in_order(self) -> list[tuple[Sweep[Any], int]]:
        """Return the tiles of all sweeps, each as its sweep and number; nothing if that is no use."""
        axes = self.reductions[0].takers[0].axes
        boxes = self.reductions[0].steps.boxes
        groups = {kept: k for k, kept in enumerate(dict.fromkeys([axes.kept_box(b) for b in boxes]))}
        if len(groups) * len(self.values.steps.boxes) > MOST_PAIRS:
            return []
        found = [(groups[axes.kept_box(b)], s, i) for s in self.reductions for i, b in enumerate(s.steps.boxes)]
        found += [(self._ready(b, groups), self.values, i) for i, b in enumerate(self.values.steps.boxes)]
        return [(s, i) for _, s, i in sorted(found, key=lambda tile: tile[0])]  # which keeps the order within a group

    def _ready(self, box: Box, groups: dict[Box, int]) -> int:
        """Return the number of the last group of kept cells that a tile of the values reads."""
        roots = [r for t in self.values.takers for r in t.roots]
        asked = needs(roots, [box] * len(roots))
        last = 0
        for taker in self.reductions[0].takers:
            for n in taker.group:
                if id(n) in asked:
                    around, keepdims = hull(asked[id(n)].boxes), n.attrs[1]
                    dropped = taker.axes.axes if keepdims else ()
                    kept = box_of_runs([run for a, run in enumerate(around.runs) if a not in dropped])
                    last = max([last, *[k for b, k in groups.items() if _meet(b, kept)]])
        return last

    def _saves(self) -> bool:
        """Plan what is read for all tiles; True if that is less than what the sweeps read one by one."""
        alone = sum([s.steps.nbytes for s in self.sweeps])
        wanted = [s.steps.units[i].wanted for s, i in self.tiles]
        ahead = get_num_threads() * max([sum([u.nbytes for u in w]) for w in wanted], default=0)
        steps = steps_of(wanted, max(self.room - ahead, self.room // 4))
        if sum([s.nbytes for s in steps]) > WORTH * alone:
            return False
        for (sweep, i), step in zip(self.tiles, steps, strict=True):
            sweep.steps.units[i] = step
        return True

    def run(self) -> None:
        """Compute all tiles, and attach the values to the reductions."""
        run_tiles(self.tiles, self.room)
        for taker in self.reductions[0].takers:
            taker.publish()


def _meet(a: Box, b: Box) -> bool:
    """True if two boxes of neighbouring cells have cells in common."""
    return all(p < q + m and q < p + n for p, n, q, m in zip(a.start, a.size, b.start, b.size, strict=True))
