"""From pending nodes to their cells: the stages that all work passes, in order.

The one idea: a stage is a function of one `Work` record.  Stages that few programs need (checks, placement, sources)
are enabled at the first use of their feature, and a compiled program tells which of the others can be skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum
from operator import setitem
from typing import Any, ClassVar

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import LinAlgError, OutOfMemory
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import WAITING, Node, line_of, walk
from weft.ir.graph.ops import OPS, Op
from weft.ir.kernels.plan import Plan
from weft.ir.pieces.normal_form import Piece
from weft.passes.pipeline import anchored_root, plan, plan_scatter, plan_store
from weft.passes.switches import OPEN, switches
from weft.runtime.compute import engine, field_reads, profile
from weft.runtime.compute.engine import GRAPH, publish
from weft.runtime.compute.first_runs import suits_reference
from weft.runtime.compute.program import Program, ProgramMemory
from weft.runtime.compute.shared_values import shared_below
from weft.runtime.compute.signature import AT_ONCE, FEW, STAGED, Work, argument, key_of_numbers, read, read_few
from weft.runtime.memory.access import SMALL, WRITERS, pinned, strided_array, write_alone
from weft.runtime.memory.allocator import trim_memory
from weft.runtime.memory.fingerprints import compare, differs
from weft.runtime.references import LooseSet

_BROADCAST, _LEAF, _SCALAR = OPS["broadcast_to"], OPS["leaf"], OPS["scalar"]


class Verdict(Enum):
    """The outcome of a stage: the work is done (DONE), or starts again at the first stage (AGAIN)."""

    AGAIN = "from the first stage: what was read has changed"
    DONE = "no further: all values are there"


AGAIN, DONE = Verdict.AGAIN, Verdict.DONE
Stage = Callable[[Work], Verdict | None]
TRIMMED_READ = 16 << 20  # bytes read from files beyond which free memory goes back to the system after the work
_MOST = dt.float_limits(dt.float32).max
_INTERPRETED = Program(Plan(0, (), (), (), ()), (), False)  # of work that a transformer interprets, without a plan


# ---- calls from other modules


class UnreadWork(Work):
    """Work whose values are not read yet, so that they may stay with the workers that compute them."""

    __slots__ = ()


def compute(nodes: Sequence[Node], kind: type[Work] = Work) -> None:
    """Compute and attach the values of nodes that are not stored yet, sharing work between them.

    With `kind` UnreadWork, values may stay with the processes that compute them. Raises MathError for a failed check,
    LinAlgError, FileFormatError, OverwrittenError or OutOfMemory if the work fails, TracingError or ValueRangeError for
    a placeholder.
    """
    try:
        if len(nodes) == 1:
            n = nodes[0]
            if n.value is not None:
                return
            size = n.depth
            if FEW < size < WAITING:
                size, shared = shared_below(n)
                if shared and _is_computed_with(n, shared, size, kind):
                    return
            if size <= AT_ONCE and _is_computed_now(nodes):
                return
        else:
            nodes = list({id(n): n for n in nodes if n.value is None}.values())
            if nodes and all(n.depth <= FEW and n.alias is None for n in nodes) and _is_computed_now(nodes):
                return
        if nodes:
            if UNSURE.refs:  # without a call of Python's
                _inherit_doubt(nodes)
            perform(kind(nodes))
    except LinAlgError as error:
        _blame(error, nodes)
        raise


def made_of_numbers(op: Op, desc: TensorDescription, dtypes: Sequence[DType], numbers: Sequence[Any]) -> Any:
    """Return an operation on numbers as a Python number. None if its program is not known, or depends on the numbers.

    `desc` describes the result, `dtypes` are those of the numbers.
    """
    key = key_of_numbers(op, desc, dtypes, numbers)
    known = None if key is None else engine.current().programs.kept.get(key)
    made = None if known is None else made_at_once(known.value, (), numbers, WRITERS.epoch)
    if made is None:
        return None
    known.used = ProgramMemory.made
    return made[0].item()


def store(value: Node, target: Node) -> None:
    """Compute `value` into the memory of the stored node `target`, which `value` must not read.

    Raises the errors of `compute`.
    """
    if not _is_copied(value, target):
        perform(Work((value,), (target,)))


def _is_computed_with(n: Node, shared: Sequence[Node], size: int, kind: type[Work]) -> bool:
    """Compute a node and what others read of the `size` nodes below. False if that takes more than the node alone may.

    Only the others may need an operand that a routine refuses, or so much memory. Raises the other errors of `compute`.
    """
    nodes = (n, *shared)
    try:
        if size > AT_ONCE or not _is_computed_now(nodes):
            perform(kind(nodes))
    except (LinAlgError, OutOfMemory):
        return False
    return True


def _is_computed_now(nodes: Sequence[Node]) -> bool:
    """Compute few nodes at once if their program is known; True if they were computed.

    Raises OverwrittenError if others wrote their operands.
    """
    epoch, n = WRITERS.epoch, nodes[0]
    inputs = n.inputs
    if n.traits is not None or n.alias is not None or OPEN or n.op in STAGED:
        return False
    if len(inputs) == 2 and len(nodes) == 1 and (a := inputs[0]).op is _LEAF is (b := inputs[1]).op and a is not b:
        if (a.fingerprint or b.fingerprint) and (differs(a) or differs(b)):
            return False
        key, arguments, numbers = (switches(), n.op, n.attrs, n.desc, 2, a.desc, b.desc), (a.value, 0, b.value, 0), ()
        order = ()
    else:
        with GRAPH:
            found = read_few(nodes)
        if found is None:
            return False
        key, arguments, numbers, order = found  # type: ignore[assignment]
    known = engine.current().programs.kept.get(key)
    if known is None or (values := made_at_once(known.value, arguments, numbers, epoch)) is None:
        return False
    known.used = ProgramMemory.made
    publish(n, values[0])
    if len(values) > 1:
        for made, value in zip(nodes[1:], values[1:], strict=False):
            publish(made, value)
        if len(values) > len(nodes):
            keep_live(known.value, order, values)
    return True


def _is_copied(value: Node, target: Node) -> bool:
    """Copy a number into few cells of `target` without a program; True if it was copied."""
    epoch, desc = WRITERS.epoch, target.desc
    if value.op is _BROADCAST:
        value = value.inputs[0]  # NumPy repeats it
    if value.op is not _SCALAR or value.traits is not None or target.traits is not None or OPEN or desc.nbytes >= SMALL:
        return False
    dtype, given = desc.dtype, value.attrs[0]
    if dtype.is_inexact and dtype.digits < 53 and not (dtype is dt.float32 and -_MOST < given < _MOST):
        return False  # NumPy rounds it another way, or warns
    return write_alone(setitem, (strided_array(*argument(target), desc, True), ..., given), epoch)


def made_at_once(
    program: Program, arguments: Sequence[Any], numbers: Sequence[Any], epoch: object
) -> Sequence[np.ndarray] | None:
    """Return the values computed by a compiled program from its arguments and numbers.

    A program that is not brief runs with its memory pinned.  None if memory was written since `epoch`, or a brief
    program had no room. Raises OutOfMemory if another is refused memory, and errors of routines.
    """
    if program.built is None or program.writes or epoch is None:
        return None
    if program.brisk is None:
        with pinned(arguments[::2]):
            return program.run(arguments, numbers) if WRITERS.epoch is epoch else None
    try:
        made: Sequence[np.ndarray] = program.brisk(*arguments, *program.blanks, *numbers)
    except MemoryError:  # the general way says what there was no room for
        return None
    return made if WRITERS.epoch is epoch else None


def find_cells(work: Work) -> None:
    """Run only the stages "program" and "sources", which find the cells that a `MaskWork` or a `RewriteWork` requests.

    Raises FileFormatError if a file is damaged, OutOfMemory if memory is refused.
    """
    perform(work, [s for n in ("program", "sources") if (s := Stages.all[n]) is not None])


def scatter(value: Node, parts: Sequence[Piece], target_numbers: Sequence[int], targets: Sequence[Node]) -> None:
    """Compute `value` into parts of stored nodes: the cells of piece i are written to `targets[target_numbers[i]]`.

    No two pieces share a cell, and `value` does not read the targets' memory. Raises the errors of `compute`.
    """
    perform(Work((value,), targets, parts, target_numbers))


def on_host(work: Work) -> list[np.ndarray]:
    """Compute work by the host's stages without attaching values; return the values, or [] if the work has targets.

    Raises the errors of `compute`.
    """
    nodes, work.values = work.nodes, ()
    perform(work, Stages.host)
    if work.targets:
        return []
    made = {id(n): value for n, value in zip(work.nodes, work.values, strict=False)}
    return [made.get(id(n), n.value) for n in nodes]  # tiles were stored at once


def compiled_work(nodes: Sequence[Node]) -> Work:
    """Return the work of computing the nodes, with its program compiled but not run.

    Raises PassError for a user's pass that leaves an illegal plan.
    """
    work = planned_work(nodes)
    if work.program.built is None:
        _build(work, engine.current())
    return work


def planned_work(nodes: Sequence[Node], given: Collection[int] = ()) -> Work:
    """Return the work of computing the nodes, each once, with its program planned but not compiled.

    `given` are the ids of scalars that have other numbers in the next call. Raises PassError for a user's pass that
    leaves an illegal plan.
    """
    work = Work(list(dict.fromkeys(nodes)), given=given)
    _find(work, engine.current(), True)
    return work


# ---- the stages


class Stages:
    """All stages in order, those enabled (`used`), and those for work on the host alone (`host`)."""

    all: ClassVar[dict[str, Stage | None]] = dict.fromkeys(
        ("checks", "placement", "program", "sources", "run", "mapped", "publish")
    )
    used: tuple[Stage, ...]
    host: tuple[Stage, ...]


def use(name: str, stage: Stage) -> None:
    """Register `stage` under `name` for all later computations."""
    Stages.all[name] = stage
    Stages.used = tuple([s for s in Stages.all.values() if s is not None])
    Stages.host = tuple([s for n in ("program", "sources", "run", "mapped") if (s := Stages.all[n]) is not None])


def perform(work: Work, stages: Sequence[Stage] = ()) -> None:
    """Pass work through `stages` (default: all registered ones) until one returns a verdict.

    AGAIN restarts from the first. Raises the errors of the stages, which `compute` lists.
    """
    verdict: Verdict | None = AGAIN
    while verdict is AGAIN:
        for stage in stages or Stages.used:
            verdict = stage(work)
            if verdict is not None:
                break


def _program(work: Work) -> Verdict | None:
    """Run the stage "program": find or plan the program of the work.

    If the value cannot be written to the targets directly, compute it and return AGAIN. Raises PassError for a user's
    pass that leaves an illegal plan.
    """
    nodes, work.transformer = work.nodes, engine.current()
    work.epoch = WRITERS.epoch
    _find(work, work.transformer, False)
    if work.program is None:  # it takes several steps: it is computed, then copied
        compute(_kept(work) or nodes)
        return AGAIN
    return None


def _find(work: Work, transformer: engine.Transformer, plan_always: bool) -> None:
    """Store the key, the arguments and the program of the work in it.

    With an interpreting transformer, a plan is made only with `plan_always`, or if the work reads files.
    """
    with GRAPH:
        roots = work.nodes
        if len(roots) == 1 and roots[0].alias is not None and not work.targets:
            roots = [anchored_root(roots[0])]
        read(work, roots)
        if work.targets and _kept(work):
            work.program = None
            return
        if transformer.interprets and not (plan_always or work.sources):
            work.program = _INTERPRETED
            return
        programs = transformer.programs
        known = programs.kept.get(work.key)
        if known is None and not plan_always and suits_reference(work):
            work.transformer, work.program = engine.transformer("reference"), programs.keep(work.key, _INTERPRETED)
            work.nodes = (*work.nodes, *[n for n, k in work.order.items() if k in work.live])  # as programs store them
        elif known is None or known.value is _INTERPRETED:
            work.program = programs.keep(work.key, _planned(work, transformer.interprets))
        else:
            known.used, work.program = ProgramMemory.made, known.value


def _kept(work: Work) -> list[Node]:
    """Return the values of handles below a value that is written to targets; they are stored before."""
    return [n for n, k in work.order.items() if work.live.get(k)] if work.live else []


def _planned(work: Work, value_only: bool) -> Program | None:
    """Return the program of the work. None if its value must be computed before it can be written to the targets.

    With `value_only`, the targets are ignored and only the value is planned. Raises PassError for a user's pass that
    leaves an illegal plan.
    """
    targets, draft = work.targets, work.draft()
    if not targets or value_only:
        made, outputs, forced = plan(draft)
        number = {id(n): k for n, k in work.order.items()}
        return Program(made, tuple([number[id(n)] for n in outputs[len(work.roots) :]]), False, forced)
    if work.parts is None:
        written = plan_store(targets[0], draft)
    else:
        written = plan_scatter(work.parts, work.to, targets, draft)
    return None if written is None else Program(written, (), True)


def _run(work: Work) -> Verdict | None:
    """Run the work's program and store the values in the work; AGAIN if another thread changed its operands.

    Raises OverwrittenError if code outside of weft wrote them, OutOfMemory if memory is refused, and errors of
    routines.
    """
    if work.marked and any(f.cells != f.samples for n in work.marked if (f := n.fingerprint) is not None):
        compare(work.marked, work.nodes)
    transformer = work.transformer
    if transformer.interprets:
        values: Sequence[np.ndarray] | None = transformer.evaluate(work)
    else:
        if work.program.built is None:
            _build(work, transformer)
        values = None if OPEN else made_at_once(work.program, work.arguments, work.numbers, work.epoch)
        if values is None:
            values = _values(work)
    if values is None:
        return AGAIN
    work.values = values
    if not transformer.interprets:
        if work.program.positions:
            keep_live(work.program, work.order, values)
        if work.first_reads or work.repeated_reads:
            field_reads.record_reads(work.first_reads, work.repeated_reads)
    return None


def keep_live(program: Program, order: Iterable[Node], values: Sequence[np.ndarray]) -> None:
    """Attach the values that follow the roots' values to the live nodes of a graph, whose nodes are `order`."""
    nodes, positions = list(order), program.positions
    for position, value in zip(positions, values[len(values) - len(positions) :], strict=True):
        publish(nodes[position], value)


def _values(work: Work) -> Sequence[np.ndarray] | None:
    """Run the program with its memory pinned; return its outputs, or None if another thread changed the leaves."""
    program, numbers, arguments = work.program, work.numbers, work.arguments
    targets = [x for t in work.targets for x in argument(t)]
    if targets and program.brief and len(program.segments) == 1 and not profile.ACTIVE:
        try:
            if write_alone(program.segments[0], (*arguments, *targets, *numbers), work.epoch):
                return []
        except MemoryError:  # the general way says what there was no room for
            pass
    with pinned(arguments[::2], targets[::2]):
        if _are_unchanged(work):
            return program.run([*arguments, *targets], numbers)  # type: ignore[no-any-return]
    return None


def _build(work: Work, transformer: engine.Transformer) -> None:
    """Compile the program of the work, and store it again, as it takes more memory now."""
    work.program.make(transformer.build)
    transformer.programs.keep(work.key, work.program)


def _are_unchanged(work: Work) -> bool:
    """True if every leaf still has the array that was read as an argument."""
    leaves = zip(work.leaves, work.arguments[::2], strict=True)
    return all(argument(n)[0] is a or k in work.sources for k, (n, a) in enumerate(leaves))


def _publish(work: Work) -> Verdict | None:
    """Run the stage "publish": attach the values to their nodes."""
    if not work.targets:
        nodes = work.nodes
        if len(nodes) == 1:
            publish(nodes[0], work.values[0])
        else:
            for n, value in zip(nodes, work.values, strict=False):
                publish(n, value)
    if work.sources and sum([work.arguments[2 * k].nbytes for k in work.sources]) > TRIMMED_READ:
        trim_memory()  # what was read, and computed of it, is not needed again
    return None


for _name, _stage in (("program", _program), ("run", _run), ("publish", _publish)):
    use(_name, _stage)


# ---- routines that may refuse their operands


UNSURE: LooseSet[Node] = LooseSet()  # pending nodes that may raise


def unsure(n: Node) -> Node:
    """Mark a pending node whose computation may raise, since its library routine may refuse operands.

    Return the node.
    """
    UNSURE.add(n)
    return n


def make_sure(n: Node) -> None:
    """Compute a node now if any node below it may raise. So a failure cannot destroy a value overwritten later.

    Raises the errors of `compute`.
    """
    for known in UNSURE:
        if known.value is not None and _is_computed(known.value):
            UNSURE.discard(known)
    if n.depth < WAITING and _is_in_doubt(n):
        compute([n])
        if (uses := getattr(n.value, "uses", None)) is not None:
            uses.sync()


def _inherit_doubt(nodes: Sequence[Node]) -> None:
    """Mark nodes of devices above nodes that may raise: a device's work may fail after it was handed over."""
    for n in nodes:
        if n.traits is not None and _is_in_doubt(n):
            UNSURE.add(n)


def _is_in_doubt(n: Node) -> bool:
    """True if the computation of a node, or of one below it, may raise."""
    return any(i in UNSURE for i in walk([n]))


def _is_computed(value: Any) -> bool:
    """True if a value was computed; a value on another device may still be in computation."""
    write = getattr(value, "uses", None) and value.uses.write
    return write is None or (write.done and write.error is None)


def _blame(error: LinAlgError, nodes: Sequence[Node]) -> None:
    """Add to a routine's error the user's line of the failing node, found by computing the candidates one by one."""
    if getattr(error, "__notes__", None):
        return
    suspects = [n for n in walk(nodes) if n.op.name == error.op and n.value is None]
    for n in suspects[:-1]:
        compute([n])
    if suspects and (line := line_of(suspects[-1])):
        error.add_note(f"{error.op} was asked for at {line}")
