"""The backend of einops for tensors: the operations of `rearrange`, `reduce`, `repeat`, `pack` and `einsum`.

The one idea: each method is one function of the array API, so a tensor rearranged by einops is a view.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.api.numpy.einsum import einsum
from weft.api.standard import statistical_functions
from weft.api.standard.creation_functions import asarray
from weft.api.standard.manipulation_functions import (
    broadcast_to,
    concat,
    expand_dims,
    permute_dims,
    reshape,
    stack,
    tile,
)
from weft.api.standard.ranges import arange
from weft.tensors.tensor import Tensor


def define(base: Any) -> type:
    """Return the backend class for weft's tensors, a subclass of `base`, einops' class of backends."""

    class WeftBackend(base):  # type: ignore[misc]
        """The operations that einops needs, for weft's tensors."""

        framework_name = "weft"

        def is_appropriate_type(self, tensor: Any) -> bool:
            return isinstance(tensor, Tensor)

        def from_numpy(self, x: np.ndarray) -> Tensor:
            t = asarray(x)
            return t.requires_grad_() if self.is_float_type(t) else t

        def to_numpy(self, x: Tensor) -> np.ndarray:
            return x.numpy()

        def arange(self, start: int, stop: int) -> Tensor:
            return arange(start, stop)

        def reshape(self, x: Tensor, shape: Any) -> Tensor:
            return reshape(x, tuple(shape))

        def transpose(self, x: Tensor, axes: Any) -> Tensor:
            return permute_dims(x, tuple(axes))

        def reduce(self, x: Tensor, operation: str, axes: Any) -> Tensor:
            return getattr(statistical_functions, operation)(x, axis=tuple(axes))

        def stack_on_zeroth_dimension(self, tensors: list[Tensor]) -> Tensor:
            return stack(tensors)

        def add_axis(self, x: Tensor, new_position: int) -> Tensor:
            return expand_dims(x, axis=new_position)

        def add_axes(self, x: Tensor, n_axes: int, pos2len: dict[int, int]) -> Tensor:
            for position in pos2len:
                x = expand_dims(x, axis=position)
            return broadcast_to(x, tuple(pos2len.get(axis, size) for axis, size in enumerate(x.shape)))

        def tile(self, x: Tensor, repeats: Any) -> Tensor:
            return tile(x, tuple(repeats))

        def concat(self, tensors: list[Tensor], axis: int) -> Tensor:
            return concat(tensors, axis=axis)

        def is_float_type(self, x: Tensor) -> bool:
            return bool(x.dtype.kind == "float")

        def einsum(self, pattern: str, *x: Tensor) -> Tensor:
            return einsum(pattern, *x)

    return WeftBackend
