"""LLVM where memory is short: weft's error, and no end of the process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from weft.backends.llvm.jit.uninterrupted import off_main_thread, uninterrupted
from weft.runtime import signal_safe_threads

FIRST_USE = """
import resource, sys
import numpy as np, weft, weft.backends.cpu
from weft.errors import OutOfMemory
x = weft.asarray(np.arange(8.0))
_, most = resource.getrlimit(resource.RLIMIT_AS)
for room in map(int, sys.argv[1:]):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (room << 20), most))
    try:
        (x * 2).numpy()
    except OutOfMemory as error:
        print(error)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print((x * 2).sum().item())
"""
LATER = """
import mmap, resource
import numpy as np, weft
from weft.errors import OutOfMemory
x = weft.asarray(np.arange(8.0))
(x * 2).numpy()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
_, most = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), most))
try:
    weft.sinh(x).numpy()
except OutOfMemory as error:
    print(error)
assert (x * 2).numpy()[1] == 2
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print(weft.sinh(x)[0].item())
"""


def lines_of(text: str, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory limits are the system's")
@pytest.mark.parametrize("rooms", [["1", "40", "120", "160"], ["180"]])
def test_a_first_use_without_room_is_out_of_memory(rooms: list[str]) -> None:
    error = (
        "compile: 176 MiB to load LLVM; the system has no such memory left; free large tensors, or raise the memory "
        "limit of this process"
    )
    assert lines_of(FIRST_USE, *rooms) == [*[error] * len(rooms), "56.0"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory limits are the system's")
def test_a_kernel_without_room_is_out_of_memory() -> None:
    assert lines_of(LATER) == [
        "compile: 16 MiB to compile a kernel; the system has no such memory left; free large tensors, or raise the "
        "memory limit of this process",
        "0.0",
    ]


def test_a_thread_that_cannot_begin_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that the system starts, and then has no memory for, runs no line of its function."""

    def start(function: Callable[..., None], arguments: tuple[object, ...]) -> None: ...

    monkeypatch.setattr(signal_safe_threads, "start_new_thread", start)
    assert off_main_thread(lambda: 7) == uninterrupted(1 << 20, "do it", lambda: 7) == 7  # in this thread
