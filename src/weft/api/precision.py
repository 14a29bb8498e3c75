"""Precision of composed functions: several steps are computed in a wider dtype and rounded once.

The one idea: 16-bit floats are computed in 32 bits a part, whatever the number of steps, and only the result is rounded
to 16 bits.
"""

from __future__ import annotations

from typing import Any

from weft import dtypes as dt
from weft.api.arguments import as_tensor
from weft.api.standard.elementwise_functions import astype
from weft.dtypes import DType
from weft.errors import DTypeError
from weft.modes.implicit_conversions import of_operands
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, node_of


def inexact(name: str, x: Any) -> Tensor:
    """Return `x` as a tensor of floats or complex numbers; integers become float64.

    Raises DTypeError for bools and for the float8 kinds.
    """
    x = as_tensor(x)
    if x.dtype.kind == "bool":
        raise DTypeError(f"{name}: bool cells; floats or complex numbers are needed; convert them with astype()")
    if x.dtype.storage:
        raise DTypeError(f"{name}: {x.dtype.name} operands; the float8 kinds are for storage; convert with astype()")
    if x.dtype.is_inexact:
        return x
    if Limits.watcher is not None:
        Limits.watcher.judge(of_operands(name, [node_of(x)], dt.float64))
    return astype(x, dt.float64)


def wide(x: Tensor) -> Tensor:
    """Return a tensor in the dtype in which several steps are computed: float32 for 16-bit floats, else its own."""
    return astype(x, x.dtype.compute, copy=False)


def rounded(x: Tensor, to: DType) -> Tensor:
    """Return a result that was computed in a wider dtype, rounded to dtype `to`."""
    return astype(x, to, copy=False)
