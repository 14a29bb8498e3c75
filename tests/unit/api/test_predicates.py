"""Questions about all cells: against exact comparisons of Python, for bounds of every kind."""

import operator
from fractions import Fraction
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.shares import in_turn
from weft import dtypes as dt
from weft.errors import DTypeError, ValueRangeError

COMPARISONS = {
    "all_less": operator.lt, "all_less_equal": operator.le,
    "all_greater": operator.gt, "all_greater_equal": operator.ge,
}  # fmt: skip
EDGES = [2**53, 2**53 + 1, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**400, -(10**400), 2**24 + 1, 255, 256, -128]
BOUNDS = st.one_of(
    st.integers(-300, 300),
    st.sampled_from(EDGES),
    st.floats(allow_nan=False),
    st.floats(-3, 3, width=32),
    st.booleans(),
)
CELLS = {
    "int8": [-128, 127, 0, -1, 5], "uint8": [0, 255, 7], "int64": [-(2**63), 2**63 - 1, 2**53 + 1, -3, 0],
    "uint64": [2**64 - 1, 2**53, 0], "bool": [True, False], "float16": [0.1, -2.5, inf, nan, 65504],
    "bfloat16": [0.1, -2.5, nan, 3.0], "float32": [0.1, 16777216.0, -inf, nan, 1e-45],
    "float64": [0.1, 2.0**53, nan, -inf, 5e-324, 1.7976931348623157e308],
}  # fmt: skip


def exact(x):
    return x if isinstance(x, float) and x in (inf, -inf) else Fraction(x)


@pytest.mark.parametrize(("name", "dtype"), in_turn(COMPARISONS, CELLS, every=4))
@given(bound=BOUNDS, pick=st.integers(0, 4))
def test_bounds_are_compared_exactly(name, dtype, bound, pick):
    cells = CELLS[dtype]
    x = weft.asarray([cells[pick % len(cells)], cells[(pick + 1) % len(cells)]], dtype=dtype)
    kept = [exact(v) for v in x.tolist() if not isnan(v)]
    expected = all(COMPARISONS[name](v, exact(bound)) for v in kept)
    assert getattr(weft, name)(x, bound).item() is expected


PARTS = st.sampled_from([-1.0, 0.0, 1.0, 2.0, inf, -inf, nan])
KEYS = {"all_less": lambda z, b: z < b, "all_less_equal": lambda z, b: z <= b,
        "all_greater": lambda z, b: z > b, "all_greater_equal": lambda z, b: z >= b}  # fmt: skip


@pytest.mark.parametrize("name", COMPARISONS)
@given(re=PARTS, im=PARTS, to=st.sampled_from([-1.0, 0.0, 1.0]), aside=st.sampled_from([-1.0, 0.0, 2.0]))
def test_complex_numbers_by_real_then_imaginary_part(name, re, im, to, aside):
    z = weft.asarray([complex(re, im)], dtype=weft.complex64)
    expected = isnan(re) or isnan(im) or KEYS[name]((re, im), (to, aside))
    assert getattr(weft, name)(z, complex(to, aside)).item() is expected
    if not isnan(re):
        x = weft.asarray([re])
        assert getattr(weft, name)(x, complex(to, aside)).item() is KEYS[name]((re, 0.0), (to, aside))


def test_complex_cells_beside_integers_that_no_double_holds():
    z = weft.asarray([complex(2.0**53, inf)])
    assert weft.all_less(z, 2**53 + 1).item() and weft.all_less_equal(z, 2**53 + 1).item()
    assert not weft.all_greater(z, 2**53 + 1).item()
    assert weft.all_greater(weft.asarray([complex(2.0**53 + 2, -inf)]), 2**53 + 1).item()


def test_ranges():
    x = weft.asarray([1, 2, 3], dtype=weft.int8)
    assert weft.all_in_range(x, 1, 3).item()
    assert not weft.all_in_range(x, 1.1, 3).item()
    assert not weft.all_in_range(x, 1, 3, include_low=False).item()
    assert not weft.all_in_range(x, 1, 3, include_high=False).item()
    assert weft.all_in_range(x, None, 100000).item() and weft.all_in_range(x, -(10**30), None).item()
    assert weft.all_in_range(x, None, None).item()
    y = weft.asarray([[1.0, nan], [5.0, 9.0]])
    assert weft.all_in_range(y, 0, 6, axis=1).tolist() == [True, False]
    assert weft.all_in_range(y, 0, 6, axis=0, keepdims=True).tolist() == [[True, False]]
    assert weft.all_in_range(weft.zeros((0, 2)), 1, 2, axis=0).tolist() == [True, True]
    assert weft.all_less(x, np.float32(4)).item() and weft.all_less(x, weft.asarray(4)).item()


@pytest.mark.parametrize("dtype", dt.COMMON, ids=lambda d: d.name)
def test_finite_infinite_and_nan(dtype):
    x = weft.asarray(np.array([1, 0, 1])).astype(dtype)
    assert (weft.all_finite(x).item(), weft.any_inf(x).item(), weft.any_nan(x).item()) == (True, False, False)
    if dtype.is_inexact:
        for value, wanted in ((inf, (False, True, False)), (nan, (False, False, True))):
            y = weft.where(weft.asarray([True, False, False]), weft.asarray(value).astype(dtype), x)
            assert (weft.all_finite(y).item(), weft.any_inf(y).item(), weft.any_nan(y).item()) == wanted


def test_over_axes():
    x = weft.asarray([[1.0, nan], [inf, 2.0]])
    assert weft.all_finite(x, axis=0).tolist() == [False, False]
    assert weft.any_inf(x, axis=1).tolist() == [False, True]
    assert weft.any_nan(x, axis=1, keepdims=True).tolist() == [[True], [False]]


def test_refused():
    x = weft.asarray([1.0])
    with pytest.raises(ValueRangeError, match="all_less: a bound of nan; nothing is on either side of it"):
        weft.all_less(x, nan)
    with pytest.raises(DTypeError, match="all_in_range: a bound of 'a'; one number is needed"):
        weft.all_in_range(x, "a", 3)


@pytest.mark.parametrize(
    "name", ["all_finite", "any_nan", "nansum", "nanmean", "nanmin", "nanvar", "isposinf", "exp10"]
)
def test_kinds_for_storage_are_converted_first(name):
    x = weft.asarray([1.0, 2.0]).astype(weft.float8_e8m0fnu)
    with pytest.raises(DTypeError, match="the float8 kinds are for storage; convert with astype"):
        getattr(weft, name)(x)
    with pytest.raises(DTypeError, match="the float8 kinds are for storage; convert with astype"):
        weft.all_less(x, 3)
    assert weft.logical_not(x).tolist() == [False, False]
    assert weft.add(weft.asarray([1.0, 3.0]), 1, out=x).tolist() == [2, 4]
