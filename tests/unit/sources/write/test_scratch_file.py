"""Scratch files: what is written is read back, and each error names the folder."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.errors import WriteError
from weft.sources.write.scratch_file import ScratchFile


def test_cells_are_read_as_they_were_written(scratch: Path) -> None:
    cells = np.arange(24, dtype=">i2").reshape(2, 3, 4)
    file = ScratchFile(100, "a test")
    file.write(10, cells.T)
    whole, part = np.empty((4, 3, 2), ">i2"), np.empty((2, 2, 2), ">i2")
    file.read(10, whole)
    file.read(10 + 12, part, (12, 4, 2))
    assert np.array_equal(whole, cells.T) and np.array_equal(part, cells.T[1:3, :2])
    assert not os.listdir(scratch)


def test_a_file_ends_with_the_last_reference_to_it() -> None:
    file = ScratchFile(100, "a test")
    fd = file.fd
    del file
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weft.set_scratch_folder(None)
    monkeypatch.setenv("WEFT_SCRATCH", str(tmp_path / "gone"))
    with pytest.raises(WriteError, match="gone"):
        ScratchFile(100, "a test")


def test_a_file_that_is_cut_short(scratch: Path) -> None:
    file = ScratchFile(100, "a test")
    file.write(0, np.zeros(25, "f4"))
    os.ftruncate(file.fd, 8)
    fact = f"^scratch: {scratch}: cannot be read; the file is shorter than was written; raise the memory limit, or name"
    with pytest.raises(WriteError, match=fact):
        file.read(0, np.empty(25, "f4"))
