"""From a product of matrices to a task: the table that its driver reads.

The one idea: the right operand is read where it lies if few rows read it, or if it is small; else it is copied.
In stacks of small products, calls of tiles take longer than the products: as many matrices as a vector has lanes are
packed, with their equal cells side by side, and one fused multiply-add serves them all.  A cell adds its chain in the
order of tiles (`product_tile`), with the same bits.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.emit.processor import second_cache
from weft.backends.llvm.emit.words import Words, filled, layout, word
from weft.backends.llvm.folds.product_driver import (
    AXIS,
    PRODUCT,
    block_height,
    product_driver,
    product_mirror,
)
from weft.backends.llvm.folds.product_plan import FEW, MatrixOperand, Product, product_of
from weft.backends.llvm.folds.product_stack import lower_stack, stack_tile
from weft.backends.llvm.folds.product_tile import LINE, NEAR, multiply_add, tile_shape
from weft.backends.llvm.folds.product_windows import windows_routine
from weft.backends.llvm.folds.reduce_tables import lower_reduce
from weft.backends.llvm.jit.entry import Entry, make_entry
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import RUN, KernelTask, holding_code
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.pack_routines import CELLS, move_routine, rows_routine
from weft.dtypes import from_numpy
from weft.ir.graph.description import FIXED_ORDER
from weft.ir.kernels.plan import CallStep, Operand

NEAREST = 1 << 15  # most bytes of a right operand that is never copied: it stays in the nearest cache
FEW_TILES = 4  # tiles of rows for which reading in place beats copying, if b just fits the second cache
SOME_TILES = 10  # the same if b fits half of the second cache, so that other reads push out less of it
CLASH = 4096  # a distance of rows, in bytes, at which all of them compete for the same places of the nearest cache
ROWS = 16  # rows of the right operand copied to all panels before the next ones: streams read at a time
PORTIONS, BLOCKS = 4, 6  # the right operand is copied once for 1 / PORTIONS of the rows, or for BLOCKS blocks if fewer
UNITS, COPIED_UNITS = 8, 4  # least units of a product, if each has ENOUGH work; the same if the left operand is copied
ENOUGH = 5_000  # least nanoseconds of work in a unit that is part of a block of rows
READ = 0.02  # nanoseconds to read a byte of the right operand from the second or third cache
MULTIPLICATIONS = 100  # of 4-byte cells per nanosecond, about, with vectors of 64 bytes


@holding_code
def lower_product(p: Product) -> list[KernelTask]:
    """Return the tasks of a matrix product: one, or those of a reduction if it is better computed as sums."""
    if (sums := p.as_sums) is not None:
        return lower_reduce(sums)
    if in_lanes(p):
        return [lower_lanes(p)]
    if (tile := stack_tile(p)) is not None and "copy_a" not in _left_words(p):
        return [lower_stack(p, tile, _nanoseconds(p))]
    rows, vectors = tile_shape()
    height = block_height(p.elem, rows)
    blocks = -(-p.rows // height)
    cells = p.rows * p.steps * p.count + p.steps * p.columns * p.right_count
    together = min(max(1, p.rows // (height * PORTIONS)), BLOCKS)
    if (parts := _parts(p, blocks)) > 1:
        p, together = p.cut(p.columns // parts), blocks
    stack = [w for axis in p.stack for w in filled(AXIS, **axis._asdict())]
    offsets = np.zeros(1, np.int64)
    for size, apart in p.step_axes:
        offsets = np.add.outer(offsets, apart * np.arange(size)).reshape(-1)
    work = _nanoseconds(p) / blocks
    return [KernelTask(
        product_driver(p.elem, rows, vectors), np.array([*_head(p), *stack, *offsets], np.int64), blocks * p.count,
        cost.UNIT + work, product_mirror(p.elem, vectors) if _may_mirror(p) else 0, bytes_read=cells * p.width,
        bytes_written=p.rows * p.columns * p.count * p.width, name="product", together=together,
    )]  # fmt: skip


def _parts(p: Product, blocks: int) -> int:
    """Return the number of parts into which the columns of a product with few `blocks` of rows are cut.

    All have the same number of whole panels. A thread copies the right operand of a part once, for all blocks; a left
    operand that is copied at all is copied for each part.
    """
    panels, rest = divmod(p.columns * p.width, tile_shape()[1] * LINE)
    units = COPIED_UNITS if "copy_a" in _left_words(p) else UNITS
    most = min(units // p.count, int(_nanoseconds(p) / (blocks * ENOUGH)))
    if blocks * p.count >= UNITS or rest or _may_mirror(p):
        return 1
    return next((k for k in range(min(most, panels), 1, -1) if panels % k == 0), 1)


def _nanoseconds(p: Product) -> float:
    """Return the nanoseconds that one matrix of the stack takes at best: reading the right operand, multiplying."""
    return p.columns * p.steps * p.width * (READ + p.rows / (4 * MULTIPLICATIONS))


def _head(p: Product) -> list[int]:
    """Return the words of the head of a product's table."""
    rows, vectors = tile_shape()
    height, line = block_height(p.elem, rows), vectors * LINE
    touching = p.b.column == p.width or p.columns == 1
    packed = p.step_axes or not touching or (p.rows > _read_in_place(p.steps * p.columns * p.width) * rows)
    panels = min(second_cache() // 2 // (NEAR * line), -(-p.columns * p.width // line)) if packed else 0
    return filled(
        PRODUCT, a=p.a.arg, a_at=p.a.offset, a_row=p.a.row, a_step=p.a.column, b=p.b.arg, b_at=p.b.offset,
        b_column=p.b.column, b_step=p.b.row, c=p.c.arg, c_at=p.c.offset, c_row=p.c.row,
        copy_b=_right_copy(p) if packed else 0, windows=p.step_axes != (), rows=p.rows, columns=p.columns,
        steps=p.steps, height=height, blocks=-(-p.rows // height), breadth=panels * line // p.width or p.columns,
        together=ROWS if touching else NEAR, right=panels * NEAR * line, axes=len(p.stack), **_left_words(p),
        mirror=move_routine(p.width) if _may_mirror(p) else 0, matrices=p.count,
        next=p.stack[0].a if p.stack and p.rows * p.steps * p.width <= NEAREST else 0,
    )  # fmt: skip


def _right_copy(p: Product) -> int:
    """Return the address of the routine that copies the right operand to panels."""
    if not p.step_axes:
        return _copy(p.b.column, p.columns, p.width)
    spacing, rest = divmod(p.b.column, p.width)
    return windows_routine(p.elem, tile_shape()[1], spacing if not rest and spacing in (1, 2) else 0)


def _may_mirror(p: Product) -> bool:
    """True if a product of a matrix and itself is wide enough to copy one half from the other."""
    return p.facing and p.columns * p.width > 2 * LINE * tile_shape()[1]


def _read_in_place(nbytes: int) -> float:
    """Return the most tiles of rows for which a right operand of `nbytes` is read in place, not copied."""
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
    """Compute out = a @ b with kernels, for arrays of one dtype, floats or integers of 32 or 64 bits.

    They are of native byte order and have at least one term; cells of `out` touch along rows or columns; `attrs` are
    those of `matmul`. Raises OutOfMemory if there is no memory to compile the kernel.
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


MOST = 640  # most bytes of both operands and the result: beyond, tiles are quicker than moving cells into lanes
FULL = 2  # a stack has at least the matrices that fill so many vectors
ABREAST = 4  # columns computed together, so that sums do not wait for each other
# Lines of cells with equal distances are moved at once; `next` is the distance of matrices, `row` and `column` those of
# the cells in the buffer.
OPERAND = layout("arg at next line cell lines cells row column")
TABLE = layout("move* count rows columns steps")


def in_lanes(p: Product) -> bool:
    """True if a stack of products is better computed with a matrix in each lane."""
    cells = p.rows * p.steps + p.steps * p.columns + p.rows * p.columns
    return not p.step_axes and len(p.stack) == 1 and cells * p.width <= MOST and p.count >= FULL * LINE // p.width


def lower_lanes(p: Product) -> KernelTask:
    """Return the task of a stack of small products; a unit is as many matrices as a vector has lanes."""
    (axis,), lanes = p.stack, LINE // p.width
    words = filled(TABLE, move=move_routine(p.width), count=p.count, rows=p.rows, columns=p.columns, steps=p.steps)
    shapes = ((p.a, axis.a, p.rows, p.steps), (p.b, axis.b, p.steps, p.columns), (p.c, axis.c, p.rows, p.columns))
    for side, apart, rows, columns in shapes:
        words += _operand_words(side, apart, rows, columns)
    cells = [rows * columns for _, _, rows, columns in shapes]
    work = sum(cells) * lanes * cost.PACK_TURNED + p.rows * p.columns * p.steps * cost.CELL * lanes
    read = (cells[0] * (p.count if axis.a else 1) + cells[1] * (p.count if axis.b else 1)) * p.width
    return KernelTask(
        product_lanes(p.elem), np.array(words, np.int64), -(-p.count // lanes), cost.UNIT + work,
        bytes_read=read, bytes_written=cells[2] * p.count * p.width, name="product",
    )  # fmt: skip


def _operand_words(side: MatrixOperand, apart: int, rows: int, columns: int) -> list[int]:
    """Return the words of an operand of `rows` by `columns` cells; `apart` is the bytes between matrices.

    Lines that continue each other, rows or columns, are moved as one.
    """
    turned = rows > 1 and (columns == 1 or abs(side.row) < abs(side.column))
    line, cell, lines, cells = side.row, side.column, rows, columns
    if turned:
        line, cell, lines, cells = cell, line, cells, lines
    row, column = (LINE, cells * LINE) if turned else (cells * LINE, LINE)
    if line == cells * cell:
        lines, cells = 1, lines * cells
    return filled(
        OPERAND, arg=side.arg, at=side.offset, next=apart, line=line, cell=cell, lines=lines, cells=cells,
        row=row, column=column,
    )  # fmt: skip


@compiled("product_lanes", RUN)
def product_lanes(b: Builder, elem: str) -> None:
    """Emit the driver of stacks of small products; `elem` is one of those of `product_driver`."""
    table, line = Words(b, b["table"], TABLE), Type(elem, LINE * 8 // Type(elem).bits)
    operands = [Words(b, b.gep(table.end_address, k * len(OPERAND), "i64"), OPERAND) for k in range(3)]
    for name in "abc":
        b.stack_buffer(name, line, MOST // (LINE // line.lanes))
        b.scope |= {f"{name}_{part}": operands["abc".index(name)][part] for part in ("row", "column")}
    b.scope |= {name: table[name] for name in ("rows", "columns", "steps", "move")}
    together = b["columns"] & -ABREAST
    with b.loop(b["u0"], b["u1"]) as u:
        first = u * line.lanes
        count = b.smin(table["count"] - first, line.lanes)
        for name, operand in zip("ab", operands, strict=False):
            _move(b, operand, b[name], first, count, line)
        with b.loop(0, b["rows"]) as i:
            with b.loop(0, together, ABREAST) as j:
                _cells(b, line, i, j, ABREAST)
            with b.loop(together, b["columns"]) as j:
                _cells(b, line, i, j, 1)
        _move(b, operands[2], b["c"], first, count, line, out=True)


def _cells(b: Builder, line: Type, i: Value, j: Value, few: int) -> None:
    """Emit code that computes `few` cells of row i, from column j on, in every lane."""
    left, right = b.gep(b["a"], i * b["a_row"]), b.gep(b["b"], j * b["b_column"])
    with b.carrying([b.const(line, -0.0)] * few, 0, b["steps"]) as turn:
        x, at = b.load(line, b.gep(left, turn.i * b["a_column"]), LINE), b.gep(right, turn.i * b["b_row"])
        columns = [b.load(line, b.gep(at, b["b_column"] * k), LINE) for k in range(few)]
        turn.values = [multiply_add(b, x, y, v) for y, v in zip(columns, turn.values, strict=True)]
    for k, value in enumerate(turn.values):
        b.store(value, b.gep(b["c"], i * b["c_row"] + (j + k) * b["c_column"]), LINE)


def _move(b: Builder, operand: Words, buffer: Value, first: Value, count: Value, line: Type, out: bool = False) -> None:
    """Emit code that moves `count` matrices of an operand, from `first` on, into the lanes of a buffer.

    With `out`, it moves them from the buffer to the operand. `line` is the type of a vector of lanes.
    """
    start = b.gep(b.gep(word(b, b["bases"], operand["arg"], "ptr"), operand["at"]), first * operand["next"])
    cells, width = operand["cells"], LINE // line.lanes
    with b.loop(0, operand["lines"]) as i:
        memory = (b.gep(start, i * operand["line"]), operand["next"], operand["cell"])
        lanes = (b.gep(buffer, i * cells * LINE), b.const("i64", width), b.const("i64", LINE))
        (dst, dn, dm), (src, sn, sm) = (memory, lanes) if out else (lanes, memory)
        CELLS.call(b, b["move"], dst=dst, dn=dn, dm=dm, src=src, sn=sn, sm=sm, n=count, m=cells)
