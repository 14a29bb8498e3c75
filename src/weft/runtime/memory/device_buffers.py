"""Temporary buffers of a device, used by transfers and layout changes.

The one idea: a few buffers are reused, the least recently used first, so that its readers have most likely finished.
Taking a buffer never waits: it is ordinary memory, and new work on it waits for its earlier readers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.runtime.fork_safety import own_lock

COUNT = 3  # buffers kept by default


class Buffers:
    """The temporary buffers that are not in use, the least recently used first."""

    def __init__(self) -> None:
        self.count, self.largest = COUNT, 0
        self.free: list[np.ndarray] = []
        self.lock = own_lock()
        self.reused = 0  # how often a buffer was reused

    def take(self, nbytes: int) -> np.ndarray | None:
        """Remove and return the least recently used buffer of at least `nbytes`; None if there is none."""
        with self.lock:
            for k, b in enumerate(self.free):
                if b.nbytes >= nbytes:
                    self.reused += 1
                    return self.free.pop(k)
        return None

    def give(self, lent: Sequence[np.ndarray]) -> None:
        """Put back buffers whose work was submitted, as far as the limits on their number and size allow."""
        with self.lock:
            self.free += [b for b in lent if not self.largest or b.nbytes <= self.largest]
            del self.free[: max(len(self.free) - self.count, 0)]

    def limit(self, count: int, largest: int) -> None:
        """Keep at most `count` buffers from now on, none of more than `largest` bytes (0: of any size)."""
        with self.lock:
            self.count, self.largest = count, largest
            kept = [b for b in self.free if not largest or b.nbytes <= largest]
            self.free = kept[max(len(kept) - count, 0) :]
