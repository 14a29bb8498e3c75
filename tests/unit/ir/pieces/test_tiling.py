"""Tests of whether boxes tile a shape, against a count of every cell; large spaces are decided, too."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.ir.pieces.test_projection import projections
from weft.ir.pieces.box import box_of
from weft.ir.pieces.projection import Projection
from weft.ir.pieces.tiling import faults


def written(p: Projection, index: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    """Return the number of times each cell is written."""
    found: Counter[tuple[int, ...]] = Counter()
    for cell in product(*map(range, index)):
        found.update(product(*[range(a, a + n) for a, n in zip(p.first(cell), p.shape, strict=True)]))
    return found


def in_boxes(p: Projection, index: tuple[int, ...]) -> bool:
    """True if two neighbours, wherever they are, write a box."""
    for j, n in enumerate(index):
        pair = tuple([2 if k == j else 1 for k in range(len(index))])
        if n > 1 and len(written(p, pair)) != box_of(p.of(box_of(pair)).size).cells:
            return False
    return True


@given(projections(), st.integers(0, 2))
def test_faults_are_those_of_counting(drawn, more):
    p, cells = drawn
    index, box = cells.size, p.of(box_of(cells.size))
    shape = tuple([max(a + n, 0) + more for a, n in zip(box.start, box.size, strict=True)])
    counts = written(p, index)
    inside = set(product(*map(range, shape)))
    found = faults(p, index, shape)
    if not found:
        assert counts.keys() == inside and set(counts.values()) <= {1} and in_boxes(p, index)
    for said in found:
        is_so(said, p, index, inside, counts)
    assert any("twice" in said for said in found) == (max(counts.values(), default=0) > 1)
    assert any("not written" in said for said in found) == bool(inside - counts.keys())


def is_so(said, p, index, inside, counts):
    """Hold one fact against the counts."""
    cell = tuple(map(int, re.findall(r"-?\d+", said.partition("cell ")[2].partition(")")[0])))
    if "twice" in said:
        assert counts[cell] > 1
    elif "not written" in said:
        assert cell in inside and cell not in counts
    elif "which has" in said:
        assert not counts.keys() <= inside
    else:
        assert not in_boxes(p, index) and counts.keys() == inside and set(counts.values()) == {1}


LARGE = (1 << 20, 1 << 20)


@pytest.mark.parametrize(
    ("matrix", "box", "index", "shape", "said"),
    [
        ([[1, 0], [0, 1]], (1, 1), LARGE, LARGE, ""),
        ([[0, 2], [-3, 0]], (2, 3), LARGE, (1 << 21, 3 << 20), ""),
        (
            [[1, 0], [0, 0]],
            (1, 1),
            LARGE,
            (1 << 20, 1),
            "cell (0, 0) is written twice, by index cells (0, 0) and (0, 1)",
        ),
        ([[2, 0], [0, 1]], (1, 1), LARGE, (2 << 20, 1 << 20), "cell (2097151, 0) is not written"),
        ([[2, 0], [0, 1]], (3, 1), LARGE, ((2 << 20) + 1, 1 << 20), "cell (2, 0) is written twice"),
        ([[1 << 20, 1]], (1,), LARGE, (1 << 40,), "index axis 0 steps by {0: 1048576}"),
        (
            [[1, 0], [0, 1]],
            (1, 1),
            LARGE,
            (1 << 20, 1 << 19),
            "index cell (0, 1048575) writes position 1048575 of axis 1",
        ),
        ([[1]], (1,), (0,), (3,), "cell (0,) is not written, as the index space (0,) has no cells"),
        ([[1]], (1,), (0,), (0,), ""),
    ],
)
def test_large_spaces_are_decided(matrix, box, index, shape, said):
    offset = [-min(a * (n - 1) for a, n in zip(row, index, strict=True)) if min(row) < 0 else 0 for row in matrix]
    found = faults(Projection(matrix, offset, box), index, shape)
    assert bool(found) == bool(said) and (not said or found[0].startswith(said))


def test_missing_cells_are_reported_with_repeated_ones() -> None:
    twice = "cell (3,) is written twice, by index cells (0,) and (1,)"
    assert faults(Projection([[3]], shape=(4,)), (2,), (8,)) == [twice, "cell (7,) is not written"]
    out = "index cell (2,) writes position 9 of axis 0, which has 9 cells"
    assert faults(Projection([[3]], (1,), (3,)), (3,), (9,)) == [out, "cell (0,) is not written"]
    assert faults(Projection([[1, 0]]), (3, 2), (4,)) == [
        "cell (0,) is written twice, by index cells (0, 0) and (0, 1)",
        "cell (3,) is not written",
    ]
