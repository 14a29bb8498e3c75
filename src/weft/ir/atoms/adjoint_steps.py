"""Building blocks of the adjoints of atoms: slices, zero margins and sums of nodes.

The one idea: the gradient of copied cells is cut out, moved to the cells' positions in the input, and added up.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft import dtypes as dt
from weft.ir.atoms.atom import select
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, apply, make, result, scalar
from weft.ir.graph.ops import OPS, resolve


def zeros(shape: Shape, dtype: dt.DType) -> Node:
    """Return zeros of a shape as a broadcast of one number, which takes no memory."""
    return select("broadcast_to", scalar(0, dtype), shape)


def total(x: Node, axes: Sequence[int], keepdims: bool = False) -> Node:
    """Return the sum of x over axes, in the result dtype of `weft.sum`; `keepdims` keeps the axes with size 1."""
    chosen = tuple(sorted(axes))
    kept = [n for d, n in enumerate(x.desc.shape) if keepdims or d not in chosen]
    shape = tuple([1 if keepdims and d in chosen else n for d, n in enumerate(kept)])
    return make(OPS["sum"], (x,), (chosen, keepdims), result(resolve(OPS["sum"], x.desc.dtype)[1], shape))


def plus(parts: list[Node]) -> Node:
    """Return the sum of one or more nodes of equal shapes, added from the first to the last."""
    out = parts[0]
    for part in parts[1:]:
        out = apply("add", out, part)
    return out


def positions(x: Node, axis: int, start: int, size: int, step: int = 1) -> Node:
    """Return the part of x at `size` positions along one axis: start, start + step, and so on."""
    return select("slice", x, [(start, step, size) if d == axis else (0, 1, n) for d, n in enumerate(x.desc.shape)])


def margined(x: Node, axis: int, before: int, after: int) -> Node:
    """Return x with zeros before and after it along an axis; x itself if both numbers are 0."""
    if not before and not after:
        return x
    return select("pad", x, [(before, after) if d == axis else (0, 0) for d in range(x.desc.ndim)])


def spread(gradient: Node, axis: int, start: int, step: int, axis_size: int) -> Node:
    """Return an axis of `axis_size` positions, with cells of a gradient at equal distances and zeros elsewhere.

    Position i of `gradient` goes to start + step · i; `axis` is the number of the axis.
    """
    size = gradient.desc.shape[axis]
    if size == 0:
        return zeros((*gradient.desc.shape[:axis], axis_size, *gradient.desc.shape[axis + 1 :]), gradient.desc.dtype)
    if step < 0 and size > 1:
        gradient, start, step = select("flip", gradient, (axis,)), start + (size - 1) * step, -step
    if size > 1 and step > 1:
        gap = zeros((*gradient.desc.shape[:axis], size - 1, *gradient.desc.shape[axis + 1 :]), gradient.desc.dtype)
        gradient = select("interleave", [gradient, *[gap] * (step - 1)], axis)
    return margined(gradient, axis, start, axis_size - start - gradient.desc.shape[axis])
