"""From a product of matrices to a task: the table that its driver reads.

The one idea: the right operand is read where it lies if few rows read it, or if it is small; else it is copied.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from weft.backends.llvm.emit.words import filled
from weft.backends.llvm.folds.product_driver import (
    AXIS,
    PANELS,
    PRODUCT,
    block_height,
    product_driver,
)
from weft.backends.llvm.folds.product_plan import Product, product_of
from weft.backends.llvm.folds.product_tile import LINE, NEAR, pitch, tile_shape
from weft.backends.llvm.jit.entry import Entry, make_entry
from weft.backends.llvm.jit.kernel_task import KernelTask, holding_code
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.pack_routines import move_routine, rows_routine
from weft.dtypes import from_numpy
from weft.ir.kernels.plan import CallStep, Operand

NEAREST = 1 << 15  # bytes of a right operand that is read again and again where it lies
CLASH = 2048  # bytes between rows that share places in the nearest cache
ROWS = 16  # of a right operand, that are copied to all panels before the next: so many streams of reading
PORTIONS, BLOCKS = 4, 6  # a unit is a fourth of the rows of a matrix, in blocks that are copied, 6 at most
MULTIPLICATIONS = 64  # of 4-byte cells in a nanosecond


@holding_code
def lower_product(p: Product) -> list[KernelTask]:
    """Return the task of a product, in a list."""
    rows, vectors = tile_shape()
    stack = [w for axis in p.stack for w in filled(AXIS, **axis._asdict())]
    blocks = -(-p.rows // _height(p))
    work = min(p.rows, _height(p)) * p.columns * p.steps * p.width / (4 * MULTIPLICATIONS)
    cells = p.rows * p.steps * p.count + p.steps * p.columns * p.rights
    return [KernelTask(
        product_driver(p.elem, rows, vectors), np.array([*_head(p), *stack], np.int64), blocks * p.count,
        cost.UNIT + work, bytes_read=cells * p.width, bytes_written=p.rows * p.columns * p.count * p.width,
        name="product",
    )]  # fmt: skip


def _head(p: Product) -> list[int]:
    """Return the words of the head of a product's table."""
    rows, vectors = tile_shape()
    touching = p.b.column == p.width or p.columns == 1
    packed = not touching or (p.rows > rows and p.steps * p.columns * p.width > NEAREST)
    copied = (p.a.column != p.width and p.steps > 1) or (p.a.row % CLASH == 0 and p.rows > 4)
    line = vectors * LINE // p.width
    panels = min(PANELS, -(-p.columns // line)) if packed else 0
    return filled(
        PRODUCT, copy_a=_copy(p.a.column, p.steps, p.width) if copied else 0,
        copy_b=_copy(p.b.column, p.columns, p.width) if packed else 0, a=p.a.arg, a_at=p.a.offset, a_row=p.a.row,
        a_step=p.a.column, b=p.b.arg, b_at=p.b.offset, b_column=p.b.column, b_step=p.b.row, c=p.c.arg, c_at=p.c.offset,
        c_row=p.c.row, rows=p.rows, columns=p.columns, steps=p.steps, height=_height(p),
        blocks=-(-p.rows // _height(p)), breadth=panels * line or p.columns, together=ROWS if touching else NEAR,
        left=min(p.rows, block_height(p.elem, rows)) * pitch(p.elem) * copied, right=panels * NEAR * vectors * LINE,
        axes=len(p.stack),
    )  # fmt: skip


def _height(p: Product) -> int:
    """Return the rows of a unit: so many blocks that copying the right operand for each takes little time."""
    least = block_height(p.elem, tile_shape()[0])
    return least * min(max(1, p.rows // (least * PORTIONS)), BLOCKS)


def _copy(step: int, cells: int, width: int) -> int:
    """Return the address of the routine that copies rows of so many cells, `step` bytes apart."""
    return rows_routine() if step == width or cells == 1 else move_routine(width)


Layout = tuple[tuple[int, ...], tuple[int, ...]]  # an array's shape and strides


def multiply(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """Compute out = a @ b with kernels; all are float32 or all float64, of native byte order, with one term at least.

    `out` has cells that touch along rows or columns.
    """
    entry = _entry(out.dtype, *[(x.shape, x.strides) for x in (a, b, out)])
    entry(a, 0, b, 0, out, 0)


@lru_cache(maxsize=512)
def _entry(dtype: np.dtype, a: Layout, b: Layout, c: Layout) -> Entry:
    """Return a function (a, 0, b, 0, c, 0) that computes c = a @ b for arrays of these layouts."""
    operands = [Operand(k, 0, strides, from_numpy(dtype)[0]) for k, (_, strides) in enumerate((a, b, c))]
    p = product_of(CallStep("matmul", (operands[0], operands[1]), (a[0], b[0]), operands[2], c[0]))
    assert p is not None, f"internal: no product of {a} and {b}"
    return make_entry(3, {}, (), lower_product(p), interruptible=False)
