"""Strided boxes of a file, read by ranges: long reads for close cells, separate ones for distant cells.

The one idea: from the innermost axis outward, axes are merged into one read as long as the gaps between its cells are
small; reads go straight into the target if its memory has the same form, else through a bounded buffer.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weft.backends.thread_sharing import BRIEF, one_at_a_time
from weft.errors import FileFormatError
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.sources.read.extents import LOCAL, REMOTE, Extents, ReadCost

TILE = 4 << 20  # bytes of one read


@dataclass(slots=True)
class Meter:
    """Counts of reads while the meter is in METERS: bytes announced, bytes read, and the size of each read.

    `planned` is the number of bytes after all tiles of the present work, `reached` that after those that are computed:
    decoded bytes, each as often as it is read.  `written` and `to_write` count bytes of the output files.
    """

    wanted: int = 0
    planned: int = 0
    reached: int = 0
    done: int = 0
    written: int = 0
    to_write: int = 0
    sizes: list[int] = field(default_factory=list)


METERS: list[Meter] = []
_COUNTING = held_over_forks(ReentrantLock())  # files are read by several threads


def count(nbytes: int) -> None:
    """Add one read of `nbytes` bytes to every meter."""
    with _COUNTING:
        for meter in METERS:
            meter.done += nbytes
            meter.sizes.append(nbytes)


class RangedFile(Protocol):
    """An opened file that is read by ranges: a `LocalFile`, or one read from a server."""

    def some(self, size: int, offset: int) -> bytes:
        """Return `size` bytes from `offset` on, or fewer at the end of the file.

        Raises OSError if the system refuses, FileFormatError for a remote file that cannot be read.
        """

    def exactly(self, name: str, offset: int, target: memoryview) -> None:
        """Fill `target` with the bytes at `offset`; raises FileFormatError, naming `name`, if the file ends before."""

    def fill(self, name: str, offset: int, extents: Extents, target: memoryview) -> None:
        """Read byte ranges, rows (first, end) counted from `offset`, to the same places of `target`.

        Raises FileFormatError, naming `name`, if the file ends before.
        """

    def file(self) -> io.BufferedReader:
        """Return the file as an object with `read` and `seek`, which leaves it open."""


class LocalFile(int):
    """A system descriptor of a file, as a `RangedFile`."""

    def some(self, size: int, offset: int) -> bytes:
        """Return `size` bytes from `offset`, or fewer at the end of the file, by several system calls if needed.

        Raises OSError if the system refuses.
        """
        found = os.pread(self, size, offset)
        while len(found) < size and (more := os.pread(self, size - len(found), offset + len(found))):
            found += more
        return found

    def exactly(self, name: str, offset: int, target: memoryview) -> None:
        """Fill `target` with the bytes at `offset`; raises FileFormatError, naming `name`, if the file ends before."""
        done, size = 0, len(target)
        while done < size:
            got = os.preadv(self, [target if size <= TILE and not done else target[done : done + TILE]], offset + done)
            if got == 0:
                raise FileFormatError(
                    f"read: {name}: wanted {len(target)} bytes at {offset}, found {done}; the file became shorter; "
                    "write it again"
                )
            done += got
            if METERS:
                count(got)

    def fill(self, name: str, offset: int, extents: Extents, target: memoryview) -> None:
        """Read byte ranges, rows (first, end) counted from `offset`, to the same places of `target`.

        Raises FileFormatError, naming `name`, if the file ends before.
        """
        for first, end in extents.tolist():
            self.exactly(name, offset + first, target[first:end])

    def file(self) -> io.BufferedReader:
        """Return the file as an object with `read` and `seek`, which leaves it open."""
        return open(self, "rb", closefd=False)


Reading = Callable[[int, memoryview], None]  # fills memory with the bytes at an offset of a file


def _grouped(
    steps: tuple[int, ...], sizes: tuple[int, ...], itemsize: int, cost: ReadCost = LOCAL
) -> tuple[int, int, int]:
    """Return (axis, count, span) for the reads of a strided box of `sizes`.

    One read takes `count` positions of `axis`, of `span` bytes each, including all inner axes. `steps` are in bytes,
    `cost` is that of a read.

    >>> _grouped((800, 8), (10, 100), 8)  # dense rows: ten rows in one read
    (0, 10, 800)
    >>> _grouped((1 << 20, 8), (10, 100), 8)  # rows far apart: each its own read
    (1, 100, 8)
    """
    span, axis, count, inner = itemsize, len(sizes), 1, itemsize
    gap = 0 if _runs(steps, sizes, itemsize) <= cost.exact else cost.gap
    while axis > 0:
        step, n = steps[axis - 1], sizes[axis - 1]
        if n > 1 and (step - span > gap or span > TILE):
            break
        axis, inner = axis - 1, span
        count = min(n, max(1, (TILE - span) // step + 1)) if n > 1 else 1
        if count < n:
            break
        span += step * (n - 1)
    return axis, count, inner


def _runs(steps: tuple[int, ...], sizes: tuple[int, ...], itemsize: int) -> int:
    """Return the number of reads of a strided box of `sizes` if each reads adjacent cells only.

    `steps` are in bytes.
    """
    span, axis = itemsize, len(sizes)
    while axis > 0 and (sizes[axis - 1] == 1 or steps[axis - 1] <= span):
        axis -= 1
        span += steps[axis] * (sizes[axis] - 1)
    return prod(sizes[:axis])


def run_starts(offset: int, sizes: Sequence[int], steps: Sequence[int]) -> Iterator[int]:
    """Yield offset + i·steps[0] + j·steps[1] + ... for all positions (i, j, ...) below `sizes`, in row-major order.

    >>> list(run_starts(8, (2, 2), (100, 10, 1)))
    [8, 18, 108, 118]
    """
    return map(sum, product((offset,), *[range(0, n * s, s) for n, s in zip(sizes, steps, strict=False)]))


def read_box(
    name: str,
    fd: RangedFile,
    offset: int,
    steps: tuple[int, ...],
    out: NDArray[Any],
    dtype: np.dtype[Any],
    read: Reading | None = None,
) -> None:
    """Set `out[i, j, ...]` to the cell at byte offset + i·steps[0] + j·steps[1] + ....

    `steps` are positive and decrease from the outer to the inner axes; `dtype` is that of the file.  `read` fills
    memory with the bytes at an offset of the file (default: `fd.exactly`).  Raises FileFormatError if the file is too
    short.
    """
    read = read or partial(fd.exactly, name)
    axis, per_read, inner = _grouped(steps, out.shape, dtype.itemsize, LOCAL if isinstance(fd, int) else REMOTE)
    if axis == len(steps):  # no axes, or cells far apart
        axis, per_read = max(len(steps) - 1, 0), 1
    with one_at_a_time(inner * per_read < BRIEF and isinstance(fd, int)):
        _read_runs(read, offset, steps, out, dtype, (axis, per_read, inner))


def _read_runs(
    read: Reading,
    offset: int,
    steps: tuple[int, ...],
    out: NDArray[Any],
    dtype: np.dtype[Any],
    run: tuple[int, int, int],
) -> None:
    """Read a box by the runs that `_grouped` gives; the other parameters are those of `read_box`."""
    axis, per_read, inner = run
    outer, split = out.shape[:axis], out.shape[axis] if steps else 1
    step = steps[axis] if steps else 0
    starts = run_starts(offset, outer, steps)
    is_dense = inner == prod(out.shape[axis + 1 :]) * dtype.itemsize and (step == inner or per_read == 1)
    if out.dtype == dtype and out.flags.c_contiguous and is_dense:
        target, done = memoryview(out.reshape(-1).view(np.uint8)), 0
        sizes = [(first * step, inner * min(per_read, split - first)) for first in range(0, split, per_read)]
        for at in starts:
            for first, nbytes in sizes:
                read(at + first, target[done : done + nbytes])
                done += nbytes
        return
    buffer = np.empty(inner + step * (per_read - 1), np.uint8)
    for index, at in zip(np.ndindex(outer), starts, strict=True):
        for first in range(0, split, per_read):
            part = out[(*index, slice(first, first + per_read))] if steps else out
            nbytes = inner + step * (len(part) - 1 if steps else 0)
            read(at + first * step, memoryview(buffer)[:nbytes])
            part[...] = np.ndarray(part.shape, dtype, buffer, 0, steps[axis:])
