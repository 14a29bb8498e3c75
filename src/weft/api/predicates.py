"""Predicates over all cells: is every cell finite or within bounds, is any NaN.

The one idea: each is a comparison and a reduction that fuse, so the cells are read once and nothing is stored.  A bound
is compared exactly, whatever the dtype of the cells: it is first replaced by a bound that the cells' dtype can hold and
that compares equally with each of its values.  NaN among the cells is skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, inf, nextafter
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor
from weft.api.destination import into
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.statistical_functions import Axis
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS, resolve
from weft.tensors.elementwise import binary
from weft.tensors.tensor import Tensor, node_of, wrap


def _question(
    name: str, asked: Callable[[Tensor], Tensor], reduced: Callable[..., Tensor], what: str, values: str, shown: str
) -> Callable[..., Tensor]:
    @st.named(name, f"True if {what}, over axes (default: all); of any dtype but float8.", values, shown)
    def function(x: Any, /, *, axis: Axis = None, keepdims: bool = False, out: Any = None) -> Tensor:
        return reduced(asked(as_tensor(x)), axis=axis, keepdims=keepdims, out=out)

    return function


all_finite = _question(
    "all_finite", el.isfinite, st.all, "every cell is neither infinite nor NaN", "[1.0, 2.0]", "True"
)
any_inf = _question("any_inf", el.isinf, st.any, "any cell is infinite", "[1.0, weft.inf]", "True")
any_nan = _question("any_nan", el.isnan, st.any, "any cell is NaN", "[1.0, weft.inf]", "False")


# ---- bounds
# The comparison that finds the cells out of bounds.
_OUTSIDE = {"less": "greater_equal", "less_equal": "greater", "greater": "less_equal", "greater_equal": "less"}
_DOWN = ("less_equal", "greater")  # rounding the bound down to x's dtype changes no result; up, for the others
# What a comparison of reals with a complex number says of its real part, by whether its imaginary part is over 0.
_BESIDE_REAL = {
    True: {"less": "less_equal", "greater_equal": "greater"},
    False: {"less_equal": "less", "greater": "greater_equal"},
}
_FAR = 1 << 64


def _bounded(name: str, what: str, shown: str) -> Callable[..., Tensor]:
    """Return the public predicate `name`: True if every cell has the relation `what` to a bound.

    `shown` is the result of the example in its docstring.
    """

    def function(x: Any, bound: Any, /, *, axis: Axis = None, keepdims: bool = False, out: Any = None) -> Tensor:
        return _none(name, as_tensor(x), [(_OUTSIDE[name[4:]], bound)], axis, keepdims, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"True if every cell except NaN is {what} a bound, compared exactly, over axes (default: all).\n\n"
        "The bound is a number of any kind, or None for no bound; it need not be one that x's dtype can hold.\n"
        "Complex numbers are ordered by their real parts, then by their imaginary ones. Raises DTypeError for a bound\n"
        "that is no number, ValueRangeError for NaN, AxisError for an axis that x lacks, ShapeError for an `out` of\n"
        "another shape, WriteError for one that cannot be written.\n\n"
        f">>> import weft\n>>> weft.{name}(weft.asarray([1, 2, 3], dtype=weft.int8), 3.1).item()\n{shown}\n"
    )
    return function


all_less = _bounded("all_less", "less than", "True")
all_less_equal = _bounded("all_less_equal", "at most", "True")
all_greater = _bounded("all_greater", "greater than", "False")
all_greater_equal = _bounded("all_greater_equal", "at least", "False")


def all_in_range(
    x: Any,
    low: Any,
    high: Any,
    /,
    *,
    include_low: bool = True,
    include_high: bool = True,
    axis: Axis = None,
    keepdims: bool = False,
    out: Any = None,
) -> Tensor:
    """True if every cell except NaN lies between two bounds, compared exactly, over axes (default: all).

    Returns a bool tensor. Raises DTypeError for a bound that is no number, ValueRangeError for NaN, AxisError for an
    axis that x lacks, ShapeError for an `out` of another shape, WriteError for an `out` that cannot be written.

    A bound is a number of any kind, or None for no bound; `include_low` and `include_high` say whether cells may equal
    it.

    >>> import weft
    >>> x = weft.asarray([1, 2, 3], dtype=weft.int8)
    >>> weft.all_in_range(x, 1, 3).item(), weft.all_in_range(x, 1, 3, include_low=False).item()
    (True, False)
    """
    outside = [("less" if include_low else "less_equal", low), ("greater" if include_high else "greater_equal", high)]
    return _none("all_in_range", as_tensor(x), outside, axis, keepdims, out)


def _none(name: str, x: Tensor, outside: list[tuple[str, Any]], axis: Axis, keepdims: bool, out: Any) -> Tensor:
    """Return a bool tensor: True if no cell fulfils any of the (comparison, bound) pairs in `outside`.

    Raises DTypeError for a bound that is no number, ValueRangeError for NaN.
    """
    found = None
    for comparison, bound in outside:
        if bound is None:
            continue
        one = _compared(x, comparison, _number(name, bound))
        found = one if found is None else el.logical_or(found, one)
    if found is None:
        found = el.logical_and(x, False)
    made = el.logical_not(st.any(found, axis=axis, keepdims=keepdims))
    return made if out is None else into(out, made, name)


def _number(name: str, bound: Any) -> int | float | complex:
    """Return a bound as a Python number; raises DTypeError for other objects, ValueRangeError for NaN."""
    is_one = isinstance(bound, (Tensor, np.ndarray, np.generic)) and bound.size == 1
    value = bound.item() if is_one else bound
    if not isinstance(value, (int, float, complex)):
        raise DTypeError(f"{name}: a bound of {bound!r}; one number is needed, or None; reduce or index it first")
    if value != value:
        raise ValueRangeError(f"{name}: a bound of {value}; nothing is on either side of it; pass None for no bound")
    return value


def _compared(x: Tensor, comparison: str, bound: int | float | complex) -> Tensor:
    """Return the mask of an exact comparison of `x` with a bound.

    Complex numbers are ordered by real, then imaginary part.
    """
    d = x.dtype
    resolve(OPS[comparison], d)
    if isinstance(bound, complex):
        if d.kind == "complex":
            return _beside(comparison, x, bound, dt.complex128)
        if bound.imag:
            comparison = _BESIDE_REAL[bound.imag > 0].get(comparison, comparison)
        bound = bound.real
    if d.kind == "complex":
        value = _double(comparison, bound)
        aside = 0.0 if value == bound else inf if comparison in _DOWN else -inf
        return _beside(comparison, x, complex(value, aside), dt.complex128)
    if d.kind == "float":
        value = _double(comparison, bound)
        return _beside(comparison, x, value, d if _holds(d, value) else dt.float64)
    if d is dt.bool:
        x = el.astype(x, dt.uint8)
    return binary(OPS[comparison], x, _integer(comparison, bound))


def _beside(comparison: str, x: Tensor, bound: float | complex, dtype: DType) -> Tensor:
    """Return the mask of a comparison of `x` with a bound that is first converted to a dtype."""
    return wrap(ir.locate(ir.apply(comparison, node_of(x), ir.scalar(bound, dtype)), 6))


@np.errstate(over="ignore")
def _holds(d: DType, value: float) -> bool:
    """True if a float dtype holds a value exactly."""
    return bool(np.float64(value).astype(d.np).astype(np.float64) == value)


def _integer(comparison: str, bound: int | float) -> int:
    """Return an integer that can replace the bound in a comparison with any int64."""
    if bound in (inf, -inf):
        return _FAR if bound > 0 else -_FAR
    return floor(bound) if comparison in _DOWN else ceil(bound)


def _double(comparison: str, bound: int | float) -> float:
    """Return a float64 that can replace the bound in a comparison with any float64."""
    try:
        near = float(bound)
    except OverflowError:
        near = inf if bound > 0 else -inf
    if comparison in _DOWN:
        return nextafter(near, -inf) if near > bound else near
    return nextafter(near, inf) if near < bound else near
