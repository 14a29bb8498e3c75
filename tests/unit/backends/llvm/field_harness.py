"""Compiles random fields to loops: over arrays of coordinates, or along a row as kernels run them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from math_harness import _engine, _routine_object, assemble, closure
from scalar_harness import load, store

from weft import dtypes as dt
from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.steps.emitters import apply
from weft.backends.llvm.steps.registers import scalar
from weft.dtypes import DType

_numbers = count()


def slots(scalars: Sequence[tuple[Any, DType]]) -> Any:
    """Scalars in the 16-byte form that kernels read."""
    table = np.zeros((len(scalars), 16), np.uint8)
    for row, (number, dtype) in zip(table, scalars, strict=True):
        if dtype.kind in ("float", "complex"):
            row.view(np.float64)[:] = complex(number).real, complex(number).imag
        else:
            row.view(np.uint64)[0] = int(number) % 2**64
    return table


@cache
def kernel(
    distribution: str, dtype: DType, rank: int, scalars: tuple[DType, ...], lanes: int, cpu: str, row: bool
) -> Any:
    """void(coordinates.., slots, out, n); with `row` the coordinates are one number each and the last one counts up."""
    b = Builder()
    table = b.named("ptr", "%slots")
    registers = [scalar(b, b.gep(table, 16 * k), d, lanes) for k, d in enumerate(scalars)]
    axes = [b.named("ptr", f"%c{k}") for k in range(rank)]
    starts = [b.splat(b.load("i64", p), lanes) for p in axes] if row else []
    with b.loop(0, b.named("i64", "%n"), lanes) as i:
        if row:
            here: list[Value] = [*starts[:-1], starts[-1] + b.splat(i, lanes) + b.iota("i64", lanes)]
        else:
            here = [load(b, p, i, dt.int64, lanes) for p in axes]
        dtypes = [dt.int64] * rank + list(scalars)
        cells = apply(b, "philox", (distribution, rank), [*here, *registers], dtypes, dtype)
        store(b, cells, b.named("ptr", "%out"), i, dtype)
    b.emit("ret void")
    names = ", ".join([f"ptr %c{k}" for k in range(rank)] + ["ptr %slots", "ptr %out", "i64 %n"])
    library = llvm.JITLibraryBuilder().add_object_img(assemble(b.module(b.function("k", names)), cpu))
    for name in closure(b.routines):
        library.add_object_img(_routine_object(name, cpu))
    linked = library.export_symbol("k").link(_engine(), f"field{next(_numbers)}")
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (rank + 2), ctypes.c_int64)(linked["k"]), linked


def native(
    distribution: str,
    dtype: DType,
    coordinates: Sequence[Any],
    scalars: Sequence[tuple[Any, DType]],
    lanes: int = 16,
    cpu: str = "",
    row: int = 0,
    out: Any = None,
) -> Any:
    """The cells at arrays of coordinates, or `row` cells from one coordinate on."""
    function, _ = kernel(distribution, dtype, len(coordinates), tuple(d for _, d in scalars), lanes, cpu, row > 0)
    n = row or len(coordinates[0])
    whole = -(-n // lanes) * lanes
    arrays = [np.resize(np.asarray(c, np.int64), whole) for c in coordinates] if not row else None
    arrays = arrays or [np.array([c], np.int64) for c in coordinates]
    out = np.empty(whole, dtype.np) if out is None else out
    function(*[a.ctypes.data for a in (*arrays, slots(scalars), out)], whole)
    return out[:n]
