"""Types of arguments, for annotations of programs and of weft's own functions.

The one idea: each alias lists what the library accepts in that place; `numpy.typing` has some of the same names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias, Union

import numpy as np

from weft.dtypes import DType
from weft.runtime.devices.device import Device
from weft.tensors.tensor import Tensor


class SupportsArray(Protocol):
    """An object that NumPy converts to an array: pandas and xarray objects, memory of other libraries."""

    def __array__(self, *given: Any, **options: Any) -> np.ndarray: ...


class SupportsDLPack(Protocol):
    """An object with DLPack's methods: arrays and tensors of PyTorch, JAX, CuPy and others."""

    def __dlpack__(self, *given: Any, **options: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


Scalar: TypeAlias = bool | int | float | complex | np.generic
ArrayLike: TypeAlias = Union[Tensor, Scalar, SupportsArray, SupportsDLPack, memoryview, Sequence["ArrayLike"]]  # noqa: UP007
DTypeLike: TypeAlias = DType | np.dtype[Any] | type | str
DeviceLike: TypeAlias = Device | str
ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None

__all__ = [
    "ArrayLike", "Axes", "DTypeLike", "DeviceLike", "Scalar", "ShapeLike", "SupportsArray", "SupportsDLPack",
]  # fmt: skip
