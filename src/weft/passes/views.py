"""Nodes over other inputs, and requests as nodes: what passes build when they put one expression for another.

The one idea: a request that moves along every axis alone is an affine view, and parts of one that lie side by side or
in turn are a composite of such views.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from weft.ir.atoms import selections as se
from weft.ir.atoms.table import AFFINE, ATOMS
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import POINTWISE
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import Request, whole
from weft.passes.fuse import is_stored

MAX_INPUTS = 1 << 16  # of a composite made by joining others


def rebuilt(n: Node, inputs: tuple[Node, ...]) -> Node:
    """Return a node over other inputs of the same shapes and dtypes; itself if they are its own."""
    return n if all(a is b for a, b in zip(inputs, n.inputs, strict=True)) else over(n, inputs)


def over(n: Node, inputs: tuple[Node, ...]) -> Node:
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
    made.code, made.lasti = n.code, n.lasti
    return made


def placed(x: Node, origin: Shape | None) -> Node:
    """Return x on a domain with another origin; x itself if it has that origin."""
    wanted, found = origin or (0,) * x.desc.ndim, x.desc.domain.origin
    return x if wanted == found else se.translate(x, [w - f for w, f in zip(wanted, found, strict=True)])


def reach(n: Node, copies: bool = False) -> tuple[Node, Request]:
    """Return the node below a chain of views, and the request to it for all of n.

    With `copies`, copies are passed through, too.
    """
    request = whole(n)
    while not is_stored(n):
        if n.op.name in AFFINE:
            ((_, request),) = demand(n, request)
        elif not (copies and n.op.name == "positive"):
            break
        n = n.inputs[0]
    return n, request


def repeated(x: Node) -> tuple[int, ...]:
    """Return the axes along which x repeats one cell: those whose steps are 0 bytes."""
    d = x.desc
    if x.alias is None and not is_stored(x):
        return ()
    return d.repeated


def first_of(x: Node, axes: Container[int]) -> Node:
    """Return a view of x with only the first cell along some axes."""
    slices = [(0, 1, min(n, 1)) if a in axes else (0, 1, n) for a, n in enumerate(x.desc.shape)]
    return se.slice_(x, slices)


def computed_once(x: Node) -> Node | None:
    """Return element-wise work with one cell along the axes along which no operand varies; None without such axes."""
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
    parts = [first_of(i, [a - (ndim - i.desc.ndim) for a in axes]) if i.desc.ndim else i for i in x.inputs]
    shape = tuple([1 if a in axes else n for a, n in enumerate(x.desc.shape)])
    made = make(x.op, tuple(parts), x.attrs, result(x.desc.dtype, shape))
    made.traits, made.code, made.lasti = x.traits, x.code, x.lasti
    return made


def view_of(x: Node, request: Request) -> Node | None:
    """Return the view of x that has the cells of a request; None if no view has.

    >>> from weft.ir.pieces.request import Request
    >>> from weft import dtypes as dt
    >>> from weft.ir.graph.ops import OPS
    >>> x = make(OPS["iota"], (), (0,), result(dt.int64, (5, 3)))
    >>> view_of(x, Request((2, 4), (0, 0), (1, 1), ((4, ((0, -2),)), (1, ())))).desc.shape
    (2, 4)
    """
    part = part_of(x, request)
    return part if part is None or part.desc.shape == request.sizes else se.broadcast_to(part, request.sizes)


def is_affine(request: Request) -> bool:
    """True if every axis moves with one parameter at most, and no two axes with the same."""
    moving = [p for _, terms in request.rows for p, _ in terms]
    return len(set(moving)) == len(moving) and all(len(terms) < 2 for _, terms in request.rows)


def part_of(x: Node, request: Request) -> Node | None:
    """Return the view that `view_of` gives, with one cell along parameters that only repeat cells."""
    if not is_affine(request):
        return None
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
    """Return parts of a request as one node, given the node that each reads; None if they do not lie side by side."""
    way = joining(shape, parts)
    if way is None:
        return None
    views = [x for k in way.order if (x := view_of(inputs[k], parts[k])) is not None]
    return views[0] if way.join is None else way.join(views, way.axis)


class Joining(NamedTuple):
    """The composition of a request from parts: their order, and a composite along an axis (None: one part)."""

    order: Sequence[int]
    join: Callable[[Sequence[Node], int], Node] | None = None
    axis: int = 0


def joining(shape: Shape, parts: Sequence[Request]) -> Joining | None:
    """Return how parts of a request are put together along one axis, side by side or in turn; None if they are not."""
    if len(parts) > MAX_INPUTS or not all(is_affine(r) for r in parts):
        return None
    if len(parts) == 1:
        return Joining((0,))
    cut = {d for r in parts for d, size in enumerate(shape) if r.sizes[d] != size}
    if len(cut) != 1:
        return None
    (d,) = cut
    order = sorted(range(len(parts)), key=lambda k: parts[k].start[d])
    steps = {r.step[d] for r in parts if r.sizes[d] > 1} or {1}
    starts = [parts[k].start[d] for k in order]
    if steps == {1} and [parts[k].start[d] + parts[k].sizes[d] for k in order] == [*starts[1:], shape[d]]:
        return Joining(order, se.concat, d)
    if steps == {len(parts)} and starts == list(range(len(parts))):
        return Joining(order, se.interleave, d)
    return None
