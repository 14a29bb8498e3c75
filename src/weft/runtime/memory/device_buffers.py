"""Temporary buffers of a device: memory that transfers and layout changes use in passing.

The one idea: a few buffers go round, the longest unused first, so that it has most likely been read by the time it is
written again.  Nobody waits here: a buffer is memory like any other, and whoever writes it waits for its readers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.runtime.fork_safety import own_lock

COUNT = 3  # buffers kept unless told


class Buffers:
    """The temporary buffers that are not in use, the longest unused first."""

    def __init__(self) -> None:
        self.count, self.largest = COUNT, 0
        self.free: list[np.ndarray] = []
        self.lock = own_lock()
        self.reused = 0  # times that a buffer was taken again

    def take(self, nbytes: int) -> np.ndarray | None:
        """Return the longest unused buffer of at least `nbytes`; None if there is none."""
        with self.lock:
            for k, b in enumerate(self.free):
                if b.nbytes >= nbytes:
                    self.reused += 1
                    return self.free.pop(k)
        return None

    def give(self, lent: Sequence[np.ndarray]) -> None:
        """Take back buffers whose work was submitted, as far as the limits allow."""
        with self.lock:
            self.free += [b for b in lent if not self.largest or b.nbytes <= self.largest]
            del self.free[: max(len(self.free) - self.count, 0)]

    def limit(self, count: int, largest: int) -> None:
        """Keep at most `count` buffers from now on, none of more than `largest` bytes (0: of any size)."""
        with self.lock:
            self.count, self.largest = count, largest
            kept = [b for b in self.free if not largest or b.nbytes <= largest]
            self.free = kept[max(len(kept) - count, 0) :]
