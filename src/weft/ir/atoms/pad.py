"""Additional cells before and after each axis.

Attributes: (((before, after), ...), mode); the inputs are x and the fill, which only mode "constant" uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ShapeError, ValueRangeError
from weft.ir.atoms.atom import (
    Array,
    Atom,
    Moved,
    Parts,
    aligned,
    check_fill,
    check_size,
    plus,
    positions,
    select,
    spread,
    total,
    unshared,
    zeros,
)
from weft.ir.atoms.position_tables import Table
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, make, result, scalar, where
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Block, Request, axis_by_axis, by_blocks, periodic

PAD_MODES = ("constant", "edge", "wrap", "reflect", "symmetric")


def pad(x: Node, pads: Sequence[tuple[int, int]], mode: str = "constant", fill: Node | None = None) -> Node:
    """Return x with additional cells before and after each axis: a fill, copies of the edge, or repeated cells.

    `pads` are (before, after) of every axis; modes are PAD_MODES. Raises ShapeError, DTypeError or ValueRangeError if
    widths, fill or mode do not fit.
    """
    d, widths = x.desc, tuple([(before, after) for before, after in pads])
    check_pads(d.shape, widths, mode)
    fill = zero_of(d.dtype) if fill is None else fill
    check_fill("pad", fill, d.dtype)
    fill = _shared_fill(fill)
    shape = tuple([b + n + a for n, (b, a) in zip(d.shape, widths, strict=True)])
    check_size("pad", shape)
    origin = tuple([o - b for o, (b, _) in zip(d.domain.origin, widths, strict=True)]) if d.origin is not None else None
    return make(OPS["pad"], (x, fill), (widths, mode), result(d.dtype, shape, origin))


def check_pads(shape: Shape, widths: tuple[tuple[int, int], ...], mode: str) -> None:
    """Raise ValueRangeError for an unknown mode, ShapeError for widths that a tensor of this shape cannot be padded by.

    `widths` are (before, after) of every axis.
    """
    if not isinstance(mode, str) or mode not in PAD_MODES:
        raise ValueRangeError(f"pad: mode {mode!r}; modes are {', '.join(PAD_MODES)}; give one of them")
    if len(widths) != len(shape):
        raise ShapeError(
            f"pad: {len(widths)} widths for a tensor of rank {len(shape)}; one pair per axis is needed; add it"
        )
    for axis, ((before, after), n) in enumerate(zip(widths, shape, strict=True)):
        if before < 0 or after < 0:
            raise ShapeError(
                f"pad: width {(before, after)} along axis {axis}; widths are >= 0; slice to make it smaller"
            )
        if n == 0 and before + after and mode != "constant":
            raise ShapeError(f"pad: axis {axis} is empty; mode {mode!r} has no cell to take; use mode 'constant'")


def zero_of(dtype: DType) -> Node:
    """Return 0, or False, of a dtype: the same node each time, so that it is one argument of a kernel."""
    return _shared_fill(scalar(False if dtype.kind == "bool" else 0, dtype))


_FILLS: dict[tuple[DType, str], Node] = {}


def _shared_fill(fill: Node) -> Node:
    """Return the same node for all scalar fills of one number, so that padded parts share a kernel argument.

    A NaN fill is returned as it is, since NaNs with different bits are spelled the same.
    """
    if fill.op.name != "scalar" or len(_FILLS) > 1000 or fill.attrs[0] != fill.attrs[0]:
        return fill
    key = fill.desc.dtype, repr(fill.attrs[0])
    known = _FILLS.get(key)
    if known is None or known.value is not None:  # a computed scalar lies in memory: it is no argument any more
        known = _FILLS[key] = fill
    return known


def _cut(node: Node, request: Request) -> list[tuple[int, Request]]:
    shape, (pads, mode) = node.inputs[0].desc.shape, node.attrs

    def cut(request: Request, axis: int) -> list[tuple[int, Request]]:
        (before, after), n = pads[axis], shape[axis]
        if mode in ("constant", "edge") or (mode == "reflect" and n == 1):
            return by_blocks(node, request, axis, _margins(mode == "constant", before, n, after))
        return periodic(node, request, axis, ("wrap", "symmetric", "reflect").index(mode), before, n)

    return axis_by_axis([axis for axis, sizes in enumerate(pads) if any(sizes)], request, cut)


def _margins(constant: bool, before: int, n: int, after: int) -> Callable[[int], Block]:
    source = int(constant)

    def find(y: int) -> Block:
        if y < before:
            return 0, before, source, 0, 0
        if y < before + n:
            return before, before + n, 0, 1, -before
        return before + n, before + n + after, source, 0, n - 1

    return find


def _adjoint(node: Node, gradient: Node) -> tuple[Node, Node | None]:
    (pads, mode), shape, fill = node.attrs, node.inputs[0].desc.shape, None
    for axis, ((before, after), n) in enumerate(zip(pads, shape, strict=True)):
        if mode == "constant":
            if node.inputs[1].op.name != "scalar":
                margins = [positions(gradient, axis, 0, before), positions(gradient, axis, before + n, after)]
                sums = [total(m, range(m.desc.ndim)) for m in margins]
                fill = plus([fill, *sums] if fill is not None else sums)
            gradient = positions(gradient, axis, before, n)
        elif before or after:
            gradient = _with_margins(gradient, axis, mode, before, n)
    if fill is None and node.inputs[1].op.name != "scalar":
        fill = zeros((), gradient.desc.dtype)
    return gradient, fill


def _with_margins(gradient: Node, axis: int, mode: str, before: int, axis_size: int) -> Node:
    """Return the gradient of an axis, given that of the padded axis.

    It is that of the axis's own cells, plus those of margins that repeat the cells. The axis has `axis_size` cells,
    with `before` cells of margin before them; `mode` is that of the pad.
    """
    core, size = positions(gradient, axis, before, axis_size), gradient.desc.shape[axis]
    parts = [core]
    if mode == "edge" or (mode == "reflect" and axis_size == 1):
        margins = ((0, before, 0), (before + axis_size, size - before - axis_size, axis_size - 1))
        for start, width, at in margins:
            if width:
                parts.append(
                    spread(
                        total(positions(gradient, axis, start, width), (axis,), keepdims=True), axis, at, 1, axis_size
                    )
                )
        return plus(parts)
    length = axis_size - 1 if mode == "reflect" else axis_size
    first = -(-before // length)  # blocks of the period, counted from the one that x lies in
    for m in range(-first, -(-(size - before) // length)):
        low, high = max(before + m * length, 0), min(before + (m + 1) * length, size)
        if m > 0:
            low = max(low, before + axis_size)
        if m == 0 or low >= high:
            continue
        block, at = positions(gradient, axis, low, high - low), low - before - m * length
        if mode != "wrap" and m % 2:
            block, at = select("flip", block, (axis,)), axis_size - at - (high - low)
        parts.append(spread(block, axis, at, 1, axis_size))
    return plus(parts)


def _take(n: Node, axis: int, table: Table) -> Moved | None:
    (x, fill), (widths, mode) = n.inputs, n.attrs
    if mode == "constant" or widths[axis] == (0, 0):
        return None
    rest = [(0, 0) if d == axis else w for d, w in enumerate(widths)]
    padded = pad(x, rest, mode, fill) if any(map(any, rest)) else x
    return padded, _repeated_positions(table - widths[axis][0], x.desc.shape[axis], mode)


def _repeated_positions(positions: Table, size: int, mode: str) -> Table:
    """Return the position inside an axis whose cell a pad repeats at each of `positions`.

    The axis has `size` cells. Positions count from its first cell, and may lie outside.
    """
    if mode == "edge" or (mode == "reflect" and size == 1):
        return np.clip(positions, 0, size - 1)
    if mode == "wrap":
        return positions % size
    period = 2 * size if mode == "symmetric" else 2 * (size - 1)
    positions = positions % period
    return np.where(positions < size, positions, (2 * size - 1 if mode == "symmetric" else period) - positions)


def _numpy(parts: Parts, n: Node) -> Array:
    widths, mode = n.attrs
    x = parts[0]
    if mode == "constant":
        out = np.empty(n.desc.shape, x.dtype)
        out[...] = parts[1]
        out[tuple(slice(b, b + size) for (b, _), size in zip(widths, x.shape, strict=True))] = x
        return out
    return np.pad(x, widths, mode=mode) if widths else x


def _batched(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    (x, _), fill, (widths, mode) = unshared(n, batched_inputs, batch_size), batched_inputs[1], n.attrs
    if not fill.desc.ndim:
        return pad(x, ((0, 0), *widths), mode, fill)
    own = select("broadcast_to", scalar(True, dt.bool), n.inputs[0].desc.shape)
    return where(pad(own, widths, mode), pad(x, ((0, 0), *widths), mode), aligned(fill, n.inputs[1], n.desc.ndim))


ATOM = Atom(
    "pad",
    pad,
    rebuild=lambda n: pad(n.inputs[0], n.attrs[0], n.attrs[1], n.inputs[1]),
    cut=_cut,
    adjoint=_adjoint,
    take=_take,
    numpy=_numpy,
    batched=_batched,
)
