"""Products of matrices and vectors.

The one idea: a matrix product is a library routine over operands of one dtype; everything else here is that product
seen through permuted and reshaped operands, or a product and a sum that fuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

from weft.api.arguments import as_tensor, integer, is_one, many_axes, one_axis, paired
from weft.api.destination import into
from weft.api.standard import elementwise_functions
from weft.api.standard.manipulation_functions import moveaxis, permute_dims, reshape
from weft.api.standard.statistical_functions import reduction
from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription, product_orders
from weft.ir.graph.ops import OPS, resolve
from weft.runtime.deterministic import is_deterministic
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap

_MATMUL = OPS["matmul"]


def matmul(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor:
    """Return the matrix product over the last two axes; leading axes broadcast, a vector counts as one row or column.

    x1 (..., m, k) and x2 (..., k, n) give (..., m, n). Raises ShapeError where the sizes k differ, for rank 0, and if
    leading axes do not broadcast; WriteError for an `out` without memory, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.matmul(weft.asarray([[1, 2], [3, 4]]), weft.asarray([1, 1])).tolist()
    [3, 7]
    """
    a, b = node_of(as_tensor(x1)), node_of(as_tensor(x2))
    compute, made_as, orders = _product(a.desc, b.desc, is_deterministic())
    operands = (ir.astype(a, compute), ir.astype(b, compute))
    made = wrap(ir.locate(ir.make(_MATMUL, operands, orders, made_as)))
    return made if out is None else into(out, made, "matmul")


@lru_cache(maxsize=4096)
def _product(
    a: TensorDescription, b: TensorDescription, fixed: bool
) -> tuple[DType, TensorDescription, tuple[str, str]]:
    """Return (dtype in which a product is computed, description of its result, memory orders of its operands).

    With `fixed`, additions have weft's own order. Raises ShapeError if the operands do not fit, DTypeError for dtypes
    without a product.
    """
    compute, dtype = resolve(_MATMUL, a.dtype, b.dtype)
    operands = [d if d.dtype is compute else ir.result(compute, d.shape) for d in (a, b)]
    orders = product_orders(*operands, compute.is_inexact and fixed)
    return compute, ir.result(dtype, ir.product_shape(a.shape, b.shape)), orders


@from_template(2)
def tensordot(x1: Any, x2: Any, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2, out: Any = None) -> Tensor:
    """Return sums of products over pairs of axes: the last `axes` of x1 with x2's first, or two lists.

    The result has the axes of x1 that are left, then those of x2, in the dtype that holds those of both.

    Raises ShapeError where paired axes differ in size or number, AxisError for an axis that an operand lacks,
    DTypeError if `axes` is neither an integer nor a list, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.tensordot(weft.asarray([1, 2]), weft.asarray([3, 4]), axes=1).tolist()
    11
    """
    a, b = as_tensor(x1), as_tensor(x2)
    left, right = _paired_axes(a.shape, b.shape, axes)
    kept_a = [d for d in range(a.ndim) if d not in left]
    kept_b = [d for d in range(b.ndim) if d not in right]
    inner = prod(a.shape[d] for d in left)
    rows, columns = tuple(a.shape[d] for d in kept_a), tuple(b.shape[d] for d in kept_b)
    first = reshape(permute_dims(a, (*kept_a, *left)), (*rows, inner))  # rows stay apart, as tiles over files cut them
    second = reshape(permute_dims(b, (*right, *kept_b)), (inner, prod(columns)))
    made = reshape(matmul(first, second), (*rows, *columns))
    return made if out is None else into(out, made, "tensordot")


def _paired_axes(a: tuple[int, ...], b: tuple[int, ...], axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return (axes of shape `a`, axes of shape `b`) that a tensordot sums over, by a number or two lists.

    Raises ShapeError if they differ in number or size, AxisError for an axis that a shape lacks, DTypeError for another
    object as `axes`.
    """
    if is_one(axes):
        n = integer("tensordot", "axes", axes)
        if not 0 <= n <= min(len(a), len(b)):
            raise ShapeError(f"tensordot: {n} axes of shapes {a} and {b}; each must have as many; give fewer")
        pairs: tuple[Any, Any] = (range(len(a) - n, len(a)), range(n))
    elif not isinstance(axes, (tuple, list)):
        raise DTypeError(f"tensordot: axes {axes!r}; a number of axes or two lists of them are needed; give either")
    else:
        pairs = tuple(axes)  # type: ignore[assignment]
    if len(pairs) != 2:
        raise ShapeError(f"tensordot: axes {axes}; two lists of axes are paired; give one per operand")
    left, right = (many_axes("tensordot", p, n) for p, n in zip(pairs, (len(a), len(b)), strict=True))
    paired("tensordot", "axes to pair", left, right)
    for i, j in zip(left, right, strict=True):
        if a[i] != b[j]:
            raise ShapeError(
                f"tensordot: axis {i} of shape {a} has size {a[i]} and axis {j} of shape {b} size {b[j]}; paired axes "
                "agree in size; pair others"
            )
    return left, right


@from_template(2)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1, out: Any = None) -> Tensor:
    """Return dot products of vectors along an axis, those of x1 conjugated; other axes broadcast.

    Raises ShapeError where the vectors differ in size, AxisError for an axis that an operand lacks, DTypeError for
    bools, ShapeError for an `out` of another shape, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.vecdot(weft.asarray([1j, 2]), weft.asarray([1j, 1])).tolist()
    (3+0j)
    """
    a, b = as_tensor(x1), as_tensor(x2)
    sizes = [t.shape[one_axis("vecdot", axis, t.ndim)] for t in (a, b)]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"vecdot: axis {axis} has sizes {sizes[0]} and {sizes[1]}; vectors must be equally long; slice one of them"
        )
    a, b = (moveaxis(t, axis, -1) for t in (a, b))
    _, dtype = resolve(OPS["multiply"], a.dtype, b.dtype)
    if dtype.compute is not dtype:  # only the sum is rounded, not its terms
        a, b = (elementwise_functions.astype(t, dtype.compute, copy=False) for t in (a, b))
    product = elementwise_functions.multiply(elementwise_functions.conj(a), b)
    total = reduction("sum", node_of(product), -1, False)
    total = total if total.dtype is dtype else wrap(ir.locate(ir.astype(node_of(total), dtype)))
    return total if out is None else into(out, total, "vecdot")
