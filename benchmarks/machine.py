"""This machine: what it is, and how long moving a row's bytes or computing its products takes at least.

The one idea: a limit is a contender like any other; it takes its turn beside the row, so both meet the same machine.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.timing import best_of

PIECE = 1 << 18  # bytes below which one thread moves all


def moving(read: int, written: int, threads: int) -> Callable[[], object]:
    """Read and write so many bytes once, in memory that is already there, shared out among threads."""
    share = threads if read + written > PIECE else 1
    jobs = [_moving(read // share, written // share) for _ in range(share)]
    if share == 1:
        return jobs[0]
    pool = _pool(share)
    return lambda: [f.result() for f in [pool.submit(job) for job in jobs]]


def _moving(read: int, written: int) -> Callable[[], object]:
    """Copy what is both read and written, then read or write the rest."""
    both = min(read, written)
    x, y = np.ones(max(both, 1), np.uint8), np.empty(max(both, 1), np.uint8)
    extra = np.ones(max((read - both) // 4, 2), np.float32)
    half, filled = extra.size // 2, np.empty(max(written - both, 1), np.uint8)

    def run() -> None:
        np.copyto(y, x)
        np.dot(extra[:half], extra[half : 2 * half])
        filled.fill(0)

    return run


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads)


@cache
def flops(dtype: str) -> float:
    """Return the operations a second of a large product of the linear algebra library."""
    x = np.ones((1024, 1024), dtype if dtype in ("float64", "complex64", "complex128") else "float32")
    return 2 * 1024**3 * (4 if x.dtype.kind == "c" else 1) / best_of({"product": lambda: x @ x}, budget=0.5)["product"]


def reading(nbytes: int) -> Callable[[], object]:
    """Read so many bytes once, by one thread."""
    return _moving(nbytes, 0)


def copying(nbytes: int) -> Callable[[], object]:
    """Read half of so many bytes and write as many, by one thread."""
    return _moving(nbytes // 2, nbytes // 2)


def facts() -> dict[str, Any]:
    """Return what the machine is: no name of it, no path on it."""
    import llvmlite.binding as llvm

    return {
        "processor": llvm.get_host_cpu_name(),
        "processors": len(os.sched_getaffinity(0)),
        "caches": caches(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def caches() -> dict[str, int]:
    """Return the bytes of the data caches by level, as far as the system tells."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            found[f"L{level}"] = int(size.rstrip("K")) << 10
    return found


def bandwidth(threads: int) -> dict[str, float]:
    """Return the bytes a second of reading, writing and copying 256 MiB, and the operations of products."""
    n = 1 << 28
    runs = {
        "read": moving(n, 0, threads), "write": moving(0, n, threads), "copy": moving(n // 2, n // 2, threads),
    }  # fmt: skip
    with threadpool_limits(threads):
        speeds = {name: n / seconds for name, seconds in best_of(runs, 7).items()}
        return speeds | {f"flops_{dtype}": flops.__wrapped__(dtype) for dtype in ("float32", "float64")}
