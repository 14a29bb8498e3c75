"""Sets: the distinct values of a tensor, and membership.

The one idea: the number of distinct values depends on the values, which are computed at once; results are stored,
sorted, and NaNs are distinct from each other.  In files larger than memory they are found tile by tile, and the inverse
positions are an expression over the cells.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor
from weft.api.numpy.bin_numbers import bounds_below, looked_up
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import ones
from weft.api.standard.manipulation_functions import broadcast_to, concat, reshape
from weft.api.standard.searching_functions import nonzero
from weft.api.standard.sorting_functions import argsort, sort
from weft.backends.calls.distinct import distinct_values
from weft.errors import DTypeError, OutOfMemory
from weft.interop.device_moves import beside
from weft.interop.imports import own
from weft.interop.nested import NUMBERS
from weft.ir.graph import node as ir
from weft.modes.implicit_conversions import of_operands
from weft.runtime.memory.limits import limit_of_sweeps
from weft.sources.stream.distinct_cells import distinct_cells, share_of
from weft.sources.stream.rounds import Rounds, is_swept
from weft.sources.stream.sort_keys import has_keys
from weft.tensors.indexing import take
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, node_of, operand, read, wrap

_FEW = 8  # values with which all cells are compared sooner than they are sorted


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
    """Report to the watcher of implicit conversions, if any, that the operands of `op` are read as a dtype."""
    if Limits.watcher is not None:
        Limits.watcher.judge(of_operands(op, [node_of(x) for x in operands], dtype))


def _wide(x: Tensor) -> np.ndarray:
    """Return values as an array of a dtype that NumPy's routines take; raises DTypeError for the float8 kinds."""
    if x.dtype.storage:
        raise DTypeError(f"unique: {x.dtype.name} values; the float8 kinds are for storage; convert with astype()")
    return dt.widened(read(x))


class Distinct(NamedTuple):
    """Distinct values, with the requested columns: first positions, inverse positions and counts."""

    values: Tensor
    first: Tensor | None
    inverse: Tensor | None
    counts: Tensor | None


def distinct(
    x: Tensor, first: bool = False, inverse: bool = False, counts: bool = False, equal_nan: bool = False
) -> Distinct:
    """Return the distinct values of x in order, their first positions, each cell's index among them, and counts.

    Columns that are not requested may be None. `equal_nan` counts all NaN as one value. Raises DTypeError for float8
    cells, OutOfMemory for positions among the values of a file that exceed memory. Gradients flow through values to
    their first cells.
    """
    _taken("unique", x.dtype, x)
    n, recorded = node_of(x), _is_recorded(x)
    if has_keys(x.dtype) and not (x.dtype.storage or recorded) and is_swept(n):
        if (of_tiles := distinct_cells(n, equal_nan)) is None:
            return _by_sorting(x, first, inverse, equal_nan)
        values, many, at = of_tiles
        return Distinct(own(values), own(at), _numbers(x, values, equal_nan) if inverse else None, own(many))
    made = distinct_values(_wide(x).reshape(-1), first or recorded, inverse, counts, bool(equal_nan))
    of = None if made.inverse is None else made.inverse.reshape(x.shape)
    arrays = [dt.narrowed(made.values, x.dtype), made.first, of, made.counts]
    whole, *rest = [None if a is None else beside([own(a)], x)[0] for a in arrays]
    return Distinct(_cells(x, made.first) if recorded else whole, *rest)  # type: ignore[arg-type]


def _by_sorting(x: Tensor, first: bool, inverse: bool, equal_nan: bool) -> Distinct:
    """Return the distinct values of a file if they exceed memory, from a sorted copy in a scratch file.

    Raises OutOfMemory if inverse positions are requested.
    """
    limit = limit_of_sweeps()
    if inverse:
        raise OutOfMemory(
            f"unique: distinct values, counts and positions of more than {share_of(limit)} bytes, what a limit of "
            f"{limit} bytes leaves for them; cells cannot be looked up in them; set a larger limit, or leave the "
            "inverse positions out"
        )
    flat = reshape(x, (-1,))
    ordered = _settled(sort(flat), limit)
    before, after = ordered[:-1], ordered[1:]
    differs = el.not_equal(before, after)
    if equal_nan and x.dtype.kind == "float":
        differs = el.logical_and(differs, el.logical_not(el.isnan(before)))
    is_first = concat([ones(1, dtype=dt.bool), differs])
    at = nonzero(is_first)[0]
    counts = st.diff(concat([at, as_tensor([x.size])]))
    return Distinct(ordered[is_first], _settled(argsort(flat), limit)[is_first] if first else None, None, counts)


def _settled(x: Tensor, limit: int) -> Tensor:
    """Return `x`, the sort of a file, after writing its cells in order to a scratch file."""
    Rounds(limit).settle([node_of(x)])
    return x


def _numbers(x: Tensor, values: np.ndarray, equal_nan: bool) -> Tensor:
    """Return the index of each cell's value among distinct values, as a pending tensor."""
    wide = dt.widened(values)
    numbers = wide if wide.dtype.kind != "f" else wide[: np.count_nonzero(~np.isnan(wide))]
    cells = wrap(ir.astype(node_of(x), dt.from_numpy(wide.dtype)[0]))
    made = wrap(ir.locate(bounds_below(cells, numbers, True)))
    if equal_nan or numbers.size == wide.size:
        return made
    nan = el.isnan(cells)
    before = reshape(st.cumulative_sum(reshape(el.astype(nan, dt.int64), (-1,))), x.shape)
    return el.where(nan, before + (numbers.size - 1), made)


def _among(x: Tensor, values: np.ndarray) -> Tensor:
    """Return a mask of the cells of x that are among ascending values, as a pending tensor."""
    if not values.size:
        return broadcast_to(as_tensor(False), x.shape)
    table = own(values)
    at = el.minimum(wrap(bounds_below(x, values[values == values], True)), values.size - 1)
    return el.equal(x, wrap(ir.locate(looked_up(node_of(table), node_of(at)))))


def _is_recorded(x: Tensor) -> bool:
    """True if the tensor has a gradient record."""
    traits = node_of(x).traits
    return traits is not None and traits.record is not None


def _cells(x: Tensor, first: np.ndarray) -> Tensor:
    """Return the cells of x at row-major positions, as a differentiable expression."""
    return wrap(ir.locate(take(node_of(reshape(x, (-1,))), 0, first)))


def unique_all(x: Tensor, /) -> UniqueAll:
    """Return distinct values in order, the first position of each, each cell's position among them, and the counts.

    Raises DTypeError for float8 cells.

    >>> import weft
    >>> u = weft.unique_all(weft.asarray([3, 1, 3]))
    >>> u.values.tolist(), u.indices.tolist(), u.inverse_indices.tolist(), u.counts.tolist()
    ([1, 3], [1, 0], [1, 0, 1], [1, 2])
    """
    return UniqueAll(*distinct(as_tensor(x), True, True, True))  # type: ignore[arg-type]


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Return the distinct values in order, and how often each occurs (int64); raises DTypeError for float8 cells.

    >>> import weft
    >>> weft.unique_counts(weft.asarray([3, 1, 3])).counts.tolist()
    [1, 2]
    """
    found = distinct(as_tensor(x), counts=True)
    return UniqueCounts(found.values, found.counts)  # type: ignore[arg-type]


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Return the distinct values in order, and for each cell of x the position of its value among them.

    Raises DTypeError for float8 cells.

    >>> import weft
    >>> weft.unique_inverse(weft.asarray([3, 1, 3])).inverse_indices.tolist()
    [1, 0, 1]
    """
    found = distinct(as_tensor(x), inverse=True)
    return UniqueInverse(found.values, found.inverse)  # type: ignore[arg-type]


def unique_values(x: Tensor, /) -> Tensor:
    """Return the distinct values in order; a value's gradient goes to its first cell in row-major order.

    Raises DTypeError for float8 cells.

    >>> import weft
    >>> weft.unique_values(weft.asarray([3, 1, 3])).tolist()
    [1, 3]
    """
    return distinct(as_tensor(x)).values


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Tensor:
    """Return True for each cell of x1 whose value is in x2; with invert=True, whose value is not.

    Raises DTypeError for a number x1 if x2 is no tensor, and for float8 cells.

    >>> import weft
    >>> weft.isin(weft.asarray([1, 2, 3]), weft.asarray([3, 1])).tolist()
    [True, False, True]
    """
    if type(x1) is not Tensor and type(x2) is not Tensor and not isinstance(x1, NUMBERS):
        x1 = as_tensor(x1)
    if type(x1) is not Tensor and type(x2) is not Tensor:
        raise DTypeError("isin: neither operand is a tensor; one at least must be; use Python's `in`, or asarray()")
    like = x1.dtype if type(x1) is Tensor else x2.dtype
    a, b = (x if type(x) is Tensor else wrap(operand(x, like, "isin")) for x in (x1, x2))
    joined = dt.promote(a.dtype, b.dtype)
    _taken("isin", joined, *((a, b) if type(x1) is Tensor else (b, a)))
    wide = joined.compute.np
    if has_keys(joined) and is_swept(node_of(b)):
        b = distinct(b, equal_nan=True).values
    if has_keys(joined) and is_swept(node_of(a)):
        found = _among(wrap(ir.astype(node_of(a), joined.compute)), np.unique(_wide(b).astype(wide)))
        return el.logical_not(found) if invert else found
    values = _wide(b).astype(wide, copy=False)
    if 0 < values.size <= _FEW and not node_of(a).desc.big:
        x = wrap(ir.astype(node_of(a), joined.compute))
        found = reduce(el.logical_or, [el.equal(x, value) for value in np.unique(values).tolist()])  # type: ignore[attr-defined]
        return el.logical_not(found) if invert else found  # type: ignore[attr-defined]
    found = np.isin(_wide(a).astype(wide, copy=False), values, invert=bool(invert))
    return beside([own(np.asarray(found))], a if type(x1) is Tensor else b)[0]
