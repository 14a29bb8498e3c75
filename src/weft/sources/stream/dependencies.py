"""Dependencies in a graph over files: the nodes that tiles can compute, and the values needed before them.

The one idea: a node that reads a reduction cell by cell waits for it, so reductions whose inputs need no other
reduction go first.  Reductions over few cells, or with large values, are not waited for: tiles compute them again.  If
there are many such reductions, as over each day of several years, a tile of their reader needs only some of them, not a
strip of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from functools import cached_property, reduce
from math import prod
from operator import or_

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.graph.ops import IN_PLACE, SORTS
from weft.ir.pieces.box import Box, box_of
from weft.ir.pieces.demand import line_axis
from weft.passes.fuse import below, is_stored, over_files
from weft.sources.read.touched_boxes import overlap
from weft.sources.stream.footprints import Footprint
from weft.sources.stream.products import tiled_products
from weft.sources.stream.running_scans import is_carried
from weft.sources.stream.takes import takes_along, tiled_takes

FEW = 64  # reductions over at most FEW cells are computed again by tiles, if values take 1/8 of the limit
ROW = 256  # a row of which tiles compute reductions again takes at most 1 / ROW of the limit
Shapes = tuple[Shape, Shape]  # (shape of a reduction's input, shape of its value)


class Dependencies:
    """The facts about nodes over files: which tiles can compute within `limit` bytes, and what comes before.

    `local` has the ids of reductions that tiles shall compute together with their readers.
    """

    def __init__(self, nodes: Sequence[Node], limit: int, local: Container[int] = ()) -> None:
        self.nodes, self.limit, self.local = nodes, limit, local
        self.over, self.asked = over_files(nodes), set(map(id, nodes))  # ids
        self.pending = [n for n in below(nodes) if id(n) in self.over and not is_stored(n)]
        self._alike: dict[int, bool] = {}  # by id of a reduction: what `_read_alike` says

    def in_tiles(self) -> list[Node]:
        """Return those of the nodes that tiles can compute cell by cell."""
        found = [n for n in self.nodes if id(n) in self.over and id(n) not in self._whole and n.desc.size]
        return [n for n in found if n.op.kind != "reduce" or self._is_local(n)]

    def are_in_tiles(self) -> bool:
        """True if all nodes can be computed tile by tile, after the values that they depend on."""
        return self._whole.isdisjoint(map(id, self.nodes))

    def next_reductions(self) -> list[Node]:
        """Return the reductions that must be computed next, all over inputs of one shape; empty if none."""
        # of (x - mean(x)) / std(x): mean and std, as `later` has the subtraction and the division, which read them
        rounds = self.first_reductions()
        return [n for n in rounds if n.inputs[0].desc.shape == rounds[0].inputs[0].desc.shape]

    def first_reductions(self, after: Container[int] = ()) -> list[Node]:
        """Return the reductions that depend on no pending one, nor on nodes with ids in `after`."""
        rounds: list[Node] = []
        later: set[int] = set()  # ids of nodes that depend on the round
        for n in [n for n in self.pending if n.inputs]:
            wanted = n.op.kind == "reduce" and id(n.inputs[0]) not in self._whole and n.desc.size
            if id(n) in after or any(id(i) in later for i in n.inputs):
                later.add(id(n))
            elif wanted and n.inputs[0].desc.size and not self._is_local(n):
                rounds.append(n)
                later.add(id(n))
        return rounds

    def read_beside_files(self, values: Sequence[Node], after: Container[int]) -> set[int]:
        """Return the ids of those of `values` that nodes read together with cells of files, as x - mean(x) does.

        Nodes with ids in `after` are computed before their readers.
        """
        bits = {id(n): 1 << k for k, n in enumerate(values)}
        read: dict[int, int] = {}  # by id of a node: the bits of the values that it depends on
        cells, found = set[int](), 0  # ids of nodes that read files otherwise than through values
        for n in self.pending:
            if id(n) in bits or id(n) in after:
                read[id(n)] = bits.get(id(n), 0)
                continue
            read[id(n)] = reduce(or_, [read.get(id(i), 0) for i in n.inputs], 0)
            if any(i.op.name == "file" or id(i) in cells for i in n.inputs):
                cells.add(id(n))
                found |= read[id(n)]
        return {k for k, bit in bits.items() if found & bit}

    @cached_property
    def small_wholes(self) -> list[Node]:
        """Return small values over files that other nodes need as a whole, inner ones first.

        These are routines of small operands, and small values in which takes look cells up.
        """
        found: dict[int, Node] = {}
        for n in [n for n in self.pending if id(n) not in self._made_in_tiles and n.traits is None]:
            x = n.inputs[0] if n.inputs else n
            if n.op.kind == "call" and not _has_lines(n) and self._are_small([n, *n.inputs]):
                found[id(n)] = n
            elif n.op.kind == "take" and id(x) in self.over and not is_stored(x) and self._are_small([x]):
                found[id(x)] = x
        return list(found.values())

    @cached_property
    def settled(self) -> set[int]:
        """Return the ids of values that come before all others: small wholes, scans of one line, bins and sorts."""
        small = set(map(id, self.small_wholes)) | self.scans_at_once
        return small | {id(n) for n in self.pending if n.op.kind == "bins" or n.op.name in SORTS}

    def broadcast_lines(self) -> list[Node]:
        """Return values of sorts, scans and transforms that are broadcast to larger ones, inner ones only.

        They are computed before the larger ones: else each tile of those would compute whole lines again.  Empty if
        they take more than half of the limit.
        """
        lines, found = set[int](), dict[int, Node]()
        later: set[int] = set()  # ids of nodes that depend on those found
        for n in [n for n in self.pending if n.op.kind != "reduce"]:  # readers of reductions wait anyway
            read = [i for i in n.inputs if id(i) in lines and id(i) not in later and id(i) not in self._whole]
            if n.op.kind == "elementwise":
                found.update([(id(i), i) for i in read if i.desc.size < n.desc.size and i.traits is None])
            if line_axis(n) is not None or any(id(i) in lines for i in n.inputs):
                lines.add(id(n))
            if any(id(i) in found or id(i) in later for i in n.inputs):
                later.add(id(n))
        nbytes = sum([n.desc.nbytes for n in found.values()])
        return list(found.values()) if nbytes <= self.limit // 2 else []

    @cached_property
    def scans_at_once(self) -> set[int]:
        """Return the ids of scans of one line that must be computed before their readers.

        The readers read them in another order, or twice.
        """
        return {id(n) for n in self.pending if id(n) in self._whole_lines and is_carried(n)}

    def _are_small(self, nodes: Sequence[Node]) -> bool:
        return sum([n.desc.nbytes for n in nodes]) <= self.limit // 8

    @cached_property
    def _products(self) -> set[int]:
        return tiled_products(self.nodes, self.over)

    @cached_property
    def _made_in_tiles(self) -> set[int]:
        """Return the ids of routines and takes that tiles can compute in parts."""
        found = self._products | tiled_takes(self.nodes, self.over, self.limit)
        found |= takes_along(self.nodes, self.over)
        for n in self.pending:
            if n.op.name in IN_PLACE or (n.op.name == "searchsorted" and id(n.inputs[0]) not in self.over):
                found.add(id(n))
        return found

    @cached_property
    def _whole(self) -> set[int]:
        """Return the ids of nodes that need files whole, for a routine, a take, or a scan of one line."""
        found: set[int] = set()
        lines = self._whole_lines - self.scans_at_once
        small = set(map(id, self.small_wholes))
        for n in self.pending:
            x = n.inputs[0] if n.inputs else n
            from_table = n.op.kind == "take" and x.op.name != "leaf" and id(x) not in small
            routine = id(n) in lines or (n.op.kind in ("bins", "call") and not _has_lines(n))
            at_once = (from_table or routine) and id(n) not in self._made_in_tiles and id(n) not in small
            if at_once or any(id(i) in found for i in n.inputs):
                found.add(id(n))
        return found

    @cached_property
    def _whole_lines(self) -> set[int]:
        """Return the ids of scans of one line whose readers need cells twice or out of order.

        Tiles do not cut these.
        """
        found = {id(n) for n in self.pending if n.op.kind == "scan" and not _has_lines(n)}
        if not found:
            return found
        reductions = [n for n in self.pending if n.op.kind == "reduce" and not self._is_local(n)]
        waited = [*[n for n in self.pending if n.op.kind == "bins"], *reductions]
        ids = set(map(id, waited))
        roots = [*[n for n in self.nodes if id(n) not in ids], *[i for n in waited for i in n.inputs]]
        read = [Footprint([r], self.limit, ids) for r in roots if r.desc.size]
        if any(f.reaches is None and not f.reshapes for f in read):
            return found
        return (found - set().union(*[f.carried for f in read])) | {k for f in read for k in found & f.uncarried}

    @cached_property
    def _bytes_alike(self) -> Counter[Shapes]:
        """Return the total bytes of the pending reductions, which a reader may need together, by their shapes."""
        found: Counter[Shapes] = Counter()
        for n in [n for n in self.pending if n.op.kind == "reduce"]:
            found[_shapes(n)] += n.desc.nbytes
        return found

    def _read_alike(self, n: Node) -> bool:
        """True if all cells that reduction n reduces to one need the same cells of products' operands over files.

        False if it is spread over a larger value, so that tiles would need many of those again.
        """
        if id(n) not in self._alike:
            prints = Footprint(n.inputs, self.limit, parts=self._products)
            self._alike[id(n)] = prints.repeated_axes.issuperset(n.attrs[0]) and not self._is_spread(n)
        return self._alike[id(n)]

    def _is_of_rows(self, n: Node) -> bool:
        """True if reduction n is over the last axes, whose chunks are whole, and its readers need a row about once."""
        (x,), axes = n.inputs, n.attrs[0]
        if set(axes) != set(range(x.desc.ndim - len(axes), x.desc.ndim)) or self._is_spread(n):
            return False
        prints = Footprint([x], self.limit, parts=self._products)
        cuts = prints.cuts(x.desc.shape)
        row = box_of(tuple([m if a in axes else 1 for a, m in enumerate(x.desc.shape)]))
        nbytes = sum([b.cells * f.desc.dtype.itemsize for f, b in prints.boxes(row)])
        return all(len(cuts[a]) == 2 for a in axes) and ROW * nbytes <= self.limit

    def _is_spread(self, n: Node) -> bool:
        """True if a value that reads reduction n cell by cell has more cells than n reduces."""
        readers = {id(n)}
        for r in [r for r in self.pending if r.op.kind not in ("call", "reduce")]:
            if any(id(i) in readers for i in r.inputs):
                readers.add(id(r))
                if r.desc.size > n.inputs[0].desc.size:
                    return True
        return False

    def _is_local(self, n: Node) -> bool:
        """True if tiles compute reduction n together with its readers.

        That is so if it reduces few cells and values are large. If it is not asked for, that is also so if its value is
        large, alone or with others of rows, or if what it reduces to a cell needs the same cells of files, as columns
        of x @ w do.
        """
        is_root = id(n) in self.asked
        if id(n) in self.local or (not is_root and self._read_alike(n)):
            return True
        if 0 < prod([n.inputs[0].desc.shape[a] for a in n.attrs[0]]) <= FEW:
            return max(0 if is_root else self._bytes_alike[_shapes(n)], n.desc.nbytes) > self.limit // 8
        most = self.limit // 2
        return not is_root and (n.desc.nbytes > most or (self._bytes_alike[_shapes(n)] > most and self._is_of_rows(n)))


def reading_alike(reductions: Sequence[Node], limit: int) -> list[Node]:
    """Return the first reduction, and those of its round that one walk over the files may join.

    Others read parts of the same files that none of these reads, as each month's mean does: together they would hold
    the chunks of all parts at once.  `limit` is the memory limit in bytes.
    """
    found: list[Node] = []
    known: dict[Node, list[Box]] = {}
    for n in reductions:
        prints = Footprint(n.inputs, limit)
        if prints.reaches is None:
            return list(reductions)
        read = prints.boxes(box_of(n.inputs[0].desc.shape))
        shared = [b for f, a in read for b in known.get(f, []) if overlap(a, b)]
        if shared or not any(f in known for f, _ in read):
            found.append(n)
            for f, b in read:
                known.setdefault(f, []).append(b)
    return found


def _has_lines(n: Node) -> bool:
    """True for scans, sorts and transforms of several lines, so that tiles can hold some of the lines."""
    axis = line_axis(n)
    return axis is not None and n.desc.size > n.desc.shape[axis]


def _shapes(n: Node) -> Shapes:
    return n.inputs[0].desc.shape, n.desc.shape
