"""Memory for values: small arrays from NumPy, large blocks kept for reuse.

The one idea: the first touch of fresh pages costs as much as a kernel, so freed large blocks go to a pool and come
back warm.  A block returns by itself when the last array over it, ours or an export, is gone.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from math import prod

import numpy as np

from weft.errors import OutOfMemory

LARGE = 1 << 20  # bytes from which blocks are pooled
ALIGN = 64
POOL_LIMIT = 1 << 30  # bytes kept at most


class Pool:
    """Freed blocks by size class."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # a block may die while its own thread holds the lock
        self.free: dict[int, list[np.ndarray]] = {}
        self.kept = 0
        self.stagger = 0

    def take(self, nbytes: int) -> np.ndarray:
        """A raw uint8 array of the size class that holds nbytes."""
        size = size_class(nbytes)
        with self.lock:
            blocks = self.free.get(size)
            if blocks:
                self.kept -= size
                return blocks.pop()
        return Raw((size + 4096 + ALIGN,), np.uint8)

    def give(self, raw: np.ndarray) -> None:
        """Keep a block for reuse, or let it go when enough is kept."""
        size = raw.size - 4096 - ALIGN
        with self.lock:
            if self.kept + size <= POOL_LIMIT:
                self.kept += size
                self.free.setdefault(size, []).append(raw)

    def drop(self) -> None:
        """Give everything back to the system."""
        with self.lock:
            self.free.clear()
            self.kept = 0


POOL = Pool()


class Raw(np.ndarray):
    """Memory of the pool.  Not a plain array, so that NumPy keeps the block over it as the base of typed arrays."""


class Block(np.ndarray):
    """A pooled block; typed arrays are made over it, and it returns to the pool when the last of them dies."""

    raw: np.ndarray | None = None

    def __del__(self) -> None:
        raw = self.raw
        if raw is not None and POOL is not None:  # POOL is None at interpreter exit
            POOL.give(raw)


def size_class(nbytes: int) -> int:
    """nbytes rounded up to an eighth of its power of two, so that near sizes share blocks.

    >>> size_class((1 << 20) + 1) == (1 << 20) + (1 << 17)
    True
    """
    step = max(1 << max(nbytes.bit_length() - 4, 0), 4096)
    return -(-nbytes // step) * step


def _block(nbytes: int) -> Block:
    raw = POOL.take(nbytes)
    POOL.stagger = (POOL.stagger + 5 * ALIGN) % 4096  # equal page offsets of several arrays would alias in the cache
    start = -raw.ctypes.data % ALIGN + POOL.stagger
    block = raw[start : start + max(nbytes, 1)].view(Block)
    block.raw = raw
    return block


def empty(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """An uninitialised C-ordered array.

    Raises OutOfMemory after dropping the pool and collecting garbage.
    """
    nbytes = prod(shape) * dtype.itemsize
    if nbytes < LARGE:
        return _tried(lambda: np.empty(shape, dtype), nbytes, shape)
    return _tried(lambda: np.ndarray(shape, dtype, buffer=_block(nbytes)), nbytes, shape)


def laid_out(dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...], start: int, nbytes: int) -> np.ndarray:
    """An uninitialised array of any strides in nbytes of memory, with its first cell at byte `start`.

    The memory is no plain array, so that exports of the array refer to the array and not past it.
    """

    def made() -> np.ndarray:
        memory = _block(nbytes) if nbytes >= LARGE else Raw((max(nbytes, 1),), np.uint8)
        return np.ndarray(shape, dtype, memory, start, strides)

    return _tried(made, nbytes, shape)


def _tried(make: Callable[[], np.ndarray], nbytes: int, shape: tuple[int, ...]) -> np.ndarray:
    """What `make` gives; where the system refuses, once more with everything that can be spared given back."""
    try:
        return make()
    except (MemoryError, ValueError, OverflowError):
        POOL.drop()
        gc.collect()
    try:
        return make()
    except (MemoryError, ValueError, OverflowError) as error:
        raise out_of_memory(nbytes, shape) from error


def out_of_memory(nbytes: int, shape: tuple[int, ...]) -> OutOfMemory:
    """The error that says so."""
    return OutOfMemory(
        f"allocate: {nbytes} bytes for shape {shape}; the system has no such memory left; "
        "compute a slice at a time, or free large tensors"
    )


def _after_fork() -> None:
    """A child starts with a free lock, whatever its parent's threads were doing."""
    POOL.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
