"""Padding, with NumPy's spellings of widths and values.

The one idea: a constant, an edge or a mirror around a tensor is one selection; values that differ between sides are one
selection after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft import dtypes as dt
from weft.api.arguments import as_tensor, integer, integers, is_one, one_axis, one_of
from weft.errors import DTypeError, ShapeError
from weft.ir.atoms import selections
from weft.ir.atoms.pad import check_pads
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.runtime.fork_safety import late_import
from weft.tensors import tensor
from weft.tensors.tensor import Tensor, node_of, wrap

_BY_VALUES = ("empty", "linear_ramp", "maximum", "mean", "median", "minimum")


def pad(
    x: Tensor,
    pad_width: Any,
    mode: str = "constant",
    constant_values: Any = 0,
    *,
    stat_length: Any = None,
    end_values: Any = None,
    reflect_type: str = "even",
) -> Tensor:
    """Return x with cells added before and after each axis, with NumPy's arguments.

    `pad_width` is one number, a pair (before, after), a pair for each axis, or a dict from axes to these; `mode` is
    constant, edge, wrap, reflect or symmetric. NumPy computes on values what its other modes give: mean, median,
    maximum and minimum (of `stat_length` cells), linear_ramp (to `end_values`), empty, functions, and
    `reflect_type="odd"`. Raises ValueRangeError for another mode, ShapeError for negative widths, another number of
    them, or no cell to take; AxisError for an axis that x lacks, DTypeError for widths that are no integers,
    GradientError for values of recorded operands.

    >>> import weft
    >>> weft.pad(weft.asarray([1, 2, 3]), (1, 2), mode="reflect").tolist()
    [2, 1, 2, 3, 2, 1]
    """
    x = as_tensor(x)
    named = {"stat_length": stat_length, "end_values": end_values}
    asked = {k: value for k, value in named.items() if value is not None}
    if one_of("pad", "reflect_type", reflect_type, ("even", "odd"), "it is even or odd") == "odd":
        asked["reflect_type"] = reflect_type
    if asked or callable(mode) or (isinstance(mode, str) and mode in _BY_VALUES):
        return late_import("weft.interop.numpy.names").call_on_tensors("pad", (x, pad_width, mode), asked)  # type: ignore[no-any-return]
    n = node_of(x)
    widths = _widths(pad_width, n.desc.ndim)
    if type(constant_values) in (tuple, list):
        return _pad_by_sides(n, widths, mode, constant_values)
    return wrap(ir.locate(selections.pad(n, widths, mode, _fill(constant_values, n.desc.dtype))))


def _fill(value: Any, dtype: dt.DType) -> Node:
    """Return a padding value as a node of a dtype; raises ValueRangeError for a number that it cannot hold."""
    return ir.astype(tensor.operand(value, dtype, "pad"), dtype)


def _pad_by_sides(n: Node, widths: tuple[tuple[int, int], ...], mode: str, values: Sequence[Any]) -> Tensor:
    """Return x padded with a separate value on each side of each axis; in corners the later axis decides.

    Raises ShapeError unless `values` has one or two numbers for each axis.
    """
    check_pads(n.desc.shape, widths, mode)
    ndim, nested = n.desc.ndim, [v if type(v) in (tuple, list) else None for v in values]
    pairs = [tuple(v) for v in nested if v is not None] if None not in nested else [tuple(values)]
    pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != ndim or any(len(p) not in (1, 2) for p in pairs):
        raise ShapeError(
            f"pad: values {values!r} for {ndim} axes; one before and one after each are needed; give pairs"
        )
    for axis, (width, pair) in enumerate(zip(widths, pairs, strict=True)):
        for side in (0, 1):
            around = [(0, 0)] * ndim
            around[axis] = (width[0], 0) if side == 0 else (0, width[1])
            n = selections.pad(n, around, mode, _fill(pair[-side], n.desc.dtype))
    return wrap(ir.locate(n))


def _pair(widths: Any) -> tuple[int, int]:
    """Return the widths (before, after) of an axis from one or two integers.

    Raises ShapeError for more, DTypeError for numbers that are no integers.
    """
    found = integers("pad", "width", widths)
    if len(found) not in (1, 2):
        raise ShapeError(f"pad: widths {found} for one axis; one before and one after are needed; give a pair per axis")
    return (found[0], found[-1])


def _widths(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """Return (before, after) for each axis, from an integer, a pair, pairs of all axes, or a dict by axis.

    Raises DTypeError for numbers that are no integers, ShapeError for more than two for an axis, AxisError for an axis
    that there is not.
    """
    if is_one(pad_width):
        return ((integer("pad", "width", pad_width),) * 2,) * ndim
    if isinstance(pad_width, dict):
        found = {one_axis("pad", axis, ndim): _pair(widths) for axis, widths in pad_width.items()}
        return tuple([found.get(axis, (0, 0)) for axis in range(ndim)])
    try:
        pairs = tuple(pad_width)
    except TypeError:
        raise DTypeError(f"pad: widths {pad_width!r}; integers are needed; give one, or a pair per axis") from None
    if pairs and is_one(pairs[0]):
        if len(pairs) == 1:
            pairs = (pairs[0], pairs[0])
        return (_pair(pairs),) * ndim
    widths = tuple(_pair(p) for p in pairs)
    return widths * ndim if len(widths) == 1 else widths
