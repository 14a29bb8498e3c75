"""From pending nodes to a plan: choose what is stored, split into rows, place temporaries.

The one idea: each pass is a function on nodes or steps, called here in order; a step that turns out to need an operand
stored says so, and planning starts again with that operand chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from weft.errors import InternalError
from weft.ir.graph import spec
from weft.ir.graph.description import c_strides
from weft.ir.graph.graph_text import description
from weft.ir.graph.node import Node
from weft.ir.graph.ops import BARRIERS
from weft.ir.kernels import plan_spec
from weft.ir.kernels.plan import Buffer, MapLaunch, Plan, Step
from weft.ir.pieces.normal_form import NotAView, Piece, TooManyPieces
from weft.passes import fuse
from weft.passes.arena import Life, arena
from weft.passes.block import Group, Handed, blocked
from weft.passes.simplify.rewriting import simplify
from weft.passes.split import (
    MANY,
    CellLocation,
    MustStore,
    Site,
    call_step,
    dividing,
    launch,
    map_launch,
    nested,
    scatter_launch,
)
from weft.passes.switches import enabled, is_checking


@dataclass(slots=True)
class Graph:
    """Pending roots with the order in which their leaves and scalars are passed to a program."""

    roots: Sequence[Node]
    leaves: Sequence[Node]  # stored nodes or aliases of stored ones
    scalars: Sequence[Node]
    live: frozenset[int]  # ids of nodes that a handle is the current version of
    order: Sequence[Node]  # all nodes below the roots, numbered as in the graph's key
    held: frozenset[int] = frozenset()  # of the live ones, those with a handle on the whole and not only on views
    told: frozenset[int] = frozenset()  # ids of scalars whose numbers are part of the key
    joins: Mapping[int, Node] = field(default_factory=dict)  # by id: joins of stored views, with neighbours as one leaf
    passed: Sequence[Node] = ()  # nodes with a handle that are read for the first time: generators give them again
    again: Sequence[Node] = ()  # such nodes that were read before: they are live


REASONS = {
    MustStore: "its cells lie with gaps, or a routine needs them as an array",
    NotAView: "its runs are no boxes of what it reshapes",
    TooManyPieces: "it would be read in more pieces than copying it costs",
}


def plan(graph: Graph) -> tuple[Plan, list[Node], list[str]]:
    """Return the plan, the nodes of its outputs, and a line with the reason for each node to be stored first.

    Outputs are the roots, then live nodes stored on the way.  Raises ShapeError if a kernel would have more than 2**62
    cells.
    """
    checking = is_checking()
    if checking:
        spec.check(graph.roots)
    graph, stands_for = _simplified(graph, checking)
    forced: list[Node] = []
    why: list[str] = []
    while True:
        try:
            made, outputs = _plan(graph, forced)
            if checking:
                plan_spec.check_plan(made, [fuse.layout(n) for n in graph.leaves])
            return made, [stands_for.get(id(n), n) for n in outputs], why
        except _Unstored as need:
            for node, reason in need.found.values():
                if any(node is f for f in forced) or fuse.is_stored(node):
                    raise InternalError(f"plan: {node!r} must be stored twice; please report this") from None
                why.append(f"stored first: {node.op.name} {description(node.desc)}: {reason}")
            forced += [node for node, _ in need.found.values()]


class _Unstored(Exception):
    """Steps cannot be made before some nodes are stored: `found` has each with the reason, by its id."""

    def __init__(self, found: dict[int, tuple[Node, str]]) -> None:
        super().__init__("plan: internal: nodes are to be stored first")
        self.found = found


def _simplified(graph: Graph, checking: bool) -> tuple[Graph, dict[int, Node]]:
    """Return the graph with the rules applied, and the user's nodes by the ids of those that stand for them."""
    if not enabled("simplify"):
        return graph, {}
    simpler = simplify(graph.roots, graph.live, graph.held, graph.told, graph.joins, graph.order)
    if checking:
        spec.check(simpler.roots)
    return Graph(simpler.roots, graph.leaves, graph.scalars, simpler.live, simpler.nodes), simpler.stands_for


def _plan(graph: Graph, forced: list[Node]) -> tuple[Plan, list[Node]]:
    """Return the plan of a graph with `forced` nodes stored, and the nodes whose values it gives."""
    chosen = fuse.choose(graph.roots, graph.live, forced, graph.order)
    wanted = {id(r) for r in graph.roots}
    outputs = [*graph.roots, *(n for n in chosen if id(n) not in wanted and id(n) in graph.live)]
    kept = {id(n) for n in outputs}
    site = _site(graph, chosen)
    steps = _steps(chosen, site, len(graph.leaves), max(1, len(forced)))
    at, arena_bytes, groups = _placed(chosen, steps, kept, len(graph.leaves)) if len(chosen) > 1 else ({}, 0, ())
    made = tuple([Buffer(n.desc.dtype, n.desc.shape, at.get(i, -1)) for i, n in enumerate(chosen)])
    index = {id(n): i for i, n in enumerate(chosen)}
    dtypes = tuple([s.desc.dtype for s in graph.scalars])
    numbers = tuple([index[id(n)] for n in outputs])
    return Plan(len(graph.leaves), dtypes, made, tuple(steps), numbers, arena_bytes, groups), outputs


def _placed(
    chosen: Sequence[Node], steps: Sequence[Step], kept: Container[int], inputs: int
) -> tuple[dict[int, int], int, tuple[Group, ...]]:
    """Return the places of temporaries in the arena, its size, and the runs of steps that go block by block."""
    lives = _lives(chosen)
    handed = [Handed(n.desc.nbytes, id(n) in kept, life.last) for n, life in zip(chosen, lives, strict=True)]
    groups, gone = blocked(steps, handed, inputs)
    temporaries = [i for i, n in enumerate(chosen) if id(n) not in kept and i not in gone]
    offsets, arena_bytes = arena([_through(lives[i], groups) for i in temporaries])
    return dict(zip(temporaries, offsets, strict=True)) | dict.fromkeys(gone, -2), arena_bytes, groups


def _steps(chosen: Sequence[Node], site: Site, inputs: int, most: int) -> list[Step]:
    """Return the step of each chosen node, in order.

    Raises _Unstored with the first `most` nodes that must be stored first.  Storing one may make the next needless, so
    few are asked for at first and twice as many with every new plan.
    """
    steps: list[Step] = []
    unstored: dict[int, tuple[Node, str]] = {}
    for i, n in enumerate(chosen):
        out = CellLocation(inputs + i, 0, c_strides(n.desc.shape, n.desc.dtype.itemsize))
        try:
            steps.append(call_step(n, out, site) if fuse.as_call(n) else launch(n, out, site))
        except (MustStore, NotAView, TooManyPieces) as need:
            alike = islice(nested(n, site), most - 1) if type(need) is TooManyPieces else ()
            for node in (need.node, *alike):
                unstored.setdefault(id(node), (node, REASONS[type(need)]))
            if len(unstored) >= most:
                break
        site.places[id(n)] = out
    if unstored:
        raise _Unstored(unstored)
    return steps


def _site(graph: Graph, stored: Sequence[Node]) -> Site:
    """Return the locations of a graph's leaves, its scalars' slots, and the nodes that divide requests."""
    places = {}
    for arg, n in enumerate(graph.leaves):
        d = fuse.layout(n)
        assert d.strides is not None
        places[id(n)] = CellLocation(arg, 0, d.strides, d.big)
    many = max(MANY, 4 * len(graph.order))  # every source takes a piece, every margin another
    slots = {id(n): slot for slot, n in enumerate(graph.scalars)}
    return Site(places, slots, dividing(graph.order, places.keys() | {id(n) for n in stored}), many)


def _lives(buffers: Sequence[Node]) -> list[Life]:
    """Return the life of each stored node: its bytes, and the steps that write it and read it last.

    From the last step back: what a later step reaches, an earlier one need not visit again.
    """
    number = {id(n): i for i, n in enumerate(buffers)}
    last = list(range(len(buffers)))
    seen: set[int] = set()
    for step in range(len(buffers) - 1, -1, -1):
        stack = list(buffers[step].inputs)
        while stack:
            i = stack.pop()
            if id(i) in seen:
                continue
            seen.add(id(i))
            if i.alias is not None and id(i.alias[0]) in number:  # a view may be read where its root lies
                root = number[id(i.alias[0])]
                last[root] = max(last[root], step)
            if id(i) in number:
                last[number[id(i)]] = max(last[number[id(i)]], step)
            elif not fuse.is_stored(i):
                stack.extend(i.inputs)
    return [Life(n.desc.nbytes, i, last[i]) for i, n in enumerate(buffers)]


def _through(life: Life, groups: Sequence[Group]) -> Life:
    """Return a life extended to all of each group of steps that it touches.

    The steps of a group run by turns.
    """
    first, last = life.first, life.last
    for at, stop, _ in groups:
        if first < stop and last >= at:
            first, last = min(first, at), max(last, stop - 1)
    return Life(life.nbytes, first, last)


def plan_store(value: Node, target: Node, graph: Graph) -> Plan | None:
    """Return a plan that writes `value` by one kernel into the memory of `target`, the argument after the leaves.

    None if it takes more than one kernel.
    """
    return _plan_writing(value, [target], graph, lambda v, places, site: map_launch(v, places[0], site))


def plan_scatter(
    value: Node, parts: Sequence[Piece], to: Sequence[int], targets: Sequence[Node], graph: Graph
) -> Plan | None:
    """Return a plan that writes piece i of `value` to the cells that it reads of `targets[to[i]]`.

    None if it takes more than one kernel.
    """

    def writing(v: Node, places: Sequence[CellLocation], site: Site) -> MapLaunch:
        return scatter_launch(v, parts, [places[k] for k in to], site)

    return _plan_writing(value, targets, graph, writing)


def _plan_writing(
    value: Node,
    targets: Sequence[Node],
    graph: Graph,
    writing: Callable[[Node, Sequence[CellLocation], Site], MapLaunch],
) -> Plan | None:
    """Return the plan that `writing` gives for a value and its targets; None if the value takes more than one step."""
    checking = is_checking()
    if checking:
        spec.check([value])
    graph = _simplified(graph, checking)[0]
    (value,) = graph.roots
    if value.op.kind in BARRIERS or fuse.as_call(value) or len(fuse.choose([value], ())) > 1:
        return None
    places = []
    for k, t in enumerate(targets):
        assert t.desc.strides is not None
        places.append(CellLocation(len(graph.leaves) + k, 0, t.desc.strides, t.desc.big))
    try:
        step = writing(value, places, _site(graph, ()))
    except (MustStore, NotAView, TooManyPieces):
        return None
    dtypes = tuple(s.desc.dtype for s in graph.scalars)
    made = Plan(len(graph.leaves) + len(targets), dtypes, (), (step,), ())
    if checking:
        plan_spec.check_plan(made, [fuse.layout(n) for n in (*graph.leaves, *targets)])
    return made
