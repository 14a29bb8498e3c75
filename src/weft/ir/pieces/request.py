"""Requests: boxes of cells to be read, and cuts of them.

The one idea: a request is a box of parameters with two affine maps, to the destination positions and to the positions
that are read.  Every cut is along parameters, so parts stay boxes and together they are the request, each cell once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import gcd, prod
from typing import NamedTuple

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node

MAX_PIECES = 100_000

Row = tuple[
    int, tuple[tuple[int, int], ...]
]  # position = offset + Σ coefficient · parameter, as (parameter, coefficient)
Block = tuple[int, int, int, int, int]  # positions low <= y < high are read from an input at shift + sign · y


class Request(NamedTuple):
    """Cells of a node that a computation of its root wants, named by parameters 0 <= t < sizes.

    The cell of the root is start + step · t; rows[i] gives the node's position along axis i.  Parameters number the
    root's axes.  A parameter of size 1 has step 1 and no coefficients.
    """

    sizes: Shape
    start: Shape
    step: Shape
    rows: tuple[Row, ...]

    def address(self, strides: Shape) -> tuple[int, Shape]:
        """Return (byte offset of the request's first cell in the node, byte step for each parameter).

        `strides` are the byte strides of the node.
        """
        offset, steps = 0, [0] * len(self.sizes)
        for (o, terms), s in zip(self.rows, strides, strict=True):
            offset += o * s
            for p, a in terms:
                steps[p] += a * s
        return offset, tuple(steps)


class MustStore(Exception):
    """Raised if `node` must be stored before its cells can be read; `reason` says why."""

    reason = "its cells lie with gaps, or a routine needs them as an array"

    def __init__(self, node: Node) -> None:
        super().__init__(f"{node.op.name}: internal: to be stored first: {self.reason}")
        self.node = node


class TooManyPieces(MustStore):
    """Raised if a request would be cut into more pieces than the limit; storing `node` makes it one piece."""

    reason = "it would be read in more pieces than copying it costs"


class NotAView(MustStore):
    """Raised if a request to the reshape `node` needs too many boxes of its input."""

    reason = "its runs are no boxes of what it reshapes"


def whole(node: Node) -> Request:
    """Return the request for every cell of a node, read in place."""
    shape = node.desc.shape
    rows = tuple([(0, ((d, 1),)) if n > 1 else (0, ()) for d, n in enumerate(shape)])
    return Request(shape, (0,) * len(shape), (1,) * len(shape), rows)


def operand(request: Request, shape: Shape) -> Request:
    """Return a request to a node as a request to an operand of `shape`, which broadcasts to the node's shape."""
    rows = request.rows[len(request.rows) - len(shape) :]
    fixed = tuple([(0, ()) if n == 1 else row for n, row in zip(shape, rows, strict=True)])
    return Request(request.sizes, request.start, request.step, fixed)


def restrict(request: Request, parameter: int, first: int, size: int, stride: int = 1) -> Request:
    """Return the part of a request with one parameter at `size` values: first, first + stride, and so on.

    `parameter` is its number.
    """
    sizes, start, step, rows = request
    if size == sizes[parameter] and stride == 1:
        return request
    cut = []
    for row in rows:
        o, terms = row
        for p, a in terms:
            if p == parameter:
                o += a * first
                terms = tuple(
                    [(q, b * stride if q == parameter else b) for q, b in terms if q != parameter or size > 1]
                )
                row = (o, terms)
                break
        cut.append(row)
    return Request(
        (*sizes[:parameter], size, *sizes[parameter + 1 :]),
        (*start[:parameter], start[parameter] + step[parameter] * first, *start[parameter + 1 :]),
        (*step[:parameter], step[parameter] * stride if size > 1 else 1, *step[parameter + 1 :]),
        tuple(cut),
    )


def narrowed(request: Request, runs: Sequence[tuple[int, int]]) -> Request:
    """Return the part of a request with each parameter in a range, given as (first, size).

    >>> asked = Request((9, 5), (0, 0), (1, 1), ((7, ((0, 2), (1, 20))),))
    >>> narrowed(asked, [(3, 4), (2, 1)]) == restrict(restrict(asked, 0, 3, 4), 1, 2, 1)
    True
    """
    first, sizes = zip(*runs, strict=True) if runs else ((), ())
    rows = []
    for o, terms in request.rows:
        for p, a in terms:
            o += a * first[p]
        rows.append((o, tuple([term for term in terms if sizes[term[0]] > 1])))
    start = tuple([a + s * t for a, s, t in zip(request.start, request.step, first, strict=True)])
    step = tuple([s if n > 1 else 1 for s, n in zip(request.step, sizes, strict=True)])
    return Request(sizes, start, step, tuple(rows))


MOST_PARTS = 32  # of a parameter along which a sparse request is split
FAR = 32  # gap between two positions read, from which each is a part of its own


def dense_parts(request: Request) -> list[Request]:
    """Return parts of a request, each of which reads most of the positions between its first and last.

    >>> years = Request((2, 20), (0, 0), (1, 1), ((0, ((0, 365), (1, 1))),))  # 20 days of two years
    >>> [r.rows for r in dense_parts(years)]
    [((0, ((1, 1),)),), ((365, ((1, 1),)),)]
    >>> [r.rows for r in dense_parts(Request((2,), (0,), (1,), ((3, ((0, 365),)),)))]  # a day of two years
    [((3, ()),), ((368, ()),)]
    """
    for _, terms in request.rows:
        if terms:
            p, a = terms[0] if len(terms) == 1 else max(terms, key=lambda term: abs(term[1]))
            span = sum([abs(b) * (request.sizes[q] - 1) for q, b in terms if q != p]) + 1
            if abs(a) > (2 * span if len(terms) > 1 else FAR) and 1 < request.sizes[p] <= MOST_PARTS:
                parts = [restrict(request, p, t, 1) for t in range(request.sizes[p])]
                return [d for part in parts for d in dense_parts(part)]
    return [request]


# ---- rows


def scaled(row: Row, offset: int, factor: int) -> Row:
    """Return the row factor · row + offset."""
    o, terms = row
    return offset + factor * o, tuple([(p, a * factor) for p, a in terms])


def added(first: Row, second: Row) -> Row:
    """Return the sum of two rows, parameter by parameter."""
    if not first[1] or not second[1]:
        return first[0] + second[0], first[1] or second[1]
    total = dict(first[1])
    for p, a in second[1]:
        total[p] = total.get(p, 0) + a
    return first[0] + second[0], tuple([(p, a) for p, a in total.items() if a])


# ---- cutting a request along an axis


def row_range(row: Row, sizes: Shape) -> tuple[int, int]:
    """Return the lowest and the highest position of a row over all parameters."""
    low = high = row[0]
    for p, a in row[1]:
        if a > 0:
            high += a * (sizes[p] - 1)
        else:
            low += a * (sizes[p] - 1)
    return low, high


def with_row(request: Request, axis: int, row: Row) -> Request:
    """Return a request with the row of one axis replaced."""
    rows = request.rows
    return Request(request.sizes, request.start, request.step, (*rows[:axis], row, *rows[axis + 1 :]))


def input_request(request: Request, axis: int, block: Block) -> tuple[int, Request]:
    """Return (number, request) of the input that a block of positions is read from.

    `block` is (first, stop, input number, sign, shift): position p along the axis is position shift + sign·p of the
    input.
    """
    _, _, source, sign, shift = block
    sizes, start, step, rows = request
    o, terms = rows[axis]
    row = (o + shift, terms) if sign == 1 else scaled((o, terms), shift, sign) if sign else (shift, ())
    return source, Request(sizes, start, step, (*rows[:axis], row, *rows[axis + 1 :]))


def by_blocks(node: Node, request: Request, axis: int, find: Callable[[int], Block]) -> list[tuple[int, Request]]:
    """Return the parts of a request as (input number, request), cut between blocks of positions of an axis.

    `find(position)` returns the block around it, as for `input_request`.  Raises TooManyPieces if there are more than
    MAX_PIECES.
    """
    o, terms = request.rows[axis]
    if 0 in request.sizes:  # no block has the first position
        return []
    if len(terms) != 1:
        low, high = row_range((o, terms), request.sizes)
        block = find(low)
        return [input_request(request, axis, block)] if high < block[1] else _by_hulls(node, request, axis, find)
    (d, a), t, n, parts = terms[0], 0, request.sizes[terms[0][0]], []
    while t < n:
        y = o + a * t
        block = find(y)
        # the first t beyond the block: with a = 2, y = 3 and a block of 0 to 7, positions 3, 5, 7 are inside: t + 3
        stop = min(n, t + (-((y - block[1]) // a) if a > 0 else (y - block[0]) // -a + 1))
        parts.append(input_request(restrict(request, d, t, stop - t), axis, block))
        t = stop
    return parts


def _by_hulls(node: Node, request: Request, axis: int, find: Callable[[int], Block]) -> list[tuple[int, Request]]:
    """Return the parts as `by_blocks` does, for an axis along which several parameters move (windows, diagonals).

    Raises TooManyPieces if there are more than MAX_PIECES.
    """
    o, terms = request.rows[axis]
    d, a = max(terms, key=lambda term: request.sizes[term[0]])
    below, above = row_range((o, tuple([term for term in terms if term[0] != d])), request.sizes)
    t, n, parts = 0, request.sizes[d], []
    while t < n:
        low, high = below + a * t, above + a * t  # the other parameters reach all of this: a window of t
        block = find(low)
        if high < block[1]:
            stop = min(n, t + (-((high - block[1]) // a) if a > 0 else (low - block[0]) // -a + 1))
            parts.append(input_request(restrict(request, d, t, stop - t), axis, block))
        else:  # windows that cross the border, until one lies beyond it: they are cut parameter by parameter
            stop = min(n, t + (-((low - block[1]) // a) if a > 0 else (high - find(high)[0]) // -a + 1))
            for r in one_term(node, restrict(request, d, t, stop - t), axis):
                parts.extend(by_blocks(node, r, axis, find))
                if len(parts) > MAX_PIECES:
                    raise TooManyPieces(node)
        t = stop
    return parts


def one_term(node: Node, request: Request, axis: int) -> list[Request]:
    """Return parts of a request in which only its largest parameter moves along the axis.

    Raises TooManyPieces if there are more than MAX_PIECES.
    """
    by_size = sorted([p for p, _ in request.rows[axis][1]], key=lambda p: request.sizes[p])
    if prod([request.sizes[p] for p in by_size[:-1]]) > MAX_PIECES:
        raise TooManyPieces(node)
    parts = [request]
    for p in by_size[:-1]:
        parts = [restrict(r, p, t, 1) for r in parts for t in range(r.sizes[p])]
    return parts


def by_residues(node: Node, request: Request, axis: int, period: int) -> list[Request]:
    """Return parts of a request whose positions along an axis are all congruent modulo `period`.

    Raises TooManyPieces if there are more than MAX_PIECES.
    """
    cuts = []
    for p, a in request.rows[axis][1]:
        # steps of a = 4 modulo 6 go 0, 4, 2, 0, ...: every third value of the parameter has the same residue
        n, classes = request.sizes[p], period // gcd(a, period)
        cuts.append([(p, j, (n - j + classes - 1) // classes, classes) for j in range(min(n, classes))])
        if prod(map(len, cuts)) > MAX_PIECES:
            raise TooManyPieces(node)
    parts = []
    for chosen in product(*cuts):
        r = request
        for p, j, size, classes in chosen:
            r = restrict(r, p, j, size, classes)
        parts.append(r)
    return parts


def periodic_is_finer(request: Request, axis: int, period: int, length: int) -> bool:
    """True if cutting by residues modulo `period` gives fewer parts than cutting by blocks of `length`."""
    row = request.rows[axis]
    low, high = row_range(row, request.sizes)
    classes = prod([min(request.sizes[p], period // gcd(a, period)) for p, a in row[1]])
    largest = max([request.sizes[p] for p, _ in row[1]], default=1)
    blocks = min((high - low) // length + 1, largest) * prod([request.sizes[p] for p, _ in row[1]]) // largest
    return classes < blocks


# ---- cutting a request along one axis after another


def axis_by_axis(
    axes: Sequence[int], request: Request, cut_axis: Callable[[Request, int], list[tuple[int, Request]]]
) -> list[tuple[int, Request]]:
    """Return the parts of a request cut by `cut_axis` along one of `axes` after another, the last axis first.

    `cut_axis` returns pairs (input number, part); parts for input 0 are cut along the next axis, others are final.
    Margins of the last axis then span all rows, and join those of the next part where parts are concatenated.
    """
    done: list[tuple[int, Request]] = []
    pending = [request]
    for axis in reversed(axes):
        following = []
        for r in pending:
            for source, part in cut_axis(r, axis):
                if source == 0:
                    following.append(part)
                else:
                    done.append((source, Request(part.sizes, part.start, part.step, ())))
        pending = following
    return [*[(0, r) for r in pending], *done]


def periodic(
    node: Node, request: Request, axis: int, mirrored: int, before: int, period: int
) -> list[tuple[int, Request]]:
    """Return the parts of a request to an axis that repeats `period` cells; one copy starts at position `before`.

    `mirrored`: 0 repeats them unchanged, 1 mirrors with the edge cell twice (symmetric), 2 with it once (reflect).
    """
    length = period - 1 if mirrored == 2 else period
    find = _block_finder(mirrored, before, period)
    if not periodic_is_finer(request, axis, 2 * length if mirrored else length, length):
        return by_blocks(node, request, axis, find)
    parts = []
    for r in by_residues(node, request, axis, 2 * length if mirrored else length):
        o = r.rows[axis][0]
        _, _, _, sign, shift = find(o)
        parts.append((0, with_row(r, axis, (shift + sign * o, ()))))
    return parts


def _block_finder(mirrored: int, before: int, n: int) -> Callable[[int], Block]:
    # Of cells a b c, blocks are abc|abc|abc unchanged, abc|cba|abc symmetric and abc|b|ab|cb|ab by reflection, where
    # the first block is whole and the second lacks both edges, which its neighbours have already.
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
