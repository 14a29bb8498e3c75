"""The protocol of a source: facts known without reading values, and a way to read.

The one idea: every selection of a file comes down to strided boxes, so a source that can read one strided box serves
all of them (`Source`).  Where cells lie at fixed steps, boxes are byte ranges (`Addressed`); where they lie in many
files or chunks, a source takes all boxes of a program at once and touches each chunk once (`Gathering`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType, to_numpy
from weft.runtime.compute.engine import SourceRead
from weft.sources.read.extents import Extents
from weft.sources.read.touched_boxes import Box


@runtime_checkable
class Source(Protocol):
    """Something stored elsewhere; `name` is how messages call it (its path).

    `order` is "C" or "F": along which axis neighbours lie side by side, so that a reader can ask for long runs.
    A source that decodes blocks of a regular grid as a whole says their shape as `chunks`: boxes that a program reads
    are then united by chunk.
    """

    name: str
    dtype: DType
    big: bool
    shape: tuple[int, ...]
    order: str

    def read(
        self,
        start: tuple[int, ...] | None = None,
        step: tuple[int, ...] | None = None,
        size: tuple[int, ...] | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Read the cells start + k·step (0 <= k < size on each axis), in its byte order; steps may be negative.

        Without arguments, everything.  With `out`, the cells go there, converted to its byte order; any strides do.
        """
        ...


@runtime_checkable
class Addressed(Protocol):
    """A source whose cells lie at fixed byte steps in one run of bytes.

    It may say what its reads cost as `cost` (an `extents.Cost`), and where its cells begin in the file as `offset`.
    """

    name: str
    dtype: DType
    big: bool
    shape: tuple[int, ...]

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the bytes from a cell to the next, along every axis."""

    def load(self, extents: Extents, memory: NDArray[np.uint8]) -> None:
        """Read the bytes [first, end) of the cells into the same places of `memory`."""


@runtime_checkable
class Gathering(Protocol):
    """A source that takes all the boxes of a program at once; its other facts are those of `Source`."""

    name: str
    dtype: DType
    big: bool
    shape: tuple[int, ...]
    order: str

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes into the same cells of `target`, which has the source's shape.

        Cells between them may be overwritten: nobody reads them.
        """

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the ranges that `gather` would fetch."""


AnySource = Addressed | Source | Gathering


def storage_dtype(source: AnySource) -> np.dtype[Any]:
    """Return the NumPy dtype of the cells as they are stored."""
    return to_numpy(source.dtype, "big" if source.big else "little")
