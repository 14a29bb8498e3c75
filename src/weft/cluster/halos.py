"""Halos: cells at the border of a task's tiles, in chunks that another task decodes as a whole.

The one idea: tasks of a sweep run side by side in one order, so the task that reads most of a chunk decodes it, and
sends the others their few cells.  No task depends on another: one that gets no answer decodes the chunk itself.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from weft.cluster.links import WorkerLink
from weft.ir.graph.node import Node, walk
from weft.ir.pieces.box import Box
from weft.runtime.memory import allocator
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.sources.read.touched_boxes import inside
from weft.sources.source import as_bits, storage_dtype
from weft.sources.stream.reading_ahead import STRIP
from weft.sources.stream.sweep import Sweep, SweepSteps
from weft.sources.stream.units import Cells, ReadUnit

PATIENCE = 2.0  # seconds to wait for cells of a halo before the chunk is decoded once more
KEPT = 60.0  # seconds for which cells are kept after the task until they are requested
ROOM = 8 << 20  # bytes of cells that a worker keeps for others
Message = Mapping[str, Any]
HaloKey = tuple[str, int, Box]  # the program, the number of the file in it, the cells


class TaskHalos(NamedTuple):
    """The halos of a task: `awaited` names the worker that sends cells of a unit, `offered` counts readers by box."""

    awaited: dict[ReadUnit, tuple[str, list[Box]]]
    offered: dict[ReadUnit, Counter[Box]]

    def message(self, roots: Sequence[Node]) -> Message:
        """Return the halos as data; `roots` are those of the sweep."""
        numbers = _file_numbers(roots)
        return {
            "awaited": [(numbers[u.file], u.box.start, giver) for u, (giver, _) in self.awaited.items()],
            "offered": [(numbers[u.file], u.box.start, list(of.items())) for u, of in self.offered.items()],
        }


def planned_halos(steps: SweepSteps, tasks: Mapping[str, Sequence[int]]) -> dict[str, TaskHalos]:
    """Return the halos of tasks that run side by side, by their workers; `tasks` has the numbers of their tiles.

    A task waits for cells only if they are a small part of the unit, and if the task that sends them comes to the unit
    at a tile of no higher position in its list.
    """
    readers: dict[ReadUnit, dict[str, tuple[int, dict[Box, None]]]] = {}
    for task, numbers in tasks.items():
        for position, k in enumerate(numbers):
            for u, box in [item for part in steps.parts[k] for item in part.items()]:
                if u.is_decoded:
                    readers.setdefault(u, {}).setdefault(task, (position, {}))[1][box] = None
    found = {task: TaskHalos({}, {}) for task in tasks}
    for u, by_task in readers.items():
        cells = {task: sum([b.cells for b in boxes]) for task, (_, boxes) in by_task.items()}
        giver = max(cells, key=lambda task: cells[task])
        for task, (position, boxes) in by_task.items():
            if task != giver and cells[task] * STRIP <= u.box.cells and position >= by_task[giver][0]:
                found[task].awaited[u] = giver, [*boxes]
                found[giver].offered.setdefault(u, Counter()).update([*boxes])
    return found


def _file_numbers(roots: Sequence[Node]) -> dict[Node, int]:
    """Return the number of each file below `roots`, which is the same in all processes."""
    return {n: k for k, n in enumerate([n for n in walk(roots) if n.op.name == "file"])}


class HaloReader:
    """The reading of a task's units: cells of halos come from other tasks, or are kept for them (`read`)."""

    def __init__(self, sweep: Sweep[Any], program: str, message: Message, link: WorkerLink, kept: KeptHalos) -> None:
        self.program, self.link, self.kept = program, link, kept
        self.numbers = _file_numbers(sweep.roots)
        self.awaited = {(k, tuple(start)): giver for k, start, giver in message["awaited"]}
        self.offered = {(k, tuple(start)): boxes for k, start, boxes in message["offered"]}
        self.wanted: dict[ReadUnit, dict[Box, None]] = {}
        for part in [part for parts in sweep.steps.parts for part in parts]:
            for u, box in part.items():
                self.wanted.setdefault(u, {})[box] = None
        for step in sweep.steps.units:  # others wait for what this task decodes
            step.read.sort(key=lambda u: (self.numbers[u.file], u.box.start) in self.awaited)

    def read(self, unit: ReadUnit) -> Cells:
        """Return the cells of a unit, at least those that the task wants; raises FileFormatError if it is damaged."""
        at = number, _ = self.numbers[unit.file], unit.box.start
        if (giver := self.awaited.pop(at, None)) is not None:
            boxes = [*self.wanted[unit]]
            dtype, asked = storage_dtype(unit.source), [(number, b) for b in boxes]
            found = self.link.read_halo(giver, self.program, asked, dtype, 2 * PATIENCE)
            if found is not None:
                target = allocator.empty(dtype, unit.box.size)
                for box, part in zip(boxes, found, strict=True):
                    as_bits(target)[inside(box, unit.box.start).slices] = as_bits(part)
                return target
            self.awaited = {u: other for u, other in self.awaited.items() if other != giver}
        cells = unit.read()
        for parts, readers in self.offered.pop(at, ()):
            box = Box(*map(tuple, parts))
            self.kept.put((self.program, number, box), cells[inside(box, unit.box.start).slices], readers)
        return cells


class KeptHalos:
    """The cells of halos that a worker keeps for others, until as many as were told have read them."""

    def __init__(self) -> None:
        self._cells: dict[HaloKey, Future[Cells | None]] = {}  # pending ones are awaited by others
        self._left: dict[HaloKey, int] = {}
        self._nbytes = 0
        self._lock = ReentrantLock()

    def put(self, key: HaloKey, cells: Cells, readers: int) -> None:
        """Keep a copy of cells for so many readers; None in its place if there is no room."""
        with self._lock:
            future = self._cells.setdefault(key, Future())
            if not future.done():  # a task that runs again has put them before
                has_room = self._nbytes + cells.nbytes <= ROOM
                self._left[key] = readers
                self._nbytes += cells.nbytes if has_room else 0
                future.set_result(cells.copy() if has_room else None)

    async def get(self, keys: Sequence[HaloKey]) -> list[Cells] | None:
        """Return cells once they are there; None if they do not come soon, or found no room."""
        with self._lock:
            futures = [self._cells.setdefault(key, Future()) for key in keys]
        try:
            waiting = asyncio.gather(*[asyncio.shield(asyncio.wrap_future(f)) for f in futures])
            found = await asyncio.wait_for(waiting, PATIENCE)
        except TimeoutError:
            found = [None]
        with self._lock:
            for key in keys:
                self._left[key] = self._left.get(key, 1) - 1
                if not self._left[key]:
                    self._remove(key)
        return None if any(cells is None for cells in found) else found

    def drop(self, program: str) -> None:
        """Drop all cells of a program."""
        with self._lock:
            for key in [key for key in self._cells if key[0] == program]:
                self._remove(key)

    def _remove(self, key: HaloKey) -> None:
        self._left.pop(key, None)
        future = self._cells.pop(key, None)
        if future is not None and future.done() and (cells := future.result()) is not None:
            self._nbytes -= cells.nbytes
