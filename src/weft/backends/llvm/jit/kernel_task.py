"""Tasks: launches made ready to run, each as machine code, a table of words and a number of units.

Terms: a *driver* is compiled code that runs a range of a task's units; an *entry* of the table describes a row of a
map or a group of rows that are reduced; a *unit* is a part of the work of one entry.  The one idea: a plan is a table
of int64 words, so a driver is compiled once for every plan there is, and `run` may be called for any ranges of the
units, in any order, from any thread: nothing about the result depends on the cut.

Table: the words of a head; the number of the first unit of each entry, and of all units; for each entry its offset, in
words, from the start of these numbers; the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from itertools import accumulate, chain
from typing import ParamSpec

import numpy as np

from weft.backends.llvm.emit import Builder, Value, signature
from weft.backends.llvm.emit.words import WordLayout, Words, filled, layout, word
from weft.backends.llvm.jit.jit import code_scope

FINISH = "ptr table, ptr bases, ptr scalars, ptr scratch"
RUN = f"{FINISH}, i64 u0, i64 u1"
TASK_RUN, TASK_FINISH = signature("run", RUN), signature("finish", FINISH)  # the code of a task, called at an address
P = ParamSpec("P")


@dataclass(slots=True)
class KernelTask:
    """A launch ready to run: machine code, a table that it reads, and a number of independent units.

    `run` is the address of `void run(ptr table, ptr bases, ptr scalars, ptr scratch, i64 u0, i64 u1)`.  `bases` holds
    one byte pointer per program argument; `scalars` one 16-byte slot per run-time scalar: bools and
    integers as i64, real floats as a double, complex numbers as two doubles.
    """

    run: int
    table: np.ndarray  # int64, read-only once built
    units: int
    cost: float  # estimated nanoseconds per unit
    finish: int = 0  # address of `void finish(ptr table, ptr bases, ptr scalars, ptr scratch)`, run once afterwards
    scratch: int = 0  # bytes shared by all units, uninitialised, 64-byte aligned
    bytes_read: int = 0
    bytes_written: int = 0
    kernels: tuple[object, ...] = field(default=())  # kept alive: the code and tables that the addresses lie in
    name: str = ""  # for profiles
    together: int = 1  # units that a thread takes at a time, while enough are left: they share what is prepared


def holding_code(lower: Callable[P, list[KernelTask]]) -> Callable[P, list[KernelTask]]:
    """Return `lower` changed so that its tasks keep alive the machine code requested while it runs."""

    @wraps(lower)
    def lowered(*args: P.args, **kwargs: P.kwargs) -> list[KernelTask]:
        with code_scope() as codes:
            tasks = lower(*args, **kwargs)
        for t in tasks:
            t.kernels += tuple(codes.values())
        return tasks

    return lowered


def table_bytes(things: Sequence[object]) -> int:
    """Return the bytes of the arrays among `things`, and of the tables of the tasks, tasks that these hold included."""
    arrays = sum([x.nbytes for x in things if isinstance(x, np.ndarray)])
    return arrays + sum([table_bytes((t.table, *t.kernels)) for t in things if isinstance(t, KernelTask)])


def head(names: str = "") -> WordLayout:
    """Return the layout of a table's head: `entries` and `bits`, which every table has, then the words in `names`."""
    return layout(f"entries bits {names}")


def table_of(
    places: WordLayout, routines: dict[str, int], units: Sequence[int], entries: Sequence[list[int]]
) -> np.ndarray:
    """Return the table of the entries, with its head.

    `units` has the number of units of each entry; `routines` are the words of the head, laid out by `places`.
    """
    index = accumulate(map(len, entries[:-1]), initial=1 + 2 * len(entries))
    front = filled(places, entries=len(entries), bits=(len(entries) - 1).bit_length(), **routines)
    words = [*front, *accumulate(units, initial=0), *index, *chain.from_iterable(entries)]
    made = np.array(words, np.int64)
    made.flags.writeable = False
    return made


class Table(Words):
    """A task's table, as the code of its driver reads it."""

    def __init__(self, b: Builder, places: WordLayout) -> None:
        super().__init__(b, b["table"], places)
        self.firsts, self.count = self.end_address, self["entries"]

    def entry(self, k: Value) -> Value:
        """Return the address of entry k."""
        return self.b.gep(self.firsts, word(self.b, self.firsts, self.count + 1 + k), "i64")

    @contextmanager
    def units(self) -> Iterator[tuple[Value, Value]]:
        """Return a context manager that emits a loop over the units u0 to u1 - 1.

        Yields (address of the unit's entry, number of the unit within the entry).
        """
        b = self.b
        with b.carrying([self._find(b["u0"])], b["u0"], b["u1"]) as turn:
            k = turn.values[0]
            k = k + b.cast("zext", turn.i >= word(b, self.firsts, k + 1), "i64")  # no entry is empty
            turn.values = [k]
            yield self.entry(k), turn.i - word(b, self.firsts, k)

    def _find(self, unit: Value) -> Value:
        """Return the number of the entry that holds unit number `unit`, by binary search."""
        b, bits = self.b, self["bits"]
        with b.carrying([b.const("i64", 0)], 0, bits) as turn:
            here = turn.values[0]
            there = here + (b.const("i64", 1) << (bits - 1 - turn.i))
            inside = there < self.count
            reached = word(b, self.firsts, b.select(inside, there, 0)) <= unit
            turn.values = [b.select(inside & reached, there, here)]
        return turn.values[0]
