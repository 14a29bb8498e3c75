"""Run chains along rows a block of rows at a time: softmax, layer norm, standardising, filters along both axes.

The one idea: steps that treat every row (every index of a first axis they share) alike can be run for a block of rows,
one after the other, before the next block is touched.  Values that a step hands to the next then never leave the cache,
and temporaries shrink to a block.  Each row's arithmetic is the same, so no bit changes.  Where a step reads a few rows
ahead (a stencil of a stencil), the steps before it compute these rows, too, and the next block computes them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from weft.ir.kernels.plan import BlockLaunch, MapLaunch, Operand, Plan, Step, touched_bytes
from weft.ir.kernels.plan_spec import arguments
from weft.passes.planning.row_steps import MOST_AHEAD, RowStep, extent, halos, merged, operands

BLOCK_BYTES = 1 << 18  # what a block touches; well inside a core's own cache
WORTH = 1 << 20  # bytes from which the trip through memory is felt
OWN = 16  # rows of a block for each row that is computed twice, if the scratch suffices
OWN_LEAST = 2  # the same, at least
STACK_BYTES = 1 << 19  # scratch of a block at most: it lies on a worker's stack
MAX_ARGUMENTS = 256
ALIGN = 64
LINE = 64  # bytes of a cache line
WORTH_ACROSS = 1 << 25  # the same where rows lie side by side: up to here caches serve reading across them well


@dataclass(slots=True)
class BufferUse:
    """A buffer of a plan: its bytes, whether it is an output, and the last step that reads it."""

    nbytes: int
    output: bool
    last: int  # the last step that reads it


Group = tuple[int, int, BlockLaunch]  # first step, end, what runs in their place


def blocked(
    steps: Sequence[Step], buffers: Sequence[BufferUse], input_count: int
) -> tuple[tuple[Group, ...], set[int]]:
    """Return the groups of steps to run block by block, and the numbers of buffers that then need no memory.

    `input_count` is the number of a program's inputs; `buffers` describes its buffers.
    """
    groups: list[Group] = []
    gone: set[int] = set()
    if len(steps) < 2 or input_count + len(buffers) > MAX_ARGUMENTS:
        return (), gone
    steps = [_with_rows(s) for s in steps]
    extents = [extent(s) for s in steps]
    at = end = 0  # steps before `end` have about the extent of step `at`
    while at < len(steps):
        if at == end:
            end = _end_of_alike(extents, at)
            if end - at < 2 or not _may_pay(steps[at:end]):
                at = end
                continue
        stop = _chain(steps, at, end, buffers, input_count)
        made = _block_launch(steps, at, stop, buffers, input_count) if stop - at > 1 else None
        if made is not None:
            groups.append((at, stop, made[0]))
            gone |= made[1]
        at = at + 1 if made is None else stop
    return tuple(groups), gone


def regrouped(plan: Plan, borders: Sequence[tuple[int, int]]) -> Plan | None:
    """Return a plan whose steps between each pair (first, end) of `borders` form a group that runs block by block.

    None if `blocked` would not group them so. Buffers with arena -2 live in the blocks of groups.
    """
    if not borders:
        return None if any(b.arena == -2 for b in plan.buffers) else plan
    last: dict[int, int] = {}
    for k, step in enumerate(plan.steps):
        last |= {arg - plan.inputs: k for arg in arguments(step)[0]}
    handed = [
        BufferUse(prod(b.shape) * b.dtype.itemsize, b.arena == -1, last.get(j, len(plan.steps)))
        for j, b in enumerate(plan.buffers)
    ]
    groups, gone = blocked(plan.steps, handed, plan.inputs)
    if [group[:2] for group in groups] != [*borders] or gone != {
        j for j, b in enumerate(plan.buffers) if b.arena == -2
    }:
        return None
    return replace(plan, blocks=groups)


def _with_rows(step: Step) -> Step:
    """Return a step of one row as one of rows along a later axis, where that is possible."""
    while extent(step) == 1:
        assert isinstance(step, RowStep)
        finer = merged(step)
        if finer is None:
            break
        step = finer
    return step


def _end_of_alike(extents: Sequence[int], first: int) -> int:
    """Return the end of the run of steps from `first` with row counts that are equal or fall slightly.

    It is `first` + 1 for a step with at most one row.
    """
    stop = first + 1
    while stop < len(extents) and max(2, extents[first] - MOST_AHEAD) <= extents[stop] <= extents[stop - 1]:
        stop += 1
    return stop


def _may_pay(stretch: Sequence[Step]) -> bool:
    """True if two steps touch one argument of at least `WORTH` bytes; without one, blocks save nothing."""
    return any(len(n) > 1 and max(n) >= WORTH for n in _touches(stretch).values())


def _chain(steps: Sequence[Step], first: int, end: int, buffers: Sequence[BufferUse], input_count: int) -> int:
    """Return the end of the longest run of steps from `first`, up to `end`, that may run block by block.

    All steps of a run access an argument with one row stride. `buffers` and `input_count` are those of `blocked`.
    """
    strides: dict[int, int] = {}
    for stop in range(first, end):
        step = steps[stop]
        assert isinstance(step, RowStep)
        if any(strides.setdefault(o.arg, o.strides[0]) != o.strides[0] for o in operands(step)):
            end = max(stop, first + 1)
            break
    run = [s for s in steps[first:end] if isinstance(s, RowStep)]
    while len(run) > 1 and _halos(run, first + len(run), buffers, input_count) is None:
        local = _local(run, first + len(run), buffers, input_count)
        least = next((extent(s) for s in run if operands(s)[-1].arg - input_count not in local), 0)
        run = [s for s in run[:-1] if extent(s) >= least]  # beside a value that is kept, no step may have fewer rows
    return first + len(run)


def _halos(run: Sequence[RowStep], stop: int, buffers: Sequence[BufferUse], input_count: int) -> list[int] | None:
    """Return the rows beyond a block that each step of `run`, the steps before step `stop`, computes, as `halos` does.

    None if they cannot run by blocks. `buffers` and `input_count` are those of `blocked`.
    """
    return halos(run, {input_count + j for j in _local(run, stop, buffers, input_count)})


def _local(run: Sequence[RowStep], stop: int, buffers: Sequence[BufferUse], input_count: int) -> set[int]:
    """Return the numbers of the buffers that only the steps of `run`, those before step `stop`, write and read."""
    written = {operands(s)[-1].arg - input_count for s in run}
    return {j for j in written if not buffers[j].output and buffers[j].last < stop}


def _block_launch(
    steps: Sequence[Step], first: int, stop: int, buffers: Sequence[BufferUse], input_count: int
) -> tuple[BlockLaunch, set[int]] | None:
    """Return the steps from `first` up to `stop` as one launch, with the numbers of its local buffers.

    These live in the launch's blocks. None if that saves nothing. `buffers` and `input_count` are those of `blocked`.
    """
    run = _fine([s for s in steps[first:stop] if isinstance(s, RowStep)])
    written = {operands(s)[-1].arg for s in run}
    read = {o.arg for k, s in enumerate(run) for o in operands(s)[:-1] if k}
    passed = [a for a in written & read if not _shared(run, a)]
    again = max((min(n) for n in _touches(run, outputs=False).values() if len(n) > 1), default=0)  # read twice
    if not passed or (max(buffers[a - input_count].nbytes for a in passed) < WORTH and again < WORTH):
        return None
    if any(_shared(run, a) for a in written):
        return None
    local, beyond = _local(run, stop, buffers, input_count), _halos(run, stop, buffers, input_count)
    assert beyond is not None
    rows, twice = extent(run[-1]), max(beyond)
    size = max(1, min(rows, BLOCK_BYTES * rows // max(1, _touched(run))))
    if twice:  # blocks large enough that few rows are computed twice, and small enough for the stack
        held = sum([buffers[j].nbytes for j in local]) // rows + 1
        size = min(max(size, OWN * twice), STACK_BYTES // held - twice)
        if size < OWN_LEAST * twice:
            return None
    apart = min([_row_spacing(o) for s in run for o in operands(s)[:-1]], default=LINE)
    if apart < LINE:  # whole cache lines, and several of them
        size -= size % (LINE // apart)
        if size * apart < 2 * LINE or again < WORTH_ACROSS:
            return None
    if size * 2 > rows:  # a single block saves nothing
        return None
    shifts, places, scratch = _addresses(run, local, size, beyond, input_count, buffers)
    if scratch > STACK_BYTES or len(shifts) > MAX_ARGUMENTS:
        return None
    tail = rows % size
    launch = BlockLaunch(
        _cut(run, size, beyond), _cut(run, tail, beyond) if tail else (), rows // size, shifts, places, scratch
    )  # fmt: skip
    return launch, local


def _fine(run: list[RowStep]) -> list[RowStep]:
    """Return steps with as many, but shorter, rows, as far as one row exceeds a block."""
    while len({extent(s) for s in run}) == 1 and _touched(run) > BLOCK_BYTES * extent(run[0]):
        shorter = [s for s in map(merged, run) if s is not None]
        if len(shorter) < len(run) or len({extent(s) for s in shorter}) > 1:
            break
        run = shorter
    return run


def _row_spacing(operand: Operand) -> int:
    """Return the bytes between an operand's rows if its cells lie further apart than its rows.

    It is 64, a cache line, for other operands.
    """
    within = [abs(s) for s in operand.strides[1:] if s]
    apart = abs(operand.strides[0])
    return apart if within and 0 < apart < min(within) else LINE


def _shared(run: Sequence[RowStep], arg: int) -> bool:
    """True if all rows use the same cells of argument `arg`."""
    return all(o.strides[0] == 0 for s in run for o in operands(s) if o.arg == arg)


def _touches(run: Sequence[Step], outputs: bool = True) -> dict[int, list[int]]:
    """Return, by argument, the bytes that each step touches of it; just those that it reads without `outputs`."""
    found: dict[int, dict[int, int]] = {}
    for k, s in enumerate(run):
        assert isinstance(s, RowStep)
        for o in operands(s)[: None if outputs else -1]:
            by_step = found.setdefault(o.arg, {})
            by_step[k] = max(by_step.get(k, 0), touched_bytes(o, s.rows[0].sizes))
    return {arg: [*by_step.values()] for arg, by_step in found.items()}


def _touched(run: Sequence[RowStep]) -> int:
    """Return the bytes of all arguments of the steps, each counted once."""
    return sum(map(max, _touches(run).values()))


def _addresses(
    run: Sequence[RowStep],
    local: set[int],
    block_rows: int,
    beyond: Sequence[int],
    input_count: int,
    buffers: Sequence[BufferUse],
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...], int]:
    """Return the byte step of each argument between blocks, the offsets of local buffers, and their total bytes.

    `run` are the steps of the group, `local` the buffers that live in a block of `block_rows` rows, to which each step
    adds as many as `beyond` says. The program has `input_count` inputs and `buffers`.
    """
    shifts = [0] * (input_count + len(buffers))
    places, scratch = [], 0
    for s in run:
        for o in operands(s):
            if o.arg - input_count in local:
                continue
            shifts[o.arg] = block_rows * o.strides[0]
    made = {operands(s)[-1].arg - input_count: (extent(s), halo) for s, halo in zip(run, beyond, strict=True)}
    for number in sorted(local):
        places.append((input_count + number, scratch))
        rows, halo = made[number]
        scratch += -(-(buffers[number].nbytes // rows * (block_rows + halo)) // ALIGN) * ALIGN
    return tuple(shifts), tuple(places), scratch


def _cut(run: Sequence[RowStep], rows: int, beyond: Sequence[int]) -> tuple[RowStep, ...]:
    """Return the steps restricted to their first `rows` rows, and to as many more as `beyond` says."""
    found: list[RowStep] = []
    for step, halo in zip(run, beyond, strict=True):
        (row,) = step.rows
        cut = row._replace(sizes=(rows + halo, *row.sizes[1:]))
        if isinstance(step, MapLaunch):
            found.append(MapLaunch((cut,)))
        else:
            found.append(replace(step, shape=(rows + halo, *step.shape[1:]), rows=(cut,)))
    return tuple(found)
