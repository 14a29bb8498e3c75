"""Views by strides under the names of numpy.lib.stride_tricks."""

from __future__ import annotations

from typing import Any

from weft.api.arguments import as_tensor, flag
from weft.api.habits import accept_habits
from weft.api.standard.manipulation_functions import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    sliding_window_view,
)
from weft.tensors.tensor import Tensor


def as_strided(x: Any, /, shape: Any = None, strides: Any = None, *, writeable: bool = True) -> Tensor:
    """Return a view of the memory of x, from its first cell on, with another shape and strides in bytes.

    The shape and strides are by default those of x, the strides of another shape row-major. Raises ShapeError for cells
    outside the memory of x, or another number of strides than axes, DTypeError for sizes and strides that are no
    integers.

    >>> import weft
    >>> x = weft.arange(5, dtype=weft.int16)
    >>> weft.lib.stride_tricks.as_strided(x, shape=(3, 3), strides=(2, 2)).tolist()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    t: Any = as_tensor(x)
    locked = t.read_only or not flag("as_strided", "writeable", writeable)
    storage = t.storage
    strides = t.strides if shape is None and strides is None else strides
    return storage.tensor(
        t.shape if shape is None else shape, strides=strides, unit=1, offset=t.offset, dtype=t.dtype,
        byteorder=t.byteorder, read_only=locked,
    )  # fmt: skip


__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]

accept_habits(globals())
