"""Cells at fixed byte steps in a file, with gaps between them: records, or parts of larger arrays.

The one idea: a strided box of such cells is a strided box of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Any

from numpy.typing import NDArray

from weft.dtypes import DType
from weft.runtime.compute.engine import SourceRead
from weft.runtime.memory import allocator
from weft.sources.formats.cell_run import Identity, check_size, opened
from weft.sources.read.byte_ranges import read_box
from weft.sources.read.touched_boxes import Box, cells
from weft.sources.source import storage_dtype, unplaced


class SteppedCells:
    """Cells at byte strides that fall from the first axis to the last; the first cell lies at `offset`.

    It is a source by the protocol `Gathering`.  Raises FileFormatError if the file ends before the last cell.
    """

    __slots__ = ("big", "dtype", "form", "identity", "name", "offset", "order", "path", "shape", "strides")

    def __init__(
        self,
        form: str,
        path: str,
        name: str,
        dtype: DType,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        offset: int,
        identity: Identity,
        big: bool,
    ) -> None:
        self.form, self.path, self.dtype, self.shape = form, path, dtype, shape
        self.name = f"{path}::{name}" if name else path
        self.big, self.order, self.offset, self.identity = big and dtype.itemsize > 1, "C", offset, identity
        self.strides = strides
        span = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + dtype.itemsize
        check_size(form, self.name, shape, dtype.name, 0 if 0 in shape else span, identity[2] - offset)

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box in the file's byte order; raises FileFormatError if the file has changed."""
        found = allocator.empty(storage_dtype(self), box.size)
        with opened(self.path, self.form, self.identity) as (fd, _):
            if found.size:
                read_box(
                    self.name,
                    fd,
                    self.offset + sum(map(mul, box.start, self.strides)),
                    self.strides,
                    found,
                    found.dtype,
                )
        return found

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes to the same positions of `target`.

        Raises FileFormatError if the file has changed.
        """
        with opened(self.path, self.form, self.identity) as (fd, _):
            for b in boxes:
                offset = self.offset + sum(map(mul, b.start, self.strides))
                steps = tuple(map(mul, b.step, self.strides))
                read_box(self.name, fd, offset, steps, target[b.slices], storage_dtype(self))

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return a SourceRead with the bytes of the cells, without ranges."""
        return unplaced(self, cells(boxes), len(boxes))
