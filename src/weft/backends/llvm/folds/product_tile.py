"""Products of small matrices as native code, in an order of additions that is a cell's own.

The one idea: a cell of a product is c = -0.0, then c = fma(a[k], b[k], c) in rising k, whatever is computed beside it.
Its bits follow from its row and column alone: neither tiles nor threads nor the processor show in them.  Vectors
are neighbouring columns, so that no cell is ever split over lanes.
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

ROWS = 6  # of accumulators: with a line of columns, they fill the registers of AVX2
LINE = 64  # bytes of neighbouring columns
NEAR = 256  # steps along the inner axis at a time: a panel of so many lines stays in the nearest cache


def columns_of(itemsize: int) -> int:
    """Return the number of columns of a panel."""
    return LINE // itemsize


@compiled("product_tiles", "ptr c, ptr a, ptr b, i64 count, i64 rows, i64 panels, i64 inner")
def product_tiles(b: Builder, elem: str) -> None:
    """Emit the products of `count` pairs: c (rows, panels · columns) of a (rows, inner) by b (panels, inner, columns).

    `elem` is "float" or "double".  The rows are a multiple of `ROWS`; all arrays are without gaps.
    """
    width = Type(elem).bits // 8
    a, at = b.scope, dict(b.scope)
    mode = enter_default(b)
    with b.loop(0, a["count"]) as number:
        for name, cells in {"a": a["rows"] * a["inner"], "b": a["panels"] * a["inner"] * columns_of(width)}.items():
            at[name] = b.gep(a[name], number * cells * width)
        at["c"] = b.gep(a["c"], number * a["rows"] * a["panels"] * LINE)
        _near(b, at, Type(elem, columns_of(width)))
    leave_default(b, mode)


def _near(b: Builder, at: dict[str, Value], line: Type) -> None:
    """Emit one product: `NEAR` steps of the inner axis at a time, panel by panel, `ROWS` rows at a time."""
    width = line.bits // 8
    with b.loop(0, at["rows"] * at["panels"] * LINE, LINE) as k:
        b.store(b.const(line, -0.0), b.gep(at["c"], k))
    with b.loop(0, at["inner"], NEAR) as first:
        steps = b.smin(at["inner"] - first, NEAR)
        with b.loop(0, at["panels"]) as panel, b.loop(0, at["rows"], ROWS) as row:
            b_at = b.gep(at["b"], (panel * at["inner"] + first) * LINE)
            rows = [b.gep(at["a"], ((row + i) * at["inner"] + first) * width) for i in range(ROWS)]
            cells = [b.gep(at["c"], ((row + i) * at["panels"] + panel) * LINE) for i in range(ROWS)]
            _steps(b, rows, b_at, cells, steps, line)


def _steps(b: Builder, rows: list[Value], panel: Value, cells: list[Value], steps: Value, line: Type) -> None:
    """Emit `steps` steps of the sums of one line of columns, for some rows; the sums are carried in registers."""
    with b.carrying([b.load(line, c) for c in cells], 0, steps) as turn:
        columns = b.load(line, b.gep(panel, turn.i * LINE))
        for i, row in enumerate(rows):
            x = b.load(line.elem, b.gep(row, turn.i, line.elem))
            turn.values[i] = b.fma(b.splat(x, line.lanes), columns, turn.values[i])
    for value, c in zip(turn.values, cells, strict=True):
        b.store(value, c)


@cache
def product_routine(dtype: np.dtype) -> Callable[..., None] | None:
    """Return the function (c, a, b, count, rows, panels, inner) of addresses and sizes, for float32 or float64.

    None on a processor that kernels are not written for.
    """
    if not is_supported():
        return None
    address = product_tiles({4: "float", 8: "double"}[dtype.itemsize])
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 4)(address)
