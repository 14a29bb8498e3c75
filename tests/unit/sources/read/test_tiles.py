"""Tiles grow to what fits, and cover everything once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import ValueRangeError
from weft.runtime.memory import limits
from weft.runtime.memory.limits import bytes_of, limited, memory_limit, set_limit
from weft.sources.read.tiles import boxes, count, fitted, grown, middle

shapes = st.lists(st.integers(1, 9), min_size=0, max_size=4).map(tuple)


@given(shapes, st.data())
def test_boxes_cover_every_cell_once(shape: tuple[int, ...], data: st.DataObject) -> None:
    tile = tuple(data.draw(st.integers(1, n)) for n in shape)
    seen = np.zeros(shape, int)
    made = list(boxes(shape, tile))
    for box in made:
        seen[box.slices] += 1
    assert (seen == 1).all()
    assert len(made) == count(shape, tile)
    assert middle(shape, tile) in made


@given(shapes, st.integers(1, 3000), st.permutations(range(4)))
def test_a_tile_grows_along_one_axis_after_the_other(shape: tuple[int, ...], cells: int, order: list[int]) -> None:
    axes = [a for a in order if a < len(shape)]
    tile = grown(shape, [(a, shape[a]) for a in axes], (1,) * len(shape), cells)
    assert np.prod(tile, dtype=int) <= cells
    sizes = [(tile[a], shape[a]) for a in axes]
    partial = list(itertools.dropwhile(lambda pair: pair[0] == pair[1], sizes))
    assert all(size == 1 for size, _ in partial[1:])
    if partial:  # twice as much would not fit
        assert 2 * np.prod(tile, dtype=int) > cells


def test_what_fits() -> None:
    growth = [(1, 100), (0, 1000)]
    tile = fitted((1000, 100), growth, (1, 1), 100, lambda t: 8 * t[0] * t[1], 100_000)
    assert tile == (64, 100)
    assert fitted((1000, 100), growth, (1, 1), 10**9, lambda t: 8 * t[0] * t[1], 100_000) == tile
    assert fitted((1000, 100), growth, (1, 1), 100, lambda t: 10**6, 100_000) is None
    assert fitted((1000, 100), growth, (1, 1), 100, lambda t: 1, 100_000) == (1000, 100)


def test_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "available_memory", lambda: 400 << 20)
    assert memory_limit() == 100 << 20
    monkeypatch.setattr(limits, "available_memory", lambda: 1 << 40)
    assert memory_limit() == 1 << 30
    with limited("64 KiB") as outer, limited(None) as same:
        assert (outer, same) == (65536, 65536)
        with limited(5) as inner:
            assert inner == memory_limit() == 5
    set_limit(7)
    try:
        assert memory_limit() == 7
    finally:
        set_limit(None)
    assert memory_limit() == 1 << 30


@pytest.mark.parametrize("size", ["", "many", "5 furlongs", -3, 0, True, "1e9", None])
def test_what_is_no_amount_of_memory(size: object) -> None:
    with pytest.raises(ValueRangeError, match=r"is no amount of memory; give bytes, or text such as '256MiB'"):
        bytes_of(size)  # type: ignore[arg-type]
