"""Tensors become foreign objects: DLPack capsules, buffers, pickles.

The one idea: NumPy's view of the same memory is the owner that everything else is made of, so every export shares
memory where it can, keeps it alive, and raises BufferError where the protocol has no word for the dtype or layout.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.interop.imports import constant_of, snapshot
from weft.tensors.tensor import Tensor, array_of, node_of, taken


def _check_exportable(op: str, x: Tensor) -> None:
    if x.dtype.extended:
        raise BufferError(
            f"{op}: {x.dtype.name} cells; the exporter has no code for them; export astype(weft.{x.dtype.compute.name})"
        )
    if x.byteorder == "big" and op == "dlpack":
        raise BufferError(f"{op}: big-endian cells; the protocol knows native ones only; export a copy()")


def dlpack(
    self: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return the DLPack capsule of the tensor's memory; BufferError for dtypes and byte orders that DLPack lacks."""
    _check_exportable("dlpack", self)
    return array_of(self).__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def dlpack_device(self: Tensor) -> tuple[int, int]:
    """Return (device type, device number) as DLPack numbers them: the CPU."""
    return (1, 0)


def buffer(self: Tensor, flags: int, /) -> memoryview:
    """Return the tensor's memory through the buffer protocol (Python 3.12 and later)."""
    _check_exportable("buffer", self)
    return memoryview(array_of(self))


def restore(array: np.ndarray, dtype: str, byteorder: str, read_only: bool) -> Tensor:
    """Return the tensor of a pickle; the byte order is given, since NumPy's own pickles lose it."""
    found = dt.named(dtype)
    values = array.view(found.np) if found.extended else array
    ordered = values.astype(dt.to_numpy(found, byteorder), copy=False)
    return constant_of(ordered) if read_only else snapshot(ordered)


def reduce(self: Tensor, protocol: int) -> tuple[Any, ...]:
    """Return the pickle of the values, never of the pending expression."""
    array = taken(self, lambda values: np.array(values, order="C"))
    if self.dtype.extended:  # NumPy's pickles know their bytes alone
        array = array.astype(self.dtype.np, copy=False).view(f"u{self.dtype.itemsize}")
    return (restore, (array, self.dtype.name, self.byteorder, node_of(self).desc.read_only))
