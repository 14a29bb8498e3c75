"""What a file looks like to the rest of weft: facts known without reading values, and one way to read.

The one idea: every selection of a file comes down to strided boxes, so a source that can read one strided box serves
all of them.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType


@runtime_checkable
class Source(Protocol):
    """Something stored elsewhere; `name` is how messages call it (its path).

    `order` is "C" or "F": along which axis neighbours lie side by side, so that a reader can ask for long runs.
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
        """The cells start + k·step (0 <= k < size on each axis; steps may be negative), in the source's byte order.

        Without arguments, everything.  With `out`, the cells go there, converted to its byte order; any strides do.
        """
        ...


def storage_dtype(source: Source) -> np.dtype[Any]:
    """The NumPy dtype of the cells as they are stored."""
    plain = source.dtype.np
    return plain.newbyteorder(">") if source.big and plain.itemsize > 1 else plain
