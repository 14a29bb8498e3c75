"""Elementwise functions: weak scalars, exact comparisons, dtype rules, clip, where, astype."""

import numpy as np
import pytest

import weft
from weft.errors import ValueRangeError


@pytest.fixture(params=["cpu", "reference"], autouse=True)
def transformer(request):
    with weft.transformer(request.param):
        yield request.param


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


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("name", COMPARISONS)
def test_integers_compare_exactly_whatever_the_dtype_holds(name, dtype):
    x = weft.asarray(VALUES[dtype], dtype=dtype)
    for v in NUMBERS:
        if dtype == "float16" and abs(v) in (256, 65536):
            continue  # rounding of numbers within the range is the dtype's own
        expected = [SYMBOLS[name](cell, v) for cell in VALUES[dtype]]
        assert SYMBOLS[name](x, v).tolist() == expected, v
        assert getattr(weft, name)(x, v).tolist() == expected, v
        assert getattr(weft, name)(v, x).tolist() == [SYMBOLS[name](v, cell) for cell in VALUES[dtype]], v


@pytest.mark.parametrize(
    ("dtype", "number", "result"),
    [
        ("int8", 1, "int8"), ("uint8", True, "uint8"), ("bool", 1, "int64"), ("int8", 1.5, "float64"),
        ("float32", 1, "float32"), ("float16", 1.5, "float16"), ("bfloat16", 2, "bfloat16"),
        ("int64", 1j, "complex128"),
        ("float32", 1j, "complex64"), ("float64", 1j, "complex128"), ("complex64", 1.5, "complex64"),
    ],
)  # fmt: skip
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


def test_clip_with_tensors_keeps_nan():
    x = weft.asarray([1.0, float("nan"), 9.0])
    assert weft.clip(x, weft.asarray([2.0, 2.0, 2.0]), 5.0).tolist()[::2] == [2.0, 5.0]
    assert weft.isnan(weft.clip(x, 2.0, 5.0)).tolist() == [False, True, False]


def test_where_takes_scalars_on_both_sides():
    c = weft.asarray([[True], [False]])
    assert weft.where(c, weft.asarray([1, 2]), 2.5).tolist() == [[1.0, 2.0], [2.5, 2.5]]
    assert weft.where(c, 1, 0).dtype is weft.int64


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
