"""From a product of matrices to a task: the table that its driver reads.

The one idea: the right operand is read where it lies if few rows read it, or if it is small; else it is copied.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from weft.backends.llvm.emit.processor import second_cache
from weft.backends.llvm.emit.words import filled
from weft.backends.llvm.folds.product_driver import (
    AXIS,
    PRODUCT,
    block_height,
    product_driver,
    product_mirror,
)
from weft.backends.llvm.folds.product_lanes import in_lanes, lower_lanes
from weft.backends.llvm.folds.product_plan import FEW, Product, product_of
from weft.backends.llvm.folds.product_tile import LINE, NEAR, tile_shape
from weft.backends.llvm.folds.reduce_tables import lower_reduce
from weft.backends.llvm.jit.entry import Entry, make_entry
from weft.backends.llvm.jit.kernel_task import KernelTask, holding_code
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.pack_routines import move_routine, rows_routine
from weft.dtypes import from_numpy
from weft.ir.graph.description import FIXED_ORDER
from weft.ir.kernels.plan import CallStep, Operand

NEAREST = 1 << 15  # bytes of a right operand that is read again and again where it lies
FEW_TILES = 4  # of rows: they read a right operand that fills the second cache for less than copying it takes
SOME_TILES = 10  # the same of an operand that half of that cache holds: less is pushed out by what else is read
CLASH = 4096  # bytes between rows that all share their places in the nearest cache
ROWS = 16  # of a right operand, that are copied to all panels before the next: so many streams of reading
PORTIONS, BLOCKS = 4, 6  # threads copy the right operand once for a fourth of the rows, and 6 blocks at most
UNITS, COPIED_UNITS = 8, 4  # of a product at least, if each has enough to do; of one whose left operand is copied
ENOUGH = 5_000  # nanoseconds of work of a unit that is part of a block of rows
MULTIPLICATIONS = 100  # of 4-byte cells in a nanosecond, about, where vectors are of 64 bytes


@holding_code
def lower_product(p: Product) -> list[KernelTask]:
    """Return the tasks of a matrix product: one, or those of a reduction if it is better computed as sums."""
    if (sums := p.as_sums) is not None:
        return lower_reduce(sums)
    if in_lanes(p):
        return [lower_lanes(p)]
    rows, vectors = tile_shape()
    height = block_height(p.elem, rows)
    blocks = -(-p.rows // height)
    together = min(max(1, p.rows // (height * PORTIONS)), BLOCKS)
    cells = p.rows * p.steps * p.count + p.steps * p.columns * p.right_count
    p = _in_parts(p, blocks)
    stack = [w for axis in p.stack for w in filled(AXIS, **axis._asdict())]
    work = _nanoseconds(p) / blocks
    return [KernelTask(
        product_driver(p.elem, rows, vectors), np.array([*_head(p), *stack], np.int64), blocks * p.count,
        cost.UNIT + work, product_mirror(p.elem, vectors) if _may_mirror(p) else 0, bytes_read=cells * p.width,
        bytes_written=p.rows * p.columns * p.count * p.width, name="product", together=together,
    )]  # fmt: skip


def _in_parts(p: Product, blocks: int) -> Product:
    """Return a product of few blocks of rows cut into parts of its columns, each of as many whole panels.

    For each part the left operand is copied anew, if it is.
    """
    panels, rest = divmod(p.columns * p.width, tile_shape()[1] * LINE)
    units = COPIED_UNITS if "copy_a" in _left_words(p) else UNITS
    most = min(units // (blocks * p.count), int(_nanoseconds(p) / (blocks * ENOUGH)))
    if rest or most < 2 or _may_mirror(p):
        return p
    parts = next(k for k in range(min(most, panels), 0, -1) if panels % k == 0)
    return p.cut(p.columns // parts) if parts > 1 else p


def _nanoseconds(p: Product) -> float:
    """Return the nanoseconds that the multiplications of one matrix of the stack take at their best."""
    return p.rows * p.columns * p.steps * p.width / (4 * MULTIPLICATIONS)


def _head(p: Product) -> list[int]:
    """Return the words of the head of a product's table."""
    rows, vectors = tile_shape()
    height, line = block_height(p.elem, rows), vectors * LINE
    touching = p.b.column == p.width or p.columns == 1
    packed = not touching or (p.rows > _read_in_place(p.steps * p.columns * p.width) * rows)
    panels = min(second_cache() // 2 // (NEAR * line), -(-p.columns * p.width // line)) if packed else 0
    return filled(
        PRODUCT, a=p.a.arg, a_at=p.a.offset, a_row=p.a.row, a_step=p.a.column, b=p.b.arg, b_at=p.b.offset,
        b_column=p.b.column, b_step=p.b.row, c=p.c.arg, c_at=p.c.offset, c_row=p.c.row,
        copy_b=_copy(p.b.column, p.columns, p.width) if packed else 0, rows=p.rows, columns=p.columns, steps=p.steps,
        height=height, blocks=-(-p.rows // height), breadth=panels * line // p.width or p.columns,
        together=ROWS if touching else NEAR, right=panels * NEAR * line, axes=len(p.stack), **_left_words(p),
        mirror=move_routine(p.width) if _may_mirror(p) else 0, matrices=p.count,
        next=p.stack[0].a if p.stack and p.rows * p.steps * p.width <= NEAREST else 0,
    )  # fmt: skip


def _may_mirror(p: Product) -> bool:
    """True if a product, if both its operands are one matrix, is wide enough to copy half from the other half."""
    return p.facing and p.columns * p.width > 2 * LINE * tile_shape()[1]


def _read_in_place(nbytes: int) -> float:
    """Return the most tiles of rows for which a right operand of so many bytes is read where it lies."""
    limits = ((NEAREST, inf), (second_cache() // 2, SOME_TILES), (second_cache(), FEW_TILES))
    return next((tiles for most, tiles in limits if nbytes <= most), 1)


def _left_words(p: Product) -> dict[str, int]:
    """Return the words that say how tiles read the left operand: where it lies, or from a copy."""
    rows, row, step = min(p.rows, block_height(p.elem, tile_shape()[0])), p.a.row, p.a.column
    touching = step == p.width or p.steps == 1
    across = row == p.width and not touching
    near = touching or (across and p.steps * step <= NEAREST)
    if rows <= FEW or (near and (step if across else row) % CLASH):
        return {"left_row": row, "left_step": step}
    if across:
        apart = -(-rows * p.width // LINE) * LINE + LINE
        nbytes = apart * min(p.steps, NEAR)
        return {"left_row": p.width, "left_step": apart, "left": nbytes, "copy_a": rows_routine(), "turned": 1}
    apart = NEAR * p.width + LINE
    return {"left_row": apart, "left_step": p.width, "left": apart * rows, "copy_a": _copy(step, p.steps, p.width)}


def _copy(step: int, cells: int, width: int) -> int:
    """Return the address of a routine that copies rows of `cells` cells of `width` bytes, `step` bytes apart."""
    return rows_routine() if step == width or cells == 1 else move_routine(width)


Layout = tuple[tuple[int, ...], tuple[int, ...]]  # an array's shape and strides


def multiply(out: np.ndarray, a: np.ndarray, b: np.ndarray, attrs: tuple[Any, ...] = FIXED_ORDER) -> None:
    """Compute out = a @ b with kernels, for arrays that are all float32 or all float64.

    They are of native byte order and have at least one term; cells of `out` touch along rows or columns; `attrs` are
    those of `matmul`.
    """
    entry = _entry(attrs, out.dtype, *[(x.shape, x.strides) for x in (a, b, out)])
    entry(a, 0, b, 0, out, 0)


@lru_cache(maxsize=512)
def _entry(attrs: tuple[Any, ...], dtype: np.dtype, a: Layout, b: Layout, c: Layout) -> Entry:
    """Return compiled code f(a, 0, b, 0, c, 0) that computes c = a @ b for these layouts.

    A layout is (shape, strides).
    """
    operands = [Operand(k, 0, strides, from_numpy(dtype)[0]) for k, (_, strides) in enumerate((a, b, c))]
    p = product_of(CallStep("matmul", (operands[0], operands[1]), (a[0], b[0]), operands[2], c[0], attrs))
    assert p is not None, f"internal: no product of {a} and {b}"
    return make_entry(3, {}, (), lower_product(p), interruptible=False)
