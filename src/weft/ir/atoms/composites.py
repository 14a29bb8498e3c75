"""Composite selections: values of their own whose cells come from several places.

The one idea: a composite says for every position which input holds the cell; the parts stay where they are until
somebody needs the whole stored.  The table of attributes is in `selection`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.ir.atoms.affine import axis_of, check_size, expand_dims, over, resolve_shape, steps_of
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.domain import Domain, hull
from weft.ir.graph.node import Node, make, result, scalar
from weft.ir.graph.ops import OPS
from weft.ir.pieces.layers import Extent, Layers, meet

PAD_MODES = ("constant", "edge", "wrap", "reflect", "symmetric")


def _check_parts(name: str, xs: Sequence[Node], axis: int) -> int:
    """Parts agree in dtype and in all sizes but the axis; returns the axis counted from 0."""
    if not xs:
        raise ShapeError(f"{name}: no parts; the result would have no dtype; give at least one tensor")
    first = xs[0].desc
    axis = axis_of(name, axis, first.ndim)
    before, after, ndim, dtype = first.shape[:axis], first.shape[axis + 1 :], first.ndim, first.dtype
    for i, x in enumerate(xs):
        d = x.desc
        if d is first:
            continue
        if d.ndim != ndim or d.shape[:axis] != before or d.shape[axis + 1 :] != after:
            raise ShapeError(
                f"{name}: part 0 has shape {first.shape} and part {i} {d.shape}; sizes must agree on every axis but "
                f"{axis}; slice or reshape the part"
            )
        if d.dtype is not dtype:
            raise DTypeError(
                f"{name}: part {i} is {d.dtype.name}, not {dtype.name}; parts share a dtype; convert it first"
            )
    return axis


def concat(xs: Sequence[Node], axis: int) -> Node:
    """Parts one after another along an axis; the domain starts where the first part's does."""
    axis = _check_parts("concat", xs, axis)
    offsets = tuple(accumulate([x.desc.shape[axis] for x in xs], initial=0))
    d = xs[0].desc
    shape = (*d.shape[:axis], offsets[-1], *d.shape[axis + 1 :])
    check_size("concat", shape)
    return make(OPS["concat"], tuple(xs), (axis, offsets), result(d.dtype, shape, d.origin))


def stack(xs: Sequence[Node], axis: int) -> Node:
    """Parts of one shape along a new axis."""
    if not xs:
        raise ShapeError("stack: no parts; the result would have no dtype; give at least one tensor")
    axis = axis_of("stack", axis, xs[0].desc.ndim + 1)
    for i, x in enumerate(xs):
        if x.desc.shape != xs[0].desc.shape:
            raise ShapeError(
                f"stack: part 0 has shape {xs[0].desc.shape} and part {i} {x.desc.shape}; parts must have one shape; "
                "slice or broadcast the part"
            )
    steps = {d: steps_of(expand_dims(x, (axis,)), x) for d, x in {x.desc: x for x in xs}.items()}
    return concat([expand_dims(x, (axis,)) if (s := steps[x.desc]) is None else over(x, s) for x in xs], axis)


def interleave(xs: Sequence[Node], axis: int) -> Node:
    """Cells in turn: position p is position p // k of part p % k; the first parts may be one longer than the last."""
    axis = _check_parts("interleave", xs, axis)
    sizes = [x.desc.shape[axis] for x in xs]
    total, k = sum(sizes), len(xs)
    for i, n in enumerate(sizes):
        if n != (total - i + k - 1) // k:
            raise ShapeError(
                f"interleave: part {i} has size {n} along axis {axis} where turns over {total} positions need "
                f"{(total - i + k - 1) // k}; only a tail may be missing from the last parts; pad or slice the parts"
            )
    d = xs[0].desc
    shape = (*d.shape[:axis], total, *d.shape[axis + 1 :])
    check_size("interleave", shape)
    return make(OPS["interleave"], tuple(xs), (axis,), result(d.dtype, shape, d.origin))


def tile(x: Node, reps: Sequence[int]) -> Node:
    """The whole reps[d] times along every axis d."""
    d, times = x.desc, tuple(reps)
    if len(times) != d.ndim or min(times, default=0) < 0:
        raise ShapeError(f"tile: repetitions {times} for shape {d.shape}; one count >= 0 per axis is needed; give them")
    shape = tuple([n * m for n, m in zip(d.shape, times, strict=True)])
    check_size("tile", shape)
    return make(OPS["tile"], (x,), (times,), result(d.dtype, shape, d.origin))


def repeat(x: Node, count: int, axis: int) -> Node:
    """Every cell count times along an axis."""
    d = x.desc
    axis = axis_of("repeat", axis, d.ndim)
    if count < 0:
        raise ShapeError(f"repeat: count {count}; a cell cannot come fewer than 0 times; give a count >= 0")
    shape = (*d.shape[:axis], d.shape[axis] * count, *d.shape[axis + 1 :])
    check_size("repeat", shape)
    return make(OPS["repeat"], (x,), (count, axis), result(d.dtype, shape, d.origin))


def roll(x: Node, shifts: Sequence[int], axes: Sequence[int]) -> Node:
    """Cells moved shift positions on, those that leave at the end come back at the start; repeated axes add up."""
    d = x.desc
    if len(shifts) != len(axes):
        raise ShapeError(f"roll: {len(shifts)} shifts for {len(axes)} axes; one shift per axis is needed; add it")
    total: dict[int, int] = {}
    for s, a in zip(shifts, axes, strict=True):
        a = axis_of("roll", a, d.ndim)
        total[a] = total.get(a, 0) + s
    along = tuple(sorted(total))
    moved = tuple([total[a] % (d.shape[a] or 1) for a in along])
    return make(OPS["roll"], (x,), (moved, along), result(d.dtype, d.shape, d.origin))


def pad(x: Node, pads: Sequence[tuple[int, int]], mode: str = "constant", fill: Node | None = None) -> Node:
    """More cells before and after each axis: a constant, the edge's, or the axis again (wrapped or mirrored)."""
    d, widths = x.desc, tuple([(before, after) for before, after in pads])
    _check_pads(d.shape, widths, mode)
    if fill is None:
        fill = scalar(False if d.dtype.kind == "bool" else 0, d.dtype)
    _check_fill("pad", fill, d.dtype)
    fill = _shared_fill(fill)
    shape = tuple([b + n + a for n, (b, a) in zip(d.shape, widths, strict=True)])
    check_size("pad", shape)
    origin = tuple([o - b for o, (b, _) in zip(d.domain.origin, widths, strict=True)]) if d.origin is not None else None
    return make(OPS["pad"], (x, fill), (widths, mode), result(d.dtype, shape, origin))


_FILLS: dict[tuple[DType, str], Node] = {}


def _shared_fill(fill: Node) -> Node:
    """One node for all fills of one number, so that many padded parts are one kernel's work with one argument; NaN are
    many numbers of one spelling."""
    if fill.op.name != "scalar" or len(_FILLS) > 1000 or fill.attrs[0] != fill.attrs[0]:
        return fill
    return _FILLS.setdefault((fill.desc.dtype, repr(fill.attrs[0])), fill)


def _check_fill(name: str, fill: Node, dtype: DType) -> None:
    if fill.desc.ndim:
        raise ShapeError(f"{name}: the fill has shape {fill.desc.shape}; it is one cell; give a number or a 0-d tensor")
    if fill.desc.dtype is not dtype:
        raise DTypeError(
            f"{name}: the fill is {fill.desc.dtype.name}, not {dtype.name}; cells share a dtype; convert it first"
        )


def overlay(parts: Sequence[Node], domain: Domain | None = None, fill: Node | None = None) -> Node:
    """Parts where their domains say, later over earlier; a fill, or no hole, elsewhere.  The domain is their hull."""
    d, domain = _check_layers(parts), _laid_on(parts, domain)
    layers = Layers([_box(x.desc.domain, domain.start) for x in parts])
    if fill is not None:
        _check_fill("overlay", fill, d.dtype)
    elif (hole := layers.hole(Extent((0,) * d.ndim, domain.shape))) is not None:
        raise ShapeError(
            f"overlay: no part covers coordinate {_at(hole, domain)} of {domain}; a hole has no value; give a fill"
        )
    inputs = (*parts, fill) if fill is not None else tuple(parts)
    return make(OPS["overlay"], inputs, (layers, fill is not None), result(d.dtype, domain.shape, domain.start))


def _laid_on(parts: Sequence[Node], domain: Domain | None) -> Domain:
    """The domain given, or the hull of the parts that have a cell."""
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


def check_cover(parts: Sequence[Node], domain: Domain | None = None, holes: bool = False) -> None:
    """Raise where a coordinate lies in two parts or, unless holes are allowed, in none; both are named."""
    _check_layers(parts)
    domain = _laid_on(parts, domain)
    whole = Extent((0,) * len(domain.shape), domain.shape)
    nowhere = Extent(whole.low, whole.low)
    layers = Layers([meet(_box(x.desc.domain, domain.start), whole) or nowhere for x in parts])
    clash, hole = layers.clash(), None if holes else layers.hole(whole)
    faults = []
    if clash is not None:
        faults.append(f"coordinate {_at(clash[2], domain)} lies in parts {clash[0]} and {clash[1]}")
    if hole is not None:
        faults.append(f"coordinate {_at(hole, domain)} lies in none")
    if faults:
        remedy = "cut the parts" if hole is None else "add what is missing, or give a fill"
        raise ShapeError(f"overlay: {' and '.join(faults)}, of {domain}; each is to have one source; {remedy}")


def _at(position: Shape, domain: Domain) -> Shape:
    return tuple([p + o for p, o in zip(position, domain.start, strict=True)])


def _box(domain: Domain, start: Shape) -> Extent:
    low = tuple([a - o for a, o in zip(domain.start, start, strict=True)])
    return Extent(low, tuple([a + n for a, n in zip(low, domain.shape, strict=True)]))


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


def _check_pads(shape: Shape, widths: tuple[tuple[int, int], ...], mode: str) -> None:
    if mode not in PAD_MODES:
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


def reshape(x: Node, shape: Sequence[int]) -> Node:
    """Row-major cells in another shape, as a value of its own (`selection.reshape_view` where strides allow a view)."""
    wanted = resolve_shape(x.desc.size, shape)
    return make(OPS["reshape"], (x,), (wanted,), result(x.desc.dtype, wanted))
