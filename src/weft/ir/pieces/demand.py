"""Demand: the requests that a request to a node makes of its inputs, one step towards the sources.

The one idea: a request is an affine map from parameters to positions, and every kind of node turns it into requests to
its inputs.  Planning, cutting, pruning, narrowing, moving and estimating all follow these steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from weft.ir.atoms.table import AFFINE, COMPOSITE
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.graph.ops import IN_PLACE, POINTWISE, SORTS
from weft.ir.pieces import block_operator
from weft.ir.pieces.request import Request, Row, operand, row_range

Asked = list[tuple[int, Request]]


def line_axis(n: Node) -> int | None:
    """Return the axis of a scan, sort or transform, which computes each line along it from that line alone.

    None for other nodes.
    """
    if n.op.kind == "scan" or n.op.name in SORTS:
        return n.attrs[0]
    return n.attrs[1] if n.op.name in ("fft", "rfft", "irfft") else None


def demand(n: Node, request: Request) -> Asked:
    """Return the requests that a request to a pending node makes of its inputs, as (input number, request).

    Raises MustStore if a selection would be cut too finely.  The parts of a selection cover the
    request, each cell once.  Parameters that a request lacks are added at its end: a reduction's own axes, an axis read
    whole.
    """
    name = n.op.name
    if (affine := AFFINE.get(name)) is not None:
        return [(0, Request(request.sizes, request.start, request.step, affine(n, request.rows)))]
    return (_BY_OP.get(name) or _BY_KIND[n.op.kind])(n, request)


def below_views(n: Node, request: Request, ends: Callable[[Node], object]) -> tuple[Node, Request]:
    """Return the first node below a chain of views, and the request that a request to n makes of it.

    The chain ends at nodes for which `ends` is true; it may have no view.
    """
    rows = request.rows
    while (affine := AFFINE.get(n.op.name)) is not None and not ends(n):
        rows = affine(n, rows)
        n = n.inputs[0]
    return n, request if rows is request.rows else Request(request.sizes, request.start, request.step, rows)


def _elementwise(n: Node, request: Request) -> Asked:
    shapes = [i.desc.shape for i in n.inputs]
    number = Request(request.sizes, request.start, request.step, ()) if () in shapes else request
    return [
        (k, request if shape == n.desc.shape else operand(request, shape) if shape else number)
        for k, shape in enumerate(shapes)
    ]


def _everything(n: Node, request: Request) -> Asked:
    return [(k, _all_cells(request, i)) for k, i in enumerate(n.inputs)]


def _same(n: Node, request: Request) -> Asked:
    return [(0, request)]


def _gather(n: Node, request: Request) -> Asked:
    """Return the requests of a gather.

    They ask for all positions along the axes that are looked up, and for the requested positions along the others.
    """
    x, *tables = n.inputs
    inner, others = looked_up(n, request)
    rows = [None if d in n.attrs[0] else next(others) for d in range(x.desc.ndim)]
    found = _with_ranges(request, rows, x.desc.shape)
    return [(0, found), *[(k, operand(inner, i.desc.shape)) for k, i in enumerate(tables, 1)]]


def looked_up(n: Node, request: Request) -> tuple[Request, Iterator[Row]]:
    """Return (a gather's request to its tables, the rows of its result's axes that come from axes without a table).

    The request counts positions in the shape to which the tables are broadcast.
    """
    at, width = n.attrs[1], max([i.desc.ndim for i in n.inputs[1:]])
    inner = request._replace(rows=request.rows[at : at + width])
    return inner, iter(request.rows[:at] + request.rows[at + width :])


def _reduce(n: Node, request: Request) -> Asked:
    """Return the requests of a reduction: its own axes whole, the requested positions of the others."""
    shape, (axes, keepdims) = n.inputs[0].desc.shape, n.attrs[:2]
    kept = iter([row for a, row in enumerate(request.rows) if not keepdims or a not in axes])
    return [(0, _with_ranges(request, [None if a in axes else next(kept) for a in range(len(shape))], shape))]


def _scan(n: Node, request: Request) -> Asked:
    """Return the requests of a scan: every cell up to the last one requested."""
    axis, initial = n.attrs
    shape = n.inputs[0].desc.shape
    needed = min(row_range(request.rows[axis], request.sizes)[1] + 1 - bool(initial), shape[axis])
    if needed <= 0:
        return []
    rows = [None if a == axis else row for a, row in enumerate(request.rows)]
    return [(0, _with_ranges(request, rows, (*shape[:axis], needed, *shape[axis + 1 :])))]


def product_demand(n: Node, request: Request) -> Asked:
    """Return the requests of a matrix product: the requested rows of its first operand, columns of the second.

    They are read whole.  A vector is one row, or one column.
    """
    x, y = [i.desc.shape for i in n.inputs]
    stacks = n.desc.ndim - (len(x) > 1) - (len(y) > 1)
    lead, own = request.rows[:stacks], request.rows[stacks:]
    inner = [[*own[:1], None] if len(x) > 1 else [None], [None, *own[-1:]] if len(y) > 1 else [None]]
    found = []
    for k, (shape, rows) in enumerate(zip((x, y), inner, strict=True)):
        outer = lead[stacks - len(shape) + len(rows) :]
        stack = [(0, ()) if m == 1 else row for row, m in zip(outer, shape, strict=False)]
        found.append((k, _with_ranges(request, [*stack, *rows], shape)))
    return found


def looked_up_axis(n: Node) -> int | None:
    """Return the axis along which a gather takes cells within lines, as `take_along_axis` does.

    None for other nodes. The gather's tables of other axes must hold the coordinates 0, 1, ... of the result's axis.
    """
    axes, shape = n.attrs[0] if n.op.name == "gather" else (), n.desc.shape
    x, tables = n.inputs[0].desc, n.inputs[1:]
    if not axes or n.attrs != (tuple(range(x.ndim)), 0) or len(shape) != x.ndim:
        return None
    others = [a for a in axes if not _names_places(tables[a], a, x.shape[a])]
    axis = others[0] if others else x.ndim - 1
    fits = all(a == axis or shape[a] == m for a, m in enumerate(x.shape))
    return axis if fits and len(others) < 2 else None


def _names_places(table: Node, axis: int, size: int) -> bool:
    """True if a table is 0, 1, ..., size - 1 along `axis`, with size 1 along other axes."""
    d = table.desc
    if d.size != size or axis - d.ndim >= 0 or d.shape[axis] != size:
        return False
    while table.op.name in _KEEP_ORDER and (len(table.inputs) == 1 or table.inputs[1].attrs == (0,)):
        table = table.inputs[0]
    if table.op.name == "iota":
        return table.desc.shape == (size,)
    return table.op.name == "leaf" and np.array_equal(table.value.reshape(-1), np.arange(size))


_KEEP_ORDER = frozenset({"reshape", "expand_dims", "squeeze", "astype", "positive", "add"})


def looked_up_demand(n: Node, request: Request) -> Asked:
    """Return the requests of a gather that takes cells within lines, as `take_along_axis` does.

    They ask for whole lines of its array, and for a part of the table of positions along the lines.
    """
    axis = looked_up_axis(n)
    assert axis is not None
    rows = [None if a == axis else row for a, row in enumerate(request.rows)]
    table = n.inputs[1 + axis].desc
    return [(0, _with_ranges(request, rows, n.inputs[0].desc.shape)), (1 + axis, operand(request, table.shape))]


def part_demand(n: Node, request: Request) -> Asked:
    """Return the requests of a matrix product, or of a gather within lines.

    Both are computed tile by tile.
    """
    return product_demand(n, request) if n.op.name == "matmul" else looked_up_demand(n, request)


def _lines(n: Node, request: Request) -> Asked:
    """Return the requests of a sort or transform: the requested lines, whole."""
    rows = [None if a == line_axis(n) else row for a, row in enumerate(request.rows)]
    return [(0, _with_ranges(request, rows, n.inputs[0].desc.shape))]


def _blocks(n: Node, request: Request) -> Asked:
    """Return the requests of a block operator: the windows of the index cells that compute the requested cells."""
    return [*enumerate(block_operator.windows(n, request)), (len(n.inputs) - 1, _all_cells(request, n.inputs[-1]))]


def _all_cells(request: Request, n: Node) -> Request:
    """Return the request for every cell of an input, whatever the parameters of the request."""
    return _with_ranges(request, [None] * n.desc.ndim, n.desc.shape)


def _with_ranges(request: Request, rows: Sequence[Row | None], shape: Shape) -> Request:
    """Return a request with the given rows; each None becomes all positions of its axis, along a new parameter."""
    sizes, made = list(request.sizes), []
    for row, n in zip(rows, shape, strict=True):
        if row is None:
            row = (0, ((len(sizes), 1),)) if n > 1 else (0, ())
            sizes.append(n)
        made.append(row)
    new = len(sizes) - len(request.sizes)
    return Request(tuple(sizes), request.start + (0,) * new, request.step + (1,) * new, tuple(made))


def _searchsorted(n: Node, request: Request) -> Asked:
    """Return the requests of a search: all sorted cells, and the requested cells of the values searched for."""
    return [(0, _all_cells(request, n.inputs[0])), (1, request)]


_BY_KIND: dict[str, Callable[[Node, Request], Asked]] = {
    **dict.fromkeys((*POINTWISE, "random"), _elementwise),
    "take": _gather,
    "reduce": _reduce,
    "scan": _scan,
    **dict.fromkeys(("bins", "call"), _everything),
    "blocks": _blocks,
    "source": _everything,
}
_BY_OP = COMPOSITE | {
    "transfer": _same,
    "searchsorted": _searchsorted,
    **dict.fromkeys(IN_PLACE, _elementwise),
    **dict.fromkeys((*SORTS, "fft", "rfft", "irfft"), _lines),
}
