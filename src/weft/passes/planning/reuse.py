"""Reuse of arguments' memory: outputs of a plan that can lie where arguments lay that are not needed afterwards.

The one idea: an output may have the memory of an argument if each step that reads the argument runs before the step
that writes the output, or is that step and reads each cell just where it writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from weft.ir.kernels.in_place import may_write_over
from weft.ir.kernels.plan import CallStep, MapLaunch, Operand, Plan, Step

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
