"""Index objects: binding in stages, reuse, nesting, slicing, find; equality with plain keys; messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.shares import examples
from tests.unit.tensors.test_indexing import cases
from weft.errors import DTypeError, IndexOutOfBounds, ShapeError
from weft.tensors.keys import numpy_key, output_shape, parse

index = weft.index


def test_text_at_every_stage() -> None:
    i = index[-1, 1:, [True, False, True]]
    assert repr(i) == "weft.index[-1, 1:, mask([True, False, True])]"
    bound = i.bind((2, 3, 3))
    assert repr(bound) == "weft.index[1, Steps(1, 1, 2), Indices([0, 2])] bound to shape (2, 3, 3)"
    text = "weft.index[1, Steps(1, 1, 2), Offsets([0, 16])] bound to shape (2, 3, 3), strides (72, 24, 8)"
    assert repr(bound.bind((2, 3, 3), (72, 24, 8))) == text
    assert [x.is_bound for x in (i, bound, bound.bind((2, 3, 3), (72, 24, 8)))] == [
        (False, False), (True, False), (True, True)
    ]  # fmt: skip
    assert repr(index[...]) == "weft.index[...]"
    assert repr(index[()].bind(())) == "weft.index[()] bound to shape ()"
    assert repr(index[None, True].bind(())) == "weft.index[None, mask(True)] bound to shape ()"
    assert repr(index[::2, None, np.arange(9)]) == "weft.index[::2, None, 9 from 0 to 8]"
    assert repr(index[np.ones((4, 4), bool)]) == "weft.index[mask(16 of shape (4, 4))]"


def test_binding_fixes_positions_and_shapes() -> None:
    assert repr(index[-1::-1].bind(7)) == "weft.index[Steps(6, -1, 7)] bound to shape (7,)"
    assert repr(index[..., -1].bind((3, 6))) == "weft.index[:, 5] bound to shape (3, 6)"
    assert index[2, 3:6, [True, False], [1, 2]].bind((8, 8, 2, 8)).output_shape == (2, 3)
    outer = index.outer[2, 3:6, [True, False], [1, 2]].bind((8, 8, 2, 8))
    assert outer.output_shape == (3, 1, 2)


def test_properties() -> None:
    i = index[-1, None, :, None]
    assert (i.input_shape, i.output_shape, i.strides, i.size, i.is_scalar, i.bounding_box) == (None,) * 6
    assert (i.input_ndim, i.output_ndim, i.is_view) == (None, None, True)
    b = i.bind((4, 6), (48, 8))
    assert (b.input_shape, b.output_shape, b.strides, b.size) == ((4, 6), (1, 6, 1), (48, 8), 6)
    assert (b.input_ndim, b.output_ndim, b.is_view, b.is_scalar) == (2, 3, True, False)
    assert index[1, 2].bind((4, 6)).is_scalar
    assert not index[1, [2]].is_view and not index[index[[0]].bind(2)].is_view and index[index[0].bind(2)].is_view
    box = index[1:4:2, [5, 3]].bind((4, 6)).bounding_box
    assert (box.start, box.stop) == ((1, 3), (4, 6))
    assert index[:0].bind(3).bounding_box.shape == (0,)
    assert index[True, 2].bind(3).bounding_box.start == (2,)


def test_an_index_does_not_change_with_its_arrays() -> None:
    a, rows = np.array([0, 1]), [0, 1]
    t = weft.asarray([0, 1])
    made = [index[a], index[rows], index[t], index[a].bind(3)]
    a[0] = rows[0] = 2
    t[0] = 2
    x = weft.asarray([5, 6, 7])
    assert [x[i].tolist() for i in made] == [[5, 6]] * 4


def test_reuse_on_several_tensors() -> None:
    last = index[..., -1]
    assert last is index[last]
    assert weft.arange(5)[last].item() == 4
    assert weft.reshape(weft.arange(24), (4, 6))[last].tolist() == [5, 11, 17, 23]
    assert weft.arange(5)[last].item() == 4


@given(case=cases(), data=st.data())
@settings(max_examples=examples(200))
def test_like_the_key_itself(case: tuple[tuple[int, ...], tuple[Any, ...]], data: st.DataObject) -> None:
    shape, key = case
    a = np.arange(np.prod(shape)).reshape(shape)
    with weft.transformer("reference"):
        try:
            wanted = a[key]
        except (IndexError, ValueError):
            with pytest.raises((IndexOutOfBounds, ShapeError)):
                weft.asarray(a)[index[key].bind(shape)]
            return
        i = index[key]
        x = weft.asarray(a.copy())
        strides = x.strides
        for j in (i, i.bind(shape), i.bind(shape, strides), index[i], index[i.bind(shape)]):
            found = x[j]
            assert found.shape == wanted.shape and np.array_equal(found.numpy(), wanted)
        b = i.bind(shape, strides)
        assert b.output_shape == wanted.shape and b.size == wanted.size
        assert np.array_equal(b.offsets().numpy(), np.asarray(_offsets(a, strides)[key]))
        coordinates = b.coordinates().numpy()
        assert np.array_equal(a[tuple(np.moveaxis(coordinates, -1, 0))], wanted)
        _check_part(a, x, b, wanted, data)
        x[b] = weft.asarray(np.arange(wanted.size).reshape(wanted.shape) + 1000)
        a[key] = np.arange(wanted.size).reshape(wanted.shape) + 1000
        assert np.array_equal(x.numpy(), a)


def _offsets(a: np.ndarray, strides: tuple[int, ...]) -> np.ndarray:
    lines = [s * np.arange(n) for s, n in zip(strides, a.shape, strict=True)]
    total = np.zeros(a.shape, np.int64)
    for d, line in enumerate(lines):
        total = total + line.reshape([-1 if e == d else 1 for e in range(a.ndim)])
    return total


def _check_part(a: np.ndarray, x: weft.Tensor, b: Any, wanted: np.ndarray, data: st.DataObject) -> None:
    """x[i][key] is x[i[key]], for reading and for writing."""
    parts: list[Any] = []
    for n in wanted.shape:
        kinds: list[Any] = [
            slice(None),
            slice(None, None, -1),
            slice(1, None),
            slice(0, 0),
            "new",
            *([n - 1] if n else []),
        ]
        if not any(isinstance(p, list) for p in parts):
            kinds.append([0] * 2 if n else [])
        kind = data.draw(st.sampled_from(kinds))
        parts.extend([None, slice(None)] if kind == "new" else [kind])
    key = tuple(parts)
    part = b[key]
    assert part.output_shape == wanted[key].shape
    assert np.array_equal(x[part].numpy(), wanted[key])
    y = weft.asarray(a.copy())
    y[part] = -1
    mark = np.zeros(a.shape, bool)
    mark[tuple(np.moveaxis(part.coordinates().numpy(), -1, 0))] = True
    assert np.array_equal(y.numpy(), np.where(mark, -1, a))


@given(case=cases())
@settings(max_examples=examples(100))
def test_output_shapes_and_numpys_words(case: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    shape, key = case
    a = np.zeros(shape)
    try:
        wanted = a[key].shape
    except (IndexError, ValueError):
        return
    parsed = parse(key, shape)
    assert output_shape(parsed) == wanted
    assert np.expand_dims(a, parsed.flags)[numpy_key(parsed)].shape == wanted


def test_nesting_of_bound_objects() -> None:
    x = weft.reshape(weft.arange(24), (2, 3, 4))
    rows = weft.find(weft.asarray([[True, False, True], [False, True, False]]))
    i = index[rows, None, ::-1]
    a = x.numpy()
    assert x[i].tolist() == a[np.asarray([[True, False, True], [False, True, False]]), None, ::-1].tolist()
    with pytest.raises(IndexOutOfBounds, match=r"bound to sizes \(2, 3\), used on \(3, 4\); axis 1: expected 2, got 3"):
        x[index[:, rows]]


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
def test_outer(transformer: str) -> None:
    a = np.arange(120).reshape(4, 5, 6)
    rows, columns = [3, 0, 0], np.array([True, False, True, True, False, True])
    picked = np.ix_(rows, range(5), np.flatnonzero(columns))
    with weft.transformer(transformer):
        x = weft.asarray(a.copy())
        assert np.array_equal(x[index.outer[rows, :, columns]].numpy(), a[picked])
        assert np.array_equal(x[index.outer[rows, None, 1, columns]].numpy(), a[picked][:, None, 1])
        i = index.outer[[3, 1], None, -1, columns]
        values = np.arange(8).reshape(2, 1, 4)
        x[i] = values
        a[np.ix_([3, 1], [4], np.flatnonzero(columns))] = values
        assert np.array_equal(x.numpy(), a)
        assert x[i.bind((4, 5, 6))[1, 0, ::2]].tolist() == [4, 6]
        x[i] += 1
        assert x[i].tolist() == (values + 1).tolist()


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
def test_points(transformer: str) -> None:
    a = np.arange(60).reshape(3, 4, 5)
    table = np.array([[0, 1], [2, -1], [0, 1], [1, 0]])
    with weft.transformer(transformer):
        for given in (table, table.tolist(), tuple(map(tuple, table.tolist())), weft.asarray(table)):
            x = weft.asarray(a.copy())
            assert np.array_equal(x[index.points[given]].numpy(), a[tuple(table.T)])
            assert np.array_equal(x[index.points[given], ::2].numpy(), a[(*table.T, slice(None, None, 2))])
            moved = np.add(table, [0, 1])
            assert np.array_equal(x[0][index.points[moved]].numpy(), a[0][tuple(moved.T)])
            x[index.points[given]] += 100
            assert x[2, 3].tolist() == [155, 156, 157, 158, 159] and x[0, 1, 0].item() == 105
        assert x[index.points[np.zeros((0, 2), np.int8)]].shape == (0, 5)
        assert x[index.points[weft.find(x > 157).coordinates()]].tolist() == [158, 159]


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
def test_find(transformer: str) -> None:
    a = np.arange(20.0).reshape(4, 5)
    with weft.transformer(transformer):
        x = weft.asarray(a.copy())
        found = weft.find(x % 3 == 0)
        assert np.array_equal(x[found].numpy(), a[a % 3 == 0])
        assert np.array_equal((x * 2)[found].numpy(), (a * 2)[a % 3 == 0])
        assert np.array_equal(found.coordinates().numpy(), np.argwhere(a % 3 == 0))
        assert np.array_equal(found.positions(-1).numpy(), np.nonzero(a % 3 == 0)[1])
        assert np.array_equal(found[1:4].coordinates().numpy(), np.argwhere(a % 3 == 0)[1:4])
        x[found] = 0
        x[found[::2]] += 5
        b = np.where(a % 3 == 0, 0, a)
        b[tuple(np.argwhere(a % 3 == 0)[::2].T)] += 5
        assert np.array_equal(x.numpy(), b)
        assert weft.find(weft.asarray(True)).coordinates().shape == (1, 0)
        assert weft.asarray(3)[weft.find(weft.asarray(False))].shape == (0,)
        assert weft.find(weft.zeros((0, 3), dtype="bool")).size == 0


def test_index_tensors_keep_coordinates() -> None:
    window = index[...].bind((4, 4))[1:3, 2:4]
    assert window.coordinates().tolist() == [[[1, 2], [1, 3]], [[2, 2], [2, 3]]]
    assert (window.bounding_box.start, window.bounding_box.stop) == ((1, 2), (3, 4))
    coordinates = index[...].bind((4, 4)).coordinates()[1:3, 2:4]
    assert coordinates.tolist() == window.coordinates().tolist()
    large = index[5:, ::-1].bind((1 << 31, 1 << 31))
    assert large.positions(1)[0, 0].item() == (1 << 31) - 1


WRONG = {
    "other shape": (lambda x: x[index[2].bind(6)], IndexOutOfBounds,
                    r"index: bound to shape \(6,\), used on \(3,\); axis 0: expected 6, got 3; bind"),
    "other rank": (lambda x: x[index[2].bind((3, 1))], IndexOutOfBounds, "expected rank 2, got 1"),
    "other strides": (lambda x: x[index[2].bind(3, 4)], IndexOutOfBounds,
                      r"index: bound to strides \(4,\), used on \(8,\); axis 0: expected 4, got 8"),
    "bound again": (lambda _: index[2].bind(3).bind(4), IndexOutOfBounds, "bound to shape .3,., used on .4,."),
    "strides again": (lambda _: index[2].bind(3, 8).bind(3, 4), IndexOutOfBounds, "bound to strides .8,., used on"),
    "strides of another rank": (lambda _: index[2].bind(3, (8, 4)), ShapeError, "bind: 2 strides for shape .3,."),
    "negative size": (lambda _: index[2].bind(-3), ShapeError, "bind: shape .-3,.; sizes are >= 0"),
    "no shape": (lambda _: index[2].bind("a"), DTypeError, "bind: shape 'a'; integers are needed"),
    "out of bounds": (lambda _: index[3].bind(3), IndexOutOfBounds, "index: position 3 along axis 0 of size 3"),
    "mask": (lambda _: index[[True]].bind(3), IndexOutOfBounds, "a mask of shape .1,. for axes of shape .3,."),
    "too many": (lambda _: index[0, 1].bind(3), IndexOutOfBounds, "index: 2 positions for a tensor of rank 1"),
    "two ellipses": (lambda _: index[..., ...], IndexOutOfBounds, "index: two ellipses"),
    "two nested ellipses": (lambda _: index[index[..., 0], ...], IndexOutOfBounds, "index: two ellipses"),
    "step 0": (lambda _: index[::0], IndexOutOfBounds, "has step 0"),
    "float list": (lambda _: index[[1.5]], DTypeError, "index: an index array of dtype float64"),
    "float": (lambda _: index[1.5], DTypeError, "index: 1.5 is no integer"),
    "points in a row": (lambda _: index.points[[1, 2]], IndexOutOfBounds, r"index: a table of shape \(2,\), int64 for"),
    "one point": (lambda _: index.points[1], IndexOutOfBounds, r"index: a table of shape \(\), int64? for points"),
    "points of bools": (lambda _: index.points[[[True]]], IndexOutOfBounds, "index: a table of shape .*, bool for poi"),
    "too many coordinates": (lambda x: x[index.points[[list(range(100))]]], IndexOutOfBounds, "index: 100 positions"),
    "beyond": (lambda _: index[[2**70]], IndexOutOfBounds, "index: position 1180591620717411303424 in a list"),
    "outer matrix": (lambda _: index.outer[[[0]]], IndexOutOfBounds, "index: outer takes vectors, not an index array"),
    "outer inside": (lambda x: x[index.outer[[0]], None], IndexOutOfBounds, "inside another key; its tables select"),
    "unbound part": (lambda _: index[1:][0], IndexOutOfBounds, "a part of weft.index.1:., which no shape is known of"),
    "unbound coordinates": (lambda _: index[1:].coordinates(), IndexOutOfBounds, "which no shape is known of; bind"),
    "no strides": (lambda _: index[1:].bind(3).offsets(), IndexOutOfBounds, "which no strides are known of"),
    "find": (lambda x: weft.find(x), DTypeError, "find: dtype int64; masks are bool"),
    "made": (lambda _: type(index[0])(), TypeError, "Index: the class is not called"),
}  # fmt: skip


@for_each("name", WRONG)
def test_message(name: str) -> None:
    wrong, kind, says = WRONG[name]
    with pytest.raises(kind, match=says):
        wrong(weft.asarray([1, 2, 3]))  # type: ignore[no-untyped-call]
