"""Interleaved sweeps: one walk over the tiles of several sweeps, in an order that decodes chunks of all of them once.

The one idea: what each tile reads is known, so an order of tiles is worth what it saves: the bytes read in that order
beside those of a walk for each sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from weft.settings import get_num_threads
from weft.sources.stream.reading_ahead import TileStep, tile_steps
from weft.sources.stream.sweep import Sweep, TileConsumer, run_tiles

WORTH = 0.9  # sweeps are interleaved if that reads at most this share of the bytes of separate walks
TILE = 1 << 20  # bytes that are read and decoded while a tile is planned: about 1 ms
Tile = tuple[Sweep[Any], int]  # a sweep and the number of its tile


def effort(nbytes: int, tiles: int) -> int:
    """Return the bytes that take as long to read as `nbytes` and to compute so many empty tiles."""
    return nbytes + tiles * TILE


class InterleavedSweeps:
    """The tiles of several sweeps in one order, with at most `room` bytes of units held.

    There are no tiles if there would be too many to find an order.
    """

    def __init__(self, sweeps: Sequence[Sweep[Any]], tiles: Sequence[Tile], room: int) -> None:
        self.sweeps, self.tiles, self.room = sweeps, tiles, room

    @property
    def consumers(self) -> list[TileConsumer]:
        """Return the consumers of all sweeps."""
        return [consumer for s in self.sweeps for consumer in s.consumers]

    @cached_property
    def steps(self) -> list[TileStep]:
        """Return what is read for each tile in one walk over all."""
        # What waits for later tiles may fill all that is planned for; two units for each thread stay free beside it, so
        # that the next ones can still be read ahead.
        wanted = [s.steps.units[i].wanted for s, i in self.tiles]
        ahead = 2 * get_num_threads() * max([u.nbytes for w in wanted for u in w], default=0)
        return tile_steps(wanted, max(self.room - ahead, self.room // 4))

    @property
    def nbytes(self) -> int:
        """Return the bytes that the walk reads; units from scratch count half."""
        return sum([step.nbytes for step in self.steps])

    @property
    def scratch(self) -> int:
        """Return the bytes of the scratch file. Getting its pages takes about as long as decoding a unit."""
        return max([step.scratch for step in self.steps], default=0)

    @property
    def nbytes_apart(self) -> int:
        """Return the bytes that separate walks over its sweeps read."""
        return sum([s.steps.nbytes for s in self.sweeps])

    @property
    def effort(self) -> int:
        """Return the bytes that take about as long to read as the walk takes beside its arithmetic."""
        return effort(self.nbytes + self.scratch, len(self.tiles))

    @property
    def fits(self) -> bool:
        """True if the units of every tile are held in the room for them."""
        return all(sum([u.nbytes for u in s.steps.units[i].wanted]) <= self.room for s, i in self.tiles)

    @property
    def reads_singly(self) -> bool:
        """True if no unit is read again."""
        return not any(step.again for step in self.steps)

    def take_steps(self) -> None:
        """Store the reads of this walk in the sweeps, in place of those of separate walks."""
        for (sweep, i), step in zip(self.tiles, self.steps, strict=True):
            sweep.steps.units[i] = step

    def run(self) -> None:
        """Compute all tiles; call `take_steps` before.  Raises the errors of reading and computing."""
        run_tiles(self.tiles, self.room)
