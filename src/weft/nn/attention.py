"""Linear maps, embeddings and attention.

The one idea: products are library calls over stacks of matrices; scaling, masking and normalising fuse around them.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from weft.api.arguments import as_tensor, number
from weft.api.gemm import gemm
from weft.api.precision import rounded
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.indexing_functions import take
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.standard.manipulation_functions import matrix_transpose
from weft.api.standard.matrices import tri
from weft.dtypes import promote_all
from weft.errors import DTypeError, ShapeError
from weft.nn.activations import real_operand
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor


@from_template(3)
def linear(x: Any, /, weight: Any, bias: Any = None) -> Tensor:
    """Return x @ weightᵀ + bias: x (..., inputs), weight (outputs, inputs) and bias (outputs,) give (..., outputs).

    Raises ShapeError if the weight is no matrix, x has rank 0, or the sizes differ, DTypeError for an object without
    numbers.

    >>> import weft
    >>> weft.nn.linear(weft.asarray([1.0, 2.0]), weft.asarray([[3.0, 4.0]]), weft.asarray([0.5])).tolist()
    [11.5]
    """
    x, w = as_tensor(x), as_tensor(weight)
    if w.ndim != 2:
        raise ShapeError(f"linear: a weight of shape {w.shape}; it is a matrix (outputs, inputs); reshape it")
    if not x.ndim:
        raise ShapeError("linear: x of rank 0; its last axis are the inputs; reshape it")
    return gemm(1, x, w, 0 if bias is None else 1, bias, transpose_b="T")


def embedding(indices: Any, table: Any, /) -> Tensor:
    """Return the rows of a table at positions: integers (...) and a table (rows, width) give (..., width).

    Raises IndexOutOfBounds for a position outside the table, DTypeError for indices that are no integers, AxisError for
    a table of rank 0.

    >>> import weft
    >>> weft.nn.embedding(weft.asarray([2, 0]), weft.asarray([[0, 1], [2, 3], [4, 5]])).tolist()
    [[4, 5], [0, 1]]
    """
    return take(as_tensor(table), as_tensor(indices), axis=0)


@from_template(3)
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, /, *, mask: Any = None, causal: bool = False, scale: float | None = None
) -> Tensor:
    """Return softmax(scale · query @ keyᵀ + mask) @ value.

    query (..., n, d), key (..., m, d) and value (..., m, e) give (..., n, e); leading axes broadcast. mask (..., n, m):
    bools allow the use of a key by a query, numbers are added. causal: a query uses the keys up to its own position. A
    query without a key gets zeros. scale is 1/sqrt(d) by default. Raises ShapeError for operands of a rank below 2 or
    sizes that do not match; DTypeError for complex or bool operands, and a mask that is neither bool nor float.

    >>> import weft
    >>> x = weft.asarray([[1.0, 0.0], [0.0, 1.0]])
    >>> weft.nn.scaled_dot_product_attention(x, x, x, causal=True)[0].tolist()
    [1.0, 0.0]
    """
    name = "scaled_dot_product_attention"
    (q, a), (k, b), (v, c) = (real_operand(name, x) for x in (query, key, value))
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise ShapeError(f"{name}: shapes {q.shape}, {k.shape} and {v.shape}; matrices have two axes; reshape them")
    by = 1 / sqrt(max(q.shape[-1], 1)) if scale is None else number(name, scale)
    scores: Tensor = matmul(q, matrix_transpose(k)) * by
    if mask is not None:
        scores = _masked(name, scores, as_tensor(mask))
    if causal:
        scores = el.where(tri(*scores.shape[-2:], dtype="bool", device=scores.device), scores, float("-inf"))
    to = promote_all((a, b, c))
    if not scores.shape[-1]:
        return rounded(matmul(scores, v), to)
    most = st.max(scores, axis=-1, keepdims=True)
    raised = el.exp(scores - el.where(el.isfinite(most), most, 0.0))
    total = st.sum(raised, axis=-1, keepdims=True)
    return rounded(matmul(raised / el.where(total == 0, 1.0, total), v), to)


def _masked(name: str, scores: Tensor, mask: Tensor) -> Tensor:
    """Return scores with a mask applied: -inf where a bool mask is False, or a float mask added.

    Raises DTypeError, naming `name`, for masks of other dtypes, ShapeError if the shapes do not broadcast.
    """
    if mask.dtype.kind == "bool":
        return el.where(mask, scores, float("-inf"))
    if mask.dtype.kind != "float":
        raise DTypeError(f"{name}: a mask of {mask.dtype.name}; bools or floats are needed; convert it with astype()")
    return scores + mask
