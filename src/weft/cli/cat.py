"""`weft cat`: values of a file as text, a line for each run of the last axis.

The one idea: a block of rows is read, printed and discarded, so a file may be larger than memory.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from weft.cli.expression import expression_value
from weft.cli.vocabulary import vocabulary
from weft.errors import ExpressionError
from weft.tensors.tensor import Tensor

CELLS = 1 << 20  # most cells read at a time


def selected(tensor: Tensor, key: str | None) -> Tensor:
    """Return the part of a tensor that `key`, a text as between brackets, selects; the tensor itself for None.

    Raises ExpressionError if the text cannot be parsed or selects no tensor, IndexOutOfBounds for positions outside,
    and DTypeError for a part that is no index.

    >>> import weft
    >>> selected(weft.arange(10), "2:8:3").tolist()
    [2, 5]
    """
    if key is None:
        return tensor
    value = expression_value(f"x[{key}]", {"x": tensor}, vocabulary())
    if not isinstance(value, Tensor):
        raise ExpressionError(f"cat: [{key}] is no selection of one tensor; give a key, such as '0:3, ::2'")
    return value


def lines(values: Tensor | NDArray[np.generic], delimiter: str = " ") -> Iterator[str]:
    """Yield the lines of text of values: one for each run of the last axis, an empty one between planes.

    `delimiter` separates the values of a line.

    >>> import weft
    >>> list(lines(weft.asarray([[1, 2], [3, 4]]), ","))
    ['1,2', '3,4']
    """
    if isinstance(values, Tensor) and values.size <= CELLS:
        values = values.numpy()
    if values.ndim == 0:
        yield str(values[()])
    elif values.ndim == 1:
        yield delimiter.join(_texts(values))
    else:
        for number, part in enumerate(_parts(values)):
            if number and values.ndim > 2:
                yield ""
            yield from lines(part, delimiter)


def _texts(row: Tensor | NDArray[np.generic]) -> Iterator[str]:
    for first in range(0, row.shape[0], CELLS):
        part = row[first : first + CELLS]
        yield from map(str, part.numpy() if isinstance(part, Tensor) else part)


def _parts(values: Tensor | NDArray[np.generic]) -> Iterator[Tensor | NDArray[np.generic]]:
    """Yield the slice at each position of the first axis; at most about CELLS cells are read at a time."""
    rows = max(1, CELLS * values.shape[0] // max(values.size, 1))
    for first in range(0, values.shape[0], rows):
        block = values[first : first + rows]
        if isinstance(block, Tensor) and block.size <= CELLS:
            block = block.numpy()
        for k in range(block.shape[0]):
            yield block[k]
