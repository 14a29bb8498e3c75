"""Ranges: coordinates, arange and linspace.

The one idea: cell i is start + i · step, computed from the coordinate i: nothing is stored, and any part of a range can
be read alone.  Ends that a dtype cannot hold are refused before there is a tensor.
"""

from __future__ import annotations

from math import ceil, floor, isfinite, isinf, nan, trunc
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import extent_of, integer, number, one_axis, shape_of
from weft.api.standard.creation_functions import dtype_of, ordered
from weft.api.standard.elementwise_functions import astype
from weft.api.standard.elementwise_functions import floor as floored
from weft.api.standard.manipulation_functions import broadcast_arrays, concat, expand_dims
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.interop.device_moves import here
from weft.interop.imports import as_operand
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.runtime.default_dtype import default_of
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, wrap

MAX_EXACT = 1 << 31  # most values: the square of their number must fit int64


def line(size: int) -> Node:
    """Return a node of 0, 1, ..., size - 1 as int64."""
    return ir.iota((size,))


@here
@from_template(0)
def iota(shape: Any, *, axis: int = 0, dtype: Any = None, device: Any = None, origin: Any = None) -> Tensor:
    """Return a tensor whose cells are their own coordinate along an axis, int64 by default.

    Raises AxisError for an axis that the shape lacks, ShapeError for a negative size or another number of origins,
    DTypeError for an unknown dtype or sizes that are no integers.

    >>> import weft
    >>> weft.iota((2, 3), axis=1, origin=(0, -1)).tolist()
    [[-1, 0, 1], [-1, 0, 1]]
    >>> weft.iota((None,)).at[5:8].tolist()
    [5, 6, 7]
    """
    sizes, start = extent_of("iota", shape, origin)
    found, big = dtype_of(dtype, dt.int64)
    n = ir.iota(sizes, one_axis("iota", axis, len(sizes)), start)
    return ordered(ir.astype(n, found), big)


@here
@from_template(0)
def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the vector start, start + step, ... up to but without stop: int64, or float64 if an argument is a float.

    For integers and bool the values are truncated. Raises ValueRangeError if the first or the last value is beyond the
    dtype, if there is no last one, or for step 0; DTypeError for arguments that are no numbers, ShapeError for 2**63
    values and more.

    >>> import weft
    >>> weft.arange(1, 10, 3).tolist()
    [1, 4, 7]
    >>> weft.arange(0, 2, 0.5, dtype=weft.int8).tolist()
    [0, 0, 1, 1]
    """
    if stop is None:
        start, stop = 0, start
    start, stop, step = (number("arange", v) for v in (start, stop, step))
    if step == 0:
        raise ValueRangeError("arange: step 0; it would never end; give a step that is not 0")
    exact = {type(v) for v in (start, stop, step)} <= {int, bool}
    found, big = dtype_of(dtype, int if exact else float)
    (size,) = shape_of("arange", _count(start, stop, step))
    if size:
        check_ends("arange", start, start + step * (size - 1) if size > 1 else start, found)
    else:
        start = 0  # `start` may be beyond the dtype
    step = step if size > 1 else 0  # an infinite step is not used
    if exact and found.is_integer:
        n = _linear(line(size), start, step, dt.int64 if found is not dt.uint64 else dt.uint64)
    else:
        n = _linear(ir.astype(line(size), dt.float64), float(start), float(step), dt.float64)
    return ordered(_truncated(n, found), big)


def _truncated(n: Node, dtype: DType) -> Node:
    """Return numbers converted to a dtype by truncation, bool included: 0.5 gives False."""
    return ir.astype(ir.astype(n, dt.int64) if dtype is dt.bool else n, dtype)


def check_ends(name: str, first: Any, last: Any, dtype: DType) -> None:
    """Raise ValueRangeError if the first or last value of a range is beyond a dtype."""
    if dtype.is_inexact:
        wrong = [v for v in (first, last) if any(_overflows(p, dtype.real) for p in _real_parts(v))]
        largest = dt.float_limits(dtype).max
        low, high = (-largest, largest)
    else:
        limits = (0, 1) if dtype is dt.bool else (dt.integer_limits(dtype).min, dt.integer_limits(dtype).max)
        wrong = [v for v in (first, last) if not isfinite(v) or not limits[0] <= trunc(v) <= limits[1]]
        low, high = limits
    if wrong:
        parts = "parts from " if dtype.kind == "complex" else ""
        raise ValueRangeError(
            f"{name}: {first} to {last} in {dtype.name}; it holds {parts}{low} to {high}; choose a wider dtype"
        )


def _real_parts(v: Any) -> tuple[Any, ...]:
    """Return a tuple of the real and imaginary parts of a complex number, or of a real number alone."""
    return (v.real, v.imag) if isinstance(v, complex) else (v,)


def _overflows(v: Any, real: DType) -> bool:
    """True if a finite number `v` becomes infinite in the float dtype `real`."""
    if not isfinite(v) or abs(v) <= dt.float_limits(real).max:
        return False
    with np.errstate(over="ignore"):
        return not isfinite(float(np.asarray(float(v)).astype(real.np)))


def _count(start: Any, stop: Any, step: Any) -> int:
    """Return the number of cells of an arange; raises ValueRangeError if it is not finite."""
    if all(isinstance(v, int) for v in (start, stop, step)):
        return max(0, -((start - stop) // step))
    cells = (stop - start) / step
    if not isfinite(cells):
        raise ValueRangeError(f"arange: from {start} to {stop} by {step}; that has no finite number of cells; bound it")
    if isinf(step) and stop != start:  # the first value lies below stop
        return int((stop > start) == (step > 0))
    return max(0, ceil(cells))


def _linear(i: Node, start: Any, step: Any, dtype: DType) -> Node:
    """Return the node of start + i · step in a dtype."""
    i = ir.astype(i, dtype)
    if step != 1:
        i = ir.apply("multiply", i, ir.scalar(step, dtype))
    return ir.apply("add", i, ir.scalar(start, dtype))


@here
@from_template(0)
def linspace(
    start: Any,
    stop: Any,
    /,
    num: int = 50,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
    retstep: bool = False,
) -> Any:
    """Return `num` evenly spaced values from start to stop, without stop if endpoint=False; integers are floored.

    Ends that are tensors give tensors along a new first axis. With retstep=True a pair: the tensor and the distance of
    its values, a number (nan for no step between the ends). Raises ValueRangeError for a negative num, and if an end,
    or a part of a complex one, is beyond the dtype; DTypeError if num is no integer or complex ends have a real dtype,
    ShapeError for 2**63 values and more.

    >>> import weft
    >>> weft.linspace(0.0, 1.0, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> x, step = weft.linspace(0, 10, 5, endpoint=False, retstep=True)
    >>> x.tolist(), step
    ([0.0, 2.0, 4.0, 6.0, 8.0], 2.0)
    """
    num = integer("linspace", "num", num)
    if num < 0:
        raise ValueRangeError(f"linspace: {num} values; the number must be 0 or more; give another")
    selections.check_axes("linspace", (num,))
    if any(isinstance(v, (list, tuple)) or getattr(v, "ndim", 0) for v in (start, stop)):
        return _between(as_operand(start), as_operand(stop), num, endpoint, dtype, retstep)
    start, stop = (number("linspace", v, complex) for v in (start, stop))
    is_complex = complex in (type(start), type(stop))
    found, big = dtype_of(dtype, complex if is_complex else float)
    if is_complex and found.kind != "complex":
        raise DTypeError(
            f"linspace: {start} to {stop} in {found.name}; it holds no complex number; ask for a complex dtype"
        )
    _check_spaced(start, stop, found)
    n, step = _spaced(start, stop, num, endpoint, dt.complex128 if found.kind == "complex" else dt.float64)
    if found.is_integer and isinstance(start, int) and isinstance(stop, int) and num < MAX_EXACT:
        n = _floored(start, stop, num, num - 1 if endpoint else num)
    elif found.is_integer or found is dt.bool:
        n = ir.apply("floor", n)
    x = ordered(_truncated(n, found), big)
    return (x, step) if retstep else x


def _between(a: Any, b: Any, num: int, endpoint: bool, dtype: Any, retstep: bool) -> Any:
    """Return `num` evenly spaced tensors from a to b along a new first axis; with `retstep`, also the step.

    Raises ShapeError if a and b do not broadcast.
    """
    joined = dt.promote(a.dtype, b.dtype)
    joined = joined if joined.is_inexact else default_of(float)
    a, b = broadcast_arrays(*[astype(v, joined, copy=False) for v in (a, b)])
    parts = num - 1 if endpoint else num
    step = (b - a) / (parts or nan)
    at = wrap(selections.expand_dims(ir.astype(line(max(parts, 0)), joined.real), range(1, a.ndim + 1)))
    x = a + at * step  # type: ignore[operator]
    if endpoint and num:
        x = concat([x, expand_dims(b if num > 1 else a, axis=0)])
    if dtype is not None:
        found = dt.spelled(dtype)[0]
        x = astype(floored(x) if found.is_integer else x, found)
    return (x, step) if retstep else x


def _check_spaced(start: Any, stop: Any, dtype: DType) -> None:
    """Raise ValueRangeError if an end of a linspace is beyond its dtype; ends are floored for integers."""
    if dtype.is_inexact:
        check_ends("linspace", start, stop, dtype)
    else:
        first, last = (floor(v) if isfinite(v) else v for v in (start, stop))
        check_ends("linspace", first, last, dtype)


def _spaced(start: Any, stop: Any, num: int, endpoint: bool, wide: DType) -> tuple[Node, Any]:
    """Return (evenly spaced values in the dtype `wide`, distance between them)."""
    parts = num - 1 if endpoint else num
    kind = complex if wide is dt.complex128 else float
    first, last = kind(start), kind(stop)
    at = line(num)
    i = ir.astype(at, wide)
    step = (last - first) / parts if parts > 0 else kind(0)
    if not isfinite(abs(step)) and isfinite(abs(first)) and isfinite(abs(last)):
        step = last / parts - first / parts
    if step == 0 and first != last and parts > 0:  # the step underflows: divide first
        n = ir.apply("divide", i, ir.scalar(kind(parts), wide))
        n = _linear(n, first, last - first, wide)
    else:
        n = _linear(i, first, step, wide)
    if endpoint and num > 1:
        at_end = ir.apply("equal", at, ir.scalar(num - 1, dt.int64))
        n = ir.make(OPS["where"], (at_end, ir.scalar(last, wide), n), (), ir.result(wide, (num,)))
    return n, step if parts > 0 else kind("nan")


def _floored(start: int, stop: int, num: int, parts: int) -> Node:
    """Return floor(start + i · (stop - start) / parts), exactly, for i < num as int64."""
    whole, rest = divmod(stop - start, max(parts, 1))
    n = _linear(line(num), _wrapped(start), _wrapped(whole), dt.int64)
    if not rest:
        return n
    more = ir.apply("multiply", line(num), ir.scalar(rest, dt.int64))
    return ir.apply("add", n, ir.apply("floor_divide", more, ir.scalar(parts, dt.int64)))


def _wrapped(number: int) -> int:
    """Return a number wrapped to the range of int64."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
