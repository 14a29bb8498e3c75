"""The CPU transformer: plans become segments of native kernels and library routines.

Terms: a *segment* is a callable that does one part of a program; an *entry* is the one native callable of a run of
launches.  The one idea: runs of launches become one entry, the calls between them stay calls; only a kernel that is not
cached yet is compiled.
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Iterator
from itertools import groupby
from math import prod
from typing import Any

import numpy as np

from weft.backends.calls import blocks
from weft.backends.llvm.folds.bin_tables import lower_bins
from weft.backends.llvm.folds.chain_kernel import lower_chain
from weft.backends.llvm.folds.product_plan import Product, product_of
from weft.backends.llvm.folds.product_tables import lower_product
from weft.backends.llvm.folds.reduce_tables import lower_reduce
from weft.backends.llvm.folds.row_chain import RowChain, chained
from weft.backends.llvm.folds.scan_tables import lower_scan
from weft.backends.llvm.jit.entry import make_entry
from weft.backends.llvm.jit.entry_code import LOCK_COST
from weft.backends.llvm.jit.jit import stats
from weft.backends.llvm.jit.kernel_task import KernelTask, holding_code
from weft.backends.llvm.jit.toolchain import cpu, is_supported
from weft.backends.llvm.nest.block_driver import lower_blocks
from weft.backends.llvm.nest.map_tables import Templates, lower_map
from weft.backends.program_tables import ProgramTable
from weft.errors import InternalError, OutOfMemory
from weft.ir.graph.description import TensorDescription, describe
from weft.ir.kernels.plan import (
    BinLaunch,
    BlockLaunch,
    CallStep,
    MapLaunch,
    Operand,
    Plan,
    ReduceLaunch,
    ScanLaunch,
    Step,
)
from weft.passes.planning.row_steps import operands
from weft.passes.switches import replaced
from weft.runtime.compute import engine, function_tables, profile
from weft.runtime.compute.program import NativeCode, Segment
from weft.runtime.memory import allocator
from weft.runtime.memory.access import SMALL, strided_array


@holding_code
def lower(step: Step, times: int = 1, templates: Templates | None = None) -> list[KernelTask]:
    """Return the native tasks of a launch that runs `times` times, each time with other cells.

    `times` = 0 keeps results in the caches, for a reader that follows at once; `templates` are those of launches
    before. Raises InternalError if the step is no launch.
    """
    if isinstance(step, MapLaunch):
        return lower_map(step, times, templates)
    if isinstance(step, ReduceLaunch):
        return lower_reduce(step)
    if isinstance(step, ScanLaunch):
        return lower_scan(step)
    if isinstance(step, BinLaunch):
        return lower_bins(step)
    raise InternalError(f"lower: {step!r} is no launch; please report this")


@holding_code
def _lower_group(group: BlockLaunch, templates: Templates) -> list[KernelTask]:
    """Return the task of a block launch, in a list. `templates` are those of launches before."""
    local = {arg for arg, _ in group.temporaries}
    near = local | {o.arg for s in group.steps for o in operands(s)[:-1]}
    steps, tail = (
        [t for s in chained(part, local) for t in _lower_near(s, near, group.blocks, templates)]
        for part in (group.steps, group.tail)
    )
    return lower_blocks(group, steps, tail)


def _lower_near(
    part: MapLaunch | ReduceLaunch | RowChain, near: set[int], times: int, templates: Templates
) -> list[KernelTask]:
    """Return the tasks of a part of a block launch, which runs `times` times.

    The arguments `near` are read again soon, so they are to stay in the caches.
    """
    if isinstance(part, RowChain):
        return [lower_chain(part, near, times)]
    return lower(part, 0 if operands(part)[-1].arg in near else times, templates)


def _operand_location(o: Operand, shape: tuple[int, ...]) -> tuple[int, int, TensorDescription]:
    """Return (index, offset, description) of an operand in a program's arguments (array, offset, array, offset, ...).

    Its array has that index in the list; its first cell lies `offset` bytes further on.
    """
    return 2 * o.arg, o.offset, describe(o.dtype, shape, o.strides, o.swapped)


def call_segment(step: CallStep, *siblings: CallStep) -> Segment:
    """Return the segment that calls the library routine of a step.

    `siblings` are steps for further outputs of the same block operator. The segment raises OutOfMemory if the routine
    gets no memory, and the errors of the routine, such as LinAlgError.
    """
    given = [_operand_location(o, s) for o, s in zip(step.args, step.shapes, strict=True)]
    made = [_operand_location(s.out, s.out_shape) for s in (step, *siblings)]
    numbers = [s.attrs[1] for s in (step, *siblings)] if siblings else []

    @np.errstate(all="ignore")
    def segment(*flat: Any) -> None:
        args = [strided_array(flat[k], flat[k + 1] + at, desc, False) for k, at, desc in given]
        args = [x.reshape(o.merged) if o.merged else x for x, o in zip(args, step.args, strict=True)]
        outs = [strided_array(flat[k], flat[k + 1] + at, desc, True) for k, at, desc in made]
        try:
            if siblings:
                blocks.fill([*zip(numbers, outs, strict=True)], step.attrs[0], args[:-1], args[-1])
            else:
                function_tables.invoke(step.name, function_tables.device_type(), outs[0], args, step.attrs)
        except OutOfMemory:
            raise
        except MemoryError as error:
            nbytes = sum(a.nbytes for a in args)
            raise OutOfMemory(
                f"{step.name}: memory for copies of {nbytes} bytes of operands; the system has no such memory left; "
                "free large tensors, or take operands of the result's dtype"
            ) from error

    return segment


def _call_segments(steps: Iterator[CallStep]) -> Iterator[Segment]:
    """Yield the segments of consecutive calls; all outputs of one block operator share a call.

    They do not while `map_blocks` is replaced.
    """
    for _, group in groupby(steps, _operator):
        calls = list(group)
        if "map_blocks" in replaced():  # a wrapper sees every call of an operation
            yield from map(call_segment, calls)
        else:
            yield call_segment(*calls)


def _operator(step: CallStep) -> object:
    """Return a key of the call `step`, equal for calls of the same block operator, else unique."""
    return (step.attrs[0], step.args[:-1], step.shapes[:-1]) if step.name == "map_blocks" else id(step)


def _count_call(step: CallStep) -> profile.KernelCount:
    def nbytes(shape: tuple[int, ...], o: Operand) -> int:
        return prod(shape) * o.dtype.itemsize

    read = sum(nbytes(s, o) for s, o in zip(step.shapes, step.args, strict=True))
    return profile.KernelCount(step.name, read, nbytes(step.out_shape, step.out))


def _calls_and_tasks(p: Plan) -> Iterator[CallStep | list[KernelTask]]:
    """Yield the parts of plan p in order: a routine call as it is, any launch as its tasks."""
    groups = {first: (end, launch) for first, end, launch in p.blocks}
    temporaries = [k for k, b in enumerate(p.buffers, p.inputs) if b.arena >= 0] if len(p.buffers) > 1 else ()
    number, templates = 0, Templates()
    while number < len(p.steps):
        step = p.steps[number]
        number, group = groups.get(number, (number + 1, None))
        if group is not None:
            yield _lower_group(group, templates)
        else:
            near = isinstance(step, MapLaunch) and step.rows and step.rows[0].out.arg in temporaries
            product = _product(step)
            if product is not None:
                yield lower_product(product)
            else:
                yield step if isinstance(step, CallStep) else lower(step, 0 if near else 1, templates)


def _product(step: Step) -> Product | None:
    """Return the matrix product of a step, if kernels compute it; else None.

    Kernels do so unless the routine is replaced.
    """
    native = isinstance(step, CallStep) and step.name not in replaced()
    return product_of(step) if native else None


def _small_outputs(p: Plan) -> dict[int, tuple[np.dtype, tuple[int, ...]]]:
    """Return {argument: (dtype, shape)} of plan p's outputs in order; {} if a run takes large blocks of memory."""
    found = {p.inputs + k: (p.buffers[k].dtype.np, p.buffers[k].shape) for k in p.outputs}
    small = all(prod(shape) * dtype.itemsize < allocator.LARGE for dtype, shape in found.values())
    others = [b for k, b in enumerate(p.buffers) if b.arena < 0 and p.inputs + k not in found]
    return found if small and not others and p.arena_bytes < allocator.LARGE else {}


class CpuTransformer(engine.Transformer):
    """The transformer that compiles plans to native code."""

    name = "cpu"

    def __init__(self) -> None:
        self.programs: ProgramTable[Any] = ProgramTable()
        allocator.keep_temporaries()

    def build(self, p: Plan, interruptible: bool) -> NativeCode:
        """Return the native code of a plan; consecutive launches become one entry.

        An `interruptible` entry lets signal handlers run. Raises OutOfMemory if there is no memory to compile a kernel.
        """
        compiled_before = stats.kernels_compiled
        n_args = p.inputs + len(p.buffers)
        segments: list[Segment] = []
        kernels: list[profile.KernelCount] = []
        calls = [step for step in p.steps if isinstance(step, CallStep) and _product(step) is None]
        work, quick = 0.0, None  # nanoseconds of native code; the entry that is all of the plan
        for is_native, parts in groupby(_calls_and_tasks(p), lambda part: not isinstance(part, CallStep)):
            if not is_native:
                segments.extend(_call_segments(parts))
                continue
            tasks = [t for part in parts for t in part]
            kernels += [profile.KernelCount(t.name, t.bytes_read, t.bytes_written) for t in tasks]
            work += sum([t.units * t.cost for t in tasks])
            if tasks and not calls and (outputs := _small_outputs(p)):
                temporaries = [k for k, b in enumerate(p.buffers, p.inputs) if b.arena >= 0]
                quick = make_entry(
                    n_args, outputs, p.scalars, tasks, interruptible, temporaries, p.arena_bytes, p.slots
                )
            if tasks:
                segments.append(quick or make_entry(n_args, {}, p.scalars, tasks, interruptible, slots=p.slots))
        if made := stats.kernels_compiled - compiled_before:
            profile.compiled(made)
        counts = profile.Counts(tuple(kernels), tuple(map(_count_call, calls)), p.arena_bytes)
        touched = sum([k.bytes_read + k.bytes_written for k in (*counts.kernels, *counts.calls)])
        users = any(step.name == "map_blocks" for step in calls)  # functions that are called once
        brief = not users and (touched < SMALL or (not calls and work <= LOCK_COST))
        return NativeCode(segments, quick, counts, brief)


def for_this_machine() -> engine.Transformer:
    """Return the CPU transformer; warn and return the reference transformer if kernels do not run on this CPU.

    Raises OutOfMemory if LLVM cannot be loaded.
    """
    if is_supported():
        made = CpuTransformer()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))  # threads may stand in its code while the interpreter ends
        return made
    warnings.warn(
        f"weft: this CPU ({cpu()[0]}) is older than the kernels need (x86-64-v3 or ARMv8); values come from the "
        "reference, slowly; use a newer machine",
        RuntimeWarning,
        stacklevel=2,
    )
    return engine.transformer("reference")
