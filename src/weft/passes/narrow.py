"""Reductions and scans of just the cells that somebody reads.

The one idea: a request travels from the roots down, as a progression of positions per axis; what is stored on the way
is made for the positions asked for alone, and put where readers look for it by a padding that nobody reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

from weft.ir.atoms import affine as se
from weft.ir.atoms import composites as co
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, make, result, scalar
from weft.ir.pieces.request import NotAView, Request, TooManyPieces, row_range
from weft.ir.pieces.routing import AFFINE, step
from weft.passes.cost import BARRIERS
from weft.passes.fuse import is_stored
from weft.passes.simplify.rule import placed


class Span(NamedTuple):
    """Positions first, first + step, ... (so many cells) of an axis."""

    first: int
    step: int
    cells: int

    @property
    def last(self) -> int:
        return self.first + self.step * (self.cells - 1)

    def joined(self, other: Span) -> Span:
        """The least progression with the positions of both."""
        first, last = min(self.first, other.first), max(self.last, other.last)
        by = gcd(self.step if self.cells > 1 else 0, other.step if other.cells > 1 else 0, self.first - other.first)
        return Span(first, by or 1, (last - first) // (by or 1) + 1)


Spans = tuple[Span, ...]


def all_of(shape: Shape) -> Spans:
    """Every position."""
    return tuple([Span(0, 1, n) for n in shape])


def asked(nodes: Sequence[Node], wanted: set[int]) -> dict[int, Spans]:
    """The positions of every node that computing the wanted ones reads; nodes of which nothing is read are missing.

    `nodes` stand inputs before readers.
    """
    found = {id(n): all_of(n.desc.shape) for n in nodes if id(n) in wanted}

    def ask(n: Node, spans: Spans) -> None:
        known = found.get(id(n))
        found[id(n)] = spans if known is None else tuple([a.joined(b) for a, b in zip(known, spans, strict=True)])

    for n in reversed(nodes):
        spans = found.get(id(n))
        if spans is None or is_stored(n) or n.op.kind == "source" or any(s.cells == 0 for s in spans):
            if spans is not None and not is_stored(n):
                for i in n.inputs:
                    ask(i, all_of(i.desc.shape))
            continue
        for i, part in _asks(n, spans):
            ask(i, part)
    return found


def _asks(n: Node, spans: Spans) -> list[tuple[Node, Spans]]:
    """What a node reads of its inputs for some of its positions."""
    kind = n.op.kind
    if kind == "selection":
        return _through(n, spans)
    if kind == "reduce":
        return [(n.inputs[0], _summed(n, spans))]
    if kind == "scan":
        return [(n.inputs[0], _before(n, spans))]
    if kind == "call":
        return [(i, all_of(i.desc.shape)) for i in n.inputs]
    if n.op.name == "gather":
        array, *indices = n.inputs
        at, width = n.attrs[1], max(i.desc.ndim for i in indices)
        inner = spans[at : at + width]
        return [(array, all_of(array.desc.shape)), *[(i, _operand(inner, i)) for i in indices]]
    return [(i, _operand(spans, i)) for i in n.inputs]


def _summed(n: Node, spans: Spans) -> Spans:
    """A reduction reads its own axes whole, of the others what is asked for."""
    shape, (axes, keepdims) = n.inputs[0].desc.shape, n.attrs[:2]
    kept = [a for a in range(len(shape)) if keepdims or a not in axes]
    at = dict(zip(kept, spans, strict=True))
    return tuple([Span(0, 1, m) if a in axes else at[a] for a, m in enumerate(shape)])


def _operand(spans: Spans, x: Node) -> Spans:
    last = spans[len(spans) - x.desc.ndim :]
    return tuple([Span(0, 1, 1) if n == 1 else s for n, s in zip(x.desc.shape, last, strict=True)])


def _before(n: Node, spans: Spans) -> Spans:
    """A scan reads all cells up to the last one asked for."""
    axis, initial = n.attrs
    size = n.inputs[0].desc.shape[axis]
    needed = min(max(spans[axis].last + 1 - bool(initial), 0), size)
    return (*spans[:axis], Span(0, 1, needed), *spans[axis + 1 :])


def _through(n: Node, spans: Spans) -> list[tuple[Node, Spans]]:
    """A selection's request, routed."""
    if n.op.name not in AFFINE and spans == all_of(n.desc.shape):
        return [(i, all_of(i.desc.shape)) for i in n.inputs]
    sizes = tuple([s.cells for s in spans])
    rows = tuple([(s.first, ((d, s.step),) if s.cells > 1 else ()) for d, s in enumerate(spans)])
    try:
        parts = step(n, Request(sizes, (0,) * len(sizes), (1,) * len(sizes), rows))
    except (NotAView, TooManyPieces):
        return [(i, all_of(i.desc.shape)) for i in n.inputs]
    return [(n.inputs[i], tuple([_span(row, r.sizes) for row in r.rows])) for i, r in parts]


def _span(row: tuple[int, tuple[tuple[int, int], ...]], sizes: Shape) -> Span:
    low, high = row_range(row, sizes)
    by = gcd(*[a for p, a in row[1] if sizes[p] > 1]) or 1
    return Span(low, by, (high - low) // by + 1)


# ---- what is made instead


def narrowed(n: Node, made: Node, spans: Spans | None) -> Node | None:
    """A reduction, scan or routine of which only some positions are read; `made` is it over its simpler inputs."""
    if n.op.kind not in BARRIERS or not n.desc.size or spans == all_of(n.desc.shape):
        return None
    if spans is None:
        nothing = scalar(False if n.desc.dtype.kind == "bool" else 0, n.desc.dtype)
        return placed(se.broadcast_to(nothing, n.desc.shape), n.desc.origin)
    if n.op.kind == "call" or any(s.cells == 0 for s in spans):
        return None
    ((_, inner),) = _asks(made, spans)
    x = made.inputs[0]
    if made.op.kind == "scan":  # up to the last position asked for, from the first
        axis, initial = made.attrs
        spans = (*spans[:axis], Span(0, 1, inner[axis].cells + bool(initial)), *spans[axis + 1 :])
        if inner[axis].cells == 0 or spans == all_of(n.desc.shape):
            return None
    part = se.slice_(x, [(s.first, s.step, s.cells) for s in inner])
    small = make(made.op, (part,), made.attrs, result(n.desc.dtype, tuple([s.cells for s in spans])))
    small.code, small.lasti = n.code, n.lasti
    return placed(_spread(small, spans, n.desc.shape), n.desc.origin)


def _spread(x: Node, spans: Spans, shape: Shape) -> Node:
    """x with its cells at the positions of a larger shape; what lies between and around is never read."""
    for d, s in enumerate(spans):
        if s.step > 1:
            x = co.repeat(x, s.step, d)
            extent = [(0, 1, s.last - s.first + 1 if a == d else m) for a, m in enumerate(x.desc.shape)]
            x = se.slice_(x, extent)
    return co.pad(x, [(s.first, m - s.last - 1) for s, m in zip(spans, shape, strict=True)])


def certificate(n: Node, made: Node, spans: Spans | None) -> tuple[Node, Node]:
    """The cells asked for before and after: two nodes of the same value."""
    chosen = [(0, 1, 0)] * n.desc.ndim if spans is None else [(s.first, s.step, s.cells) for s in spans]
    return se.slice_(n, chosen), se.slice_(made, chosen)
