"""The bytes of large files' cells read as another dtype, block by block.

The one idea: the least common multiple of both cell sizes is a whole number of cells of either dtype, so an index cell
for each such group gives the boxes of input and output.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import lcm

import numpy as np

from weft.api.blocks.map_blocks import map_blocks
from weft.api.storages.copying import lock
from weft.dtypes import DType
from weft.ir.pieces.projection import Projection
from weft.tensors.tensor import Tensor, node_of
from weft.tensors.writing import is_large


def has_byte_blocks(x: Tensor, dtype: DType) -> bool:
    """True if x is over files, too large to be held, and the bytes of its rows can be read as cells of `dtype`."""
    if x.dtype.extended or dtype.extended or node_of(x).desc.big or not x.ndim:
        return False
    return x.shape[-1] * x.dtype.itemsize % dtype.itemsize == 0 and is_large(x._place)


def byte_blocks(x: Tensor, dtype: DType) -> Tensor:
    """Return the bytes of x read as `dtype`, as a read-only expression; see `has_byte_blocks` for when it can."""
    sizes = x.dtype.itemsize, dtype.itemsize
    group = [lcm(*sizes) // n for n in sizes]  # cells of x, and of the result, in a group
    index = (*x.shape[:-1], x.shape[-1] // group[0])
    window, place = [_groups(x.ndim, n) for n in group]
    made: Tensor = map_blocks(_reader(dtype), x, windows=window, out=place, index=index, dtype=dtype)
    lock(made)
    return made


def _groups(ndim: int, size: int) -> Projection:
    """Return the map from index cells to groups of `size` cells along the last of `ndim` axes."""
    last = ndim - 1
    matrix = [[(size if a == last else 1) * (a == b) for b in range(ndim)] for a in range(ndim)]
    return Projection(matrix, shape=(*[1] * last, size))


@cache
def _reader(dtype: DType) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function that reads the bytes of a block as `dtype`: the same one each time, so programs are kept."""
    return lambda block: np.ascontiguousarray(block).view(dtype.np)
