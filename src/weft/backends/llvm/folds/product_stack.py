"""Stacks of small products: one loop over the matrices, with a tile inside.

The one idea: the driver of products of any size takes as long to find its tiles as a matrix of 8 x 8 takes to be
multiplied.  Here all matrices share masks, offsets and the height of tiles.  The last tile of a matrix ends with its
last row, so it may compute some rows again.
"""

from __future__ import annotations

import numpy as np

from weft.backends.llvm.emit import Builder, Type
from weft.backends.llvm.emit.words import Words, filled, layout, word
from weft.backends.llvm.folds.product_plan import Product
from weft.backends.llvm.folds.product_tile import (
    LINE,
    NEAR,
    Masks,
    cells_of,
    chains,
    store_cells,
    tile_shape,
    with_masks,
)
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import RUN, KernelTask
from weft.backends.llvm.nest import native_cost as cost

HEIGHTS = (4, 6, 8, 10, 12, 14, 16)  # rows of tiles
SUMS = 8  # sums that are added in turns for which none of them waits
WORK = 1536  # most multiplications of vectors in a matrix: with more, finding tiles takes little of the time
STACK = layout("a a_at a_row a_step a_next b b_at b_step b_next c c_at c_row c_next rows columns steps")


def stack_tile(p: Product) -> tuple[int, int] | None:
    """Return (rows, vectors) of the tiles of a stack of small products; None if other drivers serve better."""
    most, widest = tile_shape()
    vectors = -(-p.columns * p.width // LINE)
    if len(p.stack) != 1 or p.step_axes or vectors > widest or p.rows < HEIGHTS[0] or p.b.column != p.width:
        return None
    if p.steps > NEAR or p.rows * p.steps * vectors > WORK:
        return None
    heights = [h for h in HEIGHTS if h <= p.rows and h * vectors <= most * widest]
    return min(heights, key=lambda h: (-(-p.rows // h) * max(SUMS, h * vectors), -h)), vectors


def lower_stack(p: Product, tile: tuple[int, int], nanoseconds: float) -> KernelTask:
    """Return the task of a stack of small products with tiles of this shape; a unit is one matrix.

    `nanoseconds` is what the multiplications of a unit take.
    """
    (axis,) = p.stack
    words = filled(
        STACK, a=p.a.arg, a_at=p.a.offset, a_row=p.a.row, a_step=p.a.column, a_next=axis.a, b=p.b.arg, b_at=p.b.offset,
        b_step=p.b.row, b_next=axis.b, c=p.c.arg, c_at=p.c.offset, c_row=p.c.row, c_next=axis.c, rows=p.rows,
        columns=p.columns, steps=p.steps,
    )  # fmt: skip
    cells = p.rows * p.steps * p.count + p.steps * p.columns * p.right_count
    return KernelTask(
        product_stack(p.elem, *tile), np.array(words, np.int64), p.count, cost.UNIT + nanoseconds,
        bytes_read=cells * p.width, bytes_written=p.rows * p.columns * p.count * p.width, name="product",
    )  # fmt: skip


@compiled("product_stack", RUN)
def product_stack(b: Builder, elem: str, rows: int, vectors: int) -> None:
    """Emit the driver of stacks of small products, with tiles of `rows` rows and `vectors` vectors of columns."""
    words, line = Words(b, b["table"], STACK), Type(elem, LINE * 8 // Type(elem).bits)
    plan = {name: words[name] for name in STACK}
    bases = {x: b.gep(word(b, b["bases"], plan[x], "ptr"), plan[f"{x}_at"]) for x in "abc"}
    b.scope |= {"steps": plan["steps"], "step": plan["b_step"], "left_step": plan["a_step"], "next": plan["a_next"]}
    b.scope["columns"] = plan["columns"]
    places = [b.const("i64", j * LINE) for j in range(vectors)]
    lefts, starts = ([plan[pitch] * i for i in range(rows)] for pitch in ("a_row", "c_row"))

    def compute(masks: Masks) -> None:
        with b.loop(b["u0"], b["u1"]) as matrix, b.loop(0, plan["rows"], rows) as row:
            a, right, c = (b.gep(bases[x], matrix * plan[f"{x}_next"]) for x in "abc")
            first = b.smin(row, plan["rows"] - rows)
            b.scope |= {"left": b.gep(a, first * plan["a_row"]), "right": right, "to": b.gep(c, first * plan["c_row"])}
            store_cells(b, chains(b, line, lefts, places, masks), cells_of(b, starts, masks))

    with_masks(b, line, vectors, compute)
