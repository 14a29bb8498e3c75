"""Row-major cells in another shape: a view where strides allow it (alias set), else a value of its own.

The one idea: a merged axis is read in boxes, each within the range where no digit of the mixed-radix position carries.
A request across such a border is cut there; a request that needs too many cuts is refused, as one copy is cheaper.

Attributes: (shape,).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from weft.errors import InternalError, ShapeError
from weft.ir.atoms.atom import Atom, check_axes, view
from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import NotAView, Request, Row, added, one_term, restrict, scaled, with_row

MAX_RESHAPE_PIECES = 64  # a reshape that would be cut finer is stored: rows of pointers cost more than one copy


def resolve_shape(size: int, shape: Sequence[int]) -> Shape:
    """Return a shape with its single -1, if any, replaced by the size that gives `size` cells in all.

    Raises ShapeError if sizes do not multiply to `size`.

    >>> resolve_shape(6, (2, -1))
    (2, 3)
    """
    wanted = tuple(shape)
    known = prod([n for n in wanted if n != -1])
    if wanted.count(-1) == 1 and known > 0 and size % known == 0:
        wanted = tuple([size // known if n == -1 else n for n in wanted])
    check_axes("reshape", wanted)
    if min(wanted, default=0) < 0 or prod(wanted) != size:
        raise ShapeError(
            f"reshape: {size} cells do not fill shape {tuple(shape)}; sizes must multiply to {size}, one may be -1; "
            "give a shape of that many cells"
        )
    return wanted


def reshape(x: Node, shape: Sequence[int]) -> Node:
    """Return the row-major cells of x in another shape, as a value of its own.

    Raises ShapeError if the shape has another number of cells.  `reshape_view` returns a view where strides allow one.
    """
    wanted = resolve_shape(x.desc.size, shape)
    return make(OPS["reshape"], (x,), (wanted,), result(x.desc.dtype, wanted))


def reshape_view(x: Node, shape: Sequence[int]) -> Node | None:
    """Return a view of the row-major cells of x in another shape; None if strides do not allow one.

    Raises ShapeError if the shape has another number of cells.
    """
    d, wanted = x.desc, resolve_shape(x.desc.size, shape)
    if d.strides is None:
        return None
    strides = _reshaped_strides(d.shape, d.strides, wanted) if d.size else c_strides(wanted, d.dtype.itemsize)
    return None if strides is None else view("reshape", x, (wanted,), wanted, strides, 0, None)


def _reshaped_strides(old: Shape, old_strides: Shape, new: Shape) -> Shape | None:
    """Return the byte strides of the new axes; None if no strides address the cells in this shape.

    Old axes are joined into runs of one stride, from which the new axes are cut.
    """
    runs: list[list[int]] = []  # [cells, stride of the last axis], outermost first
    for n, s in zip(old, old_strides, strict=True):
        if n == 1:
            continue
        if runs and runs[-1][1] == n * s:
            runs[-1] = [runs[-1][0] * n, s]
        else:
            runs.append([n, s])
    strides, (left, step) = [], runs.pop() if runs else [1, 0]
    for n in reversed(new):
        if left == 1 and n > 1:
            left, step = runs.pop()
        if left % n:
            return None
        strides.append(step)
        left, step = left // n, step * n
    return tuple(reversed(strides))


# ---- requests through a reshape that moves no cell


def _cut(node: Node, request: Request) -> list[tuple[int, Request]]:
    """Return the requests to the input, for each run of axes that the reshape merges or splits.

    Raises NotAView if there would be over MAX_RESHAPE_PIECES.
    """
    old, new = node.inputs[0].desc.shape, node.desc.shape
    parts = [Request(request.sizes, request.start, request.step, ((0, ()),) * len(old) + request.rows)]
    for olds, news in reshape_groups(old, new):
        cut = []
        for r in parts:
            linear: Row = (0, ())
            for axis, stride in zip(news, c_strides(tuple([new[a] for a in news]), 1), strict=True):
                linear = added(linear, scaled(r.rows[len(old) + axis], 0, stride))
            cut.extend(_unravel(node, with_row(r, olds[0], linear), olds, tuple([old[a] for a in olds])))
            if len(cut) > MAX_RESHAPE_PIECES:
                raise NotAView(node)
        parts = cut
    return [(0, Request(r.sizes, r.start, r.step, r.rows[: len(old)])) for r in parts]


def _unravel(node: Node, request: Request, axes: tuple[int, ...], shape: Shape) -> list[Request]:
    """Return requests in which one row, a row-major position in `shape`, is replaced by a row for each axis.

    That row is the one of axes[0].  Raises NotAView if there would be over MAX_RESHAPE_PIECES requests.
    """
    if len(axes) == 1:
        return [request]
    done, pending, strides = [], [request], c_strides(shape, 1)
    while pending:
        r = pending.pop()
        digits, carry = _digits(r.rows[axes[0]], r.sizes, shape, strides)
        if not carry:
            for a, row in zip(axes, digits, strict=True):
                r = with_row(r, a, row)
            done.append(r)
        elif len(r.rows[axes[0]][1]) > 1:
            if sorted([r.sizes[p] for p, _ in r.rows[axes[0]][1]])[-2] > MAX_RESHAPE_PIECES:
                raise NotAView(node)
            pending.extend(one_term(node, r, axes[0]))
        else:
            pending.extend(_by_rows(r, axes[0], carry))
        if len(done) + len(pending) > MAX_RESHAPE_PIECES:
            raise NotAView(node)
    return done


def _by_rows(request: Request, axis: int, length: int) -> Iterable[Request]:
    """Yield the parts of a request in which an axis's positions stay within one block of `length` positions."""
    (o, ((d, a),)), t = request.rows[axis], 0
    for _ in range(MAX_RESHAPE_PIECES + 1):
        if t >= request.sizes[d]:
            return
        y = (o + a * t) % length
        stop = min(request.sizes[d], t + (-((y - length) // a) if a > 0 else y // -a + 1))
        yield restrict(request, d, t, stop - t)
        t = stop


def _digits(row: Row, sizes: Shape, shape: Shape, strides: Shape) -> tuple[list[Row], int]:
    """Return the rows of the axes of `shape` at which the row-major positions of `row` lie, and a block length.

    `sizes` are those of the row's parameters, `strides` the row-major strides of `shape`. The block length is 0 if the
    rows hold for all parameters; else a digit would carry at the ends of blocks of so many positions.
    """
    offset, flipped = row[0], []
    for p, a in row[1]:
        offset += min(a, 0) * (sizes[p] - 1)  # count every parameter upwards
        flipped.append((p, abs(a), a < 0))
    out = []
    for n, s in zip(shape, strides, strict=True):
        o, top, terms = offset // s % n, offset // s % n, []
        for p, a, down in flipped:
            c = a // s % n if s != strides[0] else a // s
            top += c * (sizes[p] - 1)
            o += c * (sizes[p] - 1) if down else 0
            if c:
                terms.append((p, -c if down else c))
        out.append(((o, tuple(terms)), top >= n))
    carry = [s * n for (_, over), n, s in zip(out, shape, strides, strict=True) if over]
    return [r for r, _ in out], carry[-1] if carry else 0


def reshape_groups(old: Shape, new: Shape) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return pairs of runs of old and new axes with equal numbers of cells, as short as possible.

    Axes of size 1 are left out.

    >>> reshape_groups((4, 6), (2, 2, 6)), reshape_groups((4, 6), (3, 8))
    ([((0,), (0, 1)), ((1,), (2,))], [((0, 1), (0, 1))])
    """
    olds, news = [i for i, n in enumerate(old) if n != 1], [i for i, n in enumerate(new) if n != 1]
    groups, i, j = [], 0, 0
    while i < len(olds):
        i0, j0, a, b = i, j, old[olds[i]], new[news[j]]
        i, j = i + 1, j + 1
        while a != b:
            if a < b:
                a, i = a * old[olds[i]], i + 1
            else:
                b, j = b * new[news[j]], j + 1
        groups.append((tuple(olds[i0:i]), tuple(news[j0:j])))
    return groups


def reshaped(x: Node, shape: Shape) -> Node:
    """Return the row-major cells of x in another shape: x itself, a view, or else a copy.

    Raises ShapeError if the shape has another number of cells.
    """
    return x if x.desc.shape == shape else reshape_view(x, shape) or reshape(x, shape)


def _rebuild(n: Node) -> Node:
    made = reshape(n.inputs[0], *n.attrs) if n.alias is None else reshape_view(n.inputs[0], *n.attrs)
    if made is None:
        raise InternalError("reshape: internal: a view that strides do not allow; please report this")
    return made


def _adjoint(node: Node, gradient: Node) -> tuple[Node]:
    return (reshaped(gradient, node.inputs[0].desc.shape),)


def _batched(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    shape = (batch_size, *n.attrs[0])
    return (reshape_view(batched_inputs[0], shape) if n.alias is not None else None) or reshape(
        batched_inputs[0], shape
    )


ATOM = Atom(
    "reshape",
    reshape,
    rebuild=_rebuild,
    cut=_cut,
    adjoint=_adjoint,
    numpy=lambda parts, n: parts[0].reshape(n.desc.shape),
    batched=_batched,
)
