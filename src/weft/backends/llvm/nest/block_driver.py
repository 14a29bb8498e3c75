"""Blocks of rows: one task that runs other tasks in turn for each block.

The one idea: a block is a unit.  For it the addresses of the arguments are moved on, temporaries are put into memory of
the worker's own, and the tasks made for a block run from their first to their last unit, one task after another.

Table: number of arguments, of full blocks, of tasks, bytes of scratch, number of temporaries, then the shifts of the
arguments, pairs (argument, offset in the scratch), the tasks for a full block and those for the rows left over.
"""

from __future__ import annotations

import numpy as np

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.words import Words, filled, layout, store_word, word
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import RUN, TASK_FINISH, TASK_RUN, KernelTask
from weft.ir.kernels.plan import BlockLaunch

HEAD = layout("arguments blocks tasks scratch temporaries")
TASK = layout("run* table* units finish* scratch")
ALIGN = 64
ARGUMENTS = 256  # most arguments of a program with blocks


def lower_blocks(launch: BlockLaunch, steps: list[KernelTask], tail: list[KernelTask]) -> list[KernelTask]:
    """Return the one task, in a list, that runs the tasks `steps` for each full block of rows.

    `tail` are the tasks for the rows left over (none if there are no such rows).
    """
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
    runs = [*((t, launch.blocks) for t in steps), *((t, 1) for t in tail)]
    return [KernelTask(
        block_driver(), np.array(words, np.int64), launch.blocks + bool(tail), sum(t.units * t.cost for t in steps),
        bytes_read=sum(n * t.bytes_read for t, n in runs), bytes_written=sum(n * t.bytes_written for t, n in runs),
        kernels=(*steps, *tail), name=" + ".join(t.name for t in steps),
    )]  # fmt: skip


@compiled("block_run", RUN, brief=True)
def block_driver(b: Builder) -> None:
    """Emit the driver whose units each run all tasks of one block.

    A worker's scratch memory lies on its stack.
    """
    plan = Words(b, b["table"], HEAD)
    b.stack_buffer("moved", "ptr", ARGUMENTS)
    start = b.value("ptr", f"alloca i8, i64 {plan['scratch'].name}, align {ALIGN}")
    with b.loop(b["u0"], b["u1"]) as u:
        tasks = _addresses(b, plan, start, u)
        _run(b, plan, tasks, start, u)


def _addresses(b: Builder, plan: Words, start: Value, u: Value) -> Value:
    """Return the address of the tasks in the table, after writing the argument addresses of block u to `moved`.

    `plan` are the words of the plan; temporaries lie in the scratch memory from `start` on.
    """
    arguments, shifts, moved = plan["arguments"], plan.end_address, b["moved"]
    with b.loop(0, arguments) as k:
        store_word(b, b.gep(word(b, b["bases"], k, "ptr"), u * word(b, shifts, k)), moved, k)
    pairs = b.gep(shifts, arguments, "i64")
    temporaries = plan["temporaries"]
    with b.loop(0, temporaries) as k:
        pair = b.gep(pairs, k + k, "i64")
        store_word(b, b.gep(start, word(b, pair, 1)), moved, word(b, pair, 0))
    return b.gep(pairs, temporaries + temporaries, "i64")


def _run(b: Builder, plan: Words, tasks: Value, start: Value, u: Value) -> None:
    """Emit code that runs the tasks of block u; for u beyond the full blocks these are the tail's."""
    count = plan["tasks"]
    beyond = b.select(u >= plan["blocks"], count, 0)
    with b.loop(0, count) as k:
        task = Words(b, b.gep(tasks, (beyond + k) * len(TASK), "i64"), TASK)
        run, finish = task["run"], task["finish"]
        given = {"table": task["table"], "bases": b["moved"], "scratch": b.gep(start, task["scratch"])}
        with b.when(run.ne(0)):
            TASK_RUN.call(b, run, **given, u0=0, u1=task["units"])
            with b.when(finish.ne(0)):
                TASK_FINISH.call(b, finish, **given)
