"""Norms, ranks, pseudo-inverses and products of matrices that other functions compose.

The one idea: nothing here is a routine of its own: norms are element-wise functions and reductions, which fuse, or
reductions of singular values.  Sums of halves are taken in float32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer, many_axes, number
from weft.api.numpy.shapes import adjoint
from weft.api.precision import inexact, rounded, wide
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import zeros
from weft.api.standard.data_type_functions import finfo
from weft.api.standard.factorisations import inv, matrices, svd, svdvals
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import broadcast_to, copy, expand_dims, reshape, roll  # fmt: skip
from weft.api.standard.manipulation_functions import diagonal as any_diagonal
from weft.api.standard.matrices import eye
from weft.errors import ShapeError, ValueRangeError
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor


# ---- norms
@from_template(1)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """Return the norm of vectors along an axis, or of all cells of several axes (default: all).

    ord: 2 for the root of the sum of squares, any number p for the sum of |x|ᵖ to 1/p, inf and -inf for the greatest
    and least |x|, 0 for the number of nonzero cells. The result has x's real dtype (float64 for integers). Raises
    DTypeError for bools and an `ord` that is no number, AxisError for an axis that x lacks, ShapeError for ord=-inf of
    no cells.

    >>> import weft
    >>> weft.linalg.vector_norm(weft.asarray([3.0, -4.0])).item()
    5.0
    """
    x = inexact("vector_norm", x)
    p = number("vector_norm", ord)
    size = el.abs(wide(x))
    axes = many_axes("vector_norm", axis, x.ndim)
    given: dict[str, Any] = {"axis": axes, "keepdims": keepdims}
    if p == inf:
        found = _greatest(size, **given)
    elif p == -inf:
        found = st.min(size, **given)
    elif p == 0:
        found = el.astype(st.count_nonzero(size, **given), size.dtype)
    elif p == 1:
        found = st.sum(size, **given)
    elif p == 2:
        found = el.length(st.sum(_squared(_in_doubles(x)), **given), el.sqrt)
    else:
        powers = st.sum(el.pow(el.abs(_in_doubles(x)), p), **given)
        found = el.length(powers, lambda s: el.pow(s, 1 / p)) if p > 1 else el.pow(powers, 1 / p)
    return rounded(found, x.dtype.real)


def _in_doubles(x: Tensor) -> Tensor:
    """Return a tensor in float64 or complex128, in which powers of narrower dtypes neither overflow nor underflow."""
    return el.astype(x, dt.complex128 if x.dtype.kind == "complex" else dt.float64, copy=False)


def _squared(x: Tensor) -> Tensor:
    """Return |x|² for each cell, without taking a root."""
    if x.dtype.kind == "complex":
        return el.square(el.real(x)) + el.square(el.imag(x))
    return el.square(x)


def _greatest(size: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """Return the maximum over axes, 0 if they are empty."""
    empty = 0 in [size.shape[a] for a in axis]
    return st.sum(size, axis=axis, keepdims=keepdims) if empty else st.max(size, axis=axis, keepdims=keepdims)


_COLUMNS, _ROWS = (-2, -1), (-1, -2)  # (summed axis, axis of the extreme)
_SUMS: dict[Any, tuple[tuple[int, int], Callable[..., Tensor]]] = {
    1: (_COLUMNS, _greatest),
    -1: (_COLUMNS, st.min),
    inf: (_ROWS, _greatest),
    -inf: (_ROWS, st.min),
}


@from_template(1)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Return the norm of each matrix: x (..., m, n) gives (...), or (..., 1, 1) with keepdims, of x's real dtype.

    ord: "fro" for the root of the sum of squares, "nuc" for the sum of the singular values, 2 and -2 for the greatest
    and least of them, 1 and -1 for the greatest and least sum of a column of |x|, inf and -inf of a row. Raises
    ValueRangeError for others, ShapeError for a rank below 2, DTypeError for bools.

    >>> import weft
    >>> weft.linalg.matrix_norm(weft.asarray([[3.0, 0.0], [0.0, 4.0]]), ord="nuc").item()
    7.0
    """
    x = matrices("matrix_norm", x)
    if not isinstance(ord, (str, int, float)):
        ord = number("matrix_norm", ord)
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        values = svdvals(wide(x))
        last = {"axis": (-1,), "keepdims": False}
        found = (_greatest if ord == 2 else st.min if ord == -2 else st.sum)(values, **last)
    elif ord in _SUMS:
        (summed, over), extreme = _SUMS[ord]
        sums = st.sum(el.abs(wide(x)), axis=summed, keepdims=True)
        found = reshape(extreme(sums, axis=(over,), keepdims=True), x.shape[:-2])
    else:
        raise ValueRangeError(
            f"matrix_norm: ord {ord!r}; there are 'fro', 'nuc', 1, -1, 2, -2, inf and -inf; name one of them"
        )
    found = rounded(found, x.dtype.real)
    return expand_dims(found, (-2, -1)) if keepdims else found


# ---- by singular values
def _tolerance(rtol: Any, x: Tensor) -> Any:
    """Return the factor of the greatest singular value up to which singular values count as zero.

    Raises DTypeError for an object without numbers.
    """
    if rtol is None:
        return max(x.shape[-2:]) * finfo(x.dtype.real).eps
    rtol = rtol if isinstance(rtol, (int, float)) else as_tensor(rtol)
    return expand_dims(rtol, -1) if isinstance(rtol, Tensor) and rtol.ndim else rtol


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Tensor:
    """Return the number of singular values above rtol times the greatest: x (..., m, n) gives int64 (...).

    rtol: a number or a tensor that broadcasts to (...); by default max(m, n) times the dtype's eps. Raises
    `errors.LinAlgError`, when the value is computed, for a matrix with NaN or inf. Raises ShapeError for a rank below
    2, DTypeError for bools.

    >>> import weft
    >>> weft.linalg.matrix_rank(weft.asarray([[1.0, 2.0], [2.0, 4.0]])).item()
    1
    """
    x = matrices("matrix_rank", x)
    values = svdvals(wide(x))
    if not values.shape[-1]:
        return zeros(x.shape[:-2], dtype=dt.int64, device=x.device)
    least = st.max(values, axis=-1, keepdims=True) * _tolerance(rtol, x)
    return st.count_nonzero(values > least, axis=-1)


@from_template(1)
def pinv(x: Any, /, *, rtol: Any = None) -> Tensor:
    """Return the pseudo-inverse of each matrix: x (..., m, n) gives (..., n, m).

    Singular values up to rtol times the greatest count as zero; rtol as in `matrix_rank`. Raises ShapeError for a rank
    below 2, DTypeError for bools.

    >>> import weft
    >>> weft.round(weft.linalg.pinv(weft.asarray([[2.0], [0.0]]))).tolist()
    [[0.0, 0.0]]
    >>> weft.linalg.pinv(weft.asarray([[2.0, 0.0]])).tolist()
    [[0.5], [0.0]]
    """
    x = matrices("pinv", x)
    m, n = x.shape[-2:]
    if not min(m, n):
        return zeros((*x.shape[:-2], n, m), dtype=x.dtype, device=x.device)
    u, s, vh = svd(wide(x), full_matrices=False)
    least = st.max(s, axis=-1, keepdims=True) * _tolerance(rtol, x)
    gone = s <= least  # False for NaN, so that NaN propagates
    inverse = el.where(gone, 0.0, 1 / el.where(gone, 1.0, s))
    found = matmul(adjoint(vh) * expand_dims(inverse, -2), adjoint(u))
    return rounded(found, x.dtype)


# ---- products and parts
def matrix_power(x: Any, n: int, /) -> Tensor:
    """Return square matrices raised to an integer power; a negative power is of the inverse, 0 gives the identity.

    Raises ShapeError unless the last two axes are square matrices, DTypeError for an n that is no integer, and
    LinAlgError, when the value is computed, for a negative power of a singular matrix.

    Integers keep their dtype and wrap for n >= 0.

    >>> import weft
    >>> weft.linalg.matrix_power(weft.asarray([[1, 1], [1, 0]]), 5).tolist()
    [[8, 5], [5, 3]]
    """
    n = integer("matrix_power", "n", n)
    whole = as_tensor(x)
    keeps = n >= 0 and whole.dtype.is_integer
    matrices("matrix_power", whole, square=True)
    kept = whole if keeps else matrices("matrix_power", whole, square=True)
    base = wide(kept)
    if n == 0:
        return copy(broadcast_to(eye(kept.shape[-1], dtype=kept.dtype, device=kept.device), kept.shape))
    if n < 0:
        base, n = inv(base), -n
    found = None
    while True:
        if n & 1:
            found = base if found is None else matmul(found, base)
        n >>= 1
        if not n:
            break
        base = matmul(base, base)
    found = rounded(found, kept.dtype)
    return copy(found) if found is whole else found


@from_template(2)
def outer(x1: Any, x2: Any, /) -> Tensor:
    """Return the products of all cells of two vectors: (n,) and (m,) give (n, m).

    Raises ShapeError for other ranks, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.linalg.outer(weft.asarray([1, 2]), weft.asarray([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    a, b = as_tensor(x1), as_tensor(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ShapeError(f"outer: shapes {a.shape} and {b.shape}; two vectors are needed; reshape them first")
    return expand_dims(a, 1) * expand_dims(b, 0)  # type: ignore[no-any-return,operator]


@from_template(2)
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Return cross products of vectors of 3 cells along an axis, counted from the last; other axes broadcast.

    Raises ShapeError for vectors of other sizes or axes that an operand lacks, DTypeError for an axis that is no
    integer.

    >>> import weft
    >>> weft.linalg.cross(weft.asarray([1, 0, 0]), weft.asarray([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    a, b = as_tensor(x1), as_tensor(x2)
    axis = integer("cross", "axis", axis)
    if axis >= 0 and a.ndim == b.ndim:
        axis -= a.ndim
    for t in (a, b):
        if not -t.ndim <= axis < 0 or t.shape[axis] != 3:
            raise ShapeError(
                f"cross: axis {axis} of shapes {a.shape} and {b.shape}; vectors of 3 cells are needed along an axis "
                "counted from the last; name another axis, or slice"
            )

    def turned(t: Tensor, by: int) -> Tensor:
        return roll(t, -by, axis=axis)

    def product(a: Tensor, b: Tensor) -> Tensor:
        return turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1)  # type: ignore[operator,no-any-return]

    found = product(a, b)
    dtype = found.dtype
    return found if dtype.compute is dtype else rounded(product(wide(a), wide(b)), dtype)


def diagonal(x: Any, /, *, offset: int = 0) -> Tensor:
    """Return the diagonal of each matrix, as a view: x (..., m, n) gives (..., k), `offset` columns to the right.

    Raises ShapeError if x has a rank below 2, DTypeError for an offset that is no integer.

    >>> import weft
    >>> weft.linalg.diagonal(weft.asarray([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    x = as_tensor(x)
    if x.ndim < 2:
        raise ShapeError(f"diagonal: shape {x.shape}; matrices have two axes; reshape it first")
    return any_diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """Return the sum of the diagonal of each matrix: x (..., m, n) gives (...); dtypes as in `weft.sum`.

    `offset` counts columns to the right. Raises ShapeError for a rank below 2, DTypeError for float8 cells.

    >>> import weft
    >>> weft.linalg.trace(weft.asarray([[1, 2], [3, 4]])).item()
    5
    """
    return st.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)
