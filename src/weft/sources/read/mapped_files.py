"""Files as memory: `mmap=True` gives programs the pages of the file itself instead of copies of what they read.

The one idea: a mapping is asked for, never taken.  It spares a copy and its memory, and it has a price: a file that is
cut short while a program runs ends the process (the system sends SIGBUS), and one that is written to changes values
midway.  The file's size and time are checked before each run.
"""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

from weft.errors import FileFormatError
from weft.sources.formats.cell_run import CellRun, opened


class Mapped(CellRun):
    """A run of cells whose file is mapped into memory."""

    __slots__ = ()

    def __init__(self, run: CellRun) -> None:
        for name in CellRun.__slots__:
            setattr(self, name, getattr(run, name))

    def map(self) -> NDArray[np.uint8] | None:
        """Return the bytes of the cells in place; None if they are not aligned for kernels.  Raises FileFormatError."""
        size = self.identity[2]
        if not size or self.offset % self.dtype.itemsize:
            return None
        with opened(self.path, self.form, self.identity) as (fd, _):
            whole = mmap.mmap(fd, size, access=mmap.ACCESS_READ)
        return np.frombuffer(whole, np.uint8)[self.offset :]


def mapped(path: str, source: object) -> Mapped:
    """Return the source with its file mapped; raises FileFormatError if its cells are not one plain run of a file."""
    if not isinstance(source, CellRun):
        raise FileFormatError(
            f"open: {path}: mmap=True, and its cells are no plain run of the file; only such files can be mapped; "
            "leave the option out"
        )
    return Mapped(source)
