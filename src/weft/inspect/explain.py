"""Explanations of a computation before it runs.

The one idea: the plan is data, so an explanation only reads it: the expression as written, each rule that changed it
with its cost before and after, the boxes of the kernels, and the bytes to be read from every source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from weft.api.arguments import as_tensor
from weft.errors import ArgumentError
from weft.inspect.labels import names_in_plan
from weft.inspect.report import Explanation, NodeLine, RuleUse, SweepLine
from weft.ir.graph import graph_text as text
from weft.ir.graph.node import Node, label_of, line_of, stored, walk
from weft.ir.kernels.plan import CallStep, Plan
from weft.ir.kernels.plan_text import first_lines, memory_plan, row_bytes, show_plan, step_text
from weft.passes.draft import Draft
from weft.passes.fuse import is_stored, layout
from weft.passes.simplify.rewriting import EQUATIONS, Simplified, simplify
from weft.passes.switches import enabled
from weft.passes.views import replaced
from weft.runtime.compute import stages
from weft.runtime.compute.engine import SourceRead
from weft.runtime.compute.field_reads import SHARE
from weft.runtime.compute.footprint import Touch, joined, touch, touched
from weft.runtime.compute.signature import Work
from weft.runtime.devices import placement
from weft.sources.read.address_space import stand_in_array
from weft.sources.read.extents import bytes_in, extents_of
from weft.sources.read.fetching import fetches_of
from weft.sources.stream.forecast import Consumers, planned
from weft.sources.stream.remote_executor import TaskShare
from weft.sources.stream.rounds import are_needed
from weft.sources.stream.scratch_chunks import ScratchSweep
from weft.sources.stream.sweep import Sweep
from weft.sources.stream.units import ReadUnit
from weft.sources.write.save import planned_save
from weft.tensors.tensor import Tensor, node_of

RANGES = 1 << 20  # most byte ranges of a source that are listed
COSTED = 200  # rules whose cost is computed one by one


def explain(*tensors: Tensor, path: Any = None, memory: int | str | None = None, **options: Any) -> Explanation:
    """Return how tensors would be computed now: expression, rules applied, pieces, kernels, calls, and sources.

    With `path`, return how `weft.save(path, x, memory=memory, **options)` would write one tensor, without writing it.
    Raises ArgumentError for options without `path`, or for `path` with several tensors, and the errors of `save` for
    its options.

    >>> import weft
    >>> x = weft.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> e = weft.explain((x * 2).sum())
    >>> e.kernels, e.bytes_read, e.temporary_bytes
    (1, 48, 0)
    >>> e = weft.explain(x.sum(axis=0)[:1])
    >>> [(r.name, r.before, r.after) for r in e.rules], [(s.bytes, s.ranges) for s in e.sources]
    ([('part of a reduction', 80, 32)], [(16, ((0, 8), (24, 32)))])
    """
    if path is None:
        if options or memory is not None:
            given = ", ".join([*options, *(["memory"] if memory is not None else [])])
            raise ArgumentError(f"explain: {given} without path; they are those of a save; give path= too")
        return _explained([node_of(as_tensor(t)) for t in tensors], None)
    if len(tensors) != 1:
        raise ArgumentError(f"explain: {len(tensors)} tensors with path; a save of one is explained; give one")
    with planned_save(path, tensors[0], memory, options) as (node, values):
        return _explained([node], values)


def _explained(roots: list[Node], consumers_of: Consumers | None) -> Explanation:
    """Return the explanation of how the nodes `roots` are computed; with `consumers_of`, also how these are written."""
    nodes = [n for n in roots if not is_stored(n)]
    tree = _tree(roots)
    head = ["expression", *[f"  {n.text}" + (f"    # {n.where}" if n.where else "") for n in tree]]
    if not nodes:
        sources = _memory(None, roots)
        head += ["already stored: nothing to compute", *_source_lines(sources)]
        return Explanation("\n".join(head), 0, 0, 0, 0, 0, 0, 0, sources=tuple(sources), tree=tuple(tree))
    nodes = replaced(nodes, _unread)
    moves, nodes = placement.planned_transfers(nodes)
    work = stages.planned_work(nodes)
    draft, made, forced = work.draft(), work.program.plan, work.program.forced
    simpler = _simplified(draft)
    rules = _rules(simpler)
    lines = head + _rule_lines(rules, draft, simpler)
    names = names_in_plan(work.draft())
    steps = [step_text(step, made, names) for step in made.steps]
    lines += ["plan", *[f"  {line}" for line in (*forced, *_field_lines(work, roots))]]
    lines += [show_plan(made, names)]
    sources = [*_memory((draft, made), roots), *_files(work, roots)]
    lines += _source_lines(sources)
    sweeps, shares = _sweeps(work, nodes, consumers_of)
    if sweeps:
        lines += ["tiles", *[f"  {s}" for s in sweeps], f"  {_in_all(sweeps)}"]
    if shares:
        lines += ["workers", *[f"  {s}" for s in shares]]
    if moves:
        lines += ["transfers", *first_lines([f"  {m.bytes} bytes from {m.source} to {m.target}" for m in moves])]
    facts: dict[str, Any] = {
        "rules": tuple(rules),
        "sources": tuple(sources),
        "stored_first": tuple(forced),
        "tree": tuple(tree),
    }
    e = Explanation("", *_counts(made), **facts, plan=tuple(steps), moves=moves, sweeps=sweeps, shares=shares)
    lines.append(
        f"total: {e.pieces} pieces, {e.kernels} kernels, {e.calls} calls, {e.bytes_read} bytes read, {e.bytes_stored} "
        f"bytes stored, {e.temporary_bytes} bytes of temporaries, peak {e.peak_bytes} bytes"
    )
    return replace(e, text="\n".join(lines))


def _sweeps(
    work: Work, nodes: Sequence[Node], consumers_of: Consumers | None
) -> tuple[tuple[SweepLine, ...], tuple[TaskShare, ...]]:
    """Return the tiled computations that `work` on `nodes` needs here, and the shares of other processes.

    They are told as far as they are known before any file is read, and include those of `consumers_of`, if given.
    """
    if consumers_of is None and (not work.sources or not are_needed(work)):
        return (), ()
    known: dict[tuple[int, tuple[ReadUnit, ...]], int] = {}
    lines = list[SweepLine]()
    shares = planned(nodes, lambda sweep: lines.append(_sweep_line(len(lines) + 1, sweep, known)), consumers_of)
    return tuple(lines), tuple(shares)


def _in_all(sweeps: Sequence[SweepLine]) -> str:
    """Return the totals of all tiled computations as a line of text."""
    chunks, read, scratch = (sum([getattr(s, name) for s in sweeps]) for name in ("reads", "read", "scratch"))
    walks = f"{len(sweeps)} walk" + "s" * (len(sweeps) != 1)
    peak = max([s.peak for s in sweeps])
    return f"in all: {walks}, {chunks} chunks decoded, {read} bytes read, {scratch} bytes of scratch, peak {peak} bytes"


def _sweep_line(number: int, sweep: Sweep[Any], known: dict[tuple[int, tuple[ReadUnit, ...]], int]) -> SweepLine:
    what = ", ".join([t.what or ", ".join(map(_name, t.values or t.roots)) for t in sweep.consumers])
    tiles, held = sweep.steps.boxes, {u for step in sweep.steps.units for u in step.read}
    scratch = sum([t.scratch(tiles) for t in sweep.consumers])
    if isinstance(sweep, ScratchSweep):
        reads = [u for copy in sweep.copies for u in copy.units.values()]
        copied = sum([copy.nbytes * len(copy.units) for copy in sweep.copies])
        what, scratch = f"{what}, over {copied} bytes of chunks decoded to scratch", scratch + sweep.scratch
    else:
        reads = [u for step in sweep.steps.units for u in step.decoded]
        scratch += max([step.scratch for step in sweep.steps.units if step.again], default=0)
    _, work = sweep.taken(sweep.tiling)
    peak = min(sweep.room, sum([u.nbytes for u in held])) + 2 * work
    chunks, different = (sum([u.chunks for u in units]) for units in (reads, set(reads)))
    decoded, size = sum([u.nbytes for u in reads]), sweep.tiling.size
    read = _file_bytes(reads, known)
    return SweepLine(number, what, size, len(tiles), chunks, different, decoded, peak, sweep.limit, read, scratch)


def _name(n: Node) -> str:
    return n.op.name if n.value is None else "write"


def _file_bytes(reads: Sequence[ReadUnit], known: dict[tuple[int, tuple[ReadUnit, ...]], int]) -> int:
    """Return the approximate bytes to read from files for the read units `reads`, which may repeat.

    `known` caches the bytes by source and units.
    """
    found = 0
    for source in {id(u.source): u.source for u in reads}.values():
        units = [u for u in reads if u.source is source]
        once = tuple(dict.fromkeys(units))
        if not hasattr(source, "fetched"):  # a source without chunks
            found += sum([u.nbytes for u in units])
            continue
        if (id(source), once) not in known:
            known[id(source), once] = source.fetched([u.box for u in once]).bytes
        found += known[id(source), once] * sum([u.nbytes for u in units]) // max(1, sum([u.nbytes for u in once]))
    return found


def _unread(n: Node) -> Node | None:
    """Return a stored node with memory that is never read in place of a placeholder `n`; None for other nodes."""
    if n.op.name != "placeholder":
        return None
    made = stored(n.desc, stand_in_array(n.desc.dtype.np, n.desc.shape, n.attrs[0]))
    made.traits = n.traits
    return made


def _tree(roots: list[Node]) -> list[NodeLine]:
    """Return a line for every node below the roots, each after its inputs."""
    numbers: dict[int, int] = {}
    lines = []
    for n in walk(roots):
        k = numbers[id(n)] = len(numbers)
        is_there = n.value is not None and n.op.name != "file"
        inputs = ", ".join(f"%{numbers[id(i)]}" for i in n.inputs) if not is_there else ""
        attrs = f" {n.attrs}" if n.attrs and not is_there else ""
        name = "stored" if is_there else n.op.name
        facts = f"{text.description(n.desc)}{_place(n)}{text.label_text(label_of(n))}"
        lines.append(NodeLine(k, f"%{k} = {name}({inputs}){attrs} {facts}", line_of(n)))
    return lines


def _field_lines(work: Work, roots: Sequence[Node]) -> list[str]:
    """Return lines about random and other generated tensors: which are generated again, which are stored."""
    numbers = {id(n): f"%{k} " for k, n in enumerate(walk(roots))}

    def said(n: Node, what: str) -> str:
        return f"{what}: {numbers.get(id(n), '')}{n.op.name} {text.description(n.desc)}"

    later = f"generators give it again; a later program may keep it within 1/{SHARE} of the memory limit"
    passed = [f"{said(n, 'not stored')}: {later}" for n in work.first_reads]
    return passed + [f"{said(n, 'kept')}: a program has read it before" for n in work.repeated_reads]


def _place(n: Node) -> str:
    return "" if n.traits is None or n.traits.device is None else f" on {n.traits.device}"


# ---- rules


def _simplified(draft: Draft) -> Simplified | None:
    return simplify(draft) if enabled("simplify") else None


def _rules(simpler: Simplified | None) -> list[RuleUse]:
    """Return the applied rules, with the bytes that the changed part reads and stores before and after each."""
    if simpler is None:
        return []
    out = []
    for k, a in enumerate(simpler.applied):
        before, after = (simpler.costs.of([n]).moved if k < COSTED else 0 for n in (a.before, a.after))
        out.append(RuleUse(a.name, before, after, EQUATIONS[a.name], line_of(a.before)))
    return out


def _rule_lines(rules: Sequence[RuleUse], draft: Draft, simpler: Simplified | None) -> list[str]:
    if simpler is None or not rules:
        return []
    before, after = (simpler.costs.of(roots).moved for roots in (draft.roots, simpler.roots))
    lines, at = [], 0
    while at < len(rules):  # repeated uses of a rule with the same effect are one line
        r, stop = rules[at], at + 1
        while stop < len(rules) and rules[stop] == r:
            stop += 1
        times = f" ({stop - at} times)" if stop - at > 1 else ""
        lines.append(f"  {r.name}{times}: {r.before} -> {r.after} bytes; {r.says}")
        at = stop
    return [f"rules: {before} -> {after} bytes read and stored", *first_lines(lines)]


# ---- sources


def _memory(planned: tuple[Draft, Plan] | None, roots: Sequence[Node]) -> list[SourceRead]:
    """Return the bytes that a plan reads of each stored value below the roots.

    If `planned` is None, nothing is to be computed: the roots themselves are stored, and are read as a whole.
    """
    touches: dict[int, list[Touch]] = {}

    def note(leaf: Node, found: Sequence[Touch | None] | None) -> None:
        root, offset = leaf.alias if leaf.alias is not None and leaf.alias[0].value is not None else (leaf, 0)
        if found is None:  # what is read depends on values
            found = [touch(-offset, layout(root).strides or (), root.desc.shape, root.desc.dtype.itemsize)]
        touches.setdefault(id(root), []).extend([t.moved(offset) for t in found if t is not None])

    for arg, leaf in enumerate(planned[0].leaves if planned is not None else ()):
        assert planned is not None
        note(leaf, touched(planned[1], arg))
    for r in roots:
        if is_stored(r):
            note(r, [touch(0, layout(r).strides or (), r.desc.shape, r.desc.dtype.itemsize)])
    return [
        _given(f"%{k}", joined(touches.get(id(n), ())))
        for k, n in enumerate(walk(roots))
        if n.value is not None and n.op.name != "file"
    ]


def _files(work: Work, roots: Sequence[Node]) -> list[SourceRead]:
    """Return the read of every file below the roots; a file that is not needed has 0 bytes."""
    found = [fetch.account() for _, fetch in fetches_of(work)]
    names = {s.name for s in found}
    below = [n.attrs[0].name for n in walk(roots) if n.op.name == "file"]
    nothing = np.empty((0, 2), np.int64)
    return [*found, *[SourceRead(name, 0, 0, nothing) for name in dict.fromkeys(below) if name not in names]]


def _given(name: str, touches: Sequence[Touch]) -> SourceRead:
    """Return the bytes touched by some reads of memory, and their ranges, as a SourceRead called `name`."""
    extents = extents_of(touches, max_ranges=RANGES)
    nbytes = bytes_in(extents)
    most = sum([len(t.offsets) * t.itemsize * prod([n for _, n in t.axes]) for t in touches])
    return SourceRead(name, min(nbytes, most), len(extents), extents)


def _source_lines(sources: Sequence[SourceRead]) -> list[str]:
    if not sources:
        return []
    used = [s for s in sources if s.bytes or s.kept]
    lines = []
    for s in used:
        ranges = ", ".join([f"{first}:{end}" for first, end in s.extents[:3].tolist()])
        more = f" and {len(s.extents) - 3} more" if len(s.extents) > 3 else ""
        reads = f"{s.reads} read" + "s" * (s.reads != 1)
        kept = f"; {s.kept} chunk{'s' * (s.kept != 1)} decoded before" if s.kept else ""
        kept += "".join([f"\n    {nbytes} bytes from {address}" for address, nbytes in s.links])
        lines.append(f"  {s.name}: {s.bytes} bytes in {reads}" + (f", at {ranges}{more}" if ranges else "") + kept)
    untouched = len(sources) - len(used)
    return ["sources", *first_lines(lines), *([f"  {untouched} not touched"] if untouched else [])]


# ---- totals


def _counts(plan: Plan) -> tuple[int, int, int, int, int, int, int]:
    """Return the pieces, kernels and calls of a plan, and its bytes read, stored, in temporaries and at most."""
    rows = [r for s in plan.steps if not isinstance(s, CallStep) for r in s.rows]
    calls = [s for s in plan.steps if isinstance(s, CallStep)]
    given = [prod(shape) * o.dtype.itemsize for s in calls for shape, o in zip(s.shapes, s.args, strict=True)]
    stored = sum([prod(b.shape) * b.dtype.itemsize for b in plan.buffers if b.arena != -2])
    memory, read = memory_plan(plan), sum(map(row_bytes, rows)) + sum(given)
    return len(rows), len(plan.steps) - len(calls), len(calls), read, stored, memory.arena, memory.peak
