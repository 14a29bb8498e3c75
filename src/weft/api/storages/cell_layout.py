"""Layout of cells in given bytes, and the number of references to memory.

The one idea: extents decide whether cells lie inside of memory, and reference counts whether other code uses it.
"""

from __future__ import annotations

from math import prod
from typing import Any

from weft.api.arguments import integers, one_of, shape_of
from weft.errors import ShapeError
from weft.interop.memory_layout import strides_of
from weft.ir.graph.description import Shape, c_strides
from weft.ir.pieces.lattice import ByteBox, extent
from weft.runtime.memory.allocator import MemoryBlock
from weft.runtime.references import extra_references_each
from weft.tensors.place import Place

# ---- layouts


def layout(op: str, shape: Any, strides: Any, unit: int, itemsize: int, order: str) -> tuple[Shape, Shape]:
    """Return shape and strides in bytes, from strides in units of `unit` bytes, or from order "C" or "F".

    Raises ShapeError, naming `op`, if there is not one stride for each axis or a size is negative, DTypeError for no
    integers, ValueRangeError for another order.
    """
    sizes = shape_of(op, shape)
    if strides is None:
        return sizes, strides_of(op, order, None, sizes, itemsize) or c_strides(sizes, itemsize)
    given = integers(op, "strides", strides)
    if len(given) != len(sizes):
        raise ShapeError(f"{op}: {len(given)} strides for shape {sizes}; one per axis is needed; give as many")
    return sizes, tuple([s * unit for s in given])


def check_inside(shape: Shape, strides: Shape, at: int, itemsize: int, nbytes: int) -> None:
    """Raise ShapeError for cells that reach outside a storage of `nbytes`, or take 2**63 bytes or more.

    The first cell begins at byte `at`; strides are in bytes.
    """
    if prod([n or 1 for n in shape]) * itemsize >= 1 << 63:
        raise ShapeError(
            f"tensor: shape {shape} of cells of {itemsize} bytes; that is 2**63 bytes or more; make it smaller"
        )
    low, high = extent(ByteBox(at, tuple(zip(strides, shape, strict=True)), itemsize))
    if low < 0 or high > nbytes:
        raise ShapeError(
            f"tensor: cells of shape {shape} reach from byte {low} to {high} of a storage of {nbytes} bytes; every "
            "cell must lie inside; take a smaller shape, other strides or offset, or resize()"
        )


def check_order(op: str, order: str) -> str:
    """Return a byte order, "little" or "big"; raises ValueRangeError for anything else."""
    return one_of(op, "byte order", order, ("little", "big"), "cells lie 'little' or 'big' end first")


# ---- counting


def handles(places: list[Place]) -> int:
    """Return the number of tensors on the given places, by reference counts; the caller may hold no other one."""
    return sum(extra_references_each(places))


def holds(memory: Any, origin: Any) -> bool:
    """True if the array `memory` is `origin`, or refers to it through its chain of bases."""
    while memory is not None and memory is not origin:
        memory = getattr(memory, "base", None)
    return memory is not None


def block_of(memory: Any) -> MemoryBlock | None:
    """Return the allocator's block in which an array lies; None if it lies in no block."""
    while memory is not None:
        if isinstance(memory, MemoryBlock) and memory.allocator is not None:
            return memory
        memory = getattr(memory, "base", None)
    return None
