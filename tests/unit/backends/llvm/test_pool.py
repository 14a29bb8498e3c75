"""The pool: how many threads, and what it does with more units than threads, or fewer."""

from __future__ import annotations

import ctypes
import threading
import time

import numpy as np
import pytest

from tests.cases import for_each
from weft.backends.llvm.emit import Builder
from weft.backends.llvm.emit.words import store_word, word
from weft.backends.llvm.jit import pool
from weft.backends.llvm.jit.entry import make_entry
from weft.backends.llvm.jit.jit import Text, code
from weft.backends.llvm.jit.kernel_task import KernelTask
from weft.errors import ValueRangeError


def marking(units: int, cost: float) -> tuple[KernelTask, np.ndarray]:
    """A task whose unit u adds 1 to cell u of its argument. Its finish adds them up into the cell after these."""

    def emit() -> Text:
        b = Builder()
        cells = word(b, b.named("ptr", "%bases"), 0, "ptr")
        with b.loop(b.named("i64", "%u0"), b.named("i64", "%u1")) as u:
            store_word(b, word(b, cells, u) + 1, cells, u)
        b.emit("ret void")
        run = b.function("run", "ptr %table, ptr %bases, ptr %scalars, ptr %scratch, i64 %u0, i64 %u1")
        e = Builder()
        cells = word(e, e.named("ptr", "%bases"), 0, "ptr")
        count = word(e, e.named("ptr", "%table"), 0)
        with e.loop(0, count) as u:
            store_word(e, word(e, cells, count) + word(e, cells, u), cells, count)
        e.emit("ret void")
        finish = e.function("finish", "ptr %table, ptr %bases, ptr %scalars, ptr %scratch")
        return Text(b.module(run, finish), ("run", "finish"))

    made = code("test marking units", emit)
    table = np.array([units], np.int64)
    return KernelTask(made["run"], table, units, cost, made["finish"]), np.zeros(units + 1, np.int64)


@pytest.fixture(autouse=True)
def _same_threads_afterwards() -> object:
    found = pool.get_num_threads()
    yield
    pool.set_num_threads(found)


@for_each("threads", [1, 2, 7, 40])
@for_each("units", [1, 2, 39, 1000])
@for_each("together", [1, 6, 5000])
def test_every_unit_runs_once_and_finish_last(threads: int, units: int, together: int) -> None:
    pool.set_num_threads(threads)
    task, cells = marking(units, 1e6)
    task.together = together
    f = make_entry(1, {}, (), [task])
    for turn in range(1, 4):
        cells[-1] = 0
        f(cells, 0)
        assert (cells[:-1] == turn).all()
        assert cells[-1] == units * turn


def state_of_worker(k: int) -> ctypes.c_int64:
    place = pool.POOL["slots"] + k * pool.SLOT_WORDS + pool.SLOT["state"]
    return ctypes.c_int64.from_address(pool.pool_address() + 8 * place)


def sleeping(state: ctypes.c_int64) -> bool:
    deadline = time.monotonic() + 60
    while state.value != pool.ASLEEP and time.monotonic() < deadline:
        time.sleep(0.001)
    return state.value == pool.ASLEEP


def test_workers_take_jobs_awake_and_asleep_and_sleep_when_none_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "usable_cpus", lambda: 3)
    pool.set_num_threads(3)
    task, cells = marking(50, 1e6)
    f = make_entry(1, {}, (), [task] * 4)
    for turn in range(1, 30):
        f(cells, 0)
        if turn % 3 == 0:
            assert sleeping(state_of_worker(0)) and sleeping(state_of_worker(1))
        assert (cells[:-1] == 4 * turn).all()


@pytest.mark.parametrize("looks", [0, 1, 50, pool.LOOKS])
def test_no_job_is_lost_or_run_twice_whenever_workers_come(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LOOKS", looks)
    monkeypatch.setattr(pool, "usable_cpus", lambda: 4)
    pool.set_num_threads(4)
    jobs = [marking(units, 1e6) for units in (2, 3, 7, 40)]
    entries = [make_entry(1, {}, (), [task] * 3) for task, _ in jobs]
    every = [[np.zeros_like(cells) for _, cells in jobs] for _ in range(2)]

    def work(own: list[np.ndarray]) -> None:
        for turn in range(300):
            for f, cells in zip(entries, own, strict=True):
                f(cells, 0)
            if turn % 50 == 0:
                time.sleep(0.001)

    threads = [threading.Thread(target=work, args=(own,), daemon=True) for own in every]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert all((cells[:-1] == 900).all() for own in every for cells in own)


@pytest.mark.parametrize(("cpus", "threads", "look"), [(4, 4, True), (4, 5, False), (1, 1, True)])
def test_no_thread_looks_for_jobs_where_threads_share_processors(
    monkeypatch: pytest.MonkeyPatch, cpus: int, threads: int, look: bool
) -> None:
    monkeypatch.setattr(pool, "usable_cpus", lambda: cpus)
    pool.set_num_threads(threads)
    looks = ctypes.c_int64.from_address(pool.pool_address() + 8 * pool.POOL["looks"])
    assert looks.value == (pool.LOOKS if look else 0)


def test_cheap_tasks_stay_on_the_calling_thread() -> None:
    pool.set_num_threads(200)
    task, cells = marking(1000, 1.0)
    started = ctypes.c_int64.from_address(pool.pool_address() + 8 * pool.POOL["started"])
    before = started.value
    make_entry(1, {}, (), [task] * 3)(cells, 0)
    assert (cells[:-1] == 3).all()
    assert started.value == before < 200


def test_no_units_only_finish() -> None:
    task, cells = marking(0, 1.0)
    make_entry(1, {}, (), [task])(cells, 0)
    assert cells[0] == 0


@pytest.mark.parametrize("n", [0, -1, 100_000])
def test_numbers_of_threads_that_cannot_be(n: int) -> None:
    with pytest.raises(ValueRangeError, match=f"set_num_threads: {n} threads"):
        pool.set_num_threads(n)


def test_default_is_what_the_process_may_use() -> None:
    assert 1 <= pool.get_num_threads() <= pool.MAX_WORKERS
    assert pool.usable_cpus() >= 1
