"""Rewrites that leave out work and change no bit: named rules applied to a graph before it is planned.

The one idea: a rule holds for every input (-0, infinities and NaN included) and looks only at facts that are part of a
plan's key: structure, attributes, descriptions, a few numbers, which views of memory are neighbours.  Nodes are
rewritten from the sources up, then reductions and scans are narrowed to the cells that are read.  A root, or a node
with a handle, is a value of its own: it may be another pending node only if no other root or handle has that node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from weft.ir.atoms.table import AFFINE
from weft.ir.graph.node import Node, copied, mark_replacement
from weft.ir.graph.ops import BARRIERS, CELLWISE, OPS, SCANS, SORTS
from weft.passes.draft import Draft
from weft.passes.fuse import below, is_stored
from weft.passes.narrowing.needs import needs
from weft.passes.narrowing.prune import certificate, narrowed
from weft.passes.simplify import reduction_rules, selection_rules, value_rules
from weft.passes.simplify.rule import Applied, Context, Costs, Rule, have_equal_description
from weft.passes.switches import OPEN, enabled
from weft.passes.views import rebuilt, with_inputs

_COPY = OPS["positive"]
MAX_APPLIED = (
    10_000  # rules used on one graph, and four for each node: every use leaves less to do, so this is never met
)


def _by_request(n: Node, context: Context) -> None:
    """Return None: the rule that this stands for applies to the whole graph (see `Rewriter.narrow`), not to a node."""


REQUESTED = (  # by what is asked of a node
    Rule("part of a reduction", reduction_rules.REDUCTIONS, "sum(x, axis=0)[a:b] = sum(x[:, a:b], axis=0)",
         _by_request, "moved"),
    Rule("part of a scan", tuple(SCANS), "cumulative_sum(x)[:k] = cumulative_sum(x[:k])",
         _by_request, "moved"),
    Rule("never read", (*reduction_rules.REDUCTIONS, *SCANS, "matmul", *sorted(SORTS),
         "searchsorted", "map_blocks"), "concat(sum(x), y)[k:] does not compute sum(x)", _by_request, "moved"),
    Rule("part of blocks", ("map_blocks",), "map_blocks(f, x)[a:b] = map_blocks(f, x[a:b])", _by_request, "moved"),
    Rule("part of a sort", tuple(sorted(SORTS)), "sort(x)[a:b] does not put other cells in order", _by_request,
         "moved"),
)  # fmt: skip
_BY_NEED = {  # places in REQUESTED, by op, else by kind
    "reduce": 0, "scan": 1, "bins": 2, "call": 2, "blocks": 3, **dict.fromkeys(SORTS, 4),
}  # fmt: skip
RULES = (*value_rules.RULES, *value_rules.NUMBER_RULES, *selection_rules.RULES, *reduction_rules.RULES)
TWICE = Rule("computed once", (*REQUESTED[2].ops, "gather"), "equal expressions are one", _by_request)
_SHARED = frozenset(TWICE.ops)
TABLE = (*RULES, TWICE, *REQUESTED)
NAMES = tuple([r.name for r in TABLE])
EQUATIONS = {r.name: r.says for r in TABLE}


@cache
def rules_over(op: str, below: str) -> tuple[Rule, ...]:
    """Return the rules for nodes of op `op` whose first input is of op `below`."""
    return tuple([r for r in RULES if op in r.ops and (not r.over or below in r.over)])


@dataclass(slots=True)
class Simplified:
    """A graph in its simpler form: roots, live nodes, the user's nodes they stand for, and the rules used."""

    roots: list[Node]
    live: frozenset[int]
    stands_for: dict[int, Node]
    nodes: Sequence[Node]  # all below the roots, inputs first
    applied: list[Applied] = field(default_factory=list)
    costs: Costs = field(default_factory=Costs)


def simplify(draft: Draft) -> Simplified:
    """Return the graph of a draft with the rules applied."""
    rewriter = Rewriter(draft)
    if draft.equal and enabled(TWICE.name):
        rewriter.join_numbers(draft.equal)
    rewriter.run()
    return rewriter.narrow(rewriter.result())


class Rewriter:
    """The rewriting of one graph; `image` maps the id of every visited node to its replacement."""

    def __init__(self, draft: Draft) -> None:
        self.roots, self.nodes, self.live, self.held = draft.roots, draft.nodes, draft.live, draft.held
        self.image: dict[int, Node] = {}
        self.stands_for: dict[int, Node] = {}
        self.applied: list[Applied] = []
        self.values: dict[tuple[object, ...], Node] = {}  # one node of every expression
        self.numbers: dict[int, int] = {}
        self.most = MAX_APPLIED + 4 * len(self.nodes)
        self.own = self.held | {id(r) for r in self.roots}  # values that must stay values of their own
        self.shares = not _SHARED.isdisjoint([n.op.name for n in self.nodes])  # no rule makes such nodes of others
        self.context = Context(key_scalars=draft.key_scalars, joins=dict(draft.joins))
        self._count_readers()

    def _count_readers(self) -> None:
        """Store in the context the readers of each node, the stored nodes, and the nodes that only selections read."""
        c = self.context
        affine: dict[int, bool] = {}
        for n in self.nodes:
            if n.value is not None or (n.alias is not None and is_stored(n)):
                c.leaves.add(id(n))
                continue
            routed = n.op.name in AFFINE
            for i in n.inputs:
                c.readers[id(i)] = c.readers.get(id(i), 0) + 1
                affine[id(i)] = routed
        c.leaves |= {id(p) for join in c.joins.values() for p in (join, *join.inputs) if is_stored(p)}
        c.fixed |= self.own
        c.inner |= {key for key, by in affine.items() if by and c.readers[key] == 1 and key not in self.own}

    def join_numbers(self, equal_scalars: Mapping[int, Node]) -> None:
        """Replace scalars that are the same number by one scalar, so that equal expressions are shared.

        `equal_scalars` has the scalar to take, by the id of the scalar replaced.
        """
        for n in self.nodes:
            if id(n) in equal_scalars and id(n) not in self.own:
                self.image[id(n)] = equal_scalars[id(n)]
                self.applied.append(Applied(TWICE.name, n, equal_scalars[id(n)]))
        self.shares = True

    # ---- from the sources up

    def run(self) -> None:
        """Set the image of every node, inputs first, and of the nodes that rules return; without recursion."""
        pending: list[tuple[Node, tuple[Rule, Node, Node] | None]] = [(n, None) for n in reversed(self.nodes)]
        while pending:
            n, use = pending.pop()
            if use is not None:
                self._settle(n, *use)
            elif id(n) in self.context.leaves:
                self._set_image(n, n)
            elif id(n) not in self.image:
                waiting = [] if is_stored(n) else [i for i in n.inputs if id(i) not in self.image]
                if waiting:
                    pending.append((n, None))
                    pending.extend([(i, None) for i in reversed(waiting)])
                    continue
                made = self._over_images(n)
                found = self._step(made, n)
                if found is None:
                    self._set_image(n, self._shared_node(made, n) if self.shares else made)
                else:
                    self.context.kept.append(found[1])
                    pending.append((n, (found[0], made, found[1])))
                    pending.append((found[1], None))

    def _over_images(self, n: Node) -> Node:
        """Return a node over the images of its inputs, with the context's facts about n copied to it."""
        inputs = tuple([self.image.get(id(i), i) for i in n.inputs])
        if inputs == n.inputs:
            return n
        made, c = with_inputs(n, inputs), self.context
        c.kept.append(made)
        for known in (c.fixed, c.inner):
            if id(n) in known:
                known.add(id(made))
        c.readers[id(made)] = c.readers.get(id(n), 1)
        if id(n) in c.joins:
            c.joins[id(made)] = c.joins[id(n)]
        return made

    def _step(self, made: Node, n: Node) -> tuple[Rule, Node] | None:
        """Return (rule, replacement) for the first rule that applies to `made`; None if none does.

        `made` is node n over the images of its inputs.
        """
        if not made.inputs or (made.alias is not None and is_stored(made)) or len(self.applied) >= self.most:
            return None
        key_scalars = self.context.key_scalars
        for rule in rules_over(made.op.name, made.inputs[0].op.name):
            if (rule.reads_numbers and not key_scalars) or (OPEN and not enabled(rule.name)):
                continue
            found = rule.rewrite(made, self.context)
            if (
                found is not None
                and found is not made
                and have_equal_description(found, n)
                and self._saves(rule, made, found)
            ):
                if found.code is None:
                    mark_replacement(found, made)
                return rule, found
        return None

    def _saves(self, rule: Rule, before: Node, after: Node) -> bool:
        """True if a use of a rule lowers the cost that the rule names."""
        if not rule.saves:
            return True
        self.context.kept.extend([before, after])
        a, b = self.context.costs.of([after]), self.context.costs.of([before])
        return a.paid < b.paid and (rule.saves == "paid" or a.moved < b.moved)

    def _settle(self, n: Node, rule: Rule, made: Node, rewritten: Node) -> None:
        """Set the image of n to `rewritten`, its form after `rule`.

        If a root or handle needs a value of its own, the image is a copy, or `made`, n before the rule.
        """
        result = self.image[id(rewritten)]
        if id(n) in self.own and made.op is _COPY and result.alias is not None:
            self._set_image(n, made)
            return
        if id(n) in self.own and (is_stored(result) or self._stands_for_value(result)):
            copy = copied(result)
            if made.op is _COPY or not self._saves(rule, made, copy):
                self._set_image(n, made)
                return
            result = copy
        self.applied.append(Applied(rule.name, made, rewritten))
        readers = self.context.readers
        readers[id(result)] = readers.get(id(result), 0) + readers.get(id(n), 1)
        self._set_image(n, result)

    def _set_image(self, n: Node, made: Node) -> None:
        """Set `made` as the image of n, and as the value of n if a root or handle holds n."""
        c = self.context
        self.image[id(n)] = self.image[id(made)] = made
        c.kept.append(made)
        if id(n) in self.own:
            self.stands_for[id(made)] = n
            c.fixed.add(id(made))
        elif id(n) in self.live and not is_stored(made):  # kept if it is stored on the way
            self.stands_for.setdefault(id(made), n)

    def _stands_for_value(self, n: Node) -> bool:
        """True if a node already stands for a root, or for a value with a handle."""
        known = self.stands_for.get(id(n))
        return known is not None and id(known) in self.own

    def _shared_node(self, made: Node, n: Node) -> Node:
        """Return a node equal to `made` that was seen earlier, or `made` itself.

        It is `made` if there is none, if nodes of this op are not shared, or if n must be a value of its own.
        """
        if made.op.kind == "source" or (made.alias is not None and is_stored(made)):
            return made
        inputs = tuple([self.numbers.get(id(i), id(i)) for i in made.inputs])
        key = (made.op, made.attrs, made.desc, inputs)
        first = self.values.setdefault(key, made)
        self.numbers[id(made)] = id(first)
        if (
            first is made
            or id(n) in self.own
            or not (made.op.kind in (*CELLWISE, "selection") or made.op.name in _SHARED)
            or not enabled(TWICE.name)
        ):
            return made
        self.applied.append(Applied(TWICE.name, made, first))
        return first

    def result(self) -> Simplified:
        """Return the rewritten graph, with the rules used so far."""
        roots = [self.image[id(r)] for r in self.roots]
        live = frozenset([key for key, n in self.stands_for.items() if id(n) in self.live])
        nodes = below(roots) if self.applied else self.nodes
        return Simplified(roots, live, self.stands_for, nodes, self.applied, self.context.costs)

    # ---- by what is asked for

    def narrow(self, before: Simplified) -> Simplified:
        """Return the graph with reductions and scans restricted to the cells that are read."""
        held = {key for key, n in before.stands_for.items() if id(n) in self.held and n.op.kind != "blocks"}
        wanted = {id(r) for r in before.roots} | held
        nodes = before.nodes
        if all(n.op.kind not in BARRIERS or id(n) in wanted or is_stored(n) for n in nodes):
            return before
        found = needs([n for n in nodes if id(n) in wanted])
        image: dict[int, Node] = {}
        used, in_part = len(self.applied), set()
        for n in nodes:
            made = n if is_stored(n) else rebuilt(n, tuple([image[id(i)] for i in n.inputs]))
            if not is_stored(n) and n.op.kind in BARRIERS and id(n) not in wanted:
                need = found.get(id(n))
                rule = REQUESTED[2] if need is None else REQUESTED[_BY_NEED.get(n.op.name, _BY_NEED[n.op.kind])]
                less = narrowed(n, made, need) if enabled(rule.name) else None
                if less is not None:
                    self.applied.append(Applied(rule.name, *certificate(n, less, need)))
                    made = less
                    in_part.add(id(n))
            image[id(n)] = made
        if len(self.applied) == used:
            return before
        # From here on a narrowed node has only its requested cells right, so it is no value that a handle may get.
        asked = {key for key, need in found.items() if need.box.size == need.node.desc.shape}
        whole = wanted | asked - in_part
        stands_for = {id(image[id(n)]): before.stands_for[id(n)] for n in nodes if id(n) in before.stands_for}
        live = frozenset([id(image[key]) for key in before.live if key in whole and key in image])
        roots = [image[id(r)] for r in before.roots]
        return Simplified(roots, live, stands_for, below(roots), self.applied, before.costs)
