"""Operands for the oracle: values at the edges of every dtype, in every layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from weft import dtypes as dt
from weft.interop.imports import share
from weft.ir.graph.ops import ACCEPTS, STORED, Op
from weft.tensors.tensor import Tensor

T = TypeVar("T")


def takes(op: Op, dtype: dt.DType) -> bool:
    """True if the op table accepts operands of a dtype."""
    if dtype.storage:
        return op.name in STORED
    return dtype.kind in ACCEPTS[op.accepts] or (op.rule == "float" and dtype.is_integer)


LAYOUTS = ("plain", "strided", "reversed", "transposed", "big", "unaligned", "scalar", "empty", "broadcast", "long")


def in_share(values: Sequence[T], number: int, every: int) -> list[tuple[int, T]]:
    """Return one in `every` of the values, with their places in the sequence. Shares of numbers in a row are all."""
    every = min(every, len(values))
    return list(enumerate(values))[number % every :: every]


def values(dtype: dt.DType, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Random and edge values of a dtype, native and C-ordered."""
    rng = np.random.default_rng(seed)
    n = int(np.prod(shape))
    if dtype is dt.bool:
        flat = rng.integers(0, 2, n).astype(bool)
    elif dtype.is_integer:
        limits = dt.integer_limits(dtype)
        flat = rng.integers(limits.min, limits.max, n, dtype=dtype.np, endpoint=True)
        small = rng.integers(0, 4, n)
        flat = np.where(small < 2, flat, rng.integers(0, 20, n)).astype(dtype.np)
        edges = [limits.min, limits.max, 0, 1, limits.max - 1, min(7, limits.max)] + ([-1] if limits.min < 0 else [])
        flat[: min(n, len(edges))] = np.array(edges[:n], dtype.np)
    elif dtype.kind == "float":
        flat = _floats(rng, n, dtype).astype(dtype.np)
    else:
        flat = np.empty(n, np.complex128)
        flat.real, flat.imag = _floats(rng, n, dtype.real), _floats(rng, n, dtype.real)
        with np.errstate(all="ignore"):
            flat = dt.narrowed(flat.astype(dtype.compute.np), dtype)
    return flat.reshape(shape)


def _floats(rng: np.random.Generator, n: int, dtype: dt.DType) -> np.ndarray:
    limits = dt.float_limits(dtype)
    x = rng.normal(size=n) * np.exp(rng.uniform(-8, 8, n))
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan, limits.max, limits.smallest_normal, 1.5, 3.5]
    with np.errstate(all="ignore"):
        x[: min(n, len(edges))] = edges[:n]
    return rng.permutation(x)


def finite(dtype: dt.DType, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Moderate values: for reductions, where infinities would hide everything else."""
    rng = np.random.default_rng(seed)
    if dtype.kind in ("float", "complex"):
        x = rng.normal(size=shape)
        with np.errstate(all="ignore"):
            made = x + 1j * rng.normal(size=shape) if dtype.kind == "complex" else x
            return dt.narrowed(made.astype(dtype.compute.np), dtype)
    return values(dtype, shape, seed)


def laid_out(array: np.ndarray, layout: str) -> np.ndarray:
    """The same values (or as many as the layout has) lying differently in memory."""
    if layout == "strided":
        base = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        base[..., ::2] = array
        return base[..., ::2]
    if layout == "reversed":
        return np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    if layout == "transposed":
        return np.ascontiguousarray(array.T).T
    if layout == "big":
        return array.astype(array.dtype.newbyteorder(">")) if array.dtype.itemsize > 1 else array
    if layout == "unaligned":
        raw = np.zeros(array.nbytes + 1, np.uint8)
        moved = raw[1:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    if layout == "scalar":
        return array[1, 2:3].reshape(())
    if layout == "empty":
        return array[:0]
    if layout == "broadcast":
        return np.broadcast_to(array[:1], array.shape)
    return array


def tensor(dtype: dt.DType, layout: str, seed: int = 0, make=values) -> Tensor:
    """A tensor of a dtype in a layout."""
    shape = (7, 5) if layout != "long" else (3, 1100)
    array = laid_out(make(dtype, shape, seed), layout)
    return share(array)
