"""Native code that adds rows to the rows of an array that positions name.

The one idea: rows are added one after the other, so that equal positions add in the order of the rows; the cells of a
row lie in the lanes, and so no order of additions shows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np

from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.jit.fpmode import enter_default, leave_default
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.toolchain import is_supported

LINE = 64  # bytes added at a time


@compiled("add_rows", "ptr out, ptr rows, ptr at, i64 count, i64 width")
def add_rows(b: Builder, elem: str) -> None:
    """Emit out[at[i]] += rows[i] for i < count, for rows of `width` cells without gaps.

    Every position must lie in `out`.
    """
    a, size = b.scope, Type(elem).bits // 8
    lanes = LINE // size
    whole = a["width"] & -lanes
    mode = enter_default(b)

    def add(k: Value, type: Type) -> None:
        there = b.gep(to, k, elem)
        b.store(b.load(type, there) + b.load(type, b.gep(row, k, elem)), there)

    with b.loop(0, a["count"]) as i:
        place = b.load("i64", b.gep(a["at"], i, "i64"))
        to, row = b.gep(a["out"], place * a["width"], elem), b.gep(a["rows"], i * a["width"], elem)
        with b.loop(0, whole, lanes) as k:
            add(k, Type(elem, lanes))
        with b.loop(whole, a["width"]) as k:
            add(k, Type(elem))
    leave_default(b, mode)


@cache
def add_rows_routine(dtype: np.dtype) -> Callable[..., None] | None:
    """Return a native function (out, rows, at, count, width) that adds row i of `rows` to row at[i] of `out`.

    It takes addresses and sizes; cells are integers, float32 or float64.
    None on a processor that kernels are not written for. Raises OutOfMemory if there is no memory to compile it.
    """
    if not is_supported():
        return None
    floats = {4: "float", 8: "double"}
    address = add_rows(floats[dtype.itemsize] if dtype.kind == "f" else f"i{8 * dtype.itemsize}")
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 2)(address)
