"""Files as memory: `mmap=True` lets programs use the pages of the file itself instead of copies.

The one idea: files are mapped only on request.  A mapping saves a copy and its memory, but a file that is truncated
while a program runs ends the process (the system sends SIGBUS), and a file that is written to changes values midway.
The file's size and time are checked before and after each run.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import FileFormatError
from weft.ir.graph.node import root_of
from weft.ir.pieces.box import Box
from weft.runtime.compute import stages
from weft.runtime.compute.signature import Work
from weft.sources.formats.cell_run import CellRun, identity_at, opened
from weft.sources.remote.remote_path import RemotePath
from weft.sources.source import storage_dtype


class Mapped(CellRun):
    """A contiguous run of cells whose file is mapped into memory."""

    def __init__(self, run: CellRun) -> None:
        vars(self).update(vars(run), checksum=None)

    def map(self) -> NDArray[np.uint8] | None:
        """Return the mapped bytes of the cells; None if their offset is not aligned to the cell size.

        Raises FileFormatError if the file changed since it was opened.
        """
        size = self.identity[2]
        if not size or self.offset % self.dtype.itemsize:
            return None
        with opened(self.path, self.form, self.identity) as (fd, _):
            whole = mmap.mmap(fd, size, access=mmap.ACCESS_READ)
        return np.frombuffer(whole, np.uint8)[self.offset :]

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box, without a copy if their offset is aligned to the cell size.

        Raises FileFormatError if the file changed since it was opened.
        """
        pages = self.map()
        if pages is None:
            return super().read_box(box)
        return np.ndarray(self.shape, storage_dtype(self), pages, 0, self.strides)[box.slices]


def mapped(path: str, source: object) -> Mapped:
    """Return the source with its file mapped; raises FileFormatError unless its cells are one run of a local file."""
    if isinstance(path, RemotePath):
        raise FileFormatError(f"open: {path}: mmap=True, and it is a URL; only local files are mapped; leave it out")
    if not isinstance(source, CellRun):
        raise FileFormatError(
            f"open: {path}: mmap=True, and its cells are no plain run of the file; only such files can be mapped; "
            "leave the option out"
        )
    if stages.Stages.all["mapped"] is None:
        stages.use("mapped", _checked)
    return Mapped(source)


def _checked(work: Work) -> None:
    """Run the stage "mapped": raise FileFormatError if a mapped file changed while the program ran."""
    for k in work.sources:
        source = root_of(work.leaves[k]).attrs[0]
        if isinstance(source, Mapped):
            identity_at(source.path, source.form, source.identity)
