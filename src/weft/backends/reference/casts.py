"""Conversions of the reference transformer: any dtype to any other, in NumPy, with one rounding.

The one idea: what is narrower than float32 is reached through a float32 that was rounded to odd, which keeps what the
last rounding needs to know; float to integer truncates and saturates.
"""

from __future__ import annotations

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType

Array = np.ndarray
WIDE = ("float64", "int64", "uint64", "int32", "uint32")  # what float32 does not hold exactly


def astype(dtype: DType, x: Array) -> Array:
    """Conversion: float to integer truncates and saturates (NaN gives 0), to bool is != 0, complex loses its imag."""
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
    """float32 (complex64) that rounds to any narrower dtype as x does."""
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
    limits = dt.integer_limits(dtype)
    wide = np.trunc(x.astype(np.float64) if x.dtype.itemsize < 8 else x)
    low, high = float(limits.min), float(limits.max)
    inside = np.where((wide > low) & (wide < high), wide, 0.0)
    out = inside.astype(dtype.np)
    out = np.where(wide >= high, dtype.np.type(limits.max), out)
    return np.where(wide <= low, dtype.np.type(limits.min), out)
