"""Tensors become foreign objects: buffers, the array interface, pickles.

The one idea: NumPy's view of the same memory is the owner that everything else is made of, so every export shares
memory where it can, keeps it alive, and raises BufferError where the protocol has no word for the dtype or layout.
"""

from __future__ import annotations

from pickle import PickleBuffer
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.interop.imports import constant_of, snapshot
from weft.runtime.memory.access import byte_range
from weft.tensors.tensor import Tensor, array_of


class ByteRun:
    """Hands NumPy a run of bytes by address; NumPy keeps this object, and it keeps the memory."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: np.ndarray, low: int, high: int) -> None:
        self.owner = owner
        data = (low, not owner.flags.writeable)
        self.__array_interface__ = {"version": 3, "data": data, "shape": (high - low,), "typestr": "|u1"}


def array_interface(self: Tensor) -> dict[str, Any]:
    """The tensor's memory as the array interface describes it; its data is an object with a buffer, kept by arrays.

    Raises AttributeError for cells on devices and for dtypes without a letter of NumPy's: `__array__` copies those.
    """
    if self.dtype.extended or not self.device.is_host:
        raise AttributeError(
            f"__array_interface__: {self.dtype.name} cells on {self.device}; the interface has no word for them; use "
            "x.numpy()"
        )
    cells = array_of(self)
    found = {"version": 3, "shape": cells.shape, "strides": cells.strides, "typestr": cells.dtype.str}
    if cells.flags.c_contiguous:
        return found | {"data": PickleBuffer(cells)}
    low, high = byte_range(cells)
    offset = cells.__array_interface__["data"][0] - low
    return found | {"data": PickleBuffer(np.asarray(ByteRun(cells, low, high))), "offset": offset}


def buffer(self: Tensor, flags: int, /) -> memoryview:
    """Return the tensor's memory through the buffer protocol, which Python asks for from 3.12 on.

    Raises BufferError for dtypes that buffers have no code for.  Before 3.12, `memoryview(x.numpy())` is the way.
    """
    if self.dtype.extended:
        raise BufferError(
            f"buffer: {self.dtype.name} cells; buffers have no code for them; export astype(weft."
            f"{self.dtype.compute.name})"
        )
    return memoryview(array_of(self))


def restore(array: np.ndarray, dtype: str, byteorder: str, read_only: bool) -> Tensor:
    """Return the tensor of a pickle; the byte order is given, since NumPy's own pickles lose it."""
    found = dt.named(dtype)
    values = array.view(found.np) if found.extended else array
    ordered = values.astype(dt.to_numpy(found, byteorder), copy=False)
    return constant_of(ordered) if read_only else snapshot(ordered)
