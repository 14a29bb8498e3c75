"""PyTorch by the names of the array API, as far as rows use them.

The one idea: a module of plain functions, which torch.compile reads as it reads any code.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import (  # noqa: F401
    abs,
    asin,
    atan2,
    clip,
    concat,
    cos,
    einsum,
    exp,
    expm1,
    fft,
    flip,
    float16,
    float32,
    float64,
    floor,
    int32,
    isfinite,
    linalg,
    log,
    log1p,
    matmul,
    maximum,
    outer,
    remainder,
    reshape,
    roll,
    searchsorted,
    sin,
    sqrt,
    stack,
    tanh,
    tensordot,
    tile,
    tril,
    uint8,
    where,
    zeros_like,
)

permute_dims = torch.permute


def _axes(x: Any, axis: Any) -> Any:
    return tuple(range(x.ndim)) if axis is None else axis


def sum(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    return torch.sum(x, _axes(x, axis), keepdims, dtype=dtype)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return torch.mean(x, _axes(x, axis), keepdims)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return torch.var(x, _axes(x, axis), correction=0, keepdim=keepdims)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return torch.std(x, _axes(x, axis), correction=0, keepdim=keepdims)


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return torch.amax(x, _axes(x, axis), keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return torch.amin(x, _axes(x, axis), keepdims)


def prod(x: Any, axis: Any = None) -> Any:
    return torch.prod(x) if axis is None else torch.prod(x, axis)


def argmax(x: Any, axis: Any = None) -> Any:
    return torch.argmax(x, axis)


def argmin(x: Any, axis: Any = None) -> Any:
    return torch.argmin(x, axis)


def any(x: Any, axis: Any = None) -> Any:
    return torch.any(x) if axis is None else torch.any(x, axis)


def all(x: Any, axis: Any = None) -> Any:
    return torch.all(x) if axis is None else torch.all(x, axis)


def count_nonzero(x: Any, axis: Any = None) -> Any:
    return torch.count_nonzero(x, axis)


def cumulative_sum(x: Any, axis: int = 0) -> Any:
    return torch.cumsum(x, axis)


def cumulative_prod(x: Any, axis: int = 0) -> Any:
    return torch.cumprod(x, axis)


def diff(x: Any, axis: int = -1) -> Any:
    return torch.diff(x, dim=axis)


def sort(x: Any, axis: int = -1) -> Any:
    return torch.sort(x, dim=axis, stable=True).values


def argsort(x: Any, axis: int = -1) -> Any:
    return torch.argsort(x, dim=axis, stable=True)


def take(x: Any, index: Any, axis: int) -> Any:
    return torch.index_select(x, axis, index)


def take_along_axis(x: Any, index: Any, axis: int) -> Any:
    return torch.take_along_dim(x, index, axis)


def nonzero(x: Any) -> Any:
    return torch.nonzero(x, as_tuple=True)


def unique_values(x: Any) -> Any:
    return torch.unique(x)


def repeat(x: Any, count: int, axis: int) -> Any:
    return torch.repeat_interleave(x, count, axis)


def expand_dims(x: Any, axis: int) -> Any:
    return torch.unsqueeze(x, axis)


def astype(x: Any, dtype: Any) -> Any:
    return x.to(dtype)


def copy(x: Any) -> Any:
    return torch.clone(x, memory_format=torch.contiguous_format)


def matrix_transpose(x: Any) -> Any:
    return x.mT


def vecdot(x: Any, y: Any) -> Any:
    return torch.linalg.vecdot(x, y)
