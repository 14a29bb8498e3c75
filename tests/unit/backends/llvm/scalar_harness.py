"""Runs one elementwise op over NumPy arrays, through memory and back, for any lane count and CPU.

`run("add", x, y)` compiles decode, the op and encode into one loop, calls it and gives the result as a NumPy array.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from math_harness import IS_X86, _engine, _routine_object, assemble, closure

from weft import dtypes as dt
from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.steps.emitters import apply
from weft.backends.llvm.steps.registers import constant, decode, encode, part_count, raw_elem, scalar
from weft.dtypes import DType
from weft.ir.graph.ops import OPS, resolve

LANES = 16
VARIANTS = [("", 16), ("", 64)] + ([("x86-64-v3", 16)] if IS_X86 else [])
_numbers = count()


def load(b: Builder, pointer: Value, i: Value, dtype: DType, lanes: int) -> Any:
    """Cells [i, i + lanes) of an array as a register."""
    t, n = Type(raw_elem(dtype), lanes), part_count(dtype)
    raw = b.load(Type(t.elem, lanes * n), b.gep(pointer, i, f"[{n} x {t.elem}]"))
    return decode(b, [raw] if n == 1 else [b.shuffle(raw, range(k, 2 * lanes, 2)) for k in (0, 1)], dtype)


def store(b: Builder, reg: Any, pointer: Value, i: Value, dtype: DType) -> None:
    raw = encode(b, reg, dtype)
    n = len(raw)
    lanes = raw[0].type.lanes
    whole = raw[0] if n == 1 else b.shuffle(raw[0], [k // 2 + lanes * (k % 2) for k in range(2 * lanes)], raw[1])
    b.store(whole, b.gep(pointer, i, f"[{n} x {raw[0].type.elem}]"))


def source(op: str, attr: object, dtypes: Sequence[DType], result: DType, lanes: int) -> tuple[str, set[str]]:
    """IR of `void @k(ptr argument.., ptr result, i64 n)`, n a multiple of the lanes, and the routines it calls."""
    b = Builder()
    with b.loop(0, b.named("i64", "%n"), lanes) as i:
        regs = [load(b, b.named("ptr", f"%p{k}"), i, d, lanes) for k, d in enumerate(dtypes)]
        made = apply(b, op, attr, regs, dtypes, result)
        store(b, made, b.named("ptr", "%out"), i, result)
    b.emit("ret void")
    arguments = ", ".join([f"ptr %p{k}" for k in range(len(dtypes))] + ["ptr %out", "i64 %n"])
    return b.module(b.function("k", arguments)), b.routines


@cache
def kernel(op: str, attr: object, dtypes: tuple[DType, ...], result: DType, lanes: int = LANES, cpu: str = "") -> Any:
    """A native function (pointers.., n) and what keeps it alive."""
    text, routines = source(op, attr, dtypes, result, lanes)
    library = llvm.JITLibraryBuilder().add_object_img(assemble(text, cpu))
    for name in closure(routines):
        library.add_object_img(_routine_object(name, cpu))
    linked = library.export_symbol("k").link(_engine(), f"scalar{next(_numbers)}")
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(dtypes) + 1), ctypes.c_int64)(linked["k"])
    return function, linked


def call(op: str, arrays: Sequence[Any], result: DType, attr: object = None, lanes: int = LANES, cpu: str = "") -> Any:
    """The op on equally long 1-d arrays; the result has `result`'s NumPy dtype."""
    dtypes = tuple(dt.from_numpy(a.dtype)[0] for a in arrays)
    function, _ = kernel(op, attr, dtypes, result, lanes, cpu)
    n = len(arrays[0])
    whole = -(-n // lanes) * lanes
    padded = [np.resize(np.ascontiguousarray(a), whole) for a in arrays]
    out = np.empty(whole, result.np)
    function(*[a.ctypes.data for a in (*padded, out)], whole)
    return out[:n]


def result_dtype(op: str, *dtypes: DType) -> DType:
    """Return the dtype of the result for operands of one dtype, by the op table."""
    return resolve(OPS[op], *dtypes)[1]


def run(op: str, *arrays: Any, attr: object = None, result: DType | None = None) -> Any:
    """The op by every variant of code (lanes, CPU). They must agree in every bit, any NaN equal to any other."""
    result = result or result_dtype(op, *(dt.from_numpy(a.dtype)[0] for a in arrays))
    got = [call(op, arrays, result, attr, lanes, cpu) for cpu, lanes in VARIANTS]
    for other in got[1:]:
        assert_same(other, got[0], arrays)
    return got[0]


def assert_same(got: Any, want: Any, arrays: Sequence[Any] = ()) -> None:
    """Equal bit for bit, but for the bits of NaN."""
    assert got.dtype == want.dtype, f"{got.dtype} is not {want.dtype}"
    is_complex = got.dtype.kind == "c" or got.dtype.names is not None
    part = got.dtype.itemsize // (2 if is_complex else 1)
    bits = f"u{part}"
    g, w = (np.ascontiguousarray(a).view(bits).reshape(len(a), -1) for a in (got, want))
    bad = g != w
    if got.dtype.kind not in "biu":
        real = np.dtype(f"f{part}") if is_complex else got.dtype
        with np.errstate(invalid="ignore"):  # signalling NaNs
            bad &= ~(np.isnan(g.view(real)) & np.isnan(w.view(real)))
    where = np.flatnonzero(bad.any(axis=1))
    lines = [f"{[a[k] for a in arrays]}: got {got[k]!r}, want {want[k]!r}" for k in where[:5]]
    assert not len(where), f"{len(where)} of {len(got)} differ; " + "; ".join(lines)


def kernel_of_slots(dtype: DType, number: Any = None) -> Any:
    """A function from a 16-byte slot (or from nothing, for a constant) to 16 cells."""
    function, keep = _slot_kernel(dtype, repr(number), Keep(number))

    def fill(slot: Any) -> Any:
        out = np.empty(16, dtype.np)
        function(slot, out.ctypes.data)
        return out

    fill.keep = keep  # type: ignore[attr-defined]
    return fill


class Keep:
    """Carries a number past a cache that must not compare it (0.0 == -0.0, nan != nan)."""

    def __init__(self, number: Any) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keep)

    def __hash__(self) -> int:
        return 0


@cache
def _slot_kernel(dtype: DType, spelling: str, keep: Keep) -> Any:
    b = Builder()
    slot, number = b.named("ptr", "%s"), keep.number
    made = scalar(b, slot, dtype, LANES) if number is None else constant(b, number, dtype, LANES)
    store(b, made, b.named("ptr", "%out"), b.const("i64", 0), dtype)
    b.emit("ret void")
    library = llvm.JITLibraryBuilder().add_object_img(assemble(b.module(b.function("k", "ptr %s, ptr %out"))))
    linked = library.export_symbol("k").link(_engine(), f"slot{next(_numbers)}")
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(linked["k"]), linked
