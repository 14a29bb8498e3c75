"""Exports of tensors: buffers, the array interface, pickles.

The one idea: every export is made from NumPy's array over the same memory, so it shares memory if possible, keeps it
alive, and raises BufferError if the protocol cannot express the dtype or layout.
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
    """A run of bytes with NumPy's array interface, which keeps the memory of `owner` alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: np.ndarray, low: int, high: int) -> None:
        self.owner = owner
        data = (low, not owner.flags.writeable)
        self.__array_interface__ = {"version": 3, "data": data, "shape": (high - low,), "typestr": "|u1"}


def array_interface(self: Tensor) -> dict[str, Any]:
    """The dict by which other libraries read the tensor's memory without a copy (NumPy's `__array_interface__`).

    Raises AttributeError for cells on devices and for dtypes that NumPy lacks: `__array__` copies those.
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
    """Return a memoryview of the tensor's memory; Python 3.12 and later call this as `__buffer__`.

    Raises BufferError for dtypes that buffers have no code for, and for cells on devices with memory of their own.
    Before 3.12, write `memoryview(x.numpy())`.
    """
    if not self.device.is_host:
        raise BufferError(f"buffer: {self.dtype.name} on {self.device}; buffers share memory; export numpy(), a copy")
    if self.dtype.extended:
        raise BufferError(
            f"buffer: {self.dtype.name} cells; buffers have no code for them; export astype(weft."
            f"{self.dtype.compute.name})"
        )
    return memoryview(array_of(self))


def restore(array: np.ndarray, dtype: str, byteorder: str, read_only: bool) -> Tensor:
    """Return the tensor of an earlier version's pickle, from its values, dtype, byte order and read-only flag.

    Raises KeyError for the name of an unknown dtype.
    """
    found = dt.named(dtype)
    values = array.view(found.np) if found.extended else array
    ordered = values.astype(dt.to_numpy(found, byteorder), copy=False)
    return constant_of(ordered) if read_only else snapshot(ordered)
