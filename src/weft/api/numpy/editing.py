"""Cells inserted, deleted and appended along an axis; blocks and trimmed parts by NumPy's names.

The one idea: the positions, which are read at once, determine the origin of every cell of the result; the cells
themselves move lazily, by one join and one take.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.api.arguments import as_tensor, is_one
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.manipulation_functions import along, broadcast_to, concat, copy, moveaxis, reshape, stack
from weft.api.standard.ranges import arange
from weft.errors import DTypeError, IndexOutOfBounds, ShapeError, ValueRangeError
from weft.ir.atoms.position_tables import MAX_RUNS
from weft.tensors.indexing import take_runs
from weft.tensors.tensor import Tensor, read


def append(x: Any, values: Any, /, axis: int | None = None) -> Tensor:
    """Return x with values joined to the end of an axis; without one both are flattened.

    Raises ShapeError if sizes differ along other axes, AxisError for an axis that x lacks, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.append(weft.asarray([1, 2]), [[3], [4]]).tolist()
    [1, 2, 3, 4]
    """
    return concat([as_tensor(x), as_tensor(values)], axis=axis)  # type: ignore[no-any-return]


def insert(x: Any, positions: Any, values: Any, /, axis: int | None = None) -> Tensor:
    """Return x with values inserted before positions of an axis; without one x is flattened.

    Positions, in x as it was, are a number, a slice, a mask or several numbers. Values take x's dtype and broadcast;
    several before one position keep their order. Raises IndexOutOfBounds for a position outside, DTypeError for one
    that is no integer, ShapeError for a mask of another size or values that do not broadcast, AxisError for an axis
    that x lacks.

    >>> import weft
    >>> weft.insert(weft.asarray([1, 2, 3]), 1, 9).tolist(), weft.insert(weft.asarray([1, 2]), [0, 2], [7, 8]).tolist()
    ([1, 9, 2, 3], [7, 1, 2, 8])
    """
    x, axis = along("insert", x, axis)
    n = x.shape[axis]
    at = _positions("insert", positions, n, n + 1)
    given = el.astype(as_tensor(values), x.dtype, copy=False)
    count = at.size
    if count == 1:
        given = reshape(given, (1,) * (x.ndim - given.ndim) + given.shape)
        given = moveaxis(given, 0, axis) if axis and is_one(positions) else given
        count = given.shape[axis]
    given = broadcast_to(given, (*x.shape[:axis], count, *x.shape[axis + 1 :]))
    if at.size == 1:
        lead, p = (slice(None),) * axis, int(at[0])
        return concat([x[(*lead, slice(p))], given, x[(*lead, slice(p, None))]], axis=axis)  # type: ignore[no-any-return, index]
    order = np.argsort(at, kind="stable")
    starts, stops = np.empty((2, 2 * at.size + 1), np.int64)
    starts[0], starts[2::2], starts[1::2] = 0, at[order], n + order
    stops[-1], stops[:-1:2], stops[1::2] = n, at[order], n + order + 1
    return take_runs("insert", concat([x, given], axis=axis), starts, stops, axis)


def delete(x: Any, positions: Any, /, axis: int | None = None) -> Tensor:
    """Return x without the given positions of an axis (a number, a slice, a mask or several numbers).

    Without an axis x is flattened. Raises IndexOutOfBounds for a position outside, DTypeError for one that is no
    integer, ShapeError for a mask of another size, AxisError for an axis that x lacks.

    >>> import weft
    >>> weft.delete(weft.asarray([1, 2, 3, 4]), [0, -1]).tolist(), weft.delete(weft.ones((2, 3)), 1, axis=1).shape
    ([2, 3], (2, 2))
    """
    x, axis = along("delete", x, axis)
    n = x.shape[axis]
    gone = _positions("delete", positions, n, n)
    if gone.size > MAX_RUNS:
        kept = np.ones(n, np.bool_)
        kept[gone] = False
        return x[(slice(None),) * axis + (kept,)]  # type: ignore[index, no-any-return]
    gone = np.unique(gone) if gone.size > 1 else gone
    return take_runs("delete", x, np.append(0, gone + 1), np.append(gone, n), axis)


def _positions(name: str, given: Any, n: int, stop: int) -> np.ndarray:
    """Return positions on an axis of size n (a number, slice, mask or list) as a vector counted from 0.

    Raises IndexOutOfBounds for a position that is not below `stop`, DTypeError for those that are no integers,
    ShapeError for a mask of another size.
    """
    if isinstance(given, slice):
        return np.arange(*given.indices(n))
    if type(given) is int and -n <= given < stop:
        return np.array([given % n if given < 0 else given])
    at = np.asarray(read(as_tensor(given)))
    if at.dtype.kind == "b":
        if at.shape != (n,):
            raise ShapeError(f"{name}: a mask of shape {at.shape} for an axis of size {n}; each position has one flag")
        return np.flatnonzero(at)
    if at.dtype.kind not in "iu" and at.size:
        raise DTypeError(f"{name}: positions of {at.dtype}; they are integers, a slice or a mask; convert them")
    at = at.astype(np.int64).reshape(-1)
    wrong = at[(at < -n) | (at >= stop)]
    if wrong.size:
        raise IndexOutOfBounds(f"{name}: position {wrong[0]} of an axis of size {n}; it lies outside; give one inside")
    return np.where(at < 0, at + n, at)


def trim_zeros(x: Any, /, trim: str = "fb") -> Tensor:
    """Return a view of a vector without the zeros at its front ("f") and back ("b"). Its values are computed at once.

    Raises ValueRangeError if x is no vector, or for another `trim`, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.trim_zeros(weft.asarray([0, 1, 0, 2, 0])).tolist()
    [1, 0, 2]
    """
    x = as_tensor(x)
    if x.ndim != 1 or not isinstance(trim, str) or set(trim.lower()) - {"f", "b"}:
        raise ValueRangeError(f"trim_zeros: shape {x.shape}, trim {trim!r}; a vector and 'f', 'b' or both are given")
    if not x.size:
        return x[:]
    kept, at = el.not_equal(x, 0), arange(x.size)  # type: ignore[attr-defined]
    first, last = read(stack([st.min(el.where(kept, at, x.size)), st.max(el.where(kept, at, -1)) + 1])).tolist()
    return x[first if "f" in trim.lower() else 0 : last if "b" in trim.lower() else x.size]  # type: ignore[no-any-return]


def block(arrays: Any, /) -> Tensor:
    """Return tensors joined from nested lists: the innermost along the last axis, outer levels along the axes before.

    The result has cells of its own, also for one tensor without a list. Raises ShapeError for an empty list, lists of
    unequal depths, and sizes that differ along other axes, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.block([[weft.ones((2, 2)), weft.zeros((2, 1))], [weft.zeros((1, 3))]]).shape
    (3, 3)
    """
    depth = _depth(arrays)
    parts = _leaves(arrays, depth)
    rank = max([depth, *[p.ndim for p in parts]])
    return _joined(arrays, depth, rank) if depth else copy(parts[0])


def _depth(nest: Any) -> int:
    """Return the depth of nested lists; raises ShapeError for empty lists and unequal depths."""
    if not isinstance(nest, list):
        return 0
    if not nest:
        raise ShapeError("block: an empty list; each level holds one tensor at least; leave the list out")
    depths = {_depth(part) for part in nest}
    if len(depths) > 1:
        raise ShapeError(
            f"block: lists nested {sorted(depths)} deep side by side; all are equally deep; nest them alike"
        )
    return 1 + depths.pop()


def _leaves(nest: Any, depth: int) -> list[Tensor]:
    """Return the tensors in lists nested to a depth, in order.

    Raises DTypeError for an object without numbers.
    """
    return [leaf for part in nest for leaf in _leaves(part, depth - 1)] if depth else [as_tensor(nest)]


def _joined(nest: Any, depth: int, rank: int) -> Tensor:
    """Return nested tensors joined into one of rank `rank`: the innermost lists along the last axis.

    Raises ShapeError if sizes differ along other axes, DTypeError for an object without numbers.
    """
    if not depth:
        x = as_tensor(nest)
        return reshape(x, (1,) * (rank - x.ndim) + x.shape)
    return concat([_joined(part, depth - 1, rank) for part in nest], axis=rank - depth)  # type: ignore[no-any-return]
