"""Comparison of values, exact or within tolerances, and replacement of NaN and infinities.

The one idea: a comparison with tolerances is an expression over both operands, so it fuses with their computation, and
with the reduction over it; no intermediate value is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft import dtypes as dt
from weft.api.arguments import as_tensor, number
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.creation_functions import asarray
from weft.api.standard.data_type_functions import finfo, result_type
from weft.api.standard.manipulation_functions import copy
from weft.errors import DTypeError
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap


def _measured(name: str, x: Tensor, dtype: dt.DType) -> Tensor:
    """Return x in the float dtype in which differences are compared, at least float32.

    Raises DTypeError for the float8 kinds.
    """
    if x.dtype.storage:
        raise DTypeError(f"{name}: {x.dtype.name} operands; the float8 kinds are for storage; convert with astype()")
    return el.astype(x, dtype.compute if dtype.is_inexact else dt.float64, copy=False)


@from_template(2)
def isclose(x1: Any, x2: Any, /, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Return True for each cell where |x1 - x2| <= atol + rtol * |x2|; an infinity is close to itself only.

    Integers and bools are compared as float64. With equal_nan, NaN is close to NaN. Raises ShapeError if shapes do not
    broadcast, DTypeError for float8 cells or a tolerance that is no number.

    >>> import weft
    >>> weft.isclose(weft.asarray([1.0, 2.0, weft.inf]), [1.000001, 2.1, weft.inf]).tolist()
    [True, False, True]
    """
    return _close("isclose", as_tensor(x1), as_tensor(x2), rtol, atol, equal_nan)


def _close(name: str, a: Tensor, b: Tensor, rtol: Any, atol: Any, equal_nan: bool) -> Tensor:
    """Return a mask of the cells at which |a - b| <= atol + rtol * |b|.

    Equal infinities are close; so are two NaN, with equal_nan. Raises ShapeError if shapes do not broadcast, DTypeError
    for float8 cells or a tolerance that is no number.
    """
    joined = result_type(a, b)
    a, b = _measured(name, a, joined), _measured(name, b, joined)
    reach = number(name, atol) + number(name, rtol) * el.abs(b)
    near = el.logical_and(el.less_equal(el.abs(a - b), reach), el.isfinite(b))
    close = el.logical_or(near, el.equal(a, b))
    return el.logical_or(close, el.logical_and(el.isnan(a), el.isnan(b))) if equal_nan else close


@from_template(2)
def allclose(x1: Any, x2: Any, /, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Return a bool of rank 0: True if `isclose` holds for all cells; shapes broadcast.

    Raises ShapeError if shapes do not broadcast, DTypeError for float8 cells or a tolerance that is no number.

    >>> import weft
    >>> weft.allclose(weft.asarray([1.0, 2.0]), [1.0, 2.0 + 1e-9]).item()
    True
    """
    return st.all(_close("allclose", as_tensor(x1), as_tensor(x2), rtol, atol, equal_nan))


@from_template(2)
def array_equal(x1: Any, x2: Any, /, *, equal_nan: bool = False) -> Tensor:
    """Return a bool of rank 0: True if two tensors have the same shape and equal cells, whatever their dtypes.

    With equal_nan, NaN equals NaN. Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.array_equal([1, 2], [1.0, 2.0]).item(), weft.array_equal([1, 2], [1]).item()
    (True, False)
    """
    a, b = as_tensor(x1), as_tensor(x2)
    if a.shape != b.shape:
        return asarray(False, device=a.device)
    same = el.equal(a, b)
    if equal_nan and a.dtype.is_inexact and b.dtype.is_inexact:
        same = el.logical_or(same, el.logical_and(el.not_equal(a, a), el.not_equal(b, b)))
    return st.all(same)


@from_template(1)
def nan_to_num(x: Any, /, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """Return x with NaN and infinities replaced by numbers; by default 0, and the largest and least finite numbers.

    The result has x's dtype; integers and bools are copied. The parts of complex numbers are replaced one by one.
    Raises DTypeError for a replacement that is no real number.

    >>> import weft
    >>> weft.nan_to_num(weft.asarray([weft.nan, weft.inf, -1.0]), posinf=9.0).tolist()
    [0.0, 9.0, -1.0]
    """
    x = as_tensor(x)
    if not x.dtype.is_inexact:
        return copy(x)
    if x.dtype.kind == "complex":
        return by_parts(lambda part: nan_to_num(part, nan=nan, posinf=posinf, neginf=neginf), x)
    limits = finfo(x.dtype)
    high = limits.max if posinf is None else number("nan_to_num", posinf)
    low = limits.min if neginf is None else number("nan_to_num", neginf)
    bounded = el.where(el.isposinf(x), high, el.where(el.isneginf(x), low, x))
    return el.astype(el.where(el.isnan(x), number("nan_to_num", nan), bounded), x.dtype, copy=False)


def by_parts(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Return `function(x)`; for complex `x`, apply it to the real and imaginary parts and combine both results."""
    if x.dtype.kind != "complex":
        return function(x)
    parts = (node_of(function(el.real(x))), node_of(function(el.imag(x))))
    return wrap(ir.locate(ir.make(OPS["complex"], parts, (), ir.result(x.dtype, x.shape, parts[0].desc.origin))))
