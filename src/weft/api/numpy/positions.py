"""Positions of cells: numbers of the flattened tensor and indices by axis, triangles, grids, orders of several keys.

The one idea: a position is arithmetic on coordinates; values are needed only for bounds checks, and to count the cells
that satisfy a condition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer, one_axis, one_of, sequence, shape_of, tensor_given
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.indexing_functions import take_along_axis
from weft.api.standard.manipulation_functions import along, broadcast_to, concat, diagonal, expand_dims, reshape, stack
from weft.api.standard.matrices import tri
from weft.api.standard.ranges import arange, iota
from weft.api.standard.searching_functions import nonzero
from weft.api.standard.sorting_functions import argsort
from weft.errors import DTypeError, IndexOutOfBounds, ShapeError, ValueRangeError
from weft.interop.imports import asarray
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, read


def unravel_index(indices: Any, /, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    """Return the index along each axis (int64) for row-major numbers of the cells of a shape.

    Order "F" counts in column-major order. Raises IndexOutOfBounds for a number outside the shape, DTypeError for one
    that is no integer, ShapeError for a negative size, ValueRangeError for another order.

    >>> import weft
    >>> [i.tolist() for i in weft.unravel_index([5, 3], (2, 3))]
    [[1, 1], [2, 0]]
    """
    sizes = shape_of("unravel_index", shape)
    one_of("unravel_index", "order", order, "CF", "orders are 'C' and 'F'")
    at = _integers("unravel_index", indices)
    _check_inside("unravel_index", read(at), int(np.prod(sizes, dtype=object)))
    made, step = {}, 1
    for axis in range(len(sizes))[:: -1 if order == "C" else 1]:
        made[axis] = el.remainder(el.floor_divide(at, step), max(sizes[axis], 1))  # type: ignore[attr-defined]
        step *= sizes[axis]
    return tuple([made[axis] for axis in range(len(sizes))])


def ravel_multi_index(indices: Any, /, shape: Any, mode: Any = "raise", order: str = "C") -> Tensor:
    """Return the row-major number (int64) of cells of a shape, given an index along each axis.

    Order "F" counts in column-major order. `mode`, one for all axes or one for each, handles an index outside: "raise"
    (IndexOutOfBounds), "wrap" or "clip". Raises ValueRangeError for another mode or order, or another number of indices
    than axes; DTypeError for indices that are no integers, ShapeError for a negative size.

    >>> import weft
    >>> weft.ravel_multi_index(([1, 1], [2, 0]), (2, 3)).tolist()
    [5, 3]
    """
    sizes = shape_of("ravel_multi_index", shape)
    one_of("ravel_multi_index", "order", order, "CF", "orders are 'C' and 'F'")
    given = [_integers("ravel_multi_index", i) for i in sequence("ravel_multi_index", "indices", indices)]
    modes = (mode,) * len(sizes) if isinstance(mode, str) else sequence("ravel_multi_index", "modes", mode)
    if len(given) != len(sizes) or len(modes) != len(sizes) or any(m not in ("raise", "wrap", "clip") for m in modes):
        raise ValueRangeError(
            f"ravel_multi_index: {len(given)} indices and modes {modes} for shape {sizes}; every axis has an index and "
            "a mode of raise, wrap, clip; give as many"
        )
    made: Any = 0
    for axis in range(len(sizes))[:: 1 if order == "C" else -1]:
        made = made * sizes[axis] + _inside(given[axis], sizes[axis], modes[axis])
    return as_tensor(made)


def _inside(at: Tensor, n: int, mode: str) -> Tensor:
    """Return positions on an axis of size n; `mode` "wrap" or "clip" moves those outside into it.

    With "raise", raises IndexOutOfBounds for a position outside.
    """
    if mode == "raise":
        _check_inside("ravel_multi_index", read(at), n)
        return at
    return el.remainder(at, max(n, 1)) if mode == "wrap" else el.clip(at, 0, max(n - 1, 0))  # type: ignore[attr-defined, no-any-return]


def _integers(name: str, x: Any) -> Tensor:
    """Return positions as int64; raises DTypeError, naming function `name`, for other dtypes than integers."""
    x = as_tensor(x)
    if not x.dtype.is_integer and x.size:
        raise DTypeError(f"{name}: positions of {x.dtype.name}; they are integers; convert them")
    return el.astype(x, dt.int64, copy=False)


def _check_inside(name: str, at: np.ndarray, n: int) -> None:
    """Raise IndexOutOfBounds, naming function `name`, for a position that is not in 0 to n - 1."""
    wrong = at[(at < 0) | (at >= n)]
    if wrong.size:
        raise IndexOutOfBounds(f"{name}: position {wrong[0]} of {n}; it lies outside; positions count from 0")


def flatnonzero(x: Any, /) -> Tensor:
    """Return the positions of non-zero cells in the flattened tensor, as int64.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.flatnonzero(weft.asarray([[0, 3], [5, 0]])).tolist()
    [1, 2]
    """
    return nonzero(reshape(as_tensor(x), (-1,)))[0]


def indices(shape: Any, /, dtype: Any = None, sparse: bool = False) -> Any:
    """Return the coordinates of all cells of a shape (n axes) as one tensor (n, *shape).

    With sparse=True, a tuple of n tensors that broadcast to the shape. Raises ShapeError for a negative size and,
    unless sparse, a shape without axes; DTypeError for sizes that are no integers.

    >>> import weft
    >>> weft.indices((2, 2)).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    sizes = shape_of("indices", shape)
    if sparse:
        thin = [tuple([n if a == axis else 1 for a, n in enumerate(sizes)]) for axis in range(len(sizes))]
        return tuple([iota(s, axis=axis, dtype=dtype) for axis, s in enumerate(thin)])
    if not sizes:
        raise ShapeError("indices: shape (); a number has no coordinates; give an axis at least")
    return stack([iota(sizes, axis=axis, dtype=dtype) for axis in range(len(sizes))])


def ix_(*vectors: Any) -> tuple[Tensor, ...]:
    """Return vectors of positions or masks, shaped so that x[ix_(rows, columns)] selects every row with every column.

    Raises ShapeError unless all are vectors, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.arange(6).reshape(2, 3)[weft.ix_([1], [0, 2])].tolist()
    [[3, 5]]
    """
    made = []
    for axis, given in enumerate(vectors):
        v = as_tensor(given)
        if v.ndim != 1:
            raise ShapeError(f"ix_: positions of shape {v.shape}; each operand is a vector; flatten it")
        v = nonzero(v)[0] if v.dtype is dt.bool else v if v.size else el.astype(v, dt.int64)
        made.append(reshape(v, tuple([v.size if a == axis else 1 for a in range(len(vectors))])))
    return tuple(made)


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Return the positions of the main diagonal of `ndim` axes of size n, a vector for each axis.

    Raises DTypeError for numbers that are no integers.

    >>> import weft
    >>> [i.tolist() for i in weft.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    return (arange(integer("diag_indices", "n", n)),) * integer("diag_indices", "ndim", ndim)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the row and column numbers of the cells of an (n, m) matrix on and below its k-th diagonal.

    m is n by default. Raises ShapeError for a negative size, DTypeError for numbers that are no integers.

    >>> import weft
    >>> [i.tolist() for i in weft.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    return nonzero(tri(n, m, k=k, dtype=dt.bool))  # type: ignore[return-value]


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the row and column numbers of the cells of an (n, m) matrix on and above its k-th diagonal.

    m is n by default. Raises ShapeError for a negative size, DTypeError for numbers that are no integers.

    >>> import weft
    >>> [i.tolist() for i in weft.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    below = tri(n, m, k=integer("triu_indices", "k", k) - 1, dtype=dt.bool)
    return nonzero(el.logical_not(below))  # type: ignore[attr-defined, return-value]


def diag_indices_from(x: Any, /) -> tuple[Tensor, ...]:
    """Return the positions of the main diagonal of a tensor of rank 2 or more and equal sizes.

    Raises ShapeError for other ranks or sizes, DTypeError for an object without numbers.

    >>> import weft
    >>> [i.tolist() for i in weft.diag_indices_from(weft.ones((2, 2)))]
    [[0, 1], [0, 1]]
    """
    x = as_tensor(x)
    if x.ndim < 2 or len(set(x.shape)) > 1:
        raise ShapeError(f"diag_indices_from: shape {x.shape}; sizes of a diagonal are equal; use fill_diagonal")
    return diag_indices(x.shape[0], x.ndim)


def tril_indices_from(x: Any, /, k: int = 0) -> tuple[Tensor, Tensor]:
    """Return the rows and columns of the cells of a matrix x on and below its k-th diagonal.

    Raises ShapeError if x is no matrix, DTypeError if k is no integer.

    >>> import weft
    >>> [i.tolist() for i in weft.tril_indices_from(weft.ones((2, 3)))]
    [[0, 1, 1], [0, 0, 1]]
    """
    return tril_indices(*_rows("tril_indices_from", x, k))


def triu_indices_from(x: Any, /, k: int = 0) -> tuple[Tensor, Tensor]:
    """Return the rows and columns of the cells of a matrix x on and above its k-th diagonal.

    Raises ShapeError if x is no matrix, DTypeError if k is no integer.

    >>> import weft
    >>> [i.tolist() for i in weft.triu_indices_from(weft.ones((2, 3)), 1)]
    [[0, 0, 1], [1, 2, 2]]
    """
    return triu_indices(*_rows("triu_indices_from", x, k))


def _rows(name: str, x: Any, k: int) -> tuple[int, int, int]:
    """Return (number of rows of a matrix, `k` unchanged, number of columns).

    Raises ShapeError unless x has rank 2, DTypeError for an object without numbers.
    """
    x = as_tensor(x)
    if x.ndim != 2:
        raise ShapeError(f"{name}: shape {x.shape}; triangles are those of a matrix; reshape it")
    return x.shape[0], k, x.shape[1]


def put_along_axis(x: Tensor, indices: Any, /, values: Any, axis: int = -1) -> None:
    """Write values to the cells of x that `take_along_axis(x, indices, axis)` reads.

    Raises ShapeError if the ranks of x and indices differ, IndexOutOfBounds for an index outside of the axis, AxisError
    for an axis that x lacks, DTypeError if x is no tensor or indices are no integers.

    >>> import weft
    >>> x = weft.zeros((2, 2))
    >>> weft.put_along_axis(x, [[1], [0]], 5.0, axis=1)
    >>> x.tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """
    tensor_given("put_along_axis", x)
    at, axis = as_tensor(indices), one_axis("put_along_axis", axis, x.ndim)
    if at.ndim != x.ndim:
        raise ShapeError(f"put_along_axis: shapes {x.shape} and {at.shape}; ranks must agree; expand_dims one of them")
    key = [reshape(arange(n), tuple([-1 if a == b else 1 for b in range(x.ndim)])) for a, n in enumerate(x.shape)]
    key[axis] = at
    x[tuple(key)] = values  # type: ignore[index]


def fill_diagonal(x: Tensor, value: Any, /, wrap: bool = False) -> None:
    """Write a value, or one for each cell, to the main diagonal of x. Its cells have equal indices along all axes.

    With wrap=True the diagonal of a matrix begins again one row below its end, as often as there are rows. Raises
    ShapeError if x is no tensor, has a rank below 2, or one above 2 and different sizes; DTypeError for a value that x
    cannot hold.

    >>> import weft
    >>> x = weft.zeros((2, 3))
    >>> weft.fill_diagonal(x, [5, 6])
    >>> x.tolist()
    [[5.0, 0.0, 0.0], [0.0, 6.0, 0.0]]
    """
    if not isinstance(x, Tensor) or x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        told = f"shape {x.shape}" if isinstance(x, Tensor) else type(x).__name__
        raise ShapeError(f"fill_diagonal: {told}; a tensor of rank 2, or of equal sizes, has one; give another")
    if x.ndim == 2 and wrap:
        rows, columns = x.shape
        at = np.arange(0, rows * columns, columns + 1)
        x[at // columns, at % columns] = value  # type: ignore[index]
    elif x.ndim == 2:
        diagonal(x)[...] = value  # type: ignore[index]
    else:
        x[diag_indices(x.shape[0], x.ndim)] = value  # type: ignore[index]


def lexsort(keys: Any, /, axis: int = -1) -> Tensor:
    """Return the positions (int64) that sort by several keys along an axis; the last key decides first.

    Raises ShapeError if there is no key or shapes differ, AxisError for an axis that they lack, DTypeError if `keys` is
    no sequence, DTypeError for complex cells.

    >>> import weft
    >>> weft.lexsort(([3, 1, 2], [0, 1, 0])).tolist()
    [2, 0, 1]
    """
    parts = [as_tensor(k) for k in sequence("lexsort", "keys", keys)]
    if not parts or not parts[0].ndim:
        raise ShapeError("lexsort: no keys with an axis; at least one is sorted by; give a sequence of vectors")
    order = argsort(parts[0], axis=axis)
    for key in parts[1:]:
        if key.shape != parts[0].shape:
            raise ShapeError(f"lexsort: keys of shapes {parts[0].shape} and {key.shape}; all have one; broadcast them")
        order = take_along_axis(order, argsort(take_along_axis(key, order, axis=axis), axis=axis), axis=axis)
    return order


@from_template(1)
def packbits(x: Any, /, axis: int | None = None, bitorder: str = "big") -> Tensor:
    """Return bytes (uint8) with one bit for each nonzero cell, eight cells to a byte.

    The last byte is padded with 0 bits. Without an axis x is flattened; `bitorder` "little" puts the first cell in the
    lowest bit. Raises DTypeError unless cells are bools or integers, ValueRangeError for another `bitorder`, AxisError
    for an axis that x lacks.

    >>> import weft
    >>> weft.packbits(weft.asarray([1, 0, 1, 0, 0, 0, 0, 1, 1])).tolist()
    [161, 128]
    """
    x, axis, weights = _bits("packbits", x, axis, bitorder)
    n = x.shape[axis]
    full = (*x.shape[:axis], -n % 8, *x.shape[axis + 1 :])
    on = el.not_equal(x, 0) if x.dtype is not dt.bool else x  # type: ignore[attr-defined]
    if n % 8:
        on = concat([on, broadcast_to(as_tensor(False), full)], axis=axis)
    eights = reshape(on, (*x.shape[:axis], -(-n // 8), 8, *x.shape[axis + 1 :]))
    return st.sum(el.where(eights, weights, 0), axis=axis + 1, dtype=dt.uint8)


@from_template(1)
def unpackbits(x: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Tensor:
    """Return the bits of bytes (uint8) as 0 and 1, eight for each along an axis; `count` says how many are kept.

    Without an axis x is flattened. Raises DTypeError if x is not uint8, ValueRangeError for another `bitorder`,
    AxisError for an axis that x lacks.

    >>> import weft
    >>> weft.unpackbits(weft.asarray([5], dtype=weft.uint8)).tolist()
    [0, 0, 0, 0, 0, 1, 0, 1]
    """
    x, axis, weights = _bits("unpackbits", x, axis, bitorder)
    if x.dtype is not dt.uint8:
        raise DTypeError(f"unpackbits: {x.dtype.name} cells; bits are those of bytes; convert with astype(weft.uint8)")
    bits = el.not_equal(el.bitwise_and(expand_dims(x, axis=axis + 1), weights), 0)  # type: ignore[attr-defined]
    made = reshape(el.astype(bits, dt.uint8), (*x.shape[:axis], 8 * x.shape[axis], *x.shape[axis + 1 :]))
    if count is None:
        return made
    size = integer("unpackbits", "count", count)
    size = made.shape[axis] + size if size < 0 else size
    more = size - made.shape[axis]
    if more > 0:
        zeros = broadcast_to(el.astype(as_tensor(0), dt.uint8), (*x.shape[:axis], more, *x.shape[axis + 1 :]))
        return concat([made, zeros], axis=axis)
    return made[(slice(None),) * axis + (slice(max(size, 0)),)]  # type: ignore[index, no-any-return]


def _bits(name: str, x: Any, axis: int | None, bitorder: str) -> tuple[Tensor, int, Tensor]:
    """Return (x as a tensor, its axis, the values of a byte's bits along a new axis after it).

    Raises DTypeError unless cells are bools or integers, ValueRangeError for an unknown `bitorder`, AxisError for an
    axis that x lacks.
    """
    x = as_tensor(x)
    if x.dtype.kind not in ("bool", "int", "uint"):
        raise DTypeError(f"{name}: {x.dtype.name} cells; bits are those of bools and integers; compare with 0 first")
    one_of(name, "bitorder", bitorder, ("big", "little"), "orders are 'big' and 'little'")
    x, axis = along(name, x, axis)
    values = [1 << (7 - i if bitorder == "big" else i) for i in range(8)]
    return x, axis, reshape(asarray(values, dtype=dt.uint8), (8,) + (1,) * (x.ndim - axis - 1))
