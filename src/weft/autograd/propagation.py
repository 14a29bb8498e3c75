"""The propagation of gradients: records are visited newest first, each once all gradients of its value have arrived.

The one idea: count the edges to every record, then process a record when its last edge was followed.  Gradients of the
same value are added in the order of arrival, which the sequence numbers fix.  Only expressions are built.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import count

from weft.autograd.record import Accumulator, Known
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.passes.gradient.gradient_rules import gradients
from weft.passes.gradient.gradient_steps import Gradients
from weft.runtime.compute import stages
from weft.runtime.compute.signature import SAVED

LARGE = 1 << 18  # bytes of a routine's value from which fusing its gradients with what is done to them gains nothing


def dependencies(roots: Sequence[Known]) -> dict[Known, int]:
    """Return, for each record below the roots, the number of edges that lead to it."""
    counts: dict[Known, int] = dict.fromkeys(roots, 0)
    stack = list(counts)
    while stack:
        for record in stack.pop().operands:
            if record is not None:
                if record not in counts:
                    counts[record] = 0
                    stack.append(record)
                counts[record] += 1
    return counts


def leading_to(wanted: Sequence[Known], records: Iterable[Known]) -> set[Known]:
    """Return the wanted records and all records from which edges lead to one of them."""
    above: dict[Known, list[Known]] = {}
    for r in records:
        for record in r.operands:
            if record is not None:
                above.setdefault(record, []).append(r)
    found, stack = set(wanted), list(wanted)
    while stack:
        more = [r for r in above.get(stack.pop(), ()) if r not in found]
        found.update(more)
        stack.extend(more)
    return found


def propagate(seeds: Sequence[tuple[Known, Node]], wanted: Sequence[Known] | None) -> tuple[dict[Known, Node], bool]:
    """Return (the gradients that arrive at `wanted` records, or at all leaves, whether to compute them soon).

    `seeds` are records, each with the gradient of its value. Gradients are soon computed that are costly, or that will
    be computed one by one: they may fail, or others see the memory of their leaves. Raises GradientError if an
    operation on the way has no gradient rule.
    """
    waiting = dependencies([r for r, _ in seeds])
    useful = waiting.keys() if wanted is None else leading_to(wanted, waiting)
    arrived: dict[Known, Node] = {}
    found: dict[Known, Node] = {}
    ready: list[tuple[int, int, Known]] = []
    serial = count()  # of equal numbers, those of leaves, the first to be ready comes first
    soon = False

    def arrive(record: Known, new: Node) -> None:
        known = arrived.get(record)
        arrived[record] = new if known is None else ir.apply("add", known, new)

    for record, g in seeds:
        arrive(record, g)
    for record in dict.fromkeys([r for r, _ in seeds]):
        if not waiting[record]:
            heappush(ready, (-record.number, next(serial), record))
    while ready:
        record = heappop(ready)[2]
        arrival = arrived.pop(record) if record in arrived else None
        if arrival is not None and (record.is_leaf if wanted is None else record in wanted):
            found[record] = arrival
        if isinstance(record, Accumulator):
            soon = soon or record.is_shared()
            continue
        soon = soon or (record.op in SAVED and record.desc.nbytes >= LARGE)
        parts: Gradients = (None,) * len(record.operands)
        if arrival is not None and any(r in useful for r in record.operands):
            parts = gradients(record.node(), arrival)
        for operand, part in zip(record.operands, parts, strict=True):
            if operand is None:
                continue
            if part is not None:
                if record.op.refuses:  # its gradient rule may solve a linear system
                    stages.unsure(part)
                    soon = True
                arrive(operand, part)
            waiting[operand] -= 1
            if not waiting[operand]:
                heappush(ready, (-operand.number, next(serial), operand))
    return found, soon
