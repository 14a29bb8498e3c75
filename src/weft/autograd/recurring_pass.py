"""Backward passes that recur: the gradients of a training step by the program of the step before.

The one idea: gradients follow from the structure of the records and the numbers in them.  A pass over records of the
structure of an earlier pass is a graph with holes for what is stored, so its gradients are computed, not built again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from weft.autograd.propagation import propagate
from weft.autograd.record import Accumulator, Known, record_of, recording, with_record
from weft.errors import LinAlgError, MathError, OutOfMemory, OverwrittenError, WeftError
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import number_of_call
from weft.passes.switches import OPEN, switches
from weft.programs.holed_graph import HoledGraph, over
from weft.runtime.compute import engine, stages
from weft.runtime.compute.program import ProgramMemory
from weft.runtime.compute.recurring import RecurringWork
from weft.runtime.compute.signature import STAGED, VALUELESS
from weft.runtime.memory.fingerprints import differs
from weft.tensors.pending_limits import DEEP
from weft.tensors.place import Place, new_place
from weft.tensors.tracing import Trace

Seeds = Sequence[tuple[Node, Node]]  # recorded nodes, each with the gradient of its value
LITTLE = 1 << 20  # bytes of shallow gradients up to which they are computed; of values with handles, too
_SCALAR, _FILE = OPS["scalar"], OPS["file"]
_REFUSED = STAGED.union(VALUELESS, [_FILE, *[op for op in OPS.values() if op.kind == "blocks"]])


class BackwardPass(NamedTuple):
    """A backward pass: its structure (`key`), and what differs between passes of one structure."""

    seeds: Seeds
    wanted: Sequence[Known] | None
    key: tuple[Any, ...]
    numbers: list[Node]  # scalars, in the order of the walk, as are the others
    sources: list[Node]  # stored nodes, and leaves that will be
    leaves: list[Accumulator]
    results: list[Node]  # pending nodes that are computed with the gradients: the roots, and small values with handles

    def gradients(self) -> dict[Known, Node] | None:
        """Return the gradient of each wanted record, or of all leaves, by a program; None if they are to be built.

        The results are attached to their nodes. A deep pass has a program from the first time on, as its gradients
        would be computed anyway.
        """
        programs = engine.current().programs
        known = programs.kept.get(self.key)
        if known is not None:
            known.used = ProgramMemory.made
            found: dict[Known, Node] | None = known.value.gradients(self)
            return found
        if DEEP < 2 * max([y.depth for y, _ in self.seeds]) < ir.WAITING:
            return programs.keep(self.key, KnownPass(self)).gradients(self)
        return None

    def note(self, is_done: bool, gradients: Sequence[Node]) -> None:
        """Note a pass whose gradients were built, so that the next one like it is computed by a program.

        Large gradients that are still pending (`is_done` False) are left to fuse with what is done to them.
        """
        programs = engine.current().programs
        if self.key not in programs.kept and (is_done or sum([n.desc.nbytes for n in gradients]) <= LITTLE):
            programs.keep(self.key, KnownPass(self))


class PassGraph(NamedTuple):
    """The results and gradients of a pass as a graph with holes for its sources, and for the numbers that vary."""

    graph: HoledGraph
    reached: Sequence[int]  # numbers of the leaves, or wanted records, that have gradients

    def __call__(self, given: BackwardPass, numbers: Sequence[Any]) -> Sequence[Node] | None:
        """Return the results and gradients of a pass, computed through all stages."""
        return self.graph.computed(given.sources, numbers)


class PassProgram(NamedTuple):
    """The compiled program of such a graph, without the graph."""

    work: RecurringWork
    descs: Sequence[TensorDescription]
    varying: Sequence[int]
    reached: Sequence[int]

    def __call__(self, given: BackwardPass, numbers: Sequence[Any]) -> Sequence[Node] | None:
        """Return the results and gradients of a pass; None if settings or sources need all stages."""
        values = self.work.run(given.sources, numbers)
        return None if values is None else list(map(ir.stored, self.descs, values))


class KnownPass:
    """Passes of one structure: the numbers of the first, those that varied since, and their program."""

    def __init__(self, first: BackwardPass) -> None:
        self.numbers = _numbers(first)
        self.varying: Sequence[int] = ()
        self.program: PassProgram | None = None
        self.is_hopeless = False  # whether no program serves all such passes

    def gradients(self, given: BackwardPass) -> dict[Known, Node] | None:
        """Return the gradients of a pass of this structure; None if they must be built this time."""
        program = self.program
        varying = self.varying if program is None else program.varying
        changed = {k for k, (a, b) in enumerate(zip(self.numbers, _numbers(given), strict=True)) if a != b}
        if self.is_hopeless or not changed.issubset(varying):
            self.varying, self.program = sorted(changed.union(varying)), None
            return None
        if program is not None:
            return _computed(program, given, varying)
        try:
            graph = graph_of(given, varying)
        except WeftError:  # a rule needs a number that varies
            self.is_hopeless = True
            return None
        found = _computed(graph, given, varying) if graph.graph.roots else None
        work = None if found is None else graph.graph.known()
        self.is_hopeless = work is None
        if work is not None:
            self.program = PassProgram(work, graph.graph.descs, varying, graph.reached)
        return found


def _computed(
    program: PassGraph | PassProgram, given: BackwardPass, varying: Sequence[int]
) -> dict[Known, Node] | None:
    """Return the gradients of a pass, and attach its results to their nodes; None if computing them this way fails."""
    try:
        with recording(False):
            stages.compute([n for n in given.sources if n.value is None and n.alias is None])
            made = program(given, [given.numbers[k].attrs[0] for k in varying])
    except (LinAlgError, MathError, OutOfMemory, OverwrittenError):
        return None  # the usual way leaves the error to the reader of the value
    if made is None:
        return None
    for n, value in zip(given.results, made, strict=False):
        engine.publish(n, value.value)
    order: Sequence[Known] = given.leaves if given.wanted is None else given.wanted
    return {order[k]: g for k, g in zip(program.reached, made[len(given.results) :], strict=True)}


def graph_of(like: BackwardPass, varying: Sequence[int]) -> PassGraph:
    """Return the graph of passes like this one, in which numbers vary. Raises errors of rules that need a number."""
    holes = {n: ir.placeholder(f"source {k}", n.desc) for k, n in enumerate(like.sources)}
    scalars = {}
    for at, n in enumerate([like.numbers[k] for k in varying]):
        scalars[n] = ir.number(number_of_call(n.attrs[0], at, f"number {at}"), n.desc.dtype)
    images = Images(holes | scalars)
    with recording(True):
        for n in walk([n for pair in like.seeds for n in pair], images.below):
            images.add(n)
    made, records = images.made, images.records
    with recording(False):
        wanted = None if like.wanted is None else [records[r] for r in like.wanted if r in records]
        found, _ = propagate([(record_of(made[y]), made[g]) for y, g in like.seeds], wanted)
    order: Sequence[Known] = like.leaves if like.wanted is None else like.wanted
    reached = [k for k, r in enumerate(order) if records.get(r) in found]
    roots = [*[made[n] for n in like.results], *[found[records[order[k]]] for k in reached]]
    for n in walk(roots):
        n.place = None
        if record_of(n) is not None:
            with_record(n, None)
    return PassGraph(HoledGraph(roots, list(holes.values()), list(scalars.values())), reached)


def _numbers(given: BackwardPass) -> list[str]:
    return [repr(n.attrs[0]) for n in given.numbers]


class Images:
    """Nodes that stand for those of a backward pass in a graph with holes, with records like theirs."""

    def __init__(self, holes: dict[Node, Node]) -> None:
        self.holes, self.made = holes, dict[Node, Node]()
        self.records: dict[Known, Known] = {}
        self._places: list[Place] = []  # of the leaves

    def below(self, n: Node) -> Sequence[Node]:
        """Return the nodes whose images an image of n needs."""
        if n not in self.holes:
            return n.inputs
        record = record_of(n)
        return () if record is None else record.inputs

    def add(self, n: Node) -> None:
        """Make the image of a node, after those of the nodes below it."""
        record, made = record_of(n), self.holes.get(n)
        if made is None:
            made = ir.scalar(n.attrs[0], n.desc.dtype) if n.op is _SCALAR else over(n, self._images(n.inputs))
            if record is None:
                with_record(made, None)
        elif isinstance(record, Accumulator):
            if record not in self.records:
                self._places.append(new_place(made))
                self.records[record] = Accumulator(self._places[-1])
            with_record(made, self.records[record])
        elif record is not None:
            again = ir.make(record.op, self._images(record.inputs), record.attrs, record.desc)
            with_record(made, record_of(again))
        if record is not None and not isinstance(record, Accumulator):
            own = self.records[record] = record_of(made)
            own.number = record.number  # so gradients of one value are added in the same order
        self.made[n] = made

    def _images(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        return tuple([self.made[i] for i in nodes])


def find(seeds: Seeds, wanted: Sequence[Known] | None) -> BackwardPass | None:
    """Return the backward pass from `seeds` to `wanted` records, or to all leaves.

    None for passes of traces, over files, devices and checks, and where others have written what the pass reads.
    """
    if not seeds or OPEN or Trace.here() is not None or engine.current().interprets:
        return None
    walked = PassWalk({y for y, _ in seeds})
    if not walked.visit([n for pair in seeds for n in pair]):
        return None
    reached = None if wanted is None else tuple([walked.records.get(r, -1) for r in wanted])
    key = ("gradients", switches(), *walked.key, reached)
    return BackwardPass(seeds, wanted, key, walked.scalars, walked.sources, list(walked.leaves), walked.results)


class PassWalk:
    """A walk over the nodes that a backward pass reads: pending ones, and those that records of stored ones read.

    Each node adds words to the key that say by themselves where they end: a number for a node that was met before, a
    dtype for a scalar, and what `_stored` and `_pending` add.
    """

    def __init__(self, roots: Collection[Node]) -> None:
        self.roots, self.key = roots, list[Any]()
        self.scalars, self.sources, self.results = list[Node](), list[Node](), list[Node]()
        self.leaves: dict[Accumulator, int] = {}
        self.records: dict[Known, int] = {}  # the numbers of the nodes that have them
        self._bases: dict[
            Node, tuple[int, int]
        ] = {}  # of stored roots: their numbers, and offsets of their first views

    def visit(self, nodes: list[Node]) -> bool:
        """Walk over nodes, which are extended by those below them; False if the pass is to be built."""
        numbers: dict[Node, int] = {}
        key, records = self.key, self.records
        for n in nodes:
            if n in numbers:
                key.append(numbers[n])
                continue
            numbers[n] = number = len(numbers)
            record = None
            if n.traits is not None:
                if n.traits.device is not None:
                    return False
                record = n.traits.record
                if record is not None and records.setdefault(record, number) != number and not record.is_leaf:
                    return False
            root = n if n.alias is None else n.alias[0]
            if n.op is _SCALAR and n.value is None:
                key.append(n.desc.dtype)
                self.scalars.append(n)
                continue
            below = (
                self._stored(n, root, record)
                if root.value is not None or _is_leaf(record)
                else self._pending(n, record)
            )
            if below is None:
                return False
            nodes += below
        return True

    def _stored(self, n: Node, root: Node, record: Known | None) -> Sequence[Node] | None:
        """Note a stored node, or a leaf that will be; return the nodes that its record read. None if it is refused."""
        if root.op is _FILE or (root.fingerprint is not None and differs(root)):
            return None
        offset = 0 if n.alias is None else n.alias[1]
        k, base = self._bases.setdefault(root, (len(self._bases), offset))
        self.key += (n.desc, k, offset - base)
        self.sources.append(n)
        if record is None or isinstance(record, Accumulator):
            self.key.append(None if record is None else -1 - self.leaves.setdefault(record, len(self.leaves)))
            return ()
        self.key += (record.op, record.attrs, len(record.inputs))
        return None if record.op in _REFUSED else record.inputs

    def _pending(self, n: Node, record: Known | None) -> Sequence[Node] | None:
        """Note a pending node; return its inputs. None if it is refused."""
        if n.op in _REFUSED or n.value is not None or (record is not None and record.inputs is not n.inputs):
            return None
        is_live = n.place is not None and (place := n.place()) is not None and place.node is n
        is_result = n.alias is None and (n in self.roots or (is_live and n.desc.nbytes <= LITTLE))
        if is_result:
            self.results.append(n)
        self.key += (n.op, n.attrs, n.desc, len(n.inputs), record is None, is_result)
        return n.inputs


def _is_leaf(record: Known | None) -> bool:
    return record is not None and record.is_leaf
