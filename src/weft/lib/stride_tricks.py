"""Views by strides under the names of numpy.lib.stride_tricks."""

from typing import Any

from weft.api.numpy.foreign_names import missing_in
from weft.api.standard.manipulation_functions import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    sliding_window_view,
)


def __getattr__(name: str) -> Any:
    raise missing_in("lib.stride_tricks", name)


__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]
