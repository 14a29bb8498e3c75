"""DLPack in both ways: every dtype, versions, lifetimes, and what is refused."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from typing import Any
from weakref import ref

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import dtypes as dt
from weft.errors import DTypeError, ValueRangeError, WriteError
from weft.interop.dlpack import CapsuleTensor, VersionedCapsule

HALVES = np.zeros(3, [("re", "c16"), ("other", "i4")])


class Versioned:
    """An object that only speaks DLPack; the older one knows no keywords."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __dlpack__(self, **how: Any) -> Any:
        return self.x.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class Unversioned(Versioned):
    def __dlpack__(self) -> Any:
        return self.x.__dlpack__()


def content(capsule: Any, versioned: bool) -> Any:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    if versioned:
        return VersionedCapsule.from_address(pointer(capsule, b"dltensor_versioned"))
    return CapsuleTensor.from_address(pointer(capsule, b"dltensor"))


@for_each("kind", [Versioned, Unversioned])
@for_each("dtype", dt.ALL)
def test_every_dtype_goes_out_and_comes_in(dtype: dt.DType, kind: Any) -> None:
    x = weft.asarray([[1, 2, 1], [2, 2, 1]]).astype(dtype)
    y = weft.from_dlpack(kind(x.T))
    assert y.dtype is dtype and y.tolist() == x.T.tolist() and y.numpy().ctypes.data == x.numpy().ctypes.data
    x[0, 0] = x[1, 0]
    assert y.tolist() == x.T.tolist()


@pytest.mark.parametrize(
    ("dtype", "code"), [("bfloat16", 4), ("complex32", 5), ("float8_e3m4", 7), ("float8_e4m3fn", 10), ("float64", 2)]
)
def test_a_capsule_has_the_protocols_code(dtype: str, code: int) -> None:
    x = weft.ones(2, dtype=dtype)
    for versioned in (False, True):
        capsule = x.__dlpack__(max_version=(1, 0) if versioned else None)
        found = content(capsule, versioned)
        cell = found.tensor.dtype if versioned else found.dtype
        assert (cell.code, cell.bits, cell.lanes) == (code, x.dtype.bits, 1)


def test_a_version_says_read_only_and_copied() -> None:
    x, c = weft.asarray([1.0, 2.0]), weft.constant([1.0, 2.0])
    flags = [
        content(t.__dlpack__(max_version=(1, 1), copy=k), True).flags for t, k in ((x, None), (c, None), (c, True))
    ]
    assert flags == [0, 1, 2]
    assert not np.from_dlpack(c).flags.writeable and np.from_dlpack(c, copy=True).flags.writeable
    with pytest.raises(WriteError):
        weft.from_dlpack(Versioned(c))[0] = 1
    with pytest.raises(
        BufferError, match=r"dlpack: read-only cells; a capsule without a version cannot say so; pass max"
    ):
        c.__dlpack__()


def test_memory_lives_as_long_as_a_capsule_or_what_was_made_of_it() -> None:
    x = weft.asarray([1.0, 2.0], dtype="bfloat16") * 2
    place = ref(x._place)
    capsule = x.__dlpack__(max_version=(1, 0))
    y = weft.from_dlpack(Versioned(x))
    del x
    gc.collect()
    assert place() is None and y.tolist() == [2, 4]
    y[0] = 7
    del capsule
    gc.collect()
    assert y.tolist() == [7, 4]


def test_many_capsules_leak_nothing() -> None:
    a = np.ones(4, np.float32)
    x = weft.asarray(a)
    before = sys.getrefcount(a)
    for _ in range(1000):
        x.__dlpack__(max_version=(1, 0))
        np.from_dlpack(x)
        weft.from_dlpack(Versioned(x))
    gc.collect()
    assert sys.getrefcount(a) <= before + 1


def test_capsules_may_live_until_the_interpreter_ends() -> None:
    program = """
import builtins, weft
x = weft.ones(3, dtype="bfloat16")
builtins.kept = [x.__dlpack__(max_version=(1, 0)), x.__dlpack__(), weft.from_dlpack(x.numpy().view("u2"))]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"stream": ""}, ValueRangeError, "dlpack: stream ''; the processor's memory has no streams; pass stream=None"),
        ({"stream": 1}, ValueRangeError, "dlpack: stream 1"),
        ({"max_version": 1}, DTypeError, "dlpack: max_version 1; it is a tuple of two integers"),
        ({"max_version": (1,)}, DTypeError, r"dlpack: max_version \(1,\)"),
        ({"dl_device": "cpu"}, DTypeError, "dlpack: dl_device 'cpu'"),
        ({"dl_device": (2, 0)}, BufferError, r"dlpack: device \(2, 0\); the cells lie on \(1, 0\)"),
        ({"copy": 1}, DTypeError, "dlpack: copy 1; it is True, False or None"),
    ],
    ids=str,
)
def test_arguments_are_checked(how: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        weft.ones(2).__dlpack__(**how)


@pytest.mark.parametrize(
    ("make", "how", "message"),
    [
        (lambda: weft.asarray(np.ones(2, ">f4")), {}, r"dlpack: big-endian cells; .*; export a copy\(\)"),
        (lambda: weft.asarray(HALVES["re"]), {}, r"dlpack: strides \(20,\); .* 16 bytes; export a copy\(\)"),
        (lambda: weft.ones(2).to("thread:0"), {"copy": False}, "dlpack: cells on thread:0; .*; pass copy=None"),
        (lambda: weft.asarray([1.0, 2.0])[::-1], {"copy": False}, r"dlpack: strides \(-8,\); .*; pass copy=None"),
    ],
    ids=["byte order", "strides", "device", "backwards"],
)
def test_memory_without_words_is_refused(make: Any, how: dict[str, Any], message: str) -> None:
    x = make()
    with pytest.raises(BufferError, match=message):
        x.__dlpack__(max_version=(1, 0), **how)
    assert np.from_dlpack(weft.copy(x).to("cpu")).tolist() == x.tolist()


def test_cells_of_a_device_and_those_that_go_back_are_copied() -> None:
    a = np.from_dlpack(weft.ones(2).to("thread:0"))
    assert a.tolist() == [1, 1] and a.flags.writeable
    x = weft.asarray([1.0, 2.0])
    b = np.from_dlpack(x[::-1])
    x[0] = 9
    assert b.tolist() == [2, 1] and content(x[::-1].__dlpack__(max_version=(1, 0)), True).flags == 2


def test_large_values_are_aligned_for_those_who_share_aligned_memory_alone() -> None:
    n = 1 << 18  # less than 1 MiB is copied as fast as it is aligned
    for x in (weft.ones(n) * 2, weft.array(np.ones(n)), weft.zeros(n), weft.ones((512, 512)) @ weft.eye(512)):
        assert x.realize().numpy().ctypes.data % 64 == 0


class NoCapsule:
    def __dlpack__(self, **_: Any) -> Any:
        return "capsule"

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_objects_without_a_capsule_are_refused() -> None:
    with pytest.raises((DTypeError, ValueRangeError), match="asarray: __dlpack__ of NoCapsule"):
        weft.from_dlpack(NoCapsule())
    capsule = weft.ones(2).__dlpack__(max_version=(1, 0))
    np.from_dlpack(Versioned(type("Once", (), {"__dlpack__": lambda self, **_: capsule})()))
    with pytest.raises((DTypeError, ValueRangeError), match="asarray: __dlpack__ of Versioned"):
        weft.from_dlpack(Versioned(type("Once", (), {"__dlpack__": lambda self, **_: capsule})()))
