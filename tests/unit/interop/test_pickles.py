"""Pickles and copies keep what a tensor is beside its cells; those of fields and computations keep what they mean."""

import copy
import pickle

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import DTypeError, WriteError
from weft.tensors.tensor import node_of


def through_pickle(x):
    return pickle.loads(pickle.dumps(x))


def old_pickle(x):
    return pickle.loads(pickle.dumps(x, 2))


WAYS = [copy.copy, copy.deepcopy, through_pickle, old_pickle]
LAYOUTS = {
    "rows": lambda a: a,
    "columns": np.asfortranarray,
    "turned": lambda a: np.ascontiguousarray(a.transpose(1, 2, 0)).transpose(2, 0, 1),
    "part": lambda a: np.asfortranarray(np.concatenate([a, a]))[::2],
    "backward": lambda a: a[::-1],
}


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request):
    return request.param


@for_each("dtype", ["f8", ">i4", "bfloat16", "?"])
@for_each("layout", LAYOUTS)
def test_layout_byte_order_and_origin(way, layout, dtype):
    cells = LAYOUTS[layout](np.arange(24).reshape(2, 3, 4) % 7)
    cells = np.asarray(cells, order="K")
    x = weft.asarray(cells.astype(dtype, order="K") if dtype != "bfloat16" else cells)
    x = weft.asarray(weft.astype(x, weft.bfloat16)) if dtype == "bfloat16" else x
    x = weft.translate(x, (5, -2, 0))
    y = way(x)
    assert (y.dtype, y.byteorder, y.domain) == (x.dtype, x.byteorder, x.domain)
    assert y.tolist() == x.tolist()
    steps = node_of(x).desc.strides
    if steps is not None:
        order = sorted(range(3), key=lambda a: -abs(steps[a]))
        assert sorted(range(3), key=lambda a: -y.strides[a]) == order, "axes lie in the same order"
    y[...] = False
    assert x.tolist() != y.tolist(), "a copy is one"


def test_columns_stay_columns(way):
    y = way(weft.asarray(np.asfortranarray(np.arange(6.0).reshape(2, 3))))
    assert y.strides == (8, 16)
    assert y.numpy().flags.f_contiguous


def test_read_only(way):
    for x in (
        weft.constant([1, 2]),
        weft.constant(np.asfortranarray(np.eye(3))),
        weft.translate(weft.constant([1, 2]), 3),
    ):
        y = way(x)
        assert (y.tolist(), y.domain) == (x.tolist(), x.domain)
        with pytest.raises(WriteError):
            y[...] = 0


def test_copies_carry_gradients():
    x = weft.asarray(np.asfortranarray(np.eye(2))).requires_grad_()
    (copy.copy(x) * 3).sum().backward()
    assert x.grad.tolist() == [[3, 3], [3, 3]]


# ---- fields


FIELDS = {
    "uniform": lambda: weft.random.uniform((1000, 1000), seed=3),
    "normal": lambda: weft.random.normal((1000, 1000), seed=3, dtype=weft.float32),
    "integers": lambda: weft.random.integers((1000, 1000), low=0, high=9, seed=3),
    "view": lambda: weft.random.uniform((1000, 2000), seed=3)[::2, 5:1005].T,
    "scaled": lambda: weft.random.uniform((1000, 1000), seed=3) * 2 + 1,
    "moved": lambda: weft.translate(weft.random.uniform((1000, 1000), seed=3), (4, 5)),
}


@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_pickled_as_its_numbers(name, protocol):
    x = FIELDS[name]()
    data = pickle.dumps(x, protocol)
    assert len(data) < 1500
    y = pickle.loads(data)
    assert (y.dtype, y.shape, y.domain) == (x.dtype, x.shape, x.domain)
    np.testing.assert_array_equal(y[3:9, ::97].numpy(), x[3:9, ::97].numpy())
    y[0, 0] = 7
    assert y[0, 0].item() == 7


def test_a_field_larger_than_memory():
    x = weft.random.uniform((2**40, 2**10), seed=1)
    y = pickle.loads(pickle.dumps(x))
    assert y[2**39 + 5, 3].item() == x[2**39 + 5, 3].item()


def test_values_other_than_fields_are_pickled_as_cells():
    x = weft.asarray(np.arange(1000.0))
    for y in (x + weft.random.uniform((1000,), seed=1), weft.sin(weft.arange(1000) / 2)):
        assert len(pickle.dumps(y)) > 8000
        np.testing.assert_array_equal(through_pickle(y).numpy(), y.numpy())


# ---- computations


@pytest.mark.parametrize("way", [through_pickle, old_pickle, copy.deepcopy, copy.copy], ids=lambda way: way.__name__)
def test_a_computation(way):
    x, y = weft.placeholder((2, 3), name="x"), weft.placeholder((3,), name="y")
    table = weft.constant(np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3)))
    f = weft.computation([x * table.T.T + y, weft.sum(x), table[::-1, 1]], x, y)
    g = way(f)
    assert repr(g) == repr(f)
    for seed in (1, 2):
        a, b = np.random.default_rng(seed).random((2, 3)), np.arange(3.0)
        for mine, theirs in zip(g(a, b), f(a, b), strict=True):
            np.testing.assert_array_equal(mine.numpy(), theirs.numpy())


def test_a_computation_with_variables():
    x, w = weft.placeholder((2,), name="x"), weft.variable([1.0, 10.0])
    count = weft.persistent(0, dtype=weft.int64)
    f = weft.computation([(x * w).sum(), count + 1], x)
    w[0] = 5
    g = through_pickle(f)
    assert [part.item() for part in g([1.0, 2.0])] == [25.0, 1]
    w[0] = 7
    assert [f([1.0, 2.0])[0].item(), g([1.0, 2.0])[0].item()] == [27.0, 25.0], "a pickle has variables of its own"


def test_an_input_that_is_not_used():
    x, y = weft.placeholder((2,), name="x"), weft.placeholder((2,), name="y")
    g = through_pickle(weft.computation(y * 2, x, y))
    assert g([0.0, 0.0], [1.0, 2.0]).tolist() == [2, 4]


def test_a_computation_of_a_field_and_of_checks():
    x = weft.placeholder((1000,), name="x")
    with weft.math_mode("error"):
        f = weft.computation(weft.log(x) + weft.random.uniform((1000,), seed=4), x)
    data = pickle.dumps(f)
    assert len(data) < 3000
    g = pickle.loads(data)
    np.testing.assert_array_equal(g(np.ones(1000)).numpy(), f(np.ones(1000)).numpy())
    with pytest.raises(weft.errors.DomainError):
        g(-np.ones(1000))


def test_a_computation_that_reads_a_file(tmp_path):
    np.save(tmp_path / "a.npy", np.ones(3))
    x = weft.placeholder((3,), name="x")
    f = weft.computation(x + weft.open(tmp_path / "a.npy"), x)
    with pytest.raises(DTypeError, match=r"pickle: a computation that reads a file; .*; realize\(\) it"):
        pickle.dumps(f)
