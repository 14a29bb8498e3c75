"""General matrix products: alpha·op(a)·op(b) + beta·c.

The one idea: a transposed operand is a view that BLAS reads without a copy, and scaling and adding are one fused kernel
over the product; so this is an expression like any other, with the arguments of the BLAS routine of this name.
"""

from __future__ import annotations

from typing import Any

from weft.api.arguments import as_tensor, one_of
from weft.api.destination import into
from weft.api.precision import wide
from weft.api.standard import elementwise_functions as el
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import broadcast_to, expand_dims, matrix_transpose
from weft.dtypes import promote, weak
from weft.errors import ValueRangeError
from weft.tensors.tensor import Tensor


def gemm(
    alpha: Any,
    a: Any,
    b: Any,
    beta: Any = 0,
    c: Any = None,
    *,
    transpose_a: str = "N",
    transpose_b: str = "N",
    out: Tensor | None = None,
) -> Tensor:
    """Return the matrix product alpha·op(a)·op(b) + beta·c, over stacks of matrices.

    a (..., m, k) and b (..., k, n) give (..., m, n); a vector a or b counts as one row or one column, which the result
    then lacks; an operand of rank 0 scales the other. op is the matrix itself ("N"), its transpose ("T") or its
    conjugate transpose ("C"). All leading axes broadcast: those of a, b, c, and all axes of tensors alpha and beta.
    With the number 0 as beta c is not read, and needs not be there. The dtype is the join of all; integers wrap
    exactly, bools are multiplied by "and" and added by "or", and an empty inner axis gives zeros.

    `out`: a tensor or array that gets the result (broadcast to its shape, in its dtype, layout and byte order) and is
    returned. Raises ShapeError if the inner sizes differ or leading axes do not broadcast, ValueRangeError if beta is
    not 0 and c is missing, or for another `transpose_a` or `transpose_b`; DTypeError or WriteError if `out` cannot hold
    or take the result.

    >>> import weft
    >>> a, b = weft.asarray([[1, 2], [3, 4]]), weft.asarray([[1, 0], [0, 2]])
    >>> weft.linalg.gemm(2, a, b, 10, weft.ones((2, 2), dtype=weft.int64), transpose_a="T").tolist()
    [[12, 22], [14, 26]]
    """
    left, right = _operand("a", a, transpose_a), _operand("b", b, transpose_b)
    if c is None and not _is(beta, 0):
        raise ValueRangeError("gemm: beta without c; it scales what is added; pass c, or leave beta out")
    added = None if c is None or _is(beta, 0) else as_tensor(c)
    if added is not None and not left.dtype is right.dtype is added.dtype:
        dtype = promote(promote(left.dtype, right.dtype), added.dtype)
        left, right, added = (el.astype(x, dtype, copy=False) for x in (left, right, added))
    found = _expression(alpha, left, right, beta, added)
    if found.dtype.compute is not found.dtype:  # several steps are computed in a wider dtype and rounded once
        exact = _expression(alpha, wide(left), wide(right), beta, None if added is None else wide(added))
        found = el.astype(exact, found.dtype)
    if out is None:
        return found
    shape = getattr(out, "shape", found.shape)
    return into(out, broadcast_to(found, tuple(shape)), "gemm")  # type: ignore[no-any-return]


def _expression(alpha: Any, a: Tensor, b: Tensor, beta: Any, c: Tensor | None) -> Tensor:
    """Return alpha·a·b + beta·c in the dtype of the operands; without c, alpha·a·b.

    Raises ShapeError if sizes do not fit.
    """
    scales = not a.ndim or not b.ndim
    product: Tensor = el.multiply(a, b) if scales else matmul(a, b)
    core = max(a.ndim, b.ndim) if scales else (a.ndim > 1) + (b.ndim > 1)
    found = _scaled(product, alpha, core)
    return found if c is None else _added(found, _scaled(c, beta, core))


def _operand(name: str, x: Any, op: str) -> Tensor:
    """Return operand `name` as `op` ("N", "T" or "C") of its matrices; raises ValueRangeError for another op.

    Raises DTypeError for an object without numbers.
    """
    x = as_tensor(x)
    told = "there are 'N' (as it is), 'T' (transposed) and 'C' (transposed and conjugated)"
    one_of("gemm", f"transpose_{name}", op, "NTC", told)
    if op != "N" and x.ndim > 1:
        x = matrix_transpose(x)
    return el.conj(x) if op == "C" and x.dtype.kind == "complex" else x


def _is(x: Any, number: int) -> bool:
    """True if `x` is a Python number equal to `number`."""
    return isinstance(x, (bool, int, float, complex)) and x == number


def _scaled(x: Tensor, by: Any, core: int) -> Tensor:
    """Return `x` times a number, or a tensor over its leading axes; `core` is the number of its last axes.

    Raises DTypeError for an object without numbers.
    """
    if _is(by, 1) and (type(by) is int or weak(type(by), x.dtype) is x.dtype):  # otherwise its type changes the dtype
        return x
    if not isinstance(by, (bool, int, float, complex)):
        by = as_tensor(by)
        by = expand_dims(by, tuple(range(-core, 0))) if by.ndim and core else by
    if x.dtype.kind == "bool" and (isinstance(by, bool) or (isinstance(by, Tensor) and by.dtype.kind == "bool")):
        return el.logical_and(x, by)
    return el.multiply(by, x)


def _added(x: Tensor, y: Tensor) -> Tensor:
    """Return `x + y`; for bools, `x or y`."""
    both = x.dtype.kind == "bool" and y.dtype.kind == "bool"
    return (el.logical_or if both else el.add)(x, y)
