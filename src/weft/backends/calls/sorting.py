"""Sorting, and sums by position.

The one idea: NaN counts as the greatest value, sorts are stable, and rows with equal positions are added in their
order.  A few lines are sorted at a time, so that they stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from time import perf_counter
from typing import Any

import numpy as np

from weft.backends.calls.cells import store_rounded, wide
from weft.backends.calls.partial_sorting import Lines, is_worth_selecting, selected
from weft.backends.llvm.folds.radix_sort import sort_lines
from weft.backends.llvm.folds.row_scatter import add_rows
from weft.backends.llvm.jit.toolchain import is_supported
from weft.backends.thread_sharing import share
from weft.runtime.memory import allocator

PART = 1 << 16  # cells that are sorted at a time: they stay in the processor's cache
FEW = 512  # cells of a line whose stable sort takes less than the work around it
FEW_INDICES = 1 << 12  # the same for an argsort
LONG = {2: 512, 4: 512, 8: 128}  # least cells of a line for which argsort by digits is quicker, by itemsize
MEASURED = 1 << 14  # cells on which two ways to sort are timed
TEMPORARY = 1 << 14  # cells of a line for which index numbers are made at a time
ADDED = 1 << 24  # bytes of rows added at a time; interrupts are seen in between


def sort(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the cells to `out`, sorted along an axis; NaN counts as the greatest value.

    `attrs` are (axis, descending, ranges of ranks); other cells are not written, if there are ranges.
    """
    _by_lines(out, wide(args[0]), attrs, sorted_lines)


def argsort(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the indices that sort cells along an axis to `out`; equal values keep their order.

    `attrs` are (axis, descending, ranges of ranks); other cells are not written, if there are ranges.
    """
    _by_lines(out, wide(args[0]), attrs, order_of_lines)


def _by_lines(out: np.ndarray, cells: np.ndarray, attrs: tuple[Any, ...], work: Lines) -> None:
    """Write the results of `work` on the lines of cells along an axis to `out`, on several threads.

    `attrs` are those of `sort`; `work` is `sorted_lines` or `order_of_lines`.
    """
    axis, descending, ranges = attrs
    lines, found = cells.swapaxes(axis, -1), out.swapaxes(axis, -1)
    if ranges and is_worth_selecting(lines, ranges):
        _by_ranges(found, lines, attrs, work)
        return
    rows = max(1, PART // max(1, lines.shape[-1]))
    if lines.ndim == 1 or lines.size <= PART:
        store_rounded(found, work(lines, descending, found))
        return
    parts = [
        (*outer, slice(first, first + rows))
        for outer in np.ndindex(lines.shape[:-2])
        for first in range(0, lines.shape[-2], rows)
    ]

    def write(part: tuple[Any, ...]) -> None:
        here = found[part]
        store_rounded(here, work(lines[part], descending, here))

    share(parts, write, lines.nbytes)


def _by_ranges(out: np.ndarray, lines: np.ndarray, attrs: tuple[Any, ...], work: Lines) -> None:
    """Write to `out` the results of `work` on long lines at the ranks in the ranges of `attrs`.

    `attrs` are those of `sort`; `work` is `sorted_lines` or `order_of_lines`.
    """
    _, descending, ranges = attrs
    for row in np.ndindex(lines.shape[:-1]):
        line = np.ascontiguousarray(lines[row])
        for first, stop in ranges:
            value, at = selected(line, descending, (first, stop), work)
            store_rounded(out[row][first:stop], at[value] if at is not None and work is order_of_lines else value)


def sorted_lines(cells: np.ndarray, descending: bool, out: np.ndarray | None = None) -> np.ndarray:
    """Return cells sorted along the last axis, in `out` if it fits; equal values keep their order.

    With `descending` the greatest come first, NaN before all.
    """
    if cells.dtype.kind == "c" or cells.itemsize == 1 or cells.size < FEW:
        return _in_stable_order(cells, descending)
    if cells.size >= MEASURED and cells.shape[-1] >= FEW and _is_sooner_by_digits(cells.dtype):
        return _by_digits(cells, descending, _memory(out, cells.dtype, cells.shape))
    return _in_order(cells, descending, None if descending else out)


def _in_stable_order(cells: np.ndarray, descending: bool) -> np.ndarray:
    """Return cells sorted along the last axis, `descending` or rising, by NumPy's stable sort."""
    if descending:
        return np.flip(np.sort(np.flip(cells, -1), kind="stable"), -1)
    return np.sort(cells, kind="stable")


def _by_digits(cells: np.ndarray, descending: bool, out: np.ndarray, indices: bool = False) -> np.ndarray:
    """Write cells sorted along the last axis, or with `indices` the indices that sort them, to `out`; return that."""
    sort_lines(np.ascontiguousarray(cells), out, descending, indices)
    return out


@cache
def _is_sooner_by_digits(dtype: np.dtype[Any]) -> bool:
    """True if this machine sorts random cells sooner by digits than by NumPy's vectorised sort.

    On AMD's Zen 4 that takes 30 to 60 ns a cell instead of 3 to 6.
    """
    if not is_supported():
        return False
    cells = np.random.default_rng(0).normal(0, 1e4, MEASURED).astype(dtype)
    out, by_digits, by_numpy = np.empty_like(cells), [], []
    for _ in range(3):
        start = perf_counter()
        sort_lines(cells, out, False)
        by_digits.append(perf_counter() - start)
        out[...] = cells
        start = perf_counter()
        out.sort()
        by_numpy.append(perf_counter() - start)
    return min(by_digits) < min(by_numpy)


@np.errstate(invalid="ignore")  # of signalling NaNs
def _in_order(cells: np.ndarray, descending: bool, out: np.ndarray | None) -> np.ndarray:
    """Return cells sorted along the last axis, with the bits of a stable sort.

    NumPy's unstable sort is ten times as fast where it is vectorised (real numbers of 16 bits or more).  Cells that
    compare equal have equal bits, except zeros and NaNs: these are put back into their original order.
    """
    found = _memory(out, cells.dtype, cells.shape)
    found[...] = cells
    found.sort(axis=-1)
    alike = _ambiguous_classes(cells, found) if cells.dtype.kind == "f" else []
    if descending:
        found = np.flip(found, -1)
    for equal in alike:
        came = equal(cells)
        if np.count_nonzero(came):
            found[equal(found)] = cells[came]
    return found


def _memory(out: np.ndarray | None, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return `out` if cells of a dtype lie in it without gaps, else new memory."""
    return out if out is not None and out.dtype == dtype and out.flags.c_contiguous else allocator.empty(dtype, shape)


def _ambiguous_classes(cells: np.ndarray, ordered: np.ndarray) -> list[np.ufunc]:
    """Return the predicates for classes of equal cells that may differ in bits: zeros and NaNs, if any are there.

    `ordered` are the cells in sorted order.
    """
    if ordered.ndim == 1:  # the second of several zeros follows the first
        second = ordered.searchsorted(ordered.dtype.type(0)) + 1
        zeros, nans = second < ordered.size and not ordered[second], ordered[-1] != ordered[-1]
    else:
        zeros, nans = True, np.isnan(ordered[..., -1]).any()
    return [np.logical_not] * bool(zeros and has_negative_zero(cells)) + [np.isnan] * bool(nans)


def has_negative_zero(cells: np.ndarray) -> bool:
    """True if a cell of a floating-point dtype is -0."""
    words = cells.view(f"i{cells.itemsize}")
    return bool((words == np.iinfo(words.dtype).min).any())


def order_of_lines(cells: np.ndarray, descending: bool, out: np.ndarray | None = None) -> np.ndarray:
    """Return the indices that sort cells along the last axis, in `out` if it fits; equal values keep their order.

    With `descending` the greatest come first.
    """
    if cells.dtype.kind == "c" or cells.size < FEW_INDICES:
        return _stable_order(cells, descending)
    if _has_long_lines(cells):
        return _by_digits(cells, descending, _memory(out, np.dtype(np.int64), cells.shape), True)
    keys = _keys(cells) if cells.itemsize < 8 else _distances(cells)
    if keys is None or cells.shape[-1] >> 32:
        return _stable_order(cells, descending)
    return _packed_order(np.invert(keys, out=keys) if descending else keys, out)


def _has_long_lines(cells: np.ndarray) -> bool:
    """True if the indices that sort cells along the last axis are found sooner by digits than otherwise."""
    return cells.shape[-1] >= LONG.get(cells.itemsize, FEW_INDICES) and is_supported()


def _stable_order(cells: np.ndarray, descending: bool) -> np.ndarray:
    """Return the indices that sort cells along the last axis, `descending` or rising, by a stable sort."""
    if not descending:
        return np.argsort(cells, axis=-1, kind="stable")
    backwards = np.argsort(np.flip(cells, axis=-1), axis=-1, kind="stable")
    return cells.shape[-1] - 1 - np.flip(backwards, axis=-1)


def order_bytes(itemsize: int) -> int:
    """Return the bytes that `order_of_lines` takes for a cell of `itemsize` bytes: the cell, records, and the order."""
    return 20 if itemsize <= 4 else 48


def _packed_order(keys: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Return the indices that sort keys of at most 32 bits along the last axis, in `out` if it fits.

    A key and its index make one integer; as no two are equal, NumPy's vectorised sort, which is soonest for short
    lines, is stable.
    """
    size = keys.shape[-1]
    found = _memory(out, np.dtype(np.int64), keys.shape)
    packed = found.view(np.uint64)
    for first in range(0, size, TEMPORARY):  # large temporaries of several threads split malloc's heap
        part = ..., slice(first, min(first + TEMPORARY, size))
        packed[part] = keys[part]
        packed[part] <<= np.uint64(32)
        packed[part] |= np.arange(first, part[1].stop, dtype=np.uint64)
    packed.sort(axis=-1)
    packed &= np.uint64((1 << 32) - 1)
    return found


@np.errstate(invalid="ignore")
def _keys(cells: np.ndarray) -> np.ndarray:
    """Return 32-bit unsigned integers that sort like the cells, which have at most 32 bits."""
    sign = np.uint32(1 << 31)
    if cells.dtype.kind != "f":
        return cells.astype(np.uint32) if cells.dtype.kind in "bu" else cells.astype(np.int32).view(np.uint32) ^ sign
    values = cells.astype(np.float32) + np.float32(0)  # one zero
    bits = values.view(np.int32)
    bits[np.isnan(values)] = (1 << 31) - 1
    bits ^= (bits >> 31) & ((1 << 31) - 1)  # the bits of negative numbers fall as their values rise
    return bits.view(np.uint32) ^ sign


def _distances(cells: np.ndarray) -> np.ndarray | None:
    """Return the distances of 64-bit integers from the least; None if 32 bits are too few for them, and for floats."""
    if cells.dtype.kind == "f" or int(cells.max()) - int(low := cells.min()) >> 32:
        return None
    return (cells.view(np.uint64) - low.view(np.uint64)).astype(np.uint32)  # wraps


def scatter_add(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write out[i] = the sum of the rows with position i, added in the order of the rows.

    `args` are the rows and their positions.  Raises IndexError if a position is not a row of `out`.
    """
    rows, at = wide(args[0]), np.ascontiguousarray(args[1])
    is_place = out.dtype == rows.dtype and out.flags.c_contiguous
    total = out if is_place else np.empty(out.shape, rows.dtype)
    total[...] = 0
    width = prod(rows.shape[1:])
    if width and len(at):
        _add_rows(total, rows, at, width)
    if total is not out:
        store_rounded(out, total)


def _add_rows(total: np.ndarray, rows: np.ndarray, at: np.ndarray, width: int) -> None:
    """Add each row to the row of `total` at its position in `at`, a few megabytes at a time.

    `width` is the cells of a row; `total` has no gaps.  Raises IndexError if a position lies outside `total`.
    """
    parts = 2 if rows.dtype.kind == "c" else 1
    step = max(1, ADDED // (width * rows.itemsize))
    for first in range(0, len(at), step):
        part, places = np.ascontiguousarray(rows[first : first + step]), at[first : first + step]
        if is_supported():
            real = rows.real.dtype
            inside = add_rows(total.view(real), part.view(real), places, width * parts)
        elif inside := places.min() >= 0 and places.max() < len(total):
            np.add.at(total, places, part)
        if not inside:
            raise IndexError(f"scatter_add: positions lie outside 0..{len(total) - 1}")


def add_at(cells: np.ndarray, index: Any, values: Any) -> None:
    """Add values to the cells that an index names, one after the other, as numpy.add.at does; raises its errors."""
    at, rows = index if isinstance(index, np.ndarray) else np.asarray(None), np.asarray(values)
    width = prod(cells.shape[1:])
    plain = at.dtype.kind == "i" and at.ndim and at.size and cells.flags.c_contiguous and cells.dtype.isnative
    if not plain or width < 2 or cells.dtype != rows.dtype or cells.dtype.kind not in "iufc" or cells.dtype.char == "e":
        np.add.at(cells, index, values)  # which adds single cells as fast
        return
    if at.min() < -len(cells) or at.max() >= len(cells):
        np.add.at(cells, index, values)  # which names the position in its error
    every = np.broadcast_to(rows, (*at.shape, *cells.shape[1:])).reshape(at.size, width)
    _add_rows(cells, every, np.where(at < 0, at + len(cells), at).ravel(), width)
