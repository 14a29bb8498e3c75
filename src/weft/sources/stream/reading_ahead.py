"""Reading ahead: which units stay in memory between tiles, and the threads that read the next ones.

The one idea: tiles and their order are known before anything is read, so the unit to drop is the one that is needed
last (Belady, 1966), and a thread reads a unit as soon as there is room.  Only the thread that computes keeps accounts;
the others take a task and return a result.
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

from weft.errors import WriteError
from weft.ir.pieces.box import Box
from weft.runtime.memory import allocator
from weft.runtime.signal_safe_threads import Background
from weft.sources.read.touched_boxes import hull, inside
from weft.sources.stream.spilled_units import SpilledUnits, spill_room
from weft.sources.stream.units import READ, Cells, ReadUnit, UnitReader
from weft.sources.write.scratch_file import ScratchFile

TASK = 1 << 20  # bytes of small units that one task reads
PATIENCE = 1.0  # seconds between checks that threads still run: one may end before it has read anything
Units = Sequence[ReadUnit]
HeldCells = dict[ReadUnit, tuple[Box, Cells]]  # each held unit with the box and cells in memory
Wanted = Mapping[ReadUnit, Box]  # the part of each unit that a tile reads
AGAIN = 2  # a byte read back from scratch counts as 1 / AGAIN of a byte read and decoded
STRIP = 4  # a unit is cut to the part that later tiles need if that is at most 1 / STRIP of it


@dataclass(slots=True)
class TileStep:
    """The units that one tile wants, those read for it, and those cut down or dropped after it.

    Among the units read, `again` come from a scratch file to which they were decoded before; the units that are in it
    then take `scratch` bytes.  `cut` has a box for each unit that is cut down: the part that is kept for later tiles.
    """

    wanted: Wanted
    read: list[ReadUnit] = field(default_factory=list)
    again: list[ReadUnit] = field(default_factory=list)
    scratch: int = 0
    cut: list[tuple[ReadUnit, Box]] = field(default_factory=list)
    dropped: list[ReadUnit] = field(default_factory=list)

    @property
    def nbytes(self) -> int:
        """Return the bytes read for the tile; units from the scratch file count half."""
        return sum([u.nbytes for u in self.read]) - sum([u.nbytes for u in self.again]) * (AGAIN - 1) // AGAIN

    @property
    def decoded(self) -> list[ReadUnit]:
        """Return the units that are read from their files, not from scratch."""
        return [u for u in self.read if u not in self.again]


def tile_steps(tiles: Sequence[Wanted], room: int) -> list[TileStep]:
    """Return the steps for tiles that want the given units, in order, with at most `room` bytes held.

    More is held only if the units of a single tile take more. Raises MissingFolderError if the scratch folder is
    missing.
    """
    uses = _uses(tiles)
    held: dict[ReadUnit, int] = {}
    steps: list[TileStep] = []
    spilled: dict[ReadUnit, int] = {}
    scratch = most = spill_room()
    for units in tiles:
        step = TileStep(units, scratch=most - scratch)
        step.read = [u for u in units if u not in held]
        step.again = [u for u in step.read if u in spilled]
        held.update([(u, u.nbytes) for u in step.read])
        if (over := sum(held.values()) - room) > 0:
            for u in sorted(held.keys() - units.keys(), key=lambda u: uses[u][0][0], reverse=True):
                over -= held.pop(u)
                steps[-1].dropped.append(u)
                if u not in spilled and u.is_decoded and u.nbytes <= scratch:
                    spilled[u] = u.nbytes
                    scratch -= u.nbytes
                if over <= 0:
                    break
        for u in units:
            _, rest = uses[u].popleft()
            if rest is None:
                step.dropped.append(u)
                del held[u]
                scratch += spilled.pop(u, 0)
            elif (nbytes := rest.cells * u.itemsize) * STRIP <= held[u]:
                step.cut.append((u, rest))
                held[u] = nbytes
        steps.append(step)
    return steps


def _uses(tiles: Sequence[Wanted]) -> dict[ReadUnit, deque[tuple[int, Box | None]]]:
    """Return for every unit its uses in order, as pairs (tile number, part still needed by later tiles or None).

    `tiles` has the units that each tile wants.
    """
    found: dict[ReadUnit, deque[tuple[int, Box | None]]] = {}
    rest: dict[ReadUnit, Box] = {}
    for i in range(len(tiles) - 1, -1, -1):
        for u, box in tiles[i].items():
            found.setdefault(u, deque()).appendleft((i, rest.get(u)))
            widen(rest, u, box)
    return found


def widen(parts: dict[ReadUnit, Box], unit: ReadUnit, box: Box) -> None:
    """Extend the part of unit `unit` in `parts` so that it contains a box."""
    known = parts.setdefault(unit, box)
    if known != box:
        parts[unit] = hull([known, box])


def tasks_of(units: Units) -> list[list[ReadUnit]]:
    """Group units into tasks: small units share tasks of about TASK bytes."""
    tasks: list[list[ReadUnit]] = []
    nbytes = TASK
    for u in units:
        if nbytes >= TASK:
            tasks.append([])
            nbytes = 0
        tasks[-1].append(u)
        nbytes += u.nbytes
    return tasks


Task = list[ReadUnit] | ref[Any] | None  # anything but a list ends the threads
Result = tuple[Units, list[Cells], BaseException | None]


class ReadingAhead:
    """Threads that read the units of the steps in order, with at most `room` bytes held if possible.

    `read` returns the cells of a unit.  If the system cannot start a thread, the thread that waits for units reads
    them.
    """

    def __init__(self, steps: Sequence[TileStep], room: int, threads: int, read: UnitReader = READ) -> None:
        self.room, self.held = room, 0
        self.cells: HeldCells = {}
        self.steps = list(steps)
        self.waiting = deque([(i, task) for i, step in enumerate(steps) for task in tasks_of(step.read)])
        self.pending: set[ReadUnit] = set()
        self.tasks: SimpleQueue[Task] = SimpleQueue()
        self.results: SimpleQueue[Result] = SimpleQueue()
        self.gone = ref(self, self.tasks.put)  # ends the threads even where an interrupt comes before `__exit__`
        again = [u for step in steps for u in step.again]
        file = None
        with suppress(WriteError):
            file = ScratchFile(max([step.scratch for step in steps], default=0), "decoded chunks") if again else None
        self.spilled = SpilledUnits(again, file, read)
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
        """Queue the tasks of all steps up to `step`, and of later steps while there is room."""
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
        """Wait for the units of a step; raises the first error raised while reading them."""
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
        """Return the next result of a thread, or read the next task here if no thread runs.

        A result has the cells of units, or the error of reading them.
        """
        while any(thread.is_running() for thread in self.threads):
            with suppress(Empty):
                return self.results.get(timeout=PATIENCE)
        with suppress(Empty):
            return self.results.get_nowait()
        return _read(cast(Units, self.tasks.get_nowait()), self.spilled)

    def done(self, step: int) -> None:
        """Cut down and drop the units that later steps do not need, and queue further tasks."""
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

    def _taken(self, unit: ReadUnit) -> int:
        """Return the bytes that a unit takes in memory, once it is cut to the box for later steps."""
        box, cells = self.cells[unit]
        return unit.nbytes if box is unit.box else cells.nbytes


def _read_all(tasks: SimpleQueue[Task], results: SimpleQueue[Result], spilled: SpilledUnits) -> None:
    """Run tasks from the queue until a stop token comes; put the token back for the other threads.

    A result of each task goes to `results`; `spilled` reads units.
    """
    while isinstance(units := tasks.get(), list):
        results.put(_read(units, spilled))
        del units  # free the cells before waiting
    tasks.put(None)


def _read(units: Units, spilled: SpilledUnits) -> Result:
    """Return the cells of a task's units, or the error that reading them raised."""
    try:
        return units, [spilled.read(u) for u in units], None
    except BaseException as e:
        return units, [], e
