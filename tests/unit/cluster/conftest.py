"""Clusters that all tests of this folder share: two workers of one thread, and one."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import weft
from weft.runtime.no_collection import no_collection

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

# Workers start, and start again, from a process that has imported Dask: importing it takes most of a start.
dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})


@pytest.fixture(scope="package")
def two_workers() -> Iterator[Any]:
    """A client of two workers, each a process of one thread."""
    yield from started(2)


@pytest.fixture
def client(two_workers: Any) -> Any:
    """A client of two workers; a test before may have killed some, which start again."""
    wait_for_all(two_workers)
    return two_workers


def wait_for_all(client: Any) -> None:
    """Wait until all workers run: Dask does not start again those that die before their start has ended.

    Once weft was there, each also has its slot: else the tasks of a program go to those that have one.
    """
    nannies = client.cluster.workers.values()

    def run() -> bool:
        run = [n.worker_address for n in nannies if n.status.name == "running" and n.process.is_alive()]
        known = client.scheduler_info(n_workers=-1)["workers"]
        slots = {len(w["resources"]) for w in known.values()}
        return len(run) == len(nannies) and set(run) == set(known) and len(slots) == 1

    wait_until(run, "workers did not start again")


def wait_until(holds: Callable[[], bool], otherwise: str, seconds: float = 120.0) -> None:
    """Wait for what comes in its own time; the deadline is for what never comes."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            pytest.fail(otherwise)
        time.sleep(0.02)


@pytest.fixture(scope="package")
def one_worker() -> Iterator[Any]:
    """A client of one worker, a process of one thread."""
    yield from started(1)


@pytest.fixture
def four_workers() -> Iterator[Any]:
    """A client of four new workers, each a process of one thread."""
    yield from started(4)


@pytest.fixture
def lone_client(one_worker: Any) -> Any:
    """A client of one worker; a test before may have killed it, and it starts again."""
    wait_for_all(one_worker)
    return one_worker


def started(workers: int) -> Iterator[Any]:
    """A client of a new cluster, which ends behind it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"})  # else Dask ends who starts again for long
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit="1GiB", silence_logs=50
        )
        with no_collection():
            client = distributed.Client(cluster, set_as_default=False)
        yield client
        client.close()
        cluster.close()


@pytest.fixture(autouse=True)
def small_limit() -> Iterator[None]:
    """Files of a few megabytes are large."""
    before = weft.get_memory_limit()
    weft.set_memory_limit("2MiB")
    yield
    weft.set_memory_limit(None)
    assert before
