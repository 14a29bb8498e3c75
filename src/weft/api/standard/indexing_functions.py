"""Taking cells at positions given by tensors.

The one idea: positions are computed at once, for bounds checks; then cells move lazily through one gather.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.api.arguments import as_tensor, one_axis
from weft.errors import ShapeError
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.tensors.indexing import gather, index_values, take_positions
from weft.tensors.tensor import Tensor, node_of, wrap


def take(x: Tensor, indices: Tensor, /, axis: int | None = None) -> Tensor:
    """Return the cells at positions `indices` (integers) along an axis; a vector needs no axis.

    Raises IndexOutOfBounds for a position outside the axis, DTypeError for one that is no integer, ShapeError if the
    axis is missing, AxisError for one that x lacks.

    >>> import weft
    >>> weft.take(weft.asarray([5, 6, 7]), weft.asarray([2, 0])).tolist()
    [7, 5]
    """
    x = as_tensor(x)
    if axis is None:
        if x.ndim != 1:
            raise ShapeError(f"take: shape {x.shape} and no axis; which to take from is open; pass axis=")
        axis = 0
    return take_positions("take", x, as_tensor(indices), one_axis("take", axis, x.ndim))


def take_along_axis(x: Tensor, indices: Tensor, /, axis: int = -1) -> Tensor:
    """Return cells of x along an axis at the positions in `indices`, which has x's rank; other axes broadcast.

    For a matrix and axis 1, result[i, j] = x[i, indices[i, j]].

    Raises IndexOutOfBounds for a position outside the axis, DTypeError for one that is no integer, ShapeError if ranks
    differ or other axes do not broadcast, AxisError for an axis that x lacks.

    >>> import weft
    >>> x = weft.asarray([[3, 1], [2, 4]])
    >>> weft.take_along_axis(x, weft.argsort(x)).tolist()
    [[1, 3], [2, 4]]
    """
    x, indices = as_tensor(x), as_tensor(indices)
    if x.ndim != indices.ndim:
        raise ShapeError(
            f"take_along_axis: shapes {x.shape} and {indices.shape}; ranks must agree; expand_dims one of them"
        )
    axis = one_axis("take_along_axis", axis, x.ndim)
    along = index_values("take_along_axis", indices, x.shape[axis], axis)
    others = [1 if d == axis else n for d, n in enumerate(x.shape)]
    shape = ir.broadcast_shapes("take_along_axis", tuple(others), (*along.shape[:axis], 1, *along.shape[axis + 1 :]))
    wide = selections.broadcast_to(node_of(x), (*shape[:axis], x.shape[axis], *shape[axis + 1 :]))
    lines: list[Any] = [np.arange(n).reshape([-1 if e == d else 1 for e in range(x.ndim)]) for d, n in enumerate(shape)]
    spread = np.broadcast_to if isinstance(along, np.ndarray) else selections.broadcast_to
    lines[axis] = spread(along, (*shape[:axis], along.shape[axis], *shape[axis + 1 :]))  # type: ignore[operator]
    return wrap(ir.locate(gather(wide, range(x.ndim), lines, 0)))
