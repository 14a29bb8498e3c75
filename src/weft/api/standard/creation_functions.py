"""Tensors from data, and tensors filled with a value.

The one idea: a regular array needs no memory.  zeros, full and ones, and the ranges and matrices of the neighbouring
modules, are generators: functions of coordinates, stored only for a read or a write of memory, and readable in parts.
Their axes may be as long as int64 counts; full, zeros, ones and iota have any `origin`, and axes of size None are
whole: their coordinates begin at -2**62 and end before 2**62 - 1.
"""

from __future__ import annotations

from typing import Any

from weft import dtypes as dt
from weft.api.arguments import extent_of, is_one
from weft.dtypes import DType
from weft.errors import ArgumentError, DTypeError
from weft.interop.device_moves import here
from weft.interop.foreign_types import of_dlpack
from weft.interop.imports import array, asarray, check_conversion, constant_of, laid_out
from weft.interop.memory_layout import strides_of
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.graph.weak_scalars import weak_scalar
from weft.runtime.default_dtype import default_of
from weft.runtime.devices.device import place_for
from weft.tensors import tensor
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of, wrap


def _filled(
    name: str,
    shape: Any,
    number: Any,
    dtype: Any,
    default: DType | type | None,
    origin: Any,
    order: str | None,
    strides: Any,
) -> Tensor:
    """Return a tensor with one number in every cell; it is pending unless a memory layout is requested.

    `default` is the dtype, or the type of numbers whose default dtype is taken, if `dtype` is None. Raises ShapeError
    for an impossible shape, origin or layout, DTypeError or ValueRangeError if the dtype cannot hold the number.
    """
    found, big = dtype_of(dtype, default)
    if found is dt.bool and not isinstance(number, Node):
        number = bool(number)
    fill = number if isinstance(number, Node) else weak_scalar(number, found, name)
    check_conversion(name, fill.desc.dtype, found)
    sizes, start = extent_of(name, shape, origin)
    n = selections.broadcast_to(ir.astype(fill, found), sizes)
    own = ir.make(OPS["positive"], (n,), (), ir.result(found, sizes, start))
    return ordered(own, big, name, order, strides)


def _sizes(name: str, shape: Any, more: tuple[Any, ...], dtype: Any) -> tuple[Any, Any]:
    """Return the shape and dtype of a call that gives sizes one by one, or a dtype by position.

    Raises ArgumentError for other positional arguments.
    """
    if not more:
        return shape, dtype
    if not isinstance(more[-1], type) and is_one(more[-1]) and is_one(shape):
        return (shape, *more), dtype
    if len(more) > 1 or dtype is not None:
        raise ArgumentError(
            f"{name}: {shape!r:.40} and {', '.join([f'{v!r:.40}' for v in more])}; a shape and a dtype are asked for; "
            "give one tuple of sizes, or all sizes one by one, and dtype="
        )
    return shape, more[0]


def ordered(n: Node, big: bool, name: str = "asarray", order: str | None = None, strides: Any = None) -> Tensor:
    """Return a node's tensor in the requested byte order and layout, stored at once unless these are the default.

    Raises ValueRangeError, naming `name`, for an unknown `order`, ShapeError for another number of strides than axes,
    or cells that overlap; DTypeError for strides that are no integers.
    """
    t = wrap(ir.locate(n))
    if order is strides is None and not big:
        return t
    d = n.desc
    found = strides_of(name, order, strides, d.shape, d.dtype.itemsize)
    if found is None and (not big or d.dtype.itemsize == 1):
        return t
    return laid_out(t, found, "big" if big else "little")


def dtype_of(dtype: Any, default: DType | type | None) -> tuple[DType, bool]:
    """Return (the dtype given, else the default, True if its name says big-endian).

    `default` is a dtype, or a type of numbers whose default dtype is taken. Raises DTypeError for an unknown dtype.
    """
    if dtype is None:
        return default if isinstance(default, DType) else default_of(default), False
    found, order = dt.spelled(dtype)
    return found, order == "big"


@here
@from_template(0)
def full(
    shape: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    origin: Any = None,
    order: str | None = None,
    strides: Any = None,
) -> Tensor:
    """Return a tensor of a shape with `fill_value` in every cell.

    The dtype defaults to that of the value (of a Python number: the default of its kind).  An axis of size None has no
    end.  `order="F"` gives column-major memory, `strides` memory with these byte strides; both store the cells at once.
    Raises ShapeError for a negative size and for strides with overlapping cells, DTypeError or ValueRangeError if the
    dtype cannot hold the value.

    >>> import weft
    >>> weft.full((2,), 7).tolist()
    [7, 7]
    >>> weft.full((None, 3), 7).at[-10**9].tolist()
    [7, 7, 7]
    >>> weft.full((2, 3), 1, dtype=weft.int8, order="F").strides
    (1, 2)
    """
    if type(fill_value) in (bool, int, float, complex):
        return _filled("full", shape, fill_value, dtype, type(fill_value), origin, order, strides)
    value = tensor.imported(fill_value)
    return _filled("full", shape, node_of(value), dtype, value.dtype, origin, order, strides)


@here
@from_template(0)
def zeros(
    shape: Any,
    *more: Any,
    dtype: Any = None,
    device: Any = None,
    origin: Any = None,
    order: str | None = None,
    strides: Any = None,
) -> Tensor:
    """Return a tensor of zeros, in the default dtype (float64) unless `dtype` is given.

    The shape is one tuple or several sizes, here as in `ones` and `empty`. Raises ShapeError for a negative size,
    DTypeError for an unknown dtype, ArgumentError for other positional arguments than sizes and a dtype,
    ValueRangeError for an unknown order or device.

    >>> import weft
    >>> weft.zeros((2, 2)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    >>> weft.zeros(2, 3).shape
    (2, 3)
    >>> weft.zeros((3, 4), dtype=weft.float32, order="F").strides
    (4, 12)
    """
    shape, dtype = _sizes("zeros", shape, more, dtype)
    return _filled("zeros", shape, 0, dtype, None, origin, order, strides)


@here
@from_template(0)
def ones(
    shape: Any,
    *more: Any,
    dtype: Any = None,
    device: Any = None,
    origin: Any = None,
    order: str | None = None,
    strides: Any = None,
) -> Tensor:
    """Return a tensor of ones, in the default dtype (float64) unless `dtype` is given.

    Raises ShapeError for a negative size, DTypeError for an unknown dtype, ArgumentError for other positional arguments
    than sizes and a dtype, ValueRangeError for an unknown order or device.

    >>> import weft
    >>> weft.ones(2, dtype=weft.int8).tolist()
    [1, 1]
    """
    shape, dtype = _sizes("ones", shape, more, dtype)
    return _filled("ones", shape, 1, dtype, None, origin, order, strides)


@here
def empty(
    shape: Any, *more: Any, dtype: Any = None, device: Any = None, order: str | None = None, strides: Any = None
) -> Tensor:
    """Return a tensor with unspecified values, in the default dtype (float64) unless `dtype` is given.

    Here they are zeros, stored when the tensor is first written.
    Raises ShapeError for a negative size, DTypeError for an unknown dtype, ArgumentError for other positional arguments
    than sizes and a dtype, ValueRangeError for an unknown order or device.

    >>> import weft
    >>> weft.empty((2, 3)).shape
    (2, 3)
    """
    shape, dtype = _sizes("empty", shape, more, dtype)
    return _filled("empty", shape, 0, dtype, None, None, order, strides)


def _like(x: Any, shape: Any, dtype: Any, device: Any, order: str | None) -> tuple[Any, dict[str, Any]]:
    """Return (shape of `x`, its dtype, device and order by name), unless others are given. "K" is no order.

    Raises DTypeError for an object without numbers.
    """
    x = tensor.imported(x)
    kept = {"dtype": x.dtype if dtype is None else dtype, "device": x.device if device is None else device}
    kept["order"] = None if isinstance(order, str) and order == "K" else order
    return x.shape if shape is None else shape, kept


def _made_like(make: Any, cells: str, example: str) -> Any:
    """Return the public function `<name>_like` of a creation function `make`, documented by `cells` and an example."""

    def like(
        x: Tensor,
        /,
        dtype: Any = None,
        *,
        shape: Any = None,
        device: Any = None,
        order: str | None = None,
        strides: Any = None,
    ) -> Tensor:
        shape, kept = _like(x, shape, dtype, device, order)
        return make(shape, strides=strides, **kept)  # type: ignore[no-any-return]

    like.__name__ = like.__qualname__ = f"{make.__name__}_like"
    like.__doc__ = f"""Return a tensor of {cells} with the shape, dtype and device of x, unless others are given.

    Raises ShapeError for a negative size, DTypeError for an unknown dtype, ValueRangeError for an unknown device or
    order.

    >>> import weft
    {example}
    """
    return like


zeros_like = from_template(1)(_made_like(zeros, "zeros", ">>> weft.zeros_like([1, 2]).tolist()\n    [0, 0]"))
ones_like = from_template(1)(_made_like(ones, "ones", ">>> weft.ones_like([5, 6]).tolist()\n    [1, 1]"))
empty_like = _made_like(empty, "unspecified values", ">>> weft.empty_like([1, 2]).dtype\n    weft.int64")


def full_like(
    x: Tensor,
    /,
    fill_value: Any,
    *,
    dtype: Any = None,
    shape: Any = None,
    device: Any = None,
    order: str | None = None,
    strides: Any = None,
) -> Tensor:
    """Return a tensor with `fill_value` in every cell, with the shape, dtype and device of x, unless others are given.

    Raises ShapeError for a negative size, DTypeError or ValueRangeError if the dtype cannot hold the value.

    >>> import weft
    >>> weft.full_like(weft.asarray([1, 2]), 9).tolist()
    [9, 9]
    """
    shape, kept = _like(x, shape, dtype, device, order)
    return full(shape, fill_value, strides=strides, **kept)


def constant(value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a read-only tensor with a copy of an object's values; writing to it raises WriteError.

    Raises DTypeError for an object without numbers or an unknown dtype, ValueRangeError for an unknown device.

    >>> import weft
    >>> weft.constant([1, 2])[0] = 5
    Traceback (most recent call last):
    weft.errors.WriteError: setitem: the tensor is read-only; its memory or its maker forbids writing; write to a copy()
    """
    home = place_for("constant", device)
    if home.is_host:
        return constant_of(tensor.read(asarray(value, dtype=dtype, device=home)))
    n = node_of(array(value, dtype=dtype, device=home).realize())
    d = n.desc
    made = ir.stored(describe(d.dtype, d.shape, d.strides, d.big, d.origin, True), n.value)
    made.traits = home.traits
    return wrap(made)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return a tensor on the memory of an object that has `__dlpack__`.

    Nothing is copied unless `copy=True`.  Raises DTypeError for an object without `__dlpack__`, BufferError if the
    object refuses the export.

    >>> import weft
    >>> import numpy as np
    >>> weft.from_dlpack(np.array([1, 2])).tolist()
    [1, 2]
    """
    if not hasattr(x, "__dlpack__"):
        raise DTypeError(f"from_dlpack: {type(x).__name__} has no __dlpack__; give an array, or use asarray()")
    return asarray(of_dlpack(x) if not isinstance(x, Tensor) else x, device=device, copy=copy)
