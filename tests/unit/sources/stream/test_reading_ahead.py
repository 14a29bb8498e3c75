"""Reading ahead: interrupts at any of its queues, and systems that start no thread."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, cast

import numpy as np
import pytest

import weft
from weft.ir.pieces.box import Box
from weft.runtime import signal_safe_threads
from weft.runtime.memory.limits import limited
from weft.sources.stream.reading_ahead import ReadingAhead, Wanted, tile_steps

TILES = 6
ONE = Box((0,), (1,), (1,))


@dataclass(frozen=True)
class Numbered:
    """A unit of reading that gives its number."""

    number: int
    nbytes: int = 1 << 20
    itemsize: int = 1 << 20
    box: Any = ONE

    @property
    def is_decoded(self) -> bool:
        return False

    def read(self) -> Any:
        return np.array([self.number])


def reading(threads: int = 2) -> ReadingAhead:
    wanted = [cast(Wanted, {u: u.box for u in (Numbered(i), Numbered(i + 1))}) for i in range(TILES)]
    return ReadingAhead(tile_steps(wanted, 3 << 20), 3 << 20, threads)


def walked(ahead: ReadingAhead) -> list[int]:
    """Return the cells that the tiles get, in order."""
    found = []
    with ahead:
        for i in range(TILES):
            ahead.wait(i)
            found.append(sum([int(ahead.cells[u][1][0]) for u in ahead.steps[i].wanted]))
            ahead.done(i)
    return found


class Striking:
    """A queue whose operations count down to an interrupt, before or after the operation."""

    def __init__(self, queue: SimpleQueue[Any], left: list[int], after: bool) -> None:
        self.queue, self.left, self.after = queue, left, after

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = getattr(self.queue, name)

        def struck(*arguments: Any, **options: Any) -> Any:
            self.left[0] -= 1
            found = operation(*arguments, **options) if self.after or self.left[0] else None
            if not self.left[0]:
                raise KeyboardInterrupt
            return found

        return struck


def ends(threads: list[Any]) -> bool:
    """True if all threads end within ten seconds."""
    until = time.monotonic() + 10
    while any(t.is_running() for t in threads) and time.monotonic() < until:
        time.sleep(0.001)
    return not any(t.is_running() for t in threads)


def struck_at(step: int, after: bool) -> tuple[bool, list[Any]]:
    """Walk with an interrupt at an operation of a queue; return (it came, the threads that had been started)."""
    ahead, left = reading(), [step]
    threads = ahead.threads
    ahead.tasks, ahead.results = (cast(Any, Striking(q, left, after)) for q in (ahead.tasks, ahead.results))
    try:
        walked(ahead)
    except KeyboardInterrupt:
        return True, threads
    return False, threads


@pytest.mark.parametrize("after", [False, True])
def test_an_interrupt_at_any_operation_of_a_queue_leaves_no_thread(after: bool) -> None:
    step, came = 1, True
    while came:
        came, threads = struck_at(step, after)
        gc.collect()
        assert ends(threads)
        step += 1
    assert step > 2 * TILES


@pytest.mark.parametrize("turn", [0, 1])
def test_a_walk_that_is_dropped_midway_leaves_no_thread(turn: int) -> None:
    ahead = reading()
    threads = ahead.threads
    ahead.__enter__()
    for i in range(turn):
        ahead.wait(i)
    assert any(t.is_running() for t in threads)
    del ahead
    assert ends(threads)


def test_a_system_without_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(signal_safe_threads, "start_new_thread", refuse)
    assert walked(reading()) == [2 * i + 1 for i in range(TILES)]
    np.save(tmp_path / "x.npy", np.arange(200_000.0).reshape(200, 1000))
    with limited(1 << 17):
        x = weft.open(tmp_path / "x.npy")
        assert x.sum().item() == 200_000 * 199_999 / 2
        weft.save(tmp_path / "y.npy", x - x.mean(axis=0))
    assert np.load(tmp_path / "y.npy").shape == (200, 1000)


def test_threads_that_end_before_they_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(run: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        threading.Timer(0.05, lambda *_: None, arguments).start()  # as one that finds no memory

    monkeypatch.setattr(signal_safe_threads, "start_new_thread", start)
    monkeypatch.setattr("weft.sources.stream.reading_ahead.PATIENCE", 0.05)
    assert walked(reading()) == [2 * i + 1 for i in range(TILES)]
