"""Ranges of bytes for patterns of addresses: all that is touched, nothing else where that is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.runtime.compute.footprint import Touch, joined, touch
from weft.sources.read import byte_ranges
from weft.sources.read.extents import EXACT, ReadCost, extents_of, merged


@st.composite
def touches(draw: Any) -> list[Touch]:
    found = []
    for _ in range(draw(st.integers(0, 3))):
        ndim = draw(st.integers(0, 3))
        strides = draw(st.lists(st.integers(-50, 50), min_size=ndim, max_size=ndim))
        sizes = draw(st.lists(st.integers(0, 8), min_size=ndim, max_size=ndim))
        found.append(touch(1500 + draw(st.integers(0, 500)), strides, sizes, draw(st.integers(1, 9))))
    return list(joined([t for t in found if t is not None]))


def bytes_of(found: list[Touch]) -> np.ndarray:
    mask = np.zeros(4000, bool)
    for t in found:
        at = t.offsets
        for step, n in t.axes:
            at = np.add.outer(at, step * np.arange(n))
        mask[np.add.outer(at, np.arange(t.itemsize))] = True
    return mask


@given(touches(), st.integers(0, 100))
def test_ranges_hold_what_is_touched(found: list[Touch], gap: int) -> None:
    extents = extents_of(found, ReadCost(1.0, gap))
    mask = np.zeros(4000, bool)
    for first, end in extents.tolist():
        assert first < end
        assert not mask[first:end].any()
        mask[first:end] = True
    assert (extents[1:, 0] > extents[:-1, 1]).all()
    wanted = bytes_of(found)
    assert (mask >= wanted).all()
    if gap == 0 or sum(len(t.offsets) * int(np.prod([n for _, n in t.axes])) for t in found) <= EXACT:
        np.testing.assert_array_equal(mask, wanted)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], wanted, [0]])))
    assert len(extents) <= len(edges) // 2


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=9), st.integers(0, 10))
def test_joining_leaves_gaps_alone_that_are_wider(parts: list[tuple[int, int]], gap: int) -> None:
    extents = merged([np.array([[a, a + n]]) for a, n in parts], gap)
    assert {b for a, e in extents.tolist() for b in range(a, e)} >= {b for a, n in parts for b in range(a, a + n)}
    assert (extents[1:, 0] > extents[:-1, 1] + gap).all()


def test_moved_and_joined() -> None:
    t = touch(8, (4,), (3,), 4)
    assert t is not None
    assert t.moved(0) is t
    both = joined([t, t.moved(100), t])
    assert len(both) == 1
    assert both[0].offsets.tolist() == [8, 108]


def test_boxes_of_few_cells_are_read_exactly() -> None:
    assert byte_ranges._grouped((4000, 4), (10, 10), 4) == (1, 10, 4)
    assert byte_ranges._grouped((4000, 8), (10, 10), 4) == (2, 1, 4)
    assert byte_ranges._grouped((4000, 4), (1000, 10), 4)[0] == 0
