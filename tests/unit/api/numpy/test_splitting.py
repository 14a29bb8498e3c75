"""Parts of tensors and tensors of parts: narrow, split, concat into a destination, hstack, vstack."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.refusals import refusals
from weft.errors import ArgumentError, AxisError, DTypeError, IndexOutOfBounds, ShapeError, WriteError


@given(st.integers(0, 12), st.integers(1, 15))
def test_parts_are_as_equal_as_can_be(size: int, parts: int) -> None:
    made = weft.split(weft.arange(size), parts)
    assert [p.tolist() for p in made] == [p.tolist() for p in np.array_split(np.arange(size), parts)]


@given(st.lists(st.integers(0, 4), max_size=6), st.integers(-2, 1))
def test_parts_of_given_sizes_are_put_together_again(sizes: list[int], axis: int) -> None:
    shape = [2, 3]
    shape[axis] = sum(sizes)
    a = np.arange(shape[0] * shape[1], dtype=">i4").reshape(shape)
    parts = weft.split(weft.asarray(a), sizes=sizes, axis=axis)
    assert [p.shape[axis] for p in parts] == sizes and all(p.byteorder == "big" for p in parts)
    assert not sizes or np.array_equal(weft.concat(parts, axis=axis).numpy(), a)


def test_parts_are_views(transformer: str) -> None:
    x = weft.zeros((2, 6))
    parts = weft.split(x, sizes=[2, 0, 4], axis=-1)
    parts[0][...] = 1
    weft.narrow(x, 1, 3, 2)[0] = 2
    assert x.tolist() == [[1, 1, 0, 2, 2, 0], [1, 1, 0, 0, 0, 0]]
    assert weft.narrow(x, 0, 2, 0).shape == (0, 6) and weft.narrow(x, 0, 1).tolist() == [[1, 1, 0, 0, 0, 0]]
    pending = weft.arange(6) * 2
    for p in weft.split(pending, 3):
        p += 1
    assert pending.tolist() == [1, 3, 5, 7, 9, 11]


def test_parts_for_devices() -> None:
    x = weft.arange(5)
    parts = weft.split(x, ["cpu", "thread:0"])
    assert [p.device.name for p in parts] == ["cpu", "thread:0"] and [p.tolist() for p in parts] == [[0, 1, 2], [3, 4]]
    parts = weft.split(x, [weft.device("thread:0"), weft.cpu], sizes=(1, 4))
    assert [(p.device.name, p.shape) for p in parts] == [("thread:0", (1,)), ("cpu", (4,))]
    parts[1][...] = 9
    assert x.tolist() == [0, 9, 9, 9, 9]


def test_domains() -> None:
    x = weft.translate(weft.zeros((4, 3)), (5, 7))
    assert [p.domain.start for p in weft.split(x, 2)] == [(0, 7), (0, 7)]
    assert weft.narrow(x, 1, 0, 3).domain.start == (5, 7) and weft.narrow(x, 1, 1, 1).domain.start == (5, 0)


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<c8", ">i2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_concat_into_a_destination(dtype: str, order: str, transformer: str) -> None:
    a = np.arange(12, dtype="i2").reshape(6, 2)
    parts = weft.split(weft.asarray(a), sizes=[1, 2, 3])
    out = weft.zeros((6, 2), dtype=dtype, order=order)
    assert weft.concat(parts[::-1], out=out) is out
    assert out.tolist() == np.concatenate([a[3:], a[1:3], a[:1]]).tolist() and out.strides[0] != out.strides[1]
    foreign = np.zeros((2, 6), dtype)[:, ::-1].T
    assert weft.concat(parts, out=foreign) is foreign and np.array_equal(foreign, a)


def test_a_destination_may_overlap_its_sources(transformer: str) -> None:
    for make in (lambda: weft.reshape(weft.arange(12), (6, 2)), lambda: weft.asarray(np.arange(12).reshape(6, 2))):
        a = make()
        b = a + 0
        weft.concat(weft.split(a, 3)[::-1], out=a)
        assert a[:, 0].tolist() == [8, 10, 4, 6, 0, 2] and b[:, 0].tolist() == [0, 2, 4, 6, 8, 10]
        weft.concat([a[1:], a[:1]], out=a)
        assert a[:, 0].tolist() == [10, 4, 6, 0, 2, 8]
        weft.concat([a[:, ::-1][:2], a[2:]], axis=0, out=a)
        assert a[:3].tolist() == [[11, 10], [5, 4], [6, 7]]


def test_a_broadcast_destination_takes_parts_of_one_value() -> None:
    base = weft.arange(8)
    x = weft.broadcast_to(base, (6, 8))
    parts = list(weft.split(x, sizes=[1, 2, 3]))
    for same in (parts, parts[::-1], [parts[0], parts[1].copy(), parts[2]]):
        assert weft.concat(same, out=x) is x and base.tolist() == list(range(8))
    for wrong in (parts[1][:, ::-1], parts[1] + 1):
        with pytest.raises(WriteError, match="several coordinates on one cell"):
            weft.concat([parts[0], wrong, parts[2]], out=x)
    assert base.tolist() == list(range(8))
    weft.concat([p + 1 for p in parts], out=x)
    assert base.tolist() == list(range(1, 9))


def test_stacks() -> None:
    for parts in ([[1, 2], [3, 4]], [[[1], [2]], [[3], [4]]], [[[[1]]], [[[2]]]], [1, 2]):
        for ours, numpys in ((weft.hstack, np.hstack), (weft.vstack, np.vstack)):
            assert np.array_equal(ours(parts).numpy(), numpys(parts))


X = weft.arange(5)
MESSAGES = {
    "beyond": (lambda: weft.narrow(X, 0, 10), IndexOutOfBounds, "narrow: 1 positions from 10 along axis 0 of size 5"),
    "too many": (lambda: weft.narrow(X, 0, 3, 3), IndexOutOfBounds, r"3 \+ 3 is to be at most 5"),
    "before": (lambda: weft.narrow(X, 0, -1), IndexOutOfBounds, "narrow: 1 positions from -1"),
    "negative": (lambda: weft.narrow(X, 0, 0, -1), IndexOutOfBounds, "narrow: -1 positions from 0"),
    "axis": (lambda: weft.narrow(X, 1, 0), AxisError, "narrow: axis 1 of a tensor of rank 1"),
    "start": (lambda: weft.narrow(X, 0, 0.5), DTypeError, "narrow: start 0.5; it must be an integer"),
    "no parts": (lambda: weft.split(X, 0), ShapeError, "split: 0 parts of an axis of size 5"),
    "sum": (lambda: weft.split(X, sizes=[2, 2]), ShapeError, r"split: sizes \(2, 2\) along axis 0 of size 5.*, not 4"),
    "negative size": (lambda: weft.split(X, sizes=[-1, 6]), ShapeError, r"split: sizes \(-1, 6\)"),
    "halves": (lambda: weft.split(X, sizes=[2.5, 2.5]), DTypeError, "split: sizes 2.5; it must be an integer"),
    "sizes alone": (lambda: weft.split(X, 2, sizes=[2, 3]), ShapeError, r"split: parts 2 and sizes"),
    "two readings": (lambda: weft.split(X, [2, 3]), ArgumentError, r"split\(x, \[2, 3\]\): two readings; .*split"),
    "devices": (lambda: weft.split(X, ["cpu"], sizes=[2, 3]), ShapeError, "split: 2 sizes for 1 devices"),
    "destination": (lambda: weft.concat([X], out=weft.zeros(4)), ShapeError, r"concat: a result of shape \(5,\)"),
}  # fmt: skip

test_messages = refusals(MESSAGES)
