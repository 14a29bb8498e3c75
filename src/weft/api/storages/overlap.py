"""Overlap: whether the cells of tensors, or of strided boxes of bytes, share memory, and where.

The one idea: cells are boxes of addresses, and boxes of addresses are compared exactly (`ir/pieces/lattice.py`).
"""

from __future__ import annotations

from typing import Any

from weft.api.arguments import as_tensor, integer, integers, paired
from weft.errors import ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.pieces import lattice
from weft.ir.pieces.lattice import ByteBox, Undecided
from weft.tensors.place import box_of
from weft.tensors.tensor import Tensor, node_of

Index = tuple[int, ...]


def overlap(a: Tensor, b: Tensor, /) -> tuple[Index, Index] | None:
    """Return an index of each tensor whose cells share a byte, or None if there are none. Exact for any strides.

    Pending values have no memory: they overlap only as views of one place.  Raises ValueRangeError if the strides are
    too many for an exact answer, DTypeError for an object without numbers.

    >>> import weft
    >>> x = weft.zeros(10).realize()
    >>> weft.overlap(x[::2], x[1::2]), weft.overlap(x[2:], x[::-1])
    (None, ((7,), (0,)))
    """
    found = _overlap(a, b)
    if isinstance(found, Undecided):
        raise ValueRangeError(
            f"overlap: strides {a.strides} and {b.strides} are too many for an exact answer; weft treats them as "
            "overlapping; compare contiguous parts"
        )
    return found


def may_share_memory(a: Tensor, b: Tensor, /) -> bool:
    """True if any cells of two tensors share a byte; exact, except that undecided cases give True.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> x = weft.zeros(10).realize()
    >>> weft.may_share_memory(x[::2], x[1::2]), weft.may_share_memory(x, x[3:])
    (False, True)
    """
    return _overlap(a, b) is not None


def _overlap(a: Tensor, b: Tensor) -> Any:
    """Return the indices of two cells that share a byte, None if no cells do, or `Undecided`.

    Raises DTypeError for an object without numbers.
    """
    m, n = node_of(as_tensor(a)), node_of(as_tensor(b))
    first, second = map(ir.root_of, (m, n))
    if first is second and first.value is None:
        return lattice.overlap(*(_pending_box(x) for x in (m, n)))
    if first.value is None or second.value is None:
        return None
    return lattice.overlap(box_of(m), box_of(n))


def _pending_box(n: ir.Node) -> ByteBox:
    """Return the bytes that a view of a pending node would have, counted from its root's first cell."""
    axes = tuple(zip(n.desc.strides or (), n.desc.shape, strict=True))
    return ByteBox(0 if n.alias is None else n.alias[1], axes, n.desc.dtype.itemsize)


def check_overlap(
    shape: Any,
    strides: Any,
    offset: int,
    itemsize: int,
    other_shape: Any,
    other_strides: Any,
    other_offset: int,
    other_itemsize: int,
) -> tuple[Index, Index] | None:
    """Return an index of each of two strided boxes of bytes that share a byte, or None; needs no tensors.

    Strides and offsets are in bytes. Raises ShapeError unless each box has as many strides as sizes, ValueRangeError
    for negative sizes, cells without bytes, or strides that are too many for an exact answer.

    >>> import weft
    >>> weft.check_overlap((5,), (4,), 0, 1, (4,), (3,), 7, 1), weft.check_overlap((3,), (8,), 0, 1, (4,), (5,), 5, 2)
    (((4,), (3,)), ((2,), (2,)))
    """
    boxes = (
        _box("check_overlap", shape, strides, itemsize, offset),
        _box("check_overlap", other_shape, other_strides, other_itemsize, other_offset),
    )
    return _decided("check_overlap", lattice.overlap(*boxes))


def check_self_overlap(shape: Any, strides: Any, itemsize: int = 1) -> tuple[Index, Index] | None:
    """Return two indices of a strided box whose cells share a byte, or None; axes of stride 0 are ignored.

    Raises ShapeError unless there are as many strides as sizes, ValueRangeError for negative sizes, cells without
    bytes, or strides that are too many for an exact answer.

    >>> import weft
    >>> weft.check_self_overlap((3, 2), (1, 2)), weft.check_self_overlap((4, 3), (4, 5))
    (((0, 1), (2, 0)), None)
    """
    return _decided(
        "check_self_overlap", lattice.self_overlap(_box("check_self_overlap", shape, strides, itemsize, None))
    )


def _box(name: str, shape: Any, strides: Any, itemsize: Any, offset: Any) -> ByteBox:
    """Return a byte box with these sizes and strides.

    Raises ValueRangeError, naming `name`, for negative sizes or cells without bytes, ShapeError unless there are as
    many strides as sizes. Without an offset, axes of stride 0 are reduced to one position.
    """
    sizes, steps = integers(name, "shape", shape), integers(name, "strides", strides)
    paired(name, "sizes and strides", sizes, steps)
    width = integer(name, "itemsize", itemsize)
    if min((width - 1, *sizes)) < 0:
        raise ValueRangeError(
            f"{name}: shape {sizes} of cells of {width} bytes; sizes are 0 or more, and a cell has a byte; change them"
        )
    if offset is None:
        return lattice.box(0, steps, tuple([n if s else min(n, 1) for n, s in zip(sizes, steps, strict=True)]), width)
    return lattice.box(integer(name, "offset", offset), steps, sizes, width)


def _decided(op: str, found: Any) -> tuple[Index, Index] | None:
    """Return `found`, a pair of indices or None; raises ValueRangeError, naming `op`, if it is `Undecided`."""
    if isinstance(found, Undecided):
        raise ValueRangeError(f"{op}: so many strides are too many for an exact answer; compare parts of the boxes")
    return found  # type: ignore[no-any-return]
