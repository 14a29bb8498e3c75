"""The backward pass: records are visited newest first, each once all gradients of its value have arrived.

The one idea: count the edges to every record, then process a record when its last edge was followed.  Gradients of the
same value are added in the order of arrival, which the sequence numbers fix.  The pass only builds expressions; those
that are deep are computed at its end, with the values whose gradients they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import heappop, heappush
from itertools import count

from weft.api.standard.creation_functions import ones
from weft.autograd.record import Accumulator, Known, record_of, recording
from weft.errors import GradientError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.passes.fuse import over_files
from weft.passes.gradient.gradient_rules import gradients
from weft.passes.gradient.gradient_steps import Gradients
from weft.runtime.compute import checked_values, stages
from weft.runtime.compute.signature import SAVED
from weft.tensors.pending_limits import settle_together
from weft.tensors.tensor import Tensor, node_of, wrap

LARGE = 1 << 18  # bytes of a routine's value from which fusing its gradients with what is done to them gains nothing


def dependencies(roots: Sequence[Known]) -> dict[Known, int]:
    """Return, for each record below the roots, the number of edges that lead to it."""
    counts: dict[Known, int] = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for edge in stack.pop().edges:
            if edge is not None:
                if edge.record not in counts:
                    counts[edge.record] = 0
                    stack.append(edge.record)
                counts[edge.record] += 1
    return counts


def leading_to(wanted: Sequence[Known], records: Iterable[Known]) -> set[Known]:
    """Return the wanted records and all records from which edges lead to one of them."""
    above: dict[Known, list[Known]] = {}
    for r in records:
        for edge in r.edges:
            if edge is not None:
                above.setdefault(edge.record, []).append(r)
    found, stack = set(wanted), list(wanted)
    while stack:
        more = [r for r in above.get(stack.pop(), ()) if r not in found]
        found.update(more)
        stack.extend(more)
    return found


def own(n: Node, given: Collection[Node]) -> Tensor:
    """Return gradient `n` as a new tensor that may be written: a copy if it is a view, or others know its node."""
    known = n in given or not n.inputs or n.alias is not None or n.value is not None or ir.current_place(n) is not None
    return wrap(ir.copied(n) if known else n)


def execute(
    roots: Sequence[tuple[Tensor, Tensor]], wanted: Sequence[Known] | None, create_graph: bool
) -> list[Tensor | None]:
    """Propagate gradients from (recorded tensor, its gradient) roots towards the leaves.

    Returns the gradient of each record in `wanted`, None where none arrives. If `wanted` is None, adds each leaf's
    gradient to its `grad` and returns an empty list. With `create_graph` the gradients have records themselves; else
    deep ones are computed, with the roots. Raises GradientError if an operation on the way has no gradient rule.
    """
    seeds = [(record_of(node_of(y)), node_of(g)) for y, g in roots]
    given = {g for _, g in seeds}
    waiting = dependencies([r for r, _ in seeds])
    useful = waiting.keys() if wanted is None else leading_to(wanted, waiting)
    arrived: dict[Known, Node] = {}
    found: dict[Known, Tensor] = {}
    ready: list[tuple[int, int, Known]] = []
    serial = count()  # of equal numbers, those of leaves, the first to be ready comes first
    soon = False  # whether gradients are costly, or will be computed one by one: they may fail, or others see leaves

    def arrive(record: Known, new: Node) -> None:
        known = arrived.get(record)
        arrived[record] = new if known is None else ir.apply("add", known, new)

    with recording(create_graph):
        for record, g in seeds:
            arrive(record, g)
        for record in dict.fromkeys([r for r, _ in seeds]):
            if not waiting[record]:
                heappush(ready, (-record.number, next(serial), record))
        while ready:
            record = heappop(ready)[2]
            arrival = arrived.pop(record) if record in arrived else None
            if arrival is not None and (record.is_leaf if wanted is None else record in wanted):
                found[record] = own(arrival, given)
            if isinstance(record, Accumulator):
                soon = soon or record.is_shared()
                if wanted is None and arrival is not None:
                    record.add(found[record])
                continue
            soon = soon or (record.op in SAVED and record.desc.nbytes >= LARGE)
            parts: Gradients = (None,) * len(record.edges)
            if arrival is not None and any(e is not None and e.record in useful for e in record.edges):
                parts = gradients(record.node(), arrival)
            for edge, part in zip(record.edges, parts, strict=True):
                if edge is None:
                    continue
                if part is not None:
                    if record.op.refuses:  # its gradient rule may solve a linear system
                        stages.unsure(part)
                        soon = True
                    arrive(edge.record, part)
                waiting[edge.record] -= 1
                if not waiting[edge.record]:
                    heappush(ready, (-edge.record.number, next(serial), edge.record))
    if not create_graph:
        nodes = [node_of(t) for t in (*found.values(), *[y for y, _ in roots])]
        settle_together(nodes, soon and (wanted is None or not over_files(nodes)))
    return [found.get(w) for w in wanted or ()]


def seed(op: str, y: Tensor, gradient: Tensor | None) -> Tensor:
    """Return the gradient at which the backward pass of y starts. It is `gradient`, or ones of y's dtype for None.

    Raises GradientError if y has several cells and `gradient` is None, or if `gradient` has another shape than y.
    """
    checked_values.verify([node_of(y)])
    if gradient is None:
        if y.size != 1:
            raise GradientError(
                f"{op}: a result of shape {y.shape}; a gradient is that of one number; sum() it, or give `gradient`"
            )
        return ones(y.shape, dtype=y.dtype, device=y.device)
    if gradient.shape != y.shape:
        raise GradientError(
            f"{op}: a gradient of shape {gradient.shape} for a result of shape {y.shape}; they agree cell by cell; "
            "reshape it"
        )
    return gradient
