"""Boxes of reshapes: the cells that NumPy's reshape has there."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.ir.atoms import selections as se
from weft.ir.graph.node import stored
from weft.ir.pieces.box import Box, box_of_runs
from weft.passes.narrowing.needs import put_together, row_runs
from weft.sources.stream.sort_keys import leaf_of
from weft.tensors.tensor import values_of

SHAPES = [(24,), (4, 6), (2, 3, 4), (6, 4), (1, 24), (2, 2, 1, 6), (3, 8)]


def part(array: np.ndarray, shape: tuple[int, ...], box: Box) -> tuple[np.ndarray | None, int]:
    """Return a box of a reshaped array made from boxes of the array, and how many. None if it is no run of cells."""
    x = leaf_of(array)
    n = se.reshape(x, shape)
    runs = row_runs(n, box)
    if runs is None:
        return None, 0
    parts = [stored(leaf_of(c).desc, c) for b in runs.boxes for c in [np.ascontiguousarray(array[b.slices])]]
    return values_of(put_together(box, runs, parts)), len(parts)


@given(data=st.data())
def test_a_box_is_made_of_boxes(data: st.DataObject) -> None:
    old, new = data.draw(st.sampled_from(SHAPES)), data.draw(st.sampled_from(SHAPES))
    array = np.arange(24).reshape(old)
    runs = []
    for n in new:
        start = data.draw(st.integers(0, n - 1))
        step = data.draw(st.integers(1, 3))
        size = data.draw(st.integers(1, (n - 1 - start) // step + 1))
        runs.append((start, step if size > 1 else 1, size))
    box = box_of_runs(runs)
    made, _ = part(array, new, box)
    if made is not None:
        assert np.array_equal(made, array.reshape(new)[box.slices])


@given(data=st.data())
def test_every_run_of_a_flat_value_is_few_boxes(data: st.DataObject) -> None:
    old = data.draw(st.sampled_from(SHAPES))
    first = data.draw(st.integers(0, 23))
    size = data.draw(st.integers(1, 24 - first))
    made, boxes = part(np.arange(24).reshape(old), (24,), Box((first,), (1,), (size,)))
    assert np.array_equal(made, np.arange(first, first + size))
    assert boxes <= 2 * len(old) - 1 and prod(old) == 24


def test_cells_that_do_not_follow_each_other() -> None:
    n = se.reshape(leaf_of(np.arange(24)), (4, 6))
    assert row_runs(n, Box((0, 1), (1, 1), (4, 2))) is None
