"""Pieces of chunks: where tiles hold parts of chunks, these wait in a scratch file until the chunk is complete.

The one idea: a chunk is encoded and written once, however tiles cut it.  Pieces are appended to an unnamed file, so
nothing is left of it however the work ends; the last piece of a chunk has the others read back.
"""

from __future__ import annotations

from math import prod
from typing import Any

from numpy.typing import NDArray

from weft.backends.thread_sharing import share
from weft.ir.graph.description import Shape
from weft.ir.pieces.box import Box, box_of
from weft.runtime.memory import allocator
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.sources.read.touched_boxes import by_chunk, chunk_box, inside
from weft.sources.write.scratch_file import ScratchFile
from weft.sources.write.sink import Field, Sink

Index = tuple[int, ...]
Cells = NDArray[Any]


class ChunkPieces:
    """Writes boxes of one array to a sink in whole chunks, and keeps incomplete chunks in a scratch file.

    Several threads may write at once if the sink allows it.
    """

    def __init__(self, field: Field, sink: Sink) -> None:
        self.field, self.sink, self.chunk = field, sink, sink.tile
        self.lock = ReentrantLock()
        self.file: ScratchFile | None = None
        self.pieces: dict[Index, list[tuple[Box, int]]] = {}  # (part of the chunk, its first byte in the file)
        self.left: dict[Index, int] = {}  # cells

    def write(self, start: Shape, cells: Cells) -> None:
        """Write the chunks that a box completes to the sink, and its other cells to the scratch file.

        The box has the cells `cells` and begins at `start`. Raises WriteError if the scratch folder is full, OSError if
        the sink cannot write.
        """
        if self.chunk is None:
            self.sink.write(start, cells)
            return
        box = box_of(cells.shape, start)
        parts = {index: part for index, (part,) in by_chunk([box], self.chunk).items()}
        if all(part == self._whole(index) for index, part in parts.items()):
            self.sink.write(start, cells)
            return

        def one(item: tuple[Index, Box]) -> None:
            index, part = item
            piece, whole = cells[inside(part, start).slices], self._whole(index)
            made = piece if part == whole else self._completed(index, part, piece)
            if made is not None:
                self.sink.write(whole.start, made)

        # one tile may complete many chunks: all threads encode them
        share(parts.items(), one, box.cells * cells.itemsize if self.sink.concurrent else 0)

    def scratch(self, box: Box) -> int:
        """Return the bytes of `box` that `write` would keep: those in chunks that it covers in part."""
        if self.chunk is None:
            return 0
        whole = []
        for a, n, c, size in zip(box.start, box.size, self.chunk, self.field.shape, strict=True):
            first, end = -(-a // c) * c, a + n if a + n == size else (a + n) // c * c
            whole.append(max(0, end - first))
        return (box.cells - prod(whole)) * self.field.dtype.itemsize

    def close(self) -> None:
        """Close the scratch file, which deletes it."""
        if self.file is not None:
            self.file.close()

    def _whole(self, index: Index) -> Box:
        """Return the box of a chunk by its index."""
        assert self.chunk is not None
        return chunk_box(index, self.chunk, self.field.shape)

    def _completed(self, index: Index, box: Box, piece: Cells) -> Cells | None:
        """Keep a piece of a chunk, at `box`; return all cells of the chunk if that completes it, else None.

        `index` is that of the chunk. Raises WriteError if the scratch folder is full or missing.
        """
        with self.lock:
            if self.file is None:
                self.file = ScratchFile(self.field.nbytes, "parts of chunks")
        at = self.file.place(piece.nbytes)
        self.file.write(at, piece)
        whole = self._whole(index)
        with self.lock:
            self.pieces.setdefault(index, []).append((box, at))
            left = self.left[index] = self.left.get(index, whole.cells) - box.cells
        if left:
            return None
        cells = allocator.empty(piece.dtype, whole.size)
        for other, at in self.pieces.pop(index):
            self.file.read(at, cells[inside(other, whole.start).slices])
        return cells
