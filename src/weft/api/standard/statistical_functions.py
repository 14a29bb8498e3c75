"""Reductions and scans: sums, products, extremes, means, variances, logic, and positions of extremes.

The one idea: a reduction names axes, and the op table's row determines the rest; the order of additions depends only on
the logical tensor, never on its layout, its pieces or the number of threads.  With out=, a tensor or array of the
result's shape, the result is written there, and `out` is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from weft import dtypes as dt
from weft.api.arguments import as_tensor, flag, integer, many_axes, number, one_axis
from weft.api.destination import into
from weft.api.standard.elementwise_functions import astype, imag, length, real
from weft.api.standard.manipulation_functions import broadcast_to, concat, reshape
from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError
from weft.interop.imports import check_conversion
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS, resolve
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap

Axis = int | Sequence[int] | None


def _axes(name: str, axis: Axis, ndim: int) -> tuple[int, ...]:
    """Return the axes of a reduction counted from 0, in order, all for None.

    Raises AxisError for an axis beyond `ndim`, ShapeError for one given twice, DTypeError for one that is no integer.
    """
    return tuple(sorted(many_axes(name, axis, ndim)))


def reduction(name: str, n: Node, axis: Axis, keepdims: bool, *attrs: Any) -> Tensor:
    """Return the tensor of the reduction `name` of node n over axes; `attrs` are its further parameters.

    Raises AxisError for an axis that n lacks, ShapeError for an extreme over no cells, DTypeError for a dtype that it
    is not defined for.
    """
    if keepdims is not False:  # the frequent case
        keepdims = flag(name, "keepdims", keepdims)
    if axis is None or type(axis) is int:
        axes, compute, made_as = _reduced(name, n.desc, axis, keepdims)
    else:
        axes, compute, made_as = _reduced(name, n.desc, _axes(name, axis, n.desc.ndim), keepdims)
    if OPS[name].rule != "sum":
        n = ir.astype(n, compute)
    return wrap(ir.locate(ir.make(OPS[name], (n,), (axes, keepdims, *attrs), made_as)))


@lru_cache(maxsize=4096)
def _reduced(
    name: str, d: TensorDescription, axis: int | Shape | None, keepdims: bool
) -> tuple[Shape, DType, TensorDescription]:
    """Return (axes of a reduction, dtype in which it computes, description of its result).

    Raises ShapeError for an extreme over empty axes, AxisError for an axis that does not exist, DTypeError for a dtype
    that the reduction is not defined for.
    """
    axes = _axes(name, axis, d.ndim)
    compute, out = resolve(OPS[name], d.dtype)
    shape, origin = d.shape, d.origin
    if name in ("min", "max", "nanmin", "nanmax", "argmin", "argmax") and 0 in [shape[a] for a in axes]:
        raise ShapeError(f"{name}: axes {axes} of shape {shape} are empty; there is no value to take; check first")
    if keepdims:
        kept = tuple(1 if a in axes else size for a, size in enumerate(shape))
        origin = None if origin is None else tuple(0 if a in axes else o for a, o in enumerate(origin))
    else:
        kept = tuple(size for a, size in enumerate(shape) if a not in axes)
        origin = None if origin is None else tuple(o for a, o in enumerate(origin) if a not in axes)
    return axes, compute, ir.result(out, kept, origin)


def named(name: str, text: str, values: str, shown: str) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """Return a decorator that sets a function's name and its docstring: a text, errors and an example on `values`."""
    none = "no cells, " if name.endswith(("min", "max")) else ""

    def give(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        function.__name__ = function.__qualname__ = name
        function.__doc__ = (
            f"{text}\n\nRaises AxisError for an axis that x lacks, ShapeError for {none}an axis named twice or an "
            "`out` of\nanother shape, DTypeError for a dtype without this function, WriteError for an `out` that "
            f"cannot be\nwritten.\n\n>>> import weft\n>>> weft.{name}(weft.asarray({values})).item()\n{shown}\n"
        )
        return function

    return give


def _addends(name: str, n: Node, dtype: Any) -> tuple[Node, DType | None]:
    """Return (node of a sum's addends in the requested dtype, that dtype or None); bools become int64.

    Raises DTypeError for an unknown dtype, or a real one of complex cells.
    """
    if n.desc.dtype is dt.bool:
        n = ir.astype(n, dt.int64)
    if dtype is None:
        return n, None
    wanted = dt.spelled(dtype)[0]
    check_conversion(name, n.desc.dtype, wanted)
    return ir.astype(n, wanted), wanted


def in_floats(name: str, x: Tensor, dtype: Any) -> Tensor:
    """Return x in the float or complex dtype requested; x itself if `dtype` is None.

    Raises DTypeError for other dtypes.
    """
    if dtype is None:
        return x
    wanted = dt.spelled(dtype)[0]
    if not wanted.is_inexact:
        raise DTypeError(
            f"{name}: dtype {wanted.name}; the result has fractions; give a float dtype, or convert after it"
        )
    check_conversion(name, x.dtype, wanted)
    return wrap(ir.locate(ir.astype(node_of(x), wanted)))


def _summing(name: str, what: str, shown: str) -> Callable[..., Tensor]:
    text = (
        f"{what} over axes (default: all).\n\nIntegers are computed in 64 bits unless `dtype` says otherwise; floats "
        "in their own dtype, float16\nand bfloat16 in float32, in an order that depends on the logical tensor alone."
    )

    @named(name, text, "[2, 3, 4]", shown)
    def function(x: Any, /, axis: Axis = None, *, dtype: Any = None, keepdims: bool = False, out: Any = None) -> Tensor:
        n, wanted = _addends(name, node_of(x if type(x) is Tensor else as_tensor(x)), dtype)
        total = reduction(name, n, axis, keepdims)
        if wanted is not None and total.dtype is not wanted:
            total = wrap(ir.locate(ir.astype(node_of(total), wanted)))
        return total if out is None else into(out, total, name)

    return function


def _plain(name: str, what: str, values: str, shown: str) -> Callable[..., Tensor]:
    @named(name, what, values, shown)
    def function(x: Any, /, axis: Axis = None, *, keepdims: bool = False, out: Any = None) -> Tensor:
        made = reduction(name, node_of(as_tensor(x)), axis, keepdims)
        return made if out is None else into(out, made, name)

    return function


def _over_axes(name: str, what: str, shown: str) -> Callable[..., Tensor]:
    """Return the public reduction `name` over axes; `what` and `shown` are texts of its docstring."""
    return _plain(name, f"{what} over axes (default: all).", "[0, 3, 1]", shown)


def _position(name: str, what: str, shown: str) -> Callable[..., Tensor]:
    """Return the public function `argmin` or `argmax`, called `name`; `what` and `shown` are texts of its docstring."""
    what = f"Return the position of the first {what} along an axis (default: in the flattened tensor), as int64."
    return _plain(name, what, "[1, 0, 3]", shown)


sum = _summing("sum", "Return the sum", "9")
prod = _summing("prod", "Return the product", "24")
min = _over_axes("min", "Return the least value (NaN wins)", "0")
max = _over_axes("max", "Return the greatest value (NaN wins)", "3")
any = _over_axes("any", "True if any cell is not zero,", "True")
all = _over_axes("all", "True if every cell is not zero,", "False")
count_nonzero = _over_axes("count_nonzero", "Return the number of nonzero cells", "2")
argmin = _position("argmin", "least value", "1")
argmax = _position("argmax", "greatest value", "2")


def mean(x: Any, /, axis: Axis = None, *, dtype: Any = None, keepdims: bool = False, out: Any = None) -> Tensor:
    """Return the arithmetic mean over axes, by default all; integers and bools give float64, no cells give NaN.

    The cells are converted to `dtype`, a float or complex one, first. Raises AxisError for an axis that x lacks,
    DTypeError for another `dtype`, ShapeError or WriteError for an `out` of another shape or without memory.

    >>> import weft
    >>> float(weft.mean(weft.asarray([1, 2, 4])))
    2.3333333333333335
    """
    n = node_of(in_floats("mean", as_tensor(x), dtype))
    made = reduction("mean", ir.astype(n, dt.float64) if n.desc.dtype is dt.bool else n, axis, keepdims)
    return made if out is None else into(out, made, "mean")


def var(
    x: Any, /, axis: Axis = None, *, correction: float = 0.0, dtype: Any = None, keepdims: bool = False, out: Any = None
) -> Tensor:
    """Return the variance over axes: squared deviations summed and divided by n - correction.

    The cells are converted to `dtype`, a float or complex one, first; deviations of complex cells are squared as
    absolute values, so the result is real. Partial results are merged as in Chan, Golub and LeVeque (1979). Raises
    AxisError for an axis that x lacks, DTypeError for bool cells and another `dtype`, ShapeError for an `out` of
    another shape. Raises WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.var(weft.asarray([1.0, 2.0, 3.0]), correction=1).item()
    1.0
    """
    x, correction = in_floats("var", as_tensor(x), dtype), float(number("var", correction))
    if x.dtype.kind == "complex":
        parts = [astype(part(x), x.dtype.compute.real, copy=False) for part in (real, imag)]
        variances = [reduction("var", node_of(part), axis, keepdims, correction) for part in parts]
        made = astype(variances[0] + variances[1], x.dtype.real, copy=False)  # type: ignore[operator]
    else:
        made = reduction("var", node_of(x), axis, keepdims, correction)
    return made if out is None else into(out, made, "var")


@from_template(1)
def std(
    x: Any, /, axis: Axis = None, *, correction: float = 0.0, dtype: Any = None, keepdims: bool = False, out: Any = None
) -> Tensor:
    """Return the standard deviation over axes: the square root of `var`, with its arguments.

    Raises AxisError for an axis that x lacks, DTypeError for bool cells and a `dtype` that is neither float nor
    complex, ShapeError for an `out` of another shape, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.std(weft.asarray([1.0, 3.0])).item()
    1.0
    """
    squared = var(in_floats("std", as_tensor(x), dtype), axis=axis, correction=correction, keepdims=keepdims)
    made = length(squared, lambda s: wrap(ir.locate(ir.apply("sqrt", node_of(s)))))
    return made if out is None else into(out, made, "std")


def _scanned(name: str, x: Any, axis: int | None) -> tuple[Tensor, int]:
    """Return the operand of a scan with at least one axis, and the axis to follow.

    Raises ShapeError if there are several axes and `axis` is None, AxisError for one that x lacks, DTypeError for an
    object without numbers.
    """
    x = as_tensor(x)
    if x.ndim == 0:
        x = reshape(x, (1,))
    if axis is None and x.ndim != 1:
        raise ShapeError(f"{name}: shape {x.shape} and no axis; which to follow is open; pass axis=")
    return x, one_axis(name, 0 if axis is None else axis, x.ndim)


def _scan(name: str, x: Any, axis: int | None, dtype: Any, include_initial: bool, out: Any) -> Tensor:
    """Return running sums or products along an axis, by the operation `name`; a vector needs no axis.

    Raises ShapeError if x has several axes and none is given, AxisError for one that it lacks, DTypeError for a dtype
    without sums.
    """
    x, axis = _scanned(name, x, axis)
    n, wanted = _addends(name, node_of(x), dtype)
    if n.desc.dtype.kind == "bool":
        raise DTypeError(f"{name}: bool cells; they have no sum of their own dtype; pass a number's dtype")
    _, summed = resolve(OPS[name], n.desc.dtype)
    include_initial = flag(name, "include_initial", include_initial)
    shape = tuple(size + (include_initial and a == axis) for a, size in enumerate(n.desc.shape))
    origin = n.desc.origin  # the initial cell shifts the others: coordinates of that axis start at 0
    if origin is not None and include_initial:
        origin = (*origin[:axis], 0, *origin[axis + 1 :])
    made = ir.make(OPS[name], (n,), (axis, include_initial), ir.result(summed, shape, origin))
    cells = wrap(ir.locate(made if wanted in (None, summed) else ir.astype(made, wanted)))
    return cells if out is None else into(out, cells, name)


def cumulative_sum(
    x: Any, /, axis: int | None = None, *, dtype: Any = None, include_initial: bool = False, out: Any = None
) -> Tensor:
    """Return running sums along an axis, with a leading 0 if include_initial; a vector needs no axis.

    Raises ShapeError for several axes and none given, AxisError for an axis that x lacks, WriteError for an `out`
    without memory, DTypeError for float8 cells and a `dtype` that would drop imaginary parts.

    >>> import weft
    >>> weft.cumulative_sum(weft.asarray([1, 2, 3])).tolist()
    [1, 3, 6]
    """
    return _scan("cumulative_sum", x, axis, dtype, include_initial, out)


def cumulative_prod(
    x: Any, /, axis: int | None = None, *, dtype: Any = None, include_initial: bool = False, out: Any = None
) -> Tensor:
    """Return running products along an axis, with a leading 1 if include_initial; a vector needs no axis.

    Raises ShapeError for several axes and none given, AxisError for an axis that x lacks, WriteError for an `out`
    without memory, DTypeError for float8 cells and a `dtype` that would drop imaginary parts.

    >>> import weft
    >>> weft.cumulative_prod(weft.asarray([1, 2, 3])).tolist()
    [1, 2, 6]
    """
    return _scan("cumulative_prod", x, axis, dtype, include_initial, out)


def _running_extreme(name: str, x: Any, axis: int | None, out: Any) -> Tensor:
    """Return running extremes along an axis, by the operation `name`; raises the errors of `cumulative_max`."""
    x, axis = _scanned(name, x, axis)
    n = node_of(x)
    _, dtype = resolve(OPS[name], n.desc.dtype)
    made = wrap(ir.locate(ir.make(OPS[name], (n,), (axis, False), ir.result(dtype, n.desc.shape, n.desc.origin))))
    return made if out is None else into(out, made, name)


@from_template(1)
def cumulative_max(x: Any, /, axis: int | None = None, *, out: Any = None) -> Tensor:
    """Return running maxima along an axis, in the dtype of x: bools and real numbers; a vector needs no axis.

    From the first NaN on all are NaN; -0 is below +0. Raises ShapeError for several axes and none given, AxisError for
    an axis that x lacks, DTypeError for complex numbers, WriteError for an `out` without memory.

    >>> import weft
    >>> weft.cumulative_max(weft.asarray([1, 5, 2, 7])).tolist()
    [1, 5, 5, 7]
    """
    return _running_extreme("cumulative_max", x, axis, out)


@from_template(1)
def cumulative_min(x: Any, /, axis: int | None = None, *, out: Any = None) -> Tensor:
    """Return running minima along an axis, in the dtype of x: bools and real numbers; a vector needs no axis.

    From the first NaN on all are NaN; -0 is below +0. Raises ShapeError for several axes and none given, AxisError for
    an axis that x lacks, DTypeError for complex numbers, WriteError for an `out` without memory.

    >>> import weft
    >>> weft.cumulative_min(weft.asarray([4, 5, 2, 7])).tolist()
    [4, 4, 2, 2]
    """
    return _running_extreme("cumulative_min", x, axis, out)


def _beside(p: Any, x: Tensor, axis: int) -> Tensor:
    """Return `p`, which `diff` joins to x along an axis, as a tensor. A number becomes one position of the axis.

    Raises DTypeError for an object without numbers.
    """
    p = p if p is x else as_tensor(p)
    return p if p.ndim else broadcast_to(p, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))


@from_template(1)
def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Return differences of neighbours along an axis, taken n times; bools differ by exclusive or.

    `prepend` and `append` are joined to x first; a number stands for one position along the axis. Raises ShapeError for
    a negative n, or joined tensors whose other axes differ; AxisError for an axis that x lacks, DTypeError for an n
    that is no integer.

    >>> import weft
    >>> weft.diff(weft.asarray([1, 4, 9])).tolist()
    [3, 5]
    """
    n = integer("diff", "n", n)
    if n < 0:
        raise ShapeError(f"diff: {n} differences; there can be 0 or more; give another n")
    x = as_tensor(x)
    axis = one_axis("diff", axis, x.ndim)
    if prepend is not None or append is not None:
        x = concat([_beside(p, x, axis) for p in (prepend, x, append) if p is not None], axis=axis)
    size = x.shape[axis]
    for _ in range(n if n < size else size):  # after `size` differences no cell is left
        later = x[(slice(None),) * axis + (slice(1, None),)]  # type: ignore[index]
        sooner = x[(slice(None),) * axis + (slice(None, -1),)]  # type: ignore[index]
        op = OPS["not_equal"] if x.dtype is dt.bool else OPS["subtract"]
        x = wrap(ir.locate(ir.elementwise(op, node_of(later), node_of(sooner))))
    return x
