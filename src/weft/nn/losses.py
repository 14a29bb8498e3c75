"""Loss functions.

The one idea: a loss is a tensor of one number per example, and then its mean or sum.
"""

from __future__ import annotations

from typing import Any

from weft.api.arguments import as_tensor, one_axis
from weft.api.precision import rounded
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.indexing_functions import take_along_axis
from weft.api.standard.manipulation_functions import expand_dims, squeeze
from weft.dtypes import promote
from weft.errors import ShapeError, ValueRangeError
from weft.nn.activations import log_softmax, real_operand
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


def cross_entropy(logits: Any, /, target: Any, *, axis: int = -1, reduction: str = "mean") -> Tensor:
    """Return minus the log probability of the target under `softmax` of the logits along an axis.

    `target`: integers, the right class of every example (of the logits' shape without the axis), or probabilities of
    all classes (of the logits' shape). `reduction`: "mean" over examples, "sum", or "none" for a loss of each. Raises
    ShapeError for targets of other shapes or dtypes, AxisError for an axis that logits lack, DTypeError for complex or
    bool logits, ValueRangeError for other reductions.

    >>> import weft
    >>> weft.nn.cross_entropy(weft.asarray([[0.0, -1000.0]]), weft.asarray([1])).item()
    1000.0
    """
    x, to = real_operand("cross_entropy", logits)
    axis = one_axis("cross_entropy", axis, x.ndim)
    y, found = as_tensor(target), log_softmax(x, axis=axis)
    examples = x.shape[:axis] + x.shape[axis + 1 :]
    if y.dtype.is_integer and y.shape == examples:
        lost = -squeeze(take_along_axis(found, expand_dims(y, axis), axis=axis), axis)
    elif y.dtype.kind == "float" and y.shape == x.shape:
        lost = -st.sum(el.where(y == 0, 0.0, found * y), axis=axis)  # impossible cells with y = 0 count 0, not NaN
    else:
        raise ShapeError(
            f"cross_entropy: targets of {y.dtype.name} and shape {y.shape} for logits of shape {x.shape}; integers of "
            f"shape {examples} or floats of the logits' shape are needed; convert or reshape them"
        )
    return rounded(_reduced("cross_entropy", lost, reduction), to)


@from_template(2)
def mse_loss(x: Any, y: Any, /, *, reduction: str = "mean") -> Tensor:
    """Return the squares of x - y: their "mean", their "sum", or (`reduction="none"`) each.

    Integers count as float64. Raises ShapeError if x and y do not broadcast, DTypeError for complex or bool cells,
    ValueRangeError for other reductions.

    >>> import weft
    >>> weft.nn.mse_loss(weft.asarray([1.0, 2.0]), weft.asarray([1.0, 4.0])).item()
    2.0
    """
    (a, first), (b, second) = (real_operand("mse_loss", t) for t in (x, y))
    lost = el.square(a - b)
    return rounded(_reduced("mse_loss", lost, reduction), promote(first, second))
