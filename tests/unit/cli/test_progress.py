"""The bar: nothing without a terminal or for quick work, what is going on otherwise."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time

import pytest

from weft.cli.progress import ProgressCounter, progress
from weft.sources.read.byte_ranges import METERS

SLOW = """
import sys
from weft.cli.progress import progress
with progress(delay={delay}) as work:
    work.meter.wanted, work.meter.done = 4 << 20, 1 << 20
    sys.stdin.read()
"""


def on_a_terminal(code: str, until: bytes = b"") -> str:
    """What a process writes to a terminal, which goes on when it has written something."""
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
    with progress(delay=0) as work:
        assert work.meter in METERS
        time.sleep(0.2)
    assert len(METERS) == before
    assert capsys.readouterr() == ("", "")


def test_states() -> None:
    work = ProgressCounter()
    assert work.state() == ("computing", 0, 0)
    work.meter.wanted, work.meter.done = 10, 4
    assert work.state() == ("reading", 4, 10)
    work.meter.planned = 70
    assert work.state() == ("reading", 4, 70)
    work.wrote(3, 9)
    assert work.state() == ("writing", 3, 9)
