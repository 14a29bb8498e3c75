"""Touched bytes as ranges to read: nearby ranges are joined if that is cheaper than another call.

The one idea: a call costs its latency, and bytes cost time by bandwidth; so a gap is read if its bytes take less time
than one more call.  Up to EXACT reads are made without a superfluous byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from weft.runtime.compute.footprint import Touch

Extents = NDArray[np.int64]  # sorted, disjoint rows (first byte, end)
LONG = 8  # gaps in a run that is long enough
EXACT = 256  # reads made without a superfluous byte, whatever the cost model says: 0.2 ms


@dataclass(frozen=True, slots=True)
class ReadCost:
    """The cost of reading: `latency` seconds for each call, and bytes at `bandwidth` per second.

    Up to `exact` calls are made without a superfluous byte.
    """

    latency: float
    bandwidth: float
    exact: int = EXACT

    @property
    def gap(self) -> int:
        """Return the number of bytes that are read in the time of one call's latency."""
        return int(self.latency * self.bandwidth)

    def run_share(self, nbytes: int) -> float:
        """Return the useful share of time in reading runs of `nbytes` bytes, at most 1, which counts as 1 from 8/9."""
        return min(1.0, nbytes / (LONG * self.gap))


LOCAL = ReadCost(0.6e-6, 10e9)  # a file in the page cache (docs/design/006-reading-ranges.md)
REMOTE = ReadCost(0.02, 50e6, 16)  # a server, which is asked for several ranges at a time


def bytes_in(extents: Extents) -> int:
    """Return the number of bytes in ranges.

    >>> bytes_in(np.array([[0, 8], [24, 32]]))
    16
    """
    return int((extents[:, 1] - extents[:, 0]).sum())


def extents_of(touches: Sequence[Touch], cost: ReadCost = LOCAL, max_ranges: int | None = None) -> Extents:
    """Return the byte ranges, rows (first, end), to read for all touches.

    They contain exactly the touched bytes if these form at most `max_ranges` ranges (None: `cost.exact`); otherwise
    ranges closer than `cost.gap` bytes are joined.

    >>> from weft.runtime.compute.footprint import touch
    >>> extents_of([touch(0, (1 << 20, 4), (2, 100), 4)]).tolist()
    [[0, 400], [1048576, 1048976]]
    """
    exact = sum(len(t.offsets) * prod(n for _, n in _runs(t, 0)[1]) for t in touches)
    gap = 0 if exact <= (cost.exact if max_ranges is None else max_ranges) else cost.gap
    return merged([_extents(t, gap) for t in touches], gap)


def _runs(t: Touch, gap: int) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return (bytes of a run, outer axes) of a touch: cells at most `gap` bytes apart form one run."""
    span = t.itemsize
    for k, (step, n) in enumerate(t.axes):
        if step - span > gap:
            return span, t.axes[k:]
        span += step * (n - 1)
    return span, ()


def _extents(t: Touch, gap: int) -> Extents:
    """Return the byte ranges of one touch, joined over gaps of at most `gap` bytes."""
    span, axes = _runs(t, gap)
    starts = t.offsets
    for step, n in axes:
        starts = (starts + step * np.arange(n)[:, None]).reshape(-1)
    return np.stack([starts, starts + span], 1)


def merged(parts: Sequence[Extents], gap: int = 0) -> Extents:
    """Return the rows (first, end) of all parts in order; rows at most `gap` bytes apart are joined.

    >>> merged([np.array([[8, 12]]), np.array([[0, 4], [4, 6]])]).tolist()
    [[0, 6], [8, 12]]
    """
    if not parts:
        return np.empty((0, 2), np.int64)
    every = np.concatenate(parts)
    if len(every) < 2:
        return every
    every = every[np.argsort(every[:, 0], kind="stable")]
    ends = np.maximum.accumulate(every[:, 1])
    first = np.ones(len(every), bool)
    first[1:] = every[1:, 0] > ends[:-1] + gap
    begin = np.flatnonzero(first)
    return np.stack([every[begin, 0], ends[np.append(begin[1:], len(every)) - 1]], 1)
