"""Cells that were indexed and not used: they follow the writes to their place, and are read where they lie."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.call_counts import calls_of
from weft.errors import GradientError, IndexOutOfBounds, WriteError


@pytest.mark.parametrize(
    "x",
    [
        weft.asarray(np.arange(6.0)),
        weft.asarray(np.arange(6).astype(">i4")),
        weft.asarray(np.arange(12.0)[::2]),
        weft.arange(6)[::-1],
        weft.arange(6) * 2,
        weft.ones(6) > 0,
        weft.asarray(np.arange(6).astype("c8")),
        weft.broadcast_to(weft.asarray(3.0), (6,)),
        weft.astype(weft.arange(6), weft.bfloat16),
        weft.concat([weft.arange(3), weft.arange(3)]),
    ],
)
def test_cells_are_those_of_numpy(x):
    array = np.array(x.astype(weft.float32) if x.dtype is weft.bfloat16 else x)
    for k in (0, 2, -1):
        assert x[k].item() == array[k] and complex(x[k]) == complex(array[k]) and bool(x[k,]) is bool(array[k])
        assert (x[k] + 1).tolist() == array[k] + 1 and x[k].shape == () and x[k].dtype is x.dtype
    m = x.reshape(2, 3)
    assert m[1, 2].item() == array[5] and m[0][1].item() == array[1]
    for k in (6, -7):
        with pytest.raises(IndexOutOfBounds):
            x[k]


def test_a_cell_shows_the_writes_before_and_after_its_first_use():
    x = weft.zeros(4) + 0
    cell, later = x[2], x[2]
    x[2] = 5.0
    assert cell.item() == 5 and (cell + 1).item() == 6
    x[...] = 7.0
    assert cell.item() == later.item() == 7
    later[...] = 8.0
    assert x.tolist() == [7, 7, 8, 7]


def test_a_cell_of_shared_memory_shows_the_writes_of_others():
    array = np.zeros(4)
    cell = weft.asarray(array)[1]
    array[1] = 3
    assert float(cell) == 3 and (cell * 2).item() == 6
    cell[...] = 4.0
    assert array[1] == 4


def test_an_unused_cell_is_a_view_that_gradients_would_not_flow_through():
    w = weft.asarray(2.0)
    w.requires_grad_()
    x = weft.zeros(2) + 0
    cell = x[1]
    with pytest.raises(GradientError, match="of which there are views"):
        x[0] = w
    del cell
    x[0] = w
    x.sum().backward()
    assert w.grad.item() == 1


def test_a_cell_of_a_recorded_tensor_has_gradients():
    x = weft.asarray([1.0, 2.0, 3.0])
    x.requires_grad_()
    (x[1] * x[2]).backward()
    assert x.grad.tolist() == [0, 3, 2]


def test_a_cell_of_a_read_only_tensor_is_read_only():
    x = weft.zeros(2) + 0
    x.read_only = True
    cell = x[0]
    with pytest.raises(WriteError, match="read-only"):
        cell[...] = 1.0


def test_reading_a_cell_builds_no_node():
    x = weft.asarray(np.arange(3.0))
    float(x[1])
    names = {name for _, name in calls_of(lambda: float(x[1]))}
    assert names.isdisjoint(["make", "make_view", "strided_array"])
