"""Counts of values and of bins.

The one idea: the counting kernel computes the number of a cell's bin, so a count reads its cells once and copies
nothing.  Values are computed at once only where a length or a bound depends on them (`bincount`, bins without given
bounds).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer, is_one, number, sequence
from weft.api.numpy.bin_numbers import FEW, Bounds, Ends, bin_numbers, bounds_below, counted, even_bounds, together
from weft.api.numpy.bin_rules import bins_by_rule
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.manipulation_functions import reshape
from weft.errors import DTypeError, OutOfMemory, ShapeError, ValueRangeError
from weft.interop.device_moves import moved
from weft.ir.graph import node as ir
from weft.runtime.compute import stages
from weft.tensors.tensor import Tensor, node_of, with_values, wrap


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Tensor:
    """Return the number of occurrences of 0, 1, 2, ... in a vector (int64), or the sum of the weights of each.

    The length is the greatest value plus one, and at least `minlength`.  Weights that are floats keep their dtype and
    are added in float64, in the order of their cells; integers give 64 bits.  Raises DTypeError for anything but a
    vector of integers, ValueRangeError for negative values, ShapeError unless each value has a weight.

    >>> import weft
    >>> weft.bincount(weft.asarray([1, 3, 1])).tolist(), weft.bincount([1, 0], weights=[0.5, 2.0]).tolist()
    ([0, 2, 0, 1], [2.0, 0.5])
    """
    x = as_tensor(x)
    if x.ndim != 1 or x.dtype.kind not in ("bool", "int", "uint"):
        raise DTypeError(f"bincount: {x.dtype.name} of shape {x.shape}; a vector of integers is counted; convert it")
    size = integer("bincount", "minlength", minlength)
    x = _numeric(x)
    if x.size:
        least, greatest = _extremes(x)
        if least < 0:
            raise ValueRangeError(f"bincount: a value of {least}; values from 0 on are counted; shift them")
        size = max(size, int(greatest) + 1)
    w = None if weights is None else moved(as_tensor(weights), x.device)
    if w is not None and w.shape != x.shape:
        raise ShapeError(f"bincount: weights of shape {w.shape} for {x.shape} values; each has one; give as many")
    return counted(node_of(x), max(size, 0), w)


def _extremes(x: Tensor) -> Ends:
    """Return the least and the greatest cell as scalars of x's dtype; NaN if there is one."""
    if x.size <= FEW:
        return with_values(x, lambda cells: (cells.min(), cells.max()))  # type: ignore[no-any-return]
    ends = st.min(x), st.max(x)
    stages.compute([node_of(e) for e in ends])
    return ends[0].numpy()[()], ends[1].numpy()[()]


def digitize(x: Any, bins: Any, /, *, right: bool = False) -> Tensor:
    """Return the number of the bin of each cell: how many ascending bounds are <= it (with `right`: < it).

    For descending bounds the comparisons are the other way round. The result has x's shape (int64) and is lazy; the
    bounds are computed at once. Raises ShapeError unless the bounds are a vector, ValueRangeError unless they ascend or
    descend, DTypeError for complex cells or bounds.

    >>> import weft
    >>> weft.digitize(weft.asarray([0.5, 1.0, 9.0]), [0, 1, 2]).tolist()
    [1, 2, 3]
    """
    x, bounds = _numeric(as_tensor(x)), _values(_numeric(as_tensor(bins)))
    if bounds.ndim != 1:
        raise ShapeError(f"digitize: bins of shape {bounds.shape}; bounds are a vector; flatten them")
    for t in (x.dtype, dt.from_numpy(bounds.dtype)[0]):
        if t.kind == "complex":
            raise DTypeError(f"digitize: {t.name} cells; bins are of real numbers; take real() or abs() first")
    if (bounds[:-1] <= bounds[1:]).all():
        return _located(bounds_below(x, bounds, strictly=bool(right)))
    if not (bounds[:-1] >= bounds[1:]).all():
        raise ValueRangeError("digitize: bins that neither rise nor fall; bounds of bins are in order; sort them")
    return bounds.size - _located(bounds_below(x, bounds[::-1], strictly=bool(right)))


MAX_BINS = 1 << 31


def histogram(
    x: Any, /, bins: Any = 10, *, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the count (int64) or the sum of weights in each bin, and the bounds of the bins.

    `bins`: their number, of equal width between the bounds `range` (default: those of the values); the ascending bounds
    themselves; or the name of a rule, as in `histogram_bin_edges`. A bin holds its lower bound and not its upper one,
    the last bin both; NaN and values outside are in none. With `density` the counts are divided by the widths and by
    their sum. Weights are added as in `bincount`. Raises DTypeError for complex cells, ShapeError unless each cell has
    a weight, ValueRangeError for bounds that are not finite or do not ascend, fewer than 1 bin, an unknown rule, or a
    rule with weights.

    >>> import weft
    >>> counts, bounds = weft.histogram(weft.asarray([1.0, 2.0, 2.5, 5.0]), 2)
    >>> counts.tolist(), bounds.tolist()
    ([3, 1], [1.0, 3.0, 5.0])
    """
    x = _numeric(as_tensor(x))
    bounds, even = _bounds("histogram", x, bins, range, weights)
    w = None if weights is None else moved(as_tensor(weights), x.device)
    if w is not None and w.size != x.size:
        raise ShapeError(f"histogram: {w.size} weights for {x.size} cells; each has one; give as many")
    if w is not None and w.shape != x.shape:
        x, w = reshape(x, (-1,)), reshape(w, (-1,))
    edges = _values(bounds)
    counts = counted(bin_numbers(x, edges, even), edges.size - 1, w)
    return (_density(counts, [edges]) if density else counts), bounds


def histogram_bin_edges(x: Any, /, bins: Any = 10, *, range: Any = None, weights: Any = None) -> Tensor:
    """Return the bounds of the bins that `histogram` counts in, as a vector in x's dtype, float64 for integers.

    `bins` may name a rule: "auto" (the narrower of "fd" and "sturges"), "fd" (Freedman and Diaconis), "doane", "scott",
    "stone", "rice", "sturges", "sqrt".  A rule uses the cells within `range`, and accepts no weights.  Raises the
    errors of `histogram`.

    >>> import weft
    >>> weft.histogram_bin_edges(weft.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), "sqrt").tolist()
    [1.0, 2.333333333333333, 3.6666666666666665, 5.0]
    """
    return _bounds("histogram_bin_edges", _numeric(as_tensor(x)), bins, range, weights)[0]


def histogram2d(
    x: Any, y: Any, /, bins: Any = 10, *, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the counts (float64) of points in the plane, and the bounds of the bins of x and y.

    `bins`: for both axes the number of bins or their bounds, or a pair of these; `range`: a pair of lower and upper
    ends for each axis. `weights` has one number for each point; `density` divides the counts by the areas of the bins
    and by their sum. Raises ShapeError unless x and y are vectors of one size, and for other numbers of bins and ranges
    than 2; ValueRangeError for bounds that do not rise and numbers of bins below 1, DTypeError for complex cells and an
    object without numbers.

    >>> import weft
    >>> counts, across, along = weft.histogram2d([0.0, 0.0, 1.0], [0.0, 2.0, 2.0], 2)
    >>> counts.tolist(), across.tolist(), along.tolist()
    ([[1.0, 1.0], [0.0, 1.0]], [0.0, 0.5, 1.0], [0.0, 1.0, 2.0])
    """
    one = is_one(bins) or not hasattr(bins, "__len__") or len(bins) != 2
    columns = [as_tensor(x), as_tensor(y)]
    counts, bounds = _histogram("histogram2d", columns, [bins] * 2 if one else bins, range, weights, density)
    return counts, bounds[0], bounds[1]


def histogramdd(
    sample: Any, /, bins: Any = 10, *, range: Any = None, weights: Any = None, density: bool = False
) -> tuple[Tensor, list[Tensor]]:
    """Return the counts (float64) of points in boxes, with an axis for each coordinate, and the bounds along each axis.

    `sample`: a matrix with a row for each point, or a sequence with a vector for each coordinate. `bins`: the number of
    bins along every axis, or a sequence with a number or ascending bounds for each. `range`: a sequence with the ends
    of each axis, None for those of the values. With `density` the counts are divided by the volumes of the boxes and by
    their sum. Raises the errors of `histogram`, and ShapeError unless there are as many bins, and ranges, as
    coordinates, and these are vectors of one size.

    >>> import weft
    >>> counts, bounds = weft.histogramdd([[0.0, 0.0], [0.0, 2.0], [1.0, 2.0]], 2)  # a list of coordinates
    >>> counts.shape, weft.histogramdd(weft.asarray([[0.0, 0.0], [0.0, 2.0], [1.0, 2.0]]), 2)[0].tolist()
    ((2, 2, 2), [[1.0, 1.0], [0.0, 1.0]])
    """
    columns = _columns(sample)
    return _histogram("histogramdd", columns, [bins] * len(columns) if is_one(bins) else bins, range, weights, density)


def _columns(sample: Any) -> list[Tensor]:
    """Return the vectors of coordinates of the points in `sample`, a matrix or a sequence of vectors.

    Raises ShapeError if `sample` is an array of rank above 2, DTypeError if it is no sequence.
    """
    if hasattr(sample, "shape"):
        x = as_tensor(sample)
        if x.ndim > 2:
            raise ShapeError(f"histogramdd: shape {x.shape}; points are rows of coordinates; reshape it to a matrix")
        return [reshape(x, (-1,))] if x.ndim < 2 else [x[:, k] for k in _count(x.shape[1])]
    parts = [as_tensor(p) for p in sequence("histogramdd", "sample", sample)]
    return [as_tensor(sample)] if not any(p.ndim for p in parts) else [reshape(p, (-1,)) for p in parts]


_count = range  # `range` is an argument here, by NumPy's name


def _histogram(
    name: str, columns: Sequence[Tensor], bins: Any, span: Any, weights: Any, density: bool
) -> tuple[Tensor, list[Tensor]]:
    """Return the counts of points, given by columns of coordinates, and the bounds of the bins along each axis.

    Raises ShapeError if there are no columns, or columns, bins, span or weights differ in number or shape, and what
    `_bounds` raises for an axis.
    """
    columns, bins = [_numeric(c) for c in columns], sequence(name, "bins", bins)
    spans = [None] * len(columns) if span is None else sequence(name, "range", span)
    if len({len(columns), len(bins), len(spans)}) > 1:
        raise ShapeError(
            f"{name}: {len(bins)} bins and {len(spans)} ranges for {len(columns)} coordinates; each has its own; "
            "give as many"
        )
    if not columns:
        raise ShapeError(f"{name}: no coordinates; points have at least one; give a column of them")
    if len({c.shape for c in columns}) > 1 or columns[0].ndim != 1:
        raise ShapeError(
            f"{name}: coordinates of shapes {[c.shape for c in columns]}; they are vectors of one size; fix them"
        )
    w = None if weights is None else moved(as_tensor(weights), columns[0].device)
    if w is not None and w.shape != columns[0].shape:
        raise ShapeError(f"{name}: weights of shape {w.shape} for {columns[0].size} points; each has one; give as many")
    found = [_bounds(name, c, b, s, None) for c, b, s in zip(columns, bins, spans, strict=True)]
    edges = [_values(bounds) for bounds, _ in found]
    shape = tuple([e.size - 1 for e in edges])
    numbers = [bin_numbers(c, e, even) for c, e, (_, even) in zip(columns, edges, found, strict=True)]
    counts = el.astype(reshape(counted(together(numbers, shape), prod(shape), w), shape), dt.float64, copy=False)
    return (_density(counts, edges) if density else counts), [bounds for bounds, _ in found]


def _density(counts: Tensor, edges: Sequence[Bounds]) -> Tensor:
    """Return counts divided by the widths (or volumes) of their bins and by the sum of all counts.

    Raises DTypeError for an object without numbers.
    """
    total = st.sum(counts)
    for axis, e in enumerate(edges):
        widths = np.diff(e).astype(np.float64 if e.dtype.kind in "biu" else e.dtype)
        shape = [widths.size if d == axis else 1 for d in _count(counts.ndim)]
        counts = counts / moved(as_tensor(widths.reshape(shape)), counts.device)
    return counts / total


def _bounds(name: str, x: Tensor, bins: Any, span: Any, weights: Any) -> tuple[Tensor, bool]:
    """Return (bounds of a histogram's bins, True if they are evenly spaced).

    `bins` and `span` are as `bins` and `range` of `histogram`. Raises DTypeError for complex x, ShapeError for a span
    of other than two numbers, OutOfMemory for too many bins, ValueRangeError for bounds that do not rise or a number of
    bins below 1.
    """
    if x.dtype.kind == "complex":
        raise DTypeError(f"{name}: {x.dtype.name} cells; bins are of real numbers; take real() or abs() first")
    if not isinstance(bins, str) and not is_one(bins):
        bounds = _numeric(as_tensor(bins))
        values = _values(bounds)
        if values.ndim != 1 or values.size < 2 or values.dtype.kind == "c" or not (values[:-1] <= values[1:]).all():
            raise ValueRangeError(f"{name}: bins of shape {bounds.shape}; bounds are a rising vector of two or more")
        return bounds, False
    n = 1 if isinstance(bins, str) else integer(name, "bins", bins)
    if n < 1:
        raise ValueRangeError(f"{name}: {n} bins; there is one at least; give another number")
    if n > MAX_BINS:
        raise OutOfMemory(f"{name}: {n} bins; their bounds and counts are stored; give a smaller number")
    ends = _ends(name, x, span)
    if isinstance(bins, str):
        if weights is not None:
            raise ValueRangeError(f"{name}: weights beside bins {bins!r}; rules look at cells alone; give a number")
        n = bins_by_rule(name, bins, x, ends, clipped=span is not None)
    made = even_bounds(x, ends, n)
    if not (made[:-1] < made[1:]).all():
        raise ValueRangeError(
            f"{name}: {n} bins from {ends[0]} to {ends[1]}; {made.dtype} has too few numbers between; give fewer bins"
        )
    return as_tensor(made), True


def _ends(name: str, x: Tensor, span: Any) -> Ends:
    """Return the lower and upper end of evenly spaced bins: those in `span`, else the extreme values of x.

    Raises ShapeError unless `span` has two numbers (DTypeError if it is no sequence), ValueRangeError unless the ends
    are finite and in order.
    """
    if span is not None:
        found = sequence(name, "range", span)
        if len(found) != 2:
            raise ShapeError(f"{name}: range {span!r:.60}; it has a lower and an upper end; give two numbers")
        low, high = (number(name, v) for v in found)
    elif x.size:
        low, high = _extremes(x)
    else:
        low, high = 0, 1
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ValueRangeError(f"{name}: bins from {low} to {high}; both ends are finite, and rise; give range=")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _numeric(x: Tensor) -> Tensor:
    """Return bools as small integers, and other cells unchanged."""
    return el.astype(x, dt.uint8) if x.dtype is dt.bool else x


def _values(x: Tensor) -> Bounds:
    """Return the cells of a small tensor in native byte order."""
    values = x.numpy()
    return values.astype(x.dtype.np, copy=False)


def _located(n: ir.Node) -> Tensor:
    return wrap(ir.locate(n, 4))
