"""Timing of contenders in turns."""

import os
import threading
import time
from pathlib import Path

import pytest

from benchmarks import timing


@pytest.mark.parametrize(("running", "least", "most"), [(0.0, 0.0, 0.002), (0.1, 0.1, 0.102), (9.0, 0.2, 0.202)])
def test_turn_begins_when_no_thread_spins_any_more(monkeypatch, running, least, most):
    class Clock:
        now = 0.0

        def sleep(self, seconds):
            self.now += seconds

        def perf_counter(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    monkeypatch.setattr(timing, "_others_run", lambda: clock.now < running)
    timing._wait_for_quiet()
    assert least <= clock.now <= most


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system does not list threads")
def test_running_threads_are_distinguished_from_sleeping_ones():
    ended, deadline = threading.Event(), time.monotonic() + 60
    end, begin = os.pipe()

    def spin():
        os.read(end, 1)
        while not ended.is_set():
            sum(range(1000))

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        while timing._others_run() and time.monotonic() < deadline:
            time.sleep(0.001)
        assert not timing._others_run()
        os.write(begin, b"x")
        while not timing._others_run() and time.monotonic() < deadline:
            time.sleep(0.001)
        assert time.monotonic() < deadline
    finally:
        ended.set()
        thread.join()
        os.close(end)
        os.close(begin)
    assert not timing._others_run(Path("no such folder"))
