"""Turn a node to be stored into a launch: boxes within pieces, each with a straight-line body.

The one idea: the root is asked for its cells, and the request travels down through selections until it meets memory,
a scalar or a generator; elementwise nodes hand it to all operands.  First the box is cut until no selection divides
it, then every part becomes a row: what to load from where, what to compute.  No guard is left inside a loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import prod
from typing import Any

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import InternalError, ShapeError
from weft.ir.atoms.selections import MAX_CELLS, broadcast_to, expand_dims
from weft.ir.atoms.table import AFFINE
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node
from weft.ir.graph.ops import ARRAYWISE, CELLWISE, OPS
from weft.ir.kernels.plan import (
    BinLaunch,
    Body,
    CallStep,
    Instr,
    MapLaunch,
    Operand,
    ReduceLaunch,
    Row,
    ScanLaunch,
    Step,
)
from weft.ir.pieces.box import Box
from weft.ir.pieces.demand import below_views, demand, looked_up
from weft.ir.pieces.normal_form import Piece
from weft.ir.pieces.request import MAX_PIECES, MustStore, Request, TooManyPieces, operand, restrict, whole
from weft.passes.fuse import unmerged
from weft.passes.planning.site import KNOWN, MANY, CellLocation, Rows, Site, signature_of

CELLS = 1 << 14  # cells whose copy takes as long as one more piece


# ---- cutting
# Graphs may be 256 nodes deep, and Python's calls 1000: what follows a graph down takes one or two calls a node.
Parts = list[tuple[Node, Request]]


def dividing(nodes: Sequence[Node], ends: Container[int]) -> set[int]:
    """Return the ids of nodes over which a request may have to be cut: composites, and nodes that read these.

    `nodes` come after their inputs; `ends` has the ids of nodes whose cells are read from memory.
    """
    found: set[int] = set()
    for n in nodes:
        if n.inputs and (
            (n.op.kind == "selection" and n.op.name not in AFFINE)
            or any(id(i) in found and id(i) not in ends for i in n.inputs)
        ):
            found.add(id(n))
    return found


def restricted_request(request: Request, part: Request) -> Request:
    """Return the part of a request that belongs to `part`, a part of another request with the same parameters."""
    for d, (size, start, by) in enumerate(zip(part.sizes, part.start, part.step, strict=True)):
        if request.sizes[d] != size or request.start[d] != start or (size > 1 and request.step[d] != by):
            first = (start - request.start[d]) // request.step[d]
            stride = by // request.step[d] if size > 1 else 1
            request = restrict(request, d, first, size, stride)
    return request


def refine(n: Node, request: Request, site: Site, cache: dict[tuple[int, Request], Parts] | None = None) -> Parts:
    """Return a request cut until no selection divides it: pairs (node, request to it).

    `cache` holds results by node and request. Raises TooManyPieces if the parts cost more than storing a node first.
    """
    if n.op.name in AFFINE:
        n, request = below_views(n, request, site.place)
    if id(n) not in site.dividing or 0 in request.sizes or site.place(n):
        return [(n, request)]
    cache = {} if cache is None else cache
    if (id(n), request) in cache:
        return cache[id(n), request]
    parts: Parts = []
    if n.op.kind == "selection":
        for source, sub in demand(n, request):
            parts += refine(n.inputs[source], sub, site, cache)
            if len(parts) > MANY and too_fine(len(parts), request, site):
                raise TooManyPieces(n)
    else:
        parts = [(n, request)]
        read = [*enumerate(n.inputs)][n.op.name == "gather" :]  # what tables look up is one piece, however it is cut
        for k in {id(i): k for k, i in read if id(i) in site.dividing and not site.place(i)}.values():
            uncut, parts = parts, []
            for _, part in uncut:
                found = refine(n.inputs[k], demand(n, part)[k][1], site, cache)
                parts += [(n, restricted_request(request, sub)) for _, sub in found]
    if len(parts) > MANY and too_fine(len(parts), request, site):
        raise TooManyPieces(n)
    cache[id(n), request] = parts
    return parts


def too_fine(count: int, request: Request, site: Site) -> bool:
    """True if `count` pieces of a request cost more than storing its node first; each costs copying CELLS cells."""
    return count > site.many and (count > MAX_PIECES or prod(request.sizes) < CELLS * count)


def nested(n: Node, site: Site) -> Iterator[Node]:
    """Yield the topmost composites below n that are not stored; if stored, each would be one piece."""
    pending = list(n.inputs)
    seen: set[int] = set()
    while pending:
        i = pending.pop()
        if id(i) not in seen and site.place(i) is None and i.op.kind in (*CELLWISE, "selection"):
            seen.add(id(i))
            if i.op.kind == "selection" and i.op.name not in AFFINE:
                yield i
            else:
                pending += i.inputs


# ---- bodies


def _numbers() -> defaultdict[Any, int]:
    """Return a dictionary that numbers its keys 0, 1, ... in the order in which they are first looked up."""
    return defaultdict(count().__next__)


@dataclass(slots=True)
class BodyBuilder:
    """A builder of the instructions and operands of one row; equal values are computed once."""

    site: Site
    code: defaultdict[Instr, int] = field(default_factory=_numbers)
    operands: defaultdict[Operand, int] = field(default_factory=_numbers)
    memo: dict[tuple[int, Request], int] = field(default_factory=dict)
    looks_up: bool = False  # requests may have parameters beside the loops

    def value(self, n: Node, request: Request) -> int:
        """Return the number of the instruction whose value is the requested cells of n."""
        site = self.site
        while (place := site.place(n)) is None and n.op.kind == "selection":
            parts = demand(n, request)
            if len(parts) != 1:
                raise InternalError(f"split: {n!r} divides {request}; please report this with weft.show(x)")
            ((i, request),) = parts
            n = n.inputs[i]
        if place is not None:
            return self.load(n, place, request)
        if n.op.name == "scalar":
            if (number := site.numbers.get(id(n))) is None:  # made by a rule, from what the plan's key says
                return self.code[Instr("const", n.desc.dtype, (), n.attrs[0])]
            return self.code[Instr("scalar", n.desc.dtype, (), site.slots[number])]
        if n.op.name == "iota":
            return self.coordinate(n, request)
        key = (id(n), request)
        if (known := self.memo.get(key)) is not None:
            return known
        if n.op.name == "gather":
            made = self.gather(n, request)
        else:
            args = []
            for k, r in demand(n, request):
                args.append(self.value(n.inputs[k], r))
            attr = None if n.op.name == "astype" else n.attrs or None
            made = self.code[Instr(n.op.name, n.desc.dtype, tuple(args), attr)]
        self.memo[key] = made
        return made

    def load(self, n: Node, location: CellLocation, request: Request) -> int:
        """Return the number of the load or gather that reads the requested cells of a stored node."""
        offset, strides, moved = self.address(request, location.strides)
        o = self.operands[Operand(location.arg, location.offset + offset, strides, n.desc.dtype, location.big)]
        if moved is None:
            return self.code[Instr("load", n.desc.dtype, (), o)]
        return self.code[Instr("gather", n.desc.dtype, (moved,), o)]

    def coordinate(self, n: Node, request: Request) -> int:
        """Return the number of the instruction whose value is the coordinates of an iota."""
        axis = n.attrs[0]
        start, strides, moved = self.address(request, tuple(int(d == axis) for d in range(n.desc.ndim)))
        start += n.desc.origin[axis] if n.desc.origin else 0
        at = self.code[Instr("coord", dt.int64, (), self.operands[Operand(-1, start, strides, dt.int64)])]
        return at if moved is None else self.code[Instr("add", dt.int64, (at, moved))]

    def address(self, request: Request, strides: Shape) -> tuple[int, Shape, int | None]:
        """Return Σ stride · position as (offset, step per loop, number of the instruction of the rest, or None).

        The rest are terms at computed positions.
        """
        if not self.looks_up:
            return (*request.address(strides), None)
        count = len(request.sizes)
        rest: dict[int, int] = {}
        rows: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        for (o, terms), s in zip(request.rows, strides, strict=True):
            rows.append((o, tuple([t for t in terms if t[0] < count])))
            for p, a in terms:
                if p >= count and a * s:
                    rest[p - count] = rest.get(p - count, 0) + a * s
        offset, steps = request._replace(rows=tuple(rows)).address(strides)
        moved: int | None = None
        for value, s in rest.items():
            factor = self.operands[Operand(-1, s, (0,) * count, dt.int64)]
            by = self.code[Instr("multiply", dt.int64, (value, self.code[Instr("coord", dt.int64, (), factor)]))]
            moved = by if moved is None else self.code[Instr("add", dt.int64, (moved, by))]
        return offset, steps, moved

    def gather(self, n: Node, request: Request) -> int:
        """Return the number of the instruction whose value is the cells of x at computed positions.

        An index value is one more parameter of the request to x, numbered after the loops by its instruction.
        """
        self.looks_up = True
        x, *indices = n.inputs
        inner, others = looked_up(n, request)
        count, found = len(request.sizes), dict[int, int]()
        for axis, i in zip(n.attrs[0], indices, strict=True):
            found[axis] = self.value(i, operand(inner, i.desc.shape))
        rows = tuple([(0, ((count + found[d], 1),)) if d in found else next(others) for d in range(x.desc.ndim)])
        return self.value(x, request._replace(rows=rows))

    def body(self, value: int, dtype: DType, first: int) -> tuple[Body, int]:
        """Return (body, first slot): the instructions with `value`, converted to a dtype, as the last one.

        Scalars are numbered from the first slot on, so that bodies of equal steps are equal; `first` is that of a body
        without scalars.
        """
        if list(self.code)[value].dtype is not dtype:
            value = self.code[Instr("astype", dtype, (value,))]
        code = list(self.code)
        if value < len(code) - 1:
            code.append(Instr("positive", dtype, (value,)))
        slots: list[Any] = [i.attr for i in code if i.op == "scalar"]
        if first := min(slots, default=first):
            code = [i._replace(attr=i.attr - first) if i.op == "scalar" else i for i in code]  # type: ignore[operator]
        return tuple(code), first


def rows_of(n: Node, request: Request, dtype: DType, site: Site) -> Rows:
    """Return the rows that compute the requested cells of n, each with its part of the request.

    Raises ShapeError if there are more than 2**62 cells, MustStore if a node must be stored first.
    """
    if 0 in request.sizes:
        return []
    if prod(request.sizes) > MAX_CELLS:  # a generator's: nothing of this size is in memory
        raise ShapeError(
            f"{n.op.name}: {prod(request.sizes)} cells of shape {n.desc.shape} to compute at once; loops count to "
            "2**62; take a part of it first"
        )
    signature = signature_of(n, site)
    key = (signature.key, request, dtype, site.many)
    if (known := KNOWN.find(key, signature)) is not None:
        return known
    out, bodies = [], dict[Body, Body]()  # equal bodies are one object: backends analyse each once
    for x, part in refine(n, request, site):
        builder = BodyBuilder(site)
        body, first = builder.body(builder.value(x, part), dtype, signature.first)
        body = bodies.setdefault(body, body)
        out.append((part, Row(body, part.sizes, tuple(builder.operands), None, part.start, first)))
    KNOWN.keep(key, signature, out)
    return out


# ---- launches


def launch(n: Node, out: CellLocation, site: Site) -> Step:
    """Return the step that computes n into the memory `out`.

    Raises MustStore if a node below must be stored first, ShapeError if there are more than 2**62 cells.
    """
    if n.op.kind == "reduce":
        return reduce_launch(n, out, site)
    if n.op.kind == "scan":
        return scan_launch(n, out, site)
    if n.op.kind == "bins":
        return bin_launch(n, out, site)
    if n.op.kind in ARRAYWISE:
        return call_step(n, out, site)
    return map_launch(n, out, site)


def map_launch(n: Node, out: CellLocation, site: Site) -> MapLaunch:
    """Return the launch that writes every cell of n to `out`; raises MustStore or ShapeError as `launch` does."""
    dtype = n.desc.dtype
    n, strides = _unfolded(n, out.strides, site)
    rows = []
    for part, row in _rows_of_root(n, whole(n), dtype, site):
        rows.append(_written(row, part, out, out.offset, strides))
    return MapLaunch(tuple(rows))


def _written(row: Row, part: Request, out: CellLocation, offset: int, strides: Shape) -> Row:
    """Return a row with its output: cell 0 of the request lies `offset` bytes into `out`, its axes at `strides`."""
    steps = []
    for first, step, stride in zip(part.start, part.step, strides, strict=True):
        offset += first * stride
        steps.append(step * stride)
    target = Operand(out.arg, offset, tuple(steps), row.body[-1].dtype, out.big)
    return Row(row.body, row.sizes, row.operands, target, row.start, row.scalars)


def scatter_launch(value: Node, parts: Sequence[Piece], targets: Sequence[CellLocation], site: Site) -> MapLaunch:
    """Return the launch that writes piece i of a value to the cells that it reads of target i.

    Raises MustStore or ShapeError as `launch` does.
    """
    rows = []
    for p, target in zip(parts, targets, strict=True):
        offset, strides = p.address(target.strides)
        asked = Box(p.start, p.step, p.sizes).request
        for part, row in _rows_of_root(value, asked, value.desc.dtype, site):
            rows.append(_written(row, part, target, target.offset + offset, strides))
    return MapLaunch(tuple(rows))


def _unfolded(n: Node, strides: Shape, site: Site) -> tuple[Node, Shape]:
    """Return the node below n's reshapes and repeats, and the output's strides for that node's shape."""
    while site.place(n) is None:
        if n.op.name == "reshape" and strides == c_strides(n.desc.shape, n.desc.dtype.itemsize):
            n = n.inputs[0]
            strides = c_strides(n.desc.shape, n.desc.dtype.itemsize)
        elif n.op.name == "tile":
            n, strides = _repeated(n.inputs[0], strides, dict(enumerate(n.attrs[0])), before=True)
        elif n.op.name == "repeat":
            n, strides = _repeated(n.inputs[0], strides, {n.attrs[1]: n.attrs[0]}, before=False)
        else:
            break
    return n, strides


def _repeated(x: Node, strides: Shape, counts: dict[int, int], before: bool) -> tuple[Node, Shape]:
    """Return x with a new axis for each repeated axis, and the output's strides split likewise.

    `counts` has the repeats by axis. The new axis comes before the axis, or after it without `before`.
    """
    shape: list[int] = []
    split: list[int] = []
    new = []
    for axis, (n, s) in enumerate(zip(x.desc.shape, strides, strict=True)):
        count = counts.get(axis, 1)
        if count == 1:
            shape, split = [*shape, n], [*split, s]
        else:
            new.append(len(shape) + (not before))
            shape, split = (
                ([*shape, count, n], [*split, n * s, s]) if before else ([*shape, n, count], [*split, count * s, s])
            )
    return broadcast_to(expand_dims(x, new), shape), tuple(split)


def _rows_of_root(n: Node, request: Request, dtype: DType, site: Site) -> Rows:
    """Return the rows of a root as `rows_of` does.

    If there are too many pieces, the request is cut in halves. Raises TooManyPieces if halves have too many, too,
    NotAView if a node must be stored first.
    """
    try:
        return rows_of(n, request, dtype, site)
    except TooManyPieces as need:
        size, axis = max((size, d) for d, size in enumerate(request.sizes))
        if need.node is n and (inner := next(nested(n, site), None)) is not None:
            raise TooManyPieces(inner) from None
        if need.node is not n or size < 2:
            raise
        halves = restrict(request, axis, 0, size // 2), restrict(request, axis, size // 2, size - size // 2)
        return [row for half in halves for row in _rows_of_root(n, half, dtype, site)]


def _ordered(x: Node, order: Sequence[int], dtype: DType, site: Site) -> tuple[tuple[Row, ...], Shape]:
    """Return the rows of x in `dtype`, and its shape, with its axes in the given order.

    Raises MustStore if the pieces of x lie with gaps, or a node below must be stored first.
    """
    shape = tuple(x.desc.shape[a] for a in order)
    rows: list[tuple[int, tuple[tuple[int, int], ...]]] = [(0, ())] * len(order)
    for p, a in enumerate(order):
        rows[a] = (0, ((p, 1),)) if shape[p] > 1 else (0, ())
    request = Request(shape, (0,) * len(shape), (1,) * len(shape), tuple(rows))
    made = rows_of(x, request, dtype, site)
    if len(made) > 1 and any(k != 1 and n > 1 for part, _ in made for k, n in zip(part.step, part.sizes, strict=True)):
        raise MustStore(x)
    return tuple(row for _, row in made), shape


def accumulation(op: str, operand_dtype: DType, result_dtype: DType) -> DType:
    """Return the dtype in which reduction `op` computes. Its operand has `operand_dtype`, its result `result_dtype`."""
    if op in ("any", "all", "count_nonzero"):
        return dt.bool
    if OPS[op].rule in ("same", "index"):
        return operand_dtype
    return result_dtype.compute


def reduce_launch(n: Node, out: CellLocation, site: Site) -> ReduceLaunch:
    """Return the launch of a reduction; attrs are (axes, keepdims, correction...). Raises MustStore or ShapeError."""
    axes, keepdims = n.attrs[0], n.attrs[1]
    x = n.inputs[0]
    kept = [a for a in range(x.desc.ndim) if a not in axes]
    acc = accumulation(n.op.name, x.desc.dtype, n.desc.dtype)
    rows, shape = _ordered(x, [*kept, *sorted(axes)], acc, site)
    strides = tuple(out.strides[a] for a in kept) if keepdims else out.strides
    target = Operand(out.arg, out.offset, strides, n.desc.dtype, out.big)
    correction = float(n.attrs[2]) if n.op.name == "var" else 0.0
    return ReduceLaunch(n.op.name, len(kept), shape, rows, acc, target, correction)


def scan_launch(n: Node, out: CellLocation, site: Site) -> ScanLaunch:
    """Return the launch of a scan; attrs are (axis, include_initial).

    Raises MustStore if a node below must be stored first, or the operand's cells have gaps or lie in several pieces;
    ShapeError if there are more than 2**62 cells.
    """
    axis, include_initial = n.attrs
    x = n.inputs[0]
    order = [a for a in range(x.desc.ndim) if a != axis] + [axis]
    acc = accumulation(n.op.name, x.desc.dtype, n.desc.dtype)
    rows, shape = _ordered(x, order, acc, site)
    if len(rows) > 1:
        raise MustStore(x)
    strides = tuple(out.strides[a] for a in order)
    target = Operand(out.arg, out.offset, strides, n.desc.dtype, out.big)
    return ScanLaunch(n.op.name, shape, rows, acc, target, include_initial)


def bin_launch(n: Node, out: CellLocation, site: Site) -> BinLaunch:
    """Return the launch that counts cells of bins, or sums weights; raises MustStore or ShapeError as `launch` does."""
    numbers, *weights = [_ordered(x, range(x.desc.ndim), x.desc.dtype, site) for x in n.inputs]
    target = Operand(out.arg, out.offset, out.strides, n.desc.dtype, out.big)
    return BinLaunch(n.op.name, n.attrs[0], numbers[1], numbers[0], weights[0][0] if weights else (), target)


def call_step(n: Node, out: CellLocation, site: Site) -> CallStep:
    """Return the step that calls a library routine on stored arrays.

    Raises MustStore if an operand has no memory.
    """
    args, shapes = [], []
    for k, i in enumerate(n.inputs):
        read = i if site.array(i) else unmerged(n, k) or i
        if (place := site.array(read)) is None:
            raise MustStore(i)
        merged = () if read is i else i.desc.shape
        args.append(Operand(place.arg, place.offset, place.strides, i.desc.dtype, place.big, merged))
        shapes.append(read.desc.shape)
    target = Operand(out.arg, out.offset, out.strides, n.desc.dtype, out.big)
    return CallStep(n.op.name, tuple(args), tuple(shapes), target, n.desc.shape, n.attrs)
