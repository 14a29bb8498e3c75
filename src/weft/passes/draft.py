"""The draft: a graph to be planned, which passes change and make a plan of.

The one idea: every pass is a function of one record, the draft, and fills in or changes a part of it: first the graph,
then the nodes that get memory, then their steps, and at last the places of temporaries.  Where a step needs an
operand stored, planning goes back to the choice of stored nodes, with that operand among them.  The rules of a legal
draft hold after every pass: graph, choice and steps are each checked alone, again once a pass has changed them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from weft.errors import InternalError, PassError
from weft.ir.graph import spec
from weft.ir.graph.description import c_strides
from weft.ir.graph.graph_text import description
from weft.ir.graph.node import Node, copied, mark_replacement, walk
from weft.ir.graph.ops import BARRIERS
from weft.ir.kernels.plan import Buffer, Plan, Step
from weft.ir.pieces.request import MustStore, TooManyPieces
from weft.passes import fuse
from weft.passes.fuse import below, is_stored
from weft.passes.planning.block import Group
from weft.passes.planning.site import MANY, CellLocation, Site
from weft.passes.planning.split import call_step, dividing, launch, nested
from weft.passes.switches import replaced
from weft.passes.views import rebuilt

Writing = Callable[[Node, Site], Step]  # the step that writes a value where it is wanted


class Unstored(Exception):
    """Raised by a pass if more nodes must be stored before steps can be made."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A temporary's size in bytes, and the first and the last step that need it."""

    nbytes: int
    first: int
    last: int

    def through(self, groups: Sequence[tuple[int, int, object]]) -> Lifetime:
        """Return the life extended to the whole of each group of steps that it overlaps.

        A group is (first step, end, object); its steps run by turns.
        """
        first, last = self.first, self.last
        for at, stop, _ in groups:
            if first < stop and last >= at:
                first, last = min(first, at), max(last, stop - 1)
        return Lifetime(self.nbytes, first, last)


@dataclass(slots=True)
class Draft:
    """A plan in the making, which passes fill in.

    `roots` are the nodes to compute, `nodes` these and all nodes below them, inputs before readers; leaves and scalars
    are in the order in which its program takes them.  Where the key of a program is taken before passes run, roots are
    planned once for all numbers and arrays: passes may look at structure alone.

    `stored` are the nodes that get memory, in the order of their steps; `steps` has one step for each, `lives` the
    steps during which each is needed.  `groups` are runs of steps that go block by block; `offsets` are the places of
    stored nodes in the arena, by their numbers.
    """

    roots: Sequence[Node]
    nodes: Sequence[Node]
    leaves: Sequence[Node] = ()  # stored nodes or aliases of stored ones
    scalars: Sequence[Node] = ()
    live: frozenset[int] = frozenset()  # ids of nodes with a handle: they are stored where that pays off
    held: frozenset[int] = frozenset()  # of the live ones, those with a handle on the whole and not only on views
    key_scalars: frozenset[int] = frozenset()  # ids of scalars whose numbers are part of the key
    joins: Mapping[int, Node] = field(default_factory=dict)  # by id: joins of stored views, with neighbours as one leaf
    equal: Mapping[int, Node] = field(default_factory=dict)  # by id: scalars that are the same number as another
    stands_for: dict[int, Node] = field(default_factory=dict)  # the user's nodes, by the ids of what replaced them
    writing: Writing | None = None  # how the only root is written, if not to memory of its own
    forced: list[Node] = field(default_factory=list)  # nodes that steps need stored
    why: list[str] = field(default_factory=list)  # a line for each
    stored: list[Node] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    slots: Collection[int] = ()  # numbers of the scalars in the order in which the steps have them
    lives: list[Lifetime] = field(default_factory=list)
    groups: tuple[Group, ...] = ()
    within: set[int] = field(default_factory=set)  # numbers of stored nodes that exist in blocks alone
    offsets: dict[int, int] = field(default_factory=dict)
    arena_bytes: int = 0

    def outputs(self) -> list[Node]:
        """Return the output nodes of the plan: the roots, then other stored nodes that a handle holds."""
        wanted = {id(r) for r in self.roots}
        return [*self.roots, *[n for n in self.stored if id(n) in self.live and id(n) not in wanted]]

    def plan(self, outputs: Sequence[Node]) -> Plan:
        """Return the plan as plain data, with these output nodes."""
        at, dtypes = self.offsets, tuple([s.desc.dtype for s in self.scalars])
        made = tuple([Buffer(n.desc.dtype, n.desc.shape, at.get(i, -1)) for i, n in enumerate(self.stored)])
        index = {id(n): i for i, n in enumerate(self.stored)}
        numbers = tuple([index[id(n)] for n in outputs])
        steps, slots = tuple(self.steps), self.slot_numbers() if self.slots else ()
        return Plan(len(self.leaves), dtypes, made, steps, numbers, self.arena_bytes, self.groups, slots)

    def slot_numbers(self) -> tuple[int, ...]:
        """Return the number of the scalar in each slot; () if each scalar has the slot of its number."""
        return () if list(self.slots) == list(range(len(self.slots))) else tuple(self.slots)

    def replace(self, replacements: Mapping[Node, Node]) -> None:
        """Replace nodes, in all of their readers, by others of the same dtype, shape and origin.

        `replacements` maps nodes to the new ones, as nodes over the old graph.
        """
        image: dict[int, Node] = {}
        for n in self.nodes:
            other = replacements.get(n)
            image[id(n)] = _rebuilt(n, image) if other is None else _with_images(other, image)
            if other is not None and id(other) not in image:
                mark_replacement(image[id(n)], n)
        stands_for: dict[int, Node] = {}
        for n in self.nodes:
            made = image[id(n)]
            if n in self.roots and (is_stored(made) or id(made) in stands_for):
                made = image[id(n)] = copied(made)
            if n in self.roots or (id(n) in self.live and not is_stored(made)):
                stands_for.setdefault(id(made), self.stands_for.get(id(n), n))
        standing = {id(image[id(n)]): id(n) for n in self.nodes}
        self.live, self.held = (
            frozenset([new for new, old in standing.items() if old in ids and new in stands_for])
            for ids in (self.live, self.held)
        )
        self.roots = [image[id(r)] for r in self.roots]
        self.stands_for, self.nodes = stands_for, below(self.roots)


def _rebuilt(n: Node, images: Mapping[int, Node]) -> Node:
    """Return a pending node over the images of its inputs (`images` maps nodes to theirs); a stored node itself."""
    return n if is_stored(n) else rebuilt(n, tuple([images[id(i)] for i in n.inputs]))


def _with_images(top: Node, images: Mapping[int, Node]) -> Node:
    """Return `top` with nodes below it replaced by their images, where they have any."""
    made = dict(images)
    for n in walk([top], lambda n: () if id(n) in images or is_stored(n) else n.inputs):
        if id(n) not in images:
            made[id(n)] = _rebuilt(n, made)
    return made[id(top)]


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
    draft.steps, draft.slots = [], site.slots
    unstored: dict[int, tuple[Node, str]] = {}
    most = max(1, len(draft.forced))
    for i, n in enumerate(draft.stored):
        out = CellLocation(len(draft.leaves) + i, 0, c_strides(n.desc.shape, n.desc.dtype.itemsize))
        try:
            draft.steps.append(call_step(n, out, site) if n.op.name in routines else launch(n, out, site))
        except MustStore as need:
            alike = islice(nested(n, site), most - 1) if type(need) is TooManyPieces else ()
            for node in (need.node, *alike):
                unstored.setdefault(id(node), (node, need.reason))
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
    site = site_of(draft, ())
    try:
        draft.steps, draft.slots = [draft.writing(value, site)], site.slots
    except MustStore:
        raise SeveralSteps from None
    draft.stored = []


def site_of(draft: Draft, stored: Sequence[Node]) -> Site:
    """Return the site of a draft: locations of leaves, numbers of scalars, and nodes that may divide requests."""
    places = {}
    for arg, n in enumerate(draft.leaves):
        d = fuse.layout(n)
        assert d.strides is not None
        places[id(n)] = CellLocation(arg, 0, d.strides, d.big)
    many = max(MANY, 4 * len(draft.nodes))  # every source takes a piece, every margin another
    numbers = {id(n): number for number, n in enumerate(draft.scalars)}
    return Site(places, numbers, dividing(draft.nodes, places.keys() | {id(n) for n in stored}), many)


class LegalParts:
    """The parts of a draft that were found legal, so that after a pass just what it changed is checked."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}  # by id: legal nodes, with all below them
        self.draft: list[list[Node]] = []  # roots, nodes, leaves and stored nodes when they were last checked

    def check(self, name: str, draft: Draft, is_users: bool = False) -> None:
        """Check a draft after the pass `name`; `is_users` says that the pass is a user's.

        Raises InternalError if a rule is broken, PassError if the pass is a user's.
        """
        wrong = _parts_fault(name, draft) if is_users else ""
        parts = (draft.roots, draft.nodes, draft.leaves, draft.stored)
        if not wrong and (now := [list(part) for part in parts]) != self.draft:
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


_FILLING = ("fuse", "reorder", "split", "liveness", "block", "arena")  # the passes that fill in a draft, in their order
_FILLED: tuple[tuple[str, str, Any, str], ...] = (  # parts of a draft: who sets each, what it holds, and its name
    ("stored", "fuse", Node, "nodes"),
    ("steps", "split", Step, "launches and calls"),
    ("lives", "liveness", Lifetime, "Lifetime objects"),
)


def _parts_fault(name: str, draft: Draft) -> str:
    """Return a text that says what the user's pass `name` left out or set wrongly. "" if all is there."""
    for part, setter, kind, kinds in _FILLED:
        made = getattr(draft, part)
        if not isinstance(made, (list, tuple)) or not all(isinstance(x, kind) for x in made):
            return f"draft.{part} is no list of {kinds}"
        if not made and draft.writing is None and name in _FILLING[_FILLING.index(setter) :]:
            return f"draft.{part} is empty"
    numbers = [draft.arena_bytes, *draft.offsets, *draft.offsets.values()]
    if not all(isinstance(x, int) for x in numbers) or draft.arena_bytes < 0:
        return f"draft.offsets {draft.offsets!r:.60} and arena_bytes {draft.arena_bytes!r:.20} are no numbers of bytes"
    lost = [k for k in draft.offsets if not 0 <= k < len(draft.stored)]
    return f"draft.offsets has number {lost[0]} of {len(draft.stored)} stored nodes" if lost else ""


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
