"""Clusters that all tests of this folder share: two workers of one thread, and one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import weft

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def two_workers() -> Iterator[Any]:
    """A client of two workers, each a process of one thread."""
    yield from started(2)


@pytest.fixture
def client(two_workers: Any) -> Any:
    """A client of two workers; a test before may have killed some, which start again."""
    two_workers.wait_for_workers(2, timeout=30)
    return two_workers


@pytest.fixture(scope="session")
def lone_client() -> Iterator[Any]:
    """A client of one worker."""
    yield from started(1)


def started(workers: int) -> Iterator[Any]:
    """A client of a new cluster, which ends behind it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit="1GiB", silence_logs=50
        )
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
