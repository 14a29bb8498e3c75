"""Polynomials as vectors of coefficients, the highest power first, as in NumPy.

The one idea: values and derivatives are sums of shifted products; roots are eigenvalues, and a fit is least squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer
from weft.api.numpy.matrix_functions import lstsq, shortest_solution
from weft.api.numpy.padding import pad
from weft.api.numpy.sequences import convolve
from weft.api.precision import inexact, rounded
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import ones, zeros
from weft.api.standard.data_type_functions import finfo, result_type
from weft.api.standard.factorisations import eigvals, inv
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import concat, expand_dims, matrix_transpose, reshape
from weft.api.standard.matrices import diag
from weft.api.standard.norms import outer
from weft.api.standard.ranges import arange
from weft.errors import ShapeError, ValueRangeError
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, read

_GONE = 1e-8  # coefficients of a remainder that NumPy counts as 0
_MOST_INTEGRALS = 4096


def _coefficients(name: str, p: Any) -> Tensor:
    """Return coefficients as a vector; raises ShapeError, naming function `name`, for a rank above 1.

    Raises DTypeError for an object without numbers.
    """
    p = as_tensor(p)
    if p.ndim > 1:
        raise ShapeError(f"{name}: coefficients of shape {p.shape}; they are a vector; flatten them")
    return reshape(p, (-1,))


@from_template(2)
def polyval(p: Any, x: Any, /) -> Tensor:
    """Return the values of a polynomial at each cell of x, by Horner's rule.

    `p` has its coefficients, highest power first. Raises ShapeError if they are no vector, DTypeError for an object
    without numbers.

    >>> import weft
    >>> weft.polyval([1, 0, 2], weft.asarray([0, 1, 2])).tolist()
    [2, 3, 6]
    """
    p, x = _coefficients("polyval", p), as_tensor(x)
    made = el.astype(x, result_type(p, x)) * 0
    for i in range(p.size):
        made = made * x + p[i, ...]  # type: ignore[index]
    return made


@from_template(1)
def vander(x: Any, /, n: int | None = None, *, increasing: bool = False) -> Tensor:
    """Return the matrix whose row i has n powers of x[i], by default in descending order.

    `n` is by default the length of x. Powers of integers are int64, those of uint64 are uint64. Raises ShapeError if x
    is no vector, ValueRangeError if n is negative, DTypeError if it is no integer.

    >>> import weft
    >>> weft.vander(weft.asarray([2, 3]), 3).tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    x = as_tensor(x)
    if x.ndim != 1:
        raise ShapeError(f"vander: shape {x.shape}; powers are those of the cells of a vector; flatten it")
    count = x.size if n is None else integer("vander", "n", n)
    if count < 0:
        raise ValueRangeError(f"vander: {count} powers; there are 0 or more; give another n")
    exponents = arange(count) if increasing else arange(count - 1, -1, -1)
    if x.dtype is dt.bool or (x.dtype.is_integer and x.dtype is not dt.uint64):
        x = el.astype(x, dt.int64)
    base = expand_dims(x, axis=1)
    exponents = el.astype(exponents, x.dtype if x.dtype.kind != "complex" else x.dtype.real)
    return el.where(el.equal(exponents, 0), el.astype(as_tensor(1), x.dtype), el.pow(base, exponents))  # type: ignore[attr-defined, no-any-return]


def polyfit(
    x: Any, y: Any, deg: int, /, rcond: float | None = None, full: bool = False, w: Any = None, cov: bool | str = False
) -> Any:
    """Return the coefficients of the polynomial of degree `deg` that fits points best, by least squares.

    `y` is a vector, or a matrix with a fit for each column; `w` weighs the differences (not their squares). With `full`
    a tuple: the coefficients, and the residuals, rank, singular values and rcond of `linalg.lstsq`. With `cov` a pair:
    the coefficients and their covariances, scaled by the residuals unless cov="unscaled". Raises ShapeError for other
    shapes, no points or a negative degree, DTypeError for bools or a degree that is no integer, ValueRangeError if
    there are too few points for `cov`.

    >>> import weft
    >>> weft.round(weft.polyfit(weft.asarray([0.0, 1.0, 2.0]), [1.0, 3.0, 5.0], 1), 9).tolist()
    [2.0, 1.0]
    """
    x, y, order = inexact("polyfit", x), inexact("polyfit", y), integer("polyfit", "deg", deg) + 1
    if x.ndim != 1 or not x.size or y.ndim not in (1, 2) or y.shape[0] != x.size or order < 1:
        raise ShapeError(
            f"polyfit: x of shape {x.shape}, y of shape {y.shape}, degree {order - 1}; a vector of points, as many "
            "values and a degree of 0 or more are needed; change them"
        )
    joined = result_type(x, y)
    unit = finfo(joined.real).eps
    rows, y = (el.astype(v, joined.compute, copy=False) for v in (vander(x, order), y))
    if w is not None:
        rows, y = _weighted(rows, y, w)
    scale = el.sqrt(st.sum(el.square(el.abs(rows)), axis=0))  # type: ignore[attr-defined]
    scale = el.where(el.equal(scale, 0), 1.0, scale)  # type: ignore[attr-defined]
    rcond = x.size * unit if rcond is None else rcond
    rows = rows / scale
    found, _, _ = shortest_solution(rows, y if y.ndim == 2 else expand_dims(y, axis=1), rcond, unit)
    found = rounded(found / expand_dims(scale, axis=1), joined)
    found = found if y.ndim == 2 else reshape(found, (order,))
    if full:
        return (found, *lstsq(rows, y, rcond)[1:], rcond)
    return (found, _covariances(rows, y, scale, cov)) if cov else found


def _weighted(rows: Tensor, y: Tensor, w: Any) -> tuple[Tensor, Tensor]:
    """Return both sides of a least-squares problem with each row multiplied by its weight.

    Raises ShapeError unless there is a weight in `w` for each row, DTypeError for bools.
    """
    weights = inexact("polyfit", w)
    if weights.shape != rows.shape[:1]:
        raise ShapeError(f"polyfit: {weights.size} weights for {rows.shape[0]} points; each has one; give as many")
    columns = expand_dims(weights, axis=1)
    return rows * columns, y * (columns if y.ndim == 2 else weights)


def _covariances(rows: Tensor, y: Tensor, scale: Tensor, cov: bool | str) -> Tensor:
    """Return the covariances of fitted coefficients: (n, n), or (n, n, columns) for a matrix of values.

    Raises ValueRangeError unless there are more points than coefficients.
    """
    made = inv(matmul(matrix_transpose(rows), rows)) / outer(scale, scale)
    made = made if y.ndim == 1 else expand_dims(made, axis=2)
    if cov == "unscaled":
        return made
    points, count = rows.shape
    if points <= count:
        raise ValueRangeError(
            f"polyfit: cov= of {points} points for {count} coefficients; squares are divided by the difference; give "
            'more points, or cov="unscaled"'
        )
    return made * (lstsq(rows, y).residuals / (points - count))


def roots(p: Any, /) -> Tensor:
    """Return the roots of a polynomial, as eigenvalues of its companion matrix.

    They are real if all imaginary parts are 0, else complex. Dtype and number depend on values, which are computed at
    once. Raises ShapeError if the coefficients are no vector, DTypeError for bools.

    >>> import weft
    >>> weft.roots([1, -3, 2]).tolist()
    [2.0, 1.0]
    """
    p = inexact("roots", _coefficients("roots", p))
    used = np.flatnonzero(read(p))
    if not used.size:
        return zeros((0,), dtype=p.dtype, device=p.device)
    first, last = int(used[0]), int(used[-1])
    inner, tail = p[first : last + 1], p.size - 1 - last  # type: ignore[index]
    if inner.size < 2:
        return zeros((tail,), dtype=p.dtype, device=p.device)
    below = diag(ones((inner.size - 2,), dtype=p.dtype, device=p.device), k=-1)
    top = reshape(-inner[1:] / inner[0], (1, -1))
    found = eigvals(concat([top, below[1:]], axis=0))  # type: ignore[index]
    if p.dtype.kind != "complex" and not read(el.imag(found)).any():
        found = el.real(found)
    return concat([found, zeros((tail,), dtype=found.dtype, device=p.device)])  # type: ignore[no-any-return]


def poly(zeros_: Any, /) -> Tensor:
    """Return the coefficients of the polynomial with these roots, or of the characteristic polynomial of a matrix.

    Raises ShapeError for a matrix that is not square or a rank above 2, DTypeError for bools.

    >>> import weft
    >>> weft.poly([1.0, 2.0]).tolist()
    [1.0, -3.0, 2.0]
    """
    found = inexact("poly", zeros_)
    if found.ndim == 2:
        found = eigvals(found)
    found = _coefficients("poly", found)
    made = ones((1,), dtype=found.dtype, device=found.device)
    for i in range(found.size):
        made = convolve(made, concat([ones((1,), dtype=found.dtype), -found[i : i + 1]]))  # type: ignore[index]
    return made


def polyadd(a: Any, b: Any, /) -> Tensor:
    """Return the coefficients of the sum of two polynomials; raises ShapeError for coefficients that are no vector.

    >>> import weft
    >>> weft.polyadd([1, 2, 3], [1, 1]).tolist()
    [1, 3, 4]
    """
    a, b = _aligned("polyadd", a, b)
    return a + b


def polysub(a: Any, b: Any, /) -> Tensor:
    """Return the coefficients of the difference a - b of two polynomials.

    Raises ShapeError for coefficients that are no vector.

    >>> import weft
    >>> weft.polysub([1, 2, 3], [1, 1]).tolist()
    [1, 1, 2]
    """
    a, b = _aligned("polysub", a, b)
    return a - b


def _aligned(name: str, a: Any, b: Any) -> tuple[Tensor, Tensor]:
    """Return the coefficients of two polynomials as vectors of one length, with leading zeros.

    Raises ShapeError, naming function `name`, for coefficients that are no vector.
    """
    a, b = _coefficients(name, a), _coefficients(name, b)
    n = max(a.size, b.size)
    return tuple([concat([zeros((n - p.size,), dtype=p.dtype, device=p.device), p]) for p in (a, b)])  # type: ignore[return-value]


def polymul(a: Any, b: Any, /) -> Tensor:
    """Return the product of two polynomials, without the leading zeros of either; the values are computed at once.

    Raises ShapeError for coefficients that are no vector, or empty, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.polymul([1, 2], [0, 1, -2]).tolist()
    [1, 0, -4]
    """
    return convolve(*[_without_leading_zeros(_coefficients("polymul", p)) for p in (a, b)])


def _without_leading_zeros(p: Tensor) -> Tensor:
    """Return coefficients from the first nonzero one on; the last one if all are 0."""
    used = np.flatnonzero(read(p))
    return p[int(used[0]) if used.size else -1 :]  # type: ignore[index, no-any-return]


def polydiv(u: Any, v: Any, /) -> tuple[Tensor, Tensor]:
    """Return the quotient and the remainder of two polynomials, in floats or complex numbers.

    Leading coefficients of the remainder of up to 1e-8 are removed, so its values are computed at once. Raises
    ShapeError if a polynomial has no coefficient or its coefficients are no vector, DTypeError for bools.

    >>> import weft
    >>> [part.tolist() for part in weft.polydiv([1.0, 5.0, 6.0, 1.0], [1.0, 2.0])]
    [[1.0, 3.0, 0.0], [1.0]]
    """
    u, v = (inexact("polydiv", _coefficients("polydiv", p)) for p in (u, v))
    if not u.size or not v.size:
        raise ShapeError(f"polydiv: {u.size} and {v.size} coefficients; a polynomial has one at least; give them")
    joined = result_type(u, v)
    u, v = (el.astype(p, joined, copy=False) for p in (u, v))
    found: list[Tensor] = []
    for k in range(u.size - v.size + 1):
        found.append(u[k : k + 1] / v[:1])  # type: ignore[index]
        u = u - pad(found[-1] * v, (k, u.size - v.size - k))
    left = np.flatnonzero(~(np.abs(read(u)) <= _GONE))
    quotient = concat(found) if found else zeros((1,), dtype=joined, device=u.device)
    return quotient, u[int(left[0]) if left.size else -1 :]  # type: ignore[index]


def polyder(p: Any, /, m: int = 1) -> Tensor:
    """Return the m-th derivative of a polynomial.

    Raises ValueRangeError if m is negative, DTypeError if it is no integer, ShapeError for coefficients that are no
    vector.

    >>> import weft
    >>> weft.polyder([1, 2, 3]).tolist()
    [2, 2]
    """
    p, times = _coefficients("polyder", p), integer("polyder", "m", m)
    if times < 0:
        raise ValueRangeError(f"polyder: derivative {times}; the order is 0 or more; use polyint")
    for _ in range(min(times, p.size)):
        p = p[:-1] * arange(p.size - 1, 0, -1)  # type: ignore[index]
    return p


def polyint(p: Any, /, m: int = 1, k: Any = 0) -> Tensor:
    """Return the m-th integral of a polynomial; `k` has the constant of each integration, or one for all.

    m is at most 4096. Raises ValueRangeError for another m, DTypeError if it is no integer, ShapeError for another
    number of constants or coefficients that are no vector.

    >>> import weft
    >>> weft.polyint([2.0, 2.0], k=3).tolist()
    [1.0, 2.0, 3.0]
    """
    p, times = inexact("polyint", _coefficients("polyint", p)), integer("polyint", "m", m)
    if times < 0:
        raise ValueRangeError(f"polyint: integral {times}; the order is 0 or more; use polyder")
    if times > _MOST_INTEGRALS:
        fact = f"polyint: integral {times}; each passes over all coefficients"
        raise ValueRangeError(f"{fact}; take {_MOST_INTEGRALS} at most")
    constants = reshape(inexact("polyint", k), (-1,))
    if constants.size not in (1, times):
        raise ShapeError(f"polyint: {constants.size} constants for {times} integrations; give one, or one for each")
    for i in range(times):
        at = i if constants.size > 1 else 0
        p = concat([p / arange(p.size, 0, -1), constants[at : at + 1]])  # type: ignore[index]
    return p
