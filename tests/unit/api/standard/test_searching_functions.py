"""Searching, sorting, sets and taking: equality with NumPy, NaNs, ties, every kind of dtype."""

import numpy as np
import pytest

import weft
from tests.shares import in_turn

pytestmark = pytest.mark.usefixtures("transformer")


A = np.asarray([[3, 1, 2, 1], [0, 7, 7, -4]])
DTYPES = ["int8", "uint64", "float16", "bfloat16", "float32", "float64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_and_argsort(dtype):
    x = weft.asarray(np.abs(A), dtype=dtype)
    a = np.asarray(x.tolist())
    for axis in (0, 1):
        assert weft.sort(x, axis=axis).dtype is x.dtype
        assert weft.sort(x, axis=axis).tolist() == np.sort(a, axis=axis).tolist()
        assert weft.argsort(x, axis=axis).tolist() == np.argsort(a, axis=axis, stable=True).tolist()
        down = weft.sort(x, axis=axis, descending=True)
        assert down.tolist() == np.flip(np.sort(a, axis=axis), axis=axis).tolist()
        order = weft.argsort(x, axis=axis, descending=True)
        assert weft.take_along_axis(x, order, axis=axis).tolist() == down.tolist()


def test_descending_keeps_the_order_of_equals():
    assert weft.argsort(weft.asarray([1, 2, 1, 2]), descending=True).tolist() == [1, 3, 0, 2]


def test_nan_counts_as_the_greatest():
    x = weft.asarray([float("nan"), 1.0, float("inf")])
    assert weft.argsort(x).tolist() == [1, 2, 0]
    assert weft.argsort(x, descending=True).tolist() == [0, 2, 1]


def test_sorting_a_view_and_rank_0():
    x = weft.asarray(A.copy())
    assert weft.sort(x.T, axis=0).tolist() == np.sort(A.T, axis=0).tolist()
    assert weft.sort(weft.asarray(3)).tolist() == 3


def test_nonzero():
    found = weft.nonzero(weft.asarray(A.copy()))
    assert [i.tolist() for i in found] == [i.tolist() for i in np.nonzero(A)]
    assert all(i.dtype is weft.int64 for i in found)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side):
    x = weft.asarray([1.0, 2.0, 2.0, 5.0])
    v = weft.asarray([[0.0, 2.0], [5.0, 9.0]])
    assert weft.searchsorted(x, v, side=side).tolist() == np.searchsorted([1, 2, 2, 5], v.tolist(), side=side).tolist()
    assert weft.searchsorted(x, 2, side=side).item() == (1 if side == "left" else 3)
    order = weft.asarray([3, 0, 1, 2])
    unsorted = weft.asarray([2.0, 2.0, 5.0, 1.0])
    assert weft.searchsorted(unsorted, v, side=side, sorter=order).shape == (2, 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(dtype):
    x = weft.asarray([[3, 1], [3, 0]], dtype=dtype)
    found = weft.unique_all(x)
    assert found.values.dtype is x.dtype and found.inverse_indices.shape == (2, 2)
    assert weft.take(found.values, found.inverse_indices, axis=0).tolist() == x.tolist()
    assert found.counts.tolist() == weft.unique_counts(x).counts.tolist()
    assert x.reshape(-1)[found.indices].tolist() == found.values.tolist() == weft.unique_values(x).tolist()
    assert weft.unique_inverse(x).inverse_indices.tolist() == found.inverse_indices.tolist()


def test_nans_are_distinct_and_zeros_are_not():
    found = weft.unique_counts(weft.asarray([float("nan"), 0.0, -0.0, float("nan")]))
    assert found.counts.tolist() == [2, 1, 1]


def test_unique_of_rank_0_keeps_its_shape():
    assert weft.unique_inverse(weft.asarray(3)).inverse_indices.shape == ()


def test_isin():
    x = weft.asarray([[1, 2], [3, 4]])
    assert weft.isin(x, weft.asarray([2, 3])).tolist() == [[False, True], [True, False]]
    assert weft.isin(x, weft.asarray([2, 3]), invert=True).tolist() == [[True, False], [False, True]]
    assert weft.isin(2, x).tolist() is True
    assert weft.isin(x, 4).tolist() == [[False, False], [False, True]]


@pytest.mark.parametrize(
    ("dtype", "among"),
    in_turn(
        ["?", "i1", "u1", ">i4", "u8", "f2", ">f4", "f8", "c8", "c16"],
        [[1], [1, 0], [2, 1, 1, 3], [*range(9)]],
        every=4,
    ),
)
def test_isin_of_few_values(dtype, among):
    a = np.array([[0, 1, 2], [3, 1, 0]]).astype(dtype)
    values = np.array(among).astype(a.dtype.newbyteorder("="))
    for given in (weft.asarray(values), values.tolist()):
        assert np.array_equal(weft.isin(weft.asarray(a), given).numpy(), np.isin(a, values))
        assert np.array_equal(weft.isin(weft.asarray(a), given, invert=True).numpy(), ~np.isin(a, values))


def test_isin_of_values_at_the_edges():
    assert weft.isin(weft.asarray([np.nan, -0.0]), [np.nan, 0.0]).tolist() == [False, True]
    assert weft.isin(weft.asarray([2**63, 5], dtype="u8"), weft.asarray([2**63], dtype="u8")).tolist() == [True, False]
    assert weft.isin(weft.asarray([1, 44], dtype="i1"), weft.asarray([1.5, 300, 1])).tolist() == [True, False]
    x = weft.asarray([1, 2])
    found = weft.isin(x, [1])
    x[...] = 2
    assert found.tolist() == [True, False]


def test_take():
    x = weft.asarray(A.copy())
    assert weft.take(x, weft.asarray([2, -1]), axis=1).tolist() == np.take(A, [2, -1], axis=1).tolist()
    assert weft.take(x, weft.asarray([[1], [0]]), axis=0).shape == (2, 1, 4)
    assert weft.take(x, weft.asarray([], dtype="int64"), axis=0).shape == (0, 4)
    assert weft.take(weft.arange(200), weft.asarray([199], dtype="uint8")).tolist() == [199]


def test_take_along_axis_broadcasts():
    x = weft.asarray(A.copy())
    picks = np.asarray([[1, 0, -1]])
    expected = np.take_along_axis(A, np.broadcast_to(picks, (2, 3)), axis=1)
    assert weft.take_along_axis(x, weft.asarray(picks), axis=1).tolist() == expected.tolist()
    assert weft.take_along_axis(x[:1], weft.asarray([[0], [2]]), axis=1).tolist() == [[3], [2]]
