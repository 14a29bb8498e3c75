"""Compiled functions whose native code is compiled while an interrupt or another thread's call comes."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import weft
from weft.runtime.compute.program import Program
from weft.tensors import tracing

CELLS = np.arange(300_000.0)  # large enough that a call computes the next version over the memory of the last one


def test_an_interrupt_while_code_is_compiled_loses_no_later_write(monkeypatch: pytest.MonkeyPatch) -> None:
    make, interrupted = Program.make, []

    def interrupt(self: Program, build: Any) -> None:
        if self.writes:
            interrupted.append(self)
            raise KeyboardInterrupt
        make(self, build)

    @weft.compile
    def step(x: Any) -> None:
        x *= 2

    step(weft.array(CELLS))
    with monkeypatch.context() as patch:
        patch.setattr(Program, "make", interrupt)
        x = weft.array(CELLS)
        with pytest.raises(KeyboardInterrupt):
            step(x)
        assert interrupted and np.array_equal(x.numpy(), CELLS)
    y = weft.array(CELLS)
    step(y)
    assert np.array_equal(y.numpy(), CELLS * 2)


def test_a_call_while_another_thread_compiles_loses_no_write(monkeypatch: pytest.MonkeyPatch) -> None:
    make, compiling, go_on = Program.make, threading.Event(), threading.Event()

    def waiting(self: Program, build: Any) -> None:
        if self.writes and not compiling.is_set():
            compiling.set()
            assert go_on.wait(60)
        make(self, build)

    @weft.compile
    def step(x: Any) -> None:
        x *= 3

    step(weft.array(CELLS))
    monkeypatch.setattr(Program, "make", waiting)
    x, y = weft.array(CELLS), weft.array(CELLS)
    other = threading.Thread(target=step, args=(x,))
    other.start()
    assert compiling.wait(60)
    step(y)
    go_on.set()
    other.join(60)
    assert np.array_equal(y.numpy(), CELLS * 3) and np.array_equal(x.numpy(), CELLS * 3)


class Interrupting:
    """A lock around which an interrupt comes once: when it is released."""

    def __init__(self) -> None:
        self.lock, self.times = threading.Lock(), 0

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()
        self.times += 1
        if self.times == 1:
            raise KeyboardInterrupt


def test_an_interrupt_at_the_beginning_of_a_trace_leaves_none_open(monkeypatch: pytest.MonkeyPatch) -> None:
    doubled = weft.compile(lambda x: x * 2)
    monkeypatch.setattr(tracing, "_COUNTING", lock := Interrupting())
    with pytest.raises(KeyboardInterrupt):
        doubled(weft.array(CELLS))
    assert lock.times == 2
    assert tracing.Trace.active == 0 and tracing.Trace.here() is None and not tracing.Trace._open
    assert np.array_equal(doubled(weft.array(CELLS)).numpy(), CELLS * 2)
