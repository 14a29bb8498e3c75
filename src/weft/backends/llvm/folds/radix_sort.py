"""Native code that sorts lines stably, by the digits of their cells' keys from the lowest to the highest.

Terms: the *key* of a cell is an unsigned integer in the order of the cells; a *record* is what is moved: the cell, or
its key above its index in the line.
The one idea: one pass counts the values of every digit; then each digit moves the records to their places in the order
of that digit, in which equal ones keep their order.  A digit that is the same in all cells moves nothing, so integers
of a small range take few passes.  Times do not depend on the vector instructions of the processor.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.processor import second_cache
from weft.backends.llvm.jit.jit import compiled
from weft.runtime.memory import allocator

WIDE, NARROW = 11, 8  # bits of a digit: wide ones need fewer passes, counters of narrow ones stay in the first cache
LONG = 1 << 12  # cells of a line from which wide digits pay
NAN = {16: 0x1F << 11, 32: 0xFF << 24, 64: 0x7FF << 53}  # twice the bits of infinity: NaNs have more


@dataclass(frozen=True)
class Order:
    """The order of a sort: kind ("b", "u", "i", "f") and bits of cells, direction, bits of a digit.

    `index_bits` are the bits of an index in a record, 0 where cells are moved.
    """

    kind: str
    bits: int
    descending: bool
    digit: int
    index_bits: int = 0

    @property
    def cell(self) -> str:
        return f"i{self.bits}"

    @property
    def record(self) -> str:
        return f"i{2 * self.index_bits or self.bits}"

    @property
    def digits(self) -> int:
        return -(-self.bits // self.digit)


# ---- the routine
@compiled("radix_sort", "ptr cells, ptr out, ptr spare, ptr more, ptr counts, i64 n, i64 lines")
def radix_sort(b: Builder, order: Order) -> None:
    """Emit the routine that writes lines of n cells, or the int64 indices that sort them, to `out`.

    Lines lie in row-major order.  `spare` has room for n records, and so has `more` where records are larger than
    results; `counts` has room for an i64 for every value of every digit.
    """
    n, size, made = b["n"], order.bits // 8, 8 if order.index_bits else order.bits // 8
    source, target = b.alloca("ptr"), b.alloca("ptr")
    with b.loop(0, b["lines"]) as line:
        cells, out = b.gep(b["cells"], line * n * size), b.gep(b["out"], line * n * made)
        last, spare = b["more"] if order.index_bits > 32 else out, b["spare"]
        _count(b, order, cells)
        moves = [_start_places(b, order, number) for number in range(order.digits)]
        odd = (sum(moves[1:], moves[0]) & 1).ne(0)
        first = b.select(odd, spare, last)  # so that the last pass ends in `last`
        if order.index_bits:
            _write_records(b, order, cells, first)
        b.store(first if order.index_bits else cells, source)
        b.store(b.select(odd, last, spare), target)
        for number, moved in enumerate(moves):
            with b.when(moved.ne(0)):
                here, there = b.load("ptr", source), b.load("ptr", target)
                _move(b, order, number, here, there)
                b.store(there, source)
                b.store(b.select(there.eq(last), spare, last), target)
        if order.index_bits:
            _write_indices(b, order, last, out)
        else:
            with b.when(b.load("ptr", source).eq(cells)):
                b.copy(out, cells, n * size)


def _key(b: Builder, order: Order, cell: Value) -> Value:
    """Return the key of a cell, given its bits.

    Zeros of both signs have one key, and so have all NaNs, which are greater than all numbers.
    """
    key, sign = cell, -1 << (order.bits - 1)
    if order.kind == "f":
        key = cell ^ ((cell >> (order.bits - 1)) | sign)  # the bits of negative numbers fall as their values rise
        twice = cell << 1
        key = b.select(twice.eq(0), sign, key)
        key = b.select(twice.compare("", "ugt", NAN[order.bits]), -1, key)
    elif order.kind == "i":
        key = cell ^ sign
    return ~key if order.descending else key


def _place(b: Builder, order: Order, number: int, word: Value, above: int = 0) -> Value:
    """Return the address in `counts` for digit `number` of the key that begins at bit `above` of a word."""
    digit = _as_i64(b, word.lshr(above + number * order.digit)) & ((1 << order.digit) - 1)
    return b.gep(b["counts"], digit + (number << order.digit), "i64")


def _as_i64(b: Builder, word: Value) -> Value:
    """Return the lowest 64 bits of an unsigned integer."""
    bits = word.type.bits
    return word if bits == 64 else b.cast("trunc" if bits > 64 else "zext", word, "i64")


def _count(b: Builder, order: Order, cells: Value) -> None:
    """Emit code that counts the values of all digits of a line."""
    with b.loop(0, order.digits << order.digit) as k:
        b.store(b.const("i64", 0), b.gep(b["counts"], k, "i64"))
    with b.loop(0, b["n"]) as i:
        key = _key(b, order, b.load(order.cell, b.gep(cells, i, order.cell)))
        for number in range(order.digits):
            there = _place(b, order, number, key)
            b.store(b.load("i64", there) + 1, there)


def _start_places(b: Builder, order: Order, number: int) -> Value:
    """Emit code that replaces the count of each digit value by the place of its first record.

    Return 1, or 0 if all records have the same value.
    """
    zero, first = b.const("i64", 0), number << order.digit
    with b.carrying((zero, zero), first, first + (1 << order.digit)) as turn:
        before, most = turn.values
        there = b.gep(b["counts"], turn.i, "i64")
        count = b.load("i64", there)
        b.store(before, there)
        turn.values = [before + count, b.smax(most, count)]
    return b.cast("zext", turn.values[1] < b["n"], "i64")


def _write_records(b: Builder, order: Order, cells: Value, records: Value) -> None:
    """Emit code that writes a key above its index for every cell of a line."""
    with b.loop(0, b["n"]) as i:
        key = _key(b, order, b.load(order.cell, b.gep(cells, i, order.cell)))
        index = b.cast("zext", i, order.record) if order.index_bits > 32 else i
        b.store((b.cast("zext", key, order.record) << order.index_bits) | index, b.gep(records, i, order.record))


def _move(b: Builder, order: Order, number: int, source: Value, target: Value) -> None:
    """Emit code that moves all records to their places in the order of a digit."""
    with b.loop(0, b["n"]) as i:
        record = b.load(order.record, b.gep(source, i, order.record))
        word = record if order.index_bits else _key(b, order, record)
        there = _place(b, order, number, word, order.index_bits)
        place = b.load("i64", there)
        b.store(place + 1, there)
        b.store(record, b.gep(target, place, order.record))


def _write_indices(b: Builder, order: Order, records: Value, out: Value) -> None:
    """Emit code that writes the indices in a line's records to `out`, which may be their memory."""
    with b.loop(0, b["n"]) as i:
        index = _as_i64(b, b.load(order.record, b.gep(records, i, order.record)))
        b.store(index & ((1 << order.index_bits) - 1) if order.index_bits < 64 else index, b.gep(out, i, "i64"))


# ---- calls
@cache
def _routine(order: Order) -> Callable[..., None]:
    """Return the native function of an order, which takes addresses and sizes."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, *[ctypes.c_int64] * 2)(radix_sort(order))


def sort_lines(cells: np.ndarray, out: np.ndarray, descending: bool, indices: bool = False) -> None:
    """Write cells to `out`, sorted stably along the last axis, or with `indices` the int64 indices that sort them.

    Cells are bools, integers or floats of IEEE 754; both arrays have no gaps and share no memory.  NaN counts as the
    greatest value; with `descending` the greatest come first. Raises OutOfMemory if there is no memory for the records.
    """
    n, bits = cells.shape[-1], 8 * cells.itemsize
    index_bits = (32 if bits <= 32 and not n >> 32 else 64) if indices else 0
    record = index_bits // 4 or cells.itemsize
    near = 2 * n * record <= second_cache() or record < 8
    order = Order(cells.dtype.kind, bits, descending, WIDE if n >= LONG and near else NARROW, index_bits)
    counts = allocator.empty(np.dtype(np.int64), (order.digits << order.digit,))
    spare = allocator.empty(np.dtype(np.uint8), (n * record,))
    more = allocator.empty(np.dtype(np.uint8), (n * record if index_bits > 32 else 0,))
    addresses = [a.ctypes.data for a in (cells, out, spare, more, counts)]
    _routine(order)(*addresses, n, cells.size // max(1, n))
