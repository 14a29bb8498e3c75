"""Tensors become foreign objects: arrays, DLPack, buffers, pickles."""

import gc
import pickle
import sys

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import OutOfMemory, ShapeError

pytestmark = pytest.mark.usefixtures("transformer")


def test_numpy_and_dlpack_share_memory():
    x = weft.arange(4) * 1.0
    a, b = x.numpy(), np.from_dlpack(x)
    x[0] = 7
    assert a[0] == b[0] == 7
    a[1] = 8
    assert x.tolist() == [7.0, 8.0, 2.0, 3.0]


@pytest.mark.parametrize("a", [np.arange(3), np.int32(7), np.ones((2, 3), ">f4").T, np.ones((0, 2))])
def test_bytes_are_those_of_the_cells(a):
    assert bytes(weft.asarray(a)) == np.asarray(a).tobytes() == weft.asarray(a).tobytes()


def test_to_numpy_shares_memory_as_numpy_does():
    x = weft.zeros(2)
    x.to_numpy()[0] = 3
    assert x.tolist() == [3.0, 0.0]


def test_dlpack_device_and_copies():
    x = weft.arange(3)
    assert x.__dlpack_device__() == (1, 0)
    copied = np.from_dlpack(x, copy=True)
    x[0] = 9
    assert copied[0] == 0


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float64", "complex64", "bool"])
def test_dlpack_round_trip(dtype):
    x = weft.ones((2, 3), dtype=dtype).T
    assert weft.from_dlpack(np.from_dlpack(x)).tolist() == x.tolist()


def test_dtypes_that_numpys_dlpack_lacks_raise():
    with pytest.raises((BufferError, RuntimeError), match="Unsupported dtype"):  # NumPy's words
        np.from_dlpack(weft.ones(1, dtype="bfloat16"))
    with pytest.raises(BufferError, match="dlpack: big-endian cells"):
        np.from_dlpack(weft.ones(1, dtype=">f4"))


def test_read_only_exports():
    c = weft.constant([1, 2])
    assert not c.numpy().flags.writeable and not np.from_dlpack(c).flags.writeable
    assert not weft.broadcast_to(weft.asarray([1]), (3,)).numpy().flags.writeable


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes of Python have buffers from 3.12 on")
def test_buffers():
    x = weft.arange(3)
    view = memoryview(x)
    view[0] = 5
    assert x.tolist() == [5, 1, 2]


def test_buffers_by_name():
    x = weft.arange(3)
    x.__buffer__(0)[0] = 5
    assert x.tolist() == [5, 1, 2]
    with pytest.raises(BufferError, match="buffer: bfloat16 cells"):
        weft.ones(1, dtype="bfloat16").__buffer__(0)


LAID_OUT = {
    "matrix": lambda: weft.asarray(np.arange(12.0).reshape(3, 4)) + 0,
    "transposed": lambda: weft.asarray(np.arange(12.0).reshape(3, 4)).T,
    "backwards": lambda: weft.asarray(np.arange(12.0).reshape(3, 4))[::-2, ::-1],
    "inner": lambda: weft.asarray(np.arange(12).reshape(3, 4))[1:, 1::2],
    "rank 0": lambda: weft.asarray(3.5),
    "empty": lambda: weft.zeros((0, 3)),
    "constant": lambda: weft.constant([1, 2]),
    "broadcast": lambda: weft.broadcast_to(weft.asarray([1, 2]), (3, 2)),
    "big": lambda: weft.asarray(np.arange(3, dtype=">f4")),
    "bools": lambda: weft.asarray([True, False]),
}


@for_each("name", LAID_OUT)
def test_the_array_interface_shares_memory_of_every_layout(name):
    x = LAID_OUT[name]()
    found = x.__array_interface__
    assert (found["version"], found["shape"], found["strides"]) == (3, x.shape, x.numpy().strides)
    a = np.asarray(type("Foreign", (), {"__array_interface__": found})())
    assert a.dtype == x.numpy().dtype and a.tolist() == x.tolist() == np.asarray(x).tolist()
    assert a.flags.writeable == x.numpy().flags.writeable and (not a.size or np.shares_memory(a, x.numpy()))


def test_the_array_interface_keeps_memory_and_versions():
    x = weft.asarray([1.0, 2.0, 3.0]) * 1
    a, pending = np.asarray(x), x * 10
    x[0] = 5
    assert a.tolist() == [5, 2, 3] and pending.tolist() == [10, 20, 30]
    del x
    gc.collect()
    assert a.tolist() == [5, 2, 3]
    for other in (weft.ones(2, dtype="bfloat16"), weft.ones(2).to("thread:0")):
        assert not hasattr(other, "__array_interface__") and np.asarray(other).tolist() == [1, 1]
    with pytest.raises(TypeError):
        weft.ones(2).__array_interface__["data"][0]  # no address that could be taken for one


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="classes of Python have buffers from 3.12 on")
def test_buffers_before_classes_had_them():
    x = weft.arange(3)
    with pytest.raises(TypeError):
        memoryview(x)
    for view in (memoryview(x.numpy()), x.export("memoryview"), memoryview(np.asarray(x))):
        view[0] += 1
    assert x.tolist() == [3, 1, 2]


MADE = {
    "pending": lambda: weft.arange(3) + 1,
    "big": lambda: weft.asarray(np.arange(3, dtype=">f4")),
    "bfloat16": lambda: weft.asarray([0.5, 2.0], dtype="bfloat16"),
    "view": lambda: weft.asarray(np.arange(6).reshape(2, 3)).T[::-1],
    "rank 0": lambda: weft.asarray(3.5),
    "empty": lambda: weft.zeros((0, 3)),
}


@for_each("protocol", [2, 5])
@for_each("name", MADE)
def test_pickles(name, protocol):
    x = MADE[name]()
    y = pickle.loads(pickle.dumps(x, protocol))
    assert (y.dtype, y.shape, y.byteorder) == (x.dtype, x.shape, x.byteorder)
    assert y.tolist() == x.tolist()
    y[...] = 0
    assert x.size == 0 or x.tolist() != y.tolist()


def test_pickles_with_buffers_aside():
    buffers = []
    x = weft.arange(1000)
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 1000 and len(buffers) == 1
    assert pickle.loads(data, buffers=buffers).tolist() == x.tolist()


def test_constants_stay_constant():
    y = pickle.loads(pickle.dumps(weft.constant([1, 2])))
    with pytest.raises(weft.errors.WriteError):
        y[0] = 1


def test_mixed_operations_with_arrays_are_ours():
    a, x = np.ones(3), weft.arange(3)
    for result in (a + x, x + a, np.float64(1) + x, a @ x * x):
        assert type(result) is weft.Tensor
    assert np.asarray(x).tolist() == [0, 1, 2] and np.array(x, dtype="f4").dtype == np.float32
    assert type(np.sin(x)) is weft.Tensor


def test_imports_find_memory_that_only_expressions_still_read():
    x = weft.asarray([1, 2, 3]) + 0
    pending, array = x * 10, x.numpy()
    del x
    weft.asarray(array[:2])[0] = 8
    assert pending.tolist() == [10, 20, 30] and array.tolist() == [8, 2, 3]


def test_imports_find_memory_whose_first_version_is_gone():
    x = weft.asarray([1, 2, 3]) + 0
    array, pending = x.numpy(), x * 10
    x[1] = 5  # the expression takes a copy, the tensor keeps what the array sees
    later = x + 1
    del pending
    y = weft.asarray(array[:2])
    y[0] = 8
    assert later.tolist() == [2, 6, 4] and x.tolist() == array.tolist() == [8, 5, 3]
    x[0] = 9
    assert y.tolist() == [9, 5]


def test_expressions_alone_do_not_hide_who_shares_their_memory():
    s = weft.storage(3, weft.int64)
    x, y, z = s.tensor(), s.tensor(), s.tensor()
    pending, other, array = x * 10, y + 1, x.numpy()
    del x
    weft.asarray(np.zeros(1))  # looks through what was exported
    z[0] = 8
    assert pending.tolist() == [0, 0, 0] and other.tolist() == [1, 1, 1] and array.tolist() == y.tolist() == [8, 0, 0]
    y += 1
    assert z.tolist() == [9, 1, 1]


@pytest.mark.parametrize(
    "look", [weft.Tensor.numpy, weft.Tensor.tolist, np.asarray, np.from_dlpack, lambda x: weft.asarray([x])]
)
def test_broadcasts_beyond_what_arrays_may_count_say_so(look):
    x = weft.broadcast_to(weft.asarray([1.0, 2.0]), (1 << 60, 2))
    with pytest.raises(
        ShapeError, match=r"numpy: cells of shape \(1152921504606846976, 2\) count 18446744073709551616 bytes"
    ):
        look(x)
    assert x[1 << 59].tolist() == [1.0, 2.0]
    x[...] = [3.0, 4.0]
    assert x[(1 << 60) - 1].tolist() == [3.0, 4.0]
    with pytest.raises(OutOfMemory, match="no such memory left"):
        weft.assign(x, 5.0)


@pytest.mark.parametrize("sorted_by", [weft.sort, weft.argsort])
def test_an_array_of_few_sorted_cells_leaves_the_others_unsorted(sorted_by):
    a = np.random.default_rng(0).random(40_000)
    last = sorted_by(weft.asarray(a))[-10:]
    np.testing.assert_array_equal(np.asarray(last), getattr(np, sorted_by.__name__)(a, kind="stable")[-10:])
    assert last._place.node.value is None


@pytest.mark.parametrize("name", ["torch", "jax", "cupy"])
def test_a_package_that_is_missing_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=f"export: {name} is not installed; .* pip install {name}, or export"):
        weft.ones(2).export(name)
