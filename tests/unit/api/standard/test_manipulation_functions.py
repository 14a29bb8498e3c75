"""Manipulation: equality with NumPy, and which results are views."""

import numpy as np
import pytest

import weft
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("transformer")


WIDTHS = ((1, 0), (0, 2), (3, 3))
A = np.arange(24).reshape(2, 3, 4)
LIKE_NUMPY = {
    "permute_dims": (lambda x: weft.permute_dims(x, (2, 0, -2)), lambda a: a.transpose(2, 0, 1)),
    "moveaxis": (lambda x: weft.moveaxis(x, (0, -1), (1, 0)), lambda a: np.moveaxis(a, (0, -1), (1, 0))),
    "flip": (lambda x: weft.flip(x, axis=(0, 2)), lambda a: np.flip(a, (0, 2))),
    "flip all": (weft.flip, np.flip),
    "expand_dims": (lambda x: weft.expand_dims(x, (0, -1)), lambda a: np.expand_dims(a, (0, -1))),
    "squeeze": (lambda x: weft.squeeze(x[:1, :, :1], (0, 2)), lambda a: a[0, :, 0]),
    "broadcast_to": (lambda x: weft.broadcast_to(x, (5, 2, 3, 4)), lambda a: np.broadcast_to(a, (5, 2, 3, 4))),
    "windows": (
        lambda x: weft.sliding_window_view(x, (2, 3), axis=(1, 2)),
        lambda a: np.lib.stride_tricks.sliding_window_view(a, (2, 3), axis=(1, 2)),
    ),
    "windows of an axis twice": (
        lambda x: weft.sliding_window_view(x, (2, 2), axis=(2, 2)),
        lambda a: np.lib.stride_tricks.sliding_window_view(a, (2, 2), axis=(2, 2)),
    ),
    "diagonal": (lambda x: weft.diagonal(x, offset=-1, axis1=1, axis2=2), lambda a: a.diagonal(-1, 1, 2)),
    "reshape": (lambda x: weft.reshape(x, (4, -1)), lambda a: a.reshape(4, -1)),
    "reshape of a transpose": (lambda x: x.mT.reshape(-1), lambda a: np.swapaxes(a, 1, 2).reshape(-1)),
    "concat": (lambda x: weft.concat([x, x[:, 1:]], axis=1), lambda a: np.concatenate([a, a[:, 1:]], 1)),
    "concat flat": (lambda x: weft.concat([x, x], axis=None), lambda a: np.concatenate([a, a], None)),
    "stack": (lambda x: weft.stack([x, -x], axis=-1), lambda a: np.stack([a, -a], -1)),
    "tile": (lambda x: weft.tile(x, (2, 1, 1, 3)), lambda a: np.tile(a, (2, 1, 1, 3))),
    "tile fewer": (lambda x: weft.tile(x, 2), lambda a: np.tile(a, 2)),
    "repeat": (lambda x: weft.repeat(x, 2, axis=1), lambda a: np.repeat(a, 2, 1)),
    "repeat flat": (lambda x: weft.repeat(x, 3), lambda a: np.repeat(a, 3)),
    "repeat each": (
        lambda x: weft.repeat(x, weft.asarray([2, 0, 1]), axis=1),
        lambda a: np.repeat(a, [2, 0, 1], 1),
    ),
    "roll": (lambda x: weft.roll(x, (1, -5), axis=(0, 2)), lambda a: np.roll(a, (1, -5), (0, 2))),
    "roll flat": (lambda x: weft.roll(x, 30), lambda a: np.roll(a, 30)),
    "roll one shift": (lambda x: weft.roll(x, 1, axis=(1, 2)), lambda a: np.roll(a, 1, (1, 2))),
    "pad": (lambda x: weft.pad(x, WIDTHS, constant_values=7), lambda a: np.pad(a, WIDTHS, constant_values=7)),
    "matrix_transpose": (weft.matrix_transpose, lambda a: np.swapaxes(a, 1, 2)),
}  # fmt: skip


@for_each("name", LIKE_NUMPY)
def test_like_numpy(name):
    ours, numpys = LIKE_NUMPY[name]
    result = ours(weft.asarray(A.copy()))
    assert result.shape == numpys(A).shape
    assert np.array_equal(result.numpy(), numpys(A))


@for_each("mode", ["constant", "edge", "wrap", "reflect", "symmetric"])
@for_each("width", [2, (1, 3), ((0, 7), (5, 0))])
def test_pad_takes_numpys_arguments(mode, width):
    a = A[0]
    assert np.array_equal(weft.pad(weft.asarray(a.copy()), width, mode=mode).numpy(), np.pad(a, width, mode=mode))


@pytest.mark.parametrize("values", [(7, 8), [(7, 8)], ((1, 2), (3, 4)), ((1,), (2,)), 5])
def test_pad_with_a_value_for_each_side(values):
    a = np.arange(6.0).reshape(2, 3)
    width = ((1, 2), (2, 0))
    expected = np.pad(a, width, constant_values=values)
    assert np.array_equal(weft.pad(weft.asarray(a.copy()), width, constant_values=values).numpy(), expected)


def test_pad_by_name_and_one_pair():
    a = np.arange(3)
    x = weft.asarray(a.copy())
    assert weft.pad(x, pad_width=((1, 2),), mode="constant", constant_values=9).tolist() == [9, 0, 1, 2, 9, 9]


def test_margins_of_one_nan_do_not_get_the_bits_of_another():
    for word in (0x7FF8000000000000, 0xFFF8000000000123):
        nan = float(np.array(word, np.uint64).view(np.float64))
        assert weft.pad(weft.ones(1), 1, constant_values=nan).numpy().view(np.uint64)[0] == word


VIEWS = {
    "permute_dims": lambda x: weft.permute_dims(x, (1, 0)),
    "T": lambda x: x.T,
    "flip": weft.flip,
    "expand_dims": lambda x: weft.expand_dims(x, 0),
    "squeeze": lambda x: weft.squeeze(x[:1], 0),
    "windows": lambda x: weft.sliding_window_view(x, 1, axis=0),
    "diagonal": weft.diagonal,
    "reshape": lambda x: x.reshape(4),
    "unstack": lambda x: weft.unstack(x)[0],
    "index": lambda x: x[0],
    "ellipsis": lambda x: x[...],
    "iteration": lambda x: next(iter(x)),
}
VALUES = {
    "concat of one": lambda x: weft.concat([x]),
    "stack": lambda x: weft.stack([x]),
    "roll": lambda x: weft.roll(x, 0),
    "tile": lambda x: weft.tile(x, 1),
    "repeat": lambda x: weft.repeat(x, 1, axis=0),
    "pad": lambda x: weft.pad(x, 0),
    "copy": weft.copy,
    "plus": lambda x: +x,
    "reshape that moves": lambda x: x.T.reshape(4),
    "reshape with copy": lambda x: x.reshape(4, copy=True),
    "flatten": lambda x: x.flatten(),
    "astype": lambda x: x.astype(x.dtype),
}


@for_each("stored", [True, False])
@for_each("name", VIEWS)
def test_affine_selections_are_views(name, stored):
    x = weft.asarray([[1, 2], [3, 4]]) if stored else weft.arange(4).reshape(2, 2) + 1
    v = VIEWS[name](x)
    x[...] = 9
    assert set(v.numpy().ravel().tolist()) == {9}


@for_each("stored", [True, False])
@for_each("name", VALUES)
def test_all_else_is_a_value_of_its_own(name, stored):
    x = weft.asarray([[1, 2], [3, 4]]) if stored else weft.arange(4).reshape(2, 2) + 1
    v = VALUES[name](x)
    x[...] = 9
    assert sorted(v.numpy().ravel().tolist()) == [1, 2, 3, 4]


def test_parts_are_promoted():
    y = weft.concat([weft.asarray([1], dtype="int8"), weft.asarray([1.5], dtype="float32")])
    assert y.dtype is weft.float32 and y.tolist() == [1.0, 1.5]


def test_interleave():
    assert weft.interleave([weft.arange(3), weft.asarray([9, 8])], axis=0).tolist() == [0, 9, 1, 8, 2]


def test_broadcast_arrays_gives_a_tuple():
    both = weft.broadcast_arrays(weft.zeros((3, 1)), weft.zeros(4))
    assert isinstance(both, tuple) and [t.shape for t in both] == [(3, 4), (3, 4)]
    assert weft.broadcast_shapes((2, 1), (1, 3), ()) == (2, 3)


def test_axes_may_be_any_integers():
    x = weft.asarray(A.copy())
    assert weft.sum(x, axis=np.int64(1)).shape == (2, 4)
    assert weft.sum(x, axis=[np.int8(0), -1]).shape == (3,)
    assert x.reshape(np.int64(6), np.int64(4)).shape == (6, 4)
