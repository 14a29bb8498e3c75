"""Exact questions about strided boxes of bytes: does one address a byte twice, do two share a byte?

The one idea: both ask for integers 0 <= x_i <= u_i with Σ c_i x_i inside a short interval.  Cheap facts (extents, the
common divisor, strides that nest) settle nearly all; the rest is searched from the largest coefficient down, the last
two solved by Euclid.  The search is bounded: it may answer UNDECIDED, which is true like a collision, never "no".
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import Final, NamedTuple

SEARCH_STEPS = 20_000

Index = tuple[int, ...]
Collision = tuple[Index, Index]


class Undecided:
    """The answer of a search that ran out of steps; treat it as a collision of unknown cells."""

    def __repr__(self) -> str:
        return "UNDECIDED"


UNDECIDED: Final = Undecided()


class ByteBox(NamedTuple):
    """Cells of itemsize bytes at offset + Σ stride · index, 0 <= index < size for every (stride, size)."""

    offset: int
    axes: tuple[tuple[int, int], ...]
    itemsize: int


def box(offset: int, strides: Index, shape: Index, itemsize: int) -> ByteBox:
    """Return the bytes of a strided array as a ByteBox, starting at `offset`.

    >>> box(8, (4, 12), (3, 2), 4)
    ByteBox(offset=8, axes=((4, 3), (12, 2)), itemsize=4)
    """
    return ByteBox(offset, tuple(zip(strides, shape, strict=True)), itemsize)


def extent(byte_box: ByteBox) -> tuple[int, int]:
    """Return (first byte, end) of a box; (offset, offset) if it has no cell.

    >>> extent(ByteBox(100, ((-4, 3), (12, 2)), 4))
    (92, 116)
    """
    low, high = byte_box.offset, byte_box.offset + byte_box.itemsize
    for stride, size in byte_box.axes:
        if size == 0:
            return byte_box.offset, byte_box.offset
        if stride < 0:
            low += stride * (size - 1)
        else:
            high += stride * (size - 1)
    return low, high


def self_overlap(byte_box: ByteBox) -> Collision | Undecided | None:
    """Return two different indices of a box whose cells share a byte; None if there are none.

    UNDECIDED if the search takes too many steps.

    >>> self_overlap(ByteBox(0, ((4, 5), (4, 3)), 4))
    ((0, 2), (2, 0))
    """
    axes = byte_box.axes
    if any(size == 0 for _, size in axes):
        return None
    if _nested([(abs(s), n) for s, n in axes if n > 1], byte_box.itemsize):
        return None
    return _self_search(byte_box)


def overlap(a: ByteBox, b: ByteBox) -> Collision | Undecided | None:
    """Return an index of each box such that their cells share a byte; None if they share none.

    UNDECIDED if the search takes too many steps.

    >>> a = ByteBox(0, ((8, 4),), 4)
    >>> overlap(a, ByteBox(4, ((8, 4),), 4)), overlap(a, ByteBox(16, ((12, 2),), 4))
    (None, ((2,), (0,)))
    """
    (low_a, high_a), (low_b, high_b) = extent(a), extent(b)
    if low_a == high_a or low_b == high_b or high_a <= low_b or high_b <= low_a:
        return None
    # address in a - address in b lies strictly between -itemsize of a and itemsize of b
    terms = [(s, n - 1) for s, n in a.axes] + [(-s, n - 1) for s, n in b.axes]
    base = a.offset - b.offset
    found = solve(terms, 1 - a.itemsize - base, b.itemsize - 1 - base)
    if found is None or isinstance(found, Undecided):
        return found
    return found[: len(a.axes)], found[len(a.axes) :]


def _nested(axes: list[tuple[int, int]], itemsize: int) -> bool:
    """True if each stride exceeds the span of all smaller ones, so that no two cells overlap."""
    span = itemsize
    for stride, size in sorted(axes):
        if stride < span:
            return False
        span += stride * (size - 1)
    return True


def _self_search(byte_box: ByteBox) -> Collision | Undecided | None:
    """Return two indices of the box whose cells share a byte, or None; UNDECIDED if the search is too long.

    For each axis d in turn, indices are tried that are equal on the axes before d and differ on d.
    """
    undecided = False
    for d, (stride, size) in enumerate(byte_box.axes):
        if size == 1:
            continue
        terms, base = [(stride, size - 2)], stride  # k_d = 1 + x
        for s, n in byte_box.axes[d + 1 :]:
            terms.append((s, 2 * (n - 1)))  # k = x - (n - 1)
            base -= s * (n - 1)
        found = solve(terms, 1 - byte_box.itemsize - base, byte_box.itemsize - 1 - base)
        if isinstance(found, Undecided):
            undecided = True
        elif found is not None:
            k = (0,) * d + (
                found[0] + 1,
                *[x - n + 1 for x, (_, n) in zip(found[1:], byte_box.axes[d + 1 :], strict=True)],
            )
            return tuple([max(-i, 0) for i in k]), tuple([max(i, 0) for i in k])
    return UNDECIDED if undecided else None


def solve(terms: list[tuple[int, int]], low: int, high: int, steps: int = SEARCH_STEPS) -> Index | Undecided | None:
    """Return integers 0 <= x_i <= u_i with low <= Σ c_i x_i <= high; None if there are none.

    `terms` are the pairs (c_i, u_i).  Returns UNDECIDED after `steps` steps.

    >>> solve([(6, 10), (10, 10), (15, 10)], 29, 29), solve([(6, 10), (10, 10)], 31, 31)
    (None, None)
    >>> solve([(6, 10), (10, 10), (15, 10)], 31, 31)
    (1, 1, 1)
    """
    values = [0] * len(terms)
    merged: dict[int, list[tuple[int, bool]]] = {}
    for i, (c, u) in enumerate(terms):
        if u < 0:
            return None
        if c and u:
            if c < 0:  # x counts down from u
                values[i], low, high = u, low - c * u, high - c * u
            merged.setdefault(abs(c), []).append((i, c < 0))
    order = sorted(merged, reverse=True)
    bounds = [sum([terms[i][1] for i, _ in merged[c]]) for c in order]
    found = _search(order, bounds, low, high, steps)
    if not isinstance(found, list):
        return found
    for c, total in zip(order, found, strict=True):
        for i, down in merged[c]:
            x = min(total, terms[i][1])
            total -= x
            values[i] = terms[i][1] - x if down else x
    return tuple(values)


def _search(
    coefficients: list[int], bounds: list[int], low: int, high: int, steps: int
) -> list[int] | Undecided | None:
    """Return values for positive coefficients in descending order, each from 0 to its bound; None if there are none.

    Their sum of products is to lie in [low, high]. The search is depth first, with the last two terms in closed form.
    UNDECIDED after `steps` steps.
    """
    n = len(coefficients)
    if n <= 2:
        return _tail(coefficients, bounds, low, high)
    rest, common = [0] * (n + 1), [0] * (n + 1)  # what terms from i on reach, and what their sums are multiples of
    for i in range(n - 1, -1, -1):
        rest[i], common[i] = rest[i + 1] + coefficients[i] * bounds[i], gcd(common[i + 1], coefficients[i])
    levels = [_choices(coefficients[0], bounds[0], rest[1], low, high)]
    chosen: list[int] = []
    while levels:
        x = next(levels[-1], None)
        if x is None:
            levels.pop()
            if chosen:
                back = coefficients[len(chosen) - 1] * chosen.pop()
                low, high = low + back, high + back
            continue
        steps -= 1
        if steps < 0:
            return UNDECIDED
        i, c = len(chosen) + 1, coefficients[len(chosen)]
        low_x, high_x = low - c * x, high - c * x
        if high_x // common[i] * common[i] < low_x:  # no multiple of what the later terms have in common
            continue
        if i == n - 2:
            tail = _tail(coefficients[i:], bounds[i:], low_x, high_x)
            if tail is not None:
                return [*chosen, x, *tail]
            continue
        chosen.append(x)
        low, high = low_x, high_x
        levels.append(_choices(coefficients[i], bounds[i], rest[i + 1], low, high))
    return None


def _choices(coefficient: int, bound: int, reachable: int, low: int, high: int) -> Iterator[int]:
    """Yield the values 0 to `bound` of a term with which the later terms can still reach the interval.

    The term adds `coefficient` times its value; the later ones add 0 to `reachable`. The interval is [low, high].
    """
    return iter(range(max(0, -((reachable - low) // coefficient)), min(bound, high // coefficient) + 1))


def _tail(coefficients: list[int], bounds: list[int], low: int, high: int) -> list[int] | None:
    """Return one or two x in [0, bound] with low <= the sum of coefficient · x <= high; None if there are none."""
    if not coefficients:
        return [] if low <= 0 <= high else None
    c, u = coefficients[0], bounds[0]
    if len(coefficients) == 1:
        x = max(0, -(-low // c))
        return [x] if x <= u and c * x <= high else None
    e, v = coefficients[1], bounds[1]
    if high - low + 1 >= e:  # the interval holds a multiple of e wherever it lies
        x = max(0, -((e * v - low) // c))
        return [x, max(0, -((c * x - low) // e))] if x <= u and c * x <= high else None
    # c x + e y = total: x is fixed modulo m = e / g, by the inverse of c / g.  For 6 x + 10 y = 28: g = 2, m = 5, the
    # inverse of 3 is 2, and x = 14 · 2 mod 5 = 3 with y = 1.
    g = gcd(c, e)
    m, inverse = e // g, pow(c // g, -1, e // g)
    for total in range(-(-low // g) * g, high + 1, g):
        first, last = max(0, -((e * v - total) // c)), min(u, total // c)
        x = first + (total // g * inverse - first) % m
        if x <= last:
            return [x, (total - c * x) // e]
    return None
