"""Files that killed writers left are swept away; those of living writers are not."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import WriteError
from weft.sources.write import unfinished as module
from weft.sources.write.unfinished import unfinished

WRITER = """
import sys
from weft.sources.write.unfinished import unfinished
with unfinished(sys.argv[1]) as path:
    open(path, "w").close()
    print(path, flush=True)
    sys.stdin.read()
"""


def left_behind(folder: Path) -> None:
    (folder / ".weft-0123456789ab.partial").touch()
    (folder / ".weft-ba9876543210.partial" / "c").mkdir(parents=True)


def test_it_goes_behind_the_block(tmp_path: Path) -> None:
    with unfinished(str(tmp_path)) as path:
        Path(path).touch()
        assert os.listdir(tmp_path) == [os.path.basename(path)]
    with pytest.raises(KeyboardInterrupt), unfinished(str(tmp_path)) as path:
        Path(path, "c").mkdir(parents=True)
        raise KeyboardInterrupt
    assert not os.listdir(tmp_path)


def test_living_writers_keep_theirs_and_dead_ones_do_not(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process:
        theirs = Path(process.stdout.readline().strip())
        with unfinished(str(tmp_path)) as mine:
            Path(mine).touch()
            weft.save(tmp_path / "a.npy", np.arange(3))
            assert os.path.exists(mine)
            assert theirs.exists()
        process.kill()
    assert theirs.exists()
    weft.save(tmp_path / "a.npy", np.arange(4))
    assert os.listdir(tmp_path) == ["a.npy"]


def test_only_what_has_the_name_is_swept(tmp_path: Path) -> None:
    left_behind(tmp_path)
    kept = [".a.npy.0123456789ab.partial", ".weft-0123456789ab.old", ".weft-0123456789ab.partial.npy", "x.partial"]
    for name in kept:
        (tmp_path / name).touch()
    weft.save(tmp_path / "a.npy", np.arange(3))
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, "a.npy"])


def test_large_folders_are_not_listed_for_each_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, listdir, listed = [0.0], os.listdir, list[str]()

    def slow(path: str) -> list[str]:
        clock[0] += 1
        listed.append(path)
        return listdir(path)

    monkeypatch.setattr(module, "_NEXT", {})
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(os, "listdir", slow)
    for _ in range(50):
        clock[0] += 1
        with unfinished(str(tmp_path)):
            pass
    assert len(listed) == 3


def test_many_writers_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHARE", 0)
    faults: list[Exception] = []

    def write(k: int) -> None:
        try:
            for _ in range(50):
                with unfinished(str(tmp_path)) as path:
                    Path(path).write_text(str(k))
                    assert Path(path).read_text() == str(k)
        except Exception as e:
            faults.append(e)

    threads = [threading.Thread(target=write, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert not os.listdir(tmp_path)


def test_folders_that_others_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    lock = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    weft.save(tmp_path / "a.npy", np.arange(3))
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(WriteError, match="another program has held the lock of the folder for 0 s; nothing was"):
        weft.save(tmp_path / "a.npy", np.arange(4))
    os.close(lock)
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2]


def test_file_systems_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    left_behind(tmp_path)
    weft.save(tmp_path / "a.npy", np.arange(3))
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2]
    assert len(os.listdir(tmp_path)) == 3
