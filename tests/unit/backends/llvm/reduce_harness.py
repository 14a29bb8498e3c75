"""Reductions and scans as hand-made launches, and what they must give: the bits of `weft.ir.kernels.sum_order`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
from launches import Maker, loads, run_tasks

from weft import dtypes as dt
from weft.backends.llvm.folds.reduce_tables import lower_reduce
from weft.backends.llvm.folds.scan_tables import lower_scan
from weft.dtypes import DType
from weft.ir.kernels import sum_order
from weft.ir.kernels.plan import Body, Instr, Operand, ReduceLaunch, Row, ScanLaunch


def same(got: np.ndarray, want: np.ndarray) -> bool:
    """Equal bit for bit, any NaN being equal to any other."""
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    if got.dtype.kind == "c":
        return same(got.real, want.real) and same(got.imag, want.imag)
    raw = f"u{got.itemsize}"
    equal = np.ascontiguousarray(got).view(raw) == np.ascontiguousarray(want).view(raw)
    if got.dtype.kind in "fV" or got.dtype == dt.bfloat16.np:
        equal |= np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64))
    return bool(equal.all())


def body_for(dtype: DType, acc: DType) -> Body:
    """Load, and convert to what is accumulated."""
    steps = loads(dtype)
    return tuple(steps if dtype is acc else [*steps, Instr("astype", acc, (0,))])


def cut_rows(
    body: Body, operands: Sequence[Operand], shape: Sequence[int], cuts: dict[int, Sequence[int]]
) -> list[Row]:
    """The box of that shape as rows, cut at these indices along these axes."""
    spans = [list(pairwise(sorted({0, *cuts.get(a, ()), n}))) if n else [(0, 0)] for a, n in enumerate(shape)]
    rows = []
    for box in product(*spans):
        start, sizes = tuple(lo for lo, _ in box), tuple(hi - lo for lo, hi in box)
        moved = [
            Operand(o.arg, o.offset + sum(a * s for a, s in zip(start, o.strides, strict=True)), *_rest(o))
            for o in operands
        ]
        rows.append(Row(body, sizes, tuple(moved), start=start))
    return rows


def _rest(o: Operand) -> tuple[tuple[int, ...], DType, bool]:
    return o.strides, o.dtype, o.swapped


def run_reduce(
    op: str, x: np.ndarray, kept: int, *, acc: DType | None = None, out: np.ndarray | None = None,
    body: Body | None = None, more: Sequence[np.ndarray] = (), cuts: dict[int, Sequence[int]] | None = None,
    correction: float = 0.0, pieces: int = 1, reorder: bool = False,
) -> np.ndarray:  # fmt: skip
    """Reduce all but the first `kept` axes of x by native code."""
    maker = Maker()
    operands = [maker.operand(a) for a in (x, *more)]
    acc = acc or operands[0].dtype
    body = body or body_for(operands[0].dtype, acc)
    if out is None:
        out = np.full(x.shape[:kept], 77).astype(result_dtype(op, acc).np)
    rows = cut_rows(body, operands, x.shape, cuts or {})
    if reorder:
        rows.reverse()
    launch = ReduceLaunch(op, kept, x.shape, tuple(rows), acc, maker.operand(out), correction)
    run_tasks(lower_reduce(launch), maker.bases(), pieces=pieces)
    return out


def result_dtype(op: str, acc: DType) -> DType:
    """The natural dtype of a result."""
    if op in ("argmin", "argmax", "count_nonzero"):
        return dt.int64
    return dt.bool if op in ("any", "all") else acc


def expected(op: str, values: np.ndarray, kept: int, acc: DType, correction: float = 0.0) -> np.ndarray:
    """The reference's result for the body's values."""
    shape = values.shape[:kept]
    n = int(np.prod(values.shape[kept:], dtype=np.int64))
    flat = np.ascontiguousarray(values).reshape(int(np.prod(shape, dtype=np.int64)), n)
    return sum_order.reduce_rows(op, flat, acc, correction).reshape(shape)


def sample(shape: Sequence[int], dtype: DType, seed: int = 0, near_one: bool = False) -> np.ndarray:
    """Numbers of very different size, or near one (for products); integers from the whole range."""
    rng = np.random.default_rng(seed)
    if dtype is dt.bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.is_integer:
        limits = np.iinfo(dtype.np)
        return rng.integers(limits.min, limits.max, shape, dtype.np, endpoint=True)
    spread = 3 if dtype.bits == 16 and dtype.kind == "float" else 10
    x = rng.standard_normal(shape) * 2.0 ** rng.integers(-spread, spread, shape)
    if near_one:
        x = 1 + x / 2**14
    if dtype.kind == "complex":
        x = x + 1j * rng.standard_normal(shape) * (2**-8 if near_one else 1)
    return np.asarray(x, dtype.np)


def run_scan(
    op: str, x: np.ndarray, *, acc: DType | None = None, out: np.ndarray | None = None, body: Body | None = None,
    more: Sequence[np.ndarray] = (), cuts: dict[int, Sequence[int]] | None = None, include_initial: bool = False,
    pieces: int = 1,
) -> np.ndarray:  # fmt: skip
    """Scan x along its last axis by native code."""
    maker = Maker()
    operands = [maker.operand(a) for a in (x, *more)]
    acc = acc or operands[0].dtype
    body = body or body_for(operands[0].dtype, acc)
    shape = (*x.shape[:-1], x.shape[-1] + include_initial)
    out = np.full(shape, 77).astype(acc.np) if out is None else out
    rows = cut_rows(body, operands, x.shape, cuts or {})
    launch = ScanLaunch(op, x.shape, tuple(rows), acc, maker.operand(out), include_initial)
    run_tasks(lower_scan(launch), maker.bases(), pieces=pieces)
    return out


def expected_scan(op: str, values: np.ndarray, acc: DType, include_initial: bool = False) -> np.ndarray:
    """The reference's scan."""
    n = values.shape[-1]
    flat = np.ascontiguousarray(values).reshape(int(np.prod(values.shape[:-1], dtype=np.int64)), n)
    return sum_order.scan_rows(op, flat, acc, include_initial).reshape(*values.shape[:-1], n + include_initial)
