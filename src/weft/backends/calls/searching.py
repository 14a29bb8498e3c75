"""Searching in sorted cells.

The one idea: a search for one of many values mispredicts every other branch, so many values are searched for by native
code without branches; NaN is above all numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.backends.calls.cells import wide
from weft.backends.llvm.folds.binary_search import search_routine
from weft.backends.llvm.jit.toolchain import is_supported
from weft.backends.thread_sharing import share

PART = 1 << 16  # values that are searched for at a time
FEW = 1 << 11  # values up to which NumPy searches
MANY = 32  # cells per value from which checking that values ascend takes longer than searching


def searchsorted(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write to `out` the positions at which values are to be inserted into sorted x; args = (x, values).

    `attrs` is (side,): "left" or "right" of equal cells. Raises OutOfMemory if there is none to compile with.
    """
    (x, values), (side,) = (
        (wide(a) if a.dtype != bool else a.view(np.uint8) != 0 for a in args),
        attrs,
    )  # any byte is true
    few = values.size < FEW or x.size > MANY * values.size or not x.size
    if few or not is_supported() or x.dtype.kind not in "iuf" or not _rises(x):
        out[...] = np.searchsorted(x, values, side=side)
        return
    x, flat = (np.ascontiguousarray(a.reshape(-1), a.dtype.newbyteorder("=")) for a in (x, values))
    found = out.reshape(-1) if out.flags.c_contiguous else np.empty(flat.size, np.int64)
    search, nans = search_routine(x.dtype, side == "right"), x.size if side == "right" else x.size - _nans(x)
    levels = (x.size - 1).bit_length()

    def write(part: slice) -> None:
        here, given = found[part], flat[part]
        search(*[a.ctypes.data for a in (here, x, given)], x.size, levels, nans, given.size)

    share([slice(first, first + PART) for first in range(0, flat.size, PART)], write, flat.nbytes)
    if not out.flags.c_contiguous:
        out[...] = found.reshape(out.shape)


def _nans(x: np.ndarray) -> int:
    return int(np.count_nonzero(x != x))


def _rises(x: np.ndarray) -> bool:
    """True if cells are in rising order, with NaN last."""
    numbers = x[: x.size - _nans(x)]
    return not (numbers[1:] < numbers[:-1]).any() and not (numbers != numbers).any()
