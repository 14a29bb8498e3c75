"""The cells of a tensor as one vector, which NumPy's programs read and write by `x.flat`.

The one idea: reading is `ravel`, writing is `put`; neither needs the tensor to lie in one piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from weft.api.numpy.array_methods import put
from weft.api.numpy.shapes import ravel
from weft.api.standard.ranges import arange
from weft.errors import IndexOutOfBounds
from weft.tensors.tensor import Tensor


class FlatCells:
    """The cells of a tensor in row-major order (`x.flat`), to iterate over, to index and to write to.

    Indexing gives a tensor. Too few written values are repeated, as NumPy does. Raises IndexOutOfBounds for positions
    outside and for keys of several axes.

    >>> import weft
    >>> x = weft.zeros((3, 3))
    >>> x.flat[::4] = 1
    >>> x.flat[1] = 5
    >>> x.tolist(), [int(cell) for cell in x.flat[:3]], len(x.flat)
    ([[1.0, 5.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1, 5, 0], 9)
    """

    __slots__ = ("_cells", "base")

    def __init__(self, x: Tensor) -> None:
        self.base = x
        self._cells: Iterator[Tensor] | None = None

    def __len__(self) -> int:
        return self.base.size

    def __getitem__(self, key: Any) -> Tensor:
        return ravel(self.base)[key]  # type: ignore[index,no-any-return]

    def __setitem__(self, key: Any, value: Any) -> None:
        x: Any = self.base
        if isinstance(key, int) and not isinstance(key, bool) and -x.size <= key < x.size:
            x[np.unravel_index(key % x.size, x.shape)] = value
        elif isinstance(key, tuple) and len(key) > 1:
            raise IndexOutOfBounds(f"flat: {len(key)} indices of a vector; cells have one position; give one index")
        else:
            put(x, arange(x.size)[key], value)  # type: ignore[index]

    def __iter__(self) -> Iterator[Tensor]:
        return iter(ravel(self.base))  # type: ignore[call-overload,no-any-return]

    def __next__(self) -> Tensor:
        self._cells = self._cells or iter(self)
        return next(self._cells)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(ravel(self.base), dtype=dtype, copy=copy)

    def copy(self) -> Tensor:
        """Return the cells as a new vector."""
        return ravel(self.base).copy()  # type: ignore[attr-defined,no-any-return]


def _write_all(x: Tensor, value: Any) -> None:
    FlatCells(x)[:] = value


flat = property(FlatCells, _write_all)
