"""Injectivity of selection trees: a tree that reads no cell twice can be written through.

The one idea: every piece is a strided box of addresses in its leaf's root, so the lattice solver answers for one piece
and for two; pieces are swept in the order of their address ranges, so only neighbours are compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node
from weft.ir.pieces.lattice import UNDECIDED, ByteBox, Undecided, extent, overlap, self_overlap
from weft.ir.pieces.normal_form import Piece


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
