"""Rules, the questions that their patterns ask of nodes, and the costs that rules may not raise.

The one idea: a rule is a row: the ops it looks at, the equation it stands for, a function that gives the right side
where the left side fits, and the cost that must fall for the right side to be taken.

A node is computed by one kernel that asks its sources for the cells that it reads, so the kernel's cost is found by
routing that request; a node that must be stored on the way (reductions, scans, operands of routines) is a kernel of its
own and a copy.  The cost is the sum over all nodes below that are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from weft.dtypes import DType, int64, promote
from weft.ir.atoms import selections as se
from weft.ir.graph.description import c_strides
from weft.ir.graph.node import Node, apply, iota, make, result
from weft.ir.graph.ops import ARRAYWISE, BARRIERS, CELLWISE, OPS
from weft.ir.pieces.box import Box
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import MustStore, Request, TooManyPieces, whole
from weft.passes.fuse import DEAR, below, cost_of, is_stored, layout
from weft.passes.views import reach

MAX_PARTS = 4096  # parts of one kernel that are routed; what is beyond counts as read whole


class Cost(NamedTuple):
    """Bytes read by kernels and routines, bytes of stored temporaries, and work in additions."""

    read: int = 0
    copied: int = 0
    work: int = 0

    @property
    def moved(self) -> int:
        """The bytes read, plus the bytes of stored temporaries."""
        return self.read + self.copied

    @property
    def paid(self) -> int:
        """The cost that rules must not raise: bytes read and stored plus additions, each counted as 1."""
        return self.read + self.copied + self.work

    def plus(self, other: Cost) -> Cost:
        return Cost(self.read + other.read, self.copied + other.copied, self.work + other.work)


class KernelCost(NamedTuple):
    """The cost of the kernel of one stored node, and the nodes that it needs stored first."""

    cost: Cost
    stored: tuple[Node, ...]


@dataclass(slots=True)
class Costs:
    """A memo of the costs of nodes, by kernel."""

    kernels: dict[int, tuple[Node, KernelCost]] = field(default_factory=dict)

    def of(self, roots: Sequence[Node]) -> Cost:
        """Return the cost of computing `roots`: of all kernels below, and of the temporaries stored between them."""
        wanted = {id(r) for r in roots}
        pending = [n for n in below(roots) if not is_stored(n) and (n.op.kind in BARRIERS or id(n) in wanted)]
        read = sum([touched(r, whole(r)) for r in roots if is_stored(r)])  # a stored root is read by whoever copies it
        seen, total = {id(n) for n in pending}, Cost(read)
        while pending:
            n = pending.pop()
            kernel = self._kernel(n)
            total = total.plus(kernel.cost)
            if id(n) not in wanted:
                total = total.plus(Cost(0, n.desc.nbytes, 0))
            for s in kernel.stored:
                if id(s) not in seen:
                    seen.add(id(s))
                    pending.append(s)
        return total

    def _kernel(self, n: Node) -> KernelCost:
        known = self.kernels.get(id(n))
        if known is None:
            known = self.kernels[id(n)] = (n, _kernel(n))
        return known[1]


def _kernel(n: Node) -> KernelCost:
    """Return the cost of the kernel or routine that computes n, and the nodes stored for it."""
    if n.op.kind in ARRAYWISE:
        reads = sum(i.desc.nbytes for i in n.inputs)
        return KernelCost(Cost(reads, 0, reads), tuple([i for i in n.inputs if _is_copied(i)]))
    if n.op.kind not in BARRIERS:
        return _routed(n, n)[0]
    total, stored = Cost(), list[Node]()
    for x in n.inputs:
        kernel, boxes = _routed(x, n)
        if not is_stored(x) and _needs_copy(n, boxes):
            kernel = KernelCost(Cost(x.desc.nbytes, 0, 0), (x,))
        total = total.plus(kernel.cost).plus(Cost(0, 0, x.desc.size))
        stored += kernel.stored
    return KernelCost(total, tuple(stored))


def _is_copied(x: Node) -> bool:
    """True if an operand of a routine is stored for the routine alone.

    So it is unless it is in memory already, or the result of a reduction, scan or routine.
    """
    root = x.alias[0] if x.alias is not None else x
    return not (is_stored(x) or root.op.kind in BARRIERS)


def _needs_copy(n: Node, boxes: set[Box]) -> bool:
    """True if reduction or scan n needs its input stored: its boxes have gaps, or a scan has several."""
    if len(boxes) < 2:
        return False
    return n.op.kind == "scan" or any(step != 1 and size > 1 for box in boxes for _, step, size in box.runs)


def _routed(top: Node, n: Node) -> tuple[KernelCost, set[Box]]:
    """Return the cost of reading all of `top` in n's kernel, and the boxes that its cells fall into.

    What lies beyond MAX_PARTS parts counts as stored and read whole.
    """
    if not top.desc.size:
        return KernelCost(Cost(), ()), set()
    boxes: set[Box] = set()
    read = copied = work = parts = 0
    stored: dict[int, Node] = {}
    seen: set[tuple[int, Request]] = set()
    pending = [(top, whole(top))]
    while pending:
        x, r = pending.pop()
        parts += 1
        if (id(x), r) in seen:
            continue
        seen.add((id(x), r))
        if x.op.name in ("scalar", "iota"):
            boxes.add(Box(r.start, r.step, r.sizes))
        elif is_stored(x) or x.op.kind == "source" or (x.op.kind in BARRIERS and x is not n) or id(x) in stored:
            boxes.add(Box(r.start, r.step, r.sizes))
            read += touched(x, r)
        else:
            try:
                if parts > MAX_PARTS:
                    raise TooManyPieces(x)
                asked = demand(x, r)
            except MustStore:
                stored[id(x)] = x
                read += touched(x, r)
                continue
            if x.op.name == "gather":  # reads single cells of what is stored
                read += prod(r.sizes) * x.desc.dtype.itemsize
                stored |= {id(i): i for i in x.inputs[:1] if not is_stored(i)}
                asked = asked[1:]
            elif x.op.kind in CELLWISE:
                cells = prod(r.sizes)
                if cost_of(x) >= DEAR and (once := _distinct(r)) < cells:  # computed before it is repeated
                    stores = once * x.desc.dtype.itemsize
                    read, copied, cells = read + stores, copied + stores, once
                work += cells * cost_of(x)
            pending.extend([(x.inputs[i], part) for i, part in asked])
    return KernelCost(Cost(read, copied, work), tuple(stored.values())), boxes


def _distinct(request: Request) -> int:
    """Return the number of cells that a request reads, each counted once."""
    moving = {p for _, terms in request.rows for p, _ in terms}
    return prod([size for p, size in enumerate(request.sizes) if p in moving])


def touched(x: Node, request: Request) -> int:
    """Return the bytes of the cells of stored node x that a request reads, each counted once."""
    d = layout(x)
    _, steps = request.address(d.strides if d.strides is not None else c_strides(d.shape, d.dtype.itemsize))
    return prod([size for size, s in zip(request.sizes, steps, strict=True) if s]) * d.dtype.itemsize


@dataclass(slots=True)
class Context:
    """Facts about the graph that rules may use: values that users hold, readers, and costs."""

    fixed: set[int] = field(default_factory=set)  # ids of roots and of nodes with a handle on the whole
    readers: dict[int, int] = field(default_factory=dict)
    inner: set[int] = field(default_factory=set)  # ids of views that only another view reads
    key_scalars: Container[int] = ()  # ids of scalars whose numbers are part of the graph's key
    leaves: set[int] = field(default_factory=set)  # ids of stored nodes: no key says which memory they are
    joins: dict[int, Node] = field(default_factory=dict)  # by id: joins of stored views, with neighbours as one view
    costs: Costs = field(default_factory=Costs)
    reached: dict[int, tuple[Node, Request]] = field(default_factory=dict)
    kept: list[Node] = field(default_factory=list)  # every node made: an id must not come twice

    def reach(self, n: Node) -> tuple[Node, Request]:
        """Return the node below a chain of views, and the request to it; cached for each node."""
        known = self.reached.get(id(n))
        if known is None:
            known = self.reached[id(n)] = reach(n)
        return known

    def is_internal(self, n: Node) -> bool:
        """True if n is pending, and neither a root nor held by a handle."""
        return id(n) not in self.fixed and not is_stored(n)

    def has_one_reader(self, n: Node) -> bool:
        """True if n is internal and has one reader."""
        return self.is_internal(n) and self.readers.get(id(n), 1) <= 1


Rewrite = Callable[[Node, Context], Node | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewrite of nodes of some ops; `says` is its equation.

    `rewrite` returns the new node, or None where the rule does not fit.
    """

    name: str
    ops: tuple[str, ...]
    says: str
    rewrite: Rewrite
    saves: str = ""  # what the right side must have less of: "moved" bytes, "paid" (bytes and work), or nothing
    over: tuple[str, ...] = ()  # ops of the first input over which it may fit; none named: all
    reads_numbers: bool = False  # it fits only where numbers are part of the key


@dataclass(frozen=True, slots=True)
class Applied:
    """One use of a rule, with its certificate: the nodes before and after, which have the same value."""

    name: str
    before: Node
    after: Node


def have_equal_description(a: Node, b: Node) -> bool:
    """True if two nodes have the same dtype, shape and origin."""
    return a.desc.dtype is b.desc.dtype and a.desc.shape == b.desc.shape and a.desc.origin == b.desc.origin


def number_like(value: int, x: Node) -> Node:
    """Return the integer `value` as a scalar node of x's dtype.

    It is the coordinate of a one-cell domain, so that it is part of the graph's structure.
    """
    line = iota((1,), 0, (value,))
    cell = se.index(line, [(0, 0)])
    dtype = x.desc.dtype
    return cell if dtype is int64 else make(OPS["astype"], (cell,), (dtype,), result(dtype, ()))


def times(value: int, x: Node) -> Node:
    """Return value · x for integers, modulo 2**bits."""
    n = apply("multiply", x, number_like(value, x))
    return make(n.op, n.inputs, n.attrs, result(x.desc.dtype, x.desc.shape, x.desc.origin))


def can_represent(wide: DType, narrow: DType) -> bool:
    """True if every value of dtype `narrow` is a value of dtype `wide`.

    >>> from weft import dtypes as dt
    >>> can_represent(dt.float32, dt.int16), can_represent(dt.float32, dt.int32)
    (True, False)
    >>> can_represent(dt.float16, dt.bfloat16)
    False
    """
    if narrow.kind == "bool" or wide is narrow:
        return promote(wide, narrow) is wide
    if narrow.is_integer and wide.is_integer:
        return wide.digits >= narrow.digits and (wide.kind == "int" or narrow.kind == "uint")
    if narrow.is_integer:
        return wide.is_inexact and wide.digits >= narrow.digits
    if narrow.kind == "complex" and wide.kind != "complex":
        return False
    return wide.is_inexact and promote(wide.real, narrow.real) is wide.real
