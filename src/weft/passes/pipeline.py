"""From pending nodes to a plan: the list of passes, and plans made by it.

The one idea: passes fill in a draft, and a plan is read from the result.  The first passes run at every computation,
before the key of its program is taken; the others once for each key.  The list that runs is the one that users print,
time and change; where a pass finds that a node must be stored before steps can be made, the list is run again from the
choice of stored nodes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from time import perf_counter

from weft.ir.graph.node import Node
from weft.ir.kernels import plan_spec
from weft.ir.kernels.plan import Plan
from weft.ir.pieces.normal_form import Piece
from weft.passes import fuse
from weft.passes.draft import Draft, LegalParts, SeveralSteps, Unstored, Writing, faults_of, split
from weft.passes.narrowing.anchor import anchored, may_be_anchored
from weft.passes.narrowing.prune import pruned
from weft.passes.planning.block import BufferUse, blocked
from weft.passes.planning.site import CellLocation
from weft.passes.planning.split import map_launch, scatter_launch
from weft.passes.planning.temporaries import arena, liveness, reorder, written_over
from weft.passes.simplify.rewriting import simplify
from weft.passes.switches import OPEN, Change, Checking, changes, enabled

Act = Callable[[Draft], object]


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass: `run` fills in or changes a part of a draft.

    `instead` does the necessary rest where the pass is off.  `keyed`: it runs once for a key of programs, not at every
    computation.  `several`: it has work only where several nodes are stored.  `foreign`: it is a user's, so its result
    is always checked.
    """

    name: str
    run: Act
    says: str
    instead: Act | None = None
    keyed: bool = True
    several: bool = False
    foreign: bool = False

    @property
    def is_on(self) -> bool:
        """True if the pass is not switched off in this context."""
        return enabled(self.name)

    @property
    def timing(self) -> Timing:
        """The number and durations of the pass's runs so far, in all threads."""
        return TIMINGS.setdefault(self.name, Timing())


@dataclass(slots=True)
class Timing:
    """The number of runs of a pass, and the seconds of its last run and of all runs."""

    runs: int = 0
    last: float = 0.0
    total: float = 0.0


TIMINGS: dict[str, Timing] = {}


@lru_cache(maxsize=256)
def arranged(built_in: tuple[Pass, ...], changes: Sequence[Change]) -> tuple[Pass, ...]:
    """Return the passes in force: the built-in passes with the changes of users, made in order."""
    passes = list(built_in)
    for change in changes:
        at = next((k for k, p in enumerate(passes) if p.name == change.of), None)
        if at is not None and change.where != "watch":
            first, stop = {"before": (at, at), "after": (at + 1, at + 1), "instead": (at, at + 1)}[change.where]
            passes[first:stop] = [change.added]
    return tuple(passes)


def run_passes(passes: Sequence[Pass], draft: Draft) -> None:
    """Run passes over a draft in order.

    Where a pass raises Unstored, they go on from the pass that chose the stored nodes.  With checks on, the draft is
    checked after every pass.
    """
    checks, watching = Checking.on, [c.added for c in changes() if c.where == "watch"] if OPEN else ()
    checked = LegalParts() if checks or OPEN else None  # passes of users are checked always
    if checked is not None and checks:
        checked.check("graph", draft)
    for watch in watching:
        watch(None, draft)
    at, choice = 0, -1  # the pass that chooses what is stored
    while at < len(passes):
        p = passes[at]
        act = p.run if not OPEN or enabled(p.name) else p.instead
        at += 1
        if act is None or (p.several and len(draft.stored) < 2):
            continue
        begin = perf_counter()
        try:
            act(draft)
        except Unstored:
            at = choice
            continue
        finally:
            spent = perf_counter() - begin
            timing = TIMINGS.get(p.name) or p.timing
            timing.runs, timing.last, timing.total = timing.runs + 1, spent, timing.total + spent
        if choice < 0 and draft.stored:
            choice = at - 1
        if checked is not None and (checks or p.foreign):
            checked.check(p.name, draft, p.foreign)
        for watch in watching:
            watch(p, draft)


# ---- the built-in passes


def _anchor(draft: Draft) -> None:
    (root,) = draft.roots
    draft.roots = [anchored(root)]


def _prune(draft: Draft) -> None:
    draft.roots = pruned(draft.roots)


def _simplify(draft: Draft) -> None:
    simpler = simplify(draft)
    before, draft.stands_for = draft.stands_for, simpler.stands_for
    if before:
        draft.stands_for = {key: before.get(id(n), n) for key, n in simpler.stands_for.items()}
    draft.roots, draft.nodes = simpler.roots, simpler.nodes
    draft.live = draft.held = simpler.live
    draft.key_scalars, draft.joins, draft.equal = frozenset(), {}, {}


def _fuse(draft: Draft, fusing: bool = True) -> None:
    live = draft.live if draft.writing is None else ()
    draft.stored = fuse.choose(draft.roots, live, draft.forced, draft.nodes, fusing)


def _block(draft: Draft) -> None:
    kept = {id(n) for n in draft.outputs()}
    handed = [
        BufferUse(life.nbytes, id(n) in kept, life.last) for n, life in zip(draft.stored, draft.lives, strict=True)
    ]
    draft.groups, draft.within = blocked(draft.steps, handed, len(draft.leaves))


def _arena(draft: Draft, shared: bool = True) -> None:
    kept = {id(n) for n in draft.outputs()}
    lives = {
        i: draft.lives[i].through(draft.groups)
        for i, n in enumerate(draft.stored)
        if id(n) not in kept and i not in draft.within
    }
    over = written_over(draft.steps, lives, len(draft.leaves), draft.groups) if shared else {}
    offsets, draft.arena_bytes = arena(list(lives.values()), shared)
    at = dict(zip(lives, offsets, strict=True))
    draft.offsets = at | {i: at[j] for i, j in over.items()} | dict.fromkeys(draft.within, -2)


BUILT_IN = (
    Pass("anchor", _anchor, "compute a small box of a large value cell by cell, its position an argument", keyed=False),
    Pass("prune", _prune, "leave out of large graphs what nothing is read from", keyed=False),
    Pass("simplify", _simplify, "apply the rules that leave out work"),
    Pass("fuse", _fuse, "choose what is stored; all else is computed where it is read", partial(_fuse, fusing=False)),
    Pass("reorder", reorder, "order what is stored so that less is held at a time", several=True),
    Pass("split", split, "make a kernel or a call for each stored value, cut into boxes"),
    Pass("liveness", liveness, "find the steps that write and read each stored value", several=True),
    Pass("block", _block, "run chains along rows a block of rows at a time", several=True),
    Pass("arena", _arena, "place temporaries in one piece of memory", partial(_arena, shared=False), several=True),
)
_KEYED = tuple([p for p in BUILT_IN if p.keyed])


def passes_in_force() -> tuple[Pass, ...]:
    """Return the passes of this context, in order, also those that are off."""
    return arranged(BUILT_IN, changes())


# ---- before the key


def anchored_root(root: Node) -> Node:
    """Return the root of a graph, or the node that the pass "anchor" puts in its place."""
    if not may_be_anchored(root):
        return root
    (root,) = _before_key("anchor", [root])
    return root


def pruned_roots(roots: Sequence[Node]) -> Sequence[Node]:
    """Return the roots of a large graph, or the nodes that the pass "prune" puts in their place."""
    return _before_key("prune", roots)


def _before_key(name: str, roots: Sequence[Node]) -> Sequence[Node]:
    draft = Draft(roots, ())
    run_passes([p for p in BUILT_IN if p.name == name], draft)
    return draft.roots


# ---- with the key


def plan(draft: Draft) -> tuple[Plan, list[Node], list[str]]:
    """Return the plan of a graph, the nodes of its outputs, and reasons for nodes stored first.

    Outputs are the roots, then live nodes stored on the way; a reason is a line of text. Raises ShapeError if a kernel
    would have more than 2**62 cells, PassError if passes of users make a plan that breaks a rule.
    """
    outputs = drafted(draft).outputs()
    made = draft.plan(outputs)
    if Checking.on or OPEN:
        _check(made, draft.leaves)
    return made, [draft.stands_for.get(id(n), n) for n in outputs], draft.why


def drafted(draft: Draft) -> Draft:
    """Run all passes over a draft, and return it."""
    run_passes([p for p in passes_in_force() if p.keyed] if OPEN else _KEYED, draft)
    return draft


def plan_store(target: Node, draft: Draft) -> Plan | None:
    """Return a plan that writes a graph's value by one kernel into the memory of `target`.

    That memory is the argument after the leaves. Returns None if the value takes more than one kernel. Raises PassError
    if passes of users make a plan that breaks a rule.
    """
    (place,) = _locations([target], draft)
    return _plan_writing([target], draft, lambda v, site: map_launch(v, place, site))


def plan_scatter(
    parts: Sequence[Piece], target_numbers: Sequence[int], targets: Sequence[Node], draft: Draft
) -> Plan | None:
    """Return a plan that writes a graph's value to several memories, each piece to its target.

    Piece i is written to the cells that it reads of `targets[target_numbers[i]]`. Returns None if it takes more than
    one kernel. Raises PassError if passes of users make a plan that breaks a rule.
    """
    places = _locations(targets, draft)
    return _plan_writing(
        targets, draft, lambda v, site: scatter_launch(v, parts, [places[k] for k in target_numbers], site)
    )


def _locations(targets: Sequence[Node], draft: Draft) -> list[CellLocation]:
    """Return the locations of the targets' memories, which are the arguments after the draft's leaves."""
    places = []
    for k, t in enumerate(targets):
        assert t.desc.strides is not None
        places.append(CellLocation(len(draft.leaves) + k, 0, t.desc.strides, t.desc.big))
    return places


def _plan_writing(targets: Sequence[Node], draft: Draft, writing: Writing) -> Plan | None:
    """Return the plan of the step that `writing` makes of a graph's value.

    None if the value takes more than one step. Raises PassError if passes of users make a plan that breaks a rule.
    """
    try:
        draft.writing = writing
        (step,) = drafted(draft).steps
    except SeveralSteps:
        return None
    dtypes = tuple(s.desc.dtype for s in draft.scalars)
    made = Plan(len(draft.leaves) + len(targets), dtypes, (), (step,), (), slots=draft.slot_numbers())
    if Checking.on or OPEN:
        _check(made, (*draft.leaves, *targets))
    return made


def _check(plan: Plan, leaves: Sequence[Node]) -> None:
    """Check a plan if checks are on or users' passes are in force.

    Raises InternalError, or PassError with users' passes, if a rule is broken.
    """
    foreign = [p.name for p in passes_in_force() if p.foreign] if OPEN else []
    if Checking.on or foreign:
        with faults_of(", ".join(foreign), bool(foreign)):
            plan_spec.check_plan(plan, [fuse.layout(n) for n in leaves])
