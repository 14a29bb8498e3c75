"""Cells: integers for all axes give a value, read where it lies; with `...`, a view that shows writes."""

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


@pytest.mark.parametrize(
    "make",
    [
        lambda a: weft.asarray(a.copy()),
        lambda a: weft.asarray(a) + 0,
        lambda a: (weft.asarray(a) + 0).realize(),
        lambda a: weft.asarray(a.astype(">f8")),
        lambda a: weft.asarray(np.repeat(a, 2)[::2]),
        lambda a: weft.asarray(a).to("thread:0"),
        lambda a: weft.persistent(a),
        lambda a: weft.concat([weft.asarray(a[:2]), weft.asarray(a[2:])]),
    ],
)
def test_a_cell_keeps_its_value_whatever_is_written(make):
    a = np.asarray([3.0, 1.0, 2.0, 0.0])
    x = make(a)
    x[0], x[3] = x[3], x[0]
    a[0], a[3] = a[3], a[0]
    assert x.tolist() == a.tolist()
    cell, other = x[1], x[np.int64(1)]
    x[1] = 5.0
    assert cell.item() == 1 and (other + 1).item() == 2
    x[...] = 7.0
    assert cell.item() == 1 and x.tolist() == [7] * 4
    total = first = x[0]
    for v in x:
        total += v
    assert total.item() == 35 and first.item() == 7 and x.tolist() == [7] * 4


def test_an_operator_in_place_gives_a_new_number_of_numpys_dtype():
    x = weft.asarray([1, 2, 3])
    count = x[0]
    count += 1.5
    assert count.item() == 2.5 and count.dtype is weft.float64 and x.tolist() == [1, 2, 3]
    x[0] += 4
    assert x.tolist() == [5, 2, 3]


def after_two_turns(v):
    before = v
    v += 1
    then = v
    v *= 2
    return before * 100 + then * 10 + v


@pytest.mark.parametrize(
    "call",
    [
        after_two_turns,
        weft.compile(after_two_turns),
        lambda v: weft.value_and_grad(after_two_turns)(v)[0],
        lambda v: weft.jvp(after_two_turns, (v,), (v,))[0],
    ],
)
def test_no_other_name_for_a_cell_sees_an_operator_in_place(call):
    x, values = weft.asarray([1.0, 2.0, 3.0]), np.asarray([1.0, 2.0, 3.0])
    plain = weft.asarray(2.0)
    assert call(plain).item() == after_two_turns(np.asarray(2.0))  # that one is written
    for v, expected in zip(x, map(after_two_turns, values), strict=True):
        kept = v.item()
        assert call(v).item() == expected and v.item() == kept
    assert x.tolist() == values.tolist()


@pytest.mark.parametrize("make", [np.asarray, weft.asarray, weft.variable, lambda v: (weft.asarray(v) + 0).copy()])
def test_an_empty_key_gives_the_value_of_the_only_cell(make):
    x = make(3.0)
    number, view = x[()], x[...]
    number += 1
    assert number.item() == 4 and x.item() == 3
    x[()] += 2
    assert number.item() == 4 and x.item() == view.item() == 5


def test_the_sums_of_cells_on_the_way_are_kept():
    sums, total = [], (x := weft.asarray([1.0, 2.0, 3.0]))[0]
    for v in x:
        sums.append(total)
        total += v
    assert [s.item() for s in sums] == [1, 2, 4] and total.item() == 7
    total += x
    assert total.tolist() == [8, 9, 10]
    total[0] = 0.0  # a vector of its own
    assert total.tolist() == [0, 9, 10] and x.tolist() == [1, 2, 3]


def test_the_value_of_a_cell_is_not_written():
    x = weft.asarray([1.0, 2.0])
    writes = [
        lambda: x[0].fill(3),
        lambda: weft.sum(x, out=x[0]),
        lambda: weft.assign(x[0], weft.asarray(3.0)),
        lambda: x[0].copy_from(3.0),
        lambda: x[0][None].__setitem__(0, 3.0),
        lambda: next(iter(x)).__setitem__(..., 3.0),
    ]
    for write in writes:
        with pytest.raises(WriteError, match="value of a cell"):
            write()
    assert x.tolist() == [1, 2]


def test_a_view_of_a_cell_shows_the_writes_before_and_after_its_first_use():
    x = weft.zeros(4) + 0
    cell, later = x[2, ...], x[2, ...]
    x[2] = 5.0
    assert cell.item() == 5 and (cell + 1).item() == 6
    x[...] = 7.0
    assert cell.item() == later.item() == 7
    later[...] = 8.0
    assert x.tolist() == [7, 7, 8, 7]


def test_a_view_of_a_cell_of_shared_memory_shows_the_writes_of_others():
    array = np.zeros(4)
    x = weft.asarray(array)
    cell, value = x[1, ...], x[1]
    array[1] = 3
    assert float(cell) == 3 and (cell * 2).item() == 6 and float(value) == 0
    cell[...] = 4.0
    assert array[1] == 4


def test_an_unused_view_of_a_cell_is_a_view_that_gradients_would_not_flow_through():
    w = weft.asarray(2.0)
    w.requires_grad_()
    x = weft.zeros(2) + 0
    cell, _value = x[1, ...], x[1]
    with pytest.raises(GradientError, match="of which there are views"):
        x[0] = w
    del cell
    x[0] = w
    x.sum().backward()
    assert w.grad.item() == 1


def test_a_computation_reads_a_cell_of_a_persistent_tensor_at_each_call():
    x = weft.persistent([1.0, 2.0])
    step = weft.computation(x[0] * 2)
    x[0] = 5.0
    assert step().item() == 10


def test_a_cell_of_a_recorded_tensor_has_gradients():
    x = weft.asarray([1.0, 2.0, 3.0])
    x.requires_grad_()
    (x[1] * x[2]).backward()
    assert x.grad.tolist() == [0, 3, 2]


def test_a_cell_of_a_read_only_tensor_is_read_only():
    x = weft.zeros(2) + 0
    x.read_only = True
    cell = x[0, ...]
    with pytest.raises(WriteError, match="read-only"):
        cell[...] = 1.0


def test_reading_a_cell_builds_no_node():
    x = weft.asarray(np.arange(3.0))
    float(x[1])
    names = {name for _, name in calls_of(lambda: float(x[1]))}
    assert names.isdisjoint(["make", "make_view", "strided_array"])
