"""Matrices defined by a rule: eye, tri, diag, triangles, one-hot rows, meshes.

The one idea: a condition on the coordinates of a cell determines its value, so nothing is stored.
"""

from __future__ import annotations

from typing import Any

from weft import dtypes as dt
from weft.api.arguments import flag, integer, one_axis, one_of, shape_of
from weft.api.standard.creation_functions import dtype_of, ordered
from weft.api.standard.ranges import line
from weft.errors import DTypeError, ShapeError
from weft.interop.device_moves import here, placed
from weft.interop.imports import as_operand
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, handle, node_of, wrap


@here
@from_template(0)
def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Return an (n_rows, n_cols) matrix with ones on the k-th diagonal and zeros elsewhere.

    Raises ShapeError for a negative size, DTypeError for numbers that are no integers.

    >>> import weft
    >>> weft.eye(2, 3, k=1).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    shape = shape_of("eye", (n_rows, n_rows if n_cols is None else n_cols))
    found, big = dtype_of(dtype, None)
    on = _compare_axes("equal", shape, integer("eye", "k", k))
    return ordered(ir.astype(on, found), big)


def _compare_axes(op: str, shape: tuple[int, ...], k: int) -> Node:
    """Return bools over a shape: column compared by `op` with row + k, for its last two axes."""
    ndim, k = len(shape), max(-shape[-2], min(k, shape[-1]))  # no diagonal is farther out; all k fit into int64
    row = ir.iota(shape, ndim - 2)
    column = ir.iota(shape, ndim - 1)
    return ir.apply(op, column, ir.apply("add", row, ir.scalar(k, dt.int64)))


@here
@from_template(0)
def tri(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a matrix with ones on and below the k-th diagonal and zeros above. As bool it is the mask of `tril`.

    `n_cols` is `n_rows` by default. Raises ShapeError for a negative size, DTypeError for numbers that are no integers.

    >>> import weft
    >>> weft.tri(2, 3, dtype=weft.int8).tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    shape = shape_of("tri", (n_rows, n_rows if n_cols is None else n_cols))
    found, big = dtype_of(dtype, None)
    return ordered(ir.astype(_compare_axes("less_equal", shape, integer("tri", "k", k)), found), big)


def diag(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return the matrix with a vector on its k-th diagonal, or the k-th diagonal of a matrix as a view.

    Raises ShapeError for other ranks, DTypeError for a k that is no integer.

    >>> import weft
    >>> weft.diag(weft.asarray([1, 2]), k=1).tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    >>> m = weft.zeros((2, 2))
    >>> weft.diag(m)[...] = 3
    >>> m.tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """
    x = as_operand(x)
    n, k = node_of(x), integer("diag", "k", k)
    if n.desc.ndim == 2:
        return handle(x, selections.diagonal(n, k))
    if n.desc.ndim != 1:
        raise ShapeError(f"diag: a tensor of shape {n.desc.shape}; it takes vectors and matrices; use diagonal()")
    if n.desc.origin is not None:
        n = selections.translate(n, [-n.desc.origin[0]])
    shape = shape_of("diag", (n.desc.size + abs(k),) * 2)
    zero = ir.scalar(False if n.desc.dtype is dt.bool else 0, n.desc.dtype)
    rows = selections.expand_dims(selections.pad(n, [(max(-k, 0), max(k, 0))], "constant", zero), (1,))
    made = ir.make(OPS["where"], (_compare_axes("equal", shape, k), rows, zero), (), ir.result(n.desc.dtype, shape))
    return wrap(ir.locate(made))


def one_hot(indices: Tensor, n: int, /, *, axis: int = -1, dtype: Any = None, device: Any = None) -> Tensor:
    """Return indices as rows of n cells along a new axis: 1 at the index, 0 elsewhere; an index outside gives zeros.

    The dtype is float64, or the default dtype, unless given. Raises DTypeError if the indices or n are no integers,
    ShapeError for a negative n, AxisError for an axis that the result lacks.

    >>> import weft
    >>> weft.one_hot(weft.asarray([2, 0, 5]), 3, dtype=weft.int8).tolist()
    [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    """
    at = node_of(placed(as_operand(indices), device))
    if not at.desc.dtype.is_integer:
        raise DTypeError(f"one_hot: indices of {at.desc.dtype.name}; categories are integers; convert them")
    (size,) = shape_of("one_hot", (integer("one_hot", "n", n),))
    found, big = dtype_of(dtype, None)
    axis = one_axis("one_hot", axis, at.desc.ndim + 1)
    after = at.desc.ndim - axis
    at = ir.astype(at, dt.uint64 if at.desc.dtype is dt.uint64 else dt.int64)
    names = selections.expand_dims(ir.astype(line(size), at.desc.dtype), range(1, after + 1))
    on = ir.apply("equal", selections.expand_dims(at, (axis,)), names)
    return ordered(ir.astype(on, found), big)


def _triangle(name: str, op: str, x: Tensor, k: int) -> Tensor:
    """Return x with zeros at cells whose column does not compare by `op` with row + k.

    Raises ShapeError, naming function `name`, below rank 2, DTypeError for a k that is no integer.
    """
    n = node_of(as_operand(x))
    if n.desc.ndim < 2:
        raise ShapeError(f"{name}: a tensor of shape {n.desc.shape}; matrices have two axes; reshape it first")
    inside = _compare_axes(op, n.desc.shape, integer(name, "k", k))
    zero = ir.scalar(0, n.desc.dtype)
    d = ir.result(n.desc.dtype, n.desc.shape, n.desc.origin)
    return wrap(ir.locate(ir.make(OPS["where"], (inside, n, zero), (), d)))


@from_template(1)
def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return the lower triangle of each matrix, zeros above diagonal k.

    Raises ShapeError for a rank below 2, DTypeError for a k that is no integer.

    >>> import weft
    >>> weft.tril(weft.ones((2, 2))).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return _triangle("tril", "less_equal", x, k)


@from_template(1)
def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return the upper triangle of each matrix, zeros below diagonal k.

    Raises ShapeError for a rank below 2, DTypeError for a k that is no integer.

    >>> import weft
    >>> weft.triu(weft.ones((2, 2))).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return _triangle("triu", "greater_equal", x, k)


def meshgrid(*arrays: Tensor, sparse: bool = False, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return one grid of coordinates for each coordinate vector, with "xy" (Cartesian) or "ij" (matrix) indexing.

    With sparse=True each keeps size 1 along the axes of the others. Raises ShapeError for operands of rank above 1,
    ValueRangeError for another `indexing`, DTypeError for an object without numbers.

    >>> import weft
    >>> [g.tolist() for g in weft.meshgrid(weft.asarray([1, 2]), weft.asarray([3, 4]))]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    one_of("meshgrid", "indexing", indexing, ("xy", "ij"), "'xy' and 'ij' are defined")
    arrays = tuple(as_operand(a) for a in arrays)
    if any(a.ndim > 1 for a in arrays):
        raise ShapeError("meshgrid: operands of rank above 1; coordinate vectors are asked for; flatten them")
    sizes = [a.size for a in arrays]
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = [1, 0]
    shape = tuple(sizes[i] for i in order)
    out = []
    for i, a in enumerate(arrays):
        at = order.index(i)
        n = node_of(a)
        n = n if n.desc.ndim else selections.expand_dims(n, [0])
        n = selections.expand_dims(n, [d for d in range(len(shape)) if d != at])
        n = n if flag("meshgrid", "sparse", sparse) else selections.broadcast_to(n, shape)
        out.append(wrap(ir.locate(ir.make(OPS["positive"], (n,), (), ir.result(n.desc.dtype, n.desc.shape)))))
    return tuple(out)
