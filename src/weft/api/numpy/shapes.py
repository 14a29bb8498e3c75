"""Shape functions beyond the array API: transposes with conjugates, orders of cells, shapes of other tensors.

The one idea: each is a short composition of the standard's functions; all but `adjoint` of complex numbers are
selections.
"""

from __future__ import annotations

from typing import Any

from weft.api.arguments import as_tensor, one_axis, one_of
from weft.api.standard.elementwise_functions import conj
from weft.api.standard.manipulation_functions import broadcast_to, flip, matrix_transpose, permute_dims, reshape
from weft.errors import ShapeError
from weft.ir.graph.description import TensorDescription
from weft.tensors.tensor import Tensor, node_of


def adjoint(x: Tensor, /) -> Tensor:
    """Return the conjugate transpose over the last two axes: a view for real numbers, a new value for complex ones.

    Raises ShapeError for a rank below 2, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.adjoint(weft.asarray([[1, 2j], [3, 4]])).tolist()
    [[(1-0j), (3-0j)], [-2j, (4-0j)]]
    """
    turned = matrix_transpose(x)
    return conj(turned) if turned.dtype.kind == "complex" else turned


def swapaxes(x: Tensor, axis1: int, axis2: int, /) -> Tensor:
    """Return a view of x with two axes exchanged; raises AxisError for an axis that x lacks.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.swapaxes(weft.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    x = as_tensor(x)
    a, b = (one_axis("swapaxes", axis, x.ndim) for axis in (axis1, axis2))
    order = list(range(x.ndim))
    order[a], order[b] = b, a
    return permute_dims(x, order)


def reverse_axes(x: Tensor, /) -> Tensor:
    """Return a view of x with its axes in reverse order, so that row-major cells are read as column-major ones.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.reverse_axes(weft.zeros((2, 3, 4))).shape, weft.reverse_axes(weft.zeros((2, 3, 4))).mT.shape
    ((4, 3, 2), (4, 2, 3))
    """
    x = as_tensor(x)
    return permute_dims(x, range(x.ndim)[::-1])


def fliplr(x: Tensor, /) -> Tensor:
    """Return a view of x with its columns (axis 1; the only axis of a vector) in reverse order.

    Raises AxisError for rank 0, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.fliplr(weft.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 1], [4, 3]]
    """
    x = as_tensor(x)
    return flip(x, axis=one_axis("fliplr", min(x.ndim - 1, 1), x.ndim))


def flipud(x: Tensor, /) -> Tensor:
    """Return a view of x with its rows (axis 0) in reverse order; raises AxisError for rank 0.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.flipud(weft.asarray([[1, 2], [3, 4]])).tolist()
    [[3, 4], [1, 2]]
    """
    x = as_tensor(x)
    return flip(x, axis=one_axis("flipud", 0, x.ndim))


def reshape_like(x: Tensor, other: Tensor, /, *, copy: bool | None = None) -> Tensor:
    """Return x in the shape of another tensor: `weft.reshape(x, other.shape, copy=copy)`.

    Raises ShapeError if the numbers of cells differ, ValueRangeError with copy=False if there is no view.

    >>> import weft
    >>> weft.reshape_like(weft.arange(6), weft.zeros((2, 3))).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    return reshape(x, as_tensor(other).shape, copy=copy)


def broadcast_like(x: Tensor, other: Tensor, /, *, pad: str = "left") -> Tensor:
    """Return a view of x broadcast to the shape of another tensor: `weft.broadcast_to(x, other.shape, pad=pad)`.

    Raises ShapeError if x does not broadcast to it, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.broadcast_like(weft.asarray([1, 2]), weft.zeros((2, 3)), pad="right").tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    return broadcast_to(x, as_tensor(other).shape, pad=pad)


def ravel(x: Tensor, /, order: str = "C", *, copy: bool | None = None) -> Tensor:
    """Return the cells of x as a vector: a view if strides allow it, else a new value.

    order "C" goes along rows, "F" along columns, "A" along columns where x is column-major (and not row-major) and else
    along rows, "K" as the cells lie in memory, by falling strides. With copy=True it is always a new value, with
    copy=False a view. Raises ValueRangeError for another order, and with copy=False if there is no view.

    >>> import weft
    >>> x = weft.asarray([[1, 2], [3, 4]])
    >>> weft.ravel(x).tolist(), weft.ravel(x, order="F").tolist(), weft.ravel(x.T, order="K").tolist()
    ([1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 3, 4])
    """
    return reshape(in_order("ravel", as_tensor(x), order), (-1,), copy=copy)


def in_order(name: str, x: Tensor, order: str) -> Tensor:
    """Return a view of x whose row-major cells are the cells of x in an order of `ravel`.

    Raises ValueRangeError, naming function `name`, for another order.
    """
    one_of(name, "order", order, _ORDERS, "orders are 'C', 'F', 'A' and 'K'")
    return permute_dims(x, _ORDERS[order](node_of(x).desc))


def _rows_first(d: TensorDescription) -> Any:
    return range(d.ndim)


def _columns_first(d: TensorDescription) -> Any:
    return range(d.ndim)[::-1]


def _of_layout(d: TensorDescription) -> Any:
    return _columns_first(d) if _runs_on(d, False) and not _runs_on(d, True) else _rows_first(d)


def _of_memory(d: TensorDescription) -> Any:
    """Return the axes by descending strides; axes along which cells repeat keep their position."""
    order: list[int] = []
    steps = [abs(t) if n > 1 else 0 for t, n in zip(d.strides or (0,) * d.ndim, d.shape, strict=True)]
    for axis, step in enumerate(steps):
        further = [i for i, a in enumerate(order) if step and steps[a] >= step]
        nearer = [i for i, a in enumerate(order) if 0 < steps[a] < step and i > max(further, default=-1)]
        order.insert(min(nearer, default=len(order)), axis)
    return order


def _runs_on(d: TensorDescription, rows: bool) -> bool:
    """True if the cells fill memory without gaps, row-major if `rows`, else column-major."""
    step = d.dtype.itemsize
    for a in range(d.ndim)[:: -1 if rows else 1]:
        if d.strides is None or (d.shape[a] > 1 and d.strides[a] != step):
            return d.strides is None and rows
        step *= d.shape[a]
    return True


_ORDERS = {"C": _rows_first, "F": _columns_first, "A": _of_layout, "K": _of_memory}


def transpose(self: Tensor) -> Tensor:
    """Return a view of the transposed matrix; a vector of n cells gives shape (1, n).

    Raises ShapeError for other ranks.

    >>> import weft
    >>> weft.asarray([[1, 2], [3, 4]]).T.tolist()
    [[1, 3], [2, 4]]
    """
    rank = self.ndim
    if rank not in (1, 2):
        raise ShapeError(f"T: shape {self.shape}; matrices and vectors have a transpose; use mT or permute_dims()")
    return self[None] if rank == 1 else permute_dims(self, (1, 0))  # type: ignore[index]


def conjugate_transpose(self: Tensor) -> Tensor:
    """Return the conjugate transpose of a matrix or vector: a view for real numbers, a new value for complex ones.

    Raises ShapeError for other ranks.

    >>> import weft
    >>> weft.asarray([1, 2j]).H.tolist()
    [[(1-0j), -2j]]
    """
    turned = transpose(self)
    return conj(turned) if turned.dtype.kind == "complex" else turned
