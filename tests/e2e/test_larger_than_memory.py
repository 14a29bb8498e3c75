"""Files larger than the memory granted, in processes of their own: peaks, and what is left when one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.sources.write.atomic_write import npy_header

SAVE = """
import signal, sys, time
import weft
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell has it ignored
from weft.sources.write.sink import FileSink
write = FileSink.write
def slowly(*arguments):
    time.sleep(0.5)  # of minutes, of which the test sees the first second
    return write(*arguments)
FileSink.write = slowly
weft.save(sys.argv[1], weft.arange(1_000_000) * 2, memory=100_000)
"""


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_killed_while_writing(tmp_path: Path, kind: signal.Signals) -> None:
    target = tmp_path / "out.npy"
    np.save(target, np.arange(3))
    process = subprocess.Popen([sys.executable, "-c", SAVE, str(target)], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while len(os.listdir(tmp_path)) == 1 and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(kind)
    assert process.wait(60) != 0
    assert np.load(target).tolist() == [0, 1, 2]
    left = [name for name in os.listdir(tmp_path) if name != "out.npy"]
    assert all(name.startswith(".") and name.endswith(".partial") for name in left)
    assert bool(left) == (kind == signal.SIGKILL)  # nobody is left to clean up
    weft.save(tmp_path / "other.npy", np.arange(2))  # but the next to write there
    assert sorted(os.listdir(tmp_path)) == ["other.npy", "out.npy"]


def zeros(path: Path, rows: int) -> Path:
    """A file of float32 zeros that takes no room on the disk."""
    with path.open("wb") as file:
        file.write(npy_header(np.dtype("<f4"), (rows, 16384)))
        file.truncate(file.tell() + rows * 16384 * 4)
    return path


COMMAND = """
import sys
from weft.cli.main import run
code = run(sys.argv[1:])
with open("/proc/self/status") as facts:
    print(next(line.split()[1] for line in facts if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(code)
"""


def peak_of(*arguments: str) -> int:
    """Peak of memory in bytes of a command that succeeds."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stderr.split()[-1]) << 10


def grown(expression: str, files: Path, memory: str, *more: str) -> int:
    """By how much the peak of `eval` within a limit exceeds that of the same over a small file."""
    small = zeros(files.parent / "small.npy", 8)
    alone = peak_of("eval", expression, f"x={small}", *more)
    return peak_of("eval", expression, f"x={files}", "--memory", memory, *more) - alone


SLACK = 32 << 20


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system says no peaks")
@pytest.mark.parametrize("memory", [64, 256])
@pytest.mark.parametrize(
    "expression", ["mean(x[:, ::4])", "std(x)", "max(x, axis=0)", "argmin(x + 1)", "sum(x[:, 1:], axis=1)"]
)
def test_the_peak_of_reductions(tmp_path: Path, expression: str, memory: int) -> None:
    for i in range(8):
        zeros(tmp_path / f"x{i}.npy", 2048)  # 1 GiB in all
    assert os.stat(tmp_path / "x0.npy").st_size > 128 << 20
    assert grown(expression, tmp_path / "x*.npy", f"{memory}MiB") <= (memory << 20) + SLACK


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system says no peaks")
@pytest.mark.parametrize("memory", [64, 256])
def test_the_peak_of_writing(tmp_path: Path, memory: int) -> None:
    zeros(tmp_path / "x.npy", 8192)  # 512 MiB
    out = tmp_path / "y.npy"
    taken = grown("(x - mean(x, axis=0)) + 1", tmp_path / "x.npy", f"{memory}MiB", "-o", str(out))
    assert taken <= (memory << 20) + SLACK
    y = np.load(out, mmap_mode="r")
    assert y.shape == (8192, 16384)
    assert (y[::500] == 1).all()
