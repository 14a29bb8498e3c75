"""Returning memory to the system when work over large files ends, and keeping it until then.

The one idea: pooled blocks, and pages that the C library keeps for decoding threads, speed up the next tile, but only
waste memory after the last one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from weft.runtime.memory.allocator import LARGE, POOL

_TRIM: Any = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it
_MALLOPT: Any = getattr(ctypes.CDLL(None), "mallopt", None)
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD
KEPT = 16 << 20  # freed bytes that the C library keeps at most at the end of each of its heaps


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


def keep_freed_memory() -> None:
    """Have the C library keep freed blocks of under 1 MiB, which no pool keeps, for later ones of any size.

    With a threshold of its own in the environment, as workers of Dask have it, it fetches every block of 128 kB and
    more from the system anew, and touching its pages takes longer than computing them.
    """
    if _TRIM is not None and _MALLOPT is not None:
        _MALLOPT(_MMAP_THRESHOLD, LARGE)
        _MALLOPT(_TRIM_THRESHOLD, KEPT)
