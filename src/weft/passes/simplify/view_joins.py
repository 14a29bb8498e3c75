"""Neighbouring views that together are one view: slices side by side in a concat, residues in turn in an interleave.

The one idea: a view is a base and a request for cells of it.  Two views of one base are one where their requests differ
in a single row, and the second begins where the first ends.  For memory, whose places are no part of a plan's key, this
is found while the key is made; for pending values it is a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import pairwise

from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import placed
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.pieces.demand import below_views
from weft.ir.pieces.request import Request, restrict, whole
from weft.passes.views import view_of

_CONCAT = OPS["concat"]
JOINS = frozenset([_CONCAT, OPS["interleave"]])


def have_neighbours(n: Node, parts: Sequence[Node]) -> bool:
    """True if two consecutive parts of a join n are views of one root, and so may become one view."""
    axis = n.attrs[0] if n.op is _CONCAT else None
    return any(
        a.alias is not None is not b.alias and a.alias[0] is b.alias[0] and (axis is None or _may_follow(a, b, axis))
        for a, b in pairwise(parts)
    )


def _may_follow(a: Node, b: Node, axis: int) -> bool:
    """True if b, a view of a's root, may begin behind the last position of a along an axis."""
    d, gap = a.desc, b.alias[1] - a.alias[1]  # type: ignore[index]
    size = d.shape[axis]
    return size < 2 or d.strides is None or not (d.size and b.desc.size) or gap == size * d.strides[axis]


def merged(
    n: Node, parts: Sequence[Node], may_merge: Callable[[Node], bool], bases: Container[int] = ()
) -> Node | None:
    """Return n, a concat or interleave, with neighbouring views of one base merged.

    That is one view, or a concat of fewer parts. None if nothing merges, n has no cells, or a concat with an origin
    would keep several parts. `parts` have the cells of n's inputs; `may_merge` says which may be merged; `bases`: ids
    of views that count as bases themselves.

    >>> from weft.ir.atoms.selections import slice_
    >>> from weft.ir.graph.node import iota
    >>> x = iota((6,))
    >>> parts = [slice_(x, [(k, 1, 2)]) for k in (0, 2, 4)]
    >>> merged(se.concat(parts, 0), parts, lambda part: True) is x
    True
    """
    if not n.desc.size or not have_neighbours(n, parts):
        return None
    if n.op.name == "interleave":
        view = _merged_interleave(n, parts, may_merge, bases)
        return None if view is None else placed(view, n.desc.origin)
    fewer = _merged_neighbours(parts, n.attrs[0], may_merge, bases)
    if len(fewer) == 1 < len(parts):
        return placed(fewer[0], n.desc.origin)
    return se.concat(fewer, n.attrs[0]) if len(fewer) < len(parts) and n.desc.origin is None else None


def _cells(x: Node, bases: Container[int]) -> tuple[Node, Request]:
    """Return the node below a chain of views, stored views too, and the request to it.

    The chain ends at views with ids in `bases`.
    """
    return below_views(x, whole(x), lambda n: id(n) in bases)


def _merged_neighbours(
    nodes: Sequence[Node], axis: int, may_merge: Callable[[Node], bool], bases: Container[int]
) -> list[Node]:
    """Return the parts of a concat along an axis, with neighbouring views of one value merged into one view.

    `may_merge` says which of `nodes` may be merged; `bases` has ids of views to take as bases.
    """
    parts: list[Node] = []
    last: tuple[Node, Request] | None = None  # the base and cells of the last part
    for part in nodes:
        if last is not None and not part.desc.size:
            continue
        this = _cells(part, bases) if part.alias is not None and part.desc.size and may_merge(part) else None
        if this is not None and last is not None and this[0] is last[0]:
            size = last[1].sizes[axis]
            request = _whole([last[1], this[1]], axis, size, 1, size + part.desc.shape[axis])
            view = None if request is None else view_of(last[0], request)
            if request is not None and view is not None:
                parts[-1], last = view, (last[0], request)
                continue
        parts.append(part)
        last = this
    return parts


def _merged_interleave(
    n: Node, parts: Sequence[Node], may_merge: Callable[[Node], bool], bases: Container[int]
) -> Node | None:
    """Return the single view that interleave n of strided views `parts` equals; None if there is none.

    `may_merge` says which parts may be merged; `bases` has ids of views to take as bases.
    """
    axis, k = n.attrs[0], len(parts)
    if not all(p.alias is not None and p.desc.shape[axis] and may_merge(p) for p in parts):
        return None
    (base, first), *others = [_cells(p, bases) for p in parts]
    if any(x is not base for x, _ in others):
        return None
    request = _whole([first, *[b for _, b in others]], axis, 1, k, n.desc.shape[axis])
    return None if request is None else view_of(base, request)


def _whole(parts: Sequence[Request], axis: int, apart: int, stride: int, size: int) -> Request | None:
    """Return the request for `size` positions along an axis of which part i has those from i · `apart` on.

    They are `stride` positions apart. None if there is no such request.
    """
    first, second = parts[:2]
    moved = [(r, x[0], y[0] - x[0]) for r, (x, y) in enumerate(zip(first.rows, second.rows, strict=True)) if x != y]
    if len(moved) != 1 or moved[0][2] % apart:
        return None
    ((row, start, gap),) = moved
    sizes = (*first.sizes[:axis], size, *first.sizes[axis + 1 :])
    rows = (*first.rows[:row], (start, ((axis, gap // apart),)), *first.rows[row + 1 :])
    made = Request(sizes, first.start, first.step, rows)
    cut = [restrict(made, axis, i * apart, part.sizes[axis], stride) for i, part in enumerate(parts)]
    return made if all(a.rows == b.rows for a, b in zip(cut, parts, strict=True)) else None
