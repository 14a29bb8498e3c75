"""Order statistics: medians, quantiles, percentiles, ranges.

The one idea: cells are sorted once along the axes, and every quantile is a cell at a position of that order, or lies
between two.  NaN sorts last, so the last cell tells whether there is one; the result is then NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, flag, many_axes, one_of
from weft.api.destination import into
from weft.api.precision import inexact, rounded, wide
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.manipulation_functions import expand_dims, moveaxis, permute_dims, reshape, stack
from weft.api.standard.ranges import arange
from weft.api.standard.sorting_functions import sort
from weft.api.standard.statistical_functions import Axis
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.ir.atoms.gather import gather
from weft.ir.atoms.position_tables import leaf
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, describe
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap

# Where q lies among n cells, counted from 0: (alpha, beta) of n * q + alpha + q * (1 - alpha - beta) - 1.
PLACES = {
    "linear": (1.0, 1.0), "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}  # fmt: skip
_NUMBERS = frozenset([int, float])
# Methods that take a cell: its position among n sorted cells; q and n are arrays or tensors, `xp` has their functions.
CELLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "lower": lambda xp, n, q: xp.floor(q * (n - 1)),
    "higher": lambda xp, n, q: xp.ceil(q * (n - 1)),
    "nearest": lambda xp, n, q: xp.round(q * (n - 1)),
    "inverted_cdf": lambda xp, n, q: xp.maximum(xp.ceil(q * n) - 1, 0.0),
    "closest_observation": lambda xp, n, q: xp.maximum(xp.round(q * n) - 1, 0.0),
}
MEANS = ("midpoint", "averaged_inverted_cdf")  # methods that take a cell, or the mean of two
METHODS = (MEANS[0], *PLACES, *CELLS, MEANS[1])


def quantile(
    x: Any, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False, out: Any = None
) -> Tensor:
    """Return the q-quantiles of the cells over axes (default: all), for numbers q in [0, 1].

    The result has q's axes first. Between two cells the method "linear" draws a line, "midpoint" takes their mean,
    "lower", "higher", "nearest", "inverted_cdf" and "closest_observation" take one (and keep x's dtype; otherwise
    integers give float64); "averaged_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased" and
    "interpolated_inverted_cdf" place q otherwise (Hyndman, Fan 1996). Where a cell is NaN the result is NaN. Raises
    ValueRangeError for other q or methods, ShapeError for no cells or an `out` of another shape, AxisError for an axis
    that x lacks, DTypeError for complex cells, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.quantile(weft.asarray([1.0, 2.0, 4.0, 8.0]), [0.0, 0.5, 1.0]).tolist()
    [1.0, 3.0, 8.0]
    """
    return _quantile("quantile", x, _parts("quantile", q, 1.0), axis, method, keepdims, out)


def percentile(
    x: Any, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False, out: Any = None
) -> Tensor:
    """Return the quantiles at q percent, for numbers q in [0, 100]; otherwise as `quantile`.

    Raises ValueRangeError for q outside of [0, 100] or an unknown method, ShapeError for no cells or an `out` of
    another shape, AxisError for an axis that x lacks, DTypeError for complex cells, WriteError for an `out` that cannot
    be written.

    >>> import weft
    >>> weft.percentile(weft.asarray([[1, 2], [3, 5]]), 50, axis=0).tolist()
    [2.0, 3.5]
    """
    return _quantile("percentile", x, _parts("percentile", q, 100.0), axis, method, keepdims, out)


def median(x: Any, /, axis: Axis = None, *, keepdims: bool = False, out: Any = None) -> Tensor:
    """Return the median over axes (default: all): the middle cell in order, or the mean of the middle two.

    A NaN among the cells gives NaN. Raises AxisError for an axis that x lacks, ShapeError for no cells, DTypeError for
    complex cells, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.median(weft.asarray([[7, 1, 3], [5, 2, 2]]), axis=1).tolist()
    [3.0, 2.0]
    """
    return _quantile("median", x, np.array(0.5), axis, "midpoint", keepdims, out)


def nanquantile(
    x: Any, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False, out: Any = None
) -> Tensor:
    """Return the q-quantiles of the cells that are not NaN, as `quantile` does; NaN if all of them are.

    Raises ValueRangeError for q outside of [0, 1] or an unknown method, ShapeError for no cells or an `out` of another
    shape, AxisError for an axis that x lacks, DTypeError for complex cells, WriteError for an `out` that cannot be
    written.

    >>> import weft
    >>> weft.nanquantile(weft.asarray([1.0, weft.nan, 2.0, 4.0]), [0.0, 0.5]).tolist()
    [1.0, 2.0]
    """
    return _quantile("nanquantile", x, _parts("nanquantile", q, 1.0), axis, method, keepdims, out)


def nanpercentile(
    x: Any, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False, out: Any = None
) -> Tensor:
    """Return the quantiles at q percent of the cells that are not NaN, as `percentile` does. NaN if all of them are.

    Raises ValueRangeError for q outside of [0, 100] or an unknown method, ShapeError for no cells or an `out` of
    another shape, AxisError for an axis that x lacks, DTypeError for complex cells, WriteError for an `out` that cannot
    be written.

    >>> import weft
    >>> weft.nanpercentile(weft.asarray([1.0, weft.nan, 2.0]), 50).item()
    1.5
    """
    return _quantile("nanpercentile", x, _parts("nanpercentile", q, 100.0), axis, method, keepdims, out)


def nanmedian(x: Any, /, axis: Axis = None, *, keepdims: bool = False, out: Any = None) -> Tensor:
    """Return the median of the cells that are not NaN, over axes (default: all); NaN if all of them are.

    Raises AxisError for an axis that x lacks, ShapeError for no cells or an `out` of another shape, DTypeError for
    complex cells, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.nanmedian(weft.asarray([[7.0, weft.nan, 3.0], [5.0, 2.0, 2.0]]), axis=1).tolist()
    [5.0, 2.0]
    """
    return _quantile("nanmedian", x, np.array(0.5), axis, "midpoint", keepdims, out)


def _parts(name: str, q: Any, whole: float) -> np.ndarray:
    """Return `q` divided by `whole` (1 or 100), as numbers in [0, 1].

    Raises ValueRangeError, naming function `name`, for others, DTypeError for complex numbers.
    """
    numbers = _NUMBERS.issuperset(map(type, q if type(q) in (list, tuple) else (q,)))
    given = np.asarray(q) if numbers else as_tensor(q).numpy()
    if given.dtype.kind == "c":
        raise DTypeError(f"{name}: q of dtype {given.dtype.name}; parts are real numbers; give floats")
    parts = np.asarray(given, np.float64) / whole
    if not all(0 <= part <= 1 for part in parts.reshape(-1).tolist()):
        raise ValueRangeError(f"{name}: q {given.tolist()}; parts lie in [0, {whole:g}]; give such numbers")
    return np.asarray(parts)


def _quantile(name: str, x: Any, q: np.ndarray, axis: Axis, method: str, keepdims: bool, out: Any) -> Tensor:
    """Return the q-quantiles of the cells of x over axes, written to `out` if given, as `_in_order` finds them.

    Raises DTypeError for an object without numbers.
    """
    x = as_tensor(x)
    made = _in_order(x, name, q, axis, method, keepdims, name.startswith("nan") and x.dtype.kind == "float")
    return made if out is None else into(out, made, name)


@from_template(1)
def _in_order(x: Tensor, name: str, q: np.ndarray, axis: Axis, method: str, keepdims: bool, skips_nan: bool) -> Tensor:
    """Return the q-quantiles of the cells of x over axes; NaN where a cell is NaN, unless `skips_nan` ignores these.

    Raises DTypeError for complex x, ValueRangeError for an unknown method, AxisError for an axis that x lacks,
    ShapeError for no cells.
    """
    one_of(name, "method", method, METHODS, f"methods are {', '.join(METHODS)}")
    if x.dtype.kind == "complex":
        raise DTypeError(f"{name}: {x.dtype.name} cells; the order of parts is no measure; take real() or abs() first")
    axes = many_axes(name, axis, x.ndim)
    ordered = sort(_together(name, x, axes), axis=-1)
    if not skips_nan and method not in CELLS:
        ordered = inexact(name, el.astype(ordered, "uint8") if ordered.dtype.kind == "bool" else ordered)
    if not q.size:
        found = None
    elif skips_nan:
        count = reshape(st.count_nonzero(el.logical_not(el.isnan(x)), axis=axes), (*ordered.shape[:-1], 1))
        last = el.astype(el.maximum(count, 1) - 1, "float64")
        found = _nan_at(ordered, _fixed(q.reshape(-1)), last, method)
    else:
        found = _at(ordered, q.reshape(-1), method)
    return _laid_out(name, found, q.shape, x, axes, keepdims)


def _laid_out(
    name: str, found: Tensor | None, shape: Shape, x: Tensor, axes: tuple[int, ...], keepdims: bool
) -> Tensor:
    """Return quantiles in the result's shape: the axes of q first, then the kept axes of x.

    `found` has them along its last axis (None if there are no quantiles); `shape` is the shape of q. Raises DTypeError
    for `keepdims` that is no bool.
    """
    several, keepdims = bool(shape), flag(name, "keepdims", keepdims)
    shape += tuple(1 if a in axes else size for a, size in enumerate(x.shape) if keepdims or a not in axes)
    if found is None:
        return el.astype(as_tensor(np.empty(shape)), x.dtype)
    if several and 1 < found.ndim > x.ndim - len(axes):
        found = moveaxis(found, -1, 0)
    return found if found.shape == shape else reshape(found, shape)


def _nan_at(ordered: Tensor, q: Tensor, last: Tensor, method: str) -> Tensor:
    """Return the q-quantiles of each sorted line; its last cell that is not NaN is at position `last`."""
    if method in CELLS:
        return _looked_up(ordered, CELLS[method](el, last + 1, q))
    low, share = _place(el, last + 1, q, method)
    a, b = (wide(_looked_up(ordered, i)) for i in (low, el.minimum(low + 1, last)))
    share = el.astype(share, a.dtype)
    if method in MEANS:
        made = el.where(el.logical_or(el.equal(a, b), el.equal(share, 0)), a, a / 2 + b / 2)
    else:
        step = b - a
        made = el.where(el.greater_equal(share, 0.5), b - step * (1 - share), a + step * share)
        made = el.where(el.isfinite(step), made, a * (1 - share) + b * share)
        made = el.where(el.logical_or(el.equal(a, b), el.equal(share, 0)), a, made)
    return rounded(made, ordered.dtype)


def _place(xp: Any, n: Any, q: Any, method: str) -> tuple[Any, Any]:
    """Return (position of the cell at or below each q-quantile of n sorted cells, distance of the quantile from it).

    `n` and `q` are arrays of NumPy's or tensors, `xp` has their functions.
    """
    if method == "averaged_inverted_cdf":
        place = q * n - 1
        low = xp.maximum(xp.ceil(place), 0.0)
        return low, xp.where(place == low, 0.5, 0.0)
    alpha, beta = PLACES.get(method, (1.0, 1.0))
    place = q * (n - 1) if alpha == beta == 1 else n * q + (alpha + q * (1 - alpha - beta)) - 1
    place = xp.minimum(xp.maximum(place, 0.0), n - 1)
    low = xp.floor(place)
    return low, xp.where(place != low, 0.5, 0.0) if method == "midpoint" else place - low


def _looked_up(ordered: Tensor, position: Tensor) -> Tensor:
    """Return the cells at positions of the last axis, which must lie inside; nothing is computed at once."""
    n = ordered.ndim
    lines = [reshape(arange(ordered.shape[d]), [-1 if e == d else 1 for e in range(n)]) for d in range(n - 1)]
    tables = [node_of(t) for t in (*lines, el.astype(position, "int64"))]
    return wrap(ir.locate(gather(node_of(ordered), tables, range(ordered.ndim), 0)))


def _together(name: str, x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return x with axes moved to the end and merged into one.

    Raises ShapeError, naming `name`, if an axis has no cell.
    """
    if x.ndim == 1 and axes and x.size:
        return x
    others = [a for a in range(x.ndim) if a not in axes]
    sizes = [x.shape[a] for a in axes]
    if 0 in sizes:
        raise ShapeError(f"{name}: axes {axes} of shape {x.shape} are empty; there is no value to take; check first")
    return reshape(permute_dims(x, (*others, *axes)), (*(x.shape[a] for a in others), int(np.prod(sizes, dtype=int))))


def _at(ordered: Tensor, q: np.ndarray, method: str) -> Tensor:
    """Return the q-quantiles of cells sorted along the last axis; NaN if the last cell is NaN."""
    n = ordered.shape[-1]
    if method in CELLS:
        return _or_nan(ordered, _cells(ordered, CELLS[method](np, n, q).tolist()))
    low, share = _place(np, n, q, method)
    a = _cells(ordered, low.tolist())
    if share.any():
        b = _cells(ordered, np.minimum(low + 1, n - 1).tolist())
        a = rounded(_between(wide(a), wide(b), share, method), ordered.dtype)
    return _or_nan(ordered, a)


def _cells(ordered: Tensor, positions: list[float]) -> Tensor:
    """Return the cells at positions of the last axis; a single position removes the axis."""
    at = [int(p) for p in positions]
    if len(at) == 1:
        return ordered[..., at[0]]  # type: ignore[index, no-any-return]
    if ordered.ndim > 1:  # views, so that tiles can hold some of the lines
        return stack([ordered[..., p] for p in at], axis=-1)  # type: ignore[index]
    table = leaf(np.array(at), ordered.shape[0])
    return wrap(ir.locate(gather(node_of(ordered), (table,), (0,), 0)))


def _between(a: Tensor, b: Tensor, share: np.ndarray, method: str) -> Tensor:
    """Return a + share · (b - a), exactly a or b at the ends and never outside of them.

    For the methods in `MEANS` it is (a + b) / 2.
    """
    if method in MEANS:
        made = a / 2 + b / 2  # does not overflow
    else:
        step, upper = b - a, share >= 0.5
        s, r = (_fixed(x if x.size > 1 else x.reshape(())) for x in (share, 1 - share))  # float64, so that products are
        if upper.all():
            made = b - step * r
        elif not upper.any():
            made = a + step * s
        else:
            made = el.where(_fixed(upper), b - step * r, a + step * s)
        made = el.where(el.isfinite(step), made, a * r + b * s)
    same = el.equal(a, b)
    return el.where(same if share.all() else el.logical_or(same, _fixed(share == 0)), a, made)


def _fixed(array: np.ndarray) -> Tensor:
    """Return a read-only array as a tensor without a copy."""
    return wrap(ir.stored(describe(dt.from_numpy(array.dtype)[0], array.shape, array.strides), array))


def _or_nan(ordered: Tensor, value: Tensor) -> Tensor:
    """Return `value`, or NaN for sorted lines whose last cell is NaN."""
    if not ordered.dtype.is_inexact:
        return value
    last = ordered[..., -1]  # type: ignore[index]
    return el.where(el.isnan(last if value.ndim < ordered.ndim else expand_dims(last, -1)), float("nan"), value)
