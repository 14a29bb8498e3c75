"""Data types: facts, order, how they join, the default, casting by call, and the narrow kinds everywhere."""

from __future__ import annotations

import copy
import itertools
import operator
import pickle
import re
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.oracle.compare import same_bits
from weft import dtypes as dt
from weft.backends.reference.casts import astype
from weft.errors import ConversionError, DTypeError, MathWarning, ValueRangeError
from weft.passes.simplify.rule import can_represent
from weft.runtime.memory.limits import limited

ANY = st.sampled_from(dt.ALL)
INTEGERS = tuple(d for d in dt.ALL if d.is_integer or d is dt.bool)
ONE_LINE = (*(d for d in dt.ALL if d.is_inexact and d.bits > 16 and d is not dt.complex32),)
# OCN-13 as a table, in the order of its columns
TABLE = """
        bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128
bool    b    u8    u16    u32    u64    i8   i16   i32   i64   f16     f32     f64     c32       c64       c128
uint8   u8   u8    u16    u32    u64    i16  i16   i32   i64   f16     f32     f64     c32       c64       c128
uint16  u16  u16   u16    u32    u64    i32  i32   i32   i64   f32     f32     f64     c64       c64       c128
uint32  u32  u32   u32    u32    u64    i64  i64   i64   i64   f64     f64     f64     c128      c128      c128
uint64  u64  u64   u64    u64    u64    f64  f64   f64   f64   f64     f64     f64     c128      c128      c128
int8    i8   i16   i32    i64    f64    i8   i16   i32   i64   f16     f32     f64     c32       c64       c128
int16   i16  i16   i32    i64    f64    i16  i16   i32   i64   f32     f32     f64     c64       c64       c128
int32   i32  i32   i32    i64    f64    i32  i32   i32   i64   f64     f64     f64     c128      c128      c128
int64   i64  i64   i64    i64    f64    i64  i64   i64   i64   f64     f64     f64     c128      c128      c128
float16 f16  f16   f32    f64    f64    f16  f32   f64   f64   f16     f32     f64     c32       c64       c128
float32 f32  f32   f32    f64    f64    f32  f32   f64   f64   f32     f32     f64     c64       c64       c128
float64 f64  f64   f64    f64    f64    f64  f64   f64   f64   f64     f64     f64     c128      c128      c128
complex32  c32  c32  c64  c128 c128 c32  c64  c128 c128 c32  c64  c128 c32  c64  c128
complex64  c64  c64  c64  c128 c128 c64  c64  c128 c128 c64  c64  c128 c64  c64  c128
complex128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
"""
LONG = {"b": "bool", "u": "uint", "i": "int", "f": "float", "c": "complex"}


def table() -> list[tuple[dt.DType, dt.DType, dt.DType]]:
    head, *rows = [line.split() for line in TABLE.strip().splitlines()]
    long = {c: dt.named(LONG[c[0]] + c[1:]) for row in rows for c in row[1:]}
    return [(dt.named(row[0]), dt.named(name), long[c]) for row in rows for name, c in zip(head, row[1:], strict=True)]


def test_the_whole_table_of_common_types() -> None:
    assert len(table()) == 225
    assert [(a, b, dt.promote(a, b)) for a, b, c in table() if dt.promote(a, b) is not c] == []


@pytest.mark.parametrize("a", dt.FLOAT8, ids=repr)
def test_float8_kinds_join_what_holds_both(a: dt.DType) -> None:
    own = a.np.type
    values = np.arange(256, dtype=np.uint8).view(own).astype(np.float64)
    for b in dt.ALL:
        joined = dt.promote(a, b)
        assert joined is dt.promote(b, a)
        if not joined.storage:
            kept = dt.widened(dt.narrowed(values.astype(joined.compute.np), joined))
            assert np.array_equal(kept.real, values, equal_nan=True)
    other = dt.float8_e5m2 if a is dt.float8_e4m3 else dt.float8_e4m3
    wide = dt.bfloat16 if a is dt.float8_e8m0fnu else dt.float16
    assert dt.promote(a, other) is wide and dt.promote(a, dt.int8) is wide
    assert dt.promote(a, dt.bfloat16) is dt.bfloat16 and dt.promote(a, a) is a


@given(ANY, ANY)
def test_joining_is_commutative_idempotent_and_an_upper_bound(a: dt.DType, b: dt.DType) -> None:
    joined = dt.promote(a, b)
    assert joined is dt.promote(b, a) and dt.promote(a, a) is a
    assert dt.promote(a, dt.bool) is (dt.bfloat16 if a is dt.float8_e8m0fnu else a)  # which has no 0
    assert dt.promote(joined, a) is joined and dt.promote(joined, b) is joined


@pytest.mark.parametrize("members", [INTEGERS, (dt.bool, *ONE_LINE, dt.float16), (dt.bool, *ONE_LINE, dt.bfloat16)])
def test_joining_is_associative_where_it_is_a_lattice(members: tuple[dt.DType, ...]) -> None:
    join = dt.promote
    for a in members:
        for b in members:
            for c in members:
                assert join(join(a, b), c) is join(a, join(b, c)), (a, b, c)


def test_many_dtypes_join_alike_in_any_order() -> None:
    for members in itertools.combinations(dt.ALL, 3):
        joined = dt.promote_all(members)
        assert all(dt.promote_all(order) is joined for order in itertools.permutations(members))
        assert all(dt.promote(joined, m) is joined for m in members)
    assert weft.result_type(weft.float32, weft.uint16, weft.int8) is weft.float32
    assert weft.result_type(weft.int8, weft.uint16, weft.float32) is weft.float32


def test_dtypes_are_ordered() -> None:
    assert sorted(dt.ALL, key=lambda d: d) == list(dt.ALL) and max(dt.ALL[::-1]) is weft.complex128
    for i, a in enumerate(dt.ALL):
        for j, b in enumerate(dt.ALL):
            for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
                assert compare(a, b) is compare(i, j)
    with pytest.raises(TypeError):
        assert dt.int8 < "int16"  # type: ignore[operator]
    assert dt.int8 == "int8" and dt.int8 != "int16"


@for_each("d", dt.ALL)
def test_facts(d: dt.DType) -> None:
    assert pickle.loads(pickle.dumps(d)) is d and copy.deepcopy(d) is d and {d: 1}[d] == 1
    assert d.itemsize * 8 == d.bits == d.np.itemsize * 8 and d.nbits == (1 if d is dt.bool else d.bits)
    assert d.is_number is (d is not dt.bool) and d.is_complex is (d.kind == "complex")
    assert dt.spelled(d.name) == (d, "little") and dt.spelled(dt.spelling(d, "little")) == (d, "little")
    big = "big" if d.itemsize > 1 else "little"
    assert dt.from_numpy(dt.to_numpy(d, "big")) == (d, big)
    assert dt.spelled(dt.spelling(d, big)) == (d, big)
    if d.kind in ("float", "complex"):
        info = ml_dtypes.finfo(d.real.np)
        assert (d.min, d.max, d.eps) == (float(info.min), float(info.max), float(info.eps))
        assert weft.finfo(d).bits == d.real.bits
    else:
        assert d.eps == 1 and d.is_signed is (d.min < 0)


SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 255.5, -129.0, 448.0, 65519.9, 65520.0, 1e5, 2.0**-127, 1e-45, 3.4e38, 1e39]


@np.errstate(all="ignore")
def values_of(d: dt.DType) -> np.ndarray:
    """Values that conversions treat each in its own way, as far as the dtype holds them."""
    if d.storage:
        return np.arange(256, dtype=np.uint8).view(d.np)
    return astype(d, np.array([*SPECIAL, 5e-324, -1e300, 2.0**63, 2.0**64, np.inf, -np.inf, np.nan]))


@pytest.mark.parametrize("narrow", dt.ALL, ids=repr)
@np.errstate(all="ignore")
def test_dtypes_that_hold_another_give_its_values_back(narrow: dt.DType) -> None:
    found = [d for d in dt.ALL if can_represent(d, narrow)]
    assert narrow in found and all(dt.promote(d, narrow) is d for d in found)
    for wide in found:
        x = values_of(narrow)
        there = astype(wide, x)
        back = there.real if wide.kind == "complex" and narrow.kind != "complex" and wide is not dt.complex32 else there
        assert same_bits(astype(narrow, back), x), wide


@pytest.mark.parametrize("d", dt.FLOAT8, ids=repr)
def test_every_code_of_a_float8_kind(d: dt.DType) -> None:
    a = np.arange(256, dtype=np.uint8).view(d.np)
    x = weft.asarray(a)
    assert x.dtype is d and x.numpy() is not None and x.numpy().dtype == a.dtype
    assert same_bits(x.astype(weft.float32).numpy(), a.astype(np.float32))
    assert np.array_equal((x == x).numpy(), a.astype(np.float32) == a.astype(np.float32))
    assert np.array_equal(weft.concat([x, x])[::-2].numpy().view(np.uint8), np.concatenate([a, a])[::-2].view(np.uint8))
    assert np.array_equal(pickle.loads(pickle.dumps(x)).numpy().view(np.uint8), a.view(np.uint8))
    assert weft.count_nonzero(x).item() == np.count_nonzero(a.astype(np.float32))
    back = np.array(x.tolist(), np.float32)
    assert np.array_equal(back, a.astype(np.float32), equal_nan=True)


@pytest.mark.parametrize("d", dt.FLOAT8, ids=repr)
def test_float32_becomes_float8_as_ml_dtypes_does_it(d: dt.DType) -> None:
    high = np.arange(1 << 16, dtype=np.uint32) << 16
    bits = (high[:, None] | np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)).reshape(-1)
    x = bits.view(np.float32)
    with np.errstate(all="ignore"):
        want = x.astype(d.np)
    assert np.array_equal(weft.asarray(x).astype(d).numpy().view(np.uint8), want.view(np.uint8))


@for_each("act", [
    lambda x: x + x, lambda x: x + 1, lambda x: -x, weft.exp, weft.sum, weft.max, weft.cumulative_sum, weft.sort,
    lambda x: x < x, lambda x: x @ x, weft.isnan, weft.unique_values, lambda x: weft.maximum(x, x), weft.mean,
])  # fmt: skip
@for_each("d", [dt.float8_e4m3fn, dt.float8_e8m0fnu])
def test_float8_alone_computes_nothing(act: object, d: dt.DType) -> None:
    with pytest.raises(DTypeError, match="the float8 kinds are for storage; convert with astype"):
        act(d([1.0, 2.0]))  # type: ignore[operator]


# ---- complex32
def halves(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return dt.complex_array(dt.complex32, rng.normal(size=n).astype("f2"), rng.normal(size=n).astype("f2"))


@pytest.mark.parametrize("order", ["little", "big"])
def test_complex32_computes_in_complex64_and_rounds_once(order: str) -> None:
    a, b = (halves(300, k) for k in (1, 2))
    x, y = (weft.asarray(v.astype(dt.to_numpy(dt.complex32, order))) for v in (a, b))
    assert x.dtype is weft.complex32 and x.byteorder == order
    wide_x, wide_y = x.astype(weft.complex64), y.astype(weft.complex64)
    for act in (weft.add, weft.multiply, weft.divide, lambda p, q: p @ q, lambda p, q: weft.sum(p * 1)):
        assert same_bits(act(x, y).numpy(), act(wide_x, wide_y).astype(weft.complex32).numpy())
    for each in (weft.sum, weft.prod, weft.mean, weft.cumulative_sum, weft.exp, weft.sqrt, weft.conj, weft.square):
        assert same_bits(each(x).numpy(), each(wide_x).astype(weft.complex32).numpy())
    assert same_bits(weft.abs(x).numpy(), weft.abs(wide_x).astype(weft.float16).numpy())
    assert weft.all(x == x).item() and not weft.any(x != x).item()
    assert np.array_equal(weft.take(x, weft.asarray([5, 3])).tolist(), wide_x.numpy()[[5, 3]])
    assert (x + 1.5).dtype is (x + 1j).dtype is weft.complex32


@pytest.mark.parametrize("order", ["little", "big"])
def test_complex32_shares_its_memory_and_its_parts_are_views(order: str) -> None:
    a = halves(4, 3).astype(dt.to_numpy(dt.complex32, order))
    x = weft.asarray(a)
    weft.real(x)[0], weft.imag(x)[1] = 7, -2
    assert a["real"][0] == 7 and a["imag"][1] == -2
    assert weft.real(x).dtype is weft.float16 and np.shares_memory(x.numpy(), a)
    again = pickle.loads(pickle.dumps(x))
    assert again.byteorder == order and again.tolist() == x.tolist()


def test_other_spellings_of_complex32_share_memory() -> None:
    for names in (("re", "im"), ("r", "i")):
        a = np.zeros(2, [(n, ">f2") for n in names])
        x = weft.asarray(a)
        x[1] = 3 + 4j
        assert x.dtype is weft.complex32 and a[1].item() == (3, 4)
    b = np.array([1 + 2j], ml_dtypes.complex32)
    weft.asarray(b)[0] = 5
    assert complex(b[0]) == 5
    with pytest.raises(DTypeError, match="has no weft counterpart"):
        weft.asarray(np.zeros(1, [("a", "f2"), ("b", "f2")]))


def test_what_protocols_have_no_word_for() -> None:
    for d in (weft.complex32, weft.float8_e5m2, weft.bfloat16):
        with pytest.raises(BufferError, match=f"{d.name} cells"):
            d([1.0]).__buffer__(0)
        with pytest.raises((BufferError, RuntimeError), match="Unsupported dtype"):  # NumPy's words: others know them
            np.from_dlpack(d([1.0]))


@pytest.mark.parametrize("d", [dt.complex32, dt.float8_e4m3fn, dt.float8_e5m2, dt.float8_e8m0fnu], ids=repr)
@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.bin", "a.safetensors", "a.zarr"])
def test_files(d: dt.DType, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    x = d([[1.0, 2.0, 0.5], [4.0, 8.0, 0.25]])
    value = {"a": x} if name.endswith(("npz", "safetensors")) else x
    refused = d.storage if name in ("a.npy", "a.npz") else d is dt.complex32 and name == "a.safetensors"
    if refused:
        with pytest.raises(DTypeError, match=r"no word for them|no type of the format"):
            weft.save(path, value)
        return
    weft.save(path, value)
    how = {"dtype": d, "shape": (2, 3), "format": "raw"} if name == "a.bin" else {}
    y = weft.open(f"{path}::a" if isinstance(value, dict) else path, **how)
    assert y.dtype is d and y.tolist() == x.tolist()


# ---- casting by call and the default
def test_calls_cast_on_purpose() -> None:
    z = 12.34 + 56.78j
    assert [d(z).item() for d in (weft.int8, weft.float16, weft.complex32, weft.bool)] == [
        12, 12.34375, 12.34375 + 56.78125j, True,
    ]  # fmt: skip
    assert weft.int8(3.7).shape == () and weft.float16([[1, 2], [3, 4]]).shape == (2, 2)
    x = weft.asarray([1 + 2j, 300.5])
    assert weft.int8(x).tolist() == [1, 127] and weft.float32(weft.asarray([1, 2])).dtype is weft.float32
    y = weft.asarray([1.0])
    assert weft.float64(y) is y and weft.int8(i for i in (1, 2)).tolist() == [1, 2]
    assert weft.int16([[1, 2], [3, 4]], order="F").strides == (2, 4)
    for wrong in (300, [1, 300]):
        with pytest.raises(ValueRangeError, match="it holds -128 to 127"):
            weft.int8(wrong)


MADE = {
    "zeros": lambda: weft.zeros(2), "full": lambda: weft.full(2, 1.5), "number": lambda: weft.asarray(1.5),
    "list": lambda: weft.asarray([1.5]), "linspace": lambda: weft.linspace(0, 1, 3), "eye": lambda: weft.eye(2),
    "uniform": lambda: weft.random.uniform(2, seed=1), "arange": lambda: weft.arange(0, 1, 0.5),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_the_default_dtype_of_floats(name: str) -> None:
    assert MADE[name]().dtype is weft.float64
    for d in (weft.float32, weft.bfloat16):
        with weft.default_dtype(d):
            assert MADE[name]().dtype is d
    with weft.default_dtype(None), pytest.raises(DTypeError, match="the default dtype is None; pass dtype="):
        MADE[name]()


def test_the_default_dtype_of_integers_and_complex_numbers() -> None:
    for d, of_int, of_complex in (
        (weft.float16, weft.int64, weft.complex32), (weft.complex64, weft.int64, weft.complex64),
        (weft.int8, weft.int8, weft.complex128),
    ):  # fmt: skip
        with weft.default_dtype(d):
            assert weft.asarray(1).dtype is weft.asarray([1]).dtype is weft.arange(3).dtype is of_int
            assert weft.asarray(1j).dtype is weft.asarray([1j]).dtype is of_complex
            assert weft.zeros(1).dtype is d and weft.asarray(True).dtype is weft.bool
            assert (weft.zeros(1, dtype="i2") + 1.5).dtype is weft.float64
            assert weft.asarray([1], dtype=float).dtype is weft.float64
    with weft.default_dtype(weft.int8), pytest.raises(ValueRangeError, match="300"):
        weft.asarray([300])


@pytest.mark.parametrize(("x1", "x2"), [(1, 2.5), (2.5, 1), (True, 2), (2, 1j), (True, 0.5), (1.5, 1j), (1, 2)])
def test_two_python_numbers_have_the_default_dtype_of_the_greater_kind(x1: object, x2: object) -> None:
    for d in (weft.float32, weft.float16, weft.int8, weft.complex64):
        with weft.default_dtype(d):
            assert weft.add(x1, x2).dtype is weft.add(x2, x1).dtype is weft.asarray([x1, x2]).dtype
            assert weft.where(weft.asarray(True), x1, x2).dtype is weft.asarray([x1, x2]).dtype


def test_the_default_dtype_is_of_all_threads_and_a_block_of_one() -> None:
    found = []
    weft.set_default_dtype("f4")
    try:
        with weft.default_dtype(weft.float16):
            t = threading.Thread(target=lambda: found.append(weft.get_default_dtype()))
            t.start()
            t.join()
            assert weft.get_default_dtype() is weft.float16
    finally:
        weft.set_default_dtype(weft.float64)
    assert found == [weft.float32] and weft.get_default_dtype() is weft.float64
    with pytest.raises(DTypeError, match="is not a data type"):
        weft.set_default_dtype("no")


# ---- conversions by mode
HARD = [1e30, -1e30, 300.7, -300.7, float("nan"), float("inf"), -2.0]


def test_modes() -> None:
    x = weft.asarray(HARD)
    assert x.astype(weft.int8, mode="wrap").tolist() == [0, 0, 44, -44, 0, 0, -2]
    assert x.astype(weft.int8, mode="saturate").tolist() == [127, -128, 127, -128, 0, 127, -2]
    assert x.astype(weft.float16, mode="saturate").tolist()[:2] == [65504.0, -65504.0]
    assert weft.asarray([300, -5]).astype(weft.uint8, mode="saturate").tolist() == [255, 0]
    for d in (weft.float8_e5m2, weft.float16, weft.float64):  # the limits are those of what they become
        y = weft.asarray([float("inf"), -float("inf"), 1.0]).astype(d)
        for e in (weft.float8_e4m3fn, weft.float16, weft.float32, weft.float64):
            assert y.astype(e, mode="saturate").tolist() == [e.max, e.min, 1.0], (d, e)
    with pytest.warns(MathWarning, match=r"1e\+30 as int8 at \(0,\)"):
        assert x.astype(weft.int8, mode="warn").tolist() == x.astype(weft.int8).tolist()
    ok = weft.asarray([1.0, 2.0])
    for mode in ("standard", "warn", "error", "saturate", "wrap", "exact"):
        assert ok.astype(weft.float8_e4m3fn, mode=mode).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("values", "dtype", "mode", "message"),
    [
        ([1.0, 300.0], "int8", "error", "astype: 300.0 as int8 at (1,)"),
        ([1.0, 300.0], "int8", "error", "int8 holds -128 to 127; convert to a wider dtype, or clip first"),
        ([1, 500], "float8_e4m3fn", "error", "500 as float8_e4m3fn at (1,)"),
        ([1.0, 0.0], "float8_e8m0fnu", "error", "0.0 as float8_e8m0fnu at (1,)"),
        ([1j, 1e6j], "complex32", "error", "as complex32 at (1,)"),
        ([2.0, 2.5], "int64", "exact", "astype: 2.5 at (1,) as int64; mode 'exact' allows no value to change"),
        ([float("nan")], "int64", "exact", "nan at (0,) as int64"),
    ],
)
def test_conversions_that_lose_something(values: list[object], dtype: str, mode: str, message: str) -> None:
    with pytest.raises(ConversionError, match=re.escape(message)):
        weft.asarray(values).astype(dtype, mode=mode).tolist()


def test_modes_that_are_none() -> None:
    with pytest.raises(ValueRangeError, match="astype: mode 'nope'; modes are standard, warn"):
        weft.asarray([1]).astype("i1", mode="nope")
    with pytest.raises(ValueRangeError, match="astype: mode 'nope'; modes are standard, warn"):
        weft.asarray([1]).astype("i8", mode="nope")
    with pytest.raises(DTypeError, match="complex parts lie in no range"):
        weft.asarray([1j]).astype("complex64", mode="wrap")


@pytest.mark.parametrize("d", [d for d in dt.ALL if d.itemsize > 1], ids=repr)
def test_pickles_keep_values_and_byte_order(d: dt.DType) -> None:
    x = weft.asarray(d([1, 2, 5]).numpy().astype(dt.to_numpy(d, "big")))
    again = pickle.loads(pickle.dumps(x))
    assert again.byteorder == "big" and again.dtype is d and again.tolist() == x.tolist()


@pytest.mark.parametrize("order", ["little", "big"])
def test_reductions_of_complex32_files_in_tiles(order: str, tmp_path: Path) -> None:
    a = halves(200_000, 4).astype(dt.to_numpy(dt.complex32, order)).reshape(400, 500)
    path = tmp_path / "x.npy"
    x = weft.asarray(a)
    weft.save(path, x, dtype=dt.spelling(dt.complex32, order))
    with limited(100 << 10):
        for act in (weft.sum, weft.mean, lambda t: weft.sum(t, axis=0), weft.count_nonzero, lambda t: weft.sum(t * t)):
            assert same_bits(act(weft.open(path)).numpy(), act(x).numpy())


def test_random_fields_of_a_default_dtype_that_has_none() -> None:
    with weft.default_dtype(weft.float8_e4m3fn), pytest.raises(DTypeError, match="uniform of float8_e4m3fn; no such"):
        weft.random.uniform((2,), seed=1)


def test_random_fields_of_complex32_are_the_same_everywhere() -> None:
    for field in (weft.random.normal, weft.random.uniform):
        made = field((3, 5), seed=4, dtype=weft.complex32).numpy()
        with weft.transformer("reference"):
            assert same_bits(field((3, 5), seed=4, dtype=weft.complex32).numpy(), made)


def test_storages_are_cast_by_call() -> None:
    made = weft.int8(weft.asarray([1.5, 2.5]).storage)
    assert made.dtype is weft.int8 and made.nbytes == 2


def shown_table() -> str:
    """The table of joins as docs/dtypes.md shows it."""
    columns = [d for d in dt.ALL if not d.storage]
    short = {d: ("bf" if d is dt.bfloat16 else "b" if d is dt.bool else d.kind[0]) + str(d.bits) for d in columns}
    short[dt.bool] = "bool"
    lines = [f"| | {' | '.join(short[d] for d in columns)} |", "|" + "---|" * (len(columns) + 1)]
    lines += [f"| **{short[a]}** | {' | '.join(short[dt.promote(a, b)] for b in columns)} |" for a in columns]
    return "\n".join(lines)


def test_the_page_shows_the_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "dtypes.md"
    assert shown_table() in page.read_text(encoding="utf-8"), f"the table of joins in {page.name} is another"


# ---- NumPy's dtypes


@for_each("dtype", dt.ALL)
def test_a_dtype_is_one_for_numpy(dtype: dt.DType) -> None:
    theirs = np.dtype(dtype)  # type: ignore[call-overload]
    assert theirs is dtype.np and theirs.char == dtype.char and np.zeros(2, dtype=dtype).dtype == theirs  # type: ignore[call-overload]
    assert dtype == theirs and theirs == dtype and hash(dtype) == hash(theirs)
    assert {theirs: 1}[dtype] == {dtype: 1}[theirs] == 1  # type: ignore[index]
    assert dtype == dtype.name and dtype.name == dtype and (dtype == theirs.type) is not (dtype is dt.complex32)
    assert [d for d in dt.ALL if d == theirs] == [dtype] == [d for d in dt.ALL if d == dtype.name]


def test_a_dtype_equals_what_spells_it_in_native_order() -> None:
    assert weft.float64 == float and weft.int64 == int and weft.bool == bool and weft.float32 == "f4"  # noqa: E721
    assert weft.bfloat16 == ml_dtypes.bfloat16 and np.issubdtype(weft.float32, np.floating)  # type: ignore[arg-type]
    for other in (">f8", np.dtype(">f8"), "number", object, None, 8, "M8[s]", weft.float32, np.dtype("f4,f4")):
        assert weft.float64 != other and not weft.float64 == other  # noqa: SIM201


@pytest.mark.parametrize(
    ("array", "remedy"),
    [
        (np.zeros(2, "M8[s]"), r"give its view\('int64'\)"),
        (np.zeros(2, "m8[s]"), r"give its view\('int64'\)"),
        (np.array(["a"]), r"astype\(float\), or give codes"),
        (np.array([b"a"]), r"astype\(float\), or give codes"),
        (np.zeros(2, [("name", "f4"), ("age", "i4")]), r"take one field, as in a\['name'\]"),
        (np.zeros(2, object), r"astype\(float\)"),
    ],
    ids=["dates", "durations", "texts", "bytes", "records", "references"],
)
def test_what_holds_no_numbers_is_refused_with_a_remedy(array: np.ndarray, remedy: str) -> None:
    with pytest.raises(DTypeError, match=f"dtype: NumPy's .* has no weft counterpart; weft holds .*; .*{remedy}"):
        weft.asarray(array)
    with pytest.raises(DTypeError, match=remedy):
        weft.ones(2) + array
    with pytest.raises(DTypeError, match=remedy):
        weft.zeros(2, dtype=array.dtype.descr if array.dtype.names else array.dtype)


def test_a_kind_and_width_that_no_dtype_has_is_refused() -> None:
    assert dt.of_kind("float", 16) is dt.float16 and dt.of_kind("complex", 128) is dt.complex128
    for kind, bits in (("int", 128), ("float", 8), ("text", 32)):
        with pytest.raises(DTypeError, match=f"dtype: kind '{kind}' of {bits} bits; weft has no such dtype; use one"):
            dt.of_kind(kind, bits)
