"""The pool of worker threads, as code that needs no interpreter: runs the units of a task.

The one idea: workers sleep on CPython's own thread locks; a call that has enough work wakes some, and all of them take
units from one atomic counter.  A thread with nothing to do looks for the next job, or the end of this one, for a while
before it sleeps, as waking takes longer than many a kernel; a job is withdrawn from workers that come too late for it.
One call uses the pool at a time; a call that finds it taken works alone.  While its thread works, it looks for signals
now and then; an exception stops all threads after their current units.  If a handler forks, the child lacks the threads
that have taken units, so the call fails there.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable

import numpy as np

from weft.backends.llvm.emit import Builder, Value, signature
from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.emit.words import Words, added, announce, exchanged, filled, layout, store_word, watched, word
from weft.backends.llvm.jit.fpmode import enter_default, leave_default
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import TASK_FINISH, TASK_RUN, KernelTask
from weft.errors import ValueRangeError
from weft.runtime.control_groups import cpu_quota

MAX_WORKERS = 256
THREAD_COST = 40_000  # nanoseconds of work for which waking one thread more pays
AWAKE_COST = 10_000
GRAIN = 1_000_000  # most nanoseconds of work that a thread takes at a time
SHARES = 8  # least turns of each thread, if there are units enough
WATCH = 50_000_000  # nanoseconds of work between two checks for signals
LOOKS = 10_000  # checks for work before a thread sleeps: 0.1 ms, up to 0.5 ms where processors pause longer
FORKED = 2  # result of a job in a child that was forked meanwhile; 0 is success, -1 an exception of a signal handler
ASLEEP, AWAKE, POSTED = 0, 1, 2  # states of a worker: POSTED from when it is given a job until it takes it

# The pool's memory: words that change hands between threads lie in cache lines of their own.
POOL = {
    "busy": 0, "threads": 1, "started": 2, "done": 3, "worker": 4, "looks": 5, "forks": 6, "next": 8,
    "stop": 16, "pending": 17,
    "units": 24, "grain": 25, "run": 26, "table": 27, "bases": 28, "scalars": 29, "scratch": 30, "parts": 31,
    "slots": 32,
}  # fmt: skip
SLOT = layout("pool* lock* state")
SLOT_WORDS = 8  # words of a slot: a cache line
TASK = layout("run* table* units finish* cost together")
JOB = ("table", "bases", "scalars", "scratch")


def _new_pool() -> np.ndarray:
    raw = np.zeros(POOL["slots"] + SLOT_WORDS * MAX_WORKERS + 8, np.int64)
    skip = -raw.ctypes.data % 64 // 8
    pool = raw[skip : len(raw) - 8 + skip]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(raw))  # workers sleep in it until the process ends
    return pool


def usable_cpus() -> int:
    """Return the number of CPUs that this process may run on, by its affinity and the quota of its container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, cpu_quota() or allowed)


_pool = _new_pool()
_ADDRESS = _pool.ctypes.data
_pool[POOL["threads"]] = min(usable_cpus(), MAX_WORKERS)
_pool[POOL["looks"]] = LOOKS


def set_num_threads(n: int) -> None:
    """Use at most n threads from now on, the calling one included.

    Raises ValueRangeError unless 1 <= n <= 256.
    """
    if not 1 <= n <= MAX_WORKERS:
        raise ValueRangeError(f"set_num_threads: {n} threads; from 1 to {MAX_WORKERS} can be used; choose one of these")
    _pool[POOL["threads"]] = n
    _pool[POOL["looks"]] = (
        LOOKS if n <= usable_cpus() else 0
    )  # with more threads, one that looks keeps another from working


def get_num_threads() -> int:
    """Return the greatest number of threads that a call uses, the calling one included."""
    return int(_pool[POOL["threads"]])


def pool_address() -> int:
    """Return the address of the pool's words, which entries pass to `launch`."""
    if not _pool[POOL["worker"]]:
        _pool[POOL["worker"]] = pool_worker()
    return _ADDRESS


def _after_fork() -> None:
    """Reset the pool in a forked child, to which the parent's workers and locks do not pass."""
    for name in ("busy", "started", "done", "next", "stop", "pending"):
        _pool[POOL[name]] = 0
    _pool[POOL["forks"]] += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def task_words(t: KernelTask) -> list[int]:
    """Return the record `TASK` of a task as words, which `launch` reads."""
    cost = max(1, int(t.cost))
    return filled(
        TASK, run=t.run, table=t.table.ctypes.data, units=t.units, finish=t.finish, cost=cost, together=t.together
    )


# ---- workers
@compiled("pool_worker", "ptr slot", brief=True)
def pool_worker(b: Builder) -> None:
    """Emit the main function of a worker, an endless loop: sleep on a lock, run units, report the end.

    Where another job follows soon, it does not sleep.
    """
    slot, state = Words(b, b["slot"], SLOT), SLOT["state"]
    pool, lock = slot["pool"], slot["lock"]
    with b.repeat():
        b.call("i32", "PyThread_acquire_lock", lock, b.const("i32", 1))
        with b.repeat() as leave_if:
            with b.when(exchanged(b, slot.base, state, POSTED, AWAKE)):
                saved = enter_default(b)
                _take_units(b, pool, None)
                leave_default(b, saved)
                last = added(b, pool, POOL["pending"], -1).eq(1)
                with b.when(last):
                    b.call("void", "PyThread_release_lock", word(b, pool, POOL["done"], "ptr"))
            _look(b, pool, lambda: watched(b, slot.base, state).ne(AWAKE))
            leave_if(exchanged(b, slot.base, state, AWAKE, ASLEEP))


def _look(b: Builder, pool: Value, is_over: Callable[[], Value]) -> None:
    """Emit code that waits until `is_over()` is true, for as many looks as the pool allows at most."""
    left = b.alloca("i64")
    store_word(b, word(b, pool, POOL["looks"]), left, 0)
    with b.repeat() as leave_if:
        leave_if(is_over() | (word(b, left, 0) <= 0))
        store_word(b, word(b, left, 0) - 1, left, 0)
        b.call("void", PROCESSOR.pause, *[b.const("i32", n) for n in PROCESSOR.pause_kinds])


def _take_units(b: Builder, pool: Value, watch: SignalWatch | None) -> None:
    """Emit code that runs units of the pool's job until none is left or the job is stopped.

    The fewer are left, the fewer are taken at a time, so that threads end together.
    With `watch`, it also looks for signals, and stops the job if a handler raised.
    """
    run = word(b, pool, POOL["run"], "ptr")
    job = {name: word(b, pool, POOL[name], "ptr") for name in JOB}
    units, most, parts = (word(b, pool, POOL[name]) for name in ("units", "grain", "parts"))
    with b.repeat() as leave_if:
        left = units - watched(b, pool, POOL["next"])
        grain = b.smax(b.smin(left // parts, most), 1)
        first = added(b, pool, POOL["next"], grain)
        leave_if((first >= units) | watched(b, pool, POOL["stop"]).ne(0))
        TASK_RUN.call(b, run, **job, u0=first, u1=b.smin(first + grain, units))
        if watch is not None:
            raised, lost = watch.signal_raised(b, grain), watch.is_job_lost(b, pool)
            leave_if(lost)
            with b.when(raised, rare=True):
                announce(b, 1, pool, POOL["stop"])


class SignalWatch:
    """The emitter of checks for signals every `WATCH` nanoseconds of estimated work, in interruptible calls.

    `state` is two words of the call: the thread state saved with the interpreter's lock (null where the lock was kept),
    and the work done since the last check.
    """

    forks: Value

    def __init__(self, b: Builder, cost: Value, interruptible: Value, state: Value) -> None:
        self.cost, self.interruptible, self.state = cost, interruptible, state
        self.failed = b.alloca("i32")
        b.store(b.const("i32", 0), self.failed, 4)

    def signal_raised(self, b: Builder, units: Value) -> Value:
        """Return an i1, true if a signal handler raised; to be called after every few `units`."""
        spent = word(b, self.state, 1) + units * self.cost
        store_word(b, spent, self.state, 1)
        due = (spent > WATCH) & self.interruptible & word(b, self.state, 0, "ptr").ne(0)
        with b.when(due, rare=True):
            store_word(b, 0, self.state, 1)
            b.call("void", "PyEval_RestoreThread", word(b, self.state, 0, "ptr"))
            b.store(b.call("i32", "PyErr_CheckSignals"), self.failed, 4)
            b.store(b.call("ptr", "PyEval_SaveThread"), self.state, 8)
        return b.load("i32", self.failed, 4).ne(0)

    def begin_job(self, b: Builder, pool: Value) -> None:
        """Emit a load of the count of forks, which the job that begins compares with later counts."""
        self.forks = watched(b, pool, POOL["forks"])

    def is_job_lost(self, b: Builder, pool: Value) -> Value:
        """Return an i1, true in a child that a handler forked since the job began. The pool is no longer the job's."""
        lost = watched(b, pool, POOL["forks"]).ne(self.forks)
        failed = b.load("i32", self.failed, 4)
        b.store(b.select(lost & failed.eq(0), b.const("i32", FORKED), failed), self.failed, 4)
        return lost


# ---- one task
LAUNCH = signature(
    "launch", "ptr task, ptr bases, ptr scalars, ptr scratch, ptr pool, ptr state, i1 interruptible", "i32"
)


def launch_function() -> Builder:
    """Return the function `launch`, which runs all units of a task and then its finish.

    Its result is not 0 if a signal handler raised, and FORKED if one forked this process in the middle of the job.
    """
    b = Builder(LAUNCH)
    task, pool = Words(b, b["task"], TASK), b["pool"]
    units, cost = task["units"], task["cost"]
    watch = SignalWatch(b, cost, b["interruptible"], b["state"])
    awake = watched(b, _slot(b, pool, b.const("i64", 0)).base, SLOT["state"]).eq(AWAKE)
    worth = units * cost // b.select(awake, b.const("i64", AWAKE_COST), THREAD_COST)
    threads = b.smin(b.smin(worth, units), word(b, pool, POOL["threads"]))
    (several,) = b.choose(threads > 1, lambda: [exchanged(b, pool, POOL["busy"], 0, 1)], [b.const("i1", 0)])
    with b.when(several):
        _run_on_several(b, task, pool, threads, watch)
    with b.otherwise():
        _run_alone(b, task, watch)
    failed, last = b.load("i32", watch.failed, 4), task["finish"]
    with b.when(failed.eq(0) & last.ne(0)):
        TASK_FINISH.call(b, last, table=task["table"])
    b.emit(f"ret i32 {failed.name}")
    return b


def _portion(b: Builder, task: Words, most: int) -> Value:
    """Return the number of units of a task that take about `most` nanoseconds, at least those it wants together."""
    return b.smax(b.const("i64", most) // task["cost"], task["together"])


def _run_alone(b: Builder, task: Words, watch: SignalWatch) -> None:
    """Emit code that runs all units of a task on the calling thread; `watch` looks for signals."""
    units, run, grain = task["units"], task["run"], _portion(b, task, WATCH // 2)
    first = b.alloca("i64")
    store_word(b, 0, first, 0)
    with b.repeat() as leave_if:
        u0 = word(b, first, 0)
        leave_if((u0 >= units) | b.load("i32", watch.failed, 4).ne(0))
        u1 = b.smin(u0 + grain, units)
        store_word(b, u1, first, 0)
        TASK_RUN.call(b, run, table=task["table"], u0=u0, u1=u1)
        watch.signal_raised(b, grain)


def _run_on_several(b: Builder, task: Words, pool: Value, threads: Value, watch: SignalWatch) -> None:
    """Emit code that runs the units of a task on the calling thread and workers, `threads` in all.

    `watch` looks for signals.
    """
    units, helpers = task["units"], _ready_workers(b, pool, threads - 1)
    share = b.smax(units // ((helpers + 1) * SHARES), task["together"])
    grain = b.smin(share, _portion(b, task, GRAIN))
    job = {"run": task["run"], "table": task["table"], **{name: b[name] for name in JOB[1:]}}
    for name, v in (
        job | {"units": units, "grain": grain, "parts": helpers + 1, "pending": helpers, "next": b.const("i64", 0)}
    ).items():
        store_word(b, v, pool, POOL[name])
    announce(b, 0, pool, POOL["stop"])
    watch.begin_job(b, pool)
    with b.loop(0, helpers) as k:
        _post(b, _slot(b, pool, k))
    _take_units(b, pool, watch)
    with b.when(~watch.is_job_lost(b, pool)):
        with b.when(_withdraw(b, pool, helpers)):
            _look(b, pool, lambda: watched(b, pool, POOL["pending"]).eq(0))
            b.call("i32", "PyThread_acquire_lock", word(b, pool, POOL["done"], "ptr"), b.const("i32", 1))
        announce(b, 0, pool, POOL["busy"])


def _withdraw(b: Builder, pool: Value, helpers: Value) -> Value:
    """Emit code that withdraws the job from workers, `helpers` in all, that have not taken it.

    Returns an i1, true if another worker will report the end of the job, or has done so.
    """
    with b.carrying([b.const("i64", 0)], 0, helpers) as turn:
        withdrawn = exchanged(b, _slot(b, pool, turn.i).base, SLOT["state"], POSTED, AWAKE)
        turn.values = [turn.values[0] + b.cast("zext", withdrawn, "i64")]
    (count,) = turn.values
    left = added(b, pool, POOL["pending"], -count) - count
    return (helpers > 0) & (left.ne(0) | count.eq(0))


def _post(b: Builder, slot: Words) -> None:
    """Emit code that has a worker begin the pool's job, which wakes it if it sleeps."""
    asleep = ~exchanged(b, slot.base, SLOT["state"], AWAKE, POSTED)
    with b.when(asleep):
        announce(b, POSTED, slot.base, SLOT["state"])
        b.call("void", "PyThread_release_lock", slot["lock"])


def _slot(b: Builder, pool: Value, k: Value) -> Words:
    """Return the record `SLOT` of worker k."""
    return Words(b, b.gep(pool, k * SLOT_WORDS + POOL["slots"], "i64"), SLOT)


def _ready_workers(b: Builder, pool: Value, wanted: Value) -> Value:
    """Return the number of workers that are ready, at most `wanted`, after starting missing ones.

    It is smaller than `wanted` if the system gives no more threads.
    """
    with b.when(word(b, pool, POOL["done"], "ptr").eq(0), rare=True):
        store_word(b, _closed_lock(b), pool, POOL["done"])
    refused = word(b, pool, POOL["done"], "ptr").eq(0)
    with b.loop(word(b, pool, POOL["started"]), b.select(refused, 0, wanted)) as k:
        slot, lock = _slot(b, pool, k), _closed_lock(b)
        slot["lock"], slot["pool"], slot["state"] = lock, pool, ASLEEP
        with b.when(lock.ne(0) & k.eq(word(b, pool, POOL["started"]))):
            thread = b.call("i64", "PyThread_start_new_thread", word(b, pool, POOL["worker"], "ptr"), slot.base)
            store_word(b, k + b.cast("zext", thread.ne(-1), "i64"), pool, POOL["started"])
    return b.smin(word(b, pool, POOL["started"]), wanted)


def _closed_lock(b: Builder) -> Value:
    """Return a new lock that is held already, or null if there is no memory for it."""
    lock = b.call("ptr", "PyThread_allocate_lock")
    with b.when(lock.ne(0)):
        b.call("i32", "PyThread_acquire_lock", lock, b.const("i32", 1))
    return lock
