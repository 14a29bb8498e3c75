"""Reading ahead: which units are held while tiles follow each other, and the threads that read the next ones.

The one idea: the tiles and their order are known before anything is read, so the unit to give up is the one that is
needed last (Belady, 1966), and a unit is read by a thread as soon as there is room for it.  One thread, the one that
computes, keeps all accounts; the others take a task and give a result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Self, cast
from weakref import ref

from weft.ir.pieces.box import Box
from weft.runtime.handover import Background
from weft.runtime.memory import allocator
from weft.sources.read.touched_boxes import hull, inside
from weft.sources.stream.spilled_units import SpilledUnits, spill_room
from weft.sources.stream.units import Cells, ReadUnit

TASK = 1 << 20  # bytes of small units that are read in one task
PATIENCE = 1.0  # seconds after which the threads are looked at: one may end before it has read anything
Units = Sequence[ReadUnit]
HeldCells = dict[ReadUnit, tuple[Box, Cells]]  # with the box of a unit that is held
Wanted = Mapping[ReadUnit, Box]  # the part of each unit that a tile reads
AGAIN = 2  # units that come back from scratch count for one part in so many of what is read
STRIP = 4  # a unit of which later tiles need less than one part in so many is held as that part


@dataclass(slots=True)
class TileStep:
    """The units of one tile: all, those read for it, and those cut down or given up after it.

    Of those that are read, `again` come from a scratch file, where they were put once they were decoded.
    """

    wanted: Wanted
    read: list[ReadUnit] = field(default_factory=list)
    again: list[ReadUnit] = field(default_factory=list)
    cut: list[tuple[ReadUnit, Box]] = field(default_factory=list)
    dropped: list[ReadUnit] = field(default_factory=list)

    @property
    def nbytes(self) -> int:
        """The bytes of the units that are read for it, by what they take: copies less."""
        return sum([u.nbytes for u in self.read]) - sum([u.nbytes for u in self.again]) * (AGAIN - 1) // AGAIN

    @property
    def decoded(self) -> list[ReadUnit]:
        """The units that are read from their files."""
        return [u for u in self.read if u not in self.again]


def steps_of(wanted: Sequence[Wanted], room: int) -> list[TileStep]:
    """Return the steps for tiles that want these units, in order, with at most `room` bytes held.

    Only the units of one tile may take more: they are held together.
    """
    uses = _uses(wanted)
    held: dict[ReadUnit, int] = {}
    steps: list[TileStep] = []
    decoded: set[ReadUnit] = set()
    spilled: set[ReadUnit] = set()
    scratch = spill_room()
    for units in wanted:
        step = TileStep(units)
        step.read = [u for u in units if u not in held]
        for u in step.read:
            if u in decoded and (u in spilled or u.nbytes <= scratch):
                scratch -= 0 if u in spilled else u.nbytes
                spilled.add(u)
                step.again.append(u)
        decoded.update([u for u in step.read if u.is_decoded])
        held.update([(u, u.nbytes) for u in step.read])
        if (over := sum(held.values()) - room) > 0:
            for u in sorted(held.keys() - units.keys(), key=lambda u: uses[u][0][0], reverse=True):
                over -= held.pop(u)
                steps[-1].dropped.append(u)
                if over <= 0:
                    break
        for u in units:
            _, rest = uses[u].popleft()
            if rest is None:
                step.dropped.append(u)
                del held[u]
            elif (nbytes := rest.cells * u.itemsize) * STRIP <= held[u]:
                step.cut.append((u, rest))
                held[u] = nbytes
        steps.append(step)
    return steps


def _uses(wanted: Sequence[Wanted]) -> dict[ReadUnit, deque[tuple[int, Box | None]]]:
    """Return for every unit its uses: pairs of a tile and the part still needed after that tile."""
    found: dict[ReadUnit, deque[tuple[int, Box | None]]] = {}
    rest: dict[ReadUnit, Box] = {}
    for i in range(len(wanted) - 1, -1, -1):
        for u, box in wanted[i].items():
            found.setdefault(u, deque()).appendleft((i, rest.get(u)))
            widen(rest, u, box)
    return found


def widen(parts: dict[ReadUnit, Box], u: ReadUnit, box: Box) -> None:
    """Extend the part of a unit so that it contains a box."""
    known = parts.setdefault(u, box)
    if known != box:
        parts[u] = hull([known, box])


def tasks_of(units: Units) -> list[list[ReadUnit]]:
    """Return units as tasks of one or more, of about TASK bytes each where they are small."""
    tasks: list[list[ReadUnit]] = []
    nbytes = TASK
    for u in units:
        if nbytes >= TASK:
            tasks.append([])
            nbytes = 0
        tasks[-1].append(u)
        nbytes += u.nbytes
    return tasks


Task = list[ReadUnit] | ref[Any] | None  # what is no list ends the threads
Result = tuple[Units, list[Cells], BaseException | None]


class ReadingAhead:
    """Threads that read the units of the steps in order, with at most `room` bytes held wherever possible.

    Where the system starts no thread, the thread that waits for units reads them.
    """

    def __init__(self, steps: Sequence[TileStep], room: int, threads: int) -> None:
        self.room, self.held = room, 0
        self.cells: HeldCells = {}
        self.steps = list(steps)
        self.waiting = deque([(i, task) for i, step in enumerate(steps) for task in tasks_of(step.read)])
        self.pending: set[ReadUnit] = set()
        self.tasks: SimpleQueue[Task] = SimpleQueue()
        self.results: SimpleQueue[Result] = SimpleQueue()
        self.gone = ref(self, self.tasks.put)  # ends the threads even where an interrupt comes before `__exit__`
        self.spilled = SpilledUnits([u for step in steps for u in step.again])
        reading = partial(_read_all, self.tasks, self.results, self.spilled)
        self.threads = [Background(reading) for _ in range(max(1, min(threads, len(self.waiting))))]

    def __enter__(self) -> Self:
        try:
            for thread in self.threads:
                thread.start()
            self._ask(0)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            with suppress(Empty):
                while True:
                    self.tasks.get_nowait()
        finally:
            self.tasks.put(None)
            for thread in self.threads:
                thread.settle()
            self.cells.clear()
            self.spilled.close()

    def _ask(self, step: int) -> None:
        """Queue the tasks of all steps up to `step`, and of later ones while there is room."""
        while self.waiting:
            i, units = self.waiting[0]
            nbytes = sum([u.nbytes for u in units])
            if i > step and (self.held + nbytes > self.room or self._is_held(units)):
                break
            self.waiting.popleft()
            self.held += nbytes
            self.pending.update(units)
            self.tasks.put(units)

    def _is_held(self, units: Units) -> bool:
        """True if any of the units is still held from an earlier step."""
        return any(u in self.cells or u in self.pending for u in units)

    def wait(self, step: int) -> None:
        """Wait for the units of a step; raises the error that reading them raised."""
        self._ask(step)
        missing = self.steps[step].wanted.keys() - self.cells.keys()
        while missing:
            units, cells, error = self._result()
            if error is not None:
                try:
                    raise error
                finally:
                    del error  # the error refers to this frame
            self.cells.update([(u, (u.box, c)) for u, c in zip(units, cells, strict=True)])
            self.pending.difference_update(units)
            missing.difference_update(units)

    def _result(self) -> Result:
        """Return the next result of a thread, or read the next task here if no thread runs."""
        while any(thread.is_running() for thread in self.threads):
            with suppress(Empty):
                return self.results.get(timeout=PATIENCE)
        with suppress(Empty):
            return self.results.get_nowait()
        return _read(cast(Units, self.tasks.get_nowait()), self.spilled)

    def done(self, step: int) -> None:
        """Release the units that no later step needs."""
        for u, box in self.steps[step].cut:
            whole, cells = self.cells[u]
            self.held -= self._taken(u)
            part = allocator.empty(cells.dtype, box.size)
            part[...] = cells[inside(box, whole.start).slices]
            self.cells[u] = box, part
            self.held += self._taken(u)
            del cells, part
        for u in self.steps[step].dropped:
            self.held -= self._taken(u)
            del self.cells[u]
        self._ask(step + 1)

    def _taken(self, u: ReadUnit) -> int:
        """Return the bytes that a unit occupies, after being cut down to its part."""
        box, cells = self.cells[u]
        return u.nbytes if box is u.box else cells.nbytes


def _read_all(tasks: SimpleQueue[Task], results: SimpleQueue[Result], spilled: SpilledUnits) -> None:
    """Run tasks from the queue until a stop token comes, which is put back for the other threads."""
    while isinstance(units := tasks.get(), list):
        results.put(_read(units, spilled))
        del units  # while this waits
    tasks.put(None)


def _read(units: Units, spilled: SpilledUnits) -> Result:
    """Return the cells of a task's units, or the error that reading them raised."""
    try:
        return units, [spilled.read(u) for u in units], None
    except BaseException as e:
        return units, [], e
