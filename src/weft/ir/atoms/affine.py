"""Affine selections: views whose cells lie at a fixed offset and fixed strides in the value they select from.

The one idea: a constructor checks, infers the description and notes where the cells lie; nothing moves.  Positions
are 0-based; only `translate` and descriptions know origins.  Slicing and the diagonal start the axes they touch at 0,
all other atoms keep origins.  Composite selections are in `composites`.  The attributes of all selection nodes:

    permute       (axes,)                              result axis d is axis axes[d]
    flip          (axes,)                              sorted
    slice         (((start, step, size), ...),)        one triple per axis, step not 0
    index         (((axis, position), ...),)           sorted by axis; the axes go away
    expand_dims   (axes,)                              sorted, axes of the result
    squeeze       (axes,)                              sorted, axes of the input
    broadcast_to  (shape,)
    window        (window_shape, axes)                 one new last axis per window extent
    diagonal      (offset, axis1, axis2)               the diagonal becomes the last axis
    reshape       (shape,)                             a view (alias set) or a value of its own (alias None)
    translate     (offset,)                            one per axis, added to the origin
    concat        (axis, offsets)                      part i is positions offsets[i] to offsets[i + 1]
    interleave    (axis,)                              position p is position p // k of part p % k, of k
    tile          (reps,)                              one per axis
    repeat        (count, axis)                        every cell count times
    roll          (shifts, axes)                       axes sorted, each once; 0 <= shift < size
    pad           (((before, after), ...), mode)       inputs (x, fill); the fill serves mode "constant"
    overlay       (layers, filled)                     positions of the parts; the fill, if any, is the last input
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from weft.errors import AxisError, IndexOutOfBounds, ShapeError
from weft.ir.graph.description import Shape, TensorDescription, c_strides, describe
from weft.ir.graph.node import Node, make, make_view
from weft.ir.graph.ops import OPS, Op

MAX_CELLS = 1 << 62  # addresses and positions are kept in 63 bits
MAX_AXIS = (1 << 63) - 1  # coordinates are int64; what no memory holds is bounded by this alone

Slice = tuple[int, int, int]  # start, step, size
Steps = tuple[tuple[Op, tuple[Any, ...], TensorDescription, int], ...]  # atoms, and where each puts cell 0, in bytes


def _view(
    name: str, x: Node, attrs: tuple[Any, ...], shape: Shape, strides: Shape, offset: int, origin: Shape | None
) -> Node:
    d = x.desc
    if d.strides is None:
        return make(OPS[name], (x,), attrs, describe(d.dtype, shape, None, d.big, origin, d.read_only))
    return make_view(OPS[name], x, attrs, describe(d.dtype, shape, strides, d.big, origin, d.read_only), offset)


def _strides(x: Node) -> Shape:
    return x.desc.strides if x.desc.strides is not None else (0,) * x.desc.ndim


def steps_of(view: Node, below: Node) -> Steps | None:
    """The atoms of a view down to a node; None where one of them is no alias."""
    steps: list[Any] = []
    while view is not below:
        if view.alias is None:
            return None
        under = view.inputs[0]
        steps.append((view.op, view.attrs, view.desc, view.alias[1] - (under.alias[1] if under.alias else 0)))
        view = under
    return tuple(reversed(steps))


def over(n: Node, steps: Steps) -> Node:
    """Atoms over a node described as that they were found on."""
    for op, attrs, desc, offset in steps:
        n = make_view(op, n, attrs, desc, offset)
    return n


def axis_of(name: str, axis: int, ndim: int, position: int | None = None) -> int:
    """The axis counted from 0; negative ones count from the end.  `position` is where it stands in a list."""
    if -ndim <= axis < ndim:
        return axis + ndim if axis < 0 else axis
    valid = f"axes run from {-ndim} to {ndim - 1}" if ndim else "there is no axis to name"
    at = "" if position is None else f", at position {position}"
    raise AxisError(f"{name}: axis {axis}{at} of a tensor of rank {ndim}; {valid}; give one of them")


def axes_of(name: str, axes: Sequence[int], ndim: int) -> tuple[int, ...]:
    """The axes counted from 0, in the order given, each once."""
    found = tuple([axis_of(name, a, ndim, i if len(axes) > 1 else None) for i, a in enumerate(axes)])
    if len(set(found)) != len(found):
        again = next(i for i, a in enumerate(found) if a in found[:i])
        raise ShapeError(
            f"{name}: axes {tuple(axes)} name an axis twice, axis {axes[again]} at position {again} again; each may "
            "come once; remove the repetition"
        )
    return found


def check_size(name: str, shape: Shape) -> None:
    """Refuse results whose positions do not fit 63 bits."""
    if prod(shape) > MAX_CELLS:
        raise ShapeError(f"{name}: the result would have shape {shape}; that is over 2**62 cells; make it smaller")


def check_axes(name: str, shape: Shape) -> None:
    """Refuse axes whose positions no int64 can count."""
    if max(shape, default=0) > MAX_AXIS:
        raise ShapeError(
            f"{name}: the result would have shape {shape}; an axis has less than 2**63 positions; make it smaller"
        )


def permute(x: Node, axes: Sequence[int]) -> Node:
    """Axes in another order: axis d of the result is axis axes[d]."""
    d = x.desc
    if len(axes) != d.ndim:
        raise ShapeError(
            f"permute: {len(axes)} axes for a tensor of rank {d.ndim}; every axis is named once; give {d.ndim} axes"
        )
    order = axes_of("permute", axes, d.ndim)
    shape, s, o = d.shape, _strides(x), d.origin
    origin = None if o is None else tuple([o[a] for a in order])
    return _view("permute", x, (order,), tuple([shape[a] for a in order]), tuple([s[a] for a in order]), 0, origin)


def flip(x: Node, axes: Sequence[int]) -> Node:
    """Axes in reverse; the domain stays."""
    d = x.desc
    flipped = tuple(sorted(axes_of("flip", axes, d.ndim)))
    strides, offset = list(_strides(x)), 0
    for a in flipped:
        offset += max(d.shape[a] - 1, 0) * strides[a]
        strides[a] = -strides[a]
    return _view("flip", x, (flipped,), d.shape, tuple(strides), offset if d.size else 0, d.origin)


def slice_(x: Node, slices: Sequence[Slice]) -> Node:
    """Positions start, start + step, ... (size of them) along every axis; step may be negative."""
    d = x.desc
    if len(slices) != d.ndim:
        raise ShapeError(
            f"slice: {len(slices)} slices for a tensor of rank {d.ndim}; one per axis is needed; add (0, 1, n)"
        )
    strides, offset = [], 0
    slices = [_within(t, n) for t, n in zip(slices, d.shape, strict=True)]
    for axis, ((start, step, size), n, s) in enumerate(zip(slices, d.shape, _strides(x), strict=True)):
        if step == 0 or size < 0 or (size and not (0 <= start < n and 0 <= start + (size - 1) * step < n)):
            _bad_slice(axis, (start, step, size), n)
        strides.append(s * step)
        offset += start * s
    shape = tuple([size for _, _, size in slices])
    origin = d.origin
    if origin is not None:
        origin = tuple([o if t == (0, 1, n) else 0 for o, t, n in zip(origin, slices, d.shape, strict=True)])
    return _view("slice", x, (tuple(slices),), shape, tuple(strides), offset if 0 not in shape else 0, origin)


def _within(part: Slice, n: int) -> Slice:
    """The same positions by a step that strides can hold: one that leaves the axis is cut down."""
    start, step, size = part
    most = max(n, 2)
    return part if size > 1 or -most <= step <= most else (start, most if step > 0 else -most, size)


def _bad_slice(axis: int, part: Slice, n: int) -> None:
    start, step, size = part
    if step == 0:
        raise ShapeError(f"slice: step 0 along axis {axis}; a step must move; give a step that is not 0")
    raise ShapeError(
        f"slice: {size} positions from {start} in steps of {step} along axis {axis} of size {n}; "
        f"positions run from 0 to {n - 1}; keep the slice inside"
    )


def index(x: Node, positions: Sequence[tuple[int, int]]) -> Node:
    """One position of each named axis; the axes go away.  Negative positions count from the end."""
    d = x.desc
    axes = axes_of("index", [a for a, _ in positions], d.ndim)
    found, offset, strides = [], 0, _strides(x)
    for a, (_, p) in zip(axes, positions, strict=True):
        n = d.shape[a]
        if not -n <= p < n:
            valid = f"positions run from {-n} to {n - 1}" if n else "the axis is empty"
            raise IndexOutOfBounds(f"index: position {p} along axis {a} of size {n}; {valid}; give one inside")
        found.append((a, p + n if p < 0 else p))
        offset += found[-1][1] * strides[a]
    kept = [a for a in range(d.ndim) if a not in axes]
    shape, kept_strides = tuple([d.shape[a] for a in kept]), tuple([strides[a] for a in kept])
    origin = None if d.origin is None else tuple([d.origin[a] for a in kept])
    return _view("index", x, (tuple(sorted(found)),), shape, kept_strides, offset if 0 not in shape else 0, origin)


def expand_dims(x: Node, axes: Sequence[int]) -> Node:
    """New axes of size 1 at these places of the result."""
    d = x.desc
    new = tuple(sorted(axes_of("expand_dims", axes, d.ndim + len(axes))))
    shape, strides, origin = list(d.shape), list(_strides(x)), None if d.origin is None else list(d.origin)
    for a in new:
        shape.insert(a, 1)
        strides.insert(a, 0)
        if origin is not None:
            origin.insert(a, 0)
    return _view("expand_dims", x, (new,), tuple(shape), tuple(strides), 0, None if origin is None else tuple(origin))


def squeeze(x: Node, axes: Sequence[int]) -> Node:
    """Without these axes, each of size 1."""
    d = x.desc
    gone = tuple(sorted(axes_of("squeeze", axes, d.ndim)))
    for a in gone:
        if d.shape[a] != 1:
            raise ShapeError(
                f"squeeze: axis {a} has size {d.shape[a]}; only axes of size 1 can go; index it or name another axis"
            )
    kept, strides = [a for a in range(d.ndim) if a not in gone], _strides(x)
    origin = None if d.origin is None else tuple([d.origin[a] for a in kept])
    return _view("squeeze", x, (gone,), tuple([d.shape[a] for a in kept]), tuple([strides[a] for a in kept]), 0, origin)


def broadcast_to(x: Node, shape: Sequence[int]) -> Node:
    """Axes of size 1 stretched, and new leading axes, up to a shape."""
    d, wide = x.desc, tuple(shape)
    lead = len(wide) - d.ndim
    if not d.ndim and d.strides is not None and min(wide, default=0) >= 0:
        check_axes("broadcast_to", wide)
        return _view("broadcast_to", x, (wide,), wide, (0,) * lead, 0, None)
    if lead < 0 or min(wide, default=0) < 0 or any(n not in (1, w) for n, w in zip(d.shape, wide[lead:], strict=True)):
        raise ShapeError(
            f"broadcast_to: shape {d.shape} does not broadcast to {wide}; trailing sizes must agree or be 1 in the "
            "input; reshape or expand_dims it first"
        )
    check_axes("broadcast_to", wide)
    same = [n == w for n, w in zip(d.shape, wide[lead:], strict=True)]
    strides = (0,) * lead + tuple([s if k else 0 for s, k in zip(_strides(x), same, strict=True)])
    origin = d.origin
    if origin is not None:
        origin = (0,) * lead + tuple([o if k else 0 for o, k in zip(origin, same, strict=True)])
    return _view("broadcast_to", x, (wide,), wide, strides, 0, origin)


def window(x: Node, window_shape: Sequence[int], axes: Sequence[int]) -> Node:
    """Sliding windows: every position where a window fits, and one new last axis per extent of the window."""
    d = x.desc
    if len(window_shape) != len(axes):
        raise ShapeError(
            f"window: {len(window_shape)} extents for {len(axes)} axes; one extent per axis is needed; add it"
        )
    along = tuple([axis_of("window", a, d.ndim) for a in axes])
    shape, strides = list(d.shape), _strides(x)
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
    return _view("window", x, (widths, along), tuple(shape) + widths, steps, 0, origin)


def diagonal(x: Node, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Node:
    """Cells whose position on axis2 is offset more than on axis1, as the last axis."""
    d = x.desc
    a, b = axes_of("diagonal", (axis1, axis2), d.ndim)
    first, second = max(-offset, 0), max(offset, 0)
    size = max(min(d.shape[a] - first, d.shape[b] - second), 0)
    kept, strides = [i for i in range(d.ndim) if i not in (a, b)], _strides(x)
    shape = (*tuple([d.shape[i] for i in kept]), size)
    steps = (*tuple([strides[i] for i in kept]), strides[a] + strides[b])
    begin = first * strides[a] + second * strides[b] if 0 not in shape else 0
    origin = None if d.origin is None else (*tuple([d.origin[i] for i in kept]), 0)
    return _view("diagonal", x, (offset, a, b), shape, steps, begin, origin)


def part(x: Node, name: str) -> Node:
    """The "real" or the "imag" half of complex cells where they lie: half a cell, at the steps of whole ones.

    The op is element-wise, so that it is computed where the cells are not stored.
    """
    d, real = x.desc, x.desc.dtype.real
    if d.strides is None:
        return make(OPS[name], (x,), (), describe(real, d.shape, None, d.big, d.origin, d.read_only))
    offset = real.itemsize if name == "imag" and d.size else 0
    return make_view(OPS[name], x, (), describe(real, d.shape, d.strides, d.big, d.origin, d.read_only), offset)


def translate(x: Node, offset: Sequence[int]) -> Node:
    """The same cells at coordinates moved by an offset per axis."""
    d = x.desc
    if len(offset) != d.ndim:
        raise ShapeError(
            f"translate: {len(offset)} offsets for a tensor of rank {d.ndim}; one per axis is needed; add it"
        )
    origin = tuple([o + v for o, v in zip(d.domain.origin, offset, strict=True)])
    return _view("translate", x, (tuple(offset),), d.shape, _strides(x), 0, origin)


def resolve_shape(size: int, shape: Sequence[int]) -> Shape:
    """The shape with its one -1, if any, filled in.

    >>> resolve_shape(6, (2, -1))
    (2, 3)
    """
    wanted = tuple(shape)
    known = prod([n for n in wanted if n != -1])
    if wanted.count(-1) == 1 and known > 0 and size % known == 0:
        wanted = tuple([size // known if n == -1 else n for n in wanted])
    check_axes("reshape", wanted)
    if min(wanted, default=0) < 0 or prod(wanted) != size:
        raise ShapeError(
            f"reshape: {size} cells do not fill shape {tuple(shape)}; sizes must multiply to {size}, one may be -1; "
            "give a shape of that many cells"
        )
    return wanted


def reshape_view(x: Node, shape: Sequence[int]) -> Node | None:
    """Row-major cells in another shape, where strides allow it without moving a cell; else None."""
    d, wanted = x.desc, resolve_shape(x.desc.size, shape)
    if d.strides is None:
        return None
    strides = _reshaped_strides(d.shape, d.strides, wanted) if d.size else c_strides(wanted, d.dtype.itemsize)
    return None if strides is None else _view("reshape", x, (wanted,), wanted, strides, 0, None)


def _reshaped_strides(old: Shape, old_strides: Shape, new: Shape) -> Shape | None:
    """Strides of the new axes: old axes are joined into runs of one stride, from which new axes are cut."""
    runs: list[list[int]] = []  # [cells, stride of the last axis], outermost first
    for n, s in zip(old, old_strides, strict=True):
        if n == 1:
            continue
        if runs and runs[-1][1] == n * s:
            runs[-1] = [runs[-1][0] * n, s]
        else:
            runs.append([n, s])
    strides, (left, step) = [], runs.pop() if runs else [1, 0]
    for n in reversed(new):
        if left == 1 and n > 1:
            left, step = runs.pop()
        if left % n:
            return None
        strides.append(step)
        left, step = left // n, step * n
    return tuple(reversed(strides))


def reshape_groups(old: Shape, new: Shape) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The finest pairing of runs of old axes with runs of new axes of as many cells; axes of size 1 are left out.

    >>> reshape_groups((4, 6), (2, 2, 6)), reshape_groups((4, 6), (3, 8))
    ([((0,), (0, 1)), ((1,), (2,))], [((0, 1), (0, 1))])
    """
    olds, news = [i for i, n in enumerate(old) if n != 1], [i for i, n in enumerate(new) if n != 1]
    groups, i, j = [], 0, 0
    while i < len(olds):
        i0, j0, a, b = i, j, old[olds[i]], new[news[j]]
        i, j = i + 1, j + 1
        while a != b:
            if a < b:
                a, i = a * old[olds[i]], i + 1
            else:
                b, j = b * new[news[j]], j + 1
        groups.append((tuple(olds[i0:i]), tuple(news[j0:j])))
    return groups
