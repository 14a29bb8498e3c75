"""Convolutions and pooling over any number of axes.

The one idea: the input of a filter is a sliding window, and windows are views.  Pooling reduces them in place; a
convolution copies them to the columns of a matrix, which needs memory of batch · channels · positions · cells of the
filter, and is then a matrix product.

Images are (batch, channels, *spatial).  stride, padding and dilation are one number, or one for each spatial axis;
padding also pairs (before, after), "valid" (none) or "same" (as many positions as cells, for stride 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from weft.api.arguments import as_tensor, integer, integers, is_one
from weft.api.gemm import gemm
from weft.api.numpy.padding import pad
from weft.api.precision import rounded
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import ones
from weft.api.standard.data_type_functions import iinfo
from weft.api.standard.manipulation_functions import permute_dims, reshape, sliding_window_view
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.nn.activations import real_operand
from weft.tensors.tensor import Tensor

Pairs = list[tuple[int, int]]


# ---- arguments
def _each(name: str, what: str, given: Any, rank: int, least: int) -> tuple[int, ...]:
    """Return a parameter `given` as integers of at least `least`, one for each of `rank` spatial axes.

    One number counts for all axes. Raises ValueRangeError for a smaller number or another count, DTypeError for other
    objects than integers.
    """
    found = integers(name, what, given)
    found = found * rank if is_one(given) else found
    if len(found) != rank or min(found, default=least) < least:
        raise ValueRangeError(
            f"{name}: {what} {given!r} for {rank} spatial axes; one number of {least} or more for all, or one for "
            "each, is needed; give that"
        )
    return found


def _pads(name: str, given: Any, kernel: tuple[int, ...], dilation: tuple[int, ...]) -> Pairs:
    """Return (cells before, cells after) for each spatial axis, from the user's padding `given`.

    Raises ValueRangeError for negative numbers and unknown texts, ShapeError for another count than spatial axes,
    DTypeError for other objects than integers.
    """
    rank = len(kernel)
    if given == "valid":
        return [(0, 0)] * rank
    if given == "same":
        whole = [max(k - 1, 0) * d for k, d in zip(kernel, dilation, strict=True)]
        return [(n // 2, n - n // 2) for n in whole]
    if isinstance(given, str):
        raise ValueRangeError(f"{name}: padding {given!r}; there are 'valid' and 'same', and numbers; give one")
    parts = [given] * rank if is_one(given) else list(given) if isinstance(given, Iterable) else []
    if len(parts) != rank or not all(is_one(p) or isinstance(p, Iterable) for p in parts):
        raise ShapeError(f"{name}: padding {given!r} for {rank} spatial axes; each has one; give as many")
    pairs = [(p, p) if is_one(p) else tuple(p) for p in parts]
    return [tuple(_each(name, "padding", p, 2, 0)) for p in pairs]


def _windows(
    name: str, x: Tensor, kernel: tuple[int, ...], stride: Any, padding: Any, dilation: Any, fill: Any
) -> Tensor:
    """Return a view of x as (batch, channels, *positions, *kernel), one window for each position.

    x is first padded with `fill`. Raises ShapeError if no window fits or `padding` has another count than `kernel`,
    ValueRangeError for a negative padding, or strides or dilations below 1.
    """
    rank = len(kernel)
    apart = _each(name, "dilation", dilation, rank, 1)
    steps = _each(name, "stride", stride, rank, 1)
    pairs = _pads(name, padding, kernel, apart)
    spatial = tuple(range(x.ndim - rank, x.ndim))
    if any(p != (0, 0) for p in pairs):
        x = pad(x, [(0, 0)] * (x.ndim - rank) + pairs, constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, apart, strict=True)]
    if any(k < 1 or r > x.shape[a] for k, r, a in zip(kernel, reach, spatial, strict=True)):
        raise ShapeError(
            f"{name}: windows of {kernel} cells, {apart} apart, in {tuple(x.shape[a] for a in spatial)} cells (with "
            "padding); a window has cells and lies inside; give a smaller one, or padding"
        )
    return sliding_window_view(x, kernel, spatial, stride=steps, dilation=apart)


# ---- convolutions
def conv(
    x: Any,
    /,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Return images correlated with filters, as the convolutions of neural networks are.

    x (batch, channels, *spatial), weight (filters, channels / groups, *kernel) and bias (filters,) give (batch,
    filters, *positions). Channels and filters are split into `groups`; each group of filters reads its own channels.
    Any numeric dtype, integers wrapping exactly. Raises ShapeError if ranks, channels, groups or the bias do not match
    or no window fits, ValueRangeError for strides or dilations below 1 and negative padding, DTypeError for those that
    are no integers.

    >>> import weft
    >>> x = weft.reshape(weft.arange(5), (1, 1, 5))
    >>> weft.nn.conv(x, weft.asarray([[[1, 0, -1]]])).tolist()
    [[[-2, -2, -2]]]
    """
    return _conv("conv", as_tensor(x), as_tensor(weight), bias, stride, padding, dilation, groups)


def _conv(name: str, x: Tensor, w: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any) -> Tensor:
    groups = integer(name, "groups", groups)
    if x.ndim < 3 or w.ndim != x.ndim:
        raise ShapeError(
            f"{name}: images of shape {x.shape} and filters of shape {w.shape}; both have two axes and the spatial "
            "ones; reshape them"
        )
    filters, inside, *kernel = w.shape
    batch, channels = x.shape[:2]
    if groups < 1 or channels != inside * groups or filters % groups:
        raise ShapeError(
            f"{name}: {channels} channels and {filters} filters of {inside} channels in {groups} groups; channels are "
            "groups times those of a filter, filters a multiple of groups; reshape, or give other groups"
        )
    seen = _windows(name, x, tuple(kernel), stride, padding, dilation, 0)
    rank = len(kernel)
    positions = seen.shape[2 : 2 + rank]
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    columns = reshape(permute_dims(seen, order), (batch, groups, inside * prod(kernel), prod(positions)))
    rows = reshape(w, (groups, filters // groups, inside * prod(kernel)))
    if bias is not None:
        bias = as_tensor(bias)
        if bias.shape != (filters,):
            raise ShapeError(
                f"{name}: a bias of shape {bias.shape} for {filters} filters; each has one number; reshape it"
            )
        bias = reshape(bias, (groups, filters // groups, 1))
    found = gemm(1, rows, columns, 0 if bias is None else 1, bias)
    return reshape(found, (batch, filters, *positions))


def conv1d(
    x: Any, /, weight: Any, bias: Any = None, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """Return `conv` over one spatial axis; x is (batch, channels, length).

    Raises ShapeError for other ranks of x, and what `conv` raises.

    >>> import weft
    >>> weft.nn.conv1d(weft.ones((1, 2, 4)), weft.ones((3, 2, 2))).shape
    (1, 3, 3)
    """
    return _conv("conv1d", _of_rank("conv1d", x, 3), as_tensor(weight), bias, stride, padding, dilation, groups)


def conv2d(
    x: Any, /, weight: Any, bias: Any = None, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """Return `conv` over two spatial axes; x is (batch, channels, height, width).

    Raises ShapeError for other ranks of x, and what `conv` raises.

    >>> import weft
    >>> weft.nn.conv2d(weft.ones((1, 2, 4, 4)), weft.ones((3, 2, 2, 2)), padding="same").shape
    (1, 3, 4, 4)
    """
    return _conv("conv2d", _of_rank("conv2d", x, 4), as_tensor(weight), bias, stride, padding, dilation, groups)


def _of_rank(name: str, x: Any, rank: int) -> Tensor:
    """Return images x as a tensor; raises ShapeError, naming `name`, unless they have `rank` axes."""
    x = as_tensor(x)
    if x.ndim != rank:
        raise ShapeError(f"{name}: images of shape {x.shape}; they have {rank} axes; reshape them, or use conv()")
    return x


# ---- pooling
def _pooled(name: str, x: Tensor, size: Any, stride: Any, padding: Any, dilation: Any, fill: Any) -> Tensor:
    """Return the windows of x that pooling reduces; they are its last axes.

    `size` is one number for all axes after the first two, or one for each of the last axes. Raises ShapeError if x has
    too few axes or no window fits, ValueRangeError for sizes, strides or dilations below 1.
    """
    if is_one(size) and x.ndim < 3:
        raise ShapeError(f"{name}: images of shape {x.shape}; they have two axes and the spatial ones; reshape them")
    rank = x.ndim - 2 if is_one(size) else len(integers(name, "size", size))
    if rank > x.ndim:
        raise ShapeError(f"{name}: windows of {size} in shape {x.shape}; it has fewer axes; give fewer")
    kernel = _each(name, "size", size, rank, 1)
    return _windows(name, x, kernel, kernel if stride is None else stride, padding, dilation, fill)


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
