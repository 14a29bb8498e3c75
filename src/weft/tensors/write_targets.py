"""Write targets: the place and the cell that every coordinate of a tree reads, as pieces or cell by cell.

The one idea: the leaves of an outline are numbered in the order met, writable places from 0 up and leaves that cannot
be written from -1 down; a cell's number is its place's first number plus its row-major position there.  Equal numbers,
or overlapping bytes of shared memory, are collisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.errors import TracingError
from weft.ir.atoms.gather import gather
from weft.ir.atoms.position_tables import leaf
from weft.ir.atoms.reshape import reshape
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription, c_strides, describe
from weft.ir.graph.node import Node, make, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.outline import unreachable
from weft.ir.pieces.lattice import ByteBox
from weft.ir.pieces.normal_form import Piece, pieces
from weft.ir.pieces.request import MustStore, Row
from weft.runtime.fork_safety import late_import
from weft.runtime.memory import allocator
from weft.tensors.place import Place, box_of, is_read_only
from weft.tensors.tensor import values_of

Numbers = NDArray[np.int64]
SHARED = 1 << 61  # added to addresses of memory that targets may share; larger than every cell number
PENDING = 1 << 58  # pretended address of values not computed yet; larger than every address


class Target(NamedTuple):
    """Cells of a place that a tree reads: all of its version, or real or imaginary parts of them.

    `offset` is the byte at which they begin.
    """

    place: Place
    desc: TensorDescription
    offset: int

    @property
    def is_whole(self) -> bool:
        """True if the cells are the whole version, in its dtype."""
        return self.desc.dtype is self.place.node.desc.dtype

    def cells(self, root: Node) -> Node:
        """Return these cells as a node over `root`, a stored version of the place."""
        if self.is_whole:
            return root
        part = make(OPS["leaf"], (), (), self.desc)
        part.alias = (root, self.offset)
        return part


class Ends:
    """The places whose cells a tree reads, and the reasons why its other cells cannot be written."""

    def __init__(self, tree: Node) -> None:
        self.locked = {n for n in walk([tree]) if n.desc.read_only and n.inputs}  # read-only views in the tree
        self.targets: list[Target] = []
        self.first: list[int] = [0]  # the number of each target's first cell, and the next free number
        self.reasons: list[tuple[str, str]] = []
        self._codes: dict[int, int] = {}
        self._numbers: dict[tuple[int, TensorDescription, int], int] = {}
        self._kept: list[Node] = []  # keeps nodes alive whose ids are used

    @property
    def places(self) -> list[Place]:
        """The places of the targets, each once."""
        return list({id(t.place): t.place for t in self.targets}.values())

    def code(self, end: Node) -> int:
        """Return the index in `targets` of a leaf of the tree, or -1, -2, ... for its reason in `reasons`."""
        if id(end) not in self._codes:
            self._kept.append(end)
            self._codes[id(end)] = self._number_of(end)
        return self._codes[id(end)]

    def _number_of(self, end: Node) -> int:
        """Return the index of a leaf's target, added if new, or the negative code of the reason against writing it."""
        if end.op.name == "scalar":
            return self._refused("is generated (a margin, a fill or a number)", "slice it away")
        place: Place | None = None
        if not end.desc.read_only:
            if why := unreachable(end):
                return self._refused(why, "give that input a name and build the tree again")
            place = end.place()
        if place is None or is_read_only(place.node):
            return self._refused("is read-only, by its memory or its maker", "write to a copy()")
        target = Target(place, end.desc, end.attrs[2])
        key = id(place), target.desc, target.offset
        if key not in self._numbers:
            self._numbers[key] = len(self.targets)
            self.targets.append(target)
            self.first.append(self.first[-1] + target.desc.size)
        return self._numbers[key]

    def _refused(self, why: str, remedy: str) -> int:
        """Return the negative code of a reason, added if it is new."""
        if (why, remedy) not in self.reasons:
            self.reasons.append((why, remedy))
        return -1 - self.reasons.index((why, remedy))

    def box(self, p: Piece) -> tuple[object, ByteBox]:
        """Return a piece's memory (a place, or None for all shared memory), and the bytes of its cells there."""
        place, d, base = self.targets[self.code(p.leaf)]
        offset, steps = p.address(d.strides or ())
        if place.region is not None:
            base += box_of(place.node).offset
        memory = place if place.region is None else None
        return memory, ByteBox(base + offset, tuple(zip(steps, p.sizes, strict=True)), d.dtype.itemsize)


def numbered(tree: Node, ends: Ends) -> Numbers:
    """Return, for every coordinate of a tree, the number of the memory cell that it reads; negative if not writable."""
    stop: dict[int, Node] = {}
    while True:
        try:
            found = pieces(tree, stop=ends.locked.union(stop.values()))
            break
        except MustStore as need:
            stop[id(need.node)] = need.node
    out = allocator.empty(np.dtype(np.int64), tree.desc.shape)
    for p in found:
        at = tuple([slice(e, e + s * n, s) for e, s, n in zip(p.start, p.step, p.sizes, strict=True)])
        positions = [_along(row, p.sizes) for row in p.rows]
        if id(p.leaf) in stop:
            inputs = [numbered(i, ends) for i in p.leaf.inputs]
            whole = late_import("weft.backends.reference.transformer").evaluate(p.leaf, inputs)
            out[at] = whole[tuple(positions)]
        elif p.leaf.op.name == "gather":
            out[at] = _gathered(p.leaf, positions, ends)
        else:
            out[at] = _in_place(p.leaf, positions, ends)
    return out


def _along(row: Row, sizes: Shape) -> Numbers:
    """Return the positions that a piece's row reads, in a shape that broadcasts to `sizes`."""
    out = np.full((1,) * len(sizes), row[0], np.int64)
    for p, a in row[1]:
        out = out + a * np.arange(sizes[p]).reshape([-1 if d == p else 1 for d in range(len(sizes))])
    return out


def _in_place(end: Node, positions: Sequence[Numbers], ends: Ends) -> Numbers | int:
    """Return the numbers of a leaf's cells at positions, or the negative code of a leaf that cannot be written."""
    code = ends.code(end)
    if code < 0:
        return code
    total: Numbers | int = ends.first[code]
    for stride, y in zip(c_strides(end.desc.shape, 1), positions, strict=True):
        total = total + stride * y
    return total


def _gathered(n: Node, positions: Sequence[Numbers], ends: Ends) -> Numbers | int:
    """Return the numbers of the cells that gather n reads at positions of its result; negative if not writable."""
    axes, at = n.attrs
    x, *tables = n.inputs
    arrays = np.broadcast_arrays(*[values_of(i) for i in tables])
    width = arrays[0].ndim
    chosen = tuple(positions[at : at + width])
    moved = dict(zip(axes, [a[chosen].astype(np.int64) for a in arrays], strict=True))
    rest = iter([*positions[:at], *positions[at + width :]])
    inner = [moved[d] if d in moved else next(rest) for d in range(x.desc.ndim)]
    try:
        (p,) = pieces(x, limit=1, stop=ends.locked)
    except (MustStore, ValueError):
        return numbered(x, ends)[tuple(inner)]
    if p.leaf.op.name == "gather":
        return numbered(x, ends)[tuple(inner)]
    below = []
    for o, terms in p.rows:
        y: Any = o
        for d, a in terms:
            y = y + a * inner[d]
        below.append(y)
    return _in_place(p.leaf, below, ends)


def clash(numbers: Numbers, ends: Ends) -> tuple[int, int, bool] | None:
    """Return two row-major positions that share memory, and True if they read one cell, False if cells overlap.

    None if no two positions share memory.
    """
    keys = _keys(numbers.reshape(-1), ends)
    order = np.argsort(keys, kind="stable")
    gaps, sorted_keys = np.diff(keys[order]), keys[order]
    itemsize = ends.targets[0].desc.dtype.itemsize if ends.targets else 1
    partial = (gaps > 0) & (gaps < itemsize) & (sorted_keys[1:] >= SHARED)
    for found, same in ((partial, False), (gaps == 0, True)):
        if found.any():
            i = int(np.argmax(found))
            first, second = sorted((int(order[i]), int(order[i + 1])))
            return first, second, same
    return None


def last_of_each(numbers: Numbers, ends: Ends) -> Numbers:
    """Return for every memory cell the last row-major position that reads it."""
    keys = _keys(numbers.reshape(-1), ends)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    return order[np.append(keys[1:] != keys[:-1], True)] if keys.size else order


def _keys(numbers: Numbers, ends: Ends) -> Numbers:
    """Return keys that are equal for equal memory cells: numbers, or addresses where targets may share memory."""
    keys = numbers.copy()
    bases = _bases(ends)
    if not bases:
        return keys
    for target, chosen, positions in by_target(numbers, ends):
        if (base := bases.get(id(target.place))) is not None:
            address = np.full(chosen.size, base + target.offset + SHARED, np.int64)
            for y, stride in zip(positions, target.desc.strides or (), strict=True):
                address += y * stride
            keys[chosen] = address
    return keys


def _bases(ends: Ends) -> dict[int, int]:
    """Return the base address of each target that may share memory with others, by the id of its place.

    Pending values get addresses beyond all memory.
    """
    bases, beyond = {}, PENDING
    for t in ends.targets:
        if (t.place.region is None and t.is_whole) or id(t.place) in bases:
            continue
        if t.place.node.value is not None:
            bases[id(t.place)] = box_of(t.place.node).offset
        else:
            bases[id(t.place)] = beyond
            beyond += t.place.node.desc.nbytes
    return bases


def by_target(numbers: Numbers, ends: Ends) -> Iterator[tuple[Target, Numbers, tuple[Numbers, ...]]]:
    """Yield (target, indices in `numbers` of its cells, their positions along its axes) for each target with cells."""
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], ends.first)
    for k, target in enumerate(ends.targets):
        chosen = order[bounds[k] : bounds[k + 1]]
        shape = target.desc.shape
        if chosen.size:
            yield target, chosen, tuple(np.unravel_index(numbers[chosen] - ends.first[k], shape)) if shape else ()


def parts_refused(op: str, desc: TensorDescription) -> TracingError:
    """Return the TracingError for a write to parts of complex cells in a trace."""
    return TracingError(
        f"compile: {op} to the real or imaginary part of {desc!r}; a compiled function writes whole cells; write "
        "x + 1j * y"
    )


def with_cells(value: Node, numbers: Numbers, ends: Ends, op: str) -> Iterator[tuple[Place, Node]]:
    """Yield (place, new version) of each target, in which cells of `value` replace the numbered cells.

    The versions are expressions over the current ones; of equal numbers, the last one wins.  Raises TracingError for
    parts of complex cells.
    """
    flat = reshape(ir.copied(value), (value.desc.size,))
    last = last_of_each(numbers, ends)
    found = list(by_target(numbers.reshape(-1)[last], ends)) if value.desc.size else []
    for target, chosen, positions in found:
        root = target.place.node
        if not target.is_whole:
            raise parts_refused(op, root.desc)
        source = np.full(root.desc.shape, -1, np.int64)
        source[positions] = last[chosen]
        there, d = source >= 0, root.desc
        cells = gather(flat, (leaf(np.maximum(source, 0), len(last)),), (0,), 0)
        mask = ir.stored(describe(dt.bool, there.shape, there.strides), there)
        yield target.place, make(OPS["where"], (mask, cells, root), (), ir.result(d.dtype, d.shape, d.origin))
