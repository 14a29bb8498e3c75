"""Thread counts: of weft's kernels, and of the library behind matrix factorisations.

The one idea: one number applies to both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import threadpoolctl

from weft.backends.llvm.jit import pool
from weft.errors import DTypeError
from weft.runtime.fork_safety import held_over_forks

_LOCK = held_over_forks(RLock())
_ALONE = 0  # open blocks of `one_library_thread`, of all threads


def set_num_threads(n: int) -> None:
    """Use at most n threads from now on, the calling one included.

    Raises DTypeError if n is no integer, ValueRangeError if it is not in 1 to 256.
    """
    if not hasattr(n, "__index__"):
        raise DTypeError(f"set_num_threads: {n!r} is no integer; threads are counted; give an integer")
    pool.set_num_threads(int(n))
    threadpoolctl.threadpool_limits(limits=int(n), user_api="blas")


@contextmanager
def one_library_thread() -> Iterator[None]:
    """Return a context manager in which library routines, such as factorisations, use a single thread."""
    _count_alone(1)
    try:
        yield
    finally:
        _count_alone(-1)


def _count_alone(change: int) -> None:
    """Add `change` to the number of open `one_library_thread` blocks, and set the library's threads.

    The library has one thread while any block is open.
    """
    global _ALONE
    with _LOCK:
        _ALONE += change
        threadpoolctl.threadpool_limits(limits=1 if _ALONE else pool.get_num_threads(), user_api="blas")


def get_num_threads() -> int:
    """Return the greatest number of threads that a call uses, the calling one included."""
    return pool.get_num_threads()
