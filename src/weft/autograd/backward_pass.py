"""The backward pass: gradients of recorded tensors, as tensors.

The one idea: gradients are expressions over the records' operands.  Those that are deep or costly are computed at the
end of the pass, with the values whose gradients they are; a pass that recurs runs by a known program instead.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from weft.api.standard.creation_functions import ones
from weft.autograd import recurring_pass
from weft.autograd.propagation import propagate
from weft.autograd.record import Accumulator, Known, record_of, recording
from weft.errors import GradientError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.passes.fuse import over_files
from weft.runtime.compute import checked_values
from weft.tensors.pending_limits import settle_together
from weft.tensors.tensor import Tensor, node_of, wrap


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
    those of a pass that recurs, and deep ones, are computed, with the roots. Raises GradientError if an operation on
    the way has no gradient rule.
    """
    seeds = [(node_of(y), node_of(g)) for y, g in roots]
    recurring = None if create_graph else recurring_pass.find(seeds, wanted)
    if recurring is not None and (known := recurring.gradients()) is not None:
        found = {record: wrap(g) for record, g in known.items()}
    else:
        with recording(create_graph):
            nodes, soon = propagate([(record_of(y), g) for y, g in seeds], wanted)
            given = {g for _, g in seeds}
            found = {record: own(n, given) for record, n in nodes.items()}
        if not create_graph:
            together = [node_of(t) for t in (*found.values(), *[y for y, _ in roots])]
            is_done = settle_together(together, soon and (wanted is None or not over_files(together)))
            if recurring is not None:
                recurring.note(is_done, together)
    if wanted is None:
        with recording(create_graph):
            for record, gradient in found.items():
                if isinstance(record, Accumulator):
                    record.add(gradient)
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
