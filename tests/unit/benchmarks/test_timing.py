"""Timing of contenders in turns."""

import pytest

from benchmarks import timing


class Clock:
    """A stand-in for `time`, in a process of which one thread spins until a given second."""

    def __init__(self, end):
        self.now, self.end = 0.0, end

    def sleep(self, seconds):
        self.now += seconds

    def perf_counter(self):
        return self.now

    def process_time(self):
        return min(self.now, self.end)


@pytest.mark.parametrize(("spinning", "least", "most"), [(0.0, 0.0, 0.002), (0.1, 0.1, 0.102), (9.0, 0.5, 0.502)])
def test_turn_begins_when_no_thread_spins_any_more(monkeypatch, spinning, least, most):
    clock = Clock(spinning)
    monkeypatch.setattr(timing, "time", clock)
    timing._wait_for_quiet()
    assert least <= clock.now <= most
