"""Rounding to decimals: exact for integers, as NumPy rounds for floats, and nothing overflows on the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples


def nearest(value, power, bits):
    """The multiple of a power of ten next to an integer, halves to even ones, wrapped to that many bits."""
    whole, rest = divmod(value, power)
    whole += 2 * rest > power or (2 * rest == power and whole % 2 == 1)
    return whole * power % (1 << bits)


@pytest.mark.parametrize("code", [*"bBhHiIqQ", ">i4"])
@settings(max_examples=examples(25))
@given(decimals=st.integers(-21, 3), data=st.data())
def test_integers(code, decimals, data):
    limits = np.iinfo(code)
    values = data.draw(st.lists(st.integers(int(limits.min), int(limits.max)), min_size=1, max_size=8))
    values += [int(limits.min), int(limits.max), 15, 25, 50]
    a = np.asarray(values, code)
    found = weft.round(weft.asarray(a), decimals)
    bits = 8 * a.dtype.itemsize
    assert found.dtype.name == a.dtype.name
    assert [int(v) % (1 << bits) for v in found.numpy()] == [nearest(v, 10 ** max(-decimals, 0), bits) for v in values]


@pytest.mark.parametrize("code", ["f4", "f8", ">f8", "c8", "c16"])
@settings(max_examples=examples(25))
@given(decimals=st.integers(-5, 6), data=st.data())
def test_floats_round_as_numpy_does(code, decimals, data):
    values = data.draw(st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=8))
    a = np.asarray([*values, 0.125, -2.5, np.nan, np.inf, -0.0], code)
    got, wanted = weft.round(weft.asarray(a), decimals).numpy(), np.round(a, decimals)
    inside = np.abs(a) * 10.0**decimals < 2 / np.finfo(a.dtype).eps
    np.testing.assert_array_equal(got[inside], wanted[inside])
    np.testing.assert_array_equal(got[~inside], a[~inside])


@pytest.mark.parametrize("dtype", [weft.float16, weft.bfloat16, weft.complex32])
def test_halves_do_not_overflow_on_the_way(dtype):
    x = weft.asarray([1234.0, 0.5, -60000.0], dtype=dtype)
    assert weft.round(x, 3).tolist() == x.tolist() and weft.round(x, 3).dtype is dtype
    assert weft.round(x, -9).tolist() == [0, 0, 0]


def test_any_number_of_decimals():
    x = weft.asarray([weft.inf, -weft.inf, 1e308, -0.0])
    for decimals in (2, 400, 10**9):
        assert repr(weft.round(x, decimals).tolist()) == repr(x.tolist())
    assert repr(weft.round(x, -400).tolist()) == "[inf, -inf, 0.0, -0.0]"


def test_spellings():
    x = weft.asarray([1.256, 2.0])
    assert weft.round(x, 2).tolist() == x.round(2).tolist() == round(x, 2).tolist() == [1.26, 2.0]
    assert weft.round(x, decimals=1).tolist() == [1.3, 2.0] and round(x).tolist() == [1.0, 2.0]
    out = weft.zeros(2)
    assert weft.round(x, 1, out=out) is out and out.tolist() == [1.3, 2.0]
    with pytest.raises(weft.errors.DTypeError, match=r"round: decimals 1.5; it must be an integer"):
        weft.round(x, 1.5)
