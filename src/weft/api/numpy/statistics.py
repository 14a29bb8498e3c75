"""Statistics of samples: weighted means and covariances.

The one idea: means are sums, and covariances are products of the deviations from them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, flag, many_axes, number
from weft.api.numpy.closeness import by_parts
from weft.api.precision import inexact, rounded, wide
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.data_type_functions import result_type
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import (
    broadcast_to,
    concat,
    diagonal,
    expand_dims,
    matrix_transpose,
    permute_dims,
    reshape,
    squeeze,
)
from weft.api.standard.statistical_functions import Axis
from weft.errors import ShapeError
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor


def average(
    x: Any, /, axis: Axis = None, *, weights: Any = None, keepdims: bool = False, returned: bool = False
) -> Any:
    """Return the weighted mean over axes; with `returned`, a pair of it and the sums of the weights.

    Weights have x's shape, or the sizes of the axes that are named. If the weights add up to 0 the result is NaN.
    Raises ShapeError for weights of another shape, AxisError for an axis that x lacks, DTypeError for an object without
    numbers.

    >>> import weft
    >>> weft.average(weft.asarray([1.0, 2.0, 3.0]), weights=[3, 1, 0]).item()
    1.25
    """
    x = as_tensor(x)
    axes = many_axes("average", axis, x.ndim)
    if weights is None:
        made = st.mean(x, axis=axes, keepdims=keepdims)
        count = int(np.prod([x.shape[a] for a in axes]))
        return (made, el.astype(broadcast_to(as_tensor(count), made.shape), made.dtype)) if returned else made
    w = as_tensor(weights)
    if w.shape != x.shape:
        if axis is None or w.shape != tuple([x.shape[a] for a in axes]):
            raise ShapeError(
                f"average: weights of shape {w.shape} for shape {x.shape} over axes {axes}; they have that "
                "shape, or the sizes of these axes; broadcast them"
            )
        w = permute_dims(w, sorted(range(len(axes)), key=axes.__getitem__))
        w = reshape(w, tuple([n if a in axes else 1 for a, n in enumerate(x.shape)]))
    joined = result_type(x, w)
    joined = joined if joined.is_inexact else dt.float64
    wide = joined.compute
    x, w = el.astype(x, wide, copy=False), broadcast_to(el.astype(w, wide, copy=False), x.shape)
    total = st.sum(w, axis=axes, keepdims=keepdims)
    made = el.astype(st.sum(x * w, axis=axes, keepdims=keepdims) / total, joined, copy=False)
    return (made, el.astype(total, joined, copy=False)) if returned else made


@from_template(1)
def cov(
    x: Any, y: Any = None, /, *, rowvar: bool = True, bias: bool = False, correction: float | None = None
) -> Tensor:
    """Return the covariance matrix of variables, one per row (one per column for rowvar=False).

    Sums of products of deviations are divided by the observations less `correction`: by default 1, 0 with `bias`. A
    vector is one variable. The variables of `y` follow those of `x`. Raises ShapeError for three axes, and for another
    number of observations in y; DTypeError for bool cells.

    >>> import weft
    >>> weft.cov(weft.asarray([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]])).tolist()
    [[1.0, -2.0], [-2.0, 4.0]]
    """
    if correction is None:
        correction = 0 if flag("cov", "bias", bias) else 1
    x = inexact("cov", x)
    one = x.ndim < 2 and y is None
    x = _variables(x, rowvar)
    if y is not None:
        more = _variables(inexact("cov", y), rowvar)
        if more.shape[1] != x.shape[1]:
            raise ShapeError(f"cov: {x.shape[1]} and {more.shape[1]} observations; x and y have the same; slice one")
        x = concat([x, more])
    wider = wide(x)
    off = wider - st.mean(wider, axis=1, keepdims=True)
    made = matmul(off, el.conj(matrix_transpose(off))) / max(x.shape[1] - number("cov", correction), 0)
    made = rounded(made, x.dtype)
    return squeeze(made, axis=(0, 1)) if one else made


def _variables(x: Tensor, rowvar: bool) -> Tensor:
    """Return a matrix with one variable in each row. Raises ShapeError if x has a rank above 2."""
    if x.ndim > 2:
        raise ShapeError(f"cov: shape {x.shape}; variables and observations are two axes; reshape it")
    return reshape(x, (1, -1)) if x.ndim < 2 else x if rowvar else matrix_transpose(x)


@from_template(1)
def corrcoef(x: Any, y: Any = None, /, *, rowvar: bool = True) -> Tensor:
    """Return the matrix of correlation coefficients of variables, one per row (one per column for rowvar=False).

    All lie in [-1, 1]. The variables of `y` follow those of `x`. Raises ShapeError for three axes, and for another
    number of observations in y; DTypeError for bool cells and an object without numbers.

    >>> import weft
    >>> weft.corrcoef(weft.asarray([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    c = cov(x, y, rowvar=rowvar)
    if not c.ndim:
        return c / c
    spread = el.sqrt(el.real(diagonal(c)) if c.dtype.kind == "complex" else diagonal(c))
    made = c / expand_dims(spread, axis=1) / spread
    return by_parts(_clipped, made)


def _clipped(x: Tensor) -> Tensor:
    """Return x limited to [-1, 1]."""
    return el.clip(x, -1, 1)
