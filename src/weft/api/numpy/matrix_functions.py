"""Least squares, the exponential of a matrix, norms by NumPy's name, condition numbers, chains of products.

The one idea: all are composed of factorisations and products; values are computed at once only for a rank, and for the
number of times that a matrix is halved before its exponential.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, factorial, inf, log2, prod
from string import ascii_letters
from typing import Any, NamedTuple

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer, is_one, many_axes, number, sequence
from weft.api.numpy.einsum import einsum
from weft.api.numpy.shapes import adjoint
from weft.api.precision import inexact, rounded, wide
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import zeros
from weft.api.standard.data_type_functions import finfo, result_type
from weft.api.standard.factorisations import inv, matrices, slogdet, solve, svd, svdvals
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import expand_dims, moveaxis, reshape
from weft.api.standard.matrices import eye
from weft.api.standard.norms import matrix_norm, vector_norm
from weft.errors import ShapeError, ValueRangeError
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor


class LstsqResult(NamedTuple):
    """The result of `lstsq`: solution, residuals, rank and singular values."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def lstsq(a: Any, b: Any, /, rcond: float | None = None) -> LstsqResult:
    """Return the x that minimises |b - a @ x|, the shortest if there are several, by least squares.

    `a` is a matrix (m, n), `b` a vector (m,) or a matrix (m, k) with a problem in each column.

    Singular values up to `rcond` times the greatest count as 0 (by default, the greater size of `a` times the unit of
    its dtype). The residuals are the sums of squares that are left, and empty where the rank is not full or `a` has no
    more rows than columns. Raises ShapeError unless `a` and `b` have these shapes, DTypeError for bools.

    >>> import weft
    >>> found = weft.linalg.lstsq(weft.asarray([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]), weft.asarray([1.0, 3.0, 5.0]))
    >>> weft.round(found.solution, 6).tolist(), found.rank.item()
    ([2.0, 1.0], 2)
    """
    a, b = matrices("lstsq", a), inexact("lstsq", b)
    if a.ndim != 2 or b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
        raise ShapeError(
            f"lstsq: shapes {a.shape} and {b.shape}; a matrix and as many rows of values are needed; reshape"
        )
    joined = result_type(a, b)
    m, n = a.shape
    if not m or not n:
        empty = zeros((n, *b.shape[1:]), dtype=joined, device=a.device)
        nothing = zeros((0,), dtype=joined.real, device=a.device)
        squares = el.square(el.abs(b if b.ndim == 2 else expand_dims(b, axis=1)))  # type: ignore[attr-defined]
        return LstsqResult(empty, nothing if n else st.sum(squares, axis=0), as_tensor(0), nothing)
    a, b = (el.astype(x, joined.compute, copy=False) for x in (a, b))
    columns = b if b.ndim == 2 else expand_dims(b, axis=1)
    x, rank, s = shortest_solution(a, columns, rcond, finfo(joined.real).eps)
    if m > n and rank.item() == n:  # type: ignore[attr-defined]
        left = st.sum(el.square(el.abs(columns - matmul(a, x))), axis=0)  # type: ignore[attr-defined]
    else:
        left = zeros((0,), dtype=joined.real, device=a.device)
    solution = x if b.ndim == 2 else reshape(x, (n,))
    return LstsqResult(rounded(solution, joined), rounded(left, joined.real), rank, rounded(s, joined.real))


def shortest_solution(a: Tensor, b: Tensor, rcond: float | None, unit: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return (x of least norm that minimises |b - a @ x|, the rank, the singular values), all pending.

    Singular values of at most `rcond` times the greatest count as 0. `unit` is the machine epsilon of the data's dtype;
    it replaces a negative `rcond`, and None means `unit * max(a.shape)`.
    """
    cut = unit * max(a.shape) if rcond is None else float(number("lstsq", rcond))
    u, s, vh = svd(a, full_matrices=False)
    used = el.greater(s, s[0] * (unit if cut < 0 else cut))  # type: ignore[attr-defined, index]
    along = expand_dims(el.where(used, 1 / el.where(used, s, 1.0), 0.0), axis=1)
    x = matmul(adjoint(vh), el.astype(along, a.dtype) * matmul(adjoint(u), b))
    return x, st.count_nonzero(used), s


_ORDER = 13  # the order q of the Padé approximant, with coefficients (2q - k)! q! / ((2q)! k! (q - k)!)
_PADE = [
    factorial(2 * _ORDER - k) * factorial(_ORDER) / (factorial(2 * _ORDER) * factorial(k) * factorial(_ORDER - k))
    for k in range(_ORDER + 1)
]
_REACH = 5.371920351148152  # the norm up to which it is exact in float64 (Higham 2005)


def expm(x: Any, /) -> Tensor:
    """Return the matrix exponential of square matrices: the sum of x ** k / k! over k.

    A Padé approximant after scaling, and squarings (Higham 2005); their number depends on the values, which are
    computed at once. Raises ShapeError if matrices are not square, ValueRangeError if a value is not finite, DTypeError
    for bools.

    >>> import weft
    >>> weft.round(weft.linalg.expm(weft.asarray([[0.0, 1.0], [0.0, 0.0]])), 9).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    x = matrices("expm", x, square=True)
    given, x = x.dtype, wide(x)
    if not x.size:
        return rounded(x * 1, given)
    size = float(st.max(matrix_norm(x, ord=1)).item())  # type: ignore[attr-defined]
    if not size < inf:
        raise ValueRangeError(f"expm: a norm of {size}; an exponential is defined for finite values; check them first")
    times = max(0, ceil(log2(size / _REACH))) if size > 0 else 0
    x = x / 2.0**times
    one = el.astype(eye(x.shape[-1]), x.dtype)
    even, odd, power = _PADE[0] * one, _PADE[1] * one, one
    square = matmul(x, x)
    for k in range(2, _ORDER + 1, 2):
        power = matmul(power, square)
        even = even + _PADE[k] * power
        odd = odd + _PADE[k + 1] * power if k < _ORDER else odd
    odd = matmul(x, odd)
    made = solve(even - odd, even + odd)
    for _ in range(times):
        made = matmul(made, made)
    return rounded(made, given)


@from_template(1)
def norm(x: Any, /, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return the norm of vectors along one axis, of matrices over two, or of all cells without `axis`.

    Without `ord` the root of the sum of squares. Without `axis`, `ord` asks for x as one vector or one matrix. Raises
    ShapeError unless there are one or two axes, AxisError for an axis that x lacks, ValueRangeError for an unknown
    `ord` of matrices, DTypeError for one of vectors that is no number.

    >>> import weft
    >>> weft.linalg.norm(weft.asarray([[3.0, 0.0], [0.0, 4.0]])).item(), weft.linalg.norm([3.0, -4.0], 1).item()
    (5.0, 7.0)
    """
    x = as_tensor(x)
    x = inexact("norm", el.astype(x, dt.float64) if x.dtype is dt.bool else x)
    if axis is None and (ord is None or x.ndim == 1):
        return vector_norm(x, keepdims=keepdims, ord=2 if ord is None else ord)
    axes = many_axes("norm", axis, x.ndim)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ShapeError(f"norm: axes {axes} of shape {x.shape}; a norm is one of vectors or matrices; name one or two")
    made = matrix_norm(moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    return expand_dims(made, axis=tuple(sorted(axes))) if keepdims else made


def cond(x: Any, /, p: Any = None) -> Tensor:
    """Return the condition number of matrices: the norm of each times that of its inverse (default: 2-norms).

    Raises ShapeError for matrices without cells, and with `p` other than 2 and -2 for matrices that are not square;
    ValueRangeError for an unknown `p`, DTypeError for bools.

    >>> import weft
    >>> weft.linalg.cond(weft.asarray([[2.0, 0.0], [0.0, 4.0]])).item()
    2.0
    """
    x = matrices("cond", x)
    if not x.shape[-1] or not x.shape[-2]:
        raise ShapeError(f"cond: shape {x.shape}; matrices without cells have no condition; give others")
    given, x = x.dtype.real, wide(x)
    if p is None or (is_one(p) and abs(p) == 2):
        s = svdvals(x)
        least, most = st.min(s, axis=-1), st.max(s, axis=-1)
        return rounded(least / most if p == -2 else most / least, given)
    x = matrices("cond", x, square=True)
    singular = el.equal(slogdet(x).sign, 0)  # type: ignore[attr-defined]
    regular = el.where(expand_dims(singular, axis=(-2, -1)), eye(x.shape[-1], dtype=x.dtype), x)
    return rounded(el.where(singular, inf, matrix_norm(x, ord=p) * matrix_norm(inv(regular), ord=p)), given)


def multi_dot(arrays: Sequence[Any], /) -> Tensor:
    """Return the product of several matrices in the order that costs least; the first and the last may be vectors.

    Raises ShapeError for fewer than two operands, other ranks, or inner sizes that differ, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.linalg.multi_dot([weft.ones((2, 3)), weft.ones((3, 4)), weft.ones(4)]).tolist()
    [12.0, 12.0]
    """
    parts = [as_tensor(a) for a in sequence("multi_dot", "operands", arrays)]
    ranks = [p.ndim for p in parts]
    if len(parts) < 2 or any(r not in (1, 2) for r in ranks) or any(r != 2 for r in ranks[1:-1]):
        raise ShapeError(
            f"multi_dot: operands of ranks {ranks}; they are matrices, at the ends vectors too; reshape them"
        )
    letters = ascii_letters
    names = [letters[i : i + 2] for i in range(len(parts))]
    names[0] = names[0][1:] if ranks[0] == 1 else names[0]
    names[-1] = names[-1][:1] if ranks[-1] == 1 else names[-1]
    kept = (names[0][0] if ranks[0] == 2 else "") + (names[-1][1] if ranks[-1] == 2 else "")
    if len(parts) > len(letters) - 1:
        return matmul(multi_dot(parts[: len(parts) // 2]), multi_dot(parts[len(parts) // 2 :]))
    return einsum(f"{','.join(names)}->{kept}", *parts)


def tensorinv(x: Any, /, ind: int = 2) -> Tensor:
    """Return the inverse of x as a linear map from its last axes to its first `ind` axes.

    `x` is converted to floats, `ind` is an integer (else DTypeError is raised). Its shape is x.shape[ind:] +
    x.shape[:ind]. Raises ShapeError unless both groups of axes have as many cells, and LinAlgError, when the value is
    computed, for a singular x.

    >>> import weft
    >>> weft.linalg.tensorinv(weft.reshape(weft.eye(4) * 2, (4, 2, 2)), ind=1).shape
    (2, 2, 4)
    """
    x, at = inexact("tensorinv", x), integer("tensorinv", "ind", ind)
    rows, columns = x.shape[:at], x.shape[at:]
    if at < 1 or prod(rows) != prod(columns):
        raise ShapeError(
            f"tensorinv: {rows} and {columns} of shape {x.shape}; as many cells in both have an inverse; change ind"
        )
    return reshape(inv(reshape(x, (prod(columns), prod(rows)))), (*columns, *rows))


def tensorsolve(a: Any, b: Any, /, axes: Any = None) -> Tensor:
    """Return the tensor x of shape a.shape[b.ndim:] for which the sum of products with a over these axes is b.

    `axes` of a are moved to its end first. Raises ShapeError unless x has as many cells as b, AxisError for axes that
    `a` lacks, DTypeError for an object without numbers; LinAlgError, when the value is computed, for a singular `a`.

    >>> import weft
    >>> weft.linalg.tensorsolve(weft.reshape(weft.eye(4) * 2, (4, 2, 2)), weft.ones(4)).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    a, b = inexact("tensorsolve", a), inexact("tensorsolve", b)
    if axes is not None:
        last = many_axes("tensorsolve", axes, a.ndim)
        a = moveaxis(a, last, tuple(range(a.ndim - len(last), a.ndim)))
    shape = a.shape[b.ndim :]
    if prod(shape) != b.size or a.size != b.size**2:
        raise ShapeError(
            f"tensorsolve: shapes {a.shape} and {b.shape}; there is an equation for each cell; reshape them"
        )
    return reshape(solve(reshape(a, (b.size, b.size)), reshape(b, (-1,))), shape)
