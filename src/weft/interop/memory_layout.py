"""Layout of new memory: orders and strides.

The one idea: a layout is one byte stride for each axis.  Memory is row-major unless another order, or strides, are
requested; the layout never changes a tensor's meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.ir.graph.description import Shape, c_strides
from weft.ir.pieces.lattice import box, self_overlap

MAX_STRIDE = (1 << 62) - 1


def strides_of(op: str, order: str | None, strides: Sequence[int] | None, shape: Shape, itemsize: int) -> Shape | None:
    """Return the byte strides requested by `order` or `strides`; None for row-major.

    Raises ValueRangeError for an unknown order or both arguments, DTypeError for strides that are no integers, and
    ShapeError for a wrong number of them, for too large ones, and if cells of `itemsize` bytes overlap. `op` is named
    in errors.

    >>> strides_of("zeros", "F", None, (3, 4), 4), strides_of("zeros", "C", None, (3, 4), 4)
    ((4, 12), None)
    """
    if not (order is None or (isinstance(order, str) and order in ("C", "F"))):
        raise ValueRangeError(f"{op}: order {order!r}; 'C' is row-major and 'F' column-major; pass one of them")
    if strides is None:
        return c_strides(shape[::-1], itemsize)[::-1] if order == "F" else None
    try:
        given = tuple([int(s.__index__()) for s in strides])
    except (AttributeError, TypeError):
        raise DTypeError(f"{op}: strides {strides!r}; one integer per axis is needed, in bytes; give a tuple") from None
    if len(given) != len(shape):
        raise ShapeError(f"{op}: strides {given} for shape {shape}; one per axis is needed, in bytes; give as many")
    if order == "F":
        raise ValueRangeError(f"{op}: strides {given} and order 'F'; strides say the order already; pass one of them")
    if max(map(abs, given), default=0) > MAX_STRIDE:
        raise ShapeError(f"{op}: strides {given}; no memory is as large; give strides in bytes that are below 2**62")
    clash = self_overlap(box(0, given, shape, itemsize))
    if clash is not None:
        raise ShapeError(
            f"{op}: strides {given} for shape {shape} of {itemsize} bytes; cells {clash} overlap; give strides that "
            "keep them apart, or use broadcast_to() and sliding_window_view()"
        )
    return given
