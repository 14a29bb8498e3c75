"""Tasks: launches made ready to run, each as machine code, read-only tables and a number of units.

The one idea: a task is `units` independent pieces; `run` may be called for any ranges of them, in any order, from any
thread, and nothing about the result depends on the cut.  The entry runs tasks one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec

import numpy as np

from weft.backends.llvm.emit import signature
from weft.backends.llvm.jit.jit import code_scope

FINISH = "ptr table, ptr bases, ptr scalars, ptr scratch"
RUN = f"{FINISH}, i64 u0, i64 u1"
TASK_RUN, TASK_FINISH = signature("run", RUN), signature("finish", FINISH)  # the code of a task, called at an address
P = ParamSpec("P")


@dataclass(slots=True)
class KernelTask:
    """A launch ready to run: machine code, a table that it reads, and a number of independent units.

    `run` is the address of `void run(ptr table, ptr bases, ptr scalars, ptr scratch, i64 u0, i64 u1)`.  `bases` holds
    one byte pointer per program argument; `scalars` one 16-byte slot per run-time scalar: bools and
    integers as i64, real floats as a double already rounded to their dtype, complex numbers as two doubles.
    """

    run: int
    table: np.ndarray  # int64, read-only once built
    units: int
    cost: float  # estimated nanoseconds per unit
    finish: int = 0  # address of `void finish(ptr table, ptr bases, ptr scalars, ptr scratch)`, run once afterwards
    scratch: int = 0  # bytes shared by all units, uninitialised, 64-byte aligned
    bytes_read: int = 0
    bytes_written: int = 0
    kernels: tuple[object, ...] = field(default=())  # kept alive: the code and tables that the addresses lie in
    name: str = ""  # for profiles
    together: int = 1  # units that a thread takes at a time, while enough are left: they share what is prepared


def holding_code(lower: Callable[P, list[KernelTask]]) -> Callable[P, list[KernelTask]]:
    """Return `lower` changed so that its tasks keep alive the machine code requested while it runs."""

    @wraps(lower)
    def lowered(*args: P.args, **kwargs: P.kwargs) -> list[KernelTask]:
        with code_scope() as codes:
            tasks = lower(*args, **kwargs)
        for t in tasks:
            t.kernels += tuple(codes.values())
        return tasks

    return lowered


def table_bytes(things: Sequence[object]) -> int:
    """Return the bytes of the arrays among `things`, and of the tables of the tasks, tasks that these hold included."""
    arrays = sum([x.nbytes for x in things if isinstance(x, np.ndarray)])
    return arrays + sum([table_bytes((t.table, *t.kernels)) for t in things if isinstance(t, KernelTask)])
