"""Sliding windows.

Attributes: (window_shape, axes); the view has one new last axis per extent of the window.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import (
    Array,
    Atom,
    Parts,
    axis_of,
    batch_axes,
    check_size,
    margined,
    select,
    strides_of,
    total,
    view,
    zeros,
)
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row, added


def window(x: Node, window_shape: Sequence[int], axes: Sequence[int]) -> Node:
    """Return a view of all sliding windows of x.

    The axes of the window become its positions; each extent in `window_shape` becomes a new last axis.  Raises
    ShapeError if a window is larger than its axis or extents and axes differ in number, AxisError if there is no such
    axis.
    """
    d = x.desc
    if len(window_shape) != len(axes):
        raise ShapeError(
            f"window: {len(window_shape)} extents for {len(axes)} axes; one extent per axis is needed; add it"
        )
    along = tuple([axis_of("window", a, d.ndim) for a in axes])
    shape, strides = list(d.shape), strides_of(x)
    for a, w in zip(along, window_shape, strict=True):
        shape[a] -= w - 1
        if w < 0 or shape[a] < 0 or (w and shape[a] < 1):
            raise ShapeError(
                f"window: extent {w} along axis {a} of size {d.shape[a]}; windows must lie inside; make them smaller"
            )
    widths = tuple(window_shape)
    check_size("window", tuple(shape) + widths)
    origin = None if d.origin is None else d.origin + (0,) * len(widths)
    steps = strides + tuple([strides[a] for a in along])
    return view("window", x, (widths, along), tuple(shape) + widths, steps, 0, origin)


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    axes = node.attrs[1]
    out = list(rows[: len(rows) - len(axes)])
    for a, row in zip(axes, rows[len(out) :], strict=True):
        out[a] = added(out[a], row)
    return tuple(out)


def _adjoint(node: Node, gradient: Node) -> tuple[Node]:
    """Return for each cell of x the sum of the gradients of all windows that hold it.

    Cell y of x is cell j of the window at y - j, for every j.
    """
    widths, axes = node.attrs
    rank = node.inputs[0].desc.ndim
    gradient = select("permute", gradient, [*range(rank, gradient.desc.ndim), *range(rank)])  # rows stay rows
    for k in range(len(axes) - 1, -1, -1):
        axis, w, last = axes[k] + k, widths[k], rank + k
        gradient = select("permute", gradient, [d for d in range(last + 1) if d != k] + [k])
        if w == 0:
            shape = list(gradient.desc.shape[:last])
            shape[axis] -= 1
            gradient = zeros(tuple(shape), gradient.desc.dtype)
            continue
        gradient = margined(select("flip", gradient, (last,)), axis, w - 1, w - 1)
        gradient = total(select("diagonal", select("window", gradient, (w,), (axis,)), 0, last, last + 1), (last,))
    return (gradient,)


def _numpy(parts: Parts, n: Node) -> Array:
    x = parts[0]
    cells = x.view(f"V{x.itemsize}")  # NumPy has no views of some dtypes by their names
    return np.lib.stride_tricks.sliding_window_view(cells, n.attrs[0], axis=n.attrs[1]).view(x.dtype)


ATOM = Atom(
    "window",
    window,
    rows=_rows,
    adjoint=_adjoint,
    numpy=_numpy,
    batched=lambda n, xs, _: window(xs[0], n.attrs[0], batch_axes(n.attrs[1])),
)
