"""Row-major cells in another shape: a view where strides allow it (alias set), else a value of its own.

Attributes: (shape,).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from weft.errors import InternalError, ShapeError
from weft.ir.atoms.atom import Atom
from weft.ir.atoms.construction import check_axes, view
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.unravel import reshaped


def resolve_shape(size: int, shape: Sequence[int]) -> Shape:
    """Return the shape with its one -1, if any, filled in.

    >>> resolve_shape(6, (2, -1))
    (2, 3)
    """
    wanted = tuple(shape)
    known = prod([n for n in wanted if n != -1])
    if wanted.count(-1) == 1 and known > 0 and size % known == 0:
        wanted = tuple([size // known if n == -1 else n for n in wanted])
    check_axes("reshape", wanted)
    if min(wanted, default=0) < 0 or prod(wanted) != size:
        raise ShapeError(
            f"reshape: {size} cells do not fill shape {tuple(shape)}; sizes must multiply to {size}, one may be -1; "
            "give a shape of that many cells"
        )
    return wanted


def reshape(x: Node, shape: Sequence[int]) -> Node:
    """Row-major cells in another shape, as a value of its own (`selection.reshape_view` where strides allow a view)."""
    wanted = resolve_shape(x.desc.size, shape)
    return make(OPS["reshape"], (x,), (wanted,), result(x.desc.dtype, wanted))


def reshape_view(x: Node, shape: Sequence[int]) -> Node | None:
    """Row-major cells in another shape, where strides allow it without moving a cell; else None."""
    d, wanted = x.desc, resolve_shape(x.desc.size, shape)
    if d.strides is None:
        return None
    strides = _reshaped_strides(d.shape, d.strides, wanted) if d.size else c_strides(wanted, d.dtype.itemsize)
    return None if strides is None else view("reshape", x, (wanted,), wanted, strides, 0, None)


def _reshaped_strides(old: Shape, old_strides: Shape, new: Shape) -> Shape | None:
    """Strides of the new axes: old axes are joined into runs of one stride, from which new axes are cut."""
    runs: list[list[int]] = []  # [cells, stride of the last axis], outermost first
    for n, s in zip(old, old_strides, strict=True):
        if n == 1:
            continue
        if runs and runs[-1][1] == n * s:
            runs[-1] = [runs[-1][0] * n, s]
        else:
            runs.append([n, s])
    strides, (left, step) = [], runs.pop() if runs else [1, 0]
    for n in reversed(new):
        if left == 1 and n > 1:
            left, step = runs.pop()
        if left % n:
            return None
        strides.append(step)
        left, step = left // n, step * n
    return tuple(reversed(strides))


def _again(n: Node) -> Node:
    made = reshape(n.inputs[0], *n.attrs) if n.alias is None else reshape_view(n.inputs[0], *n.attrs)
    if made is None:
        raise InternalError("reshape: internal: a view that strides do not allow; please report this")
    return made


def _adjoint(node: Node, g: Node) -> tuple[Node]:
    shape = node.inputs[0].desc.shape
    return (reshape_view(g, shape) or reshape(g, shape),)


ATOM = Atom(
    "reshape",
    reshape,
    again=_again,
    cut=reshaped,
    adjoint=_adjoint,
    numpy=lambda parts, n: parts[0].reshape(n.desc.shape),
)
