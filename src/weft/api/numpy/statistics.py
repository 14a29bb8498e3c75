"""Statistics of samples: weighted means, covariances, counts of values and of bins.

The one idea: counting is searching a sorted order, and means are sums, so all is composed of routines that exist.
Only where a length or a bound hangs on values (`bincount`, bins that nobody gave) are they looked at at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import integer, is_one, many_axes, number, sequence
from weft.api.habits import accept_habits
from weft.api.numpy.closeness import by_parts
from weft.api.precision import inexact, rounded, wide
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import ones, zeros
from weft.api.standard.data_type_functions import result_type
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import (
    as_tensor,
    broadcast_to,
    concat,
    diagonal,
    expand_dims,
    flip,
    matrix_transpose,
    reshape,
    squeeze,
)
from weft.api.standard.ranges import linspace
from weft.api.standard.searching_functions import searchsorted
from weft.api.standard.sorting_functions import argsort, sort
from weft.api.standard.statistical_functions import Axis
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.interop.device_moves import moved
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS
from weft.tensors.indexing import take_positions
from weft.tensors.tensor import Tensor, node_of, wrap


def average(
    x: Any, /, axis: Axis = None, *, weights: Any = None, keepdims: bool = False, returned: bool = False
) -> Any:
    """Return the weighted mean over axes; with `returned`, a pair of it and the sums of the weights.

    Weights have x's shape, or one axis' size where one axis is named.  Where the weights add up to 0 the result is NaN.

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
        if len(axes) != 1 or w.shape != (x.shape[axes[0]],):
            raise ShapeError(
                f"average: weights of shape {w.shape} for shape {x.shape} over axes {axes}; they have that "
                "shape, or the size of the one axis; broadcast them"
            )
        w = reshape(w, tuple(n if a == axes[0] else 1 for a, n in enumerate(x.shape)))
    joined = result_type(x, w)
    joined = joined if joined.is_inexact else dt.float64
    wide = joined.compute
    x, w = el.astype(x, wide, copy=False), broadcast_to(el.astype(w, wide, copy=False), x.shape)
    total = st.sum(w, axis=axes, keepdims=keepdims)
    made = el.astype(st.sum(x * w, axis=axes, keepdims=keepdims) / total, joined, copy=False)
    return (made, el.astype(total, joined, copy=False)) if returned else made


def cov(x: Any, y: Any = None, /, *, rowvar: bool = True, correction: float = 1.0) -> Tensor:
    """Return the covariance matrix of variables, one per row (one per column for rowvar=False).

    Sums of products of deviations are divided by the observations less `correction`.  A vector is one variable.  The
    variables of `y` follow those of `x`.  Raises ShapeError for three axes, and for other observations in y.

    >>> import weft
    >>> weft.cov(weft.asarray([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]])).tolist()
    [[1.0, -2.0], [-2.0, 4.0]]
    """
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
    """Return a matrix with one variable in each row."""
    if x.ndim > 2:
        raise ShapeError(f"cov: shape {x.shape}; variables and observations are two axes; reshape it")
    return reshape(x, (1, -1)) if x.ndim < 2 else x if rowvar else matrix_transpose(x)


def corrcoef(x: Any, y: Any = None, /, *, rowvar: bool = True) -> Tensor:
    """Return the matrix of correlation coefficients of variables, one per row (one per column for rowvar=False).

    All lie in [-1, 1].  The variables of `y` follow those of `x`, as in `cov`.

    >>> import weft
    >>> weft.corrcoef(weft.asarray([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    c = cov(x, y, rowvar=rowvar)
    if not c.ndim:
        return c / c
    spread = el.sqrt(el.real(diagonal(c)) if c.dtype.kind == "complex" else diagonal(c))
    made = c / expand_dims(spread, axis=1) / spread
    return by_parts(_clipped, made) if made.dtype.kind == "complex" else _clipped(made)


def _clipped(x: Tensor) -> Tensor:
    """Return x limited to [-1, 1]."""
    return el.clip(x, -1, 1)


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Tensor:
    """Return how often 0, 1, 2, ... occur in a vector (int64), or the sum of the weights of each.

    The length is the greatest value plus one, and at least `minlength`.

    As long as the greatest value and one, and `minlength` at least.

    >>> import weft
    >>> weft.bincount(weft.asarray([1, 3, 1])).tolist(), weft.bincount([1, 0], weights=[0.5, 2.0]).tolist()
    ([0, 2, 0, 1], [2.0, 0.5])
    """
    x = as_tensor(x)
    if x.ndim != 1 or x.dtype.kind not in ("bool", "int", "uint"):
        raise DTypeError(f"bincount: {x.dtype.name} of shape {x.shape}; a vector of integers is counted; convert it")
    size = integer("bincount", "minlength", minlength)
    if x.size:
        least, greatest = (int(f(x).item()) for f in (st.min, st.max))
        if least < 0:
            raise ValueRangeError(f"bincount: a value of {least}; values from 0 on are counted; shift them")
        size = max(size, greatest + 1)
    rows = ones(x.shape, dtype=dt.int64, device=x.device) if weights is None else moved(as_tensor(weights), x.device)
    if rows.shape != x.shape:
        raise ShapeError(f"bincount: weights of shape {rows.shape} for {x.shape} values; each has one; give as many")
    if size < 0 or not x.size:
        return zeros(max(size, 0), dtype=rows.dtype, device=x.device)
    rows = el.astype(rows, dt.int64) if rows.dtype is dt.bool else rows
    at = node_of(el.astype(x, dt.int64))
    made = ir.make(OPS["scatter_add"], (node_of(rows), at), (size,), ir.result(rows.dtype, (size,)))
    return wrap(ir.locate(made))


def digitize(x: Any, bins: Any, /, *, right: bool = False) -> Tensor:
    """Return the number of the bin of each cell: how many ascending bounds are <= it (with `right`: < it).

    For descending bounds the comparisons are the other way round.

    >>> import weft
    >>> weft.digitize(weft.asarray([0.5, 1.0, 9.0]), [0, 1, 2]).tolist()
    [1, 2, 3]
    """
    bounds = as_tensor(bins)
    if bounds.ndim != 1:
        raise ShapeError(f"digitize: bins of shape {bounds.shape}; bounds are a vector; flatten them")
    rises = bool(st.all(el.less_equal(bounds[:-1], bounds[1:])))  # type: ignore[index]
    if rises:
        return searchsorted(bounds, as_tensor(x), side="left" if right else "right")
    if not bool(st.all(el.greater_equal(bounds[:-1], bounds[1:]))):  # type: ignore[index]
        raise ValueRangeError("digitize: bins that neither rise nor fall; bounds of bins are in order; sort them")
    return bounds.size - searchsorted(flip(bounds), as_tensor(x), side="left" if right else "right")


def histogram(
    x: Any, /, bins: Any = 10, *, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the count (or the sum of weights) in each bin, and the bounds of the bins.

    `bins`: how many there are, of equal width between the bounds `range` (those of the values unless told), or the
    rising bounds themselves.  A bin holds its lower bound and not its upper one, the last bin both.  With `density` the
    counts are divided by the widths and by what was counted.

    >>> import weft
    >>> counts, bounds = weft.histogram(weft.asarray([1.0, 2.0, 2.5, 5.0]), 2)
    >>> counts.tolist(), bounds.tolist()
    ([3, 1], [1.0, 3.0, 5.0])
    """
    x = reshape(as_tensor(x), (-1,))
    bounds = _bounds(x, bins, range)
    order = None
    if weights is not None:
        w = reshape(as_tensor(weights), (-1,))
        if w.shape != x.shape:
            raise ShapeError(f"histogram: {w.size} weights for {x.size} cells; each has one; give as many")
        order = argsort(x)
    ordered = sort(x) if order is None else take_positions("histogram", x, order, 0)
    below = searchsorted(ordered, bounds[:-1], side="left")  # type: ignore[index]
    places = concat([below, searchsorted(ordered, bounds[-1:], side="right")])  # type: ignore[index]
    if order is not None:
        w = take_positions("histogram", w, order, 0)
        places = take_positions("histogram", st.cumulative_sum(w, include_initial=True), places, 0)
    counts = st.diff(places)
    return (counts / st.diff(bounds) / st.sum(counts) if density else counts), bounds


def _bounds(x: Tensor, bins: Any, span: Any) -> Tensor:
    """Return the bounds of a histogram's bins, from their number or from the bounds themselves."""
    if isinstance(bins, str):
        raise ValueRangeError(
            f"histogram: bins {bins!r}; rules for the number of bins are NumPy's; "
            f"give bins=numpy.histogram_bin_edges(x, {bins!r})"
        )
    if not is_one(bins):
        bounds = as_tensor(bins)
        if bounds.ndim != 1 or bounds.size < 2 or not bool(st.all(el.less_equal(bounds[:-1], bounds[1:]))):  # type: ignore[index]
            raise ValueRangeError(f"histogram: bins of shape {bounds.shape}; bounds are a rising vector of two or more")
        return bounds
    n = integer("histogram", "bins", bins)
    if n < 1:
        raise ValueRangeError(f"histogram: {n} bins; there is one at least; give another number")
    if x.dtype.kind == "complex":
        raise DTypeError(f"histogram: {x.dtype.name} cells; bins are of real numbers; take real() or abs() first")
    if span is not None:
        found = sequence("histogram", "range", span)
    else:
        found = [st.min(x), st.max(x)] if x.size else [0.0, 1.0]
    if len(found) != 2:
        raise ShapeError(f"histogram: range {span!r:.60}; it has a lower and an upper end; give two numbers")
    low, high = (float(number("histogram", v)) for v in found)
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ValueRangeError(f"histogram: bins from {low} to {high}; both ends are finite, and rise; give range=")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, n + 1, dtype=x.dtype if x.dtype.kind == "float" else dt.float64).realize()


__all__ = ["average", "bincount", "corrcoef", "cov", "digitize", "histogram"]
accept_habits(globals())
