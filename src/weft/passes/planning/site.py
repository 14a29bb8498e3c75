"""Sites: the places of a program's cells and numbers; and rows planned before, moved to other places.

The one idea: rows follow from the ops, attributes and shapes below a node and from how its sources lie, not from where.
The steps of a loop, in one program or in the next, differ in that alone: their rows are planned once, and moved.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from weft.ir.graph.description import Shape, c_strides
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.kernels.plan import Row
from weft.ir.pieces.demand import below_views
from weft.ir.pieces.request import Request, whole
from weft.passes.fuse import is_stored

_SCALAR = OPS["scalar"]

MANY = 4096  # pieces of one kernel that are never too many
MOST, LONGEST = 512, 64  # lists of rows that are kept, and rows of each
Rows = list[tuple[Request, Row]]  # each row with its part of a request


@dataclass(slots=True)
class CellLocation:
    """The location of a node's cells for a program: argument, byte offset, strides, byte order."""

    arg: int
    offset: int
    strides: Shape
    big: bool = False


@dataclass(slots=True)
class Site:
    """The locations of a program's stored nodes, and the numbers of its scalars."""

    places: dict[int, CellLocation]
    numbers: dict[int, int]
    dividing: Container[int]  # ids of nodes over which a request may have to be cut
    many: int = MANY  # pieces of one kernel from which they are held against storing something first
    slots: dict[int, int] = field(default_factory=dict)  # of scalars by number, in the order of their first use

    def place(self, n: Node) -> CellLocation | None:
        """Return the location of a node, its own or as a view of a located root; else None."""
        found = self.places.get(id(n))
        if found is None and n.alias is not None:
            x, first = n.alias[0], n.alias[1]
            if is_stored(n):  # a view that a rule made of a leaf: leaves lie where their own arguments say
                x = n.inputs[0]
                while id(x) not in self.places and x.inputs:
                    x = x.inputs[0]
                first -= x.alias[1] if x.alias is not None else 0
            root = self.places.get(id(x))
            if root is not None:
                assert n.desc.strides is not None
                found = CellLocation(root.arg, root.offset + first, n.desc.strides, n.desc.big)
        return found

    def array(self, n: Node) -> CellLocation | None:
        """Return the location of a node, also of a view of a located view; None if there is none."""
        x, request = below_views(n, whole(n), self.place)
        found = self.place(x)
        if x is n or found is None:
            return found
        offset, steps = request.address(found.strides)
        dense = c_strides(n.desc.shape, n.desc.dtype.itemsize)
        strides = tuple([s if size > 1 else d for s, size, d in zip(steps, n.desc.shape, dense, strict=True)])
        return CellLocation(found.arg, found.offset + offset, strides, found.big)


# ---- rows planned before


class RowSignature(NamedTuple):
    """All that the rows of a graph depend on (`key`), and where its cells and numbers lie."""

    key: tuple[Any, ...]
    args: dict[int, tuple[int, int]]  # for each argument its number in the key, and the offset from which that counts
    first: int  # the first slot


def signature_of(n: Node, site: Site) -> RowSignature:
    """Return the signature of the graph below a node, down to what is located. Its scalars get slots in its order."""
    places, slots = site.places, site.slots
    number: dict[int, int] = {}
    args: dict[int, tuple[int, int]] = {}
    own: list[int] = []
    key: list[Any] = []
    pending = [n]
    while pending:
        x = pending.pop()
        if id(x) in number:
            key.append(number[id(x)])
            continue
        number[id(x)] = len(number)
        place = places.get(id(x)) if x.alias is None else site.place(x)
        if place is not None:
            k, base = args.setdefault(place.arg, (len(args), place.offset))
            key += (k, place.offset - base, place.strides, place.big, x.desc)
        elif x.op is not _SCALAR:
            key += (x.op, x.attrs, x.desc, len(x.inputs))
            pending += reversed(x.inputs)
        elif (given := site.numbers.get(id(x))) is None:
            key += (x.desc.dtype, repr(x.attrs[0]))
        else:
            own.append(slots.setdefault(given, len(slots)))
            key.append(x.desc.dtype)
    first = min(own, default=0)
    return RowSignature((*key, *[slot - first for slot in own]), args, first)


@dataclass(slots=True)
class KnownRows:
    """The rows planned last, by all that they depend on, with the signature of the graph that they were planned for."""

    kept: OrderedDict[tuple[Any, ...], tuple[RowSignature, Rows]] = field(default_factory=OrderedDict)

    def find(self, key: tuple[Any, ...], signature: RowSignature) -> Rows | None:
        """Return the rows of a key, moved to where this signature's cells and numbers lie; None if there are none."""
        known = self.kept.get(key)
        if known is None:
            return None
        before, rows = known
        at = {-1: (-1, 0)}  # coordinates stay: the argument, and how far it moved, by the argument before
        for (old, (_, base)), (arg, (_, now)) in zip(before.args.items(), signature.args.items(), strict=True):
            at[old] = arg, now - base
        by = signature.first - before.first
        return [(part, _moved(row, at, by)) for part, row in rows]

    def keep(self, key: tuple[Any, ...], signature: RowSignature, rows: Rows) -> None:
        """Keep the rows of a key, unless they are many; the oldest make room."""
        if len(rows) <= LONGEST:
            self.kept[key] = signature, rows
            if len(self.kept) > MOST:
                self.kept.popitem(last=False)


KNOWN = KnownRows()


def _moved(row: Row, at: Mapping[int, tuple[int, int]], by: int) -> Row:
    """Return a row over other arguments and scalars. `at` has (argument, bytes further on) by the argument before."""
    operands = tuple([o._replace(arg=at[o.arg][0], offset=o.offset + at[o.arg][1]) for o in row.operands])
    return Row(row.body, row.sizes, operands, row.out, row.start, row.scalars + by)
