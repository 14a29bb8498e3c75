"""Questions about dtypes."""

import numpy as np
import pytest

import weft
from weft.errors import DTypeError


def test_result_type():
    assert weft.result_type(weft.int8, weft.uint8) is weft.int16
    assert weft.result_type(1, 2.5) is weft.float64
    assert weft.result_type(True) is weft.bool
    assert weft.result_type(weft.asarray(1, dtype="int8"), 3, 1j) is weft.complex128
    assert weft.result_type(np.float32, "float16") is weft.float32


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        ("bool", "bool"), ("signed integer", "int8 int16 int32 int64"),
        ("unsigned integer", "uint8 uint16 uint32 uint64"),
        ("real floating", " ".join([d.name for d in weft.dtypes.FLOAT8]) + " float16 bfloat16 float32 float64"),
        ("complex floating", "complex32 complex64 complex128"),
    ],
)  # fmt: skip
def test_kinds(kind, members):
    assert [d.name for d in weft.dtypes.ALL if weft.isdtype(d, kind)] == members.split()


def test_isdtype_takes_dtypes_and_tuples():
    assert weft.isdtype(weft.int8, weft.int8) and not weft.isdtype(weft.int8, weft.int16)
    assert weft.isdtype(weft.int8, ("bool", "integral")) and weft.isdtype(weft.float32, "numeric")


def test_can_cast():
    assert weft.can_cast(weft.int32, weft.float64) and not weft.can_cast(weft.int64, weft.int32)
    assert weft.can_cast(weft.zeros(1, dtype="int8"), weft.int16)


def test_limits_are_python_numbers():
    f = weft.finfo(weft.ones(1, dtype="complex64"))
    assert (f.bits, f.dtype, type(f.eps), f.eps) == (32, weft.float32, float, 2.0**-23)
    assert f.smallest_normal == 2.0**-126 and f.min == -f.max
    i = weft.iinfo(weft.uint64)
    assert (i.bits, type(i.max), i.max, i.min, i.dtype) == (64, int, 2**64 - 1, 0, weft.uint64)
    assert weft.finfo(weft.bfloat16).eps == 2.0**-7


@pytest.mark.parametrize("number", [np.float64(1), np.int64(1), np.bool_(True), 1.0, 1, None])
def test_numbers_are_no_data_types(number: object):
    """NumPy takes its scalars for their dtypes; equal ones of two dtypes would then be one."""
    with pytest.raises(DTypeError, match="is not a data type; use weft"):
        weft.zeros(2, dtype="no" if number is None else number)
    with pytest.raises(DTypeError, match="is not a data type; use weft"):
        weft.asarray([1]).astype(number)
