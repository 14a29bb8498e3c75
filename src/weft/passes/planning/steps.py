"""The steps of a plan: one for each stored node, in order.

The one idea: where a step needs an operand stored, planning goes back to the choice of stored nodes, with that operand
among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from weft.errors import InternalError
from weft.ir.graph.description import c_strides
from weft.ir.graph.graph_text import description
from weft.ir.graph.node import Node
from weft.ir.graph.ops import BARRIERS
from weft.ir.pieces.normal_form import NotAView, TooManyPieces
from weft.passes import fuse
from weft.passes.draft import Draft, Unstored
from weft.passes.planning.split import MANY, CellLocation, MustStore, Site, call_step, dividing, launch, nested
from weft.passes.switches import replaced

REASONS = {
    MustStore: "its cells lie with gaps, or a routine needs them as an array",
    NotAView: "its runs are no boxes of what it reshapes",
    TooManyPieces: "it would be read in more pieces than copying it costs",
}


class SeveralSteps(Exception):
    """Raised if a value that is to be written by one kernel takes several steps."""


def split(draft: Draft) -> None:
    """Set the steps of a draft, one for each stored node.

    Raises Unstored if some nodes must be stored first: few at first, twice as many at each further choice of nodes, as
    storing one may make another needless. Raises SeveralSteps if the draft allows one kernel and that does not suffice.
    """
    if draft.writing is not None:
        _write(draft)
        return
    site, routines = site_of(draft, draft.stored), replaced()
    draft.steps = []
    unstored: dict[int, tuple[Node, str]] = {}
    most = max(1, len(draft.forced))
    for i, n in enumerate(draft.stored):
        out = CellLocation(len(draft.leaves) + i, 0, c_strides(n.desc.shape, n.desc.dtype.itemsize))
        try:
            draft.steps.append(call_step(n, out, site) if n.op.name in routines else launch(n, out, site))
        except (MustStore, NotAView, TooManyPieces) as need:
            alike = islice(nested(n, site), most - 1) if type(need) is TooManyPieces else ()
            for node in (need.node, *alike):
                unstored.setdefault(id(node), (node, REASONS[type(need)]))
            if len(unstored) >= most:
                break
        site.places[id(n)] = out
    if unstored:
        _store_first(draft, list(unstored.values()))


def _store_first(draft: Draft, found: Sequence[tuple[Node, str]]) -> None:
    """Add the nodes of `found`, pairs (node, reason), to the draft's forced nodes, and raise Unstored."""
    for node, reason in found:
        if any(node is f for f in draft.forced) or fuse.is_stored(node):
            raise InternalError(f"plan: {node!r} must be stored twice; please report this")
        draft.why.append(f"stored first: {node.op.name} {description(node.desc)}: {reason}")
    draft.forced += [node for node, _ in found]
    draft.steps = []
    raise Unstored


def _write(draft: Draft) -> None:
    """Set the only step of a draft whose value is written to existing memory.

    Raises SeveralSteps if it takes more than one.
    """
    (value,) = draft.roots
    assert draft.writing is not None
    if value.op.kind in BARRIERS or fuse.as_call(value) or len(draft.stored) > 1:
        raise SeveralSteps
    try:
        draft.steps = [draft.writing(value, site_of(draft, ()))]
    except (MustStore, NotAView, TooManyPieces):
        raise SeveralSteps from None
    draft.stored = []


def site_of(draft: Draft, stored: Sequence[Node]) -> Site:
    """Return the site of a draft: locations of leaves, slots of scalars, and nodes that may divide requests."""
    places = {}
    for arg, n in enumerate(draft.leaves):
        d = fuse.layout(n)
        assert d.strides is not None
        places[id(n)] = CellLocation(arg, 0, d.strides, d.big)
    many = max(MANY, 4 * len(draft.nodes))  # every source takes a piece, every margin another
    slots = {id(n): slot for slot, n in enumerate(draft.scalars)}
    return Site(places, slots, dividing(draft.nodes, places.keys() | {id(n) for n in stored}), many)
