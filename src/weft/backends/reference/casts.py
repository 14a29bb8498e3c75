"""Conversions of the reference transformer: any dtype to any other, in NumPy, with one rounding.

The one idea: dtypes narrower than float32 are reached through a float32 rounded to odd, which makes the second rounding
exact; float to integer truncates and saturates.
"""

from __future__ import annotations

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType

Array = np.ndarray
WIDE = ("float64", "int64", "uint64", "int32", "uint32")  # what float32 does not hold exactly


def astype(dtype: DType, x: Array) -> Array:
    """Return the cells converted to a dtype: truncated and saturated to integers (NaN gives 0), != 0 to bool.

    Complex numbers lose their imaginary part on the way to real dtypes.
    """
    if x.dtype == dtype.np:
        return x
    x = dt.widened(x)
    if dtype is dt.bool:
        return x != 0
    if x.dtype.kind == "c" and dtype.kind != "complex":
        x = x.real
    if dtype.is_integer and x.dtype.kind not in "biu":
        return _saturate(dtype, x)
    if dtype.compute is not dtype:
        return dt.narrowed(_single(x), dtype)
    return x.astype(dtype.np)


def _single(x: Array) -> Array:
    """Return the cells as float32 (or complex64), rounded to odd.

    Rounding these to a narrower dtype gives the cells rounded once.
    """
    if x.dtype.kind == "c":
        return dt.complex_array(dt.complex64, _single(x.real), _single(x.imag))
    if x.dtype.name not in WIDE:
        return x.astype(np.float32)
    wide = x.astype(np.longdouble)
    single = wide.astype(np.float32)
    bits = single.view(np.uint32)
    exact = single.astype(np.longdouble) == wide
    # towards zero, then the sticky bit
    away = np.abs(single.astype(np.longdouble)) > np.abs(wide)
    towards = np.where(away, bits - 1, bits)
    return np.where(exact | np.isnan(single), bits, towards | 1).astype(np.uint32).view(np.float32)


def _saturate(dtype: DType, x: Array) -> Array:
    """Return floats as integers, truncated and limited to the range of the dtype; NaN gives 0."""
    limits = dt.integer_limits(dtype)
    wide = np.trunc(x.astype(np.float64) if x.dtype.itemsize < 8 else x)
    low, high = float(limits.min), float(limits.max)
    inside = np.where((wide > low) & (wide < high), wide, 0.0)
    out = inside.astype(dtype.np)
    out = np.where(wide >= high, dtype.np.type(limits.max), out)
    return np.where(wide <= low, dtype.np.type(limits.min), out)
