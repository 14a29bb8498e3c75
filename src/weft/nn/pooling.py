"""Pooling over any number of axes.

The one idea: pooling reduces sliding windows, which are views, in place.
"""

from __future__ import annotations

from typing import Any

from weft.api.arguments import as_tensor, integers, is_one
from weft.api.precision import rounded
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import ones
from weft.api.standard.data_type_functions import iinfo
from weft.api.standard.manipulation_functions import reshape, stack
from weft.errors import DTypeError, ShapeError
from weft.nn.activations import real_operand
from weft.nn.windows import for_each_axis, windows
from weft.tensors.tensor import Tensor


def _pooled(name: str, x: Tensor, size: Any, stride: Any, padding: Any, dilation: Any, fill: Any) -> Tensor:
    """Return the windows of x that pooling reduces; they are its last axes.

    `size` is one number for all axes after the first two, or one for each of the last axes. Raises ShapeError if x has
    too few axes or no window fits, ValueRangeError for sizes, strides or dilations below 1, DTypeError for those that
    are no integers.
    """
    if is_one(size) and x.ndim < 3:
        raise ShapeError(f"{name}: images of shape {x.shape}; they have two axes and the spatial ones; reshape them")
    rank = x.ndim - 2 if is_one(size) else len(integers(name, "size", size))
    if rank > x.ndim:
        raise ShapeError(f"{name}: windows of {size} in shape {x.shape}; it has fewer axes; give fewer")
    kernel = for_each_axis(name, "size", size, rank, 1)
    return windows(name, x, kernel, kernel if stride is None else stride, padding, dilation, fill)


def _least(x: Tensor) -> Any:
    """Return the least value of x's dtype."""
    if x.dtype.kind == "bool":
        return False
    return iinfo(x.dtype).min if x.dtype.is_integer else float("-inf")


def max_pool(x: Any, size: Any, /, *, stride: Any = None, padding: Any = 0, dilation: Any = 1) -> Tensor:
    """Return the greatest cell of every window, of x's dtype; windows are adjacent unless `stride` is given.

    `size`: one number for all axes but the first two, or one for each of the last axes. Padding is never the greatest.
    Raises DTypeError for complex cells, ShapeError for windows that do not fit, ValueRangeError for a size, stride or
    dilation below 1.

    >>> import weft
    >>> weft.nn.max_pool(weft.reshape(weft.arange(6), (1, 1, 6)), 2).tolist()
    [[[1, 3, 5]]]
    """
    x = as_tensor(x)
    if x.dtype.kind == "complex":
        raise DTypeError(f"max_pool: {x.dtype.name} cells; they have no greatest; take abs(x)")
    seen = _pooled("max_pool", x, size, stride, padding, dilation, _least(x))
    rank = seen.ndim - x.ndim
    return st.max(seen, axis=tuple(range(-rank, 0)))


def avg_pool(x: Any, size: Any, /, *, stride: Any = None, padding: Any = 0, count_padding: bool = True) -> Tensor:
    """Return the mean of every window; padding counts as zeros, or not at all without `count_padding`.

    `size` and `stride` are as in `max_pool`; integers give float64. Raises DTypeError for complex or bool cells,
    ShapeError for windows that do not fit, ValueRangeError for a size or stride below 1.

    >>> import weft
    >>> weft.nn.avg_pool(weft.reshape(weft.arange(6), (1, 1, 6)), 2).tolist()
    [[[0.5, 2.5, 4.5]]]
    """
    x, to = real_operand("avg_pool", x)
    seen = _pooled("avg_pool", x, size, stride, padding, 1, 0)
    window = tuple(range(x.ndim - seen.ndim, 0))
    if count_padding:
        return rounded(st.mean(seen, axis=window), to)
    lead = x.ndim - len(window)
    there = ones((*(1,) * lead, *x.shape[lead:]), dtype=x.dtype, device=x.device)
    count = st.sum(_pooled("avg_pool", there, size, stride, padding, 1, 0), axis=window)
    return rounded(st.sum(seen, axis=window) / count, to)


def adaptive_avg_pool(x: Any, size: Any, /) -> Tensor:
    """Return means of x's cells in `size` parts of each spatial axis, as equal as they can be.

    x is (batch, channels, *spatial), `size` one number for all spatial axes or one for each. Part i of s parts of n
    cells begins at floor(i·n / s) and ends before ceil((i + 1)·n / s). Integers give float64. Raises DTypeError for
    complex or bool cells, ShapeError if x has fewer than three axes or no cells, ValueRangeError for a size below 1.

    >>> import weft
    >>> weft.nn.adaptive_avg_pool(weft.reshape(weft.arange(5), (1, 1, 5)), 2).tolist()
    [[[1.0, 3.0]]]
    """
    x, to = real_operand("adaptive_avg_pool", x)
    if x.ndim < 3 or 0 in x.shape[2:]:
        raise ShapeError(f"adaptive_avg_pool: images of shape {x.shape}; they are (batch, channels, *spatial); reshape")
    sizes = for_each_axis("adaptive_avg_pool", "size", size, x.ndim - 2, 1)
    for axis, parts in enumerate(sizes, 2):
        n = x.shape[axis]
        if n % parts == 0:
            x = st.mean(reshape(x, (*x.shape[:axis], parts, n // parts, *x.shape[axis + 1 :])), axis=axis + 1)
        else:
            ends = [(i * n // parts, -(-(i + 1) * n // parts)) for i in range(parts)]
            x = stack([st.mean(x[(slice(None),) * axis + (slice(a, b),)], axis=axis) for a, b in ends], axis=axis)
    return rounded(x, to)
