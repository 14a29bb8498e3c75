"""Native code that adds rows to the rows of an array that positions name, on several threads.

The one idea: rows are added one after the other, so that equal positions add in the order of the rows; the cells of a
row lie in the lanes, and threads share its columns, and so no order of additions shows.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from weft import dtypes as dt
from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.emit.words import announce, word
from weft.backends.llvm.jit.entry import Entry, make_entry
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import RUN, KernelTask, holding_code
from weft.backends.llvm.jit.pool import get_num_threads
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.evaluator import SLOT

LINE = 64  # bytes added at a time
AHEAD = 12  # rows between a row and the prefetch of the cells to which a later one is added
FLOATS = {4: "float", 8: "double"}


@compiled("add_rows_run", RUN)
def add_rows_driver(b: Builder, elem: str, at_elem: str, lanes: int, units: int) -> None:
    """Emit the driver whose units each add some columns of every row, out[at[i]] += rows[i] for i < count.

    Arguments: `out`, `rows` and `at`, without gaps, and a word that is set to 1 if a position lies outside `out`.
    Scalars: the number of rows of `out`, `count`, and the cells of a row.
    """
    out, rows, at, wrong = (word(b, b["bases"], k, "ptr") for k in range(4))
    rows_out, count, width = (word(b, b["scalars"], k * SLOT // 8) for k in range(3))
    size = Type(elem).bits // 8
    share = (width + (units * lanes - 1)) // (units * lanes) * lanes
    first, end = b.smin(b["u0"] * share, width), b.smin(b["u1"] * share, width)
    whole = first + ((end - first) & -lanes)

    def place_of(i: Value) -> Value:
        place = b.load(at_elem, b.gep(at, i, at_elem))
        return place if at_elem == "i64" else b.cast("sext", place, "i64")

    def add(to: Value, row: Value, k: Value, type: Type) -> None:
        there = b.gep(to, k, elem)
        b.store(b.load(type, there) + b.load(type, b.gep(row, k, elem)), there)

    with b.loop(0, count) as i:
        if lanes * size == LINE:
            later = place_of(b.smin(i + AHEAD, count - 1))
            b.prefetch(b.gep(out, later * width + first, elem))
        place = place_of(i)
        to, row = b.gep(out, place * width, elem), b.gep(rows, i * width, elem)
        with b.when(place.compare("", "uge", rows_out), rare=True):
            announce(b, 1, wrong, 0)
        with b.otherwise():
            with b.loop(first, whole, lanes) as k:
                add(to, row, k, Type(elem, lanes))
            with b.loop(whole, end) as k:
                add(to, row, k, Type(elem))


def add_rows(out: np.ndarray, rows: np.ndarray, at: np.ndarray, width: int) -> bool:
    """Add row i of `rows` to row at[i] of `out`, for all i in order. False if a position lies outside `out`.

    The arrays have no gaps; rows have `width` cells: integers, float32 or float64. Raises OutOfMemory if there is no
    memory to compile.
    """
    kind, wrong = out.dtype, np.zeros(1, np.int64)
    lanes = min(LINE // kind.itemsize, 1 << (width.bit_length() - 1))
    units = min(-(-width * kind.itemsize // LINE), get_num_threads())
    elem = FLOATS[kind.itemsize] if kind.kind == "f" else f"i{8 * kind.itemsize}"
    entry = _entry(elem, f"i{8 * at.itemsize}", lanes, units, rows.nbytes.bit_length())
    entry(out, 0, rows, 0, at, 0, wrong, 0, out.size // width, len(at), width)
    return not wrong[0]


@lru_cache(maxsize=64)
def _entry(elem: str, at_elem: str, lanes: int, units: int, bits: int) -> Entry:
    """Return compiled code f(out, 0, rows, 0, at, 0, wrong, 0, size, count, width).

    The size of `rows` in bytes has `bits` bits.
    """
    return make_entry(4, {}, (dt.int64,) * 3, _tasks(elem, at_elem, lanes, units, bits), interruptible=False)


@holding_code
def _tasks(elem: str, at_elem: str, lanes: int, units: int, bits: int) -> list[KernelTask]:
    run = add_rows_driver(elem, at_elem, lanes, units)
    return [KernelTask(run, np.zeros(1, np.int64), units, cost.BYTE * (1 << bits) / units, name="add rows")]
