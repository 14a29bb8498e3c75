"""The compiled kernels on raw memory: addresses, sizes and byte strides, without a tensor.

The one idea: a kernel is chosen by operation, dtypes and byte orders, then called as `kernel(shape, out=(address,
strides), a=(address, strides), ...)`.  Operands, rank and strides are checked; the memory at an address cannot be:
memory that does not exist, is too short or read-only ends the process.  An operand and the result may be the same
cells; if they overlap in another way, or a result's strides make cells overlap, the order of writes is unspecified.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.argument_errors import refuse_all
from weft.backends.native import entry_of
from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.interop.imports import check_conversion
from weft.ir.graph.description import Shape, TensorDescription, describe
from weft.ir.graph.ops import OPS, Op, resolve

__all__ = ["Kernel", "copy", "elementwise", "reduction", "scan"]

MAX_KNOWN = 1024  # layouts of one kernel that are kept ready
LETTERS = "abcdefgh"
_BASE = np.empty(1, np.uint8)  # native functions take an array and an offset; addresses are offsets from this array
_AT = _BASE.ctypes.data
_UNFIT = {"real", "imag", "positive"}  # these make views, so no kernel

Described = Callable[[Shape], tuple[tuple[Any, ...], Shape]]  # shape → (attributes, shape of the result)


class Kernel:
    """A kernel of one operation; call it as `kernel(shape, out=(address, strides), a=(address, strides), ...)`.

    `operands` are the names of its operands; `dtypes` and `orders` are those of the operands, then the result's.
    """

    __slots__ = ("_known", "_resulting", "dtypes", "op", "operands", "orders")

    def __init__(self, op: str, dtypes: Sequence[DType], orders: Sequence[str], resulting: Described) -> None:
        self.op, self.dtypes, self.orders = op, tuple(dtypes), tuple(orders)
        self.operands = (*LETTERS[: len(dtypes) - 1], "out")
        self._resulting = resulting
        self._known: dict[tuple[Any, ...], Callable[..., Any] | None] = {}  # by shape, number of operands, and strides

    def __repr__(self) -> str:
        places = zip(self.operands, self.dtypes, self.orders, strict=True)
        listed = ", ".join(f"{n}: {d.name}{' big-endian' * (o == 'big')}" for n, d, o in places)
        return f"<kernel {self.op}({listed})>"

    def __call__(self, shape: Shape, *, out: tuple[int, Shape], **given: tuple[int, Shape]) -> None:
        """Compute the cells of `shape`; every operand is a pair (address of cell 0, byte strides).

        Raises ShapeError for other operands, address 0, or another number of strides; memory is not checked.
        """
        given["out"] = out
        flat: list[Any] = []
        try:
            places = [given[name] for name in self.operands]
            run = self._known[(shape, len(given), *[strides for _, strides in places])]
            for address, _ in places:
                run = run if address else None
                flat += (_BASE, index(address) - _AT)
        except (KeyError, TypeError, ValueError):
            run = None
        if run is None:
            places = self._checked(given)
            run = self._native(shape, places)
            flat = [x for address, _ in places for x in (_BASE, address - _AT)]
        if run is not None:
            try:
                run(*flat)
            except OverflowError:
                self._checked(given)
                raise

    def _checked(self, given: dict[str, tuple[int, Shape]]) -> list[tuple[int, Shape]]:
        """Return (address, strides) of every operand in their order.

        Raises ShapeError for anything but 64-bit integers.
        """
        if set(given) != set(self.operands):
            raise self._unfit(f"operands {', '.join(given)}", f"it takes {', '.join(self.operands)}", "name these")
        places = []
        for name in self.operands:
            try:
                address, strides = given[name]
                places.append((int(address.__index__()), tuple([s.__index__() for s in strides])))
                struct.pack(f"Q{len(strides)}q", *places[-1][:1], *places[-1][1])
            except (TypeError, ValueError, AttributeError, struct.error):
                raise self._unfit(
                    f"{name} is {given[name]!r}", "an operand is a pair of integers, of 64 bits", _PAIR
                ) from None
        return places

    def _native(self, shape: Shape, places: Sequence[tuple[int, Shape]]) -> Callable[..., Any] | None:
        """Return the native function for these sizes and strides, from a cache; None if there are no cells.

        Raises ShapeError if a size is negative or no integer, strides are more or fewer than axes, or an address is 0.
        """
        if not isinstance(shape, (tuple, list)) or any(type(n) is not int or n < 0 for n in shape):
            raise self._unfit(f"shape {shape}", "sizes are integers from 0", "give a tuple of those")
        shape = tuple(shape)
        attrs, made = self._resulting(shape)
        described: list[TensorDescription] = []
        facts = zip(self.operands, places, self.dtypes, self.orders, strict=True)
        for name, (address, strides), dtype, order in facts:
            sizes = made if name == "out" else shape
            if len(strides) != len(sizes):
                wanted = f"{name} has cells of shape {sizes}"
                raise self._unfit(f"{name} has strides {strides}", wanted, "give one stride for each axis")
            described.append(describe(dtype, sizes, strides, order == "big"))
            if not address and described[-1].size:
                raise self._unfit(f"{name} has address 0", "no memory lies there", "give the address of cell 0")
        run = entry_of(self.op, attrs, tuple(described[:-1]), described[-1])
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[(shape, len(places), *[strides for _, strides in places])] = run
        return run

    def _unfit(self, fact: str, reason: str, remedy: str) -> ShapeError:
        return ShapeError(f"kernels: {self.op}: {fact}; {reason}; {remedy}")


_PAIR = "give (address of cell 0, tuple of byte strides)"


def _row(name: str, kinds: Sequence[str]) -> Op:
    """Return the row of an operation of one of the kinds; raises ValueRangeError if no kernel has this name."""
    op = OPS.get(name)
    if op is None or op.kind not in kinds or name in _UNFIT:
        known = ", ".join(o.name for o in OPS.values() if o.kind in kinds and o.name not in _UNFIT)
        raise ValueRangeError(f"kernels: {name!r}; no kernel on memory has this name; name one of {known}")
    return op


def _resolved(op: Op, *operands: DType) -> tuple[DType, DType]:
    """Return (dtype to compute in, dtype of the result); raises DTypeError unless operands are in the former."""
    compute, made = resolve(op, *operands)
    if any(d is not compute for d in operands):
        raise DTypeError(
            f"kernels: {op.name} of {operands[0].name}; it is computed in {compute.name}; "
            f"convert the operands first, with kernels.copy({operands[0].name!r}, {compute.name!r})"
        )
    return compute, made


def elementwise(op: str, dtype: Any, *, big: Sequence[str] = ()) -> Kernel:
    """Return the kernel of an element-wise operation on operands of one dtype.

    `op`: a name of the op table such as "add", "exp", "less", "where" (a: the condition), "complex" (a, b: the parts).
    `dtype`: of the operands; `">f4"` makes all of them big-endian, `big` names single big-endian ones.  The result's
    dtype is the operation's.  Operands are called a, b, c; a stride of 0 repeats a cell.  Raises ValueRangeError for
    unknown operations, DTypeError for dtypes in which the operation is not computed.

    >>> import numpy as np
    >>> x, y, z = np.arange(4.0), np.array([10.0]), np.empty(4)
    >>> add = elementwise("add", "float64")
    >>> add((4,), out=(z.ctypes.data, (8,)), a=(x.ctypes.data + 24, (-8,)), b=(y.ctypes.data, (0,)))
    >>> z.tolist()
    [13.0, 12.0, 11.0, 10.0]
    """
    row = _row(op, ("elementwise",))
    found, order = dt.spelled(dtype)
    operands = [found] * row.arity
    if op == "where":
        operands[0], made = dt.bool, found
    elif op == "complex":
        made = _complex_of(found)
    elif op == "astype":
        raise ValueRangeError("kernels: 'astype' takes two dtypes; conversions copy; take kernels.copy(source, target)")
    else:
        made = _resolved(row, *operands)[1]
    orders = [order] * len(operands) + [order]
    return _with_big(Kernel(op, [*operands, made], orders, lambda shape: ((), shape)), big)


def _complex_of(part: DType) -> DType:
    """Return the complex dtype whose parts are of a dtype; raises DTypeError if there is none."""
    for d in dt.ALL:
        if d.kind == "complex" and d.real is part:
            return d
    parts = ", ".join(d.real.name for d in dt.ALL if d.kind == "complex")
    raise DTypeError(
        f"kernels: complex of {part.name}; no complex dtype has such parts; convert them to one of {parts}, with "
        "kernels.copy"
    )


def _with_big(kernel: Kernel, big: Sequence[str]) -> Kernel:
    """Set the byte order of the operands named in `big`, and return the kernel.

    Raises ValueRangeError for unknown names.
    """
    if unknown := set(big) - set(kernel.operands):
        raise ValueRangeError(
            f"kernels: {kernel.op}: big={sorted(unknown)}; operands are {kernel.operands}; name those"
        )
    kernel.orders = tuple(["big" if n in big else o for n, o in zip(kernel.operands, kernel.orders, strict=True)])
    return kernel


def copy(source: Any, target: Any = None) -> Kernel:
    """Return the kernel that converts cells of dtype `source` to `target`, by the rules of `weft.astype`.

    Both may have a byte order; without `target`, cells are copied. Raises DTypeError for conversions that these rules
    refuse.

    >>> import numpy as np
    >>> x, y = np.array([1.5, -2.0], ">f4"), np.zeros(2, np.int16)
    >>> copy(">f4", "int16")((2,), out=(y.ctypes.data, (2,)), a=(x.ctypes.data, (4,)))
    >>> y.tolist()
    [1, -2]
    """
    (given, order), (made, out) = dt.spelled(source), dt.spelled(source if target is None else target)
    check_conversion("kernels: copy", given, made)
    if given is made:
        return Kernel("positive", [given, made], [order, out], lambda shape: ((), shape))
    return Kernel("astype", [given, made], [order, out], lambda shape: ((made,), shape))


def _axes(op: str, axes: Sequence[int] | int | None, ndim: int) -> tuple[int, ...]:
    """Return axes of `ndim` counted from 0, sorted (None: all); raises ShapeError for axes missing or named twice."""
    listed = range(ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    found = tuple(sorted({a + ndim if a < 0 else a for a in listed}))
    if len(found) != len(list(listed)) or any(not 0 <= a < ndim for a in found):
        raise ShapeError(f"kernels: {op}: axes {axes} of {ndim}; an axis is missing or named twice; name each once")
    return found


def reduction(
    op: str, dtype: Any, *, axes: Sequence[int] | int | None = None, correction: float = 0.0, big: Sequence[str] = ()
) -> Kernel:
    """Return the kernel of a reduction over axes: "sum", "prod", "min", "max", "mean", "var", "any", "all", "argmax"...

    The shape of a call is that of the operand `a`; `out` has a stride for each remaining axis. `correction` is
    subtracted from the divisor of a variance, `big` names big-endian operands. Sums add in weft's order, so the bits
    are those of `weft.sum`, whatever the strides. Raises ValueRangeError for unknown reductions, DTypeError for
    unsupported dtypes; a call raises ShapeError for axes that do not exist.

    >>> import numpy as np
    >>> x, y = np.arange(6.0).reshape(2, 3), np.empty(3)
    >>> reduction("sum", float, axes=0)((2, 3), out=(y.ctypes.data, (8,)), a=(x.ctypes.data, x.strides))
    >>> y.tolist()
    [3.0, 5.0, 7.0]
    """
    row = _row(op, ("reduce",))
    if axes is not None and not isinstance(axes, int):
        axes = tuple(axes)
        if len({*axes}) < len(axes):
            raise ShapeError(f"kernels: {op}: axes {axes}; an axis is named twice; name each once")
    found, order = dt.spelled(dtype)
    made = resolve(row, found)[1] if row.rule == "sum" else _resolved(row, found)[1]

    def resulting(shape: Shape) -> tuple[tuple[Any, ...], Shape]:
        reduced = _axes(op, axes, len(shape))
        kept = tuple([n for a, n in enumerate(shape) if a not in reduced])
        empty = any(shape[a] == 0 for a in reduced)
        if empty and op in ("min", "max", "nanmin", "nanmax", "argmin", "argmax"):
            raise ShapeError(f"kernels: {op}: no cells along axes {reduced} of {shape}; there is no least; give some")
        return ((reduced, False, correction) if op == "var" else (reduced, False)), kept

    return _with_big(Kernel(op, [found, made], [order, order], resulting), big)


def scan(op: str, dtype: Any, *, axis: int = -1, big: Sequence[str] = ()) -> Kernel:
    """Return the kernel of a running "cumulative_sum" or "cumulative_prod" along an axis.

    Operands, shapes and `big` are as in `reduction`; a call raises ShapeError if there is no such axis. Raises
    ValueRangeError for another operation, DTypeError for an unsupported dtype.

    >>> import numpy as np
    >>> x, y = np.arange(4), np.empty(4, int)
    >>> scan("cumulative_sum", int)((4,), out=(y.ctypes.data, (8,)), a=(x.ctypes.data, (8,)))
    >>> y.tolist()
    [0, 1, 3, 6]
    """
    row = _row(op, ("scan",))
    found, order = dt.spelled(dtype)
    made = resolve(row, found)[1]
    return _with_big(
        Kernel(op, [found, made], [order, order], lambda shape: ((_axes(op, axis, len(shape))[0], False), shape)), big
    )


refuse_all(globals())
