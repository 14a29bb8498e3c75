"""Blocks without the garbage collector.

The one idea: collecting an object may wait for a lock, so nothing is collected while a thread waits for others, one of
which may hold it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Suspend the garbage collector of the process within the block."""
    was_on = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if was_on:
            gc.enable()
