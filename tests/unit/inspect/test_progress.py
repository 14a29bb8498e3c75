"""The bar: nothing without a terminal or for quick work, what is going on otherwise."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pytest

import weft
from weft.inspect.progress import Progress, progress, state_of
from weft.sources.read.byte_ranges import METERS, Meter

SLOW = """
import sys
import weft
from weft.sources.read.byte_ranges import METERS
with weft.progress(delay={delay}):
    METERS[-1].wanted, METERS[-1].done = 4 << 20, 1 << 20
    sys.stdin.read()
"""


def on_a_terminal(code: str, until: bytes = b"") -> str:
    """Return the output of a process to a terminal; the process goes on once it has written something."""
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=follower, env=environment)
    assert process.stdin is not None
    os.close(follower)
    shown = b""
    try:
        while until not in shown:
            shown += os.read(leader, 4096)
        process.stdin.close()
        while part := os.read(leader, 4096):
            shown += part
    except OSError:  # the terminal ends with the process
        pass
    os.close(leader)
    assert process.wait(60) == 0
    return shown.decode()


def test_a_bar_after_the_delay() -> None:
    shown = on_a_terminal(SLOW.format(delay=0.1), b"1.0/4.0 MiB")
    assert "reading" in shown
    assert "1.0/4.0 MiB" in shown


def test_quick_work_shows_nothing() -> None:
    assert on_a_terminal(SLOW.format(delay=5)) == ""


def test_nothing_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    before = len(METERS)
    with progress(delay=0):
        assert len(METERS) == before + 1
        time.sleep(0.2)
    assert len(METERS) == before
    assert capsys.readouterr() == ("", "")


def state(**counts: int) -> tuple[str, int, int]:
    found = state_of(Meter(**counts))
    return found.activity, found.done, found.total


def test_states() -> None:
    assert state() == ("computing", 0, 0)
    assert state(wanted=10, done=4) == ("reading", 4, 10)
    assert state(wanted=10, done=4, planned=70) == ("reading", 4, 70)
    assert state(wanted=10, done=4, planned=70, reached=40) == ("reading", 40, 70)
    assert state(wanted=10, done=4, written=3, to_write=9) == ("writing", 3, 9)


def test_calls(tmp_path: Path) -> None:
    seen: list[Progress] = []
    np.save(tmp_path / "x.npy", np.ones((100, 1000)))
    with weft.progress(seen.append, delay=0):
        weft.save(tmp_path / "y.npy", weft.open(tmp_path / "x.npy") + 1)
        while not seen or seen[-1].activity != "writing":
            time.sleep(0.01)
    assert (seen[-1].done, seen[-1].total) == (800_000, 800_000)
    assert str(seen[-1]).startswith(f"writing [{'#' * 30}] 0.8/0.8 MiB 0:0")


@pytest.mark.parametrize("fails", [False, True])
def test_the_last_call_says_that_all_is_done(fails: bool) -> None:
    seen: list[Progress] = []
    with suppress(KeyError), weft.progress(seen.append, delay=0):
        METERS[-1].planned, METERS[-1].done = 300, 184
        while not seen:
            time.sleep(0.01)
        METERS[-1].done = 290  # what was joined with others is not read
        if fails:
            raise KeyError
    assert (seen[-1].done == 300) is not fails
    assert (seen[-1].activity, seen[-1].total) == ("reading", 300)


def test_what_a_call_raises_comes_at_the_end() -> None:
    told = SimpleQueue[None]()

    def broken(_: Progress) -> None:
        told.put(None)
        raise ValueError("no screen")

    with pytest.raises(ValueError, match="no screen"), weft.progress(broken, delay=0):
        told.get(timeout=10)


def test_a_line_in_a_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    with weft.progress(delay=0):
        time.sleep(0.3)
    shown = capsys.readouterr().err
    assert shown.startswith("\rcomputing 0:00\r")
    assert shown.endswith("\r" + " " * len("computing 0:00") + "\r")
