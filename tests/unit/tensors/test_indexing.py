"""Indexing: every key reads and writes what NumPy's does; messages of wrong keys."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.shares import examples
from weft.errors import DTypeError, IndexOutOfBounds, ShapeError, WriteError
from weft.ir.atoms import position_tables


@st.composite
def cases(draw):
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    parts, axis = [], 0
    while axis < len(shape) and draw(st.booleans() | st.just(True)):
        n = shape[axis]
        kind = draw(st.sampled_from(["slice", "int", "array", "mask", "none", "flag", "dots", "full"]))
        if kind == "int" and n:
            parts.append(draw(st.integers(-n, n - 1)))
        elif kind == "array" and n:
            found = draw(st.sampled_from([(3,), (2, 3), (1,), (2, 1), (), (0,)]))
            cells = draw(st.lists(st.integers(-n, n - 1), min_size=6, max_size=6))
            parts.append(np.resize(np.asarray(cells), found))
        elif kind == "mask":
            width = min(draw(st.sampled_from([1, 1, 2])), len(shape) - axis)
            over = shape[axis : axis + width]
            bits = draw(st.lists(st.booleans(), min_size=16, max_size=16))
            parts.append(np.resize(np.asarray(bits), over))
            axis += width - 1
        elif kind == "none":
            parts.append(None)
            continue
        elif kind == "flag":
            parts.append(draw(st.booleans()))
            continue
        elif kind == "dots" and not any(p is Ellipsis for p in parts):
            parts.append(Ellipsis)
            axis += draw(st.integers(0, len(shape) - axis))
            continue
        else:
            bound = st.none() | st.integers(-n - 1, n + 1)
            parts.append(slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, -1, -2]))))
        axis += 1
    return shape, tuple(parts)


@given(case=cases())
@settings(max_examples=examples(300))
def test_keys_read_and_write_like_numpy(case):
    shape, key = case
    a = np.arange(np.prod(shape)).reshape(shape)
    x = weft.asarray(a.copy())
    with weft.transformer("reference"):
        try:
            expected = a[key]
        except (IndexError, ValueError):
            with pytest.raises((IndexOutOfBounds, ShapeError)):
                x[key]
            return
        result = x[key]
        assert result.shape == np.shape(expected) and np.array_equal(result.numpy(), expected)
        values = np.arange(np.size(expected)).reshape(np.shape(expected)) + 1000
        for written in (values, 7):
            a[key] = written
            x[key] = written
            assert np.array_equal(x.numpy(), a)


KEYS = [
    (slice(None, None, -2), 1), (Ellipsis, [2, 0, 2]), ([1, 0, 1], slice(1, None), [0, 1, 2]), (None, 0, None),
    (np.asarray([[True, False, True], [False, True, True]]),), (1, np.asarray([0, 2]), Ellipsis), (slice(5, 1),),
]  # fmt: skip


@for_each("key", KEYS)
@for_each("stored", [True, False])
def test_keys_on_every_transformer(transformer, key, stored):
    a = np.arange(24).reshape(2, 3, 4)
    x = weft.asarray(a.copy()) if stored else weft.reshape(weft.arange(24), (2, 3, 4))
    assert np.array_equal(x[key].numpy(), a[key])
    a[key] += 100
    x[key] += 100
    assert np.array_equal(x.numpy(), a)


def test_keys_may_be_tensors(transformer):
    x = weft.asarray([10, 20, 30])
    assert x[weft.asarray([2, 0])].tolist() == [30, 10]
    assert x[weft.asarray(1)].tolist() == 20
    assert x[x > 10].tolist() == [20, 30]
    x[x > 10] = weft.asarray([1, 2])
    assert x.tolist() == [10, 1, 2]
    assert x[weft.asarray([255], dtype="uint8") - 253].tolist() == [2]


def test_the_right_side_is_read_first(transformer):
    x = weft.arange(4)
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2]
    y = weft.asarray([[1, 2], [3, 4]])
    y[[0, 1]] = y[[1, 0]]
    assert y.tolist() == [[3, 4], [1, 2]]


def test_of_repeats_the_last_in_row_major_order_wins(transformer):
    x = weft.zeros(3, dtype="int64")
    positions = np.asarray([[0, 1], [0, 1]], order="F").T
    x[positions] = weft.asarray([[1, 2], [3, 4]])
    assert x.tolist() == [2, 4, 0]
    x[[2, 2]] += 1
    assert x.tolist() == [2, 4, 1]


def test_values_are_narrowed_but_keep_their_kind(transformer):
    x = weft.zeros(2, dtype="int8")
    x[0] = weft.asarray(300)
    assert x.tolist() == [44, 0]
    with pytest.raises(DTypeError, match="setitem: float64 values into int8 cells; the kind"):
        x[0] = 1.5


WRONG = {
    "out of bounds": (lambda x: x[3], IndexOutOfBounds, "index: position 3 along axis 0 of size 3; positions run"),
    "far out": (lambda x: x[10**30], IndexOutOfBounds, "index: position 1000000000000000000000000000000 along axis 0"),
    "empty axis": (lambda x: x[:0][0], IndexOutOfBounds, "along axis 0 of size 0; the axis is empty"),
    "array out of bounds": (lambda x: x[[0, -4]], IndexOutOfBounds, "index: position -4 along axis 0 of size 3"),
    "unsigned": (lambda x: x[np.asarray([2**64 - 1], "u8")], IndexOutOfBounds, "index: position 9223372036854775807"),
    "too many": (lambda x: x[0, 0], IndexOutOfBounds, "index: 2 positions for a tensor of rank 1; one per axis"),
    "two ellipses": (lambda x: x[..., ...], IndexOutOfBounds, "index: two ellipses"),
    "float": (lambda x: x[1.5], DTypeError, "index: 1.5 is no integer; positions and steps are; round it first"),
    "complex": (lambda x: x[1 + 0j], DTypeError, "index: .1.0j. is no integer; .*; take its real part"),
    "not a number": (lambda x: x[weft.nan], IndexOutOfBounds, "index: nan is out of range; positions and steps are"),
    "infinite": (lambda x: x[:: weft.inf], IndexOutOfBounds, "index: inf is out of range; positions and steps are"),
    "far out as a float": (lambda x: x[::-1e200], IndexOutOfBounds, "index: -1e.200 is out of range"),
    "text": (lambda x: x["a"], DTypeError, "index: str 'a' is no index"),
    "float array": (lambda x: x[[0.5]], DTypeError, "index: an index array of dtype float64"),
    "ragged": (lambda x: x[[[0], [0, 1]]], IndexOutOfBounds, "index: nested lists of unequal lengths"),
    "slice bounds": (lambda x: x["a":], DTypeError, "index: slice.'a', None, None. has bounds that are no integers"),
    "slice of halves": (lambda x: x[0.5:], DTypeError, "index: 0.5 is no integer"),
    "step 0": (lambda x: x[::0], IndexOutOfBounds, "index: slice.None, None, 0. has step 0"),
    "mask shape": (lambda x: x[[True]], IndexOutOfBounds, "index: a mask of shape .1,. for axes of shape .3,."),
    "index shapes": (lambda x: x.reshape(3, 1)[[0, 1], [0, 0, 0]], ShapeError, "index: shapes .2,. and .3,. do not"),
    "rank": (lambda x: x[(None,) * 64], IndexOutOfBounds, "index: 64 new axes for a tensor of rank 1; ranks go"),
    "value shape": (lambda x: x.__setitem__(0, [1, 2]), (ShapeError, DTypeError), "setitem: |asarray: "),
    "value shape of a slice": (
        lambda x: x.__setitem__(slice(0, 2), weft.zeros(3, dtype="int64")), ShapeError,
        "setitem: a value of shape .3,. for cells of shape .2,.",
    ),
    "broadcast": (
        lambda x: weft.broadcast_to(x[:1], (2,)).__setitem__(..., 1) or weft.broadcast_to(x, (2, 3)).__setitem__(0, 1),
        WriteError, "setitem: a broadcast of shape .2, 3. has several coordinates on one cell",
    ),
    "windows": (
        lambda x: weft.sliding_window_view(x, 2).__setitem__(..., 1), WriteError,
        "setitem: coordinates .* and .* lie on the same memory",
    ),
}  # fmt: skip


def test_floats_that_are_integers_are_positions():
    x = weft.reshape(weft.arange(24), (4, 6))
    assert x[1.0, np.float32(2)].item() == 8 and x[-1.0].tolist() == x[3].tolist()
    assert x[1.0:3.0, ::-1e10].tolist() == [[11], [17]]
    assert x[weft.index[2.0, ..., :1.0]].tolist() == [12]
    x[0.0] = 7
    assert x[0].tolist() == [7] * 6


@for_each("name", WRONG)
def test_message(name):
    wrong, kind, says = WRONG[name]
    with weft.transformer("reference"), pytest.raises(kind, match=says):
        wrong(weft.asarray([1, 2, 3]))


def test_empty_tensors_can_be_written(transformer):
    x = weft.zeros((0, 3))
    x[...] = 5
    x[:, 0] = weft.zeros(0)
    assert x.shape == (0, 3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_tensors_of_one_integral_float_are_positions(dtype):
    x, two = weft.arange(10), weft.asarray(2.0, dtype=dtype)
    assert x[two].item() == x[np.asarray(2.0)].item() == x[weft.index[two]].item() == 2
    assert x[two : two + 2].tolist() == [2, 3]
    assert x[range(1, 3)].tolist() == [1, 2]
    x[two] = 99
    assert x[2].item() == 99
    with pytest.raises(DTypeError, match=r"2\.5 is no integer"):
        x[two + 0.5]
    with pytest.raises(DTypeError, match=f"array of dtype {dtype}"):
        x[weft.asarray([2.0], dtype=dtype)]
    with pytest.raises(DTypeError, match="array of dtype complex32"):
        x[weft.asarray([1], dtype=weft.complex32)]


@pytest.mark.parametrize("key", [1, -1, slice(1, 3), slice(None, None, -2), (0, slice(1, None)), (Ellipsis, 1), (1, 2)])
def test_a_key_that_was_used_before_means_the_same_on_other_tensors_and_versions(key):
    for shape in [(3, 4), (3, 4), (4, 3)]:
        cells = np.arange(12.0).reshape(shape)
        for x in (weft.array(cells), weft.array(cells)[::-1], weft.array(cells) * 1.0, weft.array(cells).mT):
            first = x.numpy().tolist()
            values = np.asarray(first)
            before, old = x + 0, x[key]
            for number in (50.0, 60.0):
                assert x[key].numpy().tolist() == values[key].tolist()
                x[key] = number
                values[key] = number
                assert x.tolist() == values.tolist()
            kept = np.asarray(first) if key == (1, 2) else values  # the value of a cell, or a view
            assert old.tolist() == kept[key].tolist()
            assert before.tolist() == first


def test_bools_and_floats_equal_to_integers_are_other_keys():
    x = weft.asarray([1.0, 2.0, 3.0])
    assert x[1].tolist() == 2.0
    assert x[True].tolist() == [[1.0, 2.0, 3.0]]
    assert x[1.0].tolist() == 2.0
    with pytest.raises(weft.errors.DTypeError, match="is no integer"):
        x[1.5]
    m = weft.asarray([[[1.0] * 4] * 3] * 3)
    assert m[1, 2, 1].tolist() == 1.0
    assert m[1:2:1].shape == (1, 3, 4)


@for_each("dtype", ["?", "i1", "u8", "f2", ">f4", "f8", "F"])
@for_each("shape", [(0,), (1,), (5,), (5, 7), (300, 40)])
@for_each("shared", [False, True])
def test_a_number_where_a_mask_is_true(dtype: str, shape: tuple[int, ...], shared: bool) -> None:
    rng = np.random.default_rng(len(shape))
    cells = (rng.standard_normal(shape) * 5).astype(dtype)
    for axes in range(1, len(shape) + 1):
        mask, own = rng.random(shape[:axes]) < 0.4, cells.copy()
        x = weft.asarray(own) if shared else weft.copy(weft.asarray(own))
        before, chosen = weft.flip(x) if dtype == "?" else x + 0, weft.asarray(mask.copy())
        was = before.numpy().copy() if dtype == "?" else cells
        x[chosen] = dtype == "?" or 3
        chosen[...] = False  # the mask is read as it was
        wanted = cells.copy()
        wanted[mask] = dtype == "?" or 3
        assert np.array_equal(x.numpy(), wanted) and (not shared or np.array_equal(own, wanted))
        assert np.array_equal(before.numpy(), was)


def test_a_number_where_the_tensor_itself_is_true() -> None:
    x = weft.asarray([True, False, True])
    x[x] = False
    assert x.tolist() == [False, False, False]


LONG = position_tables.SMALL_TABLE + 5  # positions, so many that they are stored in narrower integers


@pytest.mark.parametrize("size", [1 << 15, (1 << 15) + 1])
@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "uint64"])
def test_long_tables_of_positions_on_axes_of_any_size(size, dtype):
    x, rng = np.arange(size) * 3, np.random.default_rng(0)
    low, high = (0 if dtype[0] == "u" else -min(size, 1 << 15)), min(size, np.iinfo(dtype).max)
    for at in (rng.integers(low, high, LONG).astype(dtype), rng.integers(low, high, (2, LONG)).astype(dtype).T):
        assert np.array_equal(weft.take(weft.asarray(x), weft.asarray(at), axis=0).numpy(), x[at])
        assert np.array_equal(weft.asarray(x)[weft.asarray(at)].numpy(), x[at])
        assert np.array_equal(weft.asarray(x)[at].numpy(), x[at])


def test_long_tables_of_positions_in_composites():
    x, at = np.arange(20_000), np.random.default_rng(0).integers(0, 30_000, LONG)
    joined, wide = np.concatenate([x, x[:10_000]]), np.repeat(x, 2)[5:-5]
    for made, plain in (
        (weft.concat([x, x[:10_000]]), joined), (weft.flip(weft.concat([x, x[:10_000]])), joined[::-1]),
        (weft.repeat(weft.asarray(x), 2)[5:-5], wide), (weft.roll(weft.asarray(joined), 29_999), np.roll(joined, -1)),
    ):  # fmt: skip
        assert np.array_equal(weft.take(made, weft.asarray(at), axis=0).numpy(), plain[at])


@pytest.mark.parametrize("wrong", [1 << 15, 1 << 32, -(1 << 15) - 1, -(1 << 48)])
def test_a_long_table_names_its_first_position_out_of_bounds(wrong):
    at = np.zeros(LONG, np.int64)
    at[LONG - 1], at[LONG - 2] = 1 << 60, wrong
    for look in (lambda x, i: weft.take(x, i, axis=0), lambda x, i: x[i], lambda x, i: x[i.numpy()]):
        with pytest.raises(IndexOutOfBounds, match=f"position {wrong} "):
            look(weft.zeros(1 << 15), weft.asarray(at))


@for_each("dtype", ["int8", "uint8", ">i4", "int64", "uint64"])
@for_each("shape", [(0,), (3,), (2, 2), (1, 0, 2)])
def test_an_array_alone_is_a_key_like_in_a_tuple(shape, dtype):
    x = np.arange(12.0).reshape(4, 3)
    at = np.resize(np.array([2, 0, 3]), shape).astype(dtype)
    t = weft.asarray(x)
    found = t[at]
    at[...] = 1  # a key is read at once
    assert np.array_equal(found.numpy(), x[np.resize(np.array([2, 0, 3]), shape)])
    assert np.array_equal(t[at].numpy(), t[at,].numpy()) and t[at].shape == x[at].shape


@pytest.mark.parametrize("key", [np.array(1), np.array([1.0]), np.array([True, False]), np.array([4]), np.array([-5])])
def test_an_array_alone_is_refused_or_read_like_in_a_tuple(key):
    t = weft.asarray(np.arange(4.0))

    def outcome(k):
        try:
            return t[k].tolist()
        except Exception as e:
            return type(e), str(e)

    assert outcome(key) == outcome((key,))


class Column:
    """A column of a table of another library: NumPy reads it, and it keeps operators with arrays to itself."""

    def __init__(self, cells):
        self.cells = np.array(cells)

    def __radd__(self, other):
        return Column(other + self.cells)

    def __array__(self, dtype=None, copy=None):
        return self.cells


@pytest.mark.parametrize(
    "key",
    [Column([True, False, True, True]), Column([2, 0, 2]), (Column([3, 1]), 0), (slice(1), Column([0, 2])), Column(1)],
)
def test_columns_of_other_libraries_are_keys(key):
    x = np.arange(12.0).reshape(4, 3)
    t = weft.asarray(x.copy())
    plain = tuple(p.cells if isinstance(p, Column) else p for p in key) if isinstance(key, tuple) else key.cells
    assert t[key].tolist() == x[plain].tolist()
    t[key] = -1.0
    x[plain] = -1.0
    assert t.tolist() == x.tolist()


def test_a_column_of_other_objects_is_no_key():
    with pytest.raises(DTypeError, match="has no weft counterpart"):
        weft.zeros(3)[Column(["a", "b"])]
    with pytest.raises(DTypeError, match="integers and bools index"):
        weft.zeros(3)[Column([0.5, 1.0])]
