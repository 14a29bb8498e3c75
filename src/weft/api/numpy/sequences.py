"""Sequences of points: interpolation, slopes, areas, convolution.

The one idea: neighbours are slices of one tensor, so differences, means and windows of them are views that fuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft import dtypes as dt
from weft.api.arguments import as_tensor, many_axes, number, one_axis, one_of
from weft.api.numpy.padding import pad
from weft.api.precision import inexact
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import ones
from weft.api.standard.data_type_functions import result_type
from weft.api.standard.indexing_functions import take
from weft.api.standard.manipulation_functions import concat, flip, reshape, sliding_window_view
from weft.api.standard.searching_functions import searchsorted
from weft.api.standard.sorting_functions import argsort
from weft.errors import ShapeError, ValueRangeError
from weft.ir.atoms.gather import gather
from weft.ir.graph import node as ir
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap


def interp(x: Any, xp: Any, fp: Any, /, left: Any = None, right: Any = None, period: Any = None) -> Tensor:
    """Return the values at x of the line through points (xp, fp), xp ascending; `left` or `right` outside of them.

    By default these are the first and the last cell of fp. With `period`, positions are angles of that period, xp in
    any order, and the last point is joined to the first. Integers are converted to float64. Raises ShapeError unless xp
    and fp are vectors of one size above 0, DTypeError for bools, ValueRangeError for a period of 0.

    >>> import weft
    >>> weft.interp(weft.asarray([0.5, 1.5, 9.0]), [0, 1, 2], [0.0, 10.0, 40.0]).tolist()
    [5.0, 25.0, 40.0]
    """
    x, xp, fp = (inexact("interp", v) for v in (x, xp, fp))
    if period is None:
        return _on_line(x, xp, fp, left, right)
    turn = abs(number("interp", period))
    if not turn:
        raise ValueRangeError("interp: period 0; angles turn by more; give another, or leave it out")
    _check_points(xp, fp)
    x, xp = el.remainder(x, turn), el.remainder(xp, turn)  # type: ignore[attr-defined]
    order = argsort(xp)
    xp, fp = take(xp, order, axis=0), take(fp, order, axis=0)
    joined = concat([xp[-1:] - turn, xp, xp[:1] + turn])  # type: ignore[index]
    return _on_line(x, joined, concat([fp[-1:], fp, fp[:1]]), None, None)  # type: ignore[index]


def _check_points(xp: Tensor, fp: Tensor) -> None:
    """Raise ShapeError unless xp and fp are vectors of one length, with at least one cell."""
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ShapeError(f"interp: points of shapes {xp.shape} and {fp.shape}; both are vectors of one size above 0")


@from_template(3)
def _on_line(x: Tensor, xp: Tensor, fp: Tensor, left: Any, right: Any) -> Tensor:
    """Return the values at x of the polygon through the points (xp, fp); `left` and `right` beyond its ends.

    Raises ShapeError unless xp and fp are vectors of one length, with at least one cell.
    """
    _check_points(xp, fp)
    joined = result_type(x, xp, fp)
    x, xp = (el.astype(v, joined.real.compute, copy=False) for v in (x, xp))
    fp = el.astype(fp, joined.compute, copy=False)
    low = el.maximum(searchsorted(xp, x, side="right") - 1, 0)  # type: ignore[attr-defined]
    high = el.minimum(low + 1, xp.size - 1)  # type: ignore[attr-defined]
    x0, x1, y0, y1 = (_at(v, at) for v in (xp, fp) for at in (low, high))
    rises = el.greater(x1, x0)  # type: ignore[attr-defined]
    made = el.where(rises, y0 + (y1 - y0) / el.where(rises, x1 - x0, 1.0) * (x - x0), y0)
    made = el.where(el.equal(x, x0), y0, made)
    made = el.where(el.less(x, xp[0, ...]), fp[0, ...] if left is None else left, made)  # type: ignore[index]
    made = el.where(el.greater(x, xp[-1, ...]), fp[-1, ...] if right is None else right, made)  # type: ignore[index]
    return el.astype(el.where(el.isnan(x), x, made), joined, copy=False)


def _at(v: Tensor, positions: Tensor) -> Tensor:
    """Return the cells of a vector at positions inside it, as a pending tensor."""
    return wrap(ir.locate(gather(node_of(v), [node_of(positions)], (0,), 0)))


@from_template(1)
def gradient(f: Any, /, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the slopes of f along each axis by central differences, of second order also for uneven spacing.

    `spacing` is one step for all axes, or for each axis a step or the coordinates of its points. The first and last
    slopes are one-sided, of order `edge_order` (1 or 2). Integers give float64. A single axis returns one tensor of the
    shape of f, several axes a tuple of them. Raises ShapeError if spacings and axes differ in number or an axis is too
    short, ValueRangeError for another `edge_order`, AxisError for an axis that f lacks, DTypeError for bools.

    >>> import weft
    >>> weft.gradient(weft.asarray([1.0, 2.0, 4.0, 7.0])).tolist()
    [1.0, 1.5, 2.5, 3.0]
    """
    f = inexact("gradient", f)
    axes = many_axes("gradient", axis, f.ndim)
    steps: Sequence[Any] = (
        spacing * len(axes) if len(spacing) == 1 and not as_tensor(spacing[0]).ndim else spacing or (1.0,) * len(axes)
    )
    if len(steps) != len(axes):
        raise ShapeError(f"gradient: {len(steps)} spacings for {len(axes)} axes; give one number, or one for each axis")
    if edge_order not in (1, 2):
        raise ValueRangeError(f"gradient: edge_order {edge_order!r}; ends are of order 1 or 2; choose one")
    for a in axes:
        if f.shape[a] <= edge_order:
            raise ShapeError(
                f"gradient: axis {a} of size {f.shape[a]}; order {edge_order} takes {edge_order + 1} points"
            )
    made = tuple(_slope(f, a, as_tensor(h), edge_order) for a, h in zip(axes, steps, strict=True))
    return made[0] if len(made) == 1 else made


def _slope(f: Tensor, axis: int, h: Tensor, order: int) -> Tensor:
    def part(start: int | None, stop: int | None) -> Tensor:
        return f[(slice(None),) * axis + (slice(start, stop),)]  # type: ignore[index, no-any-return]

    n = f.shape[axis]
    if h.ndim:
        if h.shape != (n,):
            raise ShapeError(f"gradient: coordinates of shape {h.shape} for axis {axis} of size {n}; give {n} of them")
        d = reshape(st.diff(inexact("gradient", h)), (n - 1,) + (1,) * (f.ndim - axis - 1))
        first, last = d[:-1], d[1:]  # type: ignore[index]
    else:
        d = None
        first = last = inexact("gradient", h)
    inner = (part(2, None) - part(None, -2)) / (2 * first)
    if d is not None:
        a, b, c = -last / (first * (first + last)), (last - first) / (first * last), first / (last * (first + last))
        inner = a * part(None, -2) + b * part(1, -1) + c * part(2, None)

    def edge(points: Sequence[tuple[int, int | None]], near: Tensor, far: Tensor, sign: int) -> Tensor:
        y = [part(*p) for p in points]
        if order == 1:
            return (y[1] - y[0]) / near * sign
        a, b, c = -(2 * near + far) / (near * (near + far)), (near + far) / (near * far), -near / (far * (near + far))
        return (a * y[0] + b * y[1] + c * y[2]) * sign

    d0, d1, e0, e1 = (h,) * 4 if d is None else (d[:1], d[1:2], d[-1:], d[-2:-1])  # type: ignore[index]
    start = edge([(0, 1), (1, 2), (2, 3)], d0, d1, 1)
    end = edge([(-1, None), (-2, -1), (-3, -2)], e0, e1, -1)
    return el.astype(concat([start, inner, end], axis=axis), f.dtype, copy=False)


@from_template(1)
def trapezoid(y: Any, /, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """Return the area below the lines between points y along an axis, at coordinates x or `dx` apart.

    Raises ShapeError if x and y do not broadcast, AxisError for an axis that y lacks, DTypeError for bools.

    >>> import weft
    >>> weft.trapezoid(weft.asarray([1.0, 2.0, 3.0])).item(), weft.trapezoid([1.0, 2.0], [0.0, 4.0]).item()
    (4.0, 6.0)
    """
    y = inexact("trapezoid", y)
    axis = one_axis("trapezoid", axis, y.ndim)
    step: Any = (
        number("trapezoid", dx)
        if x is None
        else st.diff(inexact("trapezoid", x), axis=-1 if as_tensor(x).ndim == 1 else axis)
    )
    if x is not None and step.ndim == 1:
        step = reshape(step, (-1,) + (1,) * (y.ndim - axis - 1))
    later, sooner = (y[(slice(None),) * axis + (s,)] for s in (slice(1, None), slice(None, -1)))  # type: ignore[index]
    return st.sum(step * (later + sooner) / 2.0, axis=axis)


def convolve(x1: Any, x2: Any, /, *, mode: str = "full") -> Tensor:
    """Return the convolution of two vectors: at position n, the sum of x1[m] * x2[n - m] over m.

    Its dtype is that which holds both. `mode` is "full" for all positions, "same" for as many as the longer vector,
    "valid" for those without padding.

    Raises ShapeError for other ranks and for no cells, ValueRangeError for another mode, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.convolve(weft.asarray([1, 2, 3]), [0, 1, 2]).tolist()
    [0, 1, 4, 7, 6]
    """
    return _folded(as_tensor(x1), as_tensor(x2), "convolve", mode)


def correlate(x1: Any, x2: Any, /, *, mode: str = "valid") -> Tensor:
    """Return the correlation of two vectors: at position k, the sum of x1[n + k] * conj(x2[n]) over n.

    `mode` is "valid" for positions without padding, "same" for as many as the longer vector, "full" for all.

    Raises ShapeError for other ranks and for no cells, ValueRangeError for another mode, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.correlate(weft.asarray([1, 2, 3, 4]), [1, 0, 1]).tolist()
    [4, 6]
    """
    return _folded(as_tensor(x1), as_tensor(x2), "correlate", mode)


@from_template(2)
def _folded(a: Tensor, v: Tensor, name: str, mode: str) -> Tensor:
    """Return the sums of products of `v` with every window of `a` of its length; `v` is reversed for `convolve`.

    `mode` is "full", "same" or "valid"; raises ValueRangeError for others, ShapeError unless both are non-empty
    vectors.
    """
    one_of(name, "mode", mode, ("full", "same", "valid"), "modes are full, same and valid")
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise ShapeError(f"{name}: shapes {a.shape} and {v.shape}; both are vectors of a cell at least; flatten them")
    joined = result_type(a, v)
    if joined is dt.bool:
        return _folded(el.astype(a, dt.uint8), el.astype(v, dt.uint8), name, mode).astype(dt.bool)  # type: ignore[attr-defined, no-any-return]
    v = flip(v) if name == "convolve" else el.conj(v) if v.dtype.kind == "complex" else v
    turned = v.size > a.size
    if turned:
        a, v = v, a
    m = v.size
    around = {"full": (m - 1, m - 1), "same": (m // 2, m - 1 - m // 2), "valid": (0, 0)}[mode]
    if turned and name == "convolve":
        around = around[::-1]
    windows = sliding_window_view(pad(a, around), m)
    products = windows * v
    if any(around) and joined.is_inexact:  # cells beyond `a` are left out, not 0, which matters for infinities
        there = sliding_window_view(pad(ones(a.size, dtype=dt.bool, device=a.device), around), m)
        products = el.where(there, products, 0)
    made = st.sum(products, axis=-1, dtype=joined)
    return flip(made) if turned else made
