"""Sort keys: unsigned integers in the order in which cells are sorted.

The one idea: the bits of a float, with the sign bit set for positive ones and all bits inverted for negative ones, rise
with its value.  The zeros share a key, and so do all NaNs, which come last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.dtypes import DType, narrowed
from weft.ir.graph.formulas import where
from weft.ir.graph.node import Node, elementwise, result, scalar, stored
from weft.ir.graph.ops import OPS
from weft.runtime.memory import allocator

Cells = NDArray[Any]
PART = 1 << 14  # cells


def word_of(dtype: DType) -> DType:
    """Return the unsigned dtype of the keys of cells."""
    return dt.from_numpy(np.dtype(f"u{dtype.itemsize}"))[0]


def has_keys(dtype: DType) -> bool:
    """True for dtypes whose cells have keys: real numbers."""
    return dtype.kind in ("bool", "int", "uint", "float")


def leaf_of(cells: Cells) -> Node:
    """Return an array without gaps as a stored node."""
    return stored(result(dt.from_numpy(cells.dtype)[0], cells.shape), cells)


def keys_of(cells: Cells, dtype: DType) -> Node:
    """Return the keys of an array without gaps as an expression."""
    word = word_of(dtype)
    x = leaf_of(cells.view(word.np))
    if dtype.kind in ("bool", "uint"):
        return x
    sign = scalar(1 << (8 * dtype.itemsize - 1), word)
    if dtype.kind == "int":
        return elementwise(OPS["bitwise_xor"], x, sign)
    size = elementwise(OPS["bitwise_and"], x, scalar(_ones(dtype) >> 1, word))  # of the number, as bits
    negative = elementwise(OPS["greater"], x, sign)
    key = where(negative, elementwise(OPS["bitwise_invert"], x), elementwise(OPS["bitwise_or"], x, sign))
    nan = elementwise(OPS["greater"], size, scalar(_infinity(dtype), word))
    return where(nan, scalar(_ones(dtype), word), key)


def cells_of_keys(keys: Cells, dtype: DType) -> Cells:
    """Return the cells with a row of keys; +0 for the key of the zeros, and a NaN for that of the NaNs."""
    words = allocator.empty(word_of(dtype).np, keys.shape)
    word = words.dtype.type
    sign = word(1 << (8 * dtype.itemsize - 1))
    for part in parts_of(keys.size):
        words[part] = keys[part]
        if dtype.kind == "int":
            words[part] ^= sign
        elif dtype.kind == "float":
            words[part] ^= np.where(words[part] >= sign, sign, word(_ones(dtype)))
    return words.view(dtype.np)


def parts_of(size: int) -> Iterator[slice]:
    """Iterate over cells in parts whose temporaries are small: large ones, of several threads, split malloc's heap."""
    return (slice(first, first + PART) for first in range(0, size, PART))


def shared_keys(dtype: DType) -> tuple[int, ...]:
    """Return the keys of cells with several bit patterns: those of the zeros and of the NaNs."""
    return (1 << (8 * dtype.itemsize - 1), _ones(dtype)) if dtype.kind == "float" else ()


def _ones(dtype: DType) -> int:
    return (1 << 8 * dtype.itemsize) - 1


def _infinity(dtype: DType) -> int:
    return int(narrowed(np.array([np.inf]), dtype).view(word_of(dtype).np)[0])
