"""NumPy's `where=` and `initial=` of reductions.

The one idea: cells left out become what changes no result, such as 0 for a sum, and `initial` is joined to the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.destination import into
from weft.dtypes import DType
from weft.interop.imports import as_operand
from weft.interop.numpy.counterparts import known, weft
from weft.tensors.tensor import Tensor

_NEUTRAL: dict[str, Any] = {
    "sum": 0, "nansum": 0, "prod": 1, "nanprod": 1, "all": True, "any": False, "nanmean": np.nan, "nanvar": np.nan,
    "nanstd": np.nan,
}  # fmt: skip
_JOINED = {
    "sum": "add", "nansum": "add", "prod": "multiply", "nanprod": "multiply", "max": "maximum", "min": "minimum",
    "nanmax": "fmax", "nanmin": "fmin",
}  # fmt: skip


def reduced_where(function: Callable[..., Tensor], x: Any, *, where: Any = True, initial: Any = None,
                  out: Any = None, **how: Any) -> Any:  # fmt: skip
    """Return weft's reduction of the cells of x that the mask `where` selects, and of the number `initial`.

    `how` are further arguments of the reduction, by NumPy's names. Raises `Unknown` for a mask with more axes than x
    and what NumPy computes in another dtype, DTypeError for a mask that is not bool, and the errors of the reduction.

    >>> import weft
    >>> reduced_where(weft.sum, weft.asarray([1, 2, 4]), where=[True, False, True], initial=10).item()
    15
    """
    x, name = as_operand(x), function.__name__
    mask = None if where is True else as_operand(where)
    known(mask is None or np.broadcast_shapes(mask.shape, x.shape) == x.shape)
    if mask is not None and name in _MOMENTS:
        known(initial is None)
        made = _MOMENTS[name](x, mask, **how)
    else:
        made = _joined(function, x, mask, initial, how)
    return made if out is None else into(out, made, name)


def _joined(function: Callable[..., Tensor], x: Tensor, mask: Tensor | None, initial: Any, how: Any) -> Tensor:
    """Return a reduction whose result `initial` may be joined to; raises `Unknown` for others."""
    name = function.__name__
    known(initial is None or (name in _JOINED and not np.ndim(initial) and x.size > 0))
    if mask is not None:
        neutral = _NEUTRAL.get(name, initial)
        known(neutral is not None)
        x = weft().where(mask, x, neutral)
    made = function(x, **how)
    if initial is None:
        return made
    joined: Tensor = getattr(weft(), _JOINED[name])(made, initial)
    known(joined.dtype is made.dtype)
    return joined


def _cells(x: Tensor, dtype: Any) -> tuple[Tensor, DType]:
    """Return (cells in the float dtype that their mean is computed in, dtype of the mean).

    Raises `Unknown` for a dtype without fractions.
    """
    found = dt.spelled(dtype)[0] if dtype is not None else x.dtype if x.dtype.is_inexact else dt.float64
    known(found.is_inexact and (x.dtype.kind != "complex" or found.kind == "complex"))
    return x.astype(found.compute, copy=False), found  # type: ignore[attr-defined]


def _mean(x: Tensor, mask: Tensor, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Return the mean of the cells that a mask selects; NaN where it selects none."""
    cells, dtype = _cells(x, dtype)
    total = weft().sum(weft().where(mask, cells, 0), axis=axis, keepdims=keepdims)
    return (total / _count(x, mask, cells, axis, keepdims)).astype(dtype, copy=False)  # type: ignore[no-any-return]


def _count(x: Tensor, mask: Tensor, cells: Tensor, axis: Any, keepdims: bool) -> Any:
    """Return the numbers of cells that a mask selects along axes, in the real dtype of `cells`."""
    count = weft().sum(weft().broadcast_to(mask, x.shape), axis=axis, keepdims=keepdims)
    return count.astype(cells.dtype.real if cells.dtype.kind == "complex" else cells.dtype)


def _var(
    x: Tensor, mask: Tensor, axis: Any = None, dtype: Any = None, correction: float = 0, keepdims: bool = False
) -> Any:
    """Return the variance of the cells that a mask selects, by two passes."""
    cells, dtype = _cells(x, dtype)
    if dtype.kind == "complex":
        dtype = dtype.real
    away = weft().where(mask, cells - _mean(cells, mask, axis, keepdims=True), 0)
    squares = weft().real(away * weft().conj(away)) if cells.dtype.kind == "complex" else away * away
    count = weft().maximum(_count(x, mask, cells, axis, keepdims) - correction, 0)
    return (weft().sum(squares, axis=axis, keepdims=keepdims) / count).astype(dtype, copy=False)


def _std(x: Tensor, mask: Tensor, **how: Any) -> Any:
    """Return the standard deviation of the cells that a mask selects."""
    return weft().sqrt(_var(x, mask, **how))


_MOMENTS: dict[str, Callable[..., Any]] = {"mean": _mean, "var": _var, "std": _std}
