"""Decoded units in a scratch file: units that are dropped from memory and needed again.

The one idea: decoding takes several times as long as a copy, so a unit is decoded once; its cells are written as they
are, and read back when a tile needs them after their memory was reused.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from operator import mul

import numpy as np

from weft.errors import WriteError
from weft.ir.graph.description import Shape, c_strides
from weft.runtime.memory import allocator
from weft.runtime.memory.limits import MOST, available_memory, scratch_folder
from weft.sources.stream.units import READ, Cells, ReadUnit, UnitReader
from weft.sources.write.scratch_file import ScratchFile

SHARE = 4  # the file takes at most 1 / SHARE of free memory, which caches its pages, and of free disk space


def spill_room() -> int:
    """Return the bytes that spilled units may take, few enough for the system to cache them in free memory.

    Raises MissingFolderError if the scratch folder is missing.
    """
    free = available_memory()
    with suppress(OSError):
        return min(MOST if free is None else free, shutil.disk_usage(scratch_folder()).free) // SHARE
    return 0


class SpilledUnits:
    """Units that are needed again; a unit that cannot be written to `file` is decoded again.

    The next unit takes the place of one that was read for the last time.  Several threads may read different units at
    once.
    """

    def __init__(self, units: Iterable[ReadUnit], file: ScratchFile | None, decode: UnitReader = READ) -> None:
        """Prepare to read `units` again, one for each time.  `decode` returns the cells of a unit from its source."""
        self.left, self.file, self.decode = Counter(units), file, decode
        self.written: dict[ReadUnit, tuple[int, Shape, np.dtype]] = {}  # type: ignore[type-arg]

    def read(self, unit: ReadUnit) -> Cells:
        """Return the cells of a unit from the scratch file, or decode it; raises FileFormatError if it is damaged."""
        if unit in self.written:
            _, shape, dtype = self.written[unit]
            cells = allocator.empty(dtype, shape)
            if self.read_back(unit, cells):
                return cells
        return self.decoded(unit)

    def decoded(self, unit: ReadUnit) -> Cells:
        """Decode a unit, and write it to the file if it is needed again; raises FileFormatError if it is damaged."""
        cells = self.decode(unit)
        if self.file is not None and self.left[unit]:
            with suppress(WriteError):
                place = self.file.place(unit.nbytes)
                self.file.write(place, cells)
                self.written[unit] = place, cells.shape, cells.dtype
        return cells

    def read_back(self, unit: ReadUnit, target: Cells, start: Sequence[int] = ()) -> bool:
        """Fill an array with the cells of a unit from position `start` on; False if the file cannot give them."""
        if self.file is None or unit not in self.written:
            return False
        place, shape, dtype = self.written[unit]
        strides = c_strides(shape, dtype.itemsize)
        try:
            self.file.read(place + sum(map(mul, start, strides)), target, strides)
        except WriteError:
            return False
        self.left[unit] -= 1
        if not self.left[unit]:
            del self.written[unit]
            self.file.give_back(place, unit.nbytes)
        return True

    def close(self) -> None:
        """Close the file, which deletes it."""
        if self.file is not None:
            self.file.close()
