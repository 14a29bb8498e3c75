"""Recurring work: a graph that is computed again, with other arrays and numbers, by its compiled program.

The one idea: after a graph was computed, its program and the source of each argument are kept.  The next computation
fills in arrays and numbers; no graph is built and no key computed.  Graphs that need optional stages are not kept.
An output may have the memory of an argument if each step that reads the argument runs before the step that writes the
output, or is that step and reads each cell just where it writes it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.errors import LinAlgError
from weft.ir.graph.node import Node, root_of, walk
from weft.ir.graph.ops import OPS
from weft.ir.kernels.in_place import may_write_over
from weft.ir.kernels.plan import CallStep, MapLaunch, Operand, Plan, Step
from weft.passes.switches import OPEN, switches
from weft.runtime.compute import engine
from weft.runtime.compute.program import Program
from weft.runtime.compute.signature import STAGED, Work
from weft.runtime.compute.stages import made_at_once
from weft.runtime.memory.access import WRITERS, pinned
from weft.runtime.memory.fingerprints import differs

NodeOffsets = Mapping[Node, tuple[int, int]]  # node → (index among the inputs, offset in bytes)
_SCALAR = OPS["scalar"]
_STAGED = STAGED.union([OPS["file"]]) - {OPS["checked"]}


class RecurringWork:
    """A compiled program whose argument arrays and numbers are replaced from run to run.

    `leaves` are the sources of the program's arrays: (k, byte offset, None) for cells of the k-th input, or (0, 0,
    node) for a node that is the same in all runs.  `numbers` are pairs (k, value): the k-th given number, or the fixed
    `value` if k is negative.
    """

    def __init__(
        self,
        program: Program,
        leaves: Sequence[tuple[int, int, Node | None]],
        numbers: Sequence[tuple[int, Any]],
        marked: Sequence[Node] = (),
    ) -> None:
        self.program, self.leaves, self.numbers, self.marked = program, leaves, numbers, marked
        self.transformer, self.switches, self._scoped = engine.current(), switches(), bool(OPEN)
        self._fixed = [x for _, x in numbers]
        self.reused: dict[int, int] = {}  # buffer → input whose memory it may reuse, by numbers
        self._writing: Program | None = None  # the program variant that writes over memory of inputs

    def offer(self, donors: Sequence[tuple[int, int, bool]]) -> None:
        """Choose the outputs that a run may write over memory of inputs.

        `donors` are triples (number of an output, number of an input, True if its cells must survive a failure).
        """
        lying: dict[int, dict[int, int]] = {}
        for arg, (k, offset, fixed) in enumerate(self.leaves):
            if fixed is None:
                lying.setdefault(k, {})[arg] = offset
        plan = self.program.plan
        self.reused = reused(plan, [Donor(output, k, whole, lying.get(k, {})) for output, k, whole in donors])

    def run(
        self, inputs: Sequence[Node], numbers: Sequence[Any] = (), reusable: Container[int] = ()
    ) -> Sequence[np.ndarray] | None:
        """Return the values of the outputs for given inputs and numbers; None if the usual stages are needed.

        The nodes must have the same descriptions as those of the first run. `reusable` contains the numbers of the
        inputs whose memory may be overwritten with outputs. Raises the errors of computing, such as OutOfMemory.
        """
        epoch, program = WRITERS.epoch, self.program
        arguments = self._arguments(inputs) if self._serves() else None
        if arguments is None or (self.marked and any(map(differs, self.marked))):
            return None
        scalars = [x if k < 0 else numbers[k] for k, x in self.numbers] if numbers else self._fixed
        outputs = {b: inputs[k].value for b, k in self.reused.items() if k in reusable} if reusable else {}
        try:
            if not (OPEN or outputs) and (made := made_at_once(program, arguments, scalars, epoch)) is not None:
                return made
            if outputs:
                program = self._over_inputs()
            with pinned(arguments[::2], list(outputs.values())):
                again = self._arguments(inputs)
                if again is not None and all(a is b for a, b in zip(arguments[::2], again[::2], strict=True)):
                    return program.run(arguments, scalars, outputs)
        except (LinAlgError, MemoryError):  # the stages raise a better error, unless operands may be overwritten by now
            if outputs:
                raise
        return None

    def run_on(self, arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray] | None:
        """Return the values of the outputs for arrays in place of the inputs; None if `run` is needed.

        The arrays must have the layouts of the inputs, and must not be written by others meanwhile. Raises the errors
        of computing, such as OutOfMemory.
        """
        epoch, program = WRITERS.epoch, self.program
        arguments: list[Any] = []
        if not self._serves() or not program.brief or epoch is None or self.marked:
            return None
        for k, offset, fixed in self.leaves:
            arguments += (arrays[k], offset) if fixed is None else (fixed.value, 0)
        made = program.run(arguments, self._fixed)
        return made if WRITERS.epoch is epoch else None

    def _serves(self) -> bool:
        """True if the settings equal those under which the work was planned.

        Also compiles its native code if that is missing.
        """
        if (OPEN or self._scoped) and engine.current() is not self.transformer:
            return False
        if switches() != self.switches:
            return False
        if self.program.built is None:
            self.program.make(self.transformer.build)
        return True

    def _over_inputs(self) -> Program:
        """Return the variant of the program that overwrites memory of inputs.

        No signal interrupts a run of it.
        """
        if self._writing is None:
            made = Program(self.program.plan, (), True)
            made.make(self.transformer.build)
            self._writing = made  # not before, as an interrupt, or another thread, may come while it is compiled
        return self._writing

    def _arguments(self, inputs: Sequence[Node]) -> list[Any] | None:
        """Return a flat list with the array and byte offset of every leaf. None if a leaf is pending or on a device."""
        arguments: list[Any] = []
        for k, offset, fixed in self.leaves:
            n = inputs[k] if fixed is None else fixed
            value = n.value
            if n.alias is not None:
                value, offset = n.alias[0].value, n.alias[1] + offset
            if value is None or (n.traits is not None and n.traits.device is not None):
                return None
            arguments += (value, offset)
        return arguments


def may_recur(roots: Sequence[Node]) -> bool:
    """True if no node below `roots` needs an optional stage beside that of checks, such as placement."""
    return all(n.op not in _STAGED for n in walk(roots))


def recurring(work: Work, inputs: NodeOffsets, scalars: Sequence[Node] = ()) -> RecurringWork | None:
    """Return finished work as RecurringWork, to be run again with other nodes and numbers; None if that is impossible.

    `inputs` maps each node to be replaced, and each view of one, to its number and the byte offset between their first
    cells; `scalars` are the number nodes to be replaced, which the work has as `given`.  It is impossible if the
    program depends on values, and not on descriptions alone.
    """
    program = getattr(work, "program", None)
    if not isinstance(program, Program) or program.positions or engine.current().interprets:
        return None
    if (
        work.sources
        or work.joins
        or work.first_reads
        or work.repeated_reads
        or not set(map(id, scalars)).isdisjoint(work.key_scalars)
    ):
        return None
    if any(n.traits is not None and n.traits.device is not None for n in work.order):
        return None
    roots, leaves = {id(root_of(n)) for n in inputs}, set(work.leaves)
    if any(id(root_of(n)) in roots and n not in inputs for n in leaves):  # a view made by a pass
        return None
    if any(n in work.order and n not in leaves for n in inputs):  # pending, or a view of a pending value
        return None
    if any(root_of(n).value is None for n in leaves) or any(n.desc.dtype is dt.bool for n in scalars):
        return None
    number = {n: k for k, n in enumerate(scalars)}
    return RecurringWork(
        program,
        [(*inputs[n], None) if n in inputs else (0, 0, n) for n in work.leaves],
        [(number.get(n, -1), n.attrs[0]) for n in work.order if n.op is _SCALAR],
        [n for n in work.marked if n not in inputs],
    )


_SURE = frozenset(["matmul"])  # routines that refuse no operands


class Donor(NamedTuple):
    """Memory number `given`, offered for output `output`; arguments lie in it at the byte offsets `args`.

    `survives`: its cells must be whole, old or new, also if a routine fails.
    """

    output: int
    given: int
    survives: bool
    args: Mapping[int, int]


def reused(plan: Plan, donors: Iterable[Donor]) -> dict[int, int]:
    """Return {buffer: number of given memory} for buffers that can lie in memory of arguments.

    Each memory is used at most once.  A buffer has as many bytes as the memory that its donor offers.
    """
    found: dict[int, int] = {}
    for donor in donors:
        b = plan.outputs[donor.output]
        own = plan.outputs.count(b) == 1 and plan.buffers[b].arena == -1
        if own and b not in found and donor.given not in found.values() and _is_free_by(plan, b, donor):
            found[b] = donor.given
    return found


def _is_free_by(plan: Plan, buffer: int, donor: Donor) -> bool:
    """True if the memory offered by `donor` is not needed any more when a buffer is written."""
    at = next((k for k, s in enumerate(plan.steps) if any(o.arg == plan.inputs + buffer for o in _written(s))), -1)
    if at < 0 or (donor.survives and any(isinstance(s, CallStep) and s.name not in _SURE for s in plan.steps[at:])):
        return False
    first, end = next(((low, high) for low, high, _ in plan.blocks if low <= at < high), (at, at + 1))
    for k, step in enumerate(plan.steps):
        if not any(o.arg in donor.args for o in _operands(step)):
            continue
        if k == at:
            if not may_write_over(step, donor.args):
                return False
        elif k > at or first <= k < end:
            return False
    return True


def _operands(step: Step) -> Iterator[Operand]:
    """Iterate over the operands that a step reads."""
    if isinstance(step, CallStep):
        yield from step.args
    else:
        for row in step.rows:
            yield from row.operands


def _written(step: Step) -> list[Operand]:
    """Return the operands that a step writes."""
    if isinstance(step, MapLaunch):
        return [row.out for row in step.rows if row.out is not None]
    return [step.out]
