"""The protocols of sources: values stored elsewhere, described without reading them, and read in parts.

The one idea: where cells lie at fixed steps, a program reads ranges of bytes (`Addressed`); where they lie in many
files, chunks or records, it reads strided boxes, which a source gets all at once, so that it reads each chunk once
(`Gathering`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType, to_numpy
from weft.runtime.compute.engine import SourceRead
from weft.sources.read.extents import Extents
from weft.sources.read.touched_boxes import Box, cells, copied, hull


class Described(Protocol):
    """The facts of every source: its name in messages (a path), dtype, byte order (`big`: big-endian) and shape."""

    name: str
    dtype: DType
    big: bool
    shape: tuple[int, ...]


@runtime_checkable
class Addressed(Described, Protocol):
    """A source whose cells lie at fixed byte strides in one run of bytes.

    It may have the cost of its reads as `cost` (an `extents.ReadCost`), and the offset of its cells in the file as
    `offset`.
    """

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the byte strides of the cells."""

    def load(self, extents: Extents, memory: NDArray[np.uint8]) -> None:
        """Read byte ranges, rows (first, end) counted from cell 0, to the same offsets of `memory`.

        Raises FileFormatError if the file is too short or damaged.
        """


@runtime_checkable
class Gathering(Described, Protocol):
    """A source that reads all boxes of a program at once.

    `order` tells the axis along which neighbouring cells are adjacent: "C" the last, "F" the first.  A source that is
    decoded in blocks of one shape has that shape as `chunks`.  Tiled work calls `block(index)` for a chunk, if the
    source has it; `blocks(box)` for a box of whole chunks of at least `at_least` bytes; `read_box(box)` for any
    contiguous box; and `check()` after the last one.
    """

    big: bool = False
    order: str = "C"

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes into the same positions of `target`.

        `target` has the source's shape and byte order.  Cells outside the boxes may be overwritten, as no kernel reads
        them.  Raises FileFormatError if the file is too short or damaged.
        """

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the bytes, reads and byte ranges that `gather` needs for the boxes, without reading values.

        By default, each box is a read of its cells at unknown places.
        """
        return unplaced(self, cells(boxes), len(boxes))


class BoxSource(Gathering, Protocol):
    """A source that reads any contiguous box."""

    @abstractmethod
    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a contiguous box in the source's byte order; raises the errors of `gather`."""

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes into the same positions of `target`."""
        for box in boxes:
            around = hull([box])
            copied([box], self.read_box(around), around.start, target)


AnySource = Addressed | Gathering


def storage_dtype(source: Described) -> np.dtype[Any]:
    """Return the NumPy dtype of the source's cells in its own byte order."""
    return to_numpy(source.dtype, "big" if source.big else "little")


def as_bits(cells: NDArray[Any]) -> NDArray[Any]:
    """Return a view of cells as unsigned integers of the same size, so that copies keep every bit."""
    word = np.dtype(f"u{cells.itemsize}" if cells.itemsize <= 8 else "c16")
    return np.ndarray(cells.shape, word, cells, 0, cells.strides)


def unplaced(source: Described, count: int, reads: int) -> SourceRead:
    """Return a SourceRead of `count` cells in `reads` calls, whose byte ranges are not known beforehand."""
    return SourceRead(source.name, count * source.dtype.itemsize, reads, np.empty((0, 2), np.int64))
