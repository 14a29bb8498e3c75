"""Blocks of rows: one task that runs other tasks in turn for each block.

The one idea: a block is a unit.  For it the addresses of the arguments are moved on, temporaries are put into memory
of the worker's own, and the tasks made for a block run from their first to their last unit, one task after another.

Table: number of arguments, of full blocks, of tasks, bytes of scratch, number of temporaries, then the shifts of the
arguments, pairs (argument, offset in the scratch), the tasks for a full block and those for the rows left over.
"""

from __future__ import annotations

import numpy as np

from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.task import Task
from weft.backends.llvm.text import Builder, Type, Value
from weft.backends.llvm.words import call, filled, is_null, layout, word
from weft.ir.kernels.plan import BlockLaunch

HEAD = layout("arguments blocks tasks scratch temporaries")
TASK = layout("run table units finish scratch")
ALIGN = 64
ARGUMENTS = 256  # at most in a program with blocks


def lower_blocks(launch: BlockLaunch, steps: list[Task], tail: list[Task]) -> list[Task]:
    """The task of a block launch, from the tasks of its steps and of its tail's."""
    scratch = launch.scratch + max(t.scratch for t in (*steps, *tail))
    words = filled(
        HEAD, arguments=len(launch.shifts), blocks=launch.blocks, tasks=len(steps),
        scratch=scratch, temporaries=len(launch.temporaries),
    )  # fmt: skip
    words += [*launch.shifts, *(w for pair in launch.temporaries for w in pair)]
    for t in (*steps, *tail):
        words += filled(
            TASK, run=t.run, table=t.table.ctypes.data, units=t.units, finish=t.finish, scratch=launch.scratch
        )
    if len(tail) != len(steps):
        words += [0] * len(TASK) * (len(steps) - len(tail))
    every = [*steps, *tail]
    name = " + ".join(t.name for t in steps)
    cost = sum(t.units * t.cost for t in steps)
    read, written = _traffic(steps, tail, launch.blocks)
    table = np.array(words, np.int64)
    units = launch.blocks + bool(tail)
    return [Task(driver(), table, units, cost, 0, 0, read, written, tuple(every), name)]


def _traffic(steps: list[Task], tail: list[Task], blocks: int) -> tuple[int, int]:
    read = blocks * sum(t.bytes_read for t in steps) + sum(t.bytes_read for t in tail)
    written = blocks * sum(t.bytes_written for t in steps) + sum(t.bytes_written for t in tail)
    return read, written


def driver() -> int:
    """The address of `void run(ptr table, ptr bases, ptr scalars, ptr scratch, i64 u0, i64 u1)`."""
    return code("block driver", emit)["run"]


def emit() -> Text:
    """The driver; a worker's scratch lies on its stack (the pass bounds it)."""
    b = Builder()
    table, bases = b.named("ptr", "%table"), b.named("ptr", "%bases")
    moved = b.alloca(Type("ptr"), ARGUMENTS)
    nbytes = word(b, table, HEAD["scratch"])
    start = b.value(Type("ptr"), f"alloca i8, i64 {nbytes.name}, align {ALIGN}")
    with b.loop(b.named("i64", "%u0"), b.named("i64", "%u1")) as u:
        tasks = _addresses(b, table, bases, moved, start, u)
        _run(b, table, tasks, moved, start, u)
    b.do("ret void")
    arguments = "ptr %table, ptr %bases, ptr %scalars, ptr %scratch, i64 %u0, i64 %u1"
    return Text(b.module(b.function("run", arguments)), ("run",))


def _addresses(b: Builder, table: Value, bases: Value, moved: Value, start: Value, u: Value) -> Value:
    """Fill in the addresses of block u; gives where the tasks stand in the table."""
    arguments = word(b, table, HEAD["arguments"])
    shifts = b.gep(table, len(HEAD), "i64")
    with b.loop(0, arguments) as k:
        base = word(b, bases, k, "ptr")
        b.store(b.gep(base, u * word(b, shifts, k)), b.gep(moved, k, "ptr"), 8)
    pairs = b.gep(shifts, arguments, "i64")
    temporaries = word(b, table, HEAD["temporaries"])
    with b.loop(0, temporaries) as k:
        pair = b.gep(pairs, k + k, "i64")
        b.store(b.gep(start, word(b, pair, 1)), b.gep(moved, word(b, pair, 0), "ptr"), 8)
    return b.gep(pairs, temporaries + temporaries, "i64")


def _run(b: Builder, table: Value, tasks: Value, moved: Value, start: Value, u: Value) -> None:
    """Run the tasks of block u, those of the tail beyond the full blocks."""
    count = word(b, table, HEAD["tasks"])
    beyond = b.select(u >= word(b, table, HEAD["blocks"]), count, 0)
    with b.loop(0, count) as k:
        task = b.gep(tasks, (beyond + k) * len(TASK), "i64")
        run, own = word(b, task, TASK["run"], "ptr"), word(b, task, TASK["table"], "ptr")
        scratch = b.gep(start, word(b, task, TASK["scratch"]))
        with b.when(b.value(Type("i1"), f"xor i1 {is_null(b, run).name}, true")):
            scalars, zero = b.named("ptr", "%scalars"), b.const("i64", 0)
            call(b, "void", run.name, own, moved, scalars, scratch, zero, word(b, task, TASK["units"]))
            finish = word(b, task, TASK["finish"], "ptr")
            with b.when(b.value(Type("i1"), f"xor i1 {is_null(b, finish).name}, true")):
                call(b, "void", finish.name, own, moved, scalars, scratch)
