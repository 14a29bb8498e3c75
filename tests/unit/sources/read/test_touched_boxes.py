"""Boxes of coordinates for patterns of addresses: all that is touched, nothing else where boxes can say it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.runtime.compute.footprint import Touch, joined, touch
from weft.sources.read import touched_boxes as module
from weft.sources.read.touched_boxes import Box, Grid, by_chunk, cells, copied, hull

SHAPES = st.lists(st.integers(1, 6), max_size=4).map(tuple)


@st.composite
def patterns(draw: Any, shape: tuple[int, ...]) -> tuple[int, list[int], list[int]]:
    """(offset, strides, sizes) in cells of some pattern that stays inside the shape."""
    total = prod(shape)
    offset = draw(st.integers(0, total - 1))
    low = high = offset
    strides, sizes = [], []
    for _ in range(draw(st.integers(0, 3))):
        stride = draw(st.integers(-total, total))
        n = draw(st.integers(1, 7))
        end = stride * (n - 1)
        if low + min(end, 0) >= 0 and high + max(end, 0) < total:
            low, high = low + min(end, 0), high + max(end, 0)
            strides.append(stride)
            sizes.append(n)
    return offset, strides, sizes


def touched_by(found: list[Box], shape: tuple[int, ...]) -> np.ndarray:
    mask = np.zeros(shape, bool)
    for b in found:
        assert mask[b.slices].shape == b.size  # inside
        mask[b.slices] = True
    return mask


def wanted_by(pattern: tuple[int, list[int], list[int]], shape: tuple[int, ...], order: Any) -> np.ndarray:
    offset, strides, sizes = pattern
    flat = np.zeros(prod(shape), bool)
    at = np.array(offset)
    for s, n in zip(strides, sizes, strict=True):
        at = at[..., None] + s * np.arange(n)
    flat[at] = True
    return flat.reshape(shape, order=order)


@given(st.data(), st.sampled_from("CF"), st.sampled_from([1, 4, 16]))
def test_boxes_are_exact(data: Any, order: Any, itemsize: int) -> None:
    shape = data.draw(SHAPES)
    several = data.draw(st.lists(patterns(shape), min_size=1, max_size=2))
    touches = [touch(o * itemsize, [s * itemsize for s in ss], ns, itemsize) for o, ss, ns in several]
    found = Grid(shape, itemsize, order).boxes(joined([t for t in touches if t is not None]))
    wanted = np.any([wanted_by(p, shape, order) for p in several], axis=0)
    np.testing.assert_array_equal(touched_by(found, shape), wanted)


@given(st.data(), st.integers(1, 5))
def test_few_boxes_enclose(data: Any, budget: int) -> None:
    shape = data.draw(SHAPES)
    pattern = data.draw(patterns(shape))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_BOXES", budget)
        t = touch(*pattern, 1)
        found = Grid(shape, 1).boxes([] if t is None else [t])
    assert (touched_by(found, shape) >= wanted_by(pattern, shape, "C")).all()


def test_parts_of_a_cell_stand_for_the_cell() -> None:
    imaginary, both = touch(8, (32,), (3,), 8), touch(4, (8,), (3,), 8)
    assert imaginary is not None
    assert both is not None
    assert Grid((6,), 16).boxes([imaginary]) == [Box((0,), (2,), (3,))]
    assert Grid((6,), 16).boxes([both]) == [Box((0,), (1,), (2,))]


def test_diagonals_and_what_lies_outside() -> None:
    t = touch(0, (5 * 8,), (4,), 8)
    assert t is not None
    assert Grid((4, 4), 8).boxes([t]) == [Box((k, k), (1, 1), (1, 1)) for k in range(4)]
    assert Grid((4, 4), 8).boxes(None) == [Box((0, 0), (1, 1), (4, 4))]
    assert Grid((0, 4), 8).boxes(None) == []
    assert Grid((), 8).boxes(None) == [Box((), (), ())]


def test_two_steps_along_one_axis_are_cut_apart() -> None:
    """Both fit inside the axis, so neither goes on over its end. One of them is taken cell by cell."""
    found = Grid((4, 14, 2), 8).boxes([Touch(((8, 2), (64, 3), (224, 4)), 8, np.array([32, 48]))])
    assert (touched_by(found, (4, 14, 2)) == wanted_by((4, [1, 8, 28, 2], [2, 3, 4, 2]), (4, 14, 2), "C")).all()


def test_equal_steps_and_counts_are_two_axes() -> None:
    """Cutting a run at the end of a row can give an axis that the pattern has already."""
    found = Grid((4, 4, 2), 8).boxes([Touch(((32, 4), (64, 2)), 8, np.array([0, 56]))])
    assert (touched_by(found, (4, 4, 2)) >= wanted_by((0, [4, 8, 7], [4, 2, 2]), (4, 4, 2), "C")).all()


def test_many_offsets_are_few_boxes() -> None:
    rows = [touch(8 * 100 * k, (8,), (100,), 8) for k in (*range(10, 50), 70, 72, 73)]
    found = Grid((100, 100), 8).boxes(joined([t for t in rows if t is not None]))
    assert [(b.start[0], b.size[0]) for b in found] == [(10, 40), (70, 1), (72, 2)]


def test_large_runs_are_few_boxes() -> None:
    n = 1 << 20
    t = touch(8 * (n + 3), (16,), (n * n // 4,), 8)
    assert t is not None
    found = Grid((n, n), 8).boxes([t])
    assert len(found) <= 3
    assert cells(found) == n * n // 4


@given(st.data())
def test_chunks_hold_their_parts(data: Any) -> None:
    shape = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple))
    chunks = tuple(data.draw(st.integers(1, n + 2)) for n in shape)
    found = Grid(shape, 1).boxes([t for t in [touch(*data.draw(patterns(shape)), 1)] if t is not None])
    target, values = np.zeros(shape, int), np.arange(1, prod(shape) + 1).reshape(shape)
    for index, parts in by_chunk(found, chunks).items():
        inside = tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, chunks, strict=True))
        around = hull(parts)
        mask = touched_by(parts, shape)
        assert mask.sum() == mask[inside].sum()
        assert (touched_by([around], shape) >= mask).all()
        copied(parts, values[around.slices], around.start, target)
    wanted = touched_by(found, shape)
    np.testing.assert_array_equal(target[wanted], values[wanted])
