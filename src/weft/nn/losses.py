"""Loss functions.

The one idea: a loss is a tensor of one number per example, and then its mean or sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.api.arguments import as_tensor, integer, number, one_axis
from weft.api.precision import rounded
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.elementwise_functions import astype
from weft.api.standard.indexing_functions import take_along_axis
from weft.api.standard.manipulation_functions import broadcast_to, expand_dims, reshape, squeeze
from weft.dtypes import promote
from weft.errors import ShapeError, ValueRangeError
from weft.nn.activations import log_softmax, real_operand, softplus
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor


def _reduced(name: str, x: Tensor, reduction: str) -> Tensor:
    """Return the mean of x, its sum, or x itself, by `reduction`: "mean", "sum" or "none".

    Raises ValueRangeError, naming `name`, for another reduction.
    """
    if reduction == "none":
        return x
    if reduction not in ("mean", "sum"):
        raise ValueRangeError(f"{name}: reduction {reduction!r}; there are 'mean', 'sum' and 'none'; name one of them")
    return st.mean(x) if reduction == "mean" else st.sum(x)


def cross_entropy(
    logits: Any,
    /,
    target: Any,
    *,
    axis: int = -1,
    reduction: str = "mean",
    weight: Any = None,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return minus the log probability of the target under `softmax` of the logits along an axis.

    `target`: integers, the right class of every example (of the logits' shape without the axis), or probabilities of
    all classes (of the logits' shape). `reduction`: "mean" over examples, "sum", or "none" for a loss of each.

    `weight`: a number for each class, by which its losses are multiplied; the mean of losses of classes is then over
    the weights. `ignore_index`: examples of this class have the loss 0, and the mean leaves them out (of no others, it
    is NaN). `label_smoothing`: the share of the probability that is spread evenly over all classes.

    Raises ShapeError for targets and weights of other shapes or dtypes, AxisError for an axis that logits lack,
    DTypeError for complex or bool logits, IndexOutOfBounds for a class that is not there, ValueRangeError for other
    reductions, a share outside of [0, 1], and an ignore_index beside probabilities.

    >>> import weft
    >>> weft.nn.cross_entropy(weft.asarray([[0.0, -1000.0]]), weft.asarray([1])).item()
    1000.0
    """
    name = "cross_entropy"
    x, to = real_operand(name, logits)
    axis, share = one_axis(name, axis, x.ndim), number(name, label_smoothing)
    y, examples = as_tensor(target), x.shape[:axis] + x.shape[axis + 1 :]
    by_class = y.dtype.is_integer and y.shape == examples
    if not by_class and not (y.dtype.kind == "float" and y.shape == x.shape):
        raise ShapeError(
            f"{name}: targets of {y.dtype.name} and shape {y.shape} for logits of shape {x.shape}; integers of shape "
            f"{examples} or floats of the logits' shape are needed; convert or reshape them"
        )
    if not 0 <= share <= 1 or (ignore_index is not None and not by_class):
        raise ValueRangeError(
            f"{name}: label_smoothing {share}, ignore_index {ignore_index!r}; a share is from 0 to 1, and only classes "
            "are ignored; give a share, or classes as targets"
        )
    scale = None if weight is None else _weights(name, weight, x, axis)
    losses = -log_softmax(x, axis=axis)
    losses = losses if scale is None else losses * scale
    if by_class:
        kept = None if ignore_index is None else y != integer(name, "ignore_index", ignore_index)
        lost, counted = _of_classes(losses, y, axis, scale, kept, share)
        if counted is not None and reduction == "mean":
            return rounded(st.sum(lost) / st.sum(counted), to)
    else:
        y = y * (1 - share) + share / x.shape[axis] if share else y
        lost = st.sum(el.where(y == 0, 0.0, losses * y), axis=axis)  # impossible cells with y = 0 count 0, not NaN
    return rounded(_reduced(name, lost, reduction), to)


def _of_classes(
    losses: Tensor, y: Tensor, axis: int, scale: Tensor | None, kept: Tensor | None, share: float
) -> tuple[Tensor, Tensor | None]:
    """Return the loss of each example whose right class is in y, and the weight of each in a mean. None if all are 1.

    `losses` are those of all classes along an axis, multiplied by `scale`. Examples where `kept` is False have the loss
    0 and count 0. `share` is the part of the probability spread over all classes.
    """
    y = expand_dims(y if kept is None else el.where(kept, y, 0), axis)
    lost = _at(losses, y, axis)
    if share:
        lost = lost * (1 - share) + st.mean(losses, axis=axis) * share
    counted = None if scale is None else _at(broadcast_to(scale, losses.shape), y, axis)
    if kept is None:
        return lost, counted
    one = astype(kept, lost.dtype)
    return el.where(kept, lost, 0.0), one if counted is None else one * counted


def _at(x: Tensor, classes: Tensor, axis: int) -> Tensor:
    """Return the cells of x at `classes` along an axis, without the axis."""
    return squeeze(take_along_axis(x, classes, axis=axis), axis)


def _weights(name: str, weight: Any, x: Tensor, axis: int) -> Tensor:
    """Return weights of classes in the dtype of x, to broadcast with it; raises ShapeError for another number."""
    w, _ = real_operand(name, weight)
    if w.shape != (x.shape[axis],):
        raise ShapeError(
            f"{name}: a weight of shape {w.shape} for {x.shape[axis]} classes; each has one number; reshape it"
        )
    return astype(reshape(w, (-1,) + (1,) * (x.ndim - axis - 1)), x.dtype)


@from_template(2)
def binary_cross_entropy_with_logits(
    logits: Any, target: Any, /, *, reduction: str = "mean", weight: Any = None, pos_weight: Any = None
) -> Tensor:
    """Return minus the log probability of yes-or-no targets under `sigmoid` of the logits.

    It is softplus(logits) - target·logits, exact for logits of any size; targets are from 0 to 1 and broadcast to the
    logits. `weight` multiplies losses, `pos_weight` their part for yes; both broadcast to the logits. `reduction`:
    "mean", "sum", or "none". Raises ShapeError if an operand does not broadcast to the logits, DTypeError for complex
    or bool cells, ValueRangeError for other reductions.

    >>> import weft
    >>> weft.nn.binary_cross_entropy_with_logits(weft.asarray([-1000.0, 1000.0]), weft.asarray([1.0, 1.0])).item()
    500.0
    """
    name = "binary_cross_entropy_with_logits"
    (x, to), (y, _) = (real_operand(name, t) for t in (logits, target))
    if pos_weight is None:
        lost = softplus(x) - y * x
    else:
        lost = y * (real_operand(name, pos_weight)[0] * softplus(-x)) + (1 - y) * softplus(x)
    lost = lost if weight is None else lost * real_operand(name, weight)[0]
    if lost.shape != x.shape:
        raise ShapeError(
            f"{name}: logits of shape {x.shape} and others that make {lost.shape} of it; they broadcast to the logits; "
            "reshape them"
        )
    return rounded(_reduced(name, lost, reduction), to)


def _of_differences(name: str, x: Any, y: Any, loss: Callable[[Tensor], Tensor], reduction: str) -> Tensor:
    """Return the reduced `loss` of x - y, in the dtype of both; raises the errors of the public function `name`."""
    (a, first), (b, second) = (real_operand(name, t) for t in (x, y))
    apart = a - b
    if apart.shape not in (a.shape, b.shape):
        raise ShapeError(
            f"{name}: shapes {a.shape} and {b.shape}, which make {apart.shape} together; one broadcasts to the other; "
            "reshape or squeeze one"
        )
    return rounded(_reduced(name, loss(apart), reduction), promote(first, second))


@from_template(2)
def huber_loss(x: Any, y: Any, /, *, delta: float = 1.0, reduction: str = "mean") -> Tensor:
    """Return half the squares of x - y up to a distance of `delta`, and delta·(|x - y| - delta / 2) beyond it.

    `reduction`: "mean", "sum", or "none". Integers count as float64. Raises ShapeError if neither operand broadcasts to
    the other, DTypeError for complex or bool cells, ValueRangeError for other reductions and a delta that is not
    positive.

    >>> import weft
    >>> weft.nn.huber_loss(weft.asarray([1.0, 5.0]), weft.asarray([2.0, 2.0]), reduction="none").tolist()
    [0.5, 2.5]
    """

    def loss(apart: Tensor) -> Tensor:
        if not (limit := number("huber_loss", delta)) > 0:
            raise ValueRangeError(f"huber_loss: delta {limit}; a distance is positive; give one above 0")
        length = el.abs(apart)
        return el.where(length <= limit, 0.5 * el.square(apart), limit * (length - 0.5 * limit))

    return _of_differences("huber_loss", x, y, loss, reduction)


@from_template(2)
def l1_loss(x: Any, y: Any, /, *, reduction: str = "mean") -> Tensor:
    """Return the distances |x - y|: their "mean", their "sum", or (`reduction="none"`) each.

    Integers count as float64. Raises ShapeError if neither operand broadcasts to the other, DTypeError for complex or
    bool cells, ValueRangeError for other reductions.

    >>> import weft
    >>> weft.nn.l1_loss(weft.asarray([1.0, 2.0]), weft.asarray([1.0, 5.0])).item()
    1.5
    """
    return _of_differences("l1_loss", x, y, el.abs, reduction)


@from_template(2)
def mse_loss(x: Any, y: Any, /, *, reduction: str = "mean") -> Tensor:
    """Return the squares of x - y: their "mean", their "sum", or (`reduction="none"`) each.

    Integers count as float64. Raises ShapeError if neither operand broadcasts to the other, DTypeError for complex or
    bool cells, ValueRangeError for other reductions.

    >>> import weft
    >>> weft.nn.mse_loss(weft.asarray([1.0, 2.0]), weft.asarray([1.0, 4.0])).item()
    2.0
    """
    return _of_differences("mse_loss", x, y, el.square, reduction)
