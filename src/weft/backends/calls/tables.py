"""Library routines of the CPU, by name: the function table that Calls are looked up in.

The one idea: weft compiles what is fused and leaves what libraries do best to them; a routine gets whole arrays and
fills its output.  Half-precision products are computed in float32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from weft.ir.description import c_strides

Routine = Callable[[np.ndarray, Sequence[np.ndarray], tuple[Any, ...]], None]


def _wide(a: np.ndarray) -> np.ndarray:
    """The array in native order and a dtype that NumPy's routines know."""
    if a.dtype.kind == "V" or a.dtype == np.float16:
        return a.astype(np.float32)
    return a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("="))


def _for_blas(a: np.ndarray, order: str) -> np.ndarray:
    """The operand without gaps, its last two axes in an order, "C" or "F".

    A product's bits depend on how its operands lie (even on the strides of an axis of size 1), and how an operand lies
    in a buffer is no property of the expression.
    """
    if order == "F":
        return _for_blas(a.swapaxes(-1, -2), "C").swapaxes(-1, -2)
    if a.flags.c_contiguous and 1 not in a.shape and a.size:
        return a
    a = np.ascontiguousarray(a)
    strides = c_strides(a.shape, a.itemsize)
    return a if a.strides == strides else as_strided(a, strides=strides)


def matmul(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """out = a @ b, broadcasting leading axes; attrs are the orders of the operands."""
    a, b = (_for_blas(_wide(x), order) for x, order in zip(args, attrs, strict=True))
    if a.dtype == out.dtype:
        np.matmul(a, b, out=out)
    else:
        out[...] = np.matmul(a, b).astype(out.dtype)


def sort(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Sort along attrs (axis, descending, stable); NaN last when ascending, first when descending."""
    axis, descending, _ = attrs
    (a,) = args
    values = np.sort(_wide(a), axis=axis, kind="stable")
    if descending:
        values = np.flip(values, axis=axis)
    out[...] = values.astype(out.dtype)


def argsort(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Indices that sort along attrs (axis, descending, stable), equal values in their order."""
    axis, descending, _ = attrs
    values = _wide(args[0])
    if not descending:
        out[...] = np.argsort(values, axis=axis, kind="stable")
        return
    n = values.shape[axis]
    backwards = np.argsort(np.flip(values, axis=axis), axis=axis, kind="stable")
    out[...] = n - 1 - np.flip(backwards, axis=axis)


def searchsorted(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Where values would be inserted into sorted x; attrs (side,)."""
    x, values = (_wide(a) for a in args)
    out[...] = np.searchsorted(x, values, side=attrs[0])


def scatter_add(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """out[position] = the sum of the rows of that position, added in the order of the rows; attrs (positions,)."""
    rows, at = args
    wide = _wide(rows)
    total = out if out.dtype == wide.dtype else np.empty(out.shape, wide.dtype)
    total[...] = 0
    np.add.at(total, at, wide)
    if total is not out:
        out[...] = total.astype(out.dtype)


ROUTINES: dict[str, Routine] = {
    "matmul": matmul,
    "sort": sort,
    "argsort": argsort,
    "searchsorted": searchsorted,
    "scatter_add": scatter_add,
}
