"""Constructors of selections: descriptions as NumPy's views have them, origins, and one test per message."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import dtypes as dt
from weft.errors import DTypeError, IndexOutOfBounds, ShapeError, ValueRangeError
from weft.ir.atoms import selections as se
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, make, result, scalar, stored
from weft.ir.graph.ops import OPS

BASE = np.arange(120, dtype=np.int32).reshape(4, 5, 6)


def leaf(shape: tuple[int, ...] = (4, 5, 6), origin: tuple[int, ...] | None = None) -> Node:
    return stored(result(dt.int32, shape, origin), object())


def lies_like(node: Node, view: np.ndarray) -> None:
    """The node addresses the bytes that NumPy's view of BASE does."""
    assert node.shape == view.shape and node.alias is not None
    assert node.desc.strides == view.strides
    if view.size:
        assert node.alias[1] == view.__array_interface__["data"][0] - BASE.__array_interface__["data"][0]


@pytest.mark.parametrize(
    ("made", "view"),
    [
        (lambda x: se.permute(x, (2, 0, -2)), BASE.transpose(2, 0, 1)),
        (lambda x: se.flip(x, (0, -1)), BASE[::-1, :, ::-1]),
        (lambda x: se.slice_(x, ((1, 2, 2), (4, -2, 3), (0, 1, 6))), BASE[1::2, ::-2]),
        (lambda x: se.slice_(x, ((4, 1, 0), (0, 1, 5), (0, 1, 6))), BASE[4:]),
        (lambda x: se.index(x, ((2, -1), (0, 3))), BASE[3, :, -1]),
        (lambda x: se.expand_dims(x, (0, -1)), BASE[None, ..., None]),
        (lambda x: se.squeeze(se.slice_(x, ((2, 1, 1), (0, 1, 5), (3, 1, 1))), (0, 2)), BASE[2, :, 3]),
        (lambda x: se.window(x, (2, 3), (0, 2)), np.lib.stride_tricks.sliding_window_view(BASE, (2, 3), (0, 2))),
        (lambda x: se.window(x, (2, 2), (1, 1)), np.lib.stride_tricks.sliding_window_view(BASE, (2, 2), (1, 1))),
        (lambda x: se.diagonal(x, -1, 2, 0), BASE.diagonal(-1, 2, 0)),
        (lambda x: se.diagonal(x, 7, 0, 1), BASE.diagonal(7, 0, 1)),
        (lambda x: se.translate(x, (1, 2, 3)), BASE),
        (lambda x: se.reshape_view(x, (-1, 10, 3)), BASE.reshape(4, 10, 3)),
        (lambda x: se.reshape_view(se.slice_(x, ((0, 1, 4), (0, 2, 3), (0, 1, 6))), (4, 3, 2, 3)), None),
    ],
)
def test_views_lie_where_numpys_do(made: Callable[[Node], Node], view: np.ndarray | None) -> None:
    lies_like(made(leaf()), BASE[:, ::2].reshape(4, 3, 2, 3) if view is None else view)


def test_broadcast_axes_have_stride_0() -> None:
    x = se.broadcast_to(leaf((4, 1, 6)), (2, 4, 5, 6))
    assert x.desc.strides == (0, 24, 0, 4) and x.shape == (2, 4, 5, 6)


def test_views_compose_to_one_alias_of_the_root() -> None:
    root = leaf()
    x = se.flip(se.index(se.permute(root, (1, 0, 2)), ((0, 2),)), (0,))
    lies_like(x, BASE[::-1, 2])
    assert x.alias is not None and x.alias[0] is root and x.inputs[0].inputs[0].inputs[0] is root


def test_views_keep_byte_order_and_read_only() -> None:
    x = stored(describe(dt.int32, (4, 6), (24, 4), big=True, read_only=True), object())
    for view in (se.permute(x, (1, 0)), se.slice_(x, ((0, 2, 2), (0, 1, 6))), se.window(x, (2,), (0,))):
        assert view.desc.big and view.desc.read_only
    for value in (se.concat((x, x), 0), se.pad(x, ((1, 1), (0, 0))), se.reshape(x, (24,))):
        assert not value.desc.big and not value.desc.read_only and value.alias is None


def test_views_without_a_layout_have_none() -> None:
    x = make(OPS["leaf"], (), (), describe(dt.int32, (4, 6)))
    view = se.slice_(se.permute(x, (1, 0)), ((0, 1, 3), (0, 1, 4)))
    assert view.alias is None and view.desc.strides is None and view.shape == (3, 4)
    assert se.reshape_view(x, (24,)) is None


@pytest.mark.parametrize(
    ("shape", "strides", "wanted"),
    [
        ((4, 6), (24, 4), (24,)),
        ((4, 6), (4, 16), None),
        ((4, 1, 6), (24, 7, 4), (2, 2, 1, 6)),
        ((3, 4), (0, 0), (12,)),
        ((2, 3, 4), (-48, -16, -4), (6, 4)),
        ((1, 1), (3, 5), (1, 1, 1)),
    ],
)
def test_reshape_views_exist_just_where_numpy_makes_them(
    shape: tuple[int, ...], strides: tuple[int, ...], wanted: tuple[int, ...] | None
) -> None:
    x = stored(describe(dt.int32, shape, strides), object())
    view = se.reshape_view(x, wanted or (-1,))
    assert (view is None) == (wanted is None)
    if view is not None:
        memory = np.zeros(1000, np.int32)
        array = np.lib.stride_tricks.as_strided(memory[500:], shape, strides)
        expected = array.reshape(wanted)
        assert np.shares_memory(expected, memory)
        triples = zip(view.shape, view.desc.strides, expected.strides, strict=True)
        assert all(n == 1 or s == t for n, s, t in triples)


# ---- origins


@for_each(
    "made, origin",
    [
        (lambda x: se.permute(x, (2, 0, 1)), (3, 1, 2)),
        (lambda x: se.flip(x, (1,)), (1, 2, 3)),
        (lambda x: se.slice_(x, ((0, 1, 4), (1, 1, 4), (0, 1, 6))), (1, 0, 3)),
        (lambda x: se.index(x, ((1, 0),)), (1, 3)),
        (lambda x: se.expand_dims(x, (1,)), (1, 0, 2, 3)),
        (lambda x: se.window(x, (2,), (0,)), (1, 2, 3, 0)),
        (lambda x: se.diagonal(x), (3, 0)),
        (lambda x: se.broadcast_to(x, (2, 4, 5, 6)), (0, 1, 2, 3)),
        (lambda x: se.translate(x, (-1, 0, 10)), (0, 2, 13)),
        (lambda x: se.reshape_view(x, (20, 6)), (0, 0)),
        (lambda x: se.concat((x, leaf()), 0), (1, 2, 3)),
        (lambda x: se.concat((leaf(), x), 0), (0, 0, 0)),
        (lambda x: se.interleave((x, leaf()), 2), (1, 2, 3)),
        (lambda x: se.tile(x, (2, 1, 1)), (1, 2, 3)),
        (lambda x: se.repeat(x, 2, 0), (1, 2, 3)),
        (lambda x: se.roll(x, (1,), (0,)), (1, 2, 3)),
        (lambda x: se.pad(x, ((1, 1), (0, 5), (4, 0))), (0, 2, -1)),
    ],
)
def test_origins_stay_on_axes_that_are_not_sliced(made: Callable[[Node], Node], origin: tuple[int, ...]) -> None:
    assert made(leaf(origin=(1, 2, 3))).desc.domain.origin == origin


# ---- composites


def test_composites_are_row_major_values() -> None:
    x = leaf()
    assert se.stack((x, x, x), -1).shape == (4, 5, 6, 3)
    assert se.concat((x, leaf((2, 5, 6)), leaf((0, 5, 6))), 0).attrs == (0, (0, 4, 6, 6))
    assert se.interleave((leaf((3,)), leaf((3,)), leaf((2,))), 0).shape == (8,)
    assert se.roll(x, (1, 4, -1), (0, 1, 0)).attrs == ((0, 4), (0, 1))
    assert se.tile(x, (0, 1, 2)).desc.strides == result(dt.int32, (0, 5, 12)).strides


@for_each(
    "error, message, act",
    [
        (
            ShapeError,
            "permute: axis 3, at position 2 of a tensor of rank 3; axes run from -3 to 2",
            lambda x: se.permute(x, (0, 1, 3)),
        ),
        (
            ShapeError,
            "permute: axes .0, 1, 1. name an axis twice",
            lambda x: se.permute(x, (0, 1, 1)),
        ),
        (ShapeError, "permute: 2 axes for a tensor of rank 3", lambda x: se.permute(x, (0, 1))),
        (ShapeError, "flip: axis 0 of a tensor of rank 0; there is no axis", lambda x: se.flip(leaf(()), (0,))),
        (ShapeError, "slice: 1 slices for a tensor of rank 3", lambda x: se.slice_(x, ((0, 1, 4),))),
        (ShapeError, "slice: step 0 along axis 1", lambda x: se.slice_(x, ((0, 1, 4), (0, 0, 1), (0, 1, 6)))),
        (
            ShapeError,
            "slice: 3 positions from 2 in steps of -2 along axis 1 of size 5",
            lambda x: se.slice_(x, ((0, 1, 4), (2, -2, 3), (0, 1, 6))),
        ),
        (IndexOutOfBounds, "index: position 4 along axis 0 of size 4; positions run", lambda x: se.index(x, ((0, 4),))),
        (IndexOutOfBounds, "index: position 0 along axis 0 of size 0", lambda x: se.index(leaf((0,)), ((0, 0),))),
        (ShapeError, "squeeze: axis 1 has size 5", lambda x: se.squeeze(x, (1,))),
        (ShapeError, r"broadcast_to: shape .4, 5, 6. does not broadcast", lambda x: se.broadcast_to(x, (4, 1, 6))),
        (ShapeError, r"broadcast_to: .* less than 2\*\*63 positions", lambda x: se.broadcast_to(x, (1 << 63, 4, 5, 6))),
        (ShapeError, "window: extent 7 along axis 2 of size 6", lambda x: se.window(x, (7,), (2,))),
        (ShapeError, "window: extent -1", lambda x: se.window(x, (-1,), (2,))),
        (ShapeError, "window: 1 extents for 2 axes", lambda x: se.window(x, (1,), (1, 2))),
        (ShapeError, "diagonal: axes .1, -2. name an axis twice", lambda x: se.diagonal(x, 0, 1, -2)),
        (ShapeError, "translate: 1 offsets", lambda x: se.translate(x, (1,))),
        (ShapeError, "reshape: 120 cells do not fill shape .7, -1.", lambda x: se.reshape_view(x, (7, -1))),
        (ShapeError, "reshape: 120 cells do not fill", lambda x: se.reshape(x, (-1, -1))),
        (ShapeError, "concat: no parts", lambda x: se.concat((), 0)),
        (ShapeError, "concat: part 0 has shape .4, 5, 6. and part 1 .4, 6.", lambda x: se.concat((x, leaf((4, 6))), 0)),
        (ShapeError, "sizes must agree on every axis but 1", lambda x: se.concat((x, leaf((3, 5, 6))), 1)),
        (DTypeError, "concat: part 1 is int64, not int32", lambda x: se.concat((x, scalar_like(dt.int64)), 0)),
        (ShapeError, "stack: part 0 has shape", lambda x: se.stack((x, leaf((4, 5, 1))), 0)),
        (ShapeError, "stack: no parts", lambda x: se.stack((), 0)),
        (ShapeError, "interleave: part 0 has size 4 along axis 0", lambda x: se.interleave((x, leaf((5, 5, 6))), 0)),
        (
            ShapeError,
            "interleave: part 0 has size 4 along axis 0 where turns over 6 positions need 3",
            lambda x: se.interleave((x, leaf((2, 5, 6))), 0),
        ),
        (ShapeError, "tile: repetitions .2,. for shape", lambda x: se.tile(x, (2,))),
        (ShapeError, "tile: repetitions", lambda x: se.tile(x, (2, -1, 1))),
        (ShapeError, "repeat: count -1", lambda x: se.repeat(x, -1, 0)),
        (ShapeError, "roll: 1 shifts for 2 axes", lambda x: se.roll(x, (1,), (0, 1))),
        (ValueRangeError, "pad: mode 'mirror'", lambda x: se.pad(x, ((0, 0),) * 3, "mirror")),
        (ShapeError, "pad: 1 widths for a tensor of rank 3", lambda x: se.pad(x, ((0, 0),))),
        (ShapeError, "pad: width .-1, 0. along axis 2", lambda x: se.pad(x, ((0, 0), (0, 0), (-1, 0)))),
        (ShapeError, "pad: axis 0 is empty; mode 'wrap'", lambda x: se.pad(leaf((0,)), ((1, 0),), "wrap")),
        (ShapeError, "pad: the fill has shape .4, 5, 6.", lambda x: se.pad(x, ((1, 0),) * 3, fill=x)),
        (DTypeError, "pad: the fill is float64", lambda x: se.pad(x, ((1, 0),) * 3, fill=scalar(1.0, dt.float64))),
    ],
)
def test_messages(error: type[Exception], message: str, act: Callable[[Node], object]) -> None:
    with pytest.raises(error, match=message) as caught:
        act(leaf())
    assert str(caught.value).count("; ") >= 2, "op: fact; reason; what to do"


def scalar_like(dtype: dt.DType) -> Node:
    return stored(result(dtype, (4, 5, 6)), object())


@pytest.mark.parametrize("step", [2**62, -(2**62), 2**63, 2**70, -(2**70)])
def test_steps_that_leave_the_axis_are_no_strides(step: int) -> None:
    x = weft.asarray(np.arange(24.0).reshape(4, 6))
    plain = x.numpy()[::step]
    np.testing.assert_array_equal(x[::step].numpy(), plain)
    np.testing.assert_array_equal((x[::step] * 1).numpy(), plain)
    np.testing.assert_array_equal(x[weft.index[::step].bind((4, 6), (48, 8))].numpy(), plain)
    np.testing.assert_array_equal(x.at[::step].numpy(), plain)
    if step > 0:
        windows = weft.sliding_window_view(x, 1, 0, stride=step, dilation=step)
        np.testing.assert_array_equal(windows.numpy(), plain[..., None])
