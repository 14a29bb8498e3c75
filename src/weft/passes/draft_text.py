"""The text form of a plan in the making: what is there of it so far.

The one idea: nodes are numbered as in the text of the graph, so that later parts can name them.
"""

from __future__ import annotations

from weft.ir.graph.graph_text import show
from weft.ir.graph.node import walk
from weft.ir.kernels.plan_text import show_plan
from weft.passes.draft import Draft


def draft_text(draft: Draft) -> list[str]:
    """Return the graph, the nodes that get memory, the steps, and the places of temporaries, a text each."""
    parts = [show(draft.roots)]
    if draft.stored:
        numbers = {id(n): k for k, n in enumerate(walk(draft.roots))}
        parts.append("stored: " + ", ".join([f"%{numbers[id(n)]}" for n in draft.stored]))
    if draft.steps:
        parts.append("steps\n" + show_plan(draft.plan(draft.outputs() if draft.stored else ())))
    if draft.lives:
        lives = [f"{life.nbytes} bytes in steps {life.first} to {life.last}" for life in draft.lives]
        parts.append("lives\n" + "\n".join([f"  {k}: {line}" for k, line in enumerate(lives)]))
    if draft.groups:
        runs = [f"{first} to {stop - 1}" for first, stop, _ in draft.groups]
        parts.append("steps that go block by block: " + ", ".join(runs))
    if draft.offsets:
        places = [f"{k} at {at}" if at >= 0 else f"{k} in blocks" for k, at in draft.offsets.items()]
        parts.append(f"arena of {draft.arena_bytes} bytes: " + ", ".join(places))
    return parts
