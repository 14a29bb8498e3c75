"""Tables of numbers as text: NumPy's own readers and writer, with tensors.

The one idea: NumPy parses and prints; the values come in and go out at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.api.standard.creation_functions import asarray
from weft.api.standard.manipulation_functions import as_tensor


def loadtxt(file: Any, dtype: Any = float, **options: Any) -> Any:
    """Return the numbers of a text file, as NumPy's loadtxt reads them, with its options.

    `file` is a path (also .gz, .bz2, .xz), an open file or a list of lines.  With `unpack=True` a list of columns.
    Raises ValueError for cells that are no numbers, FileNotFoundError for a missing file.

    >>> import weft
    >>> weft.loadtxt(["1,2", "3,4"], delimiter=",").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return _imported(np.loadtxt(file, dtype=_dtype(dtype), **options), options)


def genfromtxt(file: Any, dtype: Any = float, **options: Any) -> Any:
    """Return the numbers of a text file with missing values, as NumPy's genfromtxt reads them, with its options.

    What is missing or no number is NaN, or `filling_values=`.  With `unpack=True` a list of columns.  Raises DTypeError
    for columns of different dtypes (`dtype=None`, names): read those with pandas or pyarrow.

    >>> import weft
    >>> weft.genfromtxt(["a,b", "1,", "3,4"], delimiter=",", skip_header=1).tolist()
    [[1.0, nan], [3.0, 4.0]]
    """
    return _imported(np.genfromtxt(file, dtype=_dtype(dtype), **options), options)


def savetxt(file: Any, x: Any, **options: Any) -> None:
    """Write a tensor of one or two axes as text, as NumPy's savetxt does, with its options.

    >>> import sys
    >>> import weft
    >>> weft.savetxt(sys.stdout, weft.asarray([[1.0, 2.0], [3.0, 4.5]]), fmt="%.1f", delimiter=",")
    1.0,2.0
    3.0,4.5
    """
    np.savetxt(file, as_tensor(x).numpy(), **options)


def _dtype(dtype: Any) -> Any:
    """Return a dtype as NumPy's readers take it; tensors of it are made afterwards."""
    return dtype if dtype is None else np.dtype(getattr(dtype, "name", dtype))


def _imported(found: Any, options: dict[str, Any]) -> Any:
    """Return an array as a tensor, or the columns as a list of tensors."""
    return [asarray(column) for column in found] if options.get("unpack") else asarray(found)
