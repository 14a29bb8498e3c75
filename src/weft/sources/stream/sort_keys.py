"""Sort keys: unsigned integers that rise in the order in which cells are sorted.

The one idea: the bits of a float, with the sign bit set for positive numbers and all bits inverted for negative
numbers, rise with its value.  Both zeros share a key, and so do all NaNs, which come last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.dtypes import DType, narrowed
from weft.ir.graph.node import Node, apply, result, scalar, stored, where
from weft.runtime.memory import allocator

Cells = NDArray[Any]
PART = 1 << 14  # cells converted at a time


def word_of(dtype: DType) -> DType:
    """Return the unsigned dtype of sort keys for cells of `dtype`."""
    return dt.from_numpy(np.dtype(f"u{dtype.itemsize}"))[0]


def has_keys(dtype: DType) -> bool:
    """True if the cells of a dtype have sort keys: real numbers and booleans."""
    return dtype.kind in ("bool", "int", "uint", "float")


def leaf_of(cells: Cells) -> Node:
    """Return a contiguous array as a stored node."""
    return stored(result(dt.from_numpy(cells.dtype)[0], cells.shape), cells)


@dataclass(frozen=True)
class Keys:
    """The sort keys of cells of a dtype; they fall as cells rise if `descending`."""

    dtype: DType
    descending: bool = False

    def __call__(self, cells: Cells) -> Node:
        """Return a node of the sort keys of a contiguous array."""
        found = self._rising(cells)
        return apply("bitwise_invert", found) if self.descending else found

    def _rising(self, cells: Cells) -> Node:
        """Return a node of the keys that rise with the cells."""
        word = word_of(self.dtype)
        x = leaf_of(cells.view(word.np))
        if self.dtype.kind in ("bool", "uint"):
            return x
        sign = scalar(1 << (word.bits - 1), word)
        if self.dtype.kind == "int":
            return apply("bitwise_xor", x, sign)
        size = apply("bitwise_and", x, scalar(_ones(word) >> 1, word))  # the bits of the absolute value
        negative = apply("greater", x, sign)
        key = where(negative, apply("bitwise_invert", x), apply("bitwise_or", x, sign))
        nan = apply("greater", size, scalar(_infinity(self.dtype), word))
        return where(nan, scalar(_ones(word), word), key)

    def cells(self, keys: Cells) -> Cells:
        """Return the cells with the given keys: +0 for the shared key of zeros, one NaN for that of NaNs."""
        words = allocator.empty(word_of(self.dtype).np, keys.shape)
        word = words.dtype.type
        sign, ones = word(1 << (8 * words.itemsize - 1)), word((1 << 8 * words.itemsize) - 1)
        for part in parts_of(keys.size):
            words[part] = keys[part]
            if self.descending:
                words[part] ^= ones
            if self.dtype.kind == "int":
                words[part] ^= sign
            elif self.dtype.kind == "float":
                words[part] ^= np.where(words[part] >= sign, sign, ones)
        return words.view(self.dtype.np)

    @property
    def shared(self) -> tuple[int, ...]:
        """Return the keys shared by cells of different bits: the key of both zeros and the key of NaNs."""
        if self.dtype.kind != "float":
            return ()
        word = word_of(self.dtype)
        found = (1 << (word.bits - 1), _ones(word))
        return tuple(_ones(word) - k for k in found) if self.descending else found


def parts_of(size: int) -> Iterator[slice]:
    """Iterate over slices of PART cells, so that temporaries are small.

    Large temporaries of several threads would split malloc's heap.
    """
    return (slice(first, first + PART) for first in range(0, size, PART))


def _ones(word: DType) -> int:
    return (1 << word.bits) - 1


def _infinity(dtype: DType) -> int:
    return int(narrowed(np.array([np.inf]), dtype).view(word_of(dtype).np)[0])
