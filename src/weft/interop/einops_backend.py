"""The backend of einops for tensors: the operations of `rearrange`, `reduce`, `repeat`, `pack` and `einsum`.

The one idea: it is einops' backend of NumPy over weft's functions of the same names, so a tensor rearranged by einops
is a view.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from weft.api.standard.creation_functions import asarray
from weft.api.standard.manipulation_functions import broadcast_to, expand_dims
from weft.tensors.tensor import Tensor


def define(base: Any) -> type:
    """Return the backend class for weft's tensors, a subclass of `base`, einops' class for NumPy's arrays."""

    class WeftBackend(base):  # type: ignore[misc]
        """The operations that einops needs, for weft's tensors."""

        framework_name = "weft"

        def __init__(self) -> None:
            self.np = sys.modules["weft"]

        def is_appropriate_type(self, tensor: Any) -> bool:
            return isinstance(tensor, Tensor)

        def from_numpy(self, x: np.ndarray) -> Tensor:
            t = asarray(x)
            return t.requires_grad_() if t.dtype.kind == "float" else t  # type: ignore[attr-defined, no-any-return]

        def to_numpy(self, x: Tensor) -> np.ndarray:
            return x.numpy()

        def add_axes(self, x: Tensor, n_axes: int, pos2len: dict[int, int]) -> Tensor:
            for position in pos2len:
                x = expand_dims(x, axis=position)
            return broadcast_to(x, tuple(pos2len.get(axis, size) for axis, size in enumerate(x.shape)))

    return WeftBackend
