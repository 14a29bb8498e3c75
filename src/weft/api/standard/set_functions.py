"""Sets: the distinct values of a tensor, and membership.

The one idea: how many distinct values there are depends on the values, so they are looked at once; results are
stored, sorted, and NaNs are distinct from each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.api.standard.manipulation_functions import as_tensor, reshape
from weft.errors import DTypeError
from weft.interop.device_moves import beside
from weft.interop.imports import own
from weft.ir.graph import node as ir
from weft.tensors.indexing import take
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, node_of, operand, read, wrap


class UniqueAll(NamedTuple):
    """The named tuple that `unique_all` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """The named tuple that `unique_counts` returns."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """The named tuple that `unique_inverse` returns."""

    values: Tensor
    inverse_indices: Tensor


def _taken(op: str, dtype: dt.DType, *operands: Tensor) -> None:
    """Tell the watcher of implicit acts that operands are read as a dtype."""
    if Limits.watcher is not None:
        Limits.watcher.taken(op, [node_of(x) for x in operands], dtype)


def _wide(x: Tensor) -> np.ndarray:
    """Return values as an array of a dtype that NumPy's routines take; raises DTypeError for the float8 kinds."""
    if x.dtype.storage:
        raise DTypeError(f"unique: {x.dtype.name} values; the float8 kinds are for storage; convert with astype()")
    return dt.widened(read(x))


def _unique(x: Tensor) -> tuple[Tensor, ...]:
    """Return the distinct values, their first positions, the number of each cell's value, and the counts."""
    _taken("unique", x.dtype, x)
    values, first, inverse, counts = np.unique(
        _wide(x).reshape(-1), return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    places = (i.astype(np.int64) for i in (first, inverse.reshape(x.shape), counts))
    made, *rest = beside([own(dt.narrowed(values, x.dtype)), *(own(np.asarray(i, order="C")) for i in places)], x)
    return made if not _is_recorded(x) else _cells(x, first), *rest


def _is_recorded(x: Tensor) -> bool:
    """True if the tensor has a gradient record."""
    traits = node_of(x).traits
    return traits is not None and traits.record is not None


def _cells(x: Tensor, first: np.ndarray) -> Tensor:
    """Return the cells with these row-major numbers, as an expression that gradients flow through."""
    return wrap(ir.locate(take(node_of(reshape(x, (-1,))), 0, first)))


def unique_all(x: Tensor, /) -> UniqueAll:
    """Return distinct values in order, the first position of each, each cell's position among them, and the counts.

    >>> import weft
    >>> u = weft.unique_all(weft.asarray([3, 1, 3]))
    >>> u.values.tolist(), u.indices.tolist(), u.inverse_indices.tolist(), u.counts.tolist()
    ([1, 3], [1, 0], [1, 0, 1], [1, 2])
    """
    return UniqueAll(*_unique(as_tensor(x)))


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Return the distinct values in order, and how often each occurs (int64).

    >>> import weft
    >>> weft.unique_counts(weft.asarray([3, 1, 3])).counts.tolist()
    [1, 2]
    """
    values, _, _, counts = _unique(as_tensor(x))
    return UniqueCounts(values, counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Return the distinct values in order, and for each cell of x the position of its value among them.

    >>> import weft
    >>> weft.unique_inverse(weft.asarray([3, 1, 3])).inverse_indices.tolist()
    [1, 0, 1]
    """
    values, _, inverse, _ = _unique(as_tensor(x))
    return UniqueInverse(values, inverse)


def unique_values(x: Tensor, /) -> Tensor:
    """Return the distinct values in order; a value's gradient goes to its first cell in row-major order.

    >>> import weft
    >>> weft.unique_values(weft.asarray([3, 1, 3])).tolist()
    [1, 3]
    """
    x = as_tensor(x)
    if _is_recorded(x):
        return _unique(x)[0]
    _taken("unique", x.dtype, x)
    return beside([own(dt.narrowed(np.unique(_wide(x), equal_nan=False), x.dtype))], x)[0]


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """Return True for each cell of x1 whose value is in x2, or is not for invert=True.

    Raises DTypeError if neither operand is a tensor.

    >>> import weft
    >>> weft.isin(weft.asarray([1, 2, 3]), weft.asarray([3, 1])).tolist()
    [True, False, True]
    """
    if type(x1) is not Tensor and type(x2) is not Tensor:
        raise DTypeError("isin: neither operand is a tensor; one at least must be; use Python's `in`, or asarray()")
    like = x1.dtype if type(x1) is Tensor else x2.dtype
    a, b = (x if type(x) is Tensor else wrap(operand(x, like, "isin")) for x in (x1, x2))
    joined = dt.promote(a.dtype, b.dtype)
    _taken("isin", joined, *((a, b) if type(x1) is Tensor else (b, a)))
    wide = joined.compute.np
    found = np.isin(_wide(a).astype(wide), _wide(b).astype(wide), invert=bool(invert))
    return beside([own(np.asarray(found))], a if type(x1) is Tensor else b)[0]


__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]
