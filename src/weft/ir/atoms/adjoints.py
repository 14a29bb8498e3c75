"""Adjoints of selections: what the gradient of a view is for the tensors it selects from.

The one idea: a selection copies cells, so its adjoint adds up, for every cell, the gradients of its copies.  Where
each cell has one copy the adjoint is a selection again and costs nothing until read; margins and repetitions are sums.
One rule per atom; laws test ⟨Lu, g⟩ = ⟨u, Lᵀg⟩ on integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft import dtypes as dt
from weft.errors import InternalError
from weft.ir.atoms import affine as se
from weft.ir.atoms import composites as co
from weft.ir.atoms.take_adjoint import gather
from weft.ir.graph.description import Shape
from weft.ir.graph.domain import Domain
from weft.ir.graph.node import Node, elementwise, make, result, scalar
from weft.ir.graph.ops import OPS, resolve
from weft.ir.pieces.layers import Extent, meet


def adjoint(node: Node, gradient: Node) -> tuple[Node | None, ...]:
    """The gradients of a selection's inputs, None for run-time scalars, from the gradient of its value."""
    return tuple(
        [
            None if x.op.name == "scalar" or g is None else _placed(g, x)
            for x, g in zip(node.inputs, RULES[node.op.name](node, gradient), strict=True)
        ]
    )


def _placed(g: Node, x: Node) -> Node:
    """g at the coordinates of x."""
    if g.desc.shape != x.desc.shape:
        raise InternalError(f"adjoint: {g!r} for an input {x!r}; please report this")
    start, wanted = g.desc.domain.origin, x.desc.domain.origin
    return g if start == wanted else se.translate(g, [w - s for w, s in zip(wanted, start, strict=True)])


# ---- parts that rules are made of


def zeros(shape: Shape, dtype: dt.DType) -> Node:
    """Zeros that are stored nowhere."""
    return se.broadcast_to(scalar(0, dtype), shape)


def total(x: Node, axes: Sequence[int], keepdims: bool = False) -> Node:
    """The sum over axes."""
    chosen = tuple(sorted(axes))
    kept = [n for d, n in enumerate(x.desc.shape) if keepdims or d not in chosen]
    shape = tuple([1 if keepdims and d in chosen else n for d, n in enumerate(kept)])
    return make(OPS["sum"], (x,), (chosen, keepdims), result(resolve(OPS["sum"], x.desc.dtype)[1], shape))


def _plus(parts: list[Node]) -> Node:
    out = parts[0]
    for part in parts[1:]:
        out = elementwise(OPS["add"], out, part)
    return out


def _cut(x: Node, axis: int, start: int, size: int, step: int = 1) -> Node:
    """size positions of one axis from a start."""
    return se.slice_(x, [(start, step, size) if d == axis else (0, 1, n) for d, n in enumerate(x.desc.shape)])


def _within(x: Node, axis: int, before: int, after: int) -> Node:
    """x with zeros before and after it along an axis."""
    if not before and not after:
        return x
    return co.pad(x, [(before, after) if d == axis else (0, 0) for d in range(x.desc.ndim)])


def _spread(g: Node, axis: int, start: int, step: int, n: int) -> Node:
    """Position i of g at start + step · i of n positions that are zero elsewhere."""
    size = g.desc.shape[axis]
    if size == 0:
        return zeros((*g.desc.shape[:axis], n, *g.desc.shape[axis + 1 :]), g.desc.dtype)
    if step < 0 and size > 1:
        g, start, step = se.flip(g, (axis,)), start + (size - 1) * step, -step
    if size > 1 and step > 1:
        gap = zeros((*g.desc.shape[:axis], size - 1, *g.desc.shape[axis + 1 :]), g.desc.dtype)
        g = co.interleave([g, *[gap] * (step - 1)], axis)
    return _within(g, axis, start, n - start - g.desc.shape[axis])


# ---- rules: (node, gradient of its value) to gradients of its inputs

Rule = Callable[[Node, Node], tuple[Node | None, ...]]


def _permute(node: Node, g: Node) -> tuple[Node]:
    axes = node.attrs[0]
    return (se.permute(g, [axes.index(d) for d in range(len(axes))]),)


def _flip(node: Node, g: Node) -> tuple[Node]:
    return (se.flip(g, node.attrs[0]),)


def _slice(node: Node, g: Node) -> tuple[Node]:
    for axis, ((start, step, _), n) in enumerate(zip(node.attrs[0], node.inputs[0].desc.shape, strict=True)):
        g = _spread(g, axis, start, step, n)
    return (g,)


def _index(node: Node, g: Node) -> tuple[Node]:
    g = se.expand_dims(g, [a for a, _ in node.attrs[0]])
    for axis, position in node.attrs[0]:
        g = _spread(g, axis, position, 1, node.inputs[0].desc.shape[axis])
    return (g,)


def _expand_dims(node: Node, g: Node) -> tuple[Node]:
    return (se.squeeze(g, node.attrs[0]),)


def _squeeze(node: Node, g: Node) -> tuple[Node]:
    return (se.expand_dims(g, node.attrs[0]),)


def _broadcast_to(node: Node, g: Node) -> tuple[Node]:
    shape = node.inputs[0].desc.shape
    lead = g.desc.ndim - len(shape)
    if lead:
        g = total(g, range(lead))
    wide = [d for d, (n, m) in enumerate(zip(shape, g.desc.shape, strict=True)) if n != m]
    return (total(g, wide, keepdims=True) if wide else g,)


def _window(node: Node, g: Node) -> tuple[Node]:
    """Along each axis: position y of x was cell j of the window at y - j, for every j."""
    widths, axes = node.attrs
    for k in range(len(axes) - 1, -1, -1):
        axis, w, last = axes[k], widths[k], g.desc.ndim - 1
        if w == 0:
            shape = list(g.desc.shape[:last])
            shape[axis] -= 1
            g = zeros(tuple(shape), g.desc.dtype)
            continue
        g = _within(se.flip(g, (last,)), axis, w - 1, w - 1)
        g = total(se.diagonal(se.window(g, (w,), (axis,)), 0, last, last + 1), (last,))
    return (g,)


def _diagonal(node: Node, g: Node) -> tuple[Node]:
    """Zeros but where the position on axis b is offset more than on axis a."""
    offset, a, b = node.attrs
    shape = node.inputs[0].desc.shape
    if not g.desc.size:
        return (zeros(shape, g.desc.dtype),)
    first, n = max(-offset, 0), shape[a]
    g = _within(g, g.desc.ndim - 1, first, max(n - first - g.desc.shape[-1], 0))
    order = list(range(g.desc.ndim - 1))
    order.insert(a if a < b else a - 1, g.desc.ndim - 1)
    g = se.broadcast_to(se.expand_dims(se.permute(g, order), (b,)), shape)
    row = make(OPS["iota"], (), (a,), result(dt.int64, shape))
    column = make(OPS["iota"], (), (b,), result(dt.int64, shape))
    on = elementwise(OPS["equal"], column, elementwise(OPS["add"], row, scalar(offset, dt.int64)))
    return (make(OPS["where"], (on, g, zeros(shape, g.desc.dtype)), (), result(g.desc.dtype, shape)),)


def _reshape(node: Node, g: Node) -> tuple[Node]:
    shape = node.inputs[0].desc.shape
    return (se.reshape_view(g, shape) or co.reshape(g, shape),)


def _translate(node: Node, g: Node) -> tuple[Node]:
    return (g,)


def _concat(node: Node, g: Node) -> tuple[Node, ...]:
    axis, offsets = node.attrs
    return tuple([_cut(g, axis, offsets[i], offsets[i + 1] - offsets[i]) for i in range(len(node.inputs))])


def _interleave(node: Node, g: Node) -> tuple[Node, ...]:
    axis, k = node.attrs[0], len(node.inputs)
    return tuple([_cut(g, axis, i, x.desc.shape[axis], k) for i, x in enumerate(node.inputs)])


def _tile(node: Node, g: Node) -> tuple[Node]:
    """Axes taken apart into (repetition, position), then summed over repetitions."""
    reps, shape = node.attrs[0], node.inputs[0].desc.shape
    if 0 in reps:
        return (zeros(shape, g.desc.dtype),)
    if g.desc.size:
        g = co.reshape(g, [n for pair in zip(reps, shape, strict=True) for n in pair])
        return (total(g, range(0, 2 * len(reps), 2)) if reps else g,)
    return (zeros(shape, g.desc.dtype),)


def _repeat(node: Node, g: Node) -> tuple[Node]:
    count, axis = node.attrs
    shape = node.inputs[0].desc.shape
    if not g.desc.size:
        return (zeros(shape, g.desc.dtype),)
    return (total(co.reshape(g, (*shape[: axis + 1], count, *shape[axis + 1 :])), (axis + 1,)),)


def _roll(node: Node, g: Node) -> tuple[Node]:
    return (co.roll(g, [-s for s in node.attrs[0]], node.attrs[1]),)


def _pad(node: Node, g: Node) -> tuple[Node, Node | None]:
    (pads, mode), shape, fill = node.attrs, node.inputs[0].desc.shape, None
    for axis, ((before, after), n) in enumerate(zip(pads, shape, strict=True)):
        if mode == "constant":
            if node.inputs[1].op.name != "scalar":
                margins = [_cut(g, axis, 0, before), _cut(g, axis, before + n, after)]
                sums = [total(m, range(m.desc.ndim)) for m in margins]
                fill = _plus([fill, *sums] if fill is not None else sums)
            g = _cut(g, axis, before, n)
        elif before or after:
            g = _folded(g, axis, mode, before, n)
    if fill is None and node.inputs[1].op.name != "scalar":
        fill = zeros((), g.desc.dtype)
    return g, fill


def _folded(g: Node, axis: int, mode: str, before: int, n: int) -> Node:
    """The axis with its margins added to the cells that they repeat."""
    core, size = _cut(g, axis, before, n), g.desc.shape[axis]
    parts = [core]
    if mode == "edge" or (mode == "reflect" and n == 1):
        margins = ((0, before, 0), (before + n, size - before - n, n - 1))
        for start, width, at in margins:
            if width:
                parts.append(_spread(total(_cut(g, axis, start, width), (axis,), keepdims=True), axis, at, 1, n))
        return _plus(parts)
    length = n - 1 if mode == "reflect" else n
    first = -(-before // length)  # blocks of the period, counted from the one that x lies in
    for m in range(-first, -(-(size - before) // length)):
        low, high = max(before + m * length, 0), min(before + (m + 1) * length, size)
        if m > 0:
            low = max(low, before + n)
        if m == 0 or low >= high:
            continue
        block, at = _cut(g, axis, low, high - low), low - before - m * length
        if mode != "wrap" and m % 2:
            block, at = se.flip(block, (axis,)), n - at - (high - low)
        parts.append(_spread(block, axis, at, 1, n))
    return _plus(parts)


def _overlay(node: Node, g: Node) -> tuple[Node | None, ...]:
    """Each part gets what shows of it: its box of the gradient with zeros where later parts lie."""
    layers, filled = node.attrs
    g = se.translate(g, [-o for o in g.desc.domain.origin])
    domain, out = Extent((0,) * g.desc.ndim, g.desc.shape), []
    for i, b in enumerate(layers.boxes):
        shown = meet(b, domain)
        shape = tuple([y - x for x, y in zip(b.low, b.high, strict=True)])
        if shown is None:
            out.append(zeros(shape, g.desc.dtype))
            continue
        crop = se.slice_(g, [(x, 1, y - x) for x, y in zip(shown.low, shown.high, strict=True)])
        covers = [_blank(layers.boxes[j], g.desc.dtype) for j in reversed(layers.touching(b)) if j > i]
        layered = [se.translate(crop, shown.low), *covers]
        out.append(co.overlay(layered, Domain(b.low, shape), scalar(0, g.desc.dtype)))
    if not filled:
        return tuple(out)
    if node.inputs[-1].op.name == "scalar":
        return (*out, None)
    bare = co.overlay([g, *[_blank(b, g.desc.dtype) for b in layers.boxes]], Domain(domain.low, g.desc.shape))
    return (*out, total(bare, range(g.desc.ndim)))


def _blank(b: Extent, dtype: dt.DType) -> Node:
    return se.translate(zeros(tuple([y - x for x, y in zip(b.low, b.high, strict=True)]), dtype), b.low)


RULES: dict[str, Rule] = {
    "permute": _permute,
    "flip": _flip,
    "slice": _slice,
    "index": _index,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "broadcast_to": _broadcast_to,
    "window": _window,
    "diagonal": _diagonal,
    "reshape": _reshape,
    "translate": _translate,
    "concat": _concat,
    "interleave": _interleave,
    "tile": _tile,
    "repeat": _repeat,
    "roll": _roll,
    "pad": _pad,
    "overlay": _overlay,
    "gather": gather,
}
