"""The lattice solver against brute force, and the answers it may not get wrong."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.ir.pieces.lattice import UNDECIDED, ByteBox, Undecided, box, extent, overlap, self_overlap, solve


def address(b: ByteBox, at: tuple[int, ...]) -> int:
    return b.offset + sum(s * i for (s, _), i in zip(b.axes, at, strict=True))


def cells(b: ByteBox) -> list[tuple[int, ...]]:
    return list(product(*[range(n) for _, n in b.axes]))


def touched(b: ByteBox, at: tuple[int, ...]) -> set[int]:
    return set(range(address(b, at), address(b, at) + b.itemsize))


def random_box(rng: random.Random, itemsize: int | None = None) -> ByteBox:
    unit = rng.choice((1, 1, 2, 4))
    axes = tuple(
        (rng.randint(-12, 12) * unit, rng.randint(0 if rng.random() < 0.05 else 1, 4)) for _ in range(rng.randint(0, 4))
    )
    return ByteBox(rng.randint(0, 60), axes, itemsize or rng.choice((1, 2, 4, 8)))


def check_self(b: ByteBox) -> None:
    owners: dict[int, tuple[int, ...]] = {}
    collide = any(owners.setdefault(byte, at) != at for at in cells(b) for byte in touched(b, at))
    found = self_overlap(b)
    assert not isinstance(found, Undecided)
    assert (found is not None) == collide
    if found is not None:
        i, j = found
        assert i != j and {i, j} <= set(cells(b)) and touched(b, i) & touched(b, j)


def check_pair(a: ByteBox, b: ByteBox) -> None:
    bytes_a = {byte for at in cells(a) for byte in touched(a, at)}
    bytes_b = {byte for at in cells(b) for byte in touched(b, at)}
    found = overlap(a, b)
    assert not isinstance(found, Undecided)
    assert (found is not None) == bool(bytes_a & bytes_b)
    if found is not None:
        i, j = found
        assert i in set(cells(a)) and j in set(cells(b)) and touched(a, i) & touched(b, j)
    for found_bytes, (low, high) in ((bytes_a, extent(a)), (bytes_b, extent(b))):
        assert (min(found_bytes), max(found_bytes) + 1) == (low, high) if found_bytes else low == high


@pytest.mark.parametrize("seed", range(4))
def test_against_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(300):
        check_self(random_box(rng))
        check_pair(random_box(rng), random_box(rng))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_more_against_brute_force(seed: int) -> None:
    rng = random.Random(100 + seed)
    for _ in range(3000):
        check_self(random_box(rng))
        check_pair(random_box(rng), random_box(rng))


@pytest.mark.parametrize("seed", range(2))
def test_solve_against_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(500):
        terms = [(rng.randint(-30, 30), rng.randint(0, 5)) for _ in range(rng.randint(0, 4))]
        low = rng.randint(-60, 60)
        high = low + rng.choice((0, 0, 1, 7, 40))
        sums = {
            sum(c * x for (c, _), x in zip(terms, xs, strict=True)) for xs in product(*[range(u + 1) for _, u in terms])
        }
        found = solve(terms, low, high)
        assert (found is not None) == any(low <= s <= high for s in sums)
        if isinstance(found, tuple):
            assert all(0 <= x <= u for x, (_, u) in zip(found, terms, strict=True))
            assert low <= sum(c * x for (c, _), x in zip(terms, found, strict=True)) <= high


def test_no_cell_meets_nothing() -> None:
    empty = box(0, (4, 4), (3, 0), 4)
    assert extent(empty) == (0, 0)
    assert self_overlap(empty) is None and overlap(empty, box(0, (4,), (3,), 4)) is None


def test_a_broadcast_axis_collides_with_itself() -> None:
    assert self_overlap(box(0, (0, 4), (3, 5), 4)) == ((0, 0), (1, 0))


def test_windows_name_two_cells() -> None:
    found = self_overlap(box(0, (8, 8), (5, 3), 8))
    assert isinstance(found, tuple)
    assert found[0] != found[1] and sum(found[0]) == sum(found[1])


def test_huge_disjoint_interleaved_boxes_are_decided_at_once() -> None:
    n = 10**9
    assert overlap(box(0, (8 * n, 8), (n, n // 2), 4), box(4, (8 * n, 8), (n, n // 2), 4)) is None
    assert overlap(box(0, (16,), (n,), 8), box(8, (16,), (n,), 8)) is None


def test_two_coprime_strides_are_solved_exactly() -> None:
    n, a, b = 10**12, 10**6 + 3, 10**6 + 33
    found = overlap(box(0, (a,), (n,), 1), box(7, (b,), (n,), 1))
    assert isinstance(found, tuple)
    (i,), (j,) = found
    assert a * i == 7 + b * j


def test_a_search_that_ends_early_says_so() -> None:
    """Sums of large even numbers plus one odd far away: only a long search could exclude them."""
    terms = [(2 * p, 50) for p in (99991, 99989, 99971, 99961, 99929, 99923, 99907, 99901)]
    answer = solve([*terms, (3, 1)], 10_000_001, 10_000_001, steps=50)
    assert answer is UNDECIDED and bool(answer)


@pytest.mark.parametrize(
    ("shape", "strides", "itemsize", "overlaps"),
    [
        ((3, 2, 2, 2), (1, 2, 6, 12), 1, True),
        ((3, 2), (1, 2), 1, True),
        ((4, 3), (4, 5), 1, False),
        ((4, 3), (4, 5), 2, True),
    ],
)
def test_self_overlap_by_example(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, overlaps: bool
) -> None:
    assert (self_overlap(box(0, strides, shape, itemsize)) is not None) is overlaps


@pytest.mark.parametrize(
    ("a", "b", "overlaps"),
    [
        (((5,), (4,), 0, 1), ((4,), (3,), 7, 1), True),
        (((5,), (4,), 0, 1), ((3,), (3,), 7, 1), False),
        (((5, 3), (4, 1), 0, 1), ((3,), (10,), -3, 1), True),
        (((5, 3), (4, 1), 0, 1), ((2, 3), (-40, 10), 37, 1), True),
        (((3,), (8,), 0, 1), ((4,), (5,), 5, 2), True),
    ],
)
def test_overlap_of_two_by_example(a: tuple[Any, ...], b: tuple[Any, ...], overlaps: bool) -> None:
    first, second = (box(offset, strides, shape, size) for shape, strides, offset, size in (a, b))
    assert (overlap(first, second) is not None) is overlaps
    assert (overlap(second, first) is not None) is overlaps
    check_pair(first, second)


boxes = st.builds(
    ByteBox,
    st.integers(-40, 40),
    st.lists(st.tuples(st.integers(-14, 14), st.integers(0, 4)), max_size=4).map(tuple),
    st.sampled_from((1, 2, 3, 4, 8)),
)


@given(boxes)
def test_self_overlap_is_exact(b: ByteBox) -> None:
    check_self(b)


@given(boxes, boxes)
def test_overlap_is_exact(a: ByteBox, b: ByteBox) -> None:
    check_pair(a, b)


@given(boxes, boxes, st.integers(0, 30))
def test_a_short_search_never_says_disjoint_of_what_meets(a: ByteBox, b: ByteBox, steps: int) -> None:
    """For any bound, None is returned only if no cells meet, and cells that are returned do meet."""
    terms = [(s, n - 1) for s, n in a.axes] + [(-s, n - 1) for s, n in b.axes]
    base = a.offset - b.offset
    bounded = solve(terms, 1 - a.itemsize - base, b.itemsize - 1 - base, steps)
    exact = solve(terms, 1 - a.itemsize - base, b.itemsize - 1 - base)
    assert not isinstance(exact, Undecided)
    assert isinstance(bounded, Undecided) or (bounded is None) == (exact is None)
