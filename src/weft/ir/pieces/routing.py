"""Routing one step: which input of a selection answers which part of a request.

The one idea: an affine atom rewrites the map that says where to read; a composite also cuts the request so that each
part reads one input.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from weft.errors import InternalError
from weft.ir.atoms.affine import MAX_CELLS
from weft.ir.graph.node import Node
from weft.ir.pieces.layers import Extent
from weft.ir.pieces.request import (
    MAX_PIECES,
    Block,
    Request,
    Row,
    TooManyPieces,
    added,
    by_blocks,
    by_residues,
    operand,
    periodic_is_finer,
    restrict,
    row_range,
    scaled,
    whole,
    with_row,
)
from weft.ir.pieces.unravel import reshaped

__all__ = ["AFFINE", "COMPOSITE", "Request", "operand", "restrict", "whole"]


# ---- affine atoms: the rows of the input from the rows of the view


def _permute(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    out = list(rows)
    for row, a in zip(rows, node.attrs[0], strict=True):
        out[a] = row
    return tuple(out)


def _flip(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    out = list(rows)
    for a in node.attrs[0]:
        out[a] = scaled(rows[a], node.desc.shape[a] - 1, -1)
    return tuple(out)


def _slice(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(
        [
            (start + row[0], row[1]) if step == 1 else scaled(row, start, step)
            for row, (start, step, _) in zip(rows, node.attrs[0], strict=True)
        ]
    )


def _index(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    out = list(rows)
    for a, p in node.attrs[0]:
        out.insert(a, (p, ()))
    return tuple(out)


def _expand_dims(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple([row for a, row in enumerate(rows) if a not in node.attrs[0]])


def _squeeze(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    out = list(rows)
    for a in node.attrs[0]:
        out.insert(a, (0, ()))
    return tuple(out)


def _broadcast_to(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    shape = node.inputs[0].desc.shape
    return tuple([(0, ()) if n == 1 else r for n, r in zip(shape, rows[len(rows) - len(shape) :], strict=True)])


def _window(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    axes = node.attrs[1]
    out = list(rows[: len(rows) - len(axes)])
    for a, row in zip(axes, rows[len(out) :], strict=True):
        out[a] = added(out[a], row)
    return tuple(out)


def _diagonal(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    offset, a, b = node.attrs
    o, terms = rows[-1]
    out = list(rows[:-1])
    placed = [(a, (o + max(-offset, 0), terms)), (b, (o + max(offset, 0), terms))]
    for axis, row in sorted(placed):
        out.insert(axis, row)
    return tuple(out)


def _translate(node: Node, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return rows


AFFINE: dict[str, Callable[[Node, tuple[Row, ...]], tuple[Row, ...]]] = {
    "permute": _permute,
    "flip": _flip,
    "slice": _slice,
    "index": _index,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "broadcast_to": _broadcast_to,
    "window": _window,
    "diagonal": _diagonal,
    "translate": _translate,
}


# ---- composites


def _concat(node: Node, request: Request) -> list[tuple[int, Request]]:
    axis, offsets = node.attrs

    def find(y: int) -> Block:
        i = bisect_right(offsets, y) - 1
        return offsets[i], offsets[i + 1], i, 1, -offsets[i]

    return by_blocks(node, request, axis, find)


def _interleave(node: Node, request: Request) -> list[tuple[int, Request]]:
    axis, k = node.attrs[0], len(node.inputs)
    parts = []
    for r in by_residues(node, request, axis, k):
        o, terms = r.rows[axis]
        parts.append((o % k, with_row(r, axis, (o // k, tuple([(p, a // k) for p, a in terms])))))
    return parts


def _repeat(node: Node, request: Request) -> list[tuple[int, Request]]:
    count, axis = node.attrs
    if not periodic_is_finer(request, axis, count, count):
        return by_blocks(node, request, axis, lambda y: (y - y % count, y - y % count + count, 0, 0, y // count))
    parts = []
    for r in by_residues(node, request, axis, count):
        o, terms = r.rows[axis]
        parts.append((0, with_row(r, axis, (o // count, tuple([(p, a // count) for p, a in terms])))))
    return parts


def _axis_by_axis(
    node: Node, request: Request, cut: Callable[[Request, int], list[tuple[int, Request]]]
) -> list[tuple[int, Request]]:
    """Cut along one axis after another, the last first, what input 0 still answers.

    Margins of the last axis then run over all rows, and join those of the next part where parts are concatenated.
    """
    done: list[tuple[int, Request]] = []
    pending = [request]
    for axis in range(node.desc.ndim - 1, -1, -1):
        following = []
        for r in pending:
            for source, part in cut(r, axis):
                if source == 0:
                    following.append(part)
                else:
                    done.append((source, Request(part.sizes, part.start, part.step, ())))
        pending = following
    return [*[(0, r) for r in pending], *done]


def _periodic(node: Node, request: Request, axis: int, mirrored: int, before: int, n: int) -> list[tuple[int, Request]]:
    """The axis again and again: mirrored 0 wraps, 1 repeats the edge cell (symmetric), 2 does not (reflect)."""
    length = n - 1 if mirrored == 2 else n
    find = _block_finder(mirrored, before, n)
    if not periodic_is_finer(request, axis, 2 * length if mirrored else length, length):
        return by_blocks(node, request, axis, find)
    parts = []
    for r in by_residues(node, request, axis, 2 * length if mirrored else length):
        o = r.rows[axis][0]
        _, _, _, sign, shift = find(o)
        parts.append((0, with_row(r, axis, (shift + sign * o, ()))))
    return parts


def _block_finder(mirrored: int, before: int, n: int) -> Callable[[int], Block]:
    length = n - 1 if mirrored == 2 else n

    def find(y: int) -> Block:
        if before <= y < before + n:
            return before, before + n, 0, 1, -before
        m = (y - before) // length
        low = before + m * length
        if mirrored and m % 2:
            return (before + n if m == 1 else low), low + length, 0, -1, low + n - 1
        return low, low + length, 0, 1, -low

    return find


def _tile(node: Node, request: Request) -> list[tuple[int, Request]]:
    shape, reps = node.inputs[0].desc.shape, node.attrs[0]

    def cut(r: Request, axis: int) -> list[tuple[int, Request]]:
        return [(0, r)] if reps[axis] == 1 else _periodic(node, r, axis, 0, 0, shape[axis])

    return _axis_by_axis(node, request, cut)


def _roll(node: Node, request: Request) -> list[tuple[int, Request]]:
    shifts = dict(zip(node.attrs[1], node.attrs[0], strict=True))

    def cut(r: Request, axis: int) -> list[tuple[int, Request]]:
        s, n = shifts.get(axis, 0), node.desc.shape[axis]
        return by_blocks(node, r, axis, lambda y: (0, s, 0, 1, n - s) if y < s else (s, n, 0, 1, -s))

    return _axis_by_axis(node, request, cut)


def _pad(node: Node, request: Request) -> list[tuple[int, Request]]:
    shape, (pads, mode) = node.inputs[0].desc.shape, node.attrs

    def cut(r: Request, axis: int) -> list[tuple[int, Request]]:
        (before, after), n = pads[axis], shape[axis]
        if not before and not after:
            return [(0, r)]
        if mode in ("constant", "edge") or (mode == "reflect" and n == 1):
            return by_blocks(node, r, axis, _margins(mode == "constant", before, n, after))
        return _periodic(node, r, axis, ("wrap", "symmetric", "reflect").index(mode), before, n)

    return _axis_by_axis(node, request, cut)


def _margins(constant: bool, before: int, n: int, after: int) -> Callable[[int], Block]:
    source = int(constant)

    def find(y: int) -> Block:
        if y < before:
            return 0, before, source, 0, 0
        if y < before + n:
            return before, before + n, 0, 1, -before
        return before + n, before + n + after, source, 0, n - 1

    return find


def _overlay(node: Node, request: Request) -> list[tuple[int, Request]]:
    """From the top layer down: what lies in its box is answered, the rest is asked of those below."""
    layers, filled = node.attrs
    low, high = zip(*[row_range(row, request.sizes) for row in request.rows], strict=True) if request.rows else ((), ())
    parts, pending = [], [request]
    for i in layers.touching(Extent(low, tuple([y + 1 for y in high]))):
        following: list[Request] = []
        for r in pending:
            parts.extend([(i, inside) for inside in _in_box(node, r, layers.boxes[i], following)])
        pending = following
        if len(parts) + len(pending) > MAX_PIECES:
            raise TooManyPieces(node)
        if not pending:
            break
    if pending and not filled:
        raise InternalError(f"overlay: {pending[0]} meets a hole of {node!r}; please report this")
    return parts + [(len(node.inputs) - 1, Request(r.sizes, r.start, r.step, ())) for r in pending]


def _in_box(node: Node, request: Request, box: Extent, outside: list[Request]) -> list[Request]:
    """The parts inside a box, in its coordinates; those outside are appended to the list given."""
    for row, first, stop in zip(request.rows, box.low, box.high, strict=True):
        low, high = row_range(row, request.sizes)
        if high < first or low >= stop:  # nothing meets: not to be cut along the axes before this one
            outside.append(request)
            return []
    inside = [request]
    for axis, (low, high) in enumerate(zip(box.low, box.high, strict=True)):
        cut = [part for r in inside for part in by_blocks(node, r, axis, _interval(low, high))]
        inside = [r for source, r in cut if source == 0]
        outside.extend([r for source, r in cut if source == 1])
    return [
        Request(r.sizes, r.start, r.step, tuple([(o - low, t) for (o, t), low in zip(r.rows, box.low, strict=True)]))
        for r in inside
    ]


def _interval(low: int, high: int) -> Callable[[int], Block]:
    def find(y: int) -> Block:
        if y < low:
            return -MAX_CELLS, low, 1, 1, 0
        return (low, high, 0, 1, 0) if y < high else (high, MAX_CELLS, 1, 1, 0)

    return find


COMPOSITE: dict[str, Callable[[Node, Request], list[tuple[int, Request]]]] = {
    "concat": _concat,
    "interleave": _interleave,
    "repeat": _repeat,
    "tile": _tile,
    "roll": _roll,
    "pad": _pad,
    "overlay": _overlay,
    "reshape": reshaped,
}
