"""The text form of plans: a line for each kernel or routine, and one for each of its boxes.

The one idea: a plan is plain data, so its text shows that data: sizes, bytes, operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from weft.ir.kernels.plan import (
    BinLaunch,
    Body,
    CallStep,
    MapLaunch,
    Operand,
    Plan,
    ReduceLaunch,
    Row,
    ScanLaunch,
    Step,
    touched_bytes,
)

SHOWN = 8  # lines of one kind that a text lists


@dataclass(frozen=True)
class PlanPart:
    """A kernel or routine of a plan as text: its result, and a line for each box."""

    head: str
    rows: tuple[str, ...]


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first SHOWN lines, and if there are more, a line with the number of the others.

    >>> first_lines(["a"] * 10)[-2:]
    ['a', '... and 2 more']
    """
    return [*lines[:SHOWN], *([f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else [])]


def step_text(step: Step, plan: Plan, names: Mapping[int, str] = {}) -> PlanPart:
    """Return one step of a plan as text; `names` maps buffer numbers to names of their values."""
    if isinstance(step, CallStep):
        return PlanPart(f"call {step.name}{step.attrs} -> {_target(step.out, plan, names)}", ())
    name = {MapLaunch: "map", ScanLaunch: "scan", ReduceLaunch: "reduce", BinLaunch: "bins"}[type(step)]
    op = "" if isinstance(step, MapLaunch) else " " + step.op
    out = (step.rows[0].out if step.rows else None) if isinstance(step, MapLaunch) else step.out
    head = f"kernel {name}{op} -> {_target(out, plan, names) if out else 'nothing'}: {len(step.rows)} pieces"
    return PlanPart(head, tuple([_row_text(r) for r in step.rows]))


def show_plan(plan: Plan, names: Mapping[int, str] = {}) -> str:
    """Return the kernels and routines of a plan as text, with the first boxes of each.

    `names` maps buffer numbers to names of their values.
    """
    lines = []
    for step in plan.steps:
        part = step_text(step, plan, names)
        lines += [f"  {part.head}", *[f"    {r}" for r in first_lines(part.rows)]]
    return "\n".join(lines)


def _target(operand: Operand, plan: Plan, names: Mapping[int, str]) -> str:
    b = plan.buffers[operand.arg - plan.inputs] if operand.arg >= plan.inputs else None
    kind = "memory" if b is None else "output" if b.arena < 0 else f"temporary at {b.arena}"
    name = names.get(operand.arg - plan.inputs)
    return f"{kind} {operand.dtype.name}" + (f" named {name}" if name else "")


def _row_text(row: Row) -> str:
    ops = [i.op for i in row.body if i.op not in ("load", "coord", "scalar", "const")]
    return f"box {row.sizes} from {row.start}: reads {row_bytes(row)} bytes; {' '.join(ops) or 'copy'}"


def row_bytes(row: Row) -> int:
    """Return the bytes that a row reads from memory, each cell counted once."""
    loads = {i.attr for i in row.body if i.op in ("load", "gather")}
    return sum([touched_bytes(o, row.sizes) for k, o in enumerate(row.operands) if k in loads])


def show_kernels(plan: Plan, names: Mapping[int, str] = {}) -> str:
    """Return the instructions of every distinct body of a plan, one per line, below the names of its results.

    `names` maps buffer numbers to names of their values.
    """
    bodies: dict[Body, dict[str, None]] = {}
    for step in plan.steps:
        for row in () if isinstance(step, CallStep) else step.rows:
            out = row.out if isinstance(step, MapLaunch) else step.out
            name = names.get(out.arg - plan.inputs) if out is not None else None
            bodies.setdefault(row.body, {}).update({name: None} if name else {})
    return "\n\n".join([("# " + ", ".join(said) + "\n" if said else "") + _body_text(b) for b, said in bodies.items()])


def _body_text(body: Body) -> str:
    lines = []
    for k, i in enumerate(body):
        args = ", ".join(f"%{a}" for a in i.args)
        attr = "" if i.attr is None else f" {i.attr}"
        lines.append(f"%{k} = {i.op}({args}){attr} {i.dtype.name}")
    return "\n".join(lines)


@dataclass(frozen=True)
class MemoryPlan:
    """The memory that a run of a plan allocates: bytes of outputs, and of temporaries in one arena.

    `placed` has (bytes, offset) of each temporary; temporaries with disjoint lifetimes share bytes.  `reused`: the
    bytes of outputs that may be written over arguments or older versions that are no longer needed.
    """

    outputs: int
    arena: int
    placed: tuple[tuple[int, int], ...]
    reused: int = 0

    @property
    def peak(self) -> int:
        """The bytes that a run allocates at most; outputs that may reuse memory are not counted."""
        return self.outputs + self.arena


def memory_plan(plan: Plan, reused: Iterable[int] = ()) -> MemoryPlan:
    """Return the memory that a run of a plan allocates.

    `reused` are the numbers of buffers that may be written over given memory.
    """
    nbytes = [prod(b.shape) * b.dtype.itemsize for b in plan.buffers]
    placed = [(n, b.arena) for n, b in zip(nbytes, plan.buffers, strict=True) if b.arena >= 0]
    outputs = sum([n for n, b in zip(nbytes, plan.buffers, strict=True) if b.arena == -1])
    return MemoryPlan(outputs, plan.arena_bytes, tuple(placed), sum([nbytes[b] for b in reused]))
