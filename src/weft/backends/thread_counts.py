"""Thread counts: of weft's kernels, and of the library behind matrix products.

The one idea: one number for all of them.
"""

from __future__ import annotations

import threadpoolctl

from weft.backends.llvm.jit import pool
from weft.errors import DTypeError


def set_num_threads(n: int) -> None:
    """Use at most n threads, the calling one included.

    Raises DTypeError if n is no integer, ValueRangeError if it is not in 1 to 256.
    """
    if not hasattr(n, "__index__"):
        raise DTypeError(f"set_num_threads: {n!r} is no integer; threads are counted; give an integer")
    pool.set_num_threads(int(n))
    threadpoolctl.threadpool_limits(limits=int(n), user_api="blas")


def get_num_threads() -> int:
    """Return the greatest number of threads that a call uses."""
    return pool.get_num_threads()
