"""Operands in the form that NumPy's routines need: native byte order, a dtype that they know, no gaps.

The one idea: dtypes that NumPy cannot compute with (16-bit floats of every kind) are computed in the next wider dtype,
and rounded once when the result is written.  The memory layout of an operand must not affect the result, so routines
get copies in a layout that follows from the expression alone.
"""

from __future__ import annotations

import numpy as np

from weft.dtypes import from_numpy, narrowed
from weft.dtypes import widened as wide  # what NumPy's routines know
from weft.ir.graph.description import c_strides

__all__ = ["dense", "store_rounded", "wide"]


def dense(a: np.ndarray, order: str = "C") -> np.ndarray:
    """Return the array without gaps between its cells, its last two axes in row-major or column-major order.

    `order` is "C" or "F".  The bits of a product depend on the layout of its operands (even on the strides of an axis
    of size 1), and an operand's layout in a buffer is no property of the expression.
    """
    if order == "F":
        return dense(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    if a.flags.c_contiguous and 1 not in a.shape and a.size:
        return a
    a = np.ascontiguousarray(a)
    strides = c_strides(a.shape, a.itemsize)
    return a if a.strides == strides else np.ndarray(a.shape, a.dtype, a, 0, strides)


def store_rounded(out: np.ndarray, value: np.ndarray) -> None:
    """Write an array to `out`, rounded to the dtype of `out`, unless it is `out`."""
    if value is not out:
        out[...] = value if value.dtype == out.dtype else narrowed(value, from_numpy(out.dtype)[0])
