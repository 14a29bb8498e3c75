"""Decoded chunks cached from one program to the next, so that a loop over a file decodes each chunk once.

The one idea: a program that reads a part of a chunk is mostly followed by one that reads another part.  The most
recently used chunks stay with their source within a share of the memory limit, until tiled work needs all of it; a mark
tells whether a chunk's stored bytes have changed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from math import prod
from typing import Any, NamedTuple

from numpy.typing import NDArray

from weft.runtime.fork_safety import held_over_forks
from weft.runtime.memory.limits import granted
from weft.runtime.references import LooseTable
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.sources.read.touched_boxes import Box, cells

UNSET = 64 << 20  # bytes of all cached chunks if no limit is set; else half of the limit
BESIDE = 16 << 20  # bytes of the limit that are left to programs
Index = tuple[int, ...]
Cells = NDArray[Any]
_LOCK = held_over_forks(ReentrantLock())
_USES = count()


class _KeptChunk(NamedTuple):
    """A cached decoded chunk, the mark of its stored bytes, and the serial number of its last use."""

    mark: object
    cells: Cells
    used: int


class _SourceChunks(dict[Index, _KeptChunk]):
    """The cached chunks of one source by index; `nbytes` is their total size."""

    nbytes = 0


_KEPT: LooseTable[Any, _SourceChunks] = LooseTable()  # by source


def kept_room() -> int:
    """Return the bytes that all cached chunks may take."""
    limit = granted()
    return UNSET if limit is None else min(limit // 2, max(0, limit - BESIDE))


def parts_to_keep(source: Any, touched: Mapping[Index, Sequence[Box]]) -> set[Index]:
    """Return the chunks of `touched` that are read only in part; an empty set if they exceed the cache."""
    whole = prod(source.chunks)
    found = {index for index, parts in touched.items() if cells(parts) < whole}
    return found if len(found) * whole * source.dtype.itemsize <= kept_room() else set()


def kept_chunk(source: Any, index: Index, mark: object) -> Cells | None:
    """Return the cached cells of a chunk if its mark is still `mark`, else None."""
    with _LOCK:
        chunks = _KEPT.get(source)
        found = None if chunks is None else chunks.get(index)
        if chunks is None or found is None or found.mark != mark:
            return None
        chunks[index] = found._replace(used=next(_USES))
        return found.cells


def cells_of_chunk(source: Any, index: Index, mark: object) -> Cells:
    """Return the cells of a chunk from the cache, or decoded by the source's `block` and then cached.

    `mark` identifies the state of the file. Raises the errors of `block`, such as FileFormatError for a damaged chunk.
    """
    found = kept_chunk(source, index, mark)
    if found is None:
        found = source.block(index)
        keep_chunk(source, index, mark, found)
    return found


def keep_chunk(source: Any, index: Index, mark: object, cells: Cells) -> None:
    """Cache the read-only cells of a chunk, and drop the least recently used chunks for room.

    `mark` identifies the state of the file. A chunk larger than the cache is not kept.
    """
    if cells.nbytes > kept_room():
        return
    with _LOCK:
        keep_at_most(kept_room() - cells.nbytes)
        chunks = _KEPT.get(source)
        if chunks is None:
            _KEPT[source] = chunks = _SourceChunks()
        if index in chunks:
            chunks.nbytes -= chunks[index].cells.nbytes
        chunks[index] = _KeptChunk(mark, cells, next(_USES))
        chunks.nbytes += cells.nbytes


def keep_at_most(nbytes: int) -> None:
    """Drop the least recently used chunks down to 3/4 of `nbytes`, if all take more than `nbytes`."""
    with _LOCK:
        every = list(_KEPT.values())
        held = sum([chunks.nbytes for chunks in every])
        if held <= nbytes:
            return
        uses = sorted([(c.used, k, index) for k, chunks in enumerate(every) for index, c in chunks.items()])
        for _, k, index in uses:
            if held <= max(0, nbytes - nbytes // 4):
                break
            gone = every[k].pop(index).cells.nbytes
            every[k].nbytes -= gone
            held -= gone
