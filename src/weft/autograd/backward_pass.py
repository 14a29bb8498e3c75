"""The backward pass: records are visited newest first, each once all gradients of its value have arrived.

The one idea: count the edges to every record, then process a record when its last edge was followed.  Gradients of the
same value are added in the order of arrival, which the sequence numbers fix.  The pass only builds expressions; nothing
is computed before a gradient is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from weft.api.standard.creation_functions import ones
from weft.autograd.record import Accumulator, Known, recording
from weft.errors import GradientError
from weft.ir.graph import node as ir
from weft.passes.gradient.gradient_rules import gradients
from weft.runtime.compute import checked_values, stages
from weft.tensors.tensor import Tensor, node_of, wrap


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


def own(g: Tensor, roots: Sequence[tuple[Known, Tensor]]) -> Tensor:
    """Return a gradient as a new tensor that may be written; g itself if nothing else refers to its node."""
    n = node_of(g)
    passed = any(g is given for _, given in roots)
    if (
        not passed
        and n.inputs
        and n.alias is None
        and n.value is None
        and n.place is not None
        and n.place() is g._place
    ):
        return g
    return wrap(ir.copied(n))


def execute(
    roots: Sequence[tuple[Known, Tensor]], wanted: Sequence[Known] | None, create_graph: bool
) -> list[Tensor | None]:
    """Propagate gradients from (record, gradient) roots towards the leaves.

    Returns the gradient of each record in `wanted`, None where none arrives. If `wanted` is None, adds each leaf's
    gradient to its `grad` and returns an empty list. With `create_graph` the gradients have records themselves. Raises
    GradientError if an operation on the way has no gradient rule.
    """
    waiting = dependencies([r for r, _ in roots])
    useful = waiting.keys() if wanted is None else leading_to(wanted, waiting)
    arrived: dict[Known, Tensor] = {}
    found: dict[Known, Tensor] = {}
    ready: list[tuple[int, int, Known]] = []

    def arrive(record: Known, new: Tensor) -> None:
        known = arrived.get(record)
        arrived[record] = new if known is None else wrap(ir.apply("add", node_of(known), node_of(new)))

    with recording(create_graph):
        for record, seed in roots:
            arrive(record, seed)
        for record in {r for r, _ in roots}:
            if not waiting[record]:
                heappush(ready, (-record.number, id(record), record))
        while ready:
            record = heappop(ready)[2]
            g: Tensor | None = arrived.pop(record) if record in arrived else None
            if g is not None and wanted is not None and record in wanted:
                found[record] = own(g, roots)
            if isinstance(record, Accumulator):
                if wanted is None and g is not None:
                    record.add(own(g, roots))
                continue
            is_useful = any(e is not None and e.record in useful for e in record.edges)
            parts = gradients(record.node(), node_of(g)) if g is not None and is_useful else [None] * len(record.edges)
            for edge, part in zip(record.edges, parts, strict=True):
                if edge is None:
                    continue
                if part is not None:
                    if record.op.refuses:
                        stages.unsure(part)  # its gradient rule may solve a linear system
                    arrive(edge.record, wrap(part))
                waiting[edge.record] -= 1
                if not waiting[edge.record]:
                    heappush(ready, (-edge.record.number, id(edge.record), edge.record))
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
