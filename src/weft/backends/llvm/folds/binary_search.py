"""Native code that searches sorted cells for many values.

The one idea: the steps of a search depend on the number of cells alone, and no branch on a value, so the processor
mispredicts nothing and reads for several searches at the same time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.jit.jit import compiled

TOGETHER = 8  # searches whose reads overlap


@dataclass(frozen=True)
class Search:
    """A search's cells: kind ("u", "i" or "f") and bits; and whether cells equal to the value are counted."""

    kind: str
    bits: int
    equal: bool

    @property
    def elem(self) -> str:
        return {32: "float", 64: "double"}[self.bits] if self.kind == "f" else f"i{self.bits}"


@compiled("binary_search", "ptr out, ptr cells, ptr values, i64 n, i64 levels, i64 nans, i64 count")
def binary_search(b: Builder, search: Search) -> None:
    """Emit the search of n sorted cells for `count` values: how many cells each counts, as int64 in `out`.

    There is a cell at least. `levels` is the base 2 logarithm of n, rounded up; NaN counts `nans` cells.
    """
    whole = b["count"] & -TOGETHER
    for first, stop, lanes in ((b.const("i64", 0), whole, TOGETHER), (whole, b["count"], 1)):
        with b.loop(first, stop, lanes) as i:
            _search(b, search, [i + k for k in range(lanes)])


def _search(b: Builder, search: Search, numbers: list[Value]) -> None:
    """Emit searches for the values with these numbers, a level of all at a time."""
    values = [b.load(search.elem, b.gep(b["values"], i, search.elem)) for i in numbers]

    below = ("ole", "sle", "ule") if search.equal else ("olt", "slt", "ult")

    def counts(value: Value, at: Value) -> Value:  # 1 for a cell that the value counts, else 0
        cell = b.load(search.elem, b.gep(b["cells"], at, search.elem))
        return b.cast("zext", cell.compare(below[0], below[1 if search.kind == "i" else 2], value), "i64")

    with b.carrying((b["n"], *[b.const("i64", 0)] * len(values)), 0, b["levels"]) as turn:
        left, *places = turn.values
        half = left.lshr(1)
        moved = [at + (half & -counts(v, at + half - 1)) for v, at in zip(values, places, strict=True)]
        turn.values = [left - half, *moved]
    for i, value, at in zip(numbers, values, turn.values[1:], strict=True):
        found = at + counts(value, at)
        b.store(b.select(value.is_nan(), b["nans"], found) if search.kind == "f" else found, b.gep(b["out"], i, "i64"))


@cache
def search_routine(dtype: np.dtype, equal: bool) -> Callable[..., None]:
    """Return a native function (out, cells, values, n, levels, nans, count) of addresses and sizes: `binary_search`.

    Cells are integers, float32 or float64. Raises OutOfMemory if there is no memory to compile it.
    """
    address = binary_search(Search(dtype.kind, 8 * dtype.itemsize, equal))
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 4)(address)
