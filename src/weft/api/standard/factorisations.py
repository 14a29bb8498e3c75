"""Factorisations of matrices, and functions computed from them.

The one idea: a factorisation is one library call per expression, however many results are read: the call gives one row
of cells per matrix, and the results are views of it.  Matrices lie along the last two axes; all others are stacks.

Operands are floats or complex numbers (integers count as float64, bools are refused); float16, bfloat16 and complex32
are computed in float32 and complex64 and rounded once.  A matrix without such a factor raises `errors.LinAlgError` when
the value is computed; the error names the matrix in the stack, and has a note with the user's line.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from weft.api.arguments import flag, one_of
from weft.api.precision import inexact
from weft.api.standard.elementwise_functions import real
from weft.api.standard.manipulation_functions import expand_dims, reshape, squeeze
from weft.dtypes import DType
from weft.errors import ShapeError
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS, resolve
from weft.runtime.compute import stages
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap

Shape = tuple[int, ...]


class EigResult(NamedTuple):
    """The named tuple that `eig` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class EighResult(NamedTuple):
    """The named tuple that `eigh` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """The named tuple that `qr` returns."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """The named tuple that `slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """The named tuple that `svd` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor


# ---- operands and calls
def matrices(name: str, x: Any, square: bool = False) -> Tensor:
    """Return `x` as floats or complex numbers whose last two axes are matrices (square ones with `square`).

    Raises ShapeError, naming function `name`, for other shapes, DTypeError for bools and float8 cells.
    """
    x = inexact(name, x)
    if x.ndim < 2:
        raise ShapeError(f"{name}: shape {x.shape}; matrices have two axes; reshape it first")
    if square and x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{name}: shape {x.shape}; the last two axes of square matrices are equally long; slice it")
    return x


def _call(name: str, shape: Shape, *operands: Tensor, attrs: tuple[Any, ...] = ()) -> Tensor:
    """Return the pending result, of `shape`, of the library routine `name` on operands; `attrs` are its parameters."""
    nodes = [node_of(x) for x in operands]
    compute, out = resolve(OPS[name], *[n.desc.dtype for n in nodes])
    inputs = tuple([ir.astype(n, compute) for n in nodes])
    return wrap(stages.unsure(ir.locate(ir.make(OPS[name], inputs, attrs, ir.result(out, shape)))))


def _side_by_side(name: str, x: Tensor, tails: list[Shape], attrs: tuple[Any, ...] = ()) -> list[Tensor]:
    """Return the results of a routine that writes them into one row per matrix, as views of shapes `tails`."""
    lead = x.shape[:-2]
    packed = _call(name, (*lead, sum(map(prod, tails))), x, attrs=attrs)
    found, at = [], 0
    for tail in tails:
        part: Tensor = packed[..., at : at + prod(tail)]  # type: ignore[index]
        found.append(reshape(part, (*lead, *tail)))
        at += prod(tail)
    return found


def _real(x: Tensor, of: DType) -> Tensor:
    """Return the real part of a result if the operand's dtype is complex, else the result."""
    return real(x) if of.kind == "complex" else x


# ---- factorisations
@from_template(1)
def cholesky(x: Any, /, *, upper: bool = False) -> Tensor:
    """Return the lower triangular L with x = L·Lᴴ of positive definite matrices (upper: U with x = Uᴴ·U).

    Raises LinAlgError, when the value is computed, for a matrix that is not positive definite.

    x (..., n, n) gives (..., n, n), of the same dtype; only the lower triangle is read (upper: the upper one). Raises
    ShapeError unless the last two axes are square matrices, DTypeError for bools.

    >>> import weft
    >>> weft.linalg.cholesky(weft.asarray([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    x = matrices("cholesky", x, square=True)
    return _call("cholesky", x.shape, x, attrs=(bool(upper),))


@from_template(1)
def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """Return Q and R with x = Q·R, orthonormal columns in Q and upper triangular R.

    x (..., m, n) with k = min(m, n) gives Q (..., m, k) and R (..., k, n); mode "complete" Q (..., m, m) and R (..., m,
    n). Raises ValueRangeError for another mode, ShapeError for a rank below 2, DTypeError for bools.

    >>> import weft
    >>> q, r = weft.linalg.qr(weft.asarray([[3.0, 0.0], [4.0, 5.0]]))
    >>> weft.round(weft.abs(r)).tolist()
    [[5.0, 4.0], [0.0, 3.0]]
    """
    x = matrices("qr", x)
    one_of("qr", "mode", mode, ("reduced", "complete"), "there are 'reduced' and 'complete', for R alone write qr(x).R")
    m, n = x.shape[-2:]
    k = min(m, n) if mode == "reduced" else m
    q, r = _side_by_side("qr", x, [(m, k), (k, n)], (mode,))
    return QRResult(q, r)


@from_template(1)
def svd(x: Any, /, *, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return U, S and Vh with x = U·diag(S)·Vh, unitary U and Vh, and real S in descending order.

    x (..., m, n) with k = min(m, n) gives U (..., m, m), S (..., k) and Vh (..., n, n); without full_matrices U (...,
    m, k) and Vh (..., k, n). With compute_uv=False just S, as `svdvals` does. Raises ShapeError for a rank below 2,
    DTypeError for bools.

    >>> import weft
    >>> weft.round(weft.linalg.svd(weft.asarray([[0.0, 2.0], [3.0, 0.0]])).S).tolist()
    [3.0, 2.0]
    """
    if not flag("svd", "compute_uv", compute_uv):
        return svdvals(x)
    x = matrices("svd", x)
    m, n = x.shape[-2:]
    k, full = min(m, n), flag("svd", "full_matrices", full_matrices)
    tails = [(m, m), (k,), (n, n)] if full else [(m, k), (k,), (k, n)]
    u, s, vh = _side_by_side("svd", x, tails, (full,))
    return SVDResult(u, _real(s, x.dtype), vh)


@from_template(1)
def svdvals(x: Any, /) -> Tensor:
    """Return the singular values of each matrix in descending order: x (..., m, n) gives real (..., min(m, n)).

    Raises ShapeError for a rank below 2, DTypeError for bools.

    >>> import weft
    >>> weft.round(weft.linalg.svdvals(weft.asarray([[0.0, 2.0], [3.0, 0.0]]))).tolist()
    [3.0, 2.0]
    """
    x = matrices("svdvals", x)
    return _call("svdvals", (*x.shape[:-2], min(x.shape[-2:])), x)


@from_template(1)
def eigh(x: Any, /) -> EighResult:
    """Return eigenvalues, real and ascending, and orthonormal eigenvectors (columns) of Hermitian matrices.

    x (..., n, n), of which only the lower triangle is read, gives (..., n) and (..., n, n). Raises ShapeError unless
    the last two axes are square matrices, DTypeError for bools.

    >>> import weft
    >>> weft.linalg.eigh(weft.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.tolist()
    [1.0, 2.0]
    """
    x = matrices("eigh", x, square=True)
    n = x.shape[-1]
    values, vectors = _side_by_side("eigh", x, [(n,), (n, n)])
    return EighResult(_real(values, x.dtype), vectors)


@from_template(1)
def eigvalsh(x: Any, /) -> Tensor:
    """Return the eigenvalues of Hermitian matrices, real and ascending: x (..., n, n) gives (..., n).

    Raises ShapeError unless the last two axes are square matrices, DTypeError for bools.

    >>> import weft
    >>> weft.linalg.eigvalsh(weft.asarray([[2.0, 0.0], [0.0, 1.0]])).tolist()
    [1.0, 2.0]
    """
    x = matrices("eigvalsh", x, square=True)
    return _call("eigvalsh", x.shape[:-1], x)


@from_template(1)
def eig(x: Any, /) -> EigResult:
    """Return eigenvalues and eigenvectors (columns) of square matrices, both complex, in no particular order.

    x (..., n, n) gives (..., n) and (..., n, n); complex32 of float16, complex64 of float32, complex128 of float64.
    Raises ShapeError unless the last two axes are square matrices, DTypeError for bools, LinAlgError, when it is
    computed, where no eigenvalues are found.

    >>> import weft
    >>> weft.linalg.eig(weft.asarray([[0.0, -1.0], [1.0, 0.0]])).eigenvalues.tolist()
    [1j, -1j]
    """
    x = matrices("eig", x, square=True)
    n = x.shape[-1]
    values, vectors = _side_by_side("eig", x, [(n,), (n, n)])
    return EigResult(values, vectors)


@from_template(1)
def eigvals(x: Any, /) -> Tensor:
    """Return the eigenvalues of square matrices, complex, in no particular order: x (..., n, n) gives (..., n).

    Raises ShapeError unless the last two axes are square matrices, DTypeError for bools.

    >>> import weft
    >>> weft.linalg.eigvals(weft.asarray([[0.0, -1.0], [1.0, 0.0]])).tolist()
    [1j, -1j]
    """
    x = matrices("eigvals", x, square=True)
    return _call("eigvals", x.shape[:-1], x)


# ---- what is solved by them
@from_template(1)
def inv(x: Any, /) -> Tensor:
    """Return the inverse of each matrix: x (..., n, n) gives (..., n, n).

    Raises ShapeError unless the last two axes are square matrices, DTypeError for bools, and LinAlgError, when the
    value is computed, for a singular matrix.

    >>> import weft
    >>> weft.linalg.inv(weft.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    x = matrices("inv", x, square=True)
    return _call("inv", x.shape, x)


@from_template(2)
def solve(x1: Any, x2: Any, /) -> Tensor:
    """Return y with x1 @ y = x2: x1 (..., n, n) and x2 (..., n, k), or one vector (n,).

    Stacks broadcast. Raises ShapeError where sizes differ or x1 is not square, DTypeError for bools, and LinAlgError,
    when the value is computed, for a singular matrix.

    >>> import weft
    >>> weft.linalg.solve(weft.asarray([[2.0, 0.0], [0.0, 4.0]]), weft.asarray([1.0, 2.0])).tolist()
    [0.5, 0.5]
    """
    a, b = matrices("solve", x1, square=True), inexact("solve", x2)
    if b.ndim == 0 or b.shape[max(b.ndim - 2, 0)] != a.shape[-1]:
        raise ShapeError(
            f"solve: matrices of shape {a.shape} and right sides of shape {b.shape}; one row of a right side belongs "
            "to each column of the matrix; transpose or reshape one of them"
        )
    if b.ndim == 1:
        return squeeze(solve(a, expand_dims(b, 1)), -1)
    lead = ir.broadcast_shapes("solve", a.shape[:-2], b.shape[:-2])
    return _call("solve", (*lead, *b.shape[-2:]), a, b)


@from_template(1)
def det(x: Any, /) -> Tensor:
    """Return the determinant of each matrix: x (..., n, n) gives (...), of the same dtype.

    Raises ShapeError unless the last two axes are square matrices, DTypeError for bools.

    >>> import weft
    >>> weft.round(weft.linalg.det(weft.asarray([[2.0, 0.0], [0.0, 4.0]]))).item()
    8.0
    """
    x = matrices("det", x, square=True)
    return _call("det", x.shape[:-2], x)


@from_template(1)
def slogdet(x: Any, /) -> SlogdetResult:
    """Return sign and log of the absolute value of each determinant; a singular matrix gives 0 and -inf.

    x (..., n, n) gives (...) of the same dtype (of complex matrices the sign is a number of magnitude 1) and (...) of
    its real dtype. Raises ShapeError unless the last two axes are square matrices, DTypeError for bools.

    >>> import weft
    >>> weft.linalg.slogdet(weft.asarray([[0.0, 1.0], [1.0, 0.0]])).sign.item()
    -1.0
    """
    x = matrices("slogdet", x, square=True)
    sign, logarithm = _side_by_side("slogdet", x, [(), ()])
    return SlogdetResult(sign, _real(logarithm, x.dtype))
