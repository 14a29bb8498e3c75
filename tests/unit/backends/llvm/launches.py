"""Small launches made by hand from NumPy arrays, and their tasks run one unit range at a time.

`Maker` collects arrays as program arguments; `run_tasks` calls the machine code directly, cut in several ways.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from weft import dtypes as dt
from weft.backends.llvm.jit.kernel_task import KernelTask
from weft.dtypes import DType
from weft.ir.kernels.plan import Body, Instr, MapLaunch, Operand, Row

RUN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64, ctypes.c_int64)
FINISH = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


class Maker:
    """Arrays by argument number; every operand points at its array's first cell."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []

    def operand(self, a: np.ndarray) -> Operand:
        """The array as an operand of its own argument (its strides, its byte order)."""
        dtype, order = dt.from_numpy(a.dtype)
        a = np.asarray(a)
        self.arrays.append(a)
        return Operand(len(self.arrays) - 1, 0, a.strides, dtype, order == "big")

    def bases(self) -> np.ndarray:
        """The table of pointers that tasks are given."""
        return np.array([a.ctypes.data for a in self.arrays] or [0], np.int64)


def loads(*dtypes: DType) -> list[Instr]:
    """Steps that load operands 0, 1, ..."""
    return [Instr("load", d, attr=k) for k, d in enumerate(dtypes)]


def run_tasks(tasks: Sequence[KernelTask], bases: np.ndarray, scalars: bytes = b"", pieces: int = 1) -> None:
    """Run tasks in order; the units of each in `pieces` ranges, last range first."""
    slots = ctypes.create_string_buffer(scalars + bytes(16), len(scalars) + 16)
    for task in tasks:
        raw = np.empty(task.scratch + 64, np.uint8)
        scratch = raw.ctypes.data + -raw.ctypes.data % 64
        cuts = np.linspace(0, task.units, pieces + 1).astype(int)
        table = task.table.ctypes.data
        for u0, u1 in reversed(list(pairwise(cuts))):
            RUN(task.run)(table, bases.ctypes.data, ctypes.addressof(slots), scratch, int(u0), int(u1))
        if task.finish:
            FINISH(task.finish)(table, bases.ctypes.data, ctypes.addressof(slots), scratch)


def mapped(body: Body, arrays: Sequence[np.ndarray], out: np.ndarray) -> MapLaunch:
    """A launch of one row over whole arrays; use `run_map` to run it."""
    maker = Maker()
    operands = tuple(maker.operand(np.broadcast_to(a, out.shape)) for a in arrays)
    return MapLaunch((Row(body, out.shape, operands, maker.operand(out)),))


def run_map(body: Sequence[Instr], arrays: Sequence[np.ndarray], out: np.ndarray, pieces: int = 1) -> np.ndarray:
    """out[...] = body(arrays...), by native code."""
    from weft.backends.llvm.nest.map_tables import lower_map

    launch = mapped(tuple(body), arrays, out)
    bases = np.array([a.ctypes.data for a in (*(np.broadcast_to(a, out.shape) for a in arrays), out)], np.int64)
    run_tasks(lower_map(launch), bases, pieces=pieces)
    return out
