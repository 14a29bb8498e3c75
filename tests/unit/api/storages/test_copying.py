"""Copies, deep and shallow; handles that change; attributes that say how cells lie; overlap with coordinates."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.shares import in_turn
from weft import dtypes as dt
from weft.errors import DTypeError, ShapeError, ValueRangeError, WriteError

pytestmark = pytest.mark.usefixtures("transformer")

DEVICES = ["cpu", "thread:0"]


# ---- copy_from


@pytest.mark.parametrize(("source", "target"), in_turn([dt.int8, dt.complex64], dt.ALL, every=2), ids=repr)
def test_values_are_cast_as_astype_does(source, target):
    values = weft.asarray([[2, 1, 1]]).astype(source)
    x = weft.storage(6 * target.itemsize).tensor((2, 3), dtype=target, byteorder="big", order="F")
    if source.kind == "complex" and target.kind not in ("complex", "bool"):
        with pytest.raises(DTypeError, match="copy_from: complex"):
            x.copy_from(values)
        return
    assert x.copy_from(values) is x
    expected = values.astype(target).astype(weft.complex128).tolist()[0]
    assert x.astype(weft.complex128).tolist() == [expected, expected] and (x.byteorder == "big" or target.itemsize == 1)


@pytest.mark.parametrize("device", DEVICES)
def test_overlapping_and_linear_copies(device):
    b = weft.asarray([0, 1, 2, 3, 4], device=device)
    b[1:].copy_from(b[:-1])
    assert b.tolist() == [0, 0, 1, 2, 3]
    b[:-1].copy_from(b[1:])
    assert b.tolist() == [0, 1, 2, 3, 3]
    a = weft.zeros((5, 6), device=device)
    a.T.copy_from(range(30), linear=True)
    assert a.T.tolist() == np.arange(30.0).reshape(6, 5).tolist()
    a.copy_from(a.T, linear=True)
    assert a.tolist() == np.arange(30.0).reshape(5, 6).tolist()
    with pytest.raises(ShapeError, match="must broadcast to the cells"):
        a.copy_from(range(30))
    with pytest.raises(ShapeError, match="copy_from: 29 cells into 30 of shape"):
        a.copy_from(range(29), linear=True)


# ---- deep and shallow


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["<i2", ">i2", ">f8", "<c8", ">c16", "bool"])
def test_clones_keep_order_and_repetition(dtype, device):
    base = weft.asarray([[1], [0], [1]], dtype=dtype, device=device)
    x = weft.broadcast_to(base, (2, 3, 4))
    y = x.clone()
    assert y.tolist() == x.tolist() and y.byteorder == x.byteorder and y.device == device and y.dtype is x.dtype
    assert y.strides == (0, x.itemsize, 0) and y.storage.n == 3
    r = x.replicate()
    assert r.tolist() == x.tolist() and r.storage.n == 24 and r.byteorder == "little"
    base.copy_from(0)
    assert y.tolist() == r.tolist() != x.tolist()
    assert weft.zeros((0, 3), device=device).clone().shape == (0, 3) and base[0, 0].clone().ndim == 0


def test_clones_keep_origins_and_go_to_devices():
    x = weft.asarray(np.arange(3, dtype=">i4")).translate(5)
    assert x.clone().domain == x.as_contiguous("F").domain == x.domain
    there, here = x.clone(["thread:0", "cpu"])
    assert (there.device, here.device, there.tolist(), here.byteorder) == ("thread:0", "cpu", [0, 1, 2], "big")


def test_shallow_copies_share_cells():
    x = weft.arange(6) * 1
    y, v = x.shallow(), x[1:].shallow()
    y[1] = 10
    assert x.tolist()[1] == v.tolist()[0] == 10 and y is not x and y.storage is v.storage
    x += 1
    assert y.tolist() == [1, 11, 3, 4, 5, 6] and v.tolist() == y.tolist()[1:]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("order", ["<", ">"])
def test_contiguous_copies_are_made_where_needed(order, device):
    x = weft.asarray(np.arange(24).reshape(2, 3, 4), dtype=f"{order}i4", device=device)
    t = weft.permute_dims(x, (2, 1, 0))
    assert x.as_contiguous() is x and t.as_contiguous("F") is t
    for y, wanted in ((x, "F"), (t, "C"), (x[:, ::2], "C"), (x[:, ::2], "F"), (weft.flip(x), "C")):
        c = y.as_contiguous(wanted)
        assert c.tolist() == y.tolist() and c.byteorder == y.byteorder and c.device == device
        assert c.is_fortran if wanted == "F" else c.is_c_contiguous
    with pytest.raises(ValueRangeError, match="as_contiguous: order 'K'"):
        x.as_contiguous("K")


def test_own():
    a = np.zeros(3)
    foreign = weft.asarray(a)
    assert foreign.own() is foreign and foreign.storage.owner
    foreign[0] = 1
    assert a[0] == 0
    x = weft.arange(3) * 1
    s = x.storage
    assert x.own().storage is s  # alone already
    y = x.shallow()
    assert y.own().storage != s and x.storage is s
    view = x[1:]
    before = view.storage
    view.own()
    view[0] = 9
    assert view.storage != before and x.tolist() == [0, 1, 2]
    export = x.numpy()
    x.own()[0] = 7
    assert export[0] == 0 and x.tolist() == [7, 1, 2]


def test_memory_that_a_view_has_left_can_be_written():
    x = weft.asarray(np.arange(4))
    away = [x[:2], x[1:3], x[2:], x[:1]]
    away[0].own()
    away[1].dealloc()
    away[2].byteswap()
    weft.ensure(away[3], weft.float32, inplace=True)
    x[...] = 7
    assert x.tolist()[:2] == [7, 7] and away[0].tolist() == [0, 1] and away[3].tolist() == [0]
    assert away[2].tolist() == x[2:].numpy().byteswap().tolist()


def test_dealloc():
    x = weft.ones(3)
    y, pending = x[1:], x + 1
    x.dealloc()
    x.dealloc()
    assert (x.shape, x.dtype, x.read_only, x.is_empty) == ((0,), weft.int8, True, True)
    assert y.tolist() == [1, 1] and pending.tolist() == [2, 2, 2]
    with pytest.raises(WriteError, match="read-only"):
        x[...] = 1


def test_ensure_and_cast():
    x = weft.asarray([1, 2])
    assert weft.ensure(x).storage is x.storage and weft.ensure(x) is not x and weft.ensure([1, 2]).tolist() == [1, 2]
    y = weft.ensure(x, weft.float32)
    assert y.dtype is weft.float32 and y.storage != x.storage
    view = x[:]
    assert weft.ensure(x, weft.int8, inplace=True) is x and x.dtype is weft.int8 and view.dtype is weft.int64
    assert weft.ensure(x, inplace=True) is x
    c = weft.cast(x)
    assert c.tolist() == x.tolist() and c.storage != x.storage and weft.cast(5, weft.float32).dtype is weft.float32
    assert weft.ensure(x, device="thread:0").device == "thread:0"


# ---- attributes


def test_read_only_is_a_matter_of_the_handle():
    x = weft.zeros(4)
    other = x.shallow()
    x.read_only = True
    view = x[0:3]
    with pytest.raises(WriteError, match="read-only"):
        view[0] = 1
    with pytest.raises(WriteError, match="read-only"):
        x += 1
    with pytest.raises(WriteError, match="read-only"):
        x.byteswap()
    other[0] = 5
    assert x.tolist() == [5, 0, 0, 0] and not x.numpy().flags.writeable and not x.copy().read_only
    assert not x[[0, 1]].read_only and other.numpy().flags.writeable
    x.read_only = x.read_only = False
    x[1] = 6
    assert view.read_only and view.tolist() == [5, 6, 0]
    view.read_only = False
    view[2] = 7
    assert x.tolist() == [5, 6, 7, 0]
    with pytest.raises(WriteError, match="the memory or its maker forbids"):
        weft.constant([1])[:].read_only = False


def test_a_handle_stays_read_only_when_its_storage_is_so_for_a_while():
    s = weft.storage(2, weft.int16)
    x, turned = s.tensor(), s.tensor()
    s.read_only = True
    x.read_only = turned.read_only = True
    turned.byteorder = "big"
    s.read_only = False
    for t in (x, turned):
        with pytest.raises(WriteError, match="read-only"):
            t[0] = 1
        t.read_only = False
    x[0] = 256
    assert turned.tolist() == [1, 0]


def test_a_swap_that_is_refused_changes_nothing():
    memory = np.arange(3, dtype=np.int16)
    weft.asarray(memory).storage.read_only = True
    kept = weft.asarray(memory)
    x, y = kept.shallow(), weft.asarray(memory)
    kept.storage.read_only = True
    for t in (x, y):
        with pytest.raises(WriteError, match="byteswap: the tensor is read-only"):
            t.byteswap()
        assert t.tolist() == [0, 1, 2] and t.byteorder == "little"


def test_the_byte_order_of_a_handle():
    x = weft.asarray([1, 2], dtype=weft.int16)
    v, p = x[1:], x + 0
    x.byteorder = "big"
    assert x.tolist() == [256, 512] and v.tolist() == [2] and p.tolist() == [1, 2] and x.byteswapped
    x.byteswapped = False
    assert x.tolist() == [1, 2] and x.storage is v.storage
    x.byteswap()
    assert x.tolist() == [1, 2] and v.tolist() == [512]
    moved = weft.asarray([1, 2], dtype=weft.int16).translate(3)
    moved.byteorder = "big"
    assert moved.domain.origin == (3,) and moved.tolist() == [256, 512]
    b = weft.zeros(2, dtype=weft.int8)
    b.byteorder = "big"
    assert b.byteorder == "little" and not b.byteswapped
    with pytest.raises(ValueRangeError, match="byteorder: byte order 'up'"):
        x.byteorder = "up"


LAYOUTS = {
    "C": (lambda x: x, (True, True, False)),
    "F": (lambda x: x.T, (True, False, True)),
    "flipped": (lambda x: weft.flip(x), (True, False, False)),
    "part": (lambda x: x[:, 1:], (False, False, False)),
    "row": (lambda x: x[:1], (True, True, True)),
    "one column": (lambda x: x[:, :1], (False, False, False)),
    "broadcast": (lambda x: weft.broadcast_to(x, (2, 3, 4)), (False, False, False)),
    "empty": (lambda x: x[:0], (True, True, True)),
    "one": (lambda x: x[0, 0], (True, True, True)),
}


@for_each("stored", [True, False])
@for_each("layout", LAYOUTS)
def test_predicates(layout, stored):
    x = weft.asarray(np.arange(12.0).reshape(3, 4)) if stored else weft.arange(12).reshape(3, 4) * 1.0
    make, expected = LAYOUTS[layout]
    y = make(x)
    assert (y.is_contiguous, y.is_c_contiguous, y.is_fortran) == expected
    assert y.is_aligned and y.is_real and not y.is_complex and not y.is_self_overlapping
    assert (y.is_empty, y.is_scalar, y.itemsize) == (layout == "empty", layout == "one", 8)
    flags = y.numpy().flags
    assert layout == "flipped" or (flags.c_contiguous, flags.f_contiguous) == expected[1:]


def test_addresses():
    x = weft.arange(10) * 1
    assert x.offset == 0 and x[3:].offset == 24 and weft.flip(x).offset == 72
    assert x[3:].ptr == x.ptr + 24 == x.storage.ptr + 24 and x[3:].offset == 24
    a = np.arange(10)[::-1]
    y = weft.asarray(a)
    assert y.ptr == a.ctypes.data and y.offset == 72 and y.storage.nbytes == 80
    before, other = x.refcount, x
    assert other.refcount == before + 1
    assert not weft.storage(9).tensor((2,), offset=1, unit=1, dtype=weft.int32).is_aligned


# ---- overlap


def test_overlap_names_indices():
    x = weft.zeros(10).realize()
    assert weft.overlap(x[::2], x[1::2]) is None and not weft.may_share_memory(x[::2], x[1::2])
    a, b = weft.overlap(x[2:], x[::-1])
    assert x[2:][(*a, ...)].ptr == x[::-1][(*b, ...)].ptr
    pending = weft.arange(10) * 2
    assert weft.may_share_memory(pending[:5], pending[4:]) and not weft.may_share_memory(pending[:5], pending[5:])
    assert not weft.may_share_memory(pending, weft.arange(10) * 2) and weft.overlap(x, weft.zeros(10)) is None
    c = weft.asarray([1 + 2j, 3]).realize()
    assert not weft.may_share_memory(c.real, c.imag) and weft.may_share_memory(c.real, c)


SELF = [
    ((3, 2, 2, 2), (1, 2, 6, 12), 1, True),
    ((3, 2), (1, 2), 1, True),
    ((4, 3), (4, 5), 1, False),
    ((4, 3), (4, 5), 2, True),
    ((2,), (1,), 2, True),
    ((5, 4), (0, 1), 1, False),
    ((0, 3), (1, 1), 1, False),
]
PAIRS = [
    (((5,), (4,), 0, 1), ((4,), (3,), 7, 1), True),
    (((5,), (4,), 0, 1), ((3,), (3,), 7, 1), False),
    (((5, 3), (4, 1), 0, 1), ((3,), (10,), -3, 1), True),
    (((5, 3), (4, 1), 0, 1), ((2, 3), (-40, 10), 37, 1), True),
    (((3,), (8,), 0, 1), ((4,), (5,), 5, 2), True),
]


def test_tables_of_overlap():
    for shape, strides, itemsize, overlaps in SELF:
        found = weft.check_self_overlap(shape, strides, itemsize)
        assert (found is not None) == overlaps
        if found:
            first, second = (sum(i * s for i, s in zip(at, strides, strict=True)) for at in found)
            assert found[0] != found[1] and abs(first - second) < itemsize
    for a, b, overlaps in PAIRS:
        assert (weft.check_overlap(*a, *b) is not None) == (weft.check_overlap(*b, *a) is not None) == overlaps


@given(st.data())
def test_overlap_is_that_of_the_sets_of_bytes(data):
    def drawn():
        n = data.draw(st.integers(0, 3))
        shape = tuple(data.draw(st.integers(0, 4)) for _ in range(n))
        return (
            shape,
            tuple(data.draw(st.integers(-9, 9)) for _ in range(n)),
            data.draw(st.integers(0, 20)),
            data.draw(st.integers(1, 4)),
        )

    def bytes_of(shape, strides, offset, itemsize):
        starts = [offset + int(np.dot(at, strides)) if shape else offset for at in np.ndindex(*shape)]
        return [s + i for s in starts for i in range(itemsize)]

    a, b = drawn(), drawn()
    found = weft.check_overlap(*a, *b)
    assert (found is not None) == bool(set(bytes_of(*a)) & set(bytes_of(*b)))
    shape = tuple(n if s else min(n, 1) for n, s in zip(a[0], a[1], strict=True))
    cells = bytes_of(shape, *a[1:])
    assert (weft.check_self_overlap(*a[:2], a[3]) is not None) == (len(set(cells)) < len(cells))


def test_swapped_bytes_keep_gradients_and_take_no_second_copy():
    w = weft.asarray(np.ones(4))
    w.requires_grad_()
    part = (w * 3)[1:].realize()
    part.byteswap()
    (part * part).sum().backward()
    assert part.byteorder == "big" and w.grad.tolist() == [0, 18, 18, 18]

    x = weft.asarray(np.arange(24, dtype=np.complex64).reshape(4, 6))
    pointer, pending, cells = x.ptr, x + 0, x[1:3, ::-2]
    assert cells.byteswap().tolist() == pending[1:3, ::-2].tolist()
    assert (x.ptr, cells.byteorder) == (pointer, "big") and pending.real.sum() == 276

    tracemalloc.start()
    weft.asarray(np.zeros(1_000_000)).byteswap()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12_000_000  # the array itself takes 8 MB
