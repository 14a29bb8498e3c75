"""Elementwise functions: weak scalars, exact comparisons, dtype rules, clip, where, astype."""

import re

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.oracle.samples import values
from tests.shares import in_turn
from weft import dtypes as dt
from weft.errors import DTypeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")


COMPARISONS = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
SYMBOLS = {
    "less": lambda a, b: a < b, "less_equal": lambda a, b: a <= b, "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b, "equal": lambda a, b: a == b, "not_equal": lambda a, b: a != b,
}  # fmt: skip
VALUES = {
    "uint8": [0, 7, 255], "int8": [-128, 0, 127], "int64": [-(2**63), 0, 2**63 - 1], "uint64": [0, 2**64 - 1],
    "bool": [False, True], "float32": [-3e38, 0.0, 3e38, float("inf"), float("-inf"), float("nan")],
    "float16": [0.0, 65504.0, float("inf")],
}  # fmt: skip
NUMBERS = [-(10**400), -(10**39), -(2**63) - 1, -129, -1, 0, 7, 255, 256, 65536, 2**63, 2**64, 10**39, 10**400]


@pytest.mark.parametrize(("name", "dtype"), in_turn(COMPARISONS, VALUES, every=3))
def test_integers_compare_exactly_whatever_the_dtype_holds(name, dtype):
    x = weft.asarray(VALUES[dtype], dtype=dtype)
    for v in NUMBERS:
        if dtype == "float16" and abs(v) in (256, 65536):
            continue  # rounding of numbers within the range is the dtype's own
        expected = [SYMBOLS[name](cell, v) for cell in VALUES[dtype]]
        assert SYMBOLS[name](x, v).tolist() == expected, v
        assert getattr(weft, name)(x, v).tolist() == expected, v
        assert getattr(weft, name)(v, x).tolist() == [SYMBOLS[name](v, cell) for cell in VALUES[dtype]], v


@for_each("dtype, number, result", [
    ("int8", 1, "int8"), ("uint8", True, "uint8"), ("bool", 1, "int64"), ("int8", 1.5, "float64"),
    ("float32", 1, "float32"), ("float16", 1.5, "float16"), ("bfloat16", 2, "bfloat16"),
    ("int64", 1j, "complex128"),
    ("float32", 1j, "complex64"), ("float64", 1j, "complex128"), ("complex64", 1.5, "complex64"),
])  # fmt: skip
def test_python_numbers_are_weak_by_kind(dtype, number, result):
    x = weft.ones(2, dtype=dtype)
    assert (x + number if dtype != "bool" else weft.where(x, x, number)).dtype.name == result
    assert weft.result_type(x, number).name == result


def test_numpy_scalars_and_rank_0_are_strong():
    x = weft.ones(2, dtype="float32")
    assert (x + np.float64(1)).dtype is weft.float64
    assert (np.float64(1) + x).dtype is weft.float64
    assert (x + weft.asarray(1.0)).dtype is weft.float64


@pytest.mark.parametrize("number", [-1, 256])
def test_integers_that_do_not_fit_are_refused_in_arithmetic(number):
    with pytest.raises(ValueRangeError):
        weft.zeros(1, dtype="uint8") + number


def test_division_of_integers_gives_float64():
    assert (weft.asarray([1, 2], dtype="int8") / weft.asarray(2, dtype="int8")).dtype is weft.float64


def test_bitwise_of_bools_is_logical():
    x = weft.asarray([True, False])
    assert (~x).tolist() == [False, True]
    assert (x & True).tolist() == [True, False]
    assert (x ^ True).tolist() == [False, True]


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round"])
def test_rounding_keeps_integers(name):
    x = weft.asarray([-3, 4], dtype="int16")
    y = getattr(weft, name)(x)
    assert y.dtype is weft.int16 and y.tolist() == [-3, 4]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(None, None, [1, 5, 9]), (2, None, [2, 5, 9]), (None, 4, [1, 4, 4]), (2, 8, [2, 5, 8]), (-1000, 1000, [1, 5, 9])],
)
def test_clip(low, high, expected):
    y = weft.clip(weft.asarray([1, 5, 9], dtype="int8"), low, high)
    assert y.dtype is weft.int8 and y.tolist() == expected


@pytest.mark.parametrize("x, low, high", [
    (np.int8([1, 5, 9]), 1.5, 300.0), (np.int8([1, 5, 9]), None, np.float64([2.5, 2.5, 9])),
    (np.uint8([1, 5, 9]), -1.5, 3), (np.array([True, False]), 2, 5), (np.int32([1, 5]), 2 + 1j, None),
    (np.float64([1, 5]), np.complex128([2 + 1j, 7]), None), (np.array([True, False]), 0.5, None),
])  # fmt: skip
def test_clip_with_bounds_of_another_kind_holds_the_bounds(x, low, high):
    expected = np.clip(x, low, high)
    y = weft.clip(weft.asarray(x), low, high)
    assert y.dtype.kind == weft.asarray(expected).dtype.kind and y.tolist() == expected.tolist()


def test_clip_holds_integers_in_the_range_of_their_dtype():
    x = weft.asarray([-100, 100], dtype="int8")
    assert weft.clip(x, weft.asarray(200, dtype="uint8")).tolist() == [127, 127]
    assert weft.clip(x, None, weft.asarray(-1000, dtype="int64")).tolist() == [-128, -128]
    y = weft.clip(x, weft.asarray(-(2**40)), weft.asarray(2**40))
    assert y.dtype is weft.int8 and y.tolist() == [-100, 100]
    assert weft.clip(x.astype(weft.float32), weft.asarray(0.5, dtype="float64")).dtype is weft.float32


def test_clip_with_tensors_keeps_nan():
    x = weft.asarray([1.0, float("nan"), 9.0])
    assert weft.clip(x, weft.asarray([2.0, 2.0, 2.0]), 5.0).tolist()[::2] == [2.0, 5.0]
    assert weft.isnan(weft.clip(x, 2.0, 5.0)).tolist() == [False, True, False]


def test_where_takes_scalars_on_both_sides():
    c = weft.asarray([[True], [False]])
    assert weft.where(c, weft.asarray([1, 2]), 2.5).tolist() == [[1.0, 2.0], [2.5, 2.5]]
    assert weft.where(c, 1, 0).dtype is weft.int64


@pytest.mark.parametrize("values, given", [((1,), "x1"), ((None, 1), "x2")])
def test_where_wants_both_values_or_none(values, given):
    told = f"where: a condition and {given}; x1 and x2 belong together; give both, or just a condition"
    with pytest.raises(weft.errors.ArgumentError, match=f"^{re.escape(told)}$"):
        weft.where(weft.asarray([True]), *values)


def test_astype():
    x = weft.asarray([1.9, -1.9, 1e20, float("nan")])
    assert x.astype("int32").tolist() == [1, -1, 2**31 - 1, 0]
    assert x.astype(weft.bool).tolist() == [True] * 4
    assert weft.asarray([300, -1]).astype("uint8").tolist() == [44, 255]
    assert x.astype(float, copy=False) is x
    y = x.astype(weft.float64)
    y[0] = 0
    assert x.tolist()[0] == 1.9


def test_functions_take_what_asarray_takes():
    assert weft.add([1, 2], np.asarray([3, 4])).tolist() == [4, 6]
    assert weft.exp(0).item() == 1.0


REALS = [d for d in dt.COMMON if d.kind in ("int", "uint", "float")]
COMPLEXES = [d for d in dt.COMMON if d.kind == "complex"]
Z = np.array([1 + 2j, 1 - 2j, -1.5 + 2.5j, 2.5, complex(np.nan, 1), complex(1, np.nan), -0.0, 2j, complex(np.inf, 1)])


def cells(dtype):
    return weft.asarray(values(dtype, (40,), 3))


@pytest.mark.parametrize(
    ("dtype", "name"), in_turn(dt.COMMON, ["logical_and", "logical_or", "logical_xor"], every=3), ids=str
)
def test_logic_asks_whether_cells_are_not_zero(dtype, name):
    x, y = cells(dtype), weft.flip(cells(dtype), axis=0)
    a, b = (t.numpy() != 0 for t in (x, y))
    got = getattr(weft, name)(x, y)
    assert got.dtype is weft.bool
    assert np.array_equal(got.numpy(), getattr(np, name)(a, b))
    assert np.array_equal(getattr(weft, name)(x, 0.5).numpy(), getattr(np, name)(a, True))
    assert np.array_equal(getattr(weft, name)(0, x).numpy(), getattr(np, name)(False, a))
    assert np.array_equal(weft.logical_not(x).numpy(), ~a)
    assert weft.logical_and(3, 0).item() is False
    assert weft.logical_not(0.0).item() is True


@np.errstate(invalid="ignore")
@pytest.mark.parametrize("dtype", COMPLEXES, ids=lambda d: d.name)
def test_complex_numbers_are_ordered_by_real_then_imaginary_part(dtype):
    x = weft.asarray(np.repeat(Z, len(Z))).astype(dtype)
    y = weft.asarray(np.tile(Z, len(Z))).astype(dtype)
    a, b = np.repeat(Z, len(Z)), np.tile(Z, len(Z))
    for name in COMPARISONS:
        assert np.array_equal(getattr(weft, name)(x, y).numpy(), getattr(np, name)(a, b)), name
    nan_a, nan_b = np.isnan(a), np.isnan(b)
    for name, other in (("maximum", "fmax"), ("minimum", "fmin")):
        wins = np.where(getattr(np, "greater" if name == "maximum" else "less")(a, b), a, b)
        plain, numbers = getattr(weft, name)(x, y).numpy(), getattr(weft, other)(x, y).numpy()
        assert np.array_equal(plain, np.where(nan_a | nan_b, np.nan, wins), equal_nan=True)
        assert np.array_equal(numbers, np.where(nan_a, b, np.where(nan_b, a, wins)), equal_nan=True)
    assert weft.clip(weft.asarray([5j, 3 + 1j]).astype(dtype), 1, 2).tolist() == [1, 2]


def test_infinite_bounds_of_complex_numbers_do_change_some():
    z = weft.asarray([complex(-np.inf, -5)])
    assert weft.maximum(z, -np.inf).item() == complex(-np.inf, 0)


@pytest.mark.parametrize("dtype", COMPLEXES, ids=lambda d: d.name)
def test_complex_numbers_are_rounded_by_parts(dtype):
    z = weft.asarray([-1.25 - 4.5j, 2.5 + 0.5j]).astype(dtype)
    assert weft.floor(z).tolist() == [-2 - 5j, 2]
    assert weft.ceil(z).tolist() == [-1 - 4j, 3 + 1j]
    assert weft.trunc(z).tolist() == [-1 - 4j, 2]
    assert weft.round(z).tolist() == [-1 - 4j, 2]
    assert weft.floor(z).dtype is dtype


@pytest.mark.parametrize("dtype", dt.COMMON, ids=lambda d: d.name)
def test_questions_of_every_dtype(dtype):
    x = cells(dtype)
    wide = x.numpy().astype(np.complex128 if dtype.kind == "complex" else np.float64)
    for name in ("isfinite", "isinf", "isnan"):
        expected = getattr(np, name)(wide) if dtype.is_inexact else np.full(x.shape, name == "isfinite")
        assert np.array_equal(getattr(weft, name)(x).numpy(), expected)
    for name in ("isposinf", "isneginf"):
        if dtype.kind == "complex":
            with pytest.raises(DTypeError, match=f"{name}: {dtype.name} operands; complex numbers have no sign"):
                getattr(weft, name)(x)
        else:
            assert np.array_equal(getattr(weft, name)(x).numpy(), getattr(np, name)(wide)), name


@pytest.mark.parametrize("dtype", [d for d in dt.COMMON if d is not dt.bool], ids=lambda d: d.name)
def test_fabs_keeps_the_dtype(dtype):
    x = cells(dtype)
    assert weft.fabs(x).dtype is dtype
    assert np.array_equal(weft.fabs(x).numpy(), weft.abs(x).astype(dtype).numpy(), equal_nan=dtype.is_inexact)


def test_fill_nan():
    x = weft.asarray(np.array([np.nan, 3, -np.inf, np.nan]))
    assert weft.fill_nan(x, weft.asarray([1.0, 2.0, 3.0, 4.0])).tolist() == [1, 3, -np.inf, 4]
    filled = weft.fill_nan(x, 0)
    x[1] = 7
    assert filled.tolist() == [0, 3, -np.inf, 0]
    assert weft.fill_nan(x, np.inf, out=x) is x
    assert x.tolist() == [np.inf, 7, -np.inf, np.inf]
    whole = weft.asarray([1, 2])
    assert weft.fill_nan(whole, 0).tolist() == [1, 2]
    assert weft.fill_nan(weft.asarray([complex(np.nan, 1), 2j]), 0).tolist() == [0, 2j]
    assert weft.fill_nan(weft.asarray([np.nan], dtype="float16"), 0.5).dtype is weft.float16


@pytest.mark.parametrize("dtype", REALS, ids=lambda d: d.name)
def test_truncated_division_and_its_remainder(dtype):
    a, b = values(dtype, (200,), 1), values(dtype, (200,), 2)
    x, y = weft.asarray(a), weft.asarray(b)
    q, r = weft.trunc_divide(x, y), weft.fmod(x, y)
    assert q.dtype is r.dtype is dtype
    if dtype.is_integer:
        assert np.array_equal((q * y + r).numpy(), np.where(b == 0, 0, a))
        assert (np.sign(r.numpy()) * np.sign(a) >= 0).all()
        assert weft.trunc_divide(weft.asarray([7, 7], dtype=dtype), 0).tolist() == [0, 0]
    else:
        with np.errstate(all="ignore"):
            assert np.array_equal(r.numpy().astype("f8"), np.fmod(a.astype("f8"), b.astype("f8")), equal_nan=True)
    assert weft.trunc_divide(weft.asarray([7, 1], dtype=dtype), 2).tolist() == [3, 0]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int16"])
def test_roots_and_powers(dtype):
    x = weft.asarray([0, 1, 2, 3, 4], dtype=dtype)
    assert weft.exp2(x).tolist() == [1, 2, 4, 8, 16]
    assert weft.exp10(x)[:3].tolist() == [1, 10, 100]
    assert weft.cbrt(x * x * x).tolist() == [0, 1, 2, 3, 4]
    assert weft.cbrt(x).dtype is (weft.float64 if dtype == "int16" else x.dtype)
    with pytest.raises(DTypeError, match="cbrt: complex128 operands"):
        weft.cbrt(weft.asarray([1j]))


def test_shifts_by_any_count():
    x, n = weft.asarray([9, 9, 9, -9], dtype="int8"), weft.asarray([4, 8, -1, 100], dtype="int8")
    assert weft.bitwise_left_shift(x, n).tolist() == [-112, 0, 0, 0]
    assert weft.bitwise_right_shift(x, n).tolist() == [0, 0, 0, -1]
    both = weft.where(n < 0, x >> -n, x << n)
    assert both.tolist() == [-112, 0, 4, 0]


@pytest.mark.parametrize("dtype", COMPLEXES, ids=lambda d: d.name)
def test_integers_that_no_float_holds_are_compared_with_complex_numbers(dtype):
    inf, largest = float("inf"), dt.float_limits(dtype.real).max
    z = weft.asarray([complex(inf, -5), complex(largest, inf), complex(-inf, 3), complex(np.nan, 1)]).astype(dtype)
    huge = 10**400
    assert (z < huge).tolist() == (z <= huge).tolist() == (huge >= z).tolist() == [False, True, True, False]
    assert (z > huge).tolist() == (z >= huge).tolist() == [True, False, False, False]
    assert (z < -huge).tolist() == (z <= -huge).tolist() == [False, False, True, False]
    assert (z > -huge).tolist() == (-huge < z).tolist() == [True, True, False, False]
    assert ((z == huge).tolist(), (z != huge).tolist()) == ([False] * 4, [True] * 4)
