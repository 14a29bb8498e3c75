"""Set-up of all tests: kernels kept from run to run, and Hypothesis settings that give the same run each time."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from itertools import count

import hypothesis
import pytest
from _pytest.doctest import DoctestModule

from tests import shares
from tests.optimising import optimise_a_share

IN_MEMORY, ROOM = "/dev/shm", 4 << 30  # a file system in memory, and the bytes that all tests together may need there
_ENDED = count(1)  # tests that have run

# Every graph and plan is held against its specification: set before the conftest of a folder imports weft.
os.environ.setdefault("WEFT_CHECK", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Say what the run, its workers and the interpreters that tests start have in common."""
    shares.quick_run = config.option.markexpr == "not slow"
    hypothesis.settings.register_profile(
        "weft",
        deadline=None,
        derandomize=True,
        print_blob=True,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
        max_examples=shares.examples(100),
    )
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "weft"))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # many interpreters import the same modules
    sys.dont_write_bytecode = False  # also those of tests, whose assertions pytest writes anew
    os.fsync = os.fstat  # files need not outlast the system: waiting for the disk takes longer than writing them
    if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", IN_MEMORY)  # a disk takes a millisecond for each new file
    folder = "weft-kernels-quick" if shares.quick_run else "weft-kernels"  # files there are named by all else
    os.environ.setdefault("WEFT_CACHE_DIR", str(config.rootpath.resolve() / ".pytest_cache" / folder))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Names of tests hold no addresses: workers that share the tests out must agree on them."""
    named = sorted({item.nodeid.split("[")[0] for item in items if " at 0x" in item.nodeid})
    if named:
        raise pytest.UsageError(f"tests named by addresses: {named}; give their parameters ids")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no examples in docstrings of tests: there are none, and each file would be read twice."""
    return [c for c in (yield) if not isinstance(c, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    gc.disable()  # what is collected stays: looking through it again and again takes a third of the time


def pytest_collection_finish() -> None:
    gc.enable()
    gc.set_threshold(10_000)  # tests that are about garbage collect it themselves
    set_aside()
    if shares.quick_run:
        optimise_a_share()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if next(_ENDED) % 500 == 0 or nextitem is None or nextitem.path != item.path:
        set_aside()
    limits = sys.modules.get("weft.runtime.memory.limits")
    assert limits is None or limits.granted() is None, (
        f"{item.nodeid} left a memory limit; set it in a block of `limited`"
    )


def set_aside() -> None:
    """Keep the garbage collector from looking through a million objects of pytest's whenever a test calls it.

    Items are there from the start; reports come with the tests, and what caches hold, such as syntax trees, with the
    files of tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Have SIGINT raise KeyboardInterrupt here and end the processes that start here.

    Shells have what they run in the background ignore it.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def _small_values_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small values wait as long as large ones, so that few cells make deep graphs."""
    from weft.tensors import pending_limits  # reads the environment that `pytest_configure` sets

    for name in ("SMALL_BYTES", "APART_BYTES", "PART_BYTES"):
        monkeypatch.setattr(pending_limits, name, -1)


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of nodes of each work planned from here on; works themselves would keep their values alive."""
    from weft.runtime.compute import stages  # reads the environment that `pytest_configure` sets

    found: list[int] = []
    plan = stages._planned
    monkeypatch.setattr(stages, "_planned", lambda work, only: found.append(len(work.order)) or plan(work, only))
    return found


@pytest.fixture(params=["cpu", "reference"])
def transformer(request: pytest.FixtureRequest) -> Iterator[str]:
    """Compute with each transformer; the value is its name."""
    import weft  # reads the environment that `pytest_configure` sets

    with weft.transformer(request.param):
        yield request.param
