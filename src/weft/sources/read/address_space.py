"""Memory that is addresses alone: as large as a file, and no larger than what is read into it.

The one idea: the system gives a page of memory when it is first written, so bytes keep the places that they have in a
file, and those never read cost nothing.
"""

from __future__ import annotations

import mmap
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import OutOfMemory
from weft.ir.graph.description import Shape
from weft.runtime.memory import allocator


def addresses(nbytes: int, name: str) -> NDArray[np.uint8]:
    """Return `nbytes` bytes of memory that takes a page only when the page is first written.

    Raises OutOfMemory if the system has no addresses left; `name` is the file in the message.

    >>> len(addresses(1 << 36, "doc"))
    68719476736
    """
    if nbytes < allocator.LARGE:
        return np.empty(nbytes, np.uint8)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
    try:
        return np.frombuffer(mmap.mmap(-1, nbytes, flags=flags), np.uint8)
    except (OSError, ValueError, OverflowError) as e:
        raise OutOfMemory(
            f"file: {name}: no addresses for {nbytes} bytes; the system limits them; open a smaller file"
        ) from e


def stand_in_array(dtype: np.dtype[Any], shape: Shape, name: str) -> NDArray[Any]:
    """Return an array over memory of this kind, for plans of values that are not there yet; raises OutOfMemory."""
    return np.ndarray(shape, dtype, addresses(prod(shape) * dtype.itemsize, name))
