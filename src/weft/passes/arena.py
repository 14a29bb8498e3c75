"""Place temporaries in one arena by the time they live.

The one idea: a temporary occupies its bytes from the step that writes it to the last step that reads it; two that are
never alive together may share bytes.  Largest first, each at the lowest offset that is free all its life; where there
are too many to hold each against all others, in the order of time, each in the first gap that is free by then.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

ALIGN = 64
MANY = 256  # temporaries from which they are placed in the order of time


@dataclass(frozen=True, slots=True)
class Life:
    """A temporary: bytes, and the first and last step that need it."""

    nbytes: int
    first: int
    last: int

    def through(self, groups: Sequence[tuple[int, int, object]]) -> Life:
        """Return the life extended to all of each group of steps that it touches.

        The steps of a group, [first, end), run by turns.
        """
        first, last = self.first, self.last
        for at, stop, _ in groups:
            if first < stop and last >= at:
                first, last = min(first, at), max(last, stop - 1)
        return Life(self.nbytes, first, last)


def arena(lives: Sequence[Life], shared: bool = True) -> tuple[list[int], int]:
    """Return the byte offset of each temporary in the arena, and the arena's size.

    Without `shared`, each has bytes of its own.

    >>> arena([Life(100, 0, 1), Life(100, 1, 2), Life(100, 2, 3)])
    ([0, 128, 0], 256)
    """
    if not shared:
        lives = [Life(life.nbytes, 0, len(lives)) for life in lives]
    offsets = _by_size(lives) if len(lives) < MANY else _by_time(lives)
    return offsets, max([at + _rounded(life.nbytes) for at, life in zip(offsets, lives, strict=True)], default=0)


def _by_size(lives: Sequence[Life]) -> list[int]:
    """Return offsets, the largest temporary first, each at the lowest offset that is free all its life."""
    offsets = [0] * len(lives)
    placed: list[int] = []
    for i in sorted(range(len(lives)), key=lambda i: (-lives[i].nbytes, i)):
        life = lives[i]
        taken = sorted(
            (offsets[j], offsets[j] + _rounded(lives[j].nbytes))
            for j in placed
            if lives[j].first <= life.last and life.first <= lives[j].last
        )
        at = 0
        for low, high in taken:
            if at + _rounded(life.nbytes) <= low:
                break
            at = max(at, high)
        offsets[i] = at
        placed.append(i)
    return offsets


def _by_time(lives: Sequence[Life]) -> list[int]:
    """Return offsets, the earliest temporary first, each in the lowest gap that is free by then.

    >>> _by_time([Life(100, 0, 1), Life(100, 1, 2), Life(64, 2, 3), Life(64, 2, 3)])
    [0, 128, 0, 64]
    """
    offsets = [0] * len(lives)
    gaps: list[tuple[int, int]] = []  # (first byte, end) by address; no two touch, the memory after them all is free
    busy: list[tuple[int, int, int]] = []  # a heap of (last step, first byte, end)
    top = 0
    for i in sorted(range(len(lives)), key=lambda i: lives[i].first):
        while busy and busy[0][0] < lives[i].first:
            _free(gaps, heappop(busy)[1:])
        size = _rounded(lives[i].nbytes)
        k = next((k for k, (low, high) in enumerate(gaps) if high - low >= size or high == top), len(gaps))
        at, end = gaps.pop(k) if k < len(gaps) else (top, top)
        if at + size < end:
            gaps.insert(k, (at + size, end))
        top = max(top, at + size)
        offsets[i] = at
        heappush(busy, (lives[i].last, at, at + size))
    return offsets


def _free(gaps: list[tuple[int, int]], gap: tuple[int, int]) -> None:
    """Insert a gap among the others, joined with those that it touches."""
    low, high = gap
    k = bisect_left(gaps, gap)
    if k < len(gaps) and gaps[k][0] == high:
        high = gaps.pop(k)[1]
    if k and gaps[k - 1][1] == low:
        low = gaps.pop(k := k - 1)[0]
    if low < high:
        gaps.insert(k, (low, high))


def _rounded(nbytes: int) -> int:
    return -(-nbytes // ALIGN) * ALIGN
