"""The rules of a legal plan: rows fill every cell once, and stay within their memory.

The one idea: a plan is numbers, so a small one is checked by listing every range of bytes that it writes, and a large
one by the ends of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import InternalError, ShapeError
from weft.ir.atoms.selections import MAX_CELLS
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import product_shape
from weft.ir.graph.ops import ACCEPTS, OPS, Op
from weft.ir.kernels.body_spec import row_fault
from weft.ir.kernels.in_place import may_blocks_write_over, may_write_over
from weft.ir.kernels.plan import (
    BinLaunch,
    BlockLaunch,
    CallStep,
    MapLaunch,
    Operand,
    Plan,
    ReduceLaunch,
    Row,
    ScanLaunch,
    Step,
)
from weft.ir.pieces.lattice import box, extent

LISTED = 20_000  # cells of a step up to which the ranges that it writes are listed
MOST_AXES = 64
ALIGN = 64  # bytes to which temporaries are aligned

Range = tuple[int, int]


def check_plan(plan: Plan, leaves: Sequence[TensorDescription]) -> None:
    """Raise InternalError if a plan is not legal for inputs with the descriptions `leaves`."""
    if wrong := fault(plan, [bounds_of(d) for d in leaves], True):
        raise InternalError(f"plan: {wrong}; please report this")


def bounds_of(desc: TensorDescription) -> Range:
    """Return (first byte, end) of a tensor's cells, counted from its first cell."""
    return extent(box(0, desc.strides or (), desc.shape, desc.dtype.itemsize))


def argument_bounds(plan: Plan, leaves: Sequence[Range]) -> list[Range]:
    """Return the byte ranges of a plan's arguments: `leaves` for its inputs, then those of its buffers."""
    return [*leaves, *[(0, prod(b.shape) * b.dtype.itemsize) for b in plan.buffers]]


def fault(plan: Plan, leaves: Sequence[Range], is_ours: bool = False) -> str:
    """Return a text with the first fault of a plan, else ""; `leaves` are the byte ranges of its inputs.

    A plan without a fault reads and writes within its arguments, whichever values these have, except for takes, whose
    addresses are values. With `is_ours`, the plan was made here, so inputs may be written, and cells of small maps are
    listed to check that each is written once.
    """
    if len(leaves) != plan.inputs:
        return f"{plan.inputs} inputs of a plan over {len(leaves)} arrays"
    bounds = argument_bounds(plan, leaves)
    if any(not 0 <= k < len(plan.scalars) for k in plan.slots):
        return f"slots of the scalars {plan.slots}, of which there are {len(plan.scalars)}"
    if wrong := _buffers_fault(plan, is_ours):
        return wrong
    touched = [arguments(s) for s in plan.steps]
    for number, step in enumerate(plan.steps):
        wrong = _step_fault(step, plan, bounds)
        if is_ours and not wrong and isinstance(step, MapLaunch):
            wrong = _cells_fault(step, plan)
        if not is_ours and not wrong and min(touched[number][1], default=plan.inputs) < plan.inputs:
            wrong = "it writes an input"
        if wrong:
            return f"step {number}: {wrong}:\n{step}"
    lives = _lives(plan, touched)
    return lives if type(lives) is str else _arena_fault(plan, *lives) if is_ours else ""


def _buffers_fault(plan: Plan, is_ours: bool) -> str:
    """Return the fault of buffers that are too large or outside the arena, or of wrong outputs, else "".

    Buffers larger than the address space are legal in a plan made here (`is_ours`): running it raises OutOfMemory.
    """
    for j, b in enumerate(plan.buffers):
        nbytes = prod(b.shape) * b.dtype.itemsize
        counted = prod([n for n in b.shape if n]) * (1 if is_ours else b.dtype.itemsize)
        if len(b.shape) > MOST_AXES or counted > MAX_CELLS:
            return f"buffer {j} of shape {b.shape}; no memory is as large"
        if b.arena >= 0 and (b.arena % ALIGN or b.arena + nbytes > plan.arena_bytes):
            return f"buffer {j} of {nbytes} bytes at {b.arena} of an arena of {plan.arena_bytes}"
    if any(not 0 <= k < len(plan.buffers) or plan.buffers[k].arena != -1 for k in plan.outputs):
        return f"outputs {plan.outputs} of {len(plan.buffers)} buffers"
    return "" if len(set(plan.outputs)) == len(plan.outputs) else f"outputs {plan.outputs}; each is another buffer"


def _step_fault(step: Step, plan: Plan, bounds: Sequence[Range]) -> str:
    if isinstance(step, CallStep):
        if len(step.args) != len(step.shapes):
            return f"{len(step.args)} operands of {len(step.shapes)} shapes"
        places = [*zip(step.args, step.shapes, strict=True), (step.out, step.out_shape)]
        outside = next((w for o, shape in places if (w := _outside(o, shape, bounds, True))), "")
        return outside or _shapes_fault(step)
    scalars = plan.slot_dtypes()
    for row in step.rows:
        if wrong := row_fault(row, scalars) or _box_fault(row.sizes):
            return wrong
        if wrong := next((w for o in row.operands if (w := _outside(o, row.sizes, bounds))), ""):
            return wrong
    if isinstance(step, MapLaunch):
        return _map_fault(step, bounds)
    if wrong := _fold_fault(step):
        return wrong
    if isinstance(step, BinLaunch):
        sides = [step.numbers, step.weights] if step.weights else [step.numbers]
        tilings = [_tiling_fault(rows, step.shape) for rows in sides]
        return _outside(step.out, (step.bins,), bounds, True) or next(filter(None, tilings), "")
    shape = step.shape[: step.kept] if isinstance(step, ReduceLaunch) else step.shape
    if not isinstance(step, ReduceLaunch) and step.include_initial:
        shape = (*shape[:-1], shape[-1] + 1)
    return _outside(step.out, shape, bounds, True) or _tiling_fault(step.rows, step.shape)


def _box_fault(sizes: tuple[int, ...]) -> str:
    large = len(sizes) > MOST_AXES or prod([n for n in sizes if n]) > MAX_CELLS
    return f"a box {sizes}; loops count to 2**62 along {MOST_AXES} axes" if large else ""


def _fold_fault(step: ReduceLaunch | ScanLaunch | BinLaunch) -> str:
    """Return the fault of a reduction's, scan's or bin count's op or dtypes, else ""."""
    kind, out = {ReduceLaunch: "reduce", ScanLaunch: "scan", BinLaunch: "bins"}[type(step)], step.out.dtype
    op = OPS.get(step.op)
    if op is None or op.kind != kind:
        return f"{step.op} is no operation of kind {kind}"
    if any(len(r.start) != len(r.sizes) for r in step.rows):
        return "a row that does not say where it begins"
    if wrong := _box_fault(step.shape):
        return wrong
    found = {r.body[-1].dtype for r in step.rows}
    if isinstance(step, BinLaunch):
        numbers, weights = ({r.body[-1].dtype for r in rows} for rows in (step.numbers, step.weights))
        wanted = out in (dt.int64, dt.uint64, dt.float64) if step.op == "bin_sums" else out is dt.int64
        fits = wanted and len(numbers) <= 1 and all(d.is_integer for d in numbers) and weights <= {out}
        whole = step.out.strides in ((8,), ()) or step.bins < 2
        counts = bool(step.weights) == (step.op == "bin_sums") or 0 in step.shape
        return "" if fits and whole and counts and not step.out.swapped else "bins of other dtypes than their op has"
    if isinstance(step, ReduceLaunch) and step.kept > len(step.shape):
        return f"{step.kept} kept axes of shape {step.shape}"
    if isinstance(step, ScanLaunch) and (len(step.rows) > 1 or not step.shape):
        return f"a scan of {len(step.rows)} rows of shape {step.shape}"
    return "" if found <= {step.acc} and _accumulates(op, step.acc, out) else f"{step.op} of {step.acc} to {out}"


def _accumulates(op: Op, accumulator: DType, result: DType) -> bool:
    """True if a reduction or scan of this op may compute in dtype `accumulator` and return dtype `result`."""
    if op.name in ("any", "all", "count_nonzero"):
        return accumulator is dt.bool and result is (dt.int64 if op.name == "count_nonzero" else dt.bool)
    if op.rule in ("same", "index"):
        return (
            accumulator.kind in ACCEPTS[op.accepts]
            and not accumulator.storage
            and result is (accumulator if op.rule == "same" else dt.int64)
        )
    return (
        accumulator is result.compute
        and result.kind in ACCEPTS[op.accepts]
        and (op.rule != "float" or result.is_inexact)
    )


def _shapes_fault(step: CallStep) -> str:
    """Return the fault of operands in shapes of other numbers of cells, or of a product of another shape, else ""."""
    seen = [o.merged or shape for o, shape in zip(step.args, step.shapes, strict=True)]
    if any(prod(a) != prod(b) for a, b in zip(seen, step.shapes, strict=True)):
        return f"operands of shapes {step.shapes} seen as {seen}"
    if step.name != "matmul":
        return ""
    try:
        legal = len(seen) == 2 and product_shape(*seen) == step.out_shape
    except ShapeError:
        legal = False
    return "" if legal else f"a product of shapes {seen} in {step.out_shape}"


def _outside(operand: Operand, shape: tuple[int, ...], bounds: Sequence[Range], must_be_stored: bool = False) -> str:
    """Return the fault of an operand with cells outside its argument, as text, else "".

    `shape` is that of the row's box, `bounds` the byte range of each argument. With `must_be_stored`, a coordinate is a
    fault, too.
    """
    if operand.arg >= len(bounds) or len(operand.strides) != len(shape) or (must_be_stored and operand.arg < 0):
        return f"operand {operand} of a box {shape}, in a plan of {len(bounds)} arguments"
    if operand.arg < 0 or 0 in shape:
        return ""
    low, high = extent(box(operand.offset, operand.strides, shape, operand.dtype.itemsize))
    first, stop = bounds[operand.arg]
    if first <= low and high <= stop:
        return ""
    return f"bytes {low} to {high} of argument {operand.arg}, which has {first} to {stop}"


def _runs(operand: Operand, sizes: tuple[int, ...]) -> list[Range]:
    """Return the byte ranges of an operand's cells; cells that touch along axes are one range.

    >>> _runs(Operand(0, 0, (24, 8), dt.float64), (2, 3)), _runs(Operand(0, 8, (-8, 32), dt.float64), (2, 2))
    ([(0, 48)], [(0, 16), (32, 48)])
    """
    if 0 in sizes:
        return []
    nbytes, starts = operand.dtype.itemsize, [operand.offset]
    for stride, size in sorted([(abs(s), n) for s, n in zip(operand.strides, sizes, strict=True) if n > 1]):
        if stride == nbytes and len(starts) == 1:
            nbytes *= size
        else:
            starts = [at + stride * k for at in starts for k in range(size)]
    below = sum([s * (n - 1) for s, n in zip(operand.strides, sizes, strict=True) if s < 0])
    return [(at + below, at + below + nbytes) for at in starts]


def _map_fault(step: MapLaunch, bounds: Sequence[Range]) -> str:
    """Return the fault of rows that write outside their targets, or more cells than these have, else "".

    `bounds` is the byte range of each argument.
    """
    nbytes: dict[int, int] = {}
    for row in step.rows:
        if row.out is None or row.out.dtype is not row.body[-1].dtype:
            return f"a row of dtype {row.body[-1].dtype} written to {row.out}"
        if wrong := _outside(row.out, row.sizes, bounds, True):
            return wrong
        nbytes[row.out.arg] = nbytes.get(row.out.arg, 0) + prod(row.sizes) * row.out.dtype.itemsize
    for arg, n in nbytes.items():
        first, stop = bounds[arg]
        if n > stop - first:
            return f"{n} bytes written to argument {arg}, which has {stop - first}"
    return ""


def _cells_fault(step: MapLaunch, plan: Plan) -> str:
    """Return the fault of rows that write a cell twice or leave out cells of a buffer, else "".

    Large maps are not checked.
    """
    cells = sum([prod(row.sizes) for row in step.rows])
    if not step.rows or cells > LISTED:
        return ""
    written: dict[int, list[Range]] = {}
    for row in step.rows:
        if row.out is not None:
            written.setdefault(row.out.arg, []).extend(_runs(row.out, row.sizes))
    if any(start < end for runs in written.values() for (_, end), (start, _) in pairwise(sorted(runs))):
        return "two rows write one cell"
    number = next(iter(written)) - plan.inputs
    size = prod(plan.buffers[number].shape) if 0 <= number < len(plan.buffers) else cells
    return "" if cells == size else f"{cells} of {size} cells are written"


def _tiling_fault(rows: Sequence[Row], shape: tuple[int, ...]) -> str:
    """Return the fault of rows whose boxes do not cover a shape with each cell once, else ""."""
    cells = sum(prod(r.sizes) for r in rows)
    if cells != prod(shape):
        return f"rows of {cells} cells for {prod(shape)}"
    if any(len(r.sizes) != len(shape) for r in rows):
        return f"boxes of another rank than {shape}"
    boxes = [(r.start, [a + n for a, n in zip(r.start, r.sizes, strict=True)]) for r in rows if 0 not in r.sizes]
    if any(stop > n for _, stops in boxes for stop, n in zip(stops, shape, strict=True)):
        return f"a box beyond the shape {shape}"
    return "rows overlap" if len(boxes) > 1 and _meet_anywhere(boxes) else ""


def _meet_anywhere(boxes: Sequence[tuple[Sequence[int], Sequence[int]]]) -> bool:
    """True if any two of the boxes, given as (first cell, end), share a cell."""
    low, high = (np.array([b[k] for b in boxes], np.int64) for k in (0, 1))
    return any(((low[:k] < high[k]) & (low[k] < high[:k])).all(axis=1).any() for k in range(1, len(boxes)))


def _lives(plan: Plan, accesses: Sequence[tuple[set[int], set[int]]]) -> tuple[dict[int, int], dict[int, int]] | str:
    """Return, by buffer, the step that writes it, and the last step that reads it.

    If a buffer is read before it is written, returns that fault as text. `accesses` has the arguments that each step
    reads and writes.
    """
    written: dict[int, int] = {}
    last: dict[int, int] = {}
    for number, (read, made) in enumerate(accesses):
        for arg in read:
            if arg >= plan.inputs:
                if arg - plan.inputs not in written and 0 not in plan.buffers[arg - plan.inputs].shape:
                    return f"step {number} reads buffer {arg - plan.inputs} before it is written"
                last[arg - plan.inputs] = number
        written |= {arg - plan.inputs: number for arg in made}
    return written, last


def _arena_fault(plan: Plan, written: dict[int, int], last_read: dict[int, int]) -> str:
    """Return the fault of temporaries that share a byte while both are in use, as text, else "".

    `written` and `last_read` are the results of `_lives`.
    """
    over = _written_over(plan, written, last_read)
    for at, stop, _ in plan.blocks:  # steps of a group run by turns: a buffer that one needs, all need
        for j, first in written.items():
            if first < stop and last_read.get(j, first) >= at:
                written[j], last_read[j] = min(first, at), max(last_read.get(j, first), stop - 1)
    temporaries = [j for j, b in enumerate(plan.buffers) if b.arena >= 0 and j in written]
    ends = [(b.arena, b.arena + prod(b.shape) * b.dtype.itemsize) for b in plan.buffers]
    gone = [over.get(j, last_read.get(j, written[j]) + 1) for j in temporaries]
    spans = np.array([(*ends[j], written[j], g) for j, g in zip(temporaries, gone, strict=True)], np.int64)
    spans = spans.reshape(-1, 4)
    low, high, begun, end = spans.T
    for k in range(1, len(temporaries)):
        meet = (low[:k] < high[k]) & (low[k] < high[:k]) & (begun[:k] < end[k]) & (begun[k] < end[:k])
        if meet.any():
            return f"buffers {temporaries[int(meet.argmax())]} and {temporaries[k]} live at once in the same bytes"
    return ""


def arguments(step: Step) -> tuple[set[int], set[int]]:
    """Return the numbers of the arguments that a step reads, and of the arguments that it writes."""
    if isinstance(step, CallStep):
        return {o.arg for o in step.args}, {step.out.arg}
    if isinstance(step, BlockLaunch):
        pairs = [arguments(s) for s in step.steps]
        made = {arg for _, out in pairs for arg in out}
        return {arg for found, _ in pairs for arg in found} - made, made
    read = {o.arg for r in step.rows for o in r.operands}
    if isinstance(step, MapLaunch):
        return read, {r.out.arg for r in step.rows if r.out is not None}
    return read, {step.out.arg}


def _written_over(plan: Plan, written: dict[int, int], last_read: dict[int, int]) -> dict[int, int]:
    """Map buffers that another may overwrite during their last read to the step where that begins.

    The step is the first of its group of blocks. `written` and `last_read` give steps by buffer.
    """
    running = {k: group for group in plan.blocks for k in range(*group[:2])}
    makers: dict[int, list[int]] = {}  # what is written, by the first step of its group
    for k, number in written.items():
        makers.setdefault(running[number][0] if number in running else number, []).append(k)
    found: dict[int, int] = {}
    for j, number in last_read.items():
        first, _, launch = running.get(number, (number, number, None))
        for k in makers.get(first, ()):
            same = plan.buffers[j].arena == plan.buffers[k].arena >= 0 and written.get(j, first) < first
            ours, theirs = plan.inputs + k, plan.inputs + j
            if same and (
                may_blocks_write_over(launch, theirs, ours)
                if launch
                else may_write_over(plan.steps[first], {theirs: 0})
            ):
                found[j] = first
    return found
