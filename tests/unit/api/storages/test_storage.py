"""Storages: labels and bytes, tensors of several dtypes on them, foreign memory, resizing and letting go."""

import copy
import ctypes
import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.refusals import Refusal, refusals
from tests.shares import examples, in_turn
from weft import dtypes as dt
from weft.errors import (
    DTypeError,
    FileFormatError,
    OutOfMemory,
    OverwrittenError,
    ShapeError,
    ValueRangeError,
    WriteError,
)

pytestmark = pytest.mark.usefixtures("transformer")

DEVICES = ["cpu", "thread:0"]
VALUES = [1, 0, 1]


def shown(x):
    return x.astype(weft.complex128).tolist()


# ---- every dtype, order and alignment


@pytest.mark.parametrize(("dtype", "order"), in_turn(dt.ALL, ["little", "big"], every=2), ids=str)
def test_every_dtype_lies_anywhere_in_both_orders(dtype, order):
    offset = 1 if order == "little" else 0
    s = weft.storage(4 * dtype.itemsize + 1)
    x = s.tensor((3,), offset=offset, unit=1, dtype=dtype, byteorder=order)
    native = weft.asarray([1, 2, 1]).astype(dtype)
    x.copy_from(native)
    values, part = shown(native), dtype.real.itemsize
    bits = np.frombuffer(native.numpy().tobytes(), f"<u{part}").astype(f"{'>' if order == 'big' else '<'}u{part}")
    raw = s.tobytes()
    assert shown(x) == values and raw[offset : offset + 3 * dtype.itemsize] == bits.tobytes()
    assert shown(x.clone()) == shown(x.replicate()) == shown(x.as_contiguous("F")) == values
    assert x.clone().byteorder == x.byteorder and x.replicate().byteorder == "little"
    x.byteswap()
    assert shown(x) == values and (s.tobytes() != raw or part == 1)
    x.byteswap()
    assert s.tobytes() == raw


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [weft.int16, weft.float64, weft.complex64, weft.bool], ids=repr)
def test_swapping_a_storage_turns_every_tensor_and_view_on_it(dtype, device):
    s = weft.storage(3, dtype, device=device)
    x = s.tensor()
    x.copy_from(VALUES)
    view, other = x[1:], s.tensor((2,), offset=1)
    pending = x.astype(weft.complex128) + 1
    before = s.tobytes()
    s.byteswap()
    assert shown(x) == VALUES and shown(view) == shown(other) == VALUES[1:]
    if dtype.itemsize > 1:
        assert s.tobytes() != before and {x.byteorder, view.byteorder, other.byteorder, s.byteorder} == {"big"}
        s.byteorder = "little"
        assert shown(x) != VALUES and shown(view) == shown(x)[1:]
        s.byteorder = "big"
    s.byteswap()
    assert s.tobytes() == before and shown(view) == VALUES[1:] and pending.tolist() == [2, 1, 2]


def test_relabelling_keeps_what_was_built():
    s = weft.storage(2, weft.int16)
    x = s.tensor()
    x[...] = [1, 2]
    y = x * 10
    s.byteswapped = True
    assert x.tolist() == [256, 512] and y.tolist() == [10, 20]
    z = x + 0
    x[0] = 3
    assert z.tolist() == [256, 512] and x.tolist() == [3, 512] and s.tobytes() == b"\0\3\2\0"


def test_labels():
    s = weft.storage(3, ">i2")
    assert (s.byteorder, s.byteswapped, s.dtype, s.n, len(s), s.nbytes, s.capacity) == (
        "big",
        True,
        weft.int16,
        3,
        3,
        6,
        6,
    )
    s.dtype = weft.float32
    assert (s.n, s.itemsize, s.is_aligned()) == (1, 4, True)
    s.dtype = None
    assert (s.n, s.itemsize, s.tensor().dtype) == (6, 1, weft.uint8)
    assert repr(weft.storage(2, weft.bfloat16)) == "Storage([0., 0.], dtype=bfloat16, nbytes=4)"
    assert repr(weft.storage(70)).endswith("00 00 ...>, nbytes=70)")
    assert repr(s) == "Storage(<00 00 00 00 00 00>, nbytes=6, big-endian)" or "big" not in repr(s)
    with pytest.raises(ValueRangeError, match="byteorder: byte order 'middle'"):
        s.byteorder = "middle"


def test_storages_compare_by_memory_and_have_no_hash():
    a, b = weft.storage(3, weft.int8), weft.storage(3, weft.int8)
    assert a == a.tensor()[1:].storage and a != b and a != 5 and weft.storage() != weft.storage()
    memory = np.zeros(4)
    assert weft.storage_of(memory) == weft.asarray(memory).storage != weft.storage_of(memory[1:])
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError, match="is not called"):
        weft.Storage()


# ---- writes and readers


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_of_several_dtypes_see_each_other_and_readers_keep_what_they_read(device):
    s = weft.storage(2, weft.complex128, device=device)
    c, f, b = s.tensor(), s.tensor(dtype=weft.float64), s.tensor(dtype=weft.uint8)
    old = c * 1
    f[1] = 2.0
    assert c.tolist() == [2j, 0] and old.tolist() == [0, 0]
    kept = f + 0
    b[...] = 0
    assert kept.tolist() == [0, 2, 0, 0] and c.tolist() == [0, 0]
    f += weft.arange(4, device=device)
    assert c.tolist() == [1j, 2 + 3j]


@pytest.mark.parametrize("device", DEVICES)
def test_the_storage_of_a_tensor_is_that_of_its_views_and_shows_writes(device):
    x = weft.arange(6, device=device) * 2
    y = x + 1
    s = x.storage
    assert s is x[1:].storage is x.reshape(2, 3).T.storage and s.device == device and s.owner
    view = x[::2]
    view[...] = 0
    assert s.tolist() == [0, 2, 0, 6, 0, 10] and y.tolist() == [1, 3, 5, 7, 9, 11]
    x += 1
    assert s.tolist() == x.tolist() == [1, 3, 1, 7, 1, 11]
    assert x.storage is s and view.offset == 0 and x[1:].offset == 8
    del y
    assert s.refcount == 2
    del view
    assert s.refcount == 1


def test_a_storage_refuses_writes_while_it_is_read_only():
    s = weft.storage(3, weft.int8)
    x, view = s.tensor(), s.tensor()[1:]
    s.read_only = True
    for write in (
        lambda: x.__setitem__(0, 1), lambda: view.__iadd__(1), lambda: x.__setitem__([0, 1], 1), s.zero, s.byteswap,
        lambda: s.copy_from([1, 2, 3]), lambda: s.resize(9), lambda: weft.assign(weft.concat([x, x]), 1),
        lambda: s.__setitem__(0, 1), lambda: x.copy_from([1, 2, 3]),
    ):  # fmt: skip
        with pytest.raises(WriteError, match="read-only"):
            write()
    assert not x.numpy().flags.writeable and not view.numpy().flags.writeable and x.tolist() == [0, 0, 0]
    s.read_only = False
    view[0] = 1
    assert x.tolist() == [0, 1, 0] and x.numpy().flags.writeable
    for locked in (weft.storage_of(b"abc"), weft.constant([1, 2]).storage):
        with pytest.raises(WriteError, match="nothing makes it writable"):
            locked.read_only = False


def test_indexing_is_that_of_a_tensor_on_all_of_it():
    s = weft.storage(5, weft.int64)
    s[2:] += [1, 2, 3]
    s[0] = 9
    assert s.tolist() == s[:].tolist() == [9, 0, 1, 2, 3] and s.numpy()[0] == 9 and s[-1].item() == 3


# ---- copies


def test_copies_cast_keep_the_order_and_are_exact_for_overlapping_memory():
    a = np.arange(24.0).reshape(4, 6)
    expected = np.concatenate([a[:1], a[:3]])
    weft.storage_of(a[1:]).copy_from(weft.storage_of(a[:3]))
    assert (a == expected).all()
    b = np.arange(10, dtype=np.int16)
    weft.storage_of(b[:8]).copy_from(weft.storage_of(b[2:]))
    assert b.tolist() == [2, 3, 4, 5, 6, 7, 8, 9, 8, 9]
    half = weft.storage(3, ">f2")
    half.copy_from(np.array([1.0, 2.0, 3.0]))
    assert (
        half.tolist() == [1, 2, 3]
        and half.byteorder == "big"
        and half.tobytes() == np.array([1, 2, 3], ">f2").tobytes()
    )
    with pytest.raises(ShapeError, match="copy_from: 2 elements into a storage of 3"):
        half.copy_from([1, 2])
    with pytest.raises(DTypeError, match="copy_from: complex128 to float16"):
        half.copy_from([1j, 2, 3])


def test_clones_and_conversions():
    s = weft.storage(5, ">i4")
    s[...] = [1, 2, 3, 4, 5]
    t = s.tensor()
    c = s.clone()
    c[0] = 9
    assert (c.tolist(), s.tolist(), c.byteorder) == ([9, 2, 3, 4, 5], [1, 2, 3, 4, 5], "big")
    assert weft.ensure(s, weft.int32) is s
    d = weft.ensure(s, weft.complex64)
    assert d.n == 5 and d.tolist() == [1, 2, 3, 4, 5] and d != s
    assert weft.ensure(s, weft.float64, inplace=True) is s
    assert s.tolist() == [1, 2, 3, 4, 5] and s.nbytes == 40 and t.storage != s and t.dtype is weft.int32
    t[0] = 7
    assert s.tolist()[0] == 1 and t.storage.tolist()[0] == 7


# ---- size


def test_bytes_that_come_back_are_zeros_for_none_who_read_them_before():
    s = weft.storage(4, weft.int8)
    s[...] = [1, 2, 3, 4]
    other = weft.asarray(s.numpy())  # a place of its own on the same memory
    before = other * 10
    s.resize(2)
    s.resize(4)
    assert before.tolist() == [10, 20, 30, 40] and s.tolist() == other.tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize("device", DEVICES)
def test_resizing_keeps_content_and_tensors(device):
    s = weft.storage(4, weft.int32, device=device)
    x = s.tensor()
    x[...] = [1, 2, 3, 4]
    view, y = x[::-2], x * 10
    s.resize(32)
    assert s.tolist() == [1, 2, 3, 4, 0, 0, 0, 0] and x.tolist() == [1, 2, 3, 4] and y.tolist() == [10, 20, 30, 40]
    view[0] = 44
    assert s.tolist()[3] == 44
    s.resize(16)
    s.resize(24)
    assert s.tolist() == [1, 2, 3, 44, 0, 0] and s.capacity == 32 and x.storage is s
    with pytest.raises(WriteError, match="reach to byte 16; they would lose cells"):
        s.resize(8)
    del x, view
    s.resize(4)
    s.resize(16)
    assert s.tolist() == [1, 0, 0, 0]
    with pytest.raises(ValueRangeError, match="resize: -1 bytes"):
        s.resize(-1)


@pytest.mark.parametrize("made", [lambda: weft.storage(4).tensor(), lambda: weft.arange(4) * 1])
def test_memory_does_not_move_under_an_export(made):
    x = made()
    s = x.storage
    exports = [x.numpy(), memoryview(x.numpy()), s.numpy()]
    while exports:
        with pytest.raises(WriteError, match="arrays outside weft lie on them"):
            s.resize(1000)
        exports.pop()
    s.resize(1000)
    x[0] = 5
    assert s.tensor(dtype=x.dtype)[0].item() == 5 and s.nbytes == 1000


def test_foreign_memory_does_not_grow():
    s = weft.storage_of(bytearray(8))
    s.resize(4)
    s.resize(8)
    with pytest.raises(WriteError, match="9 bytes of foreign memory of 8"):
        s.resize(9)


@pytest.mark.parametrize("device", DEVICES)
def test_deallocated_cells_are_gone_and_say_so(device, transformer):
    s = weft.storage(10, weft.int8, device=device)
    x = s.tensor()
    view, pending = x[2:], x + 1
    export = x.numpy()
    s.dealloc()
    s.dealloc()
    assert (s.n, s.nbytes, s.read_only, s.tolist()) == (0, 0, True, [])
    assert pending.tolist() == [1] * 10 and export.tolist() == [0] * 10 and x.shape == (10,)
    for look in (x.tolist, x.numpy, view.tolist, lambda: str(x), lambda: (x * 2).tolist(), lambda: bool(view[0])):
        with pytest.raises(ValueRangeError, match="lay in a storage that was deallocated"):
            look()
    for write in (lambda: x.__setitem__(0, 1), lambda: view.__iadd__(1), lambda: x.__setitem__([0], 1)):
        with pytest.raises((WriteError, ValueRangeError), match=r"read-only|deallocated"):
            write()


# ---- layouts


def test_tensors_must_lie_inside():
    s = weft.storage(12, weft.int16)
    for asked, message in (
        ({"shape": (3, 5)}, "reach from byte 0 to 30 of a storage of 24 bytes"),
        ({"shape": 2, "strides": -1}, "from byte -2 to 2 of"),
        ({"shape": (), "offset": 12}, "from byte 24 to 26"),
        ({"shape": 3, "offset": -1}, "offset -1 in units of 2 bytes"),
        ({"shape": (2, 2), "strides": (1,)}, r"1 strides for shape \(2, 2\)"),
        ({"shape": (-1,)}, "negative size"),
        ({"shape": (1 << 40, 1 << 40), "strides": (0, 0)}, r"that is 2\*\*63 bytes or more"),
        ({"shape": (0, 1 << 62), "strides": (0, 0), "dtype": "int16"}, r"that is 2\*\*63 bytes or more"),
        ({"shape": (1,) * 65}, "rank 65"),
    ):
        with pytest.raises(ShapeError, match=message):
            s.tensor(**asked)
    assert s.tensor((0, 5)).shape == (0, 5) and s.tensor((), offset=11).ndim == 0 and s.tensor(offset=12).shape == (0,)
    assert s.tensor(2, dtype=np.dtype(">i4")).byteorder == s.tensor(2, dtype=">i4").byteorder == "big"
    assert s.tensor((2, 3), order="F").strides == (2, 4) and s.tensor(3, strides=-1, offset=5).strides == (-2,)


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_any_layout_reads_and_writes_as_numpy_does(data):
    dtype = data.draw(st.sampled_from([weft.int8, weft.int16, weft.float32, weft.complex64, weft.bfloat16]))
    order = data.draw(st.sampled_from(["little", "big"]))
    shape = tuple(data.draw(st.lists(st.integers(0, 3), max_size=3)))
    strides = tuple(data.draw(st.integers(-9, 9)) for _ in shape)
    raw = np.random.default_rng(data.draw(st.integers(0, 9))).integers(0, 60, 80, np.uint8)
    offset = data.draw(st.integers(0, 60))
    s = weft.storage(80)
    s[...] = raw
    low = offset + sum(min(t * (n - 1), 0) for n, t in zip(shape, strides, strict=True) if 0 not in shape)
    high = offset + dtype.itemsize + sum(max(t * (n - 1), 0) for n, t in zip(shape, strides, strict=True))
    if 0 not in shape and (low < 0 or high > 80):
        with pytest.raises(ShapeError, match="must lie inside"):
            s.tensor(shape, strides=strides, offset=offset, unit=1, dtype=dtype, byteorder=order)
        return
    x = s.tensor(shape, strides=strides, offset=offset, unit=1, dtype=dtype, byteorder=order)
    size = f"V{dtype.itemsize}"
    cells = np.ndarray(shape, size, raw, offset if 0 not in shape else 0, strides)
    assert x.numpy().astype(x.numpy().dtype).view(size).tobytes() == cells.tobytes() or 0 in shape
    if 0 in strides or x.is_self_overlapping or 0 in shape:
        return
    values = (x + 1).numpy()
    x.copy_from(values)
    cells[...] = values.astype(dt.to_numpy(dtype, "little")).view(size) if order == "little" else swapped(values, size)
    assert s.tobytes() == raw.tobytes()


def swapped(values, size):
    part = values.real.dtype.itemsize if values.dtype.kind == "c" else values.dtype.itemsize
    turned = np.ascontiguousarray(values).reshape((*values.shape, 1)).view(f"u{part}").byteswap()
    return turned.view(size).reshape(values.shape)


# ---- foreign memory


def test_memory_at_an_address_is_let_go_once():
    memory = (ctypes.c_int32 * 4)(1, 2, 3, 4)
    calls = []
    s = weft.storage_of(address=ctypes.addressof(memory), nbytes=16, dtype=weft.int32, deleter=lambda: calls.append(1))
    x = s.tensor()
    x[0] = 9
    export = x[1:].numpy()
    assert memory[0] == 9 and not s.owner
    del s, x
    assert export.tolist() == [2, 3, 4] and calls == []
    del export
    assert calls == [1]
    owner = weft.storage(2)
    alive = weakref.ref(owner)
    t = weft.storage_of(address=owner.ptr, nbytes=2, owner=owner, read_only=True)
    del owner
    assert alive() is not None and t.tolist() == [0, 0]
    with pytest.raises(WriteError):
        t[0] = 1
    del t
    assert alive() is None


@for_each(
    "given, message",
    [
        ({}, "none of them given"),
        ({"obj": b"a", "address": 1}, "obj and address given"),
        ({"address": 0, "nbytes": 4}, "4 bytes at address 0"),
        ({"address": 64}, "None bytes at address 64"),
        ({"shared": "../x"}, "is no name of shared memory"),
        ({"shared": "weft-0-none"}, "is not there"),
        ({"file": "none", "mode": "a"}, "mode 'a'"),
        ({"file": "none", "mode": "w+"}, "None bytes of a file"),
        ({"file": "none", "nbytes": -1}, "-1 bytes of a file"),
        ({"file": "none", "nbytes": 2.5}, "2.5 bytes of a file"),
    ],
)
def test_memory_that_is_not_named_well(given, message):
    with pytest.raises(ValueRangeError, match=message):
        weft.storage_of(**given)


def test_files(tmp_path):
    path = tmp_path / "cells"
    s = weft.storage_of(file=path, mode="w+", nbytes=16, dtype=weft.int32)
    s[...] = [1, 2, 3, 4]
    assert path.read_bytes() == np.arange(1, 5, dtype=np.int32).tobytes()
    r = weft.storage_of(file=str(path), dtype=weft.int32)
    assert r.tolist() == [1, 2, 3, 4] and r.read_only and not r.owner
    w = weft.storage_of(file=path, mode="r+", dtype=weft.int32, nbytes=8)
    w[0] = 7
    assert r.tolist()[0] == s.tolist()[0] == 7 and w.n == 2
    x = r.tensor() + 1
    s[1] = 0
    with pytest.raises(OverwrittenError):
        x.tolist()
    with pytest.raises(WriteError, match="read-only"):
        r[0] = 1
    with pytest.raises(FileFormatError, match="has 16 bytes, and 17 were asked for"):
        weft.storage_of(file=path, nbytes=17)
    with pytest.raises(FileFormatError, match="No such file"):
        weft.storage_of(file=tmp_path / "none")
    with pytest.raises(FileFormatError, match=r"no regular file|Is a directory"):
        weft.storage_of(file=tmp_path)
    assert weft.storage_of(file=tmp_path / "empty", mode="w+", nbytes=0).n == 0


# ---- messages of creation and conversion


def test_refusals():
    for n in (-1, 1.5, True):
        with pytest.raises(ValueRangeError, match="elements; a storage has a number of elements"):
            weft.storage(n)
    with pytest.raises(DTypeError, match="is no allocator"):
        weft.using_allocator("heap")
    with pytest.raises(DTypeError, match="a number cannot change"):
        weft.ensure(5, inplace=True)
    with pytest.raises(DTypeError, match="tensors and storages change in place"):
        weft.ensure([1], inplace=True)
    assert weft.ensure(5) == 5 and weft.ensure(5.7, weft.int8) == 5 and weft.ensure(5, device="cpu").ndim == 0


def test_a_storage_and_its_tensors_go_without_the_collector():
    gc.disable()
    try:
        mine = weft.Heap("mine")
        s = weft.storage(1000, weft.int8, allocator=mine)
        x = s.tensor()[10:]
        y = x + 1
        x[0] = 1
        ref = weakref.ref(s)
        del s
        assert ref() is x.storage and mine.in_use == 1000
        del x
        assert ref() is None and y.tolist()[0] == 1
        del y
        assert (mine.in_use, mine.allocations, mine.frees) == (0, 1, 1)
    finally:
        gc.enable()


def test_storages_go_to_devices():
    s = weft.storage(3, ">i2")
    s[...] = [1, 2, 3]
    t = s.clone("thread:0")
    assert (t.device, t.byteorder, t.tolist(), t.tobytes()) == ("thread:0", "big", [1, 2, 3], s.tobytes())
    there = weft.ensure(s, device="thread:0")
    assert there.device == "thread:0" and there.tolist() == [1, 2, 3] and weft.ensure(s, device="cpu") is s
    assert weft.ensure(there, weft.float32, "cpu").tolist() == [1, 2, 3]
    native = s.clone(weft.device("thread", 77, supports_byteswap=False))
    assert (native.byteorder, native.tolist()) == ("little", [1, 2, 3])
    s.copy_from(t)
    t.copy_from(weft.storage_of(np.array([4.0, 5.0, 6.0])))
    assert s.tolist() == [1, 2, 3] and t.tolist() == [4, 5, 6]


def test_pickles_and_deep_copies_are_clones():
    s = weft.storage(3, ">i2")
    s[...] = [1, 2, 3]
    for t in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s)):
        t[0] = 9
        assert (t.tolist(), t.byteorder, s.tolist()) == ([9, 2, 3], "big", [1, 2, 3])


@pytest.mark.parametrize("wrong", [{"shape": 1.5}, {"shape": 2, "strides": 1.5}, {"offset": 1.5}, {"shape": "ab"}])
def test_layouts_are_integers(wrong):
    with pytest.raises(DTypeError, match="tensor: "):
        weft.storage(8).tensor(**wrong)


def test_storages_larger_than_memory_are_an_error():
    with pytest.raises(OutOfMemory, match="allocate: 18446744073709551616 bytes"):
        weft.storage(1 << 61, weft.int64)


PAIR = np.array([2, 2])
ODD_ARGUMENTS: dict[str, Refusal] = {
    "bytes by a text": (lambda: weft.storage(4).tobytes("x"), DTypeError, "tobytes: most 'x'"),
    "bytes from the end": (lambda: weft.storage(4).tobytes(-1), ValueRangeError, "tobytes: most -1; .*give 0 or more"),
    "byte orders": (lambda: setattr(weft.storage(4), "byteorder", PAIR), ValueRangeError, "byteorder: byte order"),
    "byteswapped": (lambda: setattr(weft.storage(4), "byteswapped", PAIR), DTypeError, "byteswapped: .*switch"),
    "byteswapped tensor": (lambda: setattr(weft.zeros(2), "byteswapped", PAIR), DTypeError, "byteswapped: .*switch"),
    "read_only": (lambda: setattr(weft.storage(4), "read_only", PAIR), DTypeError, "read_only: .*switch"),
    "read_only tensor": (lambda: setattr(weft.zeros(2), "read_only", PAIR), DTypeError, "read_only: .*switch"),
    "storage_of": (lambda: weft.storage_of(PAIR, read_only=PAIR), DTypeError, "storage_of: read_only=.*switch"),
    "tensor": (lambda: weft.storage(4).tensor(read_only=PAIR), DTypeError, "tensor: read_only=.*switch"),
    "order": (lambda: weft.storage(4).tensor((2, 2), order=PAIR), ValueRangeError, "tensor: order"),
    "check": (lambda: weft.map_blocks(np.sqrt, PAIR, check=PAIR), DTypeError, "map_blocks: check=.*switch"),
}
test_arguments_of_other_types_are_refused = refusals(ODD_ARGUMENTS)
