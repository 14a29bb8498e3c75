"""Workers that die, differ or do not answer: the same result, or one clear error in time; nothing half-written."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.cluster.conftest import wait_until
from tests.unit.cluster.test_shards import y_source
from weft.cluster.links import WorkerLink
from weft.cluster.sharded_source import HeldBox
from weft.cluster.tasks import Tasks
from weft.ir.pieces.box import box_of

distributed = pytest.importorskip("distributed")

X = np.arange(600.0 * 500).reshape(600, 500)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    np.save(tmp_path / "x.npy", X)
    return tmp_path / "x.npy"


def held_up(x: Any, folder: Path) -> Any:
    """A copy whose blocks report their start, and wait until they may go on or the test ends."""

    def wait(a: np.ndarray) -> np.ndarray:
        if folder.exists():
            (folder / f"begun-{os.getpid()}").touch()
        while folder.exists() and not (folder / "go").exists():
            time.sleep(0.02)
        return a

    return weft.map_blocks(wait, x, dtype=x.dtype, threads=1)


@contextmanager
def once_begun(folder: Path, act: Callable[[int], Any], goes_on: bool = True) -> Iterator[None]:
    """Do something as soon as a worker computes a block, given its process. Behind the block all others may go on."""

    def wait_and_act() -> None:
        wait_until(lambda: any(folder.glob("begun-*")), "no block was begun")
        act(int(next(folder.glob("begun-*")).name.removeprefix("begun-")))

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        if goes_on:
            (folder / "go").touch()


@pytest.mark.parametrize("number", [0, 1])
def test_lost_shards_are_made_again(client: Any, path: Path, number: int) -> None:
    with weft.cluster.connect(client):
        y = (weft.open(path) * 2).realize()
        given = weft.cluster.shard(X, chunks=(100, None))
        os.kill(list(client.run(os.getpid).values())[number], signal.SIGKILL)
        assert np.array_equal(y[::7, ::3].numpy(), X[::7, ::3] * 2)
        assert np.array_equal(given[::7, ::3].numpy(), X[::7, ::3])
        assert (y - given).sum().item() == weft.asarray(X).sum().item()


def test_just_the_lost_shards_are_made_again(client: Any) -> None:
    def runs(dask_scheduler: Any) -> list[str]:
        """The keys of finished tasks, once for each run."""
        return [
            str(key)
            for key, start, end, *_ in dask_scheduler.transition_log
            if (start, end) == ("processing", "memory")
        ]

    with weft.cluster.connect(client):
        x = weft.cluster.shard(weft.random.uniform((600, 500), seed=3), chunks=(50, None))
        before, (dead, process) = y_source(x).holders, next(iter(client.run(os.getpid).items()))
        lost = {key for key, at in before.items() if at == [dead]}
        os.kill(process, signal.SIGKILL)
        assert np.array_equal(x[::10].numpy(), weft.random.uniform((600, 500), seed=3)[::10].numpy())
        made = client.run_on_scheduler(runs)
    assert 0 < len(lost) < 12
    assert {key: made.count(key) for key in before} == {key: 2 if key in lost else 1 for key in before}


def test_an_error_of_a_worker_is_raised_here(client: Any, path: Path, tmp_path: Path) -> None:
    def fail(a: np.ndarray) -> np.ndarray:
        raise ValueError("no such luck")

    with weft.cluster.connect(client):
        with pytest.raises(ValueError, match="no such luck"):
            weft.save(tmp_path / "y.npy", weft.map_blocks(fail, weft.open(path), dtype=weft.float64))
        assert weft.open(path).sum().item() == weft.asarray(X).sum().item()
    assert [p.name for p in tmp_path.iterdir()] == ["x.npy"]


def test_a_file_that_changed_is_refused(client: Any, path: Path) -> None:
    x = weft.open(path)
    np.save(path, X + 1)
    with weft.cluster.connect(client), pytest.raises(weft.errors.WeftError, match="changed"):
        x.sum().item()


def test_a_file_that_workers_do_not_have(client: Any, path: Path) -> None:
    x = weft.open(path)
    path.unlink()
    with weft.cluster.connect(client), pytest.raises(weft.errors.WeftError, match=r"x\.npy"):
        x.sum().item()


def test_a_file_that_one_worker_does_not_have(
    client: Any, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of each process, with the file in all but one."""
    (path.parent / "empty").mkdir()
    before = client.run(os.getcwd)
    monkeypatch.chdir(path.parent)
    client.run(os.chdir, path.parent)
    client.run(os.chdir, path.parent / "empty", workers=[next(iter(before))])
    try:
        missing = pytest.raises(weft.errors.FileFormatError, match=r"x\.npy: .*no such file")
        with weft.cluster.connect(client), missing as raised:
            held_up(weft.open("/proc/self/cwd/x.npy"), tmp_path).sum().item()
        assert any(f"on worker {next(iter(before))}, which opens files by" in n for n in raised.value.__notes__)
    finally:
        (tmp_path / "go").touch()
        for worker, folder in before.items():
            client.run(os.chdir, folder, workers=[worker])


def test_no_room_for_what_workers_write(client: Any, path: Path, tmp_path: Path) -> None:
    """A limit of the size of files, saved or scratch, stands for a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with weft.cluster.connect(client):
        client.run(resource.setrlimit, resource.RLIMIT_FSIZE, (1 << 16, hard))
        try:
            with pytest.raises(weft.errors.WriteError, match="file too large"):
                weft.save(tmp_path / "y.zarr", weft.open(path) + 1, chunks=(100, 500))
        finally:
            client.run(resource.setrlimit, resource.RLIMIT_FSIZE, (soft, hard))
        assert [p.name for p in tmp_path.iterdir()] == ["x.npy"]
        assert weft.open(path).max().item() == X.max()


@pytest.mark.parametrize("way", [{"region": slice(100, 700)}, {"append": 0}], ids=str)
def test_no_room_in_an_array_that_is_there(client: Any, path: Path, tmp_path: Path, way: dict[str, Any]) -> None:
    """Cells outside of the region are as they were, and an array that was to grow has its shape. The error says so."""
    weft.save(tmp_path / "y.zarr", weft.zeros((700, 500)), chunks=(50, 500))
    before = sorted(str(p) for p in (tmp_path / "y.zarr").rglob("*") if p.is_file())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with weft.cluster.connect(client) as connection:
        client.run(resource.setrlimit, resource.RLIMIT_FSIZE, (1 << 16, hard))
        left = "the array has its former shape" if "append" in way else "cells of the region may be old or new"
        try:
            with pytest.raises(weft.errors.WriteError, match=f"file too large; {left}"):
                weft.save(tmp_path / "y.zarr", weft.open(path) + 1, **way)
        finally:
            client.run(resource.setrlimit, resource.RLIMIT_FSIZE, (soft, hard))
        assert connection.tasks
    y = weft.open(tmp_path / "y.zarr")
    assert y.shape == (700, 500) and not y[:100].numpy().any()
    assert sorted(str(p) for p in (tmp_path / "y.zarr").rglob("*") if p.is_file()) == before


def test_no_memory_on_workers(client: Any, path: Path) -> None:
    with weft.cluster.connect(client):
        with pytest.raises(weft.errors.OutOfMemory, match="map_blocks: <lambda> got no memory for index cells"):
            weft.map_blocks(lambda a: np.empty((1 << 20, 1 << 30)), weft.open(path), dtype="float64").sum().item()
        assert weft.open(path).max().item() == X.max()


@pytest.mark.slow
def test_a_function_that_ends_its_worker(client: Any, path: Path) -> None:
    with weft.cluster.connect(client, deadline=60.0):  # in which both workers start again
        fatal = weft.map_blocks(lambda a: os.kill(os.getpid(), signal.SIGKILL), weft.open(path), dtype="float64")
        with pytest.raises(weft.errors.ClusterError, match=r"a task ended 4 times with its worker, the last time tcp:"):
            fatal.sum().item()


def test_cells_of_a_worker_that_does_not_answer(client: Any, path: Path) -> None:
    with weft.cluster.connect(client) as connection:
        y = (weft.open(path) * 2).realize()
        ((stopped, *_), *_) = y_source(y).holders.values()
        process = client.run(os.getpid, workers=[stopped])[stopped]
        connection.link.deadline, before = 1.0, connection.link.deadline
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(weft.errors.ClusterError, match=f"did not come in 1 s:.*{stopped}: no answer in 1 s"):
                y[::50, 3].numpy()
        finally:
            os.kill(process, signal.SIGCONT)
            connection.link.deadline = before
        assert np.array_equal(y[::50, 3].numpy(), X[::50, 3] * 2)


def test_another_version_is_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.cluster.connection.__version__", "9.9")
    with (
        pytest.raises(weft.errors.ClusterError, match=r"has weft 0\.1\.0.*the client 9\.9"),
        weft.cluster.connect(client),
    ):
        pass


def test_a_worker_of_another_version_that_joins_later(client: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with weft.cluster.connect(client):
        monkeypatch.setattr("weft.cluster.distribution.__version__", "9.9")
        with pytest.raises(weft.errors.ClusterError, match=r"has weft 0\.1\.0, the client 9\.9"):
            weft.open(path).sum().item()


def test_an_address_without_a_scheduler_raises() -> None:
    with (
        pytest.raises(weft.errors.ClusterError, match="no scheduler answers"),
        weft.cluster.connect("tcp://127.0.0.1:1", deadline=0.5),
    ):
        pass


@pytest.mark.parametrize("use", [lambda c: c.tasks, lambda c: c.dashboard, lambda c: c.bytes_by_link()])
def test_a_connection_outside_of_its_block(use: Callable[[Any], Any]) -> None:
    with pytest.raises(weft.errors.ClusterError, match=r"not open; .*; write `with weft\.cluster\.connect"):
        use(weft.cluster.connect("tcp://127.0.0.1:1"))


def test_a_worker_that_does_not_answer(client: Any, path: Path, tmp_path: Path) -> None:
    """The error names it."""
    stopped: list[int] = []

    def stop(process: int) -> None:
        stopped.append(process)
        os.kill(process, signal.SIGSTOP)

    silent = pytest.raises(weft.errors.ClusterError, match=r"tcp://.* did not answer in 1 s")
    try:
        with weft.cluster.connect(client, deadline=1.0), once_begun(tmp_path, stop), silent:
            held_up(weft.open(path), tmp_path).sum().item()
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)


QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@contextmanager
def process_of(*given: str) -> Iterator[Any]:
    """A process of a command of Dask, killed at the end."""
    process = subprocess.Popen([sys.executable, "-m", *given], **QUIET)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[tuple[str, Any]]:
    """A scheduler in a process of its own, without workers: its address, and the process."""
    place = tmp_path / "scheduler.json"
    given = ["--port", "0", "--no-dashboard", "--scheduler-file", str(place)]
    with process_of("distributed.cli.dask_scheduler", *given) as scheduler:
        wait_until(lambda: place.exists() and bool(place.read_text()), "the scheduler did not start")
        yield json.loads(place.read_text())["address"], scheduler


@pytest.fixture
def apart(alone: tuple[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """A scheduler and a worker in processes of their own, without a nanny: its address, and both."""
    address, scheduler = alone
    given = [address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    with process_of("distributed.cli.dask_worker", *given) as worker:
        with distributed.Client(address, timeout=120, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=120)
        yield address, scheduler, worker


def test_a_scheduler_without_workers(alone: tuple[str, Any]) -> None:
    message = r"^cluster: no worker is at tcp://.* within 0\.5 s; .*; start some with `dask worker`"
    with (
        distributed.Client(alone[0], timeout=120, set_as_default=False) as client,
        pytest.raises(weft.errors.ClusterError, match=message),
        weft.cluster.connect(client, deadline=0.5),
    ):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("who", ["scheduler", "worker"])
def test_a_scheduler_or_the_only_worker_is_gone(
    apart: tuple[str, Any, Any], path: Path, tmp_path: Path, who: str
) -> None:
    address, scheduler, worker = apart
    ended = scheduler if who == "scheduler" else worker
    with weft.cluster.connect(address, deadline=4.0), once_begun(tmp_path, lambda process: ended.kill()):
        wanted = "the scheduler is gone" if who == "scheduler" else "had no workers|ended 4 times"
        with pytest.raises(weft.errors.ClusterError, match=wanted):
            held_up(weft.open(path), tmp_path).realize()


@pytest.mark.slow
@pytest.mark.parametrize("use", [lambda x: x.sum().item(), weft.cluster.shard, lambda x: weft.explain(x.sum())])
def test_a_scheduler_that_does_not_answer(
    apart: tuple[str, Any, Any], path: Path, use: Callable[[weft.Tensor], Any]
) -> None:
    address, scheduler, _ = apart
    with weft.cluster.connect(address, deadline=4.0), pytest.raises(weft.errors.ClusterError, match="gone or hangs"):
        scheduler.send_signal(signal.SIGSTOP)
        use(weft.open(path))


@pytest.mark.parametrize("deadline", [-1, 0, float("nan"), None, "30"])
def test_a_deadline_is_a_number_of_seconds(deadline: Any) -> None:
    wanted = rf"connect: deadline {deadline!r}; it is the time in seconds .*; give a number above 0"
    with pytest.raises(weft.errors.ArgumentError, match=wanted):
        weft.cluster.connect(deadline=deadline)


def test_an_interrupt_cancels_the_tasks(client: Any, path: Path, tmp_path: Path, interruptible: None) -> None:
    """Workers stop what they compute, and have a slot for the next program."""
    interrupt = once_begun(tmp_path, lambda process: os.kill(os.getpid(), signal.SIGINT), goes_on=False)
    before = _keys(client)  # of tensors that tests before have left
    with weft.cluster.connect(client):
        with interrupt, pytest.raises(KeyboardInterrupt):
            held_up(weft.open(path), tmp_path).realize()
        try:
            wait_until(lambda: _keys(client) <= before, "tasks or results are still there")
            wait_until(lambda: not any(client.run(_executing).values()), "a worker goes on with a cancelled task")
        finally:
            (tmp_path / "go").touch()
        assert weft.open(path).max().item() == X.max()


def test_workers_outlive_the_interrupt_of_a_terminal(client: Any, path: Path) -> None:
    """It goes to all processes that were started there; the client alone ends the program."""
    with weft.cluster.connect(client):
        before = client.run(os.getpid)
        for process in before.values():
            os.kill(process, signal.SIGINT)
        assert weft.open(path).sum().item() == X.sum()
        assert client.run(os.getpid) == before


def _executing(dask_worker: Any) -> list[str]:
    """The keys of the tasks that a worker computes, cancelled or not."""
    return [str(t.key) for t in dask_worker.state.executing]


def _keys(client: Any) -> set[str]:
    """The keys of weft's tasks under way, and of its results."""
    every = [k for known in (client.processing(), client.has_what()) for keys in known.values() for k in keys]
    return {str(k) for k in every if str(k).startswith("weft-")}


def test_an_interrupt_among_messages_leaves_no_task(
    client: Any, path: Path, tmp_path: Path, interruptible: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks are cancelled that were sent, but not yet returned to weft."""
    before, sent, kept = _keys(client), client._graph_to_futures, list[Any]()

    def interrupted(*args: Any, **given: Any) -> Any:
        kept.append(sent(*args, **given))
        raise KeyboardInterrupt

    with weft.cluster.connect(client), monkeypatch.context() as patch:
        patch.setattr(client, "_graph_to_futures", interrupted)
        with pytest.raises(KeyboardInterrupt):
            held_up(weft.open(path), tmp_path).realize()
        assert len(kept) == 1
        (tmp_path / "go").touch()
        wait_until(lambda: _keys(client) <= before, "a task is still there")


def test_an_interrupt_leaves_equal_results_that_are_held(
    client: Any, path: Path, interruptible: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Any:
        raise KeyboardInterrupt

    with weft.cluster.connect(client):
        held = (weft.open(path) * 3).realize()
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(Tasks, "finished", interrupted)
            (weft.open(path) * 3).realize()
        assert client.sync(client.scheduler.who_has, keys=list(y_source(held).keys)).keys() == set(y_source(held).keys)
        assert np.array_equal(held[::7].numpy(), X[::7] * 3)


def test_a_program_runs_again_before_its_cancellation_is_reported(
    client: Any, path: Path, interruptible: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, reports, submit = list[Any](), client._stream_handlers, Tasks.submit
    report = reports["cancelled-keys"]

    def interrupted(*given: Any) -> Any:
        raise KeyboardInterrupt

    def submitted(*args: Any, **given: Any) -> Any:
        made = submit(*args, **given)
        for said in late:
            client.loop.add_callback(report, **said)
        return made

    monkeypatch.setitem(reports, "cancelled-keys", lambda **said: late.append(said))
    with weft.cluster.connect(client):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(Tasks, "finished", interrupted)
            (weft.open(path) * 5).realize()
        wait_until(lambda: bool(late), "no cancellation was reported")
        monkeypatch.setattr(Tasks, "submit", submitted)
        assert np.array_equal((weft.open(path) * 5).realize()[::7].numpy(), X[::7] * 5)


def test_a_holder_that_ended_is_not_waited_for() -> None:
    """While Dask connects to a dead worker, the cells come from who holds them now."""
    cells, asked = np.arange(6.0), [0]

    class Worker:
        def __init__(self, address: str) -> None:
            self.address = address

        async def weft_read(self, reader: str, boxes: Any) -> dict[str, Any]:
            if self.address == "dead":
                await asyncio.sleep(60)
            return {"cells": cells.view(np.uint8)}

    async def who_has(keys: Any) -> dict[str, list[str]]:
        asked[0] += 1
        return {k: ["alive"] for k in keys}

    link = WorkerLink(Worker, who_has, lambda f, *given: asyncio.run(f(*given)), deadline=30.0)
    link.note({"k": ["dead"]})
    began = time.monotonic()
    found = np.zeros(6)
    link.read([HeldBox("k", 0, box_of((6,)))], [found])
    assert found.tolist() == cells.tolist() and time.monotonic() - began < 15 and asked[0] < 5


def test_a_task_gives_way_to_those_that_make_its_cells_again() -> None:
    """They may need its worker; after the deadline, in all, there is an error."""

    async def who_has(keys: Any) -> dict[str, list[str]]:
        return {}

    link = WorkerLink(None, who_has, lambda f, *given: asyncio.run(f(*given)), "tcp://own", deadline=1.5)  # type: ignore[arg-type]
    began = time.monotonic()
    with pytest.raises(weft.errors.ClusterError, match=r"did not come in 1\.5 s: no worker holds them"):
        while True:
            with pytest.raises(distributed.Reschedule):
                link.read([HeldBox("k", 0, box_of((6,)))], [np.zeros(6)])
            assert time.monotonic() - began > 0.5


TRACED = """
import sys
from weft.cluster.interrupts import Interruptible
with Interruptible().task("weft-1"):
    pass
sys.setprofile(lambda *event: None)
(lambda: print("went on"))()
"""


def test_a_task_leaves_no_interrupt_to_look_for() -> None:
    """A thread that CPython 3.11 has told to look for one stays for ever in the first call that is profiled."""
    found = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=120)
    assert (found.stdout, found.returncode) == ("went on\n", 0), found.stderr
