"""Native code that searches sorted cells for many values.

The one idea: the steps of a search depend on the number of cells alone, and no branch on a value, so the processor
mispredicts nothing and reads for several searches at the same time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.jit.jit import compiled

TOGETHER = 8  # searches whose reads overlap


@compiled("binary_search", "ptr out, ptr cells, ptr values, i64 n, i64 levels, i64 nans, i64 count")
def binary_search(b: Builder, elem: str, signed: bool, equal: bool) -> None:
    """Emit the search of n sorted cells for `count` values: how many cells each counts, as int64 in `out`.

    There is a cell at least. `levels` is the base 2 logarithm of n, rounded up; NaN counts `nans` cells.  Cells have
    the LLVM type `elem`; with `equal`, those equal to a value are counted.
    """
    whole = b["count"] & -TOGETHER
    for first, stop, lanes in ((b.const("i64", 0), whole, TOGETHER), (whole, b["count"], 1)):
        with b.loop(first, stop, lanes) as i:
            _search(b, elem, signed, equal, [i + k for k in range(lanes)])


def _search(b: Builder, elem: str, signed: bool, equal: bool, numbers: list[Value]) -> None:
    """Emit searches for the values with these numbers, a level of all at a time."""
    values = [b.load(elem, b.gep(b["values"], i, elem)) for i in numbers]
    order = "le" if equal else "lt"

    def counts(value: Value, at: Value) -> Value:  # 1 for a cell that the value counts, else 0
        cell = b.load(elem, b.gep(b["cells"], at, elem))
        return b.cast("zext", cell.compare(f"o{order}", f"{'s' if signed else 'u'}{order}", value), "i64")

    with b.carrying((b["n"], *[b.const("i64", 0)] * len(values)), 0, b["levels"]) as turn:
        left, *places = turn.values
        half = left.lshr(1)
        moved = [at + (half & -counts(v, at + half - 1)) for v, at in zip(values, places, strict=True)]
        turn.values = [left - half, *moved]
    for i, value, at in zip(numbers, values, turn.values[1:], strict=True):
        found = at + counts(value, at)
        b.store(b.select(value.is_nan(), b["nans"], found) if value.type.is_float else found, b.gep(b["out"], i, "i64"))


@cache
def search_routine(dtype: np.dtype, equal: bool) -> Callable[..., None]:
    """Return a native function (out, cells, values, n, levels, nans, count) of addresses and sizes: `binary_search`.

    Cells are integers, float32 or float64. Raises OutOfMemory if there is no memory to compile it.
    """
    elem = {4: "float", 8: "double"}[dtype.itemsize] if dtype.kind == "f" else f"i{8 * dtype.itemsize}"
    address = binary_search(elem, dtype.kind == "i", equal)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 4)(address)
