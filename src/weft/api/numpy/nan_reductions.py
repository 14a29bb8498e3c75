"""Reductions that skip NaN.

The one idea: NaN is replaced by the identity (0 in a sum, 1 in a product), and the remaining cells are counted; both
fuse into the reduction, so nothing is copied.  Extremes that skip NaN are operations of their own, since they have no
identity.  Where no cell remains, the result is that of an empty reduction if there is one (0, 1, a mean of NaN), and
NaN for extremes, whose position is then 0.  dtypes without NaN are reduced as usual; a complex number is NaN if one of
its parts is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.api.arguments import as_tensor, number
from weft.api.destination import into
from weft.api.numpy import array_methods
from weft.api.numpy.closeness import by_parts
from weft.api.precision import wide
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.manipulation_functions import reshape
from weft.api.standard.statistical_functions import Axis
from weft.ir.graph.ops import OPS, resolve
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of

_VALUES = "[weft.nan, 2.0, 4.0]"  # cells of the examples


def _skipping(name: str, plain: Callable[..., Tensor], identity: float, what: str, shown: str) -> Callable[..., Tensor]:
    text = f"{what} of the cells that are not NaN over axes (default: all); {identity} if all are NaN."

    @st.named(name, text, _VALUES, shown)
    def function(x: Any, /, axis: Axis = None, *, dtype: Any = None, keepdims: bool = False, out: Any = None) -> Tensor:
        return plain(el.fill_nan(x, identity), axis=axis, dtype=dtype, keepdims=keepdims, out=out)

    return function


def _running(name: str, plain: Callable[..., Tensor], identity: float, what: str, shown: str) -> Callable[..., Tensor]:
    """Return the public function `name`: running sums or products, by `plain`, in which NaN counts as `identity`."""

    def function(x: Any, /, axis: int | None = None, dtype: Any = None, out: Any = None) -> Tensor:
        return plain(el.fill_nan(x, identity), axis=axis, dtype=dtype, out=out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Return running {what} along an axis (default: of all cells in row-major order), in which NaN counts as "
        f"{identity}.\n\nRaises AxisError for an axis that x lacks, DTypeError for a dtype without sums, ShapeError or "
        "WriteError\nfor an `out` of another shape or without memory.\n\n"
        f">>> import weft\n>>> weft.{name}(weft.asarray({_VALUES})).tolist()\n{shown}\n"
    )
    return function


def _extreme(name: str, plain: Callable[..., Tensor], what: str, shown: str) -> Callable[..., Tensor]:
    text = f"{what} value except NaN, over axes (default: all); NaN if all cells are NaN."

    @st.named(name, text, _VALUES, shown)
    def function(x: Any, /, axis: Axis = None, *, keepdims: bool = False, out: Any = None) -> Tensor:
        x = as_tensor(x)
        if not x.dtype.is_inexact:
            return plain(x, axis=axis, keepdims=keepdims, out=out)
        made = st.reduction(name, node_of(x), axis, keepdims)
        return made if out is None else into(out, made, name)

    return function


def _position(name: str, extreme: Callable[..., Tensor], plain: Callable[..., Tensor], what: str, shown: str) -> Any:
    text = (
        f"Return the position of the first {what} except NaN along an axis (default: in the flattened tensor), "
        "as int64;\n0 if all are NaN."
    )

    @st.named(name, text, _VALUES, shown)
    def function(x: Any, /, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Tensor:
        x = as_tensor(x)
        if not x.dtype.is_inexact:
            return plain(x, axis=axis, keepdims=keepdims, out=out)
        found = el.equal(x, extreme(x, axis=axis, keepdims=True))
        return st.argmax(found, axis=axis, keepdims=keepdims, out=out)

    return function


nansum = _skipping("nansum", st.sum, 0, "Return the sum", "6.0")
nanprod = _skipping("nanprod", st.prod, 1, "Return the product", "8.0")
nancumsum = _running("nancumsum", array_methods.cumsum, 0, "sums", "[0.0, 2.0, 6.0]")
nancumprod = _running("nancumprod", array_methods.cumprod, 1, "products", "[1.0, 2.0, 8.0]")
nanmin = _extreme("nanmin", st.min, "Return the least", "2.0")
nanmax = _extreme("nanmax", st.max, "Return the greatest", "4.0")
nanargmin = _position("nanargmin", nanmin, st.argmin, "least value", "1")
nanargmax = _position("nanargmax", nanmax, st.argmax, "greatest value", "2")


def _counted(x: Tensor, axis: Axis, keepdims: bool) -> Tensor:
    """Return the number of cells that are not NaN, over axes, in the real float dtype of x."""
    return el.astype(st.count_nonzero(el.logical_not(el.isnan(x)), axis=axis, keepdims=keepdims), x.dtype.real)


@from_template(1)
def nanmean(x: Any, /, axis: Axis = None, *, dtype: Any = None, keepdims: bool = False, out: Any = None) -> Tensor:
    """Return the arithmetic mean of the cells that are not NaN, over axes (default: all); NaN where there are none.

    The cells are converted to `dtype`, a float or complex one, first. Raises DTypeError for another dtype, AxisError
    for an axis that x lacks, ShapeError for an `out` of another shape, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.nanmean(weft.asarray([weft.nan, 2.0, 4.0])).item()
    3.0
    """
    x = st.in_floats("nanmean", as_tensor(x), dtype)
    if not x.dtype.is_inexact:
        return st.mean(x, axis=axis, keepdims=keepdims, out=out)
    resolve(OPS["mean"], x.dtype)
    wider = wide(x)
    count = _counted(wider, axis, keepdims)
    made = by_parts(lambda part: el.divide(part, count), nansum(wider, axis=axis, keepdims=keepdims))
    made = el.astype(made, x.dtype, copy=False)
    return made if out is None else into(out, made, "nanmean")


@from_template(1)
def nanvar(
    x: Any, /, axis: Axis = None, *, correction: float = 0.0, dtype: Any = None, keepdims: bool = False, out: Any = None
) -> Tensor:
    """Return the variance of the cells that are not NaN, over axes: squared deviations over count - correction.

    The cells are converted to `dtype`, a float or complex one, first; the variance of complex cells is real, as in
    `var`. Raises DTypeError for another dtype and bool cells, AxisError for an axis that x lacks, ShapeError for an
    `out` of another shape, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.nanvar(weft.asarray([weft.nan, 2.0, 4.0]), correction=1).item()
    2.0
    """
    x = st.in_floats("nanvar", as_tensor(x), dtype)
    if not x.dtype.is_inexact:
        return st.var(x, axis=axis, correction=correction, keepdims=keepdims, out=out)
    resolve(OPS["var"], x.dtype.real)
    wider = wide(x)
    count = _counted(wider, axis, True)
    total = nansum(wider, axis=axis, keepdims=True)
    mean = by_parts(lambda part: el.divide(part, count), total)
    deviation = el.where(el.isnan(wider), 0, el.subtract(wider, mean))  # before it is squared: a gradient is 0 there
    parts = (el.real(deviation), el.imag(deviation)) if x.dtype.kind == "complex" else (deviation,)
    squares = [st.sum(el.square(part), axis=axis, keepdims=keepdims) for part in parts]
    spread = squares[0] if len(squares) == 1 else el.add(*squares)
    left = el.maximum(el.subtract(count, float(number("nanvar", correction))), 0)
    made = el.astype(el.divide(spread, reshape(left, spread.shape)), x.dtype.real, copy=False)
    return made if out is None else into(out, made, "nanvar")


@from_template(1)
def nanstd(
    x: Any, /, axis: Axis = None, *, correction: float = 0.0, dtype: Any = None, keepdims: bool = False, out: Any = None
) -> Tensor:
    """Return the standard deviation of the cells that are not NaN: the square root of `nanvar`.

    The arguments are those of `nanvar`. Raises DTypeError for a `dtype` that is neither float nor complex and for bool
    cells, AxisError for an axis that x lacks, ShapeError for an `out` of another shape, WriteError for an `out` that
    cannot be written.

    >>> import weft
    >>> weft.nanstd(weft.asarray([weft.nan, 1.0, 3.0])).item()
    1.0
    """
    x = st.in_floats("nanstd", as_tensor(x), dtype)
    made = el.length(nanvar(x, axis=axis, correction=correction, keepdims=keepdims), el.sqrt)
    return made if out is None else into(out, made, "nanstd")


def nancount_nonzero(x: Any, /, axis: Axis = None, *, keepdims: bool = False, out: Any = None) -> Tensor:
    """Return the number of cells that are neither 0 nor NaN, over axes (default: all), as int64.

    Raises AxisError for an axis that x lacks, ShapeError for an `out` of another shape, WriteError for an `out` that
    cannot be written.

    >>> import weft
    >>> weft.nancount_nonzero(weft.asarray([weft.nan, 0.0, 4.0])).item()
    1
    """
    return st.count_nonzero(el.fill_nan(x, 0), axis=axis, keepdims=keepdims, out=out)
