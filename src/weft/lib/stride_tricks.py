"""Views by strides under the names of numpy.lib.stride_tricks."""

from weft.api.habits import accept_habits
from weft.api.standard.manipulation_functions import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    sliding_window_view,
)

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]

accept_habits(globals())
