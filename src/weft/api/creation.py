"""The array API's creation functions.

The one idea: a regular array needs no memory.  zeros, full, arange, eye and the rest are generators: functions of
coordinates that are stored only when somebody looks or writes, and of which any part can be read.  Their axes may be as
long as int64 counts; full, zeros, ones and iota have any `origin`, and axes of size None are whole: their coordinates
begin at -2**62 and end before 2**62 - 1.
"""

from __future__ import annotations

from math import ceil, isfinite
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft import tensor
from weft.api.arguments import extent_of, integer, number, one_axis, shape_of
from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.interop.imports import array, asarray, check_device, constant_of, own
from weft.ir import node as ir
from weft.ir import selection
from weft.ir.node import Node
from weft.ir.ops import OPS
from weft.runtime import allocator
from weft.tensor import Tensor, handle, node_of, weak_scalar, wrap


def _filled(name: str, shape: Any, number: Any, dtype: DType, big: bool, origin: Any) -> Tensor:
    """A broadcast scalar: no storage until it is written."""
    fill = ir.astype(weak_scalar(number, dtype, name), dtype)
    return _spread(name, fill, shape, big, origin)


def _spread(name: str, fill: Node, shape: Any, big: bool, origin: Any) -> Tensor:
    """A value of its own, whose cells are all writable once stored."""
    sizes, start = extent_of(name, shape, origin)
    n = selection.broadcast_to(fill, sizes)
    return ordered(ir.make(OPS["positive"], (n,), (), ir.result(fill.desc.dtype, sizes, start)), big)


def ordered(n: Node, big: bool) -> Tensor:
    """The tensor of a node, stored big-endian where asked."""
    t = wrap(ir.locate(n))
    if not big or n.desc.dtype.itemsize == 1:
        return t
    values = tensor.read(t)
    out = allocator.empty(dt.to_numpy(n.desc.dtype, "big"), n.desc.shape)
    out[...] = values
    t = own(out)
    return t if n.desc.origin is None else handle(t, selection.translate(node_of(t), n.desc.origin))


def _dtype(dtype: Any, default: DType) -> tuple[DType, bool]:
    if dtype is None:
        return default, False
    found, order = dt.spelled(dtype)
    return found, order == "big"


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, origin: Any = None) -> Tensor:
    """A tensor with every cell `fill_value`; the dtype defaults to the value's.

    >>> import weft
    >>> weft.full((2,), 7).tolist()
    [7, 7]
    >>> weft.full((None, 3), 7).at[-10**9].tolist()
    [7, 7, 7]
    """
    check_device("full", device)
    if type(fill_value) not in (bool, int, float, complex):
        value = asarray(fill_value)
        found, big = _dtype(dtype, value.dtype)
        return _spread("full", ir.astype(node_of(value), found), shape, big, origin)
    found, big = _dtype(dtype, dt.default_of(type(fill_value)))
    return _filled("full", shape, fill_value, found, big, origin)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None, origin: Any = None) -> Tensor:
    """A tensor of zeros (float64 unless told).

    >>> import weft
    >>> weft.zeros((2, 2)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    check_device("zeros", device)
    found, big = _dtype(dtype, dt.float64)
    return _filled("zeros", shape, False if found is dt.bool else 0, found, big, origin)


def ones(shape: Any, *, dtype: Any = None, device: Any = None, origin: Any = None) -> Tensor:
    """A tensor of ones (float64 unless told).

    >>> import weft
    >>> weft.ones(2, dtype=weft.int8).tolist()
    [1, 1]
    """
    check_device("ones", device)
    found, big = _dtype(dtype, dt.float64)
    return _filled("ones", shape, found is dt.bool or 1, found, big, origin)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor whose values are open: here, zeros that are stored when written.

    >>> import weft
    >>> weft.empty((2, 3)).shape
    (2, 3)
    """
    return zeros(shape, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros of x's shape and dtype.

    >>> import weft
    >>> weft.zeros_like(weft.asarray([1, 2])).tolist()
    [0, 0]
    """
    x = asarray(x)
    return zeros(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones of x's shape and dtype.

    >>> import weft
    >>> weft.ones_like(weft.asarray([5, 6])).tolist()
    [1, 1]
    """
    x = asarray(x)
    return ones(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of x's shape and dtype whose values are open.

    >>> import weft
    >>> weft.empty_like(weft.asarray([1, 2])).dtype
    weft.int64
    """
    return zeros_like(x, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """x's shape and dtype with every cell `fill_value`.

    >>> import weft
    >>> weft.full_like(weft.asarray([1, 2]), 9).tolist()
    [9, 9]
    """
    x = asarray(x)
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def constant(value: Any, *, dtype: Any = None) -> Tensor:
    """A tensor that cannot be written.

    >>> import weft
    >>> weft.constant([1, 2])[0] = 5
    Traceback (most recent call last):
    weft.errors.WriteError: setitem: the tensor is read-only; its memory or its maker forbids writing; write to a copy()
    """
    return constant_of(tensor.read(asarray(value, dtype=dtype)))


def _iota(size: int) -> Node:
    return ir.make(OPS["iota"], (), (0,), ir.result(dt.int64, (size,)))


def iota(shape: Any, *, axis: int = 0, dtype: Any = None, device: Any = None, origin: Any = None) -> Tensor:
    """At every cell its coordinate along an axis (int64 unless told).

    >>> import weft
    >>> weft.iota((2, 3), axis=1, origin=(0, -1)).tolist()
    [[-1, 0, 1], [-1, 0, 1]]
    >>> weft.iota((None,)).at[5:8].tolist()
    [5, 6, 7]
    """
    check_device("iota", device)
    sizes, start = extent_of("iota", shape, origin)
    found, big = _dtype(dtype, dt.int64)
    n = ir.make(OPS["iota"], (), (one_axis("iota", axis, len(sizes)),), ir.result(dt.int64, sizes, start))
    return ordered(ir.astype(n, found), big)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Tensor:
    """start, start + step, ... below stop: cell i is start + i · step.

    >>> import weft
    >>> weft.arange(1, 10, 3).tolist()
    [1, 4, 7]
    """
    check_device("arange", device)
    if stop is None:
        start, stop = 0, start
    start, stop, step = (number("arange", v) for v in (start, stop, step))
    if step == 0:
        raise ValueRangeError("arange: step 0; it would never end; give a step that is not 0")
    kinds = {type(v) for v in (start, stop, step)}
    found, big = _dtype(dtype, dt.float64 if float in kinds else dt.int64)
    (size,) = shape_of("arange", _count(start, stop, step))
    if found.is_integer and kinds <= {int, bool}:
        _check_ends(start, start + step * max(size - 1, 0), found)
        n = _linear(_iota(size), start, step, dt.int64 if found is not dt.uint64 else dt.uint64)
    else:
        n = _linear(ir.astype(_iota(size), dt.float64), float(start), float(step), dt.float64)
    return ordered(ir.astype(n, found), big)


def _check_ends(first: int, last: int, dtype: DType) -> None:
    limits = dt.integer_limits(dtype)
    if min(first, last) < limits.min or max(first, last) > limits.max:
        raise ValueRangeError(
            f"arange: {first} to {last} in {dtype.name}; it holds {limits.min} to {limits.max}; choose a wider dtype"
        )


def _count(start: Any, stop: Any, step: Any) -> int:
    if all(isinstance(v, int) for v in (start, stop, step)):
        return max(0, -((start - stop) // step))
    cells = (stop - start) / step
    if not isfinite(cells):
        raise ValueRangeError(f"arange: from {start} to {stop} by {step}; that has no finite number of cells; bound it")
    return max(0, ceil(cells))


def _linear(i: Node, start: Any, step: Any, dtype: DType) -> Node:
    i = ir.astype(i, dtype)
    if step != 1:
        i = ir.elementwise(OPS["multiply"], i, ir.scalar(step, dtype))
    return ir.elementwise(OPS["add"], i, ir.scalar(start, dtype))


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """`num` evenly spaced values from start to stop (the end included unless endpoint=False); integers are floored.

    >>> import weft
    >>> weft.linspace(0.0, 1.0, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    check_device("linspace", device)
    num = integer("linspace", "num", num)
    if num < 0:
        raise ValueRangeError(f"linspace: {num} values; the number must be 0 or more; give another")
    start, stop = (number("linspace", v, complex) for v in (start, stop))
    is_complex = complex in (type(start), type(stop))
    found, big = _dtype(dtype, dt.complex128 if is_complex else dt.float64)
    if is_complex and found.kind != "complex":
        raise DTypeError(
            f"linspace: {start} to {stop} in {found.name}; it holds no complex number; ask for a complex dtype"
        )
    wide = dt.complex128 if found.kind == "complex" else dt.float64
    parts = num - 1 if endpoint else num
    kind = complex if wide is dt.complex128 else float
    first, last = kind(start), kind(stop)
    i = ir.astype(_iota(num), wide)
    step = (last - first) / parts if parts > 0 else kind(0)
    if not isfinite(abs(step)) and isfinite(abs(first)) and isfinite(abs(last)):
        step = last / parts - first / parts
    if step == 0 and first != last and parts > 0:  # it underflows: divide first
        n = ir.elementwise(OPS["divide"], i, ir.scalar(kind(parts), wide))
        n = _linear(n, first, last - first, wide)
    else:
        n = _linear(i, first, step, wide)
    if endpoint and num > 1:
        at_end = ir.elementwise(OPS["equal"], _iota(num), ir.scalar(num - 1, dt.int64))
        shape = ir.result(wide, (num,))
        n = ir.make(OPS["where"], (at_end, ir.scalar(last, wide), n), (), shape)
    n = ir.elementwise(OPS["floor"], n) if found.is_integer else n
    return ordered(ir.astype(n, found), big)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones on the k-th diagonal, zeros elsewhere.

    >>> import weft
    >>> weft.eye(2, 3, k=1).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    check_device("eye", device)
    shape = shape_of("eye", (n_rows, n_rows if n_cols is None else n_cols))
    found, big = _dtype(dtype, dt.float64)
    on = _compare_axes("equal", shape, integer("eye", "k", k))
    return ordered(ir.astype(on, found), big)


def _compare_axes(op: str, shape: tuple[int, ...], k: int) -> Node:
    """column `op` row + k, over the last two axes."""
    ndim = len(shape)
    row = ir.make(OPS["iota"], (), (ndim - 2,), ir.result(dt.int64, shape))
    column = ir.make(OPS["iota"], (), (ndim - 1,), ir.result(dt.int64, shape))
    return ir.elementwise(OPS[op], column, ir.elementwise(OPS["add"], row, ir.scalar(k, dt.int64)))


def tri(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones on and below the k-th diagonal, zeros above it; with dtype bool the mask of `tril`.

    >>> import weft
    >>> weft.tri(2, 3, dtype=weft.int8).tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    check_device("tri", device)
    shape = shape_of("tri", (n_rows, n_rows if n_cols is None else n_cols))
    found, big = _dtype(dtype, dt.float64)
    return ordered(ir.astype(_compare_axes("less_equal", shape, integer("tri", "k", k)), found), big)


def one_hot(indices: Tensor, n: int, /, *, axis: int = -1, dtype: Any = None, device: Any = None) -> Tensor:
    """A new axis of n cells, 1 where the index says and 0 elsewhere (float64 unless told); no index beyond n has a 1.

    >>> import weft
    >>> weft.one_hot(weft.asarray([2, 0, 5]), 3, dtype=weft.int8).tolist()
    [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    """
    check_device("one_hot", device)
    at = node_of(asarray(indices))
    if not at.desc.dtype.is_integer:
        raise DTypeError(f"one_hot: indices of {at.desc.dtype.name}; categories are integers; convert them")
    (size,) = shape_of("one_hot", (integer("one_hot", "n", n),))
    found, big = _dtype(dtype, dt.float64)
    axis = one_axis("one_hot", axis, at.desc.ndim + 1)
    after = at.desc.ndim - axis
    at = ir.astype(at, dt.uint64 if at.desc.dtype is dt.uint64 else dt.int64)
    line = selection.expand_dims(ir.astype(_iota(size), at.desc.dtype), range(1, after + 1))
    on = ir.elementwise(OPS["equal"], selection.expand_dims(at, (axis,)), line)
    return ordered(ir.astype(on, found), big)


def _triangle(name: str, op: str, x: Tensor, k: int) -> Tensor:
    n = node_of(asarray(x))
    if n.desc.ndim < 2:
        raise ShapeError(f"{name}: a tensor of shape {n.desc.shape}; matrices have two axes; reshape it first")
    inside = _compare_axes(op, n.desc.shape, integer(name, "k", k))
    zero = ir.scalar(0, n.desc.dtype)
    d = ir.result(n.desc.dtype, n.desc.shape, n.desc.origin)
    return wrap(ir.locate(ir.make(OPS["where"], (inside, n, zero), (), d)))


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The lower triangle, zeros above diagonal k.

    >>> import weft
    >>> weft.tril(weft.ones((2, 2))).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    return _triangle("tril", "less_equal", x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The upper triangle, zeros below diagonal k.

    >>> import weft
    >>> weft.triu(weft.ones((2, 2))).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return _triangle("triu", "greater_equal", x, k)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Coordinate matrices from coordinate vectors, "xy" (Cartesian) or "ij" (matrix) indexing.

    >>> import weft
    >>> [g.tolist() for g in weft.meshgrid(weft.asarray([1, 2]), weft.asarray([3, 4]))]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueRangeError(f"meshgrid: indexing {indexing!r}; 'xy' and 'ij' are defined; pass one of them")
    arrays = tuple(asarray(a) for a in arrays)
    if any(a.ndim > 1 for a in arrays):
        raise ShapeError("meshgrid: operands of rank above 1; coordinate vectors are asked for; flatten them")
    sizes = [a.size for a in arrays]
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = [1, 0]
    shape = tuple(sizes[i] for i in order)
    out = []
    for i, a in enumerate(arrays):
        at = order.index(i)
        n = node_of(a)
        n = n if n.desc.ndim else selection.expand_dims(n, [0])
        n = selection.expand_dims(n, [d for d in range(len(shape)) if d != at])
        n = selection.broadcast_to(n, shape)
        out.append(wrap(ir.locate(ir.make(OPS["positive"], (n,), (), ir.result(n.desc.dtype, shape)))))
    return tuple(out)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of a DLPack object.

    >>> import weft
    >>> import numpy as np
    >>> weft.from_dlpack(np.array([1, 2])).tolist()
    [1, 2]
    """
    if not hasattr(x, "__dlpack__"):
        raise DTypeError(f"from_dlpack: {type(x).__name__} has no __dlpack__; give an array, or use asarray()")
    return asarray(np.from_dlpack(x) if not isinstance(x, Tensor) else x, device=device, copy=copy)


__all__ = [
    "arange", "array", "asarray", "constant", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "iota",
    "linspace", "meshgrid", "one_hot", "ones", "ones_like", "tri", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip
