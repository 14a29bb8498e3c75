"""Choose what gets stored; everything else is fused into the kernels that need it.

The one idea: storing is the exception.  A node gets memory when it is asked for, when a routine or a reduction needs or
makes a whole array, when a live handle wants it and it is worth keeping, or when computing it again for every reader
would cost more than one trip through memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.routing import AFFINE
from weft.passes.switches import enabled, replaced

MAX_BODY = 120  # instructions fused into one kernel
MAX_LEAVES = 24  # arrays read by one kernel
GATHERED = OPS["gather"].cost
HUGE = 1 << 30  # bytes of a value that is not stored for the sake of a few parts
DEAR = 6  # cost (in additions) from which computing twice is worse than a trip through memory

_REPEATING = {"broadcast_to", "tile", "repeat", "window", "pad"}


@dataclass(slots=True)
class Weight:
    """What fusing a node into its reader would add there."""

    cost: int = 0
    body: int = 0
    leaves: int = 0

    def plus(self, other: Weight) -> Weight:
        return Weight(self.cost + other.cost, self.body + other.body, self.leaves + other.leaves)


_STORED = Weight(0, 1, 1)


def cost_of(n: Node) -> int:
    """The work of one cell, in additions."""
    if n.op.kind != "elementwise":
        return 0
    return n.op.cost * (3 if n.desc.dtype.kind == "complex" else 1)


def is_stored(n: Node) -> bool:
    """Whether a node's cells already lie in memory."""
    return n.value is not None or (n.alias is not None and n.alias[0].value is not None)


def layout(n: Node) -> TensorDescription:
    """How a stored node's cells lie: as described, or row-major where a view was computed without what it views."""
    if n.alias is None or n.alias[0].value is not None:
        return n.desc
    return result(n.desc.dtype, n.desc.shape, n.desc.origin)


def as_call(n: Node) -> bool:
    """Whether a node is computed by a routine over whole arrays: a library's, or the one that replaces its kernel."""
    return n.op.kind == "call" or n.op.name in replaced()


def choose(roots: Sequence[Node], live: Iterable[int], also: Sequence[Node] = ()) -> list[Node]:
    """The nodes to store, in an order in which they can be computed.

    `live` has the ids of nodes with a handle; `also` are nodes that a later pass found must be stored.
    """
    nodes = below(roots)
    wanted = {id(r) for r in roots}
    routed = {id(i) for n in nodes if as_call(n) and not is_stored(n) for i in map(_memory, n.inputs)}
    forced = routed | _forced(nodes) | {id(n) for n in also}
    alive = set(live)
    readers = _readers(nodes)
    whole = _needed_whole(nodes, wanted)
    weights: dict[int, Weight] = {}
    chosen: dict[int, Node] = {}
    for n in nodes:
        if is_stored(n) and id(n) not in wanted:
            weights[id(n)] = _STORED
            continue
        if is_stored(n):  # asked for as a value of its own: a copy
            chosen[id(n)] = n
            weights[id(n)] = _STORED
            continue
        weight = _weigh(n, weights, chosen)
        keep = id(n) in wanted or id(n) in forced or n.op.kind in ("reduce", "scan") or as_call(n)
        keep = keep or (id(n) in alive and id(n) in whole and _worth_keeping(n))
        keep = keep or (weight.cost >= DEAR and _shared(n, readers[id(n)]))
        keep = keep or (not enabled("fuse") and n.op.kind == "elementwise")
        if keep and not (n.op.kind == "source" and id(n) not in wanted and id(n) not in routed):
            chosen[id(n)] = n
            weight = _STORED
        weights[id(n)] = weight
    return list(chosen.values())


def below(roots: Sequence[Node]) -> list[Node]:
    """Inputs before readers; stored nodes are ends."""
    out: list[Node] = []
    seen: set[int] = set()
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        n, expanded = stack.pop()
        if expanded:
            out.append(n)
        elif id(n) not in seen:
            seen.add(id(n))
            stack.append((n, True))
            if not is_stored(n):
                stack.extend((i, False) for i in reversed(n.inputs))
    return out


def _forced(nodes: Sequence[Node]) -> set[int]:
    """Inputs that must be arrays: what a gather reads cells of and cannot work out alone."""
    forced: set[int] = set()
    for n in nodes:
        if n.op.name == "gather" and not is_stored(n) and not as_call(n):
            forced.update([id(_memory(i)) for i in _looked_up(n)])
    return forced


def _looked_up(gather: Node) -> list[Node]:
    """What a gather needs stored: itself its array, unless single cells of that are cheap to work out from what is.

    Affine selections and element-wise operations of what is stored give any one cell; composites, reductions and scans
    give whole boxes.
    """
    x = gather.inputs[0]
    ends, leaves, cost = [], 0, 0
    pending, seen = [x], set[int]()
    while pending:
        top = n = pending.pop()
        while n.op.name in AFFINE and not is_stored(n):
            n = n.inputs[0]
        if id(n) in seen:
            continue
        seen.add(id(n))
        if is_stored(n):
            leaves += 1
        elif n.op.kind == "elementwise":
            cost += cost_of(n)
            pending.extend(n.inputs)
        elif n.op.kind != "source":
            leaves += 1
            ends.append(top)
    again = gather.desc.size * (GATHERED * (leaves - 1) + cost)
    return [x] if again > x.desc.size * (leaves + cost + 1) else ends


def _memory(n: Node) -> Node:
    """What to store so that n is an array: n itself, or what it views where that is no larger."""
    return n.alias[0] if n.alias is not None and n.alias[0].desc.size <= n.desc.size else n


def _readers(nodes: Sequence[Node]) -> dict[int, list[Node]]:
    readers: dict[int, list[Node]] = {id(n): [] for n in nodes}
    for n in nodes:
        if not is_stored(n):
            for i in n.inputs:
                readers[id(i)].append(n)
    return readers


def _weigh(n: Node, weights: dict[int, Weight], chosen: dict[int, Node]) -> Weight:
    """The node with its unstored inputs fused in; the heaviest input is stored while that would be too much."""
    while True:
        distinct = {id(i): i for i in n.inputs}
        below = _one_of if n.op.kind == "selection" else _all_of
        total = Weight(cost_of(n), 1, 0).plus(below([weights[key] for key in distinct]))
        if total.body <= MAX_BODY and total.leaves <= MAX_LEAVES:
            return total
        heavy = max(distinct.values(), key=lambda i: (weights[id(i)].leaves, weights[id(i)].body))
        if weights[id(heavy)] == _STORED or len(distinct) > MAX_LEAVES:
            return total
        chosen[id(heavy)] = heavy
        weights[id(heavy)] = _STORED


def _all_of(weights: Sequence[Weight]) -> Weight:
    return Weight(sum(w.cost for w in weights), sum(w.body for w in weights), sum(w.leaves for w in weights))


def _one_of(weights: Sequence[Weight]) -> Weight:
    """Every cell of a selection comes from one input, so a row computes the heaviest at most."""
    return Weight(
        max((w.cost for w in weights), default=0),
        max((w.body for w in weights), default=0),
        max((w.leaves for w in weights), default=0),
    )


def _needed_whole(nodes: Sequence[Node], wanted: set[int]) -> set[int]:
    """The nodes of which all cells may be needed, counted from the roots down: a slice needs no more than its size."""
    cells = {id(n): n.desc.size if id(n) in wanted else 0 for n in nodes}
    whole = set()
    for n in reversed(nodes):
        needed = cells[id(n)]
        if needed >= n.desc.size:
            whole.add(id(n))
        if not is_stored(n):
            for i in n.inputs:
                most = needed if n.op.kind in ("elementwise", "selection") and not as_call(n) else i.desc.size
                cells[id(i)] = max(cells[id(i)], min(most, i.desc.size))
    return whole


def _worth_keeping(n: Node) -> bool:
    """It is not one cheap step over things that are stored: those are as quick to repeat."""
    cheap = n.op.kind in ("selection", "source") or cost_of(n) < DEAR
    return not (cheap and all(is_stored(i) or i.op.kind == "source" for i in n.inputs))


def _shared(n: Node, readers: Sequence[Node]) -> bool:
    """Whether the node's cells would be computed more than once: several readers, or one that repeats cells."""
    if n.op.kind != "elementwise":
        return False
    if any(r.op.name in _REPEATING and r.desc.size > n.desc.size for r in readers):
        return True
    if any(r.op.kind == "elementwise" and r.desc.size > 2 * n.desc.size for r in readers):
        return True
    if len(readers) < 2 or all(r.op.kind == "elementwise" for r in readers):
        return False
    if n.desc.nbytes < HUGE:
        return True
    read = [
        min(r.desc.size if r.op.kind in ("selection", "elementwise") else n.desc.size, n.desc.size) for r in readers
    ]
    return sum(read) > n.desc.size  # a few parts of what memory may not hold are computed without it
