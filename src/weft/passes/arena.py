"""Place temporaries in one arena by the time they live.

The one idea: a temporary occupies its bytes from the step that writes it to the last step that reads it; two that are
never alive together may share bytes.  Largest first, each at the lowest offset that is free all its life.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.passes.switches import enabled

ALIGN = 64


@dataclass(frozen=True, slots=True)
class Life:
    """A temporary: bytes, and the first and last step that need it."""

    nbytes: int
    first: int
    last: int


def arena(lives: Sequence[Life]) -> tuple[list[int], int]:
    """An offset for each temporary, and the arena's size.

    >>> arena([Life(100, 0, 1), Life(100, 1, 2), Life(100, 2, 3)])
    ([0, 128, 0], 256)
    """
    offsets = [0] * len(lives)
    placed: list[int] = []
    share = enabled("arena")
    for i in sorted(range(len(lives)), key=lambda i: (-lives[i].nbytes, i)):
        life = lives[i]
        taken = sorted(
            (offsets[j], offsets[j] + _rounded(lives[j].nbytes))
            for j in placed
            if not share or (lives[j].first <= life.last and life.first <= lives[j].last)
        )
        at = 0
        for low, high in taken:
            if at + _rounded(life.nbytes) <= low:
                break
            at = max(at, high)
        offsets[i] = at
        placed.append(i)
    size = max((offsets[i] + _rounded(lives[i].nbytes) for i in placed), default=0)
    return offsets, size


def _rounded(nbytes: int) -> int:
    return -(-nbytes // ALIGN) * ALIGN
