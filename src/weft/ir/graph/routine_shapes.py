"""Result shapes of library routines, from the shapes of their operands and their attributes.

The one idea: a routine writes into memory allocated for its description, so the shapes are checked before it is called.
Where operands or attributes do not fit, a function here raises ValueError with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, broadcast_shapes

_NORMS = ("backward", "ortho", "forward")


def _matrix(n: Node, square: bool = False) -> tuple[Shape, int, int]:
    """Return the shape of the stack, the rows and the columns of the first operand.

    Raises ValueError if it is no matrix, or with `square` if its matrices are not square.
    """
    *lead, rows, columns = n.inputs[0].desc.shape
    if square and rows != columns:
        raise ValueError(f"matrices of {rows} rows and {columns} columns; they are to be square")
    return tuple(lead), rows, columns


def _as_first(n: Node) -> Shape:
    return n.inputs[0].desc.shape


def _square(n: Node) -> Shape:
    _matrix(n, True)
    return _as_first(n)


def _stack(n: Node) -> Shape:
    return _matrix(n, True)[0]


def _values(n: Node) -> Shape:
    lead, rows, columns = _matrix(n, n.op.name != "svdvals")
    return (*lead, min(rows, columns))


def _packed(n: Node) -> Shape:
    """Return the shape of a routine's several results, written side by side along the last axis.

    Raises ValueError if the operand is no matrix, or not square where it must be.
    """
    lead, rows, columns = _matrix(n, n.op.name in ("slogdet", "eigh", "eig"))
    k = min(rows, columns)
    tails: list[Shape]
    if n.op.name == "slogdet":
        tails = [(2,)]
    elif n.op.name == "qr":
        inner = k if _one_of(n.attrs[0], ("reduced", "complete")) == "reduced" else rows
        tails = [(rows, inner), (inner, columns)]
    elif n.op.name == "svd":
        tails = [(rows, rows), (k,), (columns, columns)] if n.attrs[0] else [(rows, k), (k,), (k, columns)]
    else:
        tails = [(rows,), (rows, rows)]
    return (*lead, sum(map(prod, tails)))


def _one_of(given: str, known: tuple[str, ...]) -> str:
    if given not in known:
        raise ValueError(f"{given!r} is none of {', '.join(known)}")
    return given


def _axis(n: Node, number: int) -> int:
    axis: int = n.attrs[number]
    if not 0 <= axis < n.inputs[0].desc.ndim:
        raise ValueError(f"axis {axis} of rank {n.inputs[0].desc.ndim}")
    return axis


def _sorted(n: Node) -> Shape:
    size = n.inputs[0].desc.shape[_axis(n, 0)]
    ends = [end for ends in n.attrs[2] for end in ends]
    if any(len(r) != 2 or r[0] == r[1] for r in n.attrs[2]) or ends != sorted(ends) or min(ends, default=0) < 0:
        raise ValueError(f"ranges of ranks {n.attrs[2]}; each is first, stop, and they rise")
    if max(ends, default=0) > size:
        raise ValueError(f"ranges of ranks {n.attrs[2]} of {size} cells")
    return _as_first(n)


def _searched(n: Node) -> Shape:
    _one_of(n.attrs[0], ("left", "right"))
    if n.inputs[0].desc.ndim != 1:
        raise ValueError(f"a table of rank {n.inputs[0].desc.ndim}; it has one axis")
    return n.inputs[1].desc.shape


def _transformed(n: Node) -> Shape:
    cells, axis, shape = n.attrs[0], _axis(n, 1), _as_first(n)
    _one_of(n.attrs[2], _NORMS)
    if cells < 1:
        raise ValueError(f"{cells} cells to transform; there must be 1 or more")
    return (*shape[:axis], cells // 2 + 1 if n.op.name == "rfft" else cells, *shape[axis + 1 :])


def _product(n: Node) -> Shape:
    a, b = (i.desc.shape for i in n.inputs)
    left, right = a if len(a) > 1 else (1, *a), b if len(b) > 1 else (*b, 1)
    if left[-1] != right[-2]:
        raise ValueError(f"a product of shapes {a} and {b}")
    return (*broadcast_shapes("matmul", a[:-2], b[:-2]), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _solved(n: Node) -> Shape:
    lead, rows, _ = _matrix(n, True)
    b = n.inputs[1].desc.shape
    if b[-2] != rows:
        raise ValueError(f"right sides of {b[-2]} rows for matrices of {rows}")
    return (*broadcast_shapes("solve", lead, b[:-2]), *b[-2:])


def _common_shape(n: Node) -> Shape:
    return broadcast_shapes(n.op.name, *[i.desc.shape for i in n.inputs])


SHAPES: dict[str, Callable[[Node], Shape]] = {
    "matmul": _product, "sort": _sorted, "argsort": _sorted, "searchsorted": _searched, "gcd": _common_shape,
    "lcm": _common_shape, "transfer": _as_first, "cholesky": _square, "inv": _square, "det": _stack, "solve": _solved,
    "eigvalsh": _values,
    "eigvals": _values, "svdvals": _values, "slogdet": _packed, "qr": _packed, "eigh": _packed, "svd": _packed,
    "eig": _packed, "fft": _transformed, "rfft": _transformed, "irfft": _transformed,
}  # fmt: skip
