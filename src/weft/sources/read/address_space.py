"""Reserved address space as large as a file, which takes memory only for the parts read into it.

The one idea: the system allocates a page of memory at its first write, so bytes keep the offsets they have in the file,
and unread bytes cost nothing.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import OutOfMemory
from weft.ir.graph.description import Shape
from weft.ir.pieces.box import Box
from weft.runtime.memory import allocator

PAGE = mmap.PAGESIZE


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
    """Return an array without pages, for planning with values not computed yet.

    `name` is the value in messages.  Raises OutOfMemory if the system has no addresses left.
    """
    return np.ndarray(shape, dtype, addresses(prod(shape) * dtype.itemsize, name))


def pages_of_ranges(extents: NDArray[np.int64]) -> int:
    """Return the bytes of all memory pages that contain ranges (first, end), given in rising order.

    >>> pages_of_ranges(np.array([[0, 4], [8, 12], [5 * PAGE, 6 * PAGE]])) // PAGE
    2
    """
    if not len(extents):
        return 0
    first, last = extents[:, 0] // PAGE, (extents[:, 1] - 1) // PAGE
    shared = int((first[1:] <= last[:-1]).sum())
    return (int((last - first + 1).sum()) - shared) * PAGE


def pages_of_box(box: Box, strides: Sequence[int], itemsize: int) -> int:
    """Return the approximate number of bytes of the memory pages that hold a box of an array with these strides.

    >>> pages_of_box(Box((0, 0), (1, 1), (8, 4)), (2 * PAGE, 8), 8) // PAGE
    8
    """
    steps = sorted([(s * stride, n) for s, stride, n in zip(box.step, strides, box.size, strict=True) if n > 1])
    run, count = itemsize, 1
    for step, n in steps:
        if step <= max(run, PAGE) and count == 1:
            run += step * (n - 1)
        else:
            count *= n
    return count * -(-run // PAGE) * PAGE if box.cells else 0
