"""Scratch files: cells of work that does not fit into memory, in unnamed files.

The one idea: the system removes such a file when it is closed, however the work ends; every failure is a WriteError
that names the scratch folder.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import FileFormatError, WriteError
from weft.ir.graph.description import Shape, c_strides
from weft.runtime.memory import allocator
from weft.runtime.memory.limits import scratch_folder
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.sources.read.byte_ranges import LocalFile, read_box
from weft.sources.write.sink import reserve, write_at


class ScratchFile:
    """A file in the scratch folder that is deleted when it is closed, or with the last reference to it."""

    def __init__(self, nbytes: int, use: str) -> None:
        """Create a file for `nbytes` bytes; raises WriteError, which names the use, if the disk is too full."""
        self.fd = LocalFile(-1)  # first, since __del__ runs even if opening fails
        self.lock, self.end, self.spare = ReentrantLock(), 0, dict[int, list[int]]()  # places, by their bytes
        self.folder = scratch_folder()
        self.nbytes, self.wanted = nbytes, f"{nbytes} bytes for {use}"
        try:
            if (free := shutil.disk_usage(self.folder).free) < nbytes:
                raise OSError(errno.ENOSPC, f"{free} bytes are free")
            with tempfile.TemporaryFile(dir=self.folder, buffering=0) as file:
                self.fd = LocalFile(os.dup(file.fileno()))
        except OSError as e:
            raise self._failure(self.wanted, e) from e

    def reserve(self) -> None:
        """Reserve all of the disk space; raises WriteError if there is too little."""
        try:
            reserve(self.fd, 0, self.nbytes)
        except OSError as e:
            raise self._failure(self.wanted, e) from e

    def place(self, nbytes: int) -> int:
        """Return the byte offset of a free place for `nbytes`: one given back, else the end."""
        with self.lock:
            if self.spare.get(nbytes):
                return self.spare[nbytes].pop()
            self.end += nbytes
            return self.end - nbytes

    def give_back(self, place: int, nbytes: int) -> None:
        """Use a place of `nbytes` again for other cells: its pages are cached, and take less time than new ones."""
        with self.lock:
            self.spare.setdefault(nbytes, []).append(place)

    def write(self, offset: int, cells: NDArray[Any]) -> None:
        """Write cells in row-major order from byte `offset` on; raises WriteError if that fails."""
        bits = allocator.contiguous(cells).reshape(-1).view(np.uint8)
        try:
            write_at(self.fd, memoryview(bits), offset, will_be_synced=False)
        except OSError as e:
            raise self._failure("cannot be written to", e) from e

    def read(self, offset: int, out: NDArray[Any], steps: Shape | None = None) -> None:
        """Fill an array with cells from byte `offset` on: adjacent, or `steps` bytes apart along its axes.

        Raises WriteError if that fails.
        """
        try:
            read_box("scratch", self.fd, offset, steps or c_strides(out.shape, out.itemsize), out, out.dtype)
        except (OSError, FileFormatError) as e:
            raise self._failure("cannot be read", e) from e

    def close(self) -> None:
        """Close the file, which deletes it."""
        fd, self.fd = self.fd, LocalFile(-1)
        if fd >= 0:
            os.close(fd)

    __del__ = close

    def _failure(self, fact: str, cause: OSError | FileFormatError) -> WriteError:
        """Return the WriteError that names the folder, the fact, and the reason in `cause`."""
        short = "the file is shorter than was written"
        reason = (cause.strerror or str(cause)).lower() if isinstance(cause, OSError) else short
        advice = "raise the memory limit, or name another folder by weft.set_scratch_folder"
        return WriteError(f"scratch: {self.folder}: {fact}; {reason}; {advice}")
