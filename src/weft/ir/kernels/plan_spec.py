"""The rules of a legal plan: rows fill every cell once, and stay within their memory.

The one idea: a plan is numbers, so a small one can be checked by listing every address that it touches, and a large
one by the ends of its ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from weft.errors import InternalError
from weft.ir.graph.description import TensorDescription, c_strides
from weft.ir.kernels.plan import (
    BinLaunch,
    BlockLaunch,
    Buffer,
    CallStep,
    MapLaunch,
    Operand,
    Plan,
    ReduceLaunch,
    Row,
    Step,
)
from weft.ir.pieces.lattice import box, extent

LISTED = 20_000  # cells of a step up to which every address is listed

Range = tuple[int, int]


def check_plan(plan: Plan, leaves: Sequence[TensorDescription]) -> None:
    """Raise InternalError if a plan over leaves of these descriptions is not legal."""
    bounds = [_bounds(d) for d in leaves] + [(0, prod(b.shape) * b.dtype.itemsize) for b in plan.buffers]
    for number, step in enumerate(plan.steps):
        if wrong := _step_fault(step, plan, bounds):
            raise InternalError(f"plan: step {number}: {wrong}; please report this:\n{step}")
    if wrong := _arena_fault(plan):
        raise InternalError(f"plan: {wrong}; please report this:\n{plan.buffers}")


def _bounds(d: TensorDescription) -> Range:
    return extent(box(0, d.strides or (), d.shape, d.dtype.itemsize))


def _step_fault(step: Step, plan: Plan, bounds: Sequence[Range]) -> str:
    if isinstance(step, CallStep):
        places = [*zip(step.args, step.shapes, strict=True), (step.out, step.out_shape)]
        return next((w for o, shape in places if (w := _outside(o, shape, bounds))), "")
    if isinstance(step, BlockLaunch):  # made of steps that were checked as they were before
        return ""
    for row in step.rows:
        outside = (w for o in row.operands if (w := _outside(o, row.sizes, bounds)))
        if wrong := _row_fault(row, plan) or next(outside, ""):
            return wrong
    if isinstance(step, MapLaunch):
        return _map_fault(step, plan, bounds)
    if isinstance(step, BinLaunch):
        tilings = (_tiling_fault(rows, step.shape) for rows in (step.numbers, step.weights) if rows)
        return _outside(step.out, (step.bins,), bounds) or next(filter(None, tilings), "")
    shape = step.shape[: step.kept] if isinstance(step, ReduceLaunch) else step.shape
    if not isinstance(step, ReduceLaunch) and step.include_initial:
        shape = (*shape[:-1], shape[-1] + 1)
    return _outside(step.out, shape, bounds) or _tiling_fault(step.rows, step.shape)


def _row_fault(row: Row, plan: Plan) -> str:
    """Return the fault of instructions that refer to missing instructions, operands or scalars; "" for none."""
    for number, i in enumerate(row.body):
        if any(not 0 <= a < number for a in i.args):
            return f"instruction {number} {i} reads what is not computed before it"
        if i.op in ("load", "coord", "gather"):
            o = row.operands[i.attr] if isinstance(i.attr, int) and i.attr < len(row.operands) else None
            if o is None or (i.op != "coord" and o.dtype is not i.dtype) or (o.arg < 0) != (i.op == "coord"):
                return f"instruction {number} {i} has operand {o}"
        if i.op == "scalar" and (not isinstance(i.attr, int) or plan.scalars[row.scalars + i.attr] is not i.dtype):
            return f"instruction {number} {i} reads a scalar of a plan with scalars {plan.scalars}"
    return ""


def _outside(o: Operand, shape: tuple[int, ...], bounds: Sequence[Range]) -> str:
    if o.arg < 0 or 0 in shape:
        return ""
    low, high = extent(box(o.offset, o.strides, shape, o.dtype.itemsize))
    first, stop = bounds[o.arg]
    if first <= low and high <= stop:
        return ""
    return f"bytes {low} to {high} of argument {o.arg}, which has {first} to {stop}"


def _addresses(o: Operand, sizes: tuple[int, ...]) -> NDArray[np.int64]:
    at = np.array([o.offset])
    for n, s in zip(sizes, o.strides, strict=True):
        at = (at[:, None] + s * np.arange(n)).reshape(-1)
    return at


def _map_fault(step: MapLaunch, plan: Plan, bounds: Sequence[Range]) -> str:
    """Return the fault of rows that write outside their targets, a cell twice, or not all cells of a buffer."""
    cells = 0
    for row in step.rows:
        if row.out is None or row.out.dtype is not row.body[-1].dtype:
            return f"a row of dtype {row.body[-1].dtype} written to {row.out}"
        if wrong := _outside(row.out, row.sizes, bounds) if row.out.arg < len(bounds) else "":
            return wrong
        cells += prod(row.sizes)
    target = step.rows[0].out if step.rows else None
    if target is None or cells > LISTED:
        return ""
    written: dict[int, list[NDArray[np.int64]]] = {}
    for r in step.rows:
        if r.out is not None:
            written.setdefault(r.out.arg, []).append(_addresses(r.out, r.sizes))
    if any((np.diff(np.sort(np.concatenate(a))) < target.dtype.itemsize).any() for a in written.values()):
        return "two rows write one cell"
    number = target.arg - plan.inputs
    size = prod(plan.buffers[number].shape) if 0 <= number < len(plan.buffers) else cells
    return "" if cells == size else f"{cells} of {size} cells are written"


def _tiling_fault(rows: Sequence[Row], shape: tuple[int, ...]) -> str:
    """Return what is wrong if the boxes of rows do not cover a shape, each cell once; "" if nothing is."""
    cells = sum(prod(r.sizes) for r in rows)
    if cells != prod(shape):
        return f"rows of {cells} cells for {prod(shape)}"
    if cells > LISTED:
        return ""
    strides, found = c_strides(shape, 1), []
    for r in rows:
        first = sum(a * s for a, s in zip(r.start, strides, strict=True))
        found.append(_addresses(Operand(0, first, strides, r.body[-1].dtype), r.sizes))
    return "" if not found or np.array_equal(np.sort(np.concatenate(found)), np.arange(cells)) else "rows overlap"


def _arena_fault(plan: Plan) -> str:
    """Return the fault of live temporaries that share a byte, or of reads before the write."""
    written: dict[int, int] = {}
    last: dict[int, int] = {}
    for number, step in enumerate(plan.steps):
        read, made = _arguments(step)
        for arg in read:
            if arg >= plan.inputs:
                if arg - plan.inputs not in written and 0 not in plan.buffers[arg - plan.inputs].shape:
                    return f"step {number} reads buffer {arg - plan.inputs} before it is written"
                last[arg - plan.inputs] = number
        written |= {arg - plan.inputs: number for arg in made}
    for at, stop, _ in plan.blocks:  # steps of a group run by turns: what one needs, all need
        for j, first in written.items():
            if first < stop and last.get(j, first) >= at:
                written[j], last[j] = min(first, at), max(last.get(j, first), stop - 1)
    temporaries = [(j, b) for j, b in enumerate(plan.buffers) if b.arena >= 0 and j in written]
    for k, (i, a) in enumerate(temporaries):
        for j, b in temporaries[k + 1 :]:
            together = written[i] <= last.get(j, written[j]) and written[j] <= last.get(i, written[i])
            if together and _meet(a, b):
                return f"buffers {i} and {j} live at once in the same bytes"
    return ""


def _arguments(step: Step) -> tuple[set[int], set[int]]:
    """Return the arguments read and written."""
    if isinstance(step, CallStep):
        return {o.arg for o in step.args}, {step.out.arg}
    if isinstance(step, BlockLaunch):
        pairs = [_arguments(s) for s in step.steps]
        made = {arg for _, out in pairs for arg in out}
        return {arg for found, _ in pairs for arg in found} - made, made
    read = {o.arg for r in step.rows for o in r.operands}
    if isinstance(step, MapLaunch):
        return read, {r.out.arg for r in step.rows if r.out is not None}
    return read, {step.out.arg}


def _meet(a: Buffer, b: Buffer) -> bool:
    ends = [x.arena + prod(x.shape) * x.dtype.itemsize for x in (a, b)]
    return a.arena < ends[1] and b.arena < ends[0]
