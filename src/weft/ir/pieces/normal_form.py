"""The normal form of selections: a partition of a request into strided boxes, each reading one leaf affinely.

The one idea: route the request from the root down and cut it only where a composite passes from one input to another,
so the cost follows the pieces touched and not the sources present.  Laws: the pieces' placements are the request, each
cell once; the pieces of a part of a tree are the parts of its pieces; each piece reads the cells that NumPy would.

A tree that reads no cell twice can be written through: every piece is a strided box of addresses in its leaf's root, so
the lattice solver answers for one piece and for two, swept in the order of their addresses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import NamedTuple

from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node
from weft.ir.pieces.demand import below_views, demand
from weft.ir.pieces.lattice import UNDECIDED, ByteBox, Undecided, extent, overlap, self_overlap
from weft.ir.pieces.request import MAX_PIECES, Request, Row, TooManyPieces, whole


class Piece(NamedTuple):
    """A strided box of a request that reads one leaf affinely.

    For all 0 <= t < sizes: cell start + step · t of the request's root is cell rows(t) of the leaf.
    """

    leaf: Node
    sizes: Shape
    start: Shape
    step: Shape
    rows: tuple[Row, ...]

    @property
    def request(self) -> Request:
        """The same box as a request to the leaf."""
        return Request(self.sizes, self.start, self.step, self.rows)

    def address(self, strides: Shape) -> tuple[int, Shape]:
        """Return (byte offset of the piece's first cell in the leaf, byte step for each parameter).

        `strides` are the byte strides of the leaf.
        """
        return self.request.address(strides)


def pieces(
    node: Node, request: Request | None = None, stop: Container[Node] = (), limit: int = MAX_PIECES
) -> list[Piece]:
    """Return the pieces of a node, or of a request to it, sorted by start; none for an empty request.

    `stop` holds nodes to treat as leaves.  Raises TooManyPieces if there are more than `limit`, NotAView if a reshape
    needs too many cuts.
    """
    request = whole(node) if request is None else request
    if 0 in request.sizes:
        return []
    found: list[Piece] = []
    pending, ends = [(node, request)], partial(_is_leaf, stop)
    while pending:
        n, r = pending.pop()
        n, r = below_views(n, r, ends)
        if ends(n):
            found.append(Piece(n, r.sizes, r.start, r.step, r.rows))
            if len(found) > limit:
                raise TooManyPieces(node)
        else:
            inputs = n.inputs
            pending.extend([(inputs[i], part) for i, part in demand(n, r)])
    return _canonical(found)


def _is_leaf(stop: Container[Node], n: Node) -> bool:
    if n.op.kind != "selection" or n.value is not None:
        return True
    return (n.alias is not None and n.alias[0].value is not None) or n in stop


def _canonical(pieces: list[Piece]) -> list[Piece]:
    """Return pieces sorted by start, with adjacent pieces of one leaf merged."""
    if len(pieces) == 1:
        return pieces
    by_leaf: defaultdict[object, list[Piece]] = defaultdict(list)
    for p in pieces:
        leaf = p.leaf  # scalars of one value are one leaf: margins of several pads then join
        by_leaf[(leaf.dtype, repr(leaf.attrs[0])) if leaf.op.name == "scalar" else id(leaf)].append(p)
    out = []
    for same in by_leaf.values():
        for axis in range(len(same[0].sizes) - 1, -1, -1):
            if len(same) > 1:
                same = _merge(same, axis)
        out.extend(same)
    return sorted(out, key=_place)


def _place(p: Piece) -> tuple[Shape, Shape]:
    return p.start, p.step


def _merge(pieces: list[Piece], axis: int) -> list[Piece]:
    """Return pieces of one leaf, with those merged that are adjacent along an axis."""
    lines: defaultdict[tuple[object, ...], list[Piece]] = defaultdict(list)
    for p in pieces:
        others = tuple([tuple([t for t in terms if t[0] != axis]) for _, terms in p.rows])
        place = (
            p.start[:axis],
            p.start[axis + 1 :],
            p.sizes[:axis],
            p.sizes[axis + 1 :],
            p.step[:axis],
            p.step[axis + 1 :],
        )
        lines[place, others].append(p)
    out = []
    for line in lines.values():
        line.sort(key=lambda p: p.start[axis])
        last = line[0]
        for p in line[1:]:
            joined = _join(last, p, axis)
            if joined is None:
                out.append(last)
                last = p
            else:
                last = joined
        out.append(last)
    return out


def _join(first: Piece, second: Piece, axis: int) -> Piece | None:
    """Return two pieces that differ along `axis` alone merged into one.

    None if the second does not continue the first. Positions 0, 2 and 4, 6 make 0, 2, 4, 6; two single positions are
    joined only if they are neighbours.
    """
    n, m, gap = first.sizes[axis], second.sizes[axis], second.start[axis] - first.start[axis]
    step = first.step[axis] if n > 1 else second.step[axis] if m > 1 else gap
    if gap != step * n or (n > 1 and m > 1 and second.step[axis] != step) or (n == m == 1 and step != 1):
        return None
    rows = []
    for (oa, ta), (ob, tb) in zip(first.rows, second.rows, strict=True):
        move = _coefficient(ta, axis) if n > 1 else _coefficient(tb, axis) if m > 1 else ob - oa
        if ob != oa + move * n or (n > 1 and m > 1 and _coefficient(tb, axis) != move):
            return None
        rows.append((oa, tuple([t for t in ta if t[0] != axis] + ([(axis, move)] if move else []))))
    sizes = (*first.sizes[:axis], n + m, *first.sizes[axis + 1 :])
    return Piece(first.leaf, sizes, first.start, (*first.step[:axis], step, *first.step[axis + 1 :]), tuple(rows))


def _coefficient(terms: tuple[tuple[int, int], ...], d: int) -> int:
    for p, a in terms:
        if p == d:
            return a
    return 0


def root_box(piece: Piece) -> tuple[Node, ByteBox]:
    """Return the node whose memory a piece reads, and the bytes it reads there, one axis per parameter."""
    leaf, desc = piece.leaf, piece.leaf.desc
    root, base = leaf.alias if leaf.alias is not None else (leaf, 0)
    strides = desc.strides if desc.strides is not None else c_strides(desc.shape, desc.dtype.itemsize)
    offset, steps = piece.address(strides)
    return root, ByteBox(base + offset, tuple(zip(steps, piece.sizes, strict=True)), desc.dtype.itemsize)


def collision(
    pieces: Sequence[Piece], bytes_of: Callable[[Piece], tuple[object, ByteBox]] = root_box, limit: int | None = None
) -> tuple[Shape, Shape] | Undecided | None:
    """Return two positions, in order, whose cells pieces read from one cell; None if no cell is read twice.

    UNDECIDED if the search is too long; `limit` bounds the comparisons of pieces. `bytes_of` returns the memory and
    bytes of a piece.
    """
    by_root: defaultdict[object, list[tuple[int, int, ByteBox, Piece]]] = defaultdict(list)
    undecided = False
    for p in pieces:
        memory, b = bytes_of(p)
        hit = self_overlap(b)
        if isinstance(hit, tuple):
            return _in_order(_cell_at(p, hit[0]), _cell_at(p, hit[1]))
        undecided = undecided or hit is not None
        by_root[memory].append((*extent(b), b, p))
    for entries in by_root.values():
        met, limit = _between(entries, limit)
        if isinstance(met, tuple):
            return met
        undecided = undecided or met is not None
    return UNDECIDED if undecided else None


def _between(
    entries: list[tuple[int, int, ByteBox, Piece]], limit: int | None
) -> tuple[tuple[Shape, Shape] | Undecided | None, int | None]:
    """Return (collision of two pieces of one memory or None, number of comparisons left).

    The pieces are swept by address; `entries` are (first byte, end, box, piece).
    """
    entries.sort(key=lambda e: e[:2])
    open_ones: list[tuple[int, int, ByteBox, Piece]] = []
    undecided = False
    for entry in entries:
        low, _, b, p = entry
        open_ones = [e for e in open_ones if e[1] > low]
        if limit is not None and (limit := limit - len(open_ones)) < 0:
            return UNDECIDED, limit
        for _, _, other, q in open_ones:
            hit = overlap(other, b)
            if isinstance(hit, tuple):
                return _in_order(_cell_at(q, hit[0]), _cell_at(p, hit[1])), limit
            undecided = undecided or hit is not None
        open_ones.append(entry)
    return UNDECIDED if undecided else None, limit


def _cell_at(p: Piece, at: Shape) -> Shape:
    return tuple([e + s * i for e, s, i in zip(p.start, p.step, at, strict=True)])


def _in_order(a: Shape, b: Shape) -> tuple[Shape, Shape]:
    return (a, b) if a < b else (b, a)
