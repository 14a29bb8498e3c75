"""Workers that die, differ or do not answer: the same result, or one clear error in time; nothing half-written."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

X = np.arange(600.0 * 500).reshape(600, 500)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    np.save(tmp_path / "x.npy", X)
    return tmp_path / "x.npy"


def slowly(x: Any, seconds: float) -> Any:
    """A copy that takes workers some time."""

    def wait(a: np.ndarray) -> np.ndarray:
        time.sleep(seconds)
        return a

    return weft.map_blocks(wait, x, dtype=x.dtype, threads=1)


def kill_later(client: Any, seconds: float, number: int = 0) -> threading.Timer:
    """Kill a worker after some time."""
    process = list(client.run(os.getpid).values())[number]
    timer = threading.Timer(seconds, os.kill, [process, signal.SIGKILL])
    timer.start()
    return timer


def test_a_worker_killed_while_it_computes(client: Any, path: Path) -> None:
    with weft.cluster.connect(client):
        timer = kill_later(client, 0.3)
        found = (slowly(weft.open(path), 0.1) + 1).sum(axis=1).numpy()
        timer.join()
    assert found.tobytes() == (weft.asarray(X) + 1).sum(axis=1).numpy().tobytes()


def test_a_worker_killed_while_it_writes(client: Any, path: Path, tmp_path: Path) -> None:
    with weft.cluster.connect(client):
        timer = kill_later(client, 0.3)
        weft.save(tmp_path / "y.zarr", slowly(weft.open(path), 0.1) + 1, chunks=(100, 100))
        timer.join()
    assert np.array_equal(weft.open(tmp_path / "y.zarr").numpy(), X + 1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.npy", "y.zarr"]


@pytest.mark.parametrize("number", [0, 1])
def test_lost_shards_are_made_again(client: Any, path: Path, number: int) -> None:
    with weft.cluster.connect(client):
        y = (weft.open(path) * 2).realize()
        given = weft.cluster.shard(X, chunks=(100, None))
        kill_later(client, 0, number).join()
        assert np.array_equal(y[::7, ::3].numpy(), X[::7, ::3] * 2)
        assert np.array_equal(given[::7, ::3].numpy(), X[::7, ::3])
        assert (y - given).sum().item() == weft.asarray(X).sum().item()


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


def test_a_file_that_one_worker_does_not_have(client: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of each process, with the file in all but one."""
    (path.parent / "empty").mkdir()
    before = client.run(os.getcwd)
    monkeypatch.chdir(path.parent)
    client.run(os.chdir, path.parent)
    client.run(os.chdir, path.parent / "empty", workers=[next(iter(before))])
    try:
        with weft.cluster.connect(client), pytest.raises(weft.errors.FileFormatError, match=r"x\.npy: .*no such file"):
            slowly(weft.open("/proc/self/cwd/x.npy"), 0.1).sum().item()
    finally:
        for worker, folder in before.items():
            client.run(os.chdir, folder, workers=[worker])


def test_no_room_for_what_workers_write(client: Any, path: Path, tmp_path: Path) -> None:
    """A limit of the size of files stands for a full disk: of the file that is saved, and of scratch files."""
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


def test_no_memory_on_workers(client: Any, path: Path) -> None:
    with weft.cluster.connect(client):
        with pytest.raises(weft.errors.OutOfMemory, match="map_blocks: memory for"):
            weft.map_blocks(lambda a: np.empty((1 << 20, 1 << 30)), weft.open(path), dtype="float64").sum().item()
        assert weft.open(path).max().item() == X.max()


@pytest.mark.slow
def test_a_function_that_ends_its_worker(client: Any, path: Path) -> None:
    with weft.cluster.connect(client):
        fatal = weft.map_blocks(lambda a: os.kill(os.getpid(), signal.SIGKILL), weft.open(path), dtype="float64")
        with pytest.raises(weft.errors.ClusterError, match=r"a task ended 4 times with its worker, the last time tcp:"):
            fatal.sum().item()


def test_cells_of_a_worker_that_does_not_answer(client: Any, path: Path) -> None:
    with weft.cluster.connect(client, deadline=1.0):
        y = (weft.open(path) * 2).realize()
        stopped, process = next(iter(client.run(os.getpid).items()))
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(weft.errors.ClusterError, match=f"did not come in 1 s: {stopped}: no answer in 1 s"):
                y[::50, 3].numpy()
        finally:
            os.kill(process, signal.SIGCONT)
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


def test_nobody_at_an_address() -> None:
    with (
        pytest.raises(weft.errors.ClusterError, match="no scheduler answers"),
        weft.cluster.connect("tcp://127.0.0.1:1", deadline=0.5),
    ):
        pass


def test_a_worker_that_does_not_answer(client: Any, path: Path) -> None:
    """The error names it, in about the deadline."""
    process = next(iter(client.run(os.getpid).values()))
    with weft.cluster.connect(client, deadline=1.0):
        x = weft.open(path)
        stop = threading.Timer(0.2, os.kill, [process, signal.SIGSTOP])
        stop.start()
        began = time.monotonic()
        try:
            with pytest.raises(weft.errors.ClusterError, match=r"tcp://.* did not answer in 1 s"):
                slowly(x, 0.3).sum().item()
            assert time.monotonic() - began < 10
        finally:
            stop.join()
            os.kill(process, signal.SIGCONT)


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[tuple[str, Any, Any]]:
    """A scheduler and a worker in processes of their own, without a nanny: its address, and both."""
    place = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    given = ["--port", "0", "--no-dashboard", "--scheduler-file", str(place)]
    scheduler = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_scheduler", *given], **quiet)  # type: ignore[call-overload]
    while not place.exists() or not place.read_text():
        time.sleep(0.05)
    address = json.loads(place.read_text())["address"]
    more = [address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    worker = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", *more], **quiet)  # type: ignore[call-overload]
    yield address, scheduler, worker
    for process in (worker, scheduler):
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("who", ["scheduler", "worker"])
def test_a_scheduler_or_the_only_worker_is_gone(apart: tuple[str, Any, Any], path: Path, who: str) -> None:
    address, scheduler, worker = apart
    with weft.cluster.connect(address, deadline=4.0):
        x = slowly(weft.open(path), 0.2) + 1
        timer = threading.Timer(1.0, (scheduler if who == "scheduler" else worker).kill)
        timer.start()
        began = time.monotonic()
        wanted = "the scheduler is gone" if who == "scheduler" else "had no workers|ended 4 times"
        with pytest.raises(weft.errors.ClusterError, match=wanted):
            x.realize()
        assert time.monotonic() - began < 30
        timer.join()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Have Ctrl-C raise: a background shell has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_cancels_the_tasks(client: Any, path: Path, interruptible: None) -> None:
    with weft.cluster.connect(client):
        x = slowly(weft.open(path), 0.2) + 1
        timer = threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            x.realize()
        timer.join()
        for _ in range(200):
            left = [k for what in (client.processing(), client.has_what()) for keys in what.values() for k in keys]
            if not any(str(k).startswith("weft-") for k in left):
                break
            time.sleep(0.05)
        else:
            pytest.fail(f"tasks or results are still there: {left}")
        assert weft.open(path).max().item() == X.max()
