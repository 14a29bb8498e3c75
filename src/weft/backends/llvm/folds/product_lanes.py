"""Stacks of small products: every lane of a vector holds another matrix of the stack.

The one idea: calls of tiles take longer than the products of small matrices.  So as many matrices as a vector has
lanes are packed, with their equal cells side by side, and one fused multiply-add serves them all.  A cell adds its
chain in the order of tiles (`product_tile`), with the same bits.
"""

from __future__ import annotations

import numpy as np

from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.emit.words import Words, filled, layout, word
from weft.backends.llvm.folds.product_plan import MatrixOperand, Product
from weft.backends.llvm.folds.product_tile import LINE
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import RUN, KernelTask
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.pack_routines import CELLS, move_routine

MOST = 640  # bytes of both operands and the result: moving more into lanes takes longer than calls of tiles
FULL = 2  # vectors of matrices that a stack must fill
ABREAST = 4  # columns computed together, so that sums do not wait for each other
# Lines of cells with equal distances are moved at once; `next` is the distance of matrices, `row` and `column` those of
# the cells in the buffer.
OPERAND = layout("arg at next line cell lines cells row column")
TABLE = layout("move* count rows columns steps")


def in_lanes(p: Product) -> bool:
    """True if a stack of products is better computed with a matrix in each lane."""
    cells = p.rows * p.steps + p.steps * p.columns + p.rows * p.columns
    return len(p.stack) == 1 and cells * p.width <= MOST and p.count >= FULL * LINE // p.width


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
    """Return the words of an operand; lines that continue each other are moved as one, be they rows or columns."""
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
    """Emit the driver of stacks of small products, of "float" or "double"."""
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
        turn.values = [b.fma(x, y, v) for y, v in zip(columns, turn.values, strict=True)]
    for k, value in enumerate(turn.values):
        b.store(value, b.gep(b["c"], i * b["c_row"] + (j + k) * b["c_column"]), LINE)


def _move(b: Builder, operand: Words, buffer: Value, first: Value, count: Value, line: Type, out: bool = False) -> None:
    """Emit code that moves `count` matrices of an operand, from `first` on, into the lanes of a buffer, or `out`."""
    start = b.gep(b.gep(word(b, b["bases"], operand["arg"], "ptr"), operand["at"]), first * operand["next"])
    cells, width = operand["cells"], LINE // line.lanes
    with b.loop(0, operand["lines"]) as i:
        memory = (b.gep(start, i * operand["line"]), operand["next"], operand["cell"])
        lanes = (b.gep(buffer, i * cells * LINE), b.const("i64", width), b.const("i64", LINE))
        (dst, dn, dm), (src, sn, sm) = (memory, lanes) if out else (lanes, memory)
        CELLS.call(b, b["move"], dst=dst, dn=dn, dm=dm, src=src, sn=sn, sm=sm, n=count, m=cells)
