"""Tables of programs kept for their next run, which share one memory limit with the machine code.

The one idea: each value has the time of its last use, as the number of values made until then; beyond the limit, the
least recently used are removed, and their machine code is unloaded once nothing can call it any more.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Generic, TypeVar

from weft.backends.llvm.jit import jit
from weft.backends.llvm.jit.entry import PlanTable
from weft.runtime.compute.program import CachedValue, Program, ProgramMemory
from weft.runtime.references import LooseSet

V = TypeVar("V")

OBJECTS = 8 << 10  # estimated bytes of a value's key and objects, beside its tables
PLAN = 3  # estimated bytes of a plan for each byte of its tables
SHARE = 8  # at least 1 / SHARE of the values are dropped at a time


class ProgramTable(Generic[V]):
    """Values by key; the least recently used are removed when memory runs short."""

    __slots__ = ("__weakref__", "kept")

    def __init__(self) -> None:
        self.kept: dict[Any, CachedValue[V]] = {}
        _TABLES.add(self)

    def __len__(self) -> int:
        return len(self.kept)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value stored under `key`, which counts as a use of it; else `default`."""
        found = self.kept.get(key)
        if found is None:
            return default
        found.used = ProgramMemory.made
        return found.value

    def keep(self, key: Any, value: V) -> V:
        """Store a value under a key, and return it.

        The least recently used values are removed if memory is then over the limit.
        """
        ProgramMemory.made += 1
        made = self.kept[key] = CachedValue(value, OBJECTS + (1 + PLAN) * _table_bytes(value))
        ProgramMemory.nbytes += made.nbytes
        if ProgramMemory.nbytes + jit.loader.nbytes > ProgramMemory.limit:
            shrink()
        return value


_TABLES: LooseSet[ProgramTable[Any]] = LooseSet()


def _table_bytes(value: object) -> int:
    """Return the bytes of the tables that compiled code, or the code of a program, keeps alive."""
    segments = value.segments if isinstance(value, Program) else (value,)
    tables = [getattr(s, "__self__", None) for s in segments]
    return sum([table.held_bytes for table in tables if isinstance(table, PlanTable)])


def set_limit(nbytes: int) -> None:
    """Set the bytes that programs and machine code may take, and remove the least recently used beyond this limit."""
    ProgramMemory.limit = nbytes
    shrink()


def get_limit() -> int:
    """Return the limit, in bytes, of the memory for programs and their machine code."""
    return ProgramMemory.limit


def shrink() -> None:
    """Remove the least recently used values until programs and machine code take no more than the limit."""
    kept = [(k.used, k.nbytes, table.kept, key) for table in _TABLES for key, k in list(table.kept.items())]
    kept.sort(key=itemgetter(0), reverse=True)
    while True:
        ProgramMemory.nbytes = sum(nbytes for _, nbytes, _, _ in kept)
        if not kept or ProgramMemory.nbytes + jit.unload() <= ProgramMemory.limit:
            return
        for _, _, table, key in kept[-1 - len(kept) // SHARE :]:
            table.pop(key, None)
        del kept[-1 - len(kept) // SHARE :]
