"""Memory for values: named allocators that count allocated bytes, and the default one, the heap.

The one idea: the first touch of fresh pages costs as much as a kernel, so freed large blocks of the heap go to a pool
and are reused.  Memory is an array object; it returns to its allocator by itself when the last array over it, weft's or
an export, is gone.  Freed blocks are collected by built-in code, since an interrupt in a Python callback would be lost,
and counted at the next allocation or reading.  Pooled blocks, and pages that the C library keeps for decoding threads,
speed up the next tile of work over large files, and are given back after the last one.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from math import inf, prod
from typing import Any
from weakref import ref

import numpy as np

from weft.errors import MissingImplementation, OutOfMemory, ValueRangeError
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, line_of
from weft.ir.pieces.lattice import box, extent
from weft.passes.switches import noting
from weft.runtime.fork_safety import own_lock
from weft.runtime.memory.access import byte_range
from weft.runtime.scoped_setting import Setting

LARGE = 1 << 20  # bytes from which blocks are pooled
ALIGN = 64
HUGE = 4 << 20  # bytes of blocks from which large pages are requested, as in NumPy
POOL_LIMIT = 1 << 30  # bytes kept at most
LENT_LIMIT = 2 << 30  # most bytes of blocks in use that return to the pool: those lent last
LISTED = 5  # tensors that an error names


class Pool:
    """Freed large blocks, kept by size for reuse."""

    def __init__(self) -> None:
        self.lock = own_lock()  # a block may die while its own thread holds the lock
        self.free: dict[int, list[Raw]] = {}
        self._kept = self._lent = 0
        self.bound: float = inf  # most bytes of blocks in use and kept ones together
        self.lent: dict[int, _Lent] = {}  # blocks that return to the pool, by id, the oldest first
        self.stagger = 0

    @property
    def kept(self) -> int:
        """Return the bytes of freed blocks that are kept."""
        settle()
        return self._kept

    def take(self, nbytes: int) -> Raw:
        """Return memory for at least `nbytes`: a kept block of the size class, else a new one.

        Raises MemoryError if the system refuses.
        """
        size = size_class(nbytes)
        with self.lock:
            self.stagger = (self.stagger + 5 * ALIGN) % 4096  # equal page offsets of arrays would alias in the cache
            blocks = self.free.get(size)
            if blocks:
                self._kept -= size
                return blocks.pop()
            self._shrink(self.bound - self._lent - size)
        return _mapped(size + 4096)

    def lend(self, lent: _Lent) -> None:
        """Register a block in use, whose memory is to be kept for reuse when it is freed.

        If the blocks in use exceed LENT_LIMIT bytes, the oldest of them will not be kept.
        """
        with self.lock:
            self.lent[id(lent)] = lent
            self._lent += lent.nbytes
            while self._lent > LENT_LIMIT:
                first = self.lent.pop(next(iter(self.lent)))
                first.raw = None
                self._lent -= first.nbytes

    def give(self, lent: _Lent) -> None:
        """Keep a freed block's memory for reuse, unless the pool would exceed POOL_LIMIT or its `bound`."""
        with self.lock:
            if self.lent.pop(id(lent), None) is None or lent.raw is None:
                return
            self._lent -= lent.nbytes
            size = lent.raw.size - 4096
            if self._kept + size <= min(POOL_LIMIT, self.bound - self._lent):
                self._kept += size
                self.free.setdefault(size, []).append(lent.raw)

    def _shrink(self, limit: float) -> None:
        """Free kept blocks, the oldest sizes first, until at most `limit` bytes are kept."""
        while self._kept > limit and self.free:
            size = next(iter(self.free))
            blocks = self.free[size]
            while blocks and self._kept > limit:
                blocks.pop()
                self._kept -= size
            if not blocks:
                del self.free[size]

    @contextmanager
    def bounded(self, nbytes: int) -> Iterator[None]:
        """Let kept blocks and blocks in use grow by at most `nbytes` together, inside the block.

        Beyond that, freed blocks are not kept.
        """
        settle()
        before, self.bound = self.bound, self._lent + nbytes
        try:
            yield
        finally:
            self.bound = before

    def disown(self) -> None:
        """Mark all blocks in use now, so that their memory is not kept when they are freed."""
        with self.lock:
            lent, self.lent, self._lent = self.lent, {}, 0
        for block in lent.values():
            block.raw = None

    def drop(self) -> None:
        """Free all kept blocks."""
        settle()
        with self.lock:
            self.free.clear()
            self._kept = 0


class Raw(np.ndarray):
    """Bare memory; a class of its own, so that NumPy keeps it as the base of typed arrays over it."""

    first: int  # index of the first aligned byte


def _aligned(nbytes: int) -> Raw:
    """Return memory with `nbytes` bytes after its first aligned byte, whose index is its attribute `first`.

    Raises MemoryError if the system refuses.
    """
    raw = Raw((nbytes + ALIGN,), np.uint8)
    raw.first = -raw.__array_interface__["data"][0] % ALIGN
    return raw


def _mapped(nbytes: int) -> Raw:
    """Return memory with pages of its own, which return to the system as soon as it is freed.

    The C library would keep pages of freed memory for each thread.  Raises MemoryError if the system refuses.
    """
    try:
        pages = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as e:
        raise MemoryError from e
    if nbytes >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system without them
            pages.madvise(mmap.MADV_HUGEPAGE)
    raw = Raw((nbytes,), np.uint8, pages)
    raw.first = 0
    return raw


class MemoryBlock(np.ndarray):
    """A block of an allocator's memory, freed when the last array over it is gone."""

    allocator: Allocator | None = None  # None in views of the block
    kept: Any = None  # what the allocator identifies it by: memory of the pool, the path of a file


class _Lent(ref):  # type: ignore[type-arg]
    """A weak reference to a block, its size, its allocator and the memory to keep when it is freed."""

    __slots__ = ("allocator", "nbytes", "raw")

    allocator: Allocator
    nbytes: int
    raw: Raw | None  # the memory that returns to the pool


_LENT: dict[int, _Lent] = {}  # weak references to all blocks, by their ids
_GONE: list[_Lent] = []  # weak references to freed blocks that are not counted yet


def settle() -> None:
    """Count the blocks freed since the last call, and return their memory to their allocators."""
    while _GONE:
        try:
            lent = _GONE.pop()
        except IndexError:  # another thread counted the last one
            return
        if _LENT.pop(id(lent), None) is not None:  # an interrupt may come before a block is noted
            lent.allocator.take_back(lent)


@lru_cache(maxsize=1024)
def size_class(nbytes: int) -> int:
    """Return `nbytes` rounded up to an eighth of its power of two, so that near sizes share blocks.

    >>> size_class((1 << 20) + 1) == (1 << 20) + (1 << 17)
    True
    """
    step = max(1 << max(nbytes.bit_length() - 4, 0), 4096)
    return -(-nbytes // step) * step


POOL = Pool()


class Allocator:
    """A named source of memory, with counters and an optional limit.

    `in_use` and `peak` are bytes, `allocations` and `frees` numbers of blocks.  `limit` is the bytes that may be in use
    at a time (None: no limit); an allocation beyond it raises OutOfMemory.  Raises ValueRangeError for a limit that is
    neither None nor an integer from 0 on.  Reports show the `name`.
    """

    name = "allocator"

    def __init__(self, name: str, limit: int | None = None) -> None:
        self.name = name
        self._limit: int | None = None
        self.limit = limit
        self._lock = own_lock()  # a block may die while its own thread holds the lock
        self._in_use = self.peak = self.allocations = self._frees = 0

    @property
    def in_use(self) -> int:
        """Return the bytes of blocks given out and not freed."""
        settle()
        return self._in_use

    @property
    def frees(self) -> int:
        """Return the number of blocks freed."""
        settle()
        return self._frees

    @property
    def limit(self) -> int | None:
        """The bytes that may be in use at a time, or None for no limit."""
        return self._limit

    @limit.setter
    def limit(self, nbytes: int | None) -> None:
        if nbytes is not None and (type(nbytes) is not int or nbytes < 0):
            raise ValueRangeError(f"limit: {nbytes!r} is no number of bytes; give an integer from 0 on, or None")
        self._limit = nbytes

    def __repr__(self) -> str:
        limit = "" if self._limit is None else f", limit={self._limit}"
        return f"<{type(self).__name__} {self.name!r}: {self.in_use} bytes in use{limit}>"

    def memory(self, nbytes: int) -> MemoryBlock:
        """Return `nbytes` bytes of memory as a uint8 array; raises OutOfMemory if the system or the limit refuses."""
        return _tried(lambda: self._counted(nbytes), nbytes, (nbytes,), self)

    def empty(self, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
        """Return an uninitialised row-major array; raises OutOfMemory if the system or the limit refuses."""
        nbytes = prod(shape) * dtype.itemsize
        try:
            return np.ndarray(shape, dtype, self._counted(nbytes))
        except (MemoryError, ValueError, OverflowError):
            return _tried(lambda: np.ndarray(shape, dtype, self._counted(nbytes)), nbytes, shape, self)

    def _counted(self, nbytes: int) -> MemoryBlock:
        """Return new memory and count it; raises MemoryError if the system or the limit refuses it."""
        lock = self._lock
        settle()
        with lock:
            if self._limit is not None and self._in_use + nbytes > self._limit:
                raise MemoryError
            self._in_use += nbytes  # counted first, so that other threads cannot exceed the limit meanwhile
        try:
            block = self._new_block(nbytes)
        except BaseException:
            with lock:
                self._in_use -= nbytes
            raise
        with lock:
            self.allocations += 1
            if self._in_use > self.peak:
                self.peak = self._in_use
        lent = _Lent(block, _GONE.append)
        lent.allocator = block.allocator = self
        lent.nbytes, lent.raw = nbytes, block.kept if type(block.kept) is Raw else None
        _LENT[id(lent)] = lent
        if lent.raw is not None:
            POOL.lend(lent)
        return block

    def _new_block(self, nbytes: int) -> MemoryBlock:
        """Return new memory of at least `nbytes` and at least one byte; raises MemoryError if the system refuses.

        Raises MissingImplementation here: each kind of memory has its own.
        """
        raise MissingImplementation("Allocator: it names no kind of memory; call weft.Heap(name)")

    def take_back(self, lent: _Lent) -> None:
        """Count a block as freed, and offer its memory to the pool."""
        with self._lock:
            self._in_use -= lent.nbytes
            self._frees += 1
        if lent.raw is not None:
            POOL.give(lent)


class Heap(Allocator):
    """Aligned memory of the process; large blocks are reused from a pool that all heaps share."""

    def _new_block(self, nbytes: int) -> MemoryBlock:
        """Return a block of aligned memory, large ones from the pool; raises MemoryError if the system refuses."""
        if nbytes < LARGE:
            raw = _aligned(max(nbytes, 1))
            return MemoryBlock((max(nbytes, 1),), np.uint8, raw, raw.first)
        raw = POOL.take(nbytes)
        block = MemoryBlock((nbytes,), np.uint8, raw, raw.first + POOL.stagger)
        if nbytes <= POOL_LIMIT:  # larger blocks are freed at once, not at the next allocation
            block.kept = raw
        return block


HEAP = Heap("heap")  # the default of all values; counts blocks of LARGE bytes and more


CHOSEN: Setting[Allocator] = Setting("allocator", HEAP, lambda allocator: allocator is not HEAP, noting("allocator"))
chosen = CHOSEN.get  # returns the current allocator


def empty(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Return an uninitialised row-major array of the current allocator; raises OutOfMemory if memory is refused."""
    if CHOSEN.active and (allocator := chosen()) is not HEAP:
        return allocator.empty(dtype, shape)
    nbytes = prod(shape) * dtype.itemsize
    if nbytes < LARGE:
        try:
            return np.empty(shape, dtype)
        except (MemoryError, ValueError, OverflowError):
            return _tried(partial(np.empty, shape, dtype), nbytes, shape, HEAP)
    return HEAP.empty(dtype, shape)


def scratch(nbytes: int) -> np.ndarray:
    """Return `nbytes` uninitialised bytes for short use; large requests are served by the pool.

    The C library would keep their pages for the thread, and only this thread could free them. Raises MemoryError if
    memory is refused.
    """
    return np.empty(nbytes, np.uint8) if nbytes < LARGE else HEAP.empty(np.dtype(np.uint8), (nbytes,))


def laid_out(
    dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...], first_byte: int, nbytes: int
) -> np.ndarray:
    """Return an uninitialised array with the given strides in new memory of `nbytes` bytes.

    Its first cell lies at byte `first_byte`. Raises OutOfMemory if memory is refused.
    """
    allocator = chosen()

    def made() -> np.ndarray:
        small = nbytes < LARGE and allocator is HEAP
        memory = Raw((max(nbytes, 1),), np.uint8) if small else allocator._counted(nbytes)
        return np.ndarray(shape, dtype, memory, first_byte, strides)

    return _tried(made, nbytes, shape, allocator)


def strided(dtype: np.dtype, shape: Shape, strides: Shape | None) -> np.ndarray:
    """Return an uninitialised array with the given strides (bytes), or a row-major one for None.

    Raises OutOfMemory if memory is refused.
    """
    if strides is None:
        return empty(dtype, shape)
    low, high = extent(box(0, strides, shape, dtype.itemsize))
    return laid_out(dtype, shape, strides, -low, high - low)


def contiguous(cells: np.ndarray, dtype: np.dtype | None = None, copy: bool = False) -> np.ndarray:
    """Return cells as a row-major array of a dtype (default: theirs), itself or a copy in pool memory.

    With `copy`, always a copy. NumPy's own copies would stay with the C library, for each thread. Raises OutOfMemory if
    memory is refused.
    """
    dtype = cells.dtype if dtype is None else dtype
    if cells.dtype == dtype and cells.flags.c_contiguous and not copy:
        return cells
    made = empty(dtype, cells.shape)
    made[...] = cells
    return made


def _tried(make: Callable[[], Any], nbytes: int, shape: tuple[int, ...], allocator: Allocator) -> Any:
    """Return `make()`; if memory is refused, empty the pool, collect garbage and retry, then raise OutOfMemory.

    `nbytes` and `shape` of the value, and the `allocator`, are for the error.
    """
    try:
        return make()
    except (MemoryError, ValueError, OverflowError):
        POOL.drop()
        gc.collect()
    try:
        return make()
    except (MemoryError, ValueError, OverflowError) as error:
        raise out_of_memory(nbytes, shape, allocator) from error


def out_of_memory(nbytes: int, shape: tuple[int, ...], allocator: Allocator | None = None) -> OutOfMemory:
    """Return the error for an allocation that failed; it names the limit and the largest values.

    `nbytes` and `shape` are those of the refused value.
    """
    limit = None if allocator is None else allocator.limit
    if allocator is not None and limit is not None and allocator.in_use + nbytes > limit:
        reason = f"{allocator.name} has {allocator.in_use} of {limit} bytes in use"
    else:
        reason = "the system has no such memory left"
    held = largest()
    listed = f" (the largest now: {'; '.join(held)})" if held else ""
    remedy = f"compute a slice at a time, or free large tensors{listed}"
    return OutOfMemory(f"allocate: {nbytes} bytes for shape {shape}; {reason}; {remedy}")


def largest(count: int = LISTED) -> list[str]:
    """Return texts about the `count` largest stored values: dtype, shape, bytes, and the user's line that made each."""
    found: dict[tuple[int, int], Node] = {}
    for n in gc.get_objects():
        if type(n) is Node and isinstance(value := getattr(n, "value", None), np.ndarray) and value.nbytes:
            found.setdefault(byte_range(value), n)
    top = sorted(found.items(), key=lambda item: item[0][0] - item[0][1])[:count]
    return [_value_text(n, high - low) for (low, high), n in top]


def _value_text(n: Node, nbytes: int) -> str:
    """Return a text about a stored value: dtype, shape, bytes, and the user's line that made it."""
    line = line_of(n)
    return f"{n.desc!r}, {nbytes} bytes" + (f", made at {line}" if line else "")


_TRIM: Any = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it
_MALLOPT: Any = getattr(ctypes.CDLL(None), "mallopt", None)
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD
_LEARNED = 4 << 20  # bytes of a freed block from which glibc learns to keep twice as much
_KEPT = 16 << 20  # freed bytes that the C library keeps at most at the end of each of its heaps


def trim_memory() -> None:
    """Return free memory to the system, and keep no block that is in use now when it is freed."""
    POOL.disown()
    POOL.drop()
    if _TRIM is not None:
        _TRIM(0)


@contextmanager
def trim_memory_after() -> Iterator[None]:
    """Call `trim_memory` at the end of the block; also a decorator."""
    try:
        yield
    finally:
        trim_memory()


def keep_freed_memory() -> None:
    """Have the C library keep freed blocks of under 1 MiB, which no pool keeps, for later ones of any size.

    With a threshold of its own in the environment, as workers of Dask have it, it fetches every block of 128 kB and
    more from the system anew, and touching its pages takes longer than computing them.
    """
    if _TRIM is not None and _MALLOPT is not None:
        _MALLOPT(_MMAP_THRESHOLD, LARGE)
        _MALLOPT(_TRIM_THRESHOLD, _KEPT)


def keep_temporaries() -> None:
    """Have the C library learn to keep freed blocks: twice the size of the one that is freed here.

    It learns sizes, but not how many blocks of a size live at a time: several arrays of 160 kB to 1 MB, freed together,
    went back to the system each time, and fetching their pages again took ten times as long as computing them.
    """
    np.empty(_LEARNED, np.uint8)
