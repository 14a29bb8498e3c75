"""Conversions between all dtypes against exact rational arithmetic, memory round trips, constants and scalar slots."""

from __future__ import annotations

import ctypes
import math
from fractions import Fraction

import numpy as np
import pytest
import scalar_oracle as oracle
from scalar_harness import assert_same, call, kernel_of_slots, run

from tests.shares import in_turn
from weft import dtypes as dt
from weft.backends.llvm.steps.registers import nearest


@pytest.mark.parametrize(("target", "source"), in_turn(dt.ALL, dt.ALL, every=12), ids=repr)
def test_every_conversion_rounds_once_wraps_or_saturates(source: dt.DType, target: dt.DType) -> None:
    x = oracle.samples(source)
    want = oracle.array([oracle.convert(oracle.python(v), target) for v in x], target)
    assert_same(run("astype", x, result=target), want, [x])


@pytest.mark.parametrize("dtype", [dt.float16, dt.bfloat16], ids=repr)
def test_every_narrow_float_passes_through_registers_unchanged(dtype: dt.DType) -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype.np)
    assert_same(run("positive", x), x)
    assert np.isnan(call("positive", [x], dtype).astype("f4")).sum() == np.isnan(x.astype("f4")).sum()


@pytest.mark.parametrize("target", [dt.float16, dt.bfloat16], ids=repr)
@pytest.mark.parametrize("source", [dt.float64, dt.int64, dt.uint64, dt.int32, dt.uint32, dt.float32], ids=repr)
def test_ties_that_double_rounding_would_break(source: dt.DType, target: dt.DType) -> None:
    rng = np.random.default_rng(5)
    digits = target.digits
    middle = (rng.integers(1 << digits, 1 << (digits + 1), 400) * 2 + 1).astype(object)  # halfway points
    if source.is_integer:
        shift = rng.integers(0, source.bits - digits - 4, 400).astype(object)
        x = np.array([(m << s) + d for m, s in zip(middle, shift, strict=True) for d in (-1, 0, 1)], source.np)
    else:
        power = 2.0 ** rng.integers(-30, 2, 400)
        step = 2.0 ** -(source.digits - 1)
        pairs = zip(middle, power, strict=True)
        x = np.array([float(m) * p * (1 + d * step) for m, p in pairs for d in (-1, 0, 1)], source.np)
    want = oracle.array([oracle.convert(oracle.python(v), target) for v in x], target)
    assert_same(run("astype", x, result=target), want, [x])


@pytest.mark.parametrize("dtype", oracle.REALS, ids=repr)
def test_nearest_is_the_correct_rounding(dtype: dt.DType) -> None:
    numbers = [float(v) for v in oracle.samples(dt.float64)] + [2**k + d for k in range(0, 1100, 7) for d in (-1, 0, 1)]
    for x in numbers:
        want = oracle.round_number(x, dtype)
        got = nearest(x, dtype)
        assert got == want or (math.isnan(got) and math.isnan(want)), x
        assert math.copysign(1, got) == math.copysign(1, want) or math.isnan(got)


def test_nearest_takes_integers_beyond_double() -> None:
    assert nearest(10**400, dt.float64) == math.inf
    assert nearest(-(10**400), dt.float16) == -math.inf
    assert nearest(2**60 + 2**36 + 1, dt.float32) == oracle.round_fraction(Fraction(2**60 + 2**36 + 1), dt.float32)


@pytest.mark.parametrize("dtype", dt.ALL, ids=repr)
def test_constants_and_slots_fill_every_lane(dtype: dt.DType) -> None:
    values = oracle.samples(dtype)[:40]
    for value in values:
        number = oracle.python(value)
        slot = (ctypes.c_double * 2)()
        if dtype.kind in ("float", "complex"):
            slot[0], slot[1] = complex(number).real, complex(number).imag
        else:
            ctypes.cast(slot, ctypes.POINTER(ctypes.c_int64))[0] = oracle.wrap(int(number), dt.int64)
        want = np.full(16, value, dtype.np)
        assert_same(kernel_of_slots(dtype)(slot), want)
    for value in values[:6]:
        assert_same(kernel_of_slots(dtype, oracle.python(value))(None), np.full(16, value, dtype.np))


@pytest.mark.slow
@pytest.mark.parametrize("target", (dt.float16, dt.bfloat16, dt.int32), ids=repr)
def test_every_float32(target: dt.DType) -> None:
    for start in range(0, 1 << 32, 1 << 24):
        x = np.arange(start, start + (1 << 24), dtype=np.uint32).view(np.float32)
        assert_same(call("astype", [x], target), numpy_conversion(x, target), [x])


def numpy_conversion(x: np.ndarray, target: dt.DType) -> np.ndarray:
    """NumPy's conversion of float32, with saturation."""
    with np.errstate(all="ignore"):
        if target.kind == "float":
            return x.astype(target.np)
        low, high = oracle.limits(target)
        wide = np.nan_to_num(x.astype(np.float64), nan=0.0)
        inside = np.where((wide > low) & (wide < high), wide, 0.0).astype(target.np)
        return np.where(wide >= high, target.np.type(high), np.where(wide <= low, target.np.type(low), inside))
