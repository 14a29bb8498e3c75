"""Positions along an axis, narrowed to the dtype of a table by native code on all threads.

The one idea: a position is read once, so that no other thread can change it between its check and its use.
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
from weft.backends.llvm.jit.toolchain import is_supported
from weft.backends.llvm.nest.evaluator import SLOT

LANES = 16
UNITS = 64  # most units into which positions are shared out to threads
NANOSECONDS = 0.3  # of work per position
SOURCES = ("int32", "int64")


@compiled("positions_run", RUN)
def positions_driver(b: Builder, source: str, target: str) -> None:
    """Emit the driver whose units each write a share of the positions, counted from 0, as integers of type `target`.

    Arguments: where they are written, the positions, of type `source`, and a word that is set to 1 if any is out of
    bounds. Scalars: the size of the axis, and the number of positions.
    """
    to, at, wrong = (word(b, b["bases"], k, "ptr") for k in range(3))
    size, count = (word(b, b["scalars"], k * SLOT // 8) for k in range(2))
    share = (count + (UNITS * LANES - 1)) // (UNITS * LANES) * LANES
    first, end = b.smin(b["u0"] * share, count), b.smin(b["u1"] * share, count)

    def outside(i: Value, lanes: int) -> Value:
        """Write `lanes` positions from number i on; return whether they are out of bounds."""
        read = b.load(Type(source, lanes), b.gep(at, i, source))
        position = read if source == "i64" else b.cast("sext", read, "i64")
        limit = b.splat(size, lanes)
        position = b.select(position < 0, position + limit, position)
        b.store(b.cast("trunc", position, target), b.gep(to, i, target))
        return position.compare("", "uge", limit)

    def loop(start: Value, stop: Value, lanes: int) -> Value:
        with b.carrying([b.splat(b.const("i1", 0), lanes)], start, stop, lanes or 1) as turn:
            turn.values = [turn.values[0] | outside(turn.i, lanes)]
        return turn.values[0]

    whole = first + ((end - first) & -LANES)
    found = b.any(loop(first, whole, LANES))
    with b.when(found | loop(whole, end, 0), rare=True):
        announce(b, 1, wrong, 0)


def narrow(table: np.ndarray, positions: np.ndarray, size: int) -> bool:
    """Write positions along an axis of `size` cells to a table of int16 or int32, counted from 0; True if done.

    False for positions out of bounds (the table may then be partly written), for a layout that no kernel is for, and on
    processors without kernels.
    """
    plain = positions.dtype.isnative and positions.flags.c_contiguous and positions.dtype.name in SOURCES
    if not plain or not is_supported():
        return False
    wrong = np.zeros(1, np.int64)
    entry = _entry(positions.dtype.name, table.dtype.name, positions.size.bit_length())
    entry(table, 0, positions, 0, wrong, 0, size, positions.size)
    return not wrong[0]


@lru_cache(maxsize=64)
def _entry(source: str, target: str, bits: int) -> Entry:
    """Return compiled code f(table, 0, positions, 0, wrong, 0, size, count), for counts of `bits` bits.

    `source` and `target` are the dtypes of positions and table.
    """
    return make_entry(3, {}, (dt.int64, dt.int64), _tasks(source, target, bits), interruptible=False)


@holding_code
def _tasks(source: str, target: str, bits: int) -> list[KernelTask]:
    run = positions_driver(source.replace("int", "i"), target.replace("int", "i"))
    return [KernelTask(run, np.zeros(1, np.int64), UNITS, NANOSECONDS * (1 << bits) / UNITS, name="positions")]
