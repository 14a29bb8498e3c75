"""Foreign types: what is taken wherever an operand is, what tensors become, and what is refused."""

from __future__ import annotations

import array
import ctypes
import sys
import types

import numpy as np
import pytest

import weft
from weft.errors import DTypeError, ShapeError, ValueRangeError, WriteError
from weft.tensors import foreign_rows


class Degrees:
    """A foreign array without any protocol."""

    def __init__(self, values):
        self.values = values


class Money:
    """A foreign scalar."""

    def __init__(self, amount):
        self.amount = amount


@pytest.fixture
def degrees():
    weft.register_type(
        "degrees", Degrees, to_weft=lambda d: d.values, from_weft=lambda x, copy: Degrees(x.export("numpy", copy=copy))
    )
    yield
    weft.unregister_type("degrees")


class Interface:
    def __init__(self, a):
        self.array = a

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class DLPack:
    def __init__(self, a, device=(1, 0)):
        self.array, self.device = a, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


class Method:
    def __init__(self, a):
        self.array = a

    def __array__(self, dtype=None, copy=None):
        return self.array


class Wrapper(Method):
    """Has operators of its own, which decide."""

    def __radd__(self, other):
        return "its own"


class OnDevice:
    @property
    def __cuda_array_interface__(self):
        return {"shape": (2,), "typestr": "<f8", "data": (1 << 40, False), "version": 3}

    def __array__(self, dtype=None, copy=None):
        raise TypeError("implicit conversion")


def of_ctypes(a):
    return (ctypes.c_int32 * 4)(*a.tolist())


SHARED = {
    "numpy": lambda a: a,
    "interface": Interface,
    "dlpack": DLPack,
    "method": Method,
    "memoryview": memoryview,
    "array.array": lambda a: array.array("i", a.tolist()),
    "ctypes": of_ctypes,
    "bytearray": lambda a: bytearray(a.astype(np.uint8).tobytes()),
}
COLUMN = np.array([1, 2, 3, 4], np.int32)


@pytest.mark.parametrize("kind", SHARED)
def test_memory_is_shared(kind):
    obj = SHARED[kind](COLUMN.copy())
    x = weft.asarray(obj, copy=False)
    assert x.tolist() == [1, 2, 3, 4]
    x[0] = 9
    assert weft.asarray(obj).tolist() == [9, 2, 3, 4]
    assert weft.array(obj).tolist() == [9, 2, 3, 4]


@pytest.mark.parametrize("kind", SHARED)
def test_they_stand_wherever_an_operand_does(kind):
    obj, x = SHARED[kind](COLUMN.copy()), weft.asarray([10, 20, 30, 40])
    assert (x + obj).tolist() == [11, 22, 33, 44]
    assert (obj * x).tolist() == [10, 40, 90, 160]
    assert (x > obj).tolist() == [True] * 4
    assert weft.subtract(obj, 1).tolist() == [0, 1, 2, 3]
    assert weft.sum(obj).item() == 10
    assert weft.asarray([obj, x]).tolist() == [[1, 2, 3, 4], [10, 20, 30, 40]]
    assert weft.concat([obj, x]).tolist() == [1, 2, 3, 4, 10, 20, 30, 40]
    y = weft.zeros(4, dtype=weft.int64)
    y[...] = obj
    assert y.tolist() == [1, 2, 3, 4]
    y += obj
    assert y.tolist() == [2, 4, 6, 8]
    assert weft.asarray(range(5))[obj].tolist() == [1, 2, 3, 4]
    weft.add(x, 1, out=obj) if kind != "bytearray" else None
    assert (x @ obj).shape == () and (weft.where(x > 0, obj, 0)).shape == (4,)


def test_registered_types_stand_there_too(degrees):
    x, d = weft.asarray([1.0, 2.0]), Degrees(np.array([180.0, 90.0]))
    assert (x + d).tolist() == (d + x).tolist() == [181.0, 92.0]
    assert weft.asarray([d, [1, 2]]).tolist() == [[180.0, 90.0], [1.0, 2.0]]
    x[:] = d
    assert x.tolist() == [180.0, 90.0] and (x @ d).item() == 180.0**2 + 90.0**2
    weft.asarray(d, copy=False)[0] = 7
    assert d.values.tolist() == [7.0, 90.0]
    assert weft.full_like(d, 3).tolist() == [3.0, 3.0]
    out = Degrees(np.zeros(2))
    weft.add(x, 1, out=out)
    assert out.values.tolist() == [181.0, 91.0]
    assert weft.asarray([5.0, 6.0, 7.0])[Degrees(np.array([2, 0]))].tolist() == [7.0, 5.0]


def test_exports_by_name_and_by_type(degrees):
    x = weft.asarray([1.0, 2.0])
    made = x.export(Degrees, copy=False)
    made.values[0] = 5
    assert x.tolist() == [5.0, 2.0] and "degrees" in weft.export_types()
    assert weft.export([1, 2], "degrees").values.tolist() == [1, 2]
    free = x.export("numpy", copy=True)
    free[0] = 6
    assert x.tolist() == [5.0, 2.0]
    assert type(x.export(np.ndarray)) is np.ndarray
    assert x.export("memoryview").tolist() == [5.0, 2.0]
    assert np.from_dlpack(DLPack(x.numpy())).tolist() == [5.0, 2.0]
    with pytest.raises(
        ValueRangeError, match="export: 'nothing' is no type that tensors become; they become degrees, "
    ):
        x.export("nothing")
    with pytest.raises(ValueRangeError, match="export: 'int' is no type"):
        x.export(int)


def test_a_plug_in_may_return_any_readable_object():
    gives = {
        "tensor": (weft.asarray([1, 2]), True), "list": ([1, 2], False), "buffer": (array.array("q", [1, 2]), True),
        "dlpack": (DLPack(np.array([1, 2])), True),
    }  # fmt: skip
    for name, (what, shares) in gives.items():
        weft.register_type("degrees", Degrees, to_weft=lambda d: d.values, shares=shares)
        x = weft.asarray(Degrees(what), copy=False) if shares else weft.asarray(Degrees(what))
        assert x.tolist() == [1, 2], name
        if not shares:
            with pytest.raises(ValueRangeError, match="Degrees has no memory to share"):
                weft.asarray(Degrees(what), copy=False)
    weft.unregister_type("degrees")


def test_a_tensor_that_a_plug_in_gives_is_that_tensor(degrees):
    there, here = weft.asarray([1.0, 2.0], device="thread:0"), weft.asarray([1.0, 2.0])
    assert weft.asarray(Degrees(there), copy=False) is there and weft.asarray(Degrees(here * 2)).device == "cpu"
    assert (there + Degrees(there)).device == (Degrees(there) + there).device == "thread:0"
    assert (here + Degrees(there)).device == weft.asarray(Degrees(there), device="cpu").device == "cpu"
    assert (there + Degrees(np.ones(2))).tolist() == [2.0, 3.0]


def test_foreign_scalars_are_numbers():
    weft.register_type("money", Money, to_weft=lambda m: m.amount, shares=False)
    try:
        assert (weft.asarray([1, 2]) * Money(3)).tolist() == [3, 6]
        assert weft.asarray([[Money(1), 2], [3, Money(4.5)]]).tolist() == [[1.0, 2.0], [3.0, 4.5]]
        x = weft.zeros(2)
        x[0] = Money(7)
        assert x.tolist() == [7.0, 0.0] and weft.full((2,), Money(2)).tolist() == [2, 2]
    finally:
        weft.unregister_type("money")


def test_types_are_known_by_name_without_an_import():
    made = types.ModuleType("somewhere")
    made.Box = type("Box", (), {"__module__": "somewhere", "cells": np.arange(3)})
    weft.register_type("box", "somewhere.*", to_weft=lambda b: b.cells)
    try:
        assert (weft.asarray(1) + type("Crate", (made.Box,), {})()).tolist() == [1, 2, 3]
        assert weft.import_types()[0] == "box" and "box" not in weft.export_types()
    finally:
        weft.unregister_type("box")
    with pytest.raises(DTypeError, match="asarray: Box has no numbers weft can read"):
        weft.asarray(made.Box())


def test_classes_without_a_module():
    odd = eval("type('Odd', (), {})", {"__builtins__": {"type": type}})
    with pytest.raises(DTypeError, match="asarray: Odd has no numbers"):
        weft.asarray(odd())


def test_a_question_to_the_object_decides():
    weft.register_type("odd", lambda o: isinstance(o, Degrees) and len(o.values) % 2, to_weft=lambda d: d.values)
    try:
        assert weft.asarray(Degrees(np.ones(3))).shape == (3,)
        with pytest.raises(DTypeError, match="Degrees has no numbers"):
            weft.asarray(Degrees(np.ones(2)))
    finally:
        weft.unregister_type("odd")


def test_the_latest_registration_of_a_type_wins():
    class Both(Method):
        pass

    weft.register_type("first", Both, to_weft=lambda b: np.zeros(1))
    weft.register_type("second", Both, to_weft=lambda b: np.ones(1))
    try:
        assert weft.asarray(Both(np.arange(5))).tolist() == [1.0]
        weft.register_type("second", Both, to_weft=lambda b: np.full(1, 2.0))
        assert weft.asarray(Both(np.arange(5))).tolist() == [2.0]
        assert weft.import_types()[:2] == ("second", "first")
    finally:
        weft.unregister_type("first")
        weft.unregister_type("second")
    assert weft.asarray(Both(np.arange(2))).tolist() == [0, 1]


def test_a_registered_iterable_is_no_nest():
    class Vector(list):
        pass

    weft.register_type("vector", Vector, to_weft=lambda v: np.array(v) * 10)
    try:
        assert weft.asarray(Vector([1, 2])).tolist() == [10, 20]
    finally:
        weft.unregister_type("vector")


def test_a_circle_of_plug_ins_ends():
    weft.register_type("degrees", Degrees, to_weft=lambda d: d)
    try:
        with pytest.raises(DTypeError, match="asarray: Degrees has no numbers weft can read"):
            weft.asarray(Degrees(1))
    finally:
        weft.unregister_type("degrees")


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        (("numpy", Degrees), {"to_weft": abs}, "register_type: 'numpy'; weft has this name itself"),
        (("", Degrees), {"to_weft": abs}, "register_type: ''; a name is a text"),
        (("d", Degrees), {}, "register_type: 'd' without a way; pass to_weft, from_weft or both"),
        (("d", 3), {"to_weft": abs}, "register_type: 3 says no type; give a type"),
        (("d", float), {"to_weft": abs}, "register_type: float is no foreign type; weft reads it itself"),
    ],
)
def test_rows_that_mean_nothing_are_refused(arguments, options, text):
    with pytest.raises(ValueRangeError) as caught:
        weft.register_type(*arguments, **options)
    assert text in str(caught.value)


# ---- what is not of this machine's memory


def test_memory_of_devices_is_refused_by_name():
    with pytest.raises(DTypeError, match="asarray: a OnDevice on device cuda; weft reads memory of this machine's"):
        weft.asarray(OnDevice())
    with pytest.raises(DTypeError, match=r"on device cuda; .* copy it to the host first"):
        weft.asarray([1.0]) + OnDevice()
    with pytest.raises(DTypeError, match="asarray: a DLPack on device rocm:3"):
        weft.asarray(DLPack(np.ones(2), (10, 3)))
    with pytest.raises(DTypeError, match="asarray: a DLPack on device of DLPack type 99:0"):
        weft.asarray(DLPack(np.ones(2), (99, 0)))
    assert weft.asarray(DLPack(np.ones(2), (3, 0))).tolist() == [1.0, 1.0]  # pinned memory of the host


def test_operators_of_others_decide_where_they_have_some():
    x = weft.asarray([1.0])
    assert x + Wrapper(np.ones(1)) == "its own"
    assert weft.add(x, Wrapper(np.ones(1))).tolist() == [2.0]
    with pytest.raises(TypeError, match="unsupported operand"):
        x + b"ab"
    with pytest.raises(TypeError, match="unsupported operand"):
        x + object()


def test_read_only_is_carried():
    a = np.arange(3.0)
    a.flags.writeable = False
    for x in (weft.asarray(a), weft.asarray(Interface(a)), weft.asarray(memoryview(b"abc"))):
        with pytest.raises(WriteError, match="read-only"):
            x[0] = 1
        assert not x.export("numpy").flags.writeable
    with pytest.raises(WriteError):
        weft.sqrt(a, out=a)


def test_characters_are_no_numbers():
    with pytest.raises(DTypeError, match="an array of characters; weft holds numbers only"):
        weft.asarray(array.array("w" if sys.version_info >= (3, 13) else "u", "ab"))


def test_strides_and_byte_order_are_shared_as_they_are():
    a = np.arange(24, dtype=">i4").reshape(4, 6)[::-2, 1::2]
    for obj in (a, Interface(a), Method(a), memoryview(a)):
        x = weft.asarray(obj, copy=False)
        assert (x.strides, x.byteorder, x.tolist()) == (a.strides, "big", a.tolist())
        back = x.export("numpy", copy=False)
        assert back.strides == a.strides and back.dtype == a.dtype and np.shares_memory(back, a)


def test_exports_keep_memory_alive():
    x = weft.asarray([1, 2]) * 3
    exports = [x.export("numpy"), x.export("memoryview"), np.from_dlpack(x)]
    del x
    assert [list(e) for e in exports] == [[3, 6]] * 3


# ---- array libraries, by what they promise


def torch_of(monkeypatch):
    """A module with the few functions of PyTorch that are used."""
    torch = types.ModuleType("torch")

    class Tensor:
        __module__, __qualname__ = "torch", "Tensor"
        requires_grad = False

        def __init__(self, a, dtype=None, device="cpu"):
            self.a, self.device, self.dtype = a, types.SimpleNamespace(type=device), dtype or f"torch.{a.dtype}"

        def resolve_conj(self):
            return self

        resolve_neg = resolve_conj

        def numpy(self):
            if self.dtype in ("torch.bfloat16", "torch.float8_e5m2"):
                raise TypeError("Got unsupported ScalarType BFloat16")
            return self.a

        def view(self, dtype):
            return Tensor(self.a, dtype)

    def from_numpy(a):
        assert a.dtype.isnative and a.flags.writeable and all(s >= 0 for s in a.strides)
        return Tensor(a)

    torch.Tensor, torch.from_numpy = Tensor, from_numpy
    for name in ("int8", "int16", "bfloat16", "float8_e5m2"):
        setattr(torch, name, f"torch.{name}")
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


def test_torch(monkeypatch):
    torch = torch_of(monkeypatch)
    a = np.arange(3.0)
    x = weft.asarray(torch.Tensor(a))
    x[0] = 5
    assert a.tolist() == [5.0, 1.0, 2.0]
    half = weft.asarray([1.5, -2.0], dtype=weft.bfloat16)
    assert weft.asarray(torch.Tensor(half.numpy().view(np.int16), "torch.bfloat16")).dtype is weft.bfloat16
    assert half.export("torch").dtype == "torch.bfloat16"
    small = weft.asarray([1.5, -2.0], dtype="float8_e5m2")
    assert small.export("torch").dtype == "torch.float8_e5m2"
    back = weft.asarray(torch.Tensor(small.numpy().view(np.int8), "torch.float8_e5m2"))
    assert back.dtype is weft.float8_e5m2 and back.tolist() == [1.5, -2.0]
    with pytest.raises(DTypeError, match=r"export: float8_e3m4 to torch, which has no such dtype"):
        weft.asarray([1.5], dtype="float8_e3m4").export("torch")
    assert np.shares_memory(x.export("torch", copy=False).a, a)
    assert x[::-1].export(torch.Tensor).a.tolist() == [2.0, 1.0, 5.0]
    assert weft.asarray(np.array([1, 2], ">i2")).export("torch").a.tolist() == [1, 2]
    assert not np.shares_memory(x.export("torch", copy=True).a, a)
    assert weft.constant([1.0]).export("torch").a.flags.writeable
    for view, why in ((x[::-1], "negative strides"), (weft.constant([1.0]), "read-only cells")):
        with pytest.raises(ValueRangeError, match=f"export: {why} to torch, which cannot share them; copy=False"):
            view.export("torch", copy=False)
    recorded = torch.Tensor(a)
    recorded.requires_grad = True
    with pytest.raises(DTypeError, match=r"requires a gradient; .* give its detach"):
        weft.asarray(recorded)
    with pytest.raises(DTypeError, match=r"asarray: a tensor on device .*cuda"):
        weft.asarray(torch.Tensor(a, device="cuda"))


def test_libraries_that_are_absent_say_so(monkeypatch):
    for name in ("torch", "jax", "cupy"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError):
            weft.asarray([1.0]).export(name)
    with pytest.raises(ValueRangeError, match="to cupy, whose memory is a device's; copy=False forbids the copy"):
        monkeypatch.setitem(sys.modules, "cupy", types.ModuleType("cupy"))
        weft.asarray([1.0]).export("cupy", copy=False)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "complex32"])
def test_buffers_have_no_word_for_some_dtypes(dtype):
    with pytest.raises(BufferError, match=f"export: {dtype} cells; buffers have no code for them"):
        weft.asarray([1.0], dtype=dtype).export("memoryview")


def test_the_row_of_a_type_is_found_once(monkeypatch):
    foreign_rows.BY_TYPE.clear()
    weft.asarray(np.zeros(1))
    assert foreign_rows.BY_TYPE[np.ndarray].name == "numpy"
    monkeypatch.setattr(foreign_rows, "MAX_TYPES", 1)
    weft.asarray(array.array("i", [1]))
    assert list(foreign_rows.BY_TYPE) == [array.array]


def test_ranks_of_writes_are_checked():
    with pytest.raises(ShapeError):
        weft.zeros(2)[...] = array.array("i", [1, 2, 3])
