"""Methods that NumPy's arrays have: the same values and shapes, and an error where PyTorch means something else."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import weft
from tests.shares import examples
from weft.errors import ArgumentError, DTypeError, IndexOutOfBounds, ShapeError, WriteError

SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, max_side=4, min_side=0)
DTYPES = st.sampled_from(["i1", "u4", ">i8", "f4", ">f8", "c16", "?"])


@st.composite
def arrays(draw, least=0, dtypes=DTYPES):
    """Arrays of many dtypes and layouts, with no NaN."""
    shape = draw(hnp.array_shapes(min_dims=least, max_dims=3, max_side=4, min_side=0) if least else SHAPES)
    size = int(np.prod(shape))
    a = np.asarray(draw(st.lists(st.integers(0, 50), min_size=size, max_size=size))).reshape(shape)
    a = a.astype(draw(dtypes))
    return a.T if draw(st.booleans()) else a


def same(got, wanted):
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got.numpy(), wanted)


PLAIN = {
    "transpose": lambda x: x.transpose(),
    "ravel": lambda x: x.ravel(),
    "ravel by columns": lambda x: x.ravel("F"),
    "flatten": lambda x: x.flatten(),
    "squeeze": lambda x: x.squeeze(),
    "round": lambda x: x.round(),
    "conjugate": lambda x: x.conjugate(),
    "reversed order": lambda x: x.transpose(tuple(range(x.ndim))[::-1]),
    "repeat": lambda x: x.repeat(repeats=2),
    "argsort": lambda x: (
        np.argsort(x.ravel().real, kind="stable") if isinstance(x, np.ndarray) else x.ravel().real.argsort()
    ),
    "dot of a number": lambda x: x.dot(3),
}


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=examples(25))
@given(a=arrays())
def test_plain_methods(name, a):
    if a.dtype.kind == "b" and name in ("round", "conjugate", "dot of a number", "argsort"):
        return
    same(PLAIN[name](weft.asarray(a)), PLAIN[name](a))


ALONG = {
    "cumsum": lambda x, axis: x.cumsum(axis),
    "cumprod": lambda x, axis: x.cumprod(axis=axis),
    "take": lambda x, axis: x.take([0, 1, 0], axis),
    "repeat": lambda x, axis: x.repeat(repeats=2, axis=axis),
    "compress": lambda x, axis: x.compress([False, True, True], axis),
    "ptp": lambda x, axis: weft.ptp(x, axis=axis) if isinstance(x, weft.Tensor) else np.ptp(x, axis=axis),
    "swapaxes": lambda x, axis: x.swapaxes(0, axis if axis is not None else -1),
}


@pytest.mark.parametrize("name", ALONG)
@settings(max_examples=examples(25))
@given(a=arrays(least=1, dtypes=st.sampled_from(["i4", "f8", ">f4", "u2"])), data=st.data())
def test_methods_along_an_axis(name, a, data):
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    size = a.size if axis is None else a.shape[axis]
    if (name in ("take", "compress") and size < 3) or (name == "ptp" and not a.size):
        return
    got = ALONG[name](weft.asarray(a), axis)
    if name.startswith("cum") and a.dtype.kind == "f":
        np.testing.assert_allclose(got.numpy(), ALONG[name](a, axis), rtol=1e-5)
    else:
        same(got, ALONG[name](a, axis))


@settings(max_examples=examples(25))
@given(a=arrays(least=1, dtypes=st.sampled_from(["i4", "f8", "c8"])), data=st.data())
def test_dot(a, data):
    shape = data.draw(st.sampled_from([(a.shape[-1],), (a.shape[-1], 2), (2, a.shape[-1], 3)]))
    b = np.arange(np.prod(shape)).reshape(shape)
    np.testing.assert_allclose(weft.asarray(a).dot(weft.asarray(b)).numpy(), a.dot(b))
    np.testing.assert_allclose(weft.dot(a, b).numpy(), np.dot(a, b))


@settings(max_examples=examples(25))
@given(a=arrays(least=2, dtypes=st.sampled_from(["i4", "f8"])), offset=st.integers(-5, 5))
def test_diagonals(a, offset):
    x = weft.asarray(a)
    same(x.diagonal(offset), a.diagonal(offset))
    np.testing.assert_allclose(x.trace(offset).numpy(), a.trace(offset))
    same(x.diagonal(offset, 1, 0), a.diagonal(offset, 1, 0))


@settings(max_examples=examples(25))
@given(a=arrays(dtypes=st.sampled_from(["i4", "u1"])), mode=st.sampled_from(["wrap", "clip"]), count=st.integers(1, 3))
def test_choose(a, mode, count):
    parts = [np.arange(a.size).reshape(a.shape) * 10.0 + i for i in range(count)]
    same(weft.asarray(a).choose(parts, mode=mode), a.choose(parts, mode=mode))


@settings(max_examples=examples(25))
@given(a=arrays(least=1, dtypes=st.sampled_from(["i4", "f8"])), kth=st.integers(0, 3))
def test_partitions_are_sorted(a, kth):
    if kth < a.shape[-1]:
        x = weft.asarray(a.copy())
        same(weft.partition(x, kth), np.sort(a))
        same(weft.argpartition(x, kth), np.argsort(a, kind="stable"))
        x.partition(kth)
        same(x, np.sort(a))


def test_writing_methods_write_here():
    a = np.arange(6.0).reshape(2, 3).T
    b, x = a.copy(), weft.asarray(a.copy())
    b.put([0, -1, 3], [7, 8])
    x.put([0, -1, 3], [7, 8])
    same(x, b)
    assert x.fill(3) is None and x.tolist() == [[3.0, 3.0]] * 3


def test_values_at_positions():
    a = np.arange(6).reshape(2, 3)
    x = weft.asarray(a)
    assert [x.item(1, 2), x.item((0, 1)), x.item(4), x.item(-1)] == [5, 1, 4, 5]
    assert weft.asarray(7).item() == 7 and weft.asarray([3]).item(0) == 3
    assert x.tobytes() == a.tobytes() and x.T.tobytes() == a.T.tobytes() and x.tobytes("F") == a.tobytes("F")
    assert weft.asarray(a.astype(">i2")).tobytes() == a.astype(">i2").tobytes()


@pytest.mark.parametrize(
    ("call", "form", "others"),
    [
        (lambda x: x.transpose(0, 1), "transpose(0, 1)", ["swapaxes", "permute_dims"]),
        (lambda x: weft.transpose(weft.zeros((2, 2, 2)), 0, 2), "transpose(0, 2)", ["swapaxes", "permute_dims"]),
        (lambda x: x.sort(), "sort()", ["sort", "argsort"]),
        (lambda x: x.sort(axis=0), "sort()", ["sort", "argsort"]),
        (lambda x: x.view(4), "view()", []),
        (lambda x: x.view(2, 2), "view()", []),
        (lambda x: x.view((4,)), "view()", []),
        (lambda x: x.repeat(2, 2), "repeat(2, 2)", ["tile"]),
        (lambda x: x.repeat(2), "repeat(2)", ["tile"]),
        (lambda x: x.max(dim=1), "max(dim=)", ["max", "argmax"]),
    ],
)
def test_forms_that_two_libraries_read_differently(call, form, others):
    with pytest.raises(ArgumentError, match=re.escape(f"{form}: two readings; ")) as caught:
        call(weft.zeros((2, 2)))
    assert all(f"{name}(x" in str(caught.value) and hasattr(weft, name) for name in others)


def test_the_spellings_that_are_named_work():
    x = weft.asarray([[3.0, 1.0], [2.0, 0.0]])
    assert weft.swapaxes(x, 0, 1).tolist() == [[3.0, 2.0], [1.0, 0.0]]
    assert x.reshape((4,), copy=False).shape == (4,)
    assert x.view("i8").shape == (2, 2)
    assert x[0].repeat(2, axis=0).tolist() == x[0].repeat(repeats=2).tolist() == [3.0, 3.0, 1.0, 1.0]
    x[...] = weft.sort(x)
    assert x.tolist() == [[1.0, 3.0], [0.0, 2.0]]


def test_two_axes_are_exchanged_where_all_agree():
    x = weft.asarray([[1, 2, 3], [4, 5, 6]])
    assert x.transpose(1, 0).tolist() == x.transpose(-1, 0).tolist() == x.T.tolist()
    assert x.permute(1, 0).shape == x.permute((1, 0)).shape == x.permute(dims=(1, 0)).shape == (3, 2)
    assert x.unsqueeze(0).shape == (1, 2, 3) and x.unsqueeze(dim=-1).shape == (2, 3, 1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: x.transpose((1, 0), axes=(1, 0)), ArgumentError, "transpose: ((1, 0),) and axes=(1, 0)"),
        (lambda x: x.permute(1, 0, axes=(1, 0)), ArgumentError, "permute: (1, 0) and axes=(1, 0)"),
        (lambda x: x.item(9), IndexOutOfBounds, "item: position 9 of 4 cells"),
        (lambda x: x.item(1, 1, 1), ShapeError, "item: 3 indices for shape (2, 2)"),
        (lambda x: x.item(2, 0), IndexOutOfBounds, "2"),
        (lambda x: x.put(9, 1), IndexOutOfBounds, "put: position 9 of 4 cells"),
        (lambda x: x.put(0, []), ShapeError, "put: no values for 1 positions"),
        (lambda x: x.compress([[True]]), ShapeError, "compress: a condition of shape (1, 1)"),
        (lambda x: weft.partition(x, 5), IndexOutOfBounds, "partition: kth 5 for an axis of size 2"),
        (lambda x: weft.choose(weft.asarray([5]), [x]), IndexOutOfBounds, "choose: the number 5 of 1 choices"),
        (lambda x: weft.choose(x, [x]), ValueError, "choose: 1 choices by float64 cells"),
        (lambda x: weft.choose(weft.asarray([0]), [x], mode="?"), ValueError, "choose: mode '?'"),
    ],
)
def test_faults(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call(weft.ones((2, 2)))


def test_missing_methods_name_what_has_their_place():
    x = weft.ones(2)
    for name, advice in {"sqrt": "weft.sqrt(x)", "cpu": "x.to('cpu')", "concatenate": "weft.concat(x)"}.items():
        with pytest.raises(AttributeError, match=re.escape(f"'Tensor' object has no attribute '{name}'; see {advice}")):
            getattr(x, name)
    for name in ("nonsense", "__array_struct__"):
        with pytest.raises(AttributeError, match=re.escape(f"has no attribute '{name}'") + "$"):
            getattr(x, name)
    assert not hasattr(x, "_private") and not hasattr(x, "sqrt") and not hasattr(weft.Tensor, "sqrt")
    assert "sqrt" not in dir(x) and {"sum", "T", "__add__", "grad"} <= set(dir(x))


def test_creation_by_habit():
    assert weft.ones(2, 3).shape == weft.zeros(2, 3).shape == weft.empty(2, 3).shape == (2, 3)
    assert weft.zeros((2, 3), int).dtype is weft.int64 and weft.ones(3, weft.int8).dtype is weft.int8
    assert weft.asarray([1, 2], float).dtype is weft.float64 and weft.zeros_like(weft.ones(2), "i4").dtype is weft.int32
    assert weft.linspace(0, 1).tolist() == np.linspace(0, 1).tolist()
    x = weft.tensor([1.0, 2.0], requires_grad=True)
    assert x.requires_grad and not weft.tensor([1, 2]).requires_grad
    for call in (lambda: weft.zeros(2, 3, "f4"), lambda: weft.ones((2, 3), "f4", dtype="f4")):
        with pytest.raises(ArgumentError, match="a shape and a dtype are asked for"):
            call()


def test_where_of_a_condition_alone_gives_positions():
    a = np.asarray([[0, 3], [5, 0]])
    assert [i.tolist() for i in weft.where(weft.asarray(a) > 0)] == [i.tolist() for i in np.where(a > 0)]


@settings(max_examples=examples(25))
@given(a=arrays(least=1, dtypes=st.sampled_from(["i4", "f8", "u1"])), largest=st.booleans(), data=st.data())
def test_topk(a, largest, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    k = data.draw(st.integers(0, a.shape[axis]))
    values, indices = weft.topk(weft.asarray(a), k, dim=axis, largest=largest)
    wanted = np.sort(a, axis=axis)
    wanted = np.take(np.flip(wanted, axis) if largest else wanted, range(k), axis)
    np.testing.assert_array_equal(values.numpy(), wanted)
    np.testing.assert_array_equal(np.take_along_axis(a, indices.numpy(), axis), wanted)
    with pytest.raises(ValueError, match="topk: k 9 for an axis of size"):
        weft.topk(weft.asarray(a), 9, axis=axis)


@pytest.mark.parametrize("dtype", ["u1", np.int32, weft.float32, "<i8", "bool"])
def test_bytes_are_read_as_another_dtype(dtype):
    a = np.array([[1.5, -2.0], [0.0, 3.25]])[:, :1] if dtype == "<i8" else np.array([[1, 256], [7, 0]], "i4")
    x = weft.asarray(a, copy=True)
    theirs = np.dtype(dtype)
    np.testing.assert_array_equal(x.view(dtype).numpy(), np.ascontiguousarray(a).view(theirs))
    np.testing.assert_array_equal(x.view(dtype=dtype).numpy(), np.ascontiguousarray(a).view(theirs))


def test_bytes_under_another_dtype_are_the_same_memory():
    x = weft.zeros(2, dtype=weft.int32)
    y = x.view(weft.uint8)
    y[0] = 5
    x[1] = 1
    assert (x.tolist(), y.tolist()) == ([5, 1], [5, 0, 0, 0, 1, 0, 0, 0])
    with pytest.raises(ShapeError, match=r"view: uint8 cells .*; copy or reshape it first"):
        weft.zeros((3, 3), dtype=weft.uint8).view(weft.int16)
    with pytest.raises(DTypeError):
        x.view("nonsense")


def test_parts_of_complex_cells_are_written():
    a, z = (np.array([1 + 2j, 3.0]) for _ in range(2))
    x = weft.asarray(z)
    for target in (a, x):
        target.real = [5, 6]
        target.imag[1] = -1
        target.imag *= 2
    assert x.tolist() == a.tolist()
    with pytest.raises(WriteError):
        weft.ones(2).imag = 3
