"""Every step-th position from a start, along each axis.

Attributes: (((start, step, size), ...),), one triple per axis; no step is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import ShapeError
from weft.ir.atoms.atom import Array, Atom, Moved, Parts, strides_of, view
from weft.ir.atoms.position_tables import Slice, Table
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Row, scaled


def slice_(x: Node, slices: Sequence[Slice]) -> Node:
    """Return a view of positions start, start + step, ... along every axis, given (start, step, size) for each.

    Steps may be negative.  Raises ShapeError if a step is 0, a position lies outside, or an axis has no slice.
    """
    d = x.desc
    if len(slices) != d.ndim:
        raise ShapeError(
            f"slice: {len(slices)} slices for a tensor of rank {d.ndim}; one per axis is needed; add (0, 1, n)"
        )
    strides, offset = [], 0
    slices = [_within(t, n) for t, n in zip(slices, d.shape, strict=True)]
    for axis, ((start, step, size), n, s) in enumerate(zip(slices, d.shape, strides_of(x), strict=True)):
        if step == 0 or size < 0 or (size and not (0 <= start < n and 0 <= start + (size - 1) * step < n)):
            _bad_slice(axis, (start, step, size), n)
        strides.append(s * step)
        offset += start * s
    shape = tuple([size for _, _, size in slices])
    origin = d.origin
    if origin is not None:
        origin = tuple([o if t == (0, 1, n) else 0 for o, t, n in zip(origin, slices, d.shape, strict=True)])
    return view("slice", x, (tuple(slices),), shape, tuple(strides), offset if 0 not in shape else 0, origin)


def _within(part: Slice, axis_size: int) -> Slice:
    """Return the same positions of an axis with a step of at most `axis_size`, whose byte stride fits into 64 bits."""
    start, step, size = part
    most = max(axis_size, 2)
    return part if size > 1 or -most <= step <= most else (start, most if step > 0 else -most, size)


def _bad_slice(axis: int, part: Slice, n: int) -> None:
    start, step, size = part
    if step == 0:
        raise ShapeError(f"slice: step 0 along axis {axis}; a step must move; give a step that is not 0")
    raise ShapeError(
        f"slice: {size} positions from {start} in steps of {step} along axis {axis} of size {n}; "
        f"positions run from 0 to {n - 1}; keep the slice inside"
    )


def _rows(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(
        [
            (start + row[0], row[1]) if step == 1 else scaled(row, start, step)
            for row, (start, step, _) in zip(rows, node.attrs[0], strict=True)
        ]
    )


def _take(n: Node, axis: int, table: Table) -> Moved | None:
    (x,), (slices,) = n.inputs, n.attrs
    whole = [(0, 1, m) for m in x.desc.shape]
    if slices[axis] == whole[axis]:
        return None
    rest = [w if d == axis else s for d, (s, w) in enumerate(zip(slices, whole, strict=True))]
    start, step, _ = slices[axis]
    return x if rest == whole else slice_(x, rest), start + step * table


def _numpy(parts: Parts, n: Node) -> Array:
    x = parts[0]
    for axis, (start, step, size) in enumerate(n.attrs[0]):
        x = np.take(x, start + step * np.arange(size), axis=axis)
    return x


ATOM = Atom(
    "slice",
    slice_,
    rows=_rows,
    take=_take,
    numpy=_numpy,
    batched=lambda n, xs, size: slice_(xs[0], ((0, 1, size), *n.attrs[0])),
)
