"""Sorting along an axis.

The one idea: sorting is a library routine; NaN counts as the greatest value, and sorts are always stable, so NumPy's
`kind=` has no effect.  Without an axis (None) all cells are sorted as one row.
"""

from __future__ import annotations

from weft.api.arguments import as_tensor, one_axis
from weft.api.standard.manipulation_functions import reshape
from weft.errors import ValueRangeError
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS, resolve
from weft.tensors.tensor import Tensor, node_of, wrap

KINDS = (None, "quicksort", "mergesort", "heapsort", "stable")  # NumPy's words for algorithms; all sorts are stable


def _sorted(name: str, x: Tensor, axis: int | None, descending: bool, kind: str | None) -> Tensor:
    """Return the result of the routine `sort` or `argsort` along an axis; rank 0 counts as one cell.

    axis=None flattens x. Raises ValueRangeError, naming `name`, for an unknown `kind`, AxisError for an axis that x
    lacks, DTypeError for dtypes without an order.
    """
    if kind not in KINDS:
        raise ValueRangeError(f"{name}: kind {kind!r}; known are {', '.join(KINDS[1:])}; leave it out")
    if axis is None:
        x, axis = reshape(as_tensor(x), (-1,)), 0
    n = node_of(as_tensor(x))
    _, out = resolve(OPS[name], n.desc.dtype)
    if not n.desc.ndim:
        n = selections.expand_dims(n, (0,))
        axis = one_axis(name, axis, 1)
        made = ir.make(OPS[name], (n,), (axis, bool(descending), ()), ir.result(out, (1,)))
        return wrap(ir.locate(made))[0]  # type: ignore[index]
    axis = one_axis(name, axis, n.desc.ndim)
    origin = None if n.desc.origin is None else tuple([0 if a == axis else o for a, o in enumerate(n.desc.origin)])
    d = ir.result(out, n.desc.shape, origin)
    return wrap(ir.locate(ir.make(OPS[name], (n,), (axis, bool(descending), ()), d)))


def sort(
    x: Tensor, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True, kind: str | None = None
) -> Tensor:
    """Return the cells sorted along an axis, ascending by default; NaN counts as the greatest value.

    With axis=None, x is flattened first; `stable` and `kind` change nothing. Raises AxisError if x has no such axis,
    ValueRangeError for an unknown kind, DTypeError for complex cells.

    >>> import weft
    >>> weft.sort(weft.asarray([3, 1, 2]), descending=True).tolist()
    [3, 2, 1]
    """
    return _sorted("sort", x, axis, descending, kind)


def argsort(
    x: Tensor, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True, kind: str | None = None
) -> Tensor:
    """Return the positions (int64) that sort x along an axis, with equal cells in their original order.

    With axis=None, x is flattened first. Every sort is stable: `stable` and the `kind` of NumPy change nothing. Raises
    AxisError if x has no such axis, ValueRangeError for an unknown kind, DTypeError for complex cells.

    >>> import weft
    >>> weft.argsort(weft.asarray([3, 1, 2])).tolist()
    [1, 2, 0]
    """
    return _sorted("argsort", x, axis, descending, kind)
