"""Products of matrices as their drivers compute them.

Terms: a *stack* is the axes before the last two; its axes stand with the innermost first.  The one idea: strides say
how operands lie, so a transpose is a product like any other; where the cells of a result touch along its columns, the
factors are exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from weft.dtypes import float32, float64
from weft.ir.atoms.reshape import reshape_groups
from weft.ir.graph.description import FIXED_ORDER, Shape, c_strides
from weft.ir.kernels.plan import CallStep, Instr, Operand, ReduceLaunch, Row
from weft.ir.kernels.sum_order import BLOCK

ELEMS = {"float32": "float", "float64": "double", "int32": "i32", "uint32": "i32", "int64": "i64", "uint64": "i64"}
LONG = 64  # least terms of a sum for which this is quicker than tiles, which fill few lanes here
FEW = 4  # most columns that are summed so: they would not fill a vector, while the rows do


class MatrixOperand(NamedTuple):
    """An operand or the result of a product: argument, offset, and the bytes between rows and between columns."""

    arg: int
    offset: int
    row: int
    column: int

    @property
    def transposed(self) -> MatrixOperand:
        """Return the transpose, with rows and columns exchanged."""
        return MatrixOperand(self.arg, self.offset, self.column, self.row)


class StackAxis(NamedTuple):
    """An axis of a stack: its size, and the bytes between matrices of a, b and c."""

    size: int
    a: int
    b: int
    c: int


@dataclass(frozen=True, slots=True)
class Product:
    """A stack of products of a (rows, steps) and b (steps, columns), written to c (rows, columns)."""

    elem: str
    rows: int
    columns: int
    steps: int
    a: MatrixOperand
    b: MatrixOperand
    c: MatrixOperand
    stack: tuple[StackAxis, ...] = ()
    fixed: bool = False  # a cell adds in rising order
    step_axes: tuple[tuple[int, int], ...] = ()  # (size, bytes) of the steps' axes in b; () if they are one

    @property
    def width(self) -> int:
        """Return the bytes of a cell."""
        return 4 if self.elem in ("float", "i32") else 8

    @property
    def count(self) -> int:
        """Return the number of matrices in the stack."""
        return prod([axis.size for axis in self.stack])

    @property
    def right_count(self) -> int:
        """Return the number of different matrices of the right operand in the stack."""
        return prod([axis.size for axis in self.stack if axis.b])

    @property
    def facing(self) -> bool:
        """True if the operands would be each other's transposes if they began at one address, as in x.T @ x."""
        alike = all(axis.a == axis.b for axis in self.stack)
        return alike and not self.step_axes and self.rows == self.columns and self.a[2:] == self.b.transposed[2:]

    @property
    def as_sums(self) -> ReduceLaunch | None:
        """Return the product as a reduction along rows or columns, if an operand is one vector.

        None for other products, and if tiles are faster.
        """
        if self.rows > 1 or self.steps < LONG or self.fixed or self.elem[0] == "i":
            return None
        outer, steps = self.stack[::-1], self.step_axes or ((self.steps, self.b.row),)
        shape = (*[axis.size for axis in outer], self.columns, *[size for size, _ in steps])
        left, right = c_strides(shape[-len(steps) :], self.a.column), [apart for _, apart in steps]
        dtype = float32 if self.elem == "float" else float64
        operands = (
            Operand(self.a.arg, self.a.offset, (*[axis.a for axis in outer], 0, *left), dtype),
            Operand(self.b.arg, self.b.offset, (*[axis.b for axis in outer], self.b.column, *right), dtype),
        )
        out = Operand(self.c.arg, self.c.offset, (*[axis.c for axis in outer], self.c.column), dtype)
        loads = [Instr("load", dtype, (), k) for k in range(2)]
        row = Row((*loads, Instr("multiply", dtype, (0, 1))), shape, operands, start=(0,) * len(shape))
        return ReduceLaunch("sum", len(outer) + 1, shape, (row,), dtype, out)

    def cut(self, columns: int) -> Product:
        """Return the same product as a stack of products of `columns` columns each.

        `columns` must divide the product's number of columns.
        """
        parts = StackAxis(self.columns // columns, 0, columns * self.b.column, columns * self.width)
        return replace(self, columns=columns, stack=(parts, *self.stack))

    @property
    def transposed(self) -> Product:
        """Return the product computed as that of the transposes: the transpose of c is bᵀ·aᵀ."""
        stack = tuple([StackAxis(axis.size, axis.b, axis.a, axis.c) for axis in self.stack])
        a, b, c = self.b.transposed, self.a.transposed, self.c.transposed
        return replace(self, rows=self.columns, columns=self.rows, a=a, b=b, c=c, stack=stack)


def product_of(step: CallStep) -> Product | None:
    """Return the matrix product that a call step computes; None if the product drivers cannot compute it."""
    dtype, shapes = step.out.dtype, step.shapes
    if step.name != "matmul" or dtype.name not in ELEMS or 0 in step.out_shape or not shapes[0][-1]:
        return None
    if any(o.dtype is not dtype or o.swapped for o in (*step.args, step.out)) or step.args[0].merged:
        return None
    if step.attrs == FIXED_ORDER and shapes[0][-1] > BLOCK:
        return None
    if step.args[1].merged:
        return _over_windows(step)
    rows, columns = (len(s) > 1 for s in shapes)  # false: a vector stands for the one row, or the one column
    lead = step.out_shape[: len(step.out_shape) - rows - columns]
    a, b, c = step.args[0].strides, step.args[1].strides, step.out.strides
    own = (c[len(lead)] if rows else 0, c[-1] if columns else 0)
    made = Product(
        ELEMS[dtype.name], shapes[0][-2] if rows else 1, shapes[1][-1] if columns else 1, shapes[0][-1],
        _matrix_operand(step.args[0], a[-2] if rows else 0, a[-1]),
        _matrix_operand(step.args[1], b[-2] if columns else b[-1], b[-1] if columns else 0),
        _matrix_operand(step.out, *own),
        _stack(lead, _leading(a, shapes[0], lead), _leading(b, shapes[1], lead), c), step.attrs == FIXED_ORDER,
    )  # fmt: skip
    return _faced(made)


def _over_windows(step: CallStep) -> Product | None:
    """Return the product of a call whose right operand merges axes, as a view of windows does.

    All axes of its columns but the last are axes of the stack, too.  None if the drivers cannot compute it.
    """
    (left, right), (shape, cells), out = step.args, step.shapes, step.out
    axes: list[list[tuple[int, int]]] = [[] for _ in right.merged]
    for old, new in reshape_groups(cells, right.merged):
        if len(new) > 1:
            return None
        axes[new[0]] = [(cells[k], right.strides[k]) for k in old]
    *lead, steps, columns = axes if len(axes) > 1 else [[], []]
    if len(shape) < 2 or not steps or not columns or any(len(own) > 1 for own in lead):
        return None
    *outer, (width, apart) = columns
    item, sizes = out.dtype.itemsize, [n for n, _ in outer]
    if width <= FEW or out.strides[-1] != item:
        return None
    places = [*[own[0][1] if own else 0 for own in lead], 0, apart]
    own = left._replace(strides=_inserted(left.strides, [0] * len(outer)))
    windows = right._replace(strides=_inserted(places, [s for _, s in outer]), merged=())
    target = out._replace(strides=_inserted(out.strides, c_strides((*sizes, width), item)[:-1]))
    shapes = _inserted(shape, sizes), _inserted((*right.merged[:-1], width), sizes)
    made = _inserted((*step.out_shape[:-1], width), sizes)
    p = product_of(replace(step, args=(own, windows), shapes=shapes, out=target, out_shape=made))
    return p and replace(p, step_axes=tuple(steps))


def _inserted(numbers: Sequence[int], more: Sequence[int]) -> Shape:
    """Return sizes or strides of a stack of matrices with those of more axes before the last two."""
    return (*numbers[:-2], *more, *numbers[-2:])


def _matrix_operand(o: Operand, row: int, column: int) -> MatrixOperand:
    return MatrixOperand(o.arg, o.offset, row, column)


def _leading(strides: Shape, shape: Shape, lead: Shape) -> list[int]:
    """Return an operand's byte strides along the stack's axes, of sizes `lead`; 0 where it is broadcast."""
    own = [s if n > 1 else 0 for s, n in zip(strides[:-2], shape[:-2], strict=True)]
    return [0] * (len(lead) - len(own)) + own


def _stack(lead: Shape, a: Sequence[int], b: Sequence[int], c: Shape) -> tuple[StackAxis, ...]:
    """Return the axes of a stack of matrices, innermost first, given the byte strides of a, b and c.

    Axes of size 1 are dropped; an axis that continues the one inside it is merged with it.
    """
    found: list[StackAxis] = []
    for axis in reversed([StackAxis(*each) for each in zip(lead, a, b, c[: len(lead)], strict=True)]):
        last = found[-1] if found else None
        if last is not None and all(x == y * last.size for x, y in zip(axis[1:], last[1:], strict=True)):
            found[-1] = last._replace(size=last.size * axis.size)
        elif axis.size > 1:
            found.append(axis)
    return tuple(found)


def _faced(p: Product) -> Product | None:
    """Return the product, or that of the transposes, with the cells of each row of the result adjacent.

    None if neither has such rows.
    """
    along = [p.columns == 1 or p.c.column == p.width, p.rows == 1 or p.c.row == p.width]
    if along[1] and (not along[0] or p.columns <= FEW < p.rows):
        return _flat(p.transposed)
    return _flat(p) if along[0] else None


def _flat(p: Product) -> Product:
    """Return the product with axes of the stack made rows of one matrix, if all matrices share one right operand.

    Other products are returned unchanged.
    """
    while p.stack and not p.stack[0].b:
        axis = p.stack[0]
        if p.rows == 1:
            a, c = p.a._replace(row=axis.a), p.c._replace(row=axis.c)
        elif (axis.a, axis.c) == (p.rows * p.a.row, p.rows * p.c.row):
            a, c = p.a, p.c
        else:
            break
        p = replace(p, rows=p.rows * axis.size, a=a, c=c, stack=p.stack[1:])
    return p
