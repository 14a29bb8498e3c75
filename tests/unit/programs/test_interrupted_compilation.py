"""Compiled functions whose native code is compiled while an interrupt or another thread's call comes."""

from __future__ import annotations

import itertools
import sys
import threading
from types import FrameType
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


def interrupt_at(k: int, file: str) -> Any:
    """Return a profiler that interrupts once where signals are handled: when a file enters or has called function k."""
    counted = itertools.count()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event in ("call", "c_return") and frame.f_code.co_filename == file and next(counted) == k:
            raise KeyboardInterrupt

    return profile


def test_an_interrupt_in_a_trace_leaves_none_open() -> None:
    for k in itertools.count():
        doubled = weft.compile(lambda x: x * 2)
        try:
            sys.setprofile(interrupt_at(k, tracing.__file__))
            doubled(weft.array(CELLS))
        except KeyboardInterrupt:
            interrupted = True
        else:
            interrupted = False
        finally:
            sys.setprofile(None)
        assert not tracing.Trace.active and tracing.Trace.here() is None
        assert np.array_equal(doubled(weft.array(CELLS)).numpy(), CELLS * 2)
        if not interrupted:
            break
    assert k > 5
