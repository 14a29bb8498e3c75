"""Runs the units of a task, on this thread or on several: the pool of workers, as code that needs no interpreter.

The one idea: workers sleep on CPython's own thread locks; a call that has enough work wakes some, and all of them take
units from one atomic counter.  One call uses the pool at a time; a call that finds it taken works alone.  While its
thread works, it looks for signals now and then; an exception stops everybody at the border of a unit.
"""

from __future__ import annotations

import ctypes
import os

import numpy as np

from weft.backends.llvm.fpmode import enter_default, leave_default
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.text import Builder, Type, Value
from weft.backends.llvm.words import (
    added,
    announce,
    call,
    divided,
    exchanged,
    filled,
    is_null,
    layout,
    put,
    watched,
    word,
)  # fmt: skip
from weft.errors import ValueRangeError

MAX_WORKERS = 256
THREAD_COST = 40_000  # nanoseconds of work that are worth one thread more
GRAIN = 1_000_000  # nanoseconds of work a thread takes at a time, at most
SHARES = 8  # turns that each thread gets at least, if there are units enough
WATCH = 50_000_000  # nanoseconds of work between two looks at signals

# The pool's memory: words that change hands between threads lie in cache lines of their own.
POOL = {
    "busy": 0, "threads": 1, "started": 2, "done": 3, "worker": 4, "next": 8, "stop": 16, "pending": 17,
    "units": 24, "grain": 25, "run": 26, "table": 27, "bases": 28, "scalars": 29, "scratch": 30, "slots": 32,
}  # fmt: skip
SLOT = layout("pool lock")
TASK = layout("run table units finish cost")
JOB = ("table", "bases", "scalars", "scratch")


def _new_pool() -> np.ndarray:
    raw = np.zeros(POOL["slots"] + len(SLOT) * MAX_WORKERS + 8, np.int64)
    skip = -raw.ctypes.data % 64 // 8
    pool = raw[skip : len(raw) - 8 + skip]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(raw))  # workers sleep in it until the process ends
    return pool


def usable_cpus() -> int:
    """CPUs that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_pool = _new_pool()
_pool[POOL["threads"]] = min(usable_cpus(), MAX_WORKERS)


def set_num_threads(n: int) -> None:
    """Use at most n threads, the calling one included."""
    if not 1 <= n <= MAX_WORKERS:
        raise ValueRangeError(f"set_num_threads: {n} threads; from 1 to {MAX_WORKERS} can be used; choose one of these")
    _pool[POOL["threads"]] = n


def get_num_threads() -> int:
    """How many threads are used at most."""
    return int(_pool[POOL["threads"]])


def pool_address() -> int:
    """Where the pool's memory lies."""
    if not _pool[POOL["worker"]]:
        _pool[POOL["worker"]] = code("pool worker", emit_worker)["worker"]
    return _pool.ctypes.data


def _after_fork() -> None:
    """A child has none of its parent's workers: forget them, their locks and whatever they were doing."""
    for name in ("busy", "started", "done", "next", "stop", "pending"):
        _pool[POOL[name]] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def task_words(run: int, table: int, units: int, finish: int, cost: float) -> list[int]:
    """A task as `emit_launch`'s code wants it."""
    return filled(TASK, run=run, table=table, units=units, finish=finish, cost=max(1, int(cost)))


# ---- workers
def emit_worker() -> Text:
    """`void worker(ptr slot)`: sleep, work, tell; for ever."""
    b = Builder()
    slot = b.named("ptr", "%slot")
    pool, lock = word(b, slot, SLOT["pool"], "ptr"), word(b, slot, SLOT["lock"], "ptr")
    b.branch("again")
    b.label("again")
    call(b, "i32", "PyThread_acquire_lock", lock, b.const("i32", 1))
    saved = enter_default(b)
    emit_take_units(b, pool, None)
    leave_default(b, saved)
    last = added(b, pool, POOL["pending"], -1).eq(1)
    with b.when(last):
        call(b, "void", "PyThread_release_lock", word(b, pool, POOL["done"], "ptr"))
    b.branch("again")
    return Text(b.module(b.function("worker", "ptr %slot")), ("worker",))


def emit_take_units(b: Builder, pool: Value, watch: Watch | None) -> None:
    """Take units from the pool's job until none is left or somebody stops it."""
    again, work, done = b.fresh("take"), b.fresh("work"), b.fresh("taken")
    run = word(b, pool, POOL["run"], "ptr")
    job = [word(b, pool, POOL[name], "ptr") for name in JOB]
    units, grain = word(b, pool, POOL["units"]), word(b, pool, POOL["grain"])
    b.branch(again)
    b.label(again)
    first = added(b, pool, POOL["next"], grain)
    b.branch_if((first < units) & watched(b, pool, POOL["stop"]).eq(0), work, done)
    b.label(work)
    call(b, "void", run.name, *job, first, b.intrinsic("smin", first + grain, units))
    if watch is not None:
        with b.when(watch.look(b, grain), rare=True):
            announce(b, 1, pool, POOL["stop"])
    b.branch(again)
    b.label(done)


class Watch:
    """Looks for signals every `WATCH` nanoseconds of estimated work, if the call may be interrupted.

    `state` is two words of the call: the thread state saved with the interpreter's lock (null where the lock was
    kept), and the work done since the last look.
    """

    def __init__(self, b: Builder, cost: Value, interruptible: Value, state: Value) -> None:
        self.cost, self.interruptible, self.state = cost, interruptible, state
        self.failed = b.alloca(Type("i32"))
        b.store(b.const("i32", 0), self.failed, 4)

    def look(self, b: Builder, units: Value) -> Value:
        """After some units: i1, whether a signal handler raised."""
        spent = word(b, self.state, 1) + units * self.cost
        put(b, spent, self.state, 1)
        due = (spent > WATCH) & self.interruptible & ~is_null(b, word(b, self.state, 0, "ptr"))
        with b.when(due, rare=True):
            put(b, 0, self.state, 1)
            call(b, "void", "PyEval_RestoreThread", word(b, self.state, 0, "ptr"))
            b.store(call(b, "i32", "PyErr_CheckSignals"), self.failed, 4)
            b.store(call(b, "ptr", "PyEval_SaveThread"), self.state, 8)
        return b.load("i32", self.failed, 4).ne(0)


# ---- one task
LAUNCH = "ptr %task, ptr %bases, ptr %scalars, ptr %scratch, ptr %pool, ptr %state, i1 %interruptible"


def emit_launch() -> tuple[str, set[str]]:
    """`i32 launch(...)`: all units of a task, then its finish; not 0 where a signal handler raised."""
    b = Builder()
    task, pool = b.named("ptr", "%task"), b.named("ptr", "%pool")
    units, cost = word(b, task, TASK["units"]), word(b, task, TASK["cost"])
    watch = Watch(b, cost, b.named("i1", "%interruptible"), b.named("ptr", "%state"))
    wanted, _ = divided(b, units * cost, b.const("i64", THREAD_COST))
    threads = b.intrinsic("smin", b.intrinsic("smin", wanted, units), word(b, pool, POOL["threads"]))
    several, alone, finish = "several", "alone", "finish"
    b.branch_if(threads > 1, "ask", alone)
    b.label("ask")
    b.branch_if(exchanged(b, pool, POOL["busy"], 0, 1), several, alone)
    b.label(several)
    _emit_several(b, task, pool, threads, units, cost, watch)
    b.branch(finish)
    b.label(alone)
    _emit_alone(b, task, units, cost, watch)
    b.branch(finish)
    b.label(finish)
    failed = b.load("i32", watch.failed, 4)
    last = word(b, task, TASK["finish"], "ptr")
    with b.when(failed.eq(0) & ~is_null(b, last)):
        call(b, "void", last.name, word(b, task, TASK["table"], "ptr"), *_call_pointers(b))
    b.do(f"ret i32 {failed.name}")
    return b.function("launch", LAUNCH, "i32"), b.declarations


def _call_pointers(b: Builder) -> list[Value]:
    return [b.named("ptr", f"%{name}") for name in JOB[1:]]


def _portion(b: Builder, cost: Value, most: int) -> Value:
    """Units that make up about `most` nanoseconds, at least one."""
    return b.intrinsic("smax", divided(b, b.const("i64", most), cost)[0], 1)


def _emit_alone(b: Builder, task: Value, units: Value, cost: Value, watch: Watch) -> None:
    again, work, done = "turn", "turning", "turned"
    run, grain = word(b, task, TASK["run"], "ptr"), _portion(b, cost, WATCH // 4)
    first = b.alloca(Type("i64"))
    put(b, 0, first, 0)
    b.branch(again)
    b.label(again)
    u0 = word(b, first, 0)
    b.branch_if((u0 < units) & b.load("i32", watch.failed, 4).eq(0), work, done)
    b.label(work)
    u1 = b.intrinsic("smin", u0 + grain, units)
    put(b, u1, first, 0)
    call(b, "void", run.name, word(b, task, TASK["table"], "ptr"), *_call_pointers(b), u0, u1)
    watch.look(b, grain)
    b.branch(again)
    b.label(done)


def _emit_several(
    b: Builder, task: Value, pool: Value, threads: Value, units: Value, cost: Value, watch: Watch
) -> None:
    helpers = _emit_hire(b, pool, threads - 1)
    share, _ = divided(b, units, (helpers + 1) * SHARES)
    grain = b.intrinsic("smax", b.intrinsic("smin", share, _portion(b, cost, GRAIN)), 1)
    for name in ("run", "table"):
        put(b, word(b, task, TASK[name]), pool, POOL[name])
    for name in JOB[1:]:
        b.store(b.named("ptr", f"%{name}"), b.gep(pool, POOL[name], "i64"), 8)
    for name, v in (("units", units), ("grain", grain), ("pending", helpers)):
        put(b, v, pool, POOL[name])
    put(b, 0, pool, POOL["next"])
    announce(b, 0, pool, POOL["stop"])
    with b.loop(0, helpers) as k:
        call(b, "void", "PyThread_release_lock", word(b, pool, k * len(SLOT) + (POOL["slots"] + SLOT["lock"]), "ptr"))
    emit_take_units(b, pool, watch)
    with b.when(helpers > 0):
        call(b, "i32", "PyThread_acquire_lock", word(b, pool, POOL["done"], "ptr"), b.const("i32", 1))
    announce(b, 0, pool, POOL["busy"])


def _emit_hire(b: Builder, pool: Value, wanted: Value) -> Value:
    """Start workers up to the number wanted; how many of these there are (fewer where the system gives no more)."""
    with b.when(is_null(b, word(b, pool, POOL["done"], "ptr")), rare=True):
        lock = _emit_closed_lock(b)
        b.store(lock, b.gep(pool, POOL["done"], "i64"), 8)
    refused = is_null(b, word(b, pool, POOL["done"], "ptr"))
    with b.loop(word(b, pool, POOL["started"]), b.select(refused, 0, wanted)) as k:
        slot = b.gep(pool, k * len(SLOT) + POOL["slots"], "i64")
        lock = _emit_closed_lock(b)
        b.store(lock, b.gep(slot, SLOT["lock"], "i64"), 8)
        b.store(pool, b.gep(slot, SLOT["pool"], "i64"), 8)
        with b.when((~is_null(b, lock)) & k.eq(word(b, pool, POOL["started"]))):
            worker = word(b, pool, POOL["worker"], "ptr")
            thread = call(b, "i64", "PyThread_start_new_thread", worker, slot)
            put(b, k + b.cast("zext", thread.ne(-1), "i64"), pool, POOL["started"])
    return b.intrinsic("smin", word(b, pool, POOL["started"]), wanted)


def _emit_closed_lock(b: Builder) -> Value:
    """A new lock, held; null where there is no memory."""
    lock = call(b, "ptr", "PyThread_allocate_lock")
    with b.when(~is_null(b, lock)):
        call(b, "i32", "PyThread_acquire_lock", lock, b.const("i32", 1))
    return lock
