"""Workers that are stopped: an error that names them, whatever the client asks."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.cluster import tasks
from weft.cluster.answers import answer

DEADLINE = 1.0


@pytest.fixture
def ready(client: Any) -> Any:
    """A client whose workers have imported weft, which takes them longer than the deadline."""
    with weft.cluster.connect(client):
        return client


@contextmanager
def one_stopped(client: Any) -> Iterator[Callable[[], None]]:
    """Yield what stops a worker for the rest of the block, which has to raise an error that names it."""
    stopped, process = next(iter(client.run(os.getpid).items()))
    try:
        with pytest.raises(weft.errors.ClusterError, match=rf"{stopped}.* did not answer in 1 s"):
            yield lambda: os.kill(process, signal.SIGSTOP)
    finally:
        os.kill(process, signal.SIGCONT)


def test_a_client_that_connects(ready: Any) -> None:
    with one_stopped(ready) as stop:
        stop()
        weft.cluster.connect(ready, deadline=DEADLINE).__enter__()


@pytest.mark.parametrize(
    "use", [lambda _: weft.cluster.shard(np.ones((100, 100))), lambda c: c.bytes_by_link()], ids=["shard", "counts"]
)
def test_a_client_that_is_connected(ready: Any, use: Callable[[Any], Any]) -> None:
    with weft.cluster.connect(ready, deadline=DEADLINE) as connection, one_stopped(ready) as stop:
        stop()
        use(connection)


def test_a_result_that_does_not_come(ready: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "x.npy", np.ones((600, 500)))
    with weft.cluster.connect(ready, deadline=DEADLINE), one_stopped(ready) as stop:
        monkeypatch.setattr(tasks, "answer", lambda *asked: (stop(), answer(*asked))[1])
        weft.open(tmp_path / "x.npy").sum().item()


def test_an_answer_that_takes_long(client: Any) -> None:
    """A worker that responds meanwhile may take longer than the deadline."""

    async def asked() -> int:
        import asyncio

        await asyncio.sleep(2 * DEADLINE)
        return 7

    assert answer(client, DEADLINE, asked) == 7
