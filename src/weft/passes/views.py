"""Nodes over other inputs, and requests as nodes: the tools with which passes replace expressions.

The one idea: a request that moves along every axis alone is an affine view, and parts of a request that lie side by
side or in turn are a composite of such views.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import pairwise
from typing import NamedTuple

from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import positions
from weft.ir.atoms.table import AFFINE, ATOMS
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, keep_label, keep_live, make, mark_replacement, result, walk
from weft.ir.graph.ops import POINTWISE
from weft.ir.pieces.demand import below_views
from weft.ir.pieces.request import Request, whole
from weft.passes.fuse import is_stored

MAX_INPUTS = 1 << 16  # of a composite made by joining others


def rebuilt(n: Node, inputs: tuple[Node, ...]) -> Node:
    """Return a node over other inputs of the same shapes and dtypes; n itself if they are its own inputs."""
    return n if all(a is b for a, b in zip(inputs, n.inputs, strict=True)) else with_inputs(n, inputs)


def with_inputs(n: Node, inputs: tuple[Node, ...]) -> Node:
    """Return a copy of a node over other inputs of the same shapes and dtypes."""
    if n.op.name in AFFINE:
        made = ATOMS[n.op.name].make(inputs[0], *n.attrs)
    elif n.op.name in ("real", "imag") and n.alias is not None:
        made = se.part(inputs[0], n.op.name)
    elif n.op.name == "reshape" and n.alias is not None:  # a value of its own where cells now lie otherwise
        view = se.reshape_view(inputs[0], *n.attrs)
        made = view if view is not None else make(n.op, inputs, n.attrs, result(n.desc.dtype, n.desc.shape))
    else:
        made = make(n.op, inputs, n.attrs, n.desc)
    made.traits = n.traits
    made.code, made.lasti = n.code, n.lasti  # as `mark_replacement` does, without a call for each node
    if hasattr(n, "label"):
        keep_label(made, n)
    return made


def replaced(roots: Sequence[Node], replacement: Callable[[Node], Node | None]) -> list[Node]:
    """Return the roots with nodes replaced.

    `replacement` returns the node to take in place of one, or None for a node that stays.
    """
    made: dict[int, Node] = {}
    for n in walk(roots):
        if (other := replacement(n)) is not None:
            made[id(n)] = other
        elif n.value is None and any(id(i) in made for i in n.inputs):
            made[id(n)] = with_inputs(n, tuple([made.get(id(i), i) for i in n.inputs]))
            keep_live(made[id(n)], n)
    return [made.get(id(r), r) for r in roots]


def reach(n: Node, copies: bool = False) -> tuple[Node, Request]:
    """Return the node below a chain of views, and the request to it for all cells of n.

    With `copies`, nodes that copy are passed through, too.
    """
    n, request = below_views(n, whole(n), is_stored)
    while copies and n.op.name == "positive" and not is_stored(n):
        n, request = below_views(n.inputs[0], request, is_stored)
    return n, request


def repeated(x: Node) -> tuple[int, ...]:
    """Return the axes along which x repeats a single cell."""
    return () if x.alias is None and x.value is None else x.desc.repeated


def first_cells(x: Node, axes: Container[int]) -> Node:
    """Return a view of x with only the first cell along the given axes."""
    slices = [(0, 1, min(n, 1)) if a in axes else (0, 1, n) for a, n in enumerate(x.desc.shape)]
    return se.slice_(x, slices)


def computed_once(x: Node) -> Node | None:
    """Return an element-wise node with size 1 along the axes where no operand varies; None without such axes."""
    if x.op.kind not in POINTWISE or x.alias is not None or is_stored(x):
        return None
    ndim, axes = x.desc.ndim, {a for a, n in enumerate(x.desc.shape) if n > 1}
    for i in x.inputs:
        if i.alias is None and i.value is None and i.desc.shape == x.desc.shape:
            return None  # nothing of it repeats
        lead, again = ndim - i.desc.ndim, repeated(i)
        axes -= {lead + a for a, n in enumerate(i.desc.shape) if n > 1 and a not in again}
    if not axes:
        return None
    parts = [first_cells(i, [a - (ndim - i.desc.ndim) for a in axes]) if i.desc.ndim else i for i in x.inputs]
    shape = tuple([1 if a in axes else n for a, n in enumerate(x.desc.shape)])
    made = make(x.op, tuple(parts), x.attrs, result(x.desc.dtype, shape))
    made.traits = x.traits
    return mark_replacement(made, x)


def view_of(x: Node, request: Request) -> Node | None:
    """Return the view of x with the cells of a request; None if there is no such view.

    >>> from weft.ir.pieces.request import Request
    >>> from weft.ir.graph.node import iota
    >>> x = iota((5, 3))
    >>> view_of(x, Request((2, 4), (0, 0), (1, 1), ((4, ((0, -2),)), (1, ())))).desc.shape
    (2, 4)
    """
    part = view_without_repeats(x, request)
    return part if part is None or part.desc.shape == request.sizes else se.broadcast_to(part, request.sizes)


def is_affine(request: Request) -> bool:
    """True if no parameter of a request moves two axes.

    An axis with several parameters may only move forwards.
    """
    moving = [p for _, terms in request.rows for p, _ in terms]
    ahead = all(len(terms) < 2 or min(a for _, a in terms) > 0 for _, terms in request.rows)
    return ahead and len(set(moving)) == len(moving)


def _unrolled(x: Node, request: Request) -> tuple[Node, Request]:
    """Return a window view of x with an axis for every parameter of a request, and the new request.

    >>> from weft.ir.graph.node import iota
    >>> x = iota((30,))
    >>> made, rest = _unrolled(x, Request((2, 7), (0, 0), (1, 1), ((3, ((0, 12), (1, 1))),)))
    >>> made.desc.shape, rest.rows
    ((13, 7), ((0, ((0, 12),)), (0, ((1, 1),))))
    """
    rows = list(request.rows)
    for axis, (first, terms) in enumerate(rows):
        if len(terms) < 2:
            continue
        outer, *inner = sorted(terms, key=lambda t: -t[1])
        width = 1 + sum([a * (request.sizes[p] - 1) for p, a in inner])
        size = outer[1] * (request.sizes[outer[0]] - 1) + width
        x = positions(x, axis, first, size)
        rows[axis] = (0, (outer,))
        rows.append((0, tuple(inner)))
        return _unrolled(se.window(x, (width,), (axis,)), request._replace(rows=tuple(rows)))
    return x, request


def view_without_repeats(x: Node, request: Request) -> Node | None:
    """Return the view of `view_of`, but with size 1 along parameters that only repeat cells.

    None if there is no such view.
    """
    if not is_affine(request):
        return None
    x, request = _unrolled(x, request)
    moving = [terms[0][0] for _, terms in request.rows if terms]
    slices = tuple([(o, t[0][1], request.sizes[t[0][0]]) if t else (o, 1, 1) for o, t in request.rows])
    if slices != tuple([(0, 1, n) for n in x.desc.shape]):
        x = se.slice_(x, slices)
    gone = [axis for axis, (_, terms) in enumerate(request.rows) if not terms]
    x = se.squeeze(x, gone) if gone else x
    if moving != sorted(moving):
        x = se.permute(x, [moving.index(p) for p in sorted(moving)])
    missing = [p for p in range(len(request.sizes)) if p not in moving]
    return se.expand_dims(x, missing) if missing else x


def joined(shape: Shape, parts: Sequence[Request], inputs: Sequence[Node]) -> Node | None:
    """Return the composite of the parts of a request, given the node of each part; None if `joining` finds none."""
    way = joining(shape, parts)
    return None if way is None else composed(way, parts, inputs)


class Joining(NamedTuple):
    """A way to put the cells of a request together from parts that are joined along an axis.

    Each part is the number of a request, or is put together itself.  `join` makes the composite; it is None for a
    single part.
    """

    parts: Sequence[int | Joining]
    join: Callable[[Sequence[Node], int], Node] | None = None
    axis: int = 0


def composed(plan: int | Joining, parts: Sequence[Request], inputs: Sequence[Node]) -> Node:
    """Return the node that joins parts by a plan of `joining`, or the one part whose number the plan is.

    A part is the request `parts[k]` of the node `inputs[k]`.
    """
    if isinstance(plan, int):
        view = view_of(inputs[plan], parts[plan])
        assert view is not None
        return view
    made = [composed(w, parts, inputs) for w in plan.parts]
    return made[0] if plan.join is None else plan.join(made, plan.axis)


def joining(shape: Shape, parts: Sequence[Request], per_axis: bool = False) -> Joining | None:
    """Return the plan to put a request together from parts, side by side or interleaved; None if there is none.

    `shape` has the sizes of the request. With `per_axis`, parts along several axes are put together axis by axis.
    """
    if len(parts) > MAX_INPUTS or not all(is_affine(r) for r in parts):
        return None
    if len(parts) == 1:
        return Joining((0,))
    cut = {d for r in parts for d, size in enumerate(shape) if r.sizes[d] != size}
    if len(cut) != 1:
        found = _slabs(range(len(parts)), parts) if per_axis else None
        return found if isinstance(found, Joining) else None
    (d,) = cut
    order = sorted(range(len(parts)), key=lambda k: parts[k].start[d])
    steps = {r.step[d] for r in parts if r.sizes[d] > 1} or {1}
    starts = [parts[k].start[d] for k in order]
    if steps == {1} and [parts[k].start[d] + parts[k].sizes[d] for k in order] == [*starts[1:], shape[d]]:
        return Joining(order, se.concat, d)
    if steps == {len(parts)} and starts == list(range(len(parts))):
        return Joining(order, se.interleave, d)
    return None


def _slabs(numbers: Sequence[int], parts: Sequence[Request]) -> int | Joining | None:
    """Return the way to put a box together from the parts numbered in `numbers`, by nested concats.

    It is the number itself for a single part, None if no axis separates the parts.
    """
    if len(numbers) == 1:
        return numbers[0]
    for d in range(len(parts[numbers[0]].sizes)):
        slabs: dict[tuple[int, int], list[int]] = {}
        for k in numbers:
            if parts[k].sizes[d] > 1 and parts[k].step[d] > 1:
                break  # in turn
            slabs.setdefault((parts[k].start[d], parts[k].sizes[d]), []).append(k)
        else:
            spans = sorted(slabs)
            if len(spans) > 1 and all(first + n == after for (first, n), (after, _) in pairwise(spans)):
                found = [_slabs(slabs[s], parts) for s in spans]
                if (ways := [w for w in found if w is not None]) and len(ways) == len(found):
                    return Joining(ways, se.concat, d)
    return None
