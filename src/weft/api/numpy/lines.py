"""Functions along an axis and by conditions, products of vectors, and integer and signal functions of NumPy.

The one idea: each is a short composition of existing functions; functions of users receive tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from weft.api.arguments import as_tensor, number, one_axis, sequence
from weft.api.precision import inexact
from weft.api.standard import elementwise_functions as el
from weft.api.standard import statistical_functions as st
from weft.api.standard.linear_algebra_functions import tensordot
from weft.api.standard.manipulation_functions import broadcast_arrays, concat, moveaxis, reshape, stack
from weft.api.standard.matrices import diag, eye
from weft.api.standard.norms import cross as cross_of_last
from weft.errors import DTypeError, ShapeError
from weft.interop.numpy.names import add_ufunc_methods
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Return `func1d(line, *args, **kwargs)` of every line of `arr` along an axis, in the place of that axis.

    The function is called once for each line, with a view, and must return tensors of one shape, arrays or numbers.
    Raises ShapeError if `arr` has no line or results differ in shape, AxisError for an axis that it lacks, DTypeError
    if `func1d` is no function.

    >>> import weft
    >>> weft.apply_along_axis(lambda v: v[::-1], 1, weft.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 1], [4, 3]]
    """
    if not callable(func1d):
        raise DTypeError(f"apply_along_axis: {type(func1d).__name__} is no function; lines are passed to one; give it")
    x = as_tensor(arr)
    axis = one_axis("apply_along_axis", axis, x.ndim)
    lines = moveaxis(x, axis, -1)
    outer = lines.shape[:-1]
    if not prod(outer):
        raise ShapeError(
            f"apply_along_axis: shape {x.shape} has no line along axis {axis}; there is nothing to call for"
        )
    found = [as_tensor(func1d(lines[at], *args, **kwargs)) for at in product(*map(range, outer))]  # type: ignore[index]
    inner = found[0].shape
    made = reshape(stack(found), (*outer, *inner))
    given = range(len(outer), len(outer) + len(inner))
    return moveaxis(made, tuple(given), tuple(range(axis, axis + len(inner))))


def select(conditions: Sequence[Any], choices: Sequence[Any], /, default: Any = 0) -> Tensor:
    """Return, for each cell, the choice of the first condition that is true there, else the default; all are broadcast.

    Raises ShapeError unless there are as many choices as conditions, at least one, and all broadcast; DTypeError for a
    condition that is not bool.

    >>> import weft
    >>> x = weft.arange(5)
    >>> weft.select([x < 2, x > 3], [x, x * 10], -1).tolist()
    [0, 1, -1, -1, 40]
    """
    conditions, choices = sequence("select", "conditions", conditions), sequence("select", "choices", choices)
    if len(conditions) != len(choices) or not conditions:
        raise ShapeError(
            f"select: {len(conditions)} conditions and {len(choices)} choices; each has one of the other; give as many"
        )
    made = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        made = el.where(condition, choice, made)
    return made  # type: ignore[no-any-return]


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kwargs: Any) -> Tensor:
    """Return x replaced, where each condition holds, by the result of its function (or by a number), in x's dtype.

    An additional last function is for cells without a true condition, which are 0 otherwise. Each function is called
    with all of x; where several conditions hold, the last one counts. Raises ShapeError for another number of functions
    or conditions that do not broadcast, DTypeError for a condition that is not bool or functions that are no sequence.

    >>> import weft
    >>> x = weft.asarray([-2.0, 3.0])
    >>> weft.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 10]).tolist()
    [2.0, 10.0]
    """
    x = as_tensor(x)
    is_one = not isinstance(condlist, (list, tuple)) and (isinstance(condlist, Tensor) or not np.ndim(condlist))
    given = [as_tensor(c) for c in ([condlist] if is_one else condlist)]
    parts = sequence("piecewise", "functions", funclist)
    if len(parts) not in (len(given), len(given) + 1):
        raise ShapeError(f"piecewise: {len(given)} conditions and {len(parts)} functions; give as many, or one more")
    other = parts[len(given)] if len(parts) > len(given) else 0
    made = _called(x, other, args, kwargs)
    for condition, f in zip(given, parts, strict=False):
        made = el.where(condition, _called(x, f, args, kwargs), made)
    return el.astype(made, x.dtype)


def _called(x: Tensor, f: Any, args: Any, kwargs: Any) -> Tensor:
    """Return `f(x)`, or the number `f` itself, as a tensor of x's dtype."""
    return el.astype(as_tensor(f(x, *args, **kwargs) if callable(f) else f), x.dtype, copy=False)


@from_template(2)
def inner(x1: Any, x2: Any, /) -> Tensor:
    """Return sums of products over the last axes of both operands; with a number, products cell by cell.

    Raises ShapeError if these axes differ in size, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.inner(weft.asarray([1, 2]), [3, 4]).item()
    11
    """
    a, b = as_tensor(x1), as_tensor(x2)
    return tensordot(a, b, axes=([a.ndim - 1], [b.ndim - 1])) if a.ndim and b.ndim else a * b


def vdot(x1: Any, x2: Any, /) -> Tensor:
    """Return the sum of products of all cells of both operands, those of x1 conjugated, as rank 0.

    Raises ShapeError if the operands differ in their number of cells, DTypeError for an object without numbers.

    >>> import weft
    >>> weft.vdot(weft.asarray([1j, 2]), [1j, 3]).item()
    (7+0j)
    """
    a, b = (reshape(as_tensor(x), (-1,)) for x in (x1, x2))
    return tensordot(el.conj(a) if a.dtype.kind == "complex" else a, b, axes=1)  # type: ignore[attr-defined]


@from_template(2)
def outer(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor:
    """Return the matrix of all products: row i has cell i of x1 times every cell of x2, both flattened.

    Raises DTypeError for an object without numbers, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.outer([1, 2], weft.asarray([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    return el.multiply(reshape(as_tensor(x1), (-1, 1)), reshape(as_tensor(x2), (1, -1)), out=out)  # type: ignore[attr-defined, no-any-return]


def cross(x1: Any, x2: Any, /, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    """Return the cross products of vectors of 3 cells, along an axis of each operand and of the result.

    `axis` stands for all three. Raises ShapeError for vectors of other sizes or operands that do not broadcast,
    AxisError for an axis that one lacks, DTypeError for bools.

    >>> import weft
    >>> weft.cross([[1], [0], [0]], [0, 1, 0], axisa=0).tolist()
    [[0, 0, 1]]
    """
    a, b = as_tensor(x1), as_tensor(x2)
    ends = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = (moveaxis(x, one_axis("cross", end, x.ndim), -1) for x, end in zip((a, b), ends, strict=False))
    made = cross_of_last(a, b)
    return moveaxis(made, -1, one_axis("cross", ends[2], made.ndim))


def identity(n: int, /, dtype: Any = None) -> Tensor:
    """Return the square matrix of n rows with ones on its diagonal.

    Raises ShapeError for a negative n, DTypeError for one that is no integer.

    >>> import weft
    >>> weft.identity(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return eye(n, dtype=dtype)  # type: ignore[no-any-return]


def diagflat(x: Any, /, k: int = 0) -> Tensor:
    """Return the matrix with all cells of x on its k-th diagonal. Raises DTypeError for a k that is no integer.

    >>> import weft
    >>> weft.diagflat([[1, 2]]).tolist()
    [[1, 0], [0, 2]]
    """
    return diag(reshape(as_tensor(x), (-1,)), k=k)


def unwrap(x: Any, /, discont: float | None = None, axis: int = -1, *, period: float = 6.283185307179586) -> Tensor:
    """Return angles along an axis with periods added, so that neighbours differ by at most half a period.

    Differences up to `discont`, if that is greater, are kept. Raises DTypeError for complex or bool cells, AxisError
    for an axis that x lacks.

    >>> import weft
    >>> weft.round(weft.unwrap(weft.asarray([0.0, 3.0, -3.0])), 6).tolist()
    [0.0, 3.0, 3.283185]
    """
    x = inexact("unwrap", x)
    axis = one_axis("unwrap", axis, x.ndim)
    if x.shape[axis] < 2:
        return x * 1
    period = number("unwrap", period)
    half = period / 2
    steps = st.diff(x, axis=axis)
    turned = el.remainder(steps + half, period) - half  # type: ignore[attr-defined]
    turned = el.where(el.logical_and(el.equal(turned, -half), el.greater(steps, 0)), half, turned)  # type: ignore[attr-defined]
    jumps = el.where(el.less(el.abs(steps), half if discont is None else discont), 0.0, turned - steps)  # type: ignore[attr-defined]
    lead = (slice(None),) * axis
    first, rest = x[(*lead, slice(0, 1))], x[(*lead, slice(1, None))]  # type: ignore[index]
    return concat([first, rest + st.cumulative_sum(jumps, axis=axis)], axis=axis)  # type: ignore[no-any-return]


@from_template(1)
def sinc(x: Any, /) -> Tensor:
    """Return sin(πx) / (πx), cell by cell, and 1 at 0; raises DTypeError for bools.

    >>> import weft
    >>> weft.sinc(weft.asarray([0.0, 0.5])).tolist()
    [1.0, 0.6366197723675814]
    """
    x = inexact("sinc", x) * np.pi
    zero = el.equal(x, 0)  # type: ignore[attr-defined]
    return el.where(zero, 1.0, el.sin(x) / el.where(zero, 1.0, x))  # type: ignore[attr-defined, no-any-return]


@from_template(2)
def heaviside(x1: Any, x2: Any, /) -> Tensor:
    """Return 0 below 0, 1 above it and x2 at 0, cell by cell; NaN stays NaN.

    Raises DTypeError for complex numbers and bools, ShapeError if shapes do not broadcast.

    >>> import weft
    >>> weft.heaviside(weft.asarray([-1.0, 0.0, 2.0]), 0.5).tolist()
    [0.0, 0.5, 1.0]
    """
    x, at_zero = (inexact("heaviside", x) for x in el.alike("heaviside", x1, x2))
    if x.dtype.kind == "complex":
        raise DTypeError(f"heaviside: {x.dtype.name} operands; complex numbers have no sign; take real(x) first")
    made = el.where(el.equal(x, 0), at_zero, el.astype(el.greater(x, 0), x.dtype))  # type: ignore[attr-defined]
    return el.where(el.isnan(x), x, made)  # type: ignore[attr-defined, no-any-return]


def gcd(x1: Any, x2: Any, /) -> Tensor:
    """Return greatest common divisors of integers, cell by cell.

    Raises DTypeError for other dtypes, ShapeError if shapes do not broadcast.

    >>> import weft
    >>> weft.gcd(weft.asarray([12, 7]), 8).tolist()
    [4, 1]
    """
    return _of_integers("gcd", x1, x2)


def lcm(x1: Any, x2: Any, /) -> Tensor:
    """Return least common multiples of integers, cell by cell.

    Raises DTypeError for other dtypes, ShapeError if shapes do not broadcast.

    >>> import weft
    >>> weft.lcm(weft.asarray([4, 7]), 6).tolist()
    [12, 42]
    """
    return _of_integers("lcm", x1, x2)


def _of_integers(name: str, x1: Any, x2: Any) -> Tensor:
    """Return the result of the routine `name` for pairs of integers.

    Raises DTypeError for other dtypes, ShapeError if shapes do not broadcast.
    """
    a, b = el.alike(name, x1, x2)
    if not a.dtype.is_integer:
        dtypes = " and ".join([as_tensor(x).dtype.name for x in (x1, x2)])
        raise DTypeError(f"{name}: {dtypes}; divisors are those of integers; convert them")
    a, b = broadcast_arrays(a, b)
    made = ir.make(OPS[name], (node_of(a), node_of(b)), (), ir.result(a.dtype, a.shape, node_of(a).desc.origin))
    return wrap(ir.locate(made))


add_ufunc_methods({"gcd": gcd, "lcm": lcm, "heaviside": heaviside})
