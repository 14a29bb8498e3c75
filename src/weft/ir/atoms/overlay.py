"""Parts laid over each other at the coordinates of their domains, later ones over earlier ones.

Attributes: (layers, filled); layers are the boxes of the parts, and the fill, if any, is the last input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from weft import dtypes as dt
from weft.errors import DTypeError, InternalError, ShapeError
from weft.ir.atoms.atom import (
    MAX_CELLS,
    Array,
    Atom,
    Parts,
    aligned,
    check_fill,
    check_size,
    select,
    total,
    unshared,
    zeros,
)
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.domain import Domain, hull
from weft.ir.graph.node import Node, make, result, scalar, where
from weft.ir.graph.ops import OPS
from weft.ir.pieces.layers import LayerBox, Layers, intersection
from weft.ir.pieces.request import MAX_PIECES, Block, Request, TooManyPieces, by_blocks, row_range


def overlay(parts: Sequence[Node], domain: Domain | None = None, fill: Node | None = None) -> Node:
    """Return parts laid over each other at the coordinates of their own domains, later parts over earlier ones.

    The result's `domain` is by default the smallest that holds all parts.  Raises ShapeError if ranks differ, or if a
    coordinate is in no part and there is no fill; DTypeError if dtypes differ.
    """
    d, domain = _check_layers(parts), _laid_on(parts, domain)
    layers = Layers([_box(x.desc.domain, domain.start) for x in parts])
    if fill is not None:
        check_fill("overlay", fill, d.dtype)
    elif (hole := layers.hole(LayerBox((0,) * d.ndim, domain.shape))) is not None:
        raise ShapeError(
            f"overlay: no part covers coordinate {_shifted(hole, domain)} of {domain}; a hole has no value; give a fill"
        )
    inputs = (*parts, fill) if fill is not None else tuple(parts)
    return make(OPS["overlay"], inputs, (layers, fill is not None), result(d.dtype, domain.shape, domain.start))


def _laid_on(parts: Sequence[Node], domain: Domain | None) -> Domain:
    """Return `domain`, or if it is None the smallest domain that holds all non-empty parts.

    Raises ShapeError if its rank differs from the parts'.
    """
    if domain is None:
        covered = [x.desc.domain for x in parts if x.desc.size] or [parts[0].desc.domain]
        domain = hull(covered)
    elif len(domain.shape) != parts[0].desc.ndim:
        raise ShapeError(
            f"overlay: {domain} for parts of rank {parts[0].desc.ndim}; the ranks must agree; "
            "give one interval per axis"
        )
    check_size("overlay", domain.shape)
    return domain


def check_cover(parts: Sequence[Node], domain: Domain | None = None, allow_holes: bool = False) -> None:
    """Raise ShapeError if a coordinate of the domain lies in two parts, or in none unless `allow_holes` is true."""
    _check_layers(parts)
    domain = _laid_on(parts, domain)
    whole = LayerBox((0,) * len(domain.shape), domain.shape)
    nowhere = LayerBox(whole.low, whole.low)
    layers = Layers([intersection(_box(x.desc.domain, domain.start), whole) or nowhere for x in parts])
    clash, hole = layers.clash(), None if allow_holes else layers.hole(whole)
    faults = []
    if clash is not None:
        faults.append(f"coordinate {_shifted(clash[2], domain)} lies in parts {clash[0]} and {clash[1]}")
    if hole is not None:
        faults.append(f"coordinate {_shifted(hole, domain)} lies in none")
    if faults:
        remedy = "cut the parts" if hole is None else "add what is missing, or give a fill"
        raise ShapeError(f"overlay: {' and '.join(faults)}, of {domain}; each is to have one source; {remedy}")


def _shifted(position: Shape, domain: Domain) -> Shape:
    return tuple([p + o for p, o in zip(position, domain.start, strict=True)])


def _box(domain: Domain, start: Shape) -> LayerBox:
    low = tuple([a - o for a, o in zip(domain.start, start, strict=True)])
    return LayerBox(low, tuple([a + n for a, n in zip(low, domain.shape, strict=True)]))


def _check_layers(parts: Sequence[Node]) -> TensorDescription:
    if not parts:
        raise ShapeError("overlay: no parts; the result would have no dtype; give at least one tensor")
    d = parts[0].desc
    for i, x in enumerate(parts):
        if x.desc.ndim != d.ndim:
            raise ShapeError(
                f"overlay: part 0 has rank {d.ndim} and part {i} rank {x.desc.ndim}; parts share a rank; expand_dims it"
            )
        if x.desc.dtype is not d.dtype:
            raise DTypeError(
                f"overlay: part {i} is {x.desc.dtype.name}, not {d.dtype.name}; parts share a dtype; convert it first"
            )
    return d


def _rebuild(n: Node) -> Node:
    layers, filled = n.attrs
    shapes = [tuple([high - low for low, high in zip(*box, strict=True)]) for box in layers.boxes]
    found = [p.desc.shape for p in n.inputs[: len(n.inputs) - filled]]
    if shapes != found:
        raise InternalError(
            f"overlay: internal: boxes of shapes {shapes} for parts of shapes {found}; please report this"
        )
    return make(n.op, n.inputs, n.attrs, result(n.inputs[0].desc.dtype, n.desc.shape, n.desc.origin))


def _cut(node: Node, request: Request) -> list[tuple[int, Request]]:
    """Return the requests to the layers that a request reads, from the topmost down, and to the fill.

    Raises TooManyPieces if there are over MAX_PIECES.
    """
    layers, filled = node.attrs
    low, high = zip(*[row_range(row, request.sizes) for row in request.rows], strict=True) if request.rows else ((), ())
    parts, pending = [], [request]
    for i in layers.touching(LayerBox(low, tuple([y + 1 for y in high]))):
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


def _in_box(node: Node, request: Request, box: LayerBox, outside: list[Request]) -> list[Request]:
    """Return the parts of a request inside a box, in the box's coordinates.

    The parts outside are appended to `outside`.
    """
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


def _adjoint(node: Node, gradient: Node) -> tuple[Node | None, ...]:
    """Return the gradient of each part: its box of the overlay's gradient, with zeros under later parts."""
    layers, filled = node.attrs
    gradient = select("translate", gradient, [-o for o in gradient.desc.domain.origin])
    domain, out = LayerBox((0,) * gradient.desc.ndim, gradient.desc.shape), []
    for i, b in enumerate(layers.boxes):
        shown = intersection(b, domain)
        shape = tuple([y - x for x, y in zip(b.low, b.high, strict=True)])
        if shown is None:
            out.append(zeros(shape, gradient.desc.dtype))
            continue
        crop = select("slice", gradient, [(x, 1, y - x) for x, y in zip(shown.low, shown.high, strict=True)])
        covers = [_blank(layers.boxes[j], gradient.desc.dtype) for j in reversed(layers.touching(b)) if j > i]
        layered = [select("translate", crop, shown.low), *covers]
        out.append(overlay(layered, Domain(b.low, shape), scalar(0, gradient.desc.dtype)))
    if not filled:
        return tuple(out)
    if node.inputs[-1].op.name == "scalar":
        return (*out, None)
    bare = overlay(
        [gradient, *[_blank(b, gradient.desc.dtype) for b in layers.boxes]], Domain(domain.low, gradient.desc.shape)
    )
    return (*out, total(bare, range(gradient.desc.ndim)))


def _blank(b: LayerBox, dtype: dt.DType) -> Node:
    return select("translate", zeros(tuple([y - x for x, y in zip(b.low, b.high, strict=True)]), dtype), b.low)


def _numpy(parts: Parts, n: Node) -> Array:
    layers, filled = n.attrs
    out = np.empty(n.desc.shape, parts[0].dtype)
    if filled:
        out[...] = parts[-1]
    for box, part in zip(layers.boxes, parts, strict=False):
        spans = [(lo, max(lo, 0), min(hi, size)) for lo, hi, size in zip(*box, n.desc.shape, strict=True)]
        if all(first < stop for _, first, stop in spans):
            inside = part[tuple(slice(first - lo, stop - lo) for lo, first, stop in spans)]
            out[tuple(slice(first, stop) for _, first, stop in spans)] = inside
    return out


def _batched(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the overlay over a batch.

    Where no part lies, a fill that differs between entries is selected.
    """
    layers, filled = n.attrs
    parts, d = unshared(n, batched_inputs, batch_size)[: len(layers.boxes)], n.desc.domain
    whole = Domain((0, *d.start), (batch_size, *d.shape))
    if not filled or not batched_inputs[-1].desc.ndim:
        return overlay(parts, whole, batched_inputs[-1] if filled else None)
    found = overlay(parts, whole, scalar(0, n.desc.dtype))
    held = [_everywhere(x) for x in n.inputs[:-1]]
    return where(
        overlay(held, d, scalar(False, dt.bool)), found, aligned(batched_inputs[-1], n.inputs[-1], n.desc.ndim)
    )


def _everywhere(x: Node) -> Node:
    """Return a mask that is True on the whole domain of node x."""
    return select("translate", select("broadcast_to", scalar(True, dt.bool), x.desc.shape), x.desc.domain.start)


ATOM = Atom("overlay", overlay, rebuild=_rebuild, cut=_cut, adjoint=_adjoint, numpy=_numpy, batched=_batched)
