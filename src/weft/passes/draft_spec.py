"""The rules of a legal draft (a plan in the making), which hold after every pass.

The one idea: a graph, a choice of stored nodes and steps are each checked alone, as soon as there are some, and again
once a pass has changed them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from weft.errors import InternalError, PassError
from weft.ir.graph import spec
from weft.ir.graph.node import Node
from weft.ir.graph.ops import BARRIERS
from weft.passes.draft import Draft
from weft.passes.fuse import below, is_stored


class Checked:
    """The parts of a draft that were found legal, so that after a pass just what it changed is checked."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}  # by id: legal nodes, with all below them
        self.draft: list[list[Node]] = []  # roots, nodes, leaves and stored nodes when they were last checked

    def check(self, name: str, draft: Draft, is_users: bool = False) -> None:
        """Check a draft after the pass `name`; `is_users` says that the pass is a user's.

        Raises InternalError if a rule is broken, PassError if the pass is a user's.
        """
        now, wrong = [list(part) for part in (draft.roots, draft.nodes, draft.leaves, draft.stored)], ""
        if now != self.draft:
            if not draft.stored:
                with faults_of(name, is_users):
                    spec.check(draft.roots, self.nodes)
            wrong = _graph_fault(draft) or _stored_fault(draft)
            self.draft = now
        if wrong := wrong or _steps_fault(draft):
            with faults_of(name, is_users):
                raise InternalError(f"pass {name!r}: {wrong}; please report this")


@contextmanager
def faults_of(name: str, is_users: bool) -> Iterator[None]:
    """Return a context manager that turns InternalError into PassError, naming the pass, if the pass is a user's."""
    try:
        yield
    except InternalError as error:
        if not is_users:
            raise
        fact = str(error).partition("; please report")[0]
        raise PassError(
            f"{fact}; what pass {name!r} leaves has to be legal; look at it with weft.pipeline.dumped()"
        ) from error


def _graph_fault(draft: Draft) -> str:
    """Return a text that says which node is not below the roots; "" if the graph is legal."""
    if not draft.nodes or draft.stored:  # before the key of programs is taken
        return ""
    if {id(n) for n in draft.nodes} != {id(n) for n in below(draft.roots)}:
        return "its nodes are not those below its roots"
    leaves = {id(n) for n in draft.leaves}
    lost = next((n for n in draft.nodes if is_stored(n) and not _comes_from(n, leaves)), None)
    return "" if lost is None else f"{lost!r} is an array that the graph did not read"


def _comes_from(n: Node, leaves: set[int]) -> bool:
    """True if a stored node is a leaf, or a view of one."""
    while id(n) not in leaves and n.inputs:
        n = n.inputs[0]
    return id(n) in leaves


def _stored_fault(draft: Draft) -> str:
    """Return a text that says which node is stored after its reader, or not at all; "" if none is."""
    if not draft.stored:
        return ""
    made: set[int] = set()
    for n in draft.stored:
        stack = list(n.inputs) if not is_stored(n) else []
        seen: set[int] = set()
        while stack:
            i = stack.pop()
            if id(i) in made or id(i) in seen or is_stored(i):
                continue
            if i.op.kind in BARRIERS or i is n:
                return f"{i!r} is needed as an array by {n!r}, and is not stored before it"
            seen.add(id(i))
            stack += i.inputs
        made.add(id(n))
    missing = next((r for r in draft.roots if id(r) not in made), None)
    return "" if missing is None else f"the root {missing!r} is not stored"


def _steps_fault(draft: Draft) -> str:
    """Return a text that says where steps, lives or places do not fit the stored nodes; "" if all do."""
    n = len(draft.stored)
    if draft.writing is None and draft.steps and len(draft.steps) != n:
        return f"{len(draft.steps)} steps for {n} stored nodes"
    if draft.lives and len(draft.lives) != n:
        return f"{len(draft.lives)} lives for {n} stored nodes"
    if any(
        not 0 <= at <= draft.arena_bytes - draft.stored[k].desc.nbytes for k, at in draft.offsets.items() if at != -2
    ):
        return f"places beyond the {draft.arena_bytes} bytes of the arena"
    return ""
