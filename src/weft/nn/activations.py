"""Activations, and functions from numbers to probabilities.

The one idea: formulas are chosen in which no step overflows and no digits cancel; exponentials have arguments of at
most 0.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from weft.api.arguments import as_tensor, many_axes, number, one_axis
from weft.api.precision import inexact, rounded, wide
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import full
from weft.api.standard.manipulation_functions import squeeze
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor


# ---- operands
def real_operand(name: str, x: Any) -> tuple[Tensor, DType]:
    """Return (x as a tensor in the dtype for computing, dtype of the result).

    Raises DTypeError, naming `name`, for complex, bool and float8 cells.
    """
    x = inexact(name, x)
    if x.dtype.kind == "complex":
        raise DTypeError(f"{name}: {x.dtype.name} cells; real ones are needed; take real(x), imag(x) or abs(x)")
    return wide(x), x.dtype


# ---- cell by cell
def relu(x: Any, /) -> Tensor:
    """Return max(x, 0), of x's shape and dtype; bools count as integers.  The gradient at 0 is 0.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.nn.relu(weft.asarray([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return el.maximum(0, as_tensor(x))  # of equal operands, the first has the gradient


def leaky_relu(x: Any, /, slope: float = 0.01) -> Tensor:
    """Return x where it is positive, else slope·x, of x's shape.

    Integers give float64; raises DTypeError for complex or bool cells, and if `slope` is no number.

    >>> import weft
    >>> weft.nn.leaky_relu(weft.asarray([-1.0, 2.0]), 0.5).tolist()
    [-0.5, 2.0]
    """
    x, to = real_operand("leaky_relu", x)
    return rounded(el.where(x > 0, x, x * number("leaky_relu", slope)), to)


@from_template(1)
def elu(x: Any, /, alpha: float = 1.0) -> Tensor:
    """Return x where it is positive, else alpha·(exp(x) - 1), of x's shape.

    Integers give float64; raises DTypeError for complex or bool cells, and if `alpha` is no number.

    >>> import weft
    >>> weft.nn.elu(weft.asarray([-1000.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    x, to = real_operand("elu", x)
    below = el.expm1(el.minimum(x, 0)) * number("elu", alpha)
    return rounded(el.where(x > 0, x, below), to)


def sigmoid(x: Any, /) -> Tensor:
    """Return 1 / (1 + exp(-x)), of x's shape; integers give float64. Raises DTypeError for complex or bool cells.

    >>> import weft
    >>> weft.nn.sigmoid(weft.asarray([-1000.0, 0.0, 1000.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    x, to = real_operand("sigmoid", x)
    return rounded(_sigmoid(x), to)


def _sigmoid(x: Tensor) -> Tensor:
    above = x >= 0
    small = el.exp(el.where(above, -x, x))  # -|x| has the gradient 0 at 0
    return el.where(above, 1.0, small) / (1 + small)


def silu(x: Any, /) -> Tensor:
    """Return x·sigmoid(x), of x's shape; integers give float64. Raises DTypeError for complex or bool cells.

    >>> import weft
    >>> weft.nn.silu(weft.asarray([-1000.0, 0.0, 1000.0])).tolist()
    [-0.0, 0.0, 1000.0]
    """
    x, to = real_operand("silu", x)
    return rounded(x * _sigmoid(x), to)


@from_template(1)
def softplus(x: Any, /) -> Tensor:
    """Return log(1 + exp(x)), of x's shape; integers give float64. Raises DTypeError for complex or bool cells.

    >>> import weft
    >>> weft.nn.softplus(weft.asarray([-1000.0, 1000.0])).tolist()
    [0.0, 1000.0]
    """
    x, to = real_operand("softplus", x)
    return rounded(el.logaddexp(x, 0.0), to)


@from_template(1)
def gelu(x: Any, /, *, approximate: str = "none") -> Tensor:
    """Return x·Φ(x) with the normal distribution function Φ, of x's shape; integers give float64.

    `approximate="tanh"` uses the common approximation of Φ. Raises ValueRangeError unless it is "tanh" or "none",
    DTypeError for complex or bool cells.

    >>> import weft
    >>> weft.nn.gelu(weft.asarray([-1000.0, 0.0, 1000.0])).tolist()
    [-0.0, 0.0, 1000.0]
    """
    x, to = real_operand("gelu", x)
    if approximate == "tanh":
        inner = sqrt(2 / pi) * (x + 0.044715 * x * x * x)
        share = 0.5 * (1 + el.tanh(inner))
    elif approximate == "none":
        share = 0.5 * el.erfc(x * -sqrt(0.5))
    else:
        raise ValueRangeError(f"gelu: approximate {approximate!r}; there are 'none' and 'tanh'; name one of them")
    return rounded(x * share, to)


# ---- along axes
@from_template(1)
def softmax(x: Any, /, axis: int = -1) -> Tensor:
    """Return exp(x) over its sum along an axis: numbers in [0, 1] that add up to 1, of x's shape.

    Integers give float64. Raises DTypeError for complex or bool cells, AxisError for an axis that x lacks.

    >>> import weft
    >>> weft.nn.softmax(weft.asarray([1000.0, 1000.0])).tolist()
    [0.5, 0.5]
    """
    x, to = real_operand("softmax", x)
    axis = one_axis("softmax", axis, x.ndim)
    if not x.shape[axis]:
        return rounded(x, to)
    raised = el.exp(x - st.max(x, axis=axis, keepdims=True))
    return rounded(raised / st.sum(raised, axis=axis, keepdims=True), to)


@from_template(1)
def log_softmax(x: Any, /, axis: int = -1) -> Tensor:
    """Return the logarithm of `softmax`, of x's shape; exact also where `softmax` itself would underflow.

    Integers give float64. Raises DTypeError for complex or bool cells, AxisError for an axis that x lacks.

    >>> import weft
    >>> weft.nn.log_softmax(weft.asarray([0.0, -1000.0])).tolist()
    [0.0, -1000.0]
    """
    x, to = real_operand("log_softmax", x)
    axis = one_axis("log_softmax", axis, x.ndim)
    if not x.shape[axis]:
        return rounded(x, to)
    moved = x - st.max(x, axis=axis, keepdims=True)
    return rounded(moved - el.log(st.sum(el.exp(moved), axis=axis, keepdims=True)), to)


@from_template(1)
def logsumexp(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return log(sum(exp(x))) over axes (default: all); -inf for no cells.

    `keepdims` keeps the axes with size 1. Integers give float64. Raises DTypeError for complex or bool cells, AxisError
    for an axis that x lacks, ShapeError for an axis named twice.

    >>> import weft
    >>> weft.nn.logsumexp(weft.asarray([1000.0, -1000.0])).item()
    1000.0
    """
    x, to = real_operand("logsumexp", x)
    axes = many_axes("logsumexp", axis, x.ndim)
    if 0 in [x.shape[a] for a in axes]:
        shape = tuple([1 if d in axes else n for d, n in enumerate(x.shape)])
        found = full(shape, float("-inf"), dtype=x.dtype, device=x.device)
    else:
        most = st.max(x, axis=axes, keepdims=True)
        most = el.where(el.isfinite(most), most, 0.0)
        found = el.log(st.sum(el.exp(x - most), axis=axes, keepdims=True)) + most
    return rounded(found if keepdims or not axes else squeeze(found, axes), to)
