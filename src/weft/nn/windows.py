"""The windows of images that convolutions and pooling read, and their parameters.

The one idea: windows are views, also of padded images.  Images are (batch, channels, *spatial).  stride, padding and
dilation are one number, or one for each spatial axis; padding also pairs (before, after), "valid" (none) or "same" (as
many positions as cells, for stride 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weft.api.arguments import integers, is_one
from weft.api.numpy.padding import pad
from weft.api.standard.manipulation_functions import sliding_window_view
from weft.errors import ShapeError, ValueRangeError
from weft.tensors.tensor import Tensor

Pairs = list[tuple[int, int]]


def for_each_axis(name: str, what: str, given: Any, rank: int, least: int) -> tuple[int, ...]:
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
    return [tuple(for_each_axis(name, "padding", p, 2, 0)) for p in pairs]


def windows(
    name: str, x: Tensor, kernel: tuple[int, ...], stride: Any, padding: Any, dilation: Any, fill: Any
) -> Tensor:
    """Return a view of x as (batch, channels, *positions, *kernel), one window for each position.

    x is first padded with `fill`. Raises ShapeError if no window fits or `padding` has another count than `kernel`,
    ValueRangeError for a negative padding, or strides or dilations below 1.
    """
    rank = len(kernel)
    apart = for_each_axis(name, "dilation", dilation, rank, 1)
    steps = for_each_axis(name, "stride", stride, rank, 1)
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
