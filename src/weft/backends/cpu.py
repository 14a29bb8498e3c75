"""The CPU transformer: pending graphs become programs of native kernels and library routines.

The one idea: a program is found by the key of the graph without running passes; only an unseen structure is planned,
and only an unseen kernel is compiled.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft import dtypes
from weft.backends.llvm.folds.reduce_tables import lower_reduce
from weft.backends.llvm.folds.scan_tables import lower_scan
from weft.backends.llvm.jit.entry import make_entry
from weft.backends.llvm.jit.entry_code import LOCK_COST
from weft.backends.llvm.jit.jit import stats
from weft.backends.llvm.jit.kernel_task import KernelTask, holding_code
from weft.backends.llvm.jit.toolchain import cpu, is_supported
from weft.backends.llvm.nest.block_driver import lower_blocks
from weft.backends.llvm.nest.map_tables import lower_map
from weft.backends.program_tables import ProgramMemory, ProgramTable
from weft.errors import InternalError, OutOfMemory
from weft.ir.atoms.affine import MAX_CELLS
from weft.ir.graph.description import TensorDescription, describe
from weft.ir.graph.node import Node, current_place
from weft.ir.graph.ops import CELLWISE, OPS, Op
from weft.ir.kernels.plan import BlockLaunch, CallStep, MapLaunch, Operand, Plan, ReduceLaunch, ScanLaunch, Step
from weft.ir.pieces.normal_form import Piece
from weft.passes.anchor import anchored
from weft.passes.pipeline import Graph, plan, plan_scatter, plan_store
from weft.passes.simplify.key_scalars import MARKED, is_bound
from weft.passes.simplify.view_joins import JOINS, have_neighbours
from weft.passes.switches import switches
from weft.runtime.compute import engine, field_reads, function_tables, profile
from weft.runtime.compute.program import Program, Segment
from weft.runtime.compute.signature import argument, signature
from weft.runtime.memory import allocator
from weft.runtime.memory.access import SMALL, Writers, pinned, write_alone
from weft.runtime.memory.regions import strided_array

FEW = 64  # nodes below one that are gone through without a walk, which takes four times as long for each
_UNKNOWN: Any = object()
_LEAF, _SCALAR, _BROADCAST, _BOOL = OPS["leaf"], OPS["scalar"], OPS["broadcast_to"], dtypes.bool


@holding_code
def lower(step: Step, kept: bool = False) -> list[KernelTask]:
    """The native tasks of a launch; `kept`: what it writes is read again at once."""
    if isinstance(step, MapLaunch):
        return lower_map(step, kept)
    if isinstance(step, ReduceLaunch):
        return lower_reduce(step)
    if isinstance(step, ScanLaunch):
        return lower_scan(step)
    raise InternalError(f"lower: {step!r} is no launch; please report this")


@holding_code
def _lower_group(group: BlockLaunch) -> list[KernelTask]:
    """The one task that runs steps a block of rows at a time."""
    steps, tail = ([t for s in part for t in lower(s, kept=True)] for part in (group.steps, group.tail))
    return lower_blocks(group, steps, tail)


def _array(o: Operand, desc: TensorDescription, flat: Sequence[Any], writeable: bool) -> np.ndarray:
    return strided_array(flat[2 * o.arg], flat[2 * o.arg + 1] + o.offset, desc, writeable)


def call_segment(step: CallStep) -> Segment:
    """A library routine as a segment of a program."""
    given = [(o, describe(o.dtype, s, o.strides, o.swapped)) for o, s in zip(step.args, step.shapes, strict=True)]
    made = describe(step.out.dtype, step.out_shape, step.out.strides, step.out.swapped)

    def segment(*flat: Any) -> None:
        args = [_array(o, desc, flat, False) for o, desc in given]
        try:
            with np.errstate(all="ignore"):
                function_tables.invoke(
                    step.name, function_tables.device_type(), _array(step.out, made, flat, True), args, step.attrs
                )
        except MemoryError as error:
            nbytes = sum(a.nbytes for a in args)
            raise OutOfMemory(
                f"{step.name}: memory for copies of {nbytes} bytes of operands; the system has no such memory left; "
                "free large tensors, or take operands of the result's dtype"
            ) from error

    return segment


def build(p: Plan, interruptible: bool = True) -> Program:
    """The program of a plan: runs of launches become one native entry each."""
    compiled_before = stats.kernels_compiled
    segments: list[Segment] = []
    waiting: list[KernelTask] = []
    kernels: list[profile.KernelCount] = []
    calls: list[profile.KernelCount] = []
    work = 0.0  # nanoseconds of native code
    n_args = p.inputs + len(p.buffers)

    def flush() -> None:
        if waiting:
            segments.append(make_entry(n_args, {}, p.scalars, list(waiting), interruptible=interruptible))
            waiting.clear()

    groups = {first: (end, launch) for first, end, launch in p.blocks}
    number = 0
    while number < len(p.steps):
        step = p.steps[number]
        number, group = groups.get(number, (number + 1, None))
        if group is not None:
            tasks = _lower_group(group)
        elif isinstance(step, CallStep):
            flush()
            segments.append(call_segment(step))
            calls.append(_count_call(step))
            continue
        else:
            tasks = lower(step)
        kernels.extend(profile.KernelCount(t.name, t.bytes_read, t.bytes_written) for t in tasks)
        work += sum(t.units * t.cost for t in tasks)
        waiting.extend(tasks)
    quick = None
    if not segments and waiting and len(p.buffers) == 1 and p.buffers[0].arena == -1:
        b = p.buffers[0]
        if int(np.prod(b.shape, dtype=object)) * b.dtype.itemsize < allocator.LARGE:
            quick = make_entry(n_args, {p.inputs: (b.dtype.np, b.shape)}, p.scalars, list(waiting))
    flush()
    profile.compiled(stats.kernels_compiled - compiled_before)
    counts = profile.Counts(tuple(kernels), tuple(calls), p.arena_bytes)
    touched = sum(k.bytes_read + k.bytes_written for k in (*kernels, *calls))
    return Program(p, segments, quick, counts, touched < SMALL or (not calls and work <= LOCK_COST))


def _count_call(step: CallStep) -> profile.KernelCount:
    def nbytes(shape: tuple[int, ...], o: Operand) -> int:
        return int(np.prod(shape, dtype=object)) * o.dtype.itemsize

    read = sum(nbytes(s, o) for s, o in zip(step.shapes, step.args, strict=True))
    return profile.KernelCount(step.name, read, nbytes(step.out_shape, step.out))


class CpuTransformer:
    """Compiles graphs to native code and keeps their programs."""

    name = "cpu"

    def __init__(self) -> None:
        self.programs: ProgramTable[tuple[Program, tuple[int, ...]]] = ProgramTable()
        self.stores: ProgramTable[Program | None] = ProgramTable()  # None: to be computed first
        self.direct: ProgramTable[Program] = ProgramTable()
        self.direct_stores: ProgramTable[Segment | None] = ProgramTable()  # of brief values, by a key without a walk

    def compute(self, nodes: Sequence[Node]) -> list[np.ndarray]:
        """The values of pending nodes; live nodes stored on the way are published too."""
        if len(nodes) == 1 and not profile.ACTIVE and not allocator.CHOSEN.active:
            try:
                value = self.quick(nodes[0])
            except MemoryError:  # the general way says what there was no room for
                value = None
            if value is not None:
                return [value]
        while True:
            program, positions, graph, arguments = self.ready(nodes)
            values = _run(program, graph, arguments)
            if values is not None:
                break
        for position, value in zip(positions, values[len(nodes) :], strict=True):
            engine.publish(graph.order[position], value)
        if graph.passed or graph.again:
            field_reads.note(graph.passed, graph.again)
        return values[: len(nodes)]

    def ready(self, nodes: Sequence[Node]) -> tuple[Program, tuple[int, ...], Graph, list[Any]]:
        """The program of pending nodes, the numbers of nodes stored on the way, the graph, the program's arguments."""
        with engine.GRAPH:
            key, graph = signature(nodes if len(nodes) > 1 else [anchored(nodes[0])])
            arguments = _arguments(graph.leaves)
            known = self.programs.get(key)
            made = None if known is not None else self._planned(graph, len(nodes))
        if known is None:
            assert made is not None
            known = self.programs.keep(key, (build(made[0]), made[1]))
        return *known, graph, arguments

    def _planned(self, graph: Graph, roots: int) -> tuple[Plan, tuple[int, ...]]:
        """The plan of a graph and the numbers of the nodes stored on the way."""
        made, outputs = plan(graph)
        number = {id(n): i for i, n in enumerate(graph.order)}
        return made, tuple(number[id(n)] for n in outputs[roots:])

    def quick(self, n: Node) -> np.ndarray | None:
        """The value of a few operations on what is stored and numbers, of which just the last is anybody's, by a key
        that needs no walk; None where there is more."""
        op, inputs = n.op, n.inputs
        epoch = Writers.epoch
        if len(inputs) == 2:  # what is built most, without a list
            a, b = inputs
            x, y = a.value, b.value
            if x is not None and y is not None and a is not b and a.alias is None and b.alias is None:
                kept = self.direct.kept.get((op, n.attrs, n.desc, switches(), a.desc, b.desc))
                if kept is not None and (brisk := kept.value.brisk) is not None:
                    kept.used = ProgramMemory.made
                    made: np.ndarray = brisk(x, 0, y, 0, None, 0)
                    return made if epoch is not None and Writers.epoch is epoch else None
        found = self.operation(n)
        if found is None:
            return None
        program, leaves, arguments, numbers = found
        if program.brief:
            brisk = program.brisk
            made = program.run(arguments, numbers)[0] if brisk is None else brisk(*arguments, None, 0, *numbers)
            if epoch is not None and Writers.epoch is epoch:
                return made
        with pinned(arguments[::2]):
            unchanged = all(argument(i)[0] is a for i, a in zip(leaves, arguments[::2], strict=True))
            return program.run(arguments, numbers)[0] if unchanged else None

    def operation(self, n: Node) -> tuple[Program, list[Node], list[Any], list[Any]] | None:
        """The program, stored inputs, arguments and numbers of a few operations on what is stored, views of it, and
        numbers; None where there is more."""
        read = _few(n)
        if read is None:
            return None
        key, *found = read
        kept = self.direct.kept.get(key)  # a call of the table's own would cost 2 % of a small operation
        if kept is not None:
            kept.used, program = ProgramMemory.made, kept.value
        else:
            with engine.GRAPH:
                again = _few(n)
                if again is None or again[0] != key:  # another thread has computed a part of it
                    return None
                program = self.direct.keep(key, build(plan(signature((n,), MAX_CELLS)[1])[0]))
        return program, *found  # type: ignore[return-value]

    def store(self, value: Node, target: Node) -> None:
        """Write a node's value into the memory of an alias of something stored; signals wait meanwhile."""
        if profile.ACTIVE or not self._store_alone(value, target):
            self._write(value, [target], (target.desc,), lambda graph: plan_store(value, target, graph))

    def _store_alone(self, n: Node, target: Node) -> bool:
        """Store what is brief and found without a walk while no other program is at work; whether that could be."""
        epoch = Writers.epoch
        found = _shallow(n)
        if found is None:
            return False
        key, arguments, numbers = found
        key = (*key, target.desc)
        run = self.direct_stores.get(key, _UNKNOWN)
        if run is _UNKNOWN:
            with engine.GRAPH:
                again = _shallow(n)
                if again is None or again[0] != found[0]:  # another thread has computed a part of it
                    return False
                planned = plan_store(n, target, signature((n,), MAX_CELLS)[1])
            made = None if planned is None else build(planned, interruptible=False)
            brief = made is not None and made.brief and len(made.segments) == 1
            run = self.direct_stores.keep(key, made.segments[0] if made is not None and brief else None)
        try:
            return run is not None and write_alone(run, (*arguments, *argument(target), *numbers), epoch)
        except MemoryError:  # the general way says what there was no room for
            return False

    def scatter(self, value: Node, parts: Sequence[Piece], to: Sequence[int], targets: Sequence[Node]) -> None:
        """Write the cells of a value where pieces read theirs, piece i of target to[i]; signals wait meanwhile."""
        shape = tuple([(p.sizes, p.start, p.step, p.rows, k) for p, k in zip(parts, to, strict=True)])
        key = (*[t.desc for t in targets], shape)
        self._write(value, targets, key, lambda graph: plan_scatter(value, parts, to, targets, graph))

    def _write(
        self, value: Node, targets: Sequence[Node], where: tuple[Any, ...], planned: Callable[[Graph], Plan | None]
    ) -> None:
        while True:
            with engine.GRAPH:
                key, graph = signature([value])
                arguments = _arguments(graph.leaves)
                key = (key, *where)
                known = self.stores.get(key, _UNKNOWN)
                made = planned(graph) if known is _UNKNOWN else None
            if known is _UNKNOWN:
                known = self.stores.keep(key, None if made is None else build(made, interruptible=False))
            if known is None:
                engine.compute([value])
            elif _run(known, graph, arguments, _arguments(targets)) is not None:
                return


def _shallow(n: Node) -> tuple[tuple[Any, ...], list[Any], list[Any]] | None:
    """(key, arguments, numbers) of what is stored, a number, or a few operations on these; None where there is more."""
    op = n.op
    key: list[Any] = [op, n.attrs, n.desc, switches()]
    if n.alias is None:
        if n.value is not None:
            return tuple(key), [n.value, 0], []
        if op is _SCALAR and n.desc.dtype is not _BOOL:
            key[1] = ()
            return tuple(key), [], [n.attrs[0]]
        if op.kind not in CELLWISE:
            return None
    elif (value := n.alias[0].value) is not None:
        key[:2] = _LEAF, None  # the steps of a view do not count: it lies as described
        return tuple(key), [value, n.alias[1]], []
    elif n.value is not None or op is not _BROADCAST or n.inputs[0].op is not _SCALAR:
        return None
    read = _read(n, key)
    return None if read is None else (tuple(key), *read[1:])


def _few(n: Node) -> tuple[tuple[Any, ...], list[Node], list[Any], list[Any]] | None:
    """(key, stored inputs, arguments, numbers) of a value that a few operations give; None where there is more."""
    if n.alias is not None or n.op.kind == "source":
        return None
    key: list[Any] = [n.op, n.attrs, n.desc, switches()]
    read = _read(n, key)
    return None if read is None or n.value is not None else (tuple(key), *read)


def _read(n: Node, key: list[Any]) -> tuple[list[Node], list[Any], list[Any]] | None:
    """What operations read: the nodes that are stored, or views of what is, their arguments, and numbers, which are
    none that rules look at.  The rest goes to the key.  None where a node is somebody's, or there are more than a few.
    """
    found: tuple[list[Node], list[Any], list[Any]] = ([], [], [])
    return found if _noted(n.op, n.inputs, key, {}, *found) else None


def _noted(
    op: Op,
    inputs: Sequence[Node],
    key: list[Any],
    known: dict[Node, int],
    leaves: list[Node],
    arguments: list[Any],
    numbers: list[Any],
) -> bool:
    if op in JOINS and have_neighbours(inputs):  # where views lie is no part of this key
        return False
    for i in inputs:
        if i in known:
            key.append(known[i])
            continue
        if len(known) == FEW:
            return False
        known[i] = len(known)
        alias = i.alias
        if (value := i.value if alias is None else alias[0].value) is not None:
            leaves.append(i)
            arguments += (value, 0 if alias is None else alias[1])
            key.append(i.desc)
            continue
        name, attrs, below = i.op, i.attrs, i.inputs
        if name is _SCALAR:
            if i.desc.dtype is _BOOL or (op in MARKED and is_bound(op.name, i)):
                return False
            numbers.append(attrs[0])
            key.append(i.desc.dtype)
        elif name.kind == "source" or current_place(i) is not None or i.value is not None:
            return False  # a value: it was computed alone, or another thread has changed the node
        else:
            key += (name, attrs, i.desc, len(below))
            if not _noted(name, below, key, known, leaves, arguments, numbers):
                return False
    return True


def for_this_machine() -> engine.Transformer:
    """The transformer of native code, or the reference where kernels are not written for this CPU."""
    if is_supported():
        return CpuTransformer()
    warnings.warn(
        f"weft: this CPU ({cpu()[0]}) is older than the kernels need (x86-64-v3 or ARMv8); values come from the "
        "reference, slowly; use a newer machine",
        RuntimeWarning,
        stacklevel=2,
    )
    return engine.transformer("reference")


def _run(program: Program, graph: Graph, arguments: list[Any], targets: Sequence[Any] = ()) -> list[np.ndarray] | None:
    """Run over leaves as they were in one moment; None where another thread has changed them since."""
    numbers = [n.attrs[0] for n in graph.scalars]
    if program.brief and not targets:
        epoch = Writers.epoch
        if _unchanged(graph, arguments):
            values = program.run(arguments, numbers)
            if epoch is not None and Writers.epoch is epoch:
                return values
    with pinned(arguments[::2], targets[::2]):
        if _unchanged(graph, arguments):
            return program.run([*arguments, *targets], numbers)
    return None


def _unchanged(graph: Graph, arguments: Sequence[Any]) -> bool:
    return all(argument(n)[0] is a for n, a in zip(graph.leaves, arguments[::2], strict=True))


def _arguments(leaves: Sequence[Node]) -> list[Any]:
    """(array, byte offset) of every leaf, flat."""
    arguments: list[Any] = []
    for n in leaves:
        arguments += argument(n)
    return arguments
