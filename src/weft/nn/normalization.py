"""Normalisation, and dropout.

The one idea: means and variances are reductions in the same row as their readers; the dropped cells are a random field,
so they depend on the seed alone, whatever part of the tensor is read.
"""

from __future__ import annotations

from math import prod
from typing import Any

from weft import dtypes as dt
from weft import random
from weft.api.arguments import integer, many_axes, number, one_axis
from weft.api.habits import two_readings
from weft.api.precision import inexact, rounded
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import zeros_like
from weft.api.standard.manipulation_functions import reshape
from weft.errors import ShapeError, ValueRangeError
from weft.interop.device_moves import placed
from weft.nn.activations import real_operand
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor


def _scaled(name: str, x: Any, weight: Any, bias: Any) -> Tensor:
    """Return x · weight + bias, where None leaves out a step.

    Raises ShapeError, naming `name`, if the result has another shape than x.
    """
    scaled = x if weight is None else el.multiply(x, weight)  # type: ignore[attr-defined]
    scaled = scaled if bias is None else el.add(scaled, bias)  # type: ignore[attr-defined]
    if scaled.shape != x.shape:
        raise ShapeError(
            f"{name}: a weight or bias that makes shape {scaled.shape} of {x.shape}; they broadcast to x; reshape them"
        )
    return scaled  # type: ignore[no-any-return]


def _check_weight(name: str, weight: Any) -> None:
    """Raise ArgumentError, naming `name`, if the weight is a Python integer or a list of them, a shape in PyTorch."""
    if isinstance(weight, int) or (isinstance(weight, (tuple, list)) and all(isinstance(n, int) for n in weight)):
        raise two_readings(
            f"{name}(x, {weight!r:.60})",
            "to PyTorch this is the shape of the normalised axes, here it is a weight",
            "axis= for other axes than the last, or weight=weft.asarray([...])",
        )


@from_template(3)
def layer_norm(x: Any, /, weight: Any = None, bias: Any = None, *, axis: Any = -1, eps: float = 1e-5) -> Tensor:
    """Return (x - mean) / sqrt(variance + eps) over axes, times weight, plus bias; of x's shape.

    Weight and bias broadcast to x, else ShapeError is raised. Raises DTypeError for complex or bool cells, AxisError
    for an axis that x lacks, ArgumentError for a weight of Python integers, which is a shape in PyTorch.

    >>> import weft
    >>> weft.round(weft.nn.layer_norm(weft.asarray([1.0, 3.0]), eps=0.0)).tolist()
    [-1.0, 1.0]
    """
    _check_weight("layer_norm", weight)
    x, to = real_operand("layer_norm", x)
    axes = many_axes("layer_norm", axis, x.ndim)
    centred = x - st.mean(x, axis=axes, keepdims=True)
    spread = el.sqrt(st.var(x, axis=axes, keepdims=True) + number("layer_norm", eps))
    return rounded(_scaled("layer_norm", centred / spread, weight, bias), to)


@from_template(2)
def rms_norm(x: Any, /, weight: Any = None, *, axis: Any = -1, eps: float = 1e-6) -> Tensor:
    """Return x / sqrt(mean of squares + eps) over axes, times weight; of x's shape.

    The weight broadcasts to x, else ShapeError is raised. Raises DTypeError for complex or bool cells, AxisError for an
    axis that x lacks, ArgumentError for a weight of Python integers, which is a shape in PyTorch.

    >>> import weft
    >>> weft.nn.rms_norm(weft.asarray([3.0, -3.0]), eps=0.0).tolist()
    [1.0, -1.0]
    """
    _check_weight("rms_norm", weight)
    x, to = real_operand("rms_norm", x)
    axes = many_axes("rms_norm", axis, x.ndim)
    size = el.sqrt(st.mean(el.square(x), axis=axes, keepdims=True) + number("rms_norm", eps))
    return rounded(_scaled("rms_norm", x / size, weight, None), to)


@from_template(5)
def batch_norm(
    x: Any, /, mean: Any, var: Any, weight: Any = None, bias: Any = None, *, axis: int = 1, eps: float = 1e-5
) -> Tensor:
    """Return (x - mean) / sqrt(var + eps) · weight + bias with given vectors along an axis.

    Each vector has one number per position of the axis. Raises ShapeError for others, AxisError for an axis that x
    lacks, DTypeError for complex or bool cells.

    >>> import weft
    >>> x, ones = weft.asarray([[1.0, 3.0]]), weft.ones(2)
    >>> weft.nn.batch_norm(x, ones, ones, eps=0.0).tolist()
    [[0.0, 2.0]]
    """
    x, to = real_operand("batch_norm", x)
    axis = one_axis("batch_norm", axis, x.ndim)
    centre, variance = (_along("batch_norm", v, x.shape, axis) for v in (mean, var))
    scale, shift = (None if v is None else _along("batch_norm", v, x.shape, axis) for v in (weight, bias))
    spread = el.sqrt(variance + number("batch_norm", eps))
    return rounded(_scaled("batch_norm", (x - centre) / spread, scale, shift), to)


@from_template(4)
def group_norm(x: Any, groups: int, /, weight: Any = None, bias: Any = None, *, eps: float = 1e-5) -> Tensor:
    """Return x (batch, channels, ...) normalised over each of `groups` groups of channels; of x's shape.

    It is (x - mean) / sqrt(variance + eps), times weight, plus bias, which have one number per channel. With as many
    groups as channels it is PyTorch's instance_norm. Raises ShapeError if x has fewer than two axes, channels are no
    multiple of groups, or weight or bias have another shape, DTypeError for complex or bool cells.

    >>> import weft
    >>> weft.round(weft.nn.group_norm(weft.asarray([[1.0, 3.0, 5.0, 9.0]]), 2)).tolist()
    [[-1.0, 1.0, -1.0, 1.0]]
    """
    x, to = real_operand("group_norm", x)
    count = integer("group_norm", "groups", groups)
    if x.ndim < 2 or count < 1 or x.shape[1] % count:
        raise ShapeError(
            f"group_norm: shape {x.shape} in {count} groups; it is (batch, channels, ...), channels a multiple of "
            "groups; reshape it, or give other groups"
        )
    whole = x.shape
    x = reshape(x, (whole[0], count, prod(whole[1:]) // count))
    centred = x - st.mean(x, axis=-1, keepdims=True)
    spread = el.sqrt(st.var(x, axis=-1, keepdims=True) + number("group_norm", eps))
    scale, shift = (None if v is None else _along("group_norm", v, whole, 1) for v in (weight, bias))
    return rounded(_scaled("group_norm", reshape(centred / spread, whole), scale, shift), to)


def _along(name: str, v: Any, shape: tuple[int, ...], axis: int) -> Tensor:
    """Return a vector with axes added after it, so that it lies along an axis of `shape`.

    Raises ShapeError, naming `name`, unless it has one number for each position, DTypeError for complex or bool cells.
    """
    v, _ = real_operand(name, v)
    if v.shape != (shape[axis],):
        raise ShapeError(
            f"{name}: a vector of shape {v.shape} for axis {axis} of shape {shape}; every position has one number; "
            "give another axis or vector"
        )
    return reshape(v, (-1,) + (1,) * (len(shape) - axis - 1))


def dropout(x: Any, /, rate: float = 0.5, *, seed: int) -> Tensor:
    """Return x with each cell set to 0 with probability `rate`, the others divided by 1 - rate; of x's shape.

    The same seed drops the same cells. Raises ValueRangeError for a rate outside of [0, 1] or a seed outside of 64
    bits, DTypeError for bool cells.

    >>> import weft
    >>> weft.nn.dropout(weft.ones(6), 0.5, seed=1).tolist()
    [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    x = inexact("dropout", x)
    p = number("dropout", rate)
    if not 0 <= p <= 1:
        raise ValueRangeError(f"dropout: rate {p}; it is a probability; give a number from 0 to 1")
    if p == 1:
        return zeros_like(x)
    kept = random.uniform(x.shape, seed=seed, dtype=dt.float32) >= p
    return el.where(placed(kept, x.device), x / (1 - p), 0.0)
