"""The axes of a row, arranged for looping: no axis of one cell, closest in memory last, merged where possible.

The one idea: a map may visit its cells in any order, so axes are only numbers to sort: by the output's strides first,
for writes cost most, then by the operands'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Axes:
    """Sizes of axes (all above 1), strides [leaf][axis] in bytes, and the shift of each leaf's first cell."""

    sizes: list[int]
    strides: list[list[int]]
    shifts: list[int]


def arranged(sizes: Sequence[int], strides: Sequence[Sequence[int]]) -> Axes:
    """Return the axes of a box of `sizes`, sorted and merged, for leaves with these byte strides.

    The last leaf is the output. Axes along which its address falls are walked backwards: `shifts` has the bytes to
    their end for each leaf.

    >>> arranged((4, 1, 3), [(12, 99, 4), (24, 7, 4)])
    Axes(sizes=[4, 3], strides=[[12, 4], [24, 4]], shifts=[0, 0])
    >>> arranged((4, 3), [(12, 4), (-24, -8)])
    Axes(sizes=[12], strides=[[-4], [8]], shifts=[44, -88])
    """
    shifts = [0] * len(strides)
    columns: list[tuple[int, list[int]]] = []  # size and strides of each axis
    for a, n in enumerate(sizes):
        steps = [s[a] for s in strides]
        if n != 1 and steps[-1] < 0:
            shifts = [shift + s * (n - 1) for shift, s in zip(shifts, steps, strict=True)]
            steps = [-s for s in steps]
        if n != 1:
            columns.append((n, steps))
    columns.sort(key=lambda c: [abs(s) for s in (c[1][-1], *c[1][:-1])], reverse=True)
    merged = columns[:1]
    for n, steps in columns[1:]:
        size, far = merged[-1]
        if far == [s * n for s in steps]:
            merged[-1] = (size * n, steps)
        else:
            merged.append((n, steps))
    return Axes([n for n, _ in merged], [[steps[k] for _, steps in merged] for k in range(len(strides))], shifts)
