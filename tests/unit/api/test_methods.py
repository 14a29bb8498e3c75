"""Methods of tensors delegate to the namespace."""

import copy

import numpy as np
import pytest

import weft
from tests.call_counts import calls_of
from tests.cases import for_each

X = [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "std", "var", "any", "all", "argmin", "argmax"])
def test_reductions(name):
    x = weft.asarray(X)
    assert getattr(x, name)(axis=0).tolist() == getattr(weft, name)(x, axis=0).tolist()
    assert getattr(x, name)(1, keepdims=True).shape == (2, 1)


def test_transposes():
    x = weft.asarray(X)
    assert x.T.tolist() == x.mT.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    row = x[0].T
    assert row.shape == (1, 2)
    row[0, 0] = 9
    assert x.tolist()[0] == [9.0, 2.0]


def test_parts_of_complex_numbers():
    z = weft.asarray([1 + 2j])
    assert (z.real.tolist(), z.imag.tolist(), z.conj().tolist()) == ([1.0], [2.0], [1 - 2j])


def test_iteration_and_membership():
    x = weft.asarray(X)
    assert [row.tolist() for row in x] == X
    assert 3 in x and 5 not in x
    for row in x:
        row += 1
    assert x.tolist() == [[2.0, 3.0], [4.0, 5.0]]


def test_copies_are_values_of_their_own():
    x = weft.asarray(X)
    copies = [x.copy(), copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": x})["x"]]
    x[...] = 0
    assert all(c.tolist() == X for c in copies)


def test_reshape_and_astype():
    x = weft.asarray(X)
    assert x.reshape(4).shape == x.reshape((4,)).shape == x.reshape(-1).shape == (4,)
    assert x.reshape(1, 4).shape == (1, 4)
    assert x.astype("int8").dtype is weft.int8
    assert x.to_device("cpu") is x


def test_a_tensor_of_rank_0_is_an_index_and_a_number():
    i = weft.asarray(1)
    assert [5, 6][i] == 6 and int(i) == 1 and float(i) == 1.0 and complex(i) == 1 and bool(i)


@pytest.mark.parametrize("dtype", ["f4", ">i2", "c16", "u1"])
def test_lists_and_tuples_are_operands(dtype):
    """On both sides of operators, as for NumPy's arrays; their numbers have the dtype that asarray gives them."""
    x, a = weft.asarray(np.array([1, 2, 3], dtype)), np.array([1, 2, 3], dtype)
    given, other = [1, 2, 3], (1, 0, 3)
    assert (x + given).tolist() == (given + x).tolist() == (a + given).tolist()
    assert (x * other).tolist() == (other * x).tolist() == [1, 0, 9]
    assert (x == other).tolist() == (other == x).tolist() == [True, False, True]
    assert (x @ given).item() == (given @ x).item() == 14
    assert (x + given).dtype == weft.add(x, given).dtype
    y = x.astype("f8") if dtype[0] != "c" else x.copy()
    y += [1, 1, 1]
    assert y.tolist() == [2, 3, 4]


def test_an_array_of_a_devices_memory_is_a_copy():
    x = weft.arange(3).to("thread:0")
    with pytest.raises(ValueError, match="__array__: int64 on thread:0 needs a copy; pass copy=None"):
        np.asarray(x, copy=False)
    assert np.asarray(x).tolist() == [0, 1, 2]


def test_arrays_may_be_asked_whether_they_overlap():
    a = np.arange(10)
    assert weft.overlap(a[2:], a[:3]) == ((0,), (2,))
    assert weft.may_share_memory(weft.asarray(a), a[3:]) and not weft.may_share_memory(a[::2], a[1::2])


def test_names_of_dtypes_and_devices_are_formatted():
    assert f"{weft.float32:>14}|{weft.cpu:>5}|{weft.device('thread', 0)}" == "  weft.float32|  cpu|thread:0"


def test_methods_are_the_functions():
    """So help(), signatures and the order of arguments are those of the functions."""
    for name in ("sum", "prod", "min", "max", "mean", "std", "var", "any", "all", "argmin", "argmax", "astype"):
        assert getattr(weft.Tensor, name) is getattr(weft, name)


def test_axes_may_be_named_by_place_as_in_numpy():
    a = np.arange(24.0).reshape(2, 3, 4)
    x = weft.asarray(a)
    for name in (
        "sum",
        "prod",
        "min",
        "max",
        "mean",
        "std",
        "var",
        "any",
        "all",
        "argmin",
        "argmax",
        "sort",
        "argsort",
    ):
        assert np.array_equal(getattr(weft, name)(x, 1).numpy(), getattr(np, name)(a, 1))
    for name in ("nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanargmin", "nanargmax"):
        assert np.allclose(getattr(weft, name)(x, 1).numpy(), getattr(np, name)(a, 1))
    assert np.array_equal(weft.nn.softmax(x, 1).numpy(), weft.nn.softmax(x, axis=1).numpy())
    for name in ("flip", "expand_dims", "cumulative_sum", "count_nonzero"):
        assert np.array_equal(getattr(weft, name)(x, 1).numpy(), getattr(np, name)(a, axis=1))
    for name in ("concat", "stack"):
        assert np.array_equal(getattr(weft, name)([x, x], 1).numpy(), getattr(np, name)([a, a], 1))
    assert np.array_equal(weft.roll(x, 1, 2).numpy(), np.roll(a, 1, 2))
    assert np.array_equal(weft.repeat(x, 2, 1).numpy(), np.repeat(a, 2, 1))
    assert np.array_equal(weft.take(x, [2, 0], 1).numpy(), np.take(a, [2, 0], 1))
    assert weft.squeeze(x[:, :1], 1).shape == (2, 4)
    assert [p.shape for p in weft.split(x, 2, 2)] == [(2, 3, 2)] * 2


@pytest.mark.parametrize("dtype", ["i1", "u4", ">f4", "f8"])
def test_quotients_and_remainders_together(dtype):
    a = np.array([7, 8, 9], dtype)
    for got, expected in zip(
        (*divmod(weft.asarray(a), 2), *divmod(20, weft.asarray(a)), *divmod(a, weft.asarray(a[::-1]))),
        (*divmod(a, a.dtype.type(2)), *divmod(a.dtype.type(20), a), *divmod(a, a[::-1])),
        strict=True,
    ):
        assert np.array_equal(got.numpy(), expected)
    with pytest.raises(TypeError, match="unsupported operand"):
        divmod(weft.asarray(a), "2")


def test_to_takes_devices_and_dtypes():
    x = weft.asarray([1.5, -2.0])
    assert x.to("cpu") is x and x.to(weft.float64) is x
    assert x.to(weft.int32).dtype is weft.int32 and x.to(weft.int32).tolist() == [1, -2]
    with pytest.raises(weft.errors.ArgumentError, match=r"to: weft.float32 and stream=; a conversion has no stream"):
        x.to(weft.float32, stream=1)
    with pytest.raises(weft.errors.ValueRangeError, match="device: 'float32' is no device"):
        x.to("float32")


def test_shape_dtype_and_cells_are_not_taken_away():
    x = weft.zeros((3, 4))
    with pytest.raises(AttributeError, match=r"shape: \(12,\) for a tensor with shape \(3, 4\); .*x.reshape\(shape\)"):
        x.shape = (12,)
    with pytest.raises(
        AttributeError, match=r"dtype: 'int8' for a tensor with dtype weft.float64; .*x.astype\(dtype\)"
    ):
        x.dtype = "int8"
    with pytest.raises(TypeError, match=r"del: cells of a tensor of shape \(3, 4\); .*weft.delete"):
        del x[0]
    assert x.shape == (3, 4) and x.dtype is weft.float64


ROWS = {
    "whole": lambda a: (weft.asarray(a), a),
    "every second": lambda a: (weft.asarray(a)[1::2], a[1::2]),
    "backwards": lambda a: (weft.asarray(a)[::-1], a[::-1]),
    "a column": lambda a: (weft.asarray(np.stack([a, a], 1))[:, 1], a),
    "shared with steps": lambda a: (weft.asarray(np.repeat(a, 2)[::2]), a),
    "big-endian": lambda a: (weft.asarray(a.astype(a.dtype.newbyteorder(">"))), a),
    "pending": lambda a: (weft.concat([weft.asarray(a[:3]), weft.asarray(a[3:])]), a),
    "an axis of matrices": lambda a: (weft.asarray(a.reshape(-1, 1)), a),
}


@for_each("dtype", ["i8", "u1", "f4", "c16", "?"])
@for_each("name", ROWS)
def test_cells_of_an_iteration_are_read_as_those_of_arrays(name, dtype):
    x, a = ROWS[name](np.arange(6).astype(dtype))
    assert [v.item() for v in x] == a.tolist()
    assert [complex(v) for v in x] == [complex(v) for v in a] and [bool(v) for v in x] == [bool(v) for v in a]
    if dtype != "c16":
        assert [float(v) for v in x] == [float(v) for v in a] and [int(v) for v in x] == [int(v) for v in a]
    else:
        with pytest.raises(weft.errors.DTypeError, match="float: a complex128 value"):
            float(next(iter(x)))


def test_cells_of_an_iteration_are_the_values_of_their_turn():
    x = weft.asarray([1.0, 2.0, 3.0])
    cells = list(x)
    x[...] = x * 2
    assert [float(v) for v in cells] == [1.0, 2.0, 3.0]
    total = 0.0
    for v in x:
        total += float(v)
        x[2] = 10.0
    assert total == 16.0
    array = np.zeros(3)
    for i, v in enumerate(weft.asarray(array)):
        assert v.item() == i
        array[...] = i + 1
    part = iter(weft.asarray([1 + 2j, 3 + 4j]).imag)
    assert [float(v) for v in part] == [2.0, 4.0]


def test_reading_the_cells_of_an_iteration_takes_few_calls():
    calls = calls_of(lambda: [float(v) for v in weft.asarray(np.arange(100.0))])
    assert calls.total() < 100 * 5 + 200
