"""Foreign objects become tensors: shared where they have memory, converted by weft's rules where asked."""

import array
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import ShapeError, WeftError
from weft.interop.imports import own

pytestmark = pytest.mark.usefixtures("transformer")


def layouts():
    base = np.arange(24, dtype=np.int32)
    buffer = np.zeros(4 * 24 + 1, np.uint8)
    unaligned = buffer[1:].view(np.int32)
    unaligned[:] = base
    return {
        "plain": base, "negative": base[::-1], "strided": base[::3], "F": base.reshape(4, 6, order="F"),
        "unaligned": unaligned, "big": base.astype(">i4"), "broadcast": np.broadcast_to(base[:3], (2, 3)),
        "empty": base[:0], "rank 0": base[5, ...], "transposed": base.reshape(2, 3, 4).transpose(1, 2, 0),
    }  # fmt: skip


@for_each("name", layouts())
def test_arrays_are_shared_whatever_their_layout(name):
    a = layouts()[name]
    x = weft.asarray(a)
    assert np.array_equal(x.numpy(), a) and np.array_equal((x + 1).numpy(), a + 1)
    assert np.shares_memory(x.numpy(), a) or not a.size
    if a.flags.writeable and a.size:
        a[...] = 7
        assert np.array_equal(x.numpy(), a)
        x[...] = 9
        assert (a == 9).all()


def test_an_array_without_other_references_becomes_the_tensors_own():
    def is_shared(t):
        return t._place.region is not None

    array, holder = np.ones(3), [np.ones(3)]
    own = [is_shared(weft.asarray(np.ones(3))), is_shared(weft.asarray(np.ones((2, 3), order="F")))]
    assert own == [False, False]  # pytest holds what is written in an assertion
    assert is_shared(weft.asarray(array)) and is_shared(weft.asarray(holder[0])) and is_shared(weft.asarray(*holder))
    assert is_shared(weft.asarray(np.ones(3)[1:])) and is_shared(weft.asarray(np.broadcast_to(np.ones(1), 3)))
    view = memoryview(array)
    del array
    assert is_shared(weft.asarray(view.obj))


def test_an_array_that_any_variable_holds_stays_shared():
    """Python 3.14 lends local variables to calls without counting them."""

    def is_shared(t):
        return t._place.region is not None

    def arrays():
        yield from (np.ones(3) for _ in range(2))

    def handed_on(array):
        return is_shared(weft.asarray(array))

    def by_star(*arrays):
        return is_shared(weft.asarray(*arrays))

    local = np.ones(3)
    found = [handed_on(np.ones(3)), handed_on(local), by_star(local), by_star(np.ones(3))]
    found += [is_shared(weft.asarray(a)) for a in arrays()]
    found += map(is_shared, map(weft.asarray, [local]))
    found += [(lambda: is_shared(weft.asarray(local)))(), (lambda a: is_shared(weft.asarray(a)))(np.ones(3))]
    code = """
import numpy, weft
made = [(weft.asarray(a), a) for a in (numpy.ones(3) for _ in range(2))]
a = numpy.ones(3)
x = weft.asarray(a)
"""
    exec(code, names := {})
    found += [is_shared(x) for x, _ in names["made"]] + [is_shared(names["x"])]
    assert found == [True] * len(found)


def test_read_only_arrays_stay_so():
    a = np.arange(3)
    a.flags.writeable = False
    x = weft.asarray(a)
    with pytest.raises(weft.errors.WriteError):
        x[0] = 1
    assert not x.numpy().flags.writeable


@for_each("dtype", [d.name for d in weft.dtypes.COMMON])
@for_each("order", ["<", ">"])
def test_every_dtype_in_both_orders_comes_back(dtype, order):
    np_dtype = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
    a = np.asarray([0, 1, 1]).astype(np_dtype).astype(np_dtype.newbyteorder(order))
    x = weft.asarray(a)
    assert x.dtype.name == dtype and x.numpy().dtype == a.dtype
    assert x.tolist() == [0, 1, 1]
    assert x[1:].copy().byteorder == "little" if dtype != "bool" else True


SOURCES = {
    "bytes": (lambda: bytes([1, 2]), "uint8", False),
    "bytearray": (lambda: bytearray([1, 2]), "uint8", True),
    "array": (lambda: array.array("d", [1, 2]), "float64", True),
    "memoryview": (lambda: memoryview(bytearray([1, 2])), "uint8", True),
    "range": (lambda: range(1, 3), "int64", None),
    "tuple": (lambda: (1, 2.0), "float64", None),
    "NumPy scalars": (lambda: [np.float32(1), np.float32(2)], "float32", None),
    "tensors": (lambda: [weft.asarray(1), weft.asarray(2)], "int64", None),
    "DLPack only": (lambda: OnlyDLPack(np.asarray([1, 2], dtype="int16")), "int16", True),
    "array interface": (lambda: OnlyInterface(np.asarray([1, 2], dtype=">i2")), "int16", True),
}


class OnlyDLPack:
    def __init__(self, a):
        self.__dlpack__, self.__dlpack_device__ = a.__dlpack__, a.__dlpack_device__


class OnlyInterface:
    def __init__(self, a):
        self.a, self.__array_interface__ = a, a.__array_interface__


@for_each("name", SOURCES)
def test_objects_with_numbers_are_converted(name):
    make, dtype, writable = SOURCES[name]
    source = make()
    x = weft.asarray(source)
    assert x.dtype.name == dtype and x.tolist() == [1, 2]
    if writable is not None:
        assert x.numpy().flags.writeable is writable


def test_a_snapshot_does_not_follow():
    a = np.zeros(2)
    copies = [weft.array(a), weft.asarray(a, copy=True), weft.asarray(weft.asarray(a), copy=True)]
    a[0] = 5
    assert [c.tolist() for c in copies] == [[0.0, 0.0]] * 3


def test_a_tensor_is_its_own_import():
    x = weft.arange(3)
    assert weft.asarray(x) is x and weft.asarray(x, dtype="int64") is x
    assert weft.asarray(x, dtype="float32").tolist() == [0.0, 1.0, 2.0]
    assert weft.from_dlpack(x).tolist() == [0, 1, 2]


def test_a_dtype_names_no_byte_order_but_a_spelling_may():
    a = np.asarray([1.0, 2.0], dtype=">f4")
    assert np.shares_memory(weft.asarray(a, dtype=weft.float32).numpy(), a)
    assert weft.asarray(a, dtype="<f4").byteorder == "little"
    assert weft.asarray(weft.asarray(a), dtype="<f4").byteorder == "little"
    assert weft.asarray(weft.asarray(a), dtype=weft.float32).byteorder == "big"


def test_conversions_follow_wefts_rules():
    a = np.asarray([1e20, -1.5, float("nan"), 1e-3])
    assert weft.asarray(a, dtype="int32").tolist() == [2**31 - 1, -1, 0, 0]
    odd = 1 + 2**-8 + 2**-40  # rounds up to the next bfloat16, but down by way of float32
    assert weft.asarray([odd], dtype="bfloat16").tolist() == [1 + 2**-7]
    assert weft.asarray(np.asarray([odd]), dtype="bfloat16").tolist() == [1 + 2**-7]


def test_a_nest_in_itself_is_refused_beside_devices():
    weft.zeros(1, device="thread:0").tolist()
    nest = [1]
    nest[0] = nest
    with pytest.raises(ShapeError, match="lists nested over 64 deep"):
        weft.asarray(nest)


def test_own_memory_is_never_a_view_of_other_memory():
    base = np.arange(4)
    x = own(base[1:])
    base[:] = 0
    assert x.tolist() == [1, 2, 3]


CELLS = np.arange(3.0)


def interface(**lies):
    """An object whose array interface is that of CELLS, but for some entries; None takes one out."""
    entries = {**CELLS.__array_interface__, **lies}
    return SimpleNamespace(__array_interface__={k: v for k, v in entries.items() if v is not None})


def speaks(**methods):
    return type("Odd", (), {name: lambda self, *_, f=f, **how: f() for name, f in methods.items()})()


def failing(error):
    def fail():
        raise error

    return fail


def on_host():
    return 1, 0


BROKEN = {
    "no array": (speaks(__array__=lambda: [1.0, 2.0]), "__array__ of Odd"),
    "a text": (speaks(__array__=lambda: "abc"), "__array__ of Odd"),
    "array raises": (speaks(__array__=failing(ValueError("not today"))), "__array__ of Odd: not today"),
    "array of no numbers": (speaks(__array__=lambda: np.array(["a"])), "no weft counterpart"),
    "a size below 0": (interface(shape=(-3,)), "__array_interface__ of SimpleNamespace: negative dimensions"),
    "a size of a float": (interface(shape=(3.0,)), "__array_interface__ of"),
    "no shape": (interface(shape=None), "__array_interface__ of"),
    "sizes beyond memory": (interface(shape=(1 << 62, 4)), "__array_interface__ of"),
    "sizes beyond integers": (interface(shape=(1 << 70,)), "__array_interface__ of"),
    "strides of another rank": (interface(strides=()), "__array_interface__ of"),
    "strides beyond memory": (interface(strides=(1 << 62,)), r"strides \(4611686018427387904,\) at addresses"),
    "strides before memory": (interface(strides=(-1 << 60,)), "at addresses -"),
    "an address below 0": (interface(data=(-64, False)), "at addresses"),
    "address 0": (interface(data=(0, False)), "__array_interface__ of"),
    "an unknown dtype": (interface(typestr="<q8"), "__array_interface__ of"),
    "references": (interface(typestr="|O8"), "no weft counterpart"),
    "no device": (speaks(__dlpack__=CELLS.__dlpack__), "__dlpack__ of Odd"),
    "a device of texts": (speaks(__dlpack__=CELLS.__dlpack__, __dlpack_device__=lambda: ("a", "b")), "__dlpack__ of"),
    "half a device": (speaks(__dlpack__=CELLS.__dlpack__, __dlpack_device__=lambda: (1,)), "__dlpack__ of Odd"),
    "no capsule": (speaks(__dlpack__=lambda: 5, __dlpack_device__=on_host), "__dlpack__ of Odd"),
    "no export": (
        speaks(__dlpack__=failing(BufferError("gone")), __dlpack_device__=on_host),
        "__dlpack__ of Odd: gone",
    ),
    "no export, no array": (
        speaks(__dlpack__=failing(BufferError("gone")), __dlpack_device__=on_host, __array__=lambda: 3),
        "int, which is no NumPy array",
    ),
}


@for_each("name", BROKEN)
def test_an_object_that_breaks_its_protocol_is_named(name):
    obj, says = BROKEN[name]
    for read in (weft.asarray, weft.array, lambda x: weft.zeros(3) + x, lambda x: weft.asarray([x, x])):
        with pytest.raises(WeftError, match=says):
            read(obj)
    if hasattr(obj, "__dlpack__"):
        with pytest.raises(WeftError, match=says):
            weft.from_dlpack(obj)


def test_errors_of_an_objects_own_methods_are_not_hidden():
    with pytest.raises(ZeroDivisionError, match="own"):
        weft.asarray(speaks(__array__=failing(ZeroDivisionError("own"))))
