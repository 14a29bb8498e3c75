"""Tensors as columns of Arrow: the protocol by which pyarrow, polars and others read arrays.

The one idea: pyarrow makes the column from a copy of the cells, since columns are immutable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.errors import MissingImplementation
from weft.runtime.fork_safety import importing
from weft.tensors.tensor import Tensor, with_values


def arrow_array(self: Tensor, type: Any = None) -> Any:
    """Return a pyarrow array of a copy of the cells: numbers for rank 1, lists of fixed sizes for more.

    `type` is ignored.  Raises BufferError for rank 0, for empty axes after the first and for dtypes that Arrow lacks,
    MissingImplementation without pyarrow.
    """
    if self.dtype.extended or self.dtype.kind == "complex" or not self.ndim or 0 in self.shape[1:]:
        what = f"{self.dtype.name} cells of shape {self.shape}"
        raise BufferError(f"arrow: {what}; Arrow's columns hold bools and real numbers; take parts, or use astype()")
    try:
        with importing():
            import pyarrow
    except ImportError as error:
        raise MissingImplementation(
            "arrow: pyarrow is missing, which makes Arrow's arrays; install weft[tables], or give x.numpy()"
        ) from error
    cells = with_values(self, lambda values: np.array(values, values.dtype.newbyteorder("="), order="C"))
    made = pyarrow.array(cells.reshape(-1))
    for size in self.shape[:0:-1]:
        made = pyarrow.FixedSizeListArray.from_arrays(made, size)
    return made


def arrow_capsules(self: Tensor, requested_schema: Any = None) -> Any:
    """Return the Arrow capsules (schema, cells) of the column that `arrow_array` makes.

    `requested_schema` is passed to pyarrow. Raises BufferError and MissingImplementation as `arrow_array` does.
    """
    return arrow_array(self).__arrow_c_array__(requested_schema)
