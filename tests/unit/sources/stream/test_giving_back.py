"""A sweep leaves no memory, no thread and no file behind, when it ends and when Ctrl-C ends it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the system does not list threads")

PREAMBLE = """
import faulthandler, gc, os, signal, sys, time
import weft
from weft.sources.read.byte_ranges import METERS, Meter
faulthandler.dump_traceback_later(100, exit=True)

class Strike(Meter):
    '''A meter that sends Ctrl-C once, when so many bytes have been read.'''
    at = sent = None

    @property
    def done(self):
        return self.read

    @done.setter
    def done(self, nbytes):
        self.read = nbytes
        if self.at is not None and nbytes >= self.at:
            self.at, self.sent = None, time.process_time()
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
path, target, meter = *sys.argv[1:], Strike()
METERS.append(meter)

def memory():
    gc.collect()
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024

def grown(most=16 << 20):
    until = time.monotonic() + 5
    while (found := memory() - before[0]) >= most and time.monotonic() < until:
        time.sleep(0.05)  # a thread that is about to end has its pages for a moment
    return found

def threads(most=0):
    until = time.monotonic() + 5
    while (found := len(os.listdir("/proc/self/task"))) > most > 0 and time.monotonic() < until:
        time.sleep(0.001)  # one that has ended is listed for a moment
    return found

def struck(work):
    '''Return the seconds of processors, which other load leaves as they are, from a Ctrl-C amid the work to its end.'''
    meter.at = meter.done + (16 << 20)
    try:
        work()
    except KeyboardInterrupt:
        return time.process_time() - meter.sent
    raise AssertionError("the work ended first")

x = weft.open(path)
small = weft.sin(x[:300]).sum().item()  # kernels are compiled, threads started
before = memory(), threads()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of 256 MiB, most of which takes no room."""
    path = tmp_path / "x.npy"
    array = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(4096, 128, 128))
    array[-1] = 1
    del array
    return path


def run(script: str, path: Path) -> None:
    """Run a script in a fresh interpreter, which ends well and in time."""
    command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(script), str(path), str(path.with_name("y.npy"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_memory_after_a_sweep(path: Path) -> None:
    run(
        """
        assert weft.open(path).mean().item() == 1 / 4096
        assert memory() - before[0] < 16 << 20, (before, memory())
        y = weft.open(path).realize()
        assert memory() - before[0] > 256 << 20
        del y
        assert memory() - before[0] < 16 << 20, (before, memory())
        """,
        path,
    )


def test_ctrl_c_ends_a_sweep_at_a_tile(path: Path) -> None:
    run(
        """
        y = weft.sin(weft.sin(weft.sin(x))).sum()
        took = min([struck(y.item) for _ in range(3)])
        assert took < 0.1, took
        assert threads(before[1]) <= before[1], (before, threads())
        assert grown() < 16 << 20, (before, memory())
        assert abs(y.item() / (128 * 128 * 0.678430) - 1) < 1e-5
        """,
        path,
    )


def test_ctrl_c_ends_a_save_at_a_tile(path: Path) -> None:
    run(
        """
        y = weft.sin(x)
        took = min([struck(lambda: weft.save(target, y)) for _ in range(3)])
        assert took < 0.1, took
        assert os.listdir(os.path.dirname(path)) == ["x.npy"]
        assert threads(before[1]) <= before[1], (before, threads())
        assert grown() < 16 << 20, (before, memory())
        weft.save(target, y)
        assert weft.open(target)[-1, 0, 0].item() == y[-1, 0, 0].item() > 0.84
        """,
        path,
    )
