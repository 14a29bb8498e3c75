"""Ocean's reductions: f(A, axes, keepdims, destination).

The one idea: a reduction of absolute values is one of `abs(A)`, which fuses; only the dtypes of results are Ocean's:
unsigned, so that the least integer has an absolute value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import weft
from weft.api.arguments import number
from weft.api.destination import into
from weft.dtypes import of_kind
from weft.errors import ValueRangeError
from weft.tensors.tensor import Tensor

_WEFT = {
    "any": "any", "all": "all", "allFinite": "all_finite", "anyInf": "any_inf", "anyNaN": "any_nan",
    "nnz": "count_nonzero", "nnzNaN": "nancount_nonzero", "sum": "sum", "sumNaN": "nansum", "prod": "prod",
    "prodNaN": "nanprod", "minimum": "nanmin", "maximum": "nanmax",
}  # fmt: skip


def _axes(name: str, axes: Any) -> Any:
    """Return axes in the form that weft's reductions take; raises ValueRangeError for an empty list."""
    if not isinstance(axes, Iterable):
        return axes
    found = tuple(axes)
    if not found:
        raise ValueRangeError(f"{name}: an empty list of axes; None means all; name the axes to reduce")
    return found


def _put(name: str, made: Tensor, B: Any) -> Tensor | None:
    """Return the result `made` of function `name`, or None after writing it to destination B, if B is given.

    Raises ShapeError, DTypeError or WriteError if B has another shape or cannot hold or take the values.
    """
    if B is None:
        return made
    into(B, made, name)
    return None


def _reduction(
    name: str, function: Callable[..., Any], before: Callable[[Any], Any] = weft.asarray
) -> Callable[..., Any]:
    """Return Ocean's reduction f(A, axes, keepdims, B) of a name: weft's `function` of `before(A)`.

    f returns None after writing its result to B, if B is given.
    """

    def reduction(A: Any, axes: Any = None, keepdims: bool = False, B: Any = None) -> Tensor | None:
        return _put(name, function(before(A), axis=_axes(name, axes), keepdims=keepdims), B)

    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = (
        f"Return `weft.{_WEFT.get(name, name)}` over axes (default: all), or write it to B and return None.\n\n"
        "    Raises the errors of the function, and ShapeError, DTypeError or WriteError for a B that cannot take the\n"
        "    result.\n    "
    )
    return reduction


def _absolute(A: Any) -> Tensor:
    """Return absolute values; those of integers are unsigned of the same width, so that none overflows."""
    x = weft.asarray(A)
    if x.dtype.kind == "int":
        return weft.abs(x).astype(of_kind("uint", x.dtype.bits))
    return x if x.dtype.kind in ("bool", "uint") else weft.abs(x)


def _without_nan(A: Any) -> Tensor:
    return weft.fill_nan(weft.asarray(A), 0)


def norm(A: Any, p: Any = 2, axes: Any = None, keepdims: bool = False, B: Any = None) -> Tensor | None:
    """Return the p-norm over axes (None: all), the p-th root of the sum of |a|^p.

    p=0 counts nonzero cells, p=inf returns the largest absolute value. If B is given, the result is written there and
    None returned. Raises ValueRangeError for p below 0 or an empty list of axes, AxisError for an axis that A lacks,
    DTypeError for a p that is no number.

    >>> from weft import ocean
    >>> ocean.norm([3.0, -4.0]).item(), ocean.norm([3.0, -4.0], 1).item(), ocean.norm1([[1.0, -2.0]]).item()
    (5.0, 7.0, 3.0)
    """
    p = number("norm", p)
    if not p >= 0:
        raise ValueRangeError(f"norm: p={p}; it is 0 or more; use linalg.vector_norm for others")
    x = weft.asarray(A)
    x = x if x.dtype.is_inexact else x.astype(weft.float64)
    return _put("norm", weft.linalg.vector_norm(x, axis=_axes("norm", axes), keepdims=keepdims, ord=p), B)


def norm1(A: Any, axes: Any = None, keepdims: bool = False, B: Any = None) -> Tensor | None:
    """Return the sum of absolute values over axes (None: all), or None after writing it to B.

    Raises AxisError for an axis that A lacks, ValueRangeError for an empty list of axes, DTypeError for an object
    without numbers.
    """
    return norm(A, 1, axes, keepdims, B)


def norm2(A: Any, axes: Any = None, keepdims: bool = False, B: Any = None) -> Tensor | None:
    """Return the root of the sum of squares over axes (None: all), or None after writing it to B.

    Raises AxisError for an axis that A lacks, ValueRangeError for an empty list of axes, DTypeError for an object
    without numbers.
    """
    return norm(A, 2, axes, keepdims, B)


def normInf(A: Any, axes: Any = None, keepdims: bool = False, B: Any = None) -> Tensor | None:
    """Return the largest absolute value over axes (None: all), or None after writing it to B.

    Raises AxisError for an axis that A lacks, ValueRangeError for an empty list of axes, DTypeError for an object
    without numbers.
    """
    return norm(A, weft.inf, axes, keepdims, B)


def normNaN(A: Any, p: Any = 2, axes: Any = None, keepdims: bool = False, B: Any = None) -> Tensor | None:
    """Return the p-norm over axes (None: all) with NaN counted as 0.

    If B is given, the result is written there and None returned. Raises ValueRangeError for p below 0 or an empty list
    of axes, AxisError for an axis that A lacks, DTypeError for a p that is no number.
    """
    return norm(_without_nan(A), p, axes, keepdims, B)


allLT, allLE, allGT, allGE = weft.all_less, weft.all_less_equal, weft.all_greater, weft.all_greater_equal


def allInRange(A: Any, *bounds: Any) -> Tensor:
    """True if all cells lie between bounds: allInRange(A, low[, included], high[, included]); None is no bound.

    Raises ValueRangeError unless there are two bounds.

    >>> from weft import ocean
    >>> ocean.allInRange([1, 2, 3], 1, False, 3).item(), ocean.allInRange([1, 2, 3], None, 3).item()
    (False, True)
    """
    ends: list[tuple[Any, bool]] = []
    for given in bounds:
        if isinstance(given, bool) and ends:
            ends[-1] = (ends[-1][0], given)
        else:
            ends.append((given, True))
    if len(ends) != 2:
        raise ValueRangeError(f"allInRange: {len(ends)} bounds; there are two, each None or a number; give both")
    (low, with_low), (high, with_high) = ends
    return weft.all_in_range(A, low, high, include_low=with_low, include_high=with_high)


_MADE = {name: _reduction(name, getattr(weft, theirs)) for name, theirs in _WEFT.items()}
_MADE |= {
    "sumAbs": _reduction("sumAbs", weft.sum, _absolute),
    "sumAbsNaN": _reduction("sumAbsNaN", weft.nansum, _absolute),
    "minimumAbs": _reduction("minimumAbs", weft.nanmin, _absolute),
    "maximumAbs": _reduction("maximumAbs", weft.nanmax, _absolute),
}
globals().update(_MADE)

__all__ = [  # noqa: PLE0604
    *_MADE, "allGE", "allGT", "allInRange", "allLE", "allLT", "norm", "norm1", "norm2", "normInf", "normNaN",
]  # fmt: skip
