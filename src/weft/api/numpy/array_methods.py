"""Functions that NumPy's arrays have as methods, with NumPy's defaults: sums along the flattened tensor, axes reversed.

The one idea: each is a short composition of the array API's functions.  A call that NumPy and PyTorch interpret
differently raises ArgumentError, which names the unambiguous spellings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer, integers, is_one, one_axis, one_of, sequence
from weft.api.blocks.byte_views import byte_blocks, has_byte_blocks
from weft.api.destination import into
from weft.api.habits import two_readings
from weft.api.numpy.shapes import in_order, reverse_axes
from weft.api.standard import elementwise_functions as el
from weft.api.standard import indexing_functions, manipulation_functions, sorting_functions
from weft.api.standard import statistical_functions as st
from weft.api.standard.linear_algebra_functions import matmul, tensordot
from weft.api.standard.manipulation_functions import along, permute_dims, reshape
from weft.api.standard.searching_functions import nonzero
from weft.api.standard.statistical_functions import Axis
from weft.errors import ArgumentError, IndexOutOfBounds, ShapeError, ValueRangeError
from weft.interop.imports import asarray
from weft.runtime.memory.limits import warn_of_wholes
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, only_value, read, with_values


# ---- functions that are methods too
def transpose(x: Any, /, *order: Any, axes: Any = None) -> Tensor:
    """Return a view of x with its axes in another order, by default reversed.

    `axes` has the axis of x for each of the result's. Two axes alone mean an exchange in PyTorch and an order in NumPy;
    where the results differ, ArgumentError names both spellings. Raises ArgumentError, too, if the order is given
    twice, ShapeError if it does not name each axis once, AxisError for an axis that x lacks, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.transpose(weft.zeros((2, 3, 4))).shape, weft.transpose(weft.zeros((2, 3, 4)), (1, 0, 2)).shape
    ((4, 3, 2), (3, 2, 4))
    """
    x = as_tensor(x)
    if order and axes is not None:
        raise ArgumentError(f"transpose: {order} and axes={axes!r:.60}; both name the order; give one of them")
    if len(order) == 2 and all(is_one(a) for a in order):
        a, b = (one_axis("transpose", v, x.ndim) for v in order)
        if x.ndim != 2 or (a, b) != (1, 0):
            raise two_readings(
                f"transpose({a}, {b})",
                "PyTorch exchanges two axes, NumPy takes an order of all",
                f"swapaxes(x, {a}, {b}), or permute_dims(x, ({a}, {b}))",
            )
    if len(order) == 1:
        (axes,) = order
    elif order:
        axes = order
    return reverse_axes(x) if axes is None else permute_dims(x, axes)


@from_template(1)
def cumsum(x: Any, /, axis: int | None = None, dtype: Any = None, out: Any = None) -> Tensor:
    """Return running sums along an axis; without one, of all cells in row-major order.

    `dtype` is that of the result. Raises AxisError for an axis that x lacks, ShapeError or WriteError for an `out` of
    another shape or without memory.

    >>> import weft
    >>> weft.cumsum(weft.asarray([[1, 2], [3, 4]])).tolist()
    [1, 3, 6, 10]
    """
    return st.cumulative_sum(*along("cumsum", x, axis), dtype=dtype, out=out)


@from_template(1)
def cumprod(x: Any, /, axis: int | None = None, dtype: Any = None, out: Any = None) -> Tensor:
    """Return running products along an axis; without one, of all cells in row-major order.

    `dtype` is that of the result. Raises AxisError for an axis that x lacks, ShapeError or WriteError for an `out` of
    another shape or without memory.

    >>> import weft
    >>> weft.cumprod(weft.asarray([[1, 2], [3, 4]])).tolist()
    [1, 2, 6, 24]
    """
    return st.cumulative_prod(*along("cumprod", x, axis), dtype=dtype, out=out)


def dot(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor:
    """Return sums of products over the last axis of x1 and the last but one (or only) axis of x2.

    With a number it is the product, cell by cell; of matrices the matrix product. Raises ShapeError if these axes
    differ in size or `out` has another shape, WriteError for an `out` without memory, DTypeError for an object without
    numbers.

    >>> import weft
    >>> weft.dot(weft.asarray([1, 2]), [3, 4]).item(), weft.dot(weft.ones((2, 3)), weft.ones((4, 3, 5))).shape
    (11, (2, 4, 5))
    """
    a, b = as_tensor(x1), as_tensor(x2)
    if not a.ndim or not b.ndim:
        return el.multiply(a, b, out=out)  # type: ignore[attr-defined, no-any-return]
    along = max(b.ndim - 2, 0)
    if out is None and a.ndim <= 2 and b.ndim <= 2 and a.shape[-1] == b.shape[along]:
        return matmul(a, b)
    return tensordot(a, b, axes=([a.ndim - 1], [along]), out=out)


def trace(x: Any, /, offset: int = 0, axis1: int = 0, axis2: int = 1, *, dtype: Any = None, out: Any = None) -> Tensor:
    """Return the sum of the diagonal over two axes, by default the first two.

    `linalg.trace` takes the last two. `offset` counts diagonals above the main one. Raises AxisError for an axis that x
    lacks, ShapeError if both are the same, DTypeError for float8 cells, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.trace(weft.asarray([[1, 2], [3, 4]])).item()
    5
    """
    cells = manipulation_functions.diagonal(x, offset=offset, axis1=axis1, axis2=axis2)
    return st.sum(cells, axis=-1, dtype=dtype, out=out)


def ptp(x: Any, /, axis: Axis = None, *, keepdims: bool = False, out: Any = None) -> Tensor:
    """Return the greatest minus the least value over axes (default: all), in x's dtype.

    Raises AxisError for an axis that x lacks, ShapeError for no cells or an `out` of another shape, DTypeError for
    complex cells, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.ptp(weft.asarray([[4, 9], [2, 3]]), axis=0).tolist()
    [2, 6]
    """
    x = as_tensor(x)
    made = st.max(x, axis=axis, keepdims=keepdims) - st.min(x, axis=axis, keepdims=keepdims)
    return made if out is None else into(out, made, "ptp")


def compress(condition: Any, x: Any, /, axis: int | None = None) -> Tensor:
    """Return the positions of an axis where the vector `condition` is true; without an axis, of the flattened tensor.

    Raises ShapeError if the condition is no vector, IndexOutOfBounds if it is true beyond the axis, AxisError for an
    axis that x lacks, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.compress([False, True], weft.asarray([[1, 2], [3, 4]]), axis=0).tolist()
    [[3, 4]]
    """
    x, axis = along("compress", x, axis)
    kept = as_tensor(condition)
    if kept.ndim != 1:
        raise ShapeError(f"compress: a condition of shape {kept.shape}; it is a vector; flatten it, or write x[mask]")
    return indexing_functions.take(x, nonzero(kept)[0], axis=axis)


def choose(x: Any, choices: Any, /, *, mode: str = "raise") -> Tensor:
    """Return, for each cell of x, the cell of choices[x] at the same position; all are broadcast together.

    A number outside of the choices raises IndexOutOfBounds; mode="wrap" takes it modulo their number, mode="clip" takes
    the nearest. Raises ValueRangeError for another mode, no choices, or cells of x that are no integers; ShapeError if
    shapes do not broadcast, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.choose(weft.asarray([0, 1, 0]), [[1, 2, 3], [10, 20, 30]]).tolist()
    [1, 20, 3]
    """
    x = as_tensor(x)
    parts = [as_tensor(c) for c in sequence("choose", "choices", choices)]
    if not parts or not x.dtype.is_integer:
        raise ValueRangeError(
            f"choose: {len(parts)} choices by {x.dtype.name} cells; integers number one choice at least; convert them"
        )
    one_of("choose", "mode", mode, ("raise", "wrap", "clip"), "modes are raise, wrap and clip")
    if mode == "raise":
        _check_numbers(x, len(parts))
    last = len(parts) - 1
    at = el.remainder(x, len(parts)) if mode == "wrap" else el.clip(x, 0, last)  # type: ignore[attr-defined]
    x, *parts = manipulation_functions.broadcast_arrays(at, *parts)
    made = parts[-1]
    for number in range(last - 1, -1, -1):
        made = el.where(el.equal(x, number), parts[number], made)  # type: ignore[attr-defined]
    return el.astype(made, dt.promote_all([p.dtype for p in parts]), copy=made is parts[-1])


def _check_numbers(x: Tensor, count: int) -> None:
    """Raise IndexOutOfBounds if a cell of x is not in 0 to count - 1."""
    if not x.size:
        return
    ends = read(manipulation_functions.stack([st.min(x), st.max(x)]))
    wrong = ends[(ends < 0) | (ends >= count)]
    if wrong.size:
        raise IndexOutOfBounds(
            f"choose: the number {wrong[0]} of {count} choices; they count from 0; pass mode='wrap' or 'clip'"
        )


def partition(x: Any, kth: Any = 0, /, axis: int | None = -1) -> Tensor:
    """Return the cells along an axis with the kth one at its sorted position; here all cells are sorted.

    axis=None flattens x. Raises IndexOutOfBounds for a `kth` outside the axis, AxisError for an axis that x lacks,
    DTypeError for complex or float8 cells and a `kth` that is no integer.

    >>> import weft
    >>> weft.partition(weft.asarray([3, 1, 2]), 1).tolist()
    [1, 2, 3]
    """
    x, axis = _along_kth("partition", x, kth, axis)
    return sorting_functions.sort(x, axis=axis)


def argpartition(x: Any, kth: Any = 0, /, axis: int | None = -1) -> Tensor:
    """Return the positions of the cells in the order of `partition`; here they sort all cells.

    axis=None flattens x. Raises IndexOutOfBounds for a `kth` outside the axis, AxisError for an axis that x lacks,
    DTypeError for complex or float8 cells and a `kth` that is no integer.

    >>> import weft
    >>> weft.argpartition(weft.asarray([3, 1, 2]), 1).tolist()
    [1, 2, 0]
    """
    x, axis = _along_kth("argpartition", x, kth, axis)
    return sorting_functions.argsort(x, axis=axis)


def _along_kth(name: str, x: Any, kth: Any, axis: int | None) -> tuple[Tensor, int]:
    """Return (x as a tensor, the axis counted from 0), after checks; without an axis, (x flattened, 0).

    Raises IndexOutOfBounds if `kth`, one position or several, lies outside the axis, AxisError for an axis that x
    lacks.
    """
    x, axis = along(name, x, axis)
    n = x.shape[axis]
    for k in integers(name, "kth", kth):
        if not -n <= k < n:
            raise IndexOutOfBounds(f"{name}: kth {k} for an axis of size {n}; it lies outside; give one of its cells")
    return x, axis


# ---- methods
def permute(self: Tensor, *order: Any, axes: Any = None) -> Tensor:
    """Return a view with the axes in another order, given as one tuple or as several numbers.

    Raises ArgumentError if the order is given twice, ShapeError if it does not name each axis once, AxisError for an
    axis that the tensor lacks.

    >>> import weft
    >>> weft.zeros((2, 3, 4)).permute(2, 0, 1).shape
    (4, 2, 3)
    """
    if order and axes is not None:
        raise ArgumentError(f"permute: {order} and axes={axes!r:.60}; both name the order; give one of them")
    if order:
        axes = order[0] if len(order) == 1 and not is_one(order[0]) else order
    return permute_dims(self, axes)


def repeat(self: Tensor, *counts: Any, repeats: Any = None, axis: int | None = None) -> Tensor:
    """Return the tensor with each cell repeated along an axis, as `weft.repeat` does; `repeats=` flattens by default.

    A number without a name or an axis raises ArgumentError: PyTorch repeats the whole tensor. Raises what `weft.repeat`
    raises.

    >>> import weft
    >>> weft.asarray([1, 2]).repeat(repeats=2).tolist(), weft.asarray([1, 2]).repeat(2, axis=0).tolist()
    ([1, 1, 2, 2], [1, 1, 2, 2])
    """
    if not counts and repeats is not None:
        return manipulation_functions.repeat(self, repeats, axis=axis)
    if len(counts) != 1 or axis is None or repeats is not None:
        raise two_readings(
            f"repeat({', '.join([f'{r!r:.60}' for r in counts])})",
            "NumPy repeats each cell, PyTorch the whole tensor",
            "x.repeat(repeats=count), x.repeat(count, axis=...), or weft.tile(x, counts)",
        )
    return manipulation_functions.repeat(self, counts[0], axis=axis)


def take(self: Tensor, indices: Any, axis: int | None = None) -> Tensor:
    """Return the cells at positions of an axis, or of the flattened tensor.

    Raises IndexOutOfBounds for a position outside, DTypeError for one that is no integer, AxisError for an axis that
    the tensor lacks.

    >>> import weft
    >>> weft.asarray([[1, 2], [3, 4]]).take([3, 0]).tolist()
    [4, 1]
    """
    x, axis = along("take", self, axis)
    return indexing_functions.take(x, indices, axis=axis)


def fill(self: Tensor, value: Any) -> None:
    """Write a value into every cell.

    Raises DTypeError or ValueRangeError for a value that the dtype cannot hold, WriteError if the tensor is read-only.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> x.fill(3)
    >>> x.tolist()
    [3.0, 3.0]
    """
    self[...] = value  # type: ignore[index]


def put(self: Tensor, indices: Any, values: Any) -> None:
    """Write values to positions of the flattened tensor; if there are too few values, they are repeated.

    Raises IndexOutOfBounds for positions that are outside or no integers, ShapeError if there are positions but no
    values.

    >>> import weft
    >>> x = weft.zeros((2, 2))
    >>> x.put([0, 3], [5, 6])
    >>> x.tolist()
    [[5.0, 0.0], [0.0, 6.0]]
    """
    at = read(as_tensor(indices)).reshape(-1)
    wrong = at[(at < -self.size) | (at >= self.size)] if at.dtype.kind in "iu" else at
    if wrong.size:
        raise IndexOutOfBounds(f"put: position {wrong[0]} of {self.size} cells; it lies outside; give one inside")
    if not at.size:
        return
    given = reshape(as_tensor(values), (-1,))
    if not given.size:
        raise ShapeError(f"put: no values for {at.size} positions; one at least is written; give it")
    cells = indexing_functions.take(given, np.arange(at.size) % given.size, axis=0)
    self[np.unravel_index(at.astype(np.int64) % self.size, self.shape)] = cells  # type: ignore[index]


def partition_here(self: Tensor, kth: Any, axis: int = -1) -> None:
    """Sort the cells along an axis in place, so that the kth cell is at its sorted position.

    Raises IndexOutOfBounds for a `kth` outside the axis, AxisError for an axis that the tensor lacks, DTypeError for a
    `kth` that is no integer, WriteError for a tensor that cannot be written.

    >>> import weft
    >>> x = weft.asarray([3, 1, 2])
    >>> x.partition(1)
    >>> x.tolist()
    [1, 2, 3]
    """
    self[...] = partition(self, kth, axis)  # type: ignore[index]


def compressed(self: Tensor, condition: Any, axis: int | None = None) -> Tensor:
    """Return the positions of an axis where the vector `condition` is true.

    Without an axis, of the flattened tensor. Raises ShapeError if the condition is no vector, IndexOutOfBounds if it is
    true beyond the axis, AxisError for an axis that the tensor lacks, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.asarray([1, 2, 3]).compress([True, False, True]).tolist()
    [1, 3]
    """
    return compress(condition, self, axis)


def tobytes(self: Tensor, order: str = "C") -> bytes:
    """Return the bytes of all cells in row-major order, or column-major for order="F", in the tensor's byte order.

    Raises ValueRangeError for an unknown order.

    >>> import weft
    >>> weft.asarray([1, 2], dtype=weft.uint8).tobytes()
    b'\\x01\\x02'
    """
    made: bytes = with_values(in_order("tobytes", self, order), lambda cells: cells.tobytes())
    return made


def item(self: Tensor, *position: Any) -> Any:
    """Return one value as a Python number: the only one, or the one at a position.

    A position is an index for each axis, or one in the flattened tensor. Raises ValueRangeError if there are several
    cells and no position, IndexOutOfBounds for a position outside, ShapeError for another number of indices than axes,
    DTypeError for one that is no integer.

    >>> import weft
    >>> x = weft.asarray([[1, 2], [3, 4]])
    >>> x.item(1, 0), x.item(3), x[0, 1].item()
    (3, 4, 2)
    """
    if not position:
        return only_value(self)
    at = position[0] if len(position) == 1 and isinstance(position[0], (tuple, list)) else position
    if len(at) == 1 and self.ndim != 1:
        flat = integer("item", "position", at[0])
        if not -self.size <= flat < self.size:
            raise IndexOutOfBounds(f"item: position {flat} of {self.size} cells; it lies outside; give one inside")
        at = [int(i) for i in np.unravel_index(flat % self.size, self.shape)]
    if len(at) != self.ndim:
        raise ShapeError(f"item: {len(at)} indices for shape {self.shape}; every axis has one; give {self.ndim}")
    return only_value(self[tuple(integer("item", "index", i) for i in at)])  # type: ignore[index]


def sort(self: Tensor, *given: Any, **more: Any) -> None:
    """Raise ArgumentError: NumPy sorts in place, PyTorch gives values and positions; write `weft.sort(x)`.

    >>> import weft
    >>> weft.asarray([2, 1]).sort()
    Traceback (most recent call last):
    weft.errors.ArgumentError: sort(): two readings; NumPy sorts in place, PyTorch gives values and positions; write \
weft.sort(x), x[...] = weft.sort(x), or weft.argsort(x)
    """
    raise two_readings(
        "sort()",
        "NumPy sorts in place, PyTorch gives values and positions",
        "weft.sort(x), x[...] = weft.sort(x), or weft.argsort(x)",
    )


def view(self: Tensor, *given: Any, dtype: Any = None, **more: Any) -> Tensor:
    """Return the bytes of the cells read as another dtype, in shared memory. The last axis fits the size of its cells.

    Of files larger than the memory limit, it is a read-only value of its own, which is computed tile by tile.
    Raises ArgumentError for anything but a dtype: NumPy and PyTorch read shapes differently, write `x.reshape(shape)`.
    Raises DTypeError for an unknown dtype, ShapeError where the bytes of the last axis do not fit or do not touch.

    >>> import weft
    >>> weft.asarray([1, 258], dtype=weft.int16).view(weft.uint8).tolist()
    [1, 0, 2, 1]
    """
    if len(given) == 1 and dtype is None and not is_one(given[0]) and not isinstance(given[0], (tuple, list)):
        given, dtype = (), given[0]
    if given or more or dtype is None:
        raise two_readings(
            "view()",
            "PyTorch gives another shape, NumPy reads the bytes as another dtype",
            "x.reshape(shape, copy=False), or x.view(dtype)",
        )
    wanted, order = dt.spelled(dtype)
    if order != "big" and has_byte_blocks(self, wanted):
        return byte_blocks(self, wanted)
    warn_of_wholes("view", [node_of(self)])
    try:
        return asarray(self.numpy().view(dt.to_numpy(wanted, order)), copy=False)
    except ValueError as e:
        raise ShapeError(
            f"view: {self.dtype.name} cells of shape {self.shape} as {wanted.name}; {e!s:.99}; copy or reshape it first"
        ) from e


partition_here.__name__, compressed.__name__ = "partition", "compress"  # the methods, which errors name
