"""Returning memory to the system when work over large files ends.

The one idea: pooled blocks, and pages that the C library keeps for decoding threads, speed up the next tile, but only
waste memory after the last one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from weft.runtime.memory.allocator import POOL

_TRIM: Any = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it


@contextmanager
def trim_memory_after() -> Iterator[None]:
    """Return free memory to the system at the end of the block, and keep no block freed later.

    Also a decorator.
    """
    try:
        yield
    finally:
        POOL.disown()
        POOL.drop()
        if _TRIM is not None:
            _TRIM(0)
