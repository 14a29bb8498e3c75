"""Thread counts: of weft's kernels, and of the library behind matrix factorisations.

The one idea: one number applies to both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import threadpoolctl

from weft.backends.llvm.jit import pool
from weft.errors import DTypeError
from weft.runtime.control_groups import cpu_quota
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import ReentrantLock

_LOCK = held_over_forks(ReentrantLock())


class _OneThreadBlocks:
    """The open blocks of `one_library_thread`, of all threads, and the limits that hold while there are any."""

    blocks = 0
    limits: Any = None


def set_num_threads(n: int) -> None:
    """Use at most n threads from now on, the calling one included.

    Raises DTypeError if n is no integer, ValueRangeError if it is not in 1 to 256.
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise DTypeError(f"set_num_threads: {n!r} is no integer; threads are counted; give an integer")
    with _LOCK:
        pool.set_num_threads(int(n))
        _limited(int(n))
        if _OneThreadBlocks.blocks:
            _OneThreadBlocks.limits = _limited(1)


@contextmanager
def one_library_thread() -> Iterator[None]:
    """Return a context manager in which library routines, such as factorisations, use a single thread."""
    with _LOCK:
        _OneThreadBlocks.blocks += 1
        if _OneThreadBlocks.blocks == 1:
            _OneThreadBlocks.limits = _limited(1)
    try:
        yield
    finally:
        with _LOCK:
            _OneThreadBlocks.blocks -= 1
            if not _OneThreadBlocks.blocks:
                _OneThreadBlocks.limits.restore_original_limits()


def _limited(n: int) -> Any:
    """Give the library n threads, and return an object that can restore their number before."""
    return threadpoolctl.threadpool_limits(limits=n, user_api="blas")


def get_num_threads() -> int:
    """Return the greatest number of threads that a call uses, the calling one included."""
    return pool.get_num_threads()


if cpu_quota() is not None and any(x["num_threads"] > get_num_threads() for x in threadpoolctl.threadpool_info()):
    _limited(get_num_threads())  # the library counts processors, and knows no quota
