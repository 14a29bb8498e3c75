"""Sets of the values of tensors, with NumPy's defaults: results are ascending vectors of distinct values.

The one idea: the number of distinct values depends on the values, so these are computed at once; the result's cells are
taken from the operands by their positions, so dtypes and gradients are kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, flag, one_axis
from weft.api.standard import elementwise_functions as el
from weft.api.standard.manipulation_functions import concat, reshape
from weft.api.standard.set_functions import Distinct, distinct, isin
from weft.errors import DTypeError
from weft.interop.device_moves import beside
from weft.interop.imports import own
from weft.runtime.memory.limits import warn_beyond
from weft.sources.stream.rounds import is_swept
from weft.tensors.indexing import take_positions
from weft.tensors.tensor import Tensor, node_of, read, with_values

COPIES = 5  # NumPy takes so many times the bytes of the cells to sort slices


def unique(
    x: Any,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """Return the distinct values in ascending order; with an axis, the distinct slices along it.

    With a flag, a tuple: the values, then the first positions, the inverse positions and the counts, as requested. NaNs
    count as one value unless equal_nan=False (`unique_values` keeps each of them). Raises DTypeError for dtypes that
    only store numbers, such as float8, and flags that are no bools, AxisError for an axis that x lacks.

    >>> import weft
    >>> weft.unique(weft.asarray([3, 1, 3])).tolist()
    [1, 3]
    >>> values, counts = weft.unique(weft.asarray([[1, 2], [1, 2]]), return_counts=True, axis=0)
    >>> values.tolist(), counts.tolist()
    ([[1, 2]], [2])
    """
    x = as_tensor(x)
    if x.dtype.storage:
        raise DTypeError(f"unique: {x.dtype.name} values; the float8 kinds are for storage; convert with astype()")
    given = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    wanted = [flag("unique", name, value) for name, value in given.items()]
    equal_nan = flag("unique", "equal_nan", equal_nan)
    if axis is None:
        values, *columns = distinct(x, *wanted, equal_nan=equal_nan)
        requested = [c for c, asked in zip(columns, wanted, strict=True) if asked]
        return (values, *requested) if requested else values
    along = one_axis("unique", axis, x.ndim)
    if is_swept(node_of(x)):
        warn_beyond("unique", COPIES * x.nbytes)
    _, first, inverse, counts = np.unique(
        dt.widened(with_values(x, np.array, "")), return_index=True, return_inverse=True, return_counts=True,
        axis=along, equal_nan=equal_nan,
    )  # fmt: skip
    arrays = (first, inverse.reshape(-1), counts)
    first, *more = beside([own(np.ascontiguousarray(i, np.int64)) for i in arrays], x)
    values = take_positions("unique", x, first, along)
    requested = [i for i, asked in zip((first, *more), wanted, strict=True) if asked]
    return (values, *requested) if requested else values


def union1d(x1: Any, x2: Any, /) -> Tensor:
    """Return the distinct values of both operands in ascending order; raises DTypeError for float8 cells.

    >>> import weft
    >>> weft.union1d(weft.asarray([1, 3]), [2, 3]).tolist()
    [1, 2, 3]
    """
    return unique(concat([x1, x2], axis=None))  # type: ignore[no-any-return]


def intersect1d(x1: Any, x2: Any, /, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Return the distinct values that occur in both operands, ascending.

    With return_indices, a tuple: the values, and their first positions in each operand. `assume_unique` changes
    nothing. Raises DTypeError for flags that are no bools.

    >>> import weft
    >>> weft.intersect1d(weft.asarray([1, 3, 3]), [3, 2]).tolist()
    [3]
    """
    flag("intersect1d", "assume_unique", assume_unique)
    several = flag("intersect1d", "return_indices", return_indices)
    a, *sets = _both(x1, x2)
    at = np.intersect1d(*[dt.widened(read(s.values)) for s in sets], assume_unique=True, return_indices=True)[1:]
    made = [own(np.ascontiguousarray(read(s.first)[i], np.int64)) for s, i in zip(sets, at, strict=True)]
    one, two = beside(made, a)
    values = take_positions("intersect1d", sets[0].values, beside([own(np.ascontiguousarray(at[0]))], a)[0], 0)
    return (values, one, two) if several else values


def _both(x1: Any, x2: Any) -> tuple[Tensor, Distinct, Distinct]:
    """Return (first operand as a vector, distinct values of each operand), all in the joined dtype."""
    a, b = (reshape(as_tensor(x), (-1,)) for x in (x1, x2))
    joined = dt.promote(a.dtype, b.dtype)
    a, b = (el.astype(x, joined, copy=False) for x in (a, b))
    return a, distinct(a, first=True, equal_nan=True), distinct(b, first=True, equal_nan=True)


def setdiff1d(x1: Any, x2: Any, /, assume_unique: bool = False) -> Tensor:
    """Return the distinct values of x1 that are not in x2, ascending, in the dtype of x1.

    With `assume_unique` they keep their order and repetitions. Raises DTypeError for one that is no bool, and for
    float8 cells.

    >>> import weft
    >>> weft.setdiff1d(weft.asarray([3, 1, 2]), [2]).tolist()
    [1, 3]
    """
    a = reshape(as_tensor(x1), (-1,))
    values = a if flag("setdiff1d", "assume_unique", assume_unique) else unique(a)
    return values[isin(values, x2, invert=True)]  # type: ignore[no-any-return]


def setxor1d(x1: Any, x2: Any, /, assume_unique: bool = False) -> Tensor:
    """Return the distinct values that occur in exactly one of the operands, ascending; `assume_unique` changes nothing.

    Raises DTypeError for float8 cells.

    >>> import weft
    >>> weft.setxor1d(weft.asarray([1, 3]), [2, 3]).tolist()
    [1, 2]
    """
    values = union1d(x1, x2)
    return values[isin(values, as_tensor(x1)) != isin(values, as_tensor(x2))]  # type: ignore[index, no-any-return]
