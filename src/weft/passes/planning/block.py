"""Run chains along rows a block of rows at a time: softmax, layer norm, standardising.

The one idea: steps that treat every row (every index of a first axis they share) alike can be run for a block of rows,
one after the other, before the next block is touched.  Values that a step hands to the next then never leave the cache,
and temporaries shrink to a block.  Each row's arithmetic is the same, so no bit changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from weft.ir.kernels.plan import BlockLaunch, MapLaunch, Operand, Plan, ReduceLaunch, Row, Step
from weft.ir.kernels.plan_spec import arguments

BLOCK_BYTES = 1 << 18  # what a block touches; well inside a core's own cache
WORTH = 1 << 20  # bytes from which the trip through memory is felt
STACK_BYTES = 1 << 19  # scratch of a block at most: it lies on a worker's stack
MAX_ARGUMENTS = 256
ALIGN = 64
LINE = 64  # bytes of a cache line
WORTH_ACROSS = 1 << 25  # the same where rows lie side by side: up to here caches serve reading across them well

RowStep = MapLaunch | ReduceLaunch


@dataclass(slots=True)
class Handed:
    """A buffer of a plan: its bytes, whether it is an output, and the last step that reads it."""

    nbytes: int
    output: bool
    last: int  # the last step that reads it


def extent(step: Step) -> int:
    """Return the number of rows of a step that treats all rows alike; 0 for other steps."""
    if isinstance(step, MapLaunch):
        (row,) = step.rows if len(step.rows) == 1 else (None,)
        return row.sizes[0] if row is not None and row.sizes and _plain(row) else 0
    if isinstance(step, ReduceLaunch) and step.kept and len(step.rows) == 1 and _plain(step.rows[0]):
        return step.shape[0] if step.rows[0].sizes == step.shape else 0
    return 0


def _plain(row: Row) -> bool:
    """True if no operand of a row is a coordinate along the first axis, and no cell is looked up."""
    return all(o.arg >= 0 or not o.strides[0] for o in row.operands) and not any(i.op == "gather" for i in row.body)


def operands(step: RowStep) -> list[Operand]:
    """Return all operands of a step, its output last."""
    row = step.rows[0]
    out = step.out if isinstance(step, ReduceLaunch) else row.out
    assert out is not None
    return [*(o for o in row.operands if o.arg >= 0), out]


Group = tuple[int, int, BlockLaunch]  # first step, end, what runs in their place


def blocked(steps: Sequence[Step], handed: Sequence[Handed], inputs: int) -> tuple[tuple[Group, ...], set[int]]:
    """Return the groups of steps to run block by block, and the numbers of buffers that then need no memory.

    `inputs` is the number of a program's inputs; `handed` describes its buffers.
    """
    groups: list[Group] = []
    gone: set[int] = set()
    if len(steps) < 2 or inputs + len(handed) > MAX_ARGUMENTS:
        return (), gone
    extents = [extent(s) for s in steps]
    at = end = 0  # steps before `end` have the extent of step `at`
    while at < len(steps):
        if at == end:
            end = _same(extents, at)
            if end - at < 2 or not _may_pay(steps[at:end]):
                at = end
                continue
        stop = _chain(steps, at, end)
        made = _made(steps, at, stop, handed, inputs) if stop - at > 1 else None
        if made is not None:
            groups.append((at, stop, made[0]))
            gone |= made[1]
        at = at + 1 if made is None else stop
    return tuple(groups), gone


def regrouped(made: Plan, borders: Sequence[tuple[int, int]]) -> Plan | None:
    """Return a plan with the steps between some borders grouped; None if `blocked` would not group them so.

    Buffers with arena -2 live in the blocks of groups.
    """
    if not borders:
        return None if any(b.arena == -2 for b in made.buffers) else made
    last: dict[int, int] = {}
    for k, step in enumerate(made.steps):
        last |= {arg - made.inputs: k for arg in arguments(step)[0]}
    handed = [
        Handed(prod(b.shape) * b.dtype.itemsize, b.arena == -1, last.get(j, len(made.steps)))
        for j, b in enumerate(made.buffers)
    ]
    groups: list[Group] = []
    gone: set[int] = set()
    end = 0
    for at, stop in borders:
        alike = end <= at < stop - 1 < len(made.steps) and len({extent(s) for s in made.steps[at:stop]}) == 1
        if not alike or extent(made.steps[at]) < 2 or _chain(made.steps, at, stop) != stop:
            return None
        found = _made(made.steps, at, stop, handed, made.inputs)
        if found is None:
            return None
        groups.append((at, stop, found[0]))
        gone |= found[1]
        end = stop
    if gone != {j for j, b in enumerate(made.buffers) if b.arena == -2}:
        return None
    return replace(made, blocks=tuple(groups))


def _same(extents: Sequence[int], at: int) -> int:
    """Return the end of the run of steps from `at` with equal numbers of rows.

    It is `at` + 1 for a step with at most one row.
    """
    stop = at + 1
    while extents[at] > 1 and stop < len(extents) and extents[stop] == extents[at]:
        stop += 1
    return stop


def _may_pay(stretch: Sequence[Step]) -> bool:
    """True if two steps touch one argument of at least `WORTH` bytes; without one, blocks save nothing."""
    most: dict[int, int] = {}
    for s in stretch:
        assert isinstance(s, RowStep)
        for o in operands(s):
            known = most.get(o.arg, -1)
            found = max(known, _bytes(o, s.rows[0].sizes))
            if known >= 0 and found >= WORTH:
                return True
            most[o.arg] = found
    return False


def _chain(steps: Sequence[Step], at: int, end: int) -> int:
    """Return the end of the longest run of steps from `at` with one row stride per argument.

    The run ends at `end` at the latest.
    """
    strides: dict[int, int] = {}
    for stop in range(at, end):
        step = steps[stop]
        assert isinstance(step, RowStep)
        if any(strides.setdefault(o.arg, o.strides[0]) != o.strides[0] for o in operands(step)):
            return max(stop, at + 1)
    return end


def _made(
    steps: Sequence[Step], at: int, stop: int, handed: Sequence[Handed], inputs: int
) -> tuple[BlockLaunch, set[int]] | None:
    """Return the steps `at` to `stop` as one launch, with the buffers that live in its blocks.

    None if that saves nothing.
    """
    run = [s for s in steps[at:stop] if isinstance(s, RowStep)]
    written = {operands(s)[-1].arg for s in run}
    read = {o.arg for k, s in enumerate(run) for o in operands(s)[:-1] if k}
    passed = [a for a in written & read if not _shared(run, a)]
    again = _read_twice(run)
    if not passed or (max(handed[a - inputs].nbytes for a in passed) < WORTH and again < WORTH):
        return None
    if any(_shared(run, a) for a in written):
        return None
    local = {a - inputs for a in written if not handed[a - inputs].output and handed[a - inputs].last < stop}
    rows = extent(run[0])
    size = max(1, min(rows, BLOCK_BYTES * rows // max(1, _touched(run))))
    apart = min([_side_by_side(o) for s in run for o in operands(s)[:-1]], default=LINE)
    if apart < LINE:  # whole cache lines, and several of them
        size -= size % (LINE // apart)
        if size * apart < 2 * LINE or again < WORTH_ACROSS:
            return None
    if size * 2 > rows:
        return None
    shifts, places, scratch = _addresses(run, local, size, inputs, len(handed), handed, rows)
    if scratch > STACK_BYTES or len(shifts) > MAX_ARGUMENTS:
        return None
    tail = rows % size
    launch = BlockLaunch(
        tuple(_cut(s, size) for s in run), tuple(_cut(s, tail) for s in run) if tail else (), rows // size,
        shifts, places, scratch,
    )  # fmt: skip
    return launch, local


def _side_by_side(o: Operand) -> int:
    """Return the bytes between an operand's rows if its cells lie further apart than its rows.

    It is 64, a cache line, for other operands.
    """
    within = [abs(s) for s in o.strides[1:] if s]
    apart = abs(o.strides[0])
    return apart if within and 0 < apart < min(within) else LINE


def _shared(run: Sequence[RowStep], arg: int) -> bool:
    """True if all rows use the same cells of argument `arg`."""
    return all(o.strides[0] == 0 for s in run for o in operands(s) if o.arg == arg)


def _bytes(o: Operand, sizes: tuple[int, ...]) -> int:
    return prod(n for n, s in zip(sizes, o.strides, strict=False) if s) * o.dtype.itemsize


def _touched(run: Sequence[RowStep]) -> int:
    """Return the bytes of all arguments of the steps, each counted once."""
    most: dict[int, int] = {}
    for s in run:
        for o in operands(s):
            most[o.arg] = max(most.get(o.arg, 0), _bytes(o, s.rows[0].sizes))
    return sum(most.values())


def _read_twice(run: Sequence[RowStep]) -> int:
    """Return the bytes of the largest argument that several steps read; 0 if there is none."""
    readers: dict[int, list[int]] = {}
    for s in run:
        for arg in {o.arg for o in operands(s)[:-1]}:
            readers.setdefault(arg, []).append(max(_bytes(o, s.rows[0].sizes) for o in operands(s) if o.arg == arg))
    return max((min(r) for r in readers.values() if len(r) > 1), default=0)


def _addresses(
    run: Sequence[RowStep], local: set[int], size: int, inputs: int, buffers: int, handed: Sequence[Handed], rows: int
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...], int]:
    """Return the byte step of each argument between blocks, the offsets of local buffers, and their total bytes.

    `local` are the buffers that live in a block of `size` rows.
    """
    shifts = [0] * (inputs + buffers)
    places, scratch = [], 0
    for s in run:
        for o in operands(s):
            if o.arg - inputs in local:
                continue
            shifts[o.arg] = size * o.strides[0]
    for number in sorted(local):
        places.append((inputs + number, scratch))
        scratch += -(-(handed[number].nbytes // rows * size) // ALIGN) * ALIGN
    return tuple(shifts), tuple(places), scratch


def _cut(step: RowStep, size: int) -> RowStep:
    """Return the step restricted to its first `size` rows."""
    (row,) = step.rows
    cut = row._replace(sizes=(size, *row.sizes[1:]))
    if isinstance(step, MapLaunch):
        return MapLaunch((cut,))
    return replace(step, shape=(size, *step.shape[1:]), rows=(cut,))
