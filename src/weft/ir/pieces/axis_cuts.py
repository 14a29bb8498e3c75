"""Cuts of requests along one axis after another: what rolls, tiles and margins share.

The one idea: along an axis that comes again and again, a request is cut into blocks or into residues, whichever is
fewer.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.ir.graph.node import Node
from weft.ir.pieces.request import Block, Request, by_blocks, by_residues, periodic_is_finer, with_row


def axis_by_axis(
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


def periodic(node: Node, request: Request, axis: int, mirrored: int, before: int, n: int) -> list[tuple[int, Request]]:
    """Cut a request to a repeated axis: mirrored 0 wraps, 1 repeats the edge cell (symmetric), 2 does not (reflect)."""
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
