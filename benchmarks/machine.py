"""The limits of this machine: how long moving a case's bytes takes when nothing else is done with them.

The one idea: a limit is a contender like any other; it takes its turn beside the case, so both meet the same machine.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable

import llvmlite.binding as llvm
import numpy as np

SIZE = 1 << 22  # cells of the arrays, as in the cases


def reading(nbytes: int) -> Callable[[], object]:
    """Reads so many bytes once: the dot product of two halves (BLAS, the threads it is limited to)."""
    x = np.ones(max(nbytes // 4, 2), np.float32)
    half = x.size // 2
    return lambda: np.dot(x[:half], x[half : 2 * half])


def copying(nbytes: int) -> Callable[[], object]:
    """Reads half of so many bytes and writes as many into memory that is already there."""
    x = np.ones(max(nbytes // 8, 1), np.float32)
    y = np.empty_like(x)
    return lambda: np.copyto(y, x)


def describe() -> str:
    """One line: processor, cores, Python, NumPy."""
    cpu = f"{llvm.get_host_cpu_name()}, {os.cpu_count()} cores"
    return f"{cpu}, Python {platform.python_version()}, NumPy {np.__version__}"
