"""Comparing the native result with the reference's: bit for bit, or within units in the last place."""

from __future__ import annotations

import numpy as np

from weft import dtypes as dt
from weft.ir.graph.node import Node
from weft.runtime.compute import engine, stages
from weft.runtime.compute.signature import Work


def both(n: Node) -> tuple[np.ndarray, np.ndarray]:
    """The values of a pending node by the CPU and by the reference."""
    native, expected = _value("cpu", n), _value("reference", n)
    assert native.dtype == expected.dtype == n.desc.dtype.np
    assert native.shape == expected.shape == n.desc.shape
    return native, expected


def _value(name: str, n: Node) -> np.ndarray:
    """The value of a pending node, which stays pending."""
    with engine.using(engine.transformer(name)):
        return stages.on_host(Work([n]))[0]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal bit patterns, any NaN equal to any NaN, -0 different from +0."""
    if a.dtype.names:
        return all(same_bits(a[part], b[part]) for part in a.dtype.names)
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) and same_bits(a.imag, b.imag)
    if a.dtype.kind in "fV":
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        nan = np.isnan(wide_a) & np.isnan(wide_b)
        kind = f"u{a.dtype.itemsize}"
        return bool((nan | (np.ascontiguousarray(a).view(kind) == np.ascontiguousarray(b).view(kind))).all())
    return bool((a == b).all())


@np.errstate(all="ignore")
def ulps(a: np.ndarray, b: np.ndarray, dtype: dt.DType) -> float:
    """The greatest distance in units in the last place of b; infinite where special values differ."""
    a, b = dt.widened(a), dt.widened(b)
    if a.dtype.kind == "c":
        wide_a, wide_b = a.astype(np.complex128), b.astype(np.complex128)
        size = np.maximum(np.abs(wide_b.real), np.abs(wide_b.imag))
        return _distance(np.abs(wide_a - wide_b), size, wide_a, wide_b, dtype.real)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    return _distance(np.abs(wide_a - wide_b), np.abs(wide_b), wide_a, wide_b, dtype)


def _distance(gap: np.ndarray, size: np.ndarray, a: np.ndarray, b: np.ndarray, dtype: dt.DType) -> float:
    finite = np.isfinite(b)
    agree = np.isnan(a) & np.isnan(b) | (a == b)
    if not (agree | (finite & np.isfinite(a))).all():
        return float("inf")
    limits = dt.float_limits(dtype)
    exponent = np.floor(np.log2(np.maximum(np.where(finite & (size > 0), size, 1.0), limits.smallest_normal)))
    unit = np.exp2(exponent) * limits.eps
    return float(np.where(agree, 0.0, gap / unit).max(initial=0.0))
