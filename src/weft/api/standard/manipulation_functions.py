"""The array API's manipulation functions, and weft's own selections.

The one idea: every function here is a selection.  Affine ones are views of the same place; joining, padding and
repeating ones are values that are stored only when needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import (
    as_tensor,
    check_rank,
    integer,
    integers,
    is_one,
    listed,
    many_axes,
    one_axis,
    one_of,
    paired,
    shape_of,
)
from weft.api.destination import into
from weft.errors import ShapeError, ValueRangeError
from weft.interop.imports import asarray, copied, own
from weft.ir.atoms import selections
from weft.ir.atoms.atom import ViewSteps, applied_steps, view_steps
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.node import Node
from weft.modes.implicit_conversions import of_copy
from weft.tensors import tensor
from weft.tensors.indexing import take_positions
from weft.tensors.pending_limits import Limits, settle_parts
from weft.tensors.tensor import Tensor, handle, node_of, note_whole, wrap, writable_like


def _value(n: Node) -> Tensor:
    return wrap(ir.locate(n))


def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    """Return a view of x with its axes reordered: axis d of the result is axis axes[d] of x.

    Raises AxisError for an axis that x lacks, ShapeError where an axis is missing or named twice, DTypeError for no
    integers.

    >>> import weft
    >>> weft.permute_dims(weft.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    x = as_tensor(x)
    return handle(x, selections.permute(node_of(x), integers("permute_dims", "axes", axes)))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Return a view of x with its last two axes exchanged; raises ShapeError for a rank below 2.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.matrix_transpose(weft.asarray([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    """
    x = as_tensor(x)
    rank = x.ndim
    if rank < 2:
        raise ShapeError(f"matrix_transpose: shape {x.shape}; matrices have two axes; reshape it first")
    return permute_dims(x, (*range(rank - 2), rank - 1, rank - 2))


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    """Return a view of x with axes moved from `source` to `destination`; the other axes keep their order.

    Raises AxisError for an axis that x lacks, ShapeError where `source` and `destination` differ in length or name an
    axis twice, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.moveaxis(weft.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = as_tensor(x)
    sources = many_axes("moveaxis", source, x.ndim)
    targets = many_axes("moveaxis", destination, x.ndim)
    paired("moveaxis", "axes and their places", sources, targets)
    order = [a for a in range(x.ndim) if a not in sources]
    for to, a in sorted(zip(targets, sources, strict=True)):
        order.insert(to, a)
    return permute_dims(x, order)


def flip(x: Tensor, /, axis: int | Sequence[int] | None = None) -> Tensor:
    """Return a view of x with axes reversed, by default all.

    Raises AxisError for an axis that x lacks, ShapeError for an axis given twice, DTypeError for an object without
    numbers.

    >>> import weft
    >>> weft.flip(weft.asarray([1, 2, 3])).tolist()
    [3, 2, 1]
    """
    x = as_tensor(x)
    return handle(x, selections.flip(node_of(x), many_axes("flip", axis, x.ndim)))


def expand_dims(x: Tensor, /, axis: int | Sequence[int] = 0) -> Tensor:
    """Return a view of x with axes of size 1 inserted at positions `axis` of the result.

    Raises AxisError if the result has no such position, ShapeError if a position is given twice, DTypeError for one
    that is no integer.

    >>> import weft
    >>> weft.expand_dims(weft.asarray([1, 2]), axis=1).tolist()
    [[1], [2]]
    """
    x = as_tensor(x)
    axes = integers("expand_dims", "axis", axis)
    check_rank("expand_dims", x.ndim + len(axes))
    return handle(x, selections.expand_dims(node_of(x), axes))


def squeeze(x: Tensor, /, axis: int | Sequence[int] | None = None) -> Tensor:
    """Return a view of x without the axes `axis`, or without all axes of size 1 by default.

    Raises ShapeError if an axis in `axis` has another size than 1 or is named twice, AxisError if x has no such axis,
    DTypeError if it is no integer.

    >>> import weft
    >>> weft.squeeze(weft.asarray([[1], [2]]), axis=1).tolist()
    [1, 2]
    """
    x = as_tensor(x)
    n = node_of(x)
    axes = [a for a, m in enumerate(n.desc.shape) if m == 1] if axis is None else integers("squeeze", "axis", axis)
    return handle(x, selections.squeeze(n, axes))


def broadcast_to(x: Tensor, /, shape: Sequence[int], *, pad: str = "left") -> Tensor:
    """Return a view of x broadcast to a shape; nothing is copied.

    Axes that x lacks are new ones on the left, with pad="right" on the right. Raises ShapeError if a size of x is
    neither 1 nor the requested one, ValueRangeError for another `pad`, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.broadcast_to(weft.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    >>> weft.broadcast_to(weft.asarray([1, 2]), (2, 2), pad="right").tolist()
    [[1, 1], [2, 2]]
    """
    x = as_tensor(x)
    n, wanted = node_of(x), shape_of("broadcast_to", shape)
    one_of("broadcast_to", "pad", pad, ("left", "right"), "new axes are on the 'left' or on the 'right'")
    if pad == "right" and n.desc.ndim < len(wanted):
        n = selections.expand_dims(n, range(n.desc.ndim, len(wanted)))
    return handle(x, selections.broadcast_to(n, wanted))


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape to which tensors of these shapes broadcast.

    Raises ShapeError if they do not broadcast, DTypeError for sizes that are no integers.

    >>> import weft
    >>> weft.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return ir.broadcast_shapes("broadcast_shapes", *(shape_of("broadcast_shapes", s) for s in shapes))


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Return views of all operands, broadcast to one shape; raises ShapeError if their shapes do not fit.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> [t.shape for t in weft.broadcast_arrays(weft.zeros((3, 1)), weft.zeros(4))]
    [(3, 4), (3, 4)]
    """
    shape = broadcast_shapes(*(as_tensor(a).shape for a in arrays))
    return tuple(broadcast_to(a, shape) for a in arrays)


def sliding_window_view(
    x: Tensor, window_shape: Any, axis: Any = None, *, stride: Any = 1, dilation: Any = 1
) -> Tensor:
    """Return a view of all windows of a shape that lie inside x; the axes of a window come last.

    `stride` is the distance from one window to the next, `dilation` that of neighbouring cells in a window: one integer
    for all axes, or one for each. Raises ShapeError for a window that is larger than x or has other axes, AxisError for
    an axis that x lacks, ValueRangeError for a stride or dilation below 1, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.sliding_window_view(weft.arange(4), 2).tolist()
    [[0, 1], [1, 2], [2, 3]]
    >>> weft.sliding_window_view(weft.arange(7), 2, stride=2, dilation=3).tolist()
    [[0, 3], [2, 5]]
    """
    x = as_tensor(x)
    shape = shape_of("sliding_window_view", window_shape)
    axes = tuple(range(x.ndim)) if axis is None else integers("sliding_window_view", "axis", axis)
    paired("sliding_window_view", "extents of the window and axes", shape, axes)
    check_rank("sliding_window_view", x.ndim + len(shape))
    axes = tuple([one_axis("sliding_window_view", a, x.ndim) for a in axes])
    strides = _steps("stride", stride, axes)
    dilations = _steps("dilation", dilation, axes)
    extents = [(w - 1) * d + 1 if w else 0 for w, d in zip(shape, dilations, strict=True)]
    n, moves = node_of(x), (*strides, *dilations)
    if all(s == 1 for s in moves):
        return handle(x, selections.window(n, extents, axes))
    for a, extent, step, apart in zip(axes, extents, strides, dilations, strict=True):  # so is the gradient
        n = selections.window(n, (extent,), (a,))
        steps = [*[step if d == a else 1 for d in range(n.desc.ndim - 1)], apart]
        n = selections.slice_(n, [(0, s, -(-m // s)) for m, s in zip(n.desc.shape, steps, strict=True)])
    return handle(x, n)


def _steps(what: str, given: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    """Return one step for each axis of a window; `what` ("stride" or "dilation") names them in messages.

    Raises ValueRangeError for a step below 1, ShapeError for another number of steps, or strides of an axis named
    twice.
    """
    steps = integers("sliding_window_view", what, given)
    steps = steps * len(axes) if is_one(given) else steps
    paired("sliding_window_view", f"{what}s and axes", steps, axes)
    if min(steps, default=1) < 1:
        raise ValueRangeError(f"sliding_window_view: {what} {steps}; steps are >= 1; give how many positions to move")
    if what == "stride" and len(set(axes)) < len(axes) and any(s != 1 for s in steps):
        raise ShapeError(
            f"sliding_window_view: stride {steps} for axes {axes}; of an axis named twice it is open which stride "
            "counts; take the windows one after the other"
        )
    return steps


def diagonal(x: Tensor, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return a view of the cells whose position along axis2 is that along axis1 plus `offset`, as last axis.

    Raises AxisError for an axis that x lacks, ShapeError if both axes are the same, DTypeError for no integers.

    >>> import weft
    >>> weft.diagonal(weft.asarray([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    x = as_tensor(x)
    return handle(
        x,
        selections.diagonal(
            node_of(x), integer("diagonal", "offset", offset), *many_axes("diagonal", (axis1, axis2), x.ndim)
        ),
    )


def reshape(x: Tensor, /, shape: Sequence[int], *, order: str = "C", copy: bool | None = None) -> Tensor:
    """Return x in another shape, cells in row-major order: a view if strides allow it, else a new value.

    With order="F" cells go along columns, in x and in the result. One size may be -1. copy=False raises ValueRangeError
    where no view is possible, copy=True always makes a new value. Raises ShapeError if the sizes do not multiply to the
    number of cells, ValueRangeError for another order, DTypeError for sizes that are no integers.

    >>> import weft
    >>> weft.reshape(weft.arange(4), (2, -1)).tolist()
    [[0, 1], [2, 3]]
    """
    x = as_tensor(x)
    if order != "C":
        return _by_columns(x, shape, order, copy)
    n = node_of(x)
    wanted = integers("reshape", "shape", shape)
    check_rank("reshape", len(wanted))
    steps = None if copy else _reshaped(n.desc, wanted)
    if steps is not None:
        return handle(x, applied_steps(n, steps))
    if copy is False:
        raise ValueRangeError(
            f"reshape: shape {n.desc.shape} with strides {n.desc.strides} has no view of shape {wanted}; "
            "cells would have to move; pass copy=None"
        )
    if copy is None and Limits.watcher is not None:
        Limits.watcher.judge(of_copy("reshape", n, wanted))
    return _value(selections.reshape(n, wanted))


def _by_columns(x: Tensor, shape: Any, order: Any, copy: bool | None) -> Tensor:
    """Return x in another shape, cells in column-major order.

    Raises ValueRangeError for an order other than "F" and, with copy=False, if no view is possible; ShapeError if the
    sizes do not multiply to the number of cells.
    """
    if order != "F":
        raise ValueRangeError(f"reshape: order {order!r:.60}; 'C' is row-major and 'F' column-major; pass one of them")
    turned = reshape(permute_dims(x, range(x.ndim)[::-1]), integers("reshape", "shape", shape)[::-1], copy=copy)
    return permute_dims(turned, range(turned.ndim)[::-1])


@lru_cache(maxsize=4096)
def _reshaped(d: TensorDescription, shape: Shape) -> ViewSteps | None:
    """Return the views that reshape a tensor with description d, as steps for `applied_steps`.

    None if its strides do not allow a view. Raises ShapeError if the sizes do not multiply to the number of cells.
    """
    n = ir.stored(d, None)
    view = selections.reshape_view(n, shape)
    return None if view is None else view_steps(view, n)


def along(name: str, x: Any, axis: int | None) -> tuple[Tensor, int]:
    """Return (x as a tensor, the axis counted from 0); without an axis, (x flattened, 0).

    Raises AxisError, naming function `name`, for an axis that x lacks, DTypeError for an object without numbers.
    """
    x = as_tensor(x)
    return (_flattened(x), 0) if axis is None else (x, one_axis(name, axis, x.ndim))


def _flattened(x: Tensor) -> Tensor:
    """Return the cells as a vector with origin 0; x itself if it is one."""
    return x if x.ndim == 1 and node_of(x).desc.origin is None else reshape(x, (-1,))  # type: ignore[no-any-return]


def joined(name: str, arrays: Any) -> list[Node]:
    """Return the nodes of a sequence of tensors, converted to the dtype that holds all of theirs.

    Raises ShapeError, naming function `name`, for an empty sequence, a single tensor or a number.
    """
    handles = listed(name, arrays)
    for h in handles:
        note_whole(h)
    nodes = [node_of(h) for h in handles]
    settle_parts(nodes)
    dtypes = {n.desc.dtype for n in nodes}
    if len(dtypes) == 1:
        return nodes
    dtype = dt.promote_all([n.desc.dtype for n in nodes])
    return [ir.astype(n, dtype) for n in nodes]


def concat(arrays: Sequence[Tensor], /, axis: int | None = 0, *, out: Any = None) -> Any:
    """Return tensors joined along an axis (axis=None flattens them first); nothing is copied until it is read.

    With `out` they are written into that tensor or array, which is returned; it may have another dtype, byte order and
    layout, and may overlap them. Raises ShapeError if other axes differ in size or `arrays` is empty, AxisError for an
    axis that they lack, WriteError for an `out` without memory, DTypeError for an object without numbers and for cells
    of a higher kind than `out`.

    >>> import weft
    >>> weft.concat([weft.arange(2), weft.arange(3)]).tolist()
    [0, 1, 0, 1, 2]
    >>> x = weft.arange(4)
    >>> weft.concat([x[2:], x[:2]], out=x).tolist()
    [2, 3, 0, 1]
    """
    if axis is None:
        arrays = [_flattened(a) for a in listed("concat", arrays)]
        axis = 0
    value = _value(selections.concat(joined("concat", arrays), integer("concat", "axis", axis)))
    return value if out is None else into(out, value, "concat")


def stack(arrays: Sequence[Tensor], /, axis: int = 0) -> Tensor:
    """Return tensors of one shape joined along a new axis.

    Raises ShapeError if shapes differ or `arrays` is empty, AxisError for an axis that the result lacks, DTypeError for
    an axis that is no integer or an object without numbers.

    >>> import weft
    >>> weft.stack([weft.asarray([1, 2]), weft.asarray([3, 4])], axis=1).tolist()
    [[1, 3], [2, 4]]
    """
    return _value(selections.stack(joined("stack", arrays), integer("stack", "axis", axis)))


def interleave(xs: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Return tensors of one shape with their cells alternating along an axis.

    Raises ShapeError where shapes differ, AxisError for an axis that they lack, DTypeError for an axis that is no
    integer.

    >>> import weft
    >>> weft.interleave([weft.asarray([1, 3]), weft.asarray([2, 4])]).tolist()
    [1, 2, 3, 4]
    """
    return _value(selections.interleave(joined("interleave", xs), integer("interleave", "axis", axis)))


def tile(x: Tensor, repetitions: Any, /) -> Tensor:
    """Return x repeated as a whole along each axis.

    `repetitions`: a number for the last axis, or one for each; more than axes add axes in front. Raises ShapeError for
    a negative number, DTypeError for one that is no integer.

    >>> import weft
    >>> weft.tile(weft.asarray([1, 2]), (2,)).tolist()
    [1, 2, 1, 2]
    """
    x = as_tensor(x)
    reps = integers("tile", "repetitions", repetitions)
    check_rank("tile", len(reps))
    n = node_of(x)
    if len(reps) < n.desc.ndim:
        reps = (1,) * (n.desc.ndim - len(reps)) + reps
    if len(reps) > n.desc.ndim:
        n = selections.expand_dims(n, range(len(reps) - n.desc.ndim))
    return writable_like(_value(selections.tile(n, reps)), x)


def repeat(x: Tensor, repeats: Any, /, axis: int | None = None) -> Tensor:
    """Return x with each cell repeated along an axis (default: flattened); counts may differ by position.

    Raises ShapeError for a negative count or a wrong number of counts, AxisError for an axis that x lacks, DTypeError
    for an object without numbers.

    >>> import weft
    >>> weft.repeat(weft.asarray([1, 2]), 2).tolist()
    [1, 1, 2, 2]
    """
    x = as_tensor(x)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    n = node_of(x)
    axis = one_axis("repeat", axis, n.desc.ndim)
    if is_one(repeats) and not isinstance(repeats, Tensor):
        return _value(selections.repeat(n, integer("repeat", "count", repeats), axis))
    counts = tensor.read(as_tensor(repeats))
    if counts.size == 1:
        return _value(selections.repeat(n, integer("repeat", "count", counts.reshape(())[()]), axis))
    return _repeat_each(x, counts, axis)


def _repeat_each(x: Tensor, counts: np.ndarray, axis: int) -> Tensor:
    """Return x with the cells at each position of an axis repeated by the count at that position.

    Raises ShapeError unless there is one count from 0 on for each position.
    """
    n = x.shape[axis]
    if counts.shape != (n,) or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise ShapeError(
            f"repeat: counts {counts.tolist()} for an axis of size {n}; counts are integers >= 0, one per position; "
            "give as many"
        )
    return take_positions("repeat", x, own(np.repeat(np.arange(n), counts)), axis)


def roll(x: Tensor, /, shift: Any, axis: Any = None) -> Tensor:
    """Return x with cells shifted along axes, those beyond the end moved to the start (default: flattened).

    Raises AxisError for an axis that x lacks, ShapeError for another number of shifts than axes, DTypeError for no
    integers.

    >>> import weft
    >>> weft.roll(weft.asarray([1, 2, 3]), 1).tolist()
    [3, 1, 2]
    """
    x = as_tensor(x)
    if axis is None:
        return reshape(
            _value(selections.roll(node_of(reshape(x, (-1,))), integers("roll", "shift", shift), (0,))), x.shape
        )
    shifts, axes = integers("roll", "shift", shift), integers("roll", "axis", axis)
    return _value(selections.roll(node_of(x), shifts * len(axes) if len(shifts) == 1 else shifts, axes))


def unstack(x: Tensor, /, axis: int = 0) -> tuple[Tensor, ...]:
    """Return a tuple of the views x[0], x[1], ... along an axis; raises AxisError for an axis that x lacks.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> [t.tolist() for t in weft.unstack(weft.asarray([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    x = as_tensor(x)
    n = node_of(x)
    axis = one_axis("unstack", axis, n.desc.ndim)
    return tuple(handle(x, selections.index(n, ((axis, i),))) for i in range(n.desc.shape[axis]))


def copy(x: Tensor, /, *, order: str = "K") -> Tensor:
    """Return a new tensor with the same values and memory of its own, in order "C" or "F" if requested.

    Raises ValueRangeError for an unknown order, DTypeError for an object without numbers.

    >>> import weft
    >>> x = weft.asarray([1, 2])
    >>> y = weft.copy(x)
    >>> x[0] = 9
    >>> y.tolist()
    [1, 2]
    """
    x = as_tensor(x)
    return copied(x) if isinstance(order, str) and order in ("K", "A", "C") else asarray(x, copy=True, order=order)
